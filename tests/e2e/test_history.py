"""Tables of mode history through four builds: each source table is one story, with its versions."""

from __future__ import annotations

import os
from decimal import Decimal

import pyarrow as pa
import pytest
from stories import ID_V_W, START, Story, at, change

from python_udfs.explain.__main__ import main as explain
from python_udfs.sample_data.dms_writer import Column
from tests.e2e.lakehouse import if_counted

QUOTED = (Column("select", pa.string()), Column("key part", pa.string()), Column("v", pa.string()))
SOLD = (Column("id", pa.int64()), Column("sold_at", pa.timestamp("us", tz="UTC")))

BUILT = "+tag:feed:history"


class Histories:
    """The lakehouse after four builds, with what was seen on the way."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.stories = {}
        self.statuses = []
        self.seen = {}

    def story(self, name, **settings):
        if name not in self.stories:
            self.stories[name] = Story(self.lakehouse.raw / "history", name, **settings)
        return self.stories[name]

    def build(self, *, is_compared=False, is_last=False):
        """All data tests run when all has come; the versions of the batch before the late one are compared as well."""
        if is_last:
            self.statuses.append(self.lakehouse.build("--select", BUILT))
        elif is_compared:
            self.statuses.append(self.lakehouse.run_and_compare(BUILT))
        else:
            self.statuses.append(self.lakehouse.statuses("run", "--select", BUILT))
        for name in ("versions", "reload", "waiting"):
            self.seen[len(self.statuses), name] = self.versions(name, "*" if name == "waiting" else "id, v")

    def versions(self, name, columns="id, v"):
        """The columns and the two times, in minutes from START."""
        times = ", ".join(
            f"(unix_timestamp({time}) - {int(START.timestamp())}) / 60" for time in ("_cdc_valid_from", "_cdc_valid_to")
        )
        rows = self.lakehouse.sql(f"select {columns}, {times} from silver.s__{name} order by _cdc_sequence")
        return [tuple(row) for row in rows]


@pytest.fixture(scope="module")
def histories(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("history", "parquet", "timestamp_column=ts")
    for name, cells in {
        "versions": {"delete_mode": "soft"},
        "reload": {"write_mode": "copy-on-write", "partition_by": "truncate(1, v)"},
        "waiting": {"partition_by": "days(sold_at)"},
        "wide": {},
        "quoted": {"primary_key": "select;key part", "unchanged_rows": "write"},
    }.items():
        lakehouse.add_table("history", name, mode="history", **cells)
    lakehouse.make_models()
    histories = Histories(lakehouse)

    for name in ("versions", "reload"):
        histories.story(name).load(0, *({"id": number, "v": "a", "w": "x"} for number in (1, 2, 3)))
    histories.story("wide", columns=ID_V_W[:2]).load(0, {"id": 1, "v": "a"})
    key = {"select": "a", "key part": None}
    histories.story("quoted", columns=QUOTED, key=tuple(key)).load(0, {**key, "v": "a"})
    histories.build()

    [first] = histories.story("versions").changes(
        10,
        change("U", 10, id=1, v="b", w="x"),
        change("U", 10, id=1, v="b", w="x"),
        change("D", 10, id=2),
        change("U", 10, id=3, v="a", w="x"),
        change("D", 10, id=4),
    )
    histories.story("reload").changes(5, change("U", 5, id=2, v="before", w="x"))
    histories.story("reload").load(10, {"id": 1, "v": "a", "w": "x"}, {"id": 3, "v": "reloaded", "w": "x"})
    histories.stories.pop("wide")
    wide = (Column("id", pa.int64()), Column("v", pa.string()), Column("added", pa.decimal128(8, 2)))
    histories.story("wide", columns=wide).changes(
        1, change("U", 1, id=1, v="a", added=None), change("I", 1, id=2**40, v="b", added=Decimal("1.25"))
    )
    histories.story("quoted").changes(1, change("U", 1, **key, v="a"), change("U", 2, **key, v="b"))
    histories.build(is_compared=True)

    histories.story("versions").changes(5, change("U", 5, id=1, v="mid", w="x"))
    histories.story("versions").changes(20, change("I", 20, id=2, v="again", w="x"), change("U", 15, id=2, v="c"))
    histories.story("reload").changes(12, change("U", 12, id=1, v="after", w="x"))
    histories.story("waiting", columns=SOLD).load(5, {"id": 1, "sold_at": at(5)})
    histories.story("wide").changes(2, change("U", 2, id=1, v="a", added=Decimal("2.50")))
    histories.build()

    os.utime(first, (at(300).timestamp(),) * 2)
    histories.build(is_last=True)
    return histories


def test_models_pass_in_every_build_and_their_tests_when_all_has_come(histories):
    for statuses in histories.statuses:
        assert {status for name, status in statuses.items() if "raw_f" not in name} <= {"success", "pass"}, statuses
    tested = [name for name in histories.statuses[-1] if name.endswith("silver_s__versions_")]
    assert sorted(name.removesuffix("_silver_s__versions_") for name in tested) == [
        "every_reload_is_complete",
        "no_key_is_null",
        "open_versions_match_bronze",
        "silver_matches_bronze",
        "versions_do_not_overlap",
    ]


def test_a_version_lasts_until_the_change_that_changes_it(histories):
    assert histories.seen[1, "versions"] == [(1, "a", 0, None), (2, "a", 0, None), (3, "a", 0, None)]
    assert histories.seen[2, "versions"] == [(1, "a", 0, 10), (2, "a", 0, 10), (3, "a", 0, None), (1, "b", 10, None)]


def test_a_late_change_corrects_the_versions_around_it_and_time_never_runs_back(histories):
    assert histories.seen[3, "versions"] == [
        (1, "a", 0, 5),
        (2, "a", 0, 10),
        (3, "a", 0, None),
        (1, "mid", 5, 10),
        (1, "b", 10, None),
        (2, "again", 20, 20),
        (2, "c", 20, None),
    ]


def test_a_replayed_file_writes_nothing(histories):
    assert histories.seen[4, "versions"] == histories.seen[3, "versions"]


def test_a_complete_reload_ends_what_it_does_not_hold_when_it_began(histories):
    before = [(1, "a", 0, None), (2, "a", 0, 5), (3, "a", 0, 10)]
    assert histories.seen[2, "reload"] == [*before, (2, "before", 5, None), (3, "reloaded", 10, None)]
    assert histories.seen[3, "reload"] == [
        (1, "a", 0, 12),
        (2, "a", 0, 5),
        (3, "a", 0, 10),
        (2, "before", 5, 10),
        (3, "reloaded", 10, None),
        (1, "after", 12, None),
    ]


def test_only_versions_that_change_are_written(histories):
    summaries = histories.lakehouse.sql("select summary from silver.s__versions.snapshots order by committed_at")
    counted = [
        tuple(summary.summary.get(f"spark.merge-into.num-target-rows-{counter}") for counter in ("inserted", "updated"))
        for summary in summaries
    ]
    assert counted == [(None, None), if_counted("1", "2"), if_counted("3", "1"), if_counted("0", "0")]


def test_a_table_without_files_takes_the_types_that_arrive(histories):
    assert histories.seen[1, "waiting"] == []
    assert histories.versions("waiting", "id, sold_at") == [(1, (at(5)).replace(tzinfo=None), 5, None)]
    columns = [row.col_name for row in histories.lakehouse.sql("describe silver.s__waiting")]
    assert columns[:4] == ["id", "sold_at", "_cdc_valid_from", "_cdc_valid_to"]
    assert not {"_cdc_is_deleted", "_cdc_is_gone", "_cdc_is_stored"} & set(columns)


def test_new_columns_appear_and_types_widen(histories):
    assert histories.versions("wide", "id, v, added") == [
        (1, "a", None, 0, 2),
        (2**40, "b", Decimal("1.25"), 1, None),
        (1, "a", Decimal("2.50"), 2, None),
    ]


def test_unchanged_rows_are_versions_where_the_table_asks_for_it(histories):
    rows = histories.versions("quoted", "`select`, `key part`, v")
    assert rows == [("a", None, "a", 0, 1), ("a", None, "a", 1, 2), ("a", None, "b", 2, None)]


def test_explain_tells_what_became_of_each_change(histories):
    life, _, versions = histories.lakehouse.command(explain, "s__versions", "1").partition("silver.s__versions now:")
    changes = [line for line in life.splitlines() if line[:1].isdigit()]
    assert [line[:1] for line in changes] == ["1", "2", "3", "4", "5", "6"]
    ends = [
        next((words for words in ("a version from", "changes no column") if words in line), line) for line in changes
    ]
    # The file with the second and the third change was delivered twice.
    assert ends == ["a version from", "a version from", "a version from", *["changes no column"] * 3]
    assert [word for word in versions.split() if word in ("a", "mid", "b")] == ["a", "mid", "b"]


def test_a_history_is_rebuilt_and_the_next_run_continues_from_it(histories):
    lakehouse = histories.lakehouse
    before = histories.versions("versions", "*")
    # Branches that a killed rebuild leaves behind.
    lakehouse.sql("create table silver.s__versions__rebuild as select 1 as leftover")
    lakehouse.sql("delete from silver.s__versions where v = 'mid'")
    assert lakehouse.dbt("run-operation", "rebuild_silver", "--args", "{table: s__versions}").success
    assert histories.versions("versions", "*") == before
    snapshots = lakehouse.snapshots("silver.s__versions")
    assert set(lakehouse.statuses("run", "--select", "silver_s__versions").values()) == {"success"}
    assert lakehouse.snapshots("silver.s__versions") == snapshots
    assert not [row for row in lakehouse.sql("show tables in silver") if "rebuild" in row.tableName]


def test_each_test_of_a_history_finds_a_broken_one(histories):
    histories.lakehouse.sql("update silver.s__versions set _cdc_valid_to = null where v = 'mid'")
    statuses = histories.lakehouse.statuses("test", "--select", "silver_s__versions")
    failed = {name.removesuffix("_silver_s__versions_") for name, status in statuses.items() if status == "fail"}
    assert failed == {"open_versions_match_bronze", "silver_matches_bronze", "versions_do_not_overlap"}
