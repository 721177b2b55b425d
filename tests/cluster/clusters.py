"""The project on a cluster: what is landed, a driver that runs dbt, and what it leaves behind."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import psutil
import pyarrow as pa
from pyarrow.fs import LocalFileSystem, copy_files

from tests.cluster.servers import (
    AWS,
    CATALOG_SECRET,
    CATALOG_VARIABLE,
    REGION,
    SMALL_JAVA,
    ObjectStore,
    SparkCluster,
    emulator_python,
    glue_catalog,
    object_store,
    rest_catalog,
    spark_cluster,
)
from tests.e2e.lakehouse import COPIED, REPOSITORY
from tests.real.processes import tail

Catalog = Literal["rest", "glue"]


@dataclass
class Cluster:
    """A project on a cluster.

    Attributes:
        folder: holds everything; the project in it can be read by its owner only.
        project: the copy of the project that dbt runs.
        environment: the variables of the target `cluster`.
    """

    folder: Path
    project: Path
    store: ObjectStore
    spark: SparkCluster
    environment: dict[str, str] = field(default_factory=dict)

    def land(self, write: Callable[[Path], object]) -> None:
        """Copies to the landing bucket what a function writes into a folder."""
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder))
            copy_files(folder, "landing", source_filesystem=LocalFileSystem(), destination_filesystem=self.store.files)

    def command(self, *words: str) -> subprocess.Popen[bytes]:
        """Starts a command of Python in the project, as a user would; what it prints goes to driver.log."""
        with (self.folder / "driver.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", *words], cwd=self.project, env=self.environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip

    def read_with_pyiceberg(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table, read by PyIceberg in an environment without this project."""
        kind, uri = self.environment["LAKEHOUSE_CATALOG_TYPE"], self.environment["LAKEHOUSE_CATALOG_URI"]
        properties = {"type": kind, "s3.endpoint": self.store.endpoint, "s3.region": REGION}
        if kind == "rest":
            properties |= {"uri": uri, "credential": f"planted:{CATALOG_SECRET}"}
        else:
            properties |= {"glue.endpoint": uri, "glue.region": REGION}
        return self._read("read_with_pyiceberg.py", properties, table)

    def read_with_duckdb(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table, read by DuckDB through the REST catalog in an environment without this project."""
        address = self.store.endpoint.removeprefix("http://")
        properties = {"uri": self.environment["LAKEHOUSE_CATALOG_URI"], "endpoint": address, "region": REGION}
        return self._read("read_with_duckdb.py", {**properties, "credential": f"planted:{CATALOG_SECRET}"}, table)

    def _read(self, script: str, properties: dict[str, str], table: str) -> list[dict[str, Any]]:
        done = subprocess.run(
            [emulator_python(), Path(__file__).with_name(script), json.dumps(properties), table],
            env={"PATH": os.environ["PATH"], **AWS}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout))

    def left_behind(self) -> Iterator[tuple[str, bytes]]:
        """Traces of a run: logs, artefacts, what executors printed, event logs, and command lines now."""
        kept = [self.project / "logs", self.project / "target", self.spark.folder / "work", self.store.folder / "logs"]
        for path in [*self.folder.glob("*.log"), *(path for folder in kept for path in folder.rglob("*"))]:
            if path.is_file() and path.suffix != ".jar":
                content = unpacked(path) if path.suffix == ".zstd" else path.read_bytes()
                yield str(path.relative_to(self.folder)), content
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):  # it has ended
                yield f"command line of {process.pid}", " ".join(process.cmdline()).encode()


def unpacked(log: Path) -> bytes:
    """The text of an event log, as far as Spark has written it."""
    parts = []
    with pa.CompressedInputStream(pa.OSFile(str(log)), "zstd") as file, suppress(OSError):
        while part := file.read(1_000_000):
            parts.append(part)
    return b"".join(parts)


class Driver:
    """dbt in a process of its own, with its Spark session; see driver.py."""

    def __init__(self, cluster: Cluster) -> None:
        self._log = cluster.folder / "driver.log"
        self.process = cluster.command("tests.cluster.driver")

    def __call__(self, command: str, *arguments: str | int) -> Any:
        """Runs a function of driver.py."""
        self.send(command, *arguments)
        return self.answer()

    def send(self, command: str, *arguments: str | int) -> None:
        """Begins to run a function of driver.py."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([command, *arguments]).encode() + b"\n")
        self.process.stdin.flush()

    def has_answered(self) -> bool:
        """Whether the function that was begun has returned, or the process has ended."""
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def answer(self) -> Any:
        """Result of the function that was begun."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the driver ended: {tail(self._log)}"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def dbt(self, *arguments: str) -> dict[str, str]:
        """A command of dbt that succeeds: status by name of its nodes."""
        outcome = self("run_dbt", *arguments)
        assert outcome["success"], "\n".join([outcome["error"], *outcome["messages"][-40:]])
        return dict(outcome["statuses"])

    def close(self) -> None:
        """Ends the process, if it has not ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if self.process.stdin.closed:
            return
        with self.process.stdout, suppress(BrokenPipeError):
            self.process.stdin.close()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


@contextmanager
def a_cluster(catalog: Catalog, workers: int = 2) -> Iterator[Cluster]:
    """Servers, and a copy of the project whose target is `cluster`, until the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="cluster-"))
    folder.chmod(0o711)  # the workers' user passes
    project = folder / "project"
    project.mkdir(mode=0o700)
    for name in COPIED:
        source, target = REPOSITORY / name, project / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        store = stack.enter_context(object_store(folder))
        serve = rest_catalog(folder, store) if catalog == "rest" else glue_catalog(folder)
        uri = stack.enter_context(serve)
        spark = stack.enter_context(spark_cluster(folder, workers))
        settings = {
            "LAKEHOUSE_TARGET": "cluster",
            "SPARK_MASTER": spark.master,
            "SPARK_JARS": spark.jars,
            "SPARK_PACKAGES": "",
            "LAKEHOUSE_RAW": "s3a://landing",
            "LAKEHOUSE_CATALOG_TYPE": catalog,
            "LAKEHOUSE_CATALOG_URI": uri,
            "LAKEHOUSE_WAREHOUSE": f"s3://lake/{catalog}",
            "LAKEHOUSE_S3_ENDPOINT": store.endpoint,
            "LAKEHOUSE_S3_PATH_STYLE": "true",
            "SPARK_DRIVER_MEMORY": "1g",
            "SPARK_EXECUTOR_MEMORY": "600m",
            "SPARK_EXECUTOR_CORES": "1",
            "SPARK_SHUFFLE_PARTITIONS": "2",
            "SPARK_EVENT_LOG_DIR": "s3a://logs/events",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DRIVER_HOST": "127.0.0.1",
            "LAKEHOUSE_THREADS": "4",
            "JAVA_TOOL_OPTIONS": SMALL_JAVA,
            "PYTHONPATH": str(REPOSITORY),
            **AWS,
        }
        if catalog == "rest":
            settings |= {
                "LAKEHOUSE_CATALOG_AUTH": "oauth2",
                CATALOG_VARIABLE: f"planted:{CATALOG_SECRET}",
            }
        store.files.create_dir("logs/events")
        yield Cluster(folder, project, store, spark, {**os.environ, **settings})


@contextmanager
def a_driver(cluster: Cluster) -> Iterator[Driver]:
    """A driver until the end of the block."""
    driver = Driver(cluster)
    try:
        yield driver
    finally:
        driver.close()
