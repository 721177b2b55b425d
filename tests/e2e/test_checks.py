"""Data tests read what changed since they passed: which planted fault they find, and how they come to read all."""

from __future__ import annotations

import os
import shutil

import pytest

from dbt.adapters.sparksession import snapshots
from tests.e2e.stories import Story, change
from tests.proof import IS_PROOF

TABLES = {
    "c_hard": {},
    "c_soft": {"delete_mode": "soft"},
    "c_life": {"mode": "history"},
    "c_skip": {"unchanged_rows": "skip"},
}
RECORDED = "select silver_table, snapshot_id, compared_at from etl_metadata.silver_checks order by 1"
FULL = ["--vars", "cdc_compare_days: 0"]
# The data tests of silver; all others judge files and seeds.
OURS = ("test", "--select", "silver", "only_this_project_writes_silver", "no_update_of_an_unknown_key")
ACCOUNT = (
    "every_raw_file_is_accounted_for",
    "every_raw_folder_has_a_table",
    "no_raw_file_vanished",
    "no_stale_load_file",
)


@pytest.fixture(scope="module")
def stories(empty_lakehouse):
    empty_lakehouse.add_feed("checks", "parquet", "timestamp_column=ts")
    for name, cells in TABLES.items():
        empty_lakehouse.add_table("checks", name, **cells)
    empty_lakehouse.make_models()
    stories = {name: Story(empty_lakehouse.raw / "checks", name) for name in TABLES}
    for story in stories.values():
        story.load(0, *({"id": number, "v": "a", "w": "x"} for number in range(1, 9)))
    assert set(empty_lakehouse.build().values()) <= {"success", "pass"}
    return stories


@pytest.fixture(scope="module")
def lakehouse(empty_lakehouse, stories):
    """Compared in full after the load, then a step further."""
    for story in stories.values():
        story.changes(5, change("U", 5, id=1, v="b", w="y"), change("D", 5, id=2), change("I", 5, id=9, v="n", w="n"))
    empty_lakehouse.loaded = recorded(empty_lakehouse)
    assert set(empty_lakehouse.build().values()) <= {"success", "pass"}
    return empty_lakehouse


def recorded(lakehouse) -> dict[str, tuple]:
    return {row[0].partition("__")[2]: tuple(row[1:]) for row in lakehouse.sql(RECORDED)}


def failed(statuses: dict[str, str]) -> set[str]:
    return {name.removesuffix("_") for name, status in statuses.items() if status in ("fail", "warn")}


def test_a_step_is_compared_and_recorded(lakehouse):
    after = recorded(lakehouse)
    assert after.keys() == TABLES.keys() == lakehouse.loaded.keys()
    for name, (snapshot, compared_at) in after.items():
        before = lakehouse.loaded[name]
        assert snapshot != before[0], name
        assert compared_at == before[1], f"{name}: a step is no full comparison"


def test_a_step_is_compared_where_the_model_of_the_records_never_ran(lakehouse):
    lakehouse.sql("drop table etl_metadata.silver_checks")
    depths = []
    for _ in range(2):
        lakehouse.statuses("test", "--select", "silver_s__c_hard")
        depths.append(recorded(lakehouse))
    [first], [second] = (list(depth) for depth in depths)
    assert first == second == "c_hard"
    assert depths[0] == depths[1], "nothing has changed since the first comparison"
    assert set(lakehouse.build().values()) <= {"success", "pass"}
    assert recorded(lakehouse).keys() == TABLES.keys()


def test_nothing_new_asks_nothing_and_writes_nothing(lakehouse):
    tables = ("etl_metadata.silver_checks", "etl_metadata.run_metrics")
    before = [lakehouse.snapshots(table) for table in tables]
    outcome = lakehouse.dbt("build")
    answers = {result.node.name: result.adapter_response for result in outcome.result.results}
    for name in (*ACCOUNT, *(f"silver_matches_bronze_silver_s__{name}_" for name in TABLES)):
        assert answers[name]["_message"] == "OK nothing to ask", name
    assert [lakehouse.snapshots(table) for table in tables] == before


def test_all_is_compared_on_demand(lakehouse):
    before = recorded(lakehouse)
    lakehouse.statuses("test", "--select", "test_name:silver_matches_bronze", *FULL)
    for name, (_, compared_at) in recorded(lakehouse).items():
        assert compared_at > before[name][1]


BY_OTHERS = {
    "c_hard": "update {0} set v = 'planted' where id = 5",
    "c_soft": "delete from {0} where id = 5",
    "c_life": "update {0} set v = 'planted' where id = 5",
    "c_skip": "insert into {0} select * from {0} where id = 5",
}


def test_another_writer_is_found_and_so_is_what_it_changed(lakehouse):
    before = {name: lakehouse.snapshots(f"silver.s__{name}")[-1] for name in TABLES}
    for name, statement in BY_OTHERS.items():
        lakehouse.sql(statement.format(f"silver.s__{name}"))
    compared = {f"silver_matches_bronze_silver_s__{name}" for name in TABLES}
    for _ in range(2):  # found again: what differs is not recorded
        failures = failed(lakehouse.statuses(*OURS))
        assert failures >= {"only_this_project_writes_silver", "one_row_per_key_silver_s__c_skip", *compared}
    for name, snapshot in before.items():
        lakehouse.sql(f"call system.rollback_to_snapshot('silver.s__{name}', {snapshot})")
    assert not failed(lakehouse.statuses(*OURS))


def test_another_writer_that_changes_nothing_is_found_once(lakehouse):
    lakehouse.sql("insert into silver.s__c_hard select * from silver.s__c_hard where id = -1")
    assert failed(lakehouse.statuses(*OURS)) == {"only_this_project_writes_silver"}
    assert not failed(lakehouse.statuses(*OURS))


def test_a_comparison_that_failed_or_could_not_run_or_was_skipped_records_nothing(lakehouse, stories):
    for minutes, story in enumerate(stories.values(), start=6):
        story.changes(minutes, change("U", minutes, id=3, v="r", w="r"))
    faults = {
        "macros/comparison/cdc_newest_step_sql.sql": ("with log as", "with log as nothing,"),
        "models/silver/s/silver_s__c_life.sql": (
            "select *",
            "{% if execute %}{{ exceptions.raise_compiler_error('planted') }}{% endif %}\nselect *",
        ),
    }
    before = recorded(lakehouse)
    whole = {lakehouse.project / path: (lakehouse.project / path).read_text() for path in faults}
    try:
        for path, (text, by) in zip(whole, faults.values(), strict=True):
            assert text in whole[path]
            path.write_text(whole[path].replace(text, by, 1))
        assert "error" not in lakehouse.statuses("run", "--exclude", "silver_s__c_life").values()
        lakehouse.sql("update silver.s__c_skip set v = 'planted' where id = 3")
        statuses = lakehouse.statuses("build", "--select", "silver_s__c_life+", "test_name:silver_matches_bronze")
    finally:
        for path, text in whole.items():
            path.write_text(text)
    compared = {name: statuses[f"silver_matches_bronze_silver_s__{name}_"] for name in TABLES}
    assert compared == {"c_hard": "error", "c_soft": "pass", "c_life": "skipped", "c_skip": "fail"}
    after = recorded(lakehouse)
    assert {name for name in TABLES if after[name] != before[name]} == {"c_soft"}
    planted = lakehouse.snapshots("silver.s__c_skip")[-2]
    lakehouse.sql(f"call system.rollback_to_snapshot('silver.s__c_skip', {planted})")
    assert not failed(lakehouse.run_and_test(*OURS[2:]))
    assert all(recorded(lakehouse)[name] != before[name] for name in TABLES)


# Effect of a broken macro on the merge of a batch that updates key 1, deletes key 2 and inserts key 9: the text that is
# replaced, by what, and what the step finds.
DELETES = "when matched and {{ merge.is_newer }} and source._cdc_operation = 'D' then delete"
UPDATES = "{{ merge.values | join(',\\n    ') }}"
LOST = UPDATES.replace(" }}", " | replace('= source.`v`', '= null') }}")
JOIN, END = "'target', 'source') }}\n", "{%- endmacro %}"
OTHERS = "\nwhen not matched by source and target.id = 5 then "
BROKEN = {
    "a deleted row stays": (DELETES, "", "unexpected in silver"),
    "a value is lost": (UPDATES, LOST, "other values in silver"),
    "a row is doubled": (JOIN, JOIN[:-1] + " and target.id <> 1\n", "more than once in silver"),
    "another row is lost": (END, OTHERS + "delete" + END, "-1 more than before"),
    "another row is changed": (END, OTHERS + "update set v = 'planted'" + END, None),
}


# One that the step finds, and one that only the whole table shows: `make prove` plants all of them.
FEW = ("a value is lost", "another row is changed")


@pytest.mark.parametrize("fault", BROKEN if IS_PROOF else FEW)
def test_a_broken_macro_is_found(lakehouse, stories, fault):
    text, by, message_part = BROKEN[fault]
    path = lakehouse.project / "macros/silver/write/cdc_merge_sql.sql"
    whole = path.read_text()
    assert text in whole
    minutes = 10 + 5 * list(BROKEN).index(fault)
    stories["c_hard"].changes(minutes, change("U", minutes, id=1, v=fault, w="y"), change("D", minutes, id=9))
    before = lakehouse.snapshots("silver.s__c_hard")[-1]
    compare = ("test", "--select", "silver_s__c_hard")
    try:
        # Of several clauses for rows that are not in the source the last one has no condition.
        path.write_text(whole.replace(text, by))
        assert "error" not in lakehouse.statuses("run", "--select", "+silver_s__c_hard").values()
    finally:
        path.write_text(whole)
    failures = failed(lakehouse.statuses(*compare))
    assert bool(failures) == bool(message_part), lakehouse.messages
    if message_part:
        assert any(message_part in message for message in lakehouse.messages)
    assert failed(lakehouse.statuses(*compare, *FULL)), "the whole table shows every fault"
    lakehouse.sql(f"call system.rollback_to_snapshot('silver.s__c_hard', {before})")
    lakehouse.statuses("run", "--select", "silver_s__c_hard")
    assert not failed(lakehouse.statuses(*compare))


def test_each_cell_of_a_seed_that_is_not_accepted_is_named(lakehouse):
    feeds = "etl_metadata.cdc_feeds"
    before = lakehouse.snapshots(feeds)[-1]

    def problems(*rows: str) -> list[str]:
        """Messages of dbt about rows of feed, connector, format and location."""
        # Iceberg 1.11 takes no statement that leaves columns out.
        lakehouse.sql(f"insert into {feeds} select *, null, null from values {', '.join(rows)}")
        failures = failed(lakehouse.statuses("test", "--select", "cdc_feeds_has_accepted_cells"))
        said = [line.partition("problems=")[2] for line in lakehouse.messages if "problems=" in line]
        lakehouse.sql(f"call system.rollback_to_snapshot('{feeds}', {before})")
        assert failures == ({"cdc_feeds_has_accepted_cells"} if said else set())
        return sorted(said)

    brokers = "('k', 'dms', 'csv', 'kafka://a'), ('l', 'dms', 'csv', 'kafka://a')"
    assert problems("(null, null, null, null)", brokers) == []
    assert problems("('k', 'dms', 'xml', null)", "(null, null, 'csv', 'a')") == [
        "feed is missing; connector is missing",
        "format is xml, expected parquet, csv, json; location is missing",
    ]
    assert problems("('k', 'dms', 'csv', 'a')", "('k', 'dms', 'csv', 'b')", "('l', 'dms', 'csv', 'a')") == [
        "more than once: a",
        "more than once: k",
        "more than once: k; more than once: a",
    ]


@pytest.mark.parametrize("name", ["c_hard", "c_soft", "c_life"])
def test_an_update_of_a_key_that_silver_did_not_have_warns(lakehouse, stories, name, monkeypatch):
    """Where all steps are small, and beside one that is not."""
    minutes = 60 + 5 * list(TABLES).index(name)
    for other in TABLES:
        stories[other].changes(minutes, change("U", minutes, id=1, v=name, w="y"), change("D", minutes, id=88))
    stories[name].changes(minutes + 1, change("U", minutes + 1, id=70 + minutes, v="new", w="y"))
    lakehouse.statuses("run")
    if name == "c_soft":
        monkeypatch.setattr(snapshots, "is_small", lambda changes, rows: False)
    assert failed(lakehouse.statuses(*OURS)) == {"no_update_of_an_unknown_key"}
    assert [message for message in lakehouse.messages if f"source_table={name}" in message and "keys=1" in message]


def test_the_account_of_files_is_asked_where_it_may_be_open(lakehouse):
    older, newest = lakehouse.snapshots("bronze.s__c_hard")[-2:]
    lakehouse.sql(f"call system.rollback_to_snapshot('bronze.s__c_hard', {older})")
    assert failed(lakehouse.statuses("test", "--select", *ACCOUNT)) == {"every_raw_file_is_accounted_for"}
    lakehouse.sql(f"call system.set_current_snapshot('bronze.s__c_hard', {newest})")
    assert not failed(lakehouse.statuses("test", "--select", *ACCOUNT))
    folder = lakehouse.raw / "checks" / "s" / "nobody"
    shutil.copytree(folder.with_name("c_hard"), folder)
    lakehouse.dbt("run", "--select", "raw_listing")
    assert failed(lakehouse.statuses("test", "--select", *ACCOUNT)) == {"every_raw_folder_has_a_table"}
    (folder / "LOAD00000002.parquet").write_bytes((folder / "LOAD00000001.parquet").read_bytes())
    os.utime(folder / "LOAD00000002.parquet", (0, 0))
    lakehouse.dbt("run", "--select", "raw_listing")
    failures = failed(lakehouse.statuses("test", "--select", *ACCOUNT))
    assert failures == {"every_raw_folder_has_a_table", "no_stale_load_file"}
    shutil.rmtree(folder)
    lakehouse.dbt("run", "--select", "raw_listing")
    assert "no_raw_file_vanished" in failed(lakehouse.statuses("test", "--select", *ACCOUNT))
