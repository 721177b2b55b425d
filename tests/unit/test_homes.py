"""A rule has one home: what states it stands in one module, and the others ask that module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
HOMES = {
    "999_?999_?999_?999": "python_udfs/pipeline/sequence.py",  # the row of a marker
    r"'runtime error'": "python_udfs/pipeline/results.py",  # dbt's words for failure
    r"\blag\w* > ": "python_udfs/pipeline/lag.py",  # late
    r" = 75$": "python_udfs/cli/console.py",  # the exit code of a cause that may pass
    "_last_updated_sequence_number": "python_udfs/metadata/names.py",  # names that a column cannot have
    "'://' (?:not )?in location": "python_udfs/paths.py",  # the location of a feed
    r"spark\.sql\.adaptive\.enabled": "adapter/dbt/adapters/sparksession/few_rows.py",  # settings of a small batch
    "snapshot-property": "adapter/spark_files/capabilities.py",  # properties of a commit
}


def texts(*folders: str) -> dict[str, str]:
    """The modules and macros of the product, quotes alike; comments and docstrings may name a rule."""
    paths = [path for folder in folders for kind in ("py", "sql") for path in PROJECT.glob(f"{folder}/**/*.{kind}")]
    names = {path.relative_to(PROJECT).as_posix(): path.read_text() for path in paths}
    prose = re.compile(r'\{#.*?#\}|""".*?"""|# [^\n]*', re.S)
    return {name: prose.sub("", text).replace('"', "'") for name, text in names.items() if "sample_data" not in name}


@pytest.mark.parametrize(("rule", "home"), HOMES.items())
def test_a_rule_stands_in_one_module(rule, home):
    product = texts("python_udfs", "macros", "models", "adapter", "airflow", "deploy")
    assert [name for name, text in product.items() if re.search(rule, text, re.M)] == [home]


def test_the_product_knows_neither_the_class_of_the_adapter_nor_java():
    asks = re.compile(r"sparksession\.impl|spark_files\.internals")
    assert [name for name, text in texts("python_udfs").items() if asks.search(text)] == []


def test_the_product_does_without_its_samples():
    product = texts("python_udfs", "adapter", "airflow", "deploy", "models")
    assert [name for name, text in product.items() if re.search(r"(from|import) python_udfs\.sample_data", text)] == []
