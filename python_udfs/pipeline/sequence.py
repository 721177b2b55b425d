"""The layout of ``_cdc_sequence``, which the macro cdc_sequence_sql builds.

Only the source position has no fixed width.

generation.position.file.row.modified_millis
000001.1.20240131230100000000.9f86d081884c7d65.000000000002.01706742060000
000001.1.<three numbers and a digit>.o000000000000042.1fc39ce004a7.01706742060000
"""

from __future__ import annotations

# The row of a marker, which is no row of a file or an offset: no file has as many lines.
MARKER_ROW = 999_999_999_999
# Where each part begins and ends; counted from the end if negative, and 0 is the end itself.
PARTS = {
    "generation": (0, 6),
    "source_position": (0, -45),
    "listed_position": (7, -45),
    "through_file": (0, -28),
    "through_row": (0, -15),
    "file": (-44, -28),
    "partition": (-27, -21),
    "modified_millis": (-14, 0),
}


def marker_row() -> int:
    """Returns `MARKER_ROW`, for macros."""
    return MARKER_ROW


def cut_part(sequence: str, part: str) -> str:
    """Returns a part of a sequence; empty if the sequence is.

    Args:
        sequence: a value of ``_cdc_sequence``.
        part: one of `PARTS`.
    """
    begin, end = PARTS[part]
    return sequence[begin : end or None]


def write_part_sql(sequence: str, part: str) -> str:
    """Writes the expression of a part.

    Args:
        sequence: an expression of the sequence.
        part: one of `PARTS`.
    """
    begin, end = PARTS[part]
    is_open = begin >= 0 > end
    width = f"length({sequence}) - {begin - end}" if is_open else str(end - begin)
    return f"substring({sequence}, {begin + 1 if begin >= 0 else begin}, {width})"
