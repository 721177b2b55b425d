"""The operations `replay_quarantine` and `release_reload`: quarantined rows are judged again, reloads completed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from python_udfs.errors import LakehouseError
from python_udfs.metadata.names import RESERVED_PREFIX, new_name, table_name
from python_udfs.pipeline.bronze import complete_rows
from python_udfs.pipeline.casts import is_nested, write_bytes
from python_udfs.pipeline.columns import (
    list_names_in_files,
    plan_changes,
    plan_columns,
    read_source_columns,
    select_own_columns,
)
from python_udfs.pipeline.commands import change_types
from python_udfs.pipeline.progress import read_last_batch_id
from python_udfs.pipeline.project import Project
from python_udfs.pipeline.reading import Reading
from python_udfs.pipeline.table_config import TableConfig
from python_udfs.pipeline.warehouse import Relation, WritesNames
from python_udfs.retype.question import ask_types

# Texts in JSON that may have been bytes, or a time, in a file.
_BASE64 = r"(?=.)(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?+"
_TIME = r"[+-]?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]{15}(?:Z|[+-][0-9:]++)?"
_REASON = "_cdc_quarantine_reason"


@dataclass(frozen=True)
class ReplayedColumn:
    """A column of quarantined rows of parquet files, or of messages.

    Attributes:
        name: in bronze.
        file_name: in the files.
        type: that its values have; of messages, and of rows without types, all but nested ones are text.
        is_known: whether bronze has a column for it, or a run would add it.
        column: its name in the view over the rows.
        value: expression of the value, from the JSON of a row.
        unsure: condition on which this may not be the value that the file had.
    """

    name: str
    file_name: str
    type: str
    is_known: bool
    column: str = ""
    value: str = ""
    unsure: str = ""


def replay_quarantine(project: Project, table: Any) -> None:
    """Judges the quarantined rows of a table again and adds those that pass to bronze.

    Args:
        project: with the table.
        table: name of the silver table, with or without its schema.

    Raises:
        LakehouseError: there is no such table, or its rows cannot be judged again; it has all reasons.
    """
    model = project.find_model(table)
    bronze = project.find_table("bronze", model.cdc)
    if bronze is None:
        raise LakehouseError(_describe_problems(model.alias, ["its bronze table does not exist yet"]))
    cdc = project.describe_bronze(bronze)
    columns = ask_columns(project, cdc, bronze)
    problems = list_problems(cdc, columns)
    if problems:
        raise LakehouseError(_describe_problems(model.alias, problems))
    project.say(replay(project, model.alias, cdc, bronze, columns))


def replay(project: Project, table: str, cdc: TableConfig, bronze: Relation, columns: Sequence[ReplayedColumn]) -> str:
    """Adds the quarantined rows that pass by now to bronze at their positions, by one commit.

    Args:
        project: with the table.
        table: name of the silver table.
        cdc: from `Project.describe_bronze`.
        bronze: the table.
        columns: from `ask_columns`.

    Returns:
        A sentence: how many passed, and the command if others need another type.
    """
    project.warehouse.start_write(bronze)
    waiting = f"({project.sql['cdc_waiting_sql'](cdc, bronze)})"
    before = after = project.count_rows(waiting)
    if before:
        _add_rows(project, cdc, bronze, columns)
        after = project.count_rows(waiting)
    unsure = 0
    if after and cdc.format == "parquet":
        unsure = project.count_rows(f"({project.sql['cdc_replay_records_sql'](cdc, bronze, columns, True)})")
    is_whole = _release_whole_reloads(project, bronze)
    changes = ask_types(project.warehouse, project.sql, cdc, bronze).changes if after else ()
    return describe_replay(table, before, after, is_whole, changes, change_types(str(bronze.identifier)), unsure)


def release_reload(project: Project, table: Any) -> None:
    """Completes the reloads of a table that wait for rows or files that could not be read.

    Args:
        project: with the table.
        table: name of the silver table, with or without its schema.

    Raises:
        LakehouseError: there is no such table.
    """
    model = project.find_model(table)
    bronze = project.find_table("bronze", model.cdc)
    held: Sequence[Mapping[str, Any]] = ()
    if bronze is not None:
        project.warehouse.start_write(bronze)
        held = project.warehouse.query(project.sql["cdc_held_reloads_sql"](bronze))
    if bronze is None or not held:
        project.say(f"{model.alias}: no reload waits. Nothing was released.")
        return
    _release(project, bronze, held, "by release_reload")
    for reload in held:
        project.say(f"{model.alias}: released load generation {reload['generation']}. {reload['reason']}")
    project.say(f"The next run of {model.name} removes the keys that the load does not hold.")


def ask_columns(project: Project, cdc: TableConfig, bronze: Relation) -> list[ReplayedColumn]:
    """Asks for the columns of the rows in quarantine, under the names that the files use; lines of CSV name none.

    Args:
        project: with the table. Messages are parsed by its seeds of now: they may state by now what a message lacked.
        cdc: the description of the bronze table.
        bronze: the table.
    """
    if cdc.format == "csv":
        return []
    if cdc.format == "json":
        _show_messages(project, cdc, bronze)
    types = {
        name: column.dtype.lower()
        for column in project.warehouse.get_columns_in_relation(bronze)
        if not column.name.startswith(RESERVED_PREFIX)
        for name in list_names_in_files(cdc, column.name)
    }
    rows = project.warehouse.query(project.sql["cdc_replay_names_sql"](cdc, bronze))
    if cdc.format == "json":
        return [_describe_column(cdc, types, row["name"]) for row in rows]
    return [
        _describe_record_column(cdc, types, row["name"], row["type"], f"_{number}", project.warehouse)
        for number, row in enumerate(rows)
    ]


def list_problems(cdc: TableConfig, columns: Iterable[ReplayedColumn]) -> list[str]:
    """Lists why the quarantined rows of a table cannot be judged again.

    Args:
        cdc: the description of the bronze table.
        columns: from `ask_columns`.
    """
    problems = []
    if cdc.format == "csv" and cdc.options.header:
        problems.append(
            "its files have a header, and a row in quarantine does not name it: deliver them again in a change file"
        )
    for name in dict.fromkeys(column.name for column in columns if not column.is_known):
        problems.append(
            f"rows in quarantine have a column {name} that bronze does not have: add it with `alter table`,"
            " or to renamed_columns, or let the next file bring it"
        )
    return problems


def describe_replay(
    table: str, before: int, after: int, is_whole: bool, changes: Sequence[Any], command: str, unsure: int = 0
) -> str:
    """Returns the sentence that a replay ends with.

    Args:
        table: name of the silver table.
        before: rows that waited in quarantine.
        after: rows that still wait.
        is_whole: whether a reload that waited for rows is complete now.
        changes: types that the rows need, from `decide_types`.
        command: that changes the types.
        unsure: rows that still wait because their content does not show each value for sure.
    """
    sentence = (
        f"{table}: {before} rows waited in quarantine, {before - after} are in bronze now, {after} still break a rule."
    )
    if before > after:
        sentence += " The next run takes them to silver."
    if is_whole:
        sentence += " The reload is complete: that run removes what it does not hold."
    if changes:
        needs = "; ".join(f"{column.name} needs {column.type}, bronze has {column.raw_type}" for column in changes)
        sentence += f" {needs}: run {command}."
    if unsure:
        sentence += (
            f" {unsure} rows stay because their content does not give back each value for sure: an older version"
            " recorded no types, or JSON does not have the value. Deliver these rows again, in a new change file."
        )
    return sentence


def _describe_problems(table: str, problems: Iterable[str]) -> str:
    return f"CDC error (replay_quarantine) for {table}: {'; '.join(problems)}. Nothing was replayed."


def _describe_column(cdc: TableConfig, types: Mapping[str, str], file_name: str) -> ReplayedColumn:
    name = table_name(file_name)
    # Bronze has no column for a before image; its values are of the type of the one that they are of.
    key = new_name(cdc.renamed_columns, table_name(file_name.removeprefix(cdc.options.before_image_prefix or "")))
    type_ = types.get(key.lower(), "string") if cdc.format == "parquet" else "string"
    is_added = cdc.format == "json" and cdc.schema_drift == "evolve"
    is_known = name.lower() in types or is_added or not select_own_columns(cdc, [{"name": file_name}])
    return ReplayedColumn(name, file_name, type_, is_known)


def _describe_record_column(
    cdc: TableConfig, types: Mapping[str, str], file_name: str, type_: str | None, column: str, warehouse: WritesNames
) -> ReplayedColumn:
    """Describes a column of parquet: of one name and one type, which is None if the rows do not record it."""
    described = _describe_column(cdc, types, file_name)
    name = warehouse.string_literal(file_name)
    text = f"content[{name}]"
    if type_ is None:
        shape = _find_unsure_shape(cdc, file_name, described.type)
        pair = (
            f"concat({warehouse.string_literal(json.dumps(file_name, ensure_ascii=False) + ':')}, '\"', {text}, '\"')"
        )
        unsure = f"{text} rlike {warehouse.string_literal(shape)} and contains(json, {pair})" if shape else "false"
        # Rows without types may be older than nested values as text.
        type_ = described.type if is_nested(described.type) else "string"
        condition = "types is null"
    else:
        unsure, condition = "false", f"types[{name}] <=> {warehouse.string_literal(type_)}"
        # JSON has values of these as a cast to text has them.
        type_ = "string" if type_ == "variant" or type_.startswith(("char", "varchar")) else type_
    value = _write_json_value(text, type_, warehouse)
    lost = f"{text} is not null and {value} is null"
    return replace(
        described,
        type=type_,
        column=column,
        value=f"if({condition}, {value}, null)",
        unsure=f"{condition} and ({unsure} or {lost})",
    )


def _find_unsure_shape(cdc: TableConfig, file_name: str, type_: str) -> str | None:
    """The texts that may have been something else in a file; JSON has numbers without quotes."""
    prefix = cdc.options.before_image_prefix
    is_image = prefix is not None and file_name.startswith(prefix)
    if is_nested(type_) or not (is_image or select_own_columns(cdc, [{"name": file_name}])):
        return None
    return rf"\A(?:{_BASE64}|{_TIME})\z" if type_ == "string" else rf"\A{_BASE64}\z"


def _write_json_value(text: str, type_: str, warehouse: WritesNames) -> str:
    """Writes the value of a type from its text in JSON; NULL if it is none."""
    if type_ == "string":
        return text
    if type_ == "binary":
        return write_bytes(text)
    if is_nested(type_):
        return f"from_json({text}, {warehouse.string_literal(type_)})"
    return f"try_cast({text} as {type_})"


def _show_messages(project: Project, cdc: TableConfig, bronze: Relation) -> None:
    """Shows the messages that wait in a view, as the split table has them; those with a mistake are parsed again."""
    waiting, split = f"{bronze.identifier}__waiting", project.sql["ref"](cdc.split)
    messages_sql = project.sql["cdc_waiting_messages_sql"](cdc, bronze, split)
    _create_view(project, waiting, messages_sql)
    arguments = {
        "seeds": project.warehouse.project_path("seeds"),
        "feed": cdc.feed,
        "waiting": waiting,
        "view": f"{bronze.identifier}__parsed",
    }
    project.warehouse.call_function("python_udfs.landing.parse_again.show_parsed", arguments, True)


def _add_rows(project: Project, cdc: TableConfig, bronze: Relation, columns: Sequence[ReplayedColumn]) -> None:
    warehouse, sql = project.warehouse, project.sql
    batch_id = _find_next_batch_id(project, bronze)
    view = f"{bronze.identifier}__quarantined"
    if cdc.format == "json":
        view_sql = sql["cdc_replay_messages_sql"](cdc, bronze, batch_id)
    elif cdc.format == "csv":
        view_sql = sql["cdc_replay_lines_sql"](cdc, bronze)
    else:
        view_sql = sql["cdc_replay_records_sql"](cdc, bronze, columns)
    _create_view(project, view, view_sql)
    reading = Reading(view=view, columns=[vars(column) for column in columns], has_line_breaks=True)
    rows = complete_rows(reading, bronze)
    source = read_source_columns(cdc, rows.columns)
    target = warehouse.get_columns_in_relation(bronze)
    plan = plan_columns(source, target, cdc.schema_drift, warehouse)
    warehouse.change_columns(bronze, plan_changes(plan))
    files_sql = sql["cdc_replay_files_sql"](cdc, bronze, project.name_relation("raw_listing"), batch_id)
    names = [column.name for column in warehouse.get_columns_in_relation(bronze) if column.name != _REASON]
    # The view has all columns of all files: it does not show which ones a file lacked.
    kept = ["_cdc_sequence", *(["_cdc_unavailable_columns"] if cdc.format == "parquet" else [])]
    of_column = (list_names_in_files(cdc, name) for name in names)
    renamed = [names_in_files for names_in_files in of_column if len(names_in_files) > 1]
    judged_sql = sql["cdc_bronze_sql"](cdc, files_sql, rows, plan)
    warehouse.write(bronze, sql["cdc_replay_sql"](cdc, bronze, names, kept, judged_sql, renamed))


def _release_whole_reloads(project: Project, bronze: Relation) -> bool:
    """Whether reloads waited for rows alone, each of which is in bronze now: bronze itself judges files."""
    if not project.warehouse.query(project.sql["cdc_held_reloads_sql"](bronze)):
        return False
    project.warehouse.start_write(bronze)
    whole = project.warehouse.query(project.sql["cdc_whole_reloads_sql"](bronze))
    if whole:
        _release(project, bronze, whole, "each row of its load could be read")
    return bool(whole)


def _release(project: Project, bronze: Relation, reloads: Iterable[Mapping[str, Any]], words: str) -> None:
    """Gives each reload a row that counts, by one commit.

    The rows are in bronze as if a batch had brought them, so silver stays a function of bronze.
    """
    names = [column.name for column in project.warehouse.get_columns_in_relation(bronze)]
    generations = [reload["generation"] for reload in reloads]
    batch_id = _find_next_batch_id(project, bronze)
    release_sql = project.sql["cdc_release_reloads_sql"](bronze, names, generations, batch_id, words)
    project.warehouse.write(bronze, release_sql)


def _find_next_batch_id(project: Project, bronze: Relation) -> int:
    """A command adds its rows in a batch behind all that bronze has; it is no progress of files."""
    last = project.warehouse.query(f"select max(_cdc_batch_id) as batch_id from {bronze}")[0]["batch_id"]
    return max(read_last_batch_id(project.warehouse, bronze), int(last)) + 1


def _create_view(project: Project, view: str, rows_sql: str) -> None:
    name = project.warehouse.quote(view)
    project.warehouse.query(f"create or replace temporary view {name} as\n{rows_sql}")
