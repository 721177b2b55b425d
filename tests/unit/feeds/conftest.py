from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from python_udfs.feeds import find


@pytest.fixture(scope="package")
def spark():
    """One Spark for the tests of this folder, set for a handful of rows."""
    with (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    ) as session:
        yield session


@pytest.fixture
def found(spark):
    """What the names of objects tell: a function of the feed and the keys (with their size, if it is not 1)."""

    def of(feed, *keys):
        objects = [key if isinstance(key, tuple) else (key, 1) for key in keys]
        rules = find(feed)
        columns = [F.expr(text).alias(attribute) for attribute, text in vars(rules).items()]
        rows = spark.createDataFrame(objects, "object_key string, size bigint").select("object_key", *columns).collect()
        return {row.object_key: row for row in rows}

    return of
