"""File versions that `raw_listing` has lost: it was dropped, rolled back, or restored from a backup.

Bronze, the split tables and `rejected_files` show which versions were read or rejected, and in which batch (record 69).
With these rows back, load generations and revisions are counted as before, and no file is read twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from dbt.adapters.sparksession.snapshots import newest_summary
from python_udfs.connectors.file_names import sql_text
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.landing.listing import TABLE
from python_udfs.metadata.of_models import Readers
from python_udfs.paths import feed_location, landing_root
from spark_files import qualified

BATCH = "cdc.batch-id"
VERSION = ["feed", "file_key", "modified_at"]
_COLUMNS = (
    *VERSION[:1],
    "source_schema",
    "source_table",
    "file_key",
    "size",
    "modified_at",
    "false as is_truncate",
    "batch_id",
    "first_seen_at",
    "ignored_reason as rule",
)
# Facts of a file that a row of bronze shows: its key, and the modification time, which ends the sequence.
_OF_BRONZE = """
select {feed} as feed, {schema} as source_schema, {table} as source_table, _cdc_source_file as file_key,
    cast(null as bigint) as size, timestamp_millis(bigint(right(_cdc_sequence, 14))) as modified_at,
    bool_or(_cdc_operation <=> 'T') as is_truncate, min(_cdc_batch_id) as batch_id,
    min(_cdc_ingested_at) as first_seen_at, cast(null as string) as rule
from {bronze}
where _cdc_source_file is not null and not _cdc_operation <=> 'X'
group by _cdc_source_file, right(_cdc_sequence, 14)
"""
_OF_SPLIT = """
select {feed} as feed, cast(null as string) as source_schema, cast(null as string) as source_table, file_key,
    cast(null as bigint) as size, modified_at, false as is_truncate, min(batch_id) as batch_id,
    cast(null as timestamp) as first_seen_at, cast(null as string) as rule
from {split}
where path is not null
group by file_key, modified_at
"""
_OF_REJECTED = """
select feed, source_schema, source_table, substring(path, {after}) as file_key, size, modified_at,
    false as is_truncate, batch_id, rejected_at as first_seen_at, rule
from {rejected}
where feed = {feed} and startswith(path, {location})
"""


def has_lost_versions(spark: SparkSession, files: DataFrame, listing: DataFrame | None, readers: Readers) -> bool:
    """Whether a table with new files has read a batch that the listing does not know.

    Batches only grow, and what reads them reads those that were listed.

    Args:
        spark: the session to ask with.
        files: the files that are new to the listing.
        listing: the listing; None: there is none.
        readers: see `Readers`; a table need not exist.
    """
    last = _greatest(listing, "batch_id") if listing is not None else 0
    for feed, schema, table in files.select(*TABLE).distinct().collect():
        name = readers.splits.get(feed) if table is None else readers.bronze.get((feed, schema, table))
        if name and spark.catalog.tableExists(name) and _last_batch(spark, name, is_split=table is None) > last:
            return True
    return False


def _last_batch(spark: SparkSession, name: str, is_split: bool) -> int:
    if is_split:
        return _greatest(spark.table(name), "batch_id")
    return int(newest_summary(spark, name, BATCH).get(BATCH) or _greatest(spark.table(name), "_cdc_batch_id"))


def _greatest(frame: DataFrame, column: str) -> int:
    """0 if there is no row. Iceberg answers from the table's metadata."""
    return int(frame.agg(F.max(column)).collect()[0][0] or 0)


def lost_versions(
    spark: SparkSession,
    feeds: Sequence[Mapping[str, Any]],
    readers: Readers,
    listing: DataFrame,
    files: DataFrame | None,
    now: datetime,
) -> DataFrame:
    """The rows that the listing has lost.

    Args:
        spark: the session to ask with.
        feeds: as in `new_files`.
        readers: see `Readers`; a table need not exist.
        listing: the listing.
        files: what a full listing finds new to it; None: nothing.
        now: the time of this run.

    Returns:
        Columns of the listing. A version that is there as it was has its size; that of another one may be unknown. A
        file that is not there any more is also `vanished`, so that nothing is truncated for what was missed.
    """
    locations = {feed["feed"]: qualified(spark, feed_location(feed["location"], landing_root())) for feed in feeds}
    files = listing.limit(0) if files is None else files.where("kind not in ('vanished', 'truncate')")
    frames = [listing.selectExpr(*_COLUMNS).limit(0)]
    for (feed, schema, table), name in readers.bronze.items():
        if feed in locations and spark.catalog.tableExists(name):
            of_table = {"schema": sql_text(schema), "table": sql_text(table), "bronze": name}
            frames.append(spark.sql(_OF_BRONZE.format(feed=sql_text(feed), **of_table)))
    for feed, name in readers.splits.items():
        if feed in locations and spark.catalog.tableExists(name):
            frames.append(spark.sql(_OF_SPLIT.format(feed=sql_text(feed), split=name)))
    if spark.catalog.tableExists(readers.rejected):
        for feed, location in locations.items():
            of_feed = {"feed": sql_text(feed), "location": sql_text(f"{location}/"), "after": len(location) + 2}
            frames.append(spark.sql(_OF_REJECTED.format(rejected=readers.rejected, **of_feed)))
    versions = (
        reduce(DataFrame.unionByName, frames)
        .groupBy(*VERSION)
        .agg(
            *map(
                F.expr,
                (
                    "max(source_schema) as source_schema",
                    "max(source_table) as source_table",
                    "max(size) as size",
                    "max(is_truncate) as is_truncate",
                    # A redelivery counts from the batch that showed it, even if a reload has read it since.
                    "coalesce(min(batch_id) filter (where rule = 'redelivered'),"
                    " min(batch_id) filter (where rule is null), min(batch_id)) as batch_id",
                    "min(first_seen_at) as first_seen_at",
                ),
            )
        )
    )
    there = files.select("feed", "file_key", F.col("size").alias("size_there"), F.col("modified_at").alias("stored_at"))
    # Object stores give whole seconds: a later version of one second got milliseconds.
    is_same = "modified_at = stored_at or date_trunc('SECOND', modified_at) = stored_at"
    lost = (
        versions.join(listing.select(*VERSION), VERSION, "left_anti")
        .join(there, ["feed", "file_key"], "left")
        .withColumns(
            {
                "size": F.expr(f"if({is_same}, size_there, size)"),
                "revision": F.expr(f"if({is_same}, unix_millis(modified_at) - unix_millis(stored_at), 0)"),
            }
        )
    )
    lost = _named(lost, feeds, locations).localCheckpoint()
    # Renamed to themselves: Spark 3.5 joins no union whose first side has the very columns of the other table.
    keys = listing.selectExpr("feed as feed", "file_key as file_key").union(files.select("feed", "file_key"))
    gone = lost.join(keys, ["feed", "file_key"], "left_anti").where("kind <> 'truncate'")
    last = lost.agg({"batch_id": "max"}).first()
    newest = gone.groupBy("feed", "file_key").agg(F.expr("max_by(struct(*), modified_at) as newest")).select("newest.*")
    vanished = newest.withColumns(
        {"kind": F.lit("vanished"), "batch_id": F.lit(1 + (last[0] or 0 if last else 0)), "first_seen_at": F.lit(now)}
    )
    return lost.unionByName(vanished)


def _named(versions: DataFrame, feeds: Sequence[Mapping[str, Any]], locations: Mapping[str, str]) -> DataFrame:
    """Adds path, kind and the time in the name. A file of many tables belongs to none of them."""
    kinds, times, paths = [], [], []
    for feed in feeds:
        rules, name = CONNECTORS[feed["connector"]].file_rules(feed), sql_text(feed["feed"])
        kinds.append(f"when feed = {name} then {rules.kind}")
        times.append(f"when feed = {name} then {rules.file_time}")
        paths.append(f"when feed = {name} then {sql_text(locations[feed['feed']])}")
    named = versions.selectExpr(
        "*",
        f"case when is_truncate then 'truncate' {' '.join(kinds)} end as kind",
        f"case when is_truncate then null {' '.join(times)} end as file_time",
        f"concat(case {' '.join(paths)} end, '/', file_key) as path",
        "cast(null as string) as ignored_reason",
    ).drop("is_truncate", "stored_at", "size_there")
    of_table = {name: F.expr(f"if(kind = 'multi_table', null, {name})") for name in TABLE[1:]}
    return named.where("kind is not null").withColumns(of_table)
