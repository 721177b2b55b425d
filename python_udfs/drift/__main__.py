"""Prints what the files and messages that wait would change in the tables. It writes nothing.

``make drift`` lists the landing area first; ``python -m python_udfs.drift`` takes the listing that is there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from python_udfs.cli.console import add_project_dir, argument_parser, run_command, say
from python_udfs.cli.operation import Operations
from python_udfs.drift.report import report
from python_udfs.errors import LakehouseError
from python_udfs.paths import PROJECT_ROOT


class DriftError(LakehouseError):
    """The landing area was not listed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the changes.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        The exit code, see `run_command`.
    """
    parser = argument_parser("drift", __doc__)
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)

    def work() -> None:
        project = options.project_dir.resolve()
        answer = Operations(project).ask("cdc_drift")
        if not answer["is_listed"]:
            raise DriftError(
                "There is no listing of the landing area yet. Run make drift, or first dbt run --select rejected_files"
                " raw_listing."
            )
        say(report(answer["tables"], answer["feeds"]))

    return run_command(work)


if __name__ == "__main__":
    sys.exit(main())
