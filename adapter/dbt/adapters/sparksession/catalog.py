"""What a catalog of Iceberg holds, asked without a statement: Spark plans one as long as it takes to list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.sparksession.errors import full_text

# How Iceberg says that there is no such schema, and that a catalog has no views.
_NOTHING = ("NoSuchNamespaceException", "UnsupportedOperationException")


def relation_names(session: SparkSession, catalog: str, schema: str) -> tuple[list[str], list[str]]:
    """The names of a schema's tables, and of its views; none where there is no such schema.

    Args:
        session: any session of the catalog.
        catalog: its name; one of Iceberg (`org.apache.iceberg.spark.SparkCatalog`).
        schema: a schema of one level.
    """
    iceberg = session._jsparkSession.sessionState().catalogManager().catalog(catalog)
    gateway: Any = session.sparkContext._gateway
    namespace = gateway.new_array(gateway.jvm.java.lang.String, 1)
    namespace[0] = schema
    return _names(iceberg.listTables, namespace), _names(iceberg.listViews, namespace)


def _names(listed: Callable[[Any], Any], namespace: Any) -> list[str]:
    try:
        return [str(identifier.name()) for identifier in listed(namespace)]
    except (Py4JJavaError, PySparkException) as error:
        if any(name in full_text(error) for name in _NOTHING):
            return []
        raise
