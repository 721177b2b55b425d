#!/bin/sh
# Template: YARN, cluster mode: the driver runs in a container of the cluster. docs/cluster/yarn.md
# usage: yarn.sh build              in the folder of lakehouse.tar.gz, submit.py and spark.conf
set -eu

: "${HADOOP_CONF_DIR:?the folder of yarn-site.xml, /etc/hadoop/conf on EMR}"
# Spark in every container comes from here, whatever the cluster has: Python and Java are the cluster's.
python=python3.11
java=/usr/lib/jvm/java-17

exec "${SPARK_HOME:?the folder of Spark}"/bin/spark-submit \
    --master yarn --deploy-mode cluster --name cdc-lakehouse \
    --properties-file spark.conf \
    --archives lakehouse.tar.gz#lakehouse \
    --driver-memory 4g --executor-memory 4g --executor-cores 2 --num-executors 2 \
    --conf spark.yarn.maxAppAttempts=1 \
    --conf spark.yarn.appMasterEnv.PYSPARK_PYTHON=$python --conf spark.executorEnv.PYSPARK_PYTHON=$python \
    --conf spark.yarn.appMasterEnv.JAVA_HOME=$java --conf spark.executorEnv.JAVA_HOME=$java \
    submit.py \
    LAKEHOUSE_CATALOG_TYPE=glue LAKEHOUSE_WAREHOUSE=s3://lake/warehouse LAKEHOUSE_RAW=s3a://landing \
    AWS_REGION=eu-central-1 \
    "$@"
