"""Decides the outcome of each table from the results of dbt's nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from python_udfs.pipeline.results import FAILED, SKIPPED, TEST_WARNED
from python_udfs.pipeline.table import read_layer, read_model
from python_udfs.run.causes import may_pass

BUILT, HAS_FAILED = "built", "failed"
LAYERS = ("bronze", "silver")


@dataclass
class TableOutcome:
    """One table after a build.

    Attributes:
        state: `built`; `failed`: one of its models or tests did; `skipped`: something it depends on failed.
        message: why it failed or was skipped, a line per node; empty if it was built.
        warnings: a line per test that warned.
        lag_limit_minutes: of the metadata; None: no limit.
        facts: of its newest row of `etl_metadata.run_metrics`: `snapshot_id`, `lag_seconds`, `rows`, `inserted`,
            `updated`, `deleted`. Empty before its first commit.
    """

    state: str = BUILT
    message: str = ""
    warnings: list[str] = field(default_factory=list)
    lag_limit_minutes: float | None = None
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass
class Outcome:
    """A build.

    Attributes:
        tables: by name of the table in its layer's schema, such as `sampledb__product`.
        others: messages of failures that belong to no single table.
        may_pass: whether any failure of the build may pass by itself.
    """

    tables: dict[str, TableOutcome] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    may_pass: bool = False

    @property
    def has_failed(self) -> bool:
        """Whether anything failed."""
        return bool(self.others) or any(table.state != BUILT for table in self.tables.values())


def sort_results(results: Iterable[Any]) -> Outcome:
    """Sorts the results of dbt's nodes by table.

    Args:
        results: of dbt's command `build`; each has `node`, `status` and `message`.
    """
    by_id = {result.node.unique_id: result for result in results}
    outcome = Outcome(tables=_tables(by_id))
    failures: dict[str, list[str]] = defaultdict(list)
    for result in by_id.values():
        about = _table_of(result.node, by_id)
        line = f"{result.node.name}: {_text(result)}"
        if str(result.status) in FAILED:
            outcome.may_pass = outcome.may_pass or may_pass(line)
            (failures[about] if about else outcome.others).append(line)
        elif str(result.status) == TEST_WARNED and about:
            outcome.tables[about].warnings.append(line)
    for name, table in outcome.tables.items():
        if failures[name]:
            table.state, table.message = HAS_FAILED, "\n".join(failures[name])
        elif table.state == SKIPPED:
            table.message = f"not built, because of {', '.join(_list_causes(name, by_id))}"
    return outcome


def _tables(by_id: Mapping[str, Any]) -> dict[str, TableOutcome]:
    tables: dict[str, TableOutcome] = {}
    for result in by_id.values():
        model = read_model(result.node)
        if model and model.layer in LAYERS:
            table = tables.setdefault(model.alias, TableOutcome())
            table.lag_limit_minutes = model.lag_limit_minutes or table.lag_limit_minutes
            if str(result.status) == SKIPPED:
                table.state = SKIPPED
    return tables


def _table_of(node: Any, by_id: Mapping[str, Any]) -> str | None:
    """The table that a model makes, or that a test is about; None: it is of no single table."""
    if read_layer(node) in LAYERS:
        return str(node.alias)
    attached = by_id.get(getattr(node, "attached_node", None) or "")
    return _table_of(attached.node, by_id) if attached else None


def _list_causes(table: str, by_id: Mapping[str, Any]) -> list[str]:
    """Names of the nodes whose failure skipped a table."""
    origins, seen = set(), set()
    todo = [result.node.unique_id for result in by_id.values() if _table_of(result.node, by_id) == table]
    while todo:
        unique_id = todo.pop()
        if unique_id in seen or unique_id not in by_id:
            continue
        seen.add(unique_id)
        result = by_id[unique_id]
        if str(result.status) in FAILED:
            origins.add(result.node.name)
        elif str(result.status) == SKIPPED:
            todo += result.node.depends_on.nodes
    return sorted(origins) or ["a node before it"]


def _text(result: Any) -> str:
    return " ".join(str(result.message or result.status).split())
