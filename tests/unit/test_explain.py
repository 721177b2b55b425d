"""The verdict of each change of a key, and the messages when there is nothing to explain."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from table_configs import make_config, state_config

from python_udfs.cli.operation import OperationError, Operations
from python_udfs.explain.__main__ import explain, find_silver_model, main
from python_udfs.explain.fold import Change
from python_udfs.explain.key import ExplainError, key_text, parse_key
from python_udfs.explain.report import report
from python_udfs.explain.verdicts import Life

KEY_ONLY = {"id": "1", "v": None, "w": None}
APPLIED = 10


def change(minute: int, operation: str = "U", **cells: Any) -> dict[str, Any]:
    """A row of cdc_explain_changes_sql, of a file of this minute."""
    file, version = cells.pop("file", f"20240131-23{minute:02}00000"), cells.pop("version", 0)
    source_position = f"000001.1.2024013123{minute:02}00000000"
    row_position = f"{source_position}.{sum(file.encode()):016x}.{0:012}"
    return {
        "role": "change",
        "operation": operation,
        "committed_at": f"2024-01-31 23:{minute:02}:00.000000",
        "sequence": f"{row_position}.{version:014}",
        "source_position": source_position,
        "row_position": row_position,
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


def message(offset: int, partition: str = "aaaaaa") -> dict[str, Any]:
    """A message of a file of its own, at one source position."""
    row = change(1, file=f"t+0+{offset:010}")
    place = f"{row['source_position']}.o{offset:015}.{partition}{offset:06x}"
    return {**row, "row_position": place, "sequence": f"{place}.{0:014}"}


def reset_point(role: str, minute: int) -> dict[str, Any]:
    return {**change(minute), "role": role, "operation": role, "image": None}


def life(rows: list[dict[str, Any]], silver: list[dict[str, Any]] | None = None, **cells: Any) -> Life:
    cdc = make_config(**cells)
    names = ["_cdc_source_file", "_cdc_file_row"] if cdc.mode == "append" else cdc.primary_key
    written = [{name: json.dumps(v) if isinstance(v, dict | list) else v for name, v in row.items()} for row in rows]
    changes = [Change.of(number, row) for number, row in enumerate(written, start=1)]
    return Life(cdc, dict.fromkeys(names, "1"), changes, silver or [], APPLIED)


SOFT = {"delete_mode": "soft"}
APPEND = {"mode": "append"}


@pytest.mark.parametrize(
    ("cells", "changes", "expected"),
    [
        ({}, [change(1, "I")], ["applied: it is the row"]),
        ({}, [change(1, "I"), change(2)], ["superseded by 2", "applied: it is the row"]),
        (
            {},
            [change(1, "I", batch_id="10"), change(2, batch_id="9")],
            ["superseded by 2, which arrived before it", "applied: it is the row"],
        ),
        (
            {},
            [change(1, version=1), change(1, version=2)],
            ["superseded by 2: the same row of the same file, read again", "applied: it is the row"],
        ),
        (
            {},
            [change(1, file="a"), change(1, file="b")],
            ["superseded by 2: same time, only the name of the file decides", "applied: it is the row"],
        ),
        (
            {},
            [message(5), message(7)],
            ["superseded by 2: same source position, the later offset decides", "applied: it is the row"],
        ),
        (
            {},
            [message(5), message(7, "bbbbbb")],
            ["superseded by 2: same source position, only a hash decides", "applied: it is the row"],
        ),
        (
            {},
            [
                change(1, rule="uncastable_value", reason="v is 'x', expected int"),
                change(2, rule="superseded"),
                change(3, batch_id="11"),
            ],
            [
                "in quarantine, uncastable_value: v is 'x', expected int",
                "superseded: newer content of the file replaces it",
                "not applied yet: the next run applies it",
            ],
        ),
        ({}, [change(1), change(2, "D", image=KEY_ONLY)], ["superseded by 2", "applied: no row is left"]),
        (
            SOFT,
            [change(1), change(2, "D", image=KEY_ONLY)],
            [
                "superseded by 2; carried forward: all values",
                "applied: the row is marked as deleted, all values carried forward from 1",
            ],
        ),
        (
            SOFT,
            [change(1), change(2, "D", image={"id": "1", "v": "", "w": "0"})],
            [
                "superseded by 2; carried forward: all values",
                "applied: the row is marked as deleted, all values carried forward from 1",
            ],
        ),
        (
            SOFT,
            [change(1, "D", image=KEY_ONLY)],
            ["applied: the row is marked as deleted, no change had a value"],
        ),
        (
            {},
            [change(1, "I"), change(2, unavailable=["w"])],
            ["superseded by 2; carried forward: w", "applied: it is the row; w carried forward from 1"],
        ),
        (
            {},
            [change(1, "D", image=KEY_ONLY), change(2, unavailable=["w"])],
            ["superseded by 2", "applied: it is the row"],
        ),
        (
            {},
            [change(1), reset_point("truncate", 2), change(3, unavailable=["w"])],
            [
                "superseded by reset point 2 (truncate)",
                "reset point: ends every older row",
                "applied: it is the row",
            ],
        ),
        (
            SOFT,
            [change(1), reset_point("reload", 2), reset_point("truncate", 3)],
            [
                "superseded by reset point 2 (reload): the row is marked as deleted, with its own values",
                *["reset point: ends every older row"] * 2,
            ],
        ),
        (
            {},
            [change(1), change(2, role="key change", image={"id": "7", "v": "c", "w": "d"}, old_key={"id": "1"})],
            ["superseded by 2", "applied: the key became id = 7; no row is left"],
        ),
        (
            {},
            [change(1, old_key={"id": "7"})],
            ["applied: it is the row, its before image has the key id = 7"],
        ),
        (APPEND, [change(1, "I"), change(2)], ["applied: it is the row", "not applied: the table has no key"]),
        (
            APPEND,
            [change(1, "I"), reset_point("reload", 2)],
            ["superseded by reset point 2 (reload): no row is left", "reset point: ends every older row"],
        ),
    ],
)
def test_verdicts(cells, changes, expected):
    assert life(changes, **cells).verdicts() == expected


def test_verdicts_of_a_history_are_its_versions():
    changes = [change(1, "I"), change(2), change(3, "D"), reset_point("truncate", 4), change(5)]
    times = [("23:01", "23:03"), ("23:05", None)]
    versions = [
        {"sequence": row["sequence"], "image": {"_cdc_valid_from": begin, "_cdc_valid_to": end}}
        for row, (begin, end) in zip([changes[0], changes[4]], times, strict=True)
    ]
    assert life(changes, versions, mode="history").verdicts() == [
        "applied: a version from 23:01 to 23:03",
        "applied: changes no column, so it is no version of its own",
        "applied: ends the open version, if there is one",
        "reset point: ends the open version, if there is one",
        "applied: a version from 23:05 to now",
    ]


def test_the_report_has_the_changes_and_the_row():
    changes = [
        reset_point("reload", 0)
        | {"sequence": "000002", "source_position": "000002", "source_file": None, "file_row": None},
        change(1, "I", image={"id": "1", "v": "a\nb", "w": None}),
        change(2, unavailable=["w"], image={"id": "1", "v": "c" * 90, "w": None}),
    ]
    row = {"sequence": changes[2]["sequence"], "image": {"id": "1", "v": "a", "w": None}}
    text = report(life(changes, [row]), "silver.shop__order")
    assert [re.split(" {2,}", line) for line in text.splitlines() if "--" not in line] == [
        ["shop.order, id = 1 (mode current, hard deletes)"],
        [""],
        ["#", "operation", "committed at", "file", "row", "batch", "source position", "verdict", "values"],
        ["1", "reload", "2024-01-31 23:00:00.000000", "1", "000002", "reset point: ends every older row"],
        [
            *("2", "I", "2024-01-31 23:01:00.000000", "20240131-230100000.parquet", "0", "1"),
            *("000001.1.20240131230100000000", "superseded by 3; carried forward: w", "v=a⏎b, w=NULL"),
        ],
        [
            *("3", "U", "2024-01-31 23:02:00.000000", "20240131-230200000.parquet", "0", "1"),
            *("000001.1.20240131230200000000", "applied: it is the row; w carried forward from 2"),
            "v=" + "c" * 77 + "…",
        ],
        [""],
        ["silver.shop__order now:"],
        [""],
        ["id", "v", "w"],
        ["1", "a", "NULL"],
    ]


def test_a_long_value_is_cut_and_its_length_said():
    silver = [{"sequence": "1", "image": {"id": "1", "v": "x" * 3000}}]
    said = report(life([change(1)], silver), "s")
    assert said.endswith(f"{'x' * 200}… (3,000 characters)\n")
    assert "x" * 201 not in said


def test_the_report_without_a_row_and_with_an_unavailable_value():
    text = report(life([change(1, unavailable=["v"])], mode="history"), "silver.shop__order")
    assert text.startswith("shop.order, id = 1 (mode history)\n")
    assert "v unavailable, w=b\n" in text
    assert text.endswith("silver.shop__order now:\n\nno row\n")


@pytest.mark.parametrize(
    ("columns", "text", "expected"),
    [
        (["id"], "1", {"id": "1"}),
        (["id"], "1.10", {"id": "1.10"}),
        (["id"], "a: b, #c", {"id": "a: b, #c"}),
        (["id"], " 007 ", {"id": " 007 "}),
        (["id"], "NULL", {"id": None}),
        (["id"], "['NULL']", {"id": "NULL"}),
        (["id"], '["[x"]', {"id": "[x"}),
        (["id", "Line no"], "[1.10, yes]", {"id": "1.10", "Line no": "yes"}),
        (["id", "Line no"], "{LINE NO: 2018-01-02 10:00:00, id: null}", {"id": None, "Line no": "2018-01-02 10:00:00"}),
    ],
)
def test_a_key_is_read_as_it_was_typed(columns, text, expected):
    assert parse_key(text, columns, "shop__order") == expected


@pytest.mark.parametrize(
    ("text", "received"),
    [
        ("", "no values for 2 columns"),
        ("1", "1 value for 2 columns"),
        ("[1, 2, 3]", "3 values for 2 columns"),
        ("{id: 1}", "the columns id"),
        ("{id: 1, line: 2}", "the columns id, line"),
        ("{}", "the columns none"),
        ("[1, [2]]", "[1, [2]], which is neither a list nor a mapping of values"),
        ("{id: {no: 1}, no: 2}", "{id: {no: 1}, no: 2}, which is neither a list nor a mapping of values"),
        ("[1, 2", "[1, 2, which is neither a list nor a mapping of values"),
    ],
)
def test_a_key_of_other_parts_is_refused_with_what_the_key_is(text, received):
    with pytest.raises(ExplainError) as error:
        parse_key(text, ["id", "no"], "shop__order")
    assert str(error.value) == (
        f"KEY: found {received}; accepted: KEY='{{id: …, no: …}}', the key of shop__order is id, no."
    )


def test_a_key_in_a_message():
    assert key_text({"id": "1", "no": None}) == "id = 1, no = NULL"


def nodes(*tables: tuple[str, str]) -> list[Any]:
    """Bronze and silver models by alias and source table, and a model of another kind."""
    models = [SimpleNamespace(alias="other", resource_type="model", config=SimpleNamespace(meta={}))]
    for alias, source in tables:
        for layer in ("bronze", "silver"):
            meta = {"cdc": state_config(layer=layer, source_table=source)}
            name = f"{layer}_{alias}"
            node = {
                "unique_id": f"model.{name}",
                "resource_type": "model",
                "name": name,
                "alias": alias,
                "schema": layer,
            }
            models.append(SimpleNamespace(**node, config=SimpleNamespace(meta=meta)))
    return models


@pytest.mark.parametrize("name", ["shop__order", "silver.shop__order", "shop.order"])
def test_a_table_is_found_by_its_name(name):
    assert find_silver_model(nodes(("shop__order", "order"), ("shop__item", "item")), name).name == "silver_shop__order"


@pytest.mark.parametrize(
    ("tables", "name", "message"),
    [
        ([("b", "x"), ("a", "y")], "c", "TABLE: found c; accepted: a silver table, a, b."),
        ([("a", "x")], "", "TABLE: found nothing; accepted: a silver table, a."),
        (
            [],
            "a",
            "TABLE: found a; accepted: a silver table, but there is none: no row of seeds/cdc_tables.csv is active.",
        ),
        (
            [("eu", "order"), ("us", "order"), ("b", "x")],
            "shop.order",
            "TABLE: found shop.order, which 2 feeds have; accepted: a silver table, eu, us.",
        ),
    ],
)
def test_an_unknown_table_is_refused_with_those_that_there_are(tables, name, message):
    with pytest.raises(ExplainError) as error:
        find_silver_model(nodes(*tables), name)
    assert str(error.value) == message


ROW = {**change(1, "I"), "image": json.dumps({"ID": "1"})}
ANSWER = {
    "is_built": True,
    "bronze": "bronze.shop__order",
    "silver": "silver.shop__order",
    "key": {"ID": "1"},
    "types": {"ID": "int"},
    "wrong": [],
    "changes": [ROW],
    "rows": [{"sequence": ROW["sequence"], "image": '{"ID": "1"}'}],
    "other_keys": [],
    "applied_batch_id": 10,
}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"is_built": False},
            "shop.order has no bronze or no silver table yet: run `dbt build --select +silver_shop__order` first.",
        ),
        (
            {"key": {}, "types": {"v": "int"}},
            "shop.order has no column id in bronze yet: no row of it has arrived.",
        ),
        ({"wrong": ["ID"]}, "KEY: found ID = 1; accepted: a value of type int."),
        (
            {"changes": [], "other_keys": [{"image": '{"ID": "2"}'}, {"image": '{"ID": null}'}]},
            "KEY: found id = 1, of which bronze.shop__order has no change; accepted: a key that it has, such as ID = 2;"
            " ID = NULL.",
        ),
        (
            {"changes": [{**reset_point("truncate", 1)}]},
            "KEY: found id = 1, of which bronze.shop__order has no change; it has no rows at all.",
        ),
    ],
)
def test_what_cannot_be_explained_is_reported(answer, message):
    with pytest.raises(ExplainError) as error:
        explain(make_config(), {"id": "1"}, {**ANSWER, **answer}, "silver_shop__order")
    assert str(error.value) == message


@pytest.fixture
def project(monkeypatch):
    """A project with one table; its dbt remembers what it was asked."""
    asked: list[Any] = []
    monkeypatch.setattr(Operations, "__init__", lambda self, project: None)
    monkeypatch.setattr(Operations, "nodes", lambda self: nodes(("shop__order", "order")))
    monkeypatch.setattr(Operations, "ask", lambda self, macro, **values: asked.append((macro, values)) or ANSWER)
    return asked


def test_the_command_prints_the_life_of_a_key(project, capsys):
    assert main(["shop.order", "1"]) == 0
    said = capsys.readouterr().out
    assert "ID = 1" in said and "applied: it is the row" in said and "silver.shop__order now:" in said
    assert project == [("cdc_explain", {"table": "shop__order", "key": {"id": "1"}})]


def test_a_mistake_is_reported_in_words(project, capsys):
    assert main(["--", "shop.order", "-1, 2"]) == 0
    assert main(["shop.order", "[1, 2]"]) == 1
    assert capsys.readouterr().err == (
        "KEY: found 2 values for 1 column; accepted: KEY='…', the key of shop__order is id.\n"
    )


def outcome(success: bool, *events: tuple[str, str]) -> Any:
    """A dbt that fires events."""

    def run(self: Any, *arguments: str) -> Any:
        for name, message in events:
            self.callback(
                SimpleNamespace(info=SimpleNamespace(name=name, msg=message), data=SimpleNamespace(exc=message))
            )
        return SimpleNamespace(success=success, exception=None)

    return run


class StandIn:
    """A placeholder of python_udfs.cli.dbt.WarmDbt."""

    def __init__(self, project: Any, show: Any) -> None:
        self.callback = show


def test_an_operation_answers_with_what_its_macro_logged(monkeypatch, capsys):
    events = [("AdapterEventInfo", "Fetching"), ("JinjaLogDebug", "other"), ("JinjaLogDebug", 'cdc_answer {"a": [1]}')]
    monkeypatch.setattr(
        "python_udfs.cli.operation.WarmDbt", type("WarmDbt", (StandIn,), {"__call__": outcome(True, *events)})
    )
    assert Operations(".").ask("cdc_explain", key=1) == {"a": [1]}
    assert capsys.readouterr() == ("", "Fetching\n")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (outcome(False, ("RunningOperationCaughtError", "Database Error")), "Database Error"),
        (outcome(False, ("RunningOperationUncaughtError", "a defect")), "a defect"),
        (outcome(True), "cdc_explain gave no answer"),
    ],
)
def test_an_operation_that_fails_reports_why(monkeypatch, run, message):
    monkeypatch.setattr("python_udfs.cli.operation.WarmDbt", type("WarmDbt", (StandIn,), {"__call__": run}))
    with pytest.raises(OperationError) as error:
        Operations(".").ask("cdc_explain")
    assert str(error.value) == message
