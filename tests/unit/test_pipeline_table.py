"""The only reader of dbt's nodes: objects of a program and mappings of macros and files are the same model."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from python_udfs.pipeline.table import Model, count_layer, read_cdc, read_layer, read_model, read_models

PROJECT = Path(__file__).parents[2]
CDC = {"layer": "silver", "feed": "f", "source_schema": "s", "source_table": "t", "mode": "current"}
NODE = {
    "unique_id": "model.p.silver_s__t",
    "resource_type": "model",
    "name": "silver_s__t",
    "database": None,
    "schema": "silver",
    "alias": "s__t",
    "description": "A table",
    "config": {"meta": {"cdc": CDC, "lag_limit_minutes": 30}},
}


def as_object(node):
    return SimpleNamespace(**{**node, "config": SimpleNamespace(**node["config"])})


def changed(layer=None, **fields):
    cdc = {**CDC, "layer": layer or "silver"}
    return {**NODE, "config": {"meta": {"cdc": cdc}}, **fields}


@pytest.mark.parametrize("node", [NODE, as_object(NODE)], ids=["mapping", "object"])
def test_a_node_is_read_in_both_forms(node):
    model = read_model(node)
    assert (model.name, model.relation, model.layer) == ("silver_s__t", "silver.s__t", "silver")
    assert (model.source, model.lag_limit_minutes, model.cdc) == (("f", "s", "t"), 30, CDC)


@pytest.mark.parametrize(
    "node",
    [
        {**NODE, "config": {"meta": {}}},
        {**NODE, "config": {"meta": None}},
        {**NODE, "config": {}},
        {**NODE, "resource_type": "test"},
    ],
)
def test_what_has_no_layer_is_no_model_of_the_pipeline(node):
    assert read_model(node) is None
    assert read_layer(node) is None


def test_a_test_may_be_about_a_table():
    assert read_cdc({**NODE, "resource_type": "test"}) == CDC


def test_models_are_looked_up_by_layer_source_and_relation():
    bronze = changed("bronze", unique_id="b", name="bronze_s__t", schema="bronze")
    models = read_models([NODE, as_object(bronze), {**NODE, "config": {}}])
    assert list(models.by_id) == ["model.p.silver_s__t", "b"]
    assert [model.name for model in models.of_layer("bronze")] == ["bronze_s__t"]
    assert models.of_layer("split") == []
    assert isinstance(models.of_source("silver", CDC), Model)
    assert models.of_source("silver", {**CDC, "source_table": "u"}) is None
    assert models.of_relation("bronze.s__t").name == "bronze_s__t"
    assert models.of_relation("gold.s__t") is None
    assert count_layer("bronze", {"b": bronze, "s": NODE}, ["b", "s", "source.p.f.t"]) == 1


def test_nothing_else_reads_the_description_of_a_table_from_dbts_nodes():
    reads = re.compile(r"meta\.cdc|meta\[.cdc|get\(['\"]cdc['\"]")
    files = [*PROJECT.glob("macros/**/*.sql"), *PROJECT.glob("adapter/**/*.sql")]
    files += [path for folder in ("python_udfs", "adapter", "airflow") for path in PROJECT.glob(f"{folder}/**/*.py")]
    # Comments and docstrings may name it.
    readers = {
        path.relative_to(PROJECT).as_posix()
        for path in files
        if reads.search(re.sub(r'\{#.*?#\}|""".*?"""', "", path.read_text(), flags=re.S))
    }
    assert readers == {"python_udfs/pipeline/table.py"}
