"""Classes of the Java process."""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import JavaClass
from pyspark import SparkContext


def java_class(name: str) -> Any:
    """A class of the Java process that Spark runs in, to construct objects and call static methods.

    pyspark's own way (`session._jvm.org.apache…`) has Java look for a class at each dot, in all of its jars: 4 ms for
    each use, the call itself 0.3.

    Args:
        name: the class with its package.

    Returns:
        The class; where Java has none of that name, using it raises Py4JError.
    """
    gateway: Any = SparkContext._gateway
    return JavaClass(name, gateway._gateway_client)
