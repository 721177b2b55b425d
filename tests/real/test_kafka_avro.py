"""Avro through a real broker, written by Confluent's serializer: the same rows as the JSON of the same changes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import broker as servers
import pytest
import registry as registries
from confluent_kafka.serialization import MessageField

from dbt.adapters.sparksession.python_models import Commit
from python_udfs.kafka import read as reading
from python_udfs.kafka.client import KafkaError
from python_udfs.metadata.kafka import Kafka
from spark_files.internals import activate
from tests.e2e.test_message_cases import mysql, schema
from tests.real.test_kafka_to_silver import add_feed

NUMBERS = itertools.count(1)
CONNECT = "org.apache.kafka.connect.data"
DEBEZIUM = {
    "form": "envelope",
    "decimals": "base64",
    "binary": "base64",
    "unavailable_value": "n/a",
    "binlog_names": "",
    "encodings": {},
}


def optional(kind: Any) -> dict[str, Any]:
    return {"type": ["null", kind], "default": None}


def make_connect_type(kind: str, name: str, **more: Any) -> dict[str, Any]:
    """A type as the Avro converter writes it, with Connect's name."""
    return {"type": kind, "connect.version": 1, "connect.name": name, **more}


AMOUNT = make_connect_type(
    "bytes",
    f"{CONNECT}.Decimal",
    scale=2,
    precision=10,
    logicalType="decimal",
    **{"connect.parameters": {"scale": "2"}},
)
# Columns of a table, as MariaDB's connector describes them; the value that is written, and its JSON in Connect's form.
COLUMNS: dict[str, tuple[Any, Any, Any, dict[str, Any]]] = {
    "v": ("string", "é😀", "é😀", {"type": "string"}),
    "big": ("long", 2**63 - 1, 2**63 - 1, {"type": "int64"}),
    "amount": (AMOUNT, Decimal("-1234.50"), "/h3G", schema(f"{CONNECT}.Decimal", "bytes", scale="2")),
    "day": (make_connect_type("int", "io.debezium.time.Date"), 19753, 19753, schema("io.debezium.time.Date", "int32")),
    "at": (
        make_connect_type("long", "io.debezium.time.MicroTimestamp"), 1706702400123456, 1706702400123456,
        schema("io.debezium.time.MicroTimestamp", "int64"),
    ),
    "clock": (
        make_connect_type("long", "io.debezium.time.MicroTime"), 3_600_000_001, 3_600_000_001,
        schema("io.debezium.time.MicroTime", "int64"),
    ),
    "make_connect_type": (
        make_connect_type("long", f"{CONNECT}.Timestamp", logicalType="timestamp-millis"),
        datetime(2024, 1, 31, 12, 0, 0, 7000, timezone.utc), 1706702400007, schema(f"{CONNECT}.Timestamp", "int64"),
    ),
    "raw": ("bytes", b"\x00\xff", "AP8=", {"type": "bytes"}),
    "bits": (
        make_connect_type("bytes", "io.debezium.data.Bits"), b"\x05", "BQ==", schema("io.debezium.data.Bits", "bytes"),
    ),
    "real": ("float", 0.1, 0.1, {"type": "float"}),
    "wide": ("double", 1e300, 1e300, {"type": "double"}),
    "nothing": ("double", float("nan"), "NaN", {"type": "double"}),
    "flag": ("boolean", True, True, {"type": "boolean"}),
    "scaled": (
        {"type": "record", "name": "VariableScaleDecimal", "namespace": "io.debezium.data",
         "fields": [{"name": "scale", "type": "int"}, {"name": "value", "type": "bytes"}],
         "connect.name": "io.debezium.data.VariableScaleDecimal"},
        {"scale": 3, "value": b"\x04\xd2"}, {"scale": 3, "value": "BNI="},
        schema("io.debezium.data.VariableScaleDecimal", "struct"),
    ),
    "list": ({"type": "array", "items": ["null", "string"]}, ["a", None], ["a", None], {"type": "array"}),
}  # fmt: skip
TYPES = {"id": "int", "raw": "binary", "bits": "int", "amount": "decimal(10,2)", "day": "date", "at": "timestamp_ntz"}
SOURCE = ("connector", "ts_ms", "snapshot", "db", "table", "server_id", "file", "pos", "row")
NUMERIC = ("ts_ms", "server_id", "pos")


def envelope(columns: dict[str, Any], name: str = "s.t") -> dict[str, Any]:
    """The schema of an envelope, as the Avro converter writes it: before has the type of the row, after its name."""
    row = [{"name": "id", "type": "int"}, *({"name": column, **optional(kind)} for column, kind in columns.items())]
    source = [
        {"name": field, "type": "long" if field in NUMERIC else "int" if field == "row" else "string"}
        for field in SOURCE
    ]
    value = {"type": "record", "name": "Value", "fields": row, "connect.name": f"{name}.Value"}
    return {
        "type": "record",
        "name": "Envelope",
        "namespace": f"src.{name}",
        "connect.name": f"src.{name}.Envelope",
        "fields": [
            {"name": "before", **optional(value)},
            {"name": "after", **optional("Value")},
            {"name": "source", "type": {"type": "record", "name": "Source", "fields": source}},
            {"name": "op", "type": "string"},
            {"name": "ts_ms", **optional("long")},
        ],
    }


@pytest.fixture
def registry() -> Iterator[registries.Registry]:
    with registries.started() as started:
        yield started


@pytest.fixture
def topic(broker) -> str:
    name = f"src.s.t{next(NUMBERS)}"
    broker.create(name)
    return name


class Reader:
    """A feed of Debezium's messages and its split table, read as the generated model does."""

    def __init__(self, spark: Any, broker: servers.Broker, topic: str, **settings: Any) -> None:
        self.spark, self.table = spark, f"etl_metadata.split_avro{next(NUMBERS)}"
        self.form = settings.pop("form", "envelope")
        given = {name: settings.pop(name) for name in ("registry", "client") if name in settings}
        pairs = {name: tuple(sorted(values.items())) for name, values in given.items()}
        self.kafka = Kafka(broker.address, (topic,), None, "earliest", 10**6, "fail", **settings, **pairs)

    def read(self) -> list[Any]:
        """Reads once; all rows of messages, by offset."""
        columns = {("s", self.kafka.topics[0].rpartition(".")[2]): TYPES}
        feed = {"feed": "live", "connector": "debezium", "columns": columns, "absent_columns": "null", **DEBEZIUM}
        session = self.spark.newSession()
        activate(session)
        target = self.table if self.spark.catalog.tableExists(self.table) else None
        result = reading.new_messages(session, {**feed, "form": self.form, "kafka": self.kafka}, target)
        if isinstance(result, Commit):
            recorded = {f"snapshot-property.{name}": value for name, value in result.properties.items()}
            writer = result.rows.writeTo(self.table).partitionedBy("source_schema", "source_table")
            writer.options(**recorded).create()
        return list(self.spark.table(self.table).where("path is not null").orderBy("path", "file_row").collect())


def change(table: str, number: int, pos: int, **values: Any) -> dict[str, Any]:
    message = mysql("c", None, {"id": number, **values}, pos=pos, table=table)
    message["source"] = {**message["source"], "row": 0}
    return message


def test_avro_and_json_of_the_same_change_are_the_same_row(spark, broker, registry, topic):
    table = topic.rpartition(".")[2]
    of_avro = envelope({name: kind for name, (kind, *_) in COLUMNS.items()})
    fields = [{"field": "id", "type": "int32"}, *({"field": name, **column[3]} for name, column in COLUMNS.items())]
    of_json = {"type": "struct", "fields": [{"field": "after", "type": "struct", "fields": fields}]}
    as_avro = change(table, 1, 4, **{name: column[1] for name, column in COLUMNS.items()})
    as_json = change(table, 1, 4, **{name: column[2] for name, column in COLUMNS.items()})
    nulls = dict.fromkeys(COLUMNS)
    broker.send(topic, json.dumps({"schema": of_json, "payload": as_json}))
    broker.send(topic, registry.serialize(topic, of_avro, as_avro))
    broker.send(topic, json.dumps({"schema": of_json, "payload": change(table, 2, 5, **nulls)}))
    broker.send(topic, registry.serialize(topic, of_avro, change(table, 2, 5, **nulls)))
    rows = Reader(spark, broker, topic, registry={"url": registry.url}).read()
    same = ("source_schema", "source_table", "operation", "position", "image", "before", "malformed", "committed_at")
    actual = [tuple(row[name] for name in same) for row in rows]
    assert actual[0] == actual[1] and actual[2] == actual[3]
    assert rows[1].malformed is None and rows[1].image == {
        **{"id": "1", "v": "é😀", "big": str(2**63 - 1), "amount": "-1234.50", "day": "2024-01-31", "raw": "AP8="},
        **{
            "at": "2024-01-31 12:00:00.123456",
            "clock": "01:00:00.000001",
            "make_connect_type": "2024-01-31 12:00:00.007000",
        },
        **{"bits": "5", "real": "0.1", "wide": "1.0E300", "nothing": "NaN", "flag": "true", "scaled": "1.234"},
        **{"list": '["a",null]'},
    }
    assert set(rows[3].image) == {"id", *COLUMNS} and not any(rows[3].image[name] for name in COLUMNS)


def test_a_schema_without_names_of_connect_is_read_by_its_logical_types(spark, broker, registry, topic):
    kinds = {
        "amount": {"type": "fixed", "name": "Amount", "size": 8, "logicalType": "decimal", "precision": 10, "scale": 2},
        "day": {"type": "int", "logicalType": "date"},
        "at": {"type": "long", "logicalType": "timestamp-micros"},
        "either": None,
        "unique": {"type": "string", "logicalType": "uuid"},
    }
    of_table = envelope(kinds)
    row = of_table["fields"][0]["type"][1]["fields"]
    row[4]["type"] = ["null", "long", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3}]
    values = {"amount": Decimal("12.34"), "day": date(2024, 1, 31), "either": Decimal("0.125"), "unique": "0" * 36}
    values["at"] = datetime(2024, 1, 31, 12, 0, 0, 5, timezone.utc)
    broker.send(topic, registry.serialize(topic, of_table, change(topic.rpartition(".")[2], 1, 4, **values)))
    [row] = Reader(spark, broker, topic, registry={"url": registry.url}).read()
    assert row.malformed is None and row.image == {
        **{"id": "1", "amount": "12.34", "day": "2024-01-31", "at": "2024-01-31 12:00:00.000005"},
        **{"either": "0.125", "unique": "0" * 36},
    }


def test_each_message_is_read_by_the_schema_it_was_written_with(spark, broker, registry, topic):
    table = topic.rpartition(".")[2]
    first, second = envelope({"v": "string"}), envelope({"v": "string", "age": "int"})
    third = envelope({"age": "long"})
    broker.send(
        topic,
        registry.serialize(topic, first, change(table, 1, 4, v="a")),
        registry.serialize(topic, second, change(table, 2, 5, v="b", age=18)),
        registry.serialize(topic, third, change(table, 3, 6, age=2**40)),
        registry.serialize(topic, first, change(table, 4, 7, v="late")),
    )
    registry.asked.clear()
    reader = Reader(spark, broker, topic, registry={"url": registry.url})
    assert [row.image for row in reader.read()] == [
        {"id": "1", "v": "a"}, {"id": "2", "v": "b", "age": "18"}, {"id": "3", "age": str(2**40)},
        {"id": "4", "v": "late"},
    ]  # fmt: skip
    assert registry.asked == [1, 2, 3]
    broker.send(topic, registry.serialize(topic, second, change(table, 5, 8, v="again", age=None)))
    registry.asked.clear()
    assert reader.read()[-1].image == {"id": "5", "v": "again", "age": None}
    assert registry.asked == [], "an id is asked once in a process"


def test_a_message_that_no_schema_reads_is_set_apart_with_its_reason(spark, broker, registry, topic):
    table = topic.rpartition(".")[2]
    good = registry.serialize(topic, envelope({"v": "string"}), change(table, 1, 4, v="a"))
    proto = registry.register("p", {"schema": 'syntax = "proto3"; message M {}', "schemaType": "PROTOBUF"})
    of_json = registry.register("j", {"schema": "{}", "schemaType": "JSON"})
    text = json.dumps(change(table, 2, 5, v="json"))
    broker.send(topic, good, b"\x00\x00\x00\x03\xe7" + good[5:], good[:-4], good + b"x", b"\x00" + bytes(3))
    broker.send(
        topic, b"\x00" + proto.to_bytes(4, "big") + b"\x00", b"\x00" + of_json.to_bytes(4, "big") + text.encode()
    )
    rows = Reader(spark, broker, topic, registry={"url": registry.url}).read()
    assert [row.image["v"] for row in rows if row.malformed is None] == ["a", "json"]
    said = [row.malformed for row in rows[1:6]]
    begin = "message of a schema registry that cannot be read: "
    assert said[0] == f"{begin}schema id 999 is not in the registry {registry.url}"
    assert said[1].startswith(f"{begin}received bytes that are no record of schema id 1 (")
    assert "1 bytes behind the record" in said[2] and "expected an object" in said[3]
    assert said[4] == f"{begin}schema id {proto} is PROTOBUF, expected AVRO or JSON"
    assert {(row.source_schema, row.source_table) for row in (*rows[:4], rows[5])} == {("s", table)}
    assert rows[1].content.endswith("; in base64: AAAAA+cA" + rows[1].content.partition("AAAAA+cA")[2])


def test_without_a_registry_the_reason_names_the_option(spark, broker, registry, topic):
    broker.send(topic, registry.serialize(topic, {"type": "string"}, "a"))
    [row] = Reader(spark, broker, topic).read()
    assert "begins with a zero byte" in row.malformed and "no registry.url" in row.malformed


def test_a_registry_that_does_not_answer_is_no_matter_of_the_messages(spark, broker, registry, topic, monkeypatch):
    table = topic.rpartition(".")[2]
    message = registry.serialize(topic, envelope({"w": "string"}), change(table, 1, 4, w="a"))
    broker.send(topic, message)
    monkeypatch.setenv("REGISTRY_LOGIN", "reader:wr0ng")
    settings = {"url": registry.url, "basic.auth.user.info": "env:REGISTRY_LOGIN", "max.retries": "0"}
    registry.login = "reader:right"
    with pytest.raises(KafkaError) as caught:
        Reader(spark, broker, topic, registry=settings).read()
    said = str(caught.value)
    assert f"the schema registry at {registry.url} cannot be asked. Received: schema id 1: HTTP 401" in said
    assert "wr0ng" not in said and "the next run goes on at the same offsets" in said and "\n" not in said
    with pytest.raises(KafkaError, match="Connection refused"):
        Reader(spark, broker, topic, registry={"url": "http://127.0.0.1:9", "max.retries": "0"}).read()
    monkeypatch.delenv("REGISTRY_LOGIN")
    with pytest.raises(KafkaError, match=r"environment variables are missing: REGISTRY_LOGIN.*registry\."):
        Reader(spark, broker, topic, registry=settings).read()
    monkeypatch.setenv("REGISTRY_LOGIN", registry.login)
    with pytest.raises(KafkaError, match="HTTP 404"):
        Reader(spark, broker, topic, registry={**settings, "url": f"{registry.url}/wrong"}).read()
    [row] = Reader(spark, broker, topic, registry=settings).read()
    assert row.image == {"id": "1", "w": "a"}


# Keys ----------------------------------------------------------------------------------------------------------------

KEY = {"type": "record", "name": "Key", "namespace": "src.s.t", "fields": [{"name": "id", "type": "int"}]}


def flattened(topic: str, registry: registries.Registry | None, key: Any, value: Any) -> tuple[Any, Any]:
    """Key and value of a flattened message, in Avro or in JSON with its schema."""
    if registry is None:
        of_key = {"type": "struct", "fields": [{"field": "id", "type": "int32"}]}
        return json.dumps({"schema": of_key, "payload": key}), None if value is None else json.dumps(value)
    row = {"type": "record", "name": "Value", "fields": [{"name": name, **optional("string")} for name in value or ()]}
    of_value = None if value is None else registry.serialize(topic, row, value)
    return registry.serialize(topic, KEY, key, MessageField.KEY), of_value


@pytest.mark.parametrize("form", ["json", "avro"])
def test_a_flattened_message_without_a_value_deletes_its_key(spark, broker, registry, topic, form):
    of_form = registry if form == "avro" else None
    for value in ({"v": "a", "__op": "c"}, {"v": "b", "__op": "u"}, None):
        key, text = flattened(topic, of_form, {"id": 7}, value)
        broker.send(topic, text, key=key)
    broker.send(topic, None)
    broker.send(topic, None, key="no object")
    if form == "json":
        null = {"schema": {"type": "struct", "fields": [], "optional": True}, "payload": None}
        broker.send(topic, json.dumps(null), key=key)
    settings = {"registry": {"url": registry.url}} if of_form else {}
    rows = Reader(spark, broker, topic, form="flattened", tombstones="delete", **settings).read()
    table = topic.rpartition(".")[2]
    assert [(row.operation, row.image, row.source_table) for row in rows[:3]] == [
        ("I", {"id": "7", "v": "a"}, table), ("U", {"id": "7", "v": "b"}, table), ("D", {"id": "7"}, table),
    ]  # fmt: skip
    assert [row.position for row in rows[:3]] == sorted(row.position for row in rows[:3])
    assert len({row.position for row in rows[:3]}) == 3
    assert rows[3].malformed.startswith("received 'null', expected an object")
    assert rows[4].malformed.startswith("received 'no object', expected an object")
    # With schemas.enable, Connect's JSON converter writes a null with its schema.
    assert [(row.operation, row.image) for row in rows[5:]] == [("D", {"id": "7"})] * (form == "json")


def test_tombstones_that_follow_a_delete_are_set_aside_where_the_feed_says_so(spark, broker, topic):
    key, value = flattened(topic, None, {"id": 7}, {"id": 7, "__deleted": "true"})
    broker.send(topic, value, key=key)
    broker.send(topic, None, key=key)
    rows = Reader(spark, broker, topic, form="flattened", tombstones="ignore").read()
    assert [(row.operation, row.set_aside) for row in rows] == [("D", None), (None, "tombstone")]


def test_of_the_key_come_only_columns_that_the_value_lacks(spark, broker, topic):
    key = json.dumps({"id": 1, "v": "old", "__shard": "x"})
    broker.send(topic, json.dumps({"V": "new", "__op": "u"}), json.dumps({"ts_ms": 5}), key=key)
    rows = Reader(spark, broker, topic, form="flattened", tombstones="delete").read()
    assert rows[0].image == {"id": "1", "V": "new"} and rows[1].set_aside == "heartbeat"


# To silver -----------------------------------------------------------------------------------------------------------


def test_avro_comes_to_silver_and_what_cannot_be_read_to_quarantine(shared_lakehouse, broker, registry):
    lakehouse = shared_lakehouse
    lakehouse.clear()
    for name in ("live", "flat"):
        broker.create(f"db.s.{name}")
    url = f"registry.url={registry.url}"
    add_feed(lakehouse, broker, "avro", "debezium", "topics=db.s.live", url)
    add_feed(lakehouse, broker, "flat", "debezium", "topics=db.s.flat", url, "form=flattened", "tombstones=delete")
    lakehouse.add_table("avro", "live", columns="id int, v string, amount decimal(10,2)")
    lakehouse.add_table("flat", "flat", columns="id int, v string")
    lakehouse.make_models()
    first, second = envelope({"v": "string"}), envelope({"v": "string", "amount": AMOUNT, "age": "int"})
    good = registry.serialize("db.s.live", first, change("live", 1, 4, v="a"))
    broker.send("db.s.live", good, b"\x00\x00\x00\x03\xe7" + good[5:])
    for number, value in ((1, "a"), (2, "b")):
        key, text = flattened("db.s.flat", registry, {"id": number}, {"v": value, "__op": "c"})
        broker.send("db.s.flat", text, key=key)
    assert set(lakehouse.statuses("run").values()) == {"success"}
    assert lakehouse.table("live", "id, v") == [(1, "a")]
    assert lakehouse.table("flat", "id, v") == [(1, "a"), (2, "b")]
    [waiting] = lakehouse.sql("select * from etl_metadata.quarantine")
    assert (waiting.rule, waiting.file_row) == ("malformed_record", 1)
    assert f"schema id 999 is not in the registry {registry.url}" in waiting.reason
    later = change("live", 2, 5, v="b", amount=Decimal("1.50"), age=18)
    broker.send("db.s.live", registry.serialize("db.s.live", second, later))
    broker.send("db.s.flat", None, key=flattened("db.s.flat", registry, {"id": 1}, None)[0])
    assert set(lakehouse.statuses("run").values()) == {"success"}
    assert lakehouse.table("live", "id, v, amount, age") == [(1, "a", None, None), (2, "b", Decimal("1.50"), "18")]
    assert lakehouse.table("flat", "id, v") == [(2, "b")]
    for name in ("live", "flat"):
        assert set(lakehouse.run_and_compare(f"silver_s__{name}").values()) <= {"success", "pass"}
