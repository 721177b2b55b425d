"""Sets of keys that a refresh of gold works with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from python_udfs.pipeline.delta import KeyRange, has_ranges
from python_udfs.pipeline.warehouse import Sql, Warehouse


@dataclass(frozen=True)
class KeySet:
    """Keys in a temporary view.

    Attributes:
        view: that holds them; empty: there are none.
        count: how many they are.
        filled: columns that are NULL in none of them.
        ranges: of filled columns, if a range can be written: files without a value of it are not read.
    """

    view: str = ""
    count: int = 0
    filled: tuple[str, ...] = ()
    ranges: Mapping[str, KeyRange] = field(default_factory=dict)


def read_key_set(warehouse: Warehouse, sql: Sql, view: str, columns: Sequence[str]) -> KeySet:
    """Reads how many keys a view has, and what is known of their columns.

    Args:
        warehouse: has the view.
        sql: macros by name.
        view: its name.
        columns: of the keys.
    """
    facts = warehouse.query(sql["cdc_gold_key_ranges_sql"](view, columns))[0]
    count = int(facts["row_count"])
    filled = {column: at for at, column in enumerate(columns, 1) if count and int(facts[f"values_{at}"]) == count}
    ranges = {
        column: KeyRange(str(facts[f"type_{at}"]), facts[f"first_{at}"], facts[f"last_{at}"])
        for column, at in filled.items()
        if has_ranges(str(facts[f"type_{at}"]))
    }
    return KeySet(view, count, tuple(filled), ranges)
