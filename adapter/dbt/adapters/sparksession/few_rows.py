"""Settings for statements over few rows: to plan them again, or to start a task, takes longer than their work."""

from __future__ import annotations

from pyspark.sql import SparkSession

# Statements over more changes than these are worth several tasks, and to be planned again after each stage.
FEW_CHANGES = 10_000


def choose_settings_for_few_rows(is_one_task: bool = True) -> dict[str, str]:
    """Settings of a session whose statements are planned once, not again after each stage.

    Args:
        is_one_task: whether each stage is one task, too.
    """
    one_task = {"spark.sql.shuffle.partitions": "1"} if is_one_task else {}
    return {"spark.sql.adaptive.enabled": "false", **one_task}


def plan_once(session: SparkSession) -> None:
    """Have the statements of a session planned once, and each of their stages be one task."""
    for name, value in choose_settings_for_few_rows().items():
        session.conf.set(name, value)
