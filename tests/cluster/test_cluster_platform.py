"""The archive of a platform of AWS on a cluster of its release of Spark, with the settings that the platform has.

Emulated: neither AWS's forks of Spark and of Iceberg are here, nor its services.
"""

from __future__ import annotations

import base64
import json
import shlex
import shutil
import urllib.request

import pytest

from python_udfs.sample_data.land import land_changes, land_full_load
from spark_files.releases import spark_release
from tests.cluster.clusters import Cluster, a_driver
from tests.cluster.packages import Package
from tests.cluster.servers import SMALL_JAVA
from tests.e2e.lakehouse import REPOSITORY

PLATFORM = {"3.5": "glue-5.1", "4.1": "emr-spark-8.1"}.get(spark_release(), "")
ELSEWHERE = "America/Los_Angeles"
# ANSI mode is off by default in Spark 3.5, AWS's documents name the catalog so, and nobody promises a time zone.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.ansi.enabled": "false",
    "spark.sql.session.timeZone": ELSEWHERE,
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
    "spark.sql.defaultCatalog": "glue_catalog",
    "spark.sql.catalog.glue_catalog": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.glue_catalog.type": "hadoop",
    "spark.sql.catalog.glue_catalog.warehouse": "file:/nowhere",
}
pytestmark = [
    pytest.mark.skipif(not PLATFORM, reason=f"no platform is emulated with Spark {spark_release()}"),
    pytest.mark.parametrize("cluster", ["glue", "rest"], indirect=True, scope="module"),
]


@pytest.fixture(scope="module")
def package(cluster: Cluster) -> Package:
    return Package(cluster, ["--platform", PLATFORM], SETTINGS)


def record(cluster: Cluster, action: str) -> str:
    url = f"{cluster.environment['LAKEHOUSE_CATALOG_URI']}/moto-api/recorder/{action}"
    request = urllib.request.Request(url, method="POST" if action == "start-recording" else "GET")
    with urllib.request.urlopen(request, timeout=60) as response:
        return str(response.read().decode())


def submit(package: Package, *words: str) -> None:
    """A command, as the platform's script starts it: Glue copies the archive beside the script, and adds arguments."""
    command = [*package.words, *words]
    java = f"{SMALL_JAVA} -Duser.timezone={ELSEWHERE}"
    if PLATFORM.startswith("glue"):
        shutil.copy(package.folder / "lakehouse.tar.gz", package.here)
        script, command = package.folder / "glue.py", ["--JOB_NAME", "cdc-lakehouse", "--command", shlex.join(command)]
    else:
        script = package.folder / "unpacked" / "submit.py"
    done = package.in_client_mode(script, *command, JAVA_TOOL_OPTIONS=java)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-6000:]


def test_silver_of_the_archive_equals_the_source(cluster: Cluster, package: Package) -> None:
    if cluster.environment["LAKEHOUSE_CATALOG_TYPE"] == "glue":
        record(cluster, "start-recording")
    cluster.land(land_full_load)
    submit(package, "run")
    cluster.land(land_changes)
    submit(package, "run")
    submit(package, "run-operation", "maintain")
    with a_driver(cluster) as driver:
        driver.dbt("run", "--select", "rejected_files")  # starts Spark
        assert driver("differences") == []
        before = driver("snapshots")
        driver.dbt("run")
        assert driver("snapshots") == before, "each batch has recorded its progress"


def test_the_role_of_the_documents_may_call_what_was_called(cluster: Cluster) -> None:
    if cluster.environment["LAKEHOUSE_CATALOG_TYPE"] != "glue":
        pytest.skip("a REST catalog has rights of its own")
    policy = json.loads((REPOSITORY / "deploy" / "aws-policy.json").read_text())
    allowed = {action for statement in policy["Statement"] for action in statement["Action"]}
    called, databases = set(), set()
    for line in record(cluster, "download-recording").splitlines():
        request = json.loads(line)
        body = json.loads(base64.b64decode(request["body"]))
        called.add({name.lower(): value for name, value in request["headers"].items()}["x-amz-target"])
        databases.add(body.get("DatabaseName") or body.get("Name") or body.get("DatabaseInput", {}).get("Name"))
    assert {action.replace("AWSGlue.", "glue:") for action in called} <= allowed
    resources = [resource for statement in policy["Statement"] for resource in statement["Resource"]]
    named = {resource.rsplit("database/")[-1] for resource in resources if ":database/" in resource}
    assert databases - {None} == named
