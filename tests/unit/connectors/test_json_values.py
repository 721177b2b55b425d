"""JSON has the same texts on each release of Spark: the expected ones are written out, and this file runs on each."""

from __future__ import annotations

import json
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from pyspark.sql import functions as F

from python_udfs.connectors import json_values
from spark_files.capabilities import HAS_VARIANT
from spark_files.frames import make_frame

pytestmark = pytest.mark.spark
# Variant has a kind for null, and one for a whole number that is no bigint.
NULL, LARGE = ("VOID", "DECIMAL") if HAS_VARIANT else (None, "BIGINT")
# Of one to four bytes, in another order than in UTF-16, and some that JSON writes with a backslash.
LETTERS = 'aZ9{}[]:,"\\/ \n\té€\uffee😀'
NESTED = '{"a":0,"b":{"B":"é","ä":[{},[],{"a":1000.0,"z":"}"}]}}'


@pytest.fixture
def read(spark):
    def read(text: str) -> dict[str, tuple[str | None, str | None]] | None:
        """Kind, without what is in brackets, and text of each value of the object that a text is."""
        frame = make_frame(spark, [(text,)], "t string").select(json_values.parse(F.col("t")).alias("json"))
        frame = frame.select(json_values.read_only_object(F.col("json")).alias("object"))
        frame = json_values.sort_keys(frame, "object")
        described = F.transform(
            F.map_entries("object"),
            lambda entry: F.struct(
                entry["key"].alias("key"),
                F.regexp_replace(json_values.read_kind(entry["value"]), r"[(<].*", "").alias("kind"),
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
        ("-0", "BIGINT", "0"),
        ("-0.0", "DECIMAL", "0"),
        ('"1.10"', "STRING", "1.10"),
        ("1e3", "DOUBLE", "1000.0"),
        ("1.50E-400", "DOUBLE", "0.0"),
        ("1e999", "DOUBLE", "Infinity"),
        ('"a\\"b\\\\ \\u00e9 : \\n"', "STRING", 'a"b\\ é : \n'),
        ('{"a": [1.50, 2.0, "x\\"y", null], "z": 1}', "OBJECT", '{"a":[1.5,2,"x\\"y",null],"z":1}'),
        ('{"b": {"ä": [{}, [ ], {"z": "}", "a": 1e3}], "B": "\\u00e9"}, "a": -0.0}', "OBJECT", NESTED),
        ('[{"\\uffee": 1e999, "\\ud83d\\ude00": "\\t/"}]', "ARRAY", '[{"😀":"\\t/","\uffee":"Infinity"}]'),
        ('"{\\"z\\": 1.50}"', "STRING", '{"z": 1.50}'),
        ("[ ]", "ARRAY", "[]"),
    ],
)
def test_a_value_has_one_text_and_one_kind(read, written, kind, text):
    read_values = read(f'{{"before": 1, "v": {written} , "b": "x"}}')
    assert read_values == {"before": ("BIGINT", "1"), "v": (kind, text), "b": ("STRING", "x")}


def draw(random: Random, depth: int) -> Any:
    """A value of JSON."""
    if depth == 0 or random.random() < 0.3:
        number = Decimal(random.randint(-(10**6), 10**6)).scaleb(-random.randint(0, 6))
        return random.choice((None, True, random.randint(-9, 10**20), number, "".join(random.choices(LETTERS, k=5))))
    if random.random() < 0.5:
        return [draw(random, depth - 1) for _ in range(random.randint(0, 3))]
    keys = ("".join(random.choices(LETTERS, k=random.randint(0, 3))) for _ in range(random.randint(0, 4)))
    return {key: draw(random, depth - 1) for key in keys}


def write(value: Any, *, is_expected: bool) -> str:
    """JSON of a value; as expected, keys are sorted and numbers have no zero too many."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be")) if is_expected else value
        members = (f"{write(key, is_expected=True)}:{write(value[key], is_expected=is_expected)}" for key in keys)
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(write(item, is_expected=is_expected) for item in value)}]"
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text) if is_expected else text
    return json.dumps(value, ensure_ascii=False)


def test_random_values_have_the_text_that_python_writes(spark):
    random = Random(1)
    values = [[draw(random, 5)] for _ in range(300)]
    rows = [(f'{{"v": {write(value, is_expected=False)}}}', write(value, is_expected=True)) for value in values]
    frame = make_frame(spark, rows, "written string, expected string").coalesce(1)
    frame = frame.withColumn("object", json_values.read_only_object(json_values.parse(F.col("written"))))
    frame = json_values.sort_keys(frame, "object")
    text = json_values.text_of(F.element_at("object", F.lit("v")))
    assert frame.where(~text.eqNullSafe(F.col("expected"))).select("expected", text).collect() == []
    assert max(len(text) for _, text in rows) > 100


NO_JSON = ("", "no", '{"a":1} x', '{"a":01}', '{"a":1.}', '{"a":1.2.3}', '{"a":-}', '{"a":1e}', "{'a':1}", '{"a":NaN}')


@pytest.mark.parametrize("text", [*NO_JSON, '{"a":"b\\'])
def test_a_text_that_is_no_json_has_no_object(read, text):
    assert read(text) is None


def test_what_is_not_one_object_is_none(read):
    for other in ('{"a":1},{"b":2}', "5", '"s"', "[1]", '{"a":1,"a":2}'):
        assert read(other) is None, other


def test_a_long_text_takes_no_stack(read):
    assert read('{"v": "' + "x" * 1_000_000 + '"}') == {"v": ("STRING", "x" * 1_000_000)}


@pytest.mark.skipif(HAS_VARIANT, reason="only marked texts are kept from being copied")
def test_a_filter_parses_no_message_again(spark):
    # The optimizer computes rows of the driver itself, and no expression is left to count.
    frame = spark.range(1).select(json_values.parse(F.format_string('{"v": "%d"}', F.col("id"))).alias("json"))
    objects = frame.select(json_values.read_only_object(F.col("json")).alias("object"))
    texts = objects.select(json_values.text_of(F.element_at("object", F.lit("v"))).alias("v"))
    wanted = texts.where("v = '0' or v like '%z'")
    assert wanted.count() == 1
    assert wanted._jdf.queryExecution().optimizedPlan().toString().count("from_json") == 1
