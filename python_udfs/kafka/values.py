"""Values and keys of messages as text: JSON as it is, messages of a schema registry translated to it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors.message_reading import text_or_base64
from python_udfs.kafka import avro
from python_udfs.kafka.registry import fetch_schemas

if TYPE_CHECKING:
    from python_udfs.metadata.kafka import Kafka


def as_text(messages: DataFrame, feed: str, kafka: Kafka, columns: tuple[str, ...] = ("value",)) -> DataFrame:
    """Messages with text in place of bytes.

    Args:
        messages: Kafka's rows.
        feed: name of the feed.
        kafka: what its row describes. With a registry the messages are read twice: first for the ids of schemas.
        columns: names of the columns, all binary.

    Raises:
        KafkaError: the schema registry does not answer.
    """
    if kafka.registry:
        schemas = fetch_schemas(feed, kafka, _ids(messages, columns))
        if schemas:
            translate = partial(avro.replace_messages, schemas=schemas, columns=columns)
            messages = messages.mapInArrow(translate, messages.schema)
    return messages.withColumns({name: _text(F.col(name), has_registry=bool(kafka.registry)) for name in columns})


def _ids(messages: DataFrame, columns: tuple[str, ...]) -> list[int]:
    """The ids of the schemas that messages name; few, and none if all are JSON."""
    heads = messages.select(F.explode(F.array(*(F.substring(name, 1, avro.HEADER) for name in columns))).alias("head"))
    is_framed = _begins_with_zero(F.col("head")) & (F.length("head") == avro.HEADER)
    rows = heads.where(is_framed).distinct().collect()
    return [int.from_bytes(row.head[1:], "big") for row in rows]


def _begins_with_zero(value: Column) -> Column:
    return F.substring(value, 1, 1) == F.lit(avro.MAGIC)


def _text(value: Column, *, has_registry: bool) -> Column:
    """A message as text; one without a value is empty."""
    text = F.when(value.isNull(), "")
    if not has_registry:
        hint = "it begins with a zero byte, as with a schema registry, and the feed has no registry.url"
        of_registry = F.concat(
            F.lit(f"{avro.UNREADABLE}{hint}{avro.BYTES}"), F.regexp_replace(F.base64(value), r"\s", "")
        )
        text = text.when(_begins_with_zero(value), of_registry)
    return text.otherwise(text_or_base64(value.cast("string")))
