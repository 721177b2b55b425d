"""Measures the cost of splitting transaction files of many tables, beside one scan and one write of the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, measured, middle
from benchmarks.lake import project as new_project

FEED = "multi"
FILES = 8


@dataclass
class Split:
    """Costs of one batch of files: the split, the same rows written by hand, and a copy of the lines."""

    tables: int
    rows: int
    ours: Cost
    by_hand: Cost
    copy: Cost


def measure(root: Path, tables: int, rows: int, repeats: int, warm_up: int) -> Split:
    """Splits batches of 8 files with rows of all tables.

    Args:
        root: an empty folder.
        tables: how many tables the files hold.
        rows: records of a batch.
        repeats: how many batches.
        warm_up: batches before that, while Java compiles what runs in each.

    Raises:
        WrongResult: a table has another number of records than the files hold of it.
    """
    project = new_project(root)
    project.add_feed(FEED, "csv", "timestamp_column=ts;transaction_files=true")
    for number in range(tables):
        project.add_table(FEED, f"t{number}", columns="id int, v string, w string")
    project.make_models()
    costs: list[tuple[Cost, Cost, Cost]] = []
    for batch in range(warm_up + repeats):
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
        with measured() as by_hand:
            _by_hand(spark.read.text(paths)).writeTo(f"etl_metadata.by_hand_{batch}").using("iceberg").partitionedBy(
                F.col("source_schema"), F.col("source_table")
            ).create()
        with measured() as copy:
            spark.read.text(paths).writeTo(f"etl_metadata.copy_{batch}").using("iceberg").create()
        costs.append((Cost(cost.wall - idle.wall, cost.cpu - idle.cpu), by_hand, copy))
    counts = project.sql(
        f"select count(*) as n from etl_metadata.split_{FEED} where source_table is not null group by source_table"
    )
    expected = [(warm_up + repeats) * FILES * (rows // FILES // tables)] * tables
    if sorted(row.n for row in counts) != expected:
        raise WrongResult(f"records by table: {sorted(row.n for row in counts)}, expected {expected}")
    return Split(tables, rows, *(middle(series) for series in zip(*costs[warm_up:], strict=True)))


def _by_hand(lines: DataFrame) -> DataFrame:
    """The columns of the split table, from one scan; without line numbers, and names never quoted."""
    return lines.select(
        F.col("_metadata.file_path").alias("path"),
        F.col("_metadata.file_name").alias("file_key"),
        F.current_timestamp().alias("file_time"),
        F.col("_metadata.file_modification_time").alias("modified_at"),
        F.lit(1).cast("bigint").alias("batch_id"),
        F.monotonically_increasing_id().alias("file_row"),
        F.substring_index(F.substring_index("value", ",", 3), ",", -1).alias("source_schema"),
        F.substring_index(F.substring_index("value", ",", 2), ",", -1).alias("source_table"),
        F.col("value").alias("content"),
    )


def _write(folder: Path, number: int, tables: int, rows: int) -> str:
    """One transaction file, as many records of each table, in turn (docs/feeds/dms_format.md, Transaction files)."""
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
