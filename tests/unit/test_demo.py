"""The demonstration without Spark: what it lands, removes and prints. `make demo` runs the rest."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from datetime import date, datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from python_udfs.sample_data import demo, scenarios
from python_udfs.sample_data.demo import DemoError, Sync, list_wrong_counts, write_result_table

USER_ADDED = "orders/topics/orders.test_db.user/partition=0/orders.test_db.user+0+0000000003.json"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A project of its own: landing root, warehouse and marker under ``tmp_path``."""
    raw, warehouse, marker = tmp_path / "raw", tmp_path / "warehouse", tmp_path / "data" / ".demo"
    monkeypatch.setenv("LAKEHOUSE_RAW", str(raw))
    monkeypatch.setenv("LAKEHOUSE_WAREHOUSE", str(warehouse))
    monkeypatch.setattr(demo, "MARKER", marker)
    return SimpleNamespace(raw=raw, warehouse=warehouse, marker=marker)


def digests(root: Path) -> dict[str, tuple[str, int]]:
    return {
        path.relative_to(root).as_posix(): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file()
    }


def loaded() -> dict[str, list[dict[str, Any]]]:
    return {f"{table.schema}.{table.name}": rows for source in scenarios.sources() for table, rows in source.loaded}


def after_all() -> dict[str, list[dict[str, Any]]]:
    return {f"{table.schema}.{table.name}": rows for source in scenarios.sources() for table, rows in source.end()}


# The scenarios


def test_the_full_load_has_the_rows_of_the_scenarios() -> None:
    rows = loaded()
    assert {name: len(table_rows) for name, table_rows in rows.items()} == {
        "sampledb.store": 8,
        "sampledb.product": 25,
        "sampledb.productorder": 8425,
        "salesdb.customer": 1000,
        "BANK.ACCOUNTS": 50,
        "BANK.TRANSFERS": 200,
        "test_db.user": 2,
        "test_db.product": 2,
        "test_db.user_order": 4,
    }
    assert Counter(row["create_dt"] for row in rows["sampledb.productorder"]) == {
        date(2018, 11, 27): 1010,
        date(2018, 12, 3): 1196,
        date(2018, 12, 10): 4250,
        date(2018, 12, 13): 1246,
        date(2018, 11, 28): 723,
    }
    for table, table_rows in rows.items():
        first = 1001 if table in {"sampledb.store", "sampledb.product"} else 1
        ids = [next(iter(row.values())) for row in table_rows]
        assert ids == list(range(first, first + len(table_rows)))


def test_every_row_fills_exactly_the_columns_of_its_table() -> None:
    landed = [
        pair
        for source in scenarios.sources()
        for pair in (
            *((table, row) for table, rows in source.loaded for row in rows),
            *((table, change.row) for batch in source.batches for table, change in batch),
        )
    ]
    for table, row in landed:
        assert list(row) == [column.name for column in table.columns], table.name


def test_the_changes_end_in_the_state_of_the_scenarios() -> None:
    state = after_all()
    assert {name: len(rows) for name, rows in state.items()} == {
        "sampledb.store": 9,
        "sampledb.product": 24,
        "sampledb.productorder": 9770,
        "salesdb.customer": 1003,
        "BANK.ACCOUNTS": 50,
        "BANK.TRANSFERS": 240,
        "test_db.user": 3,
        "test_db.product": 2,
        "test_db.user_order": 4,
    }
    products = {row["id"]: row for row in state["sampledb.product"]}
    assert products[1001] == {
        **scenarios.make_product_rows()[0],
        "name": "Sample Product",
        "dept": "Sample Dept",
        "category": "Sample Category",
    }
    assert 1002 not in products
    assert list(state["sampledb.store"][-1].values()) == [1009, "125 Technology Dr.", "Irvine", "CA", "US", "92618"]
    assert {row["create_dt"] for row in state["sampledb.productorder"][8425:]} == {scenarios.CURRENT_DAY}
    assert [tuple(row.values()) for row in state["salesdb.customer"][1000:]] == [
        (8888, "Customer Name update 8888", "Market segment update 8888"),
        (8889, "Customer Name update 8889", "Market segment update 8889"),
        (9000, "Customer Name 9000", "Market segment 9000"),
    ]


def test_orders_refer_to_products_and_stores_that_stay() -> None:
    state = after_all()
    orders = state["sampledb.productorder"]
    assert {row["productid"] for row in orders} == {row["id"] for row in state["sampledb.product"]}
    assert {row["storeid"] for row in orders} == set(range(1001, 1009))


def test_every_table_changes() -> None:
    # What the demonstration shows as done by its second build would be of the first one otherwise.
    log = [entry for source in scenarios.sources() for batch in source.batches for entry in batch]
    assert {f"{table.schema}.{table.name}" for table, _ in log} == loaded().keys()


def test_the_customers_hold_what_a_careless_csv_reader_gets_wrong() -> None:
    names = {row["name"] for row in scenarios.make_customer_rows()}
    assert {None, "", "NULL"} <= names
    for mark in (",", '"', "\n"):
        assert any(mark in name for name in names if name), repr(mark)


def test_each_transaction_of_the_bank_moves_money_and_makes_none() -> None:
    state = after_all()
    balances = {row["ACCOUNT_ID"]: row["BALANCE"] for row in state["BANK.ACCOUNTS"]}
    assert balances.keys() == set(range(1, 52)) - {5}
    moved: Counter[int] = Counter()
    for row in state["BANK.TRANSFERS"]:
        moved[row["FROM_ACCOUNT"]] -= row["AMOUNT"]
        moved[row["TO_ACCOUNT"]] += row["AMOUNT"]
    assert balances == {number: (0 if number == 51 else 1000) + moved[number] for number in balances}
    assert moved[5] == -1000, "the account was emptied before it was closed"


def test_the_bank_changes_a_row_several_times_at_one_commit_time() -> None:
    (bank,) = (source for source in scenarios.sources() if source.feed == "bank")
    times = Counter((table.name, change.row[table.key[0]], change.committed_at) for table, change in bank.batches[0])
    assert max(times.values()) == 3


def test_the_orders_are_those_of_the_scenario_and_users_get_an_age() -> None:
    rows = loaded()
    assert [(row["id"], row["name"], row["device_model"]) for row in rows["test_db.user"]] == [
        (1, "customer-01", "dm-01"),
        (2, "customer-02", "dm-02"),
    ]
    assert [(row["pid"], str(row["pprice"])) for row in rows["test_db.product"]] == [(1, "125.12"), (2, "225.31")]
    assert [tuple(row.values())[1:5] for row in rows["test_db.user_order"]] == [
        ("o10001", 1, 1, 100),
        ("o10002", 1, 2, 30),
        ("o10001", 2, 1, 22),
        ("o10002", 2, 2, 16),
    ]
    ages = [(row["name"], row["age"]) for row in after_all()["test_db.user"]]
    assert ages == [("customer-01", None), ("customer-02", None), ("customer-03", 18)]
    assert "age" not in Path(demo.PROJECT_ROOT, "seeds", "cdc_columns.csv").read_text(), "nobody touched the metadata"


# Landing


def test_landing_writes_the_same_files_each_time(tmp_path: Path) -> None:
    for root in (tmp_path / "first", tmp_path / "second"):
        demo.land_full_load(root)
        demo.land_changes(root)
    first = digests(tmp_path / "first")
    assert first == digests(tmp_path / "second")
    customers = (tmp_path / "first/crm/salesdb/customer/LOAD00000001.csv").read_text()
    for fields in (",404,NULL,MACHINERY\n", ',505,"",AUTOMOBILE\n', ',606,"NULL",NULL\n'):
        assert fields in customers, "NULL, the empty text and the word are three things"
    orders = [json.loads(line) for line in (tmp_path / "first" / USER_ADDED).read_text().splitlines()]
    assert [(message["op"], message["after"]["age"]) for message in orders] == [("c", 18)]
    assert sorted(first) == [
        "bank/BANK/ACCOUNTS/LOAD00000001.csv",
        "bank/BANK/TRANSFERS/LOAD00000001.csv",
        "bank/cdc/CDC_TXN-20181214100000000.csv",
        "bank/cdc/CDC_TXN-20181214100500000.csv",
        "crm/salesdb/customer/20181214-100000000.csv",
        "crm/salesdb/customer/20181214-100500000.csv",
        "crm/salesdb/customer/LOAD00000001.csv",
        "orders/topics/orders.test_db.product/partition=0/orders.test_db.product+0+0000000000.json",
        "orders/topics/orders.test_db.product/partition=0/orders.test_db.product+0+0000000002.json",
        "orders/topics/orders.test_db.user/partition=0/orders.test_db.user+0+0000000000.json",
        "orders/topics/orders.test_db.user/partition=0/orders.test_db.user+0+0000000002.json",
        USER_ADDED,
        "orders/topics/orders.test_db.user_order/partition=0/orders.test_db.user_order+0+0000000000.json",
        "orders/topics/orders.test_db.user_order/partition=0/orders.test_db.user_order+0+0000000004.json",
        "retail/sampledb/product/20181214-100000000.parquet",
        "retail/sampledb/product/LOAD00000001.parquet",
        "retail/sampledb/productorder/20181214-100000000.parquet",
        "retail/sampledb/productorder/20181214-100100000.parquet",
        "retail/sampledb/productorder/LOAD00000001.parquet",
        "retail/sampledb/productorder/LOAD00000002.parquet",
        "retail/sampledb/productorder/LOAD00000003.parquet",
        "retail/sampledb/store/20181214-100000000.parquet",
        "retail/sampledb/store/LOAD00000001.parquet",
    ]


def test_land_writes_into_the_landing_root(
    folders: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAKEHOUSE_RAW", "raw")
    assert demo.main(["land", "full"]) == 0
    assert demo.main(["land", "changes", "--day", "2020-02-29"]) == 0
    assert "sampledb.productorder 8,425 rows" in capsys.readouterr().out
    assert os.environ["LAKEHOUSE_RAW"] == str(folders.raw), "dbt may run in another folder"
    assert (folders.raw / "retail/sampledb/store/LOAD00000001.parquet").exists()
    assert (folders.raw / "crm/salesdb/customer/20200229-100500000.csv").exists()


# Folders that are removed before a run


def claim_and_land(folders: SimpleNamespace) -> None:
    demo._claim(folders.raw, folders.warehouse)
    demo.land_full_load(folders.raw)
    demo.land_changes(folders.raw)
    table = folders.warehouse / "silver" / "t"
    table.mkdir(parents=True)
    (table / "data.parquet").write_text("")


def test_the_files_of_an_earlier_run_are_removed(folders: SimpleNamespace) -> None:
    claim_and_land(folders)
    (folders.raw / ".gitkeep").write_text("")
    demo._remove_previous(folders.raw, folders.warehouse)
    assert [path.name for path in folders.raw.rglob("*")] == [".gitkeep"]
    assert not folders.warehouse.exists()


def test_empty_folders_and_an_empty_catalog_are_free_to_use(folders: SimpleNamespace) -> None:
    folders.raw.mkdir()
    folders.warehouse.mkdir()
    (folders.warehouse / "catalog.db").write_text("")
    demo._remove_previous(folders.raw, folders.warehouse)


def test_a_foreign_file_among_the_landed_ones_stops_before_anything_is_removed(folders: SimpleNamespace) -> None:
    claim_and_land(folders)
    (folders.raw / "retail" / "sampledb" / "store" / "LOAD00000002.parquet").write_text("mine")
    before = digests(folders.raw), digests(folders.warehouse)
    with pytest.raises(DemoError, match=r"did not make these files:\n.*LOAD00000002\.parquet\nMove.*make clean"):
        demo._remove_previous(folders.raw, folders.warehouse)
    assert (digests(folders.raw), digests(folders.warehouse)) == before


def test_the_same_names_without_the_marker_are_foreign(folders: SimpleNamespace) -> None:
    demo.land_full_load(folders.raw)
    with pytest.raises(DemoError, match="\n  and 6 more\nMove"):
        demo._remove_previous(folders.raw, folders.warehouse)
    assert len(digests(folders.raw)) == 11


def test_a_foreign_warehouse_stops(folders: SimpleNamespace) -> None:
    (folders.warehouse / "silver").mkdir(parents=True)
    (folders.warehouse / "silver" / "data.parquet").write_text("")
    with pytest.raises(DemoError, match=r"data\.parquet"):
        demo._remove_previous(folders.raw, folders.warehouse)
    assert folders.warehouse.exists()


def test_remote_folders_are_refused_all_at_once(
    folders: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAKEHOUSE_RAW", "s3://bucket/raw")
    monkeypatch.setenv("LAKEHOUSE_WAREHOUSE", "s3://bucket/warehouse")
    assert demo.main(["run"]) == 1
    expected = capsys.readouterr().err
    assert "LAKEHOUSE_RAW is s3://bucket/raw and LAKEHOUSE_WAREHOUSE is s3://bucket/warehouse" in expected
    assert not folders.marker.exists()


# Its output


def test_the_result_table() -> None:
    states = {
        "sampledb.store": Sync("retail", 9, 1, 0, 0),
        "sampledb.productorder": Sync("retail", 9770, 1345, 0, 0),
        "BANK.ACCOUNTS": Sync("bank", 50, 1, 9, 1),
    }
    assert demo.write_result_table(states, Counter({"sampledb.store": 2})) == "\n".join(
        [
            "source table           comes as           rows  inserted  updated  deleted  rejected",
            "---------------------  ----------------  -----  --------  -------  -------  --------",
            "BANK.ACCOUNTS          DMS transactions     50         1        9        1         0",
            "sampledb.productorder  DMS parquet       9,770     1,345        0        0         0",
            "sampledb.store         DMS parquet           9         1        0        0         2",
        ]
    )


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([{"id": 2}, {"id": 1}], []),
        ([{"id": 1}], ["t: 1 rows, expected 2; for example it lacks {'id': 2}"]),
        ([{"id": 1}, {"id": 2}, {"id": 2}], ["t: 3 rows, expected 2; for example it has {'id': 2}"]),
        ([{"id": 1}, {"id": None}], ["t: 2 rows, expected 2; for example it lacks {'id': 2}, it has {'id': None}"]),
    ],
)
def test_differences_between_rows(actual: list[dict[str, Any]], expected: list[str]) -> None:
    assert demo.differences("t", [{"id": 1}, {"id": 2}], actual) == expected


def test_times_are_compared_as_instants_and_a_column_without_metadata_is_text() -> None:
    # Spark hands instants on as local times without a zone.
    actual = [{"at": datetime(2018, 12, 14, 9, tzinfo=timezone.utc).astimezone().replace(tzinfo=None)}]
    assert demo.differences("t", [{"at": datetime(2018, 12, 14, 9, tzinfo=timezone.utc)}], actual) == []
    assert demo.differences("t", [{"at": datetime(2018, 12, 14, 8, tzinfo=timezone.utc)}], actual) != []
    assert demo._as_described(scenarios.USER, {"id": 3, "age": 18}) == {"id": 3, "age": "18"}
    assert demo._as_described(scenarios.USER, {"id": 1, "age": None}) == {"id": 1, "age": None}


def test_a_build_with_nothing_new_may_add_no_snapshot() -> None:
    before = {"silver.a": 2, "bronze.a": 2}
    assert list(demo._additions(before, dict(before))) == []
    assert list(demo._additions(before, {**before, "silver.a": 3, "silver.b": 1})) == [
        "silver.a: 3 snapshots after a build with nothing new, expected 2 as before it",
        "silver.b: 1 snapshots after a build with nothing new, expected 0 as before it",
    ]


class Runner:
    """Stands for dbt's runner: every command ends with ``result``."""

    def __init__(self, **result: Any) -> None:
        self.commands: list[list[str]] = []
        self.result = SimpleNamespace(**{"success": False, "exception": None, "result": None, **result})

    def invoke(self, arguments: list[str]) -> SimpleNamespace:
        self.commands.append(arguments)
        return self.result


def run_with(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("dbt.cli.main.dbtRunner", lambda manifest, callbacks: runner)
    return demo.main(["run"])


@pytest.mark.parametrize(
    ("exception", "expected"),
    [
        (None, "dbt build failed; dbt's messages are above\n"),
        (RuntimeError("no such profile"), "dbt build failed: no such profile\n"),
    ],
)
@pytest.mark.usefixtures("folders")
def test_a_failed_step_ends_the_run_in_words(
    exception: Exception | None, expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runner = Runner(exception=exception)
    assert run_with(runner, monkeypatch) == 1
    assert len(runner.commands) == 1
    assert runner.commands[0][0] == "build"
    assert capsys.readouterr().err == expected


@pytest.mark.parametrize(
    ("differences", "snapshots_after", "code", "expected"),
    [
        ([], 2, 0, ""),
        (["silver.t: 1 rows"], 2, 1, "  silver.t: 1 rows\n"),
        ([], 3, 1, "  silver.t: 3 snapshots after a build with nothing new, expected 2 as before it\n"),
    ],
)
def test_the_run_ends_well_only_in_the_expected_state(
    folders: SimpleNamespace,
    differences: list[str],
    snapshots_after: int,
    code: int,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    snapshots = iter([{"silver.t": 2}, {"silver.t": snapshots_after}])
    monkeypatch.setattr(demo, "spark_session", lambda: None)
    monkeypatch.setattr(demo, "read_sync_states", lambda _: {"s.t": Sync("orders", 1, 2, 3, 4)})
    monkeypatch.setattr(demo, "count_rejected_rows", lambda _: Counter())
    monkeypatch.setattr(demo, "read_refreshes", lambda _: {"sales": (1_000, "affected", "2 keys")})
    monkeypatch.setattr(demo, "snapshots", lambda _: next(snapshots))
    monkeypatch.setattr(demo, "_differences", lambda _: differences)
    monkeypatch.setattr(demo, "list_wrong_counts", lambda _: [])
    nodes = [SimpleNamespace(node=SimpleNamespace(resource_type=kind)) for kind in ("model", "test", "test")]
    runner = Runner(success=True, result=SimpleNamespace(results=nodes, elapsed_time=1.0))
    assert run_with(runner, monkeypatch) == code
    assert [command[0] for command in runner.commands] == ["build", "build", "build", "docs"]
    claimed = {str(folders.raw / name) for name in digests(folders.raw)} | {str(folders.warehouse)}
    assert set(folders.marker.read_text().splitlines()) == claimed
    output = capsys.readouterr()
    assert output.out.count("    1 models, 2 tests in 1 s\n") == 3
    assert "s.t           Debezium     1         2        3        4         0\n" in output.out
    assert "sales       1,000  affected  2 keys\n" in output.out
    assert ("Checked: silver equals the source" in output.out) == (code == 0)
    assert output.err == (f"The demonstration did not end as it must:\n{expected}" if expected else "")


def test_counts_that_are_not_the_sources_are_told() -> None:
    right = {
        f"{table.schema}.{table.name}": Sync(source.feed, 1, *counts)
        for source in scenarios.sources()
        for table, counts in source.counts()
    }
    assert list_wrong_counts(right) == []
    states = {
        **right,
        "BANK.ACCOUNTS": Sync("bank", 50, 41, 0, 0),
        "sampledb.product": Sync("retail", 9, None, None, None),
    }
    assert list_wrong_counts(states) == [
        "BANK.ACCOUNTS: counted (41, 0, 0) rows inserted, updated and deleted, expected (1, 40, 1)"
    ]
    assert "not counted" in write_result_table(states, Counter())


@pytest.mark.usefixtures("folders")
def test_interrupting_dbt_ends_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_with(Runner(exception=KeyboardInterrupt()), monkeypatch) == 130
    assert capsys.readouterr().err == "Stopped.\n"
