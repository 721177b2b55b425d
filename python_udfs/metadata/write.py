"""Writes the seeds, as a whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from python_udfs.metadata.load import load_metadata
from python_udfs.metadata.project import PROJECT_FILE


def write_checked(seeds: Path, texts: Mapping[str, str]) -> None:
    """Writes CSV files of the seeds, if the seeds are valid with them.

    Args:
        seeds: folder of the seeds.
        texts: text of each file, by name.

    Raises:
        MetadataError: the seeds would not be valid; nothing is written.
    """
    with tempfile.TemporaryDirectory() as folder:
        trial = Path(folder) / seeds.name
        trial.mkdir()
        if (project_file := seeds.parent / PROJECT_FILE).exists():
            shutil.copy(project_file, folder)
        for target in (trial, seeds):
            for name, text in texts.items():
                (target / name).write_bytes(text.encode("utf-8"))
            load_metadata(target)
