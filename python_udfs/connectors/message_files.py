"""Files of JSON messages, as a Kafka sink writes them (docs/feeds).

A file holds the changes of any number of tables; only the messages name them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from python_udfs.connectors.file_names import MESSAGES_WITHOUT_ROWS, NAME, NEVER_READ, sql_text, write_first_reason
from python_udfs.connectors.protocol import FileRules

NAMES = r"\.(json|jsonl|ndjson)(\.gz)?$"
# Of such a file Spark reads what comes before the damage, or nothing, without an error (seen: no block of that codec in
# it, or its end is missing). Gzip and Zstandard fail.
_UNCHECKED = (
    rf"{NAME} rlike r'\.(bz2|snappy|lz4)$'",
    "damage of files with this ending is not noticed: use .gz or .zst",
)


def file_rules(feed: Mapping[str, Any]) -> FileRules:
    """The facts in the names of files of messages, of a sink and others (docs/feeds/s3_sink.md).

    Args:
        feed: `file_names`, the regular expression of the option, if the feed has it.

    Returns:
        Spark SQL expressions over `file_key` and `size`.
    """
    names, reason = NAMES, "the feed reads .json, .jsonl and .ndjson files"
    if "file_names" in feed:
        names, reason = feed["file_names"], "the name does not match the option file_names of the feed"
    return FileRules(
        ignored_reason=write_first_reason(
            *NEVER_READ,
            *MESSAGES_WITHOUT_ROWS,
            (f"not {NAME} rlike {sql_text(names)}", reason),
            _UNCHECKED,
        ),
        kind="'multi_table'",
    )
