"""The harness itself: what Debezium wrote to files, folded in a few lines, is what the databases have."""

from __future__ import annotations

import base64
import datetime as dt
import json
import uuid
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import capture
import pytest
import sqlalchemy
from processes import ServerError
from workload import Workload

from python_udfs.discover.reflect import read_database

EPOCH = dt.datetime(1970, 1, 1)
UNAVAILABLE = "__debezium_unavailable_value"
# The cell `encoding` of a column whose schema has this name.
UNITS = {"Timestamp": "ms", "MicroTimestamp": "us", "NanoTimestamp": "ns", "Date": "days"}


@pytest.fixture(scope="module")
def running_capture(request):
    # Fetching the jars takes a while: its one line is for the terminal.
    capture_manager = request.config.pluginmanager.getplugin("capturemanager")
    with capture_manager.global_and_fixture_disabled():
        capture.class_path()
    with capture.started() as running:
        yield running


@pytest.fixture(params=["mariadb", "postgres"])
def database(request):
    return request.param, request.getfixturevalue(request.param)


def messages(landing: Path, topic: str) -> list[dict[str, Any]]:
    files = sorted((landing / "topics" / topic).rglob("*.json"))
    return [json.loads(line) for file in files for line in file.read_text().split("\n")[:-1]]


def position(payload: dict[str, Any]) -> tuple[Any, ...]:
    """Where a change is in its table's order: the snapshot first, then the log; a changed key goes before it comes."""
    source, op = payload["source"], payload["op"]
    if "lsn" in source:
        return op != "r", source["lsn"], op != "d"
    return op != "r", int(source["file"].rpartition(".")[2]), source["pos"], source["row"], op != "d"


def value(field: dict[str, Any], shown: Any) -> Any:
    """Value of a column, decoded by its schema (docs/feeds/debezium_format.md, Types)."""
    if shown is None or shown == UNAVAILABLE:
        return shown
    name = field.get("name", "").rpartition(".")[2]
    if field["type"] == "bytes":
        content = base64.b64decode(shown)
        if content == UNAVAILABLE.encode():
            return UNAVAILABLE
        if name == "Decimal":
            return decimal(content, int(field["parameters"]["scale"]))
        return int.from_bytes(content, "little") if name == "Bits" else content
    if name == "VariableScaleDecimal":
        return decimal(base64.b64decode(shown["value"]), shown["scale"])
    if name == "ZonedTimestamp":
        return dt.datetime.strptime(shown, f"%Y-%m-%dT%H:%M:%S{'.%f' if '.' in shown else ''}Z")
    if name == "Uuid":
        return uuid.UUID(shown)
    if name == "Date":
        return (EPOCH + dt.timedelta(days=shown)).date()
    if name == "MicroTime":
        return (EPOCH + dt.timedelta(microseconds=shown)).time()
    if name in ("Timestamp", "MicroTimestamp"):
        return EPOCH + dt.timedelta(microseconds=shown * (1000 if name == "Timestamp" else 1))
    return shown


def decimal(content: bytes, scale: int) -> Decimal:
    return Decimal(int.from_bytes(content, "big", signed=True)).scaleb(-scale, Context(prec=60))


def folded(messages: list[dict[str, Any]], key: tuple[str, ...]) -> list[dict[str, Any]]:
    """The rows after all changes, in the order of the key."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    gone: dict[str, Any] = {}
    for message in sorted(messages, key=lambda message: position(message["payload"])):
        payload, fields = message["payload"], {field["field"]: field for field in message["schema"]["fields"]}
        if payload["op"] == "t":
            rows.clear()
            continue
        types = {field["field"]: field for field in fields["after"]["fields"]}
        before, after = (
            {name: value(types[name], shown) for name, shown in (payload[image] or {}).items()}
            for image in ("before", "after")
        )
        if before:
            # Where Debezium does not know the key, a changed one is an update.
            gone = rows.pop(tuple(before[name] for name in key))
        if after:
            # Columns that are not in the change stay; a row that got another key was deleted just before.
            identity = tuple(after[name] for name in key)
            earlier = rows.get(identity) or gone
            rows[identity] = {name: earlier[name] if v == UNAVAILABLE else v for name, v in after.items()}
    return [row for _, row in sorted(rows.items())]


def differences(captured: list[dict[str, Any]], source: list[dict[str, Any]], key: tuple[str, ...]) -> list[str]:
    """Where two lists of rows differ, in words."""
    sides = [{tuple(row[name] for name in key): row for row in rows} for rows in (captured, source)]
    texts = [f"{identity}: only captured" for identity in sides[0].keys() - sides[1].keys()]
    texts += [f"{identity}: not captured" for identity in sides[1].keys() - sides[0].keys()]
    for identity in sides[0].keys() & sides[1].keys():
        first, other = (side[identity] for side in sides)
        for name in first.keys() | other.keys():
            # A row that was not changed since its table got a column does not have it.
            seen, expected = first.get(name), other.get(name)
            if isinstance(expected, dt.datetime) and expected.tzinfo:
                expected = expected.astimezone(dt.timezone.utc).replace(tzinfo=None)
            if seen != expected:
                texts.append(f"{identity}: {name} is {seen!r}, in the source {expected!r}")
    return texts


def test_files_hold_what_the_source_has(database, running_capture, tmp_path):
    kind, url = database
    workload = Workload(url)
    workload.insert(5)
    with running_capture.connector(url, kind, workload.schemas, "schema") as connector:
        for _ in range(2):
            workload.run(150)
            connector.catch_up(tmp_path)
            for name, key in workload.keys.items():
                rows = folded(messages(tmp_path, f"{kind}.{name}"), key)
                assert differences(rows, workload.rows(name), key) == [], name


def test_discovery_proposes_the_units_that_the_connector_sends(database, running_capture, tmp_path):
    kind, url = database
    workload = Workload(url)
    workload.insert(1)
    prefix = f"units_{kind}"
    with running_capture.connector(url, prefix, ["test_db"], "schema") as connector:
        connector.catch_up(tmp_path)
    message, *_ = messages(tmp_path, f"{prefix}.test_db.awkward")
    (after,) = (field for field in message["schema"]["fields"] if field["field"] == "after")
    sent = {field["field"]: UNITS.get(field.get("name", "").rpartition(".")[2], "") for field in after["fields"]}
    (table,) = read_database(url, ["test_db"], ["awkward"], is_dms=False).tables
    assert {column.name: column.encoding for column in table.columns} == sent
    assert {"ms", "us", "days"} <= set(sent.values())


def test_a_file_is_named_after_its_first_line_and_written_once(postgres, running_capture, tmp_path):
    workload = Workload(postgres)
    workload.insert(9)
    topic = "layout.test_db.user"
    with running_capture.connector(postgres, "layout", ["test_db"]) as connector:
        first = connector.catch_up(tmp_path, lines_per_file=4)
        contents = [file.read_bytes() for file in first]
        with workload.engine.begin() as connection:
            connection.exec_driver_sql('delete from test_db."user"')
        second = connector.catch_up(tmp_path, lines_per_file=4)
    assert contents == [file.read_bytes() for file in first]
    assert not set(first) & set(second)
    for partition in (0, 1):
        folder = tmp_path / "topics" / topic / f"partition={partition}"
        lines = {file.name: file.read_text().count("\n") for file in sorted(folder.iterdir())}
        snapshot = sum(file.read_text().count('"op":"r"') for file in folder.iterdir())
        # Behind each deleted row is a tombstone, which takes an offset and no line.
        offsets = [*range(snapshot), *range(snapshot, 3 * snapshot, 2)]
        starts = [*range(0, snapshot, 4), *range(snapshot, 2 * snapshot, 4)]
        assert list(lines) == [f"{topic}+{partition}+{offsets[start]:010}.json" for start in starts]
        assert max(lines.values()) <= 4
        assert sum(lines.values()) == 2 * snapshot


def test_what_is_not_a_row_has_topics_of_its_own(database, running_capture, tmp_path):
    kind, url = database
    workload = Workload(url)
    prefix = f"others_{kind}"
    with running_capture.connector(url, prefix, ["test_db"]) as connector:
        workload.insert(1)
        connector.catch_up(tmp_path)
    own = {"mariadb": prefix, "postgres": f"{prefix}.message"}[kind]
    topics = {folder.name for folder in (tmp_path / "topics").iterdir()}
    assert {f"__debezium-heartbeat.{prefix}", f"{prefix}.transaction", own} <= topics


def test_a_connector_that_connect_refuses_reports_why(postgres, running_capture):
    refused = running_capture.connector(postgres, "refused", ["test_db"], connector_class="none")
    with pytest.raises(ServerError, match=r"^Connect refuses POST /connectors: .*none"), refused:
        pass


def test_a_connector_that_fails_reports_why(postgres, running_capture):
    failing = running_capture.connector(postgres, "failing", ["test_db"], publication_autocreate_mode="disabled")
    with pytest.raises(ServerError, match=r"^connector failing failed: .*[Pp]ublication"), failing:
        pass


def test_a_prefix_is_used_once_and_leaves_no_slot(postgres, running_capture):
    slots = sqlalchemy.text("select slot_name from pg_replication_slots")
    engine = sqlalchemy.create_engine(postgres, poolclass=sqlalchemy.NullPool)
    with running_capture.connector(postgres, "once", ["test_db"]), engine.connect() as connection:
        assert connection.scalars(slots).all() == ["once"]
    with engine.connect() as connection:
        assert connection.scalars(slots).all() == []
    with pytest.raises(ServerError, match="prefix once before"), running_capture.connector(postgres, "once", ["x"]):
        pass


def test_jars_that_cannot_be_fetched_are_one_line(monkeypatch, tmp_path):
    before = capture.JARS.read_text().partition("<dependency ")[0]
    jars = tmp_path / "jars.xml"
    unknown = '<dependency org="org.apache.kafka" name="kafka_2.13" rev="0.0.0"/>'
    jars.write_text(f"{before}{unknown}</dependencies></ivy-module>")
    monkeypatch.setattr(capture, "JARS", jars)
    monkeypatch.setattr(capture, "CACHE", tmp_path)
    message = r"^the jars of jars\.xml cannot be fetched: org\.apache\.kafka#kafka_2\.13;0\.0\.0: not found$"
    with pytest.raises(ServerError, match=message):
        capture.class_path()
