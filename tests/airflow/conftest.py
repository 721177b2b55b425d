"""Airflow in its own environment, with a database of the tests' own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.servers import glue_catalog
from tests.one_java import CHILD_JAVA

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-airflow" / "bin" / "python"
# Stands for the project's programs where a test is about the DAG alone: does what the plan says, and notes the command.
FAKE = """\
#!{python}
import json, os, sys
arguments = sys.argv[1:]
plan_file = {plan!r}
call = " ".join(arguments).partition(" --project-dir")[0]
open(os.path.join(os.path.dirname(plan_file), "calls"), "a").write(call + "\\n")
plan = json.load(open(plan_file))
now = plan.pop(0) if len(plan) > 1 else plan[0]
json.dump(plan, open(plan_file, "w"))
if now.get("kill"):
    os.kill(os.getpid(), 9)
print("dbt said something")
if "tables" in now:
    json.dump({{"tables": now["tables"], "others": now.get("others", [])}}, open(arguments[-1], "w"))
sys.exit(now.get("code", 0))
"""
Driver = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="session")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Airflow's database; the environment is made if it is not there."""
    subprocess.run(["make", "--silent", ".venv-airflow/.ready"], cwd=ROOT, check=True)
    home = tmp_path_factory.mktemp("airflow")
    _airflow(home, "-m", "airflow", "db", "migrate")
    return home


@pytest.fixture(scope="session")
def sqs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an emulated SQS: moto has all services in one server."""
    with glue_catalog(tmp_path_factory.mktemp("sqs")) as address:
        yield address


@pytest.fixture(scope="session")
def drive(airflow_home: Path) -> Driver:
    """Runs steps with the driver; `environment` is that of Airflow."""

    def run(steps: list[dict[str, Any]], **environment: str) -> list[dict[str, Any]]:
        folder = airflow_home / f"steps-{len(list(airflow_home.glob('steps-*')))}"
        (folder / "bin").mkdir(parents=True)
        fake = folder / "bin" / "python"
        fake.write_text(FAKE.format(python=PYTHON, plan=str(folder / "plan.json")))
        fake.chmod(0o755)
        for name in ("dbt", "make"):
            fake.with_name(name).symlink_to(fake)
        (folder / "steps.json").write_text(json.dumps(steps))
        settings = {"LAKEHOUSE_VENV": str(folder), "CALLS": str(folder / "plan.json"), **environment}
        _airflow(airflow_home, str(Path(__file__).with_name("driver.py")), str(folder / "steps.json"), **settings)
        seen: list[dict[str, Any]] = json.loads((folder / "seen.json").read_text())
        return seen

    return run


def _airflow(home: Path, *command: str, **environment: str) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "JAVA_HOME") if name in os.environ}
    settings = {
        "AIRFLOW_HOME": str(home),
        "JAVA_TOOL_OPTIONS": CHILD_JAVA,
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "airflow" / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "LAKEHOUSE_RETRY_SECONDS": "1",
        "PYTHONWARNINGS": "ignore",
    }
    done = subprocess.run(
        [str(PYTHON), *command],
        env={**kept, **settings, **environment},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    (home / "last.log").write_text(done.stdout + done.stderr)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
