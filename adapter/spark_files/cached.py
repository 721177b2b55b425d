"""Small results that the driver caches."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from spark_files.capabilities import arrow_of, frame_of


def cached(frame: DataFrame) -> DataFrame:
    """The rows that a query has now, as a frame that does not run it again.

    The driver holds them, so that they outlive executors; they are read without a Spark job.

    Args:
        frame: a query with few rows: objects, tables or snapshots, not what is in them.
    """
    return cached_part(frame.sparkSession, arrow_of(frame), {})


def cached_part(session: SparkSession, rows: pa.Table, part: dict[str, str]) -> DataFrame:
    """Those of some cached rows that have given values.

    Args:
        session: session of the frame.
        rows: what a query answered.
        part: text columns and their values.
    """
    for column, value in part.items():
        rows = rows.filter(pc.equal(rows[column], value))
    return frame_of(session, rows)
