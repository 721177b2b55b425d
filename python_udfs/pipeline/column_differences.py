"""How the columns of a silver table differ from those that bronze and the table's mode give it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from python_udfs.pipeline.keys import SOURCE_POSITION


@dataclass(frozen=True)
class Expected:
    """A column that silver should have.

    Attributes:
        name: as bronze spells it.
        type: of Spark, in lower case.
        is_needed: whether no row can be compared without it.
        is_own: whether it is of this project, and no column of the source.
    """

    name: str
    type: str
    is_needed: bool
    is_own: bool = False


@dataclass(frozen=True)
class Difference:
    """A column that is missing, unexpected or of another type; ``is_needed`` as in `Expected`."""

    name: str
    text: str
    is_needed: bool = False


def expect_columns(
    source_columns: Mapping[str, str], keys: Iterable[str], own_columns: Mapping[str, str]
) -> list[Expected]:
    """Returns the columns that silver should have.

    Args:
        source_columns: types of the source's columns in bronze, by name.
        keys: names of the key's columns.
        own_columns: types of the columns of this project, by name.
    """
    lower_keys = {key.lower() for key in keys}
    columns = [Expected(name, type.lower(), name.lower() in lower_keys) for name, type in source_columns.items()]
    return columns + [Expected(name, type.lower(), True, True) for name, type in own_columns.items()]


def list_own_columns(
    bronze: Mapping[str, str], change_columns: Iterable[str], mode: str, is_soft: bool
) -> dict[str, str]:
    """Returns the columns of this project that silver should have, with their types.

    Args:
        bronze: types of bronze's columns, by name.
        change_columns: names of the columns that silver takes from bronze in every mode.
        mode: of the table.
        is_soft: whether deleted rows stay, marked.
    """
    names = [*change_columns, *(SOURCE_POSITION if mode == "append" else ())]
    own = {name: bronze[name] for name in bronze if name in names}
    if is_soft:
        own["_cdc_is_deleted"] = "boolean"
    if mode == "history":
        own |= {"_cdc_valid_from": "timestamp", "_cdc_valid_to": "timestamp"}
    return own


def compare_columns(expected: Iterable[Expected], silver: Mapping[str, str], keeps_columns: bool) -> list[Difference]:
    """Compares the columns of silver with the expected ones.

    Args:
        expected: by `expect_columns`.
        silver: types of silver's columns, by name.
        keeps_columns: whether silver may lack a column of the source, or have it with another type: it is frozen, or
            bronze got the column, or the type, after silver read it.
    """
    by_name = {column.name.lower(): column for column in expected}
    differences = []
    for name, type in ((name, type.lower()) for name, type in silver.items()):
        column = by_name.pop(name.lower(), None)
        if column is None:
            differences.append(Difference(name, f"column {name} is unexpected in silver, {type}"))
        elif column.type != type and (column.is_own or not keeps_columns):
            text = f"column {name} has another type: {type} in silver, expected {column.type}"
            differences.append(Difference(name, text, column.is_needed))
    for column in by_name.values():
        if column.is_needed or not keeps_columns:
            text = f"column {column.name} is missing from silver, expected {column.type}"
            differences.append(Difference(column.name, text, column.is_needed))
    return differences
