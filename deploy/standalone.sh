#!/bin/sh
# Template: Spark standalone, client mode, without this repository on the machine. docs/cluster/standalone.md
# usage: standalone.sh build        in the folder of the unpacked lakehouse.tar.gz, with lakehouse.tar.gz beside it
set -eu

export LAKEHOUSE_CATALOG_TYPE=rest LAKEHOUSE_CATALOG_URI=http://10.0.0.2:8181
export LAKEHOUSE_WAREHOUSE=s3://lake/warehouse LAKEHOUSE_RAW=s3a://landing AWS_REGION=eu-central-1

exec "${SPARK_HOME:?the folder of Spark}"/bin/spark-submit \
    --master spark://10.0.0.1:7077 \
    --properties-file spark.conf \
    --archives ../lakehouse.tar.gz#lakehouse \
    --driver-memory 4g --executor-memory 4g --executor-cores 2 \
    submit.py "$@"
