"""Exactly these files as a temporary view: with file name and row number, and without the files that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial, reduce
from typing import Any, TypeVar

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import NullType, StructField, StructType
from pyspark.sql.window import Window

from spark_files.cached import cached
from spark_files.capabilities import metadata_column
from spark_files.charsets import UTF8, decode_text, remove_mark
from spark_files.errors import (
    UNVERIFIED,
    is_file_fault,
    is_missing_codec,
    is_missing_file,
    root_cause,
    spark_message,
)
from spark_files.file_columns import NESTED as NESTED_TYPES
from spark_files.file_columns import differ_by_case, find_fields_alike, identity, separate_columns
from spark_files.footers import Footer, group_by_footer
from spark_files.internals import planned_in_its_own_session
from spark_files.list_files import file_system
from spark_files.names import quoted
from spark_files.widening import as_stored, merge_schemas

ADDED_COLUMNS = ("_file_path", "_file_modified_at", "_file_row", "_file_schema")
VERIFY = ("schema", "full")
TYPES = ("merged", "separate")
NESTED = ("keep", "json")
Result = TypeVar("Result")
# Characters that Hadoop takes as parts of a pattern unless a backslash precedes them.
_PATTERN = re.compile(r"[{}\[\]*?\\]")
# Paths that look the same in a URI.
_IN_ANY_URI = re.compile(r"[\w/.:=~@,-]+", re.ASCII)
# Java reads this where bytes are no character.
_NO_CHARACTER = "\ufffd"
# monotonically_increasing_id counts in the lower bits; the number of the task is above.
_TASK_BITS = 33
_INT_MAX = 2**31 - 1
# Of a file without a key column, a reason names so many columns.
_SHOWN_NAMES = 20


class OptionError(ValueError):
    """An option of read_files that it does not know."""


class FileProblem(Exception):
    """A fault of a file, found by us and not by Spark."""


def read_files(
    session: SparkSession, view: str, format: str, paths: list[str], options: dict[str, Any]
) -> dict[str, list[Any]]:
    """Register a temporary view over exactly the files given.

    Args:
        session: session the view is registered in.
        view: name of the view.
        format: a file format of Spark, such as `parquet`, `text`, `csv` or `json`.
        paths: files, written as the `path` column of Spark's `binaryFile` source writes them. Never taken as patterns.
        options: options of Spark's reader, and eight more. `verify`: `schema` (default) reads only what Spark needs to
            know the columns (parquet: every footer), `full` decodes every file once before the view is made; other
            formats than parquet are always decoded, to count their rows, unless `one_task` is true: then each file is
            read by one task, which numbers its rows, and nothing is read before; for a few files of one block each.
            `find`: a condition in SQL, not for parquet; the answer names the files in which it is true of a row, and
            with `one_task` reading such a row fails (`is_unverified`). `nested`: `keep` (default), or `json`: arrays,
            maps and structs of parquet files are shown as text, so that files with other fields in them fit each other.
            `types`: `merged` (default) gives a column the type that holds those of all files, `separate` (parquet only)
            makes a column of the view for each name and type. `charset`: the encoding of `text` files by Java's name
            (default UTF-8, whose lines are not looked at): a line that has no text in it begins with a byte that no
            UTF-8 has. `exact`: names of columns that are not the same in
            another case, for separate types. `key` (parquet only): the key columns, each a list of the names, in lower
            case, that it may have; a file that lacks one, or states no type for it, is rejected.

    Returns:
        `columns`: name and Spark SQL type of the files' columns, in order; the view has `_file_path` (string, equal to
        the path given), `_file_modified_at` (timestamp), `_file_row` (bigint from 0, position in the file) and
        `_file_schema` (int) as well.
        `schemas`: what single files have: at position `_file_schema`, name and type of the columns of such a file.
        Formats other than parquet do not tell files apart. With separate types the order is that of `paths`, and each
        column has `column`, its name in the view, as well: NULL in the rows of files that do not have it.
        `rejected`: path and one-line reason of each file that is left out because it cannot be read.
        `found`: paths of the files in which `find` is true of a row.
        If no file is readable there is no view, and `columns` and `schemas` are empty.

    Raises:
        OptionError: an option of this function is wrong.
        Exception: Spark's own error if the fault is not known to be the file's (permission, disk, network, memory).
    """
    verify = str(options.get("verify", "schema"))
    if verify not in VERIFY:
        raise OptionError(f"read_files: option verify is {verify!r}; expected one of {', '.join(VERIFY)}.")
    types = str(options.get("types", "merged"))
    if types not in (TYPES if format == "parquet" else TYPES[:1]):
        raise OptionError(f"read_files: option types is {types!r} for {format}; expected {' or '.join(TYPES)}.")
    nested = str(options.get("nested", "keep"))
    if nested not in NESTED:
        raise OptionError(f"read_files: option nested is {nested!r}; expected one of {', '.join(NESTED)}.")
    find = str(options.get("find", "false"))
    exact = tuple(options.get("exact", ()))
    one_task = bool(options.get("one_task", False)) and verify == "schema"
    charset = str(options.get("charset", UTF8))
    key = list(options.get("key", ()))
    own_options = ("verify", "find", "nested", "types", "exact", "one_task", "charset", "key")
    reader_options = {key: value for key, value in options.items() if key not in own_options}
    exact_session = cache(partial(_with_exact_names, session))

    def load(files: list[str], schema: StructType | None = None) -> DataFrame:
        is_exact = schema is not None and differ_by_case(schema)
        reader = (exact_session() if is_exact else session).read.format(format)
        if format == "parquet":
            reader = reader.option("mergeSchema", "true")
        if schema is not None:
            reader = reader.schema(schema)
        if charset != UTF8:
            # Of lines Spark decodes nothing: it looks for the bytes that lineSep has in it.
            reader = reader.option("encoding", charset)
        reader = reader.options(**{"ignoreCorruptFiles": "false", "ignoreMissingFiles": "false", **reader_options})
        # Spark's switch for patterns (__globPaths__) is no way out: it reads the other files several times.
        frame = reader.load([_PATTERN.sub(r"\\\g<0>", path) for path in files])
        return frame if charset == UTF8 else decode_text(frame, charset)

    def checked(files: list[str], footer: Footer) -> StructType:
        _check_names(files)
        if footer.problem:
            raise FileProblem(footer.problem)
        if format == "parquet" and footer.schema is None:
            _check_no_folder(session, files)
        schema = load(files).schema if footer.schema is None else footer.schema
        _check_columns(schema, ADDED_COLUMNS if types == "merged" else (), exact)
        _check_key(schema, key)
        stored = footer.stored(schema)
        if any(isinstance(field.dataType, NESTED_TYPES) for field in stored):
            _check_fields(stored)
            # Spark decides when it plans a read which fields of a struct it takes; one file stands for all.
            footer.shown(load(files[:1], stored))
        return schema

    unique = list(dict.fromkeys(paths))
    sift = partial(_sift, session)
    groups: list[tuple[StructType, list[str]]] = []
    rejected: list[dict[str, str]] = []
    files: list[str] = []

    def opened(
        stored: StructType, accepted: list[str], names: list[str] | None = None
    ) -> list[tuple[DataFrame, list[str]]]:
        if format != "parquet" and one_task:
            return [(_numbered_by_one_task(load(accepted, stored), accepted, find), accepted)]
        if format != "parquet":
            counted, broken = sift(accepted, lambda group: _with_counted_rows(load(group, stored), group, find))
            rejected.extend(broken)
            files.extend(path for (_, paths), _ in counted for path in paths)
            return [(frame, group) for (frame, _), group in counted]
        read = []
        for group in _group_by(accepted, lambda path: str(footers[path].plain)):
            footer, readable = footers[group[0]], group
            load_plain = partial(load, schema=footer.stored(stored))
            if verify == "full":
                decoded, broken = sift(group, partial(_decode, load_plain))
                rejected.extend(broken)
                readable = [path for _, paths in decoded for path in paths]
            for alike in _group_by(readable, lambda path: own[path].json()):
                read.append((_with_row_index(footer.shown(load_plain(alike)), alike, names), alike))
        return read

    footers: dict[str, Footer] = {}
    for footer in group_by_footer(session, unique, nested == "json") if format == "parquet" else [Footer(unique)]:
        footers.update(dict.fromkeys(footer.paths, footer))
        # Files of one footer have one schema; if no footer could be read Spark finds the reason.
        passed, failed = sift(footer.paths, partial(checked, footer=footer))
        groups += passed
        rejected += failed
    own = {path: stored for stored, group in groups for path in group}
    columns: list[dict[str, str]] = []
    frames: list[DataFrame] = []
    schemas: dict[str, list[dict[str, str]]] = {}

    def numbered(frame: DataFrame, stored: StructType, described: list[dict[str, str]]) -> DataFrame:
        schemas.setdefault(stored.json(), described)
        return frame.withColumn("_file_schema", F.lit(list(schemas).index(stored.json())))

    if types == "separate":
        every_column, of_groups = separate_columns(_by_schema(groups), ADDED_COLUMNS, exact)
        for (stored, accepted), its_columns in zip(_by_schema(groups), of_groups, strict=True):
            if isinstance(its_columns, str):
                rejected += [{"path": path, "reason": its_columns} for path in accepted]
                continue
            names = [column.column for column in its_columns]
            to_read = StructType(
                [
                    StructField(field.name, as_stored(its.data_type, field.dataType))
                    for field, its in zip(stored, its_columns, strict=True)
                ]
            )
            shown = StructType([StructField(its.column, its.data_type) for its in its_columns])
            described = [{**column, "column": name} for column, name in zip(_described(stored), names, strict=True)]
            for frame, _ in opened(to_read, accepted, names):
                frames.append(numbered(_in_session(session, _cast(frame, shown)), stored, described))
        seen = {column["column"] for schema in schemas.values() for column in schema}
        columns = [
            {"name": column.name, "type": column.data_type.simpleString(), "column": column.column}
            for column in every_column
            if column.column in seen
        ]
    else:
        merged, reads, conflicts = merge_schemas(groups)
        rejected += conflicts
        for stored, accepted in reads:
            for frame, group in opened(stored, accepted):
                lines = frame if charset == UTF8 else remove_mark(frame)
                with_number = numbered(lines, own[group[0]], _described(own[group[0]]))
                frames.append(_cast(with_number, merged) if merged is not None else with_number)
        columns = _described(merged) if merged is not None and frames else []
    if not frames:
        return {"columns": [], "schemas": [], "rejected": _in_order(rejected, paths), "found": []}
    union = partial(DataFrame.unionByName, allowMissingColumns=types == "separate")
    reduce(union, frames).createOrReplaceTempView(quoted(view))
    return {
        "columns": columns,
        "schemas": list(schemas.values()),
        "rejected": _in_order(rejected, paths),
        "found": files,
    }


def _by_schema(groups: list[tuple[StructType, list[str]]]) -> list[tuple[StructType, list[str]]]:
    """Files by schema, in the order of the groups: footers may differ in more than that."""
    by_schema: dict[str, tuple[StructType, list[str]]] = {}
    for stored, group in groups:
        by_schema.setdefault(stored.json(), (stored, []))[1].extend(group)
    return list(by_schema.values())


def _with_exact_names(session: SparkSession) -> SparkSession:
    """A session for files with columns that differ only by case: the one that a relation is made in decides."""
    exact = session.newSession()
    exact.conf.set("spark.sql.caseSensitive", "true")
    return exact


def _in_session(session: SparkSession, frame: DataFrame) -> DataFrame:
    """The frame as one of this session."""
    return frame if frame.sparkSession is session else planned_in_its_own_session(session, frame)


def _described(schema: StructType) -> list[dict[str, str]]:
    return [{"name": column.name, "type": column.dataType.simpleString()} for column in schema.fields]


def _group_by(paths: list[str], key: Callable[[str], str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(key(path), []).append(path)
    return list(groups.values())


def _sift(
    session: SparkSession, paths: list[str], check: Callable[[list[str]], Result]
) -> tuple[list[tuple[Result, list[str]]], list[dict[str, str]]]:
    """Split files into sets that pass the check together, and files that fail it alone.

    A set that fails is halved, so a few bad files among many cost a few checks.
    """
    if not paths:
        return [], []
    try:
        return [(check(paths), paths)], []
    except Exception as error:
        if not _is_fault_of(session, paths, error):
            raise
        if len(paths) == 1:
            return [], [{"path": paths[0], "reason": _reason(error)}]
    middle = len(paths) // 2
    left, left_rejected = _sift(session, paths[:middle], check)
    right, right_rejected = _sift(session, paths[middle:], check)
    return left + right, left_rejected + right_rejected


def _is_fault_of(session: SparkSession, paths: list[str], error: Exception) -> bool:
    if isinstance(error, FileProblem):
        return True
    if not is_missing_file(error):
        return is_file_fault(error)
    # Java says "not found" of a file that it may not open, or has no handle for, as well.
    return len(paths) > 1 or not _exists(session, paths[0])


def _exists(session: SparkSession, path: str) -> bool:
    system, location = file_system(session, path)
    return bool(system.exists(location))


def _reason(error: Exception) -> str:
    if isinstance(error, FileProblem):
        return str(error)
    if is_missing_file(error):
        return "no longer there"
    if is_missing_codec(error):
        return f"is compressed by a codec that Spark does not have here: {root_cause(error)}"
    message = spark_message(error)
    # Spark only says that it failed to read the file; the library below knows why.
    return " ".join((root_cause(error) if message.startswith("[FAILED_READ_FILE") else message).split())


def _is_hidden(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return name.startswith((".", "_")) or name.endswith("._COPYING_")


def _check_names(paths: list[str]) -> None:
    for path in filter(_is_hidden, paths):
        name = path.rsplit("/", 1)[-1]
        raise FileProblem(f"Spark leaves out hidden files; {name!r} starts with '.' or '_' or ends with '._COPYING_'")


def _check_columns(schema: StructType, taken: tuple[str, ...], exact: tuple[str, ...]) -> None:
    seen: dict[str, str] = {}
    for name in schema.names:
        lower = identity(name, exact)
        if not name:
            raise FileProblem("a column has no name")
        if _NO_CHARACTER in name:
            raise FileProblem(f"the name of column {name!r} is no text in UTF-8")
        if lower in taken:
            raise FileProblem(f"column {name!r} has the name of a column that read_files adds")
        if lower in seen:
            raise FileProblem(f"columns {seen[lower]!r} and {name!r} differ only by case")
        seen[lower] = name


def _check_fields(schema: StructType) -> None:
    for field in schema:
        alike = find_fields_alike(field.dataType)
        if alike:
            raise FileProblem(
                f"column {field.name!r} has fields {alike[0]!r} and {alike[1]!r}, which are one name in lower case"
            )


def _check_key(schema: StructType, key: list[list[str]]) -> None:
    types = {field.name.lower(): field.dataType for field in schema}
    for names in key:
        has = [types[name] for name in names if name in types]
        if not has:
            shown = ", ".join(map(repr, schema.names[:_SHOWN_NAMES])) or "none"
            more = f" and {len(schema.names) - _SHOWN_NAMES} more" if len(schema.names) > _SHOWN_NAMES else ""
            raise FileProblem(f"has no key column {names[0]!r}; its columns are {shown}{more}")
        if all(isinstance(data_type, NullType) for data_type in has):
            raise FileProblem(f"states no type for key column {names[0]!r}, and has no value in it")


def _check_no_folder(session: SparkSession, paths: list[str]) -> None:
    """Spark reads a folder in place of a file, with rows of files that nobody named."""
    for path in paths:
        system, location = file_system(session, path)
        if system.exists(location) and system.getFileStatus(location).isDirectory():
            raise FileProblem("is a folder")


def _decode(load: Callable[[list[str]], DataFrame], paths: list[str]) -> None:
    load(paths).write.format("noop").mode("overwrite").save()


def _cast(frame: DataFrame, schema: StructType) -> DataFrame:
    """The frame with the types of the schema; a column that has its type already is left alone."""
    for column in schema.fields:
        if frame.schema[column.name].dataType != column.dataType:
            frame = frame.withColumn(column.name, F.col(quoted(column.name)).cast(column.dataType))
    return frame


def _with_row_index(frame: DataFrame, paths: list[str], names: list[str] | None = None) -> DataFrame:
    """The frame, under these names, with the columns of its parquet files, which know the numbers of their rows."""
    # By position: names that differ only by case are ambiguous to the session that resolves them.
    frame = frame if names is None else frame.toDF(*names)
    metadata = metadata_column(frame)
    return frame.select(
        "*",
        _plain_path(metadata["file_path"], paths).alias("_file_path"),
        metadata["file_modification_time"].alias("_file_modified_at"),
        metadata["row_index"].alias("_file_row"),
    )


def _with_counted_rows(frame: DataFrame, paths: list[str], find: str) -> tuple[DataFrame, list[str]]:
    """The frame with the columns of its files, each of which is decoded once to count its rows; the files found.

    Spark may cut a file into blocks and read them anywhere. Within a block rows have consecutive numbers, so that where
    each block begins is all there is to know: nothing is sorted.
    """
    session = frame.sparkSession
    minimum = "spark.sql.files.minPartitionNum"
    # Blocks and tasks must be the same each time, also on a cluster that grows meanwhile.
    session.conf.set(minimum, session.conf.get(minimum, None) or str(session.sparkContext.defaultParallelism))
    metadata = metadata_column(frame)
    block = ["_file_uri", "_file_block"]
    rows = frame.select(
        "*",
        metadata["file_path"].alias("_file_uri"),
        metadata["file_block_start"].alias("_file_block"),
        metadata["file_modification_time"].alias("_file_modified_at"),
        F.monotonically_increasing_id().alias("_file_order"),
    )
    # The hash has every column decoded.
    counted = rows.groupBy(*block).agg(
        F.min("_file_order").alias("first"),
        F.count(F.lit(1)).alias("rows"),
        F.bool_or(F.expr(find)).alias("found"),
        F.bit_xor(F.xxhash64(*map(quoted, frame.columns))),
    )
    earlier = Window.partitionBy("_file_uri").orderBy("_file_block").rowsBetween(Window.unboundedPreceding, -1)
    counted_blocks = counted.select(
        *block,
        _plain_path(F.col("_file_uri"), paths).alias("_file_path"),
        F.shiftright("first", _TASK_BITS).alias("_file_task"),
        (F.coalesce(F.sum("rows").over(earlier), F.lit(0)) - F.col("first")).alias("_file_shift"),
        "found",
    )
    blocks = cached(counted_blocks)
    matched = [row._file_path for row in blocks.where("found").select("_file_path").distinct().collect()]
    is_same_task = F.shiftright("_file_order", _TASK_BITS) == F.col("_file_task")
    moved = F.concat(F.lit("Spark cut this file another way than when its rows were counted: "), "_file_uri")
    numbered = rows.join(F.broadcast(blocks.drop("found")), on=block, how="left").select(
        *map(quoted, frame.columns),
        "_file_path",
        "_file_modified_at",
        F.when(is_same_task, F.col("_file_order") + F.col("_file_shift"))
        .otherwise(F.raise_error(moved))
        .cast("bigint")
        .alias("_file_row"),
    )
    return numbered, matched


def _numbered_by_one_task(frame: DataFrame, paths: list[str], find: str) -> DataFrame:
    """The frame with the columns of its files, each of which one task reads from its first row to its last.

    The rows are read once, so faults are found while they are read: a file that is cut into blocks, or has a row that
    is looked for, fails.
    """
    conf = frame.sparkSession.conf
    # A task takes no second file where to open one counts as much as a task may read.
    conf.set("spark.sql.files.openCostInBytes", str(conf.get("spark.sql.files.maxPartitionBytes")))
    conf.set("spark.sql.files.maxPartitionNum", str(_INT_MAX))
    metadata = metadata_column(frame)
    names = frame.columns
    rows = frame.select(
        "*",
        F.coalesce(F.expr(find), F.lit(False)).alias("_file_found"),
        metadata["file_path"].alias("_file_uri"),
        metadata["file_block_start"].alias("_file_block"),
        metadata["file_modification_time"].alias("_file_modified_at"),
        F.monotonically_increasing_id().bitwiseAND((1 << _TASK_BITS) - 1).alias("_file_order"),
    )
    is_unverified = F.raise_error(F.concat(F.lit(f"{UNVERIFIED}: "), "_file_uri"))
    return rows.select(
        *(F.when(~F.col("_file_found"), F.col(quoted(name))).otherwise(is_unverified).alias(name) for name in names),
        _plain_path(F.col("_file_uri"), paths).alias("_file_path"),
        "_file_modified_at",
        F.when(F.col("_file_block") == 0, F.col("_file_order"))
        .otherwise(is_unverified.cast("bigint"))
        .alias("_file_row"),
    )


def _plain_path(uri: Column, paths: list[str]) -> Column:
    """The path of the metadata column's URI (file:/a%20b), as binaryFile writes it (file:/a b)."""
    plain = uri
    # To decode a row's path costs as much as to read the row.
    if not all(map(_IN_ANY_URI.fullmatch, paths)):
        plain = F.when(uri.contains("%"), F.url_decode(F.replace(uri, F.lit("+"), F.lit("%2B")))).otherwise(uri)
    # Known not to be null, a join does not ask for it twice.
    return F.coalesce(plain, F.lit(""))


def _in_order(rejected: list[dict[str, str]], paths: list[str]) -> list[dict[str, str]]:
    position = {path: index for index, path in enumerate(paths)}
    return sorted(rejected, key=lambda item: position[item["path"]])
