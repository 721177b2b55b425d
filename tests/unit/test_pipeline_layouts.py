"""Where the values of a batch stand: in CSV records, in the columns of parquet files, and in messages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dbt.adapters.sparksession.impl import SparksessionAdapter
from python_udfs.connectors.csv_patterns import read_patterns
from python_udfs.metadata.options import ReadOptions
from python_udfs.pipeline.bronze import BatchRows
from python_udfs.pipeline.casts import Value, is_direct_cast, plan_checks, write_value
from python_udfs.pipeline.columns import Column, judge_columns, read_source_columns
from python_udfs.pipeline.csv_layout import lay_out_csv
from python_udfs.pipeline.message_layout import BinaryValue, lay_out_messages
from python_udfs.pipeline.parquet_layout import ParquetLayout, lay_out_parquet
from python_udfs.pipeline.rows import KeyPart, Marker, OldKey, plan_rows
from python_udfs.pipeline.table_config import ListedColumn, TableConfig
from spark_files.capabilities import utf8_or_null_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from python_udfs.pipeline.csv_layout import CsvLayout
    from python_udfs.pipeline.rows import RowsPlan

# Its functions that write names and texts need no session.
WAREHOUSE: Any = SparksessionAdapter
COLUMNS = [
    {"name": "id", "type": "int", "optional": False},
    {"name": "it's", "type": "string", "optional": False},
    {"name": "late", "type": "string", "optional": True},
]
PLAN = (
    Column("id", "string", "string"),
    Column("it's", "string", "string"),
    Column("late", "string", "string"),
    Column("gone", "string"),
)
RENAMED = {"Old": "it's", "older": "it's", "x": "other"}


def table(format: str = "csv", **options: Any) -> TableConfig:
    columns = tuple(ListedColumn(**column) for column in COLUMNS)
    return TableConfig(
        "bronze",
        connector="debezium",
        format=format,
        primary_key=("ID",),
        columns=columns,
        options=ReadOptions(**options),
    )


def lay_out(cdc: TableConfig, columns: Sequence[Column] = PLAN) -> CsvLayout:
    return lay_out_csv(cdc, columns, WAREHOUSE)


def position(name: str) -> str:
    return f"nullif(array_position(_cdc_header, {name}), 0)"


def test_schema_and_table_stand_before_the_values_of_multi_table_records():
    cdc = replace(table(timestamp_column="ts"), split="split_shop")
    assert lay_out(cdc).lead == "if(_cdc_kind = 'multi_table', 4, if(_cdc_kind = 'load', 1, 2))"


def test_values_follow_by_position_and_columns_that_the_batch_lacks_are_not_looked_for():
    assert lay_out(table()).positions == {"id": "_cdc_lead + 1", "it's": "_cdc_lead + 2", "late": "_cdc_lead + 3"}
    assert lay_out(table(), [Column("IT'S", "string", "string")]).positions == {"IT'S": "_cdc_lead + 2"}


def test_a_header_may_have_an_old_name():
    layout = lay_out(replace(table(header=True), renamed_columns=RENAMED), [Column("It's", "string", "string")])
    names = ", ".join(map(position, (r"'it\'s'", "'old'", "'older'")))
    assert layout.positions == {"It's": f"coalesce({names})"}
    assert layout.own_names_sql == r"'id', 'it\'s', 'old', 'older', 'late'"


def test_dms_own_columns_are_marked_in_a_header():
    cdc = table(header=True, timestamp_column="Ts", change_sequence_column="Seq")
    layout = lay_out_csv(cdc, PLAN, WAREHOUSE, [Column("BI_id", "int", "string", key=PLAN[0])])
    assert layout.exact_names == {"Op": "=op", "BI_id": "=bi_id"}
    assert layout.near_names == {"Ts": "=ts", "Seq": "=seq"}
    assert layout.positions["BI_id"] == position("'=bi_id'")
    assert layout.change_sequence == position("'=seq'")


def test_a_before_image_may_have_an_old_name_of_the_key_in_a_header():
    image = Column("BI_id", "int", "string", old_columns=("BI_Nr",), key=PLAN[0])
    layout = lay_out_csv(table(header=True), PLAN, WAREHOUSE, [image])
    assert layout.exact_names == {"Op": "=op", "BI_id": "=bi_id", "BI_Nr": "=bi_nr"}
    names = ", ".join(map(position, ("'=bi_id'", "'=bi_nr'")))
    assert layout.positions["BI_id"] == f"coalesce({names})"


def test_a_column_that_a_csv_batch_lacks_is_unavailable_if_absent_columns_keep_theirs():
    assert lay_out(table(absent_columns="keep")).unavailable["gone"] == "true"
    assert lay_out(table(absent_columns="null")).unavailable == {}


def test_the_word_of_an_unavailable_csv_value_is_a_text():
    unavailable = lay_out(table(unavailable_value="it's")).unavailable
    assert list(unavailable) == ["it's", "late"], "a key is always carried, and so is a column that the batch lacks"
    assert unavailable["late"].endswith(r" = 'it\'s'")


def test_only_a_header_can_lack_a_column_of_the_key():
    is_absent = position("'id'") + " is null"
    assert lay_out(table(header=True)).absent_keys == {"id": is_absent}
    assert lay_out(table()).absent_keys == {}


def test_a_record_without_a_header_may_lack_optional_columns_of_the_table():
    listed = replace(table(), columns=(*table().columns, ListedColumn("BI_id", "int", optional=True)))
    [column] = lay_out(listed, [Column("id", "int", "string"), Column("Late", "int", "string")]).optional
    assert (column.name, column.position, column.value) == ("Late", 3, "try_cast(`Late` as int)")
    assert lay_out(table(header=True)).optional == ()


@pytest.mark.parametrize(("delimiter", "character"), [("\\t", "\t"), (",", ",")])
def test_a_tab_may_be_written_as_in_the_seed(delimiter, character):
    assert read_patterns(delimiter).delimiter == character


def files(*names: str, type: str = "int") -> list[dict[str, str]]:
    return [{"name": name, "type": type} for name in names]


def lay_out_files(
    cdc: TableConfig, columns: Sequence[dict[str, str]], plan: Sequence[Column] = (), *schemas: list[dict[str, str]]
) -> ParquetLayout:
    return lay_out_parquet(cdc, columns, schemas, plan, judge_columns(cdc, plan), WAREHOUSE)


@pytest.mark.parametrize(
    ("absent_columns", "schemas", "expected"),
    [
        ("keep", ("ID a b", "id B A"), {}),
        ("keep", ("id a b", "id b", "id"), {1: ("a",), 2: ("a", "B")}),
        ("keep", ("id B old_a",), {}),
        ("null", ("id",), {}),
    ],
)
def test_a_parquet_value_is_unavailable_if_its_file_lacks_the_column(absent_columns, schemas, expected):
    plan = tuple(Column(name, "int", "int") for name in ("id", "a", "B"))
    cdc = replace(table("parquet", absent_columns=absent_columns), renamed_columns={"Old_a": "a"})
    layout = lay_out_files(cdc, files("id", "a", "b"), plan, *(files(*names.split()) for names in schemas))
    assert (layout.unavailable, layout.absent_keys) == (expected, {})


def test_a_file_may_lack_a_column_of_the_key():
    plan = (Column("Id", "int", "int"), Column("a", "int", "int"))
    layout = lay_out_files(table("parquet"), files("id", "a"), plan, files("id"), files("a"))
    assert (layout.unavailable, layout.absent_keys) == ({}, {1: ("Id",)})


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        ("IT'S", "raw.`IT'S`"),
        ("Old", "raw.`Old`"),
        ("older x it's", "coalesce(raw.`it's`, raw.`older`)"),
    ],
)
def test_a_renamed_column_stands_under_one_of_its_names_or_several(present, expected):
    cdc = replace(table("parquet"), renamed_columns=RENAMED)
    layout = lay_out_files(cdc, files(*present.split()), (Column("it's", "int", "int"), Column("gone", "int")))
    assert layout.values == (Value("it's", expected),)


@pytest.mark.parametrize(
    ("names", "operation", "timestamp", "sources"),
    [
        (["Op", "DMS_ts", "id"], "raw.`Op`", "raw.`DMS_ts`", ["id"]),
        (["Op", "op", "dms_TS"], "raw.`Op`", "raw.`dms_TS`", ["op"]),
        (["dms_ts", "DMS_ts", "OP"], "cast(null as string)", "raw.`DMS_ts`", ["dms_ts", "OP"]),
    ],
)
def test_exact_names_decide_which_columns_are_dms_own(names, operation, timestamp, sources):
    cdc = replace(table("parquet", timestamp_column="DMS_ts"), columns=())
    columns = files(*names, type="string")
    layout = lay_out_files(cdc, columns)
    assert (layout.operation, layout.timestamp) == (operation, timestamp)
    assert [column.name for column in read_source_columns(cdc, columns)] == sources
    assert [value.name for value in layout.content] == names


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"timestamp_column": "dms_ts"}, ["id"]),
        ({"operation_column": "never", "timestamp_column": None}, ["Op", "dms_ts", "id"]),
        ({"operation_column": "never"}, ["Op", "dms_ts", "id"]),
    ],
)
def test_columns_that_dms_did_not_add_are_null(options, names):
    layout = lay_out_files(table("parquet", **options), files(*names))
    assert {layout.operation, layout.timestamp} == {"cast(null as string)"}
    assert layout.change_sequence is None


def test_a_column_of_several_types_is_cast_file_by_file_and_judged_in_each_place():
    plan = (Column("id", "int", "int"), Column("v", "int", "int", is_cast=True))
    columns = [*files("id", "v"), {"name": "v", "column": "v#2", "type": "date"}, {"name": "v", "type": "void"}]
    layout = lay_out_files(table("parquet"), columns, plan)
    assert layout.values[1].sql == "coalesce(raw.`v`, try_cast(cast(raw.`v#2` as string) as int))"
    assert (layout.has_casts, layout.key_casts) == (True, ())
    [[check]] = layout.other_casts
    assert (check.raw, check.expected) == ("raw.`v#2`", " of type date, expected int")


def lay_out_topic(plan: Sequence[Column], **options: Any) -> Any:
    return lay_out_messages(replace(table("json", **options), renamed_columns=RENAMED), plan, None, WAREHOUSE)


def test_values_of_messages_are_the_entries_of_their_images():
    layout = lay_out_topic((Column("Id", "int", "string"), Column("It's", "binary", "binary"), Column("gone", "int")))
    text = r"coalesce(raw.image['it\'s'], raw.image['old'], raw.image['older'])"
    value = f"try_to_binary({text}, 'base64')"
    assert layout.values == (Value("Id", "raw.image['id']"), Value("It's", value))
    assert layout.binary == (BinaryValue("It's", text, value, is_key=False),)
    assert layout.absent_keys == {"Id": "not map_contains_key(raw.image, 'id')"}


def test_a_column_that_was_made_with_texts_keeps_texts_if_the_seed_says_bytes():
    layout = lay_out_topic((Column("v", "string", "binary"),))
    assert (layout.values, layout.binary) == ((Value("v", "raw.image['v']"),), ())


@pytest.mark.parametrize("absent_columns", ["keep", "null"])
def test_a_value_of_a_message_is_unavailable_by_its_word_or_its_absence(absent_columns):
    layout = lay_out_topic((Column("Id", "int", "string"), Column("v", "int", "string")), absent_columns=absent_columns)
    is_absent = "not map_contains_key(raw.image, 'v')"
    assert layout.unavailable == {
        "v": is_absent if absent_columns == "keep" else "array_contains(raw.unavailable, 'v')"
    }


@pytest.mark.parametrize(
    ("raw_type", "type", "is_direct"),
    [
        ("int", "decimal(3,1)", True),
        ("timestamp", "date", True),
        ("boolean", "string", True),
        ("string", "date", True),
        ("date", "int", False),
        ("boolean", "int", False),
        ("binary", "int", False),
    ],
)
def test_values_of_other_kinds_are_cast_through_text(raw_type, type, is_direct):
    assert is_direct_cast(raw_type, type) is is_direct
    value = "`a``b`" if is_direct else "cast(`a``b` as string)"
    assert write_value(Column("a`b", type, raw_type), WAREHOUSE) == f"try_cast({value} as {type})"


def test_a_value_is_cast_only_if_it_has_another_type():
    assert write_value(Column("a`b", "int", "int"), WAREHOUSE) == "`a``b`"
    assert write_value(Column("a", "int"), WAREHOUSE) == "cast(null as int)"
    assert write_value(Column("a", "array<int>", "string"), WAREHOUSE) == "from_json(`a`, 'array<int>')"


@pytest.mark.parametrize(
    ("column", "has_types", "expected"),
    [
        (Column("a", "int", "string"), False, ", expected int"),
        (Column("a", "int", "bigint"), True, " of type bigint, expected int: run change"),
        (Column("a", "int", "bigint", listed_type="int"), True, " of type bigint, expected int"),
        (Column("a", "int", "string", listed_type="date", is_behind=True), False, ", expected int: run change"),
    ],
)
def test_a_sentence_names_the_command_if_a_type_of_the_table_has_to_change(column, has_types, expected):
    [check] = plan_checks([column], WAREHOUSE, has_types, "change")
    assert check.expected == expected
    [check] = plan_checks([column], WAREHOUSE, has_types)
    assert check.expected == expected.removesuffix(": run change")


def plan(cdc: TableConfig, rows: BatchRows, columns: Sequence[Column]) -> RowsPlan:
    return plan_rows(cdc, rows, columns, WAREHOUSE)


@pytest.mark.parametrize(
    ("keys", "columns", "expected"),
    [
        (["id"], ["id", "name"], "`id` is null"),
        (["ID", "line no"], ["id", "Line No"], "`ID` is null and `line no` is null"),
        (["id", "nr"], ["id"], "`id` is null"),
        (["id"], ["name"], "true"),
        ([], ["id"], "false"),
    ],
)
def test_a_row_has_no_key_if_no_column_of_it_has_a_value(keys, columns, expected):
    cdc = replace(table("parquet"), primary_key=tuple(keys))
    rows = BatchRows("raw_view", files(*columns))
    planned = plan(cdc, rows, [*(Column(name, "int", "int") for name in columns), Column("nr", "int")])
    assert planned.is_keyless == expected


KEY = (Column("Id", "int", "int"), Column("part", "string", "string"))


def test_the_old_key_is_that_of_the_before_images():
    cdc = replace(table("parquet", before_image_prefix="BI_"), primary_key=tuple(["id", "part"]))
    columns = [*files("Id", "part", "BI_id", type="bigint"), *files("BI_part", type="string")]
    old_id = "try_cast(`BI_id` as int)"
    assert plan(cdc, BatchRows("raw_view", columns), KEY).old_key == OldKey(
        f"not ({old_id} is null and `BI_part` is null)",
        (
            KeyPart("Id", old_id, "`Id`", f"cast({old_id} as string)"),
            KeyPart("part", "`BI_part`", "`part`", utf8_or_null_sql("cast(`BI_part` as string)")),
        ),
    )
    assert plan(cdc, BatchRows(columns=columns), KEY).old_key is None


def test_the_old_key_of_parquet_files_is_base64_if_it_is_of_bytes():
    """As other text in bronze it is UTF-8 (record 67)."""
    cdc = replace(table("parquet", before_image_prefix="BI_"), primary_key=("id",))
    key = (Column("id", "binary", "binary"),)
    old_key = plan(cdc, BatchRows("raw_view", files("id", "BI_id", type="binary")), key).old_key
    assert old_key == OldKey(
        "not (`BI_id` is null)", (KeyPart("id", "`BI_id`", "`id`", r"replace(base64(`BI_id`), '\r\n')"),)
    )


def test_a_delete_keeps_no_value_that_its_column_cannot_hold():
    columns = (Column("Id", "int", "int"), Column("v", "int", "date"), Column("text", "string", "binary"))
    values = {value.name: value.sql for value in plan(table("parquet"), BatchRows("v", files("Id")), columns).values}
    assert values["v"].startswith("if(_cdc_operation = 'D' and _cdc_other_failures[0] is not null, null, try_cast(")
    text = "try_cast(`text` as string)"
    assert values["text"] == f"if(_cdc_rule is null and _cdc_operation <> 'D', {text}, {utf8_or_null_sql(text)})"
    assert values["Id"] == "`Id`"


@pytest.mark.parametrize(
    ("format", "rows", "expected"),
    [
        ("csv", BatchRows("v"), ("csv", True, ())),
        ("json", BatchRows("v"), ("json", False, ())),
        ("json", BatchRows("v", has_truncate=True), ("json", True, (Marker("T", "truncates"),))),
        ("json", BatchRows(), ("none", True, ())),
        ("parquet", BatchRows(overwritten=("a",)), ("none", True, (Marker("X", "overwritten"),))),
    ],
)
def test_the_files_of_a_batch_are_read_for_their_records_and_for_markers(format, rows, expected):
    planned = plan(table(format), rows, KEY[:1])
    assert (planned.format, planned.reads_files, planned.markers) == expected
    assert (planned.layout is None) is (planned.format == "none")
