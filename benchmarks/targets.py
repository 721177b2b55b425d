"""Targets of the project, as ratios within one run, beside what a run has measured."""

from __future__ import annotations

from collections.abc import Mapping

from python_udfs.cli.console import text_table

# Name of a measurement, and the greatest value that reaches the target.
TARGETS = {
    "eighty tables / R6": 1.3,
    "eighty tables with tests / without": 1.5,
    "a table of 2,000,000 rows with tests / without": 1.5,
    "a build with tests, second half of the rounds / first": 1.2,
    "nothing new / a build with changes": 0.15,
    "full load / copy of its files": 3.0,
    "apply 10,000 changes on 1,000,000 rows / R1": 1.0,
    "apply 100,000 changes on 1,000,000 rows / R1": 1.0,
    "apply 10,000 changes on 5,000,000 rows / R5": 1.5,
    "apply 100,000 changes on 5,000,000 rows / R5": 1.5,
    "checks of eighty tables / their build": 1.0,
    "split / a scan and a write by hand": 1.4,
    "messages of eighty tables / a streaming job by hand": 1.0,
    "from message to silver, one of 80 tables, seconds": 3.0,
    "watch, one of 80 tables, seconds": 2.0,
    "watch, one of 1,000 tables, seconds": 5.0,
    "nothing new, 1,000 tables / 80 tables": 12.5,
    "nothing new, CPU seconds a table of 1,000": 0.1,
    "gold, 1 % of the groups / full": 0.2,
    "gold, 20 % of the groups / full": 0.6,
    "gold, 1 % of the rows by a lookup / full": 0.2,
    "gold, 20 % of the rows by a lookup / full": 0.6,
    "gold, nothing moved, seconds a model": 0.05,
    "a batch after 1,000 / after 10": 1.2,
    "listing 1,000,000 known files, 100 new / 10,000 known": 2.0,
}


def targets_table(measured: Mapping[str, float]) -> str:
    """Every target with what was measured of it.

    Args:
        measured: values by the names of `TARGETS`.

    Returns:
        Lines of text; what was not measured has no value.
    """
    rows = []
    for name, most in TARGETS.items():
        value = measured.get(name)
        reached = "" if value is None else "yes" if value <= most else "no"
        rows.append((name, f"{most:g}", "" if value is None else f"{value:.2f}", reached))
    return text_table(("target", "at most", "measured", "reached"), rows, "<>><")
