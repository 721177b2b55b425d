"""What is known of each contract that feeds follow, one module each. Adding a contract is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from python_udfs.feeds import canal, debezium, dms, dms_kafka, maxwell, messages
from python_udfs.feeds.names import Found

CONTRACTS: dict[str, ModuleType] = {
    "dms": dms,
    "debezium": debezium,
    "dms_kafka": dms_kafka,
    "maxwell": maxwell,
    "canal": canal,
}


def find(feed: Mapping[str, Any]) -> Found:
    """What the names of a feed's objects tell.

    Args:
        feed: contract, format and is_mixed of the feed, as the listing model holds them.

    Returns:
        Spark SQL expressions over `object_key` and `size`.
    """
    return dms.find(feed) if feed["contract"] == "dms" else messages.find(feed)
