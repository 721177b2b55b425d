"""Small results that the driver holds."""

from __future__ import annotations

from pyspark.sql import DataFrame


def kept(frame: DataFrame) -> DataFrame:
    """The rows that a query has now, as a frame that does not run it again.

    The driver holds them, so that they outlive executors; they are read without a Spark job.

    Args:
        frame: a query with few rows: objects, tables or snapshots, not what is in them.
    """
    return frame.sparkSession.createDataFrame(frame.toArrow())
