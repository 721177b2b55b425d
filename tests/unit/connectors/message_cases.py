"""The messages of a test module, read in one go for each set of options, because Spark is slow to start a query."""

from __future__ import annotations

from datetime import datetime, timezone

from spark_files.frames import make_frame

AT = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
LINES_SCHEMA = (
    "path string, file_key string, file_time timestamp, modified_at timestamp, batch_id bigint, size bigint, "
    "file_row bigint, value string"
)


class Messages:
    """Cases for the function `read_rows` of a connector; `options` are those of the feed unless a case has others."""

    def __init__(self, rows, **options):
        self.rows, self.options, self.cases = rows, options, []

    def given(self, *lines, key="changes.json", **options):
        """Records the lines of a file; returns where its rows will be."""
        text = "\n".join(lines)
        self.cases.append((self.options | options, f"file:/{len(self.cases)}/{key}", key, text))
        return len(self.cases) - 1

    def read(self, spark):
        """The rows of each case in the order of file_row."""
        rows_of_cases = [[] for _ in self.cases]
        for options in {repr(case[0]): case[0] for case in self.cases}.values():
            lines = [
                (path, key, AT, AT, 7, len(text), row, line)
                for other, path, key, text in self.cases
                if other == options
                for row, line in enumerate(text.split("\n"))
            ]
            for row in self.rows(make_frame(spark, lines, LINES_SCHEMA), options).collect():
                rows_of_cases[int(row.path.split("/")[1])].append(row)
        return [sorted(rows, key=lambda row: row.file_row) for rows in rows_of_cases]


def fields(row, *names):
    return tuple(row[name] for name in names)
