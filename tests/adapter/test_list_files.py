"""list_files: every file below a folder, with the names, sizes and times that Spark has for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError

from spark_files import count_unnamed, list_files, qualified
from spark_files.errors import root_cause

NAMES = [
    "a b", "a%20b", "a%2Fb", "a+b", "100%", "x[1]", "y{1,2}", "z*", "q?#1", "é", "e\u0301", "p&q=1", "c,d", "t~;'\"",
    "back\\slash", "new\nline", "_hidden", ".dot", "${user.name}", "$1", "col:on", "x" * 200,
]  # fmt: skip


def test_every_file_is_listed_whatever_its_name(session, tmp_path):
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "LOAD1.parquet").write_bytes(b"xyz")
    (tmp_path / "_empty").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("/nowhere")
    rows = list_files(session, _uri(tmp_path)).collect()
    sizes = {row.path: row.size for row in rows}
    assert sizes == {_uri(tmp_path / name / "LOAD1.parquet"): 3 for name in NAMES} | {_uri(tmp_path / "_empty"): 0}
    assert len(rows) == len(sizes)
    spark = session.read.format("binaryFile").option("recursiveFileLookup", "true").load(_uri(tmp_path))
    times = {row.path: row.modified_at for row in rows}
    assert all(times[row.path] == row.modificationTime for row in spark.select("path", "modificationTime").collect())
    for name in NAMES:
        assert list_files(session, _uri(tmp_path / name)).count() == 1
    assert list_files(session, _uri(tmp_path / "nowhere")) is None


def test_a_folder_that_cannot_be_listed_is_an_error(session):
    with pytest.raises(Py4JJavaError, match="No FileSystem for scheme"):
        list_files(session, "nosuchscheme://bucket/a")


def test_a_location_is_qualified_as_the_paths_below_it_begin(session, tmp_path):
    assert qualified(session, str(tmp_path)) == qualified(session, _uri(tmp_path)) == _uri(tmp_path)


def _uri(path) -> str:
    return f"file:{path}"


class Chosen:
    """Leaves out folders called `old…` and, where names begin with a digit, those below the newest one."""

    name_pattern, large_folder = "[0-9].*", 3

    def __init__(self):
        self.folders, self.newest = [], {}

    def left_out(self, folders):
        self.folders += folders
        return [folder for folder in folders if folder.rpartition("/")[2].startswith("old")]

    def older_names(self, folder, newest):
        self.newest[folder] = newest
        return f"[0-{int(newest[0]) - 1}].*"


def test_folders_and_names_that_are_left_out_are_not_listed(session, tmp_path):
    for key in ("old é/a", "new/old/a", "new/deep/b", "old\x01er/c", "few/1", "many/1", "many/9", "many/9b", "many/x"):
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(b"x")
    chosen = Chosen()
    rows = list_files(session, _uri(tmp_path), chosen).collect()
    listed = {row.path.removeprefix(f"{_uri(tmp_path)}/") for row in rows}
    # A name with the character that the listing puts between paths is listed.
    assert listed == {"new/deep/b", "old\x01er/c", "few/1", "many/9", "many/9b", "many/x"}
    assert chosen.newest == {_uri(tmp_path / "many"): "9b"}, "only a large folder is asked about"
    assert _uri(tmp_path / "new" / "deep") in chosen.folders


class Renaming(Chosen):
    """Renames the first folder so many times, between the listing of its parent and its own."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    def left_out(self, folders):
        if self.times:
            self.times -= 1
            folder = Path(min(folders).removeprefix("file:"))
            folder.rename(folder.with_name(f"{folder.name}x"))
        return []


def test_a_folder_that_goes_while_it_is_listed_is_asked_again_and_then_an_error(session, tmp_path):
    for key in ("a/1", "b/2"):
        (tmp_path / key).parent.mkdir()
        (tmp_path / key).touch()
    rows = list_files(session, _uri(tmp_path), Renaming(2)).collect()
    assert {row.path for row in rows} == {_uri(tmp_path / "axx/1"), _uri(tmp_path / "b/2")}
    with pytest.raises(Py4JJavaError, match="FileNotFoundException") as raised:
        list_files(session, _uri(tmp_path), Renaming(3))
    assert root_cause(raised.value).startswith("FileNotFoundException: File ")


# As latin1 has it: no text in UTF-8.
LATIN1 = "ü".encode("latin1")


def make_names(folder, *names: bytes):
    """Empty files, and the folders above them."""
    for name in names:
        path = folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_names_that_are_no_text_are_counted_by_folder(session, tmp_path):
    odd = (b"s/t/" + LATIN1, b"s/t/\xff\xfe", b"s/" + LATIN1 + b"/a/\xff")
    make_names(tmp_path, b"s/t/a", "s/t/ü 東京 🚲".encode(), *odd)
    assert count_unnamed(session, _uri(tmp_path)) == {f"{tmp_path}/s": 1, f"{tmp_path}/s/t": 2}
    assert {row.path for row in list_files(session, _uri(tmp_path)).collect()} == {
        _uri(tmp_path / "s/t/a"),
        _uri(tmp_path / "s/t/ü 東京 🚲"),
    }
    assert count_unnamed(session, _uri(tmp_path / "s/t/nowhere")) == {}


@pytest.mark.parametrize("encoding", ["ANSI_X3.4-1968", "ISO-8859-1"])
def test_java_in_another_encoding_has_no_text_for_names_that_are_not_ascii(session, tmp_path, monkeypatch, encoding):
    """As below a spark-submit with such a locale: the text would be another one than that of other runs."""
    monkeypatch.setattr(sys.modules[list_files.__module__], "read_name_encoding", lambda: encoding)
    make_names(tmp_path, b"s/t/a", "s/t/ü".encode(), "s/ü/a".encode())
    assert count_unnamed(session, _uri(tmp_path)) == {f"{tmp_path}/s": 1, f"{tmp_path}/s/t": 1}
    assert count_unnamed(session, _uri(tmp_path / "s/ü")) == {f"{tmp_path}/s/ü": 1}


# Java alone, without Spark's session.
START_JAVA = """
import json, sys
from pathlib import Path
from dbt.adapters.sparksession.session import _launch_java
from spark_files.internals import java_class
_launch_java({"spark.master": "local[1]"}, Path(sys.argv[2]))
names = java_class("java.io.File")(sys.argv[1]).listFiles()
print(json.dumps({name.getName(): name.exists() for name in names}))
"""


@pytest.mark.parametrize("locale", ["C", "de_DE.ISO-8859-1"])
def test_java_reads_names_of_files_whatever_the_locale_of_this_machine(tmp_path, locale):
    make_names(tmp_path / "files", "ü 東京 🚲".encode())
    environment = {**os.environ, "LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", START_JAVA, str(tmp_path / "files"), str(tmp_path / "spark.log")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == {"ü 東京 🚲": True}
