"""The columns that identify a row of silver, and how they are compared: one home of what ``key_comparison`` means."""

from __future__ import annotations

from collections.abc import Collection

from python_udfs.pipeline.casts import write_bytes
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import WritesNames

# More keys, or changes of keys, are not held by the driver, nor sent to every task.
MOST_KEYS = 2_000_000
# They identify a row of a table without a key.
SOURCE_POSITION = ("_cdc_source_file", "_cdc_file_row")


def list_key_columns(cdc: TableConfig) -> list[str]:
    """Returns the columns of the key; of a table without a key, those of the row's source position."""
    return list(SOURCE_POSITION if cdc.mode == "append" else cdc.primary_key)


def is_key(cdc: TableConfig, name: str) -> bool:
    """Returns whether a column is of the primary key."""
    return name.lower() in {key.lower() for key in cdc.primary_key}


def write_key_value(value: str, comparison: Collection[str]) -> str:
    """Writes a key column as it is compared, without the case or the trailing spaces that the comparison ignores.

    Args:
        value: the expression of the column.
        comparison: ``key_comparison`` of the table.
    """
    if "ignore_trailing_spaces" in comparison:
        value = f"rtrim({value})"
    return f"lower({value})" if "ignore_case" in comparison else value


def write_old_key(value: str, type_: str) -> str:
    """Writes a part of an old key as bronze keeps it. Bytes are base64: other engines refuse text that is no UTF-8.

    Args:
        value: the expression of the part.
        type_: of its column.
    """
    # Spark breaks base64 into lines.
    return rf"replace(base64({value}), '\r\n')" if type_ == "binary" else f"cast({value} as string)"


def read_old_key(text: str, type_: str) -> str:
    """Writes what is cast to the type of its column to have a part of an old key.

    Args:
        text: the expression of the part as bronze keeps it.
        type_: of its column.
    """
    return write_bytes(text) if type_ == "binary" else text


def write_key_list(warehouse: WritesNames, cdc: TableConfig, alias: str = "") -> str:
    """Writes the expressions to group or partition by, to have one group per key.

    Args:
        warehouse: quotes names.
        cdc: of the table.
        alias: of the rows; empty: names stand alone.
    """
    return ", ".join(_list_values(warehouse, cdc, alias))


def write_same_key(warehouse: WritesNames, cdc: TableConfig, left: str, right: str) -> str:
    """Writes the condition that two rows have one key. A single column is never NULL; a part of a composite one may be.

    Args:
        warehouse: quotes names.
        cdc: of the table.
        left: alias of the one row.
        right: alias of the other.
    """
    pairs = list(zip(_list_values(warehouse, cdc, left), _list_values(warehouse, cdc, right), strict=True))
    equals = "=" if len(pairs) == 1 else "<=>"
    return " and ".join(f"{of_left} {equals} {of_right}" for of_left, of_right in pairs)


def _list_values(warehouse: WritesNames, cdc: TableConfig, alias: str) -> list[str]:
    prefix = f"{alias}." if alias else ""
    comparison = cdc.key_comparison
    return [write_key_value(prefix + warehouse.quote(key), comparison) for key in list_key_columns(cdc)]
