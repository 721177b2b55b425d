"""From files to bronze: new files, the positions of values in them, and the order of rows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from harness import Dbt, Relation, assert_sql_equal, normalise
from table_configs import make_config

from python_udfs.pipeline.bronze import BatchRows, complete_rows
from python_udfs.pipeline.casts import Value, plan_checks
from python_udfs.pipeline.columns import (
    Column,
    describe_drift,
    list_names_in_files,
    plan_before_images,
)
from python_udfs.pipeline.csv_layout import CsvLayout, lay_out_csv
from python_udfs.pipeline.files import find_listed_table
from python_udfs.pipeline.parquet_layout import ParquetLayout
from python_udfs.pipeline.progress import read_last_batch_id
from python_udfs.pipeline.reading import Reading
from python_udfs.pipeline.rows import KeyPart, OldKey
from spark_files.capabilities import is_utf8_sql

if TYPE_CHECKING:
    from collections.abc import Sequence

BRONZE = Relation("bronze", "shop__order")
COLUMNS = [
    {"name": "id", "type": "int", "optional": False},
    {"name": "it's", "type": "string", "optional": False},
    {"name": "late", "type": "string", "optional": True},
]
FEED = {"feed": "it's", "format": "csv", "source_schema": "shop", "source_table": "order"}
FILES_SQL = "select 1 from files_of_the_batch"


def table(*, optional: bool = True, **options: Any) -> dict[str, Any]:
    defaults = {"operation_column": "auto", "delimiter": ",", "header": False, "null_values": ["NULL", ""]}
    columns = COLUMNS if optional else COLUMNS[:2]
    return {**FEED, "format": "csv", "primary_key": ["id"], "columns": columns, "options": {**defaults, **options}}


def test_cdc_new_files_sql__loads_wait_for_the_split():
    plain = normalise(Dbt().cdc_new_files_sql("l", "r", FEED, 7))
    sql = normalise(Dbt().cdc_new_files_sql("l", "r", FEED, 7, split="s"))
    condition = "and batch_id <= (select max(batch_id) from s)"
    assert condition in sql
    multi_table = normalise(Dbt().cdc_split_files_sql("s", FEED, 7))
    assert sql == plain.replace("and batch_id > 7", f"and batch_id > 7 {condition}") + f" union all {multi_table}"


def test_cdc_multi_table_lines_sql__records_as_lines_after_those_of_the_loads():
    multi_table = normalise(Dbt().cdc_multi_table_lines_sql("s", FEED, 7, 9))
    assert multi_table == normalise(r"""
        select path as _file_path, modified_at as _file_modified_at, file_row as _file_row, content as value
        from s
        where source_schema = 'shop' and source_table = 'order' and batch_id > 7 and batch_id <= 9
            and file_row < 999999999999
    """)
    loads = "select _file_path, _file_modified_at, _file_row, value from raw_view union all"
    assert normalise(Dbt().cdc_multi_table_lines_sql("s", FEED, 7, 9, "raw_view")) == f"{loads} {multi_table}"


def test_cdc_new_files_sql__of_this_table_after_the_last_batch():
    assert_sql_equal(
        Dbt().cdc_new_files_sql("listing_table", "rejected_table", FEED, 7),
        r"""
        with listing as (
            select
                size, modified_at, revision, kind, file_key, file_time,
                max_by(path, batch_id) as path, max(batch_id) as batch_id
            from listing_table
            where
                kind in ('load', 'change', 'truncate')
                and feed = 'it\'s'
                and source_schema = 'shop'
                and source_table = 'order'
                and batch_id > 7
            group by size, modified_at, revision, kind, file_key, file_time
        )
        select
            listing.path, listing.size, listing.modified_at, listing.revision, listing.kind, listing.file_key,
            listing.file_time, 1 as generation, listing.batch_id,
            row_number() over (
                partition by listing.file_key order by listing.modified_at desc, listing.batch_id desc
            ) = 1 or listing.kind = 'truncate' as is_newest
        from listing
        left anti join rejected_table as rejected
            on
                listing.path = rejected.path
                and listing.size = rejected.size
                and listing.modified_at = rejected.modified_at
                and listing.batch_id <= rejected.batch_id
                and rejected.rule <> 'redelivered'
        """,
    )


def test_cdc_new_files_sql__a_version_that_is_back_is_read_if_it_was_rejected():
    sql = normalise(Dbt().cdc_new_files_sql("listing_table", "rejected_table", FEED, 7, has_gone=True))
    assert "max(batch_id) filter (where batch_id <= 7) as earlier_batch_id from" in sql
    assert "and batch_id > 7" not in sql
    assert "having max(batch_id) > 7" in sql
    assert "where listing.earlier_batch_id is null or exists (select 1 from rejected_table as before where" in sql
    assert "before.batch_id >= listing.earlier_batch_id and before.rule <> 'redelivered'" in sql


NAMED = {"feed": "it's", "source_schema": "shop", "source_table": "order"}
LISTED = {
    **NAMED,
    "batch_id": 10,
    "earlier_batch_id": 9,
    "shared_batch_id": None,
    "is_reloaded": False,
    "has_gone": False,
    "file_count": 3,
}
WAITING = {"is_shared": [LISTED]}


def model(unique_id: str, **cdc: str) -> SimpleNamespace:
    config = SimpleNamespace(meta={"cdc": cdc})
    return SimpleNamespace(resource_type="model", unique_id=unique_id, name="", config=config)


THREE = {unique_id: model(unique_id, layer="bronze") for unique_id in "012"}
NEWEST = {"path": "a", "kind": "load", "size": 100, "batch_id": 8, "is_newest": True}
TRUNCATE = {"path": "shop/order", "kind": "truncate", "size": 0, "batch_id": 10, "is_newest": True}


@pytest.mark.parametrize(
    ("recorded", "sql"),
    [
        ({"cdc.batch-id": "12"}, "cast(batch_id as string) = '12' as is_of_newest"),
        ({}, "batch_id = (select max(newest.batch_id) from listing as newest) as is_of_newest"),
    ],
)
def test_find_listed_table__the_newest_batch_of_all_is_recorded_or_asked_for(recorded, sql):
    dbt = Dbt(answers=WAITING, recorded=recorded)
    assert find_listed_table(dbt.context["adapter"], dbt.context, "listing", make_config(**FEED), 7).batch_id == 10
    assert sql in normalise(dbt.queries[0])


def test_cdc_new_files_sql__of_all_tables():
    sql = normalise(Dbt().cdc_new_files_sql("listing_table", "rejected_table", None, 9))
    of_table = normalise(Dbt().cdc_new_files_sql("listing_table", "rejected_table", FEED, 9))
    condition = r" and feed = 'it\'s' and source_schema = 'shop' and source_table = 'order'"
    names = "feed, source_schema, source_table, "
    assert condition in of_table
    assert "feed = " not in sql
    assert f"select {names}size" in sql
    assert f"group by {names}size" in sql
    assert "select listing.feed, listing.source_schema, listing.source_table, listing.path" in sql


ID_COLUMNS = [{"name": "id", "type": "int"}]
READABLE = {"view": "shop__order__raw", "columns": ID_COLUMNS, "schemas": [ID_COLUMNS], "rejected": [], "found": []}


@pytest.mark.parametrize(
    ("operation_column", "expected"),
    [
        ("auto", "upper(trim(_cdc_op))"),
        ("always", "upper(trim(_cdc_op))"),
        ("never", "'I'"),
    ],
)
def test_cdc_bronze_sql__operation(operation_column, expected):
    cdc = table(operation_column=operation_column)
    sql = normalise(Dbt().cdc_bronze_sql(cdc, FILES_SQL, BatchRows("raw_view"), (ID,)))
    assert (
        f"case when _cdc_kind = 'load' then 'L' when _cdc_kind = 'truncate' then 'T' else {expected} end"
        " as _cdc_operation" in sql
    )


def lay_out(cdc: dict[str, Any], columns: Sequence[Column] = ()) -> CsvLayout:
    return lay_out_csv(make_config(**cdc), columns, Dbt().context["adapter"])


def test_cdc_csv_layout_sql__names_the_field_and_the_charset():
    sql = normalise(Dbt().cdc_csv_layout_sql(lay_out(table(charset="Shift_JIS"))))
    assert f"case when not {is_utf8_sql('_cdc_content')} then concat('field ', array_position(" in sql
    assert "'expected text in Shift_JIS: name the encoding of the files in the option charset'" in sql
    assert "_cdc_names" not in sql and "_cdc_names" in Dbt().cdc_csv_layout_sql(lay_out(table(header=True)))


def test_cdc_csv_headed_sql__names_of_the_first_record_of_each_file():
    sql = normalise(Dbt().cdc_csv_headed_sql(lay_out(table(header=True, timestamp_column="Ts"))))
    assert "first_value(_cdc_fields) over (partition by _cdc_file_key order by _cdc_row)" in sql
    assert "when name = 'Op' then '=op'" in sql
    assert "when name = 'Ts' or lower(name) = 'ts' and not array_contains(_cdc_names, 'Ts') then '=ts'" in sql


def renamed(**options: Any) -> dict[str, Any]:
    return {**table(**options), "renamed_columns": {"Old": "it's", "older": "it's", "x": "other"}}


def test_list_names_in_files__its_own_first():
    assert list_names_in_files(make_config(**renamed()), "It's") == ["it's", "old", "older"]
    assert list_names_in_files(make_config(**table()), "ID") == ["id"]


KEY = (
    Column("Id", "int", "int"),
    Column("part", "string", "string"),
)


def before_images(format: str, names: list[str], **options: Any) -> tuple[Column, ...]:
    columns = [{"name": name, "type": "bigint"} for name in names]
    cdc = {"format": format, "primary_key": ["id", "part"], "columns": columns if format == "csv" else []}
    cdc["options"] = {"before_image_prefix": "BI_", "header": False, **options}
    return plan_before_images(make_config(**cdc), columns, KEY, Dbt().context["adapter"])


@pytest.mark.parametrize(
    ("format", "raw_type", "options"),
    [("parquet", "bigint", {}), ("csv", "string", {}), ("csv", "string", {"header": True})],
)
def test_before_images_take_the_types_of_the_key(format, raw_type, options):
    assert before_images(format, ["part", "BI_PART", "BI_id", "bi_id"], **options) == (
        Column("BI_id", "int", raw_type, key=KEY[0]),
        Column("BI_PART", "string", raw_type, key=KEY[1]),
    )


def test_the_before_image_of_a_part_of_a_key_is_no_key():
    assert before_images("parquet", ["BI_id", "part"]) == ()


def test_there_are_no_before_images_without_a_prefix():
    assert before_images("parquet", ["BI_id", "BI_part"], before_image_prefix=None) == ()


def test_cdc_old_key_sql__of_an_update_whose_key_differs():
    parts = (
        KeyPart("Id", "old_id", "`Id`", "cast(old_id as string)"),
        KeyPart("it's", "old_part", "`it's`", "old_part"),
    )
    assert_sql_equal(
        Dbt().cdc_old_key_sql(OldKey("old_id is not null", parts)),
        r"""
        case
            when
                _cdc_operation = 'U'
                and old_id is not null
                and not (old_id <=> `Id` and old_part <=> `it's`)
                then map('Id', cast(old_id as string), 'it\'s', old_part)
        end
        """,
    )


def test_cdc_csv_header_sql__names_of_the_first_lines():
    sql = normalise(Dbt().cdc_csv_header_sql("raw", ","))
    # A header that is no text has no names: its records are malformed.
    assert f"from raw where _file_row = 0 and {is_utf8_sql('value')})" in sql
    assert sql.endswith("as file_count from headers where name <> '' group by name order by name")


NO_HEADER = "not arrays_overlap(_cdc_header, array('id', 'it\\'s', 'late'))"


@pytest.mark.parametrize(
    ("header", "end"), [(True, "from laid_out where _cdc_row > 0 or " + NO_HEADER + ")"), (False, "from laid_out)")]
)
def test_cdc_csv_records_sql__header_is_no_record(header, end):
    sql = Dbt().cdc_csv_records_sql(lay_out(table(header=header)), BatchRows("raw"))
    assert normalise(sql).endswith(end)


def test_cdc_csv_records_sql__lines_are_joined_only_if_a_value_spans_them():
    joined, plain = (
        normalise(Dbt().cdc_csv_records_sql(lay_out(table()), BatchRows("raw", has_line_breaks=has_line_breaks)))
        for has_line_breaks in (True, False)
    )
    assert "as _cdc_fields from joined_lines)" in joined
    assert "as _cdc_fields from lines)" in plain
    assert "joined_lines" not in plain


FILE_COLUMNS = normalise(Dbt().cdc_file_columns_sql())


def test_cdc_parquet_records_sql__values_by_name():
    layout = ParquetLayout(
        operation="raw.`Op`",
        timestamp="raw.`dms_ts`",
        change_sequence=None,
        values=(Value("a`b", "raw.`a``b`"), Value("BI_a", "raw.`BI_a`")),
        content=(Value("Op", "raw.`Op`"), Value("a`b", "raw.`a``b`")),
        types={0: {"Op": "string", "a`b": "binary"}},
        unavailable={1: ("it's", "b")},
        absent_keys={},
        has_casts=False,
        key_casts=(),
        other_casts=(),
    )
    assert_sql_equal(
        Dbt().cdc_parquet_records_sql(layout, "raw_view"),
        rf"""
        records as (
            select
                {FILE_COLUMNS}, raw._file_row as _cdc_row,
                raw.`Op` as _cdc_op,
                raw.`dms_ts` as _cdc_commit_text,
                cast(null as string) as _cdc_malformed,
                case raw._file_schema when 1 then array('it\'s', 'b') end as _cdc_unavailable_columns,
                cast(null as array<string>) as _cdc_absent_keys,
                raw.`a``b` as `a``b`,
                raw.`BI_a` as `BI_a`,
                raw._file_schema as _cdc_file_schema,
                named_struct(
                    'Op', raw.`Op`, 'a`b', raw.`a``b`,
                    '', case raw._file_schema when 0 then map('Op', 'string', 'a`b', 'binary') end
                ) as _cdc_content
            from raw_view as raw
            inner join files on raw._file_path = files.path and files.is_newest
        )
        """,
    )


def test_cdc_no_records_sql__same_columns_and_no_row():
    plan = (
        Column("a`b", "int", "int"),
        Column("gone", "date"),
    )
    assert_sql_equal(
        Dbt().cdc_no_records_sql(plan),
        f"""
        records as (
            select
                cast(null as int) as `a``b`, cast(null as date) as `gone`,
                cast(null as array<string>) as _cdc_unavailable_columns,
                cast(null as string) as _cdc_op, cast(null as string) as _cdc_commit_text,
                cast(null as string) as _cdc_malformed, cast(null as array<string>) as _cdc_absent_keys,
                cast(null as string) as _cdc_content, cast(null as bigint) as _cdc_row, {FILE_COLUMNS}
            from files
            where false
        )
        """,
    )


def cast_failures(raw_type: str | None, type: str) -> str:
    dbt = Dbt()
    return dbt.cdc_cast_failures_sql(plan_checks([Column("a`b", type, raw_type)], dbt.context["adapter"]))


@pytest.mark.parametrize(
    ("raw_type", "type"), [("int", "int"), (None, "int"), ("string", "string"), ("date", "string")]
)
def test_cdc_cast_failures_sql__what_cannot_fail_is_not_asked(raw_type, type):
    assert normalise(cast_failures(raw_type, type)) == "array()"


ID = Column("id", "int", "string")


@pytest.mark.parametrize(
    ("format", "view", "part"),
    [
        ("csv", "raw_view", "split as ("),
        ("parquet", "raw_view", "to_json("),
        ("csv", None, "where false"),
    ],
)
def test_cdc_bronze_sql__records_of_the_format(format, view, part):
    sql = Dbt().cdc_bronze_sql(
        {**table(), "format": format},
        FILES_SQL,
        complete_rows(Reading(view), None),
        (ID,),
    )
    assert normalise(sql).startswith(normalise(f"with files as ({Dbt().cdc_file_position_sql(FILES_SQL)}),"))
    assert part in sql


def test_cdc_bronze_sql__a_truncate_needs_no_key_and_comes_from_no_file():
    sql = normalise(Dbt().cdc_bronze_sql(table(), FILES_SQL, BatchRows(), (ID,)))
    assert "or (_cdc_operation = 'T' and _cdc_kind <> 'truncate') then 'unknown_operation'" in sql
    assert "when _cdc_key_is_missing and _cdc_operation <> 'T' then 'missing_key'" in sql


def columns_of(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "type": type} for name, type in types.items()]


TARGET = (
    Dbt(columns={BRONZE: {"Id": "int", "v": "string", "amount": "decimal(10,2)", "_cdc_sequence": "string"}})
    .context["adapter"]
    .get_columns_in_relation(BRONZE)
)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (columns_of(Op="string", ID="smallint", v="string", amount="decimal(9,2)"), ""),
        (columns_of(v="string"), ""),
        (columns_of(id="bigint", new="date"), "column id is bigint, expected int; column new date is new"),
        (columns_of(amount="decimal(12,2)"), "column amount is decimal(12,2), expected decimal(10,2)"),
        (columns_of(v="int"), "column v is int, expected string"),
        (columns_of(old_v="string", BI_id="int"), ""),
    ],
)
def test_describe_drift__case(columns, expected):
    options = {"operation_column": "auto", "before_image_prefix": "BI_"}
    cdc = {"format": "parquet", "options": options, "renamed_columns": {"old_v": "v"}}
    warehouse = Dbt().context["adapter"]
    assert describe_drift(make_config(**cdc), columns, TARGET, "", warehouse) == expected
    assert describe_drift(make_config(**cdc), columns, TARGET[3:], "", warehouse) == "", (
        "the first files make the table"
    )


def test_cdc_schema_drift_sql__each_parquet_file_by_its_schema():
    cdc = {"format": "parquet", "options": {"operation_column": "auto"}}
    raw = Reading(schemas=[columns_of(id="int"), columns_of(new="date"), columns_of(**{"it's": "int"})])
    assert_sql_equal(
        Dbt().cdc_schema_drift_sql(cdc, raw, TARGET),
        r"""case _cdc_file_schema
            when 1 then 'column new date is new' when 2 then 'column it\'s int is new' end""",
    )
    assert Dbt().cdc_schema_drift_sql(cdc, Reading(schemas=raw.schemas[:1]), TARGET) == "cast(null as string)"


def test_cdc_schema_drift_sql__each_csv_file_by_its_header():
    cdc = table(header=True)
    raw = Reading(columns=columns_of(id="string", New="string", Op="string"), schemas=[columns_of(value="string")])
    assert_sql_equal(
        Dbt().cdc_schema_drift_sql(cdc, raw, TARGET),
        """nullif(concat_ws('; ',
            case when array_contains(_cdc_header, 'new') then 'column New string is new' end), '')""",
    )
    assert Dbt().cdc_schema_drift_sql(cdc, Reading(), TARGET) == "cast(null as string)"


def test_cdc_bronze_sql__a_file_that_drifts_is_quarantined_by_its_columns():
    raw = BatchRows("raw_view", drift_sql="'words'")
    sql = normalise(Dbt().cdc_bronze_sql(table(), FILES_SQL, raw, (ID,)))
    assert "'words' as _cdc_drift," in sql
    assert (
        "when _cdc_drift is not null and _cdc_operation <> 'D' then 'schema_drift' when size(_cdc_cast_failures) > 0"
        in sql
    )
    assert "when 'schema_drift' then _cdc_drift" in sql


def test_cdc_bronze_sql__the_run_names_one_moment():
    sql = Dbt().cdc_bronze_sql(table(), FILES_SQL, BatchRows(), (ID,))
    assert "timestamp '2024-05-06 07:08:09.123456+00:00' as ingested_at" in sql


LISTED = {"is_newest": [NEWEST]}
SEEN = {"cdc.batch-id": "7"}


def running(exists: bool, answers: dict[str, Any], **words: Any) -> Dbt:
    columns = {BRONZE: {"old": "int", "_cdc_batch_id": "bigint"}} if exists else {}
    cdc = {**table(), "format": "parquet", "columns": [], "layer": "bronze"}
    answers = {"as row_count": [{"row_count": 0}], **WAITING, **answers}
    dbt = {"this": BRONZE, "cdc": cdc, "columns": columns, "answers": answers, "files": READABLE}
    return Dbt(**{**dbt, "summary": SEEN if exists else None, **words})


def test_get_incremental_cdc_append_sql__nothing_new_sets_no_progress():
    dbt = running(True, {"is_newest": []})
    assert dbt.write("cdc_append") == (None, "nothing: no new file in the landing area since batch 7")
    assert not [query for query in dbt.queries if query.startswith(("record ", "change "))]


def test_get_incremental_cdc_append_sql__a_truncate_alone_is_a_change():
    dbt = running(True, {"is_newest": [TRUNCATE]})
    sql, message = dbt.write("cdc_append")
    assert message == "append: files=0, truncate"
    sql = normalise(sql)
    assert "modified_at as _cdc_committed_at" in sql and "'T' as _cdc_operation, _cdc_committed_at" in sql
    assert sql.endswith("from truncates")
    assert "record cdc.batch-id = 10" in dbt.queries
    assert not dbt.files_read


def test_get_incremental_cdc_append_sql__new_files_evolve_the_table_and_set_progress():
    dbt = running(True, LISTED)
    sql, message = dbt.write("cdc_append")
    assert message == "append: files=1"
    sql = normalise(sql)
    assert sql.startswith("insert into bronze.shop__order by name with files as (")
    assert "from (select * from `shop__order__files`) as files)" in sql, "the listing is asked once"
    assert "and batch_id > 7 group by" in normalise(dbt.kept["shop__order__files"])
    assert dbt.queries[-4:] == [
        "change bronze.shop__order: {'added': {'id': 'int'}}",
        "record cdc.batch-id = 8",
        "record cdc.started-at = 2024-05-06 07:08:10+00:00",
        "record cdc.plain-changes = true",
    ]


def test_get_incremental_cdc_append_sql__files_that_are_left_out_are_rejected_before_anything_else_is_written():
    rejected = [{"path": "b", "reason": "too short"}]
    dbt = running(True, {"insert into": [], **LISTED}, files={**READABLE, "rejected": rejected})
    dbt.answers["as row_count"] = [{"row_count": 3}]
    dbt.write("cdc_append")
    assert dbt.warnings == ["bronze.shop__order: rejected b: too short"]
    written = [query for query in dbt.queries if query.startswith(("insert", "change", "record"))]
    assert written[0].startswith("insert into ref.rejected_files\n")
    assert "'b', 'unreadable', 'too short'" in normalise(written[0])
    assert "record cdc.rejected = 3" in written


@pytest.mark.parametrize(("recorded", "count", "is_lost"), [(None, 0, False), ("2", 2, False), ("2", 1, True)])
def test_get_incremental_cdc_append_sql__files_of_lost_rejections_are_listed_again(recorded, count, is_lost):
    summary = SEEN | ({"cdc.rejected": recorded} if recorded else {})
    answers = {"as row_count": [{"row_count": count}], "max(batch_id) + 1": [{"batch_id": 10}], "update": []}
    dbt = running(True, {**answers, **LISTED}, summary=summary)
    dbt.write("cdc_append")
    updates = [normalise(query) for query in dbt.queries if query.startswith("update")]
    assert [("rejected_files has lost rows" in warning) for warning in dbt.warnings] == [True] * is_lost
    assert len(updates) == is_lost
    for sql in updates:
        assert sql.startswith("update ref.raw_listing as _cdc_listing set batch_id = 10 where _cdc_listing.feed = ")
        assert "_cdc_listing.kind in ('load', 'change') and _cdc_listing.batch_id <= 7 and not exists" in sql
        assert "from bronze.shop__order as log" in sql and "from ref.rejected_files as rejected" in sql
    asked = [query for query in dbt.queries if "as row_count" in query]
    assert bool(asked) == bool(recorded), "a table without rejections asks nothing"
    assert dbt.recorded.get("cdc.rejected") == (count or None)


def test_get_incremental_cdc_append_sql__a_batch_with_line_breaks_in_values_is_remembered():
    cdc = {**table(), "layer": "bronze"}
    for paths in ([], ["a"]):
        dbt = running(True, LISTED, cdc=cdc, files={**READABLE, "found": paths})
        dbt.write("cdc_append", verify="full")
        remembered = "record cdc.line-breaks = true"
        assert (remembered in dbt.queries) == bool(paths)


@pytest.mark.parametrize(
    ("policy", "changes"),
    [
        ("evolve", ["{'types': {'old': 'bigint'}, 'added': {'id': 'int'}}"]),
        ("freeze", ["{'added': {'id': 'int'}}"]),
        ("quarantine", []),
    ],
)
def test_get_incremental_cdc_append_sql__policy(policy, changes):
    columns = [*ID_COLUMNS, {"name": "old", "type": "bigint"}]
    dbt = running(True, LISTED, files={**READABLE, "columns": columns, "schemas": [columns]})
    dbt.context["model"].config.meta["cdc"]["schema_drift"] = policy
    sql, _ = dbt.write("cdc_append")
    made = [query for query in dbt.queries if query.startswith("change")]
    assert made == [f"change bronze.shop__order: {change}" for change in changes]
    assert ("column old is bigint, expected int" in sql) == (policy == "quarantine")


def test_get_incremental_cdc_append_sql__a_renamed_column_is_renamed_in_the_table():
    dbt = running(True, LISTED)
    dbt.context["model"].config.meta["cdc"]["renamed_columns"] = {"OLD": "id", "x": "y"}
    dbt.write("cdc_append")
    assert "change bronze.shop__order: {'renames': {'OLD': 'id'}}" in dbt.queries


def test_get_incremental_cdc_append_sql__first_run_reads_everything():
    dbt = running(False, LISTED)
    dbt.write("cdc_append")
    assert "and batch_id > 0 group by" in normalise(dbt.kept["shop__order__files"])
    assert "record cdc.batch-id = 8" in dbt.queries


def test_get_incremental_cdc_append_sql__asked_again_it_decodes_the_files_and_asks_what_was_rejected():
    in_the_newest = {"is_shared": [{**WAITING["is_shared"][0], "earlier_batch_id": 7}]}
    dbt = running(True, {**LISTED, **in_the_newest}, nodes=THREE, columns={BRONZE: {"id": "int"}})
    arguments = {"existing_relation": BRONZE, "sql": "select 1", "verify": "schema"}
    dbt.get_incremental_cdc_append_sql(arguments)
    assert arguments["verified"] == "schema"
    assert dbt.kept_parts["shop__order__files"], "all tables of the run share the answer"
    dbt.get_incremental_cdc_append_sql({**arguments, "verify": "full"})
    assert [options["verify"] for *_, options in dbt.files_read] == ["schema", "full"]
    assert dbt.kept_parts["shop__order__files"] is None


def test_get_incremental_cdc_append_sql__first_run_without_files_makes_an_empty_table():
    dbt = running(False, {"is_newest": []})
    sql, message = dbt.write("cdc_append")
    assert message == "create: files=0"
    assert normalise(sql).startswith("create table bronze.shop__order as with files as (")
    assert "from files where false" in normalise(sql)


def test_read_last_batch_id__no_table():
    assert read_last_batch_id(Dbt().context["adapter"], None) == 0


def test_read_last_batch_id__from_progress():
    assert read_last_batch_id(Dbt(summary=SEEN).context["adapter"], BRONZE) == 7


@pytest.mark.parametrize(("greatest", "expected"), [(5, 5), (None, 0)])
def test_read_last_batch_id__from_the_rows_where_progress_is_gone(greatest, expected):
    answers = {"max(_cdc_batch_id) as batch_id from bronze.shop__order": [{"batch_id": greatest}]}
    assert read_last_batch_id(Dbt(answers=answers).context["adapter"], BRONZE) == expected
