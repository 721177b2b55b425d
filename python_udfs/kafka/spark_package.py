"""Spark's Kafka reader, a library that only a session needs which reads Kafka."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.events.logging import AdapterLogger
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparksession.packages import packages_at_hand
from python_udfs.kafka.client import KafkaError
from spark_files.capabilities import error_condition
from spark_files.errors import is_spark_error, spark_message
from spark_files.releases import kafka_reader_package

logger = AdapterLogger("Lakehouse")
PACKAGE = kafka_reader_package()


def kafka_reader(spark: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """The rows of Spark's batch reader of Kafka; its library is fetched if Spark was started without.

    Args:
        spark: the session to read with.
        options: of the reader.
    """
    reader = spark.read.format("kafka").options(**options)
    try:
        return reader.load()
    except AnalysisException as error:
        if error_condition(error) not in ("DATA_SOURCE_NOT_FOUND", None) and "kafka" not in str(error).lower():
            raise
    fetch(spark, PACKAGE)
    return reader.load()


def fetch(spark: SparkSession, package: str) -> None:
    """Adds a library to a Spark that runs.

    Args:
        spark: a session of it.
        package: coordinates in Maven, `group:artifact:version`.

    Raises:
        KafkaError: it cannot be fetched.
    """
    config = dict(spark.sparkContext.getConf().getAll()) | {"spark.jars.packages": package}
    try:
        with packages_at_hand(config):
            spark.sql(f"ADD JAR ivy://{package}")
    except Exception as error:
        if not is_spark_error(error):
            raise
        raise KafkaError(
            f"CDC error: Spark's reader of Kafka, {package}, cannot be fetched. Received: {spark_message(error)}."
            " Expected: a repository that has it, as for Iceberg. Where Maven Central cannot be reached, add it to"
            " SPARK_PACKAGES (docs/feeds/kafka.md). Nothing was read."
        ) from None
