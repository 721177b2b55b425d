"""The metadata is read whole, and every mistake in it is found, placed and explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from seed_files import drop_column, good_seeds, write_seeds

from python_udfs.errors import MetadataError
from python_udfs.metadata import (
    COLUMNS_FILE,
    FEEDS_FILE,
    HEADERS,
    TABLES_FILE,
    FeedOptions,
    load_metadata,
)
from python_udfs.metadata.names import RESERVED_NAMES, default_target, file_name, table_name
from python_udfs.metadata.partitions import PartitionField

if TYPE_CHECKING:
    from pathlib import Path

    from seed_files import Seeds

    from python_udfs.errors import Problem


def problems_of(folder: Path) -> tuple[Problem, ...]:
    with pytest.raises(MetadataError) as caught:
        load_metadata(folder)
    return caught.value.problems


def test_good_metadata_is_read_into_typed_values(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["options"] = (
        "delimiter=tab; header=true; null_values=\\N|-; timestamp_column=ts; unavailable_value=~; absent_columns=keep;"
        "before_image_prefix=BI_"
    )
    seeds[TABLES_FILE][0] |= {"table_properties": "b=2;a=x=y", "renamed_columns": "day=sold_at; date=sold_at"}
    seeds[TABLES_FILE][0]["lag_limit_minutes"] = "90"
    seeds[TABLES_FILE][1] |= {"key_comparison": "ignore_case; ignore_trailing_spaces", "mode": "history"}

    metadata = load_metadata(write_seeds(tmp_path, seeds))

    assert [feed.feed for feed in metadata.feeds] == ["people", "shop"]
    assert metadata.feed("shop").options == FeedOptions()
    assert metadata.feed("people").options == FeedOptions(
        timestamp_column="ts",
        before_image_prefix="BI_",
        absent_columns="keep",
        delimiter="\t",
        header=True,
        null_values=("\\N", "-"),
        unavailable_value="~",
    )
    staff, item = metadata.tables
    assert (item.target_table, item.primary_key, item.active) == ("shop__item", ("id",), True)
    assert item.partition_by == (PartitionField("sold_at", "days"),)
    assert item.table_properties == (("a", "x=y"), ("b", "2"))
    assert (staff.lag_limit_minutes, item.lag_limit_minutes) == (None, 90)
    assert item.renamed_columns == (("date", "sold_at"), ("day", "sold_at"))
    assert (item.unchanged_rows, item.schema_drift, item.vanished_files) == ("write", "evolve", "report")
    assert (staff.unchanged_rows, staff.key_comparison) == ("skip", ("ignore_case", "ignore_trailing_spaces"))
    assert [column.data_type for column in item.columns] == [None, None]
    assert [(column.name, column.data_type, column.optional) for column in staff.columns] == [
        ("id", "int", False),
        ("unit", "varchar(8)", False),
        ("pay", "decimal(10,2)", True),
    ]


def test_null_values_default_to_the_unquoted_word_and_nothing(tmp_path: Path) -> None:
    metadata = load_metadata(write_seeds(tmp_path, good_seeds()))

    assert metadata.feed("people").options.null_values == ("NULL", "")


def test_the_order_of_rows_plays_no_part(tmp_path: Path) -> None:
    seeds = good_seeds()
    turned = {name: rows[::-1] for name, rows in seeds.items()}

    assert load_metadata(write_seeds(tmp_path / "a", seeds)) == load_metadata(write_seeds(tmp_path / "b", turned))


def test_byte_order_mark_and_blank_lines_are_no_problem(tmp_path: Path) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    expected = load_metadata(folder)
    for name in HEADERS:
        text = (folder / name).read_text(encoding="utf-8").replace("\n", "\r\n\r\n")
        (folder / name).write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))

    assert load_metadata(folder) == expected


def test_active_and_inactive_tables_are_distinguished(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0]["active"] = "FALSE"

    metadata = load_metadata(write_seeds(tmp_path, seeds))

    assert [table.target_table for table in metadata.active_tables] == ["hr__staff"]
    assert [table.target_table for table in metadata.inactive_tables] == ["shop__item"]


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("id", "id"),
        ("`id`", "id"),
        ("order", "`order`"),
        ("years(id)", "years(id)"),
        ("months( id )", "months(id)"),
        ("hours(id)", "hours(id)"),
        ("bucket(16, order)", "bucket(16, `order`)"),
        ("bucket(16,`or``der (2)`)", "bucket(16, `or``der (2)`)"),
        ("truncate(4,two words)", "truncate(4, `two words`)"),
    ],
)
def test_partition_fields_quote_what_spark_needs_quoted(tmp_path: Path, text: str, sql: str) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0]["partition_by"] = text
    seeds[COLUMNS_FILE] = seeds[COLUMNS_FILE][2:]

    (part,) = load_metadata(write_seeds(tmp_path, seeds)).tables[1].partition_by

    assert part.sql == sql


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("BOOLEAN", "boolean"),
        ("byte", "tinyint"),
        ("long", "bigint"),
        ("real", "float"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("decimal", "decimal(10,0)"),
        ("numeric(38)", "decimal(38,0)"),
        ("dec(38,38)", "decimal(38,38)"),
        ("Char(3)", "char(3)"),
    ],
)
def test_types_come_out_in_one_spelling(tmp_path: Path, text: str, data_type: str) -> None:
    seeds = good_seeds()
    seeds[COLUMNS_FILE][0]["data_type"] = text

    assert load_metadata(write_seeds(tmp_path, seeds)).tables[1].columns[0].data_type == data_type


def test_names_are_lower_cased_and_cleaned() -> None:
    assert default_target("Sales-DB", "Order$Lines") == "sales_db__order_lines"
    assert default_target("HR", "Été") == "hr___t_"


# Source tables whose default names meet, also by the rule for upper case and other characters.
MEETING = [
    (("shop", "shop", "item"), ("people", "shop", "item")),
    (("shop", "A", "t"), ("shop", "a", "t")),
    (("shop", "a", "b-c"), ("shop", "a", "b_c")),
    (("shop", "a", "b__c"), ("people", "a__b", "c")),
]


def meeting_seeds(first: tuple[str, str, str], second: tuple[str, str, str]) -> Seeds:
    """The tables of `good_seeds` under other names; the second with the columns of the first."""
    seeds = good_seeds()
    seeds[FEEDS_FILE][1] |= {"format": "parquet", "options": ""}
    seeds[TABLES_FILE][1] |= {"primary_key": "id"}
    seeds[COLUMNS_FILE] = seeds[COLUMNS_FILE][:2] + [dict(row) for row in seeds[COLUMNS_FILE][:2]]
    for rows, source in ((0, first), (1, second)):
        for row in (seeds[TABLES_FILE][rows], *seeds[COLUMNS_FILE][2 * rows : 2 * rows + 2]):
            row.update(zip(("feed", "source_schema", "source_table"), source, strict=True))
    return seeds


@pytest.mark.parametrize(("first", "second"), MEETING)
def test_names_that_meet_are_one_problem_that_names_both_rows_and_the_cell(
    tmp_path: Path, first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    (problem,) = problems_of(write_seeds(tmp_path, meeting_seeds(first, second)))

    assert (problem.row, problem.column) == (3, "target_table")
    for feed, schema, table in (first, second):
        assert f"{schema}.{table} of feed {feed}" in problem.received
    assert "line 2" in problem.received
    assert f"{second[0]}_{default_target(*second[1:])}" in problem.fix


@pytest.mark.parametrize(("first", "second"), MEETING)
def test_a_target_table_tells_tables_of_one_name_apart(
    tmp_path: Path, first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    seeds = meeting_seeds(first, second)
    seeds[TABLES_FILE][1]["target_table"] = "eu_item"

    tables = load_metadata(write_seeds(tmp_path, seeds)).tables

    assert {table.target_table for table in tables} == {default_target(*first[1:]), "eu_item"}
    assert {table.model("silver") for table in tables} == {f"silver_{default_target(*first[1:])}", "silver_eu_item"}
    assert [len(table.columns) for table in tables] == [2, 2]


# file, row of good_seeds(), CSV column, value that makes the mistake, what the message has to show
MISTAKES = [
    (FEEDS_FILE, 0, "feed", "", ["nothing", "lower-case letter"]),
    (FEEDS_FILE, 0, "feed", "Shop", ["'Shop'", "lower-case letter"]),
    (FEEDS_FILE, 1, "feed", "shop", ["'shop' again, first in line 2"]),
    (FEEDS_FILE, 0, "connector", "avro", ["'avro'", "dms or dms_kafka or debezium or maxwell or canal"]),
    (FEEDS_FILE, 0, "format", "json", ["'json'", "parquet or csv"]),
    (FEEDS_FILE, 0, "format", "avro", ["'avro'", "parquet or csv"]),
    (FEEDS_FILE, 0, "location", "", ["nothing", "landing root"]),
    (FEEDS_FILE, 0, "location", "../shop", ["'../shop'", "without .."]),
    (FEEDS_FILE, 1, "location", "shop/", ["'shop/'", "'shop' of feed shop"]),
    (FEEDS_FILE, 1, "location", "shop/people", ["'shop/people'", "'shop' of feed shop"]),
    (FEEDS_FILE, 1, "location", ".", ["'.'", "'shop' of feed shop"]),
    (FEEDS_FILE, 0, "options", "header=true", ["'header'", "for parquet: timestamp_column, operation_column,"]),
    (FEEDS_FILE, 0, "options", "unavailable_value=~", ["'unavailable_value'", "for parquet:"]),
    (FEEDS_FILE, 1, "options", "colour=red", ["'colour'", "for csv:", "null_values"]),
    (FEEDS_FILE, 1, "options", "header", ["'header'", "key=value"]),
    (FEEDS_FILE, 1, "options", "=true", ["'=true'", "key=value"]),
    (FEEDS_FILE, 1, "options", "header=true;header=false", ["'header' twice"]),
    (FEEDS_FILE, 1, "options", "header=yes", ["header=yes", "true or false"]),
    (FEEDS_FILE, 1, "options", "delimiter=||", ["delimiter=||", "one character", "tab or semicolon"]),
    (FEEDS_FILE, 1, "options", 'delimiter="', ['delimiter="', "one character"]),
    (FEEDS_FILE, 0, "options", "timestamp_column=", ["timestamp_column=", "name of a column"]),
    (FEEDS_FILE, 0, "options", "timestamp_column=_CDC_at", ["timestamp_column=_CDC_at", "not starting with _cdc_"]),
    (FEEDS_FILE, 0, "options", "operation_column=maybe", ["operation_column=maybe", "auto or always or never"]),
    (FEEDS_FILE, 0, "options", "change_sequence_column=", ["change_sequence_column=", "name of a column"]),
    (FEEDS_FILE, 0, "options", "change_sequence_column=_cdc_a", ["=_cdc_a", "not starting with _cdc_"]),
    (FEEDS_FILE, 0, "options", "timestamp_column=a;change_sequence_column=A", ["=A", "not the timestamp_column"]),
    (FEEDS_FILE, 0, "options", "absent_columns=drop", ["absent_columns=drop", "null or keep"]),
    (FEEDS_FILE, 0, "options", "before_image_prefix=", ["before_image_prefix=", "first letters of a name"]),
    (FEEDS_FILE, 0, "options", "before_image_prefix=_CDC_o", ["before_image_prefix=_CDC_o", "not _cdc_"]),
    (FEEDS_FILE, 1, "options", "unavailable_value=", ["unavailable_value=", "none of null_values"]),
    (FEEDS_FILE, 1, "options", "unavailable_value=NULL", ["unavailable_value=NULL", "none of null_values"]),
    (FEEDS_FILE, 1, "options", "unavailable_value=a,b", ["unavailable_value=a,b", "without quotes and delimiter"]),
    (FEEDS_FILE, 1, "options", 'unavailable_value="~"', ['unavailable_value="~"', "without quotes and delimiter"]),
    (FEEDS_FILE, 1, "options", "transaction_files=1", ["transaction_files=1", "true or false"]),
    (FEEDS_FILE, 1, "options", "transaction_files=true;header=true", ["header=true with", "no header"]),
    (FEEDS_FILE, 0, "options", "transaction_files=true", ["'transaction_files'", "for parquet:"]),
    (FEEDS_FILE, 0, "options", "full_listing_hours=0", ["full_listing_hours=0", "whole number of hours, 1 to 8760"]),
    (FEEDS_FILE, 0, "options", "full_listing_hours=1.5", ["full_listing_hours=1.5", "whole number of hours"]),
    (FEEDS_FILE, 0, "options", "full_listing_hours=²", ["full_listing_hours=²", "whole number of hours"]),
    (
        FEEDS_FILE,
        0,
        "options",
        "full_listing_hours=1;listing_overlap_hours=8761",
        ["listing_overlap_hours=8761", "1 to 8760"],
    ),
    (FEEDS_FILE, 0, "options", "listing_overlap_hours=24", ["without full_listing_hours", "both, or neither"]),
    (TABLES_FILE, 0, "source_schema", "", ["nothing", "Fill in source_schema"]),
    (TABLES_FILE, 0, "source_table", "", ["nothing", "Fill in source_table"]),
    (TABLES_FILE, 0, "primary_key", "", ["nothing", "mode append"]),
    (TABLES_FILE, 0, "primary_key", "id;ID", ["'ID' twice"]),
    (TABLES_FILE, 0, "primary_key", "number", ["'number'", "id, sold_at"]),
    (TABLES_FILE, 0, "primary_key", "Id", ["'Id'", "id, sold_at", "upper and lower case count"]),
    (TABLES_FILE, 0, "target_table", "Shop_Item", ["'Shop_Item'", "lower-case letters, digits and _"]),
    (TABLES_FILE, 0, "target_table", "silver.item", ["'silver.item'", "lower-case letters, digits and _"]),
    (TABLES_FILE, 0, "delete_mode", "purge", ["'purge'", "hard or soft"]),
    (TABLES_FILE, 0, "mode", "upsert", ["'upsert'", "current or history or append"]),
    (TABLES_FILE, 0, "mode", "", ["nothing", "current or history or append"]),
    (TABLES_FILE, 0, "key_comparison", "ignore", ["'ignore'", "ignore_case and ignore_trailing_spaces"]),
    (TABLES_FILE, 0, "key_comparison", "ignore_case;ignore_case", ["'ignore_case' twice"]),
    (TABLES_FILE, 0, "unchanged_rows", "keep", ["'keep'", "write or skip"]),
    (TABLES_FILE, 0, "schema_drift", "adapt", ["'adapt'", "evolve or freeze or quarantine"]),
    (TABLES_FILE, 0, "vanished_files", "delete", ["'delete'", "report or ignore or truncate"]),
    (TABLES_FILE, 0, "renamed_columns", "day", ["'day'", "key=value"]),
    (TABLES_FILE, 0, "renamed_columns", "day=", ["'day='", "old=new"]),
    (TABLES_FILE, 0, "renamed_columns", "SOLD_AT=sold_at", ["'SOLD_AT=sold_at'", "two different names"]),
    (TABLES_FILE, 0, "renamed_columns", "a=b;b=sold_at", ["'a=b'", "is not renamed again"]),
    (TABLES_FILE, 0, "renamed_columns", "a=sold_at;a=id", ["'a' twice"]),
    (TABLES_FILE, 0, "renamed_columns", "a=sold_at;A=id", ["'A' twice"]),
    (TABLES_FILE, 0, "renamed_columns", "a=price", ["'price'", "id, sold_at"]),
    (TABLES_FILE, 0, "renamed_columns", "sold_at=id", ["'sold_at', which is a partition column"]),
    (TABLES_FILE, 0, "renamed_columns", "ID=sold_at", ["'ID', which is a key column"]),
    (TABLES_FILE, 1, "renamed_columns", "pay=unit", ["'pay', which is a column of cdc_columns.csv", "Write 'unit'"]),
    (TABLES_FILE, 0, "write_mode", "merge", ["'merge'", "merge-on-read or copy-on-write"]),
    (TABLES_FILE, 0, "readers", "presto;trino", ["'presto'", "athena, bigquery", "separated by ;"]),
    (TABLES_FILE, 0, "readers", "trino;trino", ["'trino' twice", "each name once"]),
    (TABLES_FILE, 0, "active", "yes", ["'yes'", "true or false"]),
    (TABLES_FILE, 0, "partition_by", "weeks(sold_at)", ["'weeks(sold_at)'", "bucket(n, column)"]),
    (TABLES_FILE, 0, "partition_by", "bucket(0, id)", ["'bucket(0, id)'", "bucket(n, column)"]),
    (TABLES_FILE, 0, "partition_by", "bucket(id)", ["'bucket(id)'", "bucket(n, column)"]),
    (TABLES_FILE, 0, "partition_by", "id;id", ["'id' twice"]),
    (TABLES_FILE, 0, "partition_by", "days(day)", ["'day'", "id, sold_at"]),
    (TABLES_FILE, 0, "table_properties", "write.merge", ["'write.merge'", "key=value"]),
    (TABLES_FILE, 0, "table_properties", "a=1;a=2", ["'a' twice"]),
    (TABLES_FILE, 0, "table_properties", "write.merge.mode=copy-on-write", ["'write.merge.mode'", "write_mode"]),
    *(
        (TABLES_FILE, 0, "lag_limit_minutes", text, [f"'{text}'", "minutes from 1"])
        for text in ("0", "-5", "1.5", "1h")
    ),
    (TABLES_FILE, 0, "owner", " me", ["' me'", "Remove the spaces"]),
    (COLUMNS_FILE, 0, "position", "", ["nothing", "a whole number from 1"]),
    (COLUMNS_FILE, 0, "position", "0", ["'0'", "a whole number from 1"]),
    (COLUMNS_FILE, 1, "position", "1", ["1 again", "each position"]),
    (COLUMNS_FILE, 1, "position", "3", ["3 after 1", "without gaps"]),
    (COLUMNS_FILE, 0, "position", "3", ["2 first", "without gaps"]),
    (COLUMNS_FILE, 1, "column_name", "", ["nothing", "Fill in column_name"]),
    (COLUMNS_FILE, 1, "column_name", "ID", ["'ID' again, first in line 2"]),
    (COLUMNS_FILE, 0, "data_type", "money", ["'money'", "decimal(p,s)"]),
    (COLUMNS_FILE, 0, "data_type", "varchar", ["'varchar'", "varchar(n)"]),
    (COLUMNS_FILE, 0, "data_type", "decimal(39,2)", ["'decimal(39,2)'", "from 1 to 38"]),
    (COLUMNS_FILE, 0, "data_type", "decimal(4,5)", ["'decimal(4,5)'", "from 0 to p"]),
    (COLUMNS_FILE, 2, "data_type", "", ["nothing", "Only parquet files carry types"]),
    (COLUMNS_FILE, 0, "encoding", "us", ["'us'", "nothing: only messages of connector debezium"]),
    (COLUMNS_FILE, 0, "optional", "", ["nothing", "true or false"]),
    (COLUMNS_FILE, 2, "optional", "true", ["true, but position 2 is obligatory", "at the end"]),
]


@pytest.mark.parametrize(("file", "row", "column", "value", "words"), MISTAKES)
def test_each_mistake_is_found_placed_and_explained(
    tmp_path: Path, file: str, row: int, column: str, value: str, words: list[str]
) -> None:
    seeds = good_seeds()
    seeds[file][row][column] = value

    problems = [problem for problem in problems_of(write_seeds(tmp_path, seeds)) if problem.file == f"seeds/{file}"]

    matching = [
        problem for problem in problems if problem.column == column and all(word in str(problem) for word in words)
    ]
    assert len(matching) == 1, "\n".join(map(str, problems))
    # A wrong position may only show in the row after it.
    assert matching[0].row == row + 2 or column == "position"


TRUNCATES = {
    (FEEDS_FILE, 0): {"options": "change_sequence_column=seq"},
    (TABLES_FILE, 0): {"vanished_files": "truncate"},
}
OLD_NAME = {(FEEDS_FILE, 0): {"options": "timestamp_column=ts"}, (TABLES_FILE, 0): {"renamed_columns": "ts=sold_at"}}
# cells of rows of good_seeds(), a row behind them is new; where the only problem is, and what it has to show
COMBINATIONS = {
    "a target that is another table's default name": (
        {(TABLES_FILE, 1): {"target_table": "shop__item"}},
        (TABLES_FILE, 3, "target_table", ""),
    ),
    "a table that is there twice is no matter of its target": (
        {(TABLES_FILE, 2): good_seeds()[TABLES_FILE][0] | {"target_table": "other"}},
        (TABLES_FILE, 4, "source_table", "shop.item of feed shop again, first in line 2"),
    ),
    "mode history needs a key": (
        {(TABLES_FILE, 0): {"mode": "history", "primary_key": ""}},
        (TABLES_FILE, 2, "primary_key", ""),
    ),
    "an old name is not the timestamp column": (
        OLD_NAME,
        (TABLES_FILE, 2, "renamed_columns", "'ts', which is the timestamp_column of the feed"),
    ),
    "truncates have no change sequence": (
        TRUNCATES,
        (TABLES_FILE, 2, "vanished_files", "found 'truncate', though feed shop has change_sequence_column"),
    ),
    "the timestamp column is not a column of the source": (
        {(FEEDS_FILE, 0): {"options": "timestamp_column=Sold_At"}},
        (COLUMNS_FILE, 3, "column_name", "timestamp_column of feed shop"),
    ),
    "a bad position is one problem": (
        {(COLUMNS_FILE, 0): {"position": "first"}},
        (COLUMNS_FILE, 2, "position", "'first'"),
    ),
}


@pytest.mark.parametrize(("cells", "expected"), COMBINATIONS.values(), ids=COMBINATIONS)
def test_a_mistake_of_cells_together_is_one_problem(tmp_path: Path, cells: Any, expected: Any) -> None:
    seeds = good_seeds()
    for (file, row), values in cells.items():
        seeds[file][row:] = [{**dict(*seeds[file][row : row + 1]), **values}, *seeds[file][row + 1 :]]

    (problem,) = problems_of(write_seeds(tmp_path, seeds))

    file, row, column, words = expected
    assert (problem.file, problem.row, problem.column) == (f"seeds/{file}", row, column)
    assert words in str(problem)


OF_MESSAGES = [
    ("dms_kafka", "", {"before_image_field": "before-image", "before_image_prefix": ""}),
    (
        "dms_kafka",
        "before_image_field=old values;before_image_prefix=BI_;absent_columns=keep",
        {"before_image_field": "old values", "before_image_prefix": "BI_"},
    ),
    ("dms_kafka", "before_image_field=", "before_image_field=; accepted: the FieldName"),
    ("dms_kafka", "before_image_field=Data", "before_image_field=Data; accepted: the FieldName"),
    ("dms_kafka", "before_image_prefix=", "before_image_prefix=; accepted: the first letters"),
    ("dms_kafka", "time_zone=UTC", "the option 'time_zone'"),
    ("dms_kafka", "file_names=[", "file_names=[; accepted: a regular expression that Python and Java read"),
    ("dms_kafka", "file_names=(?P<name>x)", "file_names=(?P<name>x); accepted: a regular expression"),
    ("dms_kafka", "file_names=", "file_names=; accepted: a regular expression"),
    ("maxwell", "", {}),
    ("canal", "", {"time_zone": "UTC", "members": "auto"}),
    ("canal", "time_zone=Asia/Shanghai;members=names", {"time_zone": "Asia/Shanghai", "members": "names"}),
    ("canal", "time_zone=Asia", "time_zone=Asia; accepted: the name of a time zone"),
    ("canal", "time_zone=Shanghai", "time_zone=Shanghai; accepted: the name of a time zone"),
    ("canal", "time_zone=", "time_zone=; accepted: the name of a time zone"),
    (
        "debezium",
        "",
        {
            # Nothing is assumed of how a message without a schema writes its values.
            **{"form": "envelope", "decimals": "", "binary": ""},
            **{"unavailable_value": "__debezium_unavailable_value", "binlog_names": ""},
        },
    ),
    (
        "debezium",
        "form=flattened; decimals=text; binary=hex; unavailable_value=hex:00ff; binlog_names=mysql-bin|binlog",
        {
            **{"form": "flattened", "decimals": "text", "binary": "hex"},
            **{"unavailable_value": "hex:00ff", "binlog_names": "mysql-bin|binlog"},
        },
    ),
    ("debezium", "form=flat", "form=flat; accepted: envelope or flattened"),
    ("debezium", "decimals=double", "decimals=double; accepted: base64 or text or number"),
    ("debezium", "binary=bytes", "binary=bytes; accepted: base64 or base64url or hex"),
    ("debezium", "unavailable_value=", "unavailable_value=; accepted: a text"),
    ("debezium", "delimiter=tab", "the option 'delimiter'"),
]


@pytest.mark.parametrize(("connector", "options", "expected"), OF_MESSAGES)
def test_options_of_contracts_whose_files_hold_messages(
    tmp_path: Path, connector: str, options: str, expected: dict[str, str] | str
) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1] |= {"connector": connector, "format": "json", "options": options}
    folder = write_seeds(tmp_path, seeds)

    if isinstance(expected, str):
        (problem,) = problems_of(folder)
        assert expected in str(problem)
    else:
        assert dict(load_metadata(folder).feed("people").options.of_messages) == expected


ENCODINGS = [
    ("timestamp", "ms", ""),
    ("timestamp_ntz", "us", ""),
    ("timestamp_ntz", "ns", ""),
    ("date", "days", ""),
    ("date", "ms", ""),
    ("bigint", "bits", ""),
    ("decimal(20,0)", "bits", ""),
    ("timestamp", "days", "'days'; accepted: for timestamp: ms or us or ns"),
    ("date", "bits", "'bits'; accepted: for date: days or ms or us or ns"),
    ("int", "ms", "'ms'; accepted: for int: bits"),
    ("decimal(20,2)", "bits", "'bits'; accepted: for decimal(20,2): nothing"),
    ("string", "us", "'us'; accepted: for string: nothing"),
    ("timestamp", "seconds", "'seconds'; accepted: ms or us or ns or days or bits"),
]


@pytest.mark.parametrize(("data_type", "encoding", "mistake"), ENCODINGS)
def test_an_encoding_is_one_that_its_type_can_have(tmp_path: Path, data_type: str, encoding: str, mistake: str) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1] |= {"connector": "debezium", "format": "json", "options": ""}
    seeds[COLUMNS_FILE][4] |= {"data_type": data_type, "encoding": encoding}
    folder = write_seeds(tmp_path, seeds)

    if mistake:
        (problem,) = problems_of(folder)
        assert (problem.column, mistake in str(problem)) == ("encoding", True), problem
    else:
        (table,) = (table for table in load_metadata(folder).tables if table.feed == "people")
        assert [column.encoding for column in table.columns] == ["", "", encoding]


def test_seeds_that_are_older_than_a_cell_are_read_without_it(tmp_path: Path) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    drop_column(folder / COLUMNS_FILE, "encoding")

    assert {column.encoding for table in load_metadata(folder).tables for column in table.columns} == {""}


def test_mode_append_has_no_key_and_nothing_that_needs_one(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0] |= {"mode": "append", "key_comparison": "ignore_case", "unchanged_rows": "skip"}

    problems = problems_of(write_seeds(tmp_path, seeds))

    assert [problem.column for problem in problems] == ["primary_key", "key_comparison", "unchanged_rows"]
    assert "found 'id'; accepted: nothing with mode append" in str(problems[0])


@pytest.mark.parametrize(("data_type", "problems"), [("varchar(8)", 0), ("int", 1)])
def test_only_a_key_with_text_can_be_compared_without_case(tmp_path: Path, data_type: str, problems: int) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][1]["key_comparison"] = "ignore_case"
    seeds[COLUMNS_FILE][3]["data_type"] = data_type
    folder = write_seeds(tmp_path, seeds)

    if not problems:
        assert load_metadata(folder).tables[0].key_comparison == ("ignore_case",)
    else:
        (problem,) = problems_of(folder)
        assert "'ignore_case' for a key of int, int" in str(problem)


def test_the_types_of_a_key_that_nobody_named_may_be_text(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0]["key_comparison"] = "ignore_case"

    assert load_metadata(write_seeds(tmp_path, seeds)).tables[1].key_comparison == ("ignore_case",)


def test_without_a_header_a_change_sequence_needs_a_position(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["options"] = "change_sequence_column=Seq"
    folder = write_seeds(tmp_path, seeds)

    (problem,) = problems_of(folder)

    assert "found no columns Seq, though feed people has change_sequence_column and no header" in str(problem)
    seeds[COLUMNS_FILE].append({**seeds[COLUMNS_FILE][4], "position": "4", "column_name": "seq"})
    assert load_metadata(write_seeds(tmp_path, seeds)).feed("people").options.is_added("SEQ")


def test_without_a_header_before_images_need_a_position(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["options"] = "before_image_prefix=BI_"
    seeds[COLUMNS_FILE].append({**seeds[COLUMNS_FILE][4], "position": "4", "column_name": "BI_ID", "data_type": "int"})
    folder = write_seeds(tmp_path, seeds)

    (problem,) = problems_of(folder)

    assert (problem.file, problem.row, problem.column) == ("seeds/cdc_tables.csv", 3, "source_table")
    assert "found no columns BI_unit, though feed people has before_image_prefix and no header" in str(problem)
    seeds[FEEDS_FILE][1]["options"] += ";header=true"
    options = load_metadata(write_seeds(tmp_path, seeds)).feed("people").options
    assert (options.is_before_image("BI_id"), options.is_before_image("bi_score")) == (True, False)


@pytest.mark.parametrize("location", ["s3a://bucket/shop", "/mnt/landing/people", "shopping"])
def test_locations_elsewhere_do_not_overlap(tmp_path: Path, location: str) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["location"] = location

    assert load_metadata(write_seeds(tmp_path, seeds)).feed("people").location == location


def test_rows_that_lean_on_unknown_feeds_and_tables_are_found(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0]["feed"] = "shoppe"

    lines = [str(problem) for problem in problems_of(write_seeds(tmp_path, seeds))]

    assert any(
        "cdc_tables.csv line 2, column feed: found 'shoppe'" in line and "people, shop" in line for line in lines
    )
    assert any("cdc_columns.csv line 2, column source_table: found shop.item of feed shop" in line for line in lines)


def test_columns_of_an_unknown_feed_are_found(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[COLUMNS_FILE][0]["feed"] = "shoppe"

    places = [(problem.file, problem.row, problem.column) for problem in problems_of(write_seeds(tmp_path, seeds))]

    assert ("seeds/cdc_columns.csv", 2, "feed") in places


def test_a_csv_table_needs_its_columns_and_a_parquet_table_none(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[COLUMNS_FILE] = seeds[COLUMNS_FILE][:2]
    (problem,) = problems_of(write_seeds(tmp_path / "csv", seeds))
    assert (problem.file, problem.row, problem.column) == ("seeds/cdc_tables.csv", 3, "source_table")
    assert "no columns of hr.staff" in str(problem)

    seeds = good_seeds()
    seeds[COLUMNS_FILE] = seeds[COLUMNS_FILE][2:]

    assert load_metadata(write_seeds(tmp_path, seeds)).tables[1].columns == ()


def test_mode_append_needs_no_key(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0] |= {"mode": "append", "primary_key": ""}

    assert load_metadata(write_seeds(tmp_path, seeds)).tables[1].primary_key == ()


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("feed,connector,format,location,options", ["missing columns: description"]),
        ("feed,connector,format,location,options,description,colour", ["unknown columns: colour"]),
        ("feed,feed,connector,format,location,options,description", ["repeated columns: feed"]),
    ],
)
def test_a_wrong_header_is_one_problem_and_blames_no_row(tmp_path: Path, header: str, words: list[str]) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    (folder / FEEDS_FILE).write_text(header + "\nshop\n", encoding="utf-8")

    (problem,) = problems_of(folder)

    assert (problem.file, problem.row) == ("seeds/cdc_feeds.csv", 1)
    assert all(word in str(problem) for word in words)


def test_columns_of_the_header_may_stand_in_any_order(tmp_path: Path) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    (folder / FEEDS_FILE).write_text(
        "description,feed,format,connector,options,location\n,shop,parquet,dms,,shop\n,people,csv,dms,,people\n",
        encoding="utf-8",
    )

    assert load_metadata(folder).feed("people").format == "csv"


@pytest.mark.parametrize("name", list(HEADERS))
def test_a_missing_file_is_one_problem(tmp_path: Path, name: str) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    (folder / name).unlink()

    (problem,) = problems_of(folder)

    assert problem.file == f"seeds/{name}"
    assert ",".join(HEADERS[name]) in str(problem)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["an empty file"]),
        (b"feed\xff", ["not UTF-8 at offset 4"]),
        (b'feed\n"shop', ["line 2", "not CSV"]),
    ],
)
def test_a_file_that_is_no_csv_is_one_problem(tmp_path: Path, content: bytes, words: list[str]) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    (folder / FEEDS_FILE).write_bytes(content)

    (problem,) = problems_of(folder)

    assert all(word in str(problem) for word in words)


@pytest.mark.parametrize(("name", "place"), [(FEEDS_FILE, 1), (TABLES_FILE, 3), (COLUMNS_FILE, 3)])
@pytest.mark.parametrize("change", [1, -1])
def test_a_row_with_too_many_or_too_few_fields_is_one_problem(
    tmp_path: Path, name: str, place: int, change: int
) -> None:
    folder = write_seeds(tmp_path, good_seeds())
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    cells = lines[1].split(",")
    # In the middle, so that all values after it are in the wrong place and would be problems of their own.
    cells[place : place + 1] = ["x", "y"] if change > 0 else []
    (folder / name).write_text("\n".join([lines[0], ",".join(cells), *lines[2:]]) + "\n", encoding="utf-8")

    (problem,) = problems_of(folder)

    fields = len(HEADERS[name])
    assert (problem.file, problem.row) == (f"seeds/{name}", 2)
    assert f"found {fields + change} fields; accepted: {fields} fields" in str(problem)


def test_rows_after_a_value_of_several_lines_keep_their_line(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][0]["description"] = "first\nsecond\nthird"
    seeds[FEEDS_FILE][1]["format"] = "xml"

    assert problems_of(write_seeds(tmp_path, seeds))[0].row == 5


def test_all_problems_come_in_one_list_with_their_counts_first(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[FEEDS_FILE][0]["connector"] = "dsm"
    seeds[TABLES_FILE][0]["delete_mode"] = "purge"
    seeds[TABLES_FILE][1]["active"] = "perhaps"
    seeds[COLUMNS_FILE][0]["optional"] = "perhaps"

    with pytest.raises(MetadataError) as caught:
        load_metadata(write_seeds(tmp_path, seeds))

    head, *lines = str(caught.value).splitlines()
    assert head == (
        "4 problems in the metadata (seeds/cdc_columns.csv: 1, seeds/cdc_feeds.csv: 1, seeds/cdc_tables.csv: 2)"
    )
    assert lines[2] == (
        "  seeds/cdc_tables.csv line 2, column delete_mode: found 'purge'; accepted: hard or soft. "
        "Write one of these words."
    )
    assert len(lines) == len(caught.value.problems) == 4


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_deleted", "source__deleted"),
        ("_FILE", "source__FILE"),
        ("_cdc_x", "source__cdc_x"),
        ("source__deleted", "source_source__deleted"),
        ("source_x", "source_x"),
        ("deleted", "deleted"),
        ("_deleted_at", "_deleted_at"),
    ],
)
def test_a_reserved_name_gets_another_one_and_no_two_names_meet(name: str, expected: str) -> None:
    assert (table_name(name), file_name(expected)) == (expected, name)


def test_a_name_of_a_table_goes_back_to_that_of_the_source() -> None:
    for name in (*RESERVED_NAMES, "_CDC_Sequence", "Source_source__pos", "source_", "source_a"):
        assert file_name(table_name(name)) == name


def test_reserved_names_are_mapped_wherever_the_metadata_names_a_column(tmp_path: Path) -> None:
    seeds = good_seeds()
    for row in seeds[COLUMNS_FILE]:
        row["column_name"] = row["column_name"].replace("sold_at", "_pos")
    for row in seeds[TABLES_FILE]:
        row.update({key: value.replace("sold_at", "_pos") for key, value in row.items() if isinstance(value, str)})
    seeds[TABLES_FILE][0]["renamed_columns"] = "_file=_pos"
    seeds_dir = write_seeds(tmp_path, seeds)
    table = next(table for table in load_metadata(seeds_dir).tables if table.renamed_columns)
    assert table.renamed_columns == (("source__file", "source__pos"),)
    assert "source__pos" in [column.name for column in table.columns]
    assert "source__pos" in [part.column for part in table.partition_by]
