"""CSV that could be read as something else than was written (docs/architecture.md, Forms of text).

Five tables of raw files, and transaction files of two; all are built twice.
"""

from __future__ import annotations

import pytest

COLUMNS = "id int, v string"
STRAY = "a quote inside a value without quotes, expected the value in quotes (Rfc4180=true)"
FILES = {
    # Rfc4180=false: the quotes are part of the text.
    "raw/s/quotes/LOAD00000001.csv": "1,a\n2,b\n3,c\n",
    "raw/s/quotes/20240131-230100000.csv": 'U,1,5" pipe\nD,2,6" pipe\nU,3,"two\n""lines"""\nI,4,d\n',
    "raw/s/forms/LOAD00000001.csv": "1,2024-01-15,2024-01-15 13:45:00,1.5\n",
    "raw/s/forms/20240131-230100000.csv": (
        "I,2,2024-01-15 13:45:00,2024-01-15 13:45:00,1\nI,3,2024-01-15,2024-01-15 13:45:00+02:00,1\n"
        "I,4,2024-01-15,2024-01-15 13:45:00,123456789012345678901234.567\nI,5,2024-01-15 00:00:00,2024-01-15,1E2\n"
    ),
    "raw/s/dropped/LOAD00000001.csv": "1,a\n2,b\n",
    "raw/s/dropped/20240131-230500000.csv": "U,1,a,x\n",
    # Carriage returns, which Windows ends a line with, and blanks around names.
    "headed/s/windows/LOAD00000001.csv": 'id , "v ",w\r\n1,a,x\r\n',
    "headed/s/nameless/LOAD00000001.csv": 'id,,v,\n1,,a,NULL\n2,,b,lost\n3,"",c,""\n',
    "multi/s/one/LOAD00000001.csv": "1,a\n",
    "multi/s/two/LOAD00000001.csv": "1,a\n2,b\n",
    "multi/CDC_TXN-20240131230100000.csv": 'U,one,s,1,5" pipe\nD,two,s,2,6" pipe\nU,two,s,1,c\nU,one,s,1,"d\n"\n',
}
LATER = {
    # The first is newer than a value in the column, the second older.
    "raw/s/dropped/20240131-230600000.csv": "U,2,shifted\nU,2,whole,\n",
    "raw/s/dropped/20240131-230300000.csv": "I,3,late\n",
}


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def traps(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("raw", "csv")
    lakehouse.add_feed("multi", "csv", "transaction_files=true")
    lakehouse.add_feed("headed", "csv", "header=true")
    lakehouse.add_table("headed", "windows", columns=f"{COLUMNS}, w string")
    lakehouse.add_table("headed", "nameless", columns=COLUMNS)
    lakehouse.add_table("raw", "quotes", columns=COLUMNS)
    lakehouse.add_table("raw", "forms", columns="id int, day date, seen timestamp_ntz, price decimal(38,2)")
    lakehouse.add_table("raw", "dropped", columns=f"{COLUMNS}, w string?")
    for name in ("one", "two"):
        lakehouse.add_table("multi", name, columns=COLUMNS)
    lakehouse.make_models()
    for files in (FILES, LATER):
        write(lakehouse.raw, files)
        statuses = lakehouse.run_and_compare() if files is LATER else lakehouse.statuses("run")
        assert set(statuses.values()) <= {"success", "pass", "warn"}, statuses
    return lakehouse


def quarantined(lakehouse, table):
    rows = lakehouse.sql(
        f"select file_row, rule, reason from etl_metadata.quarantine where source_table = '{table}' order by file_row"
    )
    return [tuple(row) for row in rows]


def test_a_stray_quote_costs_one_record(traps):
    assert quarantined(traps, "quotes") == [(0, "malformed_record", STRAY), (1, "malformed_record", STRAY)]
    assert traps.table("quotes", "id, v") == [(1, "a"), (2, "b"), (3, 'two\n"lines"'), (4, "d")]


def test_a_stray_quote_takes_no_record_of_another_table(traps):
    assert quarantined(traps, "one") == [(0, "malformed_record", STRAY)]
    assert quarantined(traps, "two") == [(1, "malformed_record", STRAY)]
    assert traps.table("one", "id, v") == [(1, "d\n")]
    assert traps.table("two", "id, v") == [(1, "c"), (2, "b")]


def test_names_of_a_header_lose_blanks_and_the_carriage_return(traps):
    assert traps.table("windows", "id, v, w") == [(1, "a", "x\r")]
    assert [row.col_name for row in traps.sql("describe bronze.s__windows")][:4] == ["id", "v", "w", "_cdc_operation"]


def test_a_value_under_a_header_without_a_name_is_reported(traps):
    reason = "field 4 has a value and no name in the header: name the column, or leave its fields empty"
    assert quarantined(traps, "nameless") == [(2, "malformed_record", reason)]
    assert traps.table("nameless", "id, v") == [(1, "a"), (3, "c")]


def test_a_value_that_a_cast_would_change_is_quarantined(traps):
    assert [reason for _, _, reason in quarantined(traps, "forms")] == [
        "day is '2024-01-15 13:45:00', expected date",
        "seen is '2024-01-15 13:45:00+02:00', expected timestamp_ntz",
        "price is '123456789012345678901234.567', expected decimal(38,2)",
    ]
    assert [(id, str(price)) for id, price in traps.table("forms", "id, price")] == [(1, "1.50"), (5, "100.00")]


def test_a_record_without_a_column_that_had_values_is_malformed_unless_it_is_older(traps):
    reason = "the record has 3 fields, but an earlier one has a value in w: was a column dropped at the source?"
    assert quarantined(traps, "dropped") == [(0, "malformed_record", reason)]
    assert traps.table("dropped", "id, v, w") == [(1, "a", "x"), (2, "whole", None), (3, "late", None)]
