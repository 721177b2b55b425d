"""The silver tables at fixed snapshots: what they are, and the rows that an expectation is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dbt.adapters.sparksession import snapshots
from python_udfs.metadata.names import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession

# Names that Great Expectations hands to Spark as a path into a struct.
_PATH = re.compile(r"[.`]")


@dataclass(frozen=True)
class SilverTable:
    """A silver table at the snapshot that all its expectations are judged on.

    Attributes:
        name: the table inside its schema, as the cell ``target_table`` names it.
        relation: ``catalog.schema.table``, quoted for Spark SQL.
        snapshot_id: the snapshot; 0: the table has none.
        batch_id: the last batch that the snapshot has applied.
        types: Spark's short type name by column, at the snapshot.
        key: columns of the key.
    """

    name: str
    relation: str
    snapshot_id: int
    batch_id: int
    types: dict[str, str] = field(default_factory=dict)
    key: tuple[str, ...] = ()

    def frame(
        self,
        spark: SparkSession,
        columns: Iterable[str],
        condition: str = "",
        since_batch_id: int | None = None,
        snapshot_id: int | None = None,
    ) -> DataFrame:
        """Rows of the table with some of its columns, under the names that `alias` gives them.

        Args:
            spark: the session to read with.
            columns: names of columns of the table.
            condition: in Spark SQL; empty: all rows.
            since_batch_id: rows of later batches only; None: all.
            snapshot_id: another snapshot than the table's own.
        """
        names = [f"{quoted(name)} as {quoted(alias(name, self.types))}" for name in columns]
        # The end of a line ends a comment in the condition.
        conditions = [f"({condition}\n)"] if condition else []
        if since_batch_id is not None:
            conditions.append(f"_cdc_batch_id > {since_batch_id}")
        where = f" where {' and '.join(conditions)}" if conditions else ""
        source = f"{self.relation} version as of {snapshot_id or self.snapshot_id}"
        return spark.sql(f"select {', '.join(names) or '1 as one'} from {source}{where}")


def alias(name: str, names: Iterable[str]) -> str:
    """The name that a column has in Great Expectations: its own, but for characters that mean a path.

    Args:
        name: of a column.
        names: of all columns of the table: no alias is one of these.
    """
    if not _PATH.search(name):
        return name
    free_name, taken = _PATH.sub("_", name), {other.lower() for other in names}
    while free_name.lower() in taken:
        free_name += "_"
    return free_name


def open_table(spark: SparkSession, name: str, parts: Sequence[str], key: Sequence[str]) -> SilverTable:
    """A silver table at its current snapshot. Runs no Spark job.

    Args:
        spark: the session to read with.
        name: as the cell ``target_table`` names it.
        parts: catalog, schema and table.
        key: columns of its key.

    Raises:
        pyspark.errors.PySparkException: the table does not exist, or cannot be read.
        py4j.protocol.Py4JJavaError: the same.
    """
    plain, relation = ".".join(parts), ".".join(map(quoted, parts))
    schema = spark.table(relation).schema
    snapshot_id = snapshots.head(spark, plain)
    if snapshot_id:
        schema = spark.sql(f"select * from {relation} version as of {snapshot_id}").schema
    summary = snapshots.newest_summary(spark, plain, "cdc.batch-id") if snapshot_id else {}
    types = {field.name: field.dataType.typeName() for field in schema.fields}
    return SilverTable(name, relation, snapshot_id, int(summary.get("cdc.batch-id") or 0), types, tuple(key))


def find_older_snapshot(spark: SparkSession, table: SilverTable, days: float) -> int | None:
    """The newest snapshot that is at least so many days older than the table's, else the oldest one left; None: none.

    Args:
        spark: the session to read with.
        table: the table.
        days: 0: the snapshot before the table's.
    """
    rows: list[Any] = spark.sql(
        "select h.snapshot_id, h.made_current_at from "
        f"{table.relation}.history as h where h.is_current_ancestor order by h.made_current_at"
    ).collect()
    ids = [row.snapshot_id for row in rows]
    if table.snapshot_id not in ids:
        return None
    at = ids.index(table.snapshot_id)
    now = rows[at].made_current_at
    old = [row.snapshot_id for row in rows[:at] if (now - row.made_current_at).total_seconds() >= days * 86_400]
    return old[-1] if old else (ids[0] if at else None)
