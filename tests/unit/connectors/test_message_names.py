"""The facts in the names of files of messages (docs/feeds/s3_sink.md)."""

from __future__ import annotations

import pytest

from python_udfs.connectors.registry import CONNECTORS

FEED = {"connector": "debezium", "format": "json", "is_multi_table": True}
SINK = "topics/db.shop.orders/partition=0/db.shop.orders+0+0000000042"


def test_every_file_of_messages_is_multi_table_and_belongs_to_no_table(parse_names):
    keys = (
        f"{SINK}.json",
        f"{SINK}.json.gz",
        "topics/t/year=2024/month=01/t+3+0000000007.json",
        "topics/db.keys.orders/partition=0/db.keys.orders+0+0000000000.json",
        "topics/tombstone/partition=0/tombstone+0+0000000000.json",
        "shop/tombstone/20240131.json",
        "a b/any name.jsonl",
        "x.ndjson.gz",
    )
    for row in parse_names(FEED, *keys).values():
        assert tuple(row)[1:] == (None, "multi_table", None, None, None), row.file_key


def test_what_holds_no_messages_is_ignored_with_its_reason(parse_names):
    only_keys, only_headers = "keys of messages, without their values", "headers of messages, without their values"
    other = "the feed reads .json, .jsonl and .ndjson files"
    expected = {
        f"{SINK}.keys.avro": only_keys,
        f"{SINK}.keys.json.gz": only_keys,
        f"{SINK}.headers.json": only_headers,
        f"{SINK}.headers.snappy.parquet": only_headers,
        "topics/tombstone/partition=0/tombstone+0+0000000000.keys.json": only_keys,
        "topics/t/tombstone/t+0+0000000003.keys.json": "keys of tombstones, which have no values",
        "tombstone/t+0+0000000003.keys.avro": "keys of tombstones, which have no values",
        f"{SINK}.json.tmp": "temporary file",
        "topics/__debezium-heartbeat.s/partition=0/__debezium-heartbeat.s+0+0000000000.json": (
            "heartbeats of Debezium, which hold no rows"
        ),
        f"{SINK}.avro": other,
        f"{SINK}.snappy.parquet": other,
        f"{SINK}xjson": other,
    }
    assert {key: row.ignored_reason for key, row in parse_names(FEED, *expected).items()} == expected
    (empty,) = parse_names(FEED, (f"{SINK}.json", 0)).values()
    assert empty.ignored_reason == "zero-byte file"


def test_the_option_file_names_says_which_files_hold_messages(parse_names):
    firehose = "2024/01/31/12/dms-shop-1-2024-01-31-12-00-05-6f1c2a0e"
    other = "the name does not match the option file_names of the feed"
    rules = parse_names(
        {**FEED, "connector": "dms_kafka", "file_names": r"^dms-shop-1-[\d-]+[0-9a-f]+(\.gz)?$"},
        *(firehose, f"{firehose}.gz", f"{firehose}.json", "2024/it's.json", f"{SINK}.keys.json", "2024/_SUCCESS"),
    )
    assert [row.ignored_reason for row in rules.values()] == [
        *(None, None, other, other),
        *("keys of messages, without their values", "marker of the writer"),
    ]
    assert parse_names({**FEED, "file_names": "it's"}, "2024/it's.txt")["2024/it's.txt"].kind == "multi_table"


def test_a_file_whose_damage_nobody_would_notice_is_ignored_with_its_reason(parse_names):
    unchecked = "damage of files with this ending is not noticed: use .gz or .zst"
    expected = {"a": None, "a.gz": None, "a.zst": None, "a.bz2": unchecked, "a.snappy": unchecked, "a.lz4": unchecked}
    rules = parse_names({**FEED, "file_names": "^a"}, *expected)
    assert {key: row.ignored_reason for key, row in rules.items()} == expected


@pytest.mark.parametrize("connector", sorted({*CONNECTORS} - {"dms"}))
def test_all_contracts_of_messages_are_found_alike(parse_names, connector):
    (row,) = parse_names({**FEED, "connector": connector}, f"{SINK}.json").values()
    assert row.kind == "multi_table"
