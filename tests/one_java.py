"""The one Java of a test process, and what it reads when it starts.

All kinds of tests run in one process after the other. Spark is started again where the next kind wants another
configuration; Java stays, which has compiled most of Spark's code by then.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

import jinja2
import yaml
from py4j.java_gateway import JVMView
from pyspark import SparkContext

from dbt.adapters.sparksession.credentials import resolve_coordinates

PROFILES = Path(__file__).resolve().parents[1] / "profiles" / "profiles.yml"
ARCHIVE = Path(sys.prefix) / "spark.jsa"  # tests.class_archive makes it
_WITH_ARCHIVE = f"-XX:SharedArchiveFile={ARCHIVE} -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off"
# More room for code and for classes saves collections of both. Spark's jars are those of the package index: to verify
# each of their 30,000 classes again takes a sixth of a short run.
SHORT_JAVA = (
    "-XX:ReservedCodeCacheSize=400m -XX:+UseSerialGC -XX:MetaspaceSize=256m -Xmn1g"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
# A Java that a test starts ends before the second compiler pays for itself.
CHILD_JAVA = f"{SHORT_JAVA} -XX:TieredStopAtLevel=1"
MEMORY = "6g"


def set_java() -> None:
    """Set the environment that this process, and those that it starts, start Java in."""
    os.environ["JAVA_TOOL_OPTIONS"] = f"{SHORT_JAVA} {_WITH_ARCHIVE}"
    os.environ["SPARK_DRIVER_MEMORY"] = MEMORY


def set_started_java() -> None:
    """Once this process has its Java: what it writes has no checksums, and a Java that a test starts is short-lived.

    A `.crc` beside each file on a local disk doubles the files that Hadoop makes, and the processes that it starts.
    """
    if SparkContext._jvm is not None:
        write_no_checksums(SparkContext._jvm)
        os.environ["JAVA_TOOL_OPTIONS"] = f"{CHILD_JAVA} {_WITH_ARCHIVE}"


@cache
def write_no_checksums(java: JVMView) -> None:
    """Of a Java, once: Java looks for a class at each dot of these names, and each test asks."""
    hadoop = java.org.apache.hadoop
    hadoop.fs.FileSystem.getLocal(hadoop.conf.Configuration()).setWriteChecksum(False)


@cache
def start_settings() -> dict[str, str]:
    """The settings of the target `local` that Java reads when it starts and another configuration cannot change."""
    environment = jinja2.Environment(autoescape=False)
    environment.filters["as_number"] = int
    environment.globals["env_var"] = lambda name, default="": os.environ.get(name, default)
    text = environment.from_string(PROFILES.read_text()).render()
    settings = yaml.safe_load(text)["lakehouse"]["outputs"]["local"]["config"]
    settings["spark.jars.packages"] = resolve_coordinates(settings["spark.jars.packages"])
    return {name: str(value) for name, value in settings.items() if name.startswith(("spark.driver.", "spark.jars"))}
