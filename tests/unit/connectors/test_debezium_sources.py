"""Random values of a source, written as each setting of the connector writes them: themselves, or in quarantine.

If schema or seeds state how a value is written, it is read. If nothing does, it is itself or in quarantine, never
another value. `N=1000` sends that many rows of each table, `SEED=7` others.
"""

from __future__ import annotations

import base64
import json
import os
import random
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from message_cases import AT, LINES_SCHEMA

from python_udfs.connectors.debezium import read_rows
from spark_files.frames import make_frame

ROWS = int(os.environ.get("N", "25"))
SEED = os.environ.get("SEED", "1")
EPOCH, DAY = datetime(1970, 1, 1), 86_400_000_000
LAST, FIRST = "9999-12-31 23:59:59.000000", "0001-01-01 00:00:00.000000"
CONNECTORS = ("mysql", "postgresql", "oracle")
MODES = ("adaptive", "connect", "isostring", "microseconds")
TYPES = {
    "millis": "timestamp_ntz",
    "micros": "timestamp",
    "day": "date",
    "price": "decimal(12,2)",
    "long": "decimal(38,10)",
    "big": "bigint",
    "raw": "binary",
}
# The options that state how the messages of a feed are written, and the settings of its connector.
FEEDS = {
    "base64": ({"decimals": "base64", "binary": "base64"}, {"decimals": "precise", "binary": "base64"}),
    "text": ({"decimals": "text", "binary": "hex"}, {"decimals": "string", "binary": "hex"}),
    "double": ({"decimals": "", "binary": "hex"}, {"decimals": "double", "binary": "hex"}),
    "unstated": ({"decimals": "", "binary": ""}, None),
}
# Moments that a year from 1 to 9999 does not hold: PostgreSQL's.
FAR = {
    253_402_300_800_000_000: "+10000-01-01T00:00:00Z",
    9_224_318_015_999_999_000: "+294276-12-31T23:59:59.999Z",
}
INFINITE_MICROS = {"infinity": 9_223_372_036_825_200_000, "-infinity": -9_223_372_036_832_400_000}
INFINITE_ISO = {"infinity": "+294247-01-10T04:00:25.2Z", "-infinity": "-290308-12-21T19:59:27.6Z"}
INFINITE_DAYS = {"infinity": (-2147472692, "-5877611-06-21Z"), "-infinity": (-2147472691, "-5877611-06-22Z")}


# Values of the source ------------------------------------------------------------------------------------------------


def any_moment(chance, connector, step):
    """Microseconds since 1970, a multiple of step; of PostgreSQL also an infinity or a year after 9999."""
    if connector == "postgresql" and chance.random() < 0.3:
        return chance.choice([*INFINITE_MICROS, *FAR])
    first, last = chance.choice([(1, 9999), (1900, 2100), (1960, 1990), (1970, 1970), (9999, 9999)])
    begin, end = (datetime(first, 1, 1) - EPOCH) // timedelta(microseconds=1), 0
    end = begin + ((last - first + 1) * 365) * DAY
    return chance.choice([chance.randrange(begin, end), begin, 0, -1]) // step * step


def any_row(chance, connector):
    micros = any_moment(chance, connector, 1)
    day = chance.choice([-719_162, 0, 1, 2_932_896, chance.randrange(-719_162, 2_932_897)])
    digits = chance.choice([1, 5, 12])
    return {
        "millis": any_moment(chance, connector, 1000),
        # Oracle's are nanoseconds, of which 64 bits hold the years 1678 to 2261.
        "micros": 0 if connector == "oracle" and not -(2**63) <= micros * 1000 < 2**63 else micros,
        "day": chance.choice(list(INFINITE_DAYS)) if connector == "postgresql" and chance.random() < 0.2 else day,
        "price": Decimal(chance.randrange(-(10**digits), 10**digits)) / 100,
        "long": Decimal(chance.randrange(-(10**28), 10**28)).scaleb(-10),
        "big": chance.choice([127, 128, -129, 0, chance.randrange(-(2**63), 2**63)]),
        "raw": chance.choice([b"\0\xff", b"\xd3\x4d\x34", chance.randbytes(chance.choice([0, 2, 3, 6]))]),
    }


# What the connector writes -------------------------------------------------------------------------------------------


def semantic(kind, name=None, **parameters):
    return {"type": kind, **({"name": name} if name else {}), "parameters": parameters}


def write_moment(value, mode, is_millis, connector):
    """JSON value and schema of a timestamp; `is_millis`: it has three digits of a second at most."""
    if mode == "isostring":
        if isinstance(value, str):
            return INFINITE_ISO[value], semantic("string", "io.debezium.time.IsoTimestamp")
        text = FAR.get(value) or f"{EPOCH + timedelta(microseconds=value):%Y-%m-%dT%H:%M:%S.%fZ}".rjust(27, "0")
        return text, semantic("string", "io.debezium.time.IsoTimestamp")
    number = INFINITE_MICROS.get(value, value)
    if mode == "connect" or (mode == "adaptive" and is_millis):
        name = "org.apache.kafka.connect.data.Timestamp" if mode == "connect" else "io.debezium.time.Timestamp"
        return number // 1000, semantic("int64", name)
    if mode == "adaptive" and connector == "oracle":
        return number * 1000, semantic("int64", "io.debezium.time.NanoTimestamp")
    return number, semantic("int64", "io.debezium.time.MicroTimestamp")


def write_day(value, mode):
    if mode == "isostring":
        text = INFINITE_DAYS[value][1] if isinstance(value, str) else f"{date(1970, 1, 1) + timedelta(days=value)}Z"
        return text, semantic("string", "io.debezium.time.IsoDate")
    return INFINITE_DAYS.get(value, (value,))[0], semantic("int32", "io.debezium.time.Date")


def write_decimal(value, scale, mode):
    if mode == "string":
        return f"{value:.{scale}f}", semantic("string")
    if mode == "double":
        return float(value), semantic("double")
    digits = int(value.scaleb(scale))
    size = (digits + (digits < 0)).bit_length() // 8 + 1
    encoded = base64.b64encode(digits.to_bytes(size, "big", signed=True)).decode()
    return encoded, semantic("bytes", "org.apache.kafka.connect.data.Decimal", scale=str(scale))


def write_row(row, connector, mode, settings):
    """JSON value and schema by column."""
    is_hex = settings["binary"] == "hex"
    raw = row["raw"].hex() if is_hex else base64.b64encode(row["raw"]).decode()
    return {
        "millis": write_moment(row["millis"], mode, True, connector),
        "micros": write_moment(row["micros"], mode, False, connector),
        "day": write_day(row["day"], mode),
        "price": write_decimal(row["price"], 2, settings["decimals"]),
        "long": write_decimal(row["long"], 10, settings["decimals"]),
        "big": write_decimal(Decimal(row["big"]), 0, "precise" if settings["decimals"] == "precise" else "string"),
        "raw": (raw, semantic("string" if is_hex else "bytes")),
    }


def encodings(connector, mode):
    """The cells that `make discover` or the user fills in for a mode."""
    if mode == "isostring":
        return {}
    units = {
        "adaptive": ("ms", "ns" if connector == "oracle" else "us"),
        "connect": ("ms", "ms"),
        "microseconds": ("us", "us"),
    }
    return dict(zip(("millis", "micros"), units[mode], strict=True)) | {"day": "days"}


def expected_row(row, mode):
    """The value that silver may hold, None if it can hold none."""

    def moment(value):
        if isinstance(value, str):
            return LAST if value == "infinity" else FIRST
        value = value // 1000 * 1000 if mode == "connect" else value
        return None if value in FAR else f"{EPOCH + timedelta(microseconds=value):%Y-%m-%d %H:%M:%S.%f}".rjust(26, "0")

    day = row["day"]
    infinite = {"infinity": LAST[:10], "-infinity": FIRST[:10]}
    return {
        "millis": moment(row["millis"]),
        "micros": moment(row["micros"]),
        "day": infinite[day] if isinstance(day, str) else str(date(1970, 1, 1) + timedelta(days=day)),
        "price": row["price"],
        "long": row["long"],
        "big": Decimal(row["big"]),
        "raw": base64.b64encode(row["raw"]).decode(),
    }


def message(number, values, connector, table, *, has_schema):
    source = {"connector": connector, "schema": "s", "table": table, "snapshot": "false"}
    after = {"id": number, **{name: value for name, (value, _) in values.items()}}
    payload = {"op": "c", "before": None, "after": after, "source": source}
    if not has_schema:
        return payload
    fields = [{"field": "id", "type": "int32"}, *({"field": name, **kind} for name, (_, kind) in values.items())]
    return {"schema": {"type": "struct", "fields": [{"field": "after", "fields": fields}]}, "payload": payload}


@pytest.mark.parametrize("feed", FEEDS)
def test_a_value_of_the_source_is_itself_or_in_quarantine(spark, feed):
    options, settings = FEEDS[feed]
    lines, sent, tables = [], {}, [(connector, mode) for connector in CONNECTORS for mode in MODES]
    for connector, mode in tables:
        table, chance = f"{connector}_{mode}", random.Random(f"{SEED} {feed} {connector} {mode}")
        for number in range(ROWS):
            row, has_schema = any_row(chance, connector), chance.random() < 0.3
            written = settings or chance.choice([of_feed for _, of_feed in FEEDS.values() if of_feed])
            values = write_row(row, connector, mode, written)
            text = json.dumps(message(number, values, connector, table, has_schema=has_schema))
            lines.append((f"file:/{table}", f"{table}.json", AT, AT, 7, len(text), number, text))
            sent[table, number] = row, mode, has_schema, values
    columns = {("s", f"{connector}_{mode}"): {"id": "int", **TYPES} for connector, mode in tables}
    stated = {("s", f"{connector}_{mode}"): encodings(connector, mode) for connector, mode in tables}
    described = {
        **{"form": "envelope", "unavailable_value": "n/a", "binlog_names": "", "columns": columns},
        **{**options, "encodings": {} if feed == "unstated" else stated},
    }
    read = read_rows(make_frame(spark, lines, LINES_SCHEMA), described).collect()
    assert len(read) == len(lines)
    for received in read:
        row, mode, has_schema, values = sent[received.source_table, int(received.image["id"])]
        for column, value in expected_row(row, mode).items():
            text, place = received.image[column], (received.source_table, has_schema, column, values[column][0])
            if text is None:
                assert f"column {column}: received" in received.malformed, place
            else:
                assert (Decimal(text) if isinstance(value, Decimal) else text) == value, (place, text)
            is_exact = column not in ("price", "long") or not isinstance(values[column][0], float)
            is_stated = (has_schema and column != "raw") or feed in ("base64", "text")
            if value is not None and is_exact and is_stated:
                assert text is not None, (place, received.malformed)
