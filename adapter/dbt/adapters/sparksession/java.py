"""Old name of `spark_files.internals.java_class`, for python_udfs until it calls `spark_files.qualified` instead."""

from __future__ import annotations

from spark_files.internals import java_class

__all__ = ["java_class"]
