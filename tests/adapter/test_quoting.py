"""Names and values reach Spark as they are, and come back as they are."""

from __future__ import annotations

import time
from datetime import date

import jinja2
import pytest

from dbt.adapters.sparksession.connections import SessionHandle
from dbt.adapters.sparksession.quoting import literal, quoted

# Each end of a line that Python knows; characters that quote, escape or comment; the marks of this project itself.
NAMES = (
    *("a\nb", "a\r\nb", "\n", "a\rb", "a\x0bb", "a\x0cb", "a\x1cb", "a\x1db", "a\x1eb", "a\x85b", "a\u2028b"),
    *(
        "a\u2029b",
        "back`tick",
        "`",
        "``",
        "dot.ted",
        "it's",
        'say "x"',
        "back\\slash",
        "a\\nb",
        "a\\",
        "\\u0041",
        "100%",
    ),
    *(
        "%s",
        "_%",
        " before",
        "after ",
        "tab\t",
        "ä€𝄞",
        "zero\u200bwidth",
        "a;b",
        "a -- b",
        "/* a */",
        "{{ a }}",
        "{% a %}",
    ),
    *("{# a #}", "${env:HOME}", "${spark.app.name}", "\ue000", "\ue000000a\ue000", "a\0b"),
)


@pytest.fixture
def handle(pool):
    handle = SessionHandle(pool, "test")
    yield handle
    handle.close()


def test_a_name_or_value_survives_what_handles_a_statement_by_its_lines(handle):
    values = [f"{literal(name)} as {quoted(name)}" for name in NAMES]
    template = jinja2.Template("select * from (\n    {{ sql | indent(4) }}\n)")
    handle.execute(template.render(sql="select\n    " + ",\n    ".join(values)))
    assert [name for name, *_ in handle.description] == list(NAMES)
    assert tuple(handle.fetchone()) == NAMES


def test_days_and_times_that_python_has_not_are_fetched_as_spark_writes_them(handle):
    day, other = "cast('+10000-01-01' as date)", "cast('-0044-03-15' as date)"
    handle.execute(
        f"select {day} as a, {other} as b, date '2024-02-29' as c, 1 as a, array({day}) as `d.e`,"
        " cast('+10000-01-01 12:00:00' as timestamp_ntz) as f"
    )
    row = ("+10000-01-01", "-0044-03-15", "2024-02-29", 1, "[+10000-01-01]", "+10000-01-01 12:00:00")
    assert tuple(handle.fetchone()) == row
    assert [tuple(row) for row in handle.fetchmany(5)] == [row]
    assert [name for name, *_ in handle.description] == ["a", "b", "c", "a", "d.e", "f"]
    handle.execute("select date '2024-02-29' as c")
    assert tuple(handle.fetchone()) == (date(2024, 2, 29),), "what Python has stays a day"


def test_postgresqls_infinity_is_fetched_in_a_zone_behind_utc(handle, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        handle.execute("select timestamp '0001-01-01 00:00:00Z' as at, 1 as id")
        # Spark writes it in the zone of its session.
        assert tuple(handle.fetchone()) == ("0001-01-01 00:00:00", 1)
    finally:
        monkeypatch.undo()
        time.tzset()
