"""Rows of cdc_expectations.csv: what is read, and that each mistake is found, placed and explained."""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_files import good_seeds, write_seeds

from python_udfs.errors import MetadataError
from python_udfs.metadata import EXPECTATIONS_FILE, TABLES_FILE, load_metadata
from python_udfs.metadata.expectations import EXPECTATIONS
from python_udfs.quality.checks import list_checks
from python_udfs.quality.facts import DEFAULTS

GOOD = {
    "target_table": "hr__staff",
    "column_name": "pay",
    "expectation": "expect_column_values_to_be_between",
    "arguments": '{"min_value": 0}',
    "severity": "error",
    "scope": "batch",
}
CDC = {"target_table": "*", "column_name": "*", "expectation": "cdc_null_rate_to_stay", "scope": "table"}


def load(folder: Path, *rows: dict[str, str]):
    seeds = good_seeds()
    seeds[EXPECTATIONS_FILE] = [{**GOOD, **row} for row in rows]
    return load_metadata(write_seeds(folder, seeds))


def test_a_row_is_read_with_its_arguments(tmp_path: Path) -> None:
    (row,) = load(tmp_path, {"row_condition": "unit = 'a'", "description": "Ask."}).expectations

    assert (row.target_table, row.columns, row.arguments) == ("hr__staff", ("pay",), {"min_value": 0})
    assert (row.severity, row.scope, row.row_condition, row.description) == ("error", "batch", "unit = 'a'", "Ask.")


def test_rows_for_all_tables_are_for_those_without_rows_of_their_own(tmp_path: Path) -> None:
    metadata = load(tmp_path, {}, {**CDC, "arguments": ""})

    names = {name: [check.row.expectation for check in checks] for name, checks in list_checks(metadata).items()}
    assert names == {"hr__staff": [GOOD["expectation"]], "shop__item": ["cdc_null_rate_to_stay"]}


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        ({"target_table": "hr.staff"}, "target_table", ["a silver table of cdc_tables.csv: hr__staff", "hr__staff?"]),
        ({"target_table": ""}, "target_table", ["found nothing"]),
        ({"column_name": "PAY"}, "column_name", ["'PAY'", "columns of the table: id, unit, pay", "cdc_columns.csv"]),
        ({"column_name": ""}, "column_name", ["found nothing", "one column for expect_column_values_to_be_between"]),
        ({"column_name": "id;pay"}, "column_name", ["'id;pay'", "one column"]),
        ({"column_name": "*"}, "column_name", ["a column for expect_column_values_to_be_between"]),
        ({"expectation": "expect_nothing"}, "expectation", ["'expect_nothing'", "cdc_lag_to_be_at_most"]),
        ({"target_table": "*", "column_name": "*"}, "expectation", ["for all tables", "cdc_null_rate_to_stay"]),
        ({"arguments": "{"}, "arguments", ["'{'", 'a JSON object such as {"min_value": 1}', "written twice"]),
        ({"arguments": "[1]"}, "arguments", ["Put it into braces"]),
        ({"arguments": '{"min_value": 1, "min": 1}'}, "arguments", ["the argument 'min'", "min_value, max_value"]),
        ({"arguments": '{"min_value": true}'}, "arguments", ["min_value: true", "a number, or a text"]),
        ({"arguments": '{"min_value": 2, "max_value": 1}'}, "arguments", ["min_value 2 above max_value 1"]),
        ({"arguments": '{"min_value": 1, "mostly": 2}'}, "arguments", ["mostly: 2", "a number from 0 to 1"]),
        ({"arguments": '{"min_value": "2024-02-01", "max_value": "2024-01-01"}'}, "arguments", ["Exchange the two"]),
        (
            {"arguments": '{"min_value": 2, "max_value": 2, "strict_max": true}'},
            "arguments",
            ["min_value and max_value 2 with strict_min or strict_max"],
        ),
        ({"arguments": '{"min_value": 2, "max_value": "3"}'}, "arguments", ["two numbers or two texts"]),
        ({"arguments": '{"min_value": NaN}'}, "arguments", ["min_value: NaN", "a number, or a text"]),
        ({"arguments": '{"min_value": 1e999}'}, "arguments", ["min_value: Infinity"]),
        ({"arguments": '{"min_value": 1, "min_value": 2}'}, "arguments", ["min_value twice", "Remove one"]),
        (
            {"expectation": "expect_column_mean_to_be_between", "column_name": "unit"},
            "column_name",
            ["'unit' of type varchar(8)", "numbers for expect_column_mean_to_be_between"],
        ),
        (
            {"expectation": "expect_column_quantile_values_to_be_between",
             "arguments": '{"quantile_ranges": {"quantiles": [0.5, 0.9], "value_ranges": [[1, 2]]}}'},
            "arguments",
            ["a range for each"],
        ),
        (
            {"expectation": "expect_column_values_to_match_like_pattern", "arguments": '{"like_pattern": "a%"}'},
            "expectation",
            ["on Spark expect_column_values_to_match_regex does it"],
        ),
        ({"arguments": ""}, "arguments", ["min_value or max_value for"]),
        (
            {"expectation": "expect_column_values_to_be_in_set", "arguments": ""},
            "arguments",
            ["no value_set", "value_set for expect_column_values_to_be_in_set"],
        ),
        ({"severity": "fatal", "arguments": '{"max_value": 9}'}, "severity", ["'fatal'", "error or warn"]),
        ({"scope": "all"}, "scope", ["'all'", "batch or table"]),
        ({**CDC, "arguments": "", "scope": "batch"}, "scope", ["table for cdc_null_rate_to_stay"]),
        (
            {**CDC, "column_name": "", "expectation": "cdc_changes_to_be_usual", "arguments": "", "scope": "batch",
             "row_condition": "a"},
            "row_condition",
            ["nothing for cdc_changes_to_be_usual"],
        ),
        (
            {"expectation": "expect_column_values_to_not_be_null", "column_name": "id;unit", "arguments": ""},
            "column_name",
            ["one column"],
        ),
        (
            {"expectation": "expect_compound_columns_to_be_unique", "column_name": "unit;id", "arguments": ""},
            "expectation",
            ["Remove the row: the generated dbt test one_row_per_key checks unit, id as the key"],
        ),
        (
            {"target_table": "shop__item", "expectation": "expect_column_values_to_not_be_null", "column_name": "id",
             "arguments": ""},
            "expectation",
            ["the generated dbt test no_key_is_null"],
        ),
        (
            {"expectation": "expect_column_values_to_be_in_set", "column_name": "_cdc_operation",
             "arguments": '{"value_set": ["I"]}'},
            "expectation",
            ["the generated dbt test known_operations"],
        ),
        (
            {"expectation": "expect_table_row_count_to_equal_other_table", "column_name": "", "arguments": ""},
            "expectation",
            ["Remove it: dbt's test relationships"],
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_what_is_expected(tmp_path: Path, row, column: str, words: list[str]) -> None:
    with pytest.raises(MetadataError) as caught:
        load(tmp_path, {}, row)

    (problem,) = caught.value.problems
    assert (problem.file, problem.row, problem.column) == ("seeds/cdc_expectations.csv", 3, column)
    for word in words:
        assert word in str(problem)


def test_the_key_of_a_history_may_repeat_and_may_be_expected_not_to(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0]["mode"] = "history"
    unique = {"target_table": "shop__item", "expectation": "expect_column_values_to_be_unique", "column_name": "id"}
    seeds[EXPECTATIONS_FILE] = [{**GOOD, **unique, "arguments": "", "row_condition": ""}]

    assert load_metadata(write_seeds(tmp_path, seeds)).expectations


def test_all_mistakes_of_all_files_come_at_once(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][0]["mode"] = "none"
    seeds[EXPECTATIONS_FILE] = [{**GOOD, "severity": "x", "scope": "y"}, GOOD, GOOD]

    with pytest.raises(MetadataError) as caught:
        load_metadata(write_seeds(tmp_path, seeds))

    assert [(problem.row, problem.column) for problem in caught.value.problems if "expectations" in problem.file] == [
        (2, "severity"),
        (2, "scope"),
        (4, "expectation"),
    ]
    assert "the expectation of line 3 again" in str(caught.value)
    assert "seeds/cdc_tables.csv line 2" in str(caught.value)


def test_an_inactive_table_has_no_expectations(tmp_path: Path) -> None:
    seeds = good_seeds()
    seeds[TABLES_FILE][1]["active"] = "false"
    seeds[EXPECTATIONS_FILE] = [GOOD]

    with pytest.raises(MetadataError, match="'hr__staff', which is not active"):
        load_metadata(write_seeds(tmp_path, seeds))


@pytest.mark.filterwarnings("ignore")
def test_names_and_arguments_are_those_of_great_expectations() -> None:
    from great_expectations.expectations.registry import get_expectation_impl  # noqa: PLC0415 - takes seconds

    for name, accepted in EXPECTATIONS.items():
        if name.startswith("cdc_"):
            assert name in DEFAULTS
            continue
        fields = get_expectation_impl(name).__fields__
        assert accepted.arguments.keys() <= fields.keys(), name
        given = {field_name for field_name, field in fields.items() if field.required} - {
            "column",
            "column_A",
            "column_B",
            "column_list",
        }
        assert given <= set(accepted.required), name
        wanted = {"column": 1, "column_A": 2, "column_list": None}
        assert accepted.columns == next((wanted[argument] for argument in wanted if argument in fields), 0), name
