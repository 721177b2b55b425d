"""How fast a feed that is behind catches up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from python_udfs.times import duration_text

if TYPE_CHECKING:
    from python_udfs.kafka.plan import Plan


class Pace:
    """The rate since a feed had more messages than one run reads.

    Args:
        clock: gives seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: tuple[float, int] | None = None
        self._read = -1

    def line(self, plan: Plan) -> str | None:
        """Messages left, rate and time to go; None for a feed that the next run reads whole, or that has not moved.

        Args:
            plan: of the next run.
        """
        if not plan.left:
            self._since, self._read = None, -1
            return None
        # Up to where the next run begins.
        read = sum(plan.progress.offsets.values()) - plan.messages
        if read == self._read:
            return None
        self._read, now = read, self._clock()
        started, first = self._since = self._since or (now, read)
        left, rate = plan.messages + plan.left, (read - first) / max(now - started, 0.001)
        count = f"{left:,} messages left"
        return f"{count}, {rate:,.0f} a second, {duration_text(round(left / rate))} to go" if rate > 0 else count
