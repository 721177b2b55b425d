"""A table as text, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def write_table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Writes rows below their titles; a column is as wide as its longest cell.

    Args:
        titles: of the columns.
        rows: their cells; None is empty, and a line break is shown as one character.

    Returns:
        Lines without blanks at their ends.
    """
    cells = [list(titles), *([_show(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [cells[0], ["-" * width for width in widths], *cells[1:]]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def _show(cell: Any) -> str:
    return "" if cell is None else str(cell).replace("\n", "⏎")
