"""Ctrl-C: running Spark jobs are cancelled and dbt ends with its usual message. In a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import yaml
from embedded import spark_config

SLOW = "session.range(10**13).where('sqrt(id) + id % 7 > 3').count()"


def test_an_interrupt_cancels_sql_and_python_models(tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    (models / "sql.sql").write_text("select count(*) as n from range(10000000000000) where sqrt(id) + id % 7 > 3")
    (models / "py.py").write_text(f"def model(dbt, session):\n    {SLOW}\n    return session.range(1)\n")
    project = {"name": "slow", "profile": "slow", "models": {"+materialized": "table", "+file_format": "iceberg"}}
    (tmp_path / "dbt_project.yml").write_text(yaml.safe_dump(project))
    output = {
        "type": "sparksession",
        "schema": "slow",
        "threads": 2,
        "create_directories": ["{project_root}/warehouse"],
        "config": spark_config("{project_root}/warehouse"),
    }
    (tmp_path / "profiles.yml").write_text(yaml.safe_dump({"slow": {"target": "a", "outputs": {"a": output}}}))
    process = subprocess.Popen(
        [Path(sys.executable).with_name("dbt"), "--no-use-colors", "run"],
        cwd=tmp_path,
        env={**os.environ, "DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_PROFILES_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell that starts a job in the background makes it deaf to Ctrl-C, and so what the job starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    killer = threading.Timer(150, process.kill)
    killer.start()
    try:
        printed = []
        for line in process.stdout:
            printed.append(line)
            if "2 of 2 START" in line:
                # A model that has no connection yet cannot be cancelled.
                while (tmp_path / "logs" / "dbt.log").read_text().count("Began executing node model.") < 2:
                    time.sleep(0.1)
                time.sleep(2)
                process.send_signal(signal.SIGINT)
        code = process.wait()
    finally:
        killer.cancel()
        process.kill()
        process.stdout.close()
    text = "".join(printed)
    assert text.count("[CANCEL]") == 2
    assert "Exited because of keyboard interrupt" in text
    assert code == 2
    # Output of Java and Ivy goes to the log file.
    assert " WARN " not in text and ":: loading settings" not in text and "Stage 0" not in text
    assert (tmp_path / "logs" / "spark.log").stat().st_size > 0
