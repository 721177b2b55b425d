"""`maintain`, between the runs of the pipeline and beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
from stories import Story, change

from spark_files.internals import iceberg_version
from tests.proof import IS_PROOF

TABLES = ("m_hard", "m_append", "m_days")
# Maintenance of everything that there is, however little.
ALL = {"min_files": 2, "min_expired": 1, "older_than_days": 0, "keep_snapshots": 1}
# Bronze and silver alone: the dry run and the maintenance beside runs go over the tables of etl_metadata as well.
OURS = {"tables": [f"s__{name}" for name in TABLES]}
# Batches while maintenance runs beside (`make prove`: more of them).
BESIDE = 6 if IS_PROOF else 1
RUN = ("run", "--select", "raw_listing", *(f"bronze_s__{name} silver_s__{name}" for name in TABLES))


class Maintained:
    """The lakehouse of three tables, and what each of them has to hold."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.minute = 0
        self.stories = {name: Story(lakehouse.raw / "m", name) for name in TABLES}
        self.rows = {name: [] for name in TABLES}

    def batch(self):
        """A file of changes for each table: one row comes, the last one changes, the one before goes."""
        self.minute += 1
        new = {"id": self.minute, "v": f"new {self.minute}", "w": str(self.minute % 2)}
        for name, story in self.stories.items():
            changes, rows = [change("I", self.minute, **new)], self.rows[name]
            if name != "m_append":
                if rows:
                    rows[-1] = {**rows[-1], "v": f"changed {self.minute}"}
                    changes.append(change("U", self.minute, **rows[-1]))
                if len(rows) > 1 and self.minute % 3 == 0:
                    changes.append(change("D", self.minute, **rows.pop(-2)))
            rows.append(new)
            story.changes(self.minute, *changes)

    def run(self):
        statuses = self.lakehouse.statuses(*RUN)
        assert set(statuses.values()) == {"success"}, self.lakehouse.messages

    def check(self):
        for name, rows in self.rows.items():
            expected = sorted(((row["id"], row["v"], row["w"]) for row in rows), key=repr)
            assert self.lakehouse.table(name, "id, v, w") == expected, name

    def check_against_bronze(self):
        """Progress names a bronze snapshot that is still there, and silver is what it says."""
        statuses = self.lakehouse.statuses("test", "--select", *(f"silver_s__{name}" for name in TABLES))
        assert set(statuses.values()) <= {"pass", "success"}, statuses
        for name in TABLES:
            rows = self.lakehouse.sql(f"select _cdc_source_file, _cdc_file_row from bronze.s__{name}")
            assert len(rows) == len(set(rows))

    def named(self, name):
        """The bronze snapshot that silver says it has applied."""
        [row] = self.lakehouse.sql(
            "select max_by(summary['cdc.bronze-snapshot-id'], committed_at) as id"
            f" from silver.s__{name}.snapshots where map_contains_key(summary, 'cdc.batch-id')"
        )
        return int(row.id)

    def snapshots(self):
        return {
            (layer, name): self.lakehouse.snapshots(f"{layer}.s__{name}")
            for layer in ("bronze", "silver")
            for name in TABLES
        }

    def files(self, table):
        """Data files and delete files."""
        rows = self.lakehouse.sql(f"select content from {table}.files")
        return [row.content for row in rows].count(0), [row.content for row in rows].count(1)


@pytest.fixture(scope="module")
def maintained(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("m", "parquet", "timestamp_column=ts")
    lakehouse.add_table("m", "m_hard")
    lakehouse.add_table("m", "m_append", primary_key="", mode="append")
    lakehouse.add_table("m", "m_days", partition_by="w")
    lakehouse.make_models()
    assert lakehouse.dbt("run", "--select", "rejected_files").success
    maintained = Maintained(lakehouse)
    for _ in range(3):
        maintained.batch()
        maintained.run()
    maintained.check()
    return maintained


@pytest.fixture
def maintain(maintained, capsys):
    """Runs the command; returns whether it succeeded, and what it printed or failed with."""

    def run(**arguments):
        capsys.readouterr()
        outcome = maintained.lakehouse.dbt("run-operation", "maintain", "--args", json.dumps(arguments))
        printed = capsys.readouterr().out
        print(printed, "\n".join(maintained.lakehouse.messages))
        return outcome.success, printed if outcome.success else printed + "\n".join(maintained.lakehouse.messages)

    return run


def test_a_dry_run_names_what_is_due_and_does_nothing(maintained, maintain):
    before = maintained.snapshots()
    done, said = maintain(**ALL, dry_run=True)
    assert done
    assert " of 12: silver.s__m_days: compact; expire snapshots" in said
    assert maintained.snapshots() == before


def test_small_files_and_deletes_become_one_file_and_nothing_is_read_twice(maintained, maintain):
    tables = ["raw_listing", "s__m_hard", "s__m_append"]
    done, said = maintain(min_files=2, tables=tables)
    assert done
    assert " of 5: bronze.s__m_append: compact" in said
    assert maintained.files("etl_metadata.raw_listing") == (1, 0)
    assert maintained.files("bronze.s__m_append") == (1, 0)
    # Iceberg 1.11 keeps the delete file of the snapshot that it rewrites, of which no row is left.
    keeps_last = tuple(map(int, iceberg_version().split(".")[:2])) < (1, 12)
    assert maintained.files("silver.s__m_hard") == (1, int(keeps_last))
    assert maintained.files("bronze.s__m_days")[0] == 3
    before = maintained.snapshots()
    again = "compact" if keeps_last else "nothing to do"
    assert f" of 5: silver.s__m_hard: {again}" in maintain(min_files=2, tables=tables)[1]
    maintained.run()
    assert maintained.snapshots() == before, "neither maintenance nor a run made a snapshot of nothing"
    maintained.check()
    maintained.batch()
    maintained.run()
    maintained.check()


def test_a_table_gets_what_its_catalog_gives_new_ones_and_statistics_if_asked(maintained, maintain):
    bound = "write.metadata.previous-versions-max"
    maintained.lakehouse.sql(f"alter table silver.s__m_hard unset tblproperties ('{bound}')")
    due = {"tables": ["silver.s__m_hard"], "min_files": 99, "delete_ratio": 1.0, "statistics": True}
    assert f" of 1: silver.s__m_hard: set {bound}; compute statistics" in maintain(**due)[1]
    assert " of 1: silver.s__m_hard: nothing to do" in maintain(**due)[1]


@pytest.mark.parametrize(
    ("batches", "named"),
    [
        pytest.param([slice(None)], 2, id="of several data files"),
        pytest.param([slice(0, 1), slice(1, 2)], 1, id="several of one data file"),
    ],
)
def test_deletes_are_sorted_by_file_before_files_are_judged(maintained, maintain, batches, named):
    lakehouse, table = maintained.lakehouse, "silver.s__m_hard"

    def written():
        [row] = lakehouse.sql(f"show tblproperties {table}('write.delete.granularity')")
        return row.value

    def delete_files():
        """How many data files each names, by its own path."""
        rows = lakehouse.sql(
            f"select delete_file_path, count(distinct file_path) as named from {table}.position_deletes group by 1"
        )
        return {row.delete_file_path: row.named for row in rows}

    rows, before = maintained.rows["m_hard"], delete_files()
    for part in batches:
        maintained.minute += 1
        rows[part] = [{**row, "v": f"changed {maintained.minute}"} for row in rows[part]]
        changes = [change("U", maintained.minute, **row) for row in rows[part]]
        maintained.stories["m_hard"].changes(maintained.minute, *changes)
        maintained.run()
    after = delete_files()
    new = [after[path] for path in after.keys() - before.keys()]
    assert new == [named] * len(batches), "a batch writes one delete file, of all data files, and leaves the others"
    done, said = maintain(min_files=99, delete_ratio=0.01, tables=["silver.s__m_hard"])
    assert done, said
    assert " of 1: silver.s__m_hard: sort deletes by file; compact" in said
    assert delete_files() == {}
    assert written() == "partition"
    maintained.check()


def test_progress_outlives_the_expiry_of_all_other_snapshots(maintained, maintain):
    maintained.batch()
    bronze_only = ("run", "--select", "raw_listing", *(f"bronze_s__{name}" for name in TABLES))
    assert set(maintained.lakehouse.statuses(*bronze_only).values()) == {"success"}
    before = maintained.snapshots()
    done, said = maintain(**ALL, **OURS)
    assert done, said
    after = maintained.snapshots()
    for name in TABLES:
        assert before["silver", name][0] not in after["silver", name]
        assert before["bronze", name][0] not in after["bronze", name]
        assert maintained.named(name) in after["bronze", name][:-2], "the batch that silver lacks came later"
    maintained.run()
    maintained.check()
    maintained.check_against_bronze()
    for name in TABLES:
        assert len(maintained.lakehouse.snapshots(f"silver.s__{name}")) == len(after["silver", name]) + 1


def test_orphans_go_and_what_somebody_writes_stays(maintained, maintain):
    lakehouse = maintained.lakehouse
    folder = lakehouse.warehouse / "silver" / "s__m_hard" / "data"
    old, young = folder / "old.parquet", folder / "young.parquet"
    for file in (old, young):
        file.write_text("of a write that was killed")
    days_ago = time.time() - 4 * 24 * 3600
    os.utime(old, (days_ago, days_ago))
    lakehouse.sql("alter table silver.s__m_append create branch cdc_write")
    lakehouse.sql("insert into silver.s__m_append.branch_cdc_write select * from silver.s__m_append")
    branch = "select * from silver.s__m_append version as of 'cdc_write' order by all"
    written = lakehouse.sql(branch)
    lakehouse.sql("alter table bronze.s__m_days set tblproperties ('write.target-file-size-bytes' = '1000')")
    maintained.batch()
    maintained.run()
    done, said = maintain(**{**ALL, **OURS, "min_expired": 0})
    assert not done
    assert " of 6: bronze.s__m_days: expire snapshots; remove orphan files; failed to compact: " in said
    assert "1 of 6 tables failed: bronze.s__m_days." in said
    assert not old.exists()
    assert young.exists()
    assert lakehouse.sql(branch) == written
    lakehouse.sql("alter table silver.s__m_append drop branch cdc_write")
    lakehouse.sql("alter table bronze.s__m_days unset tblproperties ('write.target-file-size-bytes')")
    maintained.check()


# Maintenance of one process after the other, until the file is there.
LOOP = """
import sys
from pathlib import Path
from dbt.cli.main import dbtRunner
stop, *command = sys.argv[1:]
while not Path(stop).exists():
    outcome = dbtRunner().invoke(command)
    print(f"maintained: {outcome.success}", flush=True)
"""


def test_maintenance_beside_runs_loses_nothing_and_doubles_nothing(maintained, tmp_path):
    stop = tmp_path / "stop"
    arguments = ["--quiet", "run-operation", "maintain", "--args", json.dumps(ALL), *maintained.lakehouse.directories]
    command = [sys.executable, "-c", LOOP, str(stop), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            said = [next(line for line in process.stdout if line.startswith("maintained: "))]
            for _ in range(BESIDE):
                maintained.batch()
                maintained.run()
        finally:
            stop.touch()
        said.extend(process.stdout)
    print("".join(said))
    assert {line for line in said if line.startswith("maintained: ")} == {"maintained: True\n"}, said
    maintained.check()
    maintained.check_against_bronze()


GROUPS = """{{ config(key='w', full_above='never') }}
select w, count(*) as n, max(v) as last from {{ ref('silver_s__m_hard') }} group by w
"""
ROWS = """{{ config(key='id', spine='silver_s__m_days', full_above='never') }}
select d.id, h.v from {{ ref('silver_s__m_days') }} as d left join {{ ref('silver_s__m_hard') }} as h on h.id = d.id
"""


def test_gold_stays_incremental_within_its_limit_and_is_computed_in_full_behind_it(maintained, maintain):
    lakehouse, tables = maintained.lakehouse, ["bronze.s__m_hard", "silver.s__m_hard", "gold.m_groups"]
    lakehouse.add_gold("m_groups", GROUPS)

    def refresh():
        assert lakehouse.statuses("run", "--select", "m_groups")["m_groups"] == "success", lakehouse.messages
        groups = {}
        for row in maintained.rows["m_hard"]:
            n, last = groups.get(row["w"], (0, ""))
            groups[row["w"]] = (n + 1, max(last, row["v"]))
        rows = lakehouse.sql("select * from gold.m_groups order by w")
        assert [tuple(row) for row in rows] == [(w, *group) for w, group in sorted(groups.items())]
        return commit()["cdc.gold-mode"], commit()["cdc.gold-reason"]

    def refresh_rows():
        assert lakehouse.statuses("run", "--select", "m_rows")["m_rows"] == "success", lakehouse.messages

    def commit(model="m_groups"):
        rows = lakehouse.sql(f"select summary from gold.{model}.snapshots order by committed_at")
        return next(row.summary for row in reversed(rows) if row.summary.get("cdc.gold-mode"))

    def silver_moves(**limit):
        for _ in range(2):
            maintained.batch()
            lakehouse.statuses("run", "--select", "raw_listing", "bronze_s__m_hard", "silver_s__m_hard")
        return maintain(**ALL, tables=tables, **limit)[1]

    lakehouse.add_gold("m_rows", ROWS)
    refresh()
    for _ in range(2):
        said = silver_moves()
        way, reason = refresh()
        assert way == "affected" and reason.endswith(" of silver_s__m_hard (bronze)"), reason
    [gold] = [line for line in said.splitlines() if " of 3: gold.m_groups: " in line]
    assert "compact" in gold and "expire snapshots" in gold
    before = lakehouse.snapshots("gold.m_groups")
    refresh()
    assert lakehouse.snapshots("gold.m_groups") == before, "a compaction is no change, and hides no progress"
    silver_moves(gold_days=0)
    assert refresh() == ("full", "snapshots of silver_s__m_hard since the last refresh have expired")
    refresh_rows()
    [read] = lakehouse.sql("select snapshot_id from silver.s__m_hard.refs where name = 'main'")
    maintained.batch()
    lakehouse.statuses("run", "--select", "raw_listing", "bronze_s__m_hard", "silver_s__m_hard")
    lakehouse.sql(f"call system.expire_snapshots(table => 'silver.s__m_hard', snapshot_ids => array({read[0]}))")
    refresh_rows()
    assert commit("m_rows")["cdc.gold-mode"] == "affected", "rows of a spine need no state before of what they look up"
    query = "select d.id, h.v from silver.s__m_days d left join silver.s__m_hard h on h.id = d.id"
    assert lakehouse.sql(f"select * from gold.m_rows except all {query}") == []
