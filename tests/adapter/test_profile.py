"""The profile: every mistake is reported at once and in words. No Spark."""

from __future__ import annotations

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.sparksession.credentials import SparksessionCredentials


def load(**data):
    SparksessionCredentials.validate(data)
    return SparksessionCredentials.from_dict(data)


def test_all_mistakes_are_reported_together():
    with pytest.raises(DbtRuntimeError) as raised:
        load(
            host="somewhere",
            database="other",
            app_name=3,
            config={"master": "local", "spark.x": [1]},
            create_directories="data",
            lock_file=7,
            operations_beside="maintain",
            operations_reading=[""],
            python_packages=7,
            variables={"MASTER": "spark://host"},
        )
    message = str(raised.value)
    for mistake in (
        "unknown key 'host'; accepted: schema, app_name, config, create_directories, lock_file, operations_beside,",
        "python_packages is 7; expected a list of importable packages",
        "variables is {'MASTER': 'spark://host'}; expected value, pattern and expected for each name",
        "database is 'other'; leave it out",
        "schema is None; expected the name",
        "app_name is 3; expected a text",
        "config key 'master' does not start with 'spark.'",
        "config 'spark.x' is [1]; expected a text, number or true/false",
        "create_directories is 'data'; expected a list",
        "lock_file is 7; expected the path of a local file",
        "operations_beside is 'maintain'; expected a list of macros",
        "operations_reading is ['']; expected a list of macros",
    ):
        assert mistake in message


def test_a_configuration_that_is_no_mapping_is_reported():
    with pytest.raises(DbtRuntimeError, match=r"config is 'spark\.master=local'; expected a mapping"):
        load(schema="a", config="spark.master=local")


def test_every_variable_that_is_missing_or_wrong_is_reported_and_no_secret_is_shown():
    def rule(value, pattern="spark://.+"):
        return {"value": value, "pattern": pattern, "expected": "spark://host:7077"}

    variables = {
        "UNSET": rule(""), "WRONG": rule("yarn"), "A_SECRET": rule("hidden"), "RIGHT": rule("spark://h"),
        "OPTIONAL": rule("", "|spark://.+"), "SET": rule(3, "[0-9]+"),
    }  # fmt: skip
    with pytest.raises(DbtRuntimeError) as raised:
        load(schema="a", variables=variables, app_name=3)
    assert str(raised.value).splitlines()[-4:] == [
        "    - app_name is 3; expected a text",
        "    - the environment variable UNSET is not set; expected spark://host:7077",
        "    - the environment variable WRONG is 'yarn'; expected spark://host:7077",
        "    - the environment variable A_SECRET is of another form; expected spark://host:7077",
    ]


def test_a_setting_whose_variable_is_not_set_is_left_out():
    assert load(schema="a", config={"spark.a": "", "spark.b": "0", "spark.c": False}).config == {
        "spark.b": "0",
        "spark.c": "false",
    }


def test_the_smallest_profile_is_accepted():
    credentials = load(schema="analytics")
    assert (credentials.schema, credentials.database, credentials.config) == ("analytics", None, {})


def test_values_reach_spark_as_text():
    credentials = load(schema="a", threads=4, config={"spark.a": True, "spark.b": 4, "spark.c": "text"})
    assert credentials.config == {"spark.a": "true", "spark.b": "4", "spark.c": "text"}


def test_the_project_root_is_put_into_configuration_and_directories():
    credentials = load(
        schema="a",
        config={"spark.a": "jdbc:{project_root}/x?y"},
        create_directories=["{project_root}/data", "/abs"],
        lock_file="{project_root}/.lock",
    ).resolved("/home/me/project")
    assert credentials.lock_file == "/home/me/project/.lock"
    assert credentials.config == {"spark.a": "jdbc:/home/me/project/x?y"}
    assert credentials.create_directories == ["/home/me/project/data", "/abs"]


def test_a_warehouse_on_this_machine_has_a_scheme():
    written = ["{project_root}/data", "/abs dir", "s3://bucket/prefix", "lake", "file:///abs"]
    names = [f"spark.sql.catalog.c{number}.warehouse" for number in range(len(written))]
    others = {"spark.sql.warehouse.dir": "/spark", "spark.sql.catalog.c.table-default.warehouse": "/a"}
    config = load(schema="a", config=dict(zip(names, written, strict=True)) | others).resolved("/home/me").config
    locations = ["file:///home/me/data", "file:///abs dir", "s3://bucket/prefix", "lake", "file:///abs"]
    assert config == dict(zip(names, locations, strict=True)) | others


def test_an_operation_that_runs_beside_others_has_a_lock_of_its_own():
    credentials = load(schema="a", lock_file="/w/.lock", operations_beside=["maintain"])
    assert credentials.lock_file_of("") == credentials.lock_file_of("run_query") == "/w/.lock"
    assert credentials.lock_file_of("maintain") == credentials.lock_file_of("project.maintain") == "/w/.lock.maintain"
    assert load(schema="a", operations_beside=["maintain"]).lock_file_of("maintain") == ""
    reading = load(schema="a", lock_file="/w/.lock", operations_reading=["cdc_report"])
    assert (reading.lock_file_of("cdc_report"), reading.lock_file_of("")) == ("", "/w/.lock")


def test_dbt_prints_no_configuration_because_it_may_hold_secrets():
    shown = dict(load(schema="a", config={"spark.token": "secret"}).connection_info())
    assert shown == {"schema": "a", "app_name": "dbt", "create_directories": []}
