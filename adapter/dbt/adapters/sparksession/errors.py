"""Old name of `spark_files.errors`, for python_udfs until it imports it from there."""

from __future__ import annotations

from spark_files.errors import is_spark_error, root_cause

__all__ = ["is_spark_error", "root_cause"]
