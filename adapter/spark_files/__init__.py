"""Reads exactly the files given, numbers their rows, leaves out what cannot be read. Imports nothing of dbt."""

from __future__ import annotations

from spark_files.cache_columns import cache_columns
from spark_files.cached import cached, cached_part
from spark_files.internals import read_name_encoding
from spark_files.list_files import Selection, count_unnamed, list_files, qualified
from spark_files.read_files import OptionError, read_files
from spark_files.widening import common_type, holds, is_promotion

__all__ = [
    "OptionError",
    "Selection",
    "cache_columns",
    "cached",
    "cached_part",
    "common_type",
    "count_unnamed",
    "holds",
    "is_promotion",
    "list_files",
    "qualified",
    "read_files",
    "read_name_encoding",
]
