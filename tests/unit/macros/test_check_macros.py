"""How far data tests read: what changed since the last comparison, or all."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest
from harness import Dbt, Relation, normalise
from table_configs import OWN_COLUMNS
from test_run_macros import BRONZE, GRAPH, SILVER, SOURCE, node

from python_udfs.pipeline.data_tests import PartialChanges
from python_udfs.pipeline.delta import RangeFacts

CHECKS = Relation("etl_metadata", "silver_checks")
PROGRESS = {"cdc.batch-id": "9", "cdc.bronze-snapshot-id": "43", "cdc.sequence": "000001.1.9"}
ALL_COLUMNS = {"id": "int", "v": "string", **OWN_COLUMNS}
CHECKED = {
    "silver_table": "silver.shop__order",
    "snapshot_id": 7,
    "schema_id": 0,
    "bronze_snapshot_id": 41,
    "batch_id": 8,
    "sequence": "000001.1.8",
    "is_due": False,
}
MADE = {"snapshot_id": 8, "committed_at": "2024-05-06 07:08:09"}
OWN = MADE | {"operation": "overwrite", "net_rows": 2, "schema_id": 0, "summary": {"cdc.batch-id": "9"}}
PART = MADE | {"operation": "delete", "net_rows": -1, "schema_id": 0, "summary": {"cdc.part-of-batch": "9"}}
FOREIGN = MADE | {"operation": "append", "net_rows": 1, "schema_id": 0, "summary": {}}
COMPACTED = MADE | {"operation": "replace", "net_rows": 0, "schema_id": 0, "summary": {}}
FACTS = asdict(RangeFacts(3, "000001.1.9"))


def dbt(
    *snapshots: dict[str, Any],
    checked: dict[str, Any] | None = CHECKED,
    facts: Any = FACTS,
    total_records: str = "100000",
    silver: dict[str, str] = ALL_COLUMNS,
    bronze: dict[str, str] = ALL_COLUMNS,
    **since: Any,
) -> Dbt:
    """A project whose table silver.shop__order has these snapshots since it was compared."""
    since_then = {"is_ancestor": True, "snapshots": list(snapshots), "gone": [], "schema_id": 0, **since}
    made = Dbt(
        nodes=GRAPH | {"model.lakehouse.silver_checks": node("etl_metadata", "silver_checks", layer="etl_metadata")},
        which="test",
        columns={SILVER: silver, BRONZE: bronze, CHECKS: {}},
        answers={"from etl_metadata.silver_checks": [checked] if checked else [], "as first_sequence": [facts]},
        summary=PROGRESS | {"total-records": total_records},
        snapshots=(43, 41),
        since={str(SILVER): since_then},
    )
    return made


@pytest.mark.parametrize(
    ("snapshots", "words", "depth"),
    [
        ([], {}, "nothing"),
        ([OWN], {}, "step"),
        ([PART, OWN, COMPACTED], {}, "step"),
        ([OWN], {"checked": CHECKED | {"is_due": True}}, "full"),
        ([FOREIGN], {}, "full"),
        ([OWN], {"facts": FACTS | {"has_overwritten": True}}, "full"),
    ],
)
def test_a_check_is_as_deep_as_the_changes_since_the_last_one(snapshots, words, depth):
    assert dbt(*snapshots, **words).cdc_data_tests().check(SILVER).depth == depth


def test_a_table_without_rows_is_empty():
    made = dbt()
    made.context["adapter"].newest_summary = lambda relation, key: {}
    assert made.cdc_data_tests().check(SILVER).depth == "empty"


def test_a_step_reads_the_rows_of_all_its_snapshots():
    step = dbt(PART, OWN).cdc_data_tests().check(SILVER).step
    assert (step.net_rows, step.silver_snapshot_id, step.rows, step.is_small) == (1, 7, 100_000, True)
    assert step.log_sql == step.rows_sql
    late = dbt(OWN, facts=FACTS | {"first_sequence": "000001.1.8"}).cdc_data_tests().check(SILVER).step
    assert "version as of 43 as _cdc_log" in late.log_sql


def test_a_bronze_snapshot_that_is_gone_is_replaced_by_the_batch():
    gone = dbt(OWN, checked=CHECKED | {"bronze_snapshot_id": 40}).cdc_data_tests().check(SILVER).step
    assert "_cdc_batch_id > 8" in gone.rows_sql
    assert "'start-snapshot-id' = '41'" in dbt(OWN).cdc_data_tests().check(SILVER).step.rows_sql


def test_a_check_is_the_same_for_all_tests_of_a_command():
    made = dbt(OWN)
    first = made.cdc_data_tests().check(SILVER)
    asked = len(made.queries)
    assert made.cdc_data_tests().check(SILVER) is first
    assert len(made.queries) == asked


ALONE = ("one_row_per_key", "no_key_is_null", "versions_do_not_overlap", "open_versions_match_bronze")


@pytest.mark.parametrize("name", [*ALONE, "silver_matches_bronze"])
def test_a_test_of_a_table_without_changes_has_nothing_to_ask(name):
    assert normalise(getattr(dbt(), f"test_{name}")(SILVER)) == "-- depends_on: ref.cdc_tables"


@pytest.mark.parametrize("name", ALONE)
def test_a_step_is_compared_by_one_test(name):
    assert normalise(getattr(dbt(OWN), f"test_{name}")(SILVER)) == "-- depends_on: ref.cdc_tables"
    assert "silver.shop__order" in getattr(dbt(OWN, FOREIGN), f"test_{name}")(SILVER)


def test_silver_matches_bronze__a_small_step_is_one_pass():
    made = dbt(OWN)
    sql = normalise(made.test_silver_matches_bronze(SILVER))
    assert "from silver.shop__order version as of 7 as silver union all" in sql
    names = ", ".join(f"`{name}`" for name in ALL_COLUMNS)
    assert f"if(_cdc_sequence > '000001.1.8', struct({names}), null) as image" in sql
    assert sql.count("from silver.shop__order") == 2
    assert " join " not in sql
    assert made.properties["spark.sql.adaptive.enabled"] == "false"


@pytest.mark.parametrize(
    ("silver", "texts"),
    [
        ({"v": None}, ["column v is missing from silver, expected string"]),
        ({"note": "string"}, ["column note is unexpected in silver, string"]),
        ({"v": "int"}, ["column v has another type: int in silver, expected string"]),
        ({"v": None, "note": "date"}, ["column note is unexpected", "column v is missing"]),
    ],
)
def test_silver_matches_bronze__columns_and_types_are_compared_and_the_other_columns_all_the_same(silver, texts):
    columns = {name: type for name, type in {**ALL_COLUMNS, **silver}.items() if type}
    sql = normalise(dbt(OWN, silver=columns).test_silver_matches_bronze(SILVER))
    for text in texts:
        assert f"('{text}" in sql
    others = ", ".join(f"`{name}`" for name in ALL_COLUMNS if name not in silver)
    assert f"struct({others})" in sql, "the other columns are compared"
    assert "`note`" not in sql and ("v" not in silver or "`v`" not in sql)


@pytest.mark.parametrize("lacks", ["id", "_cdc_sequence"])
def test_silver_matches_bronze__without_a_column_that_every_row_needs_that_alone_is_named(lacks):
    columns = {name: type for name, type in ALL_COLUMNS.items() if name != lacks}
    sql = normalise(dbt(OWN, silver=columns).test_silver_matches_bronze(SILVER))
    assert sql.endswith(
        f"from values ('column {lacks} is missing from silver, expected {ALL_COLUMNS[lacks]}', cast(null as string))"
        " as columns (difference, compared_row)"
    )


def test_silver_matches_bronze__a_column_that_bronze_got_after_silver_read_it_is_no_difference():
    made = dbt(OWN, bronze={**ALL_COLUMNS, "v": "varchar(3)", "late": "string"})
    made.context["adapter"].current_snapshot_id = lambda relation: 44
    assert "late" not in made.test_silver_matches_bronze(SILVER)
    made = dbt(OWN, bronze={**ALL_COLUMNS, "late": "string"})
    made.context["adapter"].snapshot = lambda relation, snapshot_id: {"schema_id": -1}
    assert "late" not in made.test_silver_matches_bronze(SILVER), "its write has failed"
    assert "column late is missing" in dbt(OWN, bronze={**ALL_COLUMNS, "late": "string"}).test_silver_matches_bronze(
        SILVER
    )


@pytest.mark.parametrize(("rows", "facts"), [("100001", {}), ("100000", {"changes": 10_001})])
def test_silver_matches_bronze__a_step_reads_the_changed_keys(rows, facts):
    made = dbt(OWN, facts=FACTS | facts, total_records=rows)
    sql = normalise(made.test_silver_matches_bronze(SILVER))
    assert not made.properties
    assert "from silver.shop__order version as of 7 as silver left semi join log" in sql
    assert "from silver.shop__order as silver left semi join log" in sql
    assert "from silver.shop__order as silver where _cdc_sequence > '000001.1.8'" in sql
    assert "group by grouping sets ((key), ())" in sql
    assert "if(key is null, coalesce(rows_now - rows_before, 0) <> 2, not expected <=> found" in sql


def test_known_operations__where_silver_is_not_compared_step_by_step():
    assert normalise(dbt(OWN).test_known_operations(BRONZE)) == "-- depends_on: ref.cdc_tables"
    for checked in (None, CHECKED | {"is_due": True}):
        assert "_cdc_operation not in" in dbt(checked=checked).test_known_operations(BRONZE)


def result(status: str, text: str) -> SimpleNamespace:
    metadata = SimpleNamespace(name="silver_matches_bronze")
    return SimpleNamespace(status=status, node=SimpleNamespace(test_metadata=metadata, compiled_code=text))


def test_cdc_record_checks__the_compiled_test_that_passed():
    made = dbt(OWN)
    text = made.test_silver_matches_bronze(SILVER)
    made.once.clear()
    before = len(made.queries)
    made.cdc_record_checks([result("fail", text)])
    assert len(made.queries) == before
    made.cdc_record_checks([result("pass", text)])
    *settings, sql = made.queries[before:]
    assert settings == ["set `spark.sql.adaptive.enabled` = false", "set `spark.sql.shuffle.partitions` = 1"]
    assert "('silver.shop__order', 43, 0, 43, 9, '000001.1.9', false)" in normalise(sql)


def test_cdc_record_checks__nothing_compared_writes_nothing():
    made = dbt()
    text = made.test_silver_matches_bronze(SILVER)
    before = len(made.queries)
    made.cdc_record_checks([result("pass", text)])
    assert len(made.queries) == before


A, B = ({"feed": "f", "source_schema": "s", "source_table": name} for name in "ab")


def test_tables_that_can_be_asked_are_one_query():
    made = Dbt()
    made.context["cdc_lost_values_sql"] = lambda table: f"select * from {table.rows_sql}"
    sql = made.cdc_data_tests()._ask_tables("cdc_lost_values_sql", [PartialChanges(A, "x", False)] * 2)
    assert normalise(sql) == "select * from x union all select * from x"
    assert len(made.attempted) == 1
    assert made.cdc_data_tests()._ask_tables("cdc_lost_values_sql", []) == ""


def test_a_table_that_cannot_be_asked_is_named_and_the_others_are_asked():
    made = Dbt(attempts={"from broken": "[UNRESOLVED_COLUMN] no column k\n\tat java"})
    made.context["cdc_lost_values_sql"] = lambda table: f"select * from {table.rows_sql}"
    tables = [PartialChanges(A, "broken", False), PartialChanges(B, "sound", False)]
    sql = normalise(made.cdc_data_tests()._ask_tables("cdc_lost_values_sql", tables))
    assert "'a' as source_table, 'the table cannot be asked: [UNRESOLVED_COLUMN] no column k' as finding" in sql
    assert sql.endswith("from (select * from sound)")
    assert "from broken" not in sql
    alone = normalise(made.cdc_data_tests()._ask_tables("cdc_lost_values_sql", tables[:1]))
    assert alone.endswith("as finding")


LISTED = SOURCE | {"batch_id": 9, "has_loads": False}


@pytest.mark.parametrize(
    ("listed", "is_open", "is_unknown"),
    [
        ({}, False, False),
        ({"batch_id": 10}, True, False),
        ({"batch_id": None}, False, False),
        ({"source_table": "nobody"}, False, True),
        ({"source_schema": None, "source_table": None}, False, True),
    ],
)
def test_a_table_is_open_until_its_newest_batch_is_in_bronze(listed, is_open, is_unknown):
    made = dbt()
    made.answers["as is_shared"] = [LISTED | listed]
    assert made.cdc_data_tests().has_open_tables("listing", with_metadata=True) is is_open
    assert made.cdc_data_tests().has_open_tables("listing", with_metadata=False) is is_unknown
    asked = len(made.queries)
    made.cdc_data_tests().has_open_tables("listing", with_metadata=True)
    assert len(made.queries) == asked, "once a command"
