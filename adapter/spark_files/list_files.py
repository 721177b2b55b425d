"""All files below a folder as a DataFrame: hidden and empty ones too, on any file system that Hadoop knows."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_files.errors import is_missing_file
from spark_files.internals import frame_of_java_rows, hadoop_configuration, java_class

COLUMNS = "path string, size bigint, modified_at bigint"
# Somebody may remove a folder between the listing of its parent and its own.
ATTEMPTS = 3
_FS = "org.apache.hadoop.fs"


def list_files(session: SparkSession, location: str) -> DataFrame | None:
    """List every file below a folder, also those that Spark leaves out: names that begin with `_` or a dot.

    The driver lists the folders of one depth at the same time. Files stay in Java: Python makes a few calls for each
    depth, none for a file.

    Args:
        session: the session to list with.
        location: a folder, as a path or URI. Never taken as a pattern.

    Returns:
        `path` (as the `path` column of Spark's `binaryFile` source), `size` (bytes) and `modified_at` (timestamp);
        None where the folder does not exist.

    Raises:
        Exception: Spark's own error where the folder cannot be listed (access, network, no such file system).
    """
    system, root = file_system(session, location)
    for attempt in range(1, ATTEMPTS + 1):
        if not system.exists(root):
            return None
        try:
            rows = _rows(system, root)
            break
        except Exception as error:
            if attempt == ATTEMPTS or not is_missing_file(error):
                raise
    return frame_of_java_rows(session, rows, COLUMNS).selectExpr(
        "path", "size", "timestamp_millis(modified_at) as modified_at"
    )


def qualified(session: SparkSession, location: str) -> str:
    """A location as the paths of the files below it begin: with its scheme, such as `file:/data/raw` for `/data/raw`.

    Raises:
        Exception: Spark's own error where the location cannot be reached (no such file system, access).
    """
    system, path = file_system(session, location)
    return str(system.makeQualified(path).toString())


def file_system(session: SparkSession, location: str) -> tuple[Any, Any]:
    """Hadoop's FileSystem of a location, with the settings of a session, and the location as Hadoop's Path."""
    path = java_class(f"{_FS}.Path")(location)
    return path.getFileSystem(hadoop_configuration(session)), path


def _rows(system: Any, root: Any) -> Any:
    """A Java list of Spark's rows, one for each file, with the columns of `COLUMNS`."""
    # FileSystem.listFiles makes one call of this, but on a local disk it starts a process for each file.
    children = _as("Function", _method("FileSystem", "listStatus", "(Path)[FileStatus").bindTo(system))
    each = _as("Function", _static("java.util.Arrays", "stream", "([Ljava/lang/Object;)Ljava/util/stream/Stream;"))
    path = _method("FileStatus", "getPath", "()Path")
    as_folder, row = _as("Function", path), _as("Function", _row(path))
    is_folder = _as("Predicate", _method("FileStatus", "isDirectory", "()Z"))
    by_kind = java_class("java.util.stream.Collectors").partitioningBy(is_folder)
    rows = java_class("java.util.ArrayList")()
    folders = java_class("java.util.List").of(root)
    while not folders.isEmpty():
        found = folders.parallelStream().map(children).flatMap(each).collect(by_kind)
        rows.addAll(found[False].stream().map(row).toList())
        folders = found[True].stream().map(as_folder).toList()
    return rows


def _row(path: Any) -> Any:
    """FileStatus -> Row."""
    handles = java_class("java.lang.invoke.MethodHandles")
    arrays = java_class("java.lang.reflect.Array")
    to_text = _method("java.lang.Object", "toString", "()Ljava/lang/String;").asType(_type("(Path)Ljava/lang/String;"))
    size, modified_at = _method("FileStatus", "getLen", "()J"), _method("FileStatus", "getModificationTime", "()J")
    fields = [handles.filterReturnValue(path, to_text), size, modified_at]
    getters = arrays.newInstance(_class("java.lang.invoke.MethodHandle"), len(fields))
    for position, field in enumerate(fields):
        getters[position] = field.asType(_type("(FileStatus)Ljava/lang/Object;"))
    create = _static("org.apache.spark.sql.RowFactory", "create", "([Ljava/lang/Object;)Lorg/apache/spark/sql/Row;")
    of_three = create.asCollector(_class("[Ljava.lang.Object;"), len(fields))
    # All fields are asked of the same FileStatus, parameter 0.
    same = arrays.newInstance(_type("()I").returnType(), len(fields))
    of_one = _type("(FileStatus)Lorg/apache/spark/sql/Row;")
    return handles.permuteArguments(handles.filterArguments(of_three, 0, getters), of_one, same)


def _as(interface: str, handle: Any) -> Any:
    """A function of Java as an object that Java's streams take; Python cannot write one."""
    proxies = java_class("java.lang.invoke.MethodHandleProxies")
    return proxies.asInterfaceInstance(_class(f"java.util.function.{interface}"), handle)


def _method(name: str, method: str, signature: str) -> Any:
    return _lookup().findVirtual(_class(name if "." in name else f"{_FS}.{name}"), method, _type(signature))


def _static(name: str, method: str, signature: str) -> Any:
    return _lookup().findStatic(_class(name), method, _type(signature))


def _lookup() -> Any:
    return java_class("java.lang.invoke.MethodHandles").publicLookup()


def _class(name: str) -> Any:
    return java_class("java.lang.Class").forName(name)


def _type(signature: str) -> Any:
    """A signature of Java, in which Path and FileStatus stand for Hadoop's classes."""
    for name in ("Path", "FileStatus"):
        signature = signature.replace(name, f"L{_FS}.{name};".replace(".", "/"))
    loader = _class(f"{_FS}.Path").getClassLoader()
    return java_class("java.lang.invoke.MethodType").fromMethodDescriptorString(signature, loader)
