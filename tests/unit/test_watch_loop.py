"""Which models a cycle of the watch runs, with dbt, Spark and brokers replaced."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from table_configs import state_config

from python_udfs.watch import loop
from python_udfs.watch.__main__ import main as watch_command

TABLES = 300
SPLITS = {"live": "etl_metadata.split_live", "bank": "etl_metadata.split_bank"}


def node(name: str, above: tuple[str, ...] = (), materialized: str = "incremental", **cdc: Any) -> SimpleNamespace:
    config = SimpleNamespace(meta={"cdc": state_config(**cdc)} if cdc else {}, materialized=materialized)
    schema = {"split": "etl_metadata"}.get(cdc.get("layer", ""), cdc.get("layer", "gold"))
    return SimpleNamespace(
        name=name, unique_id=name, resource_type="model", schema=schema, alias=name, config=config,
        depends_on=SimpleNamespace(nodes=list(above)),
    )  # fmt: skip


def table_nodes(feed: str, name: str) -> list[SimpleNamespace]:
    table = {"feed": feed, "source_schema": "s", "source_table": name}
    bronze = node(f"bronze_{name}", (f"split_{feed}",), layer="bronze", **table)
    return [bronze, node(f"silver_{name}", (bronze.name,), layer="silver", **table)]


class World:
    """State of dbt, of the landing area and of the topics, and the commands that were run."""

    def __init__(self) -> None:
        self.nodes = [
            node("split_live", layer="split", feed="live", is_kafka=True),
            node("split_bank", layer="split", feed="bank"),
            node("audit", ("split_live",)),
            node("kafka_lag", ("split_live",), "view"),
            *(node for number in range(TABLES) for node in table_nodes("live", f"t{number}")),
            *table_nodes("bank", "account"),
        ]
        self.changed_at = 1.0
        self.commands: list[tuple[str, ...]] = []
        self.failing: set[str] = set()
        self.listed: list[tuple[Any, ...]] = []
        self.listing = 1
        self.heads = {"live": 1, "bank": 1}
        self.added: set[tuple[Any, ...]] | None = set()
        self.messages: list[tuple[Any, ...]] = []
        self.without_answer: set[str] = set()

    # dbt
    def invoke(self, *arguments: str) -> Any:
        self.commands.append(arguments)
        if arguments == ("parse",):
            nodes = {node.name: node for node in self.nodes}
            return SimpleNamespace(success=True, result=SimpleNamespace(nodes=nodes), exception=None)
        chosen = arguments[2 : arguments.index("--exclude")] if "--exclude" in arguments else ()
        results = []
        for word in chosen:
            model = next(node for node in self.nodes if node.name == word.rstrip("+"))
            is_failing = model.name in self.failing
            results.append(SimpleNamespace(node=model, status="error" if is_failing else "success", message="no"))
            if model.name == "split_live" and not is_failing and self.messages:
                self.added, self.messages = {*(self.added or ()), *self.messages}, []
                self.heads["live"] += 1
        is_good = not any(result.status == "error" for result in results)
        return SimpleNamespace(success=is_good, result=SimpleNamespace(results=results), exception=None)

    # Iceberg
    def current_snapshot_id(self, _: Any, table: str) -> int:
        return next((self.heads[feed] for feed, name in SPLITS.items() if name in table), self.listing)

    def added_partitions(self, _: Any, table: str, __: int) -> set[tuple[Any, ...]] | None:
        partitions, self.added = self.added, set()
        return partitions if "live" in table else set()

    # Spark: the listing's tables
    def __getattr__(self, name: str) -> Any:
        if name in ("table", "where", "coalesce", "groupBy", "agg"):
            return lambda *_: self
        raise AttributeError(name)

    def collect(self) -> list[tuple[Any, ...]]:
        return self.listed

    conf = SimpleNamespace(get=lambda _: "lakehouse")
    catalog = SimpleNamespace(tableExists=lambda _: True)

    # Topics
    def has_new(self, feed: str, _: str) -> bool:
        return bool(self.messages)

    def built(self) -> list[tuple[str, ...]]:
        """The models of each command that builds, since this was asked last."""
        commands, self.commands = self.commands, []
        return [command[2 : command.index("--exclude")] for command in commands if "--exclude" in command]


@pytest.fixture
def world(monkeypatch) -> World:
    world = World()
    monkeypatch.setattr(loop, "newest_change", lambda _: world.changed_at)
    monkeypatch.setattr(loop, "say", lambda _: None)
    for name in ("current_snapshot_id", "added_partitions"):
        monkeypatch.setattr(loop.snapshots, name, getattr(world, name))
    monkeypatch.setattr(loop.snapshots, "newest_summary", lambda *_: {})
    monkeypatch.setattr("python_udfs.watch.topics.Topics", lambda *_: world)
    return world


@pytest.fixture
def watch(world, tmp_path) -> loop.Watch:
    watch = loop.Watch(world.invoke, lambda: world, tmp_path)
    assert watch.cycle()
    assert world.built()[1][:2] == ("audit+", "bronze_account+"), "at first all that may have new changes"
    assert not watch.cycle()
    assert world.built() == []
    return watch


def test_of_hundreds_of_tables_those_with_new_messages_are_built(world, watch):
    world.messages = [("s", "t7"), ("s", "t250"), (None, None)]
    assert watch.cycle(lists=False)
    assert world.built() == [("split_live",), ("audit+", "bronze_t250+", "bronze_t7+")]
    assert not watch.cycle(lists=False), "and once"


def test_a_cycle_between_listings_lists_and_records_nothing(world, watch):
    world.commands = []
    world.listed, world.listing = [("bank", "s", "account", 5)], 2
    assert not watch.cycle(lists=False)
    assert world.commands == []


def test_where_all_tables_come_from_topics_nothing_is_listed(world, tmp_path):
    world.nodes = [node for node in world.nodes if "bank" not in node.name and "account" not in node.name]
    watch = loop.Watch(world.invoke, lambda: world, tmp_path)
    assert watch.cycle()
    world.commands, world.messages = [], [("s", "t1")]
    assert watch.cycle()
    assert len(world.commands) == 2 and world.built() == [("split_live",), ("audit+", "bronze_t1+")]
    world.nodes += [node("split_bank", layer="split", feed="bank"), *table_nodes("bank", "account")]
    world.changed_at = 2.0
    assert watch.cycle()
    assert not watch.cycle()
    assert ("run", "--select", *loop.LISTING) in world.commands, "until there is a feed of files"


def test_a_table_that_fails_is_not_built_with_each_message(world, watch):
    world.failing = {"bronze_t7"}
    for _ in range(3):
        world.messages = [("s", "t7"), ("s", "t8")]
        assert watch.cycle(lists=False)
    assert [command for command in world.built() if command != ("split_live",)] == [
        ("audit+", "bronze_t7+", "bronze_t8+"),
        ("audit+", "bronze_t8+"),
        ("audit+", "bronze_t8+"),
    ]


def test_it_is_built_again_after_a_minute(world, watch, monkeypatch):
    monkeypatch.setattr(loop, "SECONDS_TO_RETRY", 0.0)
    world.failing, world.messages = {"bronze_t7"}, [("s", "t7")]
    assert watch.cycle(lists=False)
    world.failing = set()
    assert watch.cycle(lists=False)
    assert world.built()[-1] == ("bronze_t7+",)


def test_a_split_that_fails_holds_its_own_tables_alone(world, watch, monkeypatch):
    world.failing = {"split_bank"}
    world.listed, world.listing = [("bank", "s", "account", 5), ("bank", None, None, 5)], 2
    world.messages = [("s", "t1")]
    assert watch.cycle()
    assert world.built() == [("split_bank", "split_live"), ("audit+", "bronze_t1+")], "a load waits for its split"
    monkeypatch.setattr(loop, "SECONDS_TO_RETRY", 0.0)
    world.failing = set()
    world.listed, world.listing = [("bank", None, None, 6)], 3
    assert watch.cycle()
    assert world.built() == [("split_bank",), ("bronze_account+",)]


def test_what_another_process_has_split_is_built(world, watch):
    world.heads["live"], world.added = 2, {("s", "t3")}
    assert watch.cycle(lists=False)
    assert world.built() == [("audit+", "bronze_t3+")]


def test_after_a_rollback_all_tables_of_the_split_are_looked_at(world, watch):
    world.heads["live"], world.added = 2, None
    assert watch.cycle(lists=False)
    [built] = world.built()
    assert len(built) == TABLES + 1 and "bronze_account+" not in built


def test_a_table_without_metadata_is_built_once_it_has_some(world, watch):
    world.messages = [("s", "late")]
    assert watch.cycle(lists=False)
    assert world.built() == [("split_live",), ("audit+",)]
    assert not watch.cycle()
    assert ("parse",) not in world.commands, "the project has not changed"
    world.nodes += table_nodes("live", "late")
    world.changed_at = 2.0
    assert watch.cycle()
    assert world.built() == [("bronze_late+",)]


def test_a_table_that_lost_its_metadata_waits_no_more(world, watch, monkeypatch):
    monkeypatch.setattr(loop, "SECONDS_TO_RETRY", 0.0)
    world.failing, world.messages = {"bronze_t7"}, [("s", "t7")]
    assert watch.cycle(lists=False)
    world.nodes = [node for node in world.nodes if not node.name.endswith("_t7")]
    world.changed_at = 2.0
    world.commands = []
    assert not watch.cycle()
    assert world.built() == []


def test_a_broker_that_is_down_is_asked_with_a_listing_alone(world, watch):
    world.without_answer, world.messages = {"live"}, [("s", "t1")]
    assert not watch.cycle(lists=False)
    assert watch.cycle()
    assert world.built() == [("split_live",), ("audit+", "bronze_t1+")]


def test_a_load_of_one_table_takes_the_split_of_its_feed_along(world, watch):
    world.listed, world.listing = [("bank", "s", "account", 5)], 2
    assert watch.cycle()
    assert world.built() == [("split_bank",), ("bronze_account+",)]


@pytest.mark.parametrize("every", ["nan", "inf", "0", "-1", "1e9", "soon", ""])
def test_a_pace_that_cannot_be_is_refused(capsys, every):
    with pytest.raises(SystemExit) as ended:
        watch_command([f"--every={every}"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"received {every!r}, expected a number of seconds from 0.1 to 86400" in said and "Traceback" not in said
