"""Steps of a user around the pipeline: add a table, read the docs, open the tables with other engines."""

from __future__ import annotations

import json
import re
import shutil

import duckdb
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from stories import Story, change

TABLES = ("front", "added")
# A statement as dbt logs it, after the comment that dbt puts in front.
WRITES = re.compile(r"On \S+: (?:/\*.*?\*/)?\s*(?:create|insert|alter|drop|merge|update|delete|call)\b", re.I | re.S)


def writes(lakehouse) -> list[str]:
    """The statements of the last command that write."""
    return [message for message in lakehouse.messages if WRITES.match(message)]


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    lakehouse.add_feed("front", "parquet", "timestamp_column=ts")
    lakehouse.add_table("front", "front", description="Stands in front")
    lakehouse.make_models()
    assert lakehouse.dbt("compile").success
    lakehouse.written = {"compile on an empty warehouse": writes(lakehouse)}
    story = Story(lakehouse.raw / "front", "front")
    story.load(0, {"id": 1, "v": "a"}, {"id": 2, "v": "b"})
    lakehouse.without_rows = [lakehouse.build("--empty", "--select", "+silver_s__front", "quarantine")]
    lakehouse.built_empty = lakehouse.sql("select * from silver.s__front")
    lakehouse.build("--select", "+silver_s__front")
    story.changes(1, change("U", 1, id=1, v="A"), change("D", 1, id=2), change("I", 1, id=3, v="c"))
    lakehouse.without_rows.append(lakehouse.build("--empty", "--select", "+silver_s__front", "quarantine"))
    lakehouse.written["build --empty"] = writes(lakehouse)
    lakehouse.build("--select", "+silver_s__front")
    lakehouse.written["build"] = writes(lakehouse)
    for command in (["compile"], ["docs", "generate"]):
        assert lakehouse.dbt(*command).success
        lakehouse.written[" ".join(command)] = writes(lakehouse)
    return lakehouse


def test_only_a_run_sends_statements_that_write(lakehouse):
    assert [command for command, statements in lakehouse.written.items() if statements] == ["build"]
    for layer, strategy in (("bronze", "insert into"), ("silver", "merge into")):
        compiled = lakehouse.project / f"target/compiled/cdc_lakehouse/models/{layer}/s/{layer}_s__front.sql"
        assert re.sub(r"--.*", "", compiled.read_text()).split()[:3] == ["select", "*", "from"]
        assert any(f"{strategy} {layer}.s__front" in statement for statement in lakehouse.written["build"])


def test_a_run_without_rows_makes_what_is_missing_and_leaves_the_changes_that_wait(lakehouse):
    """Nothing is written (the test before), and the builds behind both applied all (the test behind)."""
    for statuses in lakehouse.without_rows:
        assert {name: status for name, status in statuses.items() if status not in ("success", "pass")} == {}
    assert lakehouse.built_empty == []


def test_pyiceberg_and_duckdb_read_silver_from_the_embedded_catalog(lakehouse):
    catalog = SqlCatalog(
        "lakehouse", uri=f"sqlite:///{lakehouse.warehouse}/catalog.db", warehouse=str(lakehouse.warehouse)
    )
    table = catalog.load_table("silver.s__front")
    assert table.location() == f"file://{lakehouse.warehouse}/silver/s__front"
    assert table.schema().identifier_field_names() == {"id"}
    bound = {name: value for name, value in table.properties.items() if name.startswith("write.metadata.")}
    assert bound == {
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": "50",
    }
    scan = table.scan()
    assert sorted(scan.to_arrow().select(["id", "v"]).to_pylist(), key=lambda row: row["id"]) == [
        {"id": 1, "v": "A"},
        {"id": 3, "v": "c"},
    ]
    with duckdb.connect() as connection:
        scan.to_duckdb("front", connection)
        assert connection.sql("select id, v from front order by id").fetchall() == [(1, "A"), (3, "c")]


def test_a_table_is_added_by_a_row_in_the_seed_and_make_models(lakehouse):
    Story(lakehouse.raw / "front", "added").load(0, {"id": 1, "v": "a"})
    seed = lakehouse.project / "seeds" / "cdc_tables.csv"
    row = "front,s,added,id,hard,current,,,,,,,,,,true,,\n"
    seed.write_text(seed.read_text() + row)
    refused = lakehouse.dbt("run", "--select", "raw_listing")
    assert not refused.success
    assert any("seeds changed: run make models" in message for message in lakehouse.messages)

    lakehouse.add_table("front", "added")
    lakehouse.make_models()
    statuses = lakehouse.build("--select", "+silver_s__added")
    assert statuses["silver_s__added"] == "success"
    assert lakehouse.table("added", "id, v") == [(1, "a")]


def test_silver_alone_is_current_or_names_what_is_missing(lakehouse):
    lakehouse.add_table("front", "unbuilt")
    lakehouse.make_models()
    assert lakehouse.statuses("run", "--select", "silver_s__front")["silver_s__front"] == "success"
    assert lakehouse.statuses("run", "--select", "silver_s__unbuilt")["silver_s__unbuilt"] == "error"
    assert any("bronze.s__unbuilt does not exist yet" in message for message in lakehouse.messages)


def test_the_unit_tests_of_dbt_pass_and_no_build_pays_for_them(lakehouse):
    of_units = ("test", "--select", "test_type:unit")
    assert lakehouse.statuses(*of_units) == {}
    statuses = lakehouse.statuses(*of_units, "--vars", "cdc_unit_tests: true")
    assert statuses["a_file_version_that_is_not_ingested_has_a_status_and_a_reason"] == "pass"


def test_a_feed_that_lists_no_new_file_goes_stale(lakehouse):
    def freshness():
        return lakehouse.statuses("source", "freshness", "--select", "source:front.s__front")

    answers = [freshness()]
    for _ in range(2):
        lakehouse.sql("update etl_metadata.raw_listing set first_seen_at = first_seen_at - interval 2 days")
        answers.append(freshness())
    assert [statuses["s__front"] for statuses in answers] == ["pass", "warn", "error"]


def test_docs_show_lineage_from_the_source_and_describe_columns(lakehouse):
    target = lakehouse.project / "target"
    manifest = json.loads((target / "manifest.json").read_text())
    catalog = json.loads((target / "catalog.json").read_text())
    silver, bronze = (f"model.cdc_lakehouse.{layer}_s__front" for layer in ("silver", "bronze"))
    assert bronze in manifest["parent_map"][silver]
    assert "source.cdc_lakehouse.front.s__front" in manifest["parent_map"][bronze]
    assert list(catalog["nodes"][silver]["columns"])[:3] == ["id", "v", "w"]
    described = manifest["nodes"][silver]["columns"]
    assert all(column["description"] for column in described.values())
    assert "Stands in front" in manifest["nodes"][silver]["description"]


def test_a_metadata_key_that_no_file_has_is_said_of_each_file(lakehouse):
    lakehouse.add_table("front", "keyless", primary_key="nr")
    lakehouse.make_models()
    Story(lakehouse.raw / "front", "keyless").load(0, {"id": 1, "v": "a"})
    statuses = lakehouse.build("--select", "+silver_s__keyless", "every_raw_file_is_accounted_for")
    assert statuses["bronze_s__keyless"] == "success"
    assert statuses["every_raw_file_is_accounted_for"] in ("fail", "error")
    [row] = lakehouse.sql("select reason from etl_metadata.rejected_files where contains(path, '/keyless/')")
    assert row.reason == "has no key column 'nr'; its columns are 'ts', 'id', 'v', 'w'"
    lakehouse.rows["cdc_tables.csv"].pop()
    lakehouse.make_models()
    shutil.rmtree(lakehouse.raw / "front" / "s" / "keyless")
