"""When each feed was last listed in full, and the listing of a run that follows from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparksession.impl import SNAPSHOT_PROPERTY
from dbt.adapters.sparksession.snapshots import has_few_rows, newest_record, record
from python_udfs.landing.listing import feed_location, new_files
from python_udfs.paths import landing_root

# In the summary of the snapshot that a listing makes; in a property of the table where it has nothing to write.
KEY = "cdc.full-listing"


def list_landing(
    spark: SparkSession, feeds: Iterable[Mapping[str, Any]], table: str | None, now: datetime | None = None
) -> DataFrame | None:
    """What `new_files` returns: a feed with `full_listing_hours` is listed in full once in so many hours.

    It is also listed in full in the first run, after its location or its connector has changed, and after rows of the
    table were deleted or changed. The moments are recorded in the commit of the listing. One that has nothing to write
    makes no snapshot: it records them as a property of the table, with the snapshot that was found to be complete.

    Args:
        spark: the session to list with; the table is written in it, too.
        feeds: see `new_files`; `full_listing_hours` and `listing_overlap_hours` where a feed has them.
        table: name of `raw_listing`; None on the first run.
        now: the time of this run; the current time when not given.

    Raises:
        LakehouseError: see `new_files`.
    """
    now = now or datetime.now(timezone.utc)
    feeds = list(feeds)
    known = None if table is None else spark.table(table)
    few_known = table is not None and has_few_rows(spark, table)
    hours = {_key(feed): feed["full_listing_hours"] for feed in feeds if "full_listing_hours" in feed}
    if not hours:
        return new_files(spark, feeds, known, now, few_known=few_known)
    before = json.loads((table and newest_record(spark, table, KEY)) or "{}")
    moments = {key: datetime.fromisoformat(text) for key, text in before.items() if key in hours}
    # A clock that went back does not put off a full listing.
    in_time = {key for key, at in moments.items() if timedelta(0) <= now - at < timedelta(hours=hours[key])}
    in_part = {feed["feed"] for feed in feeds if _key(feed) in in_time}
    found = new_files(spark, feeds, known, now, in_part, few_known=few_known)
    recorded = {key: (moments[key] if key in in_time else now).isoformat() for key in sorted(hours)}
    if found is not None:
        spark.conf.set(f"{SNAPSHOT_PROPERTY}.{KEY}", json.dumps(recorded))
    elif table is not None and recorded != before:
        record(spark, table, KEY, json.dumps(recorded))
    return found


def _key(feed: Mapping[str, Any]) -> str:
    """What another full listing is due for when it changes."""
    return f"{feed['feed']} {feed['connector']} {feed_location(feed['location'], landing_root())}"
