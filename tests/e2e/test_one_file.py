"""One file, or one text of a message, never stops a table: the others of its table and of its feed arrive."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = {"Op": ["I"], "id": [1], "v": ["x"]}
ALIKE = pa.struct([("a", pa.int64()), ("A", pa.int64())])
# Of a table that has no other file, too: bronze has nothing then that says which columns there are.
BAD = {
    "20240131-230000000.parquet": ({"Op": ["I"], "v": ["x"]}, "snappy", "has no key column 'id'"),
    "20240131-230001000.parquet": ({**ROWS, "id": pa.nulls(1)}, "snappy", "states no type for key column 'id'"),
    "20240131-230002000.parquet": ({**ROWS, "s": pa.array([(1, 2)], ALIKE)}, "snappy", "one name in lower case"),
    "20240131-230003000.parquet": (ROWS, "brotli", "BrotliCodec"),
}
# URL-encoded, nine bytes for each character: no folder can be called so.
LONG = "客户订单明细表历史数据归档备份测试生产环境一二三四五六"
CITY = "城" * 40


def write(path, rows: dict[str, object], compression: str = "snappy") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(rows), path, compression=compression)


def message(table: str, number: int) -> str:
    metadata = {"timestamp": "2024-01-31T12:00:00.000000Z", "record-type": "data", "operation": "insert"}
    metadata |= {"schema-name": "s", "table-name": table}
    return json.dumps({"data": {"id": number}, "metadata": metadata})


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    empty_lakehouse.add_feed("files", "parquet")
    for name in ("beside", "alone"):
        empty_lakehouse.add_table("files", name)
    empty_lakehouse.add_table("files", "city", partition_by="v")
    empty_lakehouse.add_feed("stream", "json", connector="dms_kafka")
    empty_lakehouse.add_table("stream", "listed", columns="id int")
    empty_lakehouse.make_models()
    folder = empty_lakehouse.raw / "files" / "s"
    for name, (rows, compression, _) in BAD.items():
        for table in ("beside", "alone"):
            write(folder / table / name, rows, compression)
    write(folder / "beside" / "20240131-230100000.parquet", {**ROWS, "id": [2]})
    write(folder / "city" / "LOAD00000001.parquet", {"id": [1, 2], "v": [CITY, "a/b"]})
    stream = empty_lakehouse.raw / "stream"
    stream.mkdir(parents=True)
    (stream / "a.json").write_text("\n".join(message(table, 1) for table in (LONG, "x" * 300, "listed")))
    models = [f"+silver_s__{name}" for name in ("beside", "alone", "city", "listed")]
    empty_lakehouse.statuses_of_run = empty_lakehouse.statuses("run", "--select", *models)
    return empty_lakehouse


def test_each_file_that_cannot_be_read_is_rejected_with_its_name_and_its_reason(lakehouse):
    rows = lakehouse.sql("select source_table, path, reason from etl_metadata.rejected_files")
    reasons = {(row.source_table, row.path.rpartition("/")[2]): row.reason for row in rows}
    assert reasons.keys() == {(table, name) for table in ("beside", "alone") for name in BAD}
    assert all(BAD[name][2] in reason for (_, name), reason in reasons.items()), reasons


def test_the_other_files_of_the_table_are_read(lakehouse):
    assert lakehouse.table("beside", "id, v") == [(2, "x")]


def test_no_model_fails_and_the_account_of_files_does(lakehouse):
    assert set(lakehouse.statuses_of_run.values()) == {"success"}, lakehouse.messages[-20:]
    account = "every_raw_file_is_accounted_for"
    assert lakehouse.statuses("test", "--select", account)[account] == "fail"


def test_the_name_of_a_table_in_a_message_is_no_name_of_a_folder(lakehouse):
    assert lakehouse.table("listed", "id") == [(1,)]
    rows = lakehouse.sql("select source_table from etl_metadata.split_stream where source_table is not null")
    assert sorted(row.source_table for row in rows) == sorted([LONG, "x" * 300, "listed"])


def test_a_value_by_which_silver_is_partitioned_is_no_name_of_a_folder(lakehouse):
    assert lakehouse.table("city", "id, v") == [(1, CITY), (2, "a/b")]


def test_a_table_whose_files_were_all_rejected_is_built_when_a_good_one_comes(lakehouse):
    write(lakehouse.raw / "files/s/alone/20240131-230200000.parquet", {**ROWS, "id": [3]})
    assert lakehouse.statuses("run", "--select", "+silver_s__alone")["silver_s__alone"] == "success"
    assert lakehouse.table("alone", "id, v") == [(3, "x")]
