"""The page: one HTML file that fetches nothing and runs no script."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2

from python_udfs.report import charts
from python_udfs.report.facts import ROWS, RUNS, Facts, Run, Table
from python_udfs.report.gold import GoldTable
from python_udfs.report.needs import Need, describe_expectation, needs
from python_udfs.times import duration_text

TEMPLATES = Path(__file__).parent / "templates"
UNKNOWN = "\N{EN DASH}"
# Sign and words of each state: color is never the only difference.
STATES = {
    "failing": ("✕", "failing"),
    "gap": ("✕", "messages lost"),
    "doubted": ("✕", "read again"),
    "late": ("!", "over its limit"),
    "unexpected": ("!", "expectation"),
    "rejected": ("!", "rejected"),
    "quarantine": ("!", "quarantine"),
    "foreign": ("!", "written by others"),
    "behind": ("!", "behind"),
    "unchecked": (UNKNOWN, "unchecked"),
    "none": (UNKNOWN, "no run yet"),
    "good": ("✓", "good"),
}
KINDS = {
    "failure": "Failing",
    "test_error": "Test stopped",
    "reload": "Reloads that wait",
    "gap": "Messages lost in Kafka",
    "log": "Logs that began again",
    "snapshot": "Second snapshots",
    "lag": "Lag over its limit",
    "gold": "Gold that is not refreshed",
    "expectation": "Expectations not met",
    "quarantine": "Rows in quarantine",
    "silent": "Silent feeds",
    "never": "Never built",
    "maintenance": "Maintenance due",
}
SPARK = (100, 24)
PLOT = (300, 90)


def page(facts: Facts) -> str:
    """The text of the HTML file."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        when=when,
        duration=duration,
        count=count,
        counted=counted,
        size=size,
        short=short,
        expectation=describe_expectation,
    )
    anchors = make_anchors(facts.tables)
    return environment.get_template("report.html").render(
        facts=facts,
        anchors=anchors,
        kinds=KINDS,
        states=STATES,
        tally=tally,
        groups=_grouped(needs(facts)),
        sparks=sparks,
        plots=plots,
        runs=RUNS,
        rows=ROWS,
        trend=trend,
    )


def make_anchors(tables: Iterable[Table]) -> dict[str, str]:
    """The id of each table's section: its name without what a link would have to escape, each once."""
    anchors: dict[str, str] = {}
    for table in tables:
        plain = "t-" + re.sub(r"[^A-Za-z0-9_.-]", "-", table.silver_table)
        taken = set(anchors.values())
        anchors[table.silver_table] = next(
            name for name in (plain, *(f"{plain}-{number}" for number in range(2, 9999))) if name not in taken
        )
    return anchors


def tally(tables: Iterable[Table | GoldTable]) -> dict[str, int]:
    """How many tables are in each state, the most urgent first; states that none is in are left out."""
    states = [table.state for table in tables]
    return {state: states.count(state) for state in STATES if state in states}


def sparks(table: Table) -> dict[str, charts.Line]:
    """The lines of the table of tables: lag and run time."""
    lags, times = _values(table.runs, "lag_seconds"), _values(table.runs, "run_seconds")
    return {
        "lag": charts.line("lag", lags, max((v for v in lags if v is not None), default=0), *SPARK),
        "time": charts.line("run time", times, max((v for v in times if v is not None), default=0), *SPARK),
    }


def plots(table: Table) -> list[charts.Plot]:
    """The drawings of a table's section."""
    runs = table.runs

    def of(*names: str) -> dict[str, charts.Values]:
        return {name.replace("rows_", "").replace("_", " "): _values(runs, name) for name in names}

    drawn = [
        charts.plot("Lag when the run ended", {"lag": _values(runs, "lag_seconds")}, duration, *PLOT),
        charts.bars("Rows in and out, log scale", of("rows_inserted", "rows_updated"), of("rows_deleted"), *PLOT),
        charts.plot("Rows of the table", {"rows": _values(runs, "rows_total")}, count, *PLOT),
        charts.plot("Run time", {"run time": _values(runs, "run_seconds")}, duration, *PLOT),
        charts.plot("Files", of("data_files", "delete_files"), count, *PLOT),
    ]
    return [shown_plot for shown_plot in drawn if shown_plot]


def trend(table: Table) -> str:
    """The run time beside its usual one, in words; empty if it is as usual or unknown."""
    ratio = table.run_time_trend
    if ratio is None or 0.67 < ratio < 1.5:
        return ""
    return f"{'↑' if ratio > 1 else '↓'} {ratio:.1f} times the usual"


def when(time: datetime | None) -> str:
    """A time in UTC, to the minute."""
    return f"{time:%Y-%m-%d %H:%M}" if time else UNKNOWN


def short(time: datetime) -> str:
    """A time for the axis of a drawing."""
    return f"{time:%m-%d %H:%M}"


def duration(seconds: float | None) -> str:
    """A duration in words; below ten seconds with tenths."""
    if seconds is None:
        return UNKNOWN
    return f"{seconds:.1f} s" if abs(seconds) < 10 else duration_text(int(seconds))


def count(number: float | None) -> str:
    """A number with thousands apart."""
    return UNKNOWN if number is None else f"{number:,.0f}"


def counted(number: float | None) -> str:
    """A number of rows that a run wrote: Spark counts those of a MERGE since 4.1."""
    return "not counted" if number is None else count(number)


def size(number: float | None) -> str:
    """Bytes in their largest unit."""
    if number is None:
        return UNKNOWN
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"


def _values(runs: Iterable[Run], name: str) -> list[Any]:
    return [getattr(run, name) for run in runs]


def _grouped(all_needs: Iterable[Need]) -> dict[str, list[Need]]:
    groups: dict[str, list[Need]] = {}
    for need in all_needs:
        groups.setdefault(need.kind, []).append(need)
    return groups
