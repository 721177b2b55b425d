{#
    Fails where a partition waits because messages are gone that were not read. It is a node of its own that fails: the
    tables of all other partitions are built.
#}
{% macro validate_kafka_gaps(gaps) %}
    {% set lines = [] %}
    {% for row in run_query("select * from " ~ gaps ~ " where status = 'waiting'") if execute %}
        {% do lines.append('  - feed ' ~ row['feed'] ~ ': ' ~ row['description']) %}
    {% endfor %}
    {% if lines %}
        {% do exceptions.raise_compiler_error(
            'CDC error (kafka_gaps): messages are gone from Kafka that were not read:\n' ~ lines | sort | join('\n')
            ~ '\nExpected: a run before Kafka removes messages. These partitions wait, and all others are read. Find out'
            ~ ' what was lost (docs/feeds/kafka.md). Then read on: LAKEHOUSE_KAFKA_GAPS=continue dbt build, or'
            ~ ' on_gap=continue in seeds/cdc_feeds.csv.'
        ) %}
    {% endif %}
{% endmacro %}
