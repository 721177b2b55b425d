"""Random histories as messages: silver is what the oracle makes of them, from topics and from the files of a sink.

The lives of keys are those of tests/e2e/histories.py, with their cuts, late parts and bad rows; their reloads and
file versions are of files alone. `make prove` draws more kinds of tables and N keys from SEED.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE
from tests.e2e.histories import BATCHES, SHAPES, SPARK_TYPES, START, UNLISTED, File, Shape, Statement, draw_files
from tests.oracle import LOAD, UNAVAILABLE, Delivery, Row, expected_silver
from tests.proof import IS_PROOF

KEYS = int(os.environ.get("N") or 2000) // 10 if IS_PROOF else 40
# The batches that a build follows: each of them, or two for two.
BUILDS = tuple(range(1, BATCHES + 1)) if IS_PROOF else (BATCHES // 2, BATCHES)
SEED = int(os.environ.get("SEED") or 1)
PARTITIONS = 2
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
OPERATIONS = {"L": "r", "I": "c", "U": "u", "D": "d"}
MAXWELL = {"L": "bootstrap-insert", "I": "insert", "U": "update", "D": "delete"}
# With positions of the source the order of arrival means nothing, without them it is all there is.
DEBEZIUM = ("debezium", "decimals=text", "binlog_names=mysql-bin")
ONLY_OFFSETS = ("maxwell",)
# Oracle's positions: so many changes, one behind another in the topic, share SCN, commit SCN and SSN.
TIES = ("debezium", "decimals=text")
TIED = 50
FEW = (
    *(("history_parquet", DEBEZIUM), ("soft_parquet", DEBEZIUM), ("append_parquet", ONLY_OFFSETS)),
    ("hard_parquet", TIES),
)
MANY = (
    *((name, DEBEZIUM) for name in ("hard_parquet", "soft_parquet", "hard_csv", "soft_csv", "history_parquet")),
    *((name, DEBEZIUM) for name in ("history_csv", "append_parquet")),
    *((name, ONLY_OFFSETS) for name in ("hard_parquet", "history_parquet", "append_parquet", "soft_transactions")),
    *((name, TIES) for name in ("hard_parquet", "soft_csv", "history_parquet")),
)


@dataclass(frozen=True)
class Event:
    """A row of the source's log: its number there, the batch that it comes in, and the operation, `L` in a load."""

    number: int
    batch: int
    operation: str | None
    statement: Statement

    @property
    def row(self) -> Row:
        return self.statement.row


class Table:
    """One table: its log, the messages of it, and the feeds that bring them."""

    def __init__(self, shape: Shape, settings: Sequence[str]) -> None:
        self.shape, self.connector, self.options = shape, settings[0], list(settings[1:])
        self.has_ties = settings == TIES
        self.name = f"{shape.name}_{'oracle' if self.has_ties else self.connector}"
        self.topic = f"history.{SEED}.s.{self.name}"
        self.has_positions = settings == DEBEZIUM
        self.random = Random(f"{SEED} {self.name}")
        self.log = list(_log(draw_files(self.random, shape, KEYS, reloads=False)))
        if not self.has_positions:
            self.log.sort(key=lambda event: event.batch)
            self.log = [replace(event, number=number) for number, event in enumerate(self.log)]
        self.sent: list[Event] = []
        self.offsets = Counter[int]()

    def deliveries(self, batch: int) -> list[Delivery]:
        """Input of the oracle: one load and one file of changes, in the order of the log."""
        came = [event for event in self.log if event.batch <= batch]
        loads, changes = ([e.row for e in came if (e.operation == "L") == is_load] for is_load in (True, False))
        return [
            Delivery("LOAD00000001.json", START - timedelta(hours=1), loads),
            Delivery("20240131-235000000.json", START, changes),
        ]

    def messages(self, batch: int) -> list[tuple[int, str | None]]:
        """The messages of a batch, each with its partition."""
        random = self.random
        events = [event for event in self.log if event.batch == batch]
        if self.has_positions:
            random.shuffle(events)
            # A producer or a connector that starts again sends some once more. If each change is a row or a version
            # of its own, so is one that comes twice.
            rules = self.shape.rules
            keeps_each = rules.mode == "append" or (rules.mode == "history" and rules.unchanged_rows == "write")
            again = [] if keeps_each else random.sample(self.sent, len(self.sent) // 10)
            self.sent += events
            events += again
        sent: list[tuple[int, str | None]] = []
        for event in events:
            # Without a position, all of a history have to be in one partition.
            at = random.randrange(PARTITIONS) if self.has_positions else event.statement.history % PARTITIONS
            is_debezium = self.connector == "debezium"
            sent.append((at, json.dumps(self._debezium(event) if is_debezium else self._maxwell(event))))
            if event.operation == "D" and is_debezium:
                sent.append((at, None))
        # A change of a table without metadata, whose name is longer than that of a folder may be.
        of_another = [text.replace(f'"{self.name}"', f'"{UNLISTED}"') for _, text in sent[:1] if text]
        sent += [(0, text) for text in of_another]
        sent.insert(random.randint(0, len(sent)), (0, random.choice(("{broken", "", "null", "[]", "17"))))
        return sent

    def _debezium(self, event: Event) -> dict[str, Any]:
        row, key = event.row, self.shape.rules.key
        image = {name: _write_value(value) for name, value in (row.image or {}).items()}
        micros = (row.committed_at - EPOCH) // timedelta(microseconds=1)
        before = image | {name: row.old_key[name] for name in key} if row.old_key else None
        return {
            "before": image if event.operation == "D" else before,
            "after": None if event.operation == "D" else image,
            "op": OPERATIONS.get(event.operation, event.operation),
            "source": {
                **{"db": "s", "table": self.name, "ts_ms": micros // 1000, "ts_us": micros},
                **{"snapshot": "true" if event.operation == "L" else "false", "server_id": 1},
                **self._position(event),
            },
        }

    def _position(self, event: Event) -> dict[str, Any]:
        if self.has_ties and event.operation == "L":
            # All rows of a snapshot are read at one SCN, before that of any change.
            return {"connector": "oracle", "schema": "s", "scn": "999"}
        if self.has_ties:
            scn = str(1000 + event.number // TIED)
            return {"connector": "oracle", "schema": "s", "scn": scn, "commit_scn": scn, "ssn": 0}
        return {"connector": "mysql", "file": "mysql-bin.000009", "pos": event.number, "row": 0}

    def _maxwell(self, event: Event) -> dict[str, Any]:
        row = event.row
        message = {
            **{"database": "s", "table": self.name, "type": MAXWELL.get(event.operation, event.operation)},
            **{"ts": int(row.committed_at.timestamp()), "data": {k: _as_text(v) for k, v in (row.image or {}).items()}},
        }
        return message | ({"old": dict(row.old_key)} if row.old_key and event.operation == "U" else {})


def _log(files: Sequence[File]) -> Iterator[Event]:
    """The rows of the newest readable version of each file, in the order of the source."""
    newest = {file.path: file for file in sorted(files, key=lambda f: (f.modified_at, f.batch)) if not file.is_broken}
    ordered = sorted(newest.values(), key=lambda file: (not file.is_load, file.modified_at, file.path))
    number = 0
    for file in ordered:
        is_load = bool(LOAD.match(file.path))
        for statement in file.statements:
            row = statement.row
            if row.image is None:  # a flaw of CSV
                continue
            number += 1
            at = (row.committed_at or file.modified_at).replace(microsecond=0)
            moved = Statement(statement.history, Row(row.operation, row.image, at, row.old_key))
            yield Event(number, file.batch, "L" if is_load else row.operation, moved)


def _write_value(value: Any) -> Any:
    if value is UNAVAILABLE:
        return "__debezium_unavailable_value"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return (value - EPOCH.date()).days if isinstance(value, date) else _as_text(value)


def _as_text(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S.%f")
    return str(value) if isinstance(value, (date, Decimal)) else value


class Two:
    """The two ways into the lakehouse, each with a feed of its own for each table."""

    def __init__(self, lakehouse: Any, broker: Any, tables: Sequence[Table]) -> None:
        self.lakehouse, self.broker, self.tables = lakehouse, broker, tables
        lakehouse.clear()
        for table in tables:
            broker.create(table.topic, PARTITIONS)
            locations = {"topic": f"kafka://{broker.address}", "file": f"file_{table.name}"}
            for way, location in locations.items():
                absent = [option for option in table.shape.feed_options if option.startswith("absent_columns")]
                options = [*table.options, *absent, *([f"topics={table.topic}"] if way == "topic" else [])]
                feed = {"feed": f"{way}_{table.name}", "connector": table.connector, "format": "json"}
                lakehouse.rows[FEEDS_FILE].append({**feed, "location": location, "options": ";".join(options)})
                types = ", ".join(f"{column} {SPARK_TYPES[column]}" for column in table.shape.columns)
                lakehouse.add_table(
                    feed["feed"], table.name, ";".join(table.shape.rules.key), types,
                    target_table=f"{way}__{table.name}", **table.shape.table,
                )  # fmt: skip
        for row in lakehouse.rows[COLUMNS_FILE]:
            # Oracle's DATE has a time: the seed has to state what a number in a column of dates is.
            row["encoding"] = "days" if row["column_name"] == "day" and row["source_table"].endswith("_oracle") else ""
        lakehouse.make_models()
        self.models = [f"{way}__{table.name}" for table in tables for way in ("topic", "file")]

    def land(self, batch: int) -> None:
        """Sends the messages of a batch, and writes them as a sink does, which leaves tombstones out."""
        for table in self.tables:
            lines: dict[int, list[str]] = {number: [] for number in range(PARTITIONS)}
            messages = table.messages(batch)
            self.broker.send_all(table.topic, messages)
            for partition, text in messages:
                lines[partition] += [] if text is None else [text]
            for partition, texts in lines.items():
                folder = self.lakehouse.raw / f"file_{table.name}/topics/{table.topic}/partition={partition}"
                folder.mkdir(parents=True, exist_ok=True)
                name = f"{table.topic}+{partition}+{table.offsets[partition]:010d}.json"
                (folder / name).write_text("".join(f"{text}\n" for text in texts))
                table.offsets[partition] += len(texts)

    def silver(self, way: str, table: Table) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """The rows with their keys: in mode history also the number of the version, in mode append nothing else."""
        rules, versions, rows = table.shape.rules, Counter[Any](), []
        for row in self.lakehouse.sql(f"select * from silver.{way}__{table.name} order by _cdc_sequence"):
            values = {name: _aware(value) for name, value in row.asDict().items()}
            key = rules.key_of(values)
            if rules.mode == "history":
                versions[key] += 1
                key = (*key, versions[key] - 1)
            rows.append((key, values))
        return rows


def _aware(value: Any) -> Any:
    return value.astimezone(timezone.utc) if isinstance(value, datetime) else value


def _differences(table: Table, batch: int, actual: list[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[str]:
    expected = expected_silver(table.deliveries(batch), table.shape.rules)
    names = list(next(iter(expected.values()))) if expected else []
    rows = [(key, [row.get(name) for name in names]) for key, row in actual]
    wanted = [(() if table.shape.rules.mode == "append" else key, list(row.values())) for key, row in expected.items()]
    missing, extra = list(wanted), []
    for row in rows:
        if row in missing:
            missing.remove(row)
        else:
            extra.append(row)
    return [f"{word} {key} {dict(zip(names, row, strict=True))}" for word, group in
            (("expected", missing), ("silver has", extra)) for key, row in group]  # fmt: skip


@pytest.fixture
def tables() -> list[Table]:
    shapes = {shape.name: shape for shape in SHAPES}
    return [Table(shapes[name], settings) for name, settings in (MANY if IS_PROOF else FEW)]


def test_silver_is_the_same_from_topics_from_files_and_by_the_oracle(shared_lakehouse, broker, tables):
    ways = Two(shared_lakehouse, broker, tables)
    selected = [f"+silver_{name}" for name in ways.models]
    for batch in range(1, BATCHES + 1):
        ways.land(batch)
        if batch not in BUILDS:
            continue
        if batch == BATCHES:
            broker.stop()
            broker.start()
        statuses = shared_lakehouse.statuses("run", "--quiet", "--select", *selected)
        assert set(statuses.values()) == {"success"}, "\n".join(shared_lakehouse.messages[-40:])
        for table in tables:
            for way in ("topic", "file"):
                wrong = _differences(table, batch, ways.silver(way, table))
                shown = "\n".join(wrong[:3] + wrong[-3:])
                assert not wrong, f"{way} {table.name}, batch {batch}, SEED={SEED}:\n{shown}"
    compared = [f"silver_{name},test_name:silver_matches_bronze" for name in ways.models]
    assert set(shared_lakehouse.statuses("test", "--quiet", "--select", *compared).values()) <= {"pass", "success"}
    operations = Counter(event.operation for table in tables for event in table.log)
    assert all(operations[name] for name in "LIUD"), operations
    assert any(event.row.old_key for table in tables for event in table.log)
