"""Commands of an operator: on real tables, with the pipeline running before and after."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from stories import ID_V_W, Story, at, change

from python_udfs.explain.__main__ import main as explain
from python_udfs.metadata import COLUMNS_FILE, TABLES_FILE
from python_udfs.retire.__main__ import main as retire
from python_udfs.sample_data.dms_writer import Change, Column
from tests.e2e.lakehouse import if_counted

BYTES = (Column("id", pa.binary()), Column("v", pa.string()))
KEYS = [b"\x00\x01\xff", b"\xff\x00\xfe", b"\xfe"]
FOLDERS = "every_raw_folder_has_a_table"


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("op", "parquet", "timestamp_column=ts")
    lakehouse.add_table("op", "op_hard")
    lakehouse.add_table("op", "op_soft", delete_mode="soft", vanished_files="truncate")
    lakehouse.add_table("op", "op_append", primary_key="", mode="append")
    lakehouse.add_feed("op_drift", "parquet", "timestamp_column=ts;absent_columns=keep")
    lakehouse.add_table("op_drift", "op_drift", schema_drift="quarantine")
    Story(lakehouse.raw / "op_drift", "op_drift").load(0, {"id": 1, "v": "a", "w": "x"})
    lakehouse.add_feed("op_bytes", "parquet", "timestamp_column=ts;before_image_prefix=BI_")
    lakehouse.add_table("op_bytes", "op_bytes", schema_drift="quarantine")
    story = Story(lakehouse.raw / "op_bytes", "op_bytes", BYTES, before_image_prefix="BI_")
    story.load(0, {"id": KEYS[0], "v": "a"})
    story.changes(1, Change("U", {"id": KEYS[0], "v": "b"}, at(1)))
    story.changes(2, Change("U", {"id": KEYS[1], "v": "b"}, at(2), {"id": KEYS[0]}))
    lakehouse.add_feed("op_types", "parquet")
    lakehouse.add_table("op_types", "op_types", schema_drift="quarantine")
    put_types(lakehouse, "LOAD00000001", id=[1], note=["x"], moment=["x"], raw=[b"x"])
    lakehouse.add_feed("op_csv", "csv", "timestamp_column=ts")
    lakehouse.add_table("op_csv", "op_wide", columns="id int, v string")
    folder = lakehouse.raw / "op_csv" / "s" / "op_wide"
    folder.mkdir(parents=True)
    (folder / "LOAD00000001.csv").write_text("2024-01-31 23:00:00,1,a\n2024-01-31 23:00:00,2,b\n")
    (folder / "20240131-230100000.csv").write_text(
        'U,2024-01-31 23:01:00,1,"two\nlines",more\nU,2024-01-31 23:01:00,2,wide,more\n'
    )
    (folder / "20240131-230200000.csv").write_text("U,2024-01-31 23:02:00,2,narrow\n")
    lakehouse.make_models()
    for name in ("op_append", "op_hard", "op_soft"):
        story = Story(lakehouse.raw / "op", name)
        story.load(0, {"id": 1, "v": "a", "w": "x"}, {"id": 2, "v": "b", "w": None}, {"id": 3, "v": "c", "w": "z"})
        story.changes(10, change("U", 10, id=1, v="newest", w="x"), change("D", 10, id=2))
    assert lakehouse.run_and_test("no_change_without_key")["no_change_without_key"] == "warn"
    story.changes(5, change("U", 5, id=2, v="late", w="y"))
    assert set(lakehouse.statuses("run").values()) == {"success"}
    return lakehouse


def put_types(lakehouse, file: str, **columns) -> None:
    path = lakehouse.raw / "op_types" / "s" / "op_types" / f"{file}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


@pytest.fixture
def operate(lakehouse, capsys):
    """Runs a command; returns what it printed, or the message that it failed with."""

    def run(name, **arguments):
        capsys.readouterr()
        outcome = lakehouse.dbt("run-operation", name, "--args", json.dumps(arguments))
        return capsys.readouterr().out if outcome.success else "\n".join(lakehouse.messages)

    return run


def test_explain_tells_the_life_of_a_key(lakehouse):
    life, _, row = lakehouse.command(explain, "s__op_soft", "2").partition("silver.s__op_soft now:")
    assert [line[:2] for line in life.splitlines() if line[:1] in ("1", "2", "3")] == ["1 ", "2 ", "3 "]
    assert "superseded by 3, which arrived before it; carried forward: all values" in life
    assert "applied: the row is marked as deleted, all values carried forward from 2" in life
    assert row.split()[-10:-5] == ["2", "late", "y", "true", "D"]


def test_explain_tells_the_life_of_a_row_without_a_key(lakehouse):
    [row_id] = lakehouse.table("op_append", "_cdc_source_file, _cdc_file_row, v")[:1]
    said = lakehouse.command(explain, "s.op_append", json.dumps(row_id[:2]))
    life, _, row = said.partition("silver.s__op_append now:")
    assert f"_cdc_source_file = {row_id[0]}, _cdc_file_row = {row_id[1]} (mode append)" in life
    assert "applied: it is the row" in life and row_id[2] in row.split()


def test_explain_tells_why_a_row_is_in_quarantine(lakehouse):
    life, _, row = lakehouse.command(explain, "s__op_wide", "1").partition("silver.s__op_wide now:")
    assert "in quarantine, malformed_record: " in life
    assert row.split()[-8:-6] == ["1", "a"]


def test_explain_names_what_there_is_when_it_finds_nothing(lakehouse):
    assert lakehouse.command(explain, "s__other", "1") == (
        "TABLE: found s__other; accepted: a silver table, s__op_append, s__op_bytes, s__op_drift, s__op_hard,"
        " s__op_soft, s__op_types, s__op_wide.\n"
    )
    assert lakehouse.command(explain, "s__op_hard", "99") == (
        "KEY: found id = 99, of which bronze.s__op_hard has no change; accepted: a key that it has, such as id = 1;"
        " id = 2; id = 3.\n"
    )
    assert lakehouse.command(explain, "s__op_hard", "x") == "KEY: found id = x; accepted: a value of type int.\n"
    assert "KEY: found 2 values for 1 column" in lakehouse.command(explain, "s__op_hard", "[1, 2]")


def test_run_metrics_have_a_row_per_table_and_run(lakehouse):
    rows = lakehouse.sql(
        "select silver_table, changes, rows_inserted, rows_updated, rows_deleted, not_applied, is_current"
        " from etl_metadata.run_metrics where feed = 'op' order by silver_table, committed_at"
    )
    assert [tuple(row) for row in rows] == [
        ("silver.s__op_append", 5, 3, 0, 0, 2, True),
        ("silver.s__op_hard", 5, 2, 0, 0, 0, True),
        ("silver.s__op_soft", 5, 3, 0, 0, 0, True),
        ("silver.s__op_soft", 1, *if_counted(0, 1, 0), 0, True),
    ]


@pytest.mark.parametrize("name", ["op_append", "op_hard", "op_soft"])
def test_a_table_is_rebuilt_and_the_next_run_continues_from_it(lakehouse, operate, name):
    before = lakehouse.table(name)
    lakehouse.sql(f"insert into silver.s__{name} select * from silver.s__{name}")
    assert len(lakehouse.table(name)) > len(before)
    assert "4 of 4" in operate("rebuild_silver", table=f"s__{name}")
    assert lakehouse.table(name) == before
    snapshots = lakehouse.snapshots(f"silver.s__{name}")
    assert set(lakehouse.statuses("run", "--select", f"silver_s__{name}").values()) == {"success"}
    assert lakehouse.snapshots(f"silver.s__{name}") == snapshots, "it knows how far it is"
    assert not [row for row in lakehouse.sql("show tables in silver") if "rebuild" in row.tableName]


def test_silver_goes_back_to_yesterday_and_catches_up(lakehouse, operate):
    now = lakehouse.table("op_soft")
    first = lakehouse.snapshots("silver.s__op_soft")[0]
    operate("rebuild_silver", table="s__op_soft")
    operate("run_query", sql=f"call system.set_current_snapshot('silver.s__op_soft', {first})")
    assert lakehouse.table("op_soft") != now
    assert set(lakehouse.statuses("run", "--select", "silver_s__op_soft").values()) == {"success"}
    assert lakehouse.table("op_soft") == now


def test_rows_in_quarantine_are_replayed_at_their_places(lakehouse, operate):
    columns = lakehouse.rows[COLUMNS_FILE]
    table = next(row for row in columns if row["source_table"] == "op_wide")
    columns.append({**table, "position": "3", "column_name": "extra", "data_type": "string", "optional": "true"})
    lakehouse.make_models()
    places = (
        "select _cdc_sequence, _cdc_file_row from bronze.s__op_wide where _cdc_quarantine_rule is {}null order by 1"
    )
    bad = lakehouse.sql(places.format("not "))
    said = operate("replay_quarantine", table="s__op_wide")
    assert "s__op_wide: 2 rows waited in quarantine, 2 are in bronze now, 0 still break a rule." in said
    assert "s__op_wide: 0 rows waited in quarantine" in operate("replay_quarantine", table="s__op_wide")
    good = lakehouse.sql(places.format(""))
    assert len(good) == 5
    assert set(bad) < set(good)
    statuses = lakehouse.statuses("run", "--select", "silver_s__op_wide", "quarantine")
    assert set(statuses.values()) == {"success"}
    assert lakehouse.table("op_wide", "id, v, extra") == [(1, "two\nlines", "more"), (2, "narrow", None)]
    assert {row.status for row in lakehouse.sql("select status from etl_metadata.quarantine")} == {"replayed"}


def test_rows_of_parquet_files_are_replayed_once_the_table_has_their_columns(lakehouse, operate):
    columns = (*ID_V_W, Column("added", pa.decimal128(8, 2)), Column("raw", pa.binary()))
    image = {"id": 1, "v": "b", "w": None, "added": Decimal("7.50"), "raw": b"\x00\xff"}
    Story(lakehouse.raw / "op_drift", "op_drift", columns=columns).changes(20, change("U", 20, **image))
    chosen = ("--select", "raw_listing", "bronze_s__op_drift", "silver_s__op_drift")
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    assert lakehouse.table("op_drift", "id, v") == [(1, "a")]
    said = operate("replay_quarantine", table="s__op_drift")
    assert "rows in quarantine have a column added that bronze does not have: add it with `alter table`" in said
    lakehouse.sql("alter table bronze.s__op_drift add columns (added decimal(8,2), raw binary)")
    said = operate("replay_quarantine", table="s__op_drift")
    assert "s__op_drift: 1 rows waited in quarantine, 1 are in bronze now, 0 still break a rule." in said
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    assert lakehouse.table("op_drift", "id, v, w, added, raw") == [(1, "b", None, Decimal("7.50"), b"\x00\xff")]


def test_a_row_that_waited_for_a_rename_brings_its_value(lakehouse, operate):
    story = Story(lakehouse.raw / "op_drift", "op_drift", columns=(ID_V_W[0], Column("v2", pa.string()), ID_V_W[2]))
    Story(lakehouse.raw / "op_drift", "op_drift").changes(29, change("I", 29, id=4, v="old", w="q"))
    rows = [{"id": 1, "v2": "c", "w": "y"}, {"id": 2, "v2": "n", "w": "z"}, {"id": 4, "v2": None, "w": "r"}]
    story.changes(30, *(change("I" if row["id"] == 2 else "U", 30, **row) for row in rows))
    chosen = ("--select", "raw_listing", "bronze_s__op_drift", "silver_s__op_drift")
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    row = next(row for row in lakehouse.rows[TABLES_FILE] if row["source_table"] == "op_drift")
    row["renamed_columns"] = "v=v2"
    lakehouse.make_models()
    story.changes(31, change("I", 31, id=3, v2="later", w=None))
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    assert "3 are in bronze now" in operate("replay_quarantine", table="s__op_drift")
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    expected = [(1, "c", "y"), (2, "n", "z"), (3, "later", None), (4, None, "r")]
    assert lakehouse.table("op_drift", "id, v2, w") == expected


def test_an_old_key_of_bytes_is_the_same_from_files_and_from_a_replay(lakehouse, operate):
    assert lakehouse.table("op_bytes", "id, v") == [(KEYS[1], "b")]
    columns = (*BYTES, Column("added", pa.int32()))
    story = Story(lakehouse.raw / "op_bytes", "op_bytes", columns, before_image_prefix="BI_")
    story.changes(20, Change("U", {"id": KEYS[2], "v": "c", "added": 7}, at(20), {"id": KEYS[1]}))
    chosen = ("--select", "raw_listing", "bronze_s__op_bytes", "silver_s__op_bytes")
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    lakehouse.sql("alter table bronze.s__op_bytes add columns (added int)")
    said = operate("replay_quarantine", table="s__op_bytes")
    assert "s__op_bytes: 1 rows waited in quarantine, 1 are in bronze now, 0 still break a rule." in said
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    assert lakehouse.table("op_bytes", "id, v, added") == [(KEYS[2], "c", 7)]
    good = "select * from bronze.s__op_bytes where _cdc_quarantine_rule is null"
    old_keys = lakehouse.sql(f"select _cdc_old_key['id'] as id from ({good}) order by _cdc_sequence")
    assert [row.id for row in old_keys] == [None, None, "AAH/", "/wD+"]


def test_rows_of_parquet_files_are_replayed_in_the_types_that_the_files_had(lakehouse, operate):
    moment = pa.array([at(0)] * 2, pa.timestamp("us", "UTC"))
    put_types(
        lakehouse,
        "20240131-230100000",
        **{"Op": ["U", "I"], "id": [1, 2], "note": [b"tea", b"\xe9"], "moment": moment, "raw": ["text", "text"]},
    )
    words, numbers = ["Anna", "two words"], pa.array([7, 8], pa.int32())
    put_types(lakehouse, "20240131-230200000", Op=["I", "I"], id=[3, 4], note=words, moment=numbers)
    chosen = ("--select", "raw_listing", "bronze_s__op_types", "silver_s__op_types")
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    assert lakehouse.table("op_types", "id") == [(1,)]
    lakehouse.sql(  # as an older version of the project has quarantined them
        "update bronze.s__op_types set _cdc_quarantine_content ="
        " regexp_replace(_cdc_quarantine_content, ',\"\":[{].*[}]$', '}')"
        " where _cdc_source_file like '%230200000%'"
    )
    next(row for row in lakehouse.rows[TABLES_FILE] if row["source_table"] == "op_types")["schema_drift"] = "evolve"
    lakehouse.make_models()
    said = operate("replay_quarantine", table="s__op_types")
    assert "s__op_types: 4 rows waited in quarantine, 2 are in bronze now, 2 still break a rule." in said
    assert " 1 rows stay because their content does not give back each value for sure: an older version" in said
    assert set(lakehouse.statuses("run", *chosen).values()) == {"success"}
    assert lakehouse.table("op_types", "id, note, moment, raw") == [
        (1, "tea", "2024-01-31 23:00:00", b"text"),
        (4, "two words", "8", None),
    ]


def test_all_files_of_a_table_vanish(lakehouse):
    shutil.rmtree(lakehouse.raw / "op" / "s" / "op_soft")
    next((lakehouse.raw / "op" / "s" / "op_hard").glob("2024*")).unlink()
    before = lakehouse.table("op_hard")
    statuses = lakehouse.run_and_test("test_type:singular", "test_name:silver_matches_bronze")
    assert set(statuses.values()) <= {"success", "pass", "warn"}
    assert statuses["no_raw_file_vanished"] == "warn"
    assert [message for message in lakehouse.messages if message.startswith("  feed=op,")] == [
        f"  feed=op, source_schema=s, source_table=op_hard, files=1, example={row.path}, seen_at={row.first_seen_at}"
        for row in lakehouse.sql(
            "select * from etl_metadata.raw_listing where kind = 'vanished' and path like '%op_hard%'"
        )
    ]
    assert lakehouse.table("op_hard") == before
    assert lakehouse.table("op_soft", "id, _cdc_is_deleted") == [(1, True), (2, True), (3, True)]
    later = Story(lakehouse.raw / "op", "op_soft")
    later.load(10**9, {"id": 3, "v": "later", "w": None})
    assert set(lakehouse.build("--select", "raw_listing", "bronze_s__op_soft", "silver_s__op_soft").values()) <= {
        "success",
        "pass",
        "warn",
    }
    assert lakehouse.table("op_soft", "id, v, _cdc_is_deleted")[2] == (3, "later", False)


def test_what_is_over_is_not_warned_of(lakehouse):
    """Updates without a key of an earlier build, files that a reload has replaced, a feed that the seeds lack now."""
    stranger = lakehouse.raw / "op_csv" / "s" / "stranger"
    stranger.mkdir()
    (stranger / "LOAD00000001.csv").write_text("2024-01-31 23:00:00,1,a\n")
    Story(lakehouse.raw / "op", "op_hard").load(2 * 10**9, {"id": 7, "v": "reloaded", "w": None})
    statuses = lakehouse.run_and_test("no_change_without_key", "no_raw_file_vanished", FOLDERS)
    assert (statuses["no_change_without_key"], statuses["no_raw_file_vanished"]) == ("pass", "pass")
    assert statuses[FOLDERS] == "warn"
    for name, rows in lakehouse.rows.items():
        lakehouse.rows[name] = [row for row in rows if row.get("feed") != "op_csv"]
    lakehouse.make_models()
    assert lakehouse.run_and_test(FOLDERS, run=("--select", "raw_listing"))[FOLDERS] == "pass"


def test_a_feed_is_retired_with_its_tables(lakehouse):
    seeds = lakehouse.project / "seeds"
    before = {path.name: path.read_text().splitlines() for path in seeds.glob("*.csv")}
    said = lakehouse.command(retire, "--feeds", "op_drift", "nope", "--drop", "1")
    assert said == "FEED: found nope; accepted: a feed of seeds/cdc_feeds.csv, op, op_bytes, op_drift, op_types.\n"
    said = lakehouse.command(retire, "--feeds", "op_drift", "--drop", "1")
    assert "Dropped: silver.s__op_drift, bronze.s__op_drift" in said
    assert "1 row of cdc_feeds.csv, 1 row of cdc_tables.csv removed" in said
    for name, lines in before.items():
        assert (seeds / name).read_text().splitlines() == [line for line in lines if not line.startswith("op_drift,")]
    assert not [row for row in lakehouse.sql("show tables in silver") if row.tableName == "s__op_drift"]
    for name, rows in lakehouse.rows.items():
        lakehouse.rows[name] = [row for row in rows if row.get("feed") != "op_drift"]
    statuses = lakehouse.run_and_test("test_type:singular")
    assert not {"error", "fail", "skipped"} & set(statuses.values())
    assert "silver_s__op_drift" not in statuses
