"""A Kafka broker of a test's own, from its published jars: it can be stopped and started again."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from databases import free_port
from processes import ServerError, running

CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAQ"
SASL = "reader:pa$$word"
# Room for one message of 20 MB.
LARGEST_MESSAGE = 32 * 1024 * 1024
Value = str | bytes | None


class Broker:
    """One broker, which is its own controller.

    Args:
        program: Java with the jars.
        folder: where it keeps its data; an empty one.
        cluster_id: 22 characters of base64.
        settings: more settings of the broker.
        sasl: `user:password` that one more listener, `SECURE`, asks for; None: there is none.
        listeners: more listeners by name, in upper case: `protocol`, and settings of the listener. `at` has their
            addresses.
    """

    def __init__(
        self,
        program: Sequence[str],
        folder: Path,
        cluster_id: str = CLUSTER_ID,
        settings: dict[str, str] | None = None,
        sasl: str | None = None,
        listeners: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._program, self._folder = list(program), folder
        port, controller = free_port(), free_port()
        self.address = f"127.0.0.1:{port}"
        self.process: subprocess.Popen[bytes] | None = None
        values = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "controller.listener.names": "CONTROLLER",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{controller}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": str(folder / "kafka"),
            "offsets.topic.num.partitions": "1",
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.num.partitions": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "message.max.bytes": str(LARGEST_MESSAGE),
            "log.cleaner.backoff.ms": "200",
            **(settings or {}),
        }
        if sasl:
            user, password = sasl.split(":")
            login = "org.apache.kafka.common.security.plain.PlainLoginModule required"
            plain = {
                "protocol": "SASL_PLAINTEXT",
                "sasl.enabled.mechanisms": "PLAIN",
                "plain.sasl.jaas.config": f'{login} user_{user}="{password}";',
            }
            listeners = {"SECURE": plain, **(listeners or {})}
        self.at = {name: f"127.0.0.1:{free_port()}" for name in listeners or {}}
        for name, given in (listeners or {}).items():
            values["listener.security.protocol.map"] += f",{name}:{given['protocol']}"
            values["listeners"] += f",{name}://{self.at[name]}"
            values |= {
                f"listener.name.{name.lower()}.{key}": value for key, value in given.items() if key != "protocol"
            }
        self._properties = folder / "kafka.properties"
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
        formatted = subprocess.run(
            [*program, "kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", str(self._properties)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if formatted.returncode:
            raise ServerError(f"Kafka's storage cannot be formatted: {formatted.stderr.strip()}")
        self._running = ExitStack()

    def start(self) -> None:
        """Starts it, until `stop`; raises ServerError if it does not come up."""
        command = [*self._program, "kafka.Kafka", str(self._properties)]
        server = running(command, self._folder, self._folder / "kafka.log", self.is_missing)
        self.process = self._running.enter_context(server)

    def stop(self) -> None:
        """Stops it; what it has stays."""
        self._running.close()

    def kill(self) -> None:
        """Ends it without a word to anybody (SIGKILL); what it has written stays."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self._running.close()

    def move(self) -> None:
        """Gives it another port, with the data it has; it is stopped, and the next start uses the new one."""
        before, self.address = self.address, f"127.0.0.1:{free_port()}"
        self._properties.write_text(self._properties.read_text().replace(before, self.address))

    def is_missing(self) -> str | None:
        """Why the broker cannot be used yet; after a new start it lists topics before it leads their partitions."""
        admin = self.admin()
        try:
            topics = admin.list_topics(timeout=1).topics.values()
            partitions = [TopicPartition(topic.topic, number) for topic in topics for number in topic.partitions]
            asked = {at: OffsetSpec.latest() for at in partitions}
            for future in admin.list_offsets(asked, request_timeout=5).values() if asked else ():
                future.result()
        except KafkaException as error:
            return str(error)
        return None

    def group_offsets(self, group: str) -> dict[str, int]:
        """The offsets of a consumer group by topic/partition, as monitors ask for them."""
        # Not by the AdminClient: its list_consumer_group_offsets ends the process while a group's coordinator is new
        # (librdkafka 2.16.0, rd_kafka_handle_OffsetFetch).
        consumer = Consumer({"bootstrap.servers": self.address, "group.id": group, "log_level": 0})
        try:
            topics = consumer.list_topics(timeout=10).topics.values()
            asked = [TopicPartition(topic.topic, number) for topic in topics for number in topic.partitions]
            committed = consumer.committed(asked, timeout=30)
        finally:
            consumer.close()
        return {
            f"{partition.topic}/{partition.partition}": partition.offset
            for partition in committed
            if partition.offset >= 0
        }

    def tool(self, name: str, *arguments: str) -> str:
        """Output of one of Kafka's own commands, by the name of its class."""
        command = [*self._program, name, "--bootstrap-server", self.address, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def admin(self) -> AdminClient:
        """A new client: one that met a broker that is down waits before it asks again."""
        return AdminClient({"bootstrap.servers": self.address, "log_level": 0})

    def _do(self, operation: str, *arguments: Any) -> None:
        admin = self.admin()  # it has to live until the answer is there
        for future in getattr(admin, operation)(*arguments).values():
            future.result(30)

    def add_scram_user(self, user: str, password: str) -> None:
        """Gives a user a password for SCRAM-SHA-512."""
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        self._do("alter_user_scram_credentials", [UserScramCredentialUpsertion(user, info, password.encode())])

    def create(self, topic: str, partitions: int = 1, **config: str) -> None:
        """Makes a topic; `_` in a name of its settings stands for `.`."""
        named = {name.replace("_", "."): value for name, value in config.items()}
        self._do("create_topics", [NewTopic(topic, partitions, 1, config=named)])

    def delete(self, topic: str) -> None:
        """Deletes a topic."""
        self._do("delete_topics", [topic])

    def add_partitions(self, topic: str, total: int) -> None:
        """Gives a topic more partitions."""
        self._do("create_partitions", [NewPartitions(topic, total)])

    def remove_before(self, topic: str, offset: int, partition: int = 0) -> None:
        """Removes the first messages of a partition, as retention does."""
        self._do("delete_records", [TopicPartition(topic, partition, offset)])

    def send(self, topic: str, *values: Value, partition: int = 0, key: Value = None, headers: Any = None) -> None:
        """Sends messages, and waits until the broker has them."""
        self.send_all(topic, ((partition, value) for value in values), key=key, headers=headers)

    def send_all(
        self, topic: str, values: Iterable[tuple[int, Value]], *, key: Value = None, headers: Any = None
    ) -> None:
        """Sends messages, each to a partition, and waits until the broker has them."""
        producer = Producer({**self._producer, "linger.ms": 5})
        for partition, value in values:
            producer.produce(topic, value, key, partition, headers=headers)
        assert producer.flush(60) == 0

    @contextmanager
    def transaction(self, topic: str, *values: Value, partition: int = 0, name: str = "tx") -> Iterator[Producer]:
        """Sends messages in a transaction that the block ends, by the producer that it gets."""
        producer = Producer({**self._producer, "transactional.id": name})
        producer.init_transactions(30)
        producer.begin_transaction()
        for value in values:
            producer.produce(topic, value, partition=partition)
        producer.flush(30)
        yield producer

    @property
    def _producer(self) -> dict[str, Any]:
        return {"bootstrap.servers": self.address, "message.max.bytes": LARGEST_MESSAGE, "log_level": 0}


@contextmanager
def started(program: Sequence[str], folder: Path, **arguments: Any) -> Iterator[Broker]:
    """A broker until the end of the block; see `Broker`."""
    broker = Broker(program, folder, **arguments)
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


def end_of(broker: Broker, topic: str) -> int:
    """The offset after the last message of a topic's first partition."""
    consumer = Consumer({"bootstrap.servers": broker.address, "group.id": "end"})
    try:
        return int(consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)[1])
    finally:
        consumer.close()


def wait_until_compacted(broker: Broker, topic: str, to: int) -> None:
    """Waits until a topic of one partition has no more messages than that before its last ones, which it sends."""
    deadline = time.monotonic() + 60
    while True:
        broker.send(topic, "more", key="more")  # what is written to stays as it is
        consumer = Consumer({"bootstrap.servers": broker.address, "group.id": "count", "enable.auto.commit": False})
        consumer.assign([TopicPartition(topic, 0, 0)])
        messages = [message for message in consumer.consume(100, timeout=2) if not message.error()]
        consumer.close()
        if sum(1 for message in messages if message.key() == b"k") < to:
            return
        if time.monotonic() > deadline:
            raise ServerError(f"{topic} is not compacted after 60 s")
        time.sleep(0.3)
