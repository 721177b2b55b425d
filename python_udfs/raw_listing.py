"""One listing of the landing area: which objects are there, what they are, and in which batch they were first seen.

The listing is the only place that looks at object names. Everything after it works with its columns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from functools import reduce
from pathlib import Path
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

logger = AdapterLogger("Lakehouse")
PROJECT_ROOT = Path(__file__).resolve().parent.parent

LISTING_SCHEMA = (
    "feed string, source_schema string, source_table string, object_key string, path string, size bigint, "
    "modified_at timestamp, kind string, ignored_reason string, file_time timestamp, generation int, "
    "batch_id bigint, first_seen_at timestamp"
)

OBJECT_SCHEMA = "path string, size bigint, modified_at timestamp, feed string, format string, object_key string"
VERSION = ["feed", "path", "size", "modified_at"]
TABLE = ["feed", "source_schema", "source_table"]

IS_READ = "kind in ('load', 'change')"

# docs/contracts.md section 1.2: the digit counts vary between engine versions, so none is required.
LOAD_NAME = r"^(?:SEGMENT\d+_)?LOAD[0-9A-Fa-f]{5,8}\."
CHANGE_NAME = r"^(\d{8})-(\d{6})(\d{0,6})\."
TEMPORARY_NAME = r"(?i)(\.tmp|\.temp|\.crc|\.filepart|\.part|\.inprogress|~)$"


def landing_root() -> str:
    """The folder that relative feed locations start from: `LAKEHOUSE_RAW`, or `data/raw` in the project."""
    return os.environ.get("LAKEHOUSE_RAW") or str(PROJECT_ROOT / "data" / "raw")


def feed_location(location: str, root: str) -> str:
    """The location of a feed as Spark reads it.

    Args:
        location: the location in the feed's row of `cdc_feeds.csv`.
        root: the landing root, a folder or a URI.

    Returns:
        The location itself when it is absolute or a URI, else the location under the root.
    """
    if "://" in location or location.startswith("/"):
        return location
    return f"{root.rstrip('/')}/{location}"


def new_objects(
    spark: SparkSession,
    feeds: Iterable[Mapping[str, Any]],
    known: DataFrame | None,
    rejected: DataFrame | None = None,
    now: datetime | None = None,
) -> DataFrame | None:
    """Object versions that the listing does not hold yet, and objects that are no longer there.

    An object version is a path with a size and a modification time; no assumption is made about the order in which
    names arrive, so an older name that turns up later is as new as any other. An object that comes back after it was
    gone is new again, whatever its time.

    Args:
        spark: the session to list with.
        feeds: feed, format and location of each feed to list; one pass over each location. `vanished_files` holds
            `ignore` or `truncate` by schema and table; other tables report.
        known: the listing so far (columns of `LISTING_SCHEMA`), None on the first run.
        rejected: path, size, modified_at and rule of the objects that bronze left out; None: no object.
        now: the time of this run; the current time when not given.

    Returns:
        Rows of `LISTING_SCHEMA`, or None when there is nothing new and a listing exists already.
    """
    now = now or datetime.now(timezone.utc)
    feeds = list(feeds)
    nothing = spark.createDataFrame([], LISTING_SCHEMA)
    is_first = known is None or known.isEmpty()
    known = nothing if known is None else known
    locations = {feed["feed"]: _qualified(spark, feed_location(feed["location"], landing_root())) for feed in feeds}
    listed = [_objects_of(spark, feed, locations[feed["feed"]]) for feed in feeds]
    no_objects = spark.createDataFrame([], OBJECT_SCHEMA)
    objects = _with_kind(reduce(DataFrame.unionByName, [frame for frame in listed if frame is not None], no_objects))
    # Not cache(): a later run of the same process would be answered from the cache of an equal plan, not from the disk.
    new = objects.join(_without_vanished(known), on=VERSION, how="left_anti").localCheckpoint()
    gone = None if is_first else _gone(feeds, locations, known, objects, now)
    if gone is None and new.isEmpty():
        return nothing if is_first else None

    rows = _with_generation(new, known if rejected is None else _without_unreadable(known, rejected))
    if gone is not None:
        _warn_of(gone, feeds)
        rows = rows.unionByName(gone, allowMissingColumns=True)
    last_batch_id = known.agg(F.max("batch_id")).first()
    numbered = rows.withColumn(
        "batch_id", F.lit(next_batch_id(now, last_batch_id[0] if last_batch_id else None))
    ).withColumn("first_seen_at", F.lit(now))
    return numbered.select([F.col(field.name).cast(field.dataType) for field in nothing.schema])


def next_batch_id(now: datetime, last: int | None) -> int:
    """A batch id that is greater than every earlier one, even when the clock went back.

    Args:
        now: the time of the run, with a time zone.
        last: the greatest batch id so far, None if there is none.

    Returns:
        UTC time as a number, yyyyMMddHHmmssSSS, or the last id plus one where that is greater.
    """
    utc = now.astimezone(timezone.utc)
    from_clock = int(utc.strftime("%Y%m%d%H%M%S")) * 1000 + utc.microsecond // 1000
    return max(from_clock, (last or 0) + 1)


def _qualified(spark: SparkSession, location: str) -> str:
    """A location as the paths of its objects begin."""
    jvm = spark._jvm
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(location)
    return str(path.getFileSystem(spark._jsc.hadoopConfiguration()).makeQualified(path).toString())


def _objects_of(spark: SparkSession, feed: Mapping[str, Any], location: str) -> DataFrame | None:
    """Path, size, modification time and key (the path under the feed's location) of every object of a feed."""
    jvm = spark._jvm
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(location)
    if not path.getFileSystem(spark._jsc.hadoopConfiguration()).exists(path):
        logger.warning(f"Feed {feed['feed']}: its location {location} does not exist (yet); nothing to list there.")
        return None
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(location)
    listed = files.select("path", F.col("length").alias("size"), F.col("modificationTime").alias("modified_at"))
    return (
        listed.unionByName(_empty_objects(spark, files))
        .withColumn("feed", F.lit(feed["feed"]))
        .withColumn("format", F.lit(feed["format"]))
        .withColumn("object_key", F.expr(f"substring(path, {len(location) + 2})"))
    )


def _empty_objects(spark: SparkSession, files: DataFrame) -> DataFrame:
    """Objects of no size: Spark's file sources leave them out, but its index of the location names them.

    The index tells no modification time of these; they get that of the epoch, so that each is listed once.
    """
    jvm = spark._jvm
    assert jvm is not None
    # The names stay in Java: an array becomes the list that a dataset is made of.
    names = jvm.com.fasterxml.jackson.databind.ObjectMapper().convertValue(
        files._jdf.inputFiles(), jvm.java.util.ArrayList().getClass()
    )
    uris = DataFrame(
        spark._jsparkSession.createDataset(names, jvm.org.apache.spark.sql.Encoders.STRING()).toDF(), spark
    )
    # The index gives URIs (file:///a%20b), the source plain paths (file:/a b).
    path = F.url_decode(
        F.replace(F.regexp_replace("value", r"^([A-Za-z][A-Za-z0-9+.-]*):///", "$1:/"), F.lit("+"), F.lit("%2B"))
    )
    return (
        uris.select(path.alias("path"))
        .join(files.select("path"), on="path", how="left_anti")
        .select("path", F.lit(0).cast("bigint").alias("size"), F.timestamp_seconds(F.lit(0)).alias("modified_at"))
    )


def _with_kind(objects: DataFrame) -> DataFrame:
    """Adds what an object's name says: source schema and table, kind, the reason if ignored, and the file time."""
    parts = F.split("object_key", "/")
    name = F.element_at(parts, -1)
    in_table_folder = F.size(parts) >= 3
    digits = F.rpad(F.concat(*(F.regexp_extract(name, CHANGE_NAME, group) for group in (1, 2, 3))), 20, "0")
    # A timestamp pattern cannot parse fractions without a separator: put one in.
    file_time = F.when(
        name.rlike(CHANGE_NAME),
        F.try_to_timestamp(
            F.concat(F.substring(digits, 1, 14), F.lit("."), F.substring(digits, 15, 6)),
            F.lit("yyyyMMddHHmmss.SSSSSS"),
        ),
    )
    extension = F.concat(F.lit(r"\."), F.col("format"), F.lit(r"(\.gz)?$"))
    ignored_reason = (
        F.when(F.col("object_key").rlike(r"(^|/)s3_validation_failures/"), F.lit("DMS validation report"))
        .when(in_table_folder & parts[1].startswith("awsdms_"), F.lit("DMS control table"))
        .when(name.rlike(TEMPORARY_NAME), F.lit("temporary object"))
        .when(F.col("size") == 0, F.lit("zero-byte object"))
        .when(~in_table_folder, F.lit("not in a <schema>/<table>/ folder of the feed's location"))
        .when(~F.regexp(name, extension), F.concat(F.lit("the feed reads ."), F.col("format"), F.lit(" files")))
        .when(
            ~name.rlike(LOAD_NAME) & ~name.rlike(CHANGE_NAME),
            F.lit("the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>"),
        )
        .when(name.rlike(CHANGE_NAME) & file_time.isNull(), F.lit("the name holds no valid date and time"))
    )
    return objects.select(
        "*",
        F.when(in_table_folder, parts[0]).alias("source_schema"),
        F.when(in_table_folder, parts[1]).alias("source_table"),
        ignored_reason.alias("ignored_reason"),
        F.when(ignored_reason.isNotNull(), F.lit("ignored"))
        .when(name.rlike(LOAD_NAME), F.lit("load"))
        .otherwise(F.lit("change"))
        .alias("kind"),
        F.when(ignored_reason.isNull(), file_time).alias("file_time"),
    )


def _without_unreadable(known: DataFrame, rejected: DataFrame) -> DataFrame:
    """The listing without the versions that could not be read: a corrected LOAD file is no reload."""
    unreadable = rejected.where("rule = 'unreadable'").select("path", "size", "modified_at")
    return known.join(unreadable, on=["path", "size", "modified_at"], how="left_anti")


def _with_generation(new: DataFrame, known: DataFrame) -> DataFrame:
    """Adds the load generation (docs/contracts.md section 1.10).

    A LOAD name that comes again starts the next generation of its table; every object that first came from then on
    belongs to it, so a change file that is delivered again stays where it was. A LOAD file and a change file of the
    same second: the load comes first.
    """
    columns = [*VERSION, "source_schema", "source_table", "kind"]
    # An object that came back unchanged is the same version: a LOAD file that was only away is no reload.
    every = known.select(*columns).unionByName(new.select(*columns)).where(IS_READ).dropDuplicates(VERSION)
    is_load = F.col("kind") == "load"
    versions = Window.partitionBy("feed", "path", "kind")
    so_far = (
        Window.partitionBy("feed", "source_schema", "source_table")
        .orderBy("came_at", F.when(is_load, 0).otherwise(1), "path", "modified_at")
        .rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    generations = (
        every.withColumn("version", F.when(is_load, F.row_number().over(versions.orderBy("modified_at"))).otherwise(1))
        .withColumn("came_at", F.when(is_load, F.col("modified_at")).otherwise(F.min("modified_at").over(versions)))
        .select(*VERSION, F.max("version").over(so_far).alias("generation"))
    )
    return new.join(generations, on=VERSION, how="left")


def _without_vanished(known: DataFrame) -> DataFrame:
    """The listing without objects that have gone since: whoever comes back is new."""
    gone = known.where("kind = 'vanished'").groupBy("feed", "path").agg(F.max("batch_id").alias("gone_in"))
    still_known = F.col("gone_in").isNull() | (F.col("batch_id") > F.col("gone_in"))
    return known.where("kind <> 'vanished'").join(gone, on=["feed", "path"], how="left").where(still_known)


def _gone(
    feeds: list[Mapping[str, Any]], locations: Mapping[str, str], known: DataFrame, objects: DataFrame, now: datetime
) -> DataFrame | None:
    """What was there and is not any more, as rows of the listing; None when all is there.

    An object that is gone is `vanished`. A location that lists no object of any table any more is itself `vanished`,
    and its objects are not: a disk that is not mounted must not look like empty tables. A table with the policy
    `truncate` all of whose objects went at once is also a `truncate`.
    """
    newest = Window.partitionBy("feed", "path").orderBy(F.desc("batch_id"), F.desc("modified_at"))
    latest = (
        known.where("kind <> 'truncate'").withColumn("age", F.row_number().over(newest)).where("age = 1").drop("age")
    )
    location = F.create_map(*(F.lit(text) for pair in locations.items() for text in pair))[F.col("feed")]
    read = objects.where(IS_READ)
    is_here = F.col("path") == F.concat(location, F.lit("/"), F.col("object_key"))
    missing = latest.where(IS_READ).where(is_here).join(read, on=["feed", "path"], how="left_anti")
    away = latest.where((F.col("kind") == "vanished") & (F.col("path") == location))
    suspects = missing.unionByName(away).localCheckpoint()
    if suspects.isEmpty():
        return None

    missing, away = suspects.where(IS_READ), suspects.where("kind = 'vanished'")
    listing = read.select("feed").distinct()
    vanished = missing.join(listing, on="feed", how="left_semi").withColumn("kind", F.lit("vanished"))
    lost = missing.join(listing, on="feed", how="left_anti").join(away, on="feed", how="left_anti")
    back = away.join(listing, on="feed", how="left_semi")
    gone = reduce(
        DataFrame.unionByName,
        [
            vanished,
            _row(lost.select("feed").distinct(), location, now, kind="vanished"),
            _row(back.select("feed"), location, now, kind="ignored", reason="the location lists objects again"),
            _truncates(feeds, location, known, latest, vanished, read, now),
        ],
    ).localCheckpoint()
    return None if gone.isEmpty() else gone


def _truncates(
    feeds: list[Mapping[str, Any]],
    location: Column,
    known: DataFrame,
    latest: DataFrame,
    vanished: DataFrame,
    read: DataFrame,
    now: datetime,
) -> DataFrame:
    """One row for each table with the policy `truncate` that this listing finds without any of its objects."""
    is_asked_for = reduce(
        Column.__or__,
        [
            (F.col("feed") == feed["feed"]) & (F.col("source_schema") == schema) & (F.col("source_table") == table)
            for feed in feeds
            for (schema, table), policy in feed.get("vanished_files", {}).items()
            if policy == "truncate"
        ],
        F.lit(False),
    )
    last = known.where("kind = 'truncate'").groupBy(*TABLE).agg(F.max("batch_id").alias("truncated_in"))
    gone_before = latest.where("kind = 'vanished'").join(last, on=TABLE, how="left")
    # Objects that go one by one are tidied up by somebody; DMS removes all that a truncated table has.
    tidied = gone_before.where("truncated_in is null or batch_id > truncated_in")
    generation = known.where(IS_READ).groupBy(*TABLE).agg(F.max("generation").alias("generation"))
    tables = (
        vanished.where(is_asked_for)
        .select(*TABLE)
        .distinct()
        .join(read, on=TABLE, how="left_anti")
        .join(tidied, on=TABLE, how="left_anti")
        .join(generation, on=TABLE)
    )
    folder = F.concat_ws("/", "source_schema", "source_table")
    return _row(tables, F.concat(location, F.lit("/"), folder), now, kind="truncate", key=folder)


def _row(
    frame: DataFrame, path: Column, now: datetime, *, kind: str, key: Column | None = None, reason: str | None = None
) -> DataFrame:
    """Rows of the listing for something that is no object: a location or a table's folder."""
    is_truncate = kind == "truncate"
    return frame.select(
        "feed",
        F.col("source_schema") if is_truncate else F.lit(None).cast("string").alias("source_schema"),
        F.col("source_table") if is_truncate else F.lit(None).cast("string").alias("source_table"),
        (F.lit("") if key is None else key).alias("object_key"),
        path.alias("path"),
        F.lit(0).cast("bigint").alias("size"),
        F.lit(now).alias("modified_at"),
        F.lit(kind).alias("kind"),
        F.lit(reason).cast("string").alias("ignored_reason"),
        F.lit(now if is_truncate else None).cast("timestamp").alias("file_time"),
        (F.col("generation") if is_truncate else F.lit(None)).cast("int").alias("generation"),
        F.lit(None).cast("bigint").alias("batch_id"),
        F.lit(None).cast("timestamp").alias("first_seen_at"),
    )


def _warn_of(gone: DataFrame, feeds: list[Mapping[str, Any]]) -> None:
    """Says what is gone; of tables that are told to ignore it, nothing."""
    policies = {
        (feed["feed"], *table): policy for feed in feeds for table, policy in feed.get("vanished_files", {}).items()
    }
    for row in gone.groupBy(*TABLE, "kind").agg(F.count("*").alias("objects"), F.min("path").alias("path")).collect():
        table = f"{row.source_schema}.{row.source_table}"
        if row.kind == "truncate":
            logger.warning(
                f"Feed {row.feed}: every object of {table} is gone; the table is truncated, as its row asks."
            )
        elif row.kind == "vanished" and row.source_schema is None:
            logger.warning(
                f"Feed {row.feed}: {row.path} lists no object any more. Nothing is truncated. Is it mounted?"
            )
        elif row.kind == "vanished" and policies.get((row.feed, row.source_schema, row.source_table)) != "ignore":
            logger.warning(f"Feed {row.feed}: {row.objects} objects of {table} are gone, for example {row.path}.")
