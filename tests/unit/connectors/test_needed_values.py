"""Of a delete, and of the row before an update, only the key is needed (docs/architecture.md, What a change needs)."""

from __future__ import annotations

import json

import pytest
from message_cases import Messages, fields
from test_canal import CANAL
from test_debezium import COLUMNS
from test_dms_kafka import DMS
from test_dms_kafka import message as dms_message
from test_fuzz import DEBEZIUM
from test_maxwell import MAXWELL

from python_udfs.connectors import canal, debezium, dms_kafka, maxwell

LONG = "1" * 40
KEYS = {("s", "t"): ["id"], ("shop", "t"): ["id", "part"], ("shop", "types"): ["id"]}
KNOWN = Messages(debezium.read_rows, **DEBEZIUM, form="envelope", keys=KEYS)
UNKNOWN = Messages(debezium.read_rows, **DEBEZIUM, form="envelope")
OF_DMS = Messages(dms_kafka.read_rows, **DMS.options, keys=KEYS)
OF_MAXWELL = Messages(maxwell.read_rows, **{**MAXWELL.options, "columns": {("s", "t"): {"raw": "binary"}}}, keys=KEYS)
OF_CANAL = Messages(canal.read_rows, **{**CANAL.options, "columns": {("s", "t"): {"raw": "binary"}}}, keys=KEYS)


def debezium_delete(before: str, table: str = "t") -> str:
    source = json.dumps(
        {"connector": "mysql", "ts_ms": 1, "db": "s", "table": table, "file": "m.1", "pos": 4, "row": 0}
    )
    return f'{{"before": {before}, "after": null, "source": {source}, "op": "d"}}'


LONG_VALUE = KNOWN.given(debezium_delete(f'{{"id": 1, "v": {LONG}, "w": "x"}}'))
LONG_KEY = KNOWN.given(debezium_delete(f'{{"id": {LONG}, "v": "a"}}'))
TWICE = KNOWN.given(debezium_delete('{"id": 1, "v": "a", "V": "b", "": "c", "w": "x"}'))
KEY_TWICE = KNOWN.given(debezium_delete('{"id": 1, "ID": 2, "w": "x"}'))
WITHOUT_ROW = UNKNOWN.given(debezium_delete('{"id": 1, "amount": "***", "bytes": "*"}', "typed"))
PART_IS_EMPTY = OF_DMS.given(dms_message("delete", {"id": 1, "v": "a"}))
PART_IS_ABSENT = OF_DMS.given(dms_message("delete", {"id": 1, "v": "a"}), absent_columns="keep")
OF_BINARY = OF_DMS.given(dms_message("delete", {"id": 1, "photo": "zz"}, table="types"))
BEFORE = OF_DMS.given(dms_message("update", {"Id": 1}, before={"Id": 2, "photo": "zz"}, table="types"))
AFTER = OF_DMS.given(dms_message("insert", {"Id": 1, "photo": "zz"}, table="types"))


def write_maxwell(kind: str, data: dict[str, object], old: dict[str, object] | None = None) -> str:
    return json.dumps(
        {"database": "s", "table": "t", "type": kind, "ts": 1, "data": data} | ({"old": old} if old else {})
    )


RAW = OF_MAXWELL.given(
    write_maxwell("delete", {"id": 1, "raw": "***"}),
    write_maxwell("update", {"id": 1}, {"id": 2, "raw": "***"}),
    write_maxwell("insert", {"id": 1, "raw": "***"}),
)
BYTES = OF_CANAL.given(
    *(
        json.dumps({"database": "s", "table": "t", "type": kind, "es": 1, "data": [{"id": "1", "raw": "€"}]})
        for kind in ("DELETE", "INSERT")
    )
)


@pytest.fixture(scope="module")
def read_case(spark):
    read = {id(messages): messages.read(spark) for messages in (KNOWN, UNKNOWN, OF_DMS, OF_MAXWELL, OF_CANAL)}
    return lambda messages, number: read[id(messages)][number]


def test_a_long_number_costs_a_delete_only_if_it_is_the_key(read_case):
    [row] = read_case(KNOWN, LONG_VALUE)
    assert fields(row, "image", "malformed") == ({"id": "1", "w": "x"}, None)
    [row] = read_case(KNOWN, LONG_KEY)
    assert row.malformed.startswith("column id: received '1") and "38 digits at most" in row.malformed


def test_columns_without_a_name_of_their_own_are_left_out_of_a_delete(read_case):
    [row] = read_case(KNOWN, TWICE)
    assert fields(row, "image", "malformed") == ({"id": "1", "w": "x"}, None)
    [row] = read_case(KNOWN, KEY_TWICE)
    assert row.image == {"w": "x"}, "bronze misses the key"


def test_of_a_table_without_metadata_a_delete_keeps_what_can_be_read(read_case):
    assert ("s", "typed") in COLUMNS
    [row] = read_case(UNKNOWN, WITHOUT_ROW)
    assert fields(row, "image", "malformed") == ({"id": "1"}, None)


def test_a_column_that_dms_leaves_out_of_a_key_is_null_unless_absent_columns_are_kept(read_case):
    [row] = read_case(OF_DMS, PART_IS_EMPTY)
    assert row.image == {"id": "1", "v": "a", "part": None}
    [row] = read_case(OF_DMS, PART_IS_ABSENT)
    assert row.image == {"id": "1", "v": "a"}


def test_a_value_that_cannot_be_read_costs_only_changes_that_need_it(read_case):
    [deleted], [updated], [inserted] = (read_case(OF_DMS, number) for number in (OF_BINARY, BEFORE, AFTER))
    assert fields(deleted, "image", "malformed") == ({"id": "1"}, None)
    assert fields(updated, "before", "malformed") == ({"Id": "2"}, None)
    assert "photo" in inserted.malformed
    deleted, updated, inserted = read_case(OF_MAXWELL, RAW)
    assert fields(deleted, "image", "malformed") == ({"id": "1"}, None)
    assert fields(updated, "before", "malformed") == ({"id": "2"}, None)
    assert "raw" in inserted.malformed
    deleted, inserted = read_case(OF_CANAL, BYTES)
    assert fields(deleted, "image", "malformed") == ({"id": "1"}, None)
    assert "raw" in inserted.malformed
