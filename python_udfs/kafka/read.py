"""The messages that are new to a feed, in the split table: one pinned range of offsets per partition, in one commit.

The commit's summary holds what is to be read next. Nothing else does: no consumer group, no folder, no other table.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from dbt.adapters.events.logging import AdapterLogger
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from dbt.adapters.sparksession import snapshots
from dbt.adapters.sparksession.few_rows import FEW_CHANGES, plan_once
from dbt.adapters.sparksession.python_models import Commit, Written
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.kafka import avro
from python_udfs.kafka.client import KafkaError, make_reader_options, read_settings, without_secrets
from python_udfs.kafka.cluster import Cluster
from python_udfs.kafka.plan import (
    Gap,
    GapKey,
    Partition,
    Plan,
    Progress,
    make_plan,
    object_name,
    parts_of,
    tables_of_topics,
)
from python_udfs.kafka.spark_package import kafka_reader
from python_udfs.kafka.values import as_text
from python_udfs.landing.listing import next_batch_id
from python_udfs.landing.split import Waiting
from python_udfs.pipeline.sequence import MARKER_ROW
from python_udfs.times import duration_text
from spark_files.capabilities import append_frame, frame_of
from spark_files.errors import is_commit_conflict, is_spark_error, spark_message

if TYPE_CHECKING:
    from python_udfs.metadata.kafka import Kafka

logger = AdapterLogger("Lakehouse")
# With this value a run reads on behind the gaps of all feeds.
PASS_GAPS = "LAKEHOUSE_KAFKA_GAPS"
BATCH, CLUSTER, TOPICS, OFFSETS, ENDS, WAITING = (
    f"cdc.{name}"
    for name in ("batch-id", "kafka-cluster", "kafka-topics", "kafka-offsets", "kafka-ends", "kafka-waiting")
)
# A message is never overwritten: its sequence holds no time of a version.
_NO_VERSION = "timestamp '1970-01-01 00:00:00+00:00'"
# Columns of the rows that no message has: of gaps, and of the batch.
_OTHERS = pa.schema(
    {
        **dict.fromkeys(("path", "file_key"), pa.string()),
        **dict.fromkeys(("file_row", "batch_id"), pa.int64()),
        **dict.fromkeys(("set_aside", "content"), pa.string()),
        "image": pa.map_(pa.string(), pa.string()),
    }
)
_MESSAGES_OF_A_TASK = 5_000


def new_messages(spark: SparkSession, feed: Mapping[str, Any], target: str | None) -> Commit | Written | None:
    """The messages that came to a feed's topics since its split table was written last.

    Args:
        spark: the session to read with.
        feed: `feed`, `connector`, `kafka` and the arguments of the connector's `read_rows`.
        target: name of the split table, None before it exists.

    Returns:
        On the first run the rows, as `python_udfs.landing.split.new_rows` gives them; path and file_key are the name of
        the partition, file_row is the offset. Later runs write them here and return how many, None if there is
        nothing to write: dbt's insert would also succeed beside another one that has read the same.

    Raises:
        KafkaError: Kafka does not answer, has lost messages while it was read, or another run has read the same.
    """
    name, kafka = feed["feed"], feed["kafka"]
    cluster = Cluster(name, kafka)
    for _ in range(snapshots.ATTEMPTS):
        base = snapshots.current_snapshot_id(spark, target) if target else 0
        before = read_progress(spark, target) if target else None
        plan = _planned(name, kafka, before, cluster)
        recorded = before.waiting if before else ()
        new_gaps = [gap for gap in plan.gaps if gap.is_passed or gap.key not in recorded]
        if target and not plan.ranges and not new_gaps and before == plan.progress:
            # A run that was killed behind its commit has not done it.
            commit_to_group(name, cluster, plan)
            return None
        started = time.monotonic()
        batch_id = next_batch_id(datetime.now(timezone.utc), plan.progress.batch_id)
        logger.info(f"Feed {name}: reads {plan.messages:,} offsets of {len(plan.ranges)} partitions")
        try:
            if plan.messages <= FEW_CHANGES:
                plan_once(spark)
            rows = _rows(spark, feed, plan, batch_id, new_gaps)
            progress = _progress_of(plan, batch_id)
            if target is None:
                # dbt writes these rows, and knows nothing of Kafka: what keeps Spark's reader out is found here.
                rows.where("path is not null").limit(1).collect()
                return Commit(rows, progress)
            is_written = append_if_unmoved(spark, rows, target, base, progress)
        except Exception as error:
            if not is_spark_error(error):
                raise
            raise KafkaError(
                f"CDC error (split_{name}): the messages of Kafka at {kafka.brokers} were not read to the end, or not"
                f" written. Received: {without_secrets(spark_message(error), read_settings(name, kafka))}. Nothing of"
                " them is in the table, and the next run reads them again. If a broker stopped or messages were removed"
                " meanwhile, run it again; else see the reason."
            ) from None
        if is_written:
            _show_pace(name, plan, time.monotonic() - started)
            commit_to_group(name, cluster, plan)
            return _written(spark, target, plan, len(new_gaps))
        if read_progress(spark, target) != before:
            break
    raise KafkaError(
        f"CDC error (split_{name}): another run has written to {target} since this one began to read Kafka. Expected:"
        " one run at a time. This run has written nothing, and each message is in the table once. Run it again."
    )


def waiting_messages(spark: SparkSession, feed: Mapping[str, Any], target: str | None, most: int) -> Waiting:
    """The messages that the next run will read, at most so many. Nothing is written, and no progress moves.

    Args:
        spark: the session to read with.
        feed: see `new_messages`.
        target: name of the split table, None before it exists.
        most: how many messages are read.

    Raises:
        KafkaError: Kafka does not answer.
    """
    kafka = replace(feed["kafka"], messages_per_run=min(most, feed["kafka"].messages_per_run))
    before = read_progress(spark, target) if target else None
    seen = Cluster(feed["feed"], kafka).look(is_first=before is None)
    plan = make_plan(kafka, before, seen, passes_gaps=passes_gaps(kafka))
    batch_id = next_batch_id(datetime.now(timezone.utc), plan.progress.batch_id)
    return Waiting(_rows(spark, feed, plan, batch_id, ()), [], plan.left)


def _written(spark: SparkSession, target: str, plan: Plan, gaps: int) -> Written:
    summary = snapshots.newest_summary(spark, target, OFFSETS)
    # One more row belongs to the batch.
    rows = int(summary.get("added-records", 0)) - gaps - 1
    return Written(f"append: {rows:,} rows of {plan.messages:,} offsets in {len(plan.ranges)} partitions")


def read_progress(spark: SparkSession, target: str) -> Progress | None:
    """Returns the offsets up to which a split table has been read; None if it never was.

    Args:
        spark: the session to ask with.
        target: name of the split table.

    Returns:
        The progress of the newest commit that records it. A rollback of the table rolls it back. If no summary is left,
        the rows answer: the offset after the last one of each partition.
    """
    summary = snapshots.newest_summary(spark, target, OFFSETS)
    if summary:
        return Progress(
            batch_id=int(summary[BATCH]),
            cluster_id=summary[CLUSTER],
            topics=json.loads(summary[TOPICS]),
            offsets={
                (topic, int(number)): offset
                for topic, by_number in json.loads(summary[OFFSETS]).items()
                for number, offset in by_number.items()
            },
            waiting=_as_keys(json.loads(summary[WAITING])) if WAITING in summary else _waiting(spark, target),
        )
    read = spark.table(target).where("path is not null and coalesce(set_aside, '') <> 'gap'")
    rows = read.groupBy("path").agg(F.max("file_row").alias("last"), F.max("batch_id").alias("batch_id")).collect()
    rows_with_parts = [(row, parts) for row in rows if (parts := parts_of(row.path))]
    if not rows_with_parts:
        return None
    # Of a topic or a cluster that was made again, the newest counts.
    rows_with_parts.sort(key=lambda row_parts: int(row_parts[0].batch_id))
    newest_cluster = rows_with_parts[-1][1][0]
    of_cluster = [(row, *parts[1:]) for row, parts in rows_with_parts if parts[0] == newest_cluster]
    topics = {topic: topic_id for _, topic_id, topic, _ in of_cluster}
    return Progress(
        batch_id=max(int(row.batch_id) for row, _ in rows_with_parts),
        cluster_id=newest_cluster,
        topics=topics,
        offsets={
            (topic, partition): int(row.last) + 1
            for row, topic_id, topic, partition in of_cluster
            if topic_id == topics[topic]
        },
        waiting=_waiting(spark, target),
    )


def _waiting(spark: SparkSession, target: str) -> tuple[GapKey, ...]:
    """The gaps that wait by the rows of the table: commits of earlier versions do not record them."""
    rows = spark.table(target).where("source_schema is null and set_aside = 'gap'")
    gaps = rows.groupBy("path", F.expr("image['reason']").alias("reason"), "file_row")
    waiting = gaps.agg(F.expr("max_by(image['is_passed'], batch_id)").alias("is_passed")).where("is_passed <> 'true'")
    return _as_keys((row.path, row.reason, row.file_row) for row in waiting.collect())


def _as_keys(keys: Iterable[Iterable[Any]]) -> tuple[GapKey, ...]:
    return tuple(sorted((str(source), str(reason), int(offset)) for source, reason, offset in keys))


def append_if_unmoved(spark: SparkSession, rows: DataFrame, table: str, base: int, progress: Mapping[str, str]) -> bool:
    """Appends rows in one commit, unless somebody else has changed the table since a snapshot.

    Args:
        spark: the session to write with.
        rows: rows of the table.
        table: its name.
        base: the snapshot that the rows were made for.
        progress: what the commit records.

    Returns:
        False, and nothing is visible, if the table has moved.
    """
    try:
        return snapshots.write_staged(spark, table, base, lambda: append_frame(rows, table, progress))
    except Exception as error:
        if not is_commit_conflict(error):
            raise
        return False


def commit_to_group(name: str, cluster: Cluster, plan: Plan) -> bool:
    """Commits what a table has been read up to to the feed's consumer group, for monitors; nothing reads it here.

    Args:
        name: of the feed.
        cluster: its cluster.
        plan: what was read, and is in the table.

    Returns:
        Whether the group has them; a warning says why not.
    """
    reason = cluster.commit_to_group({at: plan.progress.offsets[at] for at in plan.ends})
    if reason:
        logger.warning(
            f"Feed {name}: the offsets were not committed to the consumer group ({reason}). Only monitors read them"
            " there: nothing is missing, and the next run commits them."
        )
    return not reason


def _show_pace(name: str, plan: Plan, seconds: float) -> None:
    rate = plan.messages / max(seconds, 0.001)
    left = f"; {plan.left:,} left, {duration_text(round(plan.left / rate))} at this rate" if plan.left and rate else ""
    logger.info(f"Feed {name}: read {plan.messages:,} offsets in {seconds:.1f} s, {rate:,.0f} a second{left}")


def _planned(name: str, kafka: Kafka, before: Progress | None, cluster: Cluster) -> Plan:
    seen = cluster.look(is_first=before is None)
    plan = make_plan(kafka, before, seen, passes_gaps=passes_gaps(kafka))
    for topic in seen.missing:
        logger.warning(f"Feed {name}: topic {topic} does not exist (yet). It is read from its first message on.")
    if kafka.topic_pattern and not seen.topics and not seen.silent:
        logger.warning(
            f"Feed {name}: no topic matches topic_pattern={kafka.topic_pattern}, so nothing is read. The pattern has to"
            " match the whole name, and topics whose names begin with _ only if it begins with _ (docs/feeds/kafka.md)."
        )
    for at, reason in sorted(seen.silent.items()):
        logger.warning(f"Feed {name}: {at} does not answer ({reason}). The others are read, and it is asked again.")
    for gap in plan.gaps:
        if gap.has_waited:
            logger.info(f"Feed {name}: a gap is over. {gap}.")
            continue
        done = "It is read on there." if gap.is_passed else f"It waits. {what_to_do(name)}"
        logger.warning(f"Feed {name}: messages are gone that were not read. {gap}. {done}")
    if plan.left:
        logger.warning(f"Feed {name}: messages_per_run leaves {plan.left:,} messages for the next run.")
    too_far = max((end for _, end in plan.ranges.values()), default=0)
    if too_far >= MARKER_ROW:
        raise KafkaError(
            f"CDC error (feed {name}): received offset {too_far:,}, expected less than {MARKER_ROW:,}. Nothing was"
            " read. Copy the topic to a new one, and read that."
        )
    return plan


def passes_gaps(kafka: Kafka) -> bool:
    """Whether partitions are read on behind a gap: as the feed's row asks, or the environment of this run."""
    return kafka.on_gap == "continue" or os.environ.get(PASS_GAPS) == "continue"


def what_to_do(feed: str) -> str:
    """How a gap is passed."""
    return (
        f"Find out what was lost (docs/feeds/kafka.md), then run {PASS_GAPS}=continue dbt build --select split_{feed}+,"
        " or set on_gap=continue"
    )


def _rows(spark: SparkSession, feed: Mapping[str, Any], plan: Plan, batch_id: int, gaps: Iterable[Gap]) -> DataFrame:
    lines = _lines(spark, feed, plan, batch_id)
    tombstones = feed["kafka"].tombstones
    rows = CONNECTORS[feed["connector"]].read_rows(lines, {**feed, "to_join": [], "tombstones": tombstones})
    rows = _with_unreadable(rows, tables_of_topics(plan.progress.topics, feed["columns"]))
    rows = rows.withColumns(
        {"committed_at": F.coalesce("committed_at", "modified_at"), "modified_at": F.expr(_NO_VERSION)}
    )
    others = [
        {
            **{"path": gap.source, "file_key": gap.source, "file_row": gap.from_offset, "batch_id": batch_id},
            **{"set_aside": "gap", "content": str(gap), "image": list(_describe_gap(gap).items())},
        }
        for gap in gaps
    ]
    others.append({"batch_id": batch_id})
    # Rows of Arrow need no Python worker.
    table = pa.Table.from_pylist(others, _OTHERS)
    return rows.unionByName(frame_of(spark, table), allowMissingColumns=True)


def _describe_gap(gap: Gap) -> dict[str, str]:
    """Returns the row of a gap in the view kafka_gaps."""
    cluster_id, _, topic, partition = parts_of(gap.source) or ("", "", "", "")
    place = {"cluster_id": cluster_id, "topic": topic, "partition": str(partition)}
    return {**place, "reason": gap.reason, "to_offset": str(gap.to_offset), "is_passed": str(gap.is_passed).lower()}


def _lines(spark: SparkSession, feed: Mapping[str, Any], plan: Plan, batch_id: int) -> DataFrame:
    """The messages as the lines of files that are called as their partitions, in rows of their offsets.

    If a value may lack columns of the key, also the key.
    """
    kafka = feed["kafka"]
    texts = ("value", "key") if feed.get("form") == "flattened" else ("value",)
    if plan.ranges:
        options = make_reader_options(kafka.brokers, read_settings(feed["feed"], kafka))
        assigned = {
            topic: [number for _, number in partitions] for topic, partitions in groupby(sorted(plan.ranges), _topic)
        }
        starts = {at: start for at, (start, _) in plan.ranges.items()}
        ends = {at: end for at, (_, end) in plan.ranges.items()}
        # Both ends are numbers: a plan may be evaluated more than once.
        options |= {
            "assign": json.dumps(assigned),
            "startingOffsets": _as_json(starts),
            "endingOffsets": _as_json(ends),
        }
        messages = kafka_reader(spark, {**options, "failOnDataLoss": "true"})
        # Each task makes the code that reads messages again, which costs more than to read a few of them.
        tasks = max(spark.sparkContext.defaultParallelism, plan.messages // _MESSAGES_OF_A_TASK)
        messages = messages.coalesce(tasks) if tasks < len(plan.ranges) else messages
    else:
        schema = "topic string, partition int, offset bigint, timestamp timestamp, key binary, value binary"
        messages = spark.createDataFrame([], schema)
    progress = plan.progress
    names = [
        (topic, object_name(progress.cluster_id, topic_id, topic, 0)[:-2])
        for topic, topic_id in progress.topics.items()
    ]
    # One literal: a call of Java for each of many topics takes longer than to read their messages.
    folders = F.from_json(F.lit(json.dumps(dict(names))), "map<string,string>")
    source = F.concat_ws("/", folders[F.col("topic")], F.col("partition"))
    messages = messages.select("topic", "partition", "offset", "timestamp", *texts)
    return as_text(messages, feed["feed"], kafka, texts).select(
        source.alias("path"),
        source.alias("file_key"),
        F.lit(None).cast("timestamp").alias("file_time"),
        F.col("timestamp").alias("modified_at"),
        F.lit(batch_id).cast("bigint").alias("batch_id"),
        F.col("offset").alias("file_row"),
        *texts,
    )


def _with_unreadable(rows: DataFrame, tables: Mapping[str, list[str]]) -> DataFrame:
    """Rows of messages that no schema makes text of: their topic names the table (`tables_of_topics`)."""
    is_unreadable = F.coalesce(F.col("content").startswith(avro.UNREADABLE), F.lit(False))
    by_topic = F.from_json(F.lit(json.dumps(tables)), "map<string,array<string>>")
    names = by_topic[F.element_at(F.split("path", "/"), -2)]
    reason = F.substring_index("content", avro.BYTES, 1)

    def name_by_topic(place: int, name: str) -> Column:
        return F.when(is_unreadable, F.coalesce(name, F.get(names, F.lit(place)))).otherwise(F.col(name))

    return rows.withColumns(
        {
            "source_schema": name_by_topic(0, "source_schema"),
            "source_table": name_by_topic(1, "source_table"),
            "malformed": F.when(is_unreadable, reason).otherwise(F.col("malformed")),
        }
    )


def _progress_of(plan: Plan, batch_id: int) -> dict[str, str]:
    """What the commit records of what the plan reads."""
    progress = plan.progress
    return {
        BATCH: str(batch_id),
        CLUSTER: progress.cluster_id,
        TOPICS: json.dumps(progress.topics, sort_keys=True),
        OFFSETS: _as_json(progress.offsets),
        ENDS: _as_json(plan.ends),
        WAITING: json.dumps(progress.waiting),
    }


def _as_json(offsets: Mapping[Partition, int]) -> str:
    """In the form of Spark's options: {"topic": {"0": 23}}."""
    by_topic: dict[str, dict[str, int]] = {}
    for (topic, number), offset in sorted(offsets.items()):
        by_topic.setdefault(topic, {})[str(number)] = offset
    return json.dumps(by_topic)


def _topic(at: Partition) -> str:
    return at[0]
