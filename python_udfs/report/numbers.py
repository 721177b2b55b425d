"""The numbers of the page for programs: as JSON, and as OpenMetrics text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector, CollectorRegistry

from python_udfs.report.facts import Facts, Table
from python_udfs.report.gold import GoldTable
from python_udfs.report.needs import needs
from python_udfs.report.page import KINDS

# Metric, its meaning, and the number of a table. A number that is not known has no line.
GAUGES = (
    ("lag_seconds", "From the newest change that silver has, at the source, to now.", lambda t: t.lag_seconds),
    ("lag_limit_seconds", "The lag that the table may have.", lambda t: t.lag_limit_seconds),
    ("failing", "1: a model or a data test of the table fails.", lambda t: int(t.state == "failing")),
    ("expectations_not_met", "Expectations that the last make quality found not met.", lambda t: t.not_met),
    ("last_run_timestamp_seconds", "When the last run with changes ended.", lambda t: _of(t, "committed_at")),
    ("last_run_seconds", "How long bronze and silver took in it.", lambda t: _of(t, "run_seconds")),
    ("last_run_rows_inserted", "Rows that it inserted.", lambda t: _of(t, "rows_inserted")),
    ("last_run_rows_updated", "Rows that it updated.", lambda t: _of(t, "rows_updated")),
    ("last_run_rows_deleted", "Rows that it deleted.", lambda t: _of(t, "rows_deleted")),
    ("last_run_rows_quarantined", "Rows that it left out.", lambda t: _of(t, "rows_quarantined")),
    ("last_run_ties", "Different changes of a key at one source position.", lambda t: _of(t, "ties")),
    ("rows", "Rows of the silver table.", lambda t: _of(t, "rows_total")),
    ("size_bytes", "Size of its files.", lambda t: _of(t, "bytes")),
    ("data_files", "Its data files.", lambda t: _of(t, "data_files")),
    ("delete_files", "Its delete files.", lambda t: _of(t, "delete_files")),
)


def _timestamp(table: GoldTable) -> float | None:
    return table.committed_at.timestamp() if table.way and table.committed_at else None


# The same of a gold table.
GOLD_GAUGES: tuple[tuple[str, str, Callable[[GoldTable], Any]], ...] = (
    ("behind_seconds", "Since when it lacks a change of an input, to now.", lambda t: t.behind_seconds),
    ("failing", "1: the model or its data test fails.", lambda t: int(t.state == "failing")),
    ("last_refresh_timestamp_seconds", "When it was refreshed last.", _timestamp),
    ("last_refresh_seconds", "How long that took.", lambda t: t.run_seconds),
    ("last_refresh_in_full", "1: it computed all rows.", lambda t: int(t.keys is None) if t.way else None),
    ("last_refresh_keys", "Keys that it computed, if not all.", lambda t: t.keys),
    ("rows", "Rows of the table.", lambda t: t.rows),
    ("size_bytes", "Size of its files.", lambda t: t.bytes),
    ("data_files", "Its data files.", lambda t: t.data_files),
    ("delete_files", "Its delete files.", lambda t: t.delete_files),
)


def as_json(facts: Facts) -> str:
    """Writes the needs, and each table with its last runs; times in ISO 8601, UTC."""
    tables = [
        {
            **{name: value for name, value in asdict(table).items() if name != "now"},
            "state": table.state,
            "lag_seconds": table.lag_seconds,
            "run_time_trend": table.run_time_trend,
            "maintenance": table.maintenance,
            "marks": [asdict(mark) for mark in table.marks],
            "runs": [{**asdict(run), "lag_seconds": run.lag_seconds} for run in table.runs],
        }
        for table in facts.tables
    ]
    document = {
        "as_of": facts.now,
        "needs": [asdict(need) for need in needs(facts)],
        "tables": tables,
        "gold": [
            {
                **{name: value for name, value in asdict(table).items() if name != "now"},
                "state": table.state,
                "run_seconds": table.run_seconds,
                "behind_seconds": table.behind_seconds,
            }
            for table in facts.gold
        ],
        "topics": list(facts.topics),
    }
    return json.dumps(document, indent=1, default=_text, ensure_ascii=False) + "\n"


def as_openmetrics(facts: Facts) -> str:
    """The numbers of now, for Prometheus and what reads its text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(facts))
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return text.decode()


class _Collector(Collector):
    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def collect(self) -> Iterator[Any]:
        facts = self._facts
        yield _gauge("report_timestamp_seconds", "When these numbers were read.", (), [((), facts.now.timestamp())])
        open_needs = needs(facts)
        yield _gauge(
            "needs",
            "Things that need a person.",
            ("kind",),
            [((kind,), sum(need.kind == kind for need in open_needs)) for kind in KINDS],
        )
        for name, meaning, value in GAUGES:
            samples = (((table.feed, table.silver_table), value(table)) for table in facts.tables)
            yield _gauge(f"table_{name}", meaning, ("feed", "table"), samples)
        for name, meaning, of_gold in GOLD_GAUGES:
            yield _gauge(f"gold_{name}", meaning, ("table",), (((t.gold_table,), of_gold(t)) for t in facts.gold))
        behind = (
            (
                (str(topic.get("feed")), str(topic.get("topic")), str(topic.get("partition"))),
                topic.get("messages_behind"),
            )
            for topic in facts.topics
        )
        yield _gauge("kafka_messages_behind", "Messages that were not read.", ("feed", "topic", "partition"), behind)


def _gauge(name: str, meaning: str, labels: tuple[str, ...], samples: Iterable[tuple[tuple[str, ...], Any]]) -> Any:
    gauge = GaugeMetricFamily(f"lakehouse_{name}", meaning, labels=labels)
    for values, value in samples:
        if value is not None:
            gauge.add_metric(values, value)
    return gauge


def _of(table: Table, name: str) -> Any:
    value = getattr(table.newest, name) if table.newest else None
    return value.timestamp() if isinstance(value, datetime) else value


def _text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
