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


def feed_location(location: str, root: str) -> str:
    """The location of a feed as Spark reads it.

    Args:
        location: the location in the feed's row of `cdc_feeds.csv`.
        root: the landing root, a folder or a URI.

    Returns:
        The location itself when it is absolute or a URI, else the location under the root.
    """
    return f"{root.rstrip('/')}/{location}" if is_relative(location) else location


def is_relative(location: str) -> bool:
    """Whether the location of a feed begins at the landing root: it is no URI, and no absolute path."""
    return "://" not in location and not location.startswith("/")
