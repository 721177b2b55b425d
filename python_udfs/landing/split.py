"""The split (a demultiplexer): multi-table files into the table `split_<feed>`, partitioned by source table.

Each file is read once, whatever the number of tables. The bronze model of a table reads its own partition only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from itertools import accumulate
from typing import Any

import pyarrow as pa
from dbt.adapters.events.logging import AdapterLogger
from pyspark.sql import DataFrame, Row, SparkSession, Window
from pyspark.sql import functions as F

from dbt.adapters.sparksession.snapshots import scan_sql
from python_udfs.connectors.message_reading import text_or_base64
from python_udfs.connectors.options import MESSAGE_OPTIONS
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.metadata.names import quoted
from python_udfs.pipeline.files import REPLACED, describe_rejection
from python_udfs.pipeline.sequence import MARKER_ROW
from spark_files import cached, read_files
from spark_files.capabilities import frame_of
from spark_files.charsets import UTF8
from spark_files.frames import make_frame

logger = AdapterLogger("Lakehouse")

VERSION = ["path", "size", "modified_at"]
FILE_VERSION_COLUMNS = [*VERSION, "file_key", "file_time", "batch_id"]
# Takes files that are left out, and the reason of each by its path.
Reject = Callable[..., None]


@dataclass(frozen=True)
class Waiting:
    """Records that the next run will split.

    Attributes:
        rows: as `new_rows` returns them, without progress and markers.
        rejected: path and reason of each file that will be rejected.
        left: how many more files or messages wait.
    """

    rows: DataFrame
    rejected: list[dict[str, str]]
    left: int


def split_files(spark: SparkSession, feed: Mapping[str, Any], schema: str, target: str | None) -> DataFrame | None:
    """The rows of the files that a feed got since its split table was written last; see `new_rows`.

    Args:
        spark: the session to read with.
        feed: see `new_rows`.
        schema: the schema of `raw_listing` and `rejected_files`.
        target: name of the split table, None before it exists.
    """
    listing = spark.sql(f"select * from {scan_sql(spark, f'{schema}.raw_listing')}")
    return new_rows(spark, feed, listing, f"{schema}.rejected_files", target)


def new_rows(
    spark: SparkSession, feed: Mapping[str, Any], listing: DataFrame, rejected: str, target: str | None
) -> DataFrame | None:
    """The rows of the files that a feed got since its split table was written last.

    All of a batch is written by one commit, so that the greatest batch in the table is its progress.

    Args:
        spark: the session to read with.
        feed: `feed`, `connector` and the arguments of the connector's `read_rows`.
        listing: `raw_listing`.
        rejected: name of the table of rejected files; files that cannot be read are added to it.
        target: name of the split table, None before it exists.

    Returns:
        The rows of the connector, and one row that is NULL but for its batch_id: the feed has been
        read up to it. An overwritten file also has a row of number `MARKER_ROW` for each table that its older content
        has records of. None when the listing has no newer batch.
    """
    of_feed = listing.where(F.col("feed") == feed["feed"])
    last = _last_batch(spark, target)
    newer = of_feed.where(F.col("batch_id") > last)
    newest = _greatest_batch(newer)
    if target and not newest:
        return None
    multi_table = of_feed.where("kind = 'multi_table'")
    reject = partial(_reject, spark, feed, rejected)
    lines, to_join, overwritten, _ = _lines(spark, feed, multi_table, last, rejected, reject)
    overwritten = overwritten if target else []
    rows = CONNECTORS[feed["connector"]].read_rows(lines, {**feed, "to_join": to_join})
    if overwritten:
        older = spark.table(str(target)).where(F.col("file_key").isin([row.file_key for row in overwritten]))
        rows = rows.unionByName(_markers(spark, overwritten, older), allowMissingColumns=True)
    # Rows of the driver: a number in a query would be code that Spark compiles for each batch.
    progress = frame_of(spark, pa.table({"batch_id": pa.array([newest], pa.int64())}))
    return rows.unionByName(progress, allowMissingColumns=True)


def waiting_rows(
    spark: SparkSession, feed: Mapping[str, Any], schema: str, target: str | None, max_bytes: int
) -> Waiting:
    """The records that the next run will split, of the files that came first. Nothing is written.

    Args:
        spark: the session to read with.
        feed: see `new_rows`.
        schema: the schema of `raw_listing` and `rejected_files`.
        target: name of the split table, None before it exists.
        max_bytes: how many bytes of files are read; the first file is read whatever its size.
    """
    listing = spark.sql(f"select * from {scan_sql(spark, f'{schema}.raw_listing')}")
    multi_table = listing.where((F.col("feed") == feed["feed"]) & (F.col("kind") == "multi_table"))
    rejected_files: list[dict[str, str]] = []

    def reject(files: list[Row], reasons: Mapping[str, str], rule: str = "replaced") -> None:
        rejected_files.extend({"path": row.path, "reason": reasons[row.path]} for row in files)

    table = f"{schema}.rejected_files"
    last = _last_batch(spark, target)
    lines, to_join, _, left = _lines(spark, feed, multi_table, last, table, reject, max_bytes)
    rows = CONNECTORS[feed["connector"]].read_rows(lines, {**feed, "to_join": to_join})
    return Waiting(rows, rejected_files, left)


def _last_batch(spark: SparkSession, target: str | None) -> int:
    return _greatest_batch(spark.table(target)) if target else 0


def _greatest_batch(frame: DataFrame) -> int:
    row = frame.agg(F.max("batch_id")).first()
    return int(row[0]) if row and row[0] else 0


def _lines(
    spark: SparkSession,
    feed: Mapping[str, Any],
    multi_table: DataFrame,
    after: int,
    rejected: str,
    reject: Reject,
    max_bytes: int | None = None,
) -> tuple[DataFrame, list[str], list[Row], int]:
    """The lines of the readable files of the batches after one, and facts about these files.

    A version that came back is read once, unless it was rejected before.

    Returns the lines, the paths of files in which a record may span lines, the files of which an earlier version was
    listed, and how many files are left behind the first ones of so many bytes (None: none). The lines have the columns
    of `FILE_VERSION_COLUMNS`, file_row and value.
    """
    rejections = spark.table(rejected).select(*VERSION, F.col("batch_id").alias("rejected_in"))
    by_age = Window.partitionBy("file_key").orderBy(F.desc("modified_at"), F.desc("batch_id"))
    of_new = multi_table.where(F.col("batch_id") > after).select("file_key").distinct()
    versions = (
        multi_table.join(F.broadcast(of_new), on="file_key", how="left_semi")
        .groupBy("file_key", "size", "modified_at", "file_time", "revision")
        .agg(
            *map(
                F.expr,
                (
                    "max_by(path, batch_id) as path",
                    "max(batch_id) as batch_id",
                    f"max(batch_id) filter (where batch_id <= {after}) as earlier_batch_id",
                ),
            )
        )
        .where(F.col("batch_id") > after)
        .join(rejections, on=VERSION, how="left")
        .groupBy(*FILE_VERSION_COLUMNS, "revision", "earlier_batch_id")
        .agg(F.max("rejected_in").alias("rejected_in"))
        .where(
            "coalesce(rejected_in < batch_id, true)"
            " and (earlier_batch_id is null or coalesce(rejected_in >= earlier_batch_id, false))"
        )
        .select(*FILE_VERSION_COLUMNS, "revision", F.row_number().over(by_age).alias("age"))
    )
    versions = cached(versions)
    # Paths, not data: Spark's readers want them by name.
    files = versions.select(*FILE_VERSION_COLUMNS, "revision", "age").collect()
    older = [row for row in files if row.age > 1]
    reject(older, dict.fromkeys((row.path for row in older), REPLACED))
    newest_files = [row for row in files if row.age == 1]
    current = {row.path: row for row in _first_files(newest_files, max_bytes)}
    left = len(newest_files) - len(current)
    no_lines = versions.selectExpr(*FILE_VERSION_COLUMNS, "0L as file_row", "'' as value").where("false")
    if not current:
        return no_lines, [], [], left
    view = f"split_{feed['feed']}__raw"
    spans_lines = CONNECTORS[feed["connector"]].spans_lines(feed)
    options = {"lineSep": "\n", "find": spans_lines, "charset": feed.get("charset", UTF8)}
    raw = read_files(spark, view, "text", list(current), options)
    reasons = {file["path"]: file["reason"] for file in raw["rejected"]}
    reject([current[path] for path in reasons], reasons, rule="unreadable")
    if not raw["columns"]:
        return no_lines, [], [], left
    overwritten = [row for path, row in current.items() if row.revision and path not in reasons]
    lines = spark.table(quoted(view)).select(
        F.col("_file_path").alias("path"), F.col("_file_row").alias("file_row"), "value"
    )
    if feed["connector"] in MESSAGE_OPTIONS:
        lines = lines.withColumn("value", text_or_base64(F.col("value")))
    newest = versions.where("age = 1").drop("age", "revision")
    return lines.join(F.broadcast(newest), on="path"), raw["found"], overwritten, left


def _first_files(files: list[Row], max_bytes: int | None) -> list[Row]:
    if max_bytes is None:
        return files
    files = sorted(files, key=lambda row: (row.batch_id, row.modified_at, row.path))
    sizes = accumulate((row.size for row in files), initial=0)
    return [row for row, before in zip(files, sizes, strict=False) if before == 0 or before < max_bytes]


def _markers(spark: SparkSession, files: list[Row], older: DataFrame) -> DataFrame:
    """A row per overwritten file and table that its older content, rows of the split table, has records of."""
    columns = [name for name in FILE_VERSION_COLUMNS if name != "size"]
    schema = older.select(*columns).schema
    newest = make_frame(spark, [tuple(row[name] for name in columns) for row in files], schema)
    tables = older.select("file_key", "source_schema", "source_table").distinct()
    return newest.join(F.broadcast(tables), on="file_key").withColumn("file_row", F.lit(MARKER_ROW))


def _reject(
    spark: SparkSession,
    feed: Mapping[str, Any],
    table: str,
    files: list[Row],
    reasons: Mapping[str, str],
    rule: str = "replaced",
) -> None:
    """Records files that are left out, before the rows of the others are written: a crash loses none."""
    if not files:
        return
    now = datetime.now(timezone.utc)
    for row in files:
        logger.warning(describe_rejection(f"Feed {feed['feed']}", row.path, reasons[row.path]))
    rejected = [
        (feed["feed"], None, None, row.path, row.size, row.modified_at, rule, reasons[row.path], row.batch_id, now)
        for row in files
    ]
    make_frame(spark, rejected, spark.table(table).schema).write.mode("append").insertInto(table)
