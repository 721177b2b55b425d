"""What every command shares: its arguments, what it prints, and the exit code it ends with.

The ``main`` of a command parses its arguments and ends with `run_command`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from python_udfs.errors import LakehouseError, UsageError


def argument_parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """The parser of a command's arguments.

    Args:
        module: the module that is run, without the package: ``codegen`` for ``python -m python_udfs.codegen``.
        description: what the command does.
    """
    return argparse.ArgumentParser(prog=f"python -m python_udfs.{module}", description=description)


def add_project_dir(parser: argparse.ArgumentParser, default: Path | None = None) -> None:
    """Adds ``--project-dir``, a Path; without a default, the current folder."""
    where = "this one" if default else "here"
    parser.add_argument(
        "--project-dir", type=Path, default=default or Path(), help=f"root of the dbt project (default: {where})"
    )


def run_command(work: Callable[[], int | None], failed: str = "") -> int:
    """Does the work of a command; a mistake of the user is reported in words, without a stack trace.

    Args:
        work: returns the exit code, or None for 0.
        failed: a sentence that follows an error of the work itself, for example what was left as it was.

    Returns:
        The exit code: that of the work, 1 after an error, 2 if the command cannot be done as it was asked for, 130
        after Ctrl-C.
    """
    try:
        return work() or 0
    except UsageError as error:
        complain(str(error))
        return 2
    except LakehouseError as error:
        complain(f"{error}\n{failed}" if failed else str(error))
    except OSError as error:
        if error.filename is None:
            raise  # no file of the user's
        complain(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        complain("Stopped.")
        return 130
    return 1


def say(text: str = "", stream: TextIO | None = None) -> None:
    """Prints a line at once and in one piece: dbt's threads print too."""
    stream = stream or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def complain(text: str) -> None:
    """Prints a line to standard error."""
    say(text, sys.stderr)


def text_table(head: Sequence[str], lines: Sequence[Sequence[str]], alignment: str) -> str:
    """A table with a rule below its head.

    Args:
        head: names of the columns.
        lines: a text for each column.
        alignment: a character for each column, ``<`` left or ``>`` right (numbers). A left-aligned last column is
            ruled no further than its name.
    """
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    if alignment.endswith("<"):
        widths[-1] = len(head[-1])
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(line, alignment, widths, strict=True)).rstrip()
        for line in (head, rule, *lines)
    )


def counted(number: int, noun: str) -> str:
    """A number of things in words: `1 row`, `2,000 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def duration_text(seconds: int) -> str:
    """A duration in its largest whole unit: ``42 s``, ``7 min``, ``3 h``, ``2,900 days``."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"
