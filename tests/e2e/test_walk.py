"""How many macro files one batch passes: a stranger has to read no more than these."""

from __future__ import annotations

from tests.e2e.walk import walk_batches

LIMITS = {"bronze, a parquet batch": 27, "silver, a parquet batch": 20, "silver, a late history batch": 25}


def test_a_batch_passes_few_macro_files(empty_lakehouse):
    walks = walk_batches(empty_lakehouse)
    counts = {title: len(walk.files) for title, walk in walks.items()}
    assert counts.keys() == LIMITS.keys()
    assert [title for title, count in counts.items() if count > LIMITS[title]] == [], counts
    assert all(
        walk.steps[0] == (0, f"get_incremental_cdc_{way}_sql")
        for walk, way in zip(walks.values(), ("append", "merge", "merge"), strict=True)
    )
