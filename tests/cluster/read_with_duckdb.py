"""Prints the rows of a table as DuckDB reads them through an Iceberg REST catalog, without this project and Spark.

usage: read_with_duckdb.py <properties as JSON: uri, credential, endpoint, region> <table>
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

import duckdb

if __name__ == "__main__":
    given, table = json.loads(sys.argv[1]), sys.argv[2]
    client, secret = given["credential"].split(":")
    database = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    # From packages: DuckDB itself would fetch them from a server of its own.
    for name in ("httpfs", "avro", "iceberg"):
        folder = Path(importlib.import_module(f"duckdb_extension_{name}").__file__).parent
        database.execute(f"load '{folder}/extensions/v{duckdb.__version__}/{name}.duckdb_extension'")
    database.execute(
        f"create secret objects (type s3, key_id '{os.environ['AWS_ACCESS_KEY_ID']}', region '{given['region']}',"
        f" secret '{os.environ['AWS_SECRET_ACCESS_KEY']}', endpoint '{given['endpoint']}', url_style path,"
        " use_ssl false)"
    )
    database.execute(
        f"create secret catalog (type iceberg, client_id '{client}', client_secret '{secret}',"
        f" oauth2_server_uri '{given['uri']}/v1/oauth/tokens')"
    )
    database.execute(f"attach '' as lake (type iceberg, endpoint '{given['uri']}', secret catalog)")
    cursor = database.execute(f"select * from lake.{table}")
    names = [column[0] for column in cursor.description]
    print(json.dumps([dict(zip(names, row, strict=True)) for row in cursor.fetchall()], default=str))
