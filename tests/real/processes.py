"""Servers that run as long as a block does."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SECONDS_TO_START = 120


class ServerError(Exception):
    """A server cannot be had, or does not do what it should; the message says in one line why, and what to do."""


@contextmanager
def one_at_a_time(name: str) -> Iterator[None]:
    """The block, in one process of this machine's at a time: what it installs is there for the others."""
    with (Path(tempfile.gettempdir()) / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def running(
    command: Sequence[str],
    folder: Path,
    log: Path,
    reason_to_wait: Callable[[], str | None],
    stop: signal.Signals = signal.SIGTERM,
    user: str | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a server until the end of the block, which gets its process.

    Args:
        command: program and arguments.
        folder: where it runs.
        log: file for what it prints; its name is the name of the server in messages.
        reason_to_wait: None as soon as the server can be used, else what is missing.
        stop: the signal that makes it end at once, although clients are connected.
        user: who runs it, when this process is root.

    Raises:
        ServerError: it ends by itself, or cannot be used in time.
    """
    name = log.stem
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, user=user, group=user, extra_groups=[] if user else None,
            stdin=subprocess.DEVNULL, stdout=output, stderr=output,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + SECONDS_TO_START
        while reason := reason_to_wait():
            if process.poll() is not None:
                raise ServerError(f"{name} ended with status {process.returncode}: {tail(log)}")
            if time.monotonic() > deadline:
                raise ServerError(f"{name} is not ready after {SECONDS_TO_START} s ({reason}): {tail(log)}")
            time.sleep(0.1)
        yield process
    finally:
        process.send_signal(stop)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def tail(log: Path) -> str:
    """The last lines of a log as one line."""
    return " | ".join(log.read_text(errors="replace").strip().splitlines()[-5:])
