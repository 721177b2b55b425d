"""The demonstration: lands the scenarios, builds the project and shows the result.

``python -m python_udfs.sample_data.demo run`` is ``make demo``. ``… land full|changes`` only writes files into the
landing root (LAKEHOUSE_RAW, or ``data/raw`` of the project).
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from python_udfs.cli.console import argument_parser, run_command, say, text_table
from python_udfs.cli.dbt import Dbt, show_event, spark_session
from python_udfs.errors import LakehouseError
from python_udfs.metadata.names import default_target
from python_udfs.paths import PROJECT_ROOT, landing_root, target_folder
from python_udfs.sample_data import scenarios
from python_udfs.sample_data.land import land_changes, land_full_load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from pyspark.sql import SparkSession

    from python_udfs.sample_data.dms_writer import SourceTable

# Lists what earlier demonstrations made, one absolute path a line: nothing else is ever removed.
MARKER = PROJECT_ROOT / "data" / ".demo"
DOCS_PAGE = target_folder(PROJECT_ROOT) / "static_index.html"


class DemoError(LakehouseError):
    """The demonstration cannot start, or did not end as it must."""


@dataclass(frozen=True)
class Sync:
    """Effect of one build on one silver table, and its state; the columns of the table the demo ends with."""

    feed: str
    rows: int
    inserted: int | None
    updated: int | None
    deleted: int | None

    @property
    def counts(self) -> tuple[int | None, int | None, int | None]:
        """What its last run inserted, updated and deleted; None: not counted."""
        return self.inserted, self.updated, self.deleted


def run(*, is_apart: bool = False) -> None:
    """Lands the full load, builds; lands the changes, builds; builds again; writes the docs; shows the result.

    Args:
        is_apart: whether the folders are the caller's own: nothing is removed before, and what was made is not noted.

    Raises:
        DemoError: folders that hold something else, or an end state other than the source's.
        DbtError: a dbt step failed.
    """
    raw, warehouse = _local_folders("LAKEHOUSE_RAW", "LAKEHOUSE_WAREHOUSE")
    if not is_apart:
        _remove_previous(raw, warehouse)
        _claim(raw, warehouse)
    dbt = Dbt(PROJECT_ROOT, "--target", "local", "--log-level-file", "debug", show=show_event)

    counts = land_full_load(raw)
    say(f"1/4 Full load landed: {len(counts)} tables, {sum(counts.values()):,} rows in {raw}")
    _build(dbt)

    counts = land_changes(raw)
    say(f"2/4 Changes landed: {sum(counts.values()):,} changes in {len(counts)} tables")
    _build(dbt)
    spark = spark_session()
    changed, refreshed = read_sync_states(spark), read_refreshes(spark)
    before = snapshots(spark)

    say("3/4 Nothing new landed")
    _build(dbt)

    say("4/4 Documentation")
    dbt.result("docs", "generate", "--static")

    problems = [*_differences(spark), *list_wrong_counts(changed), *_additions(before, snapshots(spark))]
    say()
    say(write_result_table(changed, count_rejected_rows(spark)))
    say()
    say(gold_table(refreshed))
    say()
    say("Inserted, updated and deleted are those of step 2.")
    if problems:
        raise DemoError("The demonstration did not end as it must:\n" + "\n".join(f"  {line}" for line in problems))
    say("Checked: silver equals the source, row for row, and so do the counts of step 2 if Spark counts them.")
    say("Checked: step 3 added no snapshot to bronze, silver or gold.")
    say("Checked by the build: each gold table equals its query, recomputed at the snapshots of its inputs.")
    say("Column age of test_db.user came with a message; it is text until cdc_columns.csv gives it a type.")
    say(f"Documentation, lineage included: {DOCS_PAGE}")


def _build(dbt: Dbt) -> None:
    """``dbt build``, a line per model, then the number of nodes of each kind."""
    result = dbt.result("build")
    kinds = Counter(str(node.node.resource_type) for node in result.results)
    done = ", ".join(f"{kinds[kind]} {kind}s" for kind in ("seed", "model", "test") if kinds[kind])
    say(f"    {done} in {result.elapsed_time:.0f} s")


def read_sync_states(spark: SparkSession) -> dict[str, Sync]:
    """``etl_metadata.silver_sync_state`` by source table (``schema.table``)."""
    return {
        f"{row.source_schema}.{row.source_table}": Sync(
            row.feed, row.rows_total, row.rows_inserted, row.rows_updated, row.rows_deleted
        )
        for row in spark.table("etl_metadata.silver_sync_state").collect()
    }


def list_wrong_counts(states: dict[str, Sync]) -> list[str]:
    """What is wrong with the rows that the build of the changes counted: a line for each table.

    Args:
        states: of the tables, as `read_sync_states` returns them. One that was not counted is right.
    """
    expected = {
        f"{table.schema}.{table.name}": counts for source in scenarios.sources() for table, counts in source.counts()
    }
    return [
        f"{table}: counted {state.counts} rows inserted, updated and deleted, expected {expected[table]}"
        for table, state in sorted(states.items())
        if None not in state.counts and state.counts != expected[table]
    ]


def count_rejected_rows(spark: SparkSession) -> Counter[str]:
    """Quarantined rows plus rejected files by source table (``schema.table``)."""
    return Counter(
        f"{row.source_schema}.{row.source_table}"
        for name in ("quarantine", "rejected_files")
        for row in spark.table(f"etl_metadata.{name}").select("source_schema", "source_table").collect()
    )


def read_refreshes(spark: SparkSession) -> dict[str, tuple[int, str, str]]:
    """Rows of each gold table, and the way and reason that its newest commit records."""
    states = {}
    for name in sorted(row.tableName for row in spark.sql("show tables in gold").collect()):
        [newest] = spark.sql(
            f"select max_by(summary, committed_at) as summary from gold.{name}.snapshots"
            " where map_contains_key(summary, 'cdc.gold-mode')"
        ).collect()
        mode, reason = newest.summary["cdc.gold-mode"], newest.summary["cdc.gold-reason"]
        states[name] = (spark.table(f"gold.{name}").count(), mode, reason)
    return states


def gold_table(states: dict[str, tuple[int, str, str]]) -> str:
    """What step 2 did to each gold table, one line per table."""
    lines = [(name, f"{rows:,}", mode, reason) for name, (rows, mode, reason) in states.items()]
    return text_table(("gold table", "rows", "step 2", "because"), lines, "<><<")


def snapshots(spark: SparkSession) -> dict[str, int]:
    """The number of snapshots of every bronze, silver and gold table, by ``layer.table``."""
    return {
        table: spark.table(f"{table}.snapshots").count()
        for layer in ("bronze", "silver", "gold")
        for table in [f"{layer}.`{row.tableName}`" for row in spark.sql(f"show tables in {layer}").collect()]
    }


def write_result_table(states: dict[str, Sync], rejected: Counter[str]) -> str:
    """The table the demonstration ends with, one line per source table, numbers right-aligned."""
    head = ("source table", "comes as", "rows", "inserted", "updated", "deleted", "rejected")
    lines = [
        (
            table,
            scenarios.COMES_AS[state.feed],
            *(
                "not counted" if number is None else f"{number:,}"
                for number in (state.rows, *state.counts, rejected[table])
            ),
        )
        for table, state in sorted(states.items())
    ]
    return text_table(head, lines, "<<>>>>>")


def differences(table: str, expected: Sequence[dict[str, Any]], actual: Sequence[dict[str, Any]]) -> list[str]:
    """Returns the faults of the rows: at most one line; rows are compared as a multiset.

    Args:
        table: the name to show.
        expected: the rows that must be there.
        actual: the rows that are there.
    """
    missing = Counter(map(_comparable, expected)) - Counter(map(_comparable, actual))
    needless = Counter(map(_comparable, actual)) - Counter(map(_comparable, expected))
    if not missing and not needless:
        return []
    examples = [f"{word} {dict(next(iter(rows)))}" for word, rows in (("lacks", missing), ("has", needless)) if rows]
    return [f"{table}: {len(actual):,} rows, expected {len(expected):,}; for example it {', it '.join(examples)}"]


def main(arguments: list[str] | None = None) -> int:
    """Runs one subcommand.

    Args:
        arguments: the command line without the program's name; None: that of the process.

    Returns:
        The exit code: 0, 1 after an error that was reported in words, 130 after Ctrl-C.
    """
    parser = argument_parser("sample_data.demo", "Demonstration data and run.")
    commands = parser.add_subparsers(dest="command", required=True)
    land = commands.add_parser("land", help="write demonstration files into the landing root")
    land.add_argument("step", choices=("full", "changes"), help="full: the full loads; changes: what happens after")
    land.add_argument(
        "--day", type=date.fromisoformat, default=scenarios.CURRENT_DAY, help="day of the changes (default %(default)s)"
    )
    build = commands.add_parser("run", help="land and build three times, then show the result")
    build.add_argument("--apart", action="store_true", help="in empty folders of your own, of which nothing is noted")
    options = parser.parse_args(arguments)
    if options.command == "run":
        return run_command(lambda: run(is_apart=options.apart))
    return run_command(lambda: _land(options.step, options.day))


def _land(step: str, day: date) -> None:
    (root,) = _local_folders("LAKEHOUSE_RAW")
    counts = (land_full_load if step == "full" else land_changes)(root, day)
    say(f"Landed in {root}: " + ", ".join(f"{table} {rows:,} rows" for table, rows in counts.items()))


def _local_folders(*variables: str) -> list[Path]:
    """The folders that LAKEHOUSE_RAW and LAKEHOUSE_WAREHOUSE stand for; relative ones are made absolute for dbt too."""
    values = {
        "LAKEHOUSE_RAW": landing_root(),
        "LAKEHOUSE_WAREHOUSE": os.environ.get("LAKEHOUSE_WAREHOUSE") or str(PROJECT_ROOT / "data" / "warehouse"),
    }
    remote = [f"{name} is {values[name]}" for name in variables if "://" in values[name]]
    if remote:
        raise DemoError(
            f"The demonstration writes to local folders, but {' and '.join(remote)}. Unset it, or give a local folder."
        )
    folders = [Path(values[name]).resolve() for name in variables]
    for name, folder in zip(variables, folders, strict=True):
        if os.environ.get(name):
            os.environ[name] = str(folder)
    return folders


def _visible_files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(".")]


def _remove_previous(raw: Path, warehouse: Path) -> None:
    """Removes what the marker lists; anything else in the two folders stops the demonstration before that."""
    marker = _marker(raw)
    claimed = set(marker.read_text().splitlines()) if marker.exists() else set()
    foreign = [path for path in _visible_files(raw) if str(path) not in claimed]
    if str(warehouse) not in claimed:
        # A catalog without tables is what a bare `dbt debug` leaves.
        foreign += [path for path in _visible_files(warehouse) if not path.name.startswith("catalog.db")]
    if foreign:
        shown = [f"  {path}" for path in foreign[:5]] + [f"  and {len(foreign) - 5:,} more"] * bool(foreign[5:])
        raise DemoError(
            "The demonstration needs its two folders for itself, but it did not make these files:\n"
            + "\n".join(shown)
            + "\nMove them away, or set LAKEHOUSE_RAW and LAKEHOUSE_WAREHOUSE to empty folders; "
            "`make clean` removes ./data with all it holds."
        )
    for path in _visible_files(raw):
        path.unlink()
    for folder in sorted((path for path in raw.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    if warehouse.exists():
        shutil.rmtree(warehouse)


def _marker(raw: Path) -> Path:
    """Where the marker is: beside the landed files in a checkout that is only read."""
    from dbt.adapters.sparksession.folders import obstacle  # noqa: PLC0415 - imports dbt, which only `run` needs

    return raw / MARKER.name if obstacle(MARKER.parent) else MARKER


def _claim(raw: Path, warehouse: Path) -> None:
    """Lists in the marker all that the demonstration is going to make, before it makes any of it."""
    with tempfile.TemporaryDirectory() as scratch:
        land_full_load(Path(scratch))
        land_changes(Path(scratch))
        files = [raw / path.relative_to(scratch) for path in _visible_files(Path(scratch))]
    marker = _marker(raw)
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text("".join(f"{path}\n" for path in [warehouse, *files]))


def _differences(spark: SparkSession, feeds: Collection[str] = tuple(scenarios.COMES_AS)) -> list[str]:
    """Silver against the source's state after all that was landed, table by table."""
    return [
        line
        for source in scenarios.sources()
        if source.feed in feeds
        for table, rows in source.end()
        for silver in [f"silver.{default_target(table.schema, table.name)}"]
        for line in differences(
            silver,
            [_as_described(table, row) for row in rows],
            [row.asDict() for row in spark.table(silver).select(list(rows[0])).collect()],
        )
    ]


def _as_described(table: SourceTable, row: dict[str, Any]) -> dict[str, Any]:
    """A row as silver has it: what comes in a column that the metadata does not have is text."""
    described = {column.name for column in table.columns}
    return {name: value if name in described or value is None else str(value) for name, value in row.items()}


def _additions(before: dict[str, int], after: dict[str, int]) -> Iterable[str]:
    return (
        f"{table}: {count} snapshots after a build with nothing new, expected {before.get(table, 0)} as before it"
        for table, count in after.items()
        if count != before.get(table, 0)
    )


def _comparable(row: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The row with its times in UTC: Spark returns instants in the zone of this machine, without saying so."""
    return tuple(
        (name, value.astimezone(timezone.utc) if isinstance(value, datetime) else value)
        for name, value in sorted(row.items())
    )


if __name__ == "__main__":
    sys.exit(main())
