"""Asks bronze and its quarantine for the types that `decide` decides on."""

from __future__ import annotations

from python_udfs.metadata.names import RESERVED_PREFIX
from python_udfs.pipeline.columns import read_source_columns
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, Sql, Warehouse
from python_udfs.retype.decide import TypeDecision, decide_types


def ask_types(warehouse: Warehouse, sql: Sql, cdc: TableConfig, bronze: Relation) -> TypeDecision:
    """Decides which columns of a bronze table get which type; as `decide_types`.

    Args:
        warehouse: with the table.
        sql: macros by name.
        cdc: from `Project.describe_bronze`.
        bronze: the table.
    """
    # Of parquet, too, the types of the seed count.
    return decide_types(
        columns=[
            {"name": column.name, "type": column.dtype.lower()}
            for column in warehouse.get_columns_in_relation(bronze)
            if not column.name.startswith(RESERVED_PREFIX)
        ],
        listed={column.name.lower(): column.type for column in read_source_columns(cdc.as_text(), [])},
        received=warehouse.query(sql["cdc_received_types_sql"](cdc, bronze)) if cdc.format == "parquet" else [],
    )
