{#
    The columns of quarantined parquet rows and messages, and whether the table has them, under the names that the files
    use. Their values are text, but for binary and nested ones of parquet.
#}
{% macro cdc_replay_columns(cdc, bronze) %}
    {% do cdc_parse_again(cdc, bronze) if cdc.format == 'json' %}
    {% set columns = [] %}
    {% if cdc.format != 'csv' %}
        {% set types = {} %}
        {% for column in adapter.get_columns_in_relation(bronze) if not column.name.startswith('_cdc_') %}
            {% for name in cdc_names_in_files(cdc, column.name) %}
                {% do types.update({name: column.dtype | lower}) %}
            {% endfor %}
        {% endfor %}
        {% for row in run_query(_names_sql(cdc, bronze)) %}
            {% set type = types.get(cdc_table_name(row['name']) | lower, 'string') %}
            {% set is_no_text = type == 'binary' or type.split('<')[0] in ['array', 'map', 'struct'] %}
            {% do columns.append({
                'name': cdc_table_name(row['name']),
                'file_name': row['name'],
                'type': type if is_no_text and cdc.format == 'parquet' else 'string',
                'is_known': cdc_table_name(row['name']) | lower in types
                    or not cdc_source_parts(cdc, [{'name': row['name']}])
                    or cdc.format == 'json' and cdc.schema_drift == 'evolve',
            }) %}
        {% endfor %}
    {% endif %}
    {% do return(columns) %}
{% endmacro %}


{% macro _names_sql(cdc, bronze) -%}
{%- if cdc.format == 'json' -%}
select distinct explode(map_keys(image)) as name
from (
    {{ cdc_replay_view_sql(cdc, bronze, [], 0) | indent(4) }}
)
{%- else -%}
select distinct explode(map_keys(from_json(_cdc_quarantine_content, 'map<string,string>'))) as name
from {{ bronze }}
where _cdc_quarantine_rule is not null
{%- endif %}
order by name
{%- endmacro %}
