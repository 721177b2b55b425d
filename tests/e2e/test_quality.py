"""`make quality` on a small lakehouse with planted faults: what fails, what warns, and which rows are read again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_udfs.metadata import EXPECTATIONS_FILE
from python_udfs.quality.__main__ import main
from tests.e2e.lakehouse import if_counted

HOSTILE = "<script>alert(1)</script>\x1b[31m'"
BETWEEN, IN_SET = "expect_column_values_to_be_between", "expect_column_values_to_be_in_set"
DOTTED, QUOTED = "a.b", "it's `odd`"


def put(root: Path, table: str, name: str, operations: str = "", **columns: list[Any]) -> None:
    """A parquet file of DMS; a change file has an operation per row."""
    folder = root / "f" / "s" / table
    folder.mkdir(parents=True, exist_ok=True)
    operation = {"Op": list(operations)} if operations else {}
    pq.write_table(pa.table({**operation, **columns}), folder / f"{name}.parquet")


def expect(
    lakehouse, table: str, column: str, expectation: str, severity="error", scope="batch", condition="", **given
):
    lakehouse.rows[EXPECTATIONS_FILE].append(
        {
            "target_table": table,
            "column_name": column,
            "expectation": expectation,
            "arguments": json.dumps(given),
            "severity": severity,
            "row_condition": condition,
            "scope": scope,
            "description": f"Advice of {expectation}.",
        }
    )


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("f", "parquet")
    for table in ("t", "plain", "absent"):
        lakehouse.add_table("f", table)
    odd = {DOTTED: [1, 2, 3], QUOTED: ["x", "y", "z"], "a_b": [7, 7, 7]}
    put(lakehouse.raw, "t", "LOAD00000001", id=[1, 2, 3], qty=[5, -1, 2], note=["a", "b", HOSTILE], **odd)
    states = ["on", "on", "off", "off"]
    put(lakehouse.raw, "plain", "LOAD00000001", id=[1, 2, 3, 4], state=states, price=[1.0, 2.0, 3.0, 4.0])
    expect(lakehouse, "s__t", "qty", BETWEEN, min_value=0)
    expect(lakehouse, "s__t", "qty", BETWEEN, "warn", "table", min_value=0, max_value=4)
    expect(lakehouse, "s__t", "qty", BETWEEN, condition="id <> 2 -- not the bad one", min_value=0)
    expect(lakehouse, "s__t", "qty", BETWEEN, "warn", "table", "qty > 100", min_value=0)
    expect(lakehouse, "s__t", "note", IN_SET, "warn", "table", value_set=["a", "b"])
    expect(lakehouse, "s__t", DOTTED, BETWEEN, scope="table", min_value=2)
    expect(lakehouse, "s__t", QUOTED, IN_SET, scope="table", value_set=["x", "y", "z"])
    expect(lakehouse, "s__t", "qty", "expect_column_values_to_match_regex", "warn", "table", regex="([")
    expect(lakehouse, "s__t", "note", "expect_column_mean_to_be_between", "warn", "table", min_value=0)
    expect(lakehouse, "s__t", "nothing", BETWEEN, "warn", "table", min_value=0)
    expect(lakehouse, "s__t", "qty", BETWEEN, "warn", "table", "no_such_column = 1", min_value=0)
    expect(lakehouse, "s__t", "", "expect_table_row_count_to_equal", scope="table", value=3)
    expect(lakehouse, "s__absent", "id", BETWEEN, min_value=0)
    for name in ("cdc_changes_to_be_usual", "cdc_share_of_deletes_to_be_usual"):
        expect(lakehouse, "*", "", name, "warn")
    expect(lakehouse, "*", "", "cdc_lag_to_be_at_most", "warn", minutes=60)
    expect(lakehouse, "*", "*", "cdc_values_to_be_known", "warn", "table", days=0)
    expect(lakehouse, "*", "*", "cdc_null_rate_to_stay", "warn", "table", days=0)
    expect(lakehouse, "*", "*", "cdc_distinct_count_to_stay", "warn", "table", days=0)
    expect(lakehouse, "*", "*", "cdc_quantiles_to_stay", "warn", "table", days=0)
    lakehouse.make_models()
    lakehouse.statuses("run")
    lakehouse.sql("drop table silver.s__absent")
    return lakehouse


@pytest.fixture(scope="module")
def first(lakehouse) -> str:
    """Output of the first run."""
    return lakehouse.command(main)


def results(lakehouse, table: str, number: int = 1) -> dict[tuple[str, ...], Any]:
    """Rows of the results of a run, by column, expectation, scope and condition."""
    runs = lakehouse.sql("select distinct run_at from etl_metadata.expectation_results order by run_at")
    rows = lakehouse.sql(
        "select * from etl_metadata.expectation_results"
        f" where run_at = timestamp '{runs[number - 1].run_at}' and silver_table = 'silver.{table}'"
    )
    return {(row.column_name, row.expectation, row.scope, row.row_condition): row for row in rows}


def test_an_error_row_that_fails_fails_the_command_and_names_value_and_advice(lakehouse, first):
    assert re.search(r"Failed:\n(.*\n)+?silver\.s__t +qty +expect_column_values_to_be_between +1 of 3 rows", first)
    assert "-1 — Advice of expect_column_values_to_be_between." in first
    assert "with severity error failed. Correct the rows" in first


def test_what_is_read_follows_scope_and_condition(lakehouse, first):
    judged = results(lakehouse, "s__t")
    assert judged["qty", BETWEEN, "batch", None].observed_value == "1 of 3 rows (33.3 %)"
    assert judged["qty", BETWEEN, "batch", "id <> 2 -- not the bad one"].observed_value == "0 of 2 rows"
    assert judged["qty", BETWEEN, "table", None].success is False
    assert judged["qty", BETWEEN, "table", None].severity == "warn"
    assert judged[None, "expect_table_row_count_to_equal", "table", None].success is True


def test_odd_names_are_read_by_their_own_name(lakehouse, first):
    judged = results(lakehouse, "s__t")
    assert judged[DOTTED, BETWEEN, "table", None].observed_value == "1 of 3 rows (33.3 %)"
    assert judged[QUOTED, IN_SET, "table", None].success is True


def test_what_cannot_be_judged_stops_nothing_else(lakehouse, first):
    judged = results(lakehouse, "s__t")
    regex = judged["qty", "expect_column_values_to_match_regex", "table", None]
    mean = judged["note", "expect_column_mean_to_be_between", "table", None]
    lost = judged["nothing", BETWEEN, "table", None]
    condition = judged["qty", BETWEEN, "table", "no_such_column = 1"]
    assert [row.success for row in (regex, mean, lost, condition)] == [False] * 4
    assert regex.message and "JVM" not in regex.message
    assert mean.message
    assert lost.message.startswith("the table has no column nothing; it has id, qty")
    assert "no_such_column" in condition.message
    absent = results(lakehouse, "s__absent")["id", BETWEEN, "batch", None]
    assert absent.message == "the table does not exist; dbt build makes it"
    assert "3/3" in first


def test_hostile_text_is_text_on_the_terminal_and_in_data_docs(lakehouse, first):
    assert "\x1b" not in first
    pages = [page.read_text() for page in (lakehouse.project / "target" / "quality").rglob("*.html")]
    assert len(pages) > 3
    assert any("&lt;script&gt;alert(1)" in page for page in pages)
    for page in pages:
        assert "Content-Security-Policy" in page
        assert not re.search(r"<script|<(img|link|iframe)\b[^>]*//", page, re.I)


def test_tables_without_rows_are_compared_with_their_past(lakehouse, first):
    judged = results(lakehouse, "s__plain")
    assert judged[None, "cdc_changes_to_be_usual", "batch", None].success is None
    assert "5 are needed" in judged[None, "cdc_changes_to_be_usual", "batch", None].message
    assert judged[None, "cdc_lag_to_be_at_most", "batch", None].success is True
    nulls = judged["*", "cdc_null_rate_to_stay", "table", None]
    assert (nulls.success, nulls.message) == (None, "the table has no older snapshot to compare with")


def test_rows_are_read_until_they_pass_and_new_rows_alone_after_that(lakehouse, first):
    for number in range(6):
        put(lakehouse.raw, "plain", f"20240131-23000{number}000", "U", id=[1], state=["on"], price=[1.5 + number / 9])
        lakehouse.statuses("run", "--select", "+silver_s__plain")
    states: list[Any] = ["new", None, None, "on"]
    prices = [100.0, 200.0, 300.0, 400.0]
    rows = {"id": list(range(1, 81)), "state": states * 20, "price": prices * 20}
    put(lakehouse.raw, "plain", "20240131-230100000", "UUUI" * 20, **rows)
    put(lakehouse.raw, "t", "20240131-230000000", "U", id=[1], qty=[6], note=["a"])
    lakehouse.statuses("run")
    lakehouse.command(main)
    again = results(lakehouse, "s__t", 2)
    assert again["qty", BETWEEN, "batch", None].observed_value == "1 of 3 rows (33.3 %)", "the failed row is read again"

    plain = results(lakehouse, "s__plain", 2)
    changes = plain[None, "cdc_changes_to_be_usual", "batch", None]
    assert (changes.success, changes.observed_value) == (False, "changes 80")
    assert changes.expected == "at least 0.1 and at most 10"
    assert (plain[None, "cdc_share_of_deletes_to_be_usual", "batch", None].success,) == if_counted(True)
    new = plain["state", "cdc_values_to_be_known", "table", None]
    assert (new.success, new.observed_value) == (False, "values of state: 1 first seen: 'new'")
    assert plain["state", "cdc_null_rate_to_stay", "table", None].success is False
    assert plain["price", "cdc_null_rate_to_stay", "table", None].success is True
    assert plain["price", "cdc_quantiles_to_stay", "table", None].success is False

    put(lakehouse.raw, "t", "20240131-230001000", "U", id=[2], qty=[1], note=["b"])
    lakehouse.statuses("run", "--select", "+silver_s__t")
    lakehouse.command(main)
    assert results(lakehouse, "s__t", 3)["qty", BETWEEN, "batch", None].success is True
    put(lakehouse.raw, "t", "20240131-230002000", "U", id=[1], qty=[7], note=["a"])
    lakehouse.statuses("run", "--select", "+silver_s__t")
    lakehouse.command(main)
    # DOTTED fails as well, with severity error, but reads the whole table each time.
    assert results(lakehouse, "s__t", 4)["qty", BETWEEN, "batch", None].observed_value == "0 of 1 rows"
    put(lakehouse.raw, "t", "20240131-230003000", "D", id=[1], qty=[7], note=["a"])
    lakehouse.statuses("run", "--select", "+silver_s__t")
    assert "not judged" in lakehouse.command(main)
    deleted = results(lakehouse, "s__t", 5)
    for row in (deleted["qty", BETWEEN, "batch", None], deleted["qty", BETWEEN, "table", "qty > 100"]):
        assert (row.success, row.message) == (None, "nothing to judge: no such row")
    assert deleted[None, "expect_table_row_count_to_equal", "table", None].observed_value == "2"
    assert "silver.s__plain" in lakehouse.command(main, "--tables", "s__plain")
    unknown = lakehouse.command(main, "--tables", "s__nothing")
    assert unknown == "TABLES: found s__nothing; accepted: tables with expectations, s__absent, s__plain, s__t.\n"
