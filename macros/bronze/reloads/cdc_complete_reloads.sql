{#
    The reloads that end with this batch or ended before, and of which bronze has no row R that counts. A reload with
    untouched load files of an earlier load has not ended: it removes nothing, and a warning names the files that it waits
    for. One with files that nobody could read ends, and its row R waits in quarantine (record 68).
#}
{% macro cdc_complete_reloads(cdc, existing, files) %}
    {% set listing, rejected, split = ref('raw_listing'), ref('rejected_files'), cdc_split_of(cdc) %}
    {% set states, ended = {}, [] %}
    {% for row in (run_query(_states_sql(cdc, existing, listing, rejected, files.last_batch_id)) if existing is not none else []) %}
        {% do states.update({row['generation'] | int: row.dict()}) %}
    {% endfor %}
    {% for reload in run_query(cdc_reloads_sql(cdc, listing, rejected, files.last_batch_id, split)) %}
        {% set generation = reload['generation'] | int %}
        {% set state = states.get(generation, {'is_complete': false, 'unread': none}) %}
        {% set unread = reload['unread'] if reload['unread'] != '[]' else state.unread %}
        {% if not state.is_complete and (unread or not reload['untouched']) %}
            {% set reason = _unread_reason(fromjson(unread)) if unread else none %}
            {% do ended.append({
                'generation': generation, 'is_held': generation in states, 'unread': unread, 'reason': reason,
            }) %}
            {% do exceptions.warn(this ~ ': ' ~ reason) if reason and loop.last %}
        {% elif reload['untouched'] and loop.last %}
            {% do exceptions.warn(
                this ~ ': the reload is not complete: these load files are still as an earlier load wrote them: '
                ~ reload['untouched'] ~ '. Keys that the reload does not hold stay until each of them is written again'
                ~ ' or removed, and another file of the table has come.'
            ) %}
        {% endif %}
    {% endfor %}
    {% do return(ended) %}
{% endmacro %}


{% macro _unread_reason(unread) %}
    {% do return(
        'the reload is not complete: these load files of it could not be read: '
        ~ unread | map(attribute='file_key') | join(', ') ~ '. It removes nothing until each of them has come again, or'
        ~ ' release_reload releases it (docs/runbook.md, A reload that waits).'
    ) %}
{% endmacro %}


{#
    What bronze knows of each reload: whether it is complete, and the unread files for which it waits, if none of them has
    come again since. They are in its row R, so that a lost table rejected_files completes no reload.
#}
{% macro _states_sql(cdc, existing, listing, rejected, last_batch_id) -%}
with {{ cdc_listed_versions_sql(listing, rejected, cdc, last_batch_id) }},

held as (
    select
        _cdc_generation as generation,
        bool_or(_cdc_quarantine_rule is null) as is_complete,
        max(_cdc_quarantine_content) as content
    from {{ existing }}
    where _cdc_operation = 'R' and coalesce(_cdc_quarantine_rule, 'incomplete_reload') = 'incomplete_reload'
    group by _cdc_generation
),

files as (
    select
        generation,
        explode(from_json(content, 'array<struct<file_key: string, modified_millis: bigint>>')) as file
    from held
),

unread as (
    select
        files.generation,
        to_json(array_sort(collect_set(files.file))) as unread
    from files
    left anti join judged
        on
            judged.kind = 'load'
            and judged.file_key = files.file.file_key
            and unix_millis(judged.modified_at) > files.file.modified_millis
            and coalesce(judged.rule, '') not in ('unreadable', 'replaced')
    group by files.generation
)

select
    held.generation,
    held.is_complete,
    unread.unread
from held
left join unread on held.generation = unread.generation
{%- endmacro %}
