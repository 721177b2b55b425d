"""From files to bronze: new files, the positions of values in them, and the order of rows."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from harness import Dbt, Relation, assert_sql_equal, normalise
from table_configs import make_config

from python_udfs.pipeline.bronze import complete_rows
from python_udfs.pipeline.columns import Column, select_own_columns
from python_udfs.pipeline.files import find_listed_table
from python_udfs.pipeline.reading import Reading

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


def text(position: str) -> str:
    """The value of the field at this position of a CSV record."""
    field = f"try_element_at(_cdc_fields, cast({position} as int))"
    return normalise(f"""
        case
            when {field} like '"%' then replace(substring({field}, 2, length({field}) - 2), '""', '"')
            when {field} in ('NULL', '') then null
            else {field}
        end
    """)


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


def test_cdc_csv_layout_sql__names_stand_before_the_values_of_multi_table_records():
    multi_table = {**table(timestamp_column="ts"), "split": "split_shop"}
    lead = "if(_cdc_kind = 'multi_table', 4, if(_cdc_kind = 'load', 1, 2))"
    assert f"{lead} as _cdc_lead" in normalise(Dbt().cdc_csv_layout_sql(multi_table))
    assert "multi_table" not in Dbt().cdc_csv_layout_sql(table(timestamp_column="ts"))


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
KEPT = "select *\nfrom `shop__order__files`"
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
def test_operation_sql__case(operation_column, expected):
    assert_sql_equal(
        Dbt()._operation_sql(table(operation_column=operation_column)),
        f"case when _cdc_kind = 'load' then 'L' when _cdc_kind = 'truncate' then 'T' else {expected} end",
    )


OPENED = '"[^"]*+(?:""[^"]*+)*+'


@pytest.mark.parametrize(
    ("operation_column", "timestamp_column", "lead"),
    [
        ("auto", None, "if(_cdc_kind = 'load', 0, 1)"),
        ("auto", "ts", "if(_cdc_kind = 'load', 1, 2)"),
        ("always", None, "1"),
        ("always", "ts", "2"),
        ("never", None, "0"),
        ("never", "ts", "1"),
    ],
)
def test_cdc_csv_layout_sql__lead(operation_column, timestamp_column, lead):
    options = {"operation_column": operation_column, "timestamp_column": timestamp_column}
    assert_sql_equal(
        Dbt().cdc_csv_layout_sql(table(optional=False, **options)),
        rf"""
        laid_out as (
            select
                *,
                {lead} as _cdc_lead,
                case
                    {Dbt().cdc_csv_undecodable_sql(table())}
                    when contains(_cdc_content, '"')
                        and exists(_cdc_fields, field -> contains(field, '"') and field not rlike '\\A{OPENED}"\\z')
                        then case
                            when exists(_cdc_fields, field -> contains(field, '"') and not startswith(field, '"'))
                            then 'a quote inside a value without quotes, expected the value in quotes (Rfc4180=true)'
                            when exists(_cdc_fields, field -> field rlike '\\A{OPENED}\\z')
                                then 'a quoted value is not closed'
                            else 'text follows a quoted value'
                        end
                    when size(_cdc_fields) - {lead} not between 2 and 2
                        then concat('the record has ', size(_cdc_fields), ' fields, expected ', {lead} + 2)
                end as _cdc_malformed
            from split
        )
        """,
    )


def test_cdc_csv_undecodable_sql__names_the_field_and_the_charset():
    sql = normalise(Dbt().cdc_csv_undecodable_sql(table(charset="Shift_JIS")))
    assert sql.startswith("when not is_valid_utf8(_cdc_content) then concat('field ', array_position(")
    assert "'expected text in Shift_JIS: name the encoding of the files in the option charset'" in sql
    assert "_cdc_names" not in sql and "_cdc_names" in Dbt().cdc_csv_undecodable_sql(table(header=True))


def test_cdc_csv_layout_sql__optional_columns_may_be_missing():
    sql = normalise(Dbt().cdc_csv_layout_sql(table(operation_column="never")))
    assert "when size(_cdc_fields) - 0 not between 2 and 3" in sql
    assert "' fields, expected ', 0 + 2, ' to ', 0 + 3)" in sql


def test_cdc_csv_layout_sql__with_a_header_the_header_counts_the_fields():
    sql = normalise(Dbt().cdc_csv_layout_sql(table(header=True)))
    assert "when size(_cdc_fields) <> size(_cdc_header) then" in sql
    assert "first_value(_cdc_fields) over (partition by _cdc_file_key order by _cdc_row)" in sql
    assert "_cdc_lead" not in sql


@pytest.mark.parametrize(
    ("control", "options", "expected"),
    [
        ("operation", {"operation_column": "auto"}, text("1")),
        ("operation", {"operation_column": "always"}, text("1")),
        ("operation", {"operation_column": "never"}, "cast(null as string)"),
        ("operation", {"operation_column": "never", "header": True}, "cast(null as string)"),
        ("timestamp", {}, "cast(null as string)"),
        ("timestamp", {"timestamp_column": "ts"}, text("_cdc_lead")),
        ("timestamp", {"timestamp_column": "ts", "operation_column": "never"}, text("_cdc_lead")),
    ],
)
def test_csv_control_sql__case(control, options, expected):
    assert_sql_equal(Dbt()._csv_control_sql(table(**options), control), expected)


@pytest.mark.parametrize(("control", "name"), [("operation", "=op"), ("timestamp", "=Ts")])
def test_csv_control_sql__by_name_with_a_header(control, name):
    dbt, cdc = Dbt(), table(header=True, timestamp_column="Ts")
    assert dbt._csv_control_sql(cdc, control).strip() == dbt.cdc_csv_value_sql(cdc, name).strip()


@pytest.mark.parametrize(
    ("name", "position"), [("id", "_cdc_lead + 1"), ("it's", "_cdc_lead + 2"), ("late", "_cdc_lead + 3")]
)
def test_cdc_csv_value_sql__by_position(name, position):
    assert_sql_equal(Dbt().cdc_csv_value_sql(table(), name), text(position))


def test_cdc_csv_value_sql__by_name():
    position = r"nullif(array_position(_cdc_header, 'it\'s'), 0)"
    assert_sql_equal(Dbt().cdc_csv_value_sql(table(header=True), "It's"), text(position))


def test_cdc_csv_text_sql__null_words_are_text():
    assert r"in ('it\'s', '\\N') then null" in Dbt().cdc_csv_text_sql(table(null_values=["it's", r"\N"]), "1")


def test_cdc_csv_text_sql__the_word_for_no_value_is_null_too():
    assert "in ('NULL', '', '~') then null" in Dbt().cdc_csv_text_sql(table(unavailable_value="~"), "1")


def renamed(**options: Any) -> dict[str, Any]:
    return {**table(**options), "renamed_columns": {"Old": "it's", "older": "it's", "x": "other"}}


def test_cdc_names_in_files__its_own_first():
    assert Dbt().cdc_names_in_files(renamed(), "It's") == ["it's", "old", "older"]
    assert Dbt().cdc_names_in_files(table(), "ID") == ["id"]


def test_cdc_csv_position_sql__a_header_may_have_an_old_name():
    assert_sql_equal(
        Dbt().cdc_csv_position_sql(renamed(header=True), "it's"),
        r"""coalesce(nullif(array_position(_cdc_header, 'it\'s'), 0), nullif(array_position(_cdc_header, 'old'), 0),
        nullif(array_position(_cdc_header, 'older'), 0))""",
    )


def test_cdc_csv_position_sql__upper_and_lower_case_make_no_difference():
    assert Dbt().cdc_csv_position_sql(renamed(), "IT'S").strip() == "_cdc_lead + 2"


PLAN = [
    Column("id", "string", "string"),
    Column("it's", "string", "string"),
    Column("late", "string", "string"),
    Column("gone", "string"),
]


def unavailable(*cases: str) -> str:
    return f"nullif(array_compact(array({', '.join(cases)})), cast(array() as array<string>))"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "cast(null as array<string>)"),
        ({"absent_columns": "null"}, "cast(null as array<string>)"),
        (
            {"unavailable_value": "it's"},
            unavailable(
                r"case when try_element_at(_cdc_fields, cast(_cdc_lead + 2 as int)) = 'it\'s' then 'it\'s' end",
                r"case when try_element_at(_cdc_fields, cast(_cdc_lead + 3 as int)) = 'it\'s' then 'late' end",
            ),
        ),
        (
            {"absent_columns": "keep"},
            unavailable(
                r"case when size(_cdc_fields) < _cdc_lead + 2 then 'it\'s' end",
                "case when size(_cdc_fields) < _cdc_lead + 3 then 'late' end",
                "case when true then 'gone' end",
            ),
        ),
        (
            {"absent_columns": "keep", "unavailable_value": "~", "header": True},
            unavailable(
                "case when try_element_at(_cdc_fields, cast(nullif(array_position(_cdc_header, "
                r"'it\'s'), 0) as int)) = '~' or nullif(array_position(_cdc_header, 'it\'s'), 0) is null"
                r" then 'it\'s' end",
                "case when try_element_at(_cdc_fields, cast(nullif(array_position(_cdc_header, 'late'), 0) as int))"
                " = '~' or nullif(array_position(_cdc_header, 'late'), 0) is null then 'late' end",
                "case when true then 'gone' end",
            ),
        ),
    ],
)
def test_cdc_csv_unavailable_sql__case(options, expected):
    assert_sql_equal(Dbt().cdc_csv_unavailable_sql(table(**options), PLAN), expected)


def schemas(*names: str) -> dict[str, Any]:
    return {"schemas": [[{"name": name, "type": "int"} for name in some.split()] for some in names]}


@pytest.mark.parametrize(
    ("word", "files", "expected"),
    [
        ("keep", schemas("ID a b", "id B A"), "cast(null as array<string>)"),
        (
            "keep",
            schemas("id a b", "id b", "id"),
            "case raw._file_schema when 1 then array('a') when 2 then array('a', 'B') end",
        ),
        ("keep", schemas("a B"), "cast(null as array<string>)"),
        ("keep", schemas("id B old_a"), "cast(null as array<string>)"),
    ],
)
def test_cdc_parquet_absent_sql__case(word, files, expected):
    plan = tuple(Column(name, "int", "int") for name in ("id", "a", "B"))
    cdc = {"primary_key": ["Id"], "options": {"absent_columns": word}, "renamed_columns": {"Old_a": "a"}}
    assert_sql_equal(Dbt().cdc_parquet_absent_sql(cdc, files, plan), expected)


@pytest.mark.parametrize(
    ("prefix", "sequence", "name", "expected"),
    [
        ("BI_", None, "BI_id", True),
        ("BI_", None, "bi_score", False),
        ("BI_", None, "id", False),
        (None, None, "BI_id", False),
        (None, "Seq", "sEQ", True),
        (None, "Seq", "seq2", False),
    ],
)
def test_cdc_source_parts__columns_that_dms_adds(prefix, sequence, name, expected):
    options = {"before_image_prefix": prefix, "change_sequence_column": sequence}
    parts = select_own_columns(make_config(options=options), [{"name": name}])
    assert (parts == []) is expected


KEY = (
    Column("Id", "int", "int"),
    Column("part", "string", "string"),
)


def before_images(format: str, names: list[str], view: str | None = "v", **options: Any) -> tuple[Column, ...]:
    found = [{"name": name, "type": "bigint"} for name in names]
    cdc = {"format": format, "primary_key": ["id", "part"], "columns": found if format == "csv" else []}
    cdc["options"] = {"before_image_prefix": "BI_", "header": False, **options}
    columns = found if format == "parquet" or options.get("header") else []
    return Dbt().cdc_before_images(cdc, {"view": view, "columns": columns}, KEY)


@pytest.mark.parametrize(
    ("format", "raw_type", "options"),
    [("parquet", "bigint", {}), ("csv", "string", {}), ("csv", "string", {"header": True})],
)
def test_cdc_before_images__take_the_types_of_the_key(format, raw_type, options):
    assert before_images(format, ["part", "BI_PART", "BI_id", "bi_id"], **options) == (
        Column("BI_id", "int", raw_type, key=KEY[0]),
        Column("BI_PART", "string", raw_type, key=KEY[1]),
    )


def test_cdc_before_images__part_of_a_key_is_no_key():
    assert before_images("parquet", ["BI_id", "part"]) == ()


def test_cdc_before_images__none_without_a_prefix_or_files():
    assert before_images("parquet", ["BI_id", "BI_part"], before_image_prefix=None) == ()
    assert before_images("parquet", ["BI_id", "BI_part"], view=None) == ()


def test_cdc_old_key_sql__of_an_update_whose_key_differs():
    assert_sql_equal(
        Dbt().cdc_old_key_sql(before_images("parquet", ["BI_id", "BI_part"])),
        """
        case
            when
                _cdc_operation = 'U'
                and not (try_cast(`BI_id` as int) is null and try_cast(`BI_part` as string) is null)
                and not (try_cast(`BI_id` as int) <=> `Id` and try_cast(`BI_part` as string) <=> `part`)
                then map(
                    'Id', cast(try_cast(`BI_id` as int) as string),
                    'part', try_validate_utf8(cast(try_cast(`BI_part` as string) as string))
                )
        end
        """,
    )


def test_cdc_old_key_sql__nothing_known():
    assert Dbt().cdc_old_key_sql([]) == "cast(null as map <string, string>)"


@pytest.mark.parametrize(
    ("delimiter", "literal", "code"),
    [
        (",", "','", "002c"),
        ("|", "'|'", "007c"),
        ("^", "'^'", "005e"),
        (".", "'.'", "002e"),
        ("\t", "'\t'", "0009"),
        ("\\", r"'\\'", "005c"),
        ("é", "'é'", "00e9"),
    ],
)
def test_cdc_csv_fields_sql__delimiter_is_never_a_pattern(delimiter, literal, code):
    sql = Dbt().cdc_csv_fields_sql("record", delimiter)
    assert re.search(r"concat\(\s*" + re.escape(literal) + ",", sql)
    escaped = rf"\\x{{{code}}}"
    field = f'{OPENED}"[^{escaped}]*+|[^"{escaped}][^{escaped}]*+|{OPENED}'
    assert f"'{escaped}((?:{field})?+)'" in sql


def test_cdc_csv_header_sql__names_of_the_first_lines():
    sql = normalise(Dbt().cdc_csv_header_sql("raw", ","))
    # A header that is no text has no names: its records are malformed.
    assert "from raw where _file_row = 0 and is_valid_utf8(value))" in sql
    assert sql.endswith("as file_count from headers where name <> '' group by name order by name")


def test_cdc_csv_records_sql__columns_that_the_batch_lacks_are_not_looked_for():
    plan = (
        Column("id", "string", "string"),
        Column("gone", "string"),
    )
    sql = Dbt().cdc_csv_records_sql(table(), {"view": "raw"}, plan, FILE_NAMES)
    assert "as `id`" in sql
    assert "gone" not in sql


NO_HEADER = "not arrays_overlap(_cdc_header, array('id', 'it\\'s', 'late'))"


@pytest.mark.parametrize(
    ("header", "end"), [(True, "from laid_out where _cdc_row > 0 or " + NO_HEADER + ")"), (False, "from laid_out)")]
)
def test_cdc_csv_records_sql__header_is_no_record(header, end):
    assert normalise(Dbt().cdc_csv_records_sql(table(header=header), {"view": "raw"}, [], FILE_NAMES)).endswith(end)


PARQUET = {"primary_key": ["id"], "options": {"operation_column": "auto", "timestamp_column": "dms_ts"}}
FILE_NAMES = ["file_key", "kind"]
FILE_COLUMNS = "files.file_key as _cdc_file_key, files.kind as _cdc_kind"


def raw(*names: str) -> dict[str, Any]:
    columns = [{"name": name, "type": "string"} for name in names]
    return {"view": "raw_view", "columns": columns, "schemas": [[{"name": "id"}, *columns]]}


def test_cdc_parquet_records_sql__by_name():
    plan = (
        Column("a`b", "int", "int"),
        Column("gone", "int"),
    )
    image = Column("BI_a", "int", "int", key=Column("a", "int"))
    assert_sql_equal(
        Dbt().cdc_parquet_records_sql(PARQUET, raw("Op", "dms_ts", "a`b", "BI_a"), plan, FILE_NAMES, (image,)),
        f"""
        records as (
            select
                {FILE_COLUMNS}, raw._file_row as _cdc_row,
                raw.`Op` as _cdc_op,
                raw.`dms_ts` as _cdc_commit_text,
                cast(null as string) as _cdc_malformed,
                cast(null as array<string>) as _cdc_unavailable_columns,
                cast(null as array<string>) as _cdc_absent_keys,
                raw.`a``b`,
                raw.`BI_a`,
                raw._file_schema as _cdc_file_schema,
                struct(raw.`Op`, raw.`dms_ts`, raw.`a``b`, raw.`BI_a`) as _cdc_content
            from raw_view as raw
            inner join files on raw._file_path = files.path and files.is_newest
        )
        """,
    )


def test_cdc_parquet_records_sql__the_columns_of_files_are_judged_once_however_many_there_are():
    names = [f"c{number}" for number in range(20)]
    plan = tuple(Column(name, "int", "int") for name in names)
    dbt, calls = Dbt(), []
    judge = dbt.cdc_source_parts
    dbt.context["cdc_source_parts"] = lambda *arguments: calls.append(arguments) or judge(*arguments)
    rows = complete_rows(make_config(**PARQUET), Reading(**raw(*names)), None)
    dbt.cdc_parquet_records_sql(PARQUET, rows, plan, FILE_NAMES)
    assert (len(rows.source_parts), calls) == (len(names), [])


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        ("IT'S", "raw.`IT'S` as `it's`"),
        ("Old", "raw.`Old` as `it's`"),
        ("older x it's", "coalesce(raw.`it's`, raw.`older`) as `it's`"),
    ],
)
def test_cdc_parquet_records_sql__renamed_columns(present, expected):
    cdc = {**renamed(), "format": "parquet"}
    plan = (Column("it's", "int", "int"),)
    sql = normalise(Dbt().cdc_parquet_records_sql(cdc, raw(*present.split(" ")), plan, FILE_NAMES))
    assert f"as _cdc_absent_keys, {expected}, raw._file_schema" in sql


@pytest.mark.parametrize(
    ("names", "operation", "committed_at", "sources"),
    [
        (["Op", "DMS_ts", "id"], "raw.`Op`", "raw.`DMS_ts`", ["id"]),
        (["Op", "op", "dms_TS"], "raw.`Op`", "raw.`dms_TS`", ["op"]),
        (["dms_ts", "DMS_ts", "OP"], "cast(null as string)", "raw.`DMS_ts`", ["dms_ts", "OP"]),
    ],
)
def test_exact_names_decide_which_columns_are_dms_own(names, operation, committed_at, sources):
    cdc = {**PARQUET, "format": "parquet", "options": {"operation_column": "auto", "timestamp_column": "DMS_ts"}}
    sql = normalise(Dbt().cdc_parquet_records_sql(cdc, raw(*names), (), FILE_NAMES))
    assert f"{operation} as _cdc_op, {committed_at} as _cdc_commit_text," in sql
    assert [column.name for column in Dbt().cdc_source_columns(cdc, raw(*names))] == sources


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (PARQUET["options"], ["id"]),
        ({"operation_column": "never", "timestamp_column": None}, ["Op", "dms_ts", "id"]),
        ({"operation_column": "never"}, ["Op", "dms_ts", "id"]),
    ],
)
def test_cdc_parquet_records_sql__without_control_columns(options, names):
    sql = normalise(Dbt().cdc_parquet_records_sql({**PARQUET, "options": options}, raw(*names), (), FILE_NAMES))
    assert "cast(null as string) as _cdc_op, cast(null as string) as _cdc_commit_text," in sql


def test_cdc_no_records_sql__same_columns_and_no_row():
    plan = (
        Column("a`b", "int", "int"),
        Column("gone", "date"),
    )
    assert_sql_equal(
        Dbt().cdc_no_records_sql(plan, FILE_NAMES),
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
    return Dbt().cdc_cast_failures_sql([Column("a`b", type, raw_type)])


@pytest.mark.parametrize(
    ("raw_type", "type"), [("int", "int"), (None, "int"), ("string", "string"), ("date", "string")]
)
def test_cdc_cast_failures_sql__what_cannot_fail_is_not_asked(raw_type, type):
    assert cast_failures(raw_type, type) == "array()"


@pytest.mark.parametrize(
    ("raw_type", "type", "condition"),
    [
        (
            "string",
            "int",
            "`a``b` is not null and (try_cast(`a``b` as int) is null or not "
            "(cast(try_cast(`a``b` as int) as string) = `a``b` or `a``b` rlike '\\\\A[+-]?[0-9]++\\\\z'))",
        ),
        ("bigint", "int", "not try_cast(try_cast(`a``b` as int) as bigint) <=> `a``b`"),
        (
            # A value that goes through text has to have a form of the type, as a text has.
            "date",
            "int",
            "`a``b` is not null and (try_cast(cast(`a``b` as string) as int) is null or not "
            "(cast(try_cast(cast(`a``b` as string) as int) as string) = cast(`a``b` as string) "
            "or cast(`a``b` as string) rlike '\\\\A[+-]?[0-9]++\\\\z'))",
        ),
    ],
)
def test_cdc_cast_failures_sql__case(raw_type, type, condition):
    then = f"then concat('a`b is ', \"'\", cast(`a``b` as string), \"'\", ', expected {type}')"
    assert_sql_equal(cast_failures(raw_type, type), f"array(case when {condition} {then} end)")


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
        complete_rows(make_config(**table() | {"format": format}), Reading(view), None),
        (ID,),
    )
    assert normalise(sql).startswith(normalise(f"with files as ({Dbt().cdc_file_position_sql(FILES_SQL)}),"))
    assert part in sql


def test_cdc_bronze_sql__a_truncate_needs_no_key_and_comes_from_no_file():
    sql = normalise(Dbt().cdc_bronze_sql(table(), FILES_SQL, {"view": None}, (ID,)))
    assert "or (_cdc_operation = 'T' and _cdc_kind <> 'truncate') then 'unknown_operation'" in sql
    assert "when _cdc_key_is_missing and _cdc_operation <> 'T' then 'missing_key'" in sql


def test_cdc_bronze_sql__before_images_are_judged_and_not_stored():
    cdc = table(before_image_prefix="BI_")
    cdc["columns"] = [*cdc["columns"], {"name": "BI_id", "type": "int", "optional": True}]
    sql = normalise(Dbt().cdc_bronze_sql(cdc, FILES_SQL, {"view": "raw_view"}, (ID,)))
    assert "'BI_id is ', \"'\"" in sql
    assert "map('id', cast(try_cast(`BI_id` as int) as string)) end as _cdc_old_key," in sql
    assert (
        "as `BI_id`, try_element_at"
        not in sql.split(" from ruled")[0].split("select try_cast(`id` as int) as `id`,")[1]
    )


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
def test_schema_drift__case(columns, expected):
    options = {"operation_column": "auto", "before_image_prefix": "BI_"}
    cdc = {"format": "parquet", "options": options, "renamed_columns": {"old_v": "v"}}
    assert Dbt()._schema_drift(cdc, columns, TARGET) == expected
    assert Dbt()._schema_drift(cdc, columns, TARGET[3:]) == "", "the first files make the table"


def test_cdc_schema_drift_sql__each_parquet_file_by_its_schema():
    cdc = {"format": "parquet", "options": {"operation_column": "auto"}}
    raw = {"schemas": [columns_of(id="int"), columns_of(new="date"), columns_of(**{"it's": "int"})]}
    assert_sql_equal(
        Dbt().cdc_schema_drift_sql(cdc, raw, TARGET),
        r"""case _cdc_file_schema
            when 1 then 'column new date is new' when 2 then 'column it\'s int is new' end""",
    )
    assert Dbt().cdc_schema_drift_sql(cdc, {"schemas": raw["schemas"][:1]}, TARGET) == "cast(null as string)"


def test_cdc_schema_drift_sql__each_csv_file_by_its_header():
    cdc = table(header=True)
    raw = {"columns": columns_of(id="string", New="string", Op="string"), "schemas": [columns_of(value="string")]}
    assert_sql_equal(
        Dbt().cdc_schema_drift_sql(cdc, raw, TARGET),
        """nullif(concat_ws('; ',
            case when array_contains(_cdc_header, 'new') then 'column New string is new' end), '')""",
    )
    assert Dbt().cdc_schema_drift_sql(cdc, {"columns": []}, TARGET) == "cast(null as string)"


def test_cdc_bronze_sql__a_file_that_drifts_is_quarantined_by_its_columns():
    raw = {"view": "raw_view", "columns": [], "drift_sql": "'words'"}
    sql = normalise(Dbt().cdc_bronze_sql(table(), FILES_SQL, raw, (ID,)))
    assert "'words' as _cdc_drift," in sql
    assert (
        "when _cdc_drift is not null and _cdc_operation <> 'D' then 'schema_drift' when size(_cdc_cast_failures) > 0"
        in sql
    )
    assert "when 'schema_drift' then _cdc_drift" in sql


def test_cdc_bronze_sql__the_run_names_one_moment():
    sql = Dbt().cdc_bronze_sql(table(), FILES_SQL, {"view": None}, (ID,))
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
    assert not [query for query in dbt.queries if query.startswith(("set ", "alter "))]


def test_get_incremental_cdc_append_sql__a_truncate_alone_is_a_change():
    dbt = running(True, {"is_newest": [TRUNCATE]})
    sql, message = dbt.write("cdc_append")
    assert message == "append: files=0, truncate"
    sql = normalise(sql)
    assert "modified_at as _cdc_committed_at" in sql and "'T' as _cdc_operation, _cdc_committed_at" in sql
    assert sql.endswith("from truncates")
    assert "set `spark.sql.iceberg.snapshot-property.cdc.batch-id` = 10" in dbt.queries
    assert not dbt.files_read


def test_get_incremental_cdc_append_sql__new_files_evolve_the_table_and_set_progress():
    dbt = running(True, LISTED)
    sql, message = dbt.write("cdc_append")
    assert message == "append: files=1"
    sql = normalise(sql)
    assert sql.startswith("insert into bronze.shop__order by name with files as (")
    assert "from (select * from `shop__order__files`) as files)" in sql, "the listing is asked once"
    assert "and batch_id > 7 group by" in normalise(dbt.kept["shop__order__files"])
    assert dbt.queries[-9:] == [
        "alter table bronze.shop__order add columns (`id` int)",
        "set `spark.sql.iceberg.snapshot-property.cdc.batch-id` = 8",
        "set `spark.sql.iceberg.snapshot-property.cdc.started-at` = 2024-05-06 07:08:10+00:00",
        "set `spark.sql.iceberg.snapshot-property.cdc.plain-changes` = true",
        *(
            f"set `spark.sql.iceberg.snapshot-property.cdc.{name}` = None"
            for name in ("rejected", "source-log", "second-snapshot", "log-began-again", "line-breaks")
        ),
    ]


def test_get_incremental_cdc_append_sql__files_that_are_left_out_are_rejected_before_anything_else_is_written():
    rejected = [{"path": "b", "reason": "too short"}]
    dbt = running(True, {"insert into": [], **LISTED}, files={**READABLE, "rejected": rejected})
    dbt.answers["as row_count"] = [{"row_count": 3}]
    dbt.write("cdc_append")
    assert dbt.warnings == ["bronze.shop__order: rejected b: too short"]
    written = [query for query in dbt.queries if query.startswith(("insert", "alter", "set"))]
    assert written[0].startswith("insert into ref.rejected_files\n")
    assert "'b', 'unreadable', 'too short'" in normalise(written[0])
    assert "set `spark.sql.iceberg.snapshot-property.cdc.rejected` = 3" in written


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
        assert sql.startswith("update ref.raw_listing as listing set batch_id = 10 where listing.feed = ")
        assert "listing.kind in ('load', 'change') and listing.batch_id <= 7 and not exists" in sql
        assert "from bronze.shop__order as log" in sql and "from ref.rejected_files as rejected" in sql
    asked = [query for query in dbt.queries if "as row_count" in query]
    assert bool(asked) == bool(recorded), "a table without rejections asks nothing"
    assert f"set `spark.sql.iceberg.snapshot-property.cdc.rejected` = {count or None}" in dbt.queries


def test_get_incremental_cdc_append_sql__a_batch_with_line_breaks_in_values_is_remembered():
    cdc = {**table(), "layer": "bronze"}
    for found in ([], ["a"]):
        dbt = running(True, LISTED, cdc=cdc, files={**READABLE, "found": found})
        dbt.write("cdc_append", verify="full")
        remembered = "set `spark.sql.iceberg.snapshot-property.cdc.line-breaks` = true"
        assert (remembered in dbt.queries) == bool(found)


@pytest.mark.parametrize(
    ("policy", "altered"),
    [
        ("evolve", ["alter column `old` type bigint", "add columns (`id` int)"]),
        ("freeze", ["add columns (`id` int)"]),
        ("quarantine", []),
    ],
)
def test_get_incremental_cdc_append_sql__policy(policy, altered):
    columns = [*ID_COLUMNS, {"name": "old", "type": "bigint"}]
    dbt = running(True, LISTED, files={**READABLE, "columns": columns, "schemas": [columns]})
    dbt.context["model"].config.meta["cdc"]["schema_drift"] = policy
    sql, _ = dbt.write("cdc_append")
    assert [query for query in dbt.queries if query.startswith("alter")] == [
        f"alter table bronze.shop__order {change}" for change in altered
    ]
    assert ("column old is bigint, expected int" in sql) == (policy == "quarantine")


def test_get_incremental_cdc_append_sql__a_renamed_column_is_renamed_in_the_table():
    dbt = running(True, LISTED)
    dbt.context["model"].config.meta["cdc"]["renamed_columns"] = {"OLD": "id", "x": "y"}
    dbt.write("cdc_append")
    assert "alter table bronze.shop__order rename column `OLD` to `id`" in dbt.queries


def test_get_incremental_cdc_append_sql__first_run_reads_everything():
    dbt = running(False, LISTED)
    dbt.write("cdc_append")
    assert "and batch_id > 0 group by" in normalise(dbt.kept["shop__order__files"])
    assert "set `spark.sql.iceberg.snapshot-property.cdc.batch-id` = 8" in dbt.queries


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


def test_cdc_last_batch_id__no_table():
    assert Dbt().cdc_last_batch_id(None) == 0


def test_cdc_last_batch_id__from_progress():
    assert Dbt(summary=SEEN).cdc_last_batch_id(BRONZE) == 7


@pytest.mark.parametrize(("greatest", "expected"), [(5, 5), (None, 0)])
def test_cdc_last_batch_id__from_the_rows_where_progress_is_gone(greatest, expected):
    answers = {"max(_cdc_batch_id) as batch_id from bronze.shop__order": [{"batch_id": greatest}]}
    assert Dbt(answers=answers).cdc_last_batch_id(BRONZE) == expected
