"""The archive of `make package`, run by spark-submit as another user who sees nothing else of the project.

In client mode on Spark standalone, and in cluster mode on YARN: standalone has no cluster mode for Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from python_udfs.sample_data.land import land_changes, land_full_load
from tests.cluster.clusters import Cluster, a_driver
from tests.cluster.servers import (
    AS_NOBODY,
    AWS,
    CATALOG_SECRET,
    CATALOG_VARIABLE,
    SMALL_JAVA,
    Yarn,
    image_python,
    with_only,
    yarn_cluster,
)  # fmt: skip
from tests.e2e.lakehouse import REPOSITORY

# Where the executors have pandas from: they have no other.
PROBE = """
import os
from pyspark.sql import SparkSession

def ask(_):
    import pandas
    return os.geteuid(), os.path.relpath(pandas.__file__)

print("PROBED", SparkSession.builder.getOrCreate().sparkContext.parallelize([1], 1).map(ask).collect())
"""


class Package:
    """The archive, in a folder that each user may read, and a folder in which it is submitted."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster, self.folder, self.here = cluster, cluster.folder / "package", cluster.folder / "submitting"
        self.image = cluster.spark.folder / "image"
        uv = shutil.which("uv") or str(REPOSITORY / ".uv" / "bin" / "uv")
        for folder in (self.folder, self.here):
            folder.mkdir()
        subprocess.run([sys.executable, REPOSITORY / "deploy" / "package.py", uv, self.folder], check=True)
        self.here.chmod(0o777)
        # Client mode: the driver's machine has the archive unpacked.
        with tarfile.open(self.folder / "lakehouse.tar.gz") as archive:
            archive.extractall(self.folder / "unpacked", filter="tar")
        (self.folder / "probe.py").write_text(PROBE)

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
            *words,
        ]  # fmt: skip
        return subprocess.run(
            with_only({**own, **environment}, command), cwd=self.here, capture_output=True, text=True, check=False
        )

    def in_client_mode(self, script: Path, *words: str) -> subprocess.CompletedProcess[str]:
        secrets = {CATALOG_VARIABLE: f"planted:{CATALOG_SECRET}", **AWS}
        master = ("--master", self.cluster.spark.master, "--conf", "spark.driver.host=127.0.0.1")
        return self.submit(*master, script, *words, **secrets)

    def in_cluster_mode(self, yarn: Yarn, *words: str) -> subprocess.CompletedProcess[str]:
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


@pytest.fixture(scope="module")
def package(cluster: Cluster) -> Package:
    return Package(cluster)


@pytest.fixture(scope="module")
def yarn(cluster: Cluster, package: Package) -> Iterator[Yarn]:
    with yarn_cluster(cluster.folder, package.image) as started:
        yield started


def rows(cluster: Cluster) -> int:
    return len(cluster.read_with_pyiceberg("silver.sampledb__product"))


def test_spark_submit_runs_the_archive_in_client_mode(cluster: Cluster, package: Package) -> None:
    cluster.land(land_full_load)
    done = package.in_client_mode(package.folder / "unpacked" / "submit.py", *package.words, "run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert rows(cluster) == 25


def test_executors_have_the_packages_of_the_archive(package: Package) -> None:
    done = package.in_client_mode(package.folder / "probe.py")
    user = 65534 if AS_NOBODY else 0
    assert f"PROBED [({user}, 'lakehouse/packages/pandas/__init__.py')]" in done.stdout, done.stdout + done.stderr


def test_a_command_that_fails_fails_the_submission_and_says_why(package: Package) -> None:
    words = [word for word in package.words if not word.startswith("LAKEHOUSE_WAREHOUSE=")]
    done = package.in_client_mode(package.folder / "unpacked" / "submit.py", *words, "run")
    assert done.returncode == 2
    assert "the environment variable LAKEHOUSE_WAREHOUSE is not set" in done.stdout
    assert "SPARK_MASTER" not in done.stdout
    (package.folder / "submit.py").chmod(0o644)
    done = package.in_client_mode(package.folder / "submit.py", *package.words, "run")
    assert done.returncode == 1
    assert "the archive is not unpacked at" in done.stdout


def test_spark_submit_runs_the_archive_in_cluster_mode_on_yarn(cluster: Cluster, package: Package, yarn: Yarn) -> None:
    cluster.land(land_changes)
    done = package.in_cluster_mode(yarn, "run")
    said = "\n".join(path.read_text(errors="replace") for path in sorted(yarn.logs.rglob("std*")))
    assert done.returncode == 0, done.stderr[-3000:] + said[-6000:]
    assert "final status: SUCCEEDED" in done.stderr
    assert "Completed successfully" in said, "the driver printed to a container of YARN"
    with a_driver(cluster) as driver:
        driver.dbt("run", "--select", "rejected_files")
        assert driver("differences") == []


def test_a_command_that_fails_in_the_cluster_fails_the_application(package: Package, yarn: Yarn) -> None:
    done = package.in_cluster_mode(yarn, "run", "--no-such-option")
    assert done.returncode == 1
    assert "final status: FAILED" in done.stderr
    said = "\n".join(path.read_text(errors="replace") for path in sorted(yarn.logs.rglob("std*")))
    assert "No such option" in said


def test_no_secret_is_left_behind(cluster: Cluster, package: Package, yarn: Yarn) -> None:
    files = [
        *cluster.left_behind(),
        *((str(path), path.read_bytes()) for path in yarn.logs.rglob("*") if path.is_file()),
    ]
    for secret in (CATALOG_SECRET, AWS["AWS_SECRET_ACCESS_KEY"]):
        assert [path for path, content in files if secret.encode() in content] == []
