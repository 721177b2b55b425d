"""A delete needs its key only (docs/architecture.md): the same rows and deletes in every source format.

The first build brings rows 1 to 6. The second brings deletes whose images hold what their columns cannot, deletes whose
key is not whole, and, where the format has before images, changes of the key.
"""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.proof import IS_PROOF

DAY = date(2021, 7, 1)
COLUMNS = "id int, part int, name string, n int, day date, raw binary"
NAMES = ("id", "part", "name", "n", "day", "raw")
DAYS = (DAY - date(1970, 1, 1)).days
# Format of a table: connector, file format and options of its feed.
FEEDS = {
    "parquet": ("dms", "parquet", ""),
    "strict": ("dms", "parquet", ""),
    "csv": ("dms", "csv", ""),
    "header": ("dms", "csv", "header=true;before_image_prefix=BI_"),
    "transactions": ("dms", "csv", "transaction_files=true"),
    "dms_kafka": ("dms_kafka", "json", "absent_columns=keep"),
    "envelope": ("debezium", "json", ""),
    "flattened": ("debezium", "json", "form=flattened"),
    "maxwell": ("maxwell", "json", ""),
    "canal": ("canal", "json", ""),
}
if not IS_PROOF:
    # `make prove` builds all formats.
    FEEDS = {form: FEEDS[form] for form in ("parquet", "csv", "transactions", "envelope", "flattened", "canal")}
MESSAGES = [form for form in ("dms_kafka", "envelope", "flattened", "maxwell", "canal") if form in FEEDS]
WITH_BEFORE_IMAGES = [form for form in ("header", "dms_kafka", "envelope", "maxwell", "canal") if form in FEEDS]
PEOPLE = {1: "Ada", 2: "Bo", 3: "Cy", 4: "Di", 6: "Ed"}
# As PostgreSQL's default replica identity fills columns that are NOT NULL, and as no column can hold it.
PLACEHOLDERS = {"name": "", "n": 0, "day": None}
UNREADABLE = {
    **{form: {"name": "", "n": "many", "day": "0000-00-00", "raw": "***"} for form in ("dms_kafka", "maxwell")},
    **{form: {"name": "", "n": "no number", "day": "soon", "raw": "***"} for form in ("envelope", "flattened")},
    "canal": {"name": "", "n": "many", "day": "0000-00-00", "raw": "€"},
}


def person(number: int, part: Any = 1) -> dict[str, Any]:
    return {"id": number, "part": part, "name": PEOPLE[number], "n": 12, "day": str(DAY), "raw": None}


class Landing:
    """Puts what a build finds into the location of each feed."""

    def __init__(self, root) -> None:
        self.root = root
        self.offset = 0

    def text(self, table: str, name: str, *lines: str) -> None:
        folder = self.root / table / ("cdc" if name.startswith("CDC_TXN") else f"s/{table}")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))

    def parquet(self, table: str, file: str, rows: list[dict[str, Any]], **types: Any) -> None:
        folder = self.root / table / "s" / table
        folder.mkdir(parents=True, exist_ok=True)
        schema = pa.schema(list(types.items()))
        pq.write_table(pa.Table.from_pylist(rows, schema), folder / file)

    def messages(self, table: str, *messages: Any) -> None:
        folder = self.root / table / "topics" / f"src.s.{table}" / "partition=0"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"src.s.{table}+0+{self.offset:010d}.json"
        (folder / name).write_text("".join(f"{json.dumps(message)}\n" for message in messages))
        self.offset += len(messages)


def message(form: str, operation: str, image: dict[str, Any], before: dict[str, Any] | None = None) -> Any:
    """One change in the words of a tool: operation I, U or D, the row after it (a delete: before it), values before."""
    names = {"I": "insert", "U": "update", "D": "delete"}
    if form == "dms_kafka":
        metadata = {"timestamp": "2024-01-31T12:00:00.000000Z", "record-type": "data", "operation": names[operation]}
        metadata |= {"partition-key-type": "schema-table", "schema-name": "s", "table-name": form}
        return {"data": image, "metadata": metadata} | ({"before-image": before} if before else {})
    if form == "maxwell":
        body = {"database": "s", "table": form, "type": names[operation], "ts": 1706702400, "data": image}
        return body | ({"old": before} if before else {})
    if form == "canal":
        body = {"database": "s", "table": form, "type": names[operation].upper(), "es": 1706702400000, "isDdl": False}
        types = {"id": "int", "part": "int", "name": "varchar(9)", "n": "int", "day": "date", "raw": "blob"}
        rows = [
            {name: None if value is None else str(value) for name, value in row.items()}
            for row in (image, before or {})
        ]
        return body | {"data": rows[:1], "old": rows[1:] if before else None, "mysqlType": types, "sqlType": {}}
    image = {**image, "day": DAYS} if image.get("day") == str(DAY) else image
    op = {"I": "c", "U": "u", "D": "d"}[operation]
    if form == "flattened":
        return {
            **image,
            "__op": op,
            "__deleted": str(operation == "D").lower(),
            "__table": form,
            "__db": "s",
            "__connector": "mysql",
        }
    source = {
        "connector": "mysql",
        "ts_ms": 1,
        "snapshot": "false",
        "db": "s",
        "table": form,
        "file": "mysql-bin.000001",
    }
    sides = {"before": image, "after": None} if operation == "D" else {"before": before, "after": image}
    message.position = getattr(message, "position", 0) + 1
    return {**sides, "source": {**source, "pos": message.position, "row": 0}, "op": op, "ts_ms": 9}


def land_first(landing: Landing) -> None:
    line = "{id},1,{name},12,2021-07-01,"
    lines = [line.format(id=number, name=name) for number, name in PEOPLE.items()]
    landing.text("csv", "LOAD00000001.csv", *lines)
    landing.text("transactions", "CDC_TXN-20240131235900000.csv", *(f"I,transactions,s,{line}" for line in lines))
    landing.text("header", "LOAD00000001.csv", "id,part,name,n,day,raw,BI_id,BI_part", *(f"{line},," for line in lines))
    for table in ("parquet", "strict"):
        rows = [{**person(number), "day": DAY} for number in PEOPLE]
        typed = {"id": pa.int32(), "part": pa.int32(), "name": pa.string(), "n": pa.int32(), "day": pa.date32()}
        landing.parquet(table, "LOAD00000001.parquet", rows, **typed)
    for form in MESSAGES:
        landing.messages(form, *(message(form, "I", person(number)) for number in PEOPLE))


def land_second(landing: Landing) -> None:
    deletes = ("D,{}1,1,,many,0000-00-00,", "D,{}2,x,Bo,12,2021-07-01,", "D,{}9,9,,0,,", "D,{}3")
    landing.text("csv", "20240201-000000000.csv", *(delete.format("") for delete in deletes))
    landing.text(
        "transactions", "CDC_TXN-20240201000000000.csv", *(delete.format("transactions,s,") for delete in deletes)
    )
    landing.text(
        "header",
        "20240201-000000000.csv",
        "Op,id,part,name,n,day,raw,BI_id,BI_part",
        *("D,1,1,,many,0000-00-00,,odd,odd", "D,2,x,Bo,12,2021-07-01,,,", "D,9,9,,0,,,,"),
        *("U,5,1,Di,12,2021-07-01,,4,1", "U,7,1,Ed,12,2021-07-01,,six,1"),
    )
    landing.text("header", "20240201-000001000.csv", "Op,id,name", "D,3,Cy")
    op, text, int32 = {"Op": pa.string()}, pa.string(), pa.int32()
    for table in ("parquet", "strict"):
        rows = [
            {"Op": "D", "id": 1, "part": "1", "name": "", "n": "many", "day": "0000-00-00", "more": "x"},
            {"Op": "D", "id": 2, "part": "x", "name": "Bo", "n": "12", "day": "2021-07-01", "more": "x"},
        ]
        changed = {"part": text, "name": text, "n": text, "day": text, "more": text}
        landing.parquet(table, "20240201-000000000.parquet", rows, **op, id=int32, **changed)
        landing.parquet(table, "20240201-000001000.parquet", [{"Op": "D", "id": 3}], **op, id=int32, name=text)
        row = {"Op": "D", "id": 9, "part": 9, "name": "", "n": 0}
        landing.parquet(
            table, "20240201-000002000.parquet", [row], **op, id=int32, part=int32, name=text, n=int32, day=pa.date32()
        )
    for form in MESSAGES:
        landing.messages(
            form,
            message(form, "D", {"id": 1, "part": 1, **UNREADABLE[form]}),
            message(form, "D", {**person(2), "part": "???"}),
            message(form, "D", {"id": 3, "name": "Cy"}),
            message(form, "D", {"id": 9, "part": 9, **PLACEHOLDERS}),
        )
    for form in set(WITH_BEFORE_IMAGES) & set(MESSAGES):
        landing.messages(
            form,
            message(form, "U", {**person(4), "id": 5}, {"id": 4, "part": 1, **UNREADABLE[form]}),
            message(form, "U", {**person(6), "id": 7}, {"id": "???", "part": 1}),
        )


class Deletes:
    def __init__(self, lakehouse) -> None:
        self.lakehouse = lakehouse
        landing = Landing(lakehouse.raw)
        for table, (connector, data_format, options) in FEEDS.items():
            lakehouse.add_feed(table, data_format, options, connector)
            columns = "" if data_format == "parquet" else COLUMNS
            if table == "header":
                columns += ", BI_id int, BI_part int"
            cells = {"schema_drift": "quarantine"} if table == "strict" else {}
            lakehouse.add_table(table, table, "id;part", columns, delete_mode="soft", **cells)
        lakehouse.make_models()
        self.built = []
        for land in (land_first, land_second):
            land(landing)
            self.built.append(lakehouse.run_and_compare() if land is land_second else lakehouse.statuses("run"))

    def rows(self, table: str, where: str) -> list[tuple[Any, ...]]:
        query = f"select id, part, name, n, day, _cdc_is_deleted from silver.s__{table} where {where} order by id"
        return [tuple(row) for row in self.lakehouse.sql(query)]

    def reasons(self, table: str, operation: str, number: int) -> list[tuple[Any, ...]]:
        query = (
            f"select _cdc_quarantine_rule, _cdc_quarantine_reason from bronze.s__{table}"
            f" where _cdc_operation = '{operation}' and _cdc_quarantine_content rlike '(?<![0-9]){number}(?![0-9])'"
        )
        return [tuple(row) for row in self.lakehouse.sql(query)]


@pytest.fixture(scope="module")
def deletes(empty_lakehouse) -> Deletes:
    return Deletes(empty_lakehouse)


def test_both_builds_pass_and_the_folds_agree(deletes):
    bad = [
        {name: status for name, status in built.items() if status not in ("success", "pass")} for built in deletes.built
    ]
    assert bad == [{}, {}]


@pytest.mark.parametrize("table", FEEDS)
def test_a_delete_with_its_key_applies_whatever_else_its_image_holds(deletes, table):
    assert deletes.rows(table, "id = 1") == [(1, 1, "Ada", 12, DAY, True)], "marked, with the last image of the source"
    [row] = deletes.lakehouse.sql(
        f"select n, day, _cdc_quarantine_rule from bronze.s__{table} where _cdc_operation = 'D' and id = 1"
    )
    assert tuple(row) == (None, None, None), "a value that cannot be read is NULL in bronze"


@pytest.mark.parametrize("table", FEEDS)
def test_a_delete_of_a_key_that_never_came_leaves_its_key(deletes, table):
    assert deletes.rows(table, "id = 9") == [(9, 9, None, None, None, True)]


@pytest.mark.parametrize("table", FEEDS)
@pytest.mark.parametrize("number", [2, 3])
def test_a_delete_whose_key_is_not_whole_waits_in_quarantine(deletes, table, number):
    assert deletes.rows(table, f"id = {number}") == [(number, 1, PEOPLE[number], 12, DAY, False)]
    if number == 3 and table in ("parquet", "strict"):
        # All rows of a parquet file lack the column: the file is rejected.
        sql = "select reason from etl_metadata.rejected_files where path like "
        [row] = deletes.lakehouse.sql(f"{sql}'%/{table}/s/{table}/20240201-000001000.parquet'")
        assert row.reason == "has no key column 'part'; its columns are 'Op', 'id', 'name'"
        return
    [(rule, reason)] = deletes.reasons(table, "D", number)
    if number == 2:
        assert "part" in reason and ("'x'" in reason or "'???'" in reason)
    elif table in ("csv", "transactions"):
        assert rule == "malformed_record"
    else:
        assert (rule, reason) == ("missing_key", "a delete without key column part, expected the whole key")


@pytest.mark.parametrize("table", WITH_BEFORE_IMAGES)
def test_of_the_row_before_an_update_only_the_key_counts(deletes, table):
    assert deletes.rows(table, "id in (4, 5)") == [(4, 1, "Di", 12, DAY, True), (5, 1, "Di", 12, DAY, False)]


@pytest.mark.parametrize("table", WITH_BEFORE_IMAGES)
def test_an_update_whose_old_key_cannot_be_read_waits_in_quarantine(deletes, table):
    assert deletes.rows(table, "id in (6, 7)") == [(6, 1, "Ed", 12, DAY, False)]
    [(_, reason)] = deletes.reasons(table, "U", 7)
    assert "id" in reason and ("'six'" in reason or "'???'" in reason)
