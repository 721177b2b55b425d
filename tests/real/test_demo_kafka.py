"""Requirements of `make demo-kafka` before it starts a server."""

from __future__ import annotations

from demo_kafka import project_of


def test_the_project_of_the_demonstration_has_the_tables_of_its_feed_alone(tmp_path):
    project = project_of(tmp_path, "broker.example:9092")
    models = {path.name for path in (project / "models" / "silver").rglob("silver_*.sql")}
    assert models == {"silver_test_db__product.sql", "silver_test_db__user.sql", "silver_test_db__user_order.sql"}
    assert "kafka://broker.example:9092" in (project / "seeds" / "cdc_feeds.csv").read_text()
