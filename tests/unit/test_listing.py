"""The listing of the landing area, on one local Spark session."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta, timezone

import pytest

from python_udfs.landing.listing import LISTING_SCHEMA, new_files, next_batch_id
from spark_files.frames import make_frame

START = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
FEEDS = [{"feed": "shop", "connector": "dms", "format": "parquet", "location": "shop", "is_multi_table": False}]
MULTI_TABLE = [{**FEEDS[0], "is_multi_table": True}]


@pytest.fixture
def landing(tmp_path, monkeypatch):
    """A landing root with a blank in its name; returns a writer of files, minutes after START."""
    root = tmp_path / "landing area"
    (root / "shop").mkdir(parents=True)
    monkeypatch.setenv("LAKEHOUSE_RAW", str(root))

    def write(key, minutes=0, content=b"x"):
        path = root / "shop" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ((START + timedelta(minutes=minutes)).timestamp(),) * 2)

    return write


def listed(frame, *columns):
    return {row.file_key: tuple(row[column] for column in columns) for row in frame.collect()}


def test_files_are_listed_with_the_facts_of_their_names(spark, landing):
    landing("s/t é%+#/2024-01-31/20240131-230102999.parquet", 2, b"xyz")
    landing("s/t/LOAD00000001.parquet", content=b"")
    landing("CDC_TXN-20240131230102123.csv")
    landing("CDC_TXN-20240131230102124.csv", content=b"")
    at = datetime(2024, 1, 31, 23, 1, 2)
    files = listed(
        new_files(spark, MULTI_TABLE, None, now=START), "source_table", "size", "kind", "ignored_reason", "file_time"
    )
    assert files == {
        "s/t é%+#/2024-01-31/20240131-230102999.parquet": ("t é%+#", 3, "change", None, at.replace(microsecond=999000)),
        "s/t/LOAD00000001.parquet": ("t", 0, "ignored", "zero-byte file", None),
        "CDC_TXN-20240131230102123.csv": (None, 1, "multi_table", None, at.replace(microsecond=123000)),
        "CDC_TXN-20240131230102124.csv": (None, 0, "ignored", "zero-byte file", None),
    }


def test_only_new_versions_are_returned_and_older_names_are_found(spark, landing):
    landing("s/t/20240131-230200000.parquet", 2)
    earlier = new_files(spark, FEEDS, None, now=START).localCheckpoint()
    assert new_files(spark, FEEDS, earlier) is None

    landing("s/t/20240131-230100000.parquet", 1)
    landing("s/t/20240131-230200000.parquet", 2, b"longer")
    files = listed(new_files(spark, FEEDS, earlier), "size")
    assert files == {"s/t/20240131-230100000.parquet": (1,), "s/t/20240131-230200000.parquet": (6,)}


def test_a_version_of_the_same_second_and_another_size_is_newer(spark, landing):
    name, other = "s/t/20240131-230100000.parquet", "s/t/20240131-230200000.parquet"
    landing(name, 1)
    landing(other, 2)
    earlier = new_files(spark, FEEDS, None, now=START).localCheckpoint()
    versions = []
    for content, minutes in ((b"half", 1), (b"whole", 1), (b"corrected", 3)):
        landing(name, minutes, content)
        new = new_files(spark, FEEDS, earlier, now=START).localCheckpoint()
        versions.append(listed(new, "modified_at", "revision"))
        earlier = earlier.unionByName(new).localCheckpoint()
        assert new_files(spark, FEEDS, earlier) is None, "what was listed is not new"
    at = datetime(2024, 1, 31, 23, 1)
    assert versions == [
        {name: (at + timedelta(milliseconds=1), 1)},
        {name: (at + timedelta(milliseconds=2), 2)},
        {name: (at + timedelta(minutes=2), 3)},
    ]


def test_a_version_that_comes_back_is_as_new_as_it_was(spark, listing, landing, remove):
    landing(LOAD)
    landing(CHANGE)
    listing()
    landing(CHANGE, content=b"whole")
    listing()
    remove(CHANGE)
    assert listing() == [(CHANGE, "vanished")]
    landing(CHANGE, content=b"whole")
    assert listing() == [(CHANGE, "change")]
    came = [(row.modified_at, row.revision) for row in listing.earlier if row.kind == "change"]
    assert came[1] == came[2] == (datetime(2024, 1, 31, 23, 0, 0, 1000), 1)


def test_a_second_listing_of_the_same_process_reads_the_disk_again(spark, landing):
    landing("s/t/LOAD00000001.parquet")
    earlier = new_files(spark, FEEDS, None, now=START).localCheckpoint()
    assert new_files(spark, FEEDS, earlier) is None
    landing("s/t/LOAD00000002.parquet")
    assert list(listed(new_files(spark, FEEDS, earlier))) == ["s/t/LOAD00000002.parquet"]


def test_tables_with_hidden_names_are_listed_and_what_writers_leave_is_named(spark, landing):
    keys = [
        "s/_CategoryToPost",
        "s/.dot",
        "_s/t",
        "s/${user.name}",
        "s/$1",
        "s/e\u0301",
        "s/é",
        "s/a%2Fb",
        "s/" + "x" * 200,
    ]
    for key in keys:
        landing(f"{key}/LOAD00000001.parquet")
    left = {
        "s/t/_temporary/0/LOAD00000001.parquet": "temporary or internal file of the writer",
        "s/t/.spark-staging-1/LOAD00000001.parquet": "temporary or internal file of the writer",
        "s/t/_SUCCESS": "marker of the writer",
        "s/t/.LOAD00000001.parquet": "hidden file: its name begins with a dot",
        "s/t/LOAD00000001.parquet._COPYING_": "temporary file",
        "s/t_$folder$": "folder marker",
    }
    for key in left:
        landing(key)
    files = listed(new_files(spark, FEEDS, None, now=START), "source_schema", "source_table", "kind", "ignored_reason")
    assert {key: reason for key, (*_, reason) in files.items() if reason} == left
    loads = {f"{key}/LOAD00000001.parquet": (*key.split("/"), "load", None) for key in keys}
    assert {key: row for key, row in files.items() if key not in left} == loads


def test_a_location_is_no_pattern(spark, landing, tmp_path):
    for name in ("a[1]", "b{1,2}", "c*", "d?"):
        (tmp_path / name / "s" / "t").mkdir(parents=True)
        (tmp_path / name / "s" / "t" / "LOAD00000001.parquet").write_bytes(b"x")
        feed = {**FEEDS[0], "feed": "odd", "location": str(tmp_path / name)}
        files = new_files(spark, [feed], None).collect()
        assert [(row.file_key, row.kind) for row in files] == [("s/t/LOAD00000001.parquet", "load")]


def test_locations_that_cannot_be_listed_are_all_named(spark, landing):
    landing("s/t/LOAD00000001.parquet")
    bad = [{**FEEDS[0], "feed": name, "location": f"no{name}://bucket/x"} for name in ("one", "two")]
    unlisted: dict[str, str] = {}
    new = new_files(spark, [bad[0], *FEEDS, bad[1]], None, unlisted=unlisted)
    assert list(listed(new)) == ["s/t/LOAD00000001.parquet"]
    reason = 'UnsupportedFileSystemException: No FileSystem for scheme "no'
    assert unlisted == {name: f'location no{name}://bucket/x: {reason}{name}"' for name in ("one", "two")}


def test_files_of_a_feed_that_cannot_be_listed_are_not_gone(spark, landing):
    landing("s/t/LOAD00000001.parquet")
    earlier = new_files(spark, FEEDS, None, now=START).localCheckpoint()
    bad = [{**feed, "location": "nosuchscheme://bucket"} for feed in FEEDS]
    unlisted: dict[str, str] = {}
    assert new_files(spark, bad, earlier, unlisted=unlisted) is None
    assert len(unlisted) == len(FEEDS)
    assert new_files(spark, FEEDS, earlier) is None


def test_a_location_that_does_not_exist_is_no_error(spark, landing):
    landing("s/t/LOAD00000001.parquet")
    missing = {**FEEDS[0], "feed": "late", "location": "not/there"}
    assert len(listed(new_files(spark, [*FEEDS, missing], None))) == 1
    assert listed(new_files(spark, [missing], None)) == {}


def test_batch_ids_grow_even_when_the_clock_goes_back():
    assert next_batch_id(START, None) == 20240131230000000
    assert next_batch_id(START, 20240131230000000) == 20240131230000001
    assert next_batch_id(START, 20300101000000000) == 20300101000000001


LATER = START + timedelta(days=1)
TRUNCATING = [{**FEEDS[0], "vanished_files": {("s", "t"): "truncate"}}]


@pytest.fixture
def listing(spark, landing):
    """Lists again and again; each call returns (key, kind) of new files, None if there is nothing."""
    earlier = []

    def list_again(feeds=FEEDS):
        files = new_files(spark, feeds, make_frame(spark, earlier, LISTING_SCHEMA), now=LATER)
        if files is None:
            return None
        rows = files.collect()
        earlier.extend(rows)
        return sorted((row.file_key, row.kind) for row in rows)

    list_again.landing = landing
    list_again.earlier = earlier
    return list_again


@pytest.fixture
def remove(landing, tmp_path):
    return lambda key: (tmp_path / "landing area" / "shop" / key).unlink()


LOAD = "s/t/LOAD00000001.parquet"
CHANGE = "s/t/20240131-230300000.parquet"
OTHER = "s/other/LOAD00000001.parquet"


def test_a_file_that_is_gone_is_reported_once_and_new_when_it_comes_back(listing, landing, remove):
    for key in (LOAD, CHANGE, OTHER):
        landing(key)
    listing()
    remove(LOAD)
    assert listing() == [(LOAD, "vanished")]
    assert listing() is None
    landing(LOAD)
    assert listing() == [(LOAD, "load")], "the same version again"
    assert listing() is None
    remove(LOAD)
    assert listing() == [(LOAD, "vanished")]
    landing(LOAD, 10)
    assert listing() == [(LOAD, "load")], "a new version is one"


def test_a_file_replaced_by_an_empty_one_is_gone_and_reported_once(listing, landing):
    landing(LOAD)
    landing(OTHER)
    listing()
    landing(LOAD, content=b"")
    assert listing() == [(LOAD, "ignored"), (LOAD, "vanished")]
    assert listing() is None


def test_a_table_all_of_whose_files_go_at_once_is_truncated_if_its_row_asks(listing, landing, remove):
    for key in (LOAD, CHANGE, OTHER):
        landing(key)
    listing(TRUNCATING)
    landing(LOAD, 10)
    listing(TRUNCATING)
    for key in (LOAD, CHANGE, OTHER):
        remove(key)
    landing("s/more/LOAD00000001.parquet")
    assert listing(TRUNCATING) == [
        ("s/more/LOAD00000001.parquet", "load"),
        (OTHER, "vanished"),
        ("s/t", "truncate"),
        (CHANGE, "vanished"),
        (LOAD, "vanished"),
    ]
    assert listing(TRUNCATING) is None
    landing("s/t/20240201-230300000.parquet", 2000)
    listing(TRUNCATING)
    remove("s/t/20240201-230300000.parquet")
    assert listing(TRUNCATING) == [
        ("s/t", "truncate"),
        ("s/t/20240201-230300000.parquet", "vanished"),
    ]


@pytest.mark.parametrize("ahead", [timedelta(hours=-9), timedelta(hours=9)])
def test_a_truncate_follows_the_changes_that_are_gone_whatever_the_clock_of_the_run(spark, landing, remove, ahead):
    for key in (CHANGE, OTHER):
        landing(key)
    now = START + timedelta(minutes=4) + ahead
    earlier = new_files(spark, TRUNCATING, None, now=now).localCheckpoint()
    remove(CHANGE)
    [truncate] = new_files(spark, TRUNCATING, earlier, now=now).where("kind = 'truncate'").collect()
    assert truncate.file_time == datetime(2024, 1, 31, 23, 3, 0, 1), "a file of the next second comes after it"
    assert truncate.modified_at == now.replace(tzinfo=None)


def test_a_truncate_of_a_table_without_changes_follows_its_load(spark, landing, remove):
    for key in (LOAD, OTHER):
        landing(key)
    earlier = new_files(spark, TRUNCATING, None, now=START).localCheckpoint()
    remove(LOAD)
    [truncate] = new_files(spark, TRUNCATING, earlier, now=START).where("kind = 'truncate'").collect()
    assert truncate.file_time == datetime(1970, 1, 1, 0, 0, 0, 1)


def test_files_that_go_one_by_one_truncate_nothing(listing, landing, remove):
    for key in (LOAD, CHANGE, OTHER):
        landing(key)
    listing(TRUNCATING)
    remove(CHANGE)
    assert listing(TRUNCATING) == [(CHANGE, "vanished")]
    remove(LOAD)
    assert listing(TRUNCATING) == [(LOAD, "vanished")]


def test_a_location_that_lists_nothing_is_not_mounted_and_truncates_nothing(listing, landing, remove, tmp_path):
    landing(LOAD)
    listing(TRUNCATING)
    remove(LOAD)
    assert listing(TRUNCATING) == [("", "vanished")]
    assert listing(TRUNCATING) is None
    away = tmp_path / "landing area" / "shop"
    away.rename(tmp_path / "elsewhere")
    assert listing(TRUNCATING) is None
    (tmp_path / "elsewhere").rename(away)
    landing(LOAD)
    assert listing(TRUNCATING) == [("", "ignored")]
    away.rename(tmp_path / "elsewhere")
    assert listing(TRUNCATING) == [("", "vanished")]


def test_a_location_that_lists_nothing_changes_nothing_of_other_feeds(listing, landing, remove):
    feeds = [*FEEDS, {**FEEDS[0], "feed": "more", "location": "more"}]
    for key in (LOAD, CHANGE, f"../more/{LOAD}"):
        landing(key)
    listing(feeds)
    remove(CHANGE)
    remove(f"../more/{LOAD}")
    assert listing(feeds) == [("", "vanished"), (CHANGE, "vanished")]


def test_a_feed_that_moved_has_lost_nothing(listing, landing):
    landing(LOAD)
    listing(TRUNCATING)
    assert listing([{**TRUNCATING[0], "location": "nowhere"}]) is None


def test_what_is_gone_is_reported_unless_its_table_ignores_it(listing, landing, remove, monkeypatch):
    said = []
    monkeypatch.setattr("python_udfs.landing.listing.logger.warning", said.append)
    ignoring = [{**FEEDS[0], "vanished_files": {("s", "t"): "ignore", ("s", "trunc"): "truncate"}}]
    for key in (LOAD, OTHER, "s/trunc/LOAD00000001.parquet", "s/here/LOAD00000001.parquet"):
        landing(key)
    listing(ignoring)
    for key in (LOAD, OTHER, "s/trunc/LOAD00000001.parquet"):
        remove(key)
    listing(ignoring)
    assert [re.sub("example .*", "example", message) for message in sorted(said)] == [
        "Feed shop: 1 files of s.other are gone, for example",
        "Feed shop: 1 files of s.trunc are gone, for example",
        "Feed shop: every file of s.trunc is gone; the table is truncated, as its row asks.",
    ]


def test_multi_table_files_are_reported_when_they_are_gone(listing, landing, remove, monkeypatch):
    said = []
    monkeypatch.setattr("python_udfs.landing.listing.logger.warning", said.append)
    first, second = "cdc/CDC_TXN-20240131230102123.csv", "cdc/CDC_TXN-20240131230102124.csv"
    for key in (LOAD, first, second):
        landing(key)
    assert listing(MULTI_TABLE) == [(first, "multi_table"), (second, "multi_table"), (LOAD, "load")]
    landing(LOAD, 10)
    landing(second, 10)
    assert listing(MULTI_TABLE) == [(second, "multi_table"), (LOAD, "load")]
    remove(LOAD)
    remove(first)
    assert listing(MULTI_TABLE) == [(first, "vanished"), (LOAD, "vanished")]
    assert listing(MULTI_TABLE) is None
    assert [re.sub("example .*", "example", message) for message in sorted(said)] == [
        "Feed shop: 1 files of many tables are gone, for example",
        "Feed shop: 1 files of s.t are gone, for example",
    ]
    remove(second)
    assert listing(MULTI_TABLE) == [("", "vanished")]
    assert said[-1].endswith("lists no file any more. Nothing is truncated. Is it mounted?")


def test_without_feeds_nothing_is_listed(spark):
    assert new_files(spark, [], None).count() == 0


def test_a_file_is_identified_by_its_path_under_the_location_of_its_feed(spark, landing, tmp_path):
    landing("s/t/LOAD00000001.parquet")
    earlier = new_files(spark, FEEDS, None, now=START).localCheckpoint()
    (tmp_path / "landing area" / "shop").rename(tmp_path / "landing area" / "moved")
    moved = [{**FEEDS[0], "location": "moved"}]
    assert new_files(spark, moved, earlier) is None
    landing("../moved/s/t/LOAD00000001.parquet", 5)
    assert listed(new_files(spark, moved, earlier), "kind") == {"s/t/LOAD00000001.parquet": ("load",)}


def test_what_cannot_be_named_is_not_gone(spark, landing, tmp_path):
    """A file that is known may be there under a name that is no text; nothing is truncated because of it."""
    feeds = [{**FEEDS[0], "vanished_files": {("s", "t"): "truncate"}}]
    landing("s/t/LOAD00000001.parquet")
    landing("s/t/20240131-230100000.parquet")
    earlier = new_files(spark, feeds, None, now=START).localCheckpoint()
    folder = tmp_path / "landing area" / "shop" / "s"
    odd = (folder / "t").rename(folder / os.fsdecode(b"t \xfc"))
    landing("s/u/LOAD00000001.parquet")
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("python_udfs.landing.listing.logger.warning", said.append)
        files = new_files(spark, feeds, earlier, now=START)
    assert listed(files, "kind") == {"s/u/LOAD00000001.parquet": ("load",)}
    [warning] = said
    assert f"Feed shop: received 1 names in {folder} that are no text in UTF-8" in warning
    odd.rename(folder / "v")
    kinds = sorted(row.kind for row in new_files(spark, feeds, earlier, now=START).collect() if row.source_table == "t")
    assert kinds == ["truncate", "vanished", "vanished"]
