"""Writes what a cluster needs of this project (`make package`): lakehouse.tar.gz, submit.py and spark.conf beside it.

usage: python deploy/package.py <uv> <folder> [what `uv pip install` takes]
For machines unlike this one: --python-version 3.12 --python-platform x86_64-manylinux_2_28

The archive holds `project` (models, macros, metadata, profiles, python_udfs without sample_data), `packages` (what
requirements.in lists to run, as pinned in requirements.txt, and the adapter), `submit.py`, `spark.conf` and `python`
(the version that the packages are made for). Spark is not in it: it is the cluster's.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ("dbt_project.yml", "macros", "models", "profiles", "seeds", "tests/data", "python_udfs")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "sample_data")
NOT_FOR_A_RUN = "# check"  # the heading in requirements.in
COMPRESSION = 3  # of 9: the next ones take longer than they save in sending


BESIDE = ("submit.py", "spark.conf")


def main(uv: str, target: Path, options: list[str]) -> None:
    """Writes the archive.

    Raises:
        SystemExit: uv cannot install the packages; it has printed why.
    """
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as name:
        folder = Path(name)
        for part in PROJECT:
            source, copy = ROOT / part, folder / "project" / part
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, copy, ignore=LEFT_OUT) if source.is_dir() else shutil.copy(source, copy)
        install(uv, options, folder)
        for beside in BESIDE:
            shutil.copy(ROOT / "deploy" / beside, folder)
            shutil.copy(ROOT / "deploy" / beside, target)
        archive = target / "lakehouse.tar.gz"
        unfinished = archive.with_suffix(".part")
        with tarfile.open(unfinished, "w:gz", compresslevel=COMPRESSION) as file:
            for path in sorted(folder.iterdir()):
                file.add(path, path.name)
        unfinished.replace(archive)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB; beside it {' and '.join(BESIDE)}")


def install(uv: str, options: list[str], folder: Path) -> None:
    """Installs the packages of a run into `packages`, and records the version of Python that they are for."""
    run = (ROOT / "requirements.in").read_text().split(NOT_FOR_A_RUN)[0]
    names, without = folder / "names.in", folder / "without.in"
    names.write_text(run)
    without.write_text("pyspark\npy4j\n" + (ROOT / "requirements-left-out.txt").read_text())
    pip = [uv, "pip", "install", "--quiet", "--python", sys.executable, "--target", str(folder / "packages"), *options]
    pinned = str(ROOT / "requirements.txt")
    _run([*pip, "--constraints", pinned, "--excludes", str(without), "--requirements", str(names)])
    # Built here, it is the same for each Python.
    adapter = folder / "adapter"
    shutil.copytree(ROOT / "adapter", adapter, ignore=LEFT_OUT)
    _run([*pip, "--no-deps", "--no-build-isolation", str(adapter)])
    shutil.rmtree(adapter)
    names.unlink()
    without.unlink()
    version = next((options[at + 1] for at, word in enumerate(options) if word == "--python-version"), None)
    (folder / "python").write_text(version or "{}.{}".format(*sys.version_info))


def _run(command: list[str]) -> None:
    if done := subprocess.run(command, check=False).returncode:
        sys.exit(done)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
