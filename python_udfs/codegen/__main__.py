"""Command line of the generator: `python -m python_udfs.codegen [--check]`."""

from __future__ import annotations

import re
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.cli.console import ExitCode, add_project_dir, argument_parser, complain, run_command, say
from python_udfs.codegen.corrected_types import corrected_types
from python_udfs.codegen.files import make_plan
from python_udfs.codegen.render import render
from python_udfs.metadata import load_metadata

if TYPE_CHECKING:
    from collections.abc import Sequence

    from python_udfs.codegen.files import Plan
    from python_udfs.metadata import Metadata

DIFF_LINES = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the generated files, or with ``--check`` only report whether they are current.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        0, or 1 if the metadata has problems, a file cannot be written or ``--check`` found a difference.
    """
    parser = argument_parser("codegen", "Write the generated dbt models.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not current")
    add_project_dir(parser)
    options = parser.parse_args(arguments)
    return run_command(lambda: _run(options.project_dir, check=options.check), failed="Nothing was written.")


def _run(project_dir: Path, *, check: bool) -> int:
    seeds_dir = project_dir / "seeds"
    metadata = load_metadata(seeds_dir)
    plan = make_plan(project_dir, render(metadata, seeds_dir))
    for name in plan.by_hand:
        say(f"{name}: written by hand (its first line is not the mark), left as it is")
    if check:
        return _report(plan)
    for sentence in (*_warnings(metadata), *corrected_types(plan)):
        say(sentence)
    plan.apply()
    written = len(plan.missing) + len(plan.differing)
    say(
        f"{len(metadata.active_tables)} tables: {written} files written, {len(plan.unchanged)} unchanged, "
        f"{len(plan.stale)} removed"
    )
    return 0


def _warnings(metadata: Metadata) -> list[str]:
    """A line for each feed whose options may give wrong numbers that nothing shows."""
    scaled = {
        table.feed
        for table in metadata.active_tables
        for column in table.columns
        if re.match(r"decimal\(\d+,[1-9]", column.data_type or "")
    }
    return [
        f"warning: feed {feed.feed}: decimals=base64 takes the scale from cdc_columns. A scale that changes at the "
        "source gives wrong numbers in messages without a schema: send schemas, or set decimal.handling.mode=string "
        "and decimals=text."
        for feed in metadata.feeds
        if feed.feed in scaled and dict(feed.options.of_messages).get("decimals") == "base64"
    ]


def _report(plan: Plan) -> int:
    if plan.is_current:
        say(f"{len(plan.unchanged)} generated files are current")
        return ExitCode.DONE
    for word, names in (("missing", plan.missing), ("differs", plan.differing), ("stale", plan.stale)):
        for name in names:
            complain(f"{name}: {word}")
    first = (plan.differing + plan.missing + plan.stale)[0]
    for line in islice(plan.diff(first), DIFF_LINES):
        complain(line)
    complain("Generated files are not current: run make models.")
    return ExitCode.FAILED


if __name__ == "__main__":
    sys.exit(main())
