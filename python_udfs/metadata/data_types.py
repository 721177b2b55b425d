"""Types of columns: Spark's, each in one spelling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from python_udfs.metadata.files import Row

MAX_PRECISION = 38  # Spark's limit

SIMPLE_TYPES = {
    "boolean": "boolean",
    "tinyint": "tinyint",
    "byte": "tinyint",
    "smallint": "smallint",
    "short": "smallint",
    "int": "int",
    "integer": "int",
    "bigint": "bigint",
    "long": "bigint",
    "float": "float",
    "real": "float",
    "double": "double",
    "string": "string",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "binary": "binary",
}
# How the types of numbers begin, in their one spelling.
NUMERIC_TYPES = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
ACCEPTED_TYPES = (
    "boolean, tinyint, smallint, int, bigint, float, double, decimal(p,s), string, varchar(n), char(n), date, "
    "timestamp, timestamp_ntz, binary"
)
_DECIMAL = re.compile(r"(?:decimal|dec|numeric)(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?")
_TEXT = re.compile(r"(varchar|char)\(\s*([1-9]\d*)\s*\)")


def read_data_type(row: Row, *, obligatory: bool) -> str | None:
    """The type in the row's cell, None if it is empty or wrong.

    Args:
        row: a row of ``cdc_columns.csv``.
        obligatory: whether an empty cell is a mistake.
    """
    text = row["data_type"].lower()
    if not text:
        if obligatory:
            fix = "Only parquet files carry types: fill it in."
            row.problem("data_type", "nothing", ACCEPTED_TYPES, fix)
        return None
    if text in SIMPLE_TYPES:
        return SIMPLE_TYPES[text]
    if match := _TEXT.fullmatch(text):
        return f"{match[1]}({match[2]})"
    if match := _DECIMAL.fullmatch(text):
        # Left out, they are 10 and 0, as in Spark.
        precision, scale = int(match[1] or 10), int(match[2] or 0)
        if 1 <= precision <= MAX_PRECISION and scale <= precision:
            return f"decimal({precision},{scale})"
        limits = f"decimal(p,s) with p from 1 to {MAX_PRECISION} and s from 0 to p"
        row.problem("data_type", repr(row["data_type"]), limits, "Correct precision and scale.")
        return None
    row.problem("data_type", repr(row["data_type"]), ACCEPTED_TYPES, "Write a Spark SQL type.")
    return None


def is_text(data_type: str) -> bool:
    """Whether a type holds text."""
    return data_type.startswith(("string", "varchar", "char"))


def table_type(data_type: str) -> str:
    """The type that a table has for a type of the metadata: Iceberg has no short integers and no length of texts.

    `pipeline.columns` makes tables by the same rule.
    """
    if is_text(data_type):
        return "string"
    return "int" if data_type in ("tinyint", "smallint") else data_type
