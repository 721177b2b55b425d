"""Two runs at once, without a lock: one is held at a step of a table while the other one runs from start to end.

`make prove` holds a run at each step, then RUNS=50 runs at random steps of random tables.
"""

from __future__ import annotations

import os
from random import Random

import pyarrow as pa
import pytest

from python_udfs.sample_data.dms_writer import Column, DmsTask, SourceTable
from tests.e2e.rival import RAN_SECOND, Rival, on_each_step
from tests.e2e.stories import Story, at, change
from tests.proof import IS_PROOF, proof_only

# Nothing of make test is held at the table of mode append.
TABLES = ("merged", "replaced", "kept", *(["appended"] if IS_PROOF else []))
PARTS = SourceTable("s", "parts", (Column("id", pa.int32()), Column("v", pa.string())), ("id",))
# At which step of which table the one run is held: its commit comes second.
HELD = (
    ("publishes", "etl_metadata.raw_listing"),
    ("writes", "bronze.s__merged"),
    ("publishes", "silver.s__merged"),
    ("publishes", "silver.s__replaced"),
)
ALSO_HELD = (
    ("publishes", "etl_metadata.split_txn"),
    ("publishes", "bronze.s__merged"),
    ("publishes", "silver.s__kept"),
    ("publishes", "etl_metadata.run_metrics"),
    ("asks", "etl_metadata.raw_listing"),
    ("writes", "etl_metadata.raw_listing"),
    ("writes", "etl_metadata.split_txn"),
    ("asks", "bronze.s__merged"),
    ("publishes", "silver.s__appended"),
    ("publishes", "silver.s__parts"),
    ("writes", "silver.s__replaced"),
)
# A group that a key leaves with each batch, and one that it comes to; its lookup moves, too.
TOTALS = """{{ config(key='v', spine='silver_s__replaced', full_above='never') }}
select base.v, count(*) as n, max(beside.id) as last
from {{ ref('silver_s__replaced') }} as base
left join {{ ref('silver_s__merged') }} as beside on beside.id = base.id
group by base.v
"""
GOLD, BEFORE_GOLD = ("run", "--select", "totals"), ("run", "--exclude", "totals", "--vars", "cdc_replace_rows_from: 1")
RUNS = int(os.environ.get("RUNS") or 50)
SEED = int(os.environ.get("SEED") or 1)


class Pause:
    """Lets the rival run, once, when this process comes to a step of a table (`on_each_step`)."""

    def __init__(self, monkeypatch, rival: Rival, arguments: tuple[str, ...]) -> None:
        self.rival, self.arguments, self.of_rival = rival, arguments, arguments
        self.step, self.table = "", ""
        self.rivals: dict[str, str] = {}
        on_each_step(monkeypatch.setattr, self.reach)

    def reach(self, step: str, table: str) -> None:
        if (step, table) == (self.step, self.table):
            self.step = ""
            self.rivals = self.rival.run(*self.of_rival)


class Source:
    """Writes files of every table, and knows what silver has to hold."""

    def __init__(self, lakehouse) -> None:
        self.stories = {name: Story(lakehouse.raw / "files", name) for name in TABLES}
        self.task = DmsTask(lakehouse.raw / "txn", timestamp_column_name="ts")
        self.batch = 0

    def load(self) -> None:
        for story in self.stories.values():
            story.load(0, {"id": 0, "v": "0", "w": "w"}, {"id": 1, "v": "new", "w": "w"})
        self.task.full_load(PARTS, [{"id": 0, "v": "0"}], at(0))

    def changes(self) -> None:
        self.batch += 1
        number = self.batch
        for story in self.stories.values():
            story.changes(
                number,
                change("U", number, id=0, v=str(number), w="w"),
                change("I", number, id=number + 1, v="new", w="w"),
                change("D", number, id=number, v="new", w="w"),
            )
        self.task.transactions(
            [(PARTS, change("U", number, id=0, v=str(number))), (PARTS, change("I", number, id=number, v="new"))],
            at(number),
        )

    def check_gold(self, lakehouse, number: int) -> None:
        rows = [tuple(row) for row in lakehouse.sql("select * from gold.totals order by last")]
        assert rows == [(str(number), 1, 0), ("new", 1, number + 1)]

    def check(self, lakehouse) -> None:
        number = self.batch
        for name in ("merged", "replaced"):
            assert lakehouse.table(name, "id, v") == [(0, str(number)), (number + 1, "new")], name
        assert len(lakehouse.table("kept", "id")) == 2 + 2 * number
        if "appended" in TABLES:
            assert len(lakehouse.table("appended", "id")) == 2 + number
        assert len(lakehouse.table("parts", "id")) == 1 + number
        for name in (*TABLES, "parts"):
            rows = lakehouse.sql(f"select _cdc_source_file, _cdc_file_row from bronze.s__{name}")
            expected = 1 + 2 * number if name == "parts" else 2 + 3 * number
            assert len(rows) == len(set(rows)) == expected, name
        files = lakehouse.sql("select path, size, modified_at from etl_metadata.raw_listing where path is not null")
        assert len(files) == len(set(files))
        runs = lakehouse.sql("select silver_table, snapshot_id from etl_metadata.run_metrics")
        assert len(runs) == len(set(runs))


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("files", "parquet", "timestamp_column=ts")
    lakehouse.add_feed("txn", "csv", "timestamp_column=ts;transaction_files=true")
    lakehouse.add_table("files", "merged", delete_mode="hard", partition_by="bucket(2, id)")
    lakehouse.add_table("files", "replaced")
    lakehouse.add_table("files", "kept", mode="history")
    if "appended" in TABLES:
        lakehouse.add_table("files", "appended", "", mode="append")
    lakehouse.add_table("txn", "parts", columns="id int, v string")
    lakehouse.make_models()
    lakehouse.add_gold("totals", TOTALS)
    lakehouse.dbt("seed")
    return lakehouse


@pytest.fixture(scope="module")
def rival(lakehouse, tmp_path_factory):
    profiles = tmp_path_factory.mktemp("profiles")
    text = (lakehouse.project / "profiles" / "profiles.yml").read_text()
    (profiles / "profiles.yml").write_text("".join(line for line in text.splitlines(True) if "lock_file:" not in line))
    rival = Rival(lakehouse.project, profiles)
    yield rival
    rival.stop()


@pytest.fixture(scope="module")
def source(lakehouse):
    return Source(lakehouse)


@pytest.fixture
def pause(monkeypatch, rival):
    return Pause(monkeypatch, rival, ("run", "--vars", "cdc_replace_rows_from: 1"))


def run_held(lakehouse, pause, step: str, table: str) -> dict[str, str]:
    """A run that is held there: status by node name."""
    pause.step, pause.table = step, table
    statuses = lakehouse.statuses(*pause.arguments)
    assert pause.step == "", f"no run came to {step} of {table}"
    assert pause.rivals.get(node_of(table), "success") == "success", pause.rivals
    failed = [name for name, status in statuses.items() if status == "error"]
    said = [message for message in lakehouse.messages if any(text in message for text in RAN_SECOND)]
    assert all(any(name.split("_", 1)[-1] in text for text in said) for name in failed), lakehouse.messages
    return statuses


def node_of(table: str) -> str:
    schema, name = table.split(".")
    return name if schema in ("etl_metadata", "gold") else f"{schema}_{name}"


@pytest.mark.parametrize("table", ["bronze.s__kept", "silver.s__kept"] if IS_PROOF else ["bronze.s__kept"])
def test_a_table_that_the_other_run_created_is_not_replaced(lakehouse, source, pause, table):
    for schema, name in (("silver", "kept"), ("bronze", "kept")):
        lakehouse.sql(f"drop table if exists {schema}.s__{name}")
    if source.batch == 0 and table.startswith("bronze"):
        source.load()
    statuses = run_held(lakehouse, pause, "creates", table)
    assert statuses[node_of(table)] == "error"
    lakehouse.statuses(*pause.arguments)
    source.check(lakehouse)


@pytest.mark.parametrize(("step", "table"), HELD + ALSO_HELD if IS_PROOF else HELD)
def test_the_run_that_comes_second_writes_nothing_twice(lakehouse, source, pause, step, table):
    source.changes()
    statuses = run_held(lakehouse, pause, step, table)
    assert (statuses[node_of(table)] == "error") == (step != "asks"), statuses
    lakehouse.statuses(*pause.arguments)
    source.check(lakehouse)


@pytest.mark.parametrize("step", ["creates", "publishes", "writes", "asks"] if IS_PROOF else ["publishes"])
def test_of_two_refreshes_of_gold_the_second_writes_nothing(lakehouse, source, pause, step):
    if step == "creates":
        lakehouse.sql("drop table if exists gold.totals")
    source.changes()
    lakehouse.statuses(*BEFORE_GOLD)
    pause.arguments = pause.of_rival = GOLD
    statuses = run_held(lakehouse, pause, step, "gold.totals")
    assert (statuses["totals"] == "error") == (step != "asks"), statuses
    source.check_gold(lakehouse, source.batch)
    assert lakehouse.statuses(*GOLD)["totals"] == "success"
    assert any("nothing: no input has moved" in message for message in lakehouse.messages)


@pytest.mark.parametrize("step", ["publishes", "writes", "asks"] if IS_PROOF else ["publishes"])
def test_gold_follows_silver_that_another_run_builds_beside_its_refresh(lakehouse, source, pause, step):
    source.changes()
    lakehouse.statuses(*BEFORE_GOLD)
    source.changes()
    pause.arguments, pause.of_rival = GOLD, BEFORE_GOLD
    assert run_held(lakehouse, pause, step, "gold.totals")["totals"] == "success"
    assert set(pause.rivals.values()) == {"success"}, pause.rivals
    source.check_gold(lakehouse, source.batch - (step != "asks"))
    assert lakehouse.statuses(*GOLD)["totals"] == "success"
    source.check_gold(lakehouse, source.batch)
    way = "nothing: no input has moved" if step == "asks" else "affected: "
    assert any(way in message for message in lakehouse.messages), lakehouse.messages


@proof_only
@pytest.mark.timeout(0)
def test_runs_held_anywhere_lose_nothing_and_double_nothing(lakehouse, source, pause):
    random = Random(SEED)
    for _ in range(RUNS):
        source.changes()
        run_held(lakehouse, pause, *random.choice(HELD + ALSO_HELD))
        lakehouse.statuses(*pause.arguments)
        source.check(lakehouse)
