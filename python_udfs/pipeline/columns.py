"""Columns of a batch, of a table, and of both together: names, types, and what changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from python_udfs.errors import LakehouseError, UsageError
from python_udfs.metadata.names import RESERVED_PREFIX, file_name, names_in_files, new_name
from python_udfs.pipeline.commands import change_types
from python_udfs.pipeline.table_config import ListedColumn, TableConfig
from python_udfs.pipeline.warehouse import Relation, TableColumn, Warehouse, WritesNames

_TIME_TRANSFORMS = ("years", "months", "days", "hours")
_TABLE_TYPES = {
    "tinyint": "int",
    "byte": "int",
    "smallint": "int",
    "short": "int",
    "integer": "int",
    "long": "bigint",
    "real": "float",
    "decimal": "decimal(10,0)",
    "dec": "decimal(10,0)",
    "numeric": "decimal(10,0)",
    "variant": "string",
}
# Durations are in files of Spark's own only.
_TEXT_TYPES = ("varchar", "char", "interval")


@dataclass(frozen=True)
class ExistingColumn:
    """A column as a table will have it: `TableColumn` under another name."""

    name: str
    dtype: str


@dataclass(frozen=True)
class SourceColumn:
    """A column of the source in one batch.

    Attributes:
        name: its name in bronze.
        type: that bronze shall have.
        raw_type: that the view over the files has; None: no file has the column.
        is_listed: whether cdc_columns.csv states the type.
        types: those of the files, in their order, if they differ; a stated type is the first.
    """

    name: str
    type: str
    raw_type: str | None
    is_listed: bool = False
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column of a table as it is when a batch is written, or a place in files that has values of it.

    Attributes:
        name: of the column.
        type: that the table will have.
        raw_type: of the values of the batch; None: the batch lacks the column.
        change: ``add``, ``promote`` or None.
        listed_type: that cdc_columns.csv states.
        is_cast: whether values are cast while files are read, because files have several types of it.
        is_behind: whether the table's type does not hold each value of the stated one.
        old_columns: columns of bronze, or of files if it is a before image, that have it under another name.
        sql: the expression of its values; None: its name.
        key: the key column that it is a before image of; None: it is none.
    """

    name: str
    type: str
    raw_type: str | None = None
    change: str | None = None
    listed_type: str | None = None
    is_cast: bool = False
    is_behind: bool = False
    old_columns: tuple[str, ...] = ()
    sql: str | None = None
    key: Column | None = None

    @property
    def has_bytes(self) -> bool:
        """Whether texts of messages are bytes: the seed lists them so, and the table was not made with texts."""
        return self.raw_type == self.type == "binary"

    @property
    def may_fail(self) -> bool:
        """Whether a cast may not keep its values."""
        return self.raw_type is not None and self.type not in ("string", self.raw_type)


@dataclass(frozen=True)
class ColumnChanges:
    """What a batch changes of the columns of a table, in one commit.

    Attributes:
        renames: new names of columns by their old ones.
        types: wider types of columns by the names that the columns have afterwards.
        added: types of new columns by their names.
    """

    renames: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class MergedColumn:
    """A renamed column as rows of bronze have it: under its old names and its present one.

    Attributes:
        name: that it has now.
        old_columns: columns of bronze that have it under an old name.
        old_names: in lower case, that rows may have of it from before the rename.
        is_key: whether it is of the key.
    """

    name: str
    old_columns: tuple[str, ...]
    old_names: tuple[str, ...]
    is_key: bool


@dataclass(frozen=True)
class Drift:
    """A difference of a file from the columns of its table.

    Attributes:
        position: of the file's schema; None: each file has its own names.
        name: that the file has for a column, in lower case; None: the whole schema differs.
        words: for people.
    """

    position: int | None
    name: str | None
    words: str


@dataclass(frozen=True)
class JudgedColumns:
    """Columns of a batch by what a row needs.

    Attributes:
        of_key: every row needs them.
        others: all rows but deletes need them; before images of the key are among them.
        may_fail: the names of those others whose values may not fit, in the order of ``_cdc_other_failures``.
    """

    of_key: tuple[Column, ...]
    others: tuple[Column, ...]
    may_fail: tuple[str, ...]


def read_source_columns(cdc: TableConfig, columns: Iterable[Mapping[str, Any]]) -> tuple[SourceColumn, ...]:
    """Returns the source's columns in one batch.

    Parquet carries names and types: a type in cdc_columns.csv goes before those of the files, and a column of which
    nothing states a type (void) comes with the first file that does. CSV and messages take both from cdc_columns.csv,
    and a header or a message may add columns, as text. A renamed column goes by its new name; the files of one batch
    may have both.

    Args:
        cdc: of the table.
        columns: of the view over the files.
    """
    by_name: dict[str, SourceColumn] = {}
    if cdc.format != "parquet":
        for listed in _select_listed_columns(cdc):
            type_ = write_table_type(listed.type)
            raw_type = type_ if cdc.format == "json" and type_ == "binary" else "string"
            by_name[listed.name.lower()] = SourceColumn(listed.name, type_, raw_type, is_listed=True)
    for column in select_own_columns(cdc, columns):
        if column["type"] == "void":
            continue
        name, type_ = rename(cdc, column["name"]), write_table_type(column["type"])
        before = by_name.get(name.lower())
        if before is None:
            by_name[name.lower()] = SourceColumn(name, type_, column["type"])
        elif not before.is_listed and before.raw_type != column["type"]:
            by_name[name.lower()] = replace(before, types=(*(before.types or (before.type,)), type_))
    if cdc.format == "parquet":
        _bind_types(cdc, by_name)
    return tuple(by_name.values())


def _bind_types(cdc: TableConfig, by_name: dict[str, SourceColumn]) -> None:
    """Gives the columns of parquet files the types of cdc_columns.csv, as if a file before them had these.

    A column that no file has gets its row, too: a table without files is as its metadata describes it.
    """
    for listed in _select_listed_columns(cdc):
        name, type_ = listed.name.lower(), write_table_type(listed.type)
        of_files = by_name.get(name)
        if of_files is None:
            by_name[name] = SourceColumn(listed.name, type_, None, is_listed=True)
            continue
        types = of_files.types or (of_files.type,)
        types = () if types == (type_,) else (type_, *types)
        by_name[name] = replace(of_files, type=type_, is_listed=True, types=types)


def select_own_columns(cdc: TableConfig, columns: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns the columns of files that are the source's: not those that DMS adds.

    Without a header, a column named Op is the source's. Without a name there is no column: who reads the files reports
    a value that is there, and rejects such a file of parquet.

    Args:
        cdc: of the table.
        columns: of files.
    """
    columns = list(columns)
    names = [column.get("file_name") or column["name"] for column in columns]
    added = _control_columns(cdc, names) | _columns_behind(cdc, names)
    return [column for column, name in zip(columns, names, strict=True) if name and name not in added]


def _select_listed_columns(cdc: TableConfig) -> list[ListedColumn]:
    """The listed columns that are the source's; without names in files, none of them is a control column."""
    names = [column.name for column in cdc.columns]
    added = _columns_behind(cdc, names) | (_control_columns(cdc, names) if cdc.format == "parquet" else set())
    return [column for column in cdc.columns if column.name not in added]


def _control_columns(cdc: TableConfig, names: Sequence[str]) -> set[str]:
    """DMS writes ``Op`` so and no other way: a column ``op`` is the source's."""
    options = cdc.options
    controls = _spelt(options.timestamp_column or "", names)
    if options.operation_column != "never" and cdc.format != "json":
        controls |= {"Op"}
    return controls


def _columns_behind(cdc: TableConfig, names: Sequence[str]) -> set[str]:
    """The change sequence and before images stand behind the columns of the source (docs/feeds/dms_format.md).

    The prefix counts as the metadata writes it: with BI_, bi_score is a column of the source.
    """
    prefix = cdc.options.before_image_prefix
    images = {name for name in names if name.startswith(prefix)} if prefix is not None else set()
    return images | _spelt(cdc.options.change_sequence_column or "", names)


def _spelt(name: str, names: Sequence[str]) -> set[str]:
    """The name itself; only if it is not there, those that differ from it in case."""
    return {name} if name in names else {other for other in names if other.lower() == name.lower()}


def write_table_type(type_: str) -> str:
    """Returns the type that Iceberg keeps: it has no integers of 8 and 16 bits, and no text with a length."""
    type_ = type_.lower()
    if type_.startswith(_TEXT_TYPES):
        return "string"
    return _TABLE_TYPES.get(type_) or type_.replace(" ", "")


def plan_columns(
    source: Sequence[SourceColumn], target: Sequence[TableColumn], policy: str, warehouse: Warehouse
) -> tuple[Column, ...]:
    """Returns every column as it is when a batch meets a table.

    The first file that has a column makes its type; then the policy counts: freeze and quarantine change no type, and
    quarantine adds no column that is not listed once there is a table. The types of a batch are taken in the order of
    its files, as if each were a batch.

    Args:
        source: of the batch.
        target: of the table; none: it does not exist.
        policy: ``evolve``, ``freeze`` or ``quarantine``.
        warehouse: knows which types Iceberg widens.
    """
    new = {column.name.lower(): column for column in source}
    plan = []
    for column in target:
        if not column.name.startswith(RESERVED_PREFIX):
            old_type = column.dtype.lower()
            plan.append(_plan_column(column.name, old_type, new.pop(column.name.lower(), None), policy, warehouse))
    is_closed = policy == "quarantine" and bool(plan)
    for added in source:
        if added.name.lower() in new and (added.is_listed or not is_closed):
            plan.append(replace(_plan_column(added.name, added.type, added, policy, warehouse), change="add"))
    return tuple(plan)


def _plan_column(name: str, old_type: str, column: SourceColumn | None, policy: str, warehouse: Warehouse) -> Column:
    if column is None:
        return Column(name, old_type)
    type_ = old_type
    for of_file in column.types or (column.type,):
        if policy == "evolve" and warehouse.is_type_promotion(type_, of_file):
            type_ = of_file
    listed_type = column.type if column.is_listed else None
    return Column(
        name=name,
        type=type_,
        raw_type=type_ if column.types else column.raw_type,
        change="promote" if type_ != old_type else None,
        listed_type=listed_type,
        is_cast=bool(column.types),
        is_behind=listed_type is not None and not warehouse.holds(type_, listed_type),
    )


def judge_columns(cdc: TableConfig, columns: Sequence[Column]) -> JudgedColumns:
    """Sorts the columns of a batch, before images included, by the rows that need them."""
    keys = {key.lower() for key in cdc.primary_key}
    of_key = tuple(column for column in columns if column.key is None and column.name.lower() in keys)
    others = tuple(column for column in columns if column not in of_key)
    cast = [column for column in others if column.is_cast] if cdc.format == "parquet" else []
    failing = [*cast, *(column for column in others if column.may_fail)]
    return JudgedColumns(of_key, others, tuple(column.name for column in failing))


def select_bronze_columns(cdc: TableConfig, columns: Sequence[TableColumn]) -> tuple[SourceColumn, ...]:
    """Returns the source columns of bronze as silver has them: one that has an old and a new name is one column."""
    names = {column.name.lower() for column in columns}
    own = [column for column in columns if not column.name.startswith(RESERVED_PREFIX)]
    return tuple(
        SourceColumn(column.name, column.dtype, column.dtype)
        for column in own
        if rename(cdc, column.name).lower() == column.name.lower() or rename(cdc, column.name).lower() not in names
    )


def select_log_columns(cdc: TableConfig, columns: Sequence[TableColumn], wanted: Iterable[str]) -> tuple[Column, ...]:
    """Returns the source columns of bronze that a table of silver has.

    Args:
        cdc: of the table.
        columns: of bronze.
        wanted: names of silver's columns.
    """
    names = {name.lower() for name in wanted}
    return tuple(
        Column(column.name, column.dtype, column.dtype, old_columns=find_old_columns(cdc, column.name, columns))
        for column in columns
        if column.name.lower() in names and not column.name.startswith(RESERVED_PREFIX)
    )


def rename(cdc: TableConfig, name: str) -> str:
    """Returns the name that a column of files has now."""
    return new_name(cdc.renamed_columns, name)


def list_names_in_files(cdc: TableConfig, name: str) -> list[str]:
    """Returns the names, in lower case, that files may have for a column: its own, then its old ones."""
    return names_in_files(cdc.renamed_columns, name)


def find_old_columns(cdc: TableConfig, name: str, columns: Iterable[TableColumn]) -> tuple[str, ...]:
    """Returns the columns of a table that the metadata knows as old names of a column."""
    old = list_names_in_files(cdc, name)[1:]
    return tuple(column.name for column in columns if column.name.lower() in old) if old else ()


def find_renames(
    cdc: TableConfig, columns: Sequence[TableColumn], allowed: Iterable[str] | None = None
) -> dict[str, str]:
    """Returns the columns of a table that get a new name; one that has both names already is left alone.

    Args:
        cdc: of the table; ``renamed_columns`` asks for them.
        columns: of the table.
        allowed: only to these names, in lower case; None: to any.
    """
    present = {column.name.lower(): column.name for column in columns}
    renames: dict[str, str] = {}
    for old, new in cdc.renamed_columns.items():
        is_free = new.lower() not in present and (allowed is None or new.lower() in allowed)
        if old.lower() in present and is_free:
            renames[old] = new
            present[new.lower()] = new
    return renames


def rename_all(columns: Sequence[TableColumn], renames: Mapping[str, str]) -> Sequence[TableColumn]:
    """Returns the columns of a table under their new names."""
    new = {old.lower(): name for old, name in renames.items()}
    return [ExistingColumn(new.get(column.name.lower(), column.name), column.dtype) for column in columns]


def plan_merges(cdc: TableConfig, plan: Iterable[Column]) -> tuple[MergedColumn, ...]:
    """Returns the renamed columns of a plan of silver that bronze has a part of.

    Args:
        cdc: of the table.
        plan: of silver, with the old columns of bronze.
    """
    keys = {key.lower() for key in cdc.primary_key}
    merged = (
        MergedColumn(
            column.name,
            column.old_columns,
            tuple(list_names_in_files(cdc, column.name)[1:]),
            is_key=column.name.lower() in keys,
        )
        for column in plan
        if column.raw_type is not None
    )
    return tuple(column for column in merged if column.old_names)


def plan_changes(plan: Iterable[Column], renames: Mapping[str, str] | None = None) -> ColumnChanges:
    """Returns the changes that give a table the names, types and columns of a plan.

    Args:
        plan: of the columns of the table.
        renames: new names of columns by their old ones.
    """
    plan = list(plan)
    return ColumnChanges(
        dict(renames or {}),
        {column.name: column.type for column in plan if column.change == "promote"},
        {column.name: column.type for column in plan if column.change == "add"},
    )


def has_other_types(plan: Iterable[Column], warehouse: Warehouse) -> bool:
    """Returns whether values of a batch do not fit the types of the table although no row breaks a rule.

    Bronze was rewritten with other types (change_types), and silver was not: silver is made again from all of bronze.
    """
    return any(
        column.raw_type not in (None, column.type)
        and not warehouse.is_type_promotion(str(column.raw_type).lower(), column.type.lower())
        for column in plan
    )


def plan_silver_columns(
    cdc: TableConfig,
    bronze: Relation,
    bronze_columns: Sequence[TableColumn],
    silver: Relation,
    target: Sequence[TableColumn],
    partition_by: Sequence[str],
    warehouse: Warehouse,
) -> tuple[Column, ...]:
    """Returns silver's source columns: those of bronze.

    While nothing has arrived bronze has none of them: key and partition columns are then placeholders, and the empty
    table is created again when the first rows come, with the types that they bring. A frozen table keeps the columns
    that it has.

    Args:
        cdc: of the table of silver.
        bronze: its log.
        bronze_columns: of the log.
        silver: the table.
        target: its columns, under their new names; none: it does not exist.
        partition_by: its partitions, as Spark writes them.
        warehouse: knows which types Iceberg widens.

    Raises:
        LakehouseError: bronze lacks a key column, or a renamed column cannot be one.
    """
    source = select_bronze_columns(cdc, bronze_columns)
    _check_key(cdc, bronze, silver, [column.name for column in source])
    if not source:
        return _placeholders(cdc.primary_key, partition_by)
    check_renames(cdc, bronze, silver, bronze_columns, target, warehouse)
    is_frozen = cdc.schema_drift == "freeze" and bool(target)
    plan = plan_columns(source, target, "freeze" if is_frozen else "evolve", warehouse)
    return tuple(
        replace(column, old_columns=find_old_columns(cdc, column.name, bronze_columns))
        for column in plan
        if not is_frozen or column.change != "add"
    )


def _placeholders(primary_key: Sequence[str], partition_by: Sequence[str]) -> tuple[Column, ...]:
    types = dict.fromkeys(primary_key, "string")
    for transform in partition_by:
        name = transform.split("(")[-1].split(",")[-1].replace(")", "").replace("`", "").strip()
        types[name] = "timestamp" if transform.split("(")[0] in _TIME_TRANSFORMS else "string"
    return tuple(Column(name, type_, change="add") for name, type_ in types.items())


def _check_key(cdc: TableConfig, bronze: Relation, silver: Relation, columns: Sequence[str]) -> None:
    present = {name.lower() for name in columns}
    missing = [key.lower() for key in cdc.primary_key if key.lower() not in present]
    if columns and missing:
        raise LakehouseError(
            f"CDC error in {silver} (cdc_merge): {bronze} has no key column {', '.join(missing)}; it has"
            f" {', '.join(columns)}. Correct primary_key of {cdc.source_schema}.{cdc.source_table} in"
            " seeds/cdc_tables.csv and run make models."
        )


def check_renames(
    cdc: TableConfig,
    bronze: Relation,
    silver: Relation,
    bronze_columns: Sequence[TableColumn],
    silver_columns: Sequence[TableColumn],
    warehouse: Warehouse,
) -> None:
    """Raises a LakehouseError with all renamed columns that cannot be one column."""
    types = {column.name.lower(): column.dtype.lower() for column in bronze_columns}
    in_silver = {column.name.lower() for column in silver_columns}
    problems = []
    for old, new in cdc.renamed_columns.items():
        if {old.lower(), new.lower()} <= in_silver:
            problems.append(
                f"{silver} has both columns {old} and {new}, expected {new} only. Rebuild it from bronze: dbt"
                f" run-operation rebuild_silver --args '{{table: {silver.identifier}}}'."
            )
        old_type, new_type = types.get(old.lower()), types.get(new.lower())
        if old_type and new_type and old_type != new_type and not warehouse.is_type_promotion(old_type, new_type):
            problems.append(
                f"{bronze} has {old} {old_type} and {new} {new_type}, expected one type. They cannot be read as one"
                f" column: take {old}={new} out of renamed_columns."
            )
    if problems:
        raise UsageError(
            [
                f"CDC error in {silver} (cdc_merge): renamed_columns of {cdc.source_schema}.{cdc.source_table} in"
                f" seeds/cdc_tables.csv: {' '.join(problems)}"
            ]
        )


def plan_before_images(
    cdc: TableConfig, columns: Sequence[Mapping[str, Any]], plan: Sequence[Column], warehouse: Warehouse
) -> tuple[Column, ...]:
    """Returns the columns that hold the key as it was before a change (docs/feeds/dms_format.md, Images).

    Their values are cast to the key's type and judged like any other, but not those of a delete: an old key that cannot
    be read is no key. A key of files has changed only if each of its columns has a before image.

    Args:
        cdc: of the table.
        columns: of the files, as they are read; messages need none, and CSV without a header has the listed ones.
        plan: of the table.
        warehouse: writes literals.
    """
    keys = {key.lower() for key in cdc.primary_key}
    of_key = [column for column in plan if column.name.lower() in keys]
    if cdc.format == "json":
        return tuple(_message_image(cdc, column, warehouse) for column in of_key if column.type != "binary")
    prefix = cdc.options.before_image_prefix
    if cdc.format == "csv" and not cdc.options.header:
        columns = [{"name": column.name} for column in cdc.columns]
    images = [_file_image(cdc, prefix, columns, column) for column in of_key] if prefix else []
    complete = tuple(image for image in images if image)
    return complete if len(complete) == len(cdc.primary_key) else ()


def _message_image(cdc: TableConfig, column: Column, warehouse: Warehouse) -> Column:
    text = write_entry("_cdc_before", list_literals(cdc, column, warehouse))
    return Column(f"before image of {column.name}", column.type, "string", sql=text, key=column)


def list_literals(cdc: TableConfig, column: Column, warehouse: WritesNames) -> list[str]:
    """Returns the names that messages may have for a column, in lower case as their images have them; its own first."""
    return [warehouse.string_literal(file_name(name)) for name in list_names_in_files(cdc, column.name)]


def _file_image(cdc: TableConfig, prefix: str, columns: Sequence[Mapping[str, Any]], column: Column) -> Column | None:
    in_files: dict[str, list[Mapping[str, Any]]] = {}
    for image in columns:
        name = image.get("file_name") or image["name"]
        if name.startswith(prefix):
            in_files.setdefault(name.removeprefix(prefix).lower(), []).append(image)
    images = [image for name in list_names_in_files(cdc, column.name) for image in in_files.get(file_name(name), [])]
    if not images:
        return None
    is_text = cdc.format == "csv"
    types = ["string" if is_text else image["type"] for image in images if is_text or image["type"] != "void"]
    is_cast = len(set(types)) > 1
    raw_type = column.type if is_cast else next(iter(types), None)
    name, *others = dict.fromkeys(image["name"] for image in images)
    return Column(name, column.type, raw_type, is_cast=is_cast, old_columns=tuple(others), key=column)


def write_coalesce(values: Iterable[str]) -> str:
    """Writes the first text that is not NULL; of no expressions a NULL."""
    expressions = list(values)
    if not expressions:
        return "cast(null as string)"
    return expressions[0] if len(expressions) == 1 else f"coalesce({', '.join(expressions)})"


def write_entry(entries: str, names: Iterable[str]) -> str:
    """Writes the first entry of a map that is not NULL.

    Args:
        entries: the expression of the map.
        names: its keys as texts of SQL.
    """
    return write_coalesce(f"{entries}[{name}]" for name in names)


def read_part(column: Column, sql: str, raw_type: str) -> Column:
    """Returns a place of files that has values of a column.

    Args:
        column: of a plan, or a before image.
        sql: the expression of the place.
        raw_type: of its values.
    """
    return replace(column, sql=sql, raw_type=raw_type)


def find_drifts(
    cdc: TableConfig,
    columns: Sequence[Mapping[str, Any]],
    schemas: Iterable[Sequence[Mapping[str, Any]]],
    target: Sequence[TableColumn],
    bronze: Relation | None,
    warehouse: Warehouse,
) -> tuple[Drift, ...]:
    """Returns what the files of a batch would change in a table.

    Parquet files are judged by their schemas. Each CSV file has a header of its own, each message its names, and all
    their values are text.

    Args:
        cdc: of the table.
        columns: of all files.
        schemas: of single parquet files.
        target: of the table.
        bronze: the table, for the command that gives it other types; None: no sentence names one.
        warehouse: knows which types Iceberg widens.
    """
    advice = f": run {change_types(str(bronze.identifier))}" if bronze is not None else ""
    if cdc.format == "parquet":
        described = [describe_drift(cdc, schema, target, advice, warehouse) for schema in schemas]
        return tuple(Drift(position, None, words) for position, words in enumerate(described) if words)
    return tuple(
        Drift(None, (column.get("file_name") or column["name"]).lower(), f"column {column['name']} string is new")
        for column in columns
        if describe_drift(cdc, [column], target, advice, warehouse)
    )


def describe_drift(
    cdc: TableConfig,
    columns: Sequence[Mapping[str, Any]],
    target: Sequence[TableColumn],
    advice: str,
    warehouse: Warehouse,
) -> str:
    """Says what the columns of one file would change in a table; empty for a table that has no columns yet.

    Args:
        cdc: of the table.
        columns: of the file.
        target: of the table.
        advice: the end of a sentence about a type; may be empty.
        warehouse: knows which types Iceberg widens.
    """
    types = {column.name.lower(): column.dtype.lower() for column in target}
    types = {name: type_ for name, type_ in types.items() if not name.startswith(RESERVED_PREFIX)}
    changes = []
    for column in read_source_columns(cdc, columns) if types else ():
        type_ = types.get(column.name.lower())
        if column.is_listed:
            continue
        if type_ is None:
            changes.append(f"column {column.name} {column.type} is new")
        elif column.type != type_ and not warehouse.is_type_promotion(column.type, type_):
            changes.append(f"column {column.name} is {column.type}, expected {type_}{advice}")
    return "; ".join(changes)


def warn_of_types(table: Relation, cdc: TableConfig, plan: Iterable[Column]) -> list[str]:
    """Writes a warning for each column of another type than its seed's.

    Args:
        table: of bronze.
        cdc: of the table.
        plan: of the batch.
    """
    listed = {column.name.lower(): column.type for column in read_source_columns(cdc, ()) if column.is_listed}
    warnings = []
    for column in plan:
        type_ = listed.get(column.name.lower(), column.type)
        if column.is_behind:
            warnings.append(
                f"{table}: column {column.name} is {column.type}, seeds/cdc_columns.csv has {column.listed_type};"
                f" values that do not fit are quarantined. Run {change_types(str(table.identifier))}."
            )
        elif column.change and type_ != column.type:
            warnings.append(
                f"{table}: column {column.name} becomes {column.type}, expected {type_} (seeds/cdc_columns.csv): the"
                " files have that type, and schema_drift is evolve. Correct data_type."
            )
    return warnings
