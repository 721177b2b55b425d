"""Messages of AWS DMS, as docs/feeds/dms_kafka.md has them."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from message_cases import Messages, fields

from python_udfs.connectors.dms_kafka import read_rows
from python_udfs.connectors.message_reading import RESULT_COLUMNS

DMS = Messages(
    read_rows,
    absent_columns="null",
    before_image_field="before-image",
    before_image_prefix=None,
    columns={
        ("shop", "t"): {"id": "int", "v": "string", "W": "string"},
        ("shop", "types"): {
            "Id": "bigint",
            "price": "decimal(20,4)",
            "weight": "double",
            "photo": "binary",
            "note": "string",
        },
    },
)
given = DMS.given
DETAILS = {"commit-timestamp": "2024-01-31T23:00:00.000000Z", "transaction-id": 9324410911751}


@pytest.fixture(scope="module")
def read_case(spark):
    return DMS.read(spark).__getitem__


def message(operation, data, made="2024-01-31T23:00:01.000001Z", table="t", indent=None, **metadata):
    before = {"before-image": metadata.pop("before")} if "before" in metadata else {}
    metadata = {
        **{"timestamp": made, "record-type": "data", "operation": operation, "partition-key-type": "schema-table"},
        **{"schema-name": "shop", "table-name": table},
        **metadata,
    }
    return json.dumps({"data": data} | before | {"metadata": metadata}, indent=indent)


def values(**data):
    """A message whose values are written as they stand."""
    data = ",".join(f'"{name}":{value}' for name, value in data.items())
    metadata = '"record-type":"data","operation":"insert","schema-name":"shop","table-name":"types"'
    return f'{{"data":{{{data}}},"metadata":{{"timestamp":"2024-01-31T23:00:01Z",{metadata}}}}}'


ROWS = given(
    message("load", {"id": 1, "v": "a", "W": None}),
    message("insert", {"id": 2, "v": "b", "W": ""}, **DETAILS, **{"transaction-record-id": 1}),
    message("update", {"id": 2, "v": "c"}, before={"id": 2}),
    message("delete", {"id": 2}),
)


def test_rows_and_what_they_are(read_case):
    loaded, inserted, updated, deleted = read_case(ROWS)
    assert set(loaded.asDict()) == set(RESULT_COLUMNS)
    assert fields(loaded, "file_row", "source_schema", "source_table", "kind", "operation") == (
        *(0, "shop", "t"),
        *("load", "L"),
    )
    assert fields(loaded, "image", "before") == ({"id": "1", "v": "a", "W": None}, None)
    assert fields(loaded, "unavailable", "malformed", "set_aside") == (None, None, None)
    assert fields(inserted, "kind", "operation", "image") == ("change", "I", {"id": "2", "v": "b", "W": ""})
    assert inserted.content == message(
        "insert", {"id": 2, "v": "b", "W": ""}, **DETAILS, **{"transaction-record-id": 1}
    )
    assert fields(updated, "operation", "image", "before") == ("U", {"id": "2", "v": "c"}, {"id": "2"})
    assert fields(deleted, "operation", "image", "before") == ("D", {"id": "2"}, None)


def test_the_time_of_the_commit_else_that_of_the_message(read_case):
    loaded, inserted, *_ = read_case(ROWS)
    assert inserted.committed_at == datetime.fromtimestamp(1706742000)
    assert loaded.committed_at == datetime.fromtimestamp(1706742001).replace(microsecond=1)


ABSENT = {
    policy: given(
        message("update", {"id": 1, "w": "x"}),
        message("update", {"id": 1, "v": "a", "W": None}),
        message("delete", {"id": 1}),
        message("update", {"a": 1}, table="unlisted"),
        message("update", {"id": 1, "BI_id": 2}),
        absent_columns=policy,
        before_image_prefix="BI_",
    )
    for policy in ("null", "keep")
}


def test_case_45_what_a_missing_column_means_is_a_policy(read_case):
    assert [row.image for row in read_case(ABSENT["keep"])][:2] == [
        {"id": "1", "w": "x"},
        {"id": "1", "v": "a", "W": None},
    ]


RENAMED = given(
    *(message("insert", {"id": 1, name: "0x2a"}) for name in ("photo", "old_photo")),
    columns={("shop", "t"): {"id": "int", "photo": "binary", "old_photo": "binary"}},
)


def test_an_old_name_has_the_type_of_its_column(read_case):
    of_new, of_old = read_case(RENAMED)
    assert of_new.image == {"id": "1", "photo": "Kg=="}
    assert of_old.image == {"id": "1", "old_photo": "Kg=="}


CONTROL = {
    **{"metadata": {"record-type": "control", "operation": "create-table", "schema-name": "shop", "table-name": "t"}},
    **{"control": {"table-def": {"columns": {"id": {"type": "INT32", "nullable": False}}, "primary-key": ["id"]}}},
}
PRETTY = [
    given(
        message("insert", {"id": 1, "v": "{"}, indent="\t"),
        json.dumps(CONTROL, indent="\t"),
        message("insert", {"id": 2, "v": "}\n{"}, indent=indent),
        "",
        message("insert", {"id": 3}),
        "",
    )
    for indent in ("\t", None)
]


@pytest.mark.parametrize("case", PRETTY)
def test_case_46_control_records_are_set_aside_between_rows_of_one_line_or_several(read_case, case):
    first, control, second, third = read_case(case)
    assert [row.image for row in (first, second, third)] == [
        {"id": "1", "v": "{"},
        {"id": "2", "v": "}\n{"},
        {"id": "3"},
    ]
    assert fields(control, "set_aside", "source_schema", "source_table", "operation", "kind", "position") == (
        *("control",),
        *(None,) * 5,
    )
    assert [row.malformed for row in read_case(case)] == [None] * 4
    assert first.content == message("insert", {"id": 1, "v": "{"}, indent="\t")
    assert control.content == json.dumps(CONTROL, indent="\t")
    assert [row.file_row for row in (first, control)] == [0, 14]


ROUNDED = {
    "1.234567890123457E+17": ("Id", "all digits: with an exponent, those after the 15th are lost"),
    "1.2E+17": ("Id", "all digits: with an exponent, those after the 15th are lost"),
    "-1e15": ("Id", "all digits: with an exponent, those after the 15th are lost"),
    "1.234567890123457E+2": ("price", "all digits: with an exponent, those after the 15th are lost"),
    "2.0E+15": ("price", "all digits: with an exponent, those after the 15th are lost"),
}
ROUNDED_CASES = {number: given(values(**{name: number})) for number, (name, _) in ROUNDED.items()}


@pytest.mark.parametrize("number", ROUNDED)
def test_case_47_a_number_that_dms_has_rounded_is_not_taken(read_case, number):
    [row] = read_case(ROUNDED_CASES[number])
    name, expected = ROUNDED[number]
    assert fields(row, "image", "malformed") == (None, f"column {name}: received '{number}', expected {expected}")


EXACT = given(
    values(id="12345678901234567", price="1234567890123456.7890", weight="1.234567890123457E+17", note="1.2E+17"),
    values(id="1.5E+3", price="1.5e-3", weight="1.10", note='"1.234567890123457E+17"'),
    values(id="1.55E+1"),
)


def test_other_numbers_keep_every_digit(read_case):
    assert [fields(row, "image", "malformed") for row in read_case(EXACT)] == [
        (
            {
                "id": "12345678901234567",
                "price": "1234567890123456.7890",
                "weight": "1.234567890123457E+17",
                "note": "1.2E+17",
            },
            None,
        ),
        ({"id": "1500", "price": "1.5e-3", "weight": "1.10", "note": "1.234567890123457E+17"}, None),
        ({"id": "1.55E+1"}, None),
    ]


BINARY = {
    '"0xDEADbeef"': ("3q2+7w==", None),
    '"deadbeef"': ("3q2+7w==", None),
    '"0x"': ("", None),
    '""': ("", None),
    "null": (None, None),
    '"0xABC"': (None, "column photo: received '0xABC', expected hexadecimal digits, two for each byte"),
    '"0xzz"': (None, "column photo: received '0xzz', expected hexadecimal digits, two for each byte"),
}
BINARY_CASES = {text: given(values(photo=text, note=text)) for text in BINARY}


@pytest.mark.parametrize("text", BINARY)
def test_binary_values_are_hexadecimal(read_case, text):
    [row] = read_case(BINARY_CASES[text])
    photo, malformed = BINARY[text]
    assert row.malformed == malformed
    if malformed is None:
        assert row.image == {"photo": photo, "note": json.loads(text)}


BEFORE = {
    "field": given(
        message("update", {"id": 2, "v": "a"}, before={"id": 1}),
        message("update", {"id": 2, "v": "a"}),
        message("insert", {"id": 2, "v": "a"}, before={"id": 1}),
    ),
    "other field": given(
        '{"data":{"id":2},"was \\"it`s\\"":{"photo":"0x00"},"metadata":{"record-type":"data","operation":"update",'
        '"schema-name":"shop","table-name":"types"}}',
        before_image_field='was "it`s"',
    ),
    "prefix": given(
        message("update", {"id": 2, "v": "a", "bi_id": 1, "BI_v": None}),
        message("update", {"id": 2, "v": "a"}),
        message("update", {"id": 2, "BI_id": 1, "bi_id": 1}),
        message("update", {"id": 2, "BI_id": 1, "bi_ID": 1}),
        before_image_prefix="BI_",
    ),
    "both": given(message("update", {"id": 2, "BI_id": 0}, before={"id": 1}), before_image_prefix="BI_"),
}


def test_values_from_before_the_change(read_case):
    assert [row.before for row in read_case(BEFORE["field"])] == [{"id": "1"}, None, None]
    assert [row.before for row in read_case(BEFORE["other field"])] == [{"photo": "AA=="}]
    first, without, *twice = read_case(BEFORE["prefix"])
    assert fields(first, "image", "before") == ({"id": "2", "v": "a"}, {"id": "1", "v": None})
    assert fields(without, "image", "before", "malformed") == ({"id": "2", "v": "a"}, None, None)
    assert [fields(row, "before", "malformed") for row in twice] == [(None, "a column twice, expected each once")] * 2
    assert fields(read_case(BEFORE["both"])[0], "image", "before") == ({"id": "2"}, {"id": "1"})


def detailed(commit, transaction, record, made="2024-01-31T23:00:01Z", operation="update"):
    details = {"commit-timestamp": commit, "transaction-id": transaction, "transaction-record-id": record}
    return message(operation, {"id": 1}, made, **{name: value for name, value in details.items() if value is not None})


TRANSACTIONS = given(
    detailed("2024-01-31T22:59:59Z", 90, 7, made="2024-01-31T23:00:09Z"),
    detailed("2024-01-31T23:00:00Z", 9, 9),
    detailed("2024-01-31T23:00:00Z", 10, 9),
    detailed("2024-01-31T23:00:00Z", 10, 10),
    detailed("2024-01-31T23:00:00.000001Z", 1, 1, made="2024-01-31T22:00:00Z"),
)


def test_transaction_details_are_the_order(read_case):
    positions = [row.position for row in read_case(TRANSACTIONS)]
    assert positions == sorted(set(positions))
    assert len({len(position) for position in positions}) == 1


AT_ONE_TIME = [detailed("2024-01-31T23:00:00Z", number, 1) for number in (2**32 - 1, 3)]
IN_TOPIC = given(*AT_ONE_TIME, key="topics/dms/partition=0/dms+0+0000000050.json")
IN_FILE = given(*AT_ONE_TIME)


def test_offsets_order_changes_of_one_time_where_they_are_known(read_case):
    """Numbers of transactions begin again; bronze puts the offset behind the position."""
    [position] = {row.position for row in read_case(IN_TOPIC)}
    assert max(row.position for row in read_case(IN_FILE)) < position, "as earlier versions of the project read them"


OFFSETS = [
    given(*messages, key=f"topics/dms/partition=0/dms+0+{start:010}.json")
    for start, messages in (
        (5, [message("update", {"id": 1}), message("update", {"id": 1}, indent=1), message("update", {"id": 1})]),
        (6, [message("update", {"id": 1}, "2024-01-31T22:00:00Z"), message("update", {"id": 1})]),
        (9, [detailed("2024-01-31T23:00:00Z", 1, None), detailed("2024-01-31T22:00:00Z", None, 2)]),
        (20, [detailed("2024-01-31T23:00:00Z", 1, 1), message("load", {"id": 1})]),
        (30, [detailed("2024-01-31T23:00:00Z", 1, 1), message("load", {"id": 1}, "2024-01-31T22:00:00Z")]),
    )
]


def test_case_56_without_them_the_offset_is_the_order_and_the_same_in_overlapping_objects(read_case):
    first, overlapping, partial, complete, again = ([row.position for row in read_case(case)] for case in OFFSETS)
    assert first == sorted(set(first))
    assert first[1:] == overlapping
    assert partial == sorted(set(partial))
    assert complete[0] == again[0]
    assert complete[1] < again[1]


BY_TIME = given(
    message("update", {"id": 1}, "2024-01-31T23:00:01.000002Z"),
    message("update", {"id": 1}, "2024-01-31T23:00:01.000001Z"),
    message("load", {"id": 1}, "2024-01-31T23:00:01.000000Z"),
)


def test_without_both_the_time_of_the_message_is_the_order(read_case):
    positions = [row.position for row in read_case(BY_TIME)]
    assert positions == sorted(set(positions), reverse=True)


WRONG = {
    "nonsense": ('{"data":', "received '{\"data\":', expected one JSON object"),
    "two": (message("insert", {"id": 1}) * 2, "expected one JSON object"),
    "data": (message("insert", [1]), "expected one JSON object"),
    "no metadata": (
        '{"data":{}}',
        "record-type: received nothing; operation: received nothing; schema-name: received nothing",
    ),
    "type": (
        message("insert", {"id": 1}, **{"record-type": "x"}),
        "record-type: received 'x', expected data or control",
    ),
    "no data": (message("insert", None), "data: received nothing"),
    "no table": (message("insert", {"id": 1}, **{"table-name": None}), "table-name: received nothing"),
    "no schema": (message("insert", {"id": 1}, **{"schema-name": None}), "schema-name: received nothing"),
    "half a time": (message("insert", {"id": 1}, made="2024"), "timestamp: received '2024', expected a time such as"),
    "no zone": (
        message("insert", {"id": 1}, made="2024-01-31T23:00:00"),
        "timestamp: received '2024-01-31T23:00:00', expected a time such as",
    ),
    "time": (message("insert", {"id": 1}, made="now"), "timestamp: received 'now', expected a time such as"),
    "late": (
        message("insert", {"id": 1}, made="+12024-01-31T23:00:00Z"),
        "timestamp: received '+12024-01-31T23:00:00Z', expected a time such as",
    ),
    "commit": (detailed("then", 1, 1), "commit-timestamp: received 'then', expected a time such as"),
    "transaction": (detailed("2024-01-31T23:00:00Z", "0x1", 1), "transaction-id: received '0x1', expected a natural"),
    "record": (detailed("2024-01-31T23:00:00Z", 1, -1), "transaction-record-id: received '-1', expected a natural"),
    "twice": (message("insert", {"id": 1, "ID": 2}), "a column twice, expected each once"),
}
WRONG_CASES = {name: given(text, message("insert", {"id": 1}, indent=1)) for name, (text, _) in WRONG.items()}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_message_reports_why_and_hides_nothing_after_it(read_case, name):
    row, good = read_case(WRONG_CASES[name])
    text, reason = WRONG[name]
    assert reason in row.malformed
    assert fields(row, "content", "image", "before", "set_aside") == (text, None, None, None)
    assert fields(good, "malformed", "image", "file_row") == (None, {"id": "1"}, 1)


OUTSIDE = given("", "}", message("insert", {"id": 1}), "", " ")


def test_what_stands_before_the_first_message_is_kept(read_case):
    first, good = read_case(OUTSIDE)
    assert fields(first, "file_row", "content", "set_aside") == (0, "\n}", None)
    assert "received ' }', expected one JSON object" in first.malformed
    assert fields(good, "malformed", "image", "file_row") == (None, {"id": "1"}, 2)


UNKNOWN = given(message("upsert", {"id": 1}))


def test_an_unknown_operation_is_left_to_bronze(read_case):
    [row] = read_case(UNKNOWN)
    assert fields(row, "operation", "kind", "image", "malformed") == ("upsert", "change", {"id": "1"}, None)


NOTHING = given("", " ")


def test_a_file_without_messages_is_set_aside(read_case):
    [row] = read_case(NOTHING)
    assert fields(row, "set_aside", "malformed", "operation", "file_row") == ("empty", None, None, 0)
