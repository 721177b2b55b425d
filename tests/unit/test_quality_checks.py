"""Parts of `make quality` that need no Spark: figures with their limits, judgements, Data Docs and the report."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pandas as pd
import pytest

from python_udfs.errors import UsageError
from python_udfs.metadata.expectations import Expectation
from python_udfs.quality.__main__ import chosen
from python_udfs.quality.checks import Check, Outcome
from python_udfs.quality.facts import Run, judge_runs
from python_udfs.quality.gx import GreatExpectations, Wanted
from python_udfs.quality.report import report
from python_udfs.quality.site import seal
from python_udfs.quality.tables import alias

NOW = datetime(2024, 2, 1, tzinfo=timezone.utc)
HOSTILE = "<script>alert(1)</script>\x1b[31m"


def check(expectation: str, severity: str = "error", column: str = "", **arguments: object) -> Check:
    columns = (column,) if column else ()
    row = Expectation(2, "s__t", columns, expectation, arguments, severity, "", "batch", "Call the shop.")
    return Check("s__t", row)


def runs(*changes: int, deleted: int = 0) -> list[Run]:
    return [
        Run(count, count, deleted if at == 0 else 0, NOW - timedelta(minutes=90)) for at, count in enumerate(changes)
    ]


def test_a_batch_is_compared_with_the_middle_of_the_earlier_ones() -> None:
    (fact,) = judge_runs([check("cdc_changes_to_be_usual")], runs(900, 10, 20, 30, 40, 5_000), NOW)

    assert (fact.values, fact.least, fact.most) == ((900,), 3.0, 300.0)


def test_only_so_many_batches_are_looked_at_and_few_are_not_judged() -> None:
    wanted = check("cdc_changes_to_be_usual", batches=5, times=2)
    (fact,) = judge_runs([wanted], runs(1, 10, 10, 10, 10, 10, 900), NOW)
    (few,) = judge_runs([wanted], runs(1, 10, 10, 10, 10), NOW)

    assert (fact.least, fact.most) == (5.0, 20.0)
    assert few.note == "4 earlier batches are too few to compare with: 5 are needed"


def test_deletes_and_lag_have_an_upper_limit() -> None:
    wanted = [check("cdc_share_of_deletes_to_be_usual", more=0.1), check("cdc_lag_to_be_at_most", minutes=60)]
    deletes, lag = judge_runs(wanted, runs(10, 10, 10, 10, 10, 10, deleted=4), NOW)

    assert (deletes.values, deletes.most, deletes.observed) == ((0.4,), 0.1, "share of deletes 0.4")
    assert (lag.values, lag.most, lag.expected) == ((90.0,), 60, "at most 60")


def test_rows_that_nobody_counted_are_no_share_of_deletes():
    wanted = [check("cdc_share_of_deletes_to_be_usual")]
    uncounted = Run(10, None, None, NOW)
    (newest,) = judge_runs(wanted, [uncounted, *runs(*[10] * 6)], NOW)
    (earlier,) = judge_runs(wanted, [*runs(*[10] * 5), *[uncounted] * 3], NOW)
    assert newest.note == "the rows of the newest run are not counted (Spark counts the rows of a MERGE since 4.1)"
    assert earlier.note.startswith("the rows of 3 of 7 earlier batches are not counted") and not earlier.values


def test_a_table_without_runs_is_not_judged() -> None:
    (fact,) = judge_runs([check("cdc_lag_to_be_at_most", minutes=60)], [], NOW)

    assert fact.note == "run_metrics has no run of the table yet"


def test_a_path_is_no_name_and_no_two_columns_get_one_name() -> None:
    assert alias("plain name", ["plain name"]) == "plain name"
    assert alias("a.b", ["a.b", "A_B"]) == "a_b_"
    assert alias("`x`", ["`x`"]) == "_x_"


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Results of Great Expectations, and its Data Docs."""
    expectations = GreatExpectations(NOW)
    between, in_set = "expect_column_values_to_be_between", "expect_column_values_to_be_in_set"
    frame = pd.DataFrame({"n": [1, 2, 30], "text": ["a", HOSTILE, "<h1>b</h1>"]})
    wanted = [
        Wanted(between, {"column": "n", "max_value": 3}, "error", f"{HOSTILE} notes"),
        Wanted(between, {"column": "n", "max_value": 30}, "warn"),
        Wanted(in_set, {"column": "text", "value_set": ["a"]}, "error"),
        Wanted(between, {"column": "lost", "max_value": 3}, "error"),
        Wanted(between, {"column": "n", "max_value": 3, "nonsense": 1}, "error"),
        Wanted("expect_column_distinct_values_to_be_in_set", {"column": "text", "value_set": ["a"]}, "error"),
    ]
    outcomes = expectations.judge("s__t.batch.1", frame, wanted, engine="pandas")
    return outcomes, expectations.write_docs(tmp_path_factory.mktemp("docs"))


def test_each_expectation_is_judged_and_the_broken_ones_say_why(judged) -> None:
    failed, met, values, lost, nonsense, distinct = judged[0]

    assert (failed.success, failed.observed, failed.message) == (False, "1 of 3 rows (33.3 %)", "30")
    assert (met.success, met.observed, met.message) == (True, "0 of 3 rows", "")
    assert values.observed == "2 of 3 rows (66.7 %)"
    assert lost.is_broken and 'The column "lost" in BatchData does not exist' in lost.message
    assert (distinct.success, distinct.observed) == (False, "2 other values")
    assert nonsense.is_broken and "nonsense" in nonsense.message


def test_an_error_of_great_expectations_is_that_of_its_expectation(monkeypatch) -> None:
    expectations = GreatExpectations(NOW)
    validate = expectations._validate

    def stop(title, batch, wanted):
        if any(expectation.arguments["max_value"] == 3 for expectation in wanted):
            raise TypeError("unsupported format string passed to NoneType.__format__")
        return validate(title, batch, wanted)

    monkeypatch.setattr(expectations, "_validate", stop)
    between = "expect_column_values_to_be_between"
    wanted = [Wanted(between, {"column": "n", "max_value": most}, "error") for most in (3, 30)]
    bad, good = expectations.judge("t", pd.DataFrame({"n": [1, 2, 30]}), wanted, engine="pandas")
    assert (bad.is_broken, good.success) == (True, True)
    assert "unsupported format string" in bad.message


def test_data_docs_run_no_script_and_ask_no_other_server(judged) -> None:
    index = judged[1]
    pages = [page.read_text(encoding="utf-8") for page in index.parent.rglob("*.html")]

    assert len(pages) == 2
    for page in pages:
        assert "<script" not in page
        assert "<h1>b" not in page
        assert 'src="http' not in page and '<link rel="stylesheet" href="http' not in page
        assert "Content-Security-Policy" in page
    assert any("&lt;script&gt;alert(1)" in page for page in pages)


def test_a_page_keeps_what_is_its_own(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<head><link href="https://x.example/a.css"><link href="own.css"></head><SCRIPT src="a"></SCRIPT ><b>x</b>'
        '<img src="http://x.example/a.png">',
        encoding="utf-8",
    )

    seal(tmp_path, [], NOW)

    text = page.read_text(encoding="utf-8")
    assert "x.example" not in text and "SCRIPT" not in text
    assert '<link href="own.css">' in text and "<b>x</b>" in text


def test_failures_and_warnings_are_tables_with_what_to_do() -> None:
    text = report(
        [
            Outcome(check("expect_a", column="n"), False, "1 of 3 rows", "min_value 1", f"'{HOSTILE}'", 7),
            Outcome(check("expect_b", "warn"), False, "", "", "the table cannot be read"),
            Outcome(check("expect_b", "warn", column="n"), False, "", "", "the table cannot be read"),
            Outcome(check("expect_c", "warn"), None, message="no older snapshot"),
            Outcome(check("expect_d"), True),
        ],
        "silver",
    )

    assert text.index("Warnings:") < text.index("Failed:")
    assert "silver.s__t, n: '<script>alert(1)</script> [31m' — Call the shop." in text
    assert text.count("\n  silver.s__t: the table cannot be read\n") == 1
    assert "5 expectations: 1 met, 2 warned, 1 failed, 1 had nothing to judge." in text
    assert "\x1b" not in text


def test_tables_without_expectations_are_named() -> None:
    checks = {"s__t": [check("expect_a")]}

    assert chosen(checks, []) == chosen(checks, ["silver.s__t"]) == checks
    with pytest.raises(UsageError, match=r"found x; accepted: tables with expectations, s__t\."):
        chosen(checks, ["x"])
