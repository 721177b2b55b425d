"""Tables on the terminal."""

from __future__ import annotations

from python_udfs.pipeline.text_table import write_table


def test_columns_are_as_wide_as_their_longest_cell():
    assert write_table(["id", "v"], [[1, "long\ntext"], [12345, None]]) == (
        "id     v\n-----  ---------\n1      long⏎text\n12345"
    )
