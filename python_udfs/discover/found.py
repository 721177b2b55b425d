"""Tables of a source, before they become rows of metadata."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Warned:
    """Something that the person who reviews the rows has to know.

    Args:
        label: two or three words, for the table of results; one advice per label.
        advice: what it means and what to do, the same for every table.
        detail: what of it concerns this table; empty if there is nothing to add.
    """

    label: str
    advice: str
    detail: str = ""


@dataclass(frozen=True)
class FoundColumn:
    """A column at its position in the table, in the words of ``cdc_columns.csv``.

    ``encoding`` is how Debezium's messages write it with the connector's default settings.
    """

    name: str
    data_type: str
    description: str = ""
    optional: bool = False
    encoding: str = ""


@dataclass
class FoundTable:
    """A table as its source describes it; names are spelled as capture spells them.

    ``only_older`` are columns, in lower case, that older files have and the newest one lacks.
    """

    schema: str
    name: str
    columns: list[FoundColumn]
    primary_key: tuple[str, ...] = ()
    key_comparison: tuple[str, ...] = ()
    description: str = ""
    only_older: frozenset[str] = frozenset()
    warned: list[Warned] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """The name for people: ``schema.table``."""
        return f"{self.schema}.{self.name}"


@dataclass
class Found:
    """Everything a source holds, in the order of the names.

    Args:
        source: the source in words, without user and password.
        kind: what keeps the tables, in a word.
        tables: its tables.
        format: format of the files, as far as the source shows it.
        options: options of the feed that the source shows, in the words of ``cdc_feeds.csv``.
        is_named: whether the source names the columns.
        has_types: whether the source has types of its own, which are not guessed from values.
        change_sequence: name of the column with DMS's change sequence, if the files have one (docs/feeds/dms_format.md,
            Header columns).
        warned: what concerns all tables.
    """

    source: str
    kind: str
    tables: list[FoundTable]
    format: str = "parquet"
    options: dict[str, str] = field(default_factory=dict)
    is_named: bool = True
    has_types: bool = True
    change_sequence: str | None = None
    warned: list[Warned] = field(default_factory=list)


@dataclass(frozen=True)
class Typed:
    """A type of a source, translated.

    Args:
        data_type: the Spark type that holds every captured value, or as many as one can.
        remark: what does not fit, in plain words; empty if everything does.
        is_known: False for a type that no table of types lists.
        is_large: DMS moves such values as LOBs, which it cuts (docs/feeds/dms_format.md, Values in CSV).
    """

    data_type: str
    remark: str = ""
    is_known: bool = True
    is_large: bool = False


def warn_no_key(detail: str) -> Warned:
    """The warning of a table without a primary key; ``detail`` names what could serve as one."""
    advice = (
        "No primary key: proposed is mode append, where silver keeps every insert and applies no update and no delete. "
        "Write the columns that identify a row into primary_key, and current into mode."
    )
    return Warned("no key", advice, detail)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is like one of the patterns of SQL's LIKE (`%`, `_`) without regard to case, or there is none."""
    regexes = (re.escape(pattern).replace("%", ".*").replace("_", ".") for pattern in patterns)
    return not patterns or any(re.fullmatch(regex, name, re.IGNORECASE | re.DOTALL) for regex in regexes)
