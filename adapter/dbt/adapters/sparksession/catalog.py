"""Reads the contents of an Iceberg catalog without a statement: Spark plans one as long as it takes to list."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from spark_files import internals
from spark_files.errors import is_missing_schema, is_unsupported
from spark_files.internals import java_class


def relation_names(session: SparkSession, catalog: str, schema: str) -> tuple[list[str], list[str]]:
    """The names of a schema's tables, and of its views; none if there is no such schema, or no views at all.

    Args:
        session: any session of the catalog.
        catalog: its name; one of Iceberg (`org.apache.iceberg.spark.SparkCatalog`).
        schema: a schema of one level.
    """
    iceberg = internals.catalog(session, catalog)
    namespace = _namespace(schema)
    try:
        tables = _names(iceberg.listTables(namespace))
    except Exception as error:
        if is_missing_schema(error):
            return [], []
        raise
    try:
        return tables, _names(iceberg.listViews(namespace))
    except Exception as error:
        if is_unsupported(error):
            return tables, []
        raise


def schema_names(session: SparkSession, catalog: str) -> list[str]:
    """The names of a catalog's schemas of one level.

    Args:
        session: any session of the catalog.
        catalog: its name; one of Iceberg (`org.apache.iceberg.spark.SparkCatalog`).
    """
    return [str(namespace[0]) for namespace in internals.catalog(session, catalog).listNamespaces()]


def has_views(session: SparkSession, catalog: str) -> bool:
    """Whether a catalog can hold views. To list them is no answer: one that cannot hold any lists none.

    Args:
        session: any session of the catalog.
        catalog: its name; one of Iceberg (`org.apache.iceberg.spark.SparkCatalog`).
    """
    # No view has this name. A catalog with views says so, and one without that it cannot rename views.
    name = java_class("org.apache.spark.sql.connector.catalog.Identifier").of(_namespace("dbt"), "no such view")
    try:
        internals.catalog(session, catalog).renameView(name, name)
    except Exception as error:
        return not is_unsupported(error)
    return True


def _namespace(schema: str) -> Any:
    text = java_class("java.lang.Class").forName("java.lang.String")
    namespace = java_class("java.lang.reflect.Array").newInstance(text, 1)
    namespace[0] = schema
    return namespace


def _names(identifiers: Any) -> list[str]:
    return [str(identifier.name()) for identifier in identifiers]
