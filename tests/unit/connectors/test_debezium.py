"""Messages of Debezium, understood. All cases of this module are read at once: Spark starts slowly and reads fast."""

from __future__ import annotations

import base64
import json
import random
import re
from collections import defaultdict
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
from message_cases import AT, LINES_SCHEMA

from python_udfs.connectors.debezium import read_rows
from python_udfs.connectors.debezium_values import EXPECTED
from spark_files.frames import make_frame

SENTINEL = "__debezium_unavailable_value"
FLAT = {"form": "flattened"}
# Every set of options is a plan of its own, so there are few.
OTHERS = {"decimals": "text", "binary": "hex", "unavailable_value": "<gone>", "binlog_names": "old-bin|new-bin"}
NUMERIC = {"decimals": "number"}
MORE = {"binary": "base64url", "unavailable_value": "hex:3c676f6e653e"}
COLUMNS = {
    ("s", "t"): {"id": "int", "v": "string", "w": "string"},
    ("s", "typed"): {
        "id": "int",
        "amount": "decimal(12,4)",
        "whole": "decimal(20,0)",
        "day": "date",
        "at": "timestamp",
        "local": "timestamp_ntz",
        "bytes": "binary",
        "flag": "boolean",
        "small": "tinyint",
        "big": "bigint",
        "real": "double",
        "text": "string",
        "unknown": None,
        **dict.fromkeys(("at_ms", "at_us", "at_ns"), "timestamp"),
        **dict.fromkeys(("day_days", "day_us"), "date"),
        **{"int_bits": "int", "whole_bits": "decimal(20,0)", "long": "decimal(20,4)"},
    },
    ("edges", "edges"): {
        **{"id": "string", "source": "string", "day": "date"},
        **dict.fromkeys(("micros", "millis"), "timestamp_ntz"),
        "instant": "timestamp",
    },
    ("salesdb", "customer"): {
        **{"custid": "int", "name": "string", "mktsegment": "string", "credit": "decimal(12,2)", "note": "string"},
        "age": "int",
    },
    # Of both databases; only the messages of one know `seconds`.
    ("test_db", "awkward"): {
        **{"number": "decimal(20,0)", "price": "decimal(20,4)", "whole": "decimal(38,0)", "free": "decimal(38,2)"},
        **{"flag": "boolean", "day_value": "date", "big_unsigned": "decimal(20,0)", "bits": "int", "clock": "string"},
        **dict.fromkeys(("seconds", "millis", "micros", "instant"), "timestamp"),
        **dict.fromkeys(("raw", "fixed", "large_raw"), "binary"),
    },
}
ENCODINGS = {
    ("s", "typed"): {
        **{"at_ms": "ms", "at_us": "us", "at_ns": "ns", "day_days": "days", "day_us": "us"},
        **{"int_bits": "bits", "whole_bits": "bits"},
    },
    ("test_db", "awkward"): {"millis": "ms", "seconds": "ms", "micros": "us", "bits": "bits"},
}
CASES: list[tuple[dict, list[tuple[str, list]]]] = []


class Case:
    """Messages that are read together; the rows that they became, in the order of their lines."""

    def __init__(self, *messages, key=None, **options):
        self.number = len(CASES)
        files = messages if key is None else [(key, list(messages))]
        if not files or not isinstance(files[0], tuple):
            files = [(f"topics/p{self.number}.s.t/partition=0/p{self.number}.s.t+0+0000000000.json", list(messages))]
        CASES.append((options, files))


@pytest.fixture(scope="module")
def fields(spark):
    """The rows of a case, every case read once and all of them together."""
    groups = defaultdict(list)
    for number, (options, files) in enumerate(CASES):
        for file, (key, messages) in enumerate(files):
            for row, message in enumerate(messages):
                line = message if message is None or isinstance(message, str) else json.dumps(message)
                path = f"{number} {file}"
                groups[json.dumps(options)].append((path, f"{number}/{key}", AT, AT, 7, 1, row, line))
    frames = []
    for options, lines in groups.items():
        feed = {
            "form": "envelope",
            "decimals": "base64",
            "binary": "base64",
            "unavailable_value": SENTINEL,
            "binlog_names": "",
            "columns": COLUMNS,
            "encodings": ENCODINGS,
            **json.loads(options),
        }
        frames.append(read_rows(make_frame(spark, lines, LINES_SCHEMA), feed))
    everything = frames[0]
    for frame in frames[1:]:
        everything = everything.unionByName(frame)
    numbered = defaultdict(list)
    for row in everything.collect():
        number, file = map(int, row.path.split())
        numbered[number].append(((file, row.file_row), row))
    return lambda case: [row for _, row in sorted(numbered[case.number], key=lambda pair: pair[0])]


def silver(messages, key="id"):
    """Rows after the changes, applied in their order, unavailable values carried forward (docs/feeds/order.md)."""
    assert [row.malformed for row in messages] == [None] * len(messages)
    state = {}
    accepted = [row for row in messages if row.set_aside is None]
    for row in sorted(accepted, key=lambda row: (row.kind != "load", row.position)):
        if row.operation == "T":
            state = {}
            continue
        old = state.pop(row.image[key], {})
        if row.operation != "D":
            kept = {name: old[name] for name in row.unavailable or () if name in old}
            state[row.image[key]] = {**kept, **row.image}
    return {number: "".join(row[name] or "-" for name in ("v", "w") if name in row) for number, row in state.items()}


def mysql(op, before=None, after=None, pos=4, row=0, file="mysql-bin.000001", ts=1_000, snapshot="false", **more):
    source = {"connector": "mysql", "ts_ms": ts, "snapshot": snapshot, "db": "s", "table": "t", **more}
    source |= {"server_id": 1, "file": file, "pos": pos, "row": row}
    return {"before": before, "after": after, "source": source, "op": op, "ts_ms": 9_999}


def postgres(op, before=None, after=None, lsn=None, commit=None, snapshot=None, table="t", ts=1_000):
    source = {"connector": "postgresql", "ts_ms": ts, "snapshot": snapshot, "db": "d", "schema": "s", "table": table}
    source |= {"lsn": lsn, "sequence": None if commit is None else json.dumps([commit or None, lsn and str(lsn)])}
    return {"before": before, "after": after, "source": source, "op": op}


def oracle(op, after, **source):
    source = {"connector": "oracle", "ts_ms": 1, "db": "ORCL", "schema": "s", "table": "t", **source}
    return {"before": None, "after": after, "source": source, "op": op}


def t(number, v=None, w=None):
    values = {"id": number, "v": v, "w": w}
    return {name: value for name, value in values.items() if value is not None}


def with_schema(payload, **types):
    """The message with the schema that the JSON converter adds."""
    fields = [{"field": name, **({"type": kind} if isinstance(kind, str) else kind)} for name, kind in types.items()]
    if "op" in payload:
        fields = [{"field": name, "type": "struct", "fields": fields} for name in ("before", "after")]
    return {"schema": {"type": "struct", "fields": fields, "optional": False, "name": "x"}, "payload": payload}


def semantic(name, kind="int64", **parameters):
    return {"type": kind, "name": name, "version": 1, "parameters": parameters, "optional": True}


class Raw(str):
    """JSON text that goes into a message as it stands, by `raw`."""

    __slots__ = ()

    def __new__(cls, text):
        return super().__new__(cls, f"raw {text}")


def raw(message):
    return re.sub('"raw ([^"]*)"', r"\1", json.dumps(message))


def values(*, before=None, op="c", **after):
    return postgres(op, before, {"id": 1, **after}, lsn=5, commit="4", table="typed")


# What a message is ----------------------------------------------------------------------------------------------------

KINDS = Case(
    mysql("r", None, t(1, "a"), snapshot="first", ts=1_700_000_000_123),
    mysql("c", None, t(2, "b")),
    mysql("u", t(2, "b", "x"), t(2, "c", "x"), pos=5),
    mysql("d", t(2, "c", "x"), None, pos=6),
    mysql("t", pos=7, ts_us=1_700_000_000_123_456),
)


def test_operations_kinds_and_images(fields):
    load, insert, update, delete, truncate = fields(KINDS)
    assert [(row.kind, row.operation) for row in fields(KINDS)] == [
        ("load", "L"),
        ("change", "I"),
        ("change", "U"),
        ("change", "D"),
        ("truncate", "T"),
    ]
    assert {(row.source_schema, row.source_table) for row in fields(KINDS)} == {("s", "t")}
    assert load.image == {"id": "1", "v": "a"}
    assert insert.image == {"id": "2", "v": "b"}
    assert update.image == {"id": "2", "v": "c", "w": "x"}
    assert delete.image == {"id": "2", "v": "c", "w": "x"}
    assert truncate.image is None
    assert {row.set_aside or row.malformed for row in fields(KINDS)} == {None}
    assert load.committed_at == datetime(2023, 11, 14, 22, 13, 20, 123000)
    assert truncate.committed_at == datetime(2023, 11, 14, 22, 13, 20, 123456)
    assert json.loads(insert.content) == CASES[KINDS.number][1][0][1][1]


def test_an_update_tells_the_old_values_of_what_it_changed(fields):
    assert [row.before for row in fields(KINDS)] == [None, None, {"v": "b"}, None, None]


SNAPSHOTS = Case(
    *(mysql("r", None, t(1), snapshot=word) for word in (True, "true", "first", "first_in_data_collection")),
    *(mysql("r", None, t(1), snapshot=word) for word in ("last_in_data_collection", "last", None, False)),
    mysql("r", None, t(1), snapshot="incremental"),
)


def test_snapshot_rows_are_the_load_but_incremental_ones_are_changes(fields):
    assert [(row.kind, row.operation) for row in fields(SNAPSHOTS)] == [("load", "L")] * 8 + [("change", "I")]


MESSAGE = {"op": "m", "ts_ms": 1, "source": {"schema": "", "table": ""}, "message": {"prefix": "a", "content": "Yg=="}}
CONTROL = [
    ("tombstone", ["", "null", " null ", None, '{"schema":null,"payload":null}', with_schema({}) | {"payload": None}]),
    ("heartbeat", [{"ts_ms": 1}, with_schema({"ts_ms": 1}, ts_ms="int64")]),
    ("transaction", [{"status": "BEGIN", "id": "5:1", "ts_ms": 1, "event_count": None, "data_collections": None}]),
    ("schema_change", [{"source": {}, "ts_ms": 1, "databaseName": "s", "ddl": "drop", "tableChanges": []}]),
    ("message", [MESSAGE, with_schema(MESSAGE)]),
]
ASIDE = [(options, Case(*(line for _, lines in CONTROL for line in lines), **options)) for options in ({}, FLAT)]


@pytest.mark.parametrize(("options", "case"), ASIDE, ids=["envelope", "flattened"])
def test_messages_of_no_table_are_set_aside(fields, options, case):
    assert [row.set_aside for row in fields(case)] == [word for word, lines in CONTROL for _ in lines]
    assert {(row.operation, row.kind, row.source_table, row.image, row.malformed) for row in fields(case)} == {
        (None,) * 5
    }


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ({"id": 7}, "null", ("D", {"id": "7"}, None, None)),
        (with_schema({"id": 7}, id="int32"), with_schema({}) | {"payload": None}, ("D", {"id": "7"}, None, None)),
        (with_schema({"id": 7}, id="int32"), None, ("D", {"id": "7"}, None, None)),
        ({"ts_ms": 7}, {"schema": None, "payload": None}, ("D", {"ts_ms": "7"}, None, None)),
        (None, None, ("D", None, None, "received 'null', expected an object")),
        ({"schema": None, "payload": None}, "", ("D", None, None, "received 'null', expected an object")),
        ({"id": 7}, {"payload": None, "id": 7}, ("I", {"payload": None, "id": "7"}, None, None)),
    ],
    ids=str,
)
def test_a_message_without_a_value_deletes_its_key_or_is_a_mistake(spark, key, value, expected):
    text = [line if line is None or isinstance(line, str) else json.dumps(line) for line in (value, key)]
    rows = [("p", "topics/p.s.t/p.s.t+0+0000000000.json", AT, AT, 7, 1, 0, *text)]
    feed = {**FLAT, "decimals": "base64", "binary": "base64", "unavailable_value": SENTINEL, "binlog_names": ""}
    feed |= {"columns": COLUMNS, "encodings": ENCODINGS, "tombstones": "delete"}
    [row] = read_rows(make_frame(spark, rows, f"{LINES_SCHEMA}, key string"), feed).collect()
    assert (row.operation, row.image, row.set_aside) == expected[:3]
    assert (row.malformed or "").startswith(expected[3] or "") and bool(row.malformed) == bool(expected[3])


ALMOST = Case(
    {"ts_ms": 1, "id": 2, "__op": "c", "__table": "t", "__db": "s"},
    {"status": "BEGUN", "id": 2, "event_count": 1, "data_collections": 1},
    {"schema": "a", "payload": None, "id": 2},
    {"schema": "a", "payload": None},
    {"schema": "a", "payload": {"x": 1}},
    {"schema": {"type": "record"}, "payload": None},
    {"source": "a", "message": "b", "op": "n"},
    **FLAT,
)


def test_a_row_that_looks_like_a_message_of_no_table_is_a_row(fields):
    assert [row.set_aside or row.malformed for row in fields(ALMOST)] == [None] * 7
    assert fields(ALMOST)[4].image == {"schema": "a", "payload": '{"x":1}'}


BROKEN = [
    ("[1]", "received '[1]', expected an object"),
    ("7", "received '7', expected an object"),
    ('{"op": "c"', 'received \'{"op": "c"\', expected an object'),
    ('{"op":"c"} {"op":"d"}', 'received \'{"op":"c"} {"op":"d"}\', expected an object'),
    ('{"op":"c"},{"op":"d"}', 'received \'{"op":"c"},{"op":"d"}\', expected an object'),
    ({"id": 1, "v": "a"}, "received the keys 'id, v', expected an envelope with op, source, before and after"),
    (mysql("c"), "op c: received no after, expected an object"),
    (mysql("r", t(1)), "op r: received no after, expected an object"),
    (mysql("d", None, t(1)), "op d: received no before, expected an object"),
    (mysql("c", None, "text"), "op c: received no after, expected an object"),
    (mysql("c", None, t(1), table=""), "received the table s.?, expected schema and table"),
    (mysql("c", None, t(1), schema="", db=""), "received the table ?.t, expected schema and table"),
    ({"op": "t"}, "received the table ?.?, expected schema and table"),
    (mysql("c", None, t(1), file="x"), "source file: received 'x', expected a name, a point and a number"),
    (
        mysql("c", None, t(1), pos="1.5", row="x\ny"),
        "source pos: received '1.5', expected a whole number; source row: received 'x y', expected a whole number",
    ),
    (
        mysql("c", None, t(1), file="mysql-bin." + "9" * 17),
        f"source file: received 'mysql-bin.{'9' * 17}', expected a name, a point and a number",
    ),
    (postgres("c", None, t(1), lsn=1, commit="a"), "source sequence: received 'a', expected a whole number"),
    (oracle("c", t(1), scn="a"), "source scn: received 'a', expected a whole number"),
]
BROKEN_CASE = Case(*(message for message, _ in BROKEN))


def test_what_is_wrong_with_a_message_is_reported(fields):
    assert [row.malformed for row in fields(BROKEN_CASE)] == [reason for _, reason in BROKEN]


DIGITS = "1234567890" * 4
LONG_NUMBERS = [
    *(DIGITS[:38], DIGITS[:39], f"0.{DIGITS[:38]}", f"-12.{DIGITS[:37]}"),
    *(f'{{"n":[{DIGITS}]}}', f'"{DIGITS}\\"{DIGITS}"'),
    *("1.2345678901234567e19", f"0.{DIGITS[:18]}E-5", f'"{DIGITS[:20]}e5"'),
]
LONG_CASE = Case(*(json.dumps(mysql("c", None, t(1, "V"))).replace('"V"', number) for number in LONG_NUMBERS))


def test_a_number_of_more_digits_than_are_kept_is_quarantined(fields):
    rows = fields(LONG_CASE)
    wrong = "received a number of more digits, expected 38 at most"
    with_exponent = "received a number of more digits with an exponent, expected 17 at most"
    assert [row.malformed for row in rows] == [None, wrong, None, wrong, wrong, None, None, with_exponent, None]
    assert [rows[number].image["v"] for number in (0, 2, 5)] == [
        LONG_NUMBERS[0],
        LONG_NUMBERS[2],
        f'{DIGITS}"{DIGITS}',
    ]


TWICE = "a column twice, expected each once"
EMPTY_NAME = Case(mysql("c", None, t(1) | {"": "a"}), mysql("c", None, t(1)))
TWICE_IN_SCHEMA = with_schema(values(amount="AY/J"), amount={"type": "bytes"})
TWICE_IN_SCHEMA["schema"]["fields"][1]["fields"] *= 2
TWICE_CASES = [
    Case(
        *(
            mysql("c", None, t(1) | {"v": "a", "V": "b"}),
            mysql("u", t(1) | {"v": "a", "V": "b"}, t(1)),
            mysql("c", None, t(1)),
        ),
    ),
    Case({**t(1), "V": "b", "v": "a", "__op": "c", "__schema": "s", "__table": "t"}, **FLAT),
    Case(TWICE_IN_SCHEMA, mysql("c", None, t(1))),
]


def test_columns_that_differ_in_case_only_cost_their_message_and_no_other(fields):
    after, before, good = fields(TWICE_CASES[0])
    (flat,) = fields(TWICE_CASES[1])
    assert [(row.malformed, row.image, row.before) for row in (after, before, flat)] == [(TWICE, None, None)] * 3
    assert (good.malformed, good.image) == (None, {"id": "1"})


def test_a_column_without_a_name_costs_its_message_and_no_other(fields):
    broken, good = fields(EMPTY_NAME)
    assert (broken.malformed, broken.image) == ("a column without a name", None)
    assert good.malformed is None


def test_a_field_twice_in_the_schema_costs_its_message_and_no_other(fields):
    broken, good = fields(TWICE_CASES[2])
    assert broken.malformed == "schema: received a field twice, expected each once"
    assert (broken.source_table, broken.image) == ("typed", None)
    assert (good.malformed, good.image) == (None, {"id": "1"})


STRANGE = [
    Case(mysql("c", None, t(1), ts=2**62)),
    Case(with_schema(values(amount="AY/J"), amount={"type": "bytes", "field": None})),
    Case({"schema": {"type": "struct", "fields": "x"}, "payload": values(amount="AY/J")}),
    Case(mysql("c", None, t(1)) | {"source": "x"}),
    Case(t(1), key="topics/p.s.t/p.s.t+0+9999999999999999999.json", **FLAT),
]


def test_no_message_stops_the_others(fields):
    assert [(fields(case)[0].malformed or "")[:18] for case in STRANGE] == [
        "",
        "",
        "",
        "received the table",
        "received the table",
    ]
    assert [fields(case)[0].image.get("amount") for case in STRANGE[1:3]] == ["10.2345"] * 2
    assert fields(STRANGE[0])[0].committed_at is None


UNKNOWN = Case(mysql("X", None, t(1)), mysql("", None, t(1)), mysql("m", None, t(1)))


def test_case_59_an_unknown_operation_keeps_its_name(fields):
    assert [(row.operation, row.kind, row.source_table, row.malformed) for row in fields(UNKNOWN)] == [
        (op, "change", "t", None) for op in ("X", "", "m")
    ]


SCHEMAS = Case(
    mysql("c", None, t(1)),
    postgres("c", None, t(1), lsn=1),
    oracle("c", t(1), scn="1"),
    with_schema(postgres("c", None, t(1), lsn=1), id="int32"),
)


def test_the_schema_is_the_database_only_where_there_is_no_schema(fields):
    assert [(row.source_schema, row.source_table) for row in fields(SCHEMAS)] == [("s", "t")] * 4


# Order ----------------------------------------------------------------------------------------------------------------

CASE_15 = Case(
    postgres("r", None, t(1, "a", "BIG"), lsn=1, snapshot="last"),
    postgres("u", None, t(1, "b", SENTINEL), lsn=2),
)


def test_case_15_an_unavailable_value_is_named_and_absent(fields):
    update = fields(CASE_15)[1]
    assert (update.unavailable, update.image) == (["w"], {"id": "1", "v": "b"})
    assert silver(fields(CASE_15)) == {"1": "bBIG"}


CASE_17 = [
    Case(postgres("u", t(1, "a", SENTINEL), t(1, "b", SENTINEL), lsn=2), **options) for options in ({}, OTHERS, MORE)
]
CONFIGURED = [Case(postgres("u", None, t(1, "<gone>", "PGdvbmU+"), lsn=2), **options) for options in (OTHERS, MORE)]


def test_case_17_a_text_that_equals_the_placeholder_is_taken_for_it_unless_another_one_is_configured(fields):
    assert [fields(case)[0].unavailable for case in CASE_17] == [["w"], None, None]
    assert fields(CASE_17[1])[0].image["w"] == SENTINEL
    assert [fields(case)[0].unavailable for case in CONFIGURED] == [["v", "w"]] * 2


FORMS = {
    "binary": "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==",
    "hexadecimal": SENTINEL.encode().hex(),
    "texts": [SENTINEL],
    "binaries": ["X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="],
    "numbers": list(SENTINEL.encode()),
    "map": {SENTINEL: SENTINEL},
}
CASE_18 = Case(
    postgres("u", None, {"id": 1, **FORMS}, lsn=2),
    with_schema(postgres("u", None, {"id": 1, "w": FORMS["binary"]}, lsn=2), id="int32", w="bytes"),
)


def test_case_18_placeholders_of_other_types(fields):
    plain, typed = fields(CASE_18)
    assert (sorted(plain.unavailable), plain.image) == (sorted(FORMS), {"id": "1"})
    assert (typed.unavailable, typed.image) == (["w"], {"id": "1"})


UNKNOWN_OLD = Case(
    postgres("u", t(1, "a", SENTINEL), t(2, "b", "BIG"), lsn=2), postgres("d", t(1, "a", SENTINEL), None, lsn=3)
)


def test_a_placeholder_in_the_image_before_is_no_value(fields):
    update, delete = fields(UNKNOWN_OLD)
    assert (update.before, update.unavailable) == ({"id": "1", "v": "a"}, None)
    assert (delete.image, delete.unavailable) == ({"id": "1", "v": "a"}, ["w"])


CASE_19 = Case(
    postgres("c", None, t(1, "a"), lsn=3, commit=""),
    postgres("c", None, t(2, "b"), lsn=7, commit=""),
    postgres("c", None, t(3, "c"), lsn=4, commit="8"),
    postgres("t", lsn=99, commit="8"),
    postgres("c", None, t(3, "d"), lsn=10, commit="100"),
)


def test_case_19_transactions_are_in_the_order_of_their_commits(fields):
    positions = [row.position for row in fields(CASE_19)]
    assert positions == sorted(positions)
    assert len({len(position) for position in positions}) == 1
    assert silver(fields(CASE_19)[:3]) == {"1": "a", "2": "b", "3": "c"}


WITHOUT_COMMIT = Case(
    postgres("u", None, t(1, "a"), lsn=15, commit="10"),
    postgres("u", None, t(1, "b"), lsn=30, commit=""),
    postgres("d", t(1), None, lsn=40, commit="35"),
)


def test_an_event_before_the_first_commit_seen_has_the_position_of_its_own_lsn(fields):
    positions = [row.position for row in fields(WITHOUT_COMMIT)]
    assert positions == sorted(set(positions))
    assert silver(fields(WITHOUT_COMMIT)[:2]) == {"1": "b"}
    assert silver(fields(WITHOUT_COMMIT)) == {}


def streamed(chance):
    """Messages of a connector that starts again now and then, and the rows of the table at the end.

    A row is locked until its transaction commits, so transactions that overlap change other keys. The connector sends
    whole transactions in the order of their commits. After a start it knows no commit, and sends the last ones again.
    """
    transactions, state, lsn, free = [], {}, 100, set(range(1, 6))
    open_ones = []
    while len(transactions) < 40:
        lsn += 1
        if open_ones and (not free or chance.random() < 0.4):
            keys, events = open_ones.pop(chance.randrange(len(open_ones)))
            free |= keys
            transactions.append((events, lsn))
            continue
        if free and chance.random() < 0.5:
            keys = set(chance.sample(sorted(free), chance.randint(1, min(2, len(free)))))
            free -= keys
            open_ones.append((keys, []))
        if open_ones:
            keys, events = chance.choice(open_ones)
            key = chance.choice(sorted(keys))
            events.append(("d" if chance.random() < 0.2 else "u", key, lsn))
    sent, last_commit, place = [], None, 0
    while place < len(transactions):
        if place and chance.random() < 0.2:
            place, last_commit = max(0, place - chance.randint(0, 2)), None
        events, commit = transactions[place]
        sent += [
            postgres(
                op,
                t(key),
                None if op == "d" else t(key, str(own)),
                lsn=own,
                commit=str(last_commit or ""),
            )
            for op, key, own in events
        ]
        last_commit, place = commit, place + 1
    for events, _ in transactions:
        for op, key, own in events:
            state[str(key)] = None if op == "d" else str(own)
    return sent, {key: value for key, value in state.items() if value}


STREAMS = [streamed(random.Random(number)) for number in range(20)]
STREAM_CASES = [Case(*sent) for sent, _ in STREAMS]


def test_sequences_with_and_without_a_commit_are_in_the_order_of_each_key(fields):
    assert any("[null, " in message["source"]["sequence"] for sent, _ in STREAMS for message in sent[len(sent) // 2 :])
    assert [silver(fields(case)) for case in STREAM_CASES] == [state for _, state in STREAMS]


CASE_20 = Case(
    postgres("u", None, t(1, "b"), lsn=50),
    postgres("r", None, t(1, "b"), snapshot="incremental"),
    postgres("u", None, t(1, "c"), lsn=60),
)
INCREMENTAL = [
    Case(
        *(postgres("r", None, t(1, "r"), snapshot="incremental"), postgres("u", None, t(1, "u"), lsn=1)),
        key="topics/first.s.t/partition=9/first.s.t+9+0000000005.json",
    ),
    Case(
        postgres("u", None, t(1, "u"), lsn=35, commit="30"),
        postgres("r", None, t(1, "r"), commit="40", snapshot="incremental"),
        postgres("u", None, t(1, "v"), lsn=38, commit="40"),
    ),
    Case(
        mysql("u", t(1, "a"), t(1, "b"), pos=9, row=2),
        mysql("r", None, t(1, "r"), pos=9, row=2, snapshot="incremental"),
    ),
]
ALONE = Case(postgres("r", None, t(1, "r"), commit="40", snapshot="incremental"))
WITHIN = Case(
    postgres("u", None, t(1, "u"), lsn=50, commit="40"),
    postgres("r", None, t(1, "r"), commit="40", snapshot="incremental"),
    postgres("u", None, t(1, "v"), lsn=60, commit="40"),
)
ACROSS_FILES = Case(
    ("topics/p.s.t/partition=3/p.s.t+3+0000000002.json", [postgres("r", None, t(1, "r"), snapshot="incremental")]),
    ("topics/p.s.t/partition=3/p.s.t+3+0000000000.json", [postgres("u", None, t(1, "a"), lsn=lsn) for lsn in (60, 70)]),
    ("topics/p.s.t/partition=4/p.s.t+4+0000000000.json", [postgres("u", None, t(2, "a"), lsn=80)]),
)
OTHER_NAMES = Case(
    ("some/folder/b.json", [postgres("r", None, t(1, "r"), snapshot="incremental")]),
    ("some/folder/a.json", [postgres("u", None, t(1, "a"), lsn=70)]),
    ("another/a.json", [postgres("u", None, t(2, "a"), lsn=80)]),
)


def test_case_20_a_row_of_an_incremental_snapshot_follows_what_came_before_it(fields):
    assert silver(fields(CASE_20)) == {"1": "c"}
    assert silver(fields(CASE_20)[:2]) == {"1": "b"}
    positions = [row.position for row in fields(CASE_20)]
    assert positions == sorted(set(positions))


def test_an_incremental_row_before_all_others_beats_none(fields):
    assert silver(fields(INCREMENTAL[0])) == {"1": "u"}


def test_an_incremental_row_that_knows_the_last_commit_follows_it_whatever_else_was_read(fields):
    assert silver(fields(INCREMENTAL[1])[:2]) == {"1": "r"}
    assert fields(ALONE)[0].position == fields(INCREMENTAL[1])[1].position


def test_an_incremental_row_precedes_the_transaction_behind_the_last_commit(fields):
    # With read.only the row comes before the events of that transaction, which name the same commit.
    assert silver(fields(INCREMENTAL[1])) == {"1": "v"}
    # A row that was read while a transaction was sent has all of it: what it has besides comes later.
    assert silver(fields(WITHIN)) == {"1": "v"}
    row = fields(WITHIN)[1].position
    assert row < min(fields(WITHIN)[0].position, fields(WITHIN)[2].position)


def test_an_incremental_row_follows_the_change_whose_position_it_has(fields):
    assert silver(fields(INCREMENTAL[2])) == silver(fields(INCREMENTAL[2])[::-1]) == {"1": "r"}


@pytest.mark.parametrize("case", [ACROSS_FILES, OTHER_NAMES], ids=["sink", "other names"])
def test_an_incremental_row_follows_what_its_topic_partition_had_so_far(fields, case):
    incremental, *streamed, other = fields(case)
    assert max(row.position for row in streamed)[:-1] == incremental.position[:-1]
    assert streamed[0].position < incremental.position < other.position


FAILOVER = [
    mysql("u", t(1), t(1, "new"), file="new-bin.000002", ts=50_000),
    mysql("u", t(1), t(1, "old"), file="old-bin.000900", ts=9_000),
    mysql("u", t(1), t(1, "older"), file="old-bin.000899", ts=60_000),
]
CASE_24 = [Case(*FAILOVER), Case(*FAILOVER, **OTHERS), Case(FAILOVER[0], **OTHERS)]
UNNAMED = Case(mysql("c", None, t(1), file="mariadb-bin.000001"), **OTHERS)


def test_case_24_a_server_that_takes_over_comes_later(fields):
    assert silver(fields(CASE_24[0])) == {"1": "new"}
    assert silver(fields(CASE_24[1])) == {"1": "new"}


def test_case_24_named_binary_logs_have_the_same_position_in_every_batch(fields):
    assert fields(CASE_24[2])[0].position == fields(CASE_24[1])[0].position
    assert fields(UNNAMED)[0].malformed == (
        "source file: received 'mariadb-bin.000001', expected old-bin or new-bin, a point and a number; "
        "a new name is added at the end of the option binlog_names"
    )


CASE_25 = Case(
    oracle("u", t(1, "b"), scn="1000", commit_scn="2000"),
    oracle("u", t(1, "a"), scn="999", commit_scn="2000"),
    oracle("u", t(1, "-"), scn="5000", commit_scn="999"),
    oracle("u", t(2, "b"), scn="7", commit_scn="2000", ssn=10),
    oracle("u", t(2, "a"), scn="7", commit_scn="2000", ssn=9),
    oracle("u", t(3, "a"), scn="7"),
)


def test_case_25_change_numbers_are_numbers(fields):
    assert silver(fields(CASE_25)) == {"1": "b", "2": "b", "3": "a"}


CASE_56 = [
    Case(
        ("topics/p.s.t/partition=0/p.s.t+0+0000000000.json", [make(number) for number in range(8)]),
        ("topics/p.s.t/hour=23/p.s.t+0+0000000005.json.gz", [make(number) for number in range(5, 9)]),
        ("topics/p.s.t/hour=23/p.s.t+1+0000000000.json.gz", [make(number) for number in range(9, 10)]),
        **options,
    )
    for options, make in (
        ({}, lambda number: mysql("u", t(1), t(1, str(number)), pos=100 + number)),
        (FLAT, lambda number: {"id": 1, "v": str(number), "__table": "t", "__db": "s"}),
    )
]


@pytest.mark.parametrize("case", CASE_56, ids=["envelope", "flattened"])
def test_case_56_an_offset_has_one_position_whatever_file_it_is_in(fields, case):
    positions = {}
    for row in fields(case):
        assert positions.setdefault(row.image["v"], row.position) == row.position
    assert [number for number, _ in sorted(positions.items(), key=lambda pair: pair[1])] == list("0123456789")


NOWHERE = Case({"id": 1, "__table": "t", "__db": "s"}, key="landing/2024.json", **FLAT)
ELSEWHERE = Case({"op": "c", "after": t(1), "source": {"schema": "s", "table": "t", "change_lsn": "0:1"}})
WITHOUT_POSITIONS = {"snapshot": "false", "schema": "s", "table": "t", "commit_lsn": "0:1"}
AMONG_OFFSETS = [
    ({"op": "u", "after": t(1, "old"), "source": WITHOUT_POSITIONS}),
    ({"op": "r", "after": t(1, "new"), "source": WITHOUT_POSITIONS | {"snapshot": "incremental", "commit_lsn": None}}),
    ({"op": "u", "after": t(1, "newer"), "source": WITHOUT_POSITIONS}),
]
OF_OFFSETS, OF_LINES = Case(*AMONG_OFFSETS), Case(*AMONG_OFFSETS, key="landing/2024.json")


def test_an_incremental_row_of_a_connector_without_positions_is_in_the_order_of_its_topic(fields):
    assert silver(fields(OF_OFFSETS)[:2]) == {"1": "new"}
    assert silver(fields(OF_OFFSETS)) == {"1": "newer"}
    assert [row.position[-1] for row in fields(OF_OFFSETS)] == ["2"] * 3
    assert [row.position for row in fields(OF_LINES)] == ["0" * 61] * 3


def test_without_any_position_all_rows_are_at_zero(fields):
    [row] = fields(NOWHERE)
    assert (row.position, row.source_schema, row.source_table) == ("0" * 61, "s", "t")


def test_another_connector_is_in_the_order_of_its_topic(fields):
    # The last digit shows that the source's log has no part in it.
    assert fields(ELSEWHERE)[0].position == "0" * 60 + "2"


# Flattened ------------------------------------------------------------------------------------------------------------

FLATTENED = Case(
    t(1, "a") | {"__deleted": "false", "__op": "r", "__table": "t", "__db": "s", "__source_snapshot": "last"},
    t(1, "b") | {"__deleted": "false", "__op": "c", "__table": "t", "__schema": "s", "__db": "d", "__lsn": 5},
    t(1, "c") | {"__op": "u", "__source_table": "t", "__source_schema": "s", "__source_lsn": 6, "__txId": 4},
    {"id": 1, "v": None, "__op": "d", "__deleted": "true", "__table": "t", "__source_ts_ms": 1_000, "__ts_ms": 9},
    t(2) | {"__op": "r", "__source_snapshot": "incremental", "__lsn": None},
    t(3) | {"__op": "X", "__file": "b.000001", "__pos": 5, "__row": 1, "__transaction_id": "a", "__source_x": 1},
    with_schema({"id": 4, "day": 1, "__op": "c"}, id="int32", day=semantic("io.debezium.time.Date"), __op="string"),
    **FLAT,
)
BARE = Case(t(1, "a"), t(1, SENTINEL), "null", **FLAT)
NAMELESS = Case(t(1), {"__table": "t", "id": 1}, "x", key="landing/2024.json", **FLAT)


def test_metadata_of_flattened_messages_is_no_part_of_the_row(fields):
    rows = fields(FLATTENED)
    assert [row.image for row in rows] == [
        {"id": "1", "v": "a"},
        {"id": "1", "v": "b"},
        {"id": "1", "v": "c"},
        {"id": "1", "v": None},
        {"id": "2"},
        {"id": "3"},
        {"id": "4", "day": "1970-01-02"},
    ]
    assert [(row.kind, row.operation) for row in rows] == [
        ("load", "L"),
        ("change", "I"),
        ("change", "U"),
        ("change", "D"),
        ("change", "I"),
        ("change", "X"),
        ("change", "I"),
    ]
    assert {(row.source_schema, row.source_table, row.set_aside, row.malformed) for row in rows} == {
        ("s", "t", None, None)
    }
    assert rows[3].committed_at == datetime(1970, 1, 1, 0, 0, 1)
    assert rows[1].position < rows[2].position
    assert rows[4].position == rows[2].position[:-1] + "1"


def test_flattened_messages_without_metadata_are_whole_or_partial_rows_of_the_table_of_the_topic(fields):
    whole, partial, _ = fields(BARE)
    assert (whole.operation, whole.source_schema, whole.source_table, whole.image) == (
        "I",
        "s",
        "t",
        {"id": "1", "v": "a"},
    )
    assert (partial.operation, partial.unavailable, partial.image) == ("U", ["v"], {"id": "1"})
    assert whole.position < partial.position


def test_flattened_messages_whose_table_nothing_tells_are_malformed(fields):
    assert [row.malformed for row in fields(NAMELESS)] == [
        "received the table ?.?, expected schema and table",
        "received the table ?.t, expected schema and table",
        "received 'x', expected an object",
    ]


CASE_29 = Case(
    *(
        {"id": number, "v": None, "__deleted": word, "__op": "u"}
        for number, word in enumerate(("true", "false", True, False))
    ),
    **FLAT,
)


def test_case_29_deleted_is_a_text(fields):
    assert [row.operation for row in fields(CASE_29)] == ["D", "U", "D", "U"]


# Values ---------------------------------------------------------------------------------------------------------------

DECIMAL = "org.apache.kafka.connect.data.Decimal"
VARIABLE = "io.debezium.data.VariableScaleDecimal"


def encoded(number):
    size = (number + (number < 0)).bit_length() // 8 + 1
    return base64.b64encode(number.to_bytes(size, "big", signed=True)).decode()


# name: (JSON value, type of the message's schema or None, column of COLUMNS, expected text), by options
READ = {
    "case_31 scale of the schema": ("AY/J", semantic(DECIMAL, "bytes", scale="4"), "unknown", "10.2345"),
    "case_31 scale of cdc_columns": ("AY/J", None, "amount", "10.2345"),
    "case_31 schema before cdc_columns": ("AY/J", semantic(DECIMAL, "bytes", scale="1"), "amount", "10234.5"),
    "decimal 12345": ("MDk=", None, "amount", "1.2345"),
    "decimal 0": ("AA==", None, "amount", "0.0000"),
    "decimal -1": ("/w==", None, "amount", "-0.0001"),
    "decimal -12345": ("z8c=", None, "whole", "-12345"),
    "decimal 255": ("AP8=", None, "whole", "255"),
    "decimal 128": ("AIA=", None, "whole", "128"),
    "decimal -128": ("gA==", None, "whole", "-128"),
    "decimal 2^64": (encoded(2**64), None, "whole", str(2**64)),
    "decimal -2^64": (encoded(-(2**64)), None, "whole", str(-(2**64))),
    "decimal 38 digits": (encoded(10**38 - 1), None, "whole", "9" * 38),
    "decimal -38 digits": (encoded(1 - 10**38), None, "whole", "-" + "9" * 38),
    "decimal of digits only": ("1234", None, "whole", "-2658824"),
    "number of digits only": (1234, None, "whole", "1234"),
    "number with a fraction": (12.5, None, "amount", "12.5"),
    "number with 38 digits": (10**38 - 1, None, "whole", "9" * 38),
    "number in a Decimal": (1234, semantic(DECIMAL, "bytes", scale="0"), "whole", "1234"),
    "double": (12.5, "double", "amount", "12.5"),
    "whole number in a long decimal": (12, None, "long", "12"),
    "text of a schema": ("1234", "string", "whole", "1234"),
    "case_32": ({"scale": -2, "value": "AQ=="}, semantic(VARIABLE, "struct"), "unknown", "100"),
    "case_32 without schema": ({"scale": -2, "value": "AQ=="}, None, "amount", "100"),
    "case_32 of no known type": ({"value": "AY/J", "scale": 4}, None, "text", "10.2345"),
    "text like a VariableScaleDecimal": ('{"scale":-2,"value":"AQ=="}', None, "text", '{"scale":-2,"value":"AQ=="}'),
    "case_33 Timestamp": (
        1529476623000,
        semantic("io.debezium.time.Timestamp"),
        "unknown",
        "2018-06-20 06:37:03.000000",
    ),
    "case_33 Timestamp, no schema": (1529476623000, None, "at_ms", "2018-06-20 06:37:03.000000"),
    "ms near 1970 by its cell": (-1, None, "at_ms", "1969-12-31 23:59:59.999000"),
    "us near 1970 by its cell": (6_825_600_000_000, None, "at_us", "1970-03-21 00:00:00.000000"),
    "schema before the cell": (1, semantic("io.debezium.time.Timestamp"), "at_us", "1970-01-01 00:00:00.001000"),
    "number of a bigint by the cell": (1, "int64", "at_ms", "1970-01-01 00:00:00.001000"),
    "case_33 MicroTimestamp": (
        *(1529507596945104, semantic("io.debezium.time.MicroTimestamp"), "unknown"),
        "2018-06-20 15:13:16.945104",
    ),
    "case_33 MicroTimestamp, no schema": (1529507596945104, None, "local", "2018-06-20 15:13:16.945104"),
    "NanoTimestamp": (
        *(1529507596945104999, semantic("io.debezium.time.NanoTimestamp"), "unknown"),
        "2018-06-20 15:13:16.945104",
    ),
    "NanoTimestamp, no schema": (1529507596945104999, None, "at_ns", "2018-06-20 15:13:16.945104"),
    "NanoTimestamp before 1970": (-1, semantic("io.debezium.time.NanoTimestamp"), "at", "1969-12-31 23:59:59.999999"),
    "Connect's timestamp": (
        -1,
        semantic("org.apache.kafka.connect.data.Timestamp"),
        "at",
        "1969-12-31 23:59:59.999000",
    ),
    "MicroTimestamp near 1970": (
        1_000_000,
        semantic("io.debezium.time.MicroTimestamp"),
        "at",
        "1970-01-01 00:00:01.000000",
    ),
    "zero": (0, None, "at", "1970-01-01 00:00:00.000000"),
    "end of time in ms": (253402300799000, None, "at_ms", "9999-12-31 23:59:59.000000"),
    "2262 is no infinity": (
        *(9223372036825200, semantic("io.debezium.time.MicroTimestamp"), "at"),
        "2262-04-11 23:47:16.825200",
    ),
    "end of time in us": (253402214400000000, None, "at", "9999-12-31 00:00:00.000000"),
    "before 1970 in ms": (-2208988800000, None, "at_ms", "1900-01-01 00:00:00.000000"),
    "ZonedTimestamp": (
        "2018-06-20T13:37:03Z",
        semantic("io.debezium.time.ZonedTimestamp", "string"),
        "at",
        "2018-06-20 13:37:03.000000",
    ),
    "ZonedTimestamp, no schema": ("2018-06-20T13:37:03.123456+02:00", None, "at", "2018-06-20 11:37:03.123456"),
    "IsoTimestamp": (
        "2017-09-15T13:47:33.1Z",
        semantic("io.debezium.time.IsoTimestamp", "string"),
        "at",
        "2017-09-15 13:47:33.100000",
    ),
    "case_34 date": (-1, semantic("io.debezium.time.Date", "int32"), "unknown", "1969-12-31"),
    "case_34 date without schema": (-1, None, "day", "1969-12-31"),
    "case_34 infinity in us": (
        *(9223372036825200000, semantic("io.debezium.time.MicroTimestamp"), "at"),
        "9999-12-31 23:59:59.000000",
    ),
    "case_34 -infinity in us": (
        *(-9223372036832400000, semantic("io.debezium.time.MicroTimestamp"), "at"),
        "0001-01-01 00:00:00.000000",
    ),
    "case_34 infinity in ms": (
        9223372036825200,
        semantic("io.debezium.time.Timestamp"),
        "at",
        "9999-12-31 23:59:59.000000",
    ),
    "case_34 infinity without schema": (9223372036825200000, None, "at", "9999-12-31 23:59:59.000000"),
    "case_34 -infinity by its cell": (-9223372036832400, None, "at_ms", "0001-01-01 00:00:00.000000"),
    "case_34 infinity with zone": ("infinity", None, "at", "9999-12-31 23:59:59.000000"),
    "case_34 -infinity with zone": ("-infinity", None, "at", "0001-01-01 00:00:00.000000"),
    "case_34 zero date": (None, semantic("io.debezium.time.Date", "int32"), "day", None),
    "IsoDate": ("2017-09-15Z", semantic("io.debezium.time.IsoDate", "string"), "day", "2017-09-15"),
    "date of Oracle": (1529476623000000, None, "day_us", "2018-06-20 06:37:03.000000"),
    "date by its cell": (-1, "int32", "day_days", "1969-12-31"),
    "date with a time": ("2018-06-20T13:37:03Z", None, "day", "2018-06-20 13:37:03.000000"),
    "Time": (49653123, semantic("io.debezium.time.Time", "int32"), "text", "13:47:33.123000"),
    "MicroTime": (49653123456, semantic("io.debezium.time.MicroTime"), "text", "13:47:33.123456"),
    "NanoTime": (49653123456789, semantic("io.debezium.time.NanoTime"), "text", "13:47:33.123456"),
    "long MicroTime": (3020399000000, semantic("io.debezium.time.MicroTime"), "text", "838:59:59.000000"),
    "negative MicroTime": (-3723000001, semantic("io.debezium.time.MicroTime"), "text", "-01:02:03.000001"),
    "Connect's time": (1, semantic("org.apache.kafka.connect.data.Time", "int32"), "text", "00:00:00.001000"),
    "ZonedTime": ("07:15:00Z", semantic("io.debezium.time.ZonedTime", "string"), "text", "07:15:00.000000"),
    "IsoTime": ("07:15:00.123Z", semantic("io.debezium.time.IsoTime", "string"), "text", "07:15:00.123000"),
    "ZonedTime elsewhere": (
        "07:15:00+02:00",
        semantic("io.debezium.time.ZonedTime", "string"),
        "text",
        "07:15:00+02:00",
    ),
    "Year": (2024, semantic("io.debezium.time.Year", "int32"), "small", "2024"),
    "bytes": ("AP8=", "bytes", "unknown", "AP8="),
    "binary": ("AP8=", None, "bytes", "AP8="),
    "long binary": ("QUJD" * 100, None, "bytes", "QUJD" * 100),
    "empty binary": ("", None, "bytes", ""),
    "Bits as a number": ("AQI=", semantic("io.debezium.data.Bits", "bytes", length="10"), "big", "513"),
    "Bits without schema": ("AQI=", None, "int_bits", "513"),
    "long Bits without schema": ("/////////38=", None, "whole_bits", "9223372036854775807"),
    "decimal of an integer column": ("AIA=", None, "big", "128"),
    "decimal of an integer column that looks like a boolean": ("true", None, "big", "-4801634"),
    "Bits as bytes": ("AQI=", semantic("io.debezium.data.Bits", "bytes", length="10"), "bytes", "AQI="),
    "boolean": (True, None, "flag", "true"),
    "boolean as a number": (0, "int16", "flag", "false"),
    "number as a boolean": (True, "boolean", "small", "1"),
    "other number as a boolean": (2, None, "flag", "2"),
    "bigint": (9007199254740993, None, "big", "9007199254740993"),
    "real": (1.5, None, "real", "1.5"),
    "not a number": ("NaN", None, "real", "NaN"),
    "Json": ('{"b": 1,  "a": [1.10]}', semantic("io.debezium.data.Json", "string"), "text", '{"b": 1,  "a": [1.10]}'),
    "Enum": ("red", semantic("io.debezium.data.Enum", "string", allowed="red,green"), "text", "red"),
    "EnumSet": ("a,b", semantic("io.debezium.data.EnumSet", "string"), "text", "a,b"),
    "array": (["a", None, 'b"c'], {"type": "array", "items": {"type": "string"}}, "text", '["a",null,"b\\"c"]'),
    "struct": ({"wkb": "AQ==", "srid": None}, "struct", "text", '{"srid":null,"wkb":"AQ=="}'),
    "text of null": ("null", None, "text", "null"),
    "text with escapes": ('ä\n"€😀', None, "text", 'ä\n"€😀'),
    "nothing": (None, None, "amount", None),
}
READ_CASE = {
    name: Case(with_schema(values(**{column: value}), **{column: kind}) if kind else values(**{column: value}))
    for name, (value, kind, column, _) in READ.items()
}


@pytest.mark.parametrize("name", READ)
def test_values_are_read(fields, name):
    column, expected = READ[name][2:]
    [row] = fields(READ_CASE[name])
    assert (row.malformed, row.image) == (None, {"id": "1", column: expected})


OF_CONNECTORS = {
    "mysql": {"connector": "mysql"},
    "mariadb": {"connector": "mariadb"},
    "postgresql": {"connector": "postgresql"},
    "oracle": {"connector": "oracle"},
    "sqlserver": {"connector": "sqlserver"},
    "unnamed": {},
    "with a binary log": {"file": "b.000001", "pos": 4},
    "with an LSN": {"lsn": 4},
    "with an SCN": {"scn": "4"},
}
WITHOUT_NANOSECONDS = ("mysql", "mariadb", "postgresql", "with a binary log", "with an LSN")
# r02: the numbers of a public report, and what a connector of microseconds means by them, if that is certain.
NUMBERS_OF_R02 = {
    5_875_200_000_000: None,
    777_600_000_000: None,
    13_132_800_000_000: None,
    -6_739_200_000_000: None,
    578_829_600_000_000: "1988-05-05 10:00:00.000000",
    # 1970-01-23 23:59:59.999999 was 2032, 10000-01-01 in milliseconds was 1978.
    1_987_199_999_999: None,
    253_402_300_800_000: None,
    568_971_820_800_001: "1988-01-12 07:43:40.800001",
    -210_866_803_200_000: None,
    -210_866_803_200_001: "1963-04-27 09:53:16.799999",
    9_224_318_015_999_999: None,
    1_706_702_400_000: None,
    1_706_702_400_000_000_000: None,
    0: "1970-01-01 00:00:00.000000",
}
SOURCE_OF_TABLE = {"schema": "s", "table": "typed", "snapshot": "false"}
UNITS = {
    (name, form, number): Case(
        {"op": "c", "before": None, "after": {"id": 1, "at": number}, "source": {**SOURCE_OF_TABLE, **source}}
        if form == "envelope"
        else {"id": 1, "at": number, **{f"__{key}": value for key, value in {**SOURCE_OF_TABLE, **source}.items()}},
        **({} if form == "envelope" else FLAT),
    )
    for name, source in OF_CONNECTORS.items()
    for form in ("envelope", "flattened")
    for number in NUMBERS_OF_R02
}


@pytest.mark.parametrize("form", ["envelope", "flattened"])
@pytest.mark.parametrize("name", OF_CONNECTORS)
def test_a_number_of_a_time_is_read_only_if_its_connector_has_one_unit_for_it(fields, name, form):
    for number, moment in NUMBERS_OF_R02.items():
        expected = moment if name in WITHOUT_NANOSECONDS or number == 0 else None
        [row] = fields(UNITS[name, form, number])
        reason = f"column at: received '{number}', expected {EXPECTED['unit']}"
        assert (row.malformed, row.image["at"]) == (None if expected else reason, expected), number


DAYS_OF_CONNECTORS = {
    (name, day): Case({"op": "c", "after": {"id": 1, "day": day}, "source": {**SOURCE_OF_TABLE, **source}})
    for name, source in OF_CONNECTORS.items()
    for day in (0, 19_753)
}


@pytest.mark.parametrize("name", OF_CONNECTORS)
def test_a_number_of_a_date_is_read_only_if_its_connector_sends_days(fields, name):
    assert fields(DAYS_OF_CONNECTORS[name, 0])[0].image["day"] == "1970-01-01"
    [row] = fields(DAYS_OF_CONNECTORS[name, 19_753])
    if name in WITHOUT_NANOSECONDS:
        assert (row.malformed, row.image["day"]) == (None, "2024-01-31")
    else:
        assert row.malformed == f"column day: received '19753', expected {EXPECTED['unit_of_date']}"


# Both readings of these are numbers. r01: keys of a public report.
TEXTS_OF_R01 = {"fw==": "127", "AIA=": "128", "fOZsUOKEAAE=": "9000000000000000001"}
UNSTATED_OPTIONS = {"decimals": "", "binary": ""}
UNSTATED = Case(
    *(values(big=text) for text in TEXTS_OF_R01),
    *(values(amount=text) for text in ("1234", "AY/J")),
    values(bytes="00ff"),
    values(int_bits="AQI="),
    values(big=5, amount=12.5),
    with_schema(values(amount="AY/J"), amount=semantic(DECIMAL, "bytes", scale="4")),
    with_schema(values(amount="12.5"), amount="string"),
    with_schema(values(bytes="AP8="), bytes="bytes"),
    with_schema(values(bytes="00ff"), bytes="string"),
    **UNSTATED_OPTIONS,
)
STATED = Case(*(values(big=text) for text in TEXTS_OF_R01))


def test_a_text_whose_notation_nothing_states_is_quarantined(fields):
    *of_decimals, of_bytes, bits, numbers, decimal, text, binary, hexadecimal = fields(UNSTATED)
    columns = ["big"] * len(TEXTS_OF_R01) + ["amount"] * 2
    texts = [*TEXTS_OF_R01, "1234", "AY/J"]
    assert [row.malformed for row in of_decimals] == [
        f"column {column}: received '{text}', expected {EXPECTED['notation']}"
        for column, text in zip(columns, texts, strict=True)
    ]
    for row in (of_bytes, hexadecimal):
        assert row.malformed == f"column bytes: received '00ff', expected {EXPECTED['notation_of_bytes']}"
    stated = (bits, numbers, decimal, text, binary)
    assert [row.malformed for row in stated] == [None] * len(stated)
    assert [row.image for row in stated] == [
        {"id": "1", "int_bits": "513"},
        {"id": "1", "big": "5", "amount": "12.5"},
        {"id": "1", "amount": "10.2345"},
        {"id": "1", "amount": "12.5"},
        {"id": "1", "bytes": "AP8="},
    ]


def test_base64_in_an_integer_column_is_a_decimal_if_the_feed_states_it(fields):
    assert [row.image["big"] for row in fields(STATED)] == list(TEXTS_OF_R01.values())


BY_OPTION = {
    "text": ("10.2345", "amount", "10.2345", OTHERS),
    "text of digits": ("1234", "whole", "1234", OTHERS),
    "number": (10.2345, "amount", "10.2345", OTHERS),
    "integer": ("1234", "big", "1234", OTHERS),
    "number of all digits": (Raw("0.1234567890123456789"), "long", "0.1234567890123456789", NUMERIC),
    "text beside the unit": ("AQI=", "int_bits", "513", OTHERS),
    "hex": ("00ff", "bytes", "AP8=", OTHERS),
    "long hex": ("00" * 99, "bytes", "A" * 132, OTHERS),
    "url": ("-_8", "bytes", "+/8=", MORE),
}
BY_OPTION_CASE = {
    name: Case(raw(values(**{column: value})), **options) for name, (value, column, _, options) in BY_OPTION.items()
}


@pytest.mark.parametrize("name", BY_OPTION)
def test_options_say_how_values_are_written(fields, name):
    _, column, expected, _ = BY_OPTION[name]
    [row] = fields(BY_OPTION_CASE[name])
    assert (row.malformed, row.image[column]) == (None, expected)


def test_case_names_of_columns_are_compared_without_regard_to_case(fields):
    [row] = fields(UPPER)
    assert row.image["AMOUNT"] == "10.2345"


UPPER = Case(values(AMOUNT="AY/J"))

WHOLE = "base64 of a whole number of at most 38 digits, and its scale in the message's schema or in cdc_columns"
YEARS = "in the years 1 to 9999"
OR_INFINITY = ", or PostgreSQL's infinity"
INSTANT = f"an ISO time {YEARS}{OR_INFINITY}"
UNIT, UNIT_OF_DATE, INEXACT = EXPECTED["unit"], EXPECTED["unit_of_date"], EXPECTED["inexact"]
MAYBE_INFINITY = EXPECTED["maybe_infinity"]
UNREAD = {
    "case_31 without scale": ("AY/J", semantic(DECIMAL, "bytes"), "unknown", "AY/J", WHOLE),
    "39 digits": (encoded(10**38), None, "whole", encoded(10**38), WHOLE),
    "-39 digits": (encoded(-(10**38)), None, "whole", encoded(-(10**38)), WHOLE),
    "17 bytes": (encoded(2**130), None, "whole", encoded(2**130), WHOLE),
    "no base64": ("10.5", None, "amount", "10.5", WHOLE),
    "no bytes": ("", None, "amount", "", WHOLE),
    "no number": ("NAN", "string", "amount", "NAN", "a decimal number"),
    "no decimal": ({"a": 1}, None, "amount", '{"a":1}', "a decimal number"),
    "no value": (
        *({"scale": 1, "value": "?"}, semantic(VARIABLE, "struct"), "amount", '{"scale":1,"value":"?"}'),
        "a scale and base64 of a whole number of at most 38 digits",
    ),
    "ms of a stated decimal": (1529476623000, None, "at", "1529476623000", UNIT),
    "near 1970": (3_600_000, None, "at", "3600000", UNIT),
    "11 digits": (12345678901, None, "at", "12345678901", UNIT),
    "14 digits": (12345678901234, None, "at", "12345678901234", UNIT),
    "ns": (1529507596945104999, None, "at", "1529507596945104999", UNIT),
    "infinity in ms, or us of 2262": (9223372036825200, None, "at", "9223372036825200", UNIT),
    "us of a bigint": (1529507596945104, "int64", "at", "1529507596945104", UNIT),
    "days of an int": (1, "int32", "day", "1", UNIT_OF_DATE),
    **{
        f"{number} ns of PostgreSQL": (
            *(number, semantic("io.debezium.time.NanoTimestamp"), "at", str(number)),
            MAYBE_INFINITY,
        )
        for number in (-29575808000, 22375808000, 2**63 - 1, -(2**63))
    },
    "year 294247 is no infinity": ("+294247-05-05T00:00:00Z", None, "at", "+294247-05-05T00:00:00Z", INSTANT),
    "double of a long decimal": (0.1, "double", "long", "0.1", INEXACT),
    "double of a long whole decimal": (Raw("12.0"), "double", "long", "12", INEXACT),
    "double of a long decimal without schema": (0.5, None, "long", "0.5", INEXACT),
    "exponent": (Raw("1.2345678901234567e5"), None, "long", "123456.78901234567", INEXACT),
    "more than a double": (Raw("1e400"), None, "real", "Infinity", EXPECTED["infinite"]),
    "less than a double": (Raw("1e-400"), None, "real", "0.0", EXPECTED["infinite"]),
    "text of a boolean": ("t", None, "big", "t", WHOLE),
    "time only": ("12:30:00", None, "at", "12:30:00", INSTANT),
    "no time": ("2018-02-30T00:00:00Z", None, "at", "2018-02-30T00:00:00Z", INSTANT),
    "year 0": ("0000-01-01T00:00:00Z", None, "at", "0000-01-01T00:00:00Z", INSTANT),
    "after 9999": ("9999-12-31T23:59:59-05:00", None, "at", "9999-12-31T23:59:59-05:00", INSTANT),
    "ms after 9999": (
        *(253402300800000, semantic("io.debezium.time.Timestamp"), "at", "253402300800000"),
        f"milliseconds since 1970-01-01, {YEARS}{OR_INFINITY}",
    ),
    "us before 1": (
        *(-62135596800000001, semantic("io.debezium.time.MicroTimestamp"), "at", "-62135596800000001"),
        f"microseconds since 1970-01-01, {YEARS}{OR_INFINITY}",
    ),
    "ns as text": ("x", semantic("io.debezium.time.NanoTimestamp"), "at", "x", "nanoseconds since 1970-01-01"),
    "day before 1": (
        *(-719163, semantic("io.debezium.time.Date"), "day", "-719163"),
        f"a number of days since 1970-01-01, {YEARS}{OR_INFINITY}",
    ),
    "day after 9999": (
        *(2932897, None, "day", "2932897"),
        f"a number of days since 1970-01-01, {YEARS}{OR_INFINITY}",
    ),
    "ms of the day": ("x", semantic("io.debezium.time.Time"), "text", "x", "a number of milliseconds"),
    "us of the day": ({}, semantic("io.debezium.time.MicroTime"), "text", "{}", "a number of microseconds"),
    "ns of the day": (1.5, semantic("io.debezium.time.NanoTime"), "text", "1.5", "a number of nanoseconds"),
    "too long a time": (
        *(-(2**63), semantic("io.debezium.time.MicroTime"), "text", str(-(2**63))),
        "a number of microseconds",
    ),
    **{
        f"scale of {scale}": (
            *({"scale": scale, "value": "AQ=="}, None, "amount", f'{{"scale":{scale},"value":"AQ=="}}'),
            "a scale and base64 of a whole number of at most 38 digits",
        )
        for scale in (2**31 - 1, 100, -39, 2**31)
    },
    "bits": ("AQIDBAUGBwgJ", None, "whole_bits", "AQIDBAUGBwgJ", "base64 of at most 8 bytes"),
    "binary": ("\\x00", None, "bytes", "\\x00", "base64"),
    "long": ("?" * 99, None, "bytes", "?" * 80 + "…", "base64"),
}
UNREAD_CASE = {
    name: Case(raw(with_schema(values(**{column: value}), **{column: kind}) if kind else values(**{column: value})))
    for name, (value, kind, column, *_) in UNREAD.items()
}
UNREAD_BY_OPTION = [
    (Case(values(bytes="0g"), **OTHERS), "column bytes: received '0g', expected hexadecimal digits"),
    (
        Case(values(bytes="?"), **MORE),
        "column bytes: received '?', expected base64 as it is written in URLs",
    ),
    (Case(values(amount="AY/J"), **OTHERS), "column amount: received 'AY/J', expected a decimal number"),
    (Case(values(long="AY/J"), **NUMERIC), f"column long: received 'AY/J', expected {EXPECTED['notation']}"),
    (
        Case(raw(values(long=Raw("1.2345678901234567e5"))), **NUMERIC),
        f"column long: received '123456.78901234567', expected {EXPECTED['inexact']}",
    ),
]
SEVERAL = Case(
    postgres("u", {"id": 1, "at": "?", "text": "a"}, {"amount": "?", "day": "?", "text": "a"}, lsn="x", table="typed")
)


@pytest.mark.parametrize("name", UNREAD)
def test_a_value_that_cannot_be_read_makes_the_message_malformed(fields, name):
    column, received, expected = UNREAD[name][2:]
    [row] = fields(UNREAD_CASE[name])
    assert row.malformed == f"column {column}: received '{received}', expected {expected}"


@pytest.mark.parametrize(("case", "reason"), UNREAD_BY_OPTION, ids=["hex", "base64url", "text", "number", "exponent"])
def test_a_value_that_is_not_written_as_the_option_asks_makes_the_message_malformed(fields, case, reason):
    assert fields(case)[0].malformed == reason


def test_everything_that_is_wrong_is_reported_at_once(fields):
    assert fields(SEVERAL)[0].malformed.count("received") == 4


# What Debezium really sends -------------------------------------------------------------------------------------------

SAMPLES = Path(__file__).parents[2] / "real" / "samples"
FORMS_OF_SAMPLES = ("envelope", "schema", "flattened")


def table_of(kind):
    return "test_db.awkward" if kind == "types" else "salesdb.customer"


SAMPLE_CASES = {
    (file.parts[-3], file.stem, file.parts[-2]): Case(
        *file.read_text().splitlines(),
        key=f"{file.parent}/{'.'.join((*file.parts[-3:-1], file.stem))}.{table_of(file.stem)}+0+0000000000.json",
        **(FLAT if file.parts[-2] == "flattened" else {}),
    )
    for file in sorted(SAMPLES.glob("*/*/*.json"))
}
KINDS_OF_SAMPLES = sorted({key[:2] for key in SAMPLE_CASES if key[1] != "types"})


def meaning(rows):
    return [(row.set_aside, row.kind, row.operation, row.image, row.unavailable, row.malformed) for row in rows]


@pytest.mark.parametrize(("database", "kind"), KINDS_OF_SAMPLES)
def test_a_message_means_the_same_in_every_form(fields, database, kind):
    envelope, *others = (
        fields(SAMPLE_CASES[database, kind, form])
        for form in FORMS_OF_SAMPLES
        if (database, kind, form) in SAMPLE_CASES
    )
    tables = {(row.source_schema, row.source_table) for form_rows in (envelope, *others) for row in form_rows}
    assert tables in ({("salesdb", "customer")}, {(None, None)})
    for form_rows in others:
        # A topic of transactions holds those of the other tables of its connector too.
        assert meaning(form_rows) == meaning(envelope) or {row.set_aside for row in form_rows} == {kind}
    for form_rows in (envelope, *others):
        positions = [row.position for row in form_rows if row.set_aside is None]
        assert positions == sorted(positions)
        assert {row.malformed for row in form_rows} == {None}


CUSTOMER = {"custid": "8887", "name": "Customer Name 8887", "mktsegment": "Market segment 8887"}
EXPECTED_OF_SAMPLES = {
    "insert": [("I", {**CUSTOMER, "credit": "10.23", "note": None})],
    "key_update": [("D", ...), ("I", {**CUSTOMER, "custid": "9000", "credit": "10.23", "note": None})],
    "several_statements": [(word, ...) for word in "IIUUDI"],
    "truncate": [("T", None)],
    "schema_change": [(None, None)],
    "heartbeat": [(None, None)],
    "message": [(None, None)],
}


@pytest.mark.parametrize("database", ["mariadb", "postgres"])
def test_real_messages(fields, database):
    for kind, expected in EXPECTED_OF_SAMPLES.items():
        if (database, kind) in KINDS_OF_SAMPLES:
            rows = fields(SAMPLE_CASES[database, kind, "envelope"])
            assert [row.operation for row in rows][: len(expected)] == [word for word, _ in expected], kind
            for row, (_, image) in zip(rows, expected, strict=False):
                assert image in (row.image, ...), kind
    snapshot = fields(SAMPLE_CASES[database, "snapshot", "schema"])
    assert [(row.kind, row.operation, row.image["credit"]) for row in snapshot] == [
        ("load", "L", "123.45"),
        ("load", "L", "-1.00"),
        ("load", "L", "0.00"),
    ]
    assert snapshot[1].image["name"] == 'Anna "Ä"'


def test_a_real_text_out_of_the_row_is_unavailable(fields):
    [update] = fields(SAMPLE_CASES["postgres", "toast", "envelope"])
    assert (update.operation, update.unavailable, update.image["credit"]) == ("U", ["note"], "12345.00")
    assert "note" not in update.image
    assert fields(SAMPLE_CASES["mariadb", "toast", "envelope"])[0].before == {"credit": "0.00"}


@pytest.mark.parametrize("database", ["mariadb", "postgres"])
@pytest.mark.parametrize("form", FORMS_OF_SAMPLES)
def test_keys_of_real_messages_are_shifted(fields, database, form):
    rows = fields(SAMPLE_CASES[database, "several_statements", form]) + fields(
        SAMPLE_CASES[database, "keys_shifted", form]
    )
    final = {}
    for row in sorted(rows, key=lambda row: row.position):
        final[row.image["custid"]] = None if row.operation == "D" else row.image["name"]
    assert final == {"11": None, "12": "d", "13": "c"}


AS_THE_SOURCE_SHOWS_IT = {
    **dict.fromkeys(("number", "price", "whole", "free", "big_unsigned"), Decimal),
    **dict.fromkeys(("double_value", "float_value"), float),
    **dict.fromkeys(("seconds", "millis", "micros", "instant"), lambda text: f"{text[:19]}.{text[20:26]:0<6}"),
    **dict.fromkeys(("raw", "fixed", "large_raw"), lambda text: base64.b64encode(bytes.fromhex(text)).decode()),
    "clock": lambda text: f"{text[:8]}.{text[9:]:0<6}",
    "flag": str.lower,
}
NUMBERS = ("number", "price", "whole", "free", "big_unsigned", "double_value", "float_value")


@pytest.mark.parametrize("database", ["mariadb", "postgres"])
@pytest.mark.parametrize("form", FORMS_OF_SAMPLES)
def test_awkward_values_are_those_of_the_source(fields, database, form):
    lines = (SAMPLES / database / "types.source.json").read_text().splitlines()
    sources = {row["branch"]: row for row in map(json.loads, lines)}
    by_branch = {row.image["branch"]: row.image for row in fields(SAMPLE_CASES[database, "types", form])}
    # Without a schema, nothing shows that a number is a time of day; the units of times are in the seeds.
    untold = ("clock",) if form != "schema" else ()
    for branch, source in sources.items():
        for column, text in source.items():
            value = by_branch[branch][column]
            if column in untold:
                continue
            if text is None:
                assert value is None
                continue
            expected = AS_THE_SOURCE_SHOWS_IT.get(column, str)(text)
            value = AS_THE_SOURCE_SHOWS_IT[column](value) if column in NUMBERS else value
            assert (column, value) == (column, expected)
    assert len(by_branch) == len(sources) == 3


# Each edge of PostgreSQL's times as Debezium sends it: by mode, time zone of the worker, snapshot and stream.
EDGES = {file.stem: file.read_text().splitlines() for file in sorted((SAMPLES / "infinity").glob("*.json"))}
EDGES_COLUMNS = ("day", "micros", "millis", "instant")
EDGE_CASES = {name: Case(*lines) for name, lines in EDGES.items()}
WITHOUT_SCHEMA = {
    name: Case(*(json.dumps(json.loads(line)["payload"]) for line in lines)) for name, lines in EDGES.items()
}
EDGE_VALUES = {
    "infinity": ("9999-12-31", "9999-12-31 23:59:59.000000"),
    "-infinity": ("0001-01-01", "0001-01-01 00:00:00.000000"),
    "0001-01-01 00:00:00": ("0001-01-01", "0001-01-01 00:00:00.000000"),
    "1970-03-10 00:00:00": ("1970-03-10", "1970-03-10 00:00:00.000000"),
    "9999-12-31 23:59:59.999": ("9999-12-31", "9999-12-31 23:59:59.999000"),
}
# Outside the years 1678 to 2261 nanoseconds wrap to other moments, which nothing shows.
IN_NANOSECONDS = ("infinity", "-infinity", "1970-03-10 00:00:00")
# A snapshot counts days before 1582 by the Julian calendar: the year 0.
OF_JULIAN_CALENDAR = "snapshot 0001-01-01 00:00:00"


def expected_edge(row):
    """The values of an edge by column, None for those that are in quarantine."""
    day, moment = EDGE_VALUES.get(row.image["source"], (None, None))
    expected = {"day": day, **dict.fromkeys(("micros", "millis", "instant"), moment)}
    if row.image["id"] == OF_JULIAN_CALENDAR:
        expected |= dict.fromkeys(("micros", "millis", "instant"))
    return expected


@pytest.mark.parametrize("name", EDGES)
def test_infinity_is_the_last_or_the_first_moment_or_in_quarantine_and_no_other_moment(fields, name):
    rows_of_edges = fields(EDGE_CASES[name])
    assert len(rows_of_edges) == 12
    for row in rows_of_edges:
        source, expected = row.image["source"], expected_edge(row)
        if name.startswith("nanoseconds"):
            if source not in IN_NANOSECONDS:
                continue
            if source.endswith("infinity"):
                expected |= {"micros": None, "millis": None}
        assert {column: row.image[column] for column in EDGES_COLUMNS} == expected, row.image["id"]
        reasons = [reason for reason in (row.malformed or "").split("; ") if reason]
        assert {reason.partition(":")[0] for reason in reasons} == {
            f"column {column}" for column, value in expected.items() if value is None
        }
        assert all("infinity" in reason for reason in reasons)


@pytest.mark.parametrize("name", [name for name in EDGES if not name.startswith("nanoseconds")])
def test_without_a_schema_an_edge_is_itself_or_in_quarantine(fields, name):
    for row in fields(WITHOUT_SCHEMA[name]):
        expected = expected_edge(row)
        for column in EDGES_COLUMNS:
            assert row.image[column] in (None, expected[column]), (row.image["id"], column)
