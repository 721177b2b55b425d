"""Command line of the continuous mode, `make watch`: `python -m python_udfs.watch --every 5`."""

from __future__ import annotations

import argparse
import math
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.cli.console import add_project_dir, argument_parser, run_command, say
from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.paths import PROJECT_ROOT, landing_root
from python_udfs.watch.loop import SECONDS_TO_ASK, Watch, follow
from python_udfs.watch.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Sequence

# A listing takes about as long; more than a day is a job for a scheduler.
_LEAST, _MOST = 0.1, 86_400


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until it is stopped.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        0 when stopped by SIGINT or SIGTERM, 1 if dbt cannot read the project.
    """
    parser = argument_parser("watch", "Build tables as their files come, until Ctrl-C.")
    parser.add_argument(
        "--every",
        type=_seconds,
        default=5.0,
        help=f"seconds from one listing to the next (default 5); brokers are asked every {SECONDS_TO_ASK:g} s",
    )
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)
    return run_command(lambda: _run(options.project_dir.resolve(), options.every))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not _LEAST <= seconds <= _MOST:
        raise argparse.ArgumentTypeError(
            f"received {text!r}, expected a number of seconds from {_LEAST:g} to {_MOST:g}"
        )
    return seconds


def _run(project: Path, every: float) -> None:
    stop = Stop()

    def stop_after_the_cycle(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop_after_the_cycle)
    say(f"Watching {landing_root()} every {every:g} s. Ctrl-C stops after the running cycle, twice at once.")
    watch = Watch(WarmDbt(project), spark_session, project)
    follow(watch, every, stop)
    say(f"Stopped.\n{watch.lags()}")


if __name__ == "__main__":
    sys.exit(main())
