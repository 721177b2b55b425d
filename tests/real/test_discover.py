"""`make discover` on real servers, as a user who may only read."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import datetime, timezone

import pyarrow as pa
import pytest
import sqlalchemy
from sqlalchemy.engine import make_url

from python_udfs.codegen.__main__ import main as make_models
from python_udfs.codegen.render import render
from python_udfs.discover.__main__ import main
from python_udfs.metadata import load_metadata
from python_udfs.sample_data.dms_writer import Column, DmsTask, SourceTable

USER, PASSWORD = "reader", "p@ss:w%rd/1"

MARIADB_TYPES = {
    "bigint unsigned": "decimal(20,0)",
    "bigint": "bigint",
    "int": "int",
    "int unsigned": "bigint",
    "mediumint unsigned": "int",
    "smallint unsigned": "int",
    "tinyint": "tinyint",
    "tinyint(1)": "tinyint",
    "boolean": "tinyint",
    "tinyint unsigned": "smallint",
    "decimal(12,3)": "decimal(12,3)",
    "decimal(65,2)": "string",
    "float": "float",
    "double": "double",
    "bit(1)": "boolean",
    "bit(9)": "binary",
    "date": "date",
    "datetime(3)": "timestamp_ntz",
    "timestamp(6) null": "timestamp",
    "time": "string",
    "year": "smallint",
    "char(3)": "string",
    "varchar(20)": "string",
    "text": "string",
    "longtext": "string",
    "enum('a','b')": "string",
    "set('a','b')": "string",
    "json": "string",
    "uuid": "string",
    "inet6": "string",
    "binary(16)": "binary",
    "varbinary(3)": "binary",
    "blob": "binary",
    "geometry": "string",
}
POSTGRES_TYPES = {
    "smallint": "smallint",
    "integer": "int",
    "bigint": "bigint",
    "numeric": "decimal(28,6)",
    "numeric(10,2)": "decimal(10,2)",
    "numeric(50,3)": "string",
    "real": "float",
    "double precision": "double",
    "money": "decimal(19,2)",
    "boolean": "boolean",
    "char(3)": "string",
    "varchar(10)": "string",
    "text": "string",
    "name": "string",
    '"char"': "string",
    "citext": "string",
    "bytea": "binary",
    "timestamp": "timestamp_ntz",
    "timestamptz(3)": "timestamp",
    "date": "date",
    "time": "string",
    "timetz": "string",
    "interval": "string",
    "uuid": "string",
    "jsonb": "string",
    "xml": "string",
    "inet": "string",
    "mood": "string",
    "integer[]": "string",
    "int4range": "string",
    "positive": "int",
    "bit(3)": "string",
    "oid": "bigint",
    "point": "string",
}


def columns_of(types):
    """The columns c1, c2 … of these types, as `create table` takes them."""
    return ", ".join(f"c{number} {kind}" for number, kind in enumerate(types, start=1))


@contextmanager
def administrator(url):
    engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        yield connection


def execute(url, *statements):
    with administrator(url) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def as_reader(url, database):
    """The same server for a user with a password that a URL has to escape."""
    return make_url(url).set(username=USER, password=PASSWORD, database=database).render_as_string(hide_password=False)


class Discovered:
    """Output and files of one command."""

    def __init__(self, project, source, capsys, **options):
        (project / "seeds").mkdir()
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        arguments = ["--source", source, "--feed", "till", "--append", "1", "--project-dir", str(project), *words]
        assert main(arguments) == 0
        self.printed = capsys.readouterr().out
        self.metadata = load_metadata(project / "seeds")
        self.models = render(self.metadata, project / "seeds")
        self.files = "".join(path.read_text() for path in project.glob("*/*.csv"))

    def table(self, name):
        return {table.source_table: table for table in self.metadata.tables}[name]

    def types(self, name):
        return [column.data_type for column in self.table(name).columns]


@pytest.fixture(scope="module")
def shop(mariadb):
    """80 tables of MariaDB with every type, most of them alike; gives the URL of their database."""
    execute(
        mariadb,
        "create database till character set utf8mb4 collate utf8mb4_general_ci",
        f"create user {USER}@'%%' identified by '{PASSWORD.replace('%', '%%')}'",
        f"grant select on till.* to {USER}@'%%'",
        f"create table till.every_type (id int primary key, {columns_of(MARIADB_TYPES)}) comment 'One of each'",
        "create table till.code (code varchar(9), place int comment 'From 1', primary key (code, place))",
        "create table till.log (at datetime not null, who int, note text, unique one (at), unique two (who))",
        *(
            f"create table till.table_{number:02} (id bigint auto_increment primary key, name varchar(50), at date)"
            for number in range(77)
        ),
    )
    yield as_reader(mariadb, "till")
    execute(mariadb, "drop database till", f"drop user {USER}@'%%'")


def test_eighty_tables_of_mariadb_become_metadata_that_makes_models(shop, tmp_path, capsys):
    discovered = Discovered(tmp_path, shop, capsys)
    assert len(discovered.metadata.active_tables) == 80
    assert sum(name.endswith(".sql") and "/silver_till__" in name for name in discovered.models) == 80
    assert discovered.types("every_type") == ["int", *MARIADB_TYPES.values()]
    assert discovered.table("every_type").description == "One of each"
    code = discovered.table("code")
    assert (code.primary_key, code.key_comparison) == (("code", "place"), ("ignore_case", "ignore_trailing_spaces"))
    assert code.columns[1].description == "From 1"
    assert (discovered.table("log").primary_key, discovered.table("log").mode) == ((), "append")


def test_tables_of_mariadb_are_built_without_editing(mariadb, shop, lakehouse):
    lakehouse.make_models()
    project = ["--project-dir", str(lakehouse.project)]
    # 77 tables are alike: seven of them are built and tested.
    tables = "every_type code log table_7%"
    assert main(["--source", shop, "--feed", "till", "--append", "1", "--tables", tables, *project]) == 0
    assert make_models(project) == 0
    execute(
        mariadb,
        "insert into till.code values ('a', 1), ('a', 2), ('b', 1)",
        "insert into till.log values ('2026-01-31 23:00:00', 1, null), ('2026-01-31 23:00:01', 2, 'x')",
        "insert into till.table_76 values (9223372036854775807, '', '2026-01-31')",
    )
    # DMS makes no folder for an empty table.
    (feed,) = load_metadata(lakehouse.project / "seeds").feeds
    dms = DmsTask(lakehouse.raw / feed.location, data_format="parquet")
    source = {}
    for name, types in (
        ("code", {"code": pa.string(), "place": pa.int32()}),
        ("log", {"at": pa.timestamp("us"), "who": pa.int32(), "note": pa.string()}),
        ("table_76", {"id": pa.int64(), "name": pa.string(), "at": pa.date32()}),
    ):
        with administrator(mariadb) as connection:
            rows = connection.exec_driver_sql(f"select {', '.join(types)} from till.{name}").mappings().all()
        table = SourceTable("till", name, tuple(Column(*column) for column in types.items()))
        dms.full_load(table, rows, datetime.now(timezone.utc))
        source[", ".join(types), name] = {tuple(row.values()) for row in rows}
    statuses = lakehouse.build("--exclude", "test_type:singular")
    assert set(statuses.values()) <= {"success", "pass", "warn"}, statuses
    assert sum(name.startswith("silver_till__") for name in statuses) == 10
    for (columns, name), rows in source.items():
        assert {tuple(row) for row in lakehouse.sql(f"select {columns} from silver.till__{name}")} == rows


def test_what_mariadb_loses_is_reported(shop, tmp_path, capsys):
    printed = Discovered(tmp_path, shop, capsys, tables="every% log code").printed
    for line in (
        "till.every_type  id               35  unknown type, numbers, LOB",
        "till.code        code;place        2  key collation",
        "  till.every_type: c34 geometry",
        "  till.log: unique index one (at) could serve as key; unique index two (who) could serve as key, if",
        "  till.code: code utf8mb4_general_ci; proposed: ignore_case;ignore_trailing_spaces",
        "zero dates: sql_mode allows zero dates",
    ):
        assert line in printed
    # The server of the tests writes its binary log as it should.
    assert "binlog" not in printed


def test_a_setting_of_mariadb_that_loses_changes_is_reported(mariadb, shop, tmp_path, capsys):
    execute(mariadb, "set global binlog_row_image = 'MINIMAL'", "set global binlog_format = 'MIXED'")
    try:
        printed = Discovered(tmp_path, shop, capsys, tables="log").printed
    finally:
        execute(mariadb, "set global binlog_row_image = 'FULL'", "set global binlog_format = 'ROW'")
    assert "binlog_format: binlog_format is MIXED" in printed
    assert "binlog_row_image: binlog_row_image is MINIMAL" in printed


def test_without_a_name_of_a_database_all_of_the_users_are_looked_at(mariadb, shop, tmp_path, capsys):
    discovered = Discovered(tmp_path, as_reader(mariadb, None), capsys, tables="log")
    assert [table.source_schema for table in discovered.metadata.tables] == ["till"]


def test_no_password_gets_into_anything(shop, tmp_path, capsys):
    discovered = Discovered(tmp_path, shop, capsys)
    escaped = make_url(shop).render_as_string(hide_password=False).split(":")[2].split("@")[0]
    for secret in (PASSWORD, escaped):
        assert secret not in discovered.printed + discovered.files


def test_a_wrong_password_is_one_line_without_it(shop, tmp_path, capsys):
    wrong = make_url(shop).set(password="wr@ng").render_as_string(hide_password=False)
    assert main(["--source", wrong, "--feed", "till", "--project-dir", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "Access denied for user 'reader'" in line and "wr@ng" not in line


@pytest.fixture(scope="module")
def crm(postgres):
    """Tables of PostgreSQL with every type and every replica identity; gives the URL of their database."""
    execute(postgres, "create database crm", f"create role {USER} login password '{PASSWORD.replace('%', '%%')}'")
    url = make_url(postgres).set(database="crm")
    execute(
        url,
        "create extension citext",
        "create type mood as enum ('good', 'bad')",
        "create domain positive as integer check (value > 0)",
        'create schema "Sales"',
        f"create table every_type (id serial primary key, {columns_of(POSTGRES_TYPES)})",
        "alter table every_type add made int generated always as (id) stored",
        "comment on table every_type is 'One of each'",
        "comment on column every_type.c1 is 'The first'",
        'create table "Sales"."Mixed-Case" ("Id" int primary key, note text)',
        'alter table "Sales"."Mixed-Case" replica identity full',
        "create table nickname (name citext primary key)",
        "create table log (at timestamp not null, note varchar)",
        "create unique index log_at on log (at)",
        "create unique index log_some on log (note) where note > 'a'",
        "create table silent (id int primary key)",
        "alter table silent replica identity nothing",
        "create table part (id int primary key) partition by range (id)",
        "create table part_1 partition of part for values from (1) to (9)",
        "create view items as select * from log",
    )
    yield as_reader(url, "crm")
    execute(postgres, "drop database crm with (force)", f"drop role {USER}")


def test_tables_of_postgresql_become_metadata_that_makes_models(crm, tmp_path, capsys):
    discovered = Discovered(tmp_path, crm, capsys)
    names = [f"{table.source_schema}.{table.source_table}" for table in discovered.metadata.active_tables]
    assert names == [
        "public.every_type",
        "public.log",
        "public.nickname",
        "public.part",
        "public.part_1",
        "public.silent",
        "Sales.Mixed-Case",
    ]
    assert "models/silver/sales/silver_sales__mixed_case.sql" in discovered.models
    assert discovered.types("every_type") == ["int", *POSTGRES_TYPES.values()]
    assert discovered.table("every_type").description == "One of each"
    assert discovered.table("every_type").columns[1].description == "The first"
    assert discovered.table("nickname").key_comparison == ("ignore_case",)
    assert discovered.table("log").mode == "append"


def test_what_postgresql_loses_is_reported(crm, tmp_path, capsys):
    printed = Discovered(tmp_path, crm, capsys).printed
    for line in (
        "  public.every_type: c34 point\n",
        "  public.every_type: made\n",
        "  public.log: unique index log_at (at) could serve as key\n",
        "  public.log: default, and no key\n",
        "  public.silent: nothing\n",
        "  public.nickname: name citext; proposed: ignore_case\n",
        "  public.part\n",
        "c4: a numeric without precision: DMS keeps 6 digits after the point",
        "  public.every_type: replica identity default: c",
    ):
        assert line in printed
    # With replica identity full nothing is missing.
    assert "Sales.Mixed-Case: replica" not in printed


def test_schemas_of_postgresql_can_be_chosen(crm, tmp_path, capsys):
    discovered = Discovered(tmp_path, crm, capsys, schemas="sales")
    assert [table.source_table for table in discovered.metadata.tables] == ["Mixed-Case"]
