"""The order of Debezium's messages: position at the source, or offset in the topic (docs/feeds/order.md)."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from python_udfs.connectors import message_reading as M
from python_udfs.connectors.file_names import SINK_FILE
from spark_files import cache_columns
from spark_files.capabilities import try_cast

_ZERO = "0" * 20


def add_positions(messages: DataFrame, binlog_names: tuple[str, ...], by_offset: bool = False) -> DataFrame:
    """Adds position, and misplaced: why the source's own position cannot be understood (docs/feeds/order.md).

    Args:
        messages: the columns of debezium.py's messages.
        binlog_names: the option of the feed: base names of the binary log in their order.
        by_offset: whether no message has a position of the source.
    """
    if binlog_names or by_offset:
        messages = messages.withColumn("binlogs", F.array(*map(F.lit, binlog_names)).cast("array<string>"))
    else:
        source, log_name = F.col("source"), _log_name()
        # By first appearance in these lines; the text is searched first, so that other sources are not parsed twice.
        positions = messages.where(F.col("content").contains('file"')).where(log_name.isNotNull())
        named = positions.groupBy(log_name.alias("name")).agg(F.min(try_cast(source["ts_ms"], "bigint")).alias("at"))
        ordered = F.transform(F.array_sort(F.collect_list(F.struct("at", "name"))), lambda log: log["name"])
        messages = messages.crossJoin(F.broadcast(named.agg(ordered.alias("binlogs"))))
    return M.in_steps(messages, _position_columns(binlog_names))


def _log_name() -> Column:
    return F.nullif(F.regexp_extract(F.col("source")["file"], r"^(.+)\.\d{1,16}$", 1), F.lit(""))


@cache_columns
def _position_columns(binlog_names: tuple[str, ...]) -> list[dict[str, Column]]:
    source = F.col("source")
    log_number = F.call_function("array_position", F.col("binlogs"), _log_name())
    last_commit = F.nullif(F.get_json_object(source["sequence"], "$[0]"), F.lit("null"))
    # A connector that has just started knows no commit. Row locks make a change of a key follow the commits of its
    # earlier changes, so its own LSN is greater than theirs.
    own_commit = F.coalesce(last_commit, F.when(source["sequence"].isNotNull(), source["lsn"]))
    numbers = {name: source[name] for name in ("pos", "row", "lsn", "scn", "commit_scn", "ssn")}
    wrong = [
        M.unlike(f"source {name}", number, r"^\d{1,20}$", "a whole number")
        for name, number in {**numbers, "sequence": last_commit}.items()
    ]
    wrong.append(
        F.when(
            source["file"].isNotNull() & (F.coalesce(log_number, F.lit(0)) == 0),
            F.concat(
                F.lit("source file: "),
                M.received(source["file"], f"{' or '.join(binlog_names) or 'a name'}, a point and a number"),
                F.lit("; a new name is added at the end of the option binlog_names" if binlog_names else ""),
            ),
        )
    )
    epoch = F.lpad((log_number - 1).cast("string"), 4, "0")
    binlog = F.concat(epoch, F.lpad(F.regexp_extract(source["file"], r"\.(\d+)$", 1), 16, "0"))
    own = (
        F.when(source["file"].isNotNull(), F.concat(binlog, _number(source["pos"]), _number(source["row"])))
        .when(
            source["scn"].isNotNull() | source["commit_scn"].isNotNull(),
            F.concat(_number(source["commit_scn"]), _number(source["scn"]), _number(source["ssn"])),
        )
        .when(source["lsn"].isNotNull(), F.concat(_number(own_commit), _number(source["lsn"]), F.lit(_ZERO)))
        # A row of an incremental snapshot has no LSN of its own. The events of the transaction that comes next name the
        # same commit (read.only), and are newer.
        .when(last_commit.isNotNull(), F.concat(_number(last_commit), F.lit(_ZERO * 2)))
    )
    is_of_sink = F.col("file_key").rlike(SINK_FILE)
    folder = F.regexp_replace("file_key", r"[^/]*$", "")
    topic_partition = F.concat_ws("+", *(F.regexp_extract("file_key", SINK_FILE, part) for part in (1, 2)))
    offset = F.when(is_of_sink, M.first_offset() + F.col("file_row"))
    by_arrival = Window.partitionBy(F.when(is_of_sink, topic_partition).otherwise(folder)).orderBy(
        offset.asc_nulls_first(), "file_key", "file_row"
    )
    earlier = by_arrival.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    is_incremental = F.coalesce((F.col("op") == "r") & (source["snapshot"] == "incremental"), F.lit(False))
    of_sink = F.concat(
        _number(F.regexp_extract("file_key", SINK_FILE, 2)), _number(offset.cast("string")), F.lit(_ZERO)
    )
    is_placed = F.col("is_incremental") & (F.col("own").isNotNull() | F.col("has_positions"))
    return [
        {"misplaced": F.concat_ws("; ", *wrong), "is_incremental": is_incremental, "own": own},
        {"reached": F.max(F.when(~F.col("is_incremental"), F.col("own"))).over(earlier)},
        {
            "position": F.concat(
                F.coalesce(
                    "own",
                    F.when(is_placed, F.coalesce("reached", F.lit(_ZERO * 3))),
                    F.when(is_of_sink, of_sink),
                    F.lit(_ZERO * 3),
                ),
                F.when(is_placed, "1").when(F.col("own").isNull() & is_of_sink, "2").otherwise("0"),
            )
        },
    ]


def _number(text: Column) -> Column:
    return M.digits(text, 20)
