"""The DAG with dbt and Spark as they are: a killed build, a table that fails, and the same table cleared."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from tests.airflow.conftest import ROOT, Driver
from tests.e2e.lakehouse import Lakehouse
from tests.e2e.stories import Story
from tests.proof import IS_PROOF, proof_only

# The first build is killed as soon as it holds the warehouse; a cleared table finds its disk repaired.
PYTHON = """\
#!/bin/sh
echo "$@" >> {folder}/calls-of-python
case "$*" in *--tables*) rm -f {broken};; esac
if [ -e {folder}/killed ]; then exec {python} "$@"; fi
touch {folder}/killed
{python} "$@" &
while ! [ -s {warehouse}/.lock ]; do sleep 0.1; done
kill -KILL $!
wait $!
"""


@pytest.fixture(scope="module")
def seen(drive: Driver, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    root = tmp_path_factory.mktemp("demo")
    lakehouse = Lakehouse(root)
    (lakehouse.project / "python_udfs").symlink_to(ROOT / "python_udfs")
    lakehouse.add_feed("shop", "parquet", "timestamp_column=ts")
    for name in ("good", "broken"):
        lakehouse.add_table("shop", name, lag_limit_minutes="60" if name == "good" else "")
        Story(root / "raw" / "shop", name).load(0, {"id": 1, "v": "a"})
    lakehouse.make_models()
    # Where files of the table belong there is a file.
    broken = root / "warehouse" / "bronze" / "s__broken" / "data"
    broken.parent.mkdir(parents=True)
    broken.touch()
    (root / "bin").mkdir()
    python = root / "bin" / "python"
    python.write_text(PYTHON.format(folder=root, broken=broken, python=sys.executable, warehouse=root / "warehouse"))
    python.chmod(0o755)
    about = drive(
        [{}, {"clear": ["s__broken"]}, *([{}] if IS_PROOF else [])],
        LAKEHOUSE_PROJECT=str(lakehouse.project),
        LAKEHOUSE_VENV=str(root),
        LAKEHOUSE_RAW=str(root / "raw"),
        LAKEHOUSE_WAREHOUSE=str(root / "warehouse"),
        LAKEHOUSE_ALERT_WEBHOOK="webhook",
        SPARK_DRIVER_MEMORY=os.environ["SPARK_DRIVER_MEMORY"],
    )
    about[0]["calls"] = (root / "calls-of-python").read_text().splitlines()
    return about


def test_a_killed_build_is_repeated_and_the_failing_table_is_red(seen: list[dict[str, Any]]) -> None:
    assert seen[1]["tasks"] == {
        "build": ["success", 2],
        "s__good": ["success", 1],
        "s__broken": ["failed", 1],
        "lag": ["failed", 1],
        "others": ["success", 1],
    }
    hooks = {hook["table"] or hook["task"]: hook["message"] for hook in seen[1]["hooks"]}
    assert hooks.keys() == {"s__broken", "lag"}
    assert hooks["s__broken"].startswith("bronze_s__broken: ")
    assert "s__good: its newest change is" in hooks["lag"]


def test_the_cleared_table_alone_is_built_and_announced(seen: list[dict[str, Any]]) -> None:
    assert seen[2]["tasks"]["s__broken"] == ["success", 2]
    assert ["--tables s__broken" in call for call in seen[0]["calls"]] == [False, False, True, *[False] * IS_PROOF]
    assert [name for name, _ in seen[1]["assets"]] == ["silver.s__good"]
    assert [name for name, _ in seen[2]["assets"]] == ["silver.s__broken"]


@proof_only
def test_a_run_with_nothing_new_announces_nothing(seen: list[dict[str, Any]]) -> None:
    assert seen[3]["tasks"]["s__broken"] == ["success", 1]
    assert seen[3]["assets"] == []
