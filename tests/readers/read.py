"""Prints tables as a program reads them, with nothing of this project and no Spark: one line of JSON per question.

usage: read.py <program> with questions on standard input, each a line of JSON
    {"metadata": path of the table's newest metadata file, "uri": the same as the catalog has it,
     "folder": path of the table, "table": its name, "query": SQL over the table t}
An answer is {"rows": [{column: text}], sorted} or {"error": text}. Values are written alike for all programs:
timestamps in UTC, texts and bytes as text.
"""

from __future__ import annotations

import json
import os
import re
import sys
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa


def read_arrow(question: dict[str, str]) -> pa.Table:
    """The rows that somebody else has read, as a file of Arrow."""
    return pa.ipc.open_file(question["metadata"]).read_all()


def read_pyiceberg(question: dict[str, str]) -> pa.Table:
    return _static_table(question).scan().to_arrow()


def read_polars(question: dict[str, str]) -> pa.Table:
    polars = import_module("polars")
    return polars.scan_iceberg(_static_table(question)).collect().to_arrow()


def read_daft(question: dict[str, str]) -> pa.Table:
    daft = import_module("daft")
    rows = daft.read_iceberg(_static_table(question))
    if question["query"] == "select count(*) as n from t":
        return pa.table({"n": [rows.count_rows()]})
    return rows.to_arrow()


def read_datafusion(question: dict[str, str]) -> pa.Table:
    context = import_module("datafusion").SessionContext()
    context.register_table("t", _static_table(question, "uri"))
    return context.sql(question["query"]).to_arrow_table()


def read_duckdb(question: dict[str, str]) -> pa.Table:
    duckdb = import_module("duckdb")
    database = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    # From packages: DuckDB itself would fetch them from a server of its own.
    for name in ("avro", "iceberg"):
        folder = Path(import_module(f"duckdb_extension_{name}").__file__).parent
        database.execute(f"load '{folder}/extensions/v{duckdb.__version__}/{name}.duckdb_extension'")
    database.execute(f"create view t as select * from iceberg_scan('{question['metadata']}')")
    return database.sql(question["query"]).to_arrow_table()


def read_clickhouse(question: dict[str, str]) -> pa.Table:
    os.chdir("/")  # it reads files below its folder only
    chdb = import_module("chdb")
    query = question["query"].replace(" from t", f" from icebergLocal('{question['folder']}')")
    # Its own literals begin with 1970.
    query = re.sub("date ('[^']+')", r"toDate32(\1)", query)
    query = re.sub("timestamp ('[^']+')", r"toDateTime64(\1, 6)", query)
    # Texts as bytes: binary columns are none.
    answer = chdb.query(f"{query} settings session_timezone = 'UTC', output_format_arrow_string_as_string = 0", "Arrow")
    return pa.ipc.open_file(pa.py_buffer(answer.bytes())).read_all()


def read_trino(question: dict[str, str]) -> pa.Table:
    address = urlsplit(os.environ["TRINO_ADDRESS"])
    client = import_module("trino.dbapi").connect(
        host=address.hostname, port=address.port, user="test", catalog="lakehouse", timezone="UTC"
    )
    cursor = client.cursor().execute(question["query"].replace(" from t", f" from {question['table']}"))
    rows = cursor.fetchall()
    names = [column.name for column in cursor.description]
    return pa.table({name: pa.array([row[i] for row in rows]) for i, name in enumerate(names)})


def _static_table(question: dict[str, str], path: str = "metadata") -> Any:
    return import_module("pyiceberg.table").StaticTable.from_metadata(question[path])


def write_rows(table: pa.Table) -> list[dict[str, str | None]]:
    """The rows as texts, in the order of their texts."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_time = pa.types.is_timestamp(column.type)
        values = column.cast(pa.timestamp("us")).cast(pa.string()) if is_time else column
        columns[name] = [None if value is None else _write_value(value) for value in values.to_pylist()]
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return sorted(rows, key=repr)


def _write_value(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, float):
        return repr(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


if __name__ == "__main__":
    read = globals()[f"read_{sys.argv[1]}"]
    for line in sys.stdin:
        try:
            answer = {"rows": write_rows(read(json.loads(line)))}
        except BaseException as error:  # iceberg-rust's panics are none of Exception
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
