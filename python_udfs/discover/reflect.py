"""Reads the tables of a database through SQLAlchemy; it only reads."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SAWarning, SQLAlchemyError
from sqlalchemy.pool import NullPool

from python_udfs.discover.database import Database
from python_udfs.discover.found import Found, FoundColumn, FoundTable, Warned, matches, warn_no_key
from python_udfs.discover.mysql import MySql
from python_udfs.discover.oracle import Oracle
from python_udfs.discover.postgresql import PostgreSql
from python_udfs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import URL, Inspector

DATABASES: Mapping[str, type[Database]] = {
    "mysql": MySql,
    "mariadb": MySql,
    "postgresql": PostgreSql,
    "oracle": Oracle,
}
# Drivers of URLs that name none: those of the project, whatever SQLAlchemy would take.
DRIVERS = {
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "oracle": "oracle+oracledb",
}
LONGEST_REASON = 500
CONNECT_SECONDS = 10
# Tables that DMS itself writes (docs/feeds/dms_format.md, Names of files).
CONTROL_TABLE = "awsdms_"


def read_database(source: str, schemas: Sequence[str], tables: Sequence[str], *, is_dms: bool) -> Found:
    """Everything that a database shows of its tables.

    Args:
        source: a URL of SQLAlchemy.
        schemas: schemas to look at; empty for the database of the URL, else all that are not the server's own.
        tables: patterns of table names as in SQL's LIKE, without regard to case; empty for all tables.
        is_dms: whether DMS captures the changes; a few types depend on it.

    Returns:
        The tables in the order of their names.

    Raises:
        UsageError: the URL is wrong, its driver is missing, the database does not answer, or a schema or table does
            not exist.
    """
    url = _url(source)
    engine = _engine(url)
    try:
        with _connect(engine, url) as connection, warnings.catch_warnings():
            # SQLAlchemy warns of types it does not know; they become warnings of ours, with the table's name.
            warnings.simplefilter("ignore", SAWarning)
            return _read(connection, url, schemas, tables, is_dms=is_dms)
    except SQLAlchemyError as error:
        raise UsageError([f"SOURCE: {_address(url)} cannot be read: {_reason(error, url)}"]) from None


# Connecting ----------------------------------------------------------------------------------------------------------


def _url(source: str) -> URL:
    try:
        url = make_url(source)
    except (ArgumentError, ValueError):
        raise UsageError(
            [
                "SOURCE: not a URL of a database; write <database>://<user>:<password>@<host>:<port>/<name>, with % "
                "and two digits for characters such as @ / : % in the password (@ is %40)"
            ]
        ) from None
    if "@" in (url.host or ""):
        # The text before the last @ is a part of the password: no resolver and no message gets it.
        raise UsageError(["SOURCE: more than one @ before the host; write @ in the user or the password as %40"])
    return url.set(drivername=DRIVERS.get(url.drivername, url.drivername))


def _engine(url: URL) -> Engine:
    # Oracle's driver has another word for it.
    knows_word = url.get_backend_name() in ("mysql", "mariadb", "postgresql")
    arguments = {"connect_timeout": CONNECT_SECONDS} if knows_word else {}
    try:
        return create_engine(url, poolclass=NullPool, connect_args=arguments)
    except NoSuchModuleError:
        accepted = "mysql, mariadb, postgresql, oracle"
        raise UsageError([f"SOURCE: no database is called {url.drivername!r}; accepted: {accepted}"]) from None
    except ModuleNotFoundError as error:
        raise UsageError(
            [
                f"SOURCE: the driver {error.name} of {url.get_backend_name()} is not installed. Install it: "
                f"uv pip install --python .venv/bin/python {error.name} (without uv on the PATH: .uv/bin/uv)"
            ]
        ) from None
    except (SQLAlchemyError, TypeError, ValueError) as error:
        raise UsageError([f"SOURCE: {_reason(error, url)}"]) from None


def _connect(engine: Engine, url: URL) -> Connection:
    try:
        return engine.connect()
    except (TypeError, ValueError) as error:
        # The text behind ? in the URL goes to the driver, which may not know it; a host of 300 letters has no address.
        raise UsageError([f"SOURCE: {_reason(error, url)}"]) from None
    except OSError as error:  # such as that of ssl_ca
        named = f"; its URL names {', '.join(url.query)}" if url.query else ""
        raise UsageError([f"SOURCE: {_address(url)} cannot be read: {_reason(error, url)}{named}"]) from None


def _address(url: URL) -> str:
    host = f"{url.host or ''}{f':{url.port}' if url.port else ''}"
    return " ".join(part for part in (url.get_backend_name(), url.database, f"at {host}" if host else "") if part)


def _reason(error: Exception, url: URL) -> str:
    """The driver's own words on one line, without the password."""
    cause = getattr(error, "orig", None) or error
    # PyMySQL's errors are pairs of a number and a text.
    text = " ".join(str(cause.args[-1] if cause.args else cause).split())
    for secret in (url.password, *url.query.values()):
        if isinstance(secret, str) and secret:
            for form in (secret, quote(secret, safe=""), quote_plus(secret)):
                text = text.replace(form, "***")
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 1]}…"


# Reading -------------------------------------------------------------------------------------------------------------


def _read(connection: Connection, url: URL, schemas: Sequence[str], tables: Sequence[str], *, is_dms: bool) -> Found:
    inspector = inspect(connection)
    database = DATABASES.get(connection.dialect.name, Database)(is_dms)
    wanted = _schemas(inspector, database, url, schemas)
    names = {
        schema: [
            name
            for name in sorted(inspector.get_table_names(schema))
            if matches(name, tables) and not name.lower().startswith(CONTROL_TABLE)
        ]
        for schema in wanted
    }
    if not any(names.values()):
        reason = f"no table is like {' or '.join(tables)}" if tables else "there are no tables"
        raise UsageError([f"{'TABLES' if tables else 'SOURCE'}: {reason} in {', '.join(wanted) or 'any schema'}"])
    database.read(connection, wanted)
    described = [
        table for schema in wanted if names[schema] for table in _tables(inspector, database, schema, names[schema])
    ]
    schema_words = f"{'schema' if len(wanted) == 1 else 'schemas'} {', '.join(wanted)}"
    return Found(
        f"{_address(url)}, {schema_words}", url.get_backend_name(), described, warned=database.look_further(described)
    )


def _schemas(inspector: Inspector, database: Database, url: URL, words: Sequence[str]) -> list[str]:
    existing = inspector.get_schema_names()
    if words:
        exact = {name.casefold(): name for name in existing} | {name: name for name in existing}
        missing = [word for word in words if word not in exact and word.casefold() not in exact]
        if missing:
            there = ", ".join(name for name in existing if not database.is_system_schema(name)) or "none"
            raise UsageError([f"SCHEMAS: there is no schema {word!r}; there are: {there}" for word in missing])
        return sorted({exact.get(word) or exact[word.casefold()] for word in words})
    if isinstance(database, Oracle) or (isinstance(database, MySql) and url.database):
        return [inspector.default_schema_name or ""]
    return [name for name in sorted(existing) if not database.is_system_schema(name)]


def _tables(inspector: Inspector, database: Database, schema: str, names: list[str]) -> list[FoundTable]:
    # Oracle's names in capitals are SQLAlchemy's in small letters; capture spells them as Oracle does.
    dialect = inspector.dialect
    spelled: Callable[[str], str] = dialect.denormalize_name if dialect.requires_name_normalize else str
    which: dict[str, Any] = {"schema": schema, "filter_names": names, "kind": ObjectKind.TABLE}
    columns = inspector.get_multi_columns(**which)
    keys = inspector.get_multi_pk_constraint(**which)
    indexes = inspector.get_multi_indexes(**which)
    uniques = inspector.get_multi_unique_constraints(**which)
    comments: Mapping[Any, Any] = inspector.get_multi_table_comment(**which) if dialect.supports_comments else {}

    tables = []
    for name in names:
        identity = (schema, name)
        table = FoundTable(
            schema=spelled(schema),
            name=spelled(name),
            columns=[],
            primary_key=tuple(spelled(column) for column in keys[identity]["constrained_columns"]),
            description=_line(comments.get(identity, {}).get("text")),
        )
        _add_columns(table, columns[identity], database, spelled)
        if not table.primary_key:
            nullable = {column["name"] for column in columns[identity] if column["nullable"]}
            unique = _unique_columns(indexes.get(identity) or [], uniques.get(identity) or [])
            table.warned.append(warn_no_key(_candidates(unique, nullable, spelled)))
        tables.append(table)
    return tables


def _add_columns(
    table: FoundTable, columns: Iterable[Mapping[str, Any]], database: Database, spelled: Callable[[str], str]
) -> None:
    unknown, remarks, large, computed = [], [], [], []
    for column in columns:
        name = spelled(column["name"])
        identity = (table.schema, table.name, name)
        native = database.natives.get(identity, "")
        if column.get("computed"):
            computed.append(name)
            # PostgreSQL and Oracle do not write them to their logs; MySQL does.
            if not isinstance(database, MySql):
                continue
        typed = database.typed(column["type"], native)
        database.kinds[identity] = database.type_name(column["type"], native)
        encoding = database.encoding(column["type"], native)
        table.columns.append(FoundColumn(name, typed.data_type, _line(column.get("comment")), encoding=encoding))
        if not typed.is_known:
            unknown.append(f"{name} {native}".strip())
        if typed.remark:
            remarks.append(f"{name}: {typed.remark}")
        if typed.is_large:
            large.append(name)

    if unknown:
        advice = "Types that are not known here: proposed as string. Look at the first values that arrive."
        table.warned.append(Warned("unknown type", advice, ", ".join(unknown)))
    if remarks:
        advice = (
            "Numbers that no decimal of Spark holds in full: a value that loses digits in the proposed type is "
            "quarantined. Where you know how many digits there are, write them into data_type."
        )
        table.warned.append(Warned("numbers", advice, "; ".join(remarks)))
    if large and database.is_dms:
        advice = (
            "DMS moves these columns as LOBs and cuts longer values at the task's Max LOB size; of a table without a "
            "key it moves none. Set Max LOB size to the longest value."
        )
        table.warned.append(Warned("LOB", advice, ", ".join(large)))
    if computed:
        if isinstance(database, MySql):
            advice = "Generated columns: see whether the first files have them."
        elif database.is_dms:
            advice = "Generated columns, left out: the log has none of their values. Add a rule remove-column for each."
        else:
            advice = (
                "Generated columns, left out: a snapshot sends them and changes do not, so an update would make them "
                "NULL. Add these names to column.exclude.list of the connector (docs/feeds/debezium.md)."
            )
            computed = [_excluded(table, name) for name in computed]
        table.warned.append(Warned("generated", advice, ", ".join(computed)))


def _excluded(table: FoundTable, column: str) -> str:
    """A column in the words of Debezium's column.exclude.list, a list of regular expressions."""
    return r"\.".join(re.escape(name) for name in (table.schema, table.name, column))


def _unique_columns(
    indexes: Iterable[Mapping[str, Any]], constraints: Iterable[Mapping[str, Any]]
) -> dict[tuple[str, ...], str]:
    """Names of the unique indexes and constraints that hold for all rows, by their columns."""
    unique: dict[tuple[str, ...], str] = {}
    for index in indexes:
        is_partial = any(
            name.endswith("_where") and value is not None for name, value in index.get("dialect_options", {}).items()
        )
        if index["unique"] and not is_partial and None not in index["column_names"]:
            unique[tuple(index["column_names"])] = index["name"]
    for constraint in constraints:
        unique.setdefault(tuple(constraint["column_names"]), constraint["name"] or "unnamed")
    return unique


def _candidates(unique: Mapping[tuple[str, ...], str], nullable: Collection[str], spelled: Callable[[str], str]) -> str:
    details = []
    for columns, name in unique.items():
        empty = [spelled(column) for column in columns if column in nullable]
        text = f"unique index {name} ({';'.join(map(spelled, columns))}) could serve as key"
        details.append(f"{text}, if {' and '.join(empty)} is never NULL" if empty else text)
    return "; ".join(details) or "no unique index either"


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
