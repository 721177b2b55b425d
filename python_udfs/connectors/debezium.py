"""Debezium's messages as lines of JSON (docs/contracts.md sections 3 and 4)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from python_udfs.connectors import message_files
from python_udfs.connectors import message_reading as M
from python_udfs.connectors.file_names import SINK_FILE
from python_udfs.connectors.lines import FILE_COLUMNS

OPERATIONS = {"c": "I", "u": "U", "d": "D", "t": "T", "r": "L"}
# The fields of the source block that are used here (section 3.2).
POSITION = ("file", "pos", "row", "lsn", "sequence", "scn", "commit_scn", "ssn")
SOURCE = ("snapshot", "schema", "db", "table", "ts_ms", "ts_us", *POSITION)
# The fields that flattening adds to the columns of the table (section 3.3).
METADATA = (
    "^__(?:source_.*|transaction_.*|deleted|op|ts_ms|ts_us|ts_ns|version|connector|name|snapshot|db|schema|table|sequence"
    "|server_id|gtid|file|pos|row|thread|query|txId|lsn|xmin|origin|origin_lsn|scn|commit_scn|lcr_position|rs_id|ssn"
    "|redo_thread|user_name|redo_sql|row_id|commit_ts_ms|start_scn|start_ts_ms|txSeq)$"
)

DECIMAL, BITS = "org.apache.kafka.connect.data.Decimal", "io.debezium.data.Bits"
# The schema name of a column's type, and the rule by which its value is read (section 3.4).
RULES = {
    "io.debezium.time.Date": "days",
    "org.apache.kafka.connect.data.Date": "days",
    "io.debezium.time.IsoDate": "date",
    "io.debezium.time.Time": "time_ms",
    "org.apache.kafka.connect.data.Time": "time_ms",
    "io.debezium.time.MicroTime": "time_us",
    "io.debezium.time.NanoTime": "time_ns",
    "io.debezium.time.ZonedTime": "time",
    "io.debezium.time.IsoTime": "time",
    "io.debezium.time.Timestamp": "ms",
    "org.apache.kafka.connect.data.Timestamp": "ms",
    "io.debezium.time.MicroTimestamp": "us",
    "io.debezium.time.NanoTimestamp": "ns",
    "io.debezium.time.ZonedTimestamp": "timestamp",
    "io.debezium.time.IsoTimestamp": "timestamp",
    DECIMAL: "decimal",
    "io.debezium.data.VariableScaleDecimal": "scaled",
    BITS: "bits",
}
# What the values of a rule look like, for the reason why one of them cannot be read.
EXPECTED = {
    "days": "a number of days since 1970-01-01, in the years 1 to 9999",
    "date": "a date yyyy-MM-dd or a number of days since 1970-01-01, in the years 1 to 9999",
    "time_ms": "a number of milliseconds",
    "time_us": "a number of microseconds",
    "time_ns": "a number of nanoseconds",
    "ms": "milliseconds since 1970-01-01, in the years 1 to 9999",
    "us": "microseconds since 1970-01-01, in the years 1 to 9999",
    "ns": "nanoseconds since 1970-01-01",
    "timestamp": "an ISO time in the years 1 to 9999, or a number since 1970-01-01 whose size shows the unit",
    "decimal": "base64 of a whole number of at most 38 digits, and its scale in the message's schema or in cdc_columns",
    "scaled": "a scale and base64 of a whole number of at most 38 digits",
    "number": "a decimal number",
    "bits": "base64 of at most 8 bytes",
    "base64": "base64",
    "base64url": "base64 as it is written in URLs",
    "hex": "hexadecimal digits",
}
INTEGERS = ("tinyint", "smallint", "int", "bigint")
NUMBER = r"^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$"
SCALED = r'^\{"scale":-?\d+,"value":"[^"]*"\}$'

TIMESTAMP = "yyyy-MM-dd HH:mm:ss.SSSSSS"
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
FIRST_TIMESTAMP, LAST_TIMESTAMP = f"{FIRST_DAY} 00:00:00.000000", f"{LAST_DAY} 23:59:59.000000"
DAYS = (-719_162, 2_932_896)  # from the first day to the last
MICROS_OF_DAY = 86_400_000_000
# What PostgreSQL's infinity becomes in milli-, micro- and nanoseconds, and in days; versions of Debezium differ.
MINUS_INFINITY = (-9_223_372_036_832_400, -9_223_372_036_832_400_000, -(2**63))
PLUS_INFINITY = (9_223_372_036_825_200, 9_223_372_036_825_200_000, 2**63 - 1)
MINUS_INFINITE_DAYS = (-2_147_472_692, -(2**31))
PLUS_INFINITE_DAYS = (2_146_033_979, -2_147_472_693, 2**31 - 1)
MINUS_INFINITY_TEXT = r"^(?:-infinity|-(?:290308|292275055|5877611)-.*)$"
PLUS_INFINITY_TEXT = r"^(?:infinity|\+(?:294247|292278994|5877611)-.*)$"

_COLUMN = "field string, type string, name string, parameters map<string, string>"
_SCHEMA = f"array<struct<{_COLUMN}, fields array<struct<{_COLUMN}>>>>"
_OBJECT = "map<string, variant>"
_ZERO = "0" * 20
_TOMBSTONE = r'^\s*(?:null|\{\s*"schema"\s*:\s*null\s*,\s*"payload"\s*:\s*null\s*\})?\s*$'

file_rules = message_files.file_rules
spans_lines = M.never_spans_lines


def rows(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """The changes that messages report, their values as text (docs/contracts.md sections 3, 4 and 6.1).

    A position is three numbers of 20 digits and a last digit: for MySQL and MariaDB the binary log (4 digits for its
    base name, 16 for its number), the position in it and the row; for PostgreSQL the last commit, the LSN and 0; for
    Oracle the commit SCN, the SCN and the SSN. Where the message has none of them: topic partition, offset and 0, or
    zeros if the name of the file is not the sink's. The last digit is 1 for a row of an incremental snapshot, which
    follows the change at whose position it was read.

    Args:
        lines: a row per line: path, file_key (string), file_time, modified_at (timestamp), batch_id, file_row
            (bigint, from 0) and value (string); flattened from Kafka also key (string).
        feed: `form`, `decimals`, `binary`, `unavailable_value` and `binlog_names` (seeds/_seeds.yml), and `columns`:
            Spark type by column, by (schema, table).

    Returns:
        path, file_key, file_time, modified_at, batch_id, file_row and content (the line); source_schema,
        source_table, set_aside, kind, operation, position and malformed (string), committed_at (timestamp), image and
        before (map of string to string), unavailable (array of string).
    """
    if feed.get("tombstones") == "delete":
        lines = _with_deletions(lines)
    messages = _messages(lines, feed["form"])
    ordered = _ordered(messages, tuple(name for name in feed["binlog_names"].split("|") if name))
    return _with_values(ordered, feed).select(*M.RESULT_COLUMNS)


def _in_steps(frame: DataFrame, steps: Iterable[dict[str, Column]]) -> DataFrame:
    """Adds columns. Spark analyses the whole plan at each step: a step has all columns that need none of the others."""
    for columns in steps:
        frame = frame.withColumns(columns)
    return frame


# Messages ------------------------------------------------------------------------------------------------------------


def _with_deletions(lines: DataFrame) -> DataFrame:
    """Tombstones that have a key, as the deletes of their rows: the key is the message, and is_deletion is true."""
    is_tombstone = F.col("value").rlike(_TOMBSTONE) & ~F.col("key").rlike(_TOMBSTONE)
    return lines.withColumn("is_deletion", is_tombstone).withColumn(
        "value", F.when(F.col("is_deletion"), F.col("key")).otherwise(F.col("value"))
    )


def _messages(lines: DataFrame, form: str) -> DataFrame:
    """The content of each line, in the words of the envelope: op, source, new and old (column to value) and fields."""
    bodies = _opened(lines, "value")
    has_key = "key" in lines.columns
    if has_key:
        bodies = _opened(bodies, "key", "key_")
    return bodies.select(*FILE_COLUMNS, "file_row", *_of_message(form, has_key, "is_deletion" in lines.columns))


@M.kept
def _of_message(form: str, has_key: bool, has_deletions: bool) -> list[Column]:
    columns = _of_envelope() if form == "envelope" else _of_flattened(has_key, has_deletions)
    return [
        F.col("value").alias("content"),
        _set_aside().alias("set_aside"),
        F.map_keys("body").alias("keys"),
        *(column.alias(name) for name, column in columns.items()),
    ]


def _opened(lines: DataFrame, text: str, prefix: str = "") -> DataFrame:
    """Adds top, is_wrapped, body and schema of a message, each with the prefix: its objects and the fields of both."""
    return _in_steps(lines, _opened_columns(text, prefix))


@M.kept
def _opened_columns(text: str, prefix: str) -> list[dict[str, Column]]:
    json, top, is_wrapped = f"{prefix}json", f"{prefix}top", f"{prefix}is_wrapped"
    # Between brackets, text behind the message is an error.
    parsed = F.try_parse_json(F.concat(F.lit("["), text, F.lit("]")))
    wraps = _has_two_keys(top) & (F.try_variant_get(json, "$[0].schema.type", "string") == "struct")
    payload = F.try_variant_get(json, "$[0].payload", _OBJECT)
    is_alone = F.try_variant_get(json, "$[1]", "variant").isNull()
    fields = F.try_variant_get(json, "$[0].schema.fields", _SCHEMA)
    return [
        {json: parsed},
        {top: F.when(is_alone, F.try_variant_get(json, "$[0]", _OBJECT))},
        {is_wrapped: F.coalesce(wraps, F.lit(False))},
        {
            f"{prefix}body": F.when(F.col(is_wrapped), payload).otherwise(F.col(top)),
            f"{prefix}schema": F.when(F.col(is_wrapped), fields),
        },
    ]


def _has_two_keys(top: str) -> Column:
    """Whether a message has a payload and a schema, and nothing else."""
    return F.array_sort(F.map_keys(top)) == F.array(F.lit("payload"), F.lit("schema"))


def _set_aside() -> Column:
    """A word for what is no row of a table, known by the keys of the message (docs/contracts.md section 3.5)."""

    def has(*names: str) -> Column:
        return F.size(F.array_except(F.array(*map(F.lit, names)), F.map_keys("body"))) == 0

    times = F.array(*map(F.lit, ("ts_ms", "ts_us", "ts_ns")))
    is_empty = F.col("value").isNull() | F.col("value").rlike(r"^\s*(?:null)?\s*$")
    without_schema = F.col("is_wrapped") | _value("top", "schema").isNull()
    return (
        F.when(is_empty | (_has_two_keys("top") & without_schema & _value("top", "payload").isNull()), "tombstone")
        .when(has("ts_ms") & (F.size(F.array_except(F.map_keys("body"), times)) == 0), "heartbeat")
        .when(
            has("id", "event_count", "data_collections") & _value("body", "status").isin("BEGIN", "END"), "transaction"
        )
        .when(has("source", "databaseName", "ddl", "tableChanges"), "schema_change")
        .when(has("source", "message") & (_value("body", "op") == "m"), "message")
    )


def _value(objects: str, key: str, data_type: str = "string") -> Column:
    """The value of a key; NULL if there is none or it is of another type."""
    return F.try_variant_get(F.element_at(objects, F.lit(key)), "$", data_type)


def _of_envelope() -> dict[str, Column]:
    source = _value("body", "source", "map<string, string>")
    op = _value("body", "op")
    before, after = _value("body", "before", _OBJECT), _value("body", "after", _OBJECT)
    return {
        "op": op,
        "source": F.struct(*(F.element_at(source, F.lit(name)).alias(name) for name in SOURCE)),
        "has_positions": F.lit(True),
        "new": F.when(op == "d", before).when(op != "t", after),
        "old": F.when(op == "u", before),
        "fields": F.get(F.filter("schema", lambda field: field["field"] == "after"), F.lit(0))["fields"],
    }


def _of_flattened(has_key: bool, deletes_by_key: bool) -> dict[str, Column]:
    """`add.fields` asks for `source.lsn` or, shorter, `lsn`; a table that it does not ask for is named by the topic.

    Columns that only the key of the message has come from there. A delete by its key has no position but its offset:
    then no message has another one.
    """
    source = {name: F.coalesce(_value("body", f"__source_{name}"), _value("body", f"__{name}")) for name in SOURCE}
    topic = F.split(F.regexp_extract("file_key", SINK_FILE, 1), r"\.")
    source["schema"] = F.coalesce(source["schema"], source["db"], F.get(topic, F.size(topic) - 2))
    source["table"] = F.coalesce(source["table"], F.when(F.size(topic) > 1, F.get(topic, F.size(topic) - 1)))
    is_deleted = F.lower(_value("body", "__deleted")) == "true"
    op = F.when(is_deleted, "d").otherwise(_value("body", "__op"))
    has_positions = F.exists(F.map_keys("body"), lambda key: key.rlike("^__(?:source_)?(?:file|lsn|scn)$"))
    if deletes_by_key:
        op, has_positions = F.when(F.col("is_deletion"), "d").otherwise(op), F.lit(False)
        source |= {name: F.lit(None).cast("string") for name in POSITION}
    new, fields = F.map_filter("body", lambda key, _: ~key.rlike(METADATA)), _columns_of("schema")
    if has_key:
        new, fields = _with_key(new, fields)
    return {
        "op": op,
        "source": F.struct(*(column.alias(name) for name, column in source.items())),
        "has_positions": has_positions,
        "new": F.when(op.isNull() | (op != "t"), new),
        "old": F.lit(None).cast(_OBJECT),
        "fields": fields,
    }


def _with_key(new: Column, fields: Column) -> tuple[Column, Column]:
    """Columns and their types with those of the key that the value lacks; a name that begins with __ is no column."""
    names = F.transform(F.map_keys(new), F.lower)

    def is_missing(name: Column) -> Column:
        return ~name.startswith("__") & ~F.array_contains(names, F.lower(name))

    of_key = F.map_filter("key_body", lambda name, _: is_missing(name))
    missing = F.filter(_columns_of("key_schema"), lambda field: is_missing(field["field"]))
    with_key = F.when(F.size(of_key) > 0, F.map_concat(of_key, new)).otherwise(new)
    return with_key, F.when(F.size(missing) > 0, F.concat(fields, missing)).otherwise(fields)


def _columns_of(schema: str) -> Column:
    return F.transform(
        schema, lambda field: F.struct(*(field[name].alias(name) for name in ("field", "type", "name", "parameters")))
    )


# Positions -----------------------------------------------------------------------------------------------------------


def _ordered(messages: DataFrame, binlog_names: tuple[str, ...]) -> DataFrame:
    """Adds position, and misplaced: why the source's own position cannot be understood (section 6.1)."""
    if binlog_names:
        messages = messages.withColumn("binlogs", F.array(*map(F.lit, binlog_names)))
    else:
        source, log_name = F.col("source"), _log_name()
        # By first appearance in these lines; the text is searched first, so that other sources are not parsed twice.
        found = messages.where(F.col("content").contains('file"')).where(log_name.isNotNull())
        named = found.groupBy(log_name.alias("name")).agg(F.min(source["ts_ms"].try_cast("bigint")).alias("at"))
        ordered = F.transform(F.array_sort(F.collect_list(F.struct("at", "name"))), lambda one: one["name"])
        messages = messages.crossJoin(F.broadcast(named.agg(ordered.alias("binlogs"))))
    return _in_steps(messages, _position_columns(binlog_names))


def _log_name() -> Column:
    return F.nullif(F.regexp_extract(F.col("source")["file"], r"^(.+)\.\d{1,16}$", 1), F.lit(""))


@M.kept
def _position_columns(binlog_names: tuple[str, ...]) -> list[dict[str, Column]]:
    source, log_name = F.col("source"), _log_name()
    last_commit = F.nullif(F.get_json_object(source["sequence"], "$[0]"), F.lit("null"))
    # A connector that has just started knows no commit. Row locks make a change of a key follow the commits of its
    # earlier changes, so its own LSN is greater than theirs.
    own_commit = F.coalesce(last_commit, F.when(source["sequence"].isNotNull(), source["lsn"]))
    numbers = {name: source[name] for name in ("pos", "row", "lsn", "scn", "commit_scn", "ssn")}
    wrong = [
        F.when(
            number.isNotNull() & ~number.rlike(r"^\d{1,20}$"),
            F.concat(F.lit(f"source {name}: received "), _shown(number), F.lit(", expected a whole number")),
        )
        for name, number in {**numbers, "sequence": last_commit}.items()
    ]
    wrong.append(
        F.when(
            source["file"].isNotNull() & (F.coalesce(F.array_position("binlogs", log_name), F.lit(0)) == 0),
            F.concat(
                F.lit("source file: received "),
                _shown(source["file"]),
                F.lit(f", expected {' or '.join(binlog_names) or 'a name'}, a point and a number"),
                F.lit("; a new name is added at the end of the option binlog_names" if binlog_names else ""),
            ),
        )
    )
    epoch = F.lpad((F.array_position("binlogs", log_name) - 1).cast("string"), 4, "0")
    binlog = F.concat(epoch, F.lpad(F.regexp_extract(source["file"], r"\.(\d+)$", 1), 16, "0"))
    own = (
        F.when(source["file"].isNotNull(), F.concat(binlog, _number(source["pos"]), _number(source["row"])))
        .when(
            source["scn"].isNotNull() | source["commit_scn"].isNotNull(),
            F.concat(_number(source["commit_scn"]), _number(source["scn"]), _number(source["ssn"])),
        )
        .when(source["lsn"].isNotNull(), F.concat(_number(own_commit), _number(source["lsn"]), F.lit(_ZERO)))
        # A row of an incremental snapshot has no LSN of its own: it follows all that came after the last commit.
        .when(last_commit.isNotNull(), F.concat(_number(last_commit), F.lit("9" * 20 + _ZERO)))
    )
    is_of_sink = F.col("file_key").rlike(SINK_FILE)
    folder = F.regexp_replace("file_key", r"[^/]*$", "")
    topic_partition = F.concat_ws("+", *(F.regexp_extract("file_key", SINK_FILE, part) for part in (1, 2)))
    offset = F.when(is_of_sink, M.first_offset() + F.col("file_row"))
    by_arrival = Window.partitionBy(F.when(is_of_sink, topic_partition).otherwise(folder)).orderBy(
        offset.asc_nulls_first(), "file_key", "file_row"
    )
    earlier = by_arrival.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    is_incremental = F.coalesce((F.col("op") == "r") & (source["snapshot"] == "incremental"), F.lit(False))
    of_sink = F.concat(
        _number(F.regexp_extract("file_key", SINK_FILE, 2)), _number(offset.cast("string")), F.lit(_ZERO)
    )
    return [
        {"misplaced": F.concat_ws("; ", *wrong), "is_incremental": is_incremental, "own": own},
        {"reached": F.max(F.when(~F.col("is_incremental"), F.col("own"))).over(earlier)},
        {
            "position": F.concat(
                F.coalesce(
                    "own",
                    F.when(F.col("is_incremental") & F.col("has_positions"), F.coalesce("reached", F.lit(_ZERO * 3))),
                    F.when(is_of_sink, of_sink),
                    F.lit(_ZERO * 3),
                ),
                F.when(F.col("is_incremental"), "1").otherwise("0"),
            )
        },
    ]


def _number(text: Column) -> Column:
    return M.digits(text, 20)


def _shown(text: Column) -> Column:
    """A received text as a part of one line: `'abc'`."""
    short = F.when(F.length(text) > 80, F.concat(F.left(text, F.lit(80)), F.lit("…"))).otherwise(text)
    return F.concat(F.lit("'"), F.regexp_replace(short, r"\s+", " "), F.lit("'"))


# Changes -------------------------------------------------------------------------------------------------------------


def _with_values(messages: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """Adds tables, operations and values, and what is wrong with them."""
    types = M.types_of_table(feed, F.col("source_schema"), F.col("source_table"))
    first, second, *others = _change_columns(feed["form"], feed["decimals"], feed["binary"], feed["unavailable_value"])
    return _in_steps(messages, [first, {**second, "types": types}, *others])


@M.kept
def _change_columns(form: str, decimals: str, binary: str, unavailable_value: str) -> list[dict[str, Column]]:
    schema, table = F.nullif(F.col("source.schema"), F.lit("")), F.nullif(F.col("source.table"), F.lit(""))
    if form == "envelope":
        # MySQL's schemas are databases.
        schema = F.coalesce(schema, F.nullif(F.col("source.db"), F.lit("")))
    changed = F.map_filter(
        "old",
        # Only what changed is read: most messages repeat whole rows.
        lambda name, value: ~value.cast("string").eqNullSafe(F.element_at("new", name).cast("string")),
    )
    committed_at = M.time_of(
        F.coalesce(
            F.col("source.ts_us").try_cast("bigint"),
            F.try_multiply(F.col("source.ts_ms").try_cast("bigint"), F.lit(1000)),
        )
    )
    is_news = F.col("set_aside").isNull()
    named = F.filter("fields", lambda field: field["field"].isNotNull())
    names = F.transform("named", lambda field: field["field"])
    by_name = F.map_from_entries(F.transform("named", lambda field: F.struct(field["field"], field)))
    is_unavailable = F.filter("values", lambda one: ~one["is_old"] & (one["rule"] == "unavailable"))
    unavailable = F.transform(is_unavailable, lambda one: one["name"])
    operation = F.coalesce(M.translated(F.col("op"), OPERATIONS), "op")
    if form == "flattened":
        # Inserted or not, a message without an op is a whole row, or what an update left of one.
        whole_or_not = F.when(F.size("unavailable") > 0, "U").otherwise("I")
        operation = F.coalesce(operation, whole_or_not)
    operation = F.when(is_news, F.when(F.col("is_incremental"), "I").otherwise(operation))
    kind = F.when(F.col("operation") == "L", "load").when(F.col("operation") == "T", "truncate").otherwise("change")
    is_readable = ~F.col("has_column_twice") & ~F.col("has_nameless") & ~F.col("has_field_twice")
    return [
        {
            "source_schema": F.when(is_news, schema),
            "source_table": F.when(is_news, table),
            "named": named,
            "changed": F.when(is_news, changed),
            "new": F.when(is_news, F.col("new")),
        },
        {
            "has_field_twice": _has_twice(names),
            "columns": F.array_compact(F.array(F.map_keys("new"), F.map_keys("changed"))),
        },
        {
            # A map with a name twice fails the whole query.
            "by_name": F.when(~F.col("has_field_twice"), by_name),
            "has_column_twice": F.exists("columns", lambda names: _has_twice(F.transform(names, F.lower))),
            "has_nameless": F.exists("columns", lambda names: F.array_contains(names, F.lit(""))),
        },
        {"values": _values(decimals, binary, unavailable_value)},
        {
            "unavailable": F.when(F.size(unavailable) > 0, unavailable),
            "is_readable": is_readable,
            "committed_at": F.when(is_news, committed_at),
        },
        {
            "operation": operation,
            "image": F.when(F.col("is_readable") & F.col("new").isNotNull(), _image(is_old=False)),
            "before": F.when(F.col("is_readable"), _image(is_old=True)),
        },
        {"kind": F.when(is_news, kind), "before": F.when(F.size("before") > 0, F.col("before"))},
        {"malformed": F.when(is_news, F.nullif(F.concat_ws("; ", *_mistakes(form)), F.lit("")))},
    ]


def _has_twice(names: Column) -> Column:
    return F.coalesce(F.size(F.array_distinct(names)) < F.size(names), F.lit(False))


def _image(*, is_old: bool) -> Column:
    carried = F.filter("values", lambda one: (one["is_old"] == is_old) & (one["rule"] != "unavailable"))
    return F.map_from_entries(F.transform(carried, lambda one: F.struct(one["name"], one["value"])))


def _mistakes(form: str) -> list[Column]:
    """Everything that is wrong with a message: texts, each NULL where nothing is."""
    is_object = F.col("keys").isNotNull()
    known = F.when(is_object, F.lit(True))
    mistakes = [
        F.when(~is_object, F.concat(F.lit("received "), _shown(F.col("content")), F.lit(", expected an object")))
    ]
    if form == "envelope":
        keys = _shown(F.concat_ws(", ", "keys"))
        wanted = F.lit(", expected an envelope with op, source, before and after")
        mistakes.append(F.when(is_object & F.col("op").isNull(), F.concat(F.lit("received the keys "), keys, wanted)))
        known = F.when(F.col("op").isNotNull(), F.lit(True))
    image = F.when(F.col("op") == "d", "before").otherwise("after")
    is_empty = F.col("op").isin("c", "u", "d", "r") & F.col("new").isNull()
    names = F.concat_ws(".", F.coalesce("source_schema", F.lit("?")), F.coalesce("source_table", F.lit("?")))
    is_nameless = F.col("source_schema").isNull() | F.col("source_table").isNull()
    unread = F.filter(
        "values", lambda one: one["text"].isNotNull() & one["value"].isNull() & (one["rule"] != "unavailable")
    )
    expected = F.create_map(*(F.lit(word) for pair in EXPECTED.items() for word in pair))
    reasons = F.transform(
        unread,
        lambda one: F.concat(
            *(F.lit("column "), one["name"], F.lit(": received "), _shown(one["text"])),
            *(F.lit(", expected "), F.element_at(expected, one["rule"])),
        ),
    )
    return [
        *mistakes,
        M.long_number(F.col("content")),
        F.when(
            is_empty, F.concat(F.lit("op "), F.col("op"), F.lit(": received no "), image, F.lit(", expected an object"))
        ),
        F.when(
            known & is_nameless, F.concat(F.lit("received the table "), names, F.lit(", expected schema and table"))
        ),
        F.nullif(F.col("misplaced"), F.lit("")),
        F.when(F.col("has_field_twice"), F.lit("schema: received a field twice, expected each once")),
        F.when(F.col("has_column_twice"), F.lit(M.TWICE)),
        F.when(F.col("has_nameless"), F.lit(M.NAMELESS)),
        F.nullif(F.array_join(reasons, "; "), F.lit("")),
    ]


# Values --------------------------------------------------------------------------------------------------------------


def _values(decimals: str, binary: str, unavailable_value: str) -> Column:
    """The values of new and changed: an array of is_old, name, text, rule and value.

    value is NULL where text is, where it is unavailable and where it breaks the rule.
    """

    def entries(objects: str, is_old: bool) -> Column:
        entry = F.transform(
            F.map_entries(objects), lambda one: F.struct(F.lit(is_old).alias("is_old"), one["key"], one["value"])
        )
        return F.coalesce(entry, F.array().cast("array<struct<is_old: boolean, key: string, value: variant>>"))

    def struct(one: Column, *kept: str, **columns: Column) -> Column:
        return F.struct(
            *(one[name].alias(name) for name in kept), *(column.alias(name) for name, column in columns.items())
        )

    # What is needed more than once is a field of the step before: Spark computes it once then. As columns, types and
    # fields would be looked up again for each value.
    described = F.array(F.struct("types", "by_name"))
    typed = F.transform(
        described,
        lambda of_table: F.transform(
            F.concat(entries("new", is_old=False), entries("changed", is_old=True)),
            lambda one: struct(
                *(one, "is_old"),
                name=one["key"],
                json=one["value"],
                text=one["value"].cast("string"),
                field=F.element_at(of_table["by_name"], one["key"]),
                type=F.element_at(of_table["types"], F.lower(one["key"])),
            ),
        ),
    )[0]
    ruled = F.transform(
        typed,
        lambda one: struct(
            one, "is_old", "name", "text", "field", "type", rule=_rule(one, decimals, binary, unavailable_value)
        ),
    )
    detailed = F.transform(
        ruled,
        lambda one: struct(
            *(one, "is_old", "name", "text"),
            rule=_rule_of_text(one["rule"], one["text"]),
            scaled=_scaled(one),
            octets=_octets(one["rule"], one["text"], binary),
        ),
    )
    return F.transform(detailed, lambda one: struct(one, "is_old", "name", "text", "rule", value=_read(one)))


def _rule(one: Column, decimals: str, binary: str, unavailable_value: str) -> Column:
    """How a value is read: by the message's schema, or else by the type in cdc_columns (section 3.4)."""
    text, field, data_type = one["text"], one["field"], one["type"]
    is_schemaless = field.isNull()
    is_text = F.schema_of_variant(one["json"]) == "STRING"
    is_decimal = F.coalesce(data_type.startswith("decimal"), F.lit(False))
    is_integer = F.coalesce(data_type.isin(*INTEGERS), F.lit(False))
    rules = F.create_map(*(F.lit(word) for pair in RULES.items() for word in pair))
    is_encoded = is_schemaless & is_text & F.lit(decimals == "base64")
    return (
        F.when(text.isNull(), "as_is")
        .when(text.isin(*_unavailable(unavailable_value)), "unavailable")
        .when((field["name"] == DECIMAL) & ~is_text, "number")
        .when((field["name"] == BITS) & ~is_decimal & ~is_integer, "base64")
        .when(field["name"].isin(*RULES), F.element_at(rules, field["name"]))
        .when(field["type"] == "bytes", "base64")
        .when(data_type.startswith("timestamp"), "timestamp")
        .when(data_type == "date", "date")
        .when(is_schemaless & text.rlike(SCALED) & ~is_text, "scaled")
        .when(is_decimal & is_encoded, "decimal")
        .when(is_decimal, "number")
        .when(is_integer & text.isin("true", "false"), "integer")
        .when(is_integer & is_encoded, "bits")
        .when(data_type == "binary", binary)
        .when(data_type == "boolean", "boolean")
        .otherwise("as_is")
    )


def _unavailable(placeholder: str) -> list[str]:
    """The forms that `unavailable.value.placeholder` takes in columns of different types (section 3.4)."""
    is_hex = re.fullmatch("hex:(?:[0-9a-fA-F]{2})+", placeholder)
    raw = bytes.fromhex(placeholder[4:]) if is_hex else placeholder.encode()
    text, encoded = raw.decode(errors="replace"), base64.b64encode(raw).decode()
    # As PostgreSQL's connector makes a UUID of it.
    number = str(uuid.UUID(bytes=hashlib.md5(raw, usedforsecurity=False).digest(), version=3))
    scalars = [text, encoded, base64.urlsafe_b64encode(raw).decode(), raw.hex(), raw.hex().upper(), number]
    arrays = [[text], [encoded], [number], list(raw), {text: text}]
    return scalars + [json.dumps(array, separators=(",", ":"), ensure_ascii=False) for array in arrays]


def _rule_of_text(rule: Column, text: Column) -> Column:
    """Makes the rules for dates and timestamps without a schema those of what the text holds.

    The size of a number shows its unit if it lies between 1973 and 2286 or on the last day of 9999, as such numbers do
    in milli-, micro- or nanoseconds. Other numbers show none, but for 0 and infinity.
    """
    number, digits = text.try_cast("bigint"), F.length(F.regexp_replace(text, "^-", ""))
    last_day = DAYS[1] * MICROS_OF_DAY
    unit = (
        F.when(number.between(last_day // 1000, (last_day + MICROS_OF_DAY) // 1000 - 1), "ms")
        .when(number.between(last_day, last_day + MICROS_OF_DAY - 1), "us")
        .when((number == 0) | number.isin(*PLUS_INFINITY, *MINUS_INFINITY), "us")
        .when(digits.between(12, 13), "ms")
        .when(digits.between(15, 16), "us")
        .when(digits.between(18, 19), "ns")
    )
    is_number = text.rlike(r"^-?\d+$")
    is_day = number.between(*DAYS) | number.isin(*PLUS_INFINITE_DAYS, *MINUS_INFINITE_DAYS)
    # Oracle's dates have a time, and come as timestamps.
    return (
        F.when((rule == "date") & is_number, F.when(is_day, "days").otherwise(F.coalesce(unit, rule)))
        .when((rule == "date") & text.rlike(r"^\d{4}-\d\d-\d\d[T ]"), "timestamp")
        .when((rule == "timestamp") & is_number, F.coalesce(unit, rule))
        .otherwise(rule)
    )


def _scaled(one: Column) -> Column:
    """A decimal's whole number (hexadecimal, big-endian two's complement) and its scale."""
    of_schema = F.element_at(one["field"]["parameters"], F.lit("scale"))
    of_type = F.regexp_extract(one["type"], r"^decimal\(\d+,(\d+)\)$", 1)
    parts = F.from_json(one["text"], "scale int, value string")
    is_variable = one["rule"] == "scaled"
    encoded = F.when(is_variable, parts["value"]).when(one["rule"] == "decimal", one["text"])
    scale = F.when(is_variable, parts["scale"]).otherwise(F.coalesce(of_schema, of_type).try_cast("int"))
    digits = F.hex(F.try_to_binary(encoded, F.lit("base64")))
    return F.struct(F.when(F.length(digits).between(2, 32), digits).alias("digits"), scale.alias("scale"))


def _octets(rule: Column, text: Column, binary: str) -> Column:
    """The bytes of a text that holds some."""
    encoded = F.when(rule == "base64url", F.translate(text, "-_", "+/")).otherwise(text)
    hexadecimal = F.try_to_binary(text, F.lit("hex"))
    decoded = F.try_to_binary(encoded, F.lit("base64"))
    return F.when(rule == "hex", hexadecimal).when(rule.isin("base64", "base64url", "bits"), decoded)


def _read(one: Column) -> Column:
    """The value as text that a cast to its type reads, NULL if it breaks the rule."""
    rule, text = one["rule"], one["text"]
    return (
        F.when(rule == "as_is", text)
        .when(rule == "unavailable", None)
        .when(rule.isin("ms", "us", "ns", "timestamp"), _moment(rule, text))
        .when(rule == "days", _day(text.try_cast("int")))
        .when(rule == "date", _date(text))
        .when(rule.isin("time_ms", "time_us", "time_ns"), _clock(_micros(F.substring(rule, 6, 2), text)))
        .when(rule == "time", _zoned_clock(text))
        .when(rule.isin("decimal", "scaled"), _decimal(one["scaled"]["digits"], one["scaled"]["scale"]))
        .when(rule == "number", F.when(text.rlike(NUMBER), text))
        .when(rule == "integer", F.when(text == "true", "1").otherwise("0"))
        .when(rule == "boolean", F.when(text == "1", "true").when(text == "0", "false").otherwise(text))
        .when(rule == "bits", _bits(one["octets"]))
        .when(rule == "base64", F.when(one["octets"].isNotNull(), text))
        .otherwise(F.regexp_replace(F.base64(one["octets"]), r"\s", ""))
    )


def _micros(unit: Column, text: Column) -> Column:
    number = text.try_cast("bigint")
    return (
        F.when(unit == "ms", F.try_multiply(number, F.lit(1000)))
        .when(unit == "us", number)
        .when(unit == "ns", _part(number, 1000))
        .otherwise(F.unix_micros(text.try_cast("timestamp")))
    )


def _part(number: Column, size: int) -> Column:
    """How often size goes into a bigint, rounded down."""
    return F.floor(number.cast("decimal(20,0)") / F.lit(size)).cast("bigint")


def _moment(unit: Column, text: Column) -> Column:
    """A timestamp; Spark's have no nanoseconds, and time alone is none."""
    number, micros = text.try_cast("bigint"), _micros(unit, text)
    first, last = DAYS[0] * MICROS_OF_DAY, (DAYS[1] + 1) * MICROS_OF_DAY - 1
    is_timestamp = (unit != "timestamp") | text.rlike(r"^(?!0000)\d{4}-\d\d-\d\d(?:[T ]|$)")
    return (
        F.when(number.isin(*PLUS_INFINITY) | text.rlike(PLUS_INFINITY_TEXT), LAST_TIMESTAMP)
        .when(number.isin(*MINUS_INFINITY) | text.rlike(MINUS_INFINITY_TEXT), FIRST_TIMESTAMP)
        .when(is_timestamp & micros.between(first, last), F.date_format(F.timestamp_micros(micros), TIMESTAMP))
    )


def _day(days: Column) -> Column:
    return (
        F.when(days.isin(*PLUS_INFINITE_DAYS), LAST_DAY)
        .when(days.isin(*MINUS_INFINITE_DAYS), FIRST_DAY)
        .when(days.between(*DAYS), F.date_from_unix_date(days).cast("string"))
    )


def _date(text: Column) -> Column:
    day = F.regexp_extract(text, r"^(?!0000)(\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)?$", 1)
    return (
        F.when(text.rlike(PLUS_INFINITY_TEXT), LAST_DAY)
        .when(text.rlike(MINUS_INFINITY_TEXT), FIRST_DAY)
        .otherwise(F.nullif(day, F.lit("")).try_cast("date").cast("string"))
    )


def _clock(micros: Column) -> Column:
    """A time; MySQL's are longer than a day or negative."""
    part = F.abs(F.nullif(micros, F.lit(-(2**63))))
    clock = F.format_string(
        "%s%02d:%02d:%02d.%06d",
        F.when(micros < 0, "-").otherwise(""),
        _part(part, 3_600_000_000),
        _part(part, 60_000_000) % 60,
        _part(part, 1_000_000) % 60,
        part % 1_000_000,
    )
    return F.when(part.isNotNull(), clock)


def _zoned_clock(text: Column) -> Column:
    """Times with a zone come in UTC."""
    pattern = r"^(\d\d:\d\d:\d\d)(?:\.(\d+))?Z?$"
    fraction = F.rpad(F.left(F.regexp_extract(text, pattern, 2), F.lit(6)), 6, "0")
    clock = F.concat(F.regexp_extract(text, pattern, 1), F.lit("."), fraction)
    return F.when(text.rlike(pattern), clock).otherwise(text)


def _decimal(digits: Column, scale: Column) -> Column:
    """A number of the hexadecimal digits of a whole number and a scale; up to 38 digits, as Spark's."""
    is_negative = digits >= "8"
    # The inverted digits of n are those of -1 - n.
    inverted = F.translate(digits, "0123456789ABCDEF", "FEDCBA9876543210")
    padded = F.lpad(F.when(is_negative, inverted).otherwise(digits), 32, "0")
    high, low = (F.conv(F.substring(padded, start, 16), 16, 10).cast("decimal(20,0)") for start in (1, 17))
    whole = F.try_add(F.try_multiply(high, F.lit(str(2**64)).cast("decimal(20,0)")), low)
    whole = F.try_add(whole, F.when(is_negative, 1).otherwise(0).cast("decimal(20,0)")).cast("string")

    def with_point(whole: Column) -> Column:
        long = F.lpad(whole, F.greatest(F.length(whole), scale + 1), F.lit("0"))
        fraction = F.concat(F.left(long, F.length(long) - scale), F.lit("."), F.right(long, scale))
        return F.when(scale.between(1, 99), fraction).when(
            scale.between(-38, 0), F.concat(whole, F.repeat(F.lit("0"), -scale))
        )

    number = F.get(F.transform(F.array(whole), with_point), F.lit(0))
    return F.concat(F.when(is_negative, "-").otherwise(""), number)


def _bits(octets: Column) -> Column:
    """A whole number of little-endian bytes."""
    pairs = F.regexp_extract_all(F.hex(octets), F.lit("(..)"), F.lit(1))
    return F.when(F.size(pairs).between(1, 8), F.conv(F.array_join(F.reverse(pairs), ""), 16, 10))
