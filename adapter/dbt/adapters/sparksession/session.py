"""The Spark session of this process: started once, quietly, and lent out as isolated child sessions."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.exceptions import FailedToConnectError
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from dbt.adapters.sparksession.credentials import SparksessionCredentials
from dbt.adapters.sparksession.packages import packages_at_hand, ship_packages
from dbt.adapters.sparksession.start_failure import NEEDS_JAVA, advice, last_lines
from dbt.adapters.sparksession.submitted import beside_spark_submit, is_submitted
from spark_files import internals
from spark_files.capabilities import SETTINGS, drop_views_of_ranges
from spark_files.errors import full_text, is_spark_error, spark_message
from spark_files.releases import refused_iceberg

logger = AdapterLogger("Spark")
LOG_NAME = "spark.log"
LOG_LIMIT = 10_000_000  # bytes; a larger log is set aside at the next start
CANCEL_EVERY = 0.2  # seconds
# Read by the Java process when it starts, so a running one cannot take another value.
_FIXED_AT_START = ("spark.jars", "spark.driver.", "spark.submit.", "spark.files")

_lock = threading.RLock()
_current: SessionPool | None = None


@dataclass
class SessionPool:
    """The root session and the child sessions made from it.

    Attributes:
        root: the session Spark was started with; nothing but the start runs in it.
        config: the configuration it was started with.
        idle: child sessions that no connection uses now.
        baseline: settings of a new child session, and its current database.
    """

    root: SparkSession
    config: dict[str, str]
    idle: list[SparkSession] = field(default_factory=list)
    baseline: tuple[dict[str, str], str] | None = None

    def take(self) -> SparkSession:
        """Lend a child session in which no setting, view or current schema of an earlier use is left."""
        return self._reusable() or self._new()

    def enter(self, session: SparkSession, group: str, description: str) -> None:
        """Make the calling thread work in a session.

        Args:
            session: becomes the session that functions such as `udf` find in this thread.
            group: job group under which the thread's jobs can be cancelled.
            description: what the jobs are for, shown in Spark's user interface.
        """
        internals.activate(session)
        session.sparkContext.setJobGroup(group, description, interruptOnCancel=True)

    def give_back(self, session: SparkSession) -> None:
        """Return a session taken before."""
        with _lock:
            self.idle.append(session)

    def cancel(self, group: str, ended: threading.Event) -> None:
        """Cancel the jobs of a job group, and those it still starts, until its user has ended.

        Spark cancels what runs at that moment; a statement that is being planned would start its jobs afterwards.
        """
        context = self.root.sparkContext

        def repeat() -> None:
            while not ended.wait(CANCEL_EVERY):
                context.cancelJobGroup(group)

        context.cancelJobGroup(group)
        threading.Thread(target=repeat, name=f"cancel {group}", daemon=True).start()

    def _new(self) -> SparkSession:
        session = self.root.newSession()
        with _lock:
            if self.baseline is None:
                self.baseline = internals.all_settings(session), _current_database(session)
        return session

    def _reusable(self) -> SparkSession | None:
        while True:
            with _lock:
                if not self.idle or self.baseline is None:
                    return None
                session = self.idle.pop()
            settings, database = self.baseline
            # `use` cannot be undone if the first namespace has no name, as in an Iceberg catalog.
            if _current_database(session) == database:
                _reset(session, settings)
                return session


def _current_database(session: SparkSession) -> str:
    """Where the session is now; Spark looks for its catalog in the settings of the thread's active session."""
    internals.activate(session)
    return session.catalog.currentDatabase()


def _reset(session: SparkSession, baseline: dict[str, str]) -> None:
    """Undo `set` and drop temporary views. Runs no Spark job."""
    now = internals.all_settings(session)
    for key in now.keys() - baseline.keys():
        session.conf.unset(key)
    for key, value in baseline.items():
        if now.get(key) != value:
            session.conf.set(key, value)
    for name in internals.temporary_views(session):
        session.catalog.dropTempView(name)


def get_pool(credentials: SparksessionCredentials, project_root: str, log_path: str) -> SessionPool:
    """Return the session pool of this process, starting Spark on first use.

    A process that runs dbt several times keeps its session as long as the configuration is the same; with another one
    Spark's session is started again.

    Args:
        credentials: the profile, with `{project_root}` already replaced.
        project_root: absolute path of the dbt project; Python workers that see the folder can import from it.
        log_path: folder for `spark.log`, where everything goes that Java prints.

    Raises:
        FailedToConnectError: Spark does not start; the message says why and what to do.
    """
    global _current  # noqa: PLW0603 - one Java process per Python process is pyspark's rule
    with _lock:
        if _current is not None and _current.config != credentials.config:
            _stop(_current, credentials.config)
            _current = None
        if _current is None:
            _current = SessionPool(_start(credentials, Path(log_path)), dict(credentials.config))
            # dbt's objects of the project stay: Python need not look through them for garbage again and again.
            gc.freeze()
        # Goes to the Python workers with each function; the project may differ between runs of dbt in one process.
        folders = [project_root, credentials.config.get("spark.executorEnv.PYTHONPATH")]
        _current.root.sparkContext.environment["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
        return _current


def end_command() -> None:
    """Drop what the sessions of a command have shared."""
    with _lock:
        if _current is not None:
            drop_views_of_ranges(_current.root)


def _stop(pool: SessionPool, config: dict[str, str]) -> None:
    changed = {key for key in pool.config.keys() | config.keys() if pool.config.get(key) != config.get(key)}
    fixed = sorted(key for key in changed if key.startswith(_FIXED_AT_START))
    if fixed:
        raise FailedToConnectError(
            f"Spark already runs in this process with other values of {', '.join(fixed)}, which are read when Java"
            " starts. Run dbt in a new process."
        )
    properties = internals.java_class("java.lang.System")
    pool.root.stop()
    for key in pool.config:
        properties.clearProperty(key)


def _start(credentials: SparksessionCredentials, log_path: Path) -> SparkSession:
    if internals.active_context() is not None:
        raise FailedToConnectError(
            "A Spark session that dbt did not start already runs in this process. Stop it first (spark.stop()), or run"
            " dbt in a new process: its settings could differ from the profile's."
        )
    _make_directories([*credentials.create_directories, str(log_path)])
    # pyspark reports each SQL error as a line of JSON on the terminal as well.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).disabled = True
    config = {
        "spark.ui.showConsoleProgress": "false",
        # A column or a value may have `${env:HOME}` in it; what is to be replaced in SQL is written in Jinja.
        "spark.sql.variable.substitute": "false",
        **SETTINGS,
        **credentials.config,
        "spark.app.name": credentials.app_name,
    }
    with _worker_python(config), internals.interrupts_kept():
        if internals.java_gateway_in_use() is None:
            _launch_java(config, log_path / LOG_NAME)
        if is_submitted():
            config = beside_spark_submit(config)
        try:
            root = SparkSession.builder.config(map=dict(config)).getOrCreate()
            if refusal := refused_iceberg(internals.iceberg_version() or "", config):
                root.stop()
                raise FailedToConnectError(refusal)
            # The first use of a JDBC catalog creates its tables, which two threads must not do at the same time.
            root.sql("show namespaces").collect()
            if not str(root.sparkContext.master).startswith("local"):
                ship_packages(root.sparkContext, credentials.python_packages)
        except Exception as error:
            if not is_spark_error(error):
                raise
            logger.debug(full_text(error))
            said = f"Spark started, but not with the configuration of the profile. {spark_message(error)}"
            more = f"More in {log_path / LOG_NAME}."
            raise FailedToConnectError("\n".join(filter(None, [said, advice(full_text(error)), more]))) from None
    return root


def _make_directories(folders: list[str]) -> None:
    problems = []
    for folder in folders:
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problems.append(f"  - {folder}: {error.strerror}")
    if problems:
        raise FailedToConnectError(
            "\n".join(["These folders cannot be made (create_directories, log path):", *problems])
        )


@contextmanager
def _worker_python(config: dict[str, str]) -> Iterator[None]:
    """Let Python workers on this machine run this Python; pyspark reads the variable when it starts."""
    before = os.environ.get("PYSPARK_PYTHON")
    if before is not None or is_submitted() or not config.get("spark.master", "local").startswith("local"):
        yield
        return
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        yield
    finally:
        del os.environ["PYSPARK_PYTHON"]


def _launch_java(config: dict[str, str], log_file: Path) -> None:
    """Start the Java process, everything it prints going to the log file; or take the one that spark-submit started."""
    if is_submitted():
        internals.start_java(config, None, ())
        return
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(f"{home}/bin/java" if home else "java")
    if java is None:
        raise FailedToConnectError(
            f"Java was not found ({f'JAVA_HOME is {home}' if home else 'no java on the PATH'})."
            f" {NEEDS_JAVA} Install one (Debian and Ubuntu: apt install openjdk-17-jre-headless;"
            " macOS: brew install openjdk@17), or point JAVA_HOME to it."
        )
    if log_file.exists() and log_file.stat().st_size > LOG_LIMIT:
        log_file.replace(log_file.with_suffix(".log.1"))
    with packages_at_hand(config) as inherited, log_file.open("ab") as log:
        start = log.tell()
        try:
            internals.start_java(config, log, inherited)
        except PySparkRuntimeError:
            raise FailedToConnectError(_start_failure(log_file, start, java)) from None


def _start_failure(log_file: Path, start: int, java: str) -> str:
    with log_file.open("rb") as log:
        log.seek(start)
        printed = log.read().decode(errors="replace")
    said = [f"Spark did not start (Java: {java}).", advice(printed), f"The end of {log_file}:", *last_lines(printed)]
    return "\n".join(filter(None, said))
