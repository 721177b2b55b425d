"""What an operator does by command: on real tables, with the pipeline running before and after."""

from __future__ import annotations

import json

import pytest
from stories import Story, change


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("op", "parquet", "timestamp_column=ts")
    lakehouse.add_table("op", "op_hard")
    lakehouse.add_table("op", "op_soft", delete_mode="soft")
    lakehouse.make_models()
    for name in ("op_hard", "op_soft"):
        story = Story(lakehouse.raw / "op", name)
        story.load(0, {"id": 1, "v": "a", "w": "x"}, {"id": 2, "v": "b", "w": None}, {"id": 3, "v": "c", "w": "z"})
        story.changes(10, change("U", 10, id=1, v="newest", w="x"), change("D", 10, id=2))
    assert set(lakehouse.build().values()) <= {"success", "pass"}
    story.changes(5, change("U", 5, id=2, v="late", w="y"))
    assert set(lakehouse.build().values()) <= {"success", "pass", "warn"}
    return lakehouse


@pytest.fixture
def operate(lakehouse, capsys):
    """Runs a command; returns what it printed, or the message that it failed with."""

    def run(name, **arguments):
        capsys.readouterr()
        outcome = lakehouse.dbt("run-operation", name, "--args", json.dumps(arguments))
        return capsys.readouterr().out if outcome.success else "\n".join(lakehouse.messages)

    return run


def test_explain_row_tells_the_life_of_a_key(operate):
    life, _, row = operate("explain_row", table="s__op_soft", key=2).partition("silver.s__op_soft now:")
    assert [line[:2] for line in life.splitlines() if line[:1] in "123"] == ["1 ", "2 ", "3 "]
    assert "lost: older than 3, came after it; still gives all values" in life
    assert "won: the row is marked as deleted and keeps all values from 2" in life
    assert row.split()[-9:-4] == ["2", "late", "y", "true", "D"]


def test_explain_row_says_what_there_is_when_it_finds_nothing(operate):
    assert "there is no silver table 's__other'. Expected one of: s__op_hard, s__op_soft." in operate(
        "explain_row", table="s__other", key=1
    )
    assert "has no change of id = 99. Keys that it has: id = 1; id = 2; id = 3" in operate(
        "explain_row", table="s__op_hard", key=99
    )
