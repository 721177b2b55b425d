{#
    The value of a column in bronze. The image of a delete may hold what its column cannot: NULL then, as a cast that changes
    it would be a guess.
#}
{% macro cdc_bronze_value_sql(column, may_fail) -%}
{%- if column.name in may_fail -%}
    if(
        _cdc_operation = 'D' and _cdc_other_failures[{{ may_fail.index(column.name) }}] is not null,
        null,
        {{ cdc_cast_sql(column) }}
    )
{%- else -%}
    {{ cdc_cast_sql(column) }}
{%- endif -%}
{%- endmacro %}
