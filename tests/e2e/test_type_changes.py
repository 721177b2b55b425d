"""A type that changes at the source: what follows by itself, and the one command for all else (record 65)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from stories import Story, at, change

from python_udfs.metadata import COLUMNS_FILE
from python_udfs.sample_data.dms_writer import Column

FORMATS = {
    "files": ("dms", "parquet", "timestamp_column=ts"),
    "lines": ("dms", "csv", "timestamp_column=ts"),
    "transactions": ("dms", "csv", "timestamp_column=ts;transaction_files=true"),
    "messages": ("maxwell", "json", ""),
}
SEEDED = [name for name in FORMATS if name != "files"]
# One widening that Iceberg makes in place, one that it cannot make, and a number that becomes text.
OLD = {"wide": "int", "price": "decimal(12,2)", "code": "int"}
NEW = {"wide": "bigint", "price": "decimal(14,4)", "code": "string"}
ARROW = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "decimal(12,2)": pa.decimal128(12, 2),
    "decimal(14,4)": pa.decimal128(14, 4),
}
LARGE = 2**40
# Four batches: rows of the old types; rows that need the new ones; a row after the seeds were corrected; the run after.
BATCHES: list[list[tuple[int, int, str, Any]]] = [
    [(1, 1, "1.25", 7), (2, -2, "9999999999.99", -12), (6, 6, "6.00", 6)],
    [(3, LARGE, "3.00", 3), (4, 4, "1.2345", 4), (5, 5, "5.00", "x5"), (6, 7, "6.0001", 66)],
    [(7, LARGE + 7, "7.70", 7)],
    [(2, LARGE + 2, "0.0001", "two")],
]
Row = tuple[int, int, Decimal, str]


def expected(batches: int) -> list[Row]:
    """Rows of silver after so many batches: the newest row of each key, in the new types."""
    rows: dict[int, Row] = {}
    for number, wide, price, code in (row for batch in BATCHES[:batches] for row in batch):
        rows[number] = (number, wide, Decimal(price).quantize(Decimal("1.0000")), str(code))
    return sorted(rows.values(), key=repr)


def land(lakehouse, form: str, number: int) -> None:
    """The rows of a batch in one form; parquet files have the types that the source has then."""
    connector, data_format, _ = FORMATS[form]
    rows = [dict(zip(("id", *OLD), row, strict=True)) for row in BATCHES[number]]
    if connector == "maxwell":
        messages = [
            {"database": "s", "table": form, "type": "insert", "ts": 1706702400 + 60 * number, "xid": number}
            | {"xoffset": place, "data": row}
            for place, row in enumerate(rows)
        ]
        folder = lakehouse.raw / form / "topics" / f"src.s.{form}" / "partition=0"
        folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(
            f"{json.dumps(message)}\n".replace(f'"{message["data"]["price"]}"', message["data"]["price"])
            for message in messages
        )
        (folder / f"src.s.{form}+0+{10 * number:010d}.json").write_text(lines)
        return
    types = {name: ARROW[data_type] for name, data_type in (NEW if number else OLD).items()}
    if data_format == "csv":
        types = dict.fromkeys(OLD, pa.string())
    columns = (Column("id", pa.int32()), *(Column(name, data_type) for name, data_type in types.items()))
    story = Story(lakehouse.raw / form, form, columns=columns, data_format=data_format)
    typed = [
        row
        | {name: str(row[name]) for name, data_type in types.items() if data_type == pa.string()}
        | ({} if data_format == "csv" else {"price": Decimal(row["price"])})
        for row in rows
    ]
    made = [change("I", number, **row) for row in typed]
    if form == "transactions":
        story.task.transactions(((story.table, change) for change in made), at(number))
    else:
        story.changes(number, *made)


def land_deletes(lakehouse) -> None:
    """Tables of a feed of their own: an update that waits and the delete after it, and a delete with a placeholder."""
    lakehouse.add_feed("deletes", "csv", "timestamp_column=ts")
    lakehouse.add_table("deletes", "marked", columns="id int, code int", delete_mode="soft")
    lakehouse.add_table("deletes", "placeholder", columns="id int, note string")
    deletes = {"marked": ["U,{},1,x", "D,{},1,0"], "placeholder": ['D,{},2,""']}
    for table, lines in deletes.items():
        folder = lakehouse.raw / "deletes" / "s" / table
        folder.mkdir(parents=True)
        (folder / "LOAD00000001.csv").write_text("2024-01-31 23:00:00,1,7\n2024-01-31 23:00:00,2,8\n")
        changes = "".join(f"{line}\n" for line in lines).format(*["2024-01-31 23:01:00"] * len(lines))
        (folder / "20240131-230100000.csv").write_text(changes)


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    """All forms after the third batch: the seeds were corrected before it, and the raw files are gone after it."""
    lakehouse = empty_lakehouse
    for form, (connector, data_format, options) in FORMATS.items():
        lakehouse.add_feed(form, data_format, options, connector)
        listed = ", ".join(f"{name} {data_type}" for name, data_type in {"id": "int", **OLD}.items())
        mode = "history" if form == "lines" else "current"
        lakehouse.add_table(form, form, columns=listed if form in SEEDED else "", mode=mode)
    land_deletes(lakehouse)
    lakehouse.make_models()
    for number in (0, 1):
        for form in FORMATS:
            land(lakehouse, form, number)
        assert set(lakehouse.statuses("run").values()) == {"success"}
    for column in lakehouse.rows[COLUMNS_FILE]:
        column["data_type"] = NEW.get(column["column_name"], column["data_type"])
    lakehouse.make_models()
    for form in FORMATS:
        land(lakehouse, form, 2)
    assert set(lakehouse.statuses("run").values()) == {"success"}
    lakehouse.warned = list(lakehouse.messages)
    for form in FORMATS:
        shutil.rmtree(lakehouse.raw / form)
        (lakehouse.raw / form).mkdir()
    return lakehouse


@pytest.fixture
def operate(lakehouse, capsys) -> Callable[..., str]:
    """Runs a command; returns what it printed, or the message that it failed with."""

    def run(name: str, **arguments: Any) -> str:
        capsys.readouterr()
        outcome = lakehouse.dbt("run-operation", name, "--args", json.dumps(arguments))
        return capsys.readouterr().out if outcome.success else "\n".join(lakehouse.messages)

    return run


def types(lakehouse, table: str) -> dict[str, str]:
    return {row.col_name: row.data_type for row in lakehouse.sql(f"describe table {table}") if row.col_name in OLD}


def command(form: str) -> str:
    return f"""dbt run-operation change_types --args '{{"table": "s__{form}"}}'"""


@pytest.mark.parametrize("form", FORMATS)
def test_a_lossless_widening_follows_by_itself_in_each_form(lakehouse, form):
    for layer in ("bronze", "silver"):
        assert types(lakehouse, f"{layer}.s__{form}") == {**OLD, "wide": "bigint"}
    assert (7, LARGE + 7) in lakehouse.table(form, "id, wide")


@pytest.mark.parametrize("form", SEEDED)
def test_a_run_names_a_corrected_type_that_bronze_does_not_follow_and_the_command(lakehouse, form):
    warned = [message for message in lakehouse.warned if f"bronze.s__{form}: column" in message]
    assert [message.partition("bronze.s__")[2] for message in warned] == [
        f"{form}: column price is decimal(12,2), seeds/cdc_columns.csv has decimal(14,4); values that do not fit are"
        f" quarantined. Run {command(form)}.",
        f"{form}: column code is int, seeds/cdc_columns.csv has string; values that do not fit are quarantined."
        f" Run {command(form)}.",
    ]


def test_the_reason_of_a_row_in_quarantine_names_type_and_command(lakehouse):
    rows = lakehouse.sql("select _cdc_quarantine_reason from bronze.s__files where _cdc_quarantine_rule is not null")
    assert sorted(row[0] for row in rows) == [
        f"code is 'x5' of type string, expected int: run {command('files')}",
        f"price is '1.2345' of type decimal(14,4), expected decimal(12,2): run {command('files')}",
        f"price is '6.0001' of type decimal(14,4), expected decimal(12,2): run {command('files')}",
    ]


@pytest.mark.parametrize("form", FORMATS)
def test_a_replay_adds_what_fits_and_names_the_command_for_the_rest(operate, form):
    fits = 0 if form == "files" else 1
    said = operate("replay_quarantine", table=f"s__{form}")
    assert f"s__{form}: {3 + fits} rows waited in quarantine, {fits} are in bronze now, 3 still break a rule." in said
    assert (
        "price needs decimal(14,4), bronze has decimal(12,2); code needs string, bronze has int: run"
        f" {command(form)}." in said
    )


@pytest.mark.parametrize("form", FORMATS)
def test_one_command_changes_the_types_without_raw_files(lakehouse, operate, form):
    before = lakehouse.snapshots(f"bronze.s__{form}")
    rows = "select _cdc_sequence, _cdc_batch_id, _cdc_source_file, _cdc_operation, id from bronze.s__{} order by 1, 2"
    log = lakehouse.sql(rows.format(form))
    said = operate("change_types", table=f"s__{form}")
    origin = "rows in quarantine" if form == "files" else "seeds/cdc_columns.csv"
    assert f"bronze.s__{form}: price decimal(12,2) becomes decimal(14,4) ({origin})" in said
    assert f"1 of 3: rewriting bronze.s__{form}" in said
    assert "3 rows waited in quarantine, 3 are in bronze now, 0 still break a rule." in said
    for layer in ("bronze", "silver"):
        assert types(lakehouse, f"{layer}.s__{form}") == NEW
    current = " where _cdc_valid_to is null" if form == "lines" else ""
    silver = lakehouse.sql(f"select id, wide, price, code from silver.s__{form}{current}")
    assert sorted(map(tuple, silver), key=repr) == expected(3)
    assert set(log) <= set(lakehouse.sql(rows.format(form))), "each row keeps its position, its file and its batch"
    assert set(before) < set(lakehouse.snapshots(f"bronze.s__{form}")), "the table of yesterday is still there"
    said = operate("change_types", table=f"s__{form}")
    assert "nothing to rewrite" in said and "nothing to rebuild" in said


def test_the_next_run_continues_after_the_change_of_types(lakehouse):
    tables = [f"{layer}.s__{form}" for form in FORMATS for layer in ("bronze", "silver")]
    before = [lakehouse.snapshots(table) for table in tables]
    statuses = lakehouse.run_and_compare()
    assert set(statuses.values()) <= {"success", "pass"}, statuses
    assert [lakehouse.snapshots(table) for table in tables] == before, "there was nothing new"
    for form in FORMATS:
        land(lakehouse, form, 3)
    statuses = lakehouse.run_and_compare()
    assert set(statuses.values()) <= {"success", "pass"}, statuses
    for form in FORMATS:
        current = " where _cdc_valid_to is null" if form == "lines" else ""
        silver = lakehouse.sql(f"select id, wide, price, code from silver.s__{form}{current}")
        assert sorted(map(tuple, silver), key=repr) == expected(4)


def test_a_marked_row_gets_the_image_that_waited_although_it_was_deleted_since(lakehouse, operate):
    assert lakehouse.table("marked", "id, code, _cdc_is_deleted") == [(1, 7, True), (2, 8, False)]
    said = operate("change_types", table="s__marked")
    assert "1 rows waited in quarantine, 1 are in bronze now" in said
    assert lakehouse.table("marked", "id, code, _cdc_is_deleted") == [(1, "x", True), (2, "8", False)]


def test_a_placeholder_in_a_delete_holds_no_type_up(lakehouse, operate):
    for column in lakehouse.rows[COLUMNS_FILE]:
        if column["column_name"] == "note":
            column["data_type"] = "int"
    lakehouse.make_models()
    assert "note string becomes int" in operate("change_types", table="s__placeholder")
    assert lakehouse.table("placeholder", "id, note") == [(1, 7)]
    rows = lakehouse.sql("select note from bronze.s__placeholder where _cdc_operation = 'D'")
    assert [row.note for row in rows] == [None]
