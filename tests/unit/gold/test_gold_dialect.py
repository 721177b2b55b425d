"""The joins of a query are written again as the user wrote them."""

from __future__ import annotations

import pytest
import sqlglot

from python_udfs.gold.dialect import GoldSpark, write_sql
from python_udfs.gold.model import read_gold_model
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
