"""Commands for operators: what they ask, what they say."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from harness import CompilerError, Dbt, Relation, assert_sql_equal

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")
APPLIED = 10


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
            config=SimpleNamespace(meta={"cdc": {**silver, "layer": layer}}),
        )
        for layer in ("bronze", "silver")
    }


def change(minute: int, operation: str = "U", **cells: Any) -> dict[str, Any]:
    """A change as cdc_explain_changes_sql gives it, of a file of this minute."""
    version = cells.pop("version", 0)
    file = cells.pop("file", f"20240131-23{minute:02}00000")
    return {
        "role": "change",
        "operation": operation,
        "committed_at": f"2024-01-31 23:{minute:02}:00.000000",
        "sequence": f"000001.1.2024013123{minute:02}00000000.{abs(hash(file)):016x}"[:46] + f".{0:012}.{version:014}",
        "generation": "1",
        "source_file": f"/raw/shop/order/{file}.parquet",
        "file_row": "0",
        "batch_id": "1",
        "rule": None,
        "reason": None,
        "unavailable": None,
        "old_key": None,
        "image": {"id": "1", "v": "a", "w": "b"},
        **cells,
    }


def barrier(role: str, minute: int) -> dict[str, Any]:
    return {**change(minute), "role": role, "operation": role, "image": None}


KEY_ONLY = {"id": "1", "v": None, "w": None}


@pytest.mark.parametrize(
    ("cells", "changes", "expected"),
    [
        ({}, [change(1, "I")], ["won: it is the row"]),
        ({}, [change(1, "I"), change(2)], ["lost: older than 2", "won: it is the row"]),
        (
            {},
            [change(1, "I", batch_id="2"), change(2, batch_id="1")],
            ["lost: older than 2, came after it", "won: it is the row"],
        ),
        (
            {},
            [change(1, version=1), change(1, version=2)],
            ["the same row of the same object, read again as 2", "won: it is the row"],
        ),
        (
            {},
            [change(1, file="a"), change(1, file="b")],
            ["lost: same time as 2, only the name of the object decides", "won: it is the row"],
        ),
        (
            {},
            [change(1, rule="uncastable_value", reason="v is 'x', expected int"), change(2, batch_id="11")],
            [
                "in quarantine, uncastable_value: v is 'x', expected int",
                "not in silver yet: the next run takes it",
            ],
        ),
        ({}, [change(1), change(2, "D", image=KEY_ONLY)], ["lost: older than 2", "won: no row is left"]),
        (
            {"delete_mode": "soft"},
            [change(1), change(2, "D", image=KEY_ONLY)],
            [
                "lost: older than 2; still gives all values",
                "won: the row is marked as deleted and keeps all values from 1",
            ],
        ),
        (
            {"delete_mode": "soft"},
            [change(1), change(2, "D")],
            ["lost: older than 2", "won: the row is marked as deleted and keeps its own image"],
        ),
        (
            {"delete_mode": "soft"},
            [change(1, "D", image=KEY_ONLY)],
            ["won: the row is marked as deleted and no image was ever there"],
        ),
        (
            {},
            [change(1, "I"), change(2, unavailable=["w"])],
            ["lost: older than 2; still gives w", "won: it is the row; w from 1"],
        ),
        (
            {},
            [change(1, "D", image=KEY_ONLY), change(2, unavailable=["w"])],
            ["lost: older than 2", "won: it is the row"],
        ),
        (
            {},
            [change(1), barrier("truncate", 2), change(3, unavailable=["w"])],
            ["lost: before the truncate 2", "ends every row that is older", "won: it is the row"],
        ),
        (
            {"delete_mode": "soft"},
            [change(1), barrier("reload", 2)],
            [
                "newest, but before the reload 2: the row is marked as deleted and keeps its own image",
                "ends every row that is older",
            ],
        ),
        (
            {},
            [change(1), change(2, role="key change", image={"id": "7", "v": "c", "w": "d"}, old_key={"id": "1"})],
            ["lost: older than 2", "won: the key became id = 7; no row is left"],
        ),
        ({}, [change(1, old_key={"id": "7"})], ["won: it is the row, before it the key was id = 7"]),
        (
            {"mode": "append", "primary_key": ["_cdc_source_file", "_cdc_file_row"]},
            [change(1, "I"), change(2, "U")],
            ["a row", "not applied: the table has no key"],
        ),
    ],
)
def test_cdc_explain_verdicts__case(cells, changes, expected):
    assert Dbt().cdc_explain_verdicts(table(**cells), changes, APPLIED, []) == expected


def test_cdc_explain_verdicts__history():
    changes = [change(1, "I"), change(2), change(3, "D")]
    version = {"sequence": changes[0]["sequence"], "image": {"_cdc_valid_from": "23:01", "_cdc_valid_to": "23:03"}}
    assert Dbt().cdc_explain_verdicts(table(mode="history"), changes, APPLIED, [version]) == [
        "a version: from 23:01 to 23:03",
        "changes no column: no version of its own",
        "ends the open version, if there is one",
    ]


def test_cdc_explain_text__shows_the_changes_and_the_row():
    changes = [change(1, "I", image={"id": "1", "v": "a\nb", "w": None}), change(2, unavailable=["w"])]
    rows = [{"sequence": changes[1]["sequence"], "image": {"id": "1", "v": "a", "w": None}}]
    text = Dbt().cdc_explain_text(table(), SILVER, {"id": "1"}, changes, rows, APPLIED)
    assert [re.split(" {2,}", line) for line in text.splitlines() if "--" not in line] == [
        ["shop.order, id = 1 (mode current, hard deletes)"],
        [""],
        ["#", "operation", "committed at", "file", "row", "batch", "place in the order", "what became of it", "values"],
        [
            *("1", "I", "2024-01-31 23:01:00.000000", "20240131-230100000.parquet", "0", "1"),
            *("000001.1.20240131230100000000", "lost: older than 2; still gives w", "v=a⏎b, w=NULL"),
        ],
        [
            *("2", "U", "2024-01-31 23:02:00.000000", "20240131-230200000.parquet", "0", "1"),
            *("000001.1.20240131230200000000", "won: it is the row; w from 1", "v=a, w unavailable"),
        ],
        [""],
        ["silver.shop__order now:"],
        [""],
        ["id", "v", "w"],
        ["1", "a"],
    ]


def test_cdc_text_table__columns_are_as_wide_as_their_longest_cell():
    assert Dbt().cdc_text_table(["id", "v"], [[1, "long\ntext"], [12345, None]]) == (
        "id     v\n-----  ---------\n1      long⏎text\n12345"
    )


def test_cdc_explain_text__no_row():
    text = Dbt().cdc_explain_text(table(), SILVER, {"id": None}, [change(1, "D")], [], APPLIED)
    assert text.startswith("shop.order, id = NULL (mode current, hard deletes)\n")
    assert text.endswith("silver.shop__order now:\n\nno row\n")


@pytest.mark.parametrize(
    ("primary_key", "key", "expected"),
    [
        (["id"], 1, {"id": "1"}),
        (["id"], "1", {"id": "1"}),
        (["id"], None, {"id": None}),
        (["id", "Line no"], [1, "x"], {"id": "1", "Line no": "x"}),
        (["id", "Line no"], {"LINE NO": 2, "id": 1}, {"id": "1", "Line no": "2"}),
    ],
)
def test_cdc_explain_key__case(primary_key, key, expected):
    assert Dbt().cdc_explain_key(table(primary_key=primary_key), "shop__order", key) == expected


@pytest.mark.parametrize(
    ("key", "problem"),
    [
        (1, "1 value(s) for a key of 2."),
        ([1, 2, 3], "3 value(s) for a key of 2."),
        ({"id": 1}, "the key has the part(s) id."),
        ({"id": 1, "line": 2}, "the key has the part(s) id, line."),
    ],
)
def test_cdc_explain_key__says_what_the_key_is(key, problem):
    with pytest.raises(CompilerError) as error:
        Dbt().cdc_explain_key(table(primary_key=["id", "no"]), "shop__order", key)
    assert str(error.value) == (
        f"CDC error (explain_row): {problem} The key of shop__order is id, no: expected --args "
        "'{table: shop__order, key: {id: …, no: …}}'."
    )


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


def test_cdc_explain_config__spells_the_key_as_the_table_does():
    node = graph(primary_key=["ID"])["model.silver"]
    assert Dbt().cdc_explain_config(node, ["v", "Id"])["primary_key"] == ["Id"]
    assert node.config.meta["cdc"]["primary_key"] == ["ID"]


def test_cdc_explain_config__rows_without_a_key_are_named_by_their_place():
    node = graph(primary_key=[], mode="append")["model.silver"]
    assert Dbt().cdc_explain_config(node, [])["primary_key"] == ["_cdc_source_file", "_cdc_file_row"]


@pytest.mark.parametrize("name", ["shop__order", "silver.shop__order"])
def test_cdc_silver_node__finds(name):
    nodes = graph()
    assert Dbt(nodes=nodes).cdc_silver_node(name) is nodes["model.silver"]


@pytest.mark.parametrize(
    ("nodes", "known"),
    [(graph(), "shop__order"), ({}, "none, no row of seeds/cdc_tables.csv is active")],
)
def test_cdc_silver_node__lists_what_there_is(nodes, known):
    with pytest.raises(CompilerError) as error:
        Dbt(nodes=nodes).cdc_silver_node("order")
    assert str(error.value) == (
        f"CDC error (cdc_silver_node): there is no silver table 'order'. Expected one of: {known}."
    )


def explained(key: Any, **answers: list[dict[str, Any]]) -> Dbt:
    """explain_row with what bronze and silver answer."""
    row = change(1, "I")
    dbt = Dbt(
        nodes=graph(),
        columns={
            BRONZE: {"id": "int", "v": "string", "_cdc_operation": "string"},
            SILVER: {"id": "int", "v": "string", "_cdc_sequence": "string"},
        },
        answers={
            "is_wrong": [{"is_wrong": answers.get("wrong", False)}],
            "with changes as": answers.get("changes", [{**row, "image": json.dumps(row["image"])}]),
            "select distinct `id`": [{"id": 1}, {"id": 2}],
            "from silver.shop__order": [{"sequence": row["sequence"], "image": '{"id": "1", "v": "a"}'}],
        },
        summary={"cdc.batch-id": "10"},
    )
    dbt.explain_row("shop__order", key)
    return dbt


def test_explain_row__prints_the_life_of_a_key():
    [text] = explained(1).printed
    assert "won: it is the row" in text
    assert text.endswith("id  v\n--  -\n1   a\n")


def test_explain_row__unknown_key():
    with pytest.raises(CompilerError) as error:
        explained(9, changes=[])
    assert str(error.value) == (
        "CDC error (explain_row): bronze.shop__order has no change of id = 9. Keys that it has: id = 1; id = 2 …"
    )


def test_explain_row__a_key_of_another_type():
    with pytest.raises(CompilerError) as error:
        explained("x", wrong=True)
    assert str(error.value) == ("CDC error (explain_row) for shop.order: id is 'x', expected a value of type int.")


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({}, "bronze or silver does not exist yet: run `dbt build --select +silver_shop__order` first."),
        (
            {BRONZE: {"_cdc_operation": "string"}, SILVER: {"id": "string"}},
            "bronze has no column id yet, no row of the table has arrived.",
        ),
    ],
)
def test_explain_row__nothing_there_yet(columns, problem):
    with pytest.raises(CompilerError) as error:
        Dbt(nodes=graph(), columns=columns).explain_row("shop__order", 1)
    assert str(error.value) == f"CDC error (explain_row) for shop.order: {problem}"


CLAUSES = """using iceberg
partitioned by (days(at), `a b`)
tblproperties (
    'format-version' = '2'
)"""


def test_cdc_table_clauses_sql__as_the_model_has_them():
    settings = {"partition_by": ["days(at)", "`a b`"], "tblproperties": {"format-version": "2"}}
    assert Dbt().cdc_table_clauses_sql(settings) == CLAUSES
    assert Dbt().cdc_table_clauses_sql({"partition_by": "id"}) == "using iceberg\npartitioned by (id)"
    assert Dbt().cdc_table_clauses_sql({}) == "using iceberg"


def rebuilding(differences: list[dict[str, Any]], **columns: Any) -> Dbt:
    """A project in which a table can be rebuilt, with what the check of the copy finds."""
    nothing = ("first_truncate", "first_sequence", "last_committed_at", "first_barrier", "last_barrier", "has_partial")
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
                | {"last_batch_id": 9, "last_sequence": "s9", "has_many_objects": False}
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
    assert "set `spark.sql.iceberg.snapshot-property.cdc.bronze-snapshot-id` = 42" in writes[1:-2]
    assert "set `spark.sql.iceberg.snapshot-property.cdc.sequence` = s9" in writes[1:-2]
    assert writes[-2].startswith("create or replace table silver.shop__order\n")
    assert writes[-2].endswith("as\nselect *\nfrom silver.shop__order__rebuild")
    assert writes[-1] == "drop table silver.shop__order__rebuild"
    assert dbt.printed == [
        "1 of 4: building silver.shop__order__rebuild from 5 changes in bronze.shop__order",
        "2 of 4: checking it",
        "3 of 4: replacing silver.shop__order: 3 rows before, 2 after",
        "4 of 4: dropping silver.shop__order__rebuild",
        "silver.shop__order is rebuilt. The next run goes on from it.",
    ]


def test_rebuild_silver__a_copy_that_is_wrong_replaces_nothing():
    dbt = rebuilding([{"difference": "missing from silver", "id": 7}])
    with pytest.raises(CompilerError) as error:
        dbt.rebuild_silver("shop__order")
    assert str(error.value) == (
        "CDC error (rebuild_silver): silver.shop__order__rebuild is not what bronze.shop__order says; nothing was"
        " replaced. This is a defect: keep the table and report it. The first differences:\n"
        "difference           id\n-------------------  --\nmissing from silver  7"
    )
    assert not [query for query in dbt.queries if query.startswith("create or replace table silver.shop__order\n")]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({}, "shop__order has no bronze table to be built from. Run `dbt build --select +silver_shop__order`."),
        ({BRONZE: {"_cdc_sequence": "string"}}, "no row of shop__order has arrived yet; there is nothing to rebuild."),
    ],
)
def test_rebuild_silver__nothing_to_build_from(columns, problem):
    with pytest.raises(CompilerError) as error:
        Dbt(nodes=graph(), columns=columns).rebuild_silver("shop__order")
    assert str(error.value) == f"CDC error (rebuild_silver): {problem}"


def replaying(waiting: list[int], bronze: dict[str, Any], **columns: str) -> Dbt:
    """A project whose table has so many rows in quarantine, before and after the replay."""
    nodes = graph(**bronze)

    class Answers(dict[str, Any]):
        """The count changes with the replay."""

        def items(self):
            return [
                ("as row_count", [{"row_count": waiting[0]}]),
                ("map_keys", [{"name": name} for name in columns]),
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
BRONZE_PARQUET = {"format": "parquet", "options": OPTIONS, "columns": []}


def test_replay_quarantine__appends_what_passes_by_one_insert():
    dbt = replaying([3, 1], BRONZE_CSV)
    dbt.replay_quarantine("shop__order")
    assert dbt.printed == [
        "shop__order: 3 rows waited in quarantine, 2 are in bronze now, 1 still break a rule."
        " The next run takes them to silver."
    ]
    [insert] = [query for query in dbt.queries if query.startswith("insert into")]
    assert "cast(12 as bigint) as batch_id" in insert
    assert insert.endswith("where judged._cdc_quarantine_rule is null")


def test_replay_quarantine__nothing_waits():
    dbt = replaying([0], BRONZE_CSV)
    dbt.replay_quarantine("shop__order")
    assert dbt.printed == ["shop__order: 0 rows waited in quarantine, 0 are in bronze now, 0 still break a rule."]
    assert not [query for query in dbt.queries if query.startswith(("insert", "create", "alter"))]


@pytest.mark.parametrize(
    ("bronze", "columns", "problem"),
    [
        (
            {**BRONZE_CSV, "options": {**OPTIONS, "header": True}},
            [],
            "its files have a header, and a row in quarantine does not say which: deliver the rows again",
        ),
        (
            BRONZE_PARQUET,
            ["Op", "ts", "ID", "more"],
            "rows in quarantine have a column more that bronze has not: add it with `alter table`, or to"
            " renamed_columns, or let the next file bring it",
        ),
    ],
)
def test_replay_quarantine__says_why_it_cannot(bronze, columns, problem):
    with pytest.raises(CompilerError) as error:
        replaying([3], bronze, **dict.fromkeys(columns, "")).replay_quarantine("shop__order")
    assert str(error.value) == f"CDC error (replay_quarantine) for shop__order: {problem}. Nothing was replayed."


def test_replay_quarantine__no_bronze_yet():
    with pytest.raises(CompilerError, match="its bronze table does not exist yet"):
        Dbt(nodes=graph()).replay_quarantine("shop__order")
