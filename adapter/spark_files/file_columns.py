"""The columns of parquet files side by side: one column of a view for each name and type that the files have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from spark_files.widening import widen

NESTED = (ArrayType, MapType, StructType)
Group = tuple[StructType, list[str]]


@dataclass
class FileColumn:
    """A column of some files: `name` as the first of them has it, and `column` as the view has it."""

    name: str
    data_type: DataType
    column: str


def differ_by_case(schema: StructType) -> bool:
    """Whether two columns of one file have names that differ only by case."""
    return len({name.lower() for name in schema.names}) < len(schema.names)


def find_fields_alike(data_type: DataType) -> tuple[str, str] | None:
    """Two fields of one struct, in a value of a type, that have the same name but for case; None: there are none."""
    if isinstance(data_type, StructType):
        seen: dict[str, str] = {}
        for field in data_type:
            if field.name.lower() in seen:
                return seen[field.name.lower()], field.name
            seen[field.name.lower()] = field.name
        inner = [field.dataType for field in data_type]
    elif isinstance(data_type, MapType):
        inner = [data_type.keyType, data_type.valueType]
    else:
        inner = [data_type.elementType] if isinstance(data_type, ArrayType) else []
    return next(filter(None, map(find_fields_alike, inner)), None)


def separate_columns(
    groups: list[Group], taken: Collection[str], exact: Collection[str]
) -> tuple[list[FileColumn], list[list[FileColumn] | str]]:
    """Give each name and type of a column its own column of a view, in the order of the groups.

    Names are compared without case, but for the exact ones. Arrays, maps and structs of one name are one column if a
    type holds both without loss.

    Args:
        groups: schema and files, by the order in which the schemas come first.
        taken: names, in lower case, that the view has already.
        exact: names that are not the same in another case.

    Returns:
        The columns of the view; and for each group its columns in the order of its schema, or what is wrong with it.
    """
    used = {name.lower() for name in taken}
    by_name: dict[str, list[FileColumn]] = {}
    everything: list[FileColumn] = []
    of_groups: list[list[FileColumn] | str] = []
    for schema, _ in groups:
        matches = [_known(by_name.get(identity(field.name, exact), []), field) for field in schema.fields]
        conflict = next((item for item in matches if isinstance(item, str)), None)
        if conflict is not None:
            of_groups.append(conflict)
            continue
        columns: list[FileColumn] = []
        for field, item in zip(schema.fields, matches, strict=True):
            if isinstance(item, tuple):
                column, data_type = item
                column.data_type = data_type
            else:
                column = FileColumn(field.name, field.dataType, _free_name(field.name, used))
                used.add(column.column.lower())
                by_name.setdefault(identity(field.name, exact), []).append(column)
                everything.append(column)
            columns.append(column)
        of_groups.append(columns)
    return everything, of_groups


def identity(name: str, exact: Collection[str]) -> str:
    """The text by which the name of a column is compared."""
    # The mark keeps an exact name in lower case, such as ts, apart from another TS.
    return f"={name}" if name in exact else name.lower()


def _known(columns: list[FileColumn], field: StructField) -> tuple[FileColumn, DataType] | str | None:
    """The column that a field belongs to, with the type it then has; a conflict in words; None for a new column."""
    for column in columns:
        if column.data_type == field.dataType:
            return column, column.data_type
    for column in columns:
        if isinstance(field.dataType, NESTED) or isinstance(column.data_type, NESTED):
            wider = widen(column.data_type, field.dataType)
            if wider is None:
                return (
                    f"column {field.name!r} is {field.dataType.simpleString()} here and"
                    f" {column.data_type.simpleString()} in an earlier file; no type holds both without loss"
                )
            return column, wider
    return None


def _free_name(name: str, used: Collection[str]) -> str:
    """The name, or the first of `name#2`, `name#3`, ... that no other column of the view has."""
    if name.lower() not in used:
        return name
    number = 2
    while f"{name}#{number}".lower() in used:
        number += 1
    return f"{name}#{number}"
