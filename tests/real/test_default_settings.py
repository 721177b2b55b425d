"""Debezium as a new user runs it: its default settings, schemas on and off, replica identities as PostgreSQL has them.

Each row in silver is that of the source. The only differences are those that the connector makes, which
docs/feeds/debezium.md lists under "Wrong by the connector's own doing". `make prove` runs it.
"""

from __future__ import annotations

import base64
import datetime as dt
import os
from decimal import Decimal
from typing import Any

import capture
import pytest
import sqlalchemy as sa
from test_source_to_silver import assert_same, describe, is_added
from workload import Workload

from tests.proof import proof_only

# Debezium's defaults in place of the settings that the capture and `make discover` advise.
DEFAULTS = {
    "skipped_operations": "t",
    "event_converting_failure_handling_mode": "warn",
    "value_converter_replace_null_with_default": "true",
}
OF_DATABASE = {"mariadb": {"bigint_unsigned_handling_mode": "long"}, "postgres": {"interval_handling_mode": "numeric"}}
# Settings of a feed without schemas for the connector's defaults.
WITHOUT_SCHEMAS = "decimals=base64;binary=base64"
# Values that PostgreSQL keeps outside of the row: a change of the key does not send them.
LONG = {"mariadb": (), "postgres": ("body", "large_raw")}
LOST = "no_value_is_lost_with_its_key"
pytestmark = proof_only


@pytest.mark.parametrize("form", ["schema", "envelope"])
@pytest.mark.parametrize("database", ["mariadb", "postgres"])
def test_with_default_settings_silver_differs_only_where_the_connector_does(lakehouse, request, database, form):
    url = request.getfixturevalue(database)
    workload = Workload(url, seed=int(os.environ.get("SEED", "7")) % 1000, largest=6_000)
    workload.insert(20)
    describe(lakehouse, url, workload.schemas, "" if form == "schema" else WITHOUT_SCHEMAS)
    landing, lost, warned = lakehouse.raw / "live", set(), set()
    with (
        capture.started() as running,
        running.connector(
            url, f"default_{database}_{form}", workload.schemas, form, **DEFAULTS, **OF_DATABASE[database]
        ) as source,
    ):
        for batch in range(3):
            if batch:
                workload.run(150, add_columns=1, truncates=0)
            source.catch_up(landing)
            statuses = lakehouse.build()
            assert set(statuses.values()) <= {"success", "pass", "warn", "no-op"}, statuses
            assert statuses["quarantine_is_empty"] == "pass"
            warned |= {name for name, status in statuses.items() if status == "warn"}
            for name, table in workload.tables.items():
                made = losses(table, has_schema=form == "schema")
                lost |= assert_same(lakehouse, workload, name, made=made, may_be_lost=LONG[database])
    assert (LOST in warned) >= bool(lost), "a value is lost in silence"


def losses(table: sa.Table, *, has_schema: bool) -> dict[str, Any]:
    """Values that the connector sends, by column: see the page of the source format."""
    columns: dict[str, Any] = {}
    for column in table.columns:
        if column.name == "big_unsigned":
            # A number from 2^63 on arrives negative.
            columns[column.name] = lambda value: value - 2**64 if value >= 2**63 else value
        if has_schema:
            continue
        if isinstance(column.type, sa.Time):
            # Without a schema a time of day is the number of its microseconds, as text.
            columns[column.name] = as_microseconds
        if is_added(column) and isinstance(column.type, sa.Numeric):
            # A column that no seed lists is text as it came: base64 of a whole number.
            columns[column.name] = as_base64
    return columns


def as_microseconds(clock: Any) -> str:
    """A time of day, of which MariaDB's driver makes a duration, in microseconds, as text."""
    if isinstance(clock, dt.time):
        clock = dt.datetime.combine(dt.date.min, clock) - dt.datetime.min
    return str(clock // dt.timedelta(microseconds=1))


def as_base64(number: Decimal) -> str:
    """Connect's Decimal of a number with three digits behind the point."""
    whole = int(number.scaleb(3))
    return base64.b64encode(whole.to_bytes(whole.bit_length() // 8 + 1, "big", signed=True)).decode()
