{% macro cdc_silver_difference_sql(cdc, silver, bronze, snapshot_id, columns) -%}
{%- set is_soft = cdc.delete_mode == 'soft' -%}
{%- set order_columns = ['_cdc_operation', '_cdc_committed_at', '_cdc_sequence', '_cdc_generation', '_cdc_batch_id'] -%}
{%- set data_columns = columns | reject('in', order_columns + ['_cdc_is_deleted']) | list -%}
{%- set compared = data_columns + order_columns + (['_cdc_is_deleted'] if is_soft else []) -%}
with log as (
    select *
    from {{ bronze }} version as of {{ snapshot_id }}
    where _cdc_quarantine_rule is null
),
{% if cdc.mode == 'append' %}
expected as (
    select {{ cdc_column_list_sql(compared) }}
    from log
    where _cdc_operation in ('I', 'L')
),
{% else %}
reload as (
    select coalesce(max(_cdc_generation), 1) as generation
    from log
    where _cdc_operation <> 'L'
),

ordered as (
    select
        *,
        row_number() over (
            partition by {{ cdc_column_list_sql(cdc.primary_key) }} order by _cdc_sequence desc
        ) as _position,
        row_number() over (
            partition by {{ cdc_column_list_sql(cdc.primary_key) }}, _cdc_operation = 'D' order by _cdc_sequence desc
        ) as _position_of_kind
    from log
),

newest as (
    select
        ordered.*,
        ordered._cdc_operation = 'D' or ordered._cdc_generation < reload.generation as _is_deleted
    from ordered
    cross join reload
    where ordered._position = 1
),
{% if is_soft %}
images as (
    select *
    from ordered
    where _cdc_operation <> 'D' and _position_of_kind = 1
),

expected as (
    select
        {%- for column in data_columns %}
        if(images._position is null, newest.{{ cdc_quote(column) }}, images.{{ cdc_quote(column) }}) as {{ cdc_quote(column) }},
        {%- endfor %}
        newest._cdc_operation,
        newest._cdc_committed_at,
        newest._cdc_sequence,
        newest._cdc_generation,
        newest._cdc_batch_id,
        newest._is_deleted as _cdc_is_deleted
    from newest
    left join images on {{ cdc_same_key_sql(cdc.primary_key, 'newest', 'images') }}
),
{% else %}
expected as (
    select {{ cdc_column_list_sql(compared) }}
    from newest
    where not _is_deleted
),
{% endif %}
{%- endif %}
missing_from_silver as (
    select {{ cdc_column_list_sql(compared) }}
    from expected
    except all
    select {{ cdc_column_list_sql(compared) }}
    from {{ silver }}
),

unexpected_in_silver as (
    select {{ cdc_column_list_sql(compared) }}
    from {{ silver }}
    except all
    select {{ cdc_column_list_sql(compared) }}
    from expected
)

select
    'missing from silver' as difference,
    *
from missing_from_silver
union all
select
    'unexpected in silver' as difference,
    *
from unexpected_in_silver
{%- endmacro %}
