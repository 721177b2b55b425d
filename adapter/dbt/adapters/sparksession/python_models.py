"""Python models: executed in this process, in the child session of the calling thread."""

from __future__ import annotations

import os
import sys
import types
from typing import Any

from pyspark.sql import DataFrame, SparkSession


def run_model(session: SparkSession, model: dict[str, Any], code: str, project_root: str) -> str | None:
    """Run `model(dbt, session)` and register the frame it returns as a temporary view.

    Args:
        session: session the model runs in and the view is registered in.
        model: dbt's description of the model.
        code: the user's code followed by dbt's generated functions.
        project_root: folder put on `sys.path`, so that the project's own packages can be imported.

    Returns:
        Name of the view, or None when the model returned None.
    """
    if project_root not in sys.path:
        sys.path.insert(0, project_root)
    # The user's code comes first, so line numbers are those of the model's own file.
    path = os.path.join(project_root, model["original_file_path"])
    module = types.ModuleType(f"dbt_python_model_{model['name']}")
    module.__file__ = path
    exec(compile(code, path, "exec", dont_inherit=True), module.__dict__)
    result = module.model(module.dbtObj(session.table), session)
    if result is None:
        return None
    frame = result if isinstance(result, DataFrame) else session.createDataFrame(result)
    view = f"{model['alias']}__dbt_python"
    frame.createOrReplaceTempView(f"`{view}`")
    return view
