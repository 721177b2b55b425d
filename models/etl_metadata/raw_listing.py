from python_udfs.metadata import load_metadata
from python_udfs.raw_listing import PROJECT_ROOT, new_objects


def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append", full_refresh=False)
    known = session.table(str(dbt.this)) if dbt.is_incremental else None
    return new_objects(session, load_metadata(PROJECT_ROOT / "seeds").feeds, known)
