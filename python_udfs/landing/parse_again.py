"""Messages that wait in quarantine, parsed with the metadata of now."""

from __future__ import annotations

from functools import reduce
from operator import and_
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import functions as F

from python_udfs.connectors.lines import FILE_COLUMNS
from python_udfs.connectors.message_reading import RESULT_COLUMNS, find_of_table
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.connectors.topic_offsets import ROWS_PER_LINE
from python_udfs.metadata import load_metadata
from python_udfs.metadata.names import file_name, names_in_files, quoted
from python_udfs.metadata.of_models import split_feed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from python_udfs.metadata.load import Metadata

# A message that is another in one of these has been read already, as that.
KEPT = ("source_schema", "source_table", "position")


def show_parsed(spark: SparkSession, seeds: str, feed: str, waiting: str, view: str) -> None:
    """Registers a temporary view: messages of a split table, those that had a mistake parsed again. Writes nothing.

    A message that has a mistake still stays as it was. So does one that gets another position: bronze has that of
    its batch; and one whose value lacks a column that only the message's key had, which the split table does not keep.

    Args:
        spark: the session to read with.
        seeds: folder of the seeds.
        feed: its name.
        waiting: name of a view of rows of the feed's split table.
        view: name of the view to register; it has the columns of `waiting`.
    """
    metadata = load_metadata(Path(seeds))
    described = split_feed(metadata, feed)
    tombstones = described["kafka"].tombstones if "kafka" in described else ""
    messages = spark.table(quoted(waiting))
    per_line = ROWS_PER_LINE.get(described["connector"], 1)
    texts = [F.expr(f"file_row div {per_line}").alias("file_row"), F.col("content").alias("value")]
    if described.get("form") == "flattened":
        # The content of a delete by its key is that key; the split table keeps no other keys.
        is_key = F.col("operation").eqNullSafe("D") & F.lit(tombstones == "delete")
        texts[1] = F.when(is_key, "").otherwise(F.col("content")).alias("value")
        texts.append(F.when(is_key, F.col("content")).alias("key"))
    lines = messages.where("malformed is not null").select(*FILE_COLUMNS, *texts).distinct()
    settings = {**described, "to_join": [], "tombstones": tombstones}
    parsed = CONNECTORS[described["connector"]].read_rows(lines, settings)
    # No result of parsing, such as the position, is in a filter or a join: Spark's optimizer writes out what made each
    # column of these, which fills the memory of the driver.
    place = [F.col(f"old.{name}").eqNullSafe(F.col(f"new.{name}")) for name in ("file_key", "file_row", "batch_id")]
    joined = messages.alias("old").join(parsed.alias("new"), on=place, how="left")
    same = [
        F.col("old.malformed").isNotNull(),
        F.col("new.file_key").isNotNull(),
        F.col("new.malformed").isNull(),
        *(F.col(f"old.{name}").eqNullSafe(F.col(f"new.{name}")) for name in KEPT),
        # With another `tombstones` than that of its batch a key would be a row.
        F.col("old.operation").eqNullSafe("D") == F.col("new.operation").eqNullSafe("D"),
    ]
    if described.get("form") == "flattened" and "kafka" in described:
        same += _lacks_nothing_of_its_key(metadata, feed)
    is_parsed = reduce(and_, same)
    # The time of a message without one is Kafka's, which only the split knew.
    values = {name: F.col(f"new.{quoted(name)}") for name in RESULT_COLUMNS}
    values["committed_at"] = F.coalesce("new.committed_at", "old.committed_at")
    joined.select(
        *(
            F.when(is_parsed, values[name]).otherwise(F.col(f"old.{quoted(name)}")).alias(name)
            if name in values
            else F.col(f"old.{quoted(name)}")
            for name in messages.columns
        )
    ).createOrReplaceTempView(quoted(view))


def _lacks_nothing_of_its_key(metadata: Metadata, feed: str) -> list[Column]:
    """Whether a message parsed without its key has each column of the table's key and each that it had before."""
    keys = {
        (table.source_schema, table.source_table): [
            [file_name(name).lower() for name in names_in_files(dict(table.renamed_columns), column)]
            for column in table.primary_key
        ]
        for table in metadata.active_tables
        if table.feed == feed
    }
    key = find_of_table(keys, F.col("new.source_schema"), F.col("new.source_table"), "array<array<string>>")
    names = F.transform(F.map_keys("new.image"), F.lower)
    before = F.map_keys(F.coalesce("old.image", F.create_map().cast("map<string,string>")))
    now = F.concat(F.map_keys("new.image"), F.coalesce("new.unavailable", F.array().cast("array<string>")))
    return [F.forall(key, lambda column: F.arrays_overlap(column, names)), F.size(F.array_except(before, now)) == 0]
