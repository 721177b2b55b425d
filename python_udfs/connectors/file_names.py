"""The patterns of file names, and what the rules of all connectors share. Needs no Spark."""

from __future__ import annotations

# Name of the file without its folders.
NAME = "substring_index(file_key, '/', -1)"

# Names of DMS files up to the extension (docs/feeds/dms_format.md). The
# digits of a change file vary between engine versions.
DMS_LOAD = "(?:SEGMENT[0-9]+_)?LOAD[0-9A-Fa-f]{5,8}"
DMS_CHANGES = "[0-9]{8}-[0-9]{6,12}"
DMS_TRANSACTIONS = "CDC_TXN-[0-9]{17}"
# Paths of files that DMS writes and that hold no rows of the source.
DMS_VALIDATION = "(?:^|/)s3_validation_failures/"
DMS_CONTROL_TABLE = "^[^/]+/awsdms_[^/]*/"
# A Kafka sink's <topic>+<partition>+<offset of the first message>.<extension> (s3_sink.md): the path of a file.
# An offset of 18 digits is a bigint. Or a partition that is read from Kafka itself, whose first message has offset 0
# (kafka://…/<topic>/<partition>, python_udfs/kafka/plan.py): no file of messages is called a number.
SINK_FILE = (
    r"(?:^|/)(?=[^/+]+(?:\+[0-9]{1,10}\+[0-9]{1,18}(?:\.[^/+]*)?|/[0-9]{1,10})$)"
    r"([^/+]+)[+/]([0-9]{1,10})(?:\+([0-9]{1,18}))?"
)

# Files that no connector reads: a condition, and the reason that is recorded.
NEVER_READ = (
    (
        r"file_key rlike r'(^|/)(_temporary|_spark_metadata|\.(spark|hive)-staging[^/]*)/'",
        "temporary or internal file of the writer",
    ),
    (rf"{NAME} rlike r'_\$folder\$$'", "folder marker"),
    (rf"{NAME} rlike r'^(_SUCCESS$|_started|_committed|_metadata$|_common_metadata$)'", "marker of the writer"),
    (rf"{NAME} rlike r'(?i)(\.tmp|\.temp|\.crc|\.filepart|\.part|\.inprogress|\._copying_|~)$'", "temporary file"),
    (f"{NAME} like '.%'", "hidden file: its name begins with a dot"),
    ("size = 0", "zero-byte file"),
)
DMS_WITHOUT_ROWS = (
    (f"file_key rlike '{DMS_VALIDATION}'", "DMS validation report"),
    (f"file_key rlike '{DMS_CONTROL_TABLE}'", "DMS control table"),
)
# Section 4: the sink writes keys and headers to files of their own, and the keys of null values to a folder of their
# own. Only the end of the name counts: a topic may hold `.keys.`, a table may be called tombstone.
_END = r"((json|bin)(\.gz)?|avro|([a-z0-9]+\.)?parquet)$"
_KEYS = rf"{NAME} rlike r'\.keys\.{_END}'"
MESSAGES_WITHOUT_ROWS = (
    (f"startswith({NAME}, '__debezium-heartbeat')", "heartbeats of Debezium, which hold no rows"),
    (f"file_key rlike '(^|/)tombstone/[^/]*$' and {_KEYS}", "keys of tombstones, which have no values"),
    (_KEYS, "keys of messages, without their values"),
    (rf"{NAME} rlike r'\.headers\.{_END}'", "headers of messages, without their values"),
)


def list_reasons_without_rows() -> list[str]:
    """Returns the reasons of ignored files that hold no rows: any other ignored file has an unexpected name."""
    return [reason for _, reason in (*NEVER_READ, *DMS_WITHOUT_ROWS, *MESSAGES_WITHOUT_ROWS)]


def sql_text(value: str) -> str:
    """The value as a literal of Spark SQL."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def write_first_reason(*reasons: tuple[str, str]) -> str:
    """SQL of the reason that the first condition which holds has, null if none holds.

    Args:
        reasons: condition (SQL) and reason (its text).
    """
    return "case " + " ".join(f"when {condition} then {sql_text(reason)}" for condition, reason in reasons) + " end"
