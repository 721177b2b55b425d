"""A start of Spark that fails says why and what to do: each case is a real failure, or what one printed."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest
from dbt.adapters.exceptions import FailedToConnectError

from dbt.adapters.sparksession import session as sessions
from dbt.adapters.sparksession.start_failure import advice, last_lines

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

PRINTED = Path(__file__).parent / "printed"
JAVA, MODULES, FETCHED, MEMORY = "needs Java 17", "lacks modules", "could not be fetched", "spark.driver.memory"
OPTIONS, ADDRESS, NAME = "options that it does not take", "spark.driver.bindAddress", "SPARK_LOCAL_IP"
ALL = (JAVA, MODULES, FETCHED, MEMORY, OPTIONS, ADDRESS, NAME)
# Run in a process of its own: the failure comes after Java has started.
START = """
import json, sys
from dbt.adapters.sparksession.credentials import SparksessionCredentials
from dbt.adapters.sparksession.session import get_pool
get_pool(SparksessionCredentials(schema="none", config=json.loads(sys.argv[1])), sys.argv[2], sys.argv[2])
"""


def list_advice(text: str) -> list[str]:
    """Which advice a text gives."""
    return [each for each in ALL if each in advice(text)]


def failure(config: dict[str, str], folder: Path) -> str:
    with pytest.raises(FailedToConnectError) as raised:
        sessions._launch_java({"spark.master": "local[1]", **config}, folder / "spark.log")
    message = str(raised.value)
    del raised
    gc.collect()  # pyspark leaves the pipe to a Java that has ended to the garbage collector: here, not in another test
    return message


def test_missing_java_is_said_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert f"Java was not found (JAVA_HOME is {tmp_path})" in failure({}, tmp_path)


@pytest.mark.parametrize(
    ("config", "printed", "expected"),
    [
        (
            {"spark.jars.packages": "org.example:no-such-library_2.13:1.0.0"},
            "unresolved dependency: org.example#no-such-library_2.13;1.0.0: not found",
            FETCHED,
        ),
        ({"spark.jars.packages": "org.example:nothing"}, "The coordinate provided is: org.example:nothing", FETCHED),
        ({"spark.driver.memory": "900000g"}, "Could not reserve enough space for 943718400000KB object heap", MEMORY),
        ({"spark.driver.memory": "lots"}, "Invalid maximum heap size: -Xmxlots", MEMORY),
        ({"spark.driver.extraJavaOptions": "-Xmx1g"}, "Error: Not allowed to specify max heap(Xmx)", OPTIONS),
        ({"spark.driver.extraJavaOptions": "-XX:MetaspaceSize=lots"}, "Improperly specified VM option", OPTIONS),
        ({"spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:+UseG1GC"}, "Multiple garbage collectors", OPTIONS),
    ],
)
def test_a_failed_start_shows_what_java_printed_and_what_to_do(tmp_path, config, printed, expected):
    (tmp_path / "spark.log").write_text("Could not reserve enough space in an earlier run\n")
    message = failure({"spark.jars.ivy": str(tmp_path / "ivy"), **config}, tmp_path)
    assert printed in message
    assert list_advice((tmp_path / "spark.log").read_text().split("earlier run\n")[1]) == [expected]
    assert [each for each in ALL if each in message.split("The end of")[0]] == [expected]
    assert "earlier run" not in message and "\n\tat " not in message and "Usage:" not in message


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"spark.driver.bindAddress": "192.0.2.1"}, ADDRESS),
        ({"spark.driver.host": "no.such.host.invalid", "spark.driver.bindAddress": "no.such.host.invalid"}, ADDRESS),
    ],
)
def test_an_address_where_spark_cannot_listen_is_said(tmp_path, config, expected):
    everywhere = {"spark.master": "local[1]", "spark.driver.host": "localhost", "spark.ui.enabled": "false"}
    ran = subprocess.run(
        [sys.executable, "-c", START, json.dumps({**everywhere, **config}), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    message = ran.stderr.split("FailedToConnectError: ")[-1]
    assert "Spark started, but not with the configuration of the profile" in message
    assert [each for each in ALL if each in message] == [expected]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("java_11", JAVA),
        ("java_25", JAVA),
        ("java_21_of_another_program", MODULES),
        ("machine_without_address", NAME),
    ],
)
def test_a_recorded_failure_is_understood(file, expected):
    printed = (PRINTED / f"{file}.txt").read_text()
    assert list_advice(printed) == [expected]
    assert len(last_lines(printed)) <= 15


def test_an_address_of_a_catalog_that_does_not_resolve_is_not_taken_for_that_of_this_machine():
    printed = "java.net.UnknownHostException: catalog.example\n\tat java.base/java.net.Socket.connect(Socket.java:1)"
    assert advice(printed) == ""


def test_what_every_start_prints_is_no_failure():
    assert advice("WARNING: Using incubator modules: jdk.incubator.vector") == ""
