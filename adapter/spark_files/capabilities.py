"""What the releases of Spark do in different ways, each under one name: no other module asks which Spark it runs on.

All other code is the same on each release. Private names that an older release needs are in `internals`.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from spark_files import internals
from spark_files.releases import spark_release

# Stated in each session: releases and platforms have other defaults, and a table has to be the same on all of them.
SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.legacy.ctePrecedencePolicy": "CORRECTED",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInWrite": "CORRECTED",
    # `insert overwrite` replaces all rows, those of partitions that have none any more among them.
    "spark.sql.sources.partitionOverwriteMode": "static",
    # Rows of the driver are a part of the plan up to this size, and each rule of the optimizer compares them. With
    # Spark's default, refreshes of gold with 400,000 keys take twice the time (`python -m benchmarks --only gold`).
    "spark.sql.execution.arrow.localRelationThreshold": "256kb",
}
_IS_BEFORE_4 = spark_release() == "3.5"
_IS_BEFORE_4_1 = spark_release() in ("3.5", "4.0")
# Spark counts the rows of a MERGE in the snapshot that it makes.
COUNTS_MERGED_ROWS = not _IS_BEFORE_4_1
HAS_VARIANT = not _IS_BEFORE_4
# Spark reads the footer of a Parquet file that has a column of halves, if not the column.
READS_FOOTERS_WITH_HALVES = not _IS_BEFORE_4
# Spark names the file of any format that it cannot read.
NAMES_UNREADABLE_FILES = not _IS_BEFORE_4
# pandas on Spark raises an error in a session with the settings above.
PANDAS_ON_SPARK_REFUSES_ANSI = spark_release() == "4.0"
_views: list[str] = []


def commit_sql(session: SparkSession, sql: str, properties: Mapping[str, str]) -> DataFrame:
    """Run a statement; the snapshots that it makes record these properties.

    Args:
        session: session to run it in.
        sql: the statement.
        properties: by name; without any the statement is run as it is.
    """
    return internals.sql_with_commit_properties(session, sql, dict(properties)) if properties else session.sql(sql)


def append_frame(frame: DataFrame, table: str, properties: Mapping[str, str]) -> None:
    """Append the rows of a frame to a table of Iceberg; the snapshot records these properties.

    Args:
        frame: columns with the names of the table's.
        table: its name.
        properties: by name.
    """
    recorded = {f"snapshot-property.{name}": value for name, value in properties.items()}
    frame.writeTo(table).options(**recorded).append()


def appended_rows_sql(session: SparkSession, table: str, from_id: int, to_id: int) -> str:
    """The rows that were appended between two snapshots, for the from clause of a query.

    Before 4.0 SQL has no options of a table: a view of all sessions stands for them, because a query that is written in
    one session may run in another.

    Args:
        session: session to make the view in.
        table: name of a table of Iceberg.
        from_id: the first snapshot, which is left out.
        to_id: the last snapshot.
    """
    options = {"start-snapshot-id": str(from_id), "end-snapshot-id": str(to_id)}
    if not _IS_BEFORE_4:
        return f"{table} with ({', '.join(f'{name!r} = {value!r}' for name, value in options.items())})"
    view = f"rows_between_{uuid4().hex}"
    session.read.options(**options).table(table).createGlobalTempView(view)
    _views.append(view)
    return f"global_temp.{view}"


def drop_views_of_ranges(session: SparkSession) -> None:
    """Drop the views that `appended_rows_sql` has made."""
    while _views:
        session.catalog.dropGlobalTempView(_views.pop())


def try_cast(column: Column, data_type: str) -> Column:
    """The value as another type, NULL if it does not fit."""
    return internals.try_cast(column, data_type) if _IS_BEFORE_4 else column.try_cast(data_type)


def is_utf8_sql(text: str) -> str:
    """A condition in SQL: whether the bytes of a text are UTF-8; NULL for NULL."""
    # Before 4.0 other characters stand for wrong bytes once they are decoded; later releases fail there.
    return f"(decode({text}, 'UTF-8') = {text})" if _IS_BEFORE_4 else f"is_valid_utf8({text})"


def utf8_or_null_sql(text: str) -> str:
    """SQL of a text, NULL if its bytes are no UTF-8."""
    return f"if({is_utf8_sql(text)}, {text}, null)" if _IS_BEFORE_4 else f"try_validate_utf8({text})"


def as_utf8_sql(text: str) -> str:
    """SQL of a text with another character for bytes that are no UTF-8."""
    return f"decode({text}, 'UTF-8')" if _IS_BEFORE_4 else f"make_valid_utf8({text})"


def is_utf8(text: Column) -> Column:
    """Whether the bytes of a text are UTF-8; NULL for NULL."""
    return (F.decode(text.cast("binary"), "UTF-8") == text) if _IS_BEFORE_4 else F.is_valid_utf8(text)


def metadata_column(frame: DataFrame) -> Column:
    """The hidden columns of a frame that was read from files: file_path, row_index and others."""
    return internals.metadata_column(frame)


def list_untyped_columns(footer: Any) -> set[str]:
    """Names of the columns for which a Parquet file states no type, if Spark's own schema of the file does not tell.

    Before 4.1 Spark takes them for integers. The schema that writers with Arrow leave in the file still has them.

    Args:
        footer: see `internals.parquet_footer`.
    """
    text = internals.arrow_schema_text(footer) if _IS_BEFORE_4_1 else None
    if not text:
        return set()
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(b64decode(text)))
        return {field.name for field in schema if pa.types.is_null(field.type)}
    except (ValueError, OSError, pa.ArrowException):
        # Spark does not read it, either: damage in it is no fault of the file.
        return set()


def arrow_of(frame: DataFrame) -> pa.Table:
    """The rows of a query as a table of Arrow."""
    if not _IS_BEFORE_4:
        return frame.toArrow()
    return pa.Table.from_batches(internals.arrow_batches(frame), to_arrow_schema(frame.schema))


def frame_of(session: SparkSession, rows: pa.Table, schema: StructType | None = None) -> DataFrame:
    """A table of Arrow as a frame; the driver holds its rows.

    Args:
        session: session of the frame.
        rows: the table.
        schema: columns of the frame; None: those that Spark makes of Arrow's, in which each timestamp has a zone.
    """
    schema = schema or from_arrow_schema(rows.schema)
    if not _IS_BEFORE_4:
        return session.createDataFrame(rows, schema)
    batches = rows.combine_chunks().to_batches() or pa.Table.from_pylist([], rows.schema).to_batches()
    return internals.frame_of_batches(session, batches, schema) if batches else session.createDataFrame([], schema)


def error_condition(error: PySparkException) -> str | None:
    """The name that Spark gives an error, such as `TABLE_OR_VIEW_NOT_FOUND`."""
    return error.getErrorClass() if _IS_BEFORE_4 else error.getCondition()


def sql_fragments(error: PySparkException) -> list[str]:
    """The parts of SQL that Spark blames for an error, with what marks them."""
    if _IS_BEFORE_4:
        return internals.sql_fragments(error)
    from pyspark.errors import QueryContextType  # noqa: PLC0415  older releases do not have it

    contexts = [context for context in error.getQueryContext() if context.contextType() == QueryContextType.SQL]
    return [context.summary().strip() for context in contexts if context.summary()]
