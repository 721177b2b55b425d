"""dbt's public suites for incremental models on Iceberg: merge, schema changes, predicates, keys, microbatches."""

from __future__ import annotations

import re

import pytest
from dbt.tests.adapter.incremental.test_incremental_merge_exclude_columns import BaseMergeExcludeColumns
from dbt.tests.adapter.incremental.test_incremental_microbatch import BaseMicrobatch
from dbt.tests.adapter.incremental.test_incremental_on_schema_change import BaseIncrementalOnSchemaChange
from dbt.tests.adapter.incremental.test_incremental_predicates import BaseIncrementalPredicates
from dbt.tests.adapter.incremental.test_incremental_unique_id import (
    BaseIncrementalUniqueKey,
    seeds__add_new_rows_sql,
    seeds__duplicate_insert_sql,
    seeds__seed_csv,
)

ICEBERG_MERGE = {
    "seeds": {"+file_format": "iceberg"},
    "models": {"+file_format": "iceberg", "+incremental_strategy": "merge"},
}


class TestIncrementalOnSchemaChange(BaseIncrementalOnSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG_MERGE

    def run_incremental_append_new_columns_remove_one(self, project):
        pytest.skip(
            "dbt-spark merges with `update set *`, for which Iceberg wants every column of the table in the source"
        )


class TestMergeExcludeColumns(BaseMergeExcludeColumns):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG_MERGE


class TestIncrementalPredicatesMerge(BaseIncrementalPredicates):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        predicates = ["dbt_internal_dest.id != 2"]
        return {**ICEBERG_MERGE, "models": {**ICEBERG_MERGE["models"], "+incremental_predicates": predicates}}


class TestIncrementalUniqueKey(BaseIncrementalUniqueKey):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG_MERGE

    @pytest.fixture(scope="class")
    def seeds(self):
        # Spark does not store a text in a date column of an Iceberg table: date literals instead.
        dates = {"duplicate_insert.sql": seeds__duplicate_insert_sql, "add_new_rows.sql": seeds__add_new_rows_sql}
        return {
            "seed.csv": seeds__seed_csv,
            **{name: re.sub(r"('\d{4}-\d\d-\d\d')", r"date \1", sql) for name, sql in dates.items()},
        }


MICROBATCH_MODEL = """
{{ config(materialized='incremental', incremental_strategy='microbatch', unique_key='id', event_time='event_time',
          batch_size='day', begin=modules.datetime.datetime(2020, 1, 1, 0, 0, 0),
          file_format='iceberg', partition_by=['days(event_time)']) }}
select * from {{ ref('input_model') }}
"""


class TestMicrobatch(BaseMicrobatch):
    @pytest.fixture(scope="class")
    def microbatch_model_sql(self):
        return MICROBATCH_MODEL
