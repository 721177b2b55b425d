"""What `make prove` alone runs: all cases where `make test` takes a few, and tests that take minutes."""

from __future__ import annotations

import os

import pytest

IS_PROOF = bool(os.environ.get("PROVE"))
proof_only = pytest.mark.skipif(not IS_PROOF, reason="make prove runs it")
