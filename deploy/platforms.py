"""The platforms that the archive is made for (`make package PLATFORM=glue-5.1`), by the documentation of their vendor.

A release belongs here once each of its facts stands in a page that is named beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

_GLUE = "https://docs.aws.amazon.com/glue/latest/dg/"
_EMR = "https://docs.aws.amazon.com/emr/latest/ReleaseGuide/"
_GLUE_PAGES = (
    f"{_GLUE}release-notes.html",  # Spark, Scala, Python, Java
    f"{_GLUE}aws-glue-programming-etl-format-iceberg.html",  # Iceberg
    f"{_GLUE}aws-glue-programming-python-libraries.html",  # glibc
)


@dataclass(frozen=True)
class Platform:
    """A release of a service that runs Spark.

    Attributes:
        label: the service's own name of the release.
        spark: the version of Spark that the service has forked.
        scala: of its libraries.
        python: the version that the archive is made for; the service may have others beside it.
        iceberg: the version that the service brings, and that the archive does not use: docs/cluster.md#iceberg.
        files: the templates of deploy/ that its users fill.
        sources: pages that state these facts.
    """

    label: str
    spark: str
    scala: str
    python: str
    iceberg: str
    files: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def release(self) -> str:
        """The release of Spark, a key of `spark_files.releases.RELEASES`."""
        return ".".join(self.spark.split(".")[:2])


_OF_GLUE = ("glue.py", "glue-job.json", "aws-policy.json")
_OF_EMR = ("emr-serverless.json", "emr-step.json", "aws-policy.json")
# The pages of EMR's releases list Python, Scala, Spark and Iceberg together; its 7.x and 8.x are Amazon Linux 2023.
PLATFORMS = {
    "glue-5.1": Platform("5.1", "3.5.6", "2.12.18", "3.11", "1.10.0", _OF_GLUE, _GLUE_PAGES),
    "emr-7.12": Platform(
        "emr-7.12.0", "3.5.6", "2.12.18", "3.11", "1.10.0", _OF_EMR,
        (f"{_EMR}emr-release-app-versions-7.x.html", f"{_EMR}Spark-release-history.html"),
    ),
    "emr-7.13": Platform(
        "emr-7.13.0", "3.5.6", "2.12.18", "3.11", "1.10.0", _OF_EMR,
        (f"{_EMR}emr-7130-release.html", f"{_EMR}Spark-release-history.html"),
    ),
    "emr-spark-8.0": Platform(
        "emr-spark-8.0.0", "4.0.2", "2.13.16", "3.11", "1.10.1", _OF_EMR, (f"{_EMR}emr-spark800-release.html",),
    ),
    "emr-spark-8.1": Platform(
        "emr-spark-8.1.0", "4.1.1", "2.13.17", "3.11", "1.11.0", _OF_EMR, (f"{_EMR}emr-spark810-release.html",),
    ),
}  # fmt: skip
# Amazon Linux 2023 has glibc 2.34; uv and the package index know this name for it.
MACHINE = "x86_64-manylinux_2_28"


def platform_named(name: str) -> Platform:
    """The platform of `PLATFORM=`.

    Raises:
        SystemExit: it is not in the table.
    """
    if name not in PLATFORMS:
        raise SystemExit(
            f"PLATFORM={name} is no platform that the archive is made for; expected one of {', '.join(PLATFORMS)}."
            " For another one with Spark 3.5, 4.0 or 4.1, add its facts to deploy/platforms.py."
        )
    return PLATFORMS[name]
