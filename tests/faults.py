"""Real faults of the machine, made and taken away again: full and failing disks, and no more open files."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

BLOCK = 1024


def _run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    return done.stdout


@contextmanager
def mounted(folder: Path, *arguments: object) -> Iterator[None]:
    """A file system in a folder, for a while."""
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", *arguments, folder)
    try:
        yield
    finally:
        _run("umount", "--lazy", folder)


def _may_mount() -> bool:
    if os.geteuid() != 0 or not Path("/sbin/mkfs.ext4").exists():
        return False
    # Root of a container may not either.
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


needs_mount = pytest.mark.skipif(not _may_mount(), reason="only root can mount a full or a failing disk")


class Disk:
    """A disk that holds some files and can stop to give out their blocks.

    Args:
        image: file that the disk is made in.
        files: a folder with the files.
    """

    def __init__(self, image: Path, files: Path) -> None:
        self.image = image
        _run("mkfs.ext4", "-q", "-b", BLOCK, "-d", files, image, "4m")
        self._content = image.read_bytes()

    @contextmanager
    def mounted(self, folder: Path) -> Iterator[None]:
        """The disk in a folder, with all of its blocks."""
        self.image.write_bytes(self._content)
        with mounted(folder, "-o", "loop,ro", self.image):
            yield

    def fail(self, *names: str) -> None:
        """Reads of these files fail from now on, but for what the system has in memory."""
        first = min(int(_run("debugfs", "-R", f"blocks /{name}", self.image).split()[0]) for name in names)
        os.truncate(self.image, first * BLOCK)


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    """A disk in place of a folder, with its folders and no space for a file."""
    folders = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_dir())
    with mounted(folder, "-t", "tmpfs", "-o", f"nr_inodes={len(folders) + 1}", "none"):
        for path in folders:
            (folder / path).mkdir()
        yield


def spark_folder() -> Path:
    """Where Spark of this process keeps what it sorts and spills."""
    blocks = SparkSession.active()._jvm.org.apache.spark.SparkEnv.get().blockManager().diskBlockManager()
    [folder] = blocks.localDirsString()
    # Spark makes these when it first needs them, and remembers that they are there.
    for number in range(64):
        (Path(folder) / f"{number:02x}").mkdir(exist_ok=True)
    return Path(folder)


@contextmanager
def open_files(more: int) -> Iterator[None]:
    """Java of this process can open so many more files."""
    java = SparkSession.active()._jvm.java.lang.ProcessHandle.current().pid()
    taken = {int(path.name) for path in Path(f"/proc/{java}/fd").iterdir()}
    free = (number for number in count() if number not in taken)
    limits = resource.prlimit(java, resource.RLIMIT_NOFILE)
    resource.prlimit(java, resource.RLIMIT_NOFILE, (next(islice(free, more, None)), limits[1]))
    try:
        yield
    finally:
        resource.prlimit(java, resource.RLIMIT_NOFILE, limits)
