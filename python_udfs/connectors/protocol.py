"""The interface of a connector: the functions that the module of each source format has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NO_TEXT = "cast(null as string)"
NO_TIME = "cast(null as timestamp)"


@dataclass(frozen=True)
class FileRules:
    """The facts of a file, as Spark SQL expressions over its `file_key` (under the feed's location) and `size`.

    Attributes:
        ignored_reason: string, why the file is not read; null if it is.
        kind: string, the kind of the file if it is read: `load`, `change`, or `multi_table` (changes of many tables).
        file_time: timestamp in the file's name if it is read, null if there is none.
        source_schema: string, null if the name does not show it.
        source_table: string, null if the name does not show it.
    """

    ignored_reason: str
    kind: str
    file_time: str = NO_TIME
    source_schema: str = NO_TEXT
    source_table: str = NO_TEXT


class Connector(Protocol):
    """A source format. A module is a connector if it has these three functions; mypy compares them.

    Each gets the feed as the generated models hold it: `feed`, `connector` and the options of the connector; for
    `file_rules` also `format` and `is_multi_table` (whether the feed reads multi-table files), for `read_rows` of
    messages also `columns` (Spark type by column, by source schema and table).
    """

    def file_rules(self, feed: Mapping[str, Any]) -> FileRules:
        """The rules for the names of the feed's files."""

    def spans_lines(self, feed: Mapping[str, Any]) -> str:
        """A condition in SQL on `value`, a line of a multi-table file.

        It is true of at least one line of each file in which a record spans lines; `false` for a source format that has
        no such records.
        """

    def read_rows(self, lines: DataFrame, feed: Mapping[str, Any]) -> DataFrame:
        """The records of multi-table files, each with its source table.

        Args:
            lines: a row per line: `FILE_COLUMNS` (python_udfs/connectors/lines.py), file_row (bigint, from 0) and value
                (string).
            feed: also `to_join`, the paths of the files that have a line of which `spans_lines` is true.

        Returns:
            `FILE_COLUMNS`, file_row (of the record's first line), source_schema, source_table (NULL if the record
            does not show them) and content (the record). Messages add the other `RESULT_COLUMNS`
            (python_udfs/connectors/message_reading.py).
        """
