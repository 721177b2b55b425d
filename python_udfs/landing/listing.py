"""The listing of the landing area: which files are there, of which kind, and in which batch they were first seen.

The connector of a feed (`python_udfs.connectors`) gives the rules for names. Everything after the listing works with
its columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from functools import partial, reduce
from operator import or_
from typing import Any, NamedTuple

from dbt.adapters.events.logging import AdapterLogger
from pyspark.sql import Column, DataFrame, Observation, Row, SparkSession
from pyspark.sql import functions as F

from python_udfs.connectors.file_names import sql_text
from python_udfs.connectors.protocol import FileRules
from python_udfs.connectors.registry import CONNECTORS
from python_udfs.landing.scope import Scope, add_times, ranges
from python_udfs.paths import feed_location, landing_root
from spark_files import count_unnamed, list_files, qualified, read_name_encoding
from spark_files.errors import is_spark_error, root_cause
from spark_files.frames import make_frame

logger = AdapterLogger("Lakehouse")

LISTING_SCHEMA = (
    "feed string, source_schema string, source_table string, file_key string, path string, size bigint, "
    "modified_at timestamp, kind string, ignored_reason string, file_time timestamp, "
    "batch_id bigint, first_seen_at timestamp, revision int, time_in_path string"
)

TABLE = ["feed", "source_schema", "source_table"]

READ = "in ('load', 'change', 'multi_table')"


def new_files(
    spark: SparkSession,
    feeds: Iterable[Mapping[str, Any]],
    listing_so_far: DataFrame | None,
    now: datetime | None = None,
    in_part: Collection[str] = (),
    *,
    few_known: bool = False,
    unlisted: dict[str, str] | None = None,
    progress: dict[str, str] | None = None,
) -> DataFrame | None:
    """File versions that the listing does not hold yet, and files that are no longer there.

    A file is identified by its path under the feed's location: a location that moved holds the same files. A file
    version also has a size and a modification time. No order of names is assumed: an older name that arrives later is
    as new as any other. A file that comes back after it was gone is new again, whatever its time. `revision` is the
    number of its versions of another size that were listed before. Object stores give whole seconds: a version with the
    time of an earlier one gets that time plus its revision in milliseconds, so that `modified_at` orders the versions
    of a file.

    A file that cannot be named is not gone: if names of files are no text (`spark_files.count_unnamed`), no file of the
    feed is gone in this run.

    A file that cannot be listed is not gone either: a feed whose location fails (access, no such file system) keeps its
    files as they are, and the others are listed.

    A feed that is listed in part only gains files: what its scope leaves out is neither new nor gone. If a file of
    the scope is gone, or none is there, the feed is listed in full at once, and that finds what is gone.

    Args:
        spark: the session to list with.
        feeds: feed, connector, format, location and is_multi_table (whether multi-table files are read) of each
            feed to list; one pass over each location. `vanished_files` holds `ignore` or `truncate` by schema
            and table; other tables report.
        listing_so_far: the listing so far (columns of `LISTING_SCHEMA`), None on the first run.
        now: the time of this run; the current time when not given.
        in_part: feeds of which only the scope is listed (`python_udfs.landing.scope`); each has
            `listing_overlap_hours`.
        few_known: one task compares them all with what was listed, so that no row moves between tasks.
        unlisted: gets the location and the reason of each feed that cannot be listed; the caller has to report them, as
            such a feed looks up to date.
        progress: gets what the commit of the rows has to record: their batch.

    Returns:
        Rows of `LISTING_SCHEMA`, or None when there is nothing new and a listing exists already.
    """
    now = now or datetime.now(timezone.utc)
    feeds, unlisted = list(feeds), {} if unlisted is None else unlisted
    listing = spark.createDataFrame([], LISTING_SCHEMA) if listing_so_far is None else listing_so_far
    # The first run has nothing to compare a part with.
    in_full = {feed["feed"] for feed in feeds if listing_so_far is None or feed["feed"] not in in_part}
    listed: dict[str, _Listed] = {}
    to_list = {feed["feed"] for feed in feeds}
    while True:
        asked = [feed for feed in feeds if feed["feed"] in to_list]
        listed |= _all_listed(spark, asked, in_full, now, unlisted)
        listed = {feed: listed_feed for feed, listed_feed in listed.items() if feed not in unlisted}
        locations = {feed: listed_feed.location for feed, listed_feed in listed.items()}
        scopes = {feed: listed_feed.scope for feed, listed_feed in listed.items() if listed_feed.scope}
        to_list = {feed for feed in scopes if listed[feed].files is None}
        if not to_list:
            files = [listed_feed.files for listed_feed in listed.values() if listed_feed.files is not None]
            known_ones = _known_in_scope(listing, scopes, in_full).withColumn("is_listed", F.lit(False))
            seen = _in_scope(spark, _union([known_ones, *files]), scopes)
            seen = seen.coalesce(1) if few_known else seen
            paths = _paths(seen, locations, [feed for feed, of_feed in listed.items() if of_feed.has_unnamed])
            delta, count = _changed(paths)
            described = _described(delta, feeds)
            to_list = _find_lacking(described, scopes) if count["suspect"] and scopes else set()
        if not to_list:
            break
        in_full |= to_list
    if not count["new"] and not count["suspect"]:
        return listing if listing_so_far is None else None

    rows = []
    if count["new"]:
        rows.append(described.where("is_new"))
    if count["suspect"]:
        rows += _gone(spark, feeds, locations, _tables(_described(paths, feeds)), described, now)
    if not rows:
        return None
    last_batch_id = count["last_batch_id"]
    if scopes:
        # Iceberg answers from the table's metadata.
        last_batch_id = listing.agg({"batch_id": "max"}).collect()[0][0]
    batch_id = next_batch_id(now, last_batch_id)
    if progress is not None:
        progress["cdc.batch-id"] = str(batch_id)
    return select_columns(_union(rows).withColumns({"batch_id": F.lit(batch_id), "first_seen_at": F.lit(now)}))


def select_columns(rows: DataFrame) -> DataFrame:
    """Rows of the listing as it stores them; `time_in_path` is added."""
    columns = (column.split() for column in LISTING_SCHEMA.split(", "))
    # A listing in part reads the rows of some times: in this order they are in few row groups.
    return (
        add_times(rows)
        .selectExpr(*(f"cast({name} as {data_type}) as {name}" for name, data_type in columns))
        .sortWithinPartitions("feed", "time_in_path")
    )


def next_batch_id(now: datetime, last: int | None) -> int:
    """A batch id that is greater than every earlier one, even when the clock went back.

    Args:
        now: the time of the run, with a time zone.
        last: the greatest batch id so far, None if there is none.

    Returns:
        UTC time as a number, yyyyMMddHHmmssSSS, or the last id plus one if that is greater.
    """
    utc = now.astimezone(timezone.utc)
    from_clock = int(utc.strftime("%Y%m%d%H%M%S")) * 1000 + utc.microsecond // 1000
    return max(from_clock, (last or 0) + 1)


def _changed(paths: DataFrame) -> tuple[DataFrame, dict[str, Any]]:
    """The paths that are new, suspect or away; their numbers `new` and `suspect`, and `last_batch_id` of all paths."""
    counts = Observation()
    # The one pass over everything, which every run pays for; what follows reads the few rows that it leaves.
    # Not cache(): a later run of the same process would be answered from the cache of an equal plan, not from the disk.
    delta = (
        paths.observe(
            counts,
            F.expr("count_if(is_new) as new"),
            F.expr("count_if(is_suspect or is_away) as suspect"),
            F.expr("max(last_batch_id) as last_batch_id"),
        )
        .where("is_new or is_suspect or is_away")
        .localCheckpoint()
    )
    return delta, counts.get


def _find_lacking(described: DataFrame, scopes: Mapping[str, Scope]) -> set[str]:
    """Returns the feeds that need a full listing: a known file is missing, or the location was gone."""
    lacking = described.where(F.col("feed").isin(list(scopes))).where("is_gone or is_away")
    return {row.feed for row in lacking.select("feed").distinct().collect()}


def _known_in_scope(listing: DataFrame, scopes: Mapping[str, Scope], in_full: Collection[str]) -> DataFrame:
    """The rows of the listing so far that may be compared with what was listed: a few row groups of them are read."""
    if not scopes or "time_in_path" not in listing.columns:
        return listing
    times = ranges(time for scope in scopes.values() for time in scope.times)
    # A row has no time if its path shows none, or if it is older than this column.
    asked = [F.col("time_in_path").isNull(), *(F.col("time_in_path").between(*days) for days in times)]
    if in_full:
        asked.append(F.col("feed").isin(list(in_full)))
    return listing.where(reduce(or_, asked))


def _in_scope(spark: SparkSession, files: DataFrame, scopes: Mapping[str, Scope]) -> DataFrame:
    """The rows of files, listed or known, that the scope of their feed does not leave out. Their path alone decides."""
    cuts = [(feed, root, cut) for feed, scope in scopes.items() for root, cut in scope.cuts.items()]
    if not cuts:
        return files
    first = F.broadcast(make_frame(spark, cuts, "feed string, root string, first_time string"))
    return (
        add_times(files)
        .join(first, ["feed", "root"], "left")
        .where("first_time is null or time_in_path >= first_time")
        .drop("root", "first_time")
    )


class _Listed(NamedTuple):
    """Listed files of a feed.

    Its location as the paths of its files begin; the scope, None: in full; the files; whether a listing in full has met
    names that are no text: a file that it knows may be there under such a name.
    """

    location: str
    scope: Scope | None
    files: DataFrame | None
    has_unnamed: bool


def _all_listed(
    spark: SparkSession,
    feeds: Sequence[Mapping[str, Any]],
    in_full: Collection[str],
    now: datetime,
    unlisted: dict[str, str],
) -> dict[str, _Listed]:
    """The files of each feed; none if the location, or the scope, has no file. Adds to `unlisted` what fails."""
    listed = {}
    for feed in feeds:
        name, location = feed["feed"], feed_location(feed["location"], landing_root())
        try:
            location = qualified(spark, location)
            scope = None
            if name not in in_full:
                scope = Scope(location, timedelta(hours=feed["listing_overlap_hours"]), now)
            has_unnamed = scope is None and _has_unnamed(spark, name, location)
            listed[name] = _Listed(location, scope, _listed(spark, feed, location, scope), has_unnamed)
        except Exception as error:
            if not is_spark_error(error):
                raise
            unlisted[name] = f"location {location}: {' '.join(root_cause(error).split())}"
    return listed


def _has_unnamed(spark: SparkSession, feed: str, location: str) -> bool:
    """Whether a location has files whose names are no text, with a warning."""
    counts = count_unnamed(spark, location)
    if counts:
        folder, count = next(iter(counts.items()))
        more = f", and in {len(counts) - 1} more folders" if len(counts) > 1 else ""
        logger.warning(
            f"Feed {feed}: received {count} names in {folder}{more} that are no text in {read_name_encoding()},"
            " expected UTF-8. These files and folders are not read, and no file of the feed counts as gone."
            " Rename them. If spark-submit starts Java, start it with LC_ALL=C.UTF-8."
        )
    return bool(counts)


def _listed(spark: SparkSession, feed: Mapping[str, Any], location: str, scope: Scope | None) -> DataFrame | None:
    """Path, size, modification time and key (the path under the feed's location) of every file of a feed."""
    stored = list_files(spark, location, scope)
    if stored is None:
        if scope is None:
            logger.warning(f"Feed {feed['feed']}: its location {location} does not exist (yet); nothing to list there.")
        return None
    files = stored.selectExpr(
        f"{sql_text(feed['feed'])} as feed",
        f"substring(path, {len(location) + 2}) as file_key",
        "path",
        "size",
        "modified_at",
        "true as is_listed",
    )
    if scope is not None:
        return files if scope.meet_files(files) else None
    return files


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    """All rows; what a frame lacks is null."""
    return reduce(partial(DataFrame.unionByName, allowMissingColumns=True), frames)


def _paths(seen: DataFrame, locations: Mapping[str, str], unnamed: Collection[str]) -> DataFrame:
    """One row per file, listed or known, with the facts that make it new or gone.

    Args:
        seen: rows of the listing so far (`is_listed` false) and of the files that are there (true).
        locations: location of each feed.
        unnamed: feeds of which no file is suspect.

    Returns:
        feed, file_key; `is_listed`, `path`, `size`, `modified_at`, `revision` of the file that is there; `latest`, the
        last row of the listing; `versions`, all of its rows but those of kind `vanished`; `same_kind`, the kind of the
        version that is there if the listing holds it and it has not gone since; greatest `truncated_in` and
        `last_batch_id`
        (batches); and flags: `is_new`; `is_suspect` (was to be read, and is not there as it was); `is_away` (the row of
        a location that listed nothing).
    """
    location = " ".join(
        [
            "case when feed is null then null",
            *(f"when feed = {sql_text(feed)} then {sql_text(at)}" for feed, at in locations.items()),
            "end",
        ]
    )
    by_path = seen.groupBy("feed", "file_key").agg(
        *map(
            F.expr,
            [
                "max(is_listed) as is_listed",
                "max(path) filter (where is_listed) as listed_path",
                "max(size) filter (where is_listed) as size",
                "max(modified_at) filter (where is_listed) as stored_at",
                "max_by("
                "struct(source_schema, source_table, path, size, modified_at, kind, file_time, batch_id, revision),"
                " struct(batch_id, modified_at)"
                ") filter (where not is_listed) as latest",
                "collect_list(struct(size, modified_at, kind, batch_id, coalesce(revision, 0) as revision))"
                " filter (where not is_listed and kind <> 'vanished') as versions",
                "max(batch_id) filter (where kind = 'vanished') as gone_in",
                "max(batch_id) filter (where kind = 'truncate') as truncated_in",
                "max(batch_id) as last_batch_id",
            ],
        )
    )
    # A file that comes back is new: versions from before it was gone do not count. One that was found in that very
    # batch does: it made the file one that is not to be read.
    same = (
        "filter(versions, v -> v.size = size and v.modified_at in"
        " (stored_at, timestampadd(MILLISECOND, v.revision, stored_at))) as same"
    )
    same_kind = "get(filter(same, v -> v.batch_id >= coalesce(gone_in, 0)), 0).kind as same_kind"
    # Of one size, they are most likely the same content again: that is no reason to compute silver from scratch.
    # The size of a version that was lost and restored may be unknown.
    others = "filter(versions, v -> not v.size <=> size)"
    others = f"array_size(array_distinct(transform({others}, v -> struct(v.size, v.modified_at))))"
    revision = f"coalesce(get(same, 0).revision, {others}) as revision"
    modified_at = (
        "case when size(same) > 0 then same[0].modified_at"
        " when exists(versions, v -> v.modified_at = stored_at) then timestampadd(MILLISECOND, revision, stored_at)"
        " else stored_at end"
    )
    can_go = f"feed not in ({', '.join(map(sql_text, unnamed))})" if unnamed else "true"
    return (
        by_path.selectExpr("*", "coalesce(listed_path, latest.path) as path", same, f"{location} as location")
        .selectExpr("*", same_kind, revision)
        .withColumn("modified_at", F.expr(modified_at))
        .drop("same", "stored_at")
        .selectExpr("*", "is_listed and same_kind is null as is_new")
        .selectExpr(
            "*",
            # A file under another location than the feed's is not gone: the feed moved.
            f"coalesce(latest.kind {READ} and latest.path = concat(location, '/', file_key), false)"
            f" and not coalesce(same_kind {READ}, false) and {can_go} as is_suspect",
            "coalesce(latest.kind = 'vanished' and file_key = '' and latest.path = location, false) as is_away",
        )
    )


def _described(paths: DataFrame, feeds: Sequence[Mapping[str, Any]]) -> DataFrame:
    """Adds the kind of each file: of a new one by its name, of others by the listing.

    Adds `source_schema`, `source_table`, `kind` (null: not there), `ignored_reason` and `file_time` (of new files),
    and `is_gone`: was to be read and is not there any more, or not to be read.
    """
    feeds_of: dict[FileRules, list[str]] = {}
    for feed in feeds:
        feeds_of.setdefault(CONNECTORS[feed["connector"]].file_rules(feed), []).append(sql_text(feed["feed"]))

    def by_name(attribute: str, *before: str) -> Column:
        cases = [
            f"when feed in ({', '.join(names)}) then {getattr(rules, attribute)}" for rules, names in feeds_of.items()
        ]
        return F.expr(" ".join(["case", *before, *cases, "end"]))

    return (
        paths.withColumn("ignored_reason", by_name("ignored_reason", "when not is_new then null"))
        .withColumns(
            {
                "source_schema": by_name("source_schema", "when not is_new then latest.source_schema"),
                "source_table": by_name("source_table", "when not is_new then latest.source_table"),
                "kind": by_name(
                    "kind", "when not is_new then same_kind", "when ignored_reason is not null then 'ignored'"
                ),
                "file_time": by_name("file_time", "when not is_new or ignored_reason is not null then null"),
            }
        )
        .withColumn("is_gone", F.expr(f"is_suspect and not coalesce(kind {READ}, false)"))
    )


def _tables(paths: DataFrame) -> list[Row]:
    """Per table, whether it has files and which are gone; a row without a table is for the rest of its feed."""
    return (
        paths.groupBy(*TABLE)
        .agg(
            F.expr(f"coalesce(bool_or(kind {READ}), false) as is_there"),
            F.expr("count_if(is_gone) as gone"),
            F.expr("min(path) filter (where is_gone) as example"),
            F.expr("bool_or(is_away) as is_away"),
            F.expr("max(latest.batch_id) filter (where latest.kind = 'vanished') as vanished_in"),
            F.expr("max(truncated_in) as truncated_in"),
            # Not the clock of this run: it may differ from the one that names the files.
            F.expr(
                "coalesce(max(latest.file_time), timestamp_seconds(0)) + interval '1' microsecond as next_file_time"
            ),
        )
        .orderBy(*TABLE)
        .collect()
    )


def _gone(
    spark: SparkSession,
    feeds: Sequence[Mapping[str, Any]],
    locations: Mapping[str, str],
    tables: Sequence[Row],
    delta: DataFrame,
    now: datetime,
) -> list[DataFrame]:
    """The files that are gone, as rows of the listing, with a warning unless the table ignores them.

    A file that is gone is `vanished`. A location that lists no file of any table any more is itself `vanished`, and its
    files are not: a disk that is not mounted must not look like empty tables. A table with the policy `truncate` all of
    whose files went at once is also a `truncate`, directly behind the newest of them.
    """
    policies = {
        (feed["feed"], *table): policy for feed in feeds for table, policy in feed.get("vanished_files", {}).items()
    }
    listing = {table.feed for table in tables if table.is_there}
    away = {table.feed for table in tables if table.is_away}
    others = []

    def add(
        feed: str, path: str, kind: str, *, key: str = "", reason: str | None = None, table: Row | None = None
    ) -> None:
        """A row for a location or a table's folder, which are no files."""
        of_table = (table.source_schema, table.source_table) if table else (None, None)
        time = table.next_file_time if table else None
        others.append((feed, *of_table, key, path, 0, now, kind, reason, time, None, None, 0, None))

    for feed in sorted({table.feed for table in tables if table.gone} - listing - away):
        logger.warning(f"Feed {feed}: {locations[feed]} lists no file any more. Nothing is truncated. Is it mounted?")
        add(feed, locations[feed], "vanished")
    for feed in sorted(away & listing):
        add(feed, locations[feed], "ignored", reason="the location lists files again")

    vanished = [table for table in tables if table.gone and table.feed in listing]
    for table in vanished:
        name = f"{table.source_schema}.{table.source_table}" if table.source_table else "many tables"
        policy = policies.get((table.feed, table.source_schema, table.source_table), "report")
        if policy != "ignore":
            logger.warning(f"Feed {table.feed}: {table.gone} files of {name} are gone, for example {table.example}.")
        # Files that go one by one were removed by somebody; DMS removes all files of a truncated table at once.
        is_tidied_up = (table.vanished_in or 0) > (table.truncated_in or 0)
        if policy == "truncate" and not table.is_there and not is_tidied_up:
            logger.warning(f"Feed {table.feed}: every file of {name} is gone; the table is truncated, as its row asks.")
            folder = f"{table.source_schema}/{table.source_table}"
            add(table.feed, f"{locations[table.feed]}/{folder}", "truncate", key=folder, table=table)

    frames = [make_frame(spark, others, LISTING_SCHEMA)] if others else []
    if vanished:
        same = ("source_schema", "source_table", "path", "size", "modified_at", "file_time", "revision")
        frames.append(
            delta.where("is_gone")
            .where(F.col("feed").isin(sorted(listing)))
            .selectExpr(
                "feed",
                "file_key",
                *(f"latest.{name}" for name in same),
                "'vanished' as kind",
                "null as ignored_reason",
            )
        )
    return frames
