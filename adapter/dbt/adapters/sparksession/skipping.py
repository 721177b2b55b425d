"""Decides which nodes dbt skips after a failure: not a model over many tables of which only some failed.

dbt skips whatever depends on a node that failed, directly or not. A model with `meta: {runs_after_failures: true}`
gathers what many models have made: it is skipped only if each of these failed or was skipped, and what depends on it
is not skipped for their sake. A model that notes its unique id in `adapter.notes('incomplete')` before its error has
written what it could: nothing is skipped for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import networkx  # type: ignore[import-untyped]
from dbt.adapters.factory import get_adapter
from dbt.task.runnable import GraphRunnableTask

META = "runs_after_failures"
_LOST = {"error", "fail", "partial success", "skipped"}


def install() -> None:
    """Has dbt's tasks ask `choose_kept` after each failure: `_mark_dependent_errors` of dbt-core 1.11 and 1.12.

    `adapter.notes('lost')` has the ids of the nodes that failed or are skipped, for those that run after them.
    """
    mark = GraphRunnableTask._mark_dependent_errors
    if getattr(mark, "asks_choose_kept", False):
        return

    def mark_and_keep(task: Any, node_id: str, result: Any, cause: Any) -> None:
        notes = get_adapter(task.config).notes
        if node_id in notes("incomplete"):
            return
        mark(task, node_id, result, cause)
        skipped, recorded = task._skipped_children, notes("lost")
        lost = {node_id} | {each.node.unique_id for each in task.node_results if str(each.status) in _LOST}
        # A node that a thread has taken to skip it is not marked any more, and has no result yet.
        for kept in choose_kept(task.graph.graph, task.manifest.nodes, skipped, lost.union(recorded)):
            del skipped[kept]
        recorded.update(dict.fromkeys(lost.union(skipped), True))

    mark_and_keep.asks_choose_kept = True  # type: ignore[attr-defined]
    GraphRunnableTask._mark_dependent_errors = mark_and_keep  # type: ignore[assignment, method-assign]


def choose_kept(
    graph: networkx.DiGraph, nodes: Mapping[str, Any], marked: Iterable[str], lost: Collection[str]
) -> list[str]:
    """The nodes that dbt has marked to be skipped and that run all the same.

    Args:
        graph: the nodes that the command runs, an edge from each to what waits for it.
        nodes: the manifest's nodes by unique id, each with `resource_type`, `config.meta` and `depends_on.nodes`.
        marked: unique ids of those that will be skipped.
        lost: unique ids of those that failed or were skipped already.
    """
    marked, gone, kept = set(marked), set(lost), []
    for unique_id in networkx.topological_sort(graph.subgraph(marked)):
        parents = set(graph.predecessors(unique_id))
        node = nodes.get(unique_id)
        if node is not None and node.config.meta.get(META):
            is_skipped = {parent for parent in node.depends_on.nodes if parent.startswith("model.")} <= gone
        else:
            is_skipped = bool(parents & gone)
        if is_skipped:
            gone.add(unique_id)
        else:
            kept.append(unique_id)
    return kept
