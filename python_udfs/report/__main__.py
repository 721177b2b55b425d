"""Writes the state of all tables as one page, as JSON and as OpenMetrics text. It changes no table.

``make report`` is ``python -m python_udfs.report``. The numbers are those that runs have stored: three to five queries
of small tables, none per table.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from python_udfs.cli.console import add_project_dir, argument_parser, run_command, say
from python_udfs.cli.operation import Operations
from python_udfs.paths import PROJECT_ROOT, target_folder
from python_udfs.report.facts import RUNS, Facts
from python_udfs.report.needs import needs
from python_udfs.report.numbers import as_json, as_openmetrics
from python_udfs.report.page import page


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the report.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        The exit code, see `run_command`.
    """
    parser = argument_parser("report", __doc__)
    parser.add_argument("--output", type=Path, help="folder of the three files (default: target/report)")
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)

    def work() -> None:
        project = options.project_dir.resolve()
        answer = Operations(project).ask("cdc_report", runs=RUNS)
        facts = Facts.of(answer, datetime.now(timezone.utc))
        write(facts, options.output or target_folder(project) / "report")

    return run_command(work)


def write(facts: Facts, folder: Path) -> None:
    """Writes the three files, each in one step: a web server may serve the folder.

    Args:
        facts: what to show.
        folder: where; made if it is missing.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"report.html": page(facts), "report.json": as_json(facts), "report.prom": as_openmetrics(facts)}
    for name, text in texts.items():
        part = folder / f".{name}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(folder / name)
    open_needs = needs(facts)
    say(f"{len(facts.tables)} tables, {len(open_needs)} things need a person")
    for need in open_needs:
        say(f"  {need.kind}: {need.subject}: {' '.join(need.message.split())[:200]}")
    say(f"Open {os.path.relpath(folder / 'report.html')}; report.json and report.prom beside it hold the same numbers.")


if __name__ == "__main__":
    sys.exit(main())
