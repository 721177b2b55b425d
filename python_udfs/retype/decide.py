"""Decides the types that `change_types` gives to the columns of a bronze table. Asks no Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from python_udfs.pipeline.columns import Column
from spark_files import common_type, holds, is_promotion

SEED = "seeds/cdc_columns.csv"
QUARANTINE = "rows in quarantine"
_WHOLE_NUMBERS = ("int", "bigint", "decimal")
_FLOATS = ("float", "double")
_TIMES = ("date", "timestamp", "timestamp_ntz")
# A day is the time at which it begins, as a source makes one of the other.
_DAYS = {("date", "timestamp"), ("date", "timestamp_ntz")}
_SCALARS = (*_WHOLE_NUMBERS, *_FLOATS, *_TIMES, "string", "boolean")


@dataclass(frozen=True)
class TypeChange(Column):
    """A column that gets another type: ``type``, and has ``raw_type`` before.

    Attributes:
        origin: who asks for it, `SEED` or `QUARANTINE`.
        is_in_place: Iceberg changes the type without writing a row.
        is_judged: each value has to be asked whether the type holds it; else the types alone show that it does.
    """

    origin: str = SEED
    is_in_place: bool = False
    is_judged: bool = False


@dataclass(frozen=True)
class TypeDecision:
    """Which columns of a table get which type.

    Attributes:
        changes: in the order of the columns.
        problems: sentences, why a column cannot get the type of the seed; nothing may be changed while there is one.
        left: sentences about quarantined rows that get no type and stay where they are.
    """

    changes: tuple[TypeChange, ...] = ()
    problems: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def decide_types(
    columns: Iterable[Mapping[str, str]], listed: Mapping[str, str], received: Iterable[Mapping[str, str | None]]
) -> TypeDecision:
    """Decides which columns of a bronze table get which type.

    The type of the seed counts. Else it is the narrowest that holds what bronze has and each type that quarantined rows
    came in. A type that holds all values of the seed's type already stays.

    Args:
        columns: `name` and `type` of the columns of bronze, types as Spark writes them (`decimal(12,2)`).
        listed: type in the seed, by name in lower case.
        received: `name` and `type` of quarantined values of files that carry types; None: a row that an older version
            of the project has quarantined does not record it.
    """
    of_rows: dict[str, list[str | None]] = {}
    for value in received:
        of_rows.setdefault(str(value["name"]).lower(), []).append(value["type"])
    changes: list[TypeChange] = []
    problems: list[str] = []
    left: list[str] = []
    for column in columns:
        name, old = column["name"], column["type"]
        if name.lower() in listed:
            new, origin, problem = listed[name.lower()], SEED, None
        else:
            new, problem = _join_types(name, old, of_rows.get(name.lower(), []))
            origin = QUARANTINE
        if problem is None and not holds(old, new) and not _is_castable(old, new):
            problem = (
                f"{name} is {old} in bronze and {new} in {origin}: no cast keeps each value; state a type that"
                f" holds both as data_type of {name} in {SEED} and run make models"
            )
        if problem is not None:
            (problems if origin == SEED else left).append(problem)
        elif not holds(old, new):
            is_judged = not (holds(new, old) or new == "string" or (old, new) in _DAYS)
            in_place = is_promotion(old, new)
            change = TypeChange(name, new, old, "promote", origin=origin, is_in_place=in_place, is_judged=is_judged)
            changes.append(change)
    return TypeDecision(tuple(changes), tuple(problems), tuple(left))


def _join_types(name: str, old: str, received: Iterable[str | None]) -> tuple[str, str | None]:
    """The narrowest type that holds a type and all of others; with a sentence if there is none."""
    new = old
    for other in received:
        if other is None:
            return old, (
                f"{name} is {old} in bronze, and rows that an older version has quarantined do not record their type:"
                f" fill in data_type of {name} in {SEED} and run make models"
            )
        pair = sorted((new, other))
        joined = pair[1] if tuple(pair) in _DAYS else common_type(new, other)
        if joined is None:
            return old, (
                f"{name} is {old} in bronze and {other} in {QUARANTINE}: no type holds both; deliver the rows again in"
                " another type"
            )
        new = joined
    return new, None


def _is_castable(old: str, new: str) -> bool:
    """Whether a cast may keep the values of a type; text is read by the rules of text from the source."""
    kinds = [written.split("(")[0] for written in (old, new)]
    if "string" in kinds:
        return all(kind in _SCALARS for kind in kinds)
    same_kind = any(all(kind in group for kind in kinds) for group in (_WHOLE_NUMBERS, _FLOATS, _TIMES))
    return same_kind or (old, new) == ("bigint", "double") or holds(new, old)
