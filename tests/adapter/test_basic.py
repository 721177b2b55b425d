"""dbt's public suites for what every adapter does: materializations, tests, seeds, snapshots, catalog."""

from __future__ import annotations

import getpass

import pytest
from dbt.tests.adapter.basic.expected_catalog import base_expected_catalog, expected_references_catalog, no_stats
from dbt.tests.adapter.basic.test_adapter_methods import BaseAdapterMethod
from dbt.tests.adapter.basic.test_base import BaseSimpleMaterializations
from dbt.tests.adapter.basic.test_docs_generate import BaseDocsGenerate, BaseDocsGenReferences
from dbt.tests.adapter.basic.test_empty import BaseEmpty
from dbt.tests.adapter.basic.test_ephemeral import BaseEphemeral
from dbt.tests.adapter.basic.test_generic_tests import BaseGenericTests
from dbt.tests.adapter.basic.test_incremental import (
    BaseIncremental,
    BaseIncrementalBadStrategy,
    BaseIncrementalNotSchemaChange,
)
from dbt.tests.adapter.basic.test_singular_tests import BaseSingularTests
from dbt.tests.adapter.basic.test_singular_tests_ephemeral import BaseSingularTestsEphemeral
from dbt.tests.adapter.basic.test_snapshot_check_cols import BaseSnapshotCheckCols
from dbt.tests.adapter.basic.test_snapshot_timestamp import BaseSnapshotTimestamp
from dbt.tests.adapter.basic.test_table_materialization import BaseTableMaterialization
from dbt.tests.adapter.basic.test_validate_connection import BaseValidateConnection
from dbt.tests.adapter.concurrency.test_concurrency import BaseConcurrency
from dbt.tests.adapter.empty.test_empty import BaseTestEmpty
from dbt.tests.util import run_dbt

ICEBERG = {name: {"+file_format": "iceberg"} for name in ("models", "seeds", "snapshots")}


class TestSimpleMaterializations(BaseSimpleMaterializations):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"name": "base", **ICEBERG}


class TestSingularTests(BaseSingularTests):
    pass


class TestSingularTestsEphemeral(BaseSingularTestsEphemeral):
    pass


class TestEmpty(BaseEmpty):
    pass


class TestEmptyFlag(BaseTestEmpty):
    pass


class TestEphemeral(BaseEphemeral):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"name": "ephemeral", **ICEBERG}


class TestIncremental(BaseIncremental):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"name": "incremental", **ICEBERG}


class TestIncrementalNotSchemaChange(BaseIncrementalNotSchemaChange):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG


class TestIncrementalBadStrategy(BaseIncrementalBadStrategy):
    def test_incremental_invalid_strategy(self, project):
        # dbt-spark words this error itself, and before it looks for a macro.
        run_dbt(["seed"])
        results = run_dbt(["run", "--select", "incremental"], expect_pass=False)
        assert "Invalid incremental strategy provided: bad_strategy" in results.results[0].message


class TestGenericTests(BaseGenericTests):
    pass


class TestSnapshotCheckCols(BaseSnapshotCheckCols):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"name": "snapshot_strategy_check_cols", **ICEBERG}


class TestSnapshotTimestamp(BaseSnapshotTimestamp):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"name": "snapshot_strategy_timestamp", **ICEBERG}


class TestTableMaterialization(BaseTableMaterialization):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return ICEBERG


class TestAdapterMethod(BaseAdapterMethod):
    @pytest.fixture(scope="class")
    def project_config_update(self):
        return {"name": "adapter_methods", **ICEBERG}


class TestValidateConnection(BaseValidateConnection):
    pass


class TestConcurrency(BaseConcurrency):
    pass


class OwnerOfTables:
    """Equal to the owner of a table, and to None, since Iceberg's views have no owner."""

    def __eq__(self, other):
        return other in (None, getpass.getuser())

    __hash__ = None


class SizeOfTables:
    """Equal to the statistics of a table (bytes, but no rows), and to none at all, as of a view."""

    def __eq__(self, other):
        return other == no_stats() or (other["has_stats"]["value"] and "bytes" in other and "rows" not in other)

    __hash__ = None


CATALOG_TYPES = {
    "role": OwnerOfTables(),
    "id_type": "bigint",
    "text_type": "string",
    "time_type": "timestamp",
    "view_type": "view",
    "table_type": "table",
    "model_stats": SizeOfTables(),
}


class TestDocsGenerate(BaseDocsGenerate):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project):
        return base_expected_catalog(project, **CATALOG_TYPES)


class TestDocsGenReferences(BaseDocsGenReferences):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project):
        return expected_references_catalog(project, bigint_type="bigint", **CATALOG_TYPES)
