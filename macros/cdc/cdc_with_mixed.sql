{# The raw view with this table's records of mixed objects; without change for a batch that has none. #}
{% macro cdc_with_mixed(cdc, files, after_batch_id, raw) %}
    {% if files.has_mixed %}
        {% set view = this.identifier ~ '__raw_and_mixed' %}
        {% set sql = cdc_mixed_lines_sql(cdc_split_of(cdc), cdc, after_batch_id, files.last_batch_id, raw.view) %}
        {% do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ sql) %}
        {% do raw.update({'view': view}) %}
    {% endif %}
    {% do return(raw) %}
{% endmacro %}
