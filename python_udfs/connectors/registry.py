"""Each connector by its name in cdc_feeds.csv."""

from __future__ import annotations

from python_udfs.connectors import canal, debezium, dms, dms_kafka, maxwell
from python_udfs.connectors.protocol import Connector

CONNECTORS: dict[str, Connector] = {
    "dms": dms,
    "dms_kafka": dms_kafka,
    "debezium": debezium,
    "maxwell": maxwell,
    "canal": canal,
}
