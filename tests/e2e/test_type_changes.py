"""A type that changes at the source: what follows by itself, and the one command for all else (record 65)."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from stories import Story, change

from python_udfs.metadata import COLUMNS_FILE
from python_udfs.sample_data.dms_writer import Column

MONEY = {2: pa.decimal128(12, 2), 4: pa.decimal128(14, 4)}


def columns(price: pa.DataType) -> tuple[Column, ...]:
    return (Column("id", pa.int32()), Column("price", price))


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("parquet", "parquet", "timestamp_column=ts")
    lakehouse.add_table("parquet", "money")
    lakehouse.add_table("parquet", "texts", mode="history")
    lakehouse.make_models()
    return lakehouse


@pytest.fixture
def operate(lakehouse, capsys):
    """Runs a command; returns what it printed, or the message that it failed with."""

    def run(name: str, **arguments: Any) -> str:
        capsys.readouterr()
        outcome = lakehouse.dbt("run-operation", name, "--args", json.dumps(arguments))
        return capsys.readouterr().out if outcome.success else "\n".join(lakehouse.messages)

    return run


def types(lakehouse, table: str) -> dict[str, str]:
    return {row.col_name: row.data_type for row in lakehouse.sql(f"describe table {table}") if row.col_name}


def run(lakehouse, name: str) -> dict[str, str]:
    return lakehouse.run_and_compare(f"+silver_s__{name}")


def test_a_decimal_gets_more_places_from_quarantine_alone(lakehouse, operate):
    root = lakehouse.raw / "parquet"
    story = Story(root, "money", columns=columns(MONEY[2]))
    story.load(0, {"id": 1, "price": Decimal("1.25")}, {"id": 2, "price": Decimal("9999999999.99")})
    assert set(run(lakehouse, "money").values()) <= {"success", "pass"}
    wide = Story(root, "money", columns=columns(MONEY[4]))
    files = wide.changes(1, change("U", 1, id=1, price=Decimal("1.2345")), change("I", 1, id=3, price=Decimal("3.5000")))
    run(lakehouse, "money")
    command = "dbt run-operation change_types --args '{table: s__money}'"
    [reason] = lakehouse.sql("select _cdc_quarantine_reason from bronze.s__money where _cdc_quarantine_rule is not null")
    assert reason[0] == f"price is '1.2345' of type decimal(14,4), expected decimal(12,2): run {command}"
    assert f"price needs decimal(14,4), bronze has decimal(12,2): run {command}." in operate(
        "replay_quarantine", table="s__money"
    )
    for file in files:
        Path(file).unlink()
    before = lakehouse.snapshots("bronze.s__money")
    said = operate("change_types", table="s__money")
    assert "bronze.s__money: price decimal(12,2) becomes decimal(14,4) (rows in quarantine)" in said
    assert "1 of 3: rewriting bronze.s__money" in said
    assert "1 rows waited in quarantine, 1 are in bronze now" in said
    for layer in ("bronze", "silver"):
        assert types(lakehouse, f"{layer}.s__money")["price"] == "decimal(14,4)"
    expected = [(1, Decimal("1.2345")), (2, Decimal("9999999999.9900")), (3, Decimal("3.5000"))]
    assert lakehouse.table("money", "id, price") == expected
    assert set(before) < set(lakehouse.snapshots("bronze.s__money")), "yesterday is still there"
    state = lakehouse.snapshots("bronze.s__money"), lakehouse.snapshots("silver.s__money")
    assert set(run(lakehouse, "money").values()) <= {"success", "pass"}
    assert (lakehouse.snapshots("bronze.s__money"), lakehouse.snapshots("silver.s__money")) == state
    assert "nothing to rewrite" in operate("change_types", table="s__money")
    wide.changes(2, change("U", 2, id=2, price=Decimal("0.0001")))
    assert set(run(lakehouse, "money").values()) <= {"success", "pass"}
    assert lakehouse.table("money", "id, price")[1] == (2, Decimal("0.0001"))
