"""A cluster lives as long as the module that asks for it: two modules never have one at the same time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.cluster.clusters import Cluster, Driver, a_cluster, a_driver
from tests.cluster.servers import object_store_is_there

# `make test-cluster` sets it: the whole story on both catalogs, and the kills.
ALL = os.environ.get("CLUSTER") == "all"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # dbt and pyspark warn about their own code.
    for item in items:
        if "tests/cluster" in item.path.as_posix():
            item.add_marker(pytest.mark.filterwarnings("default"))
            if item.path.stem != "test_cluster" and not ALL:
                item.add_marker(pytest.mark.skip("a long test: make test-cluster"))


@pytest.fixture(scope="module", params=["rest"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster with nothing landed; its catalog is the parameter."""
    if not object_store_is_there() and not shutil.which("go"):
        pytest.skip("S3 is emulated by versitygw, which Go builds: install Go 1.25 or newer")
    with a_cluster(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def driver(cluster: Cluster) -> Iterator[Driver]:
    """Dbt on that cluster."""
    with a_driver(cluster) as started:
        yield started
