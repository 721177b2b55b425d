"""What people read on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def say(text: str = "") -> None:
    """Prints a line at once and in one piece: dbt's threads print too."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def text_table(head: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table with a rule below its head.

    Args:
        head: names of the columns.
        lines: a text for each column.
        left: how many columns are left-aligned; those after them are numbers.
    """
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (head, rule, *lines)
    )


def duration_text(seconds: int) -> str:
    """A duration in its largest whole unit: ``42 s``, ``7 min``, ``3 h``, ``2,900 days``."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"
