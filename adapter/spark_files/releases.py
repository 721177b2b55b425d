"""The releases of Spark that the adapter runs on, and what each of them needs beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
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
        aws_sdk: of AWS's libraries in Iceberg's bundle; empty if Hadoop takes them from a bundle of its own.
        kafka: the version of Spark's reader of Kafka that resolves completely.
        ivy: the folder in the home of the user where Ivy keeps what it fetches.
    """

    tested: str
    scala: str
    java: str
    hadoop: str
    iceberg: str
    aws_sdk: str
    kafka: str
    ivy: str


RELEASES = {
    "3.5": Release("3.5.9", "2.12", "17", "3.3.4", "1.12.0", "", "3.5.7", ".ivy2"),
    "4.0": Release("4.0.5", "2.13", "17 or 21", "3.4.1", "1.11.0", "2.44.4", "4.0.0", ".ivy2.5.2"),
    "4.1": Release("4.1.4", "2.13", "17 or 21", "3.4.2", "1.12.0", "2.54.17", "4.1.1", ".ivy2.5.2"),
}

# The oldest versions (major, minor) that the project has run with: docs/cluster.md#iceberg.
LEAST_ICEBERG = (1, 10)
LEAST_ICEBERG_EMBEDDED = (1, 11)


def spark_release() -> str:
    """The release of the Spark that this Python has, such as `4.1`."""
    return ".".join(pyspark.__version__.split(".")[:2])


def release(spark: str = "") -> Release:
    """What belongs to a release of Spark; for one that was not tried, what belongs to the newest.

    Args:
        spark: such as `4.1`; empty for the Spark that this Python has.
    """
    return RELEASES.get(spark or spark_release(), RELEASES[max(RELEASES)])


def iceberg_runtime(spark: str = "") -> str:
    """Maven coordinates of Iceberg for a release of Spark, this Python's if none is given."""
    its = release(spark)
    return f"org.apache.iceberg:iceberg-spark-runtime-{spark or spark_release()}_{its.scala}:{its.iceberg}"


def iceberg_aws(spark: str = "") -> str:
    """Maven coordinates of Iceberg's libraries for AWS, of the same version."""
    return f"org.apache.iceberg:iceberg-aws-bundle:{release(spark).iceberg}"


def s3a(spark: str = "") -> str:
    """Maven coordinates of S3A, with commas.

    From 4.0 on it takes AWS's libraries from Iceberg's bundle, and two more of their version: AWS's own bundle has
    600 MB. Before, it needs AWS's older libraries, which come with it.
    """
    its = release(spark)
    libraries = ("apache-client", "s3-transfer-manager") if its.aws_sdk else ()
    more = [f"software.amazon.awssdk:{library}:{its.aws_sdk}" for library in libraries]
    return ",".join([f"org.apache.hadoop:hadoop-aws:{its.hadoop}", *more])


def refused_iceberg(version: str, settings: Mapping[str, str]) -> str:
    """Why a session may not work with a version of Iceberg; empty if it may.

    Args:
        version: as Iceberg gives it; forks add words to the number, and a build from source has none.
        settings: the session's.
    """
    number = re.match(r"(\d+)\.(\d+)", version)
    embedded = any(name.endswith(".uri") and value.startswith("jdbc:sqlite:") for name, value in settings.items())
    least = LEAST_ICEBERG_EMBEDDED if embedded else LEAST_ICEBERG
    if number is None or (int(number[1]), int(number[2])) >= least:
        return ""
    catalog = "a catalog in SQLite, which older ones lock for good" if embedded else "each catalog"
    return (
        f"Java has Iceberg {version}; expected {'.'.join(map(str, least))} or newer for {catalog}. Name"
        f" {iceberg_runtime()} in spark.jars.packages (or its jar in spark.jars), and take away the jar that the"
        " platform brings."
    )


def kafka_reader_package() -> str:
    """Maven coordinates of Spark's reader of Kafka for this Spark."""
    its = release()
    return f"org.apache.spark:spark-sql-kafka-0-10_{its.scala}:{its.kafka}"
