"""Judges the expectations of `seeds/cdc_expectations.csv` on silver tables. ``python -m python_udfs.quality``.

It fails if an expectation with severity ``error`` is not met; all results are in `etl_metadata.expectation_results`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from python_udfs.cli.console import add_project_dir, argument_parser, counted, run_command, say
from python_udfs.cli.dbt import spark_session
from python_udfs.cli.operation import Operations
from python_udfs.errors import LakehouseError, UsageError
from python_udfs.metadata import load_metadata
from python_udfs.paths import PROJECT_ROOT, target_folder
from python_udfs.quality.checks import Check, list_checks

SILVER, ETL_METADATA = "silver", "etl_metadata"


class QualityError(LakehouseError):
    """An expectation with severity ``error`` is not met."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judges, prints what failed and writes results and Data Docs.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        The exit code, see `run_command`.
    """
    parser = argument_parser("quality", __doc__)
    parser.add_argument("--tables", nargs="*", default=[], help="some silver tables (default: all)")
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)
    return run_command(lambda: _run(options.project_dir.resolve(), options.tables))


def chosen(checks: dict[str, list[Check]], tables: Iterable[str]) -> dict[str, list[Check]]:
    """The checks of some tables.

    Args:
        checks: by table.
        tables: names, with or without the schema; none: all.

    Raises:
        UsageError: tables without expectations.
    """
    names = [name.removeprefix(f"{SILVER}.") for name in tables]
    with_checks = ", ".join(checks) or "but there is none: seeds/cdc_expectations.csv has no rows"
    problems = [
        f"TABLES: found {name}; accepted: tables with expectations, {with_checks}."
        for name in names
        if name not in checks
    ]
    if problems:
        raise UsageError(problems)
    return {name: checks[name] for name in checks if name in names} if names else checks


def _run(project: Path, tables: Sequence[str]) -> None:
    metadata = load_metadata(project / "seeds")
    checks = chosen(list_checks(metadata), tables)
    if not checks:
        say("Nothing is expected: seeds/cdc_expectations.csv has no rows.")
        return
    # Modules that start Spark take a while to import.
    from python_udfs.quality.facts import fill_arguments, read_runs  # noqa: PLC0415
    from python_udfs.quality.gx import GreatExpectations  # noqa: PLC0415
    from python_udfs.quality.report import report  # noqa: PLC0415
    from python_udfs.quality.results import MODEL, append, read_passed_batches  # noqa: PLC0415
    from python_udfs.quality.run import Warehouse, run_checks  # noqa: PLC0415

    run_at = datetime.now(timezone.utc)
    say(f"Expectations of {len(checks)} tables")
    # dbt starts Spark with the profile's configuration. The operation takes no lock that a build holds.
    Operations(project).ask("cdc_make_results")
    spark = spark_session()
    catalog = str(spark.conf.get("spark.sql.defaultCatalog"))
    results, metrics = (f"{catalog}.{ETL_METADATA}.{name}" for name in (MODEL, "run_metrics"))
    batches = [
        fill_arguments(check).get("batches", 0) for of_table in checks.values() for check in of_table if check.is_cdc
    ]
    has_runs = bool(batches) and spark.catalog.tableExists(metrics)
    warehouse = Warehouse(
        spark=spark,
        catalog=catalog,
        schema=SILVER,
        keys={table.target_table: table.primary_key for table in metadata.active_tables},
        passed=read_passed_batches(spark, results),
        runs=read_runs(spark, metrics, max(batches) + 1) if has_runs else {},
        run_at=run_at,
    )
    expectations = GreatExpectations(run_at)
    outcomes = run_checks(warehouse, checks, expectations)
    append(spark, results, run_at, SILVER, outcomes)
    page = expectations.write_docs(target_folder(project) / "quality")
    say(report(outcomes, SILVER))
    say(f"Data Docs: {page}")
    failed = sum(outcome.fails for outcome in outcomes)
    if failed:
        raise QualityError(
            f"{counted(failed, 'expectation')} with severity error failed. Correct the rows at the"
            " source, or the expectation in seeds/cdc_expectations.csv (then make models), and run make quality again."
        )


if __name__ == "__main__":
    sys.exit(main())
