"""Installs what tests/real needs: `make test` starts this beside the tests that come first.

A missing package is no error here: the test that needs it fails, and names it.
"""

from __future__ import annotations

from contextlib import suppress

from browser import CHROMIUM
from capture import class_path
from databases import MARIADB, POSTGRES, programs
from processes import ServerError

if __name__ == "__main__":
    for names, packages in (MARIADB, POSTGRES, CHROMIUM):
        with suppress(ServerError):
            programs(names, packages)
    with suppress(ServerError):
        class_path()
