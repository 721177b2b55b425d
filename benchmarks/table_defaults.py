"""Measures what a table's defaults cost: bounded metadata files and the key in a batch, one commit of columns, counts.

Three tables take the same small batches in turn, one with the defaults, each of the others without one of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.apply import WrongResult
from benchmarks.lake import Cost, Lake, measured, middle
from dbt.adapters.sparksession.table_metadata import change_columns

KEPT = "write.metadata.delete-after-commit.enabled=false"
DEFAULTS, ALL_METADATA, WITHOUT_KEY = "defaults", "all metadata files kept", "key not stated"
TABLES = {DEFAULTS: "s__t0", ALL_METADATA: "s__t1", WITHOUT_KEY: "s__t2"}
NEW_COLUMNS = {f"added_{number}": "string" for number in range(5)}


@dataclass
class Defaults:
    """Costs and files.

    Attributes:
        batches: costs of the last batches, by table.
        metadata: metadata files of silver and their MB after all batches, by table.
        columns: costs of five new columns, in one commit and by a statement each.
        counts: costs of `maintain` of a table of which nothing is due, without and with counts of distinct values.
    """

    batches: dict[str, Cost] = field(default_factory=dict)
    metadata: dict[str, tuple[int, float]] = field(default_factory=dict)
    columns: dict[str, Cost] = field(default_factory=dict)
    counts: dict[str, Cost] = field(default_factory=dict)


def measure(root: Path, rows: int, changes: int, batches: int, counted: int) -> Defaults:
    """Has the tables take batches.

    Args:
        root: an empty folder.
        rows: of each table when it is loaded.
        changes: of a batch.
        batches: of each table.
        counted: of these, the last ones that count.

    Raises:
        WrongResult: a table does not hold what it must.
    """
    lake = Lake(root, [{}, {"table_properties": KEPT}, {}])
    _remove_key(lake, TABLES[WITHOUT_KEY])
    sources = {name: lake.files(number, seed=1) for number, name in enumerate(TABLES)}
    for number, source in enumerate(sources.values()):
        source.load(rows)
        lake.build(number)
    costs: dict[str, list[Cost]] = {name: [] for name in TABLES}
    for batch in range(batches):
        turns = list(enumerate(TABLES))
        for number, name in turns if batch % 2 else reversed(turns):
            sources[name].change(changes)
            with measured() as cost:
                lake.build(number)
            costs[name].append(cost)
    figures = Defaults()
    for name, table in TABLES.items():
        if lake.fingerprint(f"silver.{table}") != lake.expected(sources[name]):
            raise WrongResult(f"silver.{table} does not hold its batches")
        figures.batches[name] = middle(costs[name][-counted:])
        files = list((root / "warehouse" / "silver" / table / "metadata").glob("*.metadata.json"))
        figures.metadata[name] = len(files), sum(file.stat().st_size for file in files) / 2**20
    figures.columns, figures.counts = _measure_columns(lake), _measure_counts(lake)
    return figures


def _remove_key(lake: Lake, table: str) -> None:
    """Takes the statement of the key out of a generated model."""
    model = next((lake.project.project / "models" / "silver").rglob(f"silver_{table}.sql"))
    lines = model.read_text().splitlines(keepends=True)
    left = [line for line in lines if not line.lstrip().startswith("identifier_fields=")]
    if len(left) != len(lines) - 1:
        raise WrongResult(f"{model} states its key in {len(lines) - len(left)} lines, expected 1")
    model.write_text("".join(left))


def _measure_columns(lake: Lake) -> dict[str, Cost]:
    """Adds columns to small tables in both ways."""
    costs: dict[str, list[Cost]] = {"one commit": [], "a statement each": []}
    lake.spark.sql("create schema if not exists reference")
    for _ in range(4):
        for way, measurements in costs.items():
            lake.spark.sql("create or replace table reference.columns using iceberg as select 1 as id")
            with measured() as cost:
                if way == "one commit":
                    change_columns(lake.spark, "reference.columns", {}, {}, NEW_COLUMNS)
                else:
                    for name, new_type in NEW_COLUMNS.items():
                        lake.spark.sql(f"alter table reference.columns add column {name} {new_type}")
            measurements.append(cost)
    return {way: middle(measurements) for way, measurements in costs.items()}


def _measure_counts(lake: Lake) -> dict[str, Cost]:
    """Maintains a table three times: the first time does what is due, the second nothing, the third counts."""
    costs = {}
    for way, counts in (("due work alone", False), ("without counts", False), ("with counts", True)):
        with measured() as costs[way]:
            arguments = {"tables": [TABLES[DEFAULTS]], "statistics": counts}
            lake.dbt("run-operation", "maintain", "--args", json.dumps(arguments))
    del costs["due work alone"]
    return costs
