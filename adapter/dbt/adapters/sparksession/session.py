"""The Spark session of this process: started once, quietly, and lent out as isolated child sessions."""

from __future__ import annotations

import os
import signal
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions import FailedToConnectError
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from dbt.adapters.sparksession.credentials import SparksessionCredentials

logger = AdapterLogger("Spark")
_lock = threading.RLock()
_current: SessionPool | None = None


@dataclass
class SessionPool:
    """The root session and the child sessions made from it.

    Attributes:
        root: the session the application was started with; nothing but start-up runs in it.
        config: the configuration it was started with.
        idle: child sessions nobody uses now.
    """

    root: SparkSession
    config: dict[str, str]
    idle: list[SparkSession] = field(default_factory=list)

    def take(self) -> SparkSession:
        """Lend a child session whose settings and temporary views are those of a new one."""
        with _lock:
            session = self.idle.pop() if self.idle else None
        if session is None:
            return self.root.newSession()
        reset(session, self.root)
        return session

    def give_back(self, session: SparkSession) -> None:
        """Return a session taken before."""
        with _lock:
            self.idle.append(session)


def reset(session: SparkSession, root: SparkSession) -> None:
    """Undo `SET` and temporary views of a child session. Runs no Spark job."""
    baseline, now = root.conf.getAll, session.conf.getAll
    for key in now.keys() - baseline.keys():
        session.conf.unset(key)
    for key, value in baseline.items():
        if now.get(key) != value:
            session.conf.set(key, value)
    # Spark's own `show views` fails where the current namespace does not exist, as in an empty Iceberg catalog.
    views: Any = session._jsparkSession.sessionState().catalog().listLocalTempViews("*")
    for name in [views.apply(index).table() for index in range(views.size())]:
        session.catalog.dropTempView(name)


def get_pool(credentials: SparksessionCredentials, project_root: str, log_path: str) -> SessionPool:
    """Return the session pool of this process, starting Spark on first use.

    Args:
        credentials: the profile, with `{project_root}` already replaced.
        project_root: absolute path of the dbt project; importable by Python workers.
        log_path: folder for `spark.log`.

    Raises:
        FailedToConnectError: Spark does not start; the message says what to do.
    """
    global _current
    with _lock:
        if _current is None:
            _current = SessionPool(_start(credentials, project_root, log_path), dict(credentials.config))
        return _current


def _start(credentials: SparksessionCredentials, project_root: str, log_path: str) -> SparkSession:
    for folder in credentials.create_directories:
        Path(folder).mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    Path(log_path).mkdir(parents=True, exist_ok=True)
    conf = SparkConf(loadDefaults=False).setAll(list(credentials.config.items())).setAppName(credentials.app_name)
    on_main_thread = threading.current_thread() is threading.main_thread()
    handler = signal.getsignal(signal.SIGINT)
    with open(Path(log_path) / "spark.log", "ab") as log:
        gateway = launch_gateway(conf, popen_kwargs={"stderr": log, "stdout": log})
    SparkContext._ensure_initialized(gateway=gateway)
    root = SparkSession.builder.config(map=dict(conf.getAll())).getOrCreate()
    if on_main_thread:
        # dbt cancels its own connections; pyspark's handler would also talk to Java from inside the signal.
        signal.signal(signal.SIGINT, handler)
    # The first use of a JDBC catalog creates its tables, which two threads must not do at the same time.
    root.sql("show namespaces").collect()
    return root
