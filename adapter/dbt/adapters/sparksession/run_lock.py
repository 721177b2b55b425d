"""One writing dbt command at a time: a lock file that the operating system frees when its holder dies."""

from __future__ import annotations

import fcntl
import os
import re
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import IO

from dbt.adapters.exceptions import FailedToConnectError

from dbt.adapters.sparksession.parent import read_stat

# Commands that write tables. Others, such as test, show and docs, may run beside one.
WRITING = ("build", "clone", "retry", "run", "run-operation", "seed", "snapshot")
# The typed command, if it is not this process's own command line: a Makefile sets it.
TYPED = "DBT_TYPED"
# A holder that has begun no statement for so many seconds may hang; it shows its progress so often.
QUIET, SHOWN = 600.0, 10.0
_MOST = 200

_guard = threading.Lock()
_held: dict[str, IO[str]] = {}
_shown_at = 0.0


def acquire(lock_file: str, command: str) -> None:
    """Take the lock for this process, unless it has it already or the command does not write.

    Args:
        lock_file: path of the lock file on a local disk; its folder is made. Empty: no lock.
        command: dbt's command, such as `run`.

    Raises:
        FailedToConnectError: another process holds the lock; says which, since when, and what to do. Or the file cannot
            be written.
    """
    if not lock_file or command not in WRITING:
        return
    with _guard:
        if lock_file in _held:
            return
        try:
            Path(lock_file).parent.mkdir(parents=True, exist_ok=True)
            file = Path(lock_file).open("a+", encoding="utf-8")  # noqa: SIM115 - open as long as the lock is held
        except OSError as error:
            raise FailedToConnectError(
                f"The lock of this warehouse cannot be taken: {error.filename}: {error.strerror}. Expected: a folder"
                " that this user may write to. Nothing was done. Give the right to, or have lock_file of the profile"
                " name another folder, where it reads one by its environment variable."
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip()
            quiet = time.time() - os.fstat(file.fileno()).st_mtime
            file.close()
            raise FailedToConnectError(
                f"Another dbt command is writing to this warehouse: {holder or 'another process'}."
                f"{_doubt(holder, quiet)} Nothing was done. Run `dbt {command}` again when it has ended (lock file:"
                f" {lock_file})."
            ) from None
        file.truncate(0)
        since = f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
        file.write(f"{_typed(command)}, process {os.getpid()}, since {since}\n")
        file.flush()
        _held[lock_file] = file


def show_progress() -> None:
    """Shows those who wait for a lock of this process that its command still works."""
    global _shown_at  # noqa: PLW0603 - of this process, as the locks are
    now = time.monotonic()
    if _held and now - _shown_at > SHOWN:
        _shown_at = now
        for path in list(_held):
            with suppress(OSError):
                os.utime(path)


def release() -> None:
    """Give back every lock of this process."""
    with _guard:
        while _held:
            _held.popitem()[1].close()


def _typed(command: str) -> str:
    """Returns the command that started this process, on one line."""
    words = list(sys.orig_argv)
    if words[1:2] == ["-m"]:
        words[0] = Path(words[0]).name
    elif len(words) > 1 and words[1][:1] not in ("-", ""):
        words = [Path(words[1]).name, *words[2:]]
    else:
        words = ["dbt", command]
    line = os.environ.get(TYPED) or " ".join(" ".join(words).split())
    line = line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
    return line if line.startswith("dbt ") else f"{line} (dbt {command})"


def _doubt(holder: str, quiet: float) -> str:
    """Why a holder may never end, and how to end it; empty if nothing shows that."""
    process = re.search(r"process (\d+), since [^,]*$", holder)
    if process is None:
        return ""
    number = process[1]
    if read_stat(number)[1:2] == ["1"]:
        return f" What started it has ended: unless it is meant to run on, end it with `kill {number}`."
    if quiet > QUIET:
        return f" It has begun no statement for {quiet / 60:.0f} min: if it hangs, end it with `kill {number}`."
    return ""
