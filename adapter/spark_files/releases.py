"""The releases of Spark that the adapter runs on, and what each of them needs beside it."""

from __future__ import annotations

from dataclasses import dataclass

import pyspark


@dataclass(frozen=True)
class Release:
    """What belongs to a release of Spark.

    Attributes:
        tested: the version that the tests run with.
        scala: of its libraries.
        java: the versions of Java that it runs on, in words.
        hadoop: of its libraries.
        iceberg: the version of Iceberg's runtime that the tests run with.
        kafka: the version of Spark's reader of Kafka that resolves completely.
        ivy: the folder in the home of the user where Ivy keeps what it fetches.
    """

    tested: str
    scala: str
    java: str
    hadoop: str
    iceberg: str
    kafka: str
    ivy: str


RELEASES = {
    "3.5": Release("3.5.9", "2.12", "17", "3.3.4", "1.12.0", "3.5.7", ".ivy2"),
    "4.0": Release("4.0.5", "2.13", "17 or 21", "3.4.1", "1.11.0", "4.0.2", ".ivy2.5.2"),
    "4.1": Release("4.1.4", "2.13", "17 or 21", "3.4.2", "1.12.0", "4.1.1", ".ivy2.5.2"),
}


def spark_release() -> str:
    """The release of the Spark that this Python has, such as `4.1`."""
    return ".".join(pyspark.__version__.split(".")[:2])


def release() -> Release:
    """What belongs to the Spark that this Python has; for one that was not tried, what belongs to the newest."""
    return RELEASES.get(spark_release(), RELEASES[max(RELEASES)])


def iceberg_runtime() -> str:
    """Maven coordinates of Iceberg for this Spark."""
    its = release()
    return f"org.apache.iceberg:iceberg-spark-runtime-{spark_release()}_{its.scala}:{its.iceberg}"


def iceberg_aws() -> str:
    """Maven coordinates of Iceberg's libraries for AWS, of the same version."""
    return f"org.apache.iceberg:iceberg-aws-bundle:{release().iceberg}"


def hadoop_aws() -> str:
    """Maven coordinates of S3A for this Spark."""
    return f"org.apache.hadoop:hadoop-aws:{release().hadoop}"


def kafka_reader_package() -> str:
    """Maven coordinates of Spark's reader of Kafka for this Spark."""
    its = release()
    return f"org.apache.spark:spark-sql-kafka-0-10_{its.scala}:{its.kafka}"
