"""JSON has the same texts on each release of Spark: the expected ones are written out, and this file runs on each."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F

from python_udfs.connectors import json_values
from spark_files.capabilities import HAS_VARIANT

pytestmark = pytest.mark.spark
# Variant has a kind for null, and one for a whole number that is no bigint.
NULL, LARGE = ("VOID", "DECIMAL") if HAS_VARIANT else (None, "BIGINT")


@pytest.fixture
def read(spark):
    def read(text: str) -> dict[str, tuple[str | None, str | None]] | None:
        """Kind, without what is in brackets, and text of each value of the object that a text is."""
        frame = spark.createDataFrame([(text,)], "t string").select(json_values.parse(F.col("t")).alias("json"))
        frame = frame.select(json_values.only_object(F.col("json")).alias("object"))
        described = F.transform(
            F.map_entries("object"),
            lambda entry: F.struct(
                entry["key"].alias("key"),
                F.regexp_replace(json_values.kind_of(entry["value"]), r"[(<].*", "").alias("kind"),
                json_values.text_of(entry["value"]).alias("text"),
            ),
        )
        row = frame.select(described.alias("values")).collect()[0]
        return None if row["values"] is None else {entry.key: (entry.kind, entry.text) for entry in row["values"]}

    return read


@pytest.mark.parametrize(
    ("written", "kind", "text"),
    [
        ("null", NULL, None),
        ("true", "BOOLEAN", "true"),
        ('"true"', "STRING", "true"),
        ("12", "BIGINT", "12"),
        ('"12"', "STRING", "12"),
        ("12345678901234567890123456789012345678", LARGE, "12345678901234567890123456789012345678"),
        ("123456789012345678901234567890123456789", "DOUBLE", "1.2345678901234568E38"),
        ("1.10", "DECIMAL", "1.1"),
        ("-5.00", "DECIMAL", "-5"),
        ("100.50", "DECIMAL", "100.5"),
        ("0.0", "DECIMAL", "0"),
        ('"1.10"', "STRING", "1.10"),
        ("1e3", "DOUBLE", "1000.0"),
        ("1.50E-400", "DOUBLE", "0.0"),
        ("1e999", "DOUBLE", "Infinity"),
        ('"a\\"b\\\\ \\u00e9 : \\n"', "STRING", 'a"b\\ é : \n'),
        ('{"a": [1.50, 2.0, "x\\"y", null], "z": 1}', "OBJECT", '{"a":[1.5,2,"x\\"y",null],"z":1}'),
        ('"{\\"z\\": 1.50}"', "STRING", '{"z": 1.50}'),
        ("[ ]", "ARRAY", "[]"),
    ],
)
def test_a_value_has_one_text_and_one_kind(read, written, kind, text):
    read_values = read(f'{{"before": 1, "v": {written} , "b": "x"}}')
    assert read_values == {"before": ("BIGINT", "1"), "v": (kind, text), "b": ("STRING", "x")}


NO_JSON = ("", "no", '{"a":1} x', '{"a":01}', '{"a":1.}', '{"a":1.2.3}', '{"a":-}', '{"a":1e}', "{'a':1}", '{"a":NaN}')


@pytest.mark.parametrize("text", [*NO_JSON, '{"a":"b\\'])
def test_a_text_that_is_no_json_has_no_object(read, text):
    assert read(text) is None


def test_what_is_not_one_object_is_none(read):
    for other in ('{"a":1},{"b":2}', "5", '"s"', "[1]", '{"a":1,"a":2}'):
        assert read(other) is None, other


def test_a_long_text_takes_no_stack(read):
    assert read('{"v": "' + "x" * 1_000_000 + '"}') == {"v": ("STRING", "x" * 1_000_000)}
