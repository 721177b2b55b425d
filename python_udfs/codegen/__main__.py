"""Command line of the generator: `python -m python_udfs.codegen [--check]`."""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.codegen.files import make_plan
from python_udfs.codegen.render import render
from python_udfs.errors import LakehouseError
from python_udfs.metadata import load_metadata

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from python_udfs.codegen.files import Plan

DIFF_LINES = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the generated files, or with ``--check`` only say whether they are current.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        0, or 1 if the metadata has problems, a file cannot be written or ``--check`` found a difference.
    """
    parser = argparse.ArgumentParser(
        prog="python -m python_udfs.codegen", description="Write the generated dbt models."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not current")
    parser.add_argument("--project-dir", type=Path, default=Path(), help="root of the dbt project (default: here)")
    options = parser.parse_args(arguments)
    try:
        return _run(options.project_dir, check=options.check)
    except LakehouseError as error:
        _say(f"{error}\nNothing was written.", sys.stderr)
    except OSError as error:
        _say(f"{error.filename}: {error.strerror}", sys.stderr)
    return 1


def _run(project_dir: Path, *, check: bool) -> int:
    seeds_dir = project_dir / "seeds"
    metadata = load_metadata(seeds_dir)
    plan = make_plan(project_dir, render(metadata, seeds_dir))
    for name in plan.by_hand:
        _say(f"{name}: written by hand (its first line is not the mark), left as it is")
    if check:
        return _report(plan)
    plan.apply()
    written = len(plan.missing) + len(plan.differing)
    _say(
        f"{len(metadata.active_tables)} tables: {written} files written, {len(plan.unchanged)} unchanged, "
        f"{len(plan.stale)} removed"
    )
    return 0


def _report(plan: Plan) -> int:
    if plan.is_current:
        _say(f"{len(plan.unchanged)} generated files are current")
        return 0
    for word, names in (("missing", plan.missing), ("differs", plan.differing), ("stale", plan.stale)):
        for name in names:
            _say(f"{name}: {word}", sys.stderr)
    first = (plan.differing + plan.missing + plan.stale)[0]
    for line in islice(plan.diff(first), DIFF_LINES):
        _say(line, sys.stderr)
    _say("Generated files are not current: run make models.", sys.stderr)
    return 1


def _say(text: str, stream: TextIO | None = None) -> None:
    print(text, file=stream or sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
