"""Random queries: what is read must equal its recomputation, and no query may end in anything but a reason.

GOLD_QUERIES=2000 takes that many.
"""

from __future__ import annotations

import os
import random

from random_queries import make_query
from tables import Table, play

from python_udfs.errors import LakehouseError
from tests.gold_shapes import change, start
from tests.proof import IS_PROOF

QUERIES = int(os.environ.get("GOLD_QUERIES") or (400 if IS_PROOF else 20))
SEED = int(os.environ.get("SEED") or 0)


def test_a_query_is_right_or_refused():
    read = rows = 0
    for seed in range(SEED, SEED + QUERIES):
        shape = make_query(seed)
        try:
            table = Table(shape)
        except LakehouseError as refused:
            assert "the model is refused" in str(refused)
            continue
        if table.model.query.totals:
            continue
        read += 1
        chance, state = random.Random(seed), start()
        for _ in range(8):
            change(chance, state)
        for database, step, changed in play(chance, state):
            if step:
                table.refresh(database, changed)
            expected = table.recompute(database)
            rows += len(expected)
            assert not step or sorted(table.rows, key=repr) == expected, f"seed {seed}, step {step}: {shape.sql}"
            table.rows = expected
    assert read
    assert rows
