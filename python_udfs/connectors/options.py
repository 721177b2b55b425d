"""Accepted cells of a feed's row, by connector: the formats of its files and its options. Needs no Spark."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """One option of a feed.

    Attributes:
        default: its value if the row leaves it out.
        words: the accepted words; empty for a text that is checked by a rule of its own, or not at all.
    """

    default: str = ""
    words: tuple[str, ...] = ()


BOOLEANS = ("true", "false")
# File formats of each connector.
FORMATS: dict[str, tuple[str, ...]] = {
    "dms": ("parquet", "csv"),
    "dms_kafka": ("json",),
    "debezium": ("json",),
    "maxwell": ("json",),
    "canal": ("json",),
}
# Characters that the syntax of the options cell itself uses, or that a spreadsheet loses, have a word.
DELIMITER_WORDS = {"tab": "\t", "semicolon": ";"}

# Encodings of CSV, by Java's names: those in which a line feed is a byte, and no part of another character; and UTF-16.
CHARSETS = (
    "UTF-8", "UTF-16LE", "UTF-16BE",
    *(f"ISO-8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 15)),
    *(f"windows-125{part}" for part in range(9)),
    "IBM437", "IBM850", "IBM852", "IBM866", "KOI8-R", "KOI8-U", "TIS-620",
    "Big5", "EUC-JP", "EUC-KR", "GB18030", "GBK", "Shift_JIS", "windows-31j",
)  # fmt: skip
ABSENT_COLUMNS = {"absent_columns": Option("null", ("null", "keep"))}
# How often a feed is listed in full, and what is listed in between. Without the first each run lists all of it.
LISTING_OPTIONS = {"full_listing_hours": Option(), "listing_overlap_hours": Option("48")}
# Of messages in files: files of messages have names of their writer's choice.
MESSAGE_FILE_OPTIONS = {**LISTING_OPTIONS, "file_names": Option()}
PARQUET_OPTIONS = {
    "timestamp_column": Option(),
    "operation_column": Option("auto", ("auto", "always", "never")),
    "change_sequence_column": Option(),
    "before_image_prefix": Option(),
    **ABSENT_COLUMNS,
    **LISTING_OPTIONS,
}
CSV_OPTIONS = {
    **PARQUET_OPTIONS,
    "charset": Option(CHARSETS[0], CHARSETS),
    "delimiter": Option(","),
    "header": Option("false", BOOLEANS),
    "null_values": Option("NULL|"),
    "unavailable_value": Option(),
    "transaction_files": Option("false", BOOLEANS),
}
# Options of connectors whose files hold messages; the generated split model passes them.
MESSAGE_OPTIONS: dict[str, dict[str, Option]] = {
    "dms_kafka": {"before_image_field": Option("before-image"), "before_image_prefix": Option()},
    "debezium": {
        "form": Option("envelope", ("envelope", "flattened")),
        # No defaults: a message without a schema does not show how these are written.
        "decimals": Option("", ("base64", "text", "number")),
        "binary": Option("", ("base64", "base64url", "hex")),
        "unavailable_value": Option("__debezium_unavailable_value"),
        "binlog_names": Option(),
    },
    "maxwell": {},
    "canal": {"time_zone": Option("UTC"), "members": Option("auto", ("auto", "numbers", "names"))},
}
# Options of feeds whose location is a broker; besides, each option of a prefix is a setting of a client.
KAFKA_OPTIONS = {
    "topics": Option(),
    "topic_pattern": Option(),
    "starting_offsets": Option("earliest"),
    "messages_per_run": Option("1000000"),
    "on_gap": Option("fail", ("fail", "continue")),
    "group": Option(),
}
# Of a connector alone, from a broker.
KAFKA_OPTIONS_OF = {"debezium": {"tombstones": Option("", ("delete", "ignore"))}}
KAFKA_SCHEME = "kafka://"
CLIENT_PREFIX, REGISTRY_PREFIX = "kafka.", "registry."


def options_of(connector: str, file_format: str, location: str = "") -> dict[str, Option]:
    """The options that a feed of this connector and format accepts, by name; for an unknown one those of csv."""
    if connector in MESSAGE_OPTIONS:
        of_kafka = KAFKA_OPTIONS | KAFKA_OPTIONS_OF.get(connector, {})
        of_location = of_kafka if location.startswith(KAFKA_SCHEME) else MESSAGE_FILE_OPTIONS
        return ABSENT_COLUMNS | of_location | MESSAGE_OPTIONS[connector]
    return PARQUET_OPTIONS if file_format == "parquet" else CSV_OPTIONS
