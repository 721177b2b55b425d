"""Checks at the start of a dbt command, reports and records at its end."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.metadata.project import PROJECT_FILE, READERS_VARIABLE
from python_udfs.pipeline.checks import read_records
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.empty_tables import list_columns
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.results import BUILT, TEST_FAILED, TEST_WARNED
from python_udfs.pipeline.table import holds_data
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, Writer

_SHOWN_MODELS = 10
_SHOWN_ROWS = 5


def require_unchanged_seeds(
    nodes: Mapping[str, Any], project: str, checksums: Mapping[str, Any], readers: Collection[str]
) -> None:
    """Ends a command whose models were generated from other seeds: they would answer for the wrong tables.

    Args:
        nodes: of dbt's graph, by unique id.
        project: its name.
        checksums: of the seeds that the models were generated from, by their names; `cdc_readers`: the programs that
            they were generated for.
        readers: the variable `cdc_readers` now.

    Raises:
        LakehouseError: it names each file that has changed.
    """
    seeds = {name: nodes.get(f"seed.{project}.{name}") for name in checksums if name != READERS_VARIABLE}
    changed = [
        f"seeds/{name}.csv"
        for name, seed in seeds.items()
        if not seed or seed["checksum"]["checksum"] != checksums[name]
    ]
    if set(readers) != set(checksums[READERS_VARIABLE]):
        changed.append(f"{READERS_VARIABLE} of {PROJECT_FILE}")
    if changed:
        raise LakehouseError(
            "CDC error (cdc_check_seed_checksums): seeds changed: run make models. Changed since the models were"
            f" generated: {', '.join(changed)}."
        )


def require_listed_feeds(warehouse: Warehouse, unique_id: str) -> None:
    """Ends raw_listing with an error if a feed could not be listed: such a feed looks up to date.

    The rows of the other feeds are written, so nothing is skipped for the error.

    Args:
        warehouse: its session has the sentence.
        unique_id: of the node.

    Raises:
        LakehouseError: it names the feeds.
    """
    unlisted = warehouse.query("set cdc.unlisted.feeds")[0]["value"]
    if unlisted not in ("", "<undefined>"):
        warehouse.notes("incomplete")[unique_id] = True
        raise LakehouseError(unlisted)


def require_no_gaps(warehouse: Warehouse, sql: Sql, gaps: Relation) -> None:
    """Ends kafka_gaps with an error if a partition waits because messages are gone that were not read.

    Args:
        warehouse: with the view.
        sql: macros by name.
        gaps: the view.

    Raises:
        LakehouseError: it has each gap.
    """
    rows = warehouse.query(sql["cdc_waiting_gaps_sql"](gaps))
    if rows:
        lines = "\n".join(sorted(f"  - feed {row['feed']}: {row['description']}" for row in rows))
        raise LakehouseError(
            f"CDC error (kafka_gaps): messages are gone from Kafka that were not read:\n{lines}\nExpected: a run before"
            " Kafka removes messages. These partitions wait, and all others are read. Find out what was lost"
            " (docs/feeds/kafka.md). Then read on: LAKEHOUSE_KAFKA_GAPS=continue dbt build, or on_gap=continue in"
            " seeds/cdc_feeds.csv."
        )


def find_failed_rows(warehouse: Warehouse, results: Iterable[Any]) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Returns the first rows that each failed data test found, by the id of its node.

    They are asked for once a command. Nothing at the end of a command fails for a test whose rows cannot be read again:
    it has none.

    Args:
        warehouse: with the tables.
        results: dbt's results of the command.
    """

    def ask(test: Any) -> Sequence[Mapping[str, Any]]:
        rows_sql = f"select * from ({test.compiled_code}\n) limit {_SHOWN_ROWS}"
        rows: Sequence[Mapping[str, Any]] = warehouse.ask_once(
            ("failed rows", test.unique_id), lambda: warehouse.attempt(rows_sql)["rows"]
        )
        return rows

    return {
        result.node.unique_id: ask(result.node)
        for result in results
        if result.node.resource_type == "test" and str(result.status) in (TEST_FAILED, TEST_WARNED)
    }


def report_failures(warehouse: Warehouse, sql: Sql, results: Sequence[Any]) -> None:
    """Logs which tables are older than they look, and the first rows that failed tests found.

    A count of failures sends people searching.

    Args:
        warehouse: with the tables.
        sql: dbt's `log`, by its name.
        results: dbt's results of the command.
    """
    for line in [*_describe_lost_models(results), *_describe_failed_tests(warehouse, results)]:
        sql["log"](line, info=True)


def _describe_lost_models(results: Iterable[Any]) -> list[str]:
    """Models over all tables are made although some of these failed; the line names those that they lack."""
    models = [result for result in results if result.node.resource_type == "model"]
    succeeded = [result.node for result in models if str(result.status) == BUILT]
    made = sorted(node.name for node in succeeded if node.config.meta.get("runs_after_failures"))
    lost = sorted(
        f"{result.node.name} ({result.status})"
        for result in models
        if str(result.status) != BUILT and holds_data(result.node)
    )
    if not made or not lost:
        return []
    more = f" and {len(lost) - _SHOWN_MODELS} more" if len(lost) > _SHOWN_MODELS else ""
    return [
        f"{', '.join(made)}: made of the tables that exist, without what these models had to bring:"
        f" {', '.join(lost[:_SHOWN_MODELS])}{more}"
    ]


def _describe_failed_tests(warehouse: Warehouse, results: Sequence[Any]) -> list[str]:
    lines = []
    failed = find_failed_rows(warehouse, results)
    for result in results:
        rows = failed.get(result.node.unique_id)
        if rows is None:
            continue
        lines.append(f"{result.node.name} found:")
        lines += ["  " + ", ".join(f"{name}={value}" for name, value in row.items()) for row in rows]
        more = (result.failures or 0) - len(rows)
        lines += [f"  and {more} more"] if more > 0 else []
    return lines


def record_checks(project: Project, results: Iterable[Any]) -> None:
    """Records which silver tables agree with bronze, and up to which snapshot: the next comparison begins there.

    One commit per command, none if nothing was compared. A table that differs keeps its last record.

    Args:
        project: with the tables.
        results: dbt's results of the command.
    """
    records = read_records(results)
    if not records:
        return
    # Without the table each later command would compare whole tables again.
    recorded = project.find_built(["silver_checks"]).get("silver_checks")
    if recorded is None:
        recorded = project.name_relation("silver_checks")
        create_recorded(project.warehouse, recorded, list_columns("silver_checks"))
    # A row for each silver table.
    project.warehouse.plan_once()
    project.warehouse.query(project.sql["cdc_record_checks_sql"](recorded, records))


def make_results(project: Project) -> str:
    """Creates the table that `make quality` writes to, if there is none: it runs beside a build.

    Args:
        project: with the tables.

    Returns:
        The name of the table.

    Raises:
        LakehouseError: it cannot be created.
    """
    results = project.name_relation("expectation_results")
    if not project.find_built(["expectation_results"]):
        error = create_recorded(project.warehouse, results, list_columns("expectation_results"))
        if error:
            raise LakehouseError(error)
    return str(results)


def create_recorded(warehouse: Writer, recorded: Relation, columns: Iterable[Column]) -> str | None:
    """Creates a table of etl_metadata whose model has not run yet: the end of a command adds rows to it.

    Args:
        warehouse: that gets the table.
        recorded: its name.
        columns: in their order.

    Returns:
        Spark's message if it cannot be created, else None.
    """
    warehouse.create_schema(recorded)
    described = ", ".join(f"{column.name} {column.type}" for column in columns)
    error: str | None = warehouse.attempt(f"create table if not exists {recorded} ({described}) using iceberg")["error"]
    return error
