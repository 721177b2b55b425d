"""Links between the project's pages lead to a file, and to a heading of it; other files name pages that exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from python_udfs.alerts import notice

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
    for name in subprocess.check_output(
        ["git", "ls-files", "*.py", "*.sql", "*.yml", "*.csv", "Makefile"], cwd=ROOT, text=True
    ).split():
        for page, anchor, heading in re.findall(names, (ROOT / name).read_text(encoding="utf-8")):
            wanted = anchor or anchor_of(" ".join(heading.split()))
            if not (ROOT / page).exists() or (wanted and wanted not in anchors(ROOT / page) | entries(ROOT / page)):
                broken.append(f"{name}: {page}#{wanted}")
    assert broken == []


def test_every_alert_names_a_heading_of_the_runbook() -> None:
    for heading in notice.HEADINGS.values():
        page, anchor = f"{notice.RUNBOOK}/{heading}".split("#")
        assert anchor in anchors(ROOT / page)


def anchors(page: Path) -> set[str]:
    return {
        anchor_of(heading) for heading in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    }


def entries(page: Path) -> set[str]:
    """The pages that an index names."""
    return {
        anchor_of(title)
        for title in re.findall(r"^\| \[([^\]]+)\]", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    }


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
