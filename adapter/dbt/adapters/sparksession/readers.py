"""What Iceberg's readers leave behind in Java."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext


def release_readers() -> None:
    """Close the memory allocators of readers that have ended, when nothing is read in this process.

    Iceberg's vectorised readers each make one and never close it (apache/iceberg 13937), a few hundred per batch and
    kilobyte each, for as long as Java lives. One that still holds memory is left to Iceberg.
    """
    context = SparkContext._active_spark_context
    if context is None or context._jvm is None:
        return
    jvm: Any = context._jvm
    iceberg = jvm.org.apache.iceberg
    try:
        allocators = iceberg.arrow.ArrowAllocation.rootAllocator().getChildAllocators()
    except TypeError:  # no such class: a name in py4j that is no class is a package, which cannot be called
        return
    # Of those that still hold memory it says so once all others are closed.
    with suppress(Py4JJavaError):
        iceberg.shaded.org.apache.arrow.util.AutoCloseables.close(allocators)
