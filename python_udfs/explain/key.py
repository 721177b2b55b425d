"""A key: as somebody types it, and as messages show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from python_udfs.errors import LakehouseError

Key = Mapping[str, str | None]
NULL = "tag:yaml.org,2002:null"


class ExplainError(LakehouseError):
    """A table that is not there, or a key that is none of its keys."""


def parse_key(text: str, columns: Sequence[str], table: str) -> dict[str, str | None]:
    """Reads a key as somebody typed it.

    Args:
        text: the value of a key of one column, a list such as ``[7, 1]`` in the order of the key, or a mapping such as
            ``{order_id: 7, line_no: 1}`` in any order and case.
        columns: the columns of the table's key, in order.
        table: the name of the table, for messages.

    Returns:
        The value of each column as text; None for NULL.

    Raises:
        ExplainError: the key has other parts than the table's.
    """
    example = "{" + ", ".join(f"{name}: …" for name in columns) + "}" if len(columns) > 1 else "…"
    accepted = f"accepted: KEY='{example}', the key of {table} is {', '.join(columns)}"
    try:
        parsed = _parsed(text)
    except yaml.YAMLError:
        raise ExplainError(f"KEY: found {text}, which is neither a list nor a mapping of values; {accepted}.") from None
    if isinstance(parsed, dict):
        given = {name.lower(): value for name, value in parsed.items()}
        if sorted(given) != sorted(name.lower() for name in columns):
            raise ExplainError(f"KEY: found the columns {', '.join(parsed) or 'none'}; {accepted}.")
        return {name: given[name.lower()] for name in columns}
    if len(parsed) != len(columns):
        values, parts = "value" if len(parsed) == 1 else "values", "column" if len(columns) == 1 else "columns"
        raise ExplainError(f"KEY: found {len(parsed) or 'no'} {values} for {len(columns)} {parts}; {accepted}.")
    return dict(zip(columns, parsed, strict=True))


def key_text(key: Key) -> str:
    """A key for a message, such as ``id = 1, line = NULL``."""
    return ", ".join(f"{name} = {'NULL' if value is None else value}" for name, value in key.items())


def _parsed(text: str) -> list[str | None] | dict[str, str | None]:
    """Every value is the text that was typed, so that 1.10 and 007 stay what they are; only null is NULL."""
    if not text.startswith(("[", "{")):
        return [None if text in ("null", "NULL") else text] if text else []
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if isinstance(node, yaml.MappingNode):
        return {_value(name) or "": _value(value) for name, value in node.value}
    return [_value(value) for value in node.value]


def _value(node: Any) -> str | None:
    if not isinstance(node, yaml.ScalarNode):
        raise yaml.YAMLError("not a value")
    return None if node.tag == NULL else str(node.value)
