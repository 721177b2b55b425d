"""How gold reads and writes SQL: Spark's, with each function as the user has written it."""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import ErrorLevel
from sqlglot.parsers.spark import SparkParser

# sqlglot writes these as other functions: of other digits (`log(10, x)`), or without the format.
_KEPT = {"LOG10", "LOG2", "TO_CHAR"}
# A text, a quoted name, or what is between them.
_QUOTED = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|[^'"`]+""")


class GoldSpark(Spark):
    """sqlglot's dialect of Spark; functions that it would write as others are names that it does not know."""

    class Parser(SparkParser):
        """Reads a query."""

        FUNCTIONS: ClassVar = {name: build for name, build in SparkParser.FUNCTIONS.items() if name not in _KEPT}


def write_sql(tree: exp.Expr, pretty: bool = False) -> str:
    """Writes a query, keywords and functions in lower case; texts and quoted names stay.

    Args:
        tree: of the query. Its comments are left out: a quote in a comment begins no text.
        pretty: whether it has several lines.

    Raises:
        sqlglot.errors.UnsupportedError: sqlglot would leave out a part of it.
    """
    text = tree.sql(dialect=GoldSpark, comments=False, pretty=pretty, unsupported_level=ErrorLevel.RAISE)
    return _QUOTED.sub(lambda part: part[0] if part[0][0] in "'\"`" else part[0].lower(), text)
