"""The facts in the names of DMS files (docs/feeds/dms_format.md)."""

from __future__ import annotations

from datetime import datetime

import pytest

from python_udfs.connectors.file_names import list_reasons_without_rows

PARQUET = {"connector": "dms", "format": "parquet", "is_multi_table": False}
MULTI_TABLE = {**PARQUET, "is_multi_table": True}
AT = datetime(2024, 1, 31, 23, 1, 2)


def test_names_tell_kind_table_and_file_time(parse_names):
    expected = {
        "s/t/LOAD00000001.parquet": ("t", "load", None),
        "s/t/LOAD0000000A.parquet": ("t", "load", None),
        "s/t/SEGMENT2_LOAD00009.parquet": ("t", "load", None),
        "s/t/range_1/LOAD00000001.parquet": ("t", "load", None),
        "s/t/20240131-230102.parquet": ("t", "change", AT),
        "s/t/20240131-230102123.parquet": ("t", "change", AT.replace(microsecond=123000)),
        "s/t/20240131-2301021234.parquet.gz": ("t", "change", AT.replace(microsecond=123400)),
        "s/t/20240131-230102123456.parquet": ("t", "change", AT.replace(microsecond=123456)),
        "s/t/2024/01/31/20240131-230102.parquet": ("t", "change", AT),
        "s/t'é%+#/2024-01-31/20240131-230102999.parquet": ("t'é%+#", "change", AT.replace(microsecond=999000)),
    }
    rows = parse_names(PARQUET, *expected).values()
    assert {row.file_key: (row.source_table, row.kind, row.file_time) for row in rows} == expected
    assert {(row.source_schema, row.ignored_reason) for row in rows} == {("s", None)}


def test_what_is_no_data_is_ignored_with_its_reason(parse_names):
    expected = {
        "s/awsdms_status/LOAD00000001.parquet": "DMS control table",
        "s3_validation_failures/t/LOAD00000001.parquet": "DMS validation report",
        "in/s3_validation_failures/t/LOAD00000001.parquet": "DMS validation report",
        "s/t/LOAD00000002.parquet.tmp": "temporary file",
        "s/t/LOAD00000002.parquet~": "temporary file",
        "s/t/LOAD00000003.csv": "the feed reads .parquet files",
        "s/t/LOAD00000003xparquet": "the feed reads .parquet files",
        "s/t/a.part.parquet": "the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>",
        "s/t/notes.parquet": "the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>",
        "s/t/LOAD0001.parquet": "the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>",
        "s/t/20240131-23010.parquet": "the name is neither LOAD<hex number> nor <yyyymmdd>-<hhmmss…>",
        "s/t/20241399-230102123.parquet": "the name holds no valid date and time",
        "LOAD00000001.parquet": "not in a <schema>/<table>/ folder of the feed's location",
        "s/LOAD00000001.parquet": "not in a <schema>/<table>/ folder of the feed's location",
    }
    assert {key: row.ignored_reason for key, row in parse_names(PARQUET, *expected).items()} == expected
    (empty,) = parse_names(PARQUET, ("s/t/LOAD00000001.parquet", 0)).values()
    assert empty.ignored_reason == "zero-byte file"


def test_transaction_files_are_multi_table_and_belong_to_no_table_wherever_they_are(parse_names):
    keys = (
        "CDC_TXN-20240131230102123.csv",
        "cdc/CDC_TXN-20240131230102123.csv.gz",
        "a/b/c/CDC_TXN-20240131230102123.csv",
    )
    for row in parse_names(MULTI_TABLE, *keys).values():
        assert (row.kind, row.ignored_reason, row.source_schema, row.source_table) == ("multi_table", None, None, None)
        assert row.file_time == AT.replace(microsecond=123000)
    (load,) = parse_names(MULTI_TABLE, "s/t/LOAD00000001.parquet").values()
    assert (load.kind, load.source_table, load.ignored_reason) == ("load", "t", None)


def test_transaction_files_that_are_not_asked_for_or_not_right_are_ignored(parse_names):
    key = "a/b/CDC_TXN-20240131230102123.csv"
    row = parse_names(PARQUET, key)[key]
    assert row.ignored_reason == "transaction file: the feed has no option transaction_files"
    assert row.source_table is None
    expected = {
        "cdc/CDC_TXN-20241399230102123.csv": "the name holds no valid date and time",
        "cdc/CDC_TXN-20240131230102123.csv.tmp": "temporary file",
        "cdc/CDC_TXN-20240131230102123.parquet": "not in a <schema>/<table>/ folder of the feed's location",
        "cdc/CDC_TXN-20240131230102123.csv.bak": "not in a <schema>/<table>/ folder of the feed's location",
        "cdc/CDC_TXN-2024013123010.csv": "not in a <schema>/<table>/ folder of the feed's location",
    }
    assert {key: row.ignored_reason for key, row in parse_names(MULTI_TABLE, *expected).items()} == expected


@pytest.mark.parametrize("data_format", ["parquet", "csv"])
def test_files_without_the_ending_of_the_feed_count_as_unread(parse_names, data_format):
    """`most_files_of_a_feed_are_read` leaves out only those that hold no rows of the source."""
    names = ("LOAD00000001", "LOAD00000001.gz", "LOAD00000001.json", "20240131-230100000", "20240131-230100000.gz", "a")
    rows = parse_names({**PARQUET, "format": data_format}, *(f"s/t/{name}" for name in names))
    assert len(rows) == len(names)
    assert {key for key, row in rows.items() if row.ignored_reason in (None, *list_reasons_without_rows())} == set()
