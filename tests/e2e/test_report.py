"""The report and the alerts on real tables: its numbers are those of SQL, and what begins and ends is reported once."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from stories import Story, change

from python_udfs.alerts import hook
from python_udfs.cli.dbt import WarmDbt, spark_session
from python_udfs.report.__main__ import main as report
from python_udfs.watch.loop import Watch
from spark_files.capabilities import COUNTS_MERGED_ROWS
from tests.e2e.lakehouse import if_counted

TABLES = ("reported", "other")
INCIDENTS = "select kind, subject, silver_table, ended_at is null as is_open from etl_metadata.incidents order by all"


def read(lakehouse) -> Any:
    shutil.rmtree(lakehouse.project / "target" / "report", ignore_errors=True)
    said = lakehouse.command(report)
    assert "things need a person" in said, said
    return json.loads((lakehouse.project / "target" / "report" / "report.json").read_text())


def needs(lakehouse) -> list[tuple[str, str]]:
    return [(need["kind"], need["subject"]) for need in read(lakehouse)["needs"] if need["kind"] != "maintenance"]


class Calls:
    """A webhook and what it got; `status` is its answer."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.status = 204
        self.url = ""

    def events(self) -> list[tuple[str, str, str]]:
        """Events since the last question."""
        events = [
            (incident["event"], incident["kind"], incident["subject"])
            for body in self.got
            for incident in body["incidents"]
        ]
        self.got.clear()
        return events


@pytest.fixture(scope="module")
def calls() -> Iterator[Calls]:
    kept = Calls()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            kept.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(kept.status)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        kept.url = f"http://127.0.0.1:{server.server_port}/secret-path"
        yield kept
        server.shutdown()


@pytest.fixture(scope="module", autouse=True)
def webhook(calls) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_ENV_SECRET_ALERT_WEBHOOK", calls.url)
        yield


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.make_models()
    assert read(lakehouse) | {"as_of": 0} == {"as_of": 0, "needs": [], "tables": [], "gold": [], "topics": []}
    lakehouse.add_feed("rep", "parquet", "timestamp_column=ts")
    for name in TABLES:
        lakehouse.add_table("rep", name)
    lakehouse.make_models()
    lakehouse.dbt("seed")
    assert needs(lakehouse) == [("never", "silver.s__other"), ("never", "silver.s__reported")]
    return lakehouse


@pytest.fixture
def story(lakehouse):
    return Story(lakehouse.raw / "rep", "reported")


def test_numbers_of_the_page_are_those_of_the_tables(lakehouse, story, calls):
    for name in TABLES:
        Story(lakehouse.raw / "rep", name).load(0, {"id": 1, "v": "a"}, {"id": 2, "v": "b"})
    assert "error" not in lakehouse.build().values()
    story.changes(1, change("U", 1, id=1, v="c"), change("I", 1, id=3, v="d"), change("D", 1, id=2))
    assert "error" not in lakehouse.build().values()
    assert calls.events() == []
    facts = read(lakehouse)
    [table] = [reported for reported in facts["tables"] if reported["name"] == "s__reported"]
    first, second = table["runs"]
    counts = [second[f"rows_{name}"] for name in ("inserted", "updated", "deleted")]
    assert (first["rows_inserted"], *counts, second["rows_quarantined"]) == (2, *if_counted(1, 1, 1), 0)
    [files] = lakehouse.sql(
        "select count_if(content = 0) as data_files, count_if(content <> 0) as delete_files,"
        " sum(file_size_in_bytes) as bytes, coalesce(sum(record_count) filter (where content <> 0), 0) as deleted_rows"
        " from silver.s__reported.files"
    )
    assert {name: second[name] for name in files.asDict()} == files.asDict()
    [rows] = lakehouse.sql("select count(*) as n from silver.s__reported")
    assert second["rows_total"] == rows.n == 2
    [[lag]] = lakehouse.sql(
        "select lag_seconds from etl_metadata.silver_sync_state where silver_table like '%reported'"
    )
    # The view counts whole seconds.
    assert 0 <= lag - int(table["lag_seconds"]) < 300
    for run in (first, second):
        assert 0 < run["run_seconds"] < 300
    metrics = (lakehouse.project / "target" / "report" / "report.prom").read_text()
    assert 'lakehouse_table_rows{feed="rep",table="silver.s__reported"} 2.0' in metrics
    page = (lakehouse.project / "target" / "report" / "report.html").read_text()
    counted = 'title="inserted">+1</span> <span title="updated">~1</span> <span title="deleted">\N{MINUS SIGN}1</span>'
    assert (counted in page, "not counted" in page) == (COUNTS_MERGED_ROWS, not COUNTS_MERGED_ROWS)


def test_a_build_without_news_writes_no_metrics_and_no_incident(lakehouse):
    tables = ("etl_metadata.run_metrics", "etl_metadata.incidents")
    before = [lakehouse.snapshots(table) for table in tables]
    lakehouse.build()
    assert [lakehouse.snapshots(table) for table in tables] == before


def test_after_a_compaction_the_files_are_those_of_now(lakehouse):
    lakehouse.sql(
        "call system.rewrite_data_files(table => 'silver.s__reported', options => map('rewrite-all', 'true'))"
    )
    lakehouse.statuses("run")
    [files] = lakehouse.sql("select count(*) as data_files from silver.s__reported.data_files")
    [run] = lakehouse.sql("select * from etl_metadata.run_metrics where is_newest and silver_table like '%reported'")
    assert run.data_files == files.data_files == 1
    assert (run.rows_inserted,) == if_counted(1), "the run itself is as it was"


def test_a_model_that_fails_is_reported_once_and_once_when_it_is_built(lakehouse, story, calls, capsys):
    model = lakehouse.project / "models" / "bronze" / "s" / "bronze_s__reported.sql"
    text = model.read_text()
    model.write_text("{{ exceptions.raise_compiler_error('<b>broken</b> on purpose') if execute }}" + text)
    story.changes(2, change("I", 2, id=4, v="e"))
    try:
        assert lakehouse.statuses("run")["bronze_s__reported"] == "error"
        assert calls.events()[:1] == [("opened", "failure", "bronze_s__reported")]
        assert needs(lakehouse)[0] == ("failure", "bronze_s__reported")
        [table] = [reported for reported in read(lakehouse)["tables"] if reported["name"] == "s__reported"]
        assert (table["state"], table["marks"][-1]["state"]) == ("failing", "failed")
        assert "&lt;b&gt;broken" in (lakehouse.project / "target" / "report" / "report.html").read_text()
        lakehouse.statuses("run")
        assert calls.events() == []
    finally:
        model.write_text(text)
    assert "error" not in lakehouse.statuses("run").values()
    assert ("ended", "failure", "bronze_s__reported") in calls.events()
    assert needs(lakehouse) == []


def test_rows_in_quarantine_are_reported_until_none_waits(lakehouse, story, calls):
    story.changes(3, change("I", 3, id=5, v="f"), change("I", 3, id=None, v="no key"))
    assert "error" not in lakehouse.statuses("run").values()
    assert calls.events() == [("opened", "quarantine", "silver.s__reported")]
    [need] = [reported for reported in read(lakehouse)["needs"] if reported["kind"] == "quarantine"]
    assert need["message"].startswith("1 row in quarantine, of the run that ended")
    assert need["command"] == """dbt run-operation replay_quarantine --args '{"table": "s__reported"}'"""
    story.changes(4, change("I", 4, id=6, v="g"))
    lakehouse.statuses("run")
    assert calls.events() == []
    assert [need["message"] for need in read(lakehouse)["needs"] if need["kind"] == "quarantine"] == [
        "1 row in quarantine"
    ]
    # The file comes again with other content: its older rows count no more.
    story.changes(3, change("I", 3, id=5, v="f"), change("I", 3, id=55, v="a key"), change("I", 3, id=56, v="more"))
    lakehouse.statuses("run")
    assert calls.events() == [("ended", "quarantine", "silver.s__reported")]
    assert ("quarantine", "silver.s__reported") not in needs(lakehouse)


def test_lag_over_the_limit_of_a_table(lakehouse, calls):
    settings = lakehouse.project / "dbt_project.yml"
    text = settings.read_text()
    limit = "      +incremental_strategy: cdc_merge\n      s: {silver_s__other: {+meta: {lag_limit_minutes: 5}}}\n"
    settings.write_text(text.replace("      +incremental_strategy: cdc_merge\n", limit))
    try:
        lakehouse.statuses("run")
        assert calls.events() == [("opened", "lag", "silver.s__other")]
        assert ("lag", "silver.s__other") in needs(lakehouse)
        lakehouse.statuses("run")
        assert calls.events() == []
    finally:
        settings.write_text(text)
    lakehouse.statuses("run")
    assert calls.events() == [("ended", "lag", "silver.s__other")]


def test_a_webhook_that_is_down_fails_no_build_and_gets_it_later(lakehouse, story, calls, monkeypatch):
    calls.status = 503
    story.changes(6, change("I", 6, id=None, v="no key"))
    assert "error" not in lakehouse.statuses("run").values()
    warned = [message for message in lakehouse.messages if "Alerts" in message]
    assert warned == [
        "Lakehouse adapter: Alerts: The webhook of alerts (127.0.0.1) did not take it: it answered 503; expected 200"
        " to 299. It is called again at the end of the next command."
    ]
    assert "secret-path" not in " ".join(lakehouse.messages)
    calls.events()
    calls.status = 204
    lakehouse.statuses("run")
    assert calls.events() == [("opened", "quarantine", "silver.s__reported")]


def test_watch_reports_too(lakehouse, story, calls, monkeypatch, capsys):
    monkeypatch.setattr(hook, "_last", hook._Look())
    silver = lakehouse.project / "models" / "silver" / "s" / "silver_s__other.sql"
    text = silver.read_text()
    silver.write_text("{{ exceptions.raise_compiler_error('broken on purpose') if execute }}" + text)
    watch = Watch(WarmDbt(lakehouse.project), spark_session, lakehouse.project)
    try:
        assert watch.cycle()
        assert ("opened", "failure", "silver_s__other") in calls.events()
    finally:
        silver.write_text(text)
    Story(lakehouse.raw / "rep", "other").changes(7, change("I", 7, id=7, v="h"))
    assert watch.cycle()
    assert ("ended", "failure", "silver_s__other") in calls.events()
    calls.status = 503
    silver.write_text("{{ exceptions.raise_compiler_error('broken on purpose') if execute }}" + text)
    Story(lakehouse.raw / "rep", "other").changes(8, change("I", 8, id=8, v="i"))
    try:
        watch = Watch(WarmDbt(lakehouse.project, show=None), spark_session, lakehouse.project)
        watch.cycle()
    finally:
        silver.write_text(text)
        calls.status = 204
    assert [row.is_open for row in lakehouse.sql(INCIDENTS) if row.subject == "silver_s__other"] == [False, True]


def test_gold_is_shown_with_its_refresh_and_with_what_it_lacks(lakehouse, story):
    sql = "select v, count(*) as n from {{ ref('silver_s__reported') }} group by v"
    lakehouse.add_gold("counted", "{{ config(key='v') }}\n" + sql)
    assert ("never", "gold.counted") in needs(lakehouse)
    lakehouse.statuses("run", "--select", "counted")
    [table] = read(lakehouse)["gold"]
    [[rows]] = lakehouse.sql("select count(*) as n from gold.counted")
    assert (table["way"], table["state"], table["moved"], table["rows"]) == ("create", "unchecked", {}, rows)
    assert 0 < table["run_seconds"] < 300
    story.changes(900, change("I", 900, id=900, v="gold"))
    assert "error" not in lakehouse.statuses("run", "--exclude", "counted").values()
    [table] = read(lakehouse)["gold"]
    assert (table["state"], list(table["moved"])) == ("behind", ["silver.s__reported"])
    lakehouse.statuses("run", "--select", "counted")
    lakehouse.sql("insert into gold.counted values ('odd', 1)")
    assert read(lakehouse)["gold"][0]["state"] == "foreign"
