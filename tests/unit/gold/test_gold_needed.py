"""The snapshots that the next refresh of gold reads."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from test_gold_plan import Relation, node

from python_udfs.gold.needed import list_needed_snapshots
from python_udfs.pipeline.table import read_models


def commit(bronze: dict[str, int | None], **inputs: int | None) -> dict[str, str]:
    states = [
        {"namespace": [name.split("_")[0]], "name": name.split("_")[1], "uuid": "u", "snapshot-id": snapshot_id}
        for name, snapshot_id in inputs.items()
    ]
    return {"refresh-state": json.dumps({"source-states": states}), "cdc.gold-bronze": json.dumps(bronze)}


SUMMARIES: dict[str, Any] = {
    "gold.lines": commit({"silver.o": 10, "silver.c": None}, silver_o=1, silver_c=0, seeds_days=None),
    "gold.sums": commit({"silver.o": 20}, silver_o=2, gold_lines=5),
    "gold.others": {},
}


def test_each_gold_table_names_snapshots_of_its_inputs_and_of_their_bronze():
    nodes = [node(layer, name) for layer in ("silver", "bronze") for name in "oc"]
    nodes += [node("gold", name) for name in ("lines", "sums", "others", "unbuilt", "shown")]
    built = [*SUMMARIES, "gold.shown"]

    def find(database: None, schema: str, identifier: str) -> Relation | None:
        name = f"{schema}.{identifier}"
        return Relation(schema=schema, identifier=identifier, is_table="shown" not in name) if name in built else None

    warehouse = SimpleNamespace(get_relation=find, current_summary=lambda relation: SUMMARIES[str(relation)])
    assert list_needed_snapshots(warehouse, read_models(nodes)) == {
        "silver.o": (1, 2),
        "bronze.o": (10, 20),
        "gold.lines": (5,),
    }
