"""`make discover` as a command, on databases of SQLite: rows, seeds, report and mistakes."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from seed_files import drop_column, good_seeds, write_seeds
from sqlalchemy.engine import make_url

from python_udfs.codegen.render import render
from python_udfs.discover.__main__ import _location, main
from python_udfs.discover.connector import write_connector_config
from python_udfs.discover.found import Found, FoundColumn, FoundTable
from python_udfs.discover.propose import propose
from python_udfs.discover.reflect import _reason
from python_udfs.drift.changes import NEW_COLUMN_REMEDY, TYPE_REMEDY
from python_udfs.metadata import COLUMNS_FILE, FEEDS_FILE, HEADERS, TABLES_FILE, load_metadata

SHOP = """
create table item (id integer primary key, name varchar(20), price decimal(10, 2), sold timestamp, raw blob);
create table line (item integer not null, place integer not null, what, primary key (item, place));
create table log (at date not null, what text, unique (at), unique (what));
create unique index log_some on log (what) where what > 'a';
create table awsdms_status (id integer primary key);
create view items as select * from item;
"""


@pytest.fixture
def shop(tmp_path):
    """URL of a database with three tables and a view."""
    return database(tmp_path / "shop.db", SHOP)


@pytest.fixture
def project(tmp_path):
    """A project whose seeds have `shop.item` and `hr.staff`."""
    write_seeds(tmp_path / "project", good_seeds())
    return tmp_path / "project"


def database(path, script):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return f"sqlite:///{path}"


def discover(project, source, feed="till", **options):
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return main(["--source", source, "--feed", feed, "--project-dir", str(project), *words])


def rows(folder, name):
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def names(project, folder="discovered"):
    return [row["source_table"] for row in rows(project / folder, TABLES_FILE)]


def test_rows_are_proposed_in_the_headers_of_the_seeds_and_nothing_else_changes(project, shop, capsys):
    before = {path: path.read_bytes() for path in (project / "seeds").iterdir()}
    assert discover(project, shop) == 0
    assert {path: path.read_bytes() for path in (project / "seeds").iterdir()} == before
    assert sorted(path.name for path in project.iterdir()) == ["discovered", "seeds"]
    for name, header in HEADERS.items():
        assert (project / "discovered" / name).read_text().splitlines()[0] == ",".join(header)
    assert rows(project / "discovered", FEEDS_FILE) == [
        {
            "feed": "till",
            "connector": "dms",
            "format": "parquet",
            "location": "till",
            "options": "",
            "description": "Discovered in sqlite: main",
        }
    ]
    described = [
        (row["source_table"], row["primary_key"], row["mode"]) for row in rows(project / "discovered", TABLES_FILE)
    ]
    assert described == [("item", "id", "current"), ("line", "item;place", "current"), ("log", "", "append")]
    columns = rows(project / "discovered", COLUMNS_FILE)
    assert [(row["position"], row["column_name"], row["data_type"]) for row in columns[:5]] == [
        ("1", "id", "bigint"),
        ("2", "name", "string"),
        ("3", "price", "decimal(10,2)"),
        ("4", "sold", "timestamp_ntz"),
        ("5", "raw", "binary"),
    ]
    assert "Nothing else was changed" in capsys.readouterr().out


def test_proposed_rows_make_models(project, shop):
    discover(project, shop)
    proposal = load_metadata(project / "discovered")
    assert [table.target_table for table in proposal.active_tables] == ["main__item", "main__line", "main__log"]
    assert "models/silver/main/silver_main__log.sql" in render(proposal, project / "discovered")


def test_the_report_has_a_line_per_table_and_gives_each_advice_once(project, shop, capsys):
    discover(project, shop)
    out = capsys.readouterr().out
    assert "main.item  id                5\n" in out
    assert "main.log   none              2  no key\n" in out
    assert out.count("No primary key: proposed is mode append") == 1
    # Its columns are never NULL, those of the other may be; a partial index holds for some rows only.
    assert (
        "  main.log: unique index unnamed (at) could serve as key; unique index unnamed (what) could serve as key, if"
        in out
    )
    assert "what is never NULL\n" in out and "log_some" not in out
    assert "order: Changes of DMS" in out and "the feed has no timestamp_column either" in out


def test_some_tables_are_chosen_by_pattern(project, shop):
    assert discover(project, shop, tables="L% nothing") == 0
    assert names(project) == ["line", "log"]


@pytest.mark.parametrize("name", ["item", "it_m", "%"])
def test_an_underscore_stands_for_any_character(project, shop, name):
    assert discover(project, shop, tables=name) == 0
    assert "item" in names(project)


# Appending -----------------------------------------------------------------------------------------------------------


def test_append_adds_what_the_seeds_lack_and_keeps_every_line(project, shop, capsys):
    before = {name: (project / "seeds" / name).read_bytes() for name in HEADERS}
    assert discover(project, shop, append="1") == 0
    for name in HEADERS:
        assert (project / "seeds" / name).read_bytes().startswith(before[name])
    assert names(project, "seeds") == ["item", "staff", "item", "line", "log"]
    assert "seeds/cdc_tables.csv: 3 rows added" in capsys.readouterr().out
    assert len(load_metadata(project / "seeds").tables) == 5


def test_append_again_adds_nothing(project, shop, capsys):
    discover(project, shop, append="1")
    before = {name: (project / "seeds" / name).read_bytes() for name in HEADERS}
    capsys.readouterr()
    assert discover(project, shop, append="1") == 0
    assert {name: (project / "seeds" / name).read_bytes() for name in HEADERS} == before
    assert capsys.readouterr().out.count(": 0 rows added") == 3


def test_append_keeps_the_line_ends_the_order_of_columns_and_a_missing_last_line_end(project, shop):
    path = project / "seeds" / FEEDS_FILE
    path.write_bytes(
        b"\xef\xbb\xbflocation,feed,connector,format,options,description\r\n"
        b"shop,shop,dms,parquet,,\r\npeople,people,dms,csv,header=true,"
    )
    assert discover(project, shop, append="1") == 0
    text = path.read_bytes().decode("utf-8-sig")
    assert text.endswith("header=true,\r\ntill,till,dms,parquet,,Discovered in sqlite: main\r\n")


def test_a_column_added_at_the_source_is_appended_as_optional(project, tmp_path):
    source = database(tmp_path / "one.db", "create table t (id integer primary key, a text)")
    discover(project, source, append="1")
    database(tmp_path / "one.db", "alter table t add column b integer")
    assert discover(project, source, append="1") == 0
    mine = [row for row in rows(project / "seeds", COLUMNS_FILE) if row["feed"] == "till"]
    assert [(row["column_name"], row["position"], row["optional"]) for row in mine] == [
        ("id", "1", "false"),
        ("a", "2", "false"),
        ("b", "3", "true"),
    ]


def test_columns_of_a_known_table_that_is_otherwise_ordered_are_left_alone(project, tmp_path):
    source = database(tmp_path / "one.db", "create table t (id integer primary key, a text, b text)")
    discover(project, source, append="1")
    database(tmp_path / "one.db", "drop table t; create table t (id integer primary key, new text, a text, b text)")
    assert discover(project, source, append="1") == 0
    assert [row["column_name"] for row in rows(project / "seeds", COLUMNS_FILE)[5:]] == ["id", "a", "b"]


CHANGED = """drop table t;
create table t (id integer, no integer, name varchar(9), plan varchar(9) default 'basic', price decimal(12, 2),
    primary key (id, no));"""


def test_a_table_that_is_otherwise_than_in_the_seeds_is_reported(project, tmp_path, capsys):
    first = "create table t (id integer primary key, title varchar(9), price decimal(9, 2), sold date);"
    source = database(tmp_path / "one.db", first)
    discover(project, source, append="1")
    seeds = rows(project / "seeds", COLUMNS_FILE)
    capsys.readouterr()
    assert discover(project, source) == 0
    assert not [label for label in CHANGES if label in capsys.readouterr().out], "nothing has changed"

    discover(project, database(tmp_path / "one.db", CHANGED))
    said = capsys.readouterr().out
    details = {label: said[said.index(f"\n{label}: ") :].split("main.t: ", 1)[1].splitlines()[0] for label in CHANGES}
    assert details == {
        "type changed": "price is decimal(12,2), the seeds have decimal(9,2) (widens)",
        "renamed?": "title=name, title=plan",
        "column gone": "title, sold",
        "new column": "no bigint, name string, plan string",
        "other key": "id;no, the seeds have id",
    }
    words = " ".join(said.split())
    assert NEW_COLUMN_REMEDY in words and TYPE_REMEDY in words and "renamed_columns" in words
    assert rows(project / "seeds", COLUMNS_FILE) == seeds


def test_types_that_are_one_in_a_table_are_no_change(project, tmp_path, capsys):
    source = database(tmp_path / "one.db", "create table t (id integer primary key, a text, n smallint)")
    discover(project, source, append="1")
    path = project / "seeds" / COLUMNS_FILE
    path.write_text(path.read_text().replace(",a,string,", ",a,varchar(9),").replace(",n,smallint,", ",n,int,"))
    capsys.readouterr()
    assert discover(project, source) == 0
    assert "type changed" not in capsys.readouterr().out


def test_files_show_what_has_changed_since_the_seeds(project, tmp_path, capsys):
    folder = tmp_path / "raw" / "s" / "t"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": [1], "v": [1], "w": ["x"]}), folder / "LOAD00000001.parquet")
    discover(project, str(tmp_path / "raw"), append="1")
    newer = {"Op": ["U"], "id": ["a"], "amount": [1], "w": ["x"]}
    pq.write_table(pa.table(newer), folder / "20240131-230000000.parquet")
    capsys.readouterr()
    assert discover(project, str(tmp_path / "raw")) == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines() if line.startswith("  s.t: ")]
    assert {line.removeprefix("s.t: ") for line in lines} >= {
        "id is string, the seeds have bigint",
        "v=amount",
        "v",
        "amount bigint",
    }


def test_headers_show_what_has_changed_and_guessed_types_do_not(project, tmp_path, capsys):
    folder = tmp_path / "raw" / "s" / "t"
    folder.mkdir(parents=True)
    (folder / "LOAD00000001.csv").write_text("id,v\n1,a\n")
    discover(project, str(tmp_path / "raw"), append="1")
    (folder / "20240131-230000000.csv").write_text("Op,id,w\nU,x,b\n")
    capsys.readouterr()
    assert discover(project, str(tmp_path / "raw")) == 0
    said = capsys.readouterr().out
    assert "type changed" not in said
    assert "s.t: v=w\n" in said and "s.t: v\n" in said and "s.t: w string\n" in said


def test_records_without_names_show_another_number_of_columns(project, tmp_path, capsys):
    folder = tmp_path / "raw" / "s" / "t"
    folder.mkdir(parents=True)
    (folder / "LOAD00000001.csv").write_text("1,a\n")
    discover(project, str(tmp_path / "raw"), append="1")
    capsys.readouterr()
    discover(project, str(tmp_path / "raw"))
    assert "other columns" not in capsys.readouterr().out
    (folder / "20240131-230000000.csv").write_text("U,2,b,c\n")
    discover(project, str(tmp_path / "raw"))
    assert "s.t: 3 fields, the seeds have 2\n" in capsys.readouterr().out


CHANGES = ("type changed", "renamed?", "column gone", "new column", "other key")


def test_append_writes_nothing_that_would_not_be_valid(project, shop, capsys):
    seeds = good_seeds()
    seeds[FEEDS_FILE][0]["location"] = "till/shop"
    write_seeds(project, seeds)
    before = {name: (project / "seeds" / name).read_bytes() for name in HEADERS}
    assert discover(project, shop, append="1") == 1
    assert {name: (project / "seeds" / name).read_bytes() for name in HEADERS} == before
    error = capsys.readouterr().err
    assert "seeds/cdc_feeds.csv line 4, column location" in error and "Nothing was added to the seeds" in error


def test_a_feed_of_the_seeds_is_taken_as_it_is(project, shop):
    assert discover(project, shop, feed="people", append="1") == 0
    assert rows(project / "discovered", FEEDS_FILE) == [rows(project / "seeds", FEEDS_FILE)[1]]


def test_a_project_without_seeds_gets_them(tmp_path, shop):
    (tmp_path / "seeds").mkdir()
    assert discover(tmp_path, shop, append="1") == 0
    assert len(load_metadata(tmp_path / "seeds").tables) == 3


# Names ---------------------------------------------------------------------------------------------------------------


def targets(project, folder="discovered"):
    return [(row["source_table"], row["target_table"]) for row in rows(project / folder, TABLES_FILE)]


def test_tables_of_one_feed_whose_names_meet_get_target_tables(project, tmp_path, capsys):
    script = "".join(f'create table "{name}" (id integer primary key);' for name in ("A-b", "A b", "a_b"))
    source = database(tmp_path / "one.db", script)
    assert discover(project, source, append="1") == 0
    proposed = targets(project)
    assert sorted(target for _, target in proposed) == ["", "till_main__a_b", "till_main__a_b_2"]
    assert "of feed till: till_main__a_b_2" in capsys.readouterr().out
    # Once they are in the seeds they keep these names, whichever is found first.
    assert discover(project, source, append="1") == 0
    assert targets(project) == proposed
    assert len(load_metadata(project / "seeds").tables) == len(good_seeds()[TABLES_FILE]) + len(proposed)


def test_a_table_that_another_feed_has_gets_a_target_table(project, shop, capsys):
    seeds = good_seeds()
    for row in (*seeds[TABLES_FILE][:1], *seeds[COLUMNS_FILE][:2]):
        row["source_schema"] = "MAIN"
    write_seeds(project, seeds)
    assert discover(project, shop, append="1") == 0
    assert targets(project) == [("item", "till_main__item"), ("line", ""), ("log", "")]
    assert "main.item: as MAIN.item of feed shop: till_main__item" in capsys.readouterr().out
    assert "till_main__item" in [table.target_table for table in load_metadata(project / "seeds").tables]


@pytest.mark.parametrize("name", ["_cdc_x", " padded", "Op"])
def test_a_column_that_no_row_can_name_makes_its_table_inactive(project, tmp_path, capsys, name):
    source = database(tmp_path / "one.db", f'create table t (id integer primary key, "{name}" text)')
    assert discover(project, source, append="1") == 0
    assert [row["active"] for row in rows(project / "discovered", TABLES_FILE)] == ["false"]
    assert [row["column_name"] for row in rows(project / "discovered", COLUMNS_FILE)] == ["id"]
    assert f"main.t: {name!r}" in capsys.readouterr().out


def test_a_key_that_a_cell_cannot_hold_is_no_key(project, tmp_path, capsys):
    assert (
        discover(project, database(tmp_path / "one.db", 'create table t ("a;b" integer primary key)'), append="1") == 0
    )
    (row,) = rows(project / "discovered", TABLES_FILE)
    assert (row["primary_key"], row["mode"], row["active"]) == ("", "append", "false")
    assert "main.t: 'a;b'" in capsys.readouterr().out


def test_before_images_of_the_key_get_their_position_in_csv_without_names(project, shop):
    seeds = good_seeds()
    seeds[FEEDS_FILE].append(
        {"feed": "till", "connector": "dms", "format": "csv", "location": "till", "options": "before_image_prefix=BI_"}
    )
    write_seeds(project, seeds)
    assert discover(project, shop, tables="line", append="1") == 0
    assert [row["column_name"] for row in rows(project / "discovered", COLUMNS_FILE)] == [
        *("item", "place", "what"),
        *("BI_item", "BI_place"),
    ]


def proposed(project, feed, table):
    """Rows for one table of the parquet feed `shop` or of the csv feed `people`."""
    listed_feed = load_metadata(project / "seeds").feed(feed)
    return propose(Found("", "", [table]), {"feed": feed}, listed_feed, {})


def test_columns_that_differ_in_case_only_are_one_too_many(project):
    table = FoundTable("s", "t", [FoundColumn("id", "int"), FoundColumn("ID", "int")], primary_key=("ID",))
    (row,) = proposed(project, "shop", table)[TABLES_FILE]
    assert (row["active"], row["primary_key"], row["mode"]) == ("false", "", "append")
    assert [warning.detail for warning in table.warned] == ["'ID'"]


@pytest.mark.parametrize("name", [" t", "t\n", ""])
def test_a_table_that_no_row_can_name_is_left_out(project, name):
    table = FoundTable("s", name, [FoundColumn("id", "int")])
    assert proposed(project, "shop", table)[TABLES_FILE] == []
    assert table.warned[0].label == "no row"


def test_a_table_without_columns_is_left_out_where_files_need_them(project):
    assert len(proposed(project, "shop", FoundTable("s", "t", []))[TABLES_FILE]) == 1
    assert proposed(project, "people", FoundTable("s", "t", []))[TABLES_FILE] == []


def test_columns_are_optional_only_at_the_end(project):
    columns = [FoundColumn("a", "int"), FoundColumn("b", "int", optional=True), FoundColumn("c", "int")]
    columns.append(FoundColumn("d", "int", optional=True))
    rows = proposed(project, "people", FoundTable("s", "t", columns))[COLUMNS_FILE]
    assert [row["optional"] for row in rows] == ["false", "false", "false", "true"]


DEBEZIUM = {"feed": "dbz", "connector": "debezium", "format": "json", "location": "dbz", "options": "decimals=base64"}


def discover_postgresql(project, monkeypatch, **options):
    columns = [FoundColumn("id", "int"), FoundColumn("at", "timestamp_ntz", encoding="us")]
    source = Found("a database", "postgresql", [FoundTable("s", "t", columns, primary_key=("id",))])
    monkeypatch.setattr("python_udfs.discover.__main__.read_database", lambda *_, **__: source)
    return discover(project, "postgresql://host/name", **options)


def test_units_are_proposed_for_messages_of_debezium_only(project, monkeypatch):
    seeds = good_seeds()
    seeds[FEEDS_FILE].append(DEBEZIUM)
    write_seeds(project, seeds)
    for feed, encodings in (("dbz", ["", "us"]), ("till", ["", ""])):
        assert discover_postgresql(project, monkeypatch, feed=feed) == 0
        assert [row["encoding"] for row in rows(project / "discovered", COLUMNS_FILE)] == encodings


def test_a_feed_of_debezium_gets_the_configuration_of_its_connector(project, monkeypatch, capsys):
    seeds = good_seeds()
    seeds[FEEDS_FILE].append(DEBEZIUM)
    write_seeds(project, seeds)
    assert discover_postgresql(project, monkeypatch, feed="dbz") == 0
    assert "discovered/connector.json" in capsys.readouterr().out
    written = json.loads((project / "discovered" / "connector.json").read_text())
    assert written == write_connector_config("postgresql", "dbz", ["s.t"])
    assert (written["topic.prefix"], written["table.include.list"]) == ("dbz", "s.t")


@pytest.mark.parametrize("kind", ["mysql", "postgresql"])
def test_the_page_of_debezium_has_the_configuration_that_discover_writes(kind):
    page = (Path(__file__).parents[2] / "docs" / "feeds" / "debezium.md").read_text(encoding="utf-8")
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    assert write_connector_config(kind, "<feed>", ["<schema>.<table>"]) in blocks


def test_rows_with_a_unit_are_not_appended_to_seeds_without_its_column(project, monkeypatch, capsys):
    seeds = good_seeds()
    seeds[FEEDS_FILE].append(DEBEZIUM)
    file = write_seeds(project, seeds) / COLUMNS_FILE
    drop_column(file, "encoding")
    before = file.read_bytes()
    assert discover_postgresql(project, monkeypatch, feed="dbz", append="1") == 2
    assert "its header lacks the column encoding" in capsys.readouterr().err
    assert file.read_bytes() == before


# Folders -------------------------------------------------------------------------------------------------------------


def land(folder, content, name="LOAD00000001.csv"):
    (folder / "shop/thing").mkdir(parents=True)
    (folder / "shop/thing" / name).write_text(content)
    return str(folder)


def test_files_of_a_known_feed_are_read_by_its_row(project, tmp_path):
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["options"] = "delimiter=|"
    write_seeds(project, seeds)
    assert discover(project, land(tmp_path / "raw", "Pen|a,b\n"), feed="people") == 0
    columns = rows(project / "discovered", COLUMNS_FILE)
    assert [row["column_name"] for row in columns] == ["column_1", "column_2"]


def test_a_change_sequence_in_the_files_puts_them_in_order(project, tmp_path, capsys):
    land(tmp_path / "raw", f"U,{'2' * 35},1\n", "20240131-230000000.csv")
    assert discover(project, str(tmp_path / "raw")) == 0
    assert "order:" not in capsys.readouterr().out
    [feed] = rows(project / "discovered", FEEDS_FILE)
    assert feed["options"] == "change_sequence_column=change_sequence"
    assert [row["column_name"] for row in rows(project / "discovered", COLUMNS_FILE)] == ["change_sequence", "column_2"]
    seeds = good_seeds()
    seeds[FEEDS_FILE][1]["options"] = ""
    write_seeds(project, seeds)
    assert discover(project, str(tmp_path / "raw"), feed="people") == 0
    assert "add change_sequence_column=change_sequence to the feed's" in " ".join(capsys.readouterr().out.split())


def test_files_of_other_contracts_are_not_looked_at(project, tmp_path, capsys):
    seeds = good_seeds()
    seeds[FEEDS_FILE][0] |= {"connector": "maxwell", "format": "json"}
    for column in seeds[COLUMNS_FILE]:
        column["data_type"] = column.get("data_type") or "string"
    write_seeds(project, seeds)
    assert discover(project, land(tmp_path / "raw", "1,2\n"), feed="shop") == 2
    assert "feed shop has connector maxwell, and only files of dms are looked at" in capsys.readouterr().err


# Mistakes ------------------------------------------------------------------------------------------------------------


def test_all_mistakes_are_reported_at_once(project, capsys):
    assert discover(project, "/no/such/folder", feed="2x", append="yes") == 2
    feed, append, source = capsys.readouterr().err.splitlines()
    assert feed.startswith("FEED: found 2x; accepted:")
    assert append.startswith("APPEND: found yes; accepted:")
    assert source.startswith("SOURCE: there is no folder /no/such/folder")
    assert not (project / "discovered").exists()


def test_the_source_can_come_from_the_environment(project, shop, monkeypatch):
    monkeypatch.setenv("SOURCE", shop)
    assert main(["--feed", "till", "--project-dir", str(project)]) == 0
    assert names(project) == ["item", "line", "log"]


def test_seeds_with_mistakes_are_reported_first(project, shop, capsys):
    (project / "seeds" / TABLES_FILE).unlink()
    assert discover(project, shop) == 2
    assert "seeds/cdc_tables.csv: found no readable file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "SOURCE: found nothing; accepted: the URL of a database"),
        ("mysql://user:pw@host:33o6/name", "SOURCE: not a URL of a database"),
        (
            "mysq://user:pw@host/name",
            "SOURCE: no database is called 'mysq'; accepted: mysql, mariadb, postgresql, oracle",
        ),
        ("oracle://user:pw@host/name", "SOURCE: the driver oracledb of oracle is not installed. Install it: uv pip"),
        ("mysql://user:pw@127.0.0.1:1/name", "SOURCE: mysql name at 127.0.0.1:1 cannot be read: "),
        ("mysql://user:pw@127.0.0.1:1/name?speed=9", "SOURCE: "),
        ("mysql://user:a@pw@127.0.0.1:1/name", "SOURCE: more than one @ before the host; write @ in the user or"),
        (
            "mysql://user:pw@127.0.0.1:1/name?ssl_ca=/no/ca.pem",
            "SOURCE: mysql name at 127.0.0.1:1 cannot be read: No such file or directory; its URL names ssl_ca",
        ),
        ("postgresql://user:pw@127.0.0.1:1/name", "SOURCE: postgresql name at 127.0.0.1:1 cannot be read: "),
        ("postgres://user:pw@127.0.0.1:1/name", "SOURCE: postgresql name at 127.0.0.1:1 cannot be read: "),
        ("sqlite:////no/such/folder/file", "SOURCE: sqlite /no/such/folder/file cannot be read: unable to open"),
        ("mysql:user:pw@host/name", "SOURCE: mysql:***@host/name cannot be listed: "),
        ("s3://key:pw@/no?secret=pw", "SOURCE: s3:***@/no cannot be listed: "),
        ("abfss://container", "SOURCE: abfss://container cannot be listed: "),
    ],
)
def test_a_source_that_cannot_be_read_is_one_line(project, source, message, capsys):
    assert discover(project, source) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(message)
    assert "pw" not in line


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ({"schemas": "main x y"}, ["no schema 'x'; there are: main", "no schema 'y'; there are: main"]),
        ({"tables": "x% y"}, ["TABLES: no table is like x% or y in main"]),
    ],
)
def test_schemas_and_tables_that_are_not_there_are_reported(project, shop, options, messages, capsys):
    assert discover(project, shop, **options) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(messages) and all(map(str.endswith, lines, messages))


def test_an_empty_database_is_reported(project, tmp_path, capsys):
    assert discover(project, database(tmp_path / "one.db", "")) == 2
    assert capsys.readouterr().err == "SOURCE: there are no tables in main\n"


def test_no_secret_of_a_uri_gets_into_a_location():
    assert _location("s3://key:p%2Fw@bucket/shop/?region=x") == "s3://bucket/shop"


def test_a_folder_under_the_landing_root_is_named_from_there(project, tmp_path, monkeypatch):
    monkeypatch.setenv("LAKEHOUSE_RAW", str(tmp_path / "raw"))
    for name in ("raw/till", "elsewhere"):
        (tmp_path / name / "shop/item").mkdir(parents=True)
        (tmp_path / name / "shop/item/LOAD00000001.csv").write_text("id,name\n1,Pen\n")
        assert discover(project, str(tmp_path / name), append="1") == 0
        (row,) = rows(project / "discovered", FEEDS_FILE)
        location = "till" if name == "raw/till" else str(tmp_path / "elsewhere")
        assert (row["location"], row["format"], row["options"]) == (location, "csv", "header=true")
        write_seeds(project, good_seeds())


def test_no_password_gets_into_a_message():
    url = make_url("mysql://user:p%40ss@host/name?secret=hush")
    assert _reason(Exception(2, "p@ss or p%40ss\nis hush"), url) == "*** or *** is ***"
