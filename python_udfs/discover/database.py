"""Facts about every database; MySQL, PostgreSQL and Oracle have modules of their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from python_udfs.discover.found import Typed, Warned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.types import TypeEngine

    from python_udfs.discover.found import FoundTable

ColumnId = tuple[str, str, str]  # schema, table, column


@dataclass
class Database:
    """A database about which nothing is known but the types of SQL.

    Args:
        is_dms: whether DMS captures its changes; other programs deliver some types otherwise.
        natives: the database's own text of the type of each column, if it was asked for.
        kinds: name of the type of each column, in upper case, as `types` and `large` have it.
    """

    is_dms: bool
    natives: dict[ColumnId, str] = field(default_factory=dict)
    kinds: dict[ColumnId, str] = field(default_factory=dict)

    # By SQLAlchemy's name of the type, or by the database's own where SQLAlchemy has none.
    types: ClassVar[Mapping[str, str]] = {
        "BOOLEAN": "boolean",
        "SMALLINT": "smallint",
        "INTEGER": "bigint",
        "BIGINT": "bigint",
        "REAL": "double",
        "FLOAT": "double",
        "DOUBLE": "double",
        "DOUBLE_PRECISION": "double",
        "DATE": "date",
        "DATETIME": "timestamp_ntz",
        "TIMESTAMP": "timestamp_ntz",
        "TIME": "string",
        "CHAR": "string",
        "NCHAR": "string",
        "VARCHAR": "string",
        "NVARCHAR": "string",
        "TEXT": "string",
        "BINARY": "binary",
        "VARBINARY": "binary",
        "BLOB": "binary",
    }
    # Types that DMS moves as LOBs, which it cuts (docs/feeds/dms_format.md, Values in CSV).
    large: ClassVar[Mapping[str, str]] = {}
    without_precision: ClassVar[Typed] = Typed("decimal(38,10)", "a number without precision: proposed decimal(38,10)")

    def is_system_schema(self, name: str) -> bool:
        """Whether a schema belongs to the server itself, not to its users."""
        return name == "information_schema"

    def read(self, connection: Connection, schemas: Sequence[str]) -> None:
        """Ask the database what SQLAlchemy does not reflect; only reads."""

    def type_name(self, kind: TypeEngine[Any], native: str) -> str:
        """The name of a type as `types` and `large` have it."""
        name = str(kind.__visit_name__).upper()
        return native.partition("(")[0].strip().upper() if name == "NULL" else name

    def typed(self, kind: TypeEngine[Any], native: str = "") -> Typed:
        """The Spark type of a column.

        Args:
            kind: its type as SQLAlchemy reflects it.
            native: the database's own text of it.

        Returns:
            A type that holds what capture delivers of it; string for a type that is not known.
        """
        name = self.type_name(kind, native)
        if name in ("DECIMAL", "NUMERIC", "NUMBER"):
            return decimal(getattr(kind, "precision", None), getattr(kind, "scale", None), self.without_precision)
        if name in self.large:
            return Typed(self.large[name], is_large=True)
        return Typed(self.types[name]) if name in self.types else Typed("string", is_known=False)

    def encoding(self, kind: TypeEngine[Any], native: str = "") -> str:
        """How Debezium writes a column of times without a schema, by default (docs/feeds/debezium_format.md, Types).

        Args:
            kind: its type as SQLAlchemy reflects it.
            native: the database's own text of it.

        Returns:
            The cell `encoding`; empty for texts, other types, and if nothing is known of the connector.
        """
        return "days" if self.type_name(kind, native) == "DATE" else ""

    def look_further(self, tables: Sequence[FoundTable]) -> list[Warned]:
        """Fill in how the keys of the tables compare, warn of what they lose; returns what concerns all of them."""
        advice = "No types are known of this kind of database but those of SQL: compare them with the files."
        return [Warned("types", advice)]


def choose_unit(digits: int | None) -> str:
    """The unit in which Debezium's adaptive modes write times with so many digits of a second; empty for None."""
    if digits is None:
        return ""
    return "ms" if digits <= 3 else "us" if digits <= 6 else "ns"


def decimal(precision: int | None, scale: int | None, without: Typed) -> Typed:
    """The type of an exact number.

    Args:
        precision: digits in all, None if the source sets no limit.
        scale: digits after the point; may be negative or greater than the precision, None for 0.
        without: the type if there is no precision.

    Returns:
        A decimal that holds every such number, string where Spark's 38 digits are too few.
    """
    if precision is None:
        return without
    scale = scale or 0
    digits = max(precision, scale) if scale >= 0 else precision - scale
    if digits > 38:
        return Typed("string", f"{digits} digits where Spark's decimal holds 38: proposed string")
    return Typed(f"decimal({digits},{max(scale, 0)})")
