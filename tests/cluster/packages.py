"""The archive of `make package`, and spark-submit as another user who sees nothing else of the project."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cluster.clusters import Cluster
from tests.cluster.servers import (
    AS_NOBODY,
    AWS,
    CATALOG_SECRET,
    CATALOG_VARIABLE,
    SMALL_JAVA,
    Yarn,
    image_python,
    with_only,
)
from tests.e2e.lakehouse import REPOSITORY


class Package:
    """The archive, in a folder that each user may read, and a folder in which it is submitted.

    Args:
        cluster: runs it.
        options: more words for deploy/package.py.
        settings: of Spark, for each submission.
    """

    def __init__(self, cluster: Cluster, options: Sequence[str] = (), settings: Mapping[str, str] = {}) -> None:
        self.cluster, self.folder, self.here = cluster, cluster.folder / "package", cluster.folder / "submitting"
        self.image = cluster.spark.folder / "image"
        uv = shutil.which("uv") or str(REPOSITORY / ".uv" / "bin" / "uv")
        for folder in (self.folder, self.here):
            folder.mkdir()
        subprocess.run([sys.executable, REPOSITORY / "deploy" / "package.py", uv, self.folder, *options], check=True)
        self.here.chmod(0o777)
        # Client mode: the driver's machine has the archive unpacked.
        with tarfile.open(self.folder / "lakehouse.tar.gz") as archive:
            archive.extractall(self.folder / "unpacked", filter="tar")
        self.settings = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]

    @property
    def secrets(self) -> dict[str, str]:
        """Environment variables of a driver."""
        return {CATALOG_VARIABLE: f"planted:{CATALOG_SECRET}", **AWS}

    @property
    def words(self) -> list[str]:
        """The variables of the target as words before a command; nothing secret, and no master."""
        environment = self.cluster.environment
        return [f"{name}={value}" for name, value in environment.items() if name.startswith("LAKEHOUSE_")]

    def submit(self, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs spark-submit with the options that every way has."""
        own = {
            "SPARK_HOME": str(self.image / "spark"), "HOME": str(self.here), "JAVA_TOOL_OPTIONS": SMALL_JAVA,
            "PYSPARK_PYTHON": str(image_python(self.image)), "SPARK_LOCAL_IP": "127.0.0.1",
            "LD_LIBRARY_PATH": str(self.image / "python" / "lib"),
        }  # fmt: skip
        command = [
            *AS_NOBODY, self.image / "spark" / "bin" / "spark-submit",
            "--properties-file", self.folder / "spark.conf",
            # The machines have the libraries.
            "--conf", "spark.jars.packages=", "--jars", self.cluster.spark.jars,
            "--archives", f"{self.folder / 'lakehouse.tar.gz'}#lakehouse",
            "--driver-memory", "1g", "--executor-memory", "600m", "--executor-cores", "1",
            *self.settings, *words,
        ]  # fmt: skip
        return subprocess.run(
            with_only({**own, **environment}, command), cwd=self.here, capture_output=True, text=True, check=False
        )

    def in_client_mode(self, script: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Runs a script on Spark standalone."""
        master = ("--master", self.cluster.spark.master, "--conf", "spark.driver.host=127.0.0.1")
        return self.submit(*master, script, *words, **{**self.secrets, **environment})

    def in_cluster_mode(self, yarn: Yarn, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs a command of dbt in a container of YARN."""
        python = str(image_python(self.image))
        master = (
            "--master", "yarn", "--deploy-mode", "cluster", "--num-executors", "1",
            "--conf", "spark.yarn.maxAppAttempts=1", "--conf", f"spark.yarn.appMasterEnv.PYSPARK_PYTHON={python}",
            "--conf", f"spark.executorEnv.PYSPARK_PYTHON={python}",
            # Without an HDFS, and without sending Spark to each container.
            "--conf", f"spark.yarn.stagingDir=file://{self.here}/staging",
            "--conf", f"spark.yarn.jars=local:{self.image / 'spark' / 'jars'}/*",
        )  # fmt: skip
        return self.submit(
            *master, self.folder / "submit.py", *self.words, *words, HADOOP_CONF_DIR=str(yarn.configuration)
        )
