"""Why quarantined rows cannot be judged again, and the sentence that a replay ends with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from table_configs import make_config

from python_udfs.pipeline.columns import Column
from python_udfs.pipeline.replay import ReplayedColumn, ask_columns, describe_replay, list_problems


def test_why_rows_cannot_be_replayed():
    more, id_ = ReplayedColumn("more", "more", "string", False), ReplayedColumn("id", "id", "string", True)
    header, column = list_problems(make_config(format="csv", options={"header": True}), [more, id_])
    assert header.startswith("its files have a header")
    assert column == (
        "rows in quarantine have a column more that bronze does not have: add it with `alter table`, or to"
        " renamed_columns, or let the next file bring it"
    )
    assert list_problems(make_config(format="csv"), [id_]) == []
    assert list_problems(make_config(options={"header": True}), []) == []


def columns_of(format: str, *names: str, **cdc: Any) -> dict[str, tuple[str, str, bool]]:
    """The columns of quarantined rows with these names; bronze has an id, bytes, a list and a renamed price."""
    types = {"ID": "int", "raw": "binary", "tags": "array<string>", "price": "int", "_cdc_sequence": "string"}
    bronze = SimpleNamespace(identifier="t")
    warehouse = SimpleNamespace(
        get_columns_in_relation=lambda _: [SimpleNamespace(name=name, dtype=type_) for name, type_ in types.items()],
        query=lambda sql: [{"name": name, "type": None} for name in names],
        quote=str,
        string_literal=repr,
        project_path=str,
        call_function=lambda *_: None,
    )
    sql = dict.fromkeys(("cdc_replay_names_sql", "cdc_waiting_messages_sql", "ref"), lambda *_: "")
    project: Any = SimpleNamespace(warehouse=warehouse, sql=sql)
    described = make_config(format=format, renamed_columns={"cost": "price"}, split="split_f", **cdc)
    columns = ask_columns(project, described, bronze)
    return {column.file_name: (column.name, column.type, column.is_known) for column in columns}


def test_values_of_parquet_without_types_are_text_but_for_nested_ones():
    assert columns_of("parquet", "id", "raw", "tags", "COST", "Op", "more", "_cdc_x") == {
        "id": ("id", "string", True),
        "raw": ("raw", "string", True),
        "tags": ("tags", "array<string>", True),
        "COST": ("COST", "string", True),
        "Op": ("Op", "string", True),
        "more": ("more", "string", False),
        "_cdc_x": ("source__cdc_x", "string", False),
    }


def test_a_before_image_in_parquet_has_the_type_of_its_column():
    columns = columns_of("parquet", "BI_raw", "BI_id", "BI_more", "bi_raw", options={"before_image_prefix": "BI_"})
    assert columns == {
        "BI_raw": ("BI_raw", "string", True),
        "BI_id": ("BI_id", "string", True),
        "BI_more": ("BI_more", "string", True),
        "bi_raw": ("bi_raw", "string", False),
    }


@pytest.mark.parametrize(("policy", "is_known"), [("evolve", True), ("freeze", False), ("quarantine", False)])
def test_values_of_messages_are_text_and_a_run_would_add_their_columns_if_it_may(policy, is_known):
    columns = columns_of("json", "raw", "more", schema_drift=policy)
    assert columns == {"raw": ("raw", "string", True), "more": ("more", "string", is_known)}


def test_lines_of_csv_name_no_columns():
    assert columns_of("csv", "id") == {}


def test_a_replay_reports_its_numbers_and_the_advice():
    assert describe_replay("t", 0, 0, False, [], "c") == (
        "t: 0 rows waited in quarantine, 0 are in bronze now, 0 still break a rule."
    )
    change = Column("id", "bigint", "int")
    assert describe_replay("t", 3, 1, True, [change, change], "make x") == (
        "t: 3 rows waited in quarantine, 2 are in bronze now, 1 still break a rule. The next run takes them to silver."
        " The reload is complete: that run removes what it does not hold."
        " id needs bigint, bronze has int; id needs bigint, bronze has int: run make x."
    )
