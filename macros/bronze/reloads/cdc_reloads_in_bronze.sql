{#
    What bronze has of each reload: whether it is complete, and the unread files for which it waits, if they have not come
    again since. Their names are in its row R, so that a lost table rejected_files completes no reload.
#}
{% macro cdc_reloads_in_bronze(cdc, existing, listing, rejected, last_batch_id) %}
    {% set states = {} %}
    {% for row in (run_query(_states_sql(existing)) if existing is not none else []) %}
        {% set unread = row['unread'] if not row['is_complete'] else none %}
        {% if unread %}
            {% set unread_sql = _still_unread_sql(cdc, listing, rejected, last_batch_id, unread) %}
            {% set unread = run_query(unread_sql).rows[0]['unread'] %}
        {% endif %}
        {% do states.update({row['generation'] | int: {
            'is_complete': row['is_complete'], 'unread': unread if unread != '[]' else none,
        }}) %}
    {% endfor %}
    {% do return(states) %}
{% endmacro %}


{# A row of a file whose operation is R breaks another rule. #}
{% macro _states_sql(existing) -%}
select
    _cdc_generation as generation,
    bool_or(_cdc_quarantine_rule is null) as is_complete,
    max(_cdc_quarantine_content) as unread
from {{ existing }}
where _cdc_operation = 'R' and coalesce(_cdc_quarantine_rule, 'incomplete_reload') = 'incomplete_reload'
group by _cdc_generation
{%- endmacro %}


{% macro _still_unread_sql(cdc, listing, rejected, last_batch_id, unread) -%}
with {{ cdc_listed_versions_sql(listing, rejected, cdc, last_batch_id) }},

files as (
    select explode(from_json(
        {{ adapter.string_literal(unread) }}, 'array<struct<file_key: string, modified_millis: bigint>>'
    )) as file
)

select to_json(array_sort(collect_set(files.file))) as unread
from files
left anti join judged
    on
        judged.kind = 'load'
        and files.file.file_key = judged.file_key
        and files.file.modified_millis < unix_millis(judged.modified_at)
        and coalesce(judged.rule, '') not in ('unreadable', 'replaced')
{%- endmacro %}
