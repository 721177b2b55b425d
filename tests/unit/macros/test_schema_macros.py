"""Columns: which become what, in which type, by which statements."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from harness import CompilerError, Dbt, Relation

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")


def arrived(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "raw_type": type, "type": type} for name, type in types.items()]


def kept(**types: str) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=name, dtype=type) for name, type in types.items()]


def plan(source: dict[str, str], target: dict[str, str]) -> list[tuple[object, ...]]:
    """Each column as (name, raw_type, type, change)."""
    return [tuple(column.values()) for column in Dbt().cdc_column_plan(arrived(**source), kept(**target))]


def test_cdc_column_plan__first_batch_adds_every_column_in_order():
    assert plan({"b": "int", "a": "string"}, {}) == [("b", "int", "int", "add"), ("a", "string", "string", "add")]


def test_cdc_column_plan__entries_are_named():
    [column] = Dbt().cdc_column_plan(arrived(a="int"), [])
    assert column == {"name": "a", "raw_type": "int", "type": "int", "change": "add"}


def test_cdc_column_plan__same_columns_change_nothing():
    assert plan({"id": "int"}, {"id": "int"}) == [("id", "int", "int", None)]


def test_cdc_column_plan__new_column_comes_last():
    assert plan({"new": "date", "id": "int"}, {"id": "int"}) == [
        ("id", "int", "int", None),
        ("new", "date", "date", "add"),
    ]


def test_cdc_column_plan__column_that_the_batch_lacks_stays():
    assert plan({"id": "int"}, {"id": "int", "gone": "string"})[1] == ("gone", None, "string", None)


@pytest.mark.parametrize(
    ("old", "new"), [("int", "bigint"), ("float", "double"), ("decimal(10,2)", "decimal(12,2)"), ("INT", "bigint")]
)
def test_cdc_column_plan__wider_type_is_promoted(old, new):
    assert plan({"a": new}, {"a": old}) == [("a", new, new, "promote")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bigint", "int"),
        ("double", "float"),
        ("decimal(12,2)", "decimal(10,2)"),
        ("decimal(10,2)", "decimal(12,4)"),
        ("int", "string"),
        ("string", "int"),
        ("int", "double"),
        ("date", "timestamp"),
    ],
)
def test_cdc_column_plan__any_other_type_is_read_into_the_old_one(old, new):
    assert plan({"a": new}, {"a": old}) == [("a", new, old, None)]


def test_cdc_column_plan__names_differ_by_case_only():
    assert plan({"ID": "bigint"}, {"Id": "int"}) == [("Id", "bigint", "bigint", "promote")]


def test_cdc_column_plan__new_column_in_capitals():
    assert plan({"New": "date"}, {"id": "int"})[1] == ("New", "date", "date", "add")


def test_cdc_column_plan__own_columns_of_the_table_are_not_the_sources():
    assert plan({"id": "int"}, {"id": "int", "_cdc_sequence": "string"}) == [("id", "int", "int", None)]


@pytest.mark.parametrize(
    ("from_type", "to_type", "expected"),
    [
        ("int", "bigint", True),
        ("float", "double", True),
        ("decimal(10,2)", "decimal(11,2)", True),
        ("decimal(9,0)", "decimal(38,0)", True),
        ("decimal(10,2)", "decimal(10,2)", False),
        ("decimal(10,2)", "decimal(9,2)", False),
        ("decimal(10,2)", "decimal(12,3)", False),
        ("decimal(9,2)", "bigint", False),
        ("bigint", "decimal(38,0)", False),
        ("int", "int", False),
        ("int", "double", False),
        ("bigint", "int", False),
    ],
)
def test_cdc_is_promotion__case(from_type, to_type, expected):
    assert Dbt().cdc_is_promotion(from_type, to_type) is expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("tinyint", "int"),
        ("byte", "int"),
        ("smallint", "int"),
        ("short", "int"),
        ("integer", "int"),
        ("INT", "int"),
        ("long", "bigint"),
        ("bigint", "bigint"),
        ("real", "float"),
        ("varchar(10)", "string"),
        ("char(3)", "string"),
        ("string", "string"),
        ("Decimal(10, 2)", "decimal(10,2)"),
        ("decimal", "decimal(10,0)"),
        ("numeric", "decimal(10,0)"),
        ("dec", "decimal(10,0)"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("binary", "binary"),
    ],
)
def test_cdc_table_type__case(given, expected):
    assert Dbt().cdc_table_type(given) == expected


CHANGES = [
    {"name": "same", "raw_type": "int", "type": "int", "change": None},
    {"name": "wider", "raw_type": "bigint", "type": "bigint", "change": "promote"},
    {"name": "new one", "raw_type": "date", "type": "date", "change": "add"},
    {"name": "b`t", "raw_type": "int", "type": "int", "change": "add"},
]


def test_cdc_evolve_columns_sql__one_statement_adds_all():
    assert Dbt().cdc_evolve_columns_sql(BRONZE, CHANGES) == [
        "alter table bronze.shop__order alter column `wider` type bigint",
        "alter table bronze.shop__order add columns (`new one` date, `b``t` int)",
    ]


def test_cdc_evolve_columns_sql__nothing_to_change():
    assert Dbt().cdc_evolve_columns_sql(BRONZE, CHANGES[:1]) == []


def test_cdc_evolve_columns__runs_each_statement():
    dbt = Dbt()
    dbt.cdc_evolve_columns(BRONZE, CHANGES)
    assert dbt.queries == dbt.cdc_evolve_columns_sql(BRONZE, CHANGES)


@pytest.mark.parametrize(
    ("transform", "name", "type"),
    [
        ("create_dt", "create_dt", "string"),
        ("years(ts)", "ts", "timestamp"),
        ("months(ts)", "ts", "timestamp"),
        ("days(ts)", "ts", "timestamp"),
        ("hours(ts)", "ts", "timestamp"),
        ("bucket(16, name)", "name", "string"),
        ("truncate(4, name)", "name", "string"),
        ("bucket(16, `the order`)", "the order", "string"),
        ("`days`", "days", "string"),
    ],
)
def test_cdc_stand_in_columns__transform(transform, name, type):
    assert Dbt().cdc_stand_in_columns([], [transform]) == [
        {"name": name, "raw_type": None, "type": type, "change": "add"}
    ]


def test_cdc_stand_in_columns__keys_first_and_each_column_once():
    columns = Dbt().cdc_stand_in_columns(["id", "ts"], ["days(ts)", "bucket(4, id)"])
    assert [(column["name"], column["type"]) for column in columns] == [("id", "string"), ("ts", "timestamp")]


DMS = {"timestamp_column": "Dms_Timestamp", "operation_column": "auto"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"operation_column": "auto"}, ["op"]),
        ({"operation_column": "always"}, ["op"]),
        ({"operation_column": "never"}, []),
        ({"operation_column": "never", "timestamp_column": "Ts"}, ["ts"]),
        (DMS, ["op", "dms_timestamp"]),
    ],
)
def test_cdc_control_columns__case(options, expected):
    assert Dbt().cdc_control_columns({"options": options}) == expected


def test_cdc_source_columns__parquet_without_control_columns():
    raw = {"columns": [{"name": name, "type": "smallint"} for name in ("Op", "DMS_TIMESTAMP", "id")]}
    assert Dbt().cdc_source_columns({"format": "parquet", "options": DMS}, raw) == [
        {"name": "id", "raw_type": "smallint", "type": "int"}
    ]


CSV = {"format": "csv", "columns": [{"name": "id", "type": "smallint"}, {"name": "name", "type": "varchar(9)"}]}
CSV_COLUMNS = [
    {"name": "id", "raw_type": "string", "type": "int"},
    {"name": "name", "raw_type": "string", "type": "string"},
]


def test_cdc_source_columns__before_images_are_not_the_sources():
    cdc = {"format": "parquet", "options": {**DMS, "before_image_prefix": "BI_"}}
    raw = {"columns": [{"name": name, "type": "int"} for name in ("id", "bi_id", "bird")]}
    assert [column["name"] for column in Dbt().cdc_source_columns(cdc, raw)] == ["id", "bird"]
    cdc |= {"format": "csv", "columns": raw["columns"]}
    assert [column["name"] for column in Dbt().cdc_source_columns(cdc, {"columns": []})] == ["id", "bird"]


def test_cdc_source_columns__csv_takes_them_from_the_seed():
    cdc = {**CSV, "options": {**DMS, "header": False}}
    assert Dbt().cdc_source_columns(cdc, {"view": "raw", "columns": []}) == CSV_COLUMNS


def test_cdc_source_columns__csv_header_adds_unknown_names_as_text():
    cdc = {**CSV, "options": {**DMS, "header": True, "delimiter": ","}}
    header = [{"name": name, "type": "string"} for name in ("Op", "dms_timestamp", "ID", "name", "New")]
    new = {"name": "New", "raw_type": "string", "type": "string"}
    assert Dbt().cdc_source_columns(cdc, {"view": "raw", "columns": header}) == [*CSV_COLUMNS, new]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ({"name": "a`b", "raw_type": "int", "type": "int"}, "`a``b`"),
        ({"name": "a`b", "raw_type": "string", "type": "int"}, "try_cast(`a``b` as int)"),
        ({"name": "a", "raw_type": None, "type": "int"}, "cast(null as int)"),
    ],
)
def test_cdc_cast_sql__case(column, expected):
    assert Dbt().cdc_cast_sql(column) == expected


@pytest.mark.parametrize(
    ("column", "is_soft", "expected"),
    [
        ({"name": "a b", "raw_type": "int", "type": "int"}, False, "image.`a b`"),
        ({"name": "a b", "raw_type": "int", "type": "int"}, True, "if(image is null, change.`a b`, image.`a b`)"),
        ({"name": "a b", "raw_type": None, "type": "int"}, True, "cast(null as int)"),
    ],
)
def test_cdc_silver_column_sql__case(column, is_soft, expected):
    assert Dbt().cdc_silver_column_sql(column, is_soft) == expected


OWN = {"_cdc_sequence": "string"}


def silver_plan(bronze: dict[str, str], silver: dict[str, str] | None, **cdc: list[str]) -> tuple[Dbt, list[object]]:
    columns = {BRONZE: {**bronze, **OWN}} | ({SILVER: {**silver, **OWN}} if silver is not None else {})
    dbt = Dbt(columns=columns, config={"partition_by": ["days(ts)"]})
    cdc = {"primary_key": ["id"], "source_schema": "shop", "source_table": "order", **cdc}
    planned = dbt.cdc_silver_plan(cdc, BRONZE, SILVER if silver is not None else None)
    return dbt, [(column["name"], column["type"], column["change"]) for column in planned]


def test_cdc_silver_plan__first_run_takes_bronzes_columns():
    dbt, planned = silver_plan({"id": "int", "ts": "timestamp"}, None)
    assert (planned, dbt.queries) == ([("id", "int", "add"), ("ts", "timestamp", "add")], [])


def test_cdc_silver_plan__later_run_evolves_silver():
    dbt, planned = silver_plan({"id": "bigint", "new": "date"}, {"id": "int"})
    assert planned == [("id", "bigint", "promote"), ("new", "date", "add")]
    assert dbt.queries == [
        "alter table silver.shop__order alter column `id` type bigint",
        "alter table silver.shop__order add columns (`new` date)",
    ]


def test_cdc_silver_plan__bronze_has_no_source_columns_yet():
    assert silver_plan({}, None)[1] == [("id", "string", "add"), ("ts", "timestamp", "add")]


def test_cdc_silver_plan__a_missing_key_stops_before_anything_is_altered():
    with pytest.raises(CompilerError, match="no key column nr"):
        silver_plan({"id": "int"}, {"old": "int"}, primary_key=["nr"])


def test_validate_cdc_key__message():
    dbt = Dbt()
    cdc = {"primary_key": ["ID", "Nr", "line no"], "source_schema": "shop", "source_table": "order"}
    with pytest.raises(CompilerError) as error:
        dbt.validate_cdc_key(cdc, BRONZE, ["id", "name"])
    assert str(error.value) == (
        "CDC error in silver.shop__order (validate_cdc_key): bronze.shop__order has no key column nr, line no; it has "
        "id, name. Correct primary_key of shop.order in seeds/cdc_tables.csv and run make models."
    )


@pytest.mark.parametrize(("keys", "columns"), [(["ID"], ["Id", "name"]), ([], ["id"]), (["id"], [])])
def test_validate_cdc_key__nothing_wrong(keys, columns):
    Dbt().validate_cdc_key({"primary_key": keys}, BRONZE, columns)
