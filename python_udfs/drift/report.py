"""What files would change in a table, and what the table's policy makes of it, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from python_udfs.alerts.commands import change_types
from python_udfs.cli.console import text_table

HEAD = ("table", "files that wait", "the next run")


def report(tables: Iterable[Mapping[str, Any]]) -> str:
    """What is printed.

    Args:
        tables: what the macro ``cdc_drift_of`` returns of each table that files wait for.
    """
    lines = [(table["table"], *change) for table in tables for change in changes(table)]
    if not lines:
        return "Nothing would change: no file waits that brings another column or type."
    return text_table(HEAD, lines, "<" * len(HEAD))


def changes(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What files would change in one table, and what the next run does.

    Args:
        table: what the macro ``cdc_drift_of`` returns.
    """
    found = [
        (f"{file['path'].rsplit('/', 1)[-1]}: {file['reason']}", "the file is rejected") for file in table["rejected"]
    ]
    found += [
        (f"column {old} is called {new} now", "bronze and silver rename it") for old, new in table["renamed"].items()
    ]
    for column in table["columns"]:
        name, of_table = f"column {column['name']}", column["table_type"]
        if of_table is None:
            found.append((f"{name} {column['type']} is new", _consequence(table, column)))
        elif not column["fits"]:
            found.append((f"{name} is {column['type']}, the table has {of_table}", _consequence(table, column)))
    return found


def _consequence(table: Mapping[str, Any], column: Mapping[str, Any]) -> str:
    """The decisions of a run. The first files make a table under any policy, and a listed column is asked for."""
    policy = table["schema_drift"] if table["has_columns"] else "evolve"
    if policy == "quarantine" and not column["is_listed"]:
        return "rows of its files go to quarantine (schema_drift)"
    if column["table_type"] is None:
        return "bronze adds it, silver does not" if policy == "freeze" else "bronze and silver add it"
    if policy == "evolve" and column["widens"]:
        return "bronze and silver widen it"
    return f"values that do not fit go to quarantine (uncastable_value): then {change_types(table['table'])}"
