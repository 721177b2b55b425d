{# The newest recorded run of each table. Columns that the table lacks are added. #}
{% macro cdc_newest_runs(recorded) %}
    {% set names = adapter.get_columns_in_relation(recorded) | map(attribute='name') | list %}
    {% set missing = adapter.call_function('python_udfs.pipeline.run_metrics.find_missing_columns', {'names': names}) %}
    {% do run_query(_add_columns_sql(recorded, missing)) if missing %}
    {% do return(adapter.query(_newest_sql(recorded))) %}
{% endmacro %}


{% macro _add_columns_sql(recorded, columns) -%}
alter table {{ recorded }} add columns (
    {%- for name, type in columns.items() %}
    {{ name }} {{ type }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{%- endmacro %}


{% macro _newest_sql(recorded) -%}
select
    silver_table,
    snapshot_id,
    rows_total,
    bytes,
    data_files,
    delete_files,
    deleted_rows
from {{ recorded }}
where is_newest
{%- endmacro %}
