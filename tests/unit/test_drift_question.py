"""Changes that waiting files would make: the facts. The words are in test_drift.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from table_configs import make_config

from python_udfs.drift.question import Comparison, Waiting, compare_columns, find_missing, sort_files
from python_udfs.pipeline.columns import ExistingColumn, SourceColumn
from python_udfs.pipeline.reading import Reading

TABLE = {"ID": "int", "v": "string", "cost": "decimal(9,2)", "_cdc_sequence": "string"}
FILE = {"kind": "load", "is_newest": True, "size": 9, "batch_id": 8}


def described(types: dict[str, str]) -> list[Any]:
    return [SimpleNamespace(name=name, dtype=dtype) for name, dtype in types.items()]


def compare(files: dict[str, Any], table: dict[str, str] = TABLE, **cdc: Any) -> Comparison:
    source = [SourceColumn(name, type, type) for name, type in files.items()]
    return compare_columns(make_config(**cdc), described(table), source)


def column(name: str, table_type: str | None, *types: str, is_listed: bool = False) -> dict[str, Any]:
    return {"name": name, "types": list(types), "table_type": table_type, "is_listed": is_listed}


def test_types_of_files_beside_those_of_the_table():
    compared = compare({"ID": "bigint", "v": "int", "cost": "decimal(5,2)", "New": "date"})
    assert compared == Comparison(
        renamed={},
        target=[ExistingColumn(name, TABLE[name]) for name in ("ID", "v", "cost")],
        columns=[
            column("ID", "int", "bigint"),
            column("v", "string", "int"),
            column("cost", "decimal(9,2)", "decimal(5,2)"),
            column("New", None, "date"),
        ],
    )


def test_every_type_of_a_column_in_the_order_of_the_files():
    entry = SourceColumn("id", "int", "int", is_listed=True, types=("int", "bigint"))
    assert compare_columns(make_config(), [], [entry]).columns == [column("id", None, "int", "bigint", is_listed=True)]


def test_a_table_without_columns_of_the_source():
    compared = compare({"id": "bigint"}, {"_cdc_sequence": "string"})
    assert (compared.target, compared.columns) == ([], [column("id", None, "bigint")])


def test_renamed_columns():
    compared = compare({"price": "decimal(9,2)"}, renamed_columns={"Cost": "price", "v": "id"})
    assert compared.renamed == {"cost": "price"}, "the table has id beside v"
    assert compared.columns == [column("price", "decimal(9,2)", "decimal(9,2)")]
    assert [entry.name for entry in compared.target] == ["ID", "v", "price"]


def missing(format: str, raw: Reading, headers: Any = (), names: str | None = None, **options: Any) -> Any:
    cdc = make_config(format=format, options=options, renamed_columns={"Cost": "price"})
    target = [ExistingColumn("ID", "int"), ExistingColumn("v", "string"), ExistingColumn("price", "date")]
    files = Waiting([], ["a", "b", "c"], [], False, 0)
    entries = find_missing(cdc, target, files, raw, headers, names)
    return [(entry["name"], entry["is_everywhere"]) for entry in entries]


def test_columns_that_parquet_files_lack_by_their_schemas():
    schemas = [[{"name": name} for name in names] for names in (("Op", "id", "cost"), ("id", "Price", "V"))]
    assert missing("parquet", Reading(schemas=schemas)) == [("v", False)]
    assert missing("parquet", Reading(schemas=schemas[:1])) == [("v", True)]
    assert missing("parquet", Reading()) == []


def test_columns_that_csv_files_lack_by_their_headers():
    headers = [{"name": name, "file_count": count} for name, count in (("ID", 2), ("v", 1))]
    raw = Reading(rejected=[{"path": "c", "reason": "r"}])
    assert missing("csv", raw, headers, header=True) == [("v", False), ("price", True)]
    assert missing("csv", raw, header=False) == [], "without a header no name is known"


def test_columns_that_messages_with_a_row_lack():
    assert missing("json", Reading(), names='["id","COST"]') == [("v", True)]
    assert missing("json", Reading(), names="[]") == []
    assert missing("json", Reading()) == []


def test_files_that_wait():
    rows = [
        {**FILE, "path": "a", "size": 15_999_999},
        {**FILE, "path": "old", "is_newest": False, "batch_id": 99},
        {**FILE, "path": "folder", "kind": "truncate", "batch_id": 9, "size": None},
        {**FILE, "path": None, "kind": "multi_table", "names": '["id","new"]', "size": None},
        {**FILE, "path": "b", "size": 1},
        {**FILE, "path": "c", "size": 1},
    ]
    assert sort_files(rows) == Waiting(["a", "b", "c"], ["a", "b"], ["id", "new"], True, 9)
    assert sort_files([{**FILE, "path": "a", "size": 16_000_001}]).first_paths == ["a"]
    assert sort_files([]) == Waiting([], [], [], False, 0)
