"""Messages as a capture of Debezium's has them, in the files that the sink makes of them."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from python_udfs.sample_data.debezium_writer import Connector, envelope
from python_udfs.sample_data.dms_writer import Change, Column, SourceTable

SAMPLES = Path(__file__).parents[1] / "real" / "samples" / "mariadb" / "envelope"
AT = datetime(2018, 6, 20, 6, 37, 3, 945104, tzinfo=timezone.utc)
T = SourceTable("s", "t", (Column("id", pa.int32()), Column("v", pa.string())), ("id",))


def sample(kind: str, number: int = 0) -> dict[str, Any]:
    """A captured message."""
    message = json.loads((SAMPLES / f"{kind}.json").read_text().splitlines()[number])
    assert isinstance(message, dict)
    return message


def shape(message: dict[str, Any]) -> list[Any]:
    """The fields in their order, with what does not depend on the row or on the time."""
    sides = [name for name in ("before", "after") if message[name] is not None]
    source = message["source"]
    return [list(message), list(source), sides, message["op"], source["snapshot"], source["sequence"], source["row"]]


@pytest.mark.parametrize(("kind", "operation"), [("insert", "I"), ("update", "U"), ("delete", "D")])
def test_a_change_has_the_fields_of_a_captured_one(kind: str, operation: Any) -> None:
    assert shape(envelope(T, Change(operation, {"id": 1}, AT), 4)) == shape(sample(kind))


def test_the_snapshot_has_the_fields_of_a_captured_one_and_one_position(tmp_path: Path) -> None:
    messages = Connector(tmp_path, "p").snapshot([(T, [{"id": 1}, {"id": 2}, {"id": 3}])], AT)
    made = [dict(message.value) for message in messages]
    captured = [sample("snapshot", number) for number in range(3)]
    assert [shape(message) for message in made] == [shape(message) for message in captured]
    assert {message["source"]["server_id"] for message in made + captured} == {0}
    assert len({message["source"]["pos"] for message in made}) == 1


@pytest.mark.parametrize(
    ("kind", "value", "sent"),
    [
        # docs/feeds/debezium_format.md, Types has these values.
        (pa.decimal128(10, 0), Decimal(12345), "MDk="),
        (pa.decimal128(10, 4), Decimal("10.2345"), "AY/J"),
        (pa.decimal128(10, 2), Decimal(0), "AA=="),
        (pa.decimal128(10, 0), Decimal(-1), "/w=="),
        (pa.decimal128(10, 0), Decimal(-12345), "z8c="),
        (pa.decimal128(10, 0), Decimal(255), "AP8="),
        (pa.decimal128(10, 0), Decimal(128), "AIA="),
        (pa.decimal128(10, 0), Decimal(-128), "gA=="),
        (pa.timestamp("us"), datetime(2018, 6, 20, 15, 13, 16, 945104), 1529507596945104),
        (pa.timestamp("us", tz="UTC"), AT, "2018-06-20T06:37:03.945104Z"),
        (pa.timestamp("us", tz="UTC"), AT.replace(microsecond=120_000), "2018-06-20T06:37:03.12Z"),
        (pa.timestamp("us", tz="UTC"), AT.replace(microsecond=0), "2018-06-20T06:37:03Z"),
        (pa.int64(), 2**40, 2**40),
        (pa.string(), "ä", "ä"),
        (pa.decimal128(10, 0), None, None),
    ],
)
def test_values(kind: pa.DataType, value: Any, sent: Any) -> None:
    table = SourceTable("s", "t", (Column("v", kind),))
    assert envelope(table, Change("I", {"v": value}, AT), 4)["after"] == {"v": sent}


def test_a_type_without_a_rendering_is_refused() -> None:
    table = SourceTable("s", "t", (Column("v", pa.bool_()),))
    with pytest.raises(ValueError, match=r"Column v .* type bool; expected string"):
        envelope(table, Change("I", {}, AT), 4)


def test_positions_grow_and_a_tombstone_takes_an_offset(tmp_path: Path) -> None:
    connector = Connector(tmp_path, "p")
    snapshot = connector.snapshot([(T, [{"id": 1, "v": "a"}])], AT)
    update = Change("U", {"id": 1, "v": "b"}, AT, before={"v": "a"})
    changes = [(T, update), (T, Change("D", {"id": 1, "v": "b"}, AT)), (T, Change("I", {"id": 1}, AT))]
    messages = [*snapshot, *connector.changes(changes)]
    assert [message.offset for message in messages] == [0, 1, 2, 4]
    positions = [message.value["source"]["pos"] for message in messages]
    assert positions == sorted(set(positions))
    assert messages[1].value["before"] == {"id": 1, "v": "a"}
    assert messages[2].value["before"] == {"id": 1, "v": "b"}


def test_a_file_per_topic_is_named_after_its_first_offset(tmp_path: Path) -> None:
    other = SourceTable("s", "u", T.columns)
    connector = Connector(tmp_path, "p")
    connector.snapshot([(T, [{"id": 1}])], AT)
    messages = connector.changes([(T, Change("I", {"id": 2, "v": "ä"}, AT)), (other, Change("I", {"id": 1}, AT))])
    files = connector.write(messages, AT)
    assert [path.relative_to(tmp_path).as_posix() for path in files] == [
        "topics/p.s.t/partition=0/p.s.t+0+0000000001.json",
        "topics/p.s.u/partition=0/p.s.u+0+0000000000.json",
    ]
    assert [json.loads(line) for line in files[0].read_text().splitlines()] == [messages[0].value]
    assert '"v":"ä"' in files[0].read_text()
    assert files[0].stat().st_mtime == AT.timestamp()
