"""release_readers: reading tables leaves nothing behind in Java."""

from __future__ import annotations

from dbt.adapters.sparksession.readers import release_readers

TABLE = "readers.t"


def allocators(session):
    return session._jvm.org.apache.iceberg.arrow.ArrowAllocation.rootAllocator().getChildAllocators().size()


def test_allocators_of_readers_that_have_ended_are_closed(session):
    session.sql("create schema if not exists readers")
    session.sql(f"create table {TABLE} using iceberg as select id, cast(id as string) as text from range(100)")
    release_readers()
    for _ in range(3):
        session.table(f"{TABLE}").selectExpr("max(text)").collect()
    assert allocators(session) > 0, "Iceberg closes them itself now: release_readers can go"
    release_readers()
    assert allocators(session) == 0
    assert session.table(f"{TABLE}").count() == 100, "tables can be read as before"


def test_a_process_without_spark_has_nothing_to_release(monkeypatch):
    monkeypatch.setattr("pyspark.SparkContext._active_spark_context", None)
    release_readers()
