"""Python models: dbt's public suites, and what this adapter promises on top."""

from __future__ import annotations

import pytest
from dbt.tests.adapter.python_model.test_python_model import (
    BasePythonEmptyTests,
    BasePythonIncrementalTests,
    BasePythonMetaGetTests,
    BasePythonModelTests,
    BasePythonSampleTests,
)
from dbt.tests.adapter.python_model.test_spark import (
    PANDAS_MODEL,
    PANDAS_ON_SPARK_MODEL,
    PYSPARK_MODEL,
    BasePySparkTests,
)
from dbt.tests.util import run_dbt, write_file

from spark_files.capabilities import PANDAS_ON_SPARK_REFUSES_ANSI


class TestPythonModel(BasePythonModelTests):
    pass


class TestPythonIncremental(BasePythonIncrementalTests):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+incremental_strategy": "merge", "+file_format": "iceberg"}}


class TestPythonMetaGet(BasePythonMetaGetTests):
    pass


class TestPythonEmpty(BasePythonEmptyTests):
    pass


class TestPythonSample(BasePythonSampleTests):
    pass


class TestPySpark(BasePySparkTests):
    # Koalas, the fourth kind of the suite, ended with Spark 3.2, where it became pyspark.pandas.
    @pytest.fixture(scope="class")
    def models(self):
        return {"pandas_df.py": PANDAS_MODEL, "pyspark_df.py": PYSPARK_MODEL}

    def test_different_dataframes(self, project):
        assert len(run_dbt(["run"])) == 2


class TestPandasOnSpark(BasePySparkTests):
    @pytest.fixture(scope="class")
    def models(self):
        pytest.importorskip(
            "pyspark.pandas", reason="pyspark.pandas of Spark 4.1 does not import with pandas 3", exc_type=ImportError
        )
        return {"pandas_on_spark_df.py": PANDAS_ON_SPARK_MODEL}

    def test_different_dataframes(self, project):
        if PANDAS_ON_SPARK_REFUSES_ANSI:
            [refused] = run_dbt(["run"], expect_pass=False)
            assert "[PANDAS_API_ON_SPARK_FAIL_ON_ANSI_MODE]" in refused.message
            head, frame = PANDAS_ON_SPARK_MODEL.split("    df = ps.DataFrame(")
            allowed = f"{head}    ps.set_option('compute.fail_on_ansi_mode', False)\n    df = ps.DataFrame({frame}"
            write_file(allowed, project.project_root, "models", "pandas_on_spark_df.py")
        assert len(run_dbt(["run"])) == 1


# Each run adds a row, and its commit records how many runs there were.
RECORDING_MODEL = """
from dbt.adapters.sparksession.python_models import Commit


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append", file_format="iceberg")
    number = session.table(str(dbt.this)).count() + 1 if dbt.is_incremental else 1
    return Commit(session.createDataFrame([(number,)], "id int"), {"cdc.batch-id": str(number)})
"""


class TestCommit:
    @pytest.fixture(scope="class")
    def models(self):
        return {"recording.py": RECORDING_MODEL}

    def test_the_commit_of_each_run_records_what_the_model_returns_with_its_rows(self, project):
        for _ in range(2):
            run_dbt(["run"])
        table = f"{project.test_schema}.recording"
        rows = project.run_sql(f"select summary['cdc.batch-id'] from {table}.snapshots order by 1", fetch="all")
        assert [row[0] for row in rows] == ["1", "2"]
