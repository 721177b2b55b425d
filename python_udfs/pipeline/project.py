"""The tables of a project, for commands and hooks: they have no model of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.table import Model, Models, find_relation
from python_udfs.pipeline.table_config import TableConfig, WaitingConfig, add_silver
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, Writer, write_name


def find_built(warehouse: Warehouse, sql: Sql, names: Iterable[str]) -> Mapping[str, Relation]:
    """Returns the relations of those models that exist and have been built, by their names.

    A project that reads no Kafka lacks its views, and a new one lacks all.

    Args:
        warehouse: has the tables.
        sql: macros by name.
        names: of the models.
    """
    named = {name: sql["cdc_relation_of"](name) for name in names}
    return {
        name: relation
        for name, relation in named.items()
        if relation and warehouse.get_relation(relation.database, relation.schema, relation.identifier)
    }


@dataclass(frozen=True)
class Project:
    """The tables of a project, and the macros that write statements about them.

    Attributes:
        warehouse: dbt's adapter.
        sql: macros by name; they write the texts of statements.
        models: of the project.
    """

    warehouse: Writer
    sql: Sql
    models: Models

    def find_model(self, table: Any) -> Model:
        """Finds the silver model that a command is about.

        Args:
            table: name of the silver table, with or without its schema.

        Raises:
            LakehouseError: none is called so.
        """
        by_name = {model.alias: model for model in self.models.of_layer("silver")}
        name = str(table).split(".")[-1]
        if name not in by_name:
            expected = ", ".join(sorted(by_name)) or "none, no row of seeds/cdc_tables.csv is active"
            raise LakehouseError(f"CDC error: there is no silver table '{table}'. Expected one of: {expected}.")
        return by_name[name]

    def find_relation(self, model: Model | None) -> Relation | None:
        """Returns the relation of a model; None: there is no model, or it has not been built yet."""
        return find_relation(self.warehouse, model)

    def find_table(self, layer: str, cdc: TableConfig) -> Relation | None:
        """Returns the relation that a layer has of a source table; None: it has none yet."""
        return self.find_relation(self.models.of_source(layer, cdc))

    def name_relation(self, model: Model | str) -> Relation:
        """Returns the relation of a model, or of a name of one, whether it has been built or not."""
        relation: Relation = self.sql["cdc_relation_of"](model)
        return relation

    def find_built(self, names: Iterable[str]) -> Mapping[str, Relation]:
        """Returns the relations of those models that exist and have been built, by their names."""
        return find_built(self.warehouse, self.sql, names)

    def describe_bronze(self, bronze: Relation) -> WaitingConfig:
        """Returns the description of a bronze table with that of its silver table.

        Args:
            bronze: the table.
        """
        cdc = self.models.describe(write_name(bronze))
        silver = self.models.of_source("silver", cdc)
        columns = self.warehouse.get_columns_in_relation(bronze)
        return add_silver(cdc, silver.cdc if silver else None, columns)

    def count_rows(self, rows: Any) -> int:
        """Counts the rows of a table, or of a query in brackets."""
        return int(self.warehouse.query(self.sql["cdc_count_sql"](rows))[0]["row_count"])

    def ask_plain(self, rows_sql: str) -> list[Any]:
        """Runs a query; its rows have values that JSON can write: times as texts.

        Raises:
            LakehouseError: Spark cannot run it; it has Spark's message.
        """
        answer = self.warehouse.attempt(f"select to_json(struct(*)) as row_json from (\n{rows_sql}\n)")
        if answer["error"]:
            raise LakehouseError(answer["error"])
        return [json.loads(row["row_json"]) for row in answer["rows"]]

    def say(self, sentence: str) -> None:
        """Prints a sentence for the person who runs the command."""
        self.sql["print"](sentence)
