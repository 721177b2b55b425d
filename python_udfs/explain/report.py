"""The life of a key as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from python_udfs.cli.console import text_table
from python_udfs.connectors.options import KAFKA_SCHEME
from python_udfs.explain.fold import Change
from python_udfs.explain.key import Key, key_text
from python_udfs.explain.verdicts import Life

HEAD = ("#", "operation", "committed at", "file", "row", "batch", "source position", "verdict", "values")
LONGEST_VALUES = 80
LONGEST_CELL = 200


def report(life: Life, silver: str) -> str:
    """Returns the printed text of a key.

    Args:
        life: the key.
        silver: name of the silver table.
    """
    cdc = life.cdc
    deletes = f", {cdc.delete_mode} deletes" if cdc.mode == "current" else ""
    head = f"{cdc.source_schema}.{cdc.source_table}, {key_text(life.key)} (mode {cdc.mode}{deletes})"
    changes = [_line(change, life.key, verdict) for change, verdict in zip(life.changes, life.verdicts(), strict=True)]
    rows = [[_cut(value) for value in row["image"].values()] for row in life.silver]
    now = _table(list(life.silver[0]["image"]), rows) if rows else "no row"
    return f"{head}\n\n{_table(HEAD, changes)}\n\n{silver} now:\n\n{now}\n"


def _line(change: Change, key: Key, verdict: str) -> list[Any]:
    name = change.source_file or ""
    # A partition of Kafka is topic/partition, and its row the offset.
    file = "/".join(name.split("/")[-2 if name.startswith(KAFKA_SCHEME) else -1 :])
    values = ", ".join(_values(change.image, key, change.unavailable))
    shown = values if len(values) <= LONGEST_VALUES else f"{values[: LONGEST_VALUES - 1]}…"
    origin = [file, change.file_row or "", change.batch_id, change.source_position]
    return [change.number, change.operation, change.committed_at or "", *origin, verdict, shown]


def _values(image: Mapping[str, str | None], key: Key, unavailable: Iterable[str]) -> Iterable[str]:
    for name, value in image.items():
        if name in unavailable:
            yield f"{name} unavailable"
        elif name not in key:
            yield f"{name}={'NULL' if value is None else value}"


def _table(head: list[str] | tuple[str, ...], rows: list[list[Any]]) -> str:
    lines = [["NULL" if cell is None else str(cell).replace("\n", "⏎") for cell in row] for row in rows]
    return text_table(head, lines, "<" * len(head))


def _cut(value: str | None) -> str | None:
    """A value; of a long one the beginning, and how long it is."""
    if value is None or len(value) <= LONGEST_CELL:
        return value
    return f"{value[:LONGEST_CELL]}… ({len(value):,} characters)"
