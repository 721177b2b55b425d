"""Describes the changes that files and messages would make to a table, and the effect of the table's policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from python_udfs.cli.console import counted, text_table
from python_udfs.drift.changes import NEW_COLUMN_REMEDY, TYPE_REMEDY, TypeChange, list_type_changes, may_be_renamed

HEAD = ("table", "what waits", "the next run")
CAST = "values that do not fit go to quarantine (uncastable_value)"
KEPT = "the table keeps its type"
UNCASTABLE = "uncastable_value"
# A value may be a long text.
SHOWN = 120


def report(tables: Iterable[Mapping[str, Any]], feeds: Iterable[Mapping[str, Any]] = ()) -> str:
    """Returns the printed text.

    Args:
        tables: from `describe_table`, of each table that files or messages wait for.
        feeds: from `show_waiting`, of each feed whose messages are split.
    """
    tables, feeds = list(tables), list(feeds)
    lines = [(f"feed {feed['feed']}", *change) for feed in feeds for change in _describe_feed(feed)]
    lines += [(table["table"], *change) for table in tables for change in changes(table)]
    notes = [f"Feed {feed['feed']}: {feed['left']:,} more wait that were not read." for feed in feeds if feed["left"]]
    notes += [
        f"Table {table['table']}: values were read of {table['first_files']} of {table['files']} files."
        for table in tables
        if table["first_files"] < table["files"]
    ]
    if not lines:
        nothing = "Nothing would change: no file or message waits that brings another column or type or breaks a rule."
        return "\n".join([nothing, *notes])
    if any(table["has_columns"] and _new_columns(table) for table in tables):
        notes.append(NEW_COLUMN_REMEDY)
    if any(line[-1] in (CAST, KEPT, _quarantine(UNCASTABLE)) for line in lines):
        notes.append(TYPE_REMEDY)
    return "\n".join([text_table(HEAD, lines, "<" * len(HEAD)), *([""] if notes else []), *notes])


def changes(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns the changes that files would make to one table, and the action of the next run.

    Args:
        table: from `describe_table`.
    """
    lines = _rejected(table["rejected"])
    lines += [
        (f"column {old} is called {new} now", "bronze and silver rename it") for old, new in table["renamed"].items()
    ]
    policy = table["schema_drift"] if table["has_columns"] else "evolve"
    for column in table["columns"]:
        for change in list_type_changes(column["table_type"], column["types"], follows=policy == "evolve"):
            lines.append((_change(column, change), _consequence(policy, column, change)))
    lines += _missing(table)
    judged = sum(rule["rows"] for rule in table["rules"])
    lines += [
        (f"{rule['rows']:,} of {counted(judged, 'row')}: {_short(rule['example'])}", _quarantine(rule["rule"]))
        for rule in table["rules"]
        if rule["rule"] is not None
    ]
    if table["problem"]:
        lines.append((f"rows cannot be read: {table['problem']}", "the file with the error is rejected"))
    return lines


def _change(column: Mapping[str, Any], change: TypeChange) -> str:
    if change.before is None:
        return f"column {column['name']} {change.after} is new"
    where = " in the seed" if _is_of_seed(column, change) else ""
    then = "" if change.before == column["table_type"] else "then "
    return f"column {column['name']} is {change.after}{where}, the table {then}has {change.before}"


def _is_of_seed(column: Mapping[str, Any], change: TypeChange) -> bool:
    return bool(column["is_listed"]) and change.after == column["types"][0]


def _quarantine(rule: str) -> str:
    return f"quarantine ({rule})"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _describe_feed(feed: Mapping[str, Any]) -> list[tuple[str, str]]:
    lines = _rejected(feed["rejected"])
    if feed["problem"]:
        lines.append((f"what waits cannot be read: {feed['problem']}", "the split fails, and its tables wait"))
    return lines


def _rejected(files: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    return [(f"{file['path'].rsplit('/', 1)[-1]}: {file['reason']}", "the file is rejected") for file in files]


def _consequence(policy: str, column: Mapping[str, Any], change: TypeChange) -> str:
    """The decisions of a run. The first files make a table under any policy, and a listed column is asked for."""
    if policy == "quarantine" and not column["is_listed"]:
        return "rows of its files go to quarantine (schema_drift)"
    if change.before is None:
        return "bronze adds it, silver does not" if policy == "freeze" else "bronze and silver add it"
    if change.widens:
        return "bronze and silver widen it"
    return KEPT if _is_of_seed(column, change) else CAST


def _missing(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    lines = []
    value = "the value stays as it is (absent_columns)" if table["keeps_absent"] else "its rows get NULL"
    for column in table["missing"]:
        where = "is missing" if column["is_everywhere"] else "is missing in a part of the files"
        lines.append((f"column {column['name']} {where}", value))
        for new in _new_columns(table):
            if not may_be_renamed(column["type"], new["types"], are_typed=table["are_typed"]):
                continue
            pair = f"{column['name']}={new['name']}"
            lines.append(
                (f"was column {column['name']} renamed to {new['name']}?", f"if so, first {pair} in renamed_columns")
            )
    return lines


def _new_columns(table: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [column for column in table["columns"] if column["table_type"] is None]
