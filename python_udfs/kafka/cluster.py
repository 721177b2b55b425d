"""Reads the state of a Kafka cluster: its id, topics, their ids, and first and last offsets. It reads no message."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from python_udfs.kafka.client import KafkaError, make_admin_settings, read_settings, without_secrets
from python_udfs.kafka.plan import Partition, Seen

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

    from python_udfs.metadata.kafka import Kafka

SECONDS_TO_ANSWER = 15
# A broker that has just started, or leads a partition since a moment ago, answers so; librdkafka does not ask again.
PASSING = ("LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH")
QUESTIONS, SECONDS_BETWEEN = 15, 0.2
# The client's addition to each reason, and its only message if a connection ends without a word.
_DOWN = r"[0-9]+/[0-9]+ brokers are down"
_NO_TLS = "connecting to a PLAINTEXT broker listener?"
_CLOSED = "the connection is closed without a reason; if the port asks for TLS or a login, set kafka.security.protocol"
# Topics of Kafka, its tools and canaries begin so; a pattern means topics of data, unless it begins so itself.
_INTERNAL = "_"


class Cluster:
    """The cluster of a feed. It connects when it is first asked, and stays connected.

    Args:
        feed: name of the feed, for messages.
        kafka: what its row describes.
        seconds: how long a broker may take to answer.

    Raises:
        KafkaError: a setting has no value, or the client refuses the settings.
    """

    def __init__(self, feed: str, kafka: Kafka, seconds: float = SECONDS_TO_ANSWER) -> None:
        from confluent_kafka import KafkaException  # noqa: PLC0415 - only projects that read Kafka pay for it
        from confluent_kafka.admin import AdminClient  # noqa: PLC0415

        self._feed, self._kafka, self._seconds = feed, kafka, seconds
        self._values = read_settings(feed, kafka)
        # The client calls back with this alone: with a reference to itself it would stay, with its threads and
        # connections, until Python collects cycles, perhaps in one of these threads.
        said = self._said = dict[str, None]()
        self._committed: dict[Partition, int] = {}
        # Errors are raised to the caller; a line for each attempt would be on the terminal.
        quiet: dict[str, Any] = {"log_level": 0, "error_cb": lambda error: said.setdefault(error.str())}
        try:
            self._admin: AdminClient = AdminClient({**make_admin_settings(kafka.brokers, self._values), **quiet})
        except KafkaException as error:
            raise self._error(f"Kafka's client refuses the settings: {error.args[0].str()}") from None

    def look(self, *, is_first: bool) -> Seen:
        """Returns the present state.

        Args:
            is_first: whether nothing was read yet, so that it matters where a read begins.

        Raises:
            KafkaError: no broker answers. Nothing was read, and nothing is lost as long as Kafka keeps the messages.
        """
        from confluent_kafka import KafkaException  # noqa: PLC0415

        self._said.clear()
        try:
            listed = self._admin.list_topics(timeout=self._seconds).topics
            partitions = {name: list(topic.partitions) for name, topic in listed.items() if not topic.error}
            wanted = self._wanted(partitions)
            cluster_id = self._admin.describe_cluster(request_timeout=self._seconds).result().cluster_id
        except KafkaException as error:
            self._admin.poll(0)
            raise self._error(f"no answer: {error.args[0].str()}") from None
        silent: dict[str, str] = {
            name: topic.error.str()
            for name, topic in listed.items()
            if topic.error and (name in self._kafka.topics or self._matches(name))
        }
        ids = self._ids(wanted, silent)
        all_of_them = [(topic, number) for topic in ids for number in partitions[topic]]
        first = self._offsets(all_of_them, _spec().earliest(), silent)
        # The cluster gets messages meanwhile: what is asked later is not smaller, and a read begins before its end.
        begin = self._begin(list(first), silent) if is_first else {}
        end = self._offsets([at for at in first if _name(at) not in silent], _spec().latest(), silent)
        if silent and not end:
            raise self._error("; ".join(f"{name}: {reason}" for name, reason in sorted(silent.items())))
        return Seen(
            cluster_id=str(cluster_id),
            topics=ids,
            first={at: first[at] for at in end},
            end=end,
            begin=begin,
            missing=tuple(sorted(set(self._kafka.topics) - set(wanted) - set(silent))),
            silent=silent,
        )

    def commit_to_group(self, offsets: Mapping[Partition, int]) -> str | None:
        """Commits the next offsets to the feed's consumer group; nothing if it names none, or has them already.

        Args:
            offsets: by topic and partition.

        Returns:
            Why it was not done, None if it was.
        """
        from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition  # noqa: PLC0415

        if not self._kafka.group or not offsets or offsets == self._committed:
            return None
        partitions = [TopicPartition(*at, offset) for at, offset in sorted(offsets.items())]
        group = ConsumerGroupTopicPartitions(self._kafka.group, partitions)
        try:
            [asked] = self._admin.alter_consumer_group_offsets([group], request_timeout=self._seconds).values()
            refused = [partition for partition in asked.result().topic_partitions if partition.error]
        except (KafkaException, ValueError) as error:
            # Of the client, an error with a text of its own.
            reason = error.args[0].str() if isinstance(error, KafkaException) else str(error)
            return without_secrets(f"{self._kafka.group}: {reason}", self._values)
        if refused:
            return f"{self._kafka.group}: {refused[0].topic}/{refused[0].partition} {refused[0].error.str()}"
        self._committed = dict(offsets)
        return None

    def _wanted(self, names: Iterable[str]) -> list[str]:
        return sorted(name for name in names if name in self._kafka.topics or self._matches(name))

    def _matches(self, name: str) -> bool:
        pattern = self._kafka.topic_pattern
        if pattern is None or (name.startswith(_INTERNAL) and not pattern.startswith(_INTERNAL)):
            return False
        return re.fullmatch(pattern, name) is not None

    def _ids(self, topics: list[str], silent: dict[str, str]) -> dict[str, str]:
        from confluent_kafka import TopicCollection  # noqa: PLC0415

        if not topics:
            return {}
        asked = self._admin.describe_topics(TopicCollection(topics), request_timeout=self._seconds)
        # As Kafka's own tools write it: librdkafka's form may hold a slash.
        spelling = str.maketrans("+/", "-_")
        return {
            name: str(description.topic_id).translate(spelling)
            for name, description in _answers(asked, str, silent).items()
        }

    def _offsets(self, partitions: list[Partition], spec: Any, silent: dict[str, str]) -> dict[Partition, int]:
        from confluent_kafka import IsolationLevel, TopicPartition  # noqa: PLC0415

        if not partitions:
            return {}
        for _ in range(QUESTIONS):
            asked = self._admin.list_offsets(
                {TopicPartition(*at): spec for at in partitions},
                # Messages of a transaction that is open, or was aborted, are none yet.
                isolation_level=IsolationLevel.READ_COMMITTED,
                request_timeout=self._seconds,
            )
            if not any(map(_passes, asked.values())):
                break
            time.sleep(SECONDS_BETWEEN)
        answers = _answers({(at.topic, at.partition): future for at, future in asked.items()}, _name, silent)
        return {at: int(answer.offset) for at, answer in answers.items()}

    def _begin(self, partitions: list[Partition], silent: dict[str, str]) -> dict[Partition, int]:
        millis = self._kafka.start_millis
        if self._kafka.starting_offsets == "latest":
            return self._offsets(partitions, _spec().latest(), silent)
        if millis is None:
            return {}
        offsets = self._offsets(partitions, _spec().for_timestamp(millis), silent)
        # No message is as late.
        none_so_late = [at for at, offset in offsets.items() if offset < 0]
        return offsets | self._offsets(none_so_late, _spec().latest(), silent)

    def _error(self, reason: str) -> KafkaError:
        said = "; ".join([reason, *_reasons(self._said, self._values)])
        return KafkaError(
            f"CDC error (feed {self._feed}): Kafka at {self._kafka.brokers} cannot be read."
            f" Received: {without_secrets(said, self._values)}. Expected: a broker that lists topics and their offsets."
            " Nothing was read, and the next run goes on at the same offsets. Start the broker, or correct location and"
            " the options kafka.… in seeds/cdc_feeds.csv (docs/feeds/kafka.md) and run make models."
        )


def _reasons(said: Iterable[str], values: Mapping[str, str]) -> list[str]:
    """Returns the client's messages, once each: it tries again and again, each line with another duration."""
    lines = list(dict.fromkeys(re.sub(r" \(after [^)]*\)", "", line) for line in said))
    reasons = [line for line in lines if not re.fullmatch(_DOWN, line)]
    is_plain = values.get("security.protocol", "PLAINTEXT").upper() in ("PLAINTEXT", "SASL_PLAINTEXT")
    if lines and not reasons and is_plain:
        reasons = [_CLOSED]
    if any("SSL connection closed by peer" in line for line in reasons) and _NO_TLS not in "; ".join(reasons):
        reasons.append(_NO_TLS)  # the client guesses that only if the connection ends early
    return reasons or lines


def _passes(answer: Future[Any]) -> bool:
    """Whether a partition has no answer for a reason that soon passes."""
    from confluent_kafka import KafkaError as Reason  # noqa: PLC0415
    from confluent_kafka import KafkaException  # noqa: PLC0415

    error = answer.exception()
    return isinstance(error, KafkaException) and error.args[0].code() in [getattr(Reason, name) for name in PASSING]


def _answers(asked: Mapping[Any, Any], name_of: Callable[[Any], str], silent: dict[str, str]) -> dict[Any, Any]:
    """The results; what has none goes to silent, with the reason."""
    from confluent_kafka import KafkaException  # noqa: PLC0415

    answers = {}
    for name, future in asked.items():
        try:
            answers[name] = future.result()
        except KafkaException as error:
            silent[name_of(name)] = error.args[0].str()
    return answers


def _name(at: Partition) -> str:
    return f"{at[0]}/{at[1]}"


def _spec() -> Any:
    from confluent_kafka.admin import OffsetSpec  # noqa: PLC0415

    return OffsetSpec
