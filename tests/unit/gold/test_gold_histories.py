"""Random rows of any types, for proofs of gold models; and what is said of a model."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import Input
from python_udfs.gold.explain import explain_gold
from python_udfs.gold.histories import RandomTable, make_value
from python_udfs.gold.prove import are_equal, list_texts, subtract_rows
from tests.unit.gold.test_gold_plan import Project

TYPES = {
    "id": "bigint", "price": "decimal(10,2)", "rate": "double", "name": "string", "is_open": "boolean",
    "day": "date", "at": "timestamp", "raw": "binary", "small": "decimal(1,0)",
}  # fmt: skip


def test_histories_have_inserts_updates_deletes_changed_keys_and_returns():
    table, chance = RandomTable(Input("t", "silver.t", ("id",), TYPES, 1), {"name": ["paid"]}), random.Random(1)
    gone, seen = set(), set()
    for _ in range(200):
        before = {key: list(rows) for key, rows in table.rows.items()}
        changed = table.change(chance)
        differing = {key for key in {*before, *table.rows} if before.get(key) != table.rows.get(key)}
        assert differing <= changed, "each change is known"
        seen |= {"insert" for key in table.rows if key not in before and key not in gone}
        seen |= {"return" for key in table.rows if key not in before and key in gone}
        seen |= {"update" for key in table.rows if key in before and table.rows[key] != before[key]}
        seen |= {"truncate"} if len(before) > 4 and len(table.rows) < 4 else set()
        gone |= before.keys() - table.rows.keys()
        seen |= {"null" for row in table.list_rows() if None in row}
        seen |= {"constant" for row in table.list_rows() if "paid" in row}
        assert all(row[0] == key[0] for key, rows in table.rows.items() for row in rows)
    assert seen == {"insert", "return", "update", "truncate", "null", "constant"}


def test_equal_numbers_of_two_columns_meet():
    assert make_value("int", 3) == make_value("decimal(10,0)", 3) == 3
    assert make_value("decimal(10,2)", 3) == Decimal(3)
    assert make_value("decimal(1,0)", 14) == 4
    assert make_value("decimal(2,2)", 4) == Decimal("0.04")
    with pytest.raises(
        LakehouseError, match=r"column t\.tags has type array<string>, of which there are no random values"
    ):
        make_value("array<string>", 1, "t.tags")


def test_rows_are_compared_as_a_bag_and_floats_nearly():
    assert are_equal([(1, 0.1 + 0.2), (2, None)], [(2, None), (1, 0.3)])
    assert not are_equal([(1, 0.3)], [(1, 0.3001)])
    assert not are_equal([(1, Decimal("0.30"))], [(1, Decimal("0.31"))])
    assert not are_equal([(1,), (1,)], [(1,)])
    assert subtract_rows([(1,), (1,), (2,)], [(1,), (2,)]) == [(1,)]


def test_texts_of_a_query():
    assert list_texts("select 'a' x from t where b = 'paid' and c in ('x', 'a') and d = 3") == ["a", "paid", "x"]


def test_a_model_is_explained():
    project = Project()
    node = {"name": "sales", "depends_on": {"nodes": project.depends_on}, "config": project.config}
    text = explain_gold(project.warehouse, project.nodes, node, project.query, project.today)
    assert text.splitlines()[0] == "sales: key id"
    assert [line.split("  ")[0] for line in text.splitlines()[3:5]] == ["silver_o", "silver_o"]
    assert "its own key" in text
    assert "silver_o as o" in text
    assert "rows of the affected keys" in text
    assert "if more than 20% of its rows are affected" in text
    project.nodes["model.p.silver_c"]["config"] = {"unique_key": "id"}
    text = explain_gold(project.warehouse, project.nodes, node, project.query, project.today)
    assert "whenever silver_c moves: nothing records which of its keys changed" in text
    node["config"] = {**project.config, "full_above": "never"}
    text = explain_gold(project.warehouse, project.nodes, node, project.query, project.today)
    assert "never because of many affected rows" in text
    node |= {"database": None, "schema": "silver", "alias": "o", "config": {**project.config, "freeze": "amt > 1"}}
    project.warehouse.older = {"cdc.gold-mode": "affected", "cdc.gold-frozen": "4"}
    text = explain_gold(project.warehouse, project.nodes, node, project.query, project.today)
    assert "Rows with amt > 1 are frozen: they follow silver_o alone." in text
    assert "The last refresh (affected) left 4 keys as they were." in text
