"""Plans of bronze: new files, how they are read, which are left out, reloads, and what a batch records."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from harness import Dbt, Relation, assert_sql_equal, normalise
from table_configs import make_config

from python_udfs.pipeline.bronze import BatchRows, has_plain_changes
from python_udfs.pipeline.columns import Column, ExistingColumn
from python_udfs.pipeline.files import (
    REPLACED,
    BronzeTable,
    ListedTable,
    NewFiles,
    Rejection,
    Run,
    find_listed_table,
    find_new_files,
    judge_new_files,
)
from python_udfs.pipeline.reading import Reading, Target, open_files, read_new_files, read_target, warn_of_names
from python_udfs.pipeline.reloads import HeldReload, Reload, find_redelivered, judge_reloads, write_hashed_values
from python_udfs.pipeline.table_config import TableConfig

BRONZE = Relation("bronze", "shop__order")
FEED = {"feed": "it's", "format": "csv", "source_schema": "shop", "source_table": "order"}
NAMED = {name: FEED[name] for name in ("feed", "source_schema", "source_table")}
LISTED = {**NAMED, "batch_id": 10, "earlier_batch_id": 9, "file_count": 3}
NEWEST = {"path": "a", "kind": "load", "size": 100, "batch_id": 8, "is_newest": True}
ID = [{"name": "id", "type": "int"}]
READABLE = {"columns": ID, "schemas": [ID], "rejected": [], "found": []}
PATHS = NewFiles("select 1", 8, paths=("a",))


def model(unique_id: str, **cdc: Any) -> SimpleNamespace:
    config = SimpleNamespace(meta={"cdc": cdc})
    return SimpleNamespace(resource_type="model", unique_id=unique_id, name="", config=config)


def nodes(count: int) -> dict[str, Any]:
    return {str(number): model(str(number), layer="bronze") for number in range(count)}


def described(format: str = "csv", *, optional: bool = False, **options: Any) -> TableConfig:
    columns = [{"name": "id", "type": "int", "optional": optional}] if format == "csv" else []
    return make_config(**FEED | {"format": format, "columns": columns, "options": {"null_values": [""], **options}})


def find(dbt: Dbt, cdc: dict[str, Any] = FEED, after: int = 7, tables: int = 3, **words: Any) -> NewFiles:
    split = cdc.get("split")
    config = make_config(**cdc)
    table = BronzeTable("shop__order", config, "ref.raw_listing", "ref.rejected_files", split)  # type: ignore[arg-type]
    run = Run(nodes(tables), list(nodes(tables)), words.pop("is_empty", False))
    return find_new_files(dbt.context["adapter"], dbt.context, table, run, after, **words)


def read(dbt: Dbt, cdc: TableConfig, files: NewFiles, target: Target, verify: str = "schema") -> Reading:
    table = BronzeTable("shop__order", cdc, "ref.raw_listing", "ref.rejected_files")  # type: ignore[arg-type]
    return read_new_files(dbt.context["adapter"], dbt.context, table, files, target, verify)


def test_nothing_is_new_and_one_query_answers_for_all_tables():
    dbt = Dbt(answers={"is_shared": [LISTED]})
    files = find(dbt, after=10)
    assert files == NewFiles(files.sql, 10)
    assert files.sql.endswith("\nlimit 0")
    assert find(dbt, {**FEED, "source_table": "other"}, 0).paths == ()
    assert (len(dbt.queries), dbt.kept) == (1, {})


def test_an_empty_run_asks_nothing():
    dbt = Dbt()
    assert find(dbt, is_empty=True).sql.endswith("\nlimit 0")
    assert dbt.queries == []


@pytest.mark.parametrize(("newest", "queries"), [("10", 0), ("11", 1)])
def test_nothing_was_listed_since(newest, queries):
    dbt = Dbt(answers={"is_shared": [LISTED]}, recorded={"cdc.batch-id": newest})
    assert find(dbt, after=10).last_batch_id == 10
    assert (len(dbt.queries), dbt.kept) == (queries, {})


@pytest.mark.parametrize(
    ("listed", "cdc", "tables", "verify", "is_shared"),
    [
        ({"earlier_batch_id": 7}, FEED, 3, "schema", True),
        ({"earlier_batch_id": None}, FEED, 3, "schema", True),
        ({"earlier_batch_id": 7}, FEED, 2, "schema", False),
        ({"earlier_batch_id": 7}, FEED, 3, "full", False),
        ({"earlier_batch_id": 8}, FEED, 3, "schema", False),
        ({"earlier_batch_id": 7, "has_gone": True}, FEED, 3, "schema", False),
        ({"earlier_batch_id": 7, "file_count": 10_001}, FEED, 3, "schema", False),
        ({"earlier_batch_id": 7}, {**FEED, "split": "split_shop"}, 3, "schema", False),
    ],
)
def test_one_look_for_all_tables_with_new_files_in_the_newest_batch_alone(listed, cdc, tables, verify, is_shared):
    dbt = Dbt(answers={"is_shared": [{**LISTED, **listed}], "is_newest": [NEWEST]})
    find(dbt, cdc, tables=tables, verify=verify)
    assert dbt.kept_parts == {"shop__order__files": NAMED if is_shared else None}
    of_all = dbt.cdc_new_files_sql("ref.raw_listing", "ref.rejected_files", None, 9)
    assert (dbt.kept["shop__order__files"] == of_all) is is_shared


def row(path: str = "a", kind: str = "change", **words: Any) -> dict[str, Any]:
    return {"path": path, "kind": kind, "size": 100, "batch_id": 8, "is_newest": True, "revision": None, **words}


def test_rows_of_the_listing_become_files():
    rows = [
        row("a", "load"),
        row("b", batch_id=9, is_newest=False),
        row("b", batch_id=8, is_newest=False),
        row("b", revision=1),
        row("shop/order", "truncate", size=0, batch_id=10),
    ]
    assert judge_new_files(rows, "select 1", 7) == NewFiles(
        "select 1",
        last_batch_id=10,
        paths=("a", "b"),
        overwritten=("b",),
        rejections=(Rejection("b", "replaced", REPLACED),),
        has_truncate=True,
        has_load=True,
    )


@pytest.mark.parametrize(("size", "is_large"), [(16_000_000, False), (16_000_001, True)])
def test_a_large_file_is_read_by_several_tasks(size, is_large):
    assert judge_new_files([row(size=size), row("b")], "", 7).is_large is is_large


@pytest.mark.parametrize(
    ("facts", "are_plain"),
    [({}, True), ({"are_plain": False}, False), ({"changed_keys": '["id"]'}, False)],
)
def test_multi_table_rows_show_facts_of_messages(facts, are_plain):
    message = {"source_log": "{}", "names": '["id"]', "are_plain": True, "changed_keys": None}
    files = judge_new_files([row(kind="multi_table", **message | facts)], "", 7)
    assert (files.paths, files.names, files.source_logs, files.are_plain) == ((), ("id",), ("{}",), are_plain)
    assert files.has_multi_table


OF_TOPICS = {**FEED, "format": "json", "split": "split_shop", "is_kafka": True, "primary_key": ["ID"]}
MESSAGES = {
    "source_schema": FEED["source_schema"],
    "source_table": FEED["source_table"],
    "batch_id": 9,
    "names": '["id"]',
    "are_plain": True,
    "changed_keys": "[]",
}
OTHER_MESSAGES = {**MESSAGES, "source_table": "other", "names": '["code"]', "are_plain": False}


def new_messages(*rows: dict[str, Any], **settings: Any) -> tuple[Dbt, NewFiles]:
    cdcs = OF_TOPICS, {**OF_TOPICS, "source_table": "other", "primary_key": ["code"]}
    models = {cdc["source_table"]: model(cdc["source_table"], layer="bronze", **cdc) for cdc in cdcs}
    answers = settings.pop("answers", {"split_shop": list(rows)})
    dbt = Dbt(answers=answers, nodes=models, summary={"cdc.batch-id": "9"}, **settings)
    dbt.context["cdc_models_of"] = lambda layer: [SimpleNamespace(cdc=make_config(**cdc)) for cdc in cdcs]
    return dbt, find(dbt, OF_TOPICS)


def test_messages_of_the_newest_batch_are_asked_for_once_for_all_tables():
    dbt, files = new_messages(OTHER_MESSAGES, MESSAGES, range={"lower": 9, "upper": 9})
    assert (files.has_multi_table, files.names, files.are_plain, files.last_batch_id) == (True, ("id",), True, 9)
    [query] = dbt.queries
    assert "where batch_id = 9 group by source_schema, source_table" in normalise(query)
    assert "array('code', 'id')" in normalise(query), "the keys of all tables of the feed"
    assert dbt.kept == {}


@pytest.mark.parametrize(
    "batches",
    [{"lower": 8, "upper": 9}, {"lower": 8, "upper": 8}, {"lower": 9, "upper": 10}, {"lower": None, "upper": None}],
)
def test_a_table_with_messages_of_other_batches_asks_alone(batches):
    dbt, files = new_messages(MESSAGES, range=batches)
    assert files.last_batch_id == 9
    [query] = dbt.queries
    assert "where source_schema = 'shop' and source_table = 'order' and batch_id > 7 group by" in normalise(query)
    assert "array('id')" in normalise(query)


def test_no_file_has_a_message():
    dbt, files = new_messages(range=None)
    assert (dbt.queries, files) == ([], NewFiles(files.sql, 7))
    assert files.sql.endswith("limit 0")


def test_messages_that_the_query_of_all_does_not_have_are_asked_for_alone():
    answers = {"batch_id = 9": [OTHER_MESSAGES], "batch_id > 7": [MESSAGES]}
    dbt, files = new_messages(answers=answers, range={"lower": 9, "upper": 9})
    assert (files.names, len(dbt.queries)) == (("id",), 2)


@pytest.mark.parametrize(
    ("facts", "are_plain"),
    [
        ({}, True),
        ({"changed_keys": '["id"]'}, False),
        ({"changed_keys": '["code"]'}, True),
        ({"are_plain": False}, False),
    ],
)
def test_a_change_of_its_own_key_is_not_plain(facts, are_plain):
    _, files = new_messages({**MESSAGES, **facts}, range={"lower": 9, "upper": 9})
    assert files.are_plain is are_plain


def test_a_table_of_topics_has_no_listed_files():
    dbt = Dbt()
    assert find_listed_table(dbt.context["adapter"], dbt.context, "l", make_config(**OF_TOPICS), 0) == ListedTable(
        *NAMED.values()
    )


def test_reasons_of_rejections_are_text_and_each_version_has_its_rule():
    files = [Rejection("it's", "unreadable", r"\N"), Rejection("b", "replaced", REPLACED)]
    assert_sql_equal(
        Dbt().cdc_rejections_sql(FEED, "select 1 from files_of_the_batch", files),
        rf"""
        with candidates as (select 1 from files_of_the_batch),
        reasons as (
            select *
            from values ('it\'s', 'unreadable', '\\N'), ('b', 'replaced', '{REPLACED}')
                as reasons (path, rule, reason)
        )
        select
            'it\'s' as feed, 'shop' as source_schema, 'order' as source_table,
            candidates.path, candidates.size, candidates.modified_at, reasons.rule, reasons.reason,
            candidates.batch_id,
            current_timestamp() as rejected_at
        from candidates
        inner join reasons on candidates.path = reasons.path and candidates.is_newest = (reasons.rule <> 'replaced')
        """,
    )


CONTINUES = Dbt().cdc_csv_continues_sql("value", ",")


@pytest.mark.parametrize(
    ("format", "read_as", "options"),
    [
        ("csv", "text", {"verify": "full", "lineSep": "\n", "one_task": True, "find": CONTINUES}),
        (
            "parquet",
            "parquet",
            {"verify": "full", "types": "separate", "exact": ["Op"], "nested": "json", "key": [["id"]]},
        ),
    ],
)
@pytest.mark.parametrize("lines", [[], ["a"]])
def test_files_are_opened_by_their_format(format, read_as, options, lines):
    dbt = Dbt(files={**READABLE, "found": lines})
    reading = open_files(dbt.context["adapter"], dbt.context, described(format), "raw", ("a",), "full")
    named = [{**ID[0], "file_name": "id"}]
    columns, schemas = ([], [ID]) if format == "csv" else (named, [named])
    assert reading == Reading("raw", columns, schemas, [], bool(lines), "full")
    assert dbt.files_read == [("raw", read_as, ["a"], options)]
    assert dbt.queries == []


@pytest.mark.parametrize(("columns", "names"), [(ID, ["Op", "id"]), ([], [])])
def test_a_header_names_the_columns(columns, names):
    dbt = Dbt(files={**READABLE, "columns": columns}, answers={"headers": [{"name": "Op"}, {"name": "id"}]})
    reading = open_files(dbt.context["adapter"], dbt.context, described(header=True), "raw", ["a"], "full")
    assert reading.columns == [{"name": name, "file_name": name, "type": "string"} for name in names]
    assert reading.view == ("raw" if names else None), "nothing readable is no view"


def test_a_key_column_has_the_names_of_the_files():
    cdc = replace(described("parquet"), primary_key=("ID", "source__pos"), renamed_columns={"Nr": "id"})
    dbt = Dbt(files=READABLE)
    open_files(dbt.context["adapter"], dbt.context, cdc, "raw", ["a"], "full")
    assert dbt.files_read[0][3]["key"] == [["id", "nr"], ["_pos"]]


def test_nothing_is_opened_without_files():
    dbt = Dbt()
    assert read(dbt, described(), NewFiles("", 8), Target()) == Reading()
    assert dbt.files_read == []


@pytest.mark.parametrize(
    ("format", "columns", "words", "verified"),
    [
        ("parquet", {"id": "int"}, {}, ["schema"]),
        ("parquet", None, {}, ["schema"]),
        ("parquet", {"other": "int"}, {}, ["schema", "full"]),
        ("parquet", {"id": "int"}, {"is_reloaded": True}, ["full"]),
        ("parquet", {"id": "int"}, {"verify": "full"}, ["full"]),
        ("csv", {"id": "int"}, {}, ["schema"]),
        ("csv", None, {}, ["schema"]),
        ("csv", {"id": "int"}, {"summary": {"cdc.batch-id": "7", "cdc.line-breaks": "true"}}, ["full"]),
        ("csv", {"id": "int"}, {"is_large": True}, ["full"]),
        ("csv", {"id": "int"}, {"paths": ("a",) * 33}, ["full"]),
        ("csv", {"id": "int"}, {"is_reloaded": True}, ["full"]),
        ("csv", {"id": "int"}, {"verify": "full"}, ["full"]),
        ("csv", {"id": "int"}, {"optional": True}, ["full"]),
        ("csv", {"id": "int"}, {"header": True}, ["full"]),
    ],
)
def test_files_are_decoded_first_only_if_more_than_rows_depends_on_it(format, columns, words, verified):
    settings = {name: words[name] for name in ("optional", "header") if name in words}
    files = {name: value for name, value in words.items() if name in ("is_reloaded", "is_large", "paths")}
    dbt = Dbt(
        files=READABLE,
        columns={BRONZE: columns} if columns else {},
        summary=words.get("summary", {"cdc.batch-id": "7"}),
        answers={"headers": [{"name": "id"}]},
    )
    cdc = described(format, **settings)
    target = read_target(dbt.context["adapter"], cdc, BRONZE if columns else None, 7)
    batch = NewFiles("", 8, **{"paths": ("a",), **files})
    reading = read(dbt, cdc, batch, target, words.get("verify", "schema"))
    assert [options["verify"] for *_, options in dbt.files_read] == verified
    assert reading.verified == verified[-1]


def test_a_column_under_its_old_name_alone_is_renamed():
    dbt = Dbt(columns={BRONZE: {"OLD": "int", "kept": "date", "y": "int", "z": "int"}})
    cdc = make_config(renamed_columns={"old": "New", "y": "z", "nobody": "x"})
    target = read_target(dbt.context["adapter"], cdc, BRONZE, 7)
    assert [(column.name, column.dtype) for column in target.columns] == [
        ("New", "int"),
        ("kept", "date"),
        ("y", "int"),
        ("z", "int"),
    ]
    assert target.old_names == {"New": "old"}


def test_rows_of_a_table_are_compared_as_they_will_be_after_the_batch():
    plan = [
        Column("id", "bigint", change="promote"),
        Column("late", "date", change="add"),
        Column("New", "string"),
        Column("tags", "map<string,int>", change="add"),
    ]
    earlier = [{"file_key": "a", "earlier_millis": 1}]
    quote = Dbt().adapter.quote
    target = Target(old_names={"New": "OLD"})
    fresh, held = write_hashed_values(make_config(), plan, quote, target)
    assert fresh == ["`id`", "`late`", "`New`", "cast(`tags` as string)"]
    assert held == ["cast(`id` as bigint)", "cast(null as date)", "`OLD`", "cast(null as string)"]
    sql = normalise(Dbt().cdc_same_content_sql("select 1", BRONZE, fresh[:2], held[:2], earlier, make_config()))
    of_batch, of_table = sql.split("held as (")
    assert "1, `id`, 2, `late`)" in of_batch
    assert "1, cast(`id` as bigint), 2, cast(null as date))" in of_table


@pytest.mark.parametrize(("header", "content_if"), [(False, "has quarantined"), (True, None)])
def test_a_line_below_a_header_is_no_row_without_it(header, content_if):
    asked = []
    sql: Any = {
        "cdc_earlier_loads_sql": lambda *_: "earlier",
        "cdc_quarantined_loads_sql": lambda *_: "has quarantined",
        "cdc_bronze_sql": lambda *_, content_if: asked.append(content_if),
        "cdc_same_content_sql": lambda *_: "same",
    }
    load = {"file_key": "LOAD", "path": "p", "earlier": "2024-01-01 00:00:00", "is_known": False}
    warehouse: Any = SimpleNamespace(query=lambda text: [load], quote=str)
    table: Any = SimpleNamespace(cdc=described(header=header), listing="raw_listing")
    same, rejections = find_redelivered(
        *(warehouse, sql, table, SimpleNamespace(sql="files", has_load=True)),  # type: ignore[arg-type]
        *(SimpleNamespace(loads="loads"), Target(BRONZE), Reading("raw", ID), ()),  # type: ignore[arg-type]
    )
    assert (same, [rejection.rule for rejection in rejections]) == (["LOAD"], ["redelivered"])
    assert asked == [content_if]


def test_a_column_that_the_table_has_under_two_names_is_compared_as_one():
    plan = [Column("cost", "int"), Column("price", "bigint", "bigint"), Column("id", "int", "int")]
    target = Target(columns=[ExistingColumn("cost", "int"), ExistingColumn("price", "bigint")])
    cdc = make_config(renamed_columns={"cost": "price"})
    fresh, held = write_hashed_values(cdc, plan, Dbt().adapter.quote, target)
    assert fresh == ["`price`", "`id`"]
    assert held == ["coalesce(`price`, cast(`cost` as bigint))", "`id`"]


def test_names_that_are_reserved_or_nearly_those_of_dms_are_warned_of():
    names = [{"name": "source__pos", "file_name": "_pos", "type": "int"}, {"name": "op", "type": "string"}]
    warnings = warn_of_names(BRONZE, described("parquet"), Reading("raw", names))
    assert [warning.split(": column ")[1].split(" ")[0] for warning in warnings] == ["_pos", "op"]
    assert warnings[0].startswith("bronze.shop__order: column _pos is reserved and is called source__pos here")


UNREAD = '[{"file_key": "LOAD1.csv", "modified_millis": 5}]'


def reload(generation: int, untouched: str = "", unread: str = "[]") -> dict[str, Any]:
    return {"generation": generation, "untouched": untouched, "unread": unread}


@pytest.mark.parametrize(
    ("rows", "held", "ended", "warning"),
    [
        ([reload(2)], {}, [(2, False, None)], None),
        ([reload(2)], {2: HeldReload(True)}, [], None),
        ([reload(2)], {2: HeldReload()}, [(2, True, None)], None),
        ([reload(2, "a")], {}, [], "are still as an earlier load wrote them: a"),
        ([reload(2, "a"), reload(3)], {}, [(3, False, None)], None),
        ([reload(2, unread=UNREAD)], {}, [(2, False, UNREAD)], "could not be read: LOAD1.csv"),
        ([reload(2, "a", UNREAD)], {}, [(2, False, UNREAD)], "could not be read: LOAD1.csv"),
        ([reload(2)], {2: HeldReload(False, UNREAD)}, [(2, True, UNREAD)], "could not be read: LOAD1.csv"),
        ([reload(2, unread=UNREAD), reload(3)], {}, [(2, False, UNREAD), (3, False, None)], None),
    ],
)
def test_reloads_end_when_their_files_have_come_and_wait_for_files_that_nobody_could_read(rows, held, ended, warning):
    reloads, warnings = judge_reloads(BRONZE, rows, held)
    assert [(each.generation, each.is_held, each.unread) for each in reloads] == ended
    assert all(bool(each.reason) == bool(each.unread) for each in reloads)
    assert [warning in text for text in warnings] == ([True] if warning else [])


@pytest.mark.parametrize(
    ("cdc", "words", "expected"),
    [
        ({}, {}, True),
        ({"format": "csv"}, {}, True),
        ({"format": "json"}, {"are_plain": True}, True),
        ({"format": "json"}, {"are_plain": False}, False),
        ({"format": "json", "options": {"unavailable_value": "~"}}, {"are_plain": True}, True),
        ({"format": "json", "options": {"absent_columns": "keep"}}, {"are_plain": True}, False),
        ({"options": {"before_image_prefix": "BI_"}}, {}, False),
        ({"options": {"unavailable_value": "~"}}, {}, False),
        ({"options": {"absent_columns": "keep"}}, {}, False),
        ({}, {"has_truncate": True}, False),
        ({}, {"overwritten": ("a",)}, False),
        ({}, {"reloads": (Reload(2, False, None, None),)}, False),
    ],
    ids=str,
)
def test_changes_are_plain_if_no_row_needs_a_look(cdc, words, expected):
    files = NewFiles("", 8, are_plain=words.get("are_plain", True))
    rows = BatchRows(**{name: value for name, value in words.items() if name != "are_plain"})
    assert has_plain_changes(make_config(**{"format": "parquet"} | cdc), files, rows) is expected
