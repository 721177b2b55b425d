"""The folders of macros/ form layers: where macros of one call those of another, none leads back."""

from __future__ import annotations

from functools import cache
from graphlib import CycleError, TopologicalSorter

import jinja2
import pytest
from harness import MACROS, MacroFile, environment, macro_files


@cache
def called(text: str) -> frozenset[str]:
    """Names of what a file calls."""
    calls = environment().parse(text).find_all(jinja2.nodes.Call)
    return frozenset(call.node.name for call in calls if isinstance(call.node, jinja2.nodes.Name))


def rooms(files: list[MacroFile]) -> dict[str, set[str]]:
    """The folders that the macros of each folder call, without itself."""
    room_of = {name: file.path.parent.relative_to(MACROS).as_posix() for file in files for name in file.arguments}
    neighbours: dict[str, set[str]] = {room: set() for room in room_of.values()}
    for file in files:
        room = file.path.parent.relative_to(MACROS).as_posix()
        neighbours[room] |= {room_of[name] for name in called(file.text) if name in room_of}
    return {room: others - {room} for room, others in neighbours.items()}


def test_no_folder_leads_back_to_itself():
    assert list(TopologicalSorter(rooms(macro_files())).static_order())


def test_a_cycle_is_found():
    loop = MacroFile(MACROS / "shared/loop.sql", "{% macro loop() %}{{ cdc_bronze_sql() }}{% endmacro %}", {"loop": []})
    user = MacroFile(MACROS / "bronze/rows/user.sql", "{% macro user() %}{{ loop() }}{% endmacro %}", {"user": []})
    with pytest.raises(CycleError):
        list(TopologicalSorter(rooms([*macro_files(), loop, user])).static_order())


def test_a_private_macro_is_called_in_its_own_file_only():
    private = {name: file.path for file in macro_files() for name in file.arguments if name.startswith("_")}
    for file in macro_files():
        for name in called(file.text):
            assert private.get(name, file.path) == file.path, name
