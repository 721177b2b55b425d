"""Rows that lookups leave as they are, and rows that the day moves, on random histories with days that pass.

The oracle is the plain query of each day, and a rule of its own for rows that stay. GOLD_HISTORIES=300 takes 30.
"""

from __future__ import annotations

import copy
import os
import random
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tables import AFTER, BEFORE, fill, macros, to_sqlite

from python_udfs.gold import plan as gold_plan
from python_udfs.gold.blocks import Input
from python_udfs.gold.day import bind_day, hide_day, names_day
from python_udfs.gold.inputs import Movement
from python_udfs.gold.keys import KeySet
from python_udfs.gold.model import GoldModel, read_gold_model
from python_udfs.gold.plan import GoldPlan
from python_udfs.gold.write import replace_rows
from tests.gold_shapes import INPUTS, change, start
from tests.proof import IS_PROOF

HISTORIES = int(os.environ.get("GOLD_HISTORIES") or (300 if IS_PROOF else 50)) // 10
SEED = int(os.environ.get("SEED") or 0)
STEPS = 10
# Lookups change more often than spines, whose changes melt what is frozen.
NAMES = "cccccopppr"
TODAY = "{{ gold_today() }}"


@dataclass(frozen=True)
class Frozen:
    """A model, and the rule for its rows in words of its own.

    Attributes:
        is_frozen: of a row as a dictionary, on a day.
        touched: queries of the keys of changed rows of each spine; {s} is the state, {k} its changed keys.
    """

    sql: str
    key: tuple[str, ...]
    freeze: str = ""
    clock: str = ""
    is_frozen: Callable[[dict[str, Any], int], bool | None] = lambda row, day: False
    touched: dict[str, str] = field(default_factory=dict)


def is_before_today(row: dict[str, Any], day: int) -> bool:
    return row["day"] is not None and row["day"] < day


MODELS = {
    "groups of closed days": Frozen(
        "select o.day, count(*) n, max(c.seg) m from silver.o join silver.c on o.cid = c.id group by o.day",
        ("day",), "day < gold_today()", "", is_before_today,
        {"o": "select day from o_{s} where id in {k}"},
    ),
    "rows with values of then": Frozen(
        "select o.id, o.day, c.seg from silver.o left join silver.c on o.cid = c.id",
        ("id",), f"day < {TODAY}", "", is_before_today,
        {"o": "select id from o_{s} where id in {k}"},
    ),
    "a lookup that is the spine as well": Frozen(
        "select c.id as cid, c.seg, b.seg bseg from silver.c left join silver.c b on c.boss = b.id",
        ("cid",), "seg = 'x' or seg = 'y'", "", lambda row, day: row["seg"] in ("x", "y"),
        {"c": "select id from c_{s} where id in {k}"},
    ),
    "some rows of a key": Frozen(
        "select o.cid, o.id, o.day, c.seg from silver.o left join silver.c on o.cid = c.id",
        ("cid",), "day < gold_today()", "", is_before_today,
        {"o": "select cid from o_{s} where id in {k}"},
    ),
    "a union of two spines": Frozen(
        """select d as day, count(*) n, max(m) m from (
            select o.day d, c.seg m from silver.o left join silver.c on o.cid = c.id
            union all
            select r.amt, p.cat from silver.r left join silver.p on r.oid = p.id
        ) x group by d""",
        ("day",), "day < gold_today()", "", is_before_today,
        {"o": "select day from o_{s} where id in {k}", "r": "select amt from r_{s} where id in {k}"},
    ),
    "rows that come with the day": Frozen(
        f"""select o.day, count(*) n, max(c.seg) m from silver.o left join silver.c on o.cid = c.id
        where o.day <= {TODAY} group by o.day""",
        ("day",), "", "day = gold_today()",
    ),
    "a state of each day": Frozen(
        f"""select o.id, o.day, case when o.day < {TODAY} then 'late' else 'open' end state, c.seg
        from silver.o left join silver.c on o.cid = c.id""",
        ("id",), "", "day = gold_today() - 1",
    ),
    "a key of the day": Frozen(
        f"""select o.day < {TODAY} as is_late, count(*) n, max(c.seg) m
        from silver.o join silver.c on o.cid = c.id where o.day >= {TODAY} - 2 group by o.day < {TODAY}""",
        ("is_late",),
    ),
    "final states": Frozen(
        f"""select o.id, o.day, case when o.day < {TODAY} then 'late' else 'open' end state, c.seg
        from silver.o left join silver.c on o.cid = c.id where o.day <= {TODAY} + 1""",
        ("id",), "day < gold_today()", "day = gold_today() - 1 or day = gold_today() + 1", is_before_today,
        {"o": "select id from o_{s} where id in {k}"},
    ),
}  # fmt: skip


class Lake:
    """A warehouse on SQLite, as far as plans and writes ask it."""

    def __init__(self) -> None:
        self.database = sqlite3.connect(":memory:")

    def query(self, sql: str) -> list[dict[str, Any]]:
        sql = sql.replace("gold.branch_cdc_gold_x", "gold").replace(" by name\n", "\n")
        cursor = self.database.execute(to_sqlite(sql))
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def cache_rows(self, view: str, sql: str) -> None:
        self.database.execute(f"drop table if exists {view}")
        self.database.execute(f"create temp table {view} as {to_sqlite(sql)}")

    def quote(self, name: str) -> str:
        return f"`{name}`"

    def has_few_rows(self, relation: str) -> bool:
        return True

    def run_commit(self, sql: str, properties: Any) -> None:
        self.query(sql)

    def start_branch(self, table: Any, branch: str) -> None: ...

    def publish_branch(self, table: Any, branch: str) -> bool:
        return True


class Macros:
    def __getitem__(self, name: str) -> Any:
        return getattr(macros(), name)


class Gold:
    """A gold table that follows its inputs by plans and statements of the project."""

    def __init__(self, model: Frozen) -> None:
        self.rule = model
        config = {"key": list(model.key), "freeze": model.freeze, "clock": model.clock, "full_above": "never"}
        self.sql = hide_day(model.sql)
        self.model = read_gold_model("gold", self.sql, config, INPUTS)
        self.lake = Lake()
        self.day, self.kept = 2, 0
        self.expected: list[tuple[Any, ...]] = []

    def build(self) -> None:
        self.names, rows = self.recompute(self.day)
        self.lake.database.execute(f"create table gold ({', '.join(self.names)})")
        marks = ", ".join("?" * len(self.names))
        self.lake.database.executemany(f"insert into gold values ({marks})", rows)
        self.expected = rows

    def recompute(self, day: int) -> tuple[list[str], list[tuple[Any, ...]]]:
        sql = to_sqlite(bind_day(self.sql, str(day)))
        for name in "colprh":
            sql = sql.replace(f"FROM {name} ", f"FROM {name}_b AS {name} ").replace(
                f"JOIN {name} ON", f"JOIN {name}_b AS {name} ON"
            )
        sql = sql.replace("FROM c AS", "FROM c_b AS").replace("JOIN c AS", "JOIN c_b AS")
        cursor = self.lake.database.execute(sql)
        return [column[0] for column in cursor.description], cursor.fetchall()

    def move(self, input: Input, keys: set[int]) -> Movement:
        changed_sql = f"select * from `cdc_k_{input.name}`" if keys else ""
        return Movement(
            input, input.relation, before_id=BEFORE, after_id=AFTER, has_moved=bool(keys), changed_sql=changed_sql
        )

    def refresh(self, changed: dict[str, set[int]], day: int, is_full: bool) -> None:
        settings, model = self.model.settings, self.model.bind_days(str(self.day), str(day))
        last_freeze, freeze = bind_day(settings.freeze, str(self.day)), bind_day(settings.freeze, str(day))
        movements = tuple(self.move(input, changed[input.name]) for input in model.query.inputs)
        plan = GoldPlan(
            way="",
            message="",
            model=model,
            movements=movements,
            query_sql=model.write_query(bind_day(self.sql, str(day))),
            keys=KeySet("g"),
            frozen=gold_plan._read_frozen("gold", self.model, last_freeze, freeze),
            progress={"cdc.gold-today": day},
        )
        moved = gold_plan._list_moved(settings, str(self.day), str(day), last_freeze, freeze)
        if is_full or (day != self.day and names_day(self.sql) and not settings.clock):
            plan = gold_plan._plan_full(self.lake, Macros(), plan, "gold", "test")
        else:
            plan = gold_plan._plan_affected(self.lake, Macros(), plan, "gold", moved, None)
        if plan.way == "full" and plan.frozen is None:
            self.lake.database.execute("delete from gold")
            plan = replace(plan, frozen=None)
            self.lake.query(f"insert into gold {Macros()['cdc_gold_new_rows_sql'](plan)}")
        else:
            replace_rows(self.lake, Macros(), plan, "gold", "x")
        self.kept += plan.frozen.keys if plan.frozen else 0

    def follow(self, changed: dict[str, set[int]], day: int) -> None:
        """What the table has to have: rows that stay, and those of the query that may be written."""
        touched = set()
        for name, sql in self.rule.touched.items():
            keys = f"({', '.join(map(str, changed[name]))})"
            for state in "ab":
                touched |= set(self.lake.database.execute(sql.format(s=state, k=keys)))

        def stays(row: tuple[Any, ...]) -> bool:
            values = dict(zip(self.names, row, strict=True))
            is_frozen = self.rule.is_frozen(values, self.day) and self.rule.is_frozen(values, day)
            return bool(is_frozen) and tuple(values[name] for name in self.rule.key) not in touched

        new = [row for row in self.recompute(day)[1] if not stays(row)]
        self.expected = [row for row in self.expected if stays(row)] + new

    def rows(self) -> list[tuple[Any, ...]]:
        return self.lake.database.execute("select * from gold").fetchall()


@pytest.fixture(autouse=True)
def _days_are_numbers(monkeypatch):
    def list_days(first: str, last: str) -> list[str]:
        begin, end = sorted((int(first), int(last)))
        return [str(day) for day in range(begin, end + 1)]

    monkeypatch.setattr(gold_plan, "list_days", list_days)


def count_wrong(rule: Frozen, histories: int = HISTORIES, stops: bool = False) -> SimpleNamespace:
    """After how many refreshes the table differs, and from how many of them on it differs from its plain query."""
    seen = SimpleNamespace(wrong=0, kept=0, differs=0, refreshes=0)
    for seed in range(SEED, SEED + histories):
        chance, state, gold = random.Random(seed), start(), Gold(rule)
        for _ in range(20):
            change(chance, state)
        for step in range(STEPS):
            if seen.wrong and stops:
                return seen
            before = copy.deepcopy(state)
            changed = change(chance, state, NAMES)
            fill(gold.lake.database, before, state, changed)
            if not step:
                gold.build()
                continue
            # Days pass, some at once; now and then one goes back.
            day = max(0, min(6, gold.day + chance.choice([0, 0, 1, 1, 2, 3, -1, -3])))
            gold.refresh(changed, day, chance.random() < 0.2)
            gold.follow(changed, day)
            gold.day = day
            seen.refreshes += 1
            seen.wrong += sorted(gold.rows(), key=repr) != sorted(gold.expected, key=repr)
            seen.differs += sorted(gold.expected, key=repr) != sorted(gold.recompute(day)[1], key=repr)
            gold.lake.database.execute("delete from gold")
            marks = ", ".join("?" * len(gold.names))
            gold.lake.database.executemany(f"insert into gold values ({marks})", gold.expected)
        seen.kept += gold.kept
        gold.lake.database.close()
    return seen


@pytest.mark.parametrize("name", MODELS)
def test_rows_stay_or_move_as_the_rule_says(name):
    seen = count_wrong(MODELS[name])
    assert seen.wrong == 0
    # A model whose rows stay differs from its query at times: else no fault could be seen.
    assert bool(MODELS[name].freeze) == bool(seen.kept) == bool(seen.differs)


def is_frozen_now(name: str, model: Any, last_freeze: str, freeze: str) -> Any:
    return gold_plan.Frozen(freeze) if freeze else None


def moves_by_the_new_day(settings: Any, last_day: str, day: str, last_freeze: str, freeze: str) -> list[str]:
    return [bind_day(settings.clock, day)] if settings.clock and last_day != day else []


def finds_no_spine_keys(warehouse: Any, sql: Any, plan: GoldPlan) -> GoldPlan:
    return plan


def one_day(self: GoldModel, before: str, after: str) -> GoldModel:
    return bind_days(self, "0", "0")


def without_rows_to_come(self: GoldModel, before: str, after: str) -> GoldModel:
    return replace(bind_days(self, before, after), day_texts=())


bind_days = GoldModel.bind_days
# Wrong rules, and the model that shows each.
FAULTS = {
    "rows are final a refresh too early": (gold_plan, "_read_frozen", is_frozen_now, "rows with values of then"),
    "changes of the spine are not followed": (
        gold_plan, "_find_spine_keys", finds_no_spine_keys, "rows with values of then",
    ),
    "clock is asked on the new day alone": (gold_plan, "_list_moved", moves_by_the_new_day, "a state of each day"),
    "rows frozen no longer are left": (gold_plan, "_list_moved", moves_by_the_new_day, "groups of closed days"),
    "rows that come are not looked for": (
        GoldModel, "bind_days", without_rows_to_come, "rows that come with the day",
    ),
    "the joins are read on another day": (GoldModel, "bind_days", one_day, "rows that come with the day"),
    "the key is read on another day": (GoldModel, "bind_days", one_day, "a key of the day"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_rule_is_noticed(monkeypatch, fault):
    place, name, wrong, model = FAULTS[fault]
    monkeypatch.setattr(place, name, wrong)
    assert count_wrong(MODELS[model], 20, stops=True).wrong > 0
