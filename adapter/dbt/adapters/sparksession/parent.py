"""A command that somebody's task started ends with it, however that ends.

A dbt whose output nobody reads any more may wait forever, with Java and the lock of the warehouse.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

# Set by who starts a command that is to end with it: the number of its process, or 1 for the direct parent. Between the
# two may be others, such as make and a shell.
VARIABLE = "DBT_END_WITH_PARENT"
SECONDS = 1.0
# How long a command may take to end by itself: `make watch` finishes its cycle. Nothing is lost by what comes then.
GRACE = 60.0
_parent = os.getppid()
_started = threading.Event()


def follow() -> None:
    """Ends this process once the process that has started it is gone, if the environment asks for it."""
    given = os.environ.get(VARIABLE, "")
    if given.isdecimal() and not _started.is_set():
        _started.set()
        number = _parent if given == "1" else int(given)
        threading.Thread(target=_follow, args=(number,), name="follow the parent", daemon=True).start()


def _follow(number: int) -> None:
    born = _birth(number)
    while born is not None and _birth(number) == born:
        time.sleep(SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os.kill(os.getpid(), signal.SIGKILL)


def _birth(number: int) -> str | None:
    """Returns a mark that no later process of this number has; None if it is gone. Without /proc: that there is one."""
    if not Path("/proc/self/stat").exists():
        try:
            os.kill(number, 0)
        except OSError:
            return None
        return "there"
    words = read_stat(number)
    # Z: it has ended, and nobody has waited for it. The 20th word is its start.
    return None if not words or words[0] == "Z" else words[19]


def read_stat(number: int | str) -> list[str]:
    """Returns the words of /proc behind the name of a process (state, number of the parent); empty without /proc."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []
