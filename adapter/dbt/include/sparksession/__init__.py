"""Macros of the sparksession adapter."""

from __future__ import annotations

import os

PACKAGE_PATH = os.path.dirname(__file__)
