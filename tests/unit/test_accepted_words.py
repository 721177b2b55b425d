"""Accepted words of cells and options are the same in the code and in seeds/_seeds.yml, and connectors in the registry.

dbt's test on a seed would refuse a word that `make models` accepts, and its description would not name it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from python_udfs.connectors.options import (
    CSV_OPTIONS,
    DELIMITER_WORDS,
    FORMATS,
    KAFKA_OPTIONS,
    KAFKA_OPTIONS_OF,
    MESSAGE_FILE_OPTIONS,
    MESSAGE_OPTIONS,
)
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.metadata import FEEDS_FILE
from python_udfs.metadata.files import WORDS

SEEDS = yaml.safe_load((Path(__file__).parents[2] / "seeds" / "_seeds.yml").read_text(encoding="utf-8"))["seeds"]
COLUMNS = {f"{seed['name']}.csv": {column["name"]: column for column in seed["columns"]} for seed in SEEDS}


def options() -> dict[str, set[str]]:
    """Accepted words by option, those of all connectors together."""
    words: dict[str, set[str]] = {}
    for of_contract in (
        CSV_OPTIONS,
        MESSAGE_FILE_OPTIONS,
        KAFKA_OPTIONS,
        *KAFKA_OPTIONS_OF.values(),
        *MESSAGE_OPTIONS.values(),
    ):
        for name, option in of_contract.items():
            words.setdefault(name, set()).update(option.words)
    return words | {"delimiter": set(DELIMITER_WORDS)}


def accepted(facts: dict[str, Any]) -> set[str]:
    """Words that the reference lists for a cell or an option, one by one or backquoted in a text."""
    described = facts["accepted"]
    return set(re.findall(r"`([a-z][a-z0-9_]*)`", described)) if isinstance(described, str) else set(described)


def test_dbt_accepts_the_words_of_a_cell_that_the_generator_accepts() -> None:
    in_yaml = {
        (file, name): tuple(accepted)
        for file, columns in COLUMNS.items()
        for name, column in columns.items()
        if isinstance(accepted := column["config"]["meta"]["accepted"], list) and accepted != ["true", "false"]
    }
    # Words that are combined in one cell are a text there.
    in_code = {
        (file, name): words
        for file, of_file in WORDS.items()
        for name, words in of_file.items()
        if name != "key_comparison"
    }
    assert in_yaml == in_code


def test_the_reference_has_the_words_of_key_comparison() -> None:
    (file,) = (file for file, columns in WORDS.items() if "key_comparison" in columns)
    assert accepted(COLUMNS[file]["key_comparison"]["config"]["meta"]) == set(WORDS[file]["key_comparison"])


def test_the_reference_has_every_option_and_every_word_of_one() -> None:
    described = COLUMNS[FEEDS_FILE]["options"]["config"]["meta"]["options"]
    assert {option["name"] for option in described} - {"kafka.…", "registry.…"} == options().keys()
    for name, words in options().items():
        if words:
            assert set().union(*(accepted(option) for option in described if option["name"] == name)) == words, name


def test_every_contract_has_a_connector_and_formats_that_a_feed_may_have() -> None:
    assert CONNECTORS.keys() == FORMATS.keys()
    assert MESSAGE_OPTIONS.keys() == FORMATS.keys() - {"dms"}
    assert {word for formats in FORMATS.values() for word in formats} == set(WORDS[FEEDS_FILE]["format"])
