"""`make watch` as a process of its own that is looked at for long: what it holds, and what was sent to it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from broker import Broker
from confluent_kafka import Producer

from tests.e2e.test_message_cases import maxwell

SECONDS_BETWEEN_LOOKS = 5.0
_ESTABLISHED = "01"


@dataclass(frozen=True)
class Look:
    """Resources of a process at a moment: megabytes in memory, open files, threads, TCP connections."""

    memory: float
    files: int
    threads: int
    connections: int

    @classmethod
    def at(cls, process: int) -> Look:
        """Looks at a process by its number.

        Raises:
            OSError: it has ended.
        """
        folder = Path(f"/proc/{process}")
        words = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
        files = []
        for file in (folder / "fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                files.append(str(file.readlink()))
        open_sockets = {name[len("socket:[") : -1] for name in files if name.startswith("socket:[")}
        tables = [(folder / "net" / name).read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
        lines = [line.split() for table in tables for line in table]
        connected = sum(1 for line in lines if line[3] == _ESTABLISHED and line[9] in open_sockets)
        return cls(int(words["VmRSS"].split()[0]) / 1024, len(files), int(words["Threads"]), connected)


def java_below(process: int) -> int | None:
    """The Java that a process has started, None as long as there is none."""
    todo = [process]
    while todo:
        number = todo.pop()
        with suppress(OSError):
            if number != process and Path(f"/proc/{number}/comm").read_text().strip() == "java":
                return number
            for task in Path(f"/proc/{number}/task").iterdir():
                todo += [int(child) for child in (task / "children").read_text().split()]
    return None


def live_heap(java: int) -> float | None:
    """Megabytes of objects that a Java process still needs: what a full collection leaves. None without a JDK."""
    home = os.environ.get("JAVA_HOME")
    tools = [shutil.which(name, path=f"{home}/bin" if home else None) for name in ("jcmd", "jstat")]
    if None in tools:
        return None
    jcmd, jstat = map(str, tools)
    subprocess.run([jcmd, str(java), "GC.run"], check=True, capture_output=True)
    head, line = subprocess.run([jstat, "-gc", str(java)], check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )[:2]
    sizes = dict(zip(head.split(), line.split(), strict=True))
    return sum(float(sizes[name]) for name in ("S0U", "S1U", "EU", "OU") if sizes[name] != "-") / 1024


class Watched:
    """A running `make watch`; `watching` makes one.

    Attributes:
        looks: by name of a phase, what Python and Java held in it.
        heaps: megabytes of live objects in Java, with the second at which they were counted.
    """

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log
        self.phase, self.started = "start", time.monotonic()
        self.looks: list[tuple[float, str, Look, Look]] = []
        self.heaps: list[tuple[float, float]] = []
        self._stop = threading.Event()
        self._looking = threading.Thread(target=self._look_on, daemon=True)
        self._looking.start()

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.started

    def count_heap(self) -> None:
        """Counts what Java's heap holds."""
        java = java_below(self.process.pid)
        heap = live_heap(java) if java else None
        if heap is not None:
            self.heaps.append((self.seconds, heap))

    def said(self) -> str:
        """Its output so far."""
        return self.log.read_text(errors="replace")

    def close(self) -> None:
        """Looks no more."""
        self._stop.set()
        self._looking.join()

    def _look_on(self) -> None:
        while not self._stop.wait(SECONDS_BETWEEN_LOOKS):
            java = java_below(self.process.pid)
            with suppress(OSError):
                if java:
                    self.looks.append((self.seconds, self.phase, Look.at(self.process.pid), Look.at(java)))

    def table(self) -> list[str]:
        """A line per look: second, phase, and the numbers of Python and Java."""
        lines = [
            "second,phase,python_mb,python_files,python_threads,python_tcp,java_mb,java_files,java_threads,java_tcp"
        ]
        for second, phase, *both in self.looks:
            cells = [f"{sample.memory:.0f},{sample.files},{sample.threads},{sample.connections}" for sample in both]
            lines.append(f"{second:.0f},{phase},{','.join(cells)}")
        return [*lines, *(f"{second:.0f},heap,,,,,{heap:.0f}" for second, heap in self.heaps)]


@contextmanager
def watching(project: Path, environment: dict[str, str], log: Path) -> Iterator[Watched]:
    """Runs `make watch` on a project until the end of the block; it is then stopped as Ctrl-C stops it.

    Args:
        project: folder of dbt_project.yml.
        environment: of the process.
        log: file for what it prints.
    """
    command = [sys.executable, "-m", "python_udfs.watch", "--project-dir", str(project)]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    watched = Watched(process, log)
    try:
        yield watched
    finally:
        watched.close()
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@dataclass
class Sent:
    """Messages of random keys to the topics of a broker, and what silver must hold of them.

    Attributes:
        rows: value by key, by table; what was deleted is not there.
        versions: all values of each table and key that were not lost.
    """

    broker: Broker
    tables: tuple[str, ...]
    partitions: int
    random: Random
    keys: int = 500
    number: int = 0
    rows: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    versions: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    _producer: Producer | None = None

    def send(self, count: int, *, is_lost: bool = False, keys: list[int] | None = None) -> None:
        """Hands messages to the client, which sends them as soon as it can.

        Args:
            count: how many, for each table.
            is_lost: they will never be read: silver knows nothing of them.
            keys: of these keys, one message each and no delete; else of any.
        """
        for table in self.tables:
            for place in range(count):
                self.number += 1
                key = keys[place] if keys else self.random.randrange(self.keys)
                has = self.rows[table]
                is_delete = not keys and key in has and self.random.random() < 0.1
                value = has[key] if is_delete else f"v{self.number}"
                kind = "delete" if is_delete else "update" if key in has else "insert"
                message = {
                    **maxwell(kind, key, value, ts=self.number // 50, xid=self.number, commit=True),
                    **{"position": f"b.000001:{self.number}", "table": table},
                }
                self._produce(f"soak.{table}", json.dumps(message), key % self.partitions)
                if is_lost:
                    continue
                self.versions[table].append((key, "" if is_delete else value))
                if is_delete:
                    del has[key]
                else:
                    has[key] = value

    def flush(self) -> None:
        """Waits until the broker has all of it."""
        if self._producer is not None:
            left = self._producer.flush(120)
            assert left == 0, f"{left} messages were not taken"

    def reconnect(self) -> None:
        """Uses the broker's present address from now on."""
        self.flush()
        self._producer = None

    def _produce(self, topic: str, value: str, partition: int) -> None:
        if self._producer is None:
            settings: dict[str, Any] = {"bootstrap.servers": self.broker.address, "enable.idempotence": True}
            quiet = {
                "log_level": 0,
                "linger.ms": 5,
                "reconnect.backoff.max.ms": 500,
                "queue.buffering.max.messages": 1_000_000,
            }
            self._producer = Producer({**settings, **quiet})
        self._producer.produce(topic, value, partition=partition)
        self._producer.poll(0)
