"""Columns that are built once for all batches."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from spark_files.internals import java_gateway_in_use

_P = ParamSpec("_P")
_T = TypeVar("_T")


def cache_columns(build: Callable[_P, _T]) -> Callable[_P, _T]:
    """Cache the Column expressions of a function; building them takes many py4j calls.

    Args:
        build: a function of texts and truth values, which builds columns by name alone, of no frame in particular.
    """
    # Columns are objects of the Java that they were built in.
    built: Any = cache(lambda _java, *args, **kwargs: build(*args, **kwargs))

    @wraps(build)
    def build_once(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        columns: _T = built(java_gateway_in_use(), *args, **kwargs)
        return columns

    return build_once
