"""Writes what a cluster needs of this project (`make package`): lakehouse.tar.gz, and the files to start it beside it.

usage: python deploy/package.py <uv> <folder> [--platform glue-5.1] [what `uv pip install` takes]
For machines unlike this one: --python-version 3.12 --python-platform x86_64-manylinux_2_28

The archive holds `project` (models, macros, metadata, profiles, python_udfs without sample_data), `packages` (what
requirements.in lists to run, as pinned for the release of Spark, and the adapter), `submit.py`, `spark.conf` and
`python` (the version that the packages are made for). Spark is not in it: it is the cluster's. The release is that of
the platform, else the one that this Python has.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from platforms import MACHINE, Platform, platform_named

from spark_files.releases import iceberg_aws, iceberg_runtime, s3a, spark_release

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ("dbt_project.yml", "macros", "models", "profiles", "seeds", "tests/data", "python_udfs")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.egg-info", "sample_data")
NOT_FOR_A_RUN = "# check"  # the heading in requirements.in
COMPRESSION = 3  # of 9: the next ones take longer than they save in sending
BESIDE = ("submit.py", "spark.conf")


def main(uv: str, target: Path, platform: Platform | None, options: list[str]) -> None:
    """Writes the archive.

    Args:
        uv: the program.
        target: the folder to write into.
        platform: where it will run; None for a cluster like this machine.
        options: more words for `uv pip install`.

    Raises:
        SystemExit: uv cannot install the packages; it has printed why.
    """
    if platform:
        options = ["--python-version", platform.python, "--python-platform", MACHINE, *options]
    release = platform.release if platform else spark_release()
    beside = (*BESIDE, *(platform.files if platform else ()))
    words = placeholders(release, platform)
    target.mkdir(parents=True, exist_ok=True)
    for name in beside:
        text = (ROOT / "deploy" / name).read_text()
        for placeholder, value in words.items():
            text = text.replace(placeholder, value)
        (target / name).write_text(text)
    with tempfile.TemporaryDirectory(dir=target) as temporary:
        folder = Path(temporary)
        for part in PROJECT:
            source, copy = ROOT / part, folder / "project" / part
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, copy, ignore=LEFT_OUT) if source.is_dir() else shutil.copy(source, copy)
        install(uv, options, folder, release)
        for name in BESIDE:
            shutil.copy(target / name, folder)
        archive = target / "lakehouse.tar.gz"
        unfinished = archive.with_suffix(".part")
        with tarfile.open(unfinished, "w:gz", compresslevel=COMPRESSION) as file:
            for path in sorted(folder.iterdir()):
                file.add(path, path.name)
        unfinished.replace(archive)
    print(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB, for Spark {release}; beside it {', '.join(beside)}")


def placeholders(release: str, platform: Platform | None) -> dict[str, str]:
    """What package.py writes into the templates of deploy/; what is left in angle brackets is the user's.

    Args:
        release: of Spark.
        platform: as for `main`. AWS's have S3A in their own version.
    """
    libraries = [iceberg_runtime(release), iceberg_aws(release)]
    jars = ["-".join(library.split(":")[1:]) + ".jar" for library in libraries]
    values = {
        "<packages>": ",".join(libraries if platform else [*libraries, s3a(release)]),
        "<jars>": ",".join(f"s3://<bucket>/lakehouse/{jar}" for jar in jars),
    }
    return {**values, "<label>": platform.label, "<python>": f"python{platform.python}"} if platform else values


def install(uv: str, options: list[str], folder: Path, release: str) -> None:
    """Installs the packages of a run into `packages`, and records the version of Python that they are for."""
    run = (ROOT / "requirements.in").read_text().split(NOT_FOR_A_RUN)[0]
    names, without = folder / "names.in", folder / "without.in"
    names.write_text(run)
    without.write_text("pyspark\npy4j\n" + (ROOT / "requirements-left-out.txt").read_text())
    pip = [uv, "pip", "install", "--quiet", "--python", sys.executable, "--target", str(folder / "packages"), *options]
    own = ROOT / f"requirements-spark{release}.txt"
    pinned = str(own if own.exists() else ROOT / "requirements.txt")
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
    uv, folder, *rest = sys.argv[1:]
    named = platform_named(rest[1]) if rest[:1] == ["--platform"] else None
    main(uv, Path(folder), named, rest[2:] if named else rest)
