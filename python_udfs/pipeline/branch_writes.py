"""Writes of several commits that readers see as one: they are made on a branch, which then becomes the table."""

from __future__ import annotations

from collections.abc import Callable

from python_udfs.errors import LakehouseError
from python_udfs.pipeline.warehouse import Relation, Writer

_ATTEMPTS = 3


def write_on_branch(warehouse: Writer, table: Relation, branch: str, write: Callable[[str], None]) -> None:
    """Writes to a branch of a table and publishes it; readers see all of its commits or none.

    If maintenance has committed meanwhile it is done again, on top of that.

    Args:
        warehouse: has the table.
        table: that is written to.
        branch: its name, of this command alone: two commands never write on one branch.
        write: makes the commits; it gets the name of the branch as a table.

    Raises:
        LakehouseError: another writer has committed each time. Nothing was changed.
    """
    for _ in range(_ATTEMPTS):
        warehouse.start_branch(table, branch)
        write(f"{table}.branch_{branch}")
        if warehouse.publish_branch(table, branch):
            return
    raise LakehouseError(
        f"{table}: another writer committed to this table {_ATTEMPTS} times while this run was writing to it. Nothing"
        " was changed, nothing is lost; run it again."
    )
