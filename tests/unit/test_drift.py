"""What the files that wait would change, shown before a run does it."""

from __future__ import annotations

from typing import Any

import pytest

from python_udfs.cli.operation import Operations
from python_udfs.drift.__main__ import main
from python_udfs.drift.report import changes, report


def column(name: str, type: str, table_type: str | None, **facts: bool) -> dict[str, Any]:
    facts = {"is_listed": False, "fits": False, "widens": False, **facts}
    return {"name": name, "type": type, "table_type": table_type, **facts}


def table(*columns: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """What cdc_drift_of answers."""
    described = {"table": "shop__order", "schema_drift": "evolve", "has_columns": True, "renamed": {}, "rejected": []}
    return {**described, "columns": list(columns), **facts}


NEW, WIDER, OTHER = (
    "column New date is new",
    "column ID is bigint, the table has int",
    "column v is int, the table has string",
)
CAST_FAILURE = (
    "values that do not fit go to quarantine (uncastable_value): then dbt run-operation change_types --args"
    """ '{"table": "shop__order"}'"""
)
QUARANTINE = "rows of its files go to quarantine (schema_drift)"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("evolve", [(WIDER, "bronze and silver widen it"), (OTHER, CAST_FAILURE), (NEW, "bronze and silver add it")]),
        ("freeze", [(WIDER, CAST_FAILURE), (OTHER, CAST_FAILURE), (NEW, "bronze adds it, silver does not")]),
        ("quarantine", [(WIDER, QUARANTINE), (OTHER, QUARANTINE), (NEW, QUARANTINE)]),
    ],
)
def test_each_policy_has_its_consequence(policy, expected):
    columns = [column("ID", "bigint", "int", widens=True), column("v", "int", "string"), column("New", "date", None)]
    assert changes(table(*columns, schema_drift=policy)) == expected


def test_what_fits_is_no_change():
    assert changes(table(column("id", "smallint", "int", fits=True))) == []


@pytest.mark.parametrize("policy", ["evolve", "freeze", "quarantine"])
def test_the_first_files_make_the_table(policy):
    found = changes(table(column("id", "bigint", None), schema_drift=policy, has_columns=False))
    assert found == [("column id bigint is new", "bronze and silver add it")]


def test_a_column_that_the_seed_lists_is_asked_for():
    listed = [column("more", "string", None, is_listed=True), column("id", "int", "date", is_listed=True)]
    assert changes(table(*listed, schema_drift="quarantine")) == [
        ("column more string is new", "bronze and silver add it"),
        ("column id is int, the table has date", CAST_FAILURE),
    ]


def test_rejected_files_and_renamed_columns():
    facts = table(rejected=[{"path": "file:/x/LOAD1.parquet", "reason": "cut"}], renamed={"cost": "price"})
    assert report([facts, table(column("a", "int", None), table="t")]).splitlines() == [
        "table        files that wait                  the next run",
        "-----------  -------------------------------  ------------",
        "shop__order  LOAD1.parquet: cut               the file is rejected",
        "shop__order  column cost is called price now  bronze and silver rename it",
        "t            column a int is new              bronze and silver add it",
    ]


def test_nothing_would_change():
    assert report([table()]) == "Nothing would change: no file waits that brings another column or type."


@pytest.mark.parametrize(("is_listed", "code"), [(True, 0), (False, 1)])
def test_the_command_wants_a_listing(monkeypatch, capsys, is_listed, code):
    answer = {"is_listed": is_listed, "tables": [table(column("a", "int", None))] * is_listed}
    monkeypatch.setattr(Operations, "__init__", lambda self, project: None)
    monkeypatch.setattr(Operations, "ask", lambda self, macro: answer if macro == "cdc_drift" else None)
    assert main([]) == code
    said = capsys.readouterr()
    assert ("column a int is new" in said.out, "no listing of the landing area yet" in said.err) == (
        is_listed,
        not is_listed,
    )
