"""Debezium on a real database: its messages become files in the layout of the S3 sink (docs/feeds/s3_sink.md).

One Kafka broker and one Kafka Connect worker run from their published jars, with Debezium's connectors beside them.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pyspark
import sqlalchemy
from broker import Broker
from confluent_kafka import Consumer, TopicPartition
from databases import free_port
from processes import ServerError, one_at_a_time, running, tail

from python_udfs.discover.connector import JSON_CONVERTER as JSON
from python_udfs.discover.connector import SETTINGS

JARS = Path(__file__).with_name("jars.xml")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cdc-lakehouse"
SECONDS_TO_CATCH_UP = 120
# Both live for a minute, beside a database and Spark.
JAVA_OPTIONS = (
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)

Form = Literal["envelope", "schema", "flattened"]
FORMS: dict[Form, dict[str, str]] = {
    # the envelope alone
    "envelope": {"value.converter.schemas.enable": "false"},
    # {"schema": …, "payload": envelope}
    "schema": {"value.converter.schemas.enable": "true"},
    # the row with fields of the envelope beside it; a delete is a row too
    "flattened": {
        "value.converter.schemas.enable": "false",
        "transforms": "flatten",
        "transforms.flatten.type": "io.debezium.transforms.ExtractNewRecordState",
        "transforms.flatten.delete.tombstone.handling.mode": "rewrite",
        "transforms.flatten.replace.null.with.default": "false",
    },
}
ADDED_FIELDS = {
    "mariadb": "op,table,source.ts_ms,source.snapshot,source.file,source.pos,source.row",
    "postgresql": "op,table,source.ts_ms,source.snapshot,source.lsn,source.sequence",
}
# A table of MariaDB that is not captured. The connector reports its progress only when there is something to read.
MARKER = "capture_marker.marker"


# ---------------------------------------------------------------------------------------------------------------- jars


def java() -> str:
    """The Java that Spark would start."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home, "bin", "java")) if home else "java"


def java_program(time_zone: str = "UTC") -> list[str]:
    """Java with the jars of `class_path`, in a time zone."""
    return [java(), *JAVA_OPTIONS, f"-Duser.timezone={time_zone}", "-cp", class_path()]


def class_path() -> str:
    """The jars that jars.xml names and those they need, from Maven Central, kept in the user's cache.

    Ivy, the resolver that comes with Spark, fetches them.

    Raises:
        ServerError: they cannot be fetched.
    """
    with one_at_a_time("cdc-lakehouse-jars"):
        return _fetched_class_path()


def _fetched_class_path() -> str:
    ready = CACHE / f"class-path-{hashlib.sha256(JARS.read_bytes()).hexdigest()[:16]}"
    if ready.exists() and all(Path(jar).exists() for jar in ready.read_text().split(os.pathsep)):
        return ready.read_text()
    print("Fetching Kafka and Debezium from Maven Central (60 MB) ...", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    ivy = next((Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar"))
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "class-path")
        done = subprocess.run(
            [java(), "-jar", str(ivy), "-warn", "-cache", str(CACHE / "ivy"), "-ivy", str(JARS), "-confs", "default",
             "-cachepath", str(written)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            lines = [line.strip(": \t") for line in (done.stdout + done.stderr).splitlines()]
            missing = [line for line in lines if "#" in line and line.endswith("not found")]
            raise ServerError(f"the jars of {JARS.name} cannot be fetched: {' | '.join(missing or lines[-5:])}")
        jars = written.read_text().strip()
    ready.write_text(jars)
    return jars


# ------------------------------------------------------------------------------------------------------------- capture


@contextmanager
def started(partitions: int = 2, time_zone: str = "UTC") -> Iterator[Capture]:
    """A broker and a Connect worker until the end of the block.

    Args:
        partitions: of each topic; a key stays in one partition, messages without a key (truncate) go anywhere.
        time_zone: of the worker.

    Raises:
        ServerError: the jars cannot be fetched, or a server does not start.
    """
    program = java_program(time_zone)
    with tempfile.TemporaryDirectory(prefix="capture-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        rest = free_port()
        broker = Broker(program, folder, settings={"num.partitions": str(partitions)})
        connect_properties = _properties(
            folder / "connect.properties",
            {
                "bootstrap.servers": broker.address,
                "listeners": f"http://127.0.0.1:{rest}",
                "key.converter": JSON,
                "value.converter": JSON,
                "offset.storage.file.filename": str(folder / "offsets"),
                "offset.flush.interval.ms": "250",
                "plugin.discovery": "service_load",
            },
        )
        capture = Capture(broker.address, f"http://127.0.0.1:{rest}", folder)
        connect = [*program, "org.apache.kafka.connect.cli.ConnectStandalone", connect_properties]
        broker.start()
        try:
            with running(connect, folder, folder / "connect.log", capture.worker_is_missing):
                yield capture
        finally:
            broker.stop()


def _properties(path: Path, values: dict[str, str]) -> str:
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    return str(path)


class Capture:
    """The broker and the Connect worker; `started` makes one."""

    def __init__(self, broker: str, rest: str, folder: Path) -> None:
        self.broker = broker
        self.folder = folder
        self._rest = rest
        self._server_ids = itertools.count(5401)
        self._prefixes: set[str] = set()

    def worker_is_missing(self) -> str | None:
        """Why the Connect worker cannot be used yet."""
        try:
            self.request("GET", "/connectors")
        except (OSError, ServerError) as error:  # it listens before it knows its own paths
            return str(error)
        return None

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Calls the worker's REST interface.

        Raises:
            ServerError: it refuses.
        """
        request = urllib.request.Request(
            self._rest + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            with error:
                raise ServerError(f"Connect refuses {method} {path}: {error.read().decode()}") from None

    @contextmanager
    def connector(
        self, url: str, prefix: str, schemas: Sequence[str], form: Form = "envelope", **settings: str
    ) -> Iterator[Connector]:
        """Captures schemas of a database: the block begins when what is there is captured, and what changes follows.

        Everything is kept that a connector can deliver: truncates, tombstones, heartbeats, schema changes (MariaDB) and
        transaction metadata.

        Args:
            url: SQLAlchemy URL of the database.
            prefix: first part of the topics' names, `<prefix>.<schema>.<table>`; lower-case letters, digits and `_`,
                not used before: topics and positions stay as long as the broker.
            schemas: the schemas (MariaDB: databases) to capture. They exist.
            form: of the values: `envelope`, `schema` (the same in {schema, payload}) or `flattened`.
            settings: more settings of the connector, `_` for `.`; they win.

        Raises:
            ServerError: the prefix was used before, Connect refuses the settings, or the connector fails.
        """
        if prefix in self._prefixes:
            raise ServerError(f"there was a connector with prefix {prefix} before; take another prefix")
        self._prefixes.add(prefix)
        source = sqlalchemy.make_url(url)
        kind = "postgresql" if source.get_backend_name() == "postgresql" else "mariadb"
        config = {
            "topic.prefix": prefix,
            "database.hostname": str(source.host),
            "database.port": str(source.port),
            "database.user": str(source.username),
            "database.password": str(source.password),
            "provide.transaction.metadata": "true",
            "heartbeat.interval.ms": "500",
            "poll.interval.ms": "50",
            # What docs/feeds/debezium.md advises; the form `schema` is all of it.
            **SETTINGS[kind],
            **FORMS[form],
        }
        if form == "flattened":
            config["transforms.flatten.add.fields"] = ADDED_FIELDS[kind]
        if kind == "mariadb":
            config |= {
                "database.server.id": str(next(self._server_ids)),
                "database.include.list": ",".join(schemas),
                "schema.history.internal": "io.debezium.storage.file.history.FileSchemaHistory",
                "schema.history.internal.file.filename": str(self.folder / f"{prefix}.history"),
            }
        else:
            config |= {
                "database.dbname": str(source.database),
                "schema.include.list": ",".join(schemas),
                "slot.name": prefix,
                "publication.name": prefix,
            }
        config |= {name.replace("_", "."): value for name, value in settings.items()}
        connector = Connector(self, url, prefix, kind)
        self.request("POST", "/connectors", {"name": prefix, "config": config})
        try:
            # A table that is altered while MariaDB's snapshot is taken stops the connector.
            connector.wait()
            yield connector
        finally:
            self.request("DELETE", f"/connectors/{prefix}")
            connector.forget()


class Connector:
    """One captured database; `Capture.connector` makes one."""

    def __init__(self, capture: Capture, url: str, prefix: str, kind: str) -> None:
        self.prefix = prefix
        self._capture = capture
        self._kind = kind
        self._engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool, isolation_level="AUTOCOMMIT")
        self._read: dict[tuple[str, int], int] = defaultdict(int)
        if kind == "mariadb":
            with self._engine.connect() as connection:
                connection.exec_driver_sql(f"create database if not exists {MARKER.partition('.')[0]}")
                connection.exec_driver_sql(f"create table if not exists {MARKER} (n int)")

    def catch_up(self, landing: Path, lines_per_file: int = 50) -> list[Path]:
        """Writes what was captured since the last call; then all that the source had committed is in files.

        Each file is a new object of the S3 sink with its default partitioner: `topics/<topic>/partition=<n>/
        <topic>+<n>+<offset of the first line>.json`, one value per line (docs/feeds/s3_sink.md). Tombstones are
        left out, as by the sink with `behavior.on.null.values=ignore`.

        Args:
            landing: folder that has or gets `topics`.
            lines_per_file: the most values in one file.

        Returns:
            the new files.

        Raises:
            ServerError: the connector failed, or is not there in time.
        """
        self.wait()
        values: dict[tuple[str, int], list[tuple[int, bytes]]] = defaultdict(list)
        for topic, partition, offset, value in self.messages():
            if value is not None:
                values[topic, partition].append((offset, value))
        files = []
        for (topic, partition), lines in sorted(values.items()):
            folder = landing / "topics" / topic / f"partition={partition}"
            folder.mkdir(parents=True, exist_ok=True)
            for start in range(0, len(lines), lines_per_file):
                chunk = lines[start : start + lines_per_file]
                file = folder / f"{topic}+{partition}+{chunk[0][0]:010}.json"
                # A file of an object store is there as a whole or not at all.
                unfinished = landing / f".{file.name}"
                unfinished.write_bytes(b"".join(value + b"\n" for _, value in chunk))
                unfinished.rename(file)
                files.append(file)
        return files

    def messages(self) -> Iterator[tuple[str, int, int, bytes | None]]:
        """Topic, partition, offset and value of each message that is in Kafka now and was not read before."""
        consumer = Consumer(
            {"bootstrap.servers": self._capture.broker, "group.id": self.prefix, "enable.auto.commit": False}
        )
        try:
            missing = {}
            for topic, metadata in consumer.list_topics(timeout=30).topics.items():
                if topic in (self.prefix, f"__debezium-heartbeat.{self.prefix}") or topic.startswith(f"{self.prefix}."):
                    for partition in metadata.partitions:
                        end = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=30)[1]
                        if end > self._read[topic, partition]:
                            missing[topic, partition] = end
            consumer.assign([TopicPartition(*place, self._read[place]) for place in missing])
            while missing:
                message = consumer.poll(30)
                if message is None or message.error():
                    raise ServerError(f"Kafka cannot be read: {message.error() if message else 'no answer'}")
                place = message.topic(), message.partition()
                if place not in missing:
                    continue  # it came after the question
                self._read[place] = message.offset() + 1
                if self._read[place] == missing[place]:
                    del missing[place]
                yield *place, message.offset(), message.value()
        finally:
            consumer.close()

    def wait(self) -> None:
        """Until Kafka has every change that is committed now.

        The worker keeps a position of the source only after Kafka has acknowledged every message before it. So the
        position is compared, not the arrival of some message: topics fill independently of each other.

        Raises:
            ServerError: the connector failed, or is not there in time.
        """
        deadline = time.monotonic() + SECONDS_TO_CATCH_UP
        with self._engine.connect() as connection:
            wanted = self._position(connection)
            while True:
                self._mark(connection)
                status = self._request("GET", "/status")
                for part in (status["connector"], *status["tasks"]):
                    if part["state"] == "FAILED":
                        causes = [line for line in part["trace"].splitlines() if not line.startswith("\t")]
                        raise ServerError(f"connector {self.prefix} failed: {' | '.join(causes)}")
                kept = self._kept()
                if kept is not None and kept >= wanted:
                    return
                if time.monotonic() > deadline:
                    raise ServerError(
                        f"connector {self.prefix} is at {kept} after {SECONDS_TO_CATCH_UP} s, the source at {wanted}: "
                        + tail(self._capture.folder / "connect.log")
                    )
                time.sleep(0.25)

    def stop(self) -> None:
        """Ends the connector's tasks: what the source does from now on, nobody reads."""
        self._request("PUT", "/stop")
        deadline = time.monotonic() + SECONDS_TO_CATCH_UP
        while (state := self._request("GET", "/status")["connector"]["state"]) != "STOPPED":
            if time.monotonic() > deadline:
                raise ServerError(f"connector {self.prefix} does not stop: {state}")
            time.sleep(0.1)

    def begin_again(self) -> None:
        """Starts the connector without its positions and its slot: another snapshot into the same topics."""
        if self._kind == "postgresql":
            with self._engine.connect() as connection:
                self._drop_slot(connection)
        self._request("DELETE", "/offsets")
        self._request("PUT", "/resume")
        self.wait()

    def _request(self, method: str, path: str) -> Any:
        return self._capture.request(method, f"/connectors/{self.prefix}{path}")

    def forget(self) -> None:
        """Removes what the connector left in the source."""
        if self._kind == "postgresql":
            with self._engine.connect() as connection:
                connection.exec_driver_sql(f'drop publication if exists "{self.prefix}"')
                self._drop_slot(connection)

    def _drop_slot(self, connection: sqlalchemy.Connection) -> None:
        """Drops the replication slot, as soon as nobody uses it."""
        deadline = time.monotonic() + 30
        while connection.exec_driver_sql(
            f"select 1 from pg_replication_slots where slot_name = '{self.prefix}' and active"
        ).all():
            if time.monotonic() > deadline:
                raise ServerError(f"the replication slot {self.prefix} is still in use")
            time.sleep(0.1)
        connection.exec_driver_sql(
            f"select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '{self.prefix}'"
        )

    def _position(self, connection: sqlalchemy.Connection) -> int:
        """Where the source is: every transaction committed so far has a smaller number, or this one (MariaDB)."""
        if self._kind == "mariadb":
            gtid = connection.exec_driver_sql("select @@gtid_binlog_pos").scalar_one()
            return int(gtid.rpartition("-")[2] or 0)
        return int(connection.exec_driver_sql("select pg_current_wal_insert_lsn() - '0/0'").scalar_one())

    def _mark(self, connection: sqlalchemy.Connection) -> None:
        """One more transaction, after which the connector knows that it has read all before it."""
        if self._kind == "mariadb":
            connection.exec_driver_sql(f"insert into {MARKER} values (1)")
        else:
            connection.exec_driver_sql("select pg_logical_emit_message(true, 'capture', 'marker')")

    def _kept(self) -> int | None:
        """The position up to which all messages are in Kafka; None while the snapshot is taken."""
        offsets = self._request("GET", "/offsets")["offsets"]
        offset = offsets[0]["offset"] if offsets else {}
        if not offset or "snapshot" in offset:
            return None
        if self._kind == "mariadb":
            return int(offset["gtids"].rpartition("-")[2])
        return offset.get("lsn_commit")
