#!/bin/sh
# Fails unless an environment has the Python that was asked for.
# usage: scripts/same_python.sh <python> [<folder>], from the root of the project; without a folder .venv.
set -eu

version='import sys; print("%d.%d.%d" % sys.version_info[:3])'
asked=$("$1" -c "$version" 2>/dev/null) || {
    echo "PYTHON=$1 does not run. Name a Python from 3.10 to 3.13: make setup PYTHON=python3.12" >&2
    exit 1
}
folder=${2:-.venv}
has=$("$folder/bin/python" -c "$version")
[ "$asked" = "$has" ] || {
    echo "$folder has Python $has, and PYTHON=$1 is $asked. To build it again: rm -r $folder && make setup PYTHON=$1" >&2
    exit 1
}
