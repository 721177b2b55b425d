"""Messages of Canal and TiCDC, as docs/feeds/canal.md has them."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from message_cases import Messages, fields

from python_udfs.connectors.canal import ROWS_PER_LINE, read_rows
from python_udfs.connectors.message_reading import RESULT_COLUMNS

CANAL = Messages(
    read_rows,
    time_zone="UTC",
    members="auto",
    columns={("shop", "t"): {"id": "int", "v": "string", "Raw": "binary", "rank": "smallint"}},
)
given = CANAL.given
ES = 1706742000000  # 2024-01-31 23:00:00


@pytest.fixture(scope="module")
def read_case(spark):
    return CANAL.read(spark).__getitem__


def message(type_, data=None, old=None, *, commit=None, types=None, sql_types=None, **fields):
    return json.dumps(
        {"id": 5, "database": "shop", "table": "t", "pkNames": ["id"], "isDdl": False, "type": type_, "es": ES}
        | {"ts": ES + 500, "sql": "", "sqlType": sql_types, "mysqlType": types, "data": data, "old": old}
        | ({"_tidb": {"commitTs": commit}} if commit is not None else {})
        | fields
    )


ROWS = given(
    message("INSERT", [{"id": "1", "v": "a", "w": None}]),
    message("UPDATE", [{"id": "1", "v": "b"}], [{"v": "a"}]),
    message("DELETE", [{"id": "1", "v": "b"}], [{"id": "1", "v": "b"}]),
)


def test_rows_and_what_they_are(read_case):
    inserted, updated, deleted = read_case(ROWS)
    assert set(inserted.asDict()) == set(RESULT_COLUMNS)
    assert fields(inserted, "file_row", "source_schema", "source_table", "kind", "operation") == (
        *(0, "shop", "t"),
        *("change", "I"),
    )
    assert fields(inserted, "image", "before", "unavailable") == ({"id": "1", "v": "a", "w": None}, None, None)
    assert fields(inserted, "malformed", "set_aside", "committed_at") == (None, None, datetime.fromtimestamp(ES / 1000))
    assert inserted.content == message("INSERT", [{"id": "1", "v": "a", "w": None}])
    assert fields(updated, "operation", "image", "before") == ("U", {"id": "1", "v": "b"}, {"v": "a"})
    assert fields(deleted, "operation", "image", "before") == ("D", {"id": "1", "v": "b"}, None)
    assert [row.file_row for row in read_case(ROWS)] == [0, ROWS_PER_LINE, 2 * ROWS_PER_LINE]


MANY = given(
    message("INSERT", [{"id": "1"}]),
    message("UPDATE", [{"id": "1", "v": "c"}, {"id": "2", "v": "d"}, {"id": "3"}], [{"v": "a"}, {"v": "b"}]),
)


def test_case_48_each_row_of_a_message_with_its_own_old_values(read_case):
    _, *changed = read_case(MANY)
    assert [fields(row, "file_row", "operation", "image", "before") for row in changed] == [
        (ROWS_PER_LINE, "U", {"id": "1", "v": "c"}, {"v": "a"}),
        (ROWS_PER_LINE + 1, "U", {"id": "2", "v": "d"}, {"v": "b"}),
        (ROWS_PER_LINE + 2, "U", {"id": "3"}, None),
    ]
    positions = [row.position for row in read_case(MANY)]
    assert positions[1:] == sorted(set(positions[1:]))
    assert {row.content for row in changed} == {changed[0].content}


CHANGED_KEY = given(message("UPDATE", [{"id": "2", "v": "a"}], [{"id": "1"}]))


def test_case_49_a_changed_key_is_one_update_with_the_old_one(read_case):
    [row] = read_case(CHANGED_KEY)
    assert fields(row, "operation", "image", "before") == ("U", {"id": "2", "v": "a"}, {"id": "1"})


STATEMENTS = given(
    message("QUERY", isDdl=True, sql="create user x", table=""),
    message("QUERY", sql="insert into t values (1)"),
    message("TRUNCATE", isDdl=True, sql="truncate t"),
    message("ERASE", isDdl=True, sql="drop table t"),
    message("ALTER", isDdl=True, sql="alter table t add x int"),
    message("DROP VIEW", isDdl=True),
    message("MHEARTBEAT"),
    message("XACOMMIT"),
)


def test_case_50_statements_are_set_aside_and_those_that_empty_a_table_are_truncates(read_case):
    assert [
        fields(row, "set_aside", "kind", "operation", "source_table", "image") for row in read_case(STATEMENTS)
    ] == [
        ("ddl", None, None, None, None),
        ("ddl", None, None, None, None),
        (None, "truncate", "T", "t", None),
        (None, "truncate", "T", "t", None),
        ("ddl", None, None, None, None),
        ("ddl", None, None, None, None),
        ("heartbeat", None, None, None, None),
        ("transaction", None, None, None, None),
    ]
    assert [row.malformed for row in read_case(STATEMENTS)] == [None] * 8


COMMIT = 447500000000000000
SPLIT = given(
    message("INSERT", [{"id": "1"}], commit=COMMIT),
    message("DELETE", [{"id": "1"}], commit=COMMIT),
    message("INSERT", [{"id": "1"}], commit=COMMIT - 1),
    message("DELETE", [{"id": "1"}], commit=COMMIT + 1),
    message("UPDATE", [{"id": "1"}], commit=10 * COMMIT),
    message("TRUNCATE", commit=10 * COMMIT + 1, isDdl=True),
)


def test_case_51_in_a_transaction_deletes_are_before_inserts(read_case):
    insert, delete, earlier, *later = (row.position for row in read_case(SPLIT))
    positions = [earlier, delete, insert, *later]
    assert positions == sorted(set(positions))
    assert len({len(position) for position in positions}) == 1


AGAIN = [
    given(
        message("INSERT", [{"id": "1"}], commit=COMMIT),
        message("TIDB_WATERMARK", database="", table="", _tidb={"watermarkTs": COMMIT}),
        message("INSERT", [{"id": "1"}], commit=COMMIT),
        key=f"topics/shop/partition=0/shop+0+{start:010}.json",
    )
    for start in (0, 7)
]


def test_case_52_a_row_that_comes_again_after_the_watermark_has_its_place(read_case):
    first, watermark, again = read_case(AGAIN[0])
    assert fields(watermark, "set_aside", "source_table", "operation", "malformed") == ("watermark", None, None, None)
    assert {row.position for row in (first, again, read_case(AGAIN[1])[0])} == {first.position}


OFFSETS = [
    given(
        *(message("UPDATE", [{"id": "1"}, {"id": "1"}], es=es) for es in times),
        key=f"topics/shop/partition=0/shop+0+{start:010}.json",
    )
    for start, times in ((9, (ES + 1, ES)), (10, (ES,)))
]


def test_case_56_the_offset_and_the_position_in_the_message_are_the_order(read_case):
    first = [row.position for row in read_case(OFFSETS[0])]
    assert first == sorted(set(first))
    assert first[2:] == [row.position for row in read_case(OFFSETS[1])]


BY_TIME = given(*(message("UPDATE", [{"id": "1"}, {"id": "1"}], es=es) for es in (ES, ES + 1)))


def test_without_both_the_time_of_execution_is_the_order(read_case):
    positions = [row.position for row in read_case(BY_TIME)]
    assert positions == sorted(set(positions))


ENUM, SET = "enum('Small','it''s','(a),b')", "set('a','B','c')"
VALUES = {
    # mysqlType, sqlType, value: canonical text
    ("int unsigned", 4, "4294967295"): "4294967295",
    ("decimal(30,10)", 3, "12345678901234567890.1234567890"): "12345678901234567890.1234567890",
    ("varchar(20)", 12, "0012.50"): "0012.50",
    ("varchar(20)", 12, None): None,
    ("blob", None, "\xde\xad\xbe\xef\x00'"): "3q2+7wAn",
    ("varbinary(8)", None, ""): "",
    (None, 2004, "\xff"): "/w==",
    ("geometry", 2004, "\x00"): "AA==",
    ("mediumtext", 2005, "\xe9\u4e2d"): "\xe9\u4e2d",
    (ENUM, 4, "1"): "Small",
    (ENUM, 4, "2"): "it's",
    (ENUM, 4, "3"): "(a),b",
    (ENUM, 4, "0"): "",
    (ENUM, 4, "Small"): "Small",
    (SET, -7, "0"): "",
    (SET, -7, "5"): "a,c",
    (SET, -7, "7"): "a,B,c",
    ("bit(3)", -7, "5"): "5",
    ("time", 92, "10:11:12"): "10:11:12.000000",
    ("time(3)", 92, "-838:59:59.5"): "-838:59:59.500000",
    ("timestamp", 93, "2024-01-31 23:00:00"): "2024-01-31 23:00:00",
    ("datetime", 93, "0000-00-00 00:00:00"): "0000-00-00 00:00:00",
    ("json", 12, '{"a": 1.50}'): '{"a": 1.50}',
}
VALUE_CASES = {
    of: given(
        message("INSERT", [{"x": of[2]}], types=of[0] and {"x": of[0]}, sql_types=of[1] and {"x": of[1]}, table="other")
    )
    for of in VALUES
}


@pytest.mark.parametrize("of", VALUES, ids=str)
def test_values_are_texts_that_want_the_type_at_the_source(read_case, of):
    [row] = read_case(VALUE_CASES[of])
    assert fields(row, "image", "malformed") == ({"x": VALUES[of]}, None)


LISTED = given(
    message("INSERT", [{"id": "1", "raw": "\xff", "rank": "2"}], types={"rank": ENUM}),
    message("UPDATE", [{"id": "1", "raw": "\xff"}], [{"raw": "\xfe"}]),
)


def test_listed_types_say_what_is_wanted(read_case):
    inserted, updated = read_case(LISTED)
    assert inserted.image == {"id": "1", "raw": "/w==", "rank": "2"}
    assert fields(updated, "image", "before") == ({"id": "1", "raw": "/w=="}, {"raw": "/g=="})


ZONE = given(
    message(
        "INSERT",
        [{"at": "2024-02-01 07:00:00.5", "zero": "0000-00-00 00:00:00", "local": "2024-02-01 07:00:00"}],
        types={"at": "timestamp(1)", "zero": "timestamp", "local": "datetime"},
    ),
    time_zone="Asia/Shanghai",
)


def test_timestamps_are_moved_from_the_zone_in_which_they_are_written(read_case):
    [row] = read_case(ZONE)
    assert row.image == {
        "at": "2024-01-31 23:00:00.5",
        "zero": "0000-00-00 00:00:00",
        "local": "2024-02-01 07:00:00",
    }


WRONG_VALUES = {
    ("blob", "\u4e2d"): "column x: received '\u4e2d', expected bytes as ISO-8859-1 text",
    (ENUM, "4"): "column x: received '4', expected the number of a member in mysqlType",
    ("enum", "1"): "column x: received '1', expected the number of a member in mysqlType",
    ("set", "1"): "column x: received '1', expected the number of a member in mysqlType",
    (SET, "99999999999999999999"): "column x: received '99999999999999999999', expected the number of a member",
}
WRONG_VALUE_CASES = {
    of: given(
        message("INSERT", [{"x": of[1]}, {"x": None}], types={"x": of[0]}),
        message("UPDATE", [{"x": None}], [{"x": of[1]}], types={"x": of[0]}),
    )
    for of in WRONG_VALUES
}


@pytest.mark.parametrize("of", WRONG_VALUES, ids=str)
def test_a_value_that_cannot_be_decoded_is_wrong_in_its_row_only(read_case, of):
    row, good, before = read_case(WRONG_VALUE_CASES[of])
    assert WRONG_VALUES[of] in row.malformed
    assert WRONG_VALUES[of] in before.malformed
    assert fields(row, "image") == fields(before, "before") == (None,)
    assert fields(good, "image", "malformed") == ({"x": None}, None)


WRONG = {
    "nonsense": ("[", "received '[', expected one JSON object"),
    "two": (message("INSERT", [{"id": "1"}]) * 2, "expected one JSON object"),
    "an object": (message("INSERT", {"id": "1"}), "expected one JSON object"),
    "nothing": ("{}", "database: received nothing; table: received nothing; type: received nothing; es: received"),
    "no data": (message("INSERT"), "data: received no row"),
    "no rows": (message("UPDATE", []), "data: received no row"),
    "null row": (message("DELETE", [None]), "data: received no row"),
    "too many": (message("INSERT", [{}] * (ROWS_PER_LINE + 1)), "data: received 100001 rows, expected 100000 at most"),
    "time": (message("INSERT", [{"id": "1"}], es="now"), "es: received 'now', expected milliseconds since 1970"),
    "late": (
        message("INSERT", [{"id": "1"}], es=999_999_999_999_999),
        "es: received '999999999999999', expected milliseconds since 1970",
    ),
    "long": (message("INSERT", [{"id": "1"}], es=2**63 - 1), f"es: received '{2**63 - 1}', expected milliseconds"),
    "enum": (
        message("INSERT", [{"id": "1", "e": "3000000000"}], types={"e": "enum('a')"}),
        "column e: received '3000000000', expected the number of a member",
    ),
    "least": (
        message("INSERT", [{"id": "1", "e": "-2147483648"}], types={"e": "enum('a')"}),
        "column e: received '-2147483648', expected the number of a member",
    ),
    "commit": (message("INSERT", [{"id": "1"}], commit="x"), "commitTs: received 'x', expected a natural number"),
    "twice": (message("INSERT", [{"id": "1", "ID": "1"}]), "a column twice, expected each once"),
}
WRONG_CASES = {name: given(line, message("INSERT", [{"id": "1"}])) for name, (line, _) in WRONG.items()}


DIGITS = "enum('1','0')"


def make_case(*digits, members):
    return given(message("INSERT", [{"e": digit} for digit in digits], types={"e": DIGITS}), members=members)


AMBIGUOUS, ZERO = make_case("1", "2", members="auto"), make_case("0", members="auto")
BY_NUMBER, BY_NAME = make_case("2", "0", members="numbers"), make_case("1", "0", members="names")


def test_digits_that_are_a_members_name_are_not_taken_for_its_number(read_case):
    assert (
        "e: received '0', expected a number that is no member's name too: set members=" in read_case(ZERO)[0].malformed
    )
    # The first is both the number and the name of one member.
    assert [row.image["e"] for row in read_case(AMBIGUOUS)] == ["1", "0"]
    assert [row.image["e"] for row in read_case(BY_NUMBER)] == ["0", ""]
    assert [row.image["e"] for row in read_case(BY_NAME)] == ["1", "0"]


TEXT_AS_BYTES = given(message("INSERT", [{"id": "1", "raw": "é"}], types={"raw": "varchar(9)"}))


def test_a_text_that_is_listed_as_binary_is_not_made_bytes_by_a_guess(read_case):
    assert "column raw: received 'é', expected bytes: mysqlType is of no bytes" in read_case(TEXT_AS_BYTES)[0].malformed


MEMBERS = ",".join(f"'{number}'" for number in range(70))
LONG_SET = given(message("INSERT", [{"id": "1", "e": "3"}], types={"e": f"set({MEMBERS})"}), members="numbers")


def test_a_set_has_no_bits_behind_the_64th(read_case):
    assert read_case(LONG_SET)[0].image["e"] == "0,1"


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_message_reports_why_and_hides_nothing_else(read_case, name):
    row, good = read_case(WRONG_CASES[name])
    assert WRONG[name][1] in row.malformed
    assert fields(row, "content", "image", "before", "set_aside") == (WRONG[name][0], None, None, None)
    assert fields(good, "malformed", "image") == (None, {"id": "1"})


NOTHING = given("", "null")


def test_lines_without_a_message_are_set_aside(read_case):
    assert [fields(row, "set_aside", "malformed", "operation") for row in read_case(NOTHING)] == [
        ("empty", None, None)
    ] * 2


UNKNOWN = given(message("REPLACE", [{"id": "1"}, {"id": "2"}]))


def test_an_unknown_type_is_left_to_bronze(read_case):
    assert [fields(row, "operation", "kind", "image", "malformed") for row in read_case(UNKNOWN)] == [
        ("REPLACE", "change", {"id": "1"}, None),
        ("REPLACE", "change", {"id": "2"}, None),
    ]
