"""Two commits to one table: the second one is made on what the first one left."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from dbt.adapters.sparksession.connections import SessionHandle


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 300
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.05)


@pytest.fixture
def table(session):
    session.sql("create schema if not exists conflicts")
    session.sql(
        "create table conflicts.t (id int, v string) using iceberg"
        " tblproperties ('format-version' = '2', 'write.merge.mode' = 'merge-on-read')"
    )
    for id_ in (1, 2):
        session.sql(f"insert into conflicts.t values ({id_}, 'old')")
    yield "conflicts.t"
    session.sql("drop table conflicts.t purge")


def test_a_merge_that_a_compaction_came_before_is_run_again(pool, session, table, tmp_path):
    started, go = tmp_path / "started", tmp_path / "go"

    def slow(value: str) -> str:
        import pathlib  # noqa: PLC0415  runs in Spark's Python worker
        import time  # noqa: PLC0415

        pathlib.Path(started).touch()
        while not pathlib.Path(go).exists():
            time.sleep(0.05)
        return value

    def merge() -> None:
        handle = SessionHandle(pool, "merge")
        handle.session.udf.register("slow", slow)
        handle.execute(
            f"/* dbt */ merge into {table} as target using (select 1 as id, slow('new') as v) as source"
            " on target.id = source.id when matched then update set * when not matched then insert *"
        )
        handle.close()

    thread = threading.Thread(target=merge)
    thread.start()
    wait_for(started)
    pool.enter(session, "compaction", "compaction")
    session.sql(f"call system.rewrite_data_files(table => '{table}', options => map('min-input-files', '2'))")
    go.touch()
    thread.join(300)
    assert sorted(tuple(row) for row in session.table(table).collect()) == [(1, "new"), (2, "old")]
