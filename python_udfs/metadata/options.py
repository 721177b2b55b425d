"""The options of a feed: how its files are to be read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from python_udfs.connectors.options import CSV_OPTIONS, DELIMITER_WORDS, LISTING_OPTIONS, MESSAGE_OPTIONS, options_of
from python_udfs.metadata.files import words
from python_udfs.metadata.kafka import Kafka, is_client_setting, read_kafka
from python_udfs.metadata.names import RESERVED_PREFIX

if TYPE_CHECKING:
    from python_udfs.connectors.options import Option
    from python_udfs.metadata.files import Row

MOST_HOURS = 8_760  # a year
# The fields beside the before image in a message of dms_kafka, and the field that its reader adds.
MESSAGE_FIELDS = ("", "data", "metadata", "control", "_malformed")


@dataclass(frozen=True)
class ReadOptions:
    """How the files of a feed are read: the options of its row in ``cdc_feeds.csv`` that rows depend on.

    ``charset`` to ``unavailable_value`` are for CSV.
    """

    timestamp_column: str | None = None
    operation_column: str = "auto"
    change_sequence_column: str | None = None
    before_image_prefix: str | None = None
    absent_columns: str = "null"
    charset: str = "UTF-8"
    delimiter: str = ","
    header: bool = False
    null_values: tuple[str, ...] = ("NULL", "")
    unavailable_value: str | None = None


@dataclass(frozen=True)
class FeedOptions(ReadOptions):
    """How the files of a feed are to be read (docs/feeds/dms_format.md).

    ``transaction_files`` is for CSV. ``full_listing_hours`` None: each run lists all of the feed. ``file_names`` is a
    regular expression of the names that a feed of messages reads, None for those of the connector. ``of_messages`` are
    the options of a connector whose files hold messages, filled in. ``kafka`` is for a feed whose location is a broker.
    """

    transaction_files: bool = False
    full_listing_hours: int | None = None
    listing_overlap_hours: int = 48
    file_names: str | None = None
    of_messages: tuple[tuple[str, str], ...] = ()
    kafka: Kafka | None = None

    def is_added(self, name: str) -> bool:
        """Whether a column is none of the source's table: DMS added it behind those (docs/feeds/dms_format.md)."""
        return self.is_before_image(name) or name.lower() == (self.change_sequence_column or "").lower()

    def is_before_image(self, name: str) -> bool:
        """Whether a column holds the value that another one had before the change."""
        return bool(self.before_image_prefix) and name.startswith(str(self.before_image_prefix))


def read_options(row: Row) -> FeedOptions:
    """The options in a row of ``cdc_feeds.csv``; the default for one that is missing or wrong."""
    pairs = row.pairs("options")
    of_messages = MESSAGE_OPTIONS.get(row["connector"], {})
    options = options_of(row["connector"], row["format"], row["location"])
    kafka = read_kafka(row, pairs)
    for key in sorted(pairs.keys() - options.keys()):
        if kafka and is_client_setting(key):
            continue
        accepted = f"for {row['format'] or 'a feed'}: {words(options)}"
        row.problem("options", f"the option {key!r}", accepted, "Correct or remove it.")

    def text(key: str, accepted: str, is_good: bool, default: str = "") -> str:
        if key in pairs and not is_good:
            row.problem("options", f"{key}={pairs[key]}", accepted, f"Correct {key} or leave it out.")
            return default
        return pairs.get(key, default)

    def word(key: str, option: Option) -> str:
        return text(key, " or ".join(option.words), not option.words or pairs.get(key) in option.words, option.default)

    def is_name(key: str) -> bool:
        return bool(pairs.get(key)) and not pairs[key].lower().startswith(RESERVED_PREFIX)

    delimiter = pairs.get("delimiter", CSV_OPTIONS["delimiter"].default)
    delimiter = DELIMITER_WORDS.get(delimiter, delimiter)
    is_delimiter = len(delimiter) == 1 and delimiter not in '"\r\n'
    text("delimiter", f"one character but the quote, or {' or '.join(DELIMITER_WORDS)}", is_delimiter)
    header = word("header", CSV_OPTIONS["header"]) == "true"
    transaction_files = word("transaction_files", CSV_OPTIONS["transaction_files"]) == "true"
    if header and transaction_files:
        fix = "Remove one of the two: DMS writes no header where it preserves transactions."
        row.problem("options", "header=true with transaction_files=true", "one of the two", fix)
    field = "the FieldName of BeforeImageSettings, not data, metadata or control"
    text("before_image_field", field, pairs.get("before_image_field", "").lower() not in MESSAGE_FIELDS)
    zone = "the name of a time zone, such as Asia/Shanghai"
    text("time_zone", zone, _is_time_zone(pairs.get("time_zone", "")))

    def hours(key: str) -> int | None:
        value = pairs.get(key, "")
        is_number = value.isascii() and value.isdigit() and 1 <= int(value) <= MOST_HOURS
        return int(text(key, f"a whole number of hours, 1 to {MOST_HOURS}", is_number) or 0) or None

    full_listing_hours, listing_overlap_hours = hours("full_listing_hours"), hours("listing_overlap_hours")
    if "listing_overlap_hours" in pairs and "full_listing_hours" not in pairs:
        fix = "Add full_listing_hours, or remove it: without that each run lists all of the feed."
        row.problem("options", "listing_overlap_hours without full_listing_hours", "both, or neither", fix)

    column = f"the name of a column, not starting with {RESERVED_PREFIX}"
    is_timestamp = pairs.get("change_sequence_column", "").lower() == pairs.get("timestamp_column", "").lower()
    null_values = tuple(pairs.get("null_values", CSV_OPTIONS["null_values"].default).split("|"))
    unavailable = pairs.get("unavailable_value", "")
    is_unlike = bool(unavailable) and unavailable not in null_values and not set(unavailable) & {'"', delimiter}
    return FeedOptions(
        timestamp_column=text("timestamp_column", column, is_name("timestamp_column")) or None,
        operation_column=word("operation_column", CSV_OPTIONS["operation_column"]),
        change_sequence_column=text(
            "change_sequence_column",
            f"{column}, and not the timestamp_column",
            is_name("change_sequence_column") and not is_timestamp,
        )
        or None,
        before_image_prefix=text(
            "before_image_prefix", f"the first letters of a name, not {RESERVED_PREFIX}", is_name("before_image_prefix")
        )
        or None,
        absent_columns=word("absent_columns", CSV_OPTIONS["absent_columns"]),
        charset=word("charset", CSV_OPTIONS["charset"]),
        delimiter=delimiter,
        header=header,
        null_values=null_values,
        unavailable_value=text(
            "unavailable_value", "a text that is none of null_values, without quotes and delimiter", is_unlike
        )
        or None,
        transaction_files=transaction_files,
        full_listing_hours=full_listing_hours,
        listing_overlap_hours=listing_overlap_hours or int(LISTING_OPTIONS["listing_overlap_hours"].default),
        file_names=text(
            "file_names", "a regular expression that Python and Java read", _is_pattern(pairs.get("file_names", ""))
        )
        or None,
        of_messages=tuple((key, word(key, option)) for key, option in of_messages.items()),
        kafka=kafka,
    )


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    # Java, which reads the names, has no such groups.
    return bool(text) and not re.search(r"\(\?[P(]", text)


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
