{#
    The rows that the source has now, from the log alone: the newest value that each column got since the row last
    came to life, if the newest change of the row is no delete and not before the last truncate or complete reload.
#}
{% macro cdc_open_versions_difference_sql(cdc, silver, bronze, snapshot_id, plan) -%}
with bronze as (
    {{ cdc_bronze_range_sql(bronze, none, snapshot_id, 0, true) | indent(4) }}
),

log as (
    {{ cdc_log_sql(cdc, plan, 'select * from bronze', true) | indent(4) }}
),

reset_point as (
    select coalesce(max({{ cdc_reset_point_sql() | indent(4) }}), '') as _cdc_newest_reset_point
    from bronze
),

live as (
    select
        {%- for key in cdc.primary_key %}
        max_by({{ adapter.quote(key) }}, _cdc_sequence) as {{ adapter.quote(key) }},
        {%- endfor %}
        greatest(max(_cdc_sequence) filter (where _cdc_operation <> 'U'), max(_cdc_newest_reset_point)) as _cdc_since
    from log
    cross join reset_point
    group by {{ cdc_key_list_sql(cdc) }}
    having max_by(_cdc_operation, _cdc_sequence) <> 'D' and max(_cdc_sequence) > max(_cdc_newest_reset_point)
),

lives as (
    select log.*
    from log
    inner join live on {{ cdc_same_key_sql(cdc, 'log', 'live') }} and log._cdc_sequence >= live._cdc_since
    where log._cdc_operation <> 'D'
),

expected as (
    select
        {%- for column in plan %}
        max_by({{ adapter.quote(column.name) }}, _cdc_sequence) filter (
            where array_contains(_cdc_unavailable_columns, {{ adapter.string_literal(column.name) }}) is not true
        ) as {{ adapter.quote(column.name) }}{{ ',' if not loop.last }}
        {%- endfor %}
    from lives
    group by {{ cdc_key_list_sql(cdc) }}
),

{{ cdc_compared_sql(silver, plan | map(attribute='name') | list, silver_where='_cdc_valid_to is null') }}
{%- endmacro %}
