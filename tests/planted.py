"""Do the generators notice when a fix is taken out? Each fault is planted in a clone, and its generator has to fail.

`make prove-faults` plants all of them; FAULT="lost listing" those whose name has these words, SEED=7 draws other
histories. A generator that passes with its fault in it proves nothing of that rule. If a text is gone, the command
stops: the fault moves with the code.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HISTORIES = "tests/e2e/test_histories.py"
FOLDS = "tests/e2e/test_silver_folds.py"
TOPICS = "tests/real/test_kafka_histories.py"
LOGS = "tests/unit/macros/test_messages_on_spark.py"
LOST_STATE = "tests/e2e/test_lost_state.py"
FILES = "tests/adapter/test_read_files.py"
# Rounds of histories that lose `raw_listing` (draw_losses), and whose reloads have rows without a key, or files that
# nobody can read, for good.
LOSES_LISTING = "1"
HAS_KEYLESS_LOADS, HAS_BROKEN_LOADS = "16", "17"
# A table whose load file came again as it was, in a landing area that has all content in the end.
COPIES_A_LOAD = "24"
# A table one of whose files has no key column, and one a codec that is missing.
HAS_ODD_FILES = "72"


@dataclass(frozen=True)
class Fault:
    """A fix that is taken out: in each file a text becomes another, and pytest's arguments name what has to fail."""

    edits: Sequence[tuple[str, str, str]]
    generator: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


def _histories(*tables: str, seed: str = "") -> tuple[Sequence[str], Mapping[str, str]]:
    return (HISTORIES,), {"TABLES": ",".join(tables), "N": "400"} | ({"SEED": seed} if seed else {})


SILVER = "macros/silver/current/cdc_silver_sql.sql"
READ = "adapter/spark_files/read_files.py"
LOG = "python_udfs/connectors/source_log.py"
PLAN = "python_udfs/gold/plan.py"
FROZEN = "tests/unit/gold/test_gold_frozen_histories.py"
FAULTS = {
    "a row of gold is final before its last refresh": Fault(
        [(PLAN, 'freeze if freeze == last_freeze else f"({last_freeze}) and ({freeze})"', "freeze")],
        (FROZEN, "-k", "stay_or_move"),
    ),
    "frozen rows do not follow their spine": Fault(
        [("macros/gold/cdc_gold_thawed_sql.sql", "{%- if frozen.spine_keys.view %}", "{%- if false %}")],
        (FROZEN, "-k", "stay_or_move"),
    ),
    "an optional side that decides a key of gold is cut": Fault(
        [("python_udfs/gold/model.py", "optional = block.find_optional(key)", "optional = set()")],
        ("tests/unit/gold/test_gold_shapes.py", "-k", "recomputation"),
    ),
    "a snapshot of an input is read that nothing names": Fault(
        [("macros/gold/cdc_gold_states_sql.sql", "{%- if input.input.is_named(state, text) -%}", "{%- if true -%}")],
        ("tests/e2e/test_maintenance.py", "-k", "gold_stays"),
    ),
    "the range of a column of a key is that of another one": Fault(
        [
            (
                "macros/gold/cdc_gold_has_key_sql.sql",
                "{%- for column in key %}\n{%- if column in keys.ranges %}",
                "{%- for column in key if column in keys.ranges %}\n{%- if true %}",
            )
        ],
        ("tests/unit/gold/test_gold_shapes.py", "-k", "recomputation"),
    ),
    "days that no run saw move no row": Fault(
        [(PLAN, "for each in list_days(last_day, day)]", "for each in (last_day, day)]")],
        (FROZEN, "-k", "stay_or_move"),
    ),
    "a delete is judged by its whole row": Fault(
        [
            (
                "macros/bronze/rows/cdc_ruled_sql.sql",
                "if(_cdc_operation <=> 'D', _cdc_key_failures, concat(_cdc_key_failures, _cdc_other_failures))",
                "concat(_cdc_key_failures, _cdc_other_failures)",
            )
        ],
        *_histories("hard_csv"),
    ),
    "the image of a delete is that of a row that stays": Fault(
        [
            (SILVER, "if(_cdc_operation <> 'D', struct(*), null)", "struct(*)"),
            (SILVER, "filter (where _cdc_operation <> 'D')", ""),
        ],
        *_histories("soft_parquet"),
    ),
    "messages of one position are ordered by a hash": Fault(
        [("macros/order/cdc_message_place_sql.sql", "_cdc_offset is null", "true")], (TOPICS,)
    ),
    "a log that began again is not seen": Fault(
        [(LOG, '"began_again": "true" if went_back else None', '"began_again": None')], (LOGS, "-k", "random_logs")
    ),
    "a second snapshot is not seen": Fault(
        [(LOG, '"after changes" if is_after else ', "")], (LOGS, "-k", "random_logs")
    ),
    "a reload with rows in quarantine is complete": Fault(
        [
            (
                "macros/bronze/rows/cdc_reload_rows_sql.sql",
                "if(ended.reason is null and first.row_count is null, null, 'incomplete_reload')",
                "if(ended.reason is null, null, 'incomplete_reload')",
            )
        ],
        *_histories("hard_csv", "history_csv", seed=HAS_KEYLESS_LOADS),
    ),
    "a reload with a file that nobody could read is complete": Fault(
        [
            (
                "macros/bronze/reloads/cdc_unread_loads_sql.sql",
                "failed.rule = 'unreadable'",
                "false",
            )
        ],
        *_histories("hard_parquet", seed=HAS_BROKEN_LOADS),
    ),
    "before images are not read under an old name of the key": Fault(
        [
            (
                "python_udfs/pipeline/columns.py",
                "image for name in list_names_in_files(cdc, column.name) for image in",
                "image for name in [column.name.lower()] for image in",
            )
        ],
        (HISTORIES,),
        {"TABLES": "hard_parquet", "N": "1500", "SEED": "5"},
    ),
    "a load file that came again stays out of a bronze that is read again": Fault(
        [
            (
                "macros/bronze/reloads/cdc_generation_files_sql.sql",
                "coalesce(counted.file_key, repeated.file_key) is not null",
                "counted.file_key is not null",
            )
        ],
        (HISTORIES,),
        {"TABLES": "history_parquet", "N": "220", "SEED": COPIES_A_LOAD},
    ),
    "a row of before a truncate is not written again": Fault(
        [
            (
                "python_udfs/pipeline/silver_rows.py",
                "    if changes.reset_point:\n        # Its row",
                "    if False:\n        # Its row",
            )
        ],
        (FOLDS, "-k", "is_the_fold and soft_skip_in_order"),
    ),
    "a lost listing does not come back": Fault(
        [
            (
                "python_udfs/landing/full_listings.py",
                "if files is not None and readers and has_lost_versions",
                "if False and has_lost_versions",
            )
        ],
        *_histories("hard_parquet", "append_parquet", seed=LOSES_LISTING),
    ),
    "lost rejections are not noticed": Fault(
        [
            (
                "python_udfs/pipeline/bronze.py",
                "if recorded and not is_reread and rejected_count < recorded:",
                "if False:",
            )
        ],
        (LOST_STATE, "-k", "rejected_files"),
    ),
    "rows of one sequence have no order": Fault(
        [("macros/order/cdc_row_order_sql.sql", "{{ sequence }}, -{{ batch_id }}", "{{ sequence }}")],
        (FOLDS, "-k", "hard or soft"),
        {"PROVE": "1"},
    ),
    "an alias is the name of a column": Fault(
        [("macros/silver/delta/cdc_bronze_range_sql.sql", "_cdc_log", "log")], *_histories("hard_parquet")
    ),
    "a name is indented with its statement": Fault(
        [
            (
                "adapter/dbt/adapters/sparksession/quoting.py",
                "return _TO_MARK.sub(",
                "return names.quoted(name) or _TO_MARK.sub(",
            )
        ],
        *_histories("hard_parquet"),
    ),
    "a file without a key column stops its table": Fault(
        [(READ, "        _check_key(schema, key)\n", "")], *_histories("hard_parquet", seed=HAS_ODD_FILES)
    ),
    "a file with a codec that is missing stops its table": Fault(
        [("adapter/spark_files/errors.py", "any(name == _NO_CODEC for", "any(False for")],
        *_histories("hard_parquet", seed=HAS_ODD_FILES),
    ),
    "a file with fields of one name stops its table": Fault(
        [(READ, "            _check_fields(stored)\n", "")], (FILES, "-k", "cannot_be_planned")
    ),
    "the name of a table is that of a folder": Fault(
        [
            (
                "adapter/dbt/adapters/sparksession/snapshots.py",
                '"write.object-storage.enabled": "true"',
                '"write.object-storage.enabled": "false"',
            )
        ],
        *_histories("soft_transactions"),
    ),
}


def plant(clone: Path, fault: Fault) -> None:
    """Takes a fix out of a clone.

    Raises:
        ValueError: a text that the fault replaces is not there.
    """
    for name, text, by in fault.edits:
        path = clone / name
        content = path.read_text()
        if text not in content:
            raise ValueError(f"{name} has no {text!r}: state the fault in today's words.")
        path.write_text(content.replace(text, by))


def run(clone: Path, fault: Fault, log: Path) -> bool:
    """Whether the generator of a fault fails."""
    environment = {**os.environ, "VIRTUAL_ENV": str(clone / ".venv"), **fault.environment}
    environment["PATH"] = f"{clone / '.venv/bin'}{os.pathsep}{environment['PATH']}"
    command = ["python", "-m", "pytest", "-q", "-x", "--disable-warnings", "--timeout=0", *fault.generator]
    with log.open("w") as output:
        done = subprocess.run(command, cwd=clone, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"pytest ended with {done.returncode}: {log}")
    return done.returncode == 1


def first_failure(log: Path) -> str:
    """Pytest's message about the first failure."""
    lines = [line for line in log.read_text().splitlines() if line.startswith(("E  ", "FAILED"))]
    return lines[0][:150].removeprefix("E").strip() if lines else ""


def main() -> int:
    words = os.environ.get("FAULT", "").split()
    chosen = {name: fault for name, fault in FAULTS.items() if all(word in name for word in words)}
    if not chosen:
        print(f"No fault has the words {' '.join(words)!r} in its name. There are:", *FAULTS, sep="\n  ")
        return 1
    root = Path(tempfile.mkdtemp(prefix="planted-"))
    clone, unnoticed = root / "clone", []
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)], check=True)
    subprocess.run(["make", "--silent", "setup"], cwd=clone, check=True, stdout=subprocess.DEVNULL)
    for number, (name, fault) in enumerate(chosen.items(), start=1):
        began, log = time.monotonic(), root / f"{number}.log"
        plant(clone, fault)
        is_noticed = run(clone, fault, log)
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=clone, check=True)
        unnoticed += [] if is_noticed else [name]
        outcome = f"noticed: {first_failure(log)}" if is_noticed else f"NOT NOTICED ({log})"
        print(f"{number} of {len(chosen)}: {name}: {outcome} [{time.monotonic() - began:.0f} s]", flush=True)
    print(f"{len(chosen) - len(unnoticed)} of {len(chosen)} faults are noticed.")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
