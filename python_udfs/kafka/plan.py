"""Plans the reads of a run: one range of offsets for each partition, from what the table has and what the cluster has.

Pure functions: nothing here asks Kafka or Spark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from python_udfs.metadata.kafka import Kafka

Partition = tuple[str, int]
# Source, reason and first offset of a gap: where it ends may move while it waits.
GapKey = tuple[str, str, int]
# Why messages are gone that were not read, and what was found.
RETENTION, RECREATED, REPLACED, BEYOND = "retention", "topic_recreated", "cluster_replaced", "beyond_end"


@dataclass(frozen=True)
class Progress:
    """Offsets up to which a split table has been read, as its newest commit records them.

    Attributes:
        batch_id: the last batch.
        cluster_id: the cluster that the offsets are of.
        topics: id of each topic.
        offsets: the next offset to read, by topic and partition.
        waiting: `Gap.key` of each gap behind which a partition waits, sorted.
    """

    batch_id: int
    cluster_id: str
    topics: Mapping[str, str]
    offsets: Mapping[Partition, int]
    waiting: tuple[GapKey, ...] = ()


@dataclass(frozen=True)
class Seen:
    """State of a cluster.

    Attributes:
        cluster_id: its id.
        topics: id of each topic that the feed reads.
        first: the earliest offset, by topic and partition.
        end: the offset after the last committed message.
        begin: where a first read begins, if the feed asks for `latest` or a time.
        missing: topics that the feed names and that are not there.
        silent: what could not be asked, with the reason: partitions, as `topic/partition`, or topics.
    """

    cluster_id: str
    topics: Mapping[str, str]
    first: Mapping[Partition, int]
    end: Mapping[Partition, int]
    begin: Mapping[Partition, int] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    silent: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Gap:
    """Messages of a partition that are gone and were not read.

    Attributes:
        source: name of the partition, see `object_name`.
        reason: `retention`, `topic_recreated`, `cluster_replaced` or `beyond_end`.
        from_offset: the offset that was to be read next.
        to_offset: where the partition is read on.
        is_passed: whether it is read on; if not, the partition waits.
        has_waited: whether the gap is no longer there, and the partition waited behind it until this run.
    """

    source: str
    reason: str
    from_offset: int
    to_offset: int
    is_passed: bool
    has_waited: bool = False

    @property
    def key(self) -> GapKey:
        """Returns the fields that identify a gap."""
        return self.source, self.reason, self.from_offset

    def __str__(self) -> str:
        """The gap in one line."""
        if self.has_waited:
            skipped = self.to_offset - self.from_offset
            return (
                f"{self.source}: waited at offset {self.from_offset} ({self.reason}), and is read on at offset"
                f" {self.to_offset}{f': {skipped:,} offsets are skipped' if skipped > 0 else ''}"
            )
        wording = {
            RETENTION: "its earliest message has",
            RECREATED: "the topic was deleted and created again, and begins at",
            REPLACED: "another cluster answers, where it begins at",
            BEYOND: "it ends before that, at",
        }[self.reason]
        return f"{self.source}: offset {self.from_offset} was to be read next; {wording} offset {self.to_offset}"


@dataclass(frozen=True)
class Plan:
    """Plan of a run's reads.

    Attributes:
        ranges: first offset and the one after the last, of each partition with something to read.
        progress: what its commit records.
        ends: the offset after the last message that the cluster had, by partition.
        gaps: what is gone.
        left: messages that the limit leaves for the next run.
    """

    ranges: Mapping[Partition, tuple[int, int]]
    progress: Progress
    ends: Mapping[Partition, int]
    gaps: tuple[Gap, ...] = ()
    left: int = 0

    @property
    def messages(self) -> int:
        """How many offsets are read; a topic with gaps, by compaction or transactions, has fewer messages."""
        return sum(end - start for start, end in self.ranges.values())


def object_name(cluster_id: str, topic_id: str, topic: str, partition: int) -> str:
    """Returns the name that stands for the file of a message; its offset is the row.

    A topic that was deleted and created again has the same offsets once more: only its id differs.
    """
    return f"kafka://{cluster_id}/{topic_id}/{topic}/{partition}"


def parts_of(name: str) -> tuple[str, str, str, int] | None:
    """Cluster id, topic id, topic and partition of a name that `object_name` made; None for another text."""
    parts = re.fullmatch(r"kafka://([^/]+)/([^/]+)/([^/]+)/([0-9]+)", name)
    return (parts[1], parts[2], parts[3], int(parts[4])) if parts else None


def make_plan(kafka: Kafka, before: Progress | None, seen: Seen, *, passes_gaps: bool) -> Plan:
    """Decides what a run reads.

    Args:
        kafka: what the feed's row describes.
        before: progress of the split table; None on the first run.
        seen: what the cluster has.
        passes_gaps: whether partitions are read on behind a gap.

    Returns:
        The plan. A partition with a gap that is not passed is not read, and keeps its progress; all others are read.
    """
    old = before or Progress(0, seen.cluster_id, {}, {})
    is_replaced = old.cluster_id != seen.cluster_id
    topics, offsets = dict(old.topics), dict(old.offsets)
    gaps: list[Gap] = []
    held: set[Partition] = set()

    def gap(at: Partition, reason: str, to: int) -> None:
        source = object_name(old.cluster_id, old.topics.get(at[0], seen.topics[at[0]]), *at)
        gaps.append(Gap(source, reason, offsets[at], to, passes_gaps))
        if passes_gaps:
            offsets[at] = to
        else:
            held.add(at)

    for at in sorted(seen.end):
        topic, first, end = at[0], seen.first[at], seen.end[at]
        is_known = topic in old.topics
        if at not in offsets:
            # Of a topic that is read already, a partition that is new has no message before its first.
            offsets[at] = 0 if is_known else _start(kafka, at, seen, is_first=before is None)
        if is_replaced and is_known:
            gap(at, REPLACED, first)
        elif is_known and old.topics[topic] != seen.topics[topic]:
            gap(at, RECREATED, first)
        elif offsets[at] < first:
            gap(at, RETENTION, first)
        elif offsets[at] > end:
            gap(at, BEYOND, end)
    for topic, topic_id in seen.topics.items():
        if not any(at[0] == topic for at in held):
            topics[topic] = topic_id
            # Partitions of a topic that was deleted, of which the new one has fewer.
            gone = [at for at in offsets if at[0] == topic and at not in seen.end and old.topics.get(topic) != topic_id]
            for at in gone:
                del offsets[at]
    waiting, over = _judge_waiting(old.waiting, gaps, offsets, seen)
    if is_replaced and held:
        # Offsets of one cluster stand beside those of no other.
        return Plan({}, replace(old, waiting=waiting), {}, tuple(gaps))
    if is_replaced:
        offsets = {at: offset for at, offset in offsets.items() if at[0] in seen.topics}
        topics = {topic: topics[topic] for topic in seen.topics}
    backlog = {at: end - offsets[at] for at, end in sorted(seen.end.items()) if at not in held and end > offsets[at]}
    taken = _share_limit(backlog, kafka.messages_per_run)
    ranges = {at: (offsets[at], offsets[at] + count) for at, count in taken.items()}
    offsets.update({at: end for at, (_, end) in ranges.items()})
    return Plan(
        ranges=ranges,
        progress=Progress(old.batch_id, seen.cluster_id, topics, offsets, waiting),
        ends={at: seen.end[at] for at in offsets if at in seen.end},
        gaps=(*gaps, *over),
        left=sum(backlog.values()) - sum(taken.values()),
    )


def _judge_waiting(
    before: Iterable[GapKey], gaps: Iterable[Gap], offsets: Mapping[Partition, int], seen: Seen
) -> tuple[tuple[GapKey, ...], tuple[Gap, ...]]:
    """The gaps that wait from now on, and those that waited and are over: their partitions answer without them."""
    there = {gap.key: gap for gap in gaps}
    waiting, over = {gap.key for gap in there.values() if not gap.is_passed}, []
    for source, reason, offset in sorted(set(before) - there.keys()):
        at = (parts_of(source) or ("", "", "", 0))[2:]
        if at in seen.end:
            over.append(Gap(source, reason, offset, offsets[at], is_passed=True, has_waited=True))
        else:
            waiting.add((source, reason, offset))
    return tuple(sorted(waiting)), tuple(over)


def _start(kafka: Kafka, at: Partition, seen: Seen, *, is_first: bool) -> int:
    """Where a partition is begun; what comes after the first run is read from its earliest message on."""
    if not is_first or kafka.starting_offsets == "earliest":
        return seen.first[at]
    return seen.begin.get(at, kafka.given_offsets.get(at, seen.first[at]))


def _share_limit(backlog: Mapping[Partition, int], limit: int) -> dict[Partition, int]:
    """How many offsets of each partition are read: all, or parts in proportion, at least one of each."""
    total = sum(backlog.values())
    if total <= limit:
        return dict(backlog)
    return {at: max(1, count * limit // total) for at, count in backlog.items()}


def tables_of_topics(topics: Iterable[str], tables: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The tables of topics by their names, of which Debezium's end with schema and table.

    Args:
        topics: their names.
        tables: source schema and source table of the feed's tables.

    Returns:
        By topic schema and table, if one table alone is called as the topic ends: names may have dots themselves.
    """
    by_name: dict[str, list[tuple[str, str]]] = {}
    for schema, table in tables:
        by_name.setdefault(f"{schema}.{table}", []).append((schema, table))
    table_of_topic: dict[str, list[str]] = {}
    for topic in topics:
        parts = topic.split(".")
        ends = [".".join(parts[at:]) for at in range(len(parts) - 1)]
        named = [table for end in ends for table in by_name.get(end, ())]
        if len(named) == 1:
            table_of_topic[topic] = list(named[0])
    return table_of_topic
