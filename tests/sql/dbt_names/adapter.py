"""dbt's `adapter`, for sqlfluff: what macros ask it while they write SQL."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from dbt.adapters.sparksession.impl import SparksessionAdapter

quote = SparksessionAdapter.quote
string_literal = SparksessionAdapter.string_literal
is_type_promotion = SparksessionAdapter.is_type_promotion
is_utf8_sql = SparksessionAdapter.is_utf8_sql
utf8_or_null_sql = SparksessionAdapter.utf8_or_null_sql
as_utf8_sql = SparksessionAdapter.as_utf8_sql


class Relation(NamedTuple):
    """A table."""

    schema: str
    identifier: str

    def __str__(self) -> str:
        """As SQL names it."""
        return f"{self.schema}.{self.identifier}"


def scan_sql(relation: object) -> object:
    """A table of many rows."""
    return relation


def appended_rows_sql(relation: object, from_snapshot_id: int, to_snapshot_id: int) -> str:
    """The rows between two snapshots, as a Spark that has options of a table reads them."""
    return f"{relation} with ('start-snapshot-id' = '{from_snapshot_id}', 'end-snapshot-id' = '{to_snapshot_id}')"


def call_function(name: str, arguments: dict[str, object]) -> object:
    """Call a function of the project, as the adapter does."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function)(**arguments)
