"""Whether `make prove` runs the tests, which do more then: all cases where `make test` takes a few."""

from __future__ import annotations

import os

IS_PROOF = os.environ.get("KILLS") == "all"
