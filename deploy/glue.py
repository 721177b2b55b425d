"""Template: the script of a Glue job, which has no archives: it unpacks the one that `--extra-files` brings.

Arguments: `--command "NAME=VALUE … build"`, as submit.py takes them.
"""

from __future__ import annotations

import runpy
import shlex
import sys
import tarfile

if __name__ == "__main__":
    words = sys.argv[sys.argv.index("--command") + 1]
    with tarfile.open("lakehouse.tar.gz") as archive:
        archive.extractall("lakehouse", filter="data")
    sys.argv = ["submit.py", *shlex.split(words)]
    runpy.run_path("lakehouse/submit.py", run_name="__main__")
