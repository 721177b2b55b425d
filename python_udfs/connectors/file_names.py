"""What the rules for names of all connectors share."""

from __future__ import annotations

# Name of the file without its folders.
NAME = "substring_index(file_key, '/', -1)"

# Files that no connector reads: a condition, and the reason that is recorded.
NEVER_READ = (
    (
        r"file_key rlike r'(^|/)(_temporary|_spark_metadata|\.(spark|hive)-staging[^/]*)/'",
        "temporary or internal file of the writer",
    ),
    (rf"{NAME} rlike r'_\$folder\$$'", "folder marker"),
    (rf"{NAME} rlike r'^(_SUCCESS$|_started|_committed|_metadata$|_common_metadata$)'", "marker of the writer"),
    (rf"{NAME} rlike r'(?i)(\.tmp|\.temp|\.crc|\.filepart|\.part|\.inprogress|\._copying_|~)$'", "temporary object"),
    (f"{NAME} like '.%'", "hidden file: its name begins with a dot"),
    ("size = 0", "zero-byte object"),
)


def sql_text(value: str) -> str:
    """The value as a literal of Spark SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def first_reason(*reasons: tuple[str, str]) -> str:
    """SQL of the reason that the first condition which holds has, null if none holds.

    Args:
        reasons: condition (SQL) and reason (its text).
    """
    return "case " + " ".join(f"when {condition} then {sql_text(reason)}" for condition, reason in reasons) + " end"
