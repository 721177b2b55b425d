"""The tables, rows and changes of the demonstration: retail orders and customers, with the state they must end in.

Everything is a function of one day, the "current day" of the changes: the full load is taken the evening before. No
clock and no global random state is read, so the same day gives the same rows (docs/contracts.md §1.11).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from python_udfs.dms_writer import Change, Column, SourceTable

if TYPE_CHECKING:
    from collections.abc import Iterable

CURRENT_DAY = date(2018, 12, 14)
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


@dataclass(frozen=True)
class TableChanges:
    """The changes of one table as the change files they arrive in, both in order."""

    table: SourceTable
    files: tuple[tuple[Change, ...], ...]

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes in commit order."""
        return tuple(change for file in self.files for change in file)


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


def product_rows() -> list[dict[str, Any]]:
    """The 25 products of the full load, ids 1001-1025."""
    return [
        {"id": number, "name": name, "dept": dept, "category": category, "price": Decimal(price)}
        for number, (name, dept, category, price) in enumerate(_PRODUCTS, start=1001)
    ]


def order_rows(batches: Iterable[tuple[int, date]], first_id: int = 1, seed: int = SEED) -> list[dict[str, Any]]:
    """Orders with ids that continue from ``first_id``.

    Args:
        batches: pairs of number of orders and their ``create_dt``.
        first_id: id of the first order.
        seed: the same seed, batches and first id give the same orders.

    Returns:
        One dict per order; ``soldprice`` is the product's price less a discount of 0, 5 or 10 percent.
    """
    chance = random.Random(seed * 1_000_003 + first_id)
    # No order refers to the product that is deleted later.
    prices = {row["id"]: row["price"] for row in product_rows() if row["id"] != DELETED_PRODUCT}
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


def customer_rows() -> list[dict[str, Any]]:
    """The 1,000 customers of the full load, ids 1-1000; some hold commas, quotes, line breaks, NULL and empty text."""
    rows = []
    for number in range(1, CUSTOMERS + 1):
        plain = (f"Customer Name {number}", _SEGMENTS[number % len(_SEGMENTS)])
        name, segment = _AWKWARD_CUSTOMERS.get(number, plain)
        rows.append({"custid": number, "name": name, "mktsegment": segment})
    return rows


def full_load() -> list[tuple[SourceTable, list[dict[str, Any]]]]:
    """Every table with its rows at the full load: store 8, product 25, productorder 8,425, customer 1,000."""
    return [
        (STORE, store_rows()),
        (PRODUCT, product_rows()),
        (PRODUCTORDER, order_rows(ORDER_BATCHES)),
        (CUSTOMER, customer_rows()),
    ]


def changes(day: date = CURRENT_DAY) -> list[TableChanges]:
    """What happens at the source on ``day`` after the full load, per table.

    Product 1001 is updated and 1002 deleted, one store is opened, 1,345 orders are inserted; customers 8887-8889 are
    inserted in a first file, then 8888 and 8889 are updated, 8887 is deleted and 9000 inserted in a second one.
    """
    start = change_time(day) - timedelta(minutes=10)
    products = {row["id"]: row for row in product_rows()}
    renamed = {**products[1001], "name": "Sample Product", "dept": "Sample Dept", "category": "Sample Category"}
    store = {
        "id": 1009,
        "address1": "125 Technology Dr.",
        "city": "Irvine",
        "state": "CA",
        "countrycode": "US",
        "postcode": "92618",
    }
    orders = order_rows([(NEW_ORDERS, day)], first_id=1 + sum(count for count, _ in ORDER_BATCHES))
    later = start + timedelta(minutes=5)
    return [
        TableChanges(STORE, ((Change("I", store, start),),)),
        TableChanges(
            PRODUCT,
            ((Change("U", renamed, start), Change("D", products[DELETED_PRODUCT], start + timedelta(seconds=1))),),
        ),
        # One transaction: 1,345 rows share one commit time.
        TableChanges(PRODUCTORDER, (tuple(Change("I", order, start + timedelta(seconds=2)) for order in orders),)),
        TableChanges(
            CUSTOMER,
            (
                tuple(Change("I", _customer(number), start) for number in (8887, 8888, 8889)),
                (
                    Change("U", _customer(8888, "update "), later),
                    Change("U", _customer(8889, "update "), later),
                    Change("D", _customer(8887), later),
                    Change("I", _customer(9000), later),
                ),
            ),
        ),
    ]


def state_after(
    table: SourceTable, rows: Iterable[dict[str, Any]], happened: Iterable[Change] = ()
) -> list[dict[str, Any]]:
    """The rows of ``table`` at the source after ``happened``, by its key; the reference a silver table must equal.

    Args:
        table: the source table, with a key.
        rows: its rows at the full load.
        happened: changes in commit order, whole rows.

    Returns:
        The rows in key order.
    """
    state = {tuple(row[name] for name in table.key): row for row in rows}
    for change in happened:
        key = tuple(change.row[name] for name in table.key)
        if change.operation == "D":
            state.pop(key, None)
        else:
            state[key] = dict(change.row)
    return [state[key] for key in sorted(state)]


def _customer(number: int, prefix: str = "") -> dict[str, Any]:
    return {
        "custid": number,
        "name": f"Customer Name {prefix}{number}",
        "mktsegment": f"Market segment {prefix}{number}",
    }
