"""What the data tests of a command have to ask: `macros/tests` and `tests/data` write it as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from python_udfs.pipeline.checks import (
    EMPTY,
    FULL,
    STEP,
    Check,
    Checked,
    Snapshot,
    Table,
    ask_checked,
    plan_check,
)
from python_udfs.pipeline.column_differences import Difference, compare_columns, expect_columns, list_own_columns
from python_udfs.pipeline.columns import Column, select_bronze_columns, select_log_columns
from python_udfs.pipeline.files import read_listed_tables
from python_udfs.pipeline.progress import read_last_batch_id
from python_udfs.pipeline.silver_rows import CHANGE_COLUMNS
from python_udfs.pipeline.table import Model, Models, find_relation
from python_udfs.pipeline.table_config import Source, TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, write_name

T = TypeVar("T")
# Up to so many rows of all tables one task looks for keys: to start one for each table costs more than to read them.
ROWS_OF_ONE_TASK = 1_000_000


@dataclass(frozen=True)
class Columns:
    """How the columns of a silver table differ, and names of those that can be compared."""

    differences: tuple[Difference, ...]
    names: tuple[str, ...]

    @property
    def are_enough(self) -> bool:
        """Whether rows can be compared."""
        return not any(difference.is_needed for difference in self.differences)


@dataclass(frozen=True)
class PartialChanges:
    """Changes of a table, and whether its feed keeps absent columns."""

    cdc: TableConfig
    rows_sql: str
    keeps_absent: bool


@dataclass(frozen=True)
class SplitTable:
    """The split table of a feed.

    Attributes:
        relation: the table.
        feed: of its files.
        has_set_aside: whether its connector sets messages about no table aside.
        listed: conditions on a record that it is of a table with metadata.
    """

    relation: Relation
    feed: str
    has_set_aside: bool
    listed: tuple[str, ...]


@dataclass(frozen=True)
class Ingested:
    """The last batch of a table in bronze, or of a split table; a table without a model is not active."""

    is_active: bool
    batch_id: int


@dataclass(frozen=True)
class DataTests:
    """The data tests of one command. Each question about a table is asked once.

    Attributes:
        warehouse: dbt's adapter.
        models: of the project.
        sql: macros by name.
    """

    warehouse: Warehouse
    models: Models
    sql: Sql

    def check(self, silver: Relation) -> Check:
        """Returns how far a silver table is compared: the same for all tests while the table has one snapshot."""
        snapshot_id = self.warehouse.current_snapshot_id(silver)
        name = write_name(silver)

        def plan() -> Check:
            cdc = self.models.describe(name)
            table = Table(silver, self._find("bronze", cdc), cdc)
            return plan_check(self.warehouse, self.sql, table, snapshot_id, self._checked().get(name))

        return self._ask(("check", name, snapshot_id), plan)

    def write_comparison(self, silver: Relation) -> str:
        """Writes the comparison of a silver table with bronze, at the bronze snapshot that silver's progress names.

        A column that is missing, or is not expected, is named, and the others are compared. Before any row was applied
        silver has only placeholder columns, and no row. The end of the command reads from the comment what is recorded
        if no row differs. Empty: there is nothing to compare.
        """
        check = self.check(silver)
        if check.record is None:
            return _select_all(silver) if check.depth == EMPTY else ""
        table, step, snapshot_id = check.table, check.step, check.record.bronze_snapshot_id
        columns = self.compare_columns(table, snapshot_id)
        if step and step.is_small:
            # Planned once, not again after each stage.
            self.warehouse.plan_once(is_one_task=False)
        in_log = self._select_log_columns(table, columns.names)
        arguments = (table.cdc, silver, table.bronze, snapshot_id, columns.names, in_log, step)
        sql = self.sql["cdc_difference_sql"](*arguments)
        if columns.differences:
            texts = [self.warehouse.string_literal(difference.text) for difference in columns.differences]
            sql = self.sql["cdc_column_differences_sql"](texts, sql if columns.are_enough else None)
        return f"{check.comment}\n{sql}"

    def write_open_versions(self, silver: Relation) -> str:
        """Writes the comparison of a history's open versions with bronze. Empty: a step of the table is compared."""
        check = self.check(silver)
        if check.record is None or check.depth != FULL:
            return _select_all(silver) if check.depth == EMPTY else ""
        table = check.table
        in_log = self._select_log_columns(
            table, [column.name for column in self.warehouse.get_columns_in_relation(silver)]
        )
        arguments = (table.cdc, silver, table.bronze, check.record.bronze_snapshot_id, in_log)
        return str(self.sql["cdc_open_versions_difference_sql"](*arguments))

    def find_quarantined(self, silver: Relation) -> Relation | None:
        """Returns the bronze table of a silver table if it may have rows in quarantine, by Iceberg's manifests."""
        bronze = self._find("bronze", self.models.describe(write_name(silver)))
        may_have = bronze is not None and self.warehouse.may_have_values(bronze, "_cdc_quarantine_rule")
        return bronze if may_have else None

    def compare_columns(self, table: Table, bronze_snapshot_id: int) -> Columns:
        """Compares the columns of a silver table with those that it should have.

        Args:
            table: the table.
            bronze_snapshot_id: up to which it has applied bronze.
        """
        cdc, bronze = table.cdc, table.bronze
        in_bronze = self.warehouse.get_columns_in_relation(bronze)
        silver = {column.name: column.dtype for column in self.warehouse.get_columns_in_relation(table.silver)}
        own = list_own_columns(
            {column.name: column.dtype.lower() for column in in_bronze},
            CHANGE_COLUMNS,
            cdc.mode,
            cdc.is_soft,
        )
        source = {column.name: column.type for column in select_bronze_columns(cdc, in_bronze)}
        keeps = cdc.schema_drift == "freeze" or not self._is_newest(bronze, bronze_snapshot_id)
        differences = compare_columns(expect_columns(source, cdc.primary_key, own), silver, keeps)
        others = {difference.name for difference in differences}
        return Columns(tuple(differences), tuple(name for name in silver if name not in others))

    def compares_steps(self, bronze: Relation) -> bool:
        """Returns whether the silver table of a bronze table was compared with it, and needs no full comparison yet."""
        silver = self._find("silver", self.models.describe(write_name(bronze)))
        checked = self._checked().get(write_name(silver)) if silver else None
        return checked is not None and not checked.is_due

    def list_foreign(self) -> list[tuple[str, Snapshot]]:
        """Returns the snapshots that this project did not write, of each silver table since its last comparison."""
        return [
            (check.table.name, snapshot)
            for check in self._checks(self.models.of_layer("silver"))
            for snapshot in check.foreign
        ]

    def ask_lost_values(self) -> str:
        """Writes what to ask about values that are lost.

        Tables are asked of which new changes do not carry all values, and all that are compared in full.
        """
        tables = [self._partial_changes(check) for check in self._checks(self._keyed())]
        return self._ask_tables("cdc_lost_values_sql", [table for table in tables if table])

    def ask_unknown_keys(self) -> str:
        """Writes what to ask of tables of which the log may begin a key with an update.

        These are all that are compared in full, and those of which a new change updates a key that silver did not
        have. The steps of all tables are asked together, by hashes of keys; if one of the tables cannot be asked, all
        are in doubt.
        """
        checks = self._checks(self._keyed())
        steps = [check for check in checks if check.depth == STEP]
        in_doubt = [check for check in checks if check.depth == FULL]
        if steps:
            rows = sum(check.step.rows for check in steps if check.step)
            # A number as text: Spark writes a number into the code that it generates, and would compile that of each.
            keys = [self.sql["cdc_step_keys_sql"](check.table, check.step, str(i)) for i, check in enumerate(steps)]
            keys_sql = self.sql["cdc_unknown_keys_sql"](_unite(keys), rows <= ROWS_OF_ONE_TASK)
            answer = self.warehouse.attempt(keys_sql)
            in_doubt += steps if answer["error"] else [steps[int(row["number"])] for row in answer["rows"]]
        return self._ask_tables("cdc_unknown_updates_sql", [check.table for check in in_doubt])

    def list_quarantined(self) -> list[TableConfig]:
        """Returns the descriptions of the bronze tables that may have rows in quarantine, by Iceberg's manifests."""
        return self._ask(
            "quarantined tables",
            lambda: [
                model.cdc
                for model, bronze in self._existing("bronze")
                if self.warehouse.may_have_values(bronze, "_cdc_quarantine_rule")
            ],
        )

    def ask_unknown_tables(self) -> str:
        """Writes what to ask of the split tables about tables without metadata. Empty: there is no split table."""
        literal = self.warehouse.string_literal
        splits = [
            SplitTable(
                relation,
                model.cdc.feed,
                model.cdc.connector != "dms",
                tuple(
                    f"(source_schema = {literal(table.source_schema)} and source_table = {literal(table.source_table)})"
                    for table in model.cdc.tables
                ),
            )
            for model, relation in self._existing("split")
        ]
        return _unite([self.sql["cdc_unknown_tables_sql"](split) for split in splits])

    def list_lost(self) -> list[Source]:
        """Returns the tables whose model failed or was skipped in this command: their files wait, as its error says."""
        lost = self.warehouse.notes("lost")
        models = [self.models.by_id[unique_id] for unique_id in lost if unique_id in self.models.by_id]
        return [model.source for model in models if model.layer in ("split", "bronze")]

    def ingested(self) -> dict[Source, Ingested]:
        """Returns how far each table is in bronze, asked after the models have run."""
        return self._ask("ingested tables", self._ingested)

    def has_open_tables(self, listing: Relation, *, with_metadata: bool) -> bool:
        """Returns whether a listed table may have files that are not in bronze.

        A table whose progress has come as far as its newest batch has all of its files, but for rejected ones. A table
        that is not active waits, and its status shows it.

        Args:
            listing: the model raw_listing.
            with_metadata: whether tables with metadata are asked for, or those without.
        """
        ingested = self.ingested()
        for source, listed in read_listed_tables(self.warehouse, self.sql, listing).items():
            table, newest = ingested.get(source), listed.batch_id
            is_open = table is None or (table.is_active and table.batch_id < (newest or 0))
            if newest and is_open and (table is not None) == with_metadata:
                return True
        return False

    def has_several_loads(self, listing: Relation) -> bool:
        """Returns whether a listed table has more than one LOAD file."""
        return any(table.has_loads for table in read_listed_tables(self.warehouse, self.sql, listing).values())

    def has_vanished_files(self, listing: Relation) -> bool:
        """Returns whether a file of a listed table is gone."""
        return any(table.has_gone for table in read_listed_tables(self.warehouse, self.sql, listing).values())

    def _ingested(self) -> dict[Source, Ingested]:
        tables = {
            (table["feed"], table["source_schema"], table["source_table"]): Ingested(False, 0)
            for table in self.sql["cdc_tables"]()
            if "bronze" not in table and "split" not in table
        }
        for model in self.models.of_layer("bronze"):
            tables[model.source] = Ingested(True, read_last_batch_id(self.warehouse, self._relation(model)))
        for model in self.models.of_layer("split"):
            relation = self._relation(model)
            rows = self.warehouse.query(f"select max(batch_id) as batch_id from {relation}") if relation else []
            tables[model.source] = Ingested(True, int(rows[0]["batch_id"] or 0) if rows else 0)
        return tables

    def _partial_changes(self, check: Check) -> PartialChanges | None:
        table = check.table
        if check.depth == FULL and check.record:
            rows_sql = self.sql["cdc_bronze_range_sql"](table.bronze, None, check.record.bronze_snapshot_id, 0, True)
        elif check.step and check.step.has_partial:
            rows_sql = check.step.rows_sql
        else:
            return None
        options = self.models.describe(write_name(table.bronze)).options if table.bronze else None
        return PartialChanges(table.cdc, rows_sql, options is not None and options.absent_columns == "keep")

    def _ask_tables(self, macro: str, tables: Sequence[Table | PartialChanges]) -> str:
        """Writes the queries of a macro, one for each table, as one.

        A table that cannot be asked, because a column or a file of it is gone, is a row with Spark's reason: it hides
        nothing of the others. To analyse them all together reads no row, and is cheap.
        """
        queries = [self.sql[macro](table) for table in tables]
        if not queries or self._find_reason(_unite(queries)) is None:
            return _unite(queries)
        reasons = [self._find_reason(query) for query in queries]
        sound = [query for query, reason in zip(queries, reasons, strict=True) if reason is None]
        rows = [
            self.sql["cdc_not_asked_sql"](table.cdc, reason)
            for table, reason in zip(tables, reasons, strict=True)
            if reason is not None
        ]
        return _unite([*rows, *([self.sql["cdc_findings_sql"](_unite(sound))] if sound else [])])

    def _find_reason(self, query: str) -> str | None:
        """Returns why Spark cannot answer a query; None if it can."""
        error = self.warehouse.attempt(f"select *\nfrom (\n{query}\n)\nlimit 0")["error"]
        return str(error).strip().splitlines()[0] if error else None

    def _select_log_columns(self, table: Table, names: Sequence[str]) -> tuple[Column, ...]:
        return select_log_columns(table.cdc, self.warehouse.get_columns_in_relation(table.bronze), names)

    def _is_newest(self, bronze: Relation | None, snapshot_id: int) -> bool:
        """Whether a snapshot of bronze is its newest, and has the columns that bronze has now."""
        if self.warehouse.current_snapshot_id(bronze) != snapshot_id:
            return False
        schema_id = self.warehouse.snapshots_since(bronze, snapshot_id)["schema_id"]
        return bool(self.warehouse.snapshot(bronze, snapshot_id)["schema_id"] == schema_id)

    def _checked(self) -> Mapping[str, Checked]:
        return ask_checked(self.warehouse, self.sql)

    def _keyed(self) -> list[Model]:
        return [model for model in self.models.of_layer("silver") if model.cdc.mode != "append"]

    def _checks(self, models: Iterable[Model]) -> list[Check]:
        return [self.check(silver) for silver in map(self._relation, models) if silver is not None]

    def _existing(self, layer: str) -> list[tuple[Model, Relation]]:
        relations = [(model, self._relation(model)) for model in self.models.of_layer(layer)]
        return [(model, relation) for model, relation in relations if relation is not None]

    def _find(self, layer: str, cdc: TableConfig) -> Relation | None:
        return find_relation(self.warehouse, self.models.of_source(layer, cdc))

    def _relation(self, model: Model) -> Relation | None:
        return find_relation(self.warehouse, model)

    def _ask(self, key: Any, ask: Callable[[], T]) -> T:
        answer: T = self.warehouse.ask_once(key, ask)
        return answer


def _unite(queries: Sequence[str]) -> str:
    return "\nunion all\n".join(queries)


def _select_all(relation: Relation) -> str:
    return f"select *\nfrom {relation}"
