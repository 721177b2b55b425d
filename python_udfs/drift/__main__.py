"""Prints what the files and messages that wait would change in the tables. It writes nothing.

``make drift`` lists the landing area first. Without ``--list`` the module takes the listing that is there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from python_udfs.cli.console import ExitCode, add_project_dir, argument_parser, run_command, say
from python_udfs.cli.dbt import Dbt, show_event
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
    parser.add_argument("--list", action="store_true", help="list the landing area first")
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)

    def work() -> int:
        project = options.project_dir.resolve()
        # A feed that cannot be listed is an error, and the listing has what waits for the others.
        is_whole = not options.list or _list_files(project)
        answer = Operations(project).ask("cdc_drift")
        if not answer["is_listed"]:
            raise DriftError(
                "There is no listing of the landing area yet. Run make drift, or first dbt run --select rejected_files"
                " raw_listing."
            )
        say(report(answer["tables"], answer["feeds"]))
        return ExitCode.DONE if is_whole else ExitCode.FAILED

    return run_command(work)


def _list_files(project: Path) -> bool:
    """Runs the models that list the landing area; whether all feeds could be listed."""
    outcome = Dbt(project, "--no-write-json", show=show_event)("run", "--select", "rejected_files", "raw_listing")
    if outcome.exception:
        raise DriftError(str(outcome.exception))
    return bool(outcome.success)


if __name__ == "__main__":
    sys.exit(main())
