{# A run_metrics of an earlier version of the project lacks columns: they are added, and empty in its rows. #}
{% macro cdc_newest_runs(recorded) %}
    {% set newest = {} %}
    {% if recorded is none %}
        {% do return(newest) %}
    {% endif %}
    {% set names = adapter.get_columns_in_relation(recorded) | map(attribute='name') | list %}
    {% set missing = [] %}
    {% for name, type in _later_columns().items() if name not in names %}
        {% do missing.append(name ~ ' ' ~ type) %}
    {% endfor %}
    {% do run_query('alter table ' ~ recorded ~ ' add columns (' ~ missing | join(', ') ~ ')') if missing %}
    {% for row in run_query(_newest_sql(recorded)).rows %}
        {% do newest.update({row['silver_table']: row.dict()}) %}
    {% endfor %}
    {% do return(newest) %}
{% endmacro %}


{% macro _later_columns() %}
    {% do return({
        'rows_quarantined': 'bigint', 'run_seconds': 'double', 'bytes': 'bigint', 'data_files': 'bigint',
        'delete_files': 'bigint', 'deleted_rows': 'bigint', 'second_snapshot': 'boolean', 'log_began_again': 'boolean',
    }) %}
{% endmacro %}


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
