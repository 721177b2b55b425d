"""The commands that help, as they are typed into a shell."""

from __future__ import annotations

import json
from shlex import quote

from python_udfs.pipeline.table_config import Source


def build(model: str) -> str:
    """Builds a model, what it depends on and what depends on it."""
    return f"dbt build --select {quote(f'+{model}+')}"


def test(name: str) -> str:
    """Runs a data test again."""
    return f"dbt test --select {quote(name)}"


def replay(table: str) -> str:
    """Judges the quarantined rows of a silver table again."""
    return _operation("replay_quarantine", table)


def change_types(table: str) -> str:
    """Gives a silver table and its bronze table the types of the seed, or those that quarantined rows need."""
    return _operation("change_types", table)


def _operation(name: str, table: str) -> str:
    return f"dbt run-operation {name} --args {quote(json.dumps({'table': table}, ensure_ascii=False))}"


def quality(table: str) -> str:
    """Judges the expectations of a silver table again."""
    return f"make quality TABLES={quote(table)}"


def read_again(source: Source) -> str:
    """The steps that read a source table (feed, schema, table) again, with a new snapshot: no command does it alone."""
    feed, schema, table = source
    return f"read {schema}.{table} of feed {feed} by a new feed: docs/runbook.md, 'The slot was lost'"


def pass_gaps(feed: str) -> str:
    """Reads on behind the gaps of a feed that reads Kafka."""
    return f"LAKEHOUSE_KAFKA_GAPS=continue dbt build --select {quote(f'split_{feed}+')}"
