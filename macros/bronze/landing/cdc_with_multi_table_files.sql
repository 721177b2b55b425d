{#
    The raw view with this table's records of multi-table files. Messages name their columns, whose values are text.
#}
{% macro cdc_with_multi_table_files(cdc, files, after_batch_id, raw, split, view) %}
    {% if cdc.format == 'json' %}
        {#- Read once: a view would be analysed twice. -#}
        {% set view = '(\n' ~ cdc_messages_sql(split, cdc, after_batch_id, files.last_batch_id) ~ '\n)' %}
    {% else %}
        {% set sql = _multi_table_lines_sql(split, cdc, after_batch_id, files.last_batch_id, raw.view) %}
        {% do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ sql) %}
    {% endif %}
    {% set columns = [] if cdc.format == 'json' else raw.columns %}
    {% for name in files.names | unique(case_sensitive=true) | sort(case_sensitive=true) %}
        {% do columns.append({'name': cdc_table_name(name), 'file_name': name, 'type': 'string'}) %}
    {% endfor %}
    {% do return(dict(raw, view=view, columns=columns)) %}
{% endmacro %}


{# Records of multi-table files in the form of lines: a record that holds line breaks is one of them. #}
{% macro _multi_table_lines_sql(split, cdc, after_batch_id, last_batch_id, lines=none) -%}
{%- if lines is not none %}
select
    _file_path,
    _file_modified_at,
    _file_row,
    value
from {{ lines }}
union all
{%- endif %}
select
    path as _file_path,
    modified_at as _file_modified_at,
    file_row as _file_row,
    content as value
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id, last_batch_id) | indent(4) }}
    and file_row < {{ cdc_marker_row() }}
{%- endmacro %}
