"""What an Iceberg table states about itself: columns, key, properties, statistics.

A schema changes in one commit; SQL makes a commit, and a metadata file, of each column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import SparkSession

from spark_files.internals import all_settings, iceberg_table, java_class, read_numbers

# Values of these types are not equal in each engine, and Iceberg identifies no row by them.
_UNFIT_FOR_KEYS = ("FLOAT", "DOUBLE")


def change_columns(
    session: SparkSession, table: str, renames: Mapping[str, str], types: Mapping[str, str], added: Mapping[str, str]
) -> None:
    """Renames, widens and adds columns in one commit.

    Args:
        session: that finds the table.
        table: its name in SQL.
        renames: new names by old ones, whose case may be another.
        types: wider types, as Spark writes them, by the names that the columns have afterwards.
        added: types of new columns by their names, in their order.

    Raises:
        Py4JJavaError: Iceberg refuses a change, or another commit came between.
    """
    if not (renames or types or added):
        return
    # As SQL does: a transaction is tried again on top of a commit that came between.
    transaction = iceberg_table(session, table).newTransaction()
    update = transaction.updateSchema().caseSensitive(False)
    old_names = {new: old for old, new in renames.items()}
    for old, new in renames.items():
        update.renameColumn(old, new)
    for name, wider in types.items():
        update.updateColumn(old_names.get(name, name), _iceberg_type(wider))
    for name, new_type in added.items():
        # Without a parent a name that holds a dot would be taken for a field of a struct.
        update.addColumn(None, name, _iceberg_type(new_type))
    update.commit()
    transaction.commitTransaction()


def identify_rows(session: SparkSession, table: str, columns: Iterable[str]) -> bool:
    """Makes columns required, and Iceberg's identifier fields of a table, in one commit, unless it states them.

    Args:
        session: that finds the table.
        table: its name in SQL; no row of it has NULL in one of the columns.
        columns: of its key; their case may be another.

    Returns:
        Whether the table states them now. It cannot before the first row has brought the columns, and Iceberg takes no
        column of floating-point numbers.
    """
    iceberg = iceberg_table(session, table)
    schema = iceberg.schema()
    fields = [schema.caseInsensitiveFindField(name) for name in columns]
    if any(field is None or field.type().typeId().name() in _UNFIT_FOR_KEYS for field in fields):
        return False
    names = {field.fieldId(): field.name() for field in fields}
    former = read_numbers(schema.identifierFieldIds())
    if former != names.keys():
        transaction = iceberg.newTransaction()
        update = transaction.updateSchema().allowIncompatibleChanges()
        for name in names.values():
            update.requireColumn(name)
        update.setIdentifierFields(list(names.values()))
        for field_id in former - names.keys():
            update.makeColumnOptional(schema.findColumnName(field_id))
        update.commit()
        transaction.commitTransaction()
    return True


def default_properties(session: SparkSession, catalog: str | None) -> dict[str, str]:
    """Returns the properties that a catalog gives new tables.

    Args:
        session: with the settings of the catalog.
        catalog: the name of an Iceberg catalog; None: it is of another kind, and gives none.
    """
    start = f"spark.sql.catalog.{catalog}.table-default."
    settings = all_settings(session).items()
    return {name.removeprefix(start): value for name, value in settings if name.startswith(start)}


def has_statistics(session: SparkSession, table: str) -> bool:
    """Returns whether the current snapshot of a table has counts of distinct values; true if it has no snapshot."""
    iceberg = iceberg_table(session, table)
    current = iceberg.currentSnapshot()
    return current is None or any(file.snapshotId() == current.snapshotId() for file in iceberg.statisticsFiles())


def _iceberg_type(spark_type: str) -> Any:
    parsed = java_class("org.apache.spark.sql.types.DataType").fromDDL(spark_type)
    return java_class("org.apache.iceberg.spark.SparkSchemaUtil").convert(parsed)
