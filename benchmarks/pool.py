"""R6: what a team writes by hand for many tables, a pool of threads over one Spark session; a process of its own.

Per table: list the folder, read the new files with a schema that is given, append them to bronze, merge the newest
change of each key into silver. It keeps no progress and asks nothing: the same reads and writes, and no more.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from benchmarks.data import COLUMNS, TIMESTAMP_COLUMN
from benchmarks.variants import Batch, tuned_merge

SCHEMA = f"Op string, {TIMESTAMP_COLUMN} string, {COLUMNS}"


def main(settings_file: str) -> None:
    """Takes the change files of all tables.

    Args:
        settings_file: JSON with `spark` (settings), `folders` (of the tables' files, in order) and `threads`.
    """
    settings = json.loads(Path(settings_file).read_text())
    spark = SparkSession.builder.config(map=settings["spark"]).getOrCreate()
    with ThreadPoolExecutor(settings["threads"]) as threads:
        list(threads.map(lambda numbered: take(spark, *numbered), enumerate(settings["folders"])))
    spark.stop()


def take(spark: SparkSession, number: int, folder: str) -> None:
    """One table: its new files into bronze, and from there into silver."""
    paths = sorted(str(path) for path in Path(folder).glob("2*.parquet"))
    bronze, silver = f"reference_bronze.s__t{number}", f"reference_silver.s__t{number}"
    rows = spark.read.schema(SCHEMA).parquet(*paths)
    columns = [column.split(" ")[0] for column in COLUMNS.split(", ")]
    place = F.concat_ws(".", rows["_metadata.file_name"], F.lpad(rows["_metadata.row_index"].cast("string"), 12, "0"))
    dbt_names = {
        "_cdc_operation": F.col("Op"),
        "_cdc_committed_at": F.col(TIMESTAMP_COLUMN).cast("timestamp"),
        "_cdc_sequence": place,
    }
    rows.select(
        *columns,
        *(
            dbt_names.get(field.name, F.lit(None)).cast(field.dataType).alias(field.name)
            for field in spark.table(bronze).schema
            if field.name.startswith("_cdc_")
        ),
    ).writeTo(bronze).append()
    wanted = tuple(spark.table(silver).columns)
    new_changes = f"select {', '.join(wanted)} from {bronze} where _cdc_sequence like '2%'"
    tuned_merge(spark, silver, Batch(new_changes, wanted))


if __name__ == "__main__":
    main(sys.argv[1])
