"""The fold of explain against the oracle: random histories through both."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from python_udfs.explain.fold import Change, fold
from tests.e2e.histories import SHAPES, draw_files
from tests.oracle import UNAVAILABLE, expected_silver, generations, placed, waiting


def changes_of(key, rows, complete, rules):
    """Rows of cdc_explain_changes_sql for a key, out of the oracle's rows in order."""
    changes, begun = [], 1

    def add(role, operation, image):
        unavailable = [column for column, value in image.items() if value is UNAVAILABLE]
        changes.append(Change(len(changes) + 1, role, operation, "", 1, image, unavailable))

    def add_reloads(until):
        """Also those that have no good row."""
        for generation in sorted(complete):
            if begun < generation <= until:
                add("reload", "reload", {})

    for number, row in enumerate(rows):
        add_reloads(row.generation)
        begun = max(begun, row.generation)
        if row.operation == "T":
            add("truncate", "T", {})
        elif row.key == key:
            after = rows[number + 1] if number + 1 < len(rows) else row
            # The oracle makes of a change of the key a delete of the old one; bronze has the one row.
            is_key_change = row.operation == "D" and after.position == row.position and after.key != key
            shown, role = (after, "key change") if is_key_change else (row, "change")
            absent = UNAVAILABLE if rules.absent_columns == "keep" else None
            add(role, shown.operation, {column: (shown.image or {}).get(column, absent) for column in rules.columns})
    add_reloads(max(complete, default=0))
    return [c for c in changes if rules.mode != "append" or c.is_reset_point or c.operation in ("I", "L")]


@given(st.randoms(use_true_random=False), st.sampled_from(SHAPES), st.integers(1, 12), st.booleans())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_explain_folds_as_the_oracle_does(random, shape, keys, is_soft):
    deliveries = [file.delivery() for file in draw_files(random, shape, keys)]
    is_append = shape.rules.mode == "append"
    is_soft = is_soft and not is_append
    rules = replace(shape.rules, mode="append" if is_append else "current", delete_mode="soft" if is_soft else "hard")
    rows, complete = placed(deliveries, rules), generations(deliveries)[1] - waiting(deliveries, rules)
    silver = expected_silver(deliveries, rules)
    for key in {row.key for row in rows if row.operation != "T"}:
        changes = changes_of(key, rows, complete, rules)
        state = fold(changes, rules.key, is_soft)
        if key not in silver:
            assert not state.is_live and not state.origins
            continue
        row = silver[key]
        given_by = {number: change.image for number, change in enumerate(changes, start=1)}
        values = [column for column in rules.columns if column not in rules.key]
        assert {c: given_by[state.origins[c]][c] if c in state.origins else None for c in values} == {
            c: row[c] for c in values
        }
        assert row.get("_cdc_is_deleted", False) == (not state.is_live)
        assert row["_cdc_operation"] == ("D" if state.newest.is_delete else state.newest.operation)
