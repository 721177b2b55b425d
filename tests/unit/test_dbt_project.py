"""Variables that the project's macros and models take from `dbt_project.yml` stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
PROJECT: dict[str, Any] = yaml.safe_load((REPOSITORY / "dbt_project.yml").read_text(encoding="utf-8"))
# The name of a variable, and the default beside it.
VAR = re.compile(r"\bvar\(\s*['\"](\w+)['\"]\s*(?:,\s*([^)]+?)\s*)?\)")
USED = [
    (path.relative_to(REPOSITORY).as_posix(), *variable)
    for folder in ("macros", "models", "seeds", "tests/data", "profiles")
    for path in sorted((REPOSITORY / folder).rglob("*"))
    if path.suffix in (".sql", ".yml", ".md")
    for variable in VAR.findall(path.read_text(encoding="utf-8"))
]


def test_there_are_variables() -> None:
    assert {name for _, name, _ in USED} == set(PROJECT["vars"])


@pytest.mark.parametrize(("file", "name", "default"), USED)
def test_a_variable_is_declared_and_a_default_beside_its_use_is_the_declared_one(
    file: str, name: str, default: str
) -> None:
    assert name in PROJECT["vars"], file
    assert not default or yaml.safe_load(default) == PROJECT["vars"][name], file


@pytest.mark.parametrize("layer", sorted(PROJECT["models"]["cdc_lakehouse"].keys() - {"+file_format"}))
def test_a_layer_has_a_group_with_an_owner(layer: str) -> None:
    groups = yaml.safe_load((REPOSITORY / "models" / "_groups.yml").read_text(encoding="utf-8"))["groups"]
    owners = {group["name"]: group["owner"] for group in groups}
    assert owners[PROJECT["models"]["cdc_lakehouse"][layer]["+group"]]["name"]
