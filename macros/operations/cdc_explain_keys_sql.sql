{% macro cdc_explain_keys_sql(bronze, names) -%}
with keys as (
    select distinct {{ cdc_column_list_sql(names) }}
    from {{ bronze }}
    order by {{ cdc_column_list_sql(names) }}
    limit 5
)

select {{ cdc_explain_image_sql(names) | indent(4) }} as image
from keys
{%- endmacro %}
