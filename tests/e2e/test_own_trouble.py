"""A failure stays alone: a feed that cannot be listed, a model, a user's own test. All else is built and judged."""

from __future__ import annotations

import pyarrow as pa
import pytest
from stories import ID_V_W, Story, change

from python_udfs.cli.operation import Operations
from python_udfs.drift.__main__ import main as drift
from python_udfs.metadata import FEEDS_FILE
from python_udfs.sample_data.dms_writer import Column

# Over all tables: made and judged in each build.
OVER_ALL = {"run_metrics", "quarantine", "silver_sync_state", "raw_processed_files", "rejected_files"}


@pytest.fixture(scope="module")
def built(empty_lakehouse):
    """A first build with trouble, with changes meanwhile a second one, and the repair: statuses and open incidents."""
    lakehouse = empty_lakehouse
    for feed in ("near", "away"):
        lakehouse.add_feed(feed, "parquet", "timestamp_column=ts")
    for name in ("fine", "broken"):
        lakehouse.add_table("near", name, lag_limit_minutes="100000000")
        Story(lakehouse.raw / "near", name).load(0, {"id": 1, "v": "a"}, {"id": 2, "v": "b"})
    lakehouse.add_table("away", "far")
    Story(lakehouse.raw / "away", "far").load(0, {"id": 1, "v": "a"})
    [away] = [row for row in lakehouse.rows[FEEDS_FILE] if row["feed"] == "away"]
    away["location"] = "nosuchscheme://bucket"
    lakehouse.make_models()
    silver = lakehouse.project / "models" / "silver" / "s" / "silver_s__broken.sql"
    text = silver.read_text()
    silver.write_text("{{ exceptions.raise_compiler_error('broken on purpose') if execute }}" + text)
    own = lakehouse.project / "tests" / "data" / "own.sql"
    own.write_text("select 1 as wrong from {{ ref('silver_s__fine') }}")
    builds = []

    def build():
        statuses = lakehouse.build()
        rows = lakehouse.sql("select kind, subject from etl_metadata.incidents where ended_at is null")
        builds.append((statuses, {tuple(row) for row in rows}, list(lakehouse.messages)))

    build()
    fine = Story(lakehouse.raw / "near", "fine")
    # A row without a key, and a file that nobody can read.
    fine.changes(1, change("U", 1, id=1, v="new"), change("U", 1, id=None, v="no key"))
    folder = lakehouse.raw / "near" / "s" / "broken"
    (folder / "20240131-230200000.parquet").write_bytes(b"no parquet")
    build()
    answer = Operations(lakehouse.project).ask("cdc_report", runs=1)
    wider = Story(lakehouse.raw / "near", "fine", columns=(*ID_V_W, Column("added", pa.string())))
    wider.changes(2, change("U", 2, id=2, v="b", added="x"))
    builds[-1] = (*builds[-1], answer["rejected"], lakehouse.command(drift, "--list"))
    silver.write_text(text)
    own.unlink()
    (folder / "20240131-230200000.parquet").unlink()
    away["location"] = "away"
    lakehouse.make_models()
    build()
    yield lakehouse, builds
    silver.write_text(text)
    own.unlink(missing_ok=True)


@pytest.mark.parametrize("number", [0, 1])
def test_what_is_over_all_tables_is_made_and_judged(built, number):
    _, builds = built
    statuses, _, messages, *_ = builds[number]
    assert {statuses[name] for name in OVER_ALL} == {"success"}
    singular = {"quarantine_is_empty", "no_ties", "no_raw_file_vanished", "every_raw_file_is_accounted_for", "own"}
    judged = {name: statuses[name] for name in singular}
    quarantine, files = ("pass", "pass") if number == 0 else ("warn", "fail")
    expected = dict.fromkeys(singular, "pass") | {"own": "fail"}
    assert judged == expected | {"quarantine_is_empty": quarantine, "every_raw_file_is_accounted_for": files}
    assert statuses["every_feed_has_files"] == "warn"
    skipped = {name for name, status in statuses.items() if status == "skipped"}
    assert all("broken" in name for name in skipped)
    [line] = [line for line in messages if "made of the tables that exist" in line]
    assert line.endswith("without what these models had to bring: silver_s__broken (error)")


def test_each_trouble_is_an_incident_and_nothing_else_is(built):
    lakehouse, builds = built
    failures = {("failure", "raw_listing"), ("failure", "silver_s__broken"), ("failure", "own")}
    assert builds[0][1] == failures
    assert builds[1][1] == failures | {
        ("failure", "every_raw_file_is_accounted_for"),
        ("quarantine", "silver.s__fine"),
    }
    assert builds[2][1] == {("quarantine", "silver.s__fine")}
    [message] = lakehouse.sql("select message from etl_metadata.incidents where subject = 'raw_listing'")
    assert "These feeds cannot be listed:\n- feed away, location nosuchscheme://bucket" in message[0]


def test_the_other_tables_are_built_and_the_feed_goes_on_once_it_is_listed(built):
    lakehouse, builds = built
    assert [builds[number][0]["silver_s__fine"] for number in range(3)] == ["success"] * 3
    assert lakehouse.table("fine", "id, v") == [(1, "new"), (2, "b")]
    assert lakehouse.table("broken", "id, v") == [(1, "a"), (2, "b")]
    assert lakehouse.table("far", "id, v") == [(1, "a")]
    assert not set(builds[2][0].values()) & {"error", "fail", "skipped"}
    assert builds[2][0]["every_feed_has_files"] == "pass"


def test_the_report_knows_the_table_of_a_rejected_file(built):
    _, builds = built
    assert builds[1][3] == [{"feed": "near", "source_schema": "s", "source_table": "broken", "files": 1}]


def test_drift_shows_what_waits_for_the_others_and_names_the_feed(built):
    _, builds = built
    said = builds[1][4]
    assert "These feeds cannot be listed:" in said
    assert "feed away, location nosuchscheme://bucket" in said
    assert "column added string is new" in said
    assert "Traceback" not in said
