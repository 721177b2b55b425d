"""Plans of a run's reads of Kafka, without Kafka: positions, gaps and limits."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from seed_files import good_seeds, write_seeds

from python_udfs.codegen.render import render
from python_udfs.errors import MetadataError
from python_udfs.kafka.client import (
    KafkaError,
    make_admin_settings,
    make_reader_options,
    read_settings,
    without_secrets,
)
from python_udfs.kafka.pace import Pace
from python_udfs.kafka.plan import Progress, Seen, make_plan, object_name, parts_of, tables_of_topics
from python_udfs.metadata import FEEDS_FILE, load_metadata
from python_udfs.metadata.kafka import Kafka
from python_udfs.metadata.of_models import listed_feeds, split_feed

T = ("t", 0)


def kafka(start: str = "earliest", limit: int = 1000, client: tuple[tuple[str, str], ...] = ()) -> Kafka:
    return Kafka("b:9092", ("t", "u"), None, start, limit, "fail", client)


def seen(first=None, end=None, *, cluster="C", topics=None, begin=None) -> Seen:
    end = {T: 10} if end is None else end
    first = {at: 0 for at in end} | (first or {})
    return Seen(cluster, topics or {at[0]: f"id-{at[0]}" for at in end}, first, end, begin or {})


def progress(offsets=None, cluster="C", **topics: str) -> Progress:
    return Progress(7, cluster, topics or {"t": "id-t"}, {T: 4} if offsets is None else offsets)


def plan(before, seen_now, *, passes=False, **feed):
    return make_plan(kafka(**feed), before, seen_now, passes_gaps=passes)


@pytest.mark.parametrize(
    ("start", "begin", "range_"),
    [
        ("earliest", {}, (2, 10)),
        ("latest", {T: 10}, None),
        ("2026-01-31T00:00:00+00:00", {T: 6}, (6, 10)),
        ("t:0:5|u:0:1", {}, (5, 10)),
        ("u:0:1", {}, (2, 10)),
    ],
)
def test_the_first_run_begins_where_the_row_says(start, begin, range_):
    made = plan(None, seen({T: 2}, begin=begin), start=start)
    assert made.ranges == ({T: range_} if range_ else {})
    assert made.progress.offsets == {T: 10} and made.progress.topics == {"t": "id-t"} and not made.gaps


def test_a_later_run_goes_on_where_the_table_ends():
    assert plan(progress(), seen(), start="latest").ranges == {T: (4, 10)}
    assert plan(progress({T: 10}), seen()).ranges == {}


def test_a_new_topic_and_a_new_partition_begin_at_the_earliest_message():
    ends = {T: 10, ("t", 1): 3, ("u", 0): 5}
    made = plan(progress(), seen({("u", 0): 2}, ends), start="latest")
    assert made.ranges == {T: (4, 10), ("t", 1): (0, 3), ("u", 0): (2, 5)} and not made.gaps
    assert plan(progress(), seen({("u", 0): 2}, ends), start="u:0:4").ranges[("u", 0)] == (2, 5)
    [gap] = plan(progress(), seen({("t", 1): 1}, ends)).gaps
    assert (gap.from_offset, gap.to_offset) == (0, 1), "a partition that is new to a known topic began at 0"


def test_a_gap_is_over_once_its_partition_answers_without_it():
    held = plan(progress(), seen(end={T: 3, ("t", 1): 2})).progress
    [key] = held.waiting
    assert key == ("kafka://C/id-t/t/0", "beyond_end", 4)
    still = plan(held, seen(end={T: 2, ("t", 1): 2}))
    assert still.progress == held, "where it ends moves: no commit for that"
    unasked = plan(held, seen(end={("t", 1): 2}))
    assert unasked.progress.waiting == (key,), "its partition did not answer"
    grown = plan(held, seen(end={T: 9, ("t", 1): 2}))
    [over] = grown.gaps
    assert (over.key, over.is_passed, over.to_offset, grown.progress.waiting) == (key, True, 4, ())
    assert str(over) == "kafka://C/id-t/t/0: waited at offset 4 (beyond_end), and is read on at offset 4"
    assert grown.ranges == {T: (4, 9)}


def test_a_gap_that_became_another_one_is_over():
    held = plan(progress(), seen({T: 6})).progress
    again = plan(held, seen(topics={"t": "other"}))
    assert [(gap.reason, gap.is_passed) for gap in again.gaps] == [("topic_recreated", False), ("retention", True)]
    passed = plan(again.progress, seen(topics={"t": "other"}), passes=True)
    assert [(gap.reason, gap.is_passed) for gap in passed.gaps] == [("topic_recreated", True)]
    assert passed.progress.waiting == ()


def test_an_old_cluster_that_answers_again_ends_the_gap():
    held = plan(progress(), seen(cluster="D")).progress
    assert held.waiting == (("kafka://C/id-t/t/0", "cluster_replaced", 4),)
    made = plan(held, seen())
    assert [gap.has_waited for gap in made.gaps] == [True] and made.ranges == {T: (4, 10)}


@pytest.mark.parametrize(
    ("reason", "seen_now", "to"),
    [
        ("retention", seen({T: 6}), 6),
        ("beyond_end", seen(end={T: 3}), 3),
        ("topic_recreated", seen(topics={"t": "other"}), 0),
        ("cluster_replaced", seen(cluster="D"), 0),
    ],
)
def test_a_gap_holds_its_partition_or_is_passed(reason, seen_now, to):
    held = plan(progress(), seen_now)
    [gap] = held.gaps
    assert (gap.reason, gap.from_offset, gap.to_offset, gap.is_passed) == (reason, 4, to, False)
    assert held.progress == replace(progress(), waiting=(gap.key,)), "the partition waits, with all that it knows"
    assert held.ranges == {}
    passed = plan(progress(), seen_now, passes=True)
    assert passed.gaps[0].is_passed and passed.gaps[0].source == gap.source == "kafka://C/id-t/t/0"
    assert passed.ranges == ({T: (to, seen_now.end[T])} if to < seen_now.end[T] else {})
    again = plan(passed.progress, seen_now)
    assert not again.gaps and not again.ranges


def test_a_name_of_a_partition_can_be_taken_apart():
    name = object_name("AAAAAAAAAAAAAAAAAAAAAQ", "x_-1", "src.s.t", 12)
    assert parts_of(name) == ("AAAAAAAAAAAAAAAAAAAAAQ", "x_-1", "src.s.t", 12)
    assert parts_of("kafka://c/topics/t+0+0000000001.json") is None and parts_of(f"{name}/x") is None


def test_a_gap_of_one_partition_stops_no_other():
    made = plan(progress({T: 4, ("u", 0): 0}, t="id-t", u="id-u"), seen({T: 6}, {T: 10, ("u", 0): 5}))
    assert made.ranges == {("u", 0): (0, 5)} and made.progress.offsets == {T: 4, ("u", 0): 5}


def test_of_a_replaced_cluster_nothing_is_read_until_that_is_accepted():
    new = seen(end={T: 10, ("u", 0): 5}, cluster="D")
    assert plan(progress(), new).ranges == {}
    passed = plan(progress({T: 4, ("gone", 0): 9}, t="id-t", gone="x"), new, passes=True)
    assert passed.ranges == {T: (0, 10), ("u", 0): (0, 5)}
    assert passed.progress.offsets == {T: 10, ("u", 0): 5} and passed.progress.cluster_id == "D"


def test_a_topic_that_is_gone_or_silent_keeps_its_progress():
    before = progress({T: 4, ("u", 0): 3}, t="id-t", u="id-u")
    assert plan(before, seen()).progress.offsets == {T: 10, ("u", 0): 3}
    [gap] = plan(before, seen(end={("u", 0): 9}, topics={"u": "new"})).gaps
    assert gap.reason == "topic_recreated"


def test_a_topic_made_again_with_fewer_partitions_forgets_the_others():
    before = progress({T: 4, ("t", 1): 8})
    made = plan(before, seen(topics={"t": "new"}), passes=True)
    assert made.progress.offsets == {T: 10} and made.progress.topics == {"t": "new"}


def test_the_limit_is_shared_and_nothing_is_left_out_over_many_runs():
    dice = random.Random(1)
    for _ in range(200):
        ends = {("t", number): dice.randint(0, 50) for number in range(dice.randint(1, 4))}
        before, read, limit = None, {at: [] for at in ends}, dice.randint(1, 30)
        for _ in range(400):
            made = plan(before, seen(end=ends), limit=limit)
            for at, (start, end) in made.ranges.items():
                read[at] += range(start, end)
            assert made.messages <= limit + len(ends) and made.left == sum(ends.values()) - sum(map(len, read.values()))
            before = made.progress
            if not made.left:
                break
        assert read == {at: list(range(end)) for at, end in ends.items()}


SASL = (
    ("security.protocol", "SASL_SSL"),
    ("sasl.mechanism", "SCRAM-SHA-512"),
    ("sasl.username", "reader"),
    ("sasl.password", "env:SECRET"),
    ("ssl.truststore.type", "PEM"),
    ("ssl.truststore.location", "/ca.pem"),
    ("max.poll.records", "100"),
    ("admin.socket.timeout.ms", "9000"),
)


def test_both_clients_get_the_same_security_and_secrets_stay_out_of_messages(monkeypatch):
    with pytest.raises(KafkaError, match=r"feed f.*environment variables are missing: SECRET"):
        read_settings("f", kafka(client=SASL))
    monkeypatch.setenv("SECRET", 'pa"ss')
    values = read_settings("f", kafka(client=SASL))
    spark, admin = make_reader_options("b:9092", values), make_admin_settings("b:9092", values)
    login = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    assert spark["kafka.sasl.jaas.config"] == f'{login} username="reader" password="pa\\"ss";'
    assert spark["kafka.isolation.level"] == "read_committed" and spark["kafka.max.poll.records"] == "100"
    assert spark["kafka.fetch.max.wait.ms"] == "10"
    assert make_reader_options("b", {"fetch.max.wait.ms": "7"})["kafka.fetch.max.wait.ms"] == "7"
    assert "kafka.sasl.password" not in spark and "kafka.admin.socket.timeout.ms" not in spark
    assert admin == {
        "bootstrap.servers": "b:9092",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "reader",
        "sasl.password": 'pa"ss',
        "ssl.ca.location": "/ca.pem",
        "socket.timeout.ms": "9000",
    }
    assert without_secrets('refused pa"ss', values) == "refused ***"
    jaas = {"sasl.jaas.config": spark["kafka.sasl.jaas.config"]}
    assert make_admin_settings("b", jaas)["sasl.password"] == 'pa"ss', "from a configuration for Java alone"


@pytest.mark.parametrize(
    ("location", "options", "column", "accepted"),
    [
        ("kafka://b", "topics=t", "location", "kafka://host:port,host:port"),
        ("kafka://user:pw@b:9092", "topics=t", "location", "kafka://host:port,host:port"),
        ("kafka://b:9092", "", "options", "one of the two"),
        ("kafka://b:9092", "topics=t;topic_pattern=t", "options", "one of the two"),
        ("kafka://b:9092", "topics=a b", "options", "names of topics separated by |"),
        ("kafka://b:9092", "topic_pattern=(", "options", "a regular expression"),
        ("kafka://b:9092", "topics=t;starting_offsets=2026-01-31", "options", "earliest, latest, a time"),
        ("kafka://b:9092", "topics=t;starting_offsets=2024-01-31T00:00:00", "options", "a time with its zone"),
        (
            "kafka://b:9092",
            "topics=t;starting_offsets=1969-12-31T00:00:00Z",
            "options",
            "a time with its zone since 1970",
        ),
        ("kafka://b:9092", "topics=t;starting_offsets=t:0:1|u:0:1", "options", "of a topic that is read"),
        ("kafka://b:9092", "topic_pattern=t.*;starting_offsets=u:0:1", "options", "of a topic that is read"),
        ("kafka://b:9092", "topics=t;starting_offsets=t:0:1|t:0:2", "options", "of a topic that is read once"),
        (
            "kafka://b:9092",
            "topics=t;kafka.bootstrap.servers=xyz:1",
            "options",
            "kafka.bootstrap.servers; accepted",
        ),
        ("kafka://b:9092", "topics=t;kafka.value.deserializer=xyz", "options", "kafka.value.deserializer; accepted"),
        ("kafka://b:9092", "topics=t;kafka.admin.bootstrap.servers=xyz:1", "options", "kafka.admin.bootstrap.servers"),
        ("kafka://b:9092", "topics=t;kafka.ssl.keystore.key=xyz", "options", "the name of an environment variable"),
        (
            "kafka://b:9092",
            "topics=t;kafka.admin.sasl.oauthbearer.client.secret=xyz",
            "options",
            "environment variable",
        ),
        ("kafka://b:9092", "topics=t;registry.url=http://b/token=xyz", "options", "https://host:port without a user"),
        ("kafka://b:9092", "topics=t;messages_per_run=0", "options", "a whole number from 1"),
        ("kafka://b:9092", "topics=t;on_gap=skip", "options", "fail or continue"),
        ("kafka://b:9092", "topics=t;full_listing_hours=5", "options", "topics"),
        ("kafka://b:9092", "topics=t;kafka.sasl.username=me", "options", "both"),
        ("kafka://b:9092", "topics=t;kafka.ssl.key.password=xyz", "options", "the name of an environment variable"),
        ("kafka://b:9092", "topics=t;group=", "options", "the name of a consumer group"),
        ("kafka://b:9092", "topics=t;registry.timeout=5", "options", "https://host:port without a user"),
        ("kafka://b:9092", "topics=t;registry.url=http://me:xyz@b", "options", "https://host:port without a user"),
        (
            *("kafka://b:9092", "topics=t;registry.url=http://b;registry.basic.auth.user.info=me:xyz", "options"),
            "the name of an environment variable",
        ),
        ("kafka://b:9092", "topics=t;form=flattened", "options", "no tombstones; accepted: delete or ignore"),
        (
            "kafka://b:9092",
            "topics=t;form=flattened;tombstones=x",
            "options",
            "tombstones=x; accepted: delete or ignore",
        ),
        ("kafka://b:9092", "topics=t;tombstones=delete", "options", "it with form=flattened alone"),
        ("folder", "form=flattened;tombstones=delete", "options", "full_listing_hours"),
        ("folder", "topics=t", "options", "full_listing_hours"),
        ("folder", "kafka.client.id=t", "options", "full_listing_hours"),
    ],
)
def test_a_mistake_in_the_row_of_a_feed_is_named(tmp_path, location, options, column, accepted):
    problem = _problem(tmp_path, "debezium", location, options)
    assert f"column {column}" in problem and accepted in problem and "xyz" not in problem


@pytest.mark.parametrize(
    "options",
    [
        "topics=t|u;starting_offsets=t:0:1|t:1:1|u:0:7",
        "topic_pattern=t.*;starting_offsets=t1:0:1",
        "topics=t;starting_offsets=1970-01-01T00:00:00Z",
        "topics=t;kafka.ssl.key.location=/a;kafka.sasl.oauthbearer.token.endpoint.url=https://b/token",
        "topics=t;registry.url=http://b/apis/ccompat/v7;registry.basic.auth.credentials.source=URL",
    ],
)
def test_what_is_no_mistake(tmp_path, options):
    assert _problem(tmp_path, "debezium", "kafka://b:9092", options) == ""


def test_a_registry_is_for_debezium_alone(tmp_path):
    problem = _problem(tmp_path, "maxwell", "kafka://b:9092", "topics=t;registry.url=http://b:8081")
    assert "registry.… of maxwell; accepted: it for debezium alone" in problem


def test_a_feed_that_is_behind_shows_what_is_left_its_rate_and_the_time_to_go():
    seconds = iter((0.0, 10.0, 20.0, 100.0, 110.0))
    pace = Pace(lambda: next(seconds))

    def line(read: int) -> str | None:
        return pace.line(plan(progress({T: read}), seen(end={T: 1000}), limit=100))

    assert line(100) == "900 messages left"
    assert line(200) == "800 messages left, 10 a second, 80 s to go"
    assert line(200) is None, "nothing was read since"
    assert line(600) == "400 messages left, 25 a second, 16 s to go"
    assert line(900) is None, "the next run reads all of it"
    assert line(100) == "900 messages left", "behind again"
    assert line(300) == "700 messages left, 20 a second, 35 s to go"


def test_only_messages_are_read_from_kafka(tmp_path):
    assert "dms_kafka, debezium, maxwell, canal" in _problem(tmp_path, "dms", "kafka://b:9092", "topics=t")


def _problem(tmp_path, connector, location, options):
    feed = {"feed": "live", "connector": connector, "format": "json", "location": location, "options": options}
    try:
        load_metadata(write_seeds(tmp_path, {**good_seeds(), FEEDS_FILE: [*good_seeds()[FEEDS_FILE], feed]}))
    except MetadataError as error:
        return "\n".join(map(str, error.problems))
    return ""


def test_feeds_may_share_a_broker_and_none_of_them_is_listed(tmp_path):
    seeds = good_seeds()
    for name in ("one", "two"):
        row = {"feed": name, "connector": "debezium", "format": "json", "location": "kafka://b:9092"}
        options = f"topics={name};on_gap=continue;kafka.client.id=x;group=g;registry.url=http://r:8081/api"
        seeds[FEEDS_FILE].append({**row, "options": options})
    metadata = load_metadata(write_seeds(tmp_path, seeds))
    assert [feed["feed"] for feed in listed_feeds(metadata)] == ["people", "shop"]
    read = split_feed(metadata, "one")["kafka"]
    assert (read.brokers, read.topics, read.on_gap, read.client) == (
        "b:9092", ("one",), "continue", (("client.id", "x"),),
    )  # fmt: skip
    assert (read.group, read.registry) == ("g", (("url", "http://r:8081/api"),))
    files = render(metadata, tmp_path / "seeds")
    assert "from python_udfs.kafka.read import new_messages" in files["models/etl_metadata/split_one.py"]
    assert "models/etl_metadata/kafka_gaps.sql" in files and "models/etl_metadata/kafka_lag.sql" in files


def test_a_project_without_kafka_has_nothing_of_it(tmp_path):
    files = render(load_metadata(write_seeds(tmp_path, good_seeds())), tmp_path / "seeds")
    assert not any("kafka" in text for text in [*files, *files.values()])


def test_a_topic_is_of_the_one_table_that_it_ends_with():
    tables = [("s", "t"), ("a.s", "t"), ("b", "c.d"), ("c", "d"), ("s", "other")]
    topics = ["x.s.other", "live.c.d", "live.b.c.d", "s.t", "x.a.s.t", "t", "x.s.missing", "s"]
    # Of two tables so called nothing says which: the message waits without a table, and is reported.
    expected = {"x.s.other": ["s", "other"], "live.c.d": ["c", "d"], "s.t": ["s", "t"]}
    assert tables_of_topics(topics, tables) == expected
