"""Starts Trino on the tables of an embedded catalog: `TRINO` names the unpacked server, `TRINO_JAVA` a Java 25."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 240
CONFIG = """coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
plugin.dir={folder}/plugin
"""
CATALOG = """connector.name=iceberg
iceberg.catalog.type=jdbc
iceberg.jdbc-catalog.catalog-name=lakehouse
iceberg.jdbc-catalog.driver-class=org.sqlite.JDBC
iceberg.jdbc-catalog.connection-url=jdbc:sqlite:{warehouse}/catalog.db?busy_timeout=60000
iceberg.jdbc-catalog.schema-version=V1
iceberg.jdbc-catalog.default-warehouse-dir=file://{warehouse}
fs.hadoop.enabled=true
"""
JVM = "-server\n-Xmx2G\n-XX:+UseSerialGC\n-Djdk.attach.allowAttachSelf=true\n-Duser.timezone=UTC\n"


@contextmanager
def run_trino(folder: Path, warehouse: Path, driver: Path) -> Iterator[str]:
    """Address of a Trino that has the tables of a warehouse as catalog `lakehouse`.

    Args:
        folder: an empty one, for settings and logs.
        warehouse: of the target `local`.
        driver: SQLite's jar.
    """
    server = Path(os.environ["TRINO"])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # Its other plugins would take longer to load than it does.
    shutil.copytree(server / "plugin/iceberg", folder / "plugin/iceberg", copy_function=os.link)
    shutil.copy(driver, folder / "plugin/iceberg")
    (folder / "etc/catalog").mkdir(parents=True)
    values = {"port": port, "folder": folder, "warehouse": warehouse}
    (folder / "etc/config.properties").write_text(CONFIG.format(**values))
    (folder / "etc/node.properties").write_text(f"node.environment=test\nnode.data-dir={folder}/data\n")
    (folder / "etc/jvm.config").write_text(JVM)
    (folder / "etc/catalog/lakehouse.properties").write_text(CATALOG.format(**values))
    environment = {
        "JAVA_HOME": os.environ["TRINO_JAVA"],
        "PATH": f"{os.environ['TRINO_JAVA']}/bin:{os.environ['PATH']}",
    }
    with (folder / "log").open("w") as log:
        command = [server / "bin/launcher", "run", "--etc-dir", folder / "etc"]
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(address, process, folder / "log")
        yield address
    finally:
        process.terminate()
        process.wait(60)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(SECONDS):
        try:
            with urllib.request.urlopen(f"{address}/v1/info", timeout=5) as answer:
                if b'"starting":false' in answer.read():
                    return
        except OSError:
            pass
        assert process.poll() is None, log.read_text()[-3000:]
        time.sleep(1)
    raise AssertionError(f"Trino has not started in {SECONDS} seconds: {log.read_text()[-3000:]}")
