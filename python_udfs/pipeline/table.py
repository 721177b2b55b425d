"""Models of the pipeline in dbt's graph. No other module reads ``meta.cdc``, and no macro does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from python_udfs.errors import LakehouseError, UsageError
from python_udfs.pipeline.table_config import Source, TableConfig, list_problems, read_config
from python_udfs.pipeline.warehouse import Relation, Warehouse

# Layers whose models hold rows of the sources.
DATA_LAYERS = ("split", "bronze", "silver")


@dataclass(frozen=True)
class Model:
    """A model that has a layer of the pipeline.

    Attributes:
        unique_id: of the node.
        name: of the model.
        database: of its relation; None: dbt has none.
        schema: of its relation.
        alias: of its relation.
        description: of the model.
        layer: ``split``, ``bronze``, ``silver``, ``etl_metadata`` or ``view``.
        cdc: the description of its table, that the generated model states under ``meta.cdc``.
        lag_limit_minutes: that the table may be behind; None: no limit.
        config: dbt's configuration of the model.
    """

    unique_id: str
    name: str
    database: str | None
    schema: str
    alias: str
    description: str
    layer: str
    cdc: TableConfig
    lag_limit_minutes: float | None
    config: Any

    @property
    def relation(self) -> str:
        """Schema and alias, as users type them."""
        return f"{self.schema}.{self.alias}"

    @property
    def source(self) -> Source:
        """Feed, schema and table that it has rows of."""
        return self.cdc.source


@dataclass(frozen=True)
class Models:
    """The models of the pipeline in a project, by unique id."""

    by_id: Mapping[str, Model]

    @cached_property
    def _by_layer(self) -> dict[str, list[Model]]:
        layers: dict[str, list[Model]] = {}
        for model in self.by_id.values():
            layers.setdefault(model.layer, []).append(model)
        return layers

    @cached_property
    def _by_source(self) -> dict[tuple[str, Source], Model]:
        return {(model.layer, model.source): model for model in self.by_id.values() if model.layer in DATA_LAYERS}

    @cached_property
    def _by_relation(self) -> dict[str, Model]:
        return {model.relation: model for model in self.by_id.values()}

    def of_layer(self, layer: str) -> list[Model]:
        """Returns the models of a layer, in the order of the graph."""
        return self._by_layer.get(layer, [])

    def of_source(self, layer: str, cdc: TableConfig) -> Model | None:
        """Returns the model that a layer has of a source table.

        Args:
            layer: one of `DATA_LAYERS`.
            cdc: of the table in any layer.
        """
        return self._by_source.get((layer, cdc.source))

    def of_relation(self, relation: str) -> Model | None:
        """Returns the model that makes a relation, ``schema.alias``."""
        return self._by_relation.get(relation)

    def describe(self, relation: str) -> TableConfig:
        """Returns the description of a table.

        Args:
            relation: ``schema.alias``.

        Raises:
            LakehouseError: no model of the pipeline makes it.
        """
        model = self.of_relation(relation)
        if model is None:
            tables = ", ".join(sorted(model.relation for model in self.by_id.values() if model.layer in DATA_LAYERS))
            raise LakehouseError(
                f"CDC error: {relation} is no table of the pipeline. Expected one of: {tables or 'none'}."
                " Name such a table, or run make models if its row is new in seeds/cdc_tables.csv."
            )
        return model.cdc


def ask_models(warehouse: Warehouse, nodes: Iterable[Any]) -> Models:
    """Reads the models of the pipeline, once a command.

    Args:
        warehouse: keeps the answer.
        nodes: as for `read_models`.
    """
    models: Models = warehouse.ask_once("models", lambda: read_models(nodes))
    return models


def find_relation(warehouse: Warehouse, model: Model | None) -> Relation | None:
    """Returns the relation of a model; None: there is no model, or it has not been built yet."""
    if model is None:
        return None
    return warehouse.get_relation(database=model.database, schema=model.schema, identifier=model.alias)


def list_built(
    warehouse: Warehouse | None, tables: Iterable[Mapping[str, Any]], layer: str, ref: Callable[[str], Any]
) -> list[dict[str, Any]]:
    """Returns the tables that have a model in a layer and whose relation exists, each with its relation.

    A table whose first build failed has no relation, and one such table must not keep a view over all of them from
    being made; without any the view fails and names them.

    Args:
        warehouse: has the relations; None: dbt parses, and all tables count.
        tables: as the macro cdc_tables has them.
        layer: ``bronze``, ``silver`` or ``split``.
        ref: dbt's, of the model that asks.
    """
    in_layer = [{**table, "relation": ref(table[layer])} for table in tables if layer in table]
    if warehouse is None:
        return in_layer
    relations = [table["relation"] for table in in_layer]
    built = [warehouse.get_relation(None, relation.schema, relation.identifier) is not None for relation in relations]
    return [table for table, is_built in zip(in_layer, built, strict=True) if is_built] or in_layer


def read_models(nodes: Iterable[Any]) -> Models:
    """Finds the models of the pipeline.

    Args:
        nodes: of dbt's graph or manifest, as objects or as mappings.

    Raises:
        UsageError: with the mistakes of all models, as for `read_config`.
    """
    nodes = [node for node in nodes if read_layer(node) is not None]
    problems = [problem for node in nodes for problem in list_problems(_stated(node), _field(node, "name"))]
    if problems:
        raise UsageError(problems)
    models = (read_model(node) for node in nodes)
    return Models({model.unique_id: model for model in models if model})


def read_model(node: Any) -> Model | None:
    """Reads one node of dbt's; None if it is no model, or a model of the user's that has no layer."""
    layer = read_layer(node)
    if layer is None:
        return None
    return Model(
        unique_id=_field(node, "unique_id"),
        name=_field(node, "name"),
        database=_field(node, "database"),
        schema=_field(node, "schema"),
        alias=_field(node, "alias"),
        description=_field(node, "description") or "",
        layer=layer,
        cdc=read_cdc(node),
        lag_limit_minutes=_meta(node).get("lag_limit_minutes"),
        config=_field(node, "config"),
    )


def read_layer(node: Any) -> str | None:
    """Reads the layer of a node; None if it is no model, or has none."""
    return _stated(node).get("layer") if str(_field(node, "resource_type")) == "model" else None


def holds_data(node: Any) -> bool:
    """Returns whether a node is a model of one of `DATA_LAYERS`."""
    return read_layer(node) in DATA_LAYERS


def count_layer(layer: str, nodes: Mapping[str, Any], unique_ids: Iterable[str]) -> int:
    """Counts the models of a layer among the nodes that a command runs.

    Args:
        layer: as in `Model`.
        nodes: of dbt's graph, by unique id.
        unique_ids: what runs; sources and exposures, which are no nodes, do not count.
    """
    return sum(read_layer(nodes[unique_id]) == layer for unique_id in unique_ids if unique_id in nodes)


def read_cdc(node: Any) -> TableConfig:
    """Reads the description of a model's table, as for `read_config`."""
    return read_config(_stated(node), _field(node, "name"))


def read_source(node: Any) -> Source | None:
    """Reads of which source table a node is; a data test may state it, too. None if it states none."""
    stated = _stated(node)
    return source_of(stated) if "feed" in stated else None


def source_of(row: Mapping[str, Any]) -> Source:
    """Returns feed, schema and table of a row of ``etl_metadata``, or of a node's description."""
    return row["feed"], row.get("source_schema"), row.get("source_table")


def _stated(node: Any) -> Mapping[str, Any]:
    return _meta(node).get("cdc") or {}


def _meta(node: Any) -> Mapping[str, Any]:
    return _field(_field(node, "config"), "meta") or {}


def _field(value: Any, name: str) -> Any:
    """Dbt hands nodes to programs as objects, and to macros and in its files as mappings."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
