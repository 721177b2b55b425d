"""dbt itself reads the generated files, and finds in them what the seeds say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from seed_files import good_seeds, write_seeds

from python_udfs.codegen import render
from python_udfs.codegen.__main__ import main
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, TABLES_FILE
from python_udfs.pipeline.added_names import ADDED_COLUMNS

REPOSITORY = Path(__file__).parents[2]
VIEWS = [
    f"models/etl_metadata/{name}.sql"
    for name in ("raw_processed_files", "quarantine", "silver_sync_state", "run_metrics")
]

# Everything that YAML, Jinja or SQL could take for its own.
ODD_TEXT = 'It\'s "50%": {{ no }} {% jinja %} {# here #} {{{% \\n # é\n🙂 - \x85 x'
ODD_COLUMNS = ["order", "two words", "it's", 'dou"ble', "back`tick", "{{ id }}", "größe"]

STUBS = {
    "dbt_project.yml": ("name: stub\nprofile: stub\nmodels: {stub: {bronze: {+schema: bronze}}}\n"),
    "profiles.yml": "stub: {outputs: {local: {type: sparksession, schema: x}}, target: local}\n",
    "models/rejected_files.sql": "select 1 as one\n",
    **{path: (REPOSITORY / path).read_text(encoding="utf-8") for path in VIEWS},
    "models/docs.md": "\n".join(
        f"{{% docs {column.name[1:]} %}}About {column.name}{{% enddocs %}}" for column in ADDED_COLUMNS
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose metadata is as odd as it may be, generated and parsed by dbt in a process of its own."""
    project = tmp_path_factory.mktemp("project")
    seeds = good_seeds()
    seeds[FEEDS_FILE][1] |= {"description": ODD_TEXT, "options": "delimiter=tab;null_values=\\N|it's"}
    seeds[TABLES_FILE][0] |= {"delete_mode": "soft", "description": ODD_TEXT, "owner": ODD_TEXT.strip()}
    seeds[TABLES_FILE][1] |= {
        "primary_key": ";".join(ODD_COLUMNS),
        "renamed_columns": "{{ old }}={{ id }};it''s=it's",
        "partition_by": "bucket(16, order);two words",
        "table_properties": "write.x='{{ y }}'",
    }
    staff = seeds[COLUMNS_FILE][2]
    seeds[COLUMNS_FILE] = seeds[COLUMNS_FILE][:2] + [
        {**staff, "column_name": name, "position": str(position), "description": ODD_TEXT}
        for position, name in enumerate(ODD_COLUMNS, start=1)
    ]
    folder = write_seeds(project, seeds)
    # dbt strips the text before it computes the checksum, and leaves a byte order mark in.
    (folder / FEEDS_FILE).write_bytes(b"\xef\xbb\xbf" + (folder / FEEDS_FILE).read_bytes() + b"\n\n")
    (folder / TABLES_FILE).write_bytes((folder / TABLES_FILE).read_bytes() + b"\r\n  \n")
    shutil.copytree(REPOSITORY / "macros", project / "macros")
    for name, text in STUBS.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert main(["--project-dir", str(project)]) == 0
    parse = subprocess.run(
        [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "--no-send-anonymous-usage-stats", "parse"],
        cwd=project,
        env={**os.environ, "DBT_PROFILES_DIR": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert parse.returncode == 0, parse.stdout + parse.stderr
    assert "deprecat" not in parse.stdout.lower(), parse.stdout
    return project


@pytest.fixture(scope="module")
def manifest(project: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((project / "target/manifest.json").read_text(encoding="utf-8"))
    return loaded


def test_the_guard_compares_the_checksums_that_dbt_computes(project: Path, manifest: dict[str, Any]) -> None:
    macro = (project / "macros/hooks/cdc_seed_checksums.sql").read_text(encoding="utf-8")
    seeds = {
        node["name"]: node["checksum"]["checksum"] for node in manifest["nodes"].values() if node["path"][-4:] == ".csv"
    }

    assert dict(re.findall(r"'(\w+)': '(\w+)'", macro)) == seeds
    assert sorted(seeds) == ["cdc_columns", "cdc_expectations", "cdc_feeds", "cdc_tables"]


def test_a_seed_too_large_for_dbt_to_hash_is_known_by_its_path(tmp_path: Path) -> None:
    seed = tmp_path / "seeds/cdc_columns.csv"
    seed.parent.mkdir()
    seed.write_bytes(b"x" * render.LARGEST_HASHED_SEED)
    assert re.fullmatch(r"[0-9a-f]{64}", render.compute_checksum(seed))

    seed.write_bytes(b"x" * (render.LARGEST_HASHED_SEED + 1))
    assert render.compute_checksum(seed) == "seeds/cdc_columns.csv"


def test_odd_names_reach_the_configuration_unharmed(manifest: dict[str, Any]) -> None:
    config = manifest["nodes"]["model.stub.silver_hr__staff"]["config"]

    assert config["unique_key"] == ODD_COLUMNS
    assert config["partition_by"] == ["bucket(16, `order`)", "`two words`"]
    assert config["tblproperties"]["write.x"] == "'{{ y }}'"
    assert config["meta"]["cdc"]["primary_key"] == ODD_COLUMNS
    bronze = manifest["nodes"]["model.stub.bronze_hr__staff"]["config"]["meta"]["cdc"]
    assert bronze["renamed_columns"] == {"{{ old }}": "{{ id }}", "it''s": "it's"}
    options = bronze["options"]
    assert options["delimiter"] == "\t"
    assert options["null_values"] == ["\\N", "it's"]


def test_columns_that_need_quotes_say_so(manifest: dict[str, Any]) -> None:
    columns = manifest["nodes"]["model.stub.silver_hr__staff"]["columns"]

    assert [name for name in columns if not name.startswith("_cdc_")] == ODD_COLUMNS
    assert {name for name, column in columns.items() if column["quote"]} == set(ODD_COLUMNS)


def test_descriptions_and_owners_come_out_as_they_were_written(manifest: dict[str, Any]) -> None:
    item = manifest["nodes"]["model.stub.silver_shop__item"]

    assert item["description"].startswith(ODD_TEXT + ". shop.item as the source has it now")
    assert item["config"]["meta"]["owner"] == ODD_TEXT
    assert item["config"]["meta"]["cdc"]["delete_mode"] == "soft"
    assert item["columns"]["_cdc_is_deleted"]["description"] == "About _cdc_is_deleted"
    assert manifest["nodes"]["model.stub.bronze_hr__staff"]["columns"]["order"]["description"] == ODD_TEXT
    assert manifest["sources"]["source.stub.people.hr__staff"]["source_description"] == ODD_TEXT


def test_lineage_runs_from_the_source_to_silver(manifest: dict[str, Any]) -> None:
    parents = manifest["parent_map"]

    assert parents["model.stub.silver_shop__item"] == ["model.stub.bronze_shop__item"]
    assert sorted(parents["model.stub.bronze_shop__item"]) == [
        "model.stub.raw_listing",
        "model.stub.rejected_files",
        "source.stub.shop.shop__item",
    ]
    bronze = ["model.stub.bronze_hr__staff", "model.stub.bronze_shop__item"]
    assert sorted(parents["model.stub.quarantine"]) == bronze
    assert sorted(parents["model.stub.raw_processed_files"]) == [
        *bronze,
        "model.stub.raw_listing",
        "model.stub.rejected_files",
    ]
    silver = ["model.stub.silver_hr__staff", "model.stub.silver_shop__item"]
    assert sorted(parents["model.stub.run_metrics"]) == silver
    assert parents["model.stub.silver_sync_state"] == ["model.stub.run_metrics"]


def test_every_model_has_its_tests(manifest: dict[str, Any]) -> None:
    tests: dict[str, set[str]] = {}
    for node in manifest["nodes"].values():
        if node["resource_type"] == "test" and node["attached_node"]:
            tests.setdefault(node["attached_node"].split(".")[-1], set()).add(node["test_metadata"]["name"])

    assert tests["bronze_shop__item"] == {"known_operations"}
    own = {"one_row_per_key", "no_key_is_null", "silver_matches_bronze", "every_reload_is_complete"}
    assert tests["silver_shop__item"] == own
