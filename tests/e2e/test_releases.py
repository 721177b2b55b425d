"""Each build of one warehouse runs on another release of Spark; silver equals the result of the oracle.

The release of these tests builds in this process, each other one in a process of its environment
(`make setup SPARK=…`); one without takes no part.
"""

from __future__ import annotations

import json
import os
import subprocess
from itertools import cycle
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from spark_files.releases import spark_release
from tests.e2e.histories import BATCHES, SHAPES, draw_files
from tests.e2e.lakehouse import Lakehouse, list_environments
from tests.e2e.test_histories import Proof, Table

SEED = int(os.environ.get("SEED") or 1)
# Both ways of deletes, both formats, and a history.
TABLES = ("hard_parquet", "soft_csv", "history_parquet")
KEYS_PER_TABLE = 40


class Builds:
    """The builds, each by the next release; the release of this process tests what they built."""

    def __init__(self, lakehouse: Lakehouse) -> None:
        self.lakehouse = lakehouse
        self.dbt_of_this_process = lakehouse.dbt
        self.used: list[str] = []
        # Newest first: 4.1, 4.0, 3.5 and 4.1 build the four batches.
        there = list_environments()
        if len(there) < 2:
            pytest.skip("one environment alone is here; make setup SPARK=3.5 and SPARK=4.0 build others")
        self.environments = cycle(there.items())

    def dbt(self, *arguments: str) -> Any:
        if arguments[0] == "test":
            return self.dbt_of_this_process(*arguments)
        release, folder = next(self.environments)
        self.used.append(release)
        if release == spark_release():
            return self.dbt_of_this_process(*arguments)
        target = self.lakehouse.project / "target"
        said = subprocess.run(
            [folder / "bin" / "dbt", *arguments, *self.lakehouse.directories],
            env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "DBT_TARGET_PATH": str(target)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.lakehouse.messages = (said.stdout + said.stderr).splitlines()
        results = json.loads((target / "run_results.json").read_text())["results"]
        nodes = [
            SimpleNamespace(
                node=SimpleNamespace(name=row["unique_id"].split(".")[2], compiled_code=row.get("compiled_code")),
                status=row["status"],
            )
            for row in results
        ]
        return SimpleNamespace(
            result=SimpleNamespace(results=nodes), success=said.returncode == 0, exception=said.stdout[-2000:]
        )


@pytest.mark.timeout(1800)
def test_releases_take_turns_on_one_warehouse(empty_lakehouse, monkeypatch):
    builds = Builds(empty_lakehouse)
    # The session of this process reads the warehouse.
    assert empty_lakehouse.dbt("debug").success
    monkeypatch.setattr(empty_lakehouse, "dbt", builds.dbt)
    shapes = [shape for shape in SHAPES if shape.name in TABLES]
    files = {shape.name: draw_files(Random(f"{SEED} {shape.name}"), shape, KEYS_PER_TABLE) for shape in shapes}
    tables = [Table(empty_lakehouse, shape, f"{shape.name}_turns", files[shape.name]) for shape in shapes]
    # Once is enough: the data tests read the whole of each table when they first run.
    proof = Proof(empty_lakehouse, tables, tested=[BATCHES])
    failure = proof.run()
    assert failure is None, f"seed {SEED}, {failure[0].name}, batch {failure[1]}: {list(failure[2].items())[:3]}"
    print(f"{proof.rows_compared} rows compared; builds by {', '.join(builds.used)}")
    assert proof.rows_compared > 0
