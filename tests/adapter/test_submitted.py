"""Settings of the profile where spark-submit has started Java: a Java that Python starts is started by it, too."""

from __future__ import annotations

from pyspark import SparkConf

from dbt.adapters.sparksession.submitted import beside_spark_submit


def test_settings_of_the_start_are_left_to_spark_submit_and_those_of_the_project_are_not(session):
    assert SparkConf().contains("spark.master")
    profile = {
        "spark.master": "yarn",  # given
        "spark.sql.extensions": "given, and the project's",
        "spark.executor.memory": "not given",
        "spark.driver.memory": "too late",
        "spark.jars.packages": "too late",
        "spark.submit.deployMode": "too late",
    }
    left = beside_spark_submit(profile)
    assert left.keys() == {"spark.sql.extensions", "spark.executor.memory"}
