"""Old name of `spark_files.list_files`, for python_udfs until it imports it from there."""

from __future__ import annotations

from spark_files import list_files

__all__ = ["list_files"]
