"""Ways to apply a batch of changes to an Iceberg or Delta table, written by hand: what the project is measured against.

Each takes the rows of one batch from bronze, between two snapshots as the project does, and brings its own copy of the
table up to date.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import SparkSession

# Delta for the Spark that requirements.txt pins; what a session needs to write and merge its tables.
DELTA = "io.delta:delta-spark_4.1_2.13:4.4.0"
DELTA_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # The tasks that read a table's log; like shuffles, the default of 50 is for a cluster.
    "spark.databricks.delta.snapshotPartitions": "4",
}
MERGE_ON_READ = ", ".join(
    ["'write.distribution-mode' = 'none'"]
    + [f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("delete", "update", "merge")]
    + [f"'write.{kind}.distribution-mode' = 'none'" for kind in ("delete", "update", "merge")]
)


@dataclass(frozen=True)
class Batch:
    """The rows of one batch: a query on bronze with the columns of silver, `_cdc_…` included."""

    changes: str
    columns: tuple[str, ...]

    @property
    def newest(self) -> str:
        """The newest change of every key, found by an aggregate: a window would sort every row."""
        newest = f"select max_by(struct(*), _cdc_sequence) as change from ({self.changes}) group by id"
        return f"select change.* from ({newest})"

    @property
    def names(self) -> str:
        """The columns, for a list."""
        return ", ".join(self.columns)


def tuned_merge(spark: SparkSession, table: str, batch: Batch) -> None:
    """R1: one MERGE by a hash join, merge-on-read, without a distribution that nothing asks for."""
    _merge(spark, table, batch, f"select /*+ shuffle_hash(source) */ * from ({batch.newest}) as source")


def delta_merge(spark: SparkSession, table: str, batch: Batch) -> None:
    """R3: the same MERGE into a Delta table with deletion vectors; Delta chooses the join."""
    _merge(spark, table, batch, batch.newest)


def _merge(spark: SparkSession, table: str, batch: Batch, source: str) -> None:
    assignments = ", ".join(f"target.{name} = source.{name}" for name in batch.columns)
    values = ", ".join(f"source.{name}" for name in batch.columns)
    spark.sql(
        f"""
        merge into {table} as target using ({source}) as source
        on target.id = source.id
        when matched and source._cdc_operation = 'D' then delete
        when matched then update set {assignments}
        when not matched and source._cdc_operation <> 'D' then insert ({batch.names}) values ({values})
        """
    )


def stock_merge(spark: SparkSession, table: str, batch: Batch) -> None:
    """R2: what dbt-spark's merge strategy writes, on a table with Iceberg's defaults; a window finds the newest."""
    names = batch.names
    spark.sql(
        f"""
        create or replace temporary view stock as
        select {names} from (
            select *, row_number() over (partition by id order by _cdc_sequence desc) as place from ({batch.changes})
        ) where place = 1
        """
    )
    spark.sql(
        f"""
        merge into {table} as DBT_INTERNAL_DEST using stock as DBT_INTERNAL_SOURCE
        on DBT_INTERNAL_SOURCE.id = DBT_INTERNAL_DEST.id
        when matched and DBT_INTERNAL_SOURCE._cdc_operation = 'D' then delete
        when matched then update set *
        when not matched and DBT_INTERNAL_SOURCE._cdc_operation <> 'D' then insert *
        """
    )


def delete_and_append(spark: SparkSession, table: str, batch: Batch) -> None:
    """R5: a MERGE deletes by the keys of the batch, sent to every task; then an INSERT. Readers see both commits."""
    spark.sql(
        f"""
        merge into {table} as target using (
            select /*+ broadcast(source) */ * from (select distinct id from ({batch.changes})) as source
        ) as source
        on target.id = source.id
        when matched then delete
        """
    )
    spark.sql(
        f"insert into {table} ({batch.names}) select {batch.names} from ({batch.newest}) where _cdc_operation <> 'D'"
    )


def limit(spark: SparkSession, table: str, batch: Batch) -> None:
    """R4: no less can be done: read the batch and write it, and read the keys of the table."""
    spark.sql(f"select count(distinct id) from {table} where id % 2 = 0").collect()
    spark.sql(f"insert into {table}_limit ({batch.names}) select {batch.names} from ({batch.newest})")


@dataclass(frozen=True)
class Variant:
    """A way to apply a batch, and the table it works on."""

    name: str
    describes: str
    apply: Callable[[SparkSession, str, Batch], None]
    properties: str
    is_exact: bool = True
    data_source: str = "iceberg"
    schema: str = "reference"

    @property
    def table(self) -> str:
        """Its table, with the schema."""
        return f"{self.schema}.{self.name}"


VARIANTS = (
    Variant("r1", "R1 tuned MERGE", tuned_merge, f"'format-version' = '2', {MERGE_ON_READ}"),
    Variant("r2", "R2 stock MERGE", stock_merge, "'format-version' = '2'"),
    Variant(
        "r3",
        "R3 Delta MERGE",
        delta_merge,
        "'delta.enableDeletionVectors' = 'true'",
        data_source="delta",
        # Delta works in Spark's own catalog only, which the project leaves alone.
        schema="spark_catalog.default",
    ),
    Variant("r4", "R4 limit", limit, f"'format-version' = '2', {MERGE_ON_READ}", is_exact=False),
    Variant("r5", "R5 delete, append", delete_and_append, f"'format-version' = '2', {MERGE_ON_READ}"),
)
