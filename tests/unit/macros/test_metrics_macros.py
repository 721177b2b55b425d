"""The table of runs: what is asked, and the statement that writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from harness import Dbt, Relation, normalise

from python_udfs.pipeline.run_metrics import NewRuns, find_missing_columns

FIND = "python_udfs.pipeline.run_metrics.find_new_runs"
RECORDED = Relation("silver", "shop__order")


def write(new: NewRuns, *, exists: bool = True, asked: Any = ()) -> tuple[Any, ...]:
    """Statement and message of the strategy, with the models that it looks at."""
    names: list[str] = []

    def find(tables: Any, **_: Any) -> NewRuns:
        names.extend(table["silver"] for table in tables)
        return new

    columns = {RECORDED: dict.fromkeys(find_missing_columns([]), "bigint")} if exists else {}
    dbt = Dbt(answers={"where is_newest": []}, columns=columns, functions={FIND: find})
    dbt.context["var"] = {"cdc_metrics_of": asked}.__getitem__
    dbt.context["cdc_built"] = lambda layer, ref: [{"silver": name} for name in ("a", "b")]
    return (*dbt.write("cdc_record_runs"), names, dbt.views)


NOTHING = NewRuns([], 0, False, [], is_new=False)
ROW = {"snapshot_id": 1}


def test_get_incremental_cdc_record_runs_sql__one_commit_or_none():
    assert write(NOTHING)[:2] == (None, "nothing: no silver table has a new snapshot")
    assert write(replace(NOTHING, is_new=True), exists=False)[0] == "create table silver.shop__order as\nselect 1"
    sql, message, _, views = write(NewRuns([ROW], 1, False, [], is_new=True))
    assert "and recorded.is_newest when matched" in normalise(sql or "")
    assert (message, views) == ("merge: runs=1", {"run_metrics_new": [ROW]})


@pytest.mark.parametrize(("asked", "read"), [([], ["a", "b"]), (["b"], ["b"])])
def test_get_incremental_cdc_record_runs_sql__reads_the_tables_that_it_is_asked_for(asked, read):
    assert write(NOTHING, asked=asked)[2] == read


def test_cdc_newest_runs__columns_that_an_older_table_lacks_are_added():
    dbt = Dbt(answers={"where is_newest": []}, columns={RECORDED: {"silver_table": "string", "bytes": "bigint"}})
    assert dbt.cdc_newest_runs(RECORDED) == []
    assert normalise(dbt.queries[0]) == (
        "alter table silver.shop__order add columns (rows_quarantined bigint, run_seconds double,"
        " data_files bigint, delete_files bigint, deleted_rows bigint, second_snapshot boolean,"
        " log_began_again boolean)"
    )


@pytest.mark.parametrize(("has_gone", "replaced"), [(True, []), (True, ["silver.t"])])
def test_cdc_record_runs_sql__a_rollback_changes_older_rows(has_gone, replaced):
    sql = normalise(Dbt().cdc_record_runs_sql("m", "select 1", {"has_gone": has_gone, "replaced": replaced}))
    assert "recorded.is_newest" not in sql.partition("when matched")[0]
    assert ("in ('silver.t') then update set is_current = false" in sql) is bool(replaced)
