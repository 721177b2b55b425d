"""The rule of gold beside plain recomputation, on random histories of small tables; SQLite runs what the macros write.

`make prove` takes GOLD_HISTORIES=300 histories instead of a few.
"""

from __future__ import annotations

import os
import random
import re
from dataclasses import replace

import pytest
from tables import Table, play

from python_udfs.gold import model as gold_model
from python_udfs.gold import read
from python_udfs.gold.blocks import AFTER, BEFORE
from python_udfs.gold.model import Branch, Route, read_gold_model
from tests.gold_shapes import INPUTS, SHAPES, WRONG_KEYS, Shape, change, start
from tests.proof import IS_PROOF

HISTORIES = int(os.environ.get("GOLD_HISTORIES") or (300 if IS_PROOF else 6))
SEED = int(os.environ.get("SEED") or 0)
WARM_UP = 15


def count_wrong(tables: list[Table], histories: int = HISTORIES) -> int:
    """After how many refreshes a table differs from its recomputation."""
    wrong = 0
    for seed in range(SEED, SEED + histories):
        chance, state = random.Random(seed), start()
        # Half of the histories begin with tables of some rows, so that an affected key stands beside others.
        for _ in range(WARM_UP * (seed % 2)):
            change(chance, state)
        for database, step, changed in play(chance, state):
            for table in tables:
                if step:
                    table.refresh(database, changed)
                expected = table.recompute(database)
                wrong += bool(step) and sorted(table.rows, key=repr) != expected
                table.rows = expected
    return wrong


@pytest.mark.parametrize("name", SHAPES)
def test_a_refresh_equals_the_recomputation(name):
    assert count_wrong([Table(SHAPES[name])]) == 0


def read_model(name: str):
    shape = SHAPES[name]
    return read_gold_model(name, shape.sql, shape.config, INPUTS)


def straight_from_changes(shape: Shape):
    """The keys of the changed rows themselves, without those of the spine in between."""
    model = read_gold_model("gold", shape.sql, shape.config, INPUTS)
    key, branches = model.settings.key, []
    for block in (block for part in model.query.blocks for block in part.split_unions()):
        for leaf in block.leaves:
            texts = tuple(gold_model._write(block, state, key, (leaf,)) for state in (BEFORE, AFTER))
            branches.append(Branch(len(branches) + 1, leaf, (Route(leaf, ()),), {}, texts))
    return replace(model, branches=tuple(branches))


def only_as_it_is_now(shape: Shape):
    model = read_gold_model("gold", shape.sql, shape.config, INPUTS)
    branches = [
        replace(
            branch,
            routes=tuple(replace(route, texts=route.texts[-1:]) for route in branch.routes),
            texts=branch.texts[-1:],
        )
        for branch in model.branches
    ]
    return replace(model, branches=tuple(branches))


def without_a_route(shape: Shape):
    model = read_gold_model("gold", shape.sql, shape.config, INPUTS)
    branches = []
    for branch in model.branches:
        texts = tuple(f"select * from ({text}) as none where 1 = 0" for text in branch.routes[-1].texts)
        branches.append(replace(branch, routes=(*branch.routes[:-1], replace(branch.routes[-1], texts=texts))))
    return replace(model, branches=tuple(branches))


# Each wrong rule, and a shape that shows it.
MODEL_FAULTS = {
    "keys straight from changed rows": (straight_from_changes, "groups by a column of the optional side"),
    "the state before is not read": (only_as_it_is_now, "groups over three joins"),
    "an input has no route": (without_a_route, "an entity with two aggregates of children"),
}


@pytest.mark.parametrize("fault", MODEL_FAULTS)
def test_a_wrong_rule_is_noticed(fault):
    change_model, name = MODEL_FAULTS[fault]
    assert count_wrong([Table(SHAPES[name], model=change_model(SHAPES[name]))], 20) > 0


def equal_only(sql: str) -> str:
    return sql.replace("<=>", "=")


def one_input_before_and_the_others_after(sql: str) -> str:
    return re.sub(r"_cdc_a1\b(?! as \()", "_cdc_b1", sql)


@pytest.mark.parametrize("fault", [equal_only, one_input_before_and_the_others_after])
def test_a_wrong_statement_is_noticed(fault):
    assert count_wrong([Table(SHAPES["groups by a column of the optional side"], fault)], 20) > 0


def test_a_condition_on_an_optional_side_that_hides_its_changes_is_noticed(monkeypatch):
    monkeypatch.setattr(read._Reader, "_choose_filters", lambda self, block, where: list(where))
    assert count_wrong([Table(SHAPES["rows without a child"])], 20) > 0


def test_wrong_keys_of_the_user_are_noticed():
    assert count_wrong([Table(WRONG_KEYS)], 20) > 0


def test_few_rows_are_computed():
    """Not all of them each time: then nothing would be gained, and no fault could be seen."""
    computed = rows = 0
    for seed in range(20):
        chance, state, table = random.Random(seed), start(), Table(SHAPES["windows"])
        for database, step, changed in play(chance, state):
            if step:
                new, every = table.refresh(database, changed)
                computed, rows = computed + new, rows + every
            table.rows = table.recompute(database)
    assert 0 < computed < 0.7 * rows


@pytest.mark.parametrize(
    ("name", "needs"), [("rows of four joins", False), ("a self join", False), ("groups over three joins", True)]
)
def test_rows_of_the_spine_need_no_state_before(name, needs):
    assert read_model(name).needs_past is needs
