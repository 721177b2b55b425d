"""The macro files that dbt passes while it writes one batch: `make walk` prints them.

Two batches are walked: parquet changes that bronze appends and silver merges, and a late change of a history table.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dbt.clients.jinja import MacroGenerator

from tests.e2e.lakehouse import Lakehouse, set_environment
from tests.e2e.stories import Story, change


@dataclass
class Walk:
    """The macros of the project that one model calls.

    Attributes:
        steps: depth and name of each macro at its first call, in order.
        files: the files that hold them.
    """

    steps: list[tuple[int, str]] = field(default_factory=list)
    files: set[str] = field(default_factory=set)


@contextmanager
def walks() -> Iterator[dict[str, Walk]]:
    """Record a walk for each model that dbt writes in this block, by the name of the model."""
    by_model: dict[str, Walk] = {}
    depths: dict[str, int] = {}
    call = MacroGenerator.__call__

    def recorded(macro: MacroGenerator, *arguments: object, **named: object) -> object:
        unique_id = getattr(macro.node, "unique_id", "")
        if macro.macro.package_name != "cdc_lakehouse" or not unique_id.startswith("model."):
            return call(macro, *arguments, **named)
        walk = by_model.setdefault(macro.node.name, Walk())
        depth = depths[unique_id] = depths.get(unique_id, -1) + 1
        if macro.macro.name not in [name for _, name in walk.steps]:
            walk.steps.append((depth, macro.macro.name))
            walk.files.add(macro.macro.original_file_path)
        try:
            return call(macro, *arguments, **named)
        finally:
            depths[unique_id] -= 1

    MacroGenerator.__call__ = recorded
    try:
        yield by_model
    finally:
        MacroGenerator.__call__ = call


def walk_batches(lakehouse: Lakehouse) -> dict[str, Walk]:
    """The walks of a parquet batch through bronze and silver, and of a late change through a history table."""
    lakehouse.add_feed("walk", "parquet", "timestamp_column=ts")
    lakehouse.add_table("walk", "parquet")
    lakehouse.add_table("walk", "versions", mode="history")
    lakehouse.make_models()
    stories = [Story(lakehouse.raw / "walk", name) for name in ("parquet", "versions")]
    for story in stories:
        story.load(0, {"id": 1, "v": "a"}, {"id": 2, "v": "b"})
        story.changes(3, change("U", 3, id=1, v="c"))
    assert lakehouse.dbt("run").success
    stories[0].changes(4, change("U", 4, id=1, v="d"), change("D", 4, id=2))
    stories[1].changes(2, change("U", 2, id=1, v="late"))
    # One thread: a question about all tables is asked by the table that is first, which is the parquet table.
    with walks() as by_model:
        assert lakehouse.dbt("run", "--threads", "1").success
    return {
        "bronze, a parquet batch": by_model["bronze_s__parquet"],
        "silver, a parquet batch": by_model["silver_s__parquet"],
        "silver, a late history batch": by_model["silver_s__versions"],
    }


def main() -> None:
    """Print the walks."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        set_environment(root)
        os.chdir(root)
        for title, walk in walk_batches(Lakehouse(root)).items():
            print(f"\n{title}: {len(walk.files)} files")
            for depth, name in walk.steps:
                print("  " * (depth + 1) + name)


if __name__ == "__main__":
    main()
