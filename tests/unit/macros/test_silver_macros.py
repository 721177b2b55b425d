"""From bronze to silver: what is read, what is kept of it, and how it is written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import CompilerError, Dbt, Relation, assert_sql_equal, normalise

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")
KEYS = ["id", "line no"]


def merge(delete_mode: str, keys: list[str], columns: list[str], completed_generation: int | None = None) -> str:
    return Dbt().cdc_merge_sql(SILVER, "news", keys, columns, delete_mode, completed_generation)


def test_cdc_merge_sql__hard():
    assert_sql_equal(
        merge("hard", ["id"], ["id", "name", "_cdc_sequence"]),
        """
        merge into silver.shop__order as target
        using news as source
        on target.`id` <=> source.`id`
        when matched and source._cdc_sequence > target._cdc_sequence and source._cdc_operation = 'D' then delete
        when matched and source._cdc_sequence > target._cdc_sequence then update set
            `id` = source.`id`, `name` = source.`name`, `_cdc_sequence` = source.`_cdc_sequence`
        when not matched and source._cdc_operation <> 'D' then insert (`id`, `name`, `_cdc_sequence`)
        values (source.`id`, source.`name`, source.`_cdc_sequence`)
        """,
    )


def test_cdc_merge_sql__soft():
    assert_sql_equal(
        merge("soft", ["id"], ["id", "_cdc_is_deleted", "_cdc_sequence"]),
        """
        merge into silver.shop__order as target
        using news as source
        on target.`id` <=> source.`id`
        when matched and source._cdc_sequence >= target._cdc_sequence and not source._cdc_has_image then update set
            `_cdc_is_deleted` = source.`_cdc_is_deleted`, `_cdc_sequence` = source.`_cdc_sequence`
        when matched and source._cdc_sequence >= target._cdc_sequence then update set
            `id` = source.`id`, `_cdc_is_deleted` = source.`_cdc_is_deleted`, `_cdc_sequence` = source.`_cdc_sequence`
        when not matched then insert (`id`, `_cdc_is_deleted`, `_cdc_sequence`)
        values (source.`id`, source.`_cdc_is_deleted`, source.`_cdc_sequence`)
        """,
    )


@pytest.mark.parametrize("delete_mode", ["hard", "soft"])
def test_cdc_merge_sql__guard_stands_in_the_matched_clauses_only(delete_mode):
    clauses = normalise(merge(delete_mode, KEYS, ["id", "_cdc_sequence"])).split(" when ")
    assert "on target.`id` <=> source.`id` and target.`line no` <=> source.`line no`" in clauses[0]
    guarded = [clause for clause in clauses if "target._cdc_sequence" in clause]
    assert guarded == [clause for clause in clauses if clause.startswith("matched ")]


def test_cdc_merge_sql__hard_removes_what_a_complete_reload_no_longer_holds():
    sql = normalise(merge("hard", ["id"], ["id", "_cdc_sequence"], 3))
    assert sql == (
        normalise(merge("hard", ["id"], ["id", "_cdc_sequence"]))
        + " when not matched by source and target._cdc_generation < 3 then delete"
    )


def test_cdc_merge_sql__soft_marks_what_a_complete_reload_no_longer_holds():
    unmarked = normalise(merge("soft", ["id"], ["id", "_cdc_sequence"]))
    matched, not_matched = unmarked.split(" when not matched ")
    mark = "target._cdc_generation < 3 then update set `_cdc_is_deleted` = true"
    # After the clauses of newer changes: the first that applies is the only one.
    assert normalise(merge("soft", ["id"], ["id", "_cdc_sequence"], 3)) == (
        f"{matched} when matched and {mark} when not matched {not_matched} when not matched by source and {mark}"
    )


def test_cdc_merge_sql__names_are_quoted():
    assert "`a``b` = source.`a``b`" in merge("hard", ["id"], ["a`b"])


def test_cdc_insert_sql__by_name():
    assert_sql_equal(
        Dbt().cdc_insert_sql(SILVER, "news", ["id", "line no"]),
        "insert into silver.shop__order (`id`, `line no`) select `id`, `line no` from news",
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((0, 0, 0), "select * from bronze.shop__order where false"),
        (
            ("41", 43, 7),
            "select * from bronze.shop__order with ('start-snapshot-id' = '41', 'end-snapshot-id' = '43')"
            " where _cdc_quarantine_rule is null",
        ),
        (
            (None, 43, 7),
            "select * from bronze.shop__order version as of 43"
            " where _cdc_quarantine_rule is null and _cdc_batch_id > 7",
        ),
    ],
)
def test_cdc_bronze_range_sql__form(arguments, expected):
    assert_sql_equal(Dbt().cdc_bronze_range_sql(BRONZE, *arguments), expected)


def test_cdc_bronze_range_summary_sql__of_the_range_given():
    assert_sql_equal(
        Dbt().cdc_bronze_range_summary_sql("select * from t"),
        """
        with changes as (select * from t)
        select
            min(_cdc_sequence) as first_sequence,
            max(_cdc_sequence) as last_sequence,
            max(_cdc_batch_id) as last_batch_id,
            max(_cdc_generation) filter (where _cdc_operation <> 'L') as complete_generation,
            date_format(max(_cdc_committed_at), 'yyyy-MM-dd HH:mm:ss.SSSSSS') as last_committed_at
        from changes
        """,
    )


def summary(
    first: str | None, last: str | None, batch: int | None, committed: str | None, generation: int | None = None
) -> dict[str, list[Any]]:
    row = {
        "first_sequence": first,
        "last_sequence": last,
        "last_batch_id": batch,
        "complete_generation": generation,
        "last_committed_at": committed,
    }
    return {"first_sequence": [row], "is_current_ancestor": [{"count": 1}]}


APPLIED = {"cdc.bronze-snapshot-id": "41", "cdc.batch-id": "7", "cdc.sequence": "m", "cdc.committed-at": "2024-01-02"}


def test_cdc_bronze_range__first_run():
    changes = Dbt(answers=summary("a", "z", 9, "2024-01-03")).cdc_bronze_range(BRONZE, 43, {})
    assert_sql_equal(changes.pop("sql"), Dbt().cdc_bronze_range_sql(BRONZE, None, 43, 0))
    assert changes == {
        "generation": 1,
        "completes_generation": False,
        "to_snapshot_id": 43,
        "applied_sequence": "",
        "has_late": False,
        "last_batch_id": 9,
        "last_sequence": "z",
        "last_committed_at": "2024-01-03",
    }


@pytest.mark.parametrize(("first", "has_late"), [("n", False), ("m", True), ("l", True)])
def test_cdc_bronze_range__late_is_what_does_not_come_after_the_last_applied(first, has_late):
    changes = Dbt(answers=summary(first, "z", 9, "2024-01-03")).cdc_bronze_range(BRONZE, 43, APPLIED)
    assert changes["has_late"] is has_late


def test_cdc_bronze_range__progress_never_goes_back():
    changes = Dbt(answers=summary("a", "b", 3, "2023-12-31")).cdc_bronze_range(BRONZE, 43, APPLIED)
    last = [changes[name] for name in ("last_batch_id", "last_sequence", "last_committed_at")]
    assert last == [7, "m", "2024-01-02"]


def test_cdc_bronze_range__empty_range_keeps_the_progress():
    changes = Dbt(answers=summary(None, None, None, None)).cdc_bronze_range(BRONZE, 43, APPLIED)
    last = [changes[name] for name in ("has_late", "last_batch_id", "last_sequence", "last_committed_at")]
    assert last == [False, 7, "m", "2024-01-02"]


@pytest.mark.parametrize(
    ("applied", "found", "expected"),
    [
        (None, None, (1, False)),
        (None, 1, (1, False)),
        (None, 2, (2, True)),
        ("2", None, (2, False)),
        ("2", 1, (2, False)),
        ("2", 2, (2, False)),
        ("2", 3, (3, True)),
        ("9", 10, (10, True)),
    ],
)
def test_cdc_bronze_range__a_change_of_a_newer_generation_completes_it(applied, found, expected):
    progress = {**APPLIED, **({"cdc.generation": applied} if applied else {})}
    changes = Dbt(answers=summary("n", "z", 9, "2024-01-03", found)).cdc_bronze_range(BRONZE, 43, progress)
    assert (changes["generation"], changes["completes_generation"]) == expected


def test_cdc_bronze_range__starts_at_the_snapshot_applied_last():
    changes = Dbt(answers=summary("n", "z", 9, "2024-01-03")).cdc_bronze_range(BRONZE, 43, APPLIED)
    assert_sql_equal(changes["sql"], Dbt().cdc_bronze_range_sql(BRONZE, "41", 43, 7))


def test_cdc_bronze_range__starts_at_the_batch_where_that_snapshot_is_gone():
    answers = {**summary("n", "z", 9, "2024-01-03"), "is_current_ancestor": [{"count": 0}]}
    changes = Dbt(answers=answers).cdc_bronze_range(BRONZE, 43, APPLIED)
    assert_sql_equal(changes["sql"], Dbt().cdc_bronze_range_sql(BRONZE, None, 43, 7))


@pytest.mark.parametrize(("count", "expected"), [(1, True), (0, False)])
def test_cdc_is_ancestor__case(count, expected):
    dbt = Dbt(answers={"snapshots.snapshot_id = 41": [{"count": count}]})
    assert dbt.cdc_is_ancestor(BRONZE, 41) is expected
    assert_sql_equal(
        dbt.queries[0],
        """
        select count(*) from bronze.shop__order.snapshots as snapshots
        inner join bronze.shop__order.history as history on snapshots.snapshot_id = history.snapshot_id
        where history.is_current_ancestor and snapshots.snapshot_id = 41
        """,
    )


CHANGES = {
    "sql": "select * from part",
    "generation": 1,
    "completes_generation": False,
    "to_snapshot_id": 43,
    "applied_sequence": "m",
    "has_late": False,
}
RELOAD = {**CHANGES, "generation": 3, "completes_generation": True}
PLAN = [
    {"name": "id", "raw_type": "int", "type": "int", "change": None},
    {"name": "gone", "raw_type": None, "type": "date", "change": None},
]
LOG = "change._cdc_committed_at, change._cdc_sequence, change._cdc_generation, change._cdc_batch_id"


def silver(changes: dict[str, Any] = CHANGES, is_first: bool = False, **cdc: Any) -> str:
    cdc = {"mode": "current", "delete_mode": "hard", "primary_key": ["id"], **cdc}
    return Dbt().cdc_silver_sql(cdc, BRONZE, changes, PLAN, is_first)


def test_cdc_silver_sql__hard():
    assert_sql_equal(
        silver(),
        f"""
        with news as (select * from part),
        changes as (select * from news),
        newest as (
            select max_by(struct(*), _cdc_sequence) as change, max_by(struct(*), _cdc_sequence) as image
            from changes
            group by `id`
        )
        select image.`id` as `id`, cast(null as date) as `gone`, change._cdc_operation, {LOG}
        from newest
        where change._cdc_generation >= 1
        """,
    )


def test_cdc_silver_sql__soft():
    assert_sql_equal(
        silver(delete_mode="soft"),
        f"""
        with news as (select * from part),
        changes as (select * from news),
        newest as (
            select
                max_by(struct(*), _cdc_sequence) as change,
                max_by(struct(*), _cdc_sequence) filter (where _cdc_operation <> 'D') as image
            from changes
            group by `id`
        )
        select
            if(image is null, change.`id`, image.`id`) as `id`,
            cast(null as date) as `gone`,
            change._cdc_operation = 'D' or change._cdc_generation < 1 as _cdc_is_deleted,
            image is not null as _cdc_has_image,
            change._cdc_operation, {LOG}
        from newest
        """,
    )


def test_cdc_silver_sql__append_takes_every_insert():
    assert_sql_equal(
        silver(mode="append", primary_key=[]),
        f"""
        with news as (select * from part),
        newest as (select struct(*) as change, struct(*) as image from news where _cdc_operation in ('I', 'L'))
        select image.`id` as `id`, cast(null as date) as `gone`, change._cdc_operation, {LOG}
        from newest
        """,
    )


def test_cdc_silver_sql__first_table_gets_no_deleted_row():
    assert normalise(silver(is_first=True)).endswith(
        "from newest where change._cdc_generation >= 1 and change._cdc_operation <> 'D'"
    )


def test_cdc_silver_sql__first_soft_table_keeps_deleted_rows_and_has_no_helper_column():
    sql = normalise(silver(is_first=True, delete_mode="soft"))
    assert sql.endswith("from newest")
    assert "_cdc_has_image" not in sql


@pytest.mark.parametrize("is_completing", [True, False])
def test_cdc_silver_sql__hard_takes_no_key_of_a_generation_before_the_complete_one(is_completing):
    sql = normalise(silver({**RELOAD, "completes_generation": is_completing}))
    assert sql.endswith("from newest where change._cdc_generation >= 3")


@pytest.mark.parametrize("is_completing", [True, False])
def test_cdc_silver_sql__soft_marks_keys_of_a_generation_before_the_complete_one(is_completing):
    sql = normalise(silver({**RELOAD, "completes_generation": is_completing}, delete_mode="soft"))
    assert "change._cdc_operation = 'D' or change._cdc_generation < 3 as _cdc_is_deleted," in sql
    assert sql.endswith("from newest")


def test_cdc_silver_sql__append_keeps_what_every_generation_inserted():
    assert normalise(silver(RELOAD, mode="append", primary_key=[])).endswith("change._cdc_batch_id from newest")


def test_cdc_generation_mark__is_a_comment_of_its_own_line():
    assert normalise(Dbt().cdc_generation_mark(3)) == "-- complete generation: 3"
    assert silver(RELOAD).strip().split("\n")[:2] == ["-- complete generation: 3", "with news as ("]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [(RELOAD, 3), ({**RELOAD, "generation": 12}, 12), ({**RELOAD, "completes_generation": False}, None)],
)
@pytest.mark.parametrize("words", [{}, {"delete_mode": "soft"}, {"is_first": True}])
def test_cdc_completed_generation__reads_the_mark_of_cdc_silver_sql(changes, expected, words):
    assert Dbt(compiled=silver(changes, **words)).cdc_completed_generation() == expected


def test_cdc_changes_sql__without_late_changes_only_the_news():
    sql = Dbt().cdc_changes_sql({"primary_key": KEYS}, BRONZE, CHANGES)
    assert_sql_equal(sql, "changes as (select * from news)")


def test_cdc_changes_sql__late_keys_are_read_again_from_the_whole_log():
    assert_sql_equal(
        Dbt().cdc_changes_sql({"primary_key": KEYS}, BRONZE, {**CHANGES, "has_late": True}),
        """
        late_keys as (select distinct `id`, `line no` from news where _cdc_sequence <= 'm'),
        log as (
            select * from bronze.shop__order version as of 43
            where _cdc_quarantine_rule is null and _cdc_batch_id > 0
        ),
        changes as (
            select * from news
            union all
            select log.* from log
            left semi join late_keys on log.`id` <=> late_keys.`id` and log.`line no` <=> late_keys.`line no`
        )
        """,
    )


@pytest.mark.parametrize(("is_soft", "marker"), [(False, ""), (True, "false as _cdc_is_deleted,")])
def test_cdc_silver_empty_sql__columns_without_rows(is_soft, marker):
    assert_sql_equal(
        Dbt().cdc_silver_empty_sql(BRONZE, PLAN, is_soft),
        f"""
        select cast(null as int) as `id`, cast(null as date) as `gone`, {marker}
            _cdc_operation, _cdc_committed_at, _cdc_sequence, _cdc_generation, _cdc_batch_id
        from bronze.shop__order
        where false
        """,
    )


OWN = dict.fromkeys(
    ["_cdc_operation", "_cdc_committed_at", "_cdc_sequence", "_cdc_generation", "_cdc_batch_id"], "string"
)
CDC = {
    "layer": "silver",
    "mode": "current",
    "delete_mode": "hard",
    "primary_key": ["id"],
    "source_schema": "shop",
    "source_table": "order",
}


def running(
    applied: dict[str, str] | None, *, bronze: dict[str, str], generation: int | None = None, **words: Any
) -> Dbt:
    """A silver model in a run: bronze is at snapshot 43; silver has applied what is given (none: it does not exist).

    The news hold changes of the `generation`; none: load rows only.
    """
    columns = {BRONZE: {**bronze, **OWN}}
    if applied is not None:
        columns[SILVER] = {"id": "int", **OWN}
    answers = {
        "map_filter": [{"progress": json.dumps(applied)}] if applied else [],
        ".refs": [{"snapshot_id": 43}],
        **summary("n", "z", 9, "2024-01-03 00:00:00.000000", generation),
    }
    return Dbt(**{"cdc": CDC, "columns": columns, "answers": answers, **words})


def set_properties(dbt: Dbt) -> list[str]:
    return [query for query in dbt.queries if query.startswith("set ")]


@pytest.mark.parametrize("words", [{"execute": False}, {"which": "compile"}, {"which": "docs"}, {"which": "test"}])
def test_cdc_silver__asks_nothing_unless_it_runs(words):
    dbt = running(APPLIED, bronze={"id": "int"}, **words)
    assert dbt.cdc_silver(BRONZE).startswith("-- nothing new: compiled without reading bronze\n")
    assert dbt.queries == []


def test_cdc_silver__bronze_is_missing():
    with pytest.raises(CompilerError, match=r"its bronze table bronze\.shop__order does not exist yet"):
        Dbt(cdc=CDC).cdc_silver(BRONZE)


def test_cdc_bronze_is_missing_message__says_what_to_run():
    assert_sql_equal(
        Dbt().cdc_bronze_is_missing_message(SILVER, BRONZE),
        "CDC error in silver.shop__order (cdc_silver): its bronze table bronze.shop__order does not exist yet."
        " Silver is built from bronze: run `dbt build`, or `dbt run --select +silver_shop__order`.",
    )


def test_cdc_silver__nothing_new_sets_nothing():
    dbt = running({**APPLIED, "cdc.bronze-snapshot-id": "43"}, bronze={"id": "int"})
    assert dbt.cdc_silver(BRONZE).startswith("-- nothing new: bronze is still at snapshot 43\n")
    assert set_properties(dbt) == []


def test_cdc_silver__news_and_progress():
    dbt = running(APPLIED, bronze={"id": "int"})
    sql = normalise(dbt.cdc_silver(BRONZE))
    assert sql.startswith("with news as (select * from bronze.shop__order with ('start-snapshot-id' = '41',")
    assert set_properties(dbt) == [
        "set `spark.sql.iceberg.snapshot-property.cdc.bronze-snapshot-id` = 43",
        "set `spark.sql.iceberg.snapshot-property.cdc.batch-id` = 9",
        "set `spark.sql.iceberg.snapshot-property.cdc.sequence` = z",
        "set `spark.sql.iceberg.snapshot-property.cdc.generation` = 1",
        "set `spark.sql.iceberg.snapshot-property.cdc.committed-at` = 2024-01-03 00:00:00.000000",
    ]


def test_cdc_silver__first_run_makes_the_whole_table():
    sql = normalise(running(None, bronze={"id": "int"}).cdc_silver(BRONZE))
    assert "from bronze.shop__order version as of 43" in sql
    assert sql.endswith("where change._cdc_generation >= 1 and change._cdc_operation <> 'D'")


@pytest.mark.parametrize(
    ("applied", "marks", "remembers"),
    [({}, [3], 3), ({"cdc.generation": "3"}, [], 3), ({"cdc.generation": "4"}, [], 4)],
)
def test_cdc_silver__a_reload_is_completed_once(applied, marks, remembers):
    dbt = running({**APPLIED, **applied}, bronze={"id": "int"}, generation=3)
    sql = dbt.cdc_silver(BRONZE)
    assert [generation for generation in range(9) if dbt.cdc_generation_mark(generation).strip() in sql] == marks
    assert f"set `spark.sql.iceberg.snapshot-property.cdc.generation` = {remembers}" in set_properties(dbt)
    assert f"change._cdc_generation >= {remembers}" in sql


def test_cdc_silver__stand_in_table_is_made_anew():
    dbt = running({"cdc.bronze-snapshot-id": "41", "cdc.batch-id": "7"}, bronze={"id": "int"})
    assert "version as of 43" in dbt.cdc_silver(BRONZE)
    assert dbt.dropped == [SILVER]


def test_cdc_silver__table_with_rows_is_never_dropped():
    dbt = running(APPLIED, bronze={"id": "int"})
    dbt.cdc_silver(BRONZE)
    assert dbt.dropped == []


def test_cdc_silver__no_source_column_yet():
    sql = normalise(running(None, bronze={}).cdc_silver(BRONZE))
    assert sql.startswith("select cast(null as string) as `id`, _cdc_operation")


ORDER = "`_cdc_operation`, `_cdc_committed_at`, `_cdc_sequence`, `_cdc_generation`, `_cdc_batch_id`"


def difference(columns: list[str], **cdc: Any) -> str:
    cdc = {"mode": "current", "delete_mode": "hard", "primary_key": ["id"], **cdc}
    return normalise(Dbt().cdc_silver_difference_sql(cdc, SILVER, BRONZE, 43, [*columns, *OWN]))


def compared(columns: str) -> str:
    return normalise(f"""
        missing_from_silver as (select {columns} from expected except all select {columns} from silver.shop__order),
        unexpected_in_silver as (select {columns} from silver.shop__order except all select {columns} from expected)
        select 'missing from silver' as difference, * from missing_from_silver
        union all
        select 'unexpected in silver' as difference, * from unexpected_in_silver
    """)


LOG_SQL = "with log as (select * from bronze.shop__order version as of 43 where _cdc_quarantine_rule is null),"
RELOAD_SQL = "reload as (select coalesce(max(_cdc_generation), 1) as generation from log where _cdc_operation <> 'L'),"
NEWEST_SQL = """
newest as (
    select ordered.*, ordered._cdc_operation = 'D' or ordered._cdc_generation < reload.generation as _is_deleted
    from ordered
    cross join reload
    where ordered._position = 1
),
"""


def test_cdc_silver_difference_sql__hard():
    assert_sql_equal(
        difference(["id", "Name"]),
        f"""
        {LOG_SQL}
        {RELOAD_SQL}
        ordered as (
            select *,
                row_number() over (partition by `id` order by _cdc_sequence desc) as _position,
                row_number() over (partition by `id`, _cdc_operation = 'D' order by _cdc_sequence desc)
                    as _position_of_kind
            from log
        ),
        {NEWEST_SQL}
        expected as (select `id`, `Name`, {ORDER} from newest where not _is_deleted),
        {compared(f"`id`, `Name`, {ORDER}")}
        """,
    )


def test_cdc_silver_difference_sql__soft_keeps_the_last_image():
    sql = difference(["id", "_cdc_is_deleted"], delete_mode="soft")
    assert "images as (select * from ordered where _cdc_operation <> 'D' and _position_of_kind = 1)" in sql
    assert "if(images._position is null, newest.`id`, images.`id`) as `id`," in sql
    assert normalise(RELOAD_SQL) in sql
    assert normalise(NEWEST_SQL) in sql
    assert "newest._is_deleted as _cdc_is_deleted from newest left join images on newest.`id` <=> images.`id`" in sql
    assert sql.endswith(compared(f"`id`, {ORDER}, `_cdc_is_deleted`"))


def test_cdc_silver_difference_sql__append():
    assert_sql_equal(
        difference(["id"], mode="append", primary_key=[]),
        f"""
        {LOG_SQL}
        expected as (select `id`, {ORDER} from log where _cdc_operation in ('I', 'L')),
        {compared(f"`id`, {ORDER}")}
        """,
    )
