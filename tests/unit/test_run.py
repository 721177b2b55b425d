"""A build for a scheduler: what became of each table, and which failures may pass by themselves."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient
from seed_files import good_seeds, write_seeds
from table_configs import state_config

from python_udfs.errors import UsageError
from python_udfs.run.__main__ import main, write_selection
from python_udfs.run.causes import may_pass
from python_udfs.run.outcome import sort_results


def node(name: str, kind: str = "model", layer: str | None = None, **settings: Any) -> SimpleNamespace:
    meta = {"cdc": state_config(layer=layer)} if layer else {}
    return SimpleNamespace(
        unique_id=name, name=name, resource_type=kind, alias=name.partition("_")[2],
        config=SimpleNamespace(meta=meta | settings.pop("meta", {})),
        depends_on=SimpleNamespace(nodes=settings.pop("after", [])), **settings,
    )  # fmt: skip


def result(status: str, of: SimpleNamespace, message: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(status=status, node=of, message=message)


LISTING = node("raw_listing", layer="etl_metadata")
BRONZE = node("bronze_a", layer="bronze", after=["raw_listing"])
SILVER = node("silver_a", layer="silver", after=["bronze_a"], meta={"lag_limit_minutes": 30})
CHECK = node("silver_matches_bronze_a", "test", attached_node="silver_a", after=["silver_a"])
EVERY = node("every_raw_file_is_accounted_for", "test", after=["raw_listing"])
GOLD = node("sales", layer="gold", after=["silver_a"])
METRICS = node("run_metrics", layer="etl_metadata", after=["silver_a"])


def test_a_table_is_built_if_its_models_and_tests_are_fine() -> None:
    outcome = sort_results([result("success", BRONZE), result("success", SILVER), result("warn", CHECK, "Got 2")])
    assert (outcome.tables["a"].state, outcome.tables["a"].message) == ("built", "")
    assert outcome.tables["a"].warnings == ["silver_matches_bronze_a: Got 2"]
    assert outcome.tables["a"].lag_limit_minutes == 30
    assert not outcome.has_failed


@pytest.mark.parametrize("failed", [BRONZE, SILVER, CHECK])
def test_a_table_fails_with_its_own_message(failed: SimpleNamespace) -> None:
    order = [BRONZE, SILVER, CHECK]
    before = order.index(failed)
    results = [
        *(result("success", node_id) for node_id in order[:before]),
        result("fail" if failed is CHECK else "error", failed, "it  broke\n  here"),
        *(result("skipped", node_id) for node_id in order[before + 1 :]),
    ]
    outcome = sort_results(results)
    assert (outcome.tables["a"].state, outcome.tables["a"].message) == ("failed", f"{failed.name}: it broke here")
    assert outcome.others == []
    assert outcome.has_failed


def test_gold_that_fails_is_of_no_single_table() -> None:
    outcome = sort_results([result("success", BRONZE), result("success", SILVER), result("error", GOLD, "no table b")])
    assert {name: table.state for name, table in outcome.tables.items()} == {"a": "built"}
    assert (outcome.others, outcome.has_failed) == (["sales: no table b"], True)


def test_what_is_of_no_table_skips_tables_and_is_told_apart() -> None:
    outcome = sort_results(
        [
            result("error", LISTING, "no such folder"),
            *(result("skipped", node_id) for node_id in (BRONZE, SILVER, CHECK, METRICS)),
            result("fail", EVERY, "Got 1 result"),
        ]
    )
    assert (outcome.tables["a"].state, outcome.tables["a"].message) == ("skipped", "not built, because of raw_listing")
    assert outcome.others == ["raw_listing: no such folder", "every_raw_file_is_accounted_for: Got 1 result"]


def test_one_failure_that_may_pass_is_reason_enough_to_try_again() -> None:
    broken = [result("error", BRONZE, "bad data"), result("error", METRICS, "java.net.ConnectException: refused")]
    assert sort_results(broken).may_pass
    assert not sort_results(broken[:1]).may_pass


# Output of real failures: of two runs at once (tests/e2e/test_two_runs.py), and of servers that are not there.
@pytest.mark.parametrize(
    "message",
    [
        "Another dbt command is writing to this warehouse: dbt build, process 7, since 2026-01-31. Nothing was done.",
        "silver.a: other commits came first, 3 times. Nothing was changed, nothing is lost: run it again.",
        "Another run has created silver.a since this one looked for it.",
        "Another run has written to silver.a since this one read it (at snapshot 7).",
        "CDC error (split_x): another run has written to etl_metadata.split_x since this one began to read Kafka.",
        "Connect to http://127.0.0.1:8181 failed: Connection refused",
    ],
)
def test_another_run_and_the_network_may_pass(message: str) -> None:
    assert may_pass(message)


def test_a_broker_that_is_down_may_pass() -> None:
    with pytest.raises(Exception, match=r"_TRANSPORT|[Tt]imed out") as raised:
        AdminClient({"bootstrap.servers": "127.0.0.1:1", "log_level": 0}).list_topics(timeout=1)
    assert may_pass(str(raised.value))


@pytest.mark.parametrize(
    "message",
    [
        "Got 3 results, configured to fail if != 0",
        '[CAST_INVALID_INPUT] The value \'x\' of the type "STRING" cannot be cast to "INT"',
        "has no key column",
        "These feeds cannot be listed: shop: no such folder",
        "No space left on device",
    ],
)
def test_a_failed_test_and_bad_data_wait_for_a_person(message: str) -> None:
    assert not may_pass(message)


def test_feeds_and_tables_are_selected_with_what_they_need(tmp_path: Path) -> None:
    write_seeds(tmp_path, good_seeds())
    assert write_selection(tmp_path, (), ()) == []
    assert write_selection(tmp_path, ("shop",), ()) == [
        *("--select", "+tag:feed:shop+"),
        *("--vars", '{"cdc_checked_feeds": ["shop"]}'),
    ]
    assert write_selection(tmp_path, (), ("hr__staff",))[:2] == ["--select", "+silver_hr__staff+"]


def test_unknown_names_are_refused_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_seeds(tmp_path, good_seeds())
    with pytest.raises(UsageError):
        write_selection(tmp_path, ("nope",), ())
    words = ["--project-dir", str(tmp_path), "--result", str(tmp_path / "r.json"), "--feeds", "nope", "--tables", "x,y"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "--feeds nope: not a feed; expected people, shop" in said
    assert "--tables x: not an active table" in said
    assert "--tables y" in said
