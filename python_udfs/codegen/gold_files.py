"""The files of gold models: written by hand, and of no use without the tables that they read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

FOLDER = "models/gold"
# The first characters of a file of the sample, which goes with its tables.
SAMPLE_MARKS = ('{# Sample: "make models" removes', '# Sample: "make models" removes')
_REFERENCE = re.compile(r"""\bref\(\s*['"](\w+)['"]""")


@dataclass(frozen=True)
class GoldFile:
    """A model below `models/gold`.

    Attributes:
        model: its name.
        path: relative to the project, with ``/``.
        reads: names of models that it refers to.
        is_sample: whether it is the sample's, and not the user's.
    """

    model: str
    path: str
    reads: frozenset[str]
    is_sample: bool


def list_gold_files(project_dir: Path) -> list[GoldFile]:
    """Lists the SQL models of gold, by path."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((project_dir / FOLDER).glob("**/*.sql"))}
    return [
        GoldFile(
            path.stem,
            path.relative_to(project_dir).as_posix(),
            frozenset(_REFERENCE.findall(text)),
            text.startswith(SAMPLE_MARKS),
        )
        for path, text in texts.items()
    ]


def find_readers(files: Iterable[GoldFile], gone: Collection[str]) -> list[GoldFile]:
    """Finds the files that read models which go, or another such file."""
    files, readers = list(files), []
    names = set(gone)
    while new := [file for file in files if file not in readers and file.reads & names]:
        readers += new
        names |= {file.model for file in new}
    return readers


def list_stale_samples(project_dir: Path, models: Collection[str]) -> list[str]:
    """Lists the sample's files of gold that read a model which the project no longer has, each with its YAML.

    Args:
        project_dir: root of the dbt project.
        models: names of all other models.
    """
    files = list_gold_files(project_dir)
    gone = {name for file in files for name in file.reads} - {*models, *(file.model for file in files)}
    stale = [Path(file.path) for file in find_readers(files, gone) if file.is_sample]
    stale += [
        path for path in (path.with_name(f"_{path.stem}.yml") for path in stale) if _is_sample(project_dir / path)
    ]
    return sorted(path.as_posix() for path in stale)


def _is_sample(path: Path) -> bool:
    return path.exists() and path.read_text(encoding="utf-8").startswith(SAMPLE_MARKS)
