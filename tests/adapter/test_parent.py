"""A process ends with the one that has started it, even if that is killed and if it does not heed a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CHILD = """
import importlib.util, os, signal, sys, time
# The module alone: the adapter's package imports Spark.
spec = importlib.util.spec_from_file_location("parent", {path!r})
parent = importlib.util.module_from_spec(spec)
spec.loader.exec_module(parent)
parent.SECONDS, parent.GRACE = 0.05, 0.3
if {is_deaf}:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
parent.follow()
print(os.getpid(), flush=True)
time.sleep(60)
"""
MODULE = Path(__file__).resolve().parents[2] / "adapter/dbt/adapters/sparksession/parent.py"
# As the shell below `make`, or a task of a scheduler: it waits for the child.
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
# With a process between the two, which lives on.
GRANDPARENT = (
    "import os, subprocess, sys; os.environ['DBT_END_WITH_PARENT'] = str(os.getpid());"
    " subprocess.run(['sh', '-c', '\"$0\" -c \"$1\"; true', sys.executable, sys.argv[1]])"
)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # One that has ended and was not waited for is still listed.
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.parametrize(
    ("parent", "is_deaf", "variable", "ends"),
    [
        (PARENT, False, "1", True),
        (PARENT, True, "1", True),
        (PARENT, False, "", False),
        (GRANDPARENT, False, "", True),
    ],
)
def test_a_child_ends_with_its_parent(parent, is_deaf, variable, ends):
    environment = {**os.environ, "DBT_END_WITH_PARENT": variable}
    command = [sys.executable, "-c", parent, CHILD.format(is_deaf=is_deaf, path=str(MODULE))]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
    until = time.monotonic() + (20 if ends else 1)
    while is_alive(child) and time.monotonic() < until:
        time.sleep(0.05)
    assert is_alive(child) is not ends
    if not ends:
        os.kill(child, signal.SIGKILL)
