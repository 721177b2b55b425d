"""Files whose names a feed does not expect, from the landing area to silver."""

from __future__ import annotations

import gzip
import json

import pytest

# As Kinesis Data Firehose writes them: no ending, or that of the compression alone.
NAMES = (
    "2024/01/31/12/dms-shop-1-2024-01-31-12-00-05-6f1c2a0e",
    "2024/01/31/12/dms-shop-1-2024-01-31-12-05-05-9b2d.gz",
)
TEST = "most_files_of_a_feed_are_read"


def land(folder, name: str, number: int, table: str) -> None:
    metadata = {"timestamp": "2024-01-31T12:00:00.000000Z", "record-type": "data", "operation": "insert"}
    metadata |= {"schema-name": "s", "table-name": table}
    content = json.dumps({"data": {"id": number, "v": "a"}, "metadata": metadata}).encode()
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    for feed, options in (("unnamed", ""), ("named", "file_names=^dms-shop-"), ("sink", "")):
        empty_lakehouse.add_feed(feed, "json", options, connector="dms_kafka")
        empty_lakehouse.add_table(feed, feed, columns="id int, v string")
    empty_lakehouse.make_models()
    for feed in ("unnamed", "named"):
        for number, name in enumerate(NAMES):
            land(empty_lakehouse.raw / feed, name, number, feed)
    land(empty_lakehouse.raw / "sink", "topics/t/t+0+0000000000.json", 1, "sink")
    for end in ("keys.json", "headers.json", "json.crc"):
        land(empty_lakehouse.raw / "sink", f"topics/t/t+0+0000000000.{end}", 1, "sink")
    empty_lakehouse.statuses_at_first = empty_lakehouse.run_and_test(TEST)
    empty_lakehouse.printed = "\n".join(empty_lakehouse.messages)
    return empty_lakehouse


def test_a_feed_whose_files_are_ignored_because_of_their_names_is_reported(lakehouse):
    assert lakehouse.statuses_at_first[TEST] == "warn"
    results = lakehouse.dbt("test", "--select", TEST).result.results
    (query,) = (result.node.compiled_code for result in results if result.node.name == TEST)
    rows = lakehouse.sql(query)
    assert [(row.feed, row.unread_files, row.files, row.example) for row in rows] == [("unnamed", 2, 2, min(NAMES))]
    assert "unnamed" in lakehouse.printed
    assert lakehouse.table("unnamed", "id, v") == []


def test_files_with_the_names_of_the_option_are_read(lakehouse):
    assert lakehouse.table("named", "id, v") == [(0, "a"), (1, "a")]


def test_files_of_keys_and_headers_are_no_reason_to_warn(lakehouse):
    ignored = lakehouse.sql("select file_key from etl_metadata.raw_listing where feed = 'sink' and kind = 'ignored'")
    assert len(ignored) == 3
    assert lakehouse.table("sink", "id, v") == [(1, "a")]


def test_a_feed_that_is_corrected_is_read_and_no_longer_reported(lakehouse):
    lakehouse.rows["cdc_feeds.csv"][0]["options"] = "file_names=^dms-"
    lakehouse.make_models()
    lakehouse.sql("delete from etl_metadata.raw_listing where feed = 'unnamed' and kind = 'ignored'")
    assert lakehouse.run_and_test(TEST)[TEST] == "pass"
    assert lakehouse.table("unnamed", "id, v") == [(0, "a"), (1, "a")]
