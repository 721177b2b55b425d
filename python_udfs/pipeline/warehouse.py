"""What a decision may ask of the warehouse: the methods of dbt's adapter, with their types."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol

# Writes the text of a query: a macro, as dbt hands it over.
WritesSql = Callable[..., str]
# Macros by name: dbt's `context`.
Sql = Mapping[str, Callable[..., Any]]


class Relation(Protocol):
    """A table as dbt names it."""

    @property
    def schema(self) -> str | None:
        """The schema that it is in."""

    @property
    def identifier(self) -> str | None:
        """Its name without the schema."""


def write_name(relation: Relation) -> str:
    """Writes schema and table of a relation, as ``schema.table``."""
    return f"{relation.schema}.{relation.identifier}"


class TableColumn(Protocol):
    """A column of a table that exists."""

    @property
    def name(self) -> str:
        """As the table spells it."""

    @property
    def dtype(self) -> str:
        """Spark's name of the type, such as ``decimal(12,2)``."""


class WritesNames(Protocol):
    """Writes names and values of SQL."""

    def string_literal(self, value: Any) -> str:
        """Write a value as a text of SQL."""

    def quote(self, identifier: str) -> str:
        """Write a name of SQL."""


class Warehouse(WritesNames, Protocol):
    """Questions whose answers decide; none of them writes to a table."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a query; each row by column name."""

    def ask_once(self, question: Hashable, ask: Callable[[], Any]) -> Any:
        """Return the answer to a question that has the same one for the rest of the command."""

    def cache_rows(self, view: str, sql: str, part: dict[str, Any] | None = None) -> None:
        """Register a temporary view over the rows that a query has now; with a part, over these rows of it."""

    def read_files(
        self, view: str, format: str, paths: list[str], options: dict[str, Any] | None = None
    ) -> Mapping[str, list[Any]]:
        """Register a temporary view over these files."""

    def value_range(
        self, relation: Any, column: str, above: int, values: dict[str, Any]
    ) -> Mapping[str, int | None] | None:
        """Return the range of a column in rows with such values, by the manifests; None: there is no such row."""

    def utf8_or_null_sql(self, text: str) -> str:
        """Write a text, NULL if its bytes are no UTF-8."""

    def counts_merged_rows(self) -> bool:
        """Return whether the snapshot of a MERGE shows how many rows were inserted, updated and deleted."""

    def attempt(self, sql: str) -> Mapping[str, Any]:
        """Run a query that may fail; `rows` as `query` returns them, and `error`: Spark's message, or None."""

    def notes(self, name: str) -> dict[str, Any]:
        """Return notes of this command by unique id of a node: `lost` (it failed or is skipped), `incomplete`."""

    def get_relation(self, database: str | None, schema: str, identifier: str) -> Relation | None:
        """Return a relation that exists; None: there is none of this name."""

    def get_columns_in_relation(self, relation: Any) -> Sequence[TableColumn]:
        """Return the columns in their order; none if there is no such relation."""

    def get_columns_of_rows(self, relation: Any) -> Sequence[TableColumn]:
        """Return the columns of the newest snapshot; the table may have been given others since."""

    def read_table_properties(self, relation: Any, names: list[str]) -> Mapping[str, str]:
        """Return those of some properties that a table has, by name."""

    def current_snapshot_id(self, relation: Any) -> int:
        """Return the newest snapshot that changed rows; 0: there is none."""

    def current_summary(self, relation: Any) -> Mapping[str, str]:
        """Return the summary of that snapshot, of a table that no node changes any more."""

    def newest_summary(self, relation: Any, key: str) -> Mapping[str, str]:
        """Return the newest summary that has a key; empty: no snapshot that is left has it."""

    def is_current_ancestor(self, relation: Any, snapshot_id: int | str) -> bool:
        """Return whether a snapshot led to the current one."""

    def snapshots_since(self, relation: Any, snapshot_id: int | str | None = None) -> Mapping[str, Any]:
        """Return the snapshots after one of them."""

    def is_unchanged_since(self, relation: Any, uuid: str, snapshot_id: int | str) -> bool:
        """Return whether a table has the rows and columns of one of its snapshots; false if that cannot be known."""

    def snapshot(self, relation: Any, snapshot_id: int | str) -> Mapping[str, Any]:
        """Return the metadata of a snapshot."""

    def has_few_rows(self, relation: Any) -> bool:
        """Return whether a table has few rows, by the summary of its newest snapshot."""

    def may_have_values(self, relation: Any, column: str) -> bool:
        """Return whether a table may have rows with a value in a column, by the manifests."""

    def added_metrics(
        self, relation: Any, from_snapshot_id: int | str | None, to_snapshot_id: int | str, columns: list[str]
    ) -> Mapping[str, Any] | None:
        """Return what the manifests know of the rows between two snapshots; None: they do not know all."""

    def default_properties(self) -> Mapping[str, str]:
        """Return the properties that the catalog gives new tables."""

    def has_statistics(self, relation: Any) -> bool:
        """Return whether a table has counts of distinct values, of the rows that readers see."""

    def is_type_promotion(self, from_type: str, to_type: str) -> bool:
        """Return whether Iceberg can change a column's type in place."""

    def holds(self, wide: str, narrow: str) -> bool:
        """Return whether a type holds each value of another one."""

    def is_small(self, changes: int, rows: int) -> bool:
        """Return whether a batch and the table that it is applied to are small."""

    def plan_once(self, is_one_task: bool = True) -> None:
        """Have the statements of the node planned once, and each of their stages be one task if asked for."""


class Writer(Warehouse, Protocol):
    """A warehouse whose tables are written to. `query` runs its statements."""

    def start_write(self, relation: Any) -> None:
        """Remember the snapshot of a table that the writes of this command are made on top of."""

    def write(self, relation: Any, sql: str, properties: Mapping[str, Any] | None = None) -> None:
        """Run a statement that writes to a table, on top of that snapshot; its snapshot records these properties."""

    def run_commit(self, sql: str, properties: Mapping[str, Any] | None = None) -> None:
        """Run a statement; its snapshots record these properties, without those that are None or an empty text."""

    def change_columns(self, relation: Any, changes: Any) -> None:
        """Rename, widen and add columns of a table in one commit: ``renames``, ``types`` and ``added`` of `changes`."""

    def set_properties(self, properties: dict[str, Any]) -> None:
        """Set properties of Spark for the rest of the node; None unsets one."""

    def create_schema(self, relation: Any) -> None:
        """Create the schema of a relation, if there is none."""

    def table_properties(self, settings: Any) -> dict[str, Any]:
        """Return the properties that the table of a model is created with, by dbt's configuration of the model."""

    def rows_view(self, view: str, rows: Sequence[Mapping[str, Any]], schema: str) -> None:
        """Register a temporary view over rows; `schema` has names and types of its columns."""

    def has_views(self) -> bool:
        """Tell whether the catalog can hold views."""

    def project_path(self, name: str) -> str:
        """Return the path of a file or folder of the project."""

    def call_function(self, name: str, arguments: dict[str, Any], needs_spark: bool = False) -> Any:
        """Call a function by its full name; with `needs_spark` it also gets the session as `spark`."""

    def start_branch(self, relation: Any, branch: str) -> None:
        """Begin a branch of a table at what readers see now."""

    def rows_removed(self, relation: Any, branch: str) -> int:
        """Count the rows that the newest commit of a branch removed."""

    def publish_branch(self, relation: Any, branch: str) -> bool:
        """Show a branch to readers; False: another writer has committed meanwhile."""
