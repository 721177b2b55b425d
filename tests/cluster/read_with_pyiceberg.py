"""Prints the rows of a table as another program reads them: PyIceberg, with nothing of this project and no Spark.

usage: read_with_pyiceberg.py <properties of the catalog as JSON> <table>
"""

from __future__ import annotations

import json
import sys

from pyiceberg.catalog import load_catalog

if __name__ == "__main__":
    properties, table = sys.argv[1:]
    rows = load_catalog("lakehouse", **json.loads(properties)).load_table(table).scan().to_arrow().to_pylist()
    print(json.dumps(rows, default=str))
