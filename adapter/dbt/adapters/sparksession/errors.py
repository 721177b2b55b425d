"""Spark's exceptions in the words a dbt user needs: Spark's own message, no Java stack."""

from __future__ import annotations

import re
import traceback
from typing import Any

from dbt_common.exceptions import DbtDatabaseError
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException, QueryContextType

# What follows these markers is meant for people who debug Spark itself.
_STACK = re.compile(r"\n\s*at [\w.$/]+\(.*|\n\s*JVM stacktrace:[\s\S]*|\n\s*Driver stacktrace:[\s\S]*")
_SPARK_ERRORS = (PySparkException, Py4JError)
_MAX_CAUSES = 20
_ERROR_CLASS = re.compile(r"\[[A-Z0-9_.]+\]")
# A file is not to blame for these: access, network, missing software, a cluster in trouble, a cancelled run.
_ENVIRONMENT = re.compile(
    r"AccessControlException|AccessDeniedException|Permission denied|UnsupportedFileSystemException"
    r"|No FileSystem for scheme|ClassNotFoundException|NoClassDefFoundError|java\.net\.|javax\.net\.|\.amazonaws\."
    r"|software\.amazon\.|OutOfMemoryError|ExecutorLostFailure|cancelled|Interrupted"
)
# How Iceberg says that another commit came first and this one was not made.
_CONFLICTS = ("CommitFailedException", "ValidationException")
_MISSING = re.compile(r"FileNotFoundException|PATH_NOT_FOUND|FAILED_READ_FILE\.FILE_NOT_EXIST|NoSuchFileException")


class CommitConflict(DbtDatabaseError):
    """A commit that was not made, because another one had changed what it was based on."""


def is_commit_conflict(error: BaseException) -> bool:
    """Tell whether Iceberg refused a commit because of another one; the table is then as that one left it."""
    names = _classes(error)
    return "CommitStateUnknownException" not in names and any(name in _CONFLICTS for name in names)


def is_missing_schema(error: BaseException) -> bool:
    """Tell whether a catalog has no such schema."""
    return "NoSuchNamespaceException" in _classes(error)


def is_unsupported(error: BaseException) -> bool:
    """Tell whether a catalog cannot do what it was asked for, such as to list views."""
    return "UnsupportedOperationException" in _classes(error)


def is_spark_error(error: BaseException) -> bool:
    """Tell whether the exception was raised by Spark or by the bridge to it."""
    return isinstance(error, _SPARK_ERRORS)


def spark_message(error: BaseException) -> str:
    """Return Spark's message of an exception: error class, text and SQL fragment, without stack traces.

    Args:
        error: any exception; one that does not come from Spark gives its own text.
    """
    causes = _causes(error)
    # The innermost cause with an error class says most; an outer one may repeat it with the SQL around the mistake.
    classes = [match.group() for _name, text in causes if (match := _ERROR_CLASS.match(text))]
    if not classes:
        return _named(causes) or _clean(getattr(error, "_desc", None) or str(error) or type(error).__name__)
    text = max((text for _name, text in causes if text.startswith(classes[-1])), key=len)
    return _with_fragment(text, error)


def _with_fragment(text: str, error: BaseException) -> str:
    """Append the SQL that Spark blames, where the message does not hold it yet."""
    if "== SQL" in text or not isinstance(error, PySparkException):
        return text
    for context in error.getQueryContext():
        if context.contextType() == QueryContextType.SQL and context.summary():
            return f"{text}\n{context.summary().strip()}"
    return text


def root_cause(error: BaseException) -> str:
    """Return the innermost message of an exception, of Spark or of a library below it."""
    return _named(_causes(error)) or spark_message(error)


def full_text(error: BaseException) -> str:
    """Return everything known of an exception, with the stacks of Python and Java, for dbt's debug log."""
    python = "".join(traceback.format_exception(error))
    return "\n".join(filter(None, [python, getattr(error, "_stackTrace", None)]))


def is_environment_error(error: BaseException) -> bool:
    """Tell whether reading failed for a reason that lies outside the file read."""
    return bool(_ENVIRONMENT.search(_everything(error)))


def is_missing_file(error: BaseException) -> bool:
    """Tell whether reading failed because the file does not exist."""
    return bool(_MISSING.search(_everything(error)))


def _classes(error: BaseException) -> list[str]:
    """Class of the Java exceptions behind a Python one, without the package."""
    return [name.rsplit(".", 1)[-1] for name, _text in _causes(error)]


def _causes(error: BaseException) -> list[tuple[str, str]]:
    """Class and message of the Java exceptions behind a Python one, outermost first; empty if there are none."""
    throwable: Any = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    found: list[tuple[str, str]] = []
    while throwable is not None and len(found) < _MAX_CAUSES:
        name = throwable.getClass().getName()
        # The simple message lacks the query plan that errors of the analysis append.
        text = throwable.getSimpleMessage() if name.endswith("AnalysisException") else throwable.getMessage()
        found.append((name, _clean(text or "")))
        throwable = throwable.getCause()
    return found


def _named(causes: list[tuple[str, str]]) -> str:
    name, text = next((cause for cause in reversed(causes) if cause[1]), causes[-1] if causes else ("", ""))
    return text if text.startswith("[") else ": ".join(filter(None, [name.rsplit(".", 1)[-1], text]))


def _everything(error: BaseException) -> str:
    causes = _causes(error)
    return (
        "\n".join(f"{name}: {text}" for name, text in causes) if causes else str(getattr(error, "_desc", None) or error)
    )


def _clean(text: str) -> str:
    return _STACK.sub("", text).strip()
