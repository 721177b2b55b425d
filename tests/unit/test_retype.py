"""Which types change_types gives to the columns of a table: never one that loses a value."""

from __future__ import annotations

import pytest

from python_udfs.retype.decide import QUARANTINE, SEED, TypeChange, TypeDecision, decide_types


def decide(old: str, listed: str | None = None, *received: str | None) -> TypeDecision:
    rows = [{"name": "A", "type": data_type} for data_type in received]
    return decide_types([{"name": "a", "type": old}], {"a": listed} if listed else {}, rows)


@pytest.mark.parametrize(
    ("old", "received", "new"),
    [
        ("decimal(12,2)", ["decimal(14,4)"], "decimal(14,4)"),
        ("decimal(12,2)", ["decimal(9,4)"], "decimal(14,4)"),
        ("decimal(12,2)", ["decimal(12,3)", "decimal(16,2)"], "decimal(17,3)"),
        ("int", ["string"], "string"),
        ("int", ["bigint"], "bigint"),
        ("int", ["double"], "double"),
        ("bigint", ["double"], "string"),
        ("decimal(38,0)", ["decimal(38,10)"], "string"),
        ("date", ["timestamp"], "timestamp"),
        ("timestamp", ["date"], None),
        ("bigint", ["int"], None),
        ("string", ["int"], None),
    ],
)
def test_quarantined_rows_ask_for_the_narrowest_type_that_holds_all(old, received, new):
    decided = decide(old, None, *received)
    assert decided.problems == decided.left == ()
    assert [(change.type, change.origin) for change in decided.changes] == ([(new, QUARANTINE)] if new else [])


@pytest.mark.parametrize(
    ("old", "listed", "new", "is_in_place", "is_judged"),
    [
        ("int", "bigint", "bigint", True, False),
        ("float", "double", "double", True, False),
        ("decimal(12,2)", "decimal(14,2)", "decimal(14,2)", True, False),
        ("decimal(12,2)", "decimal(14,4)", "decimal(14,4)", False, False),
        ("int", "decimal(12,2)", "decimal(12,2)", False, False),
        ("int", "string", "string", False, False),
        ("date", "timestamp_ntz", "timestamp_ntz", False, False),
        # Whether these keep all values, only the values show.
        ("string", "int", "int", False, True),
        ("decimal(12,2)", "decimal(12,4)", "decimal(12,4)", False, True),
        ("bigint", "double", "double", False, True),
        ("bigint", "decimal(18,0)", "decimal(18,0)", False, True),
        ("timestamp", "date", "date", False, True),
        # A type that holds what the seed asks for stays.
        ("bigint", "int", None, None, None),
        ("decimal(14,4)", "decimal(12,2)", None, None, None),
        ("double", "int", None, None, None),
        ("int", "int", None, None, None),
    ],
)
def test_the_seed_decides_where_it_states_a_type(old, listed, new, is_in_place, is_judged):
    decided = decide(old, listed, "string", None)
    assert decided.problems == ()
    change = TypeChange("a", new or "", old, "promote", origin=SEED, is_in_place=is_in_place, is_judged=is_judged)
    assert decided.changes == ((change,) if new else ())


@pytest.mark.parametrize(
    ("old", "listed"),
    [
        ("double", "decimal(12,2)"),
        ("decimal(12,2)", "double"),
        ("binary", "string"),
        ("string", "binary"),
        ("boolean", "int"),
        ("timestamp", "bigint"),
        ("array<int>", "string"),
    ],
)
def test_a_type_that_no_cast_reaches_without_loss_is_refused(old, listed):
    problem = (
        f"a is {old} in bronze and {listed} in {SEED}: no cast keeps each value; state a type that holds both as"
        f" data_type of a in {SEED} and run make models"
    )
    assert decide(old, listed) == TypeDecision(problems=(problem,))


def test_a_quarantined_row_that_no_type_holds_stays_and_stops_no_other_column():
    columns = [{"name": "a", "type": "binary"}, {"name": "b", "type": "int"}]
    received = [{"name": "a", "type": "string"}, {"name": "b", "type": "bigint"}]
    decided = decide_types(columns, {}, received)
    assert [change.name for change in decided.changes] == ["b"]
    assert decided.problems == ()
    [sentence] = decided.left
    assert sentence == (
        "a is binary in bronze and string in rows in quarantine: no type holds both; deliver the rows again in another"
        " type"
    )


def test_rows_that_do_not_record_their_type_are_never_guessed():
    decided = decide("decimal(12,2)", None, "decimal(14,4)", None)
    assert decided.changes == decided.problems == ()
    [sentence] = decided.left
    assert sentence == (
        "a is decimal(12,2) in bronze, and rows that an older version has quarantined do not record their type: fill in"
        " data_type of a in seeds/cdc_columns.csv and run make models"
    )
