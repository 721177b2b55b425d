"""What the releases of Spark do in different ways has one result: this file passes on each of them."""

from __future__ import annotations

import datetime
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from spark_files import capabilities, releases

ROOT = Path(__file__).parents[2]
TABLE = "lakehouse.capable.t"


@pytest.fixture
def table(session):
    session.sql("create schema if not exists lakehouse.capable")
    capabilities.commit_sql(session, f"create table {TABLE} using iceberg as select 1 as a", {"cdc.batch-id": "1"})
    yield session
    session.sql(f"drop table if exists {TABLE} purge")


def recorded(session, name):
    rows = session.sql(f"select snapshot_id, summary from {TABLE}.snapshots order by committed_at").collect()
    return [(row.snapshot_id, row.summary.get(name)) for row in rows]


def test_each_commit_records_the_properties_of_its_own_statement(table):
    merge = f"merge into {TABLE} as t using (select 2 as a) as s on t.a = s.a when not matched then insert *"
    capabilities.commit_sql(table, merge, {"cdc.batch-id": "2", "cdc.sequence": "it's \\ é"})
    table.sql(f"insert into {TABLE} values (3)")
    capabilities.append_frame(table.createDataFrame([(4,)], "a int"), TABLE, {"cdc.batch-id": "4"})
    assert [value for _, value in recorded(table, "cdc.batch-id")] == ["1", "2", None, "4"]
    assert [value for _, value in recorded(table, "cdc.sequence")] == [None, "it's \\ é", None, None]


def test_an_error_of_a_statement_with_properties_is_sparks_own(table):
    with pytest.raises(AnalysisException) as caught:
        capabilities.commit_sql(table, f"insert into {TABLE} select b from {TABLE}", {"cdc.batch-id": "2"})
    assert capabilities.error_condition(caught.value).startswith("UNRESOLVED_COLUMN")


def test_rows_between_two_snapshots_are_seen_in_each_session(table):
    for number in (2, 3, 4):
        table.sql(f"insert into {TABLE} values ({number})")
    first, _, third, _ = (snapshot for snapshot, _ in recorded(table, "cdc.batch-id"))
    rows = capabilities.appended_rows_sql(table, TABLE, first, third)
    for session in (table, table.newSession()):
        assert sorted(row.a for row in session.sql(f"select a from {rows}").collect()) == [2, 3]
    capabilities.drop_views_of_ranges(table)


@pytest.mark.parametrize(
    ("text", "data_type", "expected"),
    [
        ("7", "int", 7),
        ("x", "int", None),
        ("2147483648", "int", None),
        ("2024-02-30", "date", None),
        ("1.10", "decimal(4,1)", Decimal("1.1")),
    ],
)
def test_a_cast_that_does_not_fit_gives_null(session, text, data_type, expected):
    frame = session.createDataFrame([(text,)], "t string")
    assert frame.select(capabilities.try_cast(F.col("t"), data_type)).collect()[0][0] == expected


@pytest.mark.parametrize(
    ("octets", "is_valid"), [(b"", True), ("é€😀".encode(), True), (b"a\xff", False), (b"\xed\xa0\x80", False)]
)
def test_bytes_that_are_no_utf_8_are_found(session, octets, is_valid):
    frame = session.createDataFrame([(bytearray(octets),)], "b binary").selectExpr("cast(b as string) as t", "b")
    row = frame.select(
        capabilities.is_utf8(F.col("t")).alias("column"),
        F.expr(capabilities.is_utf8_sql("t")).alias("sql"),
        F.expr(f"{capabilities.utf8_or_null_sql('t')} is not null").alias("is_kept"),
        F.expr(f"hex({capabilities.as_utf8_sql('t')}) = hex(b)").alias("is_same"),
    ).collect()[0]
    assert (row.column, row.sql, row.is_kept, row.is_same) == (is_valid,) * 4


def test_rows_go_to_arrow_and_back(session):
    moment = datetime.datetime(2024, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc)
    types = {"n": pa.int64(), "t": pa.string(), "d": pa.decimal128(10, 2), "l": pa.list_(pa.int32())}
    rows = pa.table(
        {"n": [1, None], "t": ["é", None], "d": [Decimal("1.10"), None], "l": [[1, None], None]},
        schema=pa.schema({**types}),
    ).append_column("m", pa.array([moment, None], pa.timestamp("us", "UTC")))
    frame = capabilities.frame_of(session, rows)
    assert [field.dataType.simpleString() for field in frame.schema] == [
        "bigint", "string", "decimal(10,2)", "array<int>", "timestamp",
    ]  # fmt: skip
    assert capabilities.arrow_of(frame).to_pylist() == rows.to_pylist()
    assert capabilities.frame_of(session, rows.slice(0, 0)).collect() == []
    assert capabilities.arrow_of(frame.limit(0)).num_rows == 0


def test_the_session_states_what_platforms_have_other_defaults_for(session):
    assert {name: session.conf.get(name) for name in capabilities.SETTINGS} == capabilities.SETTINGS


def test_what_belongs_to_the_running_spark_is_at_hand(session):
    its = releases.release()
    version = session.version
    assert (version, releases.spark_release()) == (its.tested, ".".join(version.split(".")[:2]))
    assert f"_{its.scala}:" in releases.iceberg_runtime()
    java = session.sparkContext._jvm
    assert java.scala.util.Properties.versionNumberString().startswith(its.scala)
    assert java.org.apache.hadoop.util.VersionInfo.getVersion() == its.hadoop
    assert java.org.apache.iceberg.IcebergBuild.version() == its.iceberg


@pytest.mark.skipif(
    releases.spark_release() != min(releases.RELEASES), reason="newer releases have what the oldest has"
)
def test_what_the_oldest_release_lacks_stands_in_this_module_alone():
    # In a process of its own: mypy has garbage collected that this process has frozen.
    mypy = [sys.executable, "-m", "mypy", "--always-false=HAS_VARIANT"]
    said = subprocess.run(mypy, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert said
    assert [line for line in said.splitlines() if ": error:" in line and "/capabilities.py:" not in line] == []
