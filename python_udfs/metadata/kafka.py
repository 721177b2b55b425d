"""The options of a feed whose location is a Kafka broker (docs/feeds/kafka.md). Needs neither Kafka nor Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from python_udfs.connectors.options import (
    CLIENT_PREFIX,
    KAFKA_OPTIONS,
    KAFKA_OPTIONS_OF,
    KAFKA_SCHEME,
    MESSAGE_OPTIONS,
    REGISTRY_PREFIX,
)
from python_udfs.metadata.files import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from python_udfs.metadata.files import Row

FROM_ENVIRONMENT = "env:"
# Settings for librdkafka alone.
ADMIN_PREFIX = "admin."
# Of a setting that holds a secret, the seed has only the name of the environment variable.
_SECRET = re.compile(r"password|secret|token|credential|jaas|(^|[.-])key$|\.key\.|user\.info", re.IGNORECASE)
_NO_SECRET = re.compile(r"(location|path|file|alias|type|algorithm|url|uri|class|source|name|id|ms)$", re.IGNORECASE)
# Settings of the project: another address would have offsets of one cluster and messages of another.
_OWN_SETTINGS = ("bootstrap.servers", "metadata.broker.list", "key.deserializer", "value.deserializer")
_SECRET_IN_PATH = re.compile(r"(password|secret|token|credential|api-?key)s?[=:/]", re.IGNORECASE)
# Kafka counts milliseconds from here; -1 and -2 mean its newest and oldest message.
_FIRST_TIME = datetime(1970, 1, 1, tzinfo=timezone.utc)
_BROKERS = r"[^\s,:/@]+:[0-9]{1,5}(,[^\s,:/@]+:[0-9]{1,5})*"
_URL = r"https?://[^\s,/@?#]+(/[^\s,@?#]*)?"
_URLS = rf"{_URL}(,{_URL})*"
_TOPIC = r"[A-Za-z0-9._-]{1,249}"
_OFFSET = rf"({_TOPIC}):([0-9]{{1,10}}):([0-9]{{1,18}})"


@dataclass(frozen=True)
class Kafka:
    """Topics to read of a Kafka cluster, and the settings.

    Attributes:
        brokers: `host:port,host:port`.
        topics: names of topics; empty if there is a pattern.
        topic_pattern: regular expression that matches the whole name of a topic; None if topics are named.
        starting_offsets: where the first read begins: `earliest`, `latest`, an ISO time, or
            `topic:partition:offset|…`.
        messages_per_run: the most messages that one run reads.
        on_gap: `fail` or `continue`, where messages are gone that were not read.
        client: settings of Kafka's client, without the prefix `kafka.`; a value `env:NAME` is in the environment.
        registry: settings of the schema registry's client, in the same form; empty if values are JSON alone.
        group: the consumer group that offsets are committed to, for monitors; empty: none.
        tombstones: `delete` or `ignore`, for flattened messages of Debezium; else empty.
    """

    brokers: str
    topics: tuple[str, ...]
    topic_pattern: str | None
    starting_offsets: str
    messages_per_run: int
    on_gap: str
    client: tuple[tuple[str, str], ...] = ()
    registry: tuple[tuple[str, str], ...] = ()
    group: str = ""
    tombstones: str = ""

    @property
    def given_offsets(self) -> dict[tuple[str, int], int]:
        """The offsets that `starting_offsets` lists, by topic and partition."""
        offsets = [re.fullmatch(_OFFSET, text) for text in self.starting_offsets.split("|")]
        return {(offset[1], int(offset[2])): int(offset[3]) for offset in offsets if offset}

    @property
    def start_millis(self) -> int | None:
        """The time in `starting_offsets`, milliseconds since 1970; None if it is none."""
        moment = _moment(self.starting_offsets)
        return None if moment is None else int(moment.timestamp() * 1000)


def is_secret(setting: str) -> bool:
    """Whether the name of a setting says that its value is a secret; one that names a file or an alias holds none."""
    return bool(_SECRET.search(setting)) and not _NO_SECRET.search(setting)


def is_client_setting(key: str) -> bool:
    """Whether an option is a setting of Kafka's client, or of the schema registry's."""
    return any(key.startswith(prefix) and len(key) > len(prefix) for prefix in (CLIENT_PREFIX, REGISTRY_PREFIX))


def read_kafka(row: Row, pairs: Mapping[str, str]) -> Kafka | None:
    """Returns the broker that a row of ``cdc_feeds.csv`` describes; None if its location is no broker.

    Args:
        row: the row, which gets the problems.
        pairs: its options.
    """
    if not row["location"].startswith(KAFKA_SCHEME):
        return None
    if row["connector"] not in MESSAGE_OPTIONS:
        accepted = f"one of {', '.join(MESSAGE_OPTIONS)} with a location {KAFKA_SCHEME}…"
        row.problem("connector", shown(row["connector"]), accepted, "Name the format of the messages.")
    brokers = row["location"].removeprefix(KAFKA_SCHEME).rstrip("/")
    if not re.fullmatch(_BROKERS, brokers):
        fix = "Write each broker with its port and no user: kafka://one.example:9092,two.example:9092"
        row.problem("location", shown(row["location"]), "kafka://host:port,host:port", fix)

    def text(key: str, accepted: str, is_good: bool) -> str:
        if key in pairs and not is_good:
            row.problem("options", f"{key}={pairs[key]}", accepted, f"Correct {key} or leave it out.")
            return KAFKA_OPTIONS[key].default
        return pairs.get(key, KAFKA_OPTIONS[key].default)

    if ("topics" in pairs) == ("topic_pattern" in pairs):
        received = "topics and topic_pattern" if "topics" in pairs else "neither topics nor topic_pattern"
        row.problem("options", received, "one of the two", "Name the topics, or a pattern of their names.")
    topics = [topic for topic in pairs.get("topics", "").split("|") if topic]
    are_topics = bool(topics) and all(re.fullmatch(_TOPIC, topic) for topic in topics)
    text("topics", "names of topics separated by |", are_topics)
    pattern = text("topic_pattern", "a regular expression", _is_pattern(pairs.get("topic_pattern", "")))
    start = pairs.get("starting_offsets", "")
    is_start = start in ("earliest", "latest") or _is_time(start) or _are_offsets(start, topics, pattern)
    accepted = (
        "earliest, latest, a time with its zone since 1970 such as 2026-01-31T00:00:00+00:00, or topic:partition:offset"
        " separated by |, each partition of a topic that is read once"
    )
    start = text("starting_offsets", accepted, is_start)
    limit = pairs.get("messages_per_run", "")
    is_limit = limit.isascii() and limit.isdigit() and int(limit) > 0
    return Kafka(
        brokers=brokers,
        topics=tuple(sorted(set(topics))),
        topic_pattern=pattern or None,
        starting_offsets=start,
        messages_per_run=int(text("messages_per_run", "a whole number from 1", is_limit)),
        on_gap=text("on_gap", "fail or continue", pairs.get("on_gap") in KAFKA_OPTIONS["on_gap"].words),
        client=tuple(sorted(_client_settings(row, pairs).items())),
        registry=tuple(sorted(_registry_settings(row, pairs).items())),
        group=text("group", "the name of a consumer group", bool(pairs.get("group"))),
        tombstones=_tombstones(row, pairs),
    )


def _are_offsets(start: str, topics: list[str], pattern: str) -> bool:
    offsets = [re.fullmatch(_OFFSET, text) for text in start.split("|")]
    places = [(match[1], int(match[2])) for match in offsets if match]
    are_read = all(topic in topics or (pattern and re.fullmatch(pattern, topic)) for topic, _ in places)
    # Of a time without a zone, the hours, minutes and seconds look like a topic, a partition and an offset.
    return len(places) == len(offsets) == len(set(places)) and are_read and _parsed_time(start) is None


def _client_settings(row: Row, pairs: Mapping[str, str]) -> dict[str, str]:
    settings = _settings(row, pairs, CLIENT_PREFIX)
    own = [name for name in sorted(settings) if name.removeprefix(ADMIN_PREFIX) in _OWN_SETTINGS]
    if own:
        fix = "Remove it: the brokers are in location, and the project reads keys and values itself."
        row.problem("options", ", ".join(f"{CLIENT_PREFIX}{name}" for name in own), "settings of the connection", fix)
    if ("sasl.username" in settings) != ("sasl.password" in settings):
        fix = f"Give both, or neither and {CLIENT_PREFIX}sasl.jaas.config."
        row.problem("options", "one of kafka.sasl.username and kafka.sasl.password", "both", fix)
    return settings


def _registry_settings(row: Row, pairs: Mapping[str, str]) -> dict[str, str]:
    settings = _settings(row, pairs, REGISTRY_PREFIX)
    if not settings:
        return {}
    if row["connector"] != "debezium":
        fix = "Remove it: messages of other connectors are JSON."
        row.problem("options", f"{REGISTRY_PREFIX}… of {row['connector']}", "it for debezium alone", fix)
    url = settings.get("url", "")
    if not re.fullmatch(_URLS, url) or _SECRET_IN_PATH.search(url.replace("://", "")):
        # Not shown: it may hold a password.
        fix = f"Write {REGISTRY_PREFIX}url=http://one.example:8081; a login: {REGISTRY_PREFIX}basic.auth.user.info."
        row.problem("options", f"no {REGISTRY_PREFIX}url, or another form", "https://host:port without a user", fix)
    return settings


def _settings(row: Row, pairs: Mapping[str, str], prefix: str) -> dict[str, str]:
    settings = {key.removeprefix(prefix): value for key, value in pairs.items() if key.startswith(prefix)}
    for name in sorted(settings):
        if is_secret(name) and not settings[name].startswith(FROM_ENVIRONMENT):
            fix = f"Write for example {prefix}{name}={FROM_ENVIRONMENT}KAFKA_PASSWORD: the seed is in git."
            row.problem("options", f"a value of {prefix}{name}", "the name of an environment variable", fix)
    return {name: value for name, value in settings.items() if name}


def _tombstones(row: Row, pairs: Mapping[str, str]) -> str:
    """Reads the meaning of a flattened message without a value, which may be the only message of a delete."""
    tombstones, words = pairs.get("tombstones", ""), KAFKA_OPTIONS_OF["debezium"]["tombstones"].words
    is_flattened = row["connector"] == "debezium" and pairs.get("form") == "flattened"
    if is_flattened and tombstones not in words:
        fix = "Write delete if delete.tombstone.handling.mode is tombstone, its default; ignore if it is rewrite."
        row.problem("options", f"tombstones={tombstones}" if tombstones else "no tombstones", " or ".join(words), fix)
    elif tombstones and not is_flattened and row["connector"] == "debezium":
        fix = "Remove it: an envelope reports each delete by a message with a value."
        row.problem("options", f"tombstones={tombstones}", "it with form=flattened alone", fix)
    return tombstones


def _is_pattern(text: str) -> bool:
    try:
        return bool(text) and bool(re.compile(text))
    except re.error:
        return False


def _is_time(text: str) -> bool:
    moment = _moment(text)
    return moment is not None and moment >= _FIRST_TIME


def _moment(text: str) -> datetime | None:
    moment = _parsed_time(text)
    return moment if moment and moment.tzinfo else None


def _parsed_time(text: str) -> datetime | None:
    try:
        # Python 3.10 reads no Z.
        return datetime.fromisoformat(re.sub("Z$", "+00:00", text))
    except ValueError:
        return None
