{#
    The columns of a table that files which name their columns lack, and of how many sources: schemas of parquet files,
    headers of CSV files, or all messages that carry a row.
#}
{% macro cdc_drift_missing(cdc, files, raw, target, split, after_batch_id) %}
    {% set counts = {} %}
    {% if cdc.format == 'parquet' %}
        {% set sources = raw.schemas | length %}
        {% for name in raw.schemas | sum(start=[]) | map(attribute='name') | map('lower') %}
            {% do counts.update({name: counts.get(name, 0) + 1}) %}
        {% endfor %}
    {% elif cdc.format == 'csv' %}
        {% set sources = files.first_paths | length - raw.rejected | length if cdc.options.header else 0 %}
        {% set is_named = sources and raw.view is not none %}
        {% set headers = run_query(cdc_csv_header_sql(raw.view, cdc.options.delimiter)) if is_named else [] %}
        {% for row in headers %}
            {% do counts.update({cdc_table_name(row['name']) | lower: row['file_count'] | int}) %}
        {% endfor %}
    {% else %}
        {% set names = run_query(_message_names_sql(cdc, split, after_batch_id)).rows[0]['names'] %}
        {% set sources = 1 if fromjson(names or '[]') else 0 %}
        {% for name in fromjson(names or '[]') %}
            {% do counts.update({cdc_table_name(name) | lower: 1}) %}
        {% endfor %}
    {% endif %}
    {% set missing = [] %}
    {% for column in target if sources %}
        {% set present = namespace(count=0) %}
        {% for name in cdc_names_in_files(cdc, column.name) %}
            {% set present.count = present.count + counts.get(name, 0) %}
        {% endfor %}
        {% do missing.append({
            'name': column.name, 'type': column.dtype | lower, 'is_everywhere': present.count == 0
        }) if present.count < sources %}
    {% endfor %}
    {% do return(missing) %}
{% endmacro %}


{# A delete may carry its key only. #}
{% macro _message_names_sql(cdc, split, after_batch_id) -%}
select to_json(array_distinct(flatten(collect_set(map_keys(image))))) as names
from {{ split }}
where
    {{ cdc_in_batches_sql(cdc, after_batch_id) | indent(4) }}
    and (kind = 'load' or upper(trim(operation)) in ('I', 'U'))
{%- endmacro %}
