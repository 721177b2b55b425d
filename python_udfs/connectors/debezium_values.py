"""The values of Debezium's messages: the rule of each, and what it becomes (docs/feeds/debezium_format.md, Types)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import uuid

from pyspark.sql import Column
from pyspark.sql import functions as F

from python_udfs.connectors.json_values import VALUE, read_kind, text_of
from spark_files.capabilities import try_cast

DECIMAL, BITS = "org.apache.kafka.connect.data.Decimal", "io.debezium.data.Bits"
# The schema name of a column's type, and the rule by which its value is read (docs/feeds/debezium_format.md, Types).
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
# Form of the values of a rule, for the reason why one of them cannot be read. The last ones have no values: the
# message leaves open how theirs are written, so the reason names the settings that state it.
EXPECTED = {
    "days": "a number of days since 1970-01-01, in the years 1 to 9999, or PostgreSQL's infinity",
    "date": "a date yyyy-MM-dd in the years 1 to 9999, or PostgreSQL's infinity",
    "time_ms": "a number of milliseconds",
    "time_us": "a number of microseconds",
    "time_ns": "a number of nanoseconds",
    "ms": "milliseconds since 1970-01-01, in the years 1 to 9999, or PostgreSQL's infinity",
    "us": "microseconds since 1970-01-01, in the years 1 to 9999, or PostgreSQL's infinity",
    "ns": "nanoseconds since 1970-01-01",
    "timestamp": "an ISO time in the years 1 to 9999, or PostgreSQL's infinity",
    "decimal": "base64 of a whole number of at most 38 digits, and its scale in the message's schema or in cdc_columns",
    "scaled": "a scale and base64 of a whole number of at most 38 digits",
    "number": "a decimal number",
    "bits": "base64 of at most 8 bytes",
    "base64": "base64",
    "base64url": "base64 as it is written in URLs",
    "hex": "hexadecimal digits",
    "unit": "a number whose unit is stated. Fill in the cell encoding of cdc_columns (ms, us or ns), or send schemas, "
    "or set time.precision.mode=isostring",
    "unit_of_date": "a number whose unit is stated. Fill in the cell encoding of cdc_columns (days, ms, us or ns), or "
    "send schemas, or set time.precision.mode=isostring",
    "notation": "a number, or a text whose notation is stated. Set the feed's option decimals (base64 or text), or "
    "send schemas",
    "notation_of_bytes": "a text whose notation is stated. Set the feed's option binary (base64, base64url or hex), or "
    "send schemas",
    "inexact": "an exact number: a double has 15 digits, the column more. Set decimal.handling.mode=precise "
    "with schemas or =string, or list the column as double; for decimal.format=NUMERIC set the feed's option "
    "decimals=number",
    "maybe_infinity": "nanoseconds that PostgreSQL's connector does not send for infinity, too. Set "
    "time.precision.mode=isostring",
    "infinite": "a number that a double holds",
}
WITHOUT_VALUES = ("unit", "unit_of_date", "notation", "notation_of_bytes", "inexact", "maybe_infinity", "infinite")
INTEGERS = ("tinyint", "smallint", "int", "bigint")
NUMBER = r"^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$"
SCALED = r'^\{"scale":-?\d+,"value":"[^"]*"\}$'
DIGITS_OF_DOUBLE = 15  # Each number of so many digits survives a double.
# Connectors whose timestamps are milliseconds or microseconds, and whose dates are days.
WITHOUT_NANOSECONDS = ("mysql", "mariadb", "postgresql")

TIMESTAMP = "yyyy-MM-dd HH:mm:ss.SSSSSS"
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"
FIRST_TIMESTAMP, LAST_TIMESTAMP = f"{FIRST_DAY} 00:00:00.000000", f"{LAST_DAY} 23:59:59.000000"
DAYS = (-719_162, 2_932_896)  # from the first day to the last
MICROS_OF_DAY = 86_400_000_000
FIRST_MICRO, LAST_MICRO = DAYS[0] * MICROS_OF_DAY, (DAYS[1] + 1) * MICROS_OF_DAY - 1
# Milliseconds that a source may mean: from PostgreSQL's first moment to the year 20000, and its last year. The years
# between are believed of nobody, or no number of microseconds would show its unit.
MAYBE_MILLIS = ((-210_866_803_200_000, 568_971_820_800_000), (9_224_286_393_600_000, 9_224_318_016_000_000))
# PostgreSQL's infinities as Debezium 3.5 sends them: plus, minus. Dates differ between a stream and a
# snapshot, and those of a snapshot by the time zone of the worker.
INFINITIES = {
    "days": ((-2_147_472_692, -622_191_234, -622_191_233), (-2_147_472_691, -625_821_272, -625_821_271)),
    "ms": ((9_223_372_036_825_200,), (-9_223_372_036_832_400,)),
    "us": ((9_223_372_036_825_200_000,), (-9_223_372_036_832_400_000,)),
}
INFINITE_DATES = (
    ("infinity", "-5877611-06-21Z", "+292278994-08-16Z", "+292278994-08-17Z"),
    ("-infinity", "-5877611-06-22Z", "+292269055-12-02Z", "+292269055-12-03Z"),
)
INFINITE_TIMES = (("infinity", "+294247-01-10T04:00:25.2Z"), ("-infinity", "-290308-12-21T19:59:27.6Z"))
# In nanoseconds infinity does not fit: 3.5 sends a moment of 1970, and Debezium's documentation names the limits.
MAYBE_INFINITE_NANOS = (-29_575_808_000, 22_375_808_000, 2**63 - 1, -(2**63))


def read_values(decimals: str, binary: str, unavailable_value: str) -> Column:
    """The values of new and changed: an array of is_old, name, text, rule and value.

    value is NULL if text is, if it is unavailable, or if it breaks the rule.
    """

    def entries(objects: str, is_old: bool) -> Column:
        entry = F.transform(
            F.map_entries(objects), lambda entry: F.struct(F.lit(is_old).alias("is_old"), entry["key"], entry["value"])
        )
        return F.coalesce(entry, F.array().cast(f"array<struct<is_old: boolean, key: string, value: {VALUE}>>"))

    def struct(entry: Column, *kept: str, **columns: Column) -> Column:
        return F.struct(
            *(entry[name].alias(name) for name in kept), *(column.alias(name) for name, column in columns.items())
        )

    # An expression that is needed more than once is a field of the step before: Spark computes it once then. As
    # columns, types and fields would be looked up again for each value.
    described = F.array(F.struct("types", "encodings", "by_name", "connector"))
    typed = F.transform(
        described,
        lambda of_table: F.transform(
            F.concat(entries("new", is_old=False), entries("changed", is_old=True)),
            lambda entry: struct(
                *(entry, "is_old"),
                name=entry["key"],
                text=text_of(entry["value"]),
                field=F.element_at(of_table["by_name"], entry["key"]),
                type=F.element_at(of_table["types"], F.lower(entry["key"])),
                encoding=F.element_at(of_table["encodings"], F.lower(entry["key"])),
                kind=read_kind(entry["value"]),
                connector=of_table["connector"],
            ),
        ),
    )[0]
    ruled = F.transform(
        typed,
        lambda value: struct(
            *(value, "is_old", "name", "text", "field", "type", "connector"),
            rule=_rule(value, decimals, binary, unavailable_value),
        ),
    )
    detailed = F.transform(
        ruled,
        lambda value: struct(
            *(value, "is_old", "name", "text"),
            rule=_certain(value),
            scaled=_scaled(value),
            octets=_octets(value["rule"], value["text"], binary),
        ),
    )
    return F.transform(detailed, lambda value: struct(value, "is_old", "name", "text", "rule", value=_read(value)))


def _rule(value: Column, decimals: str, binary: str, unavailable_value: str) -> Column:
    """How a value is read: by the message's schema, or else by the seeds; never by how it looks."""
    text, field, data_type, kind = value["text"], value["field"], value["type"], value["kind"]
    is_schemaless = field.isNull()
    is_text = kind == "STRING"
    is_decimal = F.coalesce(data_type.startswith("decimal"), F.lit(False))
    is_integer = F.coalesce(data_type.isin(*INTEGERS), F.lit(False))
    is_count = text.rlike(r"^-?\d+$")
    rules = F.create_map(*(F.lit(word) for pair in RULES.items() for word in pair))
    written = {"base64": "decimal", "text": None}.get(decimals, "notation")
    return (
        F.when(text.isNull(), "as_is")
        .when(text.isin(*_unavailable(unavailable_value)), "unavailable")
        .when((kind == "DOUBLE") & text.isin("Infinity", "-Infinity", "0.0", "-0.0"), "infinite")
        .when((field["name"] == DECIMAL) & ~is_text, _rule_of_number(value, is_exact=F.lit(True)))
        .when((field["name"] == BITS) & ~is_decimal & ~is_integer, "base64")
        .when(field["name"].isin(*RULES), F.element_at(rules, field["name"]))
        .when(field["type"] == "bytes", "base64")
        .when(data_type.startswith("timestamp"), F.when(is_count, _unit_of_time(value)).otherwise("timestamp"))
        .when((data_type == "date") & is_count, _unit_of_date(value))
        # Oracle's dates have a time, and come as timestamps.
        .when(data_type == "date", F.when(text.rlike(r"^\d{4}-\d\d-\d\d[T ]"), "timestamp").otherwise("date"))
        .when(is_schemaless & text.rlike(SCALED) & ~is_text, "scaled")
        .when((is_decimal | is_integer) & is_text & is_schemaless & (value["encoding"] == "bits"), "bits")
        .when((is_decimal | is_integer) & is_text & is_schemaless & F.lit(written is not None), written)
        .when(is_decimal & is_text, "number")
        .when(is_decimal, _rule_of_number(value, is_exact=is_schemaless & F.lit(decimals == "number")))
        .when(is_integer & (kind == "BOOLEAN"), "integer")
        .when(data_type == "binary", binary or "notation_of_bytes")
        .when(data_type == "boolean", "boolean")
        .otherwise("as_is")
    )


def _unit_of_time(value: Column) -> Column:
    """The unit of a number in a column of times, which the message's schema does not name.

    Microseconds of 1963 to 1988 may be milliseconds, so they show no unit. Other numbers are microseconds if the
    connector sends no nanoseconds.
    """
    number = try_cast(value["text"], "bigint")
    infinities = {unit: [*plus, *minus] for unit, (plus, minus) in INFINITIES.items()}
    (first, last), (first_of_last_year, end) = MAYBE_MILLIS
    is_ms = number.between(first, last) | number.between(first_of_last_year, end) | number.isin(*infinities["ms"])
    is_us = number.between(FIRST_MICRO, LAST_MICRO) | number.isin(*infinities["us"])
    is_certain = value["field"].isNull() & value["connector"].isin(*WITHOUT_NANOSECONDS) & is_us & ~is_ms
    return F.coalesce(value["encoding"], F.when((number == 0) | is_certain, "us"), F.lit("unit"))


def _unit_of_date(value: Column) -> Column:
    """The unit of a number in a column of dates, which the message's schema does not name."""
    is_certain = value["field"].isNull() & value["connector"].isin(*WITHOUT_NANOSECONDS)
    is_zero = try_cast(value["text"], "bigint") == 0
    return F.coalesce(value["encoding"], F.when(is_zero | is_certain, "days"), F.lit("unit_of_date"))


def _rule_of_number(value: Column, is_exact: Column) -> Column:
    """The rule of a JSON number in a column of type decimal.

    One with a point may have been a double, which has fewer digits than a long decimal; one with an exponent is one.
    """
    text, kind = value["text"], value["kind"]
    is_long = try_cast(F.regexp_extract(value["type"], r"^decimal\((\d+),", 1), "int") > DIGITS_OF_DOUBLE
    # A whole number beyond bigint is a decimal, too.
    has_point = kind.startswith("DECIMAL") & ~text.rlike(r"^-?\d{19,}$")
    is_inexact = (kind == "DOUBLE") | (has_point & ~is_exact)
    return F.when(is_long & is_inexact, "inexact").otherwise("number")


def _unavailable(placeholder: str) -> list[str]:
    """The forms that `unavailable.value.placeholder` takes in columns of different types (debezium_format.md)."""
    is_hex = re.fullmatch("hex:(?:[0-9a-fA-F]{2})+", placeholder)
    raw = bytes.fromhex(placeholder[4:]) if is_hex else placeholder.encode()
    text, encoded = raw.decode(errors="replace"), base64.b64encode(raw).decode()
    # As PostgreSQL's connector makes a UUID of it.
    number = str(uuid.UUID(bytes=hashlib.md5(raw, usedforsecurity=False).digest(), version=3))
    scalars = [text, encoded, base64.urlsafe_b64encode(raw).decode(), raw.hex(), raw.hex().upper(), number]
    arrays = [[text], [encoded], [number], list(raw), {text: text}]
    return scalars + [json.dumps(array, separators=(",", ":"), ensure_ascii=False) for array in arrays]


def _certain(value: Column) -> Column:
    """The rule of a value, but for nanoseconds that PostgreSQL's connector also sends for infinity."""
    is_postgresql = F.coalesce(value["connector"], F.lit("postgresql")) == "postgresql"
    is_unclear = (value["rule"] == "ns") & value["text"].isin(*map(str, MAYBE_INFINITE_NANOS)) & is_postgresql
    return F.when(is_unclear, "maybe_infinity").otherwise(value["rule"])


def _scaled(value: Column) -> Column:
    """A decimal's whole number (hexadecimal, big-endian two's complement) and its scale."""
    of_schema = F.element_at(value["field"]["parameters"], F.lit("scale"))
    of_type = F.when(value["type"].isin(*INTEGERS), "0").otherwise(
        F.regexp_extract(value["type"], r"^decimal\(\d+,(\d+)\)$", 1)
    )
    parts = F.from_json(value["text"], "scale int, value string")
    is_variable = value["rule"] == "scaled"
    encoded = F.when(is_variable, parts["value"]).when(value["rule"] == "decimal", value["text"])
    scale = F.when(is_variable, parts["scale"]).otherwise(try_cast(F.coalesce(of_schema, of_type), "int"))
    digits = F.hex(F.try_to_binary(encoded, F.lit("base64")))
    return F.struct(F.when(F.length(digits).between(2, 32), digits).alias("digits"), scale.alias("scale"))


def _octets(rule: Column, text: Column, binary: str) -> Column:
    """The bytes of a text that holds some."""
    encoded = F.when(rule == "base64url", F.translate(text, "-_", "+/")).otherwise(text)
    hexadecimal = F.try_to_binary(text, F.lit("hex"))
    decoded = F.try_to_binary(encoded, F.lit("base64"))
    return F.when(rule == "hex", hexadecimal).when(rule.isin("base64", "base64url", "bits"), decoded)


def _read(value: Column) -> Column:
    """The value as text that a cast to its type reads, NULL if it breaks the rule."""
    rule, text = value["rule"], value["text"]
    return (
        F.when(rule == "as_is", text)
        .when(rule.isin("unavailable", *WITHOUT_VALUES), None)
        .when(rule.isin("ms", "us", "ns", "timestamp"), _moment(rule, text))
        .when(rule == "days", _day(try_cast(text, "int")))
        .when(rule == "date", _date(text))
        .when(rule.isin("time_ms", "time_us", "time_ns"), _clock(_micros(F.substring(rule, 6, 2), text)))
        .when(rule == "time", _zoned_clock(text))
        .when(rule.isin("decimal", "scaled"), _decimal(value["scaled"]["digits"], value["scaled"]["scale"]))
        .when(rule == "number", F.when(text.rlike(NUMBER), text))
        .when(rule == "integer", F.when(text == "true", "1").otherwise("0"))
        .when(rule == "boolean", F.when(text == "1", "true").when(text == "0", "false").otherwise(text))
        .when(rule == "bits", _bits(value["octets"]))
        .when(rule == "base64", F.when(value["octets"].isNotNull(), text))
        .otherwise(F.regexp_replace(F.base64(value["octets"]), r"\s", ""))
    )


def _micros(unit: Column, text: Column) -> Column:
    number = try_cast(text, "bigint")
    return (
        F.when(unit == "ms", F.try_multiply(number, F.lit(1000)))
        .when(unit == "us", number)
        .when(unit == "ns", _part(number, 1000))
        .otherwise(F.unix_micros(try_cast(text, "timestamp")))
    )


def _part(number: Column, size: int) -> Column:
    """How often size goes into a bigint, rounded down."""
    return F.floor(number.cast("decimal(20,0)") / F.lit(size)).cast("bigint")


def _is_infinite(unit: Column, text: Column, sign: int) -> Column:
    """Whether a time is an infinity: plus for sign 0, minus for 1."""
    number = try_cast(text, "bigint")
    return (
        F.when(unit == "ms", number.isin(*INFINITIES["ms"][sign]))
        .when(unit == "us", number.isin(*INFINITIES["us"][sign]))
        .when(unit == "timestamp", text.isin(*INFINITE_TIMES[sign]))
    )


def _moment(unit: Column, text: Column) -> Column:
    """A timestamp; Spark's have no nanoseconds, and time alone is none."""
    micros = _micros(unit, text)
    is_timestamp = (unit != "timestamp") | text.rlike(r"^(?!0000)\d{4}-\d\d-\d\d(?:[T ]|$)")
    is_moment = is_timestamp & micros.between(FIRST_MICRO, LAST_MICRO)
    return (
        F.when(_is_infinite(unit, text, 0), LAST_TIMESTAMP)
        .when(_is_infinite(unit, text, 1), FIRST_TIMESTAMP)
        .when(is_moment, F.date_format(F.timestamp_micros(micros), TIMESTAMP))
    )


def _day(days: Column) -> Column:
    plus, minus = INFINITIES["days"]
    return (
        F.when(days.isin(*plus), LAST_DAY)
        .when(days.isin(*minus), FIRST_DAY)
        .when(days.between(*DAYS), F.date_from_unix_date(days).cast("string"))
    )


def _date(text: Column) -> Column:
    day = F.regexp_extract(text, r"^(?!0000)(\d{4}-\d\d-\d\d)(?:Z|[+-]\d\d:\d\d)?$", 1)
    plus, minus = INFINITE_DATES
    return (
        F.when(text.isin(*plus), LAST_DAY)
        .when(text.isin(*minus), FIRST_DAY)
        .otherwise(try_cast(F.nullif(day, F.lit("")), "date").cast("string"))
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
        long = F.call_function("lpad", whole, F.greatest(F.length(whole), scale + 1), F.lit("0"))
        fraction = F.concat(F.left(long, F.length(long) - scale), F.lit("."), F.right(long, scale))
        return F.when(scale.between(1, 99), fraction).when(
            scale.between(-38, 0), F.concat(whole, F.call_function("repeat", F.lit("0"), -scale))
        )

    number = F.get(F.transform(F.array(whole), with_point), F.lit(0))
    return F.concat(F.when(is_negative, "-").otherwise(""), number)


def _bits(octets: Column) -> Column:
    """A whole number of little-endian bytes."""
    pairs = F.regexp_extract_all(F.hex(octets), F.lit("(..)"), F.lit(1))
    return F.when(F.size(pairs).between(1, 8), F.conv(F.array_join(F.reverse(pairs), ""), 16, 10))
