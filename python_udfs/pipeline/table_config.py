"""What a generated model states about its table under ``meta.cdc``, as a typed value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any

from python_udfs.errors import UsageError
from python_udfs.metadata.options import ReadOptions
from python_udfs.pipeline.warehouse import TableColumn

# Feed, schema and table at the source; a split table has a feed alone.
Source = tuple[str, "str | None", "str | None"]


@dataclass(frozen=True)
class ListedColumn:
    """A column of a table that ``cdc_columns.csv`` gives a type; ``optional``: records of CSV may lack it."""

    name: str
    type: str
    optional: bool = False


@dataclass(frozen=True)
class SourceTable:
    """A table of a feed whose files or messages are split."""

    source_schema: str
    source_table: str


@dataclass(frozen=True)
class TableConfig:
    """The description of a table. A text that the layer does not state is empty.

    Attributes:
        layer: ``split``, ``bronze``, ``silver``, ``etl_metadata`` or ``view``. The others have no more than this.
        feed: of the table.
        connector: of the feed; bronze and split tables state it, as the next three.
        split: the model of the feed's split table; None: it has no multi-table files and no messages.
        is_kafka: whether the feed reads topics.
        tables: those that a split table has rows of.
        source_schema: at the source; a split table has several.
        source_table: at the source.
        primary_key: names of columns in bronze and silver.
        schema_drift: ``evolve``, ``freeze`` or ``quarantine``.
        renamed_columns: new name by old name.
        format: of the files; bronze states it, as the next three.
        vanished_files: what a file that is gone means.
        options: how files are read.
        columns: those that have a type in ``cdc_columns.csv``.
        mode: ``current``, ``history`` or ``append``; silver states it, as the next three.
        delete_mode: ``hard`` or ``soft``.
        key_comparison: in which ways keys are equal that differ.
        unchanged_rows: ``write`` or ``skip``.
    """

    layer: str
    feed: str = ""
    connector: str = ""
    split: str | None = None
    is_kafka: bool = False
    tables: tuple[SourceTable, ...] = ()
    source_schema: str = ""
    source_table: str = ""
    primary_key: tuple[str, ...] = ()
    schema_drift: str = "evolve"
    renamed_columns: Mapping[str, str] = field(default_factory=dict)
    format: str = ""
    vanished_files: str = "report"
    options: ReadOptions = field(default_factory=ReadOptions)
    columns: tuple[ListedColumn, ...] = ()
    mode: str = ""
    delete_mode: str = ""
    key_comparison: tuple[str, ...] = ()
    unchanged_rows: str = ""

    @property
    def source(self) -> Source:
        """Feed, schema and table that it has rows of."""
        return self.feed, self.source_schema or None, self.source_table or None

    @property
    def is_soft(self) -> bool:
        """Whether deleted rows stay in silver, marked."""
        return self.mode == "current" and self.delete_mode == "soft"

    def as_text(self) -> TableConfig:
        """Returns the description as of a format that takes all types from ``cdc_columns.csv``."""
        return replace(self, format="csv")


@dataclass(frozen=True)
class WaitingConfig(TableConfig):
    """A table with what decides which of its quarantined rows are overtaken.

    Attributes:
        silver: the silver table; None: there is none.
        has_key: whether silver holds the current state by a key, and bronze has the columns of the key: before the
            first file it has none.
    """

    silver: TableConfig | None = None
    has_key: bool = False


_SOURCE = ("feed", "source_schema", "source_table", "primary_key")
_REQUIRED = {
    "split": ("feed", "connector", "tables"),
    "bronze": (*_SOURCE, "connector", "format", "options", "columns"),
    "silver": (*_SOURCE, "mode", "delete_mode", "unchanged_rows"),
}
_KINDS = {"columns": ListedColumn, "tables": SourceTable}
_LISTS = (*_KINDS, "primary_key", "key_comparison")


def read_config(stated: Mapping[str, Any], model: str) -> TableConfig:
    """Reads the description of a table.

    Args:
        stated: by a model under ``meta.cdc``.
        model: its name.

    Raises:
        UsageError: the model lacks a field of its layer, or states one that the pipeline does not know.
    """
    problems = list_problems(stated, model)
    if problems:
        raise UsageError(problems)
    values: dict[str, Any] = {name: tuple(value) if name in _LISTS else value for name, value in stated.items()}
    options: dict[str, Any] = dict(values.get("options", {}))
    if "null_values" in options:
        options["null_values"] = tuple(options["null_values"])
    values["options"] = ReadOptions(**options)
    values["columns"] = tuple(ListedColumn(**column) for column in values.get("columns", ()))
    values["tables"] = tuple(SourceTable(**table) for table in values.get("tables", ()))
    return TableConfig(**values)


def list_problems(stated: Mapping[str, Any], model: str) -> list[str]:
    """Returns all mistakes in the description of a table, in one text; none if it has none.

    Args:
        stated: by a model under ``meta.cdc``.
        model: its name.
    """
    required = _REQUIRED.get(str(stated.get("layer")), ())
    mistakes = [f"lacks {name}" for name in required if name not in stated]
    mistakes += _list_mistakes("", stated, TableConfig)
    mistakes += _list_mistakes("options.", stated.get("options", {}), ReadOptions)
    for name in _LISTS:
        entries = stated.get(name, ())
        if not isinstance(entries, (list, tuple)):
            mistakes.append(f"states {name}: {entries!r}, expected a list")
        elif name in _KINDS:
            for number, entry in enumerate(entries):
                mistakes += _list_mistakes(f"{name}[{number}].", entry, _KINDS[name])
    if not mistakes:
        return []
    advice = "Run make models; a model written by hand has to state what python_udfs/pipeline/table_config.py describes"
    return [f"CDC error in {model}: the description of its table {'; it '.join(mistakes)}. {advice}."]


def _list_mistakes(path: str, stated: Any, kind: type) -> list[str]:
    if not isinstance(stated, Mapping):
        return [f"states {path.rstrip('.')}: {stated!r}, expected a mapping"]
    names = [field.name for field in fields(kind)]
    required = [field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return [f"lacks {path}{name}" for name in required if name not in stated] + [
        f"states {path}{name}, which is unknown: expected one of {', '.join(names)}"
        for name in stated
        if name not in names
    ]


def add_silver(cdc: TableConfig, silver: TableConfig | None, columns: Iterable[TableColumn]) -> WaitingConfig:
    """Returns the description of a table with that of its silver table.

    Args:
        cdc: of the table.
        silver: of its silver table; None: there is none.
        columns: of its bronze table.
    """
    names = {column.name.lower() for column in columns}
    has_key = silver is not None and silver.mode == "current" and names >= set(map(str.lower, silver.primary_key))
    return WaitingConfig(**vars(cdc), silver=silver, has_key=has_key)
