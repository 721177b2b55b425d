"""Each column that the project adds and each key of a summary is in the home that the reference is generated from."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from python_udfs.pipeline.added_names import ADDED_COLUMNS, SUMMARY_KEYS
from python_udfs.pipeline.silver_rows import CHANGE_COLUMNS, list_empty_columns
from tests.tracked import list_files

ROOT = Path(__file__).parents[2]
KEY = r"cdc\.[a-z-]+|refresh-state"


def list_keys(source: str) -> set[str]:
    """Returns the keys that a Python module names: whole texts, and f-strings over a tuple of texts."""
    keys: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and re.fullmatch(KEY, str(node.value)):
            keys.add(node.value)
        elif isinstance(node, ast.GeneratorExp) and ast.unparse(node.elt).startswith("f'cdc."):
            keys |= {f"cdc.{name}" for name in ast.literal_eval(node.generators[0].iter)}
    return keys


def test_the_reference_has_each_key_that_the_product_names() -> None:
    named: set[str] = set()
    for name in list_files("python_udfs", "macros", "models"):
        source = (ROOT / name).read_text(encoding="utf-8")
        if name.endswith(".py") and not name.endswith("/added_names.py"):
            named |= list_keys(source)
        elif name.endswith(".sql"):
            named |= set(re.findall(rf"['\"]({KEY})['\"]", source))
    assert named == {key.name for key in SUMMARY_KEYS}


def test_the_reference_has_each_column_that_bronze_is_written_with() -> None:
    macro = (ROOT / "macros/bronze/rows/cdc_bronze_sql.sql").read_text(encoding="utf-8")
    select_list = macro[macro.rindex("\nselect\n") : macro.index("\nfrom ruled")]
    written = re.findall(r"(?:^    | as )(_cdc_\w+)(?:,|$)", select_list, flags=re.MULTILINE)
    assert set(written) == {column.name for column in ADDED_COLUMNS if column.bronze}


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("all", {"mode": "current", "is_soft": False}),
        ("soft", {"mode": "current", "is_soft": True}),
        ("history", {"mode": "history", "is_soft": False}),
        ("append", {"mode": "append", "is_soft": False}),
    ],
)
def test_the_reference_has_each_column_that_silver_is_written_with(kind: str, settings: dict[str, Any]) -> None:
    cdc: Any = SimpleNamespace(primary_key=("id",), **settings)
    warehouse: Any = SimpleNamespace(quote=str)
    written = [text.split(" as ")[-1] for text in list_empty_columns(warehouse, cdc, ())]
    assert {*written, *CHANGE_COLUMNS} == {column.name for column in ADDED_COLUMNS if column.silver in ("all", kind)}
