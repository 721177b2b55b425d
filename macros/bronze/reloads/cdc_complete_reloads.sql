{#
    The reloads that end with this batch or ended before, and of which bronze has no row R that counts. A reload with
    untouched load files of an earlier load has not ended: it removes nothing, and a warning names the files that it waits
    for. One with files that nobody could read ends, and its row R waits in quarantine (record 68).
#}
{% macro cdc_complete_reloads(cdc, existing, files) %}
    {% set listing, rejected, split = ref('raw_listing'), ref('rejected_files'), cdc_split_of(cdc) %}
    {% set states, ended = cdc_reloads_in_bronze(cdc, existing, listing, rejected, files.last_batch_id), [] %}
    {% set has_unread = run_query(_unread_sql(cdc, rejected)).rows | length > 0 %}
    {% for reload in run_query(cdc_reloads_sql(cdc, listing, rejected, files.last_batch_id, split, has_unread)) %}
        {% set generation = reload['generation'] | int %}
        {% set state = states.get(generation, {'is_complete': false, 'unread': none}) %}
        {% set unread = reload['unread'] if reload['unread'] != '[]' else state.unread %}
        {% if not state.is_complete and (unread or not reload['untouched']) %}
            {% set reason = _unread_reason(fromjson(unread)) if unread else none %}
            {% do ended.append({
                'generation': generation, 'is_held': generation in states, 'unread': unread, 'reason': reason,
            }) %}
            {% do exceptions.warn(this ~ ': ' ~ reason) if reason and loop.last %}
        {% elif reload['untouched'] and loop.last and not state.is_complete %}
            {% do exceptions.warn(
                this ~ ': the reload is not complete: these load files are still as an earlier load wrote them: '
                ~ reload['untouched'] ~ '. Keys that the reload does not hold stay until each of them is written again'
                ~ ' or removed, and another file of the table has come.'
            ) %}
        {% endif %}
    {% endfor %}
    {% do return(ended) %}
{% endmacro %}


{# Whether the table has a file that nobody could read. #}
{% macro _unread_sql(cdc, rejected) -%}
select path
from {{ rejected }}
where
    feed = {{ adapter.string_literal(cdc.feed) }}
    and source_schema = {{ adapter.string_literal(cdc.source_schema) }}
    and source_table = {{ adapter.string_literal(cdc.source_table) }}
    and rule = 'unreadable'
limit 1
{%- endmacro %}


{% macro _unread_reason(unread) %}
    {% do return(
        'the reload is not complete: these load files of it could not be read: '
        ~ unread | map(attribute='file_key') | join(', ') ~ '. It removes nothing until each of them has come again, or'
        ~ ' release_reload releases it (docs/runbook.md, A reload that waits).'
    ) %}
{% endmacro %}
