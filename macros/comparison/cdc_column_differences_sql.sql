{# The differences of columns, and after them those of rows, if rows can be compared. #}
{% macro cdc_column_differences_sql(differences, rows_sql=none) -%}
select *
from values
    {%- for difference in differences %}
    ({{ difference }}, cast(null as string)){{ ',' if not loop.last }}
    {%- endfor %}
    as columns (difference, compared_row)
{%- if rows_sql %}
union all
select
    difference,
    to_json(struct(*)) as compared_row
from (
    {{ rows_sql | indent(4) }}
)
{%- endif %}
{%- endmacro %}
