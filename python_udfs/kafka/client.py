"""The settings of the two clients: Spark's reader is Java's, and offsets are asked with librdkafka's."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from python_udfs.errors import LakehouseError
from python_udfs.metadata.kafka import ADMIN_PREFIX, FROM_ENVIRONMENT, is_secret

if TYPE_CHECKING:
    from collections.abc import Mapping

    from python_udfs.metadata.kafka import Kafka

# Java's names that librdkafka has, too. Settings that are not listed are for Spark's reader alone.
_SHARED = ("security.protocol", "sasl.mechanism", "sasl.username", "sasl.password", "ssl.key.password", "client.id",
           "ssl.endpoint.identification.algorithm")  # fmt: skip
_OF_LIBRDKAFKA = ("sasl.username", "sasl.password")
# Each batch of messages is followed by a question for the partition's offsets, on the connection on which a fetch waits
# for messages behind the batch: half a second for each partition, by Kafka's default.
_MILLISECONDS_TO_WAIT = "10"
_LOGIN = {
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
}


class KafkaError(LakehouseError):
    """Kafka cannot be asked or read, or has lost messages that were not read."""


def read_settings(feed: str, kafka: Kafka) -> dict[str, str]:
    """The settings of a feed, with the values of environment variables.

    Args:
        feed: its name.
        kafka: what its row describes.

    Raises:
        KafkaError: names the environment variables that are missing.
    """
    return _fill_from_environment(feed, "kafka", kafka.client)


def read_registry_settings(feed: str, kafka: Kafka) -> dict[str, str]:
    """The settings of a feed's schema registry, as `read_settings` gives those of Kafka."""
    return _fill_from_environment(feed, "registry", kafka.registry)


def _fill_from_environment(feed: str, prefix: str, given: tuple[tuple[str, str], ...]) -> dict[str, str]:
    named = {key: value.removeprefix(FROM_ENVIRONMENT) for key, value in given if _is_named(value)}
    missing = sorted({name for name in named.values() if name not in os.environ})
    if missing:
        raise KafkaError(
            f"CDC error (feed {feed}): environment variables are missing: {', '.join(missing)}. Expected: those that"
            f" the options {prefix}.… of seeds/cdc_feeds.csv name. Set them where dbt runs. Nothing was read."
        )
    return dict(given) | {key: os.environ[name] for key, name in named.items()}


def make_reader_options(brokers: str, values: Mapping[str, str]) -> dict[str, str]:
    """The options of Spark's reader.

    Args:
        brokers: `host:port,…`.
        values: of `read_settings`.
    """
    options = {
        key: value for key, value in values.items() if not key.startswith(ADMIN_PREFIX) and key not in _OF_LIBRDKAFKA
    }
    login = _LOGIN.get(values.get("sasl.mechanism", "PLAIN"))
    if "sasl.username" in values and "sasl.jaas.config" not in values and login:
        user, password = (_quoted(values[name]) for name in _OF_LIBRDKAFKA)
        options["sasl.jaas.config"] = f"{login} required username={user} password={password};"
    options = {
        "bootstrap.servers": brokers,
        "isolation.level": "read_committed",
        "fetch.max.wait.ms": _MILLISECONDS_TO_WAIT,
        **options,
    }
    return {f"kafka.{key}": value for key, value in options.items()}


def make_admin_settings(brokers: str, values: Mapping[str, str]) -> dict[str, str]:
    """The settings of confluent_kafka's AdminClient.

    Args:
        brokers: `host:port,…`.
        values: of `read_settings`.
    """
    settings = {key: values[key] for key in _SHARED if key in values}
    login = re.search(
        r'username="((?:[^"\\]|\\.)*)"\s+password="((?:[^"\\]|\\.)*)"', values.get("sasl.jaas.config", "")
    )
    if login and "sasl.username" not in settings:
        texts = (re.sub(r"\\(.)", r"\1", text) for text in login.groups())
        settings |= dict(zip(_OF_LIBRDKAFKA, texts, strict=True))
    if settings.get("ssl.endpoint.identification.algorithm") == "":
        settings["ssl.endpoint.identification.algorithm"] = "none"
    if values.get("ssl.truststore.type", "").upper() == "PEM" and "ssl.truststore.location" in values:
        settings["ssl.ca.location"] = values["ssl.truststore.location"]
    if values.get("ssl.keystore.type", "").upper() == "PEM" and "ssl.keystore.location" in values:
        # One file has the key and the certificates.
        settings |= dict.fromkeys(("ssl.key.location", "ssl.certificate.location"), values["ssl.keystore.location"])
    own = {key.removeprefix(ADMIN_PREFIX): value for key, value in values.items() if key.startswith(ADMIN_PREFIX)}
    return {"bootstrap.servers": brokers, **settings, **own}


def without_secrets(text: str, values: Mapping[str, str]) -> str:
    """A message in which no value of a secret setting stands."""
    # The login of a registry is user:password; a message may hold the password alone.
    password = values.get("basic.auth.user.info", "").partition(":")[2]
    for secret in (*(value for name, value in values.items() if is_secret(name)), password):
        text = text.replace(secret, "***") if secret else text
    return text


def _is_named(value: str) -> bool:
    return value.startswith(FROM_ENVIRONMENT)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
