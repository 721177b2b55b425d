"""What a catalog of Iceberg holds, asked without a statement: Spark plans one as long as it takes to list."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from spark_files import internals
from spark_files.errors import is_missing_schema, is_unsupported
from spark_files.internals import java_class


def relation_names(session: SparkSession, catalog: str, schema: str) -> tuple[list[str], list[str]]:
    """The names of a schema's tables, and of its views; none where there is no such schema, or no views at all.

    Args:
        session: any session of the catalog.
        catalog: its name; one of Iceberg (`org.apache.iceberg.spark.SparkCatalog`).
        schema: a schema of one level.
    """
    iceberg = internals.catalog(session, catalog)
    text = java_class("java.lang.Class").forName("java.lang.String")
    namespace = java_class("java.lang.reflect.Array").newInstance(text, 1)
    namespace[0] = schema
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


def _names(identifiers: Any) -> list[str]:
    return [str(identifier.name()) for identifier in identifiers]
