"""The metadata of the project: feeds, tables, columns and expectations, read from the seeds and checked as a whole.

No Spark and no dbt is needed. The headers and words accepted here are documented in ``seeds/_seeds.yml``.
"""

from __future__ import annotations

from python_udfs.metadata.expectations import Expectation
from python_udfs.metadata.feeds import Feed
from python_udfs.metadata.files import COLUMNS_FILE, EXPECTATIONS_FILE, FEEDS_FILE, HEADERS, TABLES_FILE
from python_udfs.metadata.load import Metadata, load_metadata
from python_udfs.metadata.options import FeedOptions
from python_udfs.metadata.tables import Table

__all__ = [
    "COLUMNS_FILE",
    "EXPECTATIONS_FILE",
    "FEEDS_FILE",
    "HEADERS",
    "TABLES_FILE",
    "Expectation",
    "Feed",
    "FeedOptions",
    "Metadata",
    "Table",
    "load_metadata",
]
