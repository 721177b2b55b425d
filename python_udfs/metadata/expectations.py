"""Expectations: the rows of ``cdc_expectations.csv``, and what each expectation accepts.

Those that begin with ``expect_`` are Great Expectations'; only names and arguments stand here, since its import takes
seconds that no run of dbt should pay. Those that begin with ``cdc_`` are the project's own (python_udfs/quality/facts).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from python_udfs.metadata.data_types import NUMERIC_TYPES
from python_udfs.metadata.files import COLUMNS_FILE, TABLES_FILE, items, shown, words
from python_udfs.metadata.names import RESERVED_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from python_udfs.metadata.files import Row
    from python_udfs.metadata.tables import Table

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# In a cell: all tables that have no row of their own, or all columns that the expectation fits.
ALL = "*"


@dataclass(frozen=True)
class Kind:
    """Accepted values of an argument: words for a message, and whether a value from JSON is such a one."""

    accepted: str
    is_good: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_list_of(value: Any, is_good: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_good, value))


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, bool)) or _is_number(value)


def _is_pair(value: Any) -> bool:
    return _is_list_of(value, _is_scalar) and len(value) == 2


def _is_quantiles(value: Any) -> bool:
    """As Great Expectations takes them: quantiles, and a pair of bounds for each; a bound may be null."""
    if not isinstance(value, dict) or set(value) != {"quantiles", "value_ranges"}:
        return False
    ranges = value["value_ranges"]
    pairs = [bounds for bounds in ranges if isinstance(bounds, list) and len(bounds) == 2]
    is_good = SHARES.is_good(value["quantiles"]) and len(pairs) == len(ranges) == len(value["quantiles"])
    return is_good and all(bound is None or _is_number(bound) for bounds in pairs for bound in bounds)


BOUND = Kind('a number, or a text such as "2024-01-31"', lambda value: _is_number(value) or isinstance(value, str))
NUMBER = Kind("a number", _is_number)
POSITIVE = Kind("a number above 0", lambda value: _is_number(value) and value > 0)
COUNT = Kind("a whole number, 0 or more", lambda value: _is_number(value) and value == int(value) and value >= 0)
WHOLE = Kind("a whole number, 1 or more", lambda value: COUNT.is_good(value) and value >= 1)
SHARE = Kind("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1)
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
TEXT = Kind("a text", lambda value: isinstance(value, str) and bool(value))
TEXTS = Kind("a list of texts", lambda value: _is_list_of(value, TEXT.is_good))
VALUES = Kind("a list of values", lambda value: _is_list_of(value, _is_scalar))
PAIRS = Kind("a list of pairs of values", lambda value: _is_list_of(value, _is_pair))
SHARES = Kind("a list of numbers from 0 to 1", lambda value: _is_list_of(value, SHARE.is_good))
ANY_OF = Kind('"any" or "all"', lambda value: value in ("any", "all"))
OBJECT = Kind("a JSON object", lambda value: isinstance(value, dict))
QUANTILES = Kind('such as {"quantiles": [0.5], "value_ranges": [[1, 9]]}, a range for each', _is_quantiles)


@dataclass(frozen=True)
class Accepted:
    """Accepted cells of a row with an expectation.

    Attributes:
        columns: how many columns the cell ``column_name`` names; None: two or more.
        arguments: kind by argument.
        required: arguments that must be there.
        one_of: arguments of which at least one must be there.
        scopes: words that the cell ``scope`` may have.
        is_numeric: whether it calculates with the values of its columns.
    """

    columns: int | None = 1
    arguments: dict[str, Kind] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ("batch", "table")
    is_numeric: bool = False


def _accept_values(kinds: dict[str, Kind] | None = None, columns: int | None = 1) -> Accepted:
    """Of single rows: a share of them, `mostly`, is enough."""
    kinds = kinds or {}
    return Accepted(columns, {**kinds, "mostly": SHARE}, tuple(kinds))


def _between(kind: Kind, columns: int | None = 1, of_values: bool = False, is_numeric: bool = False) -> Accepted:
    bounds = {"min_value": kind, "max_value": kind}
    more = {"strict_min": FLAG, "strict_max": FLAG, **({"mostly": SHARE} if of_values else {})}
    return Accepted(columns, {**bounds, **more}, one_of=tuple(bounds), is_numeric=is_numeric)


EXPECTATIONS: dict[str, Accepted] = {
    "expect_column_values_to_not_be_null": _accept_values(),
    "expect_column_values_to_be_null": _accept_values(),
    "expect_column_values_to_be_unique": _accept_values(),
    "expect_column_values_to_be_between": _between(BOUND, of_values=True),
    "expect_column_values_to_be_in_set": _accept_values({"value_set": VALUES}),
    "expect_column_values_to_not_be_in_set": _accept_values({"value_set": VALUES}),
    "expect_column_values_to_match_regex": _accept_values({"regex": TEXT}),
    "expect_column_values_to_not_match_regex": _accept_values({"regex": TEXT}),
    "expect_column_values_to_match_regex_list": Accepted(
        arguments={"regex_list": TEXTS, "match_on": ANY_OF, "mostly": SHARE}, required=("regex_list",)
    ),
    "expect_column_values_to_match_strftime_format": _accept_values({"strftime_format": TEXT}),
    "expect_column_values_to_be_json_parseable": _accept_values(),
    "expect_column_values_to_match_json_schema": _accept_values({"json_schema": OBJECT}),
    "expect_column_value_lengths_to_be_between": _between(COUNT, of_values=True),
    "expect_column_value_lengths_to_equal": _accept_values({"value": COUNT}),
    "expect_column_value_z_scores_to_be_less_than": Accepted(
        arguments={"threshold": NUMBER, "double_sided": FLAG, "mostly": SHARE},
        required=("threshold", "double_sided"),
        is_numeric=True,
    ),
    "expect_column_values_to_be_of_type": Accepted(arguments={"type_": TEXT}, required=("type_",)),
    "expect_column_distinct_values_to_be_in_set": Accepted(arguments={"value_set": VALUES}, required=("value_set",)),
    "expect_column_distinct_values_to_contain_set": Accepted(arguments={"value_set": VALUES}, required=("value_set",)),
    "expect_column_distinct_values_to_equal_set": Accepted(arguments={"value_set": VALUES}, required=("value_set",)),
    "expect_column_unique_value_count_to_be_between": _between(COUNT),
    "expect_column_proportion_of_unique_values_to_be_between": _between(SHARE),
    "expect_column_min_to_be_between": _between(BOUND),
    "expect_column_max_to_be_between": _between(BOUND),
    "expect_column_mean_to_be_between": _between(NUMBER, is_numeric=True),
    "expect_column_median_to_be_between": _between(NUMBER, is_numeric=True),
    "expect_column_stdev_to_be_between": _between(NUMBER, is_numeric=True),
    "expect_column_sum_to_be_between": _between(NUMBER, is_numeric=True),
    "expect_column_quantile_values_to_be_between": Accepted(
        arguments={"quantile_ranges": QUANTILES, "allow_relative_error": SHARE},
        required=("quantile_ranges",),
        is_numeric=True,
    ),
    "expect_column_pair_values_to_be_equal": _accept_values(columns=2),
    "expect_column_pair_values_a_to_be_greater_than_b": Accepted(2, {"or_equal": FLAG, "mostly": SHARE}),
    "expect_column_pair_values_to_be_in_set": _accept_values({"value_pairs_set": PAIRS}, columns=2),
    "expect_compound_columns_to_be_unique": _accept_values(columns=None),
    "expect_select_column_values_to_be_unique_within_record": _accept_values(columns=None),
    "expect_multicolumn_sum_to_equal": Accepted(
        None, {"sum_total": NUMBER, "mostly": SHARE}, required=("sum_total",), is_numeric=True
    ),
    "expect_table_row_count_to_be_between": _between(COUNT, columns=0),
    "expect_table_row_count_to_equal": Accepted(0, {"value": COUNT}, required=("value",)),
    # From the metrics of runs: no table is read.
    "cdc_changes_to_be_usual": Accepted(0, {"batches": WHOLE, "times": POSITIVE}, scopes=("batch",)),
    "cdc_share_of_deletes_to_be_usual": Accepted(0, {"batches": WHOLE, "more": SHARE}, scopes=("batch",)),
    "cdc_lag_to_be_at_most": Accepted(0, {"minutes": POSITIVE}, required=("minutes",), scopes=("batch",)),
    # Compared with an older snapshot of the table.
    "cdc_null_rate_to_stay": Accepted(1, {"days": COUNT, "more": SHARE}, scopes=("table",)),
    "cdc_distinct_count_to_stay": Accepted(1, {"days": COUNT, "times": POSITIVE}, scopes=("table",)),
    "cdc_values_to_be_known": Accepted(1, {"days": COUNT, "most": WHOLE}, scopes=("table",)),
    "cdc_quantiles_to_stay": Accepted(
        1, {"days": COUNT, "quantiles": SHARES, "share": POSITIVE}, scopes=("table",), is_numeric=True
    ),
}
# Expectations that other ones or dbt's commands replace, and the sentence that such a row gets.
_ELSEWHERE = {
    "expect_column_values_to_match_like_pattern": "on Spark expect_column_values_to_match_regex does it",
    "expect_column_values_to_not_match_like_pattern": "on Spark expect_column_values_to_not_match_regex does it",
    "expect_table_row_count_to_equal_other_table": "dbt's test relationships, or a test in tests/data, compares tables",
    "expect_query_results_to_match_comparison": "a dbt test in tests/data runs any query",
    "unexpected_rows_expectation": "a dbt test in tests/data runs any query",
    "expect_column_to_exist": "seeds/cdc_columns.csv and the cell schema_drift decide about columns",
    "expect_table_columns_to_match_set": "seeds/cdc_columns.csv and the cell schema_drift decide about columns",
    "expect_table_columns_to_match_ordered_list": "seeds/cdc_columns.csv and schema_drift decide about columns",
}


@dataclass(frozen=True)
class Expectation:
    """One row of ``cdc_expectations.csv``.

    Attributes:
        line: its line in the file.
        target_table: name of the silver table; `ALL`: each table without a row of its own.
        columns: names of its columns in silver; `ALL` alone: each one that the expectation fits.
        expectation: a name of `EXPECTATIONS`.
        arguments: value by argument, as in the cell.
        severity: ``error`` or ``warn``.
        row_condition: a condition in Spark SQL, empty: all rows.
        scope: ``batch``, the rows that changed since they were checked last, or ``table``.
        description: what it means and what to do, shown if it fails.
    """

    line: int
    target_table: str
    columns: tuple[str, ...]
    expectation: str
    arguments: dict[str, Any] = field(hash=False)
    severity: str
    row_condition: str
    scope: str
    description: str


def read_expectations(rows: Sequence[Row], tables: Sequence[Table] | None) -> list[Expectation]:
    """The expectations, each checked with its table.

    Args:
        rows: the rows of ``cdc_expectations.csv``.
        tables: the tables; None if their file could not be read.
    """
    by_name = None if tables is None else {table.target_table: table for table in tables}
    first: dict[tuple[str, ...], Row] = {}
    expectations = []
    for row in rows:
        if row.broken:
            continue
        identity = tuple(
            row[name] for name in ("target_table", "column_name", "expectation", "scope", "row_condition", "arguments")
        )
        if identity in first:
            received = f"the expectation of line {first[identity].line} again"
            row.problem("expectation", received, "each expectation once", "Remove one of the two.")
        first.setdefault(identity, row)
        expectations.append(_read(row, by_name))
    return expectations


def _read(row: Row, tables: dict[str, Table] | None) -> Expectation:
    table = _table(row, tables)
    accepted = _accepted(row)
    columns = _columns(row, accepted, table)
    arguments = _arguments(row, accepted)
    severity, scope = row.word("severity"), row.word("scope")
    name = row["expectation"]
    if accepted and scope in ("batch", "table") and scope not in accepted.scopes:
        row.problem("scope", repr(scope), f"{' or '.join(accepted.scopes)} for {name}", "Write that word.")
    if row["row_condition"] and accepted and accepted.columns == 0 and name.startswith("cdc_"):
        fix = "Empty it: metrics of runs have no rows."
        row.problem("row_condition", repr(row["row_condition"]), f"nothing for {name}", fix)
    if row["target_table"] == ALL and not name.startswith("cdc_"):
        accepted_names = words(name for name in EXPECTATIONS if name.startswith("cdc_"))
        fix = "Name a table, or write one of these: other expectations fit a table's own columns only."
        row.problem("expectation", f"{name!r} for all tables", accepted_names, fix)
    if table and columns:
        _covered_by_dbt(row, table, columns)
    return Expectation(
        line=row.line,
        target_table=row["target_table"],
        columns=columns,
        expectation=name,
        arguments=arguments,
        severity=severity,
        row_condition=row["row_condition"],
        scope=scope,
        description=row["description"],
    )


def _table(row: Row, tables: dict[str, Table] | None) -> Table | None:
    name = row["target_table"]
    if tables is None or name == ALL:
        return None
    table = tables.get(name)
    if table is None or not table.active:
        active = words(sorted(name for name, table in tables.items() if table.active))
        received = f"{shown(name)}, which is not active" if table else shown(name)
        source = name.replace(".", "__").lower()
        more = f" Did you mean {source}?" if source != name and source in tables else ""
        accepted = f"* for all tables without a row here, or a silver table of {TABLES_FILE}: {active}"
        row.problem("target_table", received, accepted, f"Correct the name.{more}")
        return None
    return table


def _accepted(row: Row) -> Accepted | None:
    name = row["expectation"]
    if name in _ELSEWHERE:
        fix = f"Remove it: {_ELSEWHERE[name]}."
        row.problem("expectation", repr(name), "expectations about one table that can be judged", fix)
        return None
    if name not in EXPECTATIONS:
        row.problem("expectation", shown(name), words(EXPECTATIONS), "Write one of these names.")
    return EXPECTATIONS.get(name)


def _columns(row: Row, accepted: Accepted | None, table: Table | None) -> tuple[str, ...]:
    names = row.names("column_name", items(row["column_name"]))
    if accepted is None:
        return names
    wanted = {0: "nothing", 1: "one column", 2: "two columns separated by ;", None: "columns separated by ;"}
    name = row["expectation"]
    fits = len(names) >= 2 if accepted.columns is None else len(names) == accepted.columns
    if not fits:
        received = shown(row["column_name"])
        row.problem("column_name", received, f"{wanted[accepted.columns]} for {name}", "Correct the cell.")
        return ()
    if row["target_table"] == ALL and names and names != (ALL,):
        row.problem("column_name", repr(row["column_name"]), "* with all tables", "Write *, or name the table.")
    if names == (ALL,):
        if not name.startswith("cdc_") and row["target_table"] != ALL:
            row.problem("column_name", "'*'", f"a column for {name}", "Name the column.")
        return names
    if table and table.columns:
        in_table = [column.name for column in table.columns]
        for column in names:
            if column not in in_table and not column.startswith(RESERVED_PREFIX):
                fix = f"Correct the name (upper and lower case count) or add the column to {COLUMNS_FILE}."
                row.problem("column_name", repr(column), f"columns of the table: {words(in_table)}", fix)
        if accepted.is_numeric:
            _require_numbers(row, table, names)
    return names


def _require_numbers(row: Row, table: Table, names: Sequence[str]) -> None:
    """Refuses an expectation that calculates with values that are no numbers; a type may be unknown before a file."""
    types = {column.name: column.data_type for column in table.columns}
    for name in names:
        data_type = types.get(name)
        if data_type and not data_type.startswith(NUMERIC_TYPES):
            fix = "Name a column of numbers, or correct its type."
            row.problem("column_name", f"{name!r} of type {data_type}", f"numbers for {row['expectation']}", fix)


def _arguments(row: Row, accepted: Accepted | None) -> dict[str, Any]:
    text = row["arguments"] or "{}"
    twice: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice.extend(name for name in dict.fromkeys(names) if names.count(name) > 1)
        return dict(pairs)

    try:
        values = json.loads(text, object_pairs_hook=once)
    except ValueError as error:
        fix = "In the CSV the cell stands between quotes, and each quote of it is written twice."
        row.problem("arguments", f"{text!r} ({error})", 'a JSON object such as {"min_value": 1}', fix)
        return {}
    if not isinstance(values, dict):
        row.problem("arguments", repr(text), 'a JSON object such as {"min_value": 1}', "Put it into braces.")
        return {}
    if twice:
        row.problem("arguments", f"{words(twice)} twice", "each name once", "Remove one of the two.")
    if accepted is None:
        return values
    name = row["expectation"]
    for key, value in values.items():
        if key not in accepted.arguments:
            fix = "Correct or remove it; the column goes into the cell column_name."
            row.problem("arguments", f"the argument {key!r}", f"for {name}: {words(accepted.arguments)}", fix)
        elif not accepted.arguments[key].is_good(value):
            kind = accepted.arguments[key]
            row.problem("arguments", f"{key}: {json.dumps(value)}", kind.accepted, f"Correct {key}.")
    missing = [key for key in accepted.required if key not in values]
    if missing:
        row.problem("arguments", f"no {words(missing)}", f"{words(accepted.required)} for {name}", "Add it.")
    if accepted.one_of and not any(key in values for key in accepted.one_of):
        row.problem("arguments", shown(row["arguments"]), f"{' or '.join(accepted.one_of)} for {name}", "Add one.")
    _require_range(row, values)
    return values


def _require_range(row: Row, arguments: dict[str, Any]) -> None:
    """Refuses bounds that no value is between."""
    low: Any
    high: Any
    low, high = arguments.get("min_value"), arguments.get("max_value")
    # Other texts have an order of their own: "9" is below "10" if the column is a number.
    are_dates = all(isinstance(bound, str) and _DATE.match(bound) for bound in (low, high))
    if are_dates or (_is_number(low) and _is_number(high)):
        is_open = arguments.get("strict_min") or arguments.get("strict_max")
        if low > high:
            row.problem("arguments", f"min_value {low} above max_value {high}", "min_value first", "Exchange the two.")
        elif low == high and is_open:
            received = f"min_value and max_value {low} with strict_min or strict_max"
            row.problem(
                "arguments", received, "bounds that a value can be between", "Remove strict_min and strict_max."
            )
    elif low is not None and high is not None and isinstance(low, str) != isinstance(high, str):
        row.problem(
            "arguments", f"min_value {low!r} and max_value {high!r}", "two numbers or two texts", "Correct one."
        )


def _covered_by_dbt(row: Row, table: Table, columns: tuple[str, ...]) -> None:
    """Refuses what the tests check that `make models` gives to each table."""
    name, key = row["expectation"], table.primary_key
    if "mostly" in row["arguments"] or row["row_condition"]:
        return
    of_key = set(columns) == set(key)
    unique = name in ("expect_column_values_to_be_unique", "expect_compound_columns_to_be_unique")
    if unique and of_key and table.mode == "current":
        test, checked = "one_row_per_key", f"{words(columns)} as the key"
    elif name == "expect_column_values_to_not_be_null" and of_key:
        test, checked = "no_key_is_null", f"{words(columns)} as the key"
    elif columns == ("_cdc_operation",) and name.endswith("_in_set"):
        test, checked = "known_operations", "operations"
    else:
        return
    fix = f"Remove the row: the generated dbt test {test} checks {checked} of this table already."
    row.problem("expectation", f"{name!r} for {words(columns)}", "what no dbt test checks", fix)
