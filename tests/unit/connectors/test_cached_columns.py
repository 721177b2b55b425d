"""Columns that are built once for many batches: they are objects of the Java that they were built in."""

from __future__ import annotations

import sys

import pytest

import spark_files.cache_columns  # noqa: F401  the package has a function of this name

module = sys.modules["spark_files.cache_columns"]


def test_columns_are_built_once_for_equal_arguments_in_one_java(monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    @module.cache_columns
    def build(form: str, has_key: bool = False) -> list[str]:
        built.append((form, has_key))
        return [form]

    java = object()
    monkeypatch.setattr(module, "java_gateway_in_use", lambda: java)
    assert build("envelope") is build("envelope")
    assert build("flattened") == ["flattened"]
    assert build("flattened", has_key=True) == ["flattened"]
    assert built == [("envelope", False), ("flattened", False), ("flattened", True)]
    another = object()
    monkeypatch.setattr(module, "java_gateway_in_use", lambda: another)
    assert build("envelope") == ["envelope"]
    assert built[-1] == ("envelope", False)
    assert len(built) == 4
