"""What a gold model is: its query, the key of its rows, its spine, and the routes from each input to them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlglot import exp
from sqlglot.errors import UnsupportedError

from python_udfs.errors import LakehouseError
from python_udfs.gold.blocks import AFTER, BEFORE, Block, Exposed, Input, Leaf
from python_udfs.gold.conditions import Condition, read_condition
from python_udfs.gold.day import bind_day, hide_day, names_day
from python_udfs.gold.dialect import GoldSpark, write_sql
from python_udfs.gold.keys import KeySet
from python_udfs.gold.read import Query, bind_tables, read_query
from python_udfs.metadata.names import quoted

DEFAULT_FULL_ABOVE = 0.2
NEVER = "never"


@dataclass(frozen=True)
class Settings:
    """What the model's `config()` states.

    Attributes:
        key: columns that identify a row of the table, or a group of rows that is computed together.
        spine: models on the preserved side of the joins; empty: the first table of each SELECT.
        keys_sql: the joins of the query, given by the user; empty: they are derived.
        full_above: share of affected keys from which all are computed; None: never.
        freeze: condition of rows that changes of lookups leave as they are; empty: of none.
        clock: condition of rows that the day moves; empty: all of them.
    """

    key: tuple[str, ...]
    spine: tuple[str, ...] = ()
    keys_sql: str = ""
    full_above: float | None = DEFAULT_FULL_ABOVE
    freeze: str = ""
    clock: str = ""


@dataclass(frozen=True)
class GivenKeys:
    """The joins of a query as `keys_sql` gives them; as `Block`.

    Attributes:
        sql: of the user.
        names: relation by name in that query.
        uses: of inputs, one for each.
        columns: of the key.
    """

    sql: str
    names: Mapping[str, Input]
    uses: tuple[Leaf, ...]
    columns: Mapping[str, Exposed]

    @property
    def leaves(self) -> Iterator[Leaf]:
        """All uses of inputs in it."""
        yield from self.uses

    @property
    def rows(self) -> Iterator[Leaf]:
        """As of `Block`: the user names the spine."""
        yield from self.uses

    def write(self, state: str, columns: Collection[str], leaves: Collection[Leaf]) -> exp.Expr:
        """As of `Block`."""
        bound = bind_tables(self.sql, {name: input.name_state(state) for name, input in self.names.items()})
        selected = [quoted(name) for name in columns]
        for leaf in leaves:
            selected += [
                f"{quoted(name_given_key(leaf.input, column))} as {quoted(name)}"
                for column, name in zip(leaf.input.key, leaf.key_names, strict=True)
            ]
        return exp.Var(this=f"select {', '.join(selected)} from ({bound}) as _cdc_keys")

    def is_looked_up(self, leaves: Iterable[Leaf]) -> bool:
        """As of `Block`: nothing is known of its joins."""
        return False

    def is_decided_by(self, leaf: Leaf, name: str) -> bool:
        """As of `Block`."""
        return False

    def find_optional(self, columns: Iterable[str]) -> set[int]:
        """As of `Block`: only the spine is cut."""
        return {leaf.number for leaf in self.uses}


@dataclass(frozen=True)
class Route:
    """How a changed row of an input leads to rows of the spine.

    Attributes:
        leaf: the use of the input.
        texts: queries of the keys of the spine and of the input, one for each state that is needed; empty: the input is
            the spine, its changed keys are those of the spine.
    """

    leaf: Leaf
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """A part of the query that has one spine: the whole query, or a part of a union.

    Attributes:
        number: from 1.
        spine: the use of an input whose keys lead from changed rows to keys of the table.
        routes: of all uses of inputs.
        keys: columns of the table's key by the spine's key column that they are; empty: `texts` have them.
        texts: queries of the table's key and the spine's, before and after.
    """

    number: int
    spine: Leaf
    routes: tuple[Route, ...]
    keys: Mapping[str, str] = field(default_factory=dict)
    texts: tuple[str, ...] = ()

    def find_spine_changes(self, moved: Iterable[Any]) -> KeySet | None:
        """Returns the changed keys of the spine, to look for them in `texts`.

        None: there are no such queries, or another use of an input leads to keys of the spine, too.

        Args:
            moved: the inputs at a refresh, `inputs.Movement`.
        """
        changed = {each.number: each.changed for each in moved if each.changed.view}
        routes = [route for route in self.routes if route.leaf.input.number in changed]
        if self.keys or any(route.texts for route in routes):
            return None
        return changed.get(self.spine.input.number)


@dataclass(frozen=True)
class Cut:
    """How an input is cut to the rows that some keys of the table are computed of.

    Attributes:
        input: that is cut.
        parts: uses of it, each with a query of the table's key and the input's.
        own: the table's key as expressions over the input's row, ``_cdc_row``, if it has one use and that row decides.
    """

    input: Input
    parts: tuple[tuple[Leaf, str], ...]
    own: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GoldModel:
    """A model that can be computed for some of its keys alone.

    Attributes:
        query: as it was read.
        settings: of the user.
        branches: parts of the query.
        cuts: of inputs; one that has none is read whole.
        day_texts: queries of the key and of the columns that `freeze` and `clock` name, as the inputs are now.
    """

    query: Query
    settings: Settings
    branches: tuple[Branch, ...]
    cuts: tuple[Cut, ...]
    day_texts: tuple[str, ...] = ()

    @property
    def needs_past(self) -> bool:
        """Whether the states of the inputs at the last refresh have to be read."""
        return any(branch.texts or any(len(route.texts) > 1 for route in branch.routes) for branch in self.branches)

    @property
    def digest(self) -> str:
        """Of all that rows depend on, or that leads to them."""
        parts = [self.query.digest, *self.settings.key, *self.settings.spine, self.settings.keys_sql]
        parts += [self.settings.clock] if self.settings.clock else []
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def select_branches(self, changed: Collection[int]) -> list[Branch]:
        """Returns the parts of the query that read an input with changed keys, given by number."""
        return [
            branch for branch in self.branches if any(route.leaf.input.number in changed for route in branch.routes)
        ]

    def bind_days(self, before: str, after: str) -> GoldModel:
        """Returns the model with the day of the last refresh, and of this one, in its queries."""
        bind = partial(_bind_states, days={BEFORE: before, AFTER: after})
        return replace(
            self,
            branches=tuple(
                replace(
                    branch,
                    routes=tuple(replace(route, texts=bind(route.texts)) for route in branch.routes),
                    texts=bind(branch.texts),
                )
                for branch in self.branches
            ),
            cuts=tuple(
                Cut(
                    cut.input,
                    tuple((leaf, bind_day(text, after)) for leaf, text in cut.parts),
                    {name: bind_day(text, after) for name, text in cut.own.items()},
                )
                for cut in self.cuts
            ),
            day_texts=tuple(bind_day(text, after) for text in self.day_texts),
        )

    def leave_whole(self, numbers: Collection[int]) -> GoldModel:
        """Returns the model without the cuts of some inputs, given by number; what an input's own row decides stays."""
        return replace(self, cuts=tuple(cut for cut in self.cuts if cut.own or cut.input.number not in numbers))

    def follow_spines(self) -> GoldModel:
        """Returns the model with routes of the spines alone: no change of a lookup leads to its keys."""
        branches = [
            replace(branch, routes=tuple(route for route in branch.routes if not route.texts))
            for branch in self.branches
        ]
        return replace(self, branches=tuple(branches))

    def write_query(self, sql: str) -> str:
        """Writes the user's query over cut inputs, `name_cut`; its text stays as it is."""
        return bind_tables(sql, {input.relation.lower(): name_cut(input) for input in self.query.inputs})


def _bind_states(texts: tuple[str, ...], days: Mapping[str, str]) -> tuple[str, ...]:
    """Binds the day in queries of both states, or of the state after alone."""
    states = (BEFORE, AFTER)[-len(texts) :]
    return tuple(bind_day(text, days[state]) for text, state in zip(texts, states, strict=False))


def name_cut(input: Input) -> str:
    """Returns the name that statements give to an input as the query reads it."""
    return f"_cdc_in{input.number}"


def name_given_key(input: Input, column: str) -> str:
    """Returns the name that `keys_sql` gives to a key column of an input."""
    return f"{input.name}__{column}".lower()


def read_settings(config: Any) -> tuple[Settings, list[str]]:
    """Reads what a model's `config()` states.

    Args:
        config: dbt's; has `get`.

    Returns:
        The settings, and mistakes in them.
    """
    mistakes = []
    key, spine = _read_names(config.get("key")), _read_names(config.get("spine"))
    if not key:
        mistakes.append("key is missing; expected the columns that identify a row or group, such as key=['id']")
    keys_sql, limit = config.get("keys_sql") or "", config.get("full_above")
    limit = DEFAULT_FULL_ABOVE if limit is None else limit
    is_share = isinstance(limit, (int, float)) and not isinstance(limit, bool) and 0 < limit <= 1
    if limit != NEVER and not is_share:
        mistakes.append(f"full_above is {limit!r}; expected a share above 0 and up to 1, or 'never'")
    full_above = float(limit) if is_share else None
    conditions = [config.get(name) or "" for name in ("freeze", "clock")]
    for name, condition in zip(("freeze", "clock"), conditions, strict=True):
        if not isinstance(condition, str):
            mistakes.append(f'{name} is {condition!r}; expected a condition of SQL, such as "day < gold_today()"')
    freeze, clock = (hide_day(text.strip()) if isinstance(text, str) else "" for text in conditions)
    lower = tuple(name.lower() for name in key)
    return Settings(lower, spine, str(keys_sql).strip(), full_above, freeze, clock), mistakes


def read_gold_model(name: str, sql: str, config: Any, inputs: Sequence[Input]) -> GoldModel:
    """Reads a model, and finds how changes of its inputs lead to its keys.

    Args:
        name: of the model, for messages.
        sql: its compiled query, whose day `day.hide_day` has hidden.
        config: of the model.
        inputs: that it may read, in any order.

    Raises:
        LakehouseError: it cannot be computed for some keys alone, or its configuration is wrong; it has all mistakes.
    """
    settings, mistakes = read_settings(config)
    inputs = [replace(input, number=number) for number, input in enumerate(inputs, 1)]
    query = read_query(sql, inputs, bool(settings.keys_sql))
    mistakes += query.mistakes
    if query.columns:
        mistakes += _check_inputs(query)
        mistakes += _check_key(settings, query)
    blocks: Sequence[Block | GivenKeys] = [block for part in query.blocks for block in part.split_unions()]
    if settings.keys_sql and query.columns:
        blocks, problems = _read_given_keys(settings, query)
        mistakes += problems
    conditions: dict[str, Condition] = {}
    if query.columns:
        conditions, problems = _read_conditions(settings, query, names_day(sql))
        mistakes += problems
        freeze, clock = (conditions[label].sql if label in conditions else "" for label in ("freeze", "clock"))
        settings = replace(settings, freeze=freeze, clock=clock)
    spines: list[Leaf] = []
    if not mistakes and not query.totals:
        spines, problems = _find_spines(settings, query, blocks)
        mistakes += problems
        mistakes += _check_conditions(settings, conditions, blocks, spines)
    if mistakes:
        raise _refuse(name, mistakes)
    if query.totals:
        return GoldModel(query, settings, (), ())
    try:
        return _plan_model(query, settings, blocks, spines, conditions)
    except UnsupportedError as error:
        raise _refuse(name, [f"the joins cannot be written again: {error}; give them as keys_sql"]) from None


def _refuse(name: str, mistakes: Iterable[str]) -> LakehouseError:
    return LakehouseError(
        "\n  - ".join([f"Gold error in {name} (cdc_affected): the model is refused:", *dict.fromkeys(mistakes)])
        + "\nWhat is read, and what to write instead: docs/gold.md."
    )


def _plan_model(
    query: Query,
    settings: Settings,
    blocks: Sequence[Block | GivenKeys],
    spines: Sequence[Leaf],
    conditions: Mapping[str, Condition],
) -> GoldModel:
    """Plans the routes and the cuts.

    Raises:
        UnsupportedError: sqlglot cannot write an expression of the joins.
    """
    branches = [
        _plan_branch(number, block, spine, settings.key)
        for number, (block, spine) in enumerate(zip(blocks, spines, strict=True), 1)
    ]
    named = [*settings.key, *(column for condition in conditions.values() for column in condition.columns)]
    day_texts = [_write(block, AFTER, tuple(dict.fromkeys(named)), ()) for block in blocks] if conditions else []
    return GoldModel(
        query=query,
        settings=settings,
        branches=tuple(branches),
        cuts=_plan_cuts(query, blocks, spines, settings.key),
        day_texts=tuple(day_texts),
    )


def _read_names(value: Any) -> tuple[str, ...]:
    if not value:
        return ()
    return (value,) if isinstance(value, str) else tuple(str(name) for name in value)


def _check_inputs(query: Query) -> Iterator[str]:
    for input in query.inputs:
        if not input.key:
            yield (
                f"the input {input.name} has no key; set unique_key in its config(), or read a silver or gold table,"
                " whose keys are stated"
            )
        for column in input.key:
            if column not in input.columns:
                yield f"the input {input.name} has no column {column}, which is stated as its key"


def _check_key(settings: Settings, query: Query) -> Iterator[str]:
    for column in settings.key:
        if column not in query.columns:
            yield f"key names {column}, which the query does not return; it returns {', '.join(query.columns)}"
        elif not settings.keys_sql and not query.totals:
            reasons = [block.hidden[column] for block in query.blocks if column in block.hidden]
            if reasons:
                yield f"key names {column}, but {reasons[0]}; take a column that the joins decide, or give keys_sql"


def _read_conditions(settings: Settings, query: Query, has_day: bool) -> tuple[dict[str, Condition], list[str]]:
    conditions, mistakes = {}, []
    for label, text in (("freeze", settings.freeze), ("clock", settings.clock)):
        if text:
            conditions[label], problems = read_condition(label, text, query)
            mistakes += problems
            if query.totals:
                mistakes.append(f"{label} names rows, but the model is {query.totals[0]}; leave {label} out")
            if settings.keys_sql:
                mistakes.append(
                    f"{label} beside keys_sql: which rows decide a column is not known; leave one of them out"
                )
    if settings.clock and not has_day:
        mistakes.append("clock is stated, but the query does not name {{ gold_today() }}; leave clock out")
    return conditions, mistakes


def _check_conditions(
    settings: Settings,
    conditions: Mapping[str, Condition],
    blocks: Sequence[Block | GivenKeys],
    spines: Sequence[Leaf],
) -> Iterator[str]:
    """Checks that lookups neither freeze a row nor move it, and that the joins alone find the rows of a day."""
    for block, spine in zip(blocks, spines, strict=False):
        if isinstance(block, GivenKeys):
            return
        if "freeze" in conditions:
            for label, columns in (("freeze", conditions["freeze"].columns), ("the key", settings.key)):
                for column in columns:
                    if not block.is_decided_by(spine, column):
                        yield (
                            f"freeze: {label} names {column}, which is not of the spine {spine.input.name} alone, so"
                            " that a lookup would move rows between frozen and other keys; freeze the rows in a model"
                            " whose key and condition are of its spine, and aggregate that"
                        )
        for column in conditions["clock"].columns if "clock" in conditions else ():
            if column not in block.columns:
                yield f"clock names {column}, but {block.hidden.get(column, 'the joins do not decide it')}"
            elif names_day(block.columns[column].expression.sql(dialect=GoldSpark)):
                yield f"clock names {column}, which depends on gold_today() itself; name the column that it is made of"


def _read_given_keys(settings: Settings, query: Query) -> tuple[list[GivenKeys], list[str]]:
    inputs = [replace(input, relation=input.name.lower()) for input in query.inputs]
    named = {input.relation: input for input in inputs}
    keys = read_query(settings.keys_sql, inputs, gives_keys=True)
    problems = [f"keys_sql: {mistake}" for mistake in keys.mistakes]
    expected = [*settings.key, *(name_given_key(input, column) for input in inputs for column in input.key)]
    lacking = [name for name in expected if name not in keys.columns]
    if keys.columns and lacking:
        problems.append(
            f"keys_sql lacks {', '.join(lacking)}; expected the key, and the key of each input as <input>__<column>:"
            f" {', '.join(expected)}"
        )
    uses = tuple(Leaf(number, input) for number, input in enumerate(inputs, 1))
    columns = {name: Exposed(exp.column(name, quoted=True), True) for name in settings.key}
    return [GivenKeys(settings.keys_sql, named, uses, columns)], problems


def _find_spines(settings: Settings, query: Query, blocks: Sequence[Block | GivenKeys]) -> tuple[list[Leaf], list[str]]:
    """Finds the spine of each branch: the input that the user names, if each row of the branch has a row of it."""
    names = [input.name for input in query.inputs]
    problems = [
        f"spine names {name}, which is no input of the query; its inputs are {', '.join(names)}"
        for name in settings.spine
        if name not in names
    ]
    if settings.keys_sql and not settings.spine:
        problems.append("spine is missing; keys_sql needs it: the input that each row of the query has a row of")
    if problems:
        return [], problems
    spines = []
    for block in blocks:
        rows = list(block.rows)
        named = [leaf for leaf in rows if leaf.input.name in settings.spine]
        if settings.spine and not named:
            optional = ", ".join(dict.fromkeys(leaf.input.name for leaf in rows)) or "none"
            problems.append(
                f"spine is {', '.join(settings.spine)}, but not each row of the query has a row of it; expected one of"
                f" {optional}, for this SELECT"
            )
        elif not rows:
            problems.append("a SELECT reads from a union inside a union's part; put it into a model of its own")
        else:
            spines.append(named[0] if named else rows[0])
    return spines, problems


def _plan_branch(number: int, block: Block | GivenKeys, spine: Leaf, key: Sequence[str]) -> Branch:
    routes = []
    first = next(iter(block.leaves))
    for leaf in block.leaves:
        if leaf.number == spine.number:
            routes.append(Route(leaf, ()))
            continue
        states = (AFTER,) if spine.number == first.number and block.is_looked_up([leaf]) else (BEFORE, AFTER)
        routes.append(Route(leaf, tuple(_write(block, state, (), (spine, leaf)) for state in states)))
    own = _find_own_keys(block, spine, key)
    texts = () if own else tuple(_write(block, state, key, (spine,)) for state in (BEFORE, AFTER))
    return Branch(number, spine, tuple(routes), own, texts)


def _find_own_keys(block: Block | GivenKeys, spine: Leaf, key: Sequence[str]) -> dict[str, str]:
    """Finds the spine's key columns that the table's key is made of, if it is made of nothing else."""
    if isinstance(block, GivenKeys):
        return {}
    (source, *_) = block.sources
    if source.relation != spine:
        return {}
    own = {}
    for name in key:
        expression = block.columns[name].expression
        if not isinstance(expression, exp.Column) or expression.table != source.alias:
            return {}
        if expression.name not in spine.input.key:
            return {}
        own[name] = spine.key_names[spine.input.key.index(expression.name)]
    return own


def _plan_cuts(
    query: Query, blocks: Sequence[Block | GivenKeys], spines: Sequence[Leaf], key: Sequence[str]
) -> tuple[Cut, ...]:
    """Plans the cut of each input, unless a row of it could be missed that keeps another from standing alone."""
    uses: dict[int, list[tuple[Leaf, str]]] = {input.number: [] for input in query.inputs}
    whole: set[int] = set()
    for block, spine in zip(blocks, spines, strict=True):
        optional = block.find_optional(key)
        for leaf in block.leaves:
            if leaf.number in optional and leaf.number != spine.number:
                whole.add(leaf.input.number)
            else:
                uses[leaf.input.number].append((leaf, _write(block, AFTER, key, (leaf,))))
    own = _find_own_columns(blocks[0], key) if len(blocks) == 1 else {}
    return tuple(
        Cut(input, tuple(uses[input.number]), own if _reads_once(query, blocks, input) else {})
        for input in query.inputs
        if input.number not in whole
    )


def _reads_once(query: Query, blocks: Sequence[Block | GivenKeys], input: Input) -> bool:
    """Whether an input is the first table of the only SELECT, and is read nowhere else."""
    leaves = [leaf for block in blocks for leaf in block.leaves]
    return leaves[0].input == input and sum(leaf.input == input for leaf in leaves) == 1


def _find_own_columns(block: Block | GivenKeys, key: Sequence[str]) -> dict[str, str]:
    """Writes the key as expressions over the row of the first table, if they name nothing else."""
    if isinstance(block, GivenKeys) or not isinstance(block.sources[0].relation, Leaf):
        return {}
    alias, own = block.sources[0].alias, {}
    for name in key:
        expression = block.columns[name].expression.copy()
        for column in expression.find_all(exp.Column):
            if column.table != alias:
                return {}
            column.set("table", exp.to_identifier("_cdc_row"))
        own[name] = write_sql(expression)
    return own


def _write(block: Block | GivenKeys, state: str, columns: Collection[str], leaves: Collection[Leaf]) -> str:
    return write_sql(block.write(state, columns, leaves), pretty=True)
