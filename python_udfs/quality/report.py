"""Text that `make quality` prints at its end: failures, warnings, and what to do."""

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
    failed = [outcome for outcome in outcomes if outcome.fails]
    warned = [outcome for outcome in outcomes if outcome.success is False and not outcome.fails]
    open_ = sum(outcome.success is None for outcome in outcomes)
    parts = [
        _part("Warnings", warned, schema),
        _part("Failed", failed, schema),
        f"{len(outcomes)} expectations: {sum(outcome.success is True for outcome in outcomes)} met,"
        f" {len(warned)} warned, {len(failed)} failed, {open_} had nothing to judge.",
    ]
    return "\n".join(filter(None, parts))


def _part(title: str, outcomes: Sequence[Outcome], schema: str) -> str:
    if not outcomes:
        return ""
    lines = [
        tuple(
            _short(text)
            for text in (
                f"{schema}.{outcome.check.table}",
                outcome.check.columns,
                outcome.check.row.expectation,
                outcome.observed or "not judged",
                outcome.expected,
            )
        )
        for outcome in outcomes
    ]
    return "\n".join([f"{title}:", text_table(HEAD, lines, "<" * len(HEAD)), *_advice(outcomes, schema), ""])


def _advice(outcomes: Iterable[Outcome], schema: str) -> list[str]:
    """A paragraph per outcome: condition, examples or error, and what the seed advises."""
    lines = []
    for outcome in outcomes:
        table = f"{schema}.{outcome.check.table}"
        if outcome.is_unreadable:
            lines.append(_plain(f"  {table}: {outcome.message}"))
            continue
        name = f"{table}, {outcome.check.columns}" if outcome.check.columns else table
        where = f" where {outcome.check.row.row_condition}" if outcome.check.row.row_condition else ""
        said = [text for text in (outcome.message, outcome.check.row.description) if text]
        lines.append(_plain(f"  {name}{where}: {' — '.join(said) or 'see Data Docs'}"))
    return list(dict.fromkeys(lines))


def _short(text: str) -> str:
    text = _plain(text)
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def _plain(text: str) -> str:
    """Text of rows and names for a terminal: no control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
