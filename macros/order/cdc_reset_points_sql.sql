{# The truncates and complete reloads in a part of bronze (docs/feeds/dms_format.md, Restart, resume, reload). #}
{% macro cdc_reset_points_sql(rows_sql) -%}
select distinct {{ cdc_reset_point_sql() | indent(4) }} as reset_point
from (
    {{ rows_sql | indent(4) }}
) as changes
where {{ cdc_reset_point_sql() | indent(4) }} is not null
{%- endmacro %}
