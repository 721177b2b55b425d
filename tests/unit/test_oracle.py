"""The oracle against cases by hand and against the fold of explain; what the random files promise."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from python_udfs.explain.fold import Change, fold
from tests.e2e.histories import BALLAST, BATCHES, SECOND, SHAPES, Landing, draw_files, excerpts, only, xxhash64
from tests.oracle import UNAVAILABLE, Delivery, Row, Rules, expected_silver, file_time, generations, placed, waiting

START = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
COLUMNS = ("id", "v", "w")
HARD = Rules(("id",), COLUMNS)
SOFT = replace(HARD, delete_mode="soft")
HISTORY = replace(HARD, mode="history")
many = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
randoms = st.randoms(use_true_random=False)
shapes = st.sampled_from(SHAPES)


def at(minutes):
    return START + timedelta(minutes=minutes)


def load(minutes, *ids, number=1, v="loaded"):
    return Delivery(f"LOAD{number:08X}.csv", at(minutes), [Row(None, {"id": id_, "v": v, "w": None}) for id_ in ids])


def changes(minutes, *rows, modified=None, old=None, committed=None):
    """Rows are operation, id, v, w; what is left out is not in the file."""
    images = [(operation, dict(zip(COLUMNS, image, strict=False))) for operation, *image in rows]
    old_key = None if old is None else {"id": old}
    path = f"{at(minutes):%Y%m%d-%H%M%S}000.csv"
    time = None if committed is None else at(committed)
    return Delivery(
        path, at(minutes if modified is None else modified), [Row(*image, time, old_key) for image in images]
    )


def truncate(minutes, **settings):
    return changes(minutes, ("T",), **settings)


def shown(deliveries, rules, *columns):
    return {
        key if rules.mode == "history" else key[0]: tuple(row[column] for column in columns)
        for key, row in expected_silver(deliveries, rules).items()
    }


def hard(*deliveries):
    return {key: row[0] for key, row in shown(deliveries, HARD, "v").items()}


def whole(*deliveries):
    return shown(deliveries, HARD, "v", "w")


def soft(*deliveries):
    return shown(deliveries, SOFT, "v", "_cdc_is_deleted")


def history(*deliveries, **rules):
    """v, from, to in minutes, by key and version."""
    rows = shown(deliveries, replace(HISTORY, **rules), "v", "_cdc_valid_from", "_cdc_valid_to")
    return {
        key: (v, *((moment - START) / timedelta(minutes=1) if moment else None for moment in moments))
        for key, (v, *moments) in rows.items()
    }


# The cases of tests/e2e/CASES.md that concern DMS files, keys and order, by their number.
def test_case_2_row_order_decides():
    assert hard(changes(1, ("I", 1, "a"), ("U", 1, "b"), ("U", 1, "c"))) == {1: "c"}


def test_case_3_insert_then_delete():
    assert hard(changes(1, ("I", 1, "a"), ("D", 1, "a"))) == {}


def test_case_4_delete_then_insert():
    assert hard(load(0, 1), changes(1, ("D", 1, "a"), ("I", 1, "b"))) == {1: "b"}


def test_case_5_files_in_the_order_of_their_names():
    assert hard(changes(2, ("U", 1, "new")), changes(1, ("U", 1, "old"))) == {1: "new"}


def test_cases_6_and_7_a_replay_changes_nothing_and_does_not_resurrect():
    first = changes(1, ("U", 1, "b"))
    assert hard(first, changes(2, ("U", 1, "c")), replace(first, modified_at=at(9))) == {1: "c"}
    assert hard(first, changes(2, ("D", 1)), replace(first, modified_at=at(9))) == {}


def test_newer_content_of_a_change_file_replaces_the_older():
    half = changes(5, ("U", 1, "b"), ("I", 12, "n"))
    whole = changes(5, ("U", 1, "b"), ("I", 1234, "n"))
    source = {1: "b", 2: "loaded", 1234: "n"}
    assert hard(load(0, 1, 2), half) == {1: "b", 2: "loaded", 12: "n"}
    assert hard(load(0, 1, 2), half, whole) == source, "of one second: the one listed later"
    corrected = replace(whole, modified_at=at(9))
    assert hard(load(0, 1, 2), half, corrected) == hard(load(0, 1, 2), corrected, half) == source
    assert hard(load(0, 1, 2), changes(5, ("D", 1)), changes(5, modified=9)) == {1: "loaded", 2: "loaded"}
    assert hard(load(0, 1), load(0, 2)) == {1: "loaded", 2: "loaded"}, "LOAD files are not change files"


def test_cases_8_and_9_deletes():
    assert hard(load(0, 1, 2), changes(1, ("D", 1), ("D", 9))) == {2: "loaded"}
    assert soft(load(0, 1), changes(1, ("D", 1), ("D", 9))) == {1: ("loaded", True), 9: (None, True)}


def test_cases_10_and_11_a_key_change_is_known_by_its_before_image_only():
    moved = [load(0, 1), changes(1, ("U", 2, "b"), old=1)]
    assert hard(*moved) == {2: "b"}
    assert soft(*moved) == {1: ("loaded", True), 2: ("b", False)}
    assert history(*moved) == {(1, 0): ("loaded", 0, 1), (2, 0): ("b", 1, None)}
    assert hard(load(0, 1), changes(1, ("U", 2, "b"))) == {1: "loaded", 2: "b"}
    assert hard(load(0, 1), changes(1, ("U", 1, "b"), old=1)) == {1: "b"}, "its own key"


def test_a_key_change_does_not_carry_unavailable_values_along():
    assert whole(changes(1, ("I", 1, "a", "x")), changes(2, ("U", 2, "b", UNAVAILABLE), old=1)) == {2: ("b", None)}
    onto = [changes(1, ("I", 1, "a", "x"), ("I", 2, "c", "y")), changes(2, ("U", 2, "b", UNAVAILABLE), old=1)]
    assert whole(*onto) == {2: ("b", "y")}


def test_keys_that_swap():
    swap = [changes(2, ("U", 3, "a"), old=1), changes(3, ("U", 1, "b"), old=2), changes(4, ("U", 2, "a"), old=3)]
    assert hard(changes(1, ("I", 1, "a"), ("I", 2, "b")), *swap) == {1: "b", 2: "a"}


def test_case_16_partial_images_fold_in_order():
    first = changes(1, ("I", 1, "v1", "BIG"))
    assert whole(first, changes(2, ("U", 1, "v2", UNAVAILABLE), ("U", 1, "v3", UNAVAILABLE))) == {1: ("v3", "BIG")}
    assert whole(first, changes(2, ("U", 1, UNAVAILABLE, None))) == {1: ("v1", None)}


def test_case_37_a_value_that_was_not_logged_stays():
    assert whole(changes(1, ("I", 1, "a", "x")), changes(2, ("U", 1, "b", UNAVAILABLE))) == {1: ("b", "x")}
    assert whole(changes(2, ("U", 1, UNAVAILABLE, "y"), ("U", 1, "b", UNAVAILABLE))) == {1: ("b", "y")}, "no full image"


def test_unavailable_values_never_reach_over_a_delete_an_insert_or_a_reset_point():
    first, last = changes(1, ("I", 1, "a", "x")), changes(9, ("U", 1, "b", UNAVAILABLE))
    assert whole(first, changes(2, ("D", 1)), last) == {1: ("b", None)}
    assert whole(first, changes(2, ("I", 1, "c", UNAVAILABLE)), last) == {1: ("b", None)}
    assert whole(first, truncate(2), last) == {1: ("b", None)}
    assert whole(load(0, 1), first, load(5, 2), last) == {2: ("loaded", None), 1: ("b", None)}


def test_case_38_a_column_that_the_file_lacks():
    files = [changes(1, ("I", 1, "a", "x")), changes(2, ("U", 1, "b"))]
    assert whole(*files) == {1: ("b", None)}
    assert shown(files, replace(HARD, absent_columns="keep"), "v", "w") == {1: ("b", "x")}


def test_case_40_a_complete_reload_removes_what_it_lacks():
    before = [load(0, 1, 2), changes(1, ("U", 2, "b")), load(5, 1, v="again")]
    assert hard(*before) == {1: "again", 2: "b"}, "no change of the new generation has come: it may not be complete"
    after = [*before, changes(6, ("U", 1, "c")), changes(2, ("U", 2, "too late"))]
    assert hard(*after) == {1: "c"}
    assert soft(*after) == {1: ("c", False), 2: ("too late", True)}


def test_case_41_a_stale_load_file_belongs_to_its_own_generation():
    stale = [load(0, 1), load(0, 2, number=2), load(5, 1, v="again"), changes(6, ("U", 1, "c"))]
    assert hard(*stale) == {1: "c", 2: "loaded"}, "nothing says whether it is written again"


def test_case_42_a_truncate_ends_what_came_before_it():
    files = [changes(1, ("I", 1, "a"), ("I", 2, "a")), truncate(5), changes(9, ("I", 2, "new"))]
    assert hard(*files) == {2: "new"}
    assert soft(*files) == {1: ("a", True), 2: ("new", False)}
    assert history(*files) == {(1, 0): ("a", 1, 5), (2, 0): ("a", 1, 5), (2, 1): ("new", 9, None)}


def test_case_43_rows_that_are_repeated_change_nothing():
    rows = [("U", 1, "a"), ("U", 1, "b")]
    repeated = [changes(1, *rows), changes(2, rows[1], committed=1)]
    assert hard(*repeated) == {1: "b"}
    assert history(*repeated) == {(1, 0): ("a", 1, 1), (1, 1): ("b", 1, None)}
    assert len(history(*repeated, unchanged_rows="write")) == 3


def test_case_44_changes_that_the_load_holds():
    assert hard(load(5, 1, v="b"), changes(1, ("I", 1, "a"), ("U", 1, "b"))) == {1: "b"}


def test_cases_57_and_58_keys_are_compared_as_the_source_does():
    rows = changes(1, ("I", "a", 1), ("I", "A", 2), ("I", "a ", 3), ("I", " a", 4), ("I", None, 5))
    assert len(hard(rows)) == 4, "the row without a key is left out"
    silver = {
        rule: shown([rows], replace(HARD, key_comparison=rule), "id", "v")
        for rule in (("ignore_case",), ("ignore_trailing_spaces",), ("ignore_trailing_spaces", "ignore_case"))
    }
    assert [sorted(rows.values(), key=lambda row: row[1]) for rows in silver.values()] == [
        [("A", 2), ("a ", 3), (" a", 4)],
        [("A", 2), ("a ", 3), (" a", 4)],
        [("a ", 3), (" a", 4)],
    ]
    parts = Rules(("id", "v"), COLUMNS)
    assert len(expected_silver([changes(1, ("I", "a", "b|c"), ("I", "a|b", "c"), ("I", "a", None))], parts)) == 3


def test_a_key_that_only_changes_its_case_is_no_key_change():
    folded = replace(HARD, key_comparison=("ignore_case",))
    files = [changes(1, ("I", "a", "v", "w")), changes(2, ("U", "A", "b", UNAVAILABLE), old="a")]
    assert shown(files, folded, "id", "v", "w") == {"a": ("A", "b", "w")}


def test_case_59_rows_that_break_a_rule_are_left_out():
    good = changes(1, ("I", 1, "a"))
    bad = [Row("X", {"id": 1}), Row(None, {"id": 1}), Row("", {"id": 1}), Row("D", None), Row("I", {"v": "no key"})]
    assert hard(good, Delivery("20240131-235900.csv", at(59), bad)) == {1: "a"}


def test_a_soft_delete_keeps_the_last_image_and_an_insert_clears_it():
    assert soft(changes(1, ("U", 1, "a"), ("D", 1), ("D", 1, None))) == {1: ("a", True)}
    assert soft(changes(1, ("U", 1, "a"), ("D", 1, "b"), ("D", 1))) == {1: ("a", True)}, "a delete is no image"
    assert soft(changes(1, ("D", 1, "b"), ("D", 1, "c"))) == {1: (None, True)}
    assert soft(changes(1, ("D", 1, "b"), ("I", 1, "c"))) == {1: ("c", False)}
    kept = changes(1, ("U", 1, "a", "x"), ("D", 1, "b", UNAVAILABLE))
    assert shown([kept], SOFT, "v", "w") == {1: ("a", "x")}


def test_history_begins_and_ends_versions():
    files = [
        load(0, 1),
        changes(1, ("U", 1, "b")),
        changes(3, ("D", 1)),
        changes(4, ("D", 1)),
        changes(5, ("I", 1, "c")),
    ]
    assert history(*files) == {(1, 0): ("loaded", 0, 1), (1, 1): ("b", 1, 3), (1, 2): ("c", 5, None)}


def test_history_never_goes_back_in_time():
    files = [
        changes(5, ("I", 1, "a")),
        changes(6, ("U", 1, "b"), committed=2),
        changes(7, ("D", 1), committed=3),
        changes(8, ("I", 1, "c"), committed=4),
    ]
    assert history(*files) == {(1, 0): ("a", 5, 5), (1, 1): ("b", 5, 5), (1, 2): ("c", 5, None)}


def test_history_over_a_reload():
    files = [
        load(0, 1, 2, 3),
        load(5, 1, v="again"),
        load(4, 2, number=2),
        load(7, 2, number=2),
        changes(8, ("U", 1, "c")),
    ]
    assert history(*files) == {
        (1, 0): ("loaded", 0, 5),
        (1, 1): ("again", 5, 8),
        (1, 2): ("c", 8, None),
        (2, 0): ("loaded", 0, None),
        (3, 0): ("loaded", 0, 5),
    }
    assert history(*files[:-1])[3, 0] == ("loaded", 0, None), "not complete"


def test_append_keeps_every_insert_at_its_place():
    log = Rules((), COLUMNS, mode="append")
    first = changes(1, ("I", 1, "a"), ("I", 1, "a"), ("U", 1, "b"), ("D", 1))
    files = [load(0, 1), first, replace(first, modified_at=at(9))]
    assert list(expected_silver(files, log)) == [("LOAD00000001.csv", 0), (first.path, 0), (first.path, 1)]
    rewritten = [changes(1, ("I", 1, "a")), changes(1, ("I", 1, "b"), modified=9)]
    assert [row["v"] for row in expected_silver(rewritten, log).values()] == ["b"]
    assert len(expected_silver([*files, load(5, 7)], log)) == 3, "the load file has replaced its row"
    assert list(expected_silver([*files, load(5, 7), changes(6, ("U", 7, "c"))], log)) == [("LOAD00000001.csv", 0)]


def test_newer_content_of_a_file_wins_at_the_same_row():
    old, new = changes(1, ("I", 1, "old")), changes(1, ("I", 1, "new"), modified=7)
    assert hard(new, old) == {1: "new"}


def test_files_of_one_time_are_in_the_order_of_their_rank():
    rows = [changes(1, ("U", 1, v)) for v in "ab"]
    ranked = [
        replace(rows[0], path="a/" + rows[0].path, rank="2"),
        replace(rows[1], path="b/" + rows[1].path, rank="1"),
    ]
    assert hard(*ranked) == {1: "a"}


def test_a_change_file_keeps_its_generation_and_a_load_comes_first():
    deliveries = [load(0, 1), changes(1), load(5, 2), changes(1, modified=9), changes(5), changes(4)]
    by_file, _ = generations(deliveries)
    assert [by_file[d.path, d.modified_at] for d in deliveries] == [1, 1, 2, 1, 2, 1]


def test_a_load_file_that_comes_again_as_it_was_is_no_reload():
    assert hard(load(0, 1), changes(1, ("U", 1, "b")), load(5, 1), changes(6, ("I", 2, "c"))) == {1: "b", 2: "c"}


def test_a_load_file_that_a_reload_writes_as_it_was_belongs_to_the_reload():
    first = [load(0, 1), load(0, 2, number=2), changes(1, ("U", 2, "b"))]
    last = changes(9, ("U", 1, "c"))
    for again, other in ((5, 6), (6, 5)):
        assert hard(*first, load(again, 2, number=2), load(other, 1, v="new"), last) == {1: "c", 2: "loaded"}
    between = changes(5.5, ("I", 3, "d"))
    assert hard(*first, load(5, 2, number=2), between, load(6, 1, v="new"), last) == {1: "c", 2: "b", 3: "d"}


def test_a_reload_is_complete_with_its_last_load_file():
    files = [load(0, 1), load(0, 2, number=2), load(5, 1, v="new"), changes(6, ("U", 1, "c"))]
    assert generations(files)[1] == set()
    assert generations([*files, load(7, 3, number=2)])[1] == {2}


def test_a_reload_that_was_not_read_whole_removes_nothing():
    first = [load(0, 1, 2), changes(1, ("I", 3, "c"))]
    no_key = replace(load(5), rows=[*load(5, 1, v="new").rows, Row(None, {"v": "lost"})])
    assert hard(*first, no_key, changes(6, ("I", 4, "d"))) == {1: "new", 2: "loaded", 3: "c", 4: "d"}
    corrected = load(9, 1, 5, v="newer")
    assert hard(*first, no_key, changes(6, ("I", 4, "d")), corrected) == {1: "newer", 5: "newer", 4: "d"}
    for minute, number in ((4, 2), (5.5, 2)):
        broken = replace(load(minute, number=number), rows=None)
        files = [*first, load(5, 1, v="new"), broken, changes(6, ("I", 4, "d"))]
        assert hard(*files) == {1: "new", 2: "loaded", 3: "c", 4: "d"}
        assert hard(*files, load(9, 5, number=number)) == {1: "new", 5: "loaded", 4: "d"}
    early = replace(load(0.5, number=2), rows=None)
    assert hard(*first, early, load(5, 1, v="new"), changes(6, ("I", 4, "d"))) == {1: "new", 4: "d"}, "of another load"


def test_the_commit_time_falls_back_to_the_name_and_then_to_the_file():
    changes = Delivery("20240131-230500.csv", at(9), [Row("I", {"id": 1}, at(1)), Row("I", {"id": 2})])
    assert [row.committed_at for row in placed([changes, load(8, 3)], HARD)] == [at(8), at(1), at(5)]


def test_names():
    assert file_time("SEGMENT2_LOAD0000A.csv") is None
    assert file_time("2024/01/31/20240131-2300001.csv.gz") == START + timedelta(milliseconds=100)
    with pytest.raises(AssertionError, match=r"a/readme.csv is neither LOAD"):
        file_time("a/readme.csv")


def test_the_oracle_is_short_enough_to_be_reviewed():
    assert len(Path(expected_silver.__code__.co_filename).read_text(encoding="utf-8").splitlines()) <= 225


def told_loads(deliveries):
    """The load files that count, and which generations leave a load file of an earlier one as it was."""
    every = sorted((d for d in deliveries if "LOAD" in d.path and d.rows is not None), key=lambda d: d.modified_at)
    read = {d.path for d in deliveries if d.rows is not None}
    others = [d for d in deliveries if "LOAD" not in d.path and d.path in read]
    firsts = [min(d.modified_at for d in others if d.path == path) for path in {d.path for d in others}]
    episode = {id(d): sum(first < d.modified_at for first in firsts) for d in every}
    before = {id(d): [o for o in every if o.path == d.path and o.modified_at < d.modified_at] for d in every}
    new = [d for d in every if not before[id(d)] or before[id(d)][-1].rows != d.rows]
    loads = [
        d
        for d in every
        if d in new
        or (
            any(episode[id(d)] == episode[id(o)] and before[id(o)] for o in new)
            and not any(episode[id(d)] == episode[id(o)] and before[id(o)] for o in before[id(d)])
        )
    ]
    number = {id(d): sum(o.path == d.path and o.modified_at <= d.modified_at for o in loads) for d in loads}
    reached = {id(d): max(number[id(o)] for o in loads if o.modified_at <= d.modified_at) for d in loads}

    def stale(numbers):
        of_path = [{reached[id(d)] for d in loads if d.path == path} for path in {d.path for d in loads}]
        return {n for n in numbers if any(min(own) < n and n not in own for own in of_path)}

    return loads, stale


def told_again(deliveries, rules):
    """Modes current and append with the fold of explain, which keeps of each column the change that it is from."""
    rows, changed = [], set()
    loads, stale = told_loads(deliveries)
    for turn, delivery in enumerate(deliveries, start=1):
        if delivery.rows is None or ("LOAD" in delivery.path and delivery not in loads):
            continue
        later = [d for d in deliveries[turn:] if d.path == delivery.path]
        if "LOAD" not in delivery.path and any(d.rows != delivery.rows for d in later):
            continue
        first = min(d.modified_at for d in deliveries if d.path == delivery.path)
        is_load = delivery in loads
        begun = [d for d in loads if d.modified_at <= (delivery.modified_at if is_load else first)]
        generation = max(
            (sum(o.path == d.path and o.modified_at <= d.modified_at for o in begun) for d in begun), default=1
        )
        name = delivery.path.rsplit("/", 1)[-1].split(".")[0].removeprefix("CDC_TXN-").replace("-", "")
        name = "" if is_load else name.ljust(20, "0")
        changed |= set() if is_load else {generation}  # whether or not its rows are good
        for number, row in enumerate(delivery.rows):
            position = (generation, name, delivery.rank, delivery.path, number, delivery.modified_at)
            if row.image is None or not (is_load or row.operation in ("I", "U", "D")):
                continue
            own = (delivery.path, number) if rules.mode == "append" else rules.key_of(row.image)
            if own == (None,) * len(own):
                continue
            absent = UNAVAILABLE if rules.absent_columns == "keep" else None
            image = {column: row.image.get(column, absent) for column in rules.columns}
            old = rules.key_of(row.old_key or {})
            if rules.mode != "append" and old not in (own, (None,) * len(old)):
                old_image = image | {column: row.old_key.get(column) for column in rules.key}
                rows.append((old, position, "key change", row.operation, old_image))
            rows.append((own, position, "change", "L" if is_load else row.operation, image))
    generations_of_rows = {position[0] for _, position, *_ in rows}
    complete = changed - stale(changed | generations_of_rows) - waiting(deliveries, rules)
    if rules.mode == "append":
        rows = [row for row in rows if row[3] in ("I", "L")]
    reloads = [((generation,), "reload", "reload", {}) for generation in complete]
    silver = {}
    for key in {key for key, *_ in rows}:
        own = sorted([*reloads, *(rest for other, *rest in rows if other == key)], key=itemgetter(0))
        changes = [
            Change(number, role, operation, "", 1, image, [name for name in image if image[name] is UNAVAILABLE])
            for number, (_, role, operation, image) in enumerate(own, start=1)
        ]
        state = fold(changes, rules.key, rules.delete_mode == "soft")
        if not state.is_live and rules.delete_mode != "soft":
            assert not state.origins
            continue
        of_key = [change for change in changes if not change.is_reset_point]
        # The image of a delete is none of the row, but a key that was only deleted has no other spelling.
        spelled = [change for change in of_key if not change.is_delete] or of_key[:1]
        given_by = dict.fromkeys(rules.key, spelled[-1].number) | state.origins
        values = [changes[given_by[name] - 1].image[name] if name in given_by else None for name in rules.columns]
        operation = "D" if state.newest.is_delete else state.newest.operation
        is_deleted = [not state.is_live] if rules.delete_mode == "soft" else []
        silver[key] = (*values, operation, own[state.newest.number - 1][0][0], *is_deleted)
    return silver


def drawn(random, shape, keys, **rules):
    return [file.delivery() for file in draw_files(random, shape, keys)], replace(shape.rules, **rules)


@given(randoms, shapes, st.integers(1, 12), st.sampled_from(["hard", "soft"]))
@settings(many, max_examples=100)
def test_the_oracle_gives_what_the_fold_of_explain_gives(random, shape, keys, delete_mode):
    deliveries, rules = drawn(random, shape, keys)
    if rules.mode != "append":
        rules = replace(rules, mode="current", delete_mode=delete_mode)
    silver = expected_silver(deliveries, rules)
    plain = {key: tuple(v for c, v in row.items() if c != "_cdc_committed_at") for key, row in silver.items()}
    assert plain == told_again(deliveries, rules)


@given(randoms, shapes, st.integers(1, 12))
@many
def test_open_versions_are_the_current_state(random, shape, keys):
    if shape.rules.mode == "append":
        shape = SHAPES[0]
    deliveries, rules = drawn(random, shape, keys, delete_mode="hard", unchanged_rows="")
    versions = expected_silver(deliveries, replace(rules, mode="history"))
    current = expected_silver(deliveries, replace(rules, mode="current"))
    values = [*rules.columns]
    open_versions = {
        key[:-1]: [row[c] for c in values] for key, row in versions.items() if row["_cdc_valid_to"] is None
    }
    assert open_versions == {key: [row[c] for c in values] for key, row in current.items()}


@given(randoms, shapes, st.integers(1, 12))
@many
def test_versions_follow_one_another(random, shape, keys):
    deliveries, rules = drawn(random, shape, keys, mode="history", unchanged_rows="")
    versions = sorted(expected_silver(deliveries, rules).items(), key=lambda item: (repr(item[0][:-1]), item[0][-1]))
    for (key, row), (next_key, next_row) in pairwise(versions):
        assert row["_cdc_valid_to"] is None or row["_cdc_valid_from"] <= row["_cdc_valid_to"]
        if key[:-1] == next_key[:-1]:
            assert row["_cdc_valid_to"] is not None and row["_cdc_valid_to"] <= next_row["_cdc_valid_from"]
    written = expected_silver(deliveries, replace(rules, unchanged_rows="write"))
    assert len(written) == sum(row.operation in ("L", "I", "U") for row in placed(deliveries, rules))


@given(randoms, shapes, st.integers(1, 12))
@many
def test_the_oracle_does_not_mind_the_order_of_its_input(random, shape, keys):
    deliveries, rules = drawn(random, shape, keys)
    # Only the versions of one file stay in their order: of one time, the one listed later counts.
    versions = {path: iter([d for d in deliveries if d.path == path]) for path in {d.path for d in deliveries}}
    shuffled = [next(versions[d.path]) for d in random.sample(deliveries, len(deliveries))]
    assert expected_silver(deliveries, rules) == expected_silver(shuffled, rules)


@given(randoms, shapes, st.integers(1, 30), st.booleans())
@many
def test_files_are_what_the_pipeline_can_be_asked_to_read(random, shape, keys, reloads):
    files = draw_files(random, shape, keys, reloads)
    assert {file.batch for file in files} <= set(range(1, BATCHES + 1))
    assert len({(file.path, file.batch) for file in files}) == len(files), "a path comes once in a batch"
    times = {file.path: file_time(file.path) for file in files if not file.is_load}
    assert shape.ties or len(set(times.values())) == len(times), "no two files have the same time"
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
        assert all(a.modified_at <= b.modified_at and a.batch < b.batch for a, b in pairwise(versions))
        assert all(len(versions) == 1 and min(file.away) > file.batch for file in versions if file.away)
    for batch in range(files[0].batch, BATCHES + 1):
        assert any(file.batch <= batch and batch not in file.away for file in files), "a table is never without a file"
    whole, _ = generations([file.delivery() for file in files])
    if not reloads:
        assert set(whole.values()) == {1}
    for batch in range(1, BATCHES):
        by_file, _ = generations([file.delivery() for file in files if file.batch <= batch])
        assert by_file.items() <= whole.items(), "what comes later does not change the generation of what was there"
    complete: set[int] = set()
    for batch in range(1, BATCHES + 1):
        deliveries = [file.delivery() for file in files if file.batch <= batch]
        before, complete = complete, generations(deliveries)[1] - waiting(deliveries, shape.rules)
        assert before <= complete, "what has been removed does not come back: a reload that is complete stays so"


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
    for statement in (s for file in cut for s in file.statements if s.history != BALLAST):
        for values in (statement.row.image or {}, statement.row.old_key or {}):
            assert values.get("h") is None or values["h"] % SECOND == statement.history


@given(randoms, st.sampled_from([shape for shape in SHAPES if shape.data_format == "parquet"]))
@settings(many, max_examples=15)
def test_parquet_files_hold_what_was_drawn(tmp_path_factory, random, shape):
    folder = tmp_path_factory.mktemp("landing")
    for file in draw_files(random, shape, 5):
        landing = Landing(folder / "feed" / "s" / "table", folder / "workshop", shape)
        landing.put(file)
        path = folder / "feed" / "s" / "table" / file.path
        if file.is_broken:  # in one of several ways, some of which Arrow reads
            continue
        rows = pq.read_table(path).to_pylist()
        assert path.stat().st_mtime_ns == round(file.modified_at.timestamp() * 1000) * 1_000_000
        assert len(rows) == len(file.statements)
        for row, statement in zip(rows, file.statements, strict=True):
            image = {**(statement.row.image or {}), **statement.written}
            assert {c: row.get(name) for c, name in landing.names(file).items()} == {
                c: image.get(c) for c in shape.columns
            }
            assert file.is_load or row["Op"] == statement.row.operation


def test_the_hash_of_a_file_is_the_one_that_the_project_takes():
    hashes = {b"": 0xEF46DB3751D8E999, b"abc": 0x44BC2CF5AD770999}
    hashes[b"Nobody inspects the spammish repetition"] = 0xFBCEA83C8A378BF1
    assert {text: xxhash64(text, seed=0) for text in hashes} == hashes
