"""Random histories through the real pipeline, compared after every batch with what the oracle makes of the same files.

`make prove N=… SEED=…` runs as many keys as asked for; `TABLES` and `HISTORIES` (lists with commas) narrow a run down.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timezone
from random import Random
from typing import Any

import pytest

from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE
from python_udfs.pipeline import delta
from tests.e2e.histories import (
    BALLAST,
    BATCHES,
    SECOND,
    SHAPES,
    SPARK_TYPES,
    File,
    Landing,
    Loss,
    Shape,
    draw_files,
    draw_losses,
    excerpts,
    only,
)
from tests.oracle import UNAVAILABLE, Delivery, expected_silver, placed

KEYS = int(os.environ.get("N") or 2500)
SEED = int(os.environ.get("SEED") or 1)
# Without a number (`make test`): tables that have every mode and format of their own among them. Seed 1 drops
# raw_listing, which test_lost_state.py leaves to them.
FEW = ("hard_parquet", "soft_csv", "history_parquet", "append_parquet")
TABLES = tuple(filter(None, os.environ.get("TABLES", "").split(","))) or (() if "N" in os.environ else FEW)
HISTORIES = tuple(map(int, filter(None, os.environ.get("HISTORIES", "").split(","))))
# More keys in one table find no more: what differs between rounds is how the files are cut, found and loaded again.
KEYS_PER_ROUND = 25_000
# How many lines of a failure are worth reading.
SHOWN = 3


class Table:
    """One table of a round: its files, and what is compared."""

    def __init__(self, lakehouse: Any, shape: Shape, name: str, files: list[File]) -> None:
        self.lakehouse = lakehouse
        self.shape = shape
        self.name = name
        self.files = files
        # State that was lost before a batch; the proof draws it for all tables.
        self.losses: dict[int, Loss] = {}
        feed = f"feed_{name}"
        # The batch in which the feed has another location, where all its objects are as they were (0: in none).
        self.moves_in = Random(f"{name} location").choice((0, 0, *range(2, BATCHES + 1)))
        workshop = lakehouse.raw.parent / "workshop"
        # Whether `change_types` has been run.
        self.has_new_types = False
        self.landing = Landing(lakehouse.raw / feed / "s" / name, workshop, shape)
        lakehouse.add_feed(feed, shape.data_format, ";".join(shape.feed_options))
        types = ", ".join(f"{column} {SPARK_TYPES[column]}" for column in shape.columns)
        lakehouse.add_table(
            feed,
            name,
            primary_key=";".join(shape.rules.key),
            columns=types if shape.data_format == "csv" or shape.lists_types else "",
            **shape.table,
        )

    def list_files(self, batch: int) -> list[File]:
        """The files of the batches so far."""
        return [file for file in self.files if file.batch <= batch]

    def deliveries(self, batch: int = BATCHES) -> list[Delivery]:
        """The input of the oracle."""
        files = self.list_files(batch)
        deliveries = [file.delivery(f"s/{self.name}", self.has_new_types) for file in files]
        return [
            replace(delivery, rows=()) if self.is_replaced(file, delivery, files) else delivery
            for file, delivery in zip(files, deliveries, strict=True)
        ]

    def is_replaced(self, file: File, delivery: Delivery, files: Sequence[File]) -> bool:
        """Whether the same content came again when its size was lost: the newer version replaces it, as any other."""
        return not file.is_load and any(
            other.path == file.path
            and other.modified_at > file.modified_at
            and other.batch > file.batch
            and other.batch in self.losses
            and self.losses[other.batch].forgets(file, other.batch)
            and other.delivery(has_new_types=self.has_new_types).rows == delivery.rows
            for other in files
        )

    def has_all_content(self) -> bool:
        """Whether each content that counts is still where it was found, so that bronze can be read from there again."""
        if self.has_new_types or self.moves_in or any(BATCHES in file.away for file in self.files):
            return False
        newest = {file.path: file for file in sorted(self.files, key=lambda file: file.modified_at)}
        return all(
            file.is_broken or (not newest[file.path].is_broken and (not file.is_load or self._are_same(file, newest)))
            for file in self.files
        )

    def _are_same(self, file: File, newest: Mapping[str, File]) -> bool:
        return file.delivery().rows == newest[file.path].delivery().rows

    def change_types(self) -> None:
        """Gives the table types that hold all that has come; the rows that did not fit are rows of silver then.

        The type in the seed counts where there is one: it is corrected first.
        """
        if self.shape.lists_types:
            for row in self.lakehouse.rows[COLUMNS_FILE]:
                if row["source_table"] == self.name and row["column_name"] == "order":
                    row["data_type"] = "double"
            self.lakehouse.make_models()
        assert self.lakehouse.dbt("run-operation", "change_types", "--args", f"{{table: s__{self.name}}}").success
        self.has_new_types = True

    def land(self, batch: int) -> bool:
        """Makes the landing area what this batch finds; whether the location of the feed is another one."""
        for file in self.list_files(batch):
            if batch in file.away:
                self.landing.path(file).unlink(missing_ok=True)
            elif file.batch == batch or batch - 1 in file.away:
                self.landing.put(file)
        if batch == self.moves_in:
            feed = f"feed_{self.name}"
            self.landing.move(self.lakehouse.raw / "moved" / feed)
            next(row for row in self.lakehouse.rows[FEEDS_FILE] if row["feed"] == feed)["location"] = f"moved/{feed}"
        return batch == self.moves_in

    def expected(self, batch: int) -> dict[tuple[Any, ...], dict[str, Any]]:
        return expected_silver(self.deliveries(batch), self.shape.rules)

    def silver(self) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Key and values of every row: in mode append file and row, in mode history key and number of the version."""
        rules = self.shape.rules
        versions = Counter()
        for row in self.lakehouse.sql(f"select * from silver.s__{self.name} order by _cdc_sequence"):
            values = {column: _aware(value) for column, value in row.asDict().items()}
            key = rules.key_of(values)
            if rules.mode == "append":
                key = (values["_cdc_source_file"].removeprefix(f"s/{self.name}/"), values["_cdc_file_row"])
            elif rules.mode == "history":
                versions[key] += 1
                key = (*key, versions[key] - 1)
            yield key, values

    def differences(self, batch: int) -> dict[tuple[Any, ...], str]:
        """Faults after a batch, by key."""
        expected = self.expected(batch)
        # An unchanged row that is not written keeps what silver knows of an earlier change: how early, the cut decides.
        is_free = self.shape.rules.mode == "current" and self.shape.rules.unchanged_rows == "skip"
        left_out = ("_cdc_operation", "_cdc_committed_at", "_cdc_generation") if is_free else ()
        wrong: dict[tuple[Any, ...], str] = {}
        seen = Counter()
        for key, row in self.silver():
            seen[key] += 1
            if key not in expected:
                wrong[key] = f"expected no row, silver has {row}"
                continue
            # A number in a column that has become text is written as Python writes it, too.
            odd = [
                c
                for c, value in expected[key].items()
                if row.get(c) != (str(value) if self.has_new_types and isinstance(row.get(c), str) else value)
                and c not in left_out
            ]
            if odd:
                wrong[key] = "; ".join(f"{c}: expected {expected[key][c]!r}, silver has {row.get(c)!r}" for c in odd)
        wrong |= {key: f"silver has {number} rows" for key, number in seen.items() if number > 1}
        wrong |= {key: f"expected {row}, silver has no row" for key, row in expected.items() if key not in seen}
        self.rows_compared = len(expected.keys() | seen.keys())
        return wrong

    def bronze(self) -> tuple[int, int]:
        """Rows of the newest content of files that broke no rule, and how many positions in the order they have.

        With other types, a row that did not fit stays in quarantine if a later change has overtaken it. One without a
        key breaks two rules, and other types mend one of them.
        """
        has_key = "".join(f" and `{column}` is not null" for column in self.shape.rules.key)
        bronze = f"bronze.s__{self.name}"
        overtaken = (
            f" or _cdc_quarantine_rule = 'uncastable_value'{has_key}"
            f" and not exists (select 1 from {bronze} as _cdc_good"
            " where _cdc_good._cdc_quarantine_rule is null and _cdc_good._cdc_sequence = _cdc_log._cdc_sequence)"
        )
        rows = self.lakehouse.sql(
            f"select count(*) as n, count(distinct _cdc_sequence) as positions from {bronze} as _cdc_log"
            f" where (_cdc_quarantine_rule is null{overtaken if self.has_new_types else ''})"
            f" and _cdc_operation not in ('R', 'X') and not exists (select 1 from {bronze} as _cdc_marker"
            " where _cdc_marker._cdc_operation = 'X' and _cdc_marker._cdc_quarantine_rule is null"
            " and _cdc_marker._cdc_source_file = _cdc_log._cdc_source_file"
            " and right(_cdc_marker._cdc_sequence, 14) > right(_cdc_log._cdc_sequence, 14))"
        )
        return rows[0].n, rows[0].positions

    def good_rows(self) -> int:
        """How many rows that break no rule were delivered."""
        return len({row.position for row in placed(self.deliveries(), self.shape.rules)})

    def history(self, key: tuple[Any, ...]) -> int:
        """The history that a key of silver belongs to; not above BALLAST: none."""
        if self.shape.rules.mode != "append":
            return BALLAST if key[0] is None or key[0] <= BALLAST else key[0] % SECOND
        path, number = key
        return next((f.statements[number].history for f in self.files if f.path == path), BALLAST)

    def life(self, key: tuple[Any, ...], batch: int) -> list[str]:
        """Every row of a key that was delivered, in order."""
        lines = []
        rules = self.shape.rules
        batches = {(file.path, file.modified_at): file.batch for file in self.files}
        for row in placed(self.deliveries(batch), rules):
            if row.key == (key[:-1] if rules.mode == "history" else key):
                *_, path, number, modified_at = row.position
                where = f"batch {batches[path, modified_at]}, generation {row.generation}, {path} row {number}"
                lines.append(f"{where}, {row.committed_at}: {row.operation} {dict(row.image or {})}")
        return lines


def _aware(value: Any) -> Any:
    return value.astimezone(timezone.utc) if isinstance(value, datetime) else value


class Proof:
    """One round: some tables, built batch by batch, compared after each; the data tests run after batches `tested`."""

    def __init__(
        self,
        lakehouse: Any,
        tables: Sequence[Table],
        say: Any = print,
        losses: dict[int, Loss] | None = None,
        tested: Collection[int] = range(1, BATCHES + 1),
    ) -> None:
        self.lakehouse = lakehouse
        self.tested = tested
        self.tables = tables
        self.losses = losses or {}
        for table in tables:
            table.losses = self.losses
        self.say = say
        self.rows_compared = 0
        self.depths: Counter[str] = Counter()
        lakehouse.make_models()

    def run(self) -> tuple[Table, int, dict[tuple[Any, ...], str]] | None:
        """Builds and compares; the table, the batch and the differences where the two part."""
        select = [f"+silver_s__{table.name}" for table in self.tables] + ["silver_checks"]
        for batch in range(1, BATCHES + 1):
            began = time.monotonic()
            if batch in self.losses:
                self.lose(self.losses[batch])
            if any([table.land(batch) for table in self.tables]):
                self.lakehouse.make_models()
            statuses = self.lakehouse.statuses("run", "--quiet", "--select", *select)
            bad = {name: status for name, status in statuses.items() if status != "success"}
            assert not bad, f"{bad}\n" + "\n".join(self.lakehouse.messages[-40:])
            built = time.monotonic()
            retyped = [table for table in self.tables if table.shape.changes_types and batch == BATCHES]
            for number, table in enumerate((*self.tables, *retyped)):
                if number >= len(self.tables):
                    table.change_types()
                wrong = table.differences(batch)
                self.rows_compared += table.rows_compared
                if wrong:
                    return table, batch, wrong
            if batch in self.tested:
                self.compare()
            self.say(
                f"  batch {batch} of {BATCHES}: built in {built - began:.0f} s, "
                f"compared in {time.monotonic() - built:.0f} s, {self.rows_compared} rows so far"
            )
        return None

    def read_again(self) -> tuple[Table, int, dict[tuple[Any, ...], str]] | None:
        """Drops bronze and silver of the tables whose files are all there, and builds them; as `run`."""
        tables = [table for table in self.tables if table.has_all_content()]
        for table in tables:
            for layer in ("bronze", "silver"):
                self.lakehouse.sql(f"drop table {layer}.s__{table.name}")
        if tables:
            statuses = self.lakehouse.statuses("run", "--select", *(f"+silver_s__{table.name}" for table in tables))
            assert set(statuses.values()) == {"success"}, statuses
        self.say(f"  read again: {', '.join(table.shape.name for table in tables) or 'no table has all content'}")
        for table in tables:
            if wrong := table.differences(BATCHES):
                return table, BATCHES, wrong
        return None

    def lose(self, loss: Loss) -> None:
        """Tables of etl_metadata are dropped, or lose what the last run has written."""
        self.say(f"  {', '.join(loss.tables)}: {'rolled back' if loss.is_rollback else 'dropped'}")
        there = {row.tableName for row in self.lakehouse.sql("show tables in etl_metadata")}
        for name in there.intersection(loss.tables):
            table = f"etl_metadata.{name}"
            snapshots = self.lakehouse.snapshots(table)
            if not loss.is_rollback:
                self.lakehouse.sql(f"drop table {table}")
            elif len(snapshots) > 1:
                self.lakehouse.sql(f"call system.rollback_to_snapshot('{table}', {snapshots[-2]})")

    def compare(self, *arguments: str) -> None:
        """The data test of each table, which reads what changed since it passed: it has to agree with the oracle."""
        select = (f"silver_s__{table.name},test_name:silver_matches_bronze" for table in self.tables)
        results = self.lakehouse.dbt("test", "--quiet", *arguments, "--select", *select).result.results
        tests = [result for result in results if result.node.name.startswith("silver_matches_bronze")]
        failures = {result.node.name: str(result.status) for result in tests if result.status != "pass"}
        assert len(tests) == len(self.tables)
        assert not failures, f"{failures}\n" + "\n".join(self.lakehouse.messages[-40:])
        codes = [result.node.compiled_code or "" for result in tests]
        self.depths["steps"] += sum("rows_before" in code for code in codes)
        self.depths["steps in one pass"] += sum("with sides as" in code for code in codes)
        self.depths["whole tables"] += sum("compared as" in code and "rows_before" not in code for code in codes)


def smallest_failure(lakehouse: Any, table: Table, batch: int, keys: Sequence[tuple[Any, ...]]) -> list[str]:
    """Every part of one failing history as a history of its own, in one more run: the smallest that fails still."""
    key = min(keys, key=lambda key: len(table.life(key, batch)))
    files, sizes = excerpts(table.files, table.history(key))
    alone = Table(lakehouse, table.shape, f"{table.name}_alone", files)
    failure = Proof(lakehouse, [alone], say=lambda line: None, losses=table.losses).run()
    if failure is None:
        return ["Alone it does not fail: what else is in the files matters."]
    _, found_in, wrong = failure
    smallest = min(wrong, key=lambda key: (sizes.get(alone.history(key), math.inf), repr(key)))
    return [
        f"Smallest part of history {table.history(key)} that fails, in batch {found_in}"
        f" ({len(wrong)} of {len(sizes)} parts do):",
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
    histories = ",".join(str(history) for history in dict.fromkeys(map(table.history, shown)) if history > BALLAST)
    lines += [
        f"  Again: make prove SEED={seed} N={keys} TABLES={table.shape.name}",
        f"  These: make prove SEED={seed} N={keys} TABLES={table.shape.name} HISTORIES={histories}",
    ]
    with_history = [key for key in wrong if table.history(key) > BALLAST]
    if with_history:
        print("\n".join(lines))
        lines += ["  " + line for line in smallest_failure(lakehouse, table, batch, with_history)]
    return "\n".join(lines)


class FactsOfMetadata(delta.RangeFacts):
    """Facts that no query has read."""


@pytest.fixture
def agreements(monkeypatch):
    """A list that grows if silver knows rows by metadata; it reads them, too, and fails if the two do not agree."""
    read_facts, read_metrics, agreed = delta.Log._read_facts, delta._read_metrics, []

    def read_both(
        log: delta.Log, from_snapshot_id: int | None, rows_sql: str, key: str | None, is_part: bool
    ) -> delta.RangeFacts:
        facts = read_facts(log, from_snapshot_id, rows_sql, key, is_part)
        if not isinstance(facts, FactsOfMetadata):
            return facts
        read = asdict(read_facts(log, from_snapshot_id, rows_sql, key, is_part=False))
        # Asked only of tables without a key.
        left_out = set() if log.cdc.mode == "append" else {"updates_and_deletes"}
        differences = {
            name: (value, read[name])
            for name, value in asdict(facts).items()
            if name not in left_out and value != read[name]
        }
        assert not differences, f"metadata and rows of {log.bronze} differ: {differences}"
        agreed.append(rows_sql)
        return facts

    monkeypatch.setattr(delta, "_read_metrics", lambda added, key: FactsOfMetadata(**asdict(read_metrics(added, key))))
    monkeypatch.setattr(delta.Log, "_read_facts", read_both)
    return agreed


# Of each round: beside other work it takes more than the ten minutes of other tests.
@pytest.mark.timeout(1800 * math.ceil(KEYS / KEYS_PER_ROUND))
def test_silver_is_what_the_oracle_makes_of_the_files(empty_lakehouse, agreements):
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
        losses = draw_losses(Random(f"{seed} losses"))
        # In `make test` after the first and the last batch: a step between them is of three batches then.
        tested = range(1, BATCHES + 1) if "N" in os.environ else (1, BATCHES)
        proof = Proof(empty_lakehouse, tables, losses=losses, tested=tested)
        failure = proof.run()
        assert failure is None, report_failure(empty_lakehouse, seed, keys, failure)
        for table in tables:
            # Rows at one position would differ only by where Spark happens to read them, which no comparison can see.
            assert table.bronze() == (table.good_rows(), table.good_rows()), f"rows, positions in bronze: {table.name}"
        total["tables of etl_metadata lost"] += sum(len(loss.tables) for loss in losses.values())
        assert TABLES or proof.depths["steps"]  # one table alone may have changes that concern all keys in each batch
        total.update({f"compared by the data test, {depth}": number for depth, number in proof.depths.items()})
        proof.compare("--vars", "cdc_compare_days: 0")
        failure = proof.read_again()
        assert failure is None, "Read again: " + report_failure(empty_lakehouse, seed, keys, failure)
        for table in tables:
            rules = table.shape.rules
            rows = [s for file in table.files for s in file.statements if s.row.image]
            histories = {(s.row.image["h"], s.row.image.get("part")) for s in rows if s.history != BALLAST}
            total["key histories"] += len(histories)
            kind = f"{rules.delete_mode} deletes" if rules.mode == "current" else f"mode {rules.mode}"
            total[f"key histories, {kind}"] += len(histories)
            total["operations"] += sum(len(file.statements) for file in table.files)
            total["operations, partial"] += sum(UNAVAILABLE in s.row.image.values() for s in rows)
            total["operations, another key before"] += sum(
                s.row.old_key is not None and rules.key_of(s.row.old_key) != rules.key_of(s.row.image) for s in rows
            )
            total["files"] += len(table.files)
            total["reloads"] += len({f.modified_at.replace(microsecond=0) for f in table.files if f.is_load}) - 1
        total["rows compared"] += proof.rows_compared
        total["batches"] += BATCHES
    total["batches known from metadata"] = len(agreements)
    print(f"proved in {time.monotonic() - began:.0f} s from seed {SEED}")
    for name, amount in total.items():
        print(f"  {name:<28} {amount:>9,}")
    if not HISTORIES:
        # In one round each batch may have a row in quarantine, or one that is no plain change.
        assert TABLES or rounds == 1 or total["batches known from metadata"] > 0
        # A history without an image, of deletes alone, is not counted.
        assert total["key histories"] >= 0.99 * KEYS * len(tables) / len(SHAPES)
