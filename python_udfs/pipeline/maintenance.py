"""When a table needs maintenance: the one home of the rule for the operation `maintain` and the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.gold.needed import list_needed_snapshots
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.table import Model, Models
from python_udfs.pipeline.text_table import write_table
from python_udfs.pipeline.warehouse import Relation

_MIB = 1024 * 1024
# The size that Iceberg writes files of, unless the table sets its own.
_ICEBERG_FILE_BYTES = 512 * _MIB
_LAYERS = ("etl_metadata", "bronze", "silver", "gold")
# Their models keep no rows.
_WITHOUT_ROWS = ("view", "ephemeral")
_NESTED = ("array", "map", "struct", "variant")
_LEAST = {"keep_snapshots": 1, "orphan_days": 1, "min_files": 2, "small_file_mb": 1, "min_manifests": 2}


@dataclass(frozen=True)
class Settings:
    """Thresholds of `maintain`; macros/maintenance/_macros.yml documents each."""

    older_than_days: int = 5
    keep_snapshots: int = 10
    min_expired: int = 10
    orphan_days: int = 3
    min_files: int = 4
    small_file_mb: int = 32
    delete_ratio: float = 0.05
    min_manifests: int = 50
    gold_days: int = 14
    statistics: bool = False

    @property
    def small_bytes(self) -> int:
        """A file below this is small."""
        return self.small_file_mb * _MIB

    def has_many_deletes(self, deleted: int, records: int) -> bool:
        """Returns whether delete files hide too many of the rows that data files hold."""
        return deleted > self.delete_ratio * records

    def has_many_small_files(self, files: int) -> bool:
        """Returns whether so many small files of one partition are put together."""
        return files >= self.min_files


@dataclass(frozen=True)
class MaintainedTable:
    """A table that `maintain` looks at.

    Attributes:
        model: that makes it.
        is_partitioned: whether its model partitions it.
        small_bytes: a smaller file of it is small.
    """

    model: Model
    is_partitioned: bool
    small_bytes: int


@dataclass(frozen=True)
class Plan:
    """Tables in the order in which they are looked at, and how."""

    tables: Sequence[MaintainedTable]
    settings: Settings
    dry_run: bool


@dataclass(frozen=True)
class Step:
    """A procedure of Iceberg that is due, or properties that the table lacks.

    Attributes:
        words: the step, for people.
        procedure: its name in the schema `system`; empty: properties are set.
        options: of the procedure, by name.
        older_than: files and snapshots from this time on stay, as Spark writes a timestamp.
        retain_last: so many snapshots stay.
        columns: that the procedure reads; none: it has no such argument.
        properties: that the table gets.
    """

    words: str
    procedure: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    older_than: str | None = None
    retain_last: int | None = None
    columns: Sequence[str] = ()
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What `maintain` reports of a table: the cells of its row, and whether a step failed."""

    cells: tuple[str, ...]
    is_failed: bool = False


def maintain(project: Project, tables: Any, layer: Any, dry_run: Any, thresholds: Mapping[str, Any]) -> None:
    """Compacts the tables that need it, expires old snapshots and removes orphan files, also while a run is under way.

    Args:
        project: with the tables.
        tables: as for `plan_maintenance`, as all that follow.
        layer: one of its layers.
        dry_run: report what is due, and do nothing.
        thresholds: values of `Settings` by name.

    Raises:
        LakehouseError: arguments are wrong, or tables failed.
    """
    plan = plan_maintenance(project.models, project.warehouse.has_views(), tables, layer, dry_run, thresholds)
    needed = list_needed_snapshots(project.warehouse, project.models)
    defaults = project.warehouse.default_properties()
    # Rewrites of this session write deletes by data file; batches use the property of their table.
    project.warehouse.set_properties({"spark.datasource.iceberg.delete-granularity": "file"})
    outcomes = []
    for number, table in enumerate(plan.tables, start=1):
        outcomes.append(_maintain_table(project, table, plan, needed.get(table.model.relation, ()), defaults))
        project.say(f"{number} of {len(plan.tables)}: {': '.join(outcomes[-1].cells[:2])}")
    titles = ("table", "to do" if dry_run else "done", "files", "deleted rows", "snapshots", "MB")
    project.say("\n" + write_table(titles, [outcome.cells for outcome in outcomes]))
    require_success(outcomes)


def _maintain_table(
    project: Project, table: MaintainedTable, plan: Plan, needed: Sequence[int], defaults: Mapping[str, str]
) -> Outcome:
    """Reads the metadata of a table and runs the steps that are due; a failed step does not stop the others.

    Gold needs the snapshots `needed` of the table; the catalog gives new tables the properties `defaults`.
    """
    attempt, model = project.warehouse.attempt, table.model
    relation = project.find_relation(model)
    if relation is None:
        return report_table(table, None)
    reader = project.find_table("silver", model.cdc) if model.layer == "bronze" else None
    state_sql = project.sql["cdc_maintenance_state_sql"](
        relation, table.is_partitioned, reader, needed, table.small_bytes, plan.settings
    )
    before = attempt(state_sql)
    steps: list[Step] = []
    if not before["error"]:
        own = project.warehouse.read_table_properties(relation, list(defaults))
        lacking = {name: value for name, value in defaults.items() if name not in own}
        uncounted = _list_uncounted(project, relation) if plan.settings.statistics else ()
        steps = find_due(table, before["rows"][0], plan.settings, lacking, uncounted)
    attempts = [] if plan.dry_run else [attempt(_write_step(project, model.relation, step)) for step in steps]
    return report_table(table, before, steps, attempts, attempt(state_sql) if attempts else None)


def _list_uncounted(project: Project, relation: Relation) -> Sequence[str]:
    """The columns without counts of distinct values; the procedure takes no name with a dot, and no nested type."""
    if project.warehouse.has_statistics(relation):
        return ()
    columns = project.warehouse.get_columns_in_relation(relation)
    return [column.name for column in columns if "." not in column.name and not column.dtype.startswith(_NESTED)]


def _write_step(project: Project, table: str, step: Step) -> str:
    if step.procedure:
        return str(project.sql["cdc_call_sql"](table, step))
    return str(project.sql["cdc_set_properties_sql"](table, step.properties))


def plan_maintenance(
    models: Models, has_views: bool, tables: Any, layer: Any, dry_run: Any, thresholds: Mapping[str, Any]
) -> Plan:
    """Decides which tables are looked at.

    Args:
        models: of the project.
        has_views: whether the catalog can hold views; else tables stand for them.
        tables: names with or without the schema, or one such name; None: all.
        layer: ``etl_metadata``, ``bronze``, ``silver`` or ``gold``; None: all.
        dry_run: report what is due, and do nothing.
        thresholds: values of `Settings` by name; None: the default.

    Raises:
        LakehouseError: arguments are wrong; it has all mistakes.
    """
    names = [tables] if isinstance(tables, str) else tables
    given = {name: value for name, value in thresholds.items() if value is not None}
    every = _list_models(models, has_views)
    relations = {name for model, _ in every for name in (model.alias, model.relation)}
    problems = [problem for name, value in given.items() for problem in _judge_threshold(name, value)]
    if layer not in (None, *_LAYERS):
        problems.append(f"layer is {layer}; expected etl_metadata, bronze, silver or gold, or none for all")
    if not isinstance(dry_run, bool):
        problems.append(f"dry_run is {dry_run}; expected true or false")
    expected = ", ".join(sorted(relations)) or "none: no row of seeds/cdc_tables.csv is active"
    problems += [
        f"there is no table '{name}'; expected one of {expected}" for name in names or () if name not in relations
    ]
    if problems:
        raise LakehouseError("\n  - ".join(["CDC error (maintain):", *problems]))
    settings = Settings(**given)
    chosen = [
        model
        for model, of_layer in every
        if (names is None or model.alias in names or model.relation in names) and layer in (None, of_layer)
    ]
    return Plan([_describe_table(model, settings) for model in chosen], settings, dry_run)


def find_due(
    table: MaintainedTable,
    state: Mapping[str, Any],
    settings: Settings,
    lacking: Mapping[str, str],
    uncounted: Sequence[str],
) -> list[Step]:
    """Decides which procedures are due for a table, in their order.

    Iceberg takes files below 75 % of the size that it writes for small, and would rewrite a table of that size whenever
    five files are added; here only files that are small in themselves are put together. A compaction sees how much of a
    data file is deleted only if a delete file belongs to that data file alone.

    Args:
        table: the table.
        state: the row of `cdc_maintenance_state_sql`.
        settings: of the plan.
        lacking: properties that the catalog gives new tables, and this one lacks.
        uncounted: columns whose distinct values are counted if asked for; none: the rows that readers see have counts.
    """
    steps = [Step(f"set {', '.join(lacking)}", properties=lacking)] if lacking else []
    has_deletes = settings.has_many_deletes(state["deleted_rows"], state["records"])
    if state["loose_delete_files"] >= (1 if has_deletes else settings.min_files):
        steps.append(Step("sort deletes by file", "rewrite_position_delete_files", {"rewrite-all": "true"}))
    if state["small_files"] or has_deletes:
        options = {
            "min-input-files": str(settings.min_files),
            "min-file-size-bytes": str(table.small_bytes),
            "delete-ratio-threshold": str(settings.delete_ratio),
            "remove-dangling-deletes": "true",
        }
        steps.append(Step("compact", "rewrite_data_files", options))
    elif state["manifests"] >= settings.min_manifests:
        steps.append(Step("rewrite manifests", "rewrite_manifests"))
    if state["old_snapshots"] >= settings.min_expired:
        before, last = state["expire_before"], settings.keep_snapshots
        steps.append(Step("expire snapshots", "expire_snapshots", older_than=before, retain_last=last))
        steps.append(Step("remove orphan files", "remove_orphan_files", older_than=state["orphans_before"]))
    if uncounted and state["records"]:
        steps.append(Step("compute statistics", "compute_table_stats", columns=uncounted))
    return steps


def report_table(
    table: MaintainedTable,
    before: Mapping[str, Any] | None,
    steps: Sequence[Step] = (),
    attempts: Sequence[Mapping[str, Any]] = (),
    after: Mapping[str, Any] | None = None,
) -> Outcome:
    """Reports one table.

    Args:
        table: the table.
        before: answer of `adapter.attempt` to its state before; None: it does not exist.
        steps: that were due.
        attempts: answers of `adapter.attempt` to the steps; none in a dry run.
        after: as before, after the steps; None: nothing was done.
    """
    name = table.model.relation
    if before is None:
        return Outcome((name, "does not exist yet", "", "", "", ""))
    if before["error"]:
        return Outcome((name, f"failed: {before['error']}", "", "", "", ""), is_failed=True)
    done = [] if attempts else [step.words for step in steps]
    errors = []
    for step, attempt in zip(steps, attempts, strict=False):
        if attempt["error"] is None:
            done.append(step.words)
        elif attempt["is_conflict"]:
            done.append(f"gave up to {step.words}: a run wrote to it meanwhile, the next maintain tries again")
        else:
            errors.append(f"failed to {step.words}: {attempt['error']}")
    states = [before["rows"][0], *([] if after is None or after["error"] else after["rows"][:1])]
    numbers = (_show_change(states, key) for key in ("files", "deleted_rows", "snapshots", "bytes"))
    return Outcome((name, "; ".join(done + errors) or "nothing to do", *numbers), is_failed=bool(errors))


def require_success(outcomes: Sequence[Outcome]) -> None:
    """Ends the operation with an error if a table failed.

    Args:
        outcomes: of all tables.

    Raises:
        LakehouseError: tables failed; it names them.
    """
    failed = [outcome.cells[0] for outcome in outcomes if outcome.is_failed]
    if failed:
        raise LakehouseError(
            f"CDC error (maintain): {len(failed)} of {len(outcomes)} tables failed: {', '.join(failed)}. The others are"
            " done. Nothing is lost: mend what the messages above say, and run it again."
        )


def _list_models(models: Models, has_views: bool) -> list[tuple[Model, str]]:
    """Lists the models that keep rows, each with the layer that users name.

    Among those that belong to no table is the listing, which every run reads all of, and, if the catalog cannot hold
    views, the tables that stand for them.
    """
    shared = ("etl_metadata", "split", *(() if has_views else ("view",)))
    in_order = [(layer, "etl_metadata") for layer in shared] + [
        (layer, layer) for layer in ("bronze", "silver", "gold")
    ]
    return [
        (model, named)
        for layer, named in in_order
        for model in models.of_layer(layer)
        if layer != "gold" or model.config.get("materialized") not in _WITHOUT_ROWS
    ]


def _describe_table(model: Model, settings: Settings) -> MaintainedTable:
    properties = model.config.get("tblproperties") or {}
    # Iceberg wants it below the size it writes, which a table may have set itself.
    written = int(properties.get("write.target-file-size-bytes", _ICEBERG_FILE_BYTES))
    return MaintainedTable(
        model, model.config.get("partition_by") is not None, min(settings.small_bytes, written * 3 // 4)
    )


def _judge_threshold(name: str, value: Any) -> Iterable[str]:
    if name == "statistics":
        if not isinstance(value, bool):
            yield f"{name} is {value}; expected true or false"
        return
    is_ratio = name == "delete_ratio"
    kinds = (int, float) if is_ratio else (int,)
    least = _LEAST.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, kinds):
        yield f"{name} is {value}; expected a {'number' if is_ratio else 'whole number'}"
    elif is_ratio and not 0 < value <= 1:
        yield f"{name} is {value}; expected a part of the rows, above 0 and up to 1"
    elif value < least:
        yield f"{name} is {value}; expected {least} or more"


def _show_change(states: Iterable[Mapping[str, Any]], key: str) -> str:
    numbers = (f"{state[key] / _MIB:.1f}" if key == "bytes" else str(int(state[key])) for state in states)
    return " → ".join(dict.fromkeys(numbers))
