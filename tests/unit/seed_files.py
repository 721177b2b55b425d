"""Small metadata for tests: good rows to start from, and a writer of seed files."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from python_udfs.metadata import COLUMNS_FILE, EXPECTATIONS_FILE, FEEDS_FILE, HEADERS, TABLES_FILE

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, str]]
Seeds = dict[str, Rows]


def good_seeds() -> Seeds:
    """Two feeds with one table each: `shop.item` in parquet (line 2) and `hr.staff` in csv (line 3)."""
    common = {"delete_mode": "hard", "mode": "current", "write_mode": "merge-on-read", "active": "true", "owner": "me"}
    item = {"feed": "shop", "source_schema": "shop", "source_table": "item"}
    staff = {"feed": "people", "source_schema": "hr", "source_table": "staff"}
    return {
        FEEDS_FILE: [
            {"feed": "shop", "connector": "dms", "format": "parquet", "location": "shop", "description": "The shop"},
            {"feed": "people", "connector": "dms", "format": "csv", "location": "people", "options": "header=true"},
        ],
        TABLES_FILE: [
            {**item, **common, "primary_key": "id", "partition_by": "days(sold_at)", "description": "Items"},
            {**staff, **common, "primary_key": "id;unit"},
        ],
        COLUMNS_FILE: [
            {**item, "position": "1", "column_name": "id", "optional": "false", "description": "Number"},
            {**item, "position": "2", "column_name": "sold_at", "optional": "false"},
            {**staff, "position": "1", "column_name": "id", "data_type": "INTEGER", "optional": "FALSE"},
            {**staff, "position": "2", "column_name": "unit", "data_type": "varchar( 8 )", "optional": "false"},
            {**staff, "position": "3", "column_name": "pay", "data_type": "decimal(10, 2)", "optional": "true"},
        ],
        EXPECTATIONS_FILE: [],
    }


def drop_column(file: Path, name: str) -> None:
    """Takes a column out of a seed file, as of seeds that are older than it."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    with file.open("w", encoding="utf-8", newline="") as lines:
        header = [column for column in rows[0] if column != name]
        writer = csv.DictWriter(lines, header, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def write_seeds(project: Path, seeds: Seeds) -> Path:
    """Write the rows as `<project>/seeds/*.csv`, empty if a row lacks a column; returns the seeds folder."""
    folder = project / "seeds"
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in seeds.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, HEADERS[name], restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return folder
