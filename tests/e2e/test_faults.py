"""Faults of the machine while files are read: the run names the cause and rejects no file, the next run reads all.

The faults are real: a disk without space, a disk that fails, a file that may not be opened. Each test lands a file for
each of two tables, one of parquet and one of CSV.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from stories import Story, change

from dbt.adapters.sparksession import snapshots
from tests.faults import Disk, full_disk, needs_mount, spark_folder

FORMATS = ("parquet", "csv")
LISTING = ("rejected_files", "raw_listing")
TABLES = [f"{layer}_s__fault_{name}" for name in FORMATS for layer in ("bronze", "silver")]
# Root opens any file, unless it has given up the right to.
AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


class Landing:
    """The two tables and their files."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        self.number = 0
        for name in FORMATS:
            lakehouse.add_feed(name, name, "timestamp_column=ts")
            lakehouse.add_table(name, f"fault_{name}", columns="id int, v string, w string" if name == "csv" else "")
        lakehouse.make_models()
        lakehouse.dbt("seed")
        self.land()
        self.expect_everything()

    def land(self) -> list[Path]:
        """One more file for each table."""
        self.number += 1
        paths = []
        for name in FORMATS:
            story = Story(self.lakehouse.raw / name, f"fault_{name}", data_format=name)
            paths += story.changes(self.number, change("I", self.number, id=self.number, v="a", w="b"))
        return paths

    def run(self, *models: str) -> dict[str, str]:
        """`dbt run`: what it says of each model that fails."""
        results = self.lakehouse.dbt("run", "--select", *models).result.results
        return {result.node.name: result.message for result in results if result.status == "error"}

    def expect_no_rejection(self) -> None:
        assert self.lakehouse.sql("select path, reason from etl_metadata.rejected_files") == []

    def expect_everything(self) -> None:
        """The next run succeeds and has every row."""
        assert self.run(*LISTING, *TABLES) == {}
        self.expect_no_rejection()
        for name in FORMATS:
            assert self.lakehouse.table(f"fault_{name}", "id") == [(number,) for number in range(1, self.number + 1)]


@pytest.fixture(scope="module")
def landing(empty_lakehouse):
    return Landing(empty_lakehouse)


def expect(failed: dict[str, str], cause: str, *names: str) -> None:
    assert sorted(failed) == sorted(names)
    for message in failed.values():
        assert cause in message
        assert "at org.apache" not in message, "no stack of Java"


@needs_mount
@pytest.mark.parametrize(("few_rows", "layer"), [(100_000, "silver"), (0, "bronze")])
def test_a_full_disk_under_spark_rejects_no_file(landing, monkeypatch, few_rows, layer):
    # One task reads a small listing, so that bronze writes nothing there; of a large one tasks exchange rows.
    monkeypatch.setattr(snapshots, "_FEW_ROWS", few_rows)
    landing.land()
    assert landing.run(*LISTING) == {}
    with full_disk(spark_folder()):
        failed = landing.run(*TABLES)
        expect(failed, "No space left on device", f"{layer}_s__fault_parquet", f"{layer}_s__fault_csv")
    landing.expect_everything()


@needs_mount
def test_a_full_disk_under_the_warehouse_rejects_no_file(landing):
    landing.land()
    with full_disk(landing.lakehouse.warehouse / "bronze" / "s__fault_csv" / "data"):
        failed = landing.run(*LISTING, *TABLES)
        expect(failed, "No space left on device", "bronze_s__fault_csv")
    landing.expect_everything()


@needs_mount
def test_a_landing_disk_that_fails_rejects_no_file(landing, tmp_path):
    for path in landing.land():
        files, folder = tmp_path / f"{path.suffix}", path.parent / "20240131"
        files.mkdir()
        path.rename(files / path.name)
        disk = Disk(tmp_path / f"disk{path.suffix}", files)
        with disk.mounted(folder):
            disk.fail(path.name)
            failed = landing.run(*LISTING, *TABLES)
            expect(failed, "Input/output error", f"bronze_s__{path.parent.name}")
            landing.expect_no_rejection()
        (files / path.name).rename(folder / path.name)
    landing.expect_everything()


def test_a_file_that_may_not_be_opened_is_not_rejected(landing):
    paths = landing.land()
    for path in paths:
        path.chmod(0)
    command = [*AS_OTHERS, sys.executable, "-m", "dbt.cli.main", "--no-use-colors", "run"]
    models = ["--select", *LISTING, *TABLES[::2], *landing.lakehouse.directories]
    ended = subprocess.run([*command, *models], capture_output=True, text=True, check=False)
    for path in paths:
        path.chmod(0o644)
        assert f"{path} (Permission denied)" in ended.stdout
    assert ended.returncode == 1
    assert "2 errors" in ended.stdout and "does not exist" not in ended.stdout
    landing.expect_no_rejection()
    landing.expect_everything()
