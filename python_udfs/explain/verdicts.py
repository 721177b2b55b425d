"""The verdict of each change of a key, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_udfs.explain.fold import Change, State, fold
from python_udfs.explain.key import Key, key_text
from python_udfs.pipeline.table_config import TableConfig


@dataclass(frozen=True)
class Life:
    """All that is known of one key.

    Attributes:
        cdc: the table's ``meta.cdc``.
        key: the key, its columns spelled as in bronze.
        changes: everything that decides it, in order.
        silver: the rows of silver: ``sequence``, and ``image`` with a text for each column.
        applied_batch_id: the last batch that silver has applied.
    """

    cdc: TableConfig
    key: Key
    changes: Sequence[Change]
    silver: Sequence[Mapping[str, Any]]
    applied_batch_id: int

    def verdicts(self) -> list[str]:
        """The verdict of each change."""
        is_append, is_history = self.cdc.mode == "append", self.cdc.mode == "history"
        applied = [
            change
            for change in self.changes
            if not change.rule
            and change.batch_id <= self.applied_batch_id
            and (not is_append or change.is_reset_point or change.operation in ("I", "L"))
        ]
        is_soft = self.cdc.is_soft
        state = fold(applied, self.key, is_soft)
        verdicts = []
        for change in self.changes:
            if change.rule == "superseded":
                verdict = "superseded: newer content of the file replaces it"
            elif change.rule:
                verdict = f"in quarantine, {change.rule}: {change.reason}"
            elif change.batch_id > self.applied_batch_id:
                verdict = "not applied yet: the next run applies it"
            elif change not in applied:
                verdict = "not applied: the table has no key"
            elif is_history:
                verdict = self._version(change)
            elif change.is_reset_point:
                verdict = "reset point: ends every older row"
            elif change is state.newest:
                verdict = _newest(self.key, change, state, is_soft)
            else:
                verdict = _superseded(change, applied, state)
            verdicts.append(verdict)
        return verdicts

    def _version(self, change: Change) -> str:
        for image in (version["image"] for version in self.silver if version["sequence"] == change.sequence):
            return f"applied: a version from {image['_cdc_valid_from']} to {image['_cdc_valid_to'] or 'now'}"
        if change.is_reset_point:
            return "reset point: ends the open version, if there is one"
        if change.is_delete:
            return "applied: ends the open version, if there is one"
        return "applied: changes no column, so it is no version of its own"


def _newest(key: Key, change: Change, state: State, is_soft: bool) -> str:
    others = sorted({*state.origins.values()} - {change.number})
    carried = ", ".join(f"{_columns(state, number)} carried forward from {number}" for number in others)
    if state.is_live:
        was = f", its before image has the key {key_text(change.old_key)}" if change.old_key else ""
        outcome = f"it is the row{was}" + (f"; {carried}" if carried else "")
    elif is_soft:
        kept = carried or ("with its own values" if state.origins else "no change had a value")
        outcome = f"the row is marked as deleted, {kept}"
    else:
        outcome = "no row is left"
    if change.role == "key change":
        return f"applied: the key became {key_text({name: change.image[name] for name in key})}; {outcome}"
    if state.reset_by:
        return f"superseded by reset point {state.reset_by.number} ({state.reset_by.role}): {outcome}"
    return f"applied: {outcome}"


def _superseded(change: Change, applied: Sequence[Change], state: State) -> str:
    after = [other for other in applied if other.number > change.number]
    reset = next((other for other in after if other.is_reset_point), None)
    newest = state.newest
    assert newest, "a change that is not the newest has a newer one"
    if after[0].row_position == change.row_position:
        verdict = f"superseded by {after[0].number}: the same row of the same file, read again"
    elif reset and reset.number < newest.number:
        verdict = f"superseded by reset point {reset.number} ({reset.role})"
    elif change.source_position == newest.source_position and change.source_file != newest.source_file:
        verdict = f"superseded by {newest.number}: {_tie_of(change, newest)}"
    else:
        verdict = f"superseded by {newest.number}"
    if any(other.batch_id < change.batch_id for other in after):
        verdict += ", which arrived before it"
    columns = _columns(state, change.number)
    return f"{verdict}; carried forward: {columns}" if columns else verdict


def _tie_of(change: Change, newest: Change) -> str:
    """Names the order of two changes of one source position: the last parts of their rows (cdc_message_place_sql)."""
    (place, hashes), (newest_place, newest_hashes) = (
        (row.row_position or "..").rsplit(".", 2)[1:] for row in (change, newest)
    )
    if not (place.startswith("o") and newest_place.startswith("o")):
        return "same time, only the name of the file decides"
    is_same_partition = hashes[:6] == newest_hashes[:6]
    return f"same source position, {'the later offset' if is_same_partition else 'only a hash'} decides"


def _columns(state: State, number: int) -> str:
    """The columns whose values a change gives."""
    names = [name for name, origin in state.origins.items() if origin == number]
    return "all values" if names and len(names) == len(state.origins) else ", ".join(names)
