# The front door: `make` shows what there is. Every target works from a bare clone and builds what it needs first.

# Knobs: make setup PYTHON=python3.12, make test PYTEST_ARGS="-k silver -x", make demo SPARK=3.5
PYTHON ?= python3
PYTEST_ARGS ?=
# Each release of Spark has an environment of its own, so that any target runs with any of them.
SPARKS := 3.5 4.0 4.1
SPARK ?= 4.1
# make package PLATFORM=glue-5.1
# make discover SOURCE=mysql://user:password@host/name FEED=retail SCHEMAS="shop crm" TABLES="cust% item" APPEND=1
# make prove N=50000 SEED=7 TABLES=soft_csv HISTORIES=12,13: a failure prints the ones that bring it back.
N ?= 10000
SEED ?= $(shell date +%s)
EVERY ?= 5
# make prove WATCH_MINUTES=60 also follows a broker with all kinds of trouble for so long (docs/proof.md).
WATCH_MINUTES ?=
TABLES ?=
HISTORIES ?=
FAULT ?=
MODEL ?=
GOLD_SECONDS ?= 20

# The shell takes these from its environment, as they were typed: their text is no part of a command.
export EVERY TABLES HISTORIES FAULT MODEL GOLD_SECONDS FEED SCHEMAS APPEND FILE TABLE KEY DROP PLATFORM
# The message of a lock names the command as it was typed.
export DBT_TYPED := make $(MAKECMDGOALS)

UV_VERSION := 0.13.9
ifeq ($(filter $(SPARK),$(SPARKS)),)
$(error SPARK=$(SPARK) is no release that the project runs on; expected one of $(SPARKS))
endif
VENV := $(if $(filter 4.1,$(SPARK)),.venv,.venv-spark$(SPARK))
READY := $(VENV)/.ready
OTHERS := $(filter-out 4.1,$(SPARKS))
# Everything runs as if the environment were active, so that dbt and its Python models see the same one.
RUN := VIRTUAL_ENV="$$PWD/$(VENV)" PATH="$$PWD/$(VENV)/bin:$$PATH"

# Two processes take a file of tests each: Spark is busy with one core for most of the time on so little data.
# What is run on each release: all but the source databases, the cluster, Airflow and the benchmarks.
ON_EACH_RELEASE := tests/unit tests/adapter tests/e2e --ignore=tests/e2e/test_benchmarks.py tests/real/test_kafka.py tests/real/test_kafka_avro.py
SHORT := tests/adapter/test_capabilities.py tests/unit/connectors/test_json_values.py
PYTEST := $(RUN) python -m pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder --durations=15

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Targets share one machine's Spark and one warehouse.
.NOTPARALLEL:

.PHONY: help
help: ## Show this list
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(READY) ## Build .venv from the pinned requirements and check for Java (SPARK=3.5, SPARK=4.0)
	@$(if $(filter command,$(origin PYTHON)),sh scripts/same_python.sh "$(PYTHON)" "$(VENV)")

# venv.sh removes the stamp first and puts it back last: an interrupted setup is never taken for a finished one.
SETUP := pyproject.toml adapter/pyproject.toml scripts/venv.sh scripts/java.sh
define SET_UP
	@sh scripts/java.sh
	@sh scripts/venv.sh $(PYTHON) $(UV_VERSION) $(@D) $<
	@echo "Ready: . $(@D)/bin/activate"
endef
.venv/.ready: requirements.txt $(SETUP)
	$(SET_UP)
.venv-spark%/.ready: requirements-spark%.txt $(SETUP)
	$(SET_UP)

# Airflow's pins and dbt's exclude each other: it has an environment of its own.
.venv-airflow/.ready: airflow/requirements.txt .venv/.ready
	@echo "Installing Airflow into .venv-airflow ..."
	@uv=$$(command -v uv || echo .uv/bin/uv); \
	"$$uv" venv --quiet --clear --python .venv/bin/python .venv-airflow && \
	"$$uv" pip sync --quiet --python .venv-airflow/bin/python --require-hashes airflow/requirements.txt
	@touch $@

# So have the programs that read the tables in tests.
.venv-readers/.ready: tests/readers/requirements.txt $(READY)
	@uv=$$(command -v uv || echo .uv/bin/uv); \
	"$$uv" venv --quiet --clear --python .venv/bin/python .venv-readers && \
	"$$uv" pip sync --quiet --python .venv-readers/bin/python --require-hashes tests/readers/requirements.txt
	@touch $@

.PHONY: airflow
airflow: .venv-airflow/.ready ## Try the DAGs: all of Airflow on loopback, until Ctrl-C
	@sh scripts/airflow.sh

.PHONY: demo
demo: $(READY) ## Land sample data, build it three times, show the result (SPARK=3.5, SPARK=4.0)
	@$(RUN) python -m python_udfs.sample_data.demo run

.PHONY: demo-kafka
demo-kafka: $(READY) ## Start MariaDB, Debezium and Kafka, and follow them live
	@PYTHONPATH=. $(RUN) python tests/real/demo_kafka.py

# With 4.1 all tests, and a short form of each other release; with another one all tests of the pipeline, on it alone.
.PHONY: test
ifeq ($(SPARK),4.1)
test: lint .venv-airflow/.ready $(OTHERS:%=.venv-spark%/.ready) ## Run every check and every test (PYTEST_ARGS="-k name" for some; SPARK=3.5 on that release)
	@$(if $(PYTEST_ARGS),,$(RUN) python tests/real/install.py &) # what the databases need comes meanwhile
	@$(if $(PYTEST_ARGS),,$(RUN) python -m tests.class_archive > /dev/null 2>&1 &) # each Java starts faster with it
	$(PYTEST) $(PYTEST_ARGS)
	$(if $(PYTEST_ARGS),,@sh scripts/side_by_side.sh $(OTHERS:%="$(MAKE) --no-print-directory test-short SPARK=%"))
else
test: $(READY)
	$(PYTEST) $(ON_EACH_RELEASE) $(PYTEST_ARGS)
endif

# Of its own folders: what `make demo` has made for you stays.
.PHONY: test-short
test-short: $(READY) ## Run the demo and what differs between releases (SPARK=3.5, SPARK=4.0)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	LAKEHOUSE_RAW="$$folder/raw" LAKEHOUSE_WAREHOUSE="$$folder/warehouse" DBT_TARGET_PATH="$$folder/target" \
	DBT_LOG_PATH="$$folder/logs" $(RUN) python -m python_udfs.sample_data.demo run --apart
	@$(RUN) python -m pytest -q --disable-warnings $(SHORT)

.PHONY: test-versions
test-versions: ## Run all tests of the pipeline on Spark 3.5, then on 4.0
	@for spark in $(OTHERS); do $(MAKE) --no-print-directory test SPARK=$$spark || exit 1; done

# A Java that is not there: a test that starts Spark, in this process or another, fails.
.PHONY: test-fast
test-fast: $(READY) ## Run the tests that need no Spark; one that starts it fails
	JAVA_HOME="$$PWD/no-java" $(PYTEST) tests/unit -m "not spark" $(PYTEST_ARGS)

# With another release than 4.1: the archive of a platform that has it.
.PHONY: test-cluster
test-cluster: $(READY) ## Run the long tests on a Spark cluster, with S3, REST and Glue catalogs (SPARK=3.5)
	@CLUSTER=all $(RUN) python -m pytest -q --timeout=0 --durations=15 \
	tests/cluster$(if $(filter-out 4.1,$(SPARK)),/test_cluster_platform.py) $(PYTEST_ARGS)

.PHONY: package
package: $(READY) ## Write the archive that spark-submit runs on a cluster (PLATFORM=glue-5.1, SPARK=3.5)
	@uv=$$(command -v uv || echo .uv/bin/uv); \
	$(RUN) python deploy/package.py "$$uv" target/package $${PLATFORM:+--platform "$$PLATFORM"} $(UV_ARGS)

PROVE := @PROVE=1 N=$(N) SEED=$(SEED) WATCH_MINUTES=$(WATCH_MINUTES) $(RUN) python -m pytest -q --disable-warnings --timeout=0
.PHONY: prove
prove: $(READY) ## Kill runs at every step, compare silver with an oracle on N random key histories (SEED=7)
	$(PROVE) tests/e2e/test_recovery.py tests/e2e/test_maintenance.py tests/e2e/test_deletes.py tests/e2e/test_lost_state.py tests/e2e/test_checks.py tests/e2e/test_other_engines.py
	$(PROVE) tests/e2e/test_two_runs.py
	$(PROVE) tests/e2e/test_contract_cases.py tests/e2e/test_silver_folds.py tests/e2e/test_benchmarks.py tests/airflow/test_airflow_demo.py
	$(PROVE) tests/real/test_kafka_to_silver.py tests/real/test_kafka_histories.py tests/real/test_source_to_silver.py tests/real/test_default_settings.py tests/real/test_lost_slot.py tests/real/test_kafka_secured.py
	$(PROVE) tests/real/test_watch_for_long.py
	$(PROVE) tests/unit/connectors/test_fuzz.py tests/unit/macros/test_messages_on_spark.py
	$(PROVE) -s tests/e2e/test_histories.py
	$(PROVE) tests/unit/gold tests/e2e/test_gold.py tests/e2e/test_gold_frozen.py

# make prove-gold MODEL=dws_user_agg GOLD_SECONDS=60 SEED=7: a failure prints the seed that brings it back.
.PHONY: prove-gold
prove-gold: $(READY) ## Prove a gold model on random histories of its inputs (MODEL=dws_user_agg)
	@$(RUN) dbt --quiet run-operation prove_gold --args "{model: '$$MODEL', seconds: $$GOLD_SECONDS, seed: $(SEED)}"

.PHONY: prove-faults
prove-faults: $(READY) ## Take each fix out of a clone: does its generator fail? (FAULT="words of a name")
	@$(RUN) python -m tests.planted

.PHONY: watch
watch: $(READY) ## Build tables as their files come, until Ctrl-C (EVERY=5 seconds)
	@DBT_END_WITH_PARENT=1 $(RUN) python -m python_udfs.watch --every "$$EVERY"

.PHONY: report
report: $(READY) ## Write the state of all tables as one page, as JSON and as OpenMetrics text
	@$(RUN) python -m python_udfs.report

# TABLES="sampledb__product": these tables only.
.PHONY: quality
quality: $(READY) ## Judge what is expected of silver (TABLES="a b"), write Data Docs (docs/quality.md)
	@set -f; $(RUN) python -m python_udfs.quality --tables $$TABLES

.PHONY: bench
bench: $(READY) $(OTHERS:%=.venv-spark%/.ready) ## Measure against hand-written Spark (see docs/performance.md)
	@$(RUN) python -m benchmarks --plot docs/performance.png

.PHONY: bench-quick
bench-quick: $(READY) $(OTHERS:%=.venv-spark%/.ready) ## The same on small data: does every way run, and is its result right?
	@$(RUN) python -m benchmarks --quick

.PHONY: lint
lint: $(READY) models-check ## Check style, types, SQL and generated models; no Spark
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(RUN) sqlfluff lint --disable-progress-bar --processes 0 models macros tests/data tests/sql

.PHONY: models
models: $(READY) ## Write the models that the seeds ask for
	@$(RUN) python -m python_udfs.codegen

.PHONY: discover
discover: $(READY) ## Propose rows of metadata: SOURCE=<database URL or folder> FEED=<name>
	@$(RUN) python -m python_udfs.discover --feed "$$FEED" --schemas "$$SCHEMAS" --tables "$$TABLES" --append "$$APPEND"

# TABLES="shop__order": these tables only. DROP=1: their tables in the warehouse go, too.
.PHONY: retire
retire: $(READY) ## Take feeds out of the project: FEED="a b" (TABLES="schema__table", DROP=1)
	@set -f; $(RUN) python -m python_udfs.retire --feeds $$FEED --tables $$TABLES --drop "$$DROP"

.PHONY: drift
drift: $(READY) ## Show what waiting files and messages would change in the tables, before a run does it
	@$(RUN) python -m python_udfs.drift --list

.PHONY: explain
explain: $(READY) ## Show why a row is as it is: TABLE=<silver table> KEY=<value, [list] or {column: value}>
	@$(RUN) python -m python_udfs.explain -- "$$TABLE" "$$KEY"

.PHONY: lineage
lineage: $(READY) ## Send OpenLineage events of the last run (FILE=events.jsonl, or OPENLINEAGE_URL)
	@$(RUN) python -m python_udfs.lineage $${FILE:+--file "$$FILE"}

.PHONY: models-check
models-check: $(READY) ## Fail when a generated model does not match the seeds
	@$(RUN) python -m python_udfs.codegen --check

.PHONY: walk
walk: $(READY) ## Print the macros that one batch passes, from file to table
	@$(RUN) python -m tests.e2e.walk

.PHONY: docs
docs: $(READY) ## Write the documentation as one page
	@$(RUN) dbt docs generate --static
	@echo "Open target/static_index.html"

.PHONY: clean
clean: ## Remove ./data and everything that was built (not .venv)
	rm -rf data target logs spark-warehouse .pytest_cache .mypy_cache .ruff_cache .hypothesis

COMPILE = "$$uv" pip compile --quiet --python-version 3.10 --generate-hashes $(UV_ARGS) --custom-compile-command "make requirements"

# Spark 3.5 knows neither Python 3.12 nor numpy 2: what is compiled for 3.10 fits 3.11 as well.
.PHONY: requirements
requirements: $(READY) # Compile requirements.in; UV_ARGS="--upgrade" takes newer versions
	@uv=$$(command -v uv || echo .uv/bin/uv); \
	$(COMPILE) --universal --excludes requirements-left-out.txt requirements.in requirements-spark4.1.in -o requirements.txt && \
	$(COMPILE) --universal --excludes requirements-left-out.txt requirements.in requirements-spark4.0.in -o requirements-spark4.0.txt && \
	$(COMPILE) --excludes requirements-left-out.txt requirements.in requirements-spark3.5.in -o requirements-spark3.5.txt && \
	$(COMPILE) --universal tests/cluster/requirements.in -o tests/cluster/requirements.txt && \
	$(COMPILE) --universal airflow/requirements.in -o airflow/requirements.txt && \
	$(COMPILE) --universal tests/readers/requirements.in -o tests/readers/requirements.txt
