"""Oracle: types, and what to know about its log. Its driver `oracledb` is not among the project's requirements.

Types hold what capture delivers (docs/feeds/dms_format.md and debezium_format.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import bindparam, text

from python_udfs.discover.database import Database, choose_unit
from python_udfs.discover.found import Typed, Warned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.types import TypeEngine

    from python_udfs.discover.found import FoundTable


# The type is written with its digits: TIMESTAMP(6).
TIMESTAMPS = text(
    "select owner, table_name, column_name, data_type from all_tab_columns"
    " where data_type like 'TIMESTAMP%' and owner in :schemas"
).bindparams(bindparam("schemas", expanding=True))


@dataclass
class Oracle(Database):
    """Oracle. DMS writes times with a zone as text."""

    types: ClassVar[Mapping[str, str]] = {
        "INTEGER": "decimal(38,0)",
        "FLOAT": "double",
        "REAL": "double",
        "DOUBLE": "double",
        "DOUBLE_PRECISION": "double",
        "BINARY_FLOAT": "float",
        "BINARY_DOUBLE": "double",
        "BOOLEAN": "boolean",
        "DATE": "timestamp_ntz",  # Oracle's has a time of day
        "INTERVAL": "string",
        "CHAR": "string",
        "NCHAR": "string",
        "VARCHAR": "string",
        "VARCHAR2": "string",
        "NVARCHAR": "string",
        "NVARCHAR2": "string",
        "ROWID": "string",
        "RAW": "binary",
    }
    large: ClassVar[Mapping[str, str]] = {
        "CLOB": "string",
        "NCLOB": "string",
        "LONG": "string",
        "JSON": "string",
        "BLOB": "binary",
    }
    without_precision = Typed(
        "decimal(38,10)", "a NUMBER without precision: 28 digits fit before the point and 10 after it"
    )

    def read(self, connection: Connection, schemas: Sequence[str]) -> None:
        """Ask for the digits of a second of times, which SQLAlchemy leaves out."""
        names = [name.upper() for name in schemas]
        rows: Iterable[Any] = connection.execute(TIMESTAMPS, {"schemas": names})
        for schema, table, column, native in rows:
            self.natives[schema, table, column] = native

    def encoding(self, kind: TypeEngine[Any], native: str = "") -> str:
        """How Debezium writes a column without a schema; a time with a zone is a text."""
        name = self.type_name(kind, native)
        if name == "TIMESTAMP" and self.typed(kind, native).data_type == "timestamp_ntz":
            digits = re.search(r"\((\d)\)", native)
            return choose_unit(int(digits[1]) if digits else None)
        return "ms" if name == "DATE" else ""

    def typed(self, kind: TypeEngine[Any], native: str = "") -> Typed:
        """The Spark type of a column."""
        if self.type_name(kind, native) == "TIMESTAMP":
            if getattr(kind, "timezone", False) or getattr(kind, "local_timezone", False):
                return Typed("string" if self.is_dms else "timestamp")
            return Typed("timestamp_ntz")
        return super().typed(kind, native)

    def look_further(self, tables: Sequence[FoundTable]) -> list[Warned]:
        """Nothing about single tables; returns what to make sure of."""
        advice = (
            "Not looked at: unless the supplemental log has all columns, an update carries its key and what changed, "
            "and the rest comes as NULL. `alter database add supplemental log data (all) columns`, or per table."
        )
        return [Warned("supplemental log", advice)]
