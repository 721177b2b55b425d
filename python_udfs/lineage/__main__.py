"""Command line of lineage events, `make lineage`: `python -m python_udfs.lineage`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openlineage.client import OpenLineageClient, set_producer
from openlineage.client.transport.file import FileConfig, FileTransport

from python_udfs.cli.console import add_project_dir, argument_parser, run_command, say
from python_udfs.errors import LakehouseError
from python_udfs.lineage.events import PRODUCER, Lineage
from python_udfs.metadata import load_metadata
from python_udfs.paths import PROJECT_ROOT, landing_root

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMESPACE = "lakehouse"


class LineageError(LakehouseError):
    """There is no run to report, or nobody takes the events."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Sends what the last run of dbt read and wrote.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        0; 1 if there is no run, or the events are not taken.
    """
    parser = argument_parser("lineage", "OpenLineage events of the last run of dbt.")
    parser.add_argument(
        "--file", type=Path, help="append the events to this file, a line each (default: where OPENLINEAGE_… says)"
    )
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)
    return run_command(lambda: _send(options.project_dir.resolve(), options.file))


def is_configured() -> bool:
    """Whether the environment has settings of OpenLineage's client, and events are wanted after each run."""
    return any(name.startswith("OPENLINEAGE_") for name in os.environ)


def send(project: Path, file: Path | None) -> int:
    """Sends the events of the last run.

    Args:
        project: folder of dbt_project.yml.
        file: to append them to; None: to where OpenLineage's own settings point, such as OPENLINEAGE_URL.

    Returns:
        How many there were.

    Raises:
        LineageError: there is no run, no receiver, or it does not take them.
    """
    target = project / (os.environ.get("DBT_TARGET_PATH") or "target")
    if file is None and not is_configured():
        raise LineageError(
            "No receiver of lineage events is set. Expected: --file, or OPENLINEAGE_URL=http://host:port."
        )
    manifest, results = (_read(target / name) for name in ("manifest.json", "run_results.json"))
    if manifest is None or results is None:
        raise LineageError(
            f"There is no run to report: {target} has no manifest.json and run_results.json. Run dbt build."
        )
    lineage = Lineage(
        manifest,
        _read(target / "catalog.json"),
        load_metadata(project / "seeds"),
        landing_root(),
        os.environ.get("OPENLINEAGE_NAMESPACE") or NAMESPACE,
    )
    set_producer(PRODUCER)
    events = list(lineage.events(results))
    try:
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
        client = OpenLineageClient(transport=FileTransport(FileConfig(str(file), append=True)) if file else None)
        for event in events:
            client.emit(event)
    except Exception as error:  # each transport has its own
        raise LineageError(f"The lineage events were not taken: {error}. The tables are not affected.") from error
    return len(events)


def _send(project: Path, file: Path | None) -> None:
    say(f"{send(project, file)} lineage events sent{f' to {file}' if file else ''}")


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
