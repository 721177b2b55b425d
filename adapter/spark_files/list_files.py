"""All files below a folder as a DataFrame: hidden and empty ones too, on any file system that Hadoop knows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from spark_files.errors import is_missing_file
from spark_files.internals import frame_of_java_rows, hadoop_configuration, java_class, read_name_encoding

COLUMNS = "path string, size bigint, modified_at bigint"
# Somebody may remove a folder between the listing of its parent and its own.
ATTEMPTS = 3
_BETWEEN = "\x01"  # paths in one text
_FS = "org.apache.hadoop.fs"
_PATH, _PREDICATE = "()Path", "(Ljava/lang/Object;)Z"  # signatures


class Selection(Protocol):
    """Rule of the folders and names that a listing leaves out.

    Attributes:
        name_pattern: pattern (of Java and Python) of the names by which files of a large folder are left out.
        large_folder: only folders of more files are asked about: it takes some calls for each.
    """

    name_pattern: str
    large_folder: int

    def left_out(self, folders: Sequence[str]) -> list[str]:
        """Those of some folders, the full paths of one depth, that are not to be listed."""

    def older_names(self, folder: str, newest: str) -> str:
        """The pattern of names to leave out of a folder; the empty text for none.

        Args:
            folder: full path.
            newest: the greatest of its names that match `name_pattern`.
        """


def list_files(session: SparkSession, location: str, selection: Selection | None = None) -> DataFrame | None:
    """List every file below a folder, also those that Spark leaves out: names that begin with `_` or a dot.

    The driver lists the folders of one depth at the same time. Files stay in Java: Python makes a few calls for each
    depth, none for a file.

    Args:
        session: the session to list with.
        location: a folder, as a path or URI. Never taken as a pattern.
        selection: what to leave out; None: nothing. If a folder goes while it is listed, it is asked again.

    Returns:
        `path` (as the `path` column of Spark's `binaryFile` source), `size` (bytes) and `modified_at` (timestamp);
        None if the folder does not exist.

    Raises:
        Exception: Spark's own error if the folder cannot be listed (access, network, no such file system).
    """
    system, root = file_system(session, location)
    for attempt in range(1, ATTEMPTS + 1):
        if not system.exists(root):
            return None
        try:
            rows = _rows(system, root, selection)
            break
        except Exception as error:
            if attempt == ATTEMPTS or not is_missing_file(error):
                raise
    return frame_of_java_rows(session, rows, COLUMNS).selectExpr(
        "path", "size", "timestamp_millis(modified_at) as modified_at"
    )


def count_unnamed(session: SparkSession, location: str) -> dict[str, int]:
    r"""The files and folders below a location that `list_files` leaves out, because Java has no text for their names.

    On a local disk a name is bytes. Java leaves out without a word those that are no UTF-8, and, if it was started
    with another encoding, those that are not ASCII: their text would be another one than that of other runs. Other file
    systems have names in Unicode.

    Args:
        session: the session to list with.
        location: see `list_files`.

    Returns:
        How many there are by folder, in which `\x` stands for a byte that is no UTF-8. Files below such a folder are
        not counted.
    """
    system, root = file_system(session, location)
    if str(system.getUri().getScheme()) != "file":
        return {}
    is_utf8 = read_name_encoding().upper().replace("-", "") == "UTF8"
    path = str(root.toUri().getPath())
    if not _has_text(path.encode(), is_utf8):
        return {path: 1}
    counts = {}
    for folder, folders, files in os.walk(path.encode(), followlinks=True):
        named = [name for name in folders if _has_text(name, is_utf8)]
        count = len(folders) - len(named) + sum(not _has_text(name, is_utf8) for name in files)
        if count:
            counts[folder.decode(errors="backslashreplace")] = count
            folders[:] = named
    return counts


def _has_text(name: bytes, is_utf8: bool) -> bool:
    if name.isascii() or not is_utf8:
        return name.isascii()
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def qualified(session: SparkSession, location: str) -> str:
    """A location as the paths of the files below it begin: with its scheme, such as `file:/data/raw` for `/data/raw`.

    Raises:
        Exception: Spark's own error if the location cannot be reached (no such file system, access).
    """
    system, path = file_system(session, location)
    return str(system.makeQualified(path).toString())


def file_system(session: SparkSession, location: str) -> tuple[Any, Any]:
    """Hadoop's FileSystem of a location, with the settings of a session, and the location as Hadoop's Path."""
    path = java_class(f"{_FS}.Path")(location)
    return path.getFileSystem(hadoop_configuration(session)), path


def _rows(system: Any, root: Any, selection: Selection | None) -> Any:
    """A Java list of Spark's rows, one for each file, with the columns of `COLUMNS`."""
    # FileSystem.listFiles makes one call of this, but on a local disk it starts a process for each file.
    children = _as("Function", _method("FileSystem", "listStatus", "(Path)[FileStatus").bindTo(system))
    each = _each()
    path = _method("FileStatus", "getPath", _PATH)
    as_folder, row = _as("Function", path), _as("Function", _row(path))
    is_folder = _as("Predicate", _method("FileStatus", "isDirectory", "()Z"))
    by_kind = _collectors().partitioningBy(is_folder)
    rows = java_class("java.util.ArrayList")()
    folders = java_class("java.util.List").of(root)
    while not folders.isEmpty():
        listed = folders.parallelStream().map(children)
        if selection is not None:
            listed = _without_older_names(listed.toList(), selection).stream()
        entries = listed.flatMap(each).collect(by_kind)
        rows.addAll(entries[False].stream().map(row).toList())
        folders = entries[True].stream().map(as_folder).toList()
        if selection is not None and not folders.isEmpty():
            folders = _without_left_out(folders, selection)
    return rows


def _without_left_out(folders: Any, selection: Selection) -> Any:
    """The folders (a Java list of Path) that a selection does not leave out."""
    joined = folders.stream().map(_as("Function", _text())).collect(_collectors().joining(_BETWEEN))
    left_out = selection.left_out(joined.split(_BETWEEN))
    if not left_out:
        return folders
    # A path that holds the character between two is not found again, and is listed.
    paths = java_class("java.util.regex.Pattern").compile(_BETWEEN).splitAsStream(_BETWEEN.join(left_out))
    is_left_out = _text_is(
        _text(), _method("java.util.Set", "contains", _PREDICATE).bindTo(paths.collect(_collectors().toSet()))
    )
    return folders.stream().collect(_collectors().partitioningBy(is_left_out))[False]


def _without_older_names(listed: Any, selection: Selection) -> Any:
    """A Java list of arrays of FileStatus, one for each folder, without the names that a selection leaves out.

    Args:
        listed: the arrays as they were listed.
        selection: what to leave out.
    """
    length = _static("java.lang.reflect.Array", "getLength", "(Ljava/lang/Object;)I")
    lengths = listed.stream().map(_as("Function", length)).toList().toString()
    large = [at for at, text in enumerate(lengths[1:-1].split(", ")) if text and int(text) > selection.large_folder]
    selected = java_class("java.util.ArrayList")(listed)
    get_name = _method("Path", "getName", "()Ljava/lang/String;")
    name = java_class("java.lang.invoke.MethodHandles").filterReturnValue(
        _method("FileStatus", "getPath", _PATH), get_name
    )
    natural = java_class("java.util.Comparator").naturalOrder()
    each = _each()
    for at in large:
        files = listed.subList(at, at + 1).stream().flatMap(each).toList()
        newest = files.stream().map(_as("Function", name)).filter(_matches(selection.name_pattern)).max(natural)
        folder = files.get(0).getPath().getParent().toString()
        older = selection.older_names(folder, newest.get()) if newest.isPresent() else ""
        if older:
            is_older = _text_is(
                name, _method("java.util.function.Predicate", "test", _PREDICATE).bindTo(_matches(older))
            )
            selected.set(at, files.stream().collect(_collectors().partitioningBy(is_older))[False].toArray())
    return selected


def _matches(pattern: str) -> Any:
    """A Predicate: the pattern matches a whole text."""
    return java_class("java.util.regex.Pattern").compile(pattern).asMatchPredicate()


def _text_is(text: Any, test: Any) -> Any:
    """A Predicate: the text that the first function gives passes a test of any object."""
    of_text = test.asType(_type("(Ljava/lang/String;)Z"))
    return _as("Predicate", java_class("java.lang.invoke.MethodHandles").filterReturnValue(text, of_text))


def _text() -> Any:
    """Path -> String."""
    return _method("java.lang.Object", "toString", "()Ljava/lang/String;").asType(_type("(Path)Ljava/lang/String;"))


def _each() -> Any:
    """A Function: array -> stream."""
    return _as("Function", _static("java.util.Arrays", "stream", "([Ljava/lang/Object;)Ljava/util/stream/Stream;"))


def _collectors() -> Any:
    return java_class("java.util.stream.Collectors")


def _row(path: Any) -> Any:
    """FileStatus -> Row."""
    handles = java_class("java.lang.invoke.MethodHandles")
    arrays = java_class("java.lang.reflect.Array")
    size, modified_at = _method("FileStatus", "getLen", "()J"), _method("FileStatus", "getModificationTime", "()J")
    fields = [handles.filterReturnValue(path, _text()), size, modified_at]
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
