"""Data Docs as a site that needs nothing but its files: no page runs a script or asks another server."""

from __future__ import annotations

import re
from pathlib import Path

# What Great Expectations' pages take from other servers: styles and scripts, and what their scripts do.
_OUTSIDE = re.compile(r"<script\b.*?</script\s*>|<link\b[^>]*\bhref=\"https?:[^>]*>|<!--.*?-->", re.DOTALL | re.I)
_IMAGES = re.compile(r"<img\b[^>]*\bsrc=\"https?:[^>]*>", re.I)
_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'\">"
)
_STYLE = (Path(__file__).parent / "site.css").read_text(encoding="utf-8")


def seal(folder: Path) -> Path:
    """Takes scripts and addresses of other servers out of each page, and gives it its style.

    A script that is left, as in a value of a row, does not run: each page forbids it to the browser.

    Args:
        folder: of the site.

    Returns:
        Its first page.
    """
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = _IMAGES.sub("", _OUTSIDE.sub("", text))
        head = f"<head>{_POLICY}<style>{_STYLE}</style>"
        page.write_text(text.replace("<head>", head, 1), encoding="utf-8")
    return folder / "index.html"
