"""What bronze makes of messages that were split: values, places, old keys (docs/contracts.md sections 3 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from harness import Dbt
from spark_process import spark_process

from python_udfs.landing.split import MARKER_ROW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.spark

COLUMNS = [("id", "int"), ("Name", "string"), ("price", "decimal(8,4)"), ("raw", "binary"), ("seen", "timestamp")]
DEFAULTS = {
    "file_row": "0",
    "kind": "'change'",
    "operation": "'I'",
    "committed_at": "timestamp '2024-01-02 03:04:05.000006'",
    "position": "'0005'",
    "image": "map('id', '1')",
    "before": "cast(null as map<string, string>)",
    "unavailable": "cast(null as array<string>)",
    "malformed": "cast(null as string)",
}


def split_of(*messages: dict[str, str]) -> str:
    """A query of these messages as the split table has them."""
    return " union all ".join(
        f"""
            select 's' as source_schema, 't' as source_table, 'file:k' as path, 'k' as file_key,
                7L as batch_id, cast(null as timestamp) as file_time,
                timestamp '2024-01-02 03:05:00' as modified_at, 'the message' as content,
                {", ".join(f"{value} as {name}" for name, value in {**DEFAULTS, **message}.items())}
        """
        for message in messages
    )


@pytest.fixture(scope="module")
def query() -> Iterator[Callable[..., list[dict[str, Any]]]]:
    with spark_process() as run:
        yield run


@pytest.fixture(scope="module")
def bronze(query) -> Callable[..., list[dict[str, Any]]]:
    """Rows that bronze gets from messages, in their order."""

    def rows(*messages: dict[str, str], names: tuple[str, ...] = (), **settings: Any) -> list[dict[str, Any]]:
        described = [{"name": name, "type": type, "optional": False} for name, type in COLUMNS]
        cdc = {
            **{"format": "json", "primary_key": ["id"], "columns": described, "split": "split_f"},
            **{"source_schema": "s", "source_table": "t", **settings},
        }
        cdc["options"] = {"operation_column": "always", **settings.get("options", {})}
        split = split_of(*messages)
        dbt = Dbt()
        view = f"({dbt._messages_sql(f'({split})', cdc, 6, 7)})"
        raw = {"view": view, "columns": [{"name": name, "type": "string"} for name in names]}
        plan = dbt.cdc_column_plan(dbt.cdc_source_columns(cdc, raw), [])
        sql = dbt.cdc_bronze_sql(cdc, f"select *, 1 as generation from ({split})", raw, plan)
        return sorted(query(sql), key=lambda row: row["_cdc_sequence"])

    return rows


def test_values_are_read_by_the_types_of_their_columns(bronze):
    image = "map('ID', '1', 'name', 'Ann', 'price', '10.2345', 'raw', 'AAH/', 'seen', '2018-06-20 15:13:16.945104')"
    [row] = bronze({"image": image})
    assert (row["id"], row["Name"], str(row["price"]), bytes(row["raw"])) == (1, "Ann", "10.2345", b"\x00\x01\xff")
    assert str(row["seen"]) == "2018-06-20 15:13:16.945104"
    assert (row["_cdc_operation"], row["_cdc_source_file"], row["_cdc_quarantine_rule"]) == ("I", "k", None)
    assert str(row["_cdc_committed_at"]) == "2024-01-02 03:04:05.000006"


def test_the_position_is_generation_then_snapshot_or_change_then_position(bronze):
    rows = bronze(
        {"position": "'0010'"},
        {"position": "'0009'"},
        {"position": "'0011'", "kind": "'load'", "operation": "'L'"},
        {"position": "'0009'", "kind": "'truncate'", "operation": "'T'", "image": "null", "file_row": "1"},
    )
    assert [row["_cdc_sequence"][:-45] for row in rows] == [
        "000001.0.0011",
        "000001.1.0009",
        "000001.1.0009",
        "000001.1.0010",
    ]
    assert [row["_cdc_operation"] for row in rows] == ["L", "I", "T", "I"]
    assert [row["_cdc_quarantine_rule"] for row in rows] == [None] * 4


def test_a_key_that_changed_is_known_by_its_old_values(bronze):
    update = {"operation": "'U'", "image": "map('id', '2')"}
    rows = bronze(
        {**update, "position": "'1'", "before": "map('ID', '01')"},
        {**update, "position": "'2'", "before": "map('id', '2')"},
        {**update, "position": "'3'", "before": "map('name', 'Ann')"},
        {**update, "position": "'4'"},
    )
    assert [row["_cdc_old_key"] for row in rows] == [{"id": "1"}, None, None, None]


def test_columns_that_a_message_does_not_carry(bronze):
    messages = {"unavailable": "array('NAME')"}, {"position": "'2'"}
    carried = [row["_cdc_unavailable_columns"] for row in bronze(*messages)]
    assert carried == [["Name"], None]
    kept = [row["_cdc_unavailable_columns"] for row in bronze(*messages, options={"absent_columns": "keep"})]
    assert kept == [["Name", "price", "raw", "seen"]] * 2


UPDATE = {"operation": "'U'", "image": "map('id', '2', 'NAME', 'Ann')"}


@pytest.mark.parametrize(
    ("message", "are_plain"),
    [
        ({}, True),
        ({"kind": "'load'", "operation": "'L'"}, True),
        ({"operation": "'D'", "before": "map('id', '7')"}, True),
        ({"unavailable": "array()"}, True),
        ({**UPDATE, "before": "map('ID', '2', 'name', 'Bob')"}, True),
        ({**UPDATE, "before": "map('name', 'Bob')"}, True),
        ({**UPDATE, "before": "map('id', '1')"}, False),
        ({**UPDATE, "before": "map('id', null)"}, False),
        ({"unavailable": "array('Name')"}, False),
        ({"kind": "'truncate'", "operation": "'T'", "image": DEFAULTS["before"]}, False),
        ({"operation": "'T'"}, False),
        ({"operation": "null", "kind": "null", "malformed": "'why'"}, False),
    ],
    ids=str,
)
def test_messages_are_plain_where_no_row_of_bronze_needs_a_look(query, bronze, message, are_plain):
    messages = message, {"image": "map('id', '1', 'b', 'x')", "position": "'0001'"}
    cdc = {"format": "json", "source_schema": "s", "source_table": "t", "primary_key": ["ID"]}
    [file] = query(Dbt().cdc_split_files_sql(f"({split_of(*messages)})", cdc, 6))
    names = {"ID" if "ID" in message.get("image", "") else "id", "b", *(["NAME"] if "NAME" in str(message) else [])}
    found = file["are_plain"] and not file["changed_keys"]
    assert (set(file["names"]), len(file["names"]), found) == (names, len(names), are_plain)
    for row in bronze(*messages) if are_plain else ():
        assert (row["_cdc_unavailable_columns"], row["_cdc_old_key"]) == (None, None)
        assert row["_cdc_operation"] in ("I", "U", "D", "L")


def test_one_query_of_all_tables_has_the_facts_of_each(query):
    moved = {**UPDATE, "image": "map('Code', '2', 'id', '1')", "before": "map('CODE', '1', 'id', '1')"}
    # No connector writes a name twice; here it must not stop the other tables.
    twice = {**UPDATE, "image": "map('id', '1', 'ID', '2')", "before": "map('ID', '1', 'id', '2')"}
    tables = {
        "t": [{**UPDATE, "before": "map('ID', '2')"}, {"image": "map('id', '1', 'b', 'x')"}],
        "u": [moved, {}],
        "v": [{"operation": "null", "kind": "null", "image": "null", "malformed": "'why'"}],
        "w": [twice],
    }
    split = " union all ".join(
        split_of(*messages).replace("'t' as source_table", f"'{table}' as source_table")
        for table, messages in tables.items()
    )
    rows = query(Dbt()._new_messages_sql(f"({split})", ["code", "id"], "batch_id = 7"))
    found = {
        row["source_table"]: (sorted(row["names"]), row["are_plain"], row["changed_keys"], row["batch_id"])
        for row in rows
    }
    assert found == {
        "t": (["NAME", "b", "id"], True, [], 7),
        "u": (["Code", "id"], True, ["code"], 7),
        "v": ([], False, [], 7),
        "w": (["ID", "id"], True, [], 7),
    }


def test_a_marker_is_no_message(query):
    cdc = {"format": "json", "source_schema": "s", "source_table": "t", "primary_key": ["id"]}
    marker = {"file_row": str(MARKER_ROW), "kind": "null", "operation": "null", "image": DEFAULTS["before"]}
    for messages, expected in (([{}, marker], (["id"], True, 1)), ([marker], ([], None, 1)), ([{}], (["id"], True, 0))):
        [file] = query(Dbt().cdc_split_files_sql(f"({split_of(*messages)})", cdc, 6))
        assert (file["names"], file["are_plain"], file["revision"]) == expected


def test_a_message_that_breaks_a_rule_is_kept_with_its_reason(bronze):
    rows = bronze(
        {"position": "'1'", "malformed": "'column price: no scale'", "image": "null"},
        {"position": "'2'", "operation": "'X'"},
        {"position": "'3'", "image": "map('id', 'one')"},
        {"position": "'4'", "image": "map('name', 'Ann')"},
    )
    assert [(row["_cdc_quarantine_rule"], row["_cdc_quarantine_reason"]) for row in rows] == [
        ("malformed_record", "column price: no scale"),
        ("unknown_operation", "operation is 'X', expected I, U or D"),
        ("uncastable_value", "id is 'one', expected int"),
        ("missing_key", "no value in key id"),
    ]
    assert {row["_cdc_quarantine_content"] for row in rows} == {"the message"}


def test_a_text_that_is_no_base64_costs_its_message_and_no_other(bronze):
    bad, good = bronze({"position": "'1'", "image": "map('id', '1', 'raw', 'A')"}, {"position": "'2'"})
    assert (bad["_cdc_quarantine_rule"], bad["_cdc_quarantine_reason"]) == (
        "malformed_record",
        "column raw: received a text that is not base64",
    )
    assert good["_cdc_quarantine_rule"] is None


def test_columns_that_nobody_listed_are_text(bronze):
    [row] = bronze({"image": "map('id', '1', 'New One', '7')"}, names=("id", "New One"))
    assert row["New One"] == "7"


def test_a_renamed_column_has_the_value_of_either_name(bronze):
    renamed = {"renamed_columns": {"old": "Name"}}
    rows = bronze(
        {"position": "'1'", "image": "map('id', '1', 'old', 'Ann')"},
        {"position": "'2'", "image": "map('id', '1', 'name', 'Bob')"},
        names=("id", "old", "Name"),
        **renamed,
    )
    assert [row["Name"] for row in rows] == ["Ann", "Bob"]


def restarted(query, *changes):
    """Tables that are said to have a log that began again, of changes (hour, position, other columns)."""
    columns = {
        **{"source_schema": "'s'", "source_table": "'t'", "kind": "'change'", "malformed": "cast(null as string)"},
        **{"path": "'p'", "content": """'{"source":{"lsn":1}}'"""},
    }
    split = " union all ".join(
        "select "
        + ", ".join(
            f"{value} as {name}"
            for name, value in {
                **columns,
                "committed_at": f"timestamp '2024-01-02 {hour}:00:00'",
                "position": f"'{position}'",
                **others,
            }.items()
        )
        for hour, position, others in changes
    )
    tables = [{"source_schema": "s", "source_table": "t"}]
    splits = [{"relation": f"({split})", "feed": "f", "tables": tables}]
    return [row["source_table"] for row in query(Dbt().cdc_restarted_positions_sql(splits))]


def test_a_log_that_began_again_is_reported(query):
    assert restarted(query, ("01", "900", {}), ("03", "010", {})) == ["t"]
    assert restarted(query, ("01", "900", {}), ("03", "910", {})) == []


@pytest.mark.parametrize(
    "other",
    [
        {"committed_at": "timestamp '2024-01-02 01:59:00'"},
        {"position": "'011'"},
        {"kind": "'load'"},
        {"malformed": "'why'"},
        {"content": """'{"id":1}'"""},
        {"source_table": "'other'"},
        {"source_table": "cast(null as string)"},
        {"committed_at": "cast(null as timestamp)"},
    ],
    ids=str,
)
def test_what_is_no_sign_of_it(query, other):
    """Clocks that differ, rows of snapshots, messages without a position of the source, other tables."""
    assert restarted(query, ("01", "900", {}), ("03", "010", other)) == []
