{#
    The columns of a row of the operation R, behind the loads and before the changes: the listing shows that a reload
    has ended, no file does. While a part of the load could not be read, it waits in quarantine, and silver removes
    nothing (record 68). A row that waits already is not written again.
#}
{% macro cdc_reload_rows_sql(reloads, last_batch_id, bronze) -%}
{%- if bronze is not none -%}
waiting as (
    {{ cdc_waiting_loads_sql(bronze) | indent(4) }}
),

whole as (
    select files.*
    from files
    left anti join ruled on files.file_key = ruled._cdc_file_key and ruled._cdc_rule is not null
),

{% endif -%}
unread_rows as (
    select
        _cdc_generation as generation,
        concat(_cdc_file_key, ' row ', _cdc_row, ': ', coalesce(_cdc_reason, _cdc_rule)) as example
    from ruled
    where _cdc_kind = 'load' and _cdc_rule is not null
    {%- if bronze is not none %}
    union all
    select
        waiting.generation,
        concat(waiting.source_file, ' row ', waiting.file_row, ': ', coalesce(waiting.reason, '')) as example
    from waiting
    left anti join whole on waiting.source_file = whole.file_key and waiting.modified_millis < whole.modified_millis
    {%- endif %}
),

first_rows as (
    select
        generation,
        count(*) as row_count,
        min(example) as example
    from unread_rows
    group by generation
),

reloads as (
    select
        cast(null as string) as _cdc_file_key,
        cast(null as timestamp) as _cdc_committed_at,
        ended.generation as _cdc_generation,
        cast({{ last_batch_id }} as bigint) as _cdc_batch_id,
        concat('1.', repeat('0', 20)) as _cdc_file_position,
        repeat('0', 16) as _cdc_file_hash,
        repeat('0', 14) as _cdc_modified_millis,
        timestamp '{{ run_started_at.strftime("%Y-%m-%d %H:%M:%S.%f") }}+00:00' as _cdc_ingested_at,
        cast(0 as bigint) as _cdc_row,
        if(ended.reason is null and first.row_count is null, null, 'incomplete_reload') as _cdc_rule,
        coalesce(
            ended.reason,
            concat(
                'the reload is not complete: ', first.row_count,
                ' rows of its load are in quarantine, for example ', first.example,
                {{ adapter.string_literal(
                    '. It removes nothing until they are in bronze, or release_reload releases it'
                    ~ ' (docs/runbook.md, A reload that waits).'
                ) }}
            ),
            if(ended.is_held, 'released: each row of its load could be read', null)
        ) as _cdc_reason,
        ended.unread as _cdc_content
    from values
        {%- for reload in reloads %}
        ({{ reload.generation }}, {{ reload.is_held | lower }},
            {%- for text in [reload.unread, reload.reason] %}
            {{ adapter.string_literal(text) if text else 'string(null)' }}{{ ',' if not loop.last }}
            {%- endfor %}
        ){{ ',' if not loop.last }}
        {%- endfor %} as ended (generation, is_held, unread, reason)
    left join first_rows as first on ended.generation = first.generation
    where not ended.is_held or (ended.reason is null and first.row_count is null)
)
{%- endmacro %}
