"""All that is taken from inside Spark, py4j, parquet-mr and Iceberg: names that any new version of them may move.

Each function says what it takes and why nothing public does. If a name is gone the caller gets `MissingInternal`:
what is missing, which versions have it, what to do. No other module of the adapter names a private member or class.
tests/adapter/test_internals.py uses each function and takes away what it takes.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from py4j import java_gateway
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext, __version__
from pyspark import java_gateway as spark_gateway
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import StructType

from spark_files.releases import RELEASES, iceberg_runtime, release, spark_release

Given = ParamSpec("Given")
Result = TypeVar("Result")
SPARK, ICEBERG = "Spark", "Iceberg"
# The versions that the tests run with, and what to do where another one is in use.
_KNOWN = {
    SPARK: (
        "Spark " + ", ".join(its.tested for its in RELEASES.values()),
        f"Install pyspark=={release().tested}, or a dbt-sparksession made for your Spark",
    ),
    ICEBERG: (
        f"Iceberg {release().iceberg} for Spark {spark_release()}",
        f"Name {iceberg_runtime()} in spark.jars.packages, or install a dbt-sparksession made for your Iceberg",
    ),
}
# How Java says that what was compiled or named is not there, and how py4j says so of members.
_NOT_THERE = ("ClassNotFoundException", "NoClassDefFoundError", "NoSuchMethodError", "NoSuchMethodException")
_NO_MEMBER = "does not exist"
_SPARK_PARQUET = "org.apache.spark.sql.execution.datasources.parquet"
# Where Spark keeps its own schema in the files it writes; it goes before Parquet's.
_SPARK_SCHEMA = "org.apache.spark.sql.parquet.row.metadata"
_BETWEEN = "\x01"  # values in one text
# Names of settings that hold secrets.
_SECRET = re.compile(r"(?i)secret|password|token|access[._]?key|credential$")


class MissingInternal(RuntimeError):
    """Spark or Iceberg no longer has something that is taken from inside it; says what, who has it and what to do."""


def _takes(
    internal: str, purpose: str, library: str = SPARK
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """A function that takes internals, and raises MissingInternal if they are gone.

    Args:
        internal: the names taken.
        purpose: what they are needed for, after "needed to".
        library: whose they are, a key of `_KNOWN`.
    """

    def guard(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @wraps(function)
        def guarded(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            try:
                return function(*args, **kwargs)
            except (AttributeError, TypeError, Py4JError) as error:
                if not _is_gone(error):
                    raise
                raise MissingInternal(_sentence(internal, purpose, library, error)) from None

        return guarded

    return guard


def _is_gone(error: Exception) -> bool:
    if isinstance(error, Py4JJavaError):
        return str(error.java_exception.getClass().getSimpleName()) in _NOT_THERE
    return not isinstance(error, Py4JError) or any(mark in str(error) for mark in (_NO_MEMBER, *_NOT_THERE))


def _sentence(internal: str, purpose: str, library: str, error: Exception) -> str:
    releases, to_do = _KNOWN[library]
    version = __version__ if library == SPARK else iceberg_version()
    lines = str(error).splitlines() or [type(error).__name__]
    # py4j's first line only says what was called.
    said = next((line for line in lines if any(mark in line for mark in (_NO_MEMBER, *_NOT_THERE))), lines[0])
    detail = said.strip().removeprefix("py4j.Py4JException: ")
    return (
        f"{library} {version or '(not found)'} lacks an internal ({internal}) that is needed to {purpose}: {detail}."
        f" Known to have it: {releases}. {to_do}."
    )


# --- the process of Java ------------------------------------------------------------------------------------------


@_takes("SparkContext._active_spark_context", "find out whether Spark runs in this process")
def active_context() -> SparkContext | None:
    """The Spark context of this process; SparkSession.active() passes over one that has no session."""
    return SparkContext._active_spark_context


@_takes("SparkContext._gateway", "call Java")
def java_gateway_in_use() -> Any:
    """py4j's gateway to Java, None before Java has started; all that follows goes through it."""
    return SparkContext._gateway


@_takes("pyspark.java_gateway.launch_gateway and SparkContext._ensure_initialized", "start Java with a log file")
def start_java(config: dict[str, str], log: Any, inherited: tuple[int, ...]) -> None:
    """Start Java; pyspark's public way lets it print to the terminal and closes every file descriptor.

    Args:
        config: the configuration of Spark; what is secret in it is left to the session, because everybody on the
            machine may read a command line.
        log: open file for all that Java prints.
        inherited: file descriptors that Java keeps open.

    Raises:
        PySparkRuntimeError: Java does not start.
    """
    shown = [(name, value) for name, value in config.items() if not _SECRET.search(name)]
    with _names_in_utf8():
        gateway = spark_gateway.launch_gateway(
            SparkConf(loadDefaults=False).setAll(shown),
            popen_kwargs={"stdout": log, "stderr": log, "pass_fds": inherited},
        )
    SparkContext._ensure_initialized(gateway=gateway)
    _answer_at_once(gateway)


@contextmanager
def _names_in_utf8() -> Iterator[None]:
    """Let a Java that starts meanwhile read names of files as UTF-8: it takes that from the locale, and has no option.

    A locale that is not installed is C to it, which has no names but ASCII. pyspark gives Java this environment.
    """
    before = os.environ.get("LC_ALL")
    os.environ["LC_ALL"] = "C.UTF-8"
    try:
        yield
    finally:
        if before is None:
            del os.environ["LC_ALL"]
        else:
            os.environ["LC_ALL"] = before


def read_name_encoding() -> str:
    """The encoding in which Java reads names of files on a local disk, such as `UTF-8`."""
    return str(java_class("java.lang.System").getProperty("sun.jnu.encoding"))


class _Acknowledging(socket.socket):
    """A connection that acknowledges at once what it has received."""

    def recv_into(self, *args: Any) -> int:
        # Linux forgets it when something is sent.
        self.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return super().recv_into(*args)

    @classmethod
    def wrap_socket(cls, new: socket.socket, server_hostname: str | None = None) -> _Acknowledging:
        """The socket as one of these, called as a method of an SSL context."""
        timeout = new.gettimeout()
        wrapped = cls(fileno=new.detach())
        wrapped.settimeout(timeout)
        return wrapped


@_takes("JavaParameters.ssl_context of py4j", "get long answers of Java at once")
def _answer_at_once(gateway: Any) -> None:
    """Get an answer of 8 KB or more at once: Java sends its end 44 ms later, when the beginning was acknowledged.

    py4j 0.10.9.9 leaves Nagle's algorithm on in Java (py4j issue 516), and has no other place for a socket's options.
    """
    if not hasattr(socket, "TCP_QUICKACK"):
        return
    client = gateway._gateway_client
    client.java_parameters.ssl_context = _Acknowledging
    # The next call opens another one.
    client.get_thread_connection().close()


@contextmanager
def interrupts_kept() -> Iterator[None]:
    """Keep the handler of Ctrl-C while a Spark context is made, which puts its own in its place.

    dbt cancels what runs; pyspark's handler would call Java from inside the signal. pyspark has no switch for it.
    """
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


@_takes("py4j.java_gateway.JavaClass(name, gateway._gateway_client)", "use classes of Java")
def java_class(name: str) -> Any:
    """A class of the Java process that Spark runs in, to construct objects and call static methods.

    pyspark's own way (`session._jvm.org.apache…`) has Java look for a class at each dot, in all of its jars: 4 ms for
    each use, the call itself 0.3. Outside this module, only for classes that their makers call public.

    Args:
        name: the class with its package.

    Returns:
        The class; where Java has none of that name, using it raises Py4JError.
    """
    return java_gateway.JavaClass(name, java_gateway_in_use()._gateway_client)


@_takes("org.codehaus.janino.SimpleCompiler", "compile a class of the adapter's own")
def compile_java(name: str, source: str) -> Any:
    """An object of a class that is given as its source, with a constructor without arguments.

    Spark compiles the code that it generates in this way: a jar of the adapter's own would need Java's compiler to be
    built, and a place on the class path of each cluster.

    Args:
        name: the class, without a package.
        source: it may name all classes that Spark can; see Janino for what it does not know of Java.
    """
    compiler = java_class("org.codehaus.janino.SimpleCompiler")()
    # What it says of an error names the file.
    compiler.cook(f"{name}.java", source)
    return compiler.getClassLoader().loadClass(name).newInstance()


@_takes("CapturedException._origin", "read what Java says of an error")
def java_exception(error: BaseException) -> Any:
    """The Java exception behind a Python one, None if there is none; pyspark shows its text alone."""
    if isinstance(error, Py4JJavaError):
        return error.java_exception
    if type(error).__module__ != "pyspark.errors.exceptions.captured":
        return None
    try:
        return error._origin  # type: ignore[attr-defined]
    except AttributeError as missing:
        # Spark's messages must not get lost.
        raise AttributeError(f"{missing}; the error to explain was {str(error).splitlines()[0]}") from None


@_takes("AnalysisException.getQueryContext and SQLQueryContext.summary", "show the SQL that an error is about")
def sql_fragments(error: BaseException) -> list[str]:
    """The parts of SQL that Spark blames for an error; before 4.0 Python has no name for them."""
    throwable = java_exception(error)
    gateway = java_gateway_in_use()
    if throwable is None or not java_gateway.is_instance_of(gateway, throwable, "org.apache.spark.SparkThrowable"):
        return []
    contexts = throwable.getQueryContext()
    return [summary for context in contexts if (summary := str(context.summary()).strip())]


# --- sessions -----------------------------------------------------------------------------------------------------


@_takes("SparkSession._jsparkSession", "reach Spark's sessions in Java")
def _java_session(session: SparkSession) -> Any:
    return session._jsparkSession


@_takes("SparkSession.sessionState", "ask a session for its settings, views and catalogs")
def _state(session: SparkSession) -> Any:
    return _java_session(session).sessionState()


@_takes("SparkSession.setActiveSession", "work in one session a thread")
def activate(session: SparkSession) -> None:
    """Make a session the calling thread's active one, whose catalog and settings count; Python has no such method."""
    java_class("org.apache.spark.sql.SparkSession").setActiveSession(_java_session(session))


@_takes("SQLConf.getAllConfs", "undo what a model has set")
def all_settings(session: SparkSession) -> dict[str, str]:
    """All settings of a session, as one text from Java: `session.conf.getAll` asks for each, ten times as long."""
    confs = _state(session).conf().getAllConfs()
    return dict(pair.split(" -> ", 1) for pair in confs.mkString(_BETWEEN).split(_BETWEEN))


@_takes("SessionCatalog.listLocalTempViews", "drop what a model has left")
def temporary_views(session: SparkSession) -> list[str]:
    """Names of a session's temporary views; `show views` fails if the current namespace does not exist."""
    views = _state(session).catalog().listLocalTempViews("*")
    return [str(views.apply(index).table()) for index in range(views.size())]


@_takes("CatalogManager.catalog", "list the relations of a schema")
def catalog(session: SparkSession, name: str) -> Any:
    """A catalog with Spark's public interface for connectors (TableCatalog, ViewCatalog)."""
    return _state(session).catalogManager().catalog(name)


# --- frames -------------------------------------------------------------------------------------------------------


@_takes("SparkSession.createDataFrame(java.util.List, StructType)", "show rows of Java as a frame")
def frame_of_java_rows(session: SparkSession, rows: Any, columns: str) -> DataFrame:
    """Spark's rows in a Java list as a frame; Python's way would carry each row to Python and back.

    Args:
        session: session of the frame.
        rows: a Java list of Row.
        columns: their names and types in SQL.
    """
    schema = java_class("org.apache.spark.sql.types.StructType").fromDDL(columns)
    return DataFrame(_java_session(session).createDataFrame(rows, schema), session)


@_takes("QueryExecution.toRdd and SparkSession.internalCreateDataFrame", "read columns that differ only by case")
def planned_in_its_own_session(session: SparkSession, frame: DataFrame) -> DataFrame:
    """A frame of another session as one of this session, planned with the settings of the other.

    A view of all sessions would be planned in this one, which finds names that differ only by case ambiguous.
    """
    java_frame = frame._jdf
    rows = java_frame.queryExecution().toRdd()
    return DataFrame(_java_session(session).internalCreateDataFrame(rows, java_frame.schema(), False), session)


def _column(java_column: Any) -> Column:
    # What Spark 4 states of its types leaves this call out.
    make: Any = Column
    column: Column = make(java_column)
    return column


@_takes("Dataset.metadataColumn", "number the rows of files")
def metadata_column(frame: DataFrame) -> Column:
    """The hidden columns of a frame's files; before 4.0 Python has no name for them."""
    return _column(frame._jdf.metadataColumn("_metadata"))


@_takes("catalyst.expressions.Cast with EvalMode.TRY", "cast what may not fit")
def try_cast(column: Column, data_type: str) -> Column:
    """A cast that gives NULL if a value does not fit; before 4.0 only SQL has it, which takes no column."""
    catalyst = "org.apache.spark.sql.catalyst"
    java_type = java_class("org.apache.spark.sql.types.DataType").fromDDL(data_type)
    mode = java_class(f"{catalyst}.expressions.EvalMode").TRY()
    none = java_class("scala.Option").empty()
    java_column: Any = column._jc
    cast = java_class(f"{catalyst}.expressions.Cast")(java_column.expr(), java_type, none, mode)
    return _column(java_class("org.apache.spark.sql.Column")(cast))


@_takes("DataFrame._collect_as_arrow", "hand rows to Python")
def arrow_batches(frame: DataFrame) -> list[Any]:
    """The rows of a frame as batches of Arrow; before 4.0 only pandas is public."""
    private: Any = frame
    return list(private._collect_as_arrow())


@_takes("SparkContext._serialize_to_jvm and PythonSQLUtils.toDataFrame", "take rows of Python")
def frame_of_batches(session: SparkSession, batches: list[Any], schema: StructType) -> DataFrame:
    """Batches of Arrow as a frame; before 4.0 only pandas is public, which has no exact types.

    Args:
        session: session of the frame.
        batches: at least one, with the columns of the schema.
        schema: the columns of the frame.
    """
    serializers = importlib.import_module("pyspark.sql.pandas.serializers")
    utils = java_class("org.apache.spark.sql.api.python.PythonSQLUtils")

    def read(name: str) -> Any:
        return utils.readArrowStreamFromFile(name)

    def serve() -> Any:
        return java_class("org.apache.spark.sql.api.python.ArrowIteratorServer")()

    stream = serializers.ArrowStreamSerializer()
    rows = session.sparkContext._serialize_to_jvm(iter(batches), stream, read, serve)
    return DataFrame(utils.toDataFrame(rows, schema.json(), _java_session(session)), session)


# --- files --------------------------------------------------------------------------------------------------------


@_takes("SessionState.newHadoopConf", "open files with the settings of a session")
def hadoop_configuration(session: SparkSession) -> Any:
    """Returns the configuration with which Hadoop opens files: the settings of the context and of this session."""
    return _state(session).newHadoopConf()


@_takes("org.apache.parquet.hadoop.ParquetFileReader and Footer", "read footers of Parquet files")
def parquet_footer(path: Any, configuration: Any) -> tuple[str, Any]:
    """The footer of a Parquet file without a Spark job; Spark's public way merges footers, and its job costs more.

    Args:
        path: a `Path` of Hadoop.
        configuration: see `hadoop_configuration`.

    Returns:
        A text that is the same for files with the same columns, and the footer.

    Raises:
        Py4JJavaError: the file cannot be read.
    """
    source = java_class("org.apache.parquet.hadoop.util.HadoopInputFile").fromPath(path, configuration)
    reader = java_class("org.apache.parquet.hadoop.ParquetFileReader").open(source)
    try:
        metadata = reader.getFileMetaData()
        text = f"{metadata.getSchema().toString()}{metadata.getKeyValueMetaData().get(_SPARK_SCHEMA)}"
        return text, java_class("org.apache.parquet.hadoop.Footer")(path, reader.getFooter())
    finally:
        reader.close()


@_takes("Footer.getParquetMetadata", "read footers of Parquet files")
def arrow_schema_text(footer: Any) -> str | None:
    """The schema of Arrow that the writer of a Parquet file left in its footer, in Base64; None if there is none."""
    text: str | None = footer.getParquetMetadata().getFileMetaData().getKeyValueMetaData().get("ARROW:schema")
    return text


@_takes("Footer.getParquetMetadata", "read footers of Parquet files")
def parquet_columns(footer: Any) -> list[Any]:
    """The columns of a footer, as parquet-mr's `Type`."""
    return list(footer.getParquetMetadata().getFileMetaData().getSchema().getFields())


@_takes("ParquetToSparkSchemaConverter", "read the types of Parquet files")
def schema_converter(session: SparkSession) -> Any:
    """Returns the converter of Parquet's types to Spark's, with the settings of a session."""
    return java_class(f"{_SPARK_PARQUET}.ParquetToSparkSchemaConverter")(_state(session).conf())


@_takes("ParquetFileFormat.readSchemaFromFooter and StructType.asNullable", "read the types of Parquet files")
def schema_of_footer(footer: Any, converter: Any) -> StructType:
    """Spark's types of a footer, as Spark reads the file.

    Raises:
        PySparkException: a column has a type that Spark lacks.
    """
    return _schema(java_class(f"{_SPARK_PARQUET}.ParquetFileFormat").readSchemaFromFooter(footer, converter))


@_takes(
    "ParquetToSparkSchemaConverter.convert and org.apache.parquet.schema.MessageType", "read types of Parquet files"
)
def schema_of_columns(columns: list[Any], converter: Any) -> StructType:
    """Spark's types of some columns.

    Args:
        columns: parquet-mr's `Type` of each.
        converter: see `schema_converter`.

    Raises:
        PySparkException: a column has a type that Spark lacks.
    """
    listed = java_class("java.util.ArrayList")()
    for column in columns:
        listed.add(column)
    return _schema(converter.convert(java_class("org.apache.parquet.schema.MessageType")("columns", listed)))


@_takes("org.apache.parquet.schema.PrimitiveType", "read columns of types that Spark lacks")
def plain_column(column: Any) -> Any:
    """A column of Parquet without its logical type, as it is stored."""
    of_type = (column.getRepetition(), column.getPrimitiveTypeName(), column.getTypeLength(), column.getName())
    return java_class("org.apache.parquet.schema.PrimitiveType")(*of_type)


def _schema(java_schema: Any) -> StructType:
    return StructType.fromJson(json.loads(java_schema.asNullable().json()))


# --- Iceberg ------------------------------------------------------------------------------------------------------


def iceberg_version() -> str | None:
    """The version of Iceberg that Java has; None without Iceberg."""
    try:
        return str(java_class("org.apache.iceberg.IcebergBuild").version())
    except (Py4JError, MissingInternal):
        return None


@_takes("org.apache.iceberg.spark.Spark3Util.loadIcebergTable", "read a table's snapshots", ICEBERG)
def iceberg_table(session: SparkSession, name: str) -> Any:
    """A table with Iceberg's public interface (Table), in any catalog; SQL would plan a query for each question."""
    return java_class("org.apache.iceberg.spark.Spark3Util").loadIcebergTable(_java_session(session), name)


@_takes("org.apache.iceberg.SnapshotParser.toJson", "read a snapshot by one call", ICEBERG)
def snapshot_json(snapshot: Any) -> str:
    """A snapshot by its names in Iceberg's specification, as JSON: a call for each value takes 13 times as long."""
    return str(java_class("org.apache.iceberg.SnapshotParser").toJson(snapshot))


@_takes("org.apache.iceberg.SchemaParser.toJson", "compare the columns of schemas", ICEBERG)
def schema_json(schema: Any) -> str:
    """A schema of Iceberg by the names of its specification, as JSON: a call for each column takes longer."""
    return str(java_class("org.apache.iceberg.SchemaParser").toJson(schema))


def read_numbers(numbers: Any) -> set[int]:
    """The numbers in a set of Java, read from its text: py4j looks for a class at each step of an iteration, 20 ms."""
    return set(json.loads(numbers.toString()))


@_takes("CommitMetadata.withCommitProperties and SparkSession.sql", "record progress in a commit", ICEBERG)
def sql_with_commit_properties(session: SparkSession, sql: str, properties: dict[str, str]) -> DataFrame:
    """Run a statement whose Iceberg commits record these properties in their snapshots.

    Iceberg's own way is public, and wants a Java object that runs the statement in the same thread: it is made of the
    method itself. A setting of the session, which Iceberg for Spark 3.5 lacks, would reach other statements as well.

    Args:
        session: session to run it in.
        sql: the statement.
        properties: what the snapshots record, by name.

    Raises:
        Py4JJavaError: the statement fails; the error of Spark is its cause.
    """
    gateway = java_gateway_in_use()
    types = gateway.new_array(gateway.jvm.java.lang.Class, 1)
    types[0] = java_class("java.lang.Class").forName("java.lang.String")
    values = gateway.new_array(gateway.jvm.java.lang.Object, 1)
    values[0] = sql
    java_session = _java_session(session)
    handles = java_class("java.lang.invoke.MethodHandles")
    method = handles.publicLookup().unreflect(java_session.getClass().getMethod("sql", types))
    bound = handles.insertArguments(method.bindTo(java_session), 0, values)
    callable_class = java_class("java.lang.Class").forName("java.util.concurrent.Callable")
    run = java_class("java.lang.invoke.MethodHandleProxies").asInterfaceInstance(callable_class, bound)
    error = java_class("java.lang.Class").forName("java.lang.Exception")
    commits = java_class("org.apache.iceberg.spark.CommitMetadata")
    return DataFrame(commits.withCommitProperties(_java_map(properties), run, error), session)


def _java_map(values: dict[str, str]) -> Any:
    java_map = java_class("java.util.HashMap")()
    for name, value in values.items():
        java_map.put(name, value)
    return java_map


@_takes("HasTableOperations.operations", "publish rows in one commit", ICEBERG)
def table_operations(table: Any) -> tuple[Any, Any]:
    """Returns the operations that commit to a table, and the table's metadata as they are now."""
    operations = table.operations()
    return operations, operations.current()


@_takes("SnapshotRef, TableMetadata.buildFrom and TableOperations.commit", "publish rows in one commit", ICEBERG)
def commit_as_main(operations: Any, base: Any, snapshot_id: int, branch: str | None = None) -> None:
    """Make a snapshot the table's current one, in one commit on exactly this metadata, which also removes a branch.

    Not `table.manageSnapshots()`: when a commit comes in between, that repeats itself on top of it, and would undo it.

    Raises:
        Py4JJavaError: the table has other metadata by now (CommitFailedException), or the commit fails.
    """
    refs = java_class("org.apache.iceberg.SnapshotRef")
    main = base.ref("main")
    moved = refs.builderFrom(main, snapshot_id) if main is not None else refs.branchBuilder(snapshot_id)
    changes = java_class("org.apache.iceberg.TableMetadata").buildFrom(base).setRef("main", moved.build())
    operations.commit(base, (changes.removeRef(branch) if branch else changes).build())


@_takes("ArrowAllocation.rootAllocator and the shaded AutoCloseables", "free the memory of ended readers", ICEBERG)
def close_ended_readers() -> None:
    """Close the memory allocators of readers that have ended, when nothing is read in this process.

    Iceberg's vectorised readers each make one and never close it (apache/iceberg 13937), a few hundred per batch and
    kilobyte each, for as long as Java lives. One that still holds memory is left to Iceberg.
    """
    allocators = java_class("org.apache.iceberg.arrow.ArrowAllocation").rootAllocator().getChildAllocators()
    closing = java_class("org.apache.iceberg.shaded.org.apache.arrow.util.AutoCloseables").close
    # Of those that still hold memory it says so once all others are closed.
    with suppress(Py4JJavaError):
        closing(allocators)
