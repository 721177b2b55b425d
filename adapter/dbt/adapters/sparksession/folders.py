"""Whether this process may write to the folders it is about to write to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def obstacle(folder: Path) -> str | None:
    """Why nothing can be written to a folder, which may have yet to be made; None: nothing stands in the way.

    Args:
        folder: its path. Nothing is made.
    """
    # Path.exists raises if a folder above may not be looked into.
    there = next((path for path in (folder, *folder.parents) if os.path.exists(path)), folder)  # noqa: PTH110
    if not there.is_dir():
        return f"{there} is no folder"
    return None if os.access(there, os.W_OK | os.X_OK) else f"this user may not write to {there}"


def refusal(folders: Mapping[str, Path]) -> str | None:
    """A message about all folders that cannot be written to; None if there is no such.

    Args:
        folders: by what changes each of them, such as the name of an environment variable.
    """
    refused = [(name, folder, why) for name, folder in folders.items() if (why := obstacle(folder))]
    if not refused:
        return None
    lines = [f"  - {folder}: {why} (set by {name})" for name, folder, why in refused]
    return "\n".join(
        [
            "Nothing was done: these folders cannot be written to.",
            *lines,
            "Expected: folders that this user may write to. Give the right to, or set what is named in parentheses to"
            " other folders.",
        ]
    )
