"""Spark's exceptions in the words a dbt user needs: Spark's own message, no Java stack."""

from __future__ import annotations

import re
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

# What follows these markers is meant for people who debug Spark itself.
_STACK = re.compile(r"\n\s*at [\w.$/]+\(.*|\n\s*JVM stacktrace:[\s\S]*|\n\s*Driver stacktrace:[\s\S]*")
_SPARK_ERRORS = (PySparkException, Py4JError)


def is_spark_error(error: BaseException) -> bool:
    """Tell whether the exception was raised by Spark or by the bridge to it."""
    return isinstance(error, _SPARK_ERRORS)


def spark_message(error: BaseException) -> str:
    """Return Spark's message of an exception: error class, text and SQL fragment, without stack traces.

    Args:
        error: any exception; one that does not come from Spark gives its own text.
    """
    origin = _origin(error)
    if origin is None:
        return _clean(getattr(error, "_desc", None) or str(error) or type(error).__name__)
    return _java_message(origin)


def _origin(error: BaseException) -> Any:
    """The Java exception behind a Python one, or None."""
    return error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)


def _java_message(throwable: Any) -> str:
    """Message of the innermost cause that carries one of Spark's error classes, else of the outermost message."""
    chain = []
    while throwable is not None and len(chain) < 20:
        chain.append(throwable)
        throwable = throwable.getCause()
    texts = []
    for item in chain:
        name = item.getClass().getName()
        # The simple message lacks the query plan that analysis errors append.
        text = item.getSimpleMessage() if name.endswith("AnalysisException") else item.getMessage()
        texts.append((name, _clean(text or "")))
    for _name, text in reversed(texts):
        if text.startswith("["):
            return text
    name, text = next(((n, t) for n, t in reversed(texts) if t), texts[0])
    return f"{name.rsplit('.', 1)[-1]}: {text}"


def _clean(text: str) -> str:
    return _STACK.sub("", text).strip()


# A file is not to blame for these: access, network, missing software, a cluster in trouble, a cancelled run.
_ENVIRONMENT = re.compile(
    r"AccessControlException|AccessDeniedException|Permission denied|UnsupportedFileSystemException|No FileSystem for scheme"
    r"|ClassNotFoundException|NoClassDefFoundError|java\.net\.|javax\.net\.|\.amazonaws\.|software\.amazon\."
    r"|OutOfMemoryError|ExecutorLostFailure|cancelled|Interrupted"
)
_MISSING = re.compile(r"FileNotFoundException|PATH_NOT_FOUND|FAILED_READ_FILE\.FILE_NOT_EXIST|NoSuchFileException")


def is_environment_error(error: BaseException) -> bool:
    """Tell whether reading failed for a reason that lies outside the file read."""
    return bool(_ENVIRONMENT.search(_everything(error)))


def is_missing_file(error: BaseException) -> bool:
    """Tell whether reading failed because the file does not exist."""
    return bool(_MISSING.search(_everything(error)))


def _everything(error: BaseException) -> str:
    """Names and messages of an exception and all its causes, without stacks."""
    throwable = _origin(error)
    parts = [str(getattr(error, "_desc", None) or error)] if throwable is None else []
    while throwable is not None and len(parts) < 20:
        parts.append(_STACK.sub("", throwable.toString()))
        throwable = throwable.getCause()
    return "\n".join(parts)
