{# The keys that have a row which meets a condition, in the table or in its query at the snapshots of its commit. #}
{% macro cdc_gold_part_keys_sql(gold, key, moved, query_sql, where, limit) -%}
select {{ get_quoted_csv(key) }}
from {{ gold }}
where {{ where }}
union
select {{ get_quoted_csv(key) }}
from (
    {{ cdc_gold_query_sql(moved, query_sql) | indent(4) }}
) as _cdc_query
where {{ where }}
limit {{ limit }}
{%- endmacro %}
