"""How a silver table is computed again from bronze: the lists that the macros of `macros/comparison` write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from python_udfs.pipeline.checks import Step
from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.keys import is_key, list_key_columns, write_key_value
from python_udfs.pipeline.silver_rows import CHANGE_COLUMNS, HISTORY_COLUMNS
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, WritesNames


@dataclass(frozen=True)
class Comparison:
    """A comparison of a silver table, or of one step of it, with what bronze makes of it.

    Attributes:
        cdc: of the table.
        silver: the table.
        columns: of the source, in bronze and in silver.
        log_sql: the rows of bronze that are folded.
        step: that is compared; None: all of the table.
        has_late: whether keys of the step are folded from the whole log.
        continues: whether the fold begins with the rows that silver had before the step.
        splits_keys: whether the log may have changes of a key.
        is_newest: whether one pass compares the newest changes of a step with silver.
        keeps_deleted: whether deleted rows stay in silver, marked.
        compared: names of the columns that are compared.
        image: quoted names of the source's columns.
        was_alive: condition that the row lived before its first change.
        image_before: select list of the image of a row that silver had; nulls if the fold does not continue.
        image_after: select list of the image after a change.
        expected: select list of the rows that silver should have, without columns of the change.
        key: select list of the key of a row of `silver`.
        key_texts: the columns of a key as text.
        is_version: mode history: condition on a `state` that it begins or ends a version.
    """

    cdc: TableConfig
    silver: Relation
    columns: tuple[Column, ...]
    log_sql: str
    step: Step | None
    has_late: bool
    continues: bool
    splits_keys: bool
    is_newest: bool
    keeps_deleted: bool
    compared: tuple[str, ...]
    image: tuple[str, ...]
    was_alive: str
    image_before: tuple[str, ...]
    image_after: tuple[str, ...]
    expected: tuple[str, ...]
    key: tuple[str, ...]
    key_texts: tuple[str, ...]
    is_version: str

    @property
    def is_history(self) -> bool:
        """Whether the table has versions."""
        return self.cdc.mode == "history"

    @property
    def is_small(self) -> bool:
        """Whether one task reads all of a step."""
        return self.step is not None and self.step.is_small


def plan_comparison(
    warehouse: WritesNames,
    cdc: TableConfig,
    silver: Relation,
    names: Sequence[str],
    columns: Sequence[Column],
    log_sql: str,
    step: Step | None,
) -> Comparison:
    """Plans a comparison.

    Args:
        warehouse: writes names.
        cdc: of the table.
        silver: the table.
        names: of silver's columns that can be compared.
        columns: of the source, as `select_log_columns` returns them.
        log_sql: the rows of bronze: all, or those of the step.
        step: that is compared; None: all of the table.
    """
    is_history = cdc.mode == "history"
    continues = step is not None and step.continues
    is_newest = step is not None and step.is_newest
    return Comparison(
        cdc=cdc,
        silver=silver,
        columns=tuple(columns),
        log_sql=log_sql,
        step=step,
        has_late=step is not None and step.has_late,
        continues=continues,
        splits_keys=step is None or step.splits_keys,
        is_newest=is_newest,
        keeps_deleted=cdc.is_soft,
        compared=_select_compared(cdc, names, columns),
        image=tuple(warehouse.quote(column.name) for column in columns),
        was_alive=_write_was_alive(cdc) if continues else "false",
        image_before=tuple(_write_before(warehouse, column, is_history, continues) for column in columns),
        image_after=tuple(_write_after(warehouse, column, is_history) for column in columns),
        expected=tuple(_list_expected(warehouse, cdc, columns)),
        key=tuple(
            f"{write_key_value(f'silver.{name}', cdc.key_comparison)} as {name}"
            for name in map(warehouse.quote, list_key_columns(cdc))
        ),
        key_texts=tuple(
            f"cast({'key.' if is_newest else ''}{warehouse.quote(key)} as string)" for key in list_key_columns(cdc)
        ),
        is_version=(
            "state.image is not null or try_element_at(states, -1).image is not null"
            if cdc.unchanged_rows == "write"
            else "not state.image <=> try_element_at(states, -1).image"
        ),
    )


def _select_compared(cdc: TableConfig, names: Sequence[str], columns: Sequence[Column]) -> tuple[str, ...]:
    """A row that is written only if a value changes may be of any of the changes that did not change it."""
    if cdc.mode == "history":
        return (*(column.name for column in columns), *HISTORY_COLUMNS)
    return tuple(name for name in names if cdc.unchanged_rows != "skip" or name not in CHANGE_COLUMNS)


def _write_was_alive(cdc: TableConfig) -> str:
    is_alive = " and not rows_before._cdc_is_deleted" if cdc.is_soft else ""
    return f"rows_before._cdc_sequence is not null{is_alive}"


def _write_before(warehouse: WritesNames, column: Column, is_history: bool, continues: bool) -> str:
    name = warehouse.quote(column.name)
    row = "stored" if is_history else "rows_before"
    return f"cast({f'{row}.{name}' if continues else 'null'} as {column.raw_type}) as {name}"


def _write_after(warehouse: WritesNames, column: Column, is_history: bool) -> str:
    """A value that a change does not carry stays if the row lived, and no value outlives a reset point."""
    name, literal = warehouse.quote(column.name), warehouse.string_literal(column.name)
    if is_history:
        before = f"if(event.operation = 'U', try_element_at(states, -1).image.{name}, null)"
        return f"if(array_contains(event.unavailable, {literal}), {before}, event.image.{name}) as {name}"
    return (
        f"case when array_contains(change._cdc_unavailable_columns, {literal}) is not true then change.{name}"
        " when change._cdc_operation = 'U' and state.live and not exists(_cdc_reset_points, reset_point ->"
        " reset_point > state.sequence and reset_point <= change._cdc_sequence)"
        f" then state.image.{name} end as {name}"
    )


def _list_expected(warehouse: WritesNames, cdc: TableConfig, columns: Sequence[Column]) -> list[str]:
    """Of a key that is known by its delete alone, a table with marked rows has the key."""
    is_current = cdc.mode != "history"
    select_list = []
    for column in columns:
        name = warehouse.quote(column.name)
        value = f"state.image.{name}"
        if is_current and is_key(cdc, column.name):
            value = f"coalesce(state.image.{name}, change.{name})"
        select_list.append(f"{value} as {name}")
    position = list_key_columns(cdc) if cdc.mode == "append" else []
    return [*select_list, *(f"change.{name}" for name in position)]
