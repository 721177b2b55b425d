"""dbt's public suites for incremental models on Iceberg: merge, schema changes, predicates, keys, microbatches."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq
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
from dbt.tests.util import run_dbt

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


OWN_STRATEGY = """
{% macro get_incremental_own_sql(arguments) %}
    {% if arguments.existing_relation is none %}
        {% do arguments.update({'message': 'create'}) %}
        {% do return(create_table_as(false, arguments.target_relation, arguments.sql)) %}
    {% elif var('has_news', false) %}
        {% do arguments.update({'message': 'append: ' ~ arguments.unique_key}) %}
        {% do return('insert into ' ~ arguments.target_relation ~ ' ' ~ arguments.sql) %}
    {% endif %}
    {% do return(none) %}
{% endmacro %}
"""


class TestOwnStrategy:
    @pytest.fixture(scope="class")
    def macros(self):
        return {"own.sql": OWN_STRATEGY}

    @pytest.fixture(scope="class")
    def models(self):
        config = "config(materialized='incremental', incremental_strategy='%s', file_format='iceberg', unique_key='id')"
        return {
            "own.sql": "{{ %s }}\nselect 1 as id, '-- nothing new: ' as `-- nothing new: `" % (config % "own"),
            "nobody.sql": "{{ %s }}\nselect 1 as id" % (config % "nobodys"),
        }

    def test_it_writes_every_run_and_says_how(self, project):
        messages = []
        for arguments in ([], [], ["--vars", "has_news: true"], ["--full-refresh"]):
            [result] = run_dbt(["run", "--select", "own", *arguments])
            messages.append(result.message)
        assert messages == ["OK create", "OK nothing to write", "OK append: id", "OK create"]
        snapshots = project.run_sql(f"select operation from {project.test_schema}.own.snapshots", fetch="all")
        assert len(snapshots) == 3, "nothing to write is no commit"
        assert project.run_sql(f"select count(*) from {project.test_schema}.own", fetch="one")[0] == 1

    def test_a_strategy_that_nobody_defines_is_an_error_that_names_it(self, project):
        [result] = run_dbt(["run", "--select", "nobody"], expect_pass=False)
        assert "Invalid incremental strategy provided: nobodys" in result.message


READS_FILES = """
{% macro get_incremental_files_sql(arguments) %}
    {% set raw = adapter.read_files(
        'raw', 'parquet', var('paths').split(';'), {'verify': arguments.verify}
    ) %}
    {% set message = 'append: rejected=' ~ raw.rejected | length %}
    {% do arguments.update({'message': message, 'verified': arguments.verify}) %}
    {% set sql = "select id, " ~ var('value', 'v') ~ " as v from raw" %}
    {% if arguments.existing_relation is none %}
        {% do return(create_table_as(false, arguments.target_relation, sql)) %}
    {% endif %}
    {% do return('insert into ' ~ arguments.target_relation ~ ' ' ~ sql) %}
{% endmacro %}
"""


class TestUnverifiedFiles:
    @pytest.fixture(scope="class")
    def macros(self):
        return {"files.sql": READS_FILES}

    @pytest.fixture(scope="class")
    def models(self):
        config = "{{ config(materialized='incremental', incremental_strategy='files', file_format='iceberg') }}"
        return {"files.sql": f"{config}\nselect 1 as id"}

    def test_a_strategy_is_asked_again_where_a_file_cannot_be_read(self, project, tmp_path):
        pq.write_table(pa.table({"id": [1], "v": ["a"]}), tmp_path / "good.parquet")
        rows = {"id": range(20_000), "v": [str(n * 7919) for n in range(20_000)]}
        pq.write_table(pa.table(rows), tmp_path / "bad.parquet")
        content = bytearray((tmp_path / "bad.parquet").read_bytes())
        content[len(content) // 3 : len(content) // 3 + 4000] = bytes(4000)
        (tmp_path / "bad.parquet").write_bytes(bytes(content))
        good, bad = (f"file:{tmp_path}/{name}.parquet" for name in ("good", "bad"))
        messages = []
        for paths in (f"{good};{bad}", good, f"{bad};{good}"):
            [result] = run_dbt(["run", "--vars", f"paths: {paths}"])
            messages.append(result.message)
        assert messages == [f"OK append: rejected={number}" for number in (1, 0, 1)]
        assert project.run_sql(f"select id, v from {project.test_schema}.files", fetch="all") == [(1, "a")] * 3
        snapshots = project.run_sql(f"select * from {project.test_schema}.files.snapshots", fetch="all")
        assert len(snapshots) == 3, "a write that failed is no commit"

        [result] = run_dbt(["run", "--vars", f"{{paths: '{good}', value: cast(v as int)}}"], expect_pass=False)
        assert "CAST_INVALID_INPUT" in result.message, "what is not a file's fault fails at once"
