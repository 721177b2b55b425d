"""Shared by every command: arguments, output and exit codes.

The ``main`` of a command parses its arguments and ends with `run_command`.
"""

from __future__ import annotations

import argparse
import errno
import re
import sys
from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NoReturn, TextIO

from python_udfs.errors import LakehouseError, UsageError

# Control characters, and those that turn the direction of writing: names and values come from other people's data.
_HIDDEN = [*range(9), *range(11, 32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_SHOWN = {code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" for code in _HIDDEN}

_RIGHTS = (
    ". Expected: a place that this user may read and write. Give the right to, or set the variables of docs/runbook.md,"
    " A checkout that is only read."
)


class ExitCode(IntEnum):
    """Exit codes of a command (docs/runbook.md, Exit codes)."""

    DONE = 0
    FAILED = 1
    REFUSED = 2
    """It cannot be done as it was asked for: nothing was begun."""
    TEMPORARY = 75
    """The same command may succeed later although nobody has done anything: "try again later" of sysexits.h."""
    STOPPED = 130
    """Ctrl-C."""


class _Parser(argparse.ArgumentParser):
    """argparse prints words of the command line as they are, with the password of a URL among them."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"://\S*@", "://***@", message)
        complain(f"{self.format_usage()}{self.prog}: error: {message}")
        raise SystemExit(ExitCode.REFUSED)


def argument_parser(module: str, description: str | None) -> argparse.ArgumentParser:
    """The parser of a command's arguments.

    Args:
        module: the module that is run, without the package: ``codegen`` for ``python -m python_udfs.codegen``.
        description: what the command does.
    """
    return _Parser(prog=f"python -m python_udfs.{module}", description=description)


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
        The exit code, one of `ExitCode`.
    """
    try:
        return work() or ExitCode.DONE
    except UsageError as error:
        complain(str(error))
        return ExitCode.REFUSED
    except LakehouseError as error:
        complain(f"{error}\n{failed}" if failed else str(error))
    except OSError as error:
        if error.filename is None:
            raise  # no file of the user's
        refused = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        complain(f"{error.filename}: {error.strerror}{_RIGHTS if refused else ''}")
    except KeyboardInterrupt:
        complain("Stopped.")
        return ExitCode.STOPPED
    return ExitCode.FAILED


def say(text: str = "", stream: TextIO | None = None) -> None:
    """Prints a line at once and in one piece: dbt's threads print too. Control characters are shown, not obeyed."""
    stream = stream or sys.stdout
    stream.write(f"{text.translate(_SHOWN)}\n")
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
