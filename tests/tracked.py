"""The files that git tracks."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]


@functools.cache
def list_files(*patterns: str) -> list[str]:
    """Paths, below the project, of the tracked files that match one of the patterns or lie in one of the folders."""
    return subprocess.check_output(["git", "ls-files", *patterns], cwd=ROOT, text=True).split()
