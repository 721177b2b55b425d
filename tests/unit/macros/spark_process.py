"""Queries in the Spark of this process, in a session of a test module's own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from small_spark import small_spark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

VIEW = "raw_view"


@contextmanager
def spark_process() -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """A function that runs `query`; settings and temporary views last as long as the context."""
    session = small_spark().newSession()
    yield lambda *arguments: query(session, *arguments)


def query(session: SparkSession, sql: str, text_files: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Rows of a query, after the text files, if any, were made the view `raw_view` as a bronze model makes it."""
    if text_files:
        from spark_files import read_files  # noqa: PLC0415  needs pyspark

        rejected = read_files(session, VIEW, "text", list(text_files), {"verify": "full", "lineSep": "\n"})["rejected"]
        assert not rejected, rejected
    try:
        return [row.asDict() for row in session.sql(sql).collect()]
    except Exception as error:  # what is asked for is Spark's message
        raise RuntimeError(str(error)) from None
