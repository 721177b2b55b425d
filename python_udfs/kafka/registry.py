"""The schemas of a schema registry, asked by the driver alone: its credentials stay there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from python_udfs.kafka.avro import JSON_SCHEMA
from python_udfs.kafka.client import KafkaError, read_registry_settings, without_secrets

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

    from python_udfs.metadata.kafka import Kafka

SECONDS_TO_ANSWER = 15
_NUMBERS = ("timeout", "cache.capacity", "max.retries", "retries.wait.ms", "retries.max.wait.ms")
# The registry's words for "there is none": a schema, a subject, a version.
_NOT_FOUND = (40401, 40402, 40403)
# A schema never changes: each is asked once in a process. By feed, registry and id.
_known: dict[tuple[str, str, int], tuple[str, ...] | str] = {}


def fetch_schemas(feed: str, kafka: Kafka, ids: Iterable[int]) -> dict[int, tuple[str, ...] | str]:
    """The schemas of messages.

    Args:
        feed: name of the feed.
        kafka: what its row describes.
        ids: of the schemas.

    Returns:
        By id the texts of the schemas it refers to and its own, the last; or a sentence: why there is none.

    Raises:
        KafkaError: the registry does not answer, or refuses. That is no matter of the messages.
    """
    url, ids = dict(kafka.registry)["url"], sorted(set(ids))
    asked = [number for number in ids if (feed, url, number) not in _known]
    unknown: dict[int, tuple[str, ...] | str] = {}
    if asked:
        client = _client(feed, kafka)
        for number in asked:
            texts = _texts(feed, kafka, client, number)
            if isinstance(texts, str):
                # It may be registered later.
                unknown[number] = texts
            else:
                _known[feed, url, number] = texts
    return {number: _known.get((feed, url, number)) or unknown[number] for number in ids}


def _client(feed: str, kafka: Kafka) -> SchemaRegistryClient:
    from confluent_kafka.schema_registry import SchemaRegistryClient  # noqa: PLC0415 - only feeds with Avro pay for it

    values = read_registry_settings(feed, kafka)
    numbers: dict[str, Any] = {key: int(values[key]) for key in _NUMBERS if values.get(key, "").isdigit()}
    try:
        return SchemaRegistryClient({"timeout": SECONDS_TO_ANSWER, **values, **numbers})
    except (ValueError, TypeError, OSError) as error:
        raise _error(feed, kafka, f"its client refuses the settings: {error}") from None


def _texts(feed: str, kafka: Kafka, client: SchemaRegistryClient, number: int) -> tuple[str, ...] | str:
    from confluent_kafka.schema_registry import SchemaRegistryError  # noqa: PLC0415

    try:
        schema = client.get_schema(number)
        text = _text(schema)
        if schema.schema_type == "JSON":
            return JSON_SCHEMA
        if schema.schema_type not in ("AVRO", None):
            return f"schema id {number} is {schema.schema_type}, expected AVRO or JSON"
        return (*_references(client, schema), text)
    except _NoSchemaError as error:
        raise _error(feed, kafka, f"schema id {number}: {error}") from None
    except SchemaRegistryError as error:
        if error.error_code in _NOT_FOUND:
            return f"schema id {number} is not in the registry {dict(kafka.registry)['url']}"
        raise _error(feed, kafka, f"schema id {number}: HTTP {error.http_status_code}, {error.error_message}") from None
    except Exception as error:  # its HTTP library has a class of its own for each way not to answer
        raise _error(feed, kafka, f"schema id {number}: {type(error).__name__}, {error}") from None


class _NoSchemaError(Exception):
    """An answer that is no schema: a page of a proxy, or of another service. It says nothing about the messages."""


def _text(schema: Schema) -> str:
    if not schema.schema_str:
        raise _NoSchemaError("HTTP 200 without the field 'schema'")
    return str(schema.schema_str)


def _references(client: SchemaRegistryClient, schema: Schema) -> list[str]:
    texts: list[str] = []
    for reference in schema.references or ():
        referenced = client.get_version(str(reference.subject), int(reference.version or 0)).schema
        texts += [*_references(client, referenced), _text(referenced)]
    return list(dict.fromkeys(texts))


def _error(feed: str, kafka: Kafka, reason: str) -> KafkaError:
    url = dict(kafka.registry)["url"]
    said = without_secrets(" ".join(reason.split()), read_registry_settings(feed, kafka))
    return KafkaError(
        f"CDC error (feed {feed}): the schema registry at {url} cannot be asked. Received: {said}. Expected: the"
        " schemas of the messages. Nothing was read, and the next run goes on at the same offsets. Start the registry,"
        " or correct the options registry.… in seeds/cdc_feeds.csv (docs/feeds/kafka.md) and run make models."
    )
