"""Columns change in one commit, and a table states its key."""

from __future__ import annotations

import pytest
from pyspark.errors import IllegalArgumentException
from pyspark.sql.types import StructType

from dbt.adapters.sparksession.snapshots import current_snapshot_id, is_unchanged_since, snapshot, snapshots_since
from dbt.adapters.sparksession.table_metadata import (
    change_columns,
    default_properties,
    has_statistics,
    identify_rows,
)
from spark_files.internals import iceberg_table

TABLE = "schemas.t"


@pytest.fixture
def table(session):
    """A table with a column whose name has a dot, one row, and a partition on a column that is renamed."""
    session.sql("create namespace if not exists schemas")
    session.sql(
        f"create or replace table {TABLE} using iceberg partitioned by (`Day`) as"
        " select 1 as id, 'x' as `dot.name`, date'2026-01-01' as `Day`, cast(1.5 as float) as part"
    )
    return session


def describe(session) -> dict[str, str]:
    schema: StructType = session.table(TABLE).schema
    return {field.name: field.dataType.simpleString() for field in schema}


def count_versions(session) -> int:
    return session.sql(f"select * from {TABLE}.metadata_log_entries").count()


def test_all_changes_are_one_commit(table):
    before = count_versions(table)
    change_columns(
        table,
        TABLE,
        {"DOT.name": "text", "day": "at", "id": "key"},
        {"key": "bigint", "part": "double"},
        {"new.one": "decimal(12,2)", "größe": "array<struct<a:int>>", "late": "timestamp_ntz"},
    )
    assert count_versions(table) == before + 1
    assert describe(table) == {
        "key": "bigint",
        "text": "string",
        "at": "date",
        "part": "double",
        "new.one": "decimal(12,2)",
        "größe": "array<struct<a:int>>",
        "late": "timestamp_ntz",
    }
    [row] = table.table(TABLE).collect()
    assert (row.key, row.text, row["new.one"]) == (1, "x", None)


def test_nothing_to_change_is_no_commit(table):
    before = count_versions(table)
    change_columns(table, TABLE, {}, {}, {})
    assert count_versions(table) == before


def test_a_refused_change_changes_nothing(table):
    before = describe(table)
    with pytest.raises(IllegalArgumentException, match="Cannot change column type: id: int -> string"):
        change_columns(table, TABLE, {"part": "other"}, {"id": "string"}, {"late": "date"})
    assert describe(table) == before


def test_a_table_states_its_key(table):
    assert identify_rows(table, TABLE, ["ID", "dot.name"])
    iceberg = iceberg_table(table, TABLE)
    assert set(iceberg.schema().identifierFieldNames()) == {"id", "dot.name"}
    table.sql(
        f"merge into {TABLE} t using (select * from values (1, 'x', 2), (2, 'y', 3) as v (id, name, n)) s"
        " on t.id = s.id and t.`dot.name` = s.name"
        " when matched and s.n = 9 then delete when matched then update set part = s.n"
        " when not matched then insert (id, `dot.name`, `Day`, part) values (s.id, s.name, null, s.n)"
    )
    assert sorted(map(tuple, table.sql(f"select id, part from {TABLE}").collect())) == [(1, 2.0), (2, 3.0)]
    # Columns of a key are renamed and widened as others are.
    change_columns(table, TABLE, {"id": "key"}, {"key": "bigint"}, {})
    assert set(iceberg_table(table, TABLE).schema().identifierFieldNames()) == {"key", "dot.name"}
    before = count_versions(table)
    assert identify_rows(table, TABLE, ["dot.name", "KEY"])
    assert count_versions(table) == before, "the table states them already"
    assert identify_rows(table, TABLE, ["key"]), "another key"
    table.sql(f"insert into {TABLE} values (3, null, null, null)")


def test_a_key_is_no_other_column(table):
    compared = current_snapshot_id(table, TABLE)
    assert identify_rows(table, TABLE, ["id"])
    assert is_unchanged_since(table, TABLE, snapshots_since(table, TABLE)["uuid"], compared)
    table.sql(f"insert into {TABLE} values (2, 'y', null, null)")
    schema_id = snapshot(table, TABLE, compared)["schema_id"]
    assert snapshots_since(table, TABLE, compared)["schema_id"] == schema_id
    assert snapshot(table, TABLE, current_snapshot_id(table, TABLE))["schema_id"] == schema_id
    for changes in ({"part": "share"}, {}, {}), ({}, {"id": "bigint"}, {}), ({}, {}, {"late": "date"}):
        former = snapshots_since(table, TABLE, compared)["schema_id"]
        change_columns(table, TABLE, *changes)
        assert snapshots_since(table, TABLE, compared)["schema_id"] != former
    assert snapshot(table, TABLE, compared)["schema_id"] == schema_id


def test_floating_point_numbers_identify_no_row(table):
    assert not identify_rows(table, TABLE, ["id", "part"])
    assert not list(iceberg_table(table, TABLE).schema().identifierFieldNames())


def test_the_catalog_gives_new_tables_properties(table):
    name = "spark.sql.catalog.lakehouse.table-default.write.metadata.previous-versions-max"
    table.conf.set(name, "50")
    try:
        assert default_properties(table, "lakehouse") == {"write.metadata.previous-versions-max": "50"}
        assert default_properties(table, None) == {}
    finally:
        table.conf.unset(name)


def test_statistics_are_those_of_the_rows_that_readers_see(table):
    assert not has_statistics(table, TABLE)
    table.sql(f"call system.compute_table_stats(table => '{TABLE}', columns => array('id', 'Day'))")
    assert has_statistics(table, TABLE)
    table.sql(f"insert into {TABLE} values (2, 'y', null, 1)")
    assert not has_statistics(table, TABLE)
