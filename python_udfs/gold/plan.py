"""What a run does to a gold table: nothing, the affected keys, or all rows, and why."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from python_udfs.gold.blocks import Input
from python_udfs.gold.inputs import (
    MOST_KEYS,
    Movement,
    Recorded,
    Source,
    list_sources,
    measure_input,
    read_inputs,
    read_recorded,
    write_recorded,
)
from python_udfs.gold.model import GoldModel, read_gold_model
from python_udfs.pipeline.table import Models
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse

NOTHING, AFFECTED, FULL, CREATE = "nothing", "affected", "full", "create"
_ANY_DAY = "date '0001-01-01'"


@dataclass(frozen=True)
class GoldPlan:
    """What a run does to a gold table.

    Attributes:
        way: `NOTHING`, `AFFECTED` (rows of some keys), `FULL` (all rows of a table that is there) or `CREATE`.
        message: way and reasons, for dbt's log.
        model: how changes lead to keys.
        movements: of the inputs.
        query_sql: the model's query over `_cdc_in…`.
        keys_view: the temporary view that holds the affected keys.
        keys: number of them.
        has_new_query: whether the table was made of another query, or of other types.
        progress: properties of its commit.
    """

    way: str
    message: str
    model: GoldModel
    movements: tuple[Movement, ...] = ()
    query_sql: str = ""
    keys_view: str = ""
    keys: int = 0
    has_new_query: bool = False
    progress: Mapping[str, Any] = field(default_factory=dict)


def plan_gold(
    warehouse: Warehouse,
    sql: Sql,
    models: Models,
    nodes: Mapping[str, Any],
    model: Mapping[str, Any],
    config: Any,
    query_sql: str,
    gold: Relation | None,
    started_at: Any,
    today: str,
) -> GoldPlan:
    """Decides what a run writes to a gold table.

    Args:
        warehouse: answers questions.
        sql: macros by name; they write the texts of queries.
        models: of the project.
        nodes: dbt's nodes and sources by unique id.
        model: dbt's node of the model.
        config: dbt's configuration of the model.
        query_sql: the compiled query.
        gold: the table; None: it is created.
        started_at: when the run began.
        today: what the macro `gold_today` writes.

    Raises:
        LakehouseError: the model is refused, or an input does not exist.
    """
    name = model["name"]
    sources = list_sources(nodes, model["depends_on"]["nodes"], config.get("inputs") or {})
    read = read_inputs(warehouse, name, sources)
    # The day is no part of the query's digest: a day later it is the same query.
    has_today = "gold_today" in (model.get("raw_code") or "")
    timeless_sql = query_sql.replace(today, _ANY_DAY) if has_today else query_sql
    gold_model = read_gold_model(name, timeless_sql, config, [input for input, _, _ in read])
    summary = _read_summary(warehouse, gold)
    recorded = read_recorded(summary)
    by_name = {source.name: (source, relation) for _, source, relation in read}
    movements = [
        _measure(warehouse, sql, models, gold_model, input, *by_name[input.name], recorded)
        for input in gold_model.query.inputs
    ]
    types = write_types(gold_model)
    progress = {
        **write_recorded(movements, started_at),
        "cdc.gold-sql": query_sql.strip(),
        "cdc.gold-today": today if has_today else "",
        "cdc.gold-query": gold_model.digest,
        "cdc.gold-types": types,
        "cdc.started-at": started_at,
    }
    plan = GoldPlan(
        way=CREATE,
        message="",
        model=gold_model,
        movements=tuple(movements),
        query_sql=gold_model.write_query(query_sql),
        keys_view=f"cdc_gold_keys_{name}",
        progress=progress,
    )
    if gold is None:
        return _finish(plan, CREATE, "the table is built for the first time")
    has_new_query = bool(summary) and (
        summary.get("cdc.gold-query") != gold_model.digest or summary.get("cdc.gold-types") != types
    )
    plan = replace(plan, has_new_query=has_new_query or not summary)
    reasons = _list_reasons_for_all(summary, gold_model, types, movements)
    if has_today and summary and summary.get("cdc.gold-today") != today:
        reasons.append(f"gold_today() is another day: {today}")
    if reasons:
        return _finish(plan, FULL, "; ".join(reasons))
    if not any(movement.has_moved for movement in movements):
        return replace(plan, way=NOTHING, message="nothing: no input has moved")
    if gold_model.query.totals:
        return _finish(plan, FULL, gold_model.query.totals[0])
    plan = _find_changed_keys(warehouse, sql, plan)
    return _plan_affected(warehouse, sql, plan, gold)


def write_types(model: GoldModel) -> str:
    """Writes a digest of the types of the columns that a query uses."""
    types = [
        [input.name, name, input.columns[name]]
        for input in model.query.inputs
        for name in sorted({*model.query.uses.get(input.name, ()), *input.key})
    ]
    return hashlib.sha256(json.dumps(types).encode()).hexdigest()[:32]


def _read_summary(warehouse: Warehouse, gold: Relation | None) -> Mapping[str, str]:
    """Reads the newest commit of a gold table, if this strategy made it: nothing records what others changed."""
    if gold is None:
        return {}
    snapshot_id = warehouse.current_snapshot_id(gold)
    if not snapshot_id:
        return {}
    summary: Mapping[str, str] = warehouse.snapshot(gold, snapshot_id)["summary"]
    return summary if "refresh-state" in summary else {}


def _measure(
    warehouse: Warehouse,
    sql: Sql,
    models: Models,
    model: GoldModel,
    input: Input,
    source: Source,
    relation: Relation,
    recorded: Mapping[str, Recorded],
) -> Movement:
    name = f"{relation.schema}.{relation.identifier}"
    columns = model.query.uses.get(input.name, ())
    return measure_input(warehouse, sql, models, input, source, relation, recorded.get(name), columns)


def _list_reasons_for_all(
    summary: Mapping[str, str], model: GoldModel, types: str, movements: Sequence[Movement]
) -> list[str]:
    """Lists why all rows are computed, whatever the changed keys are."""
    if not summary:
        return ["another writer has changed the table, or built it"]
    reasons = []
    if summary.get("cdc.gold-query") != model.digest:
        reasons.append("the query has changed")
    elif summary.get("cdc.gold-types") != types:
        reasons.append("a type of an input has changed")
    reasons += [movement.full for movement in movements if movement.full]
    if model.needs_past and not model.query.totals:
        reasons += [
            f"snapshots of {movement.input.name} since the last refresh have expired"
            for movement in movements
            if movement.has_moved and not movement.has_before and not movement.full
        ]
    return list(dict.fromkeys(reasons))


def _find_changed_keys(warehouse: Warehouse, sql: Sql, plan: GoldPlan) -> GoldPlan:
    """Finds the changed keys of each input, once: statements read them from a view."""
    movements = []
    for movement in plan.movements:
        if movement.changed_sql:
            view = f"cdc_gold_changed_{movement.number}"
            warehouse.cache_rows(view, movement.changed_sql)
            changes = int(warehouse.query(sql["cdc_count_sql"](warehouse.quote(view)))[0]["row_count"])
            movements.append(replace(movement, changes=changes, changed_view=view if changes else ""))
        else:
            movements.append(movement)
    return replace(plan, movements=tuple(movements))


def _plan_affected(
    warehouse: Warehouse,
    sql: Sql,
    plan: GoldPlan,
    gold: Relation,
) -> GoldPlan:
    changed = ", ".join(
        f"{movement.changes} of {movement.input.name} ({movement.via})" for movement in plan.movements if movement.via
    )
    keys = 0
    if any(movement.changed_view for movement in plan.movements):
        keys_sql = sql["cdc_gold_keys_sql"](plan.model, plan.movements, MOST_KEYS + 1)
        warehouse.cache_rows(plan.keys_view, keys_sql)
        keys = int(warehouse.query(sql["cdc_count_sql"](warehouse.quote(plan.keys_view)))[0]["row_count"])
    plan = replace(plan, keys=keys)
    limit = plan.model.settings.full_above
    if keys > MOST_KEYS:
        return _finish(plan, FULL, f"more than {MOST_KEYS} keys are affected")
    if keys and limit is not None:
        counts = warehouse.query(sql["cdc_gold_share_sql"](gold, plan.model.settings.key, plan.keys_view))[0]
        rows, affected = int(counts["row_count"]), int(counts["affected"])
        if affected > limit * rows or rows == 0:
            reason = f"{affected} of {rows} rows are affected, more than full_above={limit:g}; changed keys: {changed}"
            return _finish(plan, FULL, reason)
    return _finish(plan, AFFECTED, f"{keys} keys; changed keys: {changed}")


def _finish(plan: GoldPlan, way: str, reason: str) -> GoldPlan:
    progress = {
        **plan.progress,
        "cdc.gold-mode": way,
        "cdc.gold-reason": reason,
        "cdc.gold-keys": plan.keys if way == AFFECTED else "all",
    }
    return replace(plan, way=way, message=f"{way}: {reason}", progress=progress)
