"""From rows of the seed to what is judged: a check per table and column, and the suites that share a frame."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from python_udfs.metadata.expectations import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from python_udfs.metadata import Expectation, Metadata

CDC = "cdc_"


@dataclass(frozen=True)
class Check:
    """One expectation of one table.

    Attributes:
        table: name of the silver table.
        row: the row of the seed; for a check of one of many columns, with this column.
    """

    table: str
    row: Expectation

    @property
    def is_cdc(self) -> bool:
        """Whether it is about the course of the table, not about its rows."""
        return self.row.expectation.startswith(CDC)

    @property
    def columns(self) -> str:
        """Its columns, as the cell names them."""
        return ";".join(self.row.columns)

    def of(self, column: str) -> Check:
        """The same check of another column."""
        return replace(self, row=replace(self.row, columns=(column,)))


@dataclass(frozen=True)
class Outcome:
    """Outcome of a check.

    Attributes:
        check: the check.
        success: None: not judged, for the reason in the message.
        observed: what was found.
        expected: what was to be found.
        message: examples of what failed, or why it was not judged; of an error, its text.
        snapshot_id: the snapshot that was read; None: none.
        batch_id: the last batch of that snapshot.
    """

    check: Check
    success: bool | None
    observed: str = ""
    expected: str = ""
    message: str = ""
    snapshot_id: int | None = None
    batch_id: int | None = None

    @property
    def fails(self) -> bool:
        """Whether it fails the command."""
        return self.success is False and self.check.row.severity == "error"

    @property
    def is_unreadable(self) -> bool:
        """Whether nothing of the table could be read: its checks all have one message."""
        return self.success is False and self.snapshot_id is None


def list_checks(metadata: Metadata) -> dict[str, list[Check]]:
    """The checks of each active table: those of its own rows, or else those for all tables.

    Args:
        metadata: checked metadata.

    Returns:
        Checks by table, in the order of the names and of the file; tables without any are left out.
    """
    own: dict[str, list[Expectation]] = {}
    for row in metadata.expectations:
        own.setdefault(row.target_table, []).append(row)
    names = [table.target_table for table in metadata.active_tables]
    by_table = {name: [Check(name, row) for row in own.get(name) or own.get(ALL, [])] for name in names}
    return {name: checks for name, checks in by_table.items() if checks}


def group_checks(checks: Iterable[Check]) -> list[list[Check]]:
    """The checks of a table that are about the same rows; each suite is judged on one frame."""
    suites: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        if not check.is_cdc:
            suites.setdefault((check.row.scope, check.row.row_condition), []).append(check)
    return list(suites.values())


def describe_expected(arguments: dict[str, Any]) -> str:
    """Arguments of an expectation in words: ``min_value 1, max_value 5``."""
    return ", ".join(f"{key} {json.dumps(value, ensure_ascii=False)}" for key, value in arguments.items())


def find_passed_batch(checks: Sequence[Check], passed: dict[str, int]) -> int | None:
    """The batch up to which the rows of a suite have been checked; None: all rows are to be read.

    Args:
        checks: a suite.
        passed: by table, see `results.read_passed_batches`.
    """
    first = checks[0]
    return passed.get(first.table) if first.row.scope == "batch" else None
