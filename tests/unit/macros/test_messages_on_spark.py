"""What bronze makes of messages that were split: values, source positions, old keys (debezium_format.md, order.md)."""

from __future__ import annotations

import base64
import json
import os
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from harness import Dbt
from spark_process import spark_process
from table_configs import make_config

from python_udfs.connectors.source_log import judge_batch
from python_udfs.gold.blocks import Input
from python_udfs.pipeline.bronze import BatchRows
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.files import name_message_keys
from python_udfs.pipeline.sequence import MARKER_ROW

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
    "set_aside": "cast(null as string)",
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
            **{
                "connector": "debezium",
                "format": "json",
                "primary_key": ["id"],
                "columns": described,
                "split": "split_f",
            },
            **{"source_schema": "s", "source_table": "t", **settings},
        }
        cdc["options"] = {"operation_column": "always", **settings.get("options", {})}
        split = split_of(*messages)
        dbt = Dbt()
        view = f"({dbt.cdc_messages_sql(f'({split})', cdc, 6, 7)})"
        raw = BatchRows(view=view, columns=[{"name": name, "type": "string"} for name in names])
        plan = dbt.plan_first_batch(cdc, raw)
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


@pytest.mark.parametrize("settings", [{}, {"columns": [{"name": "id", "type": "binary", "optional": False}]}])
def test_a_key_that_changed_before_its_column_was_renamed_is_known_by_its_old_values(query, bronze, settings):
    settings = {"renamed_columns": {"Number": "id"}, **settings}
    update = {"operation": "'U'", "image": "map('number', '2222')"}
    messages = (
        {**update, "position": "'1'", "before": "map('NUMBER', '1111')"},
        {**update, "position": "'2'", "before": "map('number', '2222')"},
        {**update, "position": "'3'", "before": "map('id', '3333')"},
    )
    rows = bronze(*messages, names=("id", "number"), **settings)
    assert [row["_cdc_old_key"] for row in rows] == [{"id": "1111"}, None, {"id": "3333"}]
    cdc = {"format": "json", "source_schema": "s", "source_table": "t", "primary_key": ["id"], **settings}
    [file] = query(Dbt().cdc_split_files_sql(f"({split_of(messages[0])})", cdc, 6))
    assert file["changed_keys"] == ["number"] and "number" in name_message_keys(make_config(**cdc))


def test_an_old_value_of_a_renamed_key_is_judged(bronze):
    update = {"operation": "'U'", "image": "map('number', '2')", "before": "map('number', 'one')"}
    [row] = bronze(update, names=("id", "number"), renamed_columns={"number": "id"})
    assert row["_cdc_quarantine_reason"] == "before image of id is 'one', expected int"


BINARY = {"columns": [{"name": "id", "type": "binary", "optional": False}]}


def test_an_old_key_of_bytes_is_base64_as_messages_have_it(query, bronze):
    """The longest one fills more than one line of base64."""
    update = {"operation": "'U'", "image": "map('id', '/wD+')"}
    long = base64.b64encode(bytes(range(200))).decode()
    rows = bronze(
        {**update, "position": "'1'", "before": "map('ID', 'AAH/')"},
        {**update, "position": "'2'", "before": "map('id', '/wD+')"},
        {**update, "position": "'3'", "before": "map('id', ' /wD+')"},
        {**update, "position": "'4'", "before": "map('name', 'Ann')"},
        {**update, "position": "'5'", "before": f"map('id', '{long}')"},
        {**update, "position": "'6'", "before": "map('id', 'A')"},
        **BINARY,
    )
    assert [row["_cdc_old_key"] for row in rows[:5]] == [{"id": "AAH/"}, None, None, None, {"id": long}]
    assert [row["_cdc_quarantine_reason"] for row in rows] == [None] * 5 + [
        "column before image of id: received a text that is not base64"
    ]
    log = (
        f"select unbase64(new) as id, 'U' as _cdc_operation, map('id', old) as _cdc_old_key,"
        f" {', '.join(f'0 as _cdc_{name}' for name in ('committed_at', 'sequence', 'generation', 'batch_id'))},"
        f" cast(null as array<string>) as _cdc_unavailable_columns"
        f" from values ('/wD+', 'AAH/'), ('AQ==', '{long}'), ('Ag==', 'Ag==') as changes (new, old)"
    )
    sql = Dbt().cdc_log_sql({"mode": "current", "primary_key": ["id"]}, [Column("id", "binary", "binary")], log, True)
    applied = [(row["_cdc_operation"], bytes(row["id"])) for row in query(sql)]
    assert sorted(applied) == [
        ("D", bytes(range(200))),
        ("D", b"\x00\x01\xff"),
        ("U", b"\x01"),
        ("U", b"\x02"),
        ("U", b"\xff\x00\xfe"),
    ]


def test_gold_computes_the_row_of_an_old_key_of_bytes(query):
    log = "select unbase64('/wD+') as id, map('ID', 'AAH/') as _cdc_old_key"
    sql = Dbt().cdc_gold_changed_sql(Input("silver_c", "silver.c", ("id",), {"id": "binary"}), log, True)
    assert sorted(bytes(row["id"]) for row in query(sql)) == [b"\x00\x01\xff", b"\xff\x00\xfe"]


def test_columns_that_a_message_does_not_carry(bronze):
    messages = {"unavailable": "array('NAME')"}, {"position": "'2'"}
    carried = [row["_cdc_unavailable_columns"] for row in bronze(*messages)]
    assert carried == [["Name"], None]
    kept = [row["_cdc_unavailable_columns"] for row in bronze(*messages, options={"absent_columns": "keep"})]
    assert kept == [["Name", "price", "raw", "seen"]] * 2


OLD = ("was", "name")


def test_a_value_under_an_old_name_is_carried(bronze):
    messages = (
        {"position": f"'{number}'", "image": f"map('id', '1', '{name}', 'a')"} for number, name in enumerate(OLD)
    )
    rows = bronze(*messages, renamed_columns={"was": "Name"}, options={"absent_columns": "keep"})
    assert [row["_cdc_unavailable_columns"] for row in rows] == [["price", "raw", "seen"]] * 2
    assert [row["Name"] for row in rows] == ["a", "a"]


def test_a_value_without_a_name_is_reported(bronze):
    image = "map('id', '1', '', 'lost')"
    rows = bronze(
        {"image": image, "position": "'1'"},
        {"image": "map('id', '1', '', null)", "position": "'2'"},
        {"image": image, "position": "'3'", "operation": "'D'"},
        names=("id", ""),
    )
    reason = "a column without a name has the value 'lost', expected a name"
    assert [row["_cdc_quarantine_reason"] for row in rows] == [reason, None, None]


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
    is_plain = file["are_plain"] and not file["changed_keys"]
    assert (set(file["names"]), len(file["names"]), is_plain) == (names, len(names), are_plain)
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
    rows = query(Dbt().cdc_new_messages_sql(f"({split})", ["code", "id"], "batch_id = 7"))
    flags = {
        row["source_table"]: (sorted(row["names"]), row["are_plain"], row["changed_keys"], row["batch_id"])
        for row in rows
    }
    assert flags == {
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


def place(*numbers: int, flag: int = 0) -> str:
    """A position of Debezium's messages: three numbers and a digit."""
    return "".join(f"{number:020}" for number in numbers) + str(flag)


def judged(query, *batches: list[dict[str, str]]) -> list[tuple[str | None, str | None]]:
    """Whether a second snapshot is found in each batch of messages, and a log that began again."""
    state, verdicts = None, []
    for batch in batches:
        [row] = query(f"select {Dbt().cdc_source_log_sql()} from ({split_of(*batch)})")
        verdict = judge_batch(state, [row["source_log"]])
        state = verdict["state"] or state
        verdicts.append((verdict["second_snapshot"], verdict["began_again"]))
    return verdicts


def change(hour: int, *numbers: int, **others: str) -> dict[str, str]:
    at = f"timestamp '2024-01-02 {hour:02}:00:00'"
    return {"position": f"'{place(*numbers)}'", "committed_at": at, **others}


def load(*numbers: int) -> dict[str, str]:
    return {"position": f"'{place(*numbers)}'", "kind": "'load'", "operation": "'L'"}


AGAIN, NOTHING = (None, "true"), (None, None)


def test_a_log_that_began_again_is_found(query):
    assert judged(query, [change(1, 7, 900, 0)], [change(3, 7, 10, 0)]) == [NOTHING, AGAIN]
    assert judged(query, [change(1, 7, 900, 0), change(3, 7, 10, 0)]) == [AGAIN], "in one batch"
    assert judged(query, [change(1, 7, 900, 0)], [change(3, 7, 910, 0)]) == [NOTHING, NOTHING]


@pytest.mark.parametrize(
    ("position", "is_found"),
    [
        ("{:010}.{:020}.0000000000.00000000.0000000000.0000000000000000000", True),  # Maxwell
        (
            "{1:020}.1.00000000.0000000000.0000000000000000000.00000",
            False,
        ),  # canal-json with 7 and 8: no time went back
        ("0000000000.{0:020}.0000000000.11111111.0000000000.{1:019}", False),  # Maxwell by the topic's offset
    ],
)
def test_a_log_that_began_again_is_found_in_messages_of_maxwell(query, position, is_found):
    first, second = (change(hour, 0, position=f"'{position.format(*at)}'") for hour, at in ((1, (45, 7)), (3, (7, 8))))
    assert judged(query, [first], [second])[1][1] == ("true" if is_found else None)


@pytest.mark.parametrize(
    "other",
    [
        change(1, 7, 11, 0),
        change(3, 6, 6, 0),  # PostgreSQL's connector has just started: its transaction may be long
        change(3, 7, 10, 0, kind="'load'"),
        change(3, 7, 10, 0, malformed="'why'"),
        change(3, 7, 10, 0, position=f"'{place(0, 10, 0, flag=2)}'"),
        change(3, 7, 10, 0, position=f"'{place(7, 10, 0, flag=1)}'"),
        change(3, 7, 10, 0, position="'0007.0010'"),
        change(3, 7, 10, 0, committed_at="cast(null as timestamp)"),
    ],
    ids=str,
)
def test_what_is_no_sign_of_it(query, other):
    """Messages that come again, rows of snapshots, positions that are none of the source's log."""
    assert judged(query, [change(1, 7, 900, 0)], [other])[1][1] is None


def test_a_second_snapshot_is_found_whatever_the_cut(query):
    messages = [load(100, 100, 0), load(100, 100, 0), change(1, 150, 200, 0), load(900, 900, 0), change(2, 950, 960, 0)]
    for cut in range(1, len(messages)):
        seconds = [second for second, _ in judged(query, messages[:cut], messages[cut:]) if second]
        assert set(seconds) == {"after changes"}, cut


def test_the_first_snapshot_is_none(query):
    # A transaction that was open when the snapshot began has smaller positions, and the connector knows no commit yet.
    messages = [load(100, 100, 0), load(100, 100, 0), change(1, 90, 90, 0), change(1, 150, 140, 0)]
    for cut in range(1, len(messages)):
        assert set(judged(query, messages[:cut], messages[cut:])) == {NOTHING}, cut


def test_a_snapshot_that_began_again_before_any_change_is_another_one(query):
    assert judged(query, [load(100, 100, 0)], [load(120, 120, 0), change(1, 130, 140, 0)]) == [
        NOTHING,
        ("before changes", None),
    ]


def test_snapshots_of_oracle_are_compared_with_commits(query):
    verdicts = judged(query, [load(0, 500, 0), change(1, 600, 550, 0)], [load(0, 900, 0)], [load(0, 900, 0)])
    assert verdicts == [NOTHING, ("after changes", None), ("after changes", None)]


def test_rows_of_a_second_snapshot_are_ordered_by_their_own_position(query):
    verdict = judge_batch(
        None, [json.dumps({"last_load": place(9, 9)[:40], "first_change": place(1, 2)[:40], "has_places": True})]
    )
    precedes = Dbt()._precedes_changes_sql(verdict["loads_after"])
    rows = ((0, 5), (1, 1), (1, 3), (9, 9))
    values = ", ".join(f"('load', '{place(*row, 0)}')" for row in rows)
    rows = query(f"select {precedes} as p from values {values} as raw (kind, position) order by position")
    assert [row["p"] for row in rows] == [True, True, False, False]


STREAMS = max(int(os.environ.get("N") or 0) // 1000, 60)
SEED = int(os.environ.get("SEED") or 1)
EVENTS = (None, "log", "after changes")


def draw_stream(random: Random, event: str | None) -> list[list[tuple[str, str, datetime]]]:
    """Kind, position and commit time of a table's messages, in batches, of a log to which an event happens in between.

    Each batch comes in any order, as partitions are read, and brings some messages of the batches before once more.
    """
    has_commits, at = random.random() < 0.5, datetime(2024, 1, 2)
    log, number = random.randint(5, 9), random.randint(1, 10**6)
    batches: list[list[tuple[str, str, datetime]]] = []
    happens = random.randint(1, 4)
    for batch in range(6):
        messages = []
        if batch == happens:
            # The incident of a log is found across two batches, or behind the longest transaction.
            at += timedelta(hours=2)
            if event == "log":
                log, number = 1, 1
        if batch == 0 or (batch == happens and event == "after changes"):
            number += random.randint(1, 100)
            first = (0, number) if has_commits else (log, number)
            messages += [("load", place(*first, 0), at)] * random.randint(1, 3)
        for _ in range(random.randint(1, 5)):
            at += timedelta(seconds=random.randint(0, 600))
            start, number = number, number + random.randint(2, 100)
            jitter = timedelta(seconds=random.randint(-20, 20))
            # A commit of PostgreSQL's is behind its changes; the one before it is the first number.
            messages.append(("change", place(*((start, number) if has_commits else (log, number)), 0), at + jitter))
            if not has_commits and random.random() < 0.2:
                log, number = log + 1, 4
        again = [message for earlier in batches for message in earlier if random.random() < 0.2]
        batches.append(random.sample(messages + again, len(messages) + len(again)))
    return batches


def test_in_random_logs_a_second_snapshot_and_a_new_log_are_seen_and_nothing_else_is(query):
    random = Random(SEED)
    streams = [draw_stream(random, EVENTS[number % 3]) for number in range(STREAMS)]
    rows = ", ".join(
        f"({number}, {batch}, '{kind}', '{position}', timestamp '{at}', cast(null as string))"
        for number, batches in enumerate(streams)
        for batch, messages in enumerate(batches)
        for kind, position, at in messages
    )
    facts = query(
        f"""
        select stream, batch, {Dbt().cdc_source_log_sql()}
        from values {rows} as split (stream, batch, kind, position, committed_at, malformed)
        group by stream, batch order by stream, batch
        """
    )
    states: dict[int, str | None] = {}
    seen: dict[int, set[str]] = {number: set() for number in range(STREAMS)}
    for row in facts:
        verdict = judge_batch(states.get(row["stream"]), [row["source_log"]])
        states[row["stream"]] = verdict["state"]
        seen[row["stream"]] |= {"log"} if verdict["began_again"] else set()
        seen[row["stream"]] |= {verdict["second_snapshot"]} - {None}
    for number, events in seen.items():
        event = EVENTS[number % 3]
        # Behind a log that began again, the places of a first snapshot that comes once more mean nothing.
        judged_events = events & {"log"} if event == "log" else events
        assert judged_events == {event} - {None}, f"SEED={SEED}: {event}, {events} found: {streams[number]}"
