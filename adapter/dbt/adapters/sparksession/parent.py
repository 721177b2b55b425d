"""A command that somebody's task started ends with it, however that ends.

A dbt whose output nobody reads any more may wait forever, with Java and the lock of the warehouse.
"""

from __future__ import annotations

import os
import signal
import threading
import time

# Set to 1 by who starts a command that is to end with its starter.
VARIABLE = "DBT_END_WITH_PARENT"
SECONDS = 1.0
# How long a command may take to end by itself: `make watch` finishes its cycle. Nothing is lost by what comes then.
GRACE = 60.0
_parent = os.getppid()
_started = threading.Event()


def follow() -> None:
    """Ends this process once the process that has started it is gone, if the environment asks for it."""
    if os.environ.get(VARIABLE) == "1" and not _started.is_set():
        _started.set()
        threading.Thread(target=_follow, name="follow the parent", daemon=True).start()


def _follow() -> None:
    while os.getppid() == _parent:
        time.sleep(SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os.kill(os.getpid(), signal.SIGKILL)
