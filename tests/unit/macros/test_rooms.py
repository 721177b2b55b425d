"""The folders of macros/ form layers: where macros of one call those of another, none leads back."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import jinja2
import pytest
from harness import MACROS, MacroFile, environment, macro_files


def rooms(files: list[MacroFile]) -> dict[str, set[str]]:
    """The folders that the macros of each folder call, without itself."""
    room_of = {name: file.path.parent.relative_to(MACROS).as_posix() for file in files for name in file.arguments}
    called: dict[str, set[str]] = {room: set() for room in room_of.values()}
    for file in files:
        room = file.path.parent.relative_to(MACROS).as_posix()
        for call in environment().parse(file.text).find_all(jinja2.nodes.Call):
            if isinstance(call.node, jinja2.nodes.Name) and call.node.name in room_of:
                called[room].add(room_of[call.node.name])
    return {room: others - {room} for room, others in called.items()}


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
        for call in environment().parse(file.text).find_all(jinja2.nodes.Call):
            if isinstance(call.node, jinja2.nodes.Name):
                assert private.get(call.node.name, file.path) == file.path, call.node.name
