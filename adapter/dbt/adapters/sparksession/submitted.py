"""dbt below spark-submit, which has started Java and decided where Spark runs before the profile is read."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pyspark import SparkConf

# spark-submit has applied these already; the profile's values describe another driver.
_OF_THE_START = ("spark.jars", "spark.files", "spark.archives", "spark.driver.", "spark.submit.")
# How the project reads and writes: never left to the defaults of a cluster.
_OF_THE_PROJECT = ("spark.sql.", "spark.hadoop.", "spark.redaction.")


def is_submitted() -> bool:
    """Whether this process was started by spark-submit, also as the driver inside a cluster."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def beside_spark_submit(config: Mapping[str, str]) -> dict[str, str]:
    """Returns the settings that the profile still decides after spark-submit has started Java.

    Args:
        config: the profile's settings of Spark.

    Returns:
        The settings of the project (`spark.sql.`, `spark.hadoop.`, `spark.redaction.`), and of the others those that
        are not about the start of the driver and that neither spark-submit nor the cluster's defaults give.
    """
    given = SparkConf()
    return {
        name: value
        for name, value in config.items()
        if name.startswith(_OF_THE_PROJECT) or not (name.startswith(_OF_THE_START) or given.contains(name))
    }
