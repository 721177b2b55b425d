"""Mode history: random changes in batches, against a fold in plain Python, on a Spark without tables."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from dbt_common.clients.agate_helper import table_from_data_flat
from harness import Dbt, Relation, assert_sql_equal
from spark_process import spark_process
from table_configs import make_config

from python_udfs.errors import LakehouseError
from python_udfs.metadata.names import quoted
from python_udfs.pipeline.columns import Column, ExistingColumn
from python_udfs.pipeline.delta import Log, measure_changes
from python_udfs.pipeline.silver import check_versions, derives_all_versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Query = Callable[..., list[dict[str, Any]]]
    Key = tuple[str | None, int | None]

pytestmark = pytest.mark.spark

KEYS = ["line no", "select"]
COLUMNS = {"line no": "int", "v": "string", "select": "string", "w`w": "double"}
PLAN = tuple(Column(name, type, type) for name, type in COLUMNS.items())
BRONZE = {
    **COLUMNS,
    "_cdc_operation": "string",
    "_cdc_committed_at": "timestamp",
    "_cdc_sequence": "string",
    "_cdc_generation": "int",
    "_cdc_batch_id": "bigint",
    "_cdc_source_file": "string",
    "_cdc_unavailable_columns": "array<string>",
    "_cdc_old_key": "map<string,string>",
}
SILVER = {
    **COLUMNS,
    "_cdc_valid_from": "timestamp",
    "_cdc_valid_to": "timestamp",
    **{name: BRONZE[name] for name in list(BRONZE)[len(COLUMNS) : -3]},
}


class Change(NamedTuple):
    """A row of bronze."""

    operation: str
    at: datetime
    sequence: str
    generation: int
    batch: int
    image: dict[str, Any]
    unavailable: list[str] | None = None
    old_key: dict[str, str | None] | None = None

    def row(self) -> list[Any]:
        """Values in the order of BRONZE."""
        return [*(self.image[name] for name in COLUMNS), self.operation, self.at, *self[2:5], "a.csv", *self[6:]]


def key_of(image: dict[str, Any], comparison: list[str]) -> Key:
    text = image["select"]
    if text is not None and "ignore_trailing_spaces" in comparison:
        text = text.rstrip(" ")
    return text.lower() if text is not None and "ignore_case" in comparison else text, image["line no"]


def fold(log: Iterable[Change], comparison: list[str], writes: bool) -> set[tuple[Any, ...]]:
    """All versions that the changes make, as rows of silver."""
    lives: dict[Key, list[Change]] = defaultdict(list)
    reset_points: list[tuple[str, datetime, int | None]] = []
    generations: dict[int, list[Change]] = defaultdict(list)
    for change in log:
        generations[change.generation].append(change)
        if change.operation == "T":
            reset_points.append((change.sequence, change.at, None))
            continue
        key = key_of(change.image, comparison)
        lives[key].append(change)
        if change.old_key:
            old = {"select": change.old_key["select"], "line no": int(change.old_key["line no"] or 0)}
            if key_of(old, comparison) != key:
                lives[key_of(old, comparison)].append(change._replace(operation="D"))
    for generation, changes in generations.items():
        if {change.operation for change in changes} != {"L"}:
            loads = [change.at for change in changes if change.operation == "L"]
            reset_points.append((f"{generation:06}", min(loads or [change.at for change in changes]), generation))
    versions: set[tuple[Any, ...]] = set()
    for changes in lives.values():
        loaded = {change.generation for change in changes if change.operation == "L"}
        ends = [Change("D", at, sequence, 0, 0, {}) for sequence, at, g in reset_points if g not in loaded]
        image, since, began, boundary = None, None, None, datetime.min
        for change in sorted([*changes, *ends], key=lambda change: change.sequence):
            new = None
            if change.operation != "D":
                kept = image if image and change.operation == "U" else dict.fromkeys(COLUMNS)
                new = {n: kept[n] if n in (change.unavailable or ()) else v for n, v in change.image.items()}
            if (new is None and image is None) or (new == image and not writes):
                continue
            boundary = max(boundary, change.at)
            if image is not None:
                versions.add((*image.values(), since, boundary, began.operation, began.at, *began[2:5]))
            image, since, began = new, boundary, change
        if image is not None:
            versions.add((*image.values(), since, None, began.operation, began.at, *began[2:5]))
    return versions


def literal(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"array({', '.join(map(literal, value))})"
    if isinstance(value, dict):
        return f"map({', '.join(literal(part) for pair in value.items() for part in pair)})"
    if isinstance(value, datetime):
        return f"timestamp '{value}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


def make_view(query: Query, name: str, types: dict[str, str], rows: Iterable[Iterable[Any]]) -> None:
    quoted = [f"`{column.replace('`', '``')}`" for column in types]
    columns = ", ".join(f"cast({c} as {type}) as {c}" for c, type in zip(quoted, types.values(), strict=True))
    values = ", ".join(f"({', '.join(map(literal, row))})" for row in rows) or f"({', '.join(['null'] * len(types))})"
    kept = "_cdc_sequence is not null"
    query(
        f"create or replace temporary view {name} as"
        f" select {columns} from values {values} as t ({', '.join(quoted)}) where {kept}"
    )


class Lake:
    """One table in bronze and silver; `build` does what a run does, with the project's macros."""

    def __init__(self, query: Query, cdc: dict[str, Any]) -> None:
        self.query = query
        self.cdc = make_config(**cdc)
        self.log: list[Change] = []
        self.reloads: list[Change] = []  # the rows that say that a reload is complete
        self.silver: dict[tuple[Key, str], tuple[Any, ...]] = {}
        self.progress: dict[str, Any] = {}
        self.dbt = Dbt(cdc=cdc, columns={"silver": SILVER})
        self.dbt.context["run_query"] = self._run_query
        self.dbt.context["cdc_bronze_range_sql"] = lambda bronze, start, end, after, has_overwritten=False: (
            f"select * from {bronze} where _cdc_batch_id > {after}"
        )

    def _run_query(self, sql: str) -> Any:
        rows = self.query(sql)
        return table_from_data_flat(rows, list(rows[0]) if rows else [])

    def build(self, changes: Iterable[Change]) -> int:
        """Returns how many versions were written."""
        new = list(changes)
        self.log += new
        begun = {change.generation for change in self.log if change.operation != "L"} - {1}
        for generation in sorted(begun - {change.generation for change in self.reloads}):
            sequence = f"{generation:06}.1.{0:020}.{0:016}"
            batch = max(change.batch for change in new)
            self.reloads.append(Change("R", None, sequence, generation, batch, dict.fromkeys(COLUMNS)))
        make_view(self.query, "bronze", BRONZE, (change.row() for change in self.log + self.reloads))
        log = Log(self.dbt.context["adapter"], self.dbt.context, self.cdc, "bronze", 1)
        changes = measure_changes(log, self.progress, PLAN, 500_000, may_replace=False)
        silver = "silver" if self.progress else None
        derives_all = derives_all_versions(log, silver, changes)
        written = self.query(self.dbt.cdc_history_sql(self.cdc, "bronze", silver, changes, PLAN, derives_all))
        for row in written:
            key = key_of(row, self.cdc.key_comparison), row["_cdc_sequence"]
            version = tuple(row[name] for name in SILVER)
            if row.get("_cdc_is_gone"):
                del self.silver[key]
            else:
                assert self.silver.get(key) != version
                self.silver[key] = version
        make_view(self.query, "silver", SILVER, self.silver.values())
        self.progress = {
            f"cdc.{name}": getattr(changes, f"last_{name.replace('-', '_')}") for name in ("batch-id", "sequence")
        }
        self.progress["cdc.reset-point"] = changes.reset_point
        return len(written)

    def broken(self, silver: str = "silver") -> dict[str, int]:
        """How many rows each data test of a history finds."""
        broken = {}
        of_tests = {
            "history_difference": self.dbt.cdc_difference_sql(self.cdc, silver, "bronze", 1, SILVER, PLAN),
            "open_versions_difference": self.dbt.cdc_open_versions_difference_sql(self.cdc, silver, "bronze", 1, PLAN),
            "overlaps": self.dbt.cdc_overlaps_sql(self.cdc, silver),
        }
        for test, sql in of_tests.items():
            broken[test] = len(self.query(sql))
        return broken


@pytest.fixture(scope="module")
def query() -> Iterator[Query]:
    # So little data that Spark takes longer to plan and compile than to run.
    settings = {"codegen.wholeStage": "false", "codegen.factoryMode": "NO_CODEGEN", "shuffle.partitions": "1"}
    with spark_process() as run:
        for name, value in {**settings, "adaptive.enabled": "false"}.items():
            run(f"set spark.sql.{name} = {value}")
        yield run


class Plot(NamedTuple):
    """What kind of changes to draw."""

    keys: int
    generations: int = 1
    truncates: int = 0
    loaded: tuple[float, ...] = (0.8, 0.6, 0.6)  # part of the keys in the load of each generation
    in_order: bool = False
    old_keys: bool = True


def draw(random: Random, plot: Plot) -> list[Change]:
    """Changes in three batches, of which each may hold any change, or later ones only."""
    log: list[Change] = []

    def add(operation: str, generation: int, position: int, image: dict[str, Any], **more: Any) -> None:
        sequence = f"{generation:06}.{'01'[operation != 'L']}.{position:020}.{len(log):016}"
        at = datetime(2024, 1, generation) + timedelta(minutes=position + random.randint(-3, 3))
        place = (40 * generation - 40 + position) / (40 * plot.generations)
        batch = min(3, int(3 * place) + 1) if plot.in_order else random.randint(1, 3)
        log.append(Change(operation, at, sequence, generation, batch, image, **more))

    for _ in range(plot.truncates):
        add("T", random.randint(1, plot.generations), random.randint(1, 39), dict.fromkeys(COLUMNS))
    for key in range(plot.keys):
        for generation in range(1, plot.generations + 1):
            if random.random() < plot.loaded[generation - 1]:
                add("L", generation, 0, draw_image(random, key))
            for _ in range(random.choice((0, 1, 2, 5))):
                operation = random.choice("IUUUUD")
                image, more = draw_image(random, key), {}
                if operation != "D":
                    more["unavailable"] = random.choice((None, None, ["v"], ["w`w"], ["v", "w`w"]))
                    image.update(dict.fromkeys(more["unavailable"] or ()))
                if operation == "U" and plot.old_keys and random.random() < 0.1:
                    old = draw_image(random, random.randrange(plot.keys))
                    more["old_key"] = {"select": old["select"], "line no": str(old["line no"])}
                add(operation, generation, random.randint(1, 39), image, **more)
    return log


def draw_image(random: Random, key: int) -> dict[str, Any]:
    text = random.choice(("a", "A", "a ")) if key % 3 else None
    return {"line no": key, "v": random.choice(("x", "y", None)), "select": text, "w`w": random.choice((0.5, None))}


@pytest.mark.parametrize(
    ("plot", "comparison", "unchanged_rows"),
    [
        (Plot(60, in_order=True), ["ignore_case", "ignore_trailing_spaces"], "skip"),
        (Plot(60), [], "write"),
        (Plot(60, generations=3, truncates=1), ["ignore_case"], "skip"),
        (Plot(60, generations=2, loaded=(0.5, 0.0)), [], "skip"),
    ],
    ids=["in-order", "late", "reloads-and-truncate", "generation-without-load"],
)
def test_versions_are_those_of_the_fold(query, plot, comparison, unchanged_rows):
    log = draw(Random(1), plot)
    lake = Lake(query, table(key_comparison=comparison, unchanged_rows=unchanged_rows))
    for batch in (1, 2, 3):
        lake.build(change for change in log if change.batch == batch)
        assert set(lake.silver.values()) == fold(lake.log, comparison, unchanged_rows == "write"), f"batch {batch}"
    assert lake.broken() == {"history_difference": 0, "open_versions_difference": 0, "overlaps": 0}


def table(**more: Any) -> dict[str, Any]:
    cdc = {"mode": "history", "delete_mode": "hard", "primary_key": ["select", "line no"], "unchanged_rows": "skip"}
    return {**cdc, "key_comparison": [], **more}


def change(operation: str, minute: int, generation: int = 1, batch: int = 1, **values: Any) -> Change:
    """One change of line 1, `a`."""
    kind = int(operation != "L")
    more = {name: values.pop(name) for name in ("unavailable", "old_key") if name in values}
    image = {"line no": 1, "v": None, "select": "a", "w`w": None, **values}
    at = datetime(2024, 1, 1, generation, minute)
    return Change(operation, at, f"{generation:06}.{kind}.{minute:020}.h", generation, batch, image, **more)


# A version that ended and one that is open, of one key; one that is open of another.
STORY = [change("I", 1, v="x"), change("U", 2, v="y"), change("I", 3, v="x", **{"line no": 2})]


@pytest.mark.parametrize(
    ("damage", "broken"),
    [
        ("select * from silver where v <> 'y'", {"history_difference": 1, "open_versions_difference": 1}),
        ("select * from silver where _cdc_valid_to is null", {"history_difference": 1}),
        (
            "select {others}, cast(null as timestamp) as _cdc_valid_to from silver",
            {"history_difference": 2, "open_versions_difference": 1, "overlaps": 1},
        ),
        (
            "select {others}, _cdc_valid_to + interval 1 second as _cdc_valid_to from silver",
            {"history_difference": 2, "overlaps": 1},
        ),
        (
            "select {others}, _cdc_valid_to - interval 1 hour as _cdc_valid_to from silver",
            {"history_difference": 2, "overlaps": 1},
        ),
        (
            "select * from silver union all select * from silver",
            {"history_difference": 3, "open_versions_difference": 2, "overlaps": 3},
        ),
    ],
)
def test_the_data_tests_find_what_is_wrong(query, damage, broken):
    lake = Lake(query, table())
    lake.build(STORY)
    # Spark 3.5 does not know `* except`.
    names = [row["col_name"] for row in query("describe silver") if row["col_name"] != "_cdc_valid_to"]
    query(f"create or replace temporary view damaged as {damage.format(others=', '.join(map(quoted, names)))}")
    assert {test: rows for test, rows in lake.broken("damaged").items() if rows} == broken


@pytest.mark.parametrize(
    ("log", "changes", "expected"),
    [
        # Line 2 is not in the second load, which began at minute 5.
        ([change("L", 5, 2), change("U", 6, 2)], change("U", 7, 2), 5),
        ([change("L", 5, 2), change("U", 6, 2)], change("L", 6, 2, **{"line no": 3}), 5),
        ([change("L", 5, 2), change("U", 6, 2)], change("L", 4, 2, **{"line no": 3}), 4),
        ([change("U", 6, 2)], change("U", 7, 2), 6),
        ([change("U", 6, 2)], change("U", 4, 2), 4),
        ([change("U", 6, 2)], change("L", 7, 2), 7),
        # The second generation is complete only when the third has been for long.
        ([change("L", 5, 2), change("L", 1, 3), change("U", 2, 3)], change("U", 6, 2), 5),
    ],
    ids=["next", "later-load", "earlier-load", "no-load", "no-load-earlier", "first-load", "completed-late"],
)
def test_a_generation_ends_versions_when_its_load_began(query, log, changes, expected):
    lake = Lake(query, table())
    lake.build([change("I", 1, **{"line no": 2}), *log])
    lake.build([changes._replace(batch=2)])
    ends = {row[4 + 1] for (key, _), row in lake.silver.items() if key == ("a", 2)}
    assert ends == {datetime(2024, 1, 1, 2, expected)}
    assert set(lake.silver.values()) == fold(lake.log, [], writes=False)


def test_a_key_that_changes_only_in_what_is_ignored_stays_the_same_row(query):
    lake = Lake(query, table(key_comparison=["ignore_case"]))
    lake.build([change("I", 1, v="x"), change("U", 2, v="x", select="A", old_key={"select": "a", "line no": "1"})])
    assert [(row[2], row[4].minute, row[5] and row[5].minute) for row in lake.silver.values()] == [
        ("a", 1, 2),
        ("A", 2, None),
    ]


@pytest.mark.parametrize(
    "batches",
    [
        [[change("I", 1), change("D", 9)], [change("I", 10)._replace(at=datetime(2024, 1, 1, 1, 5))]],
        [[change("I", 1, v="x"), change("U", 2, unavailable=["v"], **{"w`w": 0.5})], [change("T", 9)]],
        [[change("L", 1, 2), change("U", 2, 2), change("L", 1, 3, **{"line no": 2})], [change("U", 3, 2, v="x")]],
    ],
    ids=["time-never-runs-back", "values-of-before-a-truncate", "load-that-is-not-complete"],
)
def test_a_run_continues_from_the_versions_of_silver(query, batches):
    lake = Lake(query, table())
    for number, batch in enumerate(batches, start=1):
        lake.build(change._replace(batch=number) for change in batch)
        assert set(lake.silver.values()) == fold(lake.log, [], writes=False), f"batch {number}"


def test_cdc_history_merge_sql__a_version_is_its_key_and_its_first_change():
    assert_sql_equal(
        Dbt().cdc_history_merge_sql(table(), Relation("silver", "shop__order"), "delta", ["line no", "_cdc_sequence"]),
        """
        merge into silver.shop__order as target
        using delta as source
        on target.`select` <=> source.`select` and target.`line no` <=> source.`line no`
            and target._cdc_sequence = source._cdc_sequence
        when matched and source._cdc_is_gone then delete
        when matched then update set `line no` = source.`line no`, `_cdc_sequence` = source.`_cdc_sequence`
        when not matched then insert (`line no`, `_cdc_sequence`) values (source.`line no`, source.`_cdc_sequence`)
        """,
    )


def test_check_versions__table_of_another_mode():
    silver = Relation("silver", "shop__order")
    columns = [ExistingColumn("id", "int"), ExistingColumn("_cdc_operation", "string")]
    with pytest.raises(LakehouseError) as error:
        check_versions(silver, columns)
    assert str(error.value) == (
        "CDC error in silver.shop__order (cdc_merge): mode is history, but the table has no columns"
        " _cdc_valid_from and _cdc_valid_to: it was built in another mode. It has id, _cdc_operation. Rebuild it"
        " (docs/runbook.md), or set the mode back in seeds/cdc_tables.csv and run make models."
    )
