"""Names and values as SQL text."""

from __future__ import annotations

import pytest
from harness import Dbt, assert_sql_equal


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("id", "`id`"),
        ("order", "`order`"),
        ("two words", "`two words`"),
        ("back`tick", "`back``tick`"),
        ("`", "````"),
        ('it\'s "q" \\n', '`it\'s "q" \\n`'),
        ("größe 🙂", "`größe 🙂`"),
    ],
)
def test_adapter_quote__case(name, expected):
    assert Dbt().adapter.quote(name) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "'plain'"),
        ("it's", r"'it\'s'"),
        (r"\N", r"'\\N'"),
        (r"\'", r"'\\\''"),
        ('"q" `b`', "'\"q\" `b`'"),
        # The filter `indent` would put blanks behind a line break, and another one in place of U+2028.
        ("größe 🙂\n\u2028", r"'größe 🙂\u000a\u2028'"),
        ("", "''"),
        (12, "'12'"),
    ],
)
def test_adapter_string_literal__case(value, expected):
    assert Dbt().adapter.string_literal(value) == expected


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
