"""The CSV files of the metadata, read as rows whose cells can be asked for: no cell is taken without a check."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from python_udfs.connectors.options import BOOLEANS, FORMATS
from python_udfs.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

FEEDS_FILE = "cdc_feeds.csv"
TABLES_FILE = "cdc_tables.csv"
COLUMNS_FILE = "cdc_columns.csv"
EXPECTATIONS_FILE = "cdc_expectations.csv"
HEADERS = {
    FEEDS_FILE: ("feed", "connector", "format", "location", "options", "description"),
    TABLES_FILE: (
        "feed",
        "source_schema",
        "source_table",
        "target_table",
        "primary_key",
        "delete_mode",
        "mode",
        "key_comparison",
        "unchanged_rows",
        "schema_drift",
        "renamed_columns",
        "vanished_files",
        "partition_by",
        "write_mode",
        "table_properties",
        "readers",
        "lag_limit_minutes",
        "active",
        "owner",
        "description",
    ),
    COLUMNS_FILE: (
        "feed",
        "source_schema",
        "source_table",
        "position",
        "column_name",
        "data_type",
        "encoding",
        "optional",
        "description",
    ),
    EXPECTATIONS_FILE: (
        "target_table",
        "column_name",
        "expectation",
        "arguments",
        "severity",
        "row_condition",
        "scope",
        "description",
    ),
}
# Columns that a file may lack: seeds that are older than these cells have none to fill in.
LATER_COLUMNS = ("encoding", "readers")

# Accepted words by file and column. seeds/_seeds.yml has them, too, and tests/unit/test_accepted_words.py compares.
WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    FEEDS_FILE: {
        "connector": tuple(FORMATS),
        "format": ("parquet", "csv", "json"),
    },
    TABLES_FILE: {
        "delete_mode": ("hard", "soft"),
        "mode": ("current", "history", "append"),
        "key_comparison": ("ignore_case", "ignore_trailing_spaces"),
        "unchanged_rows": ("write", "skip"),
        # An empty cell means the first of these words.
        "schema_drift": ("evolve", "freeze", "quarantine"),
        "vanished_files": ("report", "ignore", "truncate"),
        "write_mode": ("merge-on-read", "copy-on-write"),
    },
    COLUMNS_FILE: {"encoding": ("ms", "us", "ns", "days", "bits")},
    EXPECTATIONS_FILE: {
        "severity": ("error", "warn"),
        "scope": ("batch", "table"),
    },
}
TableId = tuple[str, str, str]


@dataclass(frozen=True)
class Row:
    """One row of a file: its cells, without spaces at their ends, and where its mistakes go.

    Attributes:
        file: name of the file.
        path: the file as the user would open it, for example ``seeds/cdc_tables.csv``.
        line: line of the file on which the row starts; the header's is 1.
        values: text of each column.
        broken: wrong number of fields: only good for knowing that its feed or table exists.
        problems: the mistakes of all files so far.
    """

    file: str
    path: str
    line: int
    values: dict[str, str]
    broken: bool
    problems: list[Problem]

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    @property
    def table_id(self) -> TableId:
        """Feed, schema and name of the table that the row is about."""
        return self["feed"], self["source_schema"], self["source_table"]

    def problem(self, column: str, received: str, accepted: str, fix: str) -> None:
        """Adds a mistake; see `Problem`."""
        self.problems.append(Problem(self.path, self.line, column, received, accepted, fix))

    def word(self, column: str, accepted: Sequence[str] | None = None) -> str:
        """One of the accepted words; those of `WORDS` if none are given."""
        accepted = WORDS[self.file][column] if accepted is None else accepted
        value = self[column]
        if value not in accepted:
            self.problem(column, shown(value), " or ".join(accepted), "Write one of these words.")
        return value

    def word_or_default(self, column: str, default: str | None = None) -> str:
        """As `word`; for an empty cell the default, which is the first accepted word if none is given."""
        return self.word(column) if self[column] else default or WORDS[self.file][column][0]

    def boolean(self, column: str) -> bool:
        """Whether the cell is true."""
        # Spreadsheets write TRUE and FALSE.
        value = self[column].lower()
        if value not in BOOLEANS:
            self.problem(column, shown(self[column]), " or ".join(BOOLEANS), "Write one of these words.")
        return value == "true"

    def filled(self, column: str) -> str:
        """The text of a cell that must not be empty."""
        if not self[column]:
            self.problem(column, "nothing", "a name", f"Fill in {column}.")
        return self[column]

    def pairs(self, column: str) -> dict[str, str]:
        """Returns the pairs of `key=value;key=value` in the cell."""
        pairs: dict[str, str] = {}
        for item in items(self[column]):
            key, equals, value = (part.strip() for part in item.partition("="))
            if not equals or not key:
                self.problem(column, repr(item), "key=value;key=value", "Write a key, then `=`, then its value.")
            elif key in pairs:
                self.problem(column, f"{key!r} twice", "each key once", "Remove one of the two.")
            else:
                pairs[key] = value
        return pairs

    def names(self, column: str, names: Iterable[str]) -> tuple[str, ...]:
        """The names without repetitions, which are reported; Spark takes upper and lower case as equal."""
        once: dict[str, str] = {}
        for name in names:
            if name.lower() in once:
                self.problem(column, f"{name!r} twice", "each column once", "Remove one of the two.")
            once.setdefault(name.lower(), name)
        return tuple(once.values())


def read_rows(seeds_dir: Path, file: str, problems: list[Problem]) -> list[Row] | None:
    """The rows of one file, or None if it cannot be read or its header is wrong.

    Args:
        seeds_dir: folder of the file.
        file: its name.
        problems: gets the mistakes.
    """
    path, header = f"{seeds_dir.name}/{file}", HEADERS[file]

    def problem(line: int, received: str, accepted: str, fix: str) -> None:
        problems.append(Problem(path, line, "", received, accepted, fix))

    try:
        # utf-8-sig drops the byte order mark that spreadsheets put in front.
        text = (seeds_dir / file).read_bytes().decode("utf-8-sig")
    except OSError as error:
        fix = f"Create it with the header line {','.join(header)}"
        problem(0, f"no readable file ({error.strerror})", "a CSV file", fix)
        return None
    except UnicodeDecodeError as error:
        received = f"a byte that is not UTF-8 at offset {error.start}"
        problem(0, received, "text in UTF-8", "Save the file as UTF-8.")
        return None

    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    records: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for record in reader:
            if len(record) > 1 or "".join(record).strip():
                records.append((line, record))
            line = reader.line_num + 1
    except csv.Error as error:
        fix = "Check the quotes from this line on."
        problem(line, f"text that is not CSV ({error})", "comma-separated values", fix)
        return None
    if not records:
        fix = f"Write the header line {','.join(header)}"
        problem(1, "an empty file", "a header line and rows", fix)
        return None
    head_line, head = records[0]
    wrong = _header_mistakes(head, header)
    for mistake in wrong:
        problem(head_line, mistake, ",".join(header), "Correct the header line.")
    return None if wrong else [_row(file, path, line, head, record, problems) for line, record in records[1:]]


def _header_mistakes(received: Sequence[str], wanted: Sequence[str]) -> list[str]:
    complaints = {
        "missing": [name for name in wanted if name not in received and name not in LATER_COLUMNS],
        "unknown": [name for name in dict.fromkeys(received) if name not in wanted],
        "repeated": [name for name in dict.fromkeys(received) if received.count(name) > 1],
    }
    return [f"a header with {complaint} columns: {words(names)}" for complaint, names in complaints.items() if names]


def _row(file: str, path: str, line: int, header: list[str], record: list[str], problems: list[Problem]) -> Row:
    broken = len(record) != len(header)
    padded = record + [""] * (len(header) - len(record))
    cells = dict(zip(header, padded, strict=False))
    values = {
        **{name: "" for name in LATER_COLUMNS if name in HEADERS[file]},
        **{name: value.strip() for name, value in cells.items()},
    }
    row = Row(file, path, line, values, broken, problems)
    if broken:
        fix = "Count the commas; a value that holds a comma stands between double quotes."
        row.problem("", f"{len(record)} fields", f"{len(header)} fields", fix)
    for name, value in cells.items():
        # dbt loads the seeds as they stand: a space that only this reader forgives would split the two readings.
        if not broken and value != row[name]:
            row.problem(name, repr(value), "no space before or after the value", "Remove the spaces.")
    return row


def items(text: str) -> list[str]:
    """The parts of a cell that are separated by `;`."""
    return [item.strip() for item in text.split(";") if item.strip()]


def words(names: Iterable[str]) -> str:
    """The names as a part of a message."""
    return ", ".join(names) or "none"


def shown(value: str) -> str:
    """The text of a cell as a part of a message."""
    return repr(value) if value else "nothing"
