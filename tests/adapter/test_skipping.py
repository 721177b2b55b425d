"""Which nodes run after a failure, by a graph with an edge from each node to what waits for it."""

from __future__ import annotations

from types import SimpleNamespace

import networkx
import pytest
from dbt.task.runnable import GraphRunnableTask

from dbt.adapters.sparksession import skipping

# Two tables; a model over both, a view on it with a test, and a report of a user on the view and one table.
EDGES = {
    "model.bronze_a": ["model.silver_a"],
    "model.bronze_b": ["model.silver_b", "test.own"],
    "model.silver_a": ["model.metrics", "model.report"],
    "model.silver_b": ["model.metrics"],
    "test.own": ["model.silver_b"],
    "model.metrics": ["model.state", "test.of_metrics"],
    "model.state": ["model.report", "test.of_state"],
}
OVER_ALL = ("model.metrics", "model.state")


def run(*failing, incomplete=(), late=()):
    """The nodes that dbt skips where some fail, one after the other in the order of the graph.

    The results of `late` come after all others: a thread that skips a node has taken it, and its result is on the way.
    """
    lost: dict[str, bool] = {}
    graph = networkx.DiGraph([(above, below) for above, all_below in EDGES.items() for below in all_below])
    nodes = {
        name: SimpleNamespace(
            unique_id=name,
            config=SimpleNamespace(meta={skipping.META: True} if name in OVER_ALL else {}),
            depends_on=SimpleNamespace(nodes=list(graph.predecessors(name))),
        )
        for name in graph
    }
    task = SimpleNamespace(
        graph=SimpleNamespace(graph=graph, get_dependent_nodes=lambda name: networkx.descendants(graph, name)),
        manifest=SimpleNamespace(nodes=nodes),
        config=SimpleNamespace(notes=lambda name: {"incomplete": incomplete, "lost": lost}[name]),
        _skipped_children={},
        node_results=[],
    )
    skipped = set()
    for name in networkx.lexicographical_topological_sort(graph):
        if name in task._skipped_children:
            del task._skipped_children[name]
            skipped.add(name)
            status = "skipped"
        else:
            status = "error" if name in failing else "success"
        result = SimpleNamespace(node=nodes[name], status=status, to_msg_dict=dict)
        if name not in late:
            task.node_results.append(result)
        if status == "error":
            GraphRunnableTask._mark_dependent_errors(task, name, result, None)
    assert skipped | {name for name in failing if name not in incomplete and name not in skipped} == lost.keys()
    return skipped


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.setattr(skipping, "get_adapter", lambda config: config)
    monkeypatch.setattr("dbt.task.runnable.fire_event", lambda event: None)
    monkeypatch.setattr("dbt.task.runnable.MarkSkippedChildren", SimpleNamespace)


@pytest.mark.parametrize(
    ("failing", "skipped"),
    [
        # What is over all runs, with its test; the user's own model on the failed table does not.
        (["model.silver_a"], {"model.report"}),
        (["model.bronze_a"], {"model.silver_a", "model.report"}),
        (["test.own"], {"model.silver_b"}),
        # Nothing has changed where all failed; what depends on it is as before.
        (
            ["model.bronze_a", "model.silver_b"],
            {"model.silver_a", "model.metrics", "model.state", "model.report", "test.of_metrics", "test.of_state"},
        ),
        (["model.metrics"], {"model.state", "model.report", "test.of_metrics", "test.of_state"}),
        (["test.of_metrics"], set()),
    ],
)
def test_a_model_over_many_is_skipped_only_with_all_of_them(failing, skipped):
    assert run(*failing) == skipped


def test_nothing_is_skipped_for_a_model_that_wrote_what_it_could():
    assert run("model.bronze_a", incomplete=["model.bronze_a"]) == set()


def test_a_failure_meanwhile_brings_back_nothing_that_waits_for_a_node_being_skipped():
    both = run("model.bronze_a", "test.own")
    assert run("model.bronze_a", "test.own", late=["model.silver_a"]) == both
    assert "model.report" in both
