"""Macros are easy to read: no line is wider than a window, and no file is longer than a page."""

from __future__ import annotations

from harness import MACROS, MacroFile, macro_files

from python_udfs.codegen.files import MARKS

MOST_COLUMNS = 120
MOST_LINES = 80
PROJECT = MACROS.parent
# Generated files grow with the seeds.
FILES = [
    file
    for root in (MACROS, PROJECT / "adapter/dbt/include/sparksession/macros")
    for file in macro_files(root)
    if not file.text.startswith(MARKS)
]


def find_wide_lines(files: list[MacroFile]) -> list[str]:
    return [
        f"{file.path.relative_to(PROJECT)}:{number}"
        for file in files
        for number, line in enumerate(file.text.splitlines(), start=1)
        if len(line) > MOST_COLUMNS
    ]


def find_long_files(files: list[MacroFile]) -> list[str]:
    return [str(file.path.relative_to(PROJECT)) for file in files if len(file.text.splitlines()) > MOST_LINES]


def test_no_line_is_wider_than_a_window():
    assert find_wide_lines(FILES) == []


def test_no_file_is_longer_than_a_page():
    assert find_long_files(FILES) == []


def test_a_wide_line_and_a_long_file_are_found():
    wide = MacroFile(MACROS / "shared/wide.sql", f"select\n{'x' * 120}\n{'x' * 121}\n", {})
    long = MacroFile(MACROS / "shared/long.sql", "select\n" * 81, {})
    assert find_wide_lines([wide, long]) == ["macros/shared/wide.sql:3"]
    assert find_long_files([wide, long]) == ["macros/shared/long.sql"]
