"""The values of Debezium's messages: the rule of each, and what it becomes (docs/contracts.md section 3.4)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import uuid

from pyspark.sql import Column
from pyspark.sql import functions as F

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


def read_values(decimals: str, binary: str, unavailable_value: str) -> Column:
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
