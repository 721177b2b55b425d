"""The state of a key after its changes. The rules are those of silver; tests/oracle.py is held against them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_AS_THEY_ARE = ("rule", "reason", "committed_at", "source_file", "file_row", "source_position", "row_position")


@dataclass(frozen=True)
class Change:
    """A row of the macro ``cdc_explain_changes_sql``: something that decides a key.

    Attributes:
        number: number among the changes of the key, from 1.
        role: ``change``; ``key change``: the row took another key; ``truncate`` or ``reload``: a reset point.
        operation: operation of the row in bronze; for a reload its role.
        sequence: the order, ``_cdc_sequence``.
        source_position: the part of it that the source gives.
        row_position: the part that names a row of a file, whichever content the file has; None for a reload.
        batch_id: the batch that brought it.
        image: value as text by column; empty for a reset point.
        unavailable: columns whose value the change does not carry.
        old_key: the before image's key, if it is another.
        rule: why silver leaves it out: a rule of the quarantine, or ``superseded``; None: it does not.
        reason: what breaks the rule.
        committed_at, source_file, file_row: where it comes from.
    """

    number: int
    role: str
    operation: str
    sequence: str
    batch_id: int
    image: Mapping[str, Any] = field(default_factory=dict)
    unavailable: Sequence[str] = ()
    old_key: Mapping[str, str | None] | None = None
    rule: str | None = None
    reason: str | None = None
    committed_at: str | None = None
    source_file: str | None = None
    file_row: str | None = None
    source_position: str | None = None
    row_position: str | None = None

    @classmethod
    def of(cls, number: int, row: Mapping[str, Any]) -> Change:
        """Takes a row as the macro returns it, with image, unavailable and old_key as JSON."""
        return cls(
            number,
            row["role"],
            row["operation"],
            row["sequence"],
            int(row["batch_id"]),
            json.loads(row["image"] or "{}"),
            json.loads(row["unavailable"] or "[]"),
            json.loads(row["old_key"] or "null"),
            **{name: row[name] for name in _AS_THEY_ARE},
        )

    @property
    def is_reset_point(self) -> bool:
        """Whether no older row outlives it."""
        return self.role in ("truncate", "reload")

    @property
    def is_delete(self) -> bool:
        """Whether it ends the row of the key; a change of the key is a delete of the old one."""
        return self.role == "key change" or self.operation == "D"


@dataclass(frozen=True)
class State:
    """The state of a key.

    Attributes:
        newest: the newest change but for reset points; None: there is none.
        reset_by: the reset point that ended the row after it.
        is_live: whether there is a row that is not deleted.
        origins: number of the change that each column's value is from; empty if no row is left.
    """

    newest: Change | None
    reset_by: Change | None
    is_live: bool
    origins: Mapping[str, int]


def fold(changes: Iterable[Change], key: Iterable[str], is_soft: bool) -> State:
    """Folds the changes of one key.

    Args:
        changes: those that silver has applied, in the order of their sequence.
        key: the key's columns.
        is_soft: whether a deleted row stays and is marked.
    """
    newest, reset_by, is_live = None, None, False
    origins: dict[str, int] = {}
    for change in changes:
        if change.is_reset_point:
            reset_by, is_live = reset_by or change, False
            continue
        own = {name: change.number for name in change.image if name not in {*key, *change.unavailable}}
        # A value that a change does not carry comes from before, as far back as the row lived.
        carried = {**origins, **own} if is_live and change.operation not in ("I", "L") else own
        if not change.is_delete:  # the image of a delete is none of the row (docs/architecture.md, What a change needs)
            origins = carried
        newest, reset_by, is_live = change, None, not change.is_delete
    return State(newest, reset_by, is_live, origins if is_live or is_soft else {})
