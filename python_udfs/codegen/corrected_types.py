"""Types of columns that a run of the generator has corrected: a table that is there does not follow all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from python_udfs.pipeline.commands import change_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from python_udfs.codegen.files import Plan

_COLUMN = re.compile(r"^ +\{'name': '(.*)', 'type': '(.*)', 'optional': \w+\},$", re.MULTILINE)
_ALIAS = re.compile(r"^ +alias='(.*)',$", re.MULTILINE)


def corrected_types(plan: Plan) -> Iterator[str]:
    """A sentence for each column whose type differs from the one in the bronze model that is written again.

    Args:
        plan: what the generator will do, before it does it.
    """
    for name in plan.differing:
        if not name.startswith("models/bronze/") or not name.endswith(".sql"):
            continue
        old = dict(_COLUMN.findall((plan.project_dir / name).read_text(encoding="utf-8")))
        alias = _ALIAS.search(plan.wanted[name])
        for column, data_type in _COLUMN.findall(plan.wanted[name]):
            if alias and old.get(column, data_type) != data_type:
                yield (
                    f"{alias[1]}: column {column} was {old[column]}, is {data_type} now. A table that has rows follows"
                    f" where Iceberg widens the type in place; else run {change_types(alias[1])}"
                )
