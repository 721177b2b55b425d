"""Messages that lacked a statement of the seeds: stated, a replay takes them from quarantine to silver."""

from __future__ import annotations

import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE

NOON = 1706702400000  # 2024-01-31 12:00:00, in milliseconds
FEEDS = {"envelope": ("debezium", ""), "flattened": ("debezium", "form=flattened"), "canal": ("canal", "")}
# A line that is no message is of the table that its topic names, where messages do not name it.
BROKEN = {"flattened": 1}
SOURCE = {"connector": "postgresql", "schema": "s", "snapshot": "false"}


def message(feed: str, number: int, **row: Any) -> dict[str, Any]:
    """A change as the source of a feed sends it, the number is its place in the log."""
    if feed == "canal":
        types = {"size": "enum('2','1')", "id": "int"}
        return {
            "database": "s",
            "table": feed,
            "type": "INSERT",
            "es": NOON + number,
            "mysqlType": types,
            "data": [row],
        }
    source = {**SOURCE, "table": feed, "lsn": number, "ts_ms": NOON, "sequence": f'["{number}","{number}"]'}
    if feed == "envelope":
        return {"before": None, "after": row, "op": "u", "source": source}
    return row | {"__op": "u", "__table": feed} | {f"__source_{name}": value for name, value in source.items()}


def land(lakehouse, feed: str, offset: int, *messages: object) -> None:
    folder = lakehouse.raw / feed / "topics" / f"src.s.{feed}" / "partition=0"
    folder.mkdir(parents=True, exist_ok=True)
    lines = (message if isinstance(message, str) else json.dumps(message) for message in messages)
    (folder / f"src.s.{feed}+0+{offset:010d}.json").write_text("".join(f"{line}\n" for line in lines))


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    """Messages of three feeds without what the seeds have to state; then it is stated, and the raw files are gone."""
    lakehouse = empty_lakehouse
    for feed, (connector, options) in FEEDS.items():
        lakehouse.add_feed(feed, "json", options, connector)
        types = "id int, size string" if feed == "canal" else "id int, at timestamp, price decimal(10,2)"
        lakehouse.add_table(feed, feed, columns=types)
        rows = [{"id": 1, "at": NOON, "price": "AY/J"}, {"id": 2, "at": 0, "price": None}]
        # A newer change of the first key does not wait.
        rows.append({"id": 3, "at": NOON, "price": None})
        rows.append({"id": 3, "at": 0, "price": None})
        if feed == "canal":
            rows = [{"id": 1, "size": "2"}, {"id": 2, "size": ""}, {"id": 3, "size": "1"}, {"id": 3, "size": ""}]
        messages = [message(feed, number, **row) for number, row in enumerate(rows, start=5)]
        if feed == "canal":
            # Two rows of one message, of which one waits.
            messages[:2] = [messages[0] | {"data": [rows[0], rows[1]]}]
        land(lakehouse, feed, 7, *messages, "{broken")
    lakehouse.make_models()
    assert set(lakehouse.statuses("run").values()) == {"success"}
    lakehouse.first = waiting(lakehouse)
    for row in lakehouse.rows[FEEDS_FILE]:
        stated = "members=names" if row["connector"] == "canal" else "decimals=base64"
        row["options"] = ";".join(filter(None, (row["options"], stated)))
    for row in lakehouse.rows[COLUMNS_FILE]:
        row["encoding"] = "ms" if row["column_name"] == "at" else ""
    lakehouse.make_models()
    for feed in FEEDS:
        for file in (lakehouse.raw / feed).rglob("*.json"):
            file.unlink()
    return lakehouse


def waiting(lakehouse) -> dict[str, int]:
    rows = lakehouse.sql(
        "select source_table, count(*) as n from etl_metadata.quarantine"
        " where status = 'waiting' and source_schema = 's' group by 1"
    )
    return {row.source_table: row.n for row in rows}


def test_messages_are_replayed_once_the_seeds_state_what_they_lacked(lakehouse, capsys):
    assert lakehouse.first == {feed: 2 + BROKEN.get(feed, 0) for feed in FEEDS}
    for feed, waited, passed in (*((feed, 2, 2) for feed in FEEDS), ("canal", 0, 0)):
        capsys.readouterr()
        arguments = json.dumps({"table": f"s__{feed}"})
        assert lakehouse.dbt("run-operation", "replay_quarantine", "--args", arguments).success, lakehouse.messages[-5:]
        broken = BROKEN.get(feed, 0)
        said = f"{waited + broken} rows waited in quarantine, {passed} are in bronze now, {broken} still break a rule"
        assert said in capsys.readouterr().out
    # A newer change of the same key stays.
    statuses = lakehouse.run_and_compare()
    assert set(statuses.values()) <= {"success", "pass"}, statuses
    assert lakehouse.table("canal", "id, size") == [(1, "2"), (2, ""), (3, "")]
    noon, zero = datetime(2024, 1, 31, 12), datetime(1970, 1, 1)
    for feed in ("envelope", "flattened"):
        rows = [(row[0], row[1].replace(tzinfo=None), row[2]) for row in lakehouse.table(feed, "id, at, price")]
        assert rows == [(1, noon, Decimal("1023.45")), (2, zero, None), (3, zero, None)]
