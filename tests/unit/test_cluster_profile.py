"""The target `cluster`: what dbt says of its variables, without Spark."""

from __future__ import annotations

import re
from argparse import Namespace
from pathlib import Path

import yaml
from dbt.config.profile import Profile
from dbt.config.renderer import ProfileRenderer
from dbt.exceptions import DbtProfileError
from dbt.flags import set_from_args
from dbt_common.context import set_invocation_context

PROFILES = Path(__file__).parents[2] / "profiles" / "profiles.yml"
GIVEN = {
    "SPARK_MASTER": "spark://h:7077",
    "LAKEHOUSE_RAW": "s3a://landing",
    "LAKEHOUSE_CATALOG_TYPE": "rest",
    "LAKEHOUSE_CATALOG_URI": "http://h:8181",
    "LAKEHOUSE_WAREHOUSE": "s3://lake/w",
}


def said_of(**variables: str) -> str:
    """Messages of dbt about the target with these variables and no others; empty if it takes them."""
    set_from_args(Namespace(LOG_CACHE_EVENTS=False), {})
    set_invocation_context({"LAKEHOUSE_TARGET": "cluster", **variables})
    try:
        Profile.from_raw_profiles(yaml.safe_load(PROFILES.read_text()), "lakehouse", ProfileRenderer({}))
    except DbtProfileError as error:
        return str(error)
    return ""


def named(said: str) -> list[str]:
    return re.findall(r"the environment variable (\w+) is", said)


def test_all_variables_that_are_missing_are_named_at_once() -> None:
    missing = named(said_of())
    assert missing == ["SPARK_MASTER", "LAKEHOUSE_RAW", "LAKEHOUSE_CATALOG_TYPE", "LAKEHOUSE_WAREHOUSE"]


def test_what_a_choice_needs_is_named_and_no_secret_is_shown() -> None:
    wrong = {
        **GIVEN, "SPARK_MASTER": "k8s://https://h", "LAKEHOUSE_CATALOG_URI": "h:8181", "LAKEHOUSE_THREADS": "many",
        "LAKEHOUSE_CATALOG_AUTH": "oauth2", "DBT_ENV_SECRET_CATALOG_CREDENTIAL": "planted",
        "SPARK_EXECUTOR_MEMORY": "4", "SPARK_DYNAMIC_ALLOCATION": "yes", "LAKEHOUSE_S3_PATH_STYLE": "1",
    }  # fmt: skip
    said = said_of(**wrong)
    assert sorted(named(said)) == sorted([*(wrong.keys() - GIVEN.keys() - {"LAKEHOUSE_CATALOG_AUTH"}),
                                          "LAKEHOUSE_CATALOG_URI", "SPARK_CONTAINER_IMAGE"])  # fmt: skip
    assert "planted" not in said


def test_what_is_needed_is_enough() -> None:
    assert said_of(**GIVEN) == ""
    glue = {**GIVEN, "LAKEHOUSE_CATALOG_TYPE": "glue"}
    del glue["LAKEHOUSE_CATALOG_URI"]
    assert said_of(**glue) == ""


def test_every_variable_of_the_target_is_described_above_it() -> None:
    text = PROFILES.read_text()
    described, used = text.split("    cluster:\n      type")
    described = described[described.index("# The same project on a Spark cluster") :]
    for name in set(re.findall(r"env_var\('(\w+)'", used)):
        assert re.search(rf"\b{name}\b", described), f"{name} is not described"
