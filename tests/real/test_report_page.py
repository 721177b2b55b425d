"""The page of `make report` in a real browser: at the width of a phone and of a desk, light, dark and printed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import Browser
from processes import ServerError

from python_udfs.report.__main__ import write
from python_udfs.report.facts import Facts
from tests.report_facts import NOW, answer, many, table

PAGES = {
    "no table": answer(),
    "no run": answer(tables=[table("t"), table("u")]),
    "some": many(6),
    "one run": many(5, runs=1),
    "80 tables": many(80),
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    try:
        started = Browser(tmp_path_factory.mktemp("profile"))
    except ServerError as error:
        pytest.fail(str(error), pytrace=False)
    yield started
    started.close()


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> dict:
    created = {name: tmp_path_factory.mktemp("report") for name in PAGES}
    for name, folder in created.items():
        write(Facts.of(PAGES[name], NOW), folder)
    return created


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 400, 800, 1110, 1200, 1920])
@pytest.mark.parametrize("name", PAGES)
def test_the_page_fits_and_asks_for_nothing(browser, folders, name, width, scheme):
    browser.open(folders[name] / "report.html", width, scheme=scheme)
    assert browser.problems() == []
    wide = "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
    outside = browser.evaluate(f"{wide}.filter(e => !e.closest('.scroll')).map(e => e.outerHTML.slice(0, 200))")
    assert outside == []
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    assert (
        browser.evaluate("[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length")
        == 0
    )
    assert browser.evaluate("document.title").startswith("Lakehouse report, 2026-01-31 12:00"), "no script ran"
    assert browser.evaluate("document.scripts.length") == 0


def test_a_problem_of_a_page_is_seen(browser, tmp_path):
    page = tmp_path / "bad.html"
    page.write_text(
        '<p style="width:900px">wide</p><img src="http://127.0.0.1:9/x.png"><script>console.error(1)</script>'
    )
    browser.open(page, 400)
    assert len(browser.problems()) >= 2
    assert browser.evaluate("document.documentElement.scrollWidth") > 400


def test_links_lead_to_sections_of_tables(browser, folders):
    browser.open(folders["some"] / "report.html", 400)
    links = browser.evaluate(
        "[...document.querySelectorAll('a[href^=\"#t-\"]')].map(a => a.getAttribute('href').slice(1))"
    )
    assert len(links) > 6
    assert browser.evaluate(f"{links!r}.filter(id => !document.getElementById(id))") == []


@pytest.mark.parametrize("name", ["no table", "some"])
def test_it_prints(browser, folders, name, tmp_path):
    browser.open(folders[name] / "report.html", 1200)
    browser.print(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    browser.open(folders[name] / "report.html", 1046, media="print")  # A4, landscape, without its margins
    assert browser.evaluate("document.documentElement.scrollWidth") == 1046
