"""What a run does to a gold table: facts of snapshots in, a plan out."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from table_configs import state_config

from python_udfs.errors import LakehouseError
from python_udfs.gold import plan as plan_module
from python_udfs.gold.plan import plan_gold
from python_udfs.pipeline.delta import KeyRange
from python_udfs.pipeline.table import read_models

STARTED = datetime(2026, 1, 2, tzinfo=timezone.utc)
QUERY = "select o.id, o.amt, c.seg from silver.o left join silver.c on o.cid = c.id"
COLUMNS = {"silver.o": {"id": "int", "cid": "int", "amt": "int"}, "silver.c": {"id": "int", "seg": "string"}}
COLUMNS |= {f"bronze.{name}": {**COLUMNS[f"silver.{name}"], "_cdc_sequence": "string"} for name in "oc"}


class Relation(SimpleNamespace):
    is_table, is_iceberg = True, True

    def __str__(self) -> str:
        return f"{self.schema}.{self.identifier}"


def node(layer: str, name: str, **config: Any) -> dict[str, Any]:
    meta = {"cdc": state_config(layer=layer, feed="f", source_schema="s", source_table=name, **config.pop("cdc", {}))}
    return {
        "unique_id": f"model.p.{layer}_{name}",
        "resource_type": "model",
        "name": f"{layer}_{name}",
        "schema": layer,
        "alias": name,
        "database": None,
        "config": {"meta": meta, **config},
        "depends_on": {"nodes": []},
    }


def snapshot(number: int, operation: str = "overwrite", **summary: Any) -> dict[str, Any]:
    summary = {"cdc.batch-id": "1", "cdc.bronze-snapshot-id": str(number * 10), **summary}
    return {"snapshot_id": number, "operation": operation, "summary": {k: v for k, v in summary.items() if v}}


class Warehouse:
    """Two silver tables, of which the last refresh of gold has read snapshot 1, when bronze had snapshot 10."""

    def __init__(self) -> None:
        self.columns = {**COLUMNS}
        self.since: dict[str, dict[str, Any]] = {}
        self.summary: dict[str, str] = {}
        self.older: dict[str, str] = {}
        self.facts = {"changes": 3, "first_reset_point": None, "has_overwritten": False, "has_key_changes": False}
        self.counts = {"changed": 2, "keys": 2, "rows": 100, "affected": 2}
        # Of each column of the affected keys: how many have a value, its type, the first and the last value.
        self.range = (2, "int", "3", "8")
        self.small = {"silver.c"}
        self.asked: list[str] = []
        for name in ("silver.o", "silver.c"):
            self.move(name)
        for name in ("bronze.o", "bronze.c"):
            self.move(name, snapshot(20, "append"))

    def move(self, table: str, *snapshots: dict[str, Any], **facts: Any) -> None:
        here = {"is_ancestor": True, "gone": [], "schema_id": 0, "uuid": f"uuid of {table}", "has_start": True}
        self.since[table] = {**here, "snapshots": list(snapshots), **facts}

    def snapshots_since(self, relation: Any, snapshot_id: int | None = None) -> dict[str, Any]:
        return self.since[str(relation)]

    def is_unchanged_since(self, relation: Any, uuid: str, snapshot_id: int) -> bool:
        table = str(relation)
        here, same_columns = self.since[table], self.columns[table] == COLUMNS[table]
        rewrites = all(snapshot["operation"] == "replace" for snapshot in here["snapshots"])
        return here["uuid"] == uuid and bool(here["is_ancestor"]) and rewrites and same_columns

    def get_relation(self, database: Any, schema: str, identifier: str) -> Any:
        return Relation(schema=schema, identifier=identifier) if f"{schema}.{identifier}" in self.columns else None

    def get_columns_in_relation(self, relation: Any) -> Any:
        return [SimpleNamespace(name=n, dtype=t) for n, t in self.columns[str(relation)].items()]

    def get_columns_of_rows(self, relation: Any) -> Any:
        return self.get_columns_in_relation(relation)

    def current_snapshot_id(self, relation: Any) -> int:
        return 5

    def snapshot(self, relation: Any, snapshot_id: int) -> dict[str, Any]:
        counts = {"total-records": str(self.counts["rows"] + 7), "total-position-deletes": "7"}
        return {"summary": {**counts, **self.summary}}

    def has_few_rows(self, relation: Any) -> bool:
        return str(relation) in self.small

    def ask_once(self, question: Any, ask: Any) -> Any:
        return ask()

    def added_metrics(self, *arguments: Any) -> None:
        return None

    def newest_summary(self, relation: Any, key: str) -> dict[str, str]:
        return self.older

    def cache_rows(self, view: str, sql: str) -> None:
        self.asked.append(view)

    def quote(self, name: str) -> str:
        return f"`{name}`"

    def query(self, sql: str) -> list[dict[str, Any]]:
        if sql == "facts":
            return [self.facts]
        if sql == "affected rows":
            return [{"row_count": self.counts["affected"]}]
        if sql == "frozen":
            return [{"row_count": self.counts["frozen"]}]
        if sql.startswith("ranges"):
            names = (f"{name}_{sql[-1]}" for name in ("values", "type", "first", "last"))
            return [{"row_count": self.counts["keys"], **dict(zip(names, self.range, strict=True))}]
        return [{"row_count": self.counts["keys" if "keys" in sql else "changed"]}]


SQL = {
    "cdc_bronze_range_sql": lambda *arguments: "range",
    "cdc_range_facts_sql": lambda *arguments: "facts",
    "cdc_gold_changed_sql": lambda *arguments: "changed",
    "cdc_gold_compared_sql": lambda *arguments: "compared",
    "cdc_gold_keys_sql": lambda *arguments: "keys",
    "cdc_gold_affected_rows_sql": lambda *arguments: "affected rows",
    "cdc_gold_frozen_keys_sql": lambda *arguments: "frozen",
    "cdc_gold_moved_sql": lambda *arguments: "moved",
    "cdc_gold_key_ranges_sql": lambda view, key: f"ranges {view} {len(key)}",
    "cdc_count_sql": lambda rows: f"count {rows}",
}
GOLD = Relation(schema="gold", identifier="sales")


class Project:
    def __init__(self) -> None:
        self.warehouse = Warehouse()
        nodes = [node(layer, name) for layer in ("bronze", "silver") for name in "oc"]
        self.nodes = {item["unique_id"]: item for item in nodes}
        self.depends_on = ["model.p.silver_o", "model.p.silver_c"]
        self.config: dict[str, Any] = {"key": ["id"], "spine": "silver_o"}
        self.query, self.day = QUERY, "2026-01-02"

    @property
    def today(self) -> str:
        """What the macro gold_today writes."""
        return f"date '{self.day}' /* gold_today */"

    def plan(self, gold: Any = GOLD) -> Any:
        model = {"name": "sales", "depends_on": {"nodes": self.depends_on}}
        return plan_gold(
            self.warehouse,
            SQL,
            read_models(self.nodes.values()),
            self.nodes,
            model,
            self.config,
            self.query,
            gold,
            STARTED,
            self.today,
        )


@pytest.fixture
def project():
    """A project whose gold table is as its inputs are."""
    project = Project()
    for name in ("silver.o", "silver.c"):
        project.warehouse.move(name, snapshot(1))
    first = project.plan(gold=None)
    assert (first.way, first.message) == ("create", "create: the table is built for the first time")
    project.warehouse.summary = {name: str(value) for name, value in first.progress.items()}
    for name in ("silver.o", "silver.c"):
        project.warehouse.move(name)
    return project


def test_a_commit_records_what_was_read_of_each_input_by_the_names_of_iceberg(project):
    state = json.loads(project.warehouse.summary["refresh-state"])
    assert state["refresh-start-timestamp-ms"] == 1767312000000
    assert state["source-states"] == [
        {"type": "table", "namespace": ["silver"], "name": name, "uuid": f"uuid of silver.{name}", "snapshot-id": 1}
        for name in "oc"
    ]
    assert json.loads(project.warehouse.summary["cdc.gold-bronze"]) == {"silver.o": 10, "silver.c": 10}


def test_no_input_has_moved(project):
    assert project.plan().message == "nothing: no input has moved"
    project.warehouse.move("silver.c", snapshot(2, "replace", **{"cdc.batch-id": "", "cdc.bronze-snapshot-id": ""}))
    assert project.plan().way == "nothing", "a compaction has the same rows"
    assert project.warehouse.asked == []


def test_metadata_tells_that_nothing_moved_and_the_query_is_not_read(project, monkeypatch):
    monkeypatch.setattr(plan_module, "read_inputs", lambda *arguments: pytest.fail("columns were read"))
    assert project.plan().way == "nothing"


@pytest.mark.parametrize("case", ["query", "key", "clock", "table", "columns", "made again", "foreign commit"])
def test_a_model_or_an_input_that_may_be_another_is_read(project, monkeypatch, case):
    warehouse = project.warehouse
    if case == "query":
        project.query = f"{project.query} -- other words"
    elif case in ("key", "clock"):
        project.config[case] = {"key": ["id", "name"], "clock": "id > 1"}[case]
    elif case == "table":
        del warehouse.columns["silver.c"]
    elif case == "columns":
        warehouse.columns = {**warehouse.columns, "silver.c": {**warehouse.columns["silver.c"], "more": "int"}}
    elif case == "made again":
        warehouse.move("silver.c", uuid="another")
    else:
        warehouse.summary = {}
    monkeypatch.setattr(plan_module, "read_inputs", lambda *arguments: pytest.fail("columns were read"))
    with pytest.raises(pytest.fail.Exception, match="columns were read"):
        project.plan()


def test_changed_keys_of_silver_come_from_bronze(project):
    project.warehouse.move("silver.c", snapshot(2))
    plan = project.plan()
    assert plan.message == "affected: 2 keys; changed keys: 2 of silver_c (bronze)"
    assert [(m.input.name, m.changed.view, m.before_id, m.after_id) for m in plan.movements] == [
        ("silver_o", "", 1, 1),
        ("silver_c", "cdc_gold_changed_2", 1, 2),
    ]
    assert plan.progress["cdc.gold-mode"] == "affected"
    assert plan.progress["cdc.gold-keys"] == 2
    assert plan.progress["cdc.gold-reason"] == "2 keys; changed keys: 2 of silver_c (bronze)"


@pytest.mark.parametrize(
    ("values", "its_type", "filled", "ranges"),
    [
        (2, "int", ("id",), {"id": KeyRange("int", "3", "8")}),
        (2, "decimal(9,0)", ("id",), {"id": KeyRange("decimal(9,0)", "3", "8")}),
        (1, "int", (), {}),
        (2, "string", ("id",), {}),
    ],
    ids=["numbers", "decimals", "one is null", "texts"],
)
def test_keys_have_a_range_if_it_can_be_written(project, values, its_type, filled, ranges):
    project.warehouse.range = (values, its_type, "3", "8")
    project.warehouse.move("silver.c", snapshot(2))
    keys = project.plan().keys
    assert (keys.filled, keys.ranges) == (filled, ranges)


@pytest.mark.parametrize(("small", "cut"), [({"silver.c"}, ["silver_o"]), (set(), ["silver_o", "silver_c"])])
def test_a_small_input_is_read_whole(project, small, cut):
    project.warehouse.small = small
    project.warehouse.move("silver.c", snapshot(2))
    assert [each.input.name for each in project.plan().model.cuts] == cut


@pytest.mark.parametrize(
    "facts",
    [
        {"summary": {"cdc.batch-id": "", "cdc.bronze-snapshot-id": ""}},
        {"bronze": [snapshot(15, "overwrite"), snapshot(20, "append")]},
        {"types": True},
        {"cdc": {"key_comparison": ["ignore_case"]}},
        {"cdc": {"renamed_columns": {"nr": "id"}}},
    ],
    ids=["another writer", "bronze was rewritten", "other types in bronze", "keys compared otherwise", "renamed"],
)
def test_states_are_compared_if_bronze_does_not_have_the_keys_as_silver_has_them(project, facts):
    project.warehouse.move("silver.c", snapshot(2, **facts.get("summary", {})))
    if "bronze" in facts:
        project.warehouse.move("bronze.c", *facts["bronze"])
    if "types" in facts:
        project.warehouse.columns["bronze.c"] = {"id": "string", "seg": "string"}
    project.nodes["model.p.silver_c"]["config"]["meta"]["cdc"].update(facts.get("cdc", {}))
    assert project.plan().message == "affected: 2 keys; changed keys: 2 of silver_c (both states)"


def test_an_input_that_is_gold_is_compared(project):
    config = {"incremental_strategy": "cdc_affected", "materialized": "incremental", "key": ["id"]}
    project.nodes["model.p.silver_c"]["config"] = {"meta": {"cdc": {"layer": "gold"}}, **config}
    project.warehouse.move("silver.c", snapshot(2))
    assert project.plan().message == "affected: 2 keys; changed keys: 2 of silver_c (both states)"
    project.warehouse.counts["keys"] = 2_000_001
    assert project.plan().message == "full: more than 2000000 keys of silver_c have changed"


def test_a_table_of_the_same_folder_has_the_key_that_it_states(project):
    config = {"incremental_strategy": "cdc_affected", "materialized": "table", "unique_key": "id"}
    project.nodes["model.p.silver_c"]["config"] = {"meta": {"cdc": {"layer": "gold"}}, **config}
    project.warehouse.move("silver.c", snapshot(2))
    assert project.plan().message == "full: silver_c has changed, and no record says which of its keys"


def test_rows_that_were_derived_from_the_whole_log_are_compared(project):
    project.warehouse.move("silver.c", snapshot(2, **{"cdc.whole-log": "true"}))
    assert project.plan().message == "affected: 2 keys; changed keys: 2 of silver_c (both states)"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"first_reset_point": "000002"}, "silver_c was truncated or reloaded"),
        ({"changes": 2_000_001}, "silver_c has 2000001 changes, more than 2000000"),
        ({"has_overwritten": True}, "a file of silver_c was overwritten, whose rows may have had any key"),
    ],
)
def test_changes_of_all_keys_are_full(project, facts, reason):
    project.warehouse.move("silver.c", snapshot(2))
    project.warehouse.facts |= facts
    plan = project.plan()
    assert plan.message == f"full: {reason}"
    assert plan.progress["cdc.gold-keys"] == "all"
    assert not plan.has_new_query


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"uuid": "another"}, "silver_c was dropped and made again"),
        ({"is_ancestor": False, "gone": [1]}, "silver_c was rebuilt or rolled back"),
        ({"is_ancestor": None, "gone": None}, "snapshots of silver_c since the last refresh have expired"),
    ],
)
def test_an_input_that_does_not_come_from_the_state_that_was_read_is_full(project, facts, reason):
    project.warehouse.move("silver.c", snapshot(2), **facts)
    assert project.plan().message == f"full: {reason}"


def test_an_expired_state_is_full_only_if_it_is_needed(project):
    project.warehouse.move("silver.c", snapshot(2), has_start=False)
    assert project.plan().way == "affected", "rows of a spine need no state before"
    project.query = project.query.replace("o.id, o.amt, c.seg", "c.seg as id, count(*) as n") + " group by c.seg"
    project.warehouse.summary |= {"cdc.gold-query": project.plan().model.digest}
    project.warehouse.summary["cdc.gold-types"] = project.plan().progress["cdc.gold-types"]
    assert project.plan().message == "full: snapshots of silver_c since the last refresh have expired"


def test_another_query_key_or_type_is_full(project):
    project.query += " -- a comment"
    assert project.plan().way == "nothing"
    project.warehouse.columns["silver.c"] = {"id": "int", "seg": "string", "more": "string"}
    assert project.plan().way == "nothing", "a column that the query does not name"
    project.warehouse.columns["silver.c"] = {"id": "bigint", "seg": "string"}
    plan = project.plan()
    assert (plan.message, plan.has_new_query) == ("full: a type of an input has changed", True)
    project.query += "\nwhere o.amt > 0"
    assert project.plan().message == "full: the query has changed"


def test_another_day_of_the_run_is_full_if_the_query_names_it(project):
    project.day = "2026-01-03"
    assert project.plan().way == "nothing"
    project.query = f"{QUERY} where o.amt < day({project.today})"
    first = project.plan(gold=None)
    project.warehouse.summary = {name: str(value) for name, value in first.progress.items()}
    project.warehouse.summary["refresh-state"] = project.warehouse.summary["refresh-state"].replace(
        '"snapshot-id": 0', '"snapshot-id": 1'
    )
    assert project.plan().way == "nothing"
    project.day = "2026-01-04"
    project.query = f"{QUERY} where o.amt < day({project.today})"
    assert project.plan().message == "full: gold_today() is another day: 2026-01-04"


def test_a_table_that_others_have_written_is_full(project):
    project.warehouse.summary = {}
    assert project.plan().message == "full: another writer has changed the table, or built it"


def test_a_hand_written_table_in_between_is_full(project):
    project.nodes["model.p.silver_c"]["config"] = {"unique_key": "id"}
    assert project.plan().way == "nothing"
    project.warehouse.move("silver.c", snapshot(2))
    assert project.plan().message == "full: silver_c has changed, and no record says which of its keys"


def test_many_affected_rows_are_full(project):
    project.warehouse.move("silver.c", snapshot(2))
    project.warehouse.counts["affected"] = 21
    expected = "full: 21 of 100 rows are affected, more than full_above=0.2; changed keys: 2 of silver_c (bronze)"
    assert project.plan().message == expected
    project.warehouse.counts |= {"rows": 0, "affected": 0}
    assert project.plan().message == "full: the table has no rows; changed keys: 2 of silver_c (bronze)"
    project.warehouse.counts |= {"rows": 100, "affected": 21}
    project.config["full_above"] = 0.3
    assert project.plan().way == "affected"
    project.config["full_above"] = "never"
    project.warehouse.counts["affected"] = 100
    assert project.plan().way == "affected"


def test_the_rows_of_a_table_that_does_not_count_them_are_computed_by_key(project):
    project.warehouse.move("silver.c", snapshot(2))
    project.warehouse.counts["affected"] = 100
    assert project.plan().way == "full"
    project.warehouse.snapshot = lambda *arguments: {"summary": project.warehouse.summary}
    assert project.plan().way == "affected"


def test_changes_that_affect_no_key_are_recorded(project):
    project.warehouse.move("silver.c", snapshot(2))
    project.warehouse.counts |= {"changed": 0, "keys": 0}
    plan = project.plan()
    assert plan.message == "affected: 0 keys; changed keys: 0 of silver_c (bronze)"
    assert plan.progress["cdc.gold-keys"] == 0


def test_a_total_is_full_if_an_input_has_moved(project):
    project.query = "select 1 as id, count(*) n from silver.o"
    project.depends_on = ["model.p.silver_o"]
    model = project.plan(gold=None)
    project.warehouse.summary = {name: str(value) for name, value in model.progress.items()}
    project.warehouse.summary["refresh-state"] = project.warehouse.summary["refresh-state"].replace(
        '"snapshot-id": 0', '"snapshot-id": 1'
    )
    assert project.plan().way == "nothing"
    project.warehouse.move("silver.o", snapshot(2))
    assert project.plan().message.startswith("full: a total over all rows")


def test_inputs_that_do_not_exist_are_named(project):
    del project.warehouse.columns["silver.o"], project.warehouse.columns["silver.c"]
    with pytest.raises(LakehouseError, match=r"silver_o, silver_c does not exist yet. Run `dbt build`"):
        project.plan()


def test_an_ephemeral_model_is_what_it_reads(project):
    project.nodes["model.p.between"] = {
        **node("", "between", materialized="ephemeral"),
        "depends_on": {"nodes": ["model.p.silver_c"]},
    }
    project.depends_on = ["model.p.silver_o", "model.p.between"]
    project.query = (
        "with __dbt__cte__between as (select id, seg from silver.c)"
        " select o.id, c.seg from silver.o left join __dbt__cte__between as c on o.cid = c.id"
    )
    assert [movement.input.name for movement in project.plan().movements] == ["silver_o", "silver_c"]


@pytest.fixture
def frozen(project):
    """The same table, whose rows of more than 1 are frozen."""
    project.config["freeze"] = "amt > 1"
    commit(project)
    project.warehouse.counts["frozen"] = 4
    return project


def commit(project: Project) -> None:
    """Takes what a run would record for what the table's newest commit has."""
    inputs = {name: project.warehouse.summary[name] for name in ("refresh-state", "cdc.gold-bronze")}
    plan = project.plan(gold=None)
    project.warehouse.summary = {name: str(value) for name, value in plan.progress.items()} | inputs


def test_freeze_is_recorded_though_no_input_has_moved(project):
    project.config["freeze"] = "amt > 1"
    plan = project.plan()
    assert (plan.message, plan.frozen) == ("affected: 0 keys; changed keys: none", None)
    assert plan.progress["cdc.gold-freeze"] == "amt > 1"


def test_frozen_keys_are_counted(frozen):
    assert frozen.plan().way == "nothing"
    frozen.warehouse.move("silver.c", snapshot(2))
    plan = frozen.plan()
    assert plan.message == ("affected: 2 keys; changed keys: 2 of silver_c (bronze); 4 frozen keys stay as they are")
    assert (plan.frozen.condition, plan.frozen.spine_keys.view) == ("amt > 1", "")
    assert plan.progress["cdc.gold-frozen"] == 4


def test_changes_of_the_spine_are_followed_also_if_all_rows_are_computed(frozen):
    frozen.warehouse.move("silver.o", snapshot(2))
    assert frozen.plan().frozen.spine_keys.view == "cdc_gold_keys_sales_of_spine"
    frozen.warehouse.facts["first_reset_point"] = "000002"
    plan = frozen.plan()
    assert plan.message == "full: silver_o was truncated or reloaded; 4 frozen keys stay as they are"
    assert plan.frozen.spine_keys.view == "cdc_gold_keys_sales_of_spine", "both states are compared"
    frozen.warehouse.move("silver.o", snapshot(2), has_start=False)
    assert "what changed in silver_o is unknown: refresh_gold computes its frozen keys" in frozen.plan().message


def test_rows_are_final_a_refresh_after_they_are_frozen(frozen):
    frozen.config["freeze"] = "amt > day(gold_today())"
    commit(frozen)
    frozen.day = "2026-01-03"
    plan = frozen.plan()
    last, now = (f"amt > DAY(CAST('2026-01-0{day}' AS DATE))" for day in (2, 3))
    assert plan.frozen.condition == f"({last}) and ({now})"
    assert plan.message.startswith("affected: 2 keys; changed keys: none; rows that 2026-01-03 moves")
    frozen.config["freeze"] = "amt > 2"
    plan = frozen.plan()
    assert plan.message == "full: freeze has changed; 4 frozen keys stay as they are"
    frozen.config["freeze"] = ""
    assert (frozen.plan().message, frozen.plan().frozen) == ("full: freeze has changed", None)


def test_frozen_rows_outlive_another_writer_and_another_query(frozen):
    frozen.warehouse.older, frozen.warehouse.summary = frozen.warehouse.summary, {}
    frozen.warehouse.columns["gold.sales"] = {"id": "int", "seg": "string"}
    with pytest.raises(LakehouseError, match="the table has frozen rows, and no column amt, which the key or freeze"):
        frozen.plan()
    frozen.warehouse.columns["gold.sales"]["amt"] = "int"
    plan = frozen.plan()
    assert plan.message == ("full: another writer has changed the table, or built it; 4 frozen keys stay as they are")
    frozen.warehouse.summary = frozen.warehouse.older
    frozen.query = frozen.query.replace("o.amt", "o.amt as amount")
    frozen.config["freeze"] = "amount > 1"
    with pytest.raises(
        LakehouseError, match=r"frozen by amt > 1, and the query returns amt no longer\. Keep the column"
    ):
        frozen.plan()


def test_a_table_without_a_record_of_its_frozen_rows_is_left_as_it_is(frozen):
    frozen.warehouse.summary = {}
    with pytest.raises(LakehouseError, match=r"no commit of gold\.sales records a refresh any more, so which rows are"):
        frozen.plan()
    assert frozen.plan(gold=None).way == "create"


def test_a_spine_whose_rows_of_then_have_expired_leaves_frozen_rows_and_says_so(frozen):
    frozen.query = "select o.amt, count(*) as n from silver.o left join silver.c on o.cid = c.id group by o.amt"
    frozen.config["key"] = ["amt"]
    frozen.warehouse.columns["gold.sales"] = {"amt": "int", "n": "bigint"}
    frozen.warehouse.move("silver.o", snapshot(2), has_start=False)
    assert "what changed in silver_o is unknown: refresh_gold computes its frozen keys" in frozen.plan().message


@pytest.mark.parametrize(
    ("day", "message"),
    [
        ("2026-01-03", "affected: 2 keys; changed keys: none; rows that 2026-01-03 moves"),
        ("2026-02-03", "full: gold_today() is 2026-02-03, more than a month from the last refresh: 2026-01-02"),
    ],
)
def test_a_day_moves_the_rows_that_clock_names(project, day, message):
    def ask():
        project.query = f"{QUERY} where o.amt < day({project.today})"
        project.config["clock"] = "amt = day(gold_today())"

    ask()
    commit(project)
    assert project.plan().way == "nothing"
    project.day = day
    ask()
    plan = project.plan()
    assert plan.message == message
    [(text,)] = [route.texts for route in plan.model.branches[0].routes if route.texts]
    assert f"day(cast('{day}' as date))" in text, "a condition of the joins holds on the day of the run"


def test_a_spine_without_snapshots_leaves_frozen_rows_and_says_so(frozen, monkeypatch):
    monkeypatch.setattr(Relation, "is_iceberg", False)
    message = frozen.plan().message
    assert "silver_o has no snapshots" in message
    assert "what changed in silver_o is unknown" in message
