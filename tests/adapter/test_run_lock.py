"""One writing command at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest
from dbt.adapters.exceptions import FailedToConnectError

from dbt.adapters.sparksession import run_lock


@pytest.fixture
def lock_file(tmp_path):
    yield str(tmp_path / "warehouse" / ".lock")
    run_lock.release()


def is_free(path):
    with Path(path).open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def test_the_lock_is_held_until_it_is_released(lock_file):
    run_lock.acquire(lock_file, "run")
    run_lock.acquire(lock_file, "run")
    assert not is_free(lock_file)
    run_lock.release()
    assert is_free(lock_file)


def test_a_second_command_is_told_who_is_running(lock_file):
    holder = "dbt build, process 42, since 2024-01-31 23:00:00 UTC"
    Path(lock_file).parent.mkdir()
    with Path(lock_file).open("a+") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        first.write(f"{holder}\n")
        first.flush()
        with pytest.raises(FailedToConnectError, match=holder) as raised:
            run_lock.acquire(lock_file, "seed")
    assert "Run `dbt seed` again when it has ended" in str(raised.value)
    run_lock.acquire(lock_file, "seed")
    assert f"dbt seed, process {os.getpid()}, since" in Path(lock_file).read_text()


@pytest.mark.parametrize("command", ["test", "show", "docs", "compile"])
def test_commands_that_write_nothing_take_no_lock(lock_file, command):
    run_lock.acquire(lock_file, command)
    assert not Path(lock_file).exists()


def test_without_a_lock_file_there_is_no_lock():
    run_lock.acquire("", "run")
