"""One application in two regions: two feeds with the same schema and table, and a database that was restored."""

from __future__ import annotations

import json

import pytest

from python_udfs.drift.__main__ import main as drift
from python_udfs.explain.__main__ import main as explain

HOUR = 3_600_000
EU, US = "s__orders", "us_s__orders"


def message(op, key, value, lsn, commit, hour):
    """A message of Debezium for PostgreSQL; `commit` is None if the connector knows none yet."""
    image = {"id": key, "v": value}
    source = {"connector": "postgresql", "db": "d", "schema": "s", "table": "orders", "snapshot": "false"}
    source |= {"ts_ms": 1_700_000_000_000 + hour * HOUR, "lsn": lsn}
    source["sequence"] = json.dumps([commit and str(commit), str(lsn)])
    return json.dumps({"op": op, "source": source, "before": image, "after": None if op == "d" else image})


class Regions:
    """The two feeds, and what was seen after each build."""

    def __init__(self, lakehouse):
        self.lakehouse = lakehouse
        self.builds, self.seen = [], []

    def land(self, path, *lines):
        file = self.lakehouse.raw / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in lines))

    def build(self, *, is_last=False):
        """All data tests run when all has come, the one that this is about after each build."""
        if is_last:
            self.builds.append(self.lakehouse.build())
        else:
            built = self.lakehouse.statuses("run")
            self.builds.append(built | self.lakehouse.statuses("test", "--select", "no_source_log_began_again"))
        self.seen.append({table: self.rows(table) for table in (EU, US)})

    def rows(self, table):
        return [tuple(row) for row in self.lakehouse.sql(f"select id, v from silver.{table} order by id")]

    def run(self, operation, **arguments):
        outcome = self.lakehouse.dbt("run-operation", operation, "--args", json.dumps(arguments))
        assert outcome.success, outcome.exception
        return "\n".join(self.lakehouse.messages)


@pytest.fixture(scope="module")
def regions(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("eu", "json", connector="debezium")
    lakehouse.add_feed("us", "csv")
    lakehouse.add_table("eu", "orders", columns="id int, v string")
    lakehouse.add_table("us", "orders", columns="id int, v string", target_table=US)
    lakehouse.make_models()
    regions = Regions(lakehouse)
    sink = "eu/topics/p.s.orders/partition=0/p.s.orders+0+{:010}.json"
    regions.land(
        sink.format(0),
        message("c", 1, "eu", 110, 100, 0),
        message("c", 2, "eu", 120, 115, 0),
        message("c", 4, "eu", 125, 122, 0),
    )
    regions.land("us/s/orders/LOAD00000001.csv", "1,us", "3,us")
    regions.land("us/s/orders/20240131-230000000.csv", "U,3,changed", "U,x,us")
    regions.build()
    # The connector started again: it knows no commit.
    regions.land(sink.format(3), message("u", 1, "changed", 130, None, 1), message("d", 2, "eu", 131, None, 1))
    regions.land("us/s/orders/20240131-230100000.csv", "D,1,us")
    regions.build()
    # The database was restored, and its log began again.
    regions.land(sink.format(5), message("u", 4, "restored", 50, 40, 9))
    regions.build(is_last=True)
    return regions


def test_each_feed_makes_its_own_table(regions):
    first, second, _ = regions.seen
    assert first == {EU: [(1, "eu"), (2, "eu"), (4, "eu")], US: [(1, "us"), (3, "changed")]}
    assert second[US] == [(3, "changed")]


def test_changes_of_a_connector_that_started_again_are_applied(regions):
    assert regions.seen[1][EU] == [(1, "changed"), (4, "eu")]


def test_every_model_is_built_and_every_test_is_right(regions):
    for place, statuses in enumerate(regions.builds):
        assert {name for name, status in statuses.items() if status not in ("success", "pass")} == {
            *(["quarantine_is_empty", "no_source_log_began_again"] if place == 2 else []),
        }, statuses


def test_a_log_that_began_again_is_reported_with_its_table(regions):
    assert [statuses["no_source_log_began_again"] for statuses in regions.builds] == ["pass", "pass", "warn"]
    assert regions.seen[2][EU] == regions.seen[1][EU]


def test_views_tell_the_feeds_apart(regions):
    quarantined = regions.lakehouse.sql("select feed, source_schema, source_table from etl_metadata.quarantine")
    assert [tuple(row) for row in quarantined] == [("us", "s", "orders")]
    state = regions.lakehouse.sql("select feed, silver_table from etl_metadata.run_metrics group by all order by feed")
    assert [tuple(row) for row in state] == [("eu", f"silver.{EU}"), ("us", f"silver.{US}")]
    files = regions.lakehouse.sql(
        "select feed, count(*) from etl_metadata.raw_processed_files where status = 'ingested' group by feed"
    )
    assert sorted(map(tuple, files)) == [("eu", 3), ("us", 3)]


def test_operations_find_the_table_by_its_target_name(regions):
    assert f"silver.{US}" in regions.lakehouse.command(explain, US, "3")
    assert "changed" in regions.lakehouse.command(explain, f"silver.{EU}", "1")
    assert f"which 2 feeds have; accepted: a silver table, {EU}, {US}" in regions.lakehouse.command(
        explain, "s.orders", "1"
    )
    assert "1 rows waited in quarantine" in regions.run("replay_quarantine", table=US)
    assert "is rebuilt" in regions.run("rebuild_silver", table=US)
    assert regions.rows(US) == [(3, "changed")]
    assert regions.rows(EU) == regions.seen[2][EU]
    assert "Nothing would change" in regions.lakehouse.command(drift)
