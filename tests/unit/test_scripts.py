"""The scripts behind `make setup`, run with a PATH that holds only what a test puts there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
# Programs that the scripts may use on any machine.
EVERYWHERE = ("sh", "sed", "head", "env", "chmod", "true", "rm", "touch", "mkdir")


class Machine:
    """A machine with nothing but the given programs."""

    def __init__(self, root: Path) -> None:
        self.bin = root / "bin"
        self.bin.mkdir()
        self.env: dict[str, str] = {}
        for name in EVERYWHERE:
            program = shutil.which(name)
            assert program is not None
            (self.bin / name).symlink_to(program)
        self.user_id(0)

    def program(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def user_id(self, number: int) -> None:
        self.program("id", f"echo {number}")

    def java(self, version: str) -> None:
        self.program("java", f"echo 'openjdk version \"{version}\" 2025-01-21' >&2")

    def python(self, minor: int) -> None:
        """Add a python3 of this version, without the module ensurepip."""
        disguise = f"import sys; sys.version_info = (3, {minor}, 0); sys.modules['ensurepip'] = None; exec(sys.argv[1])"
        self.program(
            "python3",
            f'[ "$1" = --version ] && echo "Python 3.{minor}" || exec "{sys.executable}" -c "{disguise}" "$2"',
        )

    def installer(self, name: str, version: str, when: str = "*") -> None:
        """Add a package manager whose installation of anything that matches `when` gives this Java."""
        java = f"#!/bin/sh\\necho 'openjdk version \"{version}\"' >&2"
        self.program(
            name,
            f'echo "{name} $*" >> "{self.bin}/calls"\n'
            f'case "$*" in *update*) ;; {when}) printf "%b\\n" "{java.replace(chr(34), chr(92) + chr(34))}"'
            f' > "{self.bin}/java"; chmod +x "{self.bin}/java" ;; *) exit 1 ;; esac',
        )

    def calls(self) -> str:
        path = self.bin / "calls"
        return path.read_text() if path.exists() else ""

    def run(self, script: str, *arguments: str, cwd: Path = PROJECT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", str(PROJECT / "scripts" / script), *arguments],
            cwd=cwd,
            env={"PATH": str(self.bin), **self.env},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("version", ["17.0.15", "21", "23.0.1"])
def test_a_java_that_spark_runs_on_is_taken_without_a_word(machine: Machine, version: str) -> None:
    machine.java(version)
    machine.installer("apt-get", "17")
    result = machine.run("java.sh")
    assert (result.returncode, result.stdout, result.stderr, machine.calls()) == (0, "", "", "")


@pytest.mark.parametrize(("version", "major"), [("11.0.2", "11"), ("1.8.0_392", "8"), ("25-ea", "25"), (None, "none")])
def test_without_a_package_manager_one_line_names_what_to_do(machine: Machine, version: str | None, major: str) -> None:
    if version:
        machine.java(version)
    result = machine.run("java.sh")
    assert result.returncode == 1
    assert result.stderr == (
        f"Java 17 or 21 is needed: found Java '{major}' on PATH; "
        "install one (a headless JRE is enough) or set JAVA_HOME.\n"
    )


@pytest.mark.parametrize("manager", ["apt-get", "dnf", "brew"])
def test_a_missing_java_is_installed_with_a_visible_word(machine: Machine, manager: str) -> None:
    machine.installer(manager, "17.0.15")
    result = machine.run("java.sh")
    assert result.returncode == 0, result.stderr
    assert f"Installing Java with {manager}" in result.stdout
    assert "Java 17 is ready." in result.stdout


@pytest.mark.parametrize("manager", ["apt-get", "dnf"])
def test_java_21_is_installed_where_17_is_not_packaged(machine: Machine, manager: str) -> None:
    machine.installer(manager, "21.0.1", when="*21*")
    result = machine.run("java.sh")
    assert result.returncode == 0, result.stderr
    assert "Java 21 is ready." in result.stdout


@pytest.mark.parametrize("manager", ["apt-get", "dnf"])
def test_without_rights_nothing_is_tried(machine: Machine, manager: str) -> None:
    machine.user_id(1000)
    machine.program("sudo", "exit 1")
    machine.installer(manager, "17")
    result = machine.run("java.sh")
    assert (result.returncode, machine.calls()) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert f"as root run: {manager} install" in result.stderr


def test_sudo_that_asks_nothing_is_used(machine: Machine) -> None:
    machine.user_id(1000)
    machine.program("sudo", f'echo "sudo $*" >> "{machine.bin}/calls"; shift; exec "$@"')
    machine.installer("apt-get", "17")
    result = machine.run("java.sh")
    assert result.returncode == 0, result.stderr
    assert "sudo -n apt-get update" in machine.calls()


def test_a_failed_installation_names_what_to_run(machine: Machine) -> None:
    machine.program("apt-get", "exit 100")
    result = machine.run("java.sh")
    assert result.returncode == 1
    assert "still not found after the installation; run: apt-get install openjdk-17-jre-headless" in result.stderr


def test_java_home_wins_over_path_as_it_does_for_spark(machine: Machine, tmp_path: Path) -> None:
    machine.java("21.0.1")
    machine.installer("apt-get", "17")
    machine.env["JAVA_HOME"] = str(tmp_path / "old")
    (tmp_path / "old" / "bin").mkdir(parents=True)
    old = tmp_path / "old" / "bin" / "java"
    old.write_text("#!/bin/sh\necho 'java version \"11.0.2\"' >&2\n")
    old.chmod(0o755)
    result = machine.run("java.sh")
    assert (result.returncode, machine.calls()) == (1, "")
    assert f"JAVA_HOME is '{tmp_path / 'old'}' with Java '11'" in result.stderr


def test_a_java_without_a_module_that_spark_asks_for_is_not_taken(machine: Machine) -> None:
    refuses = 'case "$*" in *--add-modules=jdk.incubator.vector*) exit 1 ;; esac'
    machine.program("java", f"{refuses}\necho 'openjdk version \"21.0.8\" 2025-07-15' >&2")
    result = machine.run("java.sh")
    assert result.returncode == 1
    assert "found Java '21 without the module jdk.incubator.vector' on PATH; install one" in result.stderr


@pytest.mark.parametrize("minor", [9, 14])
def test_an_unsuitable_python_is_named_with_the_way_out(machine: Machine, minor: int) -> None:
    machine.python(minor)
    result = machine.run("venv.sh", "python3", "0", cwd=machine.bin)
    assert result.returncode == 1
    assert result.stderr == (
        f"Python 3.10 to 3.13 is needed, found: Python 3.{minor}. Name another: make setup PYTHON=python3.12\n"
    )


@pytest.mark.parametrize("minor", [10, 13])
def test_a_python_without_venv_names_the_package(machine: Machine, minor: int) -> None:
    machine.python(minor)
    result = machine.run("venv.sh", "python3", "0", cwd=machine.bin)
    assert result.returncode == 1
    assert result.stderr == (
        "Python's venv module is missing: install it "
        f"(Debian, Ubuntu: apt-get install python3.{minor}-venv) and run make again.\n"
    )
    assert not (machine.bin / ".venv").exists()


@pytest.mark.parametrize(
    ("stamp", "starts", "fresh"), [(True, True, False), (False, True, True), (True, False, True), (False, False, True)]
)
def test_an_environment_is_kept_only_if_it_is_whole(
    machine: Machine, tmp_path: Path, stamp: bool, starts: bool, fresh: bool
) -> None:
    environment = tmp_path / "project" / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to("/bin/true" if starts else "/nowhere")
    (environment / "old").touch()
    if stamp:
        (environment / ".ready").touch()
    machine.program("python3", "exit 0")
    machine.program("uv", f'echo "uv $*" >> "{machine.bin}/calls"; [ "$1" = pip ] || mkdir .venv')
    result = machine.run("venv.sh", "python3", "0", cwd=tmp_path / "project")
    assert result.returncode == 0, result.stderr
    assert ((environment / "old").exists(), "uv venv" in machine.calls()) == (not fresh, fresh)
    assert (environment / ".ready").exists()


@pytest.mark.parametrize("has_older", [True, False])
def test_spark_3_5_takes_an_older_python_of_the_machine(machine: Machine, tmp_path: Path, has_older: bool) -> None:
    machine.python(13)
    if has_older:
        machine.program("python3.11", "exit 0")
    machine.program("uv", f'echo "uv $*" >> "{machine.bin}/calls"; [ "$1" = pip ] || mkdir env')
    result = machine.run("venv.sh", "python3", "0", "env", "requirements-spark3.5.txt", cwd=tmp_path)
    if has_older:
        assert "uv venv --quiet --python python3.11 env" in machine.calls()
    else:
        assert result.returncode == 1
        assert "Spark 3.5 runs with Python 3.10 or 3.11, found: Python 3.13." in result.stderr


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        ("nosuch", 1, "PYTHON=nosuch does not run."),
        ("other", 1, ".venv has Python 3.11.7, and PYTHON=other is 3.12.1."),
        ("same", 0, ""),
    ],
)
def test_a_python_that_was_asked_for_is_that_of_the_environment(
    machine: Machine, tmp_path: Path, asked: str, code: int, said: str
) -> None:
    machine.program("same", "echo 3.11.7")
    machine.program("other", "echo 3.12.1")
    (tmp_path / "project/.venv/bin").mkdir(parents=True)
    (tmp_path / "project/.venv/bin/python").symlink_to(machine.bin / "same")
    result = machine.run("same_python.sh", asked, cwd=tmp_path / "project")
    assert (result.returncode, said in result.stderr, bool(result.stderr)) == (code, True, bool(code))


def test_the_text_of_a_variable_is_no_part_of_a_command() -> None:
    """Make shows the commands that it would run: the shell takes the text from its environment."""
    given = [
        f"{name}=$$(touch hacked)`touch hacked`" for name in ("FEED", "SCHEMAS", "TABLES", "APPEND", "FILE", "EVERY")
    ]
    for target in ("discover", "quality", "watch", "lineage"):
        command = ["make", "--no-print-directory", "--dry-run", target, *given]
        recipe = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
        assert "python_udfs" in recipe and "hacked" not in recipe, target


def test_a_failed_installation_leaves_no_stamp(machine: Machine, tmp_path: Path) -> None:
    environment = tmp_path / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to("/bin/true")
    (environment / ".ready").touch()
    machine.program("python3", "exit 0")
    machine.program("uv", "exit 2")
    assert machine.run("venv.sh", "python3", "0", cwd=tmp_path).returncode == 2
    assert not (environment / ".ready").exists()


def test_help_lists_every_target_of_the_front_door() -> None:
    result = subprocess.run(
        ["make", "--no-print-directory"], cwd=PROJECT, env=dict(os.environ), capture_output=True, text=True, check=True
    )
    listed = [line.split()[1] for line in result.stdout.splitlines()]
    names = [
        "help",
        "setup",
        "airflow",
        "demo",
        "demo-kafka",
        "test",
        "test-short",
        "test-versions",
        "test-fast",
        "test-cluster",
        "package",
        "prove",
        "prove-gold",
        "prove-faults",
        "watch",
        "report",
        "quality",
        "bench",
        "bench-quick",
        "lint",
        "models",
        "discover",
        "retire",
        "drift",
        "explain",
        "lineage",
        "models-check",
        "walk",
        "docs",
        "clean",
    ]
    assert listed == names


def test_a_fast_test_that_starts_spark_fails() -> None:
    recipe = subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "test-fast"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()[-1]
    assert 'tests/unit -m "not spark"' in recipe
    before = recipe.split(" python -m pytest ", 1)[0]
    starts = "from small_spark import small_spark; small_spark()"
    ran = subprocess.run(
        ["sh", "-c", f"{before} python -c '{starts}'"],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT / "tests" / "unit")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode != 0
    assert "Java was not found (JAVA_HOME is " in ran.stderr, ran.stderr


def test_files_of_tests_have_names_of_their_own() -> None:
    """Modules of tests are told apart by name: of two with one name pytest does not collect the second."""
    names = [path.name for path in (PROJECT / "tests").rglob("test_*.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize(("commands", "code"), [(("echo one", "echo two"), 0), (("exit 3", "echo two"), 3)])
def test_commands_side_by_side_are_shown_and_one_that_fails_fails_all(commands: tuple[str, ...], code: int) -> None:
    script = PROJECT / "scripts" / "side_by_side.sh"
    ran = subprocess.run(["sh", script, *commands], capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stderr
    said = ran.stdout.splitlines()
    assert said[:2] == [f"{command} ..." for command in commands] and said[-1] == "two"
