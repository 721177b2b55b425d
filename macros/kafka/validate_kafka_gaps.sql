{#
    Fails if a partition waits because messages are gone that were not read. It is a node of its own that fails: the
    tables of all other partitions are built.
#}
{% macro validate_kafka_gaps(gaps) %}
    {% set arguments = {'warehouse': adapter, 'sql': context, 'gaps': gaps} %}
    {% do adapter.call_function('python_udfs.pipeline.hooks.require_no_gaps', arguments) if execute %}
{% endmacro %}
