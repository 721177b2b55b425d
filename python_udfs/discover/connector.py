"""The configuration of Debezium's connectors whose messages lose nothing that can be kept (docs/feeds/debezium.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
COMMON = {
    "skipped.operations": "none",
    "decimal.handling.mode": "precise",
    "binary.handling.mode": "bytes",
    # The default, warn, sends NULL in place of a value that the connector cannot convert.
    "event.converting.failure.handling.mode": "fail",
    "errors.tolerance": "none",
    "key.converter": JSON_CONVERTER,
    "key.converter.schemas.enable": "false",
    "value.converter": JSON_CONVERTER,
    "value.converter.schemas.enable": "true",
    # The default, true, sends the default of a column in place of NULL.
    "value.converter.replace.null.with.default": "false",
}
BINARY_LOG = {
    "time.precision.mode": "adaptive_time_microseconds",
    "bigint.unsigned.handling.mode": "precise",
}
SETTINGS = {
    "mysql": {"connector.class": "io.debezium.connector.mysql.MySqlConnector", **BINARY_LOG, **COMMON},
    "mariadb": {"connector.class": "io.debezium.connector.mariadb.MariaDbConnector", **BINARY_LOG, **COMMON},
    "postgresql": {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "plugin.name": "pgoutput",
        "time.precision.mode": "adaptive",
        "interval.handling.mode": "string",
        "hstore.handling.mode": "json",
        **COMMON,
    },
}
ADDRESS = {
    "database.hostname": "<host>",
    "database.port": "<port>",
    "database.user": "<user>",
    "database.password": "<password>",
}
HISTORY = {
    "database.server.id": "<a number of its own>",
    "schema.history.internal.kafka.bootstrap.servers": "<broker>",
    "schema.history.internal.kafka.topic": "<topic>",
}
PLACES = {
    "mysql": {**ADDRESS, **HISTORY},
    "mariadb": {**ADDRESS, **HISTORY},
    "postgresql": {**ADDRESS, "database.dbname": "<database>"},
}


def write_connector_config(kind: str, feed: str, tables: Iterable[str]) -> dict[str, str]:
    """The whole configuration of a connector, with envelopes and schemas; places to fill in stand between < and >.

    Args:
        kind: `mysql`, `mariadb` or `postgresql`.
        feed: name of the feed, the first part of the topics' names.
        tables: names of the tables, `schema.table`.

    Returns:
        Values by setting; empty for another database.
    """
    if kind not in SETTINGS:
        return {}
    own = {"topic.prefix": feed, "table.include.list": ",".join(tables)}
    return {**SETTINGS[kind], **PLACES[kind], **own}
