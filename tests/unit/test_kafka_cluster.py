"""What a broker answers about partitions, with the broker replaced."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError as Reason
from confluent_kafka import KafkaException

from python_udfs.kafka import cluster as module
from python_udfs.kafka.cluster import Cluster
from python_udfs.metadata.kafka import Kafka


def answer(found: int) -> Future[Any]:
    """An offset, or a negative number: the code of an error."""
    future: Future[Any] = Future()
    if found < 0:
        future.set_exception(KafkaException(Reason(-found)))
    else:
        future.set_result(SimpleNamespace(offset=found))
    return future


@pytest.fixture
def ask(monkeypatch):
    """The offsets of one partition where the broker gives these answers, one after the other, and how many it gave."""
    monkeypatch.setattr(module, "SECONDS_BETWEEN", 0.0)

    def ask(*answers: int) -> tuple[dict[Any, int], dict[str, str], int]:
        left = list(answers)

        def list_offsets(asked: dict[Any, Any], **_: Any) -> dict[Any, Future[Any]]:
            found = left.pop(0)
            return {at: answer(found) for at in asked}

        cluster = Cluster("live", Kafka("127.0.0.1:1", ("t",), None, "earliest", 10, "fail"))
        cluster._admin = SimpleNamespace(list_offsets=list_offsets)  # type: ignore[assignment]
        silent: dict[str, str] = {}
        return cluster._offsets([("t", 0)], None, silent), silent, len(answers) - len(left)

    return ask


@pytest.mark.parametrize("name", module.PASSING)
def test_a_partition_whose_leader_is_new_is_asked_again(ask, name):
    assert ask(-getattr(Reason, name), 7) == ({("t", 0): 7}, {}, 2)


def test_not_for_ever(ask):
    found, silent, questions = ask(*[-Reason.UNKNOWN_LEADER_EPOCH] * 100)
    assert (found, questions) == ({}, module.QUESTIONS)
    assert "Leader epoch is newer" in silent["t/0"]


def test_what_does_not_pass_is_not_asked_again(ask):
    found, silent, questions = ask(-Reason.TOPIC_AUTHORIZATION_FAILED, 7)
    assert (found, list(silent), questions) == ({}, ["t/0"], 1)
