"""The one Spark of a process of unit tests, set for a handful of rows."""

from __future__ import annotations

import tempfile
from functools import cache
from typing import TYPE_CHECKING

from tests.short_java import SHORT_JAVA

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@cache
def small_spark() -> SparkSession:
    """Its root session, started on first use. It ends with the process."""
    from pyspark.sql import SparkSession  # noqa: PLC0415  most unit tests need none

    settings = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"{SHORT_JAVA} -Xmn600m",
        "spark.buffer.pageSize": "1m",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(prefix="unit-warehouse-"),
    }
    session = SparkSession.builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
