"""Maintenance: the statements, and that the operation runs the steps of its plan."""

from __future__ import annotations

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from harness import MACROS, Dbt, Relation, assert_sql_equal
from table_configs import TIDY

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.maintenance import Settings, Step

TABLES = ("order", "line")


def node(layer: str, name: str, **config: Any) -> SimpleNamespace:
    cdc = {"layer": layer, "feed": "retail", "source_schema": "shop", "source_table": name}
    settings = SimpleNamespace(meta={"cdc": cdc}, get=config.get)
    return SimpleNamespace(
        resource_type="model",
        name=f"{layer}_{name}",
        alias=f"shop__{name}",
        database=None,
        schema=layer,
        config=settings,
    )


def project(missing: tuple[str, ...] = (), **options: Any) -> Dbt:
    """Two tables in both layers; those of `missing` were not built yet."""
    nodes = [node(layer, name) for layer in ("silver", "bronze") for name in TABLES]
    built = {Relation(it.schema, it.alias): {"id": "int"} for it in nodes if f"{it.schema}.{it.alias}" not in missing}
    return Dbt(nodes={it.name: it for it in nodes}, columns=built, **options)


def test_cdc_call_sql__all_that_a_step_may_have():
    step = Step(
        "x",
        "expire_snapshots",
        {"a-b": "it's"},
        older_than="2024-01-31 23:00:00.123",
        retain_last=10,
        columns=["a", "it's"],
    )
    assert_sql_equal(
        Dbt().cdc_call_sql("silver.shop__order", step),
        """
        call system.expire_snapshots(
            table => 'silver.shop__order',
            options => map('a-b', 'it\\'s'),
            older_than => timestamp '2024-01-31 23:00:00.123',
            retain_last => 10,
            columns => array('a', 'it\\'s')
        )
        """,
    )
    assert_sql_equal(
        Dbt().cdc_call_sql("t", Step("x", "rewrite_manifests")), "call system.rewrite_manifests( table => 't' )"
    )


def test_maintain__documents_the_defaults():
    entries = yaml.safe_load((MACROS / "maintenance" / "_macros.yml").read_text(encoding="utf-8"))["macros"]
    [entry] = [entry for entry in entries if entry["name"] == "maintain"]
    documented = {argument["name"]: argument["description"] for argument in entry["arguments"]}
    for name, value in asdict(Settings()).items():
        assert documented[name].strip().endswith(f"Default: {str(value).lower()}"), name


def test_cdc_maintenance_state_sql__bronze_keeps_what_silver_names():
    settings = ((), 1000, Settings())
    bronze = Dbt().cdc_maintenance_state_sql("bronze.t", False, "silver.t", *settings)
    assert "silver.t.snapshots" in bronze
    assert "spec_id, partition" not in bronze
    silver = Dbt().cdc_maintenance_state_sql("silver.t", True, None, *settings)
    assert "reader" not in silver
    assert "group by spec_id, partition" in silver


def test_cdc_maintenance_state_sql__what_gold_names_is_kept_for_days():
    silver = Dbt().cdc_maintenance_state_sql("silver.t", False, None, (7, 8), 1000, Settings(gold_days=3))
    assert "where named.snapshot_id in (7, 8)" in silver
    assert "held.moved_at > current_timestamp() - make_dt_interval(3)" in silver


def test_maintain__tables_that_need_nothing_are_asked_once():
    dbt = project(attempts={"with files": [TIDY]}, missing=("silver.shop__line",))
    dbt.maintain()
    assert len(dbt.attempted) == 3
    assert dbt.printed[:4] == [
        "1 of 4: bronze.shop__order: nothing to do",
        "2 of 4: bronze.shop__line: nothing to do",
        "3 of 4: silver.shop__order: nothing to do",
        "4 of 4: silver.shop__line: does not exist yet",
    ]


def test_maintain__a_table_that_fails_does_not_stop_the_others():
    untidy = {**TIDY, "small_files": 10, "old_snapshots": 10}
    dbt = project(
        attempts={
            "from bronze.shop__order.files": "no such table",
            "from bronze.shop__line.files": [untidy],
            "with files": [TIDY],
            "rewrite_data_files": "disk full",
        }
    )
    with pytest.raises(
        LakehouseError, match=r"2 of 4 tables failed: bronze\.shop__order, bronze\.shop__line\. The others are done"
    ):
        dbt.maintain()
    assert dbt.printed[0] == "1 of 4: bronze.shop__order: failed: no such table"
    assert dbt.printed[1] == (
        "2 of 4: bronze.shop__line: expire snapshots; remove orphan files; failed to compact: disk full"
    )
    assert dbt.printed[3] == "4 of 4: silver.shop__line: nothing to do"


def test_maintain__a_run_that_came_first_is_no_failure():
    dbt = project(attempts={"with files": [{**TIDY, "small_files": 10}], "rewrite_data_files": "conflict"})
    dbt.maintain(tables=["silver.shop__order"])
    assert "gave up to compact: a run wrote to it meanwhile" in dbt.printed[0]


@pytest.mark.parametrize("outcome", [[], "conflict"])
def test_maintain__deletes_are_sorted_in_a_session_that_writes_them_by_file_and_batches_go_on(outcome):
    untidy = {**TIDY, "loose_delete_files": 4}
    dbt = project(attempts={"with files": [untidy], "rewrite_position_delete_files": outcome})
    dbt.maintain(tables=["silver.shop__order"])
    gave_up = "gave up to sort deletes by file: a run wrote to it" if outcome else "sort deletes by file"
    assert dbt.printed[0].startswith(f"1 of 1: silver.shop__order: {gave_up}")
    assert dbt.properties == {"spark.datasource.iceberg.delete-granularity": "file"}
    assert not [sql for sql in dbt.attempted if "alter table" in sql], "what batches write is the table's own"


def test_maintain__a_dry_run_calls_nothing():
    dbt = project(attempts={"with files": [{**TIDY, "small_files": 10}]})
    dbt.maintain(layer="silver", dry_run=True)
    assert not [sql for sql in dbt.attempted if "call" in sql]
    assert dbt.printed[0] == "1 of 2: silver.shop__order: compact"
