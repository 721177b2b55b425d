"""Asks bronze and silver for everything that decides one key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from python_udfs.metadata.names import RESERVED_PREFIX
from python_udfs.pipeline.project import Project

# Roles of the rows of `cdc_explain_changes_sql` that change a row of the key.
CHANGES = ("change", "key change")


def ask_key(project: Project, table: str, key: Mapping[str, Any]) -> dict[str, Any]:
    """Asks for one key. The metadata names columns without case; bronze's own spelling finds their values.

    Args:
        project: with the table.
        table: name of the silver table, with or without its schema.
        key: value by name of the column, as text.

    Returns:
        ``is_built``; if both tables exist ``bronze``, ``silver``, ``key`` (with bronze's names), ``types`` of bronze's
        columns and ``wrong`` (names of the values that are not of their column's type); if bronze has all columns
        of the key and no value is wrong ``changes``, ``rows`` of silver, ``other_keys`` (if no change has the key) and
        ``applied_batch_id``.

    Raises:
        LakehouseError: there is no such table.
    """
    warehouse, macros = project.warehouse, project.sql
    model = project.find_model(table)
    cdc = model.cdc
    bronze, silver = project.find_table("bronze", cdc), project.find_relation(model)
    if bronze is None or silver is None:
        return {"is_built": False}
    types = {column.name: column.dtype for column in warehouse.get_columns_in_relation(bronze)}
    by_name = {name.lower(): value for name, value in key.items()}
    spelled = {name: by_name[name.lower()] for name in types if name.lower() in by_name}
    wrong = [
        name
        for name, value in spelled.items()
        if value is not None and warehouse.query(macros["cdc_explain_value_sql"](value, types[name]))[0]["is_wrong"]
    ]
    answer = {
        "is_built": True,
        "bronze": str(bronze),
        "silver": str(silver),
        "key": spelled,
        "wrong": wrong,
        "types": types,
    }
    if len(spelled) < len(key) or wrong:
        return answer
    own = [name for name in types if not name.startswith(RESERVED_PREFIX)]
    has_old_key = "_cdc_old_key" in types
    changes = warehouse.query(macros["cdc_explain_changes_sql"](cdc, bronze, own, spelled, types, has_old_key))
    names = [column.name for column in warehouse.get_columns_in_relation(silver)]
    is_present = any(change["role"] in CHANGES for change in changes)
    return {
        **answer,
        "changes": changes,
        "rows": warehouse.query(macros["cdc_explain_silver_sql"](cdc, silver, names, spelled, types)),
        "other_keys": [] if is_present else warehouse.query(macros["cdc_explain_keys_sql"](bronze, list(spelled))),
        "applied_batch_id": int(warehouse.newest_summary(silver, "cdc.batch-id").get("cdc.batch-id", 0)),
    }
