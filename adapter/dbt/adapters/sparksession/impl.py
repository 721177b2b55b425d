"""The adapter: what dbt and Jinja may ask of Spark."""

from __future__ import annotations

import os
from multiprocessing.context import SpawnContext
from typing import Any

from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.spark.impl import SparkAdapter
from pyspark.sql import SparkSession

from dbt.adapters.sparksession.connections import SparksessionConnectionManager
from dbt.adapters.sparksession.python_models import run_model
from dbt.adapters.sparksession.read_files import read_files


class SparksessionAdapter(SparkAdapter):
    """dbt-spark on one in-process Spark session."""

    ConnectionManager = SparksessionConnectionManager

    def __init__(self, config: Any, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        root = getattr(config, "project_root", None) or _flag("PROJECT_DIR") or os.getcwd()
        root = os.path.abspath(root)
        SparksessionConnectionManager.project_root = root
        SparksessionConnectionManager.log_path = os.path.join(root, _flag("LOG_PATH") or "logs")

    @property
    def session(self) -> SparkSession:
        """Child Spark session of the calling thread's connection."""
        session: SparkSession = self.connections.get_thread_connection().handle.session
        return session

    @available
    def run_python_model(self, model: dict[str, Any], compiled_code: str) -> str | None:
        """Run a Python model and register its result as a temporary view.

        Args:
            model: dbt's description of the model.
            compiled_code: its code with dbt's generated functions.

        Returns:
            Name of the temporary view, or None when the model returned None ("nothing to write").
        """
        with self.connections.exception_handler(model["original_file_path"]):
            return run_model(self.session, model, compiled_code, SparksessionConnectionManager.project_root)

    @available
    def read_files(
        self, view: str, format: str, paths: list[str], options: dict[str, Any] | None = None
    ) -> dict[str, list[dict[str, str]]]:
        """Register a temporary view over exactly these files; see `read_files.read_files`."""
        with self.connections.exception_handler(f"read_files({view})"):
            return read_files(self.session, view, format, list(paths), dict(options or {}))

    def submit_python_job(self, parsed_model: dict[str, Any], compiled_code: str) -> AdapterResponse:
        """Write the result of a Python model.

        The model has run when dbt gets here (macro create_table_as), so the code is the SQL that writes its view.
        """
        response, _ = self.execute(compiled_code)
        return response


def _flag(name: str) -> str | None:
    """One of dbt's global flags; the adapter also works where dbt-core has set none."""
    from dbt.flags import get_flags

    value = getattr(get_flags(), name, None)
    return str(value) if value else None
