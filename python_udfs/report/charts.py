"""Numbers as the coordinates of a drawing; the page's template draws it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Values = Sequence[float | None]
WIDEST_BAR = 14.0


@dataclass(frozen=True)
class Line:
    """A line with a dot at its last value.

    Attributes:
        name: what it shows.
        path: the line, as in the attribute `d` of an SVG path; a missing value is a hole.
        dots: where values stand alone, and the last value: x and y.
    """

    name: str
    path: str
    dots: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Plot:
    """A drawing of some lines or bars, from zero to the greatest value.

    Attributes:
        title: what it shows.
        lines: the lines.
        bars: x, y, width and height of each bar, and the name of what it shows.
        top: the greatest value in words.
        zero: y of zero.
    """

    title: str
    top: str
    lines: tuple[Line, ...] = ()
    bars: tuple[tuple[float, float, float, float, str], ...] = ()
    zero: float = 0


def line(name: str, values: Values, top: float, width: float, height: float) -> Line:
    """A line through some values.

    Args:
        name: what it shows.
        values: in order; None is a hole.
        top: the value at the upper end; zero is at the lower one.
        width: of the drawing.
        height: of the drawing.
    """
    points = list(zip(_positions(len(values), width), values, strict=True))
    scale = height / top if top > 0 else 0
    parts: list[list[tuple[float, float]]] = [[]]
    for x, value in points:
        if value is None:
            parts.append([])
        else:
            parts[-1].append((round(x, 1), round(float(height) - max(value, 0) * scale, 1)))
    parts = [part for part in parts if part]
    path = " ".join("M" + " L".join(f"{x} {y}" for x, y in part) for part in parts if len(part) > 1)
    alone = [part[0] for part in parts if len(part) == 1]
    last = parts[-1][-1:] if parts else []
    return Line(name, path, tuple(dict.fromkeys([*alone, *last])))


def plot(
    title: str, series: dict[str, Values], text: Callable[[float], str], width: float, height: float
) -> Plot | None:
    """Lines of one scale; None if no value is known."""
    present = [value for values in series.values() for value in values if value is not None]
    if not present:
        return None
    top = max(present)
    lines = tuple(line(name, values, top, width, height) for name, values in series.items())
    return Plot(title, text(top), lines=lines, zero=height)


def bars(title: str, up: dict[str, Values], down: dict[str, Values], width: float, height: float) -> Plot | None:
    """Bars for each run, upwards and downwards, on a logarithmic scale: a full load would hide all that follows.

    Figures that are missing for the newest run are shown in words.
    """
    columns = max((len(values) for values in (*up.values(), *down.values())), default=0)
    last = columns - 1
    if columns and all(values[last] is None for values in (*up.values(), *down.values())):
        return Plot(title, "not counted")
    ups = [sum(values[at] or 0 for values in up.values()) for at in range(columns)]
    downs = [sum(values[at] or 0 for values in down.values()) for at in range(columns)]
    if not any(ups) and not any(downs):
        return None
    heights = (math.log1p(max(ups)), math.log1p(max(downs)))
    scale = height / sum(heights)
    zero = heights[0] * scale
    rectangles, step = [], width / columns
    wide = min(step * 0.7, WIDEST_BAR)
    for at, (gain, loss) in enumerate(zip(ups, downs, strict=True)):
        for name, value, is_up in ((" and ".join(up), gain, True), (" and ".join(down), loss, False)):
            if value:
                length = math.log1p(value) * scale
                y = zero - length if is_up else zero
                x = at * step + (step - wide) / 2
                rectangles.append((round(x, 1), round(y, 1), round(wide, 1), round(length, 1), name))
    top = f"{max(ups):,} in, {max(downs):,} out"
    return Plot(title, top, bars=tuple(rectangles), zero=round(zero, 1))


def _positions(number: int, width: float) -> list[float]:
    return [width * at / (number - 1) if number > 1 else width / 2 for at in range(number)]
