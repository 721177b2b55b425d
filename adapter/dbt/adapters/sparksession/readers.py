"""Frees the memory of Iceberg's readers in Java."""

from __future__ import annotations

from dbt.adapters.events.logging import AdapterLogger

from spark_files.internals import MissingInternal, active_context, close_ended_readers, iceberg_version

logger = AdapterLogger("Spark")


def release_readers() -> None:
    """Free the memory of readers that have ended, when nothing is read in this process; without Iceberg there is none.

    If Iceberg has moved an internal that this needs, a warning names it: a process that runs one command loses nothing.
    """
    try:
        if active_context() is not None:
            close_ended_readers()
    except MissingInternal as missing:
        if iceberg_version() is not None:
            logger.warning(str(missing))
