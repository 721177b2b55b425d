#!/bin/sh
# Builds or brings up to date an environment: the pinned packages of a file and, editable, this project and its adapter.
# usage: scripts/venv.sh <python> <uv version> [<folder> <requirements>], from the root of the project; without them .venv
# of requirements.txt. Safe to interrupt and to repeat.
set -eu

python=$1
uv_version=$2
folder=${3:-.venv}
requirements=${4:-requirements.txt}

"$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || {
    echo "Python 3.10 to 3.13 is needed, found: $("$python" --version 2>&1 | head -n 1). Name another: make setup PYTHON=python3.12" >&2
    exit 1
}

case "$requirements" in
requirements-spark3.5.txt)
    fits=
    for fits in "$python" python3.11 python3.10; do
        "$fits" -c 'import sys; sys.exit(sys.version_info[:2] > (3, 11))' 2>/dev/null && break
        fits=
    done
    [ "$fits" ] || {
        echo "Spark 3.5 runs with Python 3.10 or 3.11, found: $("$python" --version 2>&1). Name another: make setup SPARK=3.5 PYTHON=python3.11" >&2
        exit 1
    }
    python=$fits
    ;;
esac

if uv=$(command -v uv); then :; else
    uv=.uv/bin/uv
    if ! "$uv" --version >/dev/null 2>&1; then
        "$python" -c 'import ensurepip, venv' 2>/dev/null || {
            version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
            echo "Python's venv module is missing: install it (Debian, Ubuntu: apt-get install python$version-venv) and run make again." >&2
            exit 1
        }
        echo "Installing uv $uv_version into .uv ..."
        "$python" -m venv --clear .uv
        .uv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$uv_version"
    fi
fi

# The stamp shows that the environment is whole. Without it, after an interrupted run, a package may look installed and
# lack half its files; and a Python that was upgraded or removed leaves an environment that does not start. Both begin
# from scratch.
if [ -e "$folder/.ready" ] && "$folder/bin/python" -c '' 2>/dev/null; then
    rm "$folder/.ready"
else
    rm -rf "$folder"
    "$uv" venv --quiet --python "$python" "$folder"
fi

# A list of 150 packages helps nobody outside a terminal.
if [ -t 1 ]; then quiet=; else quiet=--quiet; fi
echo "Installing the pinned packages into $folder (Spark alone is 450 MB the first time) ..."
"$uv" pip sync $quiet --python "$folder/bin/python" --require-hashes "$requirements"
"$uv" pip install $quiet --python "$folder/bin/python" --no-deps --no-build-isolation -e adapter -e .
touch "$folder/.ready"
