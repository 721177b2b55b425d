"""Maintenance: which steps are due, which are asked for, what is reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from harness import CompilerError, Dbt, Relation, assert_sql_equal

DEFAULTS = {
    "older_than_days": 5,
    "keep_snapshots": 10,
    "min_expired": 10,
    "orphan_days": 3,
    "min_files": 4,
    "small_file_mb": 32,
    "delete_ratio": 0.05,
    "min_manifests": 50,
}
TABLES = ("order", "line")
TIDY = {
    "files": 3,
    "records": 100,
    "deleted_rows": 5,
    "bytes": 5 * 1048576,
    "small_files": 0,
    "loose_delete_files": 3,
    "manifests": 49,
    "snapshots": 12,
    "old_snapshots": 9,
    "expire_before": "2024-01-31 23:00:00.123",
    "orphans_before": "2024-02-02 23:00:00.000",
}
SMALL = 33554432


SORT = ["sort deletes by file"]


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


def due(**state: Any) -> list[str]:
    steps = Dbt().cdc_maintenance_steps("silver.shop__order", {**TIDY, **state}, SMALL, DEFAULTS)
    return [step["what"] for step in steps]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"loose_delete_files": 0}, []),
        ({}, []),
        ({"loose_delete_files": 4}, SORT),
        ({"small_files": 10}, ["compact"]),
        ({"deleted_rows": 6}, [*SORT, "compact"]),
        ({"deleted_rows": 6, "loose_delete_files": 0}, ["compact"]),
        ({"deleted_rows": 1, "records": 0}, [*SORT, "compact"]),
        ({"manifests": 50}, ["rewrite manifests"]),
        ({"manifests": 50, "small_files": 10}, ["compact"]),
        ({"old_snapshots": 10}, ["expire snapshots", "remove orphan files"]),
    ],
)
def test_cdc_maintenance_steps__due(state, expected):
    assert due(**state) == expected


def test_cdc_maintenance_steps__procedures():
    state = {**TIDY, "small_files": 10, "old_snapshots": 10}
    compact, expire, orphans = Dbt().cdc_maintenance_steps("silver.shop__order", state, SMALL, DEFAULTS)
    assert_sql_equal(
        compact["sql"],
        """
        call system.rewrite_data_files(
            table => 'silver.shop__order',
            options => map('min-input-files', '4', 'min-file-size-bytes', '33554432', 'delete-ratio-threshold', '0.05',
                'remove-dangling-deletes', 'true')
        )
        """,
    )
    assert_sql_equal(
        expire["sql"],
        """
        call system.expire_snapshots(
            table => 'silver.shop__order',
            older_than => timestamp '2024-01-31 23:00:00.123',
            retain_last => 10
        )
        """,
    )
    assert "older_than => timestamp '2024-02-02 23:00:00.000'" in orphans["sql"]


def test_cdc_maintenance_steps__sort():
    [sort] = Dbt().cdc_maintenance_steps("silver.t", {**TIDY, "loose_delete_files": 4}, SMALL, DEFAULTS)
    assert_sql_equal(
        sort["sql"],
        """
        call system.rewrite_position_delete_files(
            table => 'silver.t',
            options => map('rewrite-all', 'true')
        )
        """,
    )


@pytest.mark.parametrize(("target", "expected"), [(None, SMALL), ("8000000", 6000000), ("134217728", SMALL)])
def test_cdc_small_bytes__below_what_the_table_writes(target, expected):
    properties = {"tblproperties": {"write.target-file-size-bytes": target}} if target else {}
    assert Dbt().cdc_small_bytes(node("silver", "order", **properties), DEFAULTS) == expected


def test_cdc_maintenance_state_sql__bronze_keeps_what_silver_names():
    settings = (1000, DEFAULTS)
    bronze = Dbt().cdc_maintenance_state_sql("bronze.t", False, "silver.t", *settings)
    assert "silver.t.snapshots" in bronze
    assert "spec_id, partition" not in bronze
    silver = Dbt().cdc_maintenance_state_sql("silver.t", True, None, *settings)
    assert "reader" not in silver
    assert "group by spec_id, partition" in silver


@pytest.mark.parametrize(
    ("names", "layer", "expected"),
    [
        (None, None, ["bronze.shop__order", "bronze.shop__line", "silver.shop__order", "silver.shop__line"]),
        (["shop__line"], None, ["bronze.shop__line", "silver.shop__line"]),
        (["shop__line"], "silver", ["silver.shop__line"]),
        (["silver.shop__line"], None, ["silver.shop__line"]),
    ],
)
def test_cdc_maintained_nodes__case(names, layer, expected):
    assert [f"{it.schema}.{it.alias}" for it in project().cdc_maintained_nodes(names, layer)] == expected


@pytest.mark.parametrize(("names", "layer"), [(None, "etl_metadata"), (["etl_metadata.l", "etl_metadata.s"], None)])
def test_cdc_maintained_nodes__what_belongs_to_no_table(names, layer):
    shared = {name: node(layer, name) for name, layer in (("s", "split"), ("l", "etl_metadata"), ("o", "bronze"))}
    for it in (shared["l"], shared["s"]):
        it.schema, it.alias = "etl_metadata", it.name.split("_")[-1]
    found = Dbt(nodes=shared).cdc_maintained_nodes(names, layer)
    assert [f"{it.schema}.{it.alias}" for it in found] == ["etl_metadata.l", "etl_metadata.s"]


@pytest.mark.parametrize(("has_views", "expected"), [(True, []), (False, ["view_v"])])
def test_cdc_maintained_nodes__what_stands_for_a_view_where_the_catalog_has_none(has_views, expected):
    dbt = Dbt(nodes={"v": node("view", "v")})
    dbt.context["adapter"].has_views = lambda: has_views
    assert [it.name for it in dbt.cdc_maintained_nodes(None, "etl_metadata")] == expected


def test_validate_maintain__all_mistakes_at_once():
    wrong = {"older_than_days": -1, "keep_snapshots": 0, "orphan_days": 0, "min_files": 1.5, "delete_ratio": 2}
    with pytest.raises(CompilerError) as raised:
        project().maintain(tables="shop__other", layer="gold", dry_run="yes", **wrong)
    for mistake in (
        "older_than_days is -1; expected 0 or more",
        "keep_snapshots is 0; expected 1 or more",
        "orphan_days is 0; expected 1 or more",
        "min_files is 1.5; expected a whole number",
        "delete_ratio is 2; expected a part of the rows, above 0 and up to 1",
        "layer is gold; expected etl_metadata, bronze or silver",
        "dry_run is yes; expected true or false",
        "there is no table 'shop__other'; expected one of bronze.shop__line, bronze.shop__order, shop__line",
    ):
        assert mistake in str(raised.value)


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
    with pytest.raises(CompilerError, match=r"2 of 4 tables failed: bronze\.shop__order, bronze\.shop__line"):
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


def test_cdc_maintenance_cells__before_and_after():
    after = {**TIDY, "files": 1, "deleted_rows": 0, "bytes": 1048576}
    assert Dbt().cdc_maintenance_cells("silver.t", "compact", TIDY, after) == [
        "silver.t",
        "compact",
        "3 → 1",
        "5 → 0",
        "12",
        "5.0 → 1.0",
    ]
