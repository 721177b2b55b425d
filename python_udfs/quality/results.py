"""The table `etl_metadata.expectation_results`: what each run of the checks found, appended in one commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from python_udfs.quality.checks import CDC
from spark_files.frames import make_frame

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from pyspark.sql import SparkSession

    from python_udfs.quality.checks import Outcome

MODEL = "expectation_results"


def read_passed_batches(spark: SparkSession, relation: str) -> dict[str, int]:
    """Up to which batch the rows of each table have passed.

    A run in which a row with severity ``error`` failed does not count: its rows are read again until they pass.

    Args:
        spark: the session to read with.
        relation: of the results.

    Returns:
        The last batch of the newest run that counts, by table.
    """
    rows = spark.sql(
        "with runs as (select silver_table, run_at, max(batch_id) as batch_id,"
        " bool_or(severity = 'error' and success = false) as has_failed"
        f" from {relation} where scope = 'batch' and not startswith(expectation, '{CDC}')"
        " group by silver_table, run_at)"
        " select silver_table, max_by(batch_id, run_at) as batch_id from runs where not has_failed"
        " group by silver_table"
    ).collect()
    return {row.silver_table.split(".", 1)[-1]: row.batch_id for row in rows if row.batch_id is not None}


def append(spark: SparkSession, relation: str, run_at: datetime, schema: str, outcomes: Iterable[Outcome]) -> None:
    """Adds the outcomes of a run, in one commit.

    Args:
        spark: the session to write with.
        relation: of the results.
        run_at: when the run started.
        schema: of the silver tables.
        outcomes: of all tables.
    """
    rows = [
        (
            run_at,
            f"{schema}.{outcome.check.table}",
            outcome.check.columns or None,
            outcome.check.row.expectation,
            outcome.check.row.severity,
            outcome.check.row.scope,
            outcome.check.row.row_condition or None,
            outcome.success,
            outcome.observed or None,
            outcome.expected or None,
            outcome.message or None,
            outcome.snapshot_id,
            outcome.batch_id,
        )
        for outcome in outcomes
    ]
    if rows:
        columns = spark.table(relation).schema
        make_frame(spark, rows, columns).coalesce(1).writeTo(relation).append()
