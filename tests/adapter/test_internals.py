"""internals: what is taken from inside Spark and Iceberg is there; where it is gone, one sentence says so.

When a test of `test_an_internal_is_there` fails, its message is the sentence that users would get.
"""

from __future__ import annotations

import inspect
import json
import re
import signal
import socket
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import py4j.java_gateway
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark.java_gateway
import pytest
from dbt.adapters.exceptions import FailedToConnectError
from dbt.tests.util import run_dbt
from dbt_common.exceptions import DbtDatabaseError
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import AnalysisException, IllegalArgumentException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from dbt.adapters.sparksession import readers
from spark_files import errors, internals, releases
from spark_files.internals import MissingInternal, java_class

ADAPTER = Path(__file__).parents[2] / "adapter"
TABLE = "internals.t"
ID = StructType([StructField("id", LongType())])
PARQUET, ICEBERG = "org.apache.parquet", "org.apache.iceberg"
SPARK_PARQUET = "org.apache.spark.sql.execution.datasources.parquet"


@dataclass
class Here:
    """Where a test works: a session, a Parquet file and an Iceberg table with a branch `b`."""

    session: SparkSession
    patch: pytest.MonkeyPatch
    path: Any

    @property
    def footer(self) -> Any:
        return internals.parquet_footer(self.path, internals.hadoop_configuration(self.session))[1]

    @property
    def converter(self) -> Any:
        return internals.schema_converter(self.session)

    @property
    def columns(self) -> list[Any]:
        return internals.parquet_columns(self.footer)

    @property
    def table(self) -> Any:
        return internals.iceberg_table(self.session, TABLE)

    def publish(self) -> str:
        operations, base = internals.table_operations(self.table)
        internals.commit_as_main(operations, base, base.ref("b").snapshotId(), "b")
        return self.session.sql(f"select array_join(collect_list(name), ',') from {TABLE}.refs").first()[0]


@pytest.fixture
def here(session, monkeypatch, tmp_path) -> Here:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    session.sql("create schema if not exists internals")
    session.sql(f"create or replace table {TABLE} using iceberg as select 1 as id")
    session.sql(f"alter table {TABLE} create or replace branch b")
    session.sql("create or replace temporary view mine as select 1 as id")
    return Here(session, monkeypatch, java_class("org.apache.hadoop.fs.Path")(f"file:{tmp_path}/a.parquet"))


def an_object(*_arguments: Any) -> Any:
    """An object of Java that has none of the methods that are asked for."""
    return java_class("java.lang.Object")()


def no_class(name: str) -> Callable[[Here], None]:
    def take_away(here: Here) -> None:
        there = internals.java_class
        here.patch.setattr(internals, "java_class", lambda asked: there(asked + "IsGone" * (asked == name)))

    return take_away


def no_attribute(owner: Any, name: str) -> Callable[[Here], None]:
    return lambda here: here.patch.delattr(owner, name)


def no_method_of(function: str) -> Callable[[Here], None]:
    """The answer of a function of the module has lost its methods."""
    return lambda here: here.patch.setattr(internals, function, an_object)


def error_of_spark(here: Here) -> Exception:
    with pytest.raises(Exception, match="TABLE_OR_VIEW_NOT_FOUND") as raised:
        here.session.table("nowhere")
    return raised.value


def blamed(here: Here) -> tuple[list[str], list[str]]:
    with pytest.raises(AnalysisException) as raised:
        here.session.sql("select id,\n  b from range(1)")
    return internals.sql_fragments(raised.value), internals.sql_fragments(error_without_sql(here))


def error_without_sql(here: Here) -> Exception:
    """An error that Java has without any SQL."""
    with pytest.raises(IllegalArgumentException) as raised:
        here.session.conf.set("spark.sql.shuffle.partitions", "x")
    return raised.value


def error_without_origin(here: Here) -> Any:
    error = error_of_spark(here)
    here.patch.delattr(error, "_origin")
    return internals.java_exception(error)


def java_rows(here: Here) -> Any:
    rows = java_class("java.util.ArrayList")()
    rows.add(here.session._jsparkSession.range(1).toDF().head())
    return internals.frame_of_java_rows(here.session, rows, "id bigint").first().id


def metadata(here: Here) -> str:
    frame = here.session.read.parquet(here.path.toString())
    return frame.select(internals.metadata_column(frame)["file_name"]).first()[0]


def recorded(here: Here) -> str:
    internals.sql_with_commit_properties(here.session, f"insert into {TABLE} values (2)", {"cdc.batch-id": "7"})
    return here.table.currentSnapshot().summary().get("cdc.batch-id")


def activated(here: Here) -> bool:
    internals.activate(here.session)
    active = java_class("org.apache.spark.sql.SparkSession").getActiveSession().get()
    return active.equals(here.session._jsparkSession)


# A used internal, its result, and ways in which it can be gone.
CASES: dict[str, tuple[Callable[[Here], Any], Any, list[Callable[[Here], Any]]]] = {
    "active_context": (
        lambda here: internals.active_context() is here.session.sparkContext,
        True,
        [no_attribute(SparkContext, "_active_spark_context")],
    ),
    "java_gateway_in_use": (
        lambda here: internals.java_gateway_in_use() is None,
        False,
        [no_attribute(SparkContext, "_gateway")],
    ),
    "java_class": (
        lambda here: internals.java_class("java.lang.Math").abs(-7),
        7,
        [
            no_attribute(py4j.java_gateway, "JavaClass"),
            lambda here: here.patch.setattr(SparkContext, "_gateway", SimpleNamespace()),
        ],
    ),
    "compile_java": (
        lambda here: internals.compile_java("Two", "public class Two { public int two() { return 2; } }").two(),
        2,
        [no_class("org.codehaus.janino.SimpleCompiler")],
    ),
    "java_exception": (
        lambda here: internals.java_exception(error_of_spark(here)).getClass().getSimpleName(),
        "ExtendedAnalysisException",
        [error_without_origin],
    ),
    "activate": (
        activated,
        True,
        [
            no_class("org.apache.spark.sql.SparkSession"),
            lambda here: here.patch.delattr(here.session, "_jsparkSession"),
        ],
    ),
    "all_settings": (
        lambda here: internals.all_settings(here.session)["spark.sql.shuffle.partitions"],
        "2",
        [no_method_of("_state"), no_method_of("_java_session")],
    ),
    "temporary_views": (lambda here: internals.temporary_views(here.session), ["mine"], [no_method_of("_state")]),
    "catalog": (
        lambda here: internals.catalog(here.session, "lakehouse").name(),
        "lakehouse",
        [no_method_of("_state")],
    ),
    "frame_of_java_rows": (java_rows, 0, [no_class("org.apache.spark.sql.types.StructType")]),
    "planned_in_its_own_session": (
        lambda here: internals.planned_in_its_own_session(here.session, here.session.newSession().range(3)).count(),
        3,
        [
            no_method_of("_java_session"),
            lambda here: internals.planned_in_its_own_session(here.session, SimpleNamespace(_jdf=an_object())),
        ],
    ),
    "hadoop_configuration": (
        lambda here: internals.hadoop_configuration(here.session).get("fs.defaultFS"),
        "file:///",
        [no_method_of("_state")],
    ),
    "parquet_footer": (
        lambda here: internals.parquet_footer(here.path, internals.hadoop_configuration(here.session))[0].splitlines(),
        ["message schema {", "  optional int64 id;", "}", "None"],
        [
            no_class(f"{PARQUET}.hadoop.util.HadoopInputFile"),
            no_class(f"{PARQUET}.hadoop.ParquetFileReader"),
            no_class(f"{PARQUET}.hadoop.Footer"),
        ],
    ),
    "arrow_schema_text": (
        lambda here: pa.ipc.read_schema(pa.py_buffer(b64decode(internals.arrow_schema_text(here.footer)))).names,
        ["id"],
        [lambda here: internals.arrow_schema_text(an_object())],
    ),
    "parquet_columns": (
        lambda here: [column.getName() for column in here.columns],
        ["id"],
        [lambda here: internals.parquet_columns(an_object())],
    ),
    "schema_converter": (
        lambda here: here.converter is None,
        False,
        [no_class(f"{SPARK_PARQUET}.ParquetToSparkSchemaConverter")],
    ),
    "schema_of_footer": (
        lambda here: internals.schema_of_footer(here.footer, here.converter).simpleString(),
        "struct<id:bigint>",
        [no_class(f"{SPARK_PARQUET}.ParquetFileFormat")],
    ),
    "schema_of_columns": (
        lambda here: internals.schema_of_columns(here.columns, here.converter).simpleString(),
        "struct<id:bigint>",
        [
            no_class(f"{PARQUET}.schema.MessageType"),
            lambda here: internals.schema_of_columns(here.columns, an_object()),
        ],
    ),
    "plain_column": (
        lambda here: str(internals.plain_column(here.columns[0])),
        "optional int64 id",
        [no_class(f"{PARQUET}.schema.PrimitiveType")],
    ),
    "iceberg_table": (lambda here: here.table.refs().size(), 2, [no_class(f"{ICEBERG}.spark.Spark3Util")]),
    "snapshot_json": (
        lambda here: json.loads(internals.snapshot_json(here.table.currentSnapshot()))["summary"]["operation"],
        "overwrite",
        [no_class(f"{ICEBERG}.SnapshotParser"), lambda here: internals.snapshot_json(an_object())],
    ),
    "schema_json": (
        lambda here: [field["name"] for field in json.loads(internals.schema_json(here.table.schema()))["fields"]],
        ["id"],
        [no_class(f"{ICEBERG}.SchemaParser"), lambda here: internals.schema_json(an_object())],
    ),
    "table_operations": (
        lambda here: internals.table_operations(here.table)[1].currentSnapshot().equals(here.table.currentSnapshot()),
        True,
        [lambda here: internals.table_operations(an_object())],
    ),
    "commit_as_main": (
        Here.publish,
        "main",
        [
            no_class(f"{ICEBERG}.SnapshotRef"),
            no_class(f"{ICEBERG}.TableMetadata"),
            lambda here: internals.commit_as_main(
                an_object(), internals.table_operations(here.table)[1], here.table.currentSnapshot().snapshotId()
            ),
        ],
    ),
    "metadata_column": (
        metadata,
        "a.parquet",
        [lambda here: internals.metadata_column(SimpleNamespace(_jdf=an_object()))],
    ),
    "sql_with_commit_properties": (
        recorded,
        "7",
        [no_class(f"{ICEBERG}.spark.CommitMetadata"), no_class("java.lang.invoke.MethodHandleProxies")],
    ),
    "close_ended_readers": (
        lambda here: internals.close_ended_readers(),
        None,
        [
            no_class(f"{ICEBERG}.arrow.ArrowAllocation"),
            no_class(f"{ICEBERG}.shaded.org.apache.arrow.util.AutoCloseables"),
        ],
    ),
}
# Later releases have public names for these.
OLDER = {
    "sql_fragments": (
        blamed,
        (["== SQL(line 2, position 3) ==\n  b from range(1)\n  ^"], []),
        [
            no_attribute(py4j.java_gateway, "is_instance_of"),
            lambda here: here.patch.setattr(py4j.java_gateway, "is_instance_of", lambda *_: True),
        ],
    ),
    "try_cast": (
        lambda here: here.session.range(1).select(internals.try_cast(F.lit("x"), "int")).first()[0],
        None,
        [no_class("org.apache.spark.sql.catalyst.expressions.Cast")],
    ),
    "arrow_batches": (
        lambda here: pa.Table.from_batches(internals.arrow_batches(here.session.range(3))).to_pydict(),
        {"id": [0, 1, 2]},
        [lambda here: internals.arrow_batches(SimpleNamespace())],
    ),
    "frame_of_batches": (
        lambda here: internals.frame_of_batches(here.session, pa.table({"id": [7]}).to_batches(), ID).first().id,
        7,
        [no_class("org.apache.spark.sql.api.python.PythonSQLUtils")],
    ),
}
if releases.spark_release() == "3.5":
    CASES |= OLDER
SPARK_NAME = re.escape(f"Spark {releases.release().tested}")
ICEBERG_NAME = re.escape(f"Iceberg {releases.release().iceberg}")
GONE = [(name, number) for name, (_, _, ways) in CASES.items() for number in range(len(ways))]


@pytest.mark.parametrize("name", CASES)
def test_an_internal_is_there(here, name):
    use, result, _ = CASES[name]
    assert use(here) == result


@pytest.mark.parametrize(("name", "number"), GONE)
def test_an_internal_that_is_gone_is_told_in_one_sentence(here, name, number):
    use, _, ways = CASES[name]
    with pytest.raises(MissingInternal) as raised:
        ways[number](here)
        use(here)
    said = str(raised.value)
    assert re.match(rf"({SPARK_NAME}|{ICEBERG_NAME}) lacks an internal \(.+\) that is needed to .+: ", said), said
    assert re.search(r"Known to have it: .+\. (Install|Name) .+\.$", said), said
    for noise in ("\n", "Py4J", "Traceback", "\tat "):
        assert noise not in said, said
    assert raised.value.__cause__ is None
    assert errors.spark_message(raised.value) == said


def test_what_spark_said_is_not_lost_with_the_way_to_explain_it(here):
    with pytest.raises(MissingInternal, match=r"the error to explain was .*TABLE_OR_VIEW_NOT_FOUND.*nowhere"):
        error_without_origin(here)


def test_each_function_that_takes_internals_is_tried():
    guarded = {
        name
        for name, function in inspect.getmembers(internals, inspect.isfunction)
        if hasattr(function, "__wrapped__") and not name.startswith("_") and name != "contextmanager"
    }
    # interrupts_kept takes nothing that can be gone; Java starts once in a process.
    assert guarded - {"interrupts_kept", "start_java"} == set(CASES | OLDER)


def test_java_is_started_through_what_pyspark_has(monkeypatch):
    assert "popen_kwargs" in inspect.signature(pyspark.java_gateway.launch_gateway).parameters
    assert "gateway" in inspect.signature(SparkContext._ensure_initialized).parameters
    monkeypatch.setattr(pyspark.java_gateway, "launch_gateway", lambda **_options: None)
    with pytest.raises(MissingInternal, match=r"launch_gateway.* needed to start Java"):
        internals.start_java({}, None, ())
    monkeypatch.delattr(pyspark.java_gateway, "launch_gateway")
    with pytest.raises(MissingInternal, match=r"launch_gateway.* needed to start Java"):
        internals.start_java({}, None, ())


def test_long_answers_of_java_are_acknowledged_at_once(here):
    builder = java_class("java.lang.StringBuilder")("é")
    for _ in range(16):
        builder.append(builder.toString())
    assert builder.toString() == "é" * 2**16
    connection = internals.java_gateway_in_use()._gateway_client.get_thread_connection()
    assert isinstance(connection.socket, internals._Acknowledging)
    plain, _other = socket.socketpair()
    plain.settimeout(3)
    assert internals._Acknowledging.wrap_socket(plain).gettimeout() == 3


def test_answers_come_as_py4j_gets_them_where_a_system_knows_no_better(monkeypatch):
    with pytest.raises(MissingInternal, match=r"JavaParameters\.ssl_context of py4j.* needed to get long answers"):
        internals._answer_at_once(SimpleNamespace())
    monkeypatch.delattr(socket, "TCP_QUICKACK")
    internals._answer_at_once(SimpleNamespace())


def test_the_handler_of_interrupts_is_kept():
    mine = signal.getsignal(signal.SIGINT)
    with internals.interrupts_kept():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is mine


def test_an_error_of_spark_or_of_a_file_is_no_missing_internal(here):
    with pytest.raises(Py4JJavaError, match="FileNotFoundException"):
        internals.parquet_footer(here.path.suffix("gone"), internals.hadoop_configuration(here.session))
    with pytest.raises(Exception, match=r"TABLE_OR_VIEW_NOT_FOUND|NoSuchTable"):
        internals.iceberg_table(here.session, "internals.nowhere")


def test_readers_that_cannot_be_closed_are_a_warning_where_there_is_iceberg(here, monkeypatch):
    said = []
    monkeypatch.setattr(readers.logger, "warning", said.append)
    no_class(f"{ICEBERG}.arrow.ArrowAllocation")(here)
    readers.release_readers()
    assert [text.split(" (")[0] for text in said] == [f"Iceberg {releases.release().iceberg} lacks an internal"]
    no_class(f"{ICEBERG}.IcebergBuild")(here)
    readers.release_readers()
    assert len(said) == 1


class TestDbt:
    """The message that a user of dbt sees."""

    @pytest.fixture(scope="class")
    def models(self):
        return {"one.sql": "select 1 as id"}

    @pytest.mark.parametrize("name", ["_jsparkSession.sessionState", "setActiveSession"])
    def test_a_run_ends_with_the_sentence(self, project, monkeypatch, name):
        here = Here(None, monkeypatch, None)
        if name == "setActiveSession":
            no_class("org.apache.spark.sql.SparkSession")(here)
        else:
            no_method_of("_java_session")(here)
        with pytest.raises((FailedToConnectError, DbtDatabaseError)) as raised:
            run_dbt(["run"])
        monkeypatch.undo()
        said = str(raised.value)
        assert re.search(f"{SPARK_NAME} lacks an internal", said), said
        for noise in ("Traceback", "Py4J", "AttributeError"):
            assert noise not in said, said


def test_the_reader_of_files_imports_nothing_of_dbt():
    sources = [path.read_text() for path in (ADAPTER / "spark_files").glob("*.py")]
    assert len(sources) > 5
    assert not [line for text in sources for line in text.splitlines() if re.match(r"\s*(from|import) dbt", line)]
    loaded = "import sys, spark_files; print([name for name in sys.modules if name.split('.')[0].startswith('dbt')])"
    said = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_only_one_module_names_what_is_private():
    for path in [*ADAPTER.rglob("*.py"), *ADAPTER.rglob("*.java")]:
        if path.name == "internals.py" or "build" in path.parts:
            continue
        text = path.read_text()
        private = re.findall(r"\._(?:j[a-z]\w*|gateway\w*|active_spark_context|ensure_initialized|origin|desc)\b", text)
        assert private == [], path
        # Classes that their makers call public, and where code is found in a Java stack.
        named = re.findall(r'(?:"|import )(org\.apache\.[^";]*[A-Za-z])[";]', text)
        classes = set(named) if path.name != "errors.py" else set()
        public = {
            "org.apache.hadoop.fs.FileStatus",
            "org.apache.hadoop.fs.FileSystem",
            "org.apache.hadoop.fs.Path",
            "org.apache.spark.sql.Row",
            "org.apache.spark.sql.RowFactory",
            "org.apache.spark.sql.types.DataType",
            "org.apache.spark.sql.connector.catalog.Identifier",
            f"{ICEBERG}.spark.SparkCatalog",
            f"{ICEBERG}.spark.SparkSchemaUtil",
            f"{ICEBERG}.expressions.Expressions",
            f"{ICEBERG}.types.Conversions",
        }
        assert classes <= public, path
