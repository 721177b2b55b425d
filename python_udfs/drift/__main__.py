"""Prints what the files that wait would change in the tables. It writes nothing.

``make drift`` lists the landing area first; ``python -m python_udfs.drift`` takes the listing that is there.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from python_udfs.drift.report import report
from python_udfs.errors import LakehouseError
from python_udfs.operation import Operations
from python_udfs.raw_listing import PROJECT_ROOT
from python_udfs.text import say


class DriftError(LakehouseError):
    """The landing area was not listed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the changes.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        0; 1 after an error that was told in words.
    """
    parser = argparse.ArgumentParser(prog="python -m python_udfs.drift", description=__doc__)
    parser.add_argument("--project-dir", type=Path, default=PROJECT_ROOT, help="folder of dbt_project.yml")
    options = parser.parse_args(arguments)
    try:
        answer = Operations(options.project_dir.resolve()).ask("cdc_drift")
        if not answer["is_listed"]:
            raise DriftError(
                "There is no listing of the landing area yet. Run make drift, or first dbt run --select rejected_files"
                " raw_listing."
            )
    except LakehouseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    say(report(answer["tables"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
