"""dbt's `adapter`, for sqlfluff: what macros ask it while they write SQL."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from dbt.adapters.sparksession.impl import SparksessionAdapter

quote = SparksessionAdapter.quote
string_literal = SparksessionAdapter.string_literal
is_type_promotion = SparksessionAdapter.is_type_promotion


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


def call_function(name: str, arguments: dict[str, object]) -> object:
    """Call a function of the project, as the adapter does."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(module), function)(**arguments)
