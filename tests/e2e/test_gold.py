"""Gold follows silver: random changes of all inputs, and after each refresh the same rows as the plain query gives."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import sqlite3
from decimal import Decimal

import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

from python_udfs.sample_data.dms_writer import Column
from tests.e2e.stories import Story, change
from tests.gold_shapes import COLUMNS, SHAPES, list_rows, start
from tests.gold_shapes import change as change_rows

SOURCES = ("c", "o", "l", "p", "r")
TYPES = {"int": pa.int32(), "string": pa.string()}
STEPS = int(os.environ.get("GOLD_STEPS") or 4)
SEED = int(os.environ.get("SEED") or 7)
# A history of prices is no DMS table of its own here: its shape is proven without Spark.
MODELS = {name: shape for name, shape in SHAPES.items() if "silver.h" not in shape.sql and "qualify" not in name}
if not os.environ.get("GOLD_SHAPES"):
    MODELS = {
        name: MODELS[name]
        for name in (
            "rows of four joins",
            "an entity with two aggregates of children",
            "a full join",
            "a union that is grouped",
        )
    }


def name_of(shape: str) -> str:
    return "gold_" + shape.replace(" ", "_")


def write_model(lakehouse, name: str, sql: str, **config) -> None:
    tree = sqlglot.parse_one(sql, dialect="spark")
    for table in tree.find_all(exp.Table):
        if table.db and not table.alias:
            table.replace(exp.alias_(table.copy(), table.name, table=True))
    sql = re.sub(r"silver\.(\w)\b", r"{{ ref('silver_s__\1') }}", tree.sql(dialect="spark"))
    settings = ", ".join(f"{key}={value!r}" for key, value in config.items())
    path = lakehouse.project / "models" / "gold" / f"{name}.sql"
    path.write_text("{{ config(" + settings + ") }}\n" + sql + "\n")


class Source:
    """The source database: its rows, and the files that its changes become."""

    def __init__(self, lakehouse) -> None:
        self.stories = {
            name: Story(
                lakehouse.raw / "files",
                name,
                tuple(Column(column, TYPES[kind]) for column, kind in COLUMNS[name].items()),
                before_image_prefix="BI_",
            )
            for name in SOURCES
        }
        self.rows = start()
        self.minutes = 0

    def load(self) -> None:
        for name, story in self.stories.items():
            story.load(self.minutes, *self._rows(name))

    def change(self, chance: random.Random) -> None:
        self.minutes += 1
        before = copy.deepcopy(self.rows)
        change_rows(chance, self.rows, "ccooolllppr")
        for name, story in self.stories.items():
            statements = list(self._statements(name, before[name], self.rows[name]))
            if statements:
                story.changes(self.minutes, *statements)

    def _rows(self, name):
        return [dict(zip(COLUMNS[name], row, strict=True)) for row in list_rows(name, self.rows[name])]

    def _statements(self, name, before, after):
        columns = list(COLUMNS[name])
        image = lambda key, rows: dict(zip(columns, (key, *rows[key][0]), strict=True))  # noqa: E731
        gone, new = [key for key in before if key not in after], [key for key in after if key not in before]
        for key in list(new):
            old = next((key_before for key_before in gone if before[key_before] == after[key]), None)
            if old is not None:
                yield change_of_key(self.minutes, image(key, after), old)
                gone.remove(old)
                new.remove(key)
        for key in gone:
            yield change("D", self.minutes, **image(key, before))
        for key in new:
            yield change("I", self.minutes, **image(key, after))
        for key in after:
            if key in before and before[key] != after[key]:
                yield change("U", self.minutes, **image(key, after))

    def query(self, sql: str) -> list[tuple]:
        """The rows of a query of the source itself."""
        database = sqlite3.connect(":memory:")
        for name in SOURCES:
            database.execute(f"create table {name} ({', '.join(COLUMNS[name])})")
            for row in list_rows(name, self.rows[name]):
                database.execute(f"insert into {name} values ({', '.join('?' * len(row))})", row)
        plain = sql.replace("silver.", "").replace("left semi join", "semi join")
        return sorted(map(tuple, database.execute(plain).fetchall()), key=repr)


def change_of_key(minutes, image, old):
    statement = change("U", minutes, **image)
    return type(statement)("U", statement.row, statement.committed_at, before={"id": old})


def plain(row):
    return tuple(float(value) if isinstance(value, Decimal) else value for value in row)


def rows_of(lakehouse, name):
    return sorted((plain(row) for row in lakehouse.sql(f"select * from gold.{name}")), key=repr)


def commit_of(lakehouse, name):
    rows = lakehouse.sql(f"select summary from gold.{name}.snapshots order by committed_at desc, snapshot_id limit 1")
    return dict(rows[0].summary)


@pytest.fixture(scope="module")
def gold(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("files", "parquet", "timestamp_column=ts;before_image_prefix=BI_")
    for name in SOURCES:
        lakehouse.add_table("files", name)
    lakehouse.make_models()
    for name, shape in MODELS.items():
        write_model(
            lakehouse,
            name_of(name),
            shape.sql,
            key=list(shape.key),
            full_above="never",
            spine=[f"silver_s__{spine}" for spine in shape.spine],
        )
    source = Source(lakehouse)
    chance = random.Random(SEED)
    for _ in range(12):
        change_rows(chance, source.rows, "ccooolllppr")
    source.load()
    seen = []
    lakehouse.dbt("seed")
    for step in range(STEPS):
        if step:
            source.change(chance)
        statuses = lakehouse.statuses("run")
        messages = "\n".join(lakehouse.messages)
        seen.append(
            {
                "statuses": statuses,
                "messages": messages,
                "rows": {
                    name: rows_of(lakehouse, name_of(name))
                    for name in MODELS
                    if statuses.get(name_of(name)) == "success"
                },
                "expected": {name: source.query(shape.sql) for name, shape in MODELS.items()},
                "commits": {
                    name: commit_of(lakehouse, name_of(name))
                    for name in MODELS
                    if statuses.get(name_of(name)) == "success"
                },
            }
        )
    return seen


@pytest.mark.parametrize("name", MODELS)
def test_gold_equals_the_query_after_each_refresh(gold, name):
    for step, seen in enumerate(gold):
        assert seen["statuses"][name_of(name)] == "success", seen["messages"]
        assert seen["rows"][name] == seen["expected"][name], f"step {step}: {seen['commits'][name]}"
        assert seen["commits"][name]["cdc.gold-mode"] == ("affected" if step else "create")
    assert json.loads(gold[-1]["commits"][name]["refresh-state"])["source-states"]
