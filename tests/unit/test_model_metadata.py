"""Python models read from the seeds what they have to know, and only while these are what the models were made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from seed_files import good_seeds, write_seeds

from python_udfs.errors import LakehouseError
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, TABLES_FILE, load_metadata
from python_udfs.metadata.of_models import (
    Readers,
    digest,
    listed_feeds,
    read_listed_feeds,
    read_readers,
    read_split_feed,
    split_feed,
)

if TYPE_CHECKING:
    from pathlib import Path

    from seed_files import Seeds

MODEL = "models/etl_metadata/some_model.py"


def read_settings(project: Path, seeds: Seeds) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The settings of the listing and of the split model of feed `people`."""
    metadata = load_metadata(write_seeds(project, seeds))
    return listed_feeds(metadata), split_feed(metadata, "people")


def test_the_listing_knows_every_feed(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1] |= {"location": 's3a://b/"people"/', "options": "transaction_files=true;delimiter=tab"}
    seeds[TABLES_FILE][0]["vanished_files"] = "truncate"

    feeds, split = read_settings(tmp_path, seeds)

    people = {
        "feed": "people",
        "connector": "dms",
        "format": "csv",
        "location": 's3a://b/"people"',
        "is_multi_table": True,
    }
    shop = {"feed": "shop", "connector": "dms", "format": "parquet", "location": "shop", "is_multi_table": False}
    assert feeds == [
        {**people, "vanished_files": {}},
        {**shop, "vanished_files": {("shop", "item"): "truncate"}},
    ]
    assert split == {"feed": "people", "connector": "dms", "delimiter": "\t", "charset": "UTF-8"}


def test_the_listing_knows_how_often_a_feed_is_listed_in_full(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][0]["options"] = "full_listing_hours=24"
    seeds[FEEDS_FILE][1] |= {
        "connector": "maxwell",
        "format": "json",
        "options": "full_listing_hours=6;listing_overlap_hours=72",
    }
    hours = {
        feed["feed"]: (feed.get("full_listing_hours"), feed.get("listing_overlap_hours"))
        for feed in read_settings(tmp_path, seeds)[0]
    }
    assert hours == {"shop": (24, 48), "people": (6, 72)}


def test_a_split_of_messages_knows_the_columns_of_its_active_tables(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1] |= {"connector": "debezium", "format": "json", "options": "form=flattened"}
    seeds[COLUMNS_FILE][4] |= {"column_name": "_deleted", "data_type": "date", "encoding": "days"}
    seeds[TABLES_FILE][1]["renamed_columns"] = "part=unit;Removed=_deleted"
    seeds[TABLES_FILE].append(
        {**seeds[TABLES_FILE][1], "source_table": "gone", "renamed_columns": "", "active": "false"}
    )
    seeds[COLUMNS_FILE] += [{**column, "source_table": "gone"} for column in seeds[COLUMNS_FILE][2:4]]

    _, split = read_settings(tmp_path, seeds)

    assert split == {
        "feed": "people",
        "connector": "debezium",
        "absent_columns": "null",
        "form": "flattened",
        "decimals": "",
        "binary": "",
        "unavailable_value": "__debezium_unavailable_value",
        "binlog_names": "",
        # By the source's own names, and those that it had before.
        "columns": {
            ("hr", "staff"): {
                **{"id": "int", "unit": "varchar(8)", "part": "varchar(8)"},
                **{"_deleted": "date", "Removed": "date"},
            }
        },
        "encodings": {("hr", "staff"): {"_deleted": "days", "Removed": "days"}},
        "keys": {("hr", "staff"): ["id", "unit", "part"]},
    }


def test_a_model_reads_the_seeds_of_its_own_project(tmp_path: Path) -> None:
    feeds, split = read_settings(tmp_path, good_seeds())

    assert read_listed_feeds(str(tmp_path / MODEL), digest(feeds)) == feeds
    assert read_split_feed(str(tmp_path / MODEL), "people", digest(split)) == split


def test_the_listing_knows_the_tables_that_show_what_was_read(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["options"] = "transaction_files=true"
    seeds[TABLES_FILE][1]["active"] = "false"
    write_seeds(tmp_path, seeds)

    assert read_readers(str(tmp_path / MODEL), "meta") == Readers(
        {("shop", "shop", "item"): "bronze.`shop__item`", ("people", "hr", "staff"): "bronze.`hr__staff`"},
        {"people": "meta.`split_people`"},
        "meta.rejected_files",
    )


def test_a_run_whose_seeds_change_meanwhile_stops(tmp_path: Path) -> None:
    feeds, split = read_settings(tmp_path, good_seeds())
    changed = good_seeds()
    changed[FEEDS_FILE][1]["options"] = "delimiter=tab"
    changed[TABLES_FILE][0]["vanished_files"] = "ignore"
    write_seeds(tmp_path, changed)

    message = r"CDC error \(some_model\): seeds changed while the run was going on.*Run make models"
    with pytest.raises(LakehouseError, match=message):
        read_listed_feeds(str(tmp_path / MODEL), digest(feeds))
    for feed in ("people", "a feed that was removed"):
        with pytest.raises(LakehouseError, match=message):
            read_split_feed(str(tmp_path / MODEL), feed, digest(split))


def test_what_a_model_does_not_read_may_change(tmp_path: Path) -> None:
    feeds, split = read_settings(tmp_path, good_seeds())
    changed = good_seeds()
    changed[FEEDS_FILE][1]["description"] = "Another one"
    changed[TABLES_FILE][0]["mode"] = "history"
    write_seeds(tmp_path, changed)

    assert read_listed_feeds(str(tmp_path / MODEL), digest(feeds)) == feeds
    assert read_split_feed(str(tmp_path / MODEL), "people", digest(split)) == split
