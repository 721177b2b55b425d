"""The only reader of dbt's nodes: objects of a program and mappings of macros and files are the same model."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from table_configs import make_config, state_config

from python_udfs.errors import LakehouseError, UsageError
from python_udfs.pipeline.table import Model, count_layer, list_built, read_layer, read_model, read_models, read_source
from python_udfs.pipeline.table_config import ListedColumn

PROJECT = Path(__file__).parents[2]
CDC = state_config(layer="silver", feed="f", source_schema="s", source_table="t")
TABLE = make_config(**CDC)
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


def changed(layer, **fields):
    cdc = state_config(layer=layer, feed="f", source_schema="s", source_table="t")
    return {**NODE, "config": {"meta": {"cdc": cdc}}, **fields}


@pytest.mark.parametrize("node", [NODE, as_object(NODE)], ids=["mapping", "object"])
def test_a_node_is_read_in_both_forms(node):
    model = read_model(node)
    assert (model.name, model.relation, model.layer) == ("silver_s__t", "silver.s__t", "silver")
    assert (model.source, model.lag_limit_minutes, model.cdc) == (("f", "s", "t"), 30, TABLE)


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
    assert read_source({**NODE, "resource_type": "test"}) == ("f", "s", "t")
    assert read_source({**NODE, "config": {}}) is None


def test_a_table_of_no_model_is_named_with_those_that_there_are():
    models = read_models([NODE])
    assert models.describe("silver.s__t") == TABLE
    with pytest.raises(LakehouseError, match=r"gold\.t is no table of the pipeline\. Expected one of: silver\.s__t\."):
        models.describe("gold.t")


def test_the_mistakes_of_all_models_are_reported_at_once():
    stale = {**CDC, "unchanged": "skip", "primary_key": "id"}
    files = state_config(layer="bronze", options={"charst": "UTF-8"}, columns=[{"name": "id"}])
    del files["format"], stale["mode"]
    nodes = [{**NODE, "name": name, "config": {"meta": {"cdc": cdc}}} for name, cdc in (("a", stale), ("b", files))]
    with pytest.raises(UsageError) as error:
        read_models(nodes)
    advice = (
        "Run make models; a model written by hand has to state what python_udfs/pipeline/table_config.py describes."
    )
    assert re.sub(r": expected one of [a-z_, ]*", "", str(error.value)).splitlines() == [
        "CDC error in a: the description of its table lacks mode; it states unchanged, which is unknown;"
        f" it states primary_key: 'id', expected a list. {advice}",
        "CDC error in b: the description of its table lacks format; it states options.charst, which is unknown;"
        f" it lacks columns[0].type. {advice}",
    ]


def test_values_are_typed():
    stated = {"options": {"null_values": ["~"]}, "columns": [{"name": "id", "type": "int"}], "primary_key": ["id"]}
    table = make_config(layer="bronze", **stated)
    assert (table.options.null_values, table.options.charset) == (("~",), "UTF-8")
    assert (table.columns, table.primary_key) == ((ListedColumn("id", "int"),), ("id",))
    assert make_config(mode="current", delete_mode="soft").is_soft
    assert not make_config(mode="history", delete_mode="soft").is_soft


def test_models_are_looked_up_by_layer_source_and_relation():
    bronze = changed("bronze", unique_id="b", name="bronze_s__t", schema="bronze")
    models = read_models([NODE, as_object(bronze), {**NODE, "config": {}}])
    assert list(models.by_id) == ["model.p.silver_s__t", "b"]
    assert [model.name for model in models.of_layer("bronze")] == ["bronze_s__t"]
    assert models.of_layer("split") == []
    assert isinstance(models.of_source("silver", TABLE), Model)
    assert models.of_source("silver", replace(TABLE, source_table="u")) is None
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


@pytest.mark.parametrize(
    ("existing", "parses", "expected"),
    [(["a"], False, ["a"]), (["a"], True, ["a", "b"]), ([], False, ["a", "b"])],
    ids=["a table without a relation is left out", "all while dbt parses", "all if none is built: the view fails"],
)
def test_list_built(existing, parses, expected):
    tables = [{"silver": "a"}, {"silver": "b"}, {"split": "c"}]
    warehouse = SimpleNamespace(get_relation=lambda database, schema, name: name if name in existing else None)
    referenced = []

    def ref(name):
        referenced.append(name)
        return SimpleNamespace(schema="silver", identifier=name)

    built = list_built(None if parses else warehouse, tables, "silver", ref)
    assert [table["relation"].identifier for table in built] == expected
    assert referenced == ["a", "b"], "the view depends on all of them"
