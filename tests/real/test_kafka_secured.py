"""A broker that asks for TLS, SCRAM or a client's certificate: to silver, and what is said where one is wrong.

Part of `make prove`: eleven feeds and a broker of its own take more than a minute.
"""

from __future__ import annotations

from pathlib import Path

import broker as servers
import capture
import pytest
from certificates import Authority
from processes import ServerError
from test_kafka_to_silver import add_feed, land, message

from python_udfs.kafka import read as reading
from python_udfs.kafka.cluster import Cluster
from tests.proof import proof_only

pytestmark = proof_only
PASSWORD, KEY_PASSWORD, WRONG = 'pa"ss wörd$', "key-5ecret", "wr0ng-5ecret"
SCRAM = "kafka.security.protocol=SASL_SSL;kafka.sasl.mechanism=SCRAM-SHA-512;kafka.sasl.username=reader"
GOOD = ("tls", "scram", "mutual")
# Feed, and what its error has to say.
TROUBLES = {
    "password": "invalid credentials with SASL mechanism SCRAM-SHA-512",
    "authority": "broker certificate could not be verified",
    "plain_port": "connecting to a PLAINTEXT broker listener?",
    "tls_port": "if the port asks for TLS or a login, set kafka.security.protocol",
    "no_certificate": "bad certificate",
    "no_file": "ssl.ca.location failed",
    "key": "Nothing of them is in the table",
    "no_variable": "environment variables are missing: NO_SUCH_SECRET",
}


@pytest.fixture(scope="module")
def authority(tmp_path_factory) -> Authority:
    try:
        return Authority(tmp_path_factory.mktemp("authority"))
    except ServerError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="module")
def secured(authority, tmp_path_factory):
    """A broker with a listener for each way to come in."""
    tls = {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(authority.sign("broker"))}
    trust = {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(authority.certificate)}
    scram = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
    listeners = {
        "TLS": {"protocol": "SSL", **tls},
        "SCRAM": {
            "protocol": "SASL_SSL", **tls,
            "sasl.enabled.mechanisms": "SCRAM-SHA-512", "scram-sha-512.sasl.jaas.config": scram,
        },
        "MUTUAL": {"protocol": "SSL", **tls, **trust, "ssl.client.auth": "required"},
    }  # fmt: skip
    with servers.started(capture.java_program(), tmp_path_factory.mktemp("secured"), listeners=listeners) as broker:
        broker.add_scram_user("reader", PASSWORD)
        yield broker


@pytest.fixture(scope="module")
def built(shared_lakehouse, secured, authority, tmp_path_factory):
    """A run of feeds that come in, of feeds that do not, and of a feed of files: message and status by node."""
    lakehouse, patch = shared_lakehouse, pytest.MonkeyPatch()
    lakehouse.clear()
    stranger = Authority(tmp_path_factory.mktemp("stranger"))
    trust = "kafka.ssl.truststore.type=PEM;kafka.ssl.truststore.location="
    trusted, tls = f"{trust}{authority.certificate}", f"kafka.security.protocol=SSL;{trust}"
    scram = f"{SCRAM};kafka.sasl.password=env:"
    client = authority.sign("client", KEY_PASSWORD)
    modern = authority.sign("modern", KEY_PASSWORD, "-v2", "aes-256-cbc")
    key = "kafka.ssl.key.password=env:KEY_SECRET;kafka.ssl.keystore.type=PEM;kafka.ssl.keystore.location="
    mutual = f"{tls}{authority.certificate};{key}"
    feeds = {
        "tls": ("TLS", f"{tls}{authority.certificate}"),
        "scram": ("SCRAM", f"{scram}KAFKA_SECRET;{trusted}"),
        "mutual": ("MUTUAL", f"{mutual}{client}"),
        "password": ("SCRAM", f"{scram}KAFKA_WRONG;{trusted}"),
        "authority": ("TLS", f"{tls}{stranger.certificate}"),
        "plain_port": ("", f"{scram}KAFKA_SECRET;{trusted}"),
        "tls_port": ("TLS", ""),
        "no_certificate": ("MUTUAL", f"{tls}{authority.certificate}"),
        # librdkafka reads this key, Java 17 does not.
        "key": ("MUTUAL", f"{mutual}{modern}"),
        "no_file": ("TLS", f"{tls}{authority.certificate}.gone"),
        "no_variable": ("SCRAM", f"{scram}NO_SUCH_SECRET;{trusted}"),
    }
    for feed, (listener, options) in feeds.items():
        topic = f"secured.{feed}"
        secured.create(topic)
        secured.send(topic, message(feed, 1, "a", 1))
        add_feed(lakehouse, secured, feed, "maxwell", f"topics={topic}", options)
        if listener:
            lakehouse.rows["cdc_feeds.csv"][-1]["location"] = f"kafka://{secured.at[listener]}"
        lakehouse.add_table(feed, feed, columns="id int, v string, w string")
    lakehouse.add_feed("files", "json", connector="maxwell")
    lakehouse.add_table("files", "landed", columns="id int, v string, w string")
    land(lakehouse, "one", message("landed", 1, "a", 1))
    lakehouse.make_models()
    for name, value in (("KAFKA_SECRET", PASSWORD), ("KAFKA_WRONG", WRONG), ("KEY_SECRET", KEY_PASSWORD)):
        patch.setenv(name, value)
    patch.setattr(reading, "Cluster", lambda feed, kafka: Cluster(feed, kafka, seconds=4))
    lakehouse.dbt("seed")
    outcome = lakehouse.dbt("run", "--exclude", "path:models/etl_metadata,config.materialized:view", "run_metrics")
    patch.undo()
    said = list(lakehouse.messages)
    return {result.node.name: result for result in outcome.result.results}, said


@pytest.mark.parametrize("feed", GOOD)
def test_messages_come_to_silver(shared_lakehouse, built, feed):
    assert shared_lakehouse.table(feed, "id, v") == [(1, "a")], built[0][f"split_{feed}"].message


@pytest.mark.parametrize("feed", TROUBLES)
def test_what_keeps_a_client_out_is_said(secured, built, feed):
    split = built[0][f"split_{feed}"]
    assert str(split.status) == "error"
    assert (
        any(where in split.message for where in (f"(feed {feed})", f"(split_{feed})"))
        and "Traceback" not in split.message
    )
    assert split.message.count(TROUBLES[feed]) == 1, "once, however often the client tries"
    assert str(built[0][f"silver_s__{feed}"].status) == "skipped"


def test_a_client_that_is_kept_out_stops_no_other_feed(shared_lakehouse, built):
    assert shared_lakehouse.table("landed", "id, v") == [(1, "a")]


def test_no_password_is_in_any_output(shared_lakehouse, built):
    logs = [path.read_text(errors="replace") for path in Path(shared_lakehouse.project, "logs").glob("*.log*")]
    assert logs
    for text in (*built[1], *logs):
        for secret in (PASSWORD, WRONG, KEY_PASSWORD):
            assert secret not in text
