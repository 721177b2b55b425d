"""Lineage events are valid by the published schema, and their columns are those that a table is made of."""

from __future__ import annotations

import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource
from seed_files import good_seeds, write_seeds
from table_configs import state_config

from python_udfs.lineage.__main__ import main
from python_udfs.lineage.columns import Source, trace_query
from python_udfs.lineage.events import Lineage, name_raw_datasets
from python_udfs.metadata import FEEDS_FILE, TABLES_FILE, load_metadata

SCHEMAS = [json.loads(path.read_text()) for path in (Path(__file__).parent / "openlineage").glob("*.json")]
REGISTRY = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS)
RUN = "01926fd3-0000-7000-8000-000000000001"


TOTALS = "select id, sum(PRICE) as total from lakehouse.silver.shop__item group by id"
ENDS = {"bronze_shop__item": "COMPLETE", "silver_shop__item": "COMPLETE", "totals": "COMPLETE", "odd": "FAIL"}


def validate(event: dict[str, Any]) -> None:
    """By the schema of a run event, and each facet by its own."""
    check = Draft202012Validator.FORMAT_CHECKER
    Draft202012Validator({"$ref": event["schemaURL"]}, registry=REGISTRY, format_checker=check).validate(event)
    datasets = [*event["inputs"], *event["outputs"]]
    facets = [facet for part in (event["run"], event["job"], *datasets) for facet in (part.get("facets") or {}).items()]
    assert facets
    for name, facet in facets:
        Draft202012Validator({"$ref": facet["_schemaURL"]}, registry=REGISTRY, format_checker=check).validate(facet)
        schema = REGISTRY.contents(facet["_schemaURL"].split("#")[0])
        assert name in schema["properties"], "facets are found by their key"


def model(name: str, layer: str | None, schema: str, columns: tuple[str, ...] = (), **settings: Any) -> dict[str, Any]:
    cdc = {"layer": layer, "feed": "shop", "source_schema": "shop", "source_table": "item"}
    return {
        "resource_type": "model", "name": name, "schema": schema, "alias": name.removeprefix(f"{layer}_"),
        "language": "sql", "description": "", "depends_on": {"nodes": []},
        "config": {"meta": {"cdc": state_config(**cdc, **settings.pop("cdc", {}))} if layer else {}},
        "columns": {column: {"description": f"about {column}"} for column in columns}, **settings,
    }  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project after a run: bronze and silver of a table, gold, a model of the user's that failed, and a test."""
    write_seeds(tmp_path, good_seeds())
    own = ("_cdc_operation", "_cdc_sequence", "_cdc_committed_at")
    silver = (*("id", "price", "source__pos"), *own[:2], "_cdc_valid_to")
    on_silver = {"depends_on": {"nodes": ["silver"]}}
    nodes = {
        "listing": model("raw_listing", "etl_metadata", "etl_metadata"),
        "bronze": model("bronze_shop__item", "bronze", "bronze", ("id", "price", "source__pos", *own),
                        cdc={"renamed_columns": {"cost": "price"}}),
        "silver": model("silver_shop__item", "silver", "silver", silver, depends_on={"nodes": ["bronze", "listing"]}),
        "gold": model("totals", "gold", "gold", compiled_code=TOTALS, **on_silver),
        "broken": model("odd", None, "gold", compiled_code="select nothing from silver.shop__item", **on_silver),
        "test": {"resource_type": "test"},
    }  # fmt: skip
    timing = [{"name": "execute", "started_at": "2026-01-31T10:00:00Z", "completed_at": "2026-01-31T10:00:05Z"}]
    results = [{"unique_id": name, "status": "success", "message": "OK", "timing": timing} for name in nodes]
    results[4] |= {"status": "error", "message": "[COLUMN] `nothing` cannot be resolved", "timing": []}
    written = {
        "manifest": {"nodes": nodes},
        "run_results": {
            "metadata": {"invocation_id": RUN, "generated_at": "2026-01-31T10:00:09Z"},
            "args": {"which": "build"},
            "results": results,
        },
    }
    (tmp_path / "target").mkdir()
    for name, content in written.items():
        (tmp_path / "target" / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


@pytest.fixture
def events(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    monkeypatch.setenv("LAKEHOUSE_RAW", "s3a://landing/in")
    file = project / "events" / "all.jsonl"
    assert main(["--project-dir", str(project), "--file", str(file)]) == 0
    return [json.loads(line) for line in file.read_text().splitlines()]


def by_job(events: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The last event of each job."""
    return {event["job"]["name"]: event for event in events}


def lineage_of(event: dict[str, Any]) -> dict[str, list[tuple[str, str, str]]]:
    return {
        column: [
            (field["name"], field["field"], field["transformations"][0]["subtype"]) for field in value["inputFields"]
        ]
        for column, value in event["outputs"][0]["facets"]["columnLineage"]["fields"].items()
    }


def test_every_event_is_valid_by_the_published_schema(events: list[dict[str, Any]]) -> None:
    for event in events:
        validate(event)
    events[0]["outputs"][0]["facets"]["columnLineage"]["fields"]["id"]["inputFields"][0].pop("field")
    with pytest.raises(ValidationError, match="'field' is a required property"):
        validate(events[0])


def test_each_table_has_a_start_and_an_end(events: list[dict[str, Any]]) -> None:
    actual = [(event["job"]["name"], event["eventType"]) for event in events]
    assert actual == [(name, state) for name, end in ENDS.items() for state in ("START", end)]
    start, end = events[:2]
    assert (start["eventTime"], end["eventTime"]) == ("2026-01-31T10:00:00Z", "2026-01-31T10:00:05Z")
    assert start["run"]["runId"] == end["run"]["runId"]
    assert len({event["run"]["runId"] for event in events}) == 4
    assert start["run"]["facets"]["parent"]["run"]["runId"] == RUN
    assert by_job(events)["odd"]["run"]["facets"]["errorMessage"]["message"].startswith("[COLUMN]")


def test_bronze_comes_from_the_columns_of_files(events: list[dict[str, Any]]) -> None:
    bronze = by_job(events)["bronze_shop__item"]
    assert [(dataset["namespace"], dataset["name"]) for dataset in bronze["inputs"]] == [
        ("s3://landing", "in/shop/shop/item")
    ]
    folder = "in/shop/shop/item"
    assert lineage_of(bronze) == {
        "id": [(folder, "id", "IDENTITY")],
        "price": [(folder, "price", "IDENTITY"), (folder, "cost", "IDENTITY")],
        "source__pos": [(folder, "_pos", "IDENTITY")],
    }


def test_silver_comes_from_bronze(events: list[dict[str, Any]]) -> None:
    silver, table = by_job(events)["silver_shop__item"], "bronze.shop__item"
    copied = ("id", "price", "source__pos", "_cdc_operation", "_cdc_sequence")
    assert lineage_of(silver) == {
        **{column: [(table, column, "IDENTITY")] for column in copied},
        "_cdc_valid_to": [(table, name, "TRANSFORMATION") for name in ("_cdc_committed_at", "_cdc_sequence")],
    }
    assert [dataset["name"] for dataset in silver["inputs"]] == [table], "the listing is no data of the table"


def test_gold_is_parsed_and_a_query_that_cannot_be_has_the_lineage_of_its_table(events: list[dict[str, Any]]) -> None:
    gold, odd = (by_job(events)[name] for name in ("totals", "odd"))
    assert lineage_of(gold) == {
        "id": [("silver.shop__item", "id", "IDENTITY")],
        "total": [("silver.shop__item", "price", "TRANSFORMATION")],
    }
    assert "columnLineage" not in odd["outputs"][0]["facets"]
    assert [dataset["name"] for dataset in odd["inputs"]] == ["silver.shop__item"]


def test_types_and_columns_that_drift_has_added_come_from_the_catalog(project: Path) -> None:
    manifest, results = (
        json.loads((project / "target" / f"{name}.json").read_text()) for name in ("manifest", "run_results")
    )
    added = {name: {"type": "string"} for name in ("id", "late")}
    catalog = {"nodes": {"bronze": {"columns": added}, "silver": {"columns": added}}}
    lineage = Lineage(manifest, catalog, load_metadata(project / "seeds"), "/raw", "lake")
    silver = list(lineage.events(results))[2].outputs[0]
    assert silver.namespace == "lake"
    assert [field.name for field in silver.facets["schema"].fields if field.type == "string"] == ["id", "late"]
    assert silver.facets["columnLineage"].fields["late"].inputFields[0].field == "late"


COLUMNS = {"silver.a": ("ID", "v"), "silver.b": ("id", "x")}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select * from silver.a", {"ID": ["a.ID"], "v": ["a.v"]}),
        (
            "with c as (select id as k from silver.a) select k, count(*) as n from c group by k",
            {"k": ["a.ID"], "n": []},
        ),
        ("select id from silver.a union all select id from silver.b", {"id": ["a.ID", "b.id"]}),
        ("select a.v as `Od d`, x from silver.a left join silver.b on a.id = b.id", {"Od d": ["a.v"], "x": ["b.x"]}),
        ("select 1 as one", {"one": []}),
        ("select v, nope from silver.a", None),
        ("select u.* from silver.unknown as u", None),
        ("select from where", None),
        ("insert into silver.a select * from silver.b", None),
    ],
)
def test_the_columns_of_a_query(sql: str, expected: dict[str, list[str]] | None) -> None:
    traced = trace_query(sql, COLUMNS)
    short = traced and {
        name: sorted(f"{source.table}.{source.column}".removeprefix("silver.") for source in sources)
        for name, sources in traced.items()
    }
    assert short == expected


def test_a_value_that_is_computed_is_no_copy() -> None:
    traced = trace_query("with c as (select id, v || 'x' as w from silver.a) select id, w from c", COLUMNS)
    assert traced == {"id": [Source("silver.a", "ID", True)], "w": [Source("silver.a", "v", False)]}


@pytest.mark.parametrize(
    ("location", "multi", "expected"),
    [
        ("shop", False, [("file", "/raw/shop/s/t")]),
        ("shop", True, [("file", "/raw/shop")]),
        ("s3a://b/in/", False, [("s3://b", "in/s/t")]),
        ("file:///in", False, [("file", "/in/s/t")]),
        ("kafka://one:9092,two:9092", True, [("kafka://one:9092", "t1"), ("kafka://one:9092", "t2")]),
    ],
)
def test_raw_datasets_are_named_as_openlineage_names_them(
    location: str, multi: bool, expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    seeds = good_seeds()
    feed = {"connector": "debezium", "format": "json"} if multi else {}
    options = "topics=t1|t2" if location.startswith("kafka") else ""
    seeds[FEEDS_FILE][0] |= {**feed, "location": location, "options": options}
    if multi:
        seeds[TABLES_FILE][0]["active"] = "true"
        for row in seeds["cdc_columns.csv"]:
            row["data_type"] = row.get("data_type") or "string"
    metadata = load_metadata(write_seeds(tmp_path, seeds))
    assert name_raw_datasets(metadata.feed("shop"), "s", "t", "/raw") == expected


def test_without_a_run_or_a_receiver_a_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--project-dir", str(tmp_path)]) == 1
    assert "No receiver of lineage events is set" in capsys.readouterr().err
    assert main(["--project-dir", str(tmp_path), "--file", "x"]) == 1
    assert "There is no run to report" in capsys.readouterr().err


def test_a_command_that_built_nothing_and_a_run_that_was_cut_off_are_said(
    project: Path, tmp_path: Path, capsys
) -> None:
    results = project / "target" / "run_results.json"
    words = ["--project-dir", str(project), "--file", str(tmp_path / "events")]
    content = json.loads(results.read_text())
    results.write_text(json.dumps({**content, "results": [], "args": {"which": "test"}}))
    assert main(words) == 1
    assert "the last command, dbt test, built no table" in capsys.readouterr().err
    results.write_text(json.dumps(content)[:100])
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "run_results.json is no JSON" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("name", "value"), [("OPENLINEAGE_CONFIG", "none.yml"), ("OPENLINEAGE__TRANSPORT__TYPE", "console")]
)
def test_settings_that_send_to_nobody_are_refused(project: Path, monkeypatch, capsys, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    assert main(["--project-dir", str(project)]) == 1
    assert "Nobody gets the lineage events" in capsys.readouterr().err


def test_a_receiver_that_is_slow_is_shown_and_given_up(project: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr("python_udfs.lineage.__main__.PROGRESS", 0.0)
    monkeypatch.setattr("python_udfs.lineage.__main__.LIMIT", 0.2)
    handler = type("Slow", (Receiver,), {"taken": [], "seconds": 0.15})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENLINEAGE_URL", f"http://127.0.0.1:{server.server_port}")
        assert main(["--project-dir", str(project)]) == 1
        server.shutdown()
    said = capsys.readouterr()
    assert "Sending 8 lineage events" in said.out and "1 of 8 lineage events sent after" in said.out
    assert "2 of 8 lineage events were taken in 0 s: the receiver is too slow" in said.err


class Receiver(BaseHTTPRequestHandler):
    status = 200
    seconds = 0.0
    taken: list[dict[str, Any]]

    def do_POST(self) -> None:
        time.sleep(self.seconds)
        self.taken.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(self.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize("status", [200, 403])
def test_events_go_to_an_http_endpoint(
    status: int, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    handler = type("Handler", (Receiver,), {"status": status, "taken": []})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OPENLINEAGE_URL", f"http://127.0.0.1:{server.server_port}")
        code = main(["--project-dir", str(project)])
        server.shutdown()
    if status == 200:
        assert (code, len(handler.taken)) == (0, 8)
        validate(handler.taken[-1])
    else:
        assert code == 1
        assert "The lineage events were not taken" in capsys.readouterr().err
