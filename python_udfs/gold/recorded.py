"""The state of a gold table: the query, the day and the snapshots of the inputs that its newest commit names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from python_udfs.gold.blocks import Input
from python_udfs.gold.day import hide_day, read_day
from python_udfs.gold.inputs import Movement, Recorded
from python_udfs.gold.model import GoldModel, read_gold_model
from python_udfs.pipeline.warehouse import Relation, Warehouse, write_name


def read_recorded_model(
    name: str, summary: Mapping[str, str], config: Mapping[str, Any], inputs: Sequence[Input]
) -> GoldModel:
    """Reads the query that a commit records.

    Args:
        name: of the model.
        summary: of the commit.
        config: of the model; the commit has its own condition of frozen rows.
        inputs: that it may read.
    """
    query_sql = summary["cdc.gold-sql"]
    model = read_gold_model(name, hide_day(query_sql), {**config, "freeze": None, "clock": None}, inputs)
    return model.bind_days(read_day(query_sql), read_day(query_sql))


def find_recorded(
    model: GoldModel, relations: Mapping[str, Relation], recorded: Mapping[str, Recorded]
) -> list[Movement]:
    """Finds the inputs of a model in the snapshots that a commit records."""
    movements = []
    for input in model.query.inputs:
        state = recorded.get(write_name(relations[input.name]))
        movements.append(Movement(input, relations[input.name], after_id=state.snapshot_id if state else None))
    return movements


def list_expired(warehouse: Warehouse, movements: Iterable[Movement]) -> list[str]:
    """Lists the inputs that cannot be read any more as they were."""
    return [movement.input.name for movement in movements if not _can_be_read(warehouse, movement)]


def _can_be_read(warehouse: Warehouse, movement: Movement) -> bool:
    if not movement.after_id:
        return movement.after_id == 0
    return bool(warehouse.snapshots_since(movement.relation, movement.after_id)["has_start"])
