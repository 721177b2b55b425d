"""One table, captured in every form that a feed can have: silver is the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from stories import START, at

from python_udfs.sample_data import debezium_writer
from python_udfs.sample_data.debezium_writer import write_messages
from python_udfs.sample_data.dms_writer import Change, Column, DmsTask, SourceTable

COLUMNS = (
    Column("id", pa.int64()),
    Column("name", pa.string()),
    Column("price", pa.decimal128(10, 2)),
    Column("seen", pa.timestamp("us")),
)
TYPES = "id bigint, name string, price decimal(10,2), seen timestamp"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Event:
    """One change of the source: its number in the log, operation, row after it (before it, for a delete)."""

    number: int
    operation: str
    row: dict[str, Any]

    @property
    def committed_at(self) -> datetime:
        return at(self.number)


def row(id_: int, name: str | None, price: str | None, second: int | None) -> dict[str, Any]:
    seen = None if second is None else (START + timedelta(seconds=second, microseconds=7)).replace(tzinfo=None)
    return {"id": id_, "name": name, "price": price and Decimal(price), "seen": seen}


LOADED = [Event(0, "L", row(number, f"loaded {number}", "1.50", number)) for number in (1, 2, 3)]
FIRST = [
    Event(1, "U", row(1, 'say "hi",\nthen go', "-0.01", None)),
    Event(2, "I", row(2**40, "", "12345678.90", 0)),
    Event(3, "D", row(2, "loaded 2", "1.50", 2)),
    Event(4, "U", row(3, None, None, 3)),
]
SECOND = [
    Event(5, "I", row(2, "again", "0.00", 59)),
    Event(6, "D", row(3, None, None, 3)),
    Event(7, "U", row(1, "Ärger 東京 🚲", "99.99", -1)),
    Event(8, "U", row(1, "last", "100.00", -2)),
]
EXPECTED = sorted((SECOND[3].row, SECOND[0].row, FIRST[1].row), key=lambda image: image["id"])


def milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(milliseconds=1)


def envelope(table: str, event: Event) -> dict[str, Any]:
    change = Change("I" if event.operation == "L" else event.operation, event.row, event.committed_at)
    snapshot = "true" if event.operation == "L" else None
    return debezium_writer.envelope(SourceTable("s", table, COLUMNS), change, 1000 * event.number, snapshot=snapshot)


def with_schema(table: str, event: Event) -> dict[str, Any]:
    """The same with the schema of its values, which has units and scales."""
    fields = [
        {"field": "id", "type": "int64", "optional": False},
        {"field": "name", "type": "string", "optional": True},
        {
            **{"field": "price", "type": "bytes", "optional": True, "parameters": {"scale": "2"}},
            **{"name": "org.apache.kafka.connect.data.Decimal", "version": 1},
        },
        {"field": "seen", "type": "int64", "optional": True, "name": "io.debezium.time.MicroTimestamp", "version": 1},
    ]
    images = [{"type": "struct", "fields": fields, "optional": True, "field": side} for side in ("before", "after")]
    return {"schema": {"type": "struct", "fields": images, "name": "Envelope"}, "payload": envelope(table, event)}


def flattened(table: str, event: Event) -> dict[str, Any]:
    message = envelope(table, event)
    source = message["source"]
    return {
        **(message["before"] if event.operation == "D" else message["after"]),
        "__deleted": str(event.operation == "D").lower(),
        "__op": message["op"],
        "__table": table,
        "__db": "s",
        **{f"__source_{name}": source[name] for name in ("ts_ms", "snapshot", "file", "pos", "row")},
    }


def as_text(image: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value is None else str(value) for name, value in image.items()}


def maxwell(table: str, event: Event) -> dict[str, Any]:
    image = event.row
    data = {**as_text(image), "id": image["id"], "price": None if image["price"] is None else float(image["price"])}
    message = {"database": "s", "table": table, "ts": milliseconds(event.committed_at) // 1000, "data": data}
    if event.operation == "L":
        return {**message, "type": "bootstrap-insert"}
    kind = {"I": "insert", "U": "update", "D": "delete"}[event.operation]
    position = f"mysql-bin.000009:{1000 * event.number + 4}"
    return {**message, "type": kind, "xid": event.number, "commit": True, "position": position}


def canal(table: str, event: Event) -> dict[str, Any]:
    return {
        **{"id": event.number, "database": "s", "table": table, "pkNames": ["id"], "isDdl": False, "sql": ""},
        "type": {"L": "INSERT", "I": "INSERT", "U": "UPDATE", "D": "DELETE"}[event.operation],
        **{"es": milliseconds(event.committed_at), "ts": milliseconds(event.committed_at) + 500},
        "sqlType": {"id": -5, "name": 12, "price": 3, "seen": 93},
        "mysqlType": {"id": "bigint", "name": "varchar(100)", "price": "decimal(10,2)", "seen": "datetime(6)"},
        "data": [as_text(event.row)],
        "old": [{}] if event.operation == "U" else None,
    }


def dms_kafka(table: str, event: Event) -> dict[str, Any]:
    image = event.row
    data = {**as_text(image), "id": image["id"], "price": None if image["price"] is None else float(image["price"])}
    metadata = {
        **{"timestamp": f"{event.committed_at:%Y-%m-%dT%H:%M:%S.%fZ}", "record-type": "data"},
        "operation": {"L": "load", "I": "insert", "U": "update", "D": "delete"}[event.operation],
        **{"partition-key-type": "schema-table", "schema-name": "s", "table-name": table},
    }
    if event.operation != "L":
        commit = f"{event.committed_at:%Y-%m-%dT%H:%M:%S.%fZ}"
        metadata |= {"transaction-id": event.number, "transaction-record-id": 1, "commit-timestamp": commit}
    return {"data": data, "metadata": metadata}


MESSAGES = {
    "envelope": ("debezium", "decimals=base64", envelope),
    "with_schema": ("debezium", "", with_schema),
    "flattened": ("debezium", "form=flattened;decimals=base64", flattened),
    "maxwell": ("maxwell", "", maxwell),
    "canal": ("canal", "", canal),
    "dms_kafka": ("dms_kafka", "", dms_kafka),
}
FILES = {
    "parquet": ("parquet", "timestamp_column=ts", {"data_format": "parquet"}),
    "csv": ("csv", "timestamp_column=ts", {"csv_quote_ambiguous_text": True}),
    "multi_table": ("csv", "timestamp_column=ts;transaction_files=true", {"csv_quote_ambiguous_text": True}),
}
FORMS = [*FILES, *MESSAGES]


def land_messages(lakehouse, form, events, offset):
    """One file of the S3 sink."""
    messages = [MESSAGES[form][2](f"form_{form}", event) for event in events]
    write_messages(lakehouse.raw / form, f"source.s.form_{form}", messages, offset, at(offset))


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    tasks = {}
    for form, (data_format, options, settings) in FILES.items():
        lakehouse.add_feed(form, data_format, options)
        lakehouse.add_table(form, f"form_{form}", columns=TYPES)
        tasks[form] = DmsTask(lakehouse.raw / form, timestamp_column_name="ts", **settings)
    for form, (connector, options, _) in MESSAGES.items():
        lakehouse.add_feed(form, "json", options, connector=connector)
        lakehouse.add_table(form, f"form_{form}", columns=TYPES)
    lakehouse.make_models()

    for form, task in tasks.items():
        table = SourceTable("s", f"form_{form}", COLUMNS, ("id",))
        task.full_load(table, [event.row for event in LOADED], START)
    for form in MESSAGES:
        land_messages(lakehouse, form, [*LOADED, *FIRST], 0)
    lakehouse.first = lakehouse.statuses("run")
    for part, minutes in ((FIRST, 4), (SECOND, 8)):
        changes = [Change(event.operation, event.row, event.committed_at) for event in part]
        for form, task in tasks.items():
            table = SourceTable("s", f"form_{form}", COLUMNS, ("id",))
            if form == "multi_table":
                task.transactions([(table, change) for change in changes], at(minutes))
            else:
                task.changes(table, changes, at(minutes))
    for form in MESSAGES:
        land_messages(lakehouse, form, SECOND, len(LOADED) + len(FIRST))
    lakehouse.second = lakehouse.run_and_compare()
    return lakehouse


def test_both_builds_pass(lakehouse):
    for statuses in (lakehouse.first, lakehouse.second):
        assert set(statuses.values()) <= {"success", "pass"}, statuses


@pytest.mark.parametrize("form", FORMS)
def test_silver_is_the_same_whatever_the_form(lakehouse, form):
    rows = lakehouse.sql(f"select id, name, price, seen from silver.s__form_{form} order by id")
    assert [row.asDict() for row in rows] == EXPECTED
