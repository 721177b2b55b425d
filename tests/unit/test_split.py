"""Files of many tables, read once each, on one local Spark session."""

from __future__ import annotations

import gzip
import os
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from python_udfs.landing.split import _first_files, new_rows
from spark_files.frames import make_frame

START = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
FEED = {"feed": "bank", "connector": "dms", "delimiter": ","}
REJECTED_SCHEMA = (
    "feed string, source_schema string, source_table string, path string, size bigint, modified_at timestamp, "
    "rule string, reason string, batch_id bigint, rejected_at timestamp"
)
LISTING_SCHEMA = (
    "feed string, source_schema string, source_table string, file_key string, path string, size bigint, "
    "modified_at timestamp, kind string, file_time timestamp, batch_id bigint, first_seen_at timestamp, revision int"
)


class Bank:
    """A feed of transaction files; the listing numbers batches."""

    def __init__(self, spark, root):
        self.spark, self.root, self.listing = spark, root, []
        for table, schema in (("rejected", REJECTED_SCHEMA), ("split", None)):
            spark.sql(f"drop table if exists {table}")
            if schema:
                spark.sql(f"create table {table} ({schema}) using parquet")

    def land(self, batch, name, text, minutes=0, kind="multi_table", table=None):
        path = self.root / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        at = START + timedelta(minutes=minutes)
        os.utime(path, (at.timestamp(),) * 2)
        schema = table and "s"
        where = (FEED["feed"], schema, table, name, f"file:{path}", len(text), at, kind, at)
        versions = list(dict.fromkeys(listed[:9] for listed in [*self.listing, where] if name == listed[3]))
        revision = versions.index(where)
        self.listing.append((*where, batch, START + timedelta(days=batch), revision))

    def split(self):
        """New rows as (table, content, batch), after they were written; None if there are none."""
        target = "split" if self.spark.catalog.tableExists("split") else None
        listing = make_frame(self.spark, self.listing, LISTING_SCHEMA)
        frame = new_rows(self.spark, FEED, listing, "rejected", target)
        if frame is None:
            return None
        rows = frame.localCheckpoint()
        rows.write.mode("append").saveAsTable("split")
        content = [(row.source_table, row.content, row.batch_id) for row in rows.collect()]
        return sorted(content, key=lambda row: (row[0] is not None, str(row)))

    def rejected(self):
        rows = self.spark.table("rejected").collect()
        return sorted((row.path.rsplit("/", 1)[-1], row.rule, row.reason) for row in rows)


@pytest.fixture
def bank(spark, tmp_path):
    return Bank(spark, tmp_path)


def test_each_file_is_read_once(bank):
    assert bank.split() == [(None, None, 0)]
    assert bank.split() is None
    bank.land(1, "CDC_TXN-1.csv", "I,t,s,1\nI,u,s,2\n")
    bank.land(2, "CDC_TXN-2.csv.gz", gzip.compress(b"I,t,s,3\n"))
    assert bank.split() == [
        (None, None, 2),
        ("t", "I,t,s,1", 1),
        ("t", "I,t,s,3", 2),
        ("u", "I,u,s,2", 1),
    ]
    assert bank.split() is None


def test_a_record_over_lines_beside_a_file_without_such(bank):
    bank.land(1, "CDC_TXN-1.csv", 'I,t,s,"a\n\nb"\nI,u,s,2\n')
    bank.land(1, "CDC_TXN-2.csv", 'I,t,s,"c"\nI,u,s,4\n')
    content = [content for _, content, _ in bank.split()]
    assert content == [None, 'I,t,s,"a\n\nb"', 'I,t,s,"c"', "I,u,s,2", "I,u,s,4"]


def test_a_batch_without_such_files_is_progress(bank):
    bank.split()
    bank.land(3, "LOAD1.csv", "1\n", kind="load", table="t")
    assert bank.split() == [(None, None, 3)]


def test_newer_content_is_marked_for_each_table_of_the_older(bank):
    bank.land(1, "CDC_TXN-1.csv", "I,t,s,1\nI,u,s,2\nI,t,s,3\nI")
    bank.land(1, "CDC_TXN-2.csv", "I,t,s,4\n")
    bank.split()
    bank.land(2, "CDC_TXN-1.csv", "I,t,s,1\n", minutes=1)
    bank.land(2, "CDC_TXN-2.csv", "I,t,s,5\n", minutes=1)
    bank.land(3, "CDC_TXN-2.csv.gz", b"\x1f\x8bno gzip", minutes=2)
    marked = [(None, None), ("t", "I,t,s,1"), ("t", "I,t,s,5"), ("t", None), ("t", None), ("u", None)]
    content = [row[:2] for row in bank.split()]
    assert sorted(content, key=str) == sorted([(None, None), *marked], key=str)
    markers = bank.spark.table("split").where("file_row = 999999999999").orderBy("path", "source_table").collect()
    assert [(row.path[-5:], row.source_table, row.batch_id) for row in markers] == [
        ("1.csv", None, 2),
        ("1.csv", "t", 2),
        ("1.csv", "u", 2),
        ("2.csv", "t", 2),
    ]


def test_what_cannot_be_read_is_written_down_and_stops_nothing_else(bank):
    bank.land(1, "CDC_TXN-1.csv.gz", b"\x1f\x8bno gzip")
    bank.land(1, "CDC_TXN-2.csv", "I,t,s,1\n")
    bank.land(1, "CDC_TXN-3.csv", "I,t,s,2\n", minutes=1)
    bank.land(2, "CDC_TXN-3.csv", "I,t,s,3\n", minutes=2)
    rows = [(None, None, 2), ("t", "I,t,s,1", 1), ("t", "I,t,s,3", 2)]
    assert bank.split() == rows
    [unreadable, replaced] = bank.rejected()
    assert unreadable[:2] == ("CDC_TXN-1.csv.gz", "unreadable")
    assert replaced == ("CDC_TXN-3.csv", "replaced", "replaced by newer content before it was read")
    bank.spark.sql("drop table split")
    assert bank.split() == rows
    assert len(bank.rejected()) == 2


def test_a_version_that_goes_and_comes_back_is_read_once(bank):
    bank.land(1, "CDC_TXN-1.csv", "I,t,s,1\n")
    assert bank.split()[1:] == [("t", "I,t,s,1", 1)]
    bank.land(3, "CDC_TXN-1.csv", "I,t,s,1\n")
    bank.land(3, "CDC_TXN-2.csv", "I,t,s,2\n")
    assert bank.split()[1:] == [("t", "I,t,s,2", 3)]


def test_what_was_rejected_is_judged_again_where_it_is_listed_again_whatever_the_clocks_say(bank):
    content = gzip.compress(b"I,t,s,1\n")
    bank.land(1, "CDC_TXN-1.csv.gz", b"x" * len(content))
    assert bank.split() == [(None, None, 1)]
    bank.land(3, "CDC_TXN-1.csv.gz", content)
    assert bank.split()[1:] == [("t", "I,t,s,1", 3)]
    bank.land(5, "CDC_TXN-1.csv.gz", content)
    assert bank.split() == [(None, None, 5)], "it was read, and is back once more"


@pytest.mark.parametrize(("most", "names"), [(None, "cab"), (1, "a"), (10, "a"), (11, "ab"), (100, "abc")])
def test_a_look_at_what_waits_reads_the_files_that_came_first_and_one_whatever_its_size(most, names):
    def file(name, batch):
        return SimpleNamespace(path=name, size=10, batch_id=batch, modified_at=START)

    files = [file("c", 2), file("a", 1), file("b", 1)]
    assert "".join(row.path for row in _first_files(files, most)) == names
