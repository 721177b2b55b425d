"""The table of runs: what is asked, and the statement that writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from harness import Dbt, Relation, normalise

from python_udfs.pipeline.run_metrics import NewRuns

RECORDED = Relation("silver", "shop__order")
NOTHING = NewRuns([], 0, False, [], is_new=False)


def write(new: NewRuns, *, exists: bool = True) -> tuple[Any, ...]:
    """Statement and message of the strategy."""
    functions = {"python_udfs.pipeline.run_metrics.plan_runs": lambda **_: new}
    dbt = Dbt(columns={RECORDED: {}} if exists else {}, functions=functions)
    dbt.context["cdc_built"] = lambda layer, ref: []
    return dbt.write("cdc_record_runs")


def test_get_incremental_cdc_record_runs_sql__one_commit_or_none():
    assert write(NOTHING) == (None, "nothing: no silver table has a new snapshot")
    assert write(replace(NOTHING, is_new=True), exists=False)[0] == "create table silver.shop__order as\nselect 1"
    sql, message = write(NewRuns([{"snapshot_id": 1}], 1, False, [], is_new=True))
    assert "and recorded.is_newest when matched" in normalise(sql or "")
    assert message == "merge: runs=1"


@pytest.mark.parametrize(("has_gone", "replaced"), [(True, []), (True, ["silver.t"])])
def test_cdc_record_runs_sql__a_rollback_changes_older_rows(has_gone, replaced):
    sql = normalise(Dbt().cdc_record_runs_sql("m", "select 1", {"has_gone": has_gone, "replaced": replaced}))
    assert "recorded.is_newest" not in sql.partition("when matched")[0]
    assert ("in ('silver.t') then update set is_current = false" in sql) is bool(replaced)
