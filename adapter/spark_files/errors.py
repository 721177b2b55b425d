"""Spark's exceptions in the words a user needs: Spark's own message, no Java stack."""

from __future__ import annotations

import re
import traceback

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from spark_files.capabilities import sql_fragments
from spark_files.internals import MissingInternal, java_class, java_exception

# The text behind these markers is meant for people who debug Spark itself.
_STACK = re.compile(r"\n\s*at [\w.$/]+\(.*|\n\s*JVM stacktrace:[\s\S]*|\n\s*Driver stacktrace:[\s\S]*")
_SPARK_ERRORS = (PySparkException, Py4JError, MissingInternal)
_MAX_CAUSES = 20
_MAX_FRAMES = 50
_ERROR_CLASS = re.compile(r"\[[A-Z0-9_.]+\]")
# Java code that makes values out of the bytes of a file. Its errors are the file's fault; those of the code below it
# throws, which fetches the bytes, or the code beside it, which spills and sends rows, is not.
_DECODERS = (
    "org.apache.parquet.", "shaded.parquet.", "org.apache.hadoop.io.compress.", "org.apache.hadoop.util.LineReader",
    "org.apache.hadoop.mapreduce.lib.input.", "java.util.zip.", "org.xerial.snappy.", "com.github.luben.zstd.",
    "io.airlift.compress.", "net.jpountz.", "org.apache.spark.sql.execution.datasources.",
    "org.apache.spark.sql.execution.vectorized.", "org.apache.spark.sql.vectorized.", "org.apache.spark.sql.catalyst.",
    "org.apache.spark.unsafe.types.", "org.apache.spark.sql.types.",
)  # fmt: skip
_READERS = ("org.apache.spark.sql.execution.datasources.", "org.apache.parquet.hadoop.ParquetFileReader")
# Says nothing about who was at work: Java's own library, Scala's, and where Spark makes its exceptions.
_NEUTRAL = ("java.", "jdk.", "sun.", "scala.", "org.apache.spark.sql.errors.", "org.apache.spark.SparkException")
# How Spark reports that it could not read a file, and what it finds in a file's schema before it reads.
_OF_A_FILE = re.compile(r"\[(FAILED_READ_FILE|PARQUET_|UNABLE_TO_INFER_SCHEMA|COLUMN_ALREADY_EXISTS|UNSUPPORTED_)")
# Error classes that only report that something failed, and Spark's advice if it takes a file for one that is gone or a
# lost executor for a bug.
_BARE = ("[FAILED_READ_FILE", "[CANNOT_READ_FILE_FOOTER]", "[INTERNAL_ERROR]")
_ADVICE = re.compile(r" (File does not exist|You hit a bug in Spark)[\s\S]*")
# Names that Hadoop's paths cannot hold, such as one with a colon on a local disk.
_OF_A_NAME = "URISyntaxException"
# How parquet says that it has no class of a codec; Iceberg's own parquet, which writes, is in another package.
_NO_CODEC = "org.apache.parquet.hadoop.BadConfigurationException"
# How Iceberg says that another commit came first and this one was not made.
_CONFLICTS = ("CommitFailedException", "ValidationException")
# How Spark and Iceberg's catalogs say that a table to create is there.
_THERE = ("TableAlreadyExistsException", "AlreadyExistsException")
# Error of read_files for a file that it took to be simpler than it is.
UNVERIFIED = "This file has to be read in full before its rows are written"
_MISSING = re.compile(r"FileNotFoundException|PATH_NOT_FOUND|FAILED_READ_FILE\.FILE_NOT_EXIST|NoSuchFileException")


def is_commit_conflict(error: BaseException) -> bool:
    """Tell whether Iceberg refused a commit because of another one; the table is then as that one left it."""
    names = _classes(error)
    return "CommitStateUnknownException" not in names and any(name in _CONFLICTS for name in names)


def is_created_meanwhile(error: BaseException) -> bool:
    """Tell whether a table was not created because it is there."""
    return any(name in _THERE for name in _classes(error))


def is_missing_schema(error: BaseException) -> bool:
    """Tell whether a catalog has no such schema; AWS Glue has a word of its own for it."""
    return any(name in ("NoSuchNamespaceException", "EntityNotFoundException") for name in _classes(error))


def is_unsupported(error: BaseException) -> bool:
    """Tell whether a catalog cannot do what it was asked for, such as to list views."""
    return "UnsupportedOperationException" in _classes(error)


def is_spark_error(error: BaseException) -> bool:
    """Tell whether the exception was raised by Spark, by the bridge to it, or because either has changed inside."""
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
        return _named(causes) or _clean(str(error) or type(error).__name__)
    text = max((text for _name, text in causes if text.startswith(classes[-1])), key=len)
    return _with_fragment(_with_reason(text, causes), error)


def _with_reason(text: str, causes: list[tuple[str, str]]) -> str:
    """Append the innermost cause, if Spark only reports that something failed."""
    reason = _named(causes)
    if not text.startswith(_BARE) or reason in text:
        return text
    return f"{_ADVICE.sub('', text)}\n{reason}"


def _with_fragment(text: str, error: BaseException) -> str:
    """Append the SQL that Spark blames, if the message does not hold it yet."""
    if "== SQL" in text or not isinstance(error, PySparkException):
        return text
    return next((f"{text}\n{fragment}" for fragment in sql_fragments(error)), text)


def root_cause(error: BaseException) -> str:
    """Return the innermost message of an exception, of Spark or of a library below it."""
    return _named(_causes(error)) or spark_message(error)


def full_text(error: BaseException) -> str:
    """Return everything known of an exception, with the stacks of Python and Java, for dbt's debug log."""
    text = "".join(traceback.format_exception(error))
    throwable = java_exception(error)
    # py4j's own errors have the stack in their text.
    if throwable is None or isinstance(error, Py4JError):
        return text
    stack = java_class("java.io.StringWriter")()
    throwable.printStackTrace(java_class("java.io.PrintWriter")(stack))
    return f"{text}\n{stack.toString()}"


def is_file_fault(error: BaseException) -> bool:
    """Tell whether reading failed because of what is in the file, or how it is called.

    True only if Spark was reading a file, and the innermost exception comes from code that decodes.
    Everything else is the machine's, the network's or nobody's known fault, and no reason to reject a file.
    """
    text = _everything(error)
    if _OF_A_NAME in text:
        return True
    throwable = java_exception(error)
    # A checksum that somebody wrote beside the file is not that of its bytes.
    if "ChecksumException" in text:
        return True
    if throwable is None:
        return False
    while throwable.getCause() is not None:
        throwable = throwable.getCause()
    name = str(throwable.getClass().getName())
    if is_missing_codec(error):
        return True
    # Memory that is out, a class that is missing: Java's errors, other than its exceptions.
    if name.endswith("Error") or name.endswith("ClassNotFoundException"):
        return False
    if name.endswith("AnalysisException"):
        return bool(_OF_A_FILE.search(text))
    frames = [str(frame.getClassName()) for frame in throwable.getStackTrace()[:_MAX_FRAMES]]
    # Rows that are spilled and sent are compressed by the same libraries: only in a reader do they have a file's bytes.
    if not (_OF_A_FILE.search(text) or any(frame.startswith(_READERS) for frame in frames)):
        return False
    worker = next((frame for frame in frames if frame.startswith(_DECODERS) or not frame.startswith(_NEUTRAL)), None)
    # Java leaves the stack out of an exception that it throws often, such as that of an index.
    return worker.startswith(_DECODERS) if worker else name.startswith("java.lang.")


def is_missing_codec(error: BaseException) -> bool:
    """Tell whether a file names a codec of parquet, such as brotli, of which the class is not there."""
    return any(name == _NO_CODEC for name, _text in _causes(error))


def is_missing_file(error: BaseException) -> bool:
    """Tell whether reading failed because the file does not exist."""
    return bool(_MISSING.search(_everything(error)))


def is_unverified(error: BaseException) -> bool:
    """Tell whether reading failed because a file that was not read before has to be (`read_files`, `one_task`)."""
    return UNVERIFIED in _everything(error)


def _classes(error: BaseException) -> list[str]:
    """Class of the Java exceptions behind a Python one, without the package."""
    return [name.rsplit(".", 1)[-1] for name, _text in _causes(error)]


def _causes(error: BaseException) -> list[tuple[str, str]]:
    """Class and message of the Java exceptions behind a Python one, outermost first; empty if there are none."""
    throwable = java_exception(error)
    causes: list[tuple[str, str]] = []
    while throwable is not None and len(causes) < _MAX_CAUSES:
        name = throwable.getClass().getName()
        # The simple message lacks the query plan that errors of the analysis append.
        text = throwable.getSimpleMessage() if name.endswith("AnalysisException") else throwable.getMessage()
        causes.append((name, _clean(text or "")))
        throwable = throwable.getCause()
    return causes


def _named(causes: list[tuple[str, str]]) -> str:
    name, text = next((cause for cause in reversed(causes) if cause[1]), causes[-1] if causes else ("", ""))
    return text if text.startswith("[") else ": ".join(filter(None, [name.rsplit(".", 1)[-1], text]))


def _everything(error: BaseException) -> str:
    causes = _causes(error)
    return "\n".join(f"{name}: {text}" for name, text in causes) if causes else _clean(str(error))


def _clean(text: str) -> str:
    return _STACK.sub("", text).strip()
