"""The listing of a feed in part: it finds what the listing in full finds, at the latest when that comes."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from python_udfs.landing.listing import LISTING_SCHEMA, new_files
from python_udfs.landing.scope import Scope
from spark_files.frames import make_frame

NOW = datetime(2024, 2, 10, 12, 0, tzinfo=timezone.utc)
FEED = {
    "feed": "shop",
    "connector": "dms",
    "format": "csv",
    "location": "shop",
    "is_multi_table": True,
    "full_listing_hours": 24,
    "listing_overlap_hours": 24,
}
OTHER = {key: value for key, value in FEED.items() if "hours" not in key} | {"feed": "other", "location": "other"}
DAYS = (1, 5, 8, 9, 10)
OLD, NEW = "s/t/2024-02-01/20240201-000000000.csv", "s/t/2024-02-10/20240210-000000000.csv"
LOAD, FLAT_OLD, FLAT_NEW = "s/t/LOAD00000001.csv", "s/u/20240201-000000000.csv", "s/u/20240210-000000000.csv"


class Landing:
    """A landing area, and listings of it that go on from what they hold."""

    def __init__(self, spark, root):
        self.spark, self.root, self.writes = spark, root, 0

    def clear(self):
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)

    def write(self, key, size=1, feed="shop"):
        path = self.root / feed / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        self.writes += 1
        os.utime(path, ((NOW + timedelta(minutes=self.writes)).timestamp(),) * 2)

    def remove(self, key):
        path = self.root / "shop" / key
        if path.exists():
            path.unlink()
            # As in an object store, a folder is there as long as it holds a file.
            while not any(path.parent.iterdir()):
                path = path.parent
                path.rmdir()

    def has(self, key):
        return (self.root / "shop" / key).exists()


class Account:
    """Rows that one way to list has so far."""

    def __init__(self, landing):
        self.landing, self.rows = landing, []

    def list(self, in_part=False, feeds=(FEED,), now=NOW):
        """Lists; returns sorted (key, kind) of the rows it found."""
        listing = make_frame(self.landing.spark, self.rows, LISTING_SCHEMA)
        files = new_files(self.landing.spark, feeds, listing, now, {"shop"} if in_part else set())
        rows = [] if files is None else files.collect()
        self.rows += rows
        return sorted((row.file_key, row.kind) for row in rows)

    def state(self):
        """Kind and size of each file as it was found last."""
        newest = {}
        for row in sorted(self.rows, key=lambda row: (row.batch_id, row.kind != "vanished", row.modified_at)):
            newest[row.file_key] = ("vanished", None) if row.kind == "vanished" else (row.kind, row.size)
        return newest


@pytest.fixture
def landing(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("LAKEHOUSE_RAW", str(tmp_path / "landing"))
    # Names are left out where they are listed, also of a folder of four files.
    monkeypatch.setattr(Scope, "large_folder", 3)
    made = Landing(spark, tmp_path / "landing")
    made.clear()
    return made


@pytest.fixture
def account(landing):
    return Account(landing)


def test_a_listing_in_part_finds_recent_files_and_one_in_full_the_others(landing, account):
    for key in (LOAD, OLD, NEW, FLAT_OLD, FLAT_NEW):
        landing.write(key)
    account.list()
    assert account.list(in_part=True) == []
    new = [
        "s/t/2024-02-09/20240209-000000000.csv",
        "s/u/20240209-120000000.csv",
        "s/new/2023-01-01/20230101-000000000.csv",
    ]
    late = ["s/t/2024-02-01/20240201-000000001.csv", "s/u/20240201-000000001.csv"]
    for key in [*new, *late]:
        landing.write(key)
    landing.write(LOAD, 2)
    landing.write(OLD, 2)
    assert account.list(in_part=True) == sorted([*((key, "change") for key in new), (LOAD, "load")])
    assert account.list(in_part=True) == []
    assert account.list() == sorted((key, "change") for key in [*late, OLD])


@pytest.mark.parametrize("is_large", [False, True])
def test_one_file_from_the_future_hides_no_file_of_today(landing, account, monkeypatch, is_large):
    monkeypatch.setattr(Scope, "large_folder", 1 if is_large else 500)
    feeds = [{**FEED, "listing_overlap_hours": 1}]
    future = ["s/u/20990101-000000000.csv", "s/t/2024-02-11/20240211-100000000.csv", "s/t/2099/LOAD00000001.csv"]
    for key in ("s/u/20240210-110000000.csv", "s/t/2024-02-10/20240210-110000000.csv", *future):
        landing.write(key)
    account.list(feeds=feeds)
    assert account.list(in_part=True, feeds=feeds) == [], "the files from the future are known"
    today = ["s/t/2024-02-10/20240210-113000000.csv", "s/u/20240210-113000000.csv"]
    for key in today:
        landing.write(key)
    assert account.list(in_part=True, feeds=feeds) == [(key, "change") for key in today]


def test_what_is_not_listed_is_not_gone(landing, account):
    for key in (LOAD, OLD, NEW):
        landing.write(key)
    feeds = [{**FEED, "vanished_files": {("s", "t"): "truncate"}}]
    account.list(feeds=feeds)
    landing.remove(OLD)
    assert account.list(in_part=True, feeds=feeds) == []
    # Of the files that a part holds none is left. The old one of the full listing keeps the table from being truncated.
    landing.write(OLD)
    landing.remove(NEW)
    landing.remove(LOAD)
    assert account.list(in_part=True, feeds=feeds) == [(OLD, "change"), (NEW, "vanished"), (LOAD, "vanished")]


def test_a_recent_file_that_is_gone_is_found_at_once_with_all_that_are(landing, account):
    for key in (LOAD, OLD, NEW, FLAT_OLD):
        landing.write(key)
    account.list()
    landing.remove(NEW)
    landing.remove(FLAT_OLD)
    assert account.list(in_part=True) == [(NEW, "vanished"), (FLAT_OLD, "vanished")]
    assert account.list(in_part=True) == []


@pytest.mark.parametrize("keys", [(OLD, LOAD), (OLD, NEW)], ids=["with a load", "date folders alone"])
def test_a_location_that_lists_nothing_is_away_and_comes_back(landing, account, keys):
    for key in keys:
        landing.write(key)
    account.list()
    (landing.root / "shop").rename(landing.root / "away")
    assert account.list(in_part=True) == [("", "vanished")]
    assert account.list(in_part=True) == []
    (landing.root / "away").rename(landing.root / "shop")
    assert account.list(in_part=True) == [("", "ignored")]


def test_a_feed_beside_one_in_part_is_listed_in_full(landing, account):
    landing.write(OLD)
    landing.write(NEW)
    landing.write(OLD, feed="other")
    landing.write(NEW, feed="other")
    feeds = (FEED, OTHER)
    account.list(feeds=feeds)
    late = "s/t/2024-02-01/20240201-000000001.csv"
    landing.write(late)
    landing.write(late, feed="other")
    assert account.list(in_part=True, feeds=feeds) == [(late, "change")]
    assert account.rows[-1].feed == "other"
    assert account.list(in_part=True, feeds=feeds) == []


def test_a_listing_without_times_in_paths_is_compared_all_the_same(landing, account):
    """Rows that were written before the column was there, as an older version of the project left them."""
    for key in (OLD, NEW, FLAT_OLD, FLAT_NEW, LOAD):
        landing.write(key)
    account.list()
    assert {row.file_key: row.time_in_path for row in account.rows}[OLD] == "20240201999999"
    columns = LISTING_SCHEMA.replace(", time_in_path string", "")
    old = make_frame(landing.spark, [tuple(row)[:-1] for row in account.rows], columns)
    assert new_files(landing.spark, [FEED], old, NOW, {"shop"}) is None


def test_batch_ids_grow_also_where_the_newest_row_is_not_read(landing, account):
    landing.write(NEW)
    account.list()
    landing.write(OLD)
    account.list(now=NOW + timedelta(days=1))
    landing.write(LOAD)
    account.list(in_part=True)
    assert [row.batch_id for row in account.rows] == sorted({row.batch_id for row in account.rows})


KEYS = [
    LOAD,
    "s/t/LOAD00000002.csv",
    *(f"s/t/2024-02-{day:02}/202402{day:02}-120000000.csv" for day in DAYS),
    *(f"s/u/202402{day:02}-120000000.csv" for day in DAYS),
    *(f"cdc/CDC_TXN-202402{day:02}120000000.csv" for day in DAYS),
    *(f"s/v/2024/02/{day:02}/part/LOAD00000001.csv" for day in DAYS),
    "s/t/2099-01-01/20990101-000000000.csv",
    "s/u/20990101-000000000.csv",
    "s/w\x01x/2024-02-01/20240201-000000000.csv",
    "s/w\x01x/2024-02-10/20240210-000000000.csv",
    "s/u/20249931-000000000.csv",
    "s/u/2024-02-31/20240231-000000000.csv",
]
ACTION = st.tuples(st.sampled_from(KEYS), st.sampled_from([None, 0, 1, 1, 2, 3]))
ROUND = st.tuples(st.lists(ACTION, max_size=6), st.booleans())


@settings(max_examples=int(os.environ.get("LISTINGS", "6")), deadline=None, suppress_health_check=list(HealthCheck))
@example(
    first=[LOAD, FLAT_OLD, "s/u/20990101-000000000.csv"],
    rounds=[([("s/u/20240210-120000000.csv", 1)], True), ([], False)],
)
@given(first=st.lists(st.sampled_from(KEYS), min_size=4, unique=True), rounds=st.lists(ROUND, min_size=2, max_size=4))
def test_listings_in_part_end_with_the_account_of_listings_in_full(landing, first, rounds):
    landing.clear()
    parts, full = Account(landing), Account(landing)
    for key in first:
        landing.write(key)
    parts.list()
    full.list()
    for number, (actions, in_part) in enumerate(rounds, start=1):
        for key, size in actions:
            landing.remove(key) if size is None else landing.write(key, size)
        is_last = number == len(rounds)
        now = NOW + timedelta(hours=number)
        rows = parts.list(in_part and not is_last, now=now)
        full.list(now=now)
        # A file named as of today is in each listing, whatever other names show.
        today = {key for key, size in actions if size and "20240210" in key and landing.has(key)}
        assert {key: parts.state()[key] for key in today} == {key: full.state()[key] for key in today}
        for key, kind in rows:
            assert kind != "vanished" or not landing.has(key) or (key, "ignored") in rows
    # Listings in part never see a late file that is gone by the next one in full.
    unseen = {key for key, (kind, _) in full.state().items() if kind == "vanished"} - parts.state().keys()
    assert parts.state() == {key: state for key, state in full.state().items() if key not in unseen}
    # Each version is listed once: as often as it is there for the first time or again.
    listed = Counter((row.file_key, row.size, row.modified_at) for row in parts.rows if row.kind != "vanished")
    versions = Counter((row.file_key, row.size, row.modified_at) for row in full.rows if row.kind != "vanished")
    assert all(count <= versions[version] or version[0] == "" for version, count in listed.items())
