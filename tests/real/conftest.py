from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack

import broker as servers
import capture
import databases
import pytest
from processes import ServerError
from pyspark.sql import SparkSession

from python_udfs.cli.dbt import spark_session


def _running(request: pytest.FixtureRequest, server: AbstractContextManager[str]) -> Iterator[str]:
    with ExitStack() as stack:
        try:
            # An installation takes a while: its one line is for the terminal, not for the report of a failure.
            with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
                url = stack.enter_context(server)
        except ServerError as error:
            pytest.fail(str(error), pytrace=False)
        yield url


@pytest.fixture(scope="session")
def mariadb(request) -> Iterator[str]:
    """A SQLAlchemy URL of a MariaDB server, without a database; its user may do everything."""
    yield from _running(request, databases.mariadb())


@pytest.fixture(scope="session")
def postgres(request) -> Iterator[str]:
    """A SQLAlchemy URL of the database `postgres` of a PostgreSQL server; its user is a superuser."""
    yield from _running(request, databases.postgres())


@pytest.fixture(scope="session")
def broker(request, tmp_path_factory) -> Iterator[servers.Broker]:
    """A Kafka broker. Each test has topics of its own; one that stops it starts it again."""
    folder = tmp_path_factory.mktemp("kafka")
    with ExitStack() as stack:
        try:
            started = stack.enter_context(servers.started(capture.java_program(), folder, sasl=servers.SASL))
        except ServerError as error:
            pytest.fail(str(error), pytrace=False)
        yield started


@pytest.fixture(scope="module")
def spark(shared_lakehouse) -> SparkSession:
    """The session of a lakehouse that has the schema of split tables, and no table of the tests before."""
    shared_lakehouse.clear()
    shared_lakehouse.make_models()
    shared_lakehouse.statuses("run", "--select", "rejected_files")
    return spark_session()


@pytest.fixture
def lakehouse(shared_lakehouse):
    """The lakehouse of this process, without what other tests left in it."""
    shared_lakehouse.clear()
    return shared_lakehouse
