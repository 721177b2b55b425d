"""Real databases to silver: what Debezium captures while the databases change is, after each build, what they have."""

from __future__ import annotations

import csv
import datetime as dt
import json
import uuid
from decimal import Decimal
from typing import Any

import capture
import pytest
from workload import Workload

from python_udfs.discover.__main__ import main as discover
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, HEADERS, TABLES_FILE
from tests.e2e.lakehouse import Lakehouse

# Keys that the source does not declare.
IDS = ("store", "product", "productorder")


@pytest.mark.parametrize("database", ["mariadb", "postgres"])
def test_silver_is_what_the_source_has(lakehouse, request, database):
    url = request.getfixturevalue(database)
    workload = Workload(url, largest=6_000)
    if database == "postgres":
        # A long text that a change of the key leaves alone is not in the log otherwise (docs/feeds/debezium.md).
        with workload.engine.begin() as connection:
            connection.exec_driver_sql("alter table test_db.awkward replica identity full")
    workload.insert(10)
    lakehouse.clear()
    describe(lakehouse, url, workload.schemas)
    landing = lakehouse.raw / "live"
    with (
        capture.started() as running,
        running.connector(url, f"live_{database}", workload.schemas, "schema") as source,
    ):
        for changes in (0, 150, 150):
            if changes:
                workload.run(changes, add_columns=0, truncates=int(changes == 150))
            source.catch_up(landing)
            statuses = lakehouse.build()
            assert set(statuses.values()) <= {"success", "pass", "warn"}, statuses
            for name in workload.tables:
                assert_same(lakehouse, workload, name)


def describe(lakehouse: Lakehouse, url: str, schemas: list[str]) -> None:
    """The metadata that make discover proposes, with the keys that the source does not declare."""
    lakehouse.rows[FEEDS_FILE].append(
        {"feed": "live", "contract": "debezium", "format": "json", "location": "live", "options": ""}
    )
    lakehouse.make_models()
    arguments = ["--source", url, "--feed", "live", "--schemas", " ".join(schemas), "--append", "1"]
    assert discover([*arguments, "--project-dir", str(lakehouse.project)]) == 0
    for file in HEADERS:
        with (lakehouse.project / "seeds" / file).open(encoding="utf-8", newline="") as lines:
            lakehouse.rows[file][:] = csv.DictReader(lines)
    for row in lakehouse.rows[TABLES_FILE]:
        if row["source_schema"] == "sampledb" and row["source_table"] in IDS:
            row.update(primary_key="id", mode="current")
    for row in lakehouse.rows[COLUMNS_FILE]:
        # PostgreSQL's numeric without a precision has values that no decimal type holds.
        row.update(data_type="string" if row["column_name"] == "free" else row["data_type"])
    lakehouse.make_models()


def assert_same(lakehouse: Lakehouse, workload: Workload, name: str) -> None:
    schema, table = name.split(".")
    columns = list(workload.tables[name].columns.keys())
    types = {
        row["column_name"]: row["data_type"]
        for row in lakehouse.rows[COLUMNS_FILE]
        if (row["source_schema"], row["source_table"]) == (schema, table)
    }

    def by_key(rows: list[dict[str, Any]]) -> dict[tuple[str, ...], dict[str, Any]]:
        return {
            tuple(str(row[part]) for part in workload.keys[name]): {
                column: as_silver(row[column], types.get(column, "string")) for column in columns
            }
            for row in rows
        }

    found = lakehouse.sql(f"select {', '.join(f'`{column}`' for column in columns)} from silver.{schema}__{table}")
    wanted, has = by_key(workload.rows(name)), by_key([row.asDict() for row in found])
    assert len(has) == len(found), f"{name}: two rows of one key"
    assert has.keys() == wanted.keys(), f"{name}: {has.keys() ^ wanted.keys()}"
    for k, row in wanted.items():
        if row.get("free") is not None and has[k]["free"] is not None:
            has[k]["free"] = Decimal(has[k]["free"])
    wrong = [
        f"{name} {k} {c} ({types.get(c)}): silver {has[k][c]!r}, source {wanted[k][c]!r}"
        for k in wanted
        for c in columns
        if has[k][c] != wanted[k][c]
    ]
    assert not wrong, "\n".join(wrong[:20])


def as_silver(value: Any, data_type: str) -> Any:
    """A value of the source and one of silver in the same form."""
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.timezone.utc).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, dt.timedelta):
        return (dt.datetime.min + value).time().isoformat("microseconds")
    if isinstance(value, dt.time):
        return value.isoformat("microseconds")
    if isinstance(value, (dt.date, uuid.UUID)):
        return str(value)
    if isinstance(value, set):
        return ",".join(sorted(value))
    if isinstance(value, (dict, list)):
        return value
    if data_type == "binary" and isinstance(value, int):
        return value.to_bytes(2, "little")  # BIT(10)
    if isinstance(value, (bool, int, float, Decimal)):
        return as_number(value)
    if data_type == "string" and value[:1] in "{[":
        try:
            return json.loads(value)
        except ValueError:
            return value
    try:
        return as_number(Decimal(value)) if data_type != "string" else value
    except ArithmeticError:
        return value


def as_number(value: Any) -> Any:
    return float(value) if isinstance(value, float) else Decimal(int(value) if isinstance(value, bool) else value)
