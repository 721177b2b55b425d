"""Spark's Kafka reader, a library that only a session needs which reads Kafka."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.events.logging import AdapterLogger
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparksession.packages import packages_at_hand

logger = AdapterLogger("Lakehouse")
PACKAGE = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.1"


def kafka_reader(spark: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """The rows of Spark's batch reader of Kafka; its library is fetched where Spark was started without.

    Args:
        spark: the session to read with.
        options: of the reader.
    """
    reader = spark.read.format("kafka").options(**options)
    try:
        return reader.load()
    except AnalysisException as error:
        if error.getCondition() not in ("DATA_SOURCE_NOT_FOUND", None) and "kafka" not in str(error).lower():
            raise
    config = dict(spark.sparkContext.getConf().getAll()) | {"spark.jars.packages": PACKAGE}
    with packages_at_hand(config):
        spark.sql(f"ADD JAR ivy://{PACKAGE}")
    return reader.load()
