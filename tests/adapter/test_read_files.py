"""read_files: exactly these files, exact row numbers, and files that cannot be read are left out with their reason."""

from __future__ import annotations

import datetime
import gzip
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from spark_files.capabilities import READS_FOOTERS_WITH_HALVES, utf8_or_null_sql
from spark_files.errors import is_file_fault, is_unverified, root_cause
from spark_files.internals import java_class
from spark_files.read_files import OptionError, read_files

# pyspark 3.5 makes no exception of its own of all that Java throws.
FAILED_QUERY = (Py4JJavaError, PySparkException)
ODD_NAMES = [
    "a b", "a%20b", "a+b", "100%", "x[1]", "y{1,2}", "z*", "q?#1", "é ü", "p&q=1", "c,d", "t~;'\"", "back\\slash",
]  # fmt: skip


def uri(path) -> str:
    """A local path as the path column of Spark's binaryFile source has it."""
    return f"file:{path}"


def write(path, **columns) -> str:
    pq.write_table(pa.table(columns), path)
    return uri(path)


def test_paths_are_no_patterns_and_come_back_as_given(session, tmp_path):
    for number, name in enumerate(ODD_NAMES):
        write(tmp_path / f"{name}.parquet", id=[number])
    (tmp_path / "year=2024").mkdir()
    write(tmp_path / "year=2024" / "f.parquet", id=[99])
    listing = session.read.format("binaryFile").option("recursiveFileLookup", "true").load(uri(tmp_path))
    paths = [row.path for row in listing.select("path").collect()]
    assert len(paths) == len(ODD_NAMES) + 1

    # A pattern would also match the files left out here.
    chosen = sorted(paths)[::2]
    answer = read_files(session, "v", "parquet", chosen, {})

    columns = [{"name": "id", "type": "bigint"}]
    assert answer == {"columns": columns, "schemas": [columns], "rejected": [], "found": []}
    rows = session.table("v")
    assert sorted(row._file_path for row in rows.collect()) == chosen
    assert rows.columns == ["id", "_file_path", "_file_modified_at", "_file_row", "_file_schema"]
    answer = read_files(session, "v", "parquet", paths, {})
    assert {row._file_path for row in session.table("v").collect()} == set(paths)


def test_modification_times_are_the_files(session, tmp_path):
    path = write(tmp_path / "a.parquet", id=[1])
    read_files(session, "v", "parquet", [path], {})
    listed = session.read.format("binaryFile").load(path).first().modificationTime
    assert session.table("v").first()._file_modified_at == listed


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_text_rows_are_numbered_as_in_the_file_even_when_spark_splits_it(session, tmp_path, name):
    session.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    text = "".join(f"{number},é\r\n" for number in range(20_000)).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    (tmp_path / "b.csv").write_text("0")
    paths = [uri(tmp_path / name), uri(tmp_path / "b.csv")]

    answer = read_files(session, "v", "text", paths, {"lineSep": "\n"})

    columns = [{"name": "value", "type": "string"}]
    assert answer == {"columns": columns, "schemas": [columns], "rejected": [], "found": []}
    assert session.sql("select distinct _file_schema from v").collect() == [(0,)]
    wrong = session.sql("select * from v where split(value, ',')[0] <> _file_row").collect()
    assert wrong == []
    assert session.sql("select count(*), count(distinct _file_path, _file_row) from v").first() == (20_001, 20_001)
    assert session.sql("select value from v where _file_row = 7").first().value == "7,é\r"


def test_files_that_have_a_row_looked_for_are_found(session, tmp_path):
    session.conf.set("spark.sql.files.maxPartitionBytes", "1000")
    for name in ("a b", "c", "d"):
        end = "" if name == "c" else "wanted\nother\n"
        (tmp_path / name).write_text("line\n" * 1_000 + end)
    paths = [uri(tmp_path / name) for name in ("a b", "c", "d")]
    answer = read_files(session, "v", "text", [*paths, uri(tmp_path / "gone")], {"find": "value = 'wanted'"})
    assert sorted(answer["found"]) == [paths[0], paths[2]]


def test_rows_of_a_file_that_spark_cuts_another_way_later_are_no_rows(session, tmp_path):
    (tmp_path / "a.csv").write_text("line\n" * 10_000)
    read_files(session, "v", "text", [uri(tmp_path / "a.csv")], {})
    assert session.sql("select max(_file_row) from v").first() == (9_999,)
    session.conf.set("spark.sql.files.maxPartitionBytes", "1000")
    with pytest.raises(FAILED_QUERY, match="Spark cut this file another way"):
        session.sql("select max(_file_row) from v").collect()


ONE_TASK = {"one_task": True, "lineSep": "\n", "find": "value = 'wanted'"}


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_rows_of_small_files_are_numbered_while_they_are_read(session, tmp_path, name):
    text = "".join(f"{number},é\r\n" for number in range(3_000)).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    (tmp_path / "b.csv").write_text("0\n1")
    (tmp_path / "c.csv").write_text("0\n\n2\n")
    paths = [uri(tmp_path / each) for each in (name, "b.csv", "c.csv")]
    started = session.sparkContext.statusTracker().getJobIdsForGroup()

    answer = read_files(session, "v", "text", [*paths, uri(tmp_path / "gone")], ONE_TASK)

    assert session.sparkContext.statusTracker().getJobIdsForGroup() == started, "nothing is read before"
    columns = [{"name": "value", "type": "string"}]
    gone = [{"path": uri(tmp_path / "gone"), "reason": "no longer there"}]
    assert answer == {"columns": columns, "schemas": [columns], "rejected": gone, "found": []}
    numbered = {(row._file_path, row._file_row): row.value for row in session.table("v").collect()}
    read_files(session, "counted", "text", paths, {"lineSep": "\n"})
    assert numbered == {(row._file_path, row._file_row): row.value for row in session.table("counted").collect()}
    assert (numbered[paths[0], 7], len(numbered)) == ("7,é\r", 3_005)
    assert session.table("v").columns == session.table("counted").columns


def test_a_file_that_one_task_may_not_read_fails(session, tmp_path):
    (tmp_path / "a.csv").write_text("line\n" * 1_000)
    (tmp_path / "b.csv").write_text("line\nwanted\n")
    read_files(session, "v", "text", [uri(tmp_path / "b.csv")], ONE_TASK)
    with pytest.raises(FAILED_QUERY, match=f"has to be read in full.*{tmp_path}/b.csv") as failure:
        session.sql("select max(value) from v").collect()
    assert is_unverified(failure.value)
    assert not is_file_fault(failure.value)
    session.conf.set("spark.sql.files.maxPartitionBytes", "1000")
    read_files(session, "v", "text", [uri(tmp_path / "a.csv")], ONE_TASK)
    with pytest.raises(FAILED_QUERY, match=f"has to be read in full.*{tmp_path}/a.csv"):
        session.sql("select max(_file_row) from v").collect()
    answer = read_files(session, "v", "text", [uri(tmp_path / "b.csv")], {**ONE_TASK, "verify": "full"})
    assert answer["found"] == [uri(tmp_path / "b.csv")]


def test_parquet_rows_are_numbered_as_in_the_file(session, tmp_path):
    session.conf.set("spark.sql.files.maxPartitionBytes", "20000")
    pq.write_table(pa.table({"id": list(range(50_000))}), tmp_path / "a.parquet", row_group_size=1000)
    read_files(session, "v", "parquet", [uri(tmp_path / "a.parquet")], {})
    assert session.sql("select count(*), count_if(id = _file_row) from v").first() == (50_000, 50_000)


def test_unreadable_files_are_left_out_with_a_reason_and_the_others_read(session, tmp_path):
    good = [write(tmp_path / f"{number:02}.parquet", id=[number]) for number in range(12)]
    whole = (tmp_path / "00.parquet").read_bytes()
    bad = {
        "truncated": whole[: len(whole) // 2],
        "text": b"id,name\n1,a and more than twelve bytes",
        "empty": b"",
    }
    for name, content in bad.items():
        (tmp_path / f"{name}.parquet").write_bytes(content)
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "A"]), tmp_path / "case.parquet")
    write(tmp_path / "clash.parquet", id=[1], _file_ROW=[1])
    write(tmp_path / "taken.parquet", id=[1], _file_schema=[1])
    write(tmp_path / "_hidden.parquet", id=[1])
    zero_rows = write(tmp_path / "zero.parquet", id=pa.array([], pa.int64()))
    write(tmp_path / "nameless.parquet", id=[1], **{"": [1]})
    names = ["truncated", "text", "empty", "case", "clash", "taken", "nameless", "_hidden", "gone"]
    paths = good[:5] + [uri(tmp_path / f"{name}.parquet") for name in names] + good[5:] + [zero_rows]

    answer = read_files(session, "v", "parquet", paths, {})

    assert answer["columns"] == [{"name": "id", "type": "bigint"}]
    assert [item["path"] for item in answer["rejected"]] == [uri(tmp_path / f"{name}.parquet") for name in names]
    reasons = dict(zip(names, (item["reason"] for item in answer["rejected"]), strict=True))
    assert "is not a Parquet file" in reasons["truncated"]
    assert "is not a Parquet file" in reasons["text"]
    assert "is not a Parquet file" in reasons["empty"]
    assert "differ only by case" in reasons["case"]
    assert reasons["clash"] == "column '_file_ROW' has the name of a column that read_files adds"
    assert reasons["taken"] == "column '_file_schema' has the name of a column that read_files adds"
    assert reasons["nameless"] == "a column has no name"
    assert "Spark leaves out hidden files" in reasons["_hidden"]
    assert reasons["gone"] == "no longer there"
    assert not any("\n" in reason for reason in reasons.values())
    assert sorted(row.id for row in session.table("v").collect()) == list(range(12))


def test_columns_that_differ_only_by_case_are_refused_where_spark_tells_them_apart(session, tmp_path):
    session.conf.set("spark.sql.caseSensitive", "true")
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "A"]), tmp_path / "case.parquet")
    answer = read_files(session, "v", "parquet", [uri(tmp_path / "case.parquet")], {})
    assert answer["rejected"][0]["reason"] == "columns 'a' and 'A' differ only by case"


def test_damage_inside_a_file_is_found_by_full_verification(session, tmp_path):
    good = write(tmp_path / "good.parquet", id=list(range(10)))
    pq.write_table(pa.table({"id": [str(n * 7919) for n in range(50_000)]}), tmp_path / "bad.parquet")
    content = bytearray((tmp_path / "bad.parquet").read_bytes())
    content[1000:9000] = bytes(8000)
    (tmp_path / "damaged.parquet").write_bytes(bytes(content))
    broken = gzip.compress(b"1,a\n" * 100_000)
    (tmp_path / "broken.csv.gz").write_bytes(broken[: len(broken) // 2])
    (tmp_path / "good.csv").write_text("1,a\n")

    damaged = uri(tmp_path / "damaged.parquet")
    assert read_files(session, "v", "parquet", [damaged], {"verify": "schema"})["rejected"] == []
    answer = read_files(session, "v", "parquet", [damaged], {"verify": "full"})
    assert [item["path"] for item in answer["rejected"]] == [damaged] and answer["columns"] == []
    assert read_files(session, "v", "parquet", [good], {"verify": "full"})["rejected"] == []

    answer = read_files(
        session, "v", "text", [uri(tmp_path / "good.csv"), uri(tmp_path / "broken.csv.gz")], {"verify": "full"}
    )
    assert answer["rejected"] == [
        {"path": uri(tmp_path / "broken.csv.gz"), "reason": "EOFException: Unexpected end of input stream"}
    ]
    assert session.table("v").count() == 1


ALIKE = pa.struct([("a", pa.int64()), ("A", pa.string())])
KEY = {"key": [["id", "old id"], ["part"]]}


@pytest.mark.parametrize("verify", ["schema", "full"])
@pytest.mark.parametrize("types", [{}, {"types": "separate", "nested": "json"}], ids=["merged", "separate"])
def test_one_file_that_cannot_be_planned_is_rejected_and_the_others_are_read(session, tmp_path, verify, types):
    good = write(tmp_path / "good.parquet", id=[1], part=["a"])
    renamed = write(tmp_path / "renamed.parquet", **{"OLD ID": [2], "PART": ["b"]})
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder" / "LOAD1.parquet", id=[9], part=["z"])
    columns = {"id": [1], "part": ["a"]}
    of_maps, time = pa.map_(pa.string(), ALIKE), pa.struct([("z", pa.time64("us"))])
    reasons = {
        write(tmp_path / "struct", **columns, s=pa.array([(1, "x")], ALIKE)): "column 's' has fields 'a' and 'A'",
        write(tmp_path / "list", **columns, s=pa.array([[(1, "x")]], pa.list_(ALIKE))): "fields 'a' and 'A'",
        write(tmp_path / "map", **columns, s=pa.array([[("k", (1, "x"))]], of_maps)): "fields 'a' and 'A'",
        write(tmp_path / "time", **columns, s=pa.array([{"z": 1}], time)): "TIME",
        write(tmp_path / "keyless", part=["a"]): "has no key column 'id'; its columns are 'part'",
        write(tmp_path / "half", **{f"c{number}": [1] for number in range(25)}, id=[1]): "'c19' and 6 more",
        write(tmp_path / "void", id=[1], part=pa.nulls(1)): "states no type for key column 'part'",
        write(tmp_path / "empty"): "has no key column 'id'; its columns are none",
        uri(tmp_path / "folder"): "is a folder",
    }
    answer = read_files(session, "v", "parquet", [*reasons, good, renamed], {"verify": verify, **KEY, **types})
    rejected = {item["path"]: item["reason"] for item in answer["rejected"]}
    assert rejected.keys() == reasons.keys()
    assert {path: rejected[path] for path, reason in reasons.items() if reason not in rejected[path]} == {}
    assert session.sql("select count(*) from v").first() == (2,)


def test_a_codec_that_spark_lacks_is_the_files_fault(session, tmp_path):
    good, odd = write(tmp_path / "good.parquet", id=[1]), tmp_path / "odd.parquet"
    pq.write_table(pa.table({"id": [2]}), odd, compression="brotli")
    answer = read_files(session, "v", "parquet", [uri(odd), good], {"verify": "schema"})
    assert answer["rejected"] == []
    with pytest.raises(FAILED_QUERY) as failure:
        session.table("v").collect()
    assert is_file_fault(failure.value), "the write is tried again without it"
    answer = read_files(session, "v", "parquet", [uri(odd), good], {"verify": "full"})
    codec = "ClassNotFoundException: org.apache.hadoop.io.compress.BrotliCodec"
    assert answer["rejected"] == [
        {"path": uri(odd), "reason": f"is compressed by a codec that Spark does not have here: {codec}"}
    ]
    assert session.table("v").count() == 1


def test_nothing_readable_means_no_view(session, tmp_path):
    gone = uri(tmp_path / "gone.parquet")
    answer = read_files(session, "nothing", "parquet", [gone], {})
    assert answer == {
        "columns": [],
        "schemas": [],
        "rejected": [{"path": gone, "reason": "no longer there"}],
        "found": [],
    }
    assert read_files(session, "nothing", "parquet", [], {}) == {
        "columns": [],
        "schemas": [],
        "rejected": [],
        "found": [],
    }
    assert not session.catalog.tableExists("nothing")


def test_faults_that_are_not_the_files_are_raised(session, tmp_path):
    good = write(tmp_path / "good.parquet", id=[1])
    errors = (Py4JJavaError, PySparkException)
    with pytest.raises(errors, match="No FileSystem for scheme"):
        read_files(session, "v", "parquet", [good, "nosuchscheme://bucket/a.parquet"], {})
    with pytest.raises(errors, match="S3AFileSystem not found"):
        read_files(session, "v", "parquet", [good, "s3a://bucket/a.parquet"], {})


def test_an_unknown_verification_is_refused(session):
    with pytest.raises(OptionError, match="verify is 'half'; expected one of schema, full"):
        read_files(session, "v", "parquet", [], {"verify": "half"})


# Listed with a size, and no byte of it can be read.
UNREADABLE = Path("/sys/class/net/lo/speed")
MOMENT = datetime.datetime(2020, 1, 1)
WIDENED = [
    ((pa.int8(), 127), (pa.int16(), 30_000), "smallint"),
    ((pa.int16(), 32_767), (pa.int32(), 2**31 - 1), "int"),
    ((pa.int32(), 2**31 - 1), (pa.int64(), 2**63 - 1), "bigint"),
    ((pa.int64(), 2**62), (pa.int8(), 1), "bigint"),
    ((pa.float32(), 1.5), (pa.float64(), 0.1), "double"),
    ((pa.int32(), 2**31 - 1), (pa.float64(), 0.1), "double"),
    ((pa.int32(), 2**31 - 1), (pa.float32(), 0.5), "double"),
    ((pa.decimal128(10, 2), Decimal("1.25")), (pa.decimal128(12, 2), Decimal("2.25")), "decimal(12,2)"),
    ((pa.decimal128(10, 2), Decimal("1.25")), (pa.decimal128(10, 4), Decimal("2.2555")), "decimal(12,4)"),
    ((pa.int32(), 2**31 - 1), (pa.decimal128(10, 2), Decimal("1.25")), "decimal(12,2)"),
    ((pa.int64(), 2**63 - 1), (pa.decimal128(10, 2), Decimal("1.25")), "decimal(22,2)"),
    ((pa.list_(pa.int32()), [1]), (pa.list_(pa.int64()), [2**40]), "array<bigint>"),
    ((pa.null(), None), (pa.int32(), 1), "int"),
]


@pytest.mark.parametrize(("first", "other", "expected"), WIDENED)
def test_types_are_widened_without_loss(session, tmp_path, first, other, expected):
    paths = [
        write(tmp_path / f"{number}.parquet", c=pa.array([value], data_type))
        for number, (data_type, value) in enumerate((first, other))
    ]
    answer = read_files(session, "v", "parquet", paths, {})
    assert (answer["columns"], answer["rejected"]) == ([{"name": "c", "type": expected}], [])
    assert [row.c for row in session.table("v").orderBy("_file_path").collect()] == [first[1], other[1]]


def test_nested_fields_are_widened_and_added(session, tmp_path):
    narrow, other = pa.struct([("a", pa.int32())]), pa.struct([("a", pa.int64()), ("b", pa.string())])
    paths = [
        write(tmp_path / "1.parquet", c=pa.array([{"a": 1}], narrow), id=[1]),
        write(tmp_path / "2.parquet", c=pa.array([{"a": 2**40, "b": "x"}], other), ID=[2], added=["new"]),
    ]
    answer = read_files(session, "v", "parquet", paths, {})
    assert [column["type"] for column in answer["columns"]] == ["struct<a:bigint,b:string>", "bigint", "string"]
    rows = session.table("v").orderBy("id").collect()
    assert [(row.c.a, row.c.b, row.id, row.added) for row in rows] == [(1, None, 1, None), (2**40, "x", 2, "new")]


@pytest.mark.parametrize("verify", ["schema", "full"])
def test_each_row_tells_what_columns_its_file_has(session, tmp_path, verify):
    wide = {"id": pa.array([1], pa.int32()), "New": ["x"]}
    narrow = {"ID": pa.array([2], pa.int64())}
    paths = [
        write(tmp_path / f"{number}.parquet", **columns) for number, columns in enumerate((narrow, wide, narrow, wide))
    ]

    answer = read_files(session, "v", "parquet", paths, {"verify": verify})

    def text(schema):
        return " ".join(f"{column['name']}:{column['type']}" for column in schema)

    assert text(answer["columns"]) == "ID:bigint New:string"
    rows = session.sql("select id, _file_schema from v").collect()
    assert sorted((row.id, text(answer["schemas"][row._file_schema])) for row in rows) == [
        (1, "id:int New:string"),
        (1, "id:int New:string"),
        (2, "ID:bigint"),
        (2, "ID:bigint"),
    ]


def test_types_that_only_spark_knows_are_told_apart(session, tmp_path):
    for name, value in (("number", "1L"), ("duration", "interval '1' second")):
        session.sql(f"select {value} as c").coalesce(1).write.parquet(uri(tmp_path / name))
    paths = sorted(uri(path) for path in tmp_path.glob("*/*.parquet"))
    answer = read_files(session, "v", "parquet", paths, {})
    # A duration is a plain 64-bit integer to Parquet: alike are the columns, and only the first file's would be read.
    assert [item["path"] for item in answer["rejected"]] == paths[1:]
    assert answer["columns"] == [{"name": "c", "type": "interval second"}]


def test_a_broken_file_among_many_leaves_the_schemas_as_they_are(session, tmp_path):
    good = write(tmp_path / "good.parquet", id=[1])
    pq.write_table(pa.table({"id": [2], "gone": [str(n) * 100 for n in range(1)]}), tmp_path / "damaged.parquet")
    content = bytearray((tmp_path / "damaged.parquet").read_bytes())
    content[4:60] = bytes(56)
    (tmp_path / "damaged.parquet").write_bytes(bytes(content))
    answer = read_files(session, "v", "parquet", [uri(tmp_path / "damaged.parquet"), good], {"verify": "full"})
    assert [item["path"] for item in answer["rejected"]] == [uri(tmp_path / "damaged.parquet")]
    assert answer["schemas"] == [[{"name": "id", "type": "bigint"}]]
    assert session.sql("select id, _file_schema from v").collect() == [(1, 0)]


TEXT = [
    ((pa.int64(), 2**62), (pa.float64(), 0.1), ["4611686018427387904", "0.1"]),
    ((pa.string(), "a"), (pa.int32(), 1), ["a", "1"]),
    ((pa.date32(), MOMENT.date()), (pa.timestamp("us", "UTC"), MOMENT), ["2020-01-01", "2020-01-01 00:00:00"]),
    ((pa.int64(), 1), (pa.decimal128(38, 20), Decimal("0.5")), ["1", "0.50000000000000000000"]),
    ((pa.bool_(), True), (pa.int32(), 1), ["true", "1"]),
]


@pytest.mark.parametrize("verify", ["schema", "full"])
@pytest.mark.parametrize(("first", "other", "expected"), TEXT)
def test_types_that_none_holds_are_read_as_text(session, tmp_path, first, other, expected, verify):
    paths = [
        write(tmp_path / f"{number}.parquet", id=[number], c=pa.array([value], data_type))
        for number, (data_type, value) in enumerate((first, other))
    ]
    answer = read_files(session, "v", "parquet", paths, {"verify": verify})
    columns = [{"name": "id", "type": "bigint"}, {"name": "c", "type": "string"}]
    assert (answer["columns"], answer["rejected"]) == (columns, [])
    rows = session.table("v").orderBy("id").collect()
    assert [row.c for row in rows] == expected
    assert [row._file_path for row in rows] == paths


def test_a_file_whose_type_text_cannot_show_is_rejected_with_both_types(session, tmp_path):
    many = [write(tmp_path / f"{n}.parquet", c=pa.array([1], pa.int64())) for n in range(2)]
    odd = write(tmp_path / "odd.parquet", c=pa.array([b"x"], pa.binary()))
    answer = read_files(session, "v", "parquet", [odd, *many], {})
    assert answer["columns"] == [{"name": "c", "type": "bigint"}]
    assert answer["rejected"] == [
        {
            "path": odd,
            "reason": "column 'c' is binary here and bigint in the other files; no type holds both without loss",
        }
    ]
    assert session.table("v").count() == 2


def test_separate_types_are_columns_side_by_side_in_the_order_of_the_files(session, tmp_path):
    paths = [
        write(tmp_path / "1.parquet", id=pa.array([1], pa.int32()), v=pa.array([1], pa.int64())),
        write(tmp_path / "2.parquet", ID=pa.array([2], pa.int32()), v=pa.array([1.5])),
        write(tmp_path / "3.parquet", id=pa.array([3], pa.int32()), V=pa.array(["x"])),
        write(tmp_path / "4.parquet", id=pa.array([4], pa.int32()), v=pa.array([4], pa.int64())),
    ]
    answer = read_files(session, "v", "parquet", paths, {"types": "separate", "verify": "full"})
    assert [(column["name"], column["type"], column["column"]) for column in answer["columns"]] == [
        ("id", "int", "id"), ("v", "bigint", "v"), ("v", "double", "v#2"), ("V", "string", "V#3"),
    ]  # fmt: skip
    assert [[column["column"] for column in schema] for schema in answer["schemas"]] == [
        ["id", "v"], ["id", "v#2"], ["id", "V#3"],
    ]  # fmt: skip
    rows = session.sql("select id, v, `v#2`, `V#3`, _file_schema from v order by id").collect()
    assert rows == [(1, 1, None, None, 0), (2, None, 1.5, None, 1), (3, None, None, "x", 2), (4, 4, None, None, 0)]


def test_separate_types_read_columns_that_differ_only_by_case_and_names_of_added_ones(session, tmp_path):
    odd = {"a`b": [7]}
    paths = [
        write(tmp_path / "1.parquet", Op=["U"], ts=["t"], TS=["T"], id=[1], op=["add"], _file_path=["p"], **odd),
        write(tmp_path / "2.parquet", id=[2], OP=["sub"]),
    ]
    options = {"types": "separate", "verify": "full", "exact": ["Op", "ts"]}
    answer = read_files(session, "v", "parquet", paths, options)
    assert answer["rejected"] == []
    assert [column["column"] for column in answer["columns"]] == [
        "Op", "ts", "TS#2", "id", "op#2", "_file_path#2", "a`b",
    ]  # fmt: skip
    rows = session.sql("select `Op`, id, `op#2`, `_file_path#2`, `a``b`, _file_path from v order by id").collect()
    assert rows == [("U", 1, "add", "p", 7, paths[0]), (None, 2, "sub", None, None, paths[1])]
    assert session.table("v").where("id = 1 and `op#2` = 'add' and `Op` = 'U'").count() == 1


def test_separate_types_of_a_file_that_cannot_be_read_do_not_count(session, tmp_path):
    pq.write_table(pa.table({"v": [str(n) * 100 for n in range(1)]}), tmp_path / "damaged.parquet")
    content = bytearray((tmp_path / "damaged.parquet").read_bytes())
    content[4:60] = bytes(56)
    (tmp_path / "damaged.parquet").write_bytes(bytes(content))
    paths = [uri(tmp_path / "damaged.parquet"), write(tmp_path / "good.parquet", v=[1])]
    answer = read_files(session, "v", "parquet", paths, {"types": "separate", "verify": "full"})
    assert [column["type"] for column in answer["columns"]] == ["bigint"]
    assert [[column["type"] for column in schema] for schema in answer["schemas"]] == [["bigint"]]


def test_separate_types_join_nested_columns_and_reject_what_none_holds(session, tmp_path):
    paths = [
        write(tmp_path / "1.parquet", id=[1], c=pa.array([{"a": 1}], pa.struct([("a", pa.int32())]))),
        write(tmp_path / "2.parquet", id=[2], c=pa.array([{"b": "x"}], pa.struct([("b", pa.string())]))),
        write(tmp_path / "3.parquet", id=[3], c=["text"]),
    ]
    answer = read_files(session, "v", "parquet", paths, {"types": "separate"})
    assert [column["type"] for column in answer["columns"]] == ["bigint", "struct<a:int,b:string>"]
    assert [item["path"] for item in answer["rejected"]] == paths[2:]
    assert "column 'c' is string here and struct<a:int,b:string> in an earlier file" in answer["rejected"][0]["reason"]
    assert [tuple(row.c) for row in session.table("v").orderBy("id").collect()] == [(1, None), (None, "x")]


PLAIN = [
    (pa.time32("ms"), 36_000_500, "10:00:00.5"),
    (pa.time64("us"), 86_399_999_999, "23:59:59.999999"),
    (pa.time64("ns"), 36_000_000_000_001, "10:00:00.000000001"),
    (pa.time32("ms"), 0, "00:00:00"),
    (pa.timestamp("ns"), 1_706_742_060_000_000_000, "2024-01-31 23:01:00"),
    (pa.timestamp("ns"), -1, "1969-12-31 23:59:59.999999999"),
    (pa.timestamp("ns", "UTC"), 1_706_742_060_120_000_120, "2024-01-31 23:01:00.12000012"),
]


def test_types_that_spark_lacks_are_text_without_loss(session, tmp_path):
    paths = [
        write(tmp_path / f"{number:02}.parquet", id=[number, None], c=pa.array([value, None], data_type))
        for number, (data_type, value, _) in enumerate(PLAIN)
    ]
    storage = pa.array([bytes(range(16)), None], pa.binary(16))
    paths.append(write(tmp_path / "99.parquet", id=[99, None], c=pa.ExtensionArray.from_storage(pa.uuid(), storage)))

    answer = read_files(session, "v", "parquet", paths, {"verify": "full"})

    assert answer["rejected"] == []
    assert answer["columns"] == [{"name": "id", "type": "bigint"}, {"name": "c", "type": "string"}]
    rows = session.sql("select c from v where id is not null order by id").collect()
    assert [row.c for row in rows] == [*(text for *_, text in PLAIN), "00010203-0405-0607-0809-0a0b0c0d0e0f"]
    assert session.sql("select count(*) from v where id is null and c is null").first()[0] == len(paths)


def test_a_time_beside_text_is_text(session, tmp_path):
    paths = [
        write(tmp_path / "1.parquet", t=pa.array(["late"])),
        write(tmp_path / "2.parquet", T=pa.array([1000], pa.time32("ms"))),
        write(tmp_path / "3.parquet", t=pa.array(["later"])),
    ]
    answer = read_files(session, "v", "parquet", paths, {"verify": "full"})
    assert (answer["columns"], answer["rejected"]) == ([{"name": "t", "type": "string"}], [])
    assert sorted(row[0] for row in session.table("v").collect()) == ["00:00:01", "late", "later"]


def test_a_type_that_nothing_shows_rejects_its_file_and_names_the_column(session, tmp_path):
    odd = {
        "half": pa.array([1.5], pa.float16()),
        "times": pa.array([[1]], pa.list_(pa.time32("ms"))),
        "huge": pa.array([Decimal("1.5")], pa.decimal256(60, 2)),
    }
    good = [write(tmp_path / f"{number}.parquet", id=[number]) for number in range(3)]
    bad = [write(tmp_path / f"{name}.parquet", **{name: value}) for name, value in odd.items()]
    answer = read_files(session, "v", "parquet", [*bad, *good], {"verify": "full"})
    assert [item["path"] for item in answer["rejected"]] == bad
    for item, name in zip(answer["rejected"], odd, strict=True):
        is_shown = name != "half" or READS_FOOTERS_WITH_HALVES
        assert item["reason"].startswith(f"column '{name}': " if is_shown else "[CANNOT_READ_FILE_FOOTER]")
    assert session.table("v").count() == 3


@pytest.mark.skipif(not UNREADABLE.exists(), reason="no such file on this system")
def test_an_error_of_the_disk_rejects_no_file(session, tmp_path):
    (tmp_path / "good.txt").write_text("line")
    paths = [uri(tmp_path / "good.txt"), uri(UNREADABLE)]
    with pytest.raises(FAILED_QUERY) as raised:
        read_files(session, "v", "text", paths, {"verify": "full"})
    assert "IOException: Invalid argument" in root_cause(raised.value)


def test_a_name_that_hadoop_cannot_hold_costs_one_file(session, tmp_path):
    good = write(tmp_path / "good.parquet", id=[1])
    odd = write(tmp_path / "col:on.parquet", id=[2])
    answer = read_files(session, "v", "parquet", [odd, good], {"verify": "full"})
    assert [item["path"] for item in answer["rejected"]] == [odd]
    assert session.table("v").count() == 1


def test_java_keeps_the_stack_of_an_error_that_it_throws_often(session):
    # Without it the damaged files of the next test fail the read, once Java has compiled the code that throws.
    java = java_class("java.lang.management.ManagementFactory").getRuntimeMXBean()
    assert "-XX:-OmitStackTraceInFastThrow" in list(java.getInputArguments())


@pytest.mark.parametrize("codec", ["snappy", "gzip", "zstd", "lz4", "none"])
def test_damage_is_the_files_fault_wherever_it_is(session, tmp_path, codec):
    table = pa.table({"id": list(range(3000)), "s": [str(n * 7919 % 1000) for n in range(3000)], "l": [[1, 2]] * 3000})
    pq.write_table(table, tmp_path / "whole.parquet", compression=codec)
    whole = (tmp_path / "whole.parquet").read_bytes()
    for number in range(6):
        content, start = bytearray(whole), 4 + number * len(whole) // 7
        content[start : start + 200] = bytes(200)
        (tmp_path / f"{number}.parquet").write_bytes(content)
    (tmp_path / "short.parquet").write_bytes(whole[: len(whole) // 2] + whole[-400:])
    paths = [uri(path) for path in sorted(tmp_path.glob("*.parquet"))]
    answer = read_files(session, "v", "parquet", paths, {"verify": "full"})
    assert len(answer["rejected"]) >= 2
    assert uri(tmp_path / "whole.parquet") not in [item["path"] for item in answer["rejected"]]


def test_files_below_hidden_folders_are_read(session, tmp_path):
    for name in ("_prisma_migrations", ".hidden"):
        (tmp_path / name).mkdir()
    paths = [write(tmp_path / name / "LOAD1.parquet", id=[1]) for name in ("_prisma_migrations", ".hidden")]
    assert read_files(session, "v", "parquet", paths, {"verify": "full"})["rejected"] == []
    assert {row._file_path for row in session.table("v").collect()} == set(paths)


def test_a_checksum_that_is_not_the_files_costs_one_file(session, tmp_path):
    good, odd = (write(tmp_path / f"{name}.parquet", id=[1]) for name in ("good", "odd"))
    (tmp_path / ".odd.parquet.crc").write_bytes(b"crc\0\0\0\2\0\1\2\3\4")
    answer = read_files(session, "v", "parquet", [odd, good], {"verify": "full"})
    assert [item["path"] for item in answer["rejected"]] == [odd]
    assert "ChecksumException" in answer["rejected"][0]["reason"]


def test_nested_columns_are_json_that_no_other_file_changes(session, tmp_path):
    of_ints, other = pa.struct([("a", pa.int32())]), pa.struct([("a", pa.string()), ("b", pa.timestamp("us", "UTC"))])
    paths = [
        write(tmp_path / "1.parquet", id=[1], c=pa.array([{"a": 1}], of_ints)),
        write(tmp_path / "2.parquet", id=[2], c=pa.array([{"a": "x", "b": MOMENT}], other)),
        write(tmp_path / "3.parquet", id=[3], c=pa.array([[{"a": None}, None]], pa.list_(of_ints))),
        write(tmp_path / "4.parquet", id=[4], c=pa.array([[("k", 1.5)]], pa.map_(pa.string(), pa.float32()))),
        write(tmp_path / "5.parquet", id=[5], c=pa.array([None], of_ints)),
    ]
    answer = read_files(session, "v", "parquet", paths, {"verify": "full", "nested": "json"})
    assert answer["columns"] == [{"name": "id", "type": "bigint"}, {"name": "c", "type": "string"}]
    assert [row.c for row in session.table("v").orderBy("id").collect()] == [
        '{"a":1}',
        '{"a":"x","b":"2020-01-01T00:00:00.000000Z"}',
        '[{"a":null},null]',
        '{"k":1.5}',
        None,
    ]


@pytest.mark.parametrize("target", ["local", "cluster"])
def test_a_path_is_text_to_sql_even_if_it_looks_like_a_variable(session, target):
    profiles = Path(__file__).parents[2] / "profiles" / "profiles.yml"
    config = yaml.safe_load(profiles.read_text())["lakehouse"]["outputs"][target]["config"]
    session.conf.set("spark.sql.variable.substitute", config["spark.sql.variable.substitute"])
    for text in ("${user.name}", "${env:HOME}", "${spark.sql.session.timeZone}", "$1", "%s", "{}", "{{ x }}"):
        assert session.sql(f"select '{text}' as x").first().x == text


def test_a_column_without_a_type_takes_that_of_another_file_or_none(session, tmp_path):
    bare = write(tmp_path / "1.parquet", id=[1], c=pa.nulls(1), never=pa.nulls(1))
    typed = write(tmp_path / "2.parquet", id=[2], c=["x"], never=pa.nulls(1))
    for types in ("merged", "separate"):
        answer = read_files(session, "v", "parquet", [bare, typed], {"types": types, "verify": "full"})
        assert [column["type"] for column in answer["schemas"][0]] == ["bigint", "void", "void"]
        assert answer["rejected"] == []
        column = "c" if types == "merged" else "`c#2`"
        rows = session.sql(f"select id, {column}, never from v order by id").collect()
        assert [tuple(row) for row in rows] == [(1, None, None), (2, "x", None)]
    # With a type that Iceberg has, a column that never had a value could not become another one.
    assert [column["type"] for column in answer["columns"]] == ["bigint", "void", "void", "string"]


# A part of a schema of Arrow, and instead of it: the same, no Base64, no message, no schema.
@pytest.mark.parametrize(
    ("part", "other"),
    [(b"/////", b"/////"), (b"/////", b"?????"), (b"/////", b"AAAAA"), (b"AAAAAAAKAA", b"//////////")],
)
def test_a_column_without_a_value_has_its_type_even_if_the_schema_of_arrow_is_damaged(session, tmp_path, part, other):
    path = write(tmp_path / "a.parquet", id=pa.nulls(1, pa.int32()))
    content = (tmp_path / "a.parquet").read_bytes()
    assert part in content
    (tmp_path / "a.parquet").write_bytes(content.replace(part, other))
    assert read_files(session, "v", "parquet", [path], {})["columns"] == [{"name": "id", "type": "int"}]


def test_a_name_of_a_column_that_is_no_utf8_rejects_its_file(session, tmp_path):
    write(tmp_path / "a.parquet", cafe=[1])
    content = (tmp_path / "a.parquet").read_bytes().replace(b"cafe", b"caf\xe9")
    (tmp_path / "a.parquet").write_bytes(content)
    answer = read_files(session, "v", "parquet", [uri(tmp_path / "a.parquet")], {})
    assert [file["reason"] for file in answer["rejected"]] == ["the name of column 'caf�' is no text in UTF-8"]


@pytest.mark.parametrize(
    ("charset", "content", "lines"),
    [
        ("windows-1252", b"\x80\n\x81", ["€", None]),
        # The bytes of a line feed, but across two characters: neither half is a text.
        ("UTF-16LE", "\ufeffä\nઊĀ\nb".encode("utf-16-le"), ["ä", None, None, "b"]),
        ("GB18030", "\ufffd中\n".encode("gb18030") + b"\xff", ["\ufffd中", None]),
    ],
)
def test_a_charset_is_decoded_line_by_line(session, tmp_path, charset, content, lines):
    (tmp_path / "a.txt").write_bytes(content)
    options = {"lineSep": "\n", "charset": charset}
    read_files(session, "v", "text", [uri(tmp_path / "a.txt")], options)
    rows = session.sql(f"select {utf8_or_null_sql('value')} as value from v order by _file_row").collect()
    assert [row.value for row in rows] == lines
