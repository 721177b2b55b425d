"""Random histories through the real pipeline, compared after every batch with what the oracle makes of the same files.

`make prove N=… SEED=…` runs as many keys as asked for; `TABLES` and `HISTORIES` (lists with commas) narrow a run down.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timezone
from random import Random
from typing import Any

from tests.e2e.histories import BALLAST, BATCHES, SHAPES, SPARK_TYPES, File, Landing, Shape, draw_files, excerpts, only
from tests.oracle import expected_silver, placed

KEYS = int(os.environ.get("N") or 5000)
SEED = int(os.environ.get("SEED") or 1)
TABLES = tuple(filter(None, os.environ.get("TABLES", "").split(",")))
HISTORIES = tuple(map(int, filter(None, os.environ.get("HISTORIES", "").split(","))))
# More keys in one table find no more: what differs between rounds is how the files are cut, found and loaded again.
KEYS_PER_ROUND = 10_000
# How many lines of a failure are worth reading.
SHOWN = 3


class Table:
    """One table of a round: its files, and what is compared."""

    def __init__(self, lakehouse: Any, shape: Shape, name: str, files: list[File]) -> None:
        self.lakehouse = lakehouse
        self.shape = shape
        self.name = name
        self.files = files
        feed = f"feed_{name}"
        workshop = lakehouse.raw.parent / "workshop"
        self.landing = Landing(lakehouse.raw / feed / "s" / name, workshop, shape)
        lakehouse.add_feed(feed, shape.data_format, shape.feed_options)
        types = ", ".join(f"{column} {SPARK_TYPES[column]}" for column in shape.columns)
        lakehouse.add_table(
            feed,
            name,
            primary_key=";".join(shape.key),
            columns=types if shape.data_format == "csv" else "",
            delete_mode=shape.delete_mode,
            **shape.table,
        )

    def found(self, batch: int) -> list[File]:
        """The files of the batches so far."""
        return [file for file in self.files if file.batch <= batch]

    def expected(self, batch: int) -> dict[tuple[Any, ...], dict[str, Any]]:
        deliveries = [file.delivery for file in self.found(batch)]
        return expected_silver(deliveries, self.shape.key, list(self.shape.columns), self.shape.delete_mode)

    def silver(self) -> list[dict[str, Any]]:
        rows = []
        for row in self.lakehouse.sql(f"select * from silver.s__{self.name}"):
            values = {column: _aware(value) for column, value in row.asDict().items()}
            rows.append(values)
        return rows

    def differences(self, batch: int) -> dict[tuple[Any, ...], str]:
        """What is wrong after a batch, by key."""
        expected = self.expected(batch)
        wrong: dict[tuple[Any, ...], str] = {}
        seen = Counter()
        for row in self.silver():
            key = tuple(row[column] for column in self.shape.key)
            seen[key] += 1
            if key not in expected:
                wrong[key] = f"expected no row, silver has {row}"
                continue
            odd = [c for c, value in expected[key].items() if row.get(c) != value]
            if odd:
                wrong[key] = "; ".join(f"{c}: expected {expected[key][c]!r}, silver has {row.get(c)!r}" for c in odd)
        wrong |= {key: f"silver has {number} rows" for key, number in seen.items() if number > 1}
        wrong |= {key: f"expected {row}, silver has no row" for key, row in expected.items() if key not in seen}
        self.rows_compared = len(expected.keys() | seen.keys())
        return wrong

    def bronze(self) -> tuple[int, int]:
        """Rows that broke no rule, and how many places in the order they have."""
        rows = self.lakehouse.sql(
            "select count(*) as n, count(distinct _cdc_sequence) as places"
            f" from bronze.s__{self.name} where _cdc_quarantine_rule is null"
        )
        return rows[0].n, rows[0].places

    def good_rows(self) -> int:
        """How many rows that break no rule were delivered."""
        rows = placed(file.delivery for file in self.files)
        return sum(
            row.operation in ("L", "I", "U", "D")
            and row.image is not None
            and any(row.image.get(column) is not None for column in self.shape.key)
            for row in rows
        )

    def life(self, key: tuple[Any, ...], batch: int) -> list[str]:
        """Every row of a key that was delivered, in order."""
        lines = []
        batches = {(file.path, file.modified_at): file.batch for file in self.files}
        for row in placed(file.delivery for file in self.found(batch)):
            if row.image is not None and tuple(row.image.get(column) for column in self.shape.key) == key:
                where = f"batch {batches[row.path, row.position[-1]]}, generation {row.generation}, {row.path}"
                lines.append(f"{where} row {row.number}: {row.operation} {dict(row.image)}")
        return lines


def _aware(value: Any) -> Any:
    return value.astimezone(timezone.utc) if isinstance(value, datetime) else value


class Proof:
    """One round: some tables, built batch by batch, compared after each."""

    def __init__(self, lakehouse: Any, tables: Sequence[Table], say: Any = print) -> None:
        self.lakehouse = lakehouse
        self.tables = tables
        self.say = say
        self.rows_compared = 0
        lakehouse.make_models()

    def run(self) -> tuple[Table, int, dict[tuple[Any, ...], str]] | None:
        """Builds and compares; the table, the batch and the differences where the two part."""
        select = [f"+silver_s__{table.name}" for table in self.tables]
        for batch in range(1, BATCHES + 1):
            began = time.monotonic()
            for table in self.tables:
                for file in table.files:
                    if file.batch == batch:
                        table.landing.put(file)
            statuses = self.lakehouse.statuses("run", "--quiet", "--select", *select)
            bad = {name: status for name, status in statuses.items() if status != "success"}
            assert not bad, f"{bad}\n" + "\n".join(self.lakehouse.messages[-40:])
            built = time.monotonic()
            for table in self.tables:
                wrong = table.differences(batch)
                self.rows_compared += table.rows_compared
                if wrong:
                    return table, batch, wrong
            self.say(
                f"  batch {batch} of {BATCHES}: built in {built - began:.0f} s, "
                f"compared in {time.monotonic() - built:.0f} s, {self.rows_compared} rows so far"
            )
        return None


def smallest_failure(lakehouse: Any, table: Table, batch: int, keys: Sequence[tuple[Any, ...]]) -> list[str]:
    """Every part of one failing history as a history of its own, in one more run: the smallest that fails still."""
    key = min(keys, key=lambda key: len(table.life(key, batch)))
    files, sizes = excerpts(table.files, key[0])
    alone = Table(lakehouse, table.shape, f"{table.name}_alone", files)
    failure = Proof(lakehouse, [alone], say=lambda line: None).run()
    if failure is None:
        return ["Alone it does not fail: what else is in the files matters."]
    _, found_in, wrong = failure
    smallest = min(wrong, key=lambda key: (sizes.get(key[0], math.inf), repr(key)))
    return [
        f"Smallest part of history {key[0]} that fails ({len(wrong)} of {len(sizes)} parts do), in batch {found_in}:",
        *(f"    {line}" for line in alone.life(smallest, found_in)),
        f"    {wrong[smallest]}",
    ]


def report_failure(lakehouse: Any, seed: int, keys: int, failure: tuple[Table, int, dict[tuple[Any, ...], str]]) -> str:
    table, batch, wrong = failure
    lines = [
        f"Silver differs from the oracle: table {table.shape.name}, batch {batch}, {len(wrong)} keys, seed {seed}."
    ]
    shown = sorted(wrong, key=lambda key: (len(table.life(key, batch)), repr(key)))[:SHOWN]
    for key in shown:
        lines += [f"  key {key}: {wrong[key]}", *(f"    {line}" for line in table.life(key, batch))]
    histories = ",".join(
        str(history) for history in dict.fromkeys(key[0] for key in shown) if history and history > BALLAST
    )
    lines += [
        f"  Again: make prove SEED={seed} N={keys} TABLES={table.shape.name}",
        f"  These: make prove SEED={seed} N={keys} TABLES={table.shape.name} HISTORIES={histories}",
    ]
    known = [key for key in wrong if key[0] is not None and key[0] > BALLAST]
    if known:
        lines += ["  " + line for line in smallest_failure(lakehouse, table, batch, known)]
    return "\n".join(lines)


def test_silver_is_what_the_oracle_makes_of_the_files(empty_lakehouse):
    # py4j leaves its sockets to the garbage collector, and every row that is compared comes through one.
    warnings.simplefilter("ignore", ResourceWarning)
    rounds = math.ceil(KEYS / KEYS_PER_ROUND)
    keys = math.ceil(KEYS / rounds)
    total = Counter()
    began = time.monotonic()
    for number in range(rounds):
        # The seed of a round alone brings it back.
        seed = SEED + number
        print(f"round {number + 1} of {rounds}: seed {seed}, {keys} keys")
        tables = []
        for shape in SHAPES:
            files = draw_files(Random(f"{seed} {shape.name}"), shape, math.ceil(keys / len(SHAPES)))
            if HISTORIES:
                files = only(files, HISTORIES)
            if not TABLES or shape.name in TABLES:
                tables.append(Table(empty_lakehouse, shape, f"{shape.name}_{seed}", files))
        assert tables, f"TABLES is {','.join(TABLES)}; expected some of {', '.join(shape.name for shape in SHAPES)}."
        proof = Proof(empty_lakehouse, tables)
        failure = proof.run()
        assert failure is None, report_failure(empty_lakehouse, seed, keys, failure)
        for table in tables:
            # Rows at one place would be told apart by where Spark happens to read them, which no comparison can see.
            assert table.bronze() == (table.good_rows(), table.good_rows()), f"rows, places in bronze of {table.name}"
        statuses = empty_lakehouse.statuses(
            "test",
            "--quiet",
            "--select",
            *(f"silver_s__{table.name},test_name:silver_matches_bronze" for table in tables),
        )
        checks = [status for name, status in statuses.items() if name.startswith("silver_matches_bronze")]
        assert checks == ["pass"] * len(tables), statuses
        for table in tables:
            rows = [s for file in table.files for s in file.statements if s.row.image]
            histories = {
                (s.history, s.row.image.get("part"))
                for s in rows
                if s.history != BALLAST and s.row.image["h"] is not None
            }
            total["histories"] += len(histories)
            total[f"histories, {table.shape.delete_mode} deletes"] += len(histories)
            total["operations"] += sum(len(file.statements) for file in table.files)
            total["files"] += len(table.files)
            total["reloads"] += len({f.modified_at.replace(microsecond=0) for f in table.files if f.is_load}) - 1
        total["rows compared"] += proof.rows_compared
        total["batches"] += BATCHES
    print(f"proved in {time.monotonic() - began:.0f} s from seed {SEED}")
    for name, amount in total.items():
        print(f"  {name:<28} {amount:>9,}")
    if not TABLES and not HISTORIES:
        assert total["histories"] >= KEYS
