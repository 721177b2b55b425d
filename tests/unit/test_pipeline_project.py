"""Commands find their table by name, and say which tables there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from table_configs import state_config

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.rebuild import require_bronze
from python_udfs.pipeline.table import Models, read_models

SOURCE = {"feed": "f", "source_schema": "s", "source_table": "t"}
MODELS = read_models(
    {
        "unique_id": f"model.p.{layer}_s__t",
        "resource_type": "model",
        "name": f"{layer}_s__t",
        "schema": layer,
        "alias": "s__t",
        "config": {"meta": {"cdc": state_config(layer=layer, **SOURCE)}},
    }
    for layer in ("bronze", "silver")
)


def project(models: Models = MODELS, **warehouse: Any) -> Project:
    fake: Any = SimpleNamespace(**warehouse)
    return Project(fake, {}, models)


@pytest.mark.parametrize("table", ["s__t", "silver.s__t"])
def test_a_silver_table_is_found_with_and_without_its_schema(table):
    assert project().find_model(table).name == "silver_s__t"


@pytest.mark.parametrize(
    ("models", "expected"), [(MODELS, "s__t"), (Models({}), "none, no row of seeds/cdc_tables.csv is active")]
)
def test_an_unknown_table_names_those_that_there_are(models, expected):
    with pytest.raises(LakehouseError) as error:
        project(models).find_model("t")
    assert str(error.value) == f"CDC error: there is no silver table 't'. Expected one of: {expected}."


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (None, "s__t has no bronze table to be built from. Run `dbt build --select +silver_s__t`."),
        (["_cdc_sequence"], "no row of s__t has arrived yet; there is nothing to rebuild."),
    ],
)
def test_nothing_to_rebuild_from(names, problem):
    def require(names: Any) -> Any:
        columns = [SimpleNamespace(name=name) for name in names or ()]
        asked = project(
            get_relation=lambda **words: None if names is None else f"{words['schema']}.{words['identifier']}",
            get_columns_in_relation=lambda relation: columns,
        )
        return require_bronze(asked, asked.find_model("s__t"))

    assert require(["_cdc_sequence", "id"]) == "bronze.s__t"
    with pytest.raises(LakehouseError) as error:
        require(names)
    assert str(error.value) == f"CDC error (rebuild_silver): {problem}"


def test_rows_that_cannot_be_asked_for_are_sparks_message():
    good = project(attempt=lambda sql: {"rows": [{"row_json": '{"n": 1}'}], "error": None})
    assert good.ask_plain("select 1 as n") == [{"n": 1}]
    with pytest.raises(LakehouseError, match=r"^no such table$"):
        project(attempt=lambda sql: {"rows": [], "error": "no such table"}).ask_plain("select 1")
