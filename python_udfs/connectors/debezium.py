"""Debezium's messages as lines of JSON (docs/feeds/debezium_format.md and s3_sink.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors import debezium_positions as positions
from python_udfs.connectors import debezium_values as values
from python_udfs.connectors import json_values as J
from python_udfs.connectors import message_files
from python_udfs.connectors import message_reading as M
from python_udfs.connectors.file_names import SINK_FILE
from python_udfs.connectors.lines import FILE_COLUMNS
from spark_files import cache_columns
from spark_files.capabilities import try_cast

OPERATIONS = {"c": "I", "u": "U", "d": "D", "t": "T", "r": "L"}
# The fields of the source block that are used here (docs/feeds/debezium_format.md, Source block).
POSITION = ("file", "pos", "row", "lsn", "sequence", "scn", "commit_scn", "ssn")
SOURCE = ("connector", "snapshot", "schema", "db", "table", "ts_ms", "ts_us", *POSITION)
# The fields that flattening adds to the columns of the table (docs/feeds/debezium_format.md, Flattened form).
METADATA = (
    "^__(?:source_.*|transaction_.*|deleted|op|ts_ms|ts_us|ts_ns|version|connector|name|snapshot|db|schema|table|sequence"
    "|server_id|gtid|file|pos|row|thread|query|txId|lsn|xmin|origin|origin_lsn|scn|commit_scn|lcr_position|rs_id|ssn"
    "|redo_thread|user_name|redo_sql|row_id|commit_ts_ms|start_scn|start_ts_ms|txSeq)$"
)

_COLUMN = "field string, type string, name string, parameters map<string, string>"
_SCHEMA = f"array<struct<{_COLUMN}, fields array<struct<{_COLUMN}>>>>"
_NULL_PAYLOAD = r'"payload"\s*:\s*null'

file_rules = message_files.file_rules
spans_lines = M.never_spans_lines


def read_rows(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """The changes that messages report, their values as text (docs/feeds/debezium_format.md, s3_sink.md and order.md).

    A position is three numbers of 20 digits and a last digit: for MySQL and MariaDB the binary log (4 digits for its
    base name, 16 for its number), the position in it and the row; for PostgreSQL the last commit, the LSN and 0; for
    Oracle the commit SCN, the SCN and the SSN. If the message has none of them: topic partition, offset and 0, or
    zeros if the name of the file is not the sink's. The last digit is 1 for a row of an incremental snapshot that
    has a position of the source: it follows the change there.

    Args:
        lines: a row per line: path, file_key (string), file_time, modified_at (timestamp), batch_id, file_row
            (bigint, from 0) and value (string); flattened from Kafka also key (string).
        feed: `form`, `decimals`, `binary`, `unavailable_value` and `binlog_names` (seeds/_seeds.yml), `columns`:
            Spark type by column, by (schema, table), and `encodings`: the cell encoding likewise, if there is one.

    Returns:
        path, file_key, file_time, modified_at, batch_id, file_row and content (the line); source_schema,
        source_table, set_aside, kind, operation, position and malformed (string), committed_at (timestamp), image and
        before (map of string to string), unavailable (array of string).
    """
    deletes_by_key = feed.get("tombstones") == "delete"
    messages = _messages(_with_deletions(lines) if deletes_by_key else lines, feed["form"])
    binlog_names = tuple(name for name in feed["binlog_names"].split("|") if name)
    ordered = positions.add_positions(messages, binlog_names, by_offset=deletes_by_key)
    return _with_values(ordered, feed).select(*M.RESULT_COLUMNS)


# Messages ------------------------------------------------------------------------------------------------------------


def _with_deletions(lines: DataFrame) -> DataFrame:
    """Messages without a value, as the deletes of their rows: the key is the message, and is_deletion is true.

    With `schemas.enable` Connect's JSON converter writes the schema of a value that is null.
    """
    is_null, columns = {}, lines.columns
    for name in ("value", "key"):
        # Only what may be such a value is parsed here, too.
        null = F.when(F.col(name).rlike(_NULL_PAYLOAD), F.col(name))
        lines = _opened(lines.withColumn(f"{name}_null", null), f"{name}_null", f"{name}_")
        is_null[name] = _is_nothing(name) | _is_null_payload(f"{name}_")
    key = F.when(is_null["key"], "null").otherwise(F.col("key"))
    value = F.when(is_null["value"], key).otherwise(F.col("value"))
    others = (name for name in columns if name != "value")
    return lines.select(*others, is_null["value"].alias("is_deletion"), value.alias("value"))


def _messages(lines: DataFrame, form: str) -> DataFrame:
    """The content of each line, in the words of the envelope: op, source, new and old (column to value) and fields."""
    bodies = _opened(lines, "value")
    has_key = "key" in lines.columns
    if has_key:
        bodies = _opened(bodies, "key", "key_")
    if form == "envelope":
        # Each is parsed once: its fields are columns of a later step.
        bodies = bodies.withColumns({name: _object("body", name) for name in ("source", "before", "after")})
    columns = _select_columns(form, has_key, "is_deletion" in lines.columns)
    return J.sort_keys(bodies.select(*FILE_COLUMNS, "file_row", *columns), "new", "old")


@cache_columns
def _select_columns(form: str, has_key: bool, has_deletions: bool) -> list[Column]:
    columns = _read_envelope() if form == "envelope" else _read_flattened(has_key, has_deletions)
    return [
        F.col("value").alias("content"),
        (F.when(~F.col("is_deletion"), _set_aside()) if has_deletions else _set_aside()).alias("set_aside"),
        F.map_keys("body").alias("keys"),
        *(column.alias(name) for name, column in columns.items()),
    ]


def _opened(lines: DataFrame, text: str, prefix: str = "") -> DataFrame:
    """Adds top, is_wrapped, body and schema of a message, each with the prefix: its objects and the fields of both."""
    return M.in_steps(lines, _opened_columns(text, prefix))


@cache_columns
def _opened_columns(text: str, prefix: str) -> list[dict[str, Column]]:
    names = ("json", "top", "is_wrapped", "body", "schema")
    json, top, is_wrapped, body, schema = (f"{prefix}{name}" for name in names)
    schema_of_top = F.element_at(top, F.lit("schema"))
    wraps = _has_two_keys(top) & (J.read_member(schema_of_top, "type", "string") == "struct")
    payload = J.read_object(F.element_at(top, F.lit("payload")))
    return [
        {json: F.when(~M.is_too_deep(F.col(text)), J.parse(F.col(text)))},
        {top: J.read_only_object(F.col(json))},
        {is_wrapped: F.coalesce(wraps, F.lit(False))},
        {
            body: F.when(F.col(is_wrapped), payload).otherwise(F.col(top)),
            schema: F.when(F.col(is_wrapped), J.read_member(schema_of_top, "fields", _SCHEMA)),
        },
    ]


def _has_two_keys(top: str) -> Column:
    """Whether a message has a payload and a schema, and nothing else."""
    return F.array_sort(F.map_keys(top)) == F.array(F.lit("payload"), F.lit("schema"))


def _set_aside() -> Column:
    """A word for what is no row of a table, known by the keys of the message (docs/feeds/debezium_format.md)."""

    def has(*names: str) -> Column:
        return F.size(F.array_except(F.array(*map(F.lit, names)), F.map_keys("body"))) == 0

    times = F.array(*map(F.lit, ("ts_ms", "ts_us", "ts_ns")))
    return (
        F.when(_is_nothing("value") | _is_null_payload(), "tombstone")
        .when(has("ts_ms") & (F.size(F.array_except(F.map_keys("body"), times)) == 0), "heartbeat")
        .when(
            has("id", "event_count", "data_collections") & _value("body", "status").isin("BEGIN", "END"), "transaction"
        )
        .when(has("source", "databaseName", "ddl", "tableChanges"), "schema_change")
        .when(has("source", "message") & (_value("body", "op") == "m"), "message")
    )


def _is_nothing(text: str) -> Column:
    return F.col(text).isNull() | F.col(text).rlike(r"^\s*(?:null)?\s*$")


def _is_null_payload(prefix: str = "") -> Column:
    """Whether an opened message is a null with its schema, or with none."""
    top = f"{prefix}top"
    may_be_null = F.col(f"{prefix}is_wrapped") | _value(top, "schema").isNull()
    return F.coalesce(_has_two_keys(top) & may_be_null & _value(top, "payload").isNull(), F.lit(False))


def _value(objects: str, key: str) -> Column:
    """The text of a key's value; NULL if there is none."""
    return J.text_of(F.element_at(objects, F.lit(key)))


def _object(objects: str, key: str) -> Column:
    """The object that is a key's value; NULL if there is none or it is something else."""
    return J.read_object(F.element_at(objects, F.lit(key)))


def _read_envelope() -> dict[str, Column]:
    source, before, after = F.col("source"), F.col("before"), F.col("after")
    op = _value("body", "op")
    return {
        "op": op,
        "source": F.struct(*(J.text_of(F.element_at(source, F.lit(name))).alias(name) for name in SOURCE)),
        "has_positions": F.exists(F.map_keys(source), lambda key: key.isin("file", "lsn", "scn")),
        "new": F.when(op == "d", _named_once(before)).when(op != "t", after),
        "old": F.when(op == "u", before),
        "fields": F.get(F.filter("schema", lambda field: field["field"] == "after"), F.lit(0))["fields"],
    }


def _read_flattened(has_key: bool, deletes_by_key: bool) -> dict[str, Column]:
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
        "new": F.when(op == "d", _named_once(new)).when(op.isNull() | (op != "t"), new),
        "old": F.lit(None).cast(J.OBJECT),
        "fields": fields,
    }


def _named_once(image: Column) -> Column:
    """The columns of a delete that have a name of their own: if the key is not among them, bronze misses it."""
    names = F.transform(F.map_keys(image), F.lower)
    is_own = F.map_filter(
        image, lambda name, _: (name != "") & (F.size(F.filter(names, lambda other: other == F.lower(name))) == 1)
    )
    return F.when(_has_twice(names) | F.array_contains(names, F.lit("")), is_own).otherwise(image)


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


# Changes -------------------------------------------------------------------------------------------------------------


def _with_values(messages: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """Adds tables, operations and values, and what is wrong with them."""
    schema, table = F.col("source_schema"), F.col("source_table")
    cells = {
        name: M.types_of_table({"columns": feed[of_feed]}, schema, table)
        for name, of_feed in (("types", "columns"), ("encodings", "encodings"))
    }
    cells["key_names"] = M.key_of_table(feed, schema, table)
    first, second, *others = _change_columns(feed["form"], feed["decimals"], feed["binary"], feed["unavailable_value"])
    return M.in_steps(messages, [first, {**second, **cells}, *others])


@cache_columns
def _change_columns(form: str, decimals: str, binary: str, unavailable_value: str) -> list[dict[str, Column]]:
    schema, table = F.nullif(F.col("source.schema"), F.lit("")), F.nullif(F.col("source.table"), F.lit(""))
    if form == "envelope":
        # MySQL's schemas are databases.
        schema = F.coalesce(schema, F.nullif(F.col("source.db"), F.lit("")))
    changed = F.map_filter(
        "old",
        # Only what changed is read: most messages repeat whole rows.
        lambda name, value: ~J.text_of(value).eqNullSafe(J.text_of(F.element_at("new", name))),
    )
    committed_at = M.time_of(
        F.coalesce(
            try_cast(F.col("source.ts_us"), "bigint"),
            F.try_multiply(try_cast(F.col("source.ts_ms"), "bigint"), F.lit(1000)),
        )
    )
    is_news = F.col("set_aside").isNull()
    named = F.filter("fields", lambda field: field["field"].isNotNull())
    names = F.transform("named", lambda field: field["field"])
    by_name = F.map_from_entries(F.transform("named", lambda field: F.struct(field["field"], field)))
    is_unavailable = F.filter("values", lambda value: ~value["is_old"] & (value["rule"] == "unavailable"))
    unavailable = F.transform(is_unavailable, lambda value: value["name"])
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
            "connector": _connector(),
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
            "long_number": M.long_number(F.col("content")),
            "half_a_pair": M.half_a_pair(F.col("content")),
        },
        {"values": values.read_values(decimals, binary, unavailable_value)},
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


def _connector() -> Column:
    """The connector that sent the message; one that does not name itself is known by the fields of its positions."""
    by_position = (("file", "mysql"), ("lsn", "postgresql"), ("scn", "oracle"))
    return F.coalesce(
        F.nullif(F.col("source.connector"), F.lit("")),
        *(F.when(F.col(f"source.{field}").isNotNull(), connector) for field, connector in by_position),
    )


def _has_twice(names: Column) -> Column:
    return F.coalesce(F.size(F.array_distinct(names)) < F.size(names), F.lit(False))


def _is_needed(value: Column) -> Column:
    """Whether a change needs a value: of a delete, and of the row before an update, the key is all that counts.

    The key of a table without a row in the metadata is not known. Then a delete leaves the question to bronze.
    """
    is_key = F.array_contains("key_names", F.lower(value["name"]))
    return (
        F.when(value["is_old"], F.coalesce(is_key, F.lit(True)))
        .when(F.col("op") == "d", F.coalesce(is_key, F.lit(False)))
        .otherwise(F.lit(True))
    )


def _is_unread(value: Column) -> Column:
    """Whether a value breaks its rule. A number with too many digits is a double."""
    breaks_rule = value["text"].isNotNull() & value["value"].isNull() & (value["rule"] != "unavailable")
    is_double = J.read_kind(F.element_at("new", value["name"])) == "DOUBLE"
    is_rounded = F.col("long_number").isNotNull() & F.coalesce(is_double, F.lit(False))
    is_changed = (F.col("op") == "d") & (is_rounded | _has_replacement(value))
    return breaks_rule | F.coalesce(is_changed, F.lit(False))


def _has_replacement(value: Column) -> Column:
    """Whether a text may have the question mark that the parser puts in place of half a surrogate pair."""
    return F.col("half_a_pair").isNotNull() & value["text"].contains("?")


def _image(*, is_old: bool) -> Column:
    carried = F.filter(
        "values",
        lambda value: (
            (value["is_old"] == is_old) & (value["rule"] != "unavailable") & (_is_needed(value) | ~_is_unread(value))
        ),
    )
    return F.map_from_entries(F.transform(carried, lambda value: F.struct(value["name"], value["value"])))


def _mistakes(form: str) -> list[Column]:
    """Everything that is wrong with a message: texts, each NULL if nothing is."""
    is_object = F.col("keys").isNotNull()
    is_known = F.when(is_object, F.lit(True))
    too_deep = F.lit(f"received objects and lists inside of each other, expected {M.MOST_LEVELS} levels at most")
    mistakes = [
        F.when(~is_object & M.is_too_deep(F.col("content")), too_deep).when(
            ~is_object, M.received(F.col("content"), "an object")
        )
    ]
    if form == "envelope":
        keys = M.quote_received(F.concat_ws(", ", "keys"))
        wanted = F.lit(", expected an envelope with op, source, before and after")
        mistakes.append(F.when(is_object & F.col("op").isNull(), F.concat(F.lit("received the keys "), keys, wanted)))
        is_known = F.when(F.col("op").isNotNull(), F.lit(True))
    image = F.when(F.col("op") == "d", "before").otherwise("after")
    is_empty = F.col("op").isin("c", "u", "d", "r") & F.col("new").isNull()
    names = F.concat_ws(".", F.coalesce("source_schema", F.lit("?")), F.coalesce("source_table", F.lit("?")))
    is_nameless = F.col("source_schema").isNull() | F.col("source_table").isNull()
    unread = F.filter("values", lambda value: _is_unread(value) & _is_needed(value))
    is_delete = F.coalesce(F.col("op") == "d", F.lit(False))
    expected = F.create_map(*(F.lit(word) for pair in values.EXPECTED.items() for word in pair))
    reasons = F.transform(
        unread,
        lambda value: F.concat(
            *(F.lit("column "), value["name"], F.lit(": received "), M.quote_received(value["text"])),
            F.lit(", expected "),
            F.when(_has_replacement(value), F.lit("characters that UTF-8 has")).otherwise(
                F.coalesce(F.element_at(expected, value["rule"]), F.lit("a number of 38 digits at most"))
            ),
        ),
    )
    return [
        *mistakes,
        # In a delete they are the value's, and only the key counts.
        *(F.when(~is_delete, F.col(reason)) for reason in ("long_number", "half_a_pair")),
        F.when(
            is_empty, F.concat(F.lit("op "), F.col("op"), F.lit(": received no "), image, F.lit(", expected an object"))
        ),
        F.when(
            is_known & is_nameless, F.concat(F.lit("received the table "), names, F.lit(", expected schema and table"))
        ),
        F.nullif(F.col("misplaced"), F.lit("")),
        F.when(F.col("has_field_twice"), F.lit("schema: received a field twice, expected each once")),
        F.when(F.col("has_column_twice"), F.lit(M.TWICE)),
        F.when(F.col("has_nameless"), F.lit(M.NAMELESS)),
        F.nullif(F.array_join(reasons, "; "), F.lit("")),
    ]
