"""dbt's `adapter`, for sqlfluff: what macros ask it while they write SQL."""

from __future__ import annotations

from dbt.adapters.sparksession.impl import SparksessionAdapter

quote = SparksessionAdapter.quote
string_literal = SparksessionAdapter.string_literal
is_type_promotion = SparksessionAdapter.is_type_promotion


def scan_sql(relation: object) -> object:
    """A table of many rows."""
    return relation
