"""Whether a large table and a large batch fit into a small Java: full load and changes, in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.apply import WrongResult
from benchmarks.lake import Lake

DRIVER_MEMORY = "2g"


@dataclass(frozen=True)
class Peak:
    """What it took at most, in MB.

    Attributes:
        rows: of the table.
        changes: of the batch.
        heap: Java's heap, pool by pool, so that the sum may never have been in use at one time; garbage counts.
        heap_limit: what Java could have taken.
        java: the process of Java.
        python: the process of dbt; the data of the benchmark is made there.
    """

    rows: int
    changes: int
    heap: float
    heap_limit: float
    java: float
    python: float


def measure(root: Path, rows: int, changes: int) -> Peak:
    """Runs the child and watches its memory.

    Args:
        root: an empty folder.
        rows: of the full load.
        changes: of the batch.

    Raises:
        RuntimeError: the child did not finish.
    """
    root.mkdir(parents=True, exist_ok=True)
    result = root / "memory.json"
    command = [sys.executable, "-m", "benchmarks.memory", str(root / "memory"), str(rows), str(changes), str(result)]
    python = java = 0
    with subprocess.Popen(command, env={**os.environ, "SPARK_DRIVER_MEMORY": DRIVER_MEMORY}) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                python = max(python, watched.memory_info().rss)
                for child in watched.children(recursive=True):
                    java = max(java, child.memory_info().rss if child.name() == "java" else 0)
            except psutil.NoSuchProcess:
                pass
            time.sleep(0.1)
    if process.returncode:
        raise RuntimeError(f"{rows:,} rows with {changes:,} changes did not fit into {DRIVER_MEMORY}: see above")
    heap = json.loads(result.read_text())
    used = (heap["used"], heap["limit"], java, python)
    return Peak(rows, changes, *(number / 2**20 for number in used))


def main(root: str, rows: str, changes: str, result: str) -> None:
    """The child: loads, takes a batch, checks both, and writes what Java says of its heap.

    Args:
        root: an empty folder.
        rows: of the full load.
        changes: of the batch.
        result: the file to write.

    Raises:
        WrongResult: silver does not hold what it must.
    """
    lake = Lake(Path(root), large_from=int(rows))
    files = lake.files()
    for step in (lambda: files.load(int(rows)), lambda: files.change(int(changes))):
        step()
        lake.build()
        if lake.fingerprint("silver.s__t0") != lake.expected(files):
            raise WrongResult("silver.s__t0 is not what its files say")
    jvm: Any = lake.spark._jvm
    pools = jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()
    used = sum(pool.getPeakUsage().getUsed() for pool in pools if pool.getType().name() == "HEAP")
    limit = jvm.Runtime.getRuntime().maxMemory()
    Path(result).write_text(json.dumps({"used": used, "limit": limit}))


if __name__ == "__main__":
    main(*sys.argv[1:])
