"""AWS DMS files on object storage (docs/feeds/dms_format.md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors.csv_patterns import OPENED, read_patterns
from python_udfs.connectors.file_names import (
    DMS_CHANGES,
    DMS_LOAD,
    DMS_TRANSACTIONS,
    DMS_WITHOUT_ROWS,
    NAME,
    NEVER_READ,
    write_first_reason,
)
from python_udfs.connectors.lines import FILE_COLUMNS, joined, up_to
from python_udfs.connectors.protocol import FileRules

LOAD = rf"{NAME} rlike r'^{DMS_LOAD}\.'"
CHANGES = rf"{NAME} rlike r'^{DMS_CHANGES}\.'"
# Section 1.4: always csv, whatever the format of the loads.
TRANSACTIONS = rf"{NAME} rlike r'^{DMS_TRANSACTIONS}\.csv(\.gz)?$'"
IN_TABLE_FOLDER = "file_key like '%/%/%'"

_DIGITS = rf"rpad(replace(regexp_extract({NAME}, r'^(?:CDC_TXN-)?([\d-]+)\.', 1), '-'), 20, '0')"
# A timestamp pattern cannot parse fractions without a separator: put one in.
_TIME = f"try_to_timestamp(concat(left({_DIGITS}, 14), '.', right({_DIGITS}, 6)), 'yyyyMMddHHmmss.SSSSSS')"


def file_rules(feed: Mapping[str, Any]) -> FileRules:
    """The facts in the names of DMS files (docs/feeds/dms_format.md).

    Args:
        feed: `format` is that of the files in table folders; `is_multi_table`: whether transaction files are read.

    Returns:
        Spark SQL expressions over `file_key` and `size`.
    """
    of_all = write_first_reason(*DMS_WITHOUT_ROWS, *NEVER_READ)
    of_transactions = write_first_reason(
        (str(not feed["is_multi_table"]), "transaction file: the feed has no option transaction_files"),
        (f"{_TIME} is null", "the name holds no valid date and time"),
    )
    of_tables = write_first_reason(
        (f"not {IN_TABLE_FOLDER}", "not in a <schema>/<table>/ folder of the feed's location"),
        (rf"not {NAME} rlike r'\.{feed['format']}(\.gz)?$'", f"the feed reads .{feed['format']} files"),
        (f"not {LOAD} and not {CHANGES}", "the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>"),
        (f"{CHANGES} and {_TIME} is null", "the name holds no valid date and time"),
    )
    return FileRules(
        ignored_reason=f"coalesce({of_all}, case when {TRANSACTIONS} then {of_transactions} else {of_tables} end)",
        kind=f"case when {TRANSACTIONS} then 'multi_table' when {LOAD} then 'load' else 'change' end",
        file_time=_TIME,
        source_schema=_folder(1),
        source_table=_folder(2),
    )


def _folder(number: int) -> str:
    return f"case when {IN_TABLE_FOLDER} and not {TRANSACTIONS} then split_part(file_key, '/', {number}) end"


def spans_lines(feed: Mapping[str, Any]) -> str:
    """A condition in SQL: the line `value`, on which a record begins, ends inside of a quoted value (see `Connector`).

    A quote opens a value only at the beginning of a field (docs/architecture.md, Forms of text).

    Args:
        feed: `delimiter`, one character.
    """
    return _is_open_after("value", feed)


def _is_open_after(line: str, feed: Mapping[str, Any]) -> str:
    pattern = read_patterns(feed["delimiter"]).open_line
    return f"""(contains({line}, '"') and {line} rlike r'{pattern}')"""


def _marked(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """Adds begins: whether a line begins outside of a quoted value, as macro cdc_csv_lines_sql finds it.

    A line ends the same way however it begins (a fixed end), or as it began, or the other way (a turn). A line begins
    as the last fixed end before it left it, turned as often as there were turns since.
    """
    stays = "not contains(value, '\"') or " + _is_open_after("concat('\"', value)", feed)
    is_fixed, is_turn = F.col("opens") == F.col("stays"), (F.col("opens") & ~F.col("stays")).cast("int")
    end = F.when(is_fixed, F.col("turns") + F.col("opens").cast("int"))
    since = F.last_value(end, ignoreNulls=True).over(up_to(-1))
    return (
        lines.withColumn("opens", F.expr(_is_open_after("value", feed)))
        .withColumn("stays", F.expr(stays))
        .withColumn("turns", F.sum(is_turn).over(up_to(0)))
        .withColumn("begins", (F.col("turns") - is_turn + F.coalesce(since, F.lit(0))) % 2 == 0)
        .drop("opens", "stays", "turns")
    )


def read_rows(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """The records of transaction files, by source table (docs/feeds/dms_format.md, Transaction files).

    A record begins with operation, table and schema, and spans lines inside of a quoted value. One that
    does not begin so belongs to no table: both names are NULL.

    Args:
        lines: a row per line: `FILE_COLUMNS`, file_row (bigint, from 0) and value (string).
        feed: `delimiter`, one character, and `to_join` (see `joined`).

    Returns:
        `FILE_COLUMNS`, file_row (of the record's first line), source_schema, source_table and content (the record).
    """
    # Three fields of many: the names are cut out of this short text.
    begin = F.substring_index("content", feed["delimiter"], 3)
    return (
        joined(lines, lambda part: _marked(part, feed), feed)
        .withColumn("begin", begin)
        .select(
            *FILE_COLUMNS,
            "file_row",
            _name(3, feed).alias("source_schema"),
            _name(2, feed).alias("source_table"),
            "content",
        )
    )


def _name(position: int, feed: Mapping[str, Any]) -> Column:
    """The text of the second or third field of the record; NULL if the record does not begin with three fields."""
    delimiter = read_patterns(feed["delimiter"]).between
    field = f'({OPENED}"|[^"{delimiter}\\n]*+)'
    pattern = f"^{field}{delimiter}{field}{delimiter}{field}(?:{delimiter}|$)"
    text = F.regexp_extract("content", pattern, position)
    unquoted = F.when(
        text.startswith('"'), F.replace(F.substr(text, F.lit(2), F.length(text) - 2), F.lit('""'), F.lit('"'))
    ).otherwise(text)
    # Names are seldom quoted, and the pattern costs more than the rest of the split.
    two = F.substring_index("begin", feed["delimiter"], 2)
    has_three = F.octet_length(two) < F.octet_length("begin")
    plain = F.substring_index("begin" if position == 3 else two, feed["delimiter"], -1)
    return F.nullif(F.when(F.contains("begin", F.lit('"')), unquoted).when(has_three, plain), F.lit(""))
