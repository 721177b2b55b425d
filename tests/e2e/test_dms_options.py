"""Every setting of a DMS task that changes bytes or names (docs/feeds): silver is the same.

One history of a table, written with each group of settings; all tables are built at once, load and changes together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from stories import at

from python_udfs.sample_data.dms_writer import DATE_DELIMITERS, DATE_FOLDERS, Change, Column, DmsTask, SourceTable

COLUMNS = (
    Column("id", pa.int64()),
    Column("name", pa.string()),
    Column("price", pa.decimal128(10, 2)),
    Column("seen", pa.timestamp("us")),
    Column("day", pa.date32()),
    Column("tiny", pa.uint8()),
    Column("medium", pa.uint32()),
    Column("big", pa.uint64()),
    Column("ok", pa.bool_()),
)
NAMES = [column.name for column in COLUMNS]
TYPES = (
    "id bigint, name string, price decimal(10,2), seen timestamp_ntz, day date, tiny smallint, medium bigint,"
    " big decimal(20,0), ok boolean"
)
SEQUENCE = ("AR_H_CHANGE_SEQ", "AR_H_CHANGE_SEQ")
HEADER_COLUMNS = (SEQUENCE, ("operation_word", "AR_H_OPERATION"), ("committed", "AR_H_COMMIT_TIMESTAMP"))


def row(id_: int, name: str | None, number: int | None) -> dict[str, Any]:
    """A row of the source; the number becomes a value of every type."""
    if number is None:
        return {**dict.fromkeys(NAMES), "id": id_, "name": name}
    return {
        **{"id": id_, "name": name, "price": Decimal(number) / 4},
        "seen": datetime(1969, 12, 31, 23, 59, number, 123000),
        "day": date(9999, 12, number + 1),
        **{"tiny": 255 - number, "medium": 2**32 - 1 - number, "big": 2**64 - 1 - number, "ok": number % 2 == 0},
    }


LOADED = [row(1, "one", 1), row(2, "", 2), row(3, "NULL", 3), row(4, None, None)]
# One commit: only the order of the rows distinguishes them. The second half changes keys of the first.
HISTORY = [
    ("U", row(1, 'a "b",\n\tc;|d', 4)),
    ("D", row(2, "", 2)),
    ("U", row(3, None, None)),
    ("D", row(4, None, None)),
    ("I", row(2, "again", 6)),
    ("I", row(5, "Ärger 東京 🚲\r\n", 7)),
    ("U", row(1, '"', 5)),
    ("U", row(3, "\n", 0)),
]
CHANGES = [Change(operation, image, at(1), number=number) for number, (operation, image) in enumerate(HISTORY)]
KEY_CHANGE = Change("U", row(50, "moved", 1), at(1), {"id": 5}, number=len(CHANGES))
# Values that need no quotes; the second record has one field too many where none are written.
PLAIN = [Change("U", row(1, "plain", 1), at(1)), Change("U", row(2, "one, two", 2), at(1))]
# Oracle's log of an update: the key and what changed.
PARTIAL = [Change("U", {"id": 1, "name": "part"}, at(1)), Change("U", {"id": 1, "price": None}, at(1))]


def folded(changes: Sequence[Change], captured: str = "IUD") -> list[dict[str, Any]]:
    """The rows of the source after the changes that DMS captures."""
    state = {image["id"]: image for image in LOADED}
    for change in changes:
        if change.operation in captured:
            old = state.pop(change.before.get("id", change.row["id"]), {})
            if change.operation != "D":
                state[change.row["id"]] = {**old, **change.row}
    return sorted(state.values(), key=lambda image: image["id"])


@dataclass(frozen=True)
class Variant:
    """A feed of one table: settings of the task, the metadata, and the files.

    ``columns`` are those that stand behind the table's own in a CSV file without a header. ``is_late`` writes the first
    half of the changes into the file of the later name. ``lines`` are added to the last change file. ``quarantined``
    are the rules that rows break, and what the reason holds.
    """

    settings: Mapping[str, Any]
    options: str = ""
    columns: str = ""
    changes: Sequence[Change] = tuple(CHANGES)
    captured: str = "IUD"
    is_late: bool = False
    lines: Sequence[str] = ()
    expected: list[dict[str, Any]] = field(default_factory=list)
    quarantined: Sequence[tuple[str, str]] = ()

    @property
    def is_csv(self) -> bool:
        return self.settings.get("data_format", "csv") == "csv"

    def state(self) -> list[dict[str, Any]]:
        return self.expected or folded(self.changes, self.captured)

    def write(self, root, name: str) -> None:
        settings = {"csv_quote_ambiguous_text": True, **self.settings}
        with_transactions = settings.pop("preserve_transactions", False)
        task, table = DmsTask(root / name, **settings), SourceTable("s", name, COLUMNS, ("id",))
        task.full_load(table, LOADED, at(0))
        half = len(self.changes) // 2
        parts = [self.changes[:half], self.changes[half:]] if self.is_late else [self.changes]
        for minutes, part in enumerate(reversed(parts), start=2):
            if with_transactions:
                files = [task.transactions([(table, change) for change in part], at(minutes))]
            else:
                files = task.changes(table, part, at(minutes))
        if self.lines:
            with files[-1].open("a") as file:
                file.writelines(f"{line}\n" for line in self.lines)


PARQUET = {"data_format": "parquet"}
VARIANTS = {
    "parquet_v1": Variant(PARQUET),
    "parquet_v2": Variant(
        {
            **{**PARQUET, "parquet_version": "parquet_2_0", "parquet_timestamp_in_millisecond": True},
            **{"compression": "gzip", "timestamp_column_name": "Ts", "include_op_for_full_load": True},
            **{"before_image_prefix": "BI_", "before_image_filter": "all", "header_columns": HEADER_COLUMNS[1:]},
        },
        "timestamp_column=Ts;operation_column=always;before_image_prefix=BI_",
        changes=[*CHANGES, KEY_CHANGE],
    ),
    "parquet_inserts": Variant({**PARQUET, "cdc_inserts_only": True}, "operation_column=never", captured="I"),
    "parquet_sequence": Variant(
        {**PARQUET, "header_columns": HEADER_COLUMNS}, f"change_sequence_column={SEQUENCE[0]}", is_late=True
    ),
    "csv_plain": Variant(
        {},
        lines=["I,6,zero date,1.00,2024-01-01 00:00:00.000000,0000-00-00,1,1,1,true"],
        quarantined=[("uncastable_value", "day is '0000-00-00', expected date")],
    ),
    "csv_tab": Variant(
        {
            **{"csv_delimiter": "\t", "csv_null_value": "\\N", "compression": "gzip", "timestamp_column_name": "ts"},
            **{"deletes_carry_key_only": True, "date_partition_delimiter": "DASH"},
            **{"date_partition_timezone": "Asia/Tokyo"},
        },
        "delimiter=tab;null_values=\\N;timestamp_column=ts",
    ),
    "csv_header": Variant(
        {
            **{"add_column_name": True, "csv_delimiter": ";", "timestamp_column_name": "ts"},
            **{"include_op_for_full_load": True, "before_image_prefix": "BI_", "header_columns": HEADER_COLUMNS},
        },
        "header=true;delimiter=semicolon;timestamp_column=ts;operation_column=always;before_image_prefix=BI_;"
        "change_sequence_column=ar_h_change_seq",
        changes=[*CHANGES, KEY_CHANGE],
        is_late=True,
    ),
    "csv_inserts": Variant({"cdc_inserts_only": True}, "operation_column=never", captured="I"),
    "csv_inserts_op": Variant(
        {"cdc_inserts_only": True, "include_op_for_full_load": True}, "operation_column=always", captured="I"
    ),
    "csv_upserts": Variant({"cdc_inserts_and_updates": True}, captured="IU"),
    "csv_added": Variant(
        {
            **{"use_csv_no_sup_value": True, "csv_no_sup_value": "~", "csv_delimiter": "|"},
            **{"before_image_prefix": "BI_", "header_columns": (SEQUENCE,)},
        },
        "delimiter=|;unavailable_value=~;before_image_prefix=BI_;change_sequence_column=seq",
        columns=", BI_id bigint, seq string",
        changes=[*CHANGES, KEY_CHANGE, *(replace(change, number=100 + place) for place, change in enumerate(PARTIAL))],
        is_late=True,
        lines=["D|1|~|~|~|~|~|~|~|~|NULL|2024"],
        quarantined=[("uncastable_value", "seq is '2024', expected 35 digits")],
    ),
    "csv_unquoted": Variant(
        {"rfc4180": False, "csv_null_value": "-"},
        "null_values=-",
        changes=PLAIN,
        expected=folded(PLAIN[:1]),
        quarantined=[("malformed_record", "the record has 11 fields, expected 10")],
    ),
    "transactions": Variant(
        {
            **{"preserve_transactions": True, "csv_delimiter": ";", "compression": "gzip"},
            **{"before_image_prefix": "BI_", "header_columns": (SEQUENCE,)},
        },
        "transaction_files=true;delimiter=semicolon;before_image_prefix=BI_;change_sequence_column=seq",
        columns=", BI_id bigint, seq string",
        changes=[*CHANGES, KEY_CHANGE],
        is_late=True,
    ),
}
DATE_FORMS = list(product(DATE_DELIMITERS, DATE_FOLDERS))


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse):
    lakehouse = empty_lakehouse
    for name, variant in VARIANTS.items():
        lakehouse.add_feed(name, "csv" if variant.is_csv else "parquet", variant.options)
        lakehouse.add_table(name, name, columns=f"{TYPES}{variant.columns}" if variant.is_csv else "")
        variant.write(lakehouse.raw, name)
    lakehouse.add_feed("folders", "parquet")
    lakehouse.add_table("folders", "folders")
    write_folders(lakehouse.raw / "folders")
    lakehouse.make_models()
    lakehouse.built = lakehouse.statuses("run")
    return lakehouse


def write_folders(root) -> None:
    """A load in parts, more than fifteen files in one of them, and a change file in each form of date folders."""
    table = SourceTable("s", "folders", COLUMNS[:2], ("id",))
    rows = [{"id": number, "name": "loaded"} for number in range(20 + len(DATE_FORMS))]
    task = DmsTask(root, data_format="parquet")
    task.full_load(table, rows[:20], at(0), rows_per_file=1)
    task.full_load(table, rows[20:30], at(0), segment=1)
    task.full_load(table, rows[30:], at(0), segment="region=eu")
    for number, (delimiter, sequence) in enumerate(DATE_FORMS):
        task = DmsTask(root, "parquet", date_partition_delimiter=delimiter, date_partition_sequence=sequence)
        moment = at(55 + number)  # midnight is among them
        task.changes(table, [Change("U", {"id": 0, "name": f"{number}"}, moment)], moment)
        task.changes(table, [Change("U", {"id": 20 + number, "name": delimiter + sequence}, moment)], at(900 + number))


def test_every_model_is_built(lakehouse):
    assert set(lakehouse.built.values()) == {"success"}, lakehouse.messages


@pytest.mark.parametrize("name", VARIANTS)
def test_silver_is_the_same_whatever_the_settings(lakehouse, name):
    rows = lakehouse.sql(f"select {', '.join(NAMES)} from silver.s__{name} order by id")
    assert [row.asDict() for row in rows] == VARIANTS[name].state()


def test_only_what_can_not_be_read_is_in_quarantine(lakehouse):
    quarantined = {name: [] for name in VARIANTS}
    for row in lakehouse.sql("select source_table, rule, reason from etl_metadata.quarantine order by 1, 2"):
        quarantined[row.source_table].append((row.rule, row.reason))
    assert quarantined == {name: list(variant.quarantined) for name, variant in VARIANTS.items()}


def test_what_dms_adds_is_no_column_of_the_source(lakehouse):
    for name in VARIANTS:
        described = lakehouse.sql(f"describe silver.s__{name}")
        columns = [column.col_name for column in described if column.col_name and column.col_name[0] not in "#_"]
        words = {"operation_word", "committed"} if name in ("parquet_v2", "parquet_sequence", "csv_header") else set()
        assert set(columns) == {*NAMES, *words}


def test_loads_in_parts_and_date_folders_of_every_form_are_read(lakehouse):
    actual = [tuple(row) for row in lakehouse.sql("select id, name from silver.s__folders order by id")]
    forms = [(20 + number, delimiter + sequence) for number, (delimiter, sequence) in enumerate(DATE_FORMS)]
    assert actual == [(0, str(len(DATE_FORMS) - 1)), *((number, "loaded") for number in range(1, 20)), *forms]
    objects = lakehouse.sql(
        "select count(*) as n, count_if(status = 'ingested') as ingested from etl_metadata.raw_processed_files"
        " where feed = 'folders'"
    )
    assert [tuple(row) for row in objects] == [(20 + 2 + 2 * len(DATE_FORMS),) * 2]
