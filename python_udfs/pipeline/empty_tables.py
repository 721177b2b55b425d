"""Columns of the tables in `etl_metadata` that begin without a row, so that no query gives them their columns."""

from __future__ import annotations

from python_udfs.pipeline.columns import Column

_COLUMNS = {
    # Made by its model, or by the first command that compares a table without that model.
    "silver_checks": (
        Column("silver_table", "string"),
        Column("snapshot_id", "bigint"),
        Column("schema_id", "int"),
        Column("bronze_snapshot_id", "bigint"),
        Column("batch_id", "bigint"),
        Column("sequence", "string"),
        Column("compared_at", "timestamp"),
        Column("checked_at", "timestamp"),
    ),
    # Made by its model or by `make quality`.
    "expectation_results": (
        Column("run_at", "timestamp"),
        Column("silver_table", "string"),
        Column("column_name", "string"),
        Column("expectation", "string"),
        Column("severity", "string"),
        Column("scope", "string"),
        Column("row_condition", "string"),
        Column("success", "boolean"),
        Column("observed_value", "string"),
        Column("expected", "string"),
        Column("message", "string"),
        Column("snapshot_id", "bigint"),
        Column("batch_id", "bigint"),
    ),
    # Made by its model, or by the first command that has a row for it.
    "incidents": (
        Column("kind", "string"),
        Column("subject", "string"),
        Column("silver_table", "string"),
        Column("message", "string"),
        Column("command", "string"),
        Column("opened_at", "timestamp"),
        Column("looked_at", "timestamp"),
        Column("ended_at", "timestamp"),
        Column("opening_sent_at", "timestamp"),
        Column("end_sent_at", "timestamp"),
    ),
    "quarantine": (
        Column("feed", "string"),
        Column("source_schema", "string"),
        Column("source_table", "string"),
        Column("source_file", "string"),
        Column("file_row", "bigint"),
        Column("rule", "string"),
        Column("reason", "string"),
        Column("content", "string"),
        Column("sequence", "string"),
        Column("batch_id", "bigint"),
        Column("ingested_at", "timestamp"),
        Column("status", "string"),
    ),
    # Of which cdc_file_status_sql makes the status of files.
    "progress": (
        Column("feed", "string"),
        Column("source_schema", "string"),
        Column("source_table", "string"),
        Column("is_active", "boolean"),
        Column("batch_id", "bigint"),
    ),
}


def list_columns(table: str) -> tuple[Column, ...]:
    """Columns of a table, in its order.

    Args:
        table: its name; `progress` is a common table expression.
    """
    return _COLUMNS[table]
