"""Sessions: isolated from each other and from their own past, started with advice when they cannot start."""

from __future__ import annotations

import gc
import threading

import pytest
from dbt.adapters.exceptions import FailedToConnectError

from dbt.adapters.sparksession import session as sessions
from dbt.adapters.sparksession.credentials import SparksessionCredentials
from dbt.adapters.sparksession.session import get_pool


def use_and_return(pool, *statements):
    session = pool.take()
    for statement in statements:
        session.sql(statement)
    pool.give_back(session)
    return session


def test_settings_do_not_reach_the_next_user_of_a_session(pool):
    before = use_and_return(
        pool, "set spark.sql.shuffle.partitions = 77", "set `spark.sql.iceberg.snapshot-property.a` = b"
    )
    again = pool.take()
    assert again is before
    assert again.conf.get("spark.sql.shuffle.partitions") == "2"
    assert again.conf.get("spark.sql.iceberg.snapshot-property.a", "gone") == "gone"
    pool.give_back(again)


def test_temporary_views_do_not_reach_the_next_user_of_a_session(pool):
    before = use_and_return(pool, "create temporary view `left behind` as select 1 as a")
    again = pool.take()
    assert again is before
    assert not again.catalog.tableExists("`left behind`")
    pool.give_back(again)


def test_a_session_left_in_another_schema_is_not_used_again(pool):
    before = use_and_return(pool, "create schema if not exists elsewhere", "use elsewhere")
    again = pool.take()
    assert again is not before
    assert again.catalog.currentDatabase() == ""
    pool.give_back(again)


def test_a_session_is_used_again_in_a_thread_that_had_none(pool):
    before = use_and_return(pool)
    taken = []
    thread = threading.Thread(target=lambda: taken.append(use_and_return(pool)))
    thread.start()
    thread.join()
    assert taken == [before]


def test_two_threads_see_neither_views_nor_settings_of_each_other(pool):
    seen = {}
    together = threading.Barrier(2)

    def work(name):
        session = pool.take()
        session.sql(f"create temporary view mine as select '{name}' as name")
        session.sql(f"set spark.test.name = {name}")
        together.wait(60)
        seen[name] = session.sql("select name from mine").first().name, session.conf.get("spark.test.name")
        pool.give_back(session)

    threads = [threading.Thread(target=work, args=(name,)) for name in ("left", "right")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"left": ("left", "left"), "right": ("right", "right")}


def test_cancelling_stops_running_jobs_and_those_to_come(pool):
    outcome = []
    started = threading.Event()
    ended = threading.Event()

    def work():
        session = pool.take()
        pool.enter(session, "slow", "a test")
        started.set()
        for _ in range(2):
            try:
                session.range(10**13).where("sqrt(id) + id % 7 > 3").count()
            except Exception as error:
                outcome.append(str(error))
        ended.set()

    thread = threading.Thread(target=work)
    thread.start()
    started.wait(60)
    tracker = pool.root.sparkContext.statusTracker()
    while not tracker.getJobIdsForGroup("slow"):
        threading.Event().wait(0.05)
    pool.cancel("slow", ended)
    thread.join(120)
    assert [("cancelled" in text.lower()) for text in outcome] == [True, True]


def test_another_configuration_of_java_needs_another_process(pool):
    other = SparksessionCredentials(schema="a", config={**pool.config, "spark.driver.memory": "3g"})
    with pytest.raises(FailedToConnectError, match=r"other values of spark\.driver\.memory.*new process"):
        get_pool(other, "/", "/")


def test_a_session_that_dbt_did_not_start_is_not_taken_over(pool, monkeypatch, tmp_path):
    monkeypatch.setattr(sessions, "_current", None)
    with pytest.raises(FailedToConnectError, match="that dbt did not start"):
        get_pool(SparksessionCredentials(schema="a"), str(tmp_path), str(tmp_path))


def test_folders_that_cannot_be_made_are_all_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FailedToConnectError) as raised:
        sessions._make_directories([str(tmp_path / "file/a"), str(tmp_path / "ok"), str(tmp_path / "file/b")])
    assert f"{tmp_path}/file/a: Not a directory" in str(raised.value)
    assert f"{tmp_path}/file/b: Not a directory" in str(raised.value)


def test_what_was_read_before_spark_started_is_not_looked_through_for_garbage(pool):
    assert gc.get_freeze_count() > 100_000
