"""Each macro is in a file of its name and is documented beside it, with all its arguments."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import yaml
from dbt.parser.schemas import is_valid_type
from harness import MACROS, MacroFile, macro_files

FILES = macro_files()
FOLDERS = sorted({file.path.parent for file in FILES})


def public(file: MacroFile) -> dict[str, list[str]]:
    return {name: arguments for name, arguments in file.arguments.items() if not name.startswith("_")}


@cache
def documented(folder: Any) -> list[dict[str, Any]]:
    return yaml.safe_load((folder / "_macros.yml").read_text(encoding="utf-8"))["macros"]


def by_name(files: list[MacroFile]) -> dict[str, Any]:
    return {file.path.relative_to(MACROS).as_posix(): file for file in files}


def test_there_are_macros():
    assert {folder.name for folder in FOLDERS} >= {"bronze", "silver", "tests"}


@pytest.mark.parametrize("file", FILES, ids=list(by_name(FILES)))
def test_file_holds_one_public_macro_of_its_name(file):
    assert [name.removeprefix("test_") for name in public(file)] == [file.path.stem]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_documentation_has_every_macro_and_no_other(folder):
    macros = [name for file in FILES if file.path.parent == folder for name in public(file)]
    assert sorted(entry["name"] for entry in documented(folder)) == sorted(macros)


@pytest.mark.parametrize("file", FILES, ids=list(by_name(FILES)))
def test_documentation_has_every_argument_in_order_and_no_other(file):
    [(name, arguments)] = public(file).items()
    [entry] = [entry for entry in documented(file.path.parent) if entry["name"] == name]
    assert [argument["name"] for argument in entry.get("arguments", [])] == arguments


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_entry_describes_something_and_what_is_returned(folder):
    for entry in documented(folder):
        assert "Returns " in entry["description"], entry["name"]
        for argument in entry.get("arguments", []):
            assert argument["description"].strip(), (entry["name"], argument["name"])
            assert is_valid_type(argument["type"]), (entry["name"], argument["name"], argument["type"])
