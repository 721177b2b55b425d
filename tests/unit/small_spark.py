"""The one Spark of a process of unit tests, set for a handful of rows."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.adapter.embedded import spark_config

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@cache
def small_spark() -> SparkSession:
    """Its root session, started on first use. It ends where tests of another kind begin."""
    # Most unit tests need none of these, which take a second to import.
    from dbt.adapters.sparksession.credentials import SparksessionCredentials  # noqa: PLC0415
    from dbt.adapters.sparksession.session import get_pool  # noqa: PLC0415

    folder = tempfile.mkdtemp(prefix="unit-spark-")
    config = {**spark_config(folder), "spark.master": "local[1]", "spark.sql.shuffle.partitions": "1"}
    del config["spark.sql.defaultCatalog"]
    credentials = SparksessionCredentials(schema="none", config=config)
    return get_pool(credentials, str(Path(__file__).resolve().parents[2]), folder).root
