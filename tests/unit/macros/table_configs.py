"""Descriptions of tables, complete as generated models state them, from the fields that a test is about."""

from __future__ import annotations

from typing import Any

from python_udfs.pipeline.table_config import TableConfig, WaitingConfig, read_config

SOURCE = {"feed": "retail", "source_schema": "shop", "source_table": "order", "primary_key": ["id"]}
STATED: dict[str, dict[str, Any]] = {
    "split": {"feed": "retail", "connector": "dms", "tables": []},
    "bronze": SOURCE | {"connector": "dms", "format": "parquet", "options": {}, "columns": []},
    "silver": SOURCE | {"mode": "current", "delete_mode": "hard", "unchanged_rows": "write"},
}

# The state of a table, as maintenance asks for it, that needs nothing.
TIDY = {
    "files": 3,
    "records": 100,
    "deleted_rows": 5,
    "bytes": 5 * 1048576,
    "small_files": 0,
    "loose_delete_files": 3,
    "manifests": 49,
    "snapshots": 12,
    "old_snapshots": 9,
    "expire_before": "2024-01-31 23:00:00.123",
    "orphans_before": "2024-02-02 23:00:00.000",
}
# The columns of each silver table beside those of the source.
OWN_COLUMNS = {
    "_cdc_operation": "string",
    "_cdc_committed_at": "timestamp",
    "_cdc_sequence": "string",
    "_cdc_generation": "int",
    "_cdc_batch_id": "bigint",
}


def state_config(**stated: Any) -> dict[str, Any]:
    """What a model states under meta.cdc; without a layer, bronze if the fields have a format, else silver."""
    layer = stated.get("layer") or ("bronze" if {"format", "options"} & stated.keys() else "silver")
    columns = [{"optional": False, **column} for column in stated.get("columns", ())]
    return {"layer": layer, **STATED.get(layer, {}), **stated, **({"columns": columns} if columns else {})}


def make_config(silver: dict[str, Any] | None = None, has_key: bool | None = None, **stated: Any) -> TableConfig:
    """The description of a table; with has_key, also that of its silver table."""
    config = read_config(state_config(**stated), "a_model")
    if has_key is None:
        return config
    return WaitingConfig(**vars(config), silver=make_config(**silver) if silver else None, has_key=has_key)
