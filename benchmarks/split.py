"""What it costs to split transaction files of many tables, beside one scan and one write of the same rows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, measured
from tests.e2e.lakehouse import Lakehouse

FEED = "mixed"
FILES = 8


@dataclass
class Split:
    """Costs of one batch of files: the split, and the copy of its lines into one table."""

    tables: int
    rows: int
    ours: Cost
    copy: Cost


def measure(root: Path, tables: int, rows: int) -> Split:
    """Splits one batch to warm up and one that counts, each of 8 files with the tables' rows mixed.

    Args:
        root: an empty folder.
        tables: how many tables the files hold.
        rows: records of a batch.

    Raises:
        WrongResult: a table has another number of records than the files hold of it.
    """
    os.environ["LAKEHOUSE_RAW"], os.environ["LAKEHOUSE_WAREHOUSE"] = str(root / "raw"), str(root / "warehouse")
    project = Lakehouse(root, spark_settings=None)
    project.add_feed(FEED, "csv", "timestamp_column=ts;transaction_files=true")
    for number in range(tables):
        project.add_table(FEED, f"t{number}", columns="id int, v string, w string")
    project.make_models()
    costs = []
    for batch in range(2):
        folder = root / "raw" / FEED / "cdc"
        paths = [_write(folder, batch * FILES + part, tables, rows // FILES) for part in range(FILES)]
        project.dbt("--quiet", "run", "--select", "raw_listing", "rejected_files")
        with measured() as cost:
            outcome = project.dbt("--quiet", "run", "--select", f"split_{FEED}")
        if not outcome.success:
            raise RuntimeError(f"the split failed: {outcome.exception or project.messages}")
        with measured() as idle:
            project.dbt("--quiet", "run", "--select", f"split_{FEED}")
        spark = SparkSession.builder.getOrCreate()
        with measured() as copy:
            spark.read.text(paths).writeTo(f"etl_metadata.copy_{batch}").using("iceberg").create()
        costs.append((Cost(cost.wall - idle.wall, cost.cpu - idle.cpu), copy))
    found = project.sql(
        f"select count(*) as n from etl_metadata.split_{FEED} where source_table is not null group by source_table"
    )
    expected = [2 * FILES * (rows // FILES // tables)] * tables
    if sorted(row.n for row in found) != expected:
        raise WrongResult(f"records by table: {sorted(row.n for row in found)}, expected {expected}")
    ours, plain = costs[-1]
    return Split(tables, rows, ours, plain)


def _write(folder: Path, number: int, tables: int, rows: int) -> str:
    """One transaction file, as many records of each table, in turn (docs/contracts.md section 1.4)."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"CDC_TXN-20240101000000{number:03d}.csv"
    rows -= rows % tables
    path.write_text(
        "".join(
            f'I,t{row % tables},s,2024-01-01 00:00:00.{row % 1_000_000:06d},{row},"text, {row * 7919}",remark {row}\n'
            for row in range(rows)
        )
    )
    return str(path)
