"""Stops a loop from a handler of signals."""

from __future__ import annotations

import os
import select


class Stop:
    """Asks a loop to stop, and wakes it.

    Python runs a handler between two instructions of the main thread, which may be about to wait. A lock that both take
    is never released then: `threading.Event` has one, and hangs. Here neither takes one.
    """

    def __init__(self) -> None:
        self._is_set = False
        self._to_read, self._to_write = os.pipe()

    def set(self) -> None:
        """Asks the loop to stop, and wakes it."""
        self._is_set = True
        os.write(self._to_write, b"\0")

    def is_set(self) -> bool:
        """Returns whether it was asked to stop."""
        return self._is_set

    def wait(self, seconds: float) -> None:
        """Waits so long, or until the loop is asked to stop."""
        select.select([self._to_read], [], [], seconds)
