"""The messages and transaction files that wait for the split of a feed, as rows that its table does not have yet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from python_udfs.errors import LakehouseError
from python_udfs.kafka.client import read_settings, without_secrets
from python_udfs.kafka.read import waiting_messages
from python_udfs.landing.split import Waiting, waiting_rows
from python_udfs.metadata import load_metadata
from python_udfs.metadata.names import quoted
from python_udfs.metadata.of_models import split_feed
from spark_files.errors import is_spark_error, spark_message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

# Limits of one feed: enough to see the changes, and never the whole of a first load.
MOST_MESSAGES = 100_000
MOST_BYTES = 64_000_000


def show_waiting(
    spark: SparkSession, seeds: str, feed: str, split: str | None, schema: str, view: str
) -> dict[str, Any]:
    """Registers a temporary view: the rows of a split table, and those that the next run will add. Writes nothing.

    Args:
        spark: the session to read with.
        seeds: folder of the seeds.
        feed: its name.
        split: name of its split table, None before it exists.
        schema: schema of `raw_listing` and `rejected_files`.
        view: name of the view.

    Returns:
        `feed`; `view`, None if there is nothing to show; `rejected`, path and reason of each file; `left`, how many
        more messages or files wait; `problem`, why what waits cannot be read, else None.
    """
    facts: dict[str, Any] = {"feed": feed, "view": view, "rejected": [], "left": 0, "problem": None}
    described = split_feed(load_metadata(Path(seeds)), feed)
    try:
        waiting = _read(spark, described, split, schema)
        # Each table asks for its rows: they are read once. Those that memory does not hold go to disk.
        rows = waiting.rows.persist()
        rows.count()
    except Exception as error:
        if not is_spark_error(error) and not isinstance(error, LakehouseError):
            raise
        facts["problem"] = str(error) if isinstance(error, LakehouseError) else _message(error, described)
        if split is None:
            return {**facts, "view": None}
        spark.table(split).createOrReplaceTempView(quoted(view))
        return facts
    if split is not None:
        rows = spark.table(split).unionByName(rows, allowMissingColumns=True)
    rows.createOrReplaceTempView(quoted(view))
    return {**facts, "rejected": waiting.rejected, "left": waiting.left}


def _read(spark: SparkSession, feed: Mapping[str, Any], split: str | None, schema: str) -> Waiting:
    if "kafka" in feed:
        return waiting_messages(spark, feed, split, MOST_MESSAGES)
    return waiting_rows(spark, feed, schema, split, MOST_BYTES)


def _message(error: Exception, feed: Mapping[str, Any]) -> str:
    secrets = read_settings(feed["feed"], feed["kafka"]) if "kafka" in feed else {}
    return without_secrets(spark_message(error), secrets)
