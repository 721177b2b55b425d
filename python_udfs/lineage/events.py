"""OpenLineage events of a run of dbt (https://openlineage.io/spec/2-0-2/OpenLineage.json), two for each table."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    documentation_dataset,
    error_message_run,
    job_type_job,
    parent_run,
    schema_dataset,
    sql_job,
)

from python_udfs.connectors.options import KAFKA_SCHEME
from python_udfs.lineage.columns import ColumnLineage, Source, trace_bronze, trace_query, trace_silver
from python_udfs.metadata import Feed, Metadata
from python_udfs.paths import feed_location
from python_udfs.pipeline.table import read_cdc, read_layer

PRODUCER = "urn:cdc-lakehouse"
# Layers whose tables are reported; None: a model of the user's. The last two are made by their own SQL.
LAYERS = ("bronze", "silver", "gold", None)
OWN_SQL = ("gold", None)
STATES = {"success": RunState.COMPLETE, "error": RunState.FAIL}
Name = tuple[str, str]  # namespace and name of a dataset


@dataclass
class Table:
    """A model as a dataset.

    Attributes:
        node: of the manifest.
        name: `schema.table`.
        columns: type by name; a type that is not known is None.
        inputs: datasets that it reads, by the name that `Source.table` uses.
        lineage: of its columns; None: not known.
    """

    node: Mapping[str, Any]
    name: str
    columns: dict[str, str | None]
    inputs: dict[str, Name] = field(default_factory=dict)
    lineage: ColumnLineage | None = None


class Lineage:
    """Inputs and outputs of a project's models.

    Args:
        manifest: dbt's manifest.json.
        catalog: dbt's catalog.json, which has all columns and their types; without it those that are documented.
        metadata: of the seeds.
        landing: the landing root.
        namespace: of the tables.
    """

    def __init__(
        self,
        manifest: Mapping[str, Any],
        catalog: Mapping[str, Any] | None,
        metadata: Metadata,
        landing: str,
        namespace: str,
    ) -> None:
        self._metadata, self._landing, self._namespace = metadata, landing.rstrip("/"), namespace
        types = (catalog or {}).get("nodes", {})
        self.tables = {
            unique_id: Table(node, f"{node['schema']}.{node['alias']}", _columns(node, types.get(unique_id)))
            for unique_id, node in manifest["nodes"].items()
            if node["resource_type"] == "model" and _layer(node) in LAYERS
        }
        for table in self.tables.values():
            self._describe(table)

    def _describe(self, table: Table) -> None:
        """Adds inputs and columns."""
        layer = _layer(table.node)
        if layer == "bronze":
            cdc = read_cdc(table.node)
            raw = name_raw_datasets(self._metadata.feed(cdc.feed), cdc.source_schema, cdc.source_table, self._landing)
            table.inputs = {name: (namespace, name) for namespace, name in raw}
            table.lineage = trace_bronze(table.columns, table.inputs, cdc.renamed_columns)
            return
        parents = [
            self.tables[unique_id] for unique_id in table.node["depends_on"]["nodes"] if unique_id in self.tables
        ]
        table.inputs = {parent.name: (self._namespace, parent.name) for parent in parents}
        if layer == "silver":
            for parent in parents:
                table.lineage = trace_silver(table.columns, parent.name, parent.columns)
        elif table.node["language"] == "sql" and table.node.get("compiled_code"):
            table.lineage = trace_query(
                table.node["compiled_code"], {parent.name: parent.columns for parent in parents}
            )
            for column in table.lineage or ():
                table.columns.setdefault(column, None)

    def events(self, run_results: Mapping[str, Any]) -> Iterator[RunEvent]:
        """A START and a COMPLETE or FAIL for each table that a run has written or failed to write.

        Args:
            run_results: dbt's run_results.json. The same run gives the same run ids.
        """
        invocation = run_results["metadata"]["invocation_id"]
        command = str(run_results.get("args", {}).get("which", "run"))
        parent = parent_run.ParentRunFacet(
            run=parent_run.Run(runId=invocation), job=parent_run.Job(self._namespace, f"dbt {command}")
        )
        for result in run_results["results"]:
            table, state = self.tables.get(result["unique_id"]), STATES.get(result["status"])
            if table is None or state is None:
                continue
            started, ended = _times(result, run_results["metadata"]["generated_at"])
            run_id = str(uuid.uuid5(uuid.UUID(invocation), result["unique_id"]))
            run = Run(run_id, {"parent": parent})
            job, inputs, outputs = self._job(table), self._inputs(table), [self._output(table)]
            yield RunEvent(
                eventType=RunState.START, eventTime=started, run=run, job=job, producer=PRODUCER,
                inputs=inputs, outputs=outputs,
            )  # fmt: skip
            if state == RunState.FAIL:
                error = error_message_run.ErrorMessageRunFacet(str(result.get("message") or "failed"), "SQL")
                run = Run(run_id, {"parent": parent, "errorMessage": error})
            yield RunEvent(
                eventType=state, eventTime=ended, run=run, job=job, producer=PRODUCER, inputs=inputs, outputs=outputs
            )

    def _job(self, table: Table) -> Job:
        kind = job_type_job.JobTypeJobFacet(processingType="BATCH", integration="DBT", jobType="MODEL")
        facets: dict[str, Any] = {"jobType": kind}
        # Of bronze and silver it would be `select * from …`: strategies write them.
        if _layer(table.node) in OWN_SQL and table.node.get("compiled_code") and table.node["language"] == "sql":
            facets["sql"] = sql_job.SQLJobFacet(query=table.node["compiled_code"], dialect="spark")
        return Job(self._namespace, table.node["name"], facets)

    def _inputs(self, table: Table) -> list[InputDataset]:
        tables = {table.name: table for table in self.tables.values()}
        return [
            InputDataset(namespace, name, facets=_facets(tables[key]) if key in tables else {})
            for key, (namespace, name) in table.inputs.items()
        ]

    def _output(self, table: Table) -> OutputDataset:
        facets = _facets(table)
        if table.lineage is not None:
            fields = {
                column: column_lineage_dataset.Fields([_input_field(table, source) for source in sources])
                for column, sources in table.lineage.items()
                if sources
            }
            facets["columnLineage"] = column_lineage_dataset.ColumnLineageDatasetFacet(fields=fields)
        return OutputDataset(self._namespace, table.name, facets=facets)


def name_raw_datasets(feed: Feed, schema: str, table: str, landing: str) -> list[Name]:
    """Names of what a bronze table reads, by OpenLineage's naming of datasets.

    Args:
        feed: brings the table.
        schema: of the source.
        table: of the source.
        landing: the landing root.

    Returns:
        For files one folder: of the table, or of the feed where files hold many tables. For Kafka the topics of the
        feed, or its pattern.
    """
    if feed.options.kafka:
        broker = feed.location.removeprefix(KAFKA_SCHEME).split(",")[0]
        kafka = feed.options.kafka
        return [(f"{KAFKA_SCHEME}{broker}", topic) for topic in kafka.topics or (str(kafka.topic_pattern),)]
    location = feed_location(feed.location, landing)
    folder = location if feed.is_multi_table else f"{location}/{schema}/{table}"
    scheme, colon, rest = folder.partition("://")
    if not colon:
        return [("file", folder)]
    host, _, path = rest.partition("/")
    scheme = scheme.replace("s3a", "s3").replace("s3n", "s3")
    return [("file", f"/{path}") if scheme == "file" else (f"{scheme}://{host}", path)]


def _layer(node: Mapping[str, Any]) -> str | None:
    """A layer of the pipeline; None: a model of the user's."""
    return read_layer(node) or ("etl_metadata" if node["schema"].endswith("etl_metadata") else None)


def _columns(node: Mapping[str, Any], of_catalog: Mapping[str, Any] | None) -> dict[str, str | None]:
    types = {name: column.get("data_type") for name, column in node["columns"].items()}
    return types | {name: column["type"] for name, column in (of_catalog or {}).get("columns", {}).items()}


def _facets(table: Table) -> dict[str, Any]:
    fields = [
        schema_dataset.SchemaDatasetFacetFields(
            name=name, type=data_type, description=table.node["columns"].get(name, {}).get("description") or None
        )
        for name, data_type in table.columns.items()
    ]
    facets: dict[str, Any] = {"schema": schema_dataset.SchemaDatasetFacet(fields=fields)}
    if table.node["description"]:
        facets["documentation"] = documentation_dataset.DocumentationDatasetFacet(table.node["description"])
    return facets


def _input_field(table: Table, source: Source) -> column_lineage_dataset.InputField:
    namespace, name = table.inputs.get(source.table, next(iter(table.inputs.values())))
    kind = column_lineage_dataset.Transformation("DIRECT", "IDENTITY" if source.is_copy else "TRANSFORMATION")
    return column_lineage_dataset.InputField(namespace, name, source.column, [kind])


def _times(result: Mapping[str, Any], otherwise: str) -> tuple[str, str]:
    timing: Iterable[Mapping[str, Any]] = result.get("timing") or ()
    execute = next((step for step in timing if step["name"] == "execute"), {})
    return execute.get("started_at") or otherwise, execute.get("completed_at") or otherwise
