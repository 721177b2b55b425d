{#
    One step of a small table, of which each change is whole and newer than silver was: the changes of each key, its rows
    in silver before and now, grouped in one pass without a join. Of rows that the step did not write only keys are
    compared, so that a row of another key that came or went is named.
#}
{% macro cdc_small_step_sql(cdc, silver, columns, plan, step) -%}
{%- set fields, values = [], [] -%}
{%- for key in cdc_key_columns(cdc) -%}
    {%- set name = adapter.quote(key) -%}
    {%- do fields.append(cdc_key_value_sql(name, cdc.get('key_comparison', [])) ~ ' as ' ~ name) -%}
    {%- do values.append('cast(key.' ~ name ~ ' as string)') -%}
{%- endfor -%}
{%- set key_sql, image_sql = 'struct(' ~ fields | join(', ') ~ ')', 'struct(' ~ get_quoted_csv(columns) ~ ')' -%}
with sides as (
    select
        {{ key_sql }} as key,
        _cdc_sequence as sequence,
        _cdc_operation as operation,
        {{ image_sql }} as image,
        0 as rows_before,
        0 as rows_now
    from (
        {{ cdc_log_sql(cdc, plan, step.rows_sql, step.has_key_changes) | indent(8) }}
    ) as log
    union all
    select
        {{ key_sql }} as key,
        null as sequence,
        null as operation,
        null as image,
        1 as rows_before,
        0 as rows_now
    from {{ silver }} version as of {{ step.silver_snapshot_id }}
    union all
    select
        {{ key_sql }} as key,
        null as sequence,
        null as operation,
        if(_cdc_batch_id > {{ step.after_batch_id }}, {{ image_sql }}, null) as image,
        0 as rows_before,
        1 as rows_now
    from {{ silver }}
),

keys as (
    select
        key,
        {#- A row without any value in the key is no row of silver. #}
        count(sequence) > 0 and coalesce({{ values | join(', ') }}) is not null as has_changes,
        bool_or(operation not in ('I', 'L', 'U', 'D')) as has_unknown,
        max(struct(sequence, image)) filter (where sequence is not null) as newest,
        max(image) filter (where sequence is null) as found,
        sum(rows_before) as rows_before,
        sum(rows_now) as rows_now
    from (select /*+ coalesce(1) */ * from sides)
    group by key
),

compared as (
    select *, if(has_changes and not has_unknown and newest.image._cdc_operation <> 'D', newest.image, null) as expected
    from keys
)

select
    case
        when not has_changes and rows_now <> rows_before
            then concat('rows of a key without changes: ', rows_now - rows_before, ' more than before')
        when rows_now = 0 then 'missing from silver'
        when expected is null then 'unexpected in silver'
        when rows_now > 1 then 'more than once in silver'
        else 'other values in silver'
    end as difference,
    to_json(key) as key,
    to_json(expected) as expected,
    to_json(found) as found
from compared
where
    not expected <=> found
    or rows_now <> case when has_changes then int(expected is not null) else rows_before end
{%- endmacro %}
