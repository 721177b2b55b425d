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


def columns(files: dict[str, str], target: dict[str, str] = TABLE, **cells: Any) -> dict[str, Any]:
    raw = {"columns": [{"name": name, "type": type} for name, type in files.items()], "rejected": []}
    dbt = Dbt(columns={BRONZE: target})
    found: dict[str, Any] = dbt.cdc_drift_columns(
        cdc(**cells), raw, dbt.context["adapter"].get_columns_in_relation(BRONZE)
    )
    return found


def column(name: str, table_type: str | None, *types: str, is_listed: bool = False) -> dict[str, Any]:
    return {"name": name, "types": list(types), "table_type": table_type, "is_listed": is_listed}


def test_cdc_drift_columns__types_of_files_beside_those_of_the_table():
    found = columns({"Op": "string", "ID": "bigint", "v": "int", "cost": "decimal(5,2)", "New": "date"})
    assert found == {
        "has_columns": True,
        "renamed": {},
        "target": [{"name": name, "dtype": TABLE[name]} for name in ("ID", "v", "cost")],
        "columns": [
            column("ID", "int", "bigint"),
            column("v", "string", "int"),
            column("cost", "decimal(9,2)", "decimal(5,2)"),
            column("New", None, "date"),
        ],
    }


def test_cdc_drift_columns__every_type_of_a_column_in_the_order_of_the_files():
    raw = {"columns": [{"name": "id", "type": type} for type in ("smallint", "bigint", "string")]}
    listed = [{"name": "id", "type": "decimal(9,0)"}]
    for columns, types in (([], ()), (listed, ("decimal(9,0)",))):
        found = Dbt().cdc_drift_columns(cdc(columns=columns), raw, [])["columns"]
        assert found == [column("id", None, *types, "int", "bigint", "string", is_listed=bool(columns))]


def test_cdc_drift_columns__a_table_without_columns_of_the_source():
    found = columns({"id": "bigint"}, {"_cdc_sequence": "string"})
    assert (found["has_columns"], found["columns"]) == (False, [column("id", None, "bigint")])


def test_cdc_drift_columns__renamed_columns():
    found = columns({"price": "decimal(9,2)"}, renamed_columns={"Cost": "price", "v": "id"})
    assert found["renamed"] == {"cost": "price"}, "the table has id beside v"
    assert found["columns"] == [column("price", "decimal(9,2)", "decimal(9,2)")]
    assert [entry["name"] for entry in found["target"]] == ["ID", "v", "price"]


def test_cdc_drift_columns__a_column_that_the_seed_lists_is_listed():
    listed = [{"name": "id", "type": "int"}, {"name": "more", "type": "string"}]
    assert columns({}, format="csv", columns=listed)["columns"] == [
        column("id", "int", "int", is_listed=True),
        column("more", None, "string", is_listed=True),
    ]


TARGET = [{"name": name, "dtype": dtype} for name, dtype in (("ID", "int"), ("v", "string"), ("price", "date"))]


def missing(format: str, *, raw: dict[str, Any], answers: Any = None, **options: Any) -> list[tuple[str, bool]]:
    described = cdc(format=format, options={"operation_column": "auto", "delimiter": ",", "header": False, **options})
    dbt = Dbt(answers=answers or {})
    files = {"first_paths": ["a", "b", "c"]}
    found = dbt.cdc_drift_missing({**described, "renamed_columns": {"Cost": "price"}}, files, raw, TARGET, "waiting", 7)
    return [(column["name"], column["is_everywhere"]) for column in found]


def test_cdc_drift_missing__parquet_files_by_their_schemas():
    schemas = [[{"name": name} for name in names] for names in (("Op", "id", "cost"), ("id", "Price", "V"))]
    assert missing("parquet", raw={"schemas": schemas}) == [("v", False)]
    assert missing("parquet", raw={"schemas": schemas[:1]}) == [("v", True)]
    assert missing("parquet", raw={"schemas": []}) == []


def test_cdc_drift_missing__csv_files_by_their_headers():
    answers = {"headers": [{"name": name, "file_count": count} for name, count in (("ID", 2), ("v", 1))]}
    raw = {"view": "x", "rejected": [{"path": "c"}]}
    assert missing("csv", raw=raw, answers=answers, header=True) == [("v", False), ("price", True)]
    assert missing("csv", raw=raw) == [], "without a header no name is known"


def test_cdc_drift_missing__messages_that_carry_a_row():
    for names, expected in (('["id","COST"]', [("v", True)]), ("[]", [])):
        answers = {"map_keys(image)": [{"names": names}]}
        assert missing("json", raw={}, answers=answers) == expected


def command(answers: dict[str, Any], *, listed: bool = True, **cells: Any) -> tuple[Dbt, dict[str, Any]]:
    model = {"resource_type": "model", "database": None, "schema": "bronze", "alias": "shop__order"}
    other = SimpleNamespace(resource_type="model", config=SimpleNamespace(meta={}))
    node = SimpleNamespace(**model, config=SimpleNamespace(meta={"cdc": cdc(**cells)}))
    split = SimpleNamespace(
        **{**model, "alias": "split_f", "schema": "etl"}, config=SimpleNamespace(meta={"cdc": {**SPLIT, "feed": "f"}})
    )
    columns = [{"name": "New", "type": "date"}]
    rules = answers.pop("as rule", [])
    asked: list[dict[str, Any]] = []

    def show_waiting(**arguments: Any) -> dict[str, Any]:
        asked.append(arguments)
        return {"feed": "f", "view": arguments["view"], "rejected": [], "left": 5, "problem": None}

    dbt = Dbt(
        nodes={"a": other, "b": node, **({"c": split} if "split" in cells else {})},
        columns={BRONZE: TABLE, **({"ref.raw_listing": {}} if listed else {})},
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
