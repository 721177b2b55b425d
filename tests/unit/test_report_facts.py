"""The report's view of stored numbers, and that nobody can write into its page."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from python_udfs.report import charts
from python_udfs.report.__main__ import write
from python_udfs.report.facts import Facts
from python_udfs.report.needs import needs
from python_udfs.report.numbers import as_json, as_openmetrics
from python_udfs.report.page import duration, make_anchors, page, size, trend
from tests.report_facts import HOSTILE, NOW, answer, expectations, gold_table, incident, many, run, table, text


def facts(**words: Any) -> Facts:
    return Facts.of(answer(**words), NOW)


CHECKED = [{"silver_table": "silver.t", "checked_at": text(-1)}]


def read_table(
    *runs: Any, incidents: Any = (), gaps: Any = (), checks: Any = CHECKED, rejected: Any = (), **words: Any
) -> Any:
    [single] = facts(
        tables=[table("t", **words)], runs=runs, incidents=incidents, gaps=gaps, checks=checks, rejected=rejected
    ).tables
    return single


def kinds(**words: Any) -> list[tuple[str, str]]:
    return [(need.kind, need.subject) for need in needs(facts(**words))]


def test_a_table_without_a_run():
    single = read_table()
    assert (single.state, single.lag_seconds, single.newest, single.marks, single.maintenance) == (
        "none",
        None,
        None,
        (),
        "",
    )
    assert kinds(tables=[table("t")]) == [("never", "silver.t")]


def test_lag_counts_from_the_newest_change_to_now():
    single = read_table(run("t", -60), run("t", -10))
    assert single.lag_seconds == 12 * 60
    assert [each.lag_seconds for each in single.runs] == [120, 120]


@pytest.mark.parametrize(
    ("limit", "state"), [(None, "good"), (13, "good"), (11, "late"), ("11", "late"), ("x", "good")]
)
def test_a_table_is_late_only_over_its_limit(limit, state):
    assert read_table(run("t", -10), lag_limit_minutes=limit).state == state


def test_the_most_urgent_state_is_shown():
    waiting, failing = incident("quarantine", "t"), incident("failure", "t")
    gap = {"feed": "shop", "topic": "a", "partition": 0, "from_offset": 1, "status": "waiting"}
    late = {"lag_limit_minutes": 1}
    assert read_table(run("t", -10), incidents=[waiting]).state == "quarantine"
    assert read_table(run("t", -10), incidents=[waiting], **late).state == "late"
    assert read_table(run("t", -10), incidents=[waiting], gaps=[gap], **late).state == "gap"
    assert read_table(run("t", -10), incidents=[waiting, failing], gaps=[gap], **late).state == "failing"
    assert read_table(run("t", -10), incidents=[{**failing, "ended_at": text(-1)}]).state == "good"
    source = {key: table("t")[key] for key in ("feed", "source_schema", "source_table")}
    rejected = [{**source, "files": 1}]
    assert read_table(run("t", -10), incidents=[waiting], rejected=rejected).state == "rejected"
    assert read_table(run("t", -10), rejected=[{**rejected[0], "source_table": "other"}]).state == "good"


def test_a_table_that_was_not_compared_since_its_last_run_is_not_good():
    assert read_table(run("t", -10), checks=()).state == "unchecked"
    assert read_table(run("t", -10), checks=[{**CHECKED[0], "checked_at": text(-11)}]).state == "unchecked"
    assert "unchecked" in page(facts(tables=[table("t")], runs=[run("t", -10)]))


def test_the_last_runs_with_failures_among_them():
    single = read_table(
        *(run("t", minutes) for minutes in (-90, -80, -70, -20)),
        run("t", -10, rows_quarantined=2),
        incidents=[incident("failure", "t", -50, ended_at=text(-20)), incident("lag", "t", -60)],
    )
    assert [mark.state for mark in single.marks] == ["done", "done", "failed", "done", "quarantined"]


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({"data_files": 3, "bytes": 100, "deleted_rows": 0}, ""),
        ({"data_files": 4, "bytes": 100, "deleted_rows": 0}, "4 small files"),
        ({"data_files": 4, "bytes": 40 * 1024 * 1024, "deleted_rows": 0}, ""),
        ({"data_files": 1, "deleted_rows": 52, "rows_total": 1000}, ""),
        ({"data_files": 1, "deleted_rows": 53, "rows_total": 1000}, "deletes hide 53 rows"),
        ({"data_files": None, "deleted_rows": 900}, ""),
    ],
)
def test_maintenance_is_due_as_maintain_would_find(counts, reason):
    assert read_table(run("t", -10, **counts)).maintenance == reason


def test_files_of_a_partitioned_table_are_not_judged():
    assert read_table(run("t", -10, data_files=90), is_partitioned=True).maintenance == ""


def test_run_time_beside_its_usual_one():
    def of(*times: float) -> str:
        return trend(read_table(*(run("t", at - 100, run_seconds=seconds) for at, seconds in enumerate(times))))

    assert of(1, 1, 1) == of(1, 1, 1, 1.4) == ""
    assert of(1, 1, 9, 2.5) == "↑ 2.5 times the usual"
    assert of(4, 4, 4, 1) == "↓ 0.2 times the usual"


def silence(*minutes: float) -> list[str]:
    read = facts(tables=[table("t"), table("u")], runs=[run("tu"[at % 2], m) for at, m in enumerate(minutes)])
    return [need.message for need in needs(read) if need.kind == "silent"]


def test_a_feed_is_silent_after_twice_its_longest_pause():
    assert silence(-300, -280, -260, -240, -220) == ["nothing for 3 h; its longest pause was 20 min"]
    assert silence(-300, -280, -260, -240) == [], "too few to know what is usual"
    assert silence(-500, -350, -260, -240, -220) == []
    assert silence(-59, -58, -57, -56, -55) == [], "an hour at least"
    assert silence(-400, -300.1, -300, -299.9, -299.8) == [], "tables of one build"


def test_the_most_urgent_comes_first_each_with_a_command():
    gap = {"feed": "live", "topic": "a", "partition": 0, "status": "waiting", "description": "offsets are gone"}
    needed = needs(
        facts(
            tables=[table("a", lag_limit_minutes=1), table("b"), table("c")],
            runs=[run("a", -10, data_files=9), run("b", -10)],
            incidents=[incident("quarantine", "b"), incident("failure", "a"), incident("lag", "a")],
            gaps=[gap, {**gap, "status": "passed"}],
        )
    )
    assert [need.kind for need in needed] == ["failure", "gap", "lag", "quarantine", "never", "maintenance"]
    assert all(need.command for need in needed)
    assert needed[1].command == "LAKEHOUSE_KAFKA_GAPS=continue dbt build --select split_live+"
    assert needed[2].message == "lag 12 min, limit 60 s"


UNMET = {"severity": "warn", "expectation": "expect_a", "message": "no such column"}
WRONG = {"severity": "error", "column_name": "qty", "expectation": "expect_b", "observed_value": "1 of 3 rows"}


def test_expectations_that_are_not_met_need_a_person_errors_first():
    judged = [expectations("t", 3, UNMET, {**WRONG, "expected": "at least 0"}), expectations("gone", 0, WRONG)]
    words = {"tables": [table("t")], "runs": [run("t", -10)]}
    [need] = needs(facts(**words, expectations=judged))
    assert (need.kind, need.subject, need.command) == ("expectation", "silver.t", "make quality TABLES=t")
    assert need.message == (
        "2 of 5 not met: qty expect_b (error): 1 of 3 rows, expected at least 0; expect_a (warn): no such column"
    )
    [many_unmet] = needs(facts(**words, expectations=[expectations("t", 0, *[UNMET] * 9)]))
    assert many_unmet.message.startswith("9 of 9 not met") and many_unmet.message.endswith("; and 6 more")
    assert needs(facts(**words, expectations=[expectations("t", 3)])) == []


@pytest.mark.parametrize(("not_met", "state"), [((), "good"), ((UNMET,), "good"), ((UNMET, WRONG), "unexpected")])
def test_only_an_error_changes_the_state_of_a_table(not_met, state):
    shown = facts(
        tables=[table("t")], runs=[run("t", -10)], checks=CHECKED, expectations=[expectations("t", 1, *not_met)]
    )
    assert shown.tables[0].state == state
    assert f"<dd>1 met, {len(not_met)} not, 2026-01-31 11:55</dd>" in page(shown)
    assert f'lakehouse_table_expectations_not_met{{feed="shop",table="silver.t"}} {len(not_met)}.0' in as_openmetrics(
        shown
    )


def test_nothing_of_a_name_or_message_becomes_markup():
    shown = page(Facts.of(many(5), NOW))
    assert "<script" not in shown
    assert "{{ 7 * 7 }}" in shown, "it is text of the page, and no template"
    assert shown.count("&lt;script&gt;document.title") >= 4
    assert not re.search(r"(?:src|href)=\"(?!#|data:,)", shown), "it names nothing outside"
    assert "on" + "click" not in shown


def test_each_table_has_a_section_that_links_lead_to():
    read = Facts.of(many(5), NOW)
    shown = page(read)
    ids = re.findall(r' id="([^"]*)"', shown)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', shown)) <= set(ids)
    assert len([name for name in ids if name.startswith("t-")]) == 5
    twins = Facts.of(answer(tables=[table("a b"), table("a-b")]), NOW)
    assert sorted(make_anchors(twins.tables).values()) == ["t-silver.a-b", "t-silver.a-b-2"]


def test_a_project_without_a_table_and_one_without_a_run():
    assert "The project has no table" in page(facts())
    shown = page(facts(tables=[table("t")]))
    assert "No run has written this table yet." in shown
    assert "✓ Nothing." in page(facts(tables=[table("t")], runs=[run("t", -1)]))


def test_numbers_that_were_not_recorded_are_a_dash_and_no_zero():
    old = {"silver_table": "silver.t", "committed_at": text(-5), "rows_total": 3}
    assert page(facts(tables=[table("t")], runs=[old])).count("\N{EN DASH}") > 5
    [read] = json.loads(as_json(facts(tables=[table("t")], runs=[old])))["tables"]
    assert (read["runs"][0]["bytes"], read["lag_seconds"]) == (None, None)
    assert 'lakehouse_table_rows{feed="shop",table="silver.t"} 3.0' in as_openmetrics(
        facts(tables=[table("t")], runs=[old])
    )


def test_json_has_the_numbers_of_the_page():
    read_facts = Facts.of(many(5), NOW)
    read = json.loads(as_json(read_facts))
    assert [need["kind"] for need in read["needs"]] == [need.kind for need in needs(read_facts)]
    assert [len(each["runs"]) for each in read["tables"]] == [len(each.runs) for each in read_facts.tables]
    assert read["as_of"] == NOW.isoformat()


def test_openmetrics_text_is_read_by_prometheus_own_parser():
    read = Facts.of(many(5) | {"topics": [{"feed": "f", "topic": HOSTILE, "partition": 0, "messages_behind": 4}]}, NOW)
    families = {family.name: family for family in text_string_to_metric_families(as_openmetrics(read))}
    rows = {sample.labels["table"]: sample.value for sample in families["lakehouse_table_rows"].samples}
    assert rows[f"silver.{HOSTILE}"] == 1000
    assert len(rows) == 4, "one table has had no run"
    by_kind = {sample.labels["kind"]: sample.value for sample in families["lakehouse_needs"].samples}
    assert by_kind["failure"] == 1
    assert by_kind["gap"] == 0
    [behind] = families["lakehouse_kafka_messages_behind"].samples
    assert (behind.labels["topic"], behind.value) == (HOSTILE, 4)
    [read_at] = families["lakehouse_report_timestamp_seconds"].samples
    assert read_at.value == NOW.timestamp()


def test_a_line_has_a_hole_where_nothing_is_known():
    assert charts.line("n", [1, 2, None, 4], 4, 90, 40).path == "M0.0 30.0 L30.0 20.0"
    assert charts.line("n", [1, 2, None, 4], 4, 90, 40).dots == ((90.0, 0.0),)
    assert charts.line("n", [5], 5, 90, 40).dots == ((45.0, 0.0),)
    assert charts.line("n", [], 0, 90, 40).path == ""
    assert charts.line("n", [0, -1], 0, 90, 40).path == "M0.0 40.0 L90.0 40.0"
    assert charts.plot("n", {"a": [None]}, str, 90, 40) is None


def test_bars_go_up_and_down_from_one_line():
    drawn = charts.bars("n", {"in": [0, 9]}, {"out": [9, 0]}, 100, 40)
    assert drawn is not None
    assert drawn.zero == 20
    assert [bar[1:4:2] for bar in drawn.bars] == [(20.0, 20.0), (0.0, 20.0)]
    assert charts.bars("n", {"in": [0]}, {"out": [None]}, 100, 40) is None


@pytest.mark.parametrize(
    ("seconds", "words"), [(None, "\N{EN DASH}"), (0.04, "0.0 s"), (9.9, "9.9 s"), (61, "61 s"), (7200, "2 h")]
)
def test_durations(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2e9, "2.0 GB"), (9e15, "9,000.0 TB")]
)
def test_sizes(number, words):
    assert size(number) == words


def test_three_files_are_written_at_once(tmp_path, capsys):
    write(Facts.of(many(5), NOW), tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["report.html", "report.json", "report.prom"]
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head == "5 tables, 4 things need a person"
    assert first.startswith(f"  failure: {HOSTILE}: Runtime Error"[:30])


def test_80_tables_take_little_time_and_space(tmp_path):
    read = Facts.of(many(80), NOW + timedelta(hours=1))
    assert len(read.tables) == 80
    assert len(page(read)) < 2_000_000


def test_a_run_whose_rows_nobody_counted_is_drawn_in_words():
    drawn = charts.bars("Rows in and out", {"inserted": [3, None]}, {"deleted": [1, None]}, 100, 20)
    assert drawn == charts.Plot("Rows in and out", "not counted")
    assert charts.bars("Rows in and out", {"inserted": [None, 3]}, {"deleted": [None, 1]}, 100, 20).bars


@pytest.mark.parametrize(
    ("words", "others", "state", "behind"),
    [
        ({}, {"checks": [{"silver_table": "gold.t", "checked_at": text(-9)}]}, "good", 0),
        ({}, {"checks": [{"silver_table": "gold.t", "checked_at": text(-12)}]}, "unchecked", 0),
        ({"moved": {"silver.a": text(-3), "silver.b": text(-5)}}, {}, "behind", 300),
        ({"way": None, "moved": None}, {}, "foreign", None),
        ({"way": None, "is_built": False}, {}, "none", None),
        ({}, {"incidents": [incident("failure", "t", silver_table=None)]}, "failing", 0),
        ({}, {"incidents": [incident("failure", "gold_matches_recomputation_t_")]}, "failing", 0),
        ({}, {"incidents": [incident("failure", "t", ended_at=text(-1))]}, "unchecked", 0),
    ],
)
def test_a_gold_table_is_as_its_newest_refresh_and_its_inputs_are(words, others, state, behind):
    [single] = facts(gold=[gold_table("t", **words)], **others).gold
    assert (single.state, single.behind_seconds) == (state, behind)
    assert single.run_seconds == 60


def test_gold_that_nobody_refreshes_needs_a_person_before_its_next_refresh_is_full():
    assert kinds(gold=[gold_table("t", moved={"silver.a": text(-60 * 24 * 6)})]) == []
    forgotten = facts(gold=[gold_table("t", moved={"silver.a": text(-60 * 24 * 8)}), gold_table("u", is_built=False)])
    assert [(need.kind, need.subject, need.command) for need in needs(forgotten)] == [
        ("gold", "gold.t", "dbt build --select +t+"),
        ("never", "gold.u", "dbt build --select +u+"),
    ]
    assert needs(forgotten)[0].message == "it lacks changes of silver.a; after 14 days all rows are computed"


def test_gold_is_on_the_page_and_among_the_numbers():
    both = facts(
        gold=[gold_table(HOSTILE, keys=None, way="full", reason=HOSTILE), gold_table("t")], tables=[table("t")]
    )
    shown = page(both)
    assert "<script" not in shown
    assert "affected: 3 keys; changed keys: 3 of silver_t (bronze)" in shown
    [document] = [each for each in json.loads(as_json(both))["gold"] if each["model"] == "t"]
    assert (document["state"], document["keys"], document["run_seconds"]) == ("unchecked", 3, 60)
    metrics = {
        (sample.name, sample.labels.get("table")): sample.value
        for family in text_string_to_metric_families(as_openmetrics(both))
        for sample in family.samples
    }
    assert metrics["lakehouse_gold_last_refresh_keys", "gold.t"] == 3
    assert ("lakehouse_gold_last_refresh_keys", f"gold.{HOSTILE}") not in metrics
    assert [metrics["lakehouse_gold_last_refresh_in_full", f"gold.{name}"] for name in ("t", HOSTILE)] == [0, 1]
