"""Maintenance: the tables that are looked at, the steps that are due, the report."""

from __future__ import annotations

import pytest
from table_configs import TIDY, state_config

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.maintenance import (
    MaintainedTable,
    Outcome,
    Settings,
    find_due,
    plan_maintenance,
    report_table,
)
from python_udfs.pipeline.table import read_model, read_models

MIB = 1048576
SORT = "sort deletes by file"


def node(layer, name, schema=None, **config):
    own = {"source_table": name} if layer in ("bronze", "silver") else {}
    return {
        "unique_id": f"{layer}.{name}",
        "resource_type": "model",
        "name": f"{layer}_{name}",
        "schema": schema or layer,
        "alias": name,
        "config": {"meta": {"cdc": state_config(layer=layer, **own)}, **config},
    }


PROJECT = [node(layer, name) for layer in ("silver", "bronze") for name in ("order", "line")]
SHARED = [node("split", "s", "etl_metadata"), node("etl_metadata", "l"), node("view", "v", "etl_metadata")]


def plan(*nodes, tables=None, layer=None, dry_run=False, has_views=True, **thresholds):
    return plan_maintenance(read_models(nodes or PROJECT), has_views, tables, layer, dry_run, thresholds)


def names(plan):
    return [table.model.relation for table in plan.tables]


TABLE = MaintainedTable(read_model(PROJECT[0]), False, 32 * MIB)


def due(settings=Settings(), lacking=(), uncounted=(), **state):  # noqa: B008  immutable
    return find_due(TABLE, {**TIDY, **state}, settings, dict(lacking), uncounted)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"loose_delete_files": 0}, []),
        ({}, []),
        ({"loose_delete_files": 4}, [SORT]),
        ({"small_files": 10}, ["compact"]),
        ({"deleted_rows": 6}, [SORT, "compact"]),
        ({"deleted_rows": 6, "loose_delete_files": 0}, ["compact"]),
        ({"deleted_rows": 1, "records": 0}, [SORT, "compact"]),
        ({"manifests": 50}, ["rewrite manifests"]),
        ({"manifests": 50, "small_files": 10}, ["compact"]),
        ({"old_snapshots": 10}, ["expire snapshots", "remove orphan files"]),
    ],
)
def test_steps_are_due_from_their_threshold_on(state, expected):
    assert [step.words for step in due(**state)] == expected


def test_properties_and_statistics_are_due_if_the_table_lacks_them():
    [step] = due(lacking=[("a", "1"), ("b", "2")])
    assert (step.words, step.procedure, step.properties) == ("set a, b", "", {"a": "1", "b": "2"})
    [step] = due(uncounted=["id"])
    assert (step.procedure, step.columns) == ("compute_table_stats", ["id"])
    assert due(uncounted=["id"], records=0, deleted_rows=0) == []


def test_a_step_names_its_procedure_and_its_bounds():
    sort, compact, expire, orphans = due(small_files=10, old_snapshots=10, loose_delete_files=4)
    assert (sort.procedure, sort.options) == ("rewrite_position_delete_files", {"rewrite-all": "true"})
    assert (compact.procedure, compact.options) == (
        "rewrite_data_files",
        {
            "min-input-files": "4",
            "min-file-size-bytes": "33554432",
            "delete-ratio-threshold": "0.05",
            "remove-dangling-deletes": "true",
        },
    )
    assert (expire.procedure, expire.older_than, expire.retain_last) == (
        "expire_snapshots",
        TIDY["expire_before"],
        10,
    )
    assert (orphans.procedure, orphans.older_than, orphans.retain_last) == (
        "remove_orphan_files",
        TIDY["orphans_before"],
        None,
    )


@pytest.mark.parametrize(("target", "expected"), [(None, 32 * MIB), ("8000000", 6000000), ("134217728", 32 * MIB)])
def test_a_small_file_is_below_the_size_that_the_table_writes(target, expected):
    properties = {"tblproperties": {"write.target-file-size-bytes": target}} if target else {}
    [table] = plan(node("silver", "order", **properties)).tables
    assert (table.small_bytes, table.is_partitioned) == (expected, False)
    assert plan(node("silver", "order", partition_by=["id"])).tables[0].is_partitioned


@pytest.mark.parametrize(
    ("tables", "layer", "expected"),
    [
        (None, None, ["bronze.order", "bronze.line", "silver.order", "silver.line"]),
        ("line", None, ["bronze.line", "silver.line"]),
        (["line"], "silver", ["silver.line"]),
        (["silver.line"], None, ["silver.line"]),
    ],
)
def test_tables_by_name_and_layer(tables, layer, expected):
    assert names(plan(tables=tables, layer=layer)) == expected


@pytest.mark.parametrize(("tables", "layer"), [(None, "etl_metadata"), (["etl_metadata.l", "etl_metadata.s"], None)])
def test_tables_that_belong_to_no_source_table_are_etl_metadata(tables, layer):
    assert names(plan(*PROJECT, *SHARED, tables=tables, layer=layer)) == ["etl_metadata.l", "etl_metadata.s"]


def test_tables_stand_for_views_if_the_catalog_has_none():
    assert names(plan(*SHARED, has_views=False)) == ["etl_metadata.l", "etl_metadata.s", "etl_metadata.v"]


def test_gold_tables_are_maintained_and_views_are_not():
    gold = [node("gold", "sales"), node("gold", "shown", materialized="view")]
    assert names(plan(*PROJECT, *gold, layer="gold")) == ["gold.sales"]


def test_all_mistakes_in_the_arguments_at_once():
    wrong = {"older_than_days": -1, "keep_snapshots": 0, "orphan_days": True, "min_files": 1.5, "delete_ratio": 2}
    with pytest.raises(LakehouseError) as raised:
        plan(tables="other", layer="platinum", dry_run="yes", **wrong)
    assert str(raised.value).split("\n  - ") == [
        "CDC error (maintain):",
        "older_than_days is -1; expected 0 or more",
        "keep_snapshots is 0; expected 1 or more",
        "orphan_days is True; expected a whole number",
        "min_files is 1.5; expected a whole number",
        "delete_ratio is 2; expected a part of the rows, above 0 and up to 1",
        "layer is platinum; expected etl_metadata, bronze, silver or gold, or none for all",
        "dry_run is yes; expected true or false",
        "there is no table 'other'; expected one of bronze.line, bronze.order, line, order, silver.line, silver.order",
    ]


def test_a_threshold_that_is_not_given_has_its_default():
    assert plan(min_files=None, delete_ratio=1).settings == Settings(delete_ratio=1)


def answer(error=None, is_conflict=False, **state):
    return {"rows": [{**TIDY, **state}], "error": error, "is_conflict": is_conflict}


def test_numbers_are_reported_before_and_after():
    after = answer(files=1, deleted_rows=0, bytes=MIB)
    outcome = report_table(TABLE, answer(), due(small_files=10), [answer()], after)
    assert outcome == Outcome(("silver.order", "compact", "3 → 1", "5 → 0", "12", "5.0 → 1.0"))
    lost = report_table(TABLE, answer(), due(small_files=10), [answer()], answer(error="gone"))
    assert lost.cells == ("silver.order", "compact", "3", "5", "12", "5.0")
