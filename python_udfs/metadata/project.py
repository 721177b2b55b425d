"""The part of dbt_project.yml that the generated models depend on: the variable `cdc_readers`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from python_udfs.errors import Problem
from python_udfs.metadata.files import words
from python_udfs.metadata.readers import COPY_ON_WRITE, LIMITS, MERGE_ON_READ, POSITION_DELETES, READERS

PROJECT_FILE = "dbt_project.yml"
READERS_VARIABLE = "cdc_readers"
_DELETE_MODE = "write.delete.mode"


def read_project_readers(path: Path, problems: list[Problem]) -> tuple[str, ...]:
    """Returns the programs that read all tables, by the variable `cdc_readers`; none if the project states none.

    Args:
        path: dbt_project.yml; a folder of seeds alone has none.
        problems: gets the mistakes: a name that is unknown, and a write mode of gold that a reader reads wrong.
    """
    if not path.exists():
        return ()

    def problem(received: str, accepted: str, fix: str) -> None:
        problems.append(Problem(path.name, 0, "", received, accepted, fix))

    try:
        project = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        problem(f"text that is not YAML ({' '.join(str(error).split())})", "a project of dbt", "Correct it.")
        return ()
    variables = project.get("vars") or {}
    stated = {**variables, **(variables.get(project.get("name")) or {})}.get(READERS_VARIABLE) or []
    if not isinstance(stated, list):
        problem(f"{READERS_VARIABLE}: {stated!r}", "a list of names", f"Write it like [{READERS[0]}, {READERS[1]}].")
        return ()
    unknown = [name for name in stated if name not in READERS]
    if unknown:
        received = f"{READERS_VARIABLE} with {words(map(repr, unknown))}"
        problem(received, words(READERS), "Correct or remove the name.")
    readers = tuple(name for name in READERS if name in stated)
    limits = [limit for limit in LIMITS if limit.feature == POSITION_DELETES and limit.reader in readers]
    if limits and _read_gold_properties(project).get(_DELETE_MODE) == MERGE_ON_READ:
        reasons = "; ".join(f"{limit.reader} {limit.effect} ({limit.source})" for limit in limits)
        received = f"{_DELETE_MODE}: {MERGE_ON_READ} of gold, which means {POSITION_DELETES.words}: {reasons}"
        fix = f"Change it, or take {words(limit.reader for limit in limits)} out of {READERS_VARIABLE}."
        problem(received, f"{_DELETE_MODE}: {COPY_ON_WRITE}", fix)
    return readers


def _read_gold_properties(project: dict[str, Any]) -> dict[str, str]:
    models = (project.get("models") or {}).get(project.get("name")) or {}
    return (models.get("gold") or {}).get("+tblproperties") or {}
