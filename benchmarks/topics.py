"""Messages of many tables from Kafka to silver, beside a Structured Streaming job by hand on the same topics."""

from __future__ import annotations

import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from confluent_kafka import Producer
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.apply import WrongResult
from benchmarks.data import COLUMNS, TIMESTAMP_COLUMN, TableFiles
from benchmarks.lake import COLUMN_NAMES, Cost, Lake, measured, middle
from benchmarks.tables import PROPERTIES
from dbt.adapters.sparksession import snapshots
from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.metadata import FEEDS_FILE
from python_udfs.watch.loop import Watch, follow
from python_udfs.watch.stop import Stop
from tests.e2e.lakehouse import REPOSITORY

# Its modules name each other without the folder, as those of all tests there.
sys.path.append(str(REPOSITORY / "tests" / "real"))
import broker as servers
import capture

FEED = "live"
LOADED_ROWS = 1_000
THREADS = 4
SECONDS_TO_WAIT = 120
# The envelope as a job by hand knows it: types of the columns as their values come.
_ENVELOPE = (
    "op string, source struct<table: string, pos: bigint>, before struct<id: bigint>, after struct<"
    + ", ".join(
        f"{name}: {'int' if type_ == 'date' else 'bigint' if type_ == 'timestamp_ntz' else type_}"
        for name, type_ in (column.split(" ") for column in COLUMNS.split(", "))
    )
    + ">"
)


@dataclass
class TableTopic(TableFiles):
    """One table as Debezium's messages in a topic of one partition; `producer` sends them.

    Attributes:
        topic: its name; the last part is the table.
    """

    producer: Any = None
    topic: str = ""
    _position: int = field(default=0, init=False)

    def _write(self, name: str, table: pa.Table, written_at: Any) -> Path:
        operations = table["Op"].to_pylist() if "Op" in table.column_names else ["r"] * table.num_rows
        dropped = [column for column in ("Op", TIMESTAMP_COLUMN) if column in table.column_names]
        millis = int(written_at.timestamp() * 1000)
        for operation, image in zip(operations, _as_json(table.drop_columns(dropped)), strict=True):
            self._position += 1
            op = {"I": "c", "U": "u", "D": "d", "r": "r"}[operation]
            before, after = (image, "null") if op == "d" else ("null", image)
            snapshot = "true" if op == "r" else "false"
            self.producer.produce(
                self.topic,
                f'{{"before":{before},"after":{after},"source":{{"version":"3.5.0.Final","connector":"mysql",'
                f'"name":"bench","ts_ms":{millis},"snapshot":"{snapshot}","db":"s","table":"{self.topic.split(".")[-1]}",'
                f'"server_id":1,"file":"mysql-bin.000001","pos":{self._position},"row":0}},"op":"{op}","ts_ms":{millis}}}',
                partition=0,
            )
            self.producer.poll(0)
        return self.folder


def _as_json(rows: pa.Table) -> Iterator[str]:
    """Each row as Debezium writes its image: decimals as texts, dates in days, timestamps in microseconds."""
    kinds = {"ordered_on": pa.int32(), "changed_at": pa.int64(), "price": pa.string(), "rate": pa.string()}
    for name, kind in kinds.items():
        at = rows.column_names.index(name)
        rows = rows.set_column(at, name, rows[name].cast(kind))
    return map(json.dumps, rows.to_pylist())


@dataclass
class Live:
    """A lakehouse with one feed of topics, and what sends to them."""

    lake: Lake
    tables: list[TableTopic]
    producer: Any
    address: str
    watch: Watch

    def send(self, changes: int) -> None:
        """Changes of each table, there when this ends."""
        for table in self.tables:
            table.change(changes)
        self.flush()

    def flush(self) -> None:
        """Waits until the broker has what was sent."""
        if self.producer.flush(120):
            raise RuntimeError("the broker did not take all messages")

    def check(self, layer: str = "silver") -> None:
        """Raises WrongResult if a table does not hold what its messages make of it."""
        for number, table in enumerate(self.tables):
            actual, expected = self.lake.fingerprint(f"{layer}.s__t{number}"), self.lake.expected(table)
            if actual != expected:
                raise WrongResult(f"{layer}.s__t{number} has rows and hash {actual}, expected {expected}")


@contextmanager
def live(root: Path, tables: int, rows: int) -> Iterator[Live]:
    """A broker with a topic per table, each of them loaded, and the first cycle of a watch.

    Args:
        root: an empty folder.
        tables: how many.
        rows: of each table's snapshot.
    """
    root.mkdir(parents=True, exist_ok=True)
    data = Path(tempfile.mkdtemp(dir=root))
    # The watch shows each cycle.
    with servers.started(capture.java_program(), data) as broker, redirect_stdout(StringIO()):
        lake = Lake(root / "lake", 0)
        lake.project.rows[FEEDS_FILE].clear()
        options = f"topic_pattern={FEED}\\.s\\..*;decimals=text;binlog_names=mysql-bin;messages_per_run=100000000"
        feed = {"feed": FEED, "connector": "debezium", "format": "json", "location": f"kafka://{broker.address}"}
        lake.project.rows[FEEDS_FILE].append({**feed, "options": options})
        for number in range(tables):
            lake.project.add_table(FEED, f"t{number}", columns=COLUMNS)
        lake.project.make_models()
        lake.project.dbt("--quiet", "seed")
        producer = Producer(
            {
                "bootstrap.servers": broker.address,
                "linger.ms": 5,
                "queue.buffering.max.messages": 2_000_000,
                "log_level": 0,
            }
        )
        sources = []
        for number in range(tables):
            broker.create(f"{FEED}.s.t{number}")
            sources.append(TableTopic(root, seed=number, producer=producer, topic=f"{FEED}.s.t{number}"))
            sources[-1].load(rows)
        project = lake.project.project
        topics = Live(lake, sources, producer, broker.address, Watch(WarmDbt(project), spark_session, project))
        topics.flush()
        topics.watch.cycle()
        yield topics


# Cost ----------------------------------------------------------------------------------------------------------------


@dataclass
class Costs:
    """Measures batches of messages of all tables: a cycle of the watch, the job by hand, and each step alone."""

    tables: int
    messages: int
    ours: Cost
    by_hand: Cost
    step_messages: int = 0
    steps: dict[str, Cost] = field(default_factory=dict)


def measure(root: Path, tables: int, changes: int, repeats: int, step_changes: int) -> Costs:
    """Has both sides take the same messages in turn, and compares all tables before any time counts.

    Args:
        root: an empty folder.
        tables: how many.
        changes: of each table and batch.
        repeats: batches; the first warms up.
        step_changes: of each table, in one more batch that is split, written to bronze and to silver by three commands.

    Raises:
        WrongResult: a table of either side does not hold what its messages make of it.
    """
    with live(root, tables, LOADED_ROWS) as topics:
        job = ByHand(spark_session(), topics.address, root / "checkpoint", tables)
        job.run()
        costs: list[tuple[Cost, Cost]] = []
        for number in range(repeats):
            topics.send(changes)
            of_batch: dict[bool, Cost] = {}
            for is_ours in (True, False) if number % 2 else (False, True):
                with measured() as of_batch[is_ours]:
                    topics.watch.cycle(lists=False) if is_ours else job.run()
            costs.append((of_batch[True], of_batch[False]))
        topics.check()
        topics.check("reference")
        ours, by_hand = (middle(seconds) for seconds in zip(*costs, strict=True))
        result = Costs(tables, tables * changes, ours, by_hand, tables * step_changes)
        topics.send(step_changes)
        dbt = WarmDbt(topics.lake.project.project)
        dbt.result("run", "--select", "run_metrics")
        for step, selected in {"split": f"split_{FEED}", "bronze": "bronze", "silver": "silver"}.items():
            with measured() as result.steps[step]:
                dbt.result("run", "--select", selected)
        topics.check()
        return result


class ByHand:
    """A Structured Streaming job: all topics in one stream, in each batch one MERGE per table.

    It keeps no message, no bad row and no late change apart, and knows tables and columns from its code.

    Args:
        spark: the session to run in.
        brokers: `host:port`.
        checkpoint: folder for its offsets.
        tables: how many.
    """

    def __init__(self, spark: SparkSession, brokers: str, checkpoint: Path, tables: int) -> None:
        self._spark, self._brokers, self._checkpoint = spark, brokers, checkpoint
        self._tables = [f"t{number}" for number in range(tables)]
        spark.sql("create schema if not exists reference")
        for name in self._tables:
            spark.sql(
                f"create table reference.s__{name} using iceberg {PROPERTIES}"
                f" as select {', '.join(COLUMN_NAMES)} from silver.s__{name} where false"
            )

    def run(self) -> None:
        """Takes what is there now."""
        options = {"kafka.bootstrap.servers": self._brokers, "subscribePattern": rf"{FEED}\.s\..*"}
        stream = self._spark.readStream.format("kafka").options(**options, startingOffsets="earliest").load()
        query = (
            stream.select(F.from_json(F.col("value").cast("string"), _ENVELOPE).alias("m"))
            .select(
                "m.op",
                "m.source.table",
                "m.source.pos",
                F.coalesce("m.after.id", "m.before.id").alias("key"),
                "m.after",
            )
            .writeStream.foreachBatch(self._take)
            .option("checkpointLocation", str(self._checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    def _take(self, batch: DataFrame, _: int) -> None:
        newest = batch.groupBy("table", "key").agg(F.max_by(F.struct("op", "after"), "pos").alias("change")).persist()
        newest.createOrReplaceTempView("newest")
        with ThreadPoolExecutor(THREADS) as threads:
            present = [row.table for row in newest.select("table").distinct().collect()]
            list(threads.map(lambda name: self._merge(batch.sparkSession, name), present))
        newest.unpersist()

    def _merge(self, spark: SparkSession, name: str) -> None:
        converted = {
            "id": "key",
            "ordered_on": "date_from_unix_date(change.after.ordered_on)",
            "changed_at": "cast(timestamp_micros(change.after.changed_at) as timestamp_ntz)",
        }
        columns = ", ".join(f"{converted.get(name, f'change.after.{name}')} as {name}" for name in COLUMN_NAMES)
        names = ", ".join(COLUMN_NAMES)
        spark.sql(
            f"merge into reference.s__{name} as target using ("
            f" select change.op as op, {columns} from newest where table = '{name}') as source"
            " on target.id = source.id"
            " when matched and source.op = 'd' then delete"
            f" when matched then update set {', '.join(f'{name} = source.{name}' for name in COLUMN_NAMES)}"
            f" when not matched and source.op <> 'd' then insert ({names})"
            f" values ({', '.join(f'source.{name}' for name in COLUMN_NAMES)})"
        )


# Latency -------------------------------------------------------------------------------------------------------------


def measure_latency(root: Path, tables: int, changes: int, cycles: int, warm_up: int) -> list[float]:
    """Has a watch follow topics, and compares all tables before any time counts; see `latencies`.

    Args:
        root: an empty folder.
        tables: how many.
        changes: see `latencies`.
        cycles: see `latencies`.
        warm_up: see `latencies`.

    Raises:
        WrongResult: a table does not hold what its messages make of it.
    """
    with live(root, tables, LOADED_ROWS) as topics:
        seconds = latencies(topics, changes, cycles, warm_up)
        topics.check()
        return seconds


def latencies(topics: Live, changes: int, cycles: int, warm_up: int) -> list[float]:
    """Follows the topics as `make watch` does, while changes come to one table after the other at any moment.

    Args:
        topics: the lakehouse and the topics.
        changes: of the table, each time.
        cycles: how often.
        warm_up: how often before that, while Java compiles.

    Returns:
        Seconds from the broker's answer that it has the messages to silver's next commit, ascending.

    Raises:
        WrongResult: a change did not come to silver.
    """
    stop, random, spark = Stop(), Random(1), spark_session()
    seconds: list[float] = []

    def send() -> None:
        try:
            for number in range(warm_up + cycles):
                time.sleep(random.uniform(0.0, 1.0))
                source = topics.tables[number % len(topics.tables)]
                seconds.append(_until_in_silver(topics, spark, source, changes))
        finally:
            stop.set()

    sender = threading.Thread(target=send)
    sender.start()
    follow(topics.watch, 5.0, stop)
    sender.join()
    if len(seconds) != warm_up + cycles:
        raise WrongResult(f"{len(seconds)} of {warm_up + cycles} changes came to silver")
    # A cycle may have read the first of them alone.
    topics.watch.cycle()
    return sorted(seconds[warm_up:])


def _until_in_silver(topics: Live, spark: SparkSession, source: TableTopic, changes: int) -> float:
    table = f"lakehouse.silver.s__{source.topic.split('.')[-1]}"
    before = snapshots.head(spark, table)
    source.change(changes)
    topics.flush()
    sent_at = time.time()
    while snapshots.head(spark, table) == before:
        if time.time() > sent_at + SECONDS_TO_WAIT:
            raise WrongResult(f"{table} has no new rows {SECONDS_TO_WAIT} s after they were sent")
        time.sleep(0.05)
    return snapshots.committed_at(spark, table) - sent_at
