"""A Spark in a process of its own: the tests that follow in this one set up theirs differently."""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

VIEW = "raw_view"


@contextmanager
def spark_process() -> Iterator[Callable[..., list[dict[str, Any]]]]:
    """Run `query` in a process that ends with the context."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as process:
        yield lambda *arguments: process.submit(query, *arguments).result()


def query(sql: str, text_files: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Rows of a query, after the text files, if any, were made the view `raw_view` as a bronze model makes it."""
    session = _session()
    if text_files:
        from dbt.adapters.sparksession.read_files import read_files  # noqa: PLC0415  needs pyspark, as _session does

        rejected = read_files(session, VIEW, "text", list(text_files), {"verify": "full", "lineSep": "\n"})["rejected"]
        assert not rejected, rejected
    try:
        return [row.asDict() for row in session.sql(sql).collect()]
    except Exception as error:  # Spark's errors do not pass from process to process
        raise RuntimeError(str(error)) from None


@cache
def _session() -> SparkSession:
    from pyspark.sql import SparkSession  # noqa: PLC0415  only the child needs it

    settings = {
        "spark.master": "local[2]",
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmn600m -XX:MetaspaceSize=256m",
        "spark.buffer.pageSize": "1m",
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.warehouse.dir": tempfile.mkdtemp(),
    }
    session = SparkSession.builder.config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
