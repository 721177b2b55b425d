from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack

import databases
import pytest
from processes import ServerError

from tests.e2e.lakehouse import Lakehouse, set_environment


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The longest file goes first: two processes share the files, and none should wait for it at the end.
    items.sort(key=lambda item: item.path.name != "test_pipeline.py")


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
def lakehouse(tmp_path_factory) -> Lakehouse:
    """The lakehouse of this process and its one Spark session: who takes it clears it first."""
    root = tmp_path_factory.mktemp("lakehouse")
    set_environment(root)
    return Lakehouse(root)
