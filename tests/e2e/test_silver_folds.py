"""Silver's SQL alone, on random changes that lie in a bronze table: any order of arrival, any cut into batches.

Faster than files through the whole pipeline, and free to hold what DMS files never do, such as truncates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.clients.agate_helper import table_from_data_flat
from pyspark.sql import SparkSession
from table_configs import make_config

from dbt.adapters.sparksession import snapshots
from python_udfs.pipeline.checks import Check, Checked, Step, Table, plan_check
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.delta import Changes, Log, measure_changes
from python_udfs.pipeline.silver import SilverPlan, choose_way
from python_udfs.pipeline.silver_writes import write_plan
from python_udfs.pipeline.table_config import TableConfig
from spark_files.capabilities import appended_rows_sql
from spark_files.frames import make_frame
from tests.oracle import UNAVAILABLE, Life, Row, Rules
from tests.proof import IS_PROOF
from tests.unit.macros.harness import Dbt, Relation

KEYS = 150
BATCHES = 4
# Behind the first batch comes a truncate, and the rows that the table had: a reload by the application.
RELOADED_AT = KEYS * 5 * 27 // 100
START = datetime(2024, 1, 1, tzinfo=timezone.utc)
SCHEMA = (
    "k string, n int, v string, w string, _cdc_operation string, _cdc_committed_at timestamp, _cdc_sequence string,"
    " _cdc_generation int, _cdc_source_file string, _cdc_file_row bigint, _cdc_batch_id bigint,"
    " _cdc_unavailable_columns array<string>, _cdc_old_key map<string, string>, _cdc_quarantine_rule string"
)
TYPES = {"k": "string", "n": "int", "v": "string", "w": "string"}
COLUMNS = tuple(TYPES)
PLAN = tuple(Column(name, kind, kind) for name, kind in TYPES.items())
MERGE_ON_READ = {f"write.{kind}.mode": "merge-on-read" for kind in ("delete", "update", "merge")}
DEFAULTS = {
    "layer": "silver",
    "feed": "f",
    "source_schema": "s",
    "source_table": "t",
    "primary_key": ["k", "n"],
    "mode": "current",
    "delete_mode": "hard",
    "key_comparison": [],
    "unchanged_rows": "write",
}
SHAPES = {
    "hard": {},
    "hard_whole": {},
    "soft": {"delete_mode": "soft"},
    "soft_whole": {"delete_mode": "soft"},
    "append": {"mode": "append", "primary_key": []},
    "hard_skip": {"unchanged_rows": "skip"},
    "soft_skip": {"unchanged_rows": "skip", "delete_mode": "soft"},
    # Nothing comes late: rows are replaced unless a batch changes a key, brings a truncate or ends a reload.
    "hard_in_order": {},
    "soft_in_order": {"delete_mode": "soft"},
    # Nor here, but changes are partial: what one does not carry is in silver's own row.
    "skip_in_order": {"unchanged_rows": "skip"},
    "soft_skip_in_order": {"unchanged_rows": "skip", "delete_mode": "soft"},
    "same_case_in_order": {"key_comparison": ["ignore_case", "ignore_trailing_spaces"]},
    "same_case": {"key_comparison": ["ignore_case", "ignore_trailing_spaces"]},
}

# Each way of a row, and each way to write it, once: `make prove` folds all of them.
FEW = [shape for shape in SHAPES if shape not in ("soft_whole", "hard_skip", "soft_skip", "skip_in_order", "same_case")]
# Changes are whole, and newer than silver was.
IN_ONE_PASS = ("hard_in_order", "same_case_in_order")
# Of a row that the step wrote (new), or that it did not (old): what another writer does, and what is found in one pass.
OTHERS = "rows of a key without changes"
PLANTED = {
    "delete from {t} where _cdc_sequence = '{new}'": "missing from silver",
    "insert into {t} select * from {t} where _cdc_sequence = '{new}'": "more than once in silver",
    "update {t} set v = 'planted' where _cdc_sequence = '{new}'": "other values in silver",
    "update {t} set v = null, w = null where _cdc_sequence = '{new}'": "other values in silver",
    "update {t} set _cdc_batch_id = 0 where _cdc_sequence = '{new}'": "other values in silver",
    "update {t} set _cdc_sequence = '{new}' where _cdc_sequence = '{old}'": "unexpected in silver",
    "delete from {t} where _cdc_sequence = '{old}'": f"{OTHERS}: -1 more than before",
    "insert into {t} select * from {t} where _cdc_sequence = '{old}'": f"{OTHERS}: 1 more than before",
    """
    insert into {t} select * from {t} version as of {before} as b
    where not exists (select 1 from {t} as n where lower(rtrim(n.k)) <=> lower(rtrim(b.k)) and n.n <=> b.n) limit 1
    """: "unexpected in silver",
}


def draw(random: Random, partial: bool, operations: str = "IUUUUDDL") -> list[dict[str, Any]]:
    """Changes in their order; a place has one row."""
    rows: list[dict[str, Any]] = []
    images: dict[tuple[str | None, int], dict[str, Any]] = {}
    to_reload: list[tuple[tuple[str | None, int], dict[str, Any]]] = []
    places = sorted(random.sample(range(10_000), KEYS * 5))
    generations = sorted(random.choice((1, 1, 1, 2, 3)) for _ in range(3))
    for number, place in enumerate(places):
        generation = generations[number * 3 // len(places)]
        operation = random.choice(operations)
        key = (random.choice(("a", "A", "a ", "b", None)), random.randrange(KEYS // 4))
        values = {"v": random.choice("xyz"), "w": random.choice(("x", "y", None))}
        if to_reload:
            operation, (key, values) = "I", to_reload.pop()
        row = dict(zip(COLUMNS, (*key, *values.values()), strict=True))
        if operation == "D":  # the key alone, placeholders of PostgreSQL, or a whole image: none of them counts
            row |= random.choice(({}, {"v": None, "w": None}, {"v": "", "w": None}))
        unavailable = [name for name in "vw" if partial and operation in "UD" and random.random() < 0.3]
        row |= dict.fromkeys(unavailable)
        old = None
        if operation == "U" and "D" in operations and random.random() < 0.1:
            old = {"k": random.choice(("b", None)), "n": str(random.randrange(KEYS // 4))}
        before = images.pop(key, {"v": None, "w": None})
        if operation != "D":
            images[key] = {name: before[name] if name in unavailable else row[name] for name in "vw"}
        if random.random() < 0.003 or number == RELOADED_AT:
            operation, old, unavailable = "T", None, []
            row = dict.fromkeys(COLUMNS)
            to_reload = random.sample([*images.items()], len(images)) if number == RELOADED_AT else []
            images.clear()
        kind = 0 if operation == "L" else 1
        time = f"{place:020d}" if kind else "0" * 20
        rows.append(
            row
            | {
                "_cdc_operation": operation,
                "_cdc_committed_at": START + timedelta(seconds=place),
                "_cdc_sequence": f"{generation:06d}.{kind}.{time}.{place:016x}.{0:012d}.{place:014d}",
                "_cdc_generation": generation,
                "_cdc_source_file": f"file:{place}",
                "_cdc_file_row": 0,
                "_cdc_unavailable_columns": unavailable or None,
                "_cdc_old_key": old if old and (old["k"], old["n"]) != (key[0], str(key[1])) else None,
                "_cdc_quarantine_rule": None,
            }
        )
    return sorted(rows, key=lambda row: row["_cdc_sequence"])


def reloads(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that say that a reload is complete; each comes with the first change of its load."""
    first: dict[int, int] = {}
    for row in rows:
        generation, batch = row["_cdc_generation"], row["_cdc_batch_id"]
        if generation > 1 and row["_cdc_operation"] != "L":
            first[generation] = min(batch, first.get(generation, batch))
    return [
        dict.fromkeys(rows[0])
        | {
            "_cdc_operation": "R",
            "_cdc_sequence": f"{generation:06d}.1.{0:020d}.{0:016x}.{0:012d}.{0:014d}",
            "_cdc_generation": generation,
            "_cdc_batch_id": batch,
        }
        for generation, batch in first.items()
    ]


def folded(cdc: TableConfig, rows: list[dict[str, Any]]) -> dict[Any, dict[str, Any]]:
    """Expected rows of silver, by key: the oracle's lives, over rows of bronze."""
    rules = Rules(("k", "n"), COLUMNS, key_comparison=cdc.key_comparison)
    lives: dict[Any, Life] = {}
    newest: dict[Any, dict[str, Any]] = {}

    def take(row: dict[str, Any], operation: str, image: dict[str, Any]) -> None:
        is_append = cdc.mode == "append"
        key = (row["_cdc_source_file"], row["_cdc_file_row"]) if is_append else rules.key_of(image)
        lives.setdefault(key, Life()).take(Row(operation, image, row["_cdc_committed_at"]), rules)
        newest[key] = {name: row[name] for name in ("_cdc_sequence", "_cdc_batch_id")} | {"_cdc_operation": operation}

    for row in sorted(rows, key=order):
        operation = row["_cdc_operation"]
        if operation in "TR":
            for life in lives.values():
                life.end(row["_cdc_committed_at"] or START)
        elif cdc.mode != "append" or operation in "IL":
            if row["_cdc_old_key"] and cdc.mode != "append":
                old = {"k": row["_cdc_old_key"]["k"], "n": int(row["_cdc_old_key"]["n"])}
                take(row, "D", old)
            unavailable = dict.fromkeys(row["_cdc_unavailable_columns"] or (), UNAVAILABLE)
            take(row, operation, {name: row[name] for name in COLUMNS} | unavailable)
    silver = {key: life.image | newest[key] | {"_cdc_is_deleted": not life.live} for key, life in lives.items()}
    return silver if cdc.delete_mode == "soft" else {key: row for key, row in silver.items() if lives[key].live}


def order(row: dict[str, Any]) -> str:
    """The order of the rows of bronze; a complete reload begins its generation."""
    return f"{row['_cdc_generation']:06d}" if row["_cdc_operation"] == "R" else row["_cdc_sequence"]


class Silver:
    """One silver table, made from a bronze table by the project's macros, batch by batch."""

    def __init__(self, spark: SparkSession, name: str, cdc: dict[str, Any]) -> None:
        self.spark = spark
        self.cdc = make_config(**DEFAULTS | cdc)
        self.in_order = "in_order" in name
        self.bronze = Relation("fold", f"bronze_{name}")
        self.silver = Relation("fold", f"silver_{name}")
        self.progress: dict[str, Any] = {}
        spark.sql("create schema if not exists fold")
        spark.sql(f"create table {self.bronze} ({SCHEMA}) using iceberg")
        self.replaced = 0

    def dbt(self) -> Dbt:
        dbt = Dbt(config={"tblproperties": MERGE_ON_READ})
        dbt.context["run_query"] = self.run_query
        adapter = dbt.context["adapter"]
        adapter.get_columns_in_relation = lambda relation: [
            SimpleNamespace(name=name) for name in self.spark.table(str(relation)).columns
        ]
        for ask in (
            snapshots.current_snapshot_id,
            snapshots.is_current_ancestor,
            snapshots.start_branch,
            snapshots.rows_removed,
            snapshots.publish_branch,
            snapshots.snapshot,
            snapshots.snapshots_since,
            appended_rows_sql,
        ):
            setattr(adapter, ask.__name__, lambda table, *more, ask=ask: ask(self.spark, str(table), *more))
        return dbt

    def run_query(self, sql: str) -> Any:
        frame = self.spark.sql(sql)
        return table_from_data_flat([row.asDict() for row in frame.collect()], frame.columns)

    def checked_now(self) -> Checked | None:
        """The record of silver_checks for the table as it is."""
        if not self.progress:
            return None
        newest = self.snapshot()
        return Checked(
            snapshot_id=newest["snapshot_id"],
            schema_id=newest["schema_id"],
            bronze_snapshot_id=int(self.progress["cdc.bronze-snapshot-id"]),
            batch_id=int(self.progress["cdc.batch-id"]),
            sequence=self.progress["cdc.sequence"],
            is_due=False,
        )

    def snapshot(self) -> dict[str, Any]:
        newest = snapshots.current_snapshot_id(self.spark, str(self.silver))
        return snapshots.snapshot(self.spark, str(self.silver), newest)

    def apply(self, rows: list[dict[str, Any]]) -> None:
        if rows:
            make_frame(self.spark, rows, SCHEMA).coalesce(1).writeTo(str(self.bronze)).append()
        self.checked = self.checked_now()
        dbt = self.dbt()
        snapshot = snapshots.current_snapshot_id(self.spark, str(self.bronze))
        is_first = not self.progress
        changes = self.measure(dbt, snapshot, self.progress)
        if is_first:
            is_single = self.run_query(dbt.cdc_single_changes_sql(self.cdc, changes)).rows if rows else [[False]]
            has_single_changes = self.cdc.mode == "current" and bool(is_single[0][0])
            changes = replace(changes, has_single_changes=has_single_changes)
            properties = ", ".join(f"'{name}' = '{value}'" for name, value in MERGE_ON_READ.items())
            sql = dbt.cdc_silver_sql(self.cdc, changes, PLAN, is_first)
            self.spark.sql(f"create table {self.silver} using iceberg tblproperties ({properties}) as {sql}")
        elif choose_way(self.cdc, True, changes) == "replace":
            self.replace(dbt, changes)
        else:
            self.merge(dbt, changes)
        names = {"bronze-snapshot-id": "to_snapshot_id", "sequence": "last_sequence", "batch-id": "last_batch_id"}
        self.progress = {f"cdc.{name}": str(getattr(changes, of)) for name, of in names.items()}
        self.progress["cdc.reset-point"] = changes.reset_point
        if self.in_order:
            self.progress["total-records"] = "1000000"

    def measure(self, dbt: Dbt, snapshot: int, progress: dict[str, str]) -> Changes:
        log = Log(dbt.context["adapter"], dbt.context, self.cdc, self.bronze, snapshot)
        return measure_changes(log, progress, PLAN, 500_000, may_replace=True)

    def merge(self, dbt: Dbt, changes: Changes) -> None:
        self.spark.sql(self.write_sql(dbt, changes))

    def replace(self, dbt: Dbt, changes: Changes) -> None:
        before = self.rows()
        assert self.write_sql(dbt, changes) is None, "written already"
        self.replaced += 1
        counted = dbt.recorded["cdc.rows-deleted"]
        assert int(counted) == len(before.keys() - self.rows().keys())

    def write_sql(self, dbt: Dbt, changes: Changes) -> str | None:
        way = choose_way(self.cdc, True, changes)
        changes = replace(changes, replaces=way == "replace")
        plan = SilverPlan(way, way, self.silver, columns=PLAN, changes=changes)
        warehouse, sql = dbt.context["adapter"], dbt.context
        return write_plan(warehouse, sql, self.cdc, self.bronze, self.silver, plan, "1-2")

    def rows(self) -> dict[Any, dict[str, Any]]:
        columns = [*COLUMNS, "_cdc_sequence", "_cdc_operation", "_cdc_batch_id"]
        if self.cdc.delete_mode == "soft":
            columns.append("_cdc_is_deleted")
        if self.cdc.mode == "append":
            columns += ["_cdc_source_file", "_cdc_file_row"]
        rows = [row.asDict() for row in self.spark.table(str(self.silver)).select(*columns).collect()]
        by_key = {}
        for row in rows:
            key = (row["k"], row["n"])
            if self.cdc.mode == "append":
                key = (row.pop("_cdc_source_file"), row.pop("_cdc_file_row"))
            if self.cdc.key_comparison:
                key = (row["k"] and row["k"].rstrip(" ").lower(), row["n"])
            assert key not in by_key, f"two rows of {key}"
            by_key[key] = row
        return by_key

    def differences(self, step: Step | None = None) -> list[Any]:
        columns = self.spark.table(str(self.silver)).columns
        snapshot = self.progress["cdc.bronze-snapshot-id"]
        sql = self.dbt().cdc_difference_sql(self.cdc, self.silver, self.bronze, snapshot, columns, PLAN, step)
        return self.spark.sql(sql).collect()

    def rebuilt_differences(self) -> list[Any]:
        """Differences that rebuild_silver finds in a table that it has made of all of bronze."""
        dbt, snapshot = self.dbt(), int(self.progress["cdc.bronze-snapshot-id"])
        changes = self.measure(dbt, snapshot, {})
        rebuilt = Relation("fold", f"{self.silver.identifier}__rebuild")
        self.spark.sql(f"create table {rebuilt} using iceberg as {dbt.cdc_silver_sql(self.cdc, changes, PLAN, True)}")
        columns = self.spark.table(str(rebuilt)).columns
        return self.spark.sql(dbt.cdc_difference_sql(self.cdc, rebuilt, self.bronze, snapshot, columns, PLAN)).collect()

    def planted(self, statement: str, step: Step) -> list[str]:
        """Differences that a step finds after a statement of another writer, which is taken back."""
        table, before = str(self.silver), self.snapshot()["snapshot_id"]
        [[new, old]] = self.run_query(
            f"select max(_cdc_sequence) filter (where _cdc_sequence > '{step.after_sequence}'),"
            f" max(_cdc_sequence) filter (where _cdc_sequence <= '{step.after_sequence}') from {table}"
        ).rows
        rows = self.spark.table(table).count()
        self.spark.sql(statement.format(t=table, new=new, old=old, before=step.silver_snapshot_id))
        added = self.spark.table(table).count() - rows
        differences = [row.difference for row in self.differences(replace(step, net_rows=step.net_rows + added))]
        self.spark.sql(f"call system.rollback_to_snapshot('{table}', {before})")
        return differences

    def check(self) -> Check:
        """The step that silver_matches_bronze compares after a batch; the summaries here carry no progress."""
        dbt = self.dbt()
        adapter = dbt.context["adapter"]
        adapter.newest_summary = lambda relation, key: self.progress
        since = adapter.snapshots_since
        own = {"summary": {"cdc.batch-id": "1"}}
        adapter.snapshots_since = lambda *table: (
            (answer := since(*table)) | {"snapshots": [snapshot | own for snapshot in answer["snapshots"]]}
        )
        table = Table(self.silver, self.bronze, self.cdc)
        return plan_check(adapter, dbt.context, table, self.snapshot()["snapshot_id"], self.checked)


@pytest.fixture(scope="module")
def spark(empty_lakehouse) -> SparkSession:
    empty_lakehouse.dbt("debug")
    return SparkSession.active()


@pytest.mark.parametrize("shape", SHAPES if IS_PROOF else FEW)
def test_silver_is_the_fold_of_its_changes(spark, shape):
    random = Random(shape)
    # A row that is only marked as deleted may keep values that its delete does not bring: such batches are merged.
    operations = "IUUUUL" if shape == "soft_in_order" else "IUUUUDDL"
    is_partial = "whole" not in shape and ("in_order" not in shape or "skip" in shape)
    rows = draw(random, is_partial, operations)
    silver = Silver(spark, shape, SHAPES[shape])
    late = 0 if "in_order" in shape else random.choice((0.05, 0.5))
    for position, row in enumerate(rows):
        due = 1 + position * BATCHES // len(rows)
        row["_cdc_batch_id"] = random.randint(1, BATCHES) if random.random() < late else due
        if silver.in_order and due != 2:
            row["_cdc_old_key"] = None
    rows += reloads(rows)
    # A listing or a split that was lost has rows read again: of one change the row that came first counts.
    again = [] if silver.in_order else random.sample([row for row in rows if row["_cdc_batch_id"] < BATCHES], 60)
    again = [row | {"_cdc_batch_id": random.randint(row["_cdc_batch_id"] + 1, BATCHES)} for row in again]
    depths = Counter()
    hidden = {"_cdc_sequence", "_cdc_operation", "_cdc_batch_id"} if silver.cdc.unchanged_rows == "skip" else set()
    for batch in range(1, BATCHES + 1):
        silver.apply([row for row in rows + again if row["_cdc_batch_id"] == batch])
        wrong = faults(silver, [row for row in rows if row["_cdc_batch_id"] <= batch], hidden)
        assert not wrong, f"batch {batch}, {len(wrong)} keys; {wrong[0]}"
        check = silver.check()
        depths[check.depth] += 1
        if step := check.step:
            assert not silver.differences(step), f"batch {batch}, {step}"
            if step.is_newest:
                # `make prove` plants in each of these batches.
                is_planted = bool(depths["one pass"]) and not IS_PROOF
                depths["one pass"] += 1
                for is_small in (True, False):
                    in_one_pass = replace(step, is_small=is_small)
                    assert not silver.differences(in_one_pass), f"batch {batch}, {in_one_pass}"
                    for statement, expected in () if is_planted else PLANTED.items():
                        planted = silver.planted(statement, in_one_pass)
                        wanted = expected if is_small else expected.replace("a key", "keys")
                        assert planted == [wanted], f"batch {batch}: {statement}"
    print(depths)
    assert bool(depths["one pass"]) == (shape in IN_ONE_PASS)
    assert not silver.differences()
    assert not silver.rebuilt_differences()
    assert bool(silver.replaced) == (silver.in_order and not is_partial)


def faults(silver: Silver, delivered: list[dict[str, Any]], hidden: set[str]) -> list[str]:
    """How silver differs from the fold of what was delivered."""
    expected, actual = folded(silver.cdc, delivered), silver.rows()
    wrong = [f"expected no row: {actual[key]}" for key in actual.keys() - expected.keys()]
    wrong += [f"no row, expected {expected[key]}" for key in expected.keys() - actual.keys()]
    return wrong + [
        f"expected {expected[key]}, found {row}"
        for key, row in actual.items()
        if key in expected and any(row[name] != expected[key][name] for name in row.keys() - hidden)
    ]


def test_without_a_key_a_reload_that_has_only_begun_replaces_the_rows_at_its_places(spark):
    silver = Silver(spark, "append_reload", SHAPES["append"])
    [template] = [row for row in draw(Random(0), partial=False) if row["_cdc_operation"] == "I"][:1]
    delivered = []
    batches = ((1, 0, 1, "load"),), ((1, 1, 2, "change"),), ((1, 1, 3, "more"), (2, 0, 3, "load")), ((2, 1, 4, "last"),)
    for generation, kind, batch, file in (row for rows in batches for row in rows):
        row = template | {
            "v": f"{generation}.{kind}",
            "_cdc_operation": "I" if kind else "L",
            "_cdc_sequence": f"{generation:06d}.{kind}.{kind * batch:020d}.{len(file):016x}.{0:012d}.{batch:014d}",
            "_cdc_generation": generation,
            "_cdc_source_file": file,
            "_cdc_batch_id": batch,
        }
        delivered.append(row)
    delivered += reloads(delivered)
    for batch in range(1, len(batches) + 1):
        silver.apply([row for row in delivered if row["_cdc_batch_id"] == batch])
        assert not faults(silver, [row for row in delivered if row["_cdc_batch_id"] <= batch], set()), f"batch {batch}"
        assert not silver.differences()


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("shape", ["hard_skip", "soft_skip"])
def test_a_row_that_is_written_again_as_it_was_behind_a_truncate_keeps_its_values(spark, shape, is_late):
    silver = Silver(spark, f"{shape}_truncate_{is_late}", SHAPES[shape])
    [template] = [row for row in draw(Random(0), partial=False) if row["_cdc_operation"] == "I"][:1]
    operations = [(1, "I", "x"), (3 if is_late else 2, "T", None), (2, "I", "x"), (4, "U", "y")]
    delivered = [
        template
        | (dict.fromkeys(COLUMNS) if operation == "T" else {"v": v, "w": None if operation == "U" else "stays"})
        | {
            "_cdc_operation": operation,
            "_cdc_sequence": f"000001.1.{place:020d}.{0:016x}.{0:012d}.{0:014d}",
            "_cdc_generation": 1,
            "_cdc_source_file": f"file:{place}",
            "_cdc_unavailable_columns": ["w"] if operation == "U" else None,
            "_cdc_batch_id": batch,
        }
        for place, (batch, operation, v) in enumerate(operations)
    ]
    hidden = {"_cdc_sequence", "_cdc_operation", "_cdc_batch_id"}
    for batch in range(1, BATCHES + 1):
        silver.apply([row for row in delivered if row["_cdc_batch_id"] == batch])
        assert not faults(silver, [row for row in delivered if row["_cdc_batch_id"] <= batch], hidden), f"batch {batch}"
        assert not silver.differences()
