"""A reload removes nothing while a part of it could not be read (decision 0068). All tables live in one project."""

from __future__ import annotations

import json
import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pyarrow as pa
import pytest
from stories import Story, at, change
from test_file_versions import touch

from python_udfs.sample_data.dms_writer import Column, DmsTask, SourceTable

# Beside other work it takes more than the ten minutes of the others.
pytestmark = pytest.mark.timeout(1800)

NUMBER = (Column("id", pa.int32()), Column("n", pa.int32()))
# The source has changed its type: bronze cannot hold each of its values.
TEXT = (Column("id", pa.int32()), Column("n", pa.string()))
# One table for each way in which a load is not read whole, and for each mode of silver.
ROWS = ("r_hard", "r_soft", "r_history")
FILES = ("r_first", "r_last")
CUT_SHORT = "r_transactions"
TABLES = (*ROWS, *FILES, CUT_SHORT)


class Reloads:
    """The project, and silver as each build left it: id and n of the rows that are not deleted."""

    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        self.builds: list[dict[str, str]] = []
        self.seen: list[dict[str, list]] = []
        self.said: dict[str, str] = {}
        lakehouse.add_feed("r", "parquet", "timestamp_column=ts")
        lakehouse.add_feed("r_multi", "csv", "timestamp_column=ts;transaction_files=true")
        cells = {
            "r_soft": {"delete_mode": "soft"},
            "r_history": {"mode": "history"},
            "r_last": {"vanished_files": "truncate"},
        }
        for name in (*ROWS, *FILES):
            lakehouse.add_table("r", name, **cells.get(name, {}))
        lakehouse.add_table("r_multi", CUT_SHORT, columns="id int, n int")
        lakehouse.make_models()

    def load(self, name: str, minutes: float, rows: dict[int, object], number: int = 1, columns=NUMBER) -> Path:
        """One LOAD file; every load of the writer begins with number 1."""
        workshop = Story(self.lakehouse.raw.parent / "workshop", name, columns, timestamp_column_name="ts")
        [made] = workshop.load(minutes, *({"id": key, "n": n} for key, n in rows.items()))
        target = self.lakehouse.raw / "r" / "s" / name / f"LOAD{number:08X}.parquet"
        target.parent.mkdir(parents=True, exist_ok=True)
        return touch(made.replace(target), minutes)

    def change(self, name: str, minutes: float, key: int, n: int) -> None:
        Story(self.lakehouse.raw / "r", name, NUMBER).changes(minutes, change("I", minutes, id=key, n=n))

    def build(self) -> None:
        tests = ("test_name:every_reload_is_complete", "test_name:silver_matches_bronze") if self.builds else ()
        self.builds.append(self.lakehouse.statuses("run"))
        if tests:
            self.builds[-1] |= self.lakehouse.statuses("test", "--select", *tests)
        broken = {name: status for name, status in self.builds[-1].items() if status in ("error", "skipped")}
        assert not broken, (broken, self.lakehouse.messages)
        self.seen.append({name: self.rows(name) for name in TABLES})

    def rows(self, name: str) -> list[tuple]:
        living = {"r_soft": "not _cdc_is_deleted", "r_history": "_cdc_valid_to is null"}.get(name, "true")
        query = f"select id, n from silver.s__{name} where {living} order by id"
        return [tuple(row) for row in self.lakehouse.sql(query)]

    def waits(self, number: int) -> set[str]:
        """The tables whose reload waits, as the data test of each shows it after a build."""
        test = "every_reload_is_complete_silver_s__"
        return {
            name.removeprefix(test).rstrip("_")
            for name, status in self.builds[number].items()
            if name.startswith(test) and status == "fail"
        }

    def incidents(self) -> dict[str, bool]:
        """By table, whether the incident is over."""
        query = "select subject, ended_at from etl_metadata.incidents where kind = 'reload'"
        return {row.subject.removeprefix("silver.s__"): row.ended_at is not None for row in self.lakehouse.sql(query)}

    def operate(self, name: str, table: str) -> str:
        """Output of a command for a table."""
        with redirect_stdout(StringIO()) as said:
            outcome = self.lakehouse.dbt("run-operation", name, "--args", json.dumps({"table": f"s__{table}"}))
        assert outcome.success, self.lakehouse.messages
        return said.getvalue()

    def statuses(self) -> set[tuple]:
        """Table, position, rule and state of the quarantined rows."""
        query = "select source_table, file_row, rule, status from etl_metadata.quarantine"
        return {tuple(row) for row in self.lakehouse.sql(query)}


OLD = {1: 10, 2: 20, 3: 30}


@pytest.fixture(scope="module")
def reloads(empty_lakehouse):
    story = Reloads(empty_lakehouse)
    lakehouse = story.lakehouse
    multi = DmsTask(lakehouse.raw / "r_multi", timestamp_column_name="ts", csv_quote_ambiguous_text=True)
    transactions = SourceTable("s", CUT_SHORT, NUMBER, ("id",))

    for name in (*ROWS, *FILES):
        story.load(name, 0, OLD, number=2 if name == "r_first" else 1)
        story.change(name, 5, 4, 40)
    [whole] = multi.full_load(transactions, [{"id": key, "n": n} for key, n in OLD.items()], at(0))
    multi.transactions([(transactions, change("I", 5, id=4, n=40))], at(5))
    story.build()

    # The source has rows 1, 2 and 5 now. Row 2 cannot be read.
    shutil.rmtree(lakehouse.raw / "r" / "s" / "r_last")
    for name in ROWS:
        # A later change of its key overtakes one that cannot be read: the reload waits for it all the same.
        overtaken = {7: "seventy"} if name == "r_hard" else {}
        story.load(name, 10, {1: "11", 2: "twenty-one", 5: "51", **overtaken}, columns=TEXT)
        story.change(name, 15, 6, 61)
        for key in overtaken:
            story.change(name, 16, key, 72)
    for name, good, bad in (("r_first", 2, 1), ("r_last", 1, 2)):
        story.load(name, 10, {1: 11, 5: 51}, number=good)
        broken = story.load(name, 9 if bad < good else 11, {2: 21}, number=bad)
        broken.write_bytes(b"a part of a file")
        touch(broken, 9 if bad < good else 11)
        story.change(name, 15, 6, 61)
    multi.full_load(transactions, [{"id": 1, "n": 11}, {"id": 5, "n": 51}, {"id": 2, "n": 21}], at(10))
    content = whole.read_text()
    whole.write_text(content[: content.rstrip("\n").rindex(",")])
    touch(whole, 10)
    multi.transactions([(transactions, change("I", 15, id=6, n=61))], at(15))
    for name in ("r_first", "r_history"):  # a change that cannot be read, too
        Story(lakehouse.raw / "r", name, TEXT).changes(16, change("I", 16, id=8, n="eight"))
    same_size = multi.transactions([(transactions, change("I", 16, id=8, n=81))], at(16))
    readable = same_size.read_bytes()
    same_size.write_bytes(readable.replace(b"81", b"8x"))
    touch(same_size, 16)
    story.build()

    story.said["r_history"] = story.operate("release_reload", "r_history")
    story.said["r_hard"] = story.operate("change_types", "r_hard")
    story.load("r_soft", 20, {1: 11, 2: 21, 5: 51})
    story.load("r_first", 20, {2: 21}, number=1)
    for name in ("r_first", "r_history"):
        story.change(name, 26, 8, 81)
    whole.write_text(content)
    touch(whole, 20)
    same_size.write_bytes(readable)
    touch(same_size, 30)
    story.build()
    return story


HELD = [(1, 11), (2, 20), (3, 30), (4, 40), (5, 51), (6, 61)]
OVERTAKEN = {"r_hard": [(7, 72)]}
WHOLE = [(1, 11), (2, 21), (5, 51), (6, 61)]
LATER = {
    "r_hard": [(1, "11"), (2, "twenty-one"), (5, "51"), (6, "61"), (7, "72")],
    "r_soft": WHOLE,
    "r_history": [(1, 11), (5, 51), (6, 61), (8, 81)],
    "r_first": [*WHOLE, (8, 81)],
    "r_last": HELD,
    "r_transactions": [*WHOLE, (8, 81)],
}


@pytest.mark.parametrize("name", TABLES)
def test_a_reload_that_was_not_read_whole_is_applied_and_removes_nothing(reloads, name):
    assert reloads.seen[1][name] == HELD + OVERTAKEN.get(name, [])


def test_such_a_reload_is_an_error_of_its_table_and_no_other_test_fails(reloads):
    assert reloads.waits(1) == set(TABLES)
    for statuses in reloads.builds:
        failed = {name for name, status in statuses.items() if status not in ("success", "pass")}
        assert not {name for name in failed if not name.startswith("every_reload_is")}


@pytest.mark.parametrize("name", TABLES)
def test_a_reload_is_complete_once_its_rows_are_there_or_a_person_releases_it(reloads, name):
    assert reloads.seen[2][name] == LATER[name]


def test_a_reload_that_waits_is_an_incident_until_it_is_complete(reloads):
    assert reloads.waits(2) == {"r_last"}
    assert reloads.incidents() == {name: name != "r_last" for name in TABLES}


def test_a_command_names_what_it_releases(reloads):
    words = "s__r_history: released load generation 2. the reload is not complete: 1 rows of its load"
    assert words in reloads.said["r_history"]
    assert "The reload is complete" in reloads.said["r_hard"]
    assert "no reload waits" in reloads.operate("release_reload", "r_hard")


def test_a_quarantined_row_that_was_overtaken_is_said_to_be(reloads):
    statuses, rule = reloads.statuses(), "uncastable_value"
    assert ("r_soft", 1, rule, "overtaken") in statuses, "its load file came again"
    assert ("r_soft", 0, "incomplete_reload", "replayed") in statuses
    assert ("r_first", 0, rule, "overtaken") in statuses, "a later change of its key"
    assert ("r_history", 0, rule, "waiting") in statuses, "a version is missing"
    assert (CUT_SHORT, 0, rule, "overtaken") in statuses, "its file came again, of the same size"
    assert {row for row in statuses if row[0] == "r_last"} == {("r_last", 0, "incomplete_reload", "waiting")}
