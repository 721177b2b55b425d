"""Spark's libraries are fetched by one process at a time."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from dbt.adapters.sparksession.packages import LOCK_NAME, missing_packages, packages_at_hand

# A library of 60 MB in a folder: two starts that fetch it at the same time break each other's downloads, as from Maven.
LIBRARY = "org.example:large:1.0"
POM = """<project><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>large</artifactId><version>1.0</version></project>
"""
START = """
import sys
from pathlib import Path
from dbt.adapters.sparksession import session
session.logger.info = lambda said: print(said, flush=True)
session._launch_java({
    "spark.master": "local[1]", "spark.jars.packages": sys.argv[1], "spark.jars.repositories": sys.argv[2],
    "spark.jars.ivy": sys.argv[3]}, Path(sys.argv[4]))
print("started")
"""
HOLD = """
import subprocess, sys
from dbt.adapters.sparksession.packages import packages_at_hand
with packages_at_hand({"spark.jars.packages": "org.a:b:1", "spark.jars.ivy": sys.argv[1]}) as inherited:
    java = subprocess.Popen(["sleep", "600"], pass_fds=inherited, stdout=subprocess.DEVNULL)
    print(java.pid, flush=True)
    java.wait()
"""


def is_free(folder: Path) -> bool:
    with (folder / LOCK_NAME).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_two_first_starts_at_once_both_succeed_and_one_says_that_it_waits(tmp_path):
    library = tmp_path / "repository/org/example/large/1.0"
    library.mkdir(parents=True)
    (library / "large-1.0.pom").write_text(POM)
    (library / "large-1.0.jar").write_bytes(bytes(60_000_000))
    places = [LIBRARY, (tmp_path / "repository").as_uri(), str(tmp_path / "ivy")]
    starts = [
        subprocess.Popen(
            [sys.executable, "-c", START, *places, str(tmp_path / f"{name}.log")],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name in "ab"
    ]
    said = [start.communicate()[0] for start in starts]
    assert all(each.endswith("started\n") for each in said), said
    assert sorted("waiting until it has them" in each for each in said) == [False, True], said


def test_the_lock_is_free_when_its_holder_and_its_java_are_gone(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        while not (line := holder.stdout.readline()).strip().isdigit():
            assert line, "the holder ended"
        assert not is_free(tmp_path)
        holder.kill()
        holder.wait()
        assert not is_free(tmp_path), "Java may still fetch"
        subprocess.run(["kill", line.strip()], check=True)
        with (tmp_path / LOCK_NAME).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)


def test_the_lock_is_held_only_while_packages_are_missing(tmp_path):
    config = {"spark.jars.ivy": str(tmp_path), "spark.jars.packages": "org.a:b_2.13:1.2.0"}
    with packages_at_hand(config) as inherited:
        assert inherited and not is_free(tmp_path)
    assert is_free(tmp_path)
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars/org.a_b_2.13-1.2.0.jar").write_text("")
    with packages_at_hand(config) as inherited:
        assert not inherited and is_free(tmp_path)


def test_a_failed_start_frees_the_lock(tmp_path):
    with pytest.raises(ValueError), packages_at_hand({"spark.jars.ivy": str(tmp_path), "spark.jars.packages": "a:b:1"}):
        raise ValueError
    assert is_free(tmp_path)


def test_a_folder_that_cannot_be_written_needs_no_lock(tmp_path):
    (tmp_path / "file").write_text("")
    config = {"spark.jars.ivy": str(tmp_path / "file"), "spark.jars.packages": "org.a:b:1"}
    with packages_at_hand(config) as inherited:
        assert inherited == ()


def test_packages_are_missing_until_ivy_has_their_jar(tmp_path):
    (tmp_path / "jars").mkdir()
    config = {"spark.jars.ivy": str(tmp_path), "spark.jars.packages": "org.a:b_2.13:1.2.0, org.c:d:3"}
    assert missing_packages(config) == ["org.a:b_2.13:1.2.0", "org.c:d:3"]
    (tmp_path / "jars/org.a_b_2.13-1.2.0.jar").write_text("")
    assert missing_packages(config) == ["org.c:d:3"]
