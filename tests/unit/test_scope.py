"""Files that a listing in part leaves out: times in paths, in Spark and in Python, and the newest times of a feed."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

import pytest

from python_udfs.landing.scope import DATED, Scope, add_times, ranges
from spark_files.frames import make_frame

NOW = datetime(2024, 2, 10, 12, 0, tzinfo=timezone.utc)
# Paths, with root and time.
PATHS = {
    # DMS: each sequence and delimiter of DatePartitionSequence that sorts (docs/feeds/dms_format.md).
    "s/t/2024/01/31/20240131-230100000.parquet": ("s/t/", "20240131999999"),
    "s/t/2024/01/31/05/20240131-050100000.parquet": ("s/t/", "20240131059999"),
    "s/t/2024/01/20240131-230100000.parquet": ("s/t/", "20240199999999"),
    "s/t/2024-01-31/a": ("s/t/", "20240131999999"),
    "s/t/2024_01_31_05/a": ("s/t/", "20240131059999"),
    "s/t/20240131/a": ("s/t/", "20240131999999"),
    "s/t/2024013105/a": ("s/t/", "20240131059999"),
    "s/t/202401/a": ("s/t/", "20240199999999"),
    "s/t/2024/a": ("s/t/", "20249999999999"),
    # A folder below a date folder, also one that is no part of the date.
    "s/t/2024-01-31/part/a": ("s/t/", "20240131999999"),
    "s/t/2024/13/a": ("s/t/", "20249999999999"),
    "s/t/part/2024-01-31/a": ("s/t/part/", "20240131999999"),
    # Those that do not sort, and tables whose names are dates.
    "s/t/01/2024x/31/a": None,
    "s/t/31012024/a": None,
    "s/t/01202431/a": None,
    "s/202401/LOAD00000001.parquet": None,
    "2024/202401/LOAD00000001.parquet": None,
    "2024/202401/2023-01-01/a": ("2024/202401/", "20230101999999"),
    # A Kafka sink (docs/feeds/s3_sink.md).
    "topics/orders/year=2024/month=01/day=31/hour=05/orders+0+0000000000.json": ("topics/orders/", "20240131059999"),
    "orders/year=2024/month=01/day=31/orders+0+0000000000.json": ("orders/", "20240131999999"),
    "year=2024/month=01/orders+0+0000000000.json": ("", "20240199999999"),
    "topics/orders/dt=2024-01-31/orders+0+0000000000.json": ("topics/orders/", "20240131999999"),
    "topics/orders/partition=0/orders+0+0000000000.json": None,
    # Names that begin with a time.
    "s/t/20240131-230100000.parquet": ("s/t/*", "20240131230100"),
    "s/t/20240131-2301.parquet": None,
    "cdc/CDC_TXN-20240131230102123.csv": ("cdc/*", "20240131230102"),
    "CDC_TXN-20240131230102123.csv": ("*", "20240131230102"),
    "s/t é\n/20240131-230100000.parquet": ("s/t é\n/*", "20240131230100"),
    "s/t/LOAD00000001.parquet": None,
    "s/a\x01b/2024-01-31/a": None,
    "s/t": None,
    "": None,
}


def test_a_path_shows_root_and_latest_time(spark):
    frame = add_times(make_frame(spark, [(key,) for key in PATHS], "file_key string"))
    actual = {row.file_key: (row.root, row.time_in_path) for row in frame.collect()}
    assert actual == {key: expected or (None, None) for key, expected in PATHS.items()}


@pytest.mark.parametrize("key", [key for key, expected in PATHS.items() if expected and "*" not in expected[0]])
def test_python_and_spark_agree_on_the_root_of_each_folder_of_a_path(key):
    """Else a folder would be left out whose files are not."""
    expected = PATHS[key]
    folders = [key[: at + 1] for at in range(len(key)) if key[at] == "/"]
    dated = [match for folder in folders if (match := re.match(DATED, folder))]
    assert {match[1] for match in dated} == {expected[0]}
    last = ["".join(match.groups(default="")[1:]).ljust(14, "9") for match in dated]
    assert last == sorted(last, reverse=True)
    assert last[-1] == expected[1], "a folder reaches at least as far as what is below it"


def scope(hours=48):
    return Scope("file:/l/shop", timedelta(hours=hours), NOW)


def left_out(part, *keys):
    return [folder.removeprefix("file:/l/shop/") for folder in part.left_out([f"file:/l/shop/{key}" for key in keys])]


def test_date_folders_that_end_before_the_overlap_are_left_out_table_by_table():
    part = scope()
    assert left_out(part, "s/t/2024-01-29", "s/t/2024-01-30", "s/t/2024-02-01", "s/t/x", "s/u/2024-01-29") == [
        "s/t/2024-01-29"
    ]
    assert part.cuts == {"s/t/": "20240130000000", "s/u/": "20240127000000"}


def test_years_and_months_are_left_out_as_soon_as_they_are_seen():
    part = scope()
    assert left_out(part, "s/t/2022", "s/t/2023", "s/t/2024") == ["s/t/2022"]
    assert left_out(part, "s/t/2023/11", "s/t/2023/12", "s/t/2024/01") == ["s/t/2023/11"]
    assert left_out(part, "s/t/2023/12/30", "s/t/2023/12/31", "s/t/2024/01/02") == ["s/t/2023/12/30"]


def test_a_time_from_the_future_closes_no_folder():
    """It is not the newest time of its table, whatever the overlap: names may be in a zone ahead of UTC, or wrong."""
    future, days = ("s/t/2099-01-01", "s/t/2024-02-11"), ("s/t/2024-02-10", "s/t/2024-02-09", "s/t/2024-02-08")
    assert left_out(scope(1), *future, *days) == ["s/t/2024-02-08"]
    assert left_out(scope(1), *future) == []
    part = scope(1)
    assert left_out(part, *future, *days) == left_out(scope(1), *days)
    assert part.times == [("20240209230000", "20990101999999")], "what is known of the file is read"


def test_a_name_from_the_future_is_not_the_newest_of_a_folder():
    names = {"20240210-115959999.parquet": True, "CDC_TXN-20240210115959123.csv": True}
    names |= {"20240210-120000000.parquet": False, "20990101-000000000.parquet": False, "LOAD00000001.parquet": False}
    assert {name: bool(re.fullmatch(scope().name_pattern, name)) for name in names} == names


def test_a_day_that_does_not_exist_is_no_newest_day_and_is_left_out_with_its_month():
    part = scope()
    assert left_out(part, "s/t/2024-02-31", "s/t/2024-01-02") == []
    assert left_out(part, "s/t/2024-02-09", "s/t/2023-02-31") == ["s/t/2023-02-31"]


def test_names_before_the_newest_less_the_overlap_match():
    pattern = scope(1).older_names("file:/l/shop/s/t", "20240209-103000000.parquet")
    for name, expected in {
        "20240209-093000000.parquet": False,
        "20240209-092959999.parquet": True,
        "20240209-0929591234.csv.gz": True,
        "20240208-235959999.parquet": True,
        "20231209-103000000.parquet": True,
        "20240209-100000000.parquet": False,
        "20240301-000000000.parquet": False,
        "CDC_TXN-20240209092959123.csv": True,
        "CDC_TXN-20240209093000000.csv": False,
        "LOAD00000001.parquet": False,
        "2024.parquet": False,
    }.items():
        assert bool(re.fullmatch(pattern, name)) is expected, name


def test_names_in_a_date_folder_and_names_without_a_valid_time_are_not_left_out():
    assert scope().older_names("file:/l/shop/s/t/2024-01-31", "20240131-230100000.parquet") == ""
    assert scope().older_names("file:/l/shop/s/t", "20249931-230100000.parquet") == ""


def test_ranges_cover_all_times_and_are_few():
    assert ranges([]) == []
    first_day, two = ("20240101000000", "20240102999999"), ("20240102000000", "20240103999999")
    assert ranges([two, first_day]) == [("20240101000000", "20240103999999")]
    many = [(f"20{year}0101000000", f"20{year}0101999999") for year in range(10, 60)]
    covering = ranges([*many, ("", "20120101999999")])
    assert len(covering) == 16
    assert all(any(first <= time[0] and time[1] <= last for first, last in covering) for time in many)
