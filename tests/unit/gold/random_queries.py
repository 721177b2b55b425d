"""Random queries of the kinds that gold reads, over the inputs of tests.gold_shapes."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.gold_shapes import Shape

_INTEGERS = {
    "c": ("id", "boss"),
    "o": ("id", "cid", "day", "amt"),
    "l": ("id", "oid", "pid", "qty"),
    "p": ("id",),
    "r": ("id", "oid", "amt"),
    # Several rows have one key. The number of a row, `hid`, is no value of it.
    "h": ("pid", "vf", "vt", "price"),
}
_TEXTS = {"c": ("seg",), "p": ("cat",)}
_JOINS = ("left join", "left join", "left join", "join", "join", "left semi join", "left anti join")


@dataclass
class _Relation:
    """SQL that stands in FROM, and the names of its columns."""

    sql: str
    integers: list[str]
    texts: list[str] = field(default_factory=list)


@dataclass
class _Writer:
    chance: random.Random
    aliases: int = 0

    def name(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    def pick(self, items):
        return self.chance.choice(list(items))

    def relation(self, depth: int) -> _Relation:
        kind = self.chance.random()
        if depth == 0 or kind < 0.65:
            table = self.pick(_INTEGERS)
            return _Relation(f"silver.{table}", list(_INTEGERS[table]), list(_TEXTS.get(table, ())))
        if kind < 0.7:
            parts = [self.select(depth - 1, ["a", "b"]) for _ in range(2)]
            return _Relation(f"({parts[0]} {self.pick(['union all', 'union'])} {parts[1]})", ["a", "b"])
        if kind < 0.85:
            return _Relation(f"({self.grouped(depth - 1)})", ["a", "a", "a", "n"])
        if kind < 0.92:
            return _Relation(f"({self.windowed(depth - 1)})", ["a", "a", "a", "rn"])
        return _Relation(f"({self.select(depth - 1, ['a', 'b'])})", ["a", "b"])

    def from_clause(self, depth: int) -> tuple[str, list[str], list[str]]:
        """The clause, and all integers and texts that can be named behind it."""
        first, alias = self.relation(depth), self.name()
        sql = f"from {first.sql} as {alias}"
        integers = [f"{alias}.{name}" for name in first.integers]
        texts = [f"{alias}.{name}" for name in first.texts]
        for _ in range(self.chance.choice([0, 1, 1, 2, 2, 3])):
            other, alias, join = self.relation(depth), self.name(), self.pick(_JOINS)
            own = [f"{alias}.{name}" for name in other.integers]
            on = f"{self.pick(own)} {self.pick(['=', '=', '=', '<=>'])} {self.pick(integers)}"
            if self.chance.random() < 0.3:
                on += f" and {self.condition([*own, *integers])}"
            if self.chance.random() < 0.1:
                on += f" and {self.pick(own)} <= {self.pick(integers)}"
            sql += f" {join} {other.sql} as {alias} on {on}"
            if "semi" not in join and "anti" not in join:
                integers += own
                texts += [f"{alias}.{name}" for name in other.texts]
        return sql, integers, texts

    def condition(self, columns) -> str:
        column = self.pick(columns)
        return self.pick(
            [
                f"{column} > 1",
                f"{column} is null",
                f"coalesce({column}, 0) < 2",
                f"{column} is not null",
                f"{column} <> 2",
            ]
        )

    def where(self, integers) -> str:
        conditions = [self.condition(integers) for _ in range(self.chance.choice([0, 0, 1, 2]))]
        if self.chance.random() < 0.2:
            alias, no = self.name(), self.pick(["", "not "])
            matches = f"{alias}.cid = {self.pick(integers)} and {alias}.amt > 0"
            conditions.append(f"{no}exists (select 1 from silver.o as {alias} where {matches})")
        if self.chance.random() < 0.1:
            conditions.append(f"{self.pick(integers)} in (select oid from silver.r where amt > 1)")
        return f" where {' and '.join(conditions)}" if conditions else ""

    def select(self, depth: int, names) -> str:
        clause, integers, _ = self.from_clause(depth)
        columns = ", ".join(f"{self.expression(integers)} as {name}" for name in names)
        distinct = "distinct " if self.chance.random() < 0.15 else ""
        return f"select {distinct}{columns} {clause}{self.where(integers)}"

    def expression(self, integers) -> str:
        column = self.pick(integers)
        return self.pick([column, column, column, f"coalesce({column}, {self.pick(integers)})", f"{column} % 2"])

    def grouped(self, depth: int) -> str:
        clause, integers, _ = self.from_clause(depth)
        group = self.pick(integers)
        having = " having count(*) > 1" if self.chance.random() < 0.3 else ""
        return f"select {group} as a, count(*) as n {clause}{self.where(integers)} group by {group}{having}"

    def windowed(self, depth: int) -> str:
        clause, integers, _ = self.from_clause(depth)
        part, order = self.pick(integers), self.pick(integers)
        rank = f"rank() over (partition by {part} order by {order})"
        return f"select {part} as a, {rank} as rn {clause}{self.where(integers)}"


def make_query(seed: int) -> Shape:
    """Makes a query and a key of it; it may be one that has to be refused."""
    writer = _Writer(random.Random(seed))
    chance = writer.chance
    if chance.random() < 0.12:
        names = ["a", "b"]
        return Shape(f"{writer.select(1, names)} union all {writer.select(1, names)}", (writer.pick(names),))
    clause, integers, texts = writer.from_clause(2)
    where = writer.where(integers)
    keys = [writer.pick([*integers, *texts]) if chance.random() < 0.5 else writer.expression(integers) for _ in "ab"]
    others = [writer.pick(integers) for _ in "xy"]
    kind = chance.random()
    if kind < 0.35:
        sql = f"select {keys[0]} as a, {keys[1]} as b, {others[0]} as x {clause}{where}"
    elif kind < 0.8:
        having = " having count(*) > 1" if chance.random() < 0.2 else ""
        sql = (
            f"select {keys[0]} as a, {keys[1]} as b, count(*) as n, sum({others[0]}) as s, max({others[1]}) as m,"
            f" count(distinct {others[0]}) as d {clause}{where} group by {keys[0]}, {keys[1]}{having}"
        )
    else:
        sql = (
            f"select {keys[0]} as a, {keys[1]} as b, rank() over (partition by {keys[0]} order by {others[0]}) as n,"
            f" sum({others[1]}) over (partition by {keys[0]}, {keys[1]}) as s {clause}{where}"
        )
    return Shape(sql, writer.pick([("a",), ("b",), ("a", "b")]))
