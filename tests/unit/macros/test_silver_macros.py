"""From bronze to silver: the rows that are read, the changes that count, and how they are written."""

from __future__ import annotations

import random
import re
from dataclasses import asdict, replace
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from harness import Dbt, Relation, assert_sql_equal, normalise
from table_configs import make_config

from python_udfs.errors import LakehouseError
from python_udfs.pipeline import silver as planning
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.delta import Changes, KeyRange, Log, find_range_type, measure_changes
from python_udfs.pipeline.silver import SilverPlan
from python_udfs.pipeline.silver_rows import plan_current
from python_udfs.pipeline.silver_writes import replace_rows, write_rows_sql

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")
KEYS = ["id", "line no"]


CDC = {
    "layer": "silver",
    "feed": "retail",
    "mode": "current",
    "delete_mode": "hard",
    "primary_key": ["id"],
    "key_comparison": [],
    "unchanged_rows": "write",
    "source_schema": "shop",
    "source_table": "order",
}
SOFT = {**CDC, "delete_mode": "soft"}
APPEND = {**CDC, "mode": "append", "primary_key": []}


def merge(cdc: dict[str, Any], columns: list[str], **changes: Any) -> str:
    return Dbt().cdc_merge_sql(cdc, SILVER, "new_changes", columns, replace(CHANGES, **changes))


def test_cdc_merge_sql__hard():
    assert_sql_equal(
        merge(CDC, ["id", "name", "_cdc_sequence"]),
        """
        merge into silver.shop__order as target
        using new_changes as source
        on target.`id` = source.`id`
        when matched and source._cdc_sequence > target._cdc_sequence and source._cdc_operation = 'D' then delete
        when matched and source._cdc_sequence > target._cdc_sequence then update set
            `id` = source.`id`, `name` = source.`name`, `_cdc_sequence` = source.`_cdc_sequence`
        when not matched and source._cdc_operation <> 'D' then insert (`id`, `name`, `_cdc_sequence`)
        values (source.`id`, source.`name`, source.`_cdc_sequence`)
        """,
    )


def test_cdc_merge_sql__soft():
    assert_sql_equal(
        merge(SOFT, ["id", "_cdc_is_deleted", "_cdc_sequence"]),
        """
        merge into silver.shop__order as target
        using new_changes as source
        on target.`id` = source.`id`
        when matched and source._cdc_sequence >= target._cdc_sequence and not source._cdc_has_image then update set
            `_cdc_is_deleted` = source.`_cdc_is_deleted`, `_cdc_sequence` = source.`_cdc_sequence`
        when matched and source._cdc_sequence >= target._cdc_sequence then update set
            `id` = source.`id`, `_cdc_is_deleted` = source.`_cdc_is_deleted`, `_cdc_sequence` = source.`_cdc_sequence`
        when not matched then insert (`id`, `_cdc_is_deleted`, `_cdc_sequence`)
        values (source.`id`, source.`_cdc_is_deleted`, source.`_cdc_sequence`)
        """,
    )


def test_cdc_merge_sql__rows_of_a_table_without_key_are_known_by_their_place():
    sql = normalise(merge(APPEND, ["v", "_cdc_source_file", "_cdc_file_row", "_cdc_sequence"]))
    assert "on target.`_cdc_source_file` <=> source.`_cdc_source_file` and target.`_cdc_file_row` <=> source." in sql
    assert " delete" not in sql


@pytest.mark.parametrize("cdc", [CDC, SOFT])
def test_cdc_merge_sql__guard_stands_in_the_matched_clauses_only(cdc):
    clauses = normalise(merge({**cdc, "primary_key": KEYS}, ["id", "_cdc_sequence"])).split(" when ")
    assert "on target.`id` <=> source.`id` and target.`line no` <=> source.`line no`" in clauses[0]
    guarded = [clause for clause in clauses if "target._cdc_sequence" in clause]
    assert guarded == [clause for clause in clauses if clause.startswith("matched ")]


@pytest.mark.parametrize(
    ("cdc", "clause"),
    [(CDC, " then delete"), (SOFT, " and not target._cdc_is_deleted then update set `_cdc_is_deleted` = true")],
)
def test_cdc_merge_sql__what_is_left_from_before_a_reset_point_goes(cdc, clause):
    assert normalise(merge(cdc, ["id"], has_new_reset_point=True, reset_point="000003")) == (
        f"{normalise(merge(cdc, ['id']))} when not matched by source and target._cdc_sequence < '000003'{clause}"
    )


def test_cdc_merge_sql__unchanged_rows_are_left_alone_where_the_table_asks_for_it():
    sql = normalise(merge({**SOFT, "unchanged_rows": "skip"}, ["id", "v", "_cdc_is_deleted", "_cdc_sequence"]))
    assert (
        "and not (target._cdc_generation <=> source._cdc_generation"
        " and target._cdc_is_deleted <=> source._cdc_is_deleted"
        " and target.`id` <=> source.`id` and target.`v` <=> source.`v`) then update set" in sql
    )


def test_cdc_merge_sql__values_that_a_change_does_not_carry_stay():
    sql = normalise(merge(CDC, ["id", "v", "_cdc_sequence"], has_partial=True))
    assert (
        "`v` = if(array_contains(source._cdc_unavailable_columns, 'v') is true"
        " and target._cdc_sequence >= source._cdc_epoch, target.`v`, source.`v`)" in sql
    )
    assert "`_cdc_sequence` = source.`_cdc_sequence`" in sql


def test_cdc_merge_sql__names_are_quoted():
    assert "`a``b` = source.`a``b`" in merge(CDC, ["a`b"])


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0, 0, 0), "select * from bronze.shop__order where false"),
        (
            ("41", 43, 7),
            "select * from bronze.shop__order with ('start-snapshot-id' = '41', 'end-snapshot-id' = '43')"
            " where _cdc_quarantine_rule is null",
        ),
        (
            (None, 43, 7),
            "select * from bronze.shop__order version as of 43"
            " where _cdc_quarantine_rule is null and _cdc_batch_id > 7",
        ),
    ],
)
def test_cdc_bronze_range_sql__form(arguments, expected):
    assert_sql_equal(Dbt().cdc_bronze_range_sql(BRONZE, *arguments), expected)


def test_cdc_bronze_range_sql__void_rows_and_markers_are_left_out():
    sql = normalise(Dbt().cdc_bronze_range_sql(BRONZE, None, 43, 0, True))
    assert "from bronze.shop__order version as of 43 as _cdc_log where" in sql
    assert "and _cdc_operation <> 'X' and not exists (select 1 from bronze.shop__order version as of 43" in sql


def summary(
    first: str | None, last: str | None, batch: int | None, committed: str | None, **facts: Any
) -> dict[str, list[Any]]:
    """Answers to the questions about a part of bronze, and about its snapshots."""
    row = {
        "changes": 0 if first is None else 5,
        "first_sequence": first,
        "last_sequence": last,
        "last_batch_id": batch,
        "last_committed_at": committed,
        "updates_and_deletes": 2,
        "first_truncate": None,
        "first_reset_point": None,
        "last_reset_point": None,
        "has_partial": False,
        "has_key_changes": False,
        "has_deletes": False,
        "has_overwritten": False,
        "first_file": "s/t/1.csv",
        "last_file": "s/t/1.csv",
        "first_key": "1",
        "last_key": "9000000",
        **facts,
    }
    return {"first_sequence": [row]}


def with_reset_points(*reset_points: str) -> dict[str, list[Any]]:
    """Answers as those of summary, where these reset points are in the part of bronze."""
    ends = {"first_reset_point": min(reset_points, default=None), "last_reset_point": max(reset_points, default=None)}
    points = [{"reset_point": reset_point} for reset_point in reset_points]
    return {"select distinct case": points, **summary("n", "z", 9, "2024-01-03 00:00:00.000000", **ends)}


APPLIED = {"cdc.bronze-snapshot-id": "41", "cdc.batch-id": "7", "cdc.sequence": "m", "cdc.committed-at": "2024-01-02"}


PLAN = (Column("id", "int", "int"), Column("gone", "date"))


def log_of(dbt: Dbt, cdc: dict[str, Any] = CDC) -> Log:
    """Bronze up to snapshot 43."""
    return Log(dbt.context["adapter"], dbt.context, make_config(**cdc), BRONZE, 43)


def measure(
    dbt: Dbt,
    cdc: dict[str, Any],
    progress: dict[str, str],
    plan: tuple[Column, ...] = PLAN,
    may_replace: bool = False,
) -> Changes:
    return measure_changes(log_of(dbt, cdc), progress, plan, 500_000, may_replace)


def bronze_range(
    answers: dict[str, list[Any]], progress: dict[str, str] | None = None, cdc: dict[str, Any] = CDC
) -> Changes:
    progress = APPLIED if progress is None else progress
    return measure(Dbt(answers=answers, snapshots=(43, 42, 41)), cdc, progress)


def test_measure_changes__first_run():
    changes = bronze_range(summary("a", "z", 9, "2024-01-03"), {})
    assert_sql_equal(changes.sql, changes.log_sql)
    assert asdict(replace(changes, sql="", log_sql="")) == {
        "sql": "",
        "log_sql": "",
        "from_snapshot_id": None,
        "to_snapshot_id": 43,
        "has_overwritten": False,
        "replaces_all": False,
        "applied_sequence": "",
        "first_sequence": "a",
        "has_late": False,
        "has_late_truncate": False,
        "has_partial": False,
        "has_key_changes": False,
        "has_deletes": False,
        "reset_points": (),
        "reset_point": "",
        "has_new_reset_point": False,
        "last_batch_id": 9,
        "last_sequence": "z",
        "last_committed_at": "2024-01-03",
        "changes": 5,
        "first_position": "",
        "has_applied_positions": True,
        "has_one_order": True,
        "not_applied": 0,
        "after_batch_id": 0,
        "may_replace": False,
        "key_range": {"type": "int", "first": "1", "last": "9000000"},
        "has_single_changes": False,
        "replaces": False,
    }


def metrics_of(lower: str, upper: str, nulls: int = 0) -> dict[str, Any]:
    return {"lower": lower, "upper": upper, "values": 5, "nulls": nulls}


METRICS = {
    "summaries": [{"cdc.plain-changes": "true"}, {"cdc.plain-changes": "true"}],
    "records": 5,
    "_cdc_sequence": metrics_of("n", "z"),
    "_cdc_batch_id": metrics_of("8", "9"),
    "_cdc_committed_at": metrics_of("2024-01-02 00:00:00.000000", "2024-01-03 00:00:00.000000"),
    "_cdc_operation": metrics_of("I", "U"),
    "_cdc_source_file": metrics_of("a", "a"),
    "_cdc_quarantine_rule": {"lower": None, "upper": None, "values": 5, "nulls": 5},
}


def range_of(metrics: dict[str, Any] | None, cdc: dict[str, Any] = CDC) -> tuple[Changes, int]:
    """The changes, and how many queries they took."""
    answers = summary("n", "z", 9, "2024-01-03 00:00:00.000000", updates_and_deletes=0)
    dbt = Dbt(answers=answers, snapshots=(43, 42, 41), metrics=metrics)
    return measure(dbt, cdc, APPLIED), len(dbt.queries)


@pytest.mark.parametrize("cdc", [CDC, {**CDC, "mode": "append"}], ids=["keyed", "append"])
def test_read_facts__metadata_answers_like_the_query(cdc):
    metrics = METRICS if cdc is CDC else {**METRICS, "_cdc_operation": metrics_of("I", "L")}
    by_query, queries = range_of(None, cdc)
    assert range_of(metrics, cdc) == (by_query, queries - 1) == (by_query, 0)


def test_read_facts__deletes_and_several_files_show_in_metadata():
    changes, queries = range_of(
        {**METRICS, "_cdc_operation": metrics_of("D", "U"), "_cdc_source_file": metrics_of("a", "b")}
    )
    assert (changes.has_deletes, changes.has_one_order, queries) == (True, False, 0)


@pytest.mark.parametrize(
    "metrics",
    [
        {"summaries": [{"cdc.plain-changes": "true"}, {"cdc.batch-id": "8"}]},
        {"records": 0, "_cdc_quarantine_rule": {"nulls": 0}},
        {"_cdc_quarantine_rule": metrics_of("bad_key", "bad_key", nulls=4)},
        {"_cdc_operation": metrics_of("D", "X")},
    ],
    ids=["a commit that does not say so", "no row", "quarantine", "marker"],
)
def test_read_facts__spark_reads_the_rows_where_metadata_do_not_say(metrics):
    assert range_of({**METRICS, **metrics})[1] == 1


@pytest.mark.parametrize("cdc", [{"mode": "append"}, {"renamed_columns": {"was": "is"}}], ids=str)
def test_read_facts__updates_of_a_table_without_key_and_renamed_columns_are_read(cdc):
    assert range_of(METRICS, {**CDC, **cdc})[1] == 1


@pytest.mark.parametrize(("first", "has_late"), [("n", False), ("m", True), ("l", True)])
def test_measure_changes__late_is_what_does_not_come_after_the_last_applied(first, has_late):
    dbt = Dbt(answers=summary(first, "z", 9, "2024-01-03"))
    assert measure(dbt, CDC, APPLIED).has_late is has_late
    whole = [query for query in dbt.queries if "_cdc_batch_id > 0" in query]
    assert len(whole) == has_late, "only then the whole log is looked at"


def test_measure_changes__a_marker_makes_the_whole_log_new():
    marked, void_left_out = (
        summary("n", "z", 9, "2024-01-03", has_overwritten=is_marked)["first_sequence"] for is_marked in (True, False)
    )
    changes = bronze_range({"as marker": void_left_out, "first_sequence": marked})
    assert (changes.replaces_all, changes.has_overwritten, changes.applied_sequence) == (True, True, "")
    assert (changes.after_batch_id, changes.last_batch_id) == (7, 9)
    assert_sql_equal(changes.sql, changes.log_sql)
    assert "as marker" in changes.sql


def test_measure_changes__the_log_of_an_overwritten_table_stays_without_void_rows():
    changes = bronze_range(summary("n", "z", 9, "2024-01-03"), {**APPLIED, "cdc.overwritten": "true"})
    assert ("as marker" in changes.sql, "as marker" in changes.log_sql) == (False, True)
    assert (changes.replaces_all, changes.has_overwritten) == (False, True)


@pytest.mark.parametrize(
    ("applied", "points", "expected"),
    [
        ("", "", ("", False)),
        ("", "000002", ("000002", True)),
        ("000002", "", ("000002", False)),
        ("000002", "000002", ("000002", False)),
        ("000002", "000002.1.5 000003", ("000003", True)),
        ("000003", "000002.1.5", ("000003", False)),
    ],
)
def test_measure_changes__reset_points(applied, points, expected):
    changes = bronze_range(with_reset_points(*points.split()), {**APPLIED, "cdc.reset-point": applied})
    assert (changes.reset_point, changes.has_new_reset_point) == expected
    assert changes.reset_points == tuple(sorted({applied, *points.split()} - {""}))


def test_measure_changes__starts_at_the_snapshot_applied_last():
    assert "'start-snapshot-id' = '41'" in bronze_range(summary("n", "z", 9, "2024-01-03")).sql


def test_measure_changes__starts_at_the_batch_where_that_snapshot_is_gone():
    sql = bronze_range(summary("n", "z", 9, "2024-01-03"), {**APPLIED, "cdc.bronze-snapshot-id": "40"}).sql
    assert "version as of 43" in sql
    assert "_cdc_batch_id > 7" in sql


LOG = "_cdc_operation, _cdc_committed_at, _cdc_sequence, _cdc_generation, _cdc_batch_id,"


@pytest.mark.parametrize(
    ("cdc", "also", "operations"),
    [(CDC, "", "not in ('T', 'R')"), (APPEND, "_cdc_source_file, _cdc_file_row,", "in ('I', 'L')")],
)
def test_cdc_log_sql__columns_that_bronze_has(cdc, also, operations):
    assert_sql_equal(
        Dbt().cdc_log_sql(cdc, PLAN, "select 1", has_key_changes=cdc is APPEND),
        f"""
        select `id`, {LOG} {also} _cdc_unavailable_columns
        from (select 1) as bronze
        where _cdc_operation {operations}
        """,
    )


CHANGES = Changes(
    sql="select * from part",
    log_sql="select * from whole",
    from_snapshot_id="41",
    to_snapshot_id=43,
    changes=5,
    has_overwritten=False,
    replaces_all=False,
    applied_sequence="m",
    first_sequence="n",
    first_position="",
    has_late=False,
    has_late_truncate=False,
    has_partial=False,
    has_key_changes=False,
    has_deletes=False,
    has_one_order=True,
    has_applied_positions=True,
    reset_points=(),
    reset_point="",
    has_new_reset_point=False,
    after_batch_id=7,
    last_batch_id=9,
    last_sequence="z",
    last_committed_at="",
    not_applied=0,
    may_replace=False,
    key_range=None,
)
RELOAD = replace(CHANGES, reset_points=("000003",), reset_point="000003", has_new_reset_point=True)
PLACE = "change._cdc_committed_at, change._cdc_sequence, change._cdc_generation, change._cdc_batch_id"


def place(generation: int, time: str, row: int = 1) -> str:
    return f"{generation:06d}.1.{time:0>20}.{'f' * 16}.{row:012d}.{0:014d}"


LAST = {"last_batch_id": 7, "last_sequence": "m", "last_committed_at": "2024-01-02"}
NO_ROW = {"changes": 0, "first_sequence": None, "last_sequence": None, "last_batch_id": None, "last_committed_at": None}
OLDER = {"first_sequence": "a", "last_sequence": "b", "last_batch_id": 3, "last_committed_at": "2023-12-31"}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"first_truncate": None}, {"has_late_truncate": False}),
        ({"first_truncate": "n"}, {"has_late_truncate": False}),
        ({"first_truncate": "m"}, {"has_late_truncate": True}),
        (OLDER, LAST),
        (NO_ROW, LAST | {"has_late": False}),
        ({}, {"has_deletes": False}),
        ({"has_deletes": True}, {"has_deletes": True}),
        ({"has_key_changes": True}, {"has_deletes": True}),
    ],
    ids=str,
)
def test_measure_changes__case(facts, expected):
    changes = bronze_range(summary("n", "z", 9, "2024-01-03", **facts))
    assert {name: getattr(changes, name) for name in expected} == expected


def test_measure_changes__updates_and_deletes_of_a_table_without_key_are_counted():
    assert bronze_range(summary("n", "z", 9, "2024-01-03"), cdc=APPEND).not_applied == 2


@pytest.mark.parametrize(
    ("applied", "first", "last_file", "may_tie"),
    [
        (place(1, "a"), place(1, "b"), "s/t/1.csv", (False, False)),
        (place(1, "a"), place(1, "b"), "s/t/2.csv", (True, False)),
        (place(1, "a"), place(1, "a", 2), "s/t/1.csv", (False, True)),  # of the place that was applied last
        (place(1, "b"), place(1, "a"), "s/t/1.csv", (False, True)),
        ("", place(1, "a"), "s/t/1.csv", (False, False)),
        (place(1, "a"), None, "s/t/1.csv", (False, False)),
    ],
)
def test_measure_changes__changes_of_one_new_file_do_not_tie(applied, first, last_file, may_tie):
    answers = summary(first, first, 9, "2024-01-03", last_file=last_file)
    progress = {**APPLIED, "cdc.sequence": applied}
    changes = bronze_range(answers, progress)
    assert (not changes.has_one_order, changes.has_applied_positions) == may_tie


def after(applied: str, first: str, last: str) -> dict[str, Any]:
    return {"applied_sequence": applied, "first_sequence": first, "last_sequence": last}


def silver(changes: Changes = CHANGES, cdc: dict[str, Any] = CDC, is_first: bool = False) -> str:
    return Dbt().cdc_silver_sql(cdc, changes, PLAN, is_first)


def test_cdc_silver_sql__hard():
    assert_sql_equal(
        silver(),
        f"""
        with new_changes as (select * from part),
        changes as (select *, false as _cdc_is_whole from new_changes),
        newest as (
            select max_by(struct(*), struct(_cdc_sequence, -_cdc_batch_id)) as change,
                max_by(struct(*), struct(_cdc_sequence, -_cdc_batch_id)) as image
            from changes
            group by `id`
        )
        select image.`id` as `id`, cast(null as date) as `gone`, change._cdc_operation, {PLACE}
        from newest
        """,
    )


def test_cdc_silver_sql__soft_keeps_the_last_image():
    sql = normalise(silver(cdc=SOFT))
    assert (
        "max_by(struct(*), struct(_cdc_sequence, -_cdc_batch_id)) filter (where _cdc_operation <> 'D') as image" in sql
    )
    assert "if(image is null, change.`id`, image.`id`) as `id`," in sql
    assert "change._cdc_operation = 'D' as _cdc_is_deleted, image is not null as _cdc_has_image," in sql


@pytest.mark.parametrize(
    ("cdc", "column", "expected"),
    [
        (SOFT, Column("a b", "int", "int"), "image.`a b` as `a b`"),
        (CDC, Column("ID", "int", "int"), "image.`ID` as `ID`"),
        # A marked row that is known by its delete alone has its key.
        (SOFT, Column("ID", "int", "int"), "if(image is null, change.`ID`, image.`ID`) as `ID`"),
        (SOFT, Column("a b", "int"), "cast(null as int) as `a b`"),
    ],
)
def test_plan_current__column(cdc, column, expected):
    rows = plan_current(Dbt().context["adapter"], make_config(**cdc), CHANGES, [column], is_first=True)
    assert rows.columns[0] == expected


def test_cdc_silver_sql__nothing_is_grouped_where_every_key_has_one_change():
    sql = normalise(silver(replace(CHANGES, has_single_changes=True), is_first=True))
    assert "newest as (select struct(*) as change, struct(*) as image from changes)" in sql
    sql = normalise(silver(replace(CHANGES, has_single_changes=True), SOFT, is_first=True))
    assert "struct(*) as change, if(_cdc_operation <> 'D', struct(*), null) as image from changes)" in sql


@pytest.mark.parametrize(
    ("expected", "applied", "cdc", "rows"),
    [
        (True, {}, CDC, 500_000),
        (False, {}, CDC, 499_999),
        (False, APPLIED, CDC, 500_000),
        (False, {}, APPEND, 500_000),
    ],
)
def test_measure_changes__asks_for_single_changes_of_a_first_large_batch(expected, applied, cdc, rows):
    single = {"as has_single_changes": [{"has_single_changes": True}]}
    changes = bronze_range(single | summary("n", "z", 9, "2024-01-03", changes=rows), applied, cdc)
    assert changes.has_single_changes is expected


@pytest.mark.parametrize(
    ("plan", "facts", "by_bitmaps"),
    [
        (PLAN, {"first_key": "-1999999", "last_key": "2000000"}, True),
        (PLAN, {"first_key": "-2000000", "last_key": "2000000"}, False),
        (PLAN, {"first_key": None, "last_key": None}, False),
        ((replace(PLAN[0], type="date"),), {"first_key": "2024-01-01", "last_key": "2024-01-02"}, False),
        ((replace(PLAN[0], type="string"),), {}, False),
    ],
    ids=["dense", "sparse", "no key", "dates", "text"],
)
def test_measure_changes__dense_numbers_are_counted_by_bitmaps(plan, facts, by_bitmaps):
    answers = {"as has_single_changes": [{"has_single_changes": True}]} | summary(
        "n", "z", 9, "2024-01-03", changes=500_000, **facts
    )
    dbt = Dbt(answers=answers)
    assert measure(dbt, CDC, {}, plan).has_single_changes is True
    assert ("bitmap_construct_agg(bitmap_bit_position(`id`))" in dbt.queries[-1]) == by_bitmaps


def test_read_facts__metadata_answer_for_a_first_batch_and_for_the_log():
    dbt = Dbt(metrics={**METRICS, "id": metrics_of("1", "5")}, snapshots=(43, 42, 41))
    assert measure(dbt, CDC, {}).changes == 5
    changes = measure(dbt, CDC, {**APPLIED, "cdc.sequence": "o"})
    assert (changes.has_late, dbt.queries) == (True, [])


@pytest.mark.parametrize(
    "progress", [{"cdc.batch-id": "7"}, {**APPLIED, "cdc.bronze-snapshot-id": "40"}], ids=["no snapshot", "expired"]
)
def test_read_facts__spark_reads_what_follows_a_batch(progress):
    dbt = Dbt(answers=summary("n", "z", 9, "2024-01-03"), metrics=METRICS, snapshots=(43, 42, 41))
    measure(dbt, CDC, progress)
    assert [query for query in dbt.queries if "_cdc_batch_id > 7" in query]


def test_cdc_silver_sql__first_table_gets_no_deleted_row():
    assert normalise(silver(is_first=True)).endswith("from newest where change._cdc_operation <> 'D'")


def test_cdc_silver_sql__first_soft_table_keeps_deleted_rows_and_has_no_helper_column():
    sql = normalise(silver(replace(CHANGES, has_partial=True), SOFT, is_first=True))
    assert sql.endswith("from newest")
    assert not {"_cdc_has_image", "image._cdc_epoch"} & set(sql.split())


@pytest.mark.parametrize("is_new", [True, False])
def test_cdc_silver_sql__nothing_from_before_a_reset_point_lives(is_new):
    changes = replace(RELOAD, has_new_reset_point=is_new)
    assert normalise(silver(changes)).endswith("from newest where change._cdc_sequence >= '000003'")
    assert "change._cdc_operation = 'D' or change._cdc_sequence < '000003' as _cdc_is_deleted" in normalise(
        silver(changes, SOFT)
    )


@pytest.mark.parametrize(
    ("way", "cdc", "changes"),
    [
        ("merge", CDC, {}),
        ("merge", CDC, {"has_late": True}),
        ("merge", CDC, {"has_new_reset_point": True}),
        ("replace", CDC, {"may_replace": True}),
        ("merge", CDC, {"may_replace": True, "has_late": True}),
        ("overwrite", CDC, {"replaces_all": True}),
        ("versions", {**CDC, "mode": "history"}, {}),
        ("append", APPEND, after(place(1, "a"), place(1, "b"), place(1, "c"))),
        ("merge", CDC, after(place(1, "a"), place(1, "b"), place(1, "c"))),
        ("merge", APPEND, after(place(1, "a"), place(1, "a", 2), place(1, "c"))),
        ("merge", APPEND, after(place(1, "b"), place(1, "a"), place(1, "b"))),
        ("merge", APPEND, after(place(1, "a"), place(1, "b"), place(2, "b"))),
        ("merge", APPEND, after(place(1, "a"), place(2, "b"), place(2, "b"))),
        ("merge", APPEND, after("", place(1, "b"), place(1, "b"))),
    ],
)
def test_choose_way__case(way, cdc, changes):
    changes = replace(CHANGES, **changes)
    assert planning.choose_way(make_config(**cdc), True, changes) == way
    assert planning.choose_way(make_config(**cdc), False, changes) == "create"


def test_cdc_changes_sql__late_keys_are_read_again_from_the_whole_log():
    assert_sql_equal(
        Dbt().cdc_changes_sql({**CDC, "primary_key": KEYS}, replace(CHANGES, has_late=True)),
        """
        late_keys as (select distinct `id`, `line no` from new_changes where _cdc_sequence <= 'm'),
        log as (select * from whole),
        changes as (
            select new_changes.*, false as _cdc_is_whole from new_changes
            left anti join late_keys
                on new_changes.`id` <=> late_keys.`id` and new_changes.`line no` <=> late_keys.`line no`
            union all
            select log.*, true as _cdc_is_whole from log
            left semi join late_keys on log.`id` <=> late_keys.`id` and log.`line no` <=> late_keys.`line no`
        )
        """,
    )


def test_cdc_changes_sql__a_late_truncate_concerns_every_key():
    sql = Dbt().cdc_changes_sql(CDC, replace(CHANGES, has_late=True, has_late_truncate=True))
    assert_sql_equal(sql, "changes as (select *, true as _cdc_is_whole from (select * from whole))")


@pytest.mark.parametrize(("is_soft", "marker"), [(False, ""), (True, "false as _cdc_is_deleted,")])
def test_write_rows_sql__columns_without_rows(is_soft, marker):
    dbt = Dbt()
    assert_sql_equal(
        write_rows_sql(
            dbt.adapter,
            dbt.context,
            make_config(**(SOFT if is_soft else CDC)),
            BRONZE,
            SilverPlan("create", "", columns=PLAN[1:]),
        ),
        f"""
        select cast(null as date) as `gone`, {marker}
            _cdc_operation, _cdc_committed_at, _cdc_sequence, _cdc_generation, _cdc_batch_id
        from bronze.shop__order
        where false
        """,
    )


OWN = dict.fromkeys(
    ["_cdc_operation", "_cdc_committed_at", "_cdc_sequence", "_cdc_generation", "_cdc_batch_id"], "string"
)


BRONZE_NODE = SimpleNamespace(
    resource_type="model",
    name="bronze_shop__order",
    database=None,
    schema="bronze",
    alias="shop__order",
    config=SimpleNamespace(meta={"cdc": {**CDC, "layer": "bronze", "format": "csv"}}),
)


def running(
    applied: dict[str, str] | None, *, bronze: dict[str, str], reset_points: tuple[str, ...] = (), **words: Any
) -> Dbt:
    """A silver model in a run: bronze is at snapshot 43; silver has applied what is given (none: it does not exist).

    The new_changes hold `reset_points`; none: neither a truncate nor the end of a load.
    """
    columns = {BRONZE: {**bronze, **OWN}}
    if applied is not None:
        columns[SILVER] = {"id": "int", **OWN}
    answers = {
        **with_reset_points(*reset_points),
        "is_shared": [],
    }
    listing = SimpleNamespace(
        resource_type="model",
        name="raw_listing",
        database=None,
        schema="etl_metadata",
        alias="raw_listing",
        config=SimpleNamespace(meta={}),
    )
    nodes = {"model.bronze": BRONZE_NODE, "model.lakehouse.raw_listing": listing}
    state = {"snapshots": (43, 42, 41), "summary": applied}
    return Dbt(**{"cdc": CDC, "columns": columns, "answers": answers, "nodes": nodes, **state, **words})


def set_properties(dbt: Dbt) -> list[str]:
    return [query for query in dbt.queries if query.startswith(("set ", "record "))]


def test_get_incremental_cdc_merge_sql__bronze_is_missing():
    with pytest.raises(LakehouseError) as error:
        Dbt(cdc=CDC, nodes={"model.bronze": BRONZE_NODE}).write("cdc_merge")
    assert str(error.value) == (
        "CDC error in silver.shop__order (cdc_merge): its bronze table bronze.shop__order does not exist yet."
        " Silver is built from bronze: run `dbt build`, or `dbt run --select +silver_shop__order`."
    )


def test_get_incremental_cdc_merge_sql__nothing_new_sets_nothing():
    dbt = running({**APPLIED, "cdc.bronze-snapshot-id": "43"}, bronze={"id": "int"})
    assert dbt.write("cdc_merge") == (None, "nothing: bronze is still at snapshot 43")
    assert set_properties(dbt) == []


def test_get_incremental_cdc_merge_sql__new_changes_and_progress():
    dbt = running(APPLIED, bronze={"id": "int"})
    sql, message = dbt.write("cdc_merge")
    assert message == "merge: changes=5"
    sql = normalise(sql)
    assert sql.startswith("merge into silver.shop__order as target using (with new_changes as (select `id`,")
    assert "from bronze.shop__order with ('start-snapshot-id' = '41'," in sql
    assert set_properties(dbt) == [
        "record cdc.bronze-snapshot-id = 43",
        "record cdc.batch-id = 9",
        "record cdc.sequence = z",
        "record cdc.committed-at = 2024-01-03 00:00:00.000000",
        "record cdc.changes = 5",
        "record cdc.not-applied = 0",
        "record cdc.ties = 0",
        "record cdc.started-at = 2024-05-06 07:08:10+00:00",
        "record cdc.bronze-seconds = 0.000",
    ]


@pytest.mark.parametrize(("is_counted", "expected"), [(True, {}), (False, {"cdc.rows-not-counted": "true"})])
def test_get_incremental_cdc_merge_sql__a_merge_whose_rows_nobody_counts_says_so(is_counted, expected):
    dbt = running(APPLIED, bronze={"id": "int"}, counts_merged_rows=is_counted)
    dbt.write("cdc_merge")
    assert {name: value for name, value in dbt.recorded.items() if "counted" in name} == expected
    first = running(None, bronze={"id": "int"}, counts_merged_rows=is_counted)
    first.write("cdc_merge")
    assert "cdc.rows-not-counted" not in first.recorded, "rows of a new table are all inserts"


def test_get_incremental_cdc_merge_sql__a_table_made_of_the_whole_log_says_so():
    marked = {**summary("n", "z", 9, "2024-01-03", has_overwritten=True), "is_shared": []}
    dbt = running(APPLIED, bronze={"id": "int"}, answers=marked)
    assert dbt.write("cdc_merge")[1].startswith("overwrite: ")
    assert dbt.recorded["cdc.whole-log"] == "true"
    for progress in (None, APPLIED):
        dbt = running(progress, bronze={"id": "int"})
        dbt.write("cdc_merge")
        assert "cdc.whole-log" not in dbt.recorded


@pytest.mark.parametrize(
    ("changes", "rows", "facts", "is_small"),
    [
        (10_000, "100000", {}, True),
        (10_001, "100000", {}, False),
        (10_000, "100001", {}, False),
        (1, None, {}, False),
        (1, "1", {"has_late": True}, False),
        (1, "1", {"replaces_all": True}, False),
    ],
)
def test_is_small__a_batch_and_its_table(changes, rows, facts, is_small):
    changes = replace(CHANGES, changes=changes, **facts)
    progress, warehouse = {"total-records": rows} if rows else {}, Dbt().context["adapter"]
    assert planning._is_small(warehouse, SILVER, changes, progress) is is_small
    assert planning._is_small(warehouse, None, changes, {}) is (changes.changes <= 10_000 and not facts)


def test_get_incremental_cdc_merge_sql__a_small_batch_is_planned_once():
    dbt = running({**APPLIED, "total-records": "7"}, bronze={"id": "int"})
    dbt.write("cdc_merge")
    assert set_properties(dbt)[:2] == [
        "set `spark.sql.adaptive.enabled` = false",
        "set `spark.sql.shuffle.partitions` = 1",
    ]


def bronze_snapshot(number, net, *, rows=None, seconds=None):
    started = {"cdc.started-at": f"2024-01-31 01:00:0{number - seconds}.500000+00:00"} if seconds else {}
    committed = f"2024-01-31 01:00:0{number}.500000"
    return {"snapshot_id": number, "committed_at": committed, "net_rows": net, "rows": rows, "summary": started}


STARTED_AT = datetime(2024, 5, 6, tzinfo=timezone.utc)


def run_numbers(*snapshots, **changes):
    dbt = Dbt(since={str(BRONZE): {"is_ancestor": True, "snapshots": snapshots}})
    applied = {"from_snapshot_id": 1, "to_snapshot_id": 5, "after_batch_id": 1, "changes": 7, **changes}
    numbers = planning._plan_progress(log_of(dbt, APPEND), replace(CHANGES, **applied), PLAN, STARTED_AT)
    assert numbers["cdc.started-at"] == STARTED_AT
    return numbers["cdc.bronze-seconds"], numbers.get("cdc.quarantined")


def test_plan_progress__rows_that_bronze_got_and_silver_did_not_are_in_quarantine():
    assert run_numbers(bronze_snapshot(3, 4, seconds=2), bronze_snapshot(5, 6, seconds=1)) == ("3.000", 3)
    assert run_numbers(bronze_snapshot(5, 7)) == ("0.000", 0)
    assert run_numbers(bronze_snapshot(5, 9), bronze_snapshot(6, 50, seconds=1)) == ("0.000", 2), "a later run's"


def test_plan_progress__of_a_first_run():
    first = {"from_snapshot_id": None, "after_batch_id": 0}
    assert run_numbers(bronze_snapshot(3, 4, rows=4), bronze_snapshot(5, 6), **first)[1] == 3
    assert run_numbers(bronze_snapshot(3, 4, rows=None), bronze_snapshot(5, 6), **first)[1] is None, "expired before"


def test_plan_progress__unknown_where_the_range_is_no_range_of_snapshots():
    rows = bronze_snapshot(5, 9, rows=9)
    assert run_numbers(rows, from_snapshot_id=None)[1] is None, "it begins at a batch"
    assert run_numbers(rows, replaces_all=True)[1] is None
    assert run_numbers(bronze_snapshot(5, 6))[1] is None, "somebody removed rows"


def test_get_incremental_cdc_merge_sql__first_run_makes_the_whole_table():
    sql, message = running(None, bronze={"id": "int"}).write("cdc_merge")
    assert message == "create: changes=5"
    sql = normalise(sql)
    assert sql.startswith("create table silver.shop__order as with new_changes")
    assert "from bronze.shop__order version as of 43" in sql
    assert sql.endswith("where change._cdc_operation <> 'D'")


@pytest.mark.parametrize(
    ("in_bronze", "in_silver", "is_made_again"),
    [
        ("decimal(14,4)", "decimal(12,2)", True),
        ("string", "int", True),
        ("int", "string", True),
        ("bigint", "int", False),
        ("int", "bigint", False),
        ("decimal(12,2)", "decimal(14,2)", False),
    ],
)
def test_silver_is_made_again_where_bronze_has_a_type_that_it_cannot_get_in_place(in_bronze, in_silver, is_made_again):
    columns = {BRONZE: {"id": "int", "v": in_bronze, **OWN}, SILVER: {"id": "int", "v": in_silver, **OWN}}
    dbt = running(APPLIED, bronze={}, columns=columns)
    sql, message = dbt.write("cdc_merge")
    assert message == ("create: changes=5, types of bronze" if is_made_again else "merge: changes=5")
    assert normalise(sql).startswith(
        "create table silver.shop__order" if is_made_again else "merge into silver.shop__order"
    )
    assert ("from bronze.shop__order version as of 43" in normalise(sql)) is is_made_again, "from the whole log"


@pytest.mark.parametrize(("applied", "is_new"), [("", True), ("000003", False), ("000003.1.5", False)])
def test_get_incremental_cdc_merge_sql__a_reset_point_is_new_once(applied, is_new):
    dbt = running({**APPLIED, "cdc.reset-point": applied}, bronze={"id": "int"}, reset_points=("000003",))
    sql, message = dbt.write("cdc_merge")
    assert message == "merge: changes=5" + ", truncate or complete reload" * is_new
    assert ("when not matched by source and target._cdc_sequence < '000003'" in sql) is is_new
    assert f"record cdc.reset-point = {max(applied, '000003')}" in set_properties(dbt)


def test_plan_progress__ties_are_counted_where_two_files_share_a_position():
    dbt = running(APPLIED, bronze={"id": "int"})

    def count(cdc: dict[str, Any], **changes: Any) -> int:
        return planning._plan_progress(log_of(dbt, cdc), replace(CHANGES, **changes), PLAN)["cdc.ties"]

    dbt.answers.update(
        {
            "count(distinct file_key) > 1": [{"file_position": "p1"}, {"file_position": "p2"}],
            "as ties": [{"ties": 4}],
        }
    )
    dbt.answers.pop("first_sequence")
    named = {name: CDC[name] for name in ("feed", "source_schema", "source_table")}
    named |= {"batch_id": 9, "earlier_batch_id": 8, "is_reloaded": False, "has_gone": False, "file_count": 1}
    dbt.answers["is_shared"] = [{**named, "shared_batch_id": 8}]
    assert count(CDC) == 4
    assert "substring(_cdc_sequence, 8, length(_cdc_sequence) - 52) in ('p1', 'p2')" in dbt.queries[-1]
    dbt.queries.clear()
    assert count(APPEND) == 0
    assert count(CDC, has_single_changes=True) == 0
    assert count(CDC, has_one_order=True, has_applied_positions=False) == 0
    assert not dbt.queries, "not even the listing is asked"
    for shared in (7, None):
        dbt.once.clear()
        dbt.answers["is_shared"] = [{**named, "shared_batch_id": shared}]
        assert count(CDC) == 0
    assert not [query for query in dbt.queries if "is_shared" not in query], "no look at what was applied before"


def test_plan_progress__keys_are_counted_where_unchanged_rows_are_left_alone():
    dbt = running(APPLIED, bronze={"id": "int"})
    dbt.answers = {"count(*) as keys": [{"keys": 3}], **dbt.answers}
    log = log_of(dbt, {**CDC, "unchanged_rows": "skip"})
    assert planning._plan_progress(log, CHANGES, PLAN)["cdc.keys"] == 3
    assert "cdc.keys" not in planning._plan_progress(log_of(dbt), CHANGES, PLAN)


def test_get_incremental_cdc_merge_sql__a_table_of_placeholders_is_created_again():
    dbt = running({"cdc.bronze-snapshot-id": "41", "cdc.batch-id": "7"}, bronze={"id": "int"})
    sql, message = dbt.write("cdc_merge")
    assert "version as of 43" in sql
    assert message == "create: changes=5"


def test_get_incremental_cdc_merge_sql__no_source_column_yet():
    sql = normalise(running(None, bronze={}).write("cdc_merge")[0])
    assert sql.startswith("create table silver.shop__order as select cast(null as string) as `id`, _cdc_operation")


MANY_ROWS = {**APPLIED, "total-records": "500000"}
ON_READ = {"tblproperties": {"write.delete.mode": "merge-on-read"}}


@pytest.mark.parametrize(
    ("expected", "cdc", "progress", "config"),
    [
        (True, {}, {}, {}),
        (False, {}, {"total-records": "499999"}, {}),
        (False, {"unchanged_rows": "skip"}, {}, {}),
        (True, {"delete_mode": "soft"}, {}, {}),
        (False, {}, {}, {"tblproperties": {"write.delete.mode": "copy-on-write"}}),
        (False, {}, {}, {"tblproperties": {}}),
    ],
)
def test_measure_changes__a_table_takes_batches_by_replacing_rows(expected, cdc, progress, config):
    settings = planning._read_settings({**ON_READ, **config}, 500_000)
    dbt = Dbt(answers=summary("n", "z", 9, "2024-01-03"), snapshots=(43, 42, 41))
    changes = measure(dbt, {**CDC, **cdc}, {**MANY_ROWS, **progress}, may_replace=settings.deletes_beside_rows)
    assert changes.may_replace is expected


@pytest.mark.parametrize(
    ("expected", "cdc", "changes"),
    [
        (True, {}, {}),
        (False, {}, {"may_replace": False}),
        (False, {}, {"changes": 2000001}),
        (False, {}, {"changes": 0}),
        (False, {}, {"has_late": True}),
        (False, {}, {"has_partial": True}),
        (False, {}, {"has_new_reset_point": True}),
        (False, {}, {"has_key_changes": True}),
        (True, {}, {"has_deletes": True}),
        (True, {"delete_mode": "soft"}, {}),
        (False, {"delete_mode": "soft"}, {"has_deletes": True}),
    ],
)
def test__batch_allows_replace__case(expected, cdc, changes):
    changes = replace(CHANGES, **{"changes": 2_000_000, "may_replace": True, **changes})
    assert planning._batch_allows_replace(make_config(**CDC | cdc), changes) is expected


def test_get_incremental_cdc_merge_sql__rows_are_replaced_where_nothing_is_late():
    dbt = running(MANY_ROWS, bronze={"id": "int"}, config=ON_READ)
    [summary] = dbt.answers["first_sequence"]
    dbt.answers["first_sequence"] = [{**summary, "first_key": "-5", "last_key": "9"}]
    Branches(dbt, 0, 1)
    assert dbt.write("cdc_merge") == (None, "replace: changes=5")
    [delete] = [query for query in dbt.queries if query.startswith("delete")]
    assert "`id` >= cast('-5' as int)" in delete
    [insert] = [query for query in dbt.queries if query.startswith("insert")]
    assert normalise(insert).endswith("where change._cdc_operation <> 'D'")
    assert dbt.recorded["cdc.bronze-snapshot-id"] == 43
    assert dbt.recorded["cdc.rows-deleted"] == 0


def test_get_incremental_cdc_merge_sql__a_changed_write_mode_reaches_the_table_once():
    modes = {f"write.{kind}.mode": "copy-on-write" for kind in ("merge", "update", "delete")}
    config = {"tblproperties": {"format-version": "2", **modes}}
    current = {**modes, "write.delete.mode": "merge-on-read"}
    dbt = running(APPLIED, bronze={"id": "int"}, config=config, table_properties=current)
    dbt.write("cdc_merge")
    [alter] = [query for query in dbt.queries if query.startswith("alter")]
    assert normalise(alter) == (
        "alter table silver.shop__order set tblproperties ('write.delete.mode' = 'copy-on-write')"
    )
    [notice] = dbt.logged
    assert "copy-on-write from now on" in notice and "rebuild_silver --args '{table: shop__order}'" in notice
    dbt = running(APPLIED, bronze={"id": "int"}, config=config, table_properties=modes)
    dbt.write("cdc_merge")
    assert [query for query in dbt.queries if query.startswith("alter")] == dbt.logged == []


def test_get_incremental_cdc_merge_sql__merge_on_read_again_leaves_nothing_to_do():
    dbt = running(APPLIED, bronze={"id": "int"}, config=ON_READ, table_properties={})
    dbt.write("cdc_merge")
    assert [query for query in dbt.queries if query.startswith("alter")] and dbt.logged == []


@pytest.mark.parametrize(
    ("type", "keys", "comparison", "expected"),
    [
        ("bigint", ["ID"], [], "bigint"),
        ("decimal(10,2)", ["id"], [], "decimal(10,2)"),
        ("string", ["id"], [], None),
        ("timestamp", ["id"], [], None),
        ("bigint", ["id", "v"], [], None),
        ("bigint", ["id"], ["ignore_case"], None),
    ],
)
def test_find_range_type__case(type, keys, comparison, expected):
    cdc = {"primary_key": keys, "key_comparison": comparison}
    assert find_range_type(make_config(**cdc), (Column("v", "int"), Column("id", type))) == expected


@pytest.mark.parametrize(("type", "has_range"), [("int", True), ("string", False)])
def test_measure_changes__the_range_of_keys_is_asked_for_where_rows_are_replaced(type, has_range):
    cdc = {**CDC, "renamed_columns": {"nr": "id"}}
    plan = (replace(PLAN[0], type=type, old_columns=("nr",)),)
    dbt = Dbt(answers=summary("x", "z", 9, "2024-01-03", first_key="1", last_key="2"))
    changes = measure(dbt, cdc, MANY_ROWS, plan, may_replace=True)
    assert changes.may_replace
    assert changes.key_range == (KeyRange("int", "1", "2") if has_range else None)
    assert ("coalesce(`id`, `nr`) as `id`" in normalise(dbt.queries[0])) is has_range
    assert not measure(dbt, {**cdc, "mode": "history"}, MANY_ROWS, plan, may_replace=True).may_replace


def test_cdc_delete_keys_sql__files_without_any_of_the_keys_are_left_out():
    key_range = KeyRange("int", "-5", "9")
    assert_sql_equal(
        Dbt().cdc_delete_keys_sql(CDC, "silver.t.branch_b", "`n`", key_range),
        """
        delete from silver.t.branch_b as _cdc_target
        where exists (
            select /*+ broadcast(new_changes) */ 1 from `n` as new_changes where _cdc_target.`id` = new_changes.`id`
        )
        and _cdc_target.`id` >= cast('-5' as int) and _cdc_target.`id` <= cast('9' as int)
        """,
    )
    without = normalise(Dbt().cdc_delete_keys_sql(CDC, "t", "`n`"))
    assert without.endswith("where _cdc_target.`id` = new_changes.`id`)")


class Branches:
    """An adapter's branch of one table, published after so many attempts."""

    def __init__(self, dbt: Dbt, removed: int, attempts: int) -> None:
        self.removed, self.attempts = removed, attempts
        self.queries = dbt.queries
        vars(dbt.context["adapter"]).update(
            start_branch=lambda table, name: self.queries.append(f"branch {name} of {table}"),
            rows_removed=lambda table, name: self.removed,
            publish_branch=self.publish,
        )

    def publish(self, table: Relation, name: str) -> bool:
        self.attempts -= 1
        self.queries.append(f"publish {name} of {table}")
        return self.attempts == 0


RECORD = "record cdc."
COUNTS = {"rows_deleted": 1, "rows_before": 3, "rows_unclear": 1}


def replace_all(dbt: Dbt, changes: Changes) -> None:
    plan = SilverPlan("replace", "", SILVER, columns=PLAN, changes=changes, progress={"cdc.batch-id": 9})
    replace_rows(dbt.context["adapter"], dbt.context, make_config(**CDC), plan, "select 1", "1-2")


def replaced(removed: int, attempts: int = 1, *, has_deletes: bool = True) -> list[str]:
    dbt = Dbt(answers={"rows_before": [COUNTS], "select count(*) as rows_deleted": [{"rows_deleted": 2}]})
    Branches(dbt, removed, attempts)
    changes = replace(CHANGES, sql="select 1", has_deletes=has_deletes)
    replace_all(dbt, changes)
    return [query.split("\n")[0] for query in dbt.queries]


def test_replace_rows__only_the_last_commit_carries_the_progress():
    steps = [
        "branch cdc_write_12 of silver.shop__order",
        f"{RECORD}part-of-batch = 9",
        "delete from silver.shop__order.branch_cdc_write_12 as _cdc_target",
        "with keys as (",
        f"{RECORD}batch-id = 9",
        f"{RECORD}rows-updated = 2",
        f"{RECORD}rows-deleted = 1",
        "insert into silver.shop__order.branch_cdc_write_12 by name",
        "publish cdc_write_12 of silver.shop__order",
    ]
    assert replaced(3, attempts=1) == steps
    assert replaced(3, attempts=2) == steps * 2


@pytest.mark.parametrize(("removed", "is_asked"), [(2, True), (3, False), (4, False), (5, True)])
def test_replace_rows__the_table_is_asked_where_changes_contradict_it(removed, is_asked):
    steps = replaced(removed)
    assert ("select count(*) as rows_deleted" in steps) is is_asked
    deleted = 2 if is_asked else 1
    assert steps[-4:-2] == [f"{RECORD}rows-updated = {removed - deleted}", f"{RECORD}rows-deleted = {deleted}"]


def test_replace_rows__without_deletes_nothing_is_counted():
    steps = replaced(9, has_deletes=False)
    updated = [f"{RECORD}rows-updated = 9", f"{RECORD}rows-deleted = 0"]
    assert steps[3:-2] == [f"{RECORD}batch-id = 9", *updated]


def deleted_range(key_type: str, first: object, last: object) -> tuple[str, str]:
    """The first and the last key of the rows that a batch with keys in this range may delete."""
    dbt = Dbt(answers={"rows_before": [COUNTS]})
    Branches(dbt, 3, 1)
    key_range = KeyRange(key_type, str(first), str(last))
    changes = replace(CHANGES, sql="select 1", has_deletes=True, key_range=key_range)
    replace_all(dbt, changes)
    delete = next(query for query in dbt.queries if query.startswith("delete"))
    bounds = re.findall(rf"and _cdc_target\.`id` [<>]= cast\('(.*)' as {key_type}\)", delete)
    return bounds[0], bounds[1]


@pytest.mark.parametrize(
    ("key_type", "first", "last", "expected"),
    [
        ("bigint", 17, 4_999_312, ("0", "5242879")),
        ("bigint", 203, 4_998_007, ("0", "5242879")),
        ("int", -5, 9, ("-5", "9")),
        ("int", -(2**31), 2**31 - 1, (str(-(2**31)), str(2**31 - 1))),
        ("bigint", -(2**63) + 1, 2**63 - 2, (str(-(2**63)), str(2**63 - 1))),
        ("bigint", 2**63 - 18, 2**63 - 1, (str(2**63 - 18), str(2**63 - 1))),
        ("smallint", 3, 32_000, ("0", "32767")),
        ("date", "2024-01-31", "2024-02-01", ("2024-01-31", "2024-02-01")),
    ],
)
def test_replace_rows__ranges_of_whole_numbers_are_rounded(key_type, first, last, expected):
    assert deleted_range(key_type, first, last) == expected


def test_replace_rows__a_rounded_range_holds_all_keys_and_little_more():
    chance = random.Random(7)
    for _ in range(200):
        first, last = sorted(chance.randint(-(2**bits), 2**bits - 1) for bits in chance.choices(range(64), k=2))
        lower, upper = map(int, deleted_range("bigint", first, last))
        assert -(2**63) <= lower <= first <= last <= upper < 2**63
        assert first - lower + upper - last <= (last - first) / 4


def test_replace_rows__another_writer_comes_in_between_every_time():
    with pytest.raises(LakehouseError, match=r"silver\.shop__order: another writer committed .* run it again"):
        replaced(3, attempts=4)


def difference(cdc: dict[str, Any], *columns: str) -> str:
    plan = [Column("id", "int", "int"), Column("Name", "string", "string")]
    return normalise(Dbt().cdc_difference_sql(cdc, SILVER, BRONZE, 43, [*columns, *OWN], plan))


def test_cdc_difference_sql__is_taken_at_the_snapshot_that_silver_applied():
    assert "from bronze.shop__order version as of 43 as _cdc_log where _cdc_quarantine_rule is null" in difference(
        CDC, "id"
    )


@pytest.mark.parametrize(
    ("cdc", "columns", "compared"),
    [
        (CDC, ["id", "Name"], ["id", "Name", *OWN]),
        (SOFT, ["id", "_cdc_is_deleted"], ["id", "_cdc_is_deleted", *OWN]),
        (APPEND, ["id", "_cdc_source_file"], ["id", "_cdc_source_file", *OWN]),
        ({**CDC, "unchanged_rows": "skip"}, ["id", "Name"], ["id", "Name"]),
    ],
)
def test_cdc_difference_sql__compared_columns(cdc, columns, compared):
    names = ", ".join(f"`{name}`" for name in compared)
    live = "" if cdc is SOFT else "where not _cdc_is_deleted "
    assert difference(cdc, *columns).endswith(
        f"compared as (select 1 as _cdc_side, {names} from expected {live}"
        f"union all select -1 as _cdc_side, {names} from silver.shop__order)"
        " select if(sum(_cdc_side) > 0, 'missing from silver', 'unexpected in silver') as difference,"
        f" {names} from compared group by {names} having sum(_cdc_side) <> 0"
    )
