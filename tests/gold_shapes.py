"""Queries of all shapes, as a user writes them, and random histories of their inputs.

Letters name the inputs: customers, orders, lines, products, a history of prices, returns.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from python_udfs.gold.blocks import Input

COLUMNS = {
    "c": {"id": "int", "seg": "string", "boss": "int"},
    "o": {"id": "int", "cid": "int", "day": "int", "amt": "int"},
    "l": {"id": "int", "oid": "int", "pid": "int", "qty": "int"},
    "p": {"id": "int", "cat": "string"},
    "h": {"hid": "int", "pid": "int", "vf": "int", "vt": "int", "price": "int"},
    "r": {"id": "int", "oid": "int", "amt": "int"},
}
KEYS = {"c": "id", "o": "id", "l": "id", "p": "id", "h": "pid", "r": "id"}
INPUTS = tuple(
    Input(name, f"silver.{name}", (KEYS[name],), columns, number)
    for number, (name, columns) in enumerate(COLUMNS.items(), 1)
)


@dataclass(frozen=True)
class Shape:
    """A model: its query, and the `config()` of it."""

    sql: str
    key: tuple[str, ...]
    spine: tuple[str, ...] = ()
    keys_sql: str = ""
    others: dict[str, Any] = field(default_factory=dict)

    @property
    def config(self) -> dict[str, Any]:
        return {"key": self.key, "spine": self.spine, "keys_sql": self.keys_sql, **self.others}


_LINES = "silver.l join silver.o on l.oid = o.id"
SHAPES = {
    "rows of four joins": Shape(
        f"""select l.id as lid, l.qty, o.day, c.seg, p.cat
        from {_LINES} left join silver.c on o.cid = c.id left join silver.p on l.pid = p.id""",
        ("lid",), ("l",),
    ),
    "groups over three joins": Shape(
        f"""select o.day, p.cat, count(*) n, sum(l.qty) s, min(l.qty) mi, max(l.qty) ma, count(distinct o.cid) d
        from {_LINES} left join silver.p on l.pid = p.id group by 1, 2""",
        ("day", "cat"), ("l",),
    ),
    "an entity with two aggregates of children": Shape(
        """with x as (select cid, count(*) n, sum(amt) s from silver.o group by cid),
        y as (
            select o.cid, avg(t.s) m
            from silver.o join (select oid, sum(qty) s from silver.l group by oid) t on t.oid = o.id
            group by o.cid
        )
        select c.id as cid, c.seg, x.n, x.s, y.m
        from silver.c left join x on x.cid = c.id left join y on y.cid = c.id""",
        ("cid",), ("c",),
    ),
    "windows": Shape(
        """select cid, id, day, amt, row_number() over (partition by cid order by day, id) rn,
        sum(amt) over (partition by cid order by day, id) run from silver.o""",
        ("cid",), ("o",),
    ),
    "the latest of a group": Shape(
        """select seg, id, amt from (
            select c.seg, o.id, o.amt, row_number() over (partition by c.seg order by o.day desc, o.id desc) rn
            from silver.o join silver.c on o.cid = c.id
        ) as ranked where rn = 1""",
        ("seg",), ("o",),
    ),
    "qualify": Shape(
        """select c.seg, o.id, o.amt from silver.o left join silver.c on o.cid = c.id
        qualify row_number() over (partition by c.seg order by o.day desc, o.id desc) = 1""",
        ("seg",), ("o",),
    ),
    "an as-of join with a history": Shape(
        f"""select l.id as lid, l.qty, h.price
        from {_LINES} left join silver.h on h.pid = l.pid and o.day >= h.vf and (h.vt is null or o.day < h.vt)""",
        ("lid",), ("l",),
    ),
    "a full join": Shape(
        """select coalesce(a.oid, b.oid) k, a.s, b.t
        from (select oid, sum(qty) s from silver.l group by oid) a
        full outer join (select oid, sum(amt) t from silver.r group by oid) b on a.oid = b.oid""",
        ("k",), ("l", "r"),
    ),
    "a union that is grouped": Shape(
        """select d, sum(a) s, count(*) n from (
            select day d, amt a from silver.o
            union all
            select o.day, -r.amt from silver.r left join silver.o on r.oid = o.id
        ) as both_sides group by d""",
        ("d",), ("o", "r"),
    ),
    "not exists": Shape(
        """select c.id as cid, c.seg from silver.c
        where not exists (select 1 from silver.o where o.cid = c.id and o.amt > 1)""",
        ("cid",), ("c",),
    ),
    "groups by a column of the optional side": Shape(
        """select o.day, count(*) n, count(c.seg) m, sum(o.amt) s
        from silver.c left join silver.o on o.cid = c.id group by 1""",
        ("day",), ("c",),
    ),
    "a pivot with a filter": Shape(
        f"""select o.cid, sum(case when p.cat = 'a' then l.qty end) a, sum(case when p.cat = 'b' then l.qty end) b
        from {_LINES} join silver.p on l.pid = p.id where o.amt > 0 group by 1""",
        ("cid",), ("l",),
    ),
    "a self join": Shape(
        "select c.id as cid, c.seg, b.seg bseg from silver.c left join silver.c b on c.boss = b.id",
        ("cid",), ("c",),
    ),
    "having over two levels": Shape(
        """select seg, count(*) n from (
            select o.cid, c.seg, sum(o.amt) s from silver.o left join silver.c on o.cid = c.id
            group by 1, 2 having sum(o.amt) > 1
        ) as large group by seg""",
        ("seg",), ("o",),
    ),
    "groups by a lookup behind a lookup": Shape(
        """select c.seg, count(*) n, sum(l.qty) s
        from silver.l left join silver.o on l.oid = o.id left join silver.c on o.cid = c.id group by c.seg""",
        ("seg",), ("l",),
    ),
    "groups by a self join": Shape(
        """select b.seg, count(*) n, max(c.id) m
        from silver.c left join silver.c b on c.boss = b.id group by b.seg""",
        ("seg",), ("c",),
    ),
    "a history on the way to the key": Shape(
        """select p.cat, count(*) n, sum(l.qty) s
        from silver.l left join silver.h on h.pid = l.pid left join silver.p on p.id = h.price group by p.cat""",
        ("cat",), ("l",),
    ),
    "a spine that is a history": Shape(
        """select p.cat, count(*) n, max(h.price) m
        from silver.h left join silver.p on h.pid = p.id group by p.cat""",
        ("cat",), ("h",),
    ),
    "an optional side that has to be missing": Shape(
        """select o.day, count(*) n from silver.o left join silver.c on o.cid = c.id
        where c.id is null or c.seg = 'x' group by o.day""",
        ("day",), ("o",),
    ),
    "rows without a child": Shape(
        """select c.seg, count(*) n from silver.c left join silver.o on o.cid = c.id and o.amt > 0
        where o.id is null group by c.seg""",
        ("seg",), ("c",),
    ),
    "an inner join behind an optional side": Shape(
        """select o.id as oid, b.seg from silver.o left join silver.c on o.cid = c.id
        join silver.c b on b.id = coalesce(c.boss, 0)""",
        ("oid",), ("o",),
    ),
    "a condition on an optional side": Shape(
        """select c.seg, count(*) n from silver.o left join silver.c on o.cid = c.id and c.boss > 1 group by c.seg""",
        ("seg",), ("o",),
    ),
    "a semi and an anti join": Shape(
        """select o.day, sum(o.amt) s from silver.o
        left semi join silver.l on l.oid = o.id and l.qty > 1
        left anti join silver.r on r.oid = o.id group by o.day""",
        ("day",), ("o",),
    ),
    "an in and a scalar subquery": Shape(
        """select c.id as cid, (select max(o.day) from silver.o where o.cid = c.id) d from silver.c
        where c.boss in (select o.cid from silver.o where o.amt > 0)""",
        ("cid",), ("c",),
    ),
    "distinct": Shape(
        f"select distinct c.seg, o.day from {_LINES} left join silver.c on o.cid = c.id",
        ("seg", "day"), ("l",),
    ),
    "an expression as a key": Shape(
        """select coalesce(c.seg, 'none') g, o.day % 2 d, count(*) n
        from silver.o left join silver.c on o.cid = c.id group by coalesce(c.seg, 'none'), o.day % 2""",
        ("g", "d"), ("o",),
    ),
    "a spine that is not the first table": Shape(
        "select o.day, sum(l.qty) s from silver.o join silver.l on l.oid = o.id group by o.day",
        ("day",), ("l",),
    ),
    "many to many on an optional side": Shape(
        """select l.qty, count(*) n from silver.c left join silver.o on o.cid = c.id
        left join silver.l on l.oid = o.day and l.pid = c.boss group by l.qty""",
        ("qty",), ("c",),
    ),
    "a grouped subquery that is joined": Shape(
        """select p.cat, sum(t.s) s, count(t.pid) n from silver.p
        join (select pid, sum(qty) s from silver.l group by pid) t on t.pid = p.id group by p.cat""",
        ("cat",), ("p",),
    ),
    "keys that the user gives": Shape(
        """select c.id as cid, count(o.id) n, max(o.amt) m from silver.c left join silver.o on o.day < c.boss
        group by c.id""",
        ("cid",), ("c",),
        "select c.id as cid, c.id as c__id, o.id as o__id from c left join o on o.day < c.boss",
    ),
}  # fmt: skip

# Keys of groups by a number of rows: a row that leaves moves its neighbours, whose keys this query does not return.
WRONG_KEYS = Shape(
    """select x.n, count(*) c from (select cid, count(*) n from silver.o group by cid) x group by x.n""",
    ("n",), ("o",),
    "select x.n, o.id as o__id from o join (select cid, count(*) n from o group by cid) x on x.cid <=> o.cid",
)  # fmt: skip

_SIZES = {"c": 5, "o": 6, "l": 10, "p": 4, "r": 5}
State = dict[str, dict[int, list[tuple[Any, ...]]]]


def start() -> State:
    """Tables without rows: rows by key."""
    return {name: {} for name in COLUMNS}


def change(chance: random.Random, state: State, names: str = "ccooolllpphr") -> dict[str, set[int]]:
    """Changes tables at random: new rows, other values, deletes, other keys, rows that come back.

    Returns:
        The changed keys of each table.
    """
    changed: dict[str, set[int]] = {name: set() for name in COLUMNS}
    for _ in range(chance.randint(0, 5)):
        name = chance.choice(names)
        rows = state[name]
        if name == "h":
            key = chance.randint(0, 3)
            cuts = sorted(chance.sample(range(6), chance.randint(0, 3)))
            ends = [*cuts[1:], chance.choice([None, 6])]
            rows[key] = [(key, begin, end, chance.randint(1, 5)) for begin, end in zip(cuts, ends)]  # noqa: B905
            changed[name].add(key)
            continue
        key, kind = chance.randrange(_SIZES[name]), chance.random()
        if kind < 0.25:
            rows.pop(key, None)
        elif kind < 0.35 and rows:
            old = chance.choice(list(rows))
            rows[key] = rows.pop(old)
            changed[name].add(old)
        else:
            rows[key] = [_make_row(chance, name)]
        changed[name].add(key)
    return changed


def list_rows(name: str, rows: dict[int, list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """The rows of a table, with all columns."""
    if name == "h":
        return list(enumerate_rows(rows))
    return [(key, *row) for key, versions in rows.items() for row in versions]


def enumerate_rows(rows: dict[int, list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    return [(number, *row) for number, row in enumerate(row for versions in rows.values() for row in versions)]


def _make_row(chance: random.Random, name: str) -> tuple[Any, ...]:
    def pick(values: Any) -> Any:
        return chance.choice([None, *values])

    if name == "c":
        return pick("xyz"), pick(range(5))
    if name == "o":
        return pick(range(5)), pick(range(1, 5)), chance.randint(0, 3)
    if name == "l":
        return pick(range(6)), pick(range(4)), pick(range(1, 4))
    if name == "p":
        return (pick("ab"),)
    return pick(range(6)), chance.randint(0, 3)
