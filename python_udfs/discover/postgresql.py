"""PostgreSQL: types, replica identities, and keys for which different texts are the same.

Types hold what capture delivers (docs/feeds/dms_format.md and debezium_format.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sqlalchemy import bindparam, text

from python_udfs.discover.database import ColumnId, Database, choose_unit, decimal
from python_udfs.discover.found import Typed, Warned

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.types import TypeEngine

    from python_udfs.discover.found import FoundTable

RANGES = ("INT4", "INT8", "NUM", "DATE", "TS", "TSTZ")
TEXTS = ("CHAR", "VARCHAR", "TEXT", "CITEXT")

# A table without a toast table has no value that is stored out of line. Older servers lack collisdeterministic:
# to_jsonb makes a NULL of a column that is not there.
COLUMNS = text(
    """select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), c.relreplident::text,
    c.relkind = 'p', c.reltoastrelid <> 0 and a.attstorage <> 'p' and a.atttypid <> 'numeric'::regtype,
    coalesce(to_jsonb(l) ->> 'collisdeterministic', 'true') = 'false'
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_collation as l on l.oid = a.attcollation
    where c.relkind in ('r', 'p') and n.nspname in :schemas
    order by a.attnum"""
).bindparams(bindparam("schemas", expanding=True))


@dataclass
class PostgreSql(Database):
    """PostgreSQL. DMS cuts numbers without precision and writes bits as text."""

    identities: dict[tuple[str, str], str] = field(default_factory=dict)
    partitioned: set[tuple[str, str]] = field(default_factory=set)
    toastable: list[ColumnId] = field(default_factory=list)
    nondeterministic: set[ColumnId] = field(default_factory=set)

    types: ClassVar[Mapping[str, str]] = {
        "SMALLINT": "smallint",
        "INTEGER": "int",
        "BIGINT": "bigint",
        "OID": "bigint",
        "REAL": "float",
        "FLOAT": "double",
        "DOUBLE": "double",
        "DOUBLE_PRECISION": "double",
        "MONEY": "decimal(19,2)",
        "BOOLEAN": "boolean",
        "DATE": "date",
        "TIME": "string",
        "INTERVAL": "string",
        "CHAR": "string",
        "STRING": "string",
        "VARCHAR": "string",
        "ENUM": "string",
        "UUID": "string",
        "INET": "string",
        "CIDR": "string",
        "MACADDR": "string",
        "MACADDR8": "string",
    } | {kind + suffix: "string" for kind in RANGES for suffix in ("RANGE", "MULTIRANGE")}
    large: ClassVar[Mapping[str, str]] = {
        "TEXT": "string",
        "CITEXT": "string",
        "JSON": "string",
        "JSONB": "string",
        "XML": "string",
        "ARRAY": "string",
        "HSTORE": "string",
        "TSVECTOR": "string",
        "TSQUERY": "string",
        "BYTEA": "binary",
    }

    def is_system_schema(self, name: str) -> bool:
        """Whether a schema belongs to the server itself."""
        return name.startswith("pg_") or name == "information_schema"

    def read(self, connection: Connection, schemas: Sequence[str]) -> None:
        """Ask for types, replica identities, columns that are stored out of line, and collations."""
        rows: Iterable[Any] = connection.execute(COLUMNS, {"schemas": list(schemas)})
        for schema, table, column, native, identity, is_partitioned, is_toastable, is_loose in rows:
            self.natives[schema, table, column] = native
            self.identities[schema, table] = identity
            if is_partitioned:
                self.partitioned.add((schema, table))
            if is_toastable:
                self.toastable.append((schema, table, column))
            if is_loose:
                self.nondeterministic.add((schema, table, column))

    def typed(self, kind: TypeEngine[Any], native: str = "") -> Typed:
        """The Spark type of a column; a domain has that of the type under it."""
        name = self.type_name(kind, native)
        if name == "DOMAIN":
            return self.typed(kind.data_type)  # type: ignore[attr-defined]
        if name == "NUMERIC":
            remark = "a numeric without precision: "
            if self.is_dms:
                without = Typed("decimal(28,6)", f"{remark}DMS keeps 6 digits after the point")
            else:
                without = Typed("decimal(38,18)", f"{remark}20 digits fit before the point and 18 after it")
            return decimal(getattr(kind, "precision", None), getattr(kind, "scale", None), without)
        if name == "TIMESTAMP":
            return Typed("timestamp" if getattr(kind, "timezone", False) else "timestamp_ntz")
        if name == "BIT":
            is_one = getattr(kind, "length", None) == 1 and not getattr(kind, "varying", False)
            return Typed("string" if self.is_dms else "boolean" if is_one else "binary")
        return super().typed(kind, native)

    def encoding(self, kind: TypeEngine[Any], native: str = "") -> str:
        """How Debezium writes a column without a schema; a time with a zone is a text."""
        name = self.type_name(kind, native)
        if name == "DOMAIN":
            return self.encoding(kind.data_type)  # type: ignore[attr-defined]
        if name == "TIMESTAMP" and not getattr(kind, "timezone", False):
            digits = getattr(kind, "precision", None)
            return choose_unit(6 if digits is None else digits)
        return super().encoding(kind, native)

    def look_further(self, tables: Sequence[FoundTable]) -> list[Warned]:
        """Propose how text keys compare, and warn of replica identities and partitions; nothing concerns all."""
        for table in tables:
            identity = (table.schema, table.name)
            if identity in self.partitioned:
                advice = (
                    "Its rows are captured under the names of its partitions, unless the publication has "
                    "publish_via_partition_root = true. Keep either the table or its partitions."
                )
                table.warned.append(Warned("partitioned", advice))
            compare_keys(
                table,
                {name: self.kinds.get((*identity, name), "") for name in table.primary_key},
                {name for name in table.primary_key if (*identity, name) in self.nondeterministic},
            )
            toastable = [
                column_id[2]
                for column_id in self.toastable
                if column_id[:2] == identity and column_id[2] not in table.primary_key
            ]
            replicated = self.identities.get(identity, "f")
            table.warned.extend(warn_replica_identity(replicated, has_key=bool(table.primary_key), toastable=toastable))
        return []


def compare_keys(table: FoundTable, key: Mapping[str, str], nondeterministic: Collection[str]) -> None:
    """Propose `key_comparison` if the source takes different texts for the same.

    Args:
        table: gets the proposal.
        key: name of the type of each key column.
        nondeterministic: key columns with such a collation.
    """
    texts = [name for name, kind in key.items() if kind in TEXTS]
    case_blind = [name for name in texts if key[name] == "CITEXT"]
    if case_blind and case_blind == texts:
        table.key_comparison = ("ignore_case",)
    if case_blind or nondeterministic:
        advice = (
            "The source takes different texts for the same key. ignore_case is proposed for keys of citext alone; "
            "if a nondeterministic collation ignores case and nothing else, write it yourself."
        )
        comparisons = [f"{name} {'citext' if name in case_blind else key[name].lower()}" for name in texts]
        detail = f"{', '.join(comparisons)}; proposed: {';'.join(table.key_comparison) or 'exact'}"
        table.warned.append(Warned("key collation", advice, detail))


def warn_replica_identity(identity: str, *, has_key: bool, toastable: Sequence[str]) -> list[Warned]:
    """Warns of values that a replica identity keeps from capture (docs/feeds/dms_format.md and debezium_format.md).

    Args:
        identity: `pg_class.relreplident`: d default, n nothing, f full, i index.
        has_key: whether the table has a primary key.
        toastable: columns outside the key whose values may be stored out of line.
    """
    if identity == "n" or (identity == "d" and not has_key):
        advice = (
            "PostgreSQL does not send updates and deletes of the table, or refuses them once it is published. Give it "
            "a primary key, or `alter table … replica identity full`."
        )
        word = "nothing" if identity == "n" else "default, and no key"
        return [Warned("replica identity", advice, word)]
    if identity != "f" and toastable:
        advice = (
            "An update that does not touch a large value does not carry it: Debezium marks it and silver keeps the "
            "value it has, DMS may write NULL. `alter table … replica identity full` sends every value."
        )
        word = {"d": "default", "i": "index"}[identity]
        return [Warned("large values", advice, f"replica identity {word}: {', '.join(toastable)}")]
    return []
