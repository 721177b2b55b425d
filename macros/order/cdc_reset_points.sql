{#
    The truncates and complete reloads in a part of bronze, from what its summary says of the first and the last of them:
    only where these differ there is more to ask.
#}
{% macro cdc_reset_points(summary, rows_sql) %}
    {% set first, last = summary['first_barrier'], summary['last_barrier'] %}
    {% if first == last %}
        {% do return([first] | select | list) %}
    {% endif %}
    {% do return(run_query(_reset_points_sql(rows_sql)).columns[0].values() | list) %}
{% endmacro %}


{# The truncates and complete reloads in a part of bronze (docs/contracts.md section 1.10). #}
{% macro _reset_points_sql(rows_sql) -%}
select distinct {{ cdc_reset_point_sql() | indent(4) }} as barrier
from (
    {{ rows_sql | indent(4) }}
) as changes
where {{ cdc_reset_point_sql() | indent(4) }} is not null
{%- endmacro %}
