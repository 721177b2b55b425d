"""Macros as functions, without dbt's parser and without Spark.

The templates are compiled by dbt's own Jinja environment (`do`, `test`, its way to name and to return), and results of
queries come as the tables that dbt makes of them. Everything else that a macro may ask dbt for is a placeholder which
remembers what it was asked. A name that nobody defined is an error here; dbt would write nothing in its place.
"""

from __future__ import annotations

import importlib
import json
import re
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import jinja2
import yaml
from dbt_common.clients.agate_helper import table_from_data_flat
from dbt_common.clients.jinja import CallableMacroGenerator, get_environment
from dbt_common.exceptions.macros import MacroReturn
from table_configs import make_config, state_config

from dbt.adapters.sparksession.few_rows import choose_settings_for_few_rows
from dbt.adapters.sparksession.impl import SparksessionAdapter
from python_udfs.pipeline.columns import Column, plan_columns, read_source_columns

MACROS = Path(__file__).parents[3] / "macros"
VARS = yaml.safe_load((MACROS.parent / "dbt_project.yml").read_text())["vars"]
PREFIX = "dbt_macro__"


def environment() -> jinja2.Environment:
    """Jinja as dbt sets it up, with errors for undefined names."""
    made = get_environment()
    made.undefined = jinja2.StrictUndefined
    return made


class MacroFile(NamedTuple):
    """A file under macros/ and the arguments of the macros and tests in it, by the name that dbt calls them."""

    path: Path
    text: str
    arguments: dict[str, list[str]]


@cache
def macro_files(root: Path = MACROS) -> list[MacroFile]:
    """Every .sql file under `root`, in order."""
    files = []
    for path in sorted(root.rglob("*.sql")):
        text = path.read_text(encoding="utf-8")
        macros = environment().parse(text).find_all(jinja2.nodes.Macro)
        arguments = {macro.name.removeprefix(PREFIX): [argument.name for argument in macro.args] for macro in macros}
        files.append(MacroFile(path, text, arguments))
    return files


class CompilerError(Exception):
    """What `exceptions.raise_compiler_error` raises here."""


class Clock(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: Any = None) -> Any:
        return datetime(2024, 5, 6, 7, 8, 10, tzinfo=tz)


class Relation(NamedTuple):
    """A table, written into SQL as `schema.identifier`."""

    schema: str
    identifier: str
    database = None

    def __str__(self) -> str:
        return self.render()

    def render(self) -> str:
        return f"{self.schema}.{self.identifier}"


class Macro(CallableMacroGenerator):
    """One macro, called the way dbt calls it, its errors left as they are."""

    def __init__(self, name: str, template: jinja2.Template, context: dict[str, Any]) -> None:
        super().__init__(SimpleNamespace(name=name, macro_sql=""), context)
        self.name = name
        self.template = template

    def get_template(self) -> jinja2.Template:
        return self.template

    def _complete(self, args: tuple[Any, ...]) -> list[Any]:
        """A description of a table that a test has written as a mapping becomes what the macro gets."""
        names = [*_arguments()[self.name], *([None] * len(args))]
        return [
            make_config(**value) if name == "cdc" and isinstance(value, dict) else value
            for name, value in zip(names, args, strict=False)
        ]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.get_macro()(*self._complete(args), **kwargs)
        except MacroReturn as returned:
            return returned.value


class Dbt:
    """The macros of the project as attributes, over placeholders for the rest of dbt.

    Args:
        this: the model's own relation.
        cdc: what the model's configuration has under meta.cdc, completed by `state_config`, as that of each node.
        config: further configuration of the model.
        which: the command that runs, such as `run` or `compile`.
        is_empty: whether it has the flag `--empty`.
        execute: False while dbt parses.
        columns: columns of relations that exist, as {relation: {name: type}}.
        answers: rows of the queries to expect, as {part of the query: rows}; the first part found in a query counts.
        files: what adapter.read_files returns.
        attempts: what adapter.attempt returns, as {part of the statement: rows, or the error}; an error that begins
            with "conflict" is one. Statements that are not named succeed.
        nodes: nodes of dbt's graph, by unique id.
        snapshots: ids of the snapshots of every table, newest first.
        summary: summary of the newest snapshot of every table.
        recorded: what adapter.current_summary returns of every table.
        metrics: what adapter.added_metrics returns; None: Iceberg has no metrics.
        range: what adapter.value_range returns; None: no file has such a row.
        since: what adapter.snapshots_since returns, by table; a table that is not named has nothing new.
        functions: what adapter.call_function calls in place of the project's functions, by name.
        counts_merged_rows: whether Spark counts the rows of a MERGE.
        table_properties: what adapter.read_table_properties returns of every table; None: those of `config`.

    Attributes:
        queries: all that went through run_query, what was set or unset, and what commits record, in order.
        attempted: all that went through adapter.attempt.
        started: the tables that adapter.start_write got; adapter.write sends its statement to run_query.
        properties: the last value that each of the set ones got.
        recorded: what the snapshots of commits record, the last value of each.
        warnings, logged, printed, dropped, files_read: likewise exceptions.warn, log, print, adapter.drop_relation,
            adapter.read_files.
    """

    def __init__(
        self,
        *,
        this: Relation = Relation("silver", "shop__order"),  # noqa: B008  immutable
        cdc: dict[str, Any] | None = None,
        config: dict[str, Any] | None = None,
        which: str = "run",
        is_empty: bool = False,
        execute: bool = True,
        columns: dict[Relation, dict[str, str]] | None = None,
        answers: dict[str, list[dict[str, Any]]] | None = None,
        files: dict[str, Any] | None = None,
        attempts: dict[str, list[dict[str, Any]] | str] | None = None,
        nodes: dict[str, Any] | None = None,
        snapshots: tuple[int, ...] = (),
        summary: dict[str, str] | None = None,
        recorded: dict[str, str] | None = None,
        metrics: dict[str, Any] | None = None,
        range: dict[str, int | None] | None = None,
        since: dict[str, dict[str, Any]] | None = None,
        functions: dict[str, Any] | None = None,
        counts_merged_rows: bool = True,
        table_properties: dict[str, str] | None = None,
    ) -> None:
        columns = columns or {}
        self.once: dict[Any, Any] = {}
        self.notes: dict[str, dict[str, Any]] = {}
        self.views: dict[str, list[dict[str, Any]]] = {}
        self.answers = answers or {}
        self.queries: list[str] = []
        self.attempted: list[str] = []
        self.properties: dict[str, Any] = {}
        self.recorded: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.logged: list[str] = []
        self.printed: list[str] = []
        self.dropped: list[Relation] = []
        self.started: list[Any] = []
        self.files_read: list[tuple[Any, ...]] = []
        self.kept: dict[str, str] = {}
        self.kept_parts: dict[str, dict[str, str] | None] = {}

        def existing(relation: Relation) -> Relation | None:
            return relation if relation in columns else None

        def set_properties(properties: dict[str, Any]) -> None:
            for name, value in properties.items():
                self.queries.append(f"set `{name}` = {value}")
                self.properties[name] = value

        def commit(sql: str, properties: dict[str, Any] | None = None) -> None:
            self._record(properties)
            self.context["run_query"](sql)

        def change_columns(relation: Any, changes: Any) -> None:
            changed = {name: values for name, values in vars(changes).items() if values}
            self.queries += [f"change {relation}: {changed}"] if changed else []

        def read_files(*arguments: Any) -> Any:
            self.files_read.append(arguments)
            return files

        def ask_once(question: Any, ask: Any) -> Any:
            if question not in self.once:
                self.once[question] = ask()
            return self.once[question]

        def query(sql: str) -> list[dict[str, Any]]:
            answer = self.context["run_query"](sql)
            return [row.dict() for row in answer.rows] if answer else []

        def attempt(sql: str) -> dict[str, Any]:
            self.attempted.append(sql)
            answer = next((outcome for part, outcome in (attempts or {}).items() if part in sql), [])
            if isinstance(answer, str):
                return {"rows": [], "error": answer, "is_conflict": answer.startswith("conflict")}
            return {"rows": answer, "error": None, "is_conflict": False}

        def call_function(name: str, arguments: dict[str, Any], needs_spark: bool = False) -> Any:
            return ((functions or {}).get(name) or _function(name))(**arguments)

        stated = state_config(**cdc) if cdc else None
        settings = {**({"meta": {"cdc": stated}} if cdc else {}), **(config or {})}
        self.context: dict[str, Any] = {
            "adapter": SimpleNamespace(
                get_columns_in_relation=lambda relation: [
                    SimpleNamespace(name=name, dtype=dtype) for name, dtype in columns[relation].items()
                ],
                get_relation=lambda database, schema, identifier: existing(Relation(schema, identifier)),
                attempt=attempt,
                query=query,
                ask_once=ask_once,
                project_path=lambda name: f"project/{name}",
                cache_added=lambda relation: columns.setdefault(relation, {}),
                create_schema=lambda relation: None,
                start_write=self.started.append,
                change_columns=change_columns,
                default_properties=lambda: {},
                has_statistics=lambda relation: False,
                write=lambda relation, sql, properties=None: commit(sql, properties),
                run_commit=commit,
                has_views=lambda: True,
                drop_relation=self.dropped.append,
                current_snapshot_id=lambda relation: (*snapshots, 0)[0],
                read_table_properties=lambda relation, names: (
                    (config or {}).get("tblproperties", {}) if table_properties is None else table_properties
                ),
                is_current_ancestor=lambda relation, snapshot_id: int(snapshot_id) in snapshots,
                snapshot=lambda relation, snapshot_id: {"snapshot_id": snapshot_id, "schema_id": 0},
                snapshots_since=lambda relation, snapshot_id=None: (
                    (since or {}).get(str(relation))
                    or {"is_ancestor": True, "snapshots": [], "gone": [], "schema_id": 0}
                ),
                notes=lambda name: self.notes.setdefault(name, {}),
                rows_view=lambda view, rows, schema: self.views.update({view: rows}),
                added_metrics=lambda relation, start, end, columns: metrics,
                value_range=lambda relation, column, above, values: range,
                current_summary=lambda relation: recorded or {},
                newest_summary=lambda relation, key: (summary or {}) if key in (summary or {}) else {},
                scan_sql=str,
                set_properties=set_properties,
                plan_once=lambda is_one_task=True: set_properties(choose_settings_for_few_rows(is_one_task)),
                appended_rows_sql=lambda table, start, end: (
                    f"{table} with ('start-snapshot-id' = '{start}', 'end-snapshot-id' = '{end}')"
                ),
                is_utf8_sql=SparksessionAdapter.is_utf8_sql,
                utf8_or_null_sql=SparksessionAdapter.utf8_or_null_sql,
                as_utf8_sql=SparksessionAdapter.as_utf8_sql,
                counts_merged_rows=lambda: counts_merged_rows,
                call_function=call_function,
                table_properties=SparksessionAdapter.table_properties,
                quote=SparksessionAdapter.quote,
                is_type_promotion=SparksessionAdapter.is_type_promotion,
                holds=SparksessionAdapter.holds,
                is_small=SparksessionAdapter.is_small,
                string_literal=SparksessionAdapter.string_literal,
                cache_rows=self._cache_rows,
                read_files=read_files,
            ),
            "api": SimpleNamespace(
                Relation=SimpleNamespace(create=lambda database, schema, identifier: Relation(schema, identifier))
            ),
            "config": settings,
            "create_table_as": lambda temporary, relation, sql: f"create table {relation} as\n{sql}",
            "exceptions": SimpleNamespace(raise_compiler_error=_raise, warn=self.warnings.append),
            "execute": execute,
            "invocation_id": "1-2",
            "flags": SimpleNamespace(WHICH=which, EMPTY=is_empty),
            "fromjson": json.loads,
            "get_quoted_csv": lambda names: ", ".join(map(SparksessionAdapter.quote, names)),
            "graph": SimpleNamespace(nodes=_nodes(nodes or {})),
            "selected_resources": list(nodes or {}),
            "load_relation": existing,
            "log": lambda message, info: self.logged.append(message),
            "modules": SimpleNamespace(
                datetime=SimpleNamespace(datetime=Clock), pytz=SimpleNamespace(utc=timezone.utc)
            ),
            "model": SimpleNamespace(
                name=f"{this.schema}_{this.identifier}",
                config=SimpleNamespace(meta={"cdc": stated}),
                refs=[SimpleNamespace(name=f"bronze_{this.identifier}")],
            ),
            "print": self.printed.append,
            "project_name": "lakehouse",
            "ref": lambda name: Relation("bronze", name[7:]) if name.startswith("bronze_") else f"ref.{name}",
            "return": _return,
            "run_query": self._run_query,
            "run_started_at": datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=timezone.utc),
            "target": SimpleNamespace(schema="default"),
            "this": this,
            "tojson": json.dumps,
            "var": VARS.__getitem__,
            "zip": zip,
        }
        self.context["context"] = self.context
        for name, template in _templates().items():
            self.context[name] = Macro(name, template, self.context)

    def write(self, strategy: str, verify: str = "schema") -> tuple[str | None, str]:
        """The statement that an incremental strategy returns, and the message that it sets."""
        existing = self.context["load_relation"](self.context["this"])
        arguments = {"existing_relation": existing, "sql": "select 1", "verify": verify}
        sql = self.context[f"get_incremental_{strategy}_sql"](arguments)
        self._record(arguments.get("properties"))
        return sql, arguments["message"]

    def plan_first_batch(self, cdc: dict[str, Any], reading: Any) -> list[Column]:
        """The columns of a batch that meets no table yet."""
        source = read_source_columns(make_config(**cdc), reading.columns)
        return plan_columns(source, [], "evolve", self.context["adapter"])

    def __getattr__(self, name: str) -> Any:
        """The macro of this name; a data test is called test_<name>, as in dbt."""
        try:
            return self.context[name]
        except KeyError:
            raise AttributeError(f"macros/ has no macro {name}") from None

    def _record(self, properties: dict[str, Any] | None) -> None:
        for name, value in (properties or {}).items():
            if value is not None and str(value):
                self.queries.append(f"record {name} = {value}")
                self.recorded[name] = value

    def _cache_rows(self, view: str, sql: str, part: dict[str, str] | None = None) -> None:
        self.kept[view], self.kept_parts[view] = sql, part

    def _run_query(self, sql: str) -> Any:
        self.queries.append(sql)
        asked = "\n".join([sql, *(kept for view, kept in self.kept.items() if f"`{view}`" in sql)])
        for part, rows in self.answers.items():
            if part in asked:
                return table_from_data_flat(rows, list(rows[0]) if rows else [])
        assert not re.match(r"\s*(select|with)\b", sql), f"no answer was given for the query: {sql}"
        return None


@cache
def _templates() -> dict[str, jinja2.Template]:
    compiled = environment()
    return {name: compiled.from_string(file.text) for file in macro_files() for name in file.arguments}


@cache
def _arguments() -> dict[str, list[str]]:
    return {name: arguments for file in macro_files() for name, arguments in file.arguments.items()}


def _nodes(nodes: dict[str, Any]) -> dict[str, Any]:
    """The nodes with what dbt's graph has of each."""
    for unique_id, node in nodes.items():
        node.unique_id = unique_id
        meta = getattr(getattr(node, "config", None), "meta", None) or {}
        if meta.get("cdc"):
            meta["cdc"] = state_config(**meta["cdc"])
    return nodes


def _function(name: str) -> Any:
    module, _, function = name.rpartition(".")
    return getattr(importlib.import_module(module), function)


def _raise(message: str) -> None:
    raise CompilerError(message)


def _return(value: Any) -> None:
    raise MacroReturn(value)


def normalise(sql: str) -> str:
    """SQL on one line: runs of white space become one blank, and there is none inside of brackets."""
    return re.sub(r"(?<=\() | (?=\))", "", re.sub(r"\s+", " ", sql)).strip()


def assert_sql_equal(actual: str, expected: str) -> None:
    """The same SQL, but for white space."""
    assert normalise(actual) == normalise(expected)
