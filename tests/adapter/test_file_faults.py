"""read_files under faults of the machine that are really there: it raises, names the cause, and rejects no file."""

from __future__ import annotations

import gzip
import os
import random
import resource

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException

from spark_files.errors import spark_message
from spark_files.read_files import read_files
from tests.faults import Disk, full_disk, needs_mount, open_files, spark_folder

ERRORS = (Py4JError, PySparkException)


def read(session, path):
    """The answer of read_files, or the error that a user sees."""
    data_format = "parquet" if path.suffix == ".parquet" else "text"
    try:
        return read_files(session, "v", data_format, [f"file:{path}"], {"verify": "full"})
    except ERRORS as error:
        return spark_message(error)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with files of each kind, so large that Java reads each several times."""
    folder = tmp_path_factory.mktemp("files")
    texts = [str(random.Random(number).random()) for number in range(20_000)]
    pq.write_table(pa.table({"v": texts}), folder / "a.parquet")
    (folder / "b.csv").write_text("\n".join(texts))
    (folder / "c.csv.gz").write_bytes(gzip.compress("\n".join(texts).encode()))
    return folder


def read_end(path):
    """Have the system keep the last bytes of a file in memory, and no others."""
    with path.open("rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        file.seek(-4096, os.SEEK_END)
        file.read()


@needs_mount
@pytest.mark.parametrize("case", ["a.parquet", "a.parquet, all but its footer", "b.csv", "c.csv.gz"])
def test_a_disk_that_fails_rejects_no_file(session, tmp_path, files, case):
    name = case.split(",")[0]
    disk, folder = Disk(tmp_path / "disk", files), tmp_path / "mounted"
    with disk.mounted(folder):
        if name != case:
            read_end(folder / name)
        disk.fail(name)
        said = read(session, folder / name)
        assert "IOException: Input/output error" in said
    with disk.mounted(folder):
        assert read(session, folder / name)["rejected"] == []
        assert session.table("v").count() == 20_000


@needs_mount
def test_a_full_disk_under_spark_rejects_no_file(session, files):
    with full_disk(spark_folder()):
        said = read(session, files / "b.csv")
        assert "No space left on device" in said
    assert read(session, files / "b.csv")["rejected"] == []


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="Linux only")
def test_no_more_open_files_at_any_moment_reject_no_file(session, files):
    """Java says FileNotFoundException then, as of a file that is gone."""
    path, said = files / "a.parquet", []
    for more in range(20):
        with open_files(more):
            said.append(read(session, path))
        if isinstance(said[-1], dict):
            break
    *faults, answer = said
    assert answer["rejected"] == []
    assert len(faults) > 1, "the footer is not the only read"
    for fault in faults:
        assert path.name in fault and "Too many open files" in fault


def test_what_spark_takes_for_a_bug_of_its_own_names_its_cause(session):
    """Such as a lost executor, where a query runs before it is written."""
    java = session._jvm
    cause = java.java.io.IOException("Master removed our application: FAILED")
    said = "Eagerly executed overwrite failed. You hit a bug in Spark or the Spark plugins you use."
    error = java.org.apache.spark.SparkException.internalError(said, cause)
    assert spark_message(Py4JJavaError("", error)) == (
        "[INTERNAL_ERROR] Eagerly executed overwrite failed.\nIOException: Master removed our application: FAILED"
    )
