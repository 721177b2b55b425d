"""Whether the log of a table's source began again, or a snapshot came once more (docs/feeds/order.md).

Needs no Spark: the macro `cdc_source_log_sql` asks for the facts of each batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta

# Commit times and positions grow together, but for clocks that are set.
BEHIND = timedelta(minutes=1)
# In one batch nothing shows which change came first, and a source may write the time of a statement whose transaction
# commits much later.
LONGEST_TRANSACTION = timedelta(hours=1)


@dataclass(frozen=True)
class SourceLog:
    """Facts of a table's messages, of one batch or of all so far; texts are empty if nothing is known.

    Attributes:
        first_load: the least source position of rows of snapshots, without what the source does not count in.
        last_load: the greatest one: another snapshot has another one.
        first_change: the least position of changes that follow a commit.
        greatest: the greatest position of changes.
        greatest_at: when that change was committed; of all so far, the newest time of a log that did not go back.
        newest: the position of the change that was committed last.
        newest_at: when it was committed.
        has_places: whether positions of snapshots can be compared with those of changes that come after them.
    """

    first_load: str = ""
    last_load: str = ""
    first_change: str = ""
    greatest: str = ""
    greatest_at: str = ""
    newest: str = ""
    newest_at: str = ""
    has_places: bool = False

    @classmethod
    def of(cls, text: str | None) -> SourceLog:
        """Takes JSON in which a name may be missing."""
        values = json.loads(text or "{}")
        return cls(**{field.name: values[field.name] for field in fields(cls) if values.get(field.name) is not None})

    def __add__(self, other: SourceLog) -> SourceLog:
        greatest = max((self.greatest, self.greatest_at), (other.greatest, other.greatest_at))
        newest = max((self.newest_at, self.newest), (other.newest_at, other.newest))
        return SourceLog(
            first_load=_least(self.first_load, other.first_load),
            last_load=max(self.last_load, other.last_load),
            first_change=_least(self.first_change, other.first_change),
            greatest=greatest[0],
            greatest_at=greatest[1],
            newest=newest[1],
            newest_at=newest[0],
            has_places=self.has_places or other.has_places,
        )


def judge_batch(before: str | None, batches: Iterable[str | None]) -> dict[str, str | None]:
    """Judges the messages of a table that a run brings. Silver of any cut of the same messages is the same.

    Args:
        before: `state` of the run before, None if there is none.
        batches: JSON of `SourceLog`, for each group of the new messages.

    Returns:
        `state` (JSON, for the next run; None if no message has a position of its own), `second_snapshot`
        (`after changes` or `before changes`; None if there is none), `began_again` (`true` or None), and `loads_after`
        (rows of snapshots behind this position are ordered by their own one; None: all precede the changes).
    """
    earlier, batch = SourceLog.of(before), SourceLog()
    for text in batches:
        batch += SourceLog.of(text)
    if batch == SourceLog():
        return dict.fromkeys(("state", "second_snapshot", "began_again", "loads_after"))
    every = earlier + batch
    is_after = bool(batch.last_load and every.first_change) and batch.last_load > every.first_change
    # Without a place of its own, a snapshot is another one only if it differs from the first.
    is_after = is_after and (every.has_places or batch.last_load > every.first_load)
    # Rows of snapshots that were seen before may come again, also those of the first one alone.
    is_new = (every.first_load, every.last_load) != (earlier.first_load, earlier.last_load)
    is_another = is_new and every.first_load != every.last_load
    went_back = _goes_back(earlier, batch)
    if earlier.greatest and batch.newest > earlier.greatest:
        newest_at = max(earlier.greatest_at, batch.newest_at)
    else:
        newest_at = every.greatest_at if batch.greatest > earlier.greatest else earlier.greatest_at
    state = SourceLog(
        every.first_load, every.last_load, every.first_change, every.greatest, newest_at, has_places=every.has_places
    )
    return {
        "state": json.dumps({name: value for name, value in asdict(state).items() if value}),
        "second_snapshot": "after changes" if is_after else "before changes" if is_another else None,
        "began_again": "true" if went_back else None,
        "loads_after": every.first_change if is_after and every.has_places else None,
    }


def _goes_back(earlier: SourceLog, batch: SourceLog) -> bool:
    """Whether the change that was committed last has a smaller position than one that was committed before it."""
    return (batch.newest < earlier.greatest and _is_later(batch.newest_at, earlier.greatest_at, BEHIND)) or (
        batch.newest < batch.greatest and _is_later(batch.newest_at, batch.greatest_at, LONGEST_TRANSACTION)
    )


def _is_later(moment: str, other: str, by: timedelta) -> bool:
    if not moment or not other:
        return False
    return datetime.fromisoformat(moment) - datetime.fromisoformat(other) > by


def _least(left: str, other: str) -> str:
    return min(filter(None, (left, other)), default="")
