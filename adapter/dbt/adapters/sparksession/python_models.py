"""Python models: executed in this process, in the child session of the calling thread."""

from __future__ import annotations

import site
import sys
import traceback
import types
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt.flags import get_flags
from dbt_common.exceptions import DbtRuntimeError
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession

from spark_files.errors import full_text, is_spark_error, spark_message

logger = AdapterLogger("Spark")


@dataclass(frozen=True)
class Commit:
    """Rows that an incremental Python model returns, and what the commit that writes them records.

    Attributes:
        rows: a frame of Spark.
        properties: of the snapshot, by name.
    """

    rows: DataFrame
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What a Python model has returned.

    Attributes:
        view: a temporary view of the rows; None: there is nothing to write.
        message: what dbt's log says if nothing is left to write.
        properties: what the commit of the rows records.
    """

    view: str | None = None
    message: str = "nothing to write"
    properties: Mapping[str, str] = field(default_factory=dict)


class Written(str):
    """Result of an incremental Python model that has written its table itself: the message for dbt's log."""

    __slots__ = ()


def run_model(session: SparkSession, model: dict[str, Any], code: str, project_root: Path) -> Result:
    """Run `model(dbt, session)` and register the frame it returns as a temporary view.

    Args:
        session: session the model runs in and the view is registered in.
        model: dbt's description of the model.
        code: the user's code followed by dbt's generated functions.
        project_root: folder put on `sys.path`, so that the project's own packages can be imported.

    Returns:
        The view, or what was written already.

    Raises:
        DbtRuntimeError: the model fails (file, line and message) or returns something that is no table.
    """
    if str(project_root) not in sys.path:
        sys.path.insert(0, str(project_root))
    path = project_root / model["original_file_path"]
    try:
        module = _module(f"dbt_python_model_{model['name']}", code, path, session)
        result = module.model(module.dbtObj(session.table), session)
        if result is None or isinstance(result, Written):
            return Result(message=result or Result.message)
        commit = result if isinstance(result, Commit) else Commit(result)
        view = f"{model['alias']}__dbt_python"
        frame = _as_frame(session, commit.rows)
        # dbt takes the rows from the sources of a SQL model alone, and expects those of any other Python model.
        leaves_rows_out = getattr(get_flags(), "EMPTY", False) and model["config"]["meta"].get("leave_if_empty")
        frame = frame.limit(0) if leaves_rows_out else frame
        frame.createOrReplaceTempView(f"`{view}`")
    except Exception as error:
        logger.debug(full_text(error))
        raise DbtRuntimeError(_message(error, project_root)) from None
    return Result(view, properties=commit.properties)


def _module(name: str, code: str, path: Path, session: SparkSession) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__file__ = str(path)
    # Data classes look their module up; functions of a module that workers cannot import are sent by value.
    sys.modules[name] = module
    cloudpickle.register_pickle_by_value(module)
    # Models written for Spark platforms find the session under this name too.
    module.__dict__["spark"] = session
    # The user's code comes first in the compiled code, without the blank lines at its start: with them put back, line
    # numbers are those of the model's own file.
    source = path.read_text() if path.exists() else ""
    code = "\n" * source[: len(source) - len(source.lstrip())].count("\n") + code
    exec(compile(code, str(path), "exec", dont_inherit=True), module.__dict__)
    return module


def _as_frame(session: SparkSession, result: Any) -> DataFrame:
    if isinstance(result, DataFrame):
        return result
    # Neither package is imported unless the model did.
    package = type(result).__module__
    if package.startswith("pyspark.pandas"):
        return _in_session(session, result.to_spark())
    if package.startswith("pandas") and type(result).__name__ == "DataFrame":
        return session.createDataFrame(result)
    raise DbtRuntimeError(
        f"model() returned {type(result).__name__}; expected a Spark or pandas DataFrame"
        " (rows become one with session.createDataFrame(rows, schema)), or None in an incremental run that has nothing"
        " to write"
    )


def _in_session(session: SparkSession, frame: DataFrame) -> DataFrame:
    """The frame as one of this session: pandas on Spark makes its frames in the first session of the process."""
    name = f"dbt_{uuid.uuid4().hex}"
    frame.createGlobalTempView(name)
    try:
        return session.table(f"global_temp.{name}")
    finally:
        session.catalog.dropGlobalTempView(name)


def _message(error: Exception, project_root: Path) -> str:
    """The user's own lines of the traceback, outermost first, then the message."""
    installed = (*site.getsitepackages(), site.getusersitepackages(), sys.prefix)
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(project_root) and not any(file.is_relative_to(folder) for folder in installed):
            lines.append(f"{file.relative_to(project_root)}, line {frame.lineno}, in {frame.name}: {frame.line}")
    if isinstance(error, DbtRuntimeError):
        text = error.msg
    elif is_spark_error(error):
        text = spark_message(error)
    else:
        text = "".join(traceback.format_exception_only(error)).strip()
    return "\n".join([*lines, text])
