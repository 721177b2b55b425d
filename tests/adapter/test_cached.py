"""cached: what a query answered stays the answer."""

from __future__ import annotations

from datetime import datetime, timezone

from spark_files import cached, cached_part
from spark_files.capabilities import arrow_of


def test_rows_are_cached_as_they_were_and_read_without_a_job(session):
    session.sql(
        "create or replace temporary view source as"
        " select 1 as id, timestamp '2024-01-31 23:00:00.123456 UTC' as at, null as none"
    )
    query = session.sql("select id, at, cast(none as string) as none, array(id) as ids from source")
    frame = cached(query)
    session.sql("create or replace temporary view source as select 2 as id, current_timestamp() as at, null as none")
    assert frame.dtypes == query.dtypes
    frame.createOrReplaceTempView("cached_view")
    [row] = session.sql("select id, unix_micros(at) as at, none, ids from cached_view").collect()
    at = datetime(2024, 1, 31, 23, tzinfo=timezone.utc)
    assert tuple(row) == (1, int(at.timestamp()) * 1_000_000 + 123_456, None, [1])
    assert "LocalTableScan" in frame._jdf.queryExecution().toString()


def test_no_rows_keep_their_columns(session):
    frame = cached(session.sql("select 1 as id, 'a' as name where false"))
    assert (frame.columns, frame.count()) == (["id", "name"], 0)


def test_a_part_of_cached_rows_has_the_values_asked_for(session):
    values = "('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3)"
    rows = arrow_of(session.sql(f"select * from values {values} as rows (feed, name, id)"))
    assert [row.id for row in cached_part(session, rows, {"feed": "a", "name": "x"}).collect()] == [1]
    nothing = cached_part(session, rows, {"feed": "it's"})
    assert (nothing.columns, nothing.count()) == (["feed", "name", "id"], 0)
