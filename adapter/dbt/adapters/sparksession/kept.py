"""Old name of `spark_files.cached`, for python_udfs until it imports it from there."""

from __future__ import annotations

from spark_files import cached as kept

__all__ = ["kept"]
