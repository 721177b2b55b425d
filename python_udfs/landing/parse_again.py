"""Messages that wait in quarantine, parsed with the metadata of now."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from python_udfs.connectors.lines import FILE_COLUMNS
from python_udfs.connectors.message_reading import RESULT_COLUMNS
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.connectors.topic_offsets import ROWS_PER_LINE
from python_udfs.metadata import load_metadata
from python_udfs.metadata.names import quoted
from python_udfs.metadata.of_models import split_feed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLACE = ("file_key", "file_row", "batch_id", "source_schema", "source_table")


def show_parsed(spark: SparkSession, seeds: str, feed: str, waiting: str, view: str) -> None:
    """Registers a temporary view: messages of a split table, those that had a mistake parsed again. Writes nothing.

    A message that has a mistake still stays as it was. So does one that gets another position: bronze has that of
    its batch.

    Args:
        spark: the session to read with.
        seeds: folder of the seeds.
        feed: its name.
        waiting: name of a view of rows of the feed's split table.
        view: name of the view to register; it has the columns of `waiting`.
    """
    described = split_feed(load_metadata(Path(seeds)), feed)
    messages = spark.table(quoted(waiting))
    per_line = ROWS_PER_LINE.get(described["connector"], 1)
    line = F.expr(f"file_row div {per_line}").alias("file_row")
    lines = (
        messages.where("malformed is not null").select(*FILE_COLUMNS, line, F.col("content").alias("value")).distinct()
    )
    if described.get("form") == "flattened":
        # The split table does not keep the keys of messages.
        lines = lines.withColumn("key", F.lit(None).cast("string"))
    parsed = CONNECTORS[described["connector"]].read_rows(lines, {**described, "to_join": []})
    same_place = [F.col(f"old.{name}").eqNullSafe(F.col(f"new.{name}")) for name in (*PLACE, "position")]
    joined = messages.alias("old").join(parsed.where("malformed is null").alias("new"), on=same_place, how="left")
    is_parsed = F.col("new.file_key").isNotNull() & F.col("old.malformed").isNotNull()
    joined.select(
        *(
            F.when(is_parsed, F.col(f"new.{quoted(name)}")).otherwise(F.col(f"old.{quoted(name)}")).alias(name)
            if name in RESULT_COLUMNS
            else F.col(f"old.{quoted(name)}")
            for name in messages.columns
        )
    ).createOrReplaceTempView(quoted(view))
