"""Command line of lineage events, `make lineage`: `python -m python_udfs.lineage`."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openlineage.client import OpenLineageClient, set_producer
from openlineage.client.transport.file import FileConfig, FileTransport

from python_udfs.cli.console import add_project_dir, argument_parser, counted, run_command, say
from python_udfs.errors import LakehouseError
from python_udfs.lineage.events import PRODUCER, Lineage
from python_udfs.metadata import load_metadata
from python_udfs.paths import PROJECT_ROOT, landing_root, target_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openlineage.client.event_v2 import RunEvent

NAMESPACE = "lakehouse"
# Transports of OpenLineage that send to nobody: its default, and that of OPENLINEAGE_DISABLED.
NOBODY = ("console", "noop")
# Seconds that all events may take, and after which it is shown how many were sent.
LIMIT, PROGRESS = 60.0, 5.0


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
    """Whether the environment names a receiver for OpenLineage's client, and events are wanted after each run."""
    if os.environ.get("OPENLINEAGE_DISABLED", "").lower() == "true":
        return False
    return any(name.startswith("OPENLINEAGE_") for name in os.environ.keys() - {"OPENLINEAGE_NAMESPACE"})


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
    target = target_folder(project)
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
    if not events:
        command = f"dbt {results.get('args', {}).get('which', 'command')}"
        raise LineageError(f"There is nothing to report: the last command, {command}, built no table. Run dbt build.")
    try:
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
        client = OpenLineageClient(transport=FileTransport(FileConfig(str(file), append=True)) if file else None)
    except Exception as error:  # each transport has its own
        raise LineageError(f"OpenLineage's settings cannot be used: {error}.") from error
    if client.transport.kind in NOBODY:
        raise LineageError(
            f"Nobody gets the lineage events: OpenLineage's settings ask for its transport {client.transport.kind}."
            " Expected: OPENLINEAGE_URL=http://host:port, or another transport that sends."
        )
    say(f"Sending {counted(len(events), 'lineage event')} ...")
    _emit(client, events)
    return len(events)


def _emit(client: OpenLineageClient, events: Sequence[RunEvent]) -> None:
    """Sends events one by one; a receiver that is slow is shown, and given up after `LIMIT`."""
    began = shown_at = time.monotonic()
    for number, event in enumerate(events):
        now = time.monotonic()
        taken = f"{number} of {counted(len(events), 'lineage event')}"
        if now - began > LIMIT:
            raise LineageError(f"{taken} were taken in {LIMIT:.0f} s: the receiver is too slow. No table is affected.")
        if now - shown_at > PROGRESS:
            say(f"{taken} sent after {now - began:.0f} s ...")
            shown_at = now
        try:
            client.emit(event)
        except Exception as error:  # each transport has its own
            reason = f"{taken} were taken: {' '.join(str(error).split())[:300]}"
            raise LineageError(f"The lineage events were not taken: {reason}. The tables are not affected.") from error


def _send(project: Path, file: Path | None) -> None:
    say(f"{counted(send(project, file), 'lineage event')} sent{f' to {file}' if file else ''}")


def _read(path: Path) -> Any:
    if not path.exists():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LineageError(f"{path} is no JSON ({error}): a run was cut off. Run dbt build again.") from None


if __name__ == "__main__":
    sys.exit(main())
