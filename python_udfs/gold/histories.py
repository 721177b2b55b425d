"""Random histories of small tables: inserts, other values, deletes, changes of keys, rows that come back, reloads."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import Input

FIRST_DAY = date(2024, 2, 27)
_WHOLE = ("tinyint", "smallint", "int", "bigint")
# So few values that keys meet, rows share groups, and updates write what was there before.
_VALUES = 5
Row = tuple[Any, ...]


@dataclass
class RandomTable:
    """An input with random rows.

    Attributes:
        input: names, types and key of its columns.
        constants: values by column that the model's query names, so that its conditions hold at times.
        rows: now, by key; a key may have several if the input's key is no key of its rows.
    """

    input: Input
    constants: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    rows: dict[Row, list[Row]] = field(default_factory=dict)

    def list_rows(self) -> list[Row]:
        """Lists all rows, with values in the order of the columns."""
        return [row for rows in self.rows.values() for row in rows]

    def change(self, chance: random.Random) -> set[Row]:
        """Changes some rows; returns the keys that changed, old ones included."""
        changed: set[Row] = set()
        if chance.random() < 0.03:
            changed |= set(self.rows)
            self.rows.clear()
        for _ in range(chance.randint(1, 3)):
            key, kind = self._make_key(chance), chance.random()
            if kind < 0.25 and self.rows:
                key = chance.choice(list(self.rows))
                del self.rows[key]
            elif kind < 0.35 and self.rows:
                old = chance.choice(list(self.rows))
                moved = [self._with_key(row, key) for row in self.rows.pop(old)]
                self.rows[key] = moved
                changed.add(old)
            else:
                self.rows[key] = [self._make_row(chance, key)]
            changed.add(key)
        return changed

    def _make_key(self, chance: random.Random) -> Row:
        many = 12 if len(self.input.key) == 1 else _VALUES
        return tuple(self._make_value(chance, name, many, may_be_null=False) for name in self.input.key)

    def _make_row(self, chance: random.Random, key: Row) -> Row:
        row = tuple(self._make_value(chance, name, _VALUES, may_be_null=True) for name in self.input.columns)
        return self._with_key(row, key)

    def _with_key(self, row: Row, key: Row) -> Row:
        values = dict(zip(self.input.key, key, strict=True))
        return tuple(values.get(name, value) for name, value in zip(self.input.columns, row, strict=True))

    def _make_value(self, chance: random.Random, name: str, many: int, may_be_null: bool) -> Any:
        if may_be_null and chance.random() < 0.15:
            return None
        constants = self.constants.get(name)
        if constants and chance.random() < 0.3:
            return chance.choice(constants)
        return make_value(self.input.columns[name], chance.randrange(many), f"{self.input.name}.{name}")


def make_value(data_type: str, number: int, column: str = "") -> Any:
    """Makes the value of a type that a number stands for: equal numbers of two columns meet in a join.

    Args:
        data_type: Spark's name of it.
        number: from 0.
        column: for the message.

    Raises:
        LakehouseError: there are no random values of the type.
    """
    decimal = re.fullmatch(r"decimal\((\d+),(\d+)\)", data_type)
    if data_type in _WHOLE:
        return number
    if decimal:
        digits = int(decimal[1]) - int(decimal[2])
        return Decimal(number % 10**digits) if digits else Decimal(number).scaleb(-int(decimal[2]))
    if data_type in ("float", "double"):
        return number / 4
    if data_type == "string":
        return "abcdefghijklmnop"[number]
    if data_type == "boolean":
        return number % 2 == 0
    if data_type == "date":
        return FIRST_DAY + timedelta(days=number)
    if data_type in ("timestamp", "timestamp_ntz"):
        zone = timezone.utc if data_type == "timestamp" else None
        return datetime(2024, 2, 27, 22, tzinfo=zone) + timedelta(hours=number)
    if data_type == "binary":
        return bytes([number])
    raise LakehouseError(f"prove_gold: column {column} has type {data_type}, of which there are no random values")
