"""A seeded random workload on a real database: the tables of a shop, of an order system, and one of awkward types.

The same seed makes the same statements on an empty database of the same kind. Times that the database sets differ.
"""

from __future__ import annotations

import datetime as dt
import string
import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql, postgresql

# Python's own decimals have 28 digits.
DIGITS = Context(prec=38)
Make = Callable[[Random], Any]


@dataclass(frozen=True)
class Field:
    """A column and how values for it are made; without `make` the database sets it."""

    name: str
    type: Any
    make: Make | None = None
    nullable: bool = True
    default: str | None = None


@dataclass(frozen=True)
class Shape:
    """A table. `new_key` makes a key that was never used, from a number that grows."""

    schema: str
    name: str
    key: tuple[str, ...]
    fields: tuple[Field, ...]
    new_key: Callable[[int], tuple[Any, ...]]
    has_primary_key: bool = True


# -------------------------------------------------------------------------------------------------------------- values


def integer(low: int, high: int) -> Make:
    """Whole numbers, the two ends more often than the others."""
    return lambda random: random.choice([low, high, random.randint(low, high), random.randint(low, high)])


def number(digits: int, scale: int) -> Make:
    """Decimal numbers with all their digits, also the largest and zero."""
    largest = 10**digits - 1
    return lambda random: Decimal(random.choice([0, largest, -largest, random.randint(-largest, largest)])).scaleb(
        -scale, DIGITS
    )


def text(length: int) -> Make:
    """Texts that formats stumble over; the shortest is empty."""
    odd = ("", " ", "NULL", 'say "hi"', "it's", "a,b|c", "back\\slash", "two\nlines\r\nand\ttab", "Ärger 東京 🚲", "{}")
    return lambda random: random.choice([*odd, "".join(random.choices(string.ascii_letters, k=random.randint(1, 40)))])[
        :length
    ]


def long_text(largest: int) -> Make:
    """Texts, from 3,000 characters on such that PostgreSQL keeps outside of the row."""
    return lambda random: "".join(
        random.choices(string.ascii_letters + string.digits + '"\\\nÄ', k=random.choice([0, 10, largest // 6, largest]))
    )


def blob(*sizes: int) -> Make:
    """Bytes of one of these lengths."""
    return lambda random: random.randbytes(random.choice(sizes))


def moment(low: int, high: int, unit: int = 1) -> Make:
    """Times without zone between two years, in steps of `unit` microseconds; a fifth of them near 1970."""
    step = dt.timedelta(microseconds=unit)

    def between(first: dt.datetime, last: dt.datetime) -> Make:
        return lambda random: first + random.randrange((last - first) // step) * step

    anywhere = between(dt.datetime(low, 1, 1), dt.datetime(high, 1, 1))
    near = between(dt.datetime(1969, 10, 1), dt.datetime(1970, 4, 1)) if low < 1970 < high else anywhere
    return lambda random: (near if random.random() < 0.2 else anywhere)(random)


def instant(random: Random) -> dt.datetime:
    """Times with a zone."""
    zone = dt.timezone(dt.timedelta(minutes=random.choice([0, 120, -570])))
    return moment(1971, 2037)(random).replace(tzinfo=zone)


def day(random: Random) -> dt.date:
    """Dates before and after 1970."""
    return moment(1900, 2100)(random).date()


def clock(random: Random) -> dt.time:
    """Times of a day, to the microsecond."""
    return random.choice([dt.time(0), dt.time(23, 59, 59, 999999), moment(2000, 2001)(random).time()])


def document(random: Random) -> dict[str, Any]:
    """A JSON object."""
    return {"name": text(20)(random), "list": [random.randint(0, 9), None, True], "price": random.randint(0, 99) / 4}


def one_of(*values: Any) -> Make:
    """One of these values."""
    return lambda random: random.choice(values)


# -------------------------------------------------------------------------------------------------------------- tables


def shapes(dialect: str, largest: int) -> tuple[Shape, ...]:
    """The tables for a database, `mysql` (MariaDB) or `postgresql`; `largest` is the length of the longest text."""
    by_id: Callable[[int], tuple[Any, ...]] = lambda n: (n,)  # noqa: E731
    created = Field("create_time", sa.TIMESTAMP, nullable=False, default="current_timestamp")
    modified = Field(
        "modify_time",
        sa.TIMESTAMP,
        default="current_timestamp on update current_timestamp" if dialect == "mysql" else "current_timestamp",
    )
    shop = (
        Shape(
            "sampledb",
            "store",
            ("id",),
            (
                Field("id", sa.Integer),
                Field("address1", sa.String(1024), text(1024)),
                Field("city", sa.String(255), text(255)),
                Field("state", sa.String(2), one_of("CA", "NY", "")),
                Field("countrycode", sa.String(2), one_of("US", "DE")),
                Field("postcode", sa.String(10), text(10)),
            ),
            by_id,
            has_primary_key=False,
        ),
        Shape(
            "sampledb",
            "product",
            ("id",),
            (
                Field("id", sa.Integer),
                Field("name", sa.String(255), text(255)),
                Field("dept", sa.String(100), one_of("Books", "Toys")),
                Field("category", sa.String(100), text(100)),
                Field("price", sa.Numeric(10, 2), number(10, 2)),
            ),
            by_id,
            has_primary_key=False,
        ),
        Shape(
            "sampledb",
            "productorder",
            ("id",),
            (
                Field("id", sa.Integer, nullable=False),
                Field("productid", sa.Integer, integer(1001, 1025)),
                Field("storeid", sa.Integer, integer(1001, 1008)),
                Field("qty", sa.Integer, integer(-1, 100)),
                Field("soldprice", sa.Numeric(10, 2), number(10, 2)),
                Field("create_dt", sa.Date, day),
            ),
            by_id,
            has_primary_key=False,
        ),
    )
    orders = (
        Shape(
            "test_db",
            "user",
            ("id",),
            (
                Field("id", sa.Integer),
                Field("name", sa.String(155), text(155)),
                Field("device_model", sa.String(155), one_of("dm-01", "dm-02", "dm-03")),
                Field("email", sa.String(50), text(50)),
                Field("phone", sa.String(50), text(50)),
                created,
                modified,
            ),
            by_id,
        ),
        Shape(
            "test_db",
            "product",
            ("pid",),
            (
                Field("pid", sa.Integer),
                Field("pname", sa.String(155), text(155)),
                Field("pprice", sa.Numeric(10, 2), number(10, 2)),
                created,
                modified,
            ),
            by_id,
        ),
        Shape(
            "test_db",
            "user_order",
            ("id",),
            (
                Field("id", sa.Integer),
                Field("oid", sa.String(155), one_of("o10001", "o10002"), nullable=False),
                Field("uid", sa.Integer, integer(1, 50)),
                Field("pid", sa.Integer, integer(1, 50)),
                Field("onum", sa.Integer, integer(0, 2**31 - 1)),
                created,
                modified,
            ),
            by_id,
        ),
    )
    return (*shop, *orders, _awkward(dialect, largest))


def _awkward(dialect: str, largest: int) -> Shape:
    """Types that lose or change something on the way if nobody takes care."""
    # No comma: Debezium puts a backslash before it in what it streams from MariaDB.
    sizes = ("small", "medium", "it's large")
    shared = (
        Field("price", sa.Numeric(20, 4), number(20, 4)),
        Field("whole", sa.Numeric(38, 0), number(38, 0)),
        Field("double_value", sa.Double, lambda random: random.choice([0.1, -1e300, 5e-324, random.random()])),
        Field("small_value", sa.SmallInteger, integer(-(2**15), 2**15 - 1)),
        Field("flag", sa.Boolean, one_of(True, False)),
        Field("day_value", sa.Date, day),
        Field("code", sa.CHAR(8), one_of("a", "abcdefgh", "ä b")),
    )
    fields: tuple[Field, ...]
    if dialect == "mysql":
        fields = (
            Field("branch", sa.String(10)),
            Field("number", mysql.BIGINT(unsigned=True)),
            Field("body", mysql.LONGTEXT, long_text(largest)),
            *shared,
            Field("float_value", mysql.FLOAT, lambda random: random.randint(-1000, 1000) / 8),
            Field("tiny_unsigned", mysql.TINYINT(unsigned=True), integer(0, 255)),
            Field("int_unsigned", mysql.INTEGER(unsigned=True), integer(0, 2**32 - 1)),
            Field("big_unsigned", mysql.BIGINT(unsigned=True), integer(0, 2**64 - 1)),
            Field("bits", mysql.BIT(10), integer(0, 1023)),
            Field("seconds", mysql.DATETIME, moment(1000, 9999, 1_000_000)),
            Field("millis", mysql.DATETIME(fsp=3), moment(1900, 2100, 1_000)),
            Field("micros", mysql.DATETIME(fsp=6), moment(1900, 2100)),
            # the session's zone is UTC
            Field("instant", mysql.TIMESTAMP(fsp=6, timezone=False), moment(1971, 2037)),
            Field("clock", mysql.TIME(fsp=6), clock),
            Field("year_value", mysql.YEAR, integer(1901, 2155)),
            Field("size", sa.Enum(*sizes), one_of(*sizes)),
            Field("tags", mysql.SET("x", "y", "z"), one_of({"x"}, {"z", "x"}, set())),
            Field("document", sa.JSON(none_as_null=True), document),
            Field("raw", mysql.VARBINARY(200), blob(0, 1, 200)),
            Field("fixed", mysql.BINARY(8), lambda random: random.choice([b"\0" * 8, random.randbytes(7) + b"\0"])),
            Field("large_raw", mysql.LONGBLOB, blob(0, largest // 4)),
        )
    else:
        size = sa.Enum(*sizes, name="size", schema="test_db")
        fields = (
            Field("branch", sa.String(10)),
            Field("number", sa.BigInteger),
            Field("body", sa.Text, long_text(largest)),
            *shared,
            Field("free", sa.Numeric, lambda random: number(30, random.choice([0, 2, 25]))(random)),
            Field("float_value", sa.REAL, lambda random: random.randint(-1000, 1000) / 8),
            Field("millis", postgresql.TIMESTAMP(precision=3), moment(1900, 2100, 1_000)),
            Field("micros", postgresql.TIMESTAMP, moment(1900, 2100)),
            Field("instant", postgresql.TIMESTAMP(timezone=True), instant),
            Field("clock", sa.Time, clock),
            Field("size", size, one_of(*sizes)),
            Field("document", sa.JSON(none_as_null=True), document),
            Field("document_b", postgresql.JSONB(none_as_null=True), document),
            Field("raw", postgresql.BYTEA, blob(0, 1, 200)),
            Field("large_raw", postgresql.BYTEA, blob(0, largest // 4)),
            Field("uuid_value", sa.Uuid, lambda random: uuid.UUID(int=random.getrandbits(128))),
        )
    branches = ("north", "a|b", "o'b", "ü")
    return Shape("test_db", "awkward", ("branch", "number"), fields, lambda n: (branches[n % 4], 2**40 + n // 4))


# ------------------------------------------------------------------------------------------------------------ workload


class Workload:
    """Tables of a source database and random changes of them.

    Args:
        url: SQLAlchemy URL of MariaDB, or of a PostgreSQL database. It drops and creates the schemas `sampledb` and
            `test_db`.
        seed: of the random choices.
        largest: length of the longest texts, in characters.
    """

    def __init__(self, url: str, seed: int = 7, largest: int = 20_000) -> None:
        self.engine = sa.create_engine(url, poolclass=sa.NullPool)
        self._random = Random(seed)
        self._shapes = {f"{shape.schema}.{shape.name}": shape for shape in shapes(self.engine.dialect.name, largest)}
        metadata = sa.MetaData()
        self.tables: dict[str, sa.Table] = {name: _table(metadata, shape) for name, shape in self._shapes.items()}
        self.keys: dict[str, tuple[str, ...]] = {name: shape.key for name, shape in self._shapes.items()}
        self.schemas: list[str] = sorted({shape.schema for shape in self._shapes.values()})
        self._makers: dict[str, dict[str, Make]] = {
            name: {field.name: field.make for field in shape.fields if field.make}
            for name, shape in self._shapes.items()
        }
        self._live: dict[str, list[tuple[Any, ...]]] = {name: [] for name in self.tables}
        self._gone: dict[str, list[tuple[Any, ...]]] = {name: [] for name in self.tables}
        self._used = Counter[str]()
        self._create(metadata)

    def _create(self, metadata: sa.MetaData) -> None:
        postgres = self.engine.dialect.name == "postgresql"
        with self.engine.begin() as connection:
            for schema in self.schemas:
                connection.exec_driver_sql(f"drop schema if exists {schema}" + (" cascade" if postgres else ""))
                connection.exec_driver_sql(f"create schema {schema}")
            metadata.create_all(connection)
            if postgres:
                for name, shape in self._shapes.items():
                    if not shape.has_primary_key:  # else PostgreSQL refuses updates and deletes of published tables
                        connection.exec_driver_sql(f"alter table {name} replica identity full")

    def log_whole_rows(self, name: str) -> None:
        """Lets PostgreSQL log each old row of a table whole; MariaDB does.

        Else a long text that a change of the key leaves alone is not in the log (docs/feeds/debezium.md).
        """
        if self.engine.dialect.name == "postgresql":
            with self.engine.begin() as connection:
                connection.exec_driver_sql(f"alter table {name} replica identity full")

    def insert(self, rows: int = 20) -> None:
        """Adds rows to each table, each table in one transaction."""
        for name in self.tables:
            with self.engine.begin() as connection:
                connection.execute(self.tables[name].insert(), self._new_rows(name, rows))

    def run(self, changes: int = 300, add_columns: int = 1, truncates: int = 1) -> Counter[str]:
        """Random transactions of one to six statements, a tenth of them rolled back.

        Args:
            changes: the number of committed statements, about.
            add_columns: how often a column is added to a table, at some point in between.
            truncates: how often a table is emptied, at some point in between.

        Returns:
            the number of committed statements by kind.
        """
        random, done = self._random, Counter[str]()
        ddl = [self.add_column] * add_columns + [self.truncate] * truncates
        due = sorted((random.randrange(changes) for _ in ddl), reverse=True)
        random.shuffle(ddl)
        with self.engine.connect() as connection:
            while (count := sum(done.values())) < changes:
                while due and due[-1] <= count:
                    due.pop()
                    ddl.pop()(random.choice(list(self.tables)))
                done += self._some_statements(connection)
        return done

    def add_column(self, name: str) -> None:
        """`alter table … add column`, with a column that later changes fill."""
        table = self.tables[name]
        kind, make = self._random.choice(
            [("integer", integer(-5, 5)), ("varchar(50)", text(50)), ("decimal(12,3)", number(12, 3))]
        )
        column = f"added_{len(table.columns)}"
        with self.engine.begin() as connection:
            connection.exec_driver_sql(f"alter table {self._quoted(table)} add column {column} {kind}")
        types = {"integer": sa.Integer(), "varchar(50)": sa.String(50), "decimal(12,3)": sa.Numeric(12, 3)}
        table.append_column(sa.Column(column, types[kind]))
        self._makers[name][column] = make

    def truncate(self, name: str) -> None:
        """`truncate table`."""
        with self.engine.begin() as connection:
            connection.exec_driver_sql(f"truncate table {self._quoted(self.tables[name])}")
        self._gone[name] += self._live[name]
        self._live[name] = []

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The rows of a table as the source has them now, in the order of the key.

        Args:
            name: `<schema>.<table>`.

        Returns:
            per row the values by column: what the driver gives, but JSON and sets as the database's text.
        """
        table = self.tables[name]
        as_text = (sa.JSON, mysql.SET)
        columns = [
            sa.cast(column, sa.Text if self.engine.dialect.name == "postgresql" else sa.CHAR).label(column.name)
            if isinstance(column.type, as_text)
            else column
            for column in table.columns
        ]
        with self.engine.connect() as connection:
            rows = connection.execute(sa.select(*columns)).mappings().all()
        return sorted(map(dict, rows), key=lambda row: tuple(row[column] for column in self.keys[name]))

    # ---------------------------------------------------------------------------------------------------- statements

    def _some_statements(self, connection: sa.Connection) -> Counter[str]:
        """One random transaction; returns what it committed, by kind."""
        live = {name: list(keys) for name, keys in self._live.items()}
        gone = {name: list(keys) for name, keys in self._gone.items()}
        kinds = Counter[str]()
        for _ in range(self._random.choice([1, 1, 2, 3, 6])):
            kinds[self._statement(connection, self._random.choice(list(self.tables)))] += 1
        if self._random.random() < 0.1:
            connection.rollback()
            self._live, self._gone = live, gone
            return Counter[str]()
        connection.commit()
        return kinds

    def _statement(self, connection: sa.Connection, name: str) -> str:
        """One random statement; returns its kind."""
        random, table, live, gone = self._random, self.tables[name], self._live[name], self._gone[name]
        kind = random.choices(
            ["insert", "update", "update_many", "delete", "reinsert", "change_key"], [25, 35, 8, 14, 10, 8]
        )[0]
        if (kind == "reinsert" and not gone) or (kind not in ("insert", "reinsert") and not live):
            kind = "insert"
        if kind == "insert":
            connection.execute(table.insert(), self._new_rows(name, random.choice([1, 1, 3])))
        elif kind == "reinsert":
            key = gone.pop(random.randrange(len(gone)))
            live.append(key)
            connection.execute(table.insert(), [self._row(name, key)])
        elif kind == "delete":
            key = live.pop(random.randrange(len(live)))
            gone.append(key)
            connection.execute(table.delete().where(self._is(name, [key])))
        elif kind == "change_key":
            place = random.randrange(len(live))
            old, live[place] = live[place], self._new_key(name)
            gone.append(old)
            values = dict(zip(self.keys[name], live[place], strict=True))
            if random.random() < 0.5:
                values |= self._some_values(name)
            connection.execute(table.update().where(self._is(name, [old])).values(values))
        else:
            keys = random.sample(live, min(len(live), 1 if kind == "update" else 5))
            connection.execute(table.update().where(self._is(name, keys)).values(self._some_values(name)))
        return kind

    def _new_key(self, name: str) -> tuple[Any, ...]:
        self._used[name] += 1
        return self._shapes[name].new_key(self._used[name])

    def _new_rows(self, name: str, count: int) -> list[dict[str, Any]]:
        keys = [self._new_key(name) for _ in range(count)]
        self._live[name] += keys
        return [self._row(name, key) for key in keys]

    def _row(self, name: str, key: tuple[Any, ...]) -> dict[str, Any]:
        values = {column: self._value(name, column) for column in self._makers[name]}
        return {**dict(zip(self.keys[name], key, strict=True)), **values}

    def _some_values(self, name: str) -> dict[str, Any]:
        columns = self._random.sample(
            list(self._makers[name]), self._random.randint(1, min(3, len(self._makers[name])))
        )
        return {column: self._value(name, column) for column in columns}

    def _value(self, name: str, column: str) -> Any:
        value = self._makers[name][column](self._random)
        return None if self.tables[name].columns[column].nullable and self._random.random() < 0.1 else value

    def _is(self, name: str, keys: Iterable[tuple[Any, ...]]) -> sa.ColumnElement[bool]:
        columns = [self.tables[name].columns[column] for column in self.keys[name]]
        return sa.or_(*(sa.and_(*(c == part for c, part in zip(columns, key, strict=True))) for key in keys))

    def _quoted(self, table: sa.Table) -> str:
        return self.engine.dialect.identifier_preparer.format_table(table)


def _table(metadata: sa.MetaData, shape: Shape) -> sa.Table:
    columns = [
        sa.Column(
            field.name,
            field.type,
            primary_key=shape.has_primary_key and field.name in shape.key,
            autoincrement=False,
            nullable=field.nullable and field.name not in shape.key,
            server_default=sa.text(field.default) if field.default else None,
        )
        for field in shape.fields
    ]
    return sa.Table(shape.name, metadata, *columns, schema=shape.schema)
