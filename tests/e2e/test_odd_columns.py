"""Columns whose names or types are odd: reserved, like those that DMS adds, with another type in the next file."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

BATCHES = 3
LOAD = "LOAD00000001"


def at(minutes: int) -> str:
    """Name of a change file, without its ending."""
    return (datetime(2024, 1, 31, 23, tzinfo=timezone.utc) + timedelta(minutes=minutes)).strftime("%Y%m%d-%H%M%S%f")[
        :18
    ]


class Files:
    """Files of one table of a parquet feed: what a batch finds, by name."""

    def __init__(self, root: Path, feed: str, table: str) -> None:
        self.folder = root / feed / "s" / table
        self.folder.mkdir(parents=True, exist_ok=True)

    def put(self, name: str, **columns: Any) -> None:
        pq.write_table(pa.table(columns), self.folder / f"{name}.parquet")


def typed(data_type: pa.DataType, *values: Any) -> pa.Array:
    return pa.array(values, data_type)


# Message of a model that has nothing to write.
COMMENT = "a -- nothing new: b"
LONG, INT, DOUBLE, TEXT = pa.int64(), pa.int32(), pa.float64(), pa.string()
# Name, type and value in the load and in two change files, what silver has at last, and whether the last is set aside.
CUTS = [
    ("bigint_double", [(LONG, 1), (DOUBLE, 2.0), (DOUBLE, 2.5)], 2, "bigint", True),
    ("int_bigint_double", [(INT, 1), (LONG, 2**40), (DOUBLE, 7.0)], 7, "bigint", False),
    ("double_bigint", [(DOUBLE, 1.5), (LONG, 2), (LONG, 2**53 + 1)], 2.0, "double", True),
    ("decimal_scale", [(pa.decimal128(10, 2), Decimal("1.25")), (pa.decimal128(12, 4), Decimal("2.5000")),
                       (pa.decimal128(12, 4), Decimal("2.5001"))], Decimal("2.50"), "decimal(10,2)", True),
    ("string_int", [(TEXT, "a"), (INT, 7), (TEXT, "b")], "b", "string", False),
    ("int_string", [(INT, 1), (TEXT, "7"), (TEXT, "x")], 7, "int", True),
    ("date_timestamp", [(pa.date32(), date(2024, 1, 1)), (pa.timestamp("us", "UTC"), datetime(2024, 1, 2)),
                        (pa.timestamp("us", "UTC"), datetime(2024, 1, 3, 4))], date(2024, 1, 2), "date", True),
]  # fmt: skip


def put_types(files: Files, number: int) -> None:
    """File `number`: a column and a row of its own for each case."""
    columns: dict[str, Any] = {} if number == 0 else {"Op": ["U"] * len(CUTS)}
    columns["id"] = typed(INT, *range(len(CUTS)))
    for row, (name, values, *_) in enumerate(CUTS):
        data_type, value = values[number]
        columns[name] = typed(data_type, *(value if row == each else None for each in range(len(CUTS))))
    files.put(LOAD if number == 0 else at(number), **columns)


UTC = timezone.utc
# Name, type in the files, two values in the files, type in silver, and both values there where they are others.
TYPES = [
    ("int8", pa.int8(), -128, 127, "int"),
    ("int16", pa.int16(), -(2**15), 2**15 - 1, "int"),
    ("int32", INT, -(2**31), 2**31 - 1, "int"),
    ("int64", LONG, -(2**63), 2**63 - 1, "bigint"),
    ("uint8", pa.uint8(), 0, 255, "int"),
    ("uint16", pa.uint16(), 0, 2**16 - 1, "int"),
    ("uint32", pa.uint32(), 0, 2**32 - 1, "bigint"),
    ("uint64", pa.uint64(), 0, 2**64 - 1, "decimal(20,0)"),
    ("float32", pa.float32(), 0.5, float("inf"), "float"),
    ("float64", DOUBLE, 0.1 + 0.2, -5e-324, "double"),
    ("bool", pa.bool_(), True, False, "boolean"),
    ("text", TEXT, "", "a\0\n'\"\\ä𝄞", "string"),
    ("long_text", pa.large_string(), "a", "b" * 10_000, "string"),
    ("category", pa.dictionary(INT, TEXT), "a", "b", "string"),
    ("bytes", pa.binary(), b"", b"\0\xff", "binary"),
    ("fixed", pa.binary(2), b"\0\0", b"\xff\xff", "binary"),
    ("decimal1", pa.decimal128(1, 0), Decimal(-9), Decimal(9), "decimal(1,0)"),
    ("decimal38", pa.decimal128(38, 18), Decimal("-1e-18"), Decimal("9" * 20 + ".5"), "decimal(38,18)"),
    ("date", pa.date32(), date(1, 1, 1), date(9999, 12, 31), "date"),
    ("stamp_ms", pa.timestamp("ms", "UTC"), datetime(1900, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 0, 0, 0, 1000, UTC),
     "timestamp"),
    ("stamp_us", pa.timestamp("us", "UTC"), datetime(1969, 12, 31, 23, 59, 59, 999999, UTC),
     datetime(9999, 12, 31, tzinfo=UTC), "timestamp"),
    ("wall_us", pa.timestamp("us"), datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 3, 31, 2, 30),
     "timestamp_ntz"),
    ("stamp_ns", pa.timestamp("ns", "UTC"), 1, -1, "string",
     "1970-01-01 00:00:00.000000001", "1969-12-31 23:59:59.999999999"),
    ("time_ms", pa.time32("ms"), 0, 86_399_999, "string", "00:00:00", "23:59:59.999"),
    ("time_us", pa.time64("us"), 1, 86_399_999_999, "string", "00:00:00.000001", "23:59:59.999999"),
    ("list", pa.list_(INT), [], [1, None], "string", "[]", "[1,null]"),
    ("map", pa.map_(TEXT, INT), [], [("a", 1)], "string", "{}", '{"a":1}'),
    ("struct", pa.struct({"a": INT, "b": TEXT}), {"a": None, "b": "x"}, {"a": 1, "b": None}, "string",
     '{"a":null,"b":"x"}', '{"a":1,"b":null}'),
]  # fmt: skip
KEYS = [name for name, *_ in TYPES]


def put_values(files: Files, name: str, minutes: int, *rows: tuple[str | None, int, int | None]) -> None:
    """Rows of operation, id and which of the values (None: NULL), each column with its key before the change."""
    which = [value for _, _, value in rows]
    columns: dict[str, Any] = {"Op": [operation for operation, *_ in rows]} if rows[0][0] else {}
    columns["ts"] = [f"2024-01-31 23:{minutes:02}:00"] * len(rows)
    columns["id"] = typed(INT, *(id for _, id, _ in rows))
    for prefix in ("", "BI_") if rows[0][0] else ("",):
        # Before a change of the key it was the first value.
        for column, data_type, *values in TYPES:
            columns[prefix + column] = typed(
                data_type, *(None if value is None else values[0 if prefix else value] for value in which)
            )
    files.put(name, **columns)


@pytest.fixture(scope="module")
def built(empty_lakehouse):
    """The lakehouse after three builds, their statuses and what the first one said."""
    lakehouse = empty_lakehouse
    lakehouse.add_feed("odd", "parquet")
    lakehouse.add_feed("stamped", "parquet", "timestamp_column=ts;before_image_prefix=BI_")
    lakehouse.add_feed("headed", "csv", "header=true")
    for name in ("types_whole", "types_cut"):
        lakehouse.add_table("odd", name)
    lakehouse.add_table("odd", "reserved", "_file", renamed_columns="_was=_pos", partition_by="bucket(2, _file)")
    lakehouse.add_table("odd", "broken")
    lakehouse.add_table("odd", "comment")
    lakehouse.add_table("stamped", "controls", delete_mode="soft")
    lakehouse.add_table("headed", "header", columns="id int, op string, _deleted string, _cdc_x int")
    lakehouse.add_table("stamped", "every_soft", delete_mode="soft")
    lakehouse.add_table("stamped", "every_history", mode="history")
    lakehouse.add_table("stamped", "every_key", ";".join(KEYS))
    lakehouse.make_models()
    # Nothing that a file holds fails a model: somebody has written into it.
    with (lakehouse.project / "models/silver/s/silver_s__broken.sql").open("a") as model:
        model.write("{{ exceptions.raise_compiler_error('broken by hand') if execute }}\n")
    every = [Files(lakehouse.raw, "stamped", f"every_{name}") for name in ("soft", "history", "key")]
    reserved = Files(lakehouse.raw, "odd", "reserved")
    controls = Files(lakehouse.raw, "stamped", "controls")
    broken = Files(lakehouse.raw, "odd", "broken")
    comment = Files(lakehouse.raw, "odd", "comment")
    header = lakehouse.raw / "headed" / "s" / "header"
    header.mkdir(parents=True)
    statuses = []
    for batch in range(BATCHES):
        put_types(Files(lakehouse.raw, "odd", "types_cut"), batch)
        for files in every[:2]:
            if batch == 0:
                put_values(files, LOAD, 0, (None, 1, 0), (None, 2, None), (None, 3, 0))
            elif batch == 1:
                put_values(files, at(1), 1, ("U", 1, 1), ("U", 2, 0), ("D", 3, 0))
            else:
                put_values(files, LOAD, 2, (None, 1, 0), (None, 4, 1))
                put_values(files, at(120), 3, ("U", 4, 0))
        if batch == 0:
            put_values(every[2], LOAD, 0, (None, 1, 0))
        else:
            put_values(every[2], at(batch), batch, ("U", 1, 1))
        for number in range(BATCHES) if batch == 0 else ():
            put_types(Files(lakehouse.raw, "odd", "types_whole"), number)
        odd_names = {
            "_deleted": ["d"],
            "_partition": ["p"],
            "_spec_id": [5],
            "_CDC_sequence": ["s"],
            "_file_path": ["f"],
        }
        if batch == 0:
            reserved.put(LOAD, _file=[1], _was=["old"], source__file=["no"], **odd_names)
            controls.put(LOAD, ts=["2024-01-31 23:00:00"], id=[1], op=["add"], bi_score=[1], TS=["mine"])
            broken.put(LOAD, id=[1])
            comment.put(LOAD, id=[1], **{COMMENT: ["a"]})
            (header / f"{LOAD}.csv").write_text("id,op,_deleted,_cdc_x\n1,add,no,1\n2,add,no,1\n")
        if batch == 1:
            comment.put(at(1), Op=["U"], id=[1], **{COMMENT: ["b"]})
            reserved.put(at(1), Op=["U"], _file=[1], _pos=["new"], source__file=["yes"], **odd_names)
            controls.put(
                at(1), Op=["U"], ts=["2024-01-31 23:01:00"], id=[2], op=["sub"], bi_score=[2], TS=["own"], BI_id=[1]
            )
            (header / f"{at(1)}.csv").write_text("Op,id,op,_deleted,_cdc_x\nU,1,sub,yes,2\nD,2,add,no,1\n")
        # Tests of the first builds would only say the same: one of them, so that the last one compares a step.
        statuses.append(lakehouse.run_and_compare() if batch == BATCHES - 1 else lakehouse.statuses("run"))
        if batch == 1:
            lakehouse.statuses("test", "--select", "silver_s__every_key,test_name:silver_matches_bronze")
        if batch == 0:
            first_messages = list(lakehouse.messages)
    return lakehouse, statuses, first_messages


@pytest.mark.parametrize(("number", "case"), list(enumerate(CUTS)), ids=[name for name, *_ in CUTS])
@pytest.mark.parametrize("cut", ["whole", "cut"])
def test_types_are_decided_file_by_file_in_any_cut(built, number, case, cut):
    name, _, value, data_type, is_quarantined = case
    lakehouse, _, _ = built
    [row] = lakehouse.sql(
        f"select `{name}` as value, typeof(`{name}`) as type from silver.s__types_{cut} where id = {number}"
    )
    assert (row.value, row.type) == (value, data_type)
    rows = lakehouse.sql(
        "select _cdc_quarantine_rule as rule, _cdc_quarantine_reason as reason"
        f" from bronze.s__types_{cut} where _cdc_quarantine_content like '%\"id\":{number},%'"
    )
    assert [row.rule for row in rows] == ["uncastable_value"] * is_quarantined
    for row in rows:
        command = f""": run dbt run-operation change_types --args '{{"table": "s__types_{cut}"}}'"""
        # The first batch makes the table of all of its files.
        assert row.reason.startswith(f"{name} is '")
        assert row.reason.endswith(f", expected {data_type}{command if cut == 'cut' else ''}")


def spark_text(moment: datetime) -> str:
    """As Spark shows it: UTC, a fraction without zeros at its end."""
    text = moment.strftime("%H:%M:%S.%f").rstrip("0").rstrip(".")
    return f"{moment.date()} {text}"


@pytest.mark.parametrize("case", TYPES, ids=KEYS)
def test_every_type_keeps_its_values(built, case):
    lakehouse, _, _ = built
    name, _, *values, data_type = case[:5]
    first, second = case[5:] or values

    def shown(table: str, order: str) -> list[tuple[Any, ...]]:
        columns = f"id, if(typeof(`{name}`) in ('timestamp', 'timestamp_ntz'), string(`{name}`), null), `{name}`"
        rows = lakehouse.sql(f"select {columns}, typeof(`{name}`) from silver.s__{table} order by id, {order}")
        return [
            (id, bytes(value) if isinstance(value, bytearray) else text or value, type_)
            for id, text, value, type_ in rows
        ]

    def expected(*rows: tuple[int, Any]) -> list[tuple[Any, ...]]:
        texts = [spark_text(value) if isinstance(value, datetime) else value for _, value in rows]
        return [(id, text, data_type) for (id, _), text in zip(rows, texts, strict=True)]

    assert shown("every_soft", "_cdc_sequence") == expected((1, first), (2, first), (3, first), (4, first))
    versions = expected((1, first), (1, second), (1, first), (2, None), (2, first), (3, first), (4, second), (4, first))
    assert shown("every_history", "_cdc_sequence") == versions
    assert shown("every_key", "_cdc_sequence") == expected((1, second)), "the old key is gone"


def test_silver_matches_bronze_whatever_the_columns_are(built):
    lakehouse, statuses, _ = built
    checks = {name: status for name, status in statuses[-1].items() if name.startswith("silver_matches_bronze")}
    broken = [name for name, status in checks.items() if status != "pass" and "broken" not in name]
    assert (len(checks), broken) == (10, [])
    [check] = lakehouse.sql("select * from etl_metadata.silver_checks where silver_table like '%s__every_key%'")
    assert check.checked_at > check.compared_at, "only its step was compared last"


def test_reserved_names_get_source_in_front(built):
    lakehouse, statuses, said = built
    columns = "source__file, source__pos, source__deleted, source__partition, source__spec_id, source__CDC_sequence"
    assert lakehouse.table("reserved", f"{columns}, _file_path, source_source__file") == [
        (1, "new", "d", "p", 5, "s", "f", "yes")
    ]
    assert statuses[0]["bronze_s__reserved"] == "success"
    for name in ("_file", "_deleted", "_partition", "_spec_id", "_CDC_sequence", "source__file"):
        assert any(f"column {name} is reserved and is called source_{name} here" in text for text in said), name


def test_a_column_called_like_a_comment_of_the_project_stops_nothing(built):
    lakehouse, _, _ = built
    assert lakehouse.table("comment")[0][1] == "b"


def test_a_source_column_that_looks_like_a_control_column_is_kept(built):
    lakehouse, _, _ = built
    rows = lakehouse.table("controls", "id, op, bi_score, TS, _cdc_is_deleted, string(_cdc_committed_at)")
    assert rows == [
        (1, "add", 1, "mine", True, "2024-01-31 23:01:00"),
        (2, "sub", 2, "own", False, "2024-01-31 23:01:00"),
    ]


def test_a_header_with_such_names_is_read_by_exact_names(built):
    lakehouse, _, _ = built
    assert lakehouse.table("header", "id, op, source__deleted, source__cdc_x") == [(1, "sub", "yes", 2)]


def test_a_table_that_fails_on_the_first_build_keeps_no_view_from_being_made(built):
    lakehouse, statuses, first_messages = built
    assert statuses[0]["silver_s__broken"] == "error"
    assert any("without what these models had to bring: silver_s__broken" in line for line in first_messages)
    for view in ("quarantine", "raw_processed_files", "silver_sync_state", "run_metrics"):
        assert statuses[0][view] == "success"
        assert lakehouse.sql(f"select count(*) as number from etl_metadata.{view}")[0].number > 0


# Columns with a value in quarantine: the narrowest type that holds all, which `change_types` gives, and the value then.
CHANGED = {
    "bigint_double": ("string", "2.5"),
    "double_bigint": ("string", str(2**53 + 1)),
    "decimal_scale": ("decimal(12,4)", Decimal("2.5001")),
    "int_string": ("string", "x"),
    "date_timestamp": ("timestamp", datetime(2024, 1, 3, 4)),
}


@pytest.mark.parametrize("cut", ["whole", "cut"])
def test_one_command_gives_each_column_the_narrowest_type_that_holds_its_quarantined_value(built, cut):
    lakehouse, *_ = built
    assert lakehouse.dbt("run-operation", "change_types", "--args", f"{{table: s__types_{cut}}}").success
    for number, (name, _, value, data_type, is_quarantined) in enumerate(CUTS):
        assert is_quarantined is (name in CHANGED)
        for layer in ("bronze", "silver"):
            [row] = lakehouse.sql(f"select distinct typeof(`{name}`) as type from {layer}.s__types_{cut}")
            assert row.type == CHANGED.get(name, (data_type,))[0]
        [row] = lakehouse.sql(f"select `{name}` as value from silver.s__types_{cut} where id = {number}")
        assert row.value == (CHANGED[name][1] if is_quarantined else value)
