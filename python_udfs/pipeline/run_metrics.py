"""Which runs of silver tables `run_metrics` lacks, and what became of those that it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, Writer, WritesSql, write_name

Row = dict[str, Any]

# A run_metrics of an earlier version of the project lacks these: they are added, and empty in its rows.
_LATER_COLUMNS = {
    "rows_quarantined": "bigint",
    "run_seconds": "double",
    "bytes": "bigint",
    "data_files": "bigint",
    "delete_files": "bigint",
    "deleted_rows": "bigint",
    "second_snapshot": "boolean",
    "log_began_again": "boolean",
}
_ICEBERG_COUNTS = {
    "bytes": "total-files-size",
    "data_files": "total-data-files",
    "delete_files": "total-delete-files",
    "deleted_rows": "total-position-deletes",
}


@dataclass(frozen=True)
class NewRuns:
    """What `run_metrics` has to learn.

    Attributes:
        rows: of the view run_metrics_new.
        runs: how many of them are runs that it lacks.
        has_gone: whether a rollback or a rebuild took runs that it has.
        replaced: names of tables of which no recorded snapshot is known any more.
        is_new: whether there is something to write.
    """

    rows: Sequence[Row]
    runs: int
    has_gone: bool
    replaced: Sequence[str]
    is_new: bool

    @property
    def schema(self) -> str:
        """The columns of the view; a number that is not known is NULL."""
        return (
            "feed string, source_schema string, source_table string, silver_table string, snapshot_id bigint,"
            " committed_at string, is_current boolean, is_newest boolean, rows_total bigint, bytes bigint,"
            " data_files bigint, delete_files bigint, deleted_rows bigint, summary map<string, string>"
        )

    @property
    def message(self) -> str:
        """What dbt's log says of the model."""
        return f"merge: runs={self.runs}" if self.is_new else "nothing: no silver table has a new snapshot"


@dataclass(frozen=True)
class _TableRuns:
    rows: Sequence[Row] = ()
    runs: int = 0
    has_gone: bool = False
    is_replaced: bool = False


def plan_runs(
    warehouse: Writer, sql: Sql, recorded: Relation | None, tables: Iterable[Mapping[str, Any]], names: Iterable[str]
) -> NewRuns:
    """Finds what `run_metrics` has to learn, and shows it in the view run_metrics_new.

    Args:
        warehouse: with the tables.
        sql: macros by name.
        recorded: `run_metrics`, which gets the columns that an older one lacks; None: it does not exist yet.
        tables: from the macro cdc_built.
        names: of the silver models that are looked at; none: all.
    """
    wanted = set(names)
    newest = None if recorded is None else _read_newest(warehouse, sql, recorded)
    asked = [table for table in tables if not wanted or table["silver"] in wanted]
    runs = find_new_runs(warehouse, asked, newest, sql["cdc_count_sql"])
    if runs.is_new:
        warehouse.rows_view("run_metrics_new", runs.rows, runs.schema)
    return runs


def _read_newest(warehouse: Writer, sql: Sql, recorded: Relation) -> list[Row]:
    present = {column.name for column in warehouse.get_columns_in_relation(recorded)}
    missing = [f"{name} {type_}" for name, type_ in _LATER_COLUMNS.items() if name not in present]
    if missing:
        warehouse.query(f"alter table {recorded} add columns ({', '.join(missing)})")
    return warehouse.query(sql["cdc_newest_runs_sql"](recorded))


def find_new_runs(
    warehouse: Warehouse, tables: Iterable[Mapping[str, Any]], newest: Iterable[Row] | None, count_sql: WritesSql
) -> NewRuns:
    """Finds the snapshots of silver tables that `run_metrics` lacks, from the metadata of the tables.

    A snapshot that a rollback or a rebuild took from its table stays on record, and is not current. After a compaction
    the newest run gets the files that are there now.

    Args:
        warehouse: with the tables.
        tables: from the macro cdc_built.
        newest: the newest recorded run of each silver table; None: there is no `run_metrics`.
        count_sql: writes the query of how many rows a table has.
    """
    recorded = {row["silver_table"]: row for row in newest or ()}
    rows: list[Row] = []
    replaced: list[str] = []
    runs, has_gone = 0, False
    for table in tables:
        relation = table["relation"]
        name = write_name(relation)
        of_table = _read_table(warehouse, relation, recorded.get(name), count_sql)
        source = {key: table[key] for key in ("feed", "source_schema", "source_table")}
        for row in of_table.rows:
            is_newest = row is of_table.rows[-1] and ("summary" in row or "is_newest" in row)
            rows.append({**row, **source, "silver_table": name, "is_newest": is_newest})
        runs, has_gone = runs + of_table.runs, has_gone or of_table.has_gone
        replaced += [name] if of_table.is_replaced else []
    return NewRuns(rows, runs, has_gone, replaced, newest is None or bool(rows or replaced))


def count_files(numbers: Mapping[str, Any]) -> dict[str, int]:
    """Returns what a table has after a snapshot, by the names of `run_metrics`, without numbers that are not known.

    Args:
        numbers: the summary of a snapshot, with Iceberg's names, or a row of `run_metrics`.
    """
    counts = {name: numbers.get(of_iceberg, numbers.get(name)) for name, of_iceberg in _ICEBERG_COUNTS.items()}
    return {name: int(count) for name, count in counts.items() if count is not None}


def _read_table(warehouse: Warehouse, relation: Any, before: Row | None, count_sql: WritesSql) -> _TableRuns:
    since = warehouse.snapshots_since(relation, before["snapshot_id"] if before else None)
    snapshots, is_ancestor = since["snapshots"], since["is_ancestor"]
    new = list(_list_runs(snapshots, before["rows_total"] if before and is_ancestor else None))
    files = count_files(snapshots[-1]["summary"]) if snapshots else {}
    # None: snapshots between the two have expired.
    is_other = is_ancestor is False
    if not new and not is_other:
        if before and files and files != count_files(before):
            return _TableRuns([{**files, "snapshot_id": before["snapshot_id"], "is_current": True, "is_newest": True}])
        return _TableRuns()
    if new:
        if new[-1]["rows_total"] is None:
            new[-1]["rows_total"] = warehouse.query(count_sql(relation))[0]["row_count"]
        new[-1].update(files)
    old = [before["snapshot_id"]] if before and not is_other else since["gone"] or []
    earlier = [{"snapshot_id": snapshot_id, "is_current": not is_other} for snapshot_id in reversed(old)]
    return _TableRuns([*earlier, *new], len(new), not is_ancestor, is_other and since["gone"] is None)


def _list_runs(snapshots: Iterable[Mapping[str, Any]], rows_before: int | None) -> Iterator[Row]:
    """The runs among some snapshots, each with the rows of the table then; None if the summaries do not show them."""
    rows = rows_before
    for snapshot in snapshots:
        if snapshot["operation"] == "replace":
            continue
        if snapshot["rows"] is not None:
            rows = snapshot["rows"]
        elif rows is not None:
            rows += snapshot["net_rows"]
        if "cdc.batch-id" in snapshot["summary"]:
            yield {
                **count_files(snapshot["summary"]),
                "snapshot_id": snapshot["snapshot_id"],
                "committed_at": snapshot["committed_at"],
                "is_current": True,
                "rows_total": rows,
                "summary": snapshot["summary"],
            }
