"""Rows of Python become the frame that Spark would make of them, without a process of Python."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pyarrow as pa
import pytest

from spark_files.frames import make_frame

SCHEMA = (
    "id int, big bigint, name string, ratio double, is_new boolean, price decimal(10,2), day date, at timestamp,"
    " plain timestamp_ntz, octets binary, tags array<string>, keys map<string, string>"
)
ROWS = [
    {
        "id": 1,
        "big": 2**40,
        "name": "Zürich ' \\ \n",
        "ratio": 0.1,
        "is_new": True,
        "price": Decimal("1.50"),
        "day": date(1, 1, 1),
        "at": datetime(2026, 3, 29, 2, 30, 0, 123456),
        "plain": datetime(1066, 10, 14, 9, 0),
        "octets": b"\x00\xff",
        "tags": ["a", "b"],
        "keys": {"a": "1", "b": None},
    },
    {"id": 2, "at": datetime(2026, 11, 28, 12, tzinfo=timezone(timedelta(hours=5)))},
    {},
]


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_the_rows_are_those_that_spark_makes_of_them(session, monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        expected = session.createDataFrame([{**dict.fromkeys(ROWS[0]), **row} for row in ROWS], SCHEMA)
        made = make_frame(session, ROWS, SCHEMA)
        assert (made.collect(), made.schema) == (expected.collect(), expected.schema)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_values_may_stand_in_the_order_of_the_columns(session):
    columns = session.createDataFrame([], "id int, name string").schema
    rows = [(1, "a"), (2, None)]
    assert [tuple(row) for row in make_frame(session, rows, columns).collect()] == rows
    assert make_frame(session, [], columns).collect() == []


def test_no_query_sends_the_rows_through_python(session, capsys):
    make_frame(session, ROWS, SCHEMA).explain()
    assert "ExistingRDD" not in capsys.readouterr().out


def test_a_value_of_another_type_is_refused(session):
    with pytest.raises(pa.ArrowException, match="Could not convert"):
        make_frame(session, [{"id": "one"}], "id int")
