"""Real databases to silver: what is captured while they change is, after each build, what they have.

Debezium captures both. Its messages come as files of a sink, those of some tables (`make prove`: of each) also from the
broker itself, as tables `kafka_…`. Of MariaDB the binary log also becomes files of DMS's, as tables of schemas `dms_…`.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import uuid
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import capture
import pytest
import sqlalchemy as sa
from binlog import BinlogTask
from workload import Workload

from python_udfs.discover.__main__ import main as discover
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, HEADERS, TABLES_FILE
from tests.e2e.lakehouse import Lakehouse
from tests.proof import IS_PROOF

# Keys that the source does not declare.
IDS = ("store", "product", "productorder")
# Begins the names in silver of tables that are read from the broker, and which ones are.
KAFKA = "kafka_"
FROM_BROKER = ("test_db.awkward", "test_db.user")
# Begins the schemas that DMS writes: a rule of its task renames them.
DMS = "dms_"
# All that DMS does at a truncate is to remove files, so the table has to stay empty until they are listed. This one is
# changed before and after it is emptied, and DMS does not take it.
EMPTIED = "sampledb.store"


@pytest.mark.parametrize("database", ["mariadb", "postgres"])
def test_silver_is_what_the_source_has(lakehouse, request, database):
    url = request.getfixturevalue(database)
    workload = Workload(url, largest=6_000)
    workload.log_whole_rows("test_db.awkward")
    workload.insert(10)
    describe(lakehouse, url, workload.schemas)
    landing = lakehouse.raw / "live"
    dms, selected = None, []
    if database == "mariadb":
        selected = [name for name in workload.tables if name != EMPTIED]
        dms = BinlogTask(workload, selected, lakehouse.raw / "dms", DMS)
        describe_dms(lakehouse, selected)
    kinds = Counter[str]()
    with (
        capture.started() as running,
        running.connector(url, f"live_{database}", workload.schemas, "schema") as source,
    ):
        from_broker = [name for name in workload.tables if name in FROM_BROKER or IS_PROOF]
        describe_topics(lakehouse, running.broker, f"live_{database}", from_broker)
        for batch in range(3):
            if batch:
                workload.run(75, add_columns=1, truncates=0)
                kinds += dms.write() if dms else Counter()
                if batch == 2:
                    workload.truncate(EMPTIED)
                workload.run(75, add_columns=0, truncates=0)
                if batch == 1:
                    workload.truncate("test_db.user")
                kinds += dms.write() if dms else Counter()
            source.catch_up(landing)
            # The comparison after the last build looks at all that the ones before have done.
            statuses = lakehouse.run_and_compare() if batch == 2 else lakehouse.statuses("run")
            assert set(statuses.values()) <= {"success", "pass", "warn"}, statuses
            for name in workload.tables:
                assert_same(lakehouse, workload, name)
            for name in from_broker:
                assert_same(lakehouse, workload, name, target=KAFKA)
            for name in selected:
                assert_same(lakehouse, workload, name, DMS)
    added = [(name, column) for name, table in workload.tables.items() for column in table.columns if is_added(column)]
    assert len(added) == 2
    assert all(any(row[column.name] is not None for row in workload.rows(name)) for name, column in added)
    assert not dms or all(kinds[kind] for kind in ("I", "U", "D", "key", "truncate")), kinds


def describe(lakehouse: Lakehouse, url: str, schemas: list[str], options: str = "") -> None:
    """The metadata that make discover proposes, with the keys that the source does not declare."""
    lakehouse.rows[FEEDS_FILE].append(
        {"feed": "live", "connector": "debezium", "format": "json", "location": "live", "options": options}
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


def describe_topics(lakehouse: Lakehouse, broker: str, prefix: str, names: list[str]) -> None:
    """Tables of Debezium's once more, read from all topics of the connector: also its heartbeats and transactions."""
    options = rf"topic_pattern=(__debezium-heartbeat\.)?{prefix}(\..*)?"
    feed = {"feed": "topics", "connector": "debezium", "format": "json", "location": f"kafka://{broker}"}
    lakehouse.rows[FEEDS_FILE].append({**feed, "options": options})
    for file in (TABLES_FILE, COLUMNS_FILE):
        rows = [row for row in lakehouse.rows[file] if row["feed"] == "live"]
        lakehouse.rows[file] += [
            {**row, "feed": "topics"}
            | ({"target_table": f"{KAFKA}{row['source_schema']}__{row['source_table']}"} if file == TABLES_FILE else {})
            for row in rows
            if f"{row['source_schema']}.{row['source_table']}" in names
        ]
    lakehouse.make_models()


def describe_dms(lakehouse: Lakehouse, names: list[str]) -> None:
    """Tables once more, as parquet files of DMS's; these bring the columns and their types."""
    lakehouse.add_feed("dms", "parquet", "timestamp_column=committed_at;before_image_prefix=BI_")
    tables = lakehouse.rows[TABLES_FILE]
    for row in [row for row in tables if f"{row['source_schema']}.{row['source_table']}" in names]:
        renamed = {"feed": "dms", "source_schema": f"{DMS}{row['source_schema']}", "vanished_files": "truncate"}
        tables.append({**row, **renamed})
    lakehouse.make_models()


def is_added(column: sa.Column[Any]) -> bool:
    return column.name.startswith("added_")


def assert_same(
    lakehouse: Lakehouse,
    workload: Workload,
    name: str,
    prefix: str = "",
    target: str = "",
    made: Mapping[str, Callable[[Any], Any]] = MappingProxyType({}),
    may_be_lost: Sequence[str] = (),
    may_stay: Container[tuple[str, ...]] = (),
) -> set[tuple[str, ...]]:
    """Every row and every column of a table is in silver as in the source.

    Args:
        lakehouse: where silver is.
        workload: where the source is.
        name: `<schema>.<table>` in the source.
        prefix: of the schema in the lakehouse: that of the feed.
        target: of the table's name in silver.
        made: what the connector makes of a value of the source that is not NULL, by column.
        may_be_lost: columns that may be NULL in silver.
        may_stay: keys that silver may have and the source has not.

    Returns:
        The values that are NULL in silver alone: table, column and key.
    """
    schema, table = f"{prefix}{name}".split(".")
    columns = list(workload.tables[name].columns.keys())
    if prefix:
        types = {"bits": "bits"}
    else:
        # A column that no seed names comes as text.
        types = {c.name: "double" for c in workload.tables[name].columns if not isinstance(c.type, sa.String)}
        types |= {
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

    def captured(row: dict[str, Any]) -> dict[str, Any]:
        changed = {column: make(row[column]) for column, make in made.items() if row[column] is not None}
        return row | changed

    actual = lakehouse.sql(f"select * from silver.{target}{schema}__{table}")
    source = [captured(dict(row)) for row in workload.rows(name)]
    wanted, has = by_key(source), by_key([dict.fromkeys(columns) | row.asDict() for row in actual])
    assert len(has) == len(actual), f"{target}{prefix}{name}: two rows of one key"
    different = {key for key in has.keys() ^ wanted.keys() if key in wanted or key not in may_stay}
    assert not different, f"{target}{prefix}{name}: {different}"
    for k, row in wanted.items():
        if row.get("free") is not None and has[k]["free"] is not None:
            has[k]["free"] = Decimal(has[k]["free"])
    lost = {
        (name, c, *k) for k, row in wanted.items() for c in may_be_lost if row.get(c) is not None and has[k][c] is None
    }
    wrong = [
        f"{target}{prefix}{name} {k} {c} ({types.get(c)}): silver {has[k][c]!r}, source {wanted[k][c]!r}"
        for k in wanted
        for c in columns
        if has[k][c] != wanted[k][c] and (name, c, *k) not in lost
    ]
    assert not wrong, "\n".join(wrong[:20])
    return lost


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
    if data_type == "bits" and isinstance(value, int):
        return value.to_bytes(2, "big")
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
