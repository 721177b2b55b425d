"""Command line of the benchmarks: `python -m benchmarks [--quick]`, which is `make bench` and `make bench-quick`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import apply, load, split, tables, watching
from benchmarks.lake import Cost
from benchmarks.plot import draw
from benchmarks.variants import VARIANTS

PARTS = ("apply", "load", "split", "tables", "watch")


def main() -> None:
    """Measures, checks every result, and prints a table of CPU seconds and of their ratios to ours."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data: every variant runs and is checked")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=PARTS, help="some parts")
    parser.add_argument("--plot", type=Path, help="write the costs as a picture (SVG)")
    parser.add_argument("--rows", type=int, nargs="+", help="rows of the table that batches are applied to")
    options = parser.parse_args()
    rows = options.rows or ([20_000] if options.quick else [1_000_000, 5_000_000])
    count = 4 if options.quick else 80
    repeats = 2 if options.quick else 5
    sizes = (500, 2_000) if options.quick else (10_000, 100_000)
    shown: dict[str, dict[str, Cost]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        root = Path(scratch)
        if "apply" in options.only:
            for number in rows:
                shown |= _show_apply(apply.measure(root / f"apply{number}", number, sizes, "uniform", repeats))
        if "load" in options.only:
            shown |= _show_load(load.measure(root / "load", 20_000 if options.quick else 5_000_000))
        if "split" in options.only:
            shown |= _show_split(split.measure(root / "split", 80, 8_000 if options.quick else 800_000, repeats))
        if "tables" in options.only:
            shown |= _show_tables(tables.measure(root / "tables", count, 100))
        if "watch" in options.only:
            _show_watching(watching.measure(root / "watch", count, 100, repeats))
    if options.plot and shown:
        draw(options.plot, shown)


def _show_apply(found: list[apply.Series]) -> dict[str, dict[str, Cost]]:
    names = {apply.OURS: "ours", **{variant.name: variant.says for variant in VARIANTS}}
    shown: dict[str, dict[str, Cost]] = {}
    for series in found:
        says = f"{series.changes:,} changes on {series.rows:,} rows, {series.skew}"
        shown |= _show(says, {name: series.cost(variant) for variant, name in names.items()})
    return shown


def _show_load(found: load.Load) -> dict[str, dict[str, Cost]]:
    return _show(f"full load of {found.rows:,} rows, raw to silver", {"ours": found.ours, "copy of files": found.copy})


def _show_watching(found: watching.Watching) -> None:
    _say(f"continuous mode, {found.tables} tables, one of them changed")
    _say(f"  from its file to silver {found.with_news:5.2f} s; a cycle without news {found.without:5.2f} s")


def _show_split(found: split.Split) -> dict[str, dict[str, Cost]]:
    says = f"{found.rows:,} records of {found.tables} tables in transaction files"
    return _show(says, {"ours": found.ours, "by hand": found.by_hand, "copy of lines": found.copy})


def _show_tables(found: tables.Tables) -> dict[str, dict[str, Cost]]:
    says = f"{found.tables} tables of {found.changes} changes, whole processes"
    return _show(says, {"ours": found.ours, "R6 pool": found.pool, "nothing new": found.nothing_new})


def _show(says: str, costs: dict[str, Cost]) -> dict[str, dict[str, Cost]]:
    _say(says)
    for name, cost in costs.items():
        ratio = costs["ours"].cpu / cost.cpu
        _say(f"  {name:<18} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s   ours / this: {ratio:5.2f} CPU")
    return {says: costs}


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
