"""Models that cannot be computed for some keys alone are refused in words, all mistakes at once."""

from __future__ import annotations

import pytest

from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import Input
from python_udfs.gold.day import hide_day
from python_udfs.gold.model import read_gold_model
from tests.gold_shapes import INPUTS

O_C = "silver.o left join silver.c on o.cid = c.id"


def refuse(sql, inputs=INPUTS, **config):
    with pytest.raises(LakehouseError) as error:
        read_gold_model("sales", hide_day(sql), {"key": ["id"], **config}, inputs)
    return str(error.value)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("select id, rand() r from silver.o", "rand gives other values each time"),
        ("select id, uuid() r from silver.o", "uuid gives other values each time"),
        ("select id, current_date() d from silver.o", "current_date changes without a change of an input"),
        ("select id from silver.o where day < now()", "write {{ gold_today() }}"),
        ("select id, current_timestamp t from silver.o", "current_timestamp changes without"),
        ("select id from silver.o limit 5", "LIMIT takes rows by an order"),
        ("select id from (select id from silver.o limit 5) x", "LIMIT takes rows by an order"),
        ("select id, row_number() over (order by day) n from silver.o", "a window without PARTITION BY"),
        ("select cid as id, first(amt) f from silver.o group by cid", "first depends on the order"),
        ("select cid as id, collect_list(amt) f from silver.o group by cid", "write sort_array(collect_list(…))"),
        ("select o.id from silver.o right join silver.c on o.cid = c.id", "write it as a LEFT JOIN"),
        ("select o.id from silver.o cross join silver.c", "the join with c has no equality"),
        ("select o.id from silver.o join silver.c on o.day < c.boss", "the join with c has no equality"),
        ("select id from silver.o where cid not in (select id from silver.c)", "write NOT EXISTS"),
        ("select cid as id, day, sum(amt) s from silver.o group by rollup(cid, day)", "ROLLUP, CUBE and GROUPING SETS"),
        ("select id from silver.o intersect select id from silver.c", "INTERSECT is not supported"),
        ("select id, x from silver.o lateral view explode(array(1, 2)) t as x", "LATERAL VIEW is not read"),
        ("select id from silver.unheard_of", "the query reads silver.unheard_of, which no ref() or source() names"),
        ("select id, nothing from silver.o", "a name of the query cannot be resolved"),
        ("select id from (", "the query cannot be parsed"),
        ("select size(day, 2) as id, count(*) n from silver.o group by 1", "the joins cannot be written again"),
        ("select cid, count(*) n from silver.o group by cid", "key names id, which the query does not return"),
        (
            "select count(*) id, cid from silver.o group by cid",
            "key names id, but an aggregate computes it",
        ),
        (
            "select id, rank() over (partition by cid order by day) n from silver.o",
            "key names id, but it is not in PARTITION BY of RANK()",
        ),
        (
            f"select x.id from silver.p left join (select c.id from {O_C} where c.id is null) x on x.id = p.id",
            "whose rows a filter or aggregate inside decides",
        ),
    ],
)
def test_a_query_is_refused_with_the_reason(sql, reason):
    assert reason in refuse(sql)


def test_all_mistakes_come_at_once():
    message = refuse("select day, rand() r from silver.o limit 3", key=[], full_above=7)
    assert "rand gives other values" in message
    assert "key is missing" in message
    assert "full_above is 7; expected a share above 0 and up to 1, or 'never'" in message
    message = refuse("select day from silver.o limit 3", key=["id"], spine="nobody")
    assert "LIMIT takes rows" in message
    assert "key names id, which the query does not return; it returns day" in message


def test_a_spine_is_an_input_that_each_row_has_a_row_of():
    assert "spine names nobody, which is no input of the query; its inputs are o, c" in refuse(
        f"select o.id from {O_C}", spine="nobody"
    )
    assert "spine is c, but not each row of the query has a row of it; expected one of o" in refuse(
        f"select o.id from {O_C}", spine="c"
    )


def test_an_input_needs_a_key():
    inputs = (*INPUTS[:3], Input("x", "silver.x", (), {"id": "int"}, 9))
    assert "the input x has no key; set unique_key" in refuse("select id from silver.x", inputs)
    inputs = (Input("x", "silver.x", ("nr",), {"id": "int"}, 9),)
    assert "the input x has no column nr" in refuse("select id from silver.x", inputs)


def test_keys_sql_returns_the_keys_of_all_inputs():
    message = refuse(f"select o.id from {O_C}", keys_sql="select o.id, o.id as o__id from o", spine="o")
    assert "keys_sql lacks c__id; expected the key, and the key of each input as <input>__<column>" in message
    message = refuse(f"select o.id from {O_C}", keys_sql="select o.id, o.id as o__id from o limit 3")
    assert "keys_sql: LIMIT takes rows" in message


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) n, 1 as id from silver.o",
        "select id, amt / (select sum(amt) from silver.o) share from silver.o",
        "select id from silver.o where exists (select 1 from silver.c)",
    ],
)
def test_a_total_over_all_rows_is_computed_in_full_and_said_so(sql):
    model = read_gold_model("sales", sql, {"key": ["id"]}, INPUTS)
    assert model.query.totals[0].startswith("a total over all rows")


def test_a_query_is_the_same_for_other_spaces_comments_and_letter_case():
    def digest(sql, **config):
        return read_gold_model("sales", sql, {"key": ["id"], **config}, INPUTS).digest

    plain = digest("select id, amt from silver.o where amt > 1")
    assert (
        digest("SELECT Id,\n  amt -- the amount\nFROM silver.O WHERE (amt > 1)".replace("(amt > 1)", "amt > 1"))
        == plain
    )
    assert digest("select id, amt from silver.o where amt > 2") != plain
    assert digest("select id, amt from silver.o where amt > 1", spine="o") != plain


def test_the_text_of_the_query_stays_as_the_user_wrote_it():
    sql = "select o.id, 'silver.o' t\nfrom silver.o -- silver.o\nleft join `silver`.`c` as k on k.id = o.cid;"
    model = read_gold_model("sales", sql, {"key": ["id"]}, INPUTS)
    assert model.write_query(sql) == (
        "select o.id, 'silver.o' t\nfrom _cdc_in2 as `o` -- silver.o\nleft join _cdc_in1 as k on k.id = o.cid"
    )


ROWS = "select o.id, o.day, o.amt, c.seg from silver.o left join silver.c on o.cid = c.id"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1 = 1", "it names no column; expected one of id, day, amt, seg"),
        ("nothing > 1", "it names nothing, which the query does not return; it returns id, day, amt, seg"),
        ("day + 1", "it is int; expected a condition, which is true or false"),
        ("day in (select day from silver.o)", "a subquery is not read"),
        ("day < rand()", "rand gives other values each time"),
        ("day < current_date", "current_date changes without a change of an input; write {{ gold_today() }}"),
        ("day < max(day)", "it has an aggregate or a window"),
        ("day <", "is no condition of SQL"),
        ("day < 3 group by day", "is no condition of SQL"),
    ],
)
@pytest.mark.parametrize("label", ["freeze", "clock"])
def test_a_condition_is_refused_with_the_reason(label, text, reason):
    message = refuse(f"{ROWS} where o.day < date '2026-01-01' /* gold_today */", **{label: text})
    assert f"- {label}" in message
    assert reason in message


def test_lookups_decide_neither_what_is_frozen_nor_its_key():
    message = refuse(ROWS, freeze="seg = 'x'")
    assert "freeze: freeze names seg, which is not of the spine o alone" in message
    message = refuse(f"select c.seg, o.day, count(*) n from {O_C} group by 1, 2", key=["seg", "day"], freeze="day < 3")
    assert "freeze: the key names seg, which is not of the spine o alone" in message
    message = refuse("select id, day, rank() over (partition by id order by amt) n from silver.o", freeze="day < 3")
    assert "freeze: freeze names day" in message


def test_conditions_that_say_nothing_are_refused():
    assert "freeze is 3; expected a condition of SQL" in refuse(ROWS, freeze=3)
    assert "clock is stated, but the query does not name {{ gold_today() }}" in refuse(ROWS, clock="day = 1")
    message = refuse("select 1 as id, count(*) n from silver.o", freeze="id = 1")
    assert "freeze names rows, but the model is a total over all rows" in message
    keys = "select o.id, o.id as o__id, c.id as c__id from o left join c on o.cid = c.id"
    assert "freeze beside keys_sql" in refuse(ROWS, keys_sql=keys, spine="o", freeze="day < 3")


def test_clock_names_columns_of_the_joins_that_are_the_same_each_day():
    today = hide_day("{{ gold_today() }}")
    sql = f"select o.id, o.day < {today} as late, count(*) n from silver.o group by 1, 2"
    assert "clock names late, which depends on gold_today() itself" in refuse(sql, clock="late")
    assert "clock names n, but an aggregate computes it" in refuse(sql, clock="n = 1")


def test_the_day_is_no_part_of_a_query():
    def digest(day, **config):
        sql = f"select id, amt from silver.o where day < date '{day}' /* gold_today */ or day = date '2026-01-02'"
        return read_gold_model("sales", hide_day(sql), {"key": ["id"], **config}, INPUTS).digest

    assert digest("2026-01-02") == digest("2026-01-03")
    assert digest("2026-01-02") != digest("2026-01-02", clock="id = 3")


@pytest.mark.parametrize("text", ["date 'today'", "timestamp 'now'", "cast('now' as timestamp)", "to_date(' Today ')"])
def test_texts_that_are_the_clock_are_refused(text):
    assert "as a time changes without a change of an input" in refuse(f"select id from silver.o where day < {text}")
    assert read_gold_model("sales", "select id, 'today' t from silver.o", {"key": ["id"]}, INPUTS)
