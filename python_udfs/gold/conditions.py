"""Conditions over the columns of a gold table, as `freeze`, `clock` and `refresh_gold` have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types

from python_udfs.gold.day import hide_day
from python_udfs.gold.dialect import GoldSpark
from python_udfs.gold.read import Query, find_clocks_and_chance

_ROW = "_cdc_row"


@dataclass(frozen=True)
class Condition:
    """A condition that a user states.

    Attributes:
        sql: of Spark, in one line, without its day (`day.hide_day`).
        columns: of the table that it names, in lower case.
    """

    sql: str
    columns: tuple[str, ...]


def read_condition(label: str, text: str, query: Query) -> tuple[Condition, list[str]]:
    """Reads a condition.

    Args:
        label: its name in messages.
        text: of the user.
        query: whose columns it may name.

    Returns:
        The condition, and mistakes in it.
    """
    sql = hide_day(text.strip())
    try:
        tree = sqlglot.parse_one(sql, into=exp.Condition, dialect=GoldSpark)
    except sqlglot.errors.SqlglotError as error:
        reason = str(error).strip().splitlines()[0]
        return Condition(sql, ()), [f"{label} is no condition of SQL: {text!r}: {reason}"]
    columns = tuple(dict.fromkeys(column.name.lower() for column in tree.find_all(exp.Column)))
    mistakes = [f"{label}: {mistake}" for mistake in _find_mistakes(tree, columns, query)]
    return Condition(tree.sql(dialect=GoldSpark, comments=False), columns), mistakes


def list_columns(sql: str) -> list[str]:
    """Lists the columns that a condition names."""
    tree = sqlglot.parse_one(sql, into=exp.Condition, dialect=GoldSpark)
    return [column.name.lower() for column in tree.find_all(exp.Column)]


def _find_mistakes(tree: exp.Expr, columns: tuple[str, ...], query: Query) -> Iterator[str]:
    if tree.find(exp.Query):
        yield "a subquery is not read; name columns of the table alone"
        return
    yield from find_clocks_and_chance(tree)
    if tree.find(exp.AggFunc, exp.Window):
        yield "it has an aggregate or a window; it is asked of single rows of the table"
    if not columns:
        yield f"it names no column; expected one of {', '.join(query.columns)}"
    for column in columns:
        if column not in query.columns:
            yield f"it names {column}, which the query does not return; it returns {', '.join(query.columns)}"
    kind = _read_type(tree, query)
    if kind is not None and not kind.is_type(exp.DataType.Type.BOOLEAN, exp.DataType.Type.UNKNOWN):
        yield f"it is {kind.sql(dialect=GoldSpark).lower()}; expected a condition, which is true or false"


def _read_type(tree: exp.Expr, query: Query) -> exp.DataType | None:
    tree = tree.copy()
    select = exp.select(tree).from_(_ROW)
    for column in select.find_all(exp.Column):
        column.set("table", exp.to_identifier(_ROW))
        column.this.set("this", column.name.lower())
    annotated = annotate_types(select, schema={_ROW: dict(query.types)}, dialect=GoldSpark)
    kind: exp.DataType | None = annotated.expressions[0].type
    return kind
