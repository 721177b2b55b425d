"""DAGs beside the build: maintenance of the tables, quality of their content, documentation."""

from __future__ import annotations

from datetime import datetime, timezone

from airflow.sdk import DAG, CronTriggerTimetable
from lakehouse import POOL, ProjectCommand, default_arguments, retries


def daily(dag_id: str, hour: int, description: str) -> DAG:
    """A DAG that runs once a night, one run at a time."""
    return DAG(
        dag_id,
        description=description,
        schedule=CronTriggerTimetable(f"30 {hour} * * *", timezone="UTC"),
        start_date=datetime(2024, 1, 1, tzinfo=timezone.utc),
        catchup=False,
        max_active_runs=1,
        default_args=default_arguments(),
        tags=["lakehouse"],
    )


with daily("cdc_maintenance", 2, "Compacts tables, expires snapshots, removes orphan files"):
    # It may run beside a build, so that it needs no place in the pool.
    ProjectCommand(task_id="maintain", command=["dbt", "run-operation", "maintain"], **retries())

with daily("cdc_quality", 3, "Expectations of the tables' content; feeds that list no new file"):
    ProjectCommand(task_id="expectations", command=["make", "--no-print-directory", "quality"], pool=POOL, **retries())
    ProjectCommand(task_id="freshness", command=["dbt", "source", "freshness"], pool=POOL, **retries())

with daily("cdc_docs", 4, "The documentation as one page, target/static_index.html"):
    ProjectCommand(task_id="docs", command=["dbt", "docs", "generate", "--static"], pool=POOL, **retries())
