"""Reads a query of Spark SQL into blocks, and finds why it cannot be computed for some of its keys alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.optimizer.scope import traverse_scope

from python_udfs.gold.blocks import (
    FROM,
    INNER,
    LEFT,
    Block,
    Exposed,
    Input,
    Leaf,
    Source,
    list_aliases,
    list_equalities,
)
from python_udfs.gold.dialect import GoldSpark
from python_udfs.metadata.names import quoted

_CLOCKS = {
    "current_date", "curdate", "current_timestamp", "now", "localtimestamp", "current_time", "current_datetime",
    "current_timezone", "getdate",
}  # fmt: skip
_CLOCK_REMEDY = "changes without a change of an input; write {{ gold_today() }}, the day of the run"
_CLOCK_TEXTS = ("now", "today", "tomorrow", "yesterday")
_RANDOM = {
    "rand", "random", "randn", "uuid", "shuffle", "monotonically_increasing_id", "spark_partition_id",
    "input_file_name", "input_file_block_start", "input_file_block_length", "randstr", "uniform",
    "current_user", "session_user", "user",
}  # fmt: skip
# Aggregates whose result depends on the order in which rows arrive, and what to write instead.
_UNORDERED = {
    "first": "min or min_by",
    "first_value": "min or min_by",
    "last": "max or max_by",
    "last_value": "max or max_by",
    "any_value": "min or max",
    "approx_percentile": "percentile",
    "percentile_approx": "percentile",
}
_COLLECTIONS = {"collect_list": "sort_array(collect_list(…))", "array_agg": "sort_array(array_agg(…))"}
_SORTS = {"sort_array", "array_sort"}
_RECOMPUTED = "a total over all rows (an aggregate without GROUP BY, or a subquery that no row of the query limits)"


# Common table expressions that a query may name: their queries, and what those may name.
Ctes = Mapping[str, tuple[exp.Expr, Mapping[str, Any]]]


@dataclass(frozen=True)
class Query:
    """A query that has been read.

    Attributes:
        blocks: of it; several: of a union.
        inputs: that it reads.
        columns: that it returns.
        totals: why a change of an input may change every row; empty: none does.
        mistakes: why it is refused; empty: it is not.
        digest: of its tree, the same for other spaces, comments and letter case.
        uses: columns that it names, by input.
        types: of the columns that it returns, as far as they are known without Spark.
    """

    blocks: tuple[Block, ...]
    inputs: tuple[Input, ...]
    columns: tuple[str, ...]
    totals: tuple[str, ...]
    mistakes: tuple[str, ...]
    digest: str
    uses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


def read_query(sql: str, inputs: Iterable[Input], gives_keys: bool = False) -> Query:
    """Reads a query.

    Args:
        sql: of Spark, with the names of relations that dbt writes.
        inputs: relations that it may read.
        gives_keys: whether only names of columns and what no query may have are asked for, as its joins are given by
            `keys_sql`.
    """
    by_relation = {input.relation.lower(): input for input in inputs}
    try:
        tree = sqlglot.parse_one(sql, dialect=GoldSpark)
    except sqlglot.errors.SqlglotError as error:
        return _refuse(f"the query cannot be parsed: {_first_line(error)}")
    if not isinstance(tree, exp.Query):
        return _refuse("the query is no SELECT")
    mistakes = [*_find_unknown_tables(tree, by_relation), *find_clocks_and_chance(tree)]
    if mistakes:
        return _refuse(*mistakes)
    try:
        qualified = qualify(tree.copy(), schema=_write_schema(by_relation), dialect=GoldSpark, quote_identifiers=True)
    except sqlglot.errors.SqlglotError as error:
        return _refuse(f"a name of the query cannot be resolved: {_first_line(error)}")
    assert isinstance(qualified, exp.Query)
    reader = _Reader(by_relation)
    blocks = () if gives_keys else reader.read(qualified, {})
    if gives_keys:
        reader.check_limits(qualified)
    return Query(
        blocks=blocks,
        inputs=_list_read(tree, by_relation),
        columns=tuple(name.lower() for name in qualified.named_selects),
        totals=tuple(dict.fromkeys(reader.totals)),
        mistakes=tuple(dict.fromkeys(reader.mistakes)),
        digest=write_digest(qualified),
        uses=_list_uses(qualified, by_relation),
        types=_read_types(qualified, by_relation),
    )


def write_digest(tree: exp.Expr) -> str:
    """Writes the digest of a tree: the same for other spaces, comments and letter case of names."""
    text = tree.sql(dialect=GoldSpark, comments=False, pretty=False, unsupported_level=ErrorLevel.IGNORE)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def bind_tables(sql: str, names: Mapping[str, str]) -> str:
    """Replaces the tables of a query by other names, and leaves the rest of its text as it is.

    Args:
        sql: of Spark.
        names: new name by relation, ``schema.table`` in lower case; a table that is not named stays.
    """
    tree = sqlglot.parse_one(sql, dialect=GoldSpark)
    parts = []
    for table in tree.find_all(exp.Table):
        name = names.get(_name_relation(table))
        if name is None or not isinstance(table.this, exp.Identifier):
            continue
        own = table.this.meta
        first = min(
            (part.meta["start"] for part in (table.args.get("db"), table.args.get("catalog")) if part),
            default=own["start"],
        )
        text = name if table.alias else f"{name} as {quoted(table.name)}"
        parts.append((first, own["end"] + 1, text))
    for start, end, text in sorted(parts, reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql.strip().rstrip(";")


def _list_uses(qualified: exp.Expr, inputs: Mapping[str, Input]) -> dict[str, tuple[str, ...]]:
    uses: dict[str, set[str]] = {}
    for scope in traverse_scope(qualified):
        for alias, source in scope.sources.items():
            if isinstance(source, exp.Table) and _name_relation(source) in inputs:
                names = {column.name for column in scope.source_columns(alias)}
                uses.setdefault(inputs[_name_relation(source)].name, set()).update(names)
    return {name: tuple(sorted(columns)) for name, columns in uses.items()}


def _read_types(qualified: exp.Query, inputs: Mapping[str, Input]) -> dict[str, str]:
    typed = annotate_types(qualified.copy(), schema=_write_schema(inputs), dialect=GoldSpark)
    return {
        column.alias_or_name.lower(): column.type.sql(dialect=GoldSpark)
        for column in typed.selects
        if column.type is not None and not column.type.is_type(exp.DataType.Type.UNKNOWN)
    }


def _refuse(*mistakes: str) -> Query:
    return Query((), (), (), (), tuple(dict.fromkeys(mistakes)), "")


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


def _name_relation(table: exp.Table) -> str:
    return f"{table.db}.{table.name}".lower() if table.db else table.name.lower()


def _list_ctes(tree: exp.Expr) -> set[str]:
    return {cte.alias.lower() for cte in tree.find_all(exp.CTE)}


def _find_unknown_tables(tree: exp.Expr, inputs: Mapping[str, Input]) -> Iterator[str]:
    ctes = _list_ctes(tree)
    expected = ", ".join(sorted(input.name for input in inputs.values())) or "none"
    for table in tree.find_all(exp.Table):
        name = _name_relation(table)
        if name not in inputs and not (name in ctes and not table.db):
            yield f"the query reads {name}, which no ref() or source() names; its inputs are {expected}"


def _list_read(tree: exp.Expr, inputs: Mapping[str, Input]) -> tuple[Input, ...]:
    names = [_name_relation(table) for table in tree.find_all(exp.Table)]
    return tuple(inputs[name] for name in dict.fromkeys(names) if name in inputs)


def _write_schema(inputs: Mapping[str, Input]) -> dict[str, object]:
    schema: dict[str, Any] = {}
    for relation, input in inputs.items():
        folder, _, name = relation.rpartition(".")
        schema.setdefault(folder, {})[name] = dict(input.columns)
    return schema


def _name_function(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return node.name.lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def find_clocks_and_chance(tree: exp.Expr) -> Iterator[str]:
    """Finds functions of a tree that have another value each time, and says what to write instead."""
    for literal in tree.find_all(exp.Literal):
        # Spark reads date 'today' and timestamp 'now' as the clock, and casts of such texts too.
        to = literal.parent
        is_time = isinstance(to, exp.Cast) and to.to.is_type(*exp.DataType.TEMPORAL_TYPES)
        if literal.name.strip().lower() in _CLOCK_TEXTS and (is_time or isinstance(to, exp.TsOrDsToDate)):
            yield f"'{literal.name}' as a time {_CLOCK_REMEDY}"
    for node in tree.find_all(exp.Func):
        names = {_name_function(node), *(name.lower() for name in getattr(node, "_sql_names", []))}
        written = node.sql(dialect=GoldSpark)
        name = written.partition("(")[0].lower()
        names.add(name)
        if names & _CLOCKS or (
            name in ("unix_timestamp", "to_unix_timestamp") and written.endswith("CURRENT_TIMESTAMP())")
        ):
            yield f"{name} {_CLOCK_REMEDY}"
        elif names & _RANDOM:
            yield f"{name} gives other values each time it is asked; gold cannot be compared with its recomputation"
        elif (unordered := names & set(_UNORDERED)) and not isinstance(node.parent, (exp.Window, exp.IgnoreNulls)):
            remedy = _UNORDERED[sorted(unordered)[0]]
            yield f"{name} depends on the order in which rows are read; write {remedy}"
        elif (collections := names & set(_COLLECTIONS)) and _name_function(node.parent or node) not in _SORTS:
            remedy = _COLLECTIONS.get(name, _COLLECTIONS[sorted(collections)[0]])
            yield f"{name} depends on the order in which rows are read; write {remedy}"


@dataclass
class _Select:
    """A block while it is read."""

    sources: list[Source] = field(default_factory=list)
    is_exact: bool = True

    def find(self, alias: str) -> Source | None:
        return next((source for source in self.sources if source.alias == alias), None)

    def resolve(self, column: exp.Column) -> Exposed | None:
        source = self.find(column.table)
        return source.find_column(column.name) if source else None

    def knows(self, expression: exp.Expr) -> bool:
        """Whether the rows of the joins decide an expression."""
        return not _computes(expression) and all(
            self.resolve(column) is not None and self._has_exact(column) for column in expression.find_all(exp.Column)
        )

    def is_steady(self, expression: exp.Expr) -> bool:
        """Whether no row of an optional side decides it."""
        for column in expression.find_all(exp.Column):
            source, exposed = self.find(column.table), self.resolve(column)
            if source is None or exposed is None or source.kind == LEFT or not exposed.is_steady:
                return False
        return True

    def _has_exact(self, column: exp.Column) -> bool:
        source = self.find(column.table)
        return source is not None and (source.kind != LEFT or source.is_exact)

    def find_reason(self, expression: exp.Expr) -> str:
        """Says why the joins do not decide an expression."""
        if any(True for _ in expression.find_all(exp.AggFunc)):
            return "an aggregate computes it"
        if any(True for _ in expression.find_all(exp.Window)):
            return "a window function computes it"
        for column in expression.find_all(exp.Column):
            source = self.find(column.table)
            if source is None:
                return f"{column.table} is no table of its SELECT"
            if source.find_column(column.name) is None:
                return source.find_reason(column.name)
            if not self._has_exact(column):
                return (
                    f"{column.table} is an outer join's optional side, whose rows a filter or aggregate inside decides"
                )
        return "a subquery computes it"


class _Reader:
    """Reads a qualified tree. It continues after a mistake, to find all of them."""

    def __init__(self, inputs: Mapping[str, Input]) -> None:
        self.inputs = inputs
        self.mistakes: list[str] = []
        self.totals: list[str] = []
        self._leaves = 0
        self._subqueries = 0

    def read(self, query: exp.Expr, ctes: Ctes) -> tuple[Block, ...]:
        """Reads a SELECT, or a union of several."""
        ctes = dict(ctes)
        with_ = query.args.get("with_") or query.args.get("with")
        if with_ is not None:
            if with_.args.get("recursive"):
                self.mistakes.append("a recursive WITH is not supported")
                return ()
            for cte in with_.expressions:
                ctes[cte.alias] = (cte.this, dict(ctes))
        self._check_rows(query)
        if isinstance(query, exp.Subquery):
            return self.read(query.this, ctes)
        if isinstance(query, exp.Union):
            left, right = self.read(query.left, ctes), self.read(query.right, ctes)
            names = [name.lower() for name in query.left.named_selects]
            others = [name.lower() for name in query.right.named_selects]
            return (*left, *(_rename_columns(block, dict(zip(others, names, strict=False))) for block in right))
        if not isinstance(query, exp.Select):
            self.mistakes.append(f"{type(query).__name__.upper()} is not supported between queries; UNION is")
            return ()
        return self._read_select(query, ctes)

    def check_limits(self, query: exp.Expr) -> None:
        """Finds what no query may have, wherever it stands."""
        for node in query.find_all(exp.Query):
            self._check_rows(node)
        for window in query.find_all(exp.Window):
            self._check_window(window)

    def _check_rows(self, query: exp.Expr) -> None:
        for name in ("limit", "offset", "sample"):
            if query.args.get(name):
                self.mistakes.append(f"{name.upper()} takes rows by an order that is none of the key's; leave it out")

    def _check_window(self, window: exp.Window) -> None:
        if not window.args.get("partition_by"):
            written = window.sql(dialect=GoldSpark).replace("`", "")
            self.mistakes.append(
                f"a window without PARTITION BY moves with every row: {written}; add PARTITION BY, by the key"
            )

    def _read_select(self, select: exp.Select, ctes: Ctes) -> tuple[Block, ...]:
        for name, word in (
            ("laterals", "LATERAL VIEW"),
            ("pivots", "PIVOT"),
            ("windows", "a named WINDOW"),
            ("connect", "CONNECT BY"),
        ):
            if select.args.get(name):
                self.mistakes.append(
                    f"{word} is not read; give its joins as keys_sql, or write it in a model of its own"
                )
        from_ = select.args.get("from_") or select.args.get("from")
        if from_ is None:
            self.mistakes.append("a SELECT without FROM has no spine")
            return ()
        block = _Select()
        where = _split_conditions(select.args.get("where"))
        joins = select.args.get("joins") or []
        if any(join.side == "FULL" for join in joins):
            select, first = self._read_full_join(select, from_.this, joins, ctes)
            if first is None:
                return ()
            block.sources.append(first)
            block.is_exact, where, joins = False, [], []
        else:
            relation = self._read_relation(from_.this, ctes)
            if relation is None:
                return ()
            block.sources.append(Source(from_.this.alias_or_name, FROM, relation))
        for join in joins:
            self._read_join(block, join, where, ctes)
        self._read_subqueries(block, select, where, ctes)
        filters = self._choose_filters(block, where)
        if select.args.get("having") or select.args.get("qualify"):
            block.is_exact = False
        columns, hidden = self._read_columns(block, select)
        return (Block(tuple(block.sources), tuple(filters), columns, hidden, block.is_exact),)

    def _read_relation(self, table: exp.Expr, ctes: Ctes) -> Leaf | tuple[Block, ...] | None:
        for name in ("joins", "pivots", "sample", "laterals", "version"):
            if table.args.get(name):
                self.mistakes.append(f"{name} beside {table.alias_or_name} is not read; give its joins as keys_sql")
                return None
        if isinstance(table, exp.Subquery):
            return self.read(table.this, ctes) or None
        if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
            self.mistakes.append(f"{table.sql(dialect=GoldSpark)} is no table; give its joins as keys_sql")
            return None
        if not table.db and table.name in ctes:
            query, visible = ctes[table.name]
            return self.read(query, visible) or None
        self._leaves += 1
        return Leaf(self._leaves, self.inputs[_name_relation(table)])

    def _read_join(
        self,
        block: _Select,
        join: exp.Join,
        where: list[exp.Expr],
        ctes: Ctes,
    ) -> None:
        alias = join.this.alias_or_name
        if join.side == "RIGHT":
            self.mistakes.append(f"RIGHT JOIN {alias}: write it as a LEFT JOIN, with the preserved side first")
        if join.method == "NATURAL" or join.args.get("using"):
            self.mistakes.append(f"the join with {alias} names no condition; write it with ON")
        relation = self._read_relation(join.this, ctes)
        if relation is None:
            return
        on = _split_conditions(join.args.get("on"))
        is_filter = join.kind in ("SEMI", "ANTI")
        is_inner = not is_filter and join.side != "LEFT"
        self._add_source(block, alias, relation, on, where, is_inner, f"the join with {alias}")
        if is_filter:
            block.is_exact = False

    def _add_source(
        self,
        block: _Select,
        alias: str,
        relation: Leaf | tuple[Block, ...],
        on: Sequence[exp.Expr],
        where: Sequence[exp.Expr],
        is_inner: bool,
        label: str,
    ) -> None:
        """Adds a joined relation.

        An inner join that an optional side takes part in removes rows without a trace of the row that did it: among the
        combinations it is a left join.
        """
        source = Source(alias, INNER, relation)
        inside = _Select([*block.sources, source])
        kept = [
            condition
            for condition in on
            if all(inside.resolve(c) for c in condition.find_all(exp.Column)) and not _computes(condition)
        ]
        is_steady = all(inside.is_steady(condition) for condition in kept) and len(kept) == len(on)
        compared = [*kept, *(where if is_inner else ())]
        if not any(True for condition in compared for _ in list_equalities(condition, alias)):
            reasons = [inside.find_reason(condition) for condition in on if condition not in kept]
            hint = f" ({'; '.join(reasons)})" if reasons else ""
            self.mistakes.append(
                f"{label} has no equality with a column of a table before it{hint}; add one, or give keys_sql"
            )
            return
        if is_inner and not any(True for condition in kept for _ in list_equalities(condition, alias)):
            # FROM a, b WHERE a.x = b.x
            kept += [
                c
                for c in where
                if list(list_equalities(c, alias)) and all(inside.resolve(x) for x in c.find_all(exp.Column))
            ]
            is_steady = is_steady and all(inside.is_steady(condition) for condition in kept)
        relation_is_exact = isinstance(relation, Leaf) or all(part.is_exact for part in relation)
        names_exact = all(
            other.is_exact or other.kind != LEFT
            for condition in kept
            for other in [block.find(name) for name in list_aliases(condition)]
            if other is not None
        )
        is_exact = relation_is_exact and len(kept) >= len(on) and names_exact
        if is_inner and is_steady:
            block.sources.append(Source(alias, INNER, relation, tuple(kept), True))
            block.is_exact = block.is_exact and relation_is_exact
            return
        block.sources.append(Source(alias, LEFT, relation, tuple(kept), is_inner or is_exact))
        if is_inner:
            block.is_exact = False

    def _read_full_join(
        self,
        select: exp.Select,
        first: exp.Expr,
        joins: Sequence[exp.Join],
        ctes: Ctes,
    ) -> tuple[exp.Select, Source | None]:
        """Reads a FULL JOIN as the union of both sides, of which only what the join compares can be named."""
        if len(joins) != 1:
            self.mistakes.append("a FULL JOIN beside other joins: put it into a CTE or a model of its own")
            return select, None
        right = joins[0].this
        sides = [(table.alias_or_name, self._read_relation(table, ctes)) for table in (first, right)]
        pairs = []
        for condition in _split_conditions(joins[0].args.get("on")):
            names = [
                (own, other.name)
                for own, other in list_equalities(condition, sides[0][0])
                if isinstance(other, exp.Column) and other.table == sides[1][0]
            ]
            if not names:
                self.mistakes.append(
                    f"FULL JOIN {right.alias_or_name}: only equalities of a column of each side are read"
                )
                return select, None
            pairs += names
        if not pairs or any(relation is None for _, relation in sides):
            return select, None
        blocks = []
        for at, (alias, relation) in enumerate(sides):
            assert relation is not None
            source = Source(alias, FROM, relation)
            names_of_side = [pair[at] for pair in pairs]
            exposed = {f"_cdc_full{number}": source.find_column(name) for number, name in enumerate(names_of_side, 1)}
            if not all(exposed.values()):
                lacking = next(name for name in names_of_side if source.find_column(name) is None)
                self.mistakes.append(
                    f"FULL JOIN compares {alias}.{lacking}: {source.find_reason(lacking)}; give keys_sql"
                )
                return select, None
            columns = {name: column for name, column in exposed.items() if column is not None}
            blocks.append(Block((source,), (), columns, {}, False))
        merged = _name_compared(select, (sides[0][0], sides[1][0]), pairs)
        return merged, Source("_cdc_full", FROM, tuple(blocks))

    def _read_subqueries(
        self,
        block: _Select,
        select: exp.Select,
        where: Sequence[exp.Expr],
        ctes: Ctes,
    ) -> None:
        """Adds a source for each subquery in an expression: its rows have to be known, not what it computes of them."""
        others = [
            *select.expressions,
            *(select.args[name] for name in ("having", "qualify", "group") if select.args.get(name)),
        ]
        for expression in (*where, *others):
            is_condition = any(expression is condition for condition in where)
            for node in _list_subqueries(expression):
                self._read_subquery(block, node, is_condition and node is expression, ctes)

    def _read_subquery(
        self,
        block: _Select,
        node: exp.Expr,
        is_condition: bool,
        ctes: Ctes,
    ) -> None:
        query = node.args.get("query") if isinstance(node, exp.In) else node.this
        query = query.unnest() if query is not None else None
        if isinstance(node, exp.In) and not is_condition:
            self.mistakes.append(
                "NOT IN, or IN inside an expression, is NULL for all rows if its subquery has a NULL; write NOT EXISTS"
            )
            return
        if not isinstance(query, exp.Select) or isinstance(node, (exp.Any, exp.All)):
            self.mistakes.append(
                f"the subquery {node.sql(dialect=GoldSpark)[:80]} is not read; join it, or give keys_sql"
            )
            return
        query = query.copy()
        own = {table.alias_or_name for table in _list_tables(query)}
        self._subqueries += 1
        alias = f"_cdc_s{self._subqueries}"
        on: list[exp.Expr] = []
        inside: list[exp.Expr] = []
        outside: list[exp.Expr] = []
        for condition in _split_conditions(query.args.get("where")):
            (inside if set(list_aliases(condition)) <= own else outside).append(condition)
        if isinstance(node, exp.In):
            compared = query.expressions[0].unalias()
            columns = {"_cdc_in": compared}
            on.append(exp.EQ(this=node.this.copy(), expression=exp.column("_cdc_in", alias, quoted=True)))
        else:
            columns = {}
        for condition in outside:
            copied = condition.copy()
            for column in list(copied.find_all(exp.Column)):
                if column.table in own:
                    name = f"{column.table}.{column.name}"
                    columns[name] = column.copy()
                    target = exp.column(name, alias, quoted=True)
                    if column is copied:
                        copied = target
                    else:
                        column.replace(target)
            on.append(copied)
        if not on:
            self.totals.append(_RECOMPUTED)
            self.read(query, ctes)
            return
        is_grouped = bool(query.args.get("group")) and isinstance(node, exp.In)
        for name in ("having", "qualify", "order", "distinct", *(() if is_grouped else ("group",))):
            query.set(name, None)
        query.set("where", exp.Where(this=exp.and_(*inside, copy=False)) if inside else None)
        query.set("expressions", [exp.alias_(value, name, quoted=True) for name, value in columns.items()])
        relation = self.read(query, ctes)
        if relation:
            self._add_source(block, alias, relation, on, (), False, f"the subquery {node.sql(dialect=GoldSpark)[:80]}")

    def _choose_filters(self, block: _Select, where: Sequence[exp.Expr]) -> list[exp.Expr]:
        """Chooses the conditions that a change cannot pass unseen: they are on rows that every combination has."""
        filters = []
        for condition in where:
            if block.knows(condition) and block.is_steady(condition):
                filters.append(condition)
            else:
                block.is_exact = False
        return filters

    def _read_columns(self, block: _Select, select: exp.Select) -> tuple[dict[str, Exposed], dict[str, str]]:
        for window in select.find_all(exp.Window):
            if window.find_ancestor(exp.Select) is select:
                self._check_window(window)
        levels = [level for level in (self._read_groups(block, select), *_read_partitions(select)) if level is not None]
        columns: dict[str, Exposed] = {}
        hidden: dict[str, str] = {}
        for projection in select.expressions:
            name, expression = projection.alias_or_name.lower(), projection.unalias()
            if not block.knows(expression):
                hidden[name] = block.find_reason(expression)
            elif lacking := [word for word, parts in levels if not _is_made_of(expression, parts)]:
                hidden[name] = f"it is not in {lacking[0]}"
            else:
                columns[name] = Exposed(expression, block.is_steady(expression))
        return columns, hidden

    def _read_groups(self, block: _Select, select: exp.Select) -> tuple[str, list[exp.Expr]] | None:
        group = select.args.get("group")
        aggregates = [
            node
            for part in (*select.expressions, select.args.get("having"), select.args.get("qualify"))
            if part is not None
            for node in part.find_all(exp.AggFunc)
            if node.find_ancestor(exp.Select) is select and not isinstance(node.parent, exp.Window)
        ]
        if group is None:
            if aggregates:
                self.totals.append(_RECOMPUTED)
                return "GROUP BY", []
            return None
        levels = ("rollup", "cube", "grouping_sets", "totals")
        if any(group.args.get(name) for name in levels) or group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
            self.mistakes.append(
                "ROLLUP, CUBE and GROUPING SETS mix groups with their totals; write a model for each level"
            )
        parts = list(group.expressions)
        if group.args.get("all"):
            parts += [projection.unalias() for projection in select.expressions if not projection.find(exp.AggFunc)]
        return "GROUP BY", parts


def _rename_columns(block: Block, names: Mapping[str, str]) -> Block:
    return replace(
        block,
        columns={names.get(name, name): column for name, column in block.columns.items()},
        hidden={names.get(name, name): reason for name, reason in block.hidden.items()},
    )


def _split_conditions(node: exp.Expr | None) -> list[exp.Expr]:
    """Splits a condition at its ANDs."""
    if node is None:
        return []
    condition = node.this if isinstance(node, (exp.Where, exp.Having)) else node
    condition = condition.unnest()
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def _list_subqueries(expression: exp.Expr) -> Iterator[exp.Expr]:
    """Lists subqueries of an expression, not those inside them."""
    if isinstance(expression, exp.In) and expression.args.get("query") is not None:
        yield expression
        return
    if isinstance(expression, (exp.Exists, exp.Subquery, exp.Any, exp.All)) and expression.find(exp.Query):
        yield expression
        return
    for child in expression.iter_expressions():
        yield from _list_subqueries(child)


def _list_tables(select: exp.Select) -> Iterator[exp.Expr]:
    from_ = select.args.get("from_") or select.args.get("from")
    if from_ is not None:
        yield from_.this
    for join in select.args.get("joins") or []:
        yield join.this


def _computes(expression: exp.Expr) -> bool:
    """Whether an expression needs more than one combination of rows."""
    return bool(expression.find(exp.AggFunc, exp.Window, exp.Query, exp.Exists))


def _is_made_of(expression: exp.Expr, parts: Sequence[exp.Expr]) -> bool:
    """Whether an expression is computed from some others and from constants."""
    if any(expression == part for part in parts):
        return True
    if isinstance(expression, exp.Column):
        return False
    return all(_is_made_of(child, parts) for child in expression.iter_expressions())


def _read_partitions(select: exp.Select) -> Iterator[tuple[str, list[exp.Expr]]]:
    for window in select.find_all(exp.Window):
        if window.find_ancestor(exp.Select) is select:
            parts = list(window.args.get("partition_by") or [])
            yield f"PARTITION BY of {window.this.sql(dialect=GoldSpark).replace('`', '')}", parts


def _name_compared(select: exp.Select, sides: tuple[str, str], pairs: Sequence[tuple[str, str]]) -> exp.Select:
    """Replaces coalesce() of both columns that a FULL JOIN compares by one name."""
    select = select.copy()
    for node in list(select.find_all(exp.Coalesce)):
        columns = [node.this, *node.expressions]
        for number, pair in enumerate(pairs, 1):
            expected = {(sides[0], pair[0]), (sides[1], pair[1])}
            if len(columns) == 2 and {(c.table, c.name) for c in columns if isinstance(c, exp.Column)} == expected:
                node.replace(exp.column(f"_cdc_full{number}", "_cdc_full", quoted=True))
                break
    return select
