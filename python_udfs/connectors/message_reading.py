"""Shared by the connectors of JSON messages: cutting, parsing, decoding by column, order by the sink's offset.

Expressions only; nothing here is about one connector.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors.file_names import SINK_FILE
from python_udfs.connectors.lines import FILE_COLUMNS, joined
from spark_files.capabilities import is_utf8, try_cast

RESULT_COLUMNS = [
    *FILE_COLUMNS,
    "file_row",
    "content",
    "source_schema",
    "source_table",
    "set_aside",
    "kind",
    "operation",
    "committed_at",
    "position",
    "image",
    "before",
    "unavailable",
    "malformed",
]
VALUES = "map<string,string>"
TWICE = "a column twice, expected each once"
NAMELESS = "a column without a name"

# Strings are skipped and loops are possessive: Java's matcher would recurse once per character of a long one.
_STRING = r'"(?:[^"\\]++|\\.)*+"'
_FRACTION = r"[:,\[]\s*+-?[0-9]++[.eE]"
_NUMBER = rf'\G((?:[^"0-9-]++|{_STRING}|-?[0-9]++(?![.eE]))*+)(-?[0-9]++[.eE][0-9.eE+-]*+)'
_TWO_MESSAGES = rf'^(?:[^"}}]++|{_STRING}|\}}(?!\s*+\{{))*+\}}\s*+\{{'
# Spark's variant keeps 38 digits, and makes a double of a number that has more.
_MAYBE_LONG = "[0-9.]{39}"
_LONG = rf'\A(?:[^"0-9]++|{_STRING}|(?:0\.)?+(?:[0-9]\.?+){{1,38}}+(?![0-9]))*+[0-9]'
# It makes a double of each number with an exponent: 17 digits.
_LONG_WITH_EXPONENT = r"[0-9.]{19}[eE][+-]?[0-9]"
# Two characters that Unicode reserves for use inside programs: no text has them.
_MARK = "\ufdd0\ufdd1"
_MARKED = rf'"?{_MARK}([0-9.eE+-]++)"?'
_NO_TEXT = "no text in UTF-8, in base64: "
# An escaped half of a surrogate pair without the other one, as no text in UTF-8 has: Java writes ? for it.
_MAYBE_HALF = r"\\u[dD][89a-fA-F]"
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = rf"\A(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|{_PAIR})*+{_MAYBE_HALF}"
MOST_LEVELS = 200
_MAYBE_DEEP = rf"\A[^{{\[]*+(?:[{{\[][^{{\[]*+){{{MOST_LEVELS + 1}}}+"
_LAST_MICROSECOND = 253_402_300_800_000_000 - 1  # of the year 9999


def text_or_base64(value: Column) -> Column:
    """A line or message; one whose bytes are no text is a sentence with them in base64, which no source format takes.

    Args:
        value: string, whatever its bytes are.
    """
    encoded = F.regexp_replace(F.base64(value.cast("binary")), r"\s", "")
    return F.when(is_utf8(value), value).otherwise(F.concat(F.lit(_NO_TEXT), encoded))


def in_steps(frame: DataFrame, steps: Iterable[dict[str, Column]]) -> DataFrame:
    """Adds columns. Spark analyses the whole plan at each step: a step has all columns that need none of the others.

    Args:
        frame: any columns.
        steps: the columns to add, by name; a step may read those of the steps before it.
    """
    for columns in steps:
        frame = frame.withColumns(columns)
    return frame


def one_per_line(lines: DataFrame) -> DataFrame:
    """Each line is a message.

    Args:
        lines: a row per line: `FILE_COLUMNS`, file_row (bigint, from 0) and value (string).

    Returns:
        `FILE_COLUMNS`, file_row, content (string: the message) and number (bigint: of the message in its file).
    """
    return lines.select(*FILE_COLUMNS, "file_row", F.col("value").alias("content"), F.col("file_row").alias("number"))


def never_spans_lines(feed: Mapping[str, Any]) -> str:
    """The condition of connectors that read with `one_per_line`: no message spans lines."""
    return "false"


# For Spark's parser: if no such line is in a file, `over_lines` has nothing to join.
CONTINUES = r"not value rlike r'^\s*+\{'"


def over_lines(lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
    """A message begins on each line that begins with a brace, indented or not, and ends before the next such line.

    True of messages in one line as well as of pretty-printed ones in which no line begins with a nested object; after
    a message that is cut off, the next one is read again. Lines before the first brace are one message.

    Args:
        lines: as for `one_per_line`.
        feed: as for `joined`.

    Returns:
        The columns of `one_per_line`; file_row is the message's first line.
    """
    return joined(lines, lambda part: part.withColumn("begins", ~F.expr(CONTINUES)), feed)


def parsed(text: Column, schema: str) -> Column:
    """The message as a struct of `schema`, a DDL text of maps and strings; NULL for an empty text.

    Objects and arrays inside a map are JSON text. Numbers with a fraction are marked, because Spark's parser takes
    them for doubles: each has to go through `plain`. The struct's last field, `_malformed`, is the text itself where
    it is no such message.
    """
    exact = F.when(text.rlike(_FRACTION), F.regexp_replace(text, _NUMBER, f'$1"{_MARK}$2"')).otherwise(text)
    whole = text.rlike(r"\}\s*+$") & ~(text.rlike(r"\}\s*+\{") & text.rlike(_TWO_MESSAGES))
    options = {"columnNameOfCorruptRecord": "_malformed"}
    # The parser reads the first of several messages and ignores the others.
    return F.from_json(F.when(whole, exact).otherwise(F.lit("no message")), f"{schema}, _malformed string", options)


def plain(value: Column) -> Column:
    """The value as it came, numbers without their mark."""
    return F.when(value.contains(_MARK), F.regexp_replace(value, _MARKED, "$1")).otherwise(value)


def long_number(text: Column) -> Column:
    """A sentence for a message that Spark's variant would change, else NULL.

    It has a number of more than 38 digits, or of more than 17 with an exponent.
    """
    has_exponent = text.rlike(_LONG_WITH_EXPONENT)
    without_strings = F.regexp_replace(text, _STRING, "")
    return F.when(
        text.rlike(_MAYBE_LONG) & text.rlike(_LONG), F.lit("received a number of more digits, expected 38 at most")
    ).when(
        has_exponent & without_strings.rlike(_LONG_WITH_EXPONENT),
        F.lit("received a number of more digits with an exponent, expected 17 at most"),
    )


def half_a_pair(text: Column) -> Column:
    """A sentence for a message with an escaped half of a surrogate pair, in a name or a value. Else NULL."""
    return F.when(
        text.rlike(_MAYBE_HALF) & text.rlike(_HALF),
        F.lit("received an escaped half of a surrogate pair (\\ud800 to \\udfff), expected characters that UTF-8 has"),
    )


def is_too_deep(text: Column) -> Column:
    """Whether objects and lists of a message are inside of each other more than `MOST_LEVELS` times; false for NULL.

    Spark's variant describes a value by recursion: a deeper one ends the executor with a stack overflow, and with it
    the feed. Few messages have so many brackets; of these they are counted.
    """
    has_many = (F.length(text) > 2 * MOST_LEVELS) & text.rlike(_MAYBE_DEEP)
    return F.coalesce(F.when(has_many, count_levels(text) > MOST_LEVELS), F.lit(False))


def count_levels(text: Column) -> Column:
    """How many objects and lists of a JSON are inside of each other at most."""
    brackets = F.split(F.regexp_replace(F.regexp_replace(text, _STRING, ""), r"[^{}\[\]]", ""), "")
    begin = F.struct(F.lit(0).alias("now"), F.lit(0).alias("most"))

    def step(levels: Column, bracket: Column) -> Column:
        now = levels["now"] + F.when(bracket.isin("{", "["), 1).when(bracket == "", 0).otherwise(-1)
        return F.struct(now.alias("now"), F.greatest(levels["most"], now).alias("most"))

    return F.aggregate(brackets, begin, step, lambda levels: levels["most"])


def is_empty(text: Column) -> Column:
    """Whether there is nothing in a line, or JSON's null, which a sink may write for a message without a value."""
    return F.trim(F.regexp_replace(text, r"\s", "")).isin("", "null")


def types_of_table(feed: Mapping[str, Any], schema: Column, table: Column) -> Column:
    """A map from column to Spark type, as cdc_columns.csv has them; the names in lower case; empty for other tables.

    Args:
        feed: `columns`: (source_schema, source_table) to column to type.
        schema: source_schema of the row.
        table: source_table of the row.
    """
    types = {of: {name.lower(): type_ for name, type_ in columns.items()} for of, columns in feed["columns"].items()}
    types_by_column = find_of_table(types, schema, table, VALUES)
    # More than a look-up, or Spark puts the whole literal wherever the types are asked for, once per value.
    return F.coalesce(types_by_column, F.create_map().cast(VALUES))


def key_of_table(feed: Mapping[str, Any], schema: Column, table: Column) -> Column:
    """The names of the columns of the table's key in lower case, old names included; NULL for a table without a row.

    Args:
        feed: `keys`: (source_schema, source_table) to names; none if it lacks them.
        schema: source_schema of the row.
        table: source_table of the row.
    """
    return find_of_table(feed.get("keys", {}), schema, table, "array<string>")


def find_of_table(by_table: Mapping[tuple[str, str], Any], schema: Column, table: Column, type_: str) -> Column:
    """What a table has; NULL for other tables.

    Args:
        by_table: (source_schema, source_table) to what is found, as JSON writes it.
        schema: source_schema of the row.
        table: source_table of the row.
        type_: Spark's type of what is found.
    """
    by_schema: dict[str, dict[str, Any]] = {}
    for (schema_name, table_name), value in by_table.items():
        by_schema.setdefault(schema_name, {})[table_name] = value
    # One literal, read while the query is planned: many tables are no more expressions than one.
    literal = F.from_json(F.lit(json.dumps(by_schema)), f"map<string,map<string,{type_}>>")
    return literal[schema][table]


Decode = Callable[[Column, Column], tuple[Column, Column]]


def decoded(values: Column, decode: Decode) -> Column:
    """Each value of a map with its defect: map<string, struct<text string, problem string>>.

    Args:
        values: map<string,string> of a parsed message.
        decode: from column name and value (string) to canonical text and problem: what was received and expected, NULL
            if the value is good.
    """

    def both(name: Column, marked: Column) -> Column:
        text, problem = decode(name, plain(marked))
        wrong = F.when(marked.isNotNull() & problem.isNotNull(), F.concat(F.lit("column "), name, F.lit(": "), problem))
        return F.struct(text.alias("text"), wrong.alias("problem"))

    return F.transform_values(values, both)


def needed_of_delete(values: Column, is_delete: Column, key: Column) -> Column:
    """The values without those of a delete that are wrong and not of the key (docs/architecture.md).

    Args:
        values: what `decoded` returned.
        is_delete: boolean.
        key: what `key_of_table` returned. Of a table without a row no value is needed: bronze asks for the key.
    """
    return F.when(is_delete, _without_wrong(values, F.coalesce(key, F.array().cast("array<string>")))).otherwise(values)


def needed_of_before(values: Column, key: Column) -> Column:
    """The values before an update without those that are wrong and not of the key: nothing else is taken of them.

    Args:
        values: what `decoded` returned.
        key: what `key_of_table` returned. Of a table without a row any column may be of the key.
    """
    return F.when(key.isNotNull(), _without_wrong(values, key)).otherwise(values)


def _without_wrong(values: Column, key: Column) -> Column:
    names = F.transform(F.map_keys(values), F.lower)

    def is_good(name: Column, value: Column) -> Column:
        is_twice = F.size(F.filter(names, lambda other: other == F.lower(name))) > 1
        return value["problem"].isNull() & (name != "") & ~is_twice

    return F.map_filter(values, lambda name, value: F.array_contains(key, F.lower(name)) | is_good(name, value))


def texts(values: Column) -> Column:
    """The canonical texts of what `decoded` returned: map<string,string>."""
    return F.transform_values(values, lambda _, value: value["text"])


def problems(values: Column) -> Column:
    """The defects in the result of `decoded`: array<string>, empty for NULL.

    A column that is there twice is wrong, whatever its case: the tables know no case. So is one without a name.
    """
    names = F.transform(F.map_keys(values), F.lower)
    wrong = F.transform(F.map_values(values), lambda value: value["problem"])
    twice = F.when(F.size(F.array_distinct(names)) < F.size(names), F.lit(TWICE))
    nameless = F.when(F.array_contains(names, F.lit("")), F.lit(NAMELESS))
    return F.coalesce(F.array_compact(F.concat(wrong, F.array(twice, nameless))), F.array().cast("array<string>"))


def received(value: Column, expected: str) -> Column:
    """One line: what was received and what was expected."""
    return F.concat(
        F.lit("received "), F.coalesce(quote_received(value), F.lit("nothing")), F.lit(f", expected {expected}")
    )


def quote_received(text: Column) -> Column:
    """A received text as a part of one line: `'abc'`, cut behind 80 characters; the row's content has all of it."""
    short = F.when(F.length(text) > 80, F.concat(F.substr(text, F.lit(1), F.lit(80)), F.lit("…"))).otherwise(text)
    return F.concat(F.lit("'"), F.regexp_replace(short, r"\s+", " "), F.lit("'"))


def missing(fields: Mapping[str, Column]) -> list[Column]:
    """A sentence for each field that is NULL, else NULL."""
    return [F.when(field.isNull(), F.lit(f"{name}: received nothing")) for name, field in fields.items()]


def unlike(name: str, value: Column, pattern: str, expected: str) -> Column:
    """A sentence for a field that is there and does not match the pattern, else NULL."""
    return F.when(~value.rlike(pattern), F.concat(F.lit(f"{name}: "), received(value, expected)))


def time_of(micros: Column) -> Column:
    """The time so many microseconds after 1970 began; NULL if the year has more than four digits, or less than 1970."""
    return F.when(micros.between(0, _LAST_MICROSECOND), F.timestamp_micros(micros))


def untimely(name: str, value: Column, time: Column, expected: str) -> Column:
    """A sentence for a field that is there and from which no time was made, else NULL."""
    is_wrong = value.isNotNull() & time.isNull()
    return F.when(is_wrong, F.concat(F.lit(f"{name}: "), received(value, f"{expected}, until the year 9999")))


def malformed(expected: str, fields: list[Column], *decoded_values: Column) -> Column:
    """Why the message of the columns `content` and `message` cannot be understood, on one line; NULL if it can.

    Args:
        expected: what a message looks like.
        fields: sentences about its fields, NULL if nothing is wrong.
        decoded_values: what `decoded` returned.
    """
    content = F.col("content")
    fields = [half_a_pair(content), *fields]
    every = F.array_compact(F.concat(F.array(*fields), *(problems(values) for values in decoded_values)))
    no_text = F.lit(f"received bytes that are no text in UTF-8 (in base64 in the content), expected {expected}")
    return (
        F.when(F.col("message._malformed").isNotNull() & F.contains(content, F.lit(_NO_TEXT)), no_text)
        .when(F.col("message._malformed").isNotNull(), received(content, expected))
        .when(F.size(every) > 0, F.array_join(every, "; "))
    )


def translated(word: Column, words: Mapping[str, str]) -> Column:
    """The operation of the source's word; NULL for other words."""
    return F.coalesce(*(F.when(word == source_word, F.lit(meaning)) for source_word, meaning in words.items()))


def digits(number: Column, width: int) -> Column:
    """A natural number, as number or text, in fixed width, so that texts compare as numbers do; zeros for NULL."""
    return F.lpad(F.coalesce(number.cast("string"), F.lit("0")), width, "0")


def in_sink() -> Column:
    """Whether the file's name shows topic, partition and offset (docs/feeds/s3_sink.md)."""
    return F.col("file_key").rlike(SINK_FILE)


def first_offset() -> Column:
    """The offset in the file's name; 0 for a partition that is read from Kafka itself, whose rows are offsets."""
    return F.coalesce(try_cast(F.regexp_extract("file_key", SINK_FILE, 3), "bigint"), F.lit(0).cast("bigint"))


def sink_position(wanted: Column) -> Column:
    """Topic (a hash, for fixed width), partition and offset of the message; zeros if its file's name shows none.

    docs/feeds/s3_sink.md: the offset is that of the file's first message plus the number of this one, true of
    topics without gaps; the order within a file holds in any case.

    Args:
        wanted: boolean; zeros if false. The source's own position is the same each time a message is sent, and its
            offset is not.
    """
    topic, partition = (F.regexp_extract("file_key", SINK_FILE, group) for group in (1, 2))
    position = F.concat_ws(
        ".",
        F.substr(F.md5(topic), F.lit(1), F.lit(8)),
        digits(partition, 10),
        digits(F.try_add(first_offset(), F.col("number")), 19),
    )
    return F.when(wanted & in_sink(), position).otherwise(F.lit(".".join("0" * width for width in (8, 10, 19))))
