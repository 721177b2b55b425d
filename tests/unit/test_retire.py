"""Rows that `make retire` takes out of the seeds, and rows that stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_files import good_seeds, write_seeds

from python_udfs.errors import UsageError
from python_udfs.metadata import EXPECTATIONS_FILE, TABLES_FILE, load_metadata
from python_udfs.retire.__main__ import main
from python_udfs.retire.seeds import find_retired, remove_rows


@pytest.fixture
def project(tmp_path: Path) -> Path:
    seeds = good_seeds()
    expected = {"expectation": "cdc_lag_to_be_at_most", "arguments": '{"minutes": 5}', "severity": "warn"}
    seeds[EXPECTATIONS_FILE] = [
        {**expected, "target_table": name, "scope": "batch"} for name in ("*", "hr__staff", "shop__item")
    ]
    # A cell with the end of a line, and one with a quote.
    seeds[TABLES_FILE][0]["description"] = 'Items,\n"sold"'
    write_seeds(tmp_path, seeds)
    return tmp_path


def lines(project: Path) -> dict[str, list[str]]:
    return {path.name: path.read_text().splitlines() for path in (project / "seeds").glob("*.csv")}


def test_a_feed_goes_with_its_tables_and_no_other_line_changes(project: Path) -> None:
    before = lines(project)
    retired = find_retired(load_metadata(project / "seeds"), ["people"], [])
    assert retired.relations == ("silver.hr__staff", "bronze.hr__staff")
    removed = remove_rows(project / "seeds", retired)
    assert removed == {"cdc_feeds.csv": 1, "cdc_tables.csv": 1, "cdc_columns.csv": 3, "cdc_expectations.csv": 1}
    for name, after in lines(project).items():
        assert after == [line for line in before[name] if not line.startswith(("people,", "hr__staff,"))]


def test_a_table_goes_alone(project: Path) -> None:
    remove_rows(project / "seeds", find_retired(load_metadata(project / "seeds"), [], ["silver.shop__item"]))
    metadata = load_metadata(project / "seeds")
    assert [table.target_table for table in metadata.tables] == ["hr__staff"]
    assert [feed.feed for feed in metadata.feeds] == ["people", "shop"]
    assert [row.target_table for row in metadata.expectations] == ["*", "hr__staff"]


def test_names_that_the_seeds_lack_are_refused_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        find_retired(load_metadata(project / "seeds"), [], [])
    before = lines(project)
    assert main(["--project-dir", str(project), "--feeds", "nope", "--tables", "x", "shop__item"]) == 2
    said = capsys.readouterr().err
    assert "FEED: found nope; accepted: a feed of seeds/cdc_feeds.csv, people, shop." in said
    assert "TABLES: found x; accepted: a silver table of seeds/cdc_tables.csv, hr__staff, shop__item." in said
    assert lines(project) == before


SAMPLE = '{# Sample: "make models" removes this file. #}\n'


def test_gold_models_of_the_sample_go_along_and_those_of_the_user_are_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = project / "models" / "gold"
    texts = {
        "sample/lines.sql": SAMPLE + "select * from {{ ref('silver_hr__staff') }}",
        "sample/sums.sql": SAMPLE + 'select count(*) from {{ ref("lines") }}',
        "sample/_lines.yml": '# Sample: "make models" removes this file.\n',
        "other/items.sql": SAMPLE + "select * from {{ ref('silver_shop__item') }}",
        "own.sql": "select * from {{ ref('sums') }}",
    }
    for name, text in texts.items():
        (gold / name).parent.mkdir(parents=True, exist_ok=True)
        (gold / name).write_text(text)
    before, command = lines(project), ["--project-dir", str(project), "--feeds", "people"]
    assert main(command) == 2
    assert capsys.readouterr().err == (
        "models/gold/own.sql reads sums, which goes. Change the file, or remove it: git rm models/gold/own.sql\n"
    )
    assert lines(project) == before

    (gold / "own.sql").unlink()
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "These tables stay as they are: gold.lines, gold.sums, silver.hr__staff, bronze.hr__staff." in said
    assert [path.name for path in gold.rglob("*.*")] == ["items.sql"], "what reads other tables stays"
    assert not (gold / "sample").exists()
