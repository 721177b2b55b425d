"""A second run beside the test's own: a process with a Java of its own, that runs dbt whenever it is asked to."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from dbt.adapters.sparksession import SparksessionAdapter, snapshots

ANSWER = "ANSWER "
# Message of a run about a table that another one wrote first.
RAN_SECOND = ("Another run has written to", "Another run has created")


def on_each_step(replace: Callable[[object, str, Any], None], reach: Callable[[str, str], object]) -> None:
    """Has a function called with the name and the table of each step of this process's writes.

    `asks`: the run knows the table's snapshot and nothing else; `writes`: it knows what it will write; `publishes`: it
    has written, and nobody sees it; `creates`: as `writes`, and there is no table yet.

    Args:
        replace: puts another function in the place of an attribute, as `setattr` does.
        reach: is called before the step is done.
    """
    adapter = SparksessionAdapter
    start_write, write, start_branch = adapter.start_write, adapter.write, adapter.start_branch
    publish_stage, publish_branch = snapshots.publish_stage, snapshots.publish_branch

    def asks(this, relation):
        start_write(this, relation)
        reach("asks", relation.render())

    def writes(this, relation, sql, properties=None):
        reach("creates" if sql.lstrip().startswith("create") else "writes", relation.render())
        write(this, relation, sql, properties)

    def begins(this, relation, branch):
        reach("writes", relation.render())
        start_branch(this, relation, branch)

    def publishes(session, table, *stage):
        reach("publishes", table)
        return publish_stage(session, table, *stage)

    def publishes_branch(session, table, name):
        reach("publishes", table)
        return publish_branch(session, table, name)

    for owner, name, replacement in (
        (adapter, "start_write", asks),
        (adapter, "write", writes),
        (adapter, "start_branch", begins),
        (snapshots, "publish_stage", publishes),
        (snapshots, "publish_branch", publishes_branch),
    ):
        replace(owner, name, replacement)


class Rival:
    """The other process, as seen by the test.

    Args:
        project: the project that both run. It keeps what dbt compiles, and its logs, apart.
        profiles: a folder with a profile that has no lock file.
    """

    def __init__(self, project: Path, profiles: Path) -> None:
        apart = ["--target-path", str(project / "target-rival"), "--log-path", str(project / "logs-rival")]
        self.arguments = ["--project-dir", str(project), "--profiles-dir", str(profiles), *apart]
        self.process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, *arguments: str) -> dict[str, str]:
        """A dbt command there: status by node name."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([*arguments, *self.arguments]) + "\n")
        self.process.stdin.flush()
        said = []
        for line in self.process.stdout:
            if line.startswith(ANSWER):
                statuses: dict[str, str] = json.loads(line.removeprefix(ANSWER))
                return statuses
            said.append(line)
        raise AssertionError(f"the other run ended:\n{''.join(said)}")

    def stop(self) -> None:
        """Ends the process and its Java."""
        self.process.communicate(timeout=60)


def statuses_of(arguments: Sequence[str]) -> dict[str, str]:
    outcome = dbtRunner().invoke(list(arguments))
    assert outcome.result is not None, outcome.exception
    return {result.node.name: str(result.status) for result in outcome.result.results}


if __name__ == "__main__":
    for command in sys.stdin:
        print(ANSWER + json.dumps(statuses_of(json.loads(command))), flush=True)
