"""Command line of the benchmarks: `python -m benchmarks [--quick]`, which is `make bench` and `make bench-quick`."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import (
    apply,
    checks,
    crossing,
    gold,
    growth,
    load,
    many,
    memory,
    objects,
    quality,
    releases,
    series,
    split,
    table_defaults,
    tables,
    throughput,
    topics,
    watching,
)
from benchmarks.lake import Cost, middle, take_little_data
from benchmarks.plot import draw
from benchmarks.targets import TARGETS, targets_table
from benchmarks.variants import VARIANTS
from python_udfs.cli.console import text_table

NAMES = {apply.OURS: "ours", **{variant.name: variant.describes for variant in VARIANTS}}
Costs = dict[str, dict[str, Cost]]
# Figures of the targets that the parts have measured.
_measured: dict[str, float] = {}


@dataclass(frozen=True)
class Sizes:
    """How much data each part takes; see the functions that measure."""

    rows: tuple[int, ...]
    changes: tuple[int, ...]
    repeats: int
    loaded: int
    grown: tuple[int, ...]
    growth_repeats: int
    warm_up: int
    pruned: int
    multi_tables: int
    multi_table: int
    tables: int
    plan: series.Plan
    memory: tuple[int, int]
    flow: tuple[int, ...]
    crossed: tuple[int, ...]
    crossing_changes: tuple[int, ...]
    objects: tuple[int, ...]
    new_objects: int
    many: tuple[int, ...]
    with_files: int
    checked: tuple[int, int]
    topics: int
    topic_changes: int
    step_changes: int
    cycles: int
    gold: tuple[int, int]
    defaults: tuple[int, int, int, int]


FULL = Sizes(
    rows=(1_000_000, 5_000_000),
    changes=(10_000, 100_000),
    repeats=9,
    loaded=5_000_000,
    grown=(1_000_000, 5_000_000, 20_000_000),
    growth_repeats=6,
    warm_up=10,
    pruned=2_000_000,
    multi_tables=80,
    multi_table=800_000,
    tables=80,
    plan=series.Plan(
        rows=2_000_000,
        changes=500,
        batches=300,
        block=50,
        maintain_every=25,
        scan_after=100,
        history=1_000,
        fresh=10,
        repeats=10,
    ),
    memory=(20_000_000, 1_000_000),
    flow=(10_000, 100_000, 1_000_000),
    crossed=(100_000, 300_000, 500_000, 1_000_000),
    crossing_changes=(2_000, 20_000),
    objects=(10_000, 1_000_000),
    new_objects=100,
    many=(80, 1_000),
    with_files=80,
    checked=(2_000_000, 100),
    topics=80,
    topic_changes=100,
    step_changes=2_500,
    cycles=200,
    gold=(5_000_000, 10_000),
    defaults=(100_000, 500, 60, 20),
)
QUICK = Sizes(
    rows=(5_000,),
    changes=(500,),
    repeats=1,
    loaded=5_000,
    grown=(1_000, 4_000),
    growth_repeats=1,
    warm_up=0,
    pruned=20_000,
    multi_tables=4,
    multi_table=800,
    tables=2,
    plan=series.Plan(
        rows=2_000,
        changes=100,
        batches=1,
        block=1,
        maintain_every=1,
        scan_after=1,
        history=2,
        fresh=1,
        repeats=1,
    ),
    memory=(20_000, 1_000),
    flow=(500, 1_000),
    crossed=(1_000,),
    crossing_changes=(100,),
    objects=(2_000, 5_000),
    new_objects=100,
    many=(2, 4),
    with_files=2,
    checked=(2_000, 2),
    topics=2,
    topic_changes=20,
    step_changes=50,
    cycles=2,
    gold=(20_000, 200),
    defaults=(1_000, 50, 2, 1),
)
# The quick run is two processes, about as long each: no time counts in it. The second one waits for processes mostly.
HALVES = (
    ("apply", "load", "split", "watch", "growth", "series", "throughput", "gold", "defaults"),
    ("tables", "releases", "checks", "memory", "crossing", "objects", "many", "topics", "follow", "quality"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, checks every result, and prints a table of CPU seconds and of their ratios to ours.

    Args:
        arguments: the command line without the program's name; None: that of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small data: every variant runs and is checked")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), help="some parts")
    parser.add_argument("--plot", type=Path, help="write the costs as a picture (PNG)")
    parser.add_argument("--rows", type=int, nargs="+", help="rows of the table that batches are applied to")
    parser.add_argument("--batches", type=int, help="batches of each of the two tables of the series")
    parser.add_argument("--history", type=int, help="batches of the old table in the end of the series")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else FULL
    plan = replace(
        sizes.plan,
        batches=options.batches or sizes.plan.batches,
        history=options.history or sizes.plan.history,
    )
    sizes = replace(sizes, plan=plan, rows=tuple(options.rows or sizes.rows))
    halves = [[part for part in half if part in options.only] for half in HALVES]
    if options.quick and all(halves):
        _run_both(*halves)
        return
    shown: Costs = {}
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        if options.quick:
            take_little_data(Path(scratch))
        for part in (name for name in PARTS if name in options.only):
            shown |= PARTS[part](Path(scratch), sizes)
    if options.plot and shown:
        draw(options.plot, shown)
    if not options.quick:
        _say(targets_table(_measured))


def _run_both(first: Sequence[str], second: Sequence[str]) -> None:
    """Quick runs of some parts in two processes at once; what the second one title is shown when it has ended.

    Raises:
        SystemExit: one of them failed.
    """
    quick = [sys.executable, "-m", "benchmarks", "--quick", "--only"]
    with tempfile.TemporaryFile("w+") as said, subprocess.Popen([*quick, *second], stdout=said, stderr=said) as beside:
        failed = subprocess.run([*quick, *first], check=False).returncode
        failed = beside.wait() or failed
        said.seek(0)
        _say(said.read().rstrip())
    if failed:
        sys.exit(failed)


def _apply(root: Path, sizes: Sizes) -> Costs:
    shown: Costs = {}
    apply.warm_up(root, sizes.changes[0], sizes.warm_up)
    for rows in sizes.rows:
        for cell in apply.measure(root, rows, sizes.changes, "uniform", sizes.repeats):
            title = f"{cell.changes:,} changes on {cell.rows:,} rows, {cell.skew}"
            name = "R1" if cell.rows == sizes.rows[0] else "R5"
            reference = next(variant.name for variant in VARIANTS if variant.describes.startswith(name))
            target = f"apply {cell.changes:,} changes on {cell.rows:,} rows / {name}"
            _target(target, cell.cost(apply.OURS), cell.cost(reference))
            shown |= _show(title, {name: cell.cost(variant) for variant, name in NAMES.items()})
    return shown


def _growth(root: Path, sizes: Sizes) -> Costs:
    changes = sizes.changes[0]
    growths = growth.measure(root, sizes.grown, changes, sizes.growth_repeats, sizes.warm_up)
    _say(f"growth of a batch of {changes:,} changes with the rows of the table")
    for variant, costs in growths.costs.items():
        points = ", ".join(f"{rows:,}: {cost.cpu:.2f}" for rows, cost in costs.items())
        _say(f"  {NAMES[variant]:<18} rows^{growths.exponent(variant):.2f}   CPU s by rows: {points}")
    pruning = growth.measure_pruning(root, sizes.pruned, changes)
    _say(f"data files that a batch of {changes:,} changes reads of {pruning.rows:,} rows in the order of the key")
    for skew, read in pruning.read.items():
        _say(f"  {skew + ' keys':<18} {read:4} of {pruning.files[skew]}")
    return {}


def _load(root: Path, sizes: Sizes) -> Costs:
    loads = load.measure(root, sizes.loaded)
    _target("full load / copy of its files", loads.ours, loads.copy)
    return _show(f"full load of {loads.rows:,} rows, raw to silver", {"ours": loads.ours, "copy of files": loads.copy})


def _split(root: Path, sizes: Sizes) -> Costs:
    splits = split.measure(root, sizes.multi_tables, sizes.multi_table, sizes.repeats, sizes.warm_up)
    title = f"{splits.rows:,} records of {splits.tables} tables in transaction files"
    _target("split / a scan and a write by hand", splits.ours, splits.by_hand)
    return _show(title, {"ours": splits.ours, "by hand": splits.by_hand, "copy of lines": splits.copy})


def _tables(root: Path, sizes: Sizes) -> Costs:
    measured = tables.measure(root, sizes.tables, 100)
    title = f"{measured.tables} tables of {measured.changes} changes, whole processes"
    _target("eighty tables / R6", measured.ours, measured.pool)
    _target("eighty tables with tests / without", measured.with_tests, measured.ours)
    _target("nothing new / a build with changes", measured.nothing_new, measured.ours)
    costs = {"R6 pool": measured.pool, "with data tests": measured.with_tests, "nothing new": measured.nothing_new}
    return _show(title, {"ours": measured.ours, **costs})


def _throughput(root: Path, sizes: Sizes) -> Costs:
    flows = throughput.measure(root, sizes.rows[0], sizes.flow, sizes.warm_up)
    _say(f"inserts, updates and deletes on {flows.rows:,} rows, from file to silver")
    for changes, cost in flows.costs.items():
        rate = f"{changes / cost.cpu:9,.0f}" if cost.cpu else "        -"
        _say(f"  {changes:>9,} changes {cost.cpu:7.2f} CPU s {rate} rows a second and core")
    return {}


def _checks(root: Path, sizes: Sizes) -> Costs:
    rows, rounds = sizes.checked
    builds = checks.measure(root, rows, sizes.changes[0], rounds)
    without, with_tests = middle(builds.without), middle(builds.with_tests)
    _target("a table of 2,000,000 rows with tests / without", with_tests, without)
    half = rounds // 2
    early, late = (middle(each) for each in (builds.with_tests[:half], builds.with_tests[half:]))
    _target("a build with tests, second half of the rounds / first", late, early)
    _say(f"builds of a table of {builds.rows:,} rows, {builds.changes:,} changes each, {rounds} rounds")
    _say(f"  without data tests {without.cpu:7.2f} CPU s")
    _say(f"  with data tests    {with_tests.cpu:7.2f} CPU s: {_ratio(with_tests, without)} times")
    _say(f"  with data tests, second half of the rounds, beside the first: {_ratio(late, early)} times")
    return {}


def _watch(root: Path, sizes: Sizes) -> Costs:
    cycles = watching.measure(root, sizes.tables, 100, sizes.repeats, sizes.warm_up)
    _say(f"continuous mode, {cycles.tables} tables, one of them changed")
    _measured["watch, one of 80 tables, seconds"] = cycles.with_changes
    _say(f"  from its file to silver {cycles.with_changes:5.2f} s; a cycle without changes {cycles.without:5.2f} s")
    return {}


def _topics(root: Path, sizes: Sizes) -> Costs:
    batches = topics.measure(root, sizes.topics, sizes.topic_changes, sizes.repeats, sizes.step_changes)
    _target("messages of eighty tables / a streaming job by hand", batches.ours, batches.by_hand)
    title = f"{batches.messages:,} messages of {batches.tables} tables in Kafka, a batch in a warm process"
    shown = _show(title, {"ours": batches.ours, "by hand": batches.by_hand})
    _say(f"{batches.step_messages:,} messages, step by step")
    for step, cost in batches.steps.items():
        rate = f"{batches.step_messages / cost.cpu:9,.0f}" if cost.cpu else "        -"
        _say(f"  {step:<18} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s {rate} messages a second and core")
    return shown


def _follow(root: Path, sizes: Sizes) -> Costs:
    seconds = topics.measure_latency(root, sizes.topics, 10, sizes.cycles, sizes.warm_up)
    _say(f"from message to silver, one of {sizes.topics} tables at a time, {len(seconds)} times")
    parts = {"least": 0.0, "half": 0.5, "9 of 10": 0.9, "99 of 100": 0.99, "most": 1.0}
    quantiles = {word: seconds[min(len(seconds) - 1, int(len(seconds) * part))] for word, part in parts.items()}
    _say("  " + ", ".join(f"{word} {value:.2f} s" for word, value in quantiles.items()))
    _measured["from message to silver, one of 80 tables, seconds"] = quantiles["half"]
    return {}


def _series(root: Path, sizes: Sizes) -> Costs:
    plan = sizes.plan
    _say(f"{plan.batches} batches of {plan.changes:,} changes on each of two tables of {plan.rows:,} rows, one process")
    measured = series.measure(root, plan, _say)
    for table, version in series.FORMATS.items():
        grows = series.heap_growth(measured.blocks, table)
        _say(f"  {table} format {version}: Java's heap grows by {grows:.2f} MB in 100 batches")
    for table, (silver, copy, batches) in measured.scans.items():
        _say(f"  {table} format {series.FORMATS[table]}, full scan after {batches} batches, beside a compacted copy")
        _say(f"    silver {silver.cpu:.2f} CPU s, copy {copy.cpu:.2f}: {_ratio(silver, copy)} times")
    old, fresh = measured.history
    _target("a batch after 1,000 / after 10", old, fresh)
    _say(f"  a batch after {measured.earlier[0]} earlier ones, beside one after {measured.earlier[1]}")
    _say(f"    {old.cpu:.2f} CPU s, {fresh.cpu:.2f}: {_ratio(old, fresh)} times")
    return {}


def _memory(root: Path, sizes: Sizes) -> Costs:
    used = memory.measure(root, *sizes.memory)
    _say(f"{used.rows:,} rows loaded, then {used.changes:,} changes, Java with {memory.DRIVER_MEMORY}: finished")
    _say(f"  at most {used.heap:,.0f} MB of Java's heap in use when a collection ended")
    _say(f"  at most {used.java:,.0f} MB held by the process of Java, {used.python:,.0f} MB by that of Python")
    return {}


def _crossing(root: Path, sizes: Sizes) -> Costs:
    for crossed in crossing.measure(root, sizes.crossed, sizes.crossing_changes, sizes.repeats, sizes.warm_up):
        _say(f"{crossed.changes:,} changes on {crossed.rows:,} rows by the two ways of the project")
        for way, cost in crossed.costs.items():
            _say(f"  {way:<18} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s")
    return {}


def _objects(root: Path, sizes: Sizes) -> Costs:
    listings = objects.measure(root, sizes.objects, sizes.new_objects, sizes.repeats, sizes.warm_up)
    by_number = [listings.new["date folders", number] for number in (sizes.objects[-1], sizes.objects[0])]
    _target("listing 1,000,000 known files, 100 new / 10,000 known", *by_number)
    for title, costs in {
        "the first listing": listings.first,
        "a listing in full, nothing new": listings.full,
        f"a listing in part, {sizes.new_objects} new files": listings.new,
        "a listing in part, nothing new": listings.nothing,
    }.items():
        _say(title)
        for (layout, number), cost in costs.items():
            smallest = costs[layout, sizes.objects[0]]
            _say(
                f"  {layout}, {number:>9,} known {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s"
                f"   this / {sizes.objects[0]:,} known: {_ratio(cost, smallest)} CPU"
            )
    return {}


def _many(root: Path, sizes: Sizes) -> Costs:
    measured = many.measure(root, sizes.many, sizes.with_files, 100, sizes.repeats, sizes.warm_up)
    few, most = sizes.many
    _target("nothing new, 1,000 tables / 80 tables", measured.nothing_new[most], measured.nothing_new[few])
    _measured["nothing new, CPU seconds a table of 1,000"] = measured.nothing_new[most].cpu / most
    _measured["watch, one of 1,000 tables, seconds"] = measured.watched[most].wall
    for title, costs in {
        "make models, nothing to write": measured.models,
        "dbt parse": measured.parsed,
        "dbt parse, nothing changed": measured.parsed_again,
        "dbt build, nothing new": measured.nothing_new,
        "watch, one table changed": measured.watched,
        "watch, nothing new": measured.watched_nothing,
    }.items():
        _say(title)
        for number, cost in costs.items():
            ratio = _ratio(cost, costs[sizes.many[0]])
            _say(
                f"  {number:>5,} tables {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s"
                f"   this / {sizes.many[0]:,} tables: {ratio} CPU"
            )
    return {}


def _quality(root: Path, sizes: Sizes) -> Costs:
    costs = quality.measure(root, sizes.tables, 100)
    _target("checks of eighty tables / their build", costs.checks, costs.build)
    _say(f"{len(quality.EXPECTATIONS)} expectations of each of {costs.tables} tables, whole processes")
    for name, cost in {"build without tests": costs.build, "make quality": costs.checks}.items():
        _say(f"  {name:<20} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s")
    return {}


def _gold(root: Path, sizes: Sizes) -> Costs:
    def say(step: str, costs: Mapping[str, Cost]) -> None:
        _say(f" {step}")
        for name, cost in costs.items():
            full = costs[f"{gold.FULL} {'rows' if name.endswith('rows') else 'groups'}"]
            _say(f"  {name:<18} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s   this / full: {_ratio(cost, full)} CPU")
        measured = "rows" if "rows" in step else "groups"
        _target(f"gold, {step} / full", costs[measured], costs[f"{gold.FULL} {measured}"])

    rows, changes = sizes.gold
    _say(f"gold over a fact of {rows:,} rows and two lookups, {changes:,} changes of the fact")
    nothing = gold.measure(root, rows, changes, min(sizes.repeats, 4), say)
    _measured["gold, nothing moved, seconds a model"] = nothing
    _say(f" nothing moved: {nothing:.3f} s a model")
    return {}


def _defaults(root: Path, sizes: Sizes) -> Costs:
    rows, changes, batches, counted = sizes.defaults
    figures = table_defaults.measure(root, rows, changes, batches, counted)
    _say(f"defaults of a table, {changes:,} changes on {rows:,} rows, the last {counted} of {batches} batches")
    for name, cost in figures.batches.items():
        files, megabytes = figures.metadata[name]
        _say(f"  {name:<34} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s   {files:4} metadata files, {megabytes:.1f} MB")
    for title, costs in {"five new columns": figures.columns, "maintain": figures.counts}.items():
        for name, cost in costs.items():
            _say(f"  {f'{title}, {name}':<34} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s")
    return {}


def _releases(root: Path, sizes: Sizes) -> Costs:
    rows, changes = sizes.rows[0], sizes.changes[0]
    # Twenty tables tell the releases apart as eighty do.
    costs = releases.measure(root, rows, changes, min(sizes.tables, 20), sizes.repeats, sizes.warm_up, _say)
    first = next(iter(costs.values()))
    lines = [
        (name, *(f"{each[name].cpu:.2f} ({_ratio(each[name], cost).strip()})" for each in costs.values()))
        for name, cost in first.items()
    ]
    _say(text_table(("CPU seconds (beside the first)", *costs), lines, "<" + ">" * len(costs)))
    return {}


PARTS: dict[str, Callable[[Path, Sizes], Costs]] = {
    "apply": _apply,
    "load": _load,
    "split": _split,
    "tables": _tables,
    "throughput": _throughput,
    "checks": _checks,
    "watch": _watch,
    "growth": _growth,
    "series": _series,
    "memory": _memory,
    "crossing": _crossing,
    "objects": _objects,
    "many": _many,
    "topics": _topics,
    "follow": _follow,
    "quality": _quality,
    "gold": _gold,
    "defaults": _defaults,
    "releases": _releases,
}


def _show(title: str, costs: dict[str, Cost]) -> Costs:
    _say(title)
    for name, cost in costs.items():
        _say(f"  {name:<18} {cost.cpu:7.2f} CPU s {cost.wall:7.2f} s   ours / this: {_ratio(costs['ours'], cost)} CPU")
    return {title: costs}


def _target(name: str, cost: Cost, other: Cost) -> None:
    """Notes a ratio of CPU seconds if it is a target; on little data the clock may not have moved."""
    if name in TARGETS and other.cpu:
        _measured[name] = cost.cpu / other.cpu


def _ratio(cost: Cost, other: Cost) -> str:
    """How many times the other's CPU seconds; on little data the clock may not have moved."""
    return f"{cost.cpu / other.cpu:5.2f}" if other.cpu > 0 else "    -"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
