"""The continuous mode: what it builds, what it survives, how it stops."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from stories import Story, change

from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.explain.__main__ import main as explain
from python_udfs.metadata import EXPECTATIONS_FILE
from python_udfs.quality.__main__ import main as quality
from python_udfs.report.__main__ import main as report
from python_udfs.watch.loop import Watch
from tests.e2e.lakehouse import if_counted

TABLES = ("watched", "other")
GOLD = """{{ config(key='v', spine='silver_s__watched', full_above='never') }}
select watched.v, count(*) as n, count(other.id) as m
from {{ ref('silver_s__watched') }} as watched
left join {{ ref('silver_s__other') }} as other on other.id = watched.id
group by watched.v
"""


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("seen", "parquet", "timestamp_column=ts")
    for name in TABLES:
        lakehouse.add_table("seen", name)
        Story(lakehouse.raw / "seen", name).load(0, {"id": 1, "v": "a"})
    lakehouse.make_models()
    lakehouse.add_gold("seen", GOLD)
    lakehouse.dbt("seed")
    return lakehouse


@pytest.fixture
def commands(lakehouse):
    """The dbt commands that a watch has run."""
    return []


@pytest.fixture
def watch(lakehouse, commands):
    dbt = WarmDbt(lakehouse.project)

    def invoke(*arguments):
        commands.append(arguments)
        return dbt(*arguments)

    watch = Watch(invoke, spark_session, lakehouse.project)
    assert watch.cycle(), "at first every table is looked at"
    commands.clear()
    return watch


def gold(lakehouse):
    return [tuple(row) for row in lakehouse.sql("select * from gold.seen order by v")]


def selected(commands):
    runs = [command for command in commands if command[0] == "run" and "raw_listing" not in command]
    return [command[2 : command.index("--exclude")] for command in runs if "--exclude" in command]


def recording(*models):
    """The command that records the runs of silver models; none: of all."""
    of = json.dumps({"cdc_metrics_of": list(models)})
    return ("run", "--select", "run_metrics", "incidents", "--vars", of)


def recorded(commands):
    return [command for command in commands if command[:3] == recording()[:3]]


def test_only_tables_with_new_changes_are_built(lakehouse, watch, commands, capsys):
    assert not watch.cycle()
    assert selected(commands) == []
    assert commands[1:] == [recording()], "what the first cycle did, and all before"
    assert not watch.cycle()
    assert commands.count(recording()) == 1
    capsys.readouterr()
    Story(lakehouse.raw / "seen", "watched").changes(1, change("U", 1, id=1, v="b"), change("I", 1, id=2, v="c"))
    assert watch.cycle()
    assert selected(commands) == [("bronze_s__watched+",)]
    assert lakehouse.table("watched", "id, v") == [(1, "b"), (2, "c")]
    assert gold(lakehouse) == [("b", 1, 1), ("c", 1, 0)], "in the same cycle"
    cycle, head, _, line = capsys.readouterr().out.splitlines()
    assert cycle.endswith(" s  bronze_s__watched")
    assert head.split() == ["silver", "table", "changes", "newest", "change,", "UTC", "lag"]
    assert line.split()[:4] == ["silver.s__watched", "2", ["2024-01-31", "23:01:00"][0], "23:01:00"]
    assert not watch.cycle(), "and only once"
    assert recorded(commands) == [recording(), recording("silver_s__watched")]
    runs = "select silver_table, rows_inserted, rows_updated from etl_metadata.run_metrics where is_newest order by 1"
    assert [tuple(row) for row in lakehouse.sql(runs)] == [
        ("silver.s__other", 1, 0),
        ("silver.s__watched", *if_counted(1, 1)),
    ]


def test_a_table_that_fails_stops_no_other_and_is_tried_again(lakehouse, watch, commands, capsys, monkeypatch):
    silver = lakehouse.project / "models" / "silver" / "s" / "silver_s__watched.sql"
    text = silver.read_text()
    silver.write_text("{{ exceptions.raise_compiler_error('broken on purpose') if execute }}" + text)
    for number, name in enumerate(TABLES, start=5):
        Story(lakehouse.raw / "seen", name).changes(number, change("I", number, id=10 + number, v="new"))
    assert watch.cycle()
    said = capsys.readouterr().out
    assert "silver_s__watched: " in said and "broken on purpose" in said
    assert [row[0] for row in lakehouse.table("other", "id")] == [1, 16]
    assert not watch.cycle(), "not at once"
    Story(lakehouse.raw / "seen", "watched").changes(7, change("I", 7, id=17, v="new"))
    assert watch.cycle()
    assert not watch.cycle()
    assert recorded(commands) == [recording(), recording("silver_s__watched")], "it may have committed before it failed"

    silver.write_text(text)
    monkeypatch.setattr("python_udfs.watch.loop.SECONDS_TO_RETRY", 0.0)
    Story(lakehouse.raw / "seen", "watched").changes(8, change("I", 8, id=18, v="new"))
    assert watch.cycle(), "with changes at once"
    assert {15, 18} <= {row[0] for row in lakehouse.table("watched", "id")}
    # Of the fifth minute on, while the table failed: 15, 17 and 18. The other table has 16.
    assert gold(lakehouse) == [("b", 1, 1), ("c", 1, 0), ("new", 3, 0)]
    assert not watch.cycle()


def test_a_file_without_metadata_starts_no_build(lakehouse, watch, commands):
    Story(lakehouse.raw / "seen", "stranger").load(9, {"id": 1, "v": "a"})
    assert not watch.cycle()
    assert ("parse",) not in commands and not selected(commands)


def test_a_listing_that_fails_is_reported_and_tried_again(lakehouse, watch, capsys):
    lakehouse_raw = os.environ["LAKEHOUSE_RAW"]
    try:
        os.environ["LAKEHOUSE_RAW"] = "nosuchscheme://bucket"
        assert not watch.cycle()
        assert "the landing area could not be listed: failed" in capsys.readouterr().out
        assert not watch.cycle()
        assert "listed" not in capsys.readouterr().out, "once"
    finally:
        os.environ["LAKEHOUSE_RAW"] = lakehouse_raw
    Story(lakehouse.raw / "seen", "other").changes(20, change("I", 20, id=30, v="later"))
    assert watch.cycle()


@contextmanager
def started(command: list[str]) -> Iterator[Any]:
    """A process that ends with the test, also with one that ran out of time."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_it_waits_for_another_command_and_a_signal_stops_it_after_the_cycle(lakehouse):
    Story(lakehouse.raw / "seen", "watched").changes(40, change("U", 40, id=1, v="after the lock"))
    command = [sys.executable, "-m", "python_udfs.watch", "--every", "0.1", "--project-dir", str(lakehouse.project)]
    with (lakehouse.warehouse / ".lock").open("w+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("dbt build, process 1, since 2024-01-31 23:00:00 UTC\n")
        lock.flush()
        with started(command) as process:
            said = [process.stdout.readline(), process.stdout.readline(), process.stdout.readline()]
            time.sleep(2)  # it asks again and again
            fcntl.flock(lock, fcntl.LOCK_UN)
            said.append(process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            said += process.stdout.readlines()
            assert process.wait(60) == 0, said
    assert said[0].startswith(f"Watching {lakehouse.raw} every 0.1 s.")
    assert said[1].endswith("the landing area could not be listed: failed\n")
    assert "Another dbt command is writing to this warehouse: dbt build, process 1" in said[2]
    assert said[3].endswith(" s  bronze_s__other, bronze_s__watched\n"), said
    assert "Stopped.\n" in said
    assert said[-1].startswith("silver.s__watched")
    assert "Traceback" not in "".join(said)
    assert (1, "after the lock") in lakehouse.table("watched", "id, v")


def test_what_only_reads_runs_beside_a_build(lakehouse):
    with (lakehouse.warehouse / ".lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert not lakehouse.dbt("run", "--select", "raw_listing").success
        assert any("Another dbt command is writing" in message for message in lakehouse.messages)
        assert "applied" in lakehouse.command(explain, "s__watched", "1")
        assert "need a person" in lakehouse.command(report)
        assert "Nothing is expected" in lakehouse.command(quality)
        lakehouse.rows[EXPECTATIONS_FILE].append(
            {
                "target_table": "s__watched",
                "column_name": "v",
                "expectation": "expect_column_values_to_not_be_null",
                "severity": "error",
                "scope": "table",
            }
        )
        lakehouse.make_models()
        assert "1 met" in lakehouse.command(quality)
