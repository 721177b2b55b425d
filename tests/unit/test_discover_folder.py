"""Reads of `make discover` from landing folders, as DMS writes them and as it should not."""

from __future__ import annotations

import gzip
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_udfs.discover import folder
from python_udfs.discover.folder import read_folder
from python_udfs.errors import UsageError
from python_udfs.metadata import FeedOptions
from python_udfs.sample_data.dms_writer import Change, Column, DmsTask, SourceTable

AT = datetime(2024, 1, 31, 23, 0)
ITEM = SourceTable(
    "shop",
    "item",
    (
        Column("id", pa.int64()),
        Column("name", pa.string()),
        Column("price", pa.decimal128(10, 2)),
        Column("sold", pa.date32()),
        Column("seen", pa.timestamp("us")),
    ),
    ("id",),
)
ROWS = [
    {"id": 1, "name": "Pen", "price": Decimal("1.50"), "sold": date(2024, 1, 1), "seen": datetime(2024, 1, 1, 2, 3)},
    {"id": 2, "name": "I", "price": None, "sold": None, "seen": None},
]
NAMED = [
    ("id", "bigint"),
    ("name", "string"),
    ("price", "decimal(10,2)"),
    ("sold", "date"),
    ("seen", "timestamp_ntz"),
]
# Texts do not distinguish a decimal from other numbers that have a point.
GUESSED = [(name, data_type if name != "price" else "string") for name, data_type in NAMED]
UNNAMED = [(f"column_{place}", data_type) for place, (_, data_type) in enumerate(GUESSED, start=1)]


def land(root, table=ITEM, load=ROWS, changes=ROWS, **settings):
    task = DmsTask(root, **settings)
    if load:
        task.full_load(table, load, AT)
    if changes:
        task.changes(table, [Change("U", row, AT) for row in changes], AT)


def columns(source, table=0):
    return [(column.name, column.data_type) for column in source.tables[table].columns]


def warned(source, label):
    everything = [*source.warned, *(warning for table in source.tables for warning in table.warned)]
    return [warning.detail for warning in everything if warning.label == label]


def parquet(path, data, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(data), path, **options)


def text(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


# Layout of the rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({}, {}),
        ({"timestamp_column_name": "ts"}, {"timestamp_column": "ts"}),
        ({"include_op_for_full_load": True}, {"operation_column": "always"}),
        ({"cdc_inserts_only": True}, {"operation_column": "never"}),
        ({"before_image_prefix": "BI_"}, {"before_image_prefix": "BI_"}),
        (
            {"before_image_prefix": "BI_", "timestamp_column_name": "ts", "include_op_for_full_load": True},
            {"before_image_prefix": "BI_", "timestamp_column": "ts", "operation_column": "always"},
        ),
    ],
    ids=str,
)
def test_parquet_tells_names_types_and_options(tmp_path, settings, options):
    changes = () if "cdc_inserts_only" in settings else ROWS
    land(tmp_path, data_format="parquet", changes=changes, **settings)
    if not changes:
        DmsTask(tmp_path, data_format="parquet", **settings).changes(ITEM, [Change("I", ROWS[0], AT)], AT)
    source = read_folder(str(tmp_path), [], [])
    assert (source.format, source.options, columns(source)) == ("parquet", options, NAMED)


@pytest.mark.parametrize(
    ("settings", "options", "wanted"),
    [
        ({}, {}, UNNAMED),
        ({"timestamp_column_name": "ts"}, {"timestamp_column": "dms_timestamp"}, UNNAMED),
        ({"include_op_for_full_load": True}, {"operation_column": "always"}, UNNAMED),
        ({"csv_delimiter": "\t"}, {"delimiter": "tab"}, UNNAMED),
        (
            {"csv_delimiter": ";", "timestamp_column_name": "ts"},
            {"delimiter": "semicolon", "timestamp_column": "dms_timestamp"},
            UNNAMED,
        ),
        ({"compression": "gzip", "add_column_name": True}, {"header": "true"}, GUESSED),
        (
            {"add_column_name": True, "timestamp_column_name": "ts"},
            {"header": "true", "timestamp_column": "ts"},
            GUESSED,
        ),
        (
            {"add_column_name": True, "include_op_for_full_load": True},
            {"header": "true", "operation_column": "always"},
            GUESSED,
        ),
    ],
    ids=str,
)
def test_csv_tells_options_and_types_are_guessed(tmp_path, settings, options, wanted):
    land(tmp_path, **settings)
    source = read_folder(str(tmp_path), [], [])
    assert (source.format, source.options, columns(source)) == ("csv", options, wanted)
    (detail,) = warned(source, "guessed")
    names = [name for name, _ in wanted]
    # An I or a blank is no value of a date: how many values a type is from is said of each.
    assert detail.startswith(f"{names[0]} bigint from ") and f"; {names[3]} date from 2 values; " in detail
    assert detail.endswith("; names are missing, too") is (wanted is UNNAMED)


def test_a_load_alone_does_not_tell_which_files_have_an_operation(tmp_path):
    text(tmp_path / "shop/flag/LOAD00000001.csv", "I,1\nI,2\n")
    source = read_folder(str(tmp_path), [], [])
    assert (source.options, columns(source)) == ({}, [("column_1", "string"), ("column_2", "bigint")])


def test_a_change_file_without_an_operation_means_that_none_has_one(tmp_path):
    text(tmp_path / "shop/item/20240131-230000000.csv", "1,Pen\n")
    assert read_folder(str(tmp_path), [], []).options == {"operation_column": "never"}


def test_a_time_is_of_the_source_where_not_all_files_begin_with_one(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", "2024-01-31 23:00:00.000000,1\n")
    text(tmp_path / "shop/b/LOAD00000001.csv", "1,2024-01-31 23:00:00.000000\n")
    source = read_folder(str(tmp_path), [], [])
    assert (source.options, len(source.tables[0].columns), len(source.tables[1].columns)) == ({}, 2, 2)


def test_a_first_line_of_words_is_a_header_only_if_every_file_has_one(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", "id,name\n1,Pen\n")
    assert read_folder(str(tmp_path), [], []).options == {"header": "true"}
    text(tmp_path / "shop/b/LOAD00000001.csv", "1,Pen\n")
    assert read_folder(str(tmp_path), [], []).options == {}


def test_a_change_whose_values_are_words_is_no_header(tmp_path):
    text(tmp_path / "shop/a/20240131-230000000.csv", "I,Pen\n")
    assert columns(read_folder(str(tmp_path), [], [])) == [("column_1", "string")]


def test_a_first_line_with_a_word_twice_is_no_header(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", "Pen,Pen\nInk,Pen\n")
    assert read_folder(str(tmp_path), [], []).options == {}


def test_times_under_different_names_are_of_the_source(tmp_path):
    for name in ("seen", "sold"):
        parquet(tmp_path / f"shop/{name}/LOAD00000001.parquet", {name: ["2024-01-31 23:00:00"], "id": [1]})
    source = read_folder(str(tmp_path), [], [])
    assert (source.options, columns(source)) == ({}, [("seen", "string"), ("id", "bigint")])


def test_a_record_may_have_several_lines(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", '1,"two\nlines, one value"\n2,"three"\n')
    assert columns(read_folder(str(tmp_path), [], [])) == [("column_1", "bigint"), ("column_2", "string")]


def test_a_record_that_is_not_read_whole_tells_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "BYTES_PER_FILE", 15)
    text(tmp_path / "shop/a/LOAD00000001.csv", "2024-01-31\n2024-02-28\n")
    assert columns(read_folder(str(tmp_path), [], [])) == [("column_1", "date")]


def test_before_images_in_csv_are_columns_of_the_file(tmp_path):
    land(tmp_path, add_column_name=True, before_image_prefix="BI_")
    source = read_folder(str(tmp_path), [], [])
    assert (source.options["before_image_prefix"], columns(source)) == ("BI_", [*GUESSED, ("BI_id", "bigint")])


def test_columns_that_only_newer_files_have_are_optional(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", "1,2\n")
    text(tmp_path / "shop/a/20240131-230000000.csv", "U,1,2,3\n")
    (table,) = read_folder(str(tmp_path), [], []).tables
    assert [column.optional for column in table.columns] == [False, False, True]


def test_before_images_of_the_key_hint_at_the_key(tmp_path):
    land(tmp_path, data_format="parquet", before_image_prefix="BI_")
    assert warned(read_folder(str(tmp_path), [], []), "no key") == ["there are before images of id, probably the key"]


def test_before_images_of_all_columns_hint_at_nothing(tmp_path):
    land(tmp_path, data_format="parquet", before_image_prefix="BI_", before_image_filter="all")
    source = read_folder(str(tmp_path), [], [])
    assert (columns(source), warned(source, "no key")) == (NAMED, ["files show no key"])


@pytest.mark.parametrize("name", ["AR_H_CHANGE_SEQ", "dms_change_seq"])
@pytest.mark.parametrize("settings", [{"data_format": "parquet"}, {"add_column_name": True}], ids=str)
def test_a_change_sequence_is_an_option_and_no_column_of_the_source(tmp_path, settings, name):
    land(tmp_path, header_columns=((name, "AR_H_CHANGE_SEQ"),), **settings)
    source = read_folder(str(tmp_path), [], [])
    assert source.options["change_sequence_column"] == source.change_sequence == name
    assert columns(source) == (NAMED if "data_format" in settings else GUESSED)


def test_a_change_sequence_without_a_name_gets_one_and_keeps_its_place(tmp_path):
    land(tmp_path, header_columns=(("AR_H_CHANGE_SEQ", "AR_H_CHANGE_SEQ"), ("word", "AR_H_OPERATION")))
    source = read_folder(str(tmp_path), [], [])
    assert source.options == {"change_sequence_column": "change_sequence"}
    assert columns(source) == [*UNNAMED, ("change_sequence", "string"), ("column_7", "string")]


def test_a_number_of_the_source_is_no_change_sequence(tmp_path):
    parquet(tmp_path / "shop/a/LOAD00000001.parquet", {"id": [1], "change_sequence": [1]})
    source = read_folder(str(tmp_path), [], [])
    assert (source.options, source.change_sequence) == ({}, None)
    assert columns(source) == [("id", "bigint"), ("change_sequence", "bigint")]


def test_a_feed_that_exists_decides_how_its_files_are_read(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", "id|name\n1|Pen\n")
    options = FeedOptions(delimiter="|", header=True, operation_column="never")
    source = read_folder(str(tmp_path), [], [], format="csv", options=options)
    assert (source.options, columns(source)) == ({}, [("id", "bigint"), ("name", "string")])


# Types ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (pa.bool_(), "boolean"),
        (pa.int8(), "tinyint"),
        (pa.uint8(), "smallint"),
        (pa.uint32(), "bigint"),
        (pa.uint64(), "decimal(20,0)"),
        (pa.float32(), "float"),
        (pa.decimal128(38, 10), "decimal(38,10)"),
        (pa.timestamp("ms", tz="UTC"), "timestamp"),
        (pa.timestamp("ns"), "string"),
        (pa.binary(), "binary"),
        (pa.large_binary(), "binary"),
        (pa.large_string(), "string"),
        (pa.dictionary(pa.int32(), pa.string()), "string"),
    ],
    ids=str,
)
def test_types_of_parquet_are_those_spark_reads(tmp_path, kind, wanted):
    parquet(tmp_path / "shop/a/LOAD00000001.parquet", {"c": pa.array([None], kind)})
    source = read_folder(str(tmp_path), [], [])
    assert (columns(source), warned(source, "unknown type")) == ([("c", wanted)], [])


@pytest.mark.parametrize("kind", [pa.time32("ms"), pa.list_(pa.int32()), pa.decimal256(50, 2), pa.binary(16)], ids=str)
def test_types_of_parquet_without_a_match_are_left_to_the_files_and_reported(tmp_path, kind):
    # A type in the seed binds: string would make text of bytes.
    parquet(tmp_path / "shop/a/LOAD00000001.parquet", {"c": pa.array([None], kind)})
    source = read_folder(str(tmp_path), [], [])
    assert columns(source) == [("c", "")]
    (detail,) = warned(source, "unknown type")
    assert detail.startswith("c ")


def test_a_type_that_loses_values_of_an_earlier_file_is_left_to_the_files(tmp_path):
    parquet(tmp_path / "shop/a/LOAD00000001.parquet", {"c": pa.array([2**53 + 1], pa.int64())})
    parquet(tmp_path / "shop/a/20240131-230000000.parquet", {"Op": ["U"], "c": [0.5]})
    source = read_folder(str(tmp_path), [], [])
    assert columns(source) == [("c", "")]
    assert len(warned(source, "unknown type")) == 1


def test_types_of_all_files_are_widened_by_name_and_the_newest_file_gives_the_order(tmp_path):
    parquet(tmp_path / "shop/a/LOAD00000001.parquet", {"gone": ["x"], "id": pa.array([1], pa.int32())})
    parquet(tmp_path / "shop/a/20240131-230000000.parquet", {"Op": ["U"], "ID": [1], "more": [1.5]})
    assert columns(read_folder(str(tmp_path), [], [])) == [("ID", "bigint"), ("more", "double"), ("gone", "string")]


def test_types_that_do_not_fit_together_become_string_and_are_reported(tmp_path):
    parquet(tmp_path / "shop/a/LOAD00000001.parquet", {"c": [1]})
    parquet(tmp_path / "shop/a/20240131-230000000.parquet", {"Op": ["U"], "c": ["x"]})
    source = read_folder(str(tmp_path), [], [])
    assert (columns(source), warned(source, "unknown type")) == ([("c", "string")], ["c string and int64"])


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["1", "-20", ""], "bigint"),
        (["007"], "string"),
        (["1234567890123456789"], "string"),
        (["1.5"], "string"),
        (["2024-01-31", "NULL"], "date"),
        (["2024-01-31 10:00:00"], "timestamp_ntz"),
        (["NULL", "NULL"], "string"),
        # A text that is no value of the type as a whole, or would lose something, leaves the column text.
        (["-0"], "string"),
        (["1", "0049"], "string"),
        (["2024-01-31", "0000-00-00"], "string"),
        (["2024-02-30"], "string"),
        (["2024-01-31 10:00:00", "0000-00-00 00:00:00"], "string"),
        (["2024-01-31 24:00:00"], "string"),
        (["2024-01-31 10:00:00.123456789"], "string"),
        (["2024-01-31", "2024-01-31 10:00:00"], "string"),
    ],
    ids=str,
)
def test_types_of_csv_are_guessed_with_care(tmp_path, values, wanted):
    text(tmp_path / "shop/a/LOAD00000001.csv", "".join(f"x,{value}\n" for value in values))
    assert columns(read_folder(str(tmp_path), [], []))[1] == ("column_2", wanted)


def test_zero_dates_make_a_column_text_and_are_warned_of(tmp_path):
    text(tmp_path / "shop/a/LOAD00000001.csv", "2024-01-31,0000-00-00,a\n0000-00-00,2024-01-31,0000-00-00\n")
    source = read_folder(str(tmp_path), [], [])
    assert [data_type for _, data_type in columns(source)] == ["string"] * 3
    assert warned(source, "zero dates") == ["column_1, column_2, column_3"]
    assert warned(source, "guessed") == ["names are missing, too"]


# Files ---------------------------------------------------------------------------------------------------------------


def test_other_files_are_left_alone(tmp_path):
    land(tmp_path, data_format="parquet")
    for name in ("shop/awsdms_status/LOAD00000001.parquet", "shop/item/part-0.parquet", "LOAD00000001.parquet"):
        text(tmp_path / name, "x")
    text(tmp_path / "s3_validation_failures/shop/LOAD00000001.parquet", "x")
    text(tmp_path / "shop/none/LOAD00000001.parquet", "")
    source = read_folder(str(tmp_path), [], [])
    assert ([table.full_name for table in source.tables], warned(source, "unreadable")) == (["shop.item"], [])


def test_files_in_folders_of_dates_and_segments_belong_to_their_table(tmp_path):
    parquet(tmp_path / "shop/item/p1/SEGMENT2_LOAD0000000A.parquet", {"id": [1]})
    parquet(tmp_path / "shop/item/2024/01/31/20240131-2300000000.parquet", {"Op": ["I"], "id": [1], "new": [1]})
    assert columns(read_folder(str(tmp_path), [], [])) == [("id", "bigint"), ("new", "bigint")]


def test_a_gzipped_parquet_file_is_read(tmp_path):
    parquet(tmp_path / "plain.parquet", {"id": [1]})
    (tmp_path / "shop/a").mkdir(parents=True)
    (tmp_path / "shop/a/LOAD00000001.parquet.gz").write_bytes(gzip.compress((tmp_path / "plain.parquet").read_bytes()))
    assert columns(read_folder(str(tmp_path), [], [])) == [("id", "bigint")]


@pytest.mark.parametrize("name", ["LOAD00000002.parquet", "LOAD00000002.parquet.gz"])
def test_a_file_that_cannot_be_read_is_reported_and_the_others_are_read(tmp_path, name):
    land(tmp_path, data_format="parquet")
    text(tmp_path / "shop/item" / name, "no parquet")
    source = read_folder(str(tmp_path), [], [])
    assert (columns(source), warned(source, "unreadable")) == (NAMED, [f"shop/item/{name}"])


def test_the_first_and_the_last_files_are_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "FILES_PER_KIND", 3)
    for number in range(1, 8):
        parquet(tmp_path / f"shop/a/LOAD0000000{number}.parquet", {f"c{number}": [1]})
    assert [name for name, _ in columns(read_folder(str(tmp_path), [], []))] == ["c7", "c6", "c1"]


def test_a_table_without_a_load_is_reported(tmp_path):
    land(tmp_path, data_format="parquet", load=None)
    assert warned(read_folder(str(tmp_path), [], []), "no full load") == [""]


def test_files_of_another_format_and_transaction_files_are_reported(tmp_path):
    land(tmp_path, data_format="parquet")
    text(tmp_path / "shop/staff/LOAD00000001.csv", "1\n")
    text(tmp_path / "txn/CDC_TXN-20240131230000000.csv", "I,item,shop,1\n")
    source = read_folder(str(tmp_path), [], [])
    assert [table.name for table in source.tables] == ["item"]
    assert warned(source, "two formats") == ["1 files"]
    assert warned(source, "transaction files") == ["1 files, first txn/CDC_TXN-20240131230000000.csv"]


def test_a_folder_can_be_given_as_a_uri(tmp_path):
    land(tmp_path, data_format="parquet")
    assert columns(read_folder(f"file://{tmp_path}", ["shop"], ["ite_"])) == NAMED


@pytest.mark.parametrize(
    ("files", "schemas", "tables", "format", "message"),
    [
        ([], [], [], None, "has no files of tables; expected files such as <schema>/<table>/LOAD00000001.parquet"),
        (["t/CDC_TXN-20240131230000000.csv"], [], [], None, "no files of tables but 1 transaction files"),
        (["shop/a/LOAD00000001.csv"], ["shop", "hr"], [], None, "has no schema 'hr'; there are: shop"),
        (["shop/a/LOAD00000001.csv"], [], ["b%"], None, "is like b%"),
        (["shop/a/LOAD00000001.csv"], [], [], "parquet", "the feed reads parquet files, and"),
    ],
)
def test_a_folder_without_what_was_asked_for_is_reported(tmp_path, files, schemas, tables, format, message):
    for name in files:
        text(tmp_path / name, "1\n")
    with pytest.raises(UsageError, match=message):
        read_folder(str(tmp_path), schemas, tables, format=format)
