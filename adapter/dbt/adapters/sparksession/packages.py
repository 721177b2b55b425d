"""Adds to Spark the libraries of `spark.jars.packages`, and the Python packages of the project.

One process at a time lets Ivy fetch into a folder.
"""

from __future__ import annotations

import fcntl
import importlib.util
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions import FailedToConnectError
from pyspark import SparkContext, SparkFiles

from spark_files.releases import release

logger = AdapterLogger("Spark")
LOCK_NAME = "sparksession.lock"


def ship_packages(context: SparkContext, names: Iterable[str]) -> None:
    """Give executors, which may not see this machine's folders, packages that functions of Python models import.

    Args:
        context: of the running Spark.
        names: packages that this process can import.

    Raises:
        FailedToConnectError: one cannot be found.
    """
    names = list(names)
    if not names:
        return
    # Executors fetch the archive from here; Spark removes the folder when it ends.
    archive = Path(SparkFiles.getRootDirectory()) / "dbt" / "python_packages.zip"
    archive.parent.mkdir()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            spec = importlib.util.find_spec(name)
            if spec is None or not spec.submodule_search_locations:
                raise FailedToConnectError(
                    f"python_packages in the profile names {name!r}, which cannot be imported here as a package."
                )
            root = Path(next(iter(spec.submodule_search_locations)))
            for path in sorted(root.rglob("*.py")):
                file.write(path, Path(name) / path.relative_to(root))
    context.addPyFile(str(archive))
    # This process imports the packages from their own folders as before.
    for entry in [entry for entry in sys.path if entry.endswith(f"/{archive.name}")]:
        sys.path.remove(entry)


@contextmanager
def packages_at_hand(config: Mapping[str, str]) -> Iterator[tuple[int, ...]]:
    """Start Java inside this block: while packages are missing, only one process of the machine is in it.

    Two Java processes that let Ivy fetch into one folder at the same time break each other's downloads.

    Args:
        config: the configuration that Spark is started with.

    Yields:
        File descriptors that Java has to inherit. If this process is killed, Java still ends its download: the lock is
        free when both are gone.
    """
    packages, folder = _packages(config), _ivy_folder(config)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK_NAME).open("a") if packages else None
    except OSError:
        file = None  # a folder that is filled elsewhere, and read-only here
    if file is None:
        yield ()
        return
    with file:
        # Jars that another process is fetching at this moment are not there yet, even if their files are.
        _take(file, fcntl.LOCK_SH, folder)
        if missing_packages(config):
            _take(file, fcntl.LOCK_EX, folder)
        missing = missing_packages(config)
        if not missing:
            _release(file)
            yield ()
            return
        logger.info(f"Fetching Spark packages (first use only): {', '.join(missing)}")
        try:
            yield (file.fileno(),)
        finally:
            _release(file)  # for Java too
        logger.info("Spark packages fetched")


def missing_packages(config: Mapping[str, str]) -> list[str]:
    """Coordinates in `spark.jars.packages` whose jar is not yet in Ivy's folder of resolved jars."""
    jars = _ivy_folder(config) / "jars"
    return [name for name in _packages(config) if not (jars / f"{_jar_stem(name)}.jar").exists()]


def _packages(config: Mapping[str, str]) -> list[str]:
    return [name.strip() for name in config.get("spark.jars.packages", "").split(",") if name.strip()]


def _ivy_folder(config: Mapping[str, str]) -> Path:
    """Ivy's folder as Spark chooses it."""
    return Path(config.get("spark.jars.ivy", Path.home() / release().ivy))


def _jar_stem(coordinates: str) -> str:
    """`group_artifact-version`, the name Ivy gives the jar of `group:artifact:version`."""
    parts = coordinates.replace("/", ":").split(":")
    return f"{'_'.join(parts[:-1])}-{parts[-1]}"


def _take(lock: IO[str], mode: int, folder: Path) -> None:
    try:
        fcntl.flock(lock, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        logger.info(f"Another process is fetching Spark packages into {folder}: waiting until it has them")
        fcntl.flock(lock, mode)
    except OSError as error:
        # Some network file systems have no locks.
        logger.info(
            f"{folder} cannot be locked ({error}): Spark packages are fetched without waiting for other processes"
        )


def _release(lock: IO[str]) -> None:
    with suppress(OSError):
        fcntl.flock(lock, fcntl.LOCK_UN)
