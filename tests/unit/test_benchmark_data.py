"""Figures that the benchmarks compute from their measurements, and the files that they write."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from benchmarks.data import TableFiles
from benchmarks.growth import exponent
from benchmarks.memory import heaps_left
from benchmarks.series import Block, Memory, heap_growth

MEMORY = Memory(heap=100.0, java=1000.0, python=300.0)


def block(table: str, size: int, grown: float) -> Block:
    return Block(table, 0, size, 1.0, 1.0, 1, 1, MEMORY, grown)


@pytest.mark.parametrize("power", [0.0, 0.35, 1.0, -0.5])
def test_the_exponent_is_the_power_that_costs_grow_with(power: float) -> None:
    points = {rows: 3.0 * rows**power for rows in (1_000_000, 5_000_000, 20_000_000)}
    assert exponent(points) == pytest.approx(power, abs=1e-9)


def test_the_exponent_is_that_of_all_points_not_of_the_ends() -> None:
    assert exponent({1: 1.0, 10: 10.0, 1_000: 1.0}) == pytest.approx(-1 / 14), "0 by the ends alone"


@pytest.mark.parametrize("points", [{}, {10: 1.0}])
def test_one_size_tells_nothing_of_growth(points: dict[int, float]) -> None:
    with pytest.raises(ValueError, match="two sizes or more are needed, found"):
        exponent(points)


def test_the_heap_grows_by_table_and_the_first_block_warms_up() -> None:
    blocks = [block("t0", 50, 80.0), block("t1", 50, 40.0), block("t0", 50, 1.0), block("t1", 50, 6.0)]
    blocks += [block("t0", 25, 2.0), block("t1", 50, 4.0)]
    assert heap_growth(blocks, "t0") == pytest.approx(4.0)
    assert heap_growth(blocks, "t1") == pytest.approx(10.0)
    assert heap_growth(blocks[:2], "t0") == 0.0


def test_the_heap_is_read_where_a_collection_left_it() -> None:
    log = """\
[0.003s][info][gc] Using G1
[0.702s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 123M->45M(2048M) 5.301ms
[1.300s][info][gc] GC(1) Concurrent Mark Cycle
[1.350s][info][gc] GC(1) Pause Remark 60M->51M(2048M) 8.900ms
[1.360s][info][gc] GC(1) Concurrent Mark Cycle 60.000ms
"""
    assert heaps_left(log) == [45, 51]


def test_recent_changes_leave_older_keys_alone(tmp_path) -> None:
    files = TableFiles(tmp_path, skew="recent")
    files.load(1_000)
    keys = pq.read_table(files.change(100))["id"].to_numpy()
    assert keys.min() >= 950
    assert keys.max() == 1_019, "a fifth of the changes are new keys"
    files.skew = "uniform"
    assert pq.read_table(files.change(100))["id"].to_numpy().min() < 500


def test_the_state_is_what_is_left_of_the_changes(tmp_path) -> None:
    files = TableFiles(tmp_path)
    files.load(100)
    changes = pq.read_table(files.change(50)).to_pandas()
    newest = changes.groupby("id").tail(1).set_index("id")
    deleted = set(newest[newest["Op"] == "D"].index)
    [state] = files.state()
    rows = state.to_pandas().set_index("id")
    assert set(rows.index) == set(range(110)) - deleted
    assert deleted
    for key, change in newest[newest["Op"] != "D"].iterrows():
        assert rows.loc[key, "remark"] == change["remark"]
    assert np.count_nonzero(files.versions < 0) == len(deleted)
