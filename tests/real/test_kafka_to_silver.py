"""A real broker to silver: the road of files, even if a run dies, a broker is down or messages are gone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any

import broker as servers
import pytest

from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.drift.__main__ import main as drift
from python_udfs.explain.__main__ import main as explain
from python_udfs.metadata import FEEDS_FILE
from python_udfs.watch.loop import Watch
from tests.e2e import test_message_cases as message_cases
from tests.e2e.kills import kill_at_the_first_file
from tests.e2e.test_message_cases import (
    FEEDS,
    TABLES,
    WITHOUT_V,
    Cases,
    land_first,
    land_second,
    maxwell,
    state_encodings,
)
from tests.proof import IS_PROOF

# The cases of tests/e2e/CASES.md, each a test of its own, with the messages in a broker in place of files. Two
# files may overlap (case 56); in a topic the messages that were sent again have offsets of their own. `make prove`
# alone: they take as long as those of files.
if IS_PROOF:
    globals().update(
        {name: test for name, test in vars(message_cases).items() if name.startswith("test_") and "case_56" not in name}
    )


class Topics:
    """Sends what `Sink` writes to files: a topic per table, and tombstones as messages without a value."""

    def __init__(self, broker: servers.Broker) -> None:
        self.broker = broker
        self.offsets = dict.fromkeys(TABLES, 0)
        for table in TABLES:
            broker.create(f"src.s.{table}")

    def land(self, table: str, *messages: Any, at: int | None = None, indent: str | None = None) -> None:
        texts = (message if isinstance(message, str) else json.dumps(message, indent=indent) for message in messages)
        self.broker.send(f"src.s.{table}", *(None if text == "null" else text for text in texts))
        self.offsets[table] += len(messages)


def add_feed(lakehouse, broker: servers.Broker, feed: str, connector: str, *options: str) -> None:
    row = {"feed": feed, "connector": connector, "format": "json", "location": f"kafka://{broker.address}"}
    lakehouse.rows[FEEDS_FILE].append({**row, "options": ";".join(filter(None, options))})


@pytest.fixture(scope="module")
def cases(shared_lakehouse, broker) -> Cases:
    lakehouse = shared_lakehouse
    lakehouse.clear()
    for feed, (connector, options) in FEEDS.items():
        topics = "|".join(f"src.s.{table}" for table, (of, _) in TABLES.items() if of == feed)
        tombstones = "tombstones=ignore" if options == "form=flattened" else ""
        add_feed(lakehouse, broker, feed, connector, f"topics={topics}", options, tombstones)
    for table, (feed, columns) in TABLES.items():
        lakehouse.add_table(feed, table, columns=columns)
    state_encodings(lakehouse)
    lakehouse.make_models()
    cases, topics = Cases(lakehouse), Topics(broker)
    land_first(topics)  # type: ignore[arg-type]
    cases.built.append(lakehouse.statuses("run"))
    cases.first = {table: lakehouse.table(table, "id, v") for table in TABLES if table not in WITHOUT_V}
    land_second(topics)  # type: ignore[arg-type]
    cases.built.append(lakehouse.statuses("run"))
    return cases


# One feed of its own for what happens to runs ------------------------------------------------------------------------

# Views over all tables are none of what is looked at here, and take most of a run on so little data.
NO_VIEWS = ("--exclude", "path:models/etl_metadata,config.materialized:view", "run_metrics")
NAME_OF_ALL = "every_multi_table_record_has_a_table"


@pytest.fixture(scope="module")
def lakehouse(shared_lakehouse, broker):
    """A feed of two topics beside a feed of files."""
    lakehouse = shared_lakehouse
    lakehouse.clear()
    for name in ("live", "second"):
        broker.create(f"run.{name}")
    add_feed(lakehouse, broker, "kafka", "maxwell", r"topic_pattern=run\..*", "group=run")
    lakehouse.add_feed("files", "json", connector="maxwell")
    for feed, name in (("kafka", "live"), ("kafka", "second"), ("files", "landed")):
        lakehouse.add_table(feed, name, columns="id int, v string, w string")
    lakehouse.make_models()
    return lakehouse


def message(table: str, number: int, v: str, at: int) -> str:
    return json.dumps({**maxwell("insert", number, v, xid=at, commit=True, position=f"b.1:{at}"), "table": table})


def land(lakehouse, name: str, *lines: str) -> None:
    folder = lakehouse.raw / "files"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text("".join(f"{line}\n" for line in lines))


@dataclass
class Story:
    """Results of the first runs: the first build, one without a broker, and one with bad messages among good."""

    built: dict[str, str]
    first: list[list[Any]]
    down: dict[str, Any]
    landed: list[Any]
    up: dict[str, str]


@pytest.fixture(scope="module")
def story(lakehouse, broker) -> Story:
    broker.send("run.live", message("live", 1, "a", 1))
    broker.send("run.second", message("second", 1, "a", 1))
    land(lakehouse, "one", message("landed", 1, "a", 1))
    tables = ("live", "second", "landed")
    built = lakehouse.build("--select", *(f"+silver_s__{name}" for name in tables), "kafka_gaps", "kafka_lag")
    first = [lakehouse.table(name, "id, v") for name in tables]

    land(lakehouse, "two", message("landed", 2, "b", 2))
    broker.send("run.live", message("live", 2, "b", 2))
    broker.stop()
    try:
        outcome = lakehouse.dbt("run", *NO_VIEWS)
    finally:
        broker.start()
    landed = lakehouse.table("landed", "id, v")

    # Messages 2 to 6 of run.live, 1 of run.second.
    broker.send("run.live", "{broken", b"\xff", message("live", 3, "c", 3))
    broker.send("run.second", json.dumps({**json.loads(message("second", 3, "c", 3)), "data": {"id": "three"}}))
    broker.send("run.live", message("live", 8, "x", 30), message("live", 8, "y", 31))
    up = lakehouse.statuses("run", *NO_VIEWS)
    return Story(built, first, {result.node.name: result for result in outcome.result.results}, landed, up)


def test_files_and_topics_are_built_side_by_side(story):
    assert set(story.built.values()) <= {"success", "pass", "warn"}, story.built
    assert story.first == [[(1, "a")]] * 3


def test_a_broker_that_is_down_stops_no_feed_of_files(lakehouse, broker, story):
    split = story.down["split_kafka"]
    assert (str(split.status), str(story.down["silver_s__landed"].status)) == ("error", "success")
    assert story.landed == [(1, "a"), (2, "b")]
    assert f"Kafka at {broker.address} cannot be read" in split.message and "Traceback" not in split.message
    assert {(1, "a"), (2, "b")} <= set(lakehouse.table("live", "id, v")), "the next run reads what came meanwhile"


def test_one_bad_message_stops_no_other(lakehouse, story):
    assert set(story.up.values()) == {"success"}
    assert (3, "c") in lakehouse.table("live", "id, v")
    lakehouse.statuses("run", "--select", "quarantine")
    [waiting] = lakehouse.sql("select * from etl_metadata.quarantine")
    assert (waiting.rule, waiting.file_row, waiting.source_file.rsplit("/", 2)[1]) == (
        "uncastable_value",
        1,
        "run.second",
    )
    unknown = lakehouse.sql(
        "select file_row from etl_metadata.split_kafka where source_table is null and malformed is not null"
    )
    assert sorted(row.file_row for row in unknown) == [2, 3], "they name no table, and wait with their position"
    assert lakehouse.statuses("test", "--select", NAME_OF_ALL)[NAME_OF_ALL] == "warn"


def test_position_and_lag_are_those_of_kafka(lakehouse, broker, story):
    end = servers.end_of(broker, "run.live")
    rows = lakehouse.sql("select * from bronze.s__live where id = 8 order by _cdc_sequence")
    assert [row._cdc_file_row for row in rows] == [end - 2, end - 1]
    assert {row._cdc_source_file for row in rows} == {rows[0]._cdc_source_file}
    assert rows[0]._cdc_source_file.startswith(f"kafka://{servers.CLUSTER_ID}/")
    said = lakehouse.command(explain, "s__live", "8")
    assert f"run.live/0  {end - 2}" in said and "superseded" not in said.split("\n")[0]
    lag = lakehouse.sql("select * from etl_metadata.kafka_lag where topic = 'run.live'")
    assert [(row.next_offset, row.end_offset, row.messages_behind) for row in lag] == [(end, end, 0)]


def test_a_gap_fails_a_node_of_its_own_and_no_table(lakehouse, broker, story):
    lost = servers.end_of(broker, "run.live")
    broker.send("run.live", message("live", 4, "lost", 40), message("live", 5, "e", 50))
    broker.remove_before("run.live", lost + 1)
    broker.send("run.second", message("second", 5, "e", 5))
    selected = ("run", "--select", "+silver_s__live", "+silver_s__second", "kafka_gaps")
    outcome = lakehouse.dbt(*selected)
    statuses = {result.node.name: str(result.status) for result in outcome.result.results}
    assert {name for name, status in statuses.items() if status != "success"} == {"kafka_gaps"}
    said = {result.node.name: result.message for result in outcome.result.results}
    assert (
        f"run.live/0: offset {lost} was to be read next; its earliest message has offset {lost + 1}"
        in (said["kafka_gaps"])
    )
    assert "LAKEHOUSE_KAFKA_GAPS=continue dbt build" in said["kafka_gaps"]
    assert said["split_kafka"] == "OK append: 1 rows of 1 offsets in 1 partitions"
    assert lakehouse.table("second", "id, v") == [(1, "a"), (5, "e")]
    os.environ["LAKEHOUSE_KAFKA_GAPS"] = "continue"
    try:
        assert set(lakehouse.statuses(*selected).values()) == {"success"}
    finally:
        del os.environ["LAKEHOUSE_KAFKA_GAPS"]
    assert {1, 5} <= {row[0] for row in lakehouse.table("live", "id, v")}
    [gap] = lakehouse.sql("select * from etl_metadata.kafka_gaps")
    assert (gap.topic, gap.partition, gap.from_offset, gap.to_offset) == ("run.live", 0, lost, lost + 1)
    assert (gap.reason, gap.status, gap.feed) == ("retention", "passed", "kafka")


def test_watch_asks_for_offsets_and_builds_the_tables_with_new_messages(lakehouse, broker, story, capsys):
    commands: list[tuple[str, ...]] = []
    dbt = WarmDbt(lakehouse.project)

    def invoke(*arguments: str) -> Any:
        commands.append(arguments)
        return dbt(*arguments)

    watch = Watch(invoke, spark_session, lakehouse.project)
    assert watch.cycle(), "at first every table is looked at"
    assert not watch.cycle()
    ends = {f"run.{name}/0": servers.end_of(broker, f"run.{name}") for name in ("live", "second")}
    assert broker.group_offsets("run") == ends, "monitors see how far the tables are"
    commands.clear()
    broker.send("run.live", message("live", 6, "f", 60))
    assert watch.cycle()
    built = [command[2 : command.index("--exclude")] for command in commands if "--exclude" in command]
    assert built == [("split_kafka",), ("bronze_s__live+",)], "the other tables of the feed have no new messages"
    assert (6, "f") in lakehouse.table("live", "id, v")
    assert not watch.cycle()
    capsys.readouterr()
    land(lakehouse, "three", message("landed", 3, "c", 3))
    broker.stop()
    try:
        assert watch.cycle(), "files go on"
        assert not watch.cycle()
    finally:
        broker.start()
    said = capsys.readouterr().out
    assert said.count(f"Kafka at {broker.address} cannot be read") == 1, "once"
    assert (3, "c") in lakehouse.table("landed", "id, v")
    broker.send("run.live", message("live", 7, "g", 70))
    assert watch.cycle()
    assert (7, "g") in lakehouse.table("live", "id, v")


def test_a_run_that_is_killed_between_read_and_commit_doubles_nothing(lakehouse, broker, story):
    before = lakehouse.sql("select count(*) as n from bronze.s__live")[0].n
    broker.send("run.live", *(message("live", 100 + number, "k", 100 + number) for number in range(50)))
    snapshots = lakehouse.snapshots("etl_metadata.split_kafka")
    command = [sys.executable, "-m", "dbt.cli.main", "run", "--select", "split_kafka", *lakehouse.directories]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as run:
        folder = lakehouse.warehouse / "etl_metadata" / "split_kafka"
        threading.Thread(target=kill_at_the_first_file, args=(run, folder)).start()
        assert run.stdout is not None
        said = run.stdout.read()
    assert run.returncode == -signal.SIGKILL, said
    current = "select snapshot_id from etl_metadata.split_kafka.refs where name = 'main'"
    assert lakehouse.sql(current)[0].snapshot_id == snapshots[-1], "it was killed before its commit was visible"
    assert set(lakehouse.statuses("run", "--select", "+silver_s__live").values()) == {"success"}
    assert lakehouse.sql("select count(*) as n from bronze.s__live")[0].n == before + 50
    assert len([row for row in lakehouse.table("live", "id, v") if row[1] == "k"]) == 50
    compared = "silver_s__live,test_name:silver_matches_bronze"
    assert set(lakehouse.statuses("test", "--select", compared).values()) <= {"success", "pass"}


def test_a_table_that_gets_metadata_later_gets_all_its_messages(lakehouse, broker, story):
    broker.create("run.late")
    broker.send("run.late", message("late", 1, "a", 1), message("late", 2, "b", 2))
    lakehouse.statuses("run", "--select", "split_kafka")
    lakehouse.add_table("kafka", "late", columns="id int, v string, w string")
    lakehouse.make_models()
    assert set(lakehouse.statuses("run", "--select", "+silver_s__late").values()) == {"success"}
    assert lakehouse.table("late", "id, v") == [(1, "a"), (2, "b")]


def test_drift_shows_what_topics_hold_and_moves_no_progress(lakehouse, broker, story):
    lakehouse.statuses("run", "--select", "+bronze_s__live")
    wide = json.loads(message("live", 200, "n", 200))
    broker.send("run.live", json.dumps({**wide, "data": {**wide["data"], "plan": "basic"}}))
    broker.send("run.live", json.dumps({**wide, "data": {"id": "two hundred", "v": "n"}}))
    tables = ("etl_metadata.split_kafka", "bronze.s__live", "etl_metadata.rejected_files")
    before, committed = [lakehouse.snapshots(table) for table in tables], broker.group_offsets("run")
    said = [line for line in lakehouse.command(drift).splitlines() if line.startswith("s__live ")]
    assert {re.split(" {2,}", line)[1] for line in said} == {
        "column plan string is new",
        "1 of 2 rows: id is 'two hundred', expected int",
    }
    assert ([lakehouse.snapshots(table) for table in tables], broker.group_offsets("run")) == (before, committed)
    broker.stop()
    try:
        said = lakehouse.command(drift).splitlines()
    finally:
        broker.start()
    [line] = [line for line in said if line.startswith("feed kafka ")]
    assert f"Kafka at {broker.address} cannot be read" in line and line.endswith("the split fails, and its tables wait")
