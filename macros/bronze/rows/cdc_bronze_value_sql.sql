{#
    The value of a column in bronze. The image of a delete may hold what its column cannot: NULL then, as a cast that changes
    it would be a guess. So is a text that is no UTF-8: other engines refuse a table that has one. Only rows that break a rule
    and deletes can have it.
#}
{% macro cdc_bronze_value_sql(cdc, column, may_fail) -%}
{%- set value = cdc_cast_sql(column) -%}
{%- if cdc.format == 'parquet' and column.type == 'string' and column.raw_type in ['string', 'binary'] -%}
    {%- set is_checked = "_cdc_rule is null and _cdc_operation <> 'D'" -%}
    {%- set value = 'if(' ~ is_checked ~ ', ' ~ value ~ ', try_validate_utf8(' ~ value ~ '))' -%}
{%- endif -%}
{%- if column.name in may_fail -%}
    if(
        _cdc_operation = 'D' and _cdc_other_failures[{{ may_fail.index(column.name) }}] is not null,
        null,
        {{ value }}
    )
{%- else -%}
    {{ value }}
{%- endif -%}
{%- endmacro %}
