"""How the inputs of a gold table moved since its last refresh, and which of their keys changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import Input
from python_udfs.gold.keys import KeySet
from python_udfs.pipeline.delta import Log
from python_udfs.pipeline.keys import MOST_KEYS, list_key_columns
from python_udfs.pipeline.table import Models, find_relation, read_layer, read_model
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse, write_name

STRATEGY = "cdc_affected"
# Of a snapshot that has the rows of the one before it.
COMPACTION = "replace"


@dataclass(frozen=True)
class Source:
    """The model or table that an input is, as dbt describes it.

    Attributes:
        name: of the model or source table.
        schema: of its relation.
        alias: of its relation.
        database: of its relation; None: dbt has none.
        layer: ``silver`` or ``gold``; empty: a table of which nothing is known but its key.
        key: columns that identify a row, or rows that change together.
        cdc: of a silver table.
    """

    name: str
    schema: str
    alias: str
    database: str | None
    layer: str
    key: tuple[str, ...]
    cdc: TableConfig


@dataclass(frozen=True)
class Recorded:
    """What the last refresh has read of an input.

    Attributes:
        uuid: of the table.
        snapshot_id: of the table; 0: it had none yet; None: it is no table with snapshots.
        bronze_snapshot_id: that a silver table had applied; None: it is none.
    """

    uuid: str
    snapshot_id: int | None
    bronze_snapshot_id: int | None = None


@dataclass(frozen=True)
class Movement:
    """An input at a refresh.

    Attributes:
        input: as the query reads it.
        relation: the table.
        uuid: of the table; empty: it has no snapshots.
        before_id: its snapshot at the last refresh.
        after_id: its snapshot now; None: it has no snapshots.
        bronze_snapshot_id: that a silver table has applied now.
        has_before: whether the table can still be read as it was at the last refresh.
        full: why its changes may concern all rows; empty: they concern their keys.
        has_moved: whether rows may have changed.
        changed_sql: the query of its changed keys.
        changed: these keys, once they were found.
        via: how they were found.
    """

    input: Input
    relation: Relation
    uuid: str = ""
    before_id: int | None = None
    after_id: int | None = None
    bronze_snapshot_id: int | None = None
    has_before: bool = True
    full: str = ""
    has_moved: bool = True
    changed_sql: str = ""
    changed: KeySet = field(default_factory=KeySet)
    via: str = ""

    @property
    def number(self) -> int:
        """Of the input in its model."""
        return self.input.number


def list_sources(nodes: Mapping[str, Any], ids: Iterable[str], own_keys: Mapping[str, Any]) -> list[Source]:
    """Lists what a model depends on; an ephemeral model counts as what it depends on itself.

    Args:
        nodes: dbt's nodes and sources by unique id.
        ids: that the model depends on.
        own_keys: key by name of an input, from the configuration of the model that reads it.
    """
    sources: dict[str, Source] = {}
    for unique_id in ids:
        node = nodes.get(unique_id)
        if node is None or node["resource_type"] not in ("model", "seed", "snapshot", "source"):
            continue
        if (node.get("config") or {}).get("materialized") == "ephemeral":
            for source in list_sources(nodes, node["depends_on"]["nodes"], own_keys):
                sources[source.name] = source
            continue
        source = _read_source(node, own_keys)
        sources[source.name] = source
    return list(sources.values())


def read_model_inputs(
    warehouse: Warehouse, nodes: Mapping[str, Any], node: Mapping[str, Any]
) -> list[tuple[Input, Source, Relation]]:
    """Reads the tables that a model depends on, as `read_inputs`.

    Args:
        warehouse: has them.
        nodes: dbt's nodes and sources by unique id.
        node: dbt's node of the model.
    """
    sources = list_sources(nodes, node["depends_on"]["nodes"], node["config"].get("inputs") or {})
    return read_inputs(warehouse, node["name"], sources)


def read_inputs(warehouse: Warehouse, name: str, sources: Sequence[Source]) -> list[tuple[Input, Source, Relation]]:
    """Reads the columns of tables.

    Args:
        warehouse: has them.
        name: of the model, for messages.
        sources: that it depends on.

    Raises:
        LakehouseError: a table does not exist yet.
    """
    inputs, missing = [], []
    for source in sources:
        relation = warehouse.get_relation(source.database, source.schema, source.alias)
        if relation is None:
            missing.append(source.name)
            continue
        # A run that was cut off may have added a column to silver, and no row: a snapshot is read with its own columns.
        get_columns = warehouse.get_columns_of_rows if has_snapshots(relation) else warehouse.get_columns_in_relation
        columns = {column.name.lower(): column.dtype for column in get_columns(relation)}
        inputs.append((Input(source.name, f"{source.schema}.{source.alias}", source.key, columns), source, relation))
    if missing:
        raise LakehouseError(
            f"Gold error in {name} (cdc_affected): {', '.join(missing)} does not exist yet. Run `dbt build`, or"
            f" `dbt run --select +{name}`."
        )
    return inputs


def read_recorded(summary: Mapping[str, str]) -> dict[str, Recorded]:
    """Reads the inputs of the last refresh from the commit of a gold table; by schema and table."""
    if "refresh-state" not in summary:
        return {}
    bronze = json.loads(summary.get("cdc.gold-bronze", "{}"))
    recorded = {}
    for state in json.loads(summary["refresh-state"])["source-states"]:
        relation = ".".join([*state["namespace"], state["name"]])
        snapshot_id = state["snapshot-id"]
        recorded[relation] = Recorded(
            state["uuid"], None if snapshot_id is None else int(snapshot_id), bronze.get(relation)
        )
    return recorded


def write_recorded(movements: Iterable[Movement], started_at: Any) -> dict[str, str]:
    """Writes what the commit records of the inputs, by the names of Iceberg's proposal for materialized views."""
    movements = list(movements)
    states = [
        {
            "type": "table",
            "namespace": [movement.relation.schema],
            "name": movement.relation.identifier,
            "uuid": movement.uuid,
            "snapshot-id": movement.after_id,
        }
        for movement in movements
    ]
    state = {"source-states": states, "refresh-start-timestamp-ms": int(started_at.timestamp() * 1000)}
    bronze = {
        write_name(movement.relation): movement.bronze_snapshot_id
        for movement in movements
        if movement.bronze_snapshot_id is not None
    }
    return {"refresh-state": json.dumps(state), "cdc.gold-bronze": json.dumps(bronze)}


def measure_input(
    warehouse: Warehouse,
    sql: Sql,
    models: Models,
    input: Input,
    source: Source,
    relation: Relation,
    recorded: Recorded | None,
    columns: Sequence[str],
) -> Movement:
    """Measures how an input moved since the last refresh.

    Args:
        warehouse: is asked for snapshots.
        sql: macros by name.
        models: of the project.
        input: as the query reads it.
        source: what it is.
        relation: the table.
        recorded: what the last refresh has read; None: it is the first one.
        columns: of the input that the query uses.
    """
    if not has_snapshots(relation):
        return Movement(input, relation, full=f"{source.name} has no snapshots, so what changed is unknown")
    since = warehouse.snapshots_since(relation, (recorded.snapshot_id or None) if recorded else None)
    snapshots = since["snapshots"]
    after_id = snapshots[-1]["snapshot_id"] if snapshots else (recorded.snapshot_id if recorded else 0)
    applied = [s["summary"]["cdc.bronze-snapshot-id"] for s in snapshots if "cdc.bronze-snapshot-id" in s["summary"]]
    bronze_id = int(applied[-1]) if applied else (recorded.bronze_snapshot_id if recorded else None)
    here = Movement(
        input=input,
        relation=relation,
        uuid=since["uuid"],
        before_id=recorded.snapshot_id if recorded else None,
        after_id=after_id,
        bronze_snapshot_id=bronze_id if source.layer == "silver" else None,
        has_before=bool(since["has_start"]) or not (recorded and recorded.snapshot_id),
    )
    if recorded is None:
        return here
    moved = [snapshot for snapshot in snapshots if snapshot["operation"] != COMPACTION]
    reason = _find_rebuild(source.name, since, recorded)
    if reason:
        return replace(here, full=reason)
    if not moved:
        # A compaction leaves the rows as they are, and may have left the older snapshot to expire.
        return replace(here, has_moved=False, before_id=here.after_id)
    if source.layer == "silver":
        return _measure_silver(warehouse, sql, models, here, source, recorded, moved, columns)
    if source.layer == "gold":
        return compare_states(sql, here, columns)
    return replace(here, full=f"{source.name} has changed, and no record says which of its keys")


def compare_states(sql: Sql, here: Movement, columns: Sequence[str]) -> Movement:
    """Finds the changed keys of an input by its rows at the last refresh and at this one, if it can be read as it was.

    Args:
        sql: macros by name.
        here: the input.
        columns: that the query uses.
    """
    if not here.has_before:
        return replace(here, full=here.full or f"snapshots of {here.input.name} since the last refresh have expired")
    names = list(dict.fromkeys([*here.input.key, *columns]))
    changed_sql = sql["cdc_gold_compared_sql"](
        here.input, here.relation, here.before_id, here.after_id, names, MOST_KEYS + 1
    )
    return replace(here, changed_sql=changed_sql, via="both states")


def _read_source(node: Mapping[str, Any], own_keys: Mapping[str, Any]) -> Source:
    config = node.get("config") or {}
    layer = read_layer(node) or ""
    cdc = TableConfig(layer)
    key: Any = config.get("unique_key")
    if layer == "silver":
        model = read_model(node)
        assert model is not None
        cdc = model.cdc
        key = list_key_columns(cdc)
    elif is_refreshed(config):
        layer, key = "gold", config.get("key")
    else:
        layer, key = "", own_keys.get(node["name"]) or key
    names = [key] if isinstance(key, str) else list(key or ())
    return Source(
        name=node["name"],
        schema=node["schema"],
        alias=node.get("alias") or node.get("identifier") or node["name"],
        database=node.get("database"),
        layer=layer,
        key=tuple(str(name).lower() for name in names),
        cdc=cdc,
    )


def is_refreshed(config: Mapping[str, Any]) -> bool:
    """Returns whether `cdc_affected` refreshes a model; a folder may set the strategy for views and tables, too."""
    return config.get("incremental_strategy") == STRATEGY and config.get("materialized") == "incremental"


def count_rows(summary: Mapping[str, str]) -> int | None:
    """Counts the rows of a table by the summary of its newest commit; None: the summary does not show them."""
    records = summary.get("total-records")
    return None if records is None else int(records) - int(summary.get("total-position-deletes", 0))


def has_snapshots(relation: Any) -> bool:
    """Returns whether a relation is a table of Iceberg."""
    return bool(relation.is_table and relation.is_iceberg)


def _find_rebuild(name: str, since: Mapping[str, Any], recorded: Recorded) -> str:
    if since["uuid"] != recorded.uuid:
        return f"{name} was dropped and made again"
    if since["is_ancestor"] is None or (not since["is_ancestor"] and since["gone"] is None):
        return f"snapshots of {name} since the last refresh have expired"
    if not since["is_ancestor"]:
        return f"{name} was rebuilt or rolled back"
    return ""


def _measure_silver(
    warehouse: Warehouse,
    sql: Sql,
    models: Models,
    here: Movement,
    source: Source,
    recorded: Recorded,
    moved: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
) -> Movement:
    """Measures a silver table: bronze has its changes, between the snapshots that both states had applied.

    Where bronze does not know them all, such as after a write of another program, both states are compared.
    """
    relation = find_relation(warehouse, models.of_source("bronze", source.cdc))
    foreign = any(not {"cdc.batch-id", "cdc.part-of-batch"} & snapshot["summary"].keys() for snapshot in moved)
    start, end = recorded.bronze_snapshot_id, here.bronze_snapshot_id
    if relation is None or foreign or start is None or end is None or start == end:
        return compare_states(sql, here, columns)
    if not _only_grows(warehouse, relation, start, end):
        return compare_states(sql, here, columns)
    log = Log(warehouse, sql, source.cdc, relation, end)
    range_sql = sql["cdc_bronze_range_sql"](relation, start or None, end, 0)
    facts = log.read_facts(start or None, range_sql)
    if facts.first_reset_point or facts.first_truncate:
        return replace(here, full=f"{source.name} was truncated or reloaded")
    if facts.has_overwritten:
        return replace(here, full=f"a file of {source.name} was overwritten, whose rows may have had any key")
    if facts.changes > MOST_KEYS:
        return replace(here, full=f"{source.name} has {facts.changes} changes, more than {MOST_KEYS}")
    # Versions that another key's row has ended, such as a late row of a reload that moves its start.
    has_whole_log = any("cdc.whole-log" in snapshot["summary"] for snapshot in moved)
    if has_whole_log or not _has_plain_key(warehouse, source, here.input, relation):
        return compare_states(sql, here, columns)
    has_old_keys = facts.has_key_changes and source.cdc.mode != "append"
    changed_sql = sql["cdc_gold_changed_sql"](here.input, range_sql, has_old_keys)
    return replace(here, changed_sql=changed_sql, via="bronze")


def _only_grows(warehouse: Warehouse, bronze: Relation, start: int, end: int) -> bool:
    """Whether bronze was only added to between two snapshots, the second of which may be the newest or not."""
    since = warehouse.snapshots_since(bronze, start or None)
    if not since["is_ancestor"]:
        return False
    for snapshot in since["snapshots"]:
        # The snapshot that creates a table of a query overwrites nothing.
        creates = not start and snapshot is since["snapshots"][0]
        if snapshot["operation"] not in ("append", COMPACTION) and not creates:
            return False
        if snapshot["snapshot_id"] == end:
            return True
    return start == end


def _has_plain_key(warehouse: Warehouse, source: Source, input: Input, bronze: Relation) -> bool:
    """Whether a key in bronze is written as in silver: same names, same types, compared as it is."""
    if source.cdc.renamed_columns or source.cdc.key_comparison:
        return False
    types = {column.name.lower(): column.dtype for column in warehouse.get_columns_in_relation(bronze)}
    return all(types.get(name) == input.columns.get(name) for name in input.key)
