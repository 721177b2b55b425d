"""Hooks stop a command, and log and record at its end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.empty_tables import list_columns
from python_udfs.pipeline.hooks import (
    make_results,
    record_checks,
    report_failures,
    require_listed_feeds,
    require_no_gaps,
    require_unchanged_seeds,
)


class Warehouse:
    """A warehouse that answers each query with the same rows and remembers what it was asked."""

    def __init__(self, *rows: dict[str, Any], error: str | None = None) -> None:
        self.rows, self.error = list(rows), error
        self.asked: list[str] = []
        self.once: dict[Any, Any] = {}
        self.noted: dict[str, Any] = {}
        self.create_schema = lambda value: self.asked.append(str(value))
        self.plan_once = lambda: self.asked.append("planned once")

    def query(self, sql: str) -> list[dict[str, Any]]:
        self.asked.append(sql)
        return self.rows

    def attempt(self, sql: str) -> dict[str, Any]:
        return {"rows": self.query(sql), "error": self.error}

    def ask_once(self, question: Any, ask: Any) -> Any:
        return self.once[question] if question in self.once else self.once.setdefault(question, ask())

    def notes(self, name: str) -> dict[str, Any]:
        return self.noted.setdefault(name, {})


SUMS = {"cdc_feeds": "f", "cdc_tables": "t", "cdc_columns": "c"}
GENERATED_FROM = {**SUMS, "cdc_readers": ["trino", "daft"]}
READERS = ["daft", "trino"]


def seeds(**checksums: str) -> dict[str, Any]:
    return {f"seed.p.{name}": {"checksum": {"checksum": sum_}} for name, sum_ in {**SUMS, **checksums}.items()}


def test_seeds_that_the_models_were_generated_from():
    require_unchanged_seeds(seeds(), "p", GENERATED_FROM, READERS)


def test_models_of_other_readers_are_refused():
    with pytest.raises(LakehouseError, match=r"run make models.*: cdc_readers of dbt_project.yml"):
        require_unchanged_seeds(seeds(), "p", GENERATED_FROM, ["trino"])


def test_every_changed_seed_is_named_and_a_missing_one_is_a_change():
    nodes = seeds(cdc_feeds="other", cdc_columns="other")
    with pytest.raises(LakehouseError) as error:
        require_unchanged_seeds(nodes, "p", GENERATED_FROM, READERS)
    assert str(error.value) == (
        "CDC error (cdc_check_seed_checksums): seeds changed: run make models. Changed since the models were "
        "generated: seeds/cdc_feeds.csv, seeds/cdc_columns.csv."
    )
    nodes = seeds()
    del nodes["seed.p.cdc_tables"]
    with pytest.raises(LakehouseError, match=r"generated: seeds/cdc_tables\.csv\."):
        require_unchanged_seeds(nodes, "p", GENERATED_FROM, READERS)


@pytest.mark.parametrize("value", ["", "<undefined>"])
def test_all_feeds_were_listed(value):
    require_listed_feeds(Warehouse({"value": value}), "model.raw_listing")


def test_a_feed_that_could_not_be_listed_ends_the_node_and_nothing_is_skipped():
    warehouse = Warehouse({"value": "feed f: no such bucket"})
    with pytest.raises(LakehouseError, match=r"^feed f: no such bucket$"):
        require_listed_feeds(warehouse, "model.raw_listing")
    assert warehouse.noted == {"incomplete": {"model.raw_listing": True}}


def test_gaps_that_partitions_wait_behind():
    sql = {"cdc_waiting_gaps_sql": lambda gaps: f"waiting in {gaps}"}
    require_no_gaps(Warehouse(), sql, "gaps")
    warehouse = Warehouse({"feed": "g", "description": "2 are gone"}, {"feed": "f", "description": "1 is gone"})
    with pytest.raises(LakehouseError) as error:
        require_no_gaps(warehouse, sql, "gaps")
    assert warehouse.asked == ["waiting in gaps"]
    head, first, second, tail = str(error.value).splitlines()
    assert head == "CDC error (kafka_gaps): messages are gone from Kafka that were not read:"
    assert (first, second) == ("  - feed f: 1 is gone", "  - feed g: 2 are gone")
    assert tail.startswith("Expected: a run before Kafka removes messages.") and "LAKEHOUSE_KAFKA_GAPS" in tail


def ended(name: str, status: str, kind: str = "model", failures: int | None = None, **meta: Any) -> Any:
    config = SimpleNamespace(meta=meta)
    node = SimpleNamespace(name=name, unique_id=name, resource_type=kind, compiled_code="select 1", config=config)
    return SimpleNamespace(node=node, status=status, failures=failures)


def log(warehouse: Warehouse, *results: Any) -> list[str]:
    lines: list[str] = []
    report_failures(warehouse, {"log": lambda line, info: lines.append(line)}, results)
    return lines


@pytest.mark.parametrize("status", ["fail", "warn"])
def test_a_failed_test_shows_its_first_rows_which_are_asked_for_once(status):
    warehouse = Warehouse({"id": 1, "n": 2}, {"id": 3, "n": None})
    expected = ["one_row_per_key found:", "  id=1, n=2", "  id=3, n=None", "  and 4 more"]
    failed = ended("one_row_per_key", status, "test", failures=6)
    assert log(warehouse, failed) == log(warehouse, failed) == expected
    assert warehouse.asked == ["select * from (select 1\n) limit 5"]


@pytest.mark.parametrize(
    ("status", "kind"), [("pass", "test"), ("error", "test"), ("skipped", "test"), ("fail", "model")]
)
def test_other_results_show_no_rows(status, kind):
    warehouse = Warehouse({"id": 1})
    assert (log(warehouse, ended("x", status, kind)), warehouse.asked) == ([], [])


def test_models_over_all_tables_name_those_that_they_lack():
    over_all = [ended(name, "success", runs_after_failures=True) for name in ("run_metrics", "quarantine")]
    silver = [ended(f"silver_{number}", "error", cdc={"layer": "silver"}) for number in range(12)]
    other = ended("gold", "error")
    assert log(Warehouse(), *over_all, other) == []
    assert log(Warehouse(), *silver, other, ended("quarantine", "skipped", runs_after_failures=True)) == []
    [line] = log(Warehouse(), *over_all, *silver, ended("bronze_b", "success", cdc={"layer": "bronze"}))
    assert line.startswith("quarantine, run_metrics: made of the tables that exist, without")
    assert "silver_0 (error), silver_1 (error), silver_10 (error)" in line
    assert line.endswith("and 2 more")


def project(warehouse: Warehouse, *built: str) -> Any:
    sql = {
        "cdc_record_checks_sql": lambda recorded, records: f"merge {len(records)} into {recorded}",
    }
    return SimpleNamespace(
        warehouse=warehouse,
        sql=sql,
        name_relation=lambda name: f"etl.{name}",
        find_built=lambda names: {name: f"etl.{name}" for name in names if name in built},
    )


def creation(table: str) -> str:
    columns = ", ".join(f"{column.name} {column.type}" for column in list_columns(table))
    return f"create table if not exists etl.{table} ({columns}) using iceberg"


def test_comparisons_that_passed_are_one_commit_into_a_table_that_is_created_once():
    record = '{"silver_table": "s", "snapshot_id": 1, "schema_id": 0, "bronze_snapshot_id": 2, "batch_id": 3,'
    text = f'-- recorded once it passes: {record} "sequence": "a", "is_full": true}}'
    passed = ended("silver_matches_bronze", "pass", "test")
    passed.node.test_metadata, passed.node.compiled_code = SimpleNamespace(name="silver_matches_bronze"), text
    warehouse = Warehouse()
    record_checks(project(warehouse), [passed])
    assert warehouse.asked == [
        "etl.silver_checks",
        creation("silver_checks"),
        "planned once",
        "merge 1 into etl.silver_checks",
    ]
    again = Warehouse()
    record_checks(project(again, "silver_checks"), [passed])
    assert again.asked == ["planned once", "merge 1 into etl.silver_checks"]


def test_the_table_of_expectations_is_created_unless_it_is_there():
    warehouse = Warehouse()
    assert make_results(project(warehouse, "expectation_results")) == "etl.expectation_results"
    assert warehouse.asked == []
    assert make_results(project(warehouse)) == "etl.expectation_results"
    assert warehouse.asked[-1] == creation("expectation_results")
    with pytest.raises(LakehouseError, match="disk full"):
        make_results(project(Warehouse(error="disk full")))
