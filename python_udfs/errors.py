"""Errors the project raises on purpose. Their texts are written for the person who has to act on them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class LakehouseError(Exception):
    """Base of every error of this package: catching it means showing its text, never a stack trace."""

    # The adapter, which knows no class of the project, shows such an error as dbt's own.
    is_for_users = True


@dataclass(frozen=True)
class Problem:
    """One mistake in the metadata.

    Args:
        file: the CSV file, as the user would open it, for example ``seeds/cdc_tables.csv``.
        row: line of the file where the row starts, the header being line 1; 0 if the file as a whole is meant.
        column: name of the CSV column, empty if the row as a whole is meant.
        received: text of the cell or line.
        accepted: texts that the cell or line may have.
        fix: what to do.
    """

    file: str
    row: int
    column: str
    received: str
    accepted: str
    fix: str

    def __str__(self) -> str:
        """The problem in one line."""
        where = self.file
        if self.row:
            where += f" line {self.row}"
        if self.column:
            where += f", column {self.column}"
        return f"{where}: found {self.received}; accepted: {self.accepted}. {self.fix}"


class MetadataError(LakehouseError):
    """The metadata holds mistakes; all of them are in ``problems``, in the order of the files."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Take at least one problem."""
        self.problems = tuple(sorted(problems, key=lambda problem: (problem.file, problem.row)))
        super().__init__(self.problems)

    def __str__(self) -> str:
        """The counts, then one line per problem."""
        total = len(self.problems)
        per_file = Counter(problem.file for problem in self.problems)
        counts = ", ".join(f"{file}: {count}" for file, count in per_file.items())
        head = f"{total} problem{'s' if total > 1 else ''} in the metadata ({counts})"
        return "\n".join([head, *(f"  {problem}" for problem in self.problems)])


class UsageError(LakehouseError):
    """A command cannot be done as it was asked for; every reason is one line of ``problems``."""

    def __init__(self, problems: Sequence[str]) -> None:
        """Take at least one problem."""
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        """One line per problem."""
        return "\n".join(self.problems)
