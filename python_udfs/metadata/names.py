"""Names of tables and columns: which are reserved, what a name of the source becomes, and what needs quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping

RESERVED_PREFIX = "_cdc_"
# Names of Iceberg's metadata columns, which no table can have as its own.
RESERVED_NAMES = (
    "_deleted",
    "_file",
    "_pos",
    "_partition",
    "_spec_id",
    "_row_id",
    "_last_updated_sequence_number",
    "_change_type",
    "_change_ordinal",
    "_commit_snapshot_id",
)
OTHER_NAME_PREFIX = "source_"

# Words that Spark reserves under spark.sql.ansi.enforceReservedKeywords (its function sql_keywords() lists them).
RESERVED_WORDS = frozenset(
    """all and any as authorization both call case cast check collate collation column constraint create cross
    current_date current_time current_timestamp current_user distinct else end escape except execute false fetch
    filter for foreign from full grant group having in inner intersect into is join lateral leading left natural
    not null offset on only or order outer overlaps primary recursive references right select session_user some
    sql table then time to trailing union unique unknown user using when where with within""".split()  # noqa: SIM905 - ninety quoted words would be harder to read
)


def clean_name(name: str) -> str:
    """Lower-case ``name`` and put ``_`` for every character that is not a letter, a digit or ``_``."""
    return re.sub(r"[^a-z0-9_]", "_", name.lower())


def default_target(schema: str, table: str) -> str:
    """Name that a source table has inside a layer if its row names none: ``<schema>__<table>``, cleaned."""
    return f"{clean_name(schema)}__{clean_name(table)}"


def proposed_target(feed: str, schema: str, table: str) -> str:
    """Name for a source table whose default is another table's: ``<feed>_<schema>__<table>``, cleaned."""
    return f"{feed}_{default_target(schema, table)}"


def table_name(name: str) -> str:
    """Name that a column of the source has in bronze and silver. Iceberg reserves names, and the project adds columns.

    A reserved name gets ``source_`` in front. So does a name that could be such a name: no two columns get one name.
    """
    bare = name.lower()
    while bare.startswith(OTHER_NAME_PREFIX):
        bare = bare.removeprefix(OTHER_NAME_PREFIX)
    is_reserved = bare in RESERVED_NAMES or bare.startswith(RESERVED_PREFIX)
    return f"{OTHER_NAME_PREFIX}{name}" if is_reserved else name


def file_name(name: str) -> str:
    """Name that the source has for a column of bronze: `table_name` the other way round."""
    bare = name[len(OTHER_NAME_PREFIX) :]
    return bare if name.lower().startswith(OTHER_NAME_PREFIX) and table_name(bare) == name else name


def new_name(renamed: Mapping[str, str], name: str) -> str:
    """Name that a column has by the seed's renames.

    Args:
        renamed: new name by old name, `renamed_columns` of a table; case does not count.
        name: of the column.
    """
    return next((new for old, new in renamed.items() if old.lower() == name.lower()), name)


def names_in_files(renamed: Mapping[str, str], name: str) -> list[str]:
    """Names, in lower case, that files may have for a column of bronze: its own, and those that it had before.

    Args:
        renamed: as for `new_name`.
        name: of the column.
    """
    return [name.lower(), *(old.lower() for old, new in renamed.items() if new.lower() == name.lower())]


def needs_quotes(name: str) -> bool:
    """Whether Spark SQL reads ``name`` as a column only between backquotes."""
    return not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name.lower() in RESERVED_WORDS


def quoted(name: str) -> str:
    """``name`` as a Spark SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


def quote_if_needed(name: str) -> str:
    """``name`` as a Spark SQL identifier, between backquotes if it has to be."""
    return quoted(name) if needs_quotes(name) else name
