"""tests/e2e/CASES.md, the cases that concern messages, one test each, from files of the sink to silver.

Cases of one connector that do not disturb each other share a table, with keys of their own: those of case 12 begin with
12. All feeds are built together, twice: the second build brings what a case says comes later.
"""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from python_udfs.metadata import COLUMNS_FILE

SENTINEL = "__debezium_unavailable_value"
SENTINEL_BYTES = "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="
NOON = 1706702400  # 2024-01-31 12:00:00
COMMIT = 447500000000000000
COLUMNS = "id int, v string, w string"
TYPED = (
    "id int, amount decimal(12,4), large decimal(38,0), milli timestamp_ntz, micro timestamp_ntz, day date,"
    " flag boolean"
)
# The key is `id`, bytes; `n` is a number of the case.
BYTES = "n int, id binary, v string"
OLD, NEW = b"\x00\x01\xff", b"\xff\x00\xfe"
# Feed: connector and options; its tables and their columns.
FEEDS = {
    "dbz": ("debezium", "decimals=base64;binary=base64"),
    "dbz_unstated": ("debezium", ""),
    "dbz_named": ("debezium", "binlog_names=mysql-bin|binlog"),
    "dbz_flat": ("debezium", "form=flattened"),
    "kafka_null": ("dms_kafka", ""),
    "kafka_keep": ("dms_kafka", "absent_columns=keep"),
    "canal": ("canal", ""),
    "maxwell": ("maxwell", ""),
}
TABLES = {
    "mysql": ("dbz", COLUMNS),
    "mysql_truncate": ("dbz", COLUMNS),
    "postgres": ("dbz", f"{COLUMNS}, raw binary"),
    "oracle": ("dbz", COLUMNS),
    "typed": ("dbz", TYPED),
    "unstated": ("dbz_unstated", "id bigint, amount decimal(12,4), big bigint, micro timestamp_ntz"),
    "failover": ("dbz_named", COLUMNS),
    "flat": ("dbz_flat", COLUMNS),
    "kafka_null": ("kafka_null", "id bigint, v string, w string"),
    "kafka_keep": ("kafka_keep", COLUMNS),
    "kafka_bytes": ("kafka_null", BYTES),
    "canal": ("canal", COLUMNS),
    "canal_truncate": ("canal", COLUMNS),
    "canal_bytes": ("canal", BYTES),
    "ticdc": ("canal", COLUMNS),
    "maxwell": ("maxwell", COLUMNS),
    "maxwell_bytes": ("maxwell", BYTES),
}
# Tables without a column `v`.
WITHOUT_V = ("typed", "unstated")


class Sink:
    """Writes messages as the Kafka sink does, one object per call and topic."""

    def __init__(self, root) -> None:
        self.root = root
        self.offsets: dict[str, int] = defaultdict(int)

    def land(self, table: str, *messages: Any, at: int | None = None, indent: str | None = None) -> None:
        """One object with the messages of a table; `at`: its first offset, which other objects may hold as well."""
        first = self.offsets[table] if at is None else at
        folder = f"partition={0 if at is None else 'again'}"
        path = self.root / TABLES[table][0] / "topics" / f"src.s.{table}" / folder
        path.mkdir(parents=True, exist_ok=True)
        lines = [message if isinstance(message, str) else json.dumps(message, indent=indent) for message in messages]
        (path / f"src.s.{table}+0+{first:010d}.json").write_text("".join(f"{line}\n" for line in lines))
        self.offsets[table] = max(self.offsets[table], first + len(messages))


def row(number: int, *values: str | None) -> dict[str, Any]:
    return dict(zip(("id", "v", "w"), (number, *values), strict=False))


def mysql(
    op, before=None, after=None, *, pos=4, number=0, file="mysql-bin.000001", snapshot="false", ts=1, table="mysql"
):
    source = {"connector": "mysql", "ts_ms": ts, "snapshot": snapshot, "db": "s", "table": table}
    source |= {"server_id": 1, "file": file, "pos": pos, "row": number}
    return {"before": before, "after": after, "source": source, "op": op, "ts_ms": 9}


def postgres(op, before=None, after=None, *, lsn=None, commit=None, snapshot="false"):
    source = {
        "connector": "postgresql",
        "ts_ms": 1,
        "snapshot": snapshot,
        "db": "d",
        "schema": "s",
        "table": "postgres",
    }
    source |= {"lsn": lsn, "sequence": commit and json.dumps([commit, str(lsn)])}
    return {"before": before, "after": after, "source": source, "op": op}


def oracle(op, after, **source):
    source = {"connector": "oracle", "ts_ms": 1, "db": "ORCL", "schema": "s", "table": "oracle", **source}
    return {"before": None, "after": after, "source": source, "op": op}


def typed(number: int, **values: tuple[Any, dict[str, Any]]) -> dict[str, Any]:
    """A new row with the schema of its values, each given as value and schema."""
    fields = [{"field": "id", "type": "int32"}, *({"field": name, **schema} for name, (_, schema) in values.items())]
    message = mysql("c", None, {"id": number, **{name: value for name, (value, _) in values.items()}}, table="typed")
    schema = {"type": "struct", "fields": [{"field": "after", "type": "struct", "fields": fields}], "name": "x"}
    return {"schema": schema, "payload": message}


def schema(name: str, kind: str, **parameters: str) -> dict[str, Any]:
    return {"type": kind, "name": name, "optional": True, "parameters": parameters}


def flat(number: int, v: str | None, op: str, deleted: Any = "false") -> dict[str, Any]:
    return {"id": number, "v": v, "w": None, "__op": op, "__deleted": deleted, "__table": "flat", "__db": "s"}


def kafka(table: str, operation: str, before: dict[str, Any] | None = None, **data: Any) -> dict[str, Any]:
    metadata = {"timestamp": "2024-01-31T12:00:00.000000Z", "record-type": "data", "operation": operation}
    metadata |= {"partition-key-type": "schema-table", "schema-name": "s", "table-name": table}
    return {"data": data, "metadata": metadata} | ({"before-image": before} if before else {})


def canal(
    type_: str, data=None, old=None, *, table="canal", commit: int | None = None, **fields: Any
) -> dict[str, Any]:
    message = {"id": 5, "database": "s", "table": table, "pkNames": ["id"], "isDdl": False, "type": type_, "sql": ""}
    message |= {"es": NOON * 1000, "ts": NOON * 1000 + 500, "data": data, "old": old, "sqlType": {}, "mysqlType": {}}
    return message | ({} if commit is None else {"_tidb": {"commitTs": commit}}) | fields


def ticdc(type_: str, number: int, v: str, commit: int) -> dict[str, Any]:
    return canal(type_, [{"id": str(number), "v": v}], table="ticdc", commit=COMMIT + commit)


def maxwell(type_: str, number: int, v: str, ts: int = 0, **fields: Any) -> dict[str, Any]:
    data = {"id": number, "v": v, "w": None}
    return {"database": "s", "table": "maxwell", "type": type_, "ts": NOON + ts, "data": data, **fields}


def land_bytes(sink: Sink, v: str, old: bytes, new: bytes) -> None:
    """An update in tables whose key is bytes: DMS sends the key before it, Maxwell and Canal what has changed."""
    sink.land(
        "kafka_bytes",
        kafka("kafka_bytes", "update", {"id": f"0x{old.hex()}"}, n=491, id=f"0x{new.hex()}", v=v),
    )
    was = {"v": "was"} if old == new else {"id": base64.b64encode(old).decode()}
    is_ = {"n": 491, "id": base64.b64encode(new).decode(), "v": v}
    sink.land("maxwell_bytes", maxwell("update", 491, v, table="maxwell_bytes", data=is_, old=was))
    was = {"v": "was"} if old == new else {"id": old.decode("latin-1")}
    is_ = {"n": "491", "id": new.decode("latin-1"), "v": v}
    sink.land("canal_bytes", canal("UPDATE", [is_], [was], table="canal_bytes", sqlType={"id": -2}))


def land_first(sink: Sink) -> None:
    """Messages of the first build."""
    sink.land(
        "mysql",
        # 12: one statement adds 1 to each key; all rows of the event have its position.
        *(mysql("r", None, row(number, v), snapshot="true") for number, v in ((121, "a"), (122, "b"))),
        mysql("d", row(121, "a"), pos=9, number=1),
        mysql("c", None, row(122, "a"), pos=9, number=1),
        mysql("d", row(122, "b"), pos=9, number=0),
        mysql("c", None, row(123, "b"), pos=9, number=0),
        # 13: 1 to 3, 2 to 1, 3 to 2.
        *(mysql("r", None, row(number, v), snapshot="true") for number, v in ((131, "a"), (132, "b"))),
        *(mysql(op, row(131, "a"), row(133, "a"), pos=10) for op in "dc"),
        *(mysql(op, row(132, "b"), row(131, "b"), pos=20) for op in "dc"),
        *(mysql(op, row(133, "a"), row(132, "a"), pos=30) for op in "dc"),
        mysql("u", row(211, "old"), row(211, "new"), pos=40, ts=1),
        # The rows of a snapshot have the position at which it began; a greater one would be that of a second snapshot.
        mysql("r", None, row(211, "old"), ts=2, snapshot="last"),
        mysql("u", row(221), row(221, "b"), file="mysql-bin.1000000", pos=4),
        mysql("u", row(221), row(221, "a"), file="mysql-bin.999999", pos=10),
        mysql("u", row(231), row(231, "b"), pos=10),
        mysql("u", row(231), row(231, "a"), pos=9),
        mysql("c", None, row(271, "stale"), pos=50),
        mysql("c", None, row(621, "moves"), pos=51),
        mysql("r", None, row(631, "old"), snapshot="true"),
        mysql("u", row(631, "old"), row(631, "new"), pos=52, snapshot=None),
    )
    sink.land(
        "mysql_truncate",
        *(
            mysql("c", None, row(number, "x"), pos=pos, table="mysql_truncate")
            for number, pos in ((261, 90), (262, 110))
        ),
    )
    sink.land(
        "postgres",
        postgres("c", None, row(141, "old"), lsn=1),
        postgres("d", row(141), None, lsn=2),
        "null",
        postgres("c", None, row(141, "new"), lsn=3),
        "",
        postgres("r", None, row(151, "a", "BIG"), lsn=1, snapshot="last"),
        postgres("c", None, row(161, "1", "BIG"), lsn=4),
        postgres("u", None, row(161, "2", SENTINEL), lsn=5),
        postgres("u", None, row(161, "3", SENTINEL), lsn=6),
        postgres("c", None, row(171, "a", "stored"), lsn=7),
        postgres("c", None, {**row(181, "a"), "raw": "/wA="}, lsn=8),
        postgres("c", None, row(191, "a"), lsn=300, commit="200"),
        postgres("c", None, row(192, "b"), lsn=700, commit="200"),
        postgres("c", None, row(611, "a", "BIG"), lsn=740, commit="720"),
        postgres("u", None, row(201, "b"), lsn=750, commit="720"),
        postgres("r", None, row(201, "b"), snapshot="incremental"),
    )
    sink.land(
        "oracle",
        oracle("u", row(251, "b"), scn="1000", commit_scn="2000"),
        oracle("u", row(251, "a"), scn="999", commit_scn="2000"),
    )
    exact, variable = "org.apache.kafka.connect.data.Decimal", "io.debezium.data.VariableScaleDecimal"
    day, micro = schema("io.debezium.time.Date", "int32"), schema("io.debezium.time.MicroTimestamp", "int64")
    sink.land(
        "typed",
        typed(311, amount=("AY/J", schema(exact, "bytes", scale="4"))),
        mysql("c", None, {"id": 312, "amount": "AY/J"}, table="typed"),
        typed(313, unlisted=("AY/J", schema(exact, "bytes"))),
        typed(321, large=({"scale": -2, "value": "AQ=="}, schema(variable, "struct"))),
        typed(
            331, milli=(1529476623000, schema("io.debezium.time.Timestamp", "int64")), micro=(1529507596945104, micro)
        ),
        mysql("c", None, {"id": 332, "milli": 1529476623000, "micro": 1529507596945104}, table="typed"),
        typed(341, day=(-1, day), micro=(9223372036825200000, micro)),
        typed(342, day=(None, day)),
        typed(641, flag=(1, {"type": "int16"})),
        typed(642, flag=(True, {"type": "boolean"})),
    )
    sink.land(
        "unstated",
        mysql("c", None, {"id": 314, "amount": "AY/J"}, table="unstated"),
        mysql("c", None, {"id": 315, "big": "AIA="}, table="unstated"),
        *(
            mysql("c", None, {"id": number, "micro": micros}, table="unstated")
            for number, micros in ((334, 5_875_200_000_000), (335, 578_829_600_000_000), (336, 1_706_702_400_000))
        ),
    )
    sink.land("failover", mysql("u", row(241), row(241, "old"), file="mysql-bin.000900", pos=99, table="failover"))
    sink.land(
        "flat",
        flat(281, "a", "c"),
        "null",
        *(flat(number, "a", "c") for number in (291, 292, 293)),
        flat(291, None, "d", "true"),
        flat(292, "b", "u", "false"),
        flat(293, "b", "u", False),
        # 30: the source has NULL in both, and the column a default; only the second is written without it.
        flat(301, "default", "c"),
        flat(302, None, "c"),
        *(flat(561, str(number), "u") for number in range(5)),
    )
    for table in ("kafka_null", "kafka_keep"):
        sink.land(table, kafka(table, "insert", id=451, v="a", w="x"))
    control = {"record-type": "control", "operation": "create-table", "schema-name": "s", "table-name": "kafka_null"}
    sink.land(
        "kafka_null",
        kafka("kafka_null", "insert", id=461, v="{"),
        {"metadata": control, "control": {"table-def": {"columns": {}}}},
        kafka("kafka_null", "insert", id=462, v="}\n{"),
        json.dumps(kafka("kafka_null", "insert", id=0, v="rounded")).replace("0,", "1.234567890123457E+17,", 1),
        *(kafka("kafka_null", "update", id=561, v=str(number)) for number in range(5)),
        indent="\t",
    )
    sink.land(
        "canal",
        canal("INSERT", [{"id": "481", "v": "x"}, {"id": "482", "v": "x"}, {"id": "491", "v": "moves"}]),
        canal("UPDATE", [{"id": "481", "v": "y"}, {"id": "482", "v": "z"}], [{"v": "x"}, {"v": "x"}]),
        canal("UPDATE", [{"id": "492", "v": "moves"}], [{"id": "491"}]),
        *(canal("UPDATE", [{"id": "561", "v": str(number)}]) for number in range(5)),
    )
    sink.land(
        "canal_truncate",
        canal("INSERT", [{"id": "501", "v": "a"}], table="canal_truncate"),
        canal("TRUNCATE", table="canal_truncate", isDdl=True, sql="truncate"),
        canal("INSERT", [{"id": "502", "v": "b"}], table="canal_truncate"),
        canal("QUERY", table="canal_truncate", isDdl=True, sql="create user x"),
    )
    sink.land(
        "ticdc",
        *(ticdc("INSERT", number, "before", 0) for number in (511, 512, 521)),
        ticdc("INSERT", 511, "after", 1),
        ticdc("DELETE", 511, "before", 1),
        ticdc("DELETE", 512, "before", 1),
        ticdc("INSERT", 512, "after", 1),
        ticdc("UPDATE", 521, "newest", 2),
    )
    in_one = {"xid": 8, "position": "mysql-bin.000001:10"}
    sink.land(
        "maxwell",
        maxwell("update", 531, "last", **in_one, commit=True),
        maxwell("update", 531, "first", **in_one, xoffset=0),
        maxwell("insert", 541, "a", position="mysql-bin.000001:20", commit=True),
        {"database": "s", "table": "maxwell", "type": "table-alter", "ts": NOON * 1000, "sql": "alter", "def": {}},
        {"database": "s", "table": "maxwell", "type": "bootstrap-start", "ts": NOON, "data": {}},
        maxwell("bootstrap-insert", 551, "c", 5),
        maxwell("update", 551, "b", 3, xid=1, commit=True, position="mysql-bin.000001:100"),
    )
    land_bytes(sink, "same", OLD, OLD)


def land_second(sink: Sink) -> None:
    """Later messages."""
    # 62: Debezium knows no key of the table, so a changed one is an update.
    moved = mysql("u", row(621, "moves"), row(629, "moved"), pos=61)
    sink.land("mysql", mysql("c", None, row(275, "new"), pos=60), moved)
    sink.land("mysql_truncate", mysql("t", pos=100, table="mysql_truncate"))
    sink.land(
        "postgres",
        postgres("u", None, row(151, "b", SENTINEL), lsn=20),
        postgres("u", None, row(171, "b", SENTINEL), lsn=21),
        postgres("u", None, {**row(181, "b"), "raw": SENTINEL_BYTES}, lsn=22),
        postgres("c", None, row(193, "c"), lsn=400, commit="710"),
        postgres("u", None, row(201, "c"), lsn=760, commit="755"),
        # 61: the key became another one; PostgreSQL sends no long value that did not change.
        postgres("d", row(611), None, lsn=770, commit="760"),
        postgres("c", None, row(612, "a", SENTINEL), lsn=770, commit="760"),
    )
    sink.land("failover", mysql("u", row(241), row(241, "new"), file="binlog.000002", pos=4, table="failover"))
    for table in ("kafka_null", "kafka_keep"):
        sink.land(table, kafka(table, "update", id=451, w="y"))
    sink.land("canal_truncate", canal("ERASE", table="canal_truncate", isDdl=True, sql="drop table"))
    sink.land("canal_truncate", canal("INSERT", [{"id": "503", "v": "c"}], table="canal_truncate"))
    sink.land(
        "ticdc",
        canal("TIDB_WATERMARK", database="", table="", _tidb={"watermarkTs": COMMIT + 9}),
        ticdc("UPDATE", 521, "older", 1),
    )
    sink.land("maxwell", maxwell("update", 551, "c", 5, xid=2, commit=True, position="mysql-bin.000001:200"))
    land_bytes(sink, "moved", OLD, NEW)
    land_bytes(sink, "same again", NEW, NEW)
    # 56: an object that overlaps the end of the first one: the last two messages again, and one more.
    again = {
        "flat": lambda number: flat(561, str(number), "u"),
        "kafka_null": lambda number: kafka("kafka_null", "update", id=561, v=str(number)),
        "canal": lambda number: canal("UPDATE", [{"id": "561", "v": str(number)}]),
    }
    for table, make in again.items():
        first = sink.offsets[table] - 2 - (table == "kafka_null")
        sink.land(table, *map(make, (3, 4, 5)), at=first)


class Cases:
    """The lakehouse after both builds, and silver after the first."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        self.built: list[dict[str, str]] = []
        self.first: dict[str, list[tuple[Any, ...]]] = {}

    def now(self, number: int, table: str, columns: str = "id, v") -> list[tuple[Any, ...]]:
        """The rows of a case in a silver table."""
        return [row for row in self.lakehouse.table(table, columns) if row[0] // 10 == number]

    def before(self, number: int, table: str) -> list[tuple[Any, ...]]:
        """The same after the first build."""
        return [row for row in self.first[table] if row[0] // 10 == number]

    def quarantined(self, table: str) -> list[str]:
        rows = self.lakehouse.sql(f"select _cdc_quarantine_reason as reason from bronze.s__{table} order by 1")
        return [row.reason for row in rows if row.reason]


def state_encodings(lakehouse) -> None:
    """States what no message does: that the column `milli` is in milliseconds."""
    for cells in lakehouse.rows[COLUMNS_FILE]:
        cells["encoding"] = "ms" if cells["column_name"] == "milli" else ""


@pytest.fixture(scope="module")
def cases(empty_lakehouse):
    lakehouse = empty_lakehouse
    for feed, (connector, options) in FEEDS.items():
        lakehouse.add_feed(feed, "json", options, connector=connector)
    for table, (feed, columns) in TABLES.items():
        lakehouse.add_table(feed, table, columns=columns)
    state_encodings(lakehouse)
    lakehouse.make_models()
    cases, sink = Cases(lakehouse), Sink(lakehouse.raw)
    land_first(sink)
    cases.built.append(lakehouse.statuses("run"))
    cases.first = {table: lakehouse.table(table, "id, v") for table in TABLES if table not in WITHOUT_V}
    land_second(sink)
    cases.built.append(lakehouse.statuses("run"))
    return cases


def test_every_model_is_built(cases):
    for statuses in cases.built:
        assert set(statuses.values()) == {"success"}, statuses


def test_case_12_rows_of_one_event_are_in_the_order_of_their_number(cases):
    assert cases.now(12, "mysql") == [(122, "a"), (123, "b")]


def test_case_13_keys_are_swapped_in_a_transaction(cases):
    assert cases.now(13, "mysql") == [(131, "b"), (132, "a")]


def test_case_14_a_tombstone_deletes_nothing(cases):
    assert cases.now(14, "postgres") == [(141, "new")]


def test_case_15_an_unavailable_value_stays_what_silver_has(cases):
    assert cases.before(15, "postgres") == [(151, "a")]
    assert cases.now(15, "postgres", "id, v, w") == [(151, "b", "BIG")]


def test_case_16_unavailable_values_are_folded_inside_a_batch(cases):
    assert cases.now(16, "postgres", "id, v, w") == [(161, "3", "BIG")]


def test_case_17_a_text_that_equals_the_placeholder_is_taken_for_it(cases):
    """Another placeholder is the remedy: the option unavailable_value."""
    assert cases.now(17, "postgres", "id, v, w") == [(171, "b", "stored")]


def test_case_18_bytes_that_are_the_placeholder_leave_the_stored_ones(cases):
    assert cases.now(18, "postgres", "id, v, raw") == [(181, "b", b"\xff\x00")]


def test_case_19_a_commit_of_smaller_positions_is_not_dropped_after_the_cut(cases):
    assert cases.before(19, "postgres") == [(191, "a"), (192, "b")]
    assert cases.now(19, "postgres") == [(191, "a"), (192, "b"), (193, "c")]


def test_case_20_a_row_of_an_incremental_snapshot_does_not_beat_later_changes(cases):
    assert cases.before(20, "postgres") == [(201, "b")]
    assert cases.now(20, "postgres") == [(201, "c")]


def test_case_21_a_snapshot_never_beats_a_change(cases):
    assert cases.now(21, "mysql") == [(211, "new")]


def test_case_22_binary_logs_are_in_the_order_of_their_numbers(cases):
    assert cases.now(22, "mysql") == [(221, "b")]


def test_case_23_positions_are_numbers(cases):
    assert cases.now(23, "mysql") == [(231, "b")]


def test_case_24_a_server_that_takes_over_comes_later(cases):
    assert (cases.before(24, "failover"), cases.now(24, "failover")) == ([(241, "old")], [(241, "new")])


def test_case_25_change_numbers_are_numbers(cases):
    assert cases.now(25, "oracle") == [(251, "b")]


def test_case_26_a_truncate_that_comes_late_has_its_place(cases):
    assert cases.before(26, "mysql_truncate") == [(261, "x"), (262, "x")]
    assert cases.now(26, "mysql_truncate") == [(262, "x")]


def test_case_27_a_truncate_that_is_not_sent_leaves_rows_that_nothing_tells(cases):
    """No file holds it. `skipped.operations=none` is the remedy, or a comparison with the source."""
    assert cases.now(27, "mysql") == [(271, "stale"), (275, "new")]


def test_case_28_a_delete_without_a_value_is_lost(cases):
    """`delete.tombstone.handling.mode=rewrite` is the remedy (docs/feeds/debezium.md)."""
    assert cases.now(28, "flat") == [(281, "a")]
    rows = cases.lakehouse.sql("select set_aside from etl_metadata.split_dbz_flat where set_aside is not null")
    assert [row.set_aside for row in rows] == ["tombstone"]


def test_case_29_deleted_is_a_text(cases):
    assert cases.now(29, "flat") == [(292, "b"), (293, "b")]


def test_case_30_null_that_comes_as_the_default_of_its_column_stays_so(cases):
    """Nothing shows it: `replace.null.with.default=false` is the remedy (docs/feeds/debezium.md)."""
    assert cases.now(30, "flat") == [(301, "default"), (302, None)]


def test_case_31_a_decimal_needs_its_scale(cases):
    assert cases.now(31, "typed", "id, amount") == [(311, Decimal("10.2345")), (312, Decimal("10.2345"))]
    [reason] = cases.quarantined("typed")
    assert reason.startswith("column unlisted: received 'AY/J'")


def test_case_32_a_decimal_brings_its_scale(cases):
    assert cases.now(32, "typed", "id, large") == [(321, Decimal(100))]


def test_case_33_milliseconds_and_microseconds(cases):
    times = (datetime(2018, 6, 20, 6, 37, 3), datetime(2018, 6, 20, 15, 13, 16, 945104))
    assert cases.now(33, "typed", "id, milli, micro") == [(331, *times), (332, *times)]


def test_a_value_whose_writing_nothing_states_is_quarantined_by_the_name_of_the_setting(cases):
    assert cases.now(31, "unstated", "id") == []
    assert cases.now(33, "unstated", "id, micro") == [(335, datetime(1988, 5, 5, 10))]
    amount, big, *times = cases.quarantined("unstated")
    assert amount.startswith("column amount: received 'AY/J'")
    assert big.startswith("column big: received 'AIA='")
    assert all("the feed's option decimals (base64 or text)" in reason for reason in (amount, big))
    assert [reason[:39] for reason in times] == [
        "column micro: received '1706702400000',",
        "column micro: received '5875200000000',",
    ]
    assert all("the cell encoding of cdc_columns" in reason for reason in times)


def test_case_34_dates_before_1970_infinity_and_zero_dates(cases):
    end = datetime(9999, 12, 31, 23, 59, 59)
    assert cases.now(34, "typed", "id, day, micro") == [(341, date(1969, 12, 31), end), (342, None, None)]


def test_case_45_what_a_missing_column_means_is_a_policy(cases):
    assert cases.now(45, "kafka_null", "id, v, w") == [(451, None, "y")]
    assert cases.now(45, "kafka_keep", "id, v, w") == [(451, "a", "y")]


def test_case_46_control_records_between_rows_over_several_lines(cases):
    assert cases.now(46, "kafka_null") == [(461, "{"), (462, "}\n{")]


def test_case_47_a_rounded_number_is_quarantined(cases):
    [reason] = cases.quarantined("kafka_null")
    assert "'1.234567890123457E+17'" in reason
    assert "rounded" not in [v for _, v in cases.lakehouse.table("kafka_null", "id, v")]


def test_case_48_old_values_belong_to_the_row_at_their_place(cases):
    assert cases.now(48, "canal") == [(481, "y"), (482, "z")]


def test_case_49_a_changed_key_takes_the_old_row_away(cases):
    assert cases.now(49, "canal") == [(492, "moves")]


@pytest.mark.parametrize("table", [table for table in TABLES if table.endswith("_bytes")])
def test_case_49_a_changed_key_of_bytes_takes_the_old_row_away(cases, table):
    assert cases.lakehouse.table(table, "v, id") == [("same again", NEW)]
    old_keys = cases.lakehouse.sql(f"select v, _cdc_old_key as old_key from bronze.s__{table} order by _cdc_sequence")
    assert [tuple(row) for row in old_keys] == [
        ("same", None),
        ("moved", {"id": base64.b64encode(OLD).decode()}),
        ("same again", None),
    ]


def test_case_50_truncate_and_drop_empty_the_table_and_a_query_does_not(cases):
    assert cases.before(50, "canal_truncate") == [(502, "b")]
    assert cases.now(50, "canal_truncate") == [(503, "c")]


def test_case_51_deletes_of_a_commit_come_before_its_inserts(cases):
    assert cases.now(51, "ticdc") == [(511, "after"), (512, "after")]


def test_case_52_what_comes_again_after_a_watermark_changes_nothing(cases):
    assert cases.before(52, "ticdc") == cases.now(52, "ticdc") == [(521, "newest")]


def test_case_53_the_row_that_commits_is_the_last_of_its_transaction(cases):
    assert cases.now(53, "maxwell") == [(531, "last")]


def test_case_54_rows_have_seconds_and_schema_changes_milliseconds(cases):
    assert cases.now(54, "maxwell", "id, _cdc_committed_at") == [(541, datetime.fromtimestamp(NOON))]
    rows = cases.lakehouse.sql("select committed_at from etl_metadata.split_maxwell where set_aside = 'ddl'")
    assert [row.committed_at for row in rows] == [datetime.fromtimestamp(NOON)]


def test_case_55_held_back_changes_follow_the_row_of_the_bootstrap(cases):
    assert cases.before(55, "maxwell") == [(551, "b")]
    assert cases.now(55, "maxwell") == [(551, "c")]


@pytest.mark.parametrize("table", ["flat", "kafka_null", "canal"])
def test_case_56_messages_in_two_overlapping_files_have_one_position(cases, table):
    assert cases.now(56, table) == [(561, "5")]
    rows = cases.lakehouse.sql(
        "select count(*) as n, count(distinct left(_cdc_sequence, length(_cdc_sequence) - 45)) as positions"
        f" from bronze.s__{table} where id = 561"
    )
    assert [tuple(row) for row in rows] == [(8, 6)]


def test_case_61_a_value_that_is_lost_with_its_key_is_null_and_a_test_warns(cases):
    assert cases.now(61, "postgres", "id, v, w") == [(612, "a", None)]
    test = "no_value_is_lost_with_its_key"
    assert cases.lakehouse.statuses("test", "--select", test)[test] == "warn"


def test_case_62_a_changed_key_that_debezium_does_not_know_takes_the_old_row_away(cases):
    assert (cases.before(62, "mysql"), cases.now(62, "mysql")) == ([(621, "moves")], [(629, "moved")])


def test_case_63_an_event_whose_snapshot_is_null_is_a_change(cases):
    assert cases.now(63, "mysql") == [(631, "new")]


def test_case_64_a_boolean_is_the_same_as_number_and_as_word(cases):
    assert cases.now(64, "typed", "id, flag") == [(641, True), (642, True)]
