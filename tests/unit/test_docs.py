"""Links between the project's pages lead to a file, and to a heading of it; other files name pages that exist."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

from python_udfs.alerts import notice
from tests.tracked import list_files

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for name in ("*.md", "docs/**/*.md", "models/*/*.md", "adapter/*.md", "tests/e2e/*.md")
    for page in ROOT.glob(name)
]


def test_every_link_leads_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target, anchor in re.findall(r"\]\((?!\w+:)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
            there = page.parent / target if target else page
            if not there.exists() or (anchor and anchor not in anchors(there)):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{anchor}")
    assert broken == []


def test_every_page_that_code_names_exists() -> None:
    """With the heading behind it: `….md#heading` and `….md, "Heading"` in messages and comments."""
    names = r"(docs/[\w/]+\.md|tests/e2e/CASES\.md)(?:#([\w-]+)|, [\"']([A-Z][^\"']+)[\"'])?"
    broken = []
    for name in list_files("*.py", "*.sql", "*.yml", "*.csv", "Makefile"):
        for page, anchor, heading in re.findall(names, (ROOT / name).read_text(encoding="utf-8")):
            wanted = anchor or anchor_of(" ".join(heading.split()))
            if not (ROOT / page).exists() or (wanted and wanted not in anchors(ROOT / page) | entries(ROOT / page)):
                broken.append(f"{name}: {page}#{wanted}")
    assert broken == []


def test_every_alert_names_a_heading_of_the_runbook() -> None:
    for heading in notice.HEADINGS.values():
        page, anchor = f"{notice.RUNBOOK}/{heading}".split("#")
        assert anchor in anchors(ROOT / page)


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs/decisions"
    listed = re.findall(r"\]\(([^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(page.name for page in folder.glob("[0-9]*.md"))


def test_the_adapter_describes_each_option_of_read_files() -> None:
    source = (ROOT / "adapter/spark_files/read_files.py").read_text(encoding="utf-8")
    options = set(re.findall(r"options\.get\(\"(\w+)\"", source))
    text = (ROOT / "adapter/README.md").read_text(encoding="utf-8")
    described = text[text.index("## adapter.read_files") : text.index("## adapter.attempt")]
    assert len(options) >= 8
    assert {name for name in options if f"`{name}`" not in described} == set()


@pytest.mark.parametrize(
    ("page", "most"), [("docs/performance.md", 12), ("docs/runbook/*.md", 8), ("README.md", 9), ("CHANGELOG.md", 8)]
)
def test_a_page_is_short_enough_to_be_read(page: str, most: int) -> None:
    """In thousands of bytes; details go to the reference, the feeds, the records or dated results."""
    long = {path.name for path in ROOT.glob(page) if path.stat().st_size > most * 1000}
    assert not long


@pytest.mark.parametrize(("page", "most"), [("docs/runbook/*.md", 60), ("CHANGELOG.md", 40)])
def test_a_page_is_one_screen(page: str, most: int) -> None:
    long = {path.name for path in ROOT.glob(page) if len(path.read_text(encoding="utf-8").splitlines()) > most}
    assert not long


@functools.cache
def anchors(page: Path) -> set[str]:
    return {
        anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    }


@functools.cache
def entries(page: Path) -> set[str]:
    """The pages that an index names."""
    return {
        anchor_of(title)
        for title in re.findall(r"^\| \[([^\]]+)\]", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    }


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
