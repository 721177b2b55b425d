{#
    The messages that are new for a table of topics, in the form in which cdc_new_files returns files. The manifests of the
    split table show the batches that they are of. Where that is its newest batch alone, one query answers for all tables
    of the run.
#}
{% macro cdc_new_messages(cdc, after_batch_id) %}
    {% set split = ref(cdc.split) %}
    {% set in_table = {'source_schema': cdc.source_schema, 'source_table': cdc.source_table} %}
    {% set no_files_sql = cdc_split_files_sql(split, cdc, after_batch_id) ~ '\nlimit 0' %}
    {% set batches = adapter.value_range(split, 'batch_id', after_batch_id, in_table) %}
    {% if batches is none %}
        {% do return({'sql': no_files_sql}) %}
    {% endif %}
    {% set of_feed = _messages_of_feed(cdc, split) %}
    {% if batches.lower == of_feed.batch_id and batches.upper == of_feed.batch_id %}
        {% set found = adapter.run_once(_new_messages_sql(split, of_feed.primary_keys, 'batch_id = ' ~ of_feed.batch_id)) %}
    {% else %}
        {% set found = run_query(_new_messages_sql(split, cdc_message_keys(cdc), cdc_in_batches_sql(cdc, after_batch_id))) %}
    {% endif %}
    {% for row in found if row['source_schema'] == cdc.source_schema and row['source_table'] == cdc.source_table %}
        {% set changed_keys = fromjson(row['changed_keys'] or '[]') | select('in', cdc_message_keys(cdc)) | list %}
        {% do return({
            'sql': no_files_sql,
            'has_multi_table': true,
            'names': fromjson(row['names'] or '[]'),
            'are_plain': row['are_plain'] and not changed_keys,
            'last_batch_id': row['batch_id'] | int,
        }) %}
    {% endfor %}
    {% do return({'sql': no_files_sql}) %}
{% endmacro %}


{# The newest batch of a split table, and the key columns of all tables of its feed. #}
{% macro _messages_of_feed(cdc, split) %}
    {% set found = adapter.notes('messages of ' ~ split) %}
    {% if not found %}
        {% set keys = [] %}
        {% for node in graph.nodes.values() if node.resource_type == 'model' %}
            {% set other = node.config.meta.get('cdc', {}) %}
            {% do keys.extend(cdc_message_keys(other)) if other.get('layer') == 'bronze' and other.feed == cdc.feed %}
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
