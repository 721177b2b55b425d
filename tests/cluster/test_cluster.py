"""The project on Spark standalone, S3 and a REST catalog, in a few minutes; test_cluster_story.py has all of it.

The tests of a module follow each other on one cluster.
"""

from __future__ import annotations

import os

from python_udfs.sample_data.land import land_changes, land_full_load
from tests.cluster.clusters import Cluster, Driver
from tests.cluster.servers import ACCESS_KEY, CATALOG_SECRET, SECRET_KEY


def test_the_first_command_meets_a_catalog_without_schemas(cluster: Cluster, driver: Driver) -> None:
    assert list((cluster.store.folder / "lake").iterdir()) == []
    assert driver.dbt("run", "--select", "rejected_files")["rejected_files"] == "success"


def test_silver_on_a_cluster_equals_the_source(cluster: Cluster, driver: Driver) -> None:
    cluster.land(land_full_load)
    driver.dbt("run")
    assert driver("sql", "select count(*) from silver.sampledb__product") == [[25]]
    cluster.land(land_changes)
    statuses = driver.dbt("run")
    assert set(statuses.values()) == {"success"}
    assert driver("differences") == []


def test_executors_of_another_user_work_without_the_project(driver: Driver) -> None:
    # Modules that Python functions import came with the driver's archive.
    user = "65534" if os.geteuid() == 0 else str(os.geteuid())
    assert driver("executors") == 2
    assert driver("on_executors") == [[user, os.geteuid() != 0, "./python_packages.zip/python_udfs/metadata/names.py"]]


def test_views_and_documentation_are_made(driver: Driver) -> None:
    statuses = driver("sql", "select status, count(*) from etl_metadata.raw_processed_files group by status")
    assert [status for status, _ in statuses] == ["ingested"]
    assert driver("sql", "show views in etl_metadata") != []
    assert driver("sql", "select count(*) from etl_metadata.silver_sync_state") == [[9]]
    assert driver.dbt("docs", "generate") is not None


def test_other_programs_read_silver(cluster: Cluster, driver: Driver) -> None:
    expected = driver("sql", "select id, name, cast(price as string) from silver.sampledb__product order by id")
    for read in (cluster.read_with_pyiceberg, cluster.read_with_duckdb):
        rows = read("silver.sampledb__product")
        assert [[row["id"], row["name"], row["price"]] for row in sorted(rows, key=lambda row: row["id"])] == expected


def test_no_secret_is_left_behind(cluster: Cluster, driver: Driver) -> None:
    # While the driver runs, its command line is there; when it has ended, its event log.
    files = dict(cluster.left_behind())
    driver.close()
    files |= dict(cluster.left_behind())
    events = b"".join(content for path, content in files.items() if path.endswith(".zstd"))
    assert b'"spark.sql.catalog.lakehouse.credential":"*********(redacted)"' in events
    for name in ("dbt.log", "spark.log", "manifest.json", "driver.log", "master.log", "stderr", "s3/logs/events/"):
        assert any(name in path for path in files), f"{name} was not looked through"
    for secret in (ACCESS_KEY, SECRET_KEY, CATALOG_SECRET):
        assert [path for path, content in files.items() if secret.encode() in content] == []
