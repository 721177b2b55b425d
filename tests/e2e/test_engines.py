"""Other programs read the tables as Spark does; each limit of docs/cluster/readers.md that can be tried here is tried.

They have an environment of their own (tests/readers). Trino, 820 MB, takes part if `TRINO` names the folder of its
server and `TRINO_JAVA` a Java 25 (docs/cluster/readers.md).
"""

from __future__ import annotations

import json
import os
import subprocess
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from test_odd_columns import Files, at, typed

from python_udfs.metadata import readers
from python_udfs.metadata.readers import LIMITS
from spark_files.capabilities import arrow_of
from tests.readers.trino_server import run_trino

ROOT = Path(__file__).parents[2]
# Those that are asked in SQL; the others read whole tables.
IN_SQL = ("duckdb", "clickhouse", "datafusion", *(["trino"] if "TRINO" in os.environ else []))
PROGRAMS = ("pyiceberg", "polars", "daft", *IN_SQL)
INT, LONG, TEXT = pa.int32(), pa.int64(), pa.string()
PLACES = ["a/b=c d%é", "", None, "日本", "x?y&z#", "trail ", "a", "a"]
ALL, COUNT = "select * from t", "select count(*) as n from t"
OLD_DATE = "select * from t where p = date '1969-12-31'"
DELETE = "delete from {} where id = 3"
ON_READ = "'write.delete.mode' = 'merge-on-read', 'write.delete.granularity' = 'partition'"
# A table for each feature that a program reads wrong: columns, partitions, format, statements after its rows, a query.
# Its location is a URI, so that iceberg-rust reads it, too.
TRIALS: dict[str, tuple[readers.Feature | None, str, str, int, list[str], str]] = {
    "counted": (readers.POSITION_DELETES, "id int, p int", "p", 2, [DELETE], COUNT),
    "vectors": (readers.DELETION_VECTORS, "id int, p int", "bucket(1, p)", 3, [DELETE], ALL),
    "widened": (readers.WIDENED_PARTITION, "id int, p int", "p", 2,
                [DELETE, "alter table {} alter column p type bigint"], ALL),
    "letters": (readers.NON_ASCII_PARTITION, "id int, `größe` int", "`größe`", 2, [], ALL),
    "days": (readers.DAY_PARTITION, "id int, p timestamp_ntz", "days(p)", 2, [],
             "select * from t where p >= timestamp '1969-12-31 11:00:00' and p < timestamp '1970-01-01 00:00:00'"),
    "decimal": (readers.DECIMAL_PARTITION, "id int, p decimal(9,2)", "truncate(50, p)", 2, [],
                "select * from t where p = -0.01"),
    "months": (readers.TIME_PARTITION, "id int, p date", "months(p)", 2, [], OLD_DATE),
    # The same questions of tables that have none of these.
    "dates": (None, "id int, p date", "bucket(4, p)", 2, [], OLD_DATE),
    "hours": (None, "id int, p timestamp_ntz", "hours(p)", 2, [],
              "select * from t where p >= timestamp '1969-12-31 11:00:00' and p < timestamp '1970-01-01 00:00:00'"),
}  # fmt: skip
VALUES = {
    "int": ["1", "1", "2", "2", "3", "3"],
    "timestamp_ntz": [
        f"timestamp_ntz '{day} {hour}:00:00'" for day in ("1969-12-31", "1970-01-02") for hour in (10, 12)
    ],
    "decimal(9,2)": ["-0.01", "0.00", "123.45"],
    "date": ["date '1969-12-31'", "date '1970-01-01'", "date '1969-11-30'"],
}


def columns(ids: list[int], number: pa.DataType, mark: str) -> dict[str, Any]:
    """Columns of rows with these keys; `number` is the type of the column that is widened."""
    instants = [datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(9999, 12, 31, 23, 59), None]
    every = range(len(ids))
    return {
        "id": typed(INT, *ids),
        "n": typed(number, *(None if i % 3 == 2 else (2**40 if number == LONG else 2**31 - 1) - i for i in ids)),
        "with space": typed(TEXT, *(PLACES[i % 8] for i in ids)),
        "größe": typed(TEXT, *(f"{mark} ß{i}" for i in ids)),
        "列名": typed(TEXT, *(None if i % 2 else '{"a":1}' for i in ids)),
        "MixedCase": typed(pa.bool_(), *(i % 2 == 0 for i in ids)),
        "select": typed(pa.float64(), *([float("nan"), -0.0, float("inf"), 5e-324][i % 4] for i in ids)),
        "dot.name": typed(pa.binary(), *(bytes([i, 255, 0]) for i in ids)),
        'quote"d': typed(pa.date32(), *([date(1, 1, 1), date(1969, 12, 31), None][i % 3] for i in ids)),
        "price": typed(pa.decimal128(38, 18), *(Decimal(f"{i - 3}.000000000000000001") for i in ids)),
        "at": typed(
            pa.timestamp("us", "UTC"), *(instants[i % 4] and instants[i % 4].replace(tzinfo=timezone.utc) for i in ids)
        ),
        "at_ntz": typed(pa.timestamp("us"), *(instants[i % 4] for i in ids)),
        "nested": pa.array([{"list": [i, None], "text": mark} for i in ids]),
        "ts": typed(TEXT, *(f"2024-01-31 23:00:0{len(mark)}" for _ in every)),
    }


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("read", "parquet", "timestamp_column=ts")
    lakehouse.add_table("read", "awkward", partition_by="with space")
    lakehouse.add_table("read", "switched", write_mode="")
    lakehouse.make_models()
    awkward, switched = Files(lakehouse.raw, "read", "awkward"), Files(lakehouse.raw, "read", "switched")

    def build() -> list[str]:
        statuses = lakehouse.statuses("run", "--select", "+silver_s__awkward", "+silver_s__switched")
        assert set(statuses.values()) == {"success"}, lakehouse.messages
        return lakehouse.messages

    for files in (awkward, switched):
        files.put("LOAD00000001", **columns(list(range(24)), INT, ""))
    build()
    for batch, number, ids in ((1, INT, [0, 1, 8, 9]), (2, LONG, [8, 2, 3, 30])):
        for files in (awkward, switched):
            changed = columns(ids, number, "c" * batch)
            files.put(at(batch), Op=["U", "U", "D", "U"] if batch == 1 else ["I", "D", "U", "I"], **changed)
        lakehouse.said_before = build()
    switched_row = next(row for row in lakehouse.rows["cdc_tables.csv"] if row["source_table"] == "switched")
    switched_row["readers"] = "databricks"
    lakehouse.make_models()
    for files in (awkward, switched):
        files.put(at(3), Op=["U", "D"], **columns([4, 5], LONG, "ccc"))
    lakehouse.said = build()
    return lakehouse


@pytest.fixture(scope="module")
def trials(lakehouse):
    for name, (_, columns, partition, version, statements, _) in TRIALS.items():
        table = f"silver.trial_{name}"
        lakehouse.sql(
            f"create table {table} ({columns}) using iceberg partitioned by ({partition})"
            f" location 'file://{lakehouse.warehouse}/trials/{name}'"
            f" tblproperties ('format-version' = '{version}', {ON_READ})"
        )
        values = VALUES[columns.rsplit(" ", 1)[-1]]
        rows = ", ".join(f"({number}, {value})" for number, value in enumerate(values, start=1))
        lakehouse.sql(f"insert into {table} values {rows}")
        for statement in statements:
            lakehouse.sql(statement.format(table))
    return tuple(TRIALS)


@pytest.fixture(scope="module")
def trino(lakehouse, tmp_path_factory):
    """The address of a Trino server; none if it is not asked for."""
    if "TRINO" not in os.environ:
        yield ""
        return
    spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    jars = spark.sparkContext.getConf().get("spark.jars").split(",")
    driver = next(Path(jar.removeprefix("file:")) for jar in jars if "sqlite-jdbc" in jar)
    with run_trino(tmp_path_factory.mktemp("trino"), lakehouse.warehouse, driver) as address:
        yield address


@pytest.fixture(scope="module")
def ask(lakehouse, trino, tmp_path_factory):
    """Has a program answer a query of each table: the rows, or an error."""
    subprocess.run(["make", "--silent", ".venv-readers/.ready"], cwd=ROOT, check=True)
    folder = tmp_path_factory.mktemp("read")

    def write_rows(table: str, query: str) -> dict[str, str]:
        spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        rows, path = arrow_of(spark.sql(query.replace(" from t", f" from {table}"))), folder / f"{table}.arrow"
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, rows.schema) as writer:
            writer.write_table(rows)
        return {"metadata": str(path)}

    def find_table(table: str, query: str) -> dict[str, str]:
        log = f"select file from {table}.metadata_log_entries order by timestamp desc, file desc limit 1"
        uri = lakehouse.sql(log)[0].file
        path = "/" + uri.removeprefix("file:").lstrip("/")
        folder = str(Path(path).parents[1])
        return {"metadata": path, "uri": uri, "folder": folder, "table": table, "query": query}

    def ask(program: str, questions: dict[str, str]) -> dict[str, Any]:
        describe = write_rows if program == "arrow" else find_table
        lines = [json.dumps(describe(table, query)) for table, query in questions.items()]
        done = subprocess.run(
            [ROOT / ".venv-readers/bin/python", ROOT / "tests/readers/read.py", program],
            input="\n".join(lines),
            env={"HOME": str(folder), "TZ": "UTC", "PATH": "/usr/bin:/bin", "TRINO_ADDRESS": trino},
            capture_output=True,
            text=True,
            check=False,
        )
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        rows = [answer.get("rows", answer.get("error")) for answer in answers]
        rows += [f"exit code {done.returncode}: {done.stderr[-500:]}"] * (len(questions) - len(answers))
        return dict(zip(questions, rows, strict=True))

    return ask


@pytest.fixture(scope="module")
def expected(ask):
    """The tables as Spark reads them."""
    rows = ask("arrow", dict.fromkeys(("silver.s__awkward", "silver.s__switched"), ALL))
    assert [row["id"] for row in rows["silver.s__awkward"] if row["id"] in ("1", "2", "8", "9", "30")] == [
        "1",
        "30",
        "8",
        "9",
    ]
    return rows


@pytest.fixture(scope="module")
def right(ask, trials):
    """Answers of Spark to both queries of each trial, by table and query."""
    own = {f"silver.trial_{name}": TRIALS[name][-1] for name in trials}
    return {
        (table, queries[table]): rows
        for queries in (dict.fromkeys(own, ALL), own)
        for table, rows in ask("arrow", queries).items()
    }


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_reads_every_value_and_wrong_only_what_the_page_says(ask, expected, trials, right, program):
    """A limit that is gone fails here, and goes from `LIMITS`. Small tables do not show those that were "seen"."""
    queries = {name: TRIALS[name][-1] for name in trials}
    if program not in IN_SQL:
        queries = {name: query if query == COUNT and program == "daft" else ALL for name, query in queries.items()}
    # A failure is the end of DuckDB's process, and spoils the next answer of ClickHouse.
    last = {"duckdb": "letters", "clickhouse": "vectors"}.get(program, "")
    tables = {f"silver.trial_{name}": queries[name] for name in sorted(queries, key=lambda name: name == last)}
    answers = ask(program, dict.fromkeys(expected, ALL) | tables)
    if program == "trino":  # its names of columns are lower-case
        expected = {
            table: [{name.lower(): row[name] for name in row} for row in rows] for table, rows in expected.items()
        }
    assert {table: answers[table] for table in expected} == expected
    wrong = {
        TRIALS[table.removeprefix("silver.trial_")][0]
        for table, query in tables.items()
        if answers[table] != right[table, query]
    }
    tried = {limit.feature for limit in LIMITS if limit.reader == program and limit.source.startswith("tried")}
    assert wrong == tried, answers


def test_a_table_that_gets_other_readers_is_written_for_them(lakehouse):
    """The properties change with the next batch; files of deletes that are there stay until the table is rebuilt."""

    def count_deletes(table: str) -> int:
        return lakehouse.sql(f"select count(*) as n from silver.{table}.delete_files")[0].n

    modes = {row.key: row.value for row in lakehouse.sql("show tblproperties silver.s__switched")}
    assert [modes[f"write.{kind}.mode"] for kind in ("merge", "update", "delete")] == ["copy-on-write"] * 3
    assert any("silver.s__switched is written copy-on-write from now on" in line for line in lakehouse.said)
    assert not any("from now on" in line for line in lakehouse.said_before)
    last = "select summary from silver.{}.snapshots order by committed_at desc limit 1"
    assert "added-delete-files" not in lakehouse.sql(last.format("s__switched"))[0].summary
    assert "added-delete-files" in lakehouse.sql(last.format("s__awkward"))[0].summary
    rows = lakehouse.table("switched", "id, n, `größe`")
    assert rows == lakehouse.table("awkward", "id, n, `größe`") and count_deletes("s__switched") > 0
    assert lakehouse.dbt("run-operation", "rebuild_silver", "--args", "{table: s__switched}").success
    assert count_deletes("s__switched") == 0 and lakehouse.table("switched", "id, n, `größe`") == rows
