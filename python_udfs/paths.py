"""Where the project is, and where its files land."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parent.parent


def target_folder(project: Path) -> Path:
    """The folder that dbt, the report and the pages are written to: `DBT_TARGET_PATH`, or `target` in the project."""
    return project / (os.environ.get("DBT_TARGET_PATH") or "target")


def landing_root() -> str:
    """The folder that relative feed locations start from: `LAKEHOUSE_RAW`, or `data/raw` in the project."""
    return os.environ.get("LAKEHOUSE_RAW") or str(PROJECT_ROOT / "data" / "raw")
