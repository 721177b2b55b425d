"""Operations that answer with data: macros that dbt runs in this process, for programs that are no SQL."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from python_udfs.cli.console import complain
from python_udfs.cli.dbt import WarmDbt
from python_udfs.errors import LakehouseError

# Mark that the macro cdc_answer writes before its data.
ANSWER = "cdc_answer "


class OperationError(LakehouseError):
    """dbt cannot read the project, or an operation failed; the text is dbt's own."""


class Operations:
    """Runs operations of a project.

    Args:
        project: folder of dbt_project.yml.
    """

    def __init__(self, project: Path) -> None:
        self._dbt = WarmDbt(project, show=self._hear)
        self._answers: list[Any] = []
        self._errors: list[str] = []

    def nodes(self) -> list[Any]:
        """The nodes of dbt's graph.

        Raises:
            OperationError: dbt cannot read the project.
        """
        parsed = self._dbt("parse")
        if not parsed.success:
            raise OperationError(f"dbt cannot read the project: {parsed.exception or 'see logs/dbt.log'}")
        return list(parsed.result.nodes.values())

    def ask(self, macro: str, **arguments: Any) -> Any:
        """Runs ``dbt run-operation`` with a macro that ends in ``cdc_answer``.

        Args:
            macro: its name.
            arguments: values that JSON can write.

        Returns:
            The data that the macro handed to ``cdc_answer``.

        Raises:
            OperationError: the macro failed.
        """
        self._answers.clear()
        self._errors.clear()
        outcome = self._dbt("run-operation", macro, "--args", json.dumps(arguments))
        if not outcome.success or not self._answers:
            raise OperationError("\n".join(self._errors) or str(outcome.exception or f"{macro} gave no answer"))
        return self._answers[-1]

    def _hear(self, event: Any) -> None:
        name, message = event.info.name, event.info.msg
        if name == "JinjaLogDebug" and message.startswith(ANSWER):
            self._answers.append(json.loads(message.removeprefix(ANSWER)))
        elif name in ("RunningOperationCaughtError", "RunningOperationUncaughtError"):
            self._errors.append(event.data.exc)
        elif name == "AdapterEventInfo":
            # Such as libraries that Spark fetches at its first start.
            complain(message)
