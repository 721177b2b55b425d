"""A connector that lost its place in the source's log takes another snapshot into the same topics.

docs/runbook.md, "The slot was lost", says what silver is then. `make prove` runs it.
"""

from __future__ import annotations

import os

import capture
import pytest
from test_source_to_silver import assert_same, describe
from workload import Workload

from tests.proof import proof_only

pytestmark = proof_only


@pytest.mark.parametrize("database", ["mariadb", "postgres"])
def test_a_second_snapshot_is_an_incident_and_only_deleted_rows_stay(lakehouse, request, database):
    url = request.getfixturevalue(database)
    workload = Workload(url, seed=int(os.environ.get("SEED", "7")) % 1000, largest=6_000)
    workload.log_whole_rows("test_db.awkward")
    workload.insert(20)
    describe(lakehouse, url, workload.schemas)
    landing = lakehouse.raw / "live"
    with (
        capture.started() as running,
        running.connector(url, f"lost_{database}", workload.schemas, "schema") as source,
    ):
        workload.run(100, add_columns=0, truncates=0)
        source.catch_up(landing)
        statuses = lakehouse.build()
        assert (statuses["no_second_snapshot"], snapshots(lakehouse)) == ("pass", set())
        before = keys(workload)
        source.stop()
        workload.run(100, add_columns=0, truncates=0)
        unseen = keys(workload)
        source.begin_again()
        workload.run(100, add_columns=0, truncates=0)
        source.catch_up(landing)
        statuses = lakehouse.build()
        assert set(statuses.values()) <= {"success", "pass", "warn", "no-op"}, statuses
        deleted = {name: before[name] - unseen[name] for name in workload.tables}
        for name in workload.tables:
            assert_same(lakehouse, workload, name, may_stay=deleted[name])
    assert any(deleted.values())
    assert statuses["no_second_snapshot"] == "warn"
    assert snapshots(lakehouse) == {f"silver.{name.replace('.', '__')}" for name in workload.tables}


def keys(workload: Workload) -> dict[str, set[tuple[str, ...]]]:
    """The keys that each table of the source has now, as texts."""
    return {
        name: {tuple(str(row[part]) for part in workload.keys[name]) for row in workload.rows(name)}
        for name in workload.tables
    }


def snapshots(lakehouse) -> set[str]:
    """The silver tables with an open incident of a second snapshot."""
    rows = lakehouse.sql("select silver_table from etl_metadata.incidents where kind = 'snapshot' and ended_at is null")
    return {row.silver_table for row in rows}
