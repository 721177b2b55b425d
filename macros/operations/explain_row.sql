{#
    Asks bronze and silver for one key and prints its life:
    dbt run-operation explain_row --args '{table: sampledb__product, key: 1}'
#}
{% macro explain_row(table, key) %}
    {% set node = cdc_silver_node(table) %}
    {% set silver = adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
    {% set bronze = cdc_table_of('bronze', node.config.meta.cdc) %}
    {% set types = {} %}
    {% for column in (adapter.get_columns_in_relation(bronze) if bronze is not none else []) %}
        {% do types.update({column.name: column.dtype}) %}
    {% endfor %}
    {% set cdc = cdc_explain_config(node, types.keys() | list) %}
    {% set key = cdc_explain_key(cdc, node.alias, key) %}
    {% do validate_explain_row(node, silver, key, types) %}
    {% set names = [] %}
    {% for name in types if not name.startswith('_cdc_') %}
        {% do names.append(name) %}
    {% endfor %}
    {% set changes = _cdc_explain_rows(
        cdc_explain_changes_sql(cdc, bronze, names, key, types, '_cdc_old_key' in types)
    ) %}
    {% if not changes | selectattr('role', 'in', ['change', 'key change']) | list %}
        {% do exceptions.raise_compiler_error(cdc_explain_no_change_message(bronze, key)) %}
    {% endif %}
    {% set silver_names = adapter.get_columns_in_relation(silver) | map(attribute='name') | list %}
    {% set rows = _cdc_explain_rows(cdc_explain_silver_sql(cdc, silver, silver_names, key, types)) %}
    {% set applied_batch_id = cdc_progress(silver).get('cdc.batch-id', 0) | int %}
    {{ print(cdc_explain_text(cdc, silver, key, changes, rows, applied_batch_id)) }}
{% endmacro %}

{% macro _cdc_explain_rows(sql) %}
    {% set rows = [] %}
    {% for row in run_query(sql) %}
        {% set values = dict(row.dict()) %}
        {% for name in ['image', 'unavailable', 'old_key'] if values.get(name) %}
            {% do values.update({name: fromjson(values[name])}) %}
        {% endfor %}
        {% do rows.append(values) %}
    {% endfor %}
    {% do return(rows) %}
{% endmacro %}
