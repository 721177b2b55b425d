"""A copy of the project with tables of its own, built through dbt in this process and read back through Spark."""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner, dbtRunnerResult
from pyspark.sql import Row, SparkSession

from python_udfs.codegen.__main__ import main as make_models
from python_udfs.metadata import COLUMNS_FILE, EXPECTATIONS_FILE, FEEDS_FILE, HEADERS, TABLES_FILE
from spark_files.capabilities import COUNTS_MERGED_ROWS
from spark_files.releases import RELEASES
from tests.one_java import set_java, set_started_java

REPOSITORY = Path(__file__).resolve().parents[2]
# Compiling a query to bytecode and replanning it while it runs pay for themselves on more than a handful of rows.
# Nobody reads how its plan is explained. A page is what Spark clears for each sort and each group (64 MB where it has
# much memory) and keeps for the next one: a gigabyte was alive in tests of a dozen rows.
SMALL_DATA = """\
        spark.sql.shuffle.partitions: "1"
        spark.sql.adaptive.enabled: "false"
        spark.sql.codegen.wholeStage: "false"
        spark.sql.codegen.factoryMode: NO_CODEGEN
        spark.sql.ui.explainMode: simple
        spark.buffer.pageSize: 1m
        spark.broadcast.compress: "false"
"""
COPIED = ("dbt_project.yml", "macros", "models", "profiles", "seeds", "tests/data")


def list_environments() -> dict[str, Path]:
    """The environments that `make setup SPARK=…` has built here, by release of Spark, the newest first."""
    folders = {
        release: REPOSITORY / (".venv" if release == max(RELEASES) else f".venv-spark{release}")
        for release in sorted(RELEASES, reverse=True)
    }
    return {release: folder for release, folder in folders.items() if (folder / ".ready").exists()}


def if_counted(*numbers: Any) -> tuple[Any, ...]:
    """Counts of a MERGE; None for each if this release of Spark does not count its rows."""
    return numbers if COUNTS_MERGED_ROWS else (None,) * len(numbers)


def set_environment(root: Path) -> None:
    """Let the Spark that this process starts, and those of processes that it starts, find a lakehouse under root."""
    os.environ["LAKEHOUSE_RAW"] = str(root / "raw")
    os.environ["LAKEHOUSE_WAREHOUSE"] = str(root / "warehouse")
    set_java()


class Lakehouse:
    """One project, one landing area and one warehouse under a folder.

    Args:
        root: an empty folder.
        spark_settings: lines of the profile in place of its number of shuffle partitions; None leaves it as it is.
    """

    def __init__(self, root: Path, spark_settings: str | None = SMALL_DATA) -> None:
        self.project = root / "project"
        self.raw = root / "raw"
        self.warehouse = root / "warehouse"
        for name in COPIED:
            source, target = REPOSITORY / name, self.project / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copy(source, target)
        if spark_settings is not None:
            profiles = self.project / "profiles" / "profiles.yml"
            own = '        spark.sql.shuffle.partitions: "4"\n'
            profiles.write_text(profiles.read_text().replace(own, spark_settings, 1))
        self.messages: list[str] = []
        self.rows: dict[str, list[dict[str, str]]] = {FEEDS_FILE: [], TABLES_FILE: [], COLUMNS_FILE: []}
        self.rows[EXPECTATIONS_FILE] = []

    def clear(self) -> None:
        """Back to no metadata, no gold model, no file and no table."""
        shutil.rmtree(self.project / "models" / "gold", ignore_errors=True)
        for rows in self.rows.values():
            rows.clear()
        shutil.rmtree(self.raw, ignore_errors=True)
        if not self.messages:  # dbt has not run yet: there is no session, and no table
            return
        for schema in self.sql("show schemas"):
            for kind in ("view", "table"):
                for row in self.sql(f"show {kind}s in {schema.namespace}"):
                    name = row.viewName if kind == "view" else row.tableName
                    if not row.isTemporary:
                        self.sql(f"drop {kind} {schema.namespace}.{name}")

    @property
    def directories(self) -> list[str]:
        """The options that point dbt to this project."""
        return ["--project-dir", str(self.project), "--profiles-dir", str(self.project / "profiles")]

    def add_feed(self, feed: str, data_format: str, options: str = "", connector: str = "dms") -> None:
        """A feed whose location is its name."""
        self.rows[FEEDS_FILE].append(
            {"feed": feed, "connector": connector, "format": data_format, "location": feed, "options": options}
        )

    def add_table(self, feed: str, name: str, primary_key: str = "id", columns: str = "", **cells: str) -> None:
        """A table of source schema `s`; `columns` is `name type, …`, a type ending in `?` marks an optional column."""
        table = {"feed": feed, "source_schema": "s", "source_table": name}
        defaults = {"delete_mode": "hard", "mode": "current", "write_mode": "merge-on-read", "active": "true"}
        self.rows[TABLES_FILE].append({**table, "primary_key": primary_key, **defaults, **cells})
        for position, column in enumerate(filter(None, columns.split(", ")), start=1):
            column_name, data_type = column.rsplit(" ", 1)
            self.rows[COLUMNS_FILE].append(
                {
                    **table,
                    "position": str(position),
                    "column_name": column_name,
                    "data_type": data_type.rstrip("?"),
                    "optional": str(data_type.endswith("?")).lower(),
                }
            )

    def add_gold(self, name: str, sql: str) -> None:
        """A gold model, with its `config()`."""
        folder = self.project / "models" / "gold"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.sql").write_text(sql)

    def make_models(self) -> None:
        """Writes the seeds and what `make models` makes of them."""
        for name, rows in self.rows.items():
            with (self.project / "seeds" / name).open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, HEADERS[name], restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
        assert make_models(["--project-dir", str(self.project)]) == 0

    def dbt(self, *arguments: str) -> dbtRunnerResult:
        """One dbt command, in this process; `messages` then holds what it said."""
        self.messages = []
        set_started_java()
        runner = dbtRunner(callbacks=[lambda event: self.messages.append(event.info.msg)])
        # dbt writes its manifest as JSON twice a command, and only the documentation is read from there.
        written = [] if arguments[0] == "docs" else ["--no-write-json"]
        return runner.invoke([*arguments, *self.directories, *written])

    def build(self, *arguments: str) -> dict[str, str]:
        """`dbt build`: status by node name."""
        return self.statuses("build", *arguments)

    def run_and_compare(self, selected: str = "*") -> dict[str, str]:
        """`dbt run`, then the comparison of each silver table with bronze."""
        return self.run_and_test(f"{selected},test_name:silver_matches_bronze", run=("--select", selected))

    def run_and_test(self, *tests: str, run: Sequence[str] = ()) -> dict[str, str]:
        """`dbt run`, then these data tests alone: test_pipeline runs all of them."""
        return self.statuses("run", *run) | self.statuses("test", "--select", *tests)

    def statuses(self, *arguments: str) -> dict[str, str]:
        """A dbt command that runs nodes: status by node name."""
        outcome = self.dbt(*arguments)
        assert outcome.result is not None, outcome.exception
        return {result.node.name: str(result.status) for result in outcome.result.results}

    def command(self, main: Callable[[list[str]], int], *arguments: str) -> str:
        """Output of a command of python_udfs for this project, errors included."""
        with redirect_stdout(StringIO()) as said, redirect_stderr(said):
            main([*arguments, "--project-dir", str(self.project)])
        return said.getvalue()

    def sql(self, query: str) -> list[Row]:
        """The rows of a query on the warehouse."""
        spark = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
        return spark.sql(query).collect()

    def table(self, name: str, columns: str = "*") -> list[tuple[Any, ...]]:
        """The chosen columns of a silver table, ordered."""
        return sorted((tuple(row) for row in self.sql(f"select {columns} from silver.s__{name}")), key=repr)

    def snapshots(self, table: str) -> list[int]:
        """Snapshot ids of a table, oldest first."""
        rows = self.sql(f"select snapshot_id from {table}.snapshots order by committed_at")
        return [row.snapshot_id for row in rows]
