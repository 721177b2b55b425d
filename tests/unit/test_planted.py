"""Faults that `make prove-faults` plants are planted in code that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planted import FAULTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", FAULTS)
def test_the_text_that_a_fault_replaces_is_in_the_code(name: str) -> None:
    for file, text, _ in FAULTS[name].edits:
        assert text in (ROOT / file).read_text(encoding="utf-8"), file
