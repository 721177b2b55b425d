"""Who reads a table decides how it is written; a cell that one of its readers reads wrong is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from seed_files import good_seeds, write_seeds

from python_udfs.codegen.__main__ import main
from python_udfs.errors import MetadataError
from python_udfs.metadata import COLUMNS_FILE, TABLES_FILE, load_metadata
from python_udfs.metadata.readers import LIMITS, READERS
from python_udfs.metadata.write import write_checked

if TYPE_CHECKING:
    from python_udfs.metadata import Table

PAGE = (Path(__file__).parents[2] / "docs/cluster/readers.md").read_text(encoding="utf-8")
CELLS = yaml.safe_load((Path(__file__).parents[2] / "seeds/_seeds.yml").read_text(encoding="utf-8"))["seeds"][1][
    "columns"
]
GOLD = {"+tblproperties": {"write.delete.mode": "merge-on-read"}}


def state_readers(project: Path, readers: object, gold: object = None) -> None:
    """Writes a dbt_project.yml with the variable."""
    stated = {"name": "p", "vars": {"cdc_readers": readers}, "models": {"p": {"gold": gold}}}
    (project / "dbt_project.yml").write_text(yaml.safe_dump(stated), encoding="utf-8")


def read_table(project: Path, types: dict[str, str] | None = None, **cells: str) -> Table:
    """The table shop.item, whose row has no write mode and no partitions, with these cells and types of columns."""
    seeds = good_seeds()
    seeds[TABLES_FILE][0] |= {"write_mode": "", "partition_by": "", **cells}
    seeds[TABLES_FILE][1]["write_mode"] = ""
    item = seeds[COLUMNS_FILE][0]
    names = {"id": "bigint", "sold_at": "timestamp", **(types or {})}
    of_item = [
        {**item, "position": str(position), "column_name": name, "data_type": data_type}
        for position, (name, data_type) in enumerate(names.items(), start=1)
    ]
    seeds[COLUMNS_FILE] = of_item + seeds[COLUMNS_FILE][2:]
    return next(table for table in load_metadata(write_seeds(project, seeds)).tables if table.source_table == "item")


@pytest.mark.parametrize(
    ("readers", "cells", "mode"),
    [
        ("", {}, "merge-on-read"),
        ("pyiceberg;spark;trino;duckdb;snowflake", {}, "merge-on-read"),
        ("databricks", {}, "copy-on-write"),
        ("trino;daft", {}, "copy-on-write"),
        ("databricks", {"table_properties": "format-version=3"}, "merge-on-read"),
        ("trino", {"table_properties": "format-version=3"}, "copy-on-write"),
        ("clickhouse", {"table_properties": "format-version=3"}, "copy-on-write"),
        ("datafusion", {"partition_by": "id"}, "merge-on-read"),
        ("datafusion", {"partition_by": "bucket(4, n)"}, "merge-on-read"),
        ("datafusion", {"partition_by": "n"}, "copy-on-write"),
        ("datafusion", {"partition_by": "untyped"}, "copy-on-write"),
        ("databricks", {"write_mode": "copy-on-write"}, "copy-on-write"),
    ],
)
def test_an_empty_write_mode_is_one_that_all_readers_read(tmp_path, readers, cells, mode) -> None:
    table = read_table(tmp_path, {"n": "int", "untyped": ""}, readers=readers, **cells)
    assert table.write_mode == mode
    assert bool(table.avoided) is (mode == "copy-on-write" and "write_mode" not in cells)


@pytest.mark.parametrize(
    ("readers", "cells", "column", "words"),
    [
        ("databricks", {"write_mode": "merge-on-read"}, "write_mode", ["deleted rows", "pull request 518"]),
        ("athena", {"table_properties": "format-version=3"}, "table_properties", ["format-version=3", "AWS"]),
        ("duckdb", {"partition_by": "größe"}, "partition_by", ["größe", "aborts", "DuckDB 1.5.5"]),
        ("datafusion", {"partition_by": "bucket(4, `列 名`)"}, "partition_by", ["bucket(4, `列 名`)", "DataFusion"]),
        (
            "duckdb",
            {"partition_by": "days(sold_at)"},
            "partition_by",
            ["days(sold_at)", "before 1970", "hours(column)"],
        ),
        ("duckdb", {"partition_by": "truncate(5, price)"}, "partition_by", ["a decimal", "fails"]),
        ("duckdb", {"partition_by": "truncate(5, untyped)"}, "partition_by", ["state its type in cdc_columns.csv"]),
        ("clickhouse", {"partition_by": "months(day)"}, "partition_by", ["before 1970", "ClickHouse 26.9"]),
        ("clickhouse", {"partition_by": "hours(sold_at)"}, "partition_by", ["before 1970", "from 1970 on"]),
        ("duckdb", {"partition_by": "months(sold_at)"}, "partition_by", ["before 1970", "DuckDB 1.5.5"]),
    ],
)
def test_a_cell_that_a_reader_reads_wrong_is_refused_with_its_source(tmp_path, readers, cells, column, words) -> None:
    types = {"größe": "string", "列 名": "string", "price": "decimal(9,2)", "untyped": "", "day": "date"}
    with pytest.raises(MetadataError) as caught:
        read_table(tmp_path, types, readers=readers, **cells)
    [problem] = caught.value.problems
    assert (problem.row, problem.column) == (2, column)
    assert all(word in str(problem) for word in [*words, f"take {readers} out of the readers"]), problem
    # The same cells are as good as ever for a program that reads them.
    read_table(tmp_path, types, readers="spark", **cells)


@pytest.mark.parametrize(
    ("readers", "partition_by"),
    [
        ("duckdb", "days(day)"),
        ("duckdb", "months(day)"),
        ("duckdb", "years(sold_at)"),
        ("duckdb", "hours(sold_at)"),
        ("duckdb", "with space"),
        ("duckdb", "emoji😀"),
        ("duckdb", "truncate(5, id)"),
        ("clickhouse", "day"),
        ("clickhouse", "bucket(4, sold_at)"),
    ],
)
def test_what_a_reader_reads_right_is_accepted(tmp_path, readers, partition_by) -> None:
    types = {"day": "date", "with space": "string", "emoji😀": "string"}
    assert read_table(tmp_path, types, readers=readers, partition_by=partition_by).write_mode == "merge-on-read"


def test_all_mistakes_of_project_and_tables_are_reported_at_once(tmp_path) -> None:
    state_readers(tmp_path, ["databricks", "duckdb", "presto", "daft"], GOLD)
    seeds = good_seeds()
    with pytest.raises(MetadataError) as caught:
        load_metadata(write_seeds(tmp_path, seeds))
    places = [(problem.file, problem.row, problem.column) for problem in caught.value.problems]
    tables = "seeds/cdc_tables.csv"
    assert places == [
        ("dbt_project.yml", 0, ""),
        ("dbt_project.yml", 0, ""),
        (tables, 2, "write_mode"),
        (tables, 2, "partition_by"),
        (tables, 3, "write_mode"),
    ]
    unknown, gold, first, *_ = map(str, caught.value.problems)
    assert "'presto'" in unknown and "athena, bigquery" in unknown
    assert "of gold" in gold and "write.delete.mode: copy-on-write" in gold
    assert "databricks does not apply them" in first and "daft may count rows" in first
    assert "take databricks, daft out of the readers" in first


def test_a_variable_that_is_no_list_is_refused(tmp_path) -> None:
    state_readers(tmp_path, "databricks")
    with pytest.raises(MetadataError, match=r"cdc_readers: 'databricks'; accepted: a list"):
        load_metadata(write_seeds(tmp_path, good_seeds()))


def test_a_project_file_that_is_no_yaml_is_one_problem(tmp_path) -> None:
    (tmp_path / "dbt_project.yml").write_text("vars: {cdc_readers: [", encoding="utf-8")
    with pytest.raises(MetadataError, match=r"dbt_project.yml: found text that is not YAML"):
        load_metadata(write_seeds(tmp_path, good_seeds()))


def test_the_readers_of_a_row_count_before_those_of_the_project(tmp_path) -> None:
    state_readers(tmp_path, ["databricks"])
    assert read_table(tmp_path).write_mode == "copy-on-write"
    assert read_table(tmp_path, readers="spark").write_mode == "merge-on-read"


def test_the_variable_of_the_package_counts_before_the_global_one(tmp_path) -> None:
    stated = {"name": "p", "vars": {"cdc_readers": ["spark"], "p": {"cdc_readers": ["daft", "databricks"]}}}
    (tmp_path / "dbt_project.yml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    assert read_table(tmp_path).readers == ("daft", "databricks")


def test_a_command_that_adds_rows_leaves_seeds_that_the_readers_rule_out(tmp_path) -> None:
    seeds = good_seeds()
    folder = write_seeds(tmp_path, seeds)
    before = (folder / TABLES_FILE).read_text(encoding="utf-8")
    state_readers(tmp_path, ["databricks"])
    with pytest.raises(MetadataError):
        write_checked(folder, {path.name: path.read_text(encoding="utf-8") + "\n" for path in folder.iterdir()})
    assert (folder / TABLES_FILE).read_text(encoding="utf-8") == before


def test_a_model_says_why_its_write_mode_was_chosen(tmp_path) -> None:
    silver = tmp_path / "models/silver/shop/silver_shop__item.sql"
    read_table(tmp_path)
    assert main(["--project-dir", str(tmp_path)]) == 0
    plain = silver.read_text(encoding="utf-8")
    read_table(tmp_path, readers="databricks;pyiceberg")
    assert main(["--project-dir", str(tmp_path)]) == 0
    text = silver.read_text(encoding="utf-8")
    comment = text.partition("\n")[2].partition("#}\n")[0]
    assert comment.splitlines() == [
        "{# Not merge-on-read, because of programs that read the table (docs/cluster/readers.md):",
        "   position deletes (merge-on-read in format 2): databricks does not apply them: deleted rows and old versions"
        " come back.",
    ]
    assert text.replace(f"{comment}#}}\n", "").replace("copy-on-write", "merge-on-read") == plain


def test_the_page_of_readers_has_every_reader_and_every_limit() -> None:
    lines = [
        f"| `{limit.reader}` | {limit.feature.words} | {limit.effect} |"
        f" {'`copy-on-write`, if `write_mode` is empty' if limit.feature.cell == 'write_mode' else 'refuses it'} |"
        f" {limit.source} |"
        for limit in LIMITS
    ]
    table = PAGE.partition("| reader | a table with | then | `make models` | source |\n|---|---|---|---|---|\n")[2]
    assert table.partition("\n\n")[0] == "\n".join(lines)
    assert all(f"| `{reader}` |" in PAGE.partition("## Limits")[0] for reader in READERS)
    assert {limit.reader for limit in LIMITS} <= set(READERS)


def test_dbt_describes_every_reader() -> None:
    [cell] = (column for column in CELLS if column["name"] == "readers")
    described = cell["config"]["meta"]["accepted"]
    assert [word.strip("`") for word in described.split(", ") if word.startswith("`")] == list(READERS)
