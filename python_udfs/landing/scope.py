"""The part of a feed's landing area that a run lists, if the feed is not listed in full in each run.

Names of folders or files hold a time. A run leaves out the files that are older than the newest time less an overlap.
The path of a file alone decides, so one rule selects the files that are there and those that are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from python_udfs.connectors.file_names import sql_text

_YEAR, _MONTH, _DAY, _HOUR = "20[0-9]{2}", "0[1-9]|1[0-2]", "0[1-9]|[12][0-9]|3[01]", "[01][0-9]|2[0-3]"
_COLUMN = "[A-Za-z_]+="  # of a partition, such as year=2024
_NEXT = f"[-_/]?(?:{_COLUMN})?"
# The path of a file or a folder (with its last slash) in a date folder: what is before it, year, month, day, hour. The
# first two folders may be a schema and a table of any name: among them only year=2024 is a date.
DATED = (
    rf"(?s)^((?={_COLUMN}20)|[^/]*/(?={_COLUMN}20)|[^/]*/[^/]*/(?:[^/]*/)*?)"
    rf"(?:{_COLUMN})?({_YEAR})(?:{_NEXT}({_MONTH})(?:{_NEXT}({_DAY})(?:{_NEXT}({_HOUR}))?)?)?/"
)
# The name of a file that begins with a time (docs/feeds/dms_format.md): date, and time of day.
TIMED_NAME = r"(?:CDC_TXN-)?(20[0-9]{6})-?([0-9]{6})[^/]*"
_MARK = "\x01"
_DIGITS, _DATE = 14, 8  # of a time, yyyyMMddHHmmss, and of its date
# Ranges of times that one query asks for; what lies between two of them is read, too, if there would be more.
_MAX_RANGES = 16


def add_times(files: DataFrame) -> DataFrame:
    """Adds what the paths of files show.

    Args:
        files: `file_key`, the path under the feed's location.

    Returns:
        Also `root`, the folder whose date folders or names the time is one of, and `time_in_path`, the latest time that
        the path allows (yyyyMMddHHmmss as text, with 9 for what a date folder leaves open). Both are null if the
        path shows no time.
    """
    dated = f"regexp_replace(file_key, {sql_text(f'{DATED}.*$')}, {sql_text(f'{_MARK}$1{_MARK}$2$3$4$5')})"
    # A folder may hold date folders and names with a time: with an asterisk, so that each has a newest time of its own.
    timed = f"{sql_text(f'(?s)^(?!{_MARK})(.*/)?{TIMED_NAME}$')}, {sql_text(f'{_MARK}$1*{_MARK}$2$3')}"
    shows_none = f"_parts = file_key or contains(file_key, {sql_text(_MARK)})"
    return (
        files.withColumn("_parts", F.expr(f"regexp_replace({dated}, {timed})"))
        .withColumn("_parts", F.expr(f"if({shows_none}, null, split(_parts, {sql_text(_MARK)}))"))
        .withColumns({"root": F.expr("_parts[1]"), "time_in_path": F.expr(f"rpad(_parts[2], {_DIGITS}, '9')")})
        .drop("_parts")
    )


@dataclass
class Scope:
    """The part of a feed that one run lists: its rule, and the newest times that it met.

    It is a `spark_files.Selection`.

    Attributes:
        location: the feed's location, as the paths of its files begin.
        overlap: what is not older than the newest time less this is listed.
        now: the time of the run, with a time zone. A time after it is listed, and is not the newest time of its root:
            one file with a wrong name would hide all files with right ones.
        name_pattern: of names with a time before now.
    """

    location: str
    overlap: timedelta
    now: datetime
    name_pattern: str = field(init=False)
    _newest: dict[str, datetime] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    large_folder = 500

    def __post_init__(self) -> None:
        self.name_pattern = _names_before(self._now)

    def left_out(self, folders: Sequence[str]) -> list[str]:
        """Those folders of one depth that are too old; a folder without a date is none of them.

        Args:
            folders: full paths.
        """
        dated = []
        for folder in folders:
            match = re.match(DATED, f"{folder[len(self.location) + 1 :]}/")
            # A path with the character that the listing puts between paths comes in pieces.
            if match and folder.startswith(f"{self.location}/"):
                root, *digits = match.groups(default="")
                text = "".join(digits)
                dated.append((folder, root, text.ljust(_DIGITS, "9")))
                self._meet(root, _start_of(text), dated[-1][2])
        return [folder for folder, root, last in dated if last < self.cut(root)]

    def older_names(self, folder: str, newest: str) -> str:
        """The pattern of the names that are too old in a folder of files whose names begin with a time.

        Args:
            folder: full path.
            newest: the greatest name that matches `name_pattern`.
        """
        key = f"{folder}/"[len(self.location) + 1 :]
        if re.match(DATED, key):
            return ""
        digits = "".join(re.match(TIMED_NAME, newest).groups())  # type: ignore[union-attr]
        root = f"{key}*"
        self._meet(root, _start_of(digits), digits)
        cut = self.cut(root)
        return _names_before(cut) if cut else ""

    def meet_files(self, files: DataFrame) -> bool:
        """Takes the times of the files that were listed.

        Args:
            files: see `add_times`.

        Returns:
            Whether there is a file.
        """
        is_past = F.col("time_in_path") <= self._now
        times = (
            add_times(files)
            .groupBy("root")
            .agg(F.max("time_in_path").alias("last"), F.max(F.when(is_past, F.col("time_in_path"))).alias("newest"))
        )
        rows = times.collect()
        for row in rows:
            if row.root is not None:
                # The newest date folders were met while the folders were listed.
                newest = row.newest if row.root.endswith("*") else None
                self._meet(row.root, _start_of(newest) if newest else None, row.last)
        return bool(rows)

    def cut(self, root: str) -> str:
        """The first time that is listed of a root; the empty text, if everything is."""
        newest = self._newest.get(root)
        return "" if newest is None else f"{newest - self.overlap:%Y%m%d%H%M%S}"

    @property
    def cuts(self) -> dict[str, str]:
        """The first time that is listed, by root."""
        return {root: self.cut(root) for root in self._newest}

    @property
    def times(self) -> list[tuple[str, str]]:
        """First and last time that is listed, one of each root."""
        return [(self.cut(root), last) for root, last in self._last.items()]

    @property
    def _now(self) -> str:
        return f"{self.now:%Y%m%d%H%M%S}"

    def _meet(self, root: str, start: datetime | None, last: str) -> None:
        self._last[root] = max(last, self._last.get(root, ""))
        if start is not None and start <= self.now.replace(tzinfo=None):
            self._newest[root] = max(start, self._newest.get(root, start))


def ranges(times: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Few ranges that cover many.

    Args:
        times: first and last time of each (14 digits).

    Returns:
        At most 16, in order, that do not overlap.
    """
    merged: list[tuple[str, str]] = []
    for first, last in sorted(times):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    # Those with the smallest gaps between them become one.
    gaps = sorted(range(1, len(merged)), key=lambda at: int(merged[at][0] or 0) - int(merged[at - 1][1]), reverse=True)
    starts = sorted([0, *gaps[: _MAX_RANGES - 1]])
    ends = [*starts[1:], len(merged)]
    return [(merged[start][0], merged[end - 1][1]) for start, end in zip(starts, ends, strict=True) if merged]


def _names_before(cut: str) -> str:
    """The pattern of names with a time before a cut (14 digits): a digit is less, and those before it are the same."""
    lower = [
        f"{cut[:at]}[0-{int(digit) - 1}]" if at < _DATE else f"{cut[:_DATE]}-?{cut[_DATE:at]}[0-{int(digit) - 1}]"
        for at, digit in enumerate(cut)
        if digit > "0"
    ]
    return f"(?=(?:CDC_TXN-)?(?:{'|'.join(lower)})){TIMED_NAME}"


def _start_of(digits: str) -> datetime | None:
    """The first moment of a date folder or a name, by its 4 to 14 digits; None: there is no such day or time."""
    try:
        return datetime.strptime(digits + "00000101000000"[len(digits) :], "%Y%m%d%H%M%S")
    except ValueError:
        return None
