"""`make demo-kafka`: scenario C live. MariaDB, Debezium, a Kafka broker, and the tables that follow them.

Everything is in a temporary folder, and every server ends with the demonstration, also after Ctrl-C.
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import capture
import databases
import sqlalchemy
from processes import ServerError

from python_udfs.cli.console import run_command, say, text_table
from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.errors import LakehouseError
from python_udfs.metadata import FEEDS_FILE, HEADERS
from python_udfs.paths import PROJECT_ROOT
from python_udfs.watch.loop import Watch
from tests.e2e.lakehouse import Lakehouse

FEED = "orders"
TABLES = ("user", "product", "user_order")
SOURCE = (
    """create table test_db.user (id int auto_increment primary key, name varchar(155), device_model varchar(155),
    email varchar(50), phone varchar(50), create_time timestamp default current_timestamp not null,
    modify_time timestamp default current_timestamp null on update current_timestamp)""",
    """create table test_db.product (pid int primary key, pname varchar(155), pprice decimal(10,2),
    create_time timestamp default current_timestamp not null,
    modify_time timestamp default current_timestamp null on update current_timestamp)""",
    """create table test_db.user_order (id int auto_increment primary key, oid varchar(155) not null, uid int, pid int,
    onum int, create_time timestamp default current_timestamp not null,
    modify_time timestamp default current_timestamp null on update current_timestamp)""",
)
FIRST = (
    "insert into test_db.user (name, device_model) values ('customer-01', 'dm-01'), ('customer-02', 'dm-02')",
    "insert into test_db.product (pid, pprice) values (1, 125.12), (2, 225.31)",
    """insert into test_db.user_order (oid, uid, pid, onum) values
    ('o10001', 1, 1, 100), ('o10002', 1, 2, 30), ('o10001', 2, 1, 22), ('o10002', 2, 2, 16)""",
)
CHANGES = (
    "update test_db.product set pprice = 130.00 where pid = 1",
    "delete from test_db.user_order where id = 4",
    "insert into test_db.user_order (oid, uid, pid, onum) values ('o10003', 1, 1, 5)",
)
NEW_COLUMN = (
    "alter table test_db.user add column age int",
    "insert into test_db.user (name, device_model, age) values ('customer-03', 'dm-03', 18)",
)
SHOWN = {
    "user": "id, name, device_model",
    "product": "pid, pprice",
    "user_order": "id, oid, uid, pid, onum",
}


class DemoError(LakehouseError):
    """The demonstration cannot start, or did not end as it must."""


def run() -> None:
    """Starts the servers, changes the source in three steps, and shows silver after each.

    Raises:
        DemoError: a server cannot be had, or silver is not what the source has.
    """
    with tempfile.TemporaryDirectory(prefix="demo-kafka-", ignore_cleanup_errors=True) as folder:
        os.environ |= {"LAKEHOUSE_RAW": f"{folder}/raw", "LAKEHOUSE_WAREHOUSE": f"{folder}/warehouse"}
        say("1/5 Starting MariaDB, a Kafka broker and Debezium (the first time they are installed) ...")
        try:
            with databases.mariadb() as url, capture.started() as servers:
                engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
                _do(engine, "create database test_db", *SOURCE, *FIRST)
                with servers.connector(url, "live", ["test_db"], "schema") as source:
                    _follow(Path(folder), engine, servers.broker, source)
                engine.dispose()
        except ServerError as error:
            raise DemoError(str(error)) from None
    say("Everything is stopped, and nothing is left.")


def _follow(folder: Path, engine: sqlalchemy.Engine, broker: str, source: capture.Connector) -> None:
    project = project_of(folder, broker)
    dbt = WarmDbt(project)
    dbt.result("seed")
    watch = Watch(dbt, spark_session, project)

    say("2/5 The first cycle: the snapshot of three tables, read from Kafka")
    _cycle(watch, source)
    _show(*TABLES)

    say("3/5 The source changes: one update, one delete, one insert")
    _do(engine, *CHANGES)
    _cycle(watch, source)
    _show("product", "user_order")

    say("4/5 alter table user add column age int, and a user of age 18. Nobody touches the pipeline")
    _do(engine, *NEW_COLUMN)
    _cycle(watch, source)
    _show("user", columns=f"{SHOWN['user']}, age")

    say("5/5 Nothing new")
    if watch.cycle():
        raise DemoError("A cycle built something, though no message had come.")
    dbt.result("run", "--select", "kafka_gaps", "kafka_lag")
    lag = (
        spark_session()
        .table("etl_metadata.kafka_lag")
        .where("topic like 'live.test_db.%'")
        .orderBy("topic", "partition")
    )
    head = ("topic", "partition", "next offset", "messages behind")
    lines = [(row.topic, row.partition, row.next_offset, row.messages_behind) for row in lag.collect()]
    say(text_table(head, [[str(cell) for cell in line] for line in lines], "<>>>"))
    _compare(engine)
    say("Checked: silver equals the source, row for row.")
    spark_session().stop()


def project_of(folder: Path, broker: str) -> Path:
    """A copy of this project with one feed, which reads Kafka; its tables are those of the sample."""
    lakehouse = Lakehouse(folder)
    for file in HEADERS:
        with (PROJECT_ROOT / "seeds" / file).open(encoding="utf-8", newline="") as lines:
            lakehouse.rows[file][:] = [row for row in csv.DictReader(lines) if row.get("feed") == FEED]
    [feed] = lakehouse.rows[FEEDS_FILE]
    feed |= {"location": f"kafka://{broker}", "options": r"topic_pattern=live\.test_db\..*"}
    with redirect_stdout(StringIO()):
        lakehouse.make_models()
    return lakehouse.project


def _do(engine: sqlalchemy.Engine, *statements: str) -> None:
    with engine.connect() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def _cycle(watch: Watch, source: capture.Connector) -> None:
    source.wait()
    if not watch.cycle():
        raise DemoError("The messages did not come: Kafka has no new ones.")


def _show(*tables: str, columns: str = "") -> None:
    for table in tables:
        names = columns or SHOWN[table]
        rows = spark_session().sql(f"select {names} from silver.test_db__{table} order by 1").collect()
        lines = [["NULL" if cell is None else str(cell) for cell in row] for row in rows]
        say(f"\nsilver.test_db__{table}\n{text_table(names.split(', '), lines, '<' * len(names.split(', ')))}")
    say()


def _compare(engine: sqlalchemy.Engine) -> None:
    wrong = []
    for table, columns in SHOWN.items():
        names = f"{columns}, age" if table == "user" else columns
        with engine.connect() as connection:
            wanted = sorted(_texts(connection.exec_driver_sql(f"select {names} from test_db.{table}").all()))
        actual = sorted(_texts(spark_session().sql(f"select {names} from silver.test_db__{table}").collect()))
        if actual != wanted:
            wrong.append(f"  {table}: silver {actual}, source {wanted}")
    if wrong:
        raise DemoError("Silver is not what the source has:\n" + "\n".join(wrong))


def _texts(rows: Sequence[Sequence[object]]) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in rows]


if __name__ == "__main__":
    sys.exit(run_command(run))
