"""The listing of a run: which feeds it lists in full, and the file versions that the listing has lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparksession.python_models import Commit
from dbt.adapters.sparksession.snapshots import has_few_rows, newest_record, record
from python_udfs.errors import LakehouseError
from python_udfs.landing.listing import LISTING_SCHEMA, new_files, select_columns
from python_udfs.landing.lost_versions import BATCH, has_lost_versions, lost_versions
from python_udfs.metadata.of_models import Readers
from python_udfs.paths import feed_location, landing_root

logger = AdapterLogger("Lakehouse")

# In the summary of the snapshot that a listing makes; in a property of the table if it has nothing to write.
KEY = "cdc.full-listing"
# A setting of the session: the feeds that could not be listed, of which the model's post-hook makes its error.
UNLISTED = "cdc.unlisted.feeds"


def list_landing(
    spark: SparkSession,
    feeds: Iterable[Mapping[str, Any]],
    table: str | None,
    now: datetime | None = None,
    *,
    readers: Readers | None = None,
) -> Commit | None:
    """Returns the new files, as `new_files` does; lists a feed with `full_listing_hours` in full once in so many hours.

    It is also listed in full in the first run, after its location or its connector has changed, and after rows of the
    table were deleted or changed. The moments are recorded in the commit of the listing. One that has nothing to write
    makes no snapshot: it records them as a property of the table, with the snapshot that was found to be complete.

    Args:
        spark: the session to list with; the table is written in it, too.
        feeds: see `new_files`; `full_listing_hours` and `listing_overlap_hours` if a feed has them.
        table: name of `raw_listing`; None on the first run.
        now: the time of this run; the current time when not given.
        readers: the tables that show what was read. If one has read a batch that the listing does not know, the
            listing was dropped or rolled back: what it has lost is added, and all feeds are listed in full.

    A feed that cannot be listed stops no other: the session's setting `UNLISTED` has the error to raise once the rows
    of the others are written.

    Raises:
        LakehouseError: a feed cannot be listed, and the listing has lost rows.
    """
    now = now or datetime.now(timezone.utc)
    feeds = list(feeds)
    listing = None if table is None else spark.table(table)
    few_known = table is not None and has_few_rows(spark, table)
    hours = {_key(feed): feed["full_listing_hours"] for feed in feeds if "full_listing_hours" in feed}
    before = json.loads((hours and table and newest_record(spark, table, KEY)) or "{}")
    moments = {key: datetime.fromisoformat(text) for key, text in before.items() if key in hours}
    # A clock that went back does not put off a full listing.
    in_time = {key for key, at in moments.items() if timedelta(0) <= now - at < timedelta(hours=hours[key])}
    in_part = {feed["feed"] for feed in feeds if _key(feed) in in_time}
    unlisted: dict[str, str] = {}
    progress: dict[str, str] = {}
    files = new_files(spark, feeds, listing, now, in_part, few_known=few_known, unlisted=unlisted, progress=progress)
    spark.conf.set(UNLISTED, describe_unlisted(unlisted))
    feeds = [feed for feed in feeds if feed["feed"] not in unlisted]
    if files is not None and readers and has_lost_versions(spark, files, listing, readers):
        if unlisted:
            raise LakehouseError(
                f"{describe_unlisted(unlisted)}\nraw_listing was dropped or rolled back, and its rows can be made again"
                " only where all feeds are listed. Nothing is written."
            )
        files, in_time = _with_lost_versions(spark, feeds, listing, now, readers, progress), set()
    if not hours:
        return None if files is None else Commit(files, progress)
    listed = {_key(feed) for feed in feeds}
    recorded = {
        key: (moments[key] if key in in_time or key not in listed else now).isoformat()
        for key in sorted(hours)
        if key in listed or key in moments
    }
    if files is not None:
        return Commit(files, {**progress, KEY: json.dumps(recorded)})
    if table is not None and recorded != before:
        record(spark, table, KEY, json.dumps(recorded))
    return None


def describe_unlisted(unlisted: Mapping[str, str]) -> str:
    """The error about feeds that cannot be listed, from location and reason by feed; empty if there is none."""
    if not unlisted:
        return ""
    lines = [f"  - feed {feed}, {reason}" for feed, reason in unlisted.items()]
    return "\n".join(
        [
            "These feeds cannot be listed:",
            *lines,
            "Expected: a folder that Spark can list, or one that does not exist yet. Make it readable, or correct"
            " location in seeds/cdc_feeds.csv and run make models. Files that have landed wait; the other feeds are"
            " listed.",
        ]
    )


def _with_lost_versions(
    spark: SparkSession,
    feeds: list[Mapping[str, Any]],
    listing: DataFrame | None,
    now: datetime,
    readers: Readers,
    progress: dict[str, str],
) -> DataFrame:
    """Returns the files that are new to a listing with its lost versions, and these versions.

    `progress` gets what the commit records.
    """
    listing = spark.createDataFrame([], LISTING_SCHEMA) if listing is None else listing
    files = new_files(spark, feeds, listing, now, progress=progress)
    lost = select_columns(lost_versions(spark, feeds, readers, listing, files, now)).localCheckpoint()
    count = lost.count()
    if files is not None and not count:
        return files
    logger.warning(
        f"raw_listing has lost {count} rows: it was dropped or rolled back. They are made again of what bronze,"
        " the split tables and rejected_files have read (docs/runbook.md, 'A table of etl_metadata is lost')."
    )
    files = new_files(spark, feeds, listing.unionByName(lost, allowMissingColumns=True), now, progress=progress)
    if files is None:
        progress[BATCH] = str(lost.agg({"batch_id": "max"}).collect()[0][0])
    return lost if files is None else files.unionByName(lost)


def _key(feed: Mapping[str, Any]) -> str:
    """Returns the text whose change makes another full listing due."""
    return f"{feed['feed']} {feed['connector']} {feed_location(feed['location'], landing_root())}"
