"""All files below a folder as a DataFrame: hidden and empty ones too, on any file system that Hadoop knows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession

from spark_files.errors import is_missing_file
from spark_files.internals import (
    compile_java,
    frame_of_java_rows,
    hadoop_configuration,
    java_class,
    java_gateway_in_use,
    read_name_encoding,
    read_numbers,
)

COLUMNS = "path string, size bigint, modified_at bigint"
# Somebody may remove a folder between the listing of its parent and its own.
ATTEMPTS = 3
_BETWEEN = "\x01"  # paths in one text
# Java, because calls from Python for each file take longer than the listing (`python -m benchmarks --only objects`).
_SOURCE = Path(__file__).with_name("ListFiles.java")


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
    path = java_class("org.apache.hadoop.fs.Path")(location)
    return path.getFileSystem(hadoop_configuration(session)), path


@cache
def _compiled(_gateway: Any) -> Any:
    """The object whose methods are those of ListFiles.java, compiled once for each Java."""
    return compile_java(_SOURCE.stem, _SOURCE.read_text())


def _rows(system: Any, root: Any, selection: Selection | None) -> Any:
    """A Java list of Spark's rows, one for each file, with the columns of `COLUMNS`."""
    java = _compiled(java_gateway_in_use())
    rows = java_class("java.util.ArrayList")()
    folders = java_class("java.util.Map").of(root.toString(), root)
    while not folders.isEmpty():
        listed = java.list(system, folders)
        if selection is not None:
            _leave_out_older_names(java, listed, selection)
        folders = java.split(listed, rows)
        if selection is not None and not folders.isEmpty():
            paths = java_class("java.lang.String").join(_BETWEEN, folders.keySet())
            # A path that holds the character between two is not found again, and is listed.
            java.removeFolders(folders, _BETWEEN.join(selection.left_out(paths.split(_BETWEEN))), _BETWEEN)
    return rows


def _leave_out_older_names(java: Any, listed: Any, selection: Selection) -> None:
    """Take the names that a selection leaves out from a Java list of the entries of folders."""
    for position in sorted(read_numbers(java.findLarge(listed, selection.large_folder))):
        entries = listed.get(position)
        newest = java.findNewest(entries, selection.name_pattern)
        folder = entries[0].getPath().getParent().toString()
        older = selection.older_names(folder, newest) if newest is not None else ""
        if older:
            listed.set(position, java.withoutNames(entries, older))
