"""Tables whose columns are called as the project's own SQL calls things, or have names that need care in a statement.

All ways of a change to silver and all data tests, on tables that have each such name.
"""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from python_udfs.metadata import COLUMNS_FILE
from tests.e2e.lakehouse import REPOSITORY
from tests.e2e.names import HOSTILE_NAMES

REPLACED = ["--vars", "{cdc_replace_rows_from: 1}"]
IN_FULL = ["--vars", "{cdc_compare_days: 0}"]


def read_room(room: str) -> list[str]:
    """The texts of the macros of a room, without comments."""
    texts = (path.read_text() for path in (REPOSITORY / "macros" / room).rglob("*.sql"))
    return [re.sub(r"\{#.*?#\}", "", text, flags=re.DOTALL) for text in texts]


def read_aliases(*rooms: str) -> list[str]:
    """The names that stand before a point, or are variables, in the SQL of some rooms of macros."""
    names: set[str] = set()
    for text in (text for room in rooms for text in read_room(room)):
        qualifiers = set(re.findall(r"(?<![\w.'])([a-z_]+)\.[a-z_`{]", text))
        aliases = set(re.findall(r"\bas ([a-z_]+)\b(?!\()", text)) | set(re.findall(r"\b([a-z_]+) as \(", text))
        variables = re.findall(r"\b([a-z_]+) ->|\(([a-z_, ]+)\) ->", text)
        names |= qualifiers & aliases
        names.update(name for pair in variables for names_of in pair for name in names_of.split(", "))
    return sorted(name for name in names if name not in ("id", "") and not name.startswith("_cdc_"))


def read_own_columns(room: str) -> list[str]:
    """The names of the columns that the SQL of a room of macros makes."""
    columns = re.compile(r"\bas ([a-z_]+)$", flags=re.MULTILINE)
    names = {name for text in read_room(room) for name in columns.findall(text)}
    return sorted(name for name in names if not name.startswith("_cdc_"))


# Rooms in whose SQL the columns of a source stand. A column that is called as a relation hides it in a subquery.
ALIASES = read_aliases("silver", "tests", "comparison", "order", "columns", "operations", "bronze")
# A column that is called as one of ours is ambiguous in a join. The last two are named by `values`, without `as`.
OWN_COLUMNS = [*read_own_columns("bronze/reloads"), "file_key", "millis"]
OF_DECODERS = read_aliases("bronze/decode", "bronze/rows")
# Key and other cells of each table.
TABLES: dict[str, tuple[str, str, dict[str, str]]] = {
    "hard": ("plain", "target", {}),
    "soft": ("keeping", "log;change", {"delete_mode": "soft"}),
    "history": ("plain", "version", {"mode": "history"}),
    "append": ("plain", "", {"mode": "append"}),
    "csv": ("headed", "name", {}),
    "json": ("said", "raw", {}),
}
Change = tuple[Any, Any, int]


def names_of(table: str) -> list[str]:
    """The columns of a table beside `id`, without those that its format cannot have."""
    if table == "json":
        return [*OF_DECODERS, *HOSTILE_NAMES]
    if table == "csv":
        return [*OF_DECODERS, *(name for name in HOSTILE_NAMES if name == name.strip() and "\n" not in name)]
    return [*dict.fromkeys([*ALIASES, *OWN_COLUMNS]), *HOSTILE_NAMES]


class Files:
    """The files of the tables. A change is operation, key and the value that every other column has."""

    def __init__(self, raw: Path) -> None:
        self.raw = raw
        self.messages = 0

    def put(self, table: str, name: str, *changes: Change, lacks: str = "") -> None:
        feed, key, _ = TABLES[table]
        keys = key.split(";")
        names = ["id", *(column for column in names_of(table) if column != lacks)]
        images = [{name: of_key if name in ["id", *keys] else value for name in names} for _, of_key, value in changes]
        operations = [operation for operation, *_ in changes]
        changed = list(zip(operations, images, strict=True))
        is_load = name.startswith("LOAD")
        path = self.raw / feed / "s" / table / f"{name}.{'csv' if feed == 'headed' else 'parquet'}"
        if feed == "said":
            self.say(table, operations, images)
            return
        is_again = path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        if feed == "headed":
            with path.open("w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow([*([] if is_load else ["Op"]), *names])
                writer.writerows([*([] if is_load else [operation]), *image.values()] for operation, image in changed)
        else:
            columns: dict[str, Any] = {} if is_load else {"Op": operations}
            columns |= {name: pa.array([image[name] for image in images], pa.int32()) for name in names}
            if not is_load:
                columns |= {f"BI_{name}": columns[name] for name in keys if name}
            pq.write_table(pa.table(columns), path)
        if is_again:
            self.deliver_again(table, name)

    def deliver_again(self, table: str, name: str) -> None:
        path = self.raw / TABLES[table][0] / "s" / table / f"{name}.parquet"
        os.utime(path, (path.stat().st_mtime + 100,) * 2)

    def say(self, table: str, operations: Sequence[str | None], images: Sequence[dict[str, Any]]) -> None:
        """Messages of Maxwell, one object."""
        kinds = {None: "bootstrap-insert", "I": "insert", "U": "update", "D": "delete"}
        lines = []
        for operation, image in zip(operations, images, strict=True):
            self.messages += 1
            head = {"database": "s", "table": table, "type": kinds[operation], "ts": 1706745600 + self.messages}
            lines.append(json.dumps({**head, "xid": self.messages, "data": image}))
        path = self.raw / "said" / "topics" / "t" / "partition=0" / f"t+0+{self.messages:010}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")


# Days since 1970 as Spark has them and Python has not, and the first one of all that Python has.
DAYS = {"-0001-12-31": -719_529, "+10000-01-01": 2_932_897, "0001-01-01": -719_162}


def put_days(raw: Path, name: str, **columns: list[str]) -> None:
    """A file with a row for each day, which is the key."""
    path = raw / "plain" / "s" / "days" / f"{name}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    days = pa.array(DAYS.values(), pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({**columns, "day": days, "at": days.cast(pa.timestamp("us", "UTC"))}), path)


# Beside other work the builds of wide tables take more than the ten minutes of the others.
pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def built(empty_lakehouse):
    """The lakehouse after three batches, and the statuses of the last two builds."""
    lakehouse = empty_lakehouse
    lakehouse.add_feed("plain", "parquet", "before_image_prefix=BI_")
    lakehouse.add_feed("keeping", "parquet", "before_image_prefix=BI_;absent_columns=keep")
    lakehouse.add_feed("headed", "csv", "header=true")
    lakehouse.add_feed("said", "json", connector="maxwell")
    for table, (feed, key, cells) in TABLES.items():
        lakehouse.add_table(feed, table, key, **cells)
        of_table = {"feed": feed, "source_schema": "s", "source_table": table, "data_type": "int", "optional": "false"}
        # The seeds have no name with blanks around it, or a carriage return: such a field is a column of texts.
        listed = [name for name in ["id", *names_of(table)] if name == name.strip() and "\r" not in name]
        for position, name in enumerate(listed if feed in ("headed", "said") else (), start=1):
            lakehouse.rows[COLUMNS_FILE].append({**of_table, "position": str(position), "column_name": name})
    lakehouse.add_table("plain", "days", "day")
    lakehouse.make_models()
    files = Files(lakehouse.raw)
    put_days(lakehouse.raw, "LOAD00000001", v=["a", "a", "a"])
    for table in TABLES:
        files.put(table, "LOAD00000001", *((None, key, 10) for key in (1, 2, 3)))
    statuses = [lakehouse.statuses("run")]
    for table in TABLES:
        # A delete of a row that was never there, and a change without a key.
        changes = [("U", 1, 20), ("D", 2, 10), ("I", 4, 20), ("D", 77, 10), ("U", None, 30)]
        files.put(table, "20240131-230100000", *changes, lacks="added")
    put_days(lakehouse.raw, "20240131-230100000", Op=["U", "D", "U"], v=["b", "b", "b"])
    files.deliver_again("append", "LOAD00000001")
    of_tables = ("bronze,test_type:generic", "silver,test_type:generic")
    statuses.append(lakehouse.run_and_test(*of_tables, *REPLACED, run=REPLACED))
    lakehouse.sql("delete from etl_metadata.rejected_files")
    for table in TABLES:
        if table in ("soft", "csv", "json"):
            files.put(table, "20240131-230000000", ("U", 1, 15), ("I", 5, 15))
        elif table in ("hard", "append"):
            files.put(table, "20240131-230100000", ("U", 1, 21), ("I", 4, 21))
        else:
            files.put(table, "LOAD00000001", *((None, key, 40) for key in (1, 3)))
            files.put(table, "20991231-230100000", ("U", 1, 50))
    statuses.append(lakehouse.statuses("build", *IN_FULL))
    return lakehouse, statuses


def test_a_column_called_as_any_alias_or_with_any_character_stops_nothing(built):
    _, statuses = built
    wrong = [{name: status for name, status in of.items() if status not in ("success", "pass")} for of in statuses]
    # The last build runs the tests of all tables: the change without a key; and that a table without one takes no
    # update.
    warned = {"quarantine_is_empty": "warn", "no_change_without_key": "warn"}
    assert wrong == [{}, {}, warned]
