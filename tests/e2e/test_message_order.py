"""Order of messages where the source's positions tie, go back or come from a second snapshot, from files to silver.

All tables are built together, twice: the second build brings what comes later.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

HOUR = 3_600_000
NOON = 1706702400000  # 2024-01-31 12:00:00
FIRST_OFFSETS = range(2)


def land(lakehouse, feed: str, table: str, offset: int, *messages: dict[str, Any], partition: int = 0) -> None:
    """One file of the sink: messages of a table from an offset on."""
    folder = lakehouse.raw / feed / "topics" / f"src.s.{table}" / f"partition={partition}"
    folder.mkdir(parents=True, exist_ok=True)
    name = f"src.s.{table}+{partition}+{offset:010d}.json"
    (folder / name).write_text("".join(json.dumps(message) + "\n" for message in messages))


def row(key: int, value: str | None) -> dict[str, Any]:
    return {"id": key, "v": value}


def oracle(table: str, value: str, *, scn: int = 7000, key: int = 1, op: str = "u") -> dict[str, Any]:
    """An update as LogMiner's messages have it: statements of one moment have one SCN, commit SCN and SSN."""
    source = {"connector": "oracle", "ts_ms": 1, "snapshot": "false", "schema": "s", "table": table}
    source |= {"scn": str(scn), "commit_scn": "7010", "rs_id": "0x000012.0000a1.0010", "ssn": 0}
    return {"before": None, "after": row(key, value), "source": source, "op": op}


def mysql(table: str, value: str, *, file: int, pos: int, hour: int, server: int = 11, op: str = "u", key: int = 1):
    """A change in the binary log `binlog`, or a row of a snapshot."""
    source = {"connector": "mysql", "ts_ms": NOON + hour * HOUR, "db": "s", "table": table, "server_id": server}
    source |= {"snapshot": "true" if op == "r" else "false", "file": f"binlog.{file:06}", "pos": pos, "row": 0}
    return {"before": None, "after": row(key, value), "source": source, "op": op}


def postgres(
    table: str, value: str, *, lsn: int, commit: int | None = None, hour: int = 0, op: str = "u", key: int = 1
):
    """A change, or a row of a snapshot, whose LSN is that of the snapshot."""
    source = {"connector": "postgresql", "ts_ms": NOON + hour * HOUR, "schema": "s", "table": table}
    source |= {"snapshot": "true" if op == "r" else "false", "lsn": lsn}
    source["sequence"] = json.dumps([commit and str(commit), str(lsn)])
    return {"before": None, "after": row(key, value), "source": source, "op": op}


def land_first_snapshots(lakehouse) -> None:
    for table in ("slot", "slot_at_once"):
        land(
            lakehouse, "dbz", table, 0,
            *(postgres(table, "1", lsn=100, op="r", key=key) for key in (1, 3)),
            # Open when the snapshot began: its position is smaller, and it is newer.
            postgres(table, "open", lsn=90, key=3),
            postgres(table, "2", lsn=200, commit=150),
            postgres(table, "new", lsn=210, commit=205, op="c", key=4),
        )  # fmt: skip
    land(lakehouse, "dbz", "half_rows", 0, postgres("half_rows", "1", lsn=100, op="r"))
    land(lakehouse, "dbz", "failover", 0, mysql("failover", "old", file=45, pos=800, hour=0, op="c"))
    land(lakehouse, "dbz", "failover", 1, mysql("failover", "mid", file=45, pos=1200, hour=0))
    land_second_snapshot(lakehouse, "slot_at_once")


def land_second_snapshot(lakehouse, table: str) -> None:
    """The slot was lost: a new snapshot into the same topic, and a change behind it."""
    snapshot = [postgres(table, value, lsn=900, op="r", key=key) for key, value in ((1, "5"), (2, "1"), (3, "open"))]
    land(lakehouse, "dbz", table, 6, *snapshot, postgres(table, "6", lsn=990, commit=950, hour=30, key=2))


def land_second_snapshots(lakehouse) -> None:
    land_second_snapshot(lakehouse, "slot")
    land(
        lakehouse, "dbz", "half_rows", 1,
        *(postgres("half_rows", "1", lsn=120, op="r", key=key) for key in (1, 2)),
    )  # fmt: skip
    after = [mysql("failover", "new", file=7, pos=300, hour=2, server=12)]
    land(lakehouse, "dbz", "failover", 2, *after)


def build(lakehouse, *more: str) -> dict[str, str]:
    """A run, and the data tests that this is about."""
    return lakehouse.run_and_test("no_ties", "no_second_snapshot", "no_source_log_began_again", *more)


@pytest.fixture(scope="module")
def built(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("dbz", "json", connector="debezium")
    tables = [f"tie_{number}" for number in FIRST_OFFSETS]
    for table in [*tables, "partitions", "again"]:
        lakehouse.add_table("dbz", table, columns="id int, v string")
    for table in ("slot", "slot_at_once", "failover"):
        lakehouse.add_table("dbz", table, columns="id int, v string")
    lakehouse.add_table("dbz", "half_rows", primary_key="", columns="id int, v string", mode="append")
    lakehouse.make_models()
    for number, table in enumerate(tables):
        # Other names of files have other hashes: no order by them is right for all.
        land(lakehouse, "dbz", table, number, oracle(table, "5"))
        land(lakehouse, "dbz", table, number + 1, oracle(table, "7"))
    land(lakehouse, "dbz", "partitions", 0, oracle("partitions", "5"))
    land(lakehouse, "dbz", "partitions", 0, oracle("partitions", "7"), partition=1)
    land(lakehouse, "dbz", "again", 0, *(oracle("again", value) for value in "123"))
    land_first_snapshots(lakehouse)
    statuses = [build(lakehouse)]
    # The connector started again, and a file overlaps the first one.
    land(lakehouse, "dbz", "again", 3, *(oracle("again", value) for value in "234"))
    land(lakehouse, "dbz", "again", 2, oracle("again", "3"), oracle("again", "2"))
    land_second_snapshots(lakehouse)
    statuses.append(build(lakehouse, "test_name:silver_matches_bronze"))
    return lakehouse, statuses


def silver(lakehouse, table: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in lakehouse.sql(f"select id, v from silver.s__{table} order by id, _cdc_sequence")]


@pytest.mark.parametrize("number", FIRST_OFFSETS)
def test_the_later_offset_wins_where_the_positions_of_the_source_tie(built, number):
    lakehouse, _ = built
    assert silver(lakehouse, f"tie_{number}") == [(1, "7")]


def test_messages_that_come_again_behind_others_change_nothing(built):
    lakehouse, _ = built
    assert silver(lakehouse, "again") == [(1, "4")]


def test_a_tie_that_no_offset_decides_is_counted(built):
    lakehouse, statuses = built
    ties = lakehouse.sql("select silver_table, max(ties) as n from etl_metadata.run_metrics group by 1 having n > 0")
    assert [tuple(row) for row in ties] == [("silver.s__partitions", 1)]
    assert statuses[0]["no_ties"] == "warn"


@pytest.mark.parametrize("table", ["slot", "slot_at_once"])
def test_rows_of_a_second_snapshot_are_newer_than_the_changes_before_it(built, table):
    """A row that was deleted meanwhile stays: no message shows it, and the incident does."""
    lakehouse, _ = built
    assert silver(lakehouse, table) == [(1, "5"), (2, "6"), (3, "open"), (4, "new")]


def test_a_second_snapshot_and_a_log_that_began_again_are_incidents_in_the_run_that_brings_them(built):
    lakehouse, statuses = built
    assert [
        (run_statuses["no_second_snapshot"], run_statuses["no_source_log_began_again"]) for run_statuses in statuses
    ] == [
        ("warn", "pass"),
        ("warn", "warn"),
    ]
    rows = lakehouse.sql(
        "select kind, silver_table, message, command from etl_metadata.incidents"
        " where kind in ('log', 'snapshot') and ended_at is null order by opened_at, kind, silver_table"
    )
    assert [(row.kind, row.silver_table) for row in rows] == [
        ("snapshot", "silver.s__slot_at_once"),
        ("log", "silver.s__failover"),
        *(("snapshot", f"silver.s__{table}") for table in ("half_rows", "slot")),
    ]
    assert {row.command.split(": ")[1] for row in rows} == {"docs/runbook.md, 'The slot was lost'"}


def test_silver_agrees_with_bronze_all_the_same(built):
    _, statuses = built
    compared = [
        status
        for run_statuses in statuses
        for name, status in run_statuses.items()
        if name.startswith("silver_matches_bronze")
    ]
    assert set(compared) == {"pass"}
