from __future__ import annotations

import pytest

from dbt.adapters.sparksession import snapshots
from spark_files.capabilities import commit_sql

TABLE = "branches.t"


@pytest.fixture(params=[2, 3], ids=["v2", "v3"])
def table(session, request):
    """Two rows in two commits, the first of which says how far it is."""
    session.sql("create schema if not exists branches")
    session.sql(
        f"create table {TABLE} using iceberg tblproperties ("
        f"'format-version' = '{request.param}', 'write.delete.mode' = 'merge-on-read') as select 1 as id"
    )
    commit_sql(session, f"insert into {TABLE} values (2), (3)", {"cdc.batch-id": "7"})
    yield session
    session.sql(f"drop table {TABLE}")


def ids(session) -> list[int]:
    return sorted(row.id for row in session.table(TABLE).collect())


def write(session, *, deletes: int = 2) -> None:
    snapshots.start_branch(session, TABLE, "b")
    session.sql(f"delete from {TABLE}.branch_b where id in (select id from range(2, {2 + deletes}))")


def test_the_current_snapshot_is_the_one_that_spark_shows(table):
    [row] = table.sql(f"select snapshot_id from {TABLE}.refs where name = 'main'").collect()
    assert snapshots.current_snapshot_id(table, TABLE) == row.snapshot_id


def test_a_table_without_snapshot_has_none(session):
    session.sql("create schema if not exists branches")
    session.sql("create table branches.empty (id int) using iceberg")
    assert snapshots.current_snapshot_id(session, "branches.empty") == 0
    assert snapshots.newest_summary(session, "branches.empty", "cdc.batch-id") == {}


def test_a_compaction_is_no_change_of_rows(table):
    before = snapshots.current_snapshot_id(table, TABLE)
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    [row] = table.sql(f"select snapshot_id from {TABLE}.refs where name = 'main'").collect()
    assert row.snapshot_id != before
    assert snapshots.current_snapshot_id(table, TABLE) == before


def test_the_newest_summary_that_has_the_key_counts(table):
    table.sql(f"insert into {TABLE} values (4)")
    assert snapshots.newest_summary(table, TABLE, "cdc.batch-id")["cdc.batch-id"] == "7"
    assert snapshots.newest_summary(table, TABLE, "total-records")["total-records"] == "4"


def test_the_current_summary_is_that_of_the_last_change_of_rows(table):
    assert snapshots.current_summary(table, TABLE)["cdc.batch-id"] == "7"
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    assert snapshots.current_summary(table, TABLE)["cdc.batch-id"] == "7"
    table.sql(f"insert into {TABLE} values (4)")
    assert "cdc.batch-id" not in snapshots.current_summary(table, TABLE), "another program's rows"


def test_few_rows_are_read_by_one_task(session, monkeypatch):
    session.sql("create schema if not exists branches")
    session.sql(f"create table {TABLE} (id int) using iceberg")
    try:
        assert snapshots.has_few_rows(session, TABLE)
        session.sql(f"insert into {TABLE} values (1), (2)")
        session.sql(f"insert into {TABLE} values (3)")
        for most, is_few in ((3, True), (2, False)):
            monkeypatch.setattr(snapshots, "_FEW_ROWS", most)
            assert snapshots.has_few_rows(session, TABLE) == is_few
            counts = session.sql(f"select id, count(*) from {snapshots.scan_sql(session, TABLE)} as t group by id")
            assert ("Exchange" in counts._jdf.queryExecution().toString()) != is_few
            assert sorted(counts.collect()) == [(1, 1), (2, 1), (3, 1)]
    finally:
        session.sql(f"drop table {TABLE}")


def test_a_rollback_takes_summaries_and_ancestors_back(table):
    [first, second] = [
        row.snapshot_id
        for row in table.sql(f"select snapshot_id from {TABLE}.snapshots order by committed_at").collect()
    ]
    assert snapshots.is_current_ancestor(table, TABLE, first)
    assert snapshots.is_current_ancestor(table, TABLE, second)
    table.sql(f"call system.rollback_to_snapshot('{TABLE}', {first})")
    assert snapshots.is_current_ancestor(table, TABLE, first)
    assert not snapshots.is_current_ancestor(table, TABLE, second)
    assert snapshots.newest_summary(table, TABLE, "cdc.batch-id") == {}


def test_the_partitions_that_rows_were_added_to(session):
    session.sql("create schema if not exists branches")
    session.sql(
        "create or replace table branches.parts (a string, b string, id int) using iceberg partitioned by (a, b)"
    )

    def head() -> int:
        return snapshots.head(session, "branches.parts")

    def added(after: int) -> set[tuple[str | None, ...]] | None:
        return snapshots.added_partitions(session, "branches.parts", after)

    session.sql("insert into branches.parts values ('s', 't', 1), ('s', 'it\\'s/x=1', 2)")
    first = head()
    assert added(first) == set()
    session.sql("insert into branches.parts values ('s', 'it\\'s/x=1', 3), (null, null, 4)")
    second = head()
    session.sql("call system.rewrite_data_files(table => 'branches.parts', options => map('rewrite-all', 'true'))")
    assert added(first) == {("s", "it's/x=1"), (None, None)}, "a compaction adds none"
    assert added(second) == set()
    session.sql(f"call system.rollback_to_snapshot('branches.parts', {first})")
    assert added(second) is None, "it was rolled back"
    session.sql("delete from branches.parts where id = 1")
    assert added(first) is None, "rows went"
    session.sql("drop table branches.parts")


def test_when_the_newest_snapshot_was_committed(table):
    [row] = table.sql(f"select max(committed_at) as at from {TABLE}.snapshots").collect()
    assert snapshots.committed_at(table, TABLE) == row.at.timestamp()


def since(table, snapshot_id=None):
    answer = snapshots.snapshots_since(table, TABLE, snapshot_id)
    return answer["is_ancestor"], [snapshot["snapshot_id"] for snapshot in answer["snapshots"]], answer["gone"]


def ordered(table) -> list[int]:
    rows = table.sql(f"select snapshot_id from {TABLE}.snapshots order by committed_at").collect()
    return [row.snapshot_id for row in rows]


def test_snapshots_since_one_of_them(table):
    first, second = ordered(table)
    assert since(table) == (True, [first, second], [])
    assert since(table, first) == (True, [second], [])
    assert since(table, second) == (True, [], [])
    [described] = snapshots.snapshots_since(table, TABLE, first)["snapshots"]
    assert described["summary"]["cdc.batch-id"] == "7"
    assert (described["operation"], described["net_rows"], described["rows"]) == ("append", 2, None)
    assert snapshots.snapshot(table, TABLE, first)["rows"] == 1
    [row] = table.sql(f"select committed_at from {TABLE}.snapshots where snapshot_id = {second}").collect()
    assert described["committed_at"] == row.committed_at.strftime("%Y-%m-%d %H:%M:%S.%f")


def test_rows_that_a_delete_by_position_removed_count(table):
    table.sql(f"delete from {TABLE} where id > 1")
    assert snapshots.snapshots_since(table, TABLE)["snapshots"][-1]["net_rows"] == -2
    table.sql(f"insert overwrite {TABLE} values (1), (2)")
    last = snapshots.snapshots_since(table, TABLE)["snapshots"][-1]
    assert (last["net_rows"], last["rows"]) == (1, 2)


def test_snapshots_since_one_that_was_rolled_back(table):
    first, second = ordered(table)
    table.sql(f"call system.rollback_to_snapshot('{TABLE}', {first})")
    table.sql(f"insert into {TABLE} values (4)")
    third = ordered(table)[-1]
    assert since(table, second) == (False, [first, third], [second])


def test_snapshots_since_one_that_is_gone(table):
    first, second = ordered(table)
    table.sql(f"insert into {TABLE} values (4)")
    third = ordered(table)[-1]
    assert since(table, 12345) == (False, [first, second, third], None)
    table.sql(f"call system.expire_snapshots(table => '{TABLE}', snapshot_ids => array({first}))")
    assert since(table, first) == (True, [second, third], []), "the next one names it"
    assert not snapshots.snapshots_since(table, TABLE, first)["has_start"], "but its rows cannot be read"
    assert snapshots.snapshots_since(table, TABLE, second)["has_start"]
    table.sql(f"call system.expire_snapshots(table => '{TABLE}', snapshot_ids => array({second}))")
    assert since(table, first) == (None, [third], None)
    table.sql(f"create or replace table {TABLE} using iceberg as select 1 as id")
    assert since(table, third)[0] is False
    assert since(table, third)[2] == [third]
    assert since(table, first)[0] is False


def test_a_branch_is_seen_when_it_is_published_and_leaves_no_name(table):
    write(table)
    table.sql(f"insert into {TABLE}.branch_b values (9)")
    assert ids(table) == [1, 2, 3]
    assert snapshots.publish_branch(table, TABLE, "b")
    assert ids(table) == [1, 9]
    assert [row.name for row in table.sql(f"select name from {TABLE}.refs").collect()] == ["main"]


def test_removed_rows_are_those_of_the_branchs_own_commit(table):
    snapshots.start_branch(table, TABLE, "b")
    assert snapshots.rows_removed(table, TABLE, "b") == 0
    write(table, deletes=1)
    assert snapshots.rows_removed(table, TABLE, "b") == 1
    assert snapshots.publish_branch(table, TABLE, "b")
    # The row stands in the file that has lost one already.
    write(table)
    assert snapshots.rows_removed(table, TABLE, "b") == 1


def test_a_branch_that_was_left_over_starts_anew(table):
    write(table)
    table.sql(f"insert into {TABLE} values (4)")
    snapshots.start_branch(table, TABLE, "b")
    assert snapshots.publish_branch(table, TABLE, "b")
    assert ids(table) == [1, 2, 3, 4]


def test_a_commit_of_another_writer_is_not_lost(table):
    write(table)
    table.sql(f"insert into {TABLE} values (4)")
    assert not snapshots.publish_branch(table, TABLE, "b")
    assert ids(table) == [1, 2, 3, 4]


def test_a_commit_between_the_look_and_the_publication_is_not_lost(table, monkeypatch):
    write(table)

    def look(*arguments):
        seen = leads_to(*arguments)
        table.sql(f"insert into {TABLE} values (4)")
        return seen

    leads_to = snapshots._leads_to
    monkeypatch.setattr(snapshots, "_leads_to", look)
    assert not snapshots.publish_branch(table, TABLE, "b")
    assert ids(table) == [1, 2, 3, 4]


def stage(session, sql: str) -> tuple[int, str, int]:
    """Has a statement write to the table as `spark.wap.id` s; returns what `publish_stage` asks for."""
    start = snapshots.head(session, TABLE)
    number = snapshots.allow_stages(session, TABLE)
    session.conf.set("spark.wap.id", "s")
    try:
        session.sql(sql)
    finally:
        session.conf.unset("spark.wap.id")
    return start, "s", number


STATEMENTS = {
    "insert": (f"insert into {TABLE} values (4)", [1, 2, 3, 4]),
    "merge": (f"merge into {TABLE} as t using (select 3 as id) as s on t.id = s.id when matched then delete", [1, 2]),
    "delete": (f"delete from {TABLE} where id % 2 = 1", [2]),
    "overwrite": (f"insert overwrite {TABLE} values (9)", [9]),
    "nothing": (
        f"merge into {TABLE} as t using (select 9 as id) as s on t.id = s.id when matched then delete",
        [1, 2, 3],
    ),
}


@pytest.mark.parametrize(("sql", "expected"), STATEMENTS.values(), ids=STATEMENTS)
def test_a_staged_write_is_seen_when_it_is_published(table, sql, expected):
    staged = stage(table, sql)
    assert ids(table) == [1, 2, 3]
    assert snapshots.publish_stage(table, TABLE, *staged)
    assert ids(table) == expected


@pytest.mark.parametrize(("sql", "_"), list(STATEMENTS.values())[:4], ids=list(STATEMENTS)[:4])
def test_a_staged_write_undoes_no_other_commit(table, sql, _):
    staged = stage(table, sql)
    table.sql(f"insert into {TABLE} values (8)")
    assert not snapshots.publish_stage(table, TABLE, *staged)
    assert ids(table) == [1, 2, 3, 8]


def test_a_staged_write_is_made_on_no_other_snapshot_than_it_was_decided_on(table):
    start = snapshots.head(table, TABLE)
    table.sql(f"insert into {TABLE} values (8)")
    assert not snapshots.write_staged(table, TABLE, start, lambda: table.sql(f"insert into {TABLE} values (4)"))
    assert ids(table) == [1, 2, 3, 8]
    assert table.conf.get("spark.wap.id", None) is None
    now = snapshots.head(table, TABLE)
    assert snapshots.write_staged(table, TABLE, now, lambda: table.sql(f"insert into {TABLE} values (4)"))
    assert ids(table) == [1, 2, 3, 4, 8]


def test_a_staged_write_undoes_no_rollback(table):
    first, _ = ordered(table)
    staged = stage(table, f"insert into {TABLE} values (4)")
    table.sql(f"call system.rollback_to_snapshot('{TABLE}', {first})")
    assert not snapshots.publish_stage(table, TABLE, *staged)
    assert ids(table) == [1]


def test_a_staged_write_that_somebody_expired_was_not_made(table):
    staged = stage(table, f"insert into {TABLE} values (4)")
    table.sql(f"call system.expire_snapshots(table => '{TABLE}', older_than => timestamp '2999-01-01')")
    assert not snapshots.publish_stage(table, TABLE, *staged)
    assert ids(table) == [1, 2, 3]


def test_the_first_rows_of_a_table_are_published(session):
    session.sql("create schema if not exists branches")
    session.sql(f"create table {TABLE} (id int) using iceberg")
    assert snapshots.head(session, TABLE) == 0
    staged = stage(session, f"insert into {TABLE} values (1)")
    assert ids(session) == []
    assert snapshots.publish_stage(session, TABLE, *staged)
    assert ids(session) == [1]
    session.sql(f"drop table {TABLE}")


def test_only_a_compaction_leaves_the_rows_as_they_were(table):
    start = snapshots.head(table, TABLE)
    assert not snapshots.is_only_compacted(table, TABLE, 0)
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    assert snapshots.head(table, TABLE) != start
    assert snapshots.is_only_compacted(table, TABLE, start)
    table.sql(f"insert into {TABLE} values (8)")
    assert not snapshots.is_only_compacted(table, TABLE, start)
    table.sql(f"call system.rollback_to_snapshot('{TABLE}', {ordered(table)[0]})")
    assert not snapshots.is_only_compacted(table, TABLE, start)


def test_a_table_is_unchanged_until_its_rows_its_columns_or_the_table_itself_are_others(table):
    start = snapshots.head(table, TABLE)

    def is_unchanged() -> bool:
        return snapshots.is_unchanged_since(table, TABLE, uuid, start)

    uuid = snapshots.snapshots_since(table, TABLE)["uuid"]
    assert is_unchanged()
    assert not snapshots.is_unchanged_since(table, TABLE, "another", start)
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    assert snapshots.head(table, TABLE) != start and is_unchanged()
    table.sql(f"insert into {TABLE} values (8)")
    assert not is_unchanged()
    table.sql(f"call system.rollback_to_snapshot('{TABLE}', {start})")
    assert is_unchanged()
    table.sql(f"alter table {TABLE} add column more int")
    assert not is_unchanged()


def test_a_snapshot_has_its_own_columns(table):
    columns = table.table(TABLE).columns
    table.sql(f"alter table {TABLE} add column more int")
    assert snapshots.read_newest_snapshot(table, TABLE).columns == columns
    table.sql(f"insert into {TABLE} ({', '.join([*columns, 'more'])}) values ({', '.join(['9'] * (len(columns) + 1))})")
    assert snapshots.read_newest_snapshot(table, TABLE).columns == [*columns, "more"]


# URL-encoded, nine bytes for each character: more than the name of a file may have.
LONG_NAMES = ["客" * 29, "x" * 300]


@pytest.mark.parametrize("way", ["staged", "branch"])
def test_a_value_of_a_partition_is_no_name_of_a_folder_also_in_a_table_that_exists(session, way):
    session.sql("create schema if not exists branches")
    session.sql(f"create table {TABLE} using iceberg partitioned by (name) as select 'a' as name")

    def insert(into: str = TABLE) -> None:
        session.createDataFrame([(name,) for name in LONG_NAMES], "name string").writeTo(into).append()

    if way == "staged":
        assert snapshots.write_staged(session, TABLE, snapshots.head(session, TABLE), insert)
    else:
        snapshots.start_branch(session, TABLE, "b")
        insert(f"{TABLE}.branch_b")
        assert snapshots.publish_branch(session, TABLE, "b")
    names = [row.name for row in session.table(TABLE).orderBy("name").collect()]
    assert names == sorted(["a", *LONG_NAMES])
    paths = [row.file_path for row in session.table(f"{TABLE}.files").collect()]
    assert len([path for path in paths if "name=" in path]) == 1, "the files from before stay where they are"
    partitions = [row.partition.name for row in session.table(f"{TABLE}.partitions").collect()]
    assert sorted(partitions) == names, "a reader of one partition still opens the files of this one alone"
    session.sql(f"drop table {TABLE}")


def test_properties_that_a_table_has_stay(session):
    session.sql("create schema if not exists branches")
    own = "'write.object-storage.enabled' = 'false'"
    session.sql(f"create table {TABLE} (name string) using iceberg partitioned by (name) tblproperties ({own})")
    snapshots.allow_stages(session, TABLE)
    rows = session.sql(f"show tblproperties {TABLE}").collect()
    assert {row.key: row.value for row in rows}["write.object-storage.enabled"] == "false"
    session.sql(f"drop table {TABLE}")
