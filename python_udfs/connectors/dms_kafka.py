"""AWS DMS messages for Kafka and Kinesis (docs/feeds/dms_kafka.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors import message_files
from python_udfs.connectors import message_reading as M
from python_udfs.metadata.names import quoted
from spark_files.capabilities import try_cast

OPERATIONS = {"load": "L", "insert": "I", "update": "U", "delete": "D"}
_EXPECTED = 'one JSON object {"data": {...}, "metadata": {...}}'
_SCIENTIFIC = r"^[+-]?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+$"
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})$"
_INTEGERS = ("tinyint", "smallint", "int", "bigint")


file_rules = message_files.file_rules


def spans_lines(feed: Mapping[str, Any]) -> str:
    """A condition in SQL on the column `value` of a line: a message may continue on it."""
    return M.CONTINUES


def read_rows(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """The rows that data records carry; control records are set aside.

    Order (order.md): commit time and offset if the task writes transaction details, else the offset in the
    sink's name. If no offset is known: commit time, transaction and record, else the time at which DMS made the
    message. Load rows have no transaction.

    Args:
        lines: a row per line: `FILE_COLUMNS`, file_row (bigint, from 0) and value (string). A message may go over
            several lines.
        feed: `columns`, `absent_columns` (`null` or `keep`), `before_image_field`, `before_image_prefix` (or None) and
            `to_join` (see `joined`).

    Returns:
        `RESULT_COLUMNS`; file_row is the first line of the message, which holds one row.
    """
    field, prefix = feed["before_image_field"], feed["before_image_prefix"]
    schema = f"data {M.VALUES}, metadata {M.VALUES}, {quoted(field)} {M.VALUES}"
    metadata = {
        name: F.col("message.metadata")[name]
        for name in (
            "record-type",
            "operation",
            "schema-name",
            "table-name",
            "timestamp",
            "commit-timestamp",
            "transaction-id",
            "transaction-record-id",
        )
    }
    data = F.col("message.data")
    frame = (
        M.over_lines(lines, feed)
        .withColumn("message", M.parsed(F.col("content"), schema))
        .withColumns(
            {
                "set_aside": F.when(M.is_empty(F.col("content")), F.lit("empty")).when(
                    metadata["record-type"] == "control", F.lit("control")
                ),
                "meta_schema": metadata["schema-name"],
                "meta_table": metadata["table-name"],
                "meta_operation": metadata["operation"],
                "made_at": _time(metadata["timestamp"]),
                "meta_at": _time(metadata["commit-timestamp"]),
                "transaction": metadata["transaction-id"],
                "record": metadata["transaction-record-id"],
                "types": M.types_of_table(feed, metadata["schema-name"], metadata["table-name"]),
                "key_names": M.key_of_table(feed, metadata["schema-name"], metadata["table-name"]),
            }
        )
        .withColumn("decoded_data", M.decoded(data if not prefix else _without(data, prefix), _decode))
    )
    before = F.col(f"message.{quoted(field)}")
    is_delete = F.col("meta_operation") == "delete"
    frame = frame.withColumn(
        "decoded_before", M.decoded(F.coalesce(before, _select_prefixed(data, prefix)) if prefix else before, _decode)
    ).withColumns(
        {
            "after_image": M.needed_of_delete(F.col("decoded_data"), is_delete, F.col("key_names")),
            # Of a delete there is nothing to know from before it.
            "before_image": M.needed_of_before(F.when(~is_delete, F.col("decoded_before")), F.col("key_names")),
        }
    )

    is_row = F.col("set_aside").isNull()
    is_known = F.col("meta_operation").isin(*OPERATIONS)
    wrong = [
        *M.missing({name: metadata[name] for name in ("record-type", "operation", "schema-name", "table-name")}),
        M.unlike("record-type", metadata["record-type"], "^data$", "data or control"),
        F.when(is_known & data.isNull(), F.lit("data: received nothing")),
        *(
            M.untimely(name, F.nullif(metadata[name], F.lit("")), F.col(time), "a time such as 2024-01-31T23:00:00Z")
            for name, time in (("timestamp", "made_at"), ("commit-timestamp", "meta_at"))
        ),
        *(
            M.unlike(name, metadata[name], "^[0-9]{1,20}$", "a natural number")
            for name in ("transaction-id", "transaction-record-id")
        ),
    ]
    kind = F.when(F.col("meta_operation") == "load", F.lit("load")).otherwise(F.lit("change"))
    frame = frame.withColumn(
        "malformed", F.when(is_row, M.malformed(_EXPECTED, wrong, F.col("after_image"), F.col("before_image")))
    )
    is_good = is_row & F.col("malformed").isNull()
    return frame.withColumns(
        {
            "source_schema": F.when(is_row, F.col("meta_schema")),
            "source_table": F.when(is_row, F.col("meta_table")),
            "kind": F.when(is_row, kind),
            "operation": F.when(
                is_row, F.coalesce(M.translated(F.col("meta_operation"), OPERATIONS), "meta_operation")
            ),
            "committed_at": F.when(is_row, F.coalesce("meta_at", "made_at")),
            "position": F.when(is_row, _position()),
            "image": F.when(is_good, _image(feed, is_delete)),
            "before": F.when(is_good & (F.col("meta_operation") == "update"), M.texts(F.col("before_image"))),
            "unavailable": F.lit(None).cast("array<string>"),
        }
    ).select(*M.RESULT_COLUMNS)


def _time(text: Column) -> Column:
    """Section 2: with a zone. Spark would complete half a time, and take one without a zone for UTC."""
    return M.time_of(F.when(text.rlike(_MOMENT), F.unix_micros(try_cast(text, "timestamp"))))


def _without(values: Column, prefix: str) -> Column:
    return F.map_filter(values, lambda name, _: ~_is_before(name, prefix))


def _select_prefixed(values: Column, prefix: str) -> Column:
    """The before images among the values, under the names of their columns; NULL if there are none."""
    carried = F.map_filter(values, lambda name, _: _is_before(name, prefix))
    names = F.transform(F.map_keys(carried), lambda name: F.substr(name, F.lit(len(prefix) + 1)))
    is_twice = F.size(F.array_distinct(names)) < F.size(names)
    # A map with a name twice fails the whole query; left as it is, it is only this row's problem.
    return F.when(is_twice, carried).when(F.size(carried) > 0, F.map_from_arrays(names, F.map_values(carried)))


def _is_before(name: Column, prefix: str) -> Column:
    return F.startswith(F.lower(name), F.lit(prefix.lower()))


def _decode(name: Column, value: Column) -> tuple[Column, Column]:
    """Binary as base64, integers without an exponent; a number that DMS has rounded is a problem (dms_kafka.md)."""
    type_ = F.coalesce(F.col("types")[F.lower(name)], F.lit(""))
    is_integer, is_binary = type_.isin(*_INTEGERS), type_ == "binary"
    is_scientific = (is_integer | type_.startswith("decimal")) & value.rlike(_SCIENTIFIC)
    significant = F.length(F.regexp_replace(F.substring_index(F.lower(value), "e", 1), "[^0-9]", ""))
    # A double, which such a number once was, holds fifteen digits of any number.
    number = try_cast(value, "double")
    is_rounded = (significant > 15) | (F.abs(number) >= F.lit(1e15))
    is_hex = value.rlike("^(?:0[xX])?(?:[0-9a-fA-F]{2})*$")
    text = (
        F.when(is_binary & is_hex, F.base64(F.unhex(F.regexp_replace(value, "^0[xX]", ""))))
        .when(is_integer & is_scientific & (number == F.rint(number)), try_cast(number, "bigint").cast("string"))
        .otherwise(value)
    )
    problem = F.when(is_binary & ~is_hex, M.received(value, "hexadecimal digits, two for each byte")).when(
        is_scientific & is_rounded, M.received(value, "all digits: with an exponent, those after the 15th are lost")
    )
    return text, problem


def _image(feed: Mapping[str, Any], is_delete: Column) -> Column:
    """The values. A delete needs its whole key, of which DMS leaves out what is NULL or empty."""
    image = M.texts(F.col("after_image"))
    if feed["absent_columns"] == "keep":
        return image
    present = F.transform(F.map_keys(F.col("decoded_data")), F.lower)
    absent = F.filter("key_names", lambda name: ~F.array_contains(present, name))
    nulls = F.map_from_arrays(absent, F.transform(absent, lambda _: F.lit(None).cast("string")))
    return F.when(is_delete & (F.size(absent) > 0), F.map_concat(image, nulls)).otherwise(image)


def _position() -> Column:
    """Commit time, and what orders changes of one time: the topic's offset, or without one transaction and record.

    Nothing shows that the numbers of transactions grow: PostgreSQL's wrap, and commits do not follow them. Nines follow
    the numbers that rows of one time had in earlier versions of the project.
    """
    is_complete = F.col("meta_at").isNotNull() & F.col("transaction").isNotNull() & F.col("record").isNotNull()
    time = F.when(is_complete, F.unix_micros("meta_at")).when(~M.in_sink(), F.unix_micros("made_at"))
    return F.concat_ws(
        ".",
        M.digits(time, 17),
        *(
            M.digits(F.when(is_complete, F.when(M.in_sink(), F.lit("9" * 20)).otherwise(F.col(name))), 20)
            for name in ("transaction", "record")
        ),
        M.sink_position(~is_complete),
    )
