"""Regular expressions over CSV text (docs/architecture.md, Forms of text). Needs no Spark."""

from __future__ import annotations

from dataclasses import dataclass

# A quoted value without the quote that closes it. With other than possessive loops Java's matcher recurses once per
# character.
OPENED = '"[^"]*+(?:""[^"]*+)*+'


@dataclass(frozen=True)
class CsvPatterns:
    """Patterns of text whose fields a character separates.

    A quote opens a quoted value only at the beginning of a field. No repetition gives anything back, so a long value is
    read once and takes no stack.

    Attributes:
        delimiter: the character between two fields.
        between: the pattern of it.
        field: a delimiter and the field behind it, which is the first group; a value that no quote closes goes to the
            end of the record.
        open_line: a line that begins outside of a quoted value and ends inside of one.
        quoted: a field that is a quoted value.
        unclosed: a field that no quote closes.
    """

    delimiter: str
    between: str
    field: str
    open_line: str
    quoted: str = rf'\A{OPENED}"\z'
    unclosed: str = rf"\A{OPENED}\z"


def read_patterns(delimiter: str) -> CsvPatterns:
    """Returns the patterns of text whose fields a character separates.

    Args:
        delimiter: the character; a tab may be written as in the seed.
    """
    character = delimiter.replace("\\t", "\t")
    # By its number: some delimiters mean something in a pattern.
    between = rf"\x{{{ord(character):04x}}}"
    closed = f'{OPENED}"[^{between}]*+|[^"{between}][^{between}]*+'
    return CsvPatterns(
        delimiter=character,
        between=between,
        field=f"{between}((?:{closed}|{OPENED})?+)",
        open_line=rf"\A(?:(?:{closed})?+{between})*+{OPENED}\z",
    )
