"""Messages of a schema registry as JSON, without a registry and without Spark."""

from __future__ import annotations

import base64
import io
import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from fastavro import parse_schema, schemaless_writer

from python_udfs.kafka import avro

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
    file, known = io.BytesIO(), {}
    for one in named:
        parse_schema(one, known)
    schemaless_writer(file, parse_schema(schema, known), value)
    return b"\x00" + number.to_bytes(4, "big") + file.getvalue()


def read(found: bytes) -> dict:
    return json.loads(found.decode())


def test_a_record_becomes_its_schema_and_its_payload():
    value = {"id": 1, "v": "é\n", "raw": b"\x00\xff", "next": {"id": 2}, "by_name": {"x": 0.1, "y": None}, "kind": "B"}
    found = read(avro.text_of(message(value), SCHEMAS))
    assert found["payload"] == {
        **{"id": 1, "v": "é\n", "raw": "AP8=", "by_name": {"x": 0.1, "y": None}, "kind": "B"},
        "next": {"id": 2, "v": None, "raw": None, "next": None, "by_name": {}, "kind": "A"},
    }
    assert [(field["field"], field["type"]) for field in found["schema"]["fields"]] == [
        *(("id", "int32"), ("v", "string"), ("raw", "bytes"), ("next", "struct")),
        *(("by_name", "map"), ("kind", "string")),
    ]


def test_of_an_envelope_the_columns_are_described_with_name_and_scale():
    amount = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 3, "connect.name": "x.Decimal"}
    row = {"type": "record", "name": "Row", "fields": [{"name": "amount", "type": ["null", amount]}]}
    fields = [{"name": "before", "type": ["null", row]}, {"name": "after", "type": ["null", "Row"]}]
    schema = {"type": "record", "name": "Envelope", "fields": fields}
    found = read(avro.text_of(message({"before": None, "after": {"amount": None}}, schema), {7: (json.dumps(schema),)}))
    before, after = found["schema"]["fields"]
    assert "fields" not in before and after["fields"] == [
        {"field": "amount", "type": "bytes", "name": "x.Decimal", "parameters": {"scale": "3"}}
    ]


def test_a_schema_may_refer_to_others():
    inner = {"type": "record", "name": "Inner", "namespace": "a", "fields": [{"name": "raw", "type": "bytes"}]}
    outer = {"type": "record", "name": "Outer", "namespace": "b", "fields": [{"name": "one", "type": "a.Inner"}]}
    found = avro.text_of(message({"one": {"raw": b"x"}}, outer, 9, inner), {9: (json.dumps(inner), json.dumps(outer))})
    assert read(found)["payload"] == {"one": {"raw": "eA=="}}


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
    found = list(avro.with_texts([batch], SCHEMAS, ("value",)))
    assert len(found) > 3 and [row for one in found for row in one["offset"].to_pylist()] == list(range(9))
    texts = [text for one in found for text in one["value"].to_pylist()]
    assert [read(text)["payload"]["id"] for text in texts[:7]] == list(range(7)) and texts[7:] == [None, b"{}"]
    empty = pa.record_batch({"offset": pa.array([], pa.int64()), "value": pa.array([], pa.binary())})
    assert list(avro.with_texts([empty], SCHEMAS, ("value",))) == []


def test_what_debezium_wrote_through_a_real_converter_is_read():
    file = Path(__file__).parents[1] / "real" / "samples" / "avro" / "mariadb.json"
    sample = json.loads(file.read_text(encoding="utf-8"))
    schemas = {int(number): tuple(texts) for number, texts in sample["schemas"].items()}
    values = [bytes.fromhex(one["value"]) for one in sample["messages"] if one["value"]]
    keys = [bytes.fromhex(one["key"]) for one in sample["messages"]]
    assert len({avro.schema_id(value) for value in values}) == 2, "a column was added in between"
    found = [read(avro.text_of(value, schemas)) for value in values]
    assert [read(avro.text_of(key, schemas))["payload"]["id"] for key in keys] == [1, 1, 1, 1, 2]
    assert [one["payload"]["op"] for one in found] == ["r", "u", "d", "c"]
    assert found[0]["payload"]["after"] == {
        **{"id": 1, "v": "é", "amount": "+y4=", "d": 19753, "dt": 1706702400123456, "tm": -3723500000, "b": "AP8="},
        **{"ts": "2024-01-31T12:00:00.123456Z", "bits": "BQ==", "f": 0.1, "x": 1e300, "flag": 1, "e": "b"},
        **{"big": "AP//////////", "j": '{"a": 1}'},
    }
    assert found[3]["payload"]["after"]["age"] == 18
    columns = {one["field"]: one for one in found[3]["schema"]["fields"][1]["fields"]}
    decimal = "org.apache.kafka.connect.data.Decimal"
    assert columns["amount"] == {"field": "amount", "type": "bytes", "name": decimal, "parameters": {"scale": "2"}}
    assert {name: one.get("name") for name, one in columns.items() if name in ("d", "dt", "ts", "tm", "bits")} == {
        **{"d": "io.debezium.time.Date", "dt": "io.debezium.time.MicroTimestamp"},
        **{
            "ts": "io.debezium.time.ZonedTimestamp",
            "tm": "io.debezium.time.MicroTime",
            "bits": "io.debezium.data.Bits",
        },
    }
