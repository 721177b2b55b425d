"""Messages that nobody meant to send: real ones, broken in the ways in which texts and JSON break."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any


class Object(list):
    """A JSON object as pairs of name and value, so that a name can be there twice."""


class Raw(str):
    """JSON text that goes into a message as it stands."""

    __slots__ = ()


NUMBERS = (
    *("1e400", "-1e400", "1e-400", "1" + "0" * 40, "-1" + "0" * 40, "-0", "-0.0", "NaN", "Infinity", "-Infinity"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "0.1e1", "1E5"),
    *("999999999999999", "99999999999999999", "253402300800000", "-62135596800001", "1.5", "00012", "+1", ".5", "0x10"),
    *("2147483648", "-2147483649", "9" * 300, "0." + "0" * 300 + "1", "1e2147483648", "1e-2147483648"),
)
TEXTS = (
    *("", " ", "null", "true", "NaN", "Infinity", "-infinity", "0000-00-00", "2024-02-30", "+294247-01-10T04:00:54Z"),
    *(
        "9999-12-31T23:59:59.999999Z",
        "-0001-01-01",
        "24:61:61",
        "mysql-bin.999999999999",
        "mysql-bin.1:9",
        "é",
        "İ",
        "ß",
    ),
    *("`", "``", "a.b", "$", "$1", "${env:HOME}", "\\", "\\1", "'", '"', "\u0000", "\ufeff", "\ufdd0\ufdd11", "\u2028"),
    *('[null,"5"]', "[", "{}", '["1"', '{"scale":1,"value":"/w=="}', "/w==", "=", "====", "A", "hex:zz", "😀", "\r\n"),
    *("1.5e3", "9" * 40, "1e400", "-", "0x", "0xg", "true ", "__debezium_unavailable_value"),
)
NAMES = (
    "",
    "a.b",
    "`",
    "``x`",
    "__proto__",
    "constructor",
    "$",
    "v",
    "V",
    "ID",
    "_malformed",
    "\u0000",
    "é",
    "e\u0301",
    "\ud800",
)
LONG_NAME = "n" * 10_000
LONG_TEXT = "x" * 1_000_000
DEPTH = 1_000


def parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=Object)


def written(value: Any) -> str:
    """The value as JSON text; the text of `Raw` as it stands."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Object):
        return "{" + ",".join(f"{json.dumps(name)}:{written(member)}" for name, member in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def mutated(seeds: list[str], number: int, seed: object) -> Iterator[bytes]:
    """Texts of messages, each a seed with one to three mutations; the same for the same arguments."""
    for place in range(number):
        chance = random.Random(f"{seed} {place}")
        text = chance.choice(seeds)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3)) if chance.random() < 0.8 else 0):
            text = _in_tree(text, chance)
        content = text.encode("utf-8", errors="surrogatepass")
        for _ in range(chance.choice((0, 0, 0, 1, 2))):
            content = chance.choice(OF_BYTES)(content, chance)
        yield content


# Mutations of the tree ------------------------------------------------------------------------------------------------


def _in_tree(text: str, chance: random.Random) -> str:
    """A mutation of what the text holds; the text itself if Python cannot read it (too deep, no JSON)."""
    try:
        tree = parsed(text)
        chance.choice(OF_TREES)(chance.choice(list(_holders(tree))), chance)
        return written(tree)
    except (ValueError, RecursionError, IndexError):
        return text


def _holders(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        if value:
            yield value
        for item in value:
            yield from _holders(item[1] if isinstance(value, Object) else item)


def _put(holder: list[Any], chance: random.Random, change: Callable[[Any], Any]) -> None:
    place = chance.randrange(len(holder))
    if isinstance(holder, Object):
        name, value = holder[place]
        holder[place] = (name, change(value))
    else:
        holder[place] = change(holder[place])


def _swap_type(holder: list[Any], chance: random.Random) -> None:
    def change(value: Any) -> Any:
        others = [1, -1, "1", True, None, [], [1], [value], Object(), Object([("a", 1)]), Object([("x", value)])]
        others += [written(value), 0, False, 1.5]
        return chance.choice(others)

    _put(holder, chance, change)


def _number(holder: list[Any], chance: random.Random) -> None:
    _put(holder, chance, lambda _: Raw(chance.choice(NUMBERS)))


def _text(holder: list[Any], chance: random.Random) -> None:
    _put(holder, chance, lambda _: chance.choice(TEXTS))


def _text_of_number(holder: list[Any], chance: random.Random) -> None:
    _put(holder, chance, lambda _: chance.choice(NUMBERS))


def _surrogate(holder: list[Any], chance: random.Random) -> None:
    _put(
        holder,
        chance,
        lambda _: Raw(chance.choice((r'"\ud800"', r'"\udc00x"', r'"\ud83d\ude00"', r'"\u0000"', r'"\ud800\ud800"'))),
    )


def _nested(holder: list[Any], chance: random.Random) -> None:
    begin, end = chance.choice((("[", "]"), ('{"a":', "}")))
    depth = chance.choice((2, 20, 199, 200, 201, 499, 501, 700, 990, DEPTH))
    _put(holder, chance, lambda value: Raw(begin * depth + written(value) + end * depth))


def _long(holder: list[Any], chance: random.Random) -> None:
    long = LONG_TEXT if chance.random() < 0.02 else LONG_NAME
    _put(holder, chance, lambda _: long)


def _duplicate(holder: list[Any], chance: random.Random) -> None:
    if isinstance(holder, Object):
        name, value = chance.choice(holder)
        other = chance.choice((value, None, 1, "x", Object()))
        again = chance.choice((name, name, name.upper(), name.capitalize()))
        holder.insert(chance.randrange(len(holder) + 1), (again, other))
    else:
        holder.append(chance.choice(holder))


def _rename(holder: list[Any], chance: random.Random) -> None:
    if isinstance(holder, Object):
        place = chance.randrange(len(holder))
        new = chance.choice((*NAMES, LONG_NAME, chance.choice(holder)[0]))
        holder[place] = (new, holder[place][1])


def _remove(holder: list[Any], chance: random.Random) -> None:
    del holder[chance.randrange(len(holder))]


def _exchange(holder: list[Any], chance: random.Random) -> None:
    """Two values change places: a schema contradicts its payload, a name its value."""
    place, other = chance.randrange(len(holder)), chance.randrange(len(holder))
    if isinstance(holder, Object):
        (first, value), (second, another) = holder[place], holder[other]
        holder[place], holder[other] = (first, another), (second, value)
    else:
        holder[place], holder[other] = holder[other], holder[place]


OF_TREES = (
    *(_swap_type, _swap_type, _number, _number, _text, _text, _text_of_number, _surrogate, _nested, _long),
    *(_duplicate, _duplicate, _rename, _remove, _exchange),
)

# Mutations of the text ------------------------------------------------------------------------------------------------


def _flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 10))):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _behead(content: bytes, chance: random.Random) -> bytes:
    return content[chance.randrange(len(content) + 1) :]


def _insert(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content) + 1)
    extra = (
        b"\x00",
        b"\xff",
        b"\xe9",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n",
        b"\n\n",
        b"{",
        b"}",
        b'"',
        b"\\",
    )
    return content[:place] + chance.choice(extra) + content[place:]


def _repeat(content: bytes, chance: random.Random) -> bytes:
    return content + chance.choice((b"", b" ", b",", b"\n", b"\r\n")) + content


def _frame(content: bytes, chance: random.Random) -> bytes:
    before = (b"\xef\xbb\xbf", b" ", b"\t", b"\n", b"[", b"", b"// x\n", b"\x00")
    after = (b"\r", b"\r\n", b" ", b"]", b"", b"x", b"\x00", b"\n\n")
    return chance.choice(before) + content + chance.choice(after)


def _recode(content: bytes, chance: random.Random) -> bytes:
    text = content.decode("utf-8", errors="replace").replace("e", chance.choice("éüß"), 1)
    return text.encode(chance.choice(("latin-1", "utf-16", "utf-16-le", "cp1252")), errors="replace")


def _nothing(_: bytes, chance: random.Random) -> bytes:
    return chance.choice((b"", b" ", b"null", b"{}", b"[]", b"0", b'""', b"\r", b"{", b"\x00", b"NaN", b"[" * DEPTH))


OF_BYTES = (_flip, _flip, _cut, _behead, _insert, _insert, _repeat, _frame, _recode, _nothing)
