"""What the files that wait would change: the facts. The words are in test_drift.py."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from harness import Dbt, Relation

BRONZE = Relation("bronze", "shop__order")
TABLE = {"ID": "int", "v": "string", "cost": "decimal(9,2)", "_cdc_sequence": "string"}
WAITING = {
    "is_newest": [
        {"path": "a", "kind": "load", "is_newest": True},
        {"path": "b", "kind": "load", "is_newest": False},
        {"path": "folder", "kind": "truncate", "is_newest": True},
    ]
}


def cdc(**cells: Any) -> dict[str, Any]:
    table = {"layer": "bronze", "feed": "f", "source_schema": "shop", "source_table": "order", "format": "parquet"}
    return {**table, "options": {"operation_column": "auto"}, "columns": [], **cells}


def columns(files: dict[str, str], target: dict[str, str] = TABLE, **cells: Any) -> dict[str, Any]:
    raw = {"columns": [{"name": name, "type": type} for name, type in files.items()], "rejected": []}
    dbt = Dbt(columns={BRONZE: target})
    return dbt.cdc_drift_columns(cdc(**cells), raw, dbt.context["adapter"].get_columns_in_relation(BRONZE))


def column(name: str, type: str, table_type: str | None, **facts: bool) -> dict[str, Any]:
    return {"name": name, "type": type, "table_type": table_type} | {
        fact: facts.get(fact, False) for fact in ("is_listed", "fits", "widens")
    }


def test_cdc_drift_columns__types_of_files_beside_those_of_the_table():
    found = columns({"Op": "string", "ID": "bigint", "v": "int", "cost": "decimal(5,2)", "New": "date"})
    assert found == {
        "has_columns": True,
        "renamed": {},
        "columns": [
            column("ID", "bigint", "int", widens=True),
            column("v", "int", "string"),
            column("cost", "decimal(5,2)", "decimal(9,2)", fits=True),
            column("New", "date", None),
        ],
    }
    assert columns({"id": "smallint"})["columns"] == [column("id", "int", "int", fits=True)]


def test_cdc_drift_columns__a_table_without_columns_of_the_source():
    found = columns({"id": "bigint"}, {"_cdc_sequence": "string"})
    assert (found["has_columns"], found["columns"]) == (False, [column("id", "bigint", None)])


def test_cdc_drift_columns__renamed_columns():
    found = columns({"price": "decimal(9,2)"}, renamed_columns={"Cost": "price", "v": "id"})
    assert found["renamed"] == {"cost": "price"}, "the table has id beside v"
    assert found["columns"] == [column("price", "decimal(9,2)", "decimal(9,2)", fits=True)]


def test_cdc_drift_columns__a_column_that_the_seed_lists_is_listed():
    listed = [{"name": "id", "type": "int"}, {"name": "more", "type": "string"}]
    assert columns({}, format="csv", columns=listed)["columns"] == [
        column("id", "int", "int", is_listed=True, fits=True),
        column("more", "string", None, is_listed=True),
    ]


def command(answers: dict[str, Any], *, listed: bool = True) -> tuple[Dbt, dict[str, Any]]:
    model = {"resource_type": "model", "database": None, "schema": "bronze", "alias": "shop__order"}
    other = SimpleNamespace(resource_type="model", config=SimpleNamespace(meta={}))
    node = SimpleNamespace(**model, config=SimpleNamespace(meta={"cdc": cdc()}))
    columns = [{"name": "New", "type": "date"}]
    dbt = Dbt(
        nodes={"a": other, "b": node},
        columns={BRONZE: TABLE, **({"ref.raw_listing": {}} if listed else {})},
        answers=answers,
        summary={"cdc.batch-id": "7"},
        files={"columns": columns, "schemas": [columns], "rejected": [{"path": "x", "reason": "cut"}], "found": []},
    )
    dbt.cdc_drift()
    [logged] = dbt.logged
    return dbt, json.loads(logged.removeprefix("cdc_answer "))


def test_cdc_drift__reads_the_columns_of_the_files_that_wait_and_writes_nothing():
    dbt, answer = command(WAITING)
    options = {"verify": "schema", "types": "separate", "exact": ["Op"], "nested": "json"}
    assert dbt.files_read == [("shop__order__drift", "parquet", ["a"], options)]
    table = {"table": "shop__order", "schema_drift": "evolve", "rejected": [{"path": "x", "reason": "cut"}]}
    table |= {"has_columns": True, "renamed": {}, "columns": [column("New", "date", None)]}
    assert answer == {"is_listed": True, "tables": [table]}
    assert all(query.lstrip().startswith(("select", "with")) for query in dbt.queries)
    assert "batch_id > 7" in dbt.queries[-1]


def test_cdc_drift__nothing_waits():
    dbt, answer = command({"is_newest": []})
    assert (dbt.files_read, answer) == ([], {"is_listed": True, "tables": []})


def test_cdc_drift__before_the_first_listing():
    dbt, answer = command({}, listed=False)
    assert (dbt.queries, answer) == ([], {"is_listed": False, "tables": []})
