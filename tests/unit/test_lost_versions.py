"""A listing that was dropped, rolled back or restored from a backup gets back what bronze has read."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone

import pytest

from python_udfs.landing.full_listings import list_landing
from python_udfs.metadata.of_models import Readers

START = datetime(2024, 2, 10, 12, 0, tzinfo=timezone.utc)
FEED = {"feed": "shop", "connector": "dms", "format": "csv", "location": "shop", "is_multi_table": True}
SCHEMA = "lakehouse.lost_versions"
LISTING, BRONZE, SPLIT, REJECTED = (
    f"{SCHEMA}.{name}" for name in ("raw_listing", "s__t", "split_shop", "rejected_files")
)
READERS = Readers({("shop", "s", "t"): BRONZE}, {"shop": SPLIT}, REJECTED)
LOAD, LOAD_2, GONE = "s/t/LOAD00000001.csv", "s/t/LOAD00000002.csv", "s/t/20240210-120003000.csv"
CHANGE, LATER, NEW = (f"s/t/20240210-12000{number}000.csv" for number in (1, 2, 9))
MANY = "CDC_TXN-20240210120001000.csv"


class Landing:
    """A landing area, its listing, and tables as bronze, the split and the rejections leave them."""

    def __init__(self, session, root):
        self.session, self.root = session, root
        session.sql(
            f"create table {BRONZE} (_cdc_source_file string, _cdc_operation string, _cdc_sequence string,"
            " _cdc_batch_id bigint, _cdc_ingested_at timestamp) using iceberg"
        )
        session.sql(
            f"create table {SPLIT} (path string, modified_at timestamp, file_key string, batch_id bigint) using iceberg"
        )
        session.sql(
            f"create table {REJECTED} (feed string, source_schema string, source_table string, path string,"
            " size bigint, modified_at timestamp, rule string, batch_id bigint, rejected_at timestamp)"
            " using iceberg"
        )

    def land(self, key, minutes, content=b"x"):
        path = self.root / "shop" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, ((START + timedelta(minutes=minutes)).timestamp(),) * 2)

    def list(self, hours):
        """One run; its rows, as (kind, key, size, minutes, batch, revision)."""
        is_there = self.session.catalog.tableExists(LISTING)
        files = list_landing(
            self.session, [FEED], LISTING if is_there else None, START + timedelta(hours=hours), readers=READERS
        )
        if files is None:
            return None
        rows = files.rows.localCheckpoint()
        rows.writeTo(LISTING).append() if is_there else rows.writeTo(LISTING).using("iceberg").create()
        return described(rows)

    def read(self, redelivered=()):
        """Bronze and the split read the newest batch, but for the files that were delivered again."""
        newest = f"select max(batch_id) from {LISTING}"
        keys = ", ".join(f"'{key}'" for key in ("", *redelivered))
        self.session.sql(
            f"insert into {REJECTED} select feed, source_schema, source_table, path, size, modified_at, 'redelivered',"
            f" batch_id, now() from {LISTING} where batch_id = ({newest}) and file_key in ({keys})"
        )
        self.session.sql(
            f"insert into {BRONZE} select file_key, if(kind = 'load', 'L', 'U'), concat('000001.1.', file_key, '.',"
            f" lpad(unix_millis(modified_at), 14, '0')), batch_id, now() from {LISTING}"
            f" where batch_id = ({newest}) and kind in ('load', 'change', 'multi_table') and file_key not in ({keys})"
        )
        self.session.sql(
            f"insert into {SPLIT} select path, modified_at, file_key, batch_id from {LISTING}"
            f" where batch_id = ({newest}) and kind = 'multi_table' union all select null, null, null, ({newest})"
        )

    def listing(self):
        return described(self.session.table(LISTING))


def described(rows):
    return {
        (row.kind, row.file_key, row.size, (row.modified_at - START.replace(tzinfo=None)).total_seconds() / 60,
         row.batch_id, row.revision or 0, row.file_time, row.source_table, row.path.rsplit("/", 1)[-1])
        for row in rows.collect()
    }  # fmt: skip


@pytest.fixture
def landing(spark, tmp_path, monkeypatch):
    monkeypatch.setenv("LAKEHOUSE_RAW", str(tmp_path))
    session = spark.newSession()
    session.sql(f"create schema if not exists {SCHEMA}")
    made = Landing(session, tmp_path)
    for minutes, key in enumerate((LOAD, LOAD_2, CHANGE, LATER, GONE, MANY)):
        made.land(key, minutes)
    made.list(0)
    made.read()
    made.land(LOAD, 20, b"other rows")
    made.land(LOAD_2, 21)
    made.land(CHANGE, 22, b"other content")
    made.list(1)
    made.read(redelivered=[LOAD_2])
    yield made
    for table in (LISTING, BRONZE, SPLIT, REJECTED):
        session.sql(f"drop table if exists {table} purge")


def roll_back(session):
    first = session.sql(f"select min_by(snapshot_id, committed_at) as id from {LISTING}.snapshots").first().id
    session.sql(f"call lakehouse.system.rollback_to_snapshot('lost_versions.raw_listing', {first})")


def restore(session):
    files = session.sql(f"select min_by(file, timestamp) as file from {LISTING}.metadata_log_entries").first().file
    session.sql(f"drop table {LISTING}")
    session.sql(f"call lakehouse.system.register_table('lost_versions.raw_listing', '{files}')")


LOSSES = {
    "dropped": lambda session: session.sql(f"drop table {LISTING}"),
    "rolled back": roll_back,
    "restored": restore,
}


@pytest.mark.parametrize(("loss", "hours"), [*((loss, 2) for loss in LOSSES), ("dropped", -500)])
def test_a_listing_that_was_lost_is_as_before_and_no_file_is_new_again(landing, loss, hours):
    """Even if the clock went back: a batch below those of bronze would never be read."""
    before = landing.listing()
    LOSSES[loss](landing.session)
    landing.land(NEW, 30)
    newest = max(row[4] for row in before)
    rows = landing.list(hours)
    new = {row for row in rows if row[4] > newest}
    assert {row[:2] for row in new} == {("change", NEW)}
    after = {row[:5] + row[6:] for row in landing.listing() - new}
    before = {row[:5] + row[6:] for row in before}
    # Of content that is not there any more nobody knows the size.
    sizes = {(*row[:2], None, *row[3:]) for row in before}
    assert after <= before | sizes
    assert {row[:2] + row[3:] for row in after} == {row[:2] + row[3:] for row in before}
    assert {row for row in after if row[2] is None} <= {row for row in sizes if row[1] in (LOAD, LOAD_2, CHANGE)}
    assert landing.list(hours + 1) is None, "nothing is lost any more"


def test_a_file_that_is_not_there_any_more_is_vanished_and_truncates_nothing(landing):
    LOSSES["dropped"](landing.session)
    for path in (landing.root / "shop" / "s" / "t").iterdir():
        path.unlink()
    landing.land(MANY, 30, b"longer")
    truncates = {**FEED, "vanished_files": {("s", "t"): "truncate"}}
    rows = list_landing(landing.session, [truncates], None, START + timedelta(hours=2), readers=READERS).rows.collect()
    kinds = {(row.kind, row.file_key) for row in rows}
    assert ("vanished", GONE) in kinds and ("vanished", LOAD) in kinds
    assert "truncate" not in {kind for kind, _ in kinds}


def test_a_version_that_came_while_the_listing_was_lost_has_replaced_the_one_that_bronze_has(landing):
    LOSSES["dropped"](landing.session)
    landing.land(LATER, 30, b"overwritten")
    rows = landing.list(2)
    [version] = [row for row in rows if row[1] == LATER and row[3] == 30]
    assert version[5] == 1, "it is not the first version of its file"
