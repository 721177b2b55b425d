"""The writer of DMS output against docs/feeds/dms_format.md: names, layouts, values, repeatability."""

from __future__ import annotations

import gzip
import hashlib
import re
import time
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_udfs.sample_data import dms_writer
from python_udfs.sample_data.dms_writer import Change, Column, DmsTask, SourceTable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WRITTEN_AT = datetime(2024, 1, 31, 23, 59, 58, 7_000, tzinfo=timezone.utc)
COMMITTED_AT = datetime(2024, 1, 31, 23, 59, 1, 250_000, tzinfo=timezone.utc)
TABLE = SourceTable("shop", "item", (Column("id", pa.int32()), Column("name", pa.string())), ("id",))
INSERT = Change("I", {"id": 1, "name": "a"}, COMMITTED_AT)
UPDATE = Change("U", {"id": 1, "name": "b"}, COMMITTED_AT)
DELETE = Change("D", {"id": 1, "name": "b"}, COMMITTED_AT)


def items(count: int) -> list[dict[str, Any]]:
    return [{"id": number, "name": f"item {number}"} for number in range(1, count + 1)]


def names(files: list[Path]) -> list[str]:
    return [file.name for file in files]


def one_value(tmp_path: Path, type_: pa.DataType, value: Any, **settings: Any) -> str:
    """The text of the only field of a one-row CSV file."""
    table = SourceTable("s", "t", (Column("c", type_),))
    (file,) = DmsTask(tmp_path, **settings).full_load(table, [{"c": value}], WRITTEN_AT)
    text = file.read_bytes().decode()
    assert text.endswith("\n")
    return text[:-1]


# Names (docs/feeds/dms_format.md, Names of files)


def test_load_files_count_in_hexadecimal(tmp_path: Path) -> None:
    files = DmsTask(tmp_path).full_load(TABLE, items(17), WRITTEN_AT, rows_per_file=1)
    assert all(re.match(r"^(?:SEGMENT\d+_)?LOAD([0-9A-F]{5,8})\.", name) for name in names(files))
    assert names(files)[8:17] == [
        "LOAD00000009.csv",
        "LOAD0000000A.csv",
        "LOAD0000000B.csv",
        "LOAD0000000C.csv",
        "LOAD0000000D.csv",
        "LOAD0000000E.csv",
        "LOAD0000000F.csv",
        "LOAD00000010.csv",
        "LOAD00000011.csv",
    ]
    assert files[0].parent == tmp_path / "shop" / "item"


def test_change_files_are_named_by_write_time_in_milliseconds(tmp_path: Path) -> None:
    files = DmsTask(tmp_path).changes(TABLE, [INSERT, UPDATE, DELETE], WRITTEN_AT, rows_per_file=1)
    assert all(re.match(r"^(\d{8})-(\d{6,12})\.", name) for name in names(files))
    assert names(files) == ["20240131-235958007.csv", "20240201-000058007.csv", "20240201-000158007.csv"]


@pytest.mark.parametrize(
    ("delimiter", "sequence", "folder"),
    [
        (None, "YYYYMMDD", "."),
        ("SLASH", "YYYYMMDD", "2024/01/31"),
        ("DASH", "YYYYMMDD", "2024-01-31"),
        ("UNDERSCORE", "YYYYMMDD", "2024_01_31"),
        ("NONE", "YYYYMMDD", "20240131"),
        ("SLASH", "YYYYMMDDHH", "2024/01/31/23"),
        ("SLASH", "YYYYMM", "2024/01"),
        ("DASH", "MMYYYYDD", "01-2024-31"),
        ("NONE", "DDMMYYYY", "31012024"),
    ],
)
def test_date_folders(tmp_path: Path, delimiter: Any, sequence: Any, folder: str) -> None:
    task = DmsTask(tmp_path, date_partition_delimiter=delimiter, date_partition_sequence=sequence)
    (file,) = task.changes(TABLE, [INSERT], WRITTEN_AT)
    assert file == tmp_path / "shop" / "item" / folder / "20240131-235958007.csv"
    (load,) = task.full_load(TABLE, items(1), WRITTEN_AT)
    assert load.parent == tmp_path / "shop" / "item", "full loads are not date-partitioned"


def test_the_time_zone_moves_folder_and_name_but_no_value(tmp_path: Path) -> None:
    task = DmsTask(
        tmp_path,
        date_partition_delimiter="DASH",
        date_partition_timezone="Asia/Tokyo",
        timestamp_column_name="ts",
    )
    (file,) = task.changes(TABLE, [INSERT], WRITTEN_AT)
    assert file.relative_to(tmp_path / "shop" / "item").as_posix() == "2024-02-01/20240201-085958007.csv"
    assert file.read_text() == "I,2024-01-31 23:59:01.250000,1,a\n"
    assert file.stat().st_mtime_ns == int(WRITTEN_AT.timestamp() * 1000) * 1_000_000


def test_an_empty_table_has_no_folder(tmp_path: Path) -> None:
    assert DmsTask(tmp_path).full_load(TABLE, [], WRITTEN_AT) == []
    assert list(tmp_path.iterdir()) == []


# Layout (docs/feeds/dms_format.md, Row layout)

MATRIX = [
    # (IncludeOpForFullLoad, CdcInsertsOnly, CdcInsertsAndUpdates), Op of the load row, Op of the change rows
    ((False, False, False), None, ["I", "U", "D"]),
    ((True, False, False), "I", ["I", "U", "D"]),
    ((True, True, False), "I", ["I"]),
    ((False, True, False), None, [None]),
    ((True, False, True), "I", ["I", "U"]),
    ((False, False, True), None, ["I", "U"]),
]


@pytest.mark.parametrize(("settings", "load", "changes"), MATRIX)
@pytest.mark.parametrize("data_format", ["csv", "parquet"])
def test_op_is_there_when_the_settings_say_so(
    tmp_path: Path,
    data_format: Any,
    settings: tuple[bool, bool, bool],
    load: str | None,
    changes: list[str | None],
) -> None:
    task = DmsTask(
        tmp_path,
        data_format=data_format,
        include_op_for_full_load=settings[0],
        cdc_inserts_only=settings[1],
        cdc_inserts_and_updates=settings[2],
    )

    def operations(file: Path) -> list[str | None]:
        if data_format == "parquet":
            table = pq.read_table(file)
            return table["Op"].to_pylist() if table.column_names[0] == "Op" else [None] * len(table)
        rows = [line.split(",") for line in file.read_text().splitlines()]
        return [row[0] if len(row) == 1 + len(TABLE.columns) else None for row in rows]

    (load_file,) = task.full_load(TABLE, items(1), WRITTEN_AT)
    (change_file,) = task.changes(TABLE, [INSERT, UPDATE, DELETE], WRITTEN_AT)
    assert (operations(load_file), operations(change_file)) == ([load], changes)


def test_the_timestamp_is_transfer_time_in_loads_and_commit_time_in_changes(tmp_path: Path) -> None:
    task = DmsTask(tmp_path, timestamp_column_name="ts", include_op_for_full_load=True, add_column_name=True)
    (load,) = task.full_load(TABLE, items(1), WRITTEN_AT)
    (change,) = task.changes(TABLE, [UPDATE], WRITTEN_AT)
    assert load.read_text() == "Op,ts,id,name\nI,2024-01-31 23:59:58.007000,1,item 1\n"
    assert change.read_text() == "Op,ts,id,name\nU,2024-01-31 23:59:01.250000,1,b\n"


def test_rows_keep_commit_order_across_files(tmp_path: Path) -> None:
    changes = [Change("U", {"id": 1, "name": str(number)}, COMMITTED_AT) for number in range(7)]
    files = DmsTask(tmp_path).changes(TABLE, changes, WRITTEN_AT, rows_per_file=3)
    assert [len(file.read_text().splitlines()) for file in files] == [3, 3, 1]
    assert [line[-1] for file in files for line in file.read_text().splitlines()] == list("0123456")


@pytest.fixture
def _machine_in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_machine_in_tokyo")
def test_naive_times_are_utc_wherever_the_machine_is(tmp_path: Path) -> None:
    task = DmsTask(tmp_path, timestamp_column_name="ts")
    east = timezone(timedelta(hours=2))
    naive = task.changes(TABLE, [Change("I", {}, datetime(2024, 1, 1, 10))], datetime(2024, 1, 1, 10))
    aware = task.changes(
        TABLE, [Change("I", {}, datetime(2024, 1, 1, 12, tzinfo=east))], datetime(2024, 1, 1, 12, tzinfo=east)
    )
    assert naive == aware
    assert naive[0].read_text() == "I,2024-01-01 10:00:00.000000,NULL,NULL\n"


# Values in CSV (docs/feeds/dms_format.md, Values in CSV)


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (pa.int32(), -7, "-7"),
        (pa.int64(), 9_223_372_036_854_775_807, "9223372036854775807"),
        (pa.string(), "plain text ", "plain text "),
        (pa.decimal128(10, 2), Decimal("0.10"), "0.10"),
        (pa.decimal128(20, 0), Decimal("1E+3"), "1000"),
        (pa.date32(), date(2014, 6, 4), "2014-06-04"),
        (pa.timestamp("us"), datetime(2024, 1, 2, 3, 4, 5), "2024-01-02 03:04:05.000000"),
        (pa.timestamp("us"), datetime(2024, 1, 2, 3, 4, 5, 6), "2024-01-02 03:04:05.000006"),
        (pa.bool_(), True, "true"),
        (pa.float64(), 0.1, "0.1"),
        (pa.binary(), b"\x00\xff", "00ff"),
        (pa.int32(), None, "NULL"),
    ],
)
def test_values_in_csv(tmp_path: Path, type_: pa.DataType, value: Any, text: str) -> None:
    assert one_value(tmp_path, type_, value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a,b", '"a,b"'),
        ('a"b', '"a""b"'),
        ('"', '""""'),
        ("a\nb", '"a\nb"'),
        ("a\rb", '"a\rb"'),
        ("a|b", "a|b"),
        (" a ", " a "),
        ("a'b\\", "a'b\\"),
    ],
)
def test_quotes_stand_only_where_rfc4180_asks_for_them(tmp_path: Path, value: str, text: str) -> None:
    assert one_value(tmp_path, pa.string(), value) == text
    assert one_value(tmp_path, pa.string(), value, rfc4180=False) == value


def test_the_delimiter_of_the_task_decides_what_is_quoted(tmp_path: Path) -> None:
    assert one_value(tmp_path, pa.string(), "a|b", csv_delimiter="|") == '"a|b"'
    assert one_value(tmp_path, pa.string(), "a,b", csv_delimiter="|") == "a,b"
    (file,) = DmsTask(tmp_path, csv_delimiter="|", csv_row_delimiter=";\n").changes(TABLE, [INSERT], WRITTEN_AT)
    assert file.read_text() == "I|1|a;\n"


@pytest.mark.parametrize(
    ("settings", "null", "empty", "word"),
    [
        ({}, "NULL", "", "NULL"),
        ({"csv_quote_ambiguous_text": True}, "NULL", '""', '"NULL"'),
        ({"csv_null_value": "", "csv_quote_ambiguous_text": True}, "", '""', "NULL"),
        ({"csv_null_value": "\\N"}, "\\N", "", "NULL"),
    ],
)
def test_null_empty_text_and_the_word_null(
    tmp_path: Path, settings: dict[str, Any], null: str, empty: str, word: str
) -> None:
    texts = [one_value(tmp_path, pa.string(), value, **settings) for value in (None, "", "NULL")]
    assert texts == [null, empty, word]


# Parquet (docs/feeds/dms_format.md, Parquet types)


def test_parquet_types_and_values(tmp_path: Path) -> None:
    types = {
        "i": pa.int32(),
        "l": pa.int64(),
        "s": pa.string(),
        "n": pa.decimal128(10, 2),
        "d": pa.date32(),
        "t": pa.timestamp("us"),
        "z": pa.timestamp("us", tz="UTC"),
        "b": pa.bool_(),
        "f": pa.float64(),
        "x": pa.binary(),
    }
    row = {
        "i": 1,
        "l": 2**40,
        "s": "å",
        "n": Decimal("1.50"),
        "d": date(2024, 1, 2),
        "t": datetime(2024, 1, 2, 3, 4, 5, 6),
        "z": datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=timezone.utc),
        "b": False,
        "f": 0.5,
        "x": b"\x00",
    }
    table = SourceTable("s", "t", tuple(Column(name, type_) for name, type_ in types.items()))
    task = DmsTask(tmp_path, data_format="parquet", timestamp_column_name="ts")
    (file,) = task.changes(table, [Change("I", row, COMMITTED_AT), Change("I", {}, COMMITTED_AT)], WRITTEN_AT)
    written = pq.read_table(file)
    assert dict(zip(written.column_names, written.schema.types, strict=True)) == {
        "Op": pa.string(),
        "ts": pa.string(),
        **types,
    }
    stamp = "2024-01-31 23:59:01.250000"
    assert written.to_pylist() == [{"Op": "I", "ts": stamp, **row}, {"Op": "I", "ts": stamp, **dict.fromkeys(types)}]


def test_parquet_timestamps_in_milliseconds_leave_the_timestamp_column_alone(tmp_path: Path) -> None:
    table = SourceTable("s", "t", (Column("t", pa.timestamp("us")),))
    task = DmsTask(tmp_path, data_format="parquet", timestamp_column_name="ts", parquet_timestamp_in_millisecond=True)
    (file,) = task.changes(table, [Change("I", {"t": datetime(2024, 1, 1, 0, 0, 0, 1000)}, COMMITTED_AT)], WRITTEN_AT)
    assert pq.read_schema(file).field("t").type == pa.timestamp("ms")
    assert pq.read_table(file)["ts"].to_pylist() == ["2024-01-31 23:59:01.250000"]


# A page starts with its type: 0 is a data page, 3 one of version 2 (compact Thrift, field 1, zigzag).
@pytest.mark.parametrize(
    ("version", "layout"), [("parquet_1_0", ("1.0", b"\x15\x00")), ("parquet_2_0", ("2.6", b"\x15\x06"))]
)
@pytest.mark.parametrize(("compression", "codec"), [("none", "UNCOMPRESSED"), ("gzip", "GZIP")])
def test_parquet_version_codec_and_row_groups(
    tmp_path: Path, version: Any, layout: tuple[str, bytes], compression: Any, codec: str
) -> None:
    task = DmsTask(tmp_path, data_format="parquet", parquet_version=version, compression=compression)
    (file,) = task.full_load(TABLE, items(10_001), WRITTEN_AT)
    metadata = pq.read_metadata(file)
    assert file.name == "LOAD00000001.parquet"
    start = metadata.row_group(0).column(0).data_page_offset
    assert (metadata.format_version, file.read_bytes()[start : start + 2]) == layout
    assert metadata.metadata is None, "readers see parquet types, not what Arrow made of them"
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [10_000, 1]
    assert metadata.row_group(0).column(0).compression == codec


# Repeatability and visibility


@pytest.mark.parametrize("data_format", ["csv", "parquet"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_the_same_arguments_give_the_same_names_bytes_and_times(
    tmp_path: Path, data_format: Any, compression: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(root: Path) -> list[tuple[str, str, int]]:
        task = DmsTask(root, data_format=data_format, compression=compression, timestamp_column_name="ts")
        task.full_load(TABLE, items(50), WRITTEN_AT, rows_per_file=20)
        task.changes(TABLE, [INSERT, UPDATE, DELETE], WRITTEN_AT, rows_per_file=2)
        return sorted(
            (file.relative_to(root).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
            for file in root.rglob("*")
            if file.is_file()
        )

    first = written(tmp_path / "first")
    monkeypatch.setattr("time.time", lambda: 0.0)  # another clock
    assert [name.removeprefix("shop/item/")[:4] for name, _, _ in first] == ["2024", "2024", "LOAD", "LOAD", "LOAD"]
    assert written(tmp_path / "second") == first


def test_gzipped_csv_unpacks_to_the_plain_file(tmp_path: Path) -> None:
    (plain,) = DmsTask(tmp_path / "plain").full_load(TABLE, items(3), WRITTEN_AT)
    (packed,) = DmsTask(tmp_path / "packed", compression="gzip").full_load(TABLE, items(3), WRITTEN_AT)
    assert packed.name == "LOAD00000001.csv.gz"
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_a_file_shows_under_its_name_only_when_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dms_writer.os, "utime", interrupted)
    with pytest.raises(KeyboardInterrupt):
        DmsTask(tmp_path).full_load(TABLE, items(1), WRITTEN_AT)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == [".LOAD00000001.csv.tmp"]


# Reload, resume, truncate, images (docs/feeds/dms_format.md)


@pytest.mark.parametrize(("drop_existing", "left"), [(False, ["old item 2", "old item 3"]), (True, [])])
def test_a_reload_writes_the_same_names_later(tmp_path: Path, drop_existing: bool, left: list[str]) -> None:
    task = DmsTask(tmp_path)
    old = [{"id": row["id"], "name": f"old {row['name']}"} for row in items(3)]
    first = task.full_load(TABLE, old, WRITTEN_AT, rows_per_file=1)
    later = WRITTEN_AT + timedelta(hours=1)
    (again,) = task.full_load(TABLE, items(1), later, rows_per_file=1, drop_existing=drop_existing)
    assert again == first[0]
    assert again.read_text() == "1,item 1\n"
    assert again.stat().st_mtime == later.timestamp()
    assert [file.read_text().strip().split(",")[1] for file in first[1:] if file.exists()] == left


def test_truncate_removes_the_folder_of_its_table_only(tmp_path: Path) -> None:
    task = DmsTask(tmp_path)
    other = SourceTable("shop", "other", TABLE.columns)
    for table in (TABLE, other):
        task.full_load(table, items(1), WRITTEN_AT)
        task.changes(table, [INSERT], WRITTEN_AT)
    task.truncate(TABLE)
    assert [folder.name for folder in (tmp_path / "shop").iterdir()] == ["other"]
    task.truncate(TABLE)  # a table that never came is no error


@pytest.mark.parametrize(("repeat", "lines"), [(0, ["U"]), (1, ["D", "U"]), (3, ["I", "D", "U"])])
def test_resume_repeats_the_last_rows_in_a_new_file(tmp_path: Path, repeat: int, lines: list[str]) -> None:
    task = DmsTask(tmp_path)
    (first,) = task.changes(TABLE, [INSERT, DELETE], WRITTEN_AT)
    (second,) = task.resume(TABLE, [INSERT, DELETE], [UPDATE], repeat, WRITTEN_AT + timedelta(seconds=1))
    assert second.name > first.name
    assert [line[0] for line in second.read_text().splitlines()] == lines


def test_deletes_may_carry_the_key_only(tmp_path: Path) -> None:
    changes = [INSERT, DELETE]
    (full,) = DmsTask(tmp_path / "full").changes(TABLE, changes, WRITTEN_AT)
    (key,) = DmsTask(tmp_path / "key", deletes_carry_key_only=True).changes(TABLE, changes, WRITTEN_AT)
    assert full.read_text() == "I,1,a\nD,1,b\n"
    assert key.read_text() == "I,1,a\nD,1,NULL\n"


MOVED = Change("U", {"id": 2, "name": "b"}, COMMITTED_AT, before={"id": 1})


@pytest.mark.parametrize(
    ("settings", "loaded", "changed"),
    [
        ({}, "1,a", ["I,1,a", "U,2,b"]),
        ({"before_image_prefix": "BI_"}, "1,a,NULL", ["I,1,a,NULL", "U,1,b,1", "U,2,b,1", "D,1,b,NULL"]),
        ({"before_image_prefix": "x", "before_image_filter": "all"}, "1,a,NULL,NULL", ["I,1,a,NULL,NULL", "U,2,b,1,b"]),
    ],
)
def test_an_update_of_the_key_shows_the_old_one_in_before_images_only(
    tmp_path: Path, settings: dict[str, Any], loaded: str, changed: list[str]
) -> None:
    task = DmsTask(tmp_path, **settings)
    (load,) = task.full_load(TABLE, [INSERT.row], WRITTEN_AT)
    (file,) = task.changes(TABLE, [INSERT, UPDATE, MOVED, DELETE], WRITTEN_AT)
    assert load.read_text() == loaded + "\n"
    assert set(changed) <= set(file.read_text().splitlines())


def test_before_images_have_the_type_of_their_column(tmp_path: Path) -> None:
    task = DmsTask(tmp_path, data_format="parquet", before_image_prefix="BI_")
    (file,) = task.changes(TABLE, [INSERT, MOVED], WRITTEN_AT)
    assert pq.read_table(file).to_pydict() == {"Op": ["I", "U"], "id": [1, 2], "name": ["a", "b"], "BI_id": [None, 1]}
    assert pq.read_schema(file).field("BI_id").type == pa.int32()


@pytest.mark.parametrize(
    ("settings", "lines"),
    [
        ({"use_csv_no_sup_value": True, "csv_no_sup_value": "~"}, ["I,1,NULL", "U,1,~", "D,1,~", 'U,1,"~"']),
        ({"use_csv_no_sup_value": True}, ["I,1,NULL", "U,1,NULL", "D,1,NULL", "U,1,~"]),
        ({"csv_no_sup_value": "~"}, ["I,1,NULL", "U,1,NULL", "D,1,NULL", 'U,1,"~"']),
    ],
)
def test_columns_that_are_not_logged_are_distinguished_from_null_if_asked(
    tmp_path: Path, settings: dict[str, Any], lines: list[str]
) -> None:
    task = DmsTask(tmp_path, csv_quote_ambiguous_text=True, **settings)
    operations: list[Any] = ["I", "U", "D"]
    changes = [Change(operation, {"id": 1}, COMMITTED_AT) for operation in operations]
    (file,) = task.changes(TABLE, [*changes, Change("U", {"id": 1, "name": "~"}, COMMITTED_AT)], WRITTEN_AT)
    assert file.read_text().splitlines() == lines


# Mistakes


def test_all_wrong_settings_are_reported_at_once(tmp_path: Path) -> None:
    wrong: dict[str, Any] = {
        "data_format": "json",
        "compression": "zstd",
        "parquet_version": "3",
        "date_partition_delimiter": "DOT",
        "date_partition_sequence": "DDMM",
        "cdc_inserts_only": True,
        "cdc_inserts_and_updates": True,
        "timestamp_column_name": "",
        "before_image_prefix": "",
        "before_image_filter": "non-pk",
        "seconds_between_files": 0,
    }
    with pytest.raises(ValueError, match="DmsTask") as caught:
        DmsTask(tmp_path, **wrong)
    missing = [name for name in wrong if f"{name} " not in str(caught.value)]
    assert not missing
    assert "data_format is 'json'; expected one of 'csv', 'parquet'" in str(caught.value)


def test_parquet_has_no_value_for_what_is_not_logged(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="parquet has no such value, expected data_format 'csv'"):
        DmsTask(tmp_path, data_format="parquet", use_csv_no_sup_value=True)


def test_a_row_with_an_unknown_column_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"shop\.item.*unknown columns \['nam'\]; expected \['id', 'name'\]"):
        DmsTask(tmp_path).full_load(TABLE, [{"id": 1, "nam": "a"}], WRITTEN_AT)


def test_an_unknown_operation_is_refused(tmp_path: Path) -> None:
    wrong: Any = "X"
    with pytest.raises(ValueError, match="operation is 'X'; expected 'I', 'U' or 'D'"):
        DmsTask(tmp_path).changes(TABLE, [Change(wrong, {"id": 1}, COMMITTED_AT)], WRITTEN_AT)


def test_files_of_no_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"rows_per_file .* is 0; expected at least 1"):
        DmsTask(tmp_path).full_load(TABLE, items(1), WRITTEN_AT, rows_per_file=0)


def test_a_type_without_a_csv_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"Column c .*no rendering for type list"):
        one_value(tmp_path, pa.list_(pa.int32()), [1])
