"""`kill -9` at each step of `dbt run`, then `dbt run`: the same tables as without the kills."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial

import pyarrow as pa
import pytest
from kills import kill_at_the_first_file
from stories import Story, change

from python_udfs.sample_data.dms_writer import Column
from tests.proof import IS_PROOF, proof_only

# `make prove`: at every step, with two tables. Else before each of the two commits, with one: that bronze has a batch
# which silver lacks is the state of test_other_engines.py and test_maintenance.py, too.
TABLES = ("kill_1", "kill_2") if IS_PROOF else ("kill_1",)
SELECT = ("--select", *(f"+silver_s__{name}" for name in TABLES), "killed", "run_metrics", "silver_sync_state")
# tests/e2e/test_gold.py kills a refresh of gold itself, also in `make test`.
GOLD = "{{ config(key='v', full_above='never') }} select v, count(*) as n from {{ ref('silver_s__kill_1') }} group by v"
# Each round kills once at each step, at other moments of it.
ROUNDS = int(os.environ.get("ROUNDS") or 1)
# What dbt says at a step, or the table whose first new file marks it, and how many seconds later the kill comes in each
# round. A data file is there before the commit that names it.
POINTS = {
    "in the listing": ("START python incremental model etl_metadata.raw_listing", (0.3, 0.0, 0.6)),
    "after the listing": ("OK created python incremental model etl_metadata.raw_listing", (0.0, 0.1, 0.2)),
    "before bronze commits": ("bronze/s__kill_1", (0.0, 0.0, 0.0)),
    "after bronze has committed": ("OK created sql incremental model bronze.s__kill_1", (0.0, 0.0, 0.0)),
    "in the middle of the merge": ("START sql incremental model silver.s__kill_1", (0.3, 0.7, 1.1)),
    "before silver commits": ("silver/s__kill_1", (0.0, 0.0, 0.0)),
    "after silver has committed": ("OK created sql incremental model silver.s__kill_1", (0.0, 0.0, 0.0)),
    "before gold commits": ("gold/killed", (0.0, 0.0, 0.0)),
    "after gold has committed": ("OK created sql incremental model gold.killed", (0.0, 0.0, 0.0)),
}
# The same of change_types, and what is left to do: the command says it, or the run after it.
TYPE_POINTS = {
    "before bronze commits": "bronze/s__kill_types",
    "after bronze has committed": "2 of 3: replaying the quarantine",
    "before silver commits": "silver/s__kill_types",
}
COMMITS = ("before bronze commits", "before silver commits")

Meanwhile = Callable[[subprocess.Popen], None]


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("kill", "parquet", "timestamp_column=ts")
    for name in TABLES:
        lakehouse.add_table("kill", name)
        Story(lakehouse.raw / "kill", name).load(0, {"id": 0, "v": "loaded"}, {"id": 1, "v": "loaded"})
    if IS_PROOF:
        lakehouse.add_table("kill", "kill_types", schema_drift="freeze")
    lakehouse.make_models()
    lakehouse.add_gold("killed", GOLD)
    lakehouse.dbt("seed")
    assert set(lakehouse.statuses("run", *SELECT).values()) == {"success"}
    return lakehouse


def start(lakehouse, *arguments: str):
    """`dbt run`, or another command, in a process group of its own."""
    command = [sys.executable, "-u", "-m", "dbt.cli.main", "--no-use-colors", *(arguments or ("run", *SELECT))]
    return subprocess.Popen(
        [*command, *lakehouse.directories],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def run_and_kill(lakehouse, mark: str, delay: float, *arguments: str, meanwhile: Meanwhile | None = None) -> None:
    """Starts `dbt run`, or another command, and kills it, and its Java process, at the mark.

    ``meanwhile`` is called with its process while that stands still in the listing.
    """
    with start(lakehouse, *arguments) as process:
        assert process.stdout is not None
        said = []
        if meanwhile:
            for line in process.stdout:
                said.append(line)
                if POINTS["in the listing"][0] in line:
                    break
            os.killpg(process.pid, signal.SIGSTOP)
            try:
                meanwhile(process)
            finally:
                os.killpg(process.pid, signal.SIGCONT)
        if "/" in mark:
            threading.Thread(target=kill_at_the_first_file, args=(process, lakehouse.warehouse / mark)).start()
        for line in process.stdout:
            said.append(line)
            if mark in line:
                time.sleep(delay)
                os.killpg(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL, f"dbt ended before {mark!r}:\n{''.join(said)}"


def run_second(lakehouse, first: subprocess.Popen) -> None:
    """A run that stops, and reports that the first one is running."""
    assert not lakehouse.dbt("run", *SELECT).success
    said = "\n".join(lakehouse.messages)
    assert re.search(rf"Another dbt command is writing to this warehouse: .+, process {first.pid}, since", said), said
    assert "Traceback" not in said


@pytest.mark.timeout(1800)
def test_killed_runs_lose_nothing_and_double_nothing_and_a_second_run_beside_one_stops(lakehouse):
    number = 0
    for name in TABLES:
        assert lakehouse.table(name, "id, v") == [(0, "loaded"), (1, "loaded")]
    for round_ in range(ROUNDS):
        for step in POINTS if IS_PROOF else COMMITS:
            mark, delays = POINTS[step]
            number += 1
            for name in TABLES:
                Story(lakehouse.raw / "kill", name).changes(
                    number,
                    change("U", number, id=0, v=f"updated {number}"),
                    change("D", number, id=number),
                    change("I", number, id=number + 1, v=f"inserted {number}"),
                )
            meanwhile = partial(run_second, lakehouse) if step == "before bronze commits" else None
            run_and_kill(lakehouse, mark, delays[round_], meanwhile=meanwhile)
        statuses = lakehouse.build(*SELECT)
        assert set(statuses.values()) <= {"success", "pass"}, statuses
        for name in TABLES:
            assert lakehouse.table(name, "id, v") == [(0, f"updated {number}"), (number + 1, f"inserted {number}")]
            rows = lakehouse.sql(f"select _cdc_source_file, _cdc_file_row from bronze.s__{name}")
            assert len(rows) == len(set(rows)) == 2 + 3 * number
        gold = lakehouse.sql("select v, n from gold.killed order by v")
        assert [tuple(row) for row in gold] == [(f"inserted {number}", 1), (f"updated {number}", 1)]


def priced(lakehouse, scale: int) -> Story:
    """Files with a price of so many digits, and, behind the load, a column that the frozen table does not take."""
    columns = [Column("id", pa.int32()), Column("price", pa.decimal128(10 + scale, scale))]
    if scale > 2:
        columns.append(Column("note", pa.string()))
    return Story(lakehouse.raw / "kill", "kill_types", columns=tuple(columns))


def prices(lakehouse) -> list[tuple[int, Decimal]]:
    assert "note" not in {row.col_name for row in lakehouse.sql("describe silver.s__kill_types")}
    return lakehouse.table("kill_types", "id, price")


@proof_only
@pytest.mark.timeout(1800)
def test_a_killed_change_of_types_loses_nothing_and_the_next_run_or_the_command_completes_it(lakehouse):
    select = ("--select", "+silver_s__kill_types")
    old = [(1, Decimal("1.25")), (2, Decimal("2.50"))]
    priced(lakehouse, 2).load(0, *({"id": number, "price": price} for number, price in old))
    lakehouse.statuses("run", *select)
    priced(lakehouse, 4).changes(1, change("U", 1, id=2, price=Decimal("2.3456"), note="a"))
    assert set(lakehouse.statuses("run", *select).values()) == {"success"}
    change_types = ("run-operation", "change_types", "--args", "{table: s__kill_types}")
    snapshots = lakehouse.snapshots("bronze.s__kill_types")

    run_and_kill(lakehouse, TYPE_POINTS["before bronze commits"], 0, *change_types)
    assert prices(lakehouse) == old
    assert lakehouse.snapshots("bronze.s__kill_types") == snapshots, "readers see the old table"

    run_and_kill(lakehouse, TYPE_POINTS["after bronze has committed"], 0, *change_types)
    assert prices(lakehouse) == old, "readers see the old table"
    # The next run applies a change of the new type before anybody repeats the command.
    priced(lakehouse, 4).changes(2, change("I", 2, id=3, price=Decimal("3.0001"), note="b"))
    statuses = lakehouse.run_and_compare(select[1])
    assert set(statuses.values()) <= {"success", "pass"}, statuses
    assert prices(lakehouse) == [*old, (3, Decimal("3.0001"))]
    assert lakehouse.dbt(*change_types).success
    assert set(lakehouse.run_and_compare(select[1]).values()) <= {"success", "pass"}
    assert prices(lakehouse) == [(1, Decimal("1.25")), (2, Decimal("2.3456")), (3, Decimal("3.0001"))]

    priced(lakehouse, 6).changes(3, change("U", 3, id=1, price=Decimal("1.000001"), note="c"))
    assert set(lakehouse.statuses("run", *select).values()) == {"success"}
    run_and_kill(lakehouse, TYPE_POINTS["before silver commits"], 0, *change_types)
    assert lakehouse.dbt(*change_types).success
    assert set(lakehouse.run_and_compare(select[1]).values()) <= {"success", "pass"}
    assert prices(lakehouse) == [(1, Decimal("1.000001")), (2, Decimal("2.3456")), (3, Decimal("3.0001"))]
