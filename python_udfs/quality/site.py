"""Data Docs as a site that needs nothing but its files: no page runs a script or asks another server."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

# Styles and scripts in Great Expectations' pages, which come from other servers, and the comments with them.
_OUTSIDE = re.compile(r"<script\b.*?</script\s*>|<link\b[^>]*\bhref=\"https?:[^>]*>|<!--.*?-->", re.DOTALL | re.I)
_IMAGES = re.compile(r"<img\b[^>]*\bsrc=\"https?:[^>]*>", re.I)
# A suite has no page of its own: its results show what is expected.
_SUITE = re.compile(r"<a href=\"[^\"]*/expectations/[^\"]*\"[^>]*>(.*?)</a>", re.DOTALL)
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'\">"
)
_STYLE = (Path(__file__).parent / "site.css").read_text(encoding="utf-8")
_HEAD = f"{_POLICY}<meta name='viewport' content='width=device-width'><style>{_STYLE}</style>"


@dataclass(frozen=True)
class Page:
    """A page of results: its title, what it is about, how many expectations are met, and how many there are."""

    title: str
    about: str
    met: int
    judged: int


def seal(folder: Path, pages: Iterable[Page], run_at: datetime) -> Path:
    """Takes scripts and addresses of other servers out of each page, gives it its style, and writes the first page.

    Great Expectations' own first page is filled in by a script. A script that is left, as in a value of a row, does not
    run: each page forbids it to the browser.

    Args:
        folder: of the site.
        pages: of the results.
        run_at: when the run started, UTC.

    Returns:
        The first page.
    """
    pages = list(pages)
    about = {f"-{page.title}.html": f"<p>{html.escape(page.about)}</p>" for page in pages}
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = _SUITE.sub(r"\1", _IMAGES.sub("", _OUTSIDE.sub("", text)))
        back = f"<p><a href='{'../' * (len(page.relative_to(folder).parts) - 1)}index.html'>All suites</a></p>"
        back += next((link for end, link in about.items() if page.name.endswith(end)), "")
        text = text.replace("<head>", f"<head>{_HEAD}", 1).replace("<body>", f"<body>{back}", 1)
        page.write_text(text, encoding="utf-8")
    index = folder / "index.html"
    # Those with failures first.
    rows = "".join(_row(folder, page) for page in sorted(pages, key=lambda page: (page.met == page.judged, page.title)))
    index.write_text(
        f"<!DOCTYPE html><html lang='en'><head>{_HEAD}<title>Data Docs</title></head><body class='first'>"
        f"<h1>What is expected of silver</h1><p>Run of {run_at:%Y-%m-%d %H:%M:%S} UTC. All runs are in"
        " <code>etl_metadata.expectation_results</code>.</p><table class='table'><tr><th></th><th>suite</th>"
        f"<th>met</th><th>not met</th></tr>{rows}</table></body></html>",
        encoding="utf-8",
    )
    return index


def _row(folder: Path, page: Page) -> str:
    validation = next(folder.glob(f"validations/**/*-{page.title}.html"), None)
    title, failed = html.escape(page.title), page.judged - page.met
    link = f"<a href='{quote(validation.relative_to(folder).as_posix())}'>{title}</a>" if validation else title
    sign = "<span class='bad'>✗</span>" if failed else "<span class='good'>✓</span>"
    return f"<tr><td>{sign}</td><td>{link}</td><td>{page.met}</td><td>{failed or ''}</td></tr>"
