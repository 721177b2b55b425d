"""Answers of a broker about partitions, with the broker replaced."""

from __future__ import annotations

import gc
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError as Reason
from confluent_kafka import KafkaException

from python_udfs.kafka import cluster as module
from python_udfs.kafka.cluster import Cluster
from python_udfs.metadata.kafka import Kafka


def answer(offset: int) -> Future[Any]:
    """An offset, or a negative number: the code of an error."""
    future: Future[Any] = Future()
    if offset < 0:
        future.set_exception(KafkaException(Reason(-offset)))
    else:
        future.set_result(SimpleNamespace(offset=offset))
    return future


@pytest.fixture
def ask(monkeypatch):
    """The offsets of one partition where the broker gives these answers, one after the other, and how many it gave."""
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)

    def ask(*answers: int) -> tuple[dict[Any, int], dict[str, str], int]:
        left = list(answers)

        def list_offsets(asked: dict[Any, Any], **_: Any) -> dict[Any, Future[Any]]:
            offset = left.pop(0)
            return {at: answer(offset) for at in asked}

        cluster = Cluster("live", Kafka("127.0.0.1:1", ("t",), None, "earliest", 10, "fail"))
        cluster._admin = SimpleNamespace(list_offsets=list_offsets)  # type: ignore[assignment]
        silent: dict[str, str] = {}
        return cluster._offsets([("t", 0)], None, silent), silent, len(answers) - len(left)

    return ask


@pytest.mark.parametrize("name", module.PASSING)
def test_a_partition_whose_leader_is_new_is_asked_again(ask, name):
    assert ask(-getattr(Reason, name), 7) == ({("t", 0): 7}, {}, 2)


def test_not_for_ever(ask):
    offsets, silent, questions = ask(*[-Reason.UNKNOWN_LEADER_EPOCH] * 100)
    assert (offsets, questions) == ({}, module.QUESTIONS)
    assert "Leader epoch is newer" in silent["t/0"]


def test_what_does_not_pass_is_not_asked_again(ask):
    offsets, silent, questions = ask(-Reason.TOPIC_AUTHORIZATION_FAILED, 7)
    assert (offsets, list(silent), questions) == ({}, ["t/0"], 1)


def said_by(*lines: str, **settings: str) -> str:
    cluster = Cluster("live", Kafka("127.0.0.1:1", ("t",), None, "earliest", 10, "fail", tuple(settings.items())))
    cluster._said = dict.fromkeys(lines)
    return str(cluster._error("no answer")).split("Received: ")[1].split(". Expected")[0]


def test_a_reason_that_the_client_repeats_is_said_once():
    lines = [
        f"ssl://b:1/bootstrap: SSL handshake failed (after {number}ms in state SSL_HANDSHAKE)" for number in (4, 9)
    ]
    said = said_by(lines[0], "1/1 brokers are down", lines[1])
    assert said == "no answer; ssl://b:1/bootstrap: SSL handshake failed"


def test_a_port_that_closes_the_connection_may_ask_for_tls():
    assert "set kafka.security.protocol" in said_by("1/1 brokers are down")
    secured = said_by(
        "1/1 brokers are down", **{"security.protocol": "SSL", "ssl.endpoint.identification.algorithm": ""}
    )
    assert secured == "no answer; 1/1 brokers are down"


def test_a_port_without_tls_is_guessed_also_where_the_client_does_not():
    closed = "ssl://b:1/bootstrap: Disconnected: SSL connection closed by peer"
    guessed = f"{closed}: connecting to a PLAINTEXT broker listener?"
    assert said_by(closed) == f"no answer; {closed}; connecting to a PLAINTEXT broker listener?"
    assert said_by(closed, guessed) == f"no answer; {closed}; {guessed}"


def threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted where Linux lists them")
def test_a_client_that_is_asked_no_more_ends_at_once_with_its_threads():
    gc.collect()
    before = threads()
    gc.disable()
    try:
        for _ in range(5):
            cluster = Cluster("live", Kafka("127.0.0.1:1", ("t",), None, "earliest", 10, "fail"), 0.1)
            with pytest.raises(module.KafkaError):
                cluster.look(is_first=True)
        assert threads() > before
        del cluster
        assert threads() <= before
    finally:
        gc.enable()
