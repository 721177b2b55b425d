"""dbt adapter that runs SQL and Python models in one in-process Spark session."""

from __future__ import annotations

from dbt.adapters.base import AdapterPlugin
from dbt.include import sparksession

from dbt.adapters.sparksession import skipping
from dbt.adapters.sparksession.credentials import SparksessionCredentials
from dbt.adapters.sparksession.impl import SparksessionAdapter

Plugin = AdapterPlugin(
    adapter=SparksessionAdapter,  # type: ignore[arg-type]
    credentials=SparksessionCredentials,
    include_path=sparksession.PACKAGE_PATH,
    dependencies=["spark"],
)
skipping.install()
