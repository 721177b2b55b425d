"""Old name of `spark_files.read_files`, for python_udfs and tests/unit until they import it from there."""

from __future__ import annotations

from spark_files import read_files

__all__ = ["read_files"]
