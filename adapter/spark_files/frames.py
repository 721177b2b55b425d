"""Rows of Python as frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DataType, MapType, StructType, TimestampType

from spark_files.capabilities import frame_of


def make_frame(
    session: SparkSession, rows: Sequence[Mapping[str, Any]] | Sequence[Sequence[Any]], schema: StructType | str
) -> DataFrame:
    """Make a frame of rows that the driver has.

    `SparkSession.createDataFrame` of a list sends the rows through a process of Python in each query that reads them:
    half a second of CPU each time, and two for the first. A table of Arrow goes to Java as it is.

    Args:
        session: session of the frame.
        rows: values by column name (a column that a row lacks is NULL), or values in the order of the columns. A
            datetime without a zone is in the zone of this process.
        schema: columns, as StructType or as in `create table`.

    Raises:
        pyarrow.ArrowException: a value does not fit the type of its column.
    """
    columns = schema if isinstance(schema, StructType) else session.createDataFrame([], schema).schema
    by_name = [row if isinstance(row, Mapping) else dict(zip(columns.names, row, strict=True)) for row in rows]
    arrow_schema = to_arrow_schema(columns)
    arrays = [
        pa.array([_convert(row.get(column.name), column.dataType) for row in by_name], field.type)
        for column, field in zip(columns, arrow_schema, strict=True)
    ]
    return frame_of(session, pa.Table.from_arrays(arrays, schema=arrow_schema), columns)


def _convert(value: Any, type_: DataType) -> Any:
    """The value as Arrow takes it: it has pairs for a map, and a datetime without a zone would be one in UTC."""
    if isinstance(type_, MapType) and isinstance(value, Mapping):
        return list(value.items())
    if isinstance(type_, TimestampType) and isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    return value
