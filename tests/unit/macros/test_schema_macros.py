"""Columns: which become what, in which type, by which statements."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from harness import CompilerError, Dbt, Relation, assert_sql_equal, normalise

from python_udfs.metadata.names import RESERVED_NAMES, file_name, table_name

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


@pytest.mark.parametrize(
    ("target", "types", "expected"),
    [
        ({}, ["bigint", "double"], "bigint"),
        ({}, ["double", "bigint"], "double"),
        ({}, ["int", "bigint", "double"], "bigint"),
        ({}, ["int", "string", "bigint"], "bigint"),
        ({}, ["float", "double", "int"], "double"),
        ({}, ["decimal(10,2)", "decimal(12,4)", "decimal(11,2)", "decimal(12,2)"], "decimal(12,2)"),
        ({"a": "string"}, ["int", "bigint"], "string"),
        ({"a": "int"}, ["double", "bigint"], "bigint"),
        ({"a": "double"}, ["float", "int"], "double"),
    ],
)
def test_types_are_the_same_in_any_cut_into_batches(target, types, expected):
    cdc = {"format": "parquet", "options": DMS}

    def batch(*types):
        return Dbt().cdc_source_columns(cdc, {"columns": [{"name": "a", "type": type} for type in types]})

    [whole] = Dbt().cdc_column_plan(batch(*types), kept(**target))
    assert whole["type"] == expected
    for number in range(1, len(types)):
        [first] = Dbt().cdc_column_plan(batch(*types[:number]), kept(**target))
        [last] = Dbt().cdc_column_plan(batch(*types[number:]), kept(a=first["type"]))
        assert last["type"] == expected, types[:number]


@pytest.mark.parametrize("policy", ["freeze", "quarantine"])
def test_the_first_file_alone_decides_the_type_of_a_table_whose_types_do_not_change(policy):
    cdc = {"format": "parquet", "options": DMS}
    source = Dbt().cdc_source_columns(cdc, {"columns": [{"name": "a", "type": type} for type in ("int", "bigint")]})
    [column] = Dbt().cdc_column_plan(source, [], policy)
    assert (column["raw_type"], column["type"]) == ("int", "int")


def test_cdc_column_plan__names_differ_by_case_only():
    assert plan({"ID": "bigint"}, {"Id": "int"}) == [("Id", "bigint", "bigint", "promote")]


def test_cdc_column_plan__new_column_in_capitals():
    assert plan({"New": "date"}, {"id": "int"})[1] == ("New", "date", "date", "add")


def test_cdc_column_plan__quarantine_adds_what_is_listed_and_lets_the_first_files_make_the_table():
    source = [
        {"name": name, "raw_type": "int", "type": "int", "is_listed": name == "listed"} for name in ("listed", "x")
    ]
    dbt = Dbt(columns={BRONZE: {"id": "int"}, SILVER: {"_cdc_sequence": "string"}})
    columns = dbt.context["adapter"].get_columns_in_relation
    planned = dbt.cdc_column_plan(source, columns(BRONZE), "quarantine")
    assert [column["name"] for column in planned] == ["id", "listed"]
    planned = dbt.cdc_column_plan(source, columns(SILVER), "quarantine")
    assert [column["name"] for column in planned] == ["listed", "x"]


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
def test_adapter_is_type_promotion__case(from_type, to_type, expected):
    assert Dbt().adapter.is_type_promotion(from_type, to_type) is expected


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
def test_table_type__case(given, expected):
    assert Dbt()._table_type(given) == expected


CHANGES = [
    {"name": "same", "raw_type": "int", "type": "int", "change": None},
    {"name": "wider", "raw_type": "bigint", "type": "bigint", "change": "promote"},
    {"name": "new one", "raw_type": "date", "type": "date", "change": "add"},
    {"name": "b`t", "raw_type": "int", "type": "int", "change": "add"},
]


def test_evolve_statements__one_statement_adds_all():
    assert Dbt()._evolve_statements(BRONZE, CHANGES) == [
        "alter table bronze.shop__order alter column `wider` type bigint",
        "alter table bronze.shop__order add columns (`new one` date, `b``t` int)",
    ]


def test_evolve_statements__nothing_to_change():
    assert Dbt()._evolve_statements(BRONZE, CHANGES[:1]) == []


def test_cdc_evolve_columns__runs_each_statement():
    dbt = Dbt()
    dbt.cdc_evolve_columns(BRONZE, CHANGES)
    assert dbt.queries == dbt._evolve_statements(BRONZE, CHANGES)


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
def test_placeholder_columns__transform(transform, name, type):
    assert Dbt()._placeholder_columns([], [transform]) == [
        {"name": name, "raw_type": None, "type": type, "change": "add"}
    ]


def test_placeholder_columns__keys_first_and_each_column_once():
    columns = Dbt()._placeholder_columns(["id", "ts"], ["days(ts)", "bucket(4, id)"])
    assert [(column["name"], column["type"]) for column in columns] == [("id", "string"), ("ts", "timestamp")]


DMS = {"timestamp_column": "Dms_Timestamp", "operation_column": "auto"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"operation_column": "auto"}, ["Op"]),
        ({"operation_column": "always"}, ["Op"]),
        ({"operation_column": "never"}, []),
        ({"operation_column": "never", "timestamp_column": "ts"}, ["ts"]),
        ({"operation_column": "never", "timestamp_column": "DMS_Timestamp"}, ["dms_timestamp"]),
        (DMS, ["Op", "dms_timestamp"]),
    ],
)
def test_cdc_source_parts__control_columns(options, expected):
    columns = [{"name": name} for name in ("Op", "op", "TS", "ts", "dms_timestamp")]
    assert [column for column in columns if column not in Dbt().cdc_source_parts({"options": options}, columns)] == [
        {"name": name} for name in expected
    ]
    assert Dbt().cdc_source_parts({"options": options}, columns, are_listed=True) == columns


def test_cdc_source_columns__parquet_without_control_columns():
    raw = {"columns": [{"name": name, "type": "smallint"} for name in ("Op", "DMS_TIMESTAMP", "id")]}
    assert Dbt().cdc_source_columns({"format": "parquet", "options": DMS}, raw) == [
        {"name": "id", "raw_type": "smallint", "type": "int", "is_listed": False}
    ]


LISTED = [{"name": "Id", "type": "smallint"}, {"name": "Op", "type": "string"}, {"name": "late", "type": "varchar(9)"}]


@pytest.mark.parametrize(
    ("files", "target", "policy", "expected"),
    [
        # No file: the table is as the seed describes it.
        ([], {}, "evolve", [("Id", None, "int"), ("late", None, "string")]),
        (["int"], {}, "evolve", [("id", "int", "int"), ("late", None, "string")]),
        (["string"], {}, "evolve", [("id", "int", "int"), ("late", None, "string")]),
        (["double", "string"], {}, "quarantine", [("id", "int", "int"), ("late", None, "string")]),
        # A type that the table can take follows, as it does behind a first file.
        (["bigint"], {}, "evolve", [("id", "bigint", "bigint"), ("late", None, "string")]),
        (["bigint"], {}, "freeze", [("id", "int", "int"), ("late", None, "string")]),
        # A table that is there keeps its type, and has what the seed lists.
        (["string"], {"id": "string"}, "quarantine", [("id", "string", "string"), ("late", None, "string")]),
    ],
)
def test_the_type_of_the_seed_goes_before_those_of_parquet_files(files, target, policy, expected):
    cdc = {"format": "parquet", "options": DMS, "columns": LISTED}
    source = Dbt().cdc_source_columns(cdc, {"columns": [{"name": "id", "type": type} for type in files]})
    planned = Dbt().cdc_column_plan(source, kept(**target), policy)
    assert [(column["name"], column["raw_type"], column["type"]) for column in planned] == expected
    # Each value is cast from the type that its file has, in the batch of any cut.
    is_cast = [column.get("is_cast", False) for column in planned]
    assert is_cast[0] is bool(files and files != ["int"])


CSV = {"format": "csv", "columns": [{"name": "id", "type": "smallint"}, {"name": "name", "type": "varchar(9)"}]}
CSV_COLUMNS = [
    {"name": "id", "raw_type": "string", "type": "int", "is_listed": True},
    {"name": "name", "raw_type": "string", "type": "string", "is_listed": True},
]


@pytest.mark.parametrize(
    ("types", "expected"),
    [
        (["int"], ("int", "int")),
        (["int", "smallint"], ("int", "int")),
        (["int", "bigint"], ("bigint", "bigint")),
        (["bigint", "int"], ("bigint", "bigint")),
        (["int", "date"], ("int", "int")),
    ],
)
def test_cdc_source_columns__old_and_new_name_are_one_column(types, expected):
    cdc = {"format": "parquet", "options": DMS, "renamed_columns": {"Old": "new", "older": "new"}}
    raw = {"columns": [{"name": name, "type": type} for name, type in zip(("OLD", "new"), types, strict=False)]}
    [column] = Dbt().cdc_source_columns(cdc, raw)
    [planned] = Dbt().cdc_column_plan([column], [])
    assert (planned["name"], planned["raw_type"], planned["type"]) == ("new", *expected)


def test_cdc_source_columns__a_renamed_column_of_a_header_is_a_listed_one():
    cdc = {**CSV, "options": {**DMS, "header": True}, "renamed_columns": {"title": "name"}}
    header = [{"name": name, "type": "string"} for name in ("Op", "id", "Title")]
    assert Dbt().cdc_source_columns(cdc, {"view": "raw", "columns": header}) == CSV_COLUMNS


RENAMES = {"source_schema": "shop", "source_table": "order", "renamed_columns": {"Old": "new", "x": "y"}}


@pytest.mark.parametrize(
    ("columns", "allowed", "expected"),
    [
        (["id", "OLD"], None, ["alter table bronze.shop__order rename column `Old` to `new`"]),
        (["old", "New"], None, []),
        (["old", "x"], ["y"], ["alter table bronze.shop__order rename column `x` to `y`"]),
        (["id"], None, []),
    ],
)
def test_rename_statements__case(columns, allowed, expected):
    assert Dbt()._rename_statements(BRONZE, RENAMES, columns, allowed) == expected


def test_rename_statements__two_old_names_make_one_new_column():
    cdc = {"renamed_columns": {"a": "c", "b": "c"}}
    assert Dbt()._rename_statements(BRONZE, cdc, ["a", "b"]) == [
        "alter table bronze.shop__order rename column `a` to `c`"
    ]


def test_cdc_rename_columns__asks_only_where_something_is_renamed():
    dbt = Dbt(columns={BRONZE: {"old": "int"}})
    dbt.cdc_rename_columns(Relation("no", "table"), {"renamed_columns": {}})
    assert dbt.queries == []
    dbt.cdc_rename_columns(BRONZE, RENAMES)
    assert dbt.queries == ["alter table bronze.shop__order rename column `Old` to `new`"]


def renames_of(bronze: dict[str, str], silver: dict[str, str]) -> None:
    dbt = Dbt(columns={BRONZE: bronze, SILVER: silver})
    columns = dbt.context["adapter"].get_columns_in_relation
    dbt.validate_cdc_renames(RENAMES, BRONZE, SILVER, columns(BRONZE), columns(SILVER))


def test_validate_cdc_renames__all_problems_at_once():
    with pytest.raises(CompilerError) as error:
        renames_of({"old": "string", "new": "int", "x": "bigint", "y": "int"}, {"OLD": "int", "New": "int"})
    assert str(error.value) == (
        "CDC error in silver.shop__order (validate_cdc_renames): renamed_columns of shop.order in seeds/cdc_tables.csv:"
        " silver.shop__order has both columns Old and new, expected new only. Rebuild it from bronze:"
        " dbt run-operation rebuild_silver --args '{table: shop__order}'."
        " bronze.shop__order has Old string and new int, expected one type."
        " They cannot be read as one column: take Old=new out of renamed_columns."
        " bronze.shop__order has x bigint and y int, expected one type."
        " They cannot be read as one column: take x=y out of renamed_columns."
    )


def test_validate_cdc_renames__nothing_wrong():
    renames_of({"old": "int", "new": "bigint", "x": "date", "y": "date"}, {"new": "int", "y": "date"})


def renamed_rows(columns: dict[str, list[str]], **cdc: object) -> str:
    plan = [{"name": name, "raw_type": "int", "old_columns": old} for name, old in columns.items()]
    return Dbt().cdc_renamed_columns_sql(
        {"primary_key": ["id"], "renamed_columns": {"Old": "new"}, **cdc}, plan, "rows"
    )


TO_NEW = "transform({0}, name -> if(lower(name) in ('old'), 'new', name))"


def test_cdc_renamed_columns_sql__nothing_renamed():
    assert renamed_rows({"id": [], "v": []}) == "rows"


def test_cdc_renamed_columns_sql__names_written_before_the_table_was_altered():
    assert_sql_equal(
        renamed_rows({"id": [], "new": []}),
        f"""select * except (_cdc_unavailable_columns),
        nullif({TO_NEW.format("_cdc_unavailable_columns")}, cast(array() as array<string>)) as _cdc_unavailable_columns
        from (rows) as renamed""",
    )


def test_cdc_renamed_columns_sql__bronze_has_both():
    unavailable = (
        "if(array_contains(_cdc_unavailable_columns, 'OLD') and array_contains(_cdc_unavailable_columns, 'new'),"
        " array_remove(_cdc_unavailable_columns, 'OLD'), array_except(_cdc_unavailable_columns, array('OLD', 'new')))"
    )
    assert_sql_equal(
        renamed_rows({"new": ["OLD"]}),
        f"""select * except (`new`, `OLD`, _cdc_unavailable_columns),
        coalesce(`new`, `OLD`) as `new`,
        nullif({TO_NEW.format(unavailable)}, cast(array() as array<string>)) as _cdc_unavailable_columns
        from (rows) as renamed""",
    )


def test_cdc_renamed_columns_sql__the_old_key_too():
    sql = normalise(renamed_rows({"New": []}, primary_key=["new"]))
    assert "* except (_cdc_old_key, _cdc_unavailable_columns)" in sql
    assert (
        "transform_keys(_cdc_old_key, (name, value) -> if(lower(name) in ('old'), 'New', name)) as _cdc_old_key" in sql
    )


def test_cdc_source_columns__before_images_are_not_the_sources():
    cdc = {"format": "parquet", "options": {**DMS, "before_image_prefix": "BI_"}}
    raw = {"columns": [{"name": name, "type": "int"} for name in ("id", "BI_id", "bi_score", "bird")]}
    assert [column["name"] for column in Dbt().cdc_source_columns(cdc, raw)] == ["id", "bi_score", "bird"]
    cdc |= {"format": "csv", "columns": raw["columns"]}
    assert [column["name"] for column in Dbt().cdc_source_columns(cdc, {"columns": []})] == ["id", "bi_score", "bird"]


def test_cdc_source_columns__csv_takes_them_from_the_seed():
    cdc = {**CSV, "options": {**DMS, "header": False}}
    assert Dbt().cdc_source_columns(cdc, {"view": "raw", "columns": []}) == CSV_COLUMNS


def test_cdc_source_columns__csv_header_adds_unknown_names_as_text():
    cdc = {**CSV, "options": {**DMS, "header": True, "delimiter": ","}}
    header = [{"name": name, "type": "string"} for name in ("Op", "dms_timestamp", "ID", "name", "New")]
    new = {"name": "New", "raw_type": "string", "type": "string", "is_listed": False}
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
    ("column", "delete_mode", "expected"),
    [
        ({"name": "a b", "raw_type": "int", "type": "int"}, "soft", "image.`a b`"),
        ({"name": "The Key", "raw_type": "int", "type": "int"}, "hard", "image.`The Key`"),
        # A marked row that is known by its delete alone has its key.
        (
            {"name": "The Key", "raw_type": "int", "type": "int"},
            "soft",
            "if(image is null, change.`The Key`, image.`The Key`)",
        ),
        ({"name": "a b", "raw_type": None, "type": "int"}, "soft", "cast(null as int)"),
    ],
)
def test_silver_column_sql__case(column, delete_mode, expected):
    cdc = {"primary_key": ["the key"], "delete_mode": delete_mode, "mode": "current"}
    assert Dbt()._silver_column_sql(cdc, column) == expected


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
    assert dbt.queries == [], "the plan changes nothing"


def test_cdc_silver_plan__a_frozen_silver_keeps_its_columns():
    dbt, planned = silver_plan({"id": "bigint", "new": "date"}, {"id": "int"}, schema_drift="freeze")
    assert planned == [("id", "int", None)]
    assert dbt.queries == []
    dbt, planned = silver_plan({"id": "bigint", "new": "date"}, None, schema_drift="freeze")
    assert planned == [("id", "bigint", "add"), ("new", "date", "add")]


def test_cdc_silver_plan__old_and_new_name_in_bronze_are_one_column():
    dbt, planned = silver_plan(
        {"id": "int", "v": "int", "v2": "int"}, {"id": "int", "v": "int"}, renamed_columns={"v": "v2"}
    )
    assert dbt.queries[0] == "alter table silver.shop__order rename column `v` to `v2`"
    dbt, planned = silver_plan(
        {"id": "int", "v": "int", "v2": "int"}, {"id": "int", "v2": "int"}, renamed_columns={"v": "v2"}
    )
    assert (planned, dbt.queries) == ([("id", "int", None), ("v2", "int", None)], [])


def test_cdc_silver_plan__silver_is_renamed_after_bronze():
    dbt, planned = silver_plan({"id": "int", "v": "int"}, {"id": "int", "v": "int"}, renamed_columns={"v": "v2"})
    assert (planned, dbt.queries) == ([("id", "int", None), ("v", "int", None)], [])


def test_cdc_silver_plan__bronze_has_no_source_columns_yet():
    assert silver_plan({}, None)[1] == [("id", "string", "add"), ("ts", "timestamp", "add")]


def test_cdc_silver_plan__a_missing_key_stops_before_anything_is_altered():
    with pytest.raises(CompilerError, match="no key column nr"):
        silver_plan({"id": "int"}, {"old": "int"}, primary_key=["nr"])


def test_validate_key__message():
    dbt = Dbt()
    cdc = {"primary_key": ["ID", "Nr", "line no"], "source_schema": "shop", "source_table": "order"}
    with pytest.raises(CompilerError) as error:
        dbt._validate_key(cdc, BRONZE, ["id", "name"])
    assert str(error.value) == (
        "CDC error in silver.shop__order (cdc_silver_plan): bronze.shop__order has no key column nr, line no; it has "
        "id, name. Correct primary_key of shop.order in seeds/cdc_tables.csv and run make models."
    )


@pytest.mark.parametrize(("keys", "columns"), [(["ID"], ["Id", "name"]), ([], ["id"]), (["id"], [])])
def test_validate_key__nothing_wrong(keys, columns):
    Dbt()._validate_key({"primary_key": keys}, BRONZE, columns)


@pytest.mark.parametrize(
    "name",
    [
        *RESERVED_NAMES,
        "_cdc_x",
        "_CDC_Sequence",
        "source__file",
        "Source_source__pos",
        "source_",
        "source_a",
        "a",
        "_a",
    ],
)
def test_cdc_table_name__is_the_rule_of_the_metadata_and_goes_back(name):
    dbt = Dbt()
    assert dbt.cdc_table_name(name) == table_name(name)
    assert dbt.cdc_file_name(table_name(name)) == name == file_name(table_name(name))
