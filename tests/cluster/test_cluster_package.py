"""The archive of `make package`, run by spark-submit as another user who sees nothing else of the project.

In client mode on Spark standalone, and in cluster mode on YARN: standalone has no cluster mode for Python.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from python_udfs.sample_data.land import land_changes, land_full_load
from tests.cluster.clusters import Cluster, a_driver
from tests.cluster.packages import Package
from tests.cluster.servers import AS_NOBODY, AWS, CATALOG_SECRET, Yarn, yarn_cluster

# Where the executors have pandas from: they have no other.
PROBE = """
import os
from pyspark.sql import SparkSession

def ask(_):
    import pandas
    return os.geteuid(), os.path.relpath(pandas.__file__)

print("PROBED", SparkSession.builder.getOrCreate().sparkContext.parallelize([1], 1).map(ask).collect())
"""


@pytest.fixture(scope="module")
def package(cluster: Cluster) -> Package:
    made = Package(cluster)
    (made.folder / "probe.py").write_text(PROBE)
    return made


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
