"""Proves a gold model on random histories: what a run would write beside the model's plain query, both on Spark."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from time import monotonic
from typing import Any

import sqlglot
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType
from sqlglot import exp

from dbt.adapters.sparksession.few_rows import plan_once
from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import Input
from python_udfs.gold.day import bind_day, hide_day, list_days
from python_udfs.gold.dialect import GoldSpark
from python_udfs.gold.histories import FIRST_DAY, RandomTable, Row
from python_udfs.gold.inputs import read_model_inputs
from python_udfs.gold.keys import KeySet
from python_udfs.gold.model import GoldModel, read_gold_model
from python_udfs.metadata.names import quoted
from python_udfs.pipeline.warehouse import Sql, Warehouse
from spark_files.frames import make_frame

_STEPS = 8
_BEFORE, _AFTER = 1, 2
_KEYS, _GOLD = "cdc_prove_keys", "cdc_prove_gold"


@dataclass(frozen=True)
class ProvedInput:
    """An input whose states are temporary views; as `inputs.Movement` for the macros."""

    input: Input
    relation: str
    changed: KeySet = field(default_factory=KeySet)
    before_id: int = _BEFORE
    after_id: int = _AFTER

    @property
    def number(self) -> int:
        """Of the input in its model."""
        return self.input.number


def prove_gold(
    spark: SparkSession,
    warehouse: Warehouse,
    sql: Sql,
    nodes: Mapping[str, Any],
    node: Mapping[str, Any],
    query_sql: str,
    seconds: float,
    seed: int,
) -> str:
    """Compares a model's rows after random changes with its query.

    Args:
        spark: runs the statements; its temporary views and settings are the thread's own.
        warehouse: has the types of the inputs.
        sql: macros by name.
        nodes: dbt's nodes and sources by unique id.
        node: of the model.
        query_sql: the compiled query.
        seconds: after which no further history begins.
        seed: of the first history.

    Returns:
        A sentence for the user.

    Raises:
        LakehouseError: the model is refused, or differs from its recomputation; names the seed that brings it back.
    """
    inputs = [input for input, _, _ in read_model_inputs(warehouse, nodes, node)]
    timeless_sql = hide_day(query_sql)
    model = read_gold_model(node["name"], timeless_sql, node["config"], inputs)
    if model.query.totals:
        return f"{node['name']} is computed in full whenever an input moves: {model.query.totals[0]}."
    plan_once(spark)
    began, histories, refreshes, computed, rows = monotonic(), 0, 0, 0, 0
    while histories == 0 or monotonic() - began < seconds:
        history = _History(spark, sql, model, model.write_query(timeless_sql), seed + histories)
        for _ in range(_STEPS):
            history.step(node["name"])
        histories += 1
        refreshes += history.refreshes
        computed, rows = computed + history.computed, rows + history.rows
    share = f"{100 * computed / rows:.0f} % of the rows were computed" if rows else "no row was there"
    return (
        f"{node['name']}: {refreshes} refreshes in {histories} random histories equal the recomputation; {share}"
        f" (tables of a dozen rows). Seeds {seed} to {seed + histories - 1}."
    )


class _History:
    """One random history of all inputs, and the table that follows it. Days pass if the model has `clock`."""

    def __init__(self, spark: SparkSession, sql: Sql, model: GoldModel, query_sql: str, seed: int) -> None:
        self.spark, self.sql, self.model, self.query_sql, self.seed = spark, sql, model, query_sql, seed
        self.chance = random.Random(seed)
        texts = list_texts(query_sql)
        self.tables = [
            RandomTable(input, {name: texts for name, kind in input.columns.items() if kind == "string"})
            for input in model.query.inputs
        ]
        self.gold: list[Row] = []
        self.day = str(FIRST_DAY + timedelta(days=self.chance.randrange(5)))
        self.refreshes = self.computed = self.rows = 0
        for _ in range(4):
            for table in self.tables:
                table.change(self.chance)
        self._register(_AFTER)
        self.schema, self.gold = self._recompute()

    def step(self, name: str) -> None:
        """Changes inputs, refreshes the table and compares it."""
        self._register(_BEFORE)
        moved = [table for table in self.tables if self.chance.random() < 0.6] or [self.chance.choice(self.tables)]
        changed = {table.input.number: table.change(self.chance) for table in moved}
        self._register(_AFTER)
        inputs = [
            ProvedInput(table.input, _view(table), self._register_keys(table, changed.get(table.input.number)))
            for table in self.tables
        ]
        day, clock = self.day, self.model.settings.clock
        if clock:
            self.day = str(date.fromisoformat(day) + timedelta(days=self.chance.choice((0, 0, 1, 2))))
        model, moved_sql = self.model.bind_days(day, self.day), ""
        if self.day != day:
            self._register_rows(_GOLD, self.gold, self.schema)
            conditions = [bind_day(clock, each) for each in list_days(day, self.day)]
            moved_sql = self.sql["cdc_gold_moved_sql"](_GOLD, model, conditions)
        keys_sql = _read_views(self.sql["cdc_gold_keys_sql"](model, inputs, 1_000_000, moved_sql))
        keys_frame = self.spark.sql(keys_sql)
        keys = keys_frame.collect()
        self._register_rows(_KEYS, [tuple(row) for row in keys], keys_frame.schema)
        query_sql = bind_day(self.query_sql, self.day)
        # In a run small inputs are read whole, beside others that are cut.
        model = model.leave_whole({table.input.number for table in self.tables if self.chance.random() < 0.5})
        rows_sql = _read_views(self.sql["cdc_gold_rows_sql"](model, inputs, query_sql, KeySet(_KEYS)))
        new_rows = self.spark.sql(rows_sql)
        at = [[name.lower() for name in new_rows.columns].index(name) for name in self.model.settings.key]
        new = [tuple(row) for row in new_rows.collect()]
        affected = {tuple(row) for row in keys}
        self.gold = [row for row in self.gold if tuple(row[i] for i in at) not in affected] + new
        _, expected = self._recompute()
        self.refreshes, self.computed, self.rows = (
            self.refreshes + 1,
            self.computed + len(new),
            self.rows + len(expected),
        )
        if not are_equal(self.gold, expected):
            raise LakehouseError(self._describe(name, changed, affected, expected, new_rows.columns))

    def _recompute(self) -> tuple[StructType, list[Row]]:
        inputs = [ProvedInput(table.input, _view(table)) for table in self.tables]
        query_sql = bind_day(self.query_sql, self.day)
        frame = self.spark.sql(_read_views(self.sql["cdc_gold_query_sql"](inputs, query_sql)))
        return frame.schema, [tuple(row) for row in frame.collect()]

    def _register(self, state: int) -> None:
        for table in self.tables:
            fields = ", ".join(f"{quoted(name)} {kind}" for name, kind in table.input.columns.items())
            self._register_rows(f"{_view(table)}_{state}", table.list_rows(), fields)

    def _register_rows(self, view: str, rows: list[Row], schema: StructType | str) -> None:
        make_frame(self.spark, rows, schema).createOrReplaceTempView(view)

    def _register_keys(self, table: RandomTable, keys: set[Row] | None) -> KeySet:
        if not keys:
            return KeySet()
        fields = ", ".join(f"{quoted(name)} {table.input.columns[name]}" for name in table.input.key)
        view = f"cdc_prove_changed_{table.input.number}"
        self._register_rows(view, list(keys), fields)
        return KeySet(view)

    def _describe(
        self,
        name: str,
        changed: Mapping[int, set[Row]],
        affected: set[Row],
        expected: Sequence[Row],
        columns: Sequence[str],
    ) -> str:
        lines = [
            f"Gold error in {name} (prove_gold): after random changes the table differs from its query.",
            *(
                f"  changed keys of {table.input.name}: {_show(changed[table.input.number])}"
                for table in self.tables
                if table.input.number in changed
            ),
            f"  affected keys found: {_show(affected)}",
            f"  columns: {', '.join(columns)}",
            f"  the table has, and the query does not return: {_show(subtract_rows(self.gold, expected))}",
            f"  the query returns, and the table lacks: {_show(subtract_rows(expected, self.gold))}",
            f"keys_sql, spine or clock is wrong, or an order of the query is no total one. Day {self.day}; seed"
            f" {self.seed} brings it back.",
        ]
        return "\n".join(lines)


def are_equal(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    """Returns whether both have the same rows; floats are equal to 1e-9 of their size."""
    if len(rows) != len(others):
        return False
    pairs = zip(sorted(rows, key=_order), sorted(others, key=_order), strict=True)
    return all(_is_same(left, right) for pair in pairs for left, right in zip(*pair, strict=True))


def subtract_rows(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """Lists rows that others lack, or have less often."""
    rest = [*others]
    lacking = []
    for row in rows:
        if row in rest:
            rest.remove(row)
        else:
            lacking.append(row)
    return lacking


def list_texts(query_sql: str) -> list[str]:
    """Lists the texts that a query names, so that its conditions on them hold at times."""
    tree = sqlglot.parse_one(query_sql, dialect=GoldSpark)
    return sorted({literal.name for literal in tree.find_all(exp.Literal) if literal.is_string})


def _order(row: Row) -> str:
    return repr([f"{value:.6g}" if isinstance(value, float) else value for value in row])


def _is_same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-9) or (math.isnan(left) and math.isnan(right))
    return bool(left == right)


def _view(table: RandomTable) -> str:
    return f"cdc_prove_{table.input.number}"


def _read_views(sql: str) -> str:
    """A state of an input is a view here, not a snapshot."""
    for state in (_BEFORE, _AFTER):
        sql = sql.replace(f" version as of {state}", f"_{state}")
    return sql


def _show(rows: Any) -> str:
    shown = sorted(map(repr, rows))
    return ", ".join(shown[:5]) + (f" and {len(shown) - 5} more" if len(shown) > 5 else "") or "none"
