"""Entry point of spark-submit: runs dbt with the project and the packages of the archive that `make package` writes.

usage: spark-submit … submit.py [NAME=VALUE …] COMMAND …

NAME=VALUE sets an environment variable of the driver, as env(1) does: not for secrets, everybody sees a command.
COMMAND is one of dbt's, such as `build`, or `-m` and a module of the project, such as `-m python_udfs.watch`.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path

NAME = "lakehouse"
LEAST_PYTHON = (3, 10)


def unpacked() -> Path:
    """The folder of the archive: where Spark has unpacked it for the driver, or where this file is.

    Raises:
        SystemExit: it is at neither.
    """
    folders = [Path.cwd() / NAME, Path(__file__).resolve().parent]
    for folder in folders:
        if (folder / "project").is_dir():
            return folder
    sys.exit(
        f"submit.py: the archive is not unpacked at {' or '.join(map(str, folders))}. In cluster mode, give"
        f" spark-submit --archives {NAME}.tar.gz#{NAME}; in client mode, unpack {NAME}.tar.gz and run its submit.py."
    )


def prepare(folder: Path) -> None:
    """Makes this process one that has the project's packages and variables.

    Raises:
        SystemExit: the archive was made for another Python.
    """
    expected, version = (folder / "python").read_text().strip(), "{}.{}".format(*sys.version_info)
    if sys.version_info < LEAST_PYTHON:
        sys.exit(
            f"submit.py: the project needs Python {'.'.join(map(str, LEAST_PYTHON))} or newer, and this is {version}"
            f" ({sys.executable}). The archive was made for {expected}: name that with PYSPARK_PYTHON. EMR 7 starts"
            " Python 3.9, and has python3.11 beside it."
        )
    if version != expected:
        sys.exit(
            f"submit.py: the archive was made for Python {expected}, and this is {version} ({sys.executable}). Name"
            " another with PYSPARK_PYTHON, or make the archive again: make package UV_ARGS="
            f"'--python-version {version}'"
        )
    project = folder / "project"
    sys.path[:0] = [str(project), str(folder / "packages")]
    # The archive may be read by many containers of a machine: what dbt writes goes where this one may write.
    own = {"DBT_TARGET_PATH": Path.cwd() / "target", "DBT_LOG_PATH": Path.cwd() / "logs"}
    defaults = {
        "LAKEHOUSE_TARGET": "cluster",
        "DBT_PROJECT_DIR": project,
        "DBT_PROFILES_DIR": project / "profiles",
        **own,
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, str(value))


def main(words: list[str]) -> None:
    """Runs a command; the process ends with its exit code."""
    while words and re.match(r"[A-Za-z_]\w*=", words[0]):
        name, _, value = words.pop(0).partition("=")
        os.environ[name] = value
    prepare(unpacked())
    if words[:1] == ["-m"] and len(words) > 1:
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
        return
    from dbt.cli.main import cli  # noqa: PLC0415 - it is in the archive

    cli(words)


if __name__ == "__main__":
    main(sys.argv[1:])
