"""Broken messages stop nothing and none is lost: each comes out as a row, set aside, or malformed with its reason.

`N=10000` reads that many of each connector (the most that it reads), `SEED=7` others.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import test_canal
import test_debezium
import test_dms_kafka
import test_maxwell
from harness import Dbt
from message_cases import AT
from mutations import mutated
from pyspark.sql import functions as F

from python_udfs.connectors import canal, debezium, dms_kafka, maxwell
from python_udfs.pipeline.bronze import BatchRows
from spark_files.frames import make_frame

MESSAGES = min(int(os.environ.get("N", "200")), 10_000)
SEED = os.environ.get("SEED", "1")
SAMPLES = Path(__file__).parents[2] / "real" / "samples"
LINES = (
    "path string, file_key string, file_time timestamp, modified_at timestamp, batch_id bigint, file_row bigint, "
    "value binary"
)
DEBEZIUM = {
    **{"decimals": "base64", "binary": "base64", "unavailable_value": test_debezium.SENTINEL, "binlog_names": ""},
    **{"columns": test_debezium.COLUMNS, "encodings": test_debezium.ENCODINGS, "absent_columns": "null"},
}


def sampled(form):
    lines = [line for file in sorted(SAMPLES.glob(f"*/{form}/*.json")) for line in file.read_text().splitlines()]
    of_cases = [
        json.dumps(message)
        for options, files in test_debezium.CASES
        if (options.get("form") == "flattened") == (form == "flattened") and form != "schema"
        for _, messages in files
        for message in messages
        if isinstance(message, dict)
    ]
    return lines + of_cases


def given(messages):
    return [text for _, _, _, text in messages.cases if len(text) < 10_000]


SOURCES = {
    "envelope": (debezium, {**DEBEZIUM, "form": "envelope"}, lambda: sampled("envelope")),
    "schema": (debezium, {**DEBEZIUM, "form": "envelope"}, lambda: sampled("schema")),
    "flattened": (debezium, {**DEBEZIUM, "form": "flattened"}, lambda: sampled("flattened")),
    "dms_kafka": (
        dms_kafka,
        test_dms_kafka.DMS.options | {"before_image_prefix": "BI_"},
        lambda: given(test_dms_kafka.DMS),
    ),
    "maxwell": (maxwell, test_maxwell.MAXWELL.options, lambda: given(test_maxwell.MAXWELL)),
    "canal": (canal, test_canal.CANAL.options | {"time_zone": "Asia/Shanghai"}, lambda: given(test_canal.CANAL)),
}


def read(spark, connector, messages, folder):
    """The rows of the messages, a file each, written as a run writes them."""
    module, feed, _ = SOURCES[connector]
    lines = [
        (f"file:/{number}", f"topics/t+0+{number:010}.json" if number % 2 else "changes.json", AT, AT, 7, row, line)
        for number, message in enumerate(messages)
        for row, line in enumerate(message.split(b"\n"))
    ]
    # Text files are read without a look at their bytes.
    frame = make_frame(spark, lines, LINES).withColumn("value", F.col("value").cast("string"))
    module.read_rows(frame, feed).write.mode("overwrite").parquet(folder)
    return spark.read.parquet(folder)


def has_half_a_pair(message):
    """Whether a message is JSON with a text that UTF-8 cannot hold."""
    try:
        json.dumps(json.loads(message.decode()), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def bronze_of(spark, connector, messages, columns):
    """How many rows bronze makes of what was read, as if all of it were of one table with all columns of the feed."""
    messages.where("set_aside is null").withColumns(
        {"source_schema": F.lit("s"), "source_table": F.lit("t")}
    ).createOrReplaceTempView("split_f")
    types = {name: type_ or "string" for table in columns.values() for name, type_ in table.items()}
    names = spark.sql("select distinct explode(map_keys(image)) as name from split_f order by length(name) limit 50")
    cdc = {
        **{
            "connector": connector,
            "format": "json",
            "primary_key": ["id"],
            "source_schema": "s",
            "source_table": "t",
            "split": "split_f",
        },
        "columns": [{"name": name, "type": type_, "optional": False} for name, type_ in types.items()],
        "options": {"operation_column": "always", "absent_columns": "keep"},
    }
    dbt = Dbt()
    view = f"({dbt.cdc_messages_sql('split_f', cdc, 6, 7)})"
    raw = BatchRows(view=view, columns=[{"name": row.name, "type": "string"} for row in names.collect()])
    plan = dbt.plan_first_batch(cdc, raw)
    bronze = spark.sql(dbt.cdc_bronze_sql(cdc, "select *, 1 as generation from split_f", raw, plan)).persist()
    bronze.write.format("noop").mode("overwrite").save()
    assert bronze.where("_cdc_sequence is null or _cdc_operation is null and _cdc_quarantine_rule is null").count() == 0
    return bronze.count()


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ('{"a":', "}")])
@pytest.mark.parametrize("connector", SOURCES)
def test_a_deep_message_ends_no_executor(spark, connector, begin, end, tmp_path):
    """Spark's variant describes a value by recursion; with so many levels the JVM ended."""
    seed = next(
        text for text in SOURCES[connector][2]() if re.search(r'"(?:after|data)": ?\[?{"', text) or "op" in text
    )
    place = re.compile(r'(^|"(?:after|data)": ?\[?){')
    values = [f'"deep":{begin * depth}1{end * depth},' for depth in (1, 150, 199, 250, 700, 900, 990, 2_000)]
    messages = [place.sub(rf"\g<0>{value}", seed) for value in values]
    rows = read(spark, connector, [message.encode() for message in messages], str(tmp_path / "rows")).collect()
    assert {row["path"] for row in rows} == {f"file:/{number}" for number in range(len(messages))}
    if connector in ("envelope", "schema", "flattened"):
        deep = [row["malformed"] for row in rows if row["path"] >= "file:/3"]
        assert deep and set(deep) == {"received objects and lists inside of each other, expected 200 levels at most"}
        assert not any("levels" in (row["malformed"] or "") for row in rows if row["path"] < "file:/2")


@pytest.mark.parametrize("connector", SOURCES)
def test_a_broken_message_stops_nothing_and_is_not_lost(spark, connector, tmp_path):
    messages = list(mutated(SOURCES[connector][2](), MESSAGES, f"{SEED} {connector}"))
    rows = read(spark, connector, messages, str(tmp_path / "rows"))
    line = F.floor(F.col("file_row") / canal.ROWS_PER_LINE) if connector == "canal" else F.col("file_row")
    contents = F.transform(F.array_sort(F.collect_set(F.struct(line, "content"))), lambda entry: entry["content"])
    whole = rows.groupBy("path").agg(F.array_join(contents, "\n").cast("binary").alias("read"))
    sent = make_frame(
        spark, [(f"file:/{number}", message) for number, message in enumerate(messages)], "path string, sent binary"
    )
    lost = sent.join(whole, on="path", how="left").where(~F.col("sent").eqNullSafe(F.col("read")))
    assert [(row.path, row.sent, row.read) for row in lost.limit(5).collect()] == []
    is_row = F.greatest(
        *(F.col(name).isNull() for name in ("source_schema", "source_table", "operation", "kind", "position"))
    )
    halves = [f"file:/{number}" for number, message in enumerate(messages) if has_half_a_pair(message)]
    # A delete needs its key only: other texts are left out of its image.
    is_replaced = F.exists(F.map_values("image"), lambda value: value.contains("?"))
    is_whole_delete = (F.col("operation") == "D") & ~F.coalesce(is_replaced, F.lit(False))
    is_good = F.col("set_aside").isNull() & F.col("malformed").isNull() & ~F.coalesce(is_whole_delete, F.lit(False))
    assert halves and rows.where(is_good & F.col("path").isin(halves)).select("content").limit(5).collect() == []
    nothing = rows.where(F.col("set_aside").isNull() & F.col("malformed").isNull() & is_row)
    assert nothing.limit(5).collect() == []
    assert rows.where(F.length("malformed") == 0).count() == 0
    assert rows.where("set_aside is null").select(F.length("position")).distinct().count() == 1
    assert (
        bronze_of(spark, SOURCES[connector][0].__name__.rpartition(".")[2], rows, SOURCES[connector][1]["columns"])
        == rows.where("set_aside is null").count()
    )
