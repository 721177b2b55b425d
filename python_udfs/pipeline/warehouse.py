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


class TableColumn(Protocol):
    """A column of a table that exists."""

    @property
    def name(self) -> str:
        """As the table spells it."""

    @property
    def dtype(self) -> str:
        """Spark's name of the type, such as ``decimal(12,2)``."""


class Warehouse(Protocol):
    """Questions whose answers decide; none of them writes."""

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a query; each row by column name."""

    def ask_once(self, question: Hashable, ask: Callable[[], Any]) -> Any:
        """Return the answer to a question that has the same one for the rest of the command."""

    def attempt(self, sql: str) -> Mapping[str, Any]:
        """Run a query that may fail; `rows` as `query` returns them, and `error`: Spark's message, or None."""

    def notes(self, name: str) -> Mapping[str, Any]:
        """Return notes of this command; `lost`: ids of the nodes that failed or are skipped."""

    def get_relation(self, database: str | None, schema: str, identifier: str) -> Relation | None:
        """Return a relation that exists; None: there is none of this name."""

    def get_columns_in_relation(self, relation: Any) -> Sequence[TableColumn]:
        """Return the columns in their order; none if there is no such relation."""

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

    def snapshot(self, relation: Any, snapshot_id: int | str) -> Mapping[str, Any]:
        """Return the metadata of a snapshot."""

    def may_have_values(self, relation: Any, column: str) -> bool:
        """Return whether a table may have rows with a value in a column, by the manifests."""

    def added_metrics(
        self, relation: Any, from_snapshot_id: int | str | None, to_snapshot_id: int | str, columns: list[str]
    ) -> Mapping[str, Any] | None:
        """Return what the manifests know of the rows between two snapshots; None: they do not know all."""

    def is_type_promotion(self, from_type: str, to_type: str) -> bool:
        """Return whether Iceberg can change a column's type in place."""

    def holds(self, wide: str, narrow: str) -> bool:
        """Return whether a type holds each value of another one."""

    def is_small(self, changes: int, rows: int) -> bool:
        """Return whether a batch and the table that it is applied to are small."""

    def string_literal(self, value: Any) -> str:
        """Write a value as a text of SQL."""

    def quote(self, identifier: str) -> str:
        """Write a name of SQL."""
