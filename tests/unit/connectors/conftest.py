from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from python_udfs.connectors.registry import CONNECTORS
from spark_files.frames import make_frame


@pytest.fixture
def parse_names(spark):
    """The facts in the names of files: a function of the feed and the keys (with their size, if it is not 1)."""

    def of(feed, *keys):
        files = [key if isinstance(key, tuple) else (key, 1) for key in keys]
        rules = CONNECTORS[feed["connector"]].file_rules(feed)
        columns = [F.expr(text).alias(attribute) for attribute, text in vars(rules).items()]
        rows = make_frame(spark, files, "file_key string, size bigint").select("file_key", *columns).collect()
        return {row.file_key: row for row in rows}

    return of
