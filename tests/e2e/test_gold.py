"""Gold follows silver: random changes of all inputs, and after each refresh the same rows as the plain query gives.

`make prove` takes all shapes that Spark reads, and GOLD_STEPS=20 random steps more.
"""

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
from pyspark.sql import SparkSession
from sqlglot import exp

from python_udfs.sample_data.dms_writer import Column
from tests.e2e.stories import START, Story, change
from tests.e2e.test_recovery import run_and_kill
from tests.gold_shapes import COLUMNS, SHAPES, WRONG_KEYS, list_rows, start
from tests.gold_shapes import change as change_rows
from tests.proof import IS_PROOF

SOURCES = ("c", "o", "l", "p", "r")
TYPES = {"int": pa.int32(), "string": pa.string()}
# A table with soft deletes, and a history: the model's own condition leaves out rows that the source no longer has.
CURRENT_ROWS = {"r": "not _cdc_is_deleted", "p": "_cdc_valid_to is null"}
SEED = int(os.environ.get("SEED") or 7)
EXTRA_STEPS = int(os.environ.get("GOLD_STEPS") or 20) if IS_PROOF else 0
# A history of prices is no DMS table of its own here: AS_OF joins the history of products.
MODELS = {name: shape for name, shape in SHAPES.items() if "silver.h" not in shape.sql and "qualify" not in name}
if not IS_PROOF:
    MODELS = {
        name: MODELS[name]
        for name in (
            "rows of four joins",
            "an entity with two aggregates of children",
            "a full join",
        )
    }


# A line has the category that its product had three minutes after START for each day of the order.
AS_OF = f"""select l.id as lid, l.qty, p.cat
from {{{{ ref('silver_s__l') }}}} as l
join {{{{ ref('silver_s__o') }}}} as o on l.oid = o.id
left join {{{{ ref('silver_s__p') }}}} as p
    on p.id = l.pid
    and unix_seconds(p._cdc_valid_from) <= {int(START.timestamp())} + 180 * o.day
    and (p._cdc_valid_to is null or unix_seconds(p._cdc_valid_to) > {int(START.timestamp())} + 180 * o.day)"""
AS_OF_PLAIN = """select l.id as lid, l.qty, p.cat from l join o on l.oid = o.id
left join p_at as p on p.id = l.pid and p.minute = min(3 * o.day, (select max(minute) from p_at))"""


def name_of(shape: str) -> str:
    return "gold_" + shape.replace(" ", "_")


def name_models(keys_sql: str) -> str:
    """The query of keys of a shape, whose letters name inputs, by the names of the models."""
    named = re.sub(r"\b(\w)__", r"silver_s__\1__", keys_sql)
    return re.sub(r"\b(from|join) (\w)\b", r"\1 silver_s__\2 as \2", named)


def write_model(lakehouse, name: str, sql: str, **config) -> None:
    tree = sqlglot.parse_one(sql, dialect="spark")
    for table in tree.find_all(exp.Table):
        if table.db and not table.alias:
            table.replace(exp.alias_(table.copy(), table.name, table=True))
    sql = tree.sql(dialect="spark")
    for source, condition in CURRENT_ROWS.items():
        sql = sql.replace(f"silver.{source} ", f"(select * from silver.{source} where {condition}) ")
    sql = re.sub(r"silver\.(\w)\b", r"{{ ref('silver_s__\1') }}", sql)
    settings = ", ".join(f"{key}={value!r}" for key, value in config.items())
    lakehouse.add_gold(name, "{{ config(" + settings + ") }}\n" + sql + "\n")


# Seven builds (`make prove`: thirty) of all models, in one fixture.
pytestmark = pytest.mark.timeout(0 if IS_PROOF else 1800)


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
        self.appended = Story(lakehouse.raw / "files", "events", key=())
        self.rows = start()
        self.minutes = 0
        # Products at the end of each minute, for the oracle of the as-of join.
        self.products: list[tuple] = []

    def load(self) -> None:
        self._keep_products()
        self.events = 3
        self.appended.load(self.minutes, *({"id": number, "v": "load"} for number in range(self.events)))
        for name, story in self.stories.items():
            story.load(self.minutes, *self.list(name))

    def change(self, chance: random.Random) -> None:
        self.minutes += 1
        self.events += 1
        self.appended.changes(self.minutes, change("I", self.minutes, id=self.events, v=self.value(self.minutes)))
        before = copy.deepcopy(self.rows)
        change_rows(chance, self.rows, "ccooolllppr")
        for name, story in self.stories.items():
            statements = list(self._statements(name, before[name], self.rows[name]))
            if statements:
                story.changes(self.minutes, *statements)
        self._keep_products()

    def reload(self, name: str) -> None:
        self.minutes += 1
        self.stories[name].load(self.minutes, *self.list(name))
        self._keep_products()

    def _keep_products(self) -> None:
        self.products += [(self.minutes, *row) for row in list_rows("p", self.rows["p"])] or [
            (self.minutes, None, None)
        ]

    def value(self, minute: int) -> str:
        return f"step {minute // 3}"

    def list(self, name):
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
        database.execute("create table p_at (minute, id, cat)")
        database.executemany("insert into p_at values (?, ?, ?)", self.products)
        [plain] = sqlglot.transpile(sql.replace("silver.", ""), read="spark", write="sqlite")
        return sorted(map(tuple, database.execute(plain).fetchall()), key=repr)


def change_of_key(minutes, image, old):
    statement = change("U", minutes, **image)
    return type(statement)("U", statement.row, statement.committed_at, before={"id": old})


def plain(row):
    return tuple(float(value) if isinstance(value, Decimal) else value for value in row)


def rows_of(lakehouse, name):
    return sorted((plain(row) for row in lakehouse.sql(f"select * from gold.{name}")), key=repr)


def commit_of(lakehouse, name):
    [row] = lakehouse.sql(
        f"select summary from gold.{name}.snapshots join gold.{name}.refs using (snapshot_id) where name = 'main'"
    )
    return dict(row.summary)


ON_GOLD = """select seg, count(*) as n, sum(qty) as s from {{ ref('gold_rows_of_four_joins') }} group by seg"""
ON_EVENTS = """select v, count(*) as n from {{ ref('silver_s__events') }} group by v"""
YAML = "models:\n" + "".join(
    f"  - name: {name_of(name)}\n    data_tests: [gold_matches_recomputation]\n"
    for name in (*MODELS, "as_of", "on_gold")
)
STEPS = (*["changes"] * IS_PROOF, "changes", "nothing", "gold left out", "changes", "reload", "changes")
RANDOM_STEPS = ("changes",) * 4 + ("some left out",) * 3 + ("gold left out", "nothing", "reload")


class Gold:
    """A lakehouse with gold models, and what was seen after each step."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        self.source = Source(lakehouse)
        self.seen: list[dict] = []

    def run(self, step: str, left_out: tuple[str, ...] = ()) -> None:
        excluded = ("--exclude", *map(name_of, left_out)) if left_out else ()
        statuses = self.lakehouse.statuses("run", *excluded)
        messages = "\n".join(self.lakehouse.messages)
        # The data test reads the whole of each table, a step without a change, and the change that ends a reload.
        is_tested = IS_PROOF or step in ("load", "nothing") or self.seen[-1]["step"] == "reload"
        test = ("test", "--select", "test_name:gold_matches_recomputation")
        tested = self.lakehouse.statuses(*test) if is_tested else {}
        chosen = [name for name in (*MODELS, "as_of", "on_gold") if name not in left_out]
        built = [name for name in chosen if statuses.get(name_of(name)) == "success"]
        expected = {name: self.source.query(shape.sql) for name, shape in MODELS.items()}
        self.seen.append(
            {
                "step": step,
                "left_out": left_out,
                "statuses": statuses,
                "messages": messages,
                "is_tested": is_tested,
                "tested": {name: status for name, status in tested.items() if name.startswith("gold_matches")},
                "rows": {name: rows_of(self.lakehouse, name_of(name)) for name in built},
                "expected": expected | {"as_of": self.source.query(AS_OF_PLAIN)},
                "commits": {name: commit_of(self.lakehouse, name_of(name)) for name in built},
                "snapshots": {name: self.lakehouse.snapshots(f"gold.{name_of(name)}") for name in built},
            }
        )


@pytest.fixture(scope="module")
def gold(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("files", "parquet", "timestamp_column=ts;before_image_prefix=BI_")
    for name in SOURCES:
        cells = {"r": {"delete_mode": "soft"}, "p": {"mode": "history"}}.get(name, {})
        lakehouse.add_table("files", name, **cells)
    lakehouse.add_table("files", "events", primary_key="", mode="append")
    lakehouse.make_models()
    for name, shape in MODELS.items():
        write_model(
            lakehouse,
            name_of(name),
            shape.sql,
            key=list(shape.key),
            full_above="never",
            spine=[f"silver_s__{spine}" for spine in shape.spine],
            **({"keys_sql": name_models(shape.keys_sql)} if shape.keys_sql else {}),
        )
    lakehouse.add_gold("gold_as_of", "{{ config(key='lid', full_above='never') }}\n" + AS_OF + "\n")
    lakehouse.add_gold("gold_on_gold", "{{ config(key='seg', full_above='never') }}\n" + ON_GOLD + "\n")
    lakehouse.add_gold("gold_events", "{{ config(key='v') }}\n" + ON_EVENTS + "\n")
    (lakehouse.project / "models" / "gold" / "_gold.yml").write_text(YAML)
    gold = Gold(lakehouse)
    chance = random.Random(SEED)
    for _ in range(12):
        change_rows(chance, gold.source.rows, "ccooolllppr")
    gold.source.load()
    lakehouse.dbt("seed")
    gold.run("load")
    extra = (*(chance.choice(RANDOM_STEPS) for _ in range(EXTRA_STEPS)), "changes", "changes") if EXTRA_STEPS else ()
    for step in (*STEPS, *extra):
        if step == "reload":
            gold.source.reload("p")
        elif step != "nothing":
            for _ in range(3):
                gold.source.change(chance)
        if step == "gold left out":
            lakehouse.statuses("run", "--select", "etl_metadata", "bronze", "silver")
            continue
        names = (*MODELS, "as_of", "on_gold")
        gold.run(step, tuple(chance.sample(names, len(names) // 3)) if step == "some left out" else ())
    return gold


def test_gold_equals_the_query_after_each_refresh(gold):
    for seen in gold.seen:
        for name in {*MODELS, "as_of"} - {*seen["left_out"]}:
            assert seen["statuses"][name_of(name)] == "success", seen["messages"]
            assert seen["rows"][name] == seen["expected"][name], (seen["step"], name, seen["commits"][name])


def test_a_refresh_computes_the_affected_keys_alone(gold):
    steps = [seen["step"] for seen in gold.seen]
    # The change after a reload shows that it is complete.
    completes = steps.index("reload") + 1
    for at, seen in enumerate(gold.seen[: len(STEPS)]):
        modes = {name: commit["cdc.gold-mode"] for name, commit in seen["commits"].items()}
        if seen["step"] == "load":
            assert set(modes.values()) == {"create"}
        elif at == completes:
            assert modes["rows of four joins"] == "full"
            assert "silver_s__p was truncated or reloaded" in seen["commits"]["rows of four joins"]["cdc.gold-reason"]
            assert modes["on_gold"] == "affected", "it reads what differs"
        else:
            assert modes["rows of four joins"] == "affected", (seen["step"], seen["commits"])


def test_nothing_new_makes_no_snapshot(gold):
    at = next(number for number, seen in enumerate(gold.seen) if seen["step"] == "nothing")
    before, after = gold.seen[at - 1 : at + 1]
    assert after["snapshots"] == before["snapshots"]
    assert after["messages"].count("nothing: no input has moved") >= len(after["rows"])


def test_gold_on_gold_follows(gold):
    for seen in gold.seen:
        if {"rows of four joins", "on_gold"} & {*seen["left_out"]}:
            continue
        groups: dict = {}
        for row in seen["rows"]["rows of four joins"]:
            count, total = groups.get(row[3], (0, None))
            groups[row[3]] = (count + 1, total if row[1] is None else (total or 0) + row[1])
        assert sorted(((seg, *values) for seg, values in groups.items()), key=repr) == seen["rows"]["on_gold"]


def test_appended_rows_are_counted_and_no_more(gold):
    counted = gold.lakehouse.sql("select sum(n) as n from gold.gold_events")
    assert counted[0].n == gold.source.events
    commit = commit_of(gold.lakehouse, "gold_events")
    last_values = {gold.source.value(minute) for minute in range(gold.source.minutes - 2, gold.source.minutes + 1)}
    keys = commit["cdc.gold-keys"]
    assert (commit["cdc.gold-mode"], keys) == ("affected", str(len(last_values))), commit["cdc.gold-reason"]


def test_the_commit_names_what_was_read(gold):
    commit = gold.seen[-1]["commits"]["rows of four joins"]
    states = json.loads(commit["refresh-state"])["source-states"]
    assert [state["name"] for state in states] == ["s__l", "s__o", "s__c", "s__p"]
    for state in states:
        assert state["snapshot-id"] == gold.lakehouse.snapshots(f"silver.{state['name']}")[-1]


def test_the_data_test_passes_and_notices_a_wrong_row(gold):
    tested = [seen for seen in gold.seen if seen["is_tested"]]
    assert len(tested) >= 3
    for seen in tested:
        assert set(seen["tested"].values()) == {"pass"}, (seen["step"], seen["tested"])
    commit = gold.seen[-1]["commits"]["rows of four joins"]
    session = SparkSession.getActiveSession()
    properties = {name: value for name, value in commit.items() if name.startswith(("cdc.", "refresh-state"))}
    table = "gold.gold_rows_of_four_joins"
    for name, value in properties.items():
        session.conf.set(f"spark.sql.iceberg.snapshot-property.{name}", value)
    try:
        session.sql(f"update {table} set qty = 77 where lid = (select min(lid) from {table})")
    finally:
        for name in properties:
            session.conf.unset(f"spark.sql.iceberg.snapshot-property.{name}")
    tested = gold.lakehouse.statuses("test", "--select", "gold_rows_of_four_joins")
    assert tested["gold_matches_recomputation_gold_rows_of_four_joins_"] == "fail"
    session.sql(f"delete from {table} where lid = (select min(lid) from {table})")
    tested = gold.lakehouse.statuses("test", "--select", "gold_rows_of_four_joins")
    assert tested["gold_matches_recomputation_gold_rows_of_four_joins_"] == "fail"
    gold.lakehouse.statuses("run", "--select", "gold_rows_of_four_joins")
    assert commit_of(gold.lakehouse, "gold_rows_of_four_joins")["cdc.gold-reason"] == (
        "another writer has changed the table, or built it"
    )
    assert rows_of(gold.lakehouse, "gold_rows_of_four_joins") == gold.seen[-1]["expected"]["rows of four joins"]


def test_a_killed_refresh_shows_nothing_and_is_simply_repeated(gold):
    lakehouse, table, chance = gold.lakehouse, "gold_rows_of_four_joins", random.Random(SEED + 1)
    for _ in range(3):
        gold.source.change(chance)
    lakehouse.statuses("run", "--select", "etl_metadata", "bronze", "silver")
    before = rows_of(lakehouse, table), lakehouse.snapshots(f"gold.{table}")
    run_and_kill(lakehouse, f"gold/{table}", 0.0, "run", "--select", table)
    assert (rows_of(lakehouse, table), lakehouse.snapshots(f"gold.{table}")[: len(before[1])]) == before
    assert lakehouse.statuses("run", "--select", table)[table] == "success"
    assert rows_of(lakehouse, table) == gold.source.query(MODELS["rows of four joins"].sql)


def test_a_model_is_proven_and_explained_by_commands(gold):
    arguments = "{model: gold_an_entity_with_two_aggregates_of_children, seconds: 1}"
    assert gold.lakehouse.dbt("run-operation", "prove_gold", "--args", arguments).success, gold.lakehouse.messages
    assert "random histories equal the recomputation" in "\n".join(gold.lakehouse.messages)
    explained = gold.lakehouse.dbt("run-operation", "explain_gold", "--args", "{model: gold_a_full_join}")
    assert explained.success, gold.lakehouse.messages
    assert "gold_a_full_join: key k" in "\n".join(gold.lakehouse.messages)


def test_wrong_keys_of_the_user_are_found_before_production(gold):
    sql = WRONG_KEYS.sql.replace("silver.o", "{{ ref('silver_s__o') }}")
    keys_sql = repr(name_models(WRONG_KEYS.keys_sql))
    config = "{{ config(key='n', spine='silver_s__o', keys_sql=" + keys_sql + ") }}\n"
    gold.lakehouse.add_gold("gold_wrong", config + sql + "\n")
    gold.lakehouse.dbt("run-operation", "prove_gold", "--args", "{model: gold_wrong, seconds: 60}")
    said = "\n".join(gold.lakehouse.messages)
    assert "after random changes the table differs from its query" in said
    assert "brings it back" in said
