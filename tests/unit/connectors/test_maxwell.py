"""Maxwell's messages, as docs/feeds/maxwell.md has them."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from message_cases import Messages, fields

from python_udfs.connectors.maxwell import read_rows
from python_udfs.connectors.message_reading import RESULT_COLUMNS

MAXWELL = Messages(
    read_rows, columns={("shop", "t"): {"id": "int", "v": "string", "w": "decimal(30,10)", "raw": "binary"}}
)
given = MAXWELL.given
TS = 1706742000  # 2024-01-31 23:00:00


@pytest.fixture(scope="module")
def read_case(spark):
    return MAXWELL.read(spark).__getitem__


def message(type_="insert", data=None, **fields):
    return json.dumps({"database": "shop", "table": "t", "type": type_, "ts": TS, "data": data or {"id": 1}} | fields)


ROWS = given(
    message("insert", {"id": 1, "v": "a", "w": None}),
    message("update", {"id": 1, "v": "b", "w": None}, old={"v": "a"}),
    message("delete", {"id": 1, "v": "b", "w": None}),
    message("bootstrap-insert", {"id": 2, "v": "c", "w": None}),
)


def test_rows_and_what_they_are(read_case):
    inserted, updated, deleted, loaded = read_case(ROWS)
    assert set(inserted.asDict()) == set(RESULT_COLUMNS)
    assert fields(inserted, "file_row", "source_schema", "source_table", "kind", "operation") == (
        *(0, "shop", "t"),
        *("change", "I"),
    )
    assert inserted.content == message("insert", {"id": 1, "v": "a", "w": None})
    assert fields(inserted, "image", "before", "unavailable") == ({"id": "1", "v": "a", "w": None}, None, None)
    assert fields(inserted, "malformed", "set_aside") == (None, None)
    assert fields(updated, "operation", "image", "before") == ("U", {"id": "1", "v": "b", "w": None}, {"v": "a"})
    assert fields(deleted, "operation", "image") == ("D", {"id": "1", "v": "b", "w": None})
    assert fields(loaded, "kind", "operation", "image") == ("load", "L", {"id": "2", "v": "c", "w": None})
    assert {row.batch_id for row in read_case(ROWS)} == {7}


CHANGED_KEY = given(message("update", {"id": 2, "v": "a"}, old={"id": 1}))


def test_a_changed_key_is_one_update_with_the_old_one(read_case):
    [row] = read_case(CHANGED_KEY)
    assert fields(row, "operation", "image", "before") == ("U", {"id": "2", "v": "a"}, {"id": "1"})


VALUES = given(
    '{"database":"shop","table":"t","type":"insert","ts":1706742000,"data":{"id":9007199254740993,'
    '"w":12345678901234567890.1234567890,"zero":1.10,"exp":1.5E+3,"text":"12.50","nested":{"a": [1, 2.50, "3.5"]},'
    '"set":["x","y"],"flag":true,"quote":"a \\"b\\" {c}","blob":"3q2+7w==","at":"2024-01-31 23:00:00.000001"}}'
)


def test_values_come_as_they_are_numbers_with_every_digit(read_case):
    [row] = read_case(VALUES)
    assert row.malformed is None
    assert row.image | {"nested": row.image["nested"].replace(" ", "")} == {
        "id": "9007199254740993",
        "w": "12345678901234567890.1234567890",
        "zero": "1.10",
        "exp": "1.5E+3",
        "text": "12.50",
        "nested": '{"a":[1,2.50,"3.5"]}',
        "set": '["x","y"]',
        "flag": "true",
        "quote": 'a "b" {c}',
        "blob": "3q2+7w==",
        "at": "2024-01-31 23:00:00.000001",
    }


TRANSACTION = given(
    message("update", {"id": 1, "v": "b"}, xid=8, xoffset=0),
    message("update", {"id": 1, "v": "c"}, xid=8, xoffset=1),
    message("update", {"id": 1, "v": "d"}, xid=8, commit=True),
    message("update", {"id": 1, "v": "e"}, xid=9, commit=True),
)


def test_case_53_the_row_that_commits_is_the_last_of_its_transaction(read_case):
    positions = [row.position for row in read_case(TRANSACTION)]
    assert positions == sorted(set(positions))


SECONDS = given(
    message(), message("table-alter", ts=TS * 1000, old={"table": "t"}, **{"def": {"columns": []}, "sql": "alter"})
)


def test_case_54_rows_have_seconds_and_schema_changes_milliseconds(read_case):
    row, ddl = read_case(SECONDS)
    assert row.committed_at == ddl.committed_at == datetime.fromtimestamp(TS)
    assert fields(ddl, "set_aside", "source_schema", "source_table", "operation", "malformed") == ("ddl", *(None,) * 4)


MILLISECONDS = given(message(ts=TS * 1000), message(ts=10**11))


def test_a_row_with_milliseconds_is_no_row_of_another_time(read_case):
    millis, seconds = read_case(MILLISECONDS)
    assert f"ts: received '{TS * 1000}', expected seconds since 1970" in millis.malformed
    # As many digits as milliseconds of 1973: a row has seconds, whatever their number.
    assert seconds.committed_at == datetime.fromtimestamp(10**11)


BOOTSTRAP = given(
    message("bootstrap-start"),
    message("bootstrap-insert", {"id": 1, "v": "c"}, ts=TS + 5),
    message("update", {"id": 1, "v": "b"}, ts=TS + 3, xid=1, xoffset=0, position="mysql-bin.000001:100"),
    message("update", {"id": 1, "v": "c"}, ts=TS + 5, xid=2, commit=True, position="mysql-bin.000001:200"),
    message("bootstrap-complete"),
)


def test_case_55_a_row_of_a_bootstrap_is_below_the_changes_that_were_held_back(read_case):
    started, loaded, first, second, completed = read_case(BOOTSTRAP)
    assert [started.set_aside, completed.set_aside] == ["bootstrap", "bootstrap"]
    assert [loaded.kind, first.kind, second.kind] == ["load", "change", "change"]
    assert first.position < second.position


IN_BINLOG = given(
    *(
        message(position=position, **fields)
        for position, fields in (
            ("mysql-bin.000002:9", {"xoffset": 0}),
            ("mysql-bin.000002:10", {"xoffset": 2}),
            ("mysql-bin.000002:10", {"xoffset": 10}),
            ("mysql-bin.000002:10", {"commit": True}),
            ("mysql-bin.999999:10", {"xoffset": 0}),
            ("mysql-bin.1000000:4", {"xoffset": 0}),
        )
    )
)


def test_numbers_of_the_binlog_are_compared_as_numbers(read_case):
    positions = [row.position for row in read_case(IN_BINLOG)]
    assert positions == sorted(set(positions))
    assert len({len(position) for position in positions}) == 1


TWICE = [
    given(message(position="mysql-bin.000002:9", xoffset=0), key="topics/shop/partition=3/shop+3+0000000005.json"),
    given(message(position="mysql-bin.000002:9", xoffset=0), key="topics/shop/partition=3/shop+3+0000000010.json"),
    given(message(position="mysql-bin.000002:9"), key="topics/shop/partition=3/shop+3+0000000005.json"),
    given(message(position="mysql-bin.000002:9"), key="topics/shop/partition=3/shop+3+0000000010.json"),
]


def test_a_message_that_is_sent_again_has_its_position_unless_the_position_needs_the_offset(read_case):
    first, again, unsure, later = (read_case(case)[0].position for case in TWICE)
    assert first == again
    assert unsure < later


OFFSETS = [
    given(message(ts=TS + 9), message(), key="topics/shop/partition=3/shop+3+0000000009.json"),
    given(message(), key="topics/shop/partition=3/shop+3+0000000010.json.gz"),
    given(message(), key="topics/other/partition=3/other+3+0000000010.json"),
    given(message("bootstrap-insert", ts=TS + 9), message("bootstrap-insert"), key="shop+3+0000000009.json"),
]


def test_case_56_without_a_binlog_position_the_offset_is_the_order(read_case):
    first, second = (row.position for row in read_case(OFFSETS[0]))
    [same], [other] = (read_case(case) for case in OFFSETS[1:3])
    assert first < second == same.position != other.position
    loaded, again = read_case(OFFSETS[3])
    assert loaded.position < again.position


BY_TIME = given(message(ts=TS + 10, xid=1), message(ts=TS + 9, xid=3), message(ts=TS + 9, xid=2), message())


def test_without_both_the_second_and_the_transaction_are_the_order(read_case):
    positions = [row.position for row in read_case(BY_TIME)]
    assert positions == sorted(set(positions), reverse=True)


WRONG = {
    "nonsense": ("nonsense", "received 'nonsense', expected one JSON object"),
    "cut": ('{"database":"shop","table":"t"', 'received \'{"database"'),
    "two": (message() + message(), 'received \'{"database"'),
    "rest": (message() + " x", 'received \'{"database"'),
    "array": ("[]", "received '[]', expected one JSON object"),
    "data": ('{"database":"shop","table":"t","type":"insert","ts":1,"data":[1]}', "expected one JSON object"),
    "nothing": (
        "{}",
        "database: received nothing; table: received nothing; type: received nothing; ts: received nothing",
    ),
    "no data": ('{"database":"shop","table":"t","type":"insert","ts":1}', "data: received nothing"),
    "ts": (message(ts="now"), "ts: received 'now', expected seconds since 1970"),
    "late": (message(ts=999_999_999_999_999), "ts: received '999999999999999', expected seconds since 1970"),
    "too late": (message(ts=-(2**63)), f"ts: received '{-(2**63)}', expected seconds since 1970"),
    "long": (message(ts=2**63 - 1), f"ts: received '{2**63 - 1}', expected seconds since 1970"),
    "binary": (message(data={"raw": "A"}), "column raw: received 'A', expected base64"),
    "xid": (message(xid=-1), "xid: received '-1', expected a natural number"),
    "xoffset": (message(xoffset="a"), "xoffset: received 'a', expected a natural number"),
    "position": (message(position="4"), "position: received '4', expected a binlog file and a position such as"),
    "nameless": (message(data={"id": 1, "": 2}), "a column without a name"),
    "twice": (message(data={"id": 1, "ID": 2}), "a column twice, expected each once"),
    "twice before": (message("update", old={"v": 1, "V": 2}), "a column twice, expected each once"),
}
WRONG_CASES = {name: given(line, message()) for name, (line, _) in WRONG.items()}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_message_reports_why_and_hides_nothing_else(read_case, name):
    row, good = read_case(WRONG_CASES[name])
    assert WRONG[name][1] in row.malformed
    assert fields(row, "content", "image", "before", "set_aside") == (WRONG[name][0], None, None, None)
    assert fields(good, "malformed", "image") == (None, {"id": "1"})


NOTHING = given("", " \r", "null")


def test_lines_without_a_message_are_set_aside(read_case):
    assert [fields(row, "set_aside", "malformed", "operation") for row in read_case(NOTHING)] == [
        ("empty", None, None)
    ] * 3


UNKNOWN = given(message("replace"))


def test_an_unknown_type_is_left_to_bronze(read_case):
    [row] = read_case(UNKNOWN)
    assert fields(row, "operation", "kind", "image", "malformed") == ("replace", "change", {"id": "1"}, None)


LONG = given(message(data={"id": 1, "v": '"\\{}12.5' * 100_000, "w": 1.5}))


def test_long_values_are_read(read_case):
    [row] = read_case(LONG)
    assert fields(row, "malformed", "image") == (None, {"id": "1", "v": '"\\{}12.5' * 100_000, "w": "1.5"})
