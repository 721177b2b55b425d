"""Whether a large table and a large batch fit into a small Java: full load and changes, in a process of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.apply import WrongResult
from benchmarks.lake import Lake

DRIVER_MEMORY = "2g"


@dataclass(frozen=True)
class Peak:
    """Greatest use of memory, in MB.

    Attributes:
        rows: of the table.
        changes: of the batch.
        heap: Java's heap when a collection ended; some of that is still garbage.
        java: the process of Java.
        python: the process of dbt; the data of the benchmark is made there.
    """

    rows: int
    changes: int
    heap: float
    java: float
    python: float


def measure(root: Path, rows: int, changes: int) -> Peak:
    """Runs the child and watches its memory.

    Args:
        root: an empty folder.
        rows: of the full load.
        changes: of the batch.

    Raises:
        RuntimeError: the child did not finish, or Java collected nothing.
    """
    root.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.memory", str(root / "memory"), str(rows), str(changes)]
    # Spark's launcher is Java, too, and takes the same options.
    options = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} -Xlog:gc:file={root}/gc-%p.log"
    environment = {**os.environ, "SPARK_DRIVER_MEMORY": DRIVER_MEMORY, "JAVA_TOOL_OPTIONS": options}
    python = java = 0
    with subprocess.Popen(command, env=environment) as process:
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
    left = [megabytes for log in root.glob("gc-*.log") for megabytes in heaps_left(log.read_text())]
    if not left:
        raise RuntimeError(f"Java's log of its collections in {root} names none")
    return Peak(rows, changes, max(left), java / 2**20, python / 2**20)


def heaps_left(log: str) -> list[int]:
    """MB in use after each collection.

    Args:
        log: what Java writes with `-Xlog:gc`, such as `GC(7) Pause Young (Allocation Failure) 312M->45M(989M) 20.1ms`.
    """
    return [int(left) for left in re.findall(r"\d+M->(\d+)M\(\d+M\)", log)]


def main(root: str, rows: str, changes: str) -> None:
    """The child: loads, takes a batch, and checks both.

    Args:
        root: an empty folder.
        rows: of the full load.
        changes: of the batch.

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


if __name__ == "__main__":
    main(*sys.argv[1:])
