"""Manifests know the same of appended rows as Spark finds by reading them, or nothing."""

from __future__ import annotations

import pytest

from dbt.adapters.sparksession import metrics, snapshots
from spark_files.capabilities import appended_rows_sql, commit_sql, drop_views_of_ranges
from spark_files.internals import iceberg_table

TABLE = "metrics.t"
LONG = "x" * 40
COLUMNS = {
    "i": "int", "l": "bigint", "d": "decimal(20,3)", "day": "date", "at": "timestamp", "short": "string",
    "long": "string", "empty": "string", "list": "array<string>", "map": "map<string, string>",
}  # fmt: skip
FIRST = f"""
    (1, 5L, 0.001, date '1969-12-31', timestamp '1969-12-31 23:59:59.999999', 'b', '{LONG}b', null, null, null),
    (null, -7L, -12345678901234567.125, date '9999-12-31', timestamp '2024-02-29 12:00:00', 'ß', '{LONG}a', null,
        array('v', null), map('k', null))
"""
SECOND = f"(-3, 9L, 1000, date '0001-01-01', timestamp '2300-01-01', '😀', '{LONG}', null, array(), null)"
# Years that Spark has and Python has not.
FAR = ", ".join(
    f"({number}, 2L, 2, cast('{day}' as date), cast('{at}' as timestamp), 'a', 'a', null, null, null)"
    for number, day, at in [
        (2, "+10000-01-01", "+10000-01-01 00:00:00.000001"),
        (3, "-0044-03-15", "-0001-12-31 23:59:59.999999"),
    ]
)


@pytest.fixture
def table(session):
    session.sql("create schema if not exists metrics")
    columns = ", ".join(f"`{name}` {data_type}" for name, data_type in COLUMNS.items())
    session.sql(
        f"create table {TABLE} ({columns}) using iceberg tblproperties ('write.metadata.metrics.column.long' = 'full')"
    )
    session.sql(f"insert into {TABLE} values {SECOND}")
    yield session
    drop_views_of_ranges(session)
    session.sql(f"drop table {TABLE}")


def append(session, *batches: str, **recorded: str) -> tuple[int, int]:
    """The snapshots before and after these batches; each commit records what is given."""
    before = snapshots.current_snapshot_id(session, TABLE)
    for batch in batches:
        commit_sql(session, f"insert into {TABLE} values {batch}", recorded)
    return before, snapshots.current_snapshot_id(session, TABLE)


def by_reading(session, before: int, after: int, columns: list[str]) -> dict:
    rows = session.sql(f"select * from {appended_rows_sql(session, TABLE, before, after) if before else TABLE}")
    computed = {"records": rows.count()}
    for name in columns:
        value = {"list": "explode(list)", "map": "explode(map_keys(map))"}.get(name, f"`{name}`")
        rows.selectExpr(f"{value} as v").createOrReplaceTempView("values_of_column")
        [row] = session.sql(
            "select cast(min(v) as string) as lower, cast(max(v) as string) as upper, count(*) as values,"
            " count_if(v is null) as nulls from values_of_column"
        ).collect()
        computed[name] = row.asDict()
    return computed


def normal(computed: dict) -> dict:
    """Spark leaves out the zeros of a second, and of an empty array Iceberg counts one null."""
    at = computed.get("at")
    if at:
        at |= {end: at[end].removesuffix(".000000") for end in ("lower", "upper")}
    return computed


@pytest.mark.parametrize("batches", [[FIRST], [FIRST, SECOND], [SECOND, SECOND, FIRST, FAR]], ids=len)
def test_bounds_and_counts_are_those_of_the_rows(table, batches):
    before, after = append(table, *batches)
    plain = [name for name in COLUMNS if name not in ("list", "map")]
    actual = metrics.added_metrics(table, TABLE, before, after, plain)
    assert actual.pop("summaries")
    assert normal(actual) == by_reading(table, before, after, plain)


def test_of_nested_values_iceberg_has_no_metrics(table):
    before, after = append(table, FIRST)
    for name in ("list", "map"):
        assert metrics.added_metrics(table, TABLE, before, after, [name]) is None


def test_summaries_are_those_of_the_commits_that_appended_rows(table):
    before, _ = append(table, FIRST)
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    _, after = append(table, SECOND, **{"cdc.batch-id": "7"})
    append(table, SECOND)
    summaries = metrics.added_metrics(table, TABLE, before, after, ["i"])["summaries"]
    assert [(summary["added-records"], summary.get("cdc.batch-id")) for summary in summaries] == [
        ("1", "7"),
        ("2", None),
    ]


def test_a_cut_bound_is_no_answer(table):
    table.sql(f"alter table {TABLE} unset tblproperties ('write.metadata.metrics.column.long')")
    before, after = append(table, FIRST)
    assert metrics.added_metrics(table, TABLE, before, after, ["i", "long"]) is None
    table.sql(f"alter table {TABLE} set tblproperties ('write.metadata.metrics.default' = 'truncate(5)')")
    before, after = append(table, FIRST)
    assert metrics.added_metrics(table, TABLE, before, after, ["long"]) is None
    assert metrics.added_metrics(table, TABLE, before, after, ["short"])["short"]["upper"] == "ß"


def test_metrics_that_were_not_written_are_no_answer(table):
    table.sql(f"alter table {TABLE} set tblproperties ('write.metadata.metrics.column.l' = 'none')")
    before, after = append(table, FIRST)
    assert metrics.added_metrics(table, TABLE, before, after, ["l"]) is None
    table.sql(f"alter table {TABLE} set tblproperties ('write.metadata.metrics.column.l' = 'counts')")
    before, after = append(table, FIRST)
    assert metrics.added_metrics(table, TABLE, before, after, ["l"]) is None
    assert metrics.added_metrics(table, TABLE, before, after, ["i", "no such column"]) is None


def test_a_column_that_came_later_is_no_answer_for_earlier_files(table):
    before, after = append(table, FIRST)
    table.sql(f"alter table {TABLE} add column late int")
    assert metrics.added_metrics(table, TABLE, before, after, ["late"]) is None


def test_a_widened_column_has_the_values_of_both_types(table):
    before, _ = append(table, FIRST)
    table.sql(f"alter table {TABLE} alter column i type bigint")
    _, after = append(table, "(3000000000" + SECOND[3:])
    actual = metrics.added_metrics(table, TABLE, before, after, ["i"])
    assert actual.pop("summaries")
    assert actual == by_reading(table, before, after, ["i"])
    assert (actual["i"]["lower"], actual["i"]["upper"]) == ("1", "3000000000")


def test_rows_of_a_compaction_are_not_added_ones(table):
    before, after = append(table, FIRST)
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    [row] = table.sql(f"select snapshot_id from {TABLE}.refs where name = 'main'").collect()
    assert metrics.added_metrics(table, TABLE, before, row.snapshot_id, ["i"])["records"] == 2
    assert metrics.added_metrics(table, TABLE, after, row.snapshot_id, ["i"])["records"] == 0


def test_all_rows_are_known_where_the_snapshots_that_are_left_appended_them(table):
    _, after = append(table, FIRST, SECOND)
    actual = metrics.added_metrics(table, TABLE, None, after, ["i", "day"])
    assert len(actual.pop("summaries")) == 3
    assert actual == by_reading(table, 0, after, ["i", "day"])
    table.sql(f"call system.rewrite_data_files(table => '{TABLE}', options => map('rewrite-all', 'true'))")
    [row] = table.sql(f"select snapshot_id from {TABLE}.refs where name = 'main'").collect()
    assert metrics.added_metrics(table, TABLE, None, row.snapshot_id, ["i"])["records"] == 4
    table.sql(f"call system.expire_snapshots(table => '{TABLE}', older_than => timestamp '2999-01-01')")
    assert metrics.added_metrics(table, TABLE, None, row.snapshot_id, ["i"]) is None, "summaries are gone"


def test_of_all_rows_nothing_is_known_once_some_are_deleted(table):
    for mode in ("copy-on-write", "merge-on-read"):
        table.sql(f"alter table {TABLE} set tblproperties ('write.delete.mode' = '{mode}')")
        append(table, FIRST)
        table.sql(f"delete from {TABLE} where i = 1")
        after = snapshots.current_snapshot_id(table, TABLE)
        assert metrics.added_metrics(table, TABLE, None, after, ["i"]) is None


def test_all_rows_of_a_table_that_a_query_made_are_known(table):
    table.sql("create or replace table metrics.made using iceberg as select * from values (1), (7) as v (i)")
    after = snapshots.current_snapshot_id(table, "metrics.made")
    actual = metrics.added_metrics(table, "metrics.made", None, after, ["i"])
    assert (actual["records"], actual["i"]["lower"], actual["i"]["upper"], len(actual["summaries"])) == (2, "1", "7", 1)
    table.sql("insert overwrite metrics.made values (2)")
    after = snapshots.current_snapshot_id(table, "metrics.made")
    assert metrics.added_metrics(table, "metrics.made", None, after, ["i"]) is None
    table.sql("drop table metrics.made")


def test_many_files_are_no_answer(table, monkeypatch):
    monkeypatch.setattr(metrics, "MOST_FILES", 2)
    before, after = append(table, FIRST)
    assert metrics.added_metrics(table, TABLE, before, after, ["i"])
    _, after = append(table, SECOND)
    assert metrics.added_metrics(table, TABLE, before, after, ["i"]) is None


@pytest.fixture
def parts(session):
    session.sql("create schema if not exists metrics")
    session.sql("create table metrics.parts (n bigint, s string, t string) using iceberg partitioned by (s, t)")
    for rows in ("(5L, 'a', 'x'), (9L, 'a', 'y'), (1L, 'b', 'x')", "(7L, 'a', 'x'), (null, 'a', 'z')"):
        session.sql(f"insert into metrics.parts values {rows}")
    yield session
    session.sql("drop table metrics.parts")


@pytest.mark.parametrize(
    ("above", "values", "expected"),
    [
        (0, {"s": "a", "t": "x"}, {"lower": 5, "upper": 7}),
        (5, {"s": "a", "t": "x"}, {"lower": 7, "upper": 7}),
        (6, {"s": "a", "t": "x"}, {"lower": 7, "upper": 7}),
        (7, {"s": "a", "t": "x"}, None),
        (2**40, {"s": "a", "t": "y"}, None),
        (0, {"s": "a", "t": "y"}, {"lower": 9, "upper": 9}),
        (0, {"s": "a", "t": "z"}, None),
        (0, {"s": "a", "t": "X"}, None),
        (0, {"s": "it's", "t": "x"}, None),
    ],
    ids=str,
)
def test_the_range_of_the_files_that_may_hold_rows(parts, above, values, expected):
    assert metrics.value_range(iceberg_table(parts, "metrics.parts"), "n", above, values) == expected
    where = " and ".join(f"{name} = {value!r}" for name, value in values.items())
    [row] = parts.sql(f"select min(n) lower, max(n) upper from metrics.parts where n > {above} and {where}").collect()
    assert row.asDict() == (expected or {"lower": None, "upper": None})


def test_a_range_is_unknown_or_wider_where_files_hold_more(parts, monkeypatch):
    of_all = {"s": "a", "t": "x"}
    monkeypatch.setattr(metrics, "MOST_FILES", 1)
    assert metrics.value_range(iceberg_table(parts, "metrics.parts"), "n", 0, of_all) == {"lower": None, "upper": None}
    monkeypatch.undo()
    parts.sql("call system.rewrite_data_files(table => 'metrics.parts', options => map('rewrite-all', 'true'))")
    assert metrics.value_range(iceberg_table(parts, "metrics.parts"), "n", 5, of_all) == {"lower": 6, "upper": 7}
    parts.sql("alter table metrics.parts set tblproperties ('write.metadata.metrics.default' = 'none')")
    parts.sql("insert into metrics.parts values (8L, 'a', 'x')")
    assert metrics.value_range(iceberg_table(parts, "metrics.parts"), "n", 5, of_all) == {"lower": None, "upper": None}


def test_whether_a_table_may_have_values_of_a_column(table):
    assert not metrics.may_have_values(table, TABLE, "empty")
    assert metrics.may_have_values(table, TABLE, "short")
    table.sql(f"insert into {TABLE} values (1, null, null, null, null, null, null, 'rule', null, null)")
    assert metrics.may_have_values(table, TABLE, "empty")
    table.sql(f"delete from {TABLE} where empty = 'rule'")
    assert not metrics.may_have_values(table, TABLE, "empty")
    table.sql(f"alter table {TABLE} set tblproperties ('write.metadata.metrics.column.empty' = 'none')")
    append(table, SECOND)
    assert metrics.may_have_values(table, TABLE, "empty"), "a file without metrics"


def test_a_table_without_rows_has_no_values(session):
    session.sql("create schema if not exists metrics")
    session.sql("create table metrics.none (s string) using iceberg")
    assert not metrics.may_have_values(session, "metrics.none", "s")
    session.sql("drop table metrics.none")
