"""Computes a part of a gold table again, frozen rows too, at the state of the inputs that the table has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.gold.conditions import read_condition
from python_udfs.gold.day import bind_day, hide_day, read_day
from python_udfs.gold.inputs import read_model_inputs, read_recorded
from python_udfs.gold.keys import KeySet, read_key_set
from python_udfs.gold.model import read_gold_model
from python_udfs.gold.plan import AFFECTED, GoldPlan, cut_large_inputs
from python_udfs.gold.recorded import find_recorded, list_expired, read_recorded_model
from python_udfs.gold.write import replace_rows
from python_udfs.pipeline.keys import MOST_KEYS
from python_udfs.pipeline.warehouse import Sql, Writer

REFRESH = "refresh"
# Of a commit: what a refresh of a part leaves as it is.
_PROGRESS = ("refresh-state", "cdc.gold-bronze", "cdc.gold-sql", "cdc.gold-today", "cdc.gold-freeze",
             "cdc.gold-query", "cdc.gold-types", "cdc.gold-definition")  # fmt: skip


def refresh_gold(
    warehouse: Writer,
    sql: Sql,
    nodes: Mapping[str, Any],
    node: Mapping[str, Any],
    query_sql: str,
    where: Any,
    today: str,
    started_at: Any,
    command: str,
) -> str:
    """Computes the keys of a gold table that have a row which meets a condition, in the table or in its query.

    The inputs are read in the snapshots that the table's newest commit names, so that the table stays a function of
    them: what came later is the next run's.

    Args:
        warehouse: has the table.
        sql: macros by name.
        nodes: dbt's nodes and sources by unique id.
        node: dbt's node of the model.
        query_sql: its compiled query, to notice that it has changed.
        where: the condition, over columns of the table.
        today: what the macro `gold_today` writes.
        started_at: when the command began.
        command: its id.

    Returns:
        A sentence for the user.

    Raises:
        LakehouseError: the condition or the model is refused, or the table cannot be computed at the state that it has.
    """
    name = node["name"]
    read = read_model_inputs(warehouse, nodes, node)
    gold = warehouse.get_relation(node["database"], node["schema"], node["alias"])
    if gold is None:
        raise _refuse(name, "the table does not exist yet", name)
    warehouse.start_write(gold)
    snapshot_id = warehouse.current_snapshot_id(gold)
    summary = warehouse.snapshot(gold, snapshot_id)["summary"] if snapshot_id else {}
    if "cdc.gold-sql" not in summary:
        raise _refuse(name, "another program has written the table, so that its state is unknown", name)
    inputs = [input for input, _, _ in read]
    if read_gold_model(name, hide_day(query_sql), node["config"], inputs).digest != summary.get("cdc.gold-query"):
        raise _refuse(name, "the query or its key has changed since the last run", name)
    model = read_recorded_model(name, summary, node["config"], inputs)
    if model.query.totals:
        raise _refuse(name, f"it has no part: {model.query.totals[0]}", name, "--full-refresh ")
    condition, mistakes = read_condition("where", where if isinstance(where, str) else "", model.query)
    if mistakes:
        raise LakehouseError("\n  - ".join([f"Gold error in {name} (refresh_gold): nothing was written:", *mistakes]))
    relations = {source.name: relation for _, source, relation in read}
    movements = find_recorded(model, relations, read_recorded(summary))
    expired = list_expired(warehouse, movements)
    if expired:
        raise _refuse(name, f"snapshots of {', '.join(expired)} that it was made of have expired", name)
    where_sql = bind_day(condition.sql, read_day(today))
    recorded_sql = model.write_query(summary["cdc.gold-sql"])
    plan = GoldPlan(AFFECTED, "", model, KeySet(f"cdc_gold_keys_{name}"), tuple(movements), recorded_sql)
    key = model.settings.key
    keys_sql = sql["cdc_gold_part_keys_sql"](gold, key, movements, recorded_sql, where_sql, MOST_KEYS + 1)
    warehouse.cache_rows(plan.keys.view, keys_sql)
    plan = replace(plan, keys=read_key_set(warehouse, sql, plan.keys.view, key))
    keys = plan.keys.count
    if keys > MOST_KEYS:
        raise _refuse(name, f"more than {MOST_KEYS} keys meet {where_sql}: name fewer", name, "--full-refresh ")
    if not keys:
        return f"{name}: no key has a row with {where_sql}, in the table or in its query. Nothing was written."
    progress = {
        **{property: summary[property] for property in _PROGRESS if property in summary},
        "cdc.gold-mode": REFRESH,
        "cdc.gold-reason": f"{keys} keys; refresh_gold where {where_sql}",
        "cdc.gold-keys": keys,
        "cdc.started-at": started_at,
    }
    replace_rows(warehouse, sql, cut_large_inputs(warehouse, replace(plan, progress=progress)), gold, command)
    return f"{name}: {keys} keys computed again at the snapshots of the last run, frozen rows too, where {where_sql}."


def _refuse(name: str, reason: str, model: str, option: str = "") -> LakehouseError:
    return LakehouseError(
        f"Gold error in {name} (refresh_gold): {reason}. Nothing was written. Run dbt run {option}--select {model}."
    )
