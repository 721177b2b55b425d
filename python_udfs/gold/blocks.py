"""The joins of a query alone: which rows of which inputs make a row of the query, without what it computes of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

FROM, INNER, LEFT = "from", "inner", "left"
# The two states of the inputs: at the last refresh and at this one.
BEFORE, AFTER = "a", "b"


@dataclass(frozen=True)
class Input:
    """A table that a query reads.

    Attributes:
        name: of the model that makes it.
        relation: schema and table, as the query names it.
        key: columns that identify a row, or a group of rows that change together; empty: it has none.
        columns: name and type of each column.
        number: of the input in its model, from 1.
    """

    name: str
    relation: str
    key: tuple[str, ...]
    columns: Mapping[str, str]
    number: int = 0

    def name_state(self, state: str) -> str:
        """Returns the name that statements give to a state of it (`BEFORE` or `AFTER`)."""
        return f"_cdc_{state}{self.number}"

    def is_named(self, state: str, sql: str) -> bool:
        """Returns whether a text of SQL names a state of it."""
        return re.search(rf"\b{self.name_state(state)}\b", sql) is not None


@dataclass(frozen=True)
class Leaf:
    """One use of an input in a query; a query may use an input several times."""

    number: int
    input: Input

    @property
    def key_names(self) -> tuple[str, ...]:
        """Names of its key columns in what `Block.write` returns."""
        return tuple(f"_cdc_k{self.number}_{at}" for at in range(1, len(self.input.key) + 1))


@dataclass(frozen=True)
class Exposed:
    """A column that a block returns and its joins alone decide.

    Attributes:
        expression: over the sources of its block.
        is_steady: whether no row of an outer join's optional side decides it.
    """

    expression: exp.Expr
    is_steady: bool


@dataclass(frozen=True)
class Source:
    """A table or subquery that a block reads.

    Attributes:
        alias: its name in the block.
        kind: how it is joined to those before it: `FROM`, `INNER` or `LEFT`.
        relation: an input, or the blocks of a subquery (several: of a union).
        on: the conditions of the join that columns of the sources decide.
        is_exact: whether a row of it is there exactly if the query has one.
    """

    alias: str
    kind: str
    relation: Leaf | tuple[Block, ...]
    on: tuple[exp.Expr, ...] = ()
    is_exact: bool = True

    @property
    def leaves(self) -> Iterator[Leaf]:
        """All uses of inputs in it."""
        if isinstance(self.relation, Leaf):
            yield self.relation
        else:
            for block in self.relation:
                yield from block.leaves

    def find_column(self, name: str) -> Exposed | None:
        """Returns a column that others may name; None: its rows do not decide it alone."""
        if isinstance(self.relation, Leaf):
            column = exp.column(name, self.alias, quoted=True)
            return Exposed(column, True) if name in self.relation.input.columns else None
        columns = [block.columns.get(name) for block in self.relation]
        is_steady = all(column is not None and column.is_steady for column in columns)
        return Exposed(exp.column(name, self.alias, quoted=True), is_steady) if all(columns) else None

    def find_reason(self, name: str) -> str:
        """Returns why a column cannot be named."""
        if isinstance(self.relation, Leaf):
            return f"{self.relation.input.name} has no column {name}"
        reasons = (block.hidden[name] for block in self.relation if name in block.hidden)
        return next(reasons, f"{self.alias} has no column {name}")

    @property
    def lookup(self) -> Mapping[str, exp.Expr]:
        """What the join compares each key column with, if it compares all of them. Several rows may have one key."""
        if not isinstance(self.relation, Leaf) or self.kind == FROM:
            return {}
        compared: dict[str, exp.Expr] = {}
        for condition in self.on:
            for own, other in list_equalities(condition, self.alias):
                compared.setdefault(own, other)
        key = self.relation.input.key
        return {name: compared[name] for name in key} if key and all(name in compared for name in key) else {}


@dataclass(frozen=True)
class Block:
    """One SELECT of a query, as its joins.

    A row of it stands for one combination of rows of its sources. Whatever a block leaves out, such as a condition on
    an optional side, only adds combinations: none is lost.

    Attributes:
        sources: in their order.
        filters: conditions on rows that every combination has.
        columns: that its joins decide, by name.
        hidden: why the others are not, by name.
        is_exact: whether it has exactly the combinations of the query.
    """

    sources: tuple[Source, ...]
    filters: tuple[exp.Expr, ...]
    columns: Mapping[str, Exposed]
    hidden: Mapping[str, str]
    is_exact: bool

    @property
    def leaves(self) -> Iterator[Leaf]:
        """All uses of inputs in it."""
        for source in self.sources:
            yield from source.leaves

    @property
    def rows(self) -> Iterator[Leaf]:
        """Uses of inputs that each combination has a row of."""
        for source in self.sources:
            if source.kind == LEFT:
                continue
            if isinstance(source.relation, Leaf):
                yield source.relation
            elif len(source.relation) == 1:
                yield from source.relation[0].rows

    def split_unions(self) -> Iterator[Block]:
        """Splits a block that reads from a union into one block for each part of it."""
        first, *others = self.sources
        if isinstance(first.relation, Leaf):
            yield self
            return
        for part in first.relation:
            for block in part.split_unions():
                yield replace(self, sources=(replace(first, relation=(block,)), *others))

    def write(
        self, state: str, columns: Collection[str], leaves: Collection[Leaf], is_strict: bool = False
    ) -> exp.Select:
        """Writes the query of the block's combinations, with the sources alone that are needed.

        Args:
            state: of the inputs.
            columns: names of columns to return.
            leaves: uses of inputs whose key columns to return, by `Leaf.key_names`.
            is_strict: whether no combination may be added.
        """
        keys = {leaf.number: self._find_key(leaf) for leaf in leaves}
        returned = [self.columns[name].expression for name in columns]
        named = {alias for expression in returned for alias in list_aliases(expression)}
        named |= {alias for key in keys.values() for part in key for alias in list_aliases(part)}
        used = self._add_conditions(named | ({source.alias for source in self.sources} if is_strict else set()))
        firm = self._add_conditions({alias for expression in returned for alias in list_aliases(expression)})
        query = exp.Select()
        for name in columns:
            query = query.select(exp.alias_(self.columns[name].expression.copy(), name, quoted=True), copy=False)
        for leaf in leaves:
            for part, name in zip(keys[leaf.number], leaf.key_names, strict=True):
                query = query.select(exp.alias_(part.copy(), name), copy=False)
        wanted = [column for key in keys.values() for part in key for column in part.find_all(exp.Column)]
        wanted += [column for expression in returned for column in expression.find_all(exp.Column)]
        wanted += [
            column
            for source in self.sources
            if source.alias in used
            for on in source.on
            for column in on.find_all(exp.Column)
        ]
        if not query.expressions:
            query = query.select(exp.alias_(exp.Literal.number(1), "_cdc_any"), copy=False)
        filters = [condition for condition in self.filters if set(list_aliases(condition)) <= used]
        wanted += [column for condition in filters for column in condition.find_all(exp.Column)]
        for source in self.sources:
            if source.alias in used:
                inside = [column.name for column in wanted if column.table == source.alias]
                is_firm = is_strict or (source.kind == LEFT and source.alias in firm)
                relation = _write_source(source, state, dict.fromkeys(inside), is_firm)
                if source.kind == FROM:
                    query = query.from_(relation, copy=False)
                else:
                    on = exp.and_(*source.on, copy=True)
                    query = query.join(relation, on=on, join_type=source.kind, copy=False)
        return query.where(*filters, copy=False) if filters else query

    def is_looked_up(self, leaves: Iterable[Leaf]) -> bool:
        """Returns whether the row of the first source decides which rows of inputs stand beside it."""
        first, *others = self.sources
        if not isinstance(first.relation, Leaf):
            return False
        named = {alias for leaf in leaves for part in self._find_key(leaf) for alias in list_aliases(part)}
        used = self._add_conditions(named)
        return all(source.lookup for source in others if source.alias in used)

    def is_decided_by(self, leaf: Leaf, name: str) -> bool:
        """Returns whether the row of one use of an input decides a column, and no other row does."""
        exposed = self.columns.get(name)
        if exposed is None:
            return False
        sources = {source.alias: source.relation for source in self.sources}
        for column in exposed.expression.find_all(exp.Column):
            relation = sources[column.table]
            if isinstance(relation, Leaf):
                if relation != leaf:
                    return False
            elif not all(block.is_decided_by(leaf, column.name) for block in relation):
                return False
        return True

    def find_optional(self, columns: Iterable[str]) -> set[int]:
        """Returns numbers of the leaves whose absence decides a column."""
        columns = list(columns)
        named = {alias for name in columns for alias in list_aliases(self.columns[name].expression)}
        used = self._add_conditions(named)
        inside = [
            leaf.number
            for source in self.sources
            if source.alias in used and source.kind == LEFT
            for leaf in source.leaves
        ]
        for source in self.sources:
            if source.alias in used and not isinstance(source.relation, Leaf):
                wanted = {
                    column.name
                    for name in columns
                    for column in self.columns[name].expression.find_all(exp.Column)
                    if column.table == source.alias
                }
                for block in source.relation:
                    inside += block.find_optional(wanted)
        return set(inside)

    def _find_key(self, leaf: Leaf) -> tuple[exp.Expr, ...]:
        """The key of a leaf as expressions over the sources; of a lookup, what its join compares the key with."""
        for source in self.sources:
            if leaf.number in {inside.number for inside in source.leaves}:
                if source.lookup:
                    return tuple(source.lookup.values())
                names = leaf.input.key if isinstance(source.relation, Leaf) else leaf.key_names
                return tuple(exp.column(name, source.alias, quoted=True) for name in names)
        return tuple(exp.Null() for _ in leaf.input.key)

    def _add_conditions(self, aliases: Collection[str]) -> set[str]:
        """Adds the sources that conditions of joins name, and the first one."""
        used = {self.sources[0].alias, *aliases}
        for source in reversed(self.sources):
            if source.alias in used:
                used |= {alias for condition in source.on for alias in list_aliases(condition)}
        return used


def list_aliases(expression: exp.Expr) -> list[str]:
    """Lists the sources that an expression names."""
    return [column.table for column in expression.find_all(exp.Column)]


def list_equalities(condition: exp.Expr, alias: str) -> Iterator[tuple[str, exp.Expr]]:
    """Lists columns of a source that a condition sets equal to an expression over other sources.

    Yields:
        Name of the column, and the expression.
    """
    if not isinstance(condition, (exp.EQ, exp.NullSafeEQ)):
        return
    for own, other in ((condition.left, condition.right), (condition.right, condition.left)):
        aliases = list_aliases(other)
        if isinstance(own, exp.Column) and own.table == alias and aliases and alias not in aliases:
            yield own.name, other


def _write_source(source: Source, state: str, names: Mapping[str, None], is_strict: bool) -> exp.Expr:
    if isinstance(source.relation, Leaf):
        table = exp.to_table(source.relation.input.name_state(state))
        return exp.alias_(table, source.alias, quoted=True, table=True)
    leaves = [leaf for leaf in source.leaves if set(leaf.key_names) & set(names)]
    own = [name for name in names if not any(name in leaf.key_names for leaf in leaves)]
    parts: Sequence[exp.Query] = [block.write(state, own, leaves, is_strict) for block in source.relation]
    query = parts[0]
    for part in parts[1:]:
        query = exp.union(query, part, distinct=False, copy=False)
    return query.subquery(exp.to_identifier(source.alias, quoted=True))
