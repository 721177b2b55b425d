"""A project that this user may read, and not write to: what is wrong, where, and what to do, in words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from dbt.adapters.exceptions import FailedToConnectError

from dbt.adapters.sparksession import run_lock
from dbt.adapters.sparksession.folders import obstacle
from python_udfs.paths import PROJECT_ROOT, target_folder

# Root may write anywhere; without these two capabilities it is bound by the bits of files like anybody.
BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]
needs_rights = pytest.mark.skipif(
    os.geteuid() == 0 and subprocess.run([*BOUND, "true"], check=False, capture_output=True).returncode != 0
    if shutil.which("setpriv")
    else os.geteuid() == 0,
    reason="root may write anywhere, and setpriv cannot take that away here",
)


@pytest.fixture
def locked(tmp_path):
    """A project without its data, in a folder that nobody may write to."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("dbt_project.yml", "macros", "models", "profiles", "seeds"):
        source = PROJECT_ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, project / name)
    project.chmod(0o555)
    yield project
    project.chmod(0o755)


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    bound = BOUND if os.geteuid() == 0 else []
    environment = {**os.environ, "PYTHONPATH": str(PROJECT_ROOT), **variables}
    command = [*bound, sys.executable, "-m", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stdout + done.stderr
    return done


@needs_rights
@pytest.mark.parametrize("command", ["report", "watch"])
def test_a_command_names_the_folders_and_their_variables_before_it_begins(locked, command):
    done = run(f"python_udfs.{command}", "--project-dir", str(locked))
    assert done.returncode == 1
    assert f"{locked}/logs: this user may not write to {locked} (set by DBT_LOG_PATH)" in done.stderr
    assert f"{locked}/target: this user may not write to {locked} (set by DBT_TARGET_PATH)" in done.stderr
    assert "Give the right to" in done.stderr


@needs_rights
def test_dbt_itself_names_the_folder_of_what_it_compiles(locked, tmp_path):
    where = ("--project-dir", str(locked), "--profiles-dir", str(locked / "profiles"))
    done = run("dbt.cli.main", "parse", *where, DBT_LOG_PATH=str(tmp_path / "logs"))
    assert done.returncode == 2
    assert f"{locked}/target: this user may not write to {locked} (set by DBT_TARGET_PATH)" in done.stdout


@needs_rights
def test_the_demonstration_says_which_folder_it_may_not_write_to(tmp_path):
    raw = tmp_path / "raw"
    raw.mkdir(mode=0o555)
    done = run("python_udfs.sample_data.demo", "land", "full", LAKEHOUSE_RAW=str(raw))
    assert done.returncode == 1
    assert done.stderr.startswith(f"{raw}/") and "Permission denied. Expected: a place that this user" in done.stderr


def test_a_warehouse_that_cannot_be_written_to_is_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FailedToConnectError, match=r"The lock of this warehouse cannot be taken: .*/file") as caught:
        run_lock.acquire(str(tmp_path / "file" / "warehouse" / ".lock"), "run")
    assert "lock_file of the profile" in str(caught.value)


def test_a_folder_below_a_file_is_none(tmp_path):
    (tmp_path / "file").touch()
    assert obstacle(tmp_path / "file" / "target") == f"{tmp_path}/file is no folder"
    assert obstacle(tmp_path / "not" / "there" / "yet") is None


def test_pages_are_where_dbt_writes(monkeypatch, tmp_path):
    monkeypatch.delenv("DBT_TARGET_PATH", raising=False)
    assert target_folder(tmp_path) == tmp_path / "target"
    monkeypatch.setenv("DBT_TARGET_PATH", "/elsewhere")
    assert target_folder(tmp_path) == Path("/elsewhere")
