"""The tables, rows and changes of the demonstration: four sources, a feed each, with the state they must end in.

Everything is a function of one day, the "current day" of the changes: the full load is taken the evening before. No
clock and no global random state is read, so the same day gives the same rows.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from python_udfs.sample_data.dms_writer import Change, Column, SourceTable

if TYPE_CHECKING:
    from collections.abc import Iterable

# How the files of each feed of the demonstration are written.
DMS_PARQUET, DMS_CSV, DMS_TRANSACTIONS, DEBEZIUM = "DMS parquet", "DMS CSV", "DMS transactions", "Debezium"
COMES_AS = {"retail": DMS_PARQUET, "crm": DMS_CSV, "bank": DMS_TRANSACTIONS, "orders": DEBEZIUM}

CURRENT_DAY = date(2018, 12, 14)
BETWEEN_BATCHES = timedelta(minutes=5)
SEED = 20181214
DELETED_PRODUCT = 1002

STORE = SourceTable(
    "sampledb",
    "store",
    (
        Column("id", pa.int32()),
        Column("address1", pa.string()),
        Column("city", pa.string()),
        Column("state", pa.string()),
        Column("countrycode", pa.string()),
        Column("postcode", pa.string()),
    ),
    ("id",),
)
PRODUCT = SourceTable(
    "sampledb",
    "product",
    (
        Column("id", pa.int32()),
        Column("name", pa.string()),
        Column("dept", pa.string()),
        Column("category", pa.string()),
        Column("price", pa.decimal128(10, 2)),
    ),
    ("id",),
)
PRODUCTORDER = SourceTable(
    "sampledb",
    "productorder",
    (
        Column("id", pa.int32()),
        Column("productid", pa.int32()),
        Column("storeid", pa.int32()),
        Column("qty", pa.int32()),
        Column("soldprice", pa.decimal128(10, 2)),
        Column("create_dt", pa.date32()),
    ),
    ("id",),
)
CUSTOMER = SourceTable(
    "salesdb",
    "customer",
    (Column("custid", pa.int32()), Column("name", pa.string()), Column("mktsegment", pa.string())),
    ("custid",),
)

# Oracle has no other numbers than decimals, and its DATE has a time of day.
ACCOUNTS = SourceTable(
    "BANK",
    "ACCOUNTS",
    (
        Column("ACCOUNT_ID", pa.decimal128(10, 0)),
        Column("OWNER", pa.string()),
        Column("BALANCE", pa.decimal128(12, 2)),
        Column("CHANGED_AT", pa.timestamp("us")),
    ),
    ("ACCOUNT_ID",),
)
TRANSFERS = SourceTable(
    "BANK",
    "TRANSFERS",
    (
        Column("TRANSFER_ID", pa.decimal128(10, 0)),
        Column("FROM_ACCOUNT", pa.decimal128(10, 0)),
        Column("TO_ACCOUNT", pa.decimal128(10, 0)),
        Column("AMOUNT", pa.decimal128(12, 2)),
        Column("PURPOSE", pa.string()),
    ),
    ("TRANSFER_ID",),
)
_TIMES = (Column("create_time", pa.timestamp("us", tz="UTC")), Column("modify_time", pa.timestamp("us", tz="UTC")))
USER = SourceTable(
    "test_db",
    "user",
    (
        Column("id", pa.int32()),
        Column("name", pa.string()),
        Column("device_model", pa.string()),
        Column("email", pa.string()),
        Column("phone", pa.string()),
        *_TIMES,
    ),
    ("id",),
)
# After `alter table user add column age int`; no metadata knows of it.
USER_WITH_AGE = replace(USER, columns=(*USER.columns, Column("age", pa.int32())))
ORDERED_PRODUCT = SourceTable(
    "test_db",
    "product",
    (Column("pid", pa.int32()), Column("pname", pa.string()), Column("pprice", pa.decimal128(10, 2)), *_TIMES),
    ("pid",),
)
USER_ORDER = SourceTable(
    "test_db",
    "user_order",
    (
        Column("id", pa.int32()),
        Column("oid", pa.string()),
        Column("uid", pa.int32()),
        Column("pid", pa.int32()),
        Column("onum", pa.int32()),
        *_TIMES,
    ),
    ("id",),
)

# The calls of the procedure that fills productorder: how many orders, on which day.
ORDER_BATCHES = (
    (1010, date(2018, 11, 27)),
    (1196, date(2018, 12, 3)),
    (4250, date(2018, 12, 10)),
    (1246, date(2018, 12, 13)),
    (723, date(2018, 11, 28)),
)
NEW_ORDERS = 1345
CUSTOMERS = 1000
BANK_ACCOUNTS = 50
OPENING_BALANCE = Decimal("1000.00")
EARLIER_TRANSFERS = 200
NEW_TRANSFERS = 40

_STORES = (
    ("410 Terry Avenue North", "Seattle", "WA", "98109"),
    ("2200 Mission College Blvd", "Santa Clara", "CA", "95054"),
    ("77 Beale Street", "San Francisco", "CA", "94105"),
    ("1515 Broadway, Floor 3", "New York", "NY", "10036"),
    ("233 South Wacker Drive", "Chicago", "IL", "60606"),
    ("600 Congress Avenue", "Austin", "TX", "78701"),
    ("1600 Glenarm Place", "Denver", "CO", "80202"),
    ("100 Summer Street", "Boston", "MA", "02110"),
)
_PRODUCTS = (
    ("Trail Running Shoe", "Sports", "Footwear", "89.90"),
    ("Wool Hiking Sock", "Sports", "Footwear", "14.50"),
    ("Two-Person Tent", "Sports", "Camping", "249.00"),
    ("Sleeping Bag -5 C", "Sports", "Camping", "129.00"),
    ("Camping Stove", "Sports", "Camping", "59.95"),
    ("Road Bike Helmet", "Sports", "Cycling", "74.00"),
    ("Bicycle Pump", "Sports", "Cycling", "24.99"),
    ("Espresso Machine", "Kitchen", "Appliances", "399.00"),
    ("Burr Coffee Grinder", "Kitchen", "Appliances", "119.00"),
    ("Electric Kettle 1.7 l", "Kitchen", "Appliances", "44.90"),
    ("Chef's Knife 8\"", "Kitchen", "Cutlery", "64.00"),
    ("Bread Knife", "Kitchen", "Cutlery", "39.00"),
    ("Cast Iron Pan", "Kitchen", "Cookware", "49.50"),
    ("Stock Pot 10 l", "Kitchen", "Cookware", "79.00"),
    ("Desk Lamp", "Home", "Lighting", "34.95"),
    ("Floor Lamp", "Home", "Lighting", "89.00"),
    ("Linen Curtain", "Home", "Textiles", "54.00"),
    ("Cotton Bath Towel", "Home", "Textiles", "19.90"),
    ("Picture Frame A4", "Home", "Decoration", "12.00"),
    ("Wall Clock", "Home", "Decoration", "29.00"),
    ("Wireless Keyboard", "Electronics", "Computers", "59.00"),
    ("Ergonomic Mouse", "Electronics", "Computers", "45.00"),
    ("USB-C Hub, 7 Ports", "Electronics", "Computers", "39.99"),
    ("Bluetooth Speaker", "Electronics", "Audio", "99.00"),
    ("Noise-Cancelling Headphones", "Electronics", "Audio", "279.00"),
)
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
# Customers whose values a careless CSV reader gets wrong.
_AWKWARD_CUSTOMERS: dict[int, tuple[str | None, str | None]] = {
    101: ("Miller, Sons & Co", "BUILDING"),
    202: ('The "Best" Shop', "FURNITURE"),
    303: ("First line\nSecond line", "HOUSEHOLD"),
    404: (None, "MACHINERY"),
    505: ("", "AUTOMOBILE"),
    606: ("NULL", None),
    707: (' "quoted, and spaced" ', "BUILDING"),
    808: ("Åsa Öström 日本", "HOUSEHOLD"),
}


# Tables and their changes, in commit order.
Batch = tuple[tuple[SourceTable, Change], ...]


@dataclass(frozen=True)
class Source:
    """A database, as its feed delivers it: the tables with their rows at the full load, then its log, cut into batches.

    Each batch holds changes in commit order, with the table as it was then: a column that was added is in later ones.
    """

    feed: str
    loaded: tuple[tuple[SourceTable, list[dict[str, Any]]], ...]
    batches: tuple[Batch, ...]

    def end(self) -> list[tuple[SourceTable, list[dict[str, Any]]]]:
        """Each table, as it was loaded, with its rows after all changes; the reference that silver must equal."""
        log = [entry for batch in self.batches for entry in batch]
        ended = []
        for table, rows in self.loaded:
            happened = [(then, change) for then, change in log if then.name == table.name]
            latest = happened[-1][0] if happened else table
            ended.append((table, state_after(latest, rows, [change for _, change in happened])))
        return ended

    def counts(self) -> list[tuple[SourceTable, tuple[int, int, int]]]:
        """Each table, with the number of its rows that the changes inserted, updated and deleted all in all."""
        counted = []
        for (table, loaded), (_, ended) in zip(self.loaded, self.end(), strict=True):
            before, after = ({tuple(row[name] for name in table.key) for row in rows} for rows in (loaded, ended))
            changed = {
                tuple(change.row[name] for name in table.key)
                for batch in self.batches
                for then, change in batch
                if then.name == table.name
            }
            counted.append((table, (len(after - before), len(changed & before & after), len(before - after))))
        return counted


def load_time(day: date = CURRENT_DAY) -> datetime:
    """When the full load is written: 22:00 UTC of the evening before ``day``."""
    return datetime.combine(day - timedelta(days=1), time(22), tzinfo=timezone.utc)


def change_time(day: date = CURRENT_DAY) -> datetime:
    """When the first change file is written: 10:00 UTC of ``day``."""
    return datetime.combine(day, time(10), tzinfo=timezone.utc)


def store_rows() -> list[dict[str, Any]]:
    """The 8 stores of the full load, ids 1001-1008."""
    return [
        {"id": number, "address1": address, "city": city, "state": state, "countrycode": "US", "postcode": postcode}
        for number, (address, city, state, postcode) in enumerate(_STORES, start=1001)
    ]


def make_product_rows() -> list[dict[str, Any]]:
    """The 25 products of the full load, ids 1001-1025."""
    return [
        {"id": number, "name": name, "dept": dept, "category": category, "price": Decimal(price)}
        for number, (name, dept, category, price) in enumerate(_PRODUCTS, start=1001)
    ]


def make_order_rows(batches: Iterable[tuple[int, date]], first_id: int = 1) -> list[dict[str, Any]]:
    """Orders with ids that continue from ``first_id``.

    Args:
        batches: pairs of number of orders and their ``create_dt``.
        first_id: id of the first order; the same batches and first id give the same orders.

    Returns:
        One dict per order; ``soldprice`` is the product's price less a discount of 0, 5 or 10 percent.
    """
    chance = random.Random(SEED * 1_000_003 + first_id)
    # No order refers to the product that is deleted later.
    prices = {row["id"]: row["price"] for row in make_product_rows() if row["id"] != DELETED_PRODUCT}
    ids = sorted(prices)
    rows: list[dict[str, Any]] = []
    for count, day in batches:
        for _ in range(count):
            product = ids[chance.randrange(len(ids))]
            discount = Decimal(100 - 5 * chance.randrange(3)) / 100
            rows.append(
                {
                    "id": first_id + len(rows),
                    "productid": product,
                    "storeid": 1001 + chance.randrange(len(_STORES)),
                    "qty": 1 + chance.randrange(10),
                    "soldprice": (prices[product] * discount).quantize(Decimal("0.01")),
                    "create_dt": day,
                }
            )
    return rows


def make_customer_rows() -> list[dict[str, Any]]:
    """The 1,000 customers of the full load, ids 1-1000; some hold commas, quotes, line breaks, NULL and empty text."""
    rows = []
    for number in range(1, CUSTOMERS + 1):
        plain = (f"Customer Name {number}", _SEGMENTS[number % len(_SEGMENTS)])
        name, segment = _AWKWARD_CUSTOMERS.get(number, plain)
        rows.append({"custid": number, "name": name, "mktsegment": segment})
    return rows


def sources(day: date = CURRENT_DAY) -> list[Source]:
    """The four sources, loaded the evening before ``day`` and changed on it."""
    return [_retail(day), _crm(day), _bank(day), _orders(day)]


def state_after(
    table: SourceTable, rows: Iterable[dict[str, Any]], happened: Iterable[Change] = ()
) -> list[dict[str, Any]]:
    """The rows of ``table`` at the source after ``happened``, by its key.

    Args:
        table: the source table as it is in the end, with a key.
        rows: its rows at the full load.
        happened: changes in commit order, whole rows.

    Returns:
        The rows in key order; a column that was added later is NULL in those that did not change since.
    """
    state = {tuple(row[name] for name in table.key): row for row in rows}
    for change in happened:
        key = tuple(change.row[name] for name in table.key)
        if change.operation == "D":
            state.pop(key, None)
        else:
            state[key] = dict(change.row)
    return [{column.name: state[key].get(column.name) for column in table.columns} for key in sorted(state)]


def _retail(day: date) -> Source:
    """Product 1001 is updated and 1002 deleted, one store is opened, 1,345 orders are inserted."""
    start = _first_commit(day)
    products = {row["id"]: row for row in make_product_rows()}
    renamed = {**products[1001], "name": "Sample Product", "dept": "Sample Dept", "category": "Sample Category"}
    store = {
        "id": 1009,
        "address1": "125 Technology Dr.",
        "city": "Irvine",
        "state": "CA",
        "countrycode": "US",
        "postcode": "92618",
    }
    orders = make_order_rows([(NEW_ORDERS, day)], first_id=1 + sum(count for count, _ in ORDER_BATCHES))
    changes = (
        (STORE, Change("I", store, start)),
        (PRODUCT, Change("U", renamed, start)),
        (PRODUCT, Change("D", products[DELETED_PRODUCT], start + timedelta(seconds=1))),
        # One transaction: 1,345 rows share one commit time.
        *((PRODUCTORDER, Change("I", order, start + timedelta(seconds=2))) for order in orders),
    )
    loaded = ((STORE, store_rows()), (PRODUCT, make_product_rows()), (PRODUCTORDER, make_order_rows(ORDER_BATCHES)))
    return Source("retail", loaded, (changes,))


def _crm(day: date) -> Source:
    """Customers 8887-8889 are inserted; then 8888 and 8889 are updated, 8887 is deleted and 9000 inserted."""
    start = _first_commit(day)
    later = start + BETWEEN_BATCHES
    first = [Change("I", _customer(number), start) for number in (8887, 8888, 8889)]
    second = [
        Change("U", _customer(8888, "update "), later),
        Change("U", _customer(8889, "update "), later),
        Change("D", _customer(8887), later),
        Change("I", _customer(9000), later),
    ]
    batches = tuple(tuple((CUSTOMER, change) for change in batch) for batch in (first, second))
    return Source("crm", ((CUSTOMER, make_customer_rows()),), batches)


def _bank(day: date) -> Source:
    """Transfers, each one transaction over both tables; then an account is closed and another one opened.

    The first transaction holds three transfers from account 1, which so changes three times at one commit time.
    """
    bank = _Bank()
    chance = random.Random(SEED)
    for number in range(EARLIER_TRANSFERS):
        bank.transfer(load_time(day) - timedelta(minutes=EARLIER_TRANSFERS - number), *_transfer(chance))
    loaded = ((ACCOUNTS, list(bank.accounts.values())), (TRANSFERS, list(bank.transfers.values())))

    start = _first_commit(day)
    first = [change for receiver in (2, 3, 4) for change in bank.transfer(start, 1, receiver, Decimal("12.50"))]
    for number in range(1, NEW_TRANSFERS - 3):
        first += bank.transfer(start + timedelta(seconds=number), *_transfer(chance))
    later = start + BETWEEN_BATCHES
    emptied = bank.transfer(later, 5, 6, bank.accounts[5]["BALANCE"], "Account closed")
    second = [*emptied, bank.close(later, 5), bank.open(later + timedelta(seconds=1), BANK_ACCOUNTS + 1)]
    return Source("bank", loaded, (tuple(first), tuple(second)))


def _transfer(chance: random.Random) -> tuple[int, int, Decimal]:
    """Sender, receiver and amount."""
    sender, receiver = chance.sample(range(1, BANK_ACCOUNTS + 1), 2)
    return sender, receiver, Decimal(chance.randrange(100, 3000)) / 100


class _Bank:
    """The accounts and transfers of the bank by number; what happens to them, as changes of both tables."""

    def __init__(self) -> None:
        self.transfers: dict[int, dict[str, Any]] = {}
        self.accounts: dict[int, dict[str, Any]] = {}
        for number in range(1, BANK_ACCOUNTS + 1):
            self.open(datetime(2018, 1, 2, 8, 30, tzinfo=timezone.utc), number, OPENING_BALANCE)

    def transfer(
        self, at: datetime, sender: int, receiver: int, amount: Decimal, purpose: str | None = None
    ) -> list[tuple[SourceTable, Change]]:
        number = len(self.transfers) + 1
        ends = {"FROM_ACCOUNT": Decimal(sender), "TO_ACCOUNT": Decimal(receiver)}
        row = {"TRANSFER_ID": Decimal(number), **ends, "AMOUNT": amount, "PURPOSE": purpose}
        self.transfers[number] = row
        changes = [(TRANSFERS, Change("I", row, at))]
        for account, difference in ((sender, -amount), (receiver, amount)):
            old = self.accounts[account]
            balance = old["BALANCE"] + difference
            self.accounts[account] = {**old, "BALANCE": balance, "CHANGED_AT": at.replace(tzinfo=None)}
            changes.append((ACCOUNTS, Change("U", self.accounts[account], at)))
        return changes

    def open(self, at: datetime, number: int, balance: Decimal = Decimal("0.00")) -> tuple[SourceTable, Change]:
        owner = {"ACCOUNT_ID": Decimal(number), "OWNER": f"Account Owner, No. {number}"}
        self.accounts[number] = {**owner, "BALANCE": balance, "CHANGED_AT": at.replace(tzinfo=None)}
        return ACCOUNTS, Change("I", self.accounts[number], at)

    def close(self, at: datetime, number: int) -> tuple[SourceTable, Change]:
        return ACCOUNTS, Change("D", self.accounts.pop(number), at)


def _orders(day: date) -> Source:
    """A row of each table changes, an order is replaced by another; then users get an age, and a third one comes."""
    created = load_time(day) - timedelta(hours=1)
    users = [_user(number, created) for number in (1, 2)]
    products = [
        {"pid": number, "pname": f"product-0{number}", "pprice": Decimal(price), **_times(created)}
        for number, price in ((1, "125.12"), (2, "225.31"))
    ]
    orders = [
        {"id": id_, "oid": oid, "uid": uid, "pid": pid, "onum": onum, **_times(created)}
        for id_, oid, uid, pid, onum in (
            (1, "o10001", 1, 1, 100),
            (2, "o10002", 1, 2, 30),
            (3, "o10001", 2, 1, 22),
            (4, "o10002", 2, 2, 16),
        )
    ]
    start = _first_commit(day)
    first = (
        (USER, _update(users[0], start, device_model="dm-02")),
        (ORDERED_PRODUCT, _update(products[1], start, pprice=Decimal("199.99"))),
        (USER_ORDER, _update(orders[1], start, onum=35)),
        (USER_ORDER, Change("D", orders[3], start + timedelta(seconds=1))),
        (USER_ORDER, Change("I", {**orders[3], "id": 5, "onum": 17, **_times(start)}, start + timedelta(seconds=1))),
    )
    later = start + BETWEEN_BATCHES
    second = ((USER_WITH_AGE, Change("I", {**_user(3, later), "age": 18}, later)),)
    return Source("orders", ((USER, users), (ORDERED_PRODUCT, products), (USER_ORDER, orders)), (first, second))


def _user(number: int, created: datetime) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"customer-0{number}",
        "device_model": f"dm-0{number}",
        "email": f"customer-0{number}@example.com",
        "phone": f"555-010{number}",
        **_times(created),
    }


def _times(created: datetime) -> dict[str, datetime]:
    return {"create_time": created, "modify_time": created}


def _update(row: dict[str, Any], at: datetime, **values: Any) -> Change:
    """An update that also sets modify_time, as MySQL does."""
    values = {**values, "modify_time": at}
    return Change("U", {**row, **values}, at, before={name: row[name] for name in values})


def _first_commit(day: date) -> datetime:
    return change_time(day) - timedelta(minutes=10)


def _customer(number: int, prefix: str = "") -> dict[str, Any]:
    return {
        "custid": number,
        "name": f"Customer Name {prefix}{number}",
        "mktsegment": f"Market segment {prefix}{number}",
    }
