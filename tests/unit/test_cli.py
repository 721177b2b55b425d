"""Shared by the commands: output and exit codes."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from python_udfs.cli.console import _RIGHTS, run_command, text_table
from python_udfs.cli.dbt import Dbt, DbtError, newest_change, show_event
from python_udfs.errors import LakehouseError, UsageError
from python_udfs.times import duration_text


def raised(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize(
    ("error", "code", "reported"),
    [
        (LakehouseError("it broke"), 1, "it broke\nNothing was written.\n"),
        (UsageError(["FEED: nothing", "SOURCE: nothing"]), 2, "FEED: nothing\nSOURCE: nothing\n"),
        (PermissionError(13, "Permission denied", "seeds/a.csv"), 1, f"seeds/a.csv: Permission denied{_RIGHTS}\n"),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 1, "a.csv: No such file or directory\n"),
        (KeyboardInterrupt(), 130, "Stopped.\n"),
    ],
)
def test_an_error_of_the_user_is_words_and_an_exit_code(
    error: BaseException, code: int, reported: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(lambda: raised(error), failed="Nothing was written.") == code
    assert capsys.readouterr().err == reported


@pytest.mark.parametrize("error", [KeyError("a mistake of ours"), OSError("no file of the user")])
def test_an_error_of_ours_keeps_its_stack_trace(error: Exception) -> None:
    with pytest.raises(type(error)):
        run_command(lambda: raised(error))


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1)])
def test_the_work_may_return_the_exit_code(returned: int | None, code: int) -> None:
    assert run_command(lambda: returned) == code


def test_a_table_aligns_names_and_numbers() -> None:
    assert text_table(("name", "rows", "notes"), [("a", "1,000", "long remark"), ("long name", "2", "")], "<><") == (
        "name        rows  notes\n---------  -----  -----\na          1,000  long remark\nlong name      2"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_800, "2 days")],
)
def test_durations(seconds: int, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("name", "level", "shown"),
    [
        ("LogModelResult", "info", "    incremental model silver.t: 1.2 s\n"),
        ("LogModelResult", "error", "    the message\n"),
        ("LogTestResult", "info", ""),
        ("LogTestResult", "error", "    the message\n"),
        ("JinjaLogInfo", "info", "    the message\n"),
        ("AdapterEventInfo", "info", "    the message\n"),
        ("MainEncounteredError", "error", ""),
        ("MainStackTrace", "error", ""),
        ("DepsNoPackagesFound", "warn", ""),
    ],
)
def test_what_is_shown_of_dbt(name: str, level: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    info = SimpleNamespace(name=name, level=level, msg="the message")
    data = SimpleNamespace(description="sql incremental model silver.t", execution_time=1.23)
    show_event(SimpleNamespace(info=info, data=data))
    assert capsys.readouterr().out == shown


def test_a_failed_command_of_dbt_names_where_its_messages_are(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = SimpleNamespace(success=False, exception=None)
    runner = SimpleNamespace(invoke=lambda _: outcome)
    monkeypatch.setattr("dbt.cli.main.dbtRunner", lambda manifest, callbacks: runner)
    with pytest.raises(DbtError, match=r"^dbt run --select t failed; dbt's messages are in logs/dbt\.log$"):
        Dbt().result("run", "--select", "t")
    with pytest.raises(DbtError, match=r"are above$"):
        Dbt(show=show_event).result("run")


def test_the_newest_change_of_a_project(tmp_path: Path) -> None:
    times = {"dbt_project.yml": 10, "models/bronze/a.sql": 30, "macros/b.sql": 20, "target/later.sql": 99}
    for name, at in times.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (at, at))
    # What was removed since its folder was read.
    (tmp_path / "models" / "gone.sql").symlink_to(tmp_path / "nowhere")
    assert newest_change(tmp_path) == 30
