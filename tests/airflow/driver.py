"""Runs the DAGs in Airflow's own Python, without its servers, and writes what happened: `python driver.py steps.json`.

`dag.test()` runs the tasks in this process, with Airflow's database, execution API, retries, assets and callbacks. What
is sent by mail and to the webhook is taken by two servers on loopback.
"""

from __future__ import annotations

import asyncio
import json
import os
import socketserver
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

TAKEN: dict[str, list[Any]] = {"mails": [], "hooks": []}


class Hook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        TAKEN["hooks"].append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


class Mail(socketserver.StreamRequestHandler):
    """As much of SMTP as one mail needs."""

    def handle(self) -> None:
        text: list[str] | None = None
        self.wfile.write(b"220 here\r\n")
        for raw in self.rfile:
            line = raw.decode().rstrip("\r\n")
            if text is not None:
                if line == ".":
                    TAKEN["mails"].append("\n".join(text))
                    text = None
                    self.wfile.write(b"250 taken\r\n")
                else:
                    text.append(line)
            elif line.upper() == "DATA":
                text = []
                self.wfile.write(b"354 go on\r\n")
            elif line.upper() == "QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 fine\r\n")


def serve(server: socketserver.BaseServer) -> int:
    Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_address[1])


hook = serve(HTTPServer(("127.0.0.1", 0), Hook))
mail = serve(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mail))
os.environ["AIRFLOW_CONN_WEBHOOK"] = json.dumps({"conn_type": "http", "host": f"http://127.0.0.1:{hook}/alerts"})
os.environ["AIRFLOW_CONN_SMTP_DEFAULT"] = json.dumps(
    {
        "conn_type": "smtp",
        "host": "127.0.0.1",
        "port": mail,
        "extra": {"disable_ssl": True, "disable_tls": True, "from_email": "lakehouse@example.org"},
    }
)

from airflow.dag_processing.dagbag import BundleDagBag  # noqa: E402 - the connections come first
from airflow.models.asset import AssetEvent, AssetModel  # noqa: E402
from airflow.models.taskinstance import clear_task_instances  # noqa: E402
from airflow.sdk.definitions.dag import _run_task  # noqa: E402
from airflow.utils.session import create_session  # noqa: E402
from airflow.utils.state import DagRunState, TaskInstanceState  # noqa: E402
from sqlalchemy import select  # noqa: E402

DAGS = os.environ["AIRFLOW__CORE__DAGS_FOLDER"]


def seen(run: Any) -> dict[str, Any]:
    """The state and the number of attempts of each task of a run, mapped ones by the name of their table."""
    with create_session() as session:
        return {
            ti.rendered_map_index or ti.task_id: [str(ti.state), ti.try_number]
            for ti in run.get_task_instances(session=session)
        }


def assets() -> list[list[Any]]:
    """Announcements so far: name and snapshot."""
    with create_session() as session:
        query = select(AssetModel.name, AssetEvent.extra).join(AssetModel, AssetModel.id == AssetEvent.asset_id)
        return [[name, extra.get("snapshot_id")] for name, extra in session.execute(query.order_by(AssetEvent.id))]


def play_again(dag: Any, run: Any, tasks: list[str]) -> None:
    """Clears tasks of a run, as the user interface does, and runs what is then to be run, as `dag.test()` does."""
    with create_session() as session:
        run = session.merge(run, load=True)
        instances = [
            ti for ti in run.get_task_instances(session=session) if (ti.rendered_map_index or ti.task_id) in tasks
        ]
        assert len(instances) >= len(tasks), f"no such tasks: {tasks}"
        clear_task_instances(instances, session, dag_run_state=DagRunState.RUNNING)
        session.commit()
        run.dag = scheduler_dag(dag)
        while run.state == DagRunState.RUNNING:
            session.expire_all()
            for ti in run.update_state(session=session)[0]:
                ti.try_number += 1
                ti.state = TaskInstanceState.SCHEDULED
            session.commit()
            for ti in run.get_task_instances(session=session):
                if ti.state == TaskInstanceState.SCHEDULED:
                    _run_task(ti=ti, task=dag.task_dict[ti.task_id])


def scheduler_dag(dag: Any) -> Any:
    from airflow.serialization.serialized_objects import DagSerialization  # noqa: PLC0415 - not public

    return DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag))


def messages(queue: str) -> list[Any]:
    """Sends two notifications to an SQS queue and waits for the event that starts a run."""
    import boto3  # noqa: PLC0415 - only this step needs it

    client = boto3.client("sqs", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    url = client.create_queue(QueueName=queue.rsplit("/", 1)[-1])["QueueUrl"]
    for name in ("a", "b"):
        client.send_message(QueueUrl=url, MessageBody=json.dumps({"Records": [{"s3": {"object": {"key": name}}}]}))
    module = next(
        module
        for name, module in sys.modules.items()
        if name.endswith("cdc_lakehouse") and module.__dict__.get("queue")
    )

    async def first() -> Any:
        return await asyncio.wait_for(anext(module.trigger.run()), 60)

    event = asyncio.run(first())
    left = client.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    return [str(event.payload), left["ApproximateNumberOfMessages"]]


def read_dags() -> tuple[Any, list[dict[str, Any]]]:
    bag = BundleDagBag(dag_folder=DAGS, bundle_path=Path(DAGS), bundle_name="dags-folder")
    return bag, [{"errors": {Path(file).name: text for file, text in bag.import_errors.items()}}]


def main(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    bag, about = read_dags()
    run: Any = None
    for step in steps:
        if "groups" in step:
            os.environ["LAKEHOUSE_FEED_GROUPS"] = step["groups"]
            bag, errors = read_dags()
            if errors[0]["errors"]:
                about += errors
                continue
        dag = bag.dags[step.get("dag", "cdc_lakehouse")]
        # Airflow 3.3 tests no DAG that has a deadline: 'dict' object has no attribute 'hex'.
        dag.deadline = None
        before = {name: len(taken) for name, taken in TAKEN.items()}
        announced = len(assets())
        if plan := step.get("plan"):
            Path(os.environ["CALLS"]).write_text(json.dumps(plan))
        calls = Path(os.environ["CALLS"]).with_name("calls")
        calls.write_text("")
        if "queue" in step:
            about.append({"event": messages(step["queue"])})
            continue
        if "clear" in step:
            play_again(dag, run, step["clear"])
        else:
            run = dag.test()
        about.append(
            {
                "tasks": seen(run),
                "assets": assets()[announced:],
                "calls": calls.read_text().splitlines(),
                **{name: taken[before[name] :] for name, taken in TAKEN.items()},
            }
        )
    return about


if __name__ == "__main__":
    steps_file = Path(sys.argv[1])
    reports = main(json.loads(steps_file.read_text()))
    steps_file.with_name("seen.json").write_text(json.dumps(reports, indent=1))
