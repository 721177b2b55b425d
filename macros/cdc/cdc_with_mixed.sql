{#
    The raw view with this table's part of mixed objects; without change for a batch that has none. Messages tell the
    names of their columns, whose values are text.
#}
{% macro cdc_with_mixed(cdc, files, after_batch_id, raw) %}
    {% if files.has_mixed %}
        {% set split = cdc_split_of(cdc) %}
        {% set view = this.identifier ~ '__mixed' %}
        {% if cdc.format == 'json' %}
            {% set sql = cdc_messages_sql(split, cdc, after_batch_id, files.last_batch_id) %}
        {% else %}
            {% set sql = cdc_mixed_lines_sql(split, cdc, after_batch_id, files.last_batch_id, raw.view) %}
        {% endif %}
        {% do run_query('create or replace temporary view ' ~ view ~ ' as\n' ~ sql) %}
        {% do raw.update({'view': view}) %}
    {% endif %}
    {% if files.has_mixed and cdc.format == 'json' %}
        {% set names_sql = 'select distinct explode(names) as name from ' ~ raw.view ~ ' order by name' %}
        {% for name in run_query(names_sql).columns['name'].values() %}
            {% do raw.columns.append({'name': cdc_table_name(name), 'file_name': name, 'type': 'string'}) %}
        {% endfor %}
    {% endif %}
    {% do return(raw) %}
{% endmacro %}
