"""The offset of a message in its topic, as SQL over its file (docs/feeds/order.md). Needs no Spark."""

from __future__ import annotations

import re

from python_udfs.connectors.file_names import NAME, SINK_FILE, sql_text

# Rows of a message are numbered within its line: file_row is the line times this, plus the number.
ROWS_PER_LINE = {"canal": 100_000}
_SINK_FILE = re.compile(SINK_FILE)


def offset_sql(connector: str, file_key: str, file_row: str) -> str:
    """The offset of a message: that of its file's first one and its line, or of Kafka itself the row.

    Args:
        connector: name of the connector.
        file_key: SQL of the file's path under the location of its feed.
        file_row: SQL of the row's number.

    Returns:
        SQL of a bigint, null if the name of the file is not one of a sink (`SINK_FILE`).
    """
    pattern = sql_text(SINK_FILE)
    line = f"{file_row} div {ROWS_PER_LINE[connector]}" if connector in ROWS_PER_LINE else file_row
    first = f"coalesce(try_cast(regexp_extract({file_key}, {pattern}, 3) as bigint), 0)"
    return f"if({file_key} rlike {pattern}, {first} + {line}, null)"


def partition_sql(file_key: str) -> str:
    """SQL of a text that all files of one topic's partition share; of other files, and of Kafka itself, the path."""
    name = NAME.replace("file_key", file_key)
    return f"if({file_key} like '%+%+%', substring_index({name}, '+', 2), {file_key})"


def share_partition(first: str, last: str) -> bool:
    """Whether all files between two paths, as texts are sorted, are of one topic's partition.

    Args:
        first: the least path under the feed's location.
        last: the greatest one.
    """
    of_sink = _SINK_FILE.search(first) and _SINK_FILE.search(last)
    return first == last or bool(of_sink and "+" in first and first.rpartition("+")[0] == last.rpartition("+")[0])
