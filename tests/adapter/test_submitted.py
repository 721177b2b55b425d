"""Settings of the profile where spark-submit has started Java."""

from __future__ import annotations

from dbt.adapters.sparksession.submitted import beside_spark_submit


def test_settings_of_the_start_are_left_to_spark_submit_and_those_of_the_project_are_not(session):
    # spark-submit passes its arguments to Java, as this.
    properties = session._jvm.java.lang.System
    given = ("spark.given", "spark.sql.given")
    for name in given:
        properties.setProperty(name, "by spark-submit")
    try:
        profile = {
            "spark.given": "",
            "spark.sql.given": "the project's all the same",
            "spark.not.given": "",
            "spark.driver.memory": "too late",
            "spark.jars.packages": "too late",
            "spark.submit.deployMode": "too late",
        }
        assert beside_spark_submit(profile).keys() == {"spark.sql.given", "spark.not.given"}
    finally:
        for name in given:
            properties.clearProperty(name)
