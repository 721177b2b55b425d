"""Measures the cost of the checks of many tables in one process, beside the build of the same tables."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, Lake
from benchmarks.tables import LOADED_ROWS, process_cost
from python_udfs.metadata import EXPECTATIONS_FILE, HEADERS

# Column, expectation, arguments and scope, of each table; each of them is met.
EXPECTATIONS: tuple[tuple[str, str, dict[str, object], str], ...] = (
    ("id", "expect_column_values_to_be_between", {"min_value": 0}, "batch"),
    ("", "expect_table_row_count_to_be_between", {"min_value": 1}, "table"),
    ("quantity", "expect_column_mean_to_be_between", {"min_value": -1e9, "max_value": 1e9}, "table"),
    ("quantity", "expect_column_values_to_be_between", {"min_value": -1_000_000_000}, "table"),
    ("", "cdc_lag_to_be_at_most", {"minutes": 1e9}, "batch"),
)


@dataclass
class Quality:
    """Costs of whole processes: the build of a change file of each table, without tests, and the checks after it."""

    tables: int
    build: Cost
    checks: Cost


def measure(root: Path, tables: int, changes: int) -> Quality:
    """Builds the tables, has them take a change file each, and judges five expectations of each.

    Args:
        root: an empty folder.
        tables: how many.
        changes: changes per table.

    Raises:
        WrongResult: not all expectations were judged and met.
    """
    lake = Lake(root, tables)
    lake.project.rows[EXPECTATIONS_FILE] = [
        _row(number, *expectation) for number in range(tables) for expectation in EXPECTATIONS
    ]
    lake.project.make_models()
    sources = [lake.files(number, seed=number) for number in range(tables)]
    for source in sources:
        source.load(LOADED_ROWS)
    lake.dbt("build")
    for source in sources:
        source.change(changes)
    dbt = str(Path(sys.executable).with_name("dbt"))
    where = lake.project.directories
    build = process_cost([dbt, "--quiet", "build", "--exclude-resource-type", "test", *where])
    checks = process_cost([sys.executable, "-m", "python_udfs.quality", "--project-dir", str(lake.project.project)])
    met = lake.spark.sql("select count_if(success) from etl_metadata.expectation_results").collect()[0][0]
    if met != tables * len(EXPECTATIONS):
        raise WrongResult(f"{met} of {tables * len(EXPECTATIONS)} expectations were met")
    return Quality(tables, build, checks)


def _row(number: int, column: str, expectation: str, arguments: dict[str, object], scope: str) -> dict[str, str]:
    cells = (f"s__t{number}", column, expectation, json.dumps(arguments), "error", "", scope, "")
    return dict(zip(HEADERS[EXPECTATIONS_FILE], cells, strict=True))
