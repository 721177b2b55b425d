"""`make watch` for long, on a real broker to which all kinds of things happen.

Each round has every trouble once: WATCH_MINUTES=60 (`make prove WATCH_MINUTES=60`) begins rounds for so long. Without
the variable nothing runs: even one round takes minutes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median

import broker as servers
import capture
import pytest
from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from watched import Sent, Watched, watching

from python_udfs.metadata import FEEDS_FILE
from tests.e2e.lakehouse import Lakehouse
from tests.e2e.test_message_cases import maxwell

MINUTES = float(os.environ.get("WATCH_MINUTES") or 0)
SEED = int(os.environ.get("SEED") or 7)
pytestmark = pytest.mark.skipif(not MINUTES, reason="takes as long as WATCH_MINUTES says")
# A round of an hour's watch, and the only one of a few minutes.
IS_LONG = MINUTES >= 20
TABLES, PARTITIONS = ("current", "versions"), 3
GROUP = "soak"
SECONDS_TO_FOLLOW = 600


class Soak:
    """A watch, its broker, and what was sent: what happens to them, one method each."""

    def __init__(self, root: Path, broker: servers.Broker, environment: dict[str, str]) -> None:
        self.root, self.broker, self.environment = root, broker, environment
        self.lakehouse = Lakehouse(root, spark_settings=None)
        self.sent = Sent(broker, TABLES, PARTITIONS, Random(SEED))
        self.files = 0
        self.followed: list[tuple[str, float]] = []
        self._admins: dict[str, AdminClient] = {}
        self._said = 0
        for table in TABLES:
            broker.create(f"soak.{table}", PARTITIONS)
        row = {"feed": "live", "connector": "maxwell", "format": "json"}
        self.feed = {**row, "location": f"kafka://{broker.address}"}
        self.lakehouse.rows[FEEDS_FILE].append(self.feed)
        self.lakehouse.add_feed("files", "json", connector="maxwell")
        self.lakehouse.add_table("live", "current", columns="id int, v string, w string")
        self.lakehouse.add_table("live", "versions", mode="history", columns="id int, v string, w string")
        self.lakehouse.add_table("files", "landed", columns="id int, v string, w string")
        self.configure()

    def configure(self, on_gap: str = "fail") -> None:
        """Step of a person: changes the row of the feed, and runs `make models`."""
        self.feed["location"] = f"kafka://{self.broker.address}"
        self.feed["options"] = rf"topic_pattern=soak\..*;group={GROUP};messages_per_run=5000;on_gap={on_gap}"
        self.lakehouse.make_models()

    def dbt(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A dbt command in a process of its own."""
        command = [sys.executable, "-m", "dbt.cli.main", *arguments, *self.lakehouse.directories]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)

    def do(self, *arguments: str) -> None:
        """A dbt command that has to succeed."""
        done = self.dbt(*arguments)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]

    def rows(self, query: str) -> list[dict[str, object]]:
        """The rows of a query, asked of the warehouse by another process."""
        done = self.dbt("--quiet", "show", "--inline", query, "--limit", "-1", "--output", "json")
        assert done.returncode == 0, done.stdout + done.stderr
        shown: list[dict[str, object]] = json.loads(done.stdout[done.stdout.index("{") :])["show"]
        return shown

    def land(self) -> None:
        """A file beside the topics, whose feed no broker holds up."""
        self.files += 1
        position = f"b.000001:{self.files}"
        message = maxwell("insert", self.files, f"f{self.files}", xid=self.files, commit=True, position=position)
        folder = self.lakehouse.raw / "files"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.files:06}.json").write_text(json.dumps({**message, "table": "landed"}) + "\n")

    # What happens ----------------------------------------------------------------------------------------------------

    def idle(self, seconds: float) -> None:
        """Nothing comes."""
        time.sleep(seconds)

    def busy(self, seconds: float) -> None:
        """Messages all the time, and some files."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.sent.send(5)
            if self.sent.random.random() < 0.05:
                self.land()
            time.sleep(0.2)

    def kill(self, seconds: float) -> None:
        """The broker is killed while messages come, and is away for a while."""
        self.busy(4)
        self.broker.kill()
        self.land()
        self.busy(seconds)
        self.broker.start()

    def stall(self, seconds: float) -> None:
        """The broker is there and answers nothing, some times shortly and once for longer."""
        assert self.broker.process is not None
        for pause in (1, 2, 3, seconds):
            self.busy(2)
            self.broker.process.send_signal(signal.SIGSTOP)
            try:
                self.land()
                self.busy(pause)
            finally:
                self.broker.process.send_signal(signal.SIGCONT)

    def move(self, seconds: float) -> None:
        """The broker comes back at another port, and somebody corrects the seed."""
        self.sent.flush()
        self.broker.stop()
        self.broker.move()
        self.broker.start()
        self.sent.reconnect()
        self.sent.send(20)
        time.sleep(seconds)
        self.configure()

    def remove_all(self) -> None:
        """Retention removes all messages that the topics hold."""
        for at, end in self.ends().items():
            topic, partition = at.split("/")
            self.broker.remove_before(topic, end, int(partition))

    def trim(self, _: float) -> None:
        """Retention removes messages that were read."""
        self.follow("before trim")
        self.remove_all()
        self.sent.send(20)

    def lose(self, watched: Watched) -> None:
        """Retention removes messages that were not read; newer ones of the same keys follow, and somebody reads on."""
        self.follow("before loss")
        with self.stopped(watched):
            keys = list(range(0, 30))
            self.sent.send(30, is_lost=True, keys=keys)
            self.sent.flush()
            self.remove_all()
            self.sent.send(30, keys=keys)
            self.sent.flush()
        deadline = time.monotonic() + 120
        while "messages are gone that were not read" not in watched.said()[self._said :]:
            assert time.monotonic() < deadline, watched.said()[-2000:]
            time.sleep(1)
        self._said = len(watched.said())
        time.sleep(10)
        self.configure(on_gap="continue")
        self.follow("after loss")
        self.configure()

    @contextmanager
    def stopped(self, watched: Watched) -> Iterator[None]:
        """The watch stands still for the block."""
        watched.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            watched.process.send_signal(signal.SIGCONT)

    def flood(self, messages: float) -> None:
        """Many messages at once: more than a run takes."""
        self.sent.send(int(messages))

    # What has to follow ----------------------------------------------------------------------------------------------

    def ends(self) -> dict[str, int]:
        """The offset after the last message of each partition."""
        all_of_them = [TopicPartition(f"soak.{table}", number) for table in TABLES for number in range(PARTITIONS)]
        deadline = time.monotonic() + 60
        while True:
            # The client asks for a leader again only so: a broker that was killed has another epoch.
            try:
                self.admin.list_topics(timeout=20)
                asked = self.admin.list_offsets({at: OffsetSpec.latest() for at in all_of_them}, request_timeout=20)
                return {f"{at.topic}/{at.partition}": future.result().offset for at, future in asked.items()}
            except KafkaException:  # a broker that has just started
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)

    @property
    def admin(self) -> AdminClient:
        """One client for each address, which lives as long as the test."""
        quiet = {"log_level": 0, "reconnect.backoff.max.ms": 500}
        address = self.broker.address
        if address not in self._admins:
            self._admins[address] = AdminClient({"bootstrap.servers": address, **quiet})
        return self._admins[address]

    def read(self) -> dict[str, int]:
        """How far the split is, by partition; nothing while the broker cannot say."""
        try:
            return self.broker.group_offsets(GROUP)
        except KafkaException:
            return {}

    def follow(self, story: str) -> None:
        """Waits until the split has read all that was sent, and notes how long it took."""
        self.sent.flush()
        started, ends = time.monotonic(), self.ends()
        while {at: end for at, end in ends.items() if end}.items() - self.read().items():
            assert time.monotonic() < started + SECONDS_TO_FOLLOW, (story, self.read(), ends)
            time.sleep(0.5)
        self.followed.append((story, round(time.monotonic() - started, 1)))
        print(self.followed[-1], flush=True)

    def round(self, watched: Watched) -> None:
        """Every trouble once."""
        steps = (
            ("idle", lambda: self.idle(60 if IS_LONG else 10)),
            ("busy", lambda: self.busy(90 if IS_LONG else 10)),
            ("kill", lambda: self.kill(20 if IS_LONG else 5)),
            ("stall", lambda: self.stall(25 if IS_LONG else 6)),
            ("move", lambda: self.move(10 if IS_LONG else 3)),
            ("trim", lambda: self.trim(0)),
            ("lose", lambda: self.lose(watched)),
            ("flood", lambda: self.flood(15_000 if IS_LONG else 4_000)),
        )
        for name, step in steps:
            watched.phase = name
            assert watched.process.poll() is None, watched.said()[-3000:]
            step()
            self.follow(name)
            watched.phase = f"after {name}"
            if name == "idle":
                watched.count_heap()
            time.sleep(8)


def test_silver_is_what_was_sent_whatever_happened_to_the_broker(tmp_path, monkeypatch):
    monkeypatch.setenv("LAKEHOUSE_RAW", str(tmp_path / "raw"))
    monkeypatch.setenv("LAKEHOUSE_WAREHOUSE", str(tmp_path / "warehouse"))
    # Java as a user has it, not as short tests do.
    for name in ("JAVA_TOOL_OPTIONS", "SPARK_DRIVER_MEMORY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "broker").mkdir()
    log = Path(os.environ.get("WATCH_LOG") or tmp_path / "watch.log")
    with servers.started(capture.java_program(), tmp_path / "broker") as broker:
        soak = Soak(tmp_path, broker, {**os.environ, "DBT_END_WITH_PARENT": "1"})
        assert soak.dbt("seed").returncode == 0
        soak.sent.send(50)
        soak.land()
        with watching(soak.lakehouse.project, soak.environment, log) as watched:
            soak.follow("start")
            rounds, end = 0, time.monotonic() + 60 * MINUTES
            while not rounds or time.monotonic() < end:
                soak.round(watched)
                rounds += 1
                log.with_suffix(".csv").write_text("\n".join(watched.table()))
                if IS_LONG and rounds % 2 == 0:
                    soak.do("run-operation", "maintain")
            watched.phase = "idle"
            soak.idle(60 if IS_LONG else 20)
            watched.count_heap()
        log.with_suffix(".csv").write_text("\n".join(watched.table()))
        said = watched.said()
        print(f"{rounds} rounds, {soak.sent.number} messages", *soak.followed, sep="\n")
        assert watched.process.returncode == 0, said[-3000:]
        assert "Traceback" not in said
        compare(soak)
        soak.do("build")
        assert soak.rows("select * from etl_metadata.incidents where ended_at is null") == []
        if IS_LONG:
            compare_looks(watched)


def compare(soak: Soak) -> None:
    """Silver is what was sent, before any other run."""
    union = "select 'current' as t, id, v, true as is_current from silver.s__current union all "
    union += "select 'versions', id, v, _cdc_valid_to is null from silver.s__versions union all "
    union += "select 'landed', id, v, true from silver.s__landed"
    actual = [(row["t"], row["id"], row["v"], row["is_current"]) for row in soak.rows(union)]
    now = {(table, key, value) for table, key, value, is_current in actual if is_current}
    expected = {(table, key, value) for table, rows in soak.sent.rows.items() for key, value in rows.items()}
    expected |= {("landed", number, f"f{number}") for number in range(1, soak.files + 1)}
    assert now == expected
    versions = sorted((key, value) for table, key, value, _ in actual if table == "versions")
    assert versions == sorted(pair for pair in soak.sent.versions["versions"] if pair[1])
    assert soak.rows("select * from etl_metadata.incidents where ended_at is null") == []


# More at rest in the second half than in the first. Spark keeps up to 64 consumers with two connections and some files
# each, which takes some floods to fill.
MORE = {
    "Python": {"memory": 40, "files": 8, "threads": 8, "connections": 4},
    "Java": {"files": 300, "threads": 60, "connections": 128},
}


def compare_looks(watched: Watched) -> None:
    """Its memory at rest does not grow from the first half to the second."""
    half = watched.looks[-1][0] / 2
    at_rest = [(second, both) for second, phase, *both in watched.looks if phase == "idle"]
    early, late = ([both for second, both in at_rest if (second > half) == is_late] for is_late in (False, True))
    for place, (name, most) in enumerate(MORE.items()):
        for held, more in most.items():
            before, after = (median(getattr(both[place], held) for both in looks) for looks in (early, late))
            assert after <= before + more, (name, held, before, after)
    # A full collection has left no more than a third of Java's 2 GB.
    assert all(heap < 700 for _, heap in watched.heaps), watched.heaps
