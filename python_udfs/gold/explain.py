"""Explains a gold model: its key and spine, how each input leads to them, and what would be computed in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from python_udfs.gold.day import bind_day, hide_day, read_day
from python_udfs.gold.inputs import read_model_inputs
from python_udfs.gold.model import Branch, GoldModel, Route, read_gold_model
from python_udfs.pipeline.text_table import write_table
from python_udfs.pipeline.warehouse import Warehouse


def explain_gold(
    warehouse: Warehouse, nodes: Mapping[str, Any], node: Mapping[str, Any], query_sql: str, today: str
) -> str:
    """Explains a model.

    Args:
        warehouse: has the columns of the inputs.
        nodes: dbt's nodes and sources by unique id.
        node: of the model.
        query_sql: the compiled query.
        today: what the macro `gold_today` writes.

    Raises:
        LakehouseError: the model is refused; it has all mistakes.
    """
    read = read_model_inputs(warehouse, nodes, node)
    model = read_gold_model(node["name"], hide_day(query_sql), node["config"], [input for input, _, _ in read])
    day = read_day(today)
    layers = {source.name: source.layer for _, source, _ in read}
    lines = [*_describe(node["name"], model.bind_days(day, day), layers), *_describe_rows(warehouse, node, model, day)]
    return "\n".join(lines)


def _describe(name: str, model: GoldModel, layers: Mapping[str, str]) -> Iterator[str]:
    yield f"{name}: key {', '.join(model.settings.key)}"
    if model.query.totals:
        yield f"All rows are computed whenever an input moves: {model.query.totals[0]}."
        return
    titles = ["spine", "input", "its key", "a changed row leads to the spine by", "states read", "read for new rows"]
    cut = {part.input.number: bool(part.own) for part in model.cuts}
    rows = [
        [
            branch.spine.input.name,
            route.leaf.input.name,
            ", ".join(route.leaf.input.key),
            _describe_route(branch, route),
            {0: "none", 1: "now", 2: "before and now"}[len(route.texts)],
            "rows of the affected keys" if route.leaf.input.number in cut else "all rows",
        ]
        for branch in model.branches
        for route in branch.routes
    ]
    yield write_table(titles, rows)
    yield from _describe_full(model, layers)


def _describe_rows(warehouse: Warehouse, node: Mapping[str, Any], model: GoldModel, day: str) -> Iterator[str]:
    """Describes rows that lookups leave as they are, and those that the day moves."""
    freeze, clock = (bind_day(text, day) for text in (model.settings.freeze, model.settings.clock))
    if freeze:
        gold = warehouse.get_relation(node["database"], node["schema"], node["alias"])
        summary = warehouse.newest_summary(gold, "cdc.gold-mode") if gold is not None else {}
        count = summary.get("cdc.gold-frozen") or "0"
        yield (
            f"Rows with {freeze} are frozen: they follow {', '.join(_list_spines(model))} alone. The last refresh"
            f" ({summary.get('cdc.gold-mode', 'none yet')}) left {count} keys as they were."
        )
    if clock:
        yield f"Another day moves rows with {clock}, and no others."


def _list_spines(model: GoldModel) -> list[str]:
    return list(dict.fromkeys(branch.spine.input.name for branch in model.branches))


def _describe_route(branch: Branch, route: Route) -> str:
    if not route.texts:
        return "its own key"
    # The query of the route without what it returns: the joins alone.
    _, _, joins = route.texts[-1].partition("from ")
    text = " ".join(joins.split()).replace("`", "")
    for leaf in [other.leaf for other in branch.routes]:
        text = text.replace(leaf.input.name_state("b"), leaf.input.name)
    return text


def _describe_full(model: GoldModel, layers: Mapping[str, str]) -> Iterator[str]:
    limit = model.settings.full_above
    yield "All rows are computed"
    yield "  - if the query, its key or a type of an input changes, or another program writes the table"
    yield "  - if an input is truncated, reloaded, rebuilt or rolled back, or a file of it is overwritten"
    if model.needs_past:
        yield "  - if the snapshot of a moved input that was read last has expired"
    yield (
        "  - never because of many affected rows"
        if limit is None
        else f"  - if more than {limit:.0%} of its rows are affected"
    )
    for input in model.query.inputs:
        if layers.get(input.name) not in ("silver", "gold"):
            yield f"  - whenever {input.name} moves: nothing records which of its keys changed"
