"""Writes an archive of Spark's classes as Java has them in memory.

A Java that starts with it spends 6 s of CPU until its first queries are done, else 10 s. `make test` runs it once
for an environment of Python, beside the first tests. A Java that cannot use the archive starts as it would without.
"""

from __future__ import annotations

import os

from pyspark.sql import SparkSession

from tests.one_java import ARCHIVE, CHILD_JAVA


def main() -> None:
    if ARCHIVE.exists():
        return
    unfinished = ARCHIVE.with_suffix(f".{os.getpid()}")
    os.environ["JAVA_TOOL_OPTIONS"] = f"{CHILD_JAVA} -XX:ArchiveClassesAtExit={unfinished}"
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    session.range(10).selectExpr("id % 3 as a", "cast(id as string) as b").createOrReplaceTempView("t")
    session.sql("select a, count(b), row_number() over (order by a) from t group by a").collect()
    session.sql("select * from t as l join t as r on l.a = r.a where l.b like '1%'").collect()
    session.stop()
    # Java writes it when it ends.
    java = session.sparkContext._gateway.proc
    java.stdin.close()
    java.wait()
    unfinished.replace(ARCHIVE)


if __name__ == "__main__":
    main()
