"""What the rules for names of all contracts share."""

from __future__ import annotations

from dataclasses import dataclass

# Name of the object without its folders.
NAME = "substring_index(object_key, '/', -1)"
NO_TEXT = "cast(null as string)"
NO_TIME = "cast(null as timestamp)"

# Objects that no contract reads: a condition, and the reason that is told.
NEVER_READ = (
    (
        r"object_key rlike r'(^|/)(_temporary|_spark_metadata|\.(spark|hive)-staging[^/]*)/'",
        "temporary or internal file of the writer",
    ),
    (rf"{NAME} rlike r'_\$folder\$$'", "folder marker"),
    (rf"{NAME} rlike r'^(_SUCCESS$|_started|_committed|_metadata$|_common_metadata$)'", "marker of the writer"),
    (rf"{NAME} rlike r'(?i)(\.tmp|\.temp|\.crc|\.filepart|\.part|\.inprogress|\._copying_|~)$'", "temporary object"),
    (f"{NAME} like '.%'", "hidden file: its name begins with a dot"),
    ("size = 0", "zero-byte object"),
)


@dataclass(frozen=True)
class Found:
    """What an object is, as Spark SQL expressions over its `object_key` (under the feed's location) and `size`.

    Attributes:
        ignored_reason: string, why the object is not read; null if it is.
        kind: string, what the object is if it is read: `load`, `change`, or `mixed` (changes of many tables).
        file_time: timestamp in the object's name if it is read, null if there is none.
        source_schema: string, null where the name does not tell.
        source_table: string, null where the name does not tell.
    """

    ignored_reason: str
    kind: str
    file_time: str = NO_TIME
    source_schema: str = NO_TEXT
    source_table: str = NO_TEXT


def sql_text(value: str) -> str:
    """The value as a literal of Spark SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def first_reason(*reasons: tuple[str, str]) -> str:
    """SQL of the reason that the first condition which holds has, null if none holds.

    Args:
        reasons: condition (SQL) and reason (its text).
    """
    return "case " + " ".join(f"when {condition} then {sql_text(reason)}" for condition, reason in reasons) + " end"
