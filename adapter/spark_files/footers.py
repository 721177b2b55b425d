"""Reads the columns of Parquet files from their footers, without a Spark job."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, MapType, NullType, StringType, StructField, StructType

from spark_files.capabilities import is_utf8_sql, list_untyped_columns
from spark_files.errors import is_file_fault, is_missing_file, is_spark_error, spark_message
from spark_files.file_columns import NESTED
from spark_files.internals import (
    hadoop_configuration,
    java_class,
    parquet_columns,
    parquet_footer,
    plain_column,
    schema_converter,
    schema_of_columns,
    schema_of_footer,
)
from spark_files.names import quoted

# A footer is two small reads, most of it waiting where files are far away; for a few files threads are no gain.
FOOTER_THREADS = 16
FEW_FILES = 8
_EPOCH = "timestamp_ntz'1970-01-01 00:00:00'"


def _time(micros: str) -> str:
    return f"substr(cast({_EPOCH} + make_dt_interval(0, 0, 0, ({micros}) / 1e6BD) as string), 12)"


def _nanos(epoch: str, start: int = 1) -> str:
    """Text of nanoseconds, with as many digits of the second as it has."""
    moment = f"({epoch} + make_dt_interval(0, 0, 0, (({{c}} - pmod({{c}}, 1000)) div 1000) / 1e6BD))"
    digits = f"concat(date_format({moment}, 'yyyy-MM-dd HH:mm:ss.SSSSSS'), lpad(pmod({{c}}, 1000), 3, '0'))"
    return f"substr(if(pmod({{c}}, 1000) = 0, cast({moment} as string), rtrim('0', {digits})), {start})"


# Parquet's types that Spark has no type for, and SQL that turns the plain value {c} into text, exactly.
AS_TEXT = {
    "TIME(MILLIS": _time("{c} * 1000L"),
    "TIME(MICROS": _time("{c}"),
    "TIME(NANOS": _nanos(_EPOCH, start=12),
    "TIMESTAMP(NANOS,true": _nanos("timestamp_seconds(0)"),
    "TIMESTAMP(NANOS,false": _nanos(_EPOCH),
    "UUID": "lower(regexp_replace(hex({c}), '^(.{{8}})(.{{4}})(.{{4}})(.{{4}})(.{{12}})$', '$1-$2-$3-$4-$5'))",
}
# A column that has no value in a file, of a writer that knows no type for it: the file does not state one.
NO_TYPE = "NULL", "UNKNOWN"
VOID = "cast(null as void)"
# Text that is the same for a value, whatever the other files have: no field is left out, times keep all digits.
_JSON = (
    "to_json({c}, map('ignoreNullFields', 'false', 'timeZone', 'UTC', 'timestampFormat',"
    " 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSSXXX', 'timestampNTZFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS'))"
)
_HAS_SUCH = re.compile(r"\((?:TIME\(|TIMESTAMP\(NANOS|UUID|NULL|UNKNOWN)")


@dataclass
class Footer:
    """Columns that a set of files has in common.

    Attributes:
        paths: the files.
        schema: their columns, as read_files shows them; None if no footer can be read, or Spark has no such type.
        plain: columns that are shown as text, or as void, and stored as another type, and SQL that makes that of `{c}`.
        problem: what is wrong with a footer that can be read.
    """

    paths: list[str]
    schema: StructType | None = None
    plain: dict[str, tuple[StructField, str]] = field(default_factory=dict)
    problem: str | None = None

    def stored(self, schema: StructType) -> StructType:
        """A schema to read these files with: the columns of `plain` as they are stored."""
        types = {name.lower(): stored.dataType for name, (stored, _) in self.plain.items()}
        fields = schema.fields
        return StructType(
            [StructField(field.name, types.get(field.name.lower(), field.dataType), True) for field in fields]
        )

    def shown(self, frame: DataFrame) -> DataFrame:
        """Returns the frame that was read with `stored`, with the columns of `plain` as they are shown."""
        names = {name.lower(): name for name in frame.columns}
        for name, (_, text) in self.plain.items():
            # Another file may write the name another way, and the frame follows it.
            frame = frame.withColumn(names[name.lower()], F.expr(text.format(c=quoted(name))))
        return frame


def group_by_footer(session: SparkSession, paths: list[str], is_json: bool = False) -> list[Footer]:
    """Parquet files by the columns in their footers; those whose footer cannot be read are one set without columns.

    Args:
        session: the session to read with.
        paths: the files.
        is_json: whether arrays, maps and structs are shown as JSON.
    """
    configuration = hadoop_configuration(session)
    hadoop_path = java_class("org.apache.hadoop.fs.Path")

    def read(path: str) -> tuple[str, Any]:
        try:
            text, metadata = parquet_footer(hadoop_path(path), configuration)
            return text + "".join(f"(UNKNOWN){name}" for name in sorted(list_untyped_columns(metadata))), metadata
        except Exception as error:
            # Spark reads it again, and finds the words.
            if not (is_file_fault(error) or is_missing_file(error)):
                raise
            return "", None

    if len(paths) <= FEW_FILES:
        footers = [read(path) for path in paths]
    else:
        with ThreadPoolExecutor(FOOTER_THREADS) as threads:
            footers = list(threads.map(read, paths))
    groups: dict[str, tuple[Any, list[str]]] = {}
    for path, (text, metadata) in zip(paths, footers, strict=True):
        groups.setdefault(text, (metadata, []))[1].append(path)
    converter = schema_converter(session)
    return [_footer(text, metadata, files, converter, is_json) for text, (metadata, files) in groups.items()]


def _footer(text: str, metadata: Any, paths: list[str], converter: Any, is_json: bool) -> Footer:
    if metadata is None:
        return Footer(paths)
    texts: dict[str, str] = {}
    try:
        if _HAS_SUCH.search(text):
            plain, texts = _plain(parquet_columns(metadata), list_untyped_columns(metadata))
            stored = schema_of_columns(plain, converter)
        else:
            stored = schema_of_footer(metadata, converter)
    except Exception as error:
        if not is_spark_error(error):
            raise
        problem = _problem(parquet_columns(metadata), converter)
        return Footer(paths, problem=problem or " ".join(spark_message(error).split()))
    if is_json:
        texts.update(
            (field.name, _json(field.dataType)) for field in stored.fields if isinstance(field.dataType, NESTED)
        )
    shown = [
        StructField(field.name, NullType() if texts[field.name] == VOID else StringType(), True)
        if field.name in texts
        else field
        for field in stored.fields
    ]
    return Footer(
        paths,
        StructType(shown),
        {field.name: (field, texts[field.name]) for field in stored.fields if field.name in texts},
    )


def _json(nested: DataType) -> str:
    """SQL that makes JSON of `{c}`. Spark writes another character for bytes that are no UTF-8: they mark the text."""
    is_valid = _is_valid(nested, "{c}")
    return f"if({is_valid}, {_JSON}, cast(x'ff' as string) || {_JSON})" if is_valid else _JSON


def _is_valid(data_type: DataType, value: str, depth: int = 0) -> str:
    """A condition in SQL: each text inside of a value is UTF-8; empty for a type that holds no text."""
    if isinstance(data_type, StringType):
        return f"coalesce({is_utf8_sql(value)}, true)"
    if isinstance(data_type, StructType):
        parts = [_is_valid(field.dataType, f"{value}.{_literal(quoted(field.name))}", depth) for field in data_type]
        return " and ".join(filter(None, parts))
    if isinstance(data_type, MapType):
        keys = _is_valid(ArrayType(data_type.keyType), f"map_keys({value})", depth)
        values = _is_valid(ArrayType(data_type.valueType), f"map_values({value})", depth)
        return " and ".join(filter(None, (keys, values)))
    if isinstance(data_type, ArrayType):
        inner = _is_valid(data_type.elementType, f"e{depth}", depth + 1)
        return f"coalesce(forall({value}, e{depth} -> {inner}), true)" if inner else ""
    return ""


def _literal(name: str) -> str:
    """A name inside of a text that is formatted."""
    return name.replace("{", "{{").replace("}", "}}")


def _plain(columns: list[Any], untyped: set[str]) -> tuple[list[Any], dict[str, str]]:
    """Columns with the types of `AS_TEXT`, or without a type, as plain ones, and the SQL that is shown of each."""
    texts: dict[str, str] = {}
    plain = []
    for column in columns:
        annotation = str(column.getLogicalTypeAnnotation())
        text = next((text for begin, text in AS_TEXT.items() if annotation.startswith(begin)), None)
        if annotation in NO_TYPE or (annotation == "None" and column.getName() in untyped):
            text = VOID
        if text is None or not column.isPrimitive():
            plain.append(column)
            continue
        texts[column.getName()] = text
        plain.append(plain_column(column))
    return plain, texts


def _problem(columns: list[Any], converter: Any) -> str | None:
    """The first column that Spark has no type for."""
    for column in columns:
        try:
            schema_of_columns([column], converter)
        except Exception as error:
            if not is_spark_error(error):
                raise
            return f"column {column.getName()!r}: {' '.join(spark_message(error).split())}"
    return None
