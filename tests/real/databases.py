"""MariaDB and PostgreSQL servers of a test's own: their own data, their own port, gone with the test."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy
from processes import ServerError, one_at_a_time, running

USER = PASSWORD = "cdc"
POLICY = Path("/usr/sbin/policy-rc.d")
# Programs and the Debian packages that have them. Those of MariaDB have no service: nothing of the system's is touched.
MARIADB = (
    ["mariadbd", "mariadb-install-db", "my_print_defaults"],
    ["mariadb-server-core", "mariadb-client-core"],
)
POSTGRES = (["postgres", "initdb"], ["postgresql"])


# ----------------------------------------------------------------------------------------------------------- programs


def find_programs(names: Sequence[str]) -> dict[str, str] | None:
    """Where the programs are, on PATH or where Debian keeps servers; None if one is missing.

    Args:
        names: names of programs, which belong together: all of them come from one folder of a version.
    """
    postgres_versions = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name), reverse=True
    )
    path = os.pathsep.join([*map(str, postgres_versions), os.environ.get("PATH", ""), "/usr/sbin", "/usr/bin"])
    paths = {name: shutil.which(name, path=path) for name in names}
    return {name: where for name, where in paths.items() if where} if all(paths.values()) else None


def programs(names: Sequence[str], packages: Sequence[str]) -> dict[str, str]:
    """Where the programs are; their Debian packages are installed if they are missing and this is root.

    Args:
        names: the programs.
        packages: the Debian packages that have them.

    Raises:
        ServerError: they are missing and cannot be installed.
    """
    with one_at_a_time("cdc-lakehouse-packages"):
        return find_programs(names) or _installed(names, packages)


def _installed(names: Sequence[str], packages: Sequence[str]) -> dict[str, str]:
    missing = f"{', '.join(names)} not found; as root run: apt-get install {' '.join(packages)}"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise ServerError(missing)
    print(f"Installing {' '.join(packages)} with apt-get ...", flush=True)
    with _services_stay_down():
        for command in (["update"], ["install", "--yes", "--no-install-recommends", *packages]):
            done = subprocess.run(
                ["apt-get", "-qq", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                raise ServerError(f"apt-get {command[0]} failed ({reason}); {missing}")
    if paths := find_programs(names):
        return paths
    raise ServerError(f"the packages are installed, but {missing}")


@contextmanager
def _services_stay_down() -> Iterator[None]:
    """Debian starts a server as soon as it is installed, unless this policy forbids it. One that is there stays."""
    ours = not POLICY.exists()
    if ours:
        POLICY.write_text("#!/bin/sh\nexit 101\n")
        POLICY.chmod(0o755)
    try:
        yield
    finally:
        if ours:
            POLICY.unlink()


# ------------------------------------------------------------------------------------------------------------ servers


@contextmanager
def mariadb() -> Iterator[str]:
    """A MariaDB server with a row-based, full-image binary log and global transaction ids.

    Yields:
        a SQLAlchemy URL without a database, for a user who may do everything.

    Raises:
        ServerError: its programs are missing, or it does not start.
    """
    paths = programs(*MARIADB)
    with _folder("mariadb", user="nobody") as folder:
        data = folder / "data"
        owner = ["--user=nobody"] if os.geteuid() == 0 else []
        _run(
            [
                paths["mariadb-install-db"],
                "--no-defaults",
                f"--datadir={data}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                *owner,
            ],
            cwd=folder,
        )
        init = folder / "init.sql"
        init.write_text(
            f"create or replace user '{USER}'@'%' identified by '{PASSWORD}';\n"
            f"grant all on *.* to '{USER}'@'%' with grant option;\n"
        )
        port = free_port()
        command = [
            paths["mariadbd"],
            "--no-defaults",
            f"--datadir={data}",
            f"--tmpdir={folder}",
            f"--socket={folder}/socket",
            f"--pid-file={folder}/pid",
            f"--init-file={init}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            f"--port={port}",
            "--server-id=1",
            "--log-bin=binlog",
            "--binlog-format=ROW",
            "--binlog-row-image=FULL",
            # Names of columns, which binlog.py wants.
            "--binlog-row-metadata=FULL",
            "--gtid-strict-mode=ON",
            "--character-set-server=utf8mb4",
            "--default-time-zone=+00:00",
            # Data that lives as long as a test need not survive a loss of power.
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=64M",
            *owner,
        ]
        url = f"mysql+pymysql://{USER}:{PASSWORD}@127.0.0.1:{port}"
        with running(command, folder, folder / "mariadbd.log", _ready(url)):
            yield url


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server that writes its log for logical decoding.

    Yields:
        a SQLAlchemy URL of its database `postgres`, for a superuser.

    Raises:
        ServerError: its programs are missing, or it does not start.
    """
    paths = programs(*POSTGRES)
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
    with _folder("postgres", user=user) as folder:
        data = folder / "data"
        password = folder / "password"
        password.write_text(PASSWORD)
        _run(
            [
                paths["initdb"],
                f"--pgdata={data}",
                f"--username={USER}",
                f"--pwfile={password}",
                "--auth=scram-sha-256",
                "--locale=C",
                "--encoding=UTF8",
                "--no-sync",
            ],
            cwd=folder,
            user=user,
        )
        port = free_port()
        settings = {
            "port": port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "wal_level": "logical",
            "max_replication_slots": 10,
            "max_wal_senders": 10,
            "timezone": "UTC",
            # Data that lives as long as a test need not survive a loss of power.
            "fsync": "off",
            "shared_buffers": "64MB",
        }
        command = [paths["postgres"], "-D", str(data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        url = f"postgresql+psycopg://{USER}:{PASSWORD}@127.0.0.1:{port}/postgres"
        with running(command, folder, folder / "postgres.log", _ready(url), stop=signal.SIGQUIT, user=user):
            yield url


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _folder(name: str, user: str | None) -> Iterator[Path]:
    """A temporary folder that belongs to the user a server runs as. pytest's own are closed to everybody but root."""
    with tempfile.TemporaryDirectory(prefix=f"{name}-", ignore_cleanup_errors=True) as path:
        if user and os.geteuid() == 0:
            account = pwd.getpwnam(user)
            os.chown(path, account.pw_uid, account.pw_gid)
        yield Path(path)


def _run(command: list[str], cwd: Path, user: str | None = None) -> None:
    done = subprocess.run(
        command, cwd=cwd, user=user, group=user, extra_groups=[] if user else None,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise ServerError(f"{Path(command[0]).name} failed: {' | '.join(lines[-5:])}")


def _ready(url: str) -> Callable[[], str | None]:
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)

    def reason_to_wait() -> str | None:
        try:
            with engine.connect():
                return None
        except sqlalchemy.exc.OperationalError as error:
            return str(error.orig)

    return reason_to_wait
