"""Spark configuration of an embedded Iceberg warehouse."""

from __future__ import annotations

from tests.one_java import start_settings


def spark_config(warehouse: str) -> dict[str, str]:
    """Configuration of an embedded Iceberg warehouse in the folder given."""
    catalog = "spark.sql.catalog.lakehouse"
    return {
        "spark.master": "local[2]",
        **start_settings(),
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{warehouse}/catalog.db?busy_timeout=60000",
        f"{catalog}.warehouse": f"file://{warehouse}",
        f"{catalog}.cache-enabled": "false",
        f"{catalog}.jdbc.schema-version": "V1",
        "spark.sql.defaultCatalog": "lakehouse",
        "spark.sql.warehouse.dir": f"{warehouse}/spark",
        # To compile queries on a handful of rows does not pay for itself either.
        "spark.buffer.pageSize": "1m",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
    }
