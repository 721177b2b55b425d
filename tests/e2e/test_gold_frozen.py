"""Frozen rows, days and parts of gold on Spark: what changes of a lookup, of the spine, of the day and a command do."""

from __future__ import annotations

import shutil

import pyarrow as pa
import pytest

from python_udfs.sample_data.dms_writer import Column
from tests.e2e.lakehouse import REPOSITORY
from tests.e2e.stories import Story, change
from tests.e2e.test_gold import commit_of, rows_of
from tests.proof import IS_PROOF

QUERY = (
    "select o.id, o.day, c.seg{more} from {{{{ ref('silver_s__o') }}}} as o"
    " left join {{{{ ref('silver_s__c') }}}} as c on o.cid = c.id"
)
DAY = "macros/gold/gold_today.sql"
KEPT = ("gold_kept", "gold_kept_in_full")
ORDERS = {1: (1, 1), 2: (1, 2), 3: (2, 1), 4: (3, 1), 5: (4, 2), 6: (None, 1)}
YAML = "models:\n" + "".join(f"  - name: {name}\n    data_tests: [gold_matches_recomputation]\n" for name in KEPT)


class Shop:
    """Orders with a day, and customers with a segment."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        whole, text = pa.int32(), pa.string()
        orders = tuple(Column(name, whole) for name in ("id", "day", "cid", "amt"))
        self.orders = Story(lakehouse.raw / "files", "o", orders)
        self.customers = Story(lakehouse.raw / "files", "c", (Column("id", whole), Column("seg", text)))
        self.minutes = 0

    def change(self, story: Story, **row) -> None:
        self.minutes += 1
        story.changes(self.minutes, change("U", self.minutes, **row))

    def write(self, name: str, more: str, config: str) -> None:
        self.lakehouse.add_gold(name, "{{ config(" + config + ") }}\n" + QUERY.format(more=more) + "\n")

    def set_day(self, day: str) -> None:
        (self.lakehouse.project / DAY).write_text(
            "{% macro gold_today() -%}date '" + day + "' /* gold_today */{%- endmacro %}\n"
        )

    def run(self) -> str:
        statuses = self.lakehouse.statuses("run", "--select", *(f"+{name}" for name in (*KEPT, "gold_of_the_day")))
        messages = "\n".join(self.lakehouse.messages)
        assert {statuses[name] for name in KEPT} == {"success"}, messages
        tested = self.lakehouse.statuses("test", "--select", "test_name:gold_matches_recomputation")
        assert {tested[f"gold_matches_recomputation_{name}_"] for name in KEPT} == {"pass"}, self.lakehouse.messages
        return messages

    def call(self, operation: str, arguments: str) -> str:
        self.lakehouse.dbt("run-operation", operation, "--args", arguments)
        return "\n".join(self.lakehouse.messages)


@pytest.fixture(scope="module")
def shop(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("files", "parquet", "timestamp_column=ts")
    for name in ("o", "c"):
        lakehouse.add_table("files", name)
    lakehouse.make_models()
    shop = Shop(lakehouse)
    shop.write("gold_kept", "", "key='id', freeze='day < 3', full_above='never'")
    shop.write("gold_kept_in_full", "", "key='id', freeze='day < 3', full_above=0.01")
    due = "date_add(date '2026-01-01', o.day)"
    shop.write(
        "gold_of_the_day", f", {due} as due, {due} < {{{{ gold_today() }}}} as late",
        "key='id', clock='due = date_sub(gold_today(), 1)', full_above='never'",
    )  # fmt: skip
    (lakehouse.project / "models" / "gold" / "_gold.yml").write_text(YAML)
    shop.set_day("2026-01-03")
    shop.customers.load(0, {"id": 1, "seg": "x"}, {"id": 2, "seg": "x"})
    shop.orders.load(0, *({"id": id, "day": day, "cid": cid, "amt": 0} for id, (day, cid) in ORDERS.items()))
    shop.run()
    yield shop
    shutil.copy(REPOSITORY / DAY, lakehouse.project / DAY)


def segments(shop, name: str) -> dict[int, str]:
    return {row[0]: row[2] for row in rows_of(shop.lakehouse, name)}


def test_a_change_of_a_lookup_leaves_frozen_rows_and_says_so(shop):
    shop.change(shop.customers, id=1, seg="y")
    shop.run()
    for name, way in zip(KEPT, ("affected", "full"), strict=True):
        assert segments(shop, name) == {1: "x", 2: "x", 3: "x", 4: "y", 5: "x", 6: "y"}
        commit = commit_of(shop.lakehouse, name)
        assert (commit["cdc.gold-mode"], commit["cdc.gold-freeze"]) == (way, "day < 3")
        assert "frozen keys stay as they are" in commit["cdc.gold-reason"]
    assert commit_of(shop.lakehouse, "gold_kept")["cdc.gold-frozen"] == "2"
    tested = "\n".join(shop.lakehouse.messages)
    assert "3 frozen keys (day < 3) are left out" in tested
    assert "left 2 keys as they were" in shop.call("explain_gold", "{model: gold_kept}")


def test_a_change_of_the_spine_computes_a_frozen_row(shop):
    shop.change(shop.orders, id=1, day=1, cid=1, amt=5)
    shop.run()
    for name in KEPT:
        assert segments(shop, name) == {1: "y", 2: "x", 3: "x", 4: "y", 5: "x", 6: "y"}


def test_a_command_computes_a_part_at_the_state_that_the_table_has(shop):
    before = commit_of(shop.lakehouse, "gold_kept")
    shop.change(shop.customers, id=1, seg="z")
    shop.lakehouse.statuses("run", "--select", "etl_metadata", "bronze", "silver")
    assert "where: it names nothing, which the query does not return" in shop.call(
        "refresh_gold", "{model: gold_kept, where: nothing = 1}"
    )
    path = shop.lakehouse.project / "models" / "gold" / "gold_kept.sql"
    query = path.read_text()
    path.write_text(query + "where o.id > 1\n")
    said = shop.call("refresh_gold", "{model: gold_kept, where: day < 3}")
    assert "the query or its key has changed since the last run. Nothing was written." in said
    path.write_text(query + "-- a comment\n")
    said = shop.call("refresh_gold", "{model: gold_kept, where: day < 3}")
    assert "gold_kept: 3 keys computed again at the snapshots of the last run" in said
    assert segments(shop, "gold_kept") == {1: "y", 2: "x", 3: "y", 4: "y", 5: "x", 6: "y"}, "silver is newer"
    commit = commit_of(shop.lakehouse, "gold_kept")
    assert (commit["cdc.gold-mode"], commit["cdc.gold-keys"]) == ("refresh", "3")
    assert commit["refresh-state"] == before["refresh-state"]
    shop.run()
    assert segments(shop, "gold_kept") == {1: "y", 2: "x", 3: "y", 4: "z", 5: "x", 6: "z"}


def test_another_day_moves_the_rows_that_clock_names(shop):
    shop.set_day("2026-01-05")
    messages = shop.run()
    assert "affected: 4 keys; changed keys: none; rows that 2026-01-05 moves" in messages
    if IS_PROOF:
        proven = shop.call("prove_gold", "{model: gold_of_the_day, seconds: 1}")
        assert "random histories equal the recomputation" in proven
    late = {row[0]: row[4] for row in rows_of(shop.lakehouse, "gold_of_the_day")}
    assert late == {1: True, 2: True, 3: True, 4: True, 5: False, 6: None}
