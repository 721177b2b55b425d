"""Changes that waiting files would make, shown before a run makes them."""

from __future__ import annotations

from typing import Any

import pytest

from python_udfs.cli.operation import Operations
from python_udfs.drift.__main__ import main
from python_udfs.drift.changes import NEW_COLUMN_REMEDY, TYPE_REMEDY
from python_udfs.drift.report import CAST, KEPT, changes, report


def column(name: str, table_type: str | None, *types: str, is_listed: bool = False) -> dict[str, Any]:
    return {"name": name, "types": list(types), "table_type": table_type, "is_listed": is_listed}


def table(*columns: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """Facts of a table, as `describe_table` returns them."""
    described = {"table": "shop__order", "schema_drift": "evolve", "has_columns": True, "renamed": {}, "rejected": []}
    described |= {
        "keeps_absent": False,
        "are_typed": True,
        "files": 1,
        "first_files": 1,
        "missing": [],
        "rules": [],
        "problem": None,
    }
    return {**described, "columns": list(columns), **facts}


NEW, WIDER, OTHER = (
    "column New date is new",
    "column ID is bigint, the table has int",
    "column v is int, the table has string",
)
QUARANTINE = "rows of its files go to quarantine (schema_drift)"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("evolve", [(WIDER, "bronze and silver widen it"), (OTHER, CAST), (NEW, "bronze and silver add it")]),
        ("freeze", [(WIDER, CAST), (OTHER, CAST), (NEW, "bronze adds it, silver does not")]),
        ("quarantine", [(WIDER, QUARANTINE), (OTHER, QUARANTINE), (NEW, QUARANTINE)]),
    ],
)
def test_each_policy_has_its_consequence(policy, expected):
    columns = [column("ID", "int", "bigint"), column("v", "string", "int"), column("New", None, "date")]
    assert changes(table(*columns, schema_drift=policy)) == expected


def test_a_type_behind_a_wider_one_is_shown():
    types = ("bigint", "int", "string", "bigint", "string")
    assert changes(table(column("ID", "int", *types))) == [
        (WIDER, "bronze and silver widen it"),
        ("column ID is string, the table then has bigint", CAST),
    ]
    assert changes(table(column("New", None, "date", "string"))) == [
        (NEW, "bronze and silver add it"),
        ("column New is string, the table then has date", CAST),
    ]


def test_what_fits_is_no_change():
    assert changes(table(column("id", "bigint", "int"))) == []


@pytest.mark.parametrize("policy", ["evolve", "freeze", "quarantine"])
def test_the_first_files_make_the_table(policy):
    reported = changes(table(column("id", None, "bigint"), schema_drift=policy, has_columns=False))
    assert reported == [("column id bigint is new", "bronze and silver add it")]


def test_a_column_that_the_seed_lists_is_asked_for():
    listed = [column("more", None, "string", is_listed=True), column("id", "date", "int", is_listed=True)]
    assert changes(table(*listed, schema_drift="quarantine")) == [
        ("column more string is new", "bronze and silver add it"),
        # No file has that type: values are cast to the table's.
        ("column id is int in the seed, the table has date", KEPT),
    ]
    said = report([table(column("id", "date", "int", "string", is_listed=True))])
    assert "column id is string, the table has date" in said
    assert said.endswith(TYPE_REMEDY)


MISSING = {"name": "v", "type": "int", "is_everywhere": True}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, ("column v is missing", "its rows get NULL")),
        ({"keeps_absent": True}, ("column v is missing", "the value stays as it is (absent_columns)")),
        (
            {"missing": [{**MISSING, "is_everywhere": False}]},
            ("column v is missing in a part of the files", "its rows get NULL"),
        ),
    ],
)
def test_a_column_that_files_lack_is_shown(facts, expected):
    assert changes(table(**{"missing": [MISSING], **facts})) == [expected]


def test_where_one_column_is_new_and_another_is_missing_a_rename_is_asked_for():
    columns = [column("a", None, "bigint"), column("b", None, "date"), column("c", None, "string")]
    for are_typed, names in ((True, "a"), (False, "abc")):
        lines = changes(table(*columns, missing=[MISSING], are_typed=are_typed))
        assert [line for line in lines if line[0].endswith("?")] == [
            (f"was column v renamed to {name}?", f"if so, first v={name} in renamed_columns") for name in names
        ]


def test_rows_that_would_be_quarantined_are_counted_with_an_example():
    rules = [{"rule": None, "rows": 3_000, "example": None}]
    rules.append({"rule": "uncastable_value", "rows": 2, "example": "v is 'x', expected int"})
    rules.append({"rule": "malformed_record", "rows": 1, "example": "y" * 500})
    changed = table(rules=rules, files=9, first_files=2)
    assert changes(changed) == [
        ("2 of 3,003 rows: v is 'x', expected int", "quarantine (uncastable_value)"),
        (f"1 of 3,003 rows: {'y' * 120}…", "quarantine (malformed_record)"),
    ]
    notes = report([changed]).splitlines()[-2:]
    assert notes == ["Table shop__order: values were read of 2 of 9 files.", TYPE_REMEDY]
    assert changes(table(problem="a page is broken")) == [
        ("rows cannot be read: a page is broken", "the file with the error is rejected")
    ]


def test_what_waits_of_messages_and_cannot_be_read_is_shown():
    feed = {"feed": "orders", "rejected": [], "left": 1_000, "problem": None}
    assert report([], [feed]).splitlines()[1:] == ["Feed orders: 1,000 more wait that were not read."]
    rejected = [{"path": "file:/x/a.json", "reason": "cut"}]
    said = report([], [{**feed, "rejected": rejected, "problem": "Kafka does not answer"}]).splitlines()
    assert [line.split("  ")[0] for line in said[2:4]] == ["feed orders"] * 2
    assert "a.json: cut" in said[2] and said[2].endswith("the file is rejected")
    assert "Kafka does not answer" in said[3] and said[3].endswith("the split fails, and its tables wait")


@pytest.mark.parametrize(("has_columns", "is_said"), [(True, True), (False, False)])
def test_rows_before_a_new_column_lack_its_default_and_the_report_says_so(has_columns, is_said):
    said = report([table(column("plan", None, "string"), has_columns=has_columns)])
    assert (NEW_COLUMN_REMEDY in said) is is_said


def test_rejected_files_and_renamed_columns():
    facts = table(rejected=[{"path": "file:/x/LOAD1.parquet", "reason": "cut"}], renamed={"cost": "price"})
    assert report([facts, table(column("a", None, "int"), table="t", has_columns=False)]).splitlines() == [
        "table        what waits                       the next run",
        "-----------  -------------------------------  ------------",
        "shop__order  LOAD1.parquet: cut               the file is rejected",
        "shop__order  column cost is called price now  bronze and silver rename it",
        "t            column a int is new              bronze and silver add it",
    ]


def test_nothing_would_change():
    assert report([table()]) == (
        "Nothing would change: no file or message waits that brings another column or type or breaks a rule."
    )


@pytest.mark.parametrize(("is_listed", "code"), [(True, 0), (False, 1)])
def test_the_command_wants_a_listing(monkeypatch, capsys, is_listed, code):
    answer = {"is_listed": is_listed, "feeds": [], "tables": [table(column("a", None, "int"))] * is_listed}
    monkeypatch.setattr(Operations, "__init__", lambda self, project: None)
    monkeypatch.setattr(Operations, "ask", lambda self, macro: answer if macro == "cdc_drift" else None)
    assert main([]) == code
    said = capsys.readouterr()
    assert ("column a int is new" in said.out, "no listing of the landing area yet" in said.err) == (
        is_listed,
        not is_listed,
    )
