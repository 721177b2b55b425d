"""Transaction files, taken apart."""

from __future__ import annotations

import random
from datetime import datetime, timezone

import pytest
from csv_by_hand import LINE_EFFECTS, records_by_hand

from python_udfs.connectors.dms import read_rows
from spark_files.frames import make_frame

AT = datetime(2024, 1, 31, 23, 0, tzinfo=timezone.utc)
LINES_SCHEMA = (
    "path string, file_key string, file_time timestamp, modified_at timestamp, batch_id bigint, file_row bigint, "
    "value string"
)


@pytest.fixture
def split(spark):
    def split(*texts, delimiter=","):
        lines = [
            (f"file{number}", f"key{number}", AT, AT, 7, row, line)
            for number, text in enumerate(texts)
            for row, line in enumerate(text.split("\n"))
        ]
        lines_of_tables = read_rows(make_frame(spark, lines, LINES_SCHEMA), {"delimiter": delimiter})
        return sorted(
            (row.path, row.file_row, row.source_schema, row.source_table, row.content)
            for row in lines_of_tables.collect()
        )

    return split


def test_records_go_to_their_tables_whatever_their_width(split):
    assert split("I,orders,shop,1,2.50\nU,customer,crm,7,Ann,x\nD,orders,shop,1,2.50") == [
        ("file0", 0, "shop", "orders", "I,orders,shop,1,2.50"),
        ("file0", 1, "crm", "customer", "U,customer,crm,7,Ann,x"),
        ("file0", 2, "shop", "orders", "D,orders,shop,1,2.50"),
    ]


def test_a_record_ends_where_its_quotes_are_balanced(split):
    first = 'I,t,s,"a,""b""\nc\n",x'
    assert split(f"{first}\nI,t,s,2", "I,u,s,3") == [
        ("file0", 0, "s", "t", first),
        ("file0", 3, "s", "t", "I,t,s,2"),
        ("file1", 0, "s", "u", "I,u,s,3"),
    ]


def test_a_stray_quote_takes_no_record_of_another_table(split):
    lines = ['U,t,s,5" pipe', 'D,u,s,6" pipe', "I,t,s,7", 'I,t,s,"a', 'D,u,s,1"']
    assert split("\n".join(lines)) == [
        ("file0", 0, "s", "t", lines[0]),
        ("file0", 1, "s", "u", lines[1]),
        ("file0", 2, "s", "t", lines[2]),
        # A quote at the beginning of a field opens a value, and all of this is one.
        ("file0", 3, "s", "t", f"{lines[3]}\n{lines[4]}"),
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", "|"])
def test_records_end_where_a_reader_of_characters_ends_them(split, delimiter):
    chance = random.Random(4180)
    text = "\n".join(chance.choice((*LINE_EFFECTS, "")) for _ in range(400)).replace(",", delimiter)
    assert [record[-1] for record in split(text, delimiter=delimiter)] == records_by_hand(text, delimiter)


def test_a_long_quoted_name_takes_no_stack(split):
    long = '"' + '""x' * 200_000 + '"'
    assert [row[2:4] for row in split(f"I,{long},s,1")] == [("s", '"x' * 200_000)]


def test_names_may_be_quoted(split):
    assert split('I,"my ""t"", old",s,1\nI,"t\nu","s",1')[0][2:4] == ("s", 'my "t", old')
    assert split('I,"t\nu","s",1')[0][2:4] == ("s", "t\nu")


@pytest.mark.parametrize("record", ["", "I,t", "I,,s,1", "I,t,,1", 'I,"t"x,s,1'])
def test_a_record_without_the_names_belongs_to_no_table(split, record):
    [(_, _, schema, table, content)] = split(record)
    assert (schema is None or table is None, content) == (True, record)


@pytest.mark.parametrize("delimiter", ["|", "\t", "^", "\x01", "]"])
def test_any_delimiter(split, delimiter):
    record = delimiter.join(("I", "t", "s", "1"))
    assert split(record, delimiter=delimiter) == [("file0", 0, "s", "t", record)]


def test_a_record_may_have_no_values(split):
    assert split("I,t,s") == [("file0", 0, "s", "t", "I,t,s")]
