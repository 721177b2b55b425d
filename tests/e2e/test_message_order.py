"""Order of messages where the source's positions tie, go back or come from a second snapshot, from files to silver.

All tables are built together, twice: the second build brings what comes later.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

HOUR = 3_600_000
FIRST_OFFSETS = range(6)


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


@pytest.fixture(scope="module")
def built(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("dbz", "json", connector="debezium")
    tables = [f"tie_{number}" for number in FIRST_OFFSETS]
    for table in [*tables, "partitions", "again"]:
        lakehouse.add_table("dbz", table, columns="id int, v string")
    lakehouse.add_table("dbz", "versions", columns="id int, v string", mode="history")
    lakehouse.make_models()
    for number, table in enumerate(tables):
        # Other names of files have other hashes: no order by them is right for all.
        land(lakehouse, "dbz", table, number, oracle(table, "5"))
        land(lakehouse, "dbz", table, number + 1, oracle(table, "7"))
    land(lakehouse, "dbz", "partitions", 0, oracle("partitions", "5"))
    land(lakehouse, "dbz", "partitions", 0, oracle("partitions", "7"), partition=1)
    for table in ("again", "versions"):
        land(lakehouse, "dbz", table, 0, *(oracle(table, value) for value in "123"))
    statuses = [lakehouse.build()]
    for table in ("again", "versions"):
        # The connector started again, and a file overlaps the first one.
        land(lakehouse, "dbz", table, 3, *(oracle(table, value) for value in "234"))
        land(lakehouse, "dbz", table, 2, oracle(table, "3"), oracle(table, "2"))
    statuses.append(lakehouse.build())
    return lakehouse, statuses


def silver(lakehouse, table: str) -> list[tuple[Any, ...]]:
    return [tuple(one) for one in lakehouse.sql(f"select id, v from silver.s__{table} order by id, _cdc_sequence")]


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
    assert [tuple(one) for one in ties] == [("silver.s__partitions", 1)]
    assert statuses[0]["no_ties"] == "warn"
