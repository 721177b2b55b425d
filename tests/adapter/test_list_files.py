"""list_files: every file below a folder, with the names, sizes and times that Spark has for them."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError

from spark_files import list_files, qualified

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
