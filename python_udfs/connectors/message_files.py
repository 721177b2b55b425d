"""Files of JSON messages, as a Kafka sink writes them (docs/contracts.md sections 2 to 5).

A file holds the changes of any number of tables; only the messages name them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from python_udfs.connectors.file_names import NAME, NEVER_READ, first_reason
from python_udfs.connectors.protocol import FileRules

# Section 4: the sink writes keys and headers to files of their own, and the keys of null values to a folder of their
# own. Only the end of the name counts: a topic may hold `.keys.`, a table may be called tombstone.
_END = r"((json|bin)(\.gz)?|avro|([a-z0-9]+\.)?parquet)$"
KEYS = rf"{NAME} rlike r'\.keys\.{_END}'"
HEADERS = rf"{NAME} rlike r'\.headers\.{_END}'"


def file_rules(feed: Mapping[str, Any]) -> FileRules:
    """The facts in the names of files of messages, of a sink and others (docs/contracts.md section 4).

    Args:
        feed: nothing of it matters; all connectors have the same arguments.

    Returns:
        Spark SQL expressions over `file_key` and `size`.
    """
    return FileRules(
        ignored_reason=first_reason(
            *NEVER_READ,
            (f"startswith({NAME}, '__debezium-heartbeat')", "heartbeats of Debezium, which hold no rows"),
            (f"file_key rlike '(^|/)tombstone/[^/]*$' and {KEYS}", "keys of tombstones, which have no values"),
            (KEYS, "keys of messages, without their values"),
            (HEADERS, "headers of messages, without their values"),
            (rf"not {NAME} rlike r'\.(json|jsonl|ndjson)(\.gz)?$'", "the feed reads .json, .jsonl and .ndjson files"),
        ),
        kind="'multi_table'",
    )
