"""Writes samples/: real messages of each kind, as files of the S3 sink. Run it when Debezium's version changes.

`python tests/real/make_samples.py`; samples/README.md describes them. Positions and times differ with every run.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import capture
import databases
import sqlalchemy
from workload import Workload

SAMPLES = Path(__file__).with_name("samples")
TABLE = "salesdb.customer"
# Longer than 2 kB, and kept uncompressed: PostgreSQL moves it out of the row.
LONG = "".join(chr(97 + n * n % 26) for n in range(2100))

CREATE = {
    "mariadb": [
        "create or replace database salesdb",
        "create table salesdb.customer (custid int primary key, name varchar(100), mktsegment varchar(100) "
        "default 'BUILDING', credit decimal(12,2), note longtext)",
    ],
    "postgres": [
        "drop schema if exists salesdb cascade",
        "create schema salesdb",
        "create table salesdb.customer (custid int primary key, name varchar(100), mktsegment varchar(100) "
        "default 'BUILDING', credit decimal(12,2), note text)",
        "alter table salesdb.customer alter column note set storage external",
    ],
}
BEFORE = [
    f"insert into {TABLE} values (1, 'Customer Name 1', 'Market segment 1', 123.45, 'short')",
    f"insert into {TABLE} values (2, 'Anna \"Ä\"', null, -1, null)",
    f"insert into {TABLE} values (3, 'Customer Name 3', 'Market segment 3', 0, '{LONG}')",
]
# Each is a transaction. The connector's messages in the topic of the table are then the sample of that name.
STEPS = {
    "insert": [f"insert into {TABLE} values (8887, 'Customer Name 8887', 'Market segment 8887', 10.2345, null)"],
    "update": [f"update {TABLE} set name = 'Customer Name update 1', mktsegment = null where custid = 1"],
    "key_update": [f"update {TABLE} set custid = 9000 where custid = 8887"],
    "delete": [f"delete from {TABLE} where custid = 2"],
    "toast": [f"update {TABLE} set credit = 12345.00 where custid = 3"],
    "toast_key_update": [f"update {TABLE} set custid = 30 where custid = 3"],
    "several_statements": [
        f"insert into {TABLE} (custid, name) values (11, 'a'), (12, 'b')",
        f"update {TABLE} set name = 'c' where custid in (11, 12)",
        f"delete from {TABLE} where custid = 11",
        f"insert into {TABLE} (custid, name) values (11, 'd')",
    ],
    "keys_shifted": {
        "mariadb": [f"update {TABLE} set custid = custid + 1 where custid in (11, 12) order by custid desc"],
        "postgres": [
            f"update {TABLE} set custid = 13 where custid = 12",
            f"update {TABLE} set custid = 12 where custid = 11",
        ],
    },
    "add_column": [f"alter table {TABLE} add column age int", f"update {TABLE} set age = 18 where custid = 1"],
    "truncate": [f"truncate table {TABLE}"],
}
# Topics beside the one of the table, and the step whose messages are the sample; a heartbeat comes when it likes.
OTHERS = {
    "schema_change": ("{}", "add_column"),
    "transaction": ("{}.transaction", "several_statements"),
    "heartbeat": ("__debezium-heartbeat.{}", "*"),
    "message": ("{}.message", "update"),
}

EDGES = ("infinity", "-infinity", "0001-01-01", "1970-03-10", "9999-12-31 23:59:59.999", "10000-01-01")
CREATE_EDGES = [
    "drop schema if exists edges cascade",
    "create schema edges",
    "create table edges.edges (id text primary key, source text, day date, micros timestamp, millis timestamp(3), "
    "instant timestamptz)",
]
# A snapshot's dates depend on the time zone of the worker.
EDGES_BY_ZONE = {
    "UTC": ("adaptive", "connect", "isostring", "microseconds", "nanoseconds"),
    "Asia/Tokyo": ("adaptive", "isostring"),
}


def main() -> None:
    """Captures the steps in every form from both databases."""
    for old in SAMPLES.rglob("*.json"):
        old.unlink()
    with databases.mariadb() as mariadb, databases.postgres() as postgres, capture.started(partitions=1) as running:
        for database, url in (("mariadb", mariadb), ("postgres", postgres)):
            for form in capture.FORMS:
                _sample(running, url, f"{database}_{form}", form, SAMPLES / database / form)
                _types(running, url, f"{database}_{form}_types", form, SAMPLES / database / form)
    make_infinities()


def make_infinities() -> None:
    """Writes samples/infinity: times at the edges of PostgreSQL in each `time.precision.mode`, in {schema, payload}."""
    folder = SAMPLES / "infinity"
    folder.mkdir(exist_ok=True)
    with databases.postgres() as url:
        for zone, modes in EDGES_BY_ZONE.items():
            with capture.started(partitions=1, time_zone=zone) as running:
                for mode in modes:
                    _infinities(running, url, f"infinity_{mode}", mode, folder / f"{mode}.{Path(zone).name}.json")


def _infinities(running: capture.Capture, url: str, prefix: str, mode: str, file: Path) -> None:
    """Each edge twice, in the snapshot and after it; `source` has the database's own text of the moment."""
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)

    def insert(phase: str) -> list[str]:
        return [
            f"insert into edges.edges select '{phase} ' || v::text, v::text, v::date, v, v, v at time zone 'UTC' "
            f"from (select timestamp '{edge}' as v) as edge"
            for edge in EDGES
        ]

    def execute(statements: list[str]) -> None:
        with engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    execute([*CREATE_EDGES, *insert("snapshot")])
    with (
        tempfile.TemporaryDirectory() as landing,
        running.connector(url, prefix, ["edges"], "schema", time_precision_mode=mode) as connector,
    ):
        execute(insert("stream"))
        connector.catch_up(Path(landing))
        (captured,) = Path(landing).glob(f"topics/{prefix}.edges.edges/*/*.json")
        shutil.copy(captured, file)


def _sample(running: capture.Capture, url: str, prefix: str, form: capture.Form, folder: Path) -> None:
    database = folder.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)

    def execute(statements: list[str]) -> None:
        with engine.begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)

    execute(CREATE[database])
    execute(BEFORE)
    with (
        tempfile.TemporaryDirectory() as name,
        running.connector(url, prefix, ["salesdb"], form) as connector,
    ):
        landing = Path(name)
        connector.catch_up(landing / "snapshot")
        for step, statements in STEPS.items():
            execute(statements[database] if isinstance(statements, dict) else statements)
            connector.catch_up(landing / step)
        kinds = {step: (f"{{}}.{TABLE}", step) for step in ("snapshot", *STEPS)}
        for kind, (topic, step) in {**kinds, **OTHERS}.items():
            files = sorted(landing.glob(f"{step}/topics/{topic.format(prefix)}/*/*.json"))
            if files:  # one step is one file, as a step is few messages
                shutil.copy(files[0], folder / f"{kind}.json")


def _types(running: capture.Capture, url: str, prefix: str, form: capture.Form, folder: Path) -> None:
    """Rows of each type, one in the snapshot and two after it, and what the source says about them."""
    name = "test_db.awkward"
    workload = Workload(url, seed=3, largest=60)
    workload.insert(1)
    with tempfile.TemporaryDirectory() as landing, running.connector(url, prefix, ["test_db"], form) as connector:
        workload.insert(2)
        connector.catch_up(Path(landing))
        (file,) = Path(landing).glob(f"topics/{prefix}.{name}/*/*.json")
        shutil.copy(file, folder / "types.json")
    rows = [{column: _text(value) for column, value in row.items()} for row in workload.rows(name)]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder.parent / "types.source.json").write_text("".join(lines))


def _text(value: Any) -> str | None:
    return None if value is None else value.hex() if isinstance(value, bytes) else str(value)


if __name__ == "__main__":
    main()
