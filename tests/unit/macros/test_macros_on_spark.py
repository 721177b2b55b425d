"""What Spark makes of the SQL: records, the order of rows, cast_failures (docs/feeds/dms_format.md)."""

from __future__ import annotations

import json
import random
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from csv_by_hand import LINE_EFFECTS, records_by_hand
from harness import Dbt
from spark_process import VIEW, spark_process
from table_configs import make_config

from python_udfs.connectors.topic_offsets import offset_sql, partition_sql, share_partition
from python_udfs.pipeline.bronze import BatchRows
from python_udfs.pipeline.casts import plan_checks, write_value
from python_udfs.pipeline.columns import Column, ExistingColumn
from python_udfs.pipeline.csv_layout import lay_out_csv
from python_udfs.pipeline.reading import Target
from python_udfs.pipeline.reloads import write_hashed_values
from python_udfs.pipeline.replay import ask_columns
from python_udfs.pipeline.sequence import cut_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Query = Callable[..., list[dict[str, Any]]]

pytestmark = pytest.mark.spark

COLUMNS = [("id", "int"), ("value", "string"), ("last", "string")]


class Held(str):
    """A query in brackets that stands for the bronze table."""

    identifier = "s__t"


@pytest.fixture(scope="module")
def query() -> Iterator[Query]:
    with spark_process() as run:
        yield run


@pytest.fixture
def bronze(query: Query, tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """Rows that bronze gets from one CSV file, in their order."""

    def rows(
        content: str | bytes,
        *,
        kind: str = "change",
        columns: list[tuple[str, str]] = COLUMNS,
        optional: int = 0,
        short: bool = False,
        held: str | None = None,
        **options: Any,
    ) -> list[dict[str, Any]]:
        path = tmp_path / "file.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        described = [
            {"name": name, "type": type, "optional": position >= len(columns) - optional}
            for position, (name, type) in enumerate(columns)
        ]
        defaults = {"operation_column": "auto", "delimiter": ",", "header": False, "null_values": ["NULL", ""]}
        cdc = {"format": "csv", "primary_key": ["id"], "columns": described, "options": {**defaults, **options}}
        files_sql = f"""
            select 'file:{path}' as path, '{kind}' as kind, 'file.csv' as file_key, 1 as generation, 7L as batch_id,
                timestamp '2024-01-02 03:04:05' as file_time, timestamp '2024-01-02 03:05:00' as modified_at,
                true as is_newest
        """
        dbt, header = Dbt(), []
        if cdc["options"]["header"]:
            header = query(dbt.cdc_csv_header_sql(VIEW, cdc["options"]["delimiter"]), (f"file:{path}",))
        raw = BatchRows(
            view=VIEW,
            columns=[{"name": row["name"], "type": "string"} for row in header],
            has_line_breaks=b'"' in path.read_bytes(),
            has_short_records=short,
            bronze=held and Held(held),  # type: ignore[arg-type]
        )
        plan = dbt.plan_first_batch(cdc, raw)
        sql = dbt.cdc_bronze_sql(cdc, files_sql, raw, plan)
        return sorted(query(sql, (f"file:{path}",)), key=lambda row: row["_cdc_sequence"])

    return rows


def values(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    names = names or tuple(name for name, _ in COLUMNS)
    return [tuple(row[name] for name in names) for row in rows]


def failures_sql(column: Column) -> str:
    """The sentences about the values of a column that its type does not hold."""
    dbt = Dbt()
    return dbt.cdc_cast_failures_sql(plan_checks([column], dbt.context["adapter"]))


def reasons(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return values(rows, "_cdc_quarantine_rule", "_cdc_quarantine_reason")


# How a value is written (D: the delimiter), and what it is.
WRITTEN = [
    ("plain", "plain"),
    (" blanks ", " blanks "),
    ('" "', " "),
    ('"quoted"', "quoted"),
    ('"aDb"', "aDb"),
    ('"D"', "D"),
    ('"a""b"', 'a"b'),
    ('"""start"', '"start'),
    ('"end"""', 'end"'),
    ('"""both"""', '"both"'),
    ('"""D"""', '"D"'),
    ('"D""D"', 'D"D'),
    ('""""', '"'),
    ('""""""', '""'),
    ('"aD""b""\nc"', 'aD"b"\nc'),
    ('"\n"', "\n"),
    ('"\n\n"', "\n\n"),
    ('"one\ntwo\n\nfour"', "one\ntwo\n\nfour"),
    ('""', ""),
    ("", None),
    ("NULL", None),
    ('"NULL"', "NULL"),
    ("null", "null"),
    ("NULLS", "NULLS"),
    (r"\N", r"\N"),
    (r"a\b", r"a\b"),
    (r'"a\"', "a\\"),
    ("it's %_", "it's %_"),
    ("größe 🙂", "größe 🙂"),
    ('"größeD🙂"', "größeD🙂"),
    ("\x01\x02\x03", "\x01\x02\x03"),
    ('"\x02D\x02\x02"', "\x02D\x02\x02"),
    ("tab\tbed", "tab\tbed"),
]


LONG = [
    ('"' + '""' * 20_000 + '"', '"' * 20_000),
    ('"' + '""D\n' * 20_000 + '"', '"D\n' * 20_000),
    ('"' + "\x02" * 20_000 + '"', "\x02" * 20_000),
    ("x" * 100_000, "x" * 100_000),
]


# The last three are those that the pattern for fields needs for itself, or nearly.
@pytest.mark.parametrize("delimiter", [",", "|", "^", ".", "]", "\\", "\t", "é", "\x02", "\x03", "\x05"])
def test_csv__values(bronze, delimiter):
    # A value that holds the delimiter would be quoted.
    cases = [(text, value) for text, value in WRITTEN + LONG * (delimiter == ",") if delimiter not in text]
    written = [text.replace("D", delimiter) for text, _ in cases]
    lines = [delimiter.join(["I", str(number), text, "last"]) + "\n" for number, text in enumerate(written)]
    rows = bronze("".join(lines), delimiter=delimiter)
    expected = [None if value is None else value.replace("D", delimiter) for _, value in cases]
    assert values(rows) == [(number, value, "last") for number, value in enumerate(expected)]
    assert {row["_cdc_quarantine_rule"] for row in rows} == {None}


def test_csv__rows_are_counted_in_lines(bronze):
    rows = bronze('I,1,"a\nb\n",x\nU,1,c,x\n')
    assert values(rows, "_cdc_operation", "_cdc_file_row") == [("I", 0), ("U", 3)]


def test_csv__last_line_needs_no_end(bronze):
    assert values(bronze("I,1,a,x\nI,2,b,y")) == [(1, "a", "x"), (2, "b", "y")]


def test_csv__byte_order_mark_is_no_value(bronze):
    assert values(bronze("\ufeffI,1,a,x\n".encode()), "_cdc_operation", "id") == [("I", 1)]


def test_csv__null_words_of_the_feed(bronze):
    rows = bronze('I,1,NULL,it\'s\nI,2,\\N,""\n', null_values=["\\N", "it's"])
    assert values(rows) == [(1, "NULL", None), (2, None, "")]


CARRIED = ("_cdc_operation", "id", "value", "last", "_cdc_unavailable_columns")


def test_csv__a_value_that_is_not_carried_is_distinguished_from_null(bronze):
    rows = bronze('U,1,~,NULL\nU,2,"~",~\nD,3,~,~\n', unavailable_value="~")
    assert values(rows, *CARRIED) == [
        ("U", 1, None, None, ["value"]),
        ("U", 2, "~", None, ["last"]),
        ("D", 3, None, None, ["value", "last"]),
    ]


def test_csv__columns_that_a_record_lacks_keep_their_value_if_the_feed_keeps_them(bronze):
    rows = bronze("U,1,a\nU,2,b,\n", optional=1, absent_columns="keep")
    assert values(rows, *CARRIED) == [("U", 1, "a", None, ["last"]), ("U", 2, "b", None, None)]
    rows = bronze("Op,id,Value\nU,1,a\n", header=True, absent_columns="keep", unavailable_value="~")
    assert values(rows, *CARRIED) == [("U", 1, "a", None, ["last"])]


KEYS = [("id", "int"), ("value", "string"), ("BI_id", "int")]
CHANGED = (*CARRIED[:2], "_cdc_old_key", "_cdc_quarantine_reason")


@pytest.mark.parametrize("header", [True, False])
def test_csv__before_images_tell_the_old_key(bronze, header):
    lines = ["U,2,a,1", "U,3,a,03", "U,4,a,", "I,5,a,1", "U,6,a,x", "U,7,a"][: 5 if header else 6]
    rows = bronze(
        "\n".join(["Op,id,value,BI_id"] * header + lines),
        columns=KEYS[:2] if header else KEYS,
        optional=0 if header else 1,
        header=header,
        before_image_prefix="BI_",
    )
    assert "BI_id" not in rows[0]
    assert values(rows, *CHANGED)[:5] == [
        ("U", 2, {"id": "1"}, None),
        ("U", 3, None, None),
        ("U", 4, None, None),
        ("I", 5, None, None),
        ("U", 6, None, "BI_id is 'x', expected int"),
    ]
    assert header or values(rows, *CHANGED)[5] == ("U", 7, None, None)


def test_csv__an_old_key_of_bytes_is_base64(bronze):
    columns = [("id", "binary"), ("BI_id", "binary")]
    [row] = bronze("U,new,old\n", columns=columns, before_image_prefix="BI_")
    assert (bytes(row["id"]), row["_cdc_old_key"]) == (b"new", {"id": "b2xk"})


LATE, EARLY = "2024013123000000" + "9" * 19, "2024013122595999" + "8" * 19


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("kind", ["change", "load"])
def test_csv__change_sequences_put_changes_in_order(bronze, header, kind):
    columns = [*COLUMNS[:2], ("Seq", "string")]
    lines = [f"{number},a,{value}" for number, value in enumerate([LATE, EARLY, "", f'" {EARLY} "', "1", LATE + "0"])]
    rows = bronze(
        "\n".join(["id,value,SEQ"] * header + lines),
        kind=kind,
        columns=columns[: 2 if header else 3],
        header=header,
        operation_column="never",
        change_sequence_column="seq",
    )
    assert not {"seq", "Seq", "SEQ"} & set(rows[0]), "it is no column of the source"
    read = [(row["id"], row["_cdc_sequence"][9:-45], row["_cdc_quarantine_reason"]) for row in rows]
    file_time = "20240102030405000000"
    if kind == "load":
        assert read == [(number, "0" * 20, None) for number in range(6)]
    else:
        assert read == [
            (2, file_time, None),
            (4, file_time, "seq is '1', expected 35 digits"),
            (5, file_time, f"seq is '{LATE}0', expected 35 digits"),
            (1, EARLY, None),
            (3, EARLY, None),
            (0, LATE, None),
        ]


def test_csv__no_record_truncates_the_table(bronze):
    assert reasons(bronze("T,,a,x\n")) == [("unknown_operation", "operation is 'T', expected I, U or D")]


@pytest.mark.parametrize(
    ("options", "kind", "line", "operation"),
    [
        ({"operation_column": "auto"}, "load", "1,a,x", "L"),
        ({"operation_column": "auto"}, "change", "U,1,a,x", "U"),
        ({"operation_column": "always"}, "load", "I,1,a,x", "L"),
        ({"operation_column": "always"}, "change", "d ,1,a,x", "D"),
        ({"operation_column": "never"}, "load", "1,a,x", "L"),
        ({"operation_column": "never"}, "change", "1,a,x", "I"),
    ],
)
@pytest.mark.parametrize("timestamp", [None, "2023-04-05 06:07:08.123456"])
def test_csv__layout(bronze, options, kind, line, operation, timestamp):
    if timestamp:
        has_operation = line[0].isalpha()
        line = (
            f"{line[: line.index(',') + 1]}{timestamp},{line[line.index(',') + 1 :]}"
            if has_operation
            else f"{timestamp},{line}"
        )
        options = {**options, "timestamp_column": "ts"}
    [row] = bronze(line, kind=kind, **options)
    assert (row["id"], row["value"], row["last"], row["_cdc_operation"]) == (1, "a", "x", operation)
    assert str(row["_cdc_committed_at"]) == (timestamp or "2024-01-02 03:04:05")
    assert row["_cdc_quarantine_rule"] is None


def test_csv__header_positions_the_values(bronze):
    rows = bronze('last,Op,"id",new,ts,value\nx,U,1,n,2023-04-05 06:07:08,"a\n"\n', header=True, timestamp_column="ts")
    assert values(rows, "id", "value", "last", "new", "_cdc_operation") == [(1, "a\n", "x", "n", "U")]
    assert str(rows[0]["_cdc_committed_at"]) == "2023-04-05 06:07:08"


def test_csv__header_in_other_letters(bronze):
    rows = bronze("Op,ID,VALUE,LAST,TS\nU,1,a,x,2023-04-05 06:07:08\n", header=True, timestamp_column="ts")
    assert values(rows, "id", "value", "last", "_cdc_operation") == [(1, "a", "x", "U")]
    assert str(rows[0]["_cdc_committed_at"]) == "2023-04-05 06:07:08"


def test_csv__a_header_has_a_column_beside_one_of_dms_that_differs_in_case(bronze):
    rows = bronze(
        "Op,id,value,last,TS,ts,BI_id\nU,1,a,x,mine,2023-04-05 06:07:08,2\n",
        header=True,
        timestamp_column="ts",
        before_image_prefix="BI_",
    )
    assert reasons(rows) == [(None, None)]
    assert str(rows[0]["_cdc_committed_at"]) == "2023-04-05 06:07:08"
    assert rows[0]["_cdc_old_key"] == {"id": "2"}


def test_csv__a_header_with_two_columns_of_one_name_costs_its_records(bronze):
    rows = bronze("Op,id,value,VALUE,last\nU,1,a,b,x\n", header=True)
    assert reasons(rows) == [("malformed_record", "the header has two columns of one name, whatever its case")]


def test_csv__only_op_as_dms_writes_it_is_the_operation(bronze):
    rows = bronze("OP,id,value,last\nU,1,a,x\n", header=True)
    assert reasons(rows) == [("unknown_operation", "operation is missing, expected I, U or D")]


def test_csv__record_that_does_not_fit_its_header(bronze):
    rows = bronze("Op,id,value,last\nU,1,a\nU,2,b,y\n", header=True)
    assert reasons(rows) == [("malformed_record", "the record has 3 fields, expected 4"), (None, None)]


@pytest.mark.parametrize(
    ("line", "optional", "reason"),
    [
        ("I,1,a", 0, "the record has 3 fields, expected 4"),
        ("I,1,a,x,y", 0, "the record has 5 fields, expected 4"),
        ("I,1", 1, "the record has 2 fields, expected 3 to 4"),
        ("", 0, "the record has 1 fields, expected 4"),
        ('I,1,"a,x', 0, "a quoted value is not closed"),
        ('I,1,"a"",x', 0, "a quoted value is not closed"),
    ],
)
def test_csv__malformed_record_is_kept_and_stops_nothing(bronze, line, optional, reason):
    rows = bronze(f"I,1,a,x\n{line}\n", optional=optional)
    assert reasons(rows) == [(None, None), ("malformed_record", reason)]
    assert values(rows, "_cdc_quarantine_content", "_cdc_file_row") == [(None, 0), (line, 1)]


def shortened(bronze, *lines: str, **options: Any) -> list[tuple[Any, Any]]:
    rows = bronze("\n".join(lines), optional=2, columns=[*COLUMNS, ("more", "string")], short=True, **options)
    return values(rows, "id", "_cdc_quarantine_reason")


DROPPED = "the record has {} fields, but an earlier one has a value in {}: was a column dropped at the source?"


def test_csv__a_record_that_lacks_a_column_after_a_value_in_it_is_malformed(bronze):
    assert shortened(bronze, "I,1,a", "I,2,a,b", "I,3,a", "I,4,a,b,c", "I,5,a,b", "I,6,a,b,", "I,7,a") == [
        (1, None),
        (2, None),
        (3, DROPPED.format(3, "last")),
        (4, None),
        (5, DROPPED.format(4, "more")),
        (6, None),
        (7, DROPPED.format(3, "last")),
    ]


def test_csv__bronze_knows_which_columns_had_values(bronze):
    earlier = "select '{}' as _cdc_sequence, null as _cdc_quarantine_rule, {} as last, {} as more"
    held = "({})".format(
        " union all ".join(
            [
                earlier.format("000001.0", "'b'", "null"),
                earlier.format("000009.0", "'b'", "'c'"),
                earlier.format("000000.0", "null", "'c'").replace("null as _cdc_q", "'malformed_record' as _cdc_q"),
            ]
        )
    )
    assert shortened(bronze, "I,1,a", "I,2,a,b", "I,3,a,b,c", held=held) == [
        (1, DROPPED.format(3, "last")),
        (2, None),
        (3, None),
    ]


@pytest.mark.parametrize(
    ("lines", "is_short"),
    [
        (["I,1,a,b,c", 'I,2,"a,""",b,'], False),
        (["I,1,a,b,c", "I,2,a,b"], True),
        (['I,1,"a,b",c'], True),
        (["I,1,a,b,c,d"], False),
    ],
)
def test_csv__a_batch_is_compared_with_bronze_only_if_a_record_is_short(query, lines, is_short):
    cdc = {
        "primary_key": ["id"],
        "format": "csv",
        "columns": [{"name": name, "type": "string"} for name in ("id", "value", "last", "more")],
        "options": {"operation_column": "auto", "delimiter": ",", "header": False, "null_values": []},
    }
    listed = ", ".join(f"({Dbt().adapter.string_literal(line)}, 'f')" for line in lines)
    view = f"(select * from values {listed} as t (value, _file_path))"
    layout = lay_out_csv(make_config(**cdc), [], Dbt().context["adapter"])
    sql = Dbt().cdc_csv_short_records_sql(layout, "select 'f' as path, 'change' as kind", view)
    assert (len(query(sql)) == 1) == is_short


def test_csv__blank_line_between_records(bronze):
    rows = bronze("I,1,a,x\n\nI,2,b,y\n")
    assert values(rows, "id", "_cdc_file_row", "_cdc_quarantine_rule") == [
        (1, 0, None),
        (None, 1, "malformed_record"),
        (2, 2, None),
    ]


def test_csv__quote_that_never_closes_takes_the_rest_into_quarantine(bronze):
    rows = bronze('I,1,a,x\nI,2,"b,y\nI,3,c,z\n')
    assert values(rows, "_cdc_quarantine_content") == [(None,), ('I,2,"b,y\nI,3,c,z',)]


STRAY = "a quote inside a value without quotes, expected the value in quotes (Rfc4180=true)"


def test_csv__a_stray_quote_costs_one_record(bronze):
    rows = bronze('U,1,5" pipe,x\nD,2,6" pipe,y\nU,3,c,z\n')
    assert values(rows, "_cdc_quarantine_rule", "_cdc_quarantine_reason", "_cdc_quarantine_content") == [
        ("malformed_record", STRAY, 'U,1,5" pipe,x'),
        ("malformed_record", STRAY, 'D,2,6" pipe,y'),
        (None, None, None),
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "\x01"])
def test_csv__a_quote_inside_a_value_without_quotes_is_malformed(bronze, delimiter):
    texts = ['a"b"c', 'a""b', 'a"', ' "a"', 'a"b', '5" x 6"', 'a""']
    lines = [line for text in texts for line in (f"I,1,{text},x", 'I,2,"b""\n,c",y', f"I,3,d,{text}", "I,4,e,z")]
    rows = bronze("\n".join(lines).replace(",", delimiter), delimiter=delimiter)
    assert [row["_cdc_quarantine_reason"] for row in rows] == [STRAY, None, STRAY, None] * len(texts)
    assert values(rows, "_cdc_file_row", "value")[1] == (1, f'b"\n{delimiter}c')


def test_csv__records_end_where_a_reader_of_characters_ends_them(bronze):
    chance = random.Random(4180)
    for _ in range(4):
        text = "\n".join(chance.choice(LINE_EFFECTS) for _ in range(200))
        rows = bronze(text, columns=[("id", "int"), *((f"c{number}", "string") for number in range(20))])
        assert [row["_cdc_quarantine_content"] for row in rows] == records_by_hand(text)


def test_csv__a_value_spans_lines_where_a_reader_of_characters_is_inside_of_it(query):
    lines = [f"{first},{second}" for first, second in product(LINE_EFFECTS, repeat=2)]
    listed = ", ".join(f"({Dbt().adapter.string_literal(line)})" for line in lines)
    rows = query(f"select value from values {listed} as t (value) where {Dbt().cdc_csv_continues_sql('value', ',')}")
    assert [row["value"] for row in rows] == [line for line in lines if len(records_by_hand(f"{line}\nx")) == 1]


def test_csv__long_values_take_no_stack(bronze):
    size = 10_000_000
    doubled = '"' + '""' * (size // 2) + '"'
    rows = bronze(f'I,1,{"x" * size},x\nI,2,{doubled},x\nI,3,{"a" * size}"b,x\nI,4,"a\n{doubled[1:]},x\nI,5,e,x\n')
    assert [(row["id"], len(row["value"] or "")) for row in rows if row["_cdc_quarantine_rule"] is None] == [
        (1, size),
        (2, size // 2),
        (4, size // 2 + 2),
        (5, 1),
    ]
    assert [row["_cdc_quarantine_reason"] for row in rows if row["_cdc_quarantine_rule"]] == [STRAY]


@pytest.mark.parametrize("text", ['"a"b', '"a" ', '"a"b"c"', '""a', '"a""b"c""'])
def test_csv__text_after_a_quoted_value_is_malformed(bronze, text):
    [row] = bronze(f"I,1,{text},x\n")
    assert reasons([row]) == [("malformed_record", "text follows a quoted value")]


def test_csv__carriage_return_before_the_end_of_a_line_belongs_to_the_value(bronze):
    rows = bronze('I,1,a,x\r\nI,2,b,"y"\r\n')
    assert rows[0]["last"] == "x\r"
    assert reasons(rows) == [(None, None), ("malformed_record", "text follows a quoted value")]


@pytest.mark.parametrize(
    ("line", "rule", "reason"),
    [
        ("X,1,a,x", "unknown_operation", "operation is 'X', expected I, U or D"),
        (",1,a,x", "unknown_operation", "operation is missing, expected I, U or D"),
        ("I,one,a,x", "uncastable_value", "id is 'one', expected int"),
        ("I,3000000000,a,x", "uncastable_value", "id is '3000000000', expected int"),
        ("I,,a,x", "missing_key", "no value in key id"),
    ],
)
def test_bronze__broken_row_is_kept_with_its_reason(bronze, line, rule, reason):
    [row] = bronze(line)
    assert reasons([row]) == [(rule, reason)]
    assert row["_cdc_quarantine_content"] == line


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("int", "12", "12"),
        ("int", "1.5", None),
        ("bigint", "9223372036854775807", "9223372036854775807"),
        ("bigint", "9223372036854775808", None),
        ("double", "1e3", "1000.0"),
        ("decimal(5,2)", "123.45", "123.45"),
        ("decimal(5,2)", "123.456", None),
        ("decimal(5,2)", "1234.5", None),
        ("boolean", "t", "True"),
        ("boolean", "maybe", None),
        ("date", "2024-02-29", "2024-02-29"),
        ("date", "2023-02-29", None),
        ("timestamp", "2024-01-02 03:04:05.123456", "2024-01-02 03:04:05.123456"),
        ("timestamp", "0000-00-00 00:00:00", None),
    ],
)
def test_bronze__text_to_type(bronze, type, text, value):
    [row] = bronze(f"I,1,{text},x\n", columns=[("id", "int"), ("value", type), ("last", "string")])
    assert value is None or str(row["value"]) == value
    assert row["_cdc_quarantine_reason"] == (None if value else f"value is '{text}', expected {type}")


# By type: texts that are read, with what comes back if it is written otherwise, and texts that are not.
FORMS: dict[str, tuple[dict[str, str | None], list[str]]] = {
    "int": (
        {"12": None, "-12": None, "0": None, "+1": "1", "007": "7", "-0": "0"},
        ["1.0", "1.5", "1.", "1e3", " 1", "1 ", "0x1", "1_000", "1,000", "2147483648", "", "-", "\u0661"],
    ),
    "bigint": ({"-9223372036854775808": None, "9223372036854775807": None}, ["9223372036854775808", "1L"]),
    "decimal(5,2)": (
        {"123.45": None, "-1.5": "-1.50", "1.500": "1.50", "+.5": "0.50", "5.": "5.00", "00012": "12.00", "0": "0.00"}
        | {"1.5E2": "150.00", "12e-1": "1.20", "1.0000E+2": "100.00", "0E-30": "0.00"},
        [
            "1.005",
            "1234.5",
            "1E3",
            "1.5E-2",
            "12345E-4",
            " 1",
            "1 ",
            ".",
            "1.5E",
            "NaN",
            "1_0",
            "0x1",
            "1.2.3",
            "1e9999",
        ],
    ),
    "decimal(10,0)": ({"12": None, "12.0": "12", "1E2": "100", ".0": "0"}, ["12.5", ".5", "1E-1"]),
    "decimal(38,2)": (
        {"123456789012345678901234.56": None, "1.23456789012345678901234E+22": "12345678901234567890123.40"},
        ["123456789012345678901234.567", "1.23E-5", "1234567890123456789012345678901234567.5"],
    ),
    "double": (
        {"0.1": None, "1.5": None, "-2.5e-7": "-2.5E-7", "1e3": "1000.0", "12": "12.0", "-0": "-0.0", ".5": "0.5"}
        | {"0.10000000000000001": "0.1", "100000000000000000000": "1.0E20", "NaN": None, "-Infinity": None}
        | {"9007199254740992": "9.007199254740992E15", "9007199254740994.0": "9.007199254740994E15"}
        | {"0e0": "0.0", "4.9E-324": None, "1.7976931348623157E308": None, "0.1000000000000000000000": "0.1"},
        [
            "0.1f",
            "1d",
            "0x1p3",
            " 1",
            "1e400",
            "1e-400",
            "inf",
            "nan",
            "0.1234567890123456789",
            "123456789012345678",
            "9007199254740993",
            "-12345678901234567.0",
            ".",
        ],
    ),
    "float": (
        {"0.1": None, "1.17549435E-38": None, "16777216": "1.6777216E7", "0.100000001": "0.1", "Infinity": None}
        | {"0.10000000149011612": "0.1"},
        ["1e39", "1e-50", "16777217", "16777217000.5", "0.12345678901", "1f"],
    ),
    "boolean": (
        {"true": None, "false": None, "t": "true", "F": "false", "1": "true", "0": "false", "TRUE": "true"},
        ["yes", "no", "y", "n", " true", "2", "on"],
    ),
    "date": (
        {"2024-02-29": None, "1500-03-01": None, "9999-12-31": None, "2024-01-15 00:00:00": "2024-01-15"}
        | {"2024-01-15T00:00:00.000000": "2024-01-15"},
        [
            "2024-01-15 13:45:00",
            "2024",
            "2024-01",
            "2024-1-5",
            "0000-00-00",
            "0000-01-01",
            "10000-01-01",
            "+10000-01-01",
            "2023-02-29",
            " 2024-01-15",
            "2024-01-15 ",
            "2024-01-15Z",
            "2024-01-15 00:00:00+02:00",
            "15-Jan-24",
            "infinity",
        ],
    ),
    "timestamp": (
        {"2024-01-15 13:45:00": None, "2024-01-15 13:45:00.123456": None, "2024-01-15T13:45": "2024-01-15 13:45:00"}
        | {"2024-01-15 13:45:00.123456000": "2024-01-15 13:45:00.123456", "2024-01-15": "2024-01-15 00:00:00"}
        | {"2024-01-15 13:45:00+05:30": "2024-01-15 08:15:00", "2024-01-15T13:45:00.1Z": "2024-01-15 13:45:00.1"}
        | {"2024-01-15 13:45:00+02": "2024-01-15 11:45:00", "1500-03-01 00:00:00": None},
        [
            "10:00:00",
            "T10:00",
            "2024",
            "2024-01",
            "2024-1-5 10:00:00",
            "2024-01-15 13:45:00.1234567",
            "0000-00-00 00:00:00",
            "2024-01-15 24:00:00",
            "2024-01-15 23:59:60",
            "2024-01-15 13",
            "10000-01-01 00:00:00",
            " 2024-01-15 13:45:00",
            "2024-01-15 13:45:00 America/Los_Angeles",
            "2024-01-15 13:45:00 BC",
        ],
    ),
    "timestamp_ntz": (
        {
            "2024-01-15 13:45:00.1": None,
            "2024-01-15T13:45:00Z": "2024-01-15 13:45:00",
            "2024-01-15": "2024-01-15 00:00:00",
        },
        ["2024-01-15 13:45:00+02:00", "2024-01-15 13:45:00+00", "10:00:00", "2024", "2024-01-15 13:45:00.123456789"],
    ),
    "binary": ({"48 0x": None, "": None}, []),
}


@pytest.mark.parametrize("type", FORMS)
def test_a_text_comes_back_as_it_was_or_is_quarantined(query, type):
    good, bad = FORMS[type]
    column, dbt = Column("a", type, "string"), Dbt()
    listed = ", ".join(f"({dbt.adapter.string_literal(text)})" for text in [*good, *bad])
    rows = query(
        f"select a, cast({write_value(column, dbt.adapter)} as string) as v,"
        f" array_compact({failures_sql(column)}) as m"
        f" from values {listed} as t (a)"
    )
    assert {row["a"]: row["m"] for row in rows} == {
        **{text: [] for text in good},
        **{text: [f"a is '{text}', expected {type}"] for text in bad},
    }
    assert {row["a"]: row["v"] for row in rows if not row["m"]} == {text: back or text for text, back in good.items()}


def test_csv__a_commit_time_without_a_date_does_not_get_the_date_of_the_run(bronze):
    rows = bronze("I,10:00:00,1,a,x\nI,2023-04-05 06:07:08,2,a,x\n", timestamp_column="ts")
    assert [str(row["_cdc_committed_at"]) for row in rows] == ["2024-01-02 03:04:05", "2023-04-05 06:07:08"]


# generation, kind, file time, file, row, modified at: in ascending order.
POSITIONS = [
    (1, "load", "2030-01-01 00:00:00.000000", "x", 9, "2030-01-01 00:00:00"),
    (1, "load", "2024-01-01 00:00:00.000000", "x", 10, "2024-01-01 00:00:00"),
    (1, "change", "2024-01-01 00:00:00.000000", "x", 0, "2024-01-01 00:00:00"),
    (1, "change", "2024-01-01 00:00:00.000000", "x", 9, "2024-01-01 00:00:00"),
    (1, "change", "2024-01-01 00:00:00.000000", "x", 10, "2024-01-01 00:00:00.001"),
    (1, "change", "2024-01-01 00:00:00.000000", "x", 10, "2024-01-01 00:00:00.002"),
    (1, "change", "2024-01-01 00:00:00.000001", "x", 0, "2023-01-01 00:00:00"),
    (1, "change", "2024-01-01 00:00:00.001000", "x", 999999999999, "2023-01-01 00:00:00"),
    (2, "load", "2020-01-01 00:00:00.000000", "x", 0, "2020-01-01 00:00:00"),
    (10, "change", "2020-01-01 00:00:00.000000", "x", 0, "2020-01-01 00:00:00"),
]


def sequences(query: Query, positions: list[tuple[Any, ...]]) -> list[str]:
    listed = ", ".join(
        f"({number}, {generation}, '{kind}', timestamp '{file_time}', '{key}', {row}L, timestamp '{modified_at}')"
        for number, (generation, kind, file_time, key, row, modified_at) in enumerate(positions)
    )
    dbt = Dbt()
    columns = "number, generation, kind, file_time, file_key, _cdc_row, modified_at"
    files = dbt.cdc_file_position_sql(f"select * from values {listed} as t ({columns})")
    rows_sql = (
        "select *, generation as _cdc_generation, file_position as _cdc_file_position, file_hash as _cdc_file_hash,"
        " modified_millis as _cdc_modified_millis"
    )
    sql = f"select {dbt.cdc_sequence_sql('_cdc_file_position')} as s from ({rows_sql} from ({files})) order by number"
    return [row["s"] for row in query(sql)]


def test_cdc_sequence_sql__sorts_as_text(query):
    made = sequences(query, POSITIONS)
    assert made == sorted(set(made))


def test_cdc_sequence_sql__fixed_width(query):
    made = sequences(
        query, [*POSITIONS, *((1, "change", "2024-01-01", f"key {n}", 0, "2024-01-01") for n in range(50))]
    )
    assert {tuple(map(len, sequence.split("."))) for sequence in made} == {(6, 1, 20, 16, 12, 14)}


def test_cdc_sequence_part__cuts_what_cdc_sequence_sql_built(query):
    for made in sequences(query, POSITIONS):
        generation, kind, time, file_hash, row, modified_millis = made.split(".")
        listed = f"{kind}.{time}"
        parts = {
            "generation": generation,
            "source_position": f"{generation}.{listed}",
            "listed_position": listed,
            "through_file": f"{generation}.{listed}.{file_hash}",
            "through_row": f"{generation}.{listed}.{file_hash}.{row}",
            "file": file_hash,
            "partition": row[:6],
            "modified_millis": modified_millis,
        }
        columns = ", ".join(f"{Dbt().cdc_sequence_part('s', part)} as {part}" for part in parts)
        assert query(f"select {columns} from values ('{made}') as t (s)") == [parts]
        assert {part: cut_part(made, part) for part in parts} == parts


def test_cdc_sequence_part__of_no_sequence(query):
    assert cut_part("", "source_position") == ""
    [row] = query(f"select {Dbt().cdc_sequence_part('s', 'source_position')} as p from values ('') as t (s)")
    assert row == {"p": ""}


def test_cdc_file_order_sql__is_that_of_the_sequence(query):
    made = sequences(query, POSITIONS)
    listed = ", ".join(
        f"({number}, {generation}, '{kind}', if('{kind}' = 'load', null, timestamp '{time}'), '{path}',"
        f" timestamp '{at}')"
        for number, (generation, kind, time, path, _, at) in enumerate(POSITIONS)
    )
    rows = query(
        f"select number from values {listed} as t (number, generation, kind, file_time, path, modified_at)"
        f" order by {Dbt().cdc_file_order_sql()}"
    )
    in_order = [made[row["number"]][:-28] for row in rows]
    assert in_order == sorted(in_order)


def test_cdc_sequence_sql__files_of_the_same_time_never_mix(query):
    keys = ["b", "a", "b", "a"]
    made = sequences(query, [(1, "change", "2024-01-01", key, row, "2024-01-01") for row, key in enumerate(keys)])
    in_order = [keys[made.index(sequence)] for sequence in sorted(made)]
    assert in_order in (["a", "a", "b", "b"], ["b", "b", "a", "a"])


def fitted(query: Query, raw_sql: str, raw_type: str, type: str) -> tuple[Any, list[str]]:
    """A value of a new type read into the column as it is, and what does not fit."""
    dbt = Dbt()
    column = Column("a", type, raw_type)
    [row] = query(
        f"select {write_value(column, dbt.adapter)} as v, array_compact({failures_sql(column)}) as m"
        f" from (select {raw_sql} as a)"
    )
    return row["v"], row["m"]


@pytest.mark.parametrize(
    ("raw_sql", "raw_type", "type", "value", "cast_failures"),
    [
        ("5L", "bigint", "int", 5, []),
        ("3000000000L", "bigint", "int", None, ["a is '3000000000', expected int"]),
        ("1.5D", "double", "int", 1, ["a is '1.5', expected int"]),
        ("12.345", "decimal(5,3)", "decimal(5,2)", None, ["a is '12.345', expected decimal(5,2)"]),
        ("5", "int", "string", "5", []),
        ("date '2024-01-02'", "date", "string", "2024-01-02", []),
        ("date '2024-01-02'", "date", "int", None, ["a is '2024-01-02', expected int"]),
        ("5", "int", "date", None, ["a is '5', expected date"]),
        ("true", "boolean", "int", None, ["a is 'true', expected int"]),
        ("2", "int", "boolean", None, ["a is '2', expected boolean"]),
        ("1", "tinyint", "boolean", True, []),
        ("0BD", "decimal(1,0)", "boolean", False, []),
        ("1.0D", "double", "boolean", None, ["a is '1.0', expected boolean"]),
        ("2024", "int", "date", None, ["a is '2024', expected date"]),
        ("2024", "int", "timestamp", None, ["a is '2024', expected timestamp"]),
        ("true", "boolean", "date", None, ["a is 'true', expected date"]),
        ("timestamp '2024-01-02 03:04:05'", "timestamp", "date", None, ["a is '2024-01-02 03:04:05', expected date"]),
        ("array(1)", "array<int>", "int", None, ["a is '[1]', expected int"]),
        ("x'35'", "binary", "int", 5, []),
        # A table that was made when nested columns kept their types.
        ("""'{"a":1,"b":null}'""", "string", "struct<a:int,b:string>", (1, None), []),
        ("""'[{"a":1}]'""", "string", "array<struct<a:int>>", [(1,)], []),
        (
            """'{"a":1,"b":2}'""", "string", "struct<a:int>", None,
            ["""a is '{"a":1,"b":2}', expected struct<a:int>"""],
        ),
        ("""'{"a":"x"}'""", "string", "struct<a:int>", None, ["""a is '{"a":"x"}', expected struct<a:int>"""]),
    ],
)  # fmt: skip
def test_cdc_cast_failures_sql__new_type_that_the_column_cannot_become(
    query, raw_sql, raw_type, type, value, cast_failures
):
    fit = fitted(query, raw_sql, raw_type, type)
    assert fit[1] == cast_failures
    assert cast_failures or fit[0] == value


def log_sql(*rows: tuple[int, str, int]) -> str:
    """Rows of bronze, in order: id, operation, generation."""
    listed = ", ".join(
        f"({id}, '{operation}', {generation}, '{generation:06}.{number:03}', 1L, timestamp '2024-01-02 03:04:05',"
        f" 'a.csv', cast(null as array<string>), cast(null as map<string, string>))"
        for number, (id, operation, generation) in enumerate(rows)
    )
    own = "_cdc_operation, _cdc_generation, _cdc_sequence, _cdc_batch_id, _cdc_committed_at, _cdc_source_file"
    return f"select * from values {listed} as bronze (id, {own}, _cdc_unavailable_columns, _cdc_old_key)"


@pytest.mark.parametrize(
    ("rows", "reset_points"),
    [
        ([(1, "L", 1), (1, "L", 2)], ""),
        ([(1, "L", 1), (1, "D", 1), (1, "L", 2)], ""),
        ([(1, "L", 1), (1, "U", 1), (1, "L", 2), (1, "U", 2), (1, "L", 3)], ""),
        ([(1, "L", 1), (1, "U", 1), (1, "L", 2), (0, "R", 2), (1, "U", 2), (1, "L", 3)], "000002"),
        ([(1, "L", 1), (0, "T", 1), (0, "R", 2), (1, "U", 2)], "000001.001 000002"),
    ],
)
def test_reset_points_are_truncates_and_complete_reloads(query, rows, reset_points):
    points = sorted(row["reset_point"] for row in query(Dbt().cdc_reset_points_sql(log_sql(*rows))))
    [summary] = query(Dbt().cdc_range_facts_sql(log_sql(*rows)))
    assert points == reset_points.split()
    assert (summary["first_reset_point"], summary["last_reset_point"]) == (
        min(points, default=None),
        max(points, default=None),
    )


def lives(was_there: bool, length: int) -> Iterator[tuple[str, bool]]:
    """Each order of changes that a row can have in so many of them, and whether it is there at the end."""
    if length == 0:
        yield "", was_there
    for change in "UD" if was_there else "IL":
        if length:
            yield from ((change + rest, is_there) for rest, is_there in lives(change != "D", length - 1))


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_key_counts_sql__every_life_of_a_row(query, length):
    histories = [(was_there, *life) for was_there in (True, False) for life in lives(was_there, length)]
    rows = ", ".join(f"({key}, '{change}')" for key, (_, changes, _) in enumerate(histories) for change in changes)
    new_changes = f"(select * from values {rows} as new_changes (id, _cdc_operation))"
    [counts] = query(Dbt().cdc_key_counts_sql({"mode": "current", "primary_key": ["id"]}, new_changes))
    assert counts["rows_deleted"] == sum(was_there and not is_there for was_there, _, is_there in histories)
    before = sum(was_there for was_there, _, _ in histories)
    assert counts["rows_before"] <= before <= counts["rows_before"] + counts["rows_unclear"]
    balanced = sum(changes.count("D") == sum(map(changes.count, "IL")) > 0 for _, changes, _ in histories)
    assert counts["rows_unclear"] == balanced


AT = "000001.1.20240101000000000000"


@pytest.mark.parametrize(
    ("rows", "ties"),
    [
        ([(1, "U", "a", "file one", 8), (1, "U", "b", "file two", 8)], 1),
        ([(1, "U", "a", "file one", 8), (1, "D", "a", "file two", 8)], 1),
        ([(1, "U", "a", "file one", 8), (1, "U", None, "file two", 8), (2, "U", "a", "file one", 8)], 1),
        ([(1, "U", "a", "file one", 8), (1, "U", "a", "file two", 8)], 0),  # the same change twice
        ([(1, "U", "a", "file one", 8), (1, "U", "b", "file one", 8)], 0),  # one file orders its rows
        ([(1, "U", "a", "file one", 8), (2, "U", "b", "file two", 8)], 0),  # two keys
        ([(1, "U", "a", "file one", 6), (1, "U", "b", "file two", 7)], 0),  # counted in an earlier run
    ],
)
def test_cdc_ties_sql__different_changes_of_a_key_in_files_of_one_position(query, rows, ties):
    def text(value: str | None) -> str:
        return "null" if value is None else f"'{value}'"

    rows_sql = ", ".join(
        # A null stands where the other of two rows has the value.
        f"({id}, '{operation}', {text(value)}, {text('a' if value is None else None)},"
        f" concat('{AT}.', lpad(hex(xxhash64('{key}')), 16, '0'), '.{row:012}.00000000000000'), {batch}L, '{key}')"
        for row, (id, operation, value, key, batch) in enumerate(rows)
    )
    names = "id, _cdc_operation, value, other, _cdc_sequence, _cdc_batch_id, _cdc_source_file"
    log = f"select * from values {rows_sql} as log ({names})"
    plan = (*(Column(name, "string", "string") for name in ("id", "value", "other")), Column("gone", "string"))
    where = f"_cdc_sequence like '{AT}%'"
    sql = Dbt().cdc_ties_sql({"mode": "current", "primary_key": ["id"]}, log, where, plan, 7)
    assert query(sql) == [{"ties": ties}]
    others = "1 as _cdc_generation, timestamp '2024-01-02' as _cdc_committed_at, cast(null as map<string, string>)"
    bronze = f"select *, {others} as _cdc_old_key, cast(null as array<string>) as _cdc_unavailable_columns from ({log})"
    [summary] = query(Dbt().cdc_range_facts_sql(bronze))
    files = [key for *_, key, _ in rows]
    assert (summary["first_file"], summary["last_file"]) == (min(files), max(files))


SINK = "topics/a.s.t/partition={partition}/a.s.t+{partition}+{offset}.json"
TOPIC = "kafka://c/t-1/a.s.t/{partition}"


def placed(query: Query, connector: str, *messages: tuple[str, int]) -> list[str]:
    """What follows the source position in the sequences of messages, each given as file and row."""
    values = ", ".join(f"({n}, '{key}', {row}L)" for n, (key, row) in enumerate(messages))
    offset = offset_sql(connector, "file_key", "_cdc_row")
    rows = (
        f"select *, {offset} as _cdc_offset, {partition_sql('file_key')} as _cdc_partition,"
        " lpad(lower(hex(xxhash64(file_key))), 16, '0') as _cdc_file_hash"
        f" from values {values} as t (n, file_key, _cdc_row)"
    )
    return [row["p"] for row in query(f"select {Dbt().cdc_message_place_sql()} as p from ({rows}) order by n")]


@pytest.mark.parametrize("connector", ["debezium", "canal"])
def test_cdc_message_place_sql__messages_of_a_partition_are_in_the_order_of_their_offsets(query, connector):
    rows = 100_000 if connector == "canal" else 1
    for number in range(9):  # other files have other hashes
        first, second = (SINK.format(partition=3, offset=offset) for offset in (number, number + 6))
        # Both files hold the offsets that they share.
        made = placed(
            query, connector, (first, 0), (first, 5 * rows), (second, 0), (first, 7 * rows), (second, 2 * rows)
        )
        assert made == sorted(set(made))
    topic = TOPIC.format(partition=3)
    made = placed(query, connector, *((topic, offset * rows) for offset in (0, 9, 10, 10**7)))
    assert made == sorted(set(made))
    assert {tuple(map(len, place.split("."))) for place in made} == {(16, 12)}


def test_cdc_message_place_sql__a_partition_is_known_and_a_file_without_an_offset_is_in_none(query):
    files = [SINK.format(partition=n, offset=offset) for n, offset in ((1, 0), (1, 7), (2, 0))]
    made = placed(
        query, "debezium", *((key, 0) for key in [*files, TOPIC.format(partition=1), "any+name/messages.json"])
    )
    partitions = [cut_part(f"1.1.p.{place}.{0:014}", "partition") for place in made]
    assert partitions[0] == partitions[1] and len(set(partitions)) == 4
    assert [place.startswith("o") for place in made] == [True] * 4 + [False]


@pytest.mark.parametrize(
    ("first", "last", "shared"),
    [
        (SINK.format(partition=1, offset=0), SINK.format(partition=1, offset=99), True),
        (SINK.format(partition=1, offset=0), SINK.format(partition=2, offset=0), False),
        ("a/hour=1/t+1+0.json", "a/hour=2/t+1+5.json", False),  # files of other partitions may be between them
        ("x+a.json", "x+b.json", False),
        (TOPIC.format(partition=1), TOPIC.format(partition=1), True),
        (TOPIC.format(partition=1), TOPIC.format(partition=2), False),
        ("a.json", "a.json", True),
    ],
)
def test_share_partition__only_where_all_files_between_two_are_of_it(first, last, shared):
    assert share_partition(first, last) is shared


@pytest.mark.parametrize(
    ("rows", "ties"),
    [
        ([("5", 1, 0), ("7", 1, 9)], 0),  # one partition orders its messages
        ([("5", 1, 0), ("7", 2, 0)], 1),
        ([("5", 1, 0), ("5", 2, 0)], 0),  # the same message twice
    ],
)
def test_cdc_ties_sql__offsets_order_messages_of_one_partition(query, rows, ties):
    places = placed(query, "debezium", *((SINK.format(partition=n, offset=offset), 0) for _, n, offset in rows))
    values = ", ".join(
        f"(1, 'U', '{value}', '{AT}.{place}.{0:014}', 8L)" for (value, *_), place in zip(rows, places, strict=True)
    )
    log = f"select * from values {values} as log (id, _cdc_operation, value, _cdc_sequence, _cdc_batch_id)"
    plan = (Column("value", "string", "string"),)
    sql = Dbt().cdc_ties_sql({"mode": "current", "primary_key": ["id"]}, log, "true", plan, 7)
    assert query(sql) == [{"ties": ties}]


LISTED = "feed, source_schema, source_table, kind, file_key, path, size, revision, file_time, batch_id, modified_at"


def listing_sql(*files: tuple[str, str, int, str]) -> str:
    """A listing: kind, key, batch and the minute of the modification time of each file."""
    rows = ", ".join(
        f"('f', 's', 't', '{kind}', '{key}', 'file:/{key}', 1L, 0, cast(null as timestamp), {batch}L,"
        f" timestamp '2024-01-02 03:{minute}:00')"
        for kind, key, batch, minute in files
    )
    return f"(select * from values {rows} as listing ({LISTED}))"


NOT_REJECTED = (
    "(select string(null) as path, 0L as size, current_timestamp() as modified_at, 0L as batch_id,"
    " string(null) as rule, current_timestamp() as rejected_at where false)"
)


def cache_generations(query: Query, cdc: dict[str, str], listing: str, rejected: str) -> tuple[str, str]:
    """The views of the file versions and of the load versions that count, each queried once as in a batch."""
    for view, sql in (
        ("versions", Dbt().cdc_listed_versions_sql(listing, rejected, cdc, 9)),
        ("loads", Dbt().cdc_loads_sql("versions")),
        ("counted", Dbt().cdc_counted_loads_sql("versions", "loads")),
    ):
        query(f"drop view if exists {view}")
        query(f"cache table {view} as {sql}")
    return "versions", "counted"


@pytest.mark.parametrize("clock", ["02", "30"])
def test_a_truncate_ends_the_newest_load_that_was_listed_before_whatever_the_clock_shows(query, clock):
    cdc = {"feed": "f", "source_schema": "s", "source_table": "t"}
    loads = [("load", "s/t/LOAD1", batch, minute) for batch, minute in ((1, "01"), (2, "10"), (4, "20"))]
    listing = listing_sql(*loads, ("truncate", "s/t", 3, clock))
    files_sql = (
        "select path, size, modified_at, revision, kind, file_key, file_time, 1 as generation, batch_id,"
        f" true as is_newest, false as is_again from {listing} as listing where kind = 'truncate'"
    )
    versions = cache_generations(query, cdc, listing, NOT_REJECTED)
    [file] = query(Dbt().cdc_generation_files_sql(files_sql, *versions, 0, []))
    assert file["generation"] == 2


def test_cdc_reloads_sql__a_load_file_that_nobody_could_read_is_of_the_load_that_no_change_parts_from_it(query):
    cdc = {"feed": "f", "source_schema": "s", "source_table": "t"}
    files = [("load", "1", 1, "01"), ("change", "c1", 1, "05"), ("load", "1", 2, "10"), ("change", "c2", 2, "15")]
    for minute, again, unread in (
        ("09", (), [2]),
        ("11", (), [2]),
        ("04", (), []),
        ("16", (), []),
        ("09", ("20",), []),
    ):
        versions = [("load", "2", 2, at) for at in (minute, *again)]
        rejected = (
            f"(select 'file:/2' as path, 1L as size, timestamp '2024-01-02 03:{minute}:00' as modified_at,"
            " 9L as batch_id, 'unreadable' as rule, current_timestamp() as rejected_at)"
        )
        listing = listing_sql(*files, *versions)
        rows = query(Dbt().cdc_reloads_sql(cdc, listing, *cache_generations(query, cdc, listing, rejected), 9))
        assert [row["generation"] for row in rows if row["unread"] != "[]"] == unread, (minute, again)


def bronze_sql(*rows: tuple[str, int | None, str, int, int, str | None, str | None], generation: int = 1) -> str:
    """Rows of bronze: operation, id, minute (none of a load), row and time of the file, rule and reason."""
    made = ", ".join(
        f"('{operation}', {'null' if id_ is None else id_},"
        f" '{generation:06}.{position}.{0:016}.{row:012}.{millis:014}', {generation},"
        f" '{'LOAD' if position.startswith('0') else position}', {row}L, cast(null as array<string>),"
        f" cast(null as map<string, string>), {json.dumps(rule) if rule else 'string(null)'},"
        f" {json.dumps(reason) if reason else 'string(null)'})"
        for operation, id_, minute, row, millis, rule, reason in rows
        for position in [f"1.202401010000{minute}" if minute else "0." + "0" * 20]
    )
    return (
        f"(select * from values {made} as log (_cdc_operation, id, _cdc_sequence, _cdc_generation, _cdc_source_file,"
        " _cdc_file_row, _cdc_unavailable_columns, _cdc_old_key, _cdc_quarantine_rule, _cdc_quarantine_reason))"
    )


CAST = "uncastable_value"


@pytest.mark.parametrize(
    ("mode", "bad", "later", "is_overtaken"),
    [
        ("current", ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("U", 1, "02", 0, 2), True),
        ("current", ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("D", 1, "02", 0, 2), True),
        ("current", ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("U", 2, "02", 0, 2), False),
        ("current", ("U", 1, "03", 0, 1, CAST, "n is 'x', expected int"), ("U", 1, "02", 0, 2), False),
        ("current", ("U", 1, "01", 0, 1, CAST, "id is '1.5', expected int"), ("U", 1, "02", 0, 2), False),
        ("current", ("U", 1, "01", 0, 1, "malformed_record", "short"), ("U", 1, "02", 0, 2), False),
        ("current", ("U", None, "01", 0, 1, "malformed_record", "short"), ("T", None, "02", 0, 2), True),
        ("current", ("U", None, "01", 0, 1, "malformed_record", "short"), ("U", 9, "01", 0, 2), True),
        ("current", ("U", None, "01", 0, 1, "malformed_record", "short"), ("U", 9, "01", 1, 2), False),
        ("current", ("L", None, "", 5, 1, "malformed_record", "short"), ("L", 9, "", 0, 2), True),
        ("history", ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("U", 1, "02", 0, 2), False),
        ("history", ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("T", None, "02", 0, 2), False),
        ("history", ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("U", 1, "01", 0, 2), True),
        ("append", ("I", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("T", None, "02", 0, 2), True),
    ],
)
def test_cdc_overtaken_sql__what_newer_rows_make_of_a_quarantined_row(query, mode, bad, later, is_overtaken):
    silver = {"mode": mode, "primary_key": ["id"]}
    cdc = {"silver": silver, "has_key": mode == "current"}
    rows = query(Dbt().cdc_overtaken_sql(cdc, bronze_sql(bad, (*later, None, None))))
    assert bool(rows) == is_overtaken


@pytest.mark.parametrize(
    ("rule", "later", "is_overtaken"),
    [
        (CAST, ("D", 1, "02", 0, 2), False),
        (CAST, ("T", None, "02", 0, 2), False),
        (CAST, ("U", 1, "02", 0, 2), True),
        (CAST, ("D", 1, "01", 0, 2), True),
        ("malformed_record", ("T", None, "02", 0, 2), False),
        ("incomplete_reload", ("T", None, "02", 0, 2), True),
    ],
)
def test_cdc_overtaken_sql__a_row_that_is_only_marked_keeps_the_last_image(query, rule, later, is_overtaken):
    silver = {"mode": "current", "delete_mode": "soft", "primary_key": ["id"]}
    bad = ("U", 1, "01", 0, 1, rule, "n is 'x', expected int")
    rows = query(Dbt().cdc_overtaken_sql({"silver": silver, "has_key": True}, bronze_sql(bad, (*later, None, None))))
    assert bool(rows) == is_overtaken


def test_cdc_overtaken_sql__a_row_of_older_content_overtakes_nothing(query):
    bad, good = ("U", 1, "01", 0, 1, CAST, "n is 'x', expected int"), ("U", 1, "02", 0, 2, None, None)
    cdc = {"silver": {"mode": "current", "primary_key": ["id"]}, "has_key": True}
    assert query(Dbt().cdc_overtaken_sql(cdc, bronze_sql(bad, good))) != []
    assert query(Dbt().cdc_overtaken_sql(cdc, bronze_sql(bad, good, ("X", None, "02", 0, 3, None, None)))) == []


def test_cdc_waiting_loads_sql__newer_content_has_to_be_read_whole(query):
    def load(generation, rule=None):
        return bronze_sql(("L", 1, "", 0, generation, rule, "n is 'x'" if rule else None), generation=generation)

    def waiting(*loads):
        rows = query(Dbt().cdc_waiting_loads_sql(f"({' union all '.join(loads)})"))
        return sorted(row["generation"] for row in rows)

    assert waiting(load(1), load(2, CAST)) == [2]
    assert waiting(load(1), load(2, CAST), load(3, CAST)) == [2, 3]
    assert waiting(load(1), load(2, CAST), load(3)) == []
    assert waiting(load(1), load(2, CAST), load(3), load(4, CAST)) == [4]


def test_cdc_lost_by_types_sql__judges_the_key_of_each_row_and_the_rest_of_rows_that_have_one(query):
    """Nobody uses the other values of a delete, nor rows of older content of a file."""
    key, other = (Column(name, "int", "string") for name in ("id", "n"))
    rows = [("U", "1", "7", 1), ("U", "2", "u", 1), ("D", "3", "d", 1), ("D", "k", "k", 1), ("U", "o", "o", 0)]
    values = ", ".join(
        f"('{operation}', '{id_}', '{n}', '000001.1.{0:020}.{0:016}.{number:012}.{millis:014}', 'f', string(null))"
        for number, (operation, id_, n, millis) in enumerate([*rows, ("X", "0", "0", 1)])
    )
    bronze = (
        f"(select * from values {values} as log (_cdc_operation, id, n, _cdc_sequence, _cdc_source_file,"
        " _cdc_quarantine_rule))"
    )
    dbt = Dbt()
    of_key, of_others = (plan_checks([column], dbt.context["adapter"]) for column in (key, other))
    lost = query(dbt.cdc_lost_by_types_sql(bronze, of_key, of_others))
    assert [row["failure"] for row in lost] == ["id is 'k', expected int", "n is 'u', expected int"]


@pytest.mark.parametrize("row", [0, 5])
@pytest.mark.parametrize("mode", ["current", "history"])
def test_cdc_overtaken_sql__a_load_that_has_not_ended_overtakes_no_row_of_an_earlier_one(query, mode, row):
    cdc = {"silver": {"mode": mode, "primary_key": ["id"]}, "has_key": mode == "current"}
    bad, load = ("L", 1, "", row, 1, CAST, "n is 'x', expected int"), ("L", 2, "", 0, 2, None, None)
    reload = bronze_sql(load, generation=2)
    bronze = f"({bronze_sql(bad)} union all {reload})"
    assert query(Dbt().cdc_overtaken_sql(cdc, bronze)) == []
    assert query(Dbt().cdc_overtaken_sql(cdc, bronze_sql(bad, load))) != []


def test_cdc_replay_files_sql__each_version_of_a_load_has_its_own_rows(query):
    cdc = {"feed": "f", "source_schema": "s", "source_table": "t", "format": "parquet"}
    load = ("L", 1, "", 0, 1704164400000, CAST, "n is 'x', expected int")
    first = bronze_sql(load)
    again = bronze_sql((*load[:4], 1704164460000, *load[5:]), generation=2)
    versions = ", ".join(
        f"('f', 's', 't', 'LOAD', 1L, 'load', timestamp '2024-01-02 03:0{minute}:00', cast(null as timestamp))"
        for minute in (0, 1, 2)
    )
    names = "feed, source_schema, source_table, file_key, size, kind, modified_at, file_time"
    listing = f"(select * from values {versions} as listing ({names}))"
    bronze = f"(select *, '{{}}' as _cdc_quarantine_content from ({first} union all {again}))"
    rows = query(Dbt().cdc_replay_files_sql(cdc, bronze, listing, 7))
    assert sorted((row["generation"], row["path"]) for row in rows) == [
        (1, "LOAD of 1704164400000"),
        (2, "LOAD of 1704164460000"),
    ]


def show_value(value: Any) -> str:
    """The text of a value; before Spark 4.1 bytes are a bytearray."""
    return str(bytes(value) if isinstance(value, bytearray) else value)


def test_cdc_replay_records_sql__a_value_is_what_its_file_had_or_stays(query):
    types = '{"id":"int","note":"%s","moment":"%s","raw":"string"}'
    row = '{"id":%d,"note":%s,"moment":%s,"raw":"text"%s}'
    contents = [
        row % (1, '"dGVh"', '"2024-01-31T23:00:00.000000Z"', ',"":' + types % ("binary", "timestamp")),
        row % (2, '"dGVh"', '"2024-01-31T23:00:00.000000Z"', ',"":' + types % ("string", "string")),
        row % (3, '"Anna"', "7", ""),
        row % (4, '"two words"', '"2024-01-31T23:00:00.000000Z"', ""),
        '{"id":5,"note":"two words","moment":1234,"raw":"some bytes"}',
        row % (6, '"dGVh"', '"never"', ',"":' + types % ("binary", "timestamp")),
    ]
    bad = bronze_sql(*[("I", number, "01", number, 1, CAST, "why") for number in range(1, len(contents) + 1)])
    content = " ".join(f"when {number} then '{text}'" for number, text in enumerate(contents, start=1))
    bronze = Held(f"(select *, 7L as _cdc_batch_id, case id {content} end as _cdc_quarantine_content from {bad})")
    names = {"id": "int", "note": "string", "moment": "string", "raw": "binary", "_cdc_sequence": "string"}
    dbt = Dbt()
    warehouse = SimpleNamespace(
        get_columns_in_relation=lambda _: [ExistingColumn(name, type_) for name, type_ in names.items()],
        query=query,
        string_literal=dbt.adapter.string_literal,
        quote=dbt.adapter.quote,
    )
    sql = {"cdc_replay_names_sql": dbt.cdc_replay_names_sql}
    project: Any = SimpleNamespace(warehouse=warehouse, sql=sql)
    columns = ask_columns(project, make_config(format="parquet"), bronze)
    cdc = {"silver": {"mode": "current", "primary_key": ["id"]}, "has_key": True}
    rows = query(dbt.cdc_replay_records_sql(cdc, bronze, columns))
    replayed = {
        row["_file_row"]: {
            column.file_name: (column.type, show_value(row[column.column]))
            for column in columns
            if row[column.column] is not None and column.file_name != "raw"
        }
        for row in rows
    }
    assert replayed == {
        1: {
            "id": ("int", "1"),
            "note": ("binary", str(b"tea")),
            "moment": ("timestamp", "2024-01-31 23:00:00"),
        },
        2: {"id": ("int", "2"), "note": ("string", "dGVh"), "moment": ("string", "2024-01-31T23:00:00.000000Z")},
        5: {"id": ("string", "5"), "note": ("string", "two words"), "moment": ("string", "1234")},
    }
    unsure = query(dbt.cdc_replay_records_sql(cdc, bronze, columns, True))
    assert sorted(row["_file_row"] for row in unsure) == [3, 4, 6]


def test_cdc_replay_records_sql__the_content_of_a_row_is_parsed_once(query):
    bad = bronze_sql(("I", 1, "01", 1, 1, CAST, "why"))
    # The optimizer computes rows of the driver itself, and no expression is left to count.
    content = "concat('{\"a\":', n, '}') as _cdc_quarantine_content"
    bronze = Held(f"(select bad.*, 7L as _cdc_batch_id, {content} from {bad} as bad cross join range(3) as r (n))")
    columns = [
        {"column": f"_{name}", "value": f"content['{name}']", "unsure": f"types['{name}'] is null and json = '{name}'"}
        for name in "abcde"
    ]
    cdc = {"silver": {"mode": "current", "primary_key": ["id"]}, "has_key": True}
    [row] = query(f"explain extended {Dbt().cdc_replay_records_sql(cdc, bronze, columns)}")
    optimized = row["plan"].split("== Optimized Logical Plan ==")[1].split("== Physical Plan ==")[0]
    assert optimized.count("from_json") == 2


def load_rows(*rows: tuple[int, str | None, str | None, str | None], millis: int = 1) -> str:
    """Rows of a LOAD file: position, a value under its name and its old one, content; with a point: in quarantine."""
    made = ", ".join(
        f"({row}L, {value}, {old}, ltrim('.', {content}), {content} like '.%',"
        f" '000001.0.{0:020}.{0:016}.{row:012}.{millis:014}')"
        for row, *texts in rows
        for value, old, content in [["string(null)" if text is None else f"'{text}'" for text in texts]]
    )
    return (
        "(select *, 'LOAD' as _cdc_source_file, timestamp '2024-01-02 03:00:00' as _cdc_committed_at,"
        f" if(is_bad, 'malformed_record', null) as _cdc_quarantine_rule from values {made}"
        " as log (_cdc_file_row, n, old, _cdc_quarantine_content, is_bad, _cdc_sequence))"
    )


TYPED = '.{"n":"dGVh","":{"n":"%s"}}'


@pytest.mark.parametrize(
    ("fresh", "held", "is_same"),
    [
        ([(0, "a", None, None)], [(0, "a", None, None)], True),
        ([(0, "a", None, None)], [(0, "b", None, None)], False),
        ([(0, "a", None, None)], [(0, "a", None, None), (1, "b", None, None)], False),
        ([(0, "a", None, None), (1, "b", None, None)], [(0, "a", None, None)], False),
        ([(0, "a", None, None)], [(0, "a", None, None), (0, "a", None, None)], True),
        ([(0, "abc", None, "abc")], [(0, None, None, ".abc"), (0, "abc", None, None)], True),
        ([(0, "abd", None, "abd")], [(0, None, None, ".abc"), (0, "abc", None, None)], False),
        ([(0, "abc", None, "abc")], [(0, None, None, ".abc")], True),
        ([(0, "abd", None, "abd")], [(0, None, None, ".abc")], False),
        ([(0, "abc", None, ".abc,d")], [(0, None, None, ".abc,d")], True),
        ([(0, "abc", None, ".abc,d")], [(0, "abc", None, ".abc,e")], False),
        ([(0, "a", None, None)], [(0, None, "a", None)], True),
        ([(0, "a", None, None)], [(0, None, "b", None)], False),
        ([(0, "a", None, TYPED % "binary")], [(0, "a", None, TYPED % "binary")], True),
        ([(0, "a", None, TYPED % "binary")], [(0, "a", None, TYPED % "string")], False),
        ([(0, "a", None, TYPED % "binary")], [(0, "a", None, '.{"n":"dGVh"}')], True),
    ],
)
def test_cdc_same_content_sql__what_a_file_had_is_known_after_replays_and_renames(query, fresh, held, is_same):
    cdc = make_config(format="parquet", renamed_columns={"old": "n"})
    plan = [Column("n", "string", "string"), Column("old", "string")]
    target = Target(columns=[ExistingColumn("n", "string"), ExistingColumn("old", "string")])
    values = write_hashed_values(cdc, plan, Dbt().adapter.quote, target)
    earlier = [{"file_key": "LOAD", "earlier_millis": 1}]
    rows_sql = f"select * from {load_rows(*fresh, millis=2)}"
    same = query(Dbt().cdc_same_content_sql(rows_sql, load_rows(*held), *values, earlier, cdc))
    assert [row["file_key"] for row in same] == (["LOAD"] if is_same else [])


@pytest.mark.parametrize(("truncated_in", "is_earlier"), [(None, True), (20, False), (5, True)])
def test_cdc_earlier_loads_sql__what_was_there_before_a_truncate_is_not_delivered_again(
    query, truncated_in, is_earlier
):
    cdc = make_config(format="parquet")
    place = f"'{cdc.feed}' as feed, '{cdc.source_schema}' as source_schema, '{cdc.source_table}' as source_table"
    listing = f"(select {truncated_in or 20}L as batch_id, '{'truncate' if truncated_in else 'load'}' as kind, {place})"
    versions = "'LOAD' as file_key, 7L as size"
    loads = (
        f"(select {versions}, timestamp '2024-01-02 03:00:00' as modified_at, 10L as batch_id, string(null) as rule,"
        " false as is_redelivered)"
    )
    files = (
        f"select {versions}, timestamp '2024-01-02 04:00:00' as modified_at, 30L as batch_id, 'p' as path,"
        " 'load' as kind, true as is_newest, false as is_again"
    )
    earlier = query(Dbt().cdc_earlier_loads_sql(cdc, files, listing, loads))
    assert [row["file_key"] for row in earlier] == (["LOAD"] if is_earlier else [])


@pytest.mark.parametrize(
    ("keys", "are_single"),
    [
        ("0, 1, 2, 7", True),
        ("-1, 0, 1, -32768, 32767, 32768, 32769", True),
        ("-9223372036854775808, -9223372036854775807, 9223372036854775807", True),
        ("5, 6, 5", False),
        ("-40000, 40000, -40000", False),
        ("9223372036854775807, 0, 9223372036854775807", False),
        ("1, null", False),
        ("1, null, null", False),
    ],
)
def test_bitmaps_find_a_key_that_is_there_twice(query, keys, are_single):
    rows = ", ".join(f"({key})" for key in keys.split(", "))
    changes = {"sql": f"select cast(id as bigint) as id from values {rows} as v (id)"}
    cdc = {"primary_key": ["id"], "mode": "current"}
    [row] = query(Dbt().cdc_single_numbers_sql("id", changes))
    assert row["has_single_changes"] is are_single
    if "null" not in keys:
        [row] = query(Dbt().cdc_single_changes_sql(cdc, changes))
        assert row["has_single_changes"] is are_single


@pytest.mark.parametrize(
    ("absent_columns", "old", "old_columns", "unavailable", "expected"),
    [
        # Bronze has both columns, and all that a file lacks is listed: the value is unavailable if that of both is.
        ("keep", 1, ("OLD",), ["OLD", "new", "other"], ["new", "other"]),
        ("keep", 1, ("OLD",), ["OLD"], None),
        ("keep", None, ("OLD",), ["new", "other"], ["other"]),
        ("keep", 1, ("OLD",), None, None),
        # The file has one of the two, which is listed if its value is unavailable.
        ("null", None, ("OLD",), ["new", "other"], ["new", "other"]),
        ("null", None, ("OLD",), ["OLD"], ["new"]),
        ("null", 1, ("OLD",), ["new"], None),
        ("null", None, ("OLD",), None, None),
        # Bronze was altered: rows from before have the old name.
        ("null", 1, (), ["Old"], ["new"]),
        ("keep", 1, (), ["new", "other"], ["new", "other"]),
    ],
)
def test_renamed_columns_are_one_column_with_one_name(query, absent_columns, old, old_columns, unavailable, expected):
    names = f"array({', '.join(map(repr, unavailable))})" if unavailable else "cast(null as array<string>)"
    own = ("operation", "committed_at", "sequence", "generation", "batch_id", "source_file", "file_row")
    others = ", ".join(f"null as _cdc_{name}" for name in own)
    values = f"null as new, {old or 'null'} as OLD, map('old', '1') as _cdc_old_key"
    rows = f"select {values}, {names} as _cdc_unavailable_columns, {others}"
    plan = [Column("new", "int", "int", old_columns=old_columns)]
    cdc = {"primary_key": ["new"], "renamed_columns": {"old": "new"}, "options": {"absent_columns": absent_columns}}
    [row] = query(Dbt().cdc_renamed_columns_sql(cdc, plan, rows))
    assert (row["_cdc_unavailable_columns"], row["_cdc_old_key"]) == (expected, {"new": "1"})
    assert row["new"] == (old if old_columns else None)
