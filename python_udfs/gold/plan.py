"""What a run does to a gold table: nothing, the affected keys, or all rows, and why."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import Input
from python_udfs.gold.conditions import list_columns
from python_udfs.gold.day import bind_day, hide_day, list_days, names_day, read_day
from python_udfs.gold.inputs import (
    Movement,
    Recorded,
    Source,
    compare_states,
    count_rows,
    has_snapshots,
    list_sources,
    measure_input,
    read_inputs,
    read_recorded,
    write_recorded,
)
from python_udfs.gold.keys import KeySet, read_key_set
from python_udfs.gold.model import GoldModel, Settings, read_gold_model, read_settings
from python_udfs.pipeline.keys import MOST_KEYS
from python_udfs.pipeline.table import Models
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, write_name

NOTHING, AFFECTED, FULL, CREATE = "nothing", "affected", "full", "create"
_FOREIGN = "another writer has changed the table, or built it"


@dataclass(frozen=True)
class Frozen:
    """The rows of a gold table that changes of lookups leave as they are.

    Attributes:
        condition: over the columns of the table; it held at the last refresh and holds at this one.
        spine_keys: keys that changes of the spine lead to, whose rows are computed all the same.
        keys: how many keys would have been computed.
        unknown: spines of which it is unknown what changed.
    """

    condition: str
    spine_keys: KeySet = field(default_factory=KeySet)
    keys: int = 0
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unmoved:
    """A run does nothing to a gold table: its query and its inputs are as its newest commit records them."""

    way: str = NOTHING
    message: str = "nothing: no input has moved"
    progress: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GoldPlan:
    """What a run does to a gold table.

    Attributes:
        way: `AFFECTED` (rows of some keys), `FULL` (all rows of a table that is there) or `CREATE`.
        message: way and reasons, for dbt's log.
        model: how changes lead to keys.
        movements: of the inputs.
        query_sql: the model's query over `_cdc_in…`.
        keys: the affected keys.
        frozen: rows that stay as they are; None: there are none.
        has_new_query: whether the table was made of another query, or of other types.
        progress: properties of its commit.
    """

    way: str
    message: str
    model: GoldModel
    keys: KeySet
    movements: tuple[Movement, ...] = ()
    query_sql: str = ""
    frozen: Frozen | None = None
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
) -> GoldPlan | Unmoved:
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
    newest = _read_newest(warehouse, gold)
    # The day is no part of the query's digest: a day later it is the same query.
    day, timeless_sql = read_day(today), hide_day(query_sql)
    definition = _write_definition(query_sql, config, sources, day)
    if newest.get("cdc.gold-definition") == definition and _are_unmoved(warehouse, sources, newest):
        return Unmoved()
    read = read_inputs(warehouse, name, sources)
    gold_model = read_gold_model(name, timeless_sql, config, [input for input, _, _ in read])
    settings = gold_model.settings
    is_foreign = "refresh-state" not in newest
    summary = warehouse.newest_summary(gold, "refresh-state") if gold is not None and is_foreign else newest
    recorded = read_recorded(summary)
    by_name = {source.name: (source, relation) for _, source, relation in read}
    movements = [
        _measure(warehouse, sql, models, gold_model, input, *by_name[input.name], recorded)
        for input in gold_model.query.inputs
    ]
    types = write_types(gold_model)
    freeze = bind_day(settings.freeze, day)
    has_day = any(names_day(text) for text in (timeless_sql, settings.freeze, settings.clock))
    progress = {
        **write_recorded(movements, started_at),
        "cdc.gold-sql": query_sql.strip(),
        "cdc.gold-today": day if has_day else "",
        "cdc.gold-freeze": freeze,
        "cdc.gold-query": gold_model.digest,
        "cdc.gold-types": types,
        "cdc.gold-definition": definition,
        "cdc.started-at": started_at,
    }
    last_day, last_freeze = summary.get("cdc.gold-today", day), summary.get("cdc.gold-freeze", "")
    plan = GoldPlan(
        way=CREATE,
        message="",
        model=gold_model.bind_days(last_day, day),
        movements=tuple(movements),
        query_sql=gold_model.write_query(query_sql),
        keys=KeySet(f"cdc_gold_keys_{name}"),
        progress=progress,
    )
    if gold is None:
        return _finish(plan, CREATE, "the table is built for the first time")
    if settings.freeze and "refresh-state" not in summary:
        raise LakehouseError(
            f"Gold error in {name} (cdc_affected): no commit of {gold} records a refresh any more, so which rows are"
            " frozen is unknown. Roll the table back, or compute frozen rows again, too: dbt run --full-refresh"
            f" --select {name}."
        )
    plan = replace(
        plan,
        has_new_query=is_foreign
        or summary.get("cdc.gold-query") != gold_model.digest
        or summary.get("cdc.gold-types") != types,
        frozen=_read_frozen(name, gold_model, last_freeze, freeze),
    )
    if plan.frozen and plan.has_new_query:
        _check_frozen_columns(warehouse, name, gold_model, gold, freeze)
    reasons = [_FOREIGN] if is_foreign else _list_reasons_for_all(summary, gold_model, types, movements)
    reasons = reasons or _list_reasons_of_day(timeless_sql, settings, last_day, day, last_freeze)
    if reasons:
        return _plan_full(warehouse, sql, plan, gold, "; ".join(reasons))
    moved = _list_moved(settings, last_day, day, last_freeze, freeze)
    if not any(movement.has_moved for movement in movements) and not moved and freeze == last_freeze:
        return Unmoved()
    if gold_model.query.totals:
        return _finish(plan, FULL, gold_model.query.totals[0])
    return _plan_affected(warehouse, sql, plan, gold, moved, count_rows(newest))


def _write_definition(query_sql: str, config: Any, sources: Sequence[Source], day: str) -> str:
    """Writes a digest of a model as it is written, with the day. The same query in other words has another one."""
    settings, _ = read_settings(config)
    settings = replace(settings, freeze=bind_day(settings.freeze, day), clock=bind_day(settings.clock, day))
    inputs = [(source.name, source.schema, source.alias, source.layer, source.key) for source in sources]
    return hashlib.sha256(repr((query_sql.strip(), settings, inputs)).encode()).hexdigest()[:32]


def _are_unmoved(warehouse: Warehouse, sources: Sequence[Source], summary: Mapping[str, str]) -> bool:
    """Whether all inputs are as a commit records them, by their metadata alone."""
    recorded = read_recorded(summary)
    relations = [warehouse.get_relation(source.database, source.schema, source.alias) for source in sources]
    for relation in relations:
        state = recorded.get(write_name(relation)) if relation else None
        if not state or not state.snapshot_id or not has_snapshots(relation):
            return False
        if not warehouse.is_unchanged_since(relation, state.uuid, state.snapshot_id):
            return False
    return True


def write_types(model: GoldModel) -> str:
    """Writes a digest of the types of the columns that a query uses."""
    types = [
        [input.name, name, input.columns[name]]
        for input in model.query.inputs
        for name in sorted({*model.query.uses.get(input.name, ()), *input.key})
    ]
    return hashlib.sha256(json.dumps(types).encode()).hexdigest()[:32]


def _read_newest(warehouse: Warehouse, gold: Relation | None) -> Mapping[str, str]:
    """Reads the newest commit of a gold table."""
    snapshot_id = warehouse.current_snapshot_id(gold) if gold is not None else 0
    summary: Mapping[str, str] = warehouse.snapshot(gold, snapshot_id)["summary"] if snapshot_id else {}
    return summary


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
    columns = model.query.uses.get(input.name, ())
    return measure_input(warehouse, sql, models, input, source, relation, recorded.get(write_name(relation)), columns)


def _list_reasons_for_all(
    summary: Mapping[str, str], model: GoldModel, types: str, movements: Sequence[Movement]
) -> list[str]:
    """Lists why all rows are computed, whatever the changed keys are."""
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


def _list_reasons_of_day(sql: str, settings: Settings, last_day: str, day: str, last_freeze: str) -> list[str]:
    """Lists why all rows are computed because of the day, or of another condition of frozen rows."""
    reasons = []
    if names_day(sql) and last_day != day:
        if not settings.clock:
            reasons.append(f"gold_today() is another day: {day}")
        elif not list_days(last_day, day):
            reasons.append(f"gold_today() is {day}, more than a month from the last refresh: {last_day}")
    if last_freeze and bind_day(settings.freeze, last_day) != last_freeze:
        reasons.append("freeze has changed")
    return reasons


def _list_moved(settings: Settings, last_day: str, day: str, last_freeze: str, freeze: str) -> list[str]:
    """Lists conditions of rows that the day moves: those of `clock` on each day since, and rows frozen no longer."""
    conditions = []
    if settings.clock and last_day != day:
        conditions += [bind_day(settings.clock, each) for each in list_days(last_day, day)]
    if last_freeze and freeze != last_freeze:
        conditions.append(f"coalesce({last_freeze}, false) and not coalesce({freeze}, false)")
    return list(dict.fromkeys(conditions))


def _read_frozen(name: str, model: GoldModel, last_freeze: str, freeze: str) -> Frozen | None:
    """Reads which rows stay: `freeze` held at the last refresh, so that they are final, and holds now."""
    if not last_freeze or not freeze:
        return None
    lacking = sorted(set(list_columns(last_freeze)) - set(model.query.columns))
    if lacking:
        raise LakehouseError(
            f"Gold error in {name} (cdc_affected): the table has rows that are frozen by {last_freeze}, and the query"
            f" returns {', '.join(lacking)} no longer. Keep the column, or compute frozen rows again, too: dbt run"
            f" --full-refresh --select {name}."
        )
    return Frozen(freeze if freeze == last_freeze else f"({last_freeze}) and ({freeze})")


def _check_frozen_columns(warehouse: Warehouse, name: str, model: GoldModel, gold: Relation, freeze: str) -> None:
    """Checks that the table has the columns by which its frozen rows are found.

    Raises:
        LakehouseError: it lacks one.
    """
    columns = {column.name.lower() for column in warehouse.get_columns_in_relation(gold)}
    lacking = sorted({*model.settings.key, *list_columns(freeze)} - columns)
    if lacking:
        raise LakehouseError(
            f"Gold error in {name} (cdc_affected): the table has frozen rows, and no column {', '.join(lacking)}, which"
            " the key or freeze names now. Leave the column out of both, or compute frozen rows again, too: dbt run"
            f" --full-refresh --select {name}."
        )


def _find_changed_keys(warehouse: Warehouse, sql: Sql, plan: GoldPlan, numbers: Collection[int]) -> GoldPlan:
    """Finds the changed keys of some inputs, once: statements read them from a view."""
    movements = []
    for movement in plan.movements:
        if movement.changed_sql and movement.number in numbers:
            view = f"cdc_gold_changed_{movement.number}"
            warehouse.cache_rows(view, movement.changed_sql)
            keys = read_key_set(warehouse, sql, view, movement.input.key)
            movements.append(replace(movement, changed=keys if keys.count else KeySet()))
        else:
            movements.append(movement)
    return replace(plan, movements=tuple(movements))


def _find_spine_keys(warehouse: Warehouse, sql: Sql, plan: GoldPlan) -> GoldPlan:
    """Finds the keys that changes of the spine lead to: their rows are computed though they are frozen."""
    spines = {branch.spine.input.number for branch in plan.model.branches}
    changed = [move.changed for move in plan.movements if move.changed.view and move.number in spines]
    if not plan.frozen or not changed:
        return plan
    names = tuple(branch.spine.input.name for branch in plan.model.branches)
    if any(keys.count > MOST_KEYS for keys in changed):
        return replace(plan, frozen=replace(plan.frozen, unknown=names))
    view = f"{plan.keys.view}_of_spine"
    model = plan.model.follow_spines()
    warehouse.cache_rows(view, sql["cdc_gold_keys_sql"](model, plan.movements, MOST_KEYS + 1))
    keys = read_key_set(warehouse, sql, view, model.settings.key)
    if keys.count > MOST_KEYS:
        return replace(plan, frozen=replace(plan.frozen, unknown=names))
    return replace(plan, frozen=replace(plan.frozen, spine_keys=keys))


def _plan_full(warehouse: Warehouse, sql: Sql, plan: GoldPlan, gold: Relation, reason: str) -> GoldPlan:
    """Plans all rows but those that are frozen: of them, those of changed rows of the spine."""
    if plan.frozen is None:
        return _finish(plan, FULL, reason)
    spines = {branch.spine.input.number for branch in plan.model.branches}
    columns, needs_past = plan.model.query.uses, plan.model.follow_spines().needs_past
    movements = [
        compare_states(sql, movement, columns.get(movement.input.name, ()))
        if movement.number in spines and movement.full and movement.before_id is not None
        else movement
        for movement in plan.movements
    ]
    # Without its rows at the last refresh, nobody knows to which keys they led.
    movements = [
        replace(m, changed_sql="", changed=KeySet()) if needs_past and not m.has_before else m for m in movements
    ]
    unknown = tuple(m.input.name for m in movements if m.number in spines and m.has_moved and not m.changed_sql)
    plan = replace(plan, movements=tuple(movements), frozen=replace(plan.frozen, unknown=unknown))
    plan = _find_spine_keys(warehouse, sql, _find_changed_keys(warehouse, sql, plan, spines))
    return _finish(_count_frozen(warehouse, sql, plan, gold, None), FULL, reason)


def _count_frozen(warehouse: Warehouse, sql: Sql, plan: GoldPlan, gold: Relation, keys: KeySet | None) -> GoldPlan:
    if plan.frozen is None:
        return plan
    counted = sql["cdc_gold_frozen_keys_sql"](gold, plan.model.settings.key, plan.frozen, keys)
    return replace(plan, frozen=replace(plan.frozen, keys=int(warehouse.query(counted)[0]["row_count"])))


def _plan_affected(
    warehouse: Warehouse, sql: Sql, plan: GoldPlan, gold: Relation, moved: Sequence[str], rows: int | None
) -> GoldPlan:
    plan = _find_changed_keys(warehouse, sql, plan, {movement.number for movement in plan.movements})
    most = [move.input.name for move in plan.movements if move.changed.count > MOST_KEYS]
    if most:
        return _plan_full(warehouse, sql, plan, gold, f"more than {MOST_KEYS} keys of {', '.join(most)} have changed")
    changed = [f"{move.changed.count} of {move.input.name} ({move.via})" for move in plan.movements if move.via]
    because = f"changed keys: {', '.join(changed) or 'none'}"
    if moved:
        because += f"; rows that {plan.progress['cdc.gold-today']} moves"
    moved_sql = sql["cdc_gold_moved_sql"](gold, plan.model, moved) if moved else ""
    if moved or any(movement.changed.view for movement in plan.movements):
        keys_sql = sql["cdc_gold_keys_sql"](plan.model, plan.movements, MOST_KEYS + 1, moved_sql)
        warehouse.cache_rows(plan.keys.view, keys_sql)
        plan = replace(plan, keys=read_key_set(warehouse, sql, plan.keys.view, plan.model.settings.key))
    count = plan.keys.count
    if count > MOST_KEYS:
        return _plan_full(warehouse, sql, plan, gold, f"more than {MOST_KEYS} keys are affected")
    plan = _find_spine_keys(warehouse, sql, plan)
    limit = plan.model.settings.full_above
    if count and limit is not None and rows is not None:
        affected_sql = sql["cdc_gold_affected_rows_sql"](gold, plan.model.settings.key, plan.keys, plan.frozen)
        affected = int(warehouse.query(affected_sql)[0]["row_count"])
        if affected > limit * rows or rows == 0:
            share = f"{affected} of {rows} rows are affected, more than full_above={limit:g}"
            reason = f"{share if rows else 'the table has no rows'}; {because}"
            return _finish(_count_frozen(warehouse, sql, plan, gold, None), FULL, reason)
    if count:
        plan = cut_large_inputs(warehouse, _count_frozen(warehouse, sql, plan, gold, plan.keys))
    return _finish(plan, AFFECTED, f"{count} keys; {because}")


def cut_large_inputs(warehouse: Warehouse, plan: GoldPlan) -> GoldPlan:
    """Leaves small inputs whole: to find the rows of one that are needed, the spine would be read once more."""
    relations = {movement.number: movement.relation for movement in plan.movements}
    numbers = [cut.input.number for cut in plan.model.cuts if not cut.own]
    small = [number for number in numbers if warehouse.has_few_rows(relations[number])]
    return replace(plan, model=plan.model.leave_whole(small))


def _finish(plan: GoldPlan, way: str, reason: str) -> GoldPlan:
    frozen = plan.frozen
    if frozen and frozen.keys:
        reason += f"; {frozen.keys} frozen keys stay as they are"
    if frozen and frozen.unknown:
        names = ", ".join(dict.fromkeys(frozen.unknown))
        reason += f"; what changed in {names} is unknown: refresh_gold computes its frozen keys"
    progress = {
        **plan.progress,
        "cdc.gold-mode": way,
        "cdc.gold-reason": reason,
        "cdc.gold-keys": plan.keys.count if way == AFFECTED else "all",
        "cdc.gold-frozen": frozen.keys if frozen else "",
    }
    return replace(plan, way=way, message=f"{way}: {reason}", progress=progress)
