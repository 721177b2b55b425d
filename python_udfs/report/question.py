"""Asks for the stored numbers that the report shows: a few queries of small tables, none per table.

Gold tables record their numbers in their own commits: their metadata is read, and no row.
"""

from __future__ import annotations

from typing import Any

from python_udfs.gold.refreshes import list_refreshes
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.table import Model
from python_udfs.pipeline.warehouse import WritesSql


def ask_report(project: Project, runs: int) -> dict[str, Any]:
    """Asks for the tables, and for the stored numbers of their runs.

    Args:
        project: with the tables.
        runs: how many runs of each table, the newest ones.

    Returns:
        ``tables``: the silver models; ``gold``: as `list_refreshes`; and rows of ``runs``, ``incidents``, ``checks``,
        ``expectations``, ``gaps``, ``rejected`` and ``topics``; a list without rows if a table is not built yet.

    Raises:
        LakehouseError: one of the stored tables cannot be read.
    """
    sql = project.sql
    queries: dict[str, tuple[str, WritesSql]] = {
        "incidents": ("incidents", sql["cdc_report_incidents_sql"]),
        "checks": ("silver_checks", _select_all),
        "expectations": ("expectation_results", sql["cdc_report_expectations_sql"]),
        "gaps": ("kafka_gaps", _select_all),
        "topics": ("kafka_lag", _select_all),
    }
    stored = [name for name, _ in queries.values()]
    built = project.find_built([*stored, "run_metrics", "raw_listing", "rejected_files"])
    texts = {key: write(built[name]) for key, (name, write) in queries.items() if name in built}
    if "run_metrics" in built:
        texts["runs"] = sql["cdc_report_runs_sql"](built["run_metrics"], runs)
    rejected = built.get("rejected_files")
    if rejected and "raw_listing" in built and project.warehouse.may_have_values(rejected, "path"):
        texts["rejected"] = sql["cdc_report_rejected_sql"](built["raw_listing"], rejected)
    rows = {key: project.ask_plain(texts[key]) if key in texts else [] for key in (*queries, "runs", "rejected")}
    tables = [_describe(model) for model in project.models.of_layer("silver")]
    return {"tables": tables, "gold": list_refreshes(project), **rows}


def _select_all(relation: Any) -> str:
    return f"select * from {relation}"


def _describe(model: Model) -> dict[str, Any]:
    return {
        "model": model.name,
        "silver_table": model.relation,
        "name": model.alias,
        "feed": model.cdc.feed,
        "source_schema": model.cdc.source_schema,
        "source_table": model.cdc.source_table,
        "mode": model.cdc.mode,
        "description": model.description,
        "is_partitioned": model.config.get("partition_by") is not None,
        "lag_limit_minutes": model.lag_limit_minutes,
    }
