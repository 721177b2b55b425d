"""The partitioning of a silver table, in Spark's and Iceberg's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from python_udfs.metadata.files import items
from python_udfs.metadata.names import quote_if_needed, table_name

if TYPE_CHECKING:
    from python_udfs.metadata.files import Row

_COLUMN = r"(?P<{0}>`(?:[^`]|``)+`|[^`(),]+?)"
_PARTITION = re.compile(
    rf"{_COLUMN.format('plain')}"
    rf"|(?P<time>years|months|days|hours)\(\s*{_COLUMN.format('of')}\s*\)"
    rf"|(?P<split>bucket|truncate)\(\s*(?P<number>[1-9]\d*)\s*,\s*{_COLUMN.format('by')}\s*\)"
)
ACCEPTED_PARTITIONS = "a column, years|months|days|hours(column), bucket(n, column), truncate(n, column)"


@dataclass(frozen=True)
class PartitionField:
    """One Iceberg partition field: ``transform`` is ``identity`` or the transform's name, ``number`` its argument."""

    column: str
    transform: str = "identity"
    number: int | None = None

    @property
    def sql(self) -> str:
        """The field as Spark SQL, the column quoted if it has to be: ``bucket(16, `order`)``."""
        column = quote_if_needed(self.column)
        if self.transform == "identity":
            return column
        return f"{self.transform}({column})" if self.number is None else f"{self.transform}({self.number}, {column})"


def read_partition_by(row: Row) -> tuple[PartitionField, ...]:
    """The fields that the row of a table asks for, without those that are wrong."""
    fields: list[PartitionField] = []
    for item in items(row["partition_by"]):
        match = _PARTITION.fullmatch(item)
        if not match:
            row.problem("partition_by", repr(item), ACCEPTED_PARTITIONS, "Write it like bucket(16, id).")
            continue
        column = match["plain"] or match["of"] or match["by"]
        if column.startswith("`"):
            column = column[1:-1].replace("``", "`")
        number = int(match["number"]) if match["number"] else None
        part = PartitionField(table_name(column), match["time"] or match["split"] or "identity", number)
        if part in fields:
            row.problem("partition_by", f"{item!r} twice", "each field once", "Remove one of the two.")
        fields.append(part)
    return tuple(fields)
