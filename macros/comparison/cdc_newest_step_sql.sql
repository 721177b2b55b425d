{#
    One step of which each change is whole and newer than silver was: the changes of each key, its rows in silver before
    and now, grouped in one pass. The rows that the step wrote have a later sequence than silver had; of others only
    keys are read. A small table is read whole, so that a row of another key that came or went is named; of a large one
    the rows of the changed keys, and then the table must have grown as these did.
#}
{% macro cdc_newest_step_sql(comparison) -%}
{%- set cdc, silver, step = comparison.cdc, comparison.silver, comparison.step -%}
{%- set key_sql = 'struct(' ~ comparison.key | join(', ') ~ ')' -%}
{%- set image_sql = 'struct(' ~ get_quoted_csv(comparison.compared) ~ ')' -%}
{#- A text: a number would be part of the code that Spark generates for the scan, and be compiled for each step. -#}
{%- set is_written = '_cdc_sequence > ' ~ adapter.string_literal(step.after_sequence) -%}
{%- set written_sql = 'if(' ~ is_written ~ ', ' ~ image_sql ~ ', null)' if step.is_small else 'null' -%}
{%- set changed = '' if step.is_small else 'left semi join log on ' ~ cdc_same_key_sql(cdc, 'silver', 'log') -%}
with log as (
    {{ cdc_log_sql(cdc, comparison.columns, step.rows_sql, step.has_key_changes) | indent(4) }}
),

sides as (
    {{ cdc_step_side_sql(
        key_sql, image_sql, sequence='struct(' ~ cdc_row_order_sql() ~ ')', operation='_cdc_operation'
    ) | indent(4) }}
    from log as silver
    union all
    {{ cdc_step_side_sql(key_sql, rows_before=1) | indent(4) }}
    from {{ silver }} version as of {{ step.silver_snapshot_id }} as silver {{ changed }}
    union all
    {{ cdc_step_side_sql(key_sql, written_sql, rows_now=1) | indent(4) }}
    from {{ silver }} as silver {{ changed }}
    {%- if not step.is_small %}
    union all
    {{ cdc_step_side_sql(key_sql, image_sql) | indent(4) }}
    from {{ silver }} as silver
    where {{ is_written }}
    {%- endif %}
),

keys as (
    select
        key,
        {#- A row without any value in the key is no row of silver. #}
        count(sequence) > 0 and coalesce({{ comparison.key_texts | join(', ') }}) is not null as has_changes,
        bool_or(operation not in ('I', 'L', 'U', 'D')) as has_unknown,
        max(struct(sequence, image)) filter (where sequence is not null) as newest,
        max(image) filter (where sequence is null) as found,
        sum(rows_before) as rows_before,
        sum(rows_now) as rows_now
    from {{ '(select /*+ coalesce(1) */ * from sides)' if step.is_small else 'sides' }}
    group by {{ 'key' if step.is_small else 'grouping sets ((key), ())' }}
),

compared as (
    select *, if(has_changes and not has_unknown and newest.image._cdc_operation <> 'D', newest.image, null) as expected
    from keys
)

select
    case
        when key is null
            then concat(
                'rows of keys without changes: ', {{ step.net_rows }} - rows_now + rows_before, ' more than before'
            )
        when not has_changes and rows_now <> rows_before
            then concat('rows of a key without changes: ', rows_now - rows_before, ' more than before')
        when expected is null then 'unexpected in silver'
        when rows_now = 0 then 'missing from silver'
        when rows_now > 1 then 'more than once in silver'
        else 'other values in silver'
    end as difference,
    to_json(key) as key,
    to_json(expected) as expected,
    if(key is not null, to_json(found), null) as found
from compared
where
    if(
        key is null,
        coalesce(rows_now - rows_before, 0) <> {{ step.net_rows }},
        not expected <=> found or rows_now <> case when has_changes then int(expected is not null) else rows_before end
    )
{%- endmacro %}
