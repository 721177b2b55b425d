#!/bin/sh
# Airflow on this machine, to try the DAGs: everything in one process group, on loopback, without a password.
# usage: scripts/airflow.sh [<airflow command> …], from the root of the project; without a command all of Airflow until Ctrl-C.
set -eu

# A folder of its own: the metadata (SQLite) and the logs.
export AIRFLOW_HOME="${AIRFLOW_HOME:-$PWD/data/airflow}"
export AIRFLOW__CORE__DAGS_FOLDER="$PWD/airflow/dags"
export AIRFLOW__CORE__LOAD_EXAMPLES=False
export AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS=True
export AIRFLOW__API__HOST=127.0.0.1
export AIRFLOW__API__PORT="${AIRFLOW_PORT:-8080}"
export AIRFLOW__API__BASE_URL="http://127.0.0.1:$AIRFLOW__API__PORT"
export AIRFLOW__CORE__EXECUTION_API_SERVER_URL="$AIRFLOW__API__BASE_URL/execution/"
# Four workers are enough for tasks that wait for one Spark.
export AIRFLOW__CORE__PARALLELISM=4
export AIRFLOW__API__WORKERS=1
PATH="$PWD/.venv-airflow/bin:$PATH"

if [ $# -gt 0 ]; then
    exec airflow "$@"
fi
echo "Preparing Airflow's metadata in $AIRFLOW_HOME ..."
airflow db migrate >/dev/null
airflow pools set "${LAKEHOUSE_POOL:-lakehouse}" 1 "One build of the warehouse at a time" >/dev/null
echo "Airflow: $AIRFLOW__API__BASE_URL (Ctrl-C stops it). Turn on the DAG cdc_lakehouse there."
exec airflow standalone
