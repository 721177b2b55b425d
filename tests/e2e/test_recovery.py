"""`kill -9` in the middle of `dbt run`, then `dbt run`: the same tables as without the kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from stories import Story, change

TABLES = ("kill_1", "kill_2")
SELECT = ("--select", *(f"+silver_s__{name}" for name in TABLES))
# What dbt says when the step has begun or ended; the kill comes so many seconds after it.
POINTS = [
    ("START python incremental model etl_metadata.raw_listing", 1.0),
    ("OK created python incremental model etl_metadata.raw_listing", 0.0),
    ("START sql incremental model bronze.s__kill_1", 1.0),
    ("OK created sql incremental model bronze.s__kill_1", 0.0),
    ("START sql incremental model silver.s__kill_1", 0.7),
    ("OK created sql incremental model silver.s__kill_1", 0.0),
]


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("kill", "parquet", "timestamp_column=ts")
    for name in TABLES:
        lakehouse.add_table("kill", name)
        Story(lakehouse.raw / "kill", name).load(0, {"id": 0, "v": "loaded"}, {"id": 1, "v": "loaded"})
    lakehouse.make_models()
    return lakehouse


def start(lakehouse):
    """`dbt run` in a process group of its own."""
    command = [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", "run", *SELECT, *lakehouse.directories]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )


def run_and_kill(lakehouse, words, delay):
    """Starts `dbt run` in a process of its own and kills it, and its Java process, at the point."""
    with start(lakehouse) as process:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if words in line:
                time.sleep(delay)
                os.killpg(process.pid, signal.SIGKILL)
                return
        pytest.fail(f"dbt ended before it said {words!r}:\n{''.join(said)}")


def test_a_second_run_stops_and_says_that_the_first_is_running(lakehouse):
    with start(lakehouse) as first:
        assert first.stdout is not None
        for line in first.stdout:
            if "START sql incremental model bronze.s__kill_1" in line:
                break
        with start(lakehouse) as second:
            said = second.communicate()[0]
        assert second.returncode != 0
        assert f"Another dbt command is writing to this warehouse: dbt run, process {first.pid}, since" in said
        assert "Traceback" not in said
        first.communicate()
    assert first.returncode == 0
    assert set(lakehouse.build(*SELECT).values()) <= {"success", "pass"}
    for name in TABLES:
        assert lakehouse.table(name, "id, v") == [(0, "loaded"), (1, "loaded")]


def test_killed_runs_lose_nothing_and_double_nothing(lakehouse):
    for number, (words, delay) in enumerate(POINTS, start=1):
        for name in TABLES:
            Story(lakehouse.raw / "kill", name).changes(
                number,
                change("U", number, id=0, v=f"updated {number}"),
                change("D", number, id=number),
                change("I", number, id=number + 1, v=f"inserted {number}"),
            )
        run_and_kill(lakehouse, words, delay)
    statuses = lakehouse.build(*SELECT)
    assert set(statuses.values()) <= {"success", "pass"}, statuses
    for name in TABLES:
        assert lakehouse.table(name, "id, v") == [
            (0, f"updated {len(POINTS)}"),
            (len(POINTS) + 1, f"inserted {len(POINTS)}"),
        ]
        rows = lakehouse.sql(f"select _cdc_source_file, _cdc_file_row from bronze.s__{name}")
        assert len(rows) == len(set(rows)) == 2 + 3 * len(POINTS)
