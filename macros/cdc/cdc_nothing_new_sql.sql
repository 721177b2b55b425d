{# The first words are the signal to cdc_has_news that there is nothing to write. #}
{% macro cdc_nothing_new_sql(relation, reason) -%}
-- nothing new: {{ reason }}
select *
from {{ relation }}
where false
{%- endmacro %}
