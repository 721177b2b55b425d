"""Commands for operators: what they ask, what they say."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from harness import Dbt, Relation, assert_sql_equal

from python_udfs.errors import LakehouseError
from python_udfs.retype import operation

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")


def table(**cells: Any) -> dict[str, Any]:
    return {
        "layer": "silver",
        "feed": "retail",
        "source_schema": "shop",
        "source_table": "order",
        "primary_key": ["id"],
        "mode": "current",
        "delete_mode": "hard",
        **cells,
    }


def graph(**cells: Any) -> dict[str, Any]:
    """The graph of a project with one table."""
    silver = table(**cells)
    return {
        f"model.{layer}": SimpleNamespace(
            resource_type="model",
            name=f"{layer}_shop__order",
            alias="shop__order",
            database=None,
            schema=layer,
            config=SimpleNamespace(meta={"cdc": {"format": "csv", **silver, "layer": layer}}),
        )
        for layer in ("bronze", "silver")
    }


def test_cdc_explain_key_sql__compares_in_the_type_and_by_the_rule_of_the_table():
    cdc = table(key_comparison=["ignore_case", "ignore_trailing_spaces"])
    key, types = {"id": "01", "no": None, "it's": "A"}, {"id": "int", "no": "int", "it's": "string"}
    sql = Dbt().cdc_explain_key_sql(cdc, key, types)
    assert_sql_equal(
        sql,
        "try_cast(`id` as int) <=> try_cast('01' as int) and try_cast(`no` as int) <=> try_cast(null as int)"
        " and lower(rtrim(try_cast(`it's` as string))) <=> lower(rtrim(try_cast('A' as string)))",
    )
    old = Dbt().cdc_explain_key_sql(table(), {"it's": "1"}, {"it's": "int"}, is_old=True)
    assert_sql_equal(old, "try_cast(_cdc_old_key['it\\'s'] as int) <=> try_cast('1' as int)")
    old = Dbt().cdc_explain_key_sql(table(), {"id": "a"}, {"id": "binary"}, is_old=True)
    decoded = "try_to_binary(_cdc_old_key['id'], 'base64')"
    assert_sql_equal(old, f"try_cast({decoded} as binary) <=> try_cast('a' as binary)")


CHANGE = {"role": "change", "sequence": "1", "image": '{"ID": "1"}'}
TYPES = {"ID": "int", "v": "string", "_cdc_operation": "string"}


def asked(key: dict[str, Any], **answers: Any) -> tuple[Dbt, dict[str, Any]]:
    """What cdc_explain answers, given what bronze and silver answer."""
    dbt = Dbt(
        nodes=graph(primary_key=["id"]),
        columns=answers.get("columns", {BRONZE: TYPES, SILVER: {"id": "int", "v": "string"}}),
        answers={
            "is_wrong": [{"is_wrong": answers.get("wrong", False)}],
            "with changes as": answers.get("changes", [CHANGE]),
            "with keys as": [{"image": '{"ID": "2"}'}],
            "from silver.shop__order": [{"sequence": "1", "image": '{"id": "1", "v": "a"}'}],
        },
        summary={"cdc.batch-id": "10"},
    )
    dbt.cdc_explain("shop__order", key)
    [logged] = dbt.logged
    return dbt, json.loads(logged.removeprefix("cdc_answer "))


def test_cdc_explain__answers_with_all_that_is_known_of_a_key():
    dbt, answer = asked({"id": "1"})
    assert answer == {
        "is_built": True,
        "bronze": "bronze.shop__order",
        "silver": "silver.shop__order",
        "key": {"ID": "1"},
        "types": TYPES,
        "wrong": [],
        "changes": [CHANGE],
        "rows": [{"sequence": "1", "image": '{"id": "1", "v": "a"}'}],
        "other_keys": [],
        "applied_batch_id": 10,
    }
    assert all(query.lstrip().startswith(("select", "with")) for query in dbt.queries)


@pytest.mark.parametrize("role", ["truncate", "reload", None])
def test_cdc_explain__a_key_without_changes_gets_others(role):
    _, answer = asked({"id": "9"}, changes=[{**CHANGE, "role": role}] if role else [])
    assert answer["other_keys"] == [{"image": '{"ID": "2"}'}]


def test_cdc_explain__a_value_of_another_type_asks_for_no_rows():
    dbt, answer = asked({"id": "x"}, wrong=True)
    assert (answer["wrong"], "changes" in answer) == (["ID"], False)
    assert dbt.queries == ["select try_cast('x' as int) is null as is_wrong"]


def test_cdc_explain__null_is_of_every_type():
    dbt, answer = asked({"id": None})
    assert (answer["wrong"], answer["key"]) == ([], {"ID": None})
    assert not any("is_wrong" in query for query in dbt.queries)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({}, {"is_built": False}),
        ({BRONZE: TYPES}, {"is_built": False}),
        ({SILVER: TYPES}, {"is_built": False}),
        ({BRONZE: {"v": "string"}, SILVER: TYPES}, {"key": {}, "types": {"v": "string"}, "wrong": []}),
    ],
)
def test_cdc_explain__nothing_there_yet(columns, expected):
    dbt, answer = asked({"id": "1"}, columns=columns)
    assert dbt.queries == []
    assert expected.items() <= answer.items() and "changes" not in answer


def test_cdc_replace_table_sql__no_partitions_and_no_properties():
    sql = Dbt().cdc_replace_table_sql("t", [], {}, "select 1")
    assert sql == "create or replace table t\nusing iceberg\nas\nselect 1"


def rebuilding(differences: list[dict[str, Any]], **columns: Any) -> Dbt:
    """A project in which a table can be rebuilt, with what the check of the copy finds."""
    nothing = (
        "first_truncate",
        "first_sequence",
        "last_committed_at",
        "first_reset_point",
        "last_reset_point",
        "has_partial",
    )
    summary = dict.fromkeys(nothing)
    nodes = graph()
    nodes["model.silver"].config = Config(meta={"cdc": table()}, tblproperties={"format-version": "2"})
    return Dbt(
        nodes=nodes,
        columns={
            BRONZE: {"id": "int", "v": "string", "_cdc_sequence": "string"},
            SILVER: {"id": "int"},
            Relation("silver", "shop__order__rebuild"): {"id": "int", "v": "string", "_cdc_sequence": "string"},
            **columns,
        },
        answers={
            "missing from silver": differences,
            "as row_count from silver.shop__order__rebuild": [{"row_count": 2}],
            "as row_count": [{"row_count": 3}],
            "first_sequence": [
                {**summary, "has_key_changes": False, "has_deletes": False, "has_overwritten": False}
                | {"updates_and_deletes": 0, "changes": 5}
                | {"last_batch_id": 9, "last_sequence": "s9", "first_file": "f", "last_file": "f"}
            ],
            "is_shared": [],
        },
        snapshots=(42,),
    )


class Config(dict[str, Any]):
    """The configuration of a node: dbt's has values by name and as attributes."""

    __getattr__ = dict.__getitem__


def test_rebuild_silver__builds_checks_replaces_and_drops():
    dbt = rebuilding([])
    dbt.rebuild_silver("shop__order")
    writes = [query for query in dbt.queries if not query.lstrip().startswith(("select", "with"))]
    assert writes[0].startswith(
        "create or replace table silver.shop__order__rebuild\nusing iceberg\ntblproperties (\n"
        "    'format-version' = '2'\n)\nas\n"
    )
    assert "record cdc.bronze-snapshot-id = 42" in writes[1:-2]
    assert "record cdc.sequence = s9" in writes[1:-2]
    assert writes[-2].startswith("create or replace table silver.shop__order\n")
    assert writes[-2].endswith("as\nselect *\nfrom silver.shop__order__rebuild")
    assert writes[-1] == "drop table silver.shop__order__rebuild"
    assert dbt.printed == [
        "1 of 4: building silver.shop__order__rebuild from 5 changes in bronze.shop__order",
        "2 of 4: checking it",
        "3 of 4: replacing silver.shop__order: 3 rows before, 2 after",
        "4 of 4: dropping silver.shop__order__rebuild",
        "silver.shop__order is rebuilt. The next run continues from it.",
    ]


def test_rebuild_silver__a_copy_that_is_wrong_replaces_nothing():
    dbt = rebuilding([{"difference": "missing from silver", "id": 7}])
    with pytest.raises(LakehouseError) as error:
        dbt.rebuild_silver("shop__order")
    assert str(error.value) == (
        "CDC error (rebuild_silver): silver.shop__order__rebuild differs from bronze.shop__order; nothing was"
        " replaced. This is a defect: keep the table and report it. The first differences:\n"
        "difference           id\n-------------------  --\nmissing from silver  7"
    )
    assert not [query for query in dbt.queries if query.startswith("create or replace table silver.shop__order\n")]


def replaying(waiting: list[int], bronze: dict[str, Any], has_reload: bool = False) -> Dbt:
    """A project whose table has so many rows in quarantine, before and after the replay; a reload may wait for them."""
    nodes = graph(**bronze)

    class Answers(dict[str, Any]):
        """The count changes with the replay."""

        def items(self):
            return [
                ("as row_count", [{"row_count": waiting[0]}]),
                ("left anti join loads on held.generation", [{"generation": 2}]),
                ("from bronze.shop__order as held", [{"generation": 2}] if has_reload else []),
                ("max(_cdc_batch_id)", [{"batch_id": 11}]),
            ]

    dbt = Dbt(
        nodes=nodes,
        columns={BRONZE: {"id": "int", "b": "binary", "_cdc_sequence": "string", "_cdc_quarantine_rule": "string"}},
        answers=Answers({"x": []}),
        summary={"cdc.batch-id": "10"},
    )
    run = dbt.context["run_query"]

    def run_query(sql):
        answer = run(sql)
        if sql.startswith("insert into"):
            waiting.pop(0)
        return answer

    dbt.context["run_query"] = run_query
    return dbt


OPTIONS = {"operation_column": "auto", "timestamp_column": "ts", "delimiter": ",", "header": False, "null_values": [""]}
BRONZE_CSV = {"format": "csv", "options": OPTIONS, "columns": [{"name": "id", "type": "int", "optional": False}]}


def test_replay_quarantine__appends_what_passes_by_one_insert():
    dbt = replaying([3, 1], BRONZE_CSV)
    dbt.replay_quarantine("shop__order")
    assert dbt.printed == [
        "shop__order: 3 rows waited in quarantine, 2 are in bronze now, 1 still break a rule."
        " The next run takes them to silver."
    ]
    assert dbt.started == [BRONZE], "two replays at once do not add a row twice"
    [insert] = [query for query in dbt.queries if query.startswith("insert into")]
    assert "cast(12 as bigint) as batch_id" in insert
    assert "where\n    judged._cdc_quarantine_rule is null\n" in insert
    # A content in which another character stands for bytes that were no text is not what arrived.
    assert r"contains(waiting.bad._cdc_quarantine_content, '\ufffd')" in insert


def test_replay_quarantine__a_reload_that_waited_for_its_rows_is_complete():
    dbt = replaying([1, 0], BRONZE_CSV, has_reload=True)
    dbt.replay_quarantine("shop__order")
    assert dbt.printed[0].endswith(" The reload is complete: that run removes what it does not hold.")
    _, reload = [query for query in dbt.queries if query.startswith("insert into")]
    assert "cast(null as string) as `_cdc_quarantine_rule`" in reload and "_cdc_generation in (2)" in reload


def test_replay_quarantine__nothing_waits():
    dbt = replaying([0], BRONZE_CSV)
    dbt.replay_quarantine("shop__order")
    assert dbt.printed == ["shop__order: 0 rows waited in quarantine, 0 are in bronze now, 0 still break a rule."]
    assert not [query for query in dbt.queries if query.startswith(("insert", "create", "change"))]


def test_replay_quarantine__reports_why_it_cannot():
    with pytest.raises(LakehouseError) as error:
        replaying([3], {**BRONZE_CSV, "options": {**OPTIONS, "header": True}}).replay_quarantine("shop__order")
    assert str(error.value) == (
        "CDC error (replay_quarantine) for shop__order: its files have a header, and a row in quarantine does not name"
        " it: deliver them again in a change file. Nothing was replayed."
    )


def test_replay_quarantine__no_bronze_yet():
    with pytest.raises(LakehouseError, match="its bronze table does not exist yet"):
        Dbt(nodes=graph()).replay_quarantine("shop__order")


def changing(columns: dict[str, str], listed: dict[str, str], failures: list[dict[str, Any]] | None = None) -> Dbt:
    """A project whose table has these columns in bronze and in silver, and these types in the seed."""
    cdc = {**BRONZE_CSV, "columns": [{"name": n, "type": t, "optional": False} for n, t in listed.items()]}
    nodes = graph(**cdc)
    for node in nodes.values():
        node.config = Config(meta=node.config.meta, partition_by=["id"], tblproperties={"format-version": "2"})
    own = {"_cdc_sequence": "string", "_cdc_quarantine_rule": "string"}
    return Dbt(
        nodes=nodes,
        columns={BRONZE: {**columns, **own}, SILVER: {**columns, **own}},
        answers={
            "as row_count from (": [{"row_count": 0}],
            "incomplete_reload": [],
            "as failure": failures or [],
            "max(_cdc_batch_id)": [{"batch_id": 11}],
        },
        summary={"cdc.batch-id": "10", "cdc.line-breaks": "true"},
    )


def test_change_types__writes_bronze_beside_in_one_commit_that_carries_the_progress(monkeypatch):
    dbt = changing({"id": "int", "price": "decimal(12,2)"}, {"id": "int", "price": "decimal(14,4)"})
    rebuilt: list[str] = []
    monkeypatch.setattr(operation, "rebuild_silver", lambda project, table, many_rows: rebuilt.append(table))
    dbt.change_types("shop__order")
    [write] = [query for query in dbt.queries if query.startswith("create")]
    assert_sql_equal(
        write,
        "create or replace table bronze.shop__order using iceberg partitioned by (id)"
        " tblproperties ( 'write.object-storage.enabled' = 'true', 'write.object-storage.partitioned-paths' = 'false',"
        " 'format-version' = '2' ) as select `id` as `id`, try_cast(`price` as decimal(14,4)) as `price`,"
        " `_cdc_sequence` as `_cdc_sequence`, `_cdc_quarantine_rule` as `_cdc_quarantine_rule` from bronze.shop__order",
    )
    at = dbt.queries.index(write)
    assert dbt.queries[at - 2 : at] == ["record cdc.batch-id = 10", "record cdc.line-breaks = true"]
    assert dbt.printed == [
        "bronze.shop__order: price decimal(12,2) becomes decimal(14,4) (seeds/cdc_columns.csv)",
        "1 of 3: rewriting bronze.shop__order",
        "2 of 3: replaying the quarantine",
        "shop__order: 0 rows waited in quarantine, 0 are in bronze now, 0 still break a rule.",
        "3 of 3: rebuilding silver",
    ]
    assert rebuilt == ["shop__order"]


def test_change_types__what_iceberg_can_widen_writes_no_row(monkeypatch):
    dbt = changing({"id": "int", "n": "float"}, {"id": "bigint", "n": "double"})
    monkeypatch.setattr(operation, "rebuild_silver", lambda project, table, many_rows: None)
    dbt.change_types("shop__order")
    assert [query for query in dbt.queries if query.startswith(("create", "change"))] == [
        "change bronze.shop__order: {'types': {'id': 'bigint', 'n': 'double'}}"
    ]


def test_change_types__again_changes_nothing():
    dbt = changing({"id": "int"}, {"id": "int"})
    dbt.change_types("shop__order")
    assert not [query for query in dbt.queries if query.startswith(("create", "change", "insert"))]
    assert dbt.printed[0] == "1 of 3: bronze.shop__order has its types, nothing to rewrite"
    assert dbt.printed[-1] == "3 of 3: silver has these types, nothing to rebuild"


def test_change_types__a_value_that_would_change_is_named_and_nothing_is_written():
    dbt = changing({"id": "string"}, {"id": "int"}, [{"failure": "id is '07a', expected int", "row_count": 2}])
    with pytest.raises(LakehouseError) as error:
        dbt.change_types("shop__order")
    assert str(error.value) == (
        "CDC error (change_types) for shop__order: id is '07a', expected int (2 rows of bronze.shop__order)."
        " Nothing was changed."
    )
    assert not [query for query in dbt.queries if query.startswith(("create", "change", "insert"))]


def test_change_types__a_type_that_no_cast_reaches_is_refused_before_a_row_is_read():
    dbt = changing({"id": "double"}, {"id": "decimal(10,2)"})
    with pytest.raises(LakehouseError, match="id is double in bronze and decimal"):
        dbt.change_types("shop__order")
    assert dbt.queries == []
