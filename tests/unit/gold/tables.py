"""A gold table in SQLite, refreshed by what the macros write, beside the plain query over all rows."""

from __future__ import annotations

import copy
import random
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import SimpleNamespace
from typing import Any

import sqlglot
from harness import Dbt

from python_udfs.gold.blocks import Input
from python_udfs.gold.keys import KeySet
from python_udfs.gold.model import GoldModel, read_gold_model
from python_udfs.pipeline.delta import KeyRange
from tests.gold_shapes import COLUMNS, INPUTS, KEYS, Shape, State, change, list_rows

BEFORE, AFTER = 1, 2
STEPS = 7
_STATES = {BEFORE: "a", AFTER: "b"}
Fault = Callable[[str], str]


@cache
def macros() -> Dbt:
    return Dbt()


def to_sqlite(sql: str) -> str:
    """Writes a statement of Spark for SQLite; a snapshot of a table is a table there, a day is a number."""
    sql = re.sub(r"silver\.(\w+) version as of (\d)", lambda m: f"{m[1]}_{_STATES[int(m[2])]}", sql)
    sql = re.sub(r"/\*\+ .*? \*/ ", "", sql.replace("silver.", "").replace("`cdc_k_", "`k_"))
    tree = sqlglot.parse_one(sql, dialect="spark")
    return re.sub(r"DATE\('(\d+)'\)", r"\1", tree.sql(dialect="sqlite"))


def mark_range(column: str) -> tuple[str, str]:
    """Two texts in place of the limits of a column's range."""
    return f"-{column}", f"+{column}"


def mark_changed(input: Input) -> KeySet:
    """The changed keys of an input, which are numbers, with texts in place of the limits of their range."""
    return KeySet(
        f"cdc_k_{input.name}",
        filled=input.key,
        ranges={name: KeyRange("int", *mark_range(f"{input.name}.{name}")) for name in input.key},
    )


def set_ranges(sql: str, ranges: Mapping[str, tuple[int, int]]) -> str:
    """Replaces marks of ranges by their limits."""
    for name, limits in ranges.items():
        for mark, limit in zip(mark_range(name), limits, strict=True):
            sql = sql.replace(f"'{mark}'", f"'{limit}'")
    return sql


class Table:
    """A gold table of one shape.

    Args:
        shape: of its model.
        fault: changes statements on purpose.
    """

    def __init__(self, shape: Shape, fault: Fault | None = None, model: GoldModel | None = None) -> None:
        self.model = model or read_gold_model("gold", shape.sql, shape.config, INPUTS)
        self.query = self.model.write_query(shape.sql)
        self.fault = fault or (lambda sql: sql)
        self.rows: list[tuple[Any, ...]] = []
        self.full = to_sqlite(self.write_full())
        self.chance = random.Random(len(self.query))
        self._keys: dict[tuple[str, ...], str] = {}
        self._written: dict[tuple[Any, ...], str] = {}

    def inputs(self, changed: Iterable[str]) -> list[Any]:
        return [
            SimpleNamespace(
                input=input,
                number=input.number,
                relation=input.relation,
                before_id=BEFORE,
                after_id=AFTER,
                changed=mark_changed(input) if input.name in changed else KeySet(),
            )
            for input in self.model.query.inputs
        ]

    def write_full(self) -> str:
        return str(macros().cdc_gold_query_sql(self.inputs(()), self.query))

    def write_keys(self, changed: tuple[str, ...]) -> str:
        """The query of the affected keys."""
        return to_sqlite(self.fault(macros().cdc_gold_keys_sql(self.model, self.inputs(changed), 1000)))

    def write_rows(
        self, changed: tuple[str, ...], small: frozenset[int], filled: tuple[str, ...], ranges: tuple[str, ...]
    ) -> str:
        """The query of their rows.

        Args:
            changed: names of inputs.
            small: numbers of inputs whose rows are all read.
            filled: columns of the key without a NULL.
            ranges: those of them whose range is written, as two texts to replace.
        """
        limits = {name: KeyRange("int", *mark_range(name)) for name in ranges}
        model = self.model.leave_whole(small)
        moved = self.inputs(changed)
        keys = KeySet("g", filled=filled, ranges=limits)
        return to_sqlite(self.fault(macros().cdc_gold_rows_sql(model, moved, self.query, keys)))

    def write(self, changed: tuple[str, ...], values: Mapping[str, set[Any]]) -> str:
        """The query of the affected rows; each refresh draws the inputs that are small."""
        numbers = [cut.input.number for cut in self.model.cuts]
        small = frozenset(self.chance.sample(numbers, self.chance.randint(0, len(numbers))))
        filled = tuple(name for name in values if None not in values[name])
        ranges = {
            name: (min(values[name]), max(values[name]))
            for name in filled
            if values[name] and all(isinstance(value, int) for value in values[name])
        }
        asked = (changed, small, filled, tuple(ranges))
        if asked not in self._written:
            self._written[asked] = self.write_rows(*asked)
        return set_ranges(self._written[asked], ranges)

    def read_values(self, database: sqlite3.Connection) -> dict[str, set[Any]]:
        """The values of each column of the affected keys."""
        return {
            name: {value for (value,) in database.execute(f"select `{name}` from g")}
            for name in self.model.settings.key
        }

    def refresh(self, database: sqlite3.Connection, changed: dict[str, set[int]]) -> tuple[int, int]:
        """Refreshes the table; returns how many rows were computed, and how many it has."""
        read = {input.name for input in self.model.query.inputs}
        moved = tuple(name for name in COLUMNS if name in read and changed[name])
        if not moved:
            return 0, len(self.rows)
        if moved not in self._keys:
            self._keys[moved] = self.write_keys(moved)
        database.execute("drop table if exists g")
        ranges = {f"{name}.{KEYS[name]}": (min(changed[name]), max(changed[name])) for name in moved}
        database.execute(f"create temp table g as {set_ranges(self._keys[moved], ranges)}")
        cursor = database.execute(self.write(moved, self.read_values(database)))
        names = [column[0] for column in cursor.description]
        at = [names.index(name) for name in self.model.settings.key]
        new = cursor.fetchall()
        keys = set(database.execute("select * from g"))
        self.rows = [row for row in self.rows if tuple(row[i] for i in at) not in keys] + new
        return len(new), len(self.rows)

    def recompute(self, database: sqlite3.Connection) -> list[tuple[Any, ...]]:
        return sorted(database.execute(self.full).fetchall(), key=repr)


def fill(database: sqlite3.Connection, before: State, after: State, changed: dict[str, set[int]]) -> None:
    """Writes both states of all inputs, and their changed keys."""
    for suffix, state in (("a", before), ("b", after)):
        for name, columns in COLUMNS.items():
            database.execute(f"drop table if exists {name}_{suffix}")
            database.execute(f"create table {name}_{suffix} ({', '.join(columns)})")
            rows = list_rows(name, state[name])
            if rows:
                marks = ", ".join("?" * len(columns))
                database.executemany(f"insert into {name}_{suffix} values ({marks})", rows)
    for name, keys in changed.items():
        database.execute(f"drop table if exists k_{name}")
        database.execute(f"create table k_{name} ({KEYS[name]})")
        database.executemany(f"insert into k_{name} values (?)", [(key,) for key in keys])


def play(chance: random.Random, state: State) -> Iterator[tuple[sqlite3.Connection, int, dict[str, set[int]]]]:
    """The database after each step of a history, the number of the step, and the keys that it has changed."""
    database = sqlite3.connect(":memory:")
    for step in range(STEPS):
        before = copy.deepcopy(state)
        changed = change(chance, state)
        fill(database, before, state, changed)
        yield database, step, changed
    database.close()
