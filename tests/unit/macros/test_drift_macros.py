"""What the files that wait would change: the facts. The words are in test_drift.py."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from harness import Dbt, Relation

BRONZE = Relation("bronze", "shop__order")
TABLE = {"ID": "int", "v": "string", "cost": "decimal(9,2)", "_cdc_sequence": "string"}
FILE = {"kind": "load", "is_newest": True, "size": 9, "batch_id": 8}
WAITING = {
    "as rule": [{"rule": None, "row_count": 3, "example": None}],
    "is_newest": [
        {**FILE, "path": "a"},
        {**FILE, "path": "b", "is_newest": False},
        {**FILE, "path": "folder", "kind": "truncate", "batch_id": 9},
    ],
}


def cdc(**cells: Any) -> dict[str, Any]:
    table: dict[str, Any] = {
        "layer": "bronze",
        "feed": "f",
        "connector": "dms",
        "source_schema": "shop",
        "source_table": "order",
        "format": "parquet",
    }
    return {**table, "options": {"operation_column": "auto"}, "columns": [], "primary_key": ["id"], **cells}


def column(name: str, table_type: str | None, *types: str, is_listed: bool = False) -> dict[str, Any]:
    return {"name": name, "types": list(types), "table_type": table_type, "is_listed": is_listed}


def command(answers: dict[str, Any], *, listed: bool = True, **cells: Any) -> tuple[Dbt, dict[str, Any]]:
    model = {"resource_type": "model", "database": None, "schema": "bronze", "alias": "shop__order"}
    other = SimpleNamespace(resource_type="model", config=SimpleNamespace(meta={}))
    node = SimpleNamespace(**model, config=SimpleNamespace(meta={"cdc": cdc(**cells)}))
    split = SimpleNamespace(
        **{**model, "alias": "split_f", "schema": "etl"}, config=SimpleNamespace(meta={"cdc": {**SPLIT, "feed": "f"}})
    )
    listing = SimpleNamespace(**{**model, "alias": "raw_listing"}, config=SimpleNamespace(meta={}))
    columns = [{"name": "New", "type": "date"}]
    rules = answers.pop("as rule", [])
    asked: list[dict[str, Any]] = []

    def show_waiting(**arguments: Any) -> dict[str, Any]:
        asked.append(arguments)
        return {"feed": "f", "view": arguments["view"], "rejected": [], "left": 5, "problem": None}

    dbt = Dbt(
        nodes={
            "a": other,
            "b": node,
            "model.lakehouse.raw_listing": listing,
            **({"c": split} if "split" in cells else {}),
        },
        columns={BRONZE: TABLE, **({Relation("bronze", "raw_listing"): {}} if listed else {})},
        answers=answers,
        attempts={"as rule": rules},
        summary={"cdc.batch-id": "7"},
        files={"columns": columns, "schemas": [columns], "rejected": [{"path": "x", "reason": "cut"}], "found": []},
        functions={"python_udfs.drift.waiting.show_waiting": show_waiting},
    )
    dbt.cdc_drift()
    [logged] = dbt.logged
    dbt.asked = asked
    return dbt, json.loads(logged.removeprefix("cdc_answer "))


SPLIT = {"layer": "split", "connector": "debezium"}
FACTS = {"table": "shop__order", "schema_drift": "evolve", "has_columns": True, "renamed": {}}
FACTS |= {"keeps_absent": False, "are_typed": True}
RULES = {"rules": [{"rule": None, "rows": 3, "example": None}], "problem": None}


def test_cdc_drift__reads_the_columns_of_the_files_that_wait_and_writes_nothing():
    dbt, answer = command(dict(WAITING))
    options = {"verify": "schema", "types": "separate", "exact": ["Op"], "nested": "json", "key": [["id"]]}
    assert dbt.files_read == [("shop__order__drift", "parquet", ["a"], options)]
    gone = [{"name": name, "type": TABLE[name], "is_everywhere": True} for name in ("ID", "v", "cost")]
    table = {**FACTS, **RULES, "files": 1, "first_files": 1, "rejected": [{"path": "x", "reason": "cut"}]}
    table |= {"columns": [column("New", None, "date")], "missing": gone}
    assert answer == {"is_listed": True, "feeds": [], "tables": [table]}
    assert all(query.lstrip().startswith(("select", "with")) for query in dbt.queries + dbt.attempted)
    assert "batch_id > 7" in dbt.queries[-1]


def test_cdc_drift__values_are_read_of_the_first_files_only():
    sizes = {"a": 15_999_999, "b": 1, "c": 1}
    files = [{**FILE, "path": path, "size": size} for path, size in sizes.items()]
    dbt, answer = command({**WAITING, "is_newest": files})
    assert [(view, paths) for view, _, paths, _ in dbt.files_read] == [
        ("shop__order__drift", ["a", "b", "c"]),
        ("shop__order__drift_values", ["a", "b"]),
    ]
    assert (answer["tables"][0]["files"], answer["tables"][0]["first_files"]) == (3, 2)
    [judged] = dbt.attempted
    assert "from shop__order__drift_values as raw" in judged and "limit 100000" in judged


def test_cdc_drift__rows_that_cannot_be_read_are_an_answer():
    _, answer = command({**WAITING, "as rule": "a page is broken"})
    assert (answer["tables"][0]["rules"], answer["tables"][0]["problem"]) == ([], "a page is broken")


def test_cdc_drift__messages_that_are_not_split_yet_are_among_those_that_wait():
    file = {**FILE, "path": None, "kind": "multi_table", "names": '["id","new"]', "size": None}
    answers = {"to_json(array_distinct(": [{"names": '["id","new"]'}], **WAITING, "is_newest": [file]}
    listed = [{"name": "id", "type": "int", "optional": False}]
    dbt, answer = command(answers, split="split_f", format="json", columns=listed)
    arguments = {"seeds": "project/seeds", "feed": "f", "split": None, "schema": "etl", "view": "split_f__drift"}
    assert dbt.asked == [arguments]
    assert answer["feeds"] == [{"feed": "f", "view": "split_f__drift", "rejected": [], "left": 5, "problem": None}]
    [table] = answer["tables"]
    assert table["columns"] == [column("id", "int", "int", is_listed=True), column("new", None, "string")]
    assert [entry["name"] for entry in table["missing"]] == ["v", "cost"]
    assert "from split_f__drift" in dbt.attempted[0]
    assert not dbt.files_read


def test_cdc_drift__nothing_waits():
    dbt, answer = command({"is_newest": []})
    assert (dbt.files_read, answer) == ([], {"is_listed": True, "feeds": [], "tables": []})


def test_cdc_drift__before_the_first_listing():
    dbt, answer = command({}, listed=False)
    assert (dbt.queries, answer) == ([], {"is_listed": False, "feeds": [], "tables": []})
