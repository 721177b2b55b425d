"""Command line of discovery, `make discover`: `python -m python_udfs.discover --source … --feed …`."""

from __future__ import annotations

import json
import os
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.cli.console import add_project_dir, argument_parser, run_command, say, text_table
from python_udfs.discover.compare import warn_of_changes
from python_udfs.discover.connector import write_connector_config
from python_udfs.discover.folder import read_folder
from python_udfs.discover.found import Warned
from python_udfs.discover.propose import propose
from python_udfs.discover.reflect import read_database
from python_udfs.discover.write import append_rows, read_rows, write_rows
from python_udfs.errors import MetadataError, UsageError
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, TABLES_FILE, load_metadata
from python_udfs.metadata.names import default_target
from python_udfs.paths import landing_root

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from python_udfs.discover.found import Found
    from python_udfs.discover.propose import Row
    from python_udfs.metadata import Feed

OUTPUT = "discovered"
CONNECTOR_FILE = "connector.json"
# Schemes of file systems; any other URL is one of a database.
FILE_SCHEMES = ("file", "s3", "s3a", "s3n", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
WIDTH = 100
FEED_NAME = re.compile(r"[a-z][a-z0-9_]*")


def main(arguments: Sequence[str] | None = None) -> int:
    """Propose rows of metadata, and append them to the seeds if asked to.

    Args:
        arguments: words of the command line; None takes those of the process.

    Returns:
        0; 2 if the command cannot be done as it was given; 1 if rows do not fit the seeds or a file cannot be written.
    """
    parser = argument_parser("discover", "Propose rows of metadata from a database or a folder.")
    parser.add_argument(
        "--source",
        # A command line is open to every user of the machine; an environment is not.
        default=os.environ.get("SOURCE", ""),
        help="URL of a database, or folder with files (default: the environment variable SOURCE)",
    )
    parser.add_argument("--feed", default="", help="name of the feed, new or from the seeds")
    parser.add_argument("--schemas", default="", help="schemas, separated by spaces (default: all)")
    parser.add_argument("--tables", default="", help="patterns as in SQL's LIKE, separated by spaces (default: all)")
    parser.add_argument("--append", default="", help="1: append to the seeds the rows that they lack")
    add_project_dir(parser)
    options = parser.parse_args(arguments)
    return run_command(lambda: _run(options), failed="Nothing was added to the seeds.")


def _run(options: argparse.Namespace) -> int:
    seeds, output = options.project_dir / "seeds", options.project_dir / OUTPUT
    problems: list[str] = []
    if not FEED_NAME.fullmatch(options.feed):
        accepted = "a lower-case letter, then lower-case letters, digits and _, as in FEED=retail"
        problems.append(f"FEED: found {options.feed or 'nothing'}; accepted: {accepted}")
    if options.append not in ("", "1"):
        problems.append(f"APPEND: found {options.append}; accepted: 1, or leave it out")
    source = _find(options, _known_feed(seeds, options.feed, problems), problems)
    if source is None or problems:
        raise UsageError(problems)

    present = read_rows(seeds)
    row = next((row for row in present[FEEDS_FILE] if row["feed"] == options.feed), None) or _feed_row(options, source)
    write_rows(output, {FEEDS_FILE: [row], TABLES_FILE: [], COLUMNS_FILE: []})
    feed = load_metadata(output).feed(options.feed)
    if feed.connector == "dms" and not feed.options.change_sequence_column:
        source.warned.append(_order(feed, source.change_sequence))
    taken = {
        it.get("target_table") or default_target(it["source_schema"], it["source_table"]): identity
        for it in present[TABLES_FILE]
        if (identity := (it["feed"], it["source_schema"], it["source_table"]))
    }
    rows = propose(source, row, feed, taken)
    write_rows(output, rows)
    proposed = load_metadata(output)
    if present[TABLES_FILE]:
        warn_of_changes(source, feed.feed, load_metadata(seeds), proposed)
    _report(source, feed)
    if feed.connector == "debezium":
        _write_connector(output, source, feed)
    if options.append:
        for name, count in append_rows(seeds, rows).items():
            say(f"seeds/{name}: {count} rows added")
        say("Next: look at them (git diff seeds) and mend what the warnings say. Then make models, then dbt build.")
    else:
        say(f"Rows to review: {OUTPUT}/cdc_feeds.csv, cdc_tables.csv, cdc_columns.csv. Nothing else was changed.")
        say("Next: mend what the warnings say and copy the rows into seeds/, or run this again with APPEND=1, which")
        say("adds the rows that seeds/ lacks. Then make models, then dbt build.")
    return 0


# Source --------------------------------------------------------------------------------------------------------------


def _known_feed(seeds: Path, name: str, problems: list[str]) -> Feed | None:
    """The feed, if the seeds have it already."""
    if not (seeds / FEEDS_FILE).exists():
        return None
    try:
        return {feed.feed: feed for feed in load_metadata(seeds).feeds}.get(name)
    except MetadataError as error:
        problems.extend(map(str, error.problems))
        return None


def _find(options: argparse.Namespace, feed: Feed | None, problems: list[str]) -> Found | None:
    schemas, tables = options.schemas.split(), options.tables.split()
    if not options.source:
        accepted = "the URL of a database, such as mysql://user:password@host/name, or a folder"
        problems.append(f"SOURCE: found nothing; accepted: {accepted}")
        return None
    scheme, is_url, _ = options.source.partition("://")
    try:
        if is_url and scheme not in FILE_SCHEMES:
            return read_database(options.source, schemas, tables, is_dms=feed is None or feed.connector == "dms")
        if feed and feed.connector != "dms":
            reason = f"feed {feed.feed} has connector {feed.connector}, and only files of dms are looked at"
            raise UsageError([f"SOURCE: {reason}; give the URL of the database instead"])
        if feed:
            return read_folder(options.source, schemas, tables, format=feed.format, options=feed.options)
        return read_folder(options.source, schemas, tables)
    except UsageError as error:
        problems.extend(error.problems)
        return None


def _feed_row(options: argparse.Namespace, source: Found) -> Row:
    """The row of a feed that is new: DMS files, unless the user changes it."""
    schemas = ", ".join(sorted({table.schema for table in source.tables}))
    is_folder = source.kind == "files"
    return {
        "feed": options.feed,
        "connector": "dms",
        "format": source.format,
        "location": _location(options.source) if is_folder else options.feed,
        "options": ";".join(f"{key}={value}" for key, value in source.options.items()),
        "description": f"Discovered in {source.kind}: {schemas}",
    }


def _location(source: str) -> str:
    """The folder as the seeds name it: relative to the landing root if it lies there."""
    if "://" in source:
        # The text before @ and after ? there is for pyarrow alone, and may be a secret.
        return re.sub(r"://[^/]*@", "://", source).partition("?")[0].rstrip("/")
    folder, root = Path(source).resolve(), Path(landing_root()).resolve()
    return folder.relative_to(root).as_posix() if folder.is_relative_to(root) else folder.as_posix()


def _order(feed: Feed, change_sequence: str | None) -> Warned:
    remedy = "Add a column with AR_H_CHANGE_SEQ (docs/feeds/dms_format.md) at the task if files may lack order."
    if change_sequence:
        remedy = f"Files have a change sequence: add change_sequence_column={change_sequence} to the feed's options."
    advice = (
        "Changes of DMS are ordered by the time of their file, the file and the row: the time of commit alone orders "
        f"nothing within a second. {remedy}"
    )
    return Warned("order", advice, "" if feed.options.timestamp_column else "the feed has no timestamp_column either")


def _write_connector(output: Path, source: Found, feed: Feed) -> None:
    """Writes the configuration of the connector, if the source is a database that it is known for."""
    config = write_connector_config(source.kind, feed.feed, [table.full_name for table in source.tables])
    if config:
        (output / CONNECTOR_FILE).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        say(f"Configuration of the connector that loses nothing: {OUTPUT}/{CONNECTOR_FILE} (docs/feeds/debezium.md).\n")


# Report --------------------------------------------------------------------------------------------------------------


def _report(source: Found, feed: Feed) -> None:
    say(f"{source.source}: {len(source.tables)} tables for feed {feed.feed} ({feed.connector}, {feed.format})\n")
    lines = [
        (
            table.full_name,
            ";".join(table.primary_key) or "none",
            str(len(table.columns)),
            ", ".join(warned.label for warned in table.warned),
        )
        for table in source.tables
    ]
    say(text_table(("table", "key", "columns", "warnings"), lines, "<<><"))
    say()

    warnings = [("all tables", warned) for warned in source.warned]
    warnings += [(table.full_name, warned) for table in source.tables for warned in table.warned]
    for label, advice in dict.fromkeys((warned.label, warned.advice) for _, warned in warnings):
        say(textwrap.fill(f"{label}: {advice}", WIDTH))
        for owner, warned in warnings:
            if (warned.label, warned.advice) == (label, advice):
                say(f"  {owner}: {warned.detail}" if warned.detail else f"  {owner}")
        say()


if __name__ == "__main__":
    sys.exit(main())
