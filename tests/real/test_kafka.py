"""A real broker to the split table: every message once, whatever happens to topics, brokers and readers.

Each test has topics and a table of its own. Values are no messages of any format here: what becomes of those is in
test_kafka_to_silver.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import broker as servers
import capture
import pytest
from confluent_kafka import Consumer

from dbt.adapters.sparksession import snapshots
from dbt.adapters.sparksession.python_models import Commit
from python_udfs.kafka import read as reading
from python_udfs.kafka.client import KafkaError
from python_udfs.kafka.cluster import Cluster
from python_udfs.kafka.spark_package import fetch
from python_udfs.metadata.kafka import Kafka
from python_udfs.run.causes import may_pass
from python_udfs.watch import topics as watched
from spark_files.internals import activate

NUMBERS = itertools.count(1)


class Reader:
    """A feed and its split table, read as the generated model does."""

    def __init__(self, spark: Any, address: str, topics: str = "", **settings: Any) -> None:
        self.spark, self.table = spark, f"etl_metadata.split_reader{next(NUMBERS)}"
        pattern = settings.pop("topic_pattern", None)
        values = {"starting_offsets": "earliest", "messages_per_run": 10**6, "on_gap": "fail", **settings}
        self.kafka = Kafka(address, tuple(topics.split()), pattern, **values)
        self.seen: list[tuple[str, int, str]] = []

    def exists(self) -> bool:
        return bool(self.spark.catalog.tableExists(self.table))

    def read(self, **changes: Any) -> list[tuple[str, int, str]]:
        """Reads once: topic/partition, offset and content of the rows that were not there after the last time."""
        self.run(**changes)
        before, self.seen = self.seen, self.rows()
        added = list(self.seen)
        for row in before:
            added.remove(row)
        return added

    def run(self, **changes: Any) -> None:
        kafka = Kafka(**{**self.kafka.__dict__, **changes})
        feed = {"feed": "live", "connector": "maxwell", "columns": {}, "absent_columns": "null", "kafka": kafka}
        # dbt has a session for each model.
        session = self.spark.newSession()
        activate(session)
        result = reading.new_messages(session, feed, self.table if self.exists() else None)
        if isinstance(result, Commit):
            recorded = {f"snapshot-property.{name}": value for name, value in result.properties.items()}
            writer = result.rows.writeTo(self.table).partitionedBy("source_schema", "source_table")
            writer.options(**recorded).create()

    def rows(self) -> list[tuple[str, int, str]]:
        messages = self.spark.table(self.table).where("path is not null and coalesce(set_aside, '') <> 'gap'")
        rows = messages.select("path", "file_row", "content").collect()
        return sorted(("/".join(row.path.split("/")[-2:]), row.file_row, row.content) for row in rows)

    def gaps(self) -> list[tuple[str, int, str, str, str]]:
        rows = self.spark.table(self.table).where("set_aside = 'gap'").orderBy("batch_id", "path").collect()
        return [
            (
                "/".join(row.path.split("/")[-2:]),
                row.file_row,
                *(row.image[name] for name in ("to_offset", "reason", "is_passed")),
            )
            for row in rows
        ]

    def progress(self) -> reading.Progress:
        progress = reading.read_progress(self.spark, self.table)
        assert progress is not None
        return progress


def rows(place: str, *values: str, start: int = 0) -> list[tuple[str, int, str]]:
    return [(place, start + number, value) for number, value in enumerate(values)]


@pytest.fixture(autouse=True)
def impatient(monkeypatch) -> None:
    """Brokers that do not answer are waited for as long as `make watch` does."""
    monkeypatch.setattr(reading, "Cluster", lambda feed, kafka: Cluster(feed, kafka, seconds=5))


@pytest.fixture
def topic() -> str:
    return f"topic{next(NUMBERS)}"


def test_each_message_is_read_once_and_the_commit_holds_what_is_next(spark, broker, topic):
    broker.create(topic, 2)
    broker.send(topic, "a", "b")
    broker.send(topic, "c", partition=1)
    reader = Reader(spark, broker.address, topic)
    assert reader.read() == [*rows(f"{topic}/0", "a", "b"), *rows(f"{topic}/1", "c")]
    snapshot = snapshots.current_snapshot_id(spark, reader.table)
    assert reader.read() == [] and reader.rows() == [*rows(f"{topic}/0", "a", "b"), *rows(f"{topic}/1", "c")]
    assert snapshots.current_snapshot_id(spark, reader.table) == snapshot
    broker.send(topic, "d")
    assert reader.read() == rows(f"{topic}/0", "d", start=2)
    summary = snapshots.newest_summary(spark, reader.table, reading.OFFSETS)
    assert json.loads(summary[reading.OFFSETS]) == {topic: {"0": 3, "1": 1}}
    assert summary[reading.CLUSTER] == servers.CLUSTER_ID
    [path] = {row.path for row in spark.table(reader.table).where("file_row = 2").collect()}
    assert path == f"kafka://{servers.CLUSTER_ID}/{json.loads(summary[reading.TOPICS])[topic]}/{topic}/0"


def test_a_rollback_of_the_table_rolls_the_offsets_back(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    snapshot = snapshots.current_snapshot_id(spark, reader.table)
    broker.send(topic, "b")
    assert reader.read() == rows(f"{topic}/0", "b", start=1)
    spark.sql(f"call lakehouse.system.rollback_to_snapshot('{reader.table}', {snapshot})")
    reader.seen = reader.rows()
    assert reader.progress().offsets == {(topic, 0): 1}
    assert reader.read() == rows(f"{topic}/0", "b", start=1)


def test_without_summaries_the_rows_tell_how_far_they_go(spark, broker, topic):
    broker.create(topic, 2)
    broker.send(topic, "a", "b")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    wanted = reader.progress()
    spark.sql(f"create table {reader.table}_copy as select * from {reader.table}")
    reader.table += "_copy"
    assert reader.progress().offsets == {(topic, 0): 2}
    assert (reader.progress().topics, reader.progress().batch_id) == (wanted.topics, wanted.batch_id)
    broker.send(topic, "c")
    assert reader.read() == rows(f"{topic}/0", "c", start=2)


@pytest.mark.parametrize("start", ["latest", "2100-01-01T00:00:00+00:00"])
def test_a_first_run_on_a_live_topic_invents_no_gap(spark, broker, topic, start):
    broker.create(topic)
    producer, is_over = servers.Producer({"bootstrap.servers": broker.address, "linger.ms": 0}), threading.Event()

    def produce() -> None:
        while not is_over.is_set():
            producer.produce(topic, "x")
            producer.poll(0.001)

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        for _ in range(5):
            seen = Cluster("live", Kafka(broker.address, (topic,), None, start, 10**6, "fail")).look(is_first=True)
            assert seen.begin[topic, 0] <= seen.end[topic, 0]
    finally:
        is_over.set()
        thread.join()
        assert producer.flush(30) == 0


@pytest.mark.parametrize("start", ["latest", "later", "given"])
def test_the_first_run_begins_where_the_feed_says(spark, broker, topic, start):
    broker.create(topic)
    broker.send(topic, "a", "b")
    options = {"latest": "latest", "later": "2100-01-01T00:00:00+00:00", "given": f"{topic}:0:1"}
    reader = Reader(spark, broker.address, topic, starting_offsets=options[start])
    assert reader.read() == (rows(f"{topic}/0", "b", start=1) if start == "given" else [])
    broker.send(topic, "c")
    assert reader.read() == rows(f"{topic}/0", "c", start=2)


def test_a_time_begins_at_the_first_message_that_is_not_older(spark, broker, topic):
    # The messages are older than Kafka keeps them by default.
    broker.create(topic, message_timestamp_type="CreateTime", retention_ms="-1")
    producer = servers.Producer({"bootstrap.servers": broker.address})
    for number in range(3):
        producer.produce(topic, f"day {number}", timestamp=1_700_000_000_000 + number * 86_400_000)
    assert producer.flush(30) == 0
    reader = Reader(spark, broker.address, topic, starting_offsets="2023-11-15T22:13:20Z")
    assert [value for _, _, value in reader.read()] == ["day 1", "day 2"]


def test_a_long_topic_is_read_in_parts(spark, broker, topic):
    broker.create(topic, 2)
    broker.send(topic, *map(str, range(30)))
    broker.send(topic, *map(str, range(10)), partition=1)
    reader = Reader(spark, broker.address, topic, messages_per_run=15)
    assert [len(reader.read()) for _ in range(4)] == [14, 14, 12, 0]
    assert len(set(reader.rows())) == 40


def test_a_pattern_finds_new_topics_and_reads_them_from_their_first_message(spark, broker, topic):
    broker.create(f"{topic}.one")
    broker.send(f"{topic}.one", "a")
    reader = Reader(spark, broker.address, topic_pattern=rf"{topic}\..*", starting_offsets="latest")
    assert reader.read() == []
    broker.create(f"{topic}.two")
    broker.create(f"other.{topic}.two")
    broker.send(f"{topic}.two", "b")
    broker.send(f"other.{topic}.two", "c")
    assert reader.read() == rows(f"{topic}.two/0", "b")


def test_a_topic_that_is_not_there_yet_stops_no_other(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, f"{topic} {topic}.late")
    assert reader.read() == rows(f"{topic}/0", "a")
    broker.create(f"{topic}.late")
    broker.send(f"{topic}.late", "b")
    assert reader.read() == rows(f"{topic}.late/0", "b")


def test_a_partition_that_is_added_is_read_from_its_first_message(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic, starting_offsets="latest")
    reader.read()
    broker.add_partitions(topic, 2)
    broker.send(topic, "b", partition=1)
    assert reader.read() == rows(f"{topic}/1", "b")


def test_retention_that_overtook_the_reader_is_a_gap(spark, broker, topic):
    broker.create(topic, 2)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    broker.send(topic, "b", "c", "d")
    broker.remove_before(topic, 3)
    broker.send(topic, "other", partition=1)
    assert reader.read() == rows(f"{topic}/1", "other"), "other partitions are read"
    assert reader.gaps() == [(f"{topic}/0", 1, "3", "retention", "false")]
    assert reader.read() == [] and len(reader.gaps()) == 1, "a gap that waits is recorded once"
    assert reader.read(on_gap="continue") == rows(f"{topic}/0", "d", start=3)
    assert reader.gaps()[1:] == [(f"{topic}/0", 1, "3", "retention", "true")]
    assert reader.read() == []


def test_the_environment_passes_a_gap_once(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, "a", "b")
    broker.remove_before(topic, 1)
    reader = Reader(spark, broker.address, topic, starting_offsets=f"{topic}:0:0")
    assert reader.read() == []
    monkeypatch.setenv(reading.PASS_GAPS, "continue")
    assert reader.read() == rows(f"{topic}/0", "b", start=1)


def test_a_topic_that_was_deleted_and_made_again_is_a_gap(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a", "b")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    broker.delete(topic)
    assert reader.read() == [], "it is gone, and may come back"
    broker.create(topic)
    broker.send(topic, "x", "y", "z")
    assert reader.read() == []
    assert reader.gaps() == [(f"{topic}/0", 2, "0", "topic_recreated", "false")]
    assert reader.read(on_gap="continue") == rows(f"{topic}/0", "x", "y", "z")
    paths = {row.path for row in spark.table(reader.table).where("file_row = 0 and set_aside is null").collect()}
    assert len(paths) == 2, "offset 0 of the old topic and of the new one are two messages"


def test_another_cluster_is_a_gap(spark, broker, topic, tmp_path):
    broker.create(topic)
    broker.send(topic, "a", "b")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    with servers.started(capture.java_program(), tmp_path, cluster_id="BBBBBBBBBBBBBBBBBBBBBQ") as other:
        other.create(topic)
        other.send(topic, "x", "y", "z")
        assert reader.read(brokers=other.address) == []
        assert reader.gaps() == [(f"{topic}/0", 2, "0", "cluster_replaced", "false")]
        assert reader.read(brokers=other.address, on_gap="continue") == rows(f"{topic}/0", "x", "y", "z")
        assert reader.progress().cluster_id == "BBBBBBBBBBBBBBBBBBBBBQ"
    broker.send(topic, "c")
    assert reader.read() == [] and reader.gaps()[-1][3] == "cluster_replaced", "back at the first one"


def test_a_gap_is_over_when_the_log_has_grown_past_the_offset(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a", "b")
    reader = Reader(spark, broker.address, topic, starting_offsets=f"{topic}:0:4")
    assert reader.read() == [] and reader.progress().waiting
    snapshot = snapshots.current_snapshot_id(spark, reader.table)
    broker.send(topic, "c")
    assert reader.read() == [] and snapshots.current_snapshot_id(spark, reader.table) == snapshot, "it waits"
    broker.send(topic, "d", "e", "f")
    assert reader.read() == rows(f"{topic}/0", "e", "f", start=4)
    assert reader.gaps() == [
        (f"{topic}/0", 4, "2", "beyond_end", "false"),
        (f"{topic}/0", 4, "4", "beyond_end", "true"),
    ]
    assert not reader.progress().waiting


def test_offsets_beyond_the_end_are_a_gap(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a", "b")
    reader = Reader(spark, broker.address, topic, starting_offsets=f"{topic}:0:9")
    assert reader.read() == []
    assert reader.gaps() == [(f"{topic}/0", 9, "2", "beyond_end", "false")]
    reader.read(on_gap="continue")
    broker.send(topic, "c")
    assert reader.read() == rows(f"{topic}/0", "c", start=2)


def test_what_compaction_removed_is_no_gap(spark, broker, topic):
    broker.create(
        topic, cleanup_policy="compact", segment_ms="100", min_cleanable_dirty_ratio="0.01", delete_retention_ms="100",
        max_compaction_lag_ms="200",
    )  # fmt: skip
    for number in range(5):
        broker.send(topic, f"old {number}", key="k")
    reader = Reader(spark, broker.address, topic, starting_offsets=f"{topic}:0:0")
    servers.wait_until_compacted(broker, topic, to=2)
    messages = reader.read()
    assert messages and len(messages) < 7, "compaction has removed messages in between"
    assert not reader.gaps() and reader.progress().offsets[topic, 0] == servers.end_of(broker, topic)
    broker.send(topic, "new", key="k")
    assert [value for _, _, value in reader.read()] == ["new"]


def test_of_transactions_only_what_is_committed_is_read_and_their_marks_are_no_gap(spark, broker, topic):
    broker.create(topic)
    reader = Reader(spark, broker.address, topic)
    broker.send(topic, "a")
    with broker.transaction(topic, "aborted") as producer:
        producer.abort_transaction(30)
    with broker.transaction(topic, "b", "c") as producer:
        assert reader.read() == rows(f"{topic}/0", "a"), "what is open is not there yet"
        producer.commit_transaction(30)
    assert reader.read() == rows(f"{topic}/0", "b", "c", start=3)
    with broker.transaction(topic, "aborted too") as producer:
        producer.abort_transaction(30)
    assert reader.read() == [] and reader.progress().offsets == {(topic, 0): 8}
    broker.send(topic, "d")
    assert reader.read() == rows(f"{topic}/0", "d", start=8) and not reader.gaps()


@pytest.fixture(scope="module")
def odd_messages(spark, broker) -> list[Any]:
    """The rows of one message of each kind that is no text."""
    topic = f"topic{next(NUMBERS)}"
    broker.create(topic)
    broker.send(topic, None, key="k")
    broker.send(topic, None, headers=[("only", b"a header")])
    broker.send(topic, "", b"\xff\xfe\x00", "null")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    return list(spark.table(reader.table).where("path is not null").orderBy("file_row").collect())


KINDS = ("tombstone", "header only", "empty", "binary", "null")


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_that_is_no_text_is_a_row_of_its_own(odd_messages, kind):
    row = odd_messages[KINDS.index(kind)]
    content = {"binary": "no text in UTF-8, in base64: //4A", "null": "null"}.get(kind, "")
    assert (row.file_row, row.content) == (KINDS.index(kind), content) and len(odd_messages) == len(KINDS)
    assert (row.set_aside, row.source_table) == (None if kind == "binary" else "empty", None)
    reason = "received bytes that are no text in UTF-8 (in base64 in the content), expected one JSON object"
    assert kind != "binary" or row.malformed.startswith(reason)


def test_a_message_of_20_megabytes_is_read_whole(spark, broker, topic):
    broker.create(topic, max_message_bytes=str(servers.LARGEST_MESSAGE))
    large = json.dumps(
        {"database": "s", "table": "t", "type": "insert", "ts": 1, "data": {"id": 1, "v": "x" * 20_000_000}}
    )
    broker.send(topic, "before", large, "after")
    reader = Reader(spark, broker.address, topic)
    assert [len(value) for _, _, value in reader.read()] == [6, len(large), 5]
    [row] = spark.table(reader.table).where("source_table = 't'").collect()
    assert (row.malformed, len(row.image["v"])) == (None, 20_000_000)


def test_a_broker_that_is_down_is_no_matter_of_the_data(spark, broker, topic):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    broker.send(topic, "b")
    broker.stop()
    try:
        with pytest.raises(KafkaError) as caught:
            reader.read()
    finally:
        broker.start()
    said = str(caught.value)
    assert f"CDC error (feed live): Kafka at {broker.address} cannot be read." in said
    assert "Connection refused" in said and "the next run goes on at the same offsets" in said
    assert not reader.gaps() and reader.read() == rows(f"{topic}/0", "b", start=1)


def test_a_broker_that_stops_while_it_is_read_loses_nothing(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    broker.send(topic, "b", "c")
    append = reading.append_if_unmoved

    def stop_first(*arguments: Any) -> bool:
        broker.stop()
        return append(*arguments)

    monkeypatch.setattr(reading, "append_if_unmoved", stop_first)
    # Its reader would wait for a broker that may come back.
    quick = (("request.timeout.ms", "1500"), ("default.api.timeout.ms", "2000"))
    try:
        with pytest.raises(KafkaError, match=r"(?i)timeout|timed out") as caught:
            reader.read(client=quick)
    finally:
        broker.start()
    said = str(caught.value)
    assert f"the messages of Kafka at {broker.address} were not read to the end" in said
    assert "the next run reads them again" in said and "\tat " not in said
    monkeypatch.undo()
    assert reader.read() == rows(f"{topic}/0", "b", "c", start=1)


def test_two_readers_at_once_read_each_message_once(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic)
    reader.read()
    broker.send(topic, "b", "c")
    append, both = reading.append_if_unmoved, threading.Barrier(2)

    def together(*arguments: Any) -> bool:
        with suppress(threading.BrokenBarrierError):
            both.wait(30)
        return append(*arguments)

    monkeypatch.setattr(reading, "append_if_unmoved", together)
    failures: list[KafkaError] = []

    def run() -> None:
        try:
            reader.run()
        except KafkaError as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reader.rows() == rows(f"{topic}/0", "a", "b", "c")
    [failure] = failures
    assert "another run has written to" in str(failure) and "each message is in the table once" in str(failure)
    assert not spark.sql(f"select name from {reader.table}.refs where name <> 'main'").collect()


def test_a_compaction_in_the_middle_is_no_other_reader(spark, broker, topic, monkeypatch):
    broker.create(topic)
    reader = Reader(spark, broker.address, topic)
    for value in "ab":
        broker.send(topic, value)
        reader.read()
    broker.send(topic, "c")
    publish = snapshots.publish_stage

    def compact_first(session: Any, table: str, *stage: Any) -> bool:
        monkeypatch.setattr(snapshots, "publish_stage", publish)
        session.sql(
            f"call lakehouse.system.rewrite_data_files(table => '{table}', options => map('rewrite-all', 'true'))"
        )
        return bool(publish(session, table, *stage))

    monkeypatch.setattr(snapshots, "publish_stage", compact_first)
    assert reader.read() == rows(f"{topic}/0", "c", start=2)
    assert reader.progress().offsets == {(topic, 0): 3}


def test_offsets_are_committed_to_the_group_that_the_feed_names_and_never_read(spark, broker, topic):
    broker.create(topic, 2)
    broker.send(topic, "a", "b")
    reader = Reader(spark, broker.address, topic, group=topic)
    reader.read()
    broker.send(topic, "c")
    reader.read()
    assert broker.group_offsets(topic) == {f"{topic}/0": 3, f"{topic}/1": 0}
    broker.send(topic, "d", "e")
    said = broker.tool("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand", "--describe", "--group", topic)
    [line] = [line.split() for line in said.splitlines() if line.split()[1:3] == [topic, "0"]]
    assert line[3:6] == ["3", "5", "2"], "current offset, end and lag"
    reader.kafka = Kafka(**{**reader.kafka.__dict__, "group": f"{topic}.other"})
    assert reader.read() == rows(f"{topic}/0", "d", "e", start=3), "another group reads nothing again"


def test_a_run_that_is_killed_before_it_commits_to_the_group_is_made_up_for_by_the_next(
    spark, broker, topic, monkeypatch
):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic, group=topic)
    reader.read()
    broker.send(topic, "b")

    def die(*_: Any) -> None:
        raise SystemExit("killed")

    commit = reading.commit_to_group
    monkeypatch.setattr(reading, "commit_to_group", die)
    with pytest.raises(SystemExit):
        reader.run()
    monkeypatch.setattr(reading, "commit_to_group", commit)
    assert reader.progress().offsets == {(topic, 0): 2} and broker.group_offsets(topic) == {}
    reader.run()
    assert [content for _, _, content in reader.rows()] == ["a", "b"]
    assert broker.group_offsets(topic) == {f"{topic}/0": 2}


def test_a_group_that_refuses_offsets_fails_no_run(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic, group=topic)
    reader.read()
    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": topic, "enable.auto.commit": False})
    consumer.subscribe([topic])
    while not consumer.assignment():
        consumer.poll(0.1)
    said: list[str] = []
    monkeypatch.setattr(reading.logger, "warning", said.append)
    broker.send(topic, "b")
    try:
        assert reader.read() == rows(f"{topic}/0", "b", start=1)
    finally:
        consumer.close()
    [warning] = said
    assert f"the offsets were not committed to the consumer group ({topic}: " in warning and "next run" in warning
    said.clear()
    assert reader.read() == [] and said == [] and broker.group_offsets(topic) == {f"{topic}/0": 2}


def test_a_run_shows_what_is_left_and_how_long_that_takes(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, *map(str, range(30)))
    reader = Reader(spark, broker.address, topic, messages_per_run=10)
    reader.read()
    said: list[str] = []
    monkeypatch.setattr(reading.logger, "info", said.append)
    reader.read()
    pace = r"Feed live: read 10 offsets in [0-9.]+ s, [0-9,]+ a second; 10 left, [0-9]+ s at this rate"
    assert re.fullmatch(pace, said[-1])


def test_a_watch_commits_to_its_group_again_after_the_broker_was_killed(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, "a")
    reader = Reader(spark, broker.address, topic, group=f"of-{topic}")
    reader.read()
    feed = SimpleNamespace(feed="live", options=SimpleNamespace(kafka=reader.kafka))
    monkeypatch.setattr(watched, "load_metadata", lambda folder: SimpleNamespace(feeds=[feed]))
    monkeypatch.setattr(watched, "SECONDS_TO_COMMIT_AGAIN", 0.5)
    monkeypatch.setattr(reading, "commit_to_group", lambda *_: True)
    watch = watched.Topics(lambda: spark, Path())
    assert not watch.has_new("live", reader.table)
    broker.kill()
    try:
        assert not watch.has_new("live", reader.table) and watch.without_answer
    finally:
        broker.start()
    broker.send(topic, "b")
    assert watch.has_new("live", reader.table)
    assert reader.read() == rows(f"{topic}/0", "b", start=1)
    deadline = time.monotonic() + 30
    while broker.group_offsets(f"of-{topic}") != {f"{topic}/0": 2}:
        assert time.monotonic() < deadline, "monitors see how far it is"
        watch.has_new("live", reader.table)
        time.sleep(0.2)


def test_a_password_comes_from_the_environment_and_is_in_no_message(spark, broker, topic, monkeypatch):
    broker.create(topic)
    broker.send(topic, "a")
    client = (
        ("sasl.mechanism", "PLAIN"), ("sasl.password", "env:KAFKA_SECRET"), ("sasl.username", "reader"),
        ("security.protocol", "SASL_PLAINTEXT"),
    )  # fmt: skip
    reader = Reader(spark, broker.at["SECURE"], topic, client=client)
    monkeypatch.setenv("KAFKA_SECRET", "wr0ng")
    with pytest.raises(KafkaError, match=r"(?i)authentication") as caught:
        reader.read()
    assert "wr0ng" not in str(caught.value)
    assert not may_pass(str(caught.value)), "a scheduler need not try again"
    monkeypatch.setenv("KAFKA_SECRET", servers.SASL.split(":")[1])
    assert reader.read() == rows(f"{topic}/0", "a")


def test_a_reader_that_cannot_be_fetched_is_named(spark):
    with pytest.raises(KafkaError) as caught:
        fetch(spark, "org.apache.spark:spark-sql-kafka-0-10_2.13:0.0.0")
    said = str(caught.value)
    assert "spark-sql-kafka-0-10_2.13:0.0.0, cannot be fetched. Received: " in said and "SPARK_PACKAGES" in said
