"""How far data tests read, by facts alone: what changed since the last comparison, or all; and what a pass records."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from python_udfs.pipeline.checks import (
    STEP,
    Check,
    Checked,
    Progress,
    Record,
    Since,
    Step,
    Table,
    find_reason_for_all,
    find_reason_in_changes,
    plan_step,
    read_checked,
    read_progress,
    read_records,
    read_since,
)
from python_udfs.pipeline.column_differences import compare_columns, expect_columns, list_own_columns
from python_udfs.pipeline.delta import RangeFacts

CHECKED = Checked(7, 0, 41, 8, "000001.1.8", is_due=False)
PROGRESS = Progress(43, 9, "000001.1.9", has_reset_point=False, rows=1_000)
FACTS = RangeFacts(3, "000001.1.9")
LATE = replace(FACTS, first_sequence="000001.1.8")
RECORD = Record("silver.shop__order", 43, 0, 43, 9, "000001.1.'9\n", is_full=False)
SILVER = SimpleNamespace(schema="silver", identifier="shop__order")


def snapshot(operation: str, *keys: str, net_rows: int = 1) -> dict[str, Any]:
    summary = dict.fromkeys(keys, "9")
    return {
        "snapshot_id": 1,
        "committed_at": "2024-01-01",
        "operation": operation,
        "net_rows": net_rows,
        "summary": summary,
    }


OWN = snapshot("overwrite", "cdc.batch-id")
PART = snapshot("delete", "cdc.part-of-batch", net_rows=-1)
FOREIGN = snapshot("append")


def since(*snapshots: dict[str, Any], is_ancestor: bool | None = True, schema_id: int = 0) -> Since:
    return read_since({"is_ancestor": is_ancestor, "schema_id": schema_id, "snapshots": list(snapshots)})


@pytest.mark.parametrize(
    ("checked", "changed", "reason"),
    [
        (CHECKED, since(), None),
        (CHECKED, since(PART, OWN), None),
        (None, None, "never compared"),
        (CHECKED, since(OWN, is_ancestor=False), "does not come from"),
        (CHECKED, since(OWN, is_ancestor=None), "does not come from"),
        (CHECKED, since(OWN, schema_id=1), "columns have changed"),
        (CHECKED, since(OWN, FOREIGN), "another writer"),
        (replace(CHECKED, is_due=True), since(OWN), "too old"),
        (replace(CHECKED, is_due=True), since(), "too old"),
    ],
)
def test_a_whole_table_is_compared_for_a_reason(checked, changed, reason):
    given = find_reason_for_all(checked, changed)
    assert given is None if reason is None else reason in given


@pytest.mark.parametrize(
    ("mode", "has_reset_point", "changes", "reason"),
    [
        ("current", False, FACTS, None),
        ("current", True, LATE, None),
        ("history", True, FACTS, None),
        ("history", False, LATE, None),
        ("history", True, LATE, "late to a history"),
        ("current", False, replace(FACTS, first_reset_point="000002"), "truncate"),
        ("current", False, replace(FACTS, has_overwritten=True), "overwritten"),
    ],
)
def test_changes_concern_their_own_keys_or_every_key(mode, has_reset_point, changes, reason):
    progress = replace(PROGRESS, has_reset_point=has_reset_point)
    given = find_reason_in_changes(mode, progress, changes, changes.has_late(CHECKED.sequence))
    assert given is None if reason is None else reason in given


def step(changes: RangeFacts = FACTS, is_row_whole: bool = True, skips_unchanged: bool = False) -> Step:
    return plan_step(
        CHECKED,
        PROGRESS,
        changes,
        is_row_whole=is_row_whole,
        skips_unchanged=skips_unchanged,
        is_small=True,
        rows_sql="rows",
        log_sql="log",
        net_rows=2,
    )


@pytest.mark.parametrize(
    ("planned", "has_late", "continues", "is_newest"),
    [
        (step(), False, False, True),
        (step(LATE), True, False, False),
        (step(replace(FACTS, has_partial=True)), False, True, False),
        (step(is_row_whole=False), False, True, False),
        (step(LATE, is_row_whole=False), True, False, False),
        (step(skips_unchanged=True), False, False, False),
        (step(replace(FACTS, first_sequence=None)), False, False, True),
    ],
)
def test_a_step_reads_what_its_changes_need(planned, has_late, continues, is_newest):
    assert (planned.has_late, planned.continues, planned.is_newest) == (has_late, continues, is_newest)


@pytest.mark.parametrize(
    ("changes", "splits"), [(FACTS, False), (LATE, True), (replace(FACTS, has_key_changes=True), True)]
)
def test_a_log_that_may_have_changes_of_a_key_is_split(changes, splits):
    assert step(changes).splits_keys is splits


def test_a_compaction_changes_nothing():
    assert since(snapshot("replace")).changed == ()
    assert [changed.net_rows for changed in since(PART, snapshot("replace"), OWN).changed] == [-1, 1]


def test_a_snapshot_of_this_project_carries_progress_or_names_its_batch():
    assert [changed.is_foreign for changed in since(OWN, PART, FOREIGN).changed] == [False, False, True]
    assert len(since(OWN, FOREIGN).foreign) == 1


def test_without_a_sequence_no_row_was_applied():
    assert read_progress({}) is None
    assert read_progress({"cdc.batch-id": "7", "cdc.bronze-snapshot-id": "43", "cdc.sequence": ""}) is None
    summary = {"cdc.batch-id": "9", "cdc.bronze-snapshot-id": "43", "cdc.sequence": "000001.1.9"}
    assert read_progress(summary | {"total-records": "1000"}) == PROGRESS
    reset = read_progress(summary | {"cdc.reset-point": "000001.1.5"})
    assert reset == replace(PROGRESS, has_reset_point=True, rows=0)


def test_answers_are_read_with_their_types():
    row = {"silver_table": "silver.a", "snapshot_id": "7", "schema_id": 0, "bronze_snapshot_id": "41", "batch_id": "8"}
    assert read_checked([row | {"sequence": "000001.1.8", "is_due": False}]) == {"silver.a": CHECKED}


def result(status: str, text: str | None, test: str = "silver_matches_bronze") -> SimpleNamespace:
    node = SimpleNamespace(test_metadata=SimpleNamespace(name=test), compiled_code=text)
    return SimpleNamespace(status=status, node=node)


def test_only_a_comparison_that_passed_is_recorded():
    table = Table(SILVER, None, {})
    text = f"-- depends_on: seed\n{Check(STEP, 'changes', table, RECORD).comment}\nselect 1"
    assert read_records([result("pass", text), result("pass", "select 1")]) == [RECORD]
    for status in ("fail", "warn", "error", "skipped"):
        assert read_records([result(status, text)]) == [], status
    assert read_records([result("skipped", None), result("pass", None)]) == []
    assert read_records([result("pass", text, "one_row_per_key")]) == []
    model = SimpleNamespace(status="success", node=SimpleNamespace(compiled_code=text))
    singular = SimpleNamespace(status="pass", node=SimpleNamespace(compiled_code=text))
    assert read_records([model, singular]) == []


def test_a_comparison_without_a_record_records_nothing():
    table = Table(SILVER, None, {})
    assert read_records([result("pass", Check(STEP, "changes", table).comment)]) == []


BRONZE = {
    "ID": "INT",
    "v": "string",
    "_cdc_sequence": "string",
    "_cdc_source_file": "string",
    "_cdc_file_row": "bigint",
}
OWN_COLUMNS = list_own_columns(BRONZE, ["_cdc_sequence"], "current", False)
EXPECTED = expect_columns({"ID": "INT", "v": "string"}, ["id"], OWN_COLUMNS)
SAME = {"id": "int", "v": "string", "_cdc_sequence": "string"}


@pytest.mark.parametrize(
    ("silver", "keeps", "differences"),
    [
        (SAME, False, []),
        (SAME | {"v": "int"}, False, [("v", "column v has another type: int in silver, expected string", False)]),
        (SAME | {"v": "int"}, True, []),
        (SAME | {"note": "DATE"}, True, [("note", "column note is unexpected in silver, date", False)]),
        (
            {"id": "int", "_cdc_sequence": "string"},
            False,
            [("v", "column v is missing from silver, expected string", False)],
        ),
        ({"id": "int", "_cdc_sequence": "string"}, True, []),
        (
            {"v": "string", "_cdc_sequence": "string"},
            True,
            [("ID", "column ID is missing from silver, expected int", True)],
        ),
        (
            SAME | {"_cdc_sequence": "int"},
            True,
            [("_cdc_sequence", "column _cdc_sequence has another type: int in silver, expected string", True)],
        ),
    ],
)
def test_columns_are_missing_unexpected_or_of_another_type(silver, keeps, differences):
    compared = compare_columns(EXPECTED, silver, keeps)
    assert [(difference.name, difference.text, difference.is_needed) for difference in compared] == differences


@pytest.mark.parametrize(
    ("mode", "is_soft", "own"),
    [
        ("current", False, {}),
        ("current", True, {"_cdc_is_deleted": "boolean"}),
        ("history", False, {"_cdc_valid_from": "timestamp", "_cdc_valid_to": "timestamp"}),
        ("append", False, {"_cdc_source_file": "string", "_cdc_file_row": "bigint"}),
    ],
)
def test_each_mode_has_columns_of_its_own(mode, is_soft, own):
    assert list_own_columns(BRONZE, ["_cdc_sequence"], mode, is_soft) == {"_cdc_sequence": "string"} | own
