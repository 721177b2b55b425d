"""MySQL and MariaDB: types, collations of keys, and settings of the binary log.

Types hold what capture delivers (docs/feeds/dms_format.md and debezium_format.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import bindparam, text

from python_udfs.discover.database import ColumnId, Database, choose_unit
from python_udfs.discover.found import Typed, Warned

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.types import TypeEngine

    from python_udfs.discover.found import FoundTable

# tinyint(1) stays a number: DMS writes INT1, Debezium numbers or booleans, and the column accepts 2.
SIGNED = {"TINYINT": "tinyint", "SMALLINT": "smallint", "MEDIUMINT": "int", "INTEGER": "int", "BIGINT": "bigint"}
UNSIGNED = SIGNED | {"TINYINT": "smallint", "SMALLINT": "int", "INTEGER": "bigint", "BIGINT": "decimal(20,0)"}
COLLATED = ("CHAR", "VARCHAR", "NCHAR", "NVARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT")

COLUMNS = text(
    "select table_schema, table_name, column_name, column_type, collation_name"
    " from information_schema.columns where table_schema in :schemas"
).bindparams(bindparam("schemas", expanding=True))
VARIABLES = text(
    "show global variables where variable_name in"
    " ('log_bin', 'binlog_format', 'binlog_row_image', 'binlog_row_value_options', 'binlog_transaction_compression',"
    " 'sql_mode')"
)


@dataclass
class MySql(Database):
    """MySQL or MariaDB; DMS and other programs get the same types."""

    collations: dict[ColumnId, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    types: ClassVar[Mapping[str, str]] = SIGNED | {
        "FLOAT": "float",
        "DOUBLE": "double",
        "DATE": "date",
        "DATETIME": "timestamp_ntz",
        "TIMESTAMP": "timestamp",
        "TIME": "string",
        "YEAR": "smallint",
        "CHAR": "string",
        "VARCHAR": "string",
        "NCHAR": "string",
        "NVARCHAR": "string",
        "TINYTEXT": "string",
        "ENUM": "string",
        "SET": "string",
        "UUID": "string",
        "INET4": "string",
        "INET6": "string",
        "BINARY": "binary",
        "VARBINARY": "binary",
        "TINYBLOB": "binary",
    }
    large: ClassVar[Mapping[str, str]] = {
        "TEXT": "string",
        "MEDIUMTEXT": "string",
        "LONGTEXT": "string",
        "JSON": "string",
        "BLOB": "binary",
        "MEDIUMBLOB": "binary",
        "LONGBLOB": "binary",
    }

    def is_system_schema(self, name: str) -> bool:
        """Whether a schema belongs to the server itself."""
        return name.lower() in ("information_schema", "mysql", "performance_schema", "sys")

    def read(self, connection: Connection, schemas: Sequence[str]) -> None:
        """Ask for types, collations and settings."""
        rows: Iterable[Any] = connection.execute(COLUMNS, {"schemas": list(schemas)})
        for schema, table, column, native, collation in rows:
            self.natives[schema, table, column] = native
            self.collations[schema, table, column] = collation or ""
        self.variables = {str(name).lower(): str(value).upper() for name, value in connection.execute(VARIABLES)}

    def typed(self, kind: TypeEngine[Any], native: str = "") -> Typed:
        """The Spark type of a column."""
        name = self.type_name(kind, native)
        if name in UNSIGNED and getattr(kind, "unsigned", False):
            return Typed(UNSIGNED[name])
        if name == "BIT":
            return Typed("boolean" if getattr(kind, "length", None) in (None, 1) else "binary")
        return super().typed(kind, native)

    def encoding(self, kind: TypeEngine[Any], native: str = "") -> str:
        """How Debezium writes a column without a schema; a TIMESTAMP is a text with its zone."""
        if self.type_name(kind, native) == "DATETIME":
            return choose_unit(getattr(kind, "fsp", None) or 0)
        return super().encoding(kind, native)

    def look_further(self, tables: Sequence[FoundTable]) -> list[Warned]:
        """Propose how text keys compare; returns what the settings of the server lose."""
        for table in tables:
            identities = {name: (table.schema, table.name, name) for name in table.primary_key}
            compare_keys(
                table,
                {
                    name: self.collations.get(column_id, "")
                    for name, column_id in identities.items()
                    if self.kinds.get(column_id) in COLLATED
                },
            )
        has_dates = any(kind in ("DATE", "DATETIME", "TIMESTAMP") for kind in self.kinds.values())
        return warn_of_settings(self.variables, has_dates=has_dates)


def compare_keys(table: FoundTable, collations: Mapping[str, str]) -> None:
    """Propose `key_comparison` from the collations of the text columns of the key, by column.

    A word is proposed only if it is true of every text column: to take two keys for one loses a row.
    """
    words = {name: _words(collation) for name, collation in collations.items()}
    if not any(words.values()):
        return
    table.key_comparison = tuple(
        word for word in ("ignore_case", "ignore_trailing_spaces") if all(word in its for its in words.values())
    )
    advice = (
        "The source takes texts for the same key that differ in case (_ci), in trailing spaces (padding "
        "collations), and mostly in accents. key_comparison is proposed as far as all text columns of the key agree; "
        "keys that are the same for another reason stay two rows in silver: give such columns a _bin collation."
    )
    collation_words = ", ".join(f"{name} {collation}" for name, collation in collations.items())
    table.warned.append(Warned("key collation", advice, f"{collation_words}; proposed: {_proposed(table)}"))


def _proposed(table: FoundTable) -> str:
    return ";".join(table.key_comparison) or "exact"


def _words(collation: str) -> set[str]:
    words = {"ignore_case"} if "_ci" in collation else set()
    # Of MySQL's collations those of UCA 9.0.0 do not pad; of MariaDB's, those that say so.
    if collation not in ("", "binary") and "_0900_" not in collation and "nopad" not in collation:
        words.add("ignore_trailing_spaces")
    return words


def warn_of_settings(variables: Mapping[str, str], *, has_dates: bool) -> list[Warned]:
    """Warns of the settings of a server that keep changes from capture.

    Args:
        variables: values by name, the values in upper case.
        has_dates: whether any column is a date or a time stamp.
    """
    warned = []
    if variables.get("log_bin") == "OFF":
        advice = "log_bin is OFF: without a binary log no change can be captured. Set it and restart the server."
        warned.append(Warned("no binary log", advice))
    for name, value, loss in (
        ("binlog_format", "ROW", "changes may come as statements, which capture does not read"),
        ("binlog_row_image", "FULL", "rows come in part, and what is missing comes as NULL"),
        (
            "binlog_transaction_compression",
            "OFF",
            "Debezium's changes of one transaction may be put in a wrong order, and Maxwell before 1.45 sends none",
        ),
    ):
        setting = variables.get(name, value)
        if setting != value:
            advice = f"{name} is {setting}: {loss}. Set global {name} = '{value}' and let all clients reconnect."
            warned.append(Warned(name, advice))
    if "PARTIAL_JSON" in variables.get("binlog_row_value_options", ""):
        advice = "binlog_row_value_options is PARTIAL_JSON: updates of JSON cannot be read. Set it to ''."
        warned.append(Warned("partial JSON", advice))
    modes = variables.get("sql_mode", "").split(",")
    if has_dates and not {"NO_ZERO_DATE", "NO_ZERO_IN_DATE"} <= set(modes):
        advice = (
            "sql_mode allows zero dates such as 0000-00-00, which no date of Spark can hold: Debezium makes them NULL, "
            "or 1970-01-01 if the column is not null; DMS may write the text. Add NO_ZERO_DATE,NO_ZERO_IN_DATE to "
            "sql_mode, and correct the rows that have such dates."
        )
        warned.append(Warned("zero dates", advice))
    return warned
