"""Canal's flat messages and TiCDC's canal-json (docs/feeds/canal.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors import message_files, topic_offsets
from python_udfs.connectors import message_reading as M
from spark_files.capabilities import try_cast

OPERATIONS = {"INSERT": "I", "UPDATE": "U", "DELETE": "D"}
# A table that is dropped has no rows, like one that is emptied.
TRUNCATES = ("TRUNCATE", "ERASE")
SET_ASIDE = {"TIDB_WATERMARK": "watermark", "MHEARTBEAT": "heartbeat"} | dict.fromkeys(
    ("GTID", "XACOMMIT", "XAROLLBACK"), "transaction"
)
DDL = ("CREATE", "ALTER", "QUERY", "RENAME", "CINDEX", "DINDEX")
ROWS_PER_LINE = topic_offsets.ROWS_PER_LINE["canal"]
_EXPECTED = 'one JSON object {"database": ..., "table": ..., "type": ..., "data": [{...}]}'
_SCHEMA = (
    "database string, table string, type string, isDdl string, sql string, es string, "
    f"sqlType {M.VALUES}, mysqlType {M.VALUES}, data array<{M.VALUES}>, old array<{M.VALUES}>, "
    "_tidb struct<commitTs: string>"
)
# As MySQL writes them; the table that has this name too keeps its rows.
_DROPS_TEMPORARY = r"(?i)^\s*+DROP\s++(?:/\*!\d*+\s*+)?+TEMPORARY\b"
_BINARY_SQL_TYPES = ("-2", "-3", "-4", "2004")
_BINARY = r"^(?:(?:tiny|medium|long)?blob|(?:var)?binary)\b"
_AMBIGUOUS = (
    "a number that is no member's name too: set members=numbers or members=names for the feed (docs/feeds/canal.md)"
)
_MEMBER = "'((?:[^']++|'')*+)'"
_TEXT_TYPE = "^(?:string|varchar|char)"
_TIME = r"^(-?[0-9]+:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,6}))?$"

file_rules = message_files.file_rules
spans_lines = M.never_spans_lines


def read_rows(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """The rows of each message, as many as its `data` has; schema changes, heartbeats and watermarks are set aside.

    Order (order.md): TiCDC's commitTs, deletes before inserts; else the offset in the sink's name and the position
    in `data`; else the time of execution.

    Args:
        lines: a row per line, which is a message: `FILE_COLUMNS`, file_row (bigint, from 0) and value (string).
        feed: `columns`, `time_zone`, in which TIMESTAMP columns are written, and `members`, how ENUM and SET are.

    Returns:
        `RESULT_COLUMNS`; file_row is the line times `ROWS_PER_LINE` plus the position in `data`.
    """
    message = F.col("message")
    is_row = F.col("set_aside").isNull()
    is_truncate = F.coalesce(message["type"].isin(*TRUNCATES), F.lit(False))
    is_too_long = F.coalesce(F.size(message["data"]) > ROWS_PER_LINE, F.lit(False))
    # Of a message without rows one is left, so that it is not lost.
    its_rows = F.posexplode_outer(F.when(is_row & ~is_truncate & ~is_too_long, message["data"]))
    frame = (
        M.one_per_line(lines)
        .withColumn("message", M.parsed(F.col("content"), _SCHEMA))
        .withColumn("set_aside", _set_aside())
        .withColumn("types", M.types_of_table(feed, message["database"], message["table"]))
        .withColumn("key_names", M.key_of_table(feed, message["database"], message["table"]))
        .select("*", its_rows.alias("index", "data"))
        .withColumn("index", F.coalesce("index", F.lit(0)))
        .withColumn("decoded_data", M.decoded(F.col("data"), _decode(feed)))
        .withColumn("decoded_old", M.decoded(F.get(message["old"], F.col("index")), _decode(feed)))
        .withColumns(
            {
                "after_image": M.needed_of_delete(
                    F.col("decoded_data"), message["type"] == "DELETE", F.col("key_names")
                ),
                "before_image": M.needed_of_before(F.col("decoded_old"), F.col("key_names")),
            }
        )
    )
    received_rows = F.concat(
        F.lit("data: received "), F.size(message["data"]), F.lit(f" rows, expected {ROWS_PER_LINE} at most")
    )
    wrong = [
        *M.missing({name: message[name] for name in ("database", "table", "type", "es")}),
        F.when(is_too_long, received_rows).when(
            message["type"].isin(*OPERATIONS) & F.col("data").isNull(), F.lit("data: received no row")
        ),
        M.untimely("es", message["es"], _executed_at(), "milliseconds since 1970"),
        M.unlike("commitTs", message["_tidb"]["commitTs"], "^[0-9]{1,20}$", "a natural number"),
    ]
    frame = frame.withColumn(
        "malformed", F.when(is_row, M.malformed(_EXPECTED, wrong, F.col("after_image"), F.col("before_image")))
    )
    is_good = is_row & F.col("malformed").isNull()
    letter = F.when(is_truncate, F.lit("T")).otherwise(M.translated(message["type"], OPERATIONS))
    return frame.withColumns(
        {
            "file_row": F.col("file_row") * ROWS_PER_LINE + F.col("index"),
            "source_schema": F.when(is_row, message["database"]),
            "source_table": F.when(is_row, message["table"]),
            "kind": F.when(is_row, F.when(is_truncate, F.lit("truncate")).otherwise(F.lit("change"))),
            "operation": F.when(is_row, F.coalesce(letter, message["type"])),
            "committed_at": _executed_at(),
            "position": F.when(is_row, _position()),
            "image": F.when(is_good, M.texts(F.col("after_image"))),
            "before": F.when(is_good & (message["type"] == "UPDATE"), M.texts(F.col("before_image"))),
            "unavailable": F.lit(None).cast("array<string>"),
        }
    ).select(*M.RESULT_COLUMNS)


def _executed_at() -> Column:
    return M.time_of(F.try_multiply(try_cast(F.col("message.es"), "bigint"), F.lit(1000)))


def _set_aside() -> Column:
    message = F.col("message")
    is_statement = (message["isDdl"] == "true") & ~message["type"].isin(*TRUNCATES) | message["type"].isin(*DDL)
    return F.coalesce(
        F.when(M.is_empty(F.col("content")), F.lit("empty")),
        M.translated(message["type"], SET_ASIDE),
        F.when(is_statement, F.lit("ddl")),
        F.when((message["type"] == "ERASE") & message["sql"].rlike(_DROPS_TEMPORARY), F.lit("ddl")),
    )


def _decode(feed: Mapping[str, Any]) -> M.Decode:
    """Every value is text that wants the column's type at the source (sections 5.2 and 5.3)."""

    def decode(name: Column, value: Column) -> tuple[Column, Column]:
        written_type = F.coalesce(F.col("message.mysqlType")[name], F.lit(""))
        source_type = F.lower(written_type)
        wanted = F.coalesce(F.col("types")[F.lower(name)], F.lit("string"))
        # Binary values are bytes written as the first 256 characters.
        is_binary_there = F.coalesce(
            F.col("message.sqlType")[name].isin(*_BINARY_SQL_TYPES), F.lit(False)
        ) | source_type.rlike(_BINARY)
        is_text_there = (written_type != "") & ~is_binary_there & (wanted == "binary")
        is_binary = is_binary_there | ((wanted == "binary") & ~is_text_there)
        is_bytes = value.rlike(r"^[\x{0}-\x{ff}]*+$")
        is_number = value.rlike("^-?[0-9]{1,20}$") & wanted.rlike(_TEXT_TYPE)
        is_enum, is_set = source_type.startswith("enum") & is_number, source_type.startswith("set") & is_number
        member, is_ambiguous = _member(written_type, value, is_enum, is_set, feed["members"])
        is_time = source_type.startswith("time") & value.rlike(_TIME)
        text = (
            F.when(is_binary & is_bytes, F.base64(F.encode(F.when(is_bytes, value), "ISO-8859-1")))
            .when((is_enum | is_set) & ~is_ambiguous, member)
            .when(is_time, _time(value))
        )
        if feed["time_zone"] != "UTC":
            moment = F.when(value.rlike("^[0-9]{4}-"), try_cast(value, "timestamp_ntz"))
            moved = F.convert_timezone(F.lit(feed["time_zone"]), F.lit("UTC"), moment).cast("string")
            text = text.when(source_type.startswith("timestamp") & moved.isNotNull(), moved)
        problem = (
            F.when(is_binary & ~is_bytes, M.received(value, "bytes as ISO-8859-1 text"))
            .when(is_text_there, M.received(value, "bytes: mysqlType is of no bytes, list the column as string"))
            .when((is_enum | is_set) & is_ambiguous, M.received(value, _AMBIGUOUS))
            .when(
                (is_enum | is_set) & member.isNull(),
                M.received(
                    value, "the number of a member in mysqlType (TiCDC writes members with content-compatible=true)"
                ),
            )
        )
        return text.otherwise(value), problem

    return decode


def _member(written_type: Column, value: Column, is_enum: Column, is_set: Column, form: str) -> tuple[Column, Column]:
    """Members of an ENUM come as their number from 1 (0: none), those of a SET as bits; or as they are called.

    Digits may be both. Returns the member, and whether nothing states which of two it is.
    """
    quoted = F.regexp_extract_all(written_type, F.lit(_MEMBER), 1)
    members = F.transform(quoted, lambda member: F.replace(member, F.lit("''"), F.lit("'")))
    number = try_cast(value, "bigint")
    # Spark refuses to look at a bit that a number has not.
    chosen = F.filter(members, lambda _, bit: F.when(bit < 64, F.bit_get(number, bit) == 1).otherwise(F.lit(False)))
    has_members = F.size(members) > 0
    by_number = F.when(
        is_enum & has_members,
        F.when(number == 0, F.lit("")).otherwise(F.get(members, F.try_add(try_cast(number, "int"), F.lit(-1)))),
    ).when(is_set & has_members & number.isNotNull(), F.array_join(chosen, ","))
    is_member = F.array_contains(members, value)
    if form != "auto":
        return by_number if form == "numbers" else F.when(is_member, value), F.lit(False)
    return by_number, F.coalesce(is_member & ~by_number.eqNullSafe(value), F.lit(False))


def _time(value: Column) -> Column:
    fraction = F.rpad(F.regexp_extract(value, _TIME, 2), 6, "0")
    return F.concat_ws(".", F.regexp_extract(value, _TIME, 1), fraction)


def _position() -> Column:
    commit = F.col("message._tidb.commitTs")
    time = F.when(commit.isNotNull(), commit).when(~M.in_sink(), F.col("message.es"))
    # A changed key comes as a delete and an insert of one transaction, in either order.
    rank = F.when(commit.isNotNull() & (F.col("message.type") != "DELETE"), 1)
    return F.concat_ws(
        ".", M.digits(time, 20), M.digits(rank, 1), M.sink_position(commit.isNull()), M.digits(F.col("index"), 5)
    )
