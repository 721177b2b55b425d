"""The oracle against another telling of the same rules, by hand and on random files; and what the files promise."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.e2e.histories import BALLAST, BATCHES, SHAPES, Landing, draw_files, excerpts, only
from tests.oracle import Delivery, Row, expected_silver, file_time, generations, placed

START = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
KEY, COLUMNS = ("id",), ("id", "v")
many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
randoms = st.randoms(use_true_random=False)
shapes = st.sampled_from(SHAPES)


def at(minutes):
    return START + timedelta(minutes=minutes)


def load(minutes, *ids, number=1, v="loaded"):
    return Delivery(f"LOAD{number:08X}.csv", at(minutes), [Row(None, {"id": id_, "v": v}) for id_ in ids])


def changes(minutes, *rows, modified=None):
    """Rows are operation, id, v; no v: the delete carries the key only."""
    images = [(operation, dict(zip(COLUMNS, image, strict=False))) for operation, *image in rows]
    path = f"{at(minutes):%Y%m%d-%H%M%S}000.csv"
    return Delivery(path, at(minutes if modified is None else modified), [Row(*row) for row in images])


def hard(*deliveries):
    return {key[0]: row["v"] for key, row in expected_silver(deliveries, KEY, COLUMNS, "hard").items()}


def soft(*deliveries):
    rows = expected_silver(deliveries, KEY, COLUMNS, "soft")
    return {key[0]: (row["v"], row["_cdc_is_deleted"]) for key, row in rows.items()}


# The cases of docs/contracts.md section 7 that concern DMS files, by their number.
def test_case_2_row_order_decides():
    assert hard(changes(1, ("I", 1, "a"), ("U", 1, "b"), ("U", 1, "c"))) == {1: "c"}


def test_case_3_insert_then_delete():
    assert hard(changes(1, ("I", 1, "a"), ("D", 1, "a"))) == {}


def test_case_4_delete_then_insert():
    assert hard(load(0, 1), changes(1, ("D", 1, "a"), ("I", 1, "b"))) == {1: "b"}


def test_case_5_files_in_the_order_of_their_names():
    assert hard(changes(2, ("U", 1, "new")), changes(1, ("U", 1, "old"))) == {1: "new"}


def test_case_7_a_replay_does_not_resurrect():
    first = changes(1, ("U", 1, "b"))
    assert hard(first, changes(2, ("D", 1)), replace(first, modified_at=at(9))) == {}


def test_cases_8_and_9_deletes():
    assert hard(load(0, 1, 2), changes(1, ("D", 1), ("D", 9))) == {2: "loaded"}
    assert soft(load(0, 1), changes(1, ("D", 1), ("D", 9))) == {1: ("loaded", True), 9: (None, True)}


def test_case_40_a_complete_reload_removes_what_it_lacks():
    before = [load(0, 1, 2), changes(1, ("U", 2, "b")), load(5, 1, v="again")]
    assert hard(*before) == {1: "again", 2: "b"}, "no change of the new generation has come: it may not be complete"
    after = [*before, changes(6, ("U", 1, "c")), changes(2, ("U", 2, "too late"))]
    assert hard(*after) == {1: "c"}
    assert soft(*after) == {1: ("c", False), 2: ("too late", True)}


def test_case_41_a_stale_load_file_belongs_to_its_own_generation():
    stale = [load(0, 1), load(0, 2, number=2), load(5, 1), changes(6, ("U", 1, "c"))]
    assert hard(*stale) == {1: "c"}


def test_case_44_changes_that_the_load_holds():
    assert hard(load(5, 1, v="b"), changes(1, ("I", 1, "a"), ("U", 1, "b"))) == {1: "b"}


def test_case_59_rows_that_break_a_rule_are_left_out():
    good = changes(1, ("I", 1, "a"))
    bad = [Row("X", {"id": 1}), Row(None, {"id": 1}), Row("", {"id": 1}), Row("D", None), Row("I", {"v": "no key"})]
    assert hard(good, Delivery("20240131-235900.csv", at(59), bad)) == {1: "a"}


def test_a_soft_delete_keeps_the_last_image_and_an_insert_clears_it():
    assert soft(changes(1, ("U", 1, "a"), ("D", 1, "b"), ("D", 1))) == {1: ("a", True)}
    assert soft(changes(1, ("D", 1, "b"))) == {1: ("b", True)}
    assert soft(changes(1, ("D", 1, "b"), ("I", 1, "c"))) == {1: ("c", False)}


def test_newer_content_of_a_file_wins_at_the_same_row():
    old, new = changes(1, ("I", 1, "old")), changes(1, ("I", 1, "new"), modified=7)
    assert hard(new, old) == {1: "new"}


def test_a_change_file_keeps_its_generation_and_a_load_comes_first():
    deliveries = [load(0, 1), changes(1), load(5, 1), changes(1, modified=9), changes(5), changes(4)]
    found = generations(deliveries)
    assert [found[d.path, d.modified_at] for d in deliveries] == [1, 1, 2, 1, 2, 1]


def test_the_commit_time_falls_back_to_the_name_and_then_to_the_object():
    told = Delivery("20240131-230500.csv", at(9), [Row("I", {"id": 1}, at(1)), Row("I", {"id": 2})])
    assert [row.committed_at for row in placed([told, load(8, 3)])] == [at(8), at(1), at(5)]


def test_names():
    assert file_time("SEGMENT2_LOAD0000A.csv") is None
    assert file_time("2024/01/31/20240131-2300001.csv.gz") == START + timedelta(milliseconds=100)
    with pytest.raises(ValueError, match=r"a/readme.csv is neither LOAD"):
        file_time("a/readme.csv")


def told_again(deliveries, key, columns, delete_mode):
    """The same rules without a fold: for every key, which row has none above it."""
    rows = []
    loads = [d for d in deliveries if "LOAD" in d.path]
    for delivery in deliveries:
        first = min(d.modified_at for d in deliveries if d.path == delivery.path)
        is_load = delivery in loads
        begun = [d for d in loads if d.modified_at <= (delivery.modified_at if is_load else first)]
        generation = max(
            (sum(o.path == d.path and o.modified_at <= d.modified_at for o in begun) for d in begun), default=1
        )
        name = "" if is_load else delivery.path.rsplit("/", 1)[-1].split(".")[0].ljust(21, "0")
        rows += [
            (
                (generation, name, delivery.path, number, delivery.modified_at),
                "L" if is_load else row.operation,
                row.image,
            )
            for number, row in enumerate(delivery.rows)
            if row.image is not None and (is_load or row.operation in ("I", "U", "D"))
        ]
    complete = max((place[0] for place, operation, _ in rows if operation != "L"), default=1)
    silver = {}
    for identity in {tuple(image.get(c) for c in key) for _, _, image in rows} - {(None,) * len(key)}:
        own = [row for row in rows if tuple(row[2].get(c) for c in key) == identity]
        place, operation, image = max(own, key=lambda row: row[0])
        gone = operation == "D" or place[0] < complete
        whole = [row for row in own if row[1] != "D"]
        if whole:
            image = max(whole, key=lambda row: row[0])[2]
        if not gone or delete_mode == "soft":
            silver[identity] = (*(image.get(c) for c in columns), operation, *([gone] if delete_mode == "soft" else []))
    return silver


@given(randoms, shapes, st.integers(1, 12))
@many
def test_the_oracle_says_what_another_telling_says(random, shape, keys):
    deliveries = [file.delivery for file in draw_files(random, shape, keys)]
    columns = list(shape.columns)
    told = expected_silver(deliveries, shape.key, columns, shape.delete_mode)
    plain = {key: tuple(v for c, v in row.items() if c != "_cdc_committed_at") for key, row in told.items()}
    assert plain == told_again(deliveries, shape.key, columns, shape.delete_mode)


@given(randoms, shapes, st.integers(1, 12))
@many
def test_the_oracle_does_not_mind_the_order_of_its_input(random, shape, keys):
    deliveries = [file.delivery for file in draw_files(random, shape, keys)]
    shuffled = random.sample(deliveries, len(deliveries))
    arguments = (shape.key, list(shape.columns), shape.delete_mode)
    assert expected_silver(deliveries, *arguments) == expected_silver(shuffled, *arguments)


@given(randoms, shapes, st.integers(1, 30), st.booleans())
@many
def test_files_are_what_the_pipeline_can_be_asked_to_read(random, shape, keys, reloads):
    files = draw_files(random, shape, keys, reloads)
    assert {file.batch for file in files} <= set(range(1, BATCHES + 1))
    assert len({(file.path, file.batch) for file in files}) == len(files), "a path comes once in a batch"
    times = {file.path: file_time(file.path) for file in files if not file.is_load}
    assert len(set(times.values())) == len(times), "no two objects have the same time"
    assert all(file.statements[0].history == BALLAST or not file.is_load for file in only(files, []))
    keys_drawn = {
        tuple(s.row.image.get(c) for c in shape.key)
        for file in files
        for s in file.statements
        if s.row.image and s.history != BALLAST
    }
    assert len(keys_drawn - {(None,) * len(shape.key)}) <= keys
    for path in {file.path for file in files}:
        versions = [file for file in files if file.path == path]
        assert all(a.modified_at < b.modified_at and a.batch < b.batch for a, b in pairwise(versions))
    whole = generations([file.delivery for file in files])
    if not reloads:
        assert set(whole.values()) == {1}
    for batch in range(1, BATCHES):
        found = generations([file.delivery for file in files if file.batch <= batch])
        assert found.items() <= whole.items(), "what comes later does not change the generation of what was there"


@given(randoms, shapes)
@many
def test_every_part_of_a_history_is_a_history(random, shape):
    files = draw_files(random, shape, 5)
    cut, sizes = excerpts(files, history=1, at_most=50)
    rows = [id(s) for file in files for s in file.statements if s.history == 1]
    assert max(sizes.values()) == len(set(rows)) and min(sizes.values()) == 1
    whole = max(sizes, key=sizes.get)
    assert [len(file.statements) for file in only(files, [1])] == [len(file.statements) for file in only(cut, [whole])]
    assert {s.history for file in cut for s in file.statements} == {BALLAST, *sizes}


@given(randoms, st.sampled_from([shape for shape in SHAPES if shape.data_format == "parquet"]))
@settings(many, max_examples=15)
def test_parquet_files_hold_what_was_drawn(tmp_path_factory, random, shape):
    folder = tmp_path_factory.mktemp("landing")
    for file in draw_files(random, shape, 5):
        Landing(folder / "table", folder / "workshop", shape).put(file)
        rows = pq.read_table(folder / "table" / file.path).to_pylist()
        path = folder / "table" / file.path
        assert path.stat().st_mtime_ns == round(file.modified_at.timestamp() * 1000) * 1_000_000
        assert len(rows) == len(file.statements)
        for row, statement in zip(rows, file.statements, strict=True):
            assert {c: row.get(c) for c in shape.columns} == {c: statement.row.image.get(c) for c in shape.columns}
            assert file.is_load or row["Op"] == statement.row.operation
