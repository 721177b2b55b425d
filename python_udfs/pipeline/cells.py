"""What a cell of a seed may hold, by the YAML of its columns: the lists that the data test of seeds writes as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from python_udfs.pipeline.warehouse import Relation, Warehouse


@dataclass(frozen=True)
class Cells:
    """The cells of a seed.

    Attributes:
        names: quoted names of the columns.
        texts: the values of a row as text.
        counts: how often a row's value of each expression is there, as `rows_1` and so on.
        problems: what is wrong with a row; each is null if nothing is.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    counts: tuple[str, ...]
    problems: tuple[str, ...]


def plan_cells(
    warehouse: Warehouse, seed: Relation, columns: Iterable[Mapping[str, Any]], each_once: Sequence[str]
) -> Cells:
    """Plans the test of a seed: a cell without ``default`` has a value, one with ``accepted`` words has one of them.

    Args:
        warehouse: has the seed.
        seed: its table. One that is older than a cell lacks its column; `make models` names those that a file needs.
        columns: of the seed, as its YAML describes them.
        each_once: expressions of which each value is there once.
    """
    in_table = {column.name for column in warehouse.get_columns_in_relation(seed)}
    present = [column for column in columns if column["name"] in in_table]
    names = [warehouse.quote(column["name"]) for column in present]
    problems = []
    for column, name in zip(present, names, strict=True):
        facts = column["config"]["meta"]
        if "default" not in facts:
            problems.append(f"if({name} is null, {warehouse.string_literal(column['name'] + ' is missing')}, null)")
        if not isinstance(facts["accepted"], str):
            problems.append(_write_other_word(warehouse, column["name"], facts["accepted"]))
    for number, expression in enumerate(each_once, start=1):
        problems.append(f"if(rows_{number} > 1, concat('more than once: ', {expression}), null)")
    return Cells(
        names=tuple(names),
        texts=tuple(f"cast({name} as string)" for name in names),
        counts=tuple(
            f"count({expression}) over (partition by {expression}) as rows_{number}"
            for number, expression in enumerate(each_once, start=1)
        ),
        problems=tuple(problems),
    )


def _write_other_word(warehouse: Warehouse, column: str, accepted: Iterable[Any]) -> str:
    name, words = warehouse.quote(column), [str(word) for word in accepted]
    literals = ", ".join(map(warehouse.string_literal, words))
    begin, end = warehouse.string_literal(f"{column} is "), warehouse.string_literal(f", expected {', '.join(words)}")
    return f"if(cast({name} as string) not in ({literals}), concat({begin}, {name}, {end}), null)"
