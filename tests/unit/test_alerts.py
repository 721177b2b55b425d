"""Incidents begin once, end once and are reported once each; a webhook that is down costs a warning."""

from __future__ import annotations

import json
import resource
import socket
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from table_configs import state_config

from python_udfs.alerts import hook, notice
from python_udfs.alerts.incidents import Incident, Silver, State, changed

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=timezone.utc)
SECRET = "T0K3N"


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def text(minutes: float) -> str:
    return at(minutes).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def result(name: str, status: str, kind: str = "model", message: str | None = None, table: str | None = None) -> Any:
    return {"name": name, "resource_type": kind, "status": status, "message": message, "silver_table": table}


def state(*results: Any, limit: float | None = None, run: Any = None, gaps: Any = None, **words: Any) -> State:
    tables = {"silver.t": Silver("silver_t", "silver.t", "t", ("f", "s", "t"), limit)}
    runs = {"silver.t": run} if run else {}
    defaults = {"now": NOW, "is_whole": False, "names": frozenset({"silver_t", "a_test"})}
    return State(results=results, tables=tables, runs=runs, gaps=gaps, **{**defaults, **words})


def look(state: State, *earlier: Incident, waiting: int | None = None) -> list[tuple[str, str, bool]]:
    incidents = changed(state, earlier, lambda table: waiting)
    return [(incident.kind, incident.subject, incident.ended_at is not None) for incident in incidents]


FAILURE = Incident("failure", "silver_t", at(-60), "silver.t", "no")


@pytest.mark.parametrize("status", ["error", "fail", "runtime error"])
def test_a_failure_begins_once(status):
    assert look(state(result("silver_t", status))) == [("failure", "silver_t", False)]
    assert look(state(result("silver_t", status, message="no")), FAILURE) == []


def test_a_failure_that_lasts_has_its_newest_cause():
    [incident] = changed(
        state(result("silver_t", "error", message="disk full", table="silver.t")), [FAILURE], lambda _: None
    )
    assert (incident.opened_at, incident.message, incident.ended_at) == (FAILURE.opened_at, "disk full", None)


@pytest.mark.parametrize(("status", "is_over"), [("success", True), ("warn", True), ("pass", True), ("skipped", False)])
def test_a_failure_is_over_when_the_same_node_passes(status, is_over):
    assert look(state(result("silver_t", status)), FAILURE) == [("failure", "silver_t", True)] * is_over
    assert look(state(result("another", status)), FAILURE) == []


STOPPED = Incident("test_error", "a_test", at(-60), message="no")


@pytest.mark.parametrize("kind", ["test", "unit_test"])
@pytest.mark.parametrize("status", ["error", "runtime error"])
def test_a_test_that_stops_is_an_incident_of_its_own_kind(kind, status):
    assert look(state(result("a_test", status, kind))) == [("test_error", "a_test", False)]
    assert look(state(result("a_test", status, kind, message="no")), STOPPED) == []


def test_a_test_that_has_stopped_is_over_when_it_has_asked_whatever_it_finds():
    over, failing = ("test_error", "a_test", True), Incident("failure", "a_test", at(-60))
    assert look(state(result("a_test", "pass", "test")), STOPPED) == [over]
    assert look(state(result("a_test", "skipped", "test")), STOPPED) == []
    assert look(state(result("a_test", "fail", "test")), STOPPED) == [("failure", "a_test", False), over]
    stops = state(result("a_test", "error", "test"))
    assert look(stops, failing) == [("test_error", "a_test", False)], "what it found is not known to be over"
    assert look(state(is_whole=True, names=frozenset({"another"})), STOPPED) == [over]


def test_a_failure_of_a_node_that_is_gone_is_over_where_the_command_knows_all_nodes():
    gone = {"names": frozenset({"another"})}
    assert look(state(is_whole=True, **gone), FAILURE) == [("failure", "silver_t", True)]
    assert look(state(is_whole=False, **gone), FAILURE) == [], "make watch leaves tests out"


def test_the_command_that_helps_is_safe_in_a_shell():
    [incident] = changed(state(result("a $(rm) test", "fail", "test", "Got 3 results")), [], lambda table: None)
    assert (incident.command, incident.message) == ("dbt test --select 'a $(rm) test'", "Got 3 results")
    [incident] = changed(state(result("silver_t", "error", table="silver.t")), [], lambda table: None)
    assert (incident.command, incident.silver_table) == ("dbt build --select +silver_t+", "silver.t")


LAG = Incident("lag", "silver.t", at(-60), "silver.t")


def test_lag_begins_over_the_limit_and_is_over_below_it():
    late, fresh = ({"committed_at": text(-1), "newest_committed_at": text(minutes)} for minutes in (-61, -59))
    assert look(state(limit=3600, run=late)) == [("lag", "silver.t", False)]
    assert look(state(limit=3600, run=late), LAG) == []
    assert look(state(limit=3600, run=fresh)) == []
    assert look(state(limit=3600, run=fresh), LAG) == [("lag", "silver.t", True)]
    assert look(state(run=late)) == [], "without a limit no table is late"
    built, recorded = result("silver_t", "success"), result("run_metrics", "success")
    assert look(state(built, limit=3600, run=late)) == [], "this command's run of the table is not recorded"
    assert look(state(built, limit=3600, run=fresh), LAG) == []
    assert look(state(built, recorded, limit=3600, run=late)) == [("lag", "silver.t", False)]
    assert look(state(limit=3600), LAG) == [], "nothing is known of the table"


def test_a_reload_that_waits_is_an_incident_of_its_table_until_the_test_passes():
    test = "every_reload_is_complete_silver_t_"
    fails = state(result(test, "fail", "test", "Got 1 result", "silver.t"))
    [incident] = changed(fails, [], lambda table: None)
    assert (incident.kind, incident.subject, incident.silver_table) == ("reload", "silver.t", "silver.t")
    assert incident.command == 'dbt run-operation replay_quarantine --args \'{"table": "t"}\''
    assert notice.HEADINGS["reload"] == "reload.md#a-reload-that-waits"
    assert look(fails, incident) == []
    assert look(state(result("silver_t", "success", table="silver.t")), incident) == []
    assert look(state(result(test, "pass", "test", None, "silver.t")), incident) == [("reload", "silver.t", True)]
    assert look(state(result(test, "error", "test", "no", "silver.t"))) == [("test_error", test, False)]


def quarantined(minutes: float, newest: float) -> Any:
    return {"committed_at": text(newest), "quarantined_at": text(minutes), "rows_quarantined": 3}


def test_quarantine_begins_with_the_run_that_brought_it_and_is_over_when_no_row_waits():
    incidents = changed(state(run=quarantined(-5, -5)), [], lambda table: 1 / 0)
    assert [(begun.message, begun.looked_at) for begun in incidents] == [
        ("3 rows in quarantine, of the run that ended 2026-01-31 11:55 UTC", at(-5))
    ]
    incident = incidents[0]
    assert look(state(run=quarantined(-5, -5)), incident, waiting=0) == [], "no run since: it is not asked again"
    assert look(state(run=quarantined(-5, -2)), incident, waiting=1) == [("quarantine", "silver.t", False)]
    assert look(state(run=quarantined(-5, -2)), incident) == [], "not known"
    [over] = changed(state(run=quarantined(-5, -2)), [incident], lambda table: 0)
    assert (over.ended_at, over.looked_at) == (NOW, at(-2))
    assert look(state(run=quarantined(-5, -2)), over) == [], "it does not begin again"
    assert look(state(run=quarantined(-1, -1)), over) == [("quarantine", "silver.t", False)], "but new rows do"


def test_a_run_counts_the_waiting_rows_of_few_tables():
    tables = {f"silver.{n}": Silver(f"silver_{n}", f"silver.{n}", str(n), ("f", "s", str(n)), None) for n in range(9)}
    incidents = [Incident("quarantine", name, at(-90), name, looked_at=at(-60 - n)) for n, name in enumerate(tables)]
    asked: list[str] = []
    runs = {name: {"committed_at": text(-1)} for name in tables}
    changed(State(NOW, (), False, frozenset(), tables, runs, None), incidents, lambda table: asked.append(table) or 1)
    assert asked == ["silver.8", "silver.7", "silver.6", "silver.5", "silver.4"], "those that were asked longest ago"


@pytest.mark.parametrize(
    ("kind", "column", "words"),
    [("log", "log_began_again_at", "began again"), ("snapshot", "second_snapshot_at", "second snapshot")],
)
def test_an_order_in_doubt_begins_once_and_lasts_until_the_table_is_read_by_another_feed(kind, column, words):
    run = {"committed_at": text(-1), column: text(-9)}
    [incident] = changed(state(run=run), [], lambda table: None)
    assert (incident.kind, incident.silver_table, words in incident.message) == (kind, "silver.t", True)
    assert incident.command == "read s.t of feed f by a new feed: docs/runbook.md, 'The slot was lost'"
    assert look(state(run=run), incident) == []
    assert look(state(run={"committed_at": text(-1)}), incident) == [], "later runs do not end it"
    gone = State(NOW, (), True, frozenset(), {}, {}, None)
    assert look(gone, incident) == [(kind, "silver.t", True)]
    over = replace(incident, ended_at=at(-2))
    assert look(state(run=run), over) == [], "ended by hand, it does not begin again for the same run"
    assert look(state(run={**run, column: text(-1)}), over) == [(kind, "silver.t", False)], "but for the next one"


GAP = {"feed": "live", "topic": "shop.t", "partition": 0, "from_offset": 7, "description": "offsets 7 to 9 are gone"}


def test_a_gap_begins_while_it_waits_and_is_over_when_it_is_passed():
    [incident] = changed(state(gaps=(GAP,)), [], lambda table: None)
    assert incident.command == "LAKEHOUSE_KAFKA_GAPS=continue dbt build --select split_live+"
    assert look(state(gaps=(GAP,)), incident) == []
    assert look(state(gaps=()), incident) == [("gap", incident.subject, True)]
    assert look(state(gaps=None), incident) == [], "the view could not be read"


def test_what_has_yet_to_be_sent():
    over = Incident("lag", "t", at(-60), ended_at=at(-5))
    assert Incident("lag", "t", at(-60)).to_send(NOW) == "opened"
    assert Incident("lag", "t", at(-60), opening_sent_at=at(-60)).to_send(NOW) is None
    assert over.to_send(NOW) == "ended"
    assert over.sent(NOW).to_send(NOW) is None
    assert over.to_send(NOW + timedelta(days=2)) is None, "a webhook that is set later is not flooded"
    kept = Incident("lag", "t", at(-60), opening_sent_at=at(-60), ended_at=at(-5))
    assert kept.to_send(NOW + timedelta(days=2)) == "ended"


class Receiver(BaseHTTPRequestHandler):
    """Remembers what it gets, and answers as its path asks."""

    got: list[tuple[str, str | None, Any]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.append((self.path, self.headers["Authorization"], json.loads(body)))
        if "slow" in self.path:
            time.sleep(5)
        if "drip" in self.path:
            for _ in range(50):
                self.wfile.write(b"H")
                time.sleep(0.1)
        self.send_response(302 if "moved" in self.path else 500 if "broken" in self.path else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Any]:
    handler = type("Handler", (Receiver,), {"got": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        running.handle_error = lambda *_: None  # type: ignore[method-assign]
        running.block_on_close = False
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield SimpleNamespace(got=handler.got, url=f"http://127.0.0.1:{running.server_port}")
        running.shutdown()


def send(**environment: str) -> list[str]:
    is_taken, problems = notice.send([("opened", FAILURE), ("ended", LAG)], NOW, environment)
    assert is_taken is not any("did not take it" in problem for problem in problems)
    return problems


def test_the_webhook_gets_one_call_for_all(server):
    assert (
        send(DBT_ENV_SECRET_ALERT_WEBHOOK=f"{server.url}/hook/{SECRET}", DBT_ENV_SECRET_ALERT_AUTHORIZATION="B") == []
    )
    [(path, authorization, body)] = server.got
    assert (path, authorization) == (f"/hook/{SECRET}", "B")
    assert body["text"].splitlines() == ["opened: failure of `silver_t`: `no`", "ended: lag of `silver.t`:"]
    assert (body["opened"], body["ended"]) == (1, 1)
    assert [(sent["event"], sent["kind"], sent["subject"]) for sent in body["incidents"]] == [
        ("opened", "failure", "silver_t"),
        ("ended", "lag", "silver.t"),
    ]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("broken", "it answered 500; expected 200 to 299"),
        ("moved", "it answered 302; expected 200 to 299"),
        ("slow", "no answer in 0.3 s"),
        ("drip", "no answer in 0.3 s"),
    ],
)
def test_a_webhook_that_does_not_take_it_costs_a_sentence_and_little_time(server, path, problem):
    started = time.monotonic()
    url = f"{server.url}/{path}/{SECRET}"
    secrets = {"DBT_ENV_SECRET_ALERT_WEBHOOK": url, "DBT_ENV_SECRET_ALERT_AUTHORIZATION": SECRET}
    problems = send(**secrets, LAKEHOUSE_ALERT_TIMEOUT="0.3")
    assert problems == [f"The webhook of alerts (127.0.0.1) did not take it: {problem}."]
    assert time.monotonic() - started < 2
    assert len(server.got) == 1, "a redirection is not followed"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        (f"http://127.0.0.1:9/{SECRET}", "(127.0.0.1) did not take it: Connection refused."),
        (f"ftp://u:{SECRET}@host/x", "(no address) did not take it: received an address that begins with neither"),
        (f"http://u:{SECRET}@127.0.0.1:9/", "(127.0.0.1) did not take it: Connection refused."),
        (f"http://u:a/{SECRET}@127.0.0.1:9/", "(no address) did not take it: received no valid address"),
        (f"http://u:{SECRET}@/x", "(no address) did not take it: received no valid address"),
        (f"http://no.such.host.invalid/{SECRET}", "(no.such.host.invalid) did not take it: "),
        (f"http://[{SECRET}", "(no address) did not take it: received no valid address"),
    ],
)
def test_a_webhook_that_is_not_there_keeps_its_secret(url, problem):
    [said] = send(DBT_ENV_SECRET_ALERT_WEBHOOK=url)
    assert problem in said
    assert SECRET not in said


def test_user_and_password_of_an_address_are_a_header(server):
    host = server.url.removeprefix("http://")
    assert send(DBT_ENV_SECRET_ALERT_WEBHOOK=f"http://me:p%40ss@{host}/hook") == []
    [(path, authorization, _)] = server.got
    assert (path, authorization) == ("/hook", "Basic bWU6cEBzcw==")


def test_a_server_that_hangs_up_is_said():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def hang_up() -> None:
            connection, _ = listening.accept()
            connection.recv(65536)
            connection.close()

        threading.Thread(target=hang_up, daemon=True).start()
        [said] = send(DBT_ENV_SECRET_ALERT_WEBHOOK=f"http://127.0.0.1:{listening.getsockname()[1]}")
    assert said.endswith(("it closed the connection without an answer.", "Connection reset by peer."))


def test_text_of_messages_is_no_markup_and_a_storm_is_counted():
    hostile = "<!channel> @all *now* `x`\x1b[31m\n& more"
    storm = [("ended", LAG), *[("opened", replace(FAILURE, message=hostile, subject=f"m{n}")) for n in range(500)]]
    body = notice.payload(storm, NOW)
    lines = body["text"].splitlines()
    assert lines[0] == "opened: failure of `m0`: `&lt;!channel&gt; @all *now* 'x' [31m &amp; more`"
    assert lines[-1] == ("and 481 more: 500 incidents opened, 1 ended; all are in etl_metadata.incidents")
    assert (len(lines), len(body["incidents"]), body["opened"], body["ended"]) == (21, 20, 500, 1)
    assert len(json.dumps(body)) < 100_000


def test_the_cause_comes_first():
    said = (
        "Database Error in model silver_t (models/silver/s/silver_t.sql)\n  [DISK_FULL] No space left\n"
        "  compiled code at target/run/silver_t.sql"
    )
    [incident] = changed(state(result("silver_t", "error", message=said)), [], lambda _: None)
    assert incident.message == "[DISK_FULL] No space left"


def test_a_command_that_floods_or_leaves_children_is_stopped_with_them(tmp_path):
    pid = tmp_path / "pid"
    flood = f"sh -c 'sleep 60 & echo $! > {pid}; yes'"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    [said] = send(LAKEHOUSE_ALERT_COMMAND=flood, LAKEHOUSE_ALERT_TIMEOUT="0.5")
    assert "it did not end in 0.5 s, and was stopped" in said
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000, "kB"
    child = Path(f"/proc/{pid.read_text().strip()}/stat")
    until = time.monotonic() + 5
    while child.exists() and child.read_text().split()[2] != "Z" and time.monotonic() < until:
        time.sleep(0.05)
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_the_command_gets_the_same(tmp_path):
    to = tmp_path / "got.json"
    script = f"import pathlib, sys; pathlib.Path(r'{to}').write_text(sys.stdin.read())"
    assert send(LAKEHOUSE_ALERT_COMMAND=f'{sys.executable} -c "{script}"') == []
    assert len(json.loads(to.read_text())["incidents"]) == 2


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (f"-c 'import sys; sys.exit(\"{SECRET}\")'", "it ended with exit code 1; expected 0"),
        ("-c 'import time; time.sleep(9)'", "it did not end in 0.5 s, and was stopped"),
        ("-c 'unclosed", "it is no command line: No closing quotation"),
    ],
)
def test_a_command_that_fails_costs_a_sentence(script, problem):
    [said] = send(LAKEHOUSE_ALERT_COMMAND=f"{sys.executable} {script}", LAKEHOUSE_ALERT_TIMEOUT="0.5")
    assert said == f"The command of alerts ({sys.executable}) did not take it: {problem}."
    assert "No such file or directory" in send(LAKEHOUSE_ALERT_COMMAND="/no/such/program")[0]


@pytest.mark.parametrize("seconds", ["soon", "0", "61", "nan"])
def test_a_timeout_that_is_none_is_named_and_the_call_is_made(server, seconds):
    [said] = send(DBT_ENV_SECRET_ALERT_WEBHOOK=server.url, LAKEHOUSE_ALERT_TIMEOUT=seconds)
    assert said == f"LAKEHOUSE_ALERT_TIMEOUT is {seconds}; expected seconds, above 0 and up to 60. 5 s are taken."
    assert len(server.got) == 1


class Node(SimpleNamespace):
    """A node of dbt's results."""

    def __init__(self, name: str, layer: str | None = None, kind: str = "model", **words: Any) -> None:
        source = {"feed": "f", "source_schema": "s", "source_table": "t"}
        meta = {"cdc": state_config(layer=layer, **source)} if layer else {}
        super().__init__(name=name, unique_id=name, resource_type=kind, config=SimpleNamespace(meta=meta), **words)


SILVER_NODE = {
    "unique_id": "model.silver_t",
    "resource_type": "model",
    "name": "silver_t",
    "schema": "silver",
    "alias": "t",
    "config": {
        "meta": {
            "lag_limit_minutes": 30,
            "cdc": state_config(layer="silver", feed="f", source_schema="s", source_table="t"),
        }
    },
}


def ended(node: Node, status: str, message: str = "", failures: int | None = None) -> Any:
    return SimpleNamespace(node=node, status=status, message=message, failures=failures)


@pytest.fixture
def warnings(monkeypatch) -> list[str]:
    said: list[str] = []
    monkeypatch.setattr(hook, "logger", SimpleNamespace(warning=said.append))
    return said


def judged(
    *results: Any, incidents: Any = (), runs: Any = (), gaps: Any = None, which: str = "build", rows: Any = ()
) -> Any:
    answers = {"incidents": incidents, "runs": runs, "gaps": gaps}
    return hook.judge_incidents(
        results, {"model.silver_t": SILVER_NODE}, which, answers, lambda table: None, dict(rows)
    )


def test_a_failed_test_names_what_it_found_and_the_table_that_its_row_names(warnings):
    row = {"feed": "f", "source_schema": "s", "source_table": "t", "path": "s/t/x.csv", "reason": None}
    failed = ended(Node("every_raw_file", kind="test"), "fail", "Got 3 results, configured to fail if != 0", 3)
    [incident] = judged(failed, rows={"every_raw_file": [row]})
    assert incident["message"] == "feed=f, source_schema=s, source_table=t, path=s/t/x.csv and 2 more"
    assert incident["silver_table"] == "silver.t"
    [incident] = judged(failed)
    assert (incident["message"], incident["silver_table"]) == (failed.message, None)


def test_a_failure_of_bronze_and_of_a_test_is_about_the_silver_table(warnings, monkeypatch, server):
    monkeypatch.setenv("DBT_ENV_SECRET_ALERT_WEBHOOK", server.url)
    test = Node("one_row_per_key", kind="test", attached_node="model.silver_t")
    rows = judged(ended(Node("bronze_t", "bronze"), "error", "x"), ended(test, "fail", "Got 2 results"))
    assert [(row["subject"], row["silver_table"], row["opening_sent_at"] is not None) for row in rows] == [
        ("bronze_t", "silver.t", True),
        ("one_row_per_key", "silver.t", True),
    ]
    assert len(server.got) == 1
    assert warnings == []
    assert all(row["opened_at"].endswith("000") for row in rows), "it is found again by what Spark's JSON has of it"
    assert judged(ended(Node("bronze_t", "bronze"), "error", "x"), incidents=rows[:1]) == [], "once"
    assert len(server.got) == 1
    [over] = judged(ended(Node("bronze_t", "bronze"), "success"), incidents=rows[:1])
    assert over["ended_at"] == over["end_sent_at"] is not None
    assert server.got[1][2]["incidents"][0]["event"] == "ended"


def test_what_a_webhook_did_not_take_is_sent_by_the_next_command(warnings, monkeypatch, server):
    monkeypatch.setenv("DBT_ENV_SECRET_ALERT_WEBHOOK", f"{server.url}/broken/{SECRET}")
    [row] = judged(ended(Node("bronze_t", "bronze"), "error", "x"))
    assert row["opening_sent_at"] is None
    assert warnings == [
        "Alerts: The webhook of alerts (127.0.0.1) did not take it: it answered 500; expected 200 to 299. It is called"
        " again at the end of the next command."
    ]
    monkeypatch.setenv("DBT_ENV_SECRET_ALERT_WEBHOOK", server.url)
    [row] = judged(incidents=[row], which="run")
    assert row["opening_sent_at"]


def test_of_two_one_is_enough(server):
    both = {"DBT_ENV_SECRET_ALERT_WEBHOOK": server.url, "LAKEHOUSE_ALERT_COMMAND": "/no/such/program"}
    is_taken, [problem] = notice.send([("opened", FAILURE)], NOW, both)
    assert is_taken
    assert problem.startswith("The command of alerts")


def test_without_a_webhook_incidents_are_recorded_all_the_same(warnings, monkeypatch):
    monkeypatch.delenv("DBT_ENV_SECRET_ALERT_WEBHOOK", raising=False)
    run = {"silver_table": "silver.t", "committed_at": text(0), "newest_committed_at": "2020-01-01T00:00:00.000Z"}
    [row] = judged(runs=[run])
    assert (row["kind"], row["opening_sent_at"]) == ("lag", None)
    assert warnings == []


def test_nothing_here_fails_a_command(warnings):
    assert judged(incidents=None) == []
    assert "could not be read" in warnings[0]
    assert judged(runs=[{"silver_table": "silver.t", "newest_committed_at": "no time", "committed_at": text(0)}]) == []
    assert warnings[1].startswith("Alerts: ValueError while the results were judged")
    hook.warn_not_written("disk\nfull")
    assert warnings[2] == "Alerts: etl_metadata.incidents could not be written: disk full"


@pytest.fixture
def looks(monkeypatch):
    """Whether a command with these results is looked at; `clock.now` and `incidents.snapshot` are what it finds."""
    world = SimpleNamespace(now=1000.0, snapshot_id=1)
    monkeypatch.setattr(hook, "time", SimpleNamespace(monotonic=lambda: world.now))
    monkeypatch.setattr(hook, "_last", hook._Look())
    monkeypatch.setattr(hook, "_snapshot_id", lambda _: world.snapshot_id)
    world.at = lambda *results: hook.is_due(results, "etl_metadata.incidents")
    return world


def test_idle_cycles_of_watch_look_once_a_minute(looks):
    listing = ended(Node("raw_listing"), "success")
    assert looks.at(listing)
    looks.now += 59
    assert not looks.at(listing)
    assert looks.at(ended(Node("raw_listing"), "error"))
    looks.now += 61
    assert looks.at(listing)


@pytest.mark.parametrize("layer", ["split", "bronze", "silver"])
def test_a_model_that_passes_again_is_looked_at_once_a_minute(looks, layer):
    passed, failed = (ended(Node("f", layer), status) for status in ("success", "error"))
    assert looks.at(passed)
    for _ in range(6):
        looks.now += 9
        assert not looks.at(passed)
    looks.now += 9
    assert looks.at(passed), "its lag may be over"
    assert looks.at(failed) and looks.at(failed) and looks.at(passed), "what has failed is over at once"
    assert not looks.at(passed)
    assert looks.at(ended(Node("g", layer), "success")), "it may have failed in another process"
    assert not looks.at(passed, ended(Node("g", layer), "success"))


def test_what_shows_incidents_is_looked_at_each_time(looks):
    for result in (ended(Node("t", kind="test"), "pass"), ended(Node("run_metrics"), "success")):
        assert looks.at(result) and looks.at(result)


def test_incidents_that_have_changed_are_looked_at(looks):
    built = ended(Node("bronze_t", "bronze"), "success")
    assert looks.at(built) and not looks.at(built)
    looks.snapshot_id = 2
    assert looks.at(built) and not looks.at(built)
