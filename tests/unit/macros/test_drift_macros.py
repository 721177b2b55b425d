"""What the files that wait would change, told before a run does it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from harness import CompilerError, Dbt, Relation

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


def rows(files: dict[str, str], target: dict[str, str] = TABLE, **cells: Any) -> list[list[str]]:
    columns = [{"name": name, "type": type} for name, type in files.items()]
    dbt = Dbt(columns={BRONZE: target})
    target_columns = dbt.context["adapter"].get_columns_in_relation(BRONZE)
    raw = {"columns": columns, "rejected": [{"path": "file:/x/LOAD1.parquet", "reason": "cut"}] * ("cut" in cells)}
    cells.pop("cut", None)
    found = dbt.cdc_drift_rows(cdc(**cells), "shop__order", raw, target_columns)
    assert {row[0] for row in found} <= {"shop__order"}
    return [row[1:] for row in found]


NEW, WIDER, OTHER = (
    "column New date is new",
    "column ID is bigint, the table has int",
    "column v is int, the table has string",
)
MISFITS = "values that do not fit go to quarantine (uncastable_value)"
QUARANTINE = "rows of its files go to quarantine (schema_drift)"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("evolve", [[WIDER, "bronze and silver widen it"], [OTHER, MISFITS], [NEW, "bronze and silver add it"]]),
        ("freeze", [[WIDER, MISFITS], [OTHER, MISFITS], [NEW, "bronze adds it, silver does not"]]),
        ("quarantine", [[WIDER, QUARANTINE], [OTHER, QUARANTINE], [NEW, QUARANTINE]]),
    ],
)
def test_cdc_drift_rows__policy(policy, expected):
    assert rows({"Op": "string", "ID": "bigint", "v": "int", "New": "date"}, schema_drift=policy) == expected


def test_cdc_drift_rows__what_fits_is_no_change():
    assert rows({"id": "smallint", "cost": "decimal(5,2)"}) == []


@pytest.mark.parametrize("policy", ["evolve", "freeze", "quarantine"])
def test_cdc_drift_rows__the_first_files_make_the_table(policy):
    found = rows({"id": "bigint"}, {"_cdc_sequence": "string"}, schema_drift=policy)
    assert found == [["column id bigint is new", "bronze and silver add it"]]


def test_cdc_drift_rows__renamed_columns_and_rejected_files():
    assert rows({"price": "decimal(9,2)"}, renamed_columns={"Cost": "price", "v": "id"}, cut=True) == [
        ["LOAD1.parquet: cut", "the file is rejected"],
        ["column cost is called price now", "bronze and silver rename it"],
    ]


def test_cdc_drift_rows__a_column_that_the_seed_lists_is_asked_for():
    listed = [{"name": "id", "type": "int"}, {"name": "more", "type": "string"}]
    assert rows({}, format="csv", columns=listed, schema_drift="quarantine") == [
        ["column more string is new", "bronze and silver add it"]
    ]


def test_cdc_drift_text__nothing():
    assert Dbt().cdc_drift_text([]).startswith("Nothing would change")


def command(answers: dict[str, Any], *, listed: bool = True) -> tuple[Dbt, list[str]]:
    model = {"resource_type": "model", "database": None, "schema": "bronze", "alias": "shop__order"}
    other = SimpleNamespace(resource_type="model", config=SimpleNamespace(meta={}))
    node = SimpleNamespace(**model, config=SimpleNamespace(meta={"cdc": cdc()}))
    columns = [{"name": "New", "type": "date"}]
    dbt = Dbt(
        nodes={"a": other, "b": node},
        columns={BRONZE: TABLE, **({"ref.raw_listing": {}} if listed else {})},
        answers=answers,
        summary={"cdc.batch-id": "7"},
        files={"columns": columns, "schemas": [columns], "rejected": [], "found": []},
    )
    printed: list[str] = []
    dbt.context["print"] = printed.append
    dbt.drift()
    return dbt, printed


def test_drift__reads_the_columns_of_the_files_that_wait_and_writes_nothing():
    dbt, [text] = command(WAITING)
    assert dbt.files_read == [
        ("shop__order__drift", "parquet", ["a"], {"verify": "schema", "types": "separate", "exact": ["Op"]})
    ]
    assert text.splitlines()[2].split("  ") == ["shop__order", "column New date is new", "bronze and silver add it"]
    assert all(query.lstrip().startswith(("select", "with")) for query in dbt.queries)
    assert "batch_id > 7" in dbt.queries[-1]


def test_drift__nothing_waits():
    dbt, [text] = command({"is_newest": []})
    assert (dbt.files_read, text) == ([], dbt.cdc_drift_text([]))


def test_drift__before_the_first_listing():
    with pytest.raises(CompilerError, match="no listing of the landing area yet"):
        command({}, listed=False)
