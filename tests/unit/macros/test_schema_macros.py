"""Columns: which become what, in which type, by which statements."""

from __future__ import annotations

import pytest
from harness import Dbt, Relation
from table_configs import make_config

from python_udfs.errors import LakehouseError
from python_udfs.pipeline import columns as planning
from python_udfs.pipeline.columns import Column, ColumnChanges, ExistingColumn, SourceColumn

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")


ADAPTER = Dbt().context["adapter"]


def arrived(**types: str) -> list[SourceColumn]:
    return [SourceColumn(name, type_, type_) for name, type_ in types.items()]


def kept(**types: str) -> list[ExistingColumn]:
    return [ExistingColumn(name, type_) for name, type_ in types.items()]


def plan_all(source, target, policy: str = "evolve") -> tuple[Column, ...]:
    return planning.plan_columns(source, target, policy, ADAPTER)


def plan(source: dict[str, str], target: dict[str, str]) -> list[tuple[object, ...]]:
    """Each column as (name, raw_type, type, change)."""
    planned = plan_all(arrived(**source), kept(**target))
    return [(column.name, column.raw_type, column.type, column.change) for column in planned]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ({"b": "int", "a": "string"}, {}, [("b", "int", "int", "add"), ("a", "string", "string", "add")]),
        ({"id": "int"}, {"id": "int"}, [("id", "int", "int", None)]),
        ({"New": "date", "id": "int"}, {"id": "int"}, [("id", "int", "int", None), ("New", "date", "date", "add")]),
        ({"id": "int"}, {"id": "int", "gone": "date"}, [("id", "int", "int", None), ("gone", None, "date", None)]),
        ({"ID": "bigint"}, {"Id": "int"}, [("Id", "bigint", "bigint", "promote")]),
        ({"id": "int"}, {"id": "int", "_cdc_sequence": "string"}, [("id", "int", "int", None)]),
    ],
    ids=["first batch", "no change", "new columns come last", "a column that is not there", "case", "own columns"],
)
def test_plan_columns__case(source, target, expected):
    assert plan(source, target) == expected


@pytest.mark.parametrize(
    ("old", "new"), [("int", "bigint"), ("float", "double"), ("decimal(9,0)", "decimal(38,0)"), ("INT", "bigint")]
)
def test_plan_columns__wider_type_is_promoted(old, new):
    assert plan({"a": new}, {"a": old}) == [("a", new, new, "promote")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bigint", "int"),
        ("double", "float"),
        ("decimal(12,2)", "decimal(10,2)"),
        ("decimal(10,2)", "decimal(12,3)"),
        ("int", "string"),
        ("string", "int"),
        ("int", "double"),
        ("date", "timestamp"),
    ],
)
def test_plan_columns__any_other_type_is_read_into_the_old_one(old, new):
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
        return planning.read_source_columns(make_config(**cdc), [{"name": "a", "type": type} for type in types])

    [whole] = plan_all(batch(*types), kept(**target))
    assert whole.type == expected
    for number in range(1, len(types)):
        [first] = plan_all(batch(*types[:number]), kept(**target))
        [last] = plan_all(batch(*types[number:]), kept(a=first.type))
        assert last.type == expected, types[:number]


@pytest.mark.parametrize("policy", ["freeze", "quarantine"])
def test_the_first_file_alone_decides_the_type_of_a_table_whose_types_do_not_change(policy):
    cdc = {"format": "parquet", "options": DMS}
    source = planning.read_source_columns(
        make_config(**cdc), [{"name": "a", "type": type} for type in ("int", "bigint")]
    )
    [column] = plan_all(source, [], policy)
    assert (column.raw_type, column.type) == ("int", "int")


def test_plan_columns__quarantine_adds_what_is_listed_and_lets_the_first_files_make_the_table():
    source = [SourceColumn(name, "int", "int", is_listed=name == "listed") for name in ("listed", "x")]
    planned = plan_all(source, kept(id="int"), "quarantine")
    assert [column.name for column in planned] == ["id", "listed"]
    planned = plan_all(source, kept(_cdc_sequence="string"), "quarantine")
    assert [column.name for column in planned] == ["listed", "x"]


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
    assert planning.write_table_type(given) == expected


CHANGES = (
    Column("same", "int", "int"),
    Column("wider", "bigint", "bigint", "promote"),
    Column("new one", "date", "date", "add"),
    Column("b`t", "int", "int", "add"),
)


def test_plan_changes__types_and_new_columns():
    expected = ColumnChanges({"old": "new"}, {"wider": "bigint"}, {"new one": "date", "b`t": "int"})
    assert planning.plan_changes(CHANGES, {"old": "new"}) == expected
    assert planning.plan_changes(CHANGES[:1]) == ColumnChanges()


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
    assert planning._placeholders([], [transform]) == (Column(name, type, change="add"),)


def test_placeholder_columns__keys_first_and_each_column_once():
    columns = planning._placeholders(["id", "ts"], ["days(ts)", "bucket(4, id)"])
    assert [(column.name, column.type) for column in columns] == [("id", "string"), ("ts", "timestamp")]


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
        ({"operation_column": "never", "before_image_prefix": "BI_"}, ["BI_id"]),
        ({"operation_column": "never", "change_sequence_column": "Seq"}, ["sEQ"]),
    ],
)
def test_select_own_columns__case(options, expected):
    names = ("Op", "op", "TS", "ts", "dms_timestamp", "BI_id", "bi_score", "sEQ", "seq2")
    columns = [{"name": name} for name in names]
    own = planning.select_own_columns(make_config(options=options), columns)
    assert [column["name"] for column in columns if column not in own] == expected


def test_read_source_columns__parquet_without_control_columns():
    raw = {"columns": [{"name": name, "type": "smallint"} for name in ("Op", "DMS_TIMESTAMP", "id")]}
    assert planning.read_source_columns(make_config(format="parquet", options=DMS), raw["columns"]) == (
        SourceColumn("id", "int", "smallint"),
    )


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
    source = planning.read_source_columns(make_config(**cdc), [{"name": "id", "type": type} for type in files])
    planned = plan_all(source, kept(**target), policy)
    assert [(column.name, column.raw_type, column.type) for column in planned] == expected
    # Each value is cast from the type that its file has, in the batch of any cut.
    is_cast = [column.is_cast for column in planned]
    assert is_cast[0] is bool(files and files != ["int"])


CSV = {"format": "csv", "columns": [{"name": "id", "type": "smallint"}, {"name": "name", "type": "varchar(9)"}]}
CSV_COLUMNS = (
    SourceColumn("id", "int", "string", is_listed=True),
    SourceColumn("name", "string", "string", is_listed=True),
)


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
def test_read_source_columns__old_and_new_name_are_one_column(types, expected):
    cdc = {"format": "parquet", "options": DMS, "renamed_columns": {"Old": "new", "older": "new"}}
    raw = {"columns": [{"name": name, "type": type} for name, type in zip(("OLD", "new"), types, strict=False)]}
    [column] = planning.read_source_columns(make_config(**cdc), raw["columns"])
    [planned] = plan_all([column], [])
    assert (planned.name, planned.raw_type, planned.type) == ("new", *expected)


def test_read_source_columns__a_renamed_column_of_a_header_is_a_listed_one():
    cdc = {**CSV, "options": {**DMS, "header": True}, "renamed_columns": {"title": "name"}}
    header = [{"name": name, "type": "string"} for name in ("Op", "id", "Title")]
    assert planning.read_source_columns(make_config(**cdc), header) == CSV_COLUMNS


RENAMES = make_config(renamed_columns={"Old": "new", "x": "y"})


@pytest.mark.parametrize(
    ("columns", "allowed", "expected"),
    [
        (["id", "OLD"], None, {"Old": "new"}),
        (["old", "New"], None, {}),
        (["old", "x"], ["y"], {"x": "y"}),
        (["id"], None, {}),
    ],
)
def test_find_renames__case(columns, allowed, expected):
    assert planning.find_renames(RENAMES, kept(**dict.fromkeys(columns, "int")), allowed) == expected


def test_find_renames__two_old_names_make_one_new_column():
    assert planning.find_renames(make_config(renamed_columns={"a": "c", "b": "c"}), kept(a="int", b="int")) == {
        "a": "c"
    }


def renames_of(bronze: dict[str, str], silver: dict[str, str]) -> None:
    planning.check_renames(RENAMES, BRONZE, SILVER, kept(**bronze), kept(**silver), ADAPTER)


def test_validate_cdc_renames__all_problems_at_once():
    with pytest.raises(LakehouseError) as error:
        renames_of({"old": "string", "new": "int", "x": "bigint", "y": "int"}, {"OLD": "int", "New": "int"})
    assert str(error.value) == (
        "CDC error in silver.shop__order (cdc_merge): renamed_columns of shop.order in seeds/cdc_tables.csv:"
        " silver.shop__order has both columns Old and new, expected new only. Rebuild it from bronze:"
        " dbt run-operation rebuild_silver --args '{table: shop__order}'."
        " bronze.shop__order has Old string and new int, expected one type."
        " They cannot be read as one column: take Old=new out of renamed_columns."
        " bronze.shop__order has x bigint and y int, expected one type."
        " They cannot be read as one column: take x=y out of renamed_columns."
    )


def test_validate_cdc_renames__nothing_wrong():
    renames_of({"old": "int", "new": "bigint", "x": "date", "y": "date"}, {"new": "int", "y": "date"})


def test_cdc_renamed_columns_sql__nothing_renamed():
    cdc, plan = {"primary_key": ["id"], "renamed_columns": {"Old": "new"}}, [Column("id", "int", "int")]
    assert Dbt().cdc_renamed_columns_sql(cdc, plan, "rows") == "rows"


def test_read_source_columns__before_images_are_not_the_sources():
    cdc = {"format": "parquet", "options": {**DMS, "before_image_prefix": "BI_"}}
    raw = {"columns": [{"name": name, "type": "int"} for name in ("id", "BI_id", "bi_score", "bird")]}
    assert [column.name for column in planning.read_source_columns(make_config(**cdc), raw["columns"])] == [
        "id",
        "bi_score",
        "bird",
    ]
    cdc |= {"format": "csv", "columns": raw["columns"]}
    assert [column.name for column in planning.read_source_columns(make_config(**cdc), ())] == [
        "id",
        "bi_score",
        "bird",
    ]


def test_read_source_columns__csv_takes_them_from_the_seed():
    cdc = {**CSV, "options": {**DMS, "header": False}}
    assert planning.read_source_columns(make_config(**cdc), ()) == CSV_COLUMNS


def test_read_source_columns__csv_header_adds_unknown_names_as_text():
    cdc = {**CSV, "options": {**DMS, "header": True, "delimiter": ","}}
    header = [{"name": name, "type": "string"} for name in ("Op", "dms_timestamp", "ID", "name", "New")]
    new = SourceColumn("New", "string", "string")
    assert planning.read_source_columns(make_config(**cdc), header) == (*CSV_COLUMNS, new)


OWN = {"_cdc_sequence": "string"}


def silver_columns(bronze: dict[str, str], silver: dict[str, str] | None, **cdc: object) -> list[tuple[object, ...]]:
    """Silver's columns as (name, type, change)."""
    cdc = {"primary_key": ["id"], "source_schema": "shop", "source_table": "order", **cdc}
    in_bronze = kept(**bronze, **OWN)
    in_silver = kept(**silver, **OWN) if silver is not None else []
    planned = planning.plan_silver_columns(
        make_config(**cdc), BRONZE, in_bronze, SILVER, in_silver, ["days(ts)"], ADAPTER
    )
    return [(column.name, column.type, column.change) for column in planned]


def test_plan_silver_columns__first_run_takes_bronzes_columns():
    assert silver_columns({"id": "int", "ts": "timestamp"}, None) == [("id", "int", "add"), ("ts", "timestamp", "add")]


def test_plan_silver_columns__later_run_evolves_silver():
    planned = silver_columns({"id": "bigint", "new": "date"}, {"id": "int"})
    assert planned == [("id", "bigint", "promote"), ("new", "date", "add")]


def test_plan_silver_columns__a_frozen_silver_keeps_its_columns():
    bronze = {"id": "bigint", "new": "date"}
    assert silver_columns(bronze, {"id": "int"}, schema_drift="freeze") == [("id", "int", None)]
    first = silver_columns(bronze, None, schema_drift="freeze")
    assert first == [("id", "bigint", "add"), ("new", "date", "add")]


def test_plan_silver_columns__old_and_new_name_in_bronze_are_one_column():
    in_silver = planning.rename_all(kept(id="int", v="int"), {"V": "v2"})
    assert [column.name for column in in_silver] == ["id", "v2"]
    bronze = {"id": "int", "v": "int", "v2": "int"}
    planned = silver_columns(bronze, {"id": "int", "v2": "int"}, renamed_columns={"v": "v2"})
    assert planned == [("id", "int", None), ("v2", "int", None)]


def test_plan_silver_columns__silver_is_renamed_after_bronze():
    bronze = {"id": "int", "v": "int"}
    assert planning.find_renames(make_config(renamed_columns={"v": "v2"}), kept(**bronze), {"id", "v"}) == {}
    planned = silver_columns(bronze, bronze, renamed_columns={"v": "v2"})
    assert planned == [("id", "int", None), ("v", "int", None)]


def test_plan_silver_columns__bronze_has_no_source_columns_yet():
    assert silver_columns({}, None) == [("id", "string", "add"), ("ts", "timestamp", "add")]


def test_plan_silver_columns__a_missing_key_is_named():
    with pytest.raises(LakehouseError, match="no key column nr"):
        silver_columns({"id": "int"}, {"old": "int"}, primary_key=["nr"])


def test_validate_key__message():
    cdc = {"primary_key": ["ID", "Nr", "line no"], "source_schema": "shop", "source_table": "order"}
    with pytest.raises(LakehouseError) as error:
        planning._check_key(make_config(**cdc), BRONZE, SILVER, ["id", "name"])
    assert str(error.value) == (
        "CDC error in silver.shop__order (cdc_merge): bronze.shop__order has no key column nr, line no; it has "
        "id, name. Correct primary_key of shop.order in seeds/cdc_tables.csv and run make models."
    )


@pytest.mark.parametrize(("keys", "columns"), [(["ID"], ["Id", "name"]), ([], ["id"]), (["id"], [])])
def test_validate_key__nothing_wrong(keys, columns):
    planning._check_key(make_config(primary_key=keys), BRONZE, SILVER, columns)
