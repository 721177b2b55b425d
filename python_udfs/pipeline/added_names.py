"""Columns that the project adds to bronze and silver, and keys of the summaries of its snapshots: docs/reference.md.

`make models` writes the reference and the descriptions of the columns in dbt (`models/_cdc_docs.md`) from here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AddedColumn:
    """A column that the project adds.

    Attributes:
        name: of the column.
        type: Spark SQL type.
        bronze: whether bronze has it.
        silver: which tables of silver have it: ``all``, ``append``, ``history``, ``soft`` (deletes), or empty.
        meaning: sentences, in Markdown without links.
    """

    name: str
    type: str
    bronze: bool
    silver: str
    meaning: str


@dataclass(frozen=True)
class SummaryKey:
    """A key of the summary of a snapshot.

    Attributes:
        name: of the key.
        tables: that have it.
        type: of the value, which Iceberg stores as text; ``true``: the key is set or missing.
        meaning: sentences, in Markdown without links.
    """

    name: str
    tables: str
    type: str
    meaning: str


ADDED_COLUMNS = (
    AddedColumn(
        "_cdc_operation",
        "string",
        True,
        "all",
        "Effect of the change: `I` insert, `U` update, `D` delete, `L` row of a full load. In bronze only: `T`"
        " truncate, `R` a reload is complete, `X` a file was overwritten.",
    ),
    AddedColumn(
        "_cdc_committed_at",
        "timestamp",
        True,
        "all",
        "When the change was committed at the source; for a full load, when the row was transferred. UTC. Without a"
        " commit time: the time in the file's name, else the file's modification time. Never the only order.",
    ),
    AddedColumn(
        "_cdc_sequence",
        "string",
        True,
        "all",
        "The total order of changes within the table, as a text that sorts: load generation, full load before changes,"
        " source position, file, row in the file, modification time of the file.",
    ),
    AddedColumn(
        "_cdc_generation",
        "int",
        True,
        "all",
        "Load generation: 1 for the first full load; a reload of the table starts the next one.",
    ),
    AddedColumn(
        "_cdc_source_file",
        "string",
        True,
        "append",
        "The file that the row came from: its path under the feed's location.",
    ),
    AddedColumn(
        "_cdc_file_row",
        "bigint",
        True,
        "append",
        "The number of the row in its file, from 0; for CSV the line on which the record begins.",
    ),
    AddedColumn(
        "_cdc_batch_id",
        "bigint",
        True,
        "all",
        "The batch in which the listing first had the file: UTC time as a number, yyyyMMddHHmmssSSS. Never used for"
        " ordering.",
    ),
    AddedColumn(
        "_cdc_ingested_at",
        "timestamp",
        True,
        "",
        "When the run that wrote the row started. UTC. Never used for ordering.",
    ),
    AddedColumn(
        "_cdc_unavailable_columns",
        "array<string>",
        True,
        "",
        "Columns whose value the change does not carry; silver keeps theirs. Empty when the change carries all of"
        " them.",
    ),
    AddedColumn(
        "_cdc_old_key",
        "map<string,string>",
        True,
        "",
        "For a change of the key: the key before it, by column, as text; of a binary column in base64. Empty when the"
        " key did not change.",
    ),
    AddedColumn(
        "_cdc_quarantine_rule",
        "string",
        True,
        "",
        "Empty for a good row. Otherwise the rule that the row breaks: `malformed_record`, `unknown_operation`,"
        " `schema_drift`, `uncastable_value` or `missing_key`, and `incomplete_reload` of a reload that waits. Silver"
        " leaves such a row out.",
    ),
    AddedColumn(
        "_cdc_quarantine_reason",
        "string",
        True,
        "",
        'The received and the expected value, for a row that breaks a rule; after "released: " on a row that came out'
        " of quarantine.",
    ),
    AddedColumn(
        "_cdc_quarantine_content",
        "string",
        True,
        "",
        "The row as it came, for a row that breaks a rule.",
    ),
    AddedColumn(
        "_cdc_is_deleted",
        "boolean",
        False,
        "soft",
        "True once the row was deleted at the source; the other columns keep its last image.",
    ),
    AddedColumn(
        "_cdc_valid_from",
        "timestamp",
        False,
        "history",
        "From when on the version was what the source had: the commit time of the change that began it. UTC.",
    ),
    AddedColumn(
        "_cdc_valid_to",
        "timestamp",
        False,
        "history",
        "Until when the version was valid, this time excluded; empty for the version that is still valid. UTC.",
    ),
)

_OFFSETS = "JSON: number by topic and partition"

SUMMARY_KEYS = (
    SummaryKey(
        "cdc.batch-id",
        "bronze, silver, `raw_listing`, `split_<feed>`",
        "number",
        "Last batch in the table. A snapshot with it is progress.",
    ),
    SummaryKey("cdc.started-at", "bronze, silver, gold", "time", "When the model started."),
    SummaryKey(
        "cdc.plain-changes",
        "bronze",
        "`true`",
        "Each row is a change that carries all values. Silver asks the manifests, not the rows (record 38).",
    ),
    SummaryKey(
        "cdc.line-breaks",
        "bronze",
        "`true`",
        "A CSV value of the batch has a line break. The next batch is read in full before it is written (record 39).",
    ),
    SummaryKey("cdc.rejected", "bronze", "number", "Rows of the table in `rejected_files`."),
    SummaryKey("cdc.source-log", "bronze", "JSON", "How far the source's log was read (record 64)."),
    SummaryKey("cdc.log-began-again", "bronze, silver", "`true`", "The source's log began again (record 64)."),
    SummaryKey(
        "cdc.second-snapshot",
        "bronze, silver",
        "text",
        "A second snapshot came (record 64). Bronze: `before changes` or `after changes`; silver: `true`.",
    ),
    SummaryKey(
        "cdc.full-listing",
        "`raw_listing`",
        "JSON: time by feed",
        "When each feed with `full_listing_hours` was last listed in full. It is a property of the table if no file is"
        " new.",
    ),
    SummaryKey("cdc.kafka-cluster", "`split_<feed>` of Kafka", "text", "Id of the cluster that the offsets are of."),
    SummaryKey("cdc.kafka-topics", "`split_<feed>` of Kafka", "JSON: id by topic", "Topics that the offsets are of."),
    SummaryKey("cdc.kafka-offsets", "`split_<feed>` of Kafka", _OFFSETS, "Offsets that the next run reads from."),
    SummaryKey("cdc.kafka-ends", "`split_<feed>` of Kafka", _OFFSETS, "Ends of the partitions that the run saw."),
    SummaryKey(
        "cdc.kafka-waiting", "`split_<feed>` of Kafka", "JSON: list of gaps", "Gaps behind which a partition waits."
    ),
    SummaryKey("cdc.bronze-snapshot-id", "silver", "number", "Bronze snapshot that is applied in full."),
    SummaryKey("cdc.sequence", "silver", "`_cdc_sequence`", "Greatest sequence applied."),
    SummaryKey("cdc.reset-point", "silver", "text", "Last reset point applied. It compares with `_cdc_sequence`."),
    SummaryKey("cdc.committed-at", "silver", "time", "Newest commit time applied. Lag is counted from it."),
    SummaryKey("cdc.overwritten", "silver", "`true`", "The log has superseded rows."),
    SummaryKey(
        "cdc.whole-log", "silver", "`true`", "All rows were derived from the whole log. Rows of any key may differ."
    ),
    SummaryKey(
        "cdc.part-of-batch",
        "silver",
        "number",
        "Batch of which this commit removes the rows; the next one adds rows. It is no progress.",
    ),
    SummaryKey("cdc.rows-updated", "silver", "number", "Removed rows that the commit adds again."),
    SummaryKey("cdc.rows-deleted", "silver", "number", "Removed rows that the commit does not add again."),
    SummaryKey(
        "cdc.rows-not-counted", "silver", "`true`", "A MERGE on a Spark before 4.1, which does not count its rows."
    ),
    SummaryKey("cdc.bronze-seconds", "silver", "number", "How long bronze took for the changes."),
    SummaryKey("cdc.quarantined", "silver", "number", "Rows in quarantine among the new rows of bronze."),
    SummaryKey("cdc.changes", "silver", "number", "Rows of bronze that the run read."),
    SummaryKey("cdc.ties", "silver", "number", "Ties among them."),
    SummaryKey("cdc.not-applied", "silver", "number", "Changes without a key among them."),
    SummaryKey("cdc.keys", "silver", "number", "Keys among them, if unchanged rows are skipped."),
    SummaryKey(
        "refresh-state",
        "gold",
        "JSON",
        "UUID and snapshot of each input, by the names that Iceberg proposes for materialized views.",
    ),
    SummaryKey(
        "cdc.gold-bronze", "gold", "JSON: number by table", "Bronze snapshot that each silver input had applied."
    ),
    SummaryKey("cdc.gold-mode", "gold", "text", "Way of the refresh: `create`, `affected`, `full` or `refresh`."),
    SummaryKey("cdc.gold-reason", "gold", "text", "Why it took this way."),
    SummaryKey("cdc.gold-keys", "gold", "number or `all`", "Keys that were computed."),
    SummaryKey("cdc.gold-frozen", "gold", "number", "Affected keys that have frozen rows."),
    SummaryKey("cdc.gold-sql", "gold", "text", "The model's query."),
    SummaryKey("cdc.gold-query", "gold", "hash", "Hash of query, key, spine and `keys_sql`."),
    SummaryKey("cdc.gold-types", "gold", "hash", "Hash of the types of the inputs."),
    SummaryKey("cdc.gold-definition", "gold", "hash", "Hash of the model as it is written, with the day."),
    SummaryKey("cdc.gold-today", "gold", "date", "Day of the run, if the model names it."),
    SummaryKey("cdc.gold-freeze", "gold", "text", "Condition of frozen rows, if the model has one."),
    SummaryKey(
        "cdc.gold-part",
        "gold",
        "text",
        "Id of the command, in the commit that removes rows before the refresh adds rows. It is no progress.",
    ),
)
