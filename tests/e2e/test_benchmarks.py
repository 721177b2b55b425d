"""`make bench-quick`: each part and each way of doing it runs, and none that gives wrong rows is told."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.e2e.lakehouse import REPOSITORY

# By the beginning of a part's first line, beginnings of the lines below it.
PARTS = {
    "500 changes on 5,000 rows, uniform": (
        "  ours ",
        "  R1 tuned MERGE ",
        "  R2 stock MERGE ",
        "  R3 Delta MERGE ",
        "  R4 limit ",
        "  R5 delete, append ",
    ),
    "full load of 5,000 rows, raw to silver": ("  ours ", "  copy of files "),
    "800 records of 4 tables in transaction files": ("  ours ", "  by hand ", "  copy of lines "),
    "continuous mode, 2 tables, one of them changed": ("  from its file to silver ",),
    "growth of a batch of 500 changes": ("  R1 tuned MERGE ", "  R5 delete, append ", "  ours "),
    "data files that a batch of 500 changes reads": ("  recent keys ", "  uniform keys "),
    "1 batches of 100 changes on each of two tables": (
        "  t0 format 2,    1 batches",
        "  t1 format 3,    1 batches",
        "  t0 format 2, full scan",
        "  t1 format 3, full scan",
        "  a batch after 2 earlier ones",
    ),
    "2 tables of 100 changes, whole processes": ("  ours ", "  R6 pool ", "  nothing new "),
    "20,000 rows loaded, then 1,000 changes, Java with 2g: finished": ("  at most ", "  at most "),
    "100 changes on 1,000 rows by the two ways": ("  replaced ", "  merged "),
}


def missing(said: str) -> list[str]:
    """The lines that a run did not print in their order, the part's first line before them."""
    lines = iter(said.splitlines())
    wanted = [beginning for title, below in PARTS.items() for beginning in (title, *below)]
    return [beginning for beginning in wanted if not any(line.startswith(beginning) for line in lines)]


# The other process of tests takes its share of the cores meanwhile; this one's two take theirs.
@pytest.mark.timeout(1_200)
def test_every_way_runs_and_gives_the_right_rows() -> None:
    # Processes of their own: Java reads the jars of Delta when it starts, and the Spark of the other tests has none.
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert missing(ran.stdout) == [], ran.stdout


def test_a_way_that_is_not_told_is_missed() -> None:
    said = "\n".join(line for title, below in PARTS.items() for line in (title, *below))
    assert missing(said) == []
    assert missing(said.replace("  R3 Delta MERGE ", ""))[0] == "  R3 Delta MERGE "
