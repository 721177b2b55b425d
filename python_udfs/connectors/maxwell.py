"""Maxwell's messages (docs/feeds/maxwell.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors import message_files
from python_udfs.connectors import message_reading as M
from spark_files.capabilities import try_cast

OPERATIONS = {"bootstrap-insert": "L", "insert": "I", "update": "U", "delete": "D"}
SET_ASIDE = {
    "bootstrap-start": "bootstrap",
    "bootstrap-complete": "bootstrap",
    "table-create": "ddl",
    "table-alter": "ddl",
    "table-drop": "ddl",
    "database-create": "ddl",
    "database-alter": "ddl",
    "database-drop": "ddl",
}
_EXPECTED = 'one JSON object {"database": ..., "table": ..., "type": ..., "ts": ..., "data": {...}}'
_SCHEMA = (
    "database string, table string, type string, ts string, xid string, xoffset string, commit string, "
    f"position string, data {M.VALUES}, old {M.VALUES}"
)
_BINLOG = r"^.*\.([0-9]{1,10}):([0-9]{1,20})$"
_LAST = "9" * 10

file_rules = message_files.file_rules
spans_lines = M.never_spans_lines


def read_rows(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """The rows of Maxwell's messages; schema changes and the marks of a bootstrap are set aside.

    Order (order.md): binlog file, position in it and number in the transaction, the row that commits last. Without
    these, the offset in the sink's name, else the second, the transaction and the number in it.

    Args:
        lines: a row per line, which is a message: `FILE_COLUMNS`, file_row (bigint, from 0) and value (string).
        feed: `columns`; values come as they are wanted, and binary ones in base64.

    Returns:
        `RESULT_COLUMNS`; a message is a row.
    """
    message = F.col("message")
    frame = (
        M.one_per_line(lines)
        .withColumn("message", M.parsed(F.col("content"), _SCHEMA))
        .withColumns(
            {
                "set_aside": F.coalesce(
                    F.when(M.is_empty(F.col("content")), F.lit("empty")), M.translated(message["type"], SET_ASIDE)
                ),
                "types": M.types_of_table(feed, message["database"], message["table"]),
                "key_names": M.key_of_table(feed, message["database"], message["table"]),
            }
        )
        .withColumn("decoded_data", M.decoded(message["data"], _decode))
        .withColumn("decoded_old", M.decoded(message["old"], _decode))
        .withColumns(
            {
                "after_image": M.needed_of_delete(
                    F.col("decoded_data"), message["type"] == "delete", F.col("key_names")
                ),
                "before_image": M.needed_of_before(F.col("decoded_old"), F.col("key_names")),
            }
        )
    )
    is_row = F.col("set_aside").isNull()
    is_known = message["type"].isin(*OPERATIONS)
    wrong = [
        *M.missing({name: message[name] for name in ("database", "table", "type", "ts")}),
        F.when(is_known & message["data"].isNull(), F.lit("data: received nothing")),
        M.untimely("ts", message["ts"], _time(), "seconds since 1970"),
        M.unlike("xid", message["xid"], "^[0-9]{1,20}$", "a natural number"),
        M.unlike("xoffset", message["xoffset"], "^[0-9]{1,10}$", "a natural number"),
        M.unlike("position", message["position"], _BINLOG, "a binlog file and a position such as mysql-bin.000001:4"),
    ]
    frame = frame.withColumn(
        "malformed", F.when(is_row, M.malformed(_EXPECTED, wrong, F.col("after_image"), F.col("before_image")))
    )
    is_good = is_row & F.col("malformed").isNull()
    return frame.withColumns(
        {
            "source_schema": F.when(is_row, message["database"]),
            "source_table": F.when(is_row, message["table"]),
            "kind": F.when(is_row, F.when(_is_load(), F.lit("load")).otherwise(F.lit("change"))),
            "operation": F.when(is_row, F.coalesce(M.translated(message["type"], OPERATIONS), message["type"])),
            "committed_at": _time(),
            "position": F.when(is_row, _position()),
            "image": F.when(is_good, M.texts(F.col("after_image"))),
            "before": F.when(is_good & (message["type"] == "update"), M.texts(F.col("before_image"))),
            "unavailable": F.lit(None).cast("array<string>"),
        }
    ).select(*M.RESULT_COLUMNS)


def _decode(name: Column, value: Column) -> tuple[Column, Column]:
    is_binary = F.coalesce(F.col("types")[F.lower(name)], F.lit("")) == "binary"
    is_wrong = is_binary & F.try_to_binary(value, F.lit("base64")).isNull()
    return value, F.when(is_wrong, M.received(value, "base64"))


def _is_load() -> Column:
    return F.coalesce(F.col("message.type") == "bootstrap-insert", F.lit(False))


def _time() -> Column:
    """Rows have seconds and schema changes milliseconds (docs/feeds/maxwell.md, What Maxwell sends)."""
    ts = try_cast(F.col("message.ts"), "bigint")
    is_schema_change = F.coalesce(F.col("set_aside") == "ddl", F.lit(False))
    return M.time_of(F.try_multiply(ts, F.when(is_schema_change, 1000).otherwise(1_000_000)))


def _position() -> Column:
    file, offset = (F.regexp_extract("message.position", _BINLOG, group) for group in (1, 2))
    in_binlog = F.col("message.position").isNotNull() & ~_is_load()
    by_time = ~in_binlog & ~M.in_sink()
    commits = F.coalesce(F.col("message.commit") == "true", F.lit(False))
    row = F.when(commits, F.lit(_LAST)).otherwise(F.col("message.xoffset"))
    return F.concat_ws(
        ".",
        M.digits(F.when(in_binlog, file).when(by_time, F.unix_seconds(_time()).cast("string")), 10),
        M.digits(F.when(in_binlog, offset).when(by_time, F.col("message.xid")), 20),
        M.digits(F.when(in_binlog | by_time, row), 10),
        M.sink_position(~in_binlog | row.isNull()),
    )
