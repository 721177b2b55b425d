"""Messages that waited in quarantine are parsed with the seeds of now, and are the changes that they were."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest
from message_cases import AT, LINES_SCHEMA
from pyspark.sql import functions as F
from seed_files import good_seeds, write_seeds

from python_udfs.connectors.debezium import read_rows
from python_udfs.landing.parse_again import show_parsed
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, TABLES_FILE, load_metadata
from python_udfs.metadata.of_models import split_feed
from spark_files.frames import make_frame

NOON = 1706702400000  # 2024-01-31 12:00:00, in milliseconds
PATH = "kafka://cluster/topic-id/p.s.t/0"
FIRST = "2024-01-31 12:00:00.000000"
CHANGE = {"__op": "u", "__source_lsn": 77, "__source_sequence": '["70","77"]', "__source_ts_ms": NOON}


def key_of(at, **other):
    return json.dumps({"at": at, "b": 7, **other})


# By their offsets: key and value of messages with a time whose unit no seed states.
MESSAGES = {
    "a delete by its key": (key_of(NOON), None),
    "a delete under an old name": (json.dumps({"old_at": NOON, "b": 7}), None),
    "a row with its key": (key_of(NOON), {"at": NOON, "b": 7, "v": "x", **CHANGE}),
    "a row without one column of it": (key_of(NOON), {"at": NOON, "v": "x", **CHANGE}),
    "a row without it": (key_of(NOON), {"seen": NOON, "v": "x", **CHANGE}),
    "a row under an old name": (None, {"old_at": NOON, "b": 7, "v": "x", **CHANGE}),
    "both names and not the other column": (None, {"old_at": NOON, "at": NOON, "v": "x", **CHANGE}),
    "a column of the message's key alone": (key_of(NOON, w="w"), {"at": NOON, "b": 7, "v": "x", **CHANGE}),
    "a delete with a value": (key_of(NOON), {"at": NOON, "b": 7, "__deleted": "true", **CHANGE}),
    "a key that is none": ("{broken", None),
}


def seeds(tmp_path, encoding="", tombstones="delete"):
    """The seeds of a flattened feed from Kafka, and what its split knows of them."""
    rows = good_seeds()
    rows[FEEDS_FILE][1] |= {
        "connector": "debezium",
        "format": "json",
        "location": "kafka://b:9092",
        "options": f"topics=p.s.t;form=flattened;tombstones={tombstones}",
    }
    rows[TABLES_FILE][1] |= {
        **{"source_schema": "s", "source_table": "t", "primary_key": "at;b", "renamed_columns": "old_at=at"},
    }
    types = {"at": "timestamp", "b": "int", "seen": "timestamp", "v": "string", "w": "string"}
    columns = [
        {**rows[COLUMNS_FILE][2], "source_schema": "s", "source_table": "t", "column_name": name, "data_type": type_}
        | {"position": str(position), "encoding": encoding if type_ == "timestamp" else "", "optional": "true"}
        for position, (name, type_) in enumerate(types.items(), 1)
    ]
    rows[COLUMNS_FILE] = [*rows[COLUMNS_FILE][:2], *columns]
    folder = write_seeds(tmp_path / f"{encoding}-{tombstones}", rows)
    return str(folder), split_feed(load_metadata(folder), "people")


def parsed_again(spark, tmp_path, tombstones="delete"):
    """The rows before and after, by the names of MESSAGES."""
    described = seeds(tmp_path)[1]
    rows = [
        (PATH, PATH, AT, AT, 7, 1, row, "" if value is None else json.dumps(value), key)
        for row, (key, value) in enumerate(MESSAGES.values())
    ]
    lines = make_frame(spark, rows, f"{LINES_SCHEMA}, key string")
    split = read_rows(lines, {**described, "to_join": [], "tombstones": "delete"})
    # As the split of Kafka does where a message has no time.
    split = split.withColumn("committed_at", F.coalesce("committed_at", "modified_at"))
    # A table, not the plan of it.
    spark.createDataFrame(split.collect(), split.schema).createOrReplaceTempView("parse_again__waiting")
    folder = seeds(tmp_path, "ms", tombstones)[0]
    show_parsed(spark, folder, "people", "parse_again__waiting", "parse_again__parsed")
    return [
        {name: row for name, row in zip(MESSAGES, spark.table(view).orderBy("file_row").collect(), strict=True)}
        for view in ("parse_again__waiting", "parse_again__parsed")
    ]


@pytest.fixture(scope="module")
def rows(spark, tmp_path_factory):
    before, after = parsed_again(spark, tmp_path_factory.mktemp("seeds"))
    assert [name for name, row in before.items() if not row.malformed] == []
    return before, after


def test_a_delete_by_its_key_is_parsed_as_a_delete(rows):
    before, after = rows
    for name, column in (("a delete by its key", "at"), ("a delete under an old name", "old_at")):
        row = after[name]
        assert (row.malformed, row.kind, row.operation) == (None, "change", "D"), name
        assert row.image == {column: FIRST, "b": "7"}, name
        assert row.content == before[name].content, name
        assert row.position == before[name].position, name
        # It has no time of its own.
        assert row.committed_at.replace(tzinfo=timezone.utc) in (AT, AT.astimezone().replace(tzinfo=timezone.utc)), name


def test_a_message_with_a_position_of_the_source_keeps_that_of_its_offset(rows):
    before, after = rows
    for name, operation in (("a row with its key", "U"), ("a delete with a value", "D")):
        row = after[name]
        assert (row.malformed, row.operation, row.position) == (None, operation, before[name].position), name
        assert row.position.endswith("2"), name
        assert row.committed_at == datetime(2024, 1, 31, 12), name
    assert after["a row with its key"].image == {"at": FIRST, "b": "7", "v": "x"}


def test_a_row_that_its_value_alone_does_not_make_waits_as_it_was(rows):
    before, after = rows
    for name in (
        "a row without one column of it",
        "a row without it",
        "both names and not the other column",
        "a column of the message's key alone",
        "a key that is none",
    ):
        assert after[name] == before[name], name
        assert after[name].malformed, name


def test_a_key_has_its_columns_under_the_names_of_any_time(rows):
    row = rows[1]["a row under an old name"]
    assert (row.malformed, row.image) == (None, {"old_at": FIRST, "b": "7", "v": "x"})


def test_a_delete_by_its_key_is_no_row_where_tombstones_are_ignored_now(spark, tmp_path):
    before, after = parsed_again(spark, tmp_path, "ignore")
    assert after["a delete by its key"] == before["a delete by its key"]
