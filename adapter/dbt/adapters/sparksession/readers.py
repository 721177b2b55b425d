"""What Iceberg's readers leave behind in Java."""

from __future__ import annotations

from contextlib import suppress

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext

from dbt.adapters.sparksession.java import java_class


def release_readers() -> None:
    """Close the memory allocators of readers that have ended, when nothing is read in this process.

    Iceberg's vectorised readers each make one and never close it (apache/iceberg 13937), a few hundred per batch and
    kilobyte each, for as long as Java lives. One that still holds memory is left to Iceberg.
    """
    if SparkContext._active_spark_context is None:
        return
    try:
        allocators = java_class("org.apache.iceberg.arrow.ArrowAllocation").rootAllocator().getChildAllocators()
    except Py4JError:  # no such class
        return
    # Of those that still hold memory it says so once all others are closed.
    with suppress(Py4JJavaError):
        java_class("org.apache.iceberg.shaded.org.apache.arrow.util.AutoCloseables").close(allocators)
