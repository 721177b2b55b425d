"""Measures a refresh of gold beside full recomputation, and beside affected partitions that are written by hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.apply import WrongResult
from benchmarks.data import ROW_GROUP, START, TIMESTAMP_COLUMN
from benchmarks.lake import FEED, Cost, Lake, measured, middle

FACT, STORE, ITEM = "t0", "t1", "t2"
STORES, ITEMS = 1_000, 20_000
GROUP_ROWS = 100
PARTS = 100
JOINS = """from {t0} as fact
left join {t1} as store on fact.store = store.id
left join {t2} as item on fact.item = item.id"""
ROWS = f"select fact.id, fact.store, store.name as city, item.price, fact.qty, fact.qty * item.price as amount {JOINS}"
GROUPS = f"""select fact.part, fact.team, count(*) as n, sum(fact.qty) as qty, sum(fact.qty * item.price) as amount,
max(item.price) as most, count(distinct store.name) as cities {JOINS} {{where}} group by fact.part, fact.team"""
# Gold models by name: their query and their config.
MODELS = {
    "rows": (ROWS, "key='id'"),
    "groups": (GROUPS, "key=['part', 'team']"),
    "groups_by_part": (GROUPS, "key=['part', 'team'], partition_by=['part']"),
}
FULL, PARTITIONS = "full", "partitions"


class Source:
    """The files of a fact and two lookups, whose rows are a function of their key and of how often they changed."""

    def __init__(self, lake: Lake, rows: int) -> None:
        self.lake, self.rows, self.files = lake, rows, 0
        self.random = np.random.default_rng(1)
        self._write(FACT, "LOAD00000001.parquet", self._facts(np.arange(rows)))
        self._write(STORE, "LOAD00000001.parquet", self._stores(np.arange(STORES)))
        self._write(ITEM, "LOAD00000001.parquet", _items(np.arange(ITEMS)))

    def change_facts(self, changes: int, share: float) -> None:
        """Changes the same number of rows in each of a share of the groups."""
        groups = self.rows // GROUP_ROWS
        chosen = max(1, int(groups * share))
        first = int(self.random.integers(groups - chosen + 1))
        each = max(1, changes // chosen)
        # A share of neighbours, as of newest orders; a large one is everywhere.
        teams = first + np.arange(chosen) if share < 0.1 else self.random.choice(groups, chosen, replace=False)
        within = self.random.permuted(np.tile(np.arange(GROUP_ROWS), (chosen, 1)), axis=1)[:, :each]
        self._change(FACT, self._facts((teams[:, None] * GROUP_ROWS + within).ravel()))

    def change_stores(self, share: float) -> None:
        """Changes stores that a share of the fact's rows names."""
        self._change(STORE, self._stores(self.random.choice(STORES, int(STORES * share), replace=False)))

    def _facts(self, keys: np.ndarray) -> pa.Table:
        team = keys // GROUP_ROWS
        qty = self.random.integers(1, 1_000, len(keys)).astype(np.int32)
        part = (team * PARTS // max(1, self.rows // GROUP_ROWS)).astype(np.int32)
        columns = {"store": (keys * 7 % STORES).astype(np.int32), "item": (keys * 13 % ITEMS).astype(np.int32)}
        return pa.table(
            {"id": keys.astype(np.int64), "team": team.astype(np.int32), "part": part, "qty": qty, **columns}
        )

    def _stores(self, keys: np.ndarray) -> pa.Table:
        names = [f"city {number}" for number in self.random.integers(0, 300, len(keys))]
        return pa.table({"id": keys.astype(np.int32), "name": names})

    def _change(self, table: str, rows: pa.Table) -> None:
        operations = pa.array(["U"] * len(rows))
        self.files += 1
        written_at = START + timedelta(minutes=self.files)
        self._write(table, f"{written_at:%Y%m%d-%H%M%S}000.parquet", rows.add_column(0, "Op", operations))

    def _write(self, table: str, name: str, rows: pa.Table) -> None:
        written_at = START + timedelta(minutes=self.files)
        stamps = pa.array([f"{written_at:%Y-%m-%d %H:%M:%S}"] * len(rows))
        path = self.lake.root / "raw" / FEED / "s" / table / name
        path.parent.mkdir(parents=True, exist_ok=True)
        at = 1 if "Op" in rows.column_names else 0
        pq.write_table(
            rows.add_column(at, TIMESTAMP_COLUMN, stamps), path, row_group_size=ROW_GROUP, store_schema=False
        )
        os.utime(path, (written_at.timestamp(), written_at.timestamp()))


def _items(keys: np.ndarray) -> pa.Table:
    return pa.table({"id": keys.astype(np.int32), "price": (keys % 97 + 1).astype(np.int32)})


def measure(root: Path, rows: int, changes: int, repeats: int, say: Callable[[str, Mapping[str, Cost]], None]) -> float:
    """Loads a fact with two lookups, builds gold models over it, and changes the fact and a lookup.

    Args:
        root: an empty folder.
        rows: of the fact.
        changes: rows of it that a step changes.
        repeats: how often each step is measured; the first warms up.
        say: prints a step and its costs, by model and by way by hand (`full` and `partitions`).

    Returns:
        Seconds of a model whose inputs have not moved.

    Raises:
        WrongResult: a gold table is not what its query gives.
        RuntimeError: dbt failed.
    """
    lake = Lake(root, tables=3, large_from=rows)
    source = Source(lake, rows)
    for name, (sql, config) in MODELS.items():
        query = sql.format(where="", **{table: f"{{{{ ref('silver_s__{table}') }}}}" for table in (FACT, STORE, ITEM)})
        lake.project.add_gold(
            name, f"{{{{ config({config}, spine='silver_s__{FACT}', full_above='never') }}}}\n{query}"
        )
    lake.dbt("seed")
    lake.dbt("run")
    lake.spark.sql("create schema if not exists reference")
    by_hand = _create_by_hand(lake)
    steps: Mapping[str, Callable[[], None]] = {
        "1 % of the groups": lambda: source.change_facts(changes, 0.01),
        "20 % of the groups": lambda: source.change_facts(changes, 0.2),
        "1 % of the rows by a lookup": lambda: source.change_stores(0.01),
        "5 % of the rows by a lookup": lambda: source.change_stores(0.05),
        "20 % of the rows by a lookup": lambda: source.change_stores(0.2),
    }
    idle: list[Cost] = []
    for title, change in steps.items():
        costs: dict[str, list[Cost]] = {}
        # A store is in each group of a hundred rows: a changed lookup is measured by rows.
        models = ("rows",) if "lookup" in title else tuple(MODELS)
        for _ in range(repeats):
            change()
            lake.dbt("run", "--exclude", *MODELS)
            for model in models:
                costs.setdefault(model, []).append(_refresh(lake, model, idle))
            for name, write in by_hand.items():
                if name.split(" ")[1] in models:
                    with measured() as cost:
                        write()
                    costs.setdefault(name, []).append(cost)
            _check(lake, models)
            lake.dbt("run", "--select", *MODELS)
        say(title, {name: middle(each) for name, each in costs.items()})
    return middle(idle).wall


def _refresh(lake: Lake, model: str, idle: list[Cost]) -> Cost:
    """The cost of a model without that of dbt's own start, which belongs to the run."""
    with measured() as cost:
        seconds = lake.dbt("run", "--select", model)[model]
    with measured() as nothing:
        idle_seconds = lake.dbt("run", "--select", model)[model]
    idle.append(Cost(idle_seconds, nothing.cpu))
    return Cost(seconds, cost.cpu - nothing.cpu)


def _create_by_hand(lake: Lake) -> dict[str, Callable[[], object]]:
    """Makes tables of the same queries; returns statements that bring them up to date."""
    names = {table: f"silver.s__{table}" for table in (FACT, STORE, ITEM)}
    rows, groups = ROWS.format(**names), GROUPS.format(where="", **names)
    properties = "tblproperties ('format-version' = '2', 'write.distribution-mode' = 'none')"
    spark = lake.spark
    spark.sql(f"create or replace table reference.rows using iceberg {properties} as {rows}")
    spark.sql(f"create or replace table reference.groups using iceberg {properties} as {groups}")
    spark.sql(f"create or replace table reference.parts using iceberg partitioned by (part) {properties} as {groups}")

    def write_partitions() -> None:
        """As dbt's insert_overwrite: partitions with a changed row, which somebody has to know."""
        newest = "(select max(_cdc_batch_id) from bronze.s__t0)"
        where = f"where fact.part in (select part from bronze.s__t0 where _cdc_batch_id = {newest})"
        spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
        try:
            spark.sql(f"insert overwrite reference.parts {GROUPS.format(where=where, **names)}")
        finally:
            spark.conf.unset("spark.sql.sources.partitionOverwriteMode")

    return {
        f"{FULL} rows": lambda: spark.sql(f"insert overwrite reference.rows {rows}"),
        f"{FULL} groups": lambda: spark.sql(f"insert overwrite reference.groups {groups}"),
        f"{PARTITIONS} groups": write_partitions,
    }


def _check(lake: Lake, models: tuple[str, ...]) -> None:
    """Compares gold with the tables by hand; those are full recomputations, or partitions of one."""
    tables = {f"gold.{model}": f"reference.{'rows' if model == 'rows' else 'groups'}" for model in models}
    if "groups" in models:
        tables["reference.parts"] = "reference.groups"
    for table, reference in tables.items():
        columns = ", ".join(sorted(lake.spark.table(reference).columns))
        has, expected = (
            lake.spark.sql(f"select count(*), sum(cast(xxhash64({columns}) as decimal(38, 0))) from {name}").first()
            for name in (table, reference)
        )
        if has != expected:
            raise WrongResult(f"{table} has rows and hash {has}, {reference} has {expected}")
