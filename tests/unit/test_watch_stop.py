"""A signal stops the continuous mode wherever it comes."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType
from typing import Any

import pytest

from python_udfs.watch.stop import Stop


def wait_and_stop(stop: Any, line: int, seconds: float) -> int:
    """Waits, and as a handler of signals would, stops at one of the lines that run meanwhile; returns how many ran."""
    lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if event == "line" and frame.f_code is not wait_and_stop.__code__:
            lines += 1
            if lines == line:
                sys.settrace(None)
                stop.set()
        return trace

    sys.settrace(trace)
    try:
        stop.wait(seconds)
    finally:
        sys.settrace(None)
    return lines


def ends(make_stop: Any, line: int) -> bool:
    """Whether a wait of minutes ends if the signal comes at a line of it."""
    waiting = threading.Thread(target=wait_and_stop, args=(make_stop(), line, 300.0), daemon=True)
    waiting.start()
    waiting.join(5)
    return not waiting.is_alive()


def test_a_signal_at_any_line_of_the_wait_ends_it():
    lines = wait_and_stop(Stop(), 0, 0.0)
    assert lines > 0
    for line in range(1, lines + 1):
        assert ends(Stop, line), line


def test_an_event_of_python_would_hang():
    lines = wait_and_stop(threading.Event(), 0, 0.0)
    assert not all(ends(threading.Event, line) for line in range(1, lines + 1))


def test_a_signal_before_the_wait_is_not_lost():
    stop, started = Stop(), time.monotonic()
    assert not stop.is_set()
    stop.set()
    stop.wait(300)
    assert stop.is_set() and time.monotonic() - started < 60


@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_without_a_signal_it_waits_so_long(seconds):
    stop, started = Stop(), time.monotonic()
    stop.wait(seconds)
    assert not stop.is_set() and time.monotonic() - started >= seconds
