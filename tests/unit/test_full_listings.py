"""When a feed is listed in full: once in so many hours, and whenever its listing may lack something."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest

from python_udfs.landing.full_listings import KEY, list_landing
from spark_files.capabilities import append_frame

START = datetime(2024, 2, 10, 12, 0, tzinfo=timezone.utc)
FEED = {
    "feed": "shop",
    "connector": "dms",
    "format": "csv",
    "location": "shop",
    "is_multi_table": False,
    "full_listing_hours": 24,
    "listing_overlap_hours": 24,
}
TABLE = "lakehouse.full_listings.raw_listing"
NEW = "s/t/2024-02-10/20240210-000000000.csv"


def late(number):
    """A file that a listing in part leaves out."""
    return f"s/t/2024-02-01/20240201-00000000{number}.csv"


class Runs:
    def __init__(self, session, root):
        self.session, self.root, self.feeds, self.is_made = session, root, [FEED], False

    def land(self, key, feed="shop"):
        path = self.root / feed / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")

    def run(self, hours):
        """A run so many hours after the start, as dbt has it; returns the files that it found."""
        name = TABLE if self.is_made else None
        files = list_landing(self.session, self.feeds, name, START + timedelta(hours=hours))
        if files is None:
            return []
        keys = sorted(row.file_key for row in files.rows.collect())
        if self.is_made:
            append_frame(files.rows, TABLE, files.properties)
        else:
            recorded = {f"snapshot-property.{name}": value for name, value in files.properties.items()}
            files.rows.writeTo(TABLE).using("iceberg").options(**recorded).create()
        self.is_made = True
        return keys

    def snapshots(self):
        rows = self.session.sql(f"select snapshot_id, summary from {TABLE}.snapshots order by committed_at").collect()
        return [(row.snapshot_id, json.loads(row.summary.get(KEY, "null"))) for row in rows]


@pytest.fixture
def runs(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("LAKEHOUSE_RAW", str(tmp_path))
    session = spark.newSession()
    session.sql("create schema if not exists lakehouse.full_listings")
    made = Runs(session, tmp_path)
    for key in (NEW, late(0)):
        made.land(key)
    assert made.run(0) == [late(0), NEW]
    yield made
    session.sql(f"drop table if exists {TABLE} purge")


def test_a_feed_is_listed_in_full_once_in_its_hours_and_in_part_in_between(runs):
    runs.land(late(1))
    assert runs.run(1) == []
    runs.land("s/t/2024-02-10/20240210-000000001.csv")
    assert runs.run(23) == ["s/t/2024-02-10/20240210-000000001.csv"]
    assert runs.run(24) == [late(1)]
    recorded = [at for _, summary in runs.snapshots() for at in summary.values()]
    assert recorded == [f"2024-02-{day}T12:00:00+00:00" for day in (10, 10, 11)], (
        "what a part finds records no full listing"
    )
    runs.land(late(2))
    assert runs.run(47) == []
    assert runs.run(48) == [late(2)]


def test_a_full_listing_that_finds_nothing_makes_no_snapshot_and_counts(runs):
    before = runs.snapshots()
    assert runs.run(24) == []
    runs.land(late(1))
    assert runs.run(47) == []
    assert runs.snapshots() == before
    assert runs.run(48) == [late(1)]


def test_a_rollback_takes_a_full_listing_back(runs):
    [(first, _)] = runs.snapshots()
    runs.land(late(1))
    assert runs.run(24) == [late(1)]
    runs.session.sql(f"call lakehouse.system.rollback_to_snapshot('full_listings.raw_listing', {first})")
    assert runs.run(25) == [late(1)]


def test_a_rollback_takes_a_full_listing_that_found_nothing_back(runs):
    [(first, _)] = runs.snapshots()
    runs.land("s/t/2024-02-10/20240210-000000001.csv")
    runs.run(1)
    assert runs.run(24) == []
    runs.land(late(1))
    assert runs.run(25) == []
    runs.session.sql(f"call lakehouse.system.rollback_to_snapshot('full_listings.raw_listing', {first})")
    assert runs.run(26) == [late(1), "s/t/2024-02-10/20240210-000000001.csv"]


def test_rows_that_were_deleted_are_found_in_the_next_run(runs):
    runs.session.sql(f"delete from {TABLE} where file_key = '{late(0)}'")
    assert runs.run(1) == [late(0)]


def test_a_compaction_changes_nothing(runs):
    runs.session.sql(
        "call lakehouse.system.rewrite_data_files("
        "table => 'full_listings.raw_listing', options => map('rewrite-all', 'true'))"
    )
    runs.land(late(1))
    assert runs.run(1) == []


@pytest.mark.parametrize("change", [{"connector": "debezium", "format": "json"}, {"location": "moved"}])
def test_another_location_or_connector_is_listed_in_full(runs, change):
    runs.feeds = [{**FEED, **change}]
    for feed in ("shop", "moved"):
        runs.land(late(1).replace("csv", runs.feeds[0]["format"]), feed)
    assert late(1).replace("csv", runs.feeds[0]["format"]) in runs.run(1)


def test_a_clock_that_went_back_puts_off_no_full_listing(runs):
    runs.land(late(1))
    assert runs.run(-1) == [late(1)]


def test_each_feed_has_hours_of_its_own_and_one_without_is_always_listed_in_full(runs):
    seldom = {**FEED, "feed": "seldom", "location": "seldom", "full_listing_hours": 48}
    always = {key: value for key, value in FEED.items() if "hours" not in key}
    runs.feeds = [FEED, seldom, {**always, "feed": "always", "location": "always"}]
    for feed in ("seldom", "always"):
        runs.land(NEW, feed)
    assert runs.run(1) == [NEW, NEW], "a new feed is listed in full"
    for feed in ("shop", "seldom", "always"):
        runs.land(late(1), feed)
    assert runs.run(2) == [late(1)]
    assert runs.run(24) == [late(1)]
    assert runs.run(48) == []
    assert runs.run(49) == [late(1)]


def test_without_the_option_nothing_is_recorded(runs):
    runs.feeds = [{key: value for key, value in FEED.items() if "hours" not in key}]
    runs.land(late(1))
    assert runs.run(1) == [late(1)]
    assert runs.snapshots()[-1][1] is None
