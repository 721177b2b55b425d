{% macro cdc_explain_silver_sql(cdc, silver, names, key, types) -%}
select
    _cdc_sequence as sequence,
    {{ cdc_explain_image_sql(names) | indent(4) }} as image
from {{ silver }}
where {{ cdc_explain_key_sql(cdc, key, types) }}
order by sequence
{%- endmacro %}
