{# Whether a run may write a row: it is not frozen, or a change of the spine leads to its key. #}
{% macro cdc_gold_thawed_sql(frozen, key, row) -%}
(
    not coalesce({{ frozen.condition }}, false)
    {%- if frozen.spine_keys.view %}
    or {{ cdc_gold_has_key_sql(frozen.spine_keys, key, row, key) | indent(4) }}
    {%- endif %}
)
{%- endmacro %}
