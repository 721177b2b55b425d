"""Which feeds have new messages: a question to the broker, in place of a listing."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from python_udfs.cli.console import say
from python_udfs.kafka.client import KafkaError
from python_udfs.kafka.cluster import Cluster
from python_udfs.kafka.pace import Pace
from python_udfs.kafka.plan import make_plan
from python_udfs.kafka.read import commit_to_group, passes_gaps, read_progress
from python_udfs.metadata.load import load_metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from python_udfs.kafka.plan import Plan
    from python_udfs.metadata.kafka import Kafka


# A broker that is down holds up each cycle for so long.
SECONDS_TO_ANSWER = 3.0
SECONDS_TO_COMMIT_AGAIN = 10.0


class Topics:
    """The feeds that read Kafka, each with a connection that stays open.

    Args:
        spark: gives the session to read progress with.
        project: folder of dbt_project.yml.
    """

    def __init__(self, spark: Callable[[], SparkSession], project: Path) -> None:
        self._spark = spark
        feeds = load_metadata(project / "seeds").feeds
        self._kafka: dict[str, Kafka] = {feed.feed: feed.options.kafka for feed in feeds if feed.options.kafka}
        self._clusters: dict[str, Cluster] = {}
        self._said: dict[str, list[str]] = {}
        self._paces: dict[str, Pace] = {}
        # When a group that has not taken offsets is asked again.
        self._commits_from: dict[str, float] = {}
        # Feeds whose broker did not answer when it was asked last.
        self.without_answer: set[str] = set()

    def has_new(self, feed: str, table: str) -> bool:
        """Whether a feed has messages, or a gap, that its split table lacks. A broker that is down is reported once.

        Args:
            feed: its name.
            table: its split table.
        """
        kafka, spark = self._kafka[feed], self._spark()
        # The table may have yet to be built.
        before = read_progress(spark, table) if spark.catalog.tableExists(table) else None
        try:
            if feed not in self._clusters:
                self._clusters[feed] = Cluster(feed, kafka, SECONDS_TO_ANSWER)
            seen = self._clusters[feed].look(is_first=before is None)
            self.without_answer.discard(feed)
        except KafkaError as error:
            self.without_answer.add(feed)
            self._clusters.pop(feed, None)
            # The client's words differ from one attempt to the next.
            self._say(feed, {"no answer": str(error)})
            return False
        plan = make_plan(kafka, before, seen, passes_gaps=passes_gaps(kafka))
        if before == plan.progress:
            self._commit(feed, plan)
        pace = self._paces.setdefault(feed, Pace()).line(plan)
        if pace:
            say(f"{datetime.now(timezone.utc):%H:%M:%S}  feed {feed}: {pace}")
        gaps = {str(gap): f"feed {feed}: messages are gone that were not read. {gap}" for gap in plan.gaps}
        return self._say(feed, gaps) or bool(plan.ranges)

    def _commit(self, feed: str, plan: Plan) -> None:
        """Commits the offsets to the feed's group, if the broker takes them; if not, it is asked again later."""
        now = time.monotonic()
        if now >= self._commits_from.get(feed, now) and not commit_to_group(feed, self._clusters[feed], plan):
            # A client that has lost its broker gets no answer about a group ever again; another one does.
            del self._clusters[feed]
            self._commits_from[feed] = time.monotonic() + SECONDS_TO_COMMIT_AGAIN

    def _say(self, feed: str, lines: Mapping[str, str]) -> bool:
        """Shows what was not shown in the cycle before, by what it is about; whether there is any."""
        new = [line for about, line in lines.items() if about not in self._said.get(feed, ())]
        self._said[feed] = list(lines)
        for line in new:
            say(f"{datetime.now(timezone.utc):%H:%M:%S}  {line}")
        return bool(new)
