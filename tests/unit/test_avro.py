"""Messages of a schema registry as JSON, without a registry and without Spark."""

from __future__ import annotations

import base64
import io
import json
import math
import random
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from confluent_kafka.schema_registry import Schema
from fastavro import parse_schema, schemaless_reader, schemaless_writer

from python_udfs.kafka import avro, registry
from python_udfs.kafka.client import KafkaError
from python_udfs.metadata.kafka import Kafka

ROW = {
    "type": "record",
    "name": "Value",
    "fields": [
        {"name": "id", "type": "int"},
        {"name": "v", "type": ["null", "string"], "default": None},
        {"name": "raw", "type": ["null", "bytes"], "default": None},
        {"name": "next", "type": ["null", "Value"], "default": None},
        {"name": "by_name", "type": {"type": "map", "values": ["null", "float"]}, "default": {}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}, "default": "A"},
    ],
}
SCHEMAS = {7: (json.dumps(ROW),)}


def message(value, schema=ROW, number: int = 7, *named) -> bytes:
    file, parsed = io.BytesIO(), {}
    for part in named:
        parse_schema(part, parsed)
    schemaless_writer(file, parse_schema(schema, parsed), value)
    return b"\x00" + number.to_bytes(4, "big") + file.getvalue()


def read(text: bytes) -> dict:
    return json.loads(text.decode())


def test_a_record_becomes_its_schema_and_its_payload():
    value = {"id": 1, "v": "é\n", "raw": b"\x00\xff", "next": {"id": 2}, "by_name": {"x": 0.1, "y": None}, "kind": "B"}
    record = read(avro.text_of(message(value), SCHEMAS))
    assert record["payload"] == {
        **{"id": 1, "v": "é\n", "raw": "AP8=", "by_name": {"x": 0.1, "y": None}, "kind": "B"},
        "next": {"id": 2, "v": None, "raw": None, "next": None, "by_name": {}, "kind": "A"},
    }
    assert [(field["field"], field["type"]) for field in record["schema"]["fields"]] == [
        *(("id", "int32"), ("v", "string"), ("raw", "bytes"), ("next", "struct")),
        *(("by_name", "map"), ("kind", "string")),
    ]


def test_of_an_envelope_the_columns_are_described_with_name_and_scale():
    amount = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3, "connect.name": "x.Decimal"}
    row = {"type": "record", "name": "Row", "fields": [{"name": "amount", "type": ["null", amount]}]}
    fields = [{"name": "before", "type": ["null", row]}, {"name": "after", "type": ["null", "Row"]}]
    schema = {"type": "record", "name": "Envelope", "fields": fields}
    record = read(
        avro.text_of(message({"before": None, "after": {"amount": None}}, schema), {7: (json.dumps(schema),)})
    )
    before, after = record["schema"]["fields"]
    assert "fields" not in before and after["fields"] == [
        {"field": "amount", "type": "bytes", "name": "x.Decimal", "parameters": {"scale": "3"}}
    ]


def test_a_schema_may_refer_to_others():
    inner = {"type": "record", "name": "Inner", "namespace": "a", "fields": [{"name": "raw", "type": "bytes"}]}
    outer = {"type": "record", "name": "Outer", "namespace": "b", "fields": [{"name": "one", "type": "a.Inner"}]}
    record_text = avro.text_of(
        message({"one": {"raw": b"x"}}, outer, 9, inner), {9: (json.dumps(inner), json.dumps(outer))}
    )
    assert read(record_text)["payload"] == {"one": {"raw": "eA=="}}


def test_numbers_that_are_none_are_texts():
    schema = {"type": "record", "name": "R", "fields": [{"name": "v", "type": "double"}]}
    for value, text in (("nan", "NaN"), ("inf", "Infinity"), ("-inf", "-Infinity")):
        assert read(avro.text_of(message({"v": float(value)}, schema), {7: (json.dumps(schema),)}))["payload"] == {
            "v": text
        }


@pytest.mark.parametrize("content", [b"", b"{}", b"\x00\x00", b"\xff", b'{"a": "\x00"}'])
def test_what_is_not_in_the_format_of_a_registry_stays_as_it_is(content):
    assert avro.text_of(content, SCHEMAS) == content


def test_bytes_that_are_no_record_are_kept_with_the_reason():
    whole = message({"id": 1, "v": "abc"})
    dice = random.Random(5)
    broken = [whole[:at] for at in range(5, len(whole))] + [whole + b"x", b"\x00\x00\x00\x00\x08"]
    broken += [whole[:5] + dice.randbytes(dice.randint(0, 40)) for _ in range(2000)]
    unread = 0
    for content in broken:
        text = avro.text_of(content, {**SCHEMAS, 8: "schema id 8 is not there"}).decode()
        if text.startswith(avro.UNREADABLE):
            unread += 1
            assert base64.b64decode(text.partition(avro.BYTES)[2]) == content
        else:
            read(text.encode())
    assert unread > 1900
    assert "1 bytes behind the record" in avro.text_of(whole + b"x", SCHEMAS).decode()


def test_a_batch_is_cut_where_its_text_is_large(monkeypatch):
    monkeypatch.setattr(avro, "LARGEST_BATCH", 200)
    values = [message({"id": number, "v": "x" * 50}) for number in range(7)] + [None, b"{}"]
    batch = pa.record_batch({"offset": pa.array(range(9)), "value": pa.array(values, pa.binary())})
    batches = list(avro.replace_messages([batch], SCHEMAS, ("value",)))
    assert len(batches) > 3 and [row for cut in batches for row in cut["offset"].to_pylist()] == list(range(9))
    texts = [text for cut in batches for text in cut["value"].to_pylist()]
    assert [read(text)["payload"]["id"] for text in texts[:7]] == list(range(7)) and texts[7:] == [None, b"{}"]
    empty = pa.record_batch({"offset": pa.array([], pa.int64()), "value": pa.array([], pa.binary())})
    assert list(avro.replace_messages([empty], SCHEMAS, ("value",))) == []


def test_what_debezium_wrote_through_a_real_converter_is_read():
    file = Path(__file__).parents[1] / "real" / "samples" / "avro" / "mariadb.json"
    sample = json.loads(file.read_text(encoding="utf-8"))
    schemas = {int(number): tuple(texts) for number, texts in sample["schemas"].items()}
    values = [bytes.fromhex(sent["value"]) for sent in sample["messages"] if sent["value"]]
    keys = [bytes.fromhex(sent["key"]) for sent in sample["messages"]]
    assert len({avro.schema_id(value) for value in values}) == 2, "a column was added in between"
    records = [read(avro.text_of(value, schemas)) for value in values]
    assert [read(avro.text_of(key, schemas))["payload"]["id"] for key in keys] == [1, 1, 1, 1, 2]
    assert [record["payload"]["op"] for record in records] == ["r", "u", "d", "c"]
    assert records[0]["payload"]["after"] == {
        **{"id": 1, "v": "é", "amount": "+y4=", "d": 19753, "dt": 1706702400123456, "tm": -3723500000, "b": "AP8="},
        **{"ts": "2024-01-31T12:00:00.123456Z", "bits": "BQ==", "f": 0.1, "x": 1e300, "flag": 1, "e": "b"},
        **{"big": "AP//////////", "j": '{"a": 1}'},
    }
    assert records[3]["payload"]["after"]["age"] == 18
    columns = {field["field"]: field for field in records[3]["schema"]["fields"][1]["fields"]}
    decimal = "org.apache.kafka.connect.data.Decimal"
    assert columns["amount"] == {"field": "amount", "type": "bytes", "name": decimal, "parameters": {"scale": "2"}}
    assert {name: field.get("name") for name, field in columns.items() if name in ("d", "dt", "ts", "tm", "bits")} == {
        **{"d": "io.debezium.time.Date", "dt": "io.debezium.time.MicroTimestamp"},
        **{
            "ts": "io.debezium.time.ZonedTimestamp",
            "tm": "io.debezium.time.MicroTime",
            "bits": "io.debezium.data.Bits",
        },
    }


FLAGS = {
    "type": "record",
    "name": "Flags",
    "fields": [
        *({"name": name, "type": name} for name in ("boolean", "int", "long", "double", "string", "bytes")),
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 2}},
        {"name": "maybe", "type": ["null", "int", "string", {"type": "bytes", "logicalType": "decimal", "scale": 2}]},
    ],
}
FLAG = {"boolean": True, "int": -70_000, "long": 2**40, "double": 0.1, "string": "é", "bytes": b"\x00\xff"} | {
    "kind": "B",
    "hash": b"ab",
    "maybe": "x",
}


def one_field(data_type, value: bytes) -> str:
    """The text of a record of one field that has these bytes."""
    schema = {"type": "record", "name": "R", "fields": [{"name": "v", "type": data_type}]}
    return avro.text_of(b"\x00\x00\x00\x00\x07" + value, {7: (json.dumps(schema),)}).decode()


@pytest.mark.parametrize(
    ("data_type", "value", "reason"),
    [
        ("boolean", b"\x02", "a boolean is 2, expected 0 or 1"),
        ("int", b"\x80\x80\x80\x80\x20", "an int is 4294967296, expected 32 bits"),
        ("int", b"\x82\x80\x00", "an integer in more bytes than it needs"),
        ("long", b"\x80" * 9 + b"\x02", "an integer of more than 64 bits"),
        ("long", b"\x80" * 10 + b"\x01", "an integer of more than 10 bytes"),
        (["null", "string"], b"\x01", "the index of a union is -1, expected 0 to 1"),
        (["null", "string"], b"\x04", "the index of a union is 2, expected 0 to 1"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, b"\x01", "the index of a symbol is -1, expected 0 to 0"),
        ("string", b"\x01", "the length of a text or of bytes is -1, expected 0 to 0"),
        ("string", b"\x06ab", "the length of a text or of bytes is 3, expected 0 to 2"),
        ("string", b"\x02\xe9", "UnicodeDecodeError"),
        ("double", b"\x00" * 7, "the bytes end inside of a value"),
        ("long", b"\x80", "the bytes end inside of a value"),
        ("null", b"\x00", "1 bytes behind the record"),
        ({"type": "array", "items": "int"}, b"\x01\x06\x02\x00", "a block of 3 bytes, and its items have 1"),
        ({"type": "array", "items": "null"}, b"\xfe\xff\xff\xff\x0f", "items of an array without a byte"),
        ({"type": "map", "values": "int"}, b"\x04\x02a\x02\x02a\x04\x00", "a map has a key twice"),
    ],
)
def test_damaged_avro_is_no_value(data_type, value, reason):
    text = one_field(data_type, value)
    assert text.startswith(avro.UNREADABLE) and reason in text, text


def test_a_block_may_state_its_size():
    assert json.loads(one_field({"type": "array", "items": "int"}, b"\x03\x04\x02\x04\x00"))["payload"] == {"v": [1, 2]}


def broken_records(records: list[bytes], rounds: int, seed: str):
    """Bytes of records with one to three of them changed, added, cut out, or the end cut off."""
    chance = random.Random(seed)
    for _ in range(rounds):
        record = bytearray(chance.choice(records))
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(record) + 1)
            byte = chance.choice((0, 1, 2, 3, 4, 127, 128, 129, 255, chance.randrange(256)))
            match chance.randrange(4):
                case 0:
                    record[at : at + 1] = bytes([byte])
                case 1:
                    record[at:at] = bytes([byte])
                case 2:
                    del record[at : at + 1]
                case _:
                    del record[at:]
        yield bytes(record)


@pytest.mark.parametrize("schema", [FLAGS, ROW], ids=["flags", "row"])
def test_mutated_avro_is_the_value_that_a_writer_wrote_or_no_value(schema):
    values = [FLAG, FLAG | {"maybe": None}, FLAG | {"maybe": 7}] if schema is FLAGS else [
        {"id": 1, "v": "é", "raw": b"x", "next": {"id": 2, "by_name": {"a": 0.5, "b": None}}, "kind": "B"}
    ]  # fmt: skip
    parsed = parse_schema(schema, {})
    records = [message(value, schema)[5:] for value in values]
    accepted = 0
    for record in broken_records(records, 20_000, "damaged"):
        text = avro.text_of(b"\x00\x00\x00\x00\x07" + record, {7: (json.dumps(schema),)})
        if text.startswith(avro.UNREADABLE.encode()):
            continue
        accepted += 1
        value = schemaless_reader(io.BytesIO(record), parsed, None)
        shown = json.dumps(json.loads(text)["payload"])
        assert shown == json.dumps(as_json(value, is_single=schema is ROW)), record
        # A map may be written in any blocks, and NaN in any bits.
        if schema is FLAGS and "NaN" not in shown:
            written = io.BytesIO()
            schemaless_writer(written, parsed, value)
            assert written.getvalue() == record
    assert accepted > 500


def as_json(value, *, is_single: bool):
    """A value of fastavro as `text_of` writes it; is_single: of 32 bits, if it is a number with a fraction."""
    if isinstance(value, dict):
        return {name: as_json(inner, is_single=is_single) for name, inner in value.items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float):
        shortest = float(str(np.float32(value))) if is_single else value
        return shortest if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    return format(value, "f") if isinstance(value, Decimal) else value


def test_a_page_of_a_proxy_is_no_schema_and_no_matter_of_the_messages(monkeypatch):
    page = SimpleNamespace(get_schema=lambda number: Schema.from_dict({"login": "here"}))
    monkeypatch.setattr(registry, "_client", lambda feed, kafka: page)
    monkeypatch.setattr(registry, "_known", {})
    kafka = Kafka("b:9092", ("t",), None, "earliest", 1, "fail", registry=(("url", "http://r:8081"),))
    with pytest.raises(KafkaError, match=r"schema id 7: HTTP 200 without the field 'schema'.*Nothing was read"):
        registry.fetch_schemas("live", kafka, [7])
    assert not registry._known
