"""The DAG of all feeds: a task per group of feeds owns Spark, and each table has a task that shows how it went."""

from __future__ import annotations

import os
from contextlib import nullcontext
from datetime import datetime, timezone
from itertools import chain

from airflow.providers.common.messaging.triggers.msg_queue import MessageQueueTrigger
from airflow.sdk import DAG, Asset, AssetOrTimeSchedule, AssetWatcher, CronTriggerTimetable, TaskGroup, task
from lakehouse import (
    POOL,
    SILVER,
    Build,
    Table,
    asset,
    check_lag,
    check_others,
    deadline,
    default_arguments,
    feed_groups,
    retries,
)

timetable = CronTriggerTimetable(os.environ.get("LAKEHOUSE_SCHEDULE") or "*/15 * * * *", timezone="UTC")
if queue := os.environ.get("LAKEHOUSE_SQS_QUEUE"):
    # Which file came does not matter: a run lists them all, and a message that comes twice changes nothing.
    trigger = MessageQueueTrigger(scheme="sqs", sqs_queue=queue, max_messages=10, num_batches=10, waiter_delay=10)
    landing = Asset(name="landing", watchers=[AssetWatcher(name="s3_notifications", trigger=trigger)])
    schedule = AssetOrTimeSchedule(timetable=timetable, assets=landing)
else:
    schedule = timetable

groups = feed_groups()
with DAG(
    "cdc_lakehouse",
    description="New files and messages into bronze and silver",
    schedule=schedule,
    start_date=datetime(2024, 1, 1, tzinfo=timezone.utc),
    catchup=False,
    max_active_runs=1,
    deadline=deadline(),
    default_args=default_arguments(),
    tags=["lakehouse"],
):
    for name, feeds in groups.items():
        with TaskGroup(name) if len(groups) > 1 else nullcontext():
            tables = sorted(chain.from_iterable(feeds.values()))
            build = Build(task_id="build", feeds=[] if len(groups) == 1 else list(feeds), pool=POOL, **retries())
            build >> Table.partial(
                task_id="tables",
                built_by=build.task_id,
                map_index_template="{{ task.table }}",
                inlets=[asset(table) for table in tables],
                outlets=[SILVER],
                **retries(),
            ).expand(table=tables)
            task(check_lag, task_id="lag")(build.output)
            task(check_others, task_id="others")(build.output)
