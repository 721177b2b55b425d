{% macro cdc_explain_keys_sql(bronze, names) -%}
with keys as (
    select distinct {{ get_quoted_csv(names) }}
    from {{ bronze }}
    order by {{ get_quoted_csv(names) }}
    limit 5
)

select {{ cdc_explain_image_sql(names) | indent(4) }} as image
from keys
{%- endmacro %}
