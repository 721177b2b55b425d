"""The DAGs: what their tasks show, repeat, announce and report. Airflow runs; what dbt did is given by a plan."""

from __future__ import annotations

from typing import Any

import pytest

from python_udfs.metadata import load_metadata
from tests.airflow.conftest import ROOT, Driver

NAMES = [table.target_table for table in load_metadata(ROOT / "seeds").active_tables]
FAILED, SKIPPED, LATE, GOOD = "salesdb__customer", "bank__accounts", "sampledb__store", "sampledb__product"
MESSAGE = "silver_salesdb__customer: [CAST_INVALID_INPUT] the table's own message <b>"


def table(
    state: str = "built", message: str = "", snapshot: int = 1, lag: int = 60, limit: int | None = None
) -> dict[str, Any]:
    facts = {"snapshot_id": snapshot, "lag_seconds": lag, "rows": 3, "inserted": 1, "updated": 0, "deleted": 0}
    return {
        "state": state,
        "message": message,
        "warnings": ["a_test: warned"],
        "lag_limit_minutes": limit,
        "facts": facts,
    }


GOOD_RUN = {"tables": {name: table() for name in NAMES}}
MIXED = {
    FAILED: table("failed", MESSAGE),
    SKIPPED: table("skipped", "not built, because of split_bank"),
    LATE: table(lag=7260, limit=120),
}
MIXED_RUN = {"code": 1, "tables": GOOD_RUN["tables"] | MIXED, "others": ["split_bank: no such folder"]}
TEMPORARY_RUN = {**MIXED_RUN, "code": 75}
ALONE = {"tables": {FAILED: table(snapshot=7)}}
KILLED = {"kill": True}


@pytest.fixture(scope="module")
def seen(drive: Driver, sqs: str) -> list[dict[str, Any]]:
    """The events of each step; the first item is about the DAGs as they were read."""
    return drive(
        [
            {"plan": [MIXED_RUN]},
            {"plan": [ALONE], "clear": [FAILED]},
            {"plan": [GOOD_RUN]},
            {"plan": [GOOD_RUN], "clear": ["build", *NAMES, "lag", "others"]},
            {"plan": [KILLED, GOOD_RUN]},
            {"plan": [TEMPORARY_RUN]},
            {"plan": [{"code": 75}]},
            {"plan": [{"code": 1}]},
            {"plan": [{"code": 0}], "dag": "cdc_maintenance"},
            {"plan": [{"code": 1}], "dag": "cdc_docs"},
            {"plan": [{"code": 0}], "dag": "cdc_quality"},
            {"queue": "landing"},
            {"groups": "a b=crm,nope;c=crm"},
            {"plan": [GOOD_RUN], "groups": "fast=crm,orders;slow=bank,retail"},
        ],
        LAKEHOUSE_RETRIES="2",
        LAKEHOUSE_ALERT_MAIL="ops@example.org",
        LAKEHOUSE_ALERT_WEBHOOK="webhook",
        LAKEHOUSE_SQS_QUEUE=f"{sqs}/123456789012/landing",
        AWS_ENDPOINT_URL=sqs,
        AWS_ACCESS_KEY_ID="x",
        AWS_SECRET_ACCESS_KEY="y",
        AWS_DEFAULT_REGION="us-east-1",
    )


def test_the_dags_are_read_without_an_error(seen: list[dict[str, Any]]) -> None:
    assert seen[0] == {"errors": {}}


def test_a_table_turns_red_and_stops_no_other(seen: list[dict[str, Any]]) -> None:
    states = {name: state for name, (state, _) in seen[1]["tasks"].items()}
    assert states == {
        **dict.fromkeys(["build", *NAMES], "success"),
        **{FAILED: "failed", SKIPPED: "skipped", "lag": "failed", "others": "failed"},
    }
    assert seen[1]["calls"] == ["-m python_udfs.run"]


def test_mail_and_webhook_have_the_tables_own_message(seen: list[dict[str, Any]]) -> None:
    hooks = {hook["task"]: hook for hook in seen[1]["hooks"]}
    assert {name: hook["message"] for name, hook in hooks.items()} == {
        "tables": MESSAGE,
        "lag": f"{LATE}: its newest change is 121 minutes old, limit 120",
        "others": "split_bank: no such folder",
    }
    assert hooks["tables"]["table"] == FAILED
    assert hooks["tables"]["text"] == f"cdc_lakehouse: tables {FAILED} failed"
    (mail,) = (mail for mail in seen[1]["mails"] if f"tables {FAILED} failed" in mail)
    assert "To: ops@example.org" in mail
    assert len(seen[1]["mails"]) == 3


def test_an_asset_is_announced_when_its_snapshot_moved(seen: list[dict[str, Any]]) -> None:
    built = [name for name in NAMES if name not in (FAILED, SKIPPED)]
    assert sorted(seen[1]["assets"]) == sorted([f"silver.{name}", 1] for name in built)
    assert seen[2]["assets"] == [[f"silver.{FAILED}", 7]]
    # Snapshot 1 of the failed table is another than 7, as after a rollback; the skipped one has never been announced.
    assert sorted(seen[3]["assets"]) == sorted([f"silver.{name}", 1] for name in (FAILED, SKIPPED))
    assert [seen[step]["assets"] for step in (4, 5)] == [[], []]


def test_a_cleared_table_is_built_again_alone(seen: list[dict[str, Any]]) -> None:
    assert seen[2]["calls"] == [f"-m python_udfs.run --tables {FAILED}"]
    assert seen[2]["tasks"][FAILED] == ["success", 2]
    others = [name for name in seen[1]["tasks"] if name != FAILED]
    assert {name: seen[2]["tasks"][name] for name in others} == {name: seen[1]["tasks"][name] for name in others}


def test_a_build_that_is_cleared_with_its_tables_runs_once(seen: list[dict[str, Any]]) -> None:
    assert seen[4]["calls"] == ["-m python_udfs.run"]
    assert set(map(tuple, seen[4]["tasks"].values())) == {("success", 2)}


def test_a_killed_build_is_repeated(seen: list[dict[str, Any]]) -> None:
    assert seen[5]["calls"] == ["-m python_udfs.run"] * 2
    assert seen[5]["tasks"]["build"] == ["success", 2]
    assert seen[5]["hooks"] == [], "who is told of a failure that has passed looks for nothing"


def test_a_cause_that_may_pass_is_tried_again_and_then_shown_by_its_table(seen: list[dict[str, Any]]) -> None:
    assert seen[6]["calls"] == ["-m python_udfs.run"] * 3
    assert seen[6]["tasks"]["build"] == ["success", 3]
    assert seen[6]["tasks"][FAILED] == ["failed", 1]


def test_a_build_without_a_result_is_one_failure_and_not_one_per_table(seen: list[dict[str, Any]]) -> None:
    for step, attempts in ((7, 3), (8, 1)):
        assert seen[step]["tasks"]["build"] == ["failed", attempts]
        assert {state for name, (state, _) in seen[step]["tasks"].items() if name != "build"} == {"upstream_failed"}
        assert [hook["task"] for hook in seen[step]["hooks"]] == ["build"]


def test_other_commands_run_in_dags_of_their_own(seen: list[dict[str, Any]]) -> None:
    assert seen[9]["calls"] == ["run-operation maintain"]
    assert seen[9]["tasks"] == {"maintain": ["success", 1]}
    assert seen[10]["tasks"] == {"docs": ["failed", 1]}
    assert seen[10]["hooks"][0]["message"].startswith("dbt docs generate --static ended with exit code 1")
    assert sorted(seen[11]["calls"]) == ["--no-print-directory quality", "source freshness"]


def test_a_notification_of_s3_starts_a_run(seen: list[dict[str, Any]]) -> None:
    event, left = seen[12]["event"]
    assert "'Records'" in event or '"Records"' in event
    assert left == "0", "both messages are one event"


def test_mistakes_of_the_groups_are_named_at_once(seen: list[dict[str, Any]]) -> None:
    (error,) = seen[13]["errors"].values()
    for mistake in (
        "'a b' is no name for a group",
        "'nope' is not a feed",
        "'bank' is in no group",
        "'crm' is in two groups",
    ):
        assert mistake in error


def test_groups_are_built_apart_and_tables_belong_to_their_group(seen: list[dict[str, Any]]) -> None:
    run = seen[14]
    assert sorted(run["calls"]) == ["-m python_udfs.run --feeds bank,retail", "-m python_udfs.run --feeds crm,orders"]
    tasks = {f"{group}.{task}" for group in ("fast", "slow") for task in ("build", "lag", "others")}
    assert run["tasks"].keys() == tasks | set(NAMES)
