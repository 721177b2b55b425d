"""Names of columns as identifiers of Spark SQL."""

from __future__ import annotations


def quoted(name: str) -> str:
    """Write a name between backticks; Spark knows no other escape in an identifier than to double one."""
    return f"`{name.replace('`', '``')}`"
