"""A process ends with the one that has started it, also where that is killed and where it does not heed a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHILD = """
import os, signal, time
from dbt.adapters.sparksession import parent
parent.SECONDS, parent.GRACE = 0.05, 0.3
if {is_deaf}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
parent.follow()
print(os.getpid(), flush=True)
time.sleep(60)
"""
# As the shell below `make`, or a task of a scheduler: it waits for the child.
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # One that has ended and was not waited for is still listed.
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.parametrize(("is_deaf", "variable", "ends"), [(False, "1", True), (True, "1", True), (False, "", False)])
def test_a_child_ends_with_its_parent(is_deaf, variable, ends):
    environment = {**os.environ, "DBT_END_WITH_PARENT": variable}
    command = [sys.executable, "-c", PARENT, CHILD.format(is_deaf=is_deaf)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.stdout.close()
    until = time.monotonic() + (20 if ends else 1)
    while is_alive(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert is_alive(child) is not ends
    if not ends:
        os.kill(child, signal.SIGKILL)
