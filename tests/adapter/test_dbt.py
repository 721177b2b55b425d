"""Promises of this adapter on top of dbt's suites, seen through dbt."""

from __future__ import annotations

import gzip
import json

import pytest
from dbt.tests.util import read_file, relation_from_name, run_dbt, run_dbt_and_capture, write_file
from pyspark import SparkContext

from dbt.adapters.sparksession.catalog import has_views
from dbt.adapters.sparksession.impl import SparksessionAdapter
from spark_files.capabilities import NAMES_UNREADABLE_FILES

REFUSING = """
class Refused(Exception):
    is_for_users = True

def refuse():
    raise Refused("no key column id")
"""
ICEBERG = {name: {"+file_format": "iceberg"} for name in ("models", "seeds")}


def snapshots(project, name):
    return project.run_sql(f"select count(*) from {project.test_schema}.{name}.snapshots", fetch="one")[0]


class TestPythonModels:
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "base.sql": "select 1 as id, 'a' as name",
            "merged.py": """
from helper import twice

def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="merge", unique_key="id",
               partition_by=["bucket(2, id)"], tblproperties={"write.format.default": "orc"})
    start = twice(10) if dbt.is_incremental else 0
    rows = dbt.ref("base").selectExpr(f"id + {start} as id", "name")
    changed = session.createDataFrame([(1, "changed")], "id int, name string")
    return rows.union(changed) if dbt.is_incremental else rows
""",
            "nothing.py": """
def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    return None if dbt.is_incremental else dbt.ref("base")
""",
            "itself.py": """
from dbt.adapters.sparksession.python_models import Written

def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    if not dbt.is_incremental:
        return dbt.ref("base")
    session.sql(f"insert into {dbt.this} values (3, 'c')")
    return Written("1 row")
""",
            "udf.py": """
from __future__ import annotations
from dataclasses import dataclass
from pyspark.sql.functions import udf
from helper import twice

@dataclass
class Config:
    factor: int = 2

def local(value):
    return value * Config().factor

def model(dbt, session):
    dbt.config(materialized="table")
    return dbt.ref("base").select(udf(twice, "int")("id").alias("imported"), udf(local, "int")("id").alias("local"))
""",
        }

    def test_python_models(self, project):
        write_file("def twice(value):\n    return 2 * value\n", project.project_root, "helper.py")
        run_dbt(["run"])
        messages = {result.node.name: result.message for result in run_dbt(["run"])}
        rows = project.run_sql(f"select id, name from {project.test_schema}.merged order by id", fetch="all")
        assert [tuple(row) for row in rows] == [(1, "changed"), (21, "a")]
        # One snapshot for the table, one for the merge: the data is written once.
        assert snapshots(project, "merged") == 2
        # Configuration of the model reaches the table.
        description = project.run_sql(f"describe table extended {project.test_schema}.merged", fetch="all")
        shown = {row[0]: row[1] for row in description}
        assert shown["Part 0"] == "bucket(2, id)" and "write.format.default=orc" in shown["Table Properties"]
        assert tuple(project.run_sql(f"select * from {project.test_schema}.udf", fetch="one")) == (2, 2)
        # None in an incremental run writes nothing.
        assert (snapshots(project, "nothing"), messages["nothing"]) == (1, "OK nothing to write")
        # One that has written itself says what.
        assert (snapshots(project, "itself"), messages["itself"]) == (2, "OK 1 row")


class TestErrors:
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "wrong_column.sql": "select 1 as a,\n  nope as b",
            "division.sql": "{{ config(materialized='table') }}\nselect 1 / id as a from range(3)",
            "query.sql": "{% do run_query('select * from text.`' ~ var('cut') ~ '`') if execute %}select 1 as id",
            "refused.sql": "{% do adapter.call_function('refusing.refuse', {}) if execute %}select 1 as id",
            "python_error.py": """
import helper_of_errors

def model(dbt, session):
    return helper_of_errors.fail(dbt)
""",
            "python_spark_error.py": "def model(dbt, session):\n    return session.table('no.such.table')\n",
            "python_rows.py": "def model(dbt, session):\n    return [(1, 2)]\n",
            "python_none.py": "def model(dbt, session):\n    return None\n",
        }

    def test_errors_are_sparks_and_pythons_own_words(self, project, tmp_path):
        write_file("def fail(dbt):\n    return {}['a key']\n", project.project_root, "helper_of_errors.py")
        write_file(REFUSING, project.project_root, "refusing.py")
        cut = tmp_path / "cut.gz"
        cut.write_bytes(gzip.compress(b"text")[:-6])
        results, log = run_dbt_and_capture(["run", "--vars", json.dumps({"cut": f"file:{cut}"})], expect_pass=False)
        message = {result.node.name: result.message for result in results}
        assert "[UNRESOLVED_COLUMN" in message["wrong_column"] and "`nope`" in message["wrong_column"]
        assert "nope as b" in message["wrong_column"] and "^^^^" in message["wrong_column"]
        assert "[DIVIDE_BY_ZERO] Division by zero" in message["division"] and "1 / id" in message["division"]
        names_the_file = "[FAILED_READ_FILE" in message["query"] and f"{cut}" in message["query"]
        assert names_the_file == NAMES_UNREADABLE_FILES
        assert message["refused"].startswith("Runtime Error in model refused (models/refused.sql)")
        assert message["query"].endswith("EOFException: Unexpected end of input stream")
        assert "models/python_error.py, line 5, in model: return helper_of_errors.fail(dbt)" in message["python_error"]
        assert "helper_of_errors.py, line 2, in fail: return {}['a key']" in message["python_error"]
        assert "KeyError: 'a key'" in message["python_error"]
        assert "models/python_spark_error.py, line 2" in message["python_spark_error"]
        assert "[TABLE_OR_VIEW_NOT_FOUND]" in message["python_spark_error"]
        assert "model() returned list; expected a Spark or pandas DataFrame" in message["python_rows"]
        assert "model() returned None" in message["python_none"]
        for text in (*message.values(), log):
            for noise in ("py4j", "at org.apache", "Traceback", "JVM stacktrace", "SQLQueryContextLogger"):
                assert noise not in text

    def test_the_stack_is_in_the_debug_log(self, project, logs_dir):
        log = read_file(logs_dir, "dbt.log")
        assert "Traceback" in log and "at org.apache" in log


class TestKeepUnchanged:
    @pytest.fixture(scope="class")
    def project_config_update(self):
        kept = {"+file_format": "iceberg", "+meta": {"keep_unchanged": True}}
        return {"models": kept, "seeds": kept}

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"numbers.csv": "id\n1\n2\n"}

    @pytest.fixture(scope="class")
    def models(self):
        return {"seen.sql": "select id + {{ var('by', 1) }} as id from {{ ref('numbers') }}"}

    def said(self, *arguments):
        return [result.message for result in run_dbt(["build", *arguments])]

    def test_a_view_and_a_seed_are_made_again_where_they_have_changed(self, project):
        assert self.said() == ["INSERT 2", "OK"]
        before = snapshots(project, "numbers")
        assert self.said() == ["OK unchanged", "OK unchanged"]
        assert snapshots(project, "numbers") == before
        assert self.said("--vars", "{by: 10}") == ["OK unchanged", "OK"]
        assert self.said("--vars", "{by: 10}") == ["OK unchanged", "OK unchanged"]
        write_file("id\n1\n3\n", project.project_root, "seeds", "numbers.csv")
        assert self.said("--vars", "{by: 10}") == ["INSERT 2", "OK unchanged"]
        rows = project.run_sql(f"select id from {project.test_schema}.seen order by id", fetch="all")
        assert [row[0] for row in rows] == [11, 13]

    def test_a_full_refresh_makes_them_again(self, project):
        self.said()
        assert self.said("--full-refresh") == ["CREATE 2", "OK"]

    def test_a_seed_that_is_kept_can_be_shown(self, project):
        self.said()
        _, shown = run_dbt_and_capture(["seed", "--show"])
        assert "Random sample of table" in shown


class TestCatalogWithoutViews:
    """The catalog here has views; it is the answer of the adapter that is another."""

    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"models": {"+file_format": "iceberg", "+meta": {"keep_unchanged": True}}}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "numbers.sql": "{{ config(materialized='incremental') }} select {{ var('one', 1) }} as id"
            "{% if is_incremental() and var('one', 1) == 1 %} where false{% endif %}",
            "seen.sql": "select sum(id) as total from {{ ref('numbers') }}",
            "again.sql": "select total from {{ ref('seen') }}",
        }

    @pytest.fixture(autouse=True)
    def without_views(self, monkeypatch):
        monkeypatch.setattr(SparksessionAdapter, "has_views", lambda _: False)

    def total(self, project, name):
        return project.run_sql(f"select total from {project.test_schema}.{name}", fetch="one")[0]

    def test_a_view_is_a_table_that_is_written_again_where_what_it_reads_has_changed(self, project):
        run_dbt(["run"])
        assert project.run_sql(f"show views in {project.test_schema}", fetch="all") == []
        before = snapshots(project, "seen")
        run_dbt(["run", "--select", "seen", "again"])
        assert snapshots(project, "seen") == before
        run_dbt(["run", "--vars", "{one: 2}"])
        assert (self.total(project, "seen"), self.total(project, "again")) == (3, 3)
        assert snapshots(project, "seen") == before + 1


class TestRelations:
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG

    @pytest.fixture(scope="class")
    def seeds(self):
        return {"texts.csv": "id,text,amount\n1,it's 100% \\ ok,\n2,,2.50\n"}

    @pytest.fixture(scope="class")
    def models(self):
        return {
            "changing.sql": "{{ config(materialized=var('as')) }} select 1 as id",
            "leaves.sql": """
{{ config(pre_hook=['set spark.test.leak = yes', 'create temporary view leak as select 1']) }} select 1 as id
""",
            "finds.py": """
def model(dbt, session):
    dbt.config(materialized="table")
    dbt.ref("leaves")
    found = session.conf.get("spark.test.leak", "no"), session.catalog.tableExists("leak")
    return session.createDataFrame([found], "setting string, view boolean")
""",
        }

    def test_a_relation_changes_between_view_and_table(self, project):
        for kind in ("view", "table", "view", "incremental", "incremental", "view", "table"):
            run_dbt(["run", "--select", "changing", "--vars", json.dumps({"as": kind})])
            relation = relation_from_name(project.adapter, "changing")
            assert project.run_sql(f"select id from {relation}", fetch="one")[0] == 1
            with project.adapter.connection_named("list"):
                project.adapter.cache.clear()
                relations = project.adapter.list_relations(None, project.test_schema)
            kinds = {item.identifier: (str(item.type), item.is_iceberg) for item in relations}
            assert kinds["changing"] == (("view", False) if kind == "view" else ("table", True))

    def test_settings_and_views_of_a_node_do_not_reach_the_next(self, project):
        run_dbt(["run", "--select", "leaves", "finds", "--threads", "1", "--vars", "{as: view}"])
        assert tuple(project.run_sql(f"select * from {project.test_schema}.finds", fetch="one")) == ("no", False)

    def test_seeds_keep_texts_and_nulls(self, project):
        run_dbt(["seed", "--vars", "{as: view}"])
        rows = project.run_sql(f"select * from {project.test_schema}.texts order by id", fetch="all")
        assert [tuple(row) for row in rows] == [(1, "it's 100% \\ ok", None), (2, None, 2.5)]

    def test_a_command_leaves_no_reader_behind(self, project):
        run_dbt(["seed", "--vars", "{as: view}"])
        project.run_sql(f"select max(text) from {project.test_schema}.texts", fetch="one")
        readers = SparkContext._active_spark_context._jvm.org.apache.iceberg.arrow.ArrowAllocation.rootAllocator()
        assert readers.getChildAllocators().size() > 0
        run_dbt(["seed", "--vars", "{as: view}"])
        assert readers.getChildAllocators().size() == 0

    def test_listing_schemas_and_relations_takes_no_statement(self, project):
        with project.adapter.connection_named("list"):
            project.adapter.cache.clear()
            statements = []
            execute = project.adapter.execute
            project.adapter.execute = lambda sql, **kwargs: (statements.append(sql), execute(sql, **kwargs))[1]
            try:
                project.adapter.list_relations(None, project.test_schema)
                schemas = project.adapter.list_schemas(None)
            finally:
                project.adapter.execute = execute
            assert statements == []
            assert project.test_schema in schemas
            shown = project.adapter.execute("show schemas", fetch=True)[1].rows
            assert sorted(schemas) == sorted(row[0] for row in shown)

    def test_a_schema_that_does_not_exist_is_empty(self, project):
        with project.adapter.connection_named("list"):
            assert project.adapter.list_relations(None, "never_made") == []


def test_a_catalog_is_asked_whether_it_can_hold_views(session, tmp_path):
    name = "spark.sql.catalog.no_views"
    for key, value in {
        "": "org.apache.iceberg.spark.SparkCatalog",
        ".type": "jdbc",
        ".uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        ".warehouse": str(tmp_path),
        ".jdbc.schema-version": "V0",
    }.items():
        session.conf.set(f"{name}{key}", value)
    assert has_views(session, "lakehouse")
    assert not has_views(session, "no_views")
