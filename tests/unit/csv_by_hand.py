"""CSV read character by character, beside the patterns that read it in Spark."""

from __future__ import annotations

# What a line does to the state, outside or inside of a quoted value: nothing, turn it, end outside, end inside.
LINE_EFFECTS = (
    "1,a,b", '","', '"', 'x"y', '"a"', '1,"a', '"a""', 'a",b', '""', 'x"y,"z', '"",""', '"a"b,"c', '","",',
)  # fmt: skip


def records_by_hand(text: str, delimiter: str = ",") -> list[str]:
    """Records of a CSV text."""
    records, begin, inside, at_start, position = [], 0, False, True, 0
    while position < len(text):
        character = text[position]
        if inside:
            if text.startswith('""', position):
                position += 1
            elif character == '"':
                inside, at_start = False, False
        elif character == "\n":
            records.append(text[begin:position])
            begin, at_start = position + 1, True
        else:
            inside = at_start and character == '"'
            at_start = character == delimiter
        position += 1
    return [*records, text[begin:]]
