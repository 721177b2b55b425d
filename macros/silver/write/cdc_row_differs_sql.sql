{#
    Whether a change changes anything but its source position. Rows of another generation differ: the source position shows
    whether a reload still holds them.
#}
{% macro cdc_row_differs_sql(columns, carries_forward, is_soft) -%}
not (
    target._cdc_generation <=> source._cdc_generation
    {%- if is_soft %}
    and target._cdc_is_deleted <=> source._cdc_is_deleted
    {%- endif %}
    {%- for name in columns if not name.startswith('_cdc_') %}
    and target.{{ adapter.quote(name) }} <=> {{ cdc_merge_value_sql(name, carries_forward, is_soft) | indent(4) }}
    {%- endfor %}
)
{%- endmacro %}
