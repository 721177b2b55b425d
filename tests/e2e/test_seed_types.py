"""The types of cdc_columns.csv bind the columns of parquet files, which have types of their own."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from stories import Story, change

from python_udfs.metadata import COLUMNS_FILE, TABLES_FILE
from python_udfs.sample_data.dms_writer import Column

LISTED = "id int, amount decimal(10,2), ok boolean, at timestamp_ntz, code string, n int, late date"
TEXTS = {"id": pa.int32(), "amount": pa.string(), "ok": pa.int8(), "at": pa.timestamp("us", "UTC")}
TEXTS |= {"code": pa.int64(), "n": pa.int64()}
NUMBERS = {"id": pa.int16(), "amount": pa.float64(), "ok": pa.bool_(), "at": pa.string(), "code": pa.string()}
NOON = datetime(2024, 1, 31, 12, tzinfo=timezone.utc)


def columns(types: dict[str, pa.DataType]) -> tuple[Column, ...]:
    return tuple(Column(name, type) for name, type in types.items())


def types_of(lakehouse: Any, table: str) -> dict[str, str]:
    rows = lakehouse.sql(f"describe table {table}")
    names = (row for row in rows if row.col_name and not row.col_name.startswith(("_cdc", "#")))
    return {row.col_name: row.data_type for row in names}


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("seed", "parquet", "timestamp_column=ts")
    lakehouse.add_table("seed", "bound", columns=LISTED)
    lakehouse.add_table("seed", "frozen", columns="id int, n int", schema_drift="freeze")
    lakehouse.add_table("seed", "empty", columns="id bigint, name varchar(20), at timestamp")
    lakehouse.add_table("seed", "later", columns="id bigint, amount decimal(10,2)")
    lakehouse.make_models()
    row = {"ok": 1, "at": NOON, "code": 7, "n": 1}
    Story(lakehouse.raw / "seed", "bound", columns(TEXTS)).load(
        0, {**row, "id": 1, "amount": "1.5"}, {**row, "id": 2, "amount": "x"}, {**row, "id": 3, "amount": "1", "ok": 2}
    )
    wide = columns({"id": pa.int32(), "n": pa.int64()})
    Story(lakehouse.raw / "seed", "frozen", wide).load(0, {"id": 1, "n": 1}, {"id": 2, "n": 2**40})
    assert set(lakehouse.statuses("run").values()) == {"success"}
    lakehouse.first_types = types_of(lakehouse, "silver.s__later")
    row = {"ok": False, "at": "2024-02-01 00:00:00", "code": "a"}
    Story(lakehouse.raw / "seed", "bound", columns(NUMBERS)).changes(
        1, change("U", 1, **row, id=1, amount=2.5), change("I", 1, **row, id=4, amount=2.505)
    )
    texts = columns({"id": pa.int32(), "amount": pa.string()})
    Story(lakehouse.raw / "seed", "later", texts).load(0, {"id": 1, "amount": "0.10"}, {"id": 2, "amount": "ten"})
    statuses = lakehouse.run_and_compare()
    assert not [name for name, status in statuses.items() if status not in ("success", "pass")], statuses
    return lakehouse


def test_the_type_of_the_seed_is_that_of_the_table_whatever_the_files_have(lakehouse):
    expected = {"id": "int", "amount": "decimal(10,2)", "ok": "boolean", "at": "timestamp_ntz", "code": "string"}
    # int to bigint is a type that the table can take: schema_drift evolve follows it.
    expected |= {"n": "bigint", "late": "date"}
    assert types_of(lakehouse, "bronze.s__bound") == types_of(lakehouse, "silver.s__bound") == expected
    rows = lakehouse.table("bound", "id, amount, ok, at, code, n, late")
    assert rows == [(1, Decimal("2.50"), False, datetime(2024, 2, 1), "a", None, None)]


def test_a_value_that_the_type_of_the_seed_cannot_hold_is_quarantined_with_the_reason(lakehouse):
    rows = lakehouse.sql("select source_table, reason from etl_metadata.quarantine where source_schema = 's'")
    assert sorted(map(tuple, rows)) == [
        ("bound", "amount is '2.505' of type double, expected decimal(10,2)"),
        ("bound", "amount is 'x' of type string, expected decimal(10,2)"),
        ("bound", "ok is '2' of type tinyint, expected boolean"),
        ("frozen", f"n is '{2**40}' of type bigint, expected int"),
        ("later", "amount is 'ten' of type string, expected decimal(10,2)"),
    ]


def test_a_table_without_files_is_as_the_seed_describes_it(lakehouse):
    for layer in ("bronze", "silver"):
        actual = types_of(lakehouse, f"{layer}.s__empty")
        assert actual == {"id": "bigint", "name": "string", "at": "timestamp"}
    assert (
        lakehouse.first_types == types_of(lakehouse, "silver.s__later") == {"id": "bigint", "amount": "decimal(10,2)"}
    )
    assert lakehouse.table("later", "id, amount") == [(1, Decimal("0.10"))]


def test_a_type_beyond_that_of_the_seed_is_warned_of(lakehouse):
    rows = {row["column_name"]: row for row in lakehouse.rows[COLUMNS_FILE] if row["source_table"] == "frozen"}
    [table] = [row for row in lakehouse.rows[TABLES_FILE] if row["source_table"] == "frozen"]
    table["schema_drift"] = "evolve"
    lakehouse.make_models()
    wide = columns({"id": pa.int32(), "n": pa.int64()})
    Story(lakehouse.raw / "seed", "frozen", wide).changes(1, change("I", 1, id=3, n=2**41))
    lakehouse.statuses("run", "--select", "raw_listing", "bronze_s__frozen")
    [said] = [message for message in lakehouse.messages if "cdc_columns.csv" in message and "frozen" in message]
    assert "column n becomes bigint, expected int (seeds/cdc_columns.csv)" in said
    # The runbook's cure for a wrong type: correct the seed and replay.
    rows["n"]["data_type"] = "bigint"
    lakehouse.make_models()
    arguments = json.dumps({"table": "s__frozen"})
    assert lakehouse.dbt("run-operation", "replay_quarantine", "--args", arguments).success
    assert lakehouse.run_and_compare("silver_s__frozen")["silver_s__frozen"] == "success"
    assert lakehouse.table("frozen", "id, n") == [(1, 1), (2, 2**40), (3, 2**41)]
