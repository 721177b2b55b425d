"""Which types a column passes through while files bring theirs, and what drift and discover say of a change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_files.widening import is_promotion

if TYPE_CHECKING:
    from collections.abc import Iterable

RUNBOOK = "docs/runbook/tables.md#tables-come-and-go"
# How the type of a table that is there is changed, if it does not follow by itself.
TYPE_REMEDY = (
    "A type that does not widen by itself: correct data_type in seeds/cdc_columns.csv, then dbt run-operation"
    f" change_types --args '{{table: <silver table>}}', see {RUNBOOK}."
)
NEW_COLUMN_REMEDY = (
    "A new column is NULL in the rows that came before it, also if the source filled them with a default: neither DMS"
    f" nor Debezium sends them again. Reload the table, or update these rows at the source, see {RUNBOOK}."
)


@dataclass(frozen=True)
class TypeChange:
    """A type that comes to a column.

    Attributes:
        before: the type that the column has by then, None for a column that is new.
        after: the type that comes.
        widens: whether the column becomes of that type.
    """

    before: str | None
    after: str
    widens: bool


def list_type_changes(of_table: str | None, types: Iterable[str], *, follows: bool) -> list[TypeChange]:
    """The changes of a column's type, as `plan_columns` decides them.

    Args:
        of_table: the column's type, None if it is new.
        types: the types that come, in their order.
        follows: whether the column takes a type that it can be promoted to.

    Returns:
        Each change once. A type whose values the column holds as it is is none.
    """
    current, changes = of_table, []
    for arriving in types:
        if current is not None and (arriving == current or is_promotion(arriving, current)):
            continue
        widens = current is None or (follows and is_promotion(current, arriving))
        changes.append(TypeChange(current, arriving, widens))
        current = arriving if widens else current
    return list(dict.fromkeys(changes))


def may_be_renamed(missing: str, types: Iterable[str], *, are_typed: bool) -> bool:
    """Whether a new column can be read as one that is missing.

    Args:
        missing: the type of the column that is missing.
        types: the types of the new column.
        are_typed: whether the source has types. Values of CSV files and messages are text, whatever they mean.
    """
    return not are_typed or any(
        kind == missing or is_promotion(kind, missing) or is_promotion(missing, kind) for kind in types
    )
