"""The joins of a query are written again as the user wrote them."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from python_udfs.gold.blocks import AFTER, Input, Leaf
from python_udfs.gold.dialect import GoldSpark, write_sql
from python_udfs.gold.model import GivenKeys, read_gold_model
from python_udfs.gold.read import bind_tables
from tests.gold_shapes import INPUTS


def test_a_quote_in_a_comment_changes_no_text():
    sql = """
        select o.day, count(*) n from silver.o -- the customer's
        left join silver.c on o.cid = c.id
        where o.day <> 'PAID' -- don't count drafts
            and o.day <> "Order" /* it's "open */ and o.day <> 'Draft'
        group by o.day
    """
    [branch] = read_gold_model("sales", sql, {"key": ["day"]}, INPUTS).branches
    for text in branch.texts:
        assert "'PAID'" in text
        assert "'Order'" in text
        assert "'Draft'" in text
        assert "count drafts" not in text


@pytest.mark.parametrize(
    "written", ["log10(`a`)", "log2(`a`)", "to_char(`a`, 'yyyy-MM')", "date_trunc('MONTH', `a`)", "log(10, `a`)"]
)
def test_functions_stay(written):
    assert write_sql(sqlglot.parse_one(f"select {written}", dialect=GoldSpark)) == f"select {written}"


def test_a_backtick_in_a_name_ends_no_name():
    orders = Input("o", "silver.o", ("a`b",), {"a`b": "int"}, 1)
    sql = "select o.`a``b`, o.`a``b` as `o__a``b` from o"
    uses = (Leaf(1, orders),)
    text = GivenKeys(sql, {"o": orders}, uses, {}).write(AFTER, ["a`b"], uses).sql(dialect=GoldSpark)
    query = sqlglot.parse_one(text, dialect=GoldSpark)
    assert [(column.this.name, column.alias_or_name) for column in query.expressions] == [
        ("a`b", "a`b"),
        ("o__a`b", "_cdc_k1_1"),
    ]


def test_a_backtick_in_the_name_of_a_table_ends_no_name():
    bound = bind_tables("select a from silver.`o``p`", {"silver.o`p": "_cdc_before1"})
    assert sqlglot.parse_one(bound, dialect=GoldSpark).find(exp.Table).alias == "o`p"
