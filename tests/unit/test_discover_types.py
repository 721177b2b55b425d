"""Spark types of each database's types, how its keys compare, and what its settings lose."""

from __future__ import annotations

import pytest
from seed_files import good_seeds, write_seeds
from sqlalchemy import types as sql
from sqlalchemy.dialects import mysql, oracle, postgresql
from sqlalchemy.dialects.oracle.base import OracleDialect

from python_udfs.discover.database import Database
from python_udfs.discover.found import FoundTable
from python_udfs.discover.mysql import MySql, warn_of_settings
from python_udfs.discover.mysql import compare_keys as compare_mysql_keys
from python_udfs.discover.oracle import Oracle
from python_udfs.discover.postgresql import PostgreSql, warn_replica_identity
from python_udfs.discover.postgresql import compare_keys as compare_postgresql_keys
from python_udfs.discover.reflect import _add_columns, _tables
from python_udfs.metadata import COLUMNS_FILE, load_metadata

MYSQL = [
    (mysql.TINYINT(), "tinyint"),
    (mysql.TINYINT(display_width=1), "tinyint"),
    (mysql.TINYINT(unsigned=True), "smallint"),
    (mysql.SMALLINT(unsigned=True), "int"),
    (mysql.MEDIUMINT(unsigned=True), "int"),
    (mysql.INTEGER(), "int"),
    (mysql.INTEGER(unsigned=True), "bigint"),
    (mysql.BIGINT(), "bigint"),
    (mysql.BIGINT(unsigned=True), "decimal(20,0)"),
    (mysql.DECIMAL(12, 3, unsigned=True), "decimal(12,3)"),
    (mysql.DECIMAL(38, 2), "decimal(38,2)"),
    (mysql.DECIMAL(39, 2), "string"),
    (mysql.FLOAT(), "float"),
    (mysql.DOUBLE(), "double"),
    (mysql.BIT(1), "boolean"),
    (mysql.BIT(2), "binary"),
    (mysql.DATETIME(fsp=3), "timestamp_ntz"),
    (mysql.TIMESTAMP(), "timestamp"),
    (mysql.TIME(), "string"),
    (mysql.YEAR(), "smallint"),
    (mysql.ENUM("a", "b"), "string"),
    (mysql.JSON(), "string"),
    (mysql.LONGBLOB(), "binary"),
    (sql.VARBINARY(3), "binary"),
]
POSTGRESQL = [
    (sql.INTEGER(), "int", "int"),
    (sql.NUMERIC(10, 2), "decimal(10,2)", "decimal(10,2)"),
    (sql.NUMERIC(5, -2), "decimal(7,0)", "decimal(7,0)"),
    (sql.NUMERIC(3, 5), "decimal(5,5)", "decimal(5,5)"),
    (sql.NUMERIC(50, 3), "string", "string"),
    (sql.NUMERIC(), "decimal(28,6)", "decimal(38,18)"),
    (postgresql.REAL(), "float", "float"),
    (postgresql.MONEY(), "decimal(19,2)", "decimal(19,2)"),
    (postgresql.TIMESTAMP(timezone=True), "timestamp", "timestamp"),
    (postgresql.TIMESTAMP(), "timestamp_ntz", "timestamp_ntz"),
    (postgresql.TIME(), "string", "string"),
    (postgresql.INTERVAL(), "string", "string"),
    (postgresql.UUID(), "string", "string"),
    (postgresql.JSONB(), "string", "string"),
    (postgresql.ARRAY(sql.INTEGER()), "string", "string"),
    (postgresql.ENUM("a", name="e"), "string", "string"),
    (postgresql.TSTZRANGE(), "string", "string"),
    (postgresql.DOMAIN("d", sql.BIGINT()), "bigint", "bigint"),
    (postgresql.BYTEA(), "binary", "binary"),
    (postgresql.BIT(1), "string", "boolean"),
    (postgresql.BIT(5), "string", "binary"),
    (postgresql.BIT(1, varying=True), "string", "binary"),
]
ORACLE = [
    (oracle.NUMBER(9, 0), "decimal(9,0)", "decimal(9,0)"),
    (oracle.NUMBER(5, -2), "decimal(7,0)", "decimal(7,0)"),
    (oracle.NUMBER(), "decimal(38,10)", "decimal(38,10)"),
    (sql.INTEGER(), "decimal(38,0)", "decimal(38,0)"),
    (oracle.BINARY_FLOAT(), "float", "float"),
    (oracle.FLOAT(binary_precision=126), "double", "double"),
    (oracle.DATE(), "timestamp_ntz", "timestamp_ntz"),
    (oracle.TIMESTAMP(), "timestamp_ntz", "timestamp_ntz"),
    (oracle.TIMESTAMP(timezone=True), "string", "timestamp"),
    (oracle.TIMESTAMP(local_timezone=True), "string", "timestamp"),
    (oracle.VARCHAR2(10), "string", "string"),
    (oracle.INTERVAL(), "string", "string"),
    (oracle.CLOB(), "string", "string"),
    (oracle.RAW(16), "binary", "binary"),
]


@pytest.mark.parametrize(("kind", "wanted"), MYSQL, ids=str)
@pytest.mark.parametrize("is_dms", [True, False])
def test_a_type_of_mysql_becomes_one_that_holds_all_its_values(kind, wanted, is_dms):
    assert MySql(is_dms).typed(kind).data_type == wanted


@pytest.mark.parametrize(("kind", "dms", "debezium"), POSTGRESQL, ids=str)
def test_a_type_of_postgresql_becomes_what_capture_delivers(kind, dms, debezium):
    assert (PostgreSql(True).typed(kind).data_type, PostgreSql(False).typed(kind).data_type) == (dms, debezium)


@pytest.mark.parametrize(("kind", "dms", "debezium"), ORACLE, ids=str)
def test_a_type_of_oracle_becomes_what_capture_delivers(kind, dms, debezium):
    assert (Oracle(True).typed(kind).data_type, Oracle(False).typed(kind).data_type) == (dms, debezium)


ENCODINGS = [
    (MySql, mysql.DATETIME(), "", "ms"),
    (MySql, mysql.DATETIME(fsp=3), "", "ms"),
    (MySql, mysql.DATETIME(fsp=6), "", "us"),
    (MySql, mysql.TIMESTAMP(fsp=6), "", ""),
    (MySql, sql.DATE(), "", "days"),
    (PostgreSql, postgresql.TIMESTAMP(), "", "us"),
    (PostgreSql, postgresql.TIMESTAMP(precision=0), "", "ms"),
    (PostgreSql, postgresql.TIMESTAMP(precision=3), "", "ms"),
    (PostgreSql, postgresql.TIMESTAMP(precision=4), "", "us"),
    (PostgreSql, postgresql.TIMESTAMP(timezone=True), "", ""),
    (PostgreSql, postgresql.DOMAIN("d", postgresql.TIMESTAMP(precision=3)), "", "ms"),
    (PostgreSql, sql.DATE(), "", "days"),
    (PostgreSql, sql.INTEGER(), "", ""),
    (Oracle, oracle.DATE(), "", "ms"),
    (Oracle, oracle.TIMESTAMP(), "TIMESTAMP(3)", "ms"),
    (Oracle, oracle.TIMESTAMP(), "TIMESTAMP(6)", "us"),
    (Oracle, oracle.TIMESTAMP(), "TIMESTAMP(9)", "ns"),
    (Oracle, oracle.TIMESTAMP(timezone=True), "TIMESTAMP(6) WITH TIME ZONE", ""),
    (Oracle, oracle.TIMESTAMP(), "", ""),
]


@pytest.mark.parametrize(("database", "kind", "native", "wanted"), ENCODINGS, ids=str)
def test_a_column_of_times_gets_the_unit_in_which_the_connector_writes_it(database, kind, native, wanted):
    assert database(False).encoding(kind, native) == wanted


@pytest.mark.parametrize("database", [Database, MySql, PostgreSql, Oracle])
def test_a_type_that_nobody_knows_becomes_string_and_is_reported(database):
    typed = database(True).typed(sql.NullType(), "vector(3)")
    assert (typed.data_type, typed.is_known) == ("string", False)


def test_a_type_that_sqlalchemy_does_not_know_is_known_by_its_own_name():
    assert PostgreSql(True).typed(sql.NullType(), "xml").is_known
    assert MySql(True).typed(sql.NullType(), "inet6").is_known


def test_numbers_without_precision_are_reported():
    assert "6 digits" in PostgreSql(True).typed(sql.NUMERIC()).remark
    assert "28 digits" in Oracle(True).typed(oracle.NUMBER()).remark
    assert "65 digits" in MySql(True).typed(mysql.DECIMAL(65, 2)).remark
    assert MySql(True).typed(mysql.DECIMAL(38, 2)).remark == ""


def test_dms_cuts_large_types():
    assert MySql(True).typed(mysql.TEXT()).is_large
    assert not MySql(True).typed(mysql.VARCHAR(10)).is_large
    assert PostgreSql(True).typed(postgresql.JSON()).is_large
    assert Oracle(True).typed(oracle.NCLOB()).is_large


@pytest.mark.parametrize("database", [Database, MySql, PostgreSql, Oracle])
def test_every_type_is_one_that_the_metadata_accepts(database, tmp_path):
    seeds = good_seeds()
    item = {"feed": "shop", "source_schema": "shop", "source_table": "item", "optional": "false"}
    types = [
        "int",
        "timestamp",
        *database.types.values(),
        *database.large.values(),
        database.without_precision.data_type,
    ]
    names = ["id", "sold_at", *(f"c{number}" for number in range(len(types)))]
    seeds[COLUMNS_FILE][:2] = [
        {**item, "position": str(place), "column_name": name, "data_type": data_type}
        for place, (name, data_type) in enumerate(zip(names, types, strict=False), start=1)
    ]
    load_metadata(write_seeds(tmp_path, seeds))


# Keys ----------------------------------------------------------------------------------------------------------------

CASE, SPACES = "ignore_case", "ignore_trailing_spaces"


@pytest.mark.parametrize(
    ("collations", "wanted"),
    [
        ({"a": "utf8mb4_uca1400_ai_ci"}, (CASE, SPACES)),
        ({"a": "latin1_swedish_ci"}, (CASE, SPACES)),
        ({"a": "utf8mb4_0900_ai_ci"}, (CASE,)),
        ({"a": "utf8mb4_0900_as_cs"}, None),
        ({"a": "uca1400_nopad_ai_ci"}, (CASE,)),
        ({"a": "utf8mb4_bin"}, (SPACES,)),
        ({"a": "utf8mb4_nopad_bin"}, None),
        ({"a": "binary"}, None),
        ({"a": "latin1_swedish_ci", "b": "utf8mb4_bin"}, (SPACES,)),
        ({"a": "utf8mb4_0900_ai_ci", "b": "utf8mb4_bin"}, ()),
        ({}, None),
    ],
)
def test_keys_of_mysql_compare_as_all_their_collations_do(collations, wanted):
    table = FoundTable("s", "t", [], primary_key=("a", "b"))
    compare_mysql_keys(table, collations)
    assert table.key_comparison == (wanted or ())
    assert [warned.label for warned in table.warned] == ([] if wanted is None else ["key collation"])


@pytest.mark.parametrize(
    ("key", "nondeterministic", "wanted", "detail"),
    [
        ({"a": "CITEXT", "b": "INTEGER"}, [], (CASE,), "a citext; proposed: ignore_case"),
        ({"a": "CITEXT", "b": "TEXT"}, [], (), "a citext, b text; proposed: exact"),
        ({"a": "VARCHAR"}, ["a"], (), "a varchar; proposed: exact"),
        ({"a": "VARCHAR"}, [], (), None),
    ],
)
def test_keys_of_postgresql_ignore_case_where_all_are_citext(key, nondeterministic, wanted, detail):
    table = FoundTable("s", "t", [], primary_key=tuple(key))
    compare_postgresql_keys(table, key, nondeterministic)
    assert table.key_comparison == wanted
    assert [warned.detail for warned in table.warned] == ([detail] if detail else [])


# Servers -------------------------------------------------------------------------------------------------------------

GOOD = {"log_bin": "ON", "binlog_format": "ROW", "binlog_row_image": "FULL", "sql_mode": "NO_ZERO_IN_DATE,NO_ZERO_DATE"}


@pytest.mark.parametrize(
    ("change", "labels"),
    [
        ({}, []),
        ({"log_bin": "OFF"}, ["no binary log"]),
        ({"binlog_format": "MIXED"}, ["binlog_format"]),
        ({"binlog_row_image": "MINIMAL"}, ["binlog_row_image"]),
        ({"binlog_row_value_options": "PARTIAL_JSON"}, ["partial JSON"]),
        ({"binlog_transaction_compression": "OFF"}, []),
        ({"binlog_transaction_compression": "ON"}, ["binlog_transaction_compression"]),
        ({"sql_mode": "NO_ZERO_DATE,STRICT_TRANS_TABLES"}, ["zero dates"]),
        ({"binlog_format": "STATEMENT", "sql_mode": ""}, ["binlog_format", "zero dates"]),
    ],
)
def test_a_setting_of_mysql_that_loses_something_is_reported(change, labels):
    assert [warned.label for warned in warn_of_settings(GOOD | change, has_dates=True)] == labels


def test_zero_dates_matter_only_where_there_are_dates():
    assert warn_of_settings(GOOD | {"sql_mode": ""}, has_dates=False) == []


@pytest.mark.parametrize(
    ("identity", "has_key", "toastable", "wanted"),
    [
        ("d", True, [], []),
        ("d", True, ["note"], [("large values", "replica identity default: note")]),
        ("i", True, ["note"], [("large values", "replica identity index: note")]),
        ("f", False, ["note"], []),
        ("n", True, ["note"], [("replica identity", "nothing")]),
        ("d", False, ["note"], [("replica identity", "default, and no key")]),
    ],
)
def test_a_replica_identity_that_loses_something_is_reported(identity, has_key, toastable, wanted):
    warned = warn_replica_identity(identity, has_key=has_key, toastable=toastable)
    assert [(warning.label, warning.detail) for warning in warned] == wanted


class OracleInspector:
    """Answers as SQLAlchemy does for Oracle, where names in capitals read as small letters."""

    dialect = OracleDialect()

    def get_multi_columns(self, **_):
        column = {"nullable": False, "comment": None}
        return {
            ("hr", "staff"): [
                {**column, "name": "id", "type": oracle.NUMBER(9, 0)},
                {**column, "name": "DATE", "type": oracle.DATE()},  # a reserved word stays as it is
                {**column, "name": "Mixed", "type": oracle.CLOB()},
            ]
        }

    def get_multi_pk_constraint(self, **_):
        return {("hr", "staff"): {"constrained_columns": ["id"]}}

    def get_multi_table_comment(self, **_):
        return {("hr", "staff"): {"text": "Who\nworks here"}}

    def get_multi_indexes(self, **_):
        return {}

    get_multi_unique_constraints = get_multi_indexes


def test_names_of_oracle_are_spelled_as_capture_spells_them():
    (table,) = _tables(OracleInspector(), Oracle(True), "hr", ["staff"])
    assert (table.full_name, table.primary_key, table.description) == ("HR.STAFF", ("ID",), "Who works here")
    assert [column.name for column in table.columns] == ["ID", "DATE", "Mixed"]


@pytest.mark.parametrize(
    ("database", "columns", "detail", "advice"),
    [
        (PostgreSql(is_dms=False), ["id"], r"sales\.my\ order\.full_name", "column.exclude.list"),
        (PostgreSql(is_dms=True), ["id"], "full_name", "remove-column"),
        (MySql(is_dms=False), ["id", "full_name"], "full_name", "first files"),
    ],
)
def test_a_generated_column_that_only_a_snapshot_sends_is_named_as_the_connector_excludes_it(
    database, columns, detail, advice
):
    table = FoundTable("sales", "my order", [])
    generated = {"name": "full_name", "type": sql.TEXT(), "computed": {"sqltext": "a || b", "persisted": True}}
    _add_columns(table, [{"name": "id", "type": sql.INTEGER()}, generated], database, str)
    assert [column.name for column in table.columns] == columns
    [warned] = [warned for warned in table.warned if warned.label == "generated"]
    assert warned.detail == detail
    assert advice in warned.advice
