"""One writing command at a time."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
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
    assert f", process {os.getpid()}, since" in Path(lock_file).read_text()


@pytest.mark.parametrize(
    ("words", "typed", "line"),
    [
        (["/a/python", "/a/bin/dbt", "build", "--select", "x"], "", "dbt build --select x"),
        (
            ["/a/python3", "-m", "python_udfs.watch", "--every", "5"],
            "",
            "python3 -m python_udfs.watch --every 5 (dbt run)",
        ),
        (["/a/python", "-c", "some code"], "", "dbt run"),
        (["/a/python", "-m", "python_udfs.watch"], "make watch", "make watch (dbt run)"),
        (["/a/python", "/a/bin/dbt", "x" * 300], "", f"dbt {'x' * 195}…"),
    ],
)
def test_the_lock_names_what_was_typed(lock_file, monkeypatch, words, typed, line):
    monkeypatch.setattr("sys.orig_argv", words)
    monkeypatch.setenv("DBT_TYPED", typed)
    run_lock.acquire(lock_file, "run")
    assert Path(lock_file).read_text().startswith(f"{line}, process {os.getpid()}, since ")


def refusal(lock_file, process, quiet=0.0):
    """The error of a second command, where a process holds the lock and began its last statement so long ago."""
    Path(lock_file).parent.mkdir(exist_ok=True)
    with Path(lock_file).open("w+") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        first.write(f"make watch (dbt run), process {process}, since 2024-01-31 23:00:00 UTC\n")
        first.flush()
        os.utime(lock_file, (time.time() - quiet,) * 2)
        with pytest.raises(FailedToConnectError) as raised:
            run_lock.acquire(lock_file, "run")
    return str(raised.value)


def test_a_holder_without_a_parent_or_progress_is_said_with_its_kill(lock_file):
    assert "kill" not in refusal(lock_file, os.getpid())
    assert f"no statement for 30 min: if it hangs, end it with `kill {os.getpid()}`" in refusal(
        lock_file, os.getpid(), 1800
    )
    orphan = subprocess.run(
        ["sh", "-c", "sleep 30 >/dev/null & echo $!"], stdout=subprocess.PIPE, text=True, check=True
    )
    process = int(orphan.stdout)
    try:
        assert f"What started it has ended: unless it is meant to run on, end it with `kill {process}`" in refusal(
            lock_file, process
        )
    finally:
        os.kill(process, signal.SIGKILL)


def test_a_holder_shows_its_progress(lock_file, monkeypatch):
    run_lock.acquire(lock_file, "run")
    os.utime(lock_file, (0, 0))
    monkeypatch.setattr(run_lock, "_shown_at", 0.0)
    run_lock.show_progress()
    assert time.time() - Path(lock_file).stat().st_mtime < 60
    os.utime(lock_file, (0, 0))
    run_lock.show_progress()
    assert Path(lock_file).stat().st_mtime == 0, "not at each statement"


@pytest.mark.parametrize("command", ["test", "show", "docs", "compile"])
def test_commands_that_write_nothing_take_no_lock(lock_file, command):
    run_lock.acquire(lock_file, command)
    assert not Path(lock_file).exists()


def test_without_a_lock_file_there_is_no_lock():
    run_lock.acquire("", "run")
