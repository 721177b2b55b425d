"""What a run decides: whether to ask, what to write, what to remember, when to stop."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from harness import MACROS, Dbt, Relation, environment, normalise
from table_configs import OWN_COLUMNS, make_config

from python_udfs.alerts import hook
from python_udfs.errors import LakehouseError
from python_udfs.pipeline.silver import read_progress

BRONZE = Relation("bronze", "shop__order")
SILVER = Relation("silver", "shop__order")


def test_cdc_check_seed_checksums__compares_those_of_the_generated_models():
    sums = Dbt().cdc_seed_checksums()
    nodes = {"any": SimpleNamespace()}
    called: list[Any] = []
    function = "python_udfs.pipeline.hooks.require_unchanged_seeds"
    Dbt(nodes=nodes, functions={function: lambda **arguments: called.append(arguments)}).cdc_check_seed_checksums()
    assert called == [{"nodes": nodes, "project": "lakehouse", "checksums": sums, "readers": []}]


def test_hooks_are_silent_while_dbt_parses():
    called: list[str] = []
    dbt = Dbt(execute=False)
    dbt.context["adapter"].call_function = lambda name, arguments: called.append(name)
    dbt.cdc_check_seed_checksums()
    dbt.cdc_record_checks([])
    dbt.cdc_report_failures([])
    dbt.cdc_report_incidents([])
    dbt.cdc_require_listed_feeds()
    dbt.validate_kafka_gaps("etl_metadata.kafka_gaps")
    assert called == []


CREATED = {"layer": "etl_metadata"}


def test_get_incremental_cdc_create_sql__once():
    assert Dbt(cdc=CREATED).write("cdc_create") == (
        "create table silver.shop__order as\nselect 1",
        "create: no rows yet",
    )
    sql, message = Dbt(cdc=CREATED, columns={SILVER: {"id": "int"}}).write("cdc_create")
    assert (sql, message) == (None, "nothing: others write this table")


@pytest.mark.parametrize(("custom", "expected"), [(None, "default"), ("silver", "silver"), (" silver ", "silver")])
def test_generate_schema_name__case(custom, expected):
    assert Dbt().generate_schema_name(custom, None).strip() == expected


def test_read_progress__no_table():
    assert read_progress(Dbt().context["adapter"], None) == {}


def test_read_progress__no_snapshot_with_progress():
    assert read_progress(Dbt().context["adapter"], SILVER) == {}


def test_read_progress__what_the_project_and_iceberg_say_of_the_table():
    summary = {"cdc.batch-id": "7", "cdc.sequence": "m", "total-records": "9", "added-records": "2"}
    progress = read_progress(Dbt(summary=summary).context["adapter"], SILVER)
    assert progress == {"cdc.batch-id": "7", "cdc.sequence": "m", "total-records": "9"}


def test_cdc_progress_sql__newest_ancestor_of_the_current_snapshot():
    sql = normalise(Dbt().cdc_progress_sql(SILVER))
    assert "where history.is_current_ancestor and map_contains_key(snapshots.summary, 'cdc.batch-id')" in sql
    assert sql.endswith("order by snapshots.committed_at desc limit 1")


def result(status: str, kind: str = "test", failures: int | None = None) -> Any:
    node = SimpleNamespace(resource_type=kind, name="one_row_per_key", unique_id="one", compiled_code="select 1")
    return SimpleNamespace(node=node, status=status, failures=failures)


MODELS = MACROS.parent / "models" / "etl_metadata"
SOURCE = {"feed": "f", "source_schema": "s", "source_table": "t"}
TABLE = {**SOURCE, "bronze": "bronze_t", "silver": "silver_t"}
OTHER = {**SOURCE, "source_table": "u", "bronze": "bronze_u", "silver": "silver_u"}
INACTIVE = {**SOURCE, "source_table": "v"}
SPLIT = {"feed": "f", "source_schema": None, "source_table": None, "split": "split_f"}


def view(name: str, tables: list[dict[str, Any]], built: tuple[str, ...] = (), **words: Any) -> str:
    """The SQL of a view over these tables, as cdc_tables has them; `built` are the models that have a relation."""
    dbt = Dbt(columns={Relation("ref", model): {} for model in built}, **words)
    dbt.context |= {"cdc_tables": lambda: tables, "config": lambda **_: "", "ref": lambda model: Relation("ref", model)}
    return normalise(environment().from_string((MODELS / f"{name}.sql").read_text("utf-8")).render(dbt.context))


def test_raw_processed_files__progress_of_every_table():
    sql = view("raw_processed_files", [TABLE, INACTIVE], built=("bronze_t",))
    assert "'t' as source_table, true as is_active, coalesce((" in sql
    assert "(select max(_cdc_batch_id) from ref.bronze_t), 0) as batch_id union all select" in sql
    assert "'v' as source_table, false as is_active, 0 as batch_id union all select cast(null" in sql
    assert "from ref.raw_listing), rejected as (select path," in sql


def test_raw_processed_files__a_feed_whose_first_split_failed_waits():
    sql = view("raw_processed_files", [SPLIT])
    assert "'f' as feed, cast(null as string) as source_schema, cast(null as string) as source_table, true" in sql
    assert "true as is_active, 0 as batch_id union all" in sql
    assert "ref.split_f" not in sql
    assert "(select max(batch_id) from ref.split_f)" in view("raw_processed_files", [SPLIT], built=("split_f",))


def test_raw_processed_files__files_of_a_table_whose_first_build_failed_wait():
    sql = view("raw_processed_files", [TABLE])
    assert "'t' as source_table, true as is_active, 0 as batch_id union all" in sql


@pytest.mark.parametrize(("name", "layer"), [("quarantine", "bronze"), ("run_metrics", "silver")])
def test_views_are_made_of_the_tables_that_exist(name, layer):
    sql = view(name, [TABLE, OTHER, INACTIVE, SPLIT], built=(f"{layer}_t", f"{layer}_v", "split_f"))
    assert f"ref.{layer}_t" in sql
    assert f"ref.{layer}_u" not in sql
    assert "split_f" not in sql
    # Without any, the error names the tables; and while dbt parses, each one is a parent of the view.
    assert f"ref.{layer}_u" in view(name, [TABLE, OTHER])
    assert f"ref.{layer}_u" in view(name, [TABLE, OTHER], built=(f"{layer}_t",), execute=False)


def test_raw_processed_files__no_table_at_all():
    sql = view("raw_processed_files", [])
    assert sql.startswith("with progress as (select cast(null as string) as feed,")


def test_quarantine__no_table_at_all():
    assert view("quarantine", []).endswith("cast(null as string) as status where false")


def test_quarantine__of_every_table():
    sql = view("quarantine", [TABLE, OTHER])
    assert "'u' as source_table, _cdc_source_file as source_file" in sql
    assert "from ref.bronze_t as _cdc_bad where _cdc_bad._cdc_quarantine_rule is not null union all" in sql
    assert sql.endswith("from ref.bronze_u as _cdc_bad where _cdc_bad._cdc_quarantine_rule is not null")


def test_quarantine__asks_what_has_overtaken_rows_of_tables_that_have_any():
    dbt = Dbt(nodes=GRAPH, columns={BRONZE: {"id": "int"}})
    bronze = make_config(layer="bronze", **SOURCE)
    table = {**TABLE, "relation": BRONZE}
    dbt.context |= {
        "config": lambda **_: "",
        "ref": str,
        "cdc_built": lambda layer, ref: [table, {**table, "source_table": "u"}],
        "cdc_data_tests": lambda: SimpleNamespace(list_quarantined=lambda: [bronze]),
    }
    sql = environment().from_string((MODELS / "quarantine.sql").read_text("utf-8")).render(dbt.context)
    assert sql.count("then 'overtaken'") == 1


def test_run_metrics__depends_on_every_table():
    sql = view("run_metrics", [TABLE, OTHER])
    for silver in ("silver_t", "silver_u"):
        assert f"-- depends_on: ref.{silver}" in sql


def node(schema: str, alias: str, kind: str = "model", **cdc: str) -> Any:
    config = SimpleNamespace(meta={"cdc": cdc} if cdc else {})
    return SimpleNamespace(
        resource_type=kind, name=alias, database=None, schema=schema, alias=alias, config=config, attached_node=None
    )


GRAPH = {
    "seed": node("silver", "shop__order", "seed", layer="none"),
    "other": node("bronze", "other", layer="bronze", **{**SOURCE, "feed": "g"}),
    "plain": node("gold", "plain"),
    "bronze": node("bronze", "shop__order", layer="bronze", **SOURCE),
    "silver": node(
        "silver", "shop__order", layer="silver", primary_key=["id"], mode="current", delete_mode="hard", **SOURCE
    ),
}


@pytest.mark.parametrize(("relation", "layer"), [(SILVER, "silver"), (BRONZE, "bronze")])
def test_cdc_config_of__relation(relation, layer):
    assert Dbt(nodes=GRAPH).cdc_config_of(relation).layer == layer


@pytest.mark.parametrize("relation", [Relation("gold", "plain"), Relation("x", "y")])
def test_cdc_config_of__unknown_relation(relation):
    with pytest.raises(LakehouseError) as error:
        Dbt(nodes=GRAPH).cdc_config_of(relation)
    assert str(error.value) == (
        f"CDC error: {relation} is no table of the pipeline. Expected one of: bronze.other,"
        " bronze.shop__order, silver.shop__order. Name such a table, or run make models if its row is new in"
        " seeds/cdc_tables.csv."
    )


def data_test(name: str, **words: Any) -> str:
    return normalise(getattr(Dbt(**{"nodes": GRAPH, **words}), f"test_{name}")(SILVER))


BLOCKS_NOTHING = "-- depends_on: ref.cdc_tables "


def test_cdc_blocks_nothing__depends_on_the_seed():
    assert Dbt().cdc_blocks_nothing() == BLOCKS_NOTHING.strip()


def test_known_operations__leaves_quarantined_rows_out():
    sql = data_test("known_operations")
    assert sql.startswith(BLOCKS_NOTHING)
    assert "from silver.shop__order where _cdc_quarantine_rule is null and (" in sql
    assert "_cdc_operation is null or _cdc_operation not in ('L', 'I', 'U', 'D', 'T', 'R', 'X')" in sql


def test_no_key_is_null__asks_for_the_models_own_key():
    sql = data_test("no_key_is_null")
    assert sql == BLOCKS_NOTHING + "select * from silver.shop__order where `id` is null"


def test_one_row_per_key__asks_for_the_models_own_key():
    assert data_test("one_row_per_key") == (
        BLOCKS_NOTHING + "select `id`, count(*) as row_count from silver.shop__order group by `id` having count(*) > 1"
    )


PROGRESS = {"cdc.batch-id": "7", "cdc.bronze-snapshot-id": "43", "cdc.sequence": "m"}


@pytest.mark.parametrize("which", ["test", "build"])
def test_silver_matches_bronze__compares_at_the_snapshot_applied(which):
    columns = {relation: {"id": "int", **OWN_COLUMNS} for relation in (SILVER, BRONZE)}
    sql = data_test("silver_matches_bronze", which=which, columns=columns, summary=PROGRESS)
    assert "from bronze.shop__order version as of 43 as _cdc_log where _cdc_quarantine_rule is null" in sql
    assert sql.endswith("having sum(_cdc_side) <> 0")


@pytest.mark.parametrize("words", [{"which": "compile"}, {"which": "test", "execute": False}])
def test_silver_matches_bronze__asks_nothing_unless_it_tests(words):
    assert data_test("silver_matches_bronze", **words) == BLOCKS_NOTHING + "select * from silver.shop__order"


def test_silver_matches_bronze__nothing_applied_means_no_row():
    applied = {"cdc.bronze-snapshot-id": "43", "cdc.batch-id": "7"}
    sql = data_test("silver_matches_bronze", which="test", summary=applied)
    assert sql == BLOCKS_NOTHING + "select * from silver.shop__order"


INCIDENTS = Relation("etl_metadata", "incidents")
METRICS = Relation("etl_metadata", "run_metrics")


def incidents(
    monkeypatch: Any,
    *,
    built: tuple[Relation, ...] = (INCIDENTS, METRICS),
    judged: Any = (),
    due: bool = True,
    **words: Any,
) -> Any:
    """What cdc_report_incidents has judged, what it warns of, and what it sends to Spark."""
    node = {"resource_type": "model", "database": None, "schema": "etl_metadata"}
    names = ("incidents", "run_metrics", "kafka_gaps")
    nodes = {f"model.lakehouse.{name}": SimpleNamespace(**node, name=name, alias=name) for name in names}
    dbt = Dbt(nodes=nodes, columns={relation: {} for relation in built}, **words)
    called: dict[str, Any] = {}

    def judge(results: Any, nodes: Any, which: str, answers: Any, *_: Any) -> Any:
        called.update(answers)
        return list(judged)

    monkeypatch.setattr(hook, "is_due", lambda results, table: due)
    monkeypatch.setattr(hook, "judge_incidents", judge)
    monkeypatch.setattr(hook, "warn_not_written", dbt.warnings.append)
    dbt.cdc_report_incidents([result("pass")])
    return called, dbt


def test_cdc_report_incidents__only_commands_that_run_something_and_only_when_due(monkeypatch):
    assert incidents(monkeypatch, which="compile")[0] == {}
    assert incidents(monkeypatch, due=False)[0] == {}
    assert incidents(monkeypatch)[0] != {}


def test_cdc_report_incidents__a_first_build_that_fails_is_reported(monkeypatch):
    answers, dbt = incidents(monkeypatch, built=(), judged=[{"kind": "failure"}])
    assert answers == {"incidents": [], "runs": [], "gaps": None}
    created, written = dbt.attempted
    assert created.startswith("create table if not exists etl_metadata.incidents (kind string, subject string,")
    assert written.startswith("merge into etl_metadata.incidents as recorded")
    _, dbt = incidents(monkeypatch, built=(), judged=[{}], attempts={"create table": "disk full"})
    assert dbt.warnings == ["disk full"]
    assert len(dbt.attempted) == 1


def test_cdc_report_incidents__nothing_new_writes_nothing(monkeypatch):
    answers, dbt = incidents(monkeypatch)
    assert answers == {"incidents": [], "runs": [], "gaps": None}
    assert len(dbt.attempted) == 2
    assert dbt.queries == []


def test_cdc_report_incidents__rows_are_written_and_a_failure_is_a_warning(monkeypatch):
    _, dbt = incidents(monkeypatch, judged=[{"kind": "lag"}])
    assert dbt.views == {"incidents_new": [{"kind": "lag"}]}
    assert dbt.attempted[-1].startswith("merge into etl_metadata.incidents as recorded")
    assert dbt.warnings == []
    assert incidents(monkeypatch, judged=[{}], attempts={"merge into": "disk full"})[1].warnings == ["disk full"]


def test_cdc_report_incidents__a_table_that_cannot_be_read_is_none(monkeypatch):
    answers, _ = incidents(
        monkeypatch,
        built=(INCIDENTS, METRICS, Relation("etl_metadata", "kafka_gaps")),
        attempts={
            "from etl_metadata.run_metrics": "gone",
            "from etl_metadata.incidents": [{"row_json": '{"at": "x"}'}],
            "from etl_metadata.kafka_gaps\nwhere status = 'waiting'": [{"row_json": "{}"}],
        },
    )
    assert answers == {"incidents": [{"at": "x"}], "runs": None, "gaps": [{}]}


def test_rows_that_wait_are_counted_in_bronze():
    cdc = {"feed": "f", "source_schema": "s", "source_table": "t"}
    node = {"resource_type": "model", "database": None, "alias": "t"}
    nodes = {
        layer: SimpleNamespace(**node, schema=layer, config=SimpleNamespace(meta={"cdc": {"layer": layer, **cdc}}))
        for layer in ("bronze", "silver")
    }
    bronze = Relation("bronze", "t")

    def count(table: str = "silver.t", **words: Any) -> int | None:
        return hook._count_waiting(Dbt(nodes=nodes, **words).cdc_project(), table)

    words = {"columns": {bronze: {}}}
    assert count(attempts={"select count(*)": [{"row_count": 3}]}, **words) == 3
    assert count(attempts={"select count(*)": "no such table"}, **words) is None
    assert count() is None, "there is no bronze table yet"
    assert count("silver.other", **words) is None
