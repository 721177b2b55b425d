"""The profile: what a user may write under an output of `type: sparksession`, and how mistakes in it are reported."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from dbt.adapters.contracts.connection import Credentials
from dbt_common.exceptions import DbtRuntimeError

PLACEHOLDER = "{project_root}"
# `threads` belongs to dbt, which leaves it in the mapping handed to the adapter.
ACCEPTED_KEYS = ("schema", "app_name", "config", "create_directories", "lock_file", "operations_beside", "threads")


@dataclass
class SparksessionCredentials(Credentials):
    """Connection settings of one profile output.

    Attributes:
        schema: default schema (Iceberg namespace) of the models.
        database: always None; Spark addresses tables by schema and name. Kept because dbt reads it.
        app_name: name of the Spark application.
        config: Spark configuration, passed to Spark unchanged except for `{project_root}`.
        create_directories: local folders that are made before the session starts.
        lock_file: local file that a command that writes locks as long as it runs; empty: none.
        operations_beside: macros that `dbt run-operation` may run beside other commands, one at a time each.
    """

    database: str | None = None  # type: ignore[assignment]
    schema: str = ""
    app_name: str = "dbt"
    config: dict[str, str] = field(default_factory=dict)
    create_directories: list[str] = field(default_factory=list)
    lock_file: str = ""
    operations_beside: list[str] = field(default_factory=list)

    @classmethod
    def validate(cls, data: Any) -> None:
        """Check the profile output, reporting every problem at once.

        Raises:
            DbtRuntimeError: one line per problem: key, what was found, what is accepted.
        """
        problems = _problems(data)
        if problems:
            raise DbtRuntimeError("\n".join(["mistakes in the profile:", *(f"  - {problem}" for problem in problems)]))

    @classmethod
    def __pre_deserialize__(cls, data: Any) -> Any:
        data = super().__pre_deserialize__(data)
        config = {str(key): _spark_text(value) for key, value in (data.get("config") or {}).items()}
        lists = {key: data.get(key) or [] for key in ("create_directories", "operations_beside")}
        return {**data, "database": None, "config": config, **lists}

    @property
    def type(self) -> str:
        return "sparksession"

    @property
    def unique_field(self) -> str:
        return self.app_name

    def _connection_keys(self) -> tuple[str, ...]:
        # The configuration is left out: it may hold secrets, and dbt prints these keys.
        return "schema", "app_name", "create_directories"

    def resolved(self, project_root: str) -> SparksessionCredentials:
        """Return a copy in which `{project_root}` is replaced by the absolute path given."""
        return replace(
            self,
            config={key: value.replace(PLACEHOLDER, project_root) for key, value in self.config.items()},
            create_directories=[path.replace(PLACEHOLDER, project_root) for path in self.create_directories],
            lock_file=self.lock_file.replace(PLACEHOLDER, project_root),
        )

    def lock_file_of(self, operation: str) -> str:
        """Return the file that a command locks.

        Args:
            operation: the macro that `dbt run-operation` was given, perhaps with its package; empty for other commands.
        """
        name = operation.rsplit(".", 1)[-1]
        return f"{self.lock_file}.{name}" if self.lock_file and name in self.operations_beside else self.lock_file


def _spark_text(value: Any) -> str:
    """Write a YAML scalar the way Spark reads it (`true`, not `True`)."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problems(data: dict[str, Any]) -> list[str]:
    found = [
        f"unknown key '{key}'; accepted: {', '.join(ACCEPTED_KEYS)}. Spark's own settings go under 'config'"
        for key in data
        if key not in (*ACCEPTED_KEYS, "database")
    ]
    if data.get("database") not in (None, data.get("schema")):
        found.append(f"database is {data['database']!r}; leave it out, Spark has schemas only")
    if not isinstance(data.get("schema"), str) or not data["schema"]:
        found.append(f"schema is {data.get('schema')!r}; expected the name of the default schema, such as 'analytics'")
    if not isinstance(data.get("app_name", ""), str):
        found.append(f"app_name is {data['app_name']!r}; expected a text")
    if not isinstance(data.get("lock_file", ""), str):
        found.append(f"lock_file is {data['lock_file']!r}; expected the path of a local file")
    config = data.get("config") or {}
    if not isinstance(config, dict):
        found.append(f"config is {config!r}; expected a mapping such as {{spark.master: 'local[*]'}}")
    else:
        for key, value in config.items():
            if not str(key).startswith("spark."):
                found.append(f"config key '{key}' does not start with 'spark.', so Spark would ignore it")
            if not isinstance(value, (str, int, float, bool)):
                found.append(f"config '{key}' is {value!r}; expected a text, number or true/false")
    folders = data.get("create_directories") or []
    if not isinstance(folders, list) or not all(isinstance(path, str) and path for path in folders):
        found.append(f"create_directories is {folders!r}; expected a list of local folders")
    operations = data.get("operations_beside") or []
    if not isinstance(operations, list) or not all(isinstance(name, str) and name for name in operations):
        found.append(f"operations_beside is {operations!r}; expected a list of macros")
    return found
