{#
    The messages that are new for a table of topics, in the form in which cdc_new_files returns files. The manifests of the
    split table show the batches that they are of. Where that is its newest batch alone, one query answers for all tables
    of the run.
#}
{% macro cdc_new_messages(cdc, after_batch_id) %}
    {% set split, own_keys = ref(cdc.split), cdc_message_keys(cdc) %}
    {% set messages = {'sql': cdc_split_files_sql(split, cdc, after_batch_id) ~ '\nlimit 0'} %}
    {% set in_table = {'source_schema': cdc.source_schema, 'source_table': cdc.source_table} %}
    {% set batches = adapter.value_range(split, 'batch_id', after_batch_id, in_table) %}
    {% if batches is none %}
        {% do return(messages) %}
    {% endif %}
    {% set of_feed, found = _messages_of_feed(cdc, split), namespace(facts=none) %}
    {% if batches.lower == of_feed.batch_id and batches.upper == of_feed.batch_id %}
        {% set sql = _new_messages_sql(split, of_feed.primary_keys, 'batch_id = ' ~ of_feed.batch_id) %}
        {% for row in adapter.run_once(sql) if row['source_schema'] == cdc.source_schema
            and row['source_table'] == cdc.source_table %}
            {% set found.facts = row %}
        {% endfor %}
    {% endif %}
    {% if found.facts is none %}
        {% for row in run_query(_new_messages_sql(split, own_keys, cdc_in_batches_sql(cdc, after_batch_id))) %}
            {% set found.facts = row %}
        {% endfor %}
    {% endif %}
    {% if found.facts is not none %}
        {% set changed_keys = fromjson(found.facts['changed_keys'] or '[]') | select('in', own_keys) | list %}
        {% do messages.update({
            'has_multi_table': true,
            'source_logs': [found.facts['source_log']],
            'names': fromjson(found.facts['names'] or '[]'),
            'are_plain': found.facts['are_plain'] and not changed_keys,
            'last_batch_id': found.facts['batch_id'] | int,
        }) %}
    {% endif %}
    {% do return(messages) %}
{% endmacro %}


{# The newest batch of a split table, and the key columns of all tables of its feed. #}
{% macro _messages_of_feed(cdc, split) %}
    {% set found = adapter.notes('messages of ' ~ split) %}
    {% if not found %}
        {% set keys = [] %}
        {% for other in cdc_models_of('bronze') if other.cdc.feed == cdc.feed %}
            {% do keys.extend(cdc_message_keys(other.cdc)) %}
        {% endfor %}
        {% set summary = adapter.newest_summary(split, 'cdc.batch-id') %}
        {% do found.update({'batch_id': summary.get('cdc.batch-id', 0) | int, 'primary_keys': keys | unique | sort}) %}
    {% endif %}
    {% do return(found) %}
{% endmacro %}


{% macro _new_messages_sql(split, keys, where) -%}
select
    source_schema,
    source_table,
    max(batch_id) as batch_id,
    {{ cdc_message_facts_sql(keys) | indent(4) }}
from {{ split }}
where
    {{ where | indent(4) }}
group by source_schema, source_table
{%- endmacro %}
