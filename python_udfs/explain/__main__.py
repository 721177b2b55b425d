"""Prints why a row is as it is: every change of one key in order, with its verdict, and the silver row now.

``python -m python_udfs.explain sampledb__product 1001`` is ``make explain TABLE=sampledb__product KEY=1001``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from python_udfs.cli.console import add_project_dir, argument_parser, run_command, say
from python_udfs.cli.operation import Operations
from python_udfs.explain.fold import Change
from python_udfs.explain.key import ExplainError, Key, key_text, parse_key
from python_udfs.explain.report import report
from python_udfs.explain.verdicts import Life
from python_udfs.paths import PROJECT_ROOT
from python_udfs.pipeline.keys import list_key_columns
from python_udfs.pipeline.table import Model, read_models
from python_udfs.pipeline.table_config import TableConfig


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the life of one key.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        The exit code, see `run_command`.
    """
    parser = argument_parser("explain", __doc__)
    parser.add_argument("table", help="name of a silver table, or schema.table as at the source")
    parser.add_argument("key", help="a value, a list such as [7, 1], or a mapping such as {order_id: 7, line_no: 1}")
    add_project_dir(parser, PROJECT_ROOT)
    options = parser.parse_args(arguments)

    def work() -> None:
        operations = Operations(options.project_dir.resolve())
        model = find_silver_model(operations.nodes(), options.table)
        cdc = model.cdc
        key = parse_key(options.key, list_key_columns(cdc), model.alias)
        say(report(*explain(cdc, key, operations.ask("cdc_explain", table=model.alias, key=key), model.name)))

    return run_command(work)


def find_silver_model(nodes: Iterable[Any], table: str) -> Model:
    """Finds a silver model.

    Args:
        nodes: nodes of dbt's graph.
        table: name of the silver table, with or without its schema, or of the source table with its schema.

    Raises:
        ExplainError: none is called so, or the source table comes from several feeds.
    """
    models = read_models(nodes).of_layer("silver")
    sources = [model for model in models if table == f"{model.cdc.source_schema}.{model.cdc.source_table}"]
    matching = [model for model in models if table in (model.alias, model.relation)] or sources
    if len(matching) == 1:
        return matching[0]
    accepted = ", ".join(sorted(model.alias for model in matching or models))
    several = f", which {len(matching)} feeds have" if matching else ""
    raise ExplainError(
        f"TABLE: found {table or 'nothing'}{several}; accepted: a silver table,"
        f" {accepted or 'but there is none: no row of seeds/cdc_tables.csv is active'}."
    )


def explain(cdc: TableConfig, key: Key, answer: Mapping[str, Any], model: str) -> tuple[Life, str]:
    """Judges what bronze and silver answered.

    Args:
        cdc: the table's ``meta.cdc``.
        key: the key that was asked for.
        answer: what the macro ``cdc_explain`` answers.
        model: name of the silver model, for messages.

    Returns:
        The life of the key, and the name of the silver table.

    Raises:
        ExplainError: the tables are not there, the key is none of its types, or bronze has no change of it.
    """
    table = f"{cdc.source_schema}.{cdc.source_table}"
    if not answer["is_built"]:
        raise ExplainError(f"{table} has no bronze or no silver table yet: run `dbt build --select +{model}` first.")
    types = answer["types"]
    spelled = {name.lower() for name in answer["key"]}
    missing = [name for name in key if name.lower() not in spelled]
    if missing:
        raise ExplainError(f"{table} has no column {', '.join(missing)} in bronze yet: no row of it has arrived.")
    wrong = [f"{name} = {answer['key'][name]}; accepted: a value of type {types[name]}" for name in answer["wrong"]]
    if wrong:
        raise ExplainError("\n".join(f"KEY: found {line}." for line in wrong))
    changes = [Change.of(number, row) for number, row in enumerate(answer["changes"], start=1)]
    if not any(change.role in ("change", "key change") for change in changes):
        keys = "; ".join(key_text(json.loads(row["image"])) for row in answer["other_keys"])
        accepted = f"accepted: a key that it has, such as {keys}" if keys else "it has no rows at all"
        raise ExplainError(f"KEY: found {key_text(key)}, of which {answer['bronze']} has no change; {accepted}.")
    silver = [{"sequence": row["sequence"], "image": json.loads(row["image"])} for row in answer["rows"]]
    return Life(cdc, answer["key"], changes, silver, answer["applied_batch_id"]), answer["silver"]


if __name__ == "__main__":
    sys.exit(main())
