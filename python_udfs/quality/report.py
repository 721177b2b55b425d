"""What `make quality` prints at its end: what failed, what warns, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from python_udfs.cli.console import text_table
from python_udfs.quality.checks import Outcome

HEAD = ("table", "column", "expectation", "observed", "expected")
WIDEST = 60


def report(outcomes: Sequence[Outcome], schema: str) -> str:
    """The tables of warnings and failures, and of what was not judged only the number.

    Args:
        outcomes: of all tables.
        schema: of the silver tables.
    """
    failed = [one for one in outcomes if one.fails]
    warned = [one for one in outcomes if one.success is False and not one.fails]
    open_ = sum(one.success is None for one in outcomes)
    parts = [
        _part("Warnings", warned, schema),
        _part("Failed", failed, schema),
        f"{len(outcomes)} expectations: {sum(one.success is True for one in outcomes)} met, {len(warned)} warned,"
        f" {len(failed)} failed, {open_} had nothing to judge.",
    ]
    return "\n".join(filter(None, parts))


def _part(title: str, outcomes: Sequence[Outcome], schema: str) -> str:
    if not outcomes:
        return ""
    lines = [
        tuple(
            _short(text)
            for text in (
                f"{schema}.{one.check.table}",
                one.check.columns,
                one.check.row.expectation,
                one.observed or "not judged",
                one.expected,
            )
        )
        for one in outcomes
    ]
    return "\n".join([f"{title}:", text_table(HEAD, lines, "<" * len(HEAD)), *_advice(outcomes, schema), ""])


def _advice(outcomes: Iterable[Outcome], schema: str) -> list[str]:
    """A paragraph per outcome: condition, examples or error, and what the seed advises."""
    lines = []
    for one in outcomes:
        table = f"{schema}.{one.check.table}"
        if one.is_unreadable:
            lines.append(_plain(f"  {table}: {one.message}"))
            continue
        name = f"{table}, {one.check.columns}" if one.check.columns else table
        where = f" where {one.check.row.row_condition}" if one.check.row.row_condition else ""
        said = [text for text in (one.message, one.check.row.description) if text]
        lines.append(_plain(f"  {name}{where}: {' — '.join(said) or 'see Data Docs'}"))
    return list(dict.fromkeys(lines))


def _short(text: str) -> str:
    text = _plain(text)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _plain(text: str) -> str:
    """Text of rows and names for a terminal: no control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
