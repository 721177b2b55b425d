"""Which table an operation is about, and the sentences that it ends with."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from table_configs import make_config, state_config

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.operations import (
    describe_counts,
    describe_replay,
    find_silver,
    list_replay_problems,
    require_bronze,
    require_replayable,
    require_same_rows,
    require_types,
)
from python_udfs.pipeline.table import read_models

NODE = {
    "unique_id": "model.p.silver_s__t",
    "resource_type": "model",
    "name": "silver_s__t",
    "schema": "silver",
    "alias": "s__t",
    "config": {"meta": {"cdc": state_config(layer="silver", feed="f", source_schema="s", source_table="t")}},
}
MODELS = read_models([NODE])


@pytest.mark.parametrize("table", ["s__t", "silver.s__t"])
def test_a_silver_table_is_found_with_and_without_its_schema(table):
    assert find_silver(MODELS, table).name == "silver_s__t"


@pytest.mark.parametrize(
    ("models", "expected"), [(MODELS, "s__t"), (read_models([]), "none, no row of seeds/cdc_tables.csv is active")]
)
def test_an_unknown_table_names_those_that_there_are(models, expected):
    with pytest.raises(LakehouseError) as error:
        find_silver(models, "t")
    assert str(error.value) == (
        f"CDC error (cdc_silver_node): there is no silver table 't'. Expected one of: {expected}."
    )


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (None, "s__t has no bronze table to be built from. Run `dbt build --select +silver_s__t`."),
        (["_cdc_sequence"], "no row of s__t has arrived yet; there is nothing to rebuild."),
    ],
)
def test_nothing_to_rebuild_from(names, problem):
    model = find_silver(MODELS, "s__t")
    require_bronze(model, [SimpleNamespace(name="_cdc_sequence"), SimpleNamespace(name="id")])
    with pytest.raises(LakehouseError) as error:
        require_bronze(model, None if names is None else [SimpleNamespace(name=name) for name in names])
    assert str(error.value) == f"CDC error (rebuild_silver): {problem}"


def test_a_copy_that_differs_is_shown():
    require_same_rows("copy", "bronze", [])
    with pytest.raises(LakehouseError, match="copy differs from bronze; nothing was replaced") as error:
        require_same_rows("copy", "bronze", [{"difference": "missing", "id": 7}, {"difference": "x", "id": None}])
    assert str(error.value).endswith("\ndifference  id\n----------  --\nmissing     7\nx")


def test_all_values_that_would_change_are_named():
    require_types("t", "bronze.t", [])
    with pytest.raises(LakehouseError) as error:
        require_types("t", "bronze.t", ["a is b"], [{"failure": "id is '07a', expected int", "row_count": 2}])
    assert str(error.value) == (
        "CDC error (change_types) for t: a is b. id is '07a', expected int (2 rows of bronze.t). Nothing was changed."
    )


def test_why_rows_cannot_be_replayed():
    columns = [{"name": "more", "is_known": False}, {"name": "id", "is_known": True}]
    header, column = list_replay_problems(make_config(format="csv", options={"header": True}), columns)
    assert header.startswith("its files have a header")
    assert column.startswith("rows in quarantine have a column more that bronze does not have")
    assert list_replay_problems(make_config(format="csv", options={"header": False}), columns[1:]) == []
    assert list_replay_problems(make_config(format="parquet", options={"header": True}), []) == []
    require_replayable("t", [])
    with pytest.raises(LakehouseError, match=r"\(replay_quarantine\) for t: a; b\. Nothing was replayed\.$"):
        require_replayable("t", ["a", "b"])


def test_a_replay_reports_its_numbers_and_the_advice():
    assert describe_replay("t", 0, 0, False, [], "c") == (
        "t: 0 rows waited in quarantine, 0 are in bronze now, 0 still break a rule."
    )
    change = Column("id", "bigint", "int")
    assert describe_replay("t", 3, 1, True, [change, change], "make x") == (
        "t: 3 rows waited in quarantine, 2 are in bronze now, 1 still break a rule. The next run takes them to silver."
        " The reload is complete: that run removes what it does not hold."
        " id needs bigint, bronze has int; id needs bigint, bronze has int: run make x."
    )


def test_rows_before_and_after_a_rebuild():
    assert describe_counts(None, [{"row_count": 2}]) == "2 rows, it does not exist yet"
    assert describe_counts([{"row_count": 3}], [{"row_count": 2}]) == "3 rows before, 2 after"
