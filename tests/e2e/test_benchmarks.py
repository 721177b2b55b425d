"""`make prove`: parts of the benchmarks that measure the project alone run.

`BENCHMARKS=all` adds those with other ways to do it; `make bench-quick` runs all of them, too.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.e2e.lakehouse import REPOSITORY
from tests.proof import proof_only

# By part: the beginning of each part's first line, beginnings of the lines below it.
PARTS = {
    "apply": (
        "500 changes on 5,000 rows, uniform",
        "  ours ",
        "  R1 tuned MERGE ",
        "  R2 stock MERGE ",
        "  R3 Delta MERGE ",
        "  R4 limit ",
        "  R5 delete, append ",
    ),
    "load": ("full load of 5,000 rows, raw to silver", "  ours ", "  copy of files "),
    "split": ("800 records of 4 tables in transaction files", "  ours ", "  by hand ", "  copy of lines "),
    "watch": ("continuous mode, 2 tables, one of them changed", "  from its file to silver "),
    "growth": (
        "growth of a batch of 500 changes",
        "  R1 tuned MERGE ",
        "  R5 delete, append ",
        "  ours ",
        "data files that a batch of 500 changes reads",
        "  recent keys ",
        "  uniform keys ",
    ),
    "series": (
        "1 batches of 100 changes on each of two tables",
        "  t0 format 2,    1 batches",
        "  t1 format 3,    1 batches",
        "  t0 format 2, full scan",
        "  t1 format 3, full scan",
        "  a batch after 2 earlier ones",
    ),
    "tables": (
        "2 tables of 100 changes, whole processes",
        "  ours ",
        "  R6 pool ",
        "  with data tests ",
        "  nothing new ",
    ),
    "throughput": ("inserts, updates and deletes on 5,000 rows", "        500 changes ", "      1,000 changes "),
    "checks": (
        "builds of a table of 2,000 rows, 500 changes each, 2 rounds",
        "  without data tests ",
        "  with data tests    ",
        "  with data tests, second half ",
    ),
    "memory": (
        "20,000 rows loaded, then 1,000 changes, Java with 2g: finished",
        "  at most ",
        "  at most ",
    ),
    "crossing": ("100 changes on 1,000 rows by the two ways", "  replaced ", "  merged "),
    "objects": (
        "the first listing",
        "  date folders,     2,000 known ",
        "  flat folders,     5,000 known ",
        "a listing in part, 100 new files",
        "  date folders,     5,000 known ",
    ),
    "many": ("dbt build, nothing new", "      4 tables ", "watch, one table changed", "      4 tables "),
    "topics": (
        "40 messages of 2 tables in Kafka",
        "  ours ",
        "  by hand ",
        "100 messages, step by step",
        "  split ",
        "  bronze ",
        "  silver ",
    ),
    "follow": ("from message to silver, one of 2 tables at a time, 2 times", "  least "),
    "gold": (
        "gold over a fact of 20,000 rows and two lookups, 200 changes",
        " 1 % of the groups",
        "  rows ",
        "  groups ",
        "  groups_by_part ",
        "  full rows ",
        "  full groups ",
        "  partitions groups ",
        " 20 % of the rows by a lookup",
        " nothing moved: ",
    ),
    "defaults": (
        "defaults of a table, 50 changes on 1,000 rows, the last 1 of 2 batches",
        "  defaults ",
        "  all metadata files kept ",
        "  key not stated ",
        "  five new columns, one commit ",
        "  five new columns, a statement each ",
        "  maintain, without counts ",
        "  maintain, with counts ",
    ),
    "releases": (
        "CPU seconds (beside the first)",
        "full load of 5,000 rows",
        "500 changes on 5,000 rows",
        "the same by R1 tuned MERGE",
        "2 tables of 100 changes, whole process",
    ),
    "quality": ("5 expectations of each of 2 tables", "  build without tests ", "  make quality "),
}
CHOSEN = list(PARTS) if os.environ.get("BENCHMARKS") == "all" else ["load", "split"]


def missing(said: str, parts: list[str]) -> list[str]:
    """The lines that a run did not print in their order, the part's first line before them."""
    lines = iter(said.splitlines())
    wanted = [beginning for part in parts for beginning in PARTS[part]]
    return [beginning for beginning in wanted if not any(line.startswith(beginning) for line in lines)]


# Other work may take its share of the cores meanwhile.
@proof_only
@pytest.mark.timeout(1_200)
def test_parts_run_and_give_the_right_rows() -> None:
    # A process of its own: Java reads the jars of Delta when it starts, and the Spark of the other tests has none.
    ran = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", *CHOSEN],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert missing(ran.stdout, CHOSEN) == [], ran.stdout


def test_a_way_without_a_result_is_missed() -> None:
    said = "\n".join(line for part in PARTS.values() for line in part)
    assert missing(said, list(PARTS)) == []
    assert missing(said.replace("  R3 Delta MERGE ", ""), list(PARTS))[0] == "  R3 Delta MERGE "
