{#
    Whether the messages that a run brings show a log that began again, or a second snapshot (source_log.py). What is known of
    the messages before is in the summary of bronze's last commit that had some; a table that has no such summary is read once.
#}
{% macro cdc_judge_source_log(bronze, batches) %}
    {% set before = namespace(text=none) %}
    {% if bronze is not none and batches | reject('in', [none, '{}']) | list %}
        {% set before.text = adapter.newest_summary(bronze, 'cdc.source-log').get('cdc.source-log') %}
        {% if not before.text %}
            {% set before.text = run_query(_source_log_of_bronze_sql(bronze)).rows[0]['source_log'] %}
        {% endif %}
    {% endif %}
    {% do return(adapter.call_function(
        'python_udfs.connectors.source_log.judge_batch', {'before': before.text, 'batches': batches}
    )) %}
{% endmacro %}


{% macro _source_log_of_bronze_sql(bronze) -%}
select {{ cdc_source_log_sql() | indent(4) }}
from (
    select
        substring({{ cdc_sequence_part('_cdc_sequence', 'listed_position') }}, 3) as position,
        case when _cdc_operation = 'L' then 'load' when _cdc_operation in ('I', 'U', 'D') then 'change' end as kind,
        _cdc_committed_at as committed_at,
        cast(null as string) as malformed
    from {{ bronze }}
    where _cdc_quarantine_rule is null
) as messages
{%- endmacro %}
