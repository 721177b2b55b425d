"""Made-up tables for the report, as the macro `cdc_report` answers, with names and messages that attack the page."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=timezone.utc)
HOSTILE = "x\"><script>document.title = 'taken'</script>&'`{{ 7 * 7 }}\\n\u202e"
LONG = "a_table_of_an_erp_system_whose_name_does_not_end_before_the_edge_of_a_phone"


def text(minutes: float) -> str:
    return (NOW + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def table(name: str, **words: Any) -> dict[str, Any]:
    names = {"model": f"silver_{name}", "silver_table": f"silver.{name}", "name": name, "source_table": name}
    others = {"feed": "shop", "source_schema": "s", "mode": "current", "description": "", "is_partitioned": False}
    return {**names, **others, "lag_limit_minutes": None, **words}


def run(name: str, minutes: float, **words: Any) -> dict[str, Any]:
    counts = {"changes": 9, "rows_inserted": 4, "rows_updated": 3, "rows_deleted": 2, "rows_total": 1000, "ties": 0}
    files = {"bytes": 5_000_000, "data_files": 2, "delete_files": 1, "deleted_rows": 7, "run_seconds": 1.5}
    times = {"committed_at": text(minutes), "newest_committed_at": text(minutes - 2)}
    return {
        "silver_table": f"silver.{name}",
        "not_applied": 0,
        "rows_quarantined": 0,
        **times,
        **counts,
        **files,
        **words,
    }


def gold_table(name: str, **words: Any) -> dict[str, Any]:
    """A gold table that was refreshed ten minutes ago."""
    refresh = {"way": "affected", "reason": "3 keys; changed keys: 3 of silver_t (bronze)", "keys": 3, "moved": {}}
    times = {"committed_at": text(-10)[:-1], "started_at": text(-11)[:-1]}
    counts = {"rows": 100, "bytes": 2_000_000, "data_files": 1, "delete_files": 1}
    names = {"model": name, "gold_table": f"gold.{name}", "description": "", "is_built": True}
    return {**names, **refresh, **times, **counts, **words}


def incident(kind: str, name: str, minutes: float = -60, **words: Any) -> dict[str, Any]:
    others = {"message": f"{kind} of {name}", "command": "dbt build", "opened_at": text(minutes)}
    return {"kind": kind, "subject": name, "silver_table": f"silver.{name}", **others, **words}


def expectations(name: str, met: int = 3, *not_met: dict[str, Any]) -> dict[str, Any]:
    return {"silver_table": f"silver.{name}", "run_at": text(-5), "met": met, "not_met": list(not_met)}


def answer(**words: Any) -> dict[str, Any]:
    return {
        "tables": [],
        "runs": [],
        "incidents": [],
        "checks": [],
        "rejected": [],
        "expectations": [],
        "gaps": [],
        "topics": [],
        "gold": [],
        **words,
    }


def many(number: int, runs: int = 30) -> dict[str, Any]:
    """So many tables: some fail, some never ran, some have names that attack the page."""
    names = [f"shop__t{at}" for at in range(number)]
    for at, name in ((1, HOSTILE), (2, LONG)):
        if at < number:
            names[at] = name
    tables = [table(name, lag_limit_minutes=1 if at == 3 else None) for at, name in enumerate(names)]
    rows = [
        run(name, -15 * (runs - at), rows_inserted=10**6 if at == 0 else at, run_seconds=1 + at % 3)
        for number, name in enumerate(names)
        if number != 4
        for at in range(runs)
    ]
    hostile = HOSTILE if number > 1 else names[0] if names else ""
    incidents = [incident("failure", hostile, message=f"Runtime Error {HOSTILE}\n  in model", command=f"dbt {HOSTILE}")]
    unmet = {"severity": "warn", "column_name": HOSTILE, "expectation": "expect_x", "observed_value": f"1 of {LONG}"}
    judged = [expectations(hostile, 3, unmet)] if number else []
    return answer(tables=tables, runs=rows, incidents=incidents if number else [], expectations=judged)
