"""Names and values as SQL text."""

from __future__ import annotations

import pytest
from harness import Dbt, assert_sql_equal


def test_cdc_same_key_sql__composite_and_null_safe():
    cdc = {"mode": "current", "primary_key": ["id", "line no"]}
    assert_sql_equal(Dbt().cdc_same_key_sql(cdc, "a", "b"), "a.`id` <=> b.`id` and a.`line no` <=> b.`line no`")


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        ([], "`k`"),
        (["ignore_case"], "lower(`k`)"),
        (["ignore_trailing_spaces"], "rtrim(`k`)"),
        (["ignore_trailing_spaces", "ignore_case"], "lower(rtrim(`k`))"),
    ],
)
def test_cdc_key_list_sql__as_the_source_compares(comparison, expected):
    cdc = {"mode": "current", "primary_key": ["k"], "key_comparison": comparison}
    assert Dbt().cdc_key_list_sql(cdc) == expected
    assert (
        Dbt().cdc_same_key_sql(cdc, "a", "b")
        == f"{expected.replace('`k`', 'a.`k`')} = {expected.replace('`k`', 'b.`k`')}"
    )


def test_cdc_table_columns_sql__names_are_text():
    table = {"feed": "it's", "source_schema": "shop", "source_table": "order"}
    assert_sql_equal(
        Dbt().cdc_table_columns_sql(table),
        r"'it\'s' as feed, 'shop' as source_schema, 'order' as source_table",
    )


def test_names_and_values_are_written_by_the_adapter():
    # tests/adapter/test_quoting.py shows that Spark reads them as they are.
    adapter = Dbt().adapter
    assert (adapter.quote("b`k"), adapter.string_literal(12), adapter.string_literal("")) == ("`b``k`", "'12'", "''")
