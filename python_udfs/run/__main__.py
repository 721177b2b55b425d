"""Command line of a build for a scheduler: `python -m python_udfs.run --result result.json`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from python_udfs.cli.console import ExitCode, add_project_dir, argument_parser, complain, run_command, say
from python_udfs.cli.dbt import Dbt, show_event, spark_session
from python_udfs.errors import UsageError
from python_udfs.metadata import load_metadata
from python_udfs.paths import PROJECT_ROOT
from python_udfs.run.causes import may_pass
from python_udfs.run.outcome import Outcome, sort_results

if TYPE_CHECKING:
    from collections.abc import Sequence

# As the view silver_sync_state has them; a first build in which a table fails makes run_metrics and not yet that view.
FACTS = """
    select
        silver_table, snapshot_id, rows_total as rows,
        unix_timestamp(current_timestamp()) - unix_timestamp(newest_committed_at) as lag_seconds,
        rows_inserted as inserted, rows_updated as updated, rows_deleted as deleted
    from etl_metadata.run_metrics
    where is_newest
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds feeds or single tables, tests them, and writes what became of each table.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        The exit code, see `run_command`: `TEMPORARY` if a failure may pass by itself.
    """
    parser = argument_parser("run", "One build for a scheduler: what became of each table, as JSON.")
    parser.add_argument("--feeds", default="", help="names of feeds, with commas (default: all, with what is of none)")
    parser.add_argument("--tables", default="", help="names of silver tables, with commas: these and nothing else")
    parser.add_argument("--result", type=Path, required=True, help="file to write; an older one is removed first")
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)
    feeds, tables = (tuple(filter(None, text.split(","))) for text in (options.feeds, options.tables))
    return run_command(lambda: _run(options.project_dir.resolve(), feeds, tables, options.result))


def _run(project: Path, feeds: Sequence[str], tables: Sequence[str], path: Path) -> int:
    selection = write_selection(project, feeds, tables)
    path.unlink(missing_ok=True)
    done = Dbt(project, show=show_event)("build", *selection)
    results = getattr(done.result, "results", None)
    if isinstance(done.exception, KeyboardInterrupt):
        raise done.exception
    if not results and not done.success:
        reason = " ".join(str(done.exception or "dbt failed, see logs/dbt.log").split())
        complain(reason)
        return ExitCode.TEMPORARY if may_pass(reason) else ExitCode.FAILED
    outcome = sort_results(results or ())
    _add_facts(outcome)
    _write(path, asdict(outcome))
    _report_lineage(project)
    for name, table in sorted(outcome.tables.items()):
        say(f"{name}: {table.state}{': ' if table.message else ''}{table.message}")
    for message in outcome.others:
        complain(message)
    if outcome.may_pass:
        return ExitCode.TEMPORARY
    return ExitCode.FAILED if outcome.has_failed else ExitCode.DONE


def write_selection(project: Path, feeds: Sequence[str], tables: Sequence[str]) -> list[str]:
    """The words that follow `dbt build`.

    Args:
        project: folder of dbt_project.yml.
        feeds: names of feeds; empty: all.
        tables: names of tables in silver; empty: those of the feeds.

    Raises:
        UsageError: a name that the metadata does not have; all of them at once.
    """
    metadata = load_metadata(project / "seeds")
    models = {table.target_table: table.model("silver") for table in metadata.active_tables}
    names = [feed.feed for feed in metadata.feeds]
    problems = [f"--feeds {name}: not a feed; expected {', '.join(names)}" for name in feeds if name not in names]
    problems += [
        f"--tables {name}: not an active table; see seeds/cdc_tables.csv" for name in tables if name not in models
    ]
    if problems:
        raise UsageError(problems)
    if tables:
        # Tests of all tables would find the files that were listed now and wait for the others.
        return ["--select", *(f"+{models[name]}+" for name in tables), "--exclude", "test_type:singular"]
    if feeds:
        # Of a feed also what it depends on, the listing, and what depends on it, the metrics and gold.
        selected = [f"+tag:feed:{name}+" for name in feeds]
        return ["--select", *selected, "--vars", json.dumps({"cdc_checked_feeds": list(feeds)})]
    return []


def _add_facts(outcome: Outcome) -> None:
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - only if Spark runs already

    try:
        rows = spark_session().sql(FACTS).collect()
    except AnalysisException as error:
        # The first build may fail before there is such a table.
        complain(f"etl_metadata.run_metrics cannot be read: {str(error).splitlines()[0]}")
        return
    for row in rows:
        name = row.silver_table.rsplit(".", 1)[-1]
        if name in outcome.tables:
            facts = row.asDict()
            del facts["silver_table"]
            outcome.tables[name].facts = facts


def _report_lineage(project: Path) -> None:
    """Where OpenLineage is configured. A receiver that is down is no failure of the build."""
    from python_udfs.lineage.__main__ import LineageError, is_configured, send  # noqa: PLC0415 - few need it

    if is_configured():
        try:
            say(f"{send(project, None)} lineage events sent")
        except LineageError as error:
            complain(str(error))


def _write(path: Path, content: dict[str, Any]) -> None:
    """In one piece: a reader never finds half a result."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, default=str, indent=1), encoding="utf-8")
    part.replace(path)


if __name__ == "__main__":
    sys.exit(main())
