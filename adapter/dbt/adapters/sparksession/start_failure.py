"""Why Spark does not start: what to do, by what Java printed or Spark raised."""

from __future__ import annotations

import re

from spark_files.releases import release, spark_release

TAIL_LINES = 15
NEEDS_JAVA = f"Spark {spark_release()} needs Java {release().java}."
_JAVA = f"{NEEDS_JAVA} Install it, or point JAVA_HOME to it."
_OPTIONS = (
    "Java was given options that it does not take. Look at spark.driver.extraJavaOptions,"
    " spark.driver.defaultJavaOptions and the environment variables JAVA_TOOL_OPTIONS and JDK_JAVA_OPTIONS."
)
# The first pattern found decides. Each is a part of what a real failure printed: tests/adapter/test_start_failure.py.
_ADVICE = (
    (
        r"FindException: Module jdk\.incubator\.vector not found",
        "This Java lacks modules that Spark asks for: it is a runtime that was made for another program (by jlink)."
        f" Install a whole Java {release().java}, or point JAVA_HOME to one.",
    ),
    # Java 16 or older cannot read Spark's classes; Hadoop asks for what Java 24 no longer has.
    (r"UnsupportedClassVersionError: org/apache/spark/|getSubject is not supported", _JAVA),
    (
        r"\[(unresolved dependency|download failed): |Provided Maven Coordinates must be",
        "The libraries of spark.jars.packages could not be fetched. Check their names and versions and the way to the"
        " repository (network, proxy, spark.jars.ivySettings).",
    ),
    (
        r"Could not reserve enough space|insufficient memory for the Java Runtime",
        "The machine does not have the memory that spark.driver.memory asks for. Lower it.",
    ),
    (
        r"Invalid (maximum|initial) heap size|Initial heap size set to a larger value",
        "spark.driver.memory is not a size that Java takes. Expected a number and a unit, such as 2g.",
    ),
    (r"INVALID_DRIVER_MEMORY", "Raise spark.driver.memory."),
    (
        r"Improperly specified VM option|Multiple garbage collectors selected|Could not create the Java Virtual Machine"
        r"|Not allowed to specify max heap",
        _OPTIONS,
    ),
    (
        r"UnknownHostException[^\n]*\n(?:\tat [^\n]*\n)*?\tat java\.base/java\.net\.InetAddress\.getLocalHost",
        "The name of this machine does not resolve. Set the environment variable SPARK_LOCAL_IP: 127.0.0.1 where Spark"
        " runs on this machine only, else the address at which the executors find it.",
    ),
    (
        r"Service 'sparkDriver' (failed after|could not bind)|UnresolvedAddressException",
        "Spark cannot listen at spark.driver.bindAddress. Where Spark runs on this machine only, set spark.driver.host:"
        " localhost and spark.driver.bindAddress: 127.0.0.1.",
    ),
)


def advice(printed: str) -> str:
    """Returns the advice about a failed start.

    Args:
        printed: all that Java printed, or an error of Spark with its stack.

    Returns:
        A sentence or two; empty for a failure that is not known.
    """
    return next((text for pattern, text in _ADVICE if re.search(pattern, printed)), "")


def last_lines(printed: str) -> list[str]:
    """The end of what Java printed, without stacks and without the usage of `spark-submit` that follows an error."""
    said = printed.split("\nUsage: spark-submit", 1)[0]
    lines = [line for line in said.splitlines() if line.strip() and not re.match(r"\s*(at |\.\.\. \d+ more)", line)]
    return lines[-TAIL_LINES:]
