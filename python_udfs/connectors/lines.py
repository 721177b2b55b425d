"""The first columns of the rows of all connectors, and how lines become records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

# The columns of a row's file.
FILE_COLUMNS = ["path", "file_key", "file_time", "modified_at", "batch_id"]


def up_to(line: int) -> WindowSpec:
    """The lines of the same file from its first to the one so far from this: 0 this line, -1 the one before it."""
    return Window.partitionBy("path", "batch_id").orderBy("file_row").rowsBetween(Window.unboundedPreceding, line)


def joined(lines: DataFrame, marked: Callable[[DataFrame], DataFrame], feed: Mapping[str, Any]) -> DataFrame:
    """Records that end before the line on which the next one begins; lines before the first are one record.

    Args:
        lines: a row per line: `FILE_COLUMNS`, file_row (bigint, from 0) and value (string).
        marked: adds begins (boolean), whether a record begins on the line. Called with the lines that need it.
        feed: `to_join`, paths of the files in which a record may span lines (missing: all). In others each line is one.

    Returns:
        `FILE_COLUMNS`, file_row (of the record's first line), content (string: the record) and number (bigint: of the
        record in its file, from 0; -1 for lines before the first).
    """
    paths = feed.get("to_join")
    if paths is None:
        return _joined(marked(lines))
    single = lines.select(*FILE_COLUMNS, "file_row", F.col("value").alias("content"), F.col("file_row").alias("number"))
    if not paths:
        return single
    # Finding records sorts the lines: only those of files that need it.
    to_join = F.col("path").isin(paths)
    return single.where(~to_join).unionByName(_joined(marked(lines.where(to_join))))


def _joined(lines: DataFrame) -> DataFrame:
    texts = F.transform(F.array_sort(F.collect_list(F.struct("file_row", "value"))), lambda line: line["value"])
    return (
        # A window over a window is two sorts unless the first has a name of its own.
        lines.withColumn("number", F.count_if("begins").over(up_to(0)) - 1)
        .groupBy(*FILE_COLUMNS, "number")
        .agg(F.min("file_row").alias("file_row"), F.array_join(texts, "\n").alias("content"))
    )
