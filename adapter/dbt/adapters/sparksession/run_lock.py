"""One writing dbt command at a time: a lock file that the operating system frees when its holder dies."""

from __future__ import annotations

import fcntl
import os
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import IO

from dbt.adapters.exceptions import FailedToConnectError

# Commands that write tables. Others, such as test, show and docs, may run beside one.
WRITING = ("build", "clone", "retry", "run", "run-operation", "seed", "snapshot")

_guard = threading.Lock()
_held: dict[str, IO[str]] = {}


def acquire(lock_file: str, command: str) -> None:
    """Take the lock for this process, unless it has it already or the command does not write.

    Args:
        lock_file: path of the lock file on a local disk; its folder is made. Empty: no lock.
        command: dbt's command, such as `run`.

    Raises:
        FailedToConnectError: another process holds the lock; says which, since when, and what to do.
    """
    if not lock_file or command not in WRITING:
        return
    with _guard:
        if lock_file in _held:
            return
        Path(lock_file).parent.mkdir(parents=True, exist_ok=True)
        file = Path(lock_file).open("a+", encoding="utf-8")  # noqa: SIM115 - open as long as the lock is held
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another process"
            file.close()
            raise FailedToConnectError(
                f"Another dbt command is writing to this warehouse: {holder}. Nothing was done. Run `dbt {command}`"
                f" again when it has ended (lock file: {lock_file})."
            ) from None
        file.truncate(0)
        file.write(f"dbt {command}, process {os.getpid()}, since {datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S} UTC\n")
        file.flush()
        _held[lock_file] = file


def release() -> None:
    """Give back every lock of this process."""
    with _guard:
        while _held:
            _held.popitem()[1].close()
