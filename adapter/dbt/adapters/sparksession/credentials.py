"""The profile: what a user may write under an output of `type: sparksession`, and how mistakes in it are reported."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from dbt.adapters.contracts.connection import Credentials
from dbt_common.exceptions import DbtRuntimeError

from spark_files.releases import iceberg_aws, iceberg_runtime, s3a

PLACEHOLDER = "{project_root}"
_PACKAGES = "spark.jars.packages"
# What the profile may write there instead of coordinates, which depend on the Spark that runs.
_COORDINATES = {"{iceberg_runtime}": iceberg_runtime, "{iceberg_aws}": iceberg_aws, "{s3a}": s3a}
# `threads` belongs to dbt, which leaves it in the mapping handed to the adapter.
ACCEPTED_KEYS = (
    "schema", "app_name", "config", "create_directories", "lock_file", "operations_beside", "operations_reading",
    "python_packages", "threads", "variables",
)  # fmt: skip

# Keys that hold lists of names.
_LISTS = {"operations_beside": "macros", "operations_reading": "macros", "python_packages": "importable packages"}


@dataclass
class SparksessionCredentials(Credentials):
    """Connection settings of one profile output.

    Attributes:
        schema: default schema (Iceberg namespace) of the models.
        database: always None; Spark addresses tables by schema and name. Kept because dbt reads it.
        app_name: name of the Spark application.
        config: Spark configuration, passed to Spark unchanged except for `{project_root}` and, in spark.jars.packages,
            `{iceberg_runtime}`, `{iceberg_aws}` and `{s3a}`; an empty value is left out.
        create_directories: local folders that are made before the session starts.
        lock_file: local file that a command that writes locks as long as it runs; empty: none.
        operations_beside: macros that `dbt run-operation` may run beside other commands, one at a time each.
        operations_reading: macros that only read, and run at any time.
        python_packages: importable packages that executors get from the driver.
        variables: environment variables that the output reads: `value`, `pattern` and `expected` by name.
    """

    database: str | None = None  # type: ignore[assignment]
    schema: str = ""
    app_name: str = "dbt"
    config: dict[str, str] = field(default_factory=dict)
    create_directories: list[str] = field(default_factory=list)
    lock_file: str = ""
    operations_beside: list[str] = field(default_factory=list)
    operations_reading: list[str] = field(default_factory=list)
    python_packages: list[str] = field(default_factory=list)
    variables: dict[str, dict[str, str]] = field(default_factory=dict)

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
        # A setting whose variable is not set: most of Spark's settings do not take an empty text for none.
        config = {key: value for key, value in config.items() if value}
        lists = {key: data.get(key) or [] for key in ("create_directories", *_LISTS)}
        # They have been checked by now, and hold values.
        return {**data, "database": None, "config": config, **lists, "variables": {}}

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
        """Return a copy in which the project's folder, names of packages and local warehouses are written out.

        A catalog's warehouse on this machine gets a scheme: Iceberg's specification has locations as URIs, and its
        implementation in Rust opens no table whose location is a bare path.

        Args:
            project_root: absolute path of the project, for `{project_root}`.
        """
        config = {key: value.replace(PLACEHOLDER, project_root) for key, value in self.config.items()}
        if _PACKAGES in config:
            config[_PACKAGES] = resolve_coordinates(config[_PACKAGES])
        local = {key: f"file://{value}" for key, value in config.items() if _is_local_warehouse(key, value)}
        return replace(
            self,
            config=config | local,
            create_directories=[path.replace(PLACEHOLDER, project_root) for path in self.create_directories],
            lock_file=self.lock_file.replace(PLACEHOLDER, project_root),
        )

    def lock_file_of(self, operation: str) -> str:
        """Return the file that a command locks, empty if it locks none.

        Args:
            operation: the macro that `dbt run-operation` was given, perhaps with its package; empty for other commands.
        """
        name = operation.rsplit(".", 1)[-1]
        if name in self.operations_reading:
            return ""
        return f"{self.lock_file}.{name}" if self.lock_file and name in self.operations_beside else self.lock_file


def resolve_coordinates(packages: str) -> str:
    """Replace the names of packages in `spark.jars.packages` by the coordinates that belong to the Spark that runs."""
    for name, coordinates in _COORDINATES.items():
        packages = packages.replace(name, coordinates())
    return packages


def _is_local_warehouse(key: str, value: str) -> bool:
    return re.fullmatch(r"spark\.sql\.catalog\.[^.]+\.warehouse", key) is not None and value.startswith("/")


def _spark_text(value: Any) -> str:
    """Write a YAML scalar the way Spark reads it (`true`, not `True`)."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problems_of_variables(variables: Any) -> list[str]:
    rules = variables if isinstance(variables, dict) else {None: variables}
    if not all(isinstance(rule, dict) and {"value", "pattern", "expected"} == rule.keys() for rule in rules.values()):
        return [f"variables is {variables!r}; expected value, pattern and expected for each name of a variable"]
    problems = []
    for name, rule in rules.items():
        value = str(rule["value"])
        if not re.fullmatch(str(rule["pattern"]), value):
            received = "not set" if not value else "of another form" if "SECRET" in name else repr(value)
            problems.append(f"the environment variable {name} is {received}; expected {rule['expected']}")
    return problems


def _problems(data: dict[str, Any]) -> list[str]:
    problems = [
        f"unknown key '{key}'; accepted: {', '.join(ACCEPTED_KEYS)}. Spark's own settings go under 'config'"
        for key in data
        if key not in (*ACCEPTED_KEYS, "database")
    ]
    if data.get("database") not in (None, data.get("schema")):
        problems.append(f"database is {data['database']!r}; leave it out, Spark has schemas only")
    if not isinstance(data.get("schema"), str) or not data["schema"]:
        problems.append(
            f"schema is {data.get('schema')!r}; expected the name of the default schema, such as 'analytics'"
        )
    if not isinstance(data.get("app_name", ""), str):
        problems.append(f"app_name is {data['app_name']!r}; expected a text")
    if not isinstance(data.get("lock_file", ""), str):
        problems.append(f"lock_file is {data['lock_file']!r}; expected the path of a local file")
    config = data.get("config") or {}
    if not isinstance(config, dict):
        problems.append(f"config is {config!r}; expected a mapping such as {{spark.master: 'local[*]'}}")
    else:
        for key, value in config.items():
            if not str(key).startswith("spark."):
                problems.append(f"config key '{key}' does not start with 'spark.', so Spark would ignore it")
            if not isinstance(value, (str, int, float, bool)):
                problems.append(f"config '{key}' is {value!r}; expected a text, number or true/false")
    folders = data.get("create_directories") or []
    if not isinstance(folders, list) or not all(isinstance(path, str) and path for path in folders):
        problems.append(f"create_directories is {folders!r}; expected a list of local folders")
    for key, names in _LISTS.items():
        listed = data.get(key) or []
        if not isinstance(listed, list) or not all(isinstance(name, str) and name for name in listed):
            problems.append(f"{key} is {listed!r}; expected a list of {names}")
    return [*problems, *_problems_of_variables(data.get("variables") or {})]
