#!/bin/sh
# Fails unless .venv has the Python that was asked for. usage: scripts/same_python.sh <python>, from the root of the project.
set -eu

version='import sys; print("%d.%d.%d" % sys.version_info[:3])'
asked=$("$1" -c "$version" 2>/dev/null) || {
    echo "PYTHON=$1 does not run. Name a Python from 3.10 to 3.13: make setup PYTHON=python3.12" >&2
    exit 1
}
has=$(.venv/bin/python -c "$version")
[ "$asked" = "$has" ] || {
    echo ".venv has Python $has, and PYTHON=$1 is $asked. To build it again: rm -r .venv && make setup PYTHON=$1" >&2
    exit 1
}
